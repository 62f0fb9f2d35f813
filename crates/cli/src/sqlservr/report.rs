//! The log of the process: on stdout, where a container's log is, and in the file that SQL Server calls its error log.
//!
//! ```text
//!  2026-11-29 22:01:48.12 Server      SQL Server is now ready for client connections. …
//! ```
//!
//! What always holds: lines look as SQL Server's do; "Recovery is complete" comes after "ready for client connections", and
//! both come when that is true, since others wait for the one, the other or both. A log that cannot be written stops nobody.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::Local;
use millpond_engine::engine::Engine;
use millpond_engine::error_log::{LogLine, LogSource, LogStore};
use millpond_server::error_log_file::{ErrorLogFile, shown};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// "Recovery is complete."
const RECOVERED: i32 = 3408;
/// "SQL Server is now ready for client connections."
const READY: i32 = 17_126;

/// Where lines go.
pub struct Report {
    file: Arc<ErrorLogFile>,
    /// Comes after "ready".
    recovered: Mutex<Option<LogLine>>,
}

impl Report {
    /// Begins a log; the one before is kept beside it.
    pub fn start(path: &Path) -> Arc<Report> {
        let report = Arc::new(Report { file: ErrorLogFile::begin(path), recovered: Mutex::default() });
        let layer = ToReport(Arc::clone(&report));
        // Another one is installed already: that is fine.
        let _ = tracing_subscriber::registry().with(layer).try_init();
        report
    }

    /// Writes a text, each of its lines with time and source.
    pub fn line(&self, text: &str) {
        self.write(Local::now().naive_local().and_utc().timestamp_micros(), LogSource::Server, text);
    }

    /// Writes what the engine has logged, and what it logs from here on.
    pub fn follow(self: &Arc<Self>, engine: &Engine) {
        let report = Arc::clone(self);
        engine.error_log().keep_in(Arc::new(Files(Arc::clone(&self.file))));
        engine.error_log().listen(move |line| report.logged(line));
    }

    fn logged(&self, line: &LogLine) {
        let held = || self.recovered.lock().unwrap_or_else(PoisonError::into_inner);
        if line.number == RECOVERED {
            *held() = Some(line.clone());
            return;
        }
        let write = |line: &LogLine| line.texts().iter().for_each(|text| self.write(line.local_us, line.source, text));
        write(line);
        if line.number == READY
            && let Some(recovered) = held().take()
        {
            write(&LogLine { local_us: line.local_us, ..recovered });
        }
    }

    fn write(&self, local_us: i64, source: LogSource, text: &str) {
        let out = shown(local_us, source, text);
        let mut stdout = std::io::stdout().lock();
        // The reader of stdout is gone: clients are served all the same.
        let _ = stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush());
        self.file.write(local_us, source, text);
    }
}

/// The files, as the engine knows them: what it logs is written here, so that the order of the lines that others wait for is kept.
struct Files(Arc<ErrorLogFile>);

impl LogStore for Files {
    fn append(&self, _: &LogLine) {}

    fn cycle(&self) {
        self.0.cycle();
    }

    fn older(&self, log: usize) -> Vec<LogLine> {
        self.0.older(log)
    }

    fn older_count(&self) -> usize {
        self.0.older_count()
    }
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
