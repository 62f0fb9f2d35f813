//! The asker, and what its calls cost: it is passed down every call as [`Ask`], so that each wait, page and byte is
//! charged to a session, a statement and an object. There are no globals and no thread-local contexts.
//!
//! All counters are relaxed atomics: they are exact when their session is at rest and near enough while it runs.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::thread::Thread;

use parking_lot::Mutex;

use crate::check;
use crate::contract::{SessionId, WriteReason};
use crate::progress::Progress;

/// Page and byte counts of some scope (a session, a statement, one table within a statement).
#[derive(Debug, Default)]
pub struct IoCount {
    /// Pages asked for.
    pub logical_reads: AtomicU64,
    /// Pages read from a file because they were asked for.
    pub physical_reads: AtomicU64,
    /// Pages read ahead.
    pub read_ahead_reads: AtomicU64,
    /// Pages that became dirty.
    pub pages_dirtied: AtomicU64,
    /// Scans begun.
    pub scans: AtomicU64,
}

/// Writes and bytes by [`WriteReason`].
#[derive(Debug, Default)]
pub struct WriteCount {
    /// I/Os.
    pub writes: [AtomicU64; WriteReason::ALL.len()],
    /// Bytes.
    pub bytes: [AtomicU64; WriteReason::ALL.len()],
}

impl WriteCount {
    /// Adds one write.
    pub fn add(&self, reason: WriteReason, bytes: u64) {
        self.writes[reason as usize].fetch_add(1, Relaxed);
        self.bytes[reason as usize].fetch_add(bytes, Relaxed);
    }

    /// All writes, whatever their reasons.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.writes.iter().map(|count| count.load(Relaxed)).sum()
    }
}

/// How long a task's threads have waited for what slows queries down, microseconds.
#[derive(Debug, Default)]
pub struct WaitTimes {
    /// For reads and writes of tempdb's files, and for frames for its pages.
    pub tempdb_us: AtomicU64,
    /// For reads and writes of files of other databases.
    pub data_us: AtomicU64,
    /// For memory: a grant, or frames for pages of other databases.
    pub memory_us: AtomicU64,
    /// For locks; how often, and how long. No statement is judged by them.
    pub locks: AtomicU64,
    /// See `locks`.
    pub locks_us: AtomicU64,
}

/// The finished waits of a task in one way; times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeWaits {
    /// Number of the wait's type ([`crate::wait::WaitType::number`]).
    pub number: u32,
    /// How many.
    pub waits: u64,
    /// How long, signal time included.
    pub wait_us: u64,
    /// The longest one.
    pub max_us: u64,
    /// From the signal until the waiter ran.
    pub signal_us: u64,
}

/// The finished waits of one task, by type: most tasks wait in a few ways.
#[derive(Debug, Default)]
pub struct TaskWaits(Mutex<Vec<TypeWaits>>);

impl TaskWaits {
    /// Another wait has ended.
    pub(crate) fn add(&self, number: u32, wait_us: u64, signal_us: u64) {
        let mut rows = self.0.lock();
        let place = rows.iter().position(|row| row.number == number).unwrap_or_else(|| {
            rows.push(TypeWaits { number, waits: 0, wait_us: 0, max_us: 0, signal_us: 0 });
            rows.len() - 1
        });
        let row = &mut rows[place];
        row.waits += 1;
        row.wait_us += wait_us;
        row.max_us = row.max_us.max(wait_us);
        row.signal_us += signal_us;
    }

    /// What was waited for, in the order in which it came first.
    #[must_use]
    pub fn report(&self) -> Vec<TypeWaits> {
        self.0.lock().clone()
    }

    /// The session begins anew.
    pub fn clear(&self) {
        self.0.lock().clear();
    }
}

/// One worker's running work: shared by the session that runs it, the views that show it and the session that cancels
/// it.
#[derive(Debug, Default)]
pub struct Task {
    /// Session.
    pub session: SessionId,
    cancelled: AtomicBool,
    /// Totals of the session.
    pub io: IoCount,
    /// What the session's own calls wrote (growth, eager, log …); lazy writes belong to session 0 but are also charged
    /// to the owner of the page where that is known.
    pub writes: WriteCount,
    /// Bytes of records in logs that the session's transactions made.
    pub log_bytes: AtomicU64,
    /// Finished waits of the session that its statements are judged by.
    pub waits: WaitTimes,
    /// All finished waits of the session, by type.
    pub waits_by_type: TaskWaits,
    /// What the task waits for now: 0, or wait type number + 1 ([`crate::wait::WaitType`]).
    pub wait_type: AtomicU32,
    /// The last wait's type, as above.
    pub last_wait_type: AtomicU32,
    /// Since when, in microseconds of the instance's clock.
    pub wait_start_us: AtomicU64,
    /// The page waited for ([`crate::contract::PageId::to_bits`]), or 0.
    pub wait_resource: AtomicU64,
    /// What is waited for when it is no page.
    pub(crate) wait_text: Mutex<Option<String>>,
    /// What its statement has done of work that is measured.
    pub progress: Progress,
    /// Threads to wake when the task is cancelled.
    sleepers: Mutex<Vec<Thread>>,
}

/// While it lives, [`Task::cancel`] unparks the thread that made it.
#[must_use = "the thread is woken as long as this lives"]
#[derive(Debug)]
pub struct CancelWakes<'a>(&'a Task);

impl Drop for CancelWakes<'_> {
    fn drop(&mut self) {
        let me = std::thread::current().id();
        let sleepers = &mut *self.0.sleepers.lock();
        check!(sleepers.iter().any(|thread| thread.id() == me), "a thread that would be woken is not known");
        if let Some(at) = sleepers.iter().position(|thread| thread.id() == me) {
            sleepers.swap_remove(at);
        }
    }
}

impl Task {
    /// The task of a session.
    #[must_use]
    pub fn new(session: SessionId) -> Task {
        Task { session, ..Task::default() }
    }

    /// Asks the task to stop at its next check.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
        self.sleepers.lock().iter().for_each(Thread::unpark);
    }

    /// Before this thread parks: a cancel from now on wakes it. One that came before is seen by
    /// [`Task::is_cancelled`], which is to be asked after this call.
    pub fn wake_on_cancel(&self) -> CancelWakes<'_> {
        self.sleepers.lock().push(std::thread::current());
        CancelWakes(self)
    }

    /// What the task waits for, when it is a lock: in the form of `wait_resource`.
    #[must_use]
    pub fn wait_text(&self) -> Option<String> {
        self.wait_text.lock().clone()
    }

    /// Forgets an earlier [`Task::cancel`].
    pub fn clear_cancel(&self) {
        self.cancelled.store(false, Relaxed);
    }

    /// The flag that [`Task::cancel`] raises, for work that knows no tasks.
    #[must_use]
    pub fn cancel_flag(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Whether the task should stop.
    #[inline]
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }
}

/// The asker of one call.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Whose work it is.
    pub task: &'a Task,
    /// What to charge pages to, beside the task.
    pub object: &'a IoCount,
    /// May have the last extents of a database ([`Ask::with_reserve`]).
    pub(crate) may_use_reserve: bool,
}

impl<'a> Ask<'a> {
    /// Charges `object` too.
    #[must_use]
    pub fn new(task: &'a Task, object: &'a IoCount) -> Ask<'a> {
        Ask { task, object, may_use_reserve: false }
    }

    /// The same asker for work that makes room, and for the catalog: it may have the extents that a full database keeps for
    /// such work ([`crate::space::SpaceManager`], S7).
    #[must_use]
    pub fn with_reserve(self) -> Ask<'a> {
        Ask { may_use_reserve: true, ..self }
    }

    /// Counts a page that was asked for.
    pub fn count_logical_read(&self) {
        self.count_logical_reads(1);
    }

    /// Counts pages that were asked for.
    pub fn count_logical_reads(&self, pages: u64) {
        self.task.io.logical_reads.fetch_add(pages, Relaxed);
        self.object.logical_reads.fetch_add(pages, Relaxed);
    }

    /// Counts pages that came from a file.
    pub fn count_physical_reads(&self, pages: u64, read_ahead: bool) {
        let pick = |io: &IoCount| {
            if read_ahead {
                io.read_ahead_reads.fetch_add(pages, Relaxed)
            } else {
                io.physical_reads.fetch_add(pages, Relaxed)
            };
        };
        pick(&self.task.io);
        pick(self.object);
    }
}

/// Runs `work` as the server itself: session 0.
pub(crate) fn as_server<R>(work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, object) = (Task::default(), IoCount::default());
    work(&Ask::new(&task, &object))
}

/// Adds to a counter.
#[inline]
pub(crate) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Relaxed);
}
