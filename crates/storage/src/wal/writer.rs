//! Group commit: the thread that holds the pen writes everything that was appended so far, syncs once and wakes all
//! that wait for it.
//!
//! ```text
//!   session 1:  append ─ pen: write, sync ─┐ wake 2, 3
//!   session 2:      append ─ wait ─────────┴ pen: write, sync ─┐ wake 3
//!   session 3:          append ─ wait ─────────────────────────┴ …
//! ```
//! A session that waits takes the pen if it is free, so that a commit alone needs no other thread. A thread of the log's
//! own writes what no session waits for: closed blocks, and commits of DELAYED_DURABILITY.
//!
//! What always holds: `durable` moves only after write and sync succeeded, in the order of the log. A failure ends the
//! log: nothing after it is acknowledged, and all that wait or come get the failure. A thread that lets go of the pen
//! looks for waiters afterwards and wakes the first: one that found it taken was among them before.
//!
//! Before it writes, the pen waits for the sessions that it woke last, as long as they keep coming and for a quarter of a
//! sync at most: a session that commits again at once is taken along, and none waits for a sync that began without it.
//!
//! Space that was allocated and never written costs a file system metadata at its first write, and so a dearer sync. In a
//! part's first lap the writer therefore puts zeros ahead of the blocks, much at once, and the next syncs find written
//! space.

use crate::check;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use millpond_device::DeviceError;
use millpond_device::clock::Clock;
use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

use crate::contract::{DbId, WriteReason};
use crate::page::header::{LogPos, Lsn};
use crate::wait::WaitStats;
use crate::wal::anchor::Anchor;
use crate::wal::block::{BlockHeader, padded};
use crate::wal::disk::LogDisk;
use crate::wal::log::{LogConfig, LogError};
use crate::wal::tail::{Closed, Tail};

/// Bytes of one write.
const WRITE_BYTES_MAX: usize = 1 << 20;
/// Where buffers of direct I/O begin.
const ALIGNMENT: usize = 4096;
/// Zeros written ahead at once, at most; and no more than the part has of blocks.
const ZEROS_BYTES_MAX: u64 = 1 << 20;
/// A commit that no session waits for is durable after so long.
const DELAY_MAX: Duration = Duration::from_millis(10);
/// Between two looks at which sessions have come.
const GLANCE: Duration = Duration::from_micros(20);
/// The longest gathering.
const GATHER_MAX: Duration = Duration::from_millis(2);

/// What all parts of a log share, its writer among them.
pub(crate) struct Core {
    pub(crate) db: DbId,
    pub(crate) guid: [u8; 16],
    /// By which other logs name it where several decide together; none: its identity.
    pub(crate) voter: OnceLock<[u8; 16]>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) waits: Arc<WaitStats>,
    /// What the next opening reads first.
    pub(crate) anchor: Mutex<Anchor>,
    /// The end is known, and records are taken.
    pub(crate) is_ready: AtomicBool,
    pub(crate) disks: RwLock<Vec<LogDisk>>,
    pub(crate) tail: Mutex<Tail>,
    /// The writer sleeps here.
    pub(crate) condvar: Condvar,
    pub(crate) is_asleep: AtomicBool,
    /// Everything before this place is durable ([`LogPos`]).
    pub(crate) durable: AtomicU64,
    /// Where the open block is ([`LogPos`]): at or before the next record's place.
    pub(crate) position: AtomicU64,
    pub(crate) flushes: AtomicU64,
    pub(crate) waiters: Mutex<Vec<(LogPos, Thread)>>,
    pen: Mutex<Pen>,
    pub(crate) is_broken: AtomicBool,
    pub(crate) broken: Mutex<Option<String>>,
    /// Notified whenever space in the log or in memory came free.
    pub(crate) relief: Condvar,
}

impl Core {
    /// For a log that is empty until its end is known.
    pub(crate) fn new(of: &LogConfig, disks: Vec<LogDisk>, tail: Tail, anchor: Anchor) -> Core {
        Core {
            db: of.db,
            guid: of.guid,
            voter: OnceLock::new(),
            clock: of.clock.clone(),
            waits: of.waits.clone(),
            anchor: Mutex::new(anchor),
            is_ready: AtomicBool::new(false),
            disks: RwLock::new(disks),
            tail: Mutex::new(tail),
            condvar: Condvar::new(),
            is_asleep: AtomicBool::new(false),
            durable: AtomicU64::new(0),
            position: AtomicU64::new(0),
            flushes: AtomicU64::new(0),
            waiters: Mutex::default(),
            pen: Mutex::new(Pen::default()),
            is_broken: AtomicBool::new(false),
            broken: Mutex::default(),
            relief: Condvar::new(),
        }
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("durable", &self.durable).field("position", &self.position).finish_non_exhaustive()
    }
}

impl Core {
    /// Whether a record at `position` is durable.
    #[inline]
    pub(crate) fn is_durable(&self, position: LogPos) -> bool {
        position.0 < self.durable.load(Acquire)
    }

    /// Nothing is logged from now on; the first reason stays.
    pub(crate) fn fail(&self, message: String) {
        self.broken.lock().get_or_insert(message);
        self.is_broken.store(true, Release);
        for (_, thread) in self.waiters.lock().drain(..) {
            thread.unpark();
        }
        self.relief.notify_all();
    }

    /// Whether the log takes records.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub(crate) fn check_available(&self) -> Result<(), LogError> {
        if self.is_broken.load(Acquire) {
            let message = self.broken.lock().clone().unwrap_or_default();
            return Err(LogError::Unavailable { message });
        }
        if !self.is_ready.load(Acquire) {
            return Err(LogError::Unavailable { message: "the database is not recovered".to_owned() });
        }
        Ok(())
    }

    /// The last record at the latest.
    pub(crate) fn last_lsn(&self) -> Lsn {
        let tail = self.tail.lock();
        let last = tail.closed.back().map_or(LogPos(0), |block| block.header.position);
        if tail.has_open_records() { tail.position().first_lsn() } else { last.first_lsn() }
    }

    /// Publishes where the open block is; the caller holds the tail.
    #[inline]
    pub(crate) fn publish(&self, tail: &Tail) {
        check!(self.position.load(Relaxed) <= tail.position().0, "G1: the end of the log goes back");
        self.position.store(tail.position().0, Release);
    }

    /// Wakes the writer if it sleeps; the caller holds the tail or held it after its change.
    #[inline]
    pub(crate) fn ring(&self) {
        if self.is_asleep.load(Relaxed) {
            self.condvar.notify_one();
        }
    }

    /// Returns when the block at `position` is durable or the log has failed; writes itself when no other thread does.
    pub(crate) fn wait_durable(&self, position: LogPos) {
        {
            let mut waiters = self.waiters.lock();
            if self.is_durable(position) {
                return;
            }
            waiters.push((position, std::thread::current()));
        }
        while !self.is_durable(position) && !self.is_broken.load(Acquire) {
            match self.pen.try_lock() {
                None => std::thread::park(),
                Some(pen) if self.is_durable(position) => self.lay_down(pen),
                Some(mut pen) => {
                    self.tail.lock().flush_wanted = true;
                    pen.turn(self);
                    self.lay_down(pen);
                }
            }
        }
    }

    /// Lets go of the pen: the first thread that waits takes it.
    fn lay_down(&self, pen: MutexGuard<'_, Pen>) {
        drop(pen);
        if let Some((_, thread)) = self.waiters.lock().first() {
            thread.unpark();
        }
    }

    /// Everything appended so far.
    fn take(&self) -> Vec<Arc<Closed>> {
        let mut tail = self.tail.lock();
        let wanted = tail.flush_wanted || tail.flush_soon;
        if wanted {
            tail.close_block();
            tail.flush_wanted = false;
            tail.flush_soon = false;
        }
        self.publish(&tail);
        tail.take_closed()
    }

    /// Wakes all that waited for these blocks; returns how many.
    fn finish(&self, blocks: Vec<Arc<Closed>>) -> usize {
        let last = blocks.last().expect("not empty").header.position;
        check!(
            blocks.windows(2).all(|pair| pair[1].header.prev == pair[0].header.position),
            "blocks are written in the order of the log"
        );
        assert!(!self.is_durable(last), "block {last:?} is durable twice");
        assert!(last.0 < self.position.load(Acquire), "G1: block {last:?} is durable, and is not closed yet");
        let count = blocks.len();
        drop(blocks);
        self.durable.store(last.0 + 1, Release);
        let served: Vec<Thread> = {
            let mut waiters = self.waiters.lock();
            waiters.extract_if(.., |(position, _)| *position <= last).map(|(_, thread)| thread).collect()
        };
        let own = std::thread::current().id();
        served.iter().filter(|thread| thread.id() != own).for_each(Thread::unpark);
        self.tail.lock().forget_closed(count);
        self.relief.notify_all();
        served.len()
    }

    /// Sleeps until there is something to write that no session waits for; false when it is time to stop.
    fn sleep(&self) -> bool {
        let mut tail = self.tail.lock();
        loop {
            if self.is_broken.load(Acquire) {
                return false;
            }
            let has_records = tail.current.is_some() && tail.has_open_records();
            if tail.has_closed() || (tail.flush_wanted && has_records) {
                return true;
            }
            tail.flush_wanted = false;
            if tail.stopping {
                return false;
            }
            self.is_asleep.store(true, Relaxed);
            if tail.flush_soon && has_records {
                if self.condvar.wait_for(&mut tail, DELAY_MAX).timed_out() {
                    tail.flush_wanted = true;
                }
            } else {
                self.condvar.wait(&mut tail);
            }
            self.is_asleep.store(false, Relaxed);
        }
    }
}

/// What writes the log; one holds it at a time.
#[derive(Default)]
struct Pen {
    /// Room for one write, and to begin it where direct I/O wants it; made when first needed.
    staging: Vec<u8>,
    /// As many zeros as are written ahead; likewise.
    zeros: Vec<u8>,
    /// The part in its first lap (file and end) in which everything before that offset is written.
    ahead: (usize, u64, u64),
    /// Sessions woken last.
    expected: usize,
    /// How long a write and sync takes, smoothed.
    sync: Duration,
}

/// Runs until the log is closed; what was appended before is then durable.
pub(crate) fn run(core: &Core) {
    while core.sleep() {
        let mut pen = core.pen.lock();
        pen.turn(core);
        core.lay_down(pen);
    }
}

/// `bytes` of the buffer from where direct I/O may begin; the buffer is made when it is not there yet.
fn aligned(buffer: &mut Vec<u8>, bytes: usize) -> &mut [u8] {
    if buffer.is_empty() {
        *buffer = vec![0; bytes + ALIGNMENT];
    }
    let begin = buffer.as_ptr().align_offset(ALIGNMENT);
    assert!(begin < ALIGNMENT, "bytes can be aligned");
    &mut buffer[begin..begin + bytes]
}

impl Pen {
    /// One group.
    fn turn(&mut self, core: &Core) {
        self.gather(core);
        let blocks = core.take();
        if blocks.is_empty() || core.is_broken.load(Acquire) {
            return;
        }
        let began = Instant::now();
        if let Err(error) = self.write(core, &blocks) {
            return core.fail(format!("writing the log failed: {error}"));
        }
        self.sync = (self.sync * 3 + began.elapsed()) / 4;
        core.flushes.fetch_add(1, Relaxed);
        self.expected = core.finish(blocks);
    }

    fn gather(&self, core: &Core) {
        if self.expected < 2 {
            return;
        }
        let until = Instant::now() + (self.sync / 4).min(GATHER_MAX);
        let (mut seen, mut idle) = (core.waiters.lock().len(), 0);
        while seen < self.expected && idle < 3 && Instant::now() < until {
            std::thread::park_timeout(GLANCE);
            let now = core.waiters.lock().len();
            idle = if now == seen { idle + 1 } else { 0 };
            seen = now;
        }
    }

    /// Writes the blocks in as few writes as possible, then syncs each file once.
    fn write(&mut self, core: &Core, blocks: &[Arc<Closed>]) -> Result<(), DeviceError> {
        let disks: Vec<LogDisk> = core.disks.read().clone();
        let mut files = BTreeSet::new();
        let mut rest = blocks;
        while let Some(first) = rest.first() {
            let mut end = first.offset;
            let count = rest
                .iter()
                .take_while(|block| {
                    let next = end + u64::from(block.header.total_bytes);
                    let follows = block.file == first.file && block.offset == end;
                    let fits = (next - first.offset) as usize <= WRITE_BYTES_MAX;
                    if follows && fits {
                        end = next;
                    }
                    follows && fits
                })
                .count();
            assert!(count > 0, "a block of {} bytes is longer than a write", first.header.total_bytes);
            self.write_run(core, &disks[first.file], &rest[..count], rest.len() == blocks.len())?;
            files.insert(first.file);
            rest = &rest[count..];
        }
        files.into_iter().try_for_each(|file| disks[file].sync())
    }

    /// `begins_group`: everything before the first of these blocks is durable.
    fn write_run(
        &mut self,
        core: &Core,
        disk: &LogDisk,
        run: &[Arc<Closed>],
        begins_group: bool,
    ) -> Result<(), DeviceError> {
        let staging = aligned(&mut self.staging, WRITE_BYTES_MAX);
        let mut end = 0;
        for block in run {
            let (used, total) = (block.bytes.len(), padded(block.bytes.len() as u64) as usize);
            assert!(
                used == block.header.used_bytes as usize,
                "a block of {used} bytes says {}",
                block.header.used_bytes
            );
            assert!(block.offset == run[0].offset + end as u64, "a block is written to its own place");
            let place = &mut staging[end..end + total];
            place[..used].copy_from_slice(&block.bytes);
            place[used..].fill(0);
            BlockHeader { begins_group: begins_group && end == 0, ..block.header }.seal(place, &core.guid);
            end += total;
        }
        disk.write(run[0].offset, &staging[..end], WriteReason::Log)?;
        let last = &run[run.len() - 1];
        self.write_ahead(disk, last, run[0].offset + end as u64)
    }

    /// Zeros from `written` on, after the last block, where its part was never written.
    fn write_ahead(&mut self, disk: &LogDisk, last: &Closed, written: u64) -> Result<(), DeviceError> {
        let (file, hollow_end) = (last.file, last.hollow_end);
        let known = self.ahead.0 == file && self.ahead.1 == hollow_end && written <= self.ahead.2;
        if known || written >= hollow_end || !disk.is_slow_at_first() {
            return Ok(());
        }
        let begun = written.saturating_sub(hollow_end - last.header.part_bytes);
        let bytes = (hollow_end - written).min(begun).min(ZEROS_BYTES_MAX);
        assert!(written + bytes <= hollow_end, "zeros up to {} of a part that ends at {hollow_end}", written + bytes);
        let zeros = aligned(&mut self.zeros, ZEROS_BYTES_MAX as usize);
        disk.write(written, &zeros[..bytes as usize], WriteReason::Growth)?;
        self.ahead = (file, hollow_end, written + bytes);
        Ok(())
    }
}
