//! The server's error log: what nobody's statement is told. The last lines are kept for `sp_readerrorlog`; whoever runs the
//! server listens and writes them where he writes his own.

use std::collections::VecDeque;
use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_storage::file::io_watch::{ExtensionEvent, IoEvent};
use millpond_storage::file::watched_device::NO_DATABASE;
use parking_lot::Mutex;

/// Lines that are kept.
const KEPT_MAX: usize = 10_000;

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When, microseconds since 1970 local time.
    pub local_us: i64,
    /// Number of the message; 0: without one.
    pub number: i32,
    /// Its severity.
    pub severity: u8,
    /// Text.
    pub text: String,
}

type Listener = Arc<dyn Fn(&LogLine) + Send + Sync>;

#[derive(Default)]
struct Lines {
    kept: VecDeque<LogLine>,
    listener: Option<Listener>,
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

impl ErrorLog {
    /// Adds a line; the oldest one goes when there are too many.
    pub fn add(&self, line: LogLine) {
        let listener = {
            let mut lines = self.lines.lock();
            if lines.kept.len() == KEPT_MAX {
                lines.kept.pop_front();
            }
            lines.kept.push_back(line.clone());
            lines.listener.clone()
        };
        if let Some(listener) = listener {
            listener(&line);
        }
    }

    /// Lines go to `listener` too from now on; those that are there already go first.
    pub fn listen(&self, listener: impl Fn(&LogLine) + Send + Sync + 'static) {
        let mut lines = self.lines.lock();
        lines.kept.iter().for_each(&listener);
        lines.listener = Some(Arc::new(listener));
    }

    /// The lines that are kept, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<LogLine> {
        self.lines.lock().kept.iter().cloned().collect()
    }
}

/// A database whose recovery failed, and the ways out.
pub(crate) fn of_suspect(name: &str, reason: &str) -> String {
    format!(
        "An error occurred during recovery, preventing the database '{name}' from restarting: {reason}. Restore it from a backup; without one, ALTER DATABASE … SET EMERGENCY and DBCC CHECKDB (…, REPAIR_ALLOW_DATA_LOSS) open it with what can be read of its log."
    )
}

fn of_extension(path: &str, event: &ExtensionEvent) -> (i32, u8, String) {
    match event {
        ExtensionEvent::Created { size_mb } => (
            857,
            10,
            format!("Buffer pool extension \"{path}\" has been initialized successfully with size is {size_mb} MB."),
        ),
        ExtensionEvent::Disabled => (
            867,
            10,
            format!("Buffer pool extension has been disabled successfully. Deleting buffer pool extension \"{path}\"."),
        ),
        ExtensionEvent::Failed { reason } => (
            860,
            10,
            format!("Attempting to access buffer pool extension \"{path}\" failed: {reason}. It is not used any more."),
        ),
    }
}

/// Whose file it is: a database's, or the server's own.
fn place_of(db: DbId, name_of: &dyn Fn(DbId) -> String) -> String {
    match db == NO_DATABASE {
        true => "no database".to_owned(),
        false => format!("database [{}] ({db})", name_of(db)),
    }
}

/// An event of I/O as a line of the log: number, severity and text. `name_of` knows what databases are called.
pub(crate) fn of_io(event: &IoEvent, name_of: &dyn Fn(DbId) -> String) -> (i32, u8, String) {
    match event {
        IoEvent::ReadAtLast { device, offset_bytes, failures, error, .. } => (
            825,
            10,
            format!(
                "A read of the file '{device}' at offset {offset_bytes:#018x} succeeded after failing {failures} time(s) with error: {error}. Additional messages in the SQL Server error log and operating system error log may provide more detail. This error condition threatens database integrity and must be corrected. Complete a full database consistency check (DBCC CHECKDB). This error can be caused by many factors; for more information, see SQL Server Books Online."
            ),
        ),
        IoEvent::Extension { path, event } => of_extension(&path.display().to_string(), event),
        IoEvent::Slow { db, device, slow, .. } => (
            833,
            10,
            format!(
                "SQL Server has encountered {} occurrence(s) of I/O requests taking longer than 15 seconds to complete on file [{device}] in {}.  The OS file handle is 0x0000000000000000.  The offset of the latest long I/O is: {:#018x}.  The duration of the long I/O is: {} ms.",
                slow.count,
                place_of(*db, name_of),
                slow.offset_bytes,
                slow.longest_us / 1000
            ),
        ),
    }
}
