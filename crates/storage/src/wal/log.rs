//! The log of one durable database: what sessions see of it.
//!
//! ```text
//!   reserve ──▶ append (into memory, an LSN comes back) ──▶ make_durable (group commit) ──▶ checkpoint, cut
//! ```
//!
//! What always holds, beside the rules of `tail` and `writer`:
//!
//! * G1: an LSN is given once and grows with every record; a record with a lower LSN is durable no later.
//! * G2: an append that was reserved for is never refused; should it happen all the same, the log fails as a whole.
//! * G3: after a failure nothing is acknowledged any more (9001), and recovery from the files is the way back.
//!
//! Order of locks: growth, anchor, pen, tail; waiters and the reason of a failure are leaves.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::JoinHandle;

use parking_lot::Mutex;

use crate::ask::Ask;
use crate::check;
use crate::contract::WriteReason;
use crate::page::header::{LogPos, Lsn};
use crate::wait::{WaitGuard, WaitType};
use crate::wal::anchor::Anchor;
use crate::wal::log::append::{append_end, flush_soon};
use crate::wal::log::minimal::MinimalLogging;
use crate::wal::log::space::LogSpace;
use crate::wal::writer::Core;

pub(crate) mod append;
mod config;
mod error;
pub(crate) mod minimal;
mod open;
mod read;
mod report;
pub(crate) mod resume;
pub(crate) mod retention;
mod space;
mod txn_log;

pub use config::LogConfig;
pub use error::{LogError, LogOpenError};
pub use read::LogRecords;
pub use report::{LogReport, PartReport};
pub(crate) use resume::Opening;
pub use retention::LogHold;
pub use txn_log::TxnLog;

pub use crate::wal::block::RECORD_BYTES_MAX;
pub use crate::wal::record::{ActiveTxn, Record, RecordKind, TxnId};
pub use crate::wal::tail::ReuseWait;

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitMode {
    /// It does.
    Durable,
    /// DELAYED_DURABILITY: it does not; it is durable some 10 ms later.
    Delayed,
}

/// The log.
pub struct Log {
    pub(crate) core: Arc<Core>,
    pub(crate) space: LogSpace,
    pub(crate) minimal: MinimalLogging,
    records: LogRecords,
    next_txn: AtomicU64,
    /// Since a crash no sweep has looked for what it left allocated.
    may_leak: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
    opening: Mutex<Option<Opening>>,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("db", &self.core.db).field("core", &self.core).finish_non_exhaustive()
    }
}

impl Log {
    /// Makes everything durable and ends the writer; the log takes nothing afterwards.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn close(&self, ask: &Ask<'_>) -> Result<(), LogError> {
        let flushed =
            if self.core.is_ready.load(Acquire) { self.make_durable(ask, self.core.last_lsn()) } else { Ok(()) };
        self.stop();
        if flushed.is_ok() && self.core.is_ready.load(Acquire) && !self.may_leak.load(Relaxed) {
            self.note_clean();
        }
        self.core.fail("it is closed".to_owned());
        flushed
    }

    /// The next opening knows that nothing leaked. One that does not know only looks in vain.
    fn note_clean(&self) {
        let mut anchor = self.core.anchor.lock();
        let end = self.core.tail.lock().last_durable();
        check!(self.core.is_durable(end), "G1: a log is closed in order at {end:?}, which is not durable");
        let next = Anchor { count: anchor.count + 1, is_clean: true, end, ..*anchor };
        if !self.core.is_broken.load(Acquire) && next.write(&self.core.disks.read()[0], &self.core.guid).is_ok() {
            *anchor = next;
        }
    }

    /// Space of the database is allocated without an owner: however the log is closed, the next start looks for it.
    pub fn note_leak(&self) {
        self.set_may_leak(true);
    }

    /// Recovery has seen how the log was left.
    pub(crate) fn set_may_leak(&self, may_leak: bool) {
        self.may_leak.store(may_leak, Relaxed);
    }

    fn stop(&self) {
        self.core.tail.lock().stopping = true;
        self.core.condvar.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            let _ = thread.join();
        }
    }

    /// Where the next record goes, at the earliest.
    #[must_use]
    pub fn end_lsn(&self) -> Lsn {
        self.core.tail.lock().end_lsn()
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
        self.core.is_durable(lsn.position()) || !self.core.is_ready.load(Acquire)
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
        let _wait = WaitGuard::begin(&self.core.waits, ask, WaitType::WRITELOG, None);
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
            let lsn = append_end(&self.core, &mut tail, RecordKind::Commit, txn);
            if mode == CommitMode::Delayed {
                flush_soon(&self.core, &mut tail);
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
            append_end(&self.core, &mut tail, RecordKind::RolledBack, txn);
            flush_soon(&self.core, &mut tail);
        }
    }

    /// Whether the log takes records.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    #[inline]
    pub fn check_available(&self) -> Result<(), LogError> {
        self.core.check_available()
    }

    /// The records that the log still has.
    #[must_use]
    pub fn records(&self) -> &LogRecords {
        &self.records
    }

    /// Nothing is logged any more: the memory of the database is not what its log says.
    pub fn close_broken(&self, message: &str) {
        self.core.fail(message.to_owned());
        self.core.condvar.notify_one();
    }

    /// At or before the next record's place.
    #[inline]
    pub(crate) fn position(&self) -> LogPos {
        LogPos(self.core.position.load(Acquire))
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
}

impl Drop for Log {
    fn drop(&mut self) {
        self.stop();
    }
}
