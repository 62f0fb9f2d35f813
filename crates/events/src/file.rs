//! The target `event_file`: a queue in memory, a thread that writes it, files that follow each other.
//!
//! ```text
//!   MILLPOND EVENTS 1\n
//!   <bytes of the XML> <microseconds of UTC> <event> <package>\n
//!   <event …>…</event>\n
//!   …
//! ```
//! The offset of an event is where its line of numbers begins. Names are `name_0_<time>.xel`; the time is a FILETIME, and grows.
//!
//! What always holds: an event is pushed without waiting; one for which the session's memory has no room is refused. A file ends with a
//! whole record after each write: what was written in part is cut off, or the file is given up and the next one begins. After the
//! target is dropped all that was pushed is in the files, or counted as lost.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::{Condvar, Mutex};

use crate::definition::SessionOptions;
use crate::record::Record;

/// What a file begins with.
pub const HEADER: &str = "MILLPOND EVENTS 1\n";
/// How long a reader waits until what was pushed before is written.
const FLUSH_PATIENCE: Duration = Duration::from_secs(5);
/// 100 ns between 1601 and 1970.
const FILETIME_OF_1970: u64 = 116_444_736_000_000_000;

/// Why files cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// There is no folder for names without one: the instance is in memory.
    #[error("the server has no folder of logs")]
    NoFolder,
    /// The path is none of this system.
    #[error("{0}: the path has a drive, which this system has not")]
    Drive(String),
    /// The system said so.
    #[error("{path}: {error}")]
    Io {
        /// Of what.
        path: String,
        /// What.
        error: io::Error,
    },
}

/// Where files without a folder are.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The folder of the error log; none for an instance in memory.
    pub folder: Option<PathBuf>,
}

/// The files of a target.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    /// The folder is the server's own, and made where it is not there.
    is_own_folder: bool,
    /// The name without number and ending.
    base: String,
    bytes_max: Option<u64>,
    files_max: Option<usize>,
}

impl Place {
    /// A path of a user as this system has it: one without a folder is below the folder of logs.
    ///
    /// # Errors
    /// [`FileError`]
    pub fn path(&self, said: &str) -> Result<PathBuf, FileError> {
        let mut start = said.chars();
        let has_drive = start.next().is_some_and(|c| c.is_ascii_alphabetic()) && start.next() == Some(':');
        if has_drive && !cfg!(windows) {
            return Err(FileError::Drive(said.to_owned()));
        }
        let path = Path::new(said);
        if path.is_absolute() {
            return Ok(path.to_path_buf());
        }
        Ok(self.folder.as_ref().ok_or(FileError::NoFolder)?.join(path))
    }

    pub(crate) fn files(
        &self,
        filename: &str,
        bytes_max: Option<u64>,
        files_max: Option<usize>,
    ) -> Result<Files, FileError> {
        let path = self.path(filename)?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let has_ending =
            name.len() > 4 && name[name.floor_char_boundary(name.len() - 4)..].eq_ignore_ascii_case(".xel");
        let base = if has_ending { name[..name.len() - 4].to_owned() } else { name };
        let is_own_folder = self.folder.as_ref() == Some(&folder);
        Ok(Files { folder, is_own_folder, base, bytes_max, files_max })
    }
}

impl Files {
    /// Makes the next file, and removes the oldest of the name that are too many.
    fn next(&self) -> Result<Open, FileError> {
        let said = |path: &Path, error| FileError::Io { path: path.to_string_lossy().into_owned(), error };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut time = FILETIME_OF_1970 + u64::try_from(since.as_nanos() / 100).unwrap_or(0);
        let known = self.known();
        if let Some((last, _)) = known.last() {
            time = time.max(last + 1);
        }
        let path = self.folder.join(format!("{}_0_{time}.xel", self.base));
        if self.is_own_folder {
            fs::create_dir_all(&self.folder).map_err(|error| said(&self.folder, error))?;
        }
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| said(&path, error))?;
        file.write_all(HEADER.as_bytes()).map_err(|error| said(&path, error))?;
        if let Some(most) = self.files_max {
            for (_, old) in &known[..(known.len() + 1).saturating_sub(most.max(1))] {
                // What cannot be removed is tried again with the next file.
                let _ = fs::remove_file(old);
            }
        }
        Ok(Open { file, path, bytes: HEADER.len() as u64 })
    }

    /// The files of the name by their times, oldest first.
    fn known(&self) -> Vec<(u64, PathBuf)> {
        let time_of = |name: &str| -> Option<u64> {
            name.strip_prefix(&self.base)?.strip_prefix("_0_")?.strip_suffix(".xel")?.parse().ok()
        };
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut known: Vec<(u64, PathBuf)> =
            entries.filter_map(|entry| Some((time_of(&entry.file_name().to_string_lossy())?, entry.path()))).collect();
        known.sort();
        known
    }
}

#[derive(Debug)]
struct Open {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl Open {
    /// Adds whole records; a write in part is undone.
    fn append(&mut self, text: &[u8]) -> io::Result<()> {
        match self.file.write_all(text) {
            Ok(()) => {
                self.bytes += text.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.file.set_len(self.bytes)?;
                io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.bytes))?;
                Err(error)
            }
        }
    }
}

/// The target.
#[derive(Debug)]
pub struct FileTarget {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    wake_writer: Condvar,
    written: Condvar,
    /// Bytes that wait at most.
    bytes_max: usize,
    latency: Option<Duration>,
    logged: AtomicU64,
    lost: AtomicU64,
    current: Mutex<PathBuf>,
}

#[derive(Debug, Default)]
struct Queue {
    records: VecDeque<Arc<Record>>,
    bytes: usize,
    is_closed: bool,
    /// Numbers of flushes: asked for, and done.
    asked: u64,
    done: u64,
}

impl FileTarget {
    /// Makes the first file and begins to write.
    pub(crate) fn start(files: Files, options: &SessionOptions, name: &str) -> Result<FileTarget, FileError> {
        let open = if options.makes_files_late { None } else { Some(files.next()?) };
        let first =
            open.as_ref().map_or_else(|| files.folder.join(format!("{}.xel", files.base)), |open| open.path.clone());
        let latency = (options.latency_s > 0).then(|| Duration::from_secs(u64::from(options.latency_s)));
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            wake_writer: Condvar::new(),
            written: Condvar::new(),
            bytes_max: options.memory_max_bytes.max(options.event_max_bytes),
            latency,
            logged: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            current: Mutex::new(first.clone()),
        });
        let writers = Arc::clone(&shared);
        let path = first.to_string_lossy().into_owned();
        let thread = std::thread::Builder::new().name(format!("events {}", name.chars().take(8).collect::<String>()));
        let writer = thread.spawn(move || write_until_closed(&writers, &files, open));
        let writer = writer.map_err(|error| FileError::Io { path, error })?;
        Ok(FileTarget { shared, writer: Some(writer) })
    }

    /// Takes an event; not where it has no room.
    pub(crate) fn push(&self, record: Arc<Record>, bytes: usize) -> bool {
        let mut queue = self.shared.queue.lock();
        if queue.is_closed || (queue.bytes > 0 && queue.bytes + bytes > self.shared.bytes_max) {
            return false;
        }
        queue.bytes += bytes;
        queue.records.push_back(record);
        // A third of the memory is what SQL Server's buffers have.
        if queue.bytes >= self.shared.bytes_max / 3 {
            self.shared.wake_writer.notify_one();
        }
        true
    }

    /// Waits until what was pushed before is written, some seconds at most.
    pub fn flush(&self) {
        let until = Instant::now() + FLUSH_PATIENCE;
        let mut queue = self.shared.queue.lock();
        queue.asked += 1;
        let mine = queue.asked;
        self.shared.wake_writer.notify_one();
        while queue.done < mine {
            if self.shared.written.wait_until(&mut queue, until).timed_out() {
                return;
            }
        }
    }

    /// Bytes that wait.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.shared.queue.lock().bytes
    }

    /// Events that are written.
    #[must_use]
    pub fn logged(&self) -> u64 {
        self.shared.logged.load(Relaxed)
    }

    /// Events that could not be written.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Relaxed)
    }

    /// What `target_data` shows.
    #[must_use]
    pub fn document(&self) -> String {
        let (logged, lost) = (self.logged(), self.lost());
        let mut out =
            format!("<EventFileTarget truncated=\"0\"><Buffers logged=\"{logged}\" dropped=\"{lost}\"/><File name=\"");
        let path = self.shared.current.lock().to_string_lossy().into_owned();
        millpond_xml::write::escape_attribute(&path, &mut out);
        out.push_str("\"/></EventFileTarget>");
        out
    }
}

impl Drop for FileTarget {
    fn drop(&mut self) {
        self.shared.queue.lock().is_closed = true;
        self.shared.wake_writer.notify_one();
        if let Some(writer) = self.writer.take() {
            // A writer that has panicked has written what it could.
            let _ = writer.join();
        }
    }
}

fn write_until_closed(shared: &Shared, files: &Files, mut open: Option<Open>) {
    loop {
        let (records, bytes, asked, is_closed) = {
            let mut queue = shared.queue.lock();
            let is_due =
                |queue: &Queue| queue.is_closed || queue.asked > queue.done || queue.bytes >= shared.bytes_max / 3;
            match shared.latency {
                Some(latency) if !is_due(&queue) => drop(shared.wake_writer.wait_for(&mut queue, latency)),
                None if !is_due(&queue) => shared.wake_writer.wait(&mut queue),
                _ => {}
            }
            // Their memory is free only when they are written.
            (std::mem::take(&mut queue.records), queue.bytes, queue.asked, queue.is_closed)
        };
        write_all(shared, files, &mut open, &records);
        let mut queue = shared.queue.lock();
        queue.bytes -= bytes;
        queue.done = queue.done.max(asked);
        shared.written.notify_all();
        if is_closed && queue.records.is_empty() {
            return;
        }
    }
}

fn write_all(shared: &Shared, files: &Files, open: &mut Option<Open>, records: &VecDeque<Arc<Record>>) {
    for record in records {
        let (xml, event) = (record.xml(), record.event);
        let text = format!("{} {} {} {}\n{xml}\n", xml.len(), record.utc_us, event.name, event.package.name());
        let is_full = |open: &Open| {
            files
                .bytes_max
                .is_some_and(|most| open.bytes + text.len() as u64 > most && open.bytes > HEADER.len() as u64)
        };
        if open.as_ref().is_none_or(is_full) {
            match files.next() {
                Ok(next) => {
                    shared.current.lock().clone_from(&next.path);
                    *open = Some(next);
                }
                // The old one takes more than it should: that loses nothing.
                Err(_) if open.is_some() => {}
                Err(_) => {
                    shared.lost.fetch_add(1, Relaxed);
                    continue;
                }
            }
        }
        let Some(file) = open else { continue };
        match file.append(text.as_bytes()) {
            Ok(()) => shared.logged.fetch_add(1, Relaxed),
            Err(_) => {
                // What may end in the midst of a record is not written any more.
                if file.file.metadata().map_or(true, |known| known.len() != file.bytes) {
                    *open = None;
                }
                shared.lost.fetch_add(1, Relaxed)
            }
        };
    }
}
