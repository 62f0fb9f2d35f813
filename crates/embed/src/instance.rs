//! An instance: its databases, opened once, and who is connected to them.
//!
//! What always holds: when [`Instance::shutdown`] has returned, or the last of an instance, its connections and listeners is
//! dropped, no session is left, committed work is in the files, and the directory may be opened again. Without a shutdown and
//! without a drop, as when the process is killed, the next start recovers what was committed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_message::error::SqlError;
use millpond_message::sink::Nowhere;
use millpond_query::session::Session;
use millpond_server::Config;
use millpond_server::assemble::{self, AssembleError};
use millpond_storage::instance::OpenError;
use millpond_storage::settings::SettingsError;
use parking_lot::Mutex;

use crate::asynchronous::AsyncConnection;
use crate::connection::Connection;
use crate::error::{Error, ServerError};
use crate::events::{End, Events};
use crate::listener::{ListenOptions, Listener};
use crate::shared::Inner;
use crate::worker::Worker;

/// How an instance is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    directory: Option<PathBuf>,
    memory_max_mb: u64,
    collation: String,
}

impl Options {
    /// In memory, with as much memory as a server takes.
    #[must_use]
    pub fn new() -> Options {
        Options::default()
    }

    /// The directory of the databases; it is made where there is none. Without one everything is in memory: nothing is kept,
    /// and tempdb overflows into files without names when memory is short.
    #[must_use]
    pub fn directory(self, directory: impl Into<PathBuf>) -> Options {
        Options { directory: Some(directory.into()), ..self }
    }

    /// Memory for pages, queries and caches at most, in MB; 0, the default, is three quarters of the machine. Several instances in one
    /// process know nothing of each other.
    #[must_use]
    pub fn memory_max_mb(self, memory_max_mb: u64) -> Options {
        Options { memory_max_mb, ..self }
    }

    /// The collation of the server, which a directory gets when it is made; the default is SQL Server's,
    /// `SQL_Latin1_General_CP1_CI_AS`.
    #[must_use]
    pub fn collation(self, collation: &str) -> Options {
        Options { collation: collation.to_owned(), ..self }
    }

    /// Opens the instance; what a crash left behind is recovered first.
    ///
    /// # Errors
    /// [`Error::InUse`] names a directory that is open already; [`Error::Open`].
    pub fn open(self) -> Result<Instance, Error> {
        let mut config = Config::default();
        config.server.data_dir.clone_from(&self.directory);
        config.server.max_server_memory_mb = self.memory_max_mb;
        config.server.collation = self.collation;
        let engine = assemble::open(&config).map_err(of_assemble)?;
        Ok(Instance(Arc::new(Inner::new(engine, self.directory))))
    }
}

fn of_assemble(error: AssembleError) -> Error {
    match error {
        AssembleError::Open(OpenError::Settings(SettingsError::InUse { dir, pid })) => {
            Error::InUse { directory: dir, pid }
        }
        other => Error::Open(other.to_string()),
    }
}

/// How a connection begins.
#[derive(Clone, Debug, Default)]
pub struct ConnectOptions {
    database: String,
    program: String,
}

impl ConnectOptions {
    /// In master.
    #[must_use]
    pub fn new() -> ConnectOptions {
        ConnectOptions::default()
    }

    /// In a database.
    #[must_use]
    pub fn database(self, database: &str) -> ConnectOptions {
        ConnectOptions { database: database.to_owned(), ..self }
    }

    /// What `APP_NAME()` and `sys.dm_exec_sessions` show.
    #[must_use]
    pub fn program(self, program: &str) -> ConnectOptions {
        ConnectOptions { program: program.to_owned(), ..self }
    }
}

/// An open instance. Copies are of the same one.
#[derive(Clone)]
pub struct Instance(pub(crate) Arc<Inner>);

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("directory", &self.0.directory()).finish()
    }
}

impl Instance {
    /// Opens the databases of a directory, which is made where there is none.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(directory: impl Into<PathBuf>) -> Result<Instance, Error> {
        Options::new().directory(directory).open()
    }

    /// Opens an instance that keeps nothing.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn in_memory() -> Result<Instance, Error> {
        Options::new().open()
    }

    /// The same as [`Options::open`], on a thread of its own.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub async fn open_async(options: Options) -> Result<Instance, Error> {
        elsewhere(move || options.open()).await
    }

    /// Where its databases are; `None`: in memory.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.0.directory()
    }

    /// A connection as `sa` in master. There is no password: whoever has the process has its data. EXECUTE AS makes a connection another
    /// user's.
    ///
    /// # Errors
    /// As [`connect_with`](Instance::connect_with).
    pub fn connect(&self) -> Result<Connection, Error> {
        self.connect_with(&ConnectOptions::new())
    }

    /// The same in another database, or under another name.
    ///
    /// # Errors
    /// [`Error::Server`]: 911 for a database that is not there, 6005 where the instance stops, 17809 where all numbers of
    /// sessions are taken; [`Error::Ended`] after [`shutdown`](Instance::shutdown); [`Error::Thread`].
    pub fn connect_with(&self, options: &ConnectOptions) -> Result<Connection, Error> {
        connect(&self.0, options.clone()).map(Connection)
    }

    /// The same, awaited.
    ///
    /// # Errors
    /// As [`connect_with`](Instance::connect_with).
    pub async fn connect_async(&self) -> Result<AsyncConnection, Error> {
        self.connect_async_with(&ConnectOptions::new()).await
    }

    /// The same, awaited.
    ///
    /// # Errors
    /// As [`connect_with`](Instance::connect_with).
    pub async fn connect_async_with(&self, options: &ConnectOptions) -> Result<AsyncConnection, Error> {
        let (inner, options) = (Arc::clone(&self.0), options.clone());
        elsewhere(move || connect(&inner, options)).await
    }

    /// Listens for clients that speak TDS, beside the connections of this process.
    ///
    /// # Errors
    /// [`Error::Listen`]; [`Error::Ended`] after [`shutdown`](Instance::shutdown).
    pub fn listen(&self, options: &ListenOptions) -> Result<Listener, Error> {
        Listener::start(&self.0, options)
    }

    /// Cancels what runs, rolls back what is open, ends all connections and listeners, and writes what was committed into the
    /// files. Connections that are still held fail with [`Error::Ended`] from here on.
    ///
    /// # Errors
    /// [`Error::Close`]; the instance is closed nevertheless.
    pub fn shutdown(self) -> Result<(), Error> {
        self.0.close()
    }

    /// The same, awaited.
    ///
    /// # Errors
    /// As [`shutdown`](Instance::shutdown).
    pub async fn shutdown_async(self) -> Result<(), Error> {
        elsewhere(move || self.shutdown()).await
    }
}

/// A connection to an instance that is open.
fn connect(inner: &Arc<Inner>, options: ConnectOptions) -> Result<AsyncConnection, Error> {
    let engine = inner.engine()?;
    let worker = Arc::new(Worker::start(move || session(&engine, options))?);
    let connection = AsyncConnection::new(Arc::clone(&worker), Arc::clone(inner));
    inner.know_worker(&worker)?;
    Ok(connection)
}

/// A session of sa.
fn session(engine: &Arc<Engine>, options: ConnectOptions) -> Result<Session, Error> {
    let ConnectOptions { database, program } = options;
    let login = Login {
        login: "sa".into(),
        program: if program.is_empty() { "millpond-embedded".into() } else { program },
        client_interface: "embedded".into(),
        database: database.clone(),
        host_process_id: i32::try_from(std::process::id()).unwrap_or(0),
        host: engine.machine().to_owned(),
        ..Login::default()
    };
    let numbered = |error| Error::from(ServerError::numbered(error));
    let mut session = Session::open(engine, login).map_err(|_| {
        numbered(match engine.stop().is_requested() {
            true => SqlError::of(6005, 1, &[]),
            false => SqlError::of(17_809, 1, &[&i16::MAX]),
        })
    })?;
    if !database.is_empty() {
        // As those of a login, its messages are not shown.
        session.use_database(&database, &mut Nowhere).map_err(numbered)?;
    }
    Ok(session)
}

/// Runs what blocks on a thread of its own, and gives what it gives.
async fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let (given, ended) = (Arc::new(Mutex::new(None)), Arc::<Events>::default());
    let (to, end) = (Arc::clone(&given), Arc::clone(&ended));
    std::thread::Builder::new().spawn(move || {
        let ending = EndOnDrop(end);
        *to.lock() = Some(work());
        drop(ending);
    })?;
    let _ = std::future::poll_fn(|context| ended.poll_next(context)).await;
    let given = given.lock().take();
    given.unwrap_or(Err(Error::Ended))
}

/// Says that a thread is done, also where it panicked.
struct EndOnDrop(Arc<Events>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(End::Whole);
    }
}
