//! `millpond top`: what a server does, live on a screen, once for a script, or as it was recorded.
//!
//! What always holds: the screen is for a terminal alone, and the terminal is given back as it was. What it shows and asks is
//! `millpond_top`'s; here are options, the connection, files and signals.

pub mod source;

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};
use std::time::Duration;

use clap::{Args, ValueEnum};
use millpond_top::app::{App, Feed};
use millpond_top::background::{self, Background, Connect};
use millpond_top::collect::collect;
use millpond_top::figures::SCREENS;
use millpond_top::interval::Interval;
use millpond_top::record::{self, Recorded};
use millpond_top::state::State;
use millpond_top::{live, once};
use tokio::signal::unix::SignalKind;

use crate::server_args::ServerArgs;
use crate::signals;
pub use source::Session;

const EXAMPLES: &str = "\
Examples:
  millpond top -S localhost -U sa
  millpond top -S db.example,1433 -U sa -C --record night.jsonl
  millpond top --replay night.jsonl
  millpond top -S localhost -U sa --once --seconds 5 --format json
  millpond top -S localhost -U sa --once --format csv --table sessions

Any SQL Server will do: it asks documented views alone, and what Millpond has beside them. Without VIEW SERVER STATE
it shows the login's own session, and names what was refused. Exit codes: 0; 1 when it cannot begin or go on;
2 for wrong options; 128 and its number for a signal.";

/// Shows what a server does, as it does it
///
/// Shows what a server does, as it does it: load and what it is bound by, sessions and who blocks whom, tempdb, files,
/// waits, operators of running statements, logs. ? shows the keys.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TopArgs {
    #[command(flatten)]
    server: ServerArgs,

    /// Seconds between samples
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = interval)]
    interval: f64,
    /// Appends each sample to FILE, a line of JSON each
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Shows the samples of FILE instead of a server's
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Without colours, as with NO_COLOR
    #[arg(long)]
    no_color: bool,

    /// Prints the figures of one interval and leaves
    #[arg(long, help_heading = "For scripts")]
    once: bool,
    /// Seconds of that interval
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = interval, requires = "once", help_heading = "For scripts")]
    seconds: f64,
    /// How they are printed
    #[arg(long, value_enum, default_value_t = Format::Table, requires = "once", help_heading = "For scripts")]
    format: Format,
    /// Which of them, for csv
    #[arg(long, value_name = "NAME", default_value = SCREENS[0], value_parser = SCREENS, requires = "once", help_heading = "For scripts")]
    table: String,
}

/// How figures are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// All of them, for eyes
    Table,
    /// All of them as one object
    Json,
    /// One table, with names in the first line
    Csv,
}

fn interval(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().map_err(|why| why.to_string())?;
    // What is asked takes some milliseconds of the server's time.
    if (0.1..=3600.0).contains(&seconds) { Ok(seconds) } else { Err("0.1 to 3600 seconds".to_owned()) }
}

/// Runs the command.
pub fn run(args: &TopArgs) -> ExitCode {
    let code = AtomicU8::new(0);
    let ended = if args.once { print(args) } else { show(args, &code) };
    match ended {
        Ok(()) => ExitCode::from(code.into_inner()),
        Err(why) => {
            eprintln!("millpond: {why}");
            ExitCode::FAILURE
        }
    }
}

/// One interval, on stdout.
fn print(args: &TopArgs) -> Result<(), String> {
    let interval = match &args.replay {
        Some(path) => {
            let recorded = recorded(path)?;
            let mut last = recorded.samples.iter().rev();
            let later = last.next().ok_or_else(|| format!("{}: there is no sample in it", path.display()))?;
            Interval::of(last.next().map(Arc::as_ref), Arc::clone(later))
        }
        None => {
            let mut source = Session::new(args.server.login()?.connect().map_err(|error| error.to_string())?);
            let mut file = args.record.as_deref().map(opened).transpose()?;
            let mut sample = || -> Result<_, String> {
                let sample = collect(&mut source)?;
                if let Some(file) = &mut file {
                    record::write(&sample, file).map_err(|why| format!("nothing is recorded: {why}"))?;
                }
                Ok(sample)
            };
            let earlier = sample()?;
            std::thread::sleep(Duration::from_secs_f64(args.seconds));
            Interval::of(Some(&earlier), Arc::new(sample()?))
        }
    };
    let text = match args.format {
        Format::Table => once::table(&interval),
        Format::Json => once::json(&interval),
        Format::Csv => once::csv(&interval, &args.table).ok_or("there is no such table")?,
    };
    match io::stdout().write_all(text.as_bytes()) {
        // Who has read enough of it closes the pipe.
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(why.to_string()),
        _ => Ok(()),
    }
}

/// The screen.
fn show(args: &TopArgs, code: &AtomicU8) -> Result<(), String> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err("the screen is for a terminal; --once prints the figures for a script".to_owned());
    }
    let has_no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let state = State { every_s: args.interval, colors: !args.no_color && !has_no_color, ..State::default() };
    let (app, background, damaged) = match &args.replay {
        Some(path) => {
            let recorded = recorded(path)?;
            let damaged = recorded.damaged.clone();
            (App::replay(state, recorded), None, damaged)
        }
        None => {
            let background = connected(args)?;
            (App::live(state), Some(background), Vec::new())
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let number = watch_signals(&stop)?;
    let ended = live::run(app, background.as_ref(), &stop);
    for (line, why) in damaged {
        eprintln!("millpond: line {line} of the record is damaged: {why}");
    }
    let number = number.load(SeqCst);
    if number > 0 {
        code.store(128 + number, SeqCst);
    }
    ended.map_err(|why| why.to_string())
}

/// The thread that takes samples, once it is connected: a wrong password is reported before the screen is there.
fn connected(args: &TopArgs) -> Result<Background, String> {
    let login = args.server.login()?;
    let connect: Connect = Box::new(move || {
        let remote = login.connect().map_err(|error| error.to_string())?;
        Ok(Box::new(Session::new(remote)))
    });
    let file = args.record.as_deref().map(opened).transpose()?;
    let record = file.map(|file| Box::new(file) as background::Record);
    let every = Duration::from_secs_f64(args.interval);
    let background =
        background::start(connect, every, record).map_err(|why| format!("no thread to ask with: {why}"))?;
    match background.feed.recv() {
        Ok(Feed::Refused(why)) => Err(why),
        Ok(_) => Ok(background),
        Err(_) => Err("the thread that asks the server has ended".to_owned()),
    }
}

/// Sets `stop` at a signal that ends processes; its number, once there was one.
fn watch_signals(stop: &Arc<AtomicBool>) -> Result<Arc<AtomicU8>, String> {
    let number = Arc::new(AtomicU8::new(0));
    let kinds = [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()];
    let failed = |why: io::Error| format!("signals cannot be watched: {why}");
    // Before there is a screen: a signal from here on finds it or its end.
    let (runtime, [mut hangup, mut interrupt, mut terminate]) = signals::caught(kinds).map_err(failed)?;
    let (stop, seen) = (Arc::clone(stop), Arc::clone(&number));
    let watch = move || {
        runtime.block_on(async {
            let which = tokio::select! {
                _ = hangup.recv() => 1,
                _ = interrupt.recv() => 2,
                _ = terminate.recv() => 15,
            };
            seen.store(which, SeqCst);
            stop.store(true, SeqCst);
        });
    };
    std::thread::Builder::new().spawn(watch).map_err(failed)?;
    Ok(number)
}

fn recorded(path: &Path) -> Result<Recorded, String> {
    let read = File::open(path).and_then(|file| record::read(BufReader::new(file)));
    read.map_err(|why| format!("{}: {why}", path.display()))
}

/// The file to append to. A line that a crash has left without an end gets one, so that it damages no other.
fn opened(path: &Path) -> Result<File, String> {
    let open = || -> io::Result<File> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(file)
    };
    open().map_err(|why| format!("{}: {why}", path.display()))
}
