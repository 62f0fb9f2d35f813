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
//! Order of locks: growth, anchor, pen, tail; waiters and the reason of a failure are leaves.

use crate::check;
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use millpond_device::DeviceError;
use millpond_device::clock::Clock;
use parking_lot::{Mutex, RwLock};

use crate::ask::Ask;
use crate::contract::{DbId, FileId, IoFailure, WriteReason};
use crate::page::header::{LogPos, Lsn};
use crate::wait::{WaitGuard, WaitStats, WaitType};
use crate::wal::anchor::Anchor;
use crate::wal::reader::ReadBlock;
use crate::wal::record;
use crate::wal::tail::{NoPart, Tail};
use crate::wal::writer::Core;

pub(crate) mod minimal;
mod open;
mod read;
mod report;
mod room;

pub(crate) use open::Opening;
pub use report::{LogReport, PartReport};

pub use crate::wal::block::RECORD_BYTES_MAX;
pub use crate::wal::record::{ActiveTxn, Record, RecordKind, TxnId};
pub use crate::wal::tail::ReuseWait;

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
        check!(tail.holds.iter().any(|hold| hold.0 == self.number), "T2: a hold goes that nobody knows");
        tail.holds.retain(|hold| hold.0 != self.number);
        if tail.current.is_some() {
            tail.cut();
        }
        self.core.relief.notify_all();
    }
}

type Signal = Box<dyn Fn() -> bool + Send + Sync>;

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
    /// M2
    wanted: RwLock<minimal::Wanted>,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("db", &self.db).field("core", &self.core).finish_non_exhaustive()
    }
}

impl Log {
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
        let end = self.core.tail.lock().last_durable();
        check!(self.core.is_durable(end), "G1: a log is closed in order at {end:?}, which is not durable");
        let next = Anchor { count: anchor.count + 1, is_clean: true, end, ..*anchor };
        if !self.core.is_broken.load(Acquire) && next.write(&self.core.disks.read()[0], &self.core.guid).is_ok() {
            *anchor = next;
        }
    }

    /// Space of the database is allocated to nobody: however the log is closed, the next start looks for it.
    pub fn note_leak(&self) {
        self.set_may_leak(true);
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
        check!(
            tail.current.is_none() || lsn <= tail.end_lsn(),
            "log is backed up to {lsn}, and goes to {}",
            tail.end_lsn()
        );
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
        check!(
            tail.holds.iter().filter(|hold| hold.0 == number).count() == 1,
            "T2: two holds have the number {number}"
        );
        check!(tail.is_kept(oldest), "T2: the log is to be kept from {oldest:?} on, in a part that is free");
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
            let tail = self.core.tail.lock();
            if tail.current.is_some() && lsn.position() >= tail.position() && !tail.has_open_records() {
                // Nothing was appended there: what is before may still be under way.
                let Some(last) = tail.closed.back().map(|block| block.header.position) else { return Ok(()) };
                drop(tail);
                return self.wait_durable(ask, last);
            }
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
        if txn.place.is_none() {
            return Ok(Lsn::default());
        }
        self.check_available()?;
        ask.task.writes.add(WriteReason::Log, txn.used_bytes);
        let lsn = {
            let mut tail = self.core.tail.lock();
            let lsn = self.append_end(&mut tail, RecordKind::Commit, txn);
            if mode == CommitMode::Delayed {
                self.flush_soon(&mut tail);
            }
            lsn
        };
        match mode {
            CommitMode::Durable => self.wait_durable(ask, lsn.position())?,
            CommitMode::Delayed => self.check_available()?,
        }
        assert!(
            mode == CommitMode::Delayed || self.is_durable(lsn),
            "G3: the commit at {lsn} is acknowledged before it is durable"
        );
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
        check!(
            txn.place.is_none() || tail.active().any(|row| row.id == txn.id),
            "T3: transaction {} ends, and has no row",
            txn.id.0
        );
        check!(
            txn.first.is_some() && txn.first <= txn.last,
            "transaction {} ends that begins at {:?} and has come to {:?}",
            txn.id.0,
            txn.first,
            txn.last
        );
        check!(
            txn.reserved_bytes >= record::END_BYTES,
            "G2: transaction {} ends with {} bytes reserved",
            txn.id.0,
            txn.reserved_bytes
        );
        let (lsn, _) = self.append(tail, kind, txn.id, txn.last, &time_us);
        check!(
            tail.reserved_bytes >= txn.reserved_bytes,
            "G2: transaction {} has {} bytes reserved, of {}",
            txn.id.0,
            txn.reserved_bytes,
            tail.reserved_bytes
        );
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
                check!(
                    !self.core.is_durable(lsn.position()),
                    "G1: the record at {lsn} is durable before it is appended"
                );
                if tail.has_closed() {
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
        assert!(tail.reserved_bytes >= reserved, "G2: {reserved} bytes are spent of {}", tail.reserved_bytes);
        tail.reserved_bytes -= reserved;
        lsn
    }

    pub(crate) fn append_change(&self, txn: &mut TxnLog, body: &[u8], reserved: u64) -> Lsn {
        let mut tail = self.core.tail.lock();
        let (lsn, bytes) = self.append(&mut tail, RecordKind::Change, txn.id, txn.last, body);
        check!(txn.id != TxnId(0), "a change that can be undone is logged by nobody");
        let end = if txn.place.is_none() { record::END_BYTES } else { 0 };
        let undo = record::undo_bytes(bytes) + end;
        assert!(tail.reserved_bytes >= reserved, "G2: {reserved} bytes are spent of {}", tail.reserved_bytes);
        tail.reserved_bytes = tail.reserved_bytes - reserved + undo;
        txn.reserved_bytes += undo;
        self.note(&mut tail, txn, lsn, bytes);
        lsn
    }

    pub(crate) fn append_compensation(&self, txn: &mut TxnLog, body: &[u8], reserved: u64) -> Lsn {
        let mut tail = self.core.tail.lock();
        check!(txn.place.is_some(), "T3: a change of transaction {} is undone, and it has none", txn.id.0);
        let (lsn, bytes) = self.append(&mut tail, RecordKind::Compensation, txn.id, txn.last, body);
        let spent = record::spent_bytes(txn.reserved_bytes, bytes);
        assert!(tail.reserved_bytes >= reserved + spent, "G2: {reserved} and {spent} bytes of {}", tail.reserved_bytes);
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
        assert!(
            txn.last.is_none_or(|last| last <= lsn),
            "G1: a record at {lsn} follows one of its transaction behind it"
        );
        let first = *txn.first.get_or_insert(lsn);
        check!(first <= lsn, "T3: transaction {} begins at {first}, behind its record at {lsn}", txn.id.0);
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
        let (mut tail, bytes) = loop {
            let mut tail = self.core.tail.lock();
            tail.cut();
            // Made twice: finding a place for the record may move the end of the log, which the body may name.
            let bytes = record::record_bytes(false, make(&tail).len());
            if tail.checkpoint_bytes() >= bytes as u64 {
                break (tail, bytes);
            }
            let (parts, reason) = (tail.parts.len(), tail.oldest_needed().1);
            drop(tail);
            if !self.grow_beyond(parts)? {
                return Err(LogError::Full { reason });
            }
        };
        let _ = tail.prepare(bytes);
        let body = make(&tail);
        let (lsn, _) = self.append(&mut tail, RecordKind::Checkpoint, TxnId(0), None, &body);
        Ok(lsn)
    }

    /// Where the block at or behind `position` begins: the end of a part may have been left without a block.
    pub(crate) fn begun_at(&self, position: LogPos) -> LogPos {
        self.core.tail.lock().begun_at(position)
    }

    /// A checkpoint is durable: writes the anchor and cuts the log.
    pub(crate) fn set_checkpoint(&self, checkpoint: Lsn, redo: Lsn) -> Result<(), LogError> {
        let mut anchor = self.anchor.lock();
        assert!(redo <= checkpoint, "recovery begins at {redo}, behind the checkpoint at {checkpoint}");
        check!(
            anchor.checkpoint.is_none_or(|before| before <= checkpoint),
            "a checkpoint is older than the one before"
        );
        assert!(
            self.is_durable(checkpoint),
            "recovery would begin with the checkpoint at {checkpoint}, not durable yet"
        );
        let mut next = Anchor { count: anchor.count + 1, checkpoint: Some(checkpoint), redo, ..*anchor };
        next.next_txn = self.next_txn();
        (next.backed_up, next.end) = {
            let tail = self.core.tail.lock();
            (tail.backed_up, tail.last_durable())
        };
        if let Err(error) = next.write(&self.core.disks.read()[0], &self.core.guid) {
            self.core.fail(format!("writing the log's anchor failed: {error}"));
            return self.check_available();
        }
        *anchor = next;
        let mut tail = self.core.tail.lock();
        check!(tail.redo <= redo, "recovery began at {} and is to begin at {redo}", tail.redo);
        tail.redo = redo;
        tail.cut();
        self.was_signalled.store(false, Relaxed);
        self.core.relief.notify_all();
        Ok(())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.stop();
    }
}
