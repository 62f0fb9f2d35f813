//! The binary called as `sqlservr`: the process of a container that stands where SQL Server's image stood.
//!
//! ```text
//!  environment, mssql.conf ─▶ settings ─▶ volume looked at ─▶ server, on a private port
//!      ─▶ first start alone: MSSQL_DB, MSSQL_USER, /docker-entrypoint-initdb.d ─▶ the clients' port ─▶ "ready", "Recovery is complete"
//! ```
//!
//! What always holds: the two lines that others wait for are written when clients find all that they are to find, and not
//! before. Each variable of SQL Server's image is heeded, or a line says that it does nothing. What cannot begin says why in the
//! log, on stdout, and ends with 1; SIGTERM ends with 0 after everything is written.

mod conf;
mod first;
mod health;
mod reap;
mod report;
mod scripts;
mod secret;
mod settings;
mod volume;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use millpond_server::{Config, Server, StartError, remember_password};
use tokio::signal::unix::{SignalKind, signal};

use crate::page;

use report::Report;
use settings::Settings;

const USAGE: &str = "\
usage: sqlservr [--accept-eula] [-T FLAG]   the server of a container, set up by its environment
       sqlservr --healthcheck               0 when a server of this environment takes clients, 1 when not
       sqlservr --version";

/// What cannot begin or go on, in words for the log.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    fn new(text: impl ToString) -> Failure {
        Failure(text.to_string())
    }
}

/// Runs the process; `arguments` without the program's name.
pub fn run(arguments: &[String]) -> ExitCode {
    let environment: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let mut notes = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--healthcheck" => return health::run(&environment),
            "--version" | "-v" => {
                println!("Millpond {}", env!("CARGO_PKG_VERSION"));
                return ExitCode::SUCCESS;
            }
            "--help" | "-?" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            "--accept-eula" => {
                notes.push("--accept-eula does nothing here: no licence asks to be accepted.".to_owned())
            }
            flag if flag.starts_with("-T") => {
                notes.push(format!("Trace flag {flag} does nothing at the start of Millpond."))
            }
            // The number of a trace flag that stands apart.
            number if number.parse::<u32>().is_ok() => {}
            other => {
                eprintln!("sqlservr: '{other}' is not known\n{USAGE}");
                return ExitCode::FAILURE;
            }
        }
    }
    let base = PathBuf::from(environment.get("MILLPOND_MSSQL_DIR").map_or("/var/opt/mssql", String::as_str));
    let report = Report::start(&settings::error_log(&environment, &base));
    report.line(&format!("Millpond {} ({})", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH));
    report.line(&format!("Server process ID is {}.", std::process::id()));
    let served = Settings::read(&environment, &base).and_then(|mut settings| {
        settings.notes.splice(0..0, notes);
        serve(&settings, &report)
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(text)) => {
            report.line(&text);
            ExitCode::FAILURE
        }
    }
}

fn serve(settings: &Settings, report: &Arc<Report>) -> Result<(), Failure> {
    settings.notes.iter().for_each(|note| report.line(note));
    let signals = EarlySignals::watch();
    let is_first = volume::prepare(settings, report)?;
    secret::check(settings.password.as_deref(), is_first, report)?;
    let plan = first::Plan::of(settings, is_first)?;
    plan.begin(settings, report)?;
    let mut config = configuration(settings);
    if plan.is_some() {
        // The clients' port stays closed until the scripts are done.
        config.server.listen = ([127, 0, 0, 1], 0).into();
    }
    let mut server = Server::start_unready(&config).map_err(of_start)?;
    report.follow(server.engine());
    server.stop_on_signals().map_err(|error| Failure(format!("cannot watch for signals: {error}")))?;
    signals.give_up();
    if let Some(password) = &settings.password {
        remember_password(server.engine(), password)
            .map_err(|error| Failure(format!("ERROR: the password of sa could not be stored: {error}")))?;
    }
    let done = plan.run(settings, &server, report);
    if server.engine().stop().is_requested() {
        // Not done, and not called done: the next start begins anew.
        return finish(server, report);
    }
    if let Err(failure) = done {
        server.stop().map_err(|error| Failure(format!("{failure}\nand not everything could be written: {error}")))?;
        return Err(failure);
    }
    plan.end(settings)?;
    if plan.is_some() {
        server.listen_at(settings.listen).map_err(of_start)?;
    }
    reap::begin();
    let page = match page::start(&config, &server) {
        Ok(page) => page,
        Err(error) => {
            let failure = format!("ERROR: the page: {error}");
            server
                .stop()
                .map_err(|error| Failure(format!("{failure}\nand not everything could be written: {error}")))?;
            return Err(Failure(failure));
        }
    };
    server.say_ready();
    if let Some(page) = &page {
        report.line(&format!("The page is at {}.", page::url(page.address())));
    }
    page::serve(page, &server);
    finish(server, report)
}

fn finish(server: Server, report: &Report) -> Result<(), Failure> {
    server.wait().map_err(|error| Failure(format!("not everything could be written at the end: {error}")))?;
    report.line("SQL Server shutdown has been completed: everything is written.");
    Ok(())
}

fn configuration(settings: &Settings) -> Config {
    let mut config = Config::default();
    config.server.data_dir = Some(settings.data.clone());
    config.server.default_data_dir.clone_from(&settings.data_files);
    config.server.default_log_dir.clone_from(&settings.log_files);
    config.server.default_backup_dir.clone_from(&settings.backups);
    config.server.collation = settings.collation.clone().unwrap_or_default();
    config.server.listen = settings.listen;
    config.server.max_server_memory_mb = settings.memory_limit_mb;
    config.server.agent = settings.agent;
    config.server.sa_password = settings.password.clone().unwrap_or_default();
    config.tls = settings.tls.clone();
    config.http = settings.http.clone();
    config
}

fn of_start(error: StartError) -> Failure {
    match error {
        StartError::OpenToNetwork(_) => Failure::new(secret::MISSING),
        other => Failure(format!("ERROR: {other}")),
    }
}

/// SIGTERM and Ctrl-C before the server heeds them: process 1 would not end by them otherwise. What is on the disk is
/// whole at any time.
struct EarlySignals(Arc<AtomicBool>);

impl EarlySignals {
    fn watch() -> EarlySignals {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        if let Ok(runtime) = runtime {
            std::thread::spawn(move || {
                runtime.block_on(async {
                    let (Ok(mut terminate), Ok(mut interrupt)) =
                        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
                    else {
                        return;
                    };
                    tokio::select! {
                        _ = terminate.recv() => {}
                        _ = interrupt.recv() => {}
                    }
                    if !seen.load(SeqCst) {
                        std::process::exit(0);
                    }
                });
            });
        }
        EarlySignals(is_over)
    }

    fn give_up(&self) {
        self.0.store(true, SeqCst);
    }
}
