//! The server of an experiment: one that is given, or one that the caller can start for as long as it runs.
//!
//! How a server is started is not known here: the workloads see it over TDS alone.

use std::path::PathBuf;

use clap::Args;

use crate::failure::LabError;
use crate::link::Target;

/// Port of SQL Server.
const DEFAULT_PORT: u16 = 1433;

/// What a server of the experiment's own is to be.
#[derive(Clone, Debug)]
pub struct OwnServer {
    /// Directory of its databases; `None`: in memory.
    pub data_dir: Option<PathBuf>,
    /// Bound of its memory; `None`: its own choice.
    pub memory_mb: Option<u64>,
    /// Password of sa; `None`: any.
    pub password: Option<String>,
    /// Whether it offers encryption.
    pub tls: bool,
    /// What its `millpond.toml` says besides.
    pub settings: String,
}

/// Starts servers on loopback.
pub trait Starter {
    /// Starts one that accepts logins when this returns.
    ///
    /// # Errors
    /// Why there is none.
    fn start(&self, wanted: &OwnServer) -> Result<Box<dyn Running>, String>;

    /// What runs here, and on what.
    fn machine(&self) -> Machine;

    /// What an emulated disk does under requests, without a server.
    ///
    /// # Errors
    /// What of the load makes no sense.
    fn disk(&self, load: &DiskLoad) -> Result<DiskWork, String>;
}

/// Requests to an emulated SAS disk of 10,000 revolutions a minute behind a controller's cache with a battery: readers that
/// each read one page after another, and a writer that writes so many pages for each that was read.
///
/// All pages are of 8 KB, chosen by chance over the data; those that are written may have neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskLoad {
    /// Of the disk.
    pub capacity_mb: u64,
    /// Of the data, at the disk's begin.
    pub data_mb: u64,
    /// Of the cache.
    pub cache_mb: u64,
    /// Its share for reads.
    pub read_percent: u32,
    /// Readers, each with one request at a time.
    pub readers: usize,
    /// Pages written for each that is read.
    pub writes_per_read: f64,
    /// Pages that are written together, in order of place, neighbours as one request; the next ones when all of them are done.
    pub batch_pages: usize,
    /// Neighbours that are changed together: a batch is made of runs of so many pages.
    pub run_pages: usize,
    /// Batches that are on their way together.
    pub batches: usize,
    /// Reads before anything counts, and then.
    pub warm_reads: u64,
    /// Reads that count.
    pub reads: u64,
    /// The same seed chooses the same pages.
    pub seed: u64,
}

/// What the disk did while reads counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiskWork {
    /// Time that it took.
    pub seconds: f64,
    /// Reads that were done, and their mean time.
    pub reads: f64,
    /// Mean time of a read, milliseconds.
    pub read_ms: f64,
    /// Write requests that were done.
    pub writes: f64,
    /// Mean time of a write request, milliseconds.
    pub write_ms: f64,
    /// Time of the arm for reads.
    pub arm_read_s: f64,
    /// Time of the arm for writes.
    pub arm_write_s: f64,
    /// Reads that the cache answered.
    pub hits: f64,
    /// Pages that came to the disk.
    pub pages_written: f64,
}

/// What reports say of where they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Name and version of the program, with its commit where that is known.
    pub version: String,
    /// Whether it was built to be used: without the checks of a build for tests.
    pub is_release: bool,
    /// What the processors call themselves.
    pub processor: String,
    /// Processors that the process may use.
    pub processors: usize,
    /// Memory that the process may use.
    pub memory_mb: u64,
    /// The system and its release.
    pub system: String,
}

/// A server that was started.
pub trait Running {
    /// Where to log in.
    fn target(&self) -> Target;

    /// Stops it; everything is durable then.
    ///
    /// # Errors
    /// What could not be written.
    fn stop(self: Box<Self>) -> Result<(), String>;
}

/// Which server.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// A server that runs already; without it one is started in this process
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "data_dir")]
    server: Option<String>,
    /// Login
    #[arg(long, value_name = "NAME", default_value = "sa")]
    user: String,
    /// Its password [default: of SQLCMDPASSWORD or MSSQL_SA_PASSWORD]
    #[arg(long, value_name = "TEXT")]
    password: Option<String>,
    /// Encrypt the sessions; any certificate will do
    #[arg(long)]
    tls: bool,
    /// Directory of the server that is started here; without it that server is in memory
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Memory of the server that is started here [default: its own choice]
    #[arg(long, value_name = "MB", conflicts_with = "server")]
    memory_mb: Option<u64>,
}

/// A server to run against.
pub(crate) struct Host {
    target: Target,
    own: Option<Box<dyn Running>>,
}

impl Host {
    /// Finds or starts it.
    pub(crate) fn open(args: &ServerArgs, starter: &dyn Starter) -> Result<Self, LabError> {
        if let Some(server) = &args.server {
            return Ok(Self { target: given(server, args)?, own: None });
        }
        let wanted = OwnServer {
            data_dir: args.data_dir.clone(),
            memory_mb: args.memory_mb,
            password: args.password.clone(),
            tls: args.tls,
            settings: String::new(),
        };
        let own = starter.start(&wanted).map_err(LabError::Start)?;
        Ok(Self { target: own.target(), own: Some(own) })
    }

    /// Where to log in.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// What it is, for the report.
    pub(crate) fn name(&self) -> String {
        let Target { host, port, .. } = &self.target;
        if self.own.is_some() { "started here".into() } else { format!("{host}:{port}") }
    }

    /// Stops it, if it was started here.
    pub(crate) fn close(self) -> Result<(), LabError> {
        match self.own {
            Some(server) => server.stop().map_err(LabError::Stop),
            None => Ok(()),
        }
    }
}

fn given(server: &str, args: &ServerArgs) -> Result<Target, LabError> {
    let (host, port) = host_and_port(server)
        .ok_or_else(|| LabError::Arguments(format!("--server '{server}': HOST:PORT or HOST,PORT is wanted")))?;
    let password = args
        .password
        .clone()
        .or_else(|| std::env::var("SQLCMDPASSWORD").ok())
        .or_else(|| std::env::var("MSSQL_SA_PASSWORD").ok())
        .ok_or_else(|| LabError::Arguments(format!("no password for '{}': give --password", args.user)))?;
    Ok(Target { host, port, user: args.user.clone(), password, tls: args.tls })
}

/// `host:port`, `host,port`, `[address]:port` or the host alone.
fn host_and_port(text: &str) -> Option<(String, u16)> {
    if let Some((host, port)) = text.rsplit_once(',') {
        return Some((host.trim().to_owned(), port.trim().parse().ok()?));
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (host, port) = rest.split_once("]:")?;
        return Some((host.to_owned(), port.parse().ok()?));
    }
    match text.split_once(':') {
        Some((host, port)) => Some((host.to_owned(), port.parse().ok()?)),
        None => Some((text.to_owned(), DEFAULT_PORT)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_in_many_ways() {
        let named = |text| host_and_port(text).map(|(host, port)| format!("{host} {port}"));
        assert_eq!(named("db:1500").as_deref(), Some("db 1500"));
        assert_eq!(named("db,1500").as_deref(), Some("db 1500"));
        assert_eq!(named("[::1]:1500").as_deref(), Some("::1 1500"));
        assert_eq!(named("db").as_deref(), Some("db 1433"));
        assert_eq!(named("db:port"), None);
        assert_eq!(named("[::1]"), None);
    }
}
