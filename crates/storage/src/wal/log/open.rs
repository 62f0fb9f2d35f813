//! How a log begins: made, opened, and resumed where recovery has found its end.
//!
//! What always holds: an opening that is refused has changed nothing; the anchor of a new epoch is durable before the first
//! block of that epoch.

use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};

use millpond_device::DeviceError;
use parking_lot::{Mutex, RwLock};

use super::room::{log_bytes, make_parts};
use super::{Log, LogConfig, LogOpenError, TxnLog};
use crate::check;
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::page::header::LogPos;
use crate::wal::anchor::{Anchor, AnchorError};
use crate::wal::block::{SECTOR_BYTES, UNIT_BYTES};
use crate::wal::damage::{EndedLog, FirstBlock};
use crate::wal::disk::{LogDisk, PARTS_AT, Part};
use crate::wal::reader::LogReader;
use crate::wal::record::{ActiveTxn, TxnId};
use crate::wal::tail::Tail;
use crate::wal::writer::Core;
use crate::wal::{reader, writer};

/// Transaction numbers that may have been given away without a trace before a crash.
const TXN_GAP: u64 = 1000;
/// Likewise when log that was durable is given up.
const TXN_GAP_CUT: u64 = 1 << 32;
/// Openings and laps that may be forgotten with it.
const EPOCH_GAP_CUT: u32 = 1000;

/// What is known of a log that was opened and not recovered.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) anchor: Anchor,
    pub(crate) firsts: Vec<Option<FirstBlock>>,
}

fn disks_of(files: Vec<Arc<StorageFile>>) -> Vec<LogDisk> {
    assert!(!files.is_empty(), "a log without files");
    assert!(
        files.iter().all(|file| file.kind() == FileKind::Log && file.db() == files[0].db()),
        "a log in files of rows, or of several databases"
    );
    files.into_iter().map(LogDisk::new).collect()
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

    pub(super) fn assemble(
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
        let core = Core::new(config.guid, config.clock.clone(), disks, tail);
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
            wanted: RwLock::default(),
        })
    }

    /// The log takes records from now on.
    pub(super) fn start(&self, place: Option<(usize, u64)>, prev: LogPos, epoch: u32, next_sequence: u32) {
        let mut tail = self.core.tail.lock();
        tail.start(place, prev, epoch, next_sequence);
        assert!(tail.position() > prev, "G1: a log goes on at {:?}, behind {prev:?}", tail.position());
        self.core.publish(&tail);
        self.core.durable.store(tail.position().0, Release);
        drop(tail);
        let core = self.core.clone();
        let thread =
            std::thread::Builder::new().name(format!("log writer {}", self.db)).spawn(move || writer::run(&core));
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

    /// A block that proves that a log goes on of which nothing can be read.
    pub(crate) fn proof_of(&self, opening: &Opening) -> Result<Option<LogPos>, DeviceError> {
        let parts = self.core.tail.lock().parts.clone();
        let disks = self.core.disks.read().clone();
        let before = LogPos(opening.anchor.redo.position().0.saturating_sub(1));
        let (guid, firsts) = (&self.core.guid, &opening.firsts[..]);
        EndedLog { disks: &disks, guid, parts: &parts, firsts, place: None, last: (before, 0) }.proof()
    }

    /// Recovery has found the end: behind `last` at `place`, or an empty log. `active` are open; transactions that were
    /// seen have numbers below `next_txn`. `is_cut`: log that was durable is given up, and numbers have to be above all
    /// that it had.
    pub(crate) fn resume(
        &self,
        opening: &Opening,
        end: Option<((usize, u64), (LogPos, u32))>,
        active: &[ActiveTxn],
        (next_txn, is_cut): (TxnId, bool),
    ) -> Result<Vec<TxnLog>, DeviceError> {
        let mut anchor = opening.anchor;
        let highest = opening.firsts.iter().flatten().map(|first| first.epoch).max().unwrap_or(0);
        anchor.epoch = anchor.epoch.max(highest).max(end.map_or(0, |(_, last)| last.1));
        anchor.epoch += if is_cut { EPOCH_GAP_CUT } else { 1 };
        let gap = if is_cut { TXN_GAP_CUT } else { TXN_GAP };
        anchor.next_txn = TxnId(next_txn.0.max(anchor.next_txn.0) + gap);
        let known_end = std::mem::replace(&mut anchor.end, end.map_or(LogPos(0), |(_, last)| last.0));
        anchor.count += 1;
        // Until it is closed in order.
        anchor.is_clean = false;
        let parts = self.core.tail.lock().parts.clone();
        let seen = parts.iter().map(|part| part.sequence).max().unwrap_or(0);
        let gap = if is_cut { parts.len() as u32 + EPOCH_GAP_CUT } else { 0 };
        let next_sequence = seen.max(known_end.sequence()).max(anchor.redo.sequence) + 1 + gap;
        if end.is_none() {
            // It begins anew, in a part that has no block of it yet.
            let begin = LogPos(u64::from(next_sequence) << 32 | (SECTOR_BYTES / UNIT_BYTES)).first_lsn();
            (anchor.redo, anchor.checkpoint) = (begin, None);
            anchor.backed_up = anchor.backed_up.max(begin);
        }
        assert!(
            anchor.epoch > opening.anchor.epoch && anchor.epoch > highest,
            "epoch {} of a log is given again",
            anchor.epoch
        );
        check!(
            active.iter().all(|txn| txn.id < anchor.next_txn),
            "the number of a transaction that is open is given again"
        );
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
        let (place, prev) = end.map_or((None, LogPos(0)), |(place, last)| (Some(place), last.0));
        self.start(place, prev, anchor.epoch, next_sequence);
        Ok(losers)
    }

    pub(super) fn enter_losers(&self, active: &[ActiveTxn]) -> Vec<TxnLog> {
        let mut tail = self.core.tail.lock();
        let mut losers = Vec::new();
        for txn in active {
            tail.reserved_bytes += txn.reserved_bytes;
            let place = tail.set_active(None, *txn);
            losers.push(TxnLog::of_loser(*txn, place));
        }
        check!(
            tail.active().count() == active.len(),
            "T3: {} transactions are open of {}",
            tail.active().count(),
            active.len()
        );
        losers
    }

    /// Parts from the oldest needed record to the end are in use; what lies behind the end is of no use.
    pub(super) fn mark_parts(
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
        check!(tail.is_kept(tail.redo.position()), "T2: recovery begins at {}, in a part that is free", tail.redo);
    }
}
