//! The server of one process: assembled and listening when it is there, closed and durable when it has ended.
//!
//! ```text
//!   start: engine ─▶ certificate ─▶ password ─▶ socket ─▶ accept loop ─▶ 17126, ready
//!          or: a private socket first, and the clients' one when its owner has made what they are to find
//!   wait : until SHUTDOWN or a signal ─▶ no new clients ─▶ requests cancelled ─▶ databases checkpointed
//! ```
//!
//! What always holds: a server with a generated password listens on loopback only; no more than `max_connections`
//! clients have a session, and a few more at a time are sent the reason why they have none.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use millpond_agent::Agent;
use millpond_device::{Submission, host, machine};
use millpond_engine::engine::Engine;
use millpond_engine::signal::listeners::Listener;
use millpond_message::INFORMATION_MAX;
use millpond_message::error::SqlError;
use millpond_storage::contract::DbId;
use millpond_storage::file::file_header::FileKind;
use millpond_storage::settings::SettingsError;
use millpond_storage::wal::checkpoint::CheckpointError;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, sleep};

use crate::assemble::AssembleError;
use crate::attempts::Attempts;
use crate::certificate::{Certificate, CertificateError};
use crate::config::Config;
use crate::entrance::Entrance;
use crate::password::{self, PasswordError, Passwords};
use crate::recorder::Recorder;
use crate::registry::Registry;
use crate::shared::Shared;
use crate::workers::Workers;
use crate::{assemble, connection};

/// Clients above the bound that are sent the reason why, at a time; more are closed without a word.
const REFUSALS_MAX: usize = 16;
/// Clients that wait for accept.
const BACKLOG: u32 = 1024;
/// How often killed sessions are looked for.
const KILLED_INTERVAL: Duration = Duration::from_millis(200);
/// What connections have left to close when the server stops.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Stack of a thread that runs statements: deep expressions are parsed and bound by recursion.
const STACK_BYTES: usize = millpond_query::STACK_BYTES;
/// Threads that move bytes; the work is done by others.
const IO_THREADS_MAX: usize = 4;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Storage does not open.
    #[error(transparent)]
    Open(#[from] AssembleError),
    /// TLS has no certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// sa has no password.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The hash of the password cannot be stored.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A password that was generated at this start cannot be known to clients of a network.
    #[error(
        "refusing to listen on {0} without a password for sa; set MSSQL_SA_PASSWORD, or sa_password in millpond.toml"
    )]
    OpenToNetwork(SocketAddr),
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// No threads.
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}

/// A server that listens.
pub struct Server {
    runtime: Runtime,
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: JoinHandle<()>,
    generated_password: Option<String>,
    agent: Option<Agent>,
    recorder: Option<Recorder>,
}

/// 26022: the address as SQL Server's error log writes it.
fn listening(address: SocketAddr) -> SqlError {
    let family = if address.is_ipv4() { "ipv4" } else { "ipv6" };
    let host = match address.ip() {
        ip if ip.is_unspecified() => "'any'".to_owned(),
        ip => ip.to_string(),
    };
    SqlError::of(26_022, 1, &[&host, &format_args!("<{family}>"), &address.port()])
}

/// How real files are asked for several requests at a time, which depends on the system.
fn submission_text() -> String {
    match Submission::refusal() {
        None => "Files take many requests at a time through io_uring.".into(),
        Some(reason) => format!(
            "Files take one request of a thread after the other, by pread and pwrite: io_uring cannot be used ({reason})."
        ),
    }
}

/// The processors, and the files of tempdb, as SQL Server's error log tells them at a start.
fn start_texts(engine: &Engine) -> [String; 2] {
    let (packages, count) = (host::packages(), machine::processors());
    let files = engine.instance().files(DbId::TEMPDB);
    let data_files = files.iter().filter(|file| file.kind != FileKind::Log).count();
    [
        format!(
            "SQL Server detected {} sockets with {} cores per socket and {} logical processors per socket, {count} total logical processors; \
             using {count} logical processors. This is an informational message; no user action is required.",
            packages.sockets, packages.cores_per_socket, packages.threads_per_socket,
        ),
        format!("The tempdb database has {data_files} data file(s)."),
    ]
}

impl Server {
    /// Opens storage, listens, and says that it is ready.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(config: &Config) -> Result<Self, StartError> {
        let server = Self::start_unready(config)?;
        server.say_ready();
        Ok(server)
    }

    /// The same, but that it does not say that it is ready: there is something to be done first.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start_unready(config: &Config) -> Result<Self, StartError> {
        let engine = assemble::open(config)?;
        engine.error_log().listen(|line| match line.severity {
            0..=INFORMATION_MAX => tracing::info!(number = line.number, severity = line.severity, "{}", line.text),
            _ => tracing::error!(number = line.number, severity = line.severity, "{}", line.text),
        });
        engine.log_text(INFORMATION_MAX, submission_text());
        for text in start_texts(&engine) {
            engine.log_text(INFORMATION_MAX, text);
        }
        let mut server = Self::over(engine, config)?;
        if config.server.history
            && let Some(dir) = server.engine().instance().data_dir()
        {
            server.recorder = Some(Recorder::start(server.engine(), dir));
        }
        Ok(server)
    }

    /// The same over an engine that its owner has opened, and closes.
    ///
    /// # Errors
    /// [`StartError`], but for those of storage.
    pub fn start_over(engine: Arc<Engine>, config: &Config) -> Result<Self, StartError> {
        let server = Self::over(engine, config)?;
        server.say_ready();
        Ok(server)
    }

    fn over(engine: Arc<Engine>, config: &Config) -> Result<Self, StartError> {
        engine.logins().set_policy(config.password_policy.policy());
        let data_dir = config.server.data_dir.as_deref();
        let certificate = Certificate::load(&config.tls, data_dir)?;
        let (passwords, generated_password) = settle_password(config, &engine)?;
        let runtime = start_runtime(config.server.max_connections)?;
        let shared = Arc::new(Shared {
            name: engine.machine().into(),
            workers: Workers::of(&engine),
            engine,
            certificate,
            tls_mode: config.tls.mode,
            passwords: Arc::new(passwords),
            attempts: Attempts::default(),
            connections_max: config.server.max_connections,
            registry: Registry::default(),
            open: AtomicUsize::new(0),
            stop: watch::channel(false).0,
        });
        let (address, accepting) = begin_to_listen(&runtime, config.server.listen, &shared)?;
        runtime.spawn(watch_killed(Arc::clone(&shared)));
        let agent = config.server.agent.then(|| Agent::start(&shared.engine));
        Ok(Self { runtime, shared, address, accepting, generated_password, agent, recorder: None })
    }

    /// Listens at `address` from now on, and no longer where it did; connections that are open stay.
    ///
    /// # Errors
    /// [`StartError::Listen`]; it listens where it did.
    pub fn listen_at(&mut self, address: SocketAddr) -> Result<(), StartError> {
        let (address, accepting) = begin_to_listen(&self.runtime, address, &self.shared)?;
        std::mem::replace(&mut self.accepting, accepting).abort();
        self.shared.engine.listeners.remove(self.address);
        self.address = address;
        Ok(())
    }

    /// 17126: clients find all that they are to find.
    pub fn say_ready(&self) {
        self.shared.engine.log_error(SqlError::of(17_126, 1, &[]));
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where logins come in that have no connection of TDS.
    #[must_use]
    pub fn entrance(&self) -> Entrance {
        Entrance::of(&self.shared)
    }

    /// Its engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.shared.engine
    }

    /// The password that was made at this start, if one was.
    #[must_use]
    pub fn generated_password(&self) -> Option<&str> {
        self.generated_password.as_deref()
    }

    /// From here on Ctrl-C and SIGTERM are SHUTDOWN; a second one ends the process at once.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn stop_on_signals(&self) -> std::io::Result<()> {
        let _inside = self.runtime.enter();
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let engine = Arc::clone(&self.shared.engine);
        self.runtime.spawn(async move {
            for count in 0.. {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if count > 0 {
                    tracing::warn!("stopped at once: second signal");
                    std::process::exit(130);
                }
                tracing::info!("stopping");
                engine.stop().request();
            }
        });
        Ok(())
    }

    /// Waits for SHUTDOWN or a signal, then closes everything.
    ///
    /// # Errors
    /// The first database that could not be checkpointed.
    pub fn wait(self) -> Result<(), CheckpointError> {
        self.shared.engine.stop().wait();
        // 17147, which has no statement to be sent to.
        let text = "SQL Server is terminating because of a system shutdown. This is an informational message only. No user action is required.";
        self.shared.engine.log_text(INFORMATION_MAX, text.into());
        let engine = Arc::clone(&self.shared.engine);
        self.leave();
        assemble::close(&engine)
    }

    /// Listens no longer and sends its clients away, requests cancelled; the engine is its owner's to close.
    pub fn leave(self) {
        self.shared.stop.send_replace(true);
        self.shared.engine.listeners.remove(self.address);
        let shared = Arc::clone(&self.shared);
        self.runtime.block_on(async {
            let deadline = Instant::now() + CLOSE_TIMEOUT;
            while shared.open.load(Relaxed) > 0 && Instant::now() < deadline {
                sleep(Duration::from_millis(5)).await;
            }
        });
        drop(self.agent);
        drop(self.recorder);
        self.runtime.shutdown_timeout(Duration::from_secs(1));
    }

    /// Asks for SHUTDOWN and waits for its end.
    ///
    /// # Errors
    /// As [`Server::wait`].
    pub fn stop(self) -> Result<(), CheckpointError> {
        self.shared.engine.stop().request();
        self.wait()
    }
}

/// From the configuration, else the stored one, else a new one, which is given out once.
fn settle_password(config: &Config, engine: &Engine) -> Result<(Passwords, Option<String>), StartError> {
    if !config.server.sa_password.is_empty() {
        return Ok((Passwords::known(&config.server.sa_password), None));
    }
    let settings = engine.instance().settings();
    if let Some(hash) = settings.sa_hash() {
        return Ok((Passwords::stored(hash), None));
    }
    if !config.server.listen.ip().is_loopback() {
        return Err(StartError::OpenToNetwork(config.server.listen));
    }
    let password = password::generate()?;
    if config.server.data_dir.is_some() {
        settings.set_sa_hash(Some(password::hash(&password)?))?;
    }
    Ok((Passwords::known(&password), Some(password)))
}

/// A later start that is given no password has this one: the hash is stored, unless there is one already.
///
/// # Errors
/// [`StartError`]
pub fn remember_password(engine: &Engine, password: &str) -> Result<(), StartError> {
    let settings = engine.instance().settings();
    if settings.sa_hash().is_some() {
        return Ok(());
    }
    let hash = password::hash(password)?;
    // ALTER LOGIN may have been faster.
    if settings.sa_hash().is_none() {
        settings.set_sa_hash(Some(hash))?;
    }
    Ok(())
}

fn start_runtime(connections_max: usize) -> Result<Runtime, StartError> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(processors.min(IO_THREADS_MAX))
        // Every session may run a request at once, and a request may wait for another one's.
        .max_blocking_threads(connections_max + REFUSALS_MAX)
        .thread_stack_size(STACK_BYTES)
        .thread_name("millpond")
        .build()
        .map_err(StartError::Threads)
}

/// Listens, and takes clients.
fn begin_to_listen(
    runtime: &Runtime,
    wanted: SocketAddr,
    shared: &Arc<Shared>,
) -> Result<(SocketAddr, JoinHandle<()>), StartError> {
    let bind = || {
        let _inside = runtime.enter();
        let listener = listen(wanted)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let (listener, address) = bind().map_err(|source| StartError::Listen { address: wanted, source })?;
    shared.engine.listeners.add(Listener { address, since_us: shared.engine.now_us().1 });
    shared.engine.log_error(listening(address));
    Ok((address, runtime.spawn(accept(listener, Arc::clone(shared)))))
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    // Inherited by the accepted ones: a client that vanished without a word is noticed some day.
    socket.set_keepalive(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut stopping = shared.stopping();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|stopping| *stopping) => return,
        };
        match accepted {
            Ok((stream, peer)) => admit(stream, peer, &shared),
            Err(error) => {
                // Mostly: no file descriptor is free. Others will close.
                tracing::warn!(%error, "cannot accept a connection");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

fn admit(stream: TcpStream, peer: SocketAddr, shared: &Arc<Shared>) {
    shared.engine.counters.connections.fetch_add(1, Relaxed);
    let place = ConnectionSlot::take(shared);
    if place.number > shared.connections_max + REFUSALS_MAX {
        return;
    }
    if let Err(error) = stream.set_nodelay(true) {
        return tracing::debug!(%peer, %error, "closed before it began");
    }
    let is_full = place.number > shared.connections_max;
    tokio::spawn(async move {
        let shared = Arc::clone(&place.shared);
        connection::serve(stream, peer, shared, is_full).await;
        drop(place);
    });
}

/// A connection's place among those that are open.
struct ConnectionSlot {
    shared: Arc<Shared>,
    /// From 1, at its start.
    number: usize,
}

impl ConnectionSlot {
    fn take(shared: &Arc<Shared>) -> Self {
        Self { number: shared.open.fetch_add(1, Relaxed) + 1, shared: Arc::clone(shared) }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.shared.open.fetch_sub(1, Relaxed);
    }
}

async fn watch_killed(shared: Arc<Shared>) {
    let mut tick = interval(KILLED_INTERVAL);
    let mut stopping = shared.stopping();
    loop {
        tokio::select! {
            _ = tick.tick() => {
                shared.registry.wake_killed();
                shared.workers.look();
                shared.engine.workspace().give_back_idle();
            }
            _ = stopping.wait_for(|stopping| *stopping) => return,
        }
    }
}

/// A line to paste into a shell, a URL and a connection string.
#[must_use]
pub fn connection_lines(address: SocketAddr, password: Option<&str>) -> String {
    let ip = match address.ip() {
        ip if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        ip => ip,
    };
    let (port, password) = (address.port(), password.unwrap_or("<password>"));
    let url_host = SocketAddr::new(ip, port);
    format!(
        "  sqlcmd -C -S {ip},{port} -U sa -P {password}\n  \
         sqlserver://sa:{password}@{url_host}?trustServerCertificate=true\n  \
         Server={ip},{port};User Id=sa;Password={password};TrustServerCertificate=True\n"
    )
}
