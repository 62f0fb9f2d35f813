//! The watch of I/O: requests that take too long, and reads that succeeded only when they were tried again.
//!
//! ```text
//!   file ──begin──▶ running requests ◀──look── watcher, every second ──▶ events ──▶ listener (the error log)
//!     └───reads that failed at first ───────────────────────────────────────┘
//! ```
//!
//! What always holds: a request counts as slow once, when it has run for [`SLOW_US`], finished or not; a file is
//! reported at most once in [`PERIOD_US`]. Events without a listener are kept, the first 256 of them. Times are the
//! instance's clock's.

use crate::check;
use std::collections::VecDeque;
use std::sync::Arc;

use millpond_device::Clock;
use parking_lot::Mutex;

use crate::contract::{DbId, FileId};
use crate::file::write_rate::{LARGE_BYTES, WriteRate};

/// A request that takes longer is slow: 15 seconds, as SQL Server has it.
pub const SLOW_US: u64 = 15_000_000;
/// A file's slow requests are reported once in five minutes.
pub const PERIOD_US: u64 = 300_000_000;
/// Events that are kept until there is a listener.
const KEPT_MAX: usize = 256;

/// Something that the error log should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IoEvent {
    /// A read succeeded after it had failed (825).
    ReadAtLast {
        /// Database.
        db: DbId,
        /// File.
        file: FileId,
        /// Where it lies.
        device: Arc<str>,
        /// Place of the read.
        offset_bytes: u64,
        /// How often it failed.
        failures: u32,
        /// The first failure, in the system's words.
        error: String,
    },
    /// Requests took longer than [`SLOW_US`] (833).
    Slow {
        /// Database.
        db: DbId,
        /// File.
        file: FileId,
        /// Where it lies.
        device: Arc<str>,
        /// What was slow.
        slow: SlowIo,
    },
    /// The buffer pool extension.
    Extension {
        /// Its file.
        path: std::path::PathBuf,
        /// What happened.
        event: ExtensionEvent,
    },
}

/// What became of the buffer pool extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtensionEvent {
    /// Its file was made, or found at a start (857).
    Created {
        /// Size.
        size_mb: u64,
    },
    /// It was switched off, and its file deleted (867).
    Disabled,
    /// An I/O failed, and it is used no more (860).
    Failed {
        /// What was done, and the system's words.
        reason: String,
    },
}

/// Slow requests of a file since the last report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowIo {
    /// Requests.
    pub count: u64,
    /// Place of the last one.
    pub offset_bytes: u64,
    /// How long the longest one took, or runs already.
    pub longest_us: u64,
}

type Listener = Box<dyn Fn(&IoEvent) + Send + Sync>;

#[derive(Default)]
struct Events {
    kept: VecDeque<IoEvent>,
    listener: Option<Arc<Listener>>,
}

/// The events of an instance.
pub struct IoWatch {
    clock: Arc<dyn Clock>,
    events: Mutex<Events>,
}

impl std::fmt::Debug for IoWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IoWatch").finish_non_exhaustive()
    }
}

impl IoWatch {
    /// Nothing happened yet.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> IoWatch {
        IoWatch { clock, events: Mutex::default() }
    }

    /// Events go to `listener` from now on, those that were kept first.
    pub fn listen(&self, listener: impl Fn(&IoEvent) + Send + Sync + 'static) {
        let mut events = self.events.lock();
        events.kept.drain(..).for_each(|event| listener(&event));
        events.listener = Some(Arc::new(Box::new(listener)));
    }

    pub(crate) fn publish(&self, event: IoEvent) {
        let listener = {
            let mut events = self.events.lock();
            if events.listener.is_none() && events.kept.len() < KEPT_MAX {
                events.kept.push_back(event.clone());
            }
            check!(
                events.listener.is_none() || events.kept.is_empty(),
                "{} events are kept from their listener",
                events.kept.len()
            );
            events.listener.clone()
        };
        if let Some(listener) = listener {
            listener(&event);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Running {
    number: u64,
    offset_bytes: u64,
    begin_us: u64,
    is_slow: bool,
    /// Of a large write.
    large_bytes: Option<u64>,
}

#[derive(Debug, Default)]
struct Requests {
    running: Vec<Running>,
    next: u64,
    /// Slow ones that were not reported yet.
    slow: Option<SlowIo>,
    reported_us: Option<u64>,
    large_writes: WriteRate,
}

impl Requests {
    fn note_slow(&mut self, offset_bytes: u64, for_us: u64) {
        let slow = self.slow.get_or_insert(SlowIo { count: 0, offset_bytes, longest_us: 0 });
        slow.count += 1;
        slow.offset_bytes = offset_bytes;
        slow.longest_us = slow.longest_us.max(for_us);
    }
}

/// The requests of one file.
#[derive(Debug)]
pub struct FileWatch {
    watch: Arc<IoWatch>,
    db: DbId,
    file: FileId,
    requests: Mutex<Requests>,
}

/// A request that runs.
#[derive(Debug)]
pub struct Request<'a> {
    file: &'a FileWatch,
    number: u64,
}

impl FileWatch {
    /// Of a file of which nothing is asked yet.
    #[must_use]
    pub fn new(watch: Arc<IoWatch>, db: DbId, file: FileId) -> FileWatch {
        FileWatch { watch, db, file, requests: Mutex::default() }
    }

    /// A request begins; it ends with the value.
    pub fn begin(&self, offset_bytes: u64) -> Request<'_> {
        self.begin_of(offset_bytes, None)
    }

    /// The same for a write of so many bytes.
    pub fn begin_write(&self, offset_bytes: u64, bytes: u64) -> Request<'_> {
        self.begin_of(offset_bytes, (bytes >= LARGE_BYTES).then_some(bytes))
    }

    fn begin_of(&self, offset_bytes: u64, large_bytes: Option<u64>) -> Request<'_> {
        let begin_us = self.watch.clock.now_us();
        let mut requests = self.requests.lock();
        requests.next += 1;
        let number = requests.next;
        requests.running.push(Running { number, offset_bytes, begin_us, is_slow: false, large_bytes });
        if large_bytes.is_some() {
            requests.large_writes.begin(begin_us);
        }
        Request { file: self, number }
    }

    /// How fast large writes were.
    #[must_use]
    pub fn large_writes(&self) -> WriteRate {
        self.requests.lock().large_writes
    }

    /// Requests that run now.
    #[must_use]
    pub fn requests_now(&self) -> usize {
        self.requests.lock().running.len()
    }

    /// The report of slow requests, if there are any and it is time.
    pub(crate) fn look(&self) -> Option<SlowIo> {
        let now_us = self.watch.clock.now_us();
        let requests = &mut *self.requests.lock();
        let is_new = |request: &Running| !request.is_slow && now_us.saturating_sub(request.begin_us) >= SLOW_US;
        let new: Vec<Running> = requests.running.iter().filter(|request| is_new(request)).copied().collect();
        for request in new {
            requests.note_slow(request.offset_bytes, now_us - request.begin_us);
        }
        requests.running.iter_mut().filter(|request| is_new(request)).for_each(|request| request.is_slow = true);
        if requests.reported_us.is_some_and(|reported_us| now_us < reported_us + PERIOD_US) {
            return None;
        }
        let slow = requests.slow.take()?;
        requests.reported_us = Some(now_us);
        Some(slow)
    }

    pub(crate) fn read_at_last(&self, device: &Arc<str>, offset_bytes: u64, failures: u32, error: &str) {
        let (db, file, device, error) = (self.db, self.file, device.clone(), error.to_owned());
        self.watch.publish(IoEvent::ReadAtLast { db, file, device, offset_bytes, failures, error });
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        let now_us = self.file.watch.clock.now_us();
        let requests = &mut *self.file.requests.lock();
        let at = requests.running.iter().position(|request| request.number == self.number);
        let request = requests.running.swap_remove(at.expect("a request ends once"));
        if let Some(bytes) = request.large_bytes {
            requests.large_writes.end(now_us, bytes);
        }
        let for_us = now_us.saturating_sub(request.begin_us);
        check!(requests.running.iter().all(|other| other.number != self.number), "request {} runs twice", self.number);
        if for_us >= SLOW_US && !request.is_slow {
            requests.note_slow(request.offset_bytes, for_us);
        }
    }
}

#[cfg(test)]
mod tests {
    use millpond_device::ManualClock;

    use super::*;

    fn watched() -> (Arc<ManualClock>, FileWatch) {
        let clock = Arc::new(ManualClock::default());
        let watch = Arc::new(IoWatch::new(clock.clone()));
        (clock, FileWatch::new(watch, DbId(5), FileId(1)))
    }

    #[test]
    fn a_request_is_slow_once_and_a_file_is_reported_once_a_period() {
        let (clock, file) = watched();
        let first = file.begin(8192);
        clock.advance_us(SLOW_US - 1);
        assert_eq!(file.look(), None);
        clock.advance_us(1);
        assert_eq!(file.look(), Some(SlowIo { count: 1, offset_bytes: 8192, longest_us: SLOW_US }));
        clock.advance_us(SLOW_US);
        assert_eq!(file.look(), None, "reported already");
        drop(first);
        let (second, third) = (file.begin(1), file.begin(2));
        clock.advance_us(2 * SLOW_US);
        drop(second);
        assert_eq!((file.look(), file.requests_now()), (None, 1), "not in this period");
        clock.advance_us(PERIOD_US);
        let slow = file.look().unwrap();
        assert_eq!((slow.count, slow.longest_us), (2, 2 * SLOW_US), "one ended, one was seen");
        drop(third);
        clock.advance_us(PERIOD_US);
        assert_eq!((file.look(), file.requests_now()), (None, 0));
    }

    #[test]
    fn events_wait_for_a_listener() {
        let (_, file) = watched();
        file.read_at_last(&"d".into(), 0, 2, "refused");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        file.watch.listen(move |event| hears.lock().push(event.clone()));
        file.read_at_last(&"d".into(), 8192, 1, "refused");
        let offsets: Vec<u64> = heard
            .lock()
            .iter()
            .map(|event| match event {
                IoEvent::ReadAtLast { offset_bytes, .. } => *offset_bytes,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(offsets, [0, 8192]);
    }
}
