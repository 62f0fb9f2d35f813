//! The log of one durable database: what sessions see of it.
//!
//! ```text
//!   reserve ──▶ append (into memory, an LSN comes back) ──▶ make_durable (group commit) ──▶ checkpoint, cut
//! ```
//!
//! What always holds, beside the rules of `tail` and `writer`:
//!
//! * G1: an LSN is given once and grows with every record; a record with a lower LSN is durable no later.
//! * G2: who reserved before he appends is never refused; should it happen all the same, the log fails as a whole.
//! * G3: after a failure nothing is acknowledged any more (9001), and recovery from the files is the way back.
//!
//! Order of locks: growth, anchor, tail; waiters and the reason of a failure are leaves.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use millpond_device::DeviceError;
use millpond_device::clock::Clock;
use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

use crate::ask::Ask;
use crate::contract::{DbId, FileId, IoFailure, PAGE_BYTES, PageId, PageNo, WriteReason};
use crate::file::StorageFile;
use crate::header::{LogPos, Lsn};
use crate::wait::{WaitGuard, WaitStats, WaitType};
use crate::wal::anchor::{Anchor, AnchorError};
use crate::wal::block::{SECTOR_BYTES, UNIT_BYTES};
use crate::wal::disk::{LogDisk, PARTS_AT, Part};
use crate::wal::reader::{self, FirstBlock, LogReader, ReadBlock};
use crate::wal::record::{self, Records};
use crate::wal::tail::{NoPart, Tail};
use crate::wal::writer::{self, Core};

pub use crate::wal::block::RECORD_BYTES_MAX;
pub use crate::wal::record::{ActiveTxn, Record, RecordKind, TxnId};
pub use crate::wal::tail::ReuseWait;

/// Bytes in memory that are not durable yet; beyond, new work waits for the writer (LOGBUFFER).
const PENDING_BYTES_MAX: u64 = 16 << 20;
/// How long who finds the log full waits for a checkpoint to make room.
const FULL_PATIENCE: Duration = Duration::from_secs(10);
/// Blocks kept for [`Log::read`].
const CACHED_BLOCKS: usize = 16;
/// Transaction numbers that may have been given away without a trace before a crash.
const TXN_GAP: u64 = 1000;

/// Why the log did not do it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LogError {
    /// No room, and no file may grow (9002).
    #[error("the log is full: {}", reason.name())]
    Full {
        /// What keeps it from being cut.
        reason: ReuseWait,
    },
    /// Reading a record failed.
    #[error(transparent)]
    Io(#[from] IoFailure),
    /// A write of the log failed before, or the database is not recovered (9001). Nothing is logged any more.
    #[error("the log is not available: {message}")]
    Unavailable {
        /// What happened.
        message: String,
    },
    /// No record begins there any more, or it never did.
    #[error("no log record at {lsn}")]
    NoRecord {
        /// Asked for.
        lsn: Lsn,
    },
}

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitMode {
    /// It does.
    Durable,
    /// DELAYED_DURABILITY: it does not; it is durable some 10 ms later.
    Delayed,
}

/// What a transaction has in the log. Ends by [`Log::commit`] or [`Log::end_rollback`]; until then the log is kept from
/// its first record on.
#[derive(Debug)]
pub struct TxnLog {
    /// Which transaction.
    pub id: TxnId,
    /// Its first record.
    pub first: Option<Lsn>,
    /// Its last record: where undo begins.
    pub last: Option<Lsn>,
    /// Bytes of its records.
    pub used_bytes: u64,
    /// Bytes reserved so that it can be undone.
    pub reserved_bytes: u64,
    /// Place in the log's table of active transactions, from the first record on.
    pub(crate) place: Option<usize>,
}

impl TxnLog {
    /// For a transaction in a temporary database, which has no log.
    #[must_use]
    pub fn without_log() -> TxnLog {
        TxnLog { id: TxnId(0), first: None, last: None, used_bytes: 0, reserved_bytes: 0, place: None }
    }

    /// Takes up a transaction that recovery found open.
    pub(crate) fn of_loser(txn: ActiveTxn, place: usize) -> TxnLog {
        TxnLog {
            id: txn.id,
            first: Some(txn.first),
            last: Some(txn.last),
            used_bytes: txn.used_bytes,
            reserved_bytes: txn.reserved_bytes,
            place: Some(place),
        }
    }

    /// Whether it has anything in the log.
    #[must_use]
    pub fn has_records(&self) -> bool {
        self.place.is_some()
    }

    fn row(&self, first: Lsn, last: Lsn) -> ActiveTxn {
        ActiveTxn { id: self.id, first, last, used_bytes: self.used_bytes, reserved_bytes: self.reserved_bytes }
    }
}

/// What a log is made or opened with.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// Database.
    pub db: DbId,
    /// The database's GUID: blocks of another one are not its log.
    pub guid: [u8; 16],
    /// Time of commits and waits.
    pub clock: Arc<dyn Clock>,
    /// Where waits are counted.
    pub waits: Arc<WaitStats>,
    /// Whether the log is kept until it is backed up (FULL, BULK_LOGGED).
    pub keep_until_backup: bool,
}

/// Why there is no log; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LogOpenError {
    /// The file is too small for a log.
    #[error("log file {file} of {size_bytes} bytes is too small for a log")]
    TooSmall {
        /// File.
        file: FileId,
        /// Its size.
        size_bytes: u64,
    },
    /// It is no log, or its headers are damaged.
    #[error("log file {file} has no valid log header")]
    NoLog {
        /// File.
        file: FileId,
    },
    /// It is another database's log.
    #[error("log file {file} belongs to another database")]
    Foreign {
        /// File.
        file: FileId,
    },
    /// A newer program wrote it.
    #[error("log file {file} has format {found}, which this program does not read")]
    Newer {
        /// File.
        file: FileId,
        /// Its format.
        found: u32,
    },
    /// The file is shorter than its log was.
    #[error("log file {file} is truncated")]
    Truncated {
        /// File.
        file: FileId,
    },
    /// I/O failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// State of a log, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogReport {
    /// Size of all files.
    pub size_bytes: u64,
    /// Room for blocks.
    pub capacity_bytes: u64,
    /// Of it in use: from the oldest record that is needed to the end, and what is reserved.
    pub used_bytes: u64,
    /// Of it reserved for undo and for changes under way.
    pub reserved_bytes: u64,
    /// Log parts (VLFs) in all.
    pub parts: usize,
    /// Of them in use.
    pub active_parts: usize,
    /// What keeps the log from being cut.
    pub reuse_wait: ReuseWait,
    /// The end: where the next record goes, at the earliest.
    pub end: Lsn,
    /// Everything up to here is durable.
    pub durable: Lsn,
    /// Where recovery would begin.
    pub recovery: Lsn,
    /// Bytes between there and the end: what recovery would read.
    pub recovery_bytes: u64,
    /// The oldest record that is kept.
    pub oldest: Lsn,
    /// Everything before was backed up.
    pub backed_up: Lsn,
    /// Bytes from there to the end.
    pub unbacked_bytes: u64,
    /// Bytes of records appended since the log was opened.
    pub appended_bytes: u64,
    /// Groups written and synced since then.
    pub flushes: u64,
    /// Of each file: bytes for blocks, and of them in parts in use.
    pub files: Vec<(FileId, u64, u64)>,
}

/// A part of the log, for `sys.dm_db_log_info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartReport {
    /// Its file.
    pub file: FileId,
    /// Where it begins in the file.
    pub offset_bytes: u64,
    /// Its size.
    pub size_bytes: u64,
    /// Number of its lap; 0 when it was never used.
    pub sequence: u32,
    /// Whether it holds records that may be needed.
    pub is_active: bool,
}

/// What is known of a log that was opened and not recovered.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) anchor: Anchor,
    pub(crate) firsts: Vec<Option<FirstBlock>>,
}

/// Keeps the log from a place on; dropping it lets go.
#[derive(Debug)]
pub struct LogHold {
    core: Arc<Core>,
    number: u64,
    from: Lsn,
}

impl LogHold {
    /// Where the log is kept from.
    #[must_use]
    pub fn from(&self) -> Lsn {
        self.from
    }
}

impl Drop for LogHold {
    fn drop(&mut self) {
        let mut tail = self.core.tail.lock();
        tail.holds.retain(|hold| hold.0 != self.number);
        if tail.current.is_some() {
            tail.cut();
        }
        self.core.relief.notify_all();
    }
}

type Signal = Box<dyn Fn() + Send + Sync>;

/// The log.
pub struct Log {
    pub(crate) db: DbId,
    pub(crate) core: Arc<Core>,
    waits: Arc<WaitStats>,
    next_txn: AtomicU64,
    next_hold: AtomicU64,
    is_ready: AtomicBool,
    /// Since a crash nobody has looked for what it left allocated.
    may_leak: AtomicBool,
    pub(crate) anchor: Mutex<Anchor>,
    growth: Mutex<()>,
    thread: Mutex<Option<JoinHandle<()>>>,
    opening: Mutex<Option<Opening>>,
    cache: Mutex<VecDeque<ReadBlock>>,
    /// Called when the log fills up; a checkpoint would help.
    pressure: OnceLock<Signal>,
    was_signalled: AtomicBool,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("db", &self.db).field("core", &self.core).finish_non_exhaustive()
    }
}

fn disks_of(files: Vec<Arc<StorageFile>>) -> Vec<LogDisk> {
    files.into_iter().map(LogDisk::new).collect()
}

impl Log {
    /// Makes an empty log in new files, ready for use.
    ///
    /// # Errors
    /// [`LogOpenError`].
    ///
    /// # Panics
    /// Without files.
    pub fn create(config: LogConfig, files: Vec<Arc<StorageFile>>) -> Result<Arc<Log>, LogOpenError> {
        let disks = disks_of(files);
        let mut parts = Vec::new();
        for (file, disk) in disks.iter().enumerate() {
            parts.extend(make_parts(disk, file, PARTS_AT, log_bytes(&parts), &config.guid)?);
        }
        let first = LogPos(1 << 32 | (SECTOR_BYTES / UNIT_BYTES)).first_lsn();
        let anchor = Anchor {
            count: 1,
            redo: first,
            backed_up: first,
            next_txn: TxnId(1),
            epoch: 1,
            parts: parts.len() as u32,
            ..Anchor::default()
        };
        anchor.write(&disks[0], &config.guid)?;
        let log = Log::assemble(&config, disks, parts, anchor, None);
        log.start(None, LogPos(0), anchor.epoch, 1);
        Ok(log)
    }

    /// Opens the log that is in the files; it takes nothing before [`crate::wal::recovery::redo`] found its end.
    ///
    /// # Errors
    /// [`LogOpenError`]; nothing was changed.
    ///
    /// # Panics
    /// Without files.
    pub fn open(config: LogConfig, files: Vec<Arc<StorageFile>>) -> Result<Arc<Log>, LogOpenError> {
        let disks = disks_of(files);
        let anchor = read_anchor(&disks[0], &config.guid)?;
        let mut parts = Vec::new();
        for (index, disk) in disks.iter().enumerate() {
            let found = disk.find_parts(index, &config.guid)?;
            let file = disk.id();
            if let Some(format) = found.newer {
                return Err(LogOpenError::Newer { file, found: format });
            }
            if found.is_cut {
                return Err(LogOpenError::Truncated { file });
            }
            if found.parts.is_empty() {
                return Err(LogOpenError::NoLog { file });
            }
            parts.extend(found.parts);
        }
        if parts.len() < anchor.parts as usize {
            return Err(LogOpenError::Truncated { file: disks.last().expect("at least one").id() });
        }
        let firsts = reader::first_blocks(&disks, &config.guid, &parts)?;
        for (part, first) in parts.iter_mut().zip(&firsts) {
            part.sequence = first.map_or(0, |first| first.position.sequence());
        }
        Ok(Log::assemble(&config, disks, parts, anchor, Some(Opening { anchor, firsts })))
    }

    fn assemble(
        config: &LogConfig,
        disks: Vec<LogDisk>,
        parts: Vec<Part>,
        anchor: Anchor,
        opening: Option<Opening>,
    ) -> Arc<Log> {
        let mut tail = Tail::new(parts);
        tail.keep_until_backup = config.keep_until_backup;
        tail.redo = anchor.redo;
        tail.backed_up = anchor.backed_up;
        let core = Core {
            guid: config.guid,
            clock: config.clock.clone(),
            disks: RwLock::new(disks),
            tail: Mutex::new(tail),
            bell: Condvar::new(),
            is_asleep: AtomicBool::new(false),
            durable: AtomicU64::new(0),
            position: AtomicU64::new(0),
            flushes: AtomicU64::new(0),
            waiters: Mutex::default(),
            is_broken: AtomicBool::new(false),
            broken: Mutex::default(),
            relief: Condvar::new(),
        };
        Arc::new(Log {
            db: config.db,
            core: Arc::new(core),
            waits: config.waits.clone(),
            next_txn: AtomicU64::new(anchor.next_txn.0.max(1)),
            next_hold: AtomicU64::new(0),
            is_ready: AtomicBool::new(false),
            may_leak: AtomicBool::new(false),
            anchor: Mutex::new(anchor),
            growth: Mutex::default(),
            thread: Mutex::default(),
            opening: Mutex::new(opening),
            cache: Mutex::default(),
            pressure: OnceLock::new(),
            was_signalled: AtomicBool::new(false),
        })
    }

    /// The log takes records from now on.
    fn start(&self, place: Option<(usize, u64)>, prev: LogPos, epoch: u32, next_sequence: u32) {
        let mut tail = self.core.tail.lock();
        tail.start(place, prev, epoch, next_sequence);
        self.core.publish(&tail);
        self.core.durable.store(tail.position().0, Release);
        drop(tail);
        let core = self.core.clone();
        let thread = std::thread::Builder::new().name(format!("log writer {}", self.db)).spawn(|| writer::run(core));
        *self.thread.lock() = Some(thread.expect("the system gives a thread"));
        self.is_ready.store(true, Release);
    }

    /// What recovery needs; given once.
    pub(crate) fn take_opening(&self) -> Option<Opening> {
        self.opening.lock().take()
    }

    /// A reader from a place on.
    pub(crate) fn reader(&self, firsts: Vec<Option<FirstBlock>>, start: LogPos) -> Option<LogReader> {
        let parts = self.core.tail.lock().parts.clone();
        LogReader::new(self.core.disks.read().clone(), self.core.guid, parts, firsts, start)
    }

    /// Recovery has found the end: behind `last` at `place`, or an empty log. `active` are open; transactions that were
    /// seen have numbers below `next_txn`.
    pub(crate) fn resume(
        &self,
        opening: &Opening,
        end: Option<((usize, u64), (LogPos, u32))>,
        active: &[ActiveTxn],
        next_txn: TxnId,
    ) -> Result<Vec<TxnLog>, DeviceError> {
        let mut anchor = opening.anchor;
        let highest = opening.firsts.iter().flatten().map(|first| first.epoch).max().unwrap_or(0);
        anchor.epoch = anchor.epoch.max(highest).max(end.map_or(0, |(_, last)| last.1)) + 1;
        anchor.next_txn = TxnId(next_txn.0.max(anchor.next_txn.0) + TXN_GAP);
        anchor.count += 1;
        // Until it is closed in order.
        anchor.is_clean = false;
        let mut guard = self.anchor.lock();
        {
            let mut tail = self.core.tail.lock();
            anchor.parts = tail.parts.len() as u32;
            tail.redo = anchor.redo;
            tail.backed_up = anchor.backed_up;
        }
        // Before the first block of the new epoch: blocks that lie behind the end now are of a lower one from then on.
        anchor.write(&self.core.disks.read()[0], &self.core.guid)?;
        *guard = anchor;
        self.next_txn.store(anchor.next_txn.0, Relaxed);
        let losers = self.enter_losers(active);
        self.mark_parts(end, active, &opening.firsts);
        let next_sequence = self.core.tail.lock().parts.iter().map(|part| part.sequence).max().unwrap_or(0) + 1;
        let (place, prev) = end.map_or((None, LogPos(0)), |(place, last)| (Some(place), last.0));
        self.start(place, prev, anchor.epoch, next_sequence.max(1));
        Ok(losers)
    }

    fn enter_losers(&self, active: &[ActiveTxn]) -> Vec<TxnLog> {
        let mut tail = self.core.tail.lock();
        let mut losers = Vec::new();
        for txn in active {
            tail.reserved_bytes += txn.reserved_bytes;
            let place = tail.set_active(None, *txn);
            losers.push(TxnLog::of_loser(*txn, place));
        }
        losers
    }

    /// Parts from the oldest needed record to the end are in use; what lies behind the end is of no use.
    fn mark_parts(
        &self,
        end: Option<((usize, u64), (LogPos, u32))>,
        active: &[ActiveTxn],
        firsts: &[Option<FirstBlock>],
    ) {
        let mut tail = self.core.tail.lock();
        let Some(((end_part, _), (last, _))) = end else { return };
        let mut oldest = tail.redo.position();
        active.iter().for_each(|txn| oldest = oldest.min(txn.first.position()));
        if tail.keep_until_backup {
            oldest = oldest.min(tail.backed_up.position());
        }
        for (index, (part, first)) in tail.parts.iter_mut().zip(firsts).enumerate() {
            let within = first.is_some_and(|first| first.position <= last);
            part.in_use = index == end_part || (within && part.sequence >= oldest.sequence());
        }
    }

    /// Called when the log is 70 % full, and when it is full: a checkpoint should be taken. Only the first call counts.
    pub fn set_pressure(&self, signal: impl Fn() + Send + Sync + 'static) {
        let _ = self.pressure.set(Box::new(signal));
    }

    fn signal(&self) {
        if let Some(signal) = self.pressure.get() {
            signal();
        }
    }

    /// The next records may go to this new file too.
    ///
    /// # Errors
    /// [`LogOpenError`].
    pub fn add_file(&self, file: Arc<StorageFile>) -> Result<(), LogOpenError> {
        let _growth = self.growth.lock();
        let disk = LogDisk::new(file);
        let index = self.core.disks.read().len();
        let log_bytes = log_bytes(&self.core.tail.lock().parts);
        let parts = make_parts(&disk, index, PARTS_AT, log_bytes, &self.core.guid)?;
        self.core.disks.write().push(disk);
        self.use_parts(&parts)?;
        Ok(())
    }

    /// A file became longer by somebody else's hand: the new space may be used.
    ///
    /// # Errors
    /// [`LogOpenError`].
    pub fn extend_file(&self, file: FileId) -> Result<(), LogOpenError> {
        let _growth = self.growth.lock();
        let disks = self.core.disks.read().clone();
        let Some(index) = disks.iter().position(|disk| disk.id() == file) else { return Ok(()) };
        let known = self.core.tail.lock().parts.clone();
        let ends = known.iter().filter(|part| part.file == index).map(|part| part.offset + part.bytes);
        let end = ends.max().unwrap_or(PARTS_AT);
        let parts = disks[index].make_parts(index, end, log_bytes(&known), &self.core.guid)?;
        self.use_parts(&parts)?;
        Ok(())
    }

    /// New parts may be used, and a later opening knows that they have to be there.
    fn use_parts(&self, parts: &[Part]) -> Result<(), DeviceError> {
        let mut anchor = self.anchor.lock();
        let mut next = Anchor { count: anchor.count + 1, ..*anchor };
        next.parts += parts.len() as u32;
        next.write(&self.core.disks.read()[0], &self.core.guid)?;
        *anchor = next;
        self.core.tail.lock().add_parts(parts);
        self.core.relief.notify_all();
        Ok(())
    }

    /// Takes a file away that holds no needed part.
    ///
    /// # Errors
    /// The file when it does hold one, when it is the first one or not of this log; a failure of the device counts as
    /// the former.
    pub fn remove_file(&self, file: FileId) -> Result<(), FileId> {
        let _growth = self.growth.lock();
        let index = self.core.disks.read().iter().position(|disk| disk.id() == file).filter(|index| *index > 0);
        let index = index.ok_or(file)?;
        let mut anchor = self.anchor.lock();
        let mut tail = self.core.tail.lock();
        if !tail.remove_parts_of(index) {
            return Err(file);
        }
        let next = Anchor { count: anchor.count + 1, parts: tail.parts.len() as u32, ..*anchor };
        drop(tail);
        next.write(&self.core.disks.read()[0], &self.core.guid).map_err(|_| file)?;
        *anchor = next;
        Ok(())
    }

    /// Makes everything durable and ends the writer; the log takes nothing afterwards.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn close(&self, ask: &Ask<'_>) -> Result<(), LogError> {
        let flushed = if self.is_ready.load(Acquire) { self.make_durable(ask, self.last_lsn()) } else { Ok(()) };
        self.stop();
        if flushed.is_ok() && self.is_ready.load(Acquire) && !self.may_leak.load(Relaxed) {
            self.note_clean();
        }
        self.core.fail("it is closed".to_owned());
        flushed
    }

    /// The next opening knows that nothing leaked. One that is not told only looks in vain.
    fn note_clean(&self) {
        let mut anchor = self.anchor.lock();
        let next = Anchor { count: anchor.count + 1, is_clean: true, ..*anchor };
        if !self.core.is_broken.load(Acquire) && next.write(&self.core.disks.read()[0], &self.core.guid).is_ok() {
            *anchor = next;
        }
    }

    /// Recovery has seen how the log was left.
    pub(crate) fn set_may_leak(&self, may_leak: bool) {
        self.may_leak.store(may_leak, Relaxed);
    }

    fn stop(&self) {
        self.core.tail.lock().stopping = true;
        self.core.bell.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            let _ = thread.join();
        }
    }

    /// The last record at the latest.
    fn last_lsn(&self) -> Lsn {
        let tail = self.core.tail.lock();
        let last = tail.closed.back().map_or(LogPos(0), |block| block.header.position);
        if tail.has_open_records() { tail.position().first_lsn() } else { last.first_lsn() }
    }

    /// FULL or BULK_LOGGED: the log is kept until [`Log::set_backed_up`]. Turning it on keeps it from the last checkpoint
    /// on, where the full backup that the log needs now begins.
    pub fn set_keep_until_backup(&self, keep: bool) {
        let mut tail = self.core.tail.lock();
        if keep && !tail.keep_until_backup {
            tail.backed_up = tail.redo;
        }
        tail.keep_until_backup = keep;
        if tail.current.is_some() {
            tail.cut();
        }
        self.core.relief.notify_all();
    }

    /// Everything before `lsn` is in a log backup; kept over restarts from the next checkpoint on.
    pub fn set_backed_up(&self, lsn: Lsn) {
        let mut tail = self.core.tail.lock();
        tail.backed_up = tail.backed_up.max(lsn);
        if tail.current.is_some() {
            tail.cut();
        }
        self.core.relief.notify_all();
    }

    /// Keeps the log from its oldest record on until the hold is dropped.
    #[must_use]
    pub fn hold(&self) -> LogHold {
        let mut tail = self.core.tail.lock();
        let number = self.next_hold.fetch_add(1, Relaxed);
        let oldest = tail.oldest_needed().0;
        tail.holds.push((number, oldest));
        LogHold { core: self.core.clone(), number, from: oldest.first_lsn() }
    }

    /// Where the next record goes, at the earliest.
    #[must_use]
    pub fn end_lsn(&self) -> Lsn {
        self.core.tail.lock().end_lsn()
    }

    /// Whether `lsn` is the place behind everything up to the block at `last`.
    pub(crate) fn is_end(&self, lsn: Lsn, last: LogPos) -> bool {
        lsn.slot == 0 && self.core.tail.lock().begins_behind(lsn.position(), last)
    }

    /// Sizes and places.
    #[must_use]
    pub fn report(&self) -> LogReport {
        let disks = self.core.disks.read().clone();
        let durable = self.durable_lsn();
        let tail = self.core.tail.lock();
        let ready = tail.current.is_some();
        let (oldest, reuse_wait) = if ready { tail.oldest_needed() } else { (LogPos(0), ReuseWait::Checkpoint) };
        let of_file = |(index, disk): (usize, &LogDisk)| {
            let parts = tail.parts.iter().filter(|part| part.file == index);
            let bytes = |parts: &mut dyn Iterator<Item = &Part>| parts.map(Part::room_bytes).sum();
            (disk.id(), bytes(&mut parts.clone()), bytes(&mut parts.filter(|part| part.in_use)))
        };
        LogReport {
            size_bytes: disks.iter().map(LogDisk::len_bytes).sum(),
            capacity_bytes: tail.capacity_bytes(),
            used_bytes: if ready { tail.used_bytes() } else { tail.capacity_bytes() },
            reserved_bytes: tail.reserved_bytes,
            parts: tail.parts.len(),
            active_parts: tail.parts.iter().filter(|part| part.in_use).count(),
            reuse_wait,
            end: if ready { tail.end_lsn() } else { Lsn::default() },
            durable,
            recovery: tail.redo,
            recovery_bytes: if ready { tail.bytes_since(tail.redo.position()) } else { 0 },
            oldest: oldest.first_lsn(),
            backed_up: tail.backed_up,
            unbacked_bytes: if ready { tail.bytes_since(tail.backed_up.position()) } else { 0 },
            appended_bytes: tail.appended_bytes,
            flushes: self.core.flushes.load(Relaxed),
            files: disks.iter().enumerate().map(of_file).collect(),
        }
    }

    /// The parts, in order of files and places.
    #[must_use]
    pub fn part_reports(&self) -> Vec<PartReport> {
        let disks = self.core.disks.read().clone();
        let tail = self.core.tail.lock();
        let report = |part: &Part| PartReport {
            file: disks[part.file].id(),
            offset_bytes: part.offset,
            size_bytes: part.bytes,
            sequence: part.sequence,
            is_active: part.in_use,
        };
        let mut reports: Vec<PartReport> = tail.parts.iter().map(report).collect();
        reports.sort_by_key(|part| (part.file, part.offset_bytes));
        reports
    }

    /// A new transaction; it is not in the log before its first change.
    #[must_use]
    pub fn begin(&self) -> TxnLog {
        TxnLog { id: TxnId(self.next_txn.fetch_add(1, Relaxed)), ..TxnLog::without_log() }
    }

    /// All records up to this one, itself included, survive a crash.
    #[must_use]
    pub fn durable_lsn(&self) -> Lsn {
        let end = LogPos(self.core.durable.load(Acquire).saturating_sub(1));
        Lsn { slot: u16::MAX, ..end.first_lsn() }
    }

    /// Whether the record at `lsn` survives a crash; before recovery has found the end, all that can be read does.
    #[must_use]
    pub fn is_durable(&self, lsn: Lsn) -> bool {
        self.core.is_durable(lsn.position()) || !self.is_ready.load(Acquire)
    }

    /// Waits until the record at `lsn` is durable (WRITELOG).
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn make_durable(&self, ask: &Ask<'_>, lsn: Lsn) -> Result<(), LogError> {
        if self.is_durable(lsn) {
            return Ok(());
        }
        self.check_available()?;
        {
            let mut tail = self.core.tail.lock();
            if tail.current.is_some() && lsn.position() >= tail.position() && !tail.has_open_records() {
                // Nothing was appended there: what is before may still be under way.
                let Some(last) = tail.closed.back().map(|block| block.header.position) else { return Ok(()) };
                drop(tail);
                return self.wait_durable(ask, last);
            }
            tail.flush_wanted = true;
            self.core.ring();
        }
        self.wait_durable(ask, lsn.position())
    }

    fn wait_durable(&self, ask: &Ask<'_>, position: LogPos) -> Result<(), LogError> {
        let _wait = WaitGuard::begin(&self.waits, ask, WaitType::WRITELOG, None);
        self.core.wait_durable(position);
        if self.core.is_durable(position) { Ok(()) } else { self.check_available() }
    }

    /// Ends the transaction; with [`CommitMode::Durable`] it survives a crash when this returns. A transaction without
    /// changes leaves no record and waits for nothing.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]: whether it is committed will be known after recovery.
    pub fn commit(&self, ask: &Ask<'_>, txn: TxnLog, mode: CommitMode) -> Result<Lsn, LogError> {
        let bytes = txn.used_bytes;
        let lsn = self.append_commit(txn, mode)?;
        if bytes == 0 {
            return Ok(lsn);
        }
        ask.task.writes.add(WriteReason::Log, bytes);
        if mode == CommitMode::Durable && !self.core.is_durable(lsn.position()) {
            self.wait_durable(ask, lsn.position())?;
        }
        Ok(lsn)
    }

    /// The first half of [`Log::commit`]: the commit has its place, and the writer has been called in mode
    /// [`CommitMode::Durable`]; [`Log::make_durable`] is the second half.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn append_commit(&self, txn: TxnLog, mode: CommitMode) -> Result<Lsn, LogError> {
        if txn.place.is_none() {
            return Ok(Lsn::default());
        }
        self.check_available()?;
        let mut tail = self.core.tail.lock();
        let lsn = self.append_end(&mut tail, RecordKind::Commit, txn);
        match mode {
            CommitMode::Durable => {
                tail.flush_wanted = true;
                self.core.ring();
            }
            CommitMode::Delayed => self.flush_soon(&mut tail),
        }
        drop(tail);
        self.check_available()?;
        Ok(lsn)
    }

    /// Ends a transaction whose changes are undone.
    pub fn end_rollback(&self, txn: TxnLog) {
        if txn.place.is_some() {
            let mut tail = self.core.tail.lock();
            self.append_end(&mut tail, RecordKind::RolledBack, txn);
            self.flush_soon(&mut tail);
        }
    }

    /// Asks the writer once: who is asked again begins his nap anew.
    fn flush_soon(&self, tail: &mut Tail) {
        if !std::mem::replace(&mut tail.flush_soon, true) {
            self.core.ring();
        }
    }

    fn append_end(&self, tail: &mut Tail, kind: RecordKind, mut txn: TxnLog) -> Lsn {
        let time_us = self.core.clock.wall().utc_us.to_le_bytes();
        let (lsn, _) = self.append(tail, kind, txn.id, txn.last, &time_us);
        tail.reserved_bytes -= txn.reserved_bytes.min(tail.reserved_bytes);
        if let Some(place) = txn.place.take() {
            tail.clear_active(place);
        }
        lsn
    }

    /// Appends; the log fails as a whole where that is not possible (G2).
    fn append(&self, tail: &mut Tail, kind: RecordKind, txn: TxnId, prev: Option<Lsn>, body: &[u8]) -> (Lsn, u64) {
        let appended = tail.append(kind, txn, prev, body).or_else(|NoPart| {
            self.grow_at_once(tail).map_err(|error| error.to_string())?;
            tail.append(kind, txn, prev, body).map_err(|NoPart| "it is full".to_owned())
        });
        self.core.publish(tail);
        match appended {
            Ok((lsn, bytes)) => {
                if tail.closed_bytes() > 0 {
                    self.core.ring();
                }
                (lsn, bytes)
            }
            Err(message) => {
                self.core.fail(format!("a record found no place: {message}"));
                (tail.end_lsn(), 0)
            }
        }
    }

    /// The last resort, under the tail: a file grows by its increment.
    fn grow_at_once(&self, tail: &mut Tail) -> Result<(), DeviceError> {
        let parts = self.grow_a_file(&tail.parts)?;
        tail.add_parts(&parts);
        Ok(())
    }

    /// Grows the last file that may grow and makes parts of the new space; none when no file may.
    fn grow_a_file(&self, parts: &[Part]) -> Result<Vec<Part>, DeviceError> {
        let disks = self.core.disks.read().clone();
        let mut failure = None;
        for (index, disk) in disks.iter().enumerate().rev() {
            let ends = parts.iter().filter(|part| part.file == index).map(|part| part.offset + part.bytes);
            let Some(end) = ends.max() else { continue };
            match disk.grow() {
                Ok(true) => return disk.make_parts(index, end, log_bytes(parts), &self.core.guid),
                Ok(false) => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(Vec::new()), Err)
    }

    /// Reserves room for a change and its undo, growing files where there is none; returns the bytes reserved.
    pub(crate) fn reserve(&self, ask: &Ask<'_>, bytes: usize) -> Result<u64, LogError> {
        self.check_available()?;
        let record = bytes as u64 + 256;
        let wanted = record + record::undo_bytes(record) + record::END_BYTES;
        let mut tail = self.core.tail.lock();
        if tail.closed_bytes() > PENDING_BYTES_MAX {
            self.wait_for_writer(ask, &mut tail)?;
        }
        if tail.free_bytes() < wanted {
            drop(tail);
            return self.reserve_by_force(ask, wanted);
        }
        tail.reserved_bytes += wanted;
        let is_filling = tail.used_bytes() > tail.capacity_bytes() / 10 * 7;
        drop(tail);
        if is_filling != self.was_signalled.load(Relaxed) {
            self.was_signalled.store(is_filling, Relaxed);
            if is_filling {
                self.signal();
            }
        }
        Ok(wanted)
    }

    fn wait_for_writer(&self, ask: &Ask<'_>, tail: &mut MutexGuard<'_, Tail>) -> Result<(), LogError> {
        let _wait = WaitGuard::begin(&self.waits, ask, WaitType::LOGBUFFER, None);
        while tail.closed_bytes() > PENDING_BYTES_MAX && !self.core.is_broken.load(Acquire) {
            self.core.ring();
            self.core.relief.wait_for(tail, Duration::from_millis(100));
        }
        self.check_available()
    }

    /// Grows until there is room; where no file may grow and only a checkpoint is missing, waits for it.
    #[cold]
    fn reserve_by_force(&self, ask: &Ask<'_>, wanted: u64) -> Result<u64, LogError> {
        loop {
            let growth = self.growth.lock();
            if let Some(reserved) = self.try_reserve(wanted) {
                return Ok(reserved);
            }
            let parts = self.core.tail.lock().parts.clone();
            // A full disk is a full log; any other failure is too, because the log as it is goes on without the growth.
            let grown = self.grow_a_file(&parts).unwrap_or_default();
            if grown.is_empty() {
                drop(growth);
                return self.wait_for_room(ask, wanted);
            }
            self.use_parts(&grown).map_err(|error| LogError::Unavailable { message: error.to_string() })?;
        }
    }

    fn try_reserve(&self, wanted: u64) -> Option<u64> {
        let mut tail = self.core.tail.lock();
        tail.cut();
        (tail.free_bytes() >= wanted).then(|| {
            tail.reserved_bytes += wanted;
            wanted
        })
    }

    fn wait_for_room(&self, ask: &Ask<'_>, wanted: u64) -> Result<u64, LogError> {
        let _wait = WaitGuard::begin(&self.waits, ask, WaitType::LOGMGR_RESERVE_APPEND, None);
        let step = Duration::from_millis(50);
        for _ in 0..FULL_PATIENCE.as_millis() / step.as_millis() {
            if let Some(reserved) = self.try_reserve(wanted) {
                return Ok(reserved);
            }
            let mut tail = self.core.tail.lock();
            let (_, reason) = tail.oldest_needed();
            if reason != ReuseWait::Checkpoint || self.pressure.get().is_none() || ask.task.is_cancelled() {
                return Err(LogError::Full { reason });
            }
            drop(tail);
            self.signal();
            tail = self.core.tail.lock();
            self.core.relief.wait_for(&mut tail, step);
            drop(tail);
            self.check_available()?;
        }
        Err(LogError::Full { reason: self.core.tail.lock().oldest_needed().1 })
    }

    /// Gives a reservation back.
    pub(crate) fn release(&self, bytes: u64) {
        if bytes > 0 {
            self.core.tail.lock().reserved_bytes -= bytes;
        }
    }

    /// Whether the log takes records.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn check_available(&self) -> Result<(), LogError> {
        if self.core.is_broken.load(Acquire) {
            let message = self.core.broken.lock().clone().unwrap_or_default();
            return Err(LogError::Unavailable { message });
        }
        if !self.is_ready.load(Acquire) {
            return Err(LogError::Unavailable { message: "the database is not recovered".to_owned() });
        }
        Ok(())
    }

    /// Nothing is logged any more: the memory of the database is not what its log says.
    pub fn close_broken(&self, message: &str) {
        self.core.fail(message.to_owned());
        self.core.bell.notify_one();
    }

    /// At or before the next record's place.
    #[inline]
    pub(crate) fn position(&self) -> LogPos {
        LogPos(self.core.position.load(Acquire))
    }

    pub(crate) fn append_system(&self, body: &[u8], reserved: u64) -> Lsn {
        let mut tail = self.core.tail.lock();
        let (lsn, _) = self.append(&mut tail, RecordKind::System, TxnId(0), None, body);
        tail.reserved_bytes -= reserved;
        lsn
    }

    pub(crate) fn append_change(&self, txn: &mut TxnLog, body: &[u8], reserved: u64) -> Lsn {
        let mut tail = self.core.tail.lock();
        let (lsn, bytes) = self.append(&mut tail, RecordKind::Change, txn.id, txn.last, body);
        let end = if txn.place.is_none() { record::END_BYTES } else { 0 };
        let undo = record::undo_bytes(bytes) + end;
        tail.reserved_bytes = tail.reserved_bytes - reserved + undo;
        txn.reserved_bytes += undo;
        self.note(&mut tail, txn, lsn, bytes);
        lsn
    }

    pub(crate) fn append_compensation(&self, txn: &mut TxnLog, body: &[u8], reserved: u64) -> Lsn {
        let mut tail = self.core.tail.lock();
        let (lsn, bytes) = self.append(&mut tail, RecordKind::Compensation, txn.id, txn.last, body);
        let spent = record::spent_bytes(txn.reserved_bytes, bytes);
        tail.reserved_bytes -= reserved + spent;
        txn.reserved_bytes -= spent;
        self.note(&mut tail, txn, lsn, bytes);
        lsn
    }

    pub(crate) fn append_vote(&self, txn: &mut TxnLog, kind: RecordKind, body: &[u8]) -> Lsn {
        let mut tail = self.core.tail.lock();
        let (lsn, bytes) = self.append(&mut tail, kind, txn.id, txn.last, body);
        self.note(&mut tail, txn, lsn, bytes);
        lsn
    }

    /// The transaction's row in the table changes with its record (T3 of `tail`).
    fn note(&self, tail: &mut Tail, txn: &mut TxnLog, lsn: Lsn, bytes: u64) {
        txn.used_bytes += bytes;
        let first = *txn.first.get_or_insert(lsn);
        txn.last = Some(lsn);
        txn.place = Some(tail.set_active(txn.place, txn.row(first, lsn)));
    }

    /// Open transactions with changes.
    #[must_use]
    pub fn active_transactions(&self) -> Vec<ActiveTxn> {
        self.core.tail.lock().active().collect()
    }

    /// The number that the next transaction gets.
    pub(crate) fn next_txn(&self) -> TxnId {
        TxnId(self.next_txn.load(Relaxed))
    }

    /// Appends a checkpoint's record, whose body `make` gives under the lock that all appends take.
    ///
    /// # Errors
    /// [`LogError::Full`]: what is left belongs to those who are to end.
    pub(crate) fn append_checkpoint(&self, make: impl Fn(&Tail) -> Vec<u8>) -> Result<Lsn, LogError> {
        let mut tail = self.core.tail.lock();
        tail.cut();
        // Made twice: finding a place for the record may move the end of the log, which the body may name.
        let bytes = record::record_bytes(false, make(&tail).len());
        if tail.checkpoint_bytes() < bytes as u64 {
            return Err(LogError::Full { reason: tail.oldest_needed().1 });
        }
        let _ = tail.prepare(bytes);
        let body = make(&tail);
        let (lsn, _) = self.append(&mut tail, RecordKind::Checkpoint, TxnId(0), None, &body);
        tail.flush_wanted = true;
        self.core.ring();
        Ok(lsn)
    }

    /// Where the block at or behind `position` begins: the end of a part may have been left without a block.
    pub(crate) fn begun_at(&self, position: LogPos) -> LogPos {
        self.core.tail.lock().begun_at(position)
    }

    /// A checkpoint is durable: writes the anchor and cuts the log.
    pub(crate) fn set_checkpoint(&self, checkpoint: Lsn, redo: Lsn) -> Result<(), LogError> {
        let mut anchor = self.anchor.lock();
        let mut next = Anchor { count: anchor.count + 1, checkpoint: Some(checkpoint), redo, ..*anchor };
        next.next_txn = self.next_txn();
        next.backed_up = self.core.tail.lock().backed_up;
        if let Err(error) = next.write(&self.core.disks.read()[0], &self.core.guid) {
            self.core.fail(format!("writing the log's anchor failed: {error}"));
            return self.check_available();
        }
        *anchor = next;
        let mut tail = self.core.tail.lock();
        tail.redo = redo;
        tail.cut();
        self.was_signalled.store(false, Relaxed);
        self.core.relief.notify_all();
        Ok(())
    }

    /// The record at `lsn`, durable or not.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn read(&self, ask: &Ask<'_>, lsn: Lsn) -> Result<Record, LogError> {
        if let Some(found) = self.read_memory(lsn) {
            return found;
        }
        let block = self.read_block(ask, lsn)?;
        self.pick(lsn, block.records())
    }

    fn pick(&self, lsn: Lsn, records: &[u8]) -> Result<Record, LogError> {
        let first = lsn.position().first_lsn();
        let view = Records::new(first, records).flatten().nth(lsn.slot.into());
        view.and_then(|view| view.to_record(self.db)).ok_or(LogError::NoRecord { lsn })
    }

    fn read_memory(&self, lsn: Lsn) -> Option<Result<Record, LogError>> {
        let tail = self.core.tail.lock();
        tail.current?;
        if lsn.position() == tail.position() {
            return Some(self.pick(lsn, tail.open_records()));
        }
        let closed = tail.closed.iter().find(|block| block.header.position == lsn.position())?.clone();
        drop(tail);
        Some(self.pick(lsn, &closed.bytes[crate::wal::block::HEADER_BYTES..]))
    }

    fn read_block(&self, _: &Ask<'_>, lsn: Lsn) -> Result<ReadBlock, LogError> {
        let position = lsn.position();
        if let Some(block) = self.cache.lock().iter().find(|block| block.header.position == position) {
            return Ok(block.clone());
        }
        let part = {
            let tail = self.core.tail.lock();
            tail.parts.iter().find(|part| part.in_use && part.sequence == position.sequence()).copied()
        };
        let part = part.ok_or(LogError::NoRecord { lsn })?;
        let disks = self.core.disks.read().clone();
        let at = u64::from(position.block()) * UNIT_BYTES;
        let block = reader::read_block(&disks, &self.core.guid, &part, at).map_err(|error| {
            let page = PageNo(u32::try_from((part.offset + at) / PAGE_BYTES as u64).unwrap_or(u32::MAX));
            let page = PageId { db: self.db, file: disks[part.file].id(), page };
            LogError::Io(IoFailure::System { page, message: error.to_string() })
        })?;
        let block = block.filter(|block| block.header.position == position).ok_or(LogError::NoRecord { lsn })?;
        let mut cache = self.cache.lock();
        cache.push_front(block.clone());
        cache.truncate(CACHED_BLOCKS);
        Ok(block)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.stop();
    }
}

fn log_bytes(parts: &[Part]) -> u64 {
    parts.iter().map(|part| part.bytes).sum()
}

fn make_parts(
    disk: &LogDisk,
    file: usize,
    from: u64,
    log_bytes: u64,
    guid: &[u8; 16],
) -> Result<Vec<Part>, LogOpenError> {
    let parts = disk.make_parts(file, from, log_bytes, guid)?;
    if parts.is_empty() {
        return Err(LogOpenError::TooSmall { file: disk.id(), size_bytes: disk.len_bytes() });
    }
    Ok(parts)
}

fn read_anchor(disk: &LogDisk, guid: &[u8; 16]) -> Result<Anchor, LogOpenError> {
    let file = disk.id();
    if disk.len_bytes() < PARTS_AT {
        return Err(LogOpenError::NoLog { file });
    }
    Anchor::read(disk, guid).map_err(|error| match error {
        AnchorError::None => LogOpenError::NoLog { file },
        AnchorError::Foreign => LogOpenError::Foreign { file },
        AnchorError::Newer(found) => LogOpenError::Newer { file, found },
        AnchorError::Device(error) => LogOpenError::Device(error),
    })
}
