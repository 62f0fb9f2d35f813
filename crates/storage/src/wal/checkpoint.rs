//! Checkpoints: pages are written while work goes on, then recovery begins later in the log.
//!
//! ```text
//!   now ── log durable ── pages that were dirty before now: written ── oldest of the others ── data files synced
//!       ── record (redo start, open transactions) durable ── anchor ── log cut
//! ```
//!
//! What always holds: a page whose change lies before the new redo start is on a synced data file. The oldest dirty page is
//! looked for before the sync, so a page that was cleaned before it is synced with it; and a change notes its place in
//! the log on the page before its record is appended, so one that is older than `now` is seen.

use crate::ask::Ask;
use crate::check;
use crate::contract::{IoFailure, PageId, WriteReason};
use crate::pace::Pace;
use crate::page::header::{LogPos, Lsn};
use crate::pool::PoolError;
use crate::wal::anchor::Anchor;
use crate::wal::block::UNIT_BYTES;
use crate::wal::handle::DatabaseHandle;
use crate::wal::log::append::append;
use crate::wal::log::{Log, LogError};
use crate::wal::record::{self, CheckpointBody, RecordKind, TxnId};
use crate::wal::tail::Tail;

/// Why there is no new checkpoint; the old one still holds.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A page could not be written.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A data file could not be synced.
    #[error(transparent)]
    Io(#[from] IoFailure),
    /// The log failed.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Writes all pages of the database that are dirty now, lets `sync_data` make the data files durable, notes in the log
/// where recovery begins, and cuts the log; `pace` spreads the writes. Returns where recovery begins. Work goes on meanwhile; the caller holds no
/// latch, and sees to it that there is one checkpoint of a database at a time.
///
/// # Errors
/// [`CheckpointError`].
pub fn run(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    reason: WriteReason,
    pace: &Pace<'_>,
    sync_data: &mut dyn FnMut() -> Result<(), IoFailure>,
) -> Result<Lsn, CheckpointError> {
    run_at(ask, handle, (reason, RecordPlace::End), pace, sync_data)
}

/// As [`run`] at once, with its record at the start of a part where the log has the room: a log is copied by whole parts, from the
/// one on that recovery begins in.
///
/// # Errors
/// [`CheckpointError`].
pub fn run_in_fresh_part(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    sync_data: &mut dyn FnMut() -> Result<(), IoFailure>,
) -> Result<Lsn, CheckpointError> {
    run_at(ask, handle, (WriteReason::Checkpoint, RecordPlace::FreshPart), &Pace::at_once(), sync_data)
}

/// Where the record of a checkpoint goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordPlace {
    /// To the end of the log.
    End,
    /// To the start of the next part, where that saves more than [`WORTH_A_PART_BYTES`] of a copy and leaves half of the log free.
    FreshPart,
}

/// As much is copied of a log in the time that its next part takes to begin.
const WORTH_A_PART_BYTES: u64 = 128 << 10;

fn is_worth_a_part(tail: &Tail) -> bool {
    let used = u64::from(tail.position().block()) * UNIT_BYTES;
    let rest = tail.current.map_or(0, |current| tail.parts[current].bytes - used);
    let free = tail.capacity_bytes() - tail.used_bytes();
    used > WORTH_A_PART_BYTES
        && tail.parts.iter().any(|part| !part.in_use)
        && free.saturating_sub(rest) >= tail.capacity_bytes() / 2
}

fn run_at(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    (reason, place): (WriteReason, RecordPlace),
    pace: &Pace<'_>,
    sync_data: &mut dyn FnMut() -> Result<(), IoFailure>,
) -> Result<Lsn, CheckpointError> {
    let Some(log) = &handle.log else { return Ok(Lsn::default()) };
    log.check_available()?;
    let now = log.end_lsn();
    // Pages would wait for the log one by one, latched.
    log.make_durable(ask, now)?;
    // Behind the block that was closed for it: recovery can begin in the next part only where this one has nothing left.
    let now = if place == RecordPlace::FreshPart { log.end_lsn() } else { now };
    handle.pool.flush_before(ask, handle.db, LogPos(now.position().0 + 1), reason, pace)?;
    let oldest = handle.pool.oldest_rec_lsn(handle.db).map_or(now, |oldest| oldest.first_lsn().min(now));
    sync_data()?;
    if is_idle(log, now, oldest, place) {
        return Ok(oldest);
    }
    // E1 of the extension: what lies before the new redo start will not be redone on copies that do not have it.
    handle.pool.tier().persist(PageId { db: handle.db, ..PageId::from_bits(0) })?;
    let lsn = append_record(log, oldest, place)?;
    assert!(oldest <= lsn, "recovery begins at {oldest}, after the checkpoint at {lsn}");
    check!(now <= lsn, "G1: a checkpoint at {lsn} is appended before {now}");
    log.make_durable(ask, lsn)?;
    let oldest = begun_at(oldest, log.core.tail.lock().begun_at(oldest.position()));
    check!(oldest <= lsn, "recovery begins at {oldest}, where the log went on after the checkpoint at {lsn}");
    check!(
        handle
            .pool
            .oldest_rec_lsn(handle.db)
            .is_none_or(|dirty| log.core.tail.lock().begun_at(dirty) >= oldest.position()),
        "a page is dirty since before {oldest}, where recovery is to begin"
    );
    set_checkpoint(log, lsn, oldest)?;
    Ok(oldest)
}

/// Whether nothing was appended since the last checkpoint's record, which may stay where it is.
fn is_idle(log: &Log, now: Lsn, oldest: Lsn, place: RecordPlace) -> bool {
    let last = log.core.anchor.lock().checkpoint;
    let tail = log.core.tail.lock();
    let leaves = place == RecordPlace::FreshPart && is_worth_a_part(&tail);
    !leaves
        && last.is_some_and(|last| oldest == now && tail.redo.position() == last.position() && tail.follows(last, now))
}

fn append_record(log: &Log, redo: Lsn, place: RecordPlace) -> Result<Lsn, LogError> {
    let time_us = log.core.clock.wall().utc_us;
    append_checkpoint(log, place, |tail| {
        let redo = begun_at(redo, tail.begun_at(redo.position()));
        // Read under the lock of the table, so that it is above the numbers of all transactions in it.
        let next_txn = log.next_txn();
        CheckpointBody { redo, next_txn, time_us, active: tail.active().collect() }.encode()
    })
}

/// The place itself where its block begins there, else the start of the block that the log went on with.
fn begun_at(lsn: Lsn, begun: LogPos) -> Lsn {
    if begun == lsn.position() { lsn } else { begun.first_lsn() }
}

/// Appends a checkpoint's record, whose body `make` gives under the lock that all appends take.
///
/// # Errors
/// [`LogError::Full`]: what is left belongs to transactions that are to end.
fn append_checkpoint(log: &Log, place: RecordPlace, make: impl Fn(&Tail) -> Vec<u8>) -> Result<Lsn, LogError> {
    let (mut tail, bytes) = loop {
        let mut tail = log.core.tail.lock();
        tail.cut();
        // Made twice: finding a place for the record may move the end of the log, which the body may name.
        let bytes = record::record_bytes(false, make(&tail).len());
        if tail.checkpoint_bytes() >= bytes as u64 {
            break (tail, bytes);
        }
        let (parts, reason) = (tail.parts.len(), tail.oldest_needed().1);
        drop(tail);
        if !log.space.grow_beyond(parts)? {
            return Err(LogError::Full { reason });
        }
    };
    if place == RecordPlace::FreshPart && is_worth_a_part(&tail) {
        tail.leave_part();
    }
    let _ = tail.prepare(bytes);
    let body = make(&tail);
    let (lsn, _) = append(&log.core, &mut tail, RecordKind::Checkpoint, TxnId(0), None, &body);
    Ok(lsn)
}

/// A checkpoint is durable: writes the anchor and cuts the log.
fn set_checkpoint(log: &Log, checkpoint: Lsn, redo: Lsn) -> Result<(), LogError> {
    let mut anchor = log.core.anchor.lock();
    assert!(redo <= checkpoint, "recovery begins at {redo}, after the checkpoint at {checkpoint}");
    check!(anchor.checkpoint.is_none_or(|before| before <= checkpoint), "a checkpoint is older than the one before");
    assert!(log.is_durable(checkpoint), "recovery would begin with the checkpoint at {checkpoint}, not durable yet");
    let mut next = Anchor { count: anchor.count + 1, checkpoint: Some(checkpoint), redo, ..*anchor };
    next.next_txn = log.next_txn();
    (next.backed_up, next.end) = {
        let tail = log.core.tail.lock();
        (tail.backed_up, tail.last_durable())
    };
    if let Err(error) = next.write(&log.core.disks.read()[0], &log.core.guid) {
        log.core.fail(format!("writing the log's anchor failed: {error}"));
        return log.check_available();
    }
    *anchor = next;
    let mut tail = log.core.tail.lock();
    check!(tail.redo <= redo, "recovery began at {} and is to begin at {redo}", tail.redo);
    tail.redo = redo;
    tail.cut();
    log.space.forget_pressure();
    log.core.relief.notify_all();
    Ok(())
}
