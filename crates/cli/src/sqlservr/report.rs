//! The log of the process: on stdout, where a container's log is, and in the file that SQL Server calls its error log.
//!
//! ```text
//!  2026-11-29 22:01:48.12 Server      SQL Server is now ready for client connections. …
//! ```
//!
//! What always holds: lines look as SQL Server's do; "Recovery is complete" comes after "ready for client connections", and
//! both come when that is true, since others wait for the one, the other or both. A log that cannot be written stops nobody.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Local, NaiveDateTime};
use millpond_engine::engine::Engine;
use millpond_engine::error_log::LogLine;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// "Recovery is complete."
const RECOVERED: i32 = 3408;
/// "SQL Server is now ready for client connections."
const READY: i32 = 17_126;
const SEVERITY_INFORMS_MAX: u8 = 10;
/// Older files that are kept, as SQL Server does.
const ARCHIVES_MAX: u32 = 6;

/// Where lines go.
pub struct Report {
    file: Mutex<Option<File>>,
    /// Comes after "ready".
    recovered: Mutex<Option<LogLine>>,
}

impl Report {
    /// Begins a log; the one before is kept beside it.
    pub fn start(path: &Path) -> Arc<Report> {
        let report = Arc::new(Report { file: Mutex::new(begin_file(path)), recovered: Mutex::default() });
        let layer = ToReport(Arc::clone(&report));
        // Another one is installed already: that is fine.
        let _ = tracing_subscriber::registry().with(layer).try_init();
        report
    }

    /// Writes a text, each of its lines with time and source.
    pub fn line(&self, text: &str) {
        self.write(Local::now().naive_local(), text);
    }

    /// Writes what the engine has logged, and what it logs from here on.
    pub fn follow(self: &Arc<Self>, engine: &Engine) {
        let report = Arc::clone(self);
        engine.error_log().listen(move |line| report.logged(line));
    }

    fn logged(&self, line: &LogLine) {
        let held = || self.recovered.lock().unwrap_or_else(PoisonError::into_inner);
        if line.number == RECOVERED {
            *held() = Some(line.clone());
            return;
        }
        let at = |line: &LogLine| DateTime::from_timestamp_micros(line.local_us).unwrap_or_default().naive_utc();
        if line.severity > SEVERITY_INFORMS_MAX && line.number != 0 {
            let LogLine { number, severity, state, .. } = line;
            self.write(at(line), &format!("Error: {number}, Severity: {severity}, State: {state}."));
        }
        self.write(at(line), &line.text);
        if line.number == READY
            && let Some(recovered) = held().take()
        {
            self.write(at(line), &recovered.text);
        }
    }

    fn write(&self, at: NaiveDateTime, text: &str) {
        let time = at.format("%Y-%m-%d %H:%M:%S%.3f").to_string();
        let mut out = String::new();
        for line in text.lines() {
            // Hundredths, as SQL Server writes them.
            let _ = writeln!(out, "{} {:<12}{line}", &time[..time.len() - 1], "Server");
        }
        let mut stdout = std::io::stdout().lock();
        // Nobody reads: clients are served all the same.
        let _ = stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush());
        if let Some(file) = &mut *self.file.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = file.write_all(out.as_bytes());
        }
    }
}

/// A new file; `errorlog` becomes `errorlog.1`, and so on.
fn begin_file(path: &Path) -> Option<File> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    let numbered = |number: u32| match number {
        0 => path.to_path_buf(),
        _ => PathBuf::from(format!("{}.{number}", path.display())),
    };
    for number in (0..ARCHIVES_MAX).rev() {
        // There are not that many yet.
        let _ = std::fs::rename(numbered(number), numbered(number + 1));
    }
    File::create(path).ok()
}

/// What the program says of itself; lines of the engine's log come by [`Report::follow`].
struct ToReport(Arc<Report>);

impl<S: Subscriber> Layer<S> for ToReport {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() > Level::INFO {
            return;
        }
        let mut said = Said::default();
        event.record(&mut said);
        if !said.is_of_engine {
            self.0.line(&said.text);
        }
    }
}

#[derive(Default)]
struct Said {
    text: String,
    is_of_engine: bool,
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        match field.name() {
            "message" => {
                let _ = write!(self.text, "{value:?}");
            }
            "number" => self.is_of_engine = true,
            name => {
                let _ = write!(self.text, " {name}={value:?}");
            }
        }
    }
}
