//! What a page is like: where it listens, what it gives out to whom.
//!
//! What always holds: nothing here is read from files or the environment; the caller has done that.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::host::Cover;

/// What a page is like.
#[derive(Clone)]
pub struct Options {
    /// Address and port.
    pub listen: SocketAddr,
    /// Names that a page on loopback may be called by, beside localhost and addresses.
    pub names: Vec<String>,
    /// What those who ask for metrics say; nothing: they are on loopback.
    pub metrics_token: Option<String>,
    /// The folder of reports.
    pub reports: Option<PathBuf>,
    /// Between samples.
    pub every: Duration,
    /// Of threads that run statements.
    pub stack_bytes: usize,
    /// What lies below HTTP; nothing: it is in the clear.
    pub cover: Option<Arc<dyn Cover>>,
    /// The program's version.
    pub version: String,
}
