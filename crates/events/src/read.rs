//! Files of events, read: which of them a path means, and the records of each from an offset on.
//!
//! What always holds: of a file that was cut in the midst of a record what is whole before it is read; what is no file of events, or is
//! damaged, ends there and reads no further. A record is never longer than its file, so damage asks for no memory that is not there.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::file::HEADER;
use crate::predicate::is_like;

/// A record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Where it begins.
    pub offset: u64,
    /// When, microseconds of UTC since 1970.
    pub utc_us: i64,
    /// The event.
    pub event: String,
    /// Its package.
    pub package: String,
    /// Its element.
    pub xml: String,
}

/// The files that a path means, whose last part may have `*` and `?`: oldest first where they are of one name.
///
/// # Errors
/// That of the folder.
pub fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(['*', '?']) {
        return Ok(if path.is_file() { vec![path.to_path_buf()] } else { Vec::new() });
    }
    let pattern = name.replace('[', "[[]").replace('%', "[%]").replace('_', "[_]").replace('*', "%").replace('?', "_");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let known = entry.file_name().to_string_lossy().into_owned();
        if is_like(&known.to_lowercase(), &pattern.to_lowercase()) && entry.path().is_file() {
            found.push((key_of(&known), entry.path()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The name without its time, and the time as a number: files of one name follow each other by it.
fn key_of(name: &str) -> (String, u64) {
    let stem = name.strip_suffix(".xel").unwrap_or(name);
    match stem.rsplit_once('_').and_then(|(base, time)| Some((base, time.parse().ok()?))) {
        Some((base, time)) => (base.to_owned(), time),
        None => (name.to_owned(), 0),
    }
}

/// The records of a file, one by one.
pub struct Records {
    file: BufReader<fs::File>,
    at: u64,
    left: u64,
}

/// Opens a file; `None` for one that is none of events.
///
/// # Errors
/// That of the system.
pub fn records(path: &Path) -> io::Result<Option<Records>> {
    let file = fs::File::open(path)?;
    let len = file.metadata()?.len();
    let mut file = BufReader::new(file);
    let mut header = vec![0; HEADER.len()];
    match file.read_exact(&mut header) {
        Ok(()) if header == HEADER.as_bytes() => {}
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
        _ => return Ok(None),
    }
    let at = HEADER.len() as u64;
    Ok(Some(Records { file, at, left: len.saturating_sub(at) }))
}

/// Bytes of a line of numbers at most.
const LINE_BYTES_MAX: u64 = 256;

impl Iterator for Records {
    type Item = FileRecord;

    fn next(&mut self) -> Option<FileRecord> {
        let mut line = Vec::new();
        (&mut self.file).take(LINE_BYTES_MAX).read_until(b'\n', &mut line).ok()?;
        let mut parts = std::str::from_utf8(&line).ok()?.strip_suffix('\n')?.split(' ');
        let len: u64 = parts.next()?.parse().ok()?;
        let utc_us = parts.next()?.parse().ok()?;
        let (event, package) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let whole = line.len() as u64 + len.checked_add(1)?;
        if whole > self.left {
            return None;
        }
        let mut xml = vec![0; usize::try_from(len).ok()? + 1];
        self.file.read_exact(&mut xml).ok()?;
        if xml.pop() != Some(b'\n') {
            return None;
        }
        let xml = String::from_utf8(xml).ok()?;
        let offset = self.at;
        self.at += whole;
        self.left -= whole;
        Some(FileRecord { offset, utc_us, event, package, xml })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::definition::{SessionOptions, TargetKind};
    use crate::file::{FileError, FileTarget, Place};
    use crate::object::{Named, find_event};
    use crate::record::Record;
    use crate::value::Value;

    fn record(text: &str) -> Arc<Record> {
        let event = find_event(Named { package: None, object: "sql_batch_starting" }).unwrap();
        Arc::new(Record { event, utc_us: 5, fields: Box::new([Some(Value::text(text))]), actions: Box::new([]) })
    }

    fn target(place: &Place, name: &str, bytes_max: Option<u64>, files_max: Option<usize>) -> FileTarget {
        let files = place.files(name, bytes_max, files_max).unwrap();
        FileTarget::start(files, &SessionOptions { latency_s: 0, ..SessionOptions::default() }, "s").unwrap()
    }

    fn texts(paths: &[PathBuf]) -> Vec<String> {
        let of = |path: &PathBuf| records(path).unwrap().unwrap().map(|record| record.xml).collect::<Vec<_>>();
        paths.iter().flat_map(of).collect()
    }

    #[test]
    fn what_is_written_is_read_over_several_files_and_the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place { folder: Some(dir.path().to_path_buf()) };
        let file = target(&place, "mine.xel", Some(600), Some(3));
        for number in 0..20 {
            let record = record(&format!("{number}\n<\"'> {}", "x".repeat(100)));
            assert!(file.push(Arc::clone(&record), record.bytes()));
        }
        file.flush();
        assert_eq!((file.logged(), file.lost(), file.pending_bytes()), (20, 0, 0));
        let found = files(&dir.path().join("MINE*.xel")).unwrap();
        assert_eq!(found.len(), 3);
        let all = texts(&found);
        assert!(all.last().unwrap().contains(">19\n&lt;"), "{all:?}");
        assert!(all.len() < 12, "{}", all.len());
        drop(file);
        assert!(files(&dir.path().join("other*.xel")).unwrap().is_empty());
    }

    #[test]
    fn a_record_that_was_cut_is_ignored_at_every_byte() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place { folder: Some(dir.path().to_path_buf()) };
        let file = target(&place, "torn", None, None);
        for text in ["one", "two"] {
            file.push(record(text), 1);
        }
        drop(file);
        let path = files(&dir.path().join("torn*")).unwrap().remove(0);
        let bytes = fs::read(&path).unwrap();
        let second = records(&path).unwrap().unwrap().nth(1).unwrap().offset as usize;
        for len in HEADER.len()..bytes.len() {
            fs::write(&path, &bytes[..len]).unwrap();
            let found = texts(std::slice::from_ref(&path));
            assert_eq!(found.len(), usize::from(len >= second), "{len} of {}", bytes.len());
        }
        fs::write(&path, "something else").unwrap();
        assert!(records(&path).unwrap().is_none());
    }

    #[test]
    fn what_has_no_room_is_refused_and_a_folder_that_is_not_there_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place { folder: Some(dir.path().to_path_buf()) };
        let file = target(&place, "small", None, None);
        let most = SessionOptions::default().memory_max_bytes;
        // Less than a third: the writer is not woken, as there is no latency.
        assert!(file.push(record("a"), most / 4));
        assert!(!file.push(record("b"), most));
        drop(file);
        assert_eq!(texts(&files(&dir.path().join("small*")).unwrap()).len(), 1);
        let files = place.files(&dir.path().join("none/x").to_string_lossy(), None, None).unwrap();
        let failed = FileTarget::start(files, &SessionOptions::default(), "s");
        assert!(matches!(failed, Err(FileError::Io { .. })));
        assert!(matches!(Place::default().path("x.xel"), Err(FileError::NoFolder)));
        assert!(cfg!(windows) || matches!(place.path(r"C:\x.xel"), Err(FileError::Drive(_))));
        assert!(!matches!(TargetKind::Counter, TargetKind::File { .. }));
    }
}
