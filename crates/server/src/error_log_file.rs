//! The error log as files, where SQL Server has it and as it looks there: `errorlog` is the one that is written, `errorlog.1` to `.6`
//! are those before it.
//!
//! ```text
//!  2026-11-30 17:51:25.12 Logon       Error: 18456, Severity: 14, State: 8.
//!  2026-11-30 17:51:25.12 Logon       Login failed for user 'sa'. Reason: … [CLIENT: 127.0.0.1]
//! ```
//! What always holds: a line of the file is a line of a message, each with time and source; times are local, in hundredths. Files are
//! UTF-8, as SQL Server writes them on Linux; UTF-16 with a byte order mark is read too. Only the owner and the group read them. A log
//! that cannot be written stops nobody.

use std::fmt::Write as _;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_engine::error_log::{ARCHIVES_MAX, LogLine, LogSource, LogStore};
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

/// `2026-11-30 17:51:25.12`
const TIME_BYTES: usize = 22;
/// Columns of the source.
const SOURCE_COLUMNS: usize = 12;
/// Of an archive, so much is read at most, from its end.
const READ_MAX_BYTES: usize = 64 << 20;
const DIRECTORY_MODE: u32 = 0o750;
const FILE_MODE: u32 = 0o640;

/// The files of a log.
#[derive(Debug)]
pub struct ErrorLogFile {
    path: PathBuf,
    file: Mutex<Option<File>>,
}

impl ErrorLogFile {
    /// Begins a log at `path`; the one before is kept beside it.
    #[must_use]
    pub fn begin(path: &Path) -> Arc<ErrorLogFile> {
        Arc::new(ErrorLogFile { path: path.to_owned(), file: Mutex::new(begin_file(path)) })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a text; `local_us` is microseconds since 1970 local time.
    pub fn write(&self, local_us: i64, source: LogSource, text: &str) {
        self.put(&shown(local_us, source, text));
    }

    fn put(&self, text: &str) {
        if let Some(file) = &mut *self.file.lock() {
            // The disk may be full: the server goes on.
            let _ = file.write_all(text.as_bytes());
        }
    }
}

impl LogStore for ErrorLogFile {
    fn append(&self, line: &LogLine) {
        self.put(&line.texts().iter().map(|text| shown(line.local_us, line.source, text)).collect::<String>());
    }

    fn cycle(&self) {
        *self.file.lock() = begin_file(&self.path);
    }

    fn older(&self, log: usize) -> Vec<LogLine> {
        let wanted = (1..=ARCHIVES_MAX).contains(&log);
        let bytes = if wanted { std::fs::read(numbered(&self.path, log)) } else { Ok(Vec::new()) };
        text_of(&bytes.unwrap_or_default()).lines().map(parsed).collect()
    }

    fn older_count(&self) -> usize {
        (1..=ARCHIVES_MAX).take_while(|number| numbered(&self.path, *number).exists()).count()
    }
}

/// A text as the file has it, with a line end after each of its lines.
#[must_use]
pub fn shown(local_us: i64, source: LogSource, text: &str) -> String {
    let time = to_display(&Value::DateTime2(datetime2_of_unix_us(local_us)), &SqlType::DateTime2 { scale: 2 });
    let mut out = String::new();
    for line in text.lines() {
        let _ = writeln!(out, "{time} {source:<SOURCE_COLUMNS$}{line}");
    }
    out
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    match number {
        0 => path.to_path_buf(),
        _ => PathBuf::from(format!("{}.{number}", path.display())),
    }
}

/// A new file; `errorlog` becomes `errorlog.1`, and so on.
fn begin_file(path: &Path) -> Option<File> {
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path.parent()?).ok()?;
    for number in (0..ARCHIVES_MAX).rev() {
        // There are not that many yet.
        let _ = std::fs::rename(numbered(path, number), numbered(path, number + 1));
    }
    OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(path).ok()
}

fn text_of(bytes: &[u8]) -> String {
    let bytes = &bytes[bytes.len().saturating_sub(READ_MAX_BYTES)..];
    match bytes {
        [0xFF, 0xFE, rest @ ..] => {
            let units = rest.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
            char::decode_utf16(units).map(|sign| sign.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A line of a file; one without a time is the text of a message that others wrote.
fn parsed(line: &str) -> LogLine {
    let parts =
        line.split_at_checked(TIME_BYTES).and_then(|(time, rest)| Some((local_us(time)?, rest.strip_prefix(' ')?)));
    let Some((local_us, rest)) = parts else { return LogLine::plain(0, LogSource::Server, line.to_owned()) };
    let (source, text) = rest.split_at_checked(SOURCE_COLUMNS).unwrap_or((rest, ""));
    let session = source.trim().strip_prefix("spid").map(|id| id.trim_end_matches('s').parse());
    let source = match (source.trim(), session) {
        (_, Some(Ok(id))) => LogSource::Session(id),
        ("Logon", _) => LogSource::Logon,
        ("Backup", _) => LogSource::Backup,
        _ => LogSource::Server,
    };
    LogLine::plain(local_us, source, text.to_owned())
}

/// Of `2026-11-30 17:51:25.12`.
fn local_us(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second, hundredth) = (number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 22)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day) && &text[10..11] == " " && &text[19..20] == ".";
    let s = days_of(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    is_date.then_some(s * 1_000_000 + hundredth * 10_000)
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, whose years are counted from March so that leap days are last.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-30 17:51:25.12
    const US: i64 = 1_796_061_085_120_000;

    fn texts(lines: &[LogLine]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let text = shown(US, LogSource::Session(53), "one\ntwo");
        assert_eq!(text, "2026-11-30 17:51:25.12 spid53      one\n2026-11-30 17:51:25.12 spid53      two\n");
        let line = parsed(text.lines().next_back().expect("two lines"));
        assert_eq!((line.local_us, line.source, line.text.as_str()), (US, LogSource::Session(53), "two"));
        for odd in [
            "",
            "2026-11-30",
            "no time at all, but long enough",
            "2026-13-30 17:51:25.12 Server      x",
            "ääääääääääääääää",
        ] {
            assert_eq!((parsed(odd).local_us, parsed(odd).text.as_str()), (0, odd));
        }
        assert_eq!(local_us("1970-01-01 00:00:00.00"), Some(0));
        assert_eq!(local_us("2024-02-29 00:00:00.00"), Some(19_782 * 86_400_000_000));
    }

    #[test]
    fn six_older_logs_are_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("log/errorlog");
        for start in 0..9 {
            let log = ErrorLogFile::begin(&path);
            log.append(&LogLine::plain(US, LogSource::Logon, format!("start {start}")));
            assert_eq!(log.older_count(), start.min(ARCHIVES_MAX));
        }
        let log = ErrorLogFile::begin(&path);
        assert_eq!(texts(&log.older(1)), ["start 8"]);
        assert_eq!(texts(&log.older(6)), ["start 3"]);
        assert!(log.older(0).is_empty() && log.older(7).is_empty());
        log.cycle();
        assert_eq!(texts(&log.older(2)), ["start 8"]);
        assert!(log.older(1).is_empty());
    }

    #[test]
    fn logs_of_windows_are_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("errorlog");
        let log = ErrorLogFile::begin(&path);
        let text = shown(US, LogSource::Server, "größer");
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        std::fs::write(numbered(&path, 1), [&[0xFF, 0xFE][..], &units].concat()).expect("written");
        assert_eq!(texts(&log.older(1)), ["größer"]);
    }

    #[test]
    fn a_log_that_cannot_be_written_stops_nobody() {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::write(dir.path().join("file"), "").expect("written");
        let log = ErrorLogFile::begin(&dir.path().join("file/errorlog"));
        log.write(US, LogSource::Server, "nobody reads it");
        assert_eq!(log.older_count(), 0);
    }
}
