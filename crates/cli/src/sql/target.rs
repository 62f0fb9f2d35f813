//! What batches are sent to: the engine in this process or a server. Both say the same to a listener.
//!
//! What always holds: errors of T-SQL are messages to the listener; [`TargetError`] means that no batch will run any more.

use std::sync::Arc;

use millpond_message::sink::{Column, Message, SinkClosed};
use millpond_types::Value;

/// What takes the results and messages of a batch.
pub trait Listener {
    /// A result begins.
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed>;
    /// A row of it.
    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed>;
    /// An error or information, and the server's name.
    fn message(&mut self, message: &Message, server: &str);
    /// A statement has ended; how many rows, if it counts them.
    fn done(&mut self, row_count: Option<u64>);
}

/// Stops what runs; does nothing when nothing does. May be called from any thread.
pub type Canceller = Arc<dyn Fn() + Send + Sync>;

/// Opens a session; may be called on any thread, where the session stays.
pub type Opener = Box<dyn Fn() -> Result<Box<dyn Target>, TargetError> + Send>;

/// The connection is lost.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TargetError(pub String);

/// What runs batches.
pub trait Target {
    /// Runs a batch to its end.
    fn run(&mut self, batch: &str, listener: &mut dyn Listener) -> Result<(), TargetError>;
    /// Stops the batch that runs.
    fn canceller(&self) -> Canceller;
    /// Nothing will run any more: SHUTDOWN, KILL, a broken connection.
    fn is_ended(&self) -> bool;
    /// What opens another session of the same login.
    fn opener(&self) -> Opener;
}
