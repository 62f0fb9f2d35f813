//! `millpond serve`: the server in the foreground, until SHUTDOWN, Ctrl-C or SIGTERM.
//!
//! What always holds: the command line wins over `millpond.toml`, `MSSQL_SA_PASSWORD` over both; a generated password is
//! shown on stdout once, and no other is shown or logged. Logs go to stderr. The page, where one is wanted, begins when clients are
//! served and ends before the databases close.

mod page;

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use millpond_page::Page;
use millpond_server::config::{TEMPLATE, TlsMode};
use millpond_server::{Config, ConfigError, Server, StartError, connection_lines, remember_password};
use tracing_subscriber::EnvFilter;

use crate::notify::{READY, STOPPING, notify};

/// Read when `--config` is not given and it is there.
const CONFIG_FILE: &str = "millpond.toml";
/// As `mssql-conf`'s network.forceencryption: clients without TLS are refused.
const FORCE_VARIABLE: &str = "MSSQL_FORCE_ENCRYPTION";
/// Names of the environment variable that container users know, newest first.
const PASSWORD_VARIABLES: [&str; 2] = ["MSSQL_SA_PASSWORD", "SA_PASSWORD"];
/// What is logged unless RUST_LOG says otherwise.
const LOG_FILTER: &str = "info";

/// Listen for clients that speak TDS.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ServeArgs {
    /// Directory of the databases; without it everything is in memory
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Address and port, or one of them, as :1434; *:1433 is all networks [default: 127.0.0.1:1433]
    #[arg(long, value_name = "ADDR:PORT", value_parser = millpond_server::address::parse)]
    listen: Option<SocketAddr>,
    /// Configuration [default: millpond.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port of the page in a browser, /metrics and /healthz [default: none]
    #[arg(long, value_name = "ADDR:PORT")]
    http: Option<SocketAddr>,
    /// Folder of experiments' reports that the page shows
    #[arg(long, value_name = "DIR")]
    reports: Option<PathBuf>,
    /// Print a commented millpond.toml with all defaults, and end
    #[arg(long)]
    print_config: bool,
}

const AFTER_HELP: &str = "\
The password of sa is that of MSSQL_SA_PASSWORD, else of the configuration, else the stored one. Without any, one is \
generated and shown once, and clients are served on loopback only. RUST_LOG filters what is logged (debug, info, warn).";

/// Why the command ended before its time.
#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Page(#[from] millpond_page::StartError),
    #[error("cannot watch for signals: {0}")]
    Signals(std::io::Error),
    #[error("not everything could be written at the end: {0}")]
    Close(String),
}

/// Runs the command.
pub fn run(args: ServeArgs) -> ExitCode {
    if args.print_config {
        print!("{TEMPLATE}");
        return ExitCode::SUCCESS;
    }
    start_log();
    match serve(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("millpond: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start_log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOG_FILTER));
    let log = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal());
    // Another one is installed already: that is fine.
    let _ = log.try_init();
}

fn serve(args: ServeArgs) -> Result<(), ServeError> {
    let config = configuration(args)?;
    let server = Server::start(&config)?;
    server.stop_on_signals().map_err(ServeError::Signals)?;
    let page = match page::start(&config, &server) {
        Ok(page) => page,
        Err(error) => {
            // What is open is closed as at any end.
            if let Err(error) = server.stop() {
                tracing::warn!("not everything could be written at the end: {error}");
            }
            return Err(error.into());
        }
    };
    // A closed standard output ends no server: clients connect to the port.
    let mut stdout = std::io::stdout();
    let text = greeting(&config, &server, page.as_ref().map(Page::address));
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        tracing::warn!("the standard output is closed: the addresses and the login were not written: {error}");
    }
    notify(READY);
    let is_given = config.server.data_dir.is_some() && !config.server.sa_password.is_empty();
    // Hashing takes longer than a start.
    let remembering = is_given.then(|| {
        let (engine, password) = (Arc::clone(server.engine()), config.server.sa_password.clone());
        std::thread::spawn(move || {
            if let Err(error) = remember_password(&engine, &password) {
                tracing::warn!("a later start will not know the password of sa: {error}");
            }
        })
    });
    let engine = Arc::clone(server.engine());
    // Ends with the server.
    std::thread::spawn(move || {
        engine.stop().wait();
        notify(STOPPING);
    });
    if let Some(page) = page {
        server.engine().stop().wait();
        page.stop();
    }
    let ended = server.wait().map_err(|error| ServeError::Close(error.to_string()));
    if let Some(remembering) = remembering {
        let _ = remembering.join();
    }
    ended
}

/// The file, then the command line, then the environment.
fn configuration(args: ServeArgs) -> Result<Config, ConfigError> {
    let found = Path::new(CONFIG_FILE).exists().then(|| CONFIG_FILE.into());
    let mut config = match args.config.or(found) {
        Some(path) => Config::load(&path)?,
        None => Config::default(),
    };
    if args.data.is_some() {
        config.server.data_dir = args.data;
    }
    if let Some(listen) = args.listen {
        config.server.listen = listen;
    }
    if args.http.is_some() {
        config.http.listen = args.http;
    }
    if let Some(reports) = args.reports {
        config.http.reports = reports;
    }
    let passwords = PASSWORD_VARIABLES.iter().filter_map(std::env::var_os);
    let given = passwords.filter_map(|password| password.into_string().ok());
    if let Some(password) = given.into_iter().find(|password| !password.is_empty()) {
        config.server.sa_password = password;
    }
    if std::env::var(FORCE_VARIABLE).is_ok_and(|value| matches!(value.trim(), "1" | "true" | "yes")) {
        config.tls.mode = TlsMode::Required;
    }
    Ok(config)
}

/// What a person or a script needs to connect.
fn greeting(config: &Config, server: &Server, page: Option<SocketAddr>) -> String {
    let data = config.server.data_dir.as_ref();
    let data = data.map_or("in memory".into(), |dir| dir.display().to_string());
    let tls = match (config.tls.mode, config.tls.certificate.as_os_str().is_empty()) {
        (TlsMode::Off, _) => "off",
        (TlsMode::Offered, true) => "offered, self-signed certificate",
        (TlsMode::Offered, false) => "offered",
        (TlsMode::Required, true) => "required, self-signed certificate",
        (TlsMode::Required, false) => "required",
    };
    let password = server.generated_password();
    let login = password.map_or(String::new(), |password| {
        format!("  login   sa, password {password} (made for you; shown this once)\n")
    });
    let page = page.map_or(String::new(), |address| format!("  page    {}\n", page::url(address)));
    format!(
        "millpond {}\n  data    {data}\n  listen  {}\n  TLS     {tls}\n{page}{login}connect with\n{}",
        env!("CARGO_PKG_VERSION"),
        server.address(),
        connection_lines(server.address(), password)
    )
}
