//! How an opened log goes on, where recovery has found its end.
//!
//! What always holds: the anchor of a new epoch is durable before the first block of that epoch; numbers of transactions and
//! parts are above all that were given (T2 and T3 of `wal::tail`).

use std::sync::atomic::Ordering::Relaxed;

use millpond_device::DeviceError;

use crate::check;
use crate::page::header::LogPos;
use crate::wal::anchor::Anchor;
use crate::wal::block::{SECTOR_BYTES, UNIT_BYTES};
use crate::wal::damage::{EndedLog, FirstBlock};
use crate::wal::log::{Log, TxnLog};
use crate::wal::reader::LogReader;
use crate::wal::record::{ActiveTxn, TxnId};
use crate::wal::writer::Core;

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

/// What recovery needs; given once.
pub(crate) fn take_opening(log: &Log) -> Option<Opening> {
    log.opening.lock().take()
}

/// A reader from a place on.
pub(crate) fn reader(core: &Core, firsts: Vec<Option<FirstBlock>>, start: LogPos) -> Option<LogReader> {
    let parts = core.tail.lock().parts.clone();
    LogReader::new(core.disks.read().clone(), core.guid, parts, firsts, start)
}

/// A block that proves that a log goes on of which nothing can be read.
pub(crate) fn proof_of(core: &Core, opening: &Opening) -> Result<Option<LogPos>, DeviceError> {
    let parts = core.tail.lock().parts.clone();
    let disks = core.disks.read().clone();
    let before = LogPos(opening.anchor.redo.position().0.saturating_sub(1));
    let (guid, firsts) = (&core.guid, &opening.firsts[..]);
    EndedLog { disks: &disks, guid, parts: &parts, firsts, place: None, last: (before, 0) }.proof()
}

/// Recovery has found the end: after `last` at `place`, or an empty log. `active` are open; transactions that were
/// seen have numbers below `next_txn`. `is_cut`: log that was durable is given up, and numbers have to be above all
/// that it had.
pub(crate) fn resume(
    log: &Log,
    opening: &Opening,
    end: Option<((usize, u64), (LogPos, u32))>,
    active: &[ActiveTxn],
    (next_txn, is_cut): (TxnId, bool),
) -> Result<Vec<TxnLog>, DeviceError> {
    let core = &*log.core;
    check!(!core.is_ready.load(Relaxed), "G1: the end of a log that takes records is found again");
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
    let parts = core.tail.lock().parts.clone();
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
    let mut guard = core.anchor.lock();
    {
        let mut tail = core.tail.lock();
        anchor.parts = tail.parts.len() as u32;
        tail.redo = anchor.redo;
        tail.backed_up = anchor.backed_up;
    }
    // Before the first block of the new epoch: blocks that lie after the end now are of a lower one from then on.
    anchor.write(&core.disks.read()[0], &core.guid)?;
    *guard = anchor;
    log.next_txn.store(anchor.next_txn.0, Relaxed);
    let losers = enter_losers(core, active);
    mark_parts(core, end, active, &opening.firsts);
    let (place, prev) = end.map_or((None, LogPos(0)), |(place, last)| (Some(place), last.0));
    log.start(place, prev, anchor.epoch, next_sequence);
    Ok(losers)
}

fn enter_losers(core: &Core, active: &[ActiveTxn]) -> Vec<TxnLog> {
    let mut tail = core.tail.lock();
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

/// Parts from the oldest needed record to the end are in use; what lies after the end is of no use.
fn mark_parts(
    core: &Core,
    end: Option<((usize, u64), (LogPos, u32))>,
    active: &[ActiveTxn],
    firsts: &[Option<FirstBlock>],
) {
    let mut tail = core.tail.lock();
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
