//! The server's error log: what no statement is sent. The last lines are kept for `sp_readerrorlog`; the program
//! around the engine listens and writes them to its own log, which is one whatever `sp_cycle_errorlog` does here.
//!
//! What always holds: where the log is kept in files ([`LogStore`]), each line is in the file before anybody else hears of it, and older
//! logs are those of the files, of earlier starts too; a store that fails loses lines of its own and stops nobody.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_message::INFORMATION_MAX;
use millpond_message::error::SqlError;
use millpond_storage::contract::DbId;
use millpond_storage::file::io_watch::{ExtensionEvent, IoEvent};
use millpond_storage::file::watched_device::NO_DATABASE;
use parking_lot::Mutex;

/// Lines that are kept.
const KEPT_MAX: usize = 10_000;

/// Who has something to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogSource {
    /// The server.
    #[default]
    Server,
    /// Whoever lets clients in.
    Logon,
    /// What makes and reads backups.
    Backup,
    /// A session, by its number.
    Session(u16),
}

impl LogSource {
    /// Who speaks of an error of this number without a session.
    fn of(number: i32) -> LogSource {
        match number {
            17_800..=17_899 | 18_400..=18_499 => LogSource::Logon,
            18_264..=18_275 => LogSource::Backup,
            _ => LogSource::Server,
        }
    }
}

impl std::fmt::Display for LogSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LogSource::Server => f.pad("Server"),
            LogSource::Logon => f.pad("Logon"),
            LogSource::Backup => f.pad("Backup"),
            LogSource::Session(id) => f.pad(&format!("spid{id}")),
        }
    }
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When, microseconds since 1970 local time.
    pub local_us: i64,
    /// Number of the message; 0: without one.
    pub number: i32,
    /// Its severity.
    pub severity: u8,
    /// Its state.
    pub state: u8,
    /// Text.
    pub text: String,
    /// The database that it is of; master for what is the server's.
    pub database: DbId,
    /// Who says it.
    pub source: LogSource,
}

impl LogLine {
    /// An error, or a message that only informs.
    #[must_use]
    pub fn of(local_us: i64, error: SqlError) -> LogLine {
        let SqlError { number, severity, state, text, .. } = error;
        LogLine { local_us, number, severity, state, text, database: DbId::MASTER, source: LogSource::of(number) }
    }

    /// A text that only informs.
    #[must_use]
    pub fn plain(local_us: i64, source: LogSource, text: String) -> LogLine {
        LogLine { local_us, number: 0, severity: INFORMATION_MAX, state: 0, text, database: DbId::MASTER, source }
    }

    /// What is read of it: an error has a line of its number before its text.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let head = (self.number != 0 && self.severity > INFORMATION_MAX)
            .then(|| format!("Error: {}, Severity: {}, State: {}.", self.number, self.severity, self.state));
        head.into_iter().chain(self.text.lines().map(str::to_owned)).collect()
    }
}

/// Files of the log.
pub trait LogStore: Send + Sync {
    /// Adds a line to the log that is written.
    fn append(&self, line: &LogLine);
    /// Begins another one; the oldest goes when there are too many.
    fn cycle(&self);
    /// The lines of an older one: 1 is the one before.
    fn older(&self, log: usize) -> Vec<LogLine>;
    /// How many older ones there are.
    fn older_count(&self) -> usize;
}

type Listener = Arc<dyn Fn(&LogLine) + Send + Sync>;

/// Older logs that are kept when another one begins, in memory and in files.
pub const ARCHIVES_MAX: usize = 6;

#[derive(Default)]
struct Lines {
    kept: VecDeque<LogLine>,
    /// Older logs, the last one first.
    archives: VecDeque<VecDeque<LogLine>>,
    listener: Option<Listener>,
    /// The Agent's.
    watcher: Option<Listener>,
    store: Option<Arc<dyn LogStore>>,
}

/// The log.
#[derive(Default)]
pub struct ErrorLog {
    lines: Mutex<Lines>,
}

impl std::fmt::Debug for ErrorLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ErrorLog").field("lines", &self.lines.lock().kept.len()).finish()
    }
}

/// A text without signs that are no text; lines stay lines.
fn readable(text: &str) -> String {
    let turns = |sign: char| matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_kept = |sign: char| matches!(sign, '\n' | '\t') || !sign.is_control() && !turns(sign);
    let is_line_end = |sign: char| matches!(sign, '\u{2028}' | '\u{2029}');
    text.replace("\r\n", "\n")
        .chars()
        .map(|sign| if is_kept(sign) && !is_line_end(sign) { sign } else { '·' })
        .collect()
}

impl ErrorLog {
    /// Adds a line; the oldest one goes when there are too many.
    /// What would move the cursor of a reader's terminal, or turn the direction of its text, is a dot in its place: names in lines are
    /// those of clients that are not logged in yet.
    pub fn add(&self, line: LogLine) {
        let line = LogLine { text: readable(&line.text), ..line };
        let listeners = {
            let mut lines = self.lines.lock();
            if lines.kept.len() == KEPT_MAX {
                lines.kept.pop_front();
            }
            lines.kept.push_back(line.clone());
            if let Some(store) = &lines.store {
                store.append(&line);
            }
            [lines.listener.clone(), lines.watcher.clone()]
        };
        for listener in listeners.into_iter().flatten() {
            listener(&line);
        }
    }

    /// Lines go to `watcher` too from now on, in the place of the one before.
    pub fn watch(&self, watcher: impl Fn(&LogLine) + Send + Sync + 'static) {
        self.lines.lock().watcher = Some(Arc::new(watcher));
    }

    /// Lines go to `listener` too from now on; those that are there already go first.
    pub fn listen(&self, listener: impl Fn(&LogLine) + Send + Sync + 'static) {
        let mut lines = self.lines.lock();
        lines.kept.iter().for_each(&listener);
        lines.listener = Some(Arc::new(listener));
    }

    /// Lines are in files too from now on; those that are there already go first.
    pub fn keep_in(&self, store: Arc<dyn LogStore>) {
        let mut lines = self.lines.lock();
        lines.kept.iter().for_each(|line| store.append(line));
        lines.store = Some(store);
    }

    /// The lines that are kept, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<LogLine> {
        self.lines.lock().kept.iter().cloned().collect()
    }

    /// Another log begins; the lines so far are those of an older one, and the oldest goes when there are too many.
    pub fn cycle(&self) {
        let mut lines = self.lines.lock();
        let kept = std::mem::take(&mut lines.kept);
        if let Some(store) = &lines.store {
            store.cycle();
            return;
        }
        lines.archives.push_front(kept);
        lines.archives.truncate(ARCHIVES_MAX);
    }

    /// The lines of a log: 0 is the one that is written, 1 the one before it.
    #[must_use]
    pub fn lines_of(&self, log: usize) -> Vec<LogLine> {
        let lines = self.lines.lock();
        if let Some(store) = lines.store.as_ref().filter(|_| log > 0) {
            return store.older(log);
        }
        let wanted = if log == 0 { Some(&lines.kept) } else { lines.archives.get(log - 1) };
        wanted.map(|lines| lines.iter().cloned().collect()).unwrap_or_default()
    }

    /// How many logs there are.
    #[must_use]
    pub fn count(&self) -> usize {
        let lines = self.lines.lock();
        1 + lines.store.as_ref().map_or(lines.archives.len(), |store| store.older_count())
    }
}

/// A database whose recovery failed, and the ways out.
pub(crate) fn of_suspect(name: &str, reason: &str) -> SqlError {
    let ways_out = "Restore it from a backup; without one, ALTER DATABASE … SET EMERGENCY and DBCC CHECKDB (…, REPAIR_ALLOW_DATA_LOSS) open it with what can be read of its log";
    SqlError::of(3414, 1, &[&name, &reason, &ways_out])
}

fn of_extension(path: &str, event: &ExtensionEvent) -> SqlError {
    match event {
        ExtensionEvent::Created { size_mb } => SqlError::of(857, 1, &[&path, size_mb]),
        ExtensionEvent::Disabled => SqlError::of(867, 1, &[&path]),
        ExtensionEvent::Failed { reason } => SqlError::of(860, 1, &[&path, reason]),
    }
}

/// Whose file it is: a database's, or the server's own.
fn place_of(db: DbId, name_of: &dyn Fn(DbId) -> String) -> String {
    match db == NO_DATABASE {
        true => "no database".to_owned(),
        false => format!("database [{}] ({db})", name_of(db)),
    }
}

/// An event of I/O as the log has it. `name_of` knows what databases are called.
pub(crate) fn of_io(event: &IoEvent, name_of: &dyn Fn(DbId) -> String) -> SqlError {
    match event {
        IoEvent::ReadAtLast { device, offset_bytes, failures, error, .. } => {
            SqlError::of(825, 1, &[device, &format_args!("{offset_bytes:#018x}"), failures, error])
        }
        IoEvent::Extension { path, event } => of_extension(&path.display().to_string(), event),
        IoEvent::Slow { db, device, slow, .. } => {
            let (place, offset) = (place_of(*db, name_of), format!("{:#018x}", slow.offset_bytes));
            SqlError::of(833, 1, &[&slow.count, device, &place, &offset, &(slow.longest_us / 1000)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_lines_move_no_cursor() {
        let log = ErrorLog::default();
        log.add(LogLine::plain(0, LogSource::Logon, "user 'a\u{1b}[2J\u{202e}\u{85}\rb\u{2028}'\r\nnext\tone".into()));
        let lines = log.lines();
        assert_eq!(lines[0].text, "user 'a·[2J···b·'\nnext\tone");
        assert_eq!(lines[0].texts().len(), 2);
    }
}
