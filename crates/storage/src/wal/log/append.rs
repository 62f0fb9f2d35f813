//! Records go to the end of a log.
//!
//! What always holds, beside the rules of `wal::tail`: G1 and G2 of `wal::log`; all of an append happens under the lock of
//! the tail. It does not wait for the disk, and does not reserve: `log::space` did before.

use crate::check;
use crate::page::header::Lsn;
use crate::wal::log::space;
use crate::wal::log::txn_log::TxnLog;
use crate::wal::record::{self, RecordKind, TxnId};
use crate::wal::tail::{NoPart, Tail};
use crate::wal::writer::Core;

/// Asks the writer once: asked again, it would begin its wait anew.
pub(super) fn flush_soon(core: &Core, tail: &mut Tail) {
    if !std::mem::replace(&mut tail.flush_soon, true) {
        core.ring();
    }
}

/// The last record of a transaction, whose reservation and row go with it.
pub(super) fn append_end(core: &Core, tail: &mut Tail, kind: RecordKind, mut txn: TxnLog) -> Lsn {
    let time_us = core.clock.wall().utc_us.to_le_bytes();
    check!(matches!(kind, RecordKind::Commit | RecordKind::RolledBack), "transaction {} ends by a {kind:?}", txn.id.0);
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
    let (lsn, _) = append(core, tail, kind, txn.id, txn.last, &time_us);
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
pub(crate) fn append(
    core: &Core,
    tail: &mut Tail,
    kind: RecordKind,
    txn: TxnId,
    prev: Option<Lsn>,
    body: &[u8],
) -> (Lsn, u64) {
    let appended = tail.append(kind, txn, prev, body).or_else(|NoPart| {
        space::grow_at_once(core, tail).map_err(|error| error.to_string())?;
        tail.append(kind, txn, prev, body).map_err(|NoPart| "it is full".to_owned())
    });
    core.publish(tail);
    match appended {
        Ok((lsn, bytes)) => {
            check!(!core.is_durable(lsn.position()), "G1: the record at {lsn} is durable before it is appended");
            check!(tail.end_lsn() > lsn, "G1: the log does not grow with the record at {lsn}");
            if tail.has_closed() {
                core.ring();
            }
            (lsn, bytes)
        }
        Err(message) => {
            core.fail(format!("a record found no place: {message}"));
            (tail.end_lsn(), 0)
        }
    }
}

/// A change that is never undone; `reserved` bytes were reserved for it.
pub(crate) fn append_system(core: &Core, body: &[u8], reserved: u64) -> Lsn {
    let mut tail = core.tail.lock();
    let (lsn, _) = append(core, &mut tail, RecordKind::System, TxnId(0), None, body);
    assert!(tail.reserved_bytes >= reserved, "G2: {reserved} bytes are spent of {}", tail.reserved_bytes);
    tail.reserved_bytes -= reserved;
    lsn
}

/// A change that can be undone; what its undo takes is reserved in its place.
pub(crate) fn append_change(core: &Core, txn: &mut TxnLog, body: &[u8], reserved: u64) -> Lsn {
    let mut tail = core.tail.lock();
    let (lsn, bytes) = append(core, &mut tail, RecordKind::Change, txn.id, txn.last, body);
    check!(txn.id != TxnId(0), "a change that can be undone is logged without a transaction");
    let end = if txn.place.is_none() { record::END_BYTES } else { 0 };
    let undo = record::undo_bytes(bytes) + end;
    assert!(tail.reserved_bytes >= reserved, "G2: {reserved} bytes are spent of {}", tail.reserved_bytes);
    tail.reserved_bytes = tail.reserved_bytes - reserved + undo;
    txn.reserved_bytes += undo;
    note(&mut tail, txn, lsn, bytes);
    lsn
}

/// The undo of a change, out of the reservation of its transaction.
pub(crate) fn append_compensation(core: &Core, txn: &mut TxnLog, body: &[u8], reserved: u64) -> Lsn {
    let mut tail = core.tail.lock();
    check!(txn.place.is_some(), "T3: a change of transaction {} is undone, and it has none", txn.id.0);
    let (lsn, bytes) = append(core, &mut tail, RecordKind::Compensation, txn.id, txn.last, body);
    let spent = record::spent_bytes(txn.reserved_bytes, bytes);
    assert!(tail.reserved_bytes >= reserved + spent, "G2: {reserved} and {spent} bytes of {}", tail.reserved_bytes);
    tail.reserved_bytes -= reserved + spent;
    txn.reserved_bytes -= spent;
    note(&mut tail, txn, lsn, bytes);
    lsn
}

/// A step of a transaction over several databases.
pub(crate) fn append_vote(core: &Core, txn: &mut TxnLog, kind: RecordKind, body: &[u8]) -> Lsn {
    check!(txn.place.is_some(), "T3: transaction {} votes, and has no row", txn.id.0);
    check!(matches!(kind, RecordKind::Prepare | RecordKind::Decide), "transaction {} votes by a {kind:?}", txn.id.0);
    let mut tail = core.tail.lock();
    let (lsn, bytes) = append(core, &mut tail, kind, txn.id, txn.last, body);
    note(&mut tail, txn, lsn, bytes);
    lsn
}

/// The transaction's row in the table changes with its record (T3 of `tail`).
fn note(tail: &mut Tail, txn: &mut TxnLog, lsn: Lsn, bytes: u64) {
    txn.used_bytes += bytes;
    assert!(
        txn.last.is_none_or(|last| last <= lsn),
        "G1: a record at {lsn} comes after a later one of its transaction"
    );
    let first = *txn.first.get_or_insert(lsn);
    check!(first <= lsn, "T3: transaction {} begins at {first}, after its record at {lsn}", txn.id.0);
    txn.last = Some(lsn);
    txn.place = Some(tail.set_active(txn.place, txn.row(first, lsn)));
}
