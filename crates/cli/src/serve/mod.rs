//! `millpond serve`: the server in the foreground, until SHUTDOWN, Ctrl-C or SIGTERM.
//!
//! What always holds: the command line wins over `millpond.toml`, `MSSQL_SA_PASSWORD` over both; a generated password is
//! shown on stdout once, and no other is shown or logged. Logs go to stderr, and with a data directory to the error log in it, which
//! has what kept a start from succeeding too.
//! The page, where one is wanted, begins when clients are served and ends before the databases close.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::Local;
use clap::{Args, ValueEnum};
use millpond_engine::engine::Engine;
use millpond_engine::error_log::LogSource;
use millpond_page::Page;
use millpond_server::config::{TEMPLATE, TlsMode};
use millpond_server::error_log_file::ErrorLogFile;
use millpond_server::{Config, ConfigError, Server, StartError, connection_lines, remember_password};
use millpond_top::harmless::leaves_its_place;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::log_json::ToJson;
use crate::notify::{READY, STOPPING, notify};
use crate::page;

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
    /// How the log on stderr looks
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// Does not record what the server does in its data directory
    #[arg(long)]
    no_history: bool,
    /// Address and port of the page in a browser, /metrics and /healthz, or one of them [default: none]
    #[arg(long, value_name = "ADDR:PORT", value_parser = millpond_server::address::parse_page)]
    http: Option<SocketAddr>,
    /// Folder of experiments' reports that the page shows
    #[arg(long, value_name = "DIR")]
    reports: Option<PathBuf>,
    /// Print a commented millpond.toml with all defaults, and end
    #[arg(long)]
    print_config: bool,
}

/// How the log looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Lines for people
    Text,
    /// A line of JSON for each event
    Json,
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
    let begun = Instant::now();
    start_log(args.log_format);
    match serve(args, begun) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("millpond: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOG_FILTER));
    if format == LogFormat::Json {
        // Another one is installed already: that is fine.
        let _ = tracing_subscriber::registry().with(filter).with(ToJson).try_init();
        return;
    }
    // What clients say stands in lines of the log: it begins none, and moves no cursor.
    let fields = debug_fn(|out, field, value| match (field.name(), one_line(&format!("{value:?}"))) {
        ("message", text) => write!(out, "{text}"),
        (name, text) => write!(out, "{name}={text}"),
    });
    let log = tracing_subscriber::fmt()
        .fmt_fields(fields.delimited(" "))
        .with_writer(std::io::stderr)
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal());
    // Another one is installed already: that is fine.
    let _ = log.try_init();
}

/// A text with the signs escaped that would end its line, move the cursor or turn the direction.
fn one_line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, sign| {
        if leaves_its_place(sign) {
            out.extend(sign.escape_default())
        } else {
            out.push(sign)
        }
        out
    })
}

fn serve(args: ServeArgs, begun: Instant) -> Result<(), ServeError> {
    let config = configuration(args)?;
    let log = config.server.data_dir.as_deref().map(begin_error_log);
    let started = Server::start(&config);
    if let (Some(log), Err(error)) = (&log, &started) {
        log.write(local_us(), LogSource::Server, &format!("The server did not start: {error}"));
    }
    let server = started?;
    if let Some(log) = log {
        for text in settings_that_differ(server.engine()) {
            log.write(local_us(), LogSource::Server, &text);
        }
        server.engine().error_log().keep_in(log);
    }
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
    let text = greeting(&config, &server, page.as_ref().map(Page::address), begun.elapsed());
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
    page::serve(page, &server);
    let ended = server.wait().map_err(|error| ServeError::Close(error.to_string()));
    if let Some(remembering) = remembering {
        let _ = remembering.join();
    }
    ended
}

/// The error log, with what is known before anything is opened.
fn begin_error_log(data: &Path) -> Arc<ErrorLogFile> {
    let log = ErrorLogFile::begin(&data.join("log/errorlog"));
    let own = [
        format!("Millpond {} ({})", env!("MILLPOND_VERSION"), std::env::consts::ARCH),
        format!("Server process ID is {}.", std::process::id()),
        format!("Logging SQL Server messages in file '{}'.", log.path().display()),
    ];
    own.iter().for_each(|text| log.write(local_us(), LogSource::Server, text));
    log
}

/// Options of sp_configure that are not what a new server has.
fn settings_that_differ(engine: &Engine) -> Vec<String> {
    let options = engine.instance().settings().options();
    let differs = options.iter().filter(|option| option.running != option.info.default);
    differs
        .map(|option| {
            format!(
                "Configuration option '{}' is {}; the default is {}.",
                option.info.name, option.running, option.info.default
            )
        })
        .collect()
}

/// Microseconds since 1970 local time.
fn local_us() -> i64 {
    Local::now().naive_local().and_utc().timestamp_micros()
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
    if args.no_history {
        config.server.history = false;
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
fn greeting(config: &Config, server: &Server, page: Option<SocketAddr>, took: Duration) -> String {
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
        "millpond {}, ready in {} ms\n  data    {data}\n  memory  {} MB at most\n  listen  {}\n  TLS     {tls}\n{page}{login}connect with\n{}",
        env!("CARGO_PKG_VERSION"),
        took.as_millis(),
        server.engine().instance().memory_max_bytes() >> 20,
        server.address(),
        connection_lines(server.address(), password)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_say_stays_on_its_line() {
        assert_eq!(one_line("user 'a\n2026 ERROR\u{1b}[2J\u{202e}é漢'"), "user 'a\\n2026 ERROR\\u{1b}[2J\\u{202e}é漢'");
    }
}
