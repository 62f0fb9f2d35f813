//! Records of the log: what happened, to which pages, and how it is undone.
//!
//! ```text
//!   length u32 │ kind u8 │ [of a transaction: number u64 │ its record before, 10 bytes] │ body
//! ```
//!
//! What always holds: `length` counts the whole record; records lie one after the other in a block, and the n-th has
//! slot n. Bodies of changes are described in `mtr`, that of a checkpoint here; that of Prepare is the coordinator
//! (GUID, transaction u64), of Decide a time and the participants' GUIDs. Reading believes nothing and never panics.

use crate::check;
use crate::contract::{DbId, FileId, PageId, PageNo};
use crate::page::header::Lsn;
use crate::wal::block::SECTOR_BYTES;

/// A transaction; numbers only grow, over restarts too. 0 is the system itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TxnId(pub u64);

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordKind {
    /// A change that is never undone.
    System = 1,
    /// A change of a transaction, with its undo.
    Change = 2,
    /// A change that undid another.
    Compensation = 3,
    /// The transaction is committed.
    Commit = 4,
    /// The transaction is undone.
    RolledBack = 5,
    /// Where recovery begins.
    Checkpoint = 6,
    /// The transaction is committed if its coordinator says so.
    Prepare = 7,
    /// The transaction is committed, here and in the databases that have prepared it.
    Decide = 8,
}

impl RecordKind {
    fn of_number(number: u8) -> Option<RecordKind> {
        Some(match number {
            1 => RecordKind::System,
            2 => RecordKind::Change,
            3 => RecordKind::Compensation,
            4 => RecordKind::Commit,
            5 => RecordKind::RolledBack,
            6 => RecordKind::Checkpoint,
            7 => RecordKind::Prepare,
            8 => RecordKind::Decide,
            _ => return None,
        })
    }

    /// Whether a transaction is committed by it.
    pub(crate) fn is_commit(self) -> bool {
        matches!(self, RecordKind::Commit | RecordKind::Decide)
    }

    fn is_vote(self) -> bool {
        matches!(self, RecordKind::Prepare | RecordKind::Decide)
    }

    fn has_txn(self) -> bool {
        !matches!(self, RecordKind::System | RecordKind::Checkpoint)
    }
}

/// What decides over a transaction of several databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinator {
    /// The database's GUID.
    pub guid: [u8; 16],
    /// Its part of the transaction.
    pub txn: TxnId,
}

impl Coordinator {
    pub(crate) fn encode(&self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..16].copy_from_slice(&self.guid);
        bytes[16..].copy_from_slice(&self.txn.0.to_le_bytes());
        check!(Coordinator::read(&bytes) == Some(*self), "a coordinator does not read as it was written");
        bytes
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Coordinator> {
        let (guid, txn) = bytes.split_first_chunk()?;
        Some(Coordinator { guid: *guid, txn: TxnId(u64::from_le_bytes(txn.try_into().ok()?)) })
    }
}

/// A record that was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its place.
    pub lsn: Lsn,
    /// What it is.
    pub kind: RecordKind,
    /// Whose; 0 for the system's.
    pub txn: TxnId,
    /// The transaction's record before.
    pub prev: Option<Lsn>,
    /// Of a compensation: the record to be undone next.
    pub undo_next: Option<Lsn>,
    /// Of a change: what its maker gave for undoing it.
    pub undo: Vec<u8>,
    /// Pages that it changed.
    pub pages: Vec<PageId>,
    /// Body of a Prepare or Decide ([`crate::wal::two_phase`]).
    pub(crate) vote: Vec<u8>,
}

/// An open transaction, for views and recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveTxn {
    /// Which.
    pub id: TxnId,
    /// Its first record.
    pub first: Lsn,
    /// Its last record.
    pub last: Lsn,
    /// Bytes of its records.
    pub used_bytes: u64,
    /// Bytes reserved for its undo.
    pub reserved_bytes: u64,
}

/// Length of what stands before the body, of a record of a transaction.
const TXN_HEADER_BYTES: usize = 23;
/// Likewise of any other.
const SYSTEM_HEADER_BYTES: usize = 5;

/// Bytes of a record with such a body.
pub(crate) fn record_bytes(has_txn: bool, body_bytes: usize) -> usize {
    body_bytes + if has_txn { TXN_HEADER_BYTES } else { SYSTEM_HEADER_BYTES }
}

/// Bytes to be reserved for undoing a change whose record has `bytes`: its compensation holds no more than the change
/// and its undo hold, and blocks have heads and padding.
pub(crate) fn undo_bytes(bytes: u64) -> u64 {
    bytes + bytes / 8 + 96
}

/// Bytes to be reserved for the end of a transaction, committed or rolled back: its record may be alone in its block, and
/// so may its vote before.
pub(crate) const END_BYTES: u64 = 2 * SECTOR_BYTES + 128;

/// What of a transaction's reservation is spent by a compensation whose record has `bytes`: never what its end needs.
pub(crate) fn spent_bytes(reserved_bytes: u64, bytes: u64) -> u64 {
    undo_bytes(bytes).min(reserved_bytes.saturating_sub(END_BYTES))
}

/// Writes a record.
pub(crate) fn encode(kind: RecordKind, txn: TxnId, prev: Option<Lsn>, body: &[u8], out: &mut Vec<u8>) {
    let bytes = record_bytes(kind.has_txn(), body.len()) as u32;
    let start = out.len();
    assert!(kind.has_txn() == (txn.0 != 0), "a record {kind:?} of transaction {}", txn.0);
    check!(prev.is_none() || kind.has_txn(), "a record {kind:?} of the system has one before");
    let mut head = [0; TXN_HEADER_BYTES];
    head[..4].copy_from_slice(&bytes.to_le_bytes());
    head[4] = kind as u8;
    if kind.has_txn() {
        head[5..13].copy_from_slice(&txn.0.to_le_bytes());
        head[13..].copy_from_slice(&prev.unwrap_or_default().to_bytes());
        out.extend_from_slice(&head);
    } else {
        out.extend_from_slice(&head[..SYSTEM_HEADER_BYTES]);
    }
    out.extend_from_slice(body);
    let read = || Records::new(Lsn::default(), &out[start..]).next();
    check!(
        read().is_some_and(|read| {
            read.is_ok_and(|read| (read.kind, read.txn, read.prev, read.body) == (kind, txn, prev, body))
        }),
        "a record {kind:?} does not read as it was written"
    );
}

/// A record in its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordView<'a> {
    pub(crate) lsn: Lsn,
    pub(crate) kind: RecordKind,
    pub(crate) txn: TxnId,
    pub(crate) prev: Option<Lsn>,
    pub(crate) body: &'a [u8],
    /// Of the whole record.
    pub(crate) bytes: u64,
}

/// Takes bytes from the front.
fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    take(rest, 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    take(rest, 8).map(|b| u64::from_le_bytes(b.try_into().expect("8 bytes")))
}

/// An LSN; the lowest stands for none.
fn take_lsn(rest: &mut &[u8]) -> Option<Option<Lsn>> {
    let lsn = Lsn::from_bytes(take(rest, 10)?.try_into().expect("10 bytes"));
    Some((lsn != Lsn::default()).then_some(lsn))
}

/// The records of a block, given what stands between its header and its padding. Ends with an `Err` naming the first
/// record that cannot be read.
pub(crate) struct Records<'a> {
    rest: &'a [u8],
    next: Lsn,
}

impl<'a> Records<'a> {
    pub(crate) fn new(first: Lsn, bytes: &'a [u8]) -> Records<'a> {
        Records { rest: bytes, next: first }
    }

    fn read(&mut self) -> Option<RecordView<'a>> {
        let mut head = self.rest;
        let length = take_u32(&mut head)? as usize;
        let whole = take(&mut self.rest, length)?;
        let mut rest = whole.get(4..)?;
        let kind = RecordKind::of_number(*take(&mut rest, 1)?.first()?)?;
        let (txn, prev) = match kind.has_txn() {
            true => (TxnId(take_u64(&mut rest)?), take_lsn(&mut rest)?),
            false => (TxnId(0), None),
        };
        // No transaction has the number 0.
        if kind.has_txn() && txn == TxnId(0) {
            return None;
        }
        let lsn = self.next;
        self.next.slot = self.next.slot.checked_add(1)?;
        Some(RecordView { lsn, kind, txn, prev, body: rest, bytes: length as u64 })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<RecordView<'a>, Lsn>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let at = self.next;
        let read = self.read();
        if read.is_none() {
            self.rest = &[];
        }
        Some(read.ok_or(at))
    }
}

/// A change's parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangeView<'a> {
    pub(crate) undo: &'a [u8],
    pub(crate) undo_next: Option<Lsn>,
    pages: &'a [u8],
    pub(crate) ops: &'a [u8],
}

/// A page's number in a record: file u16, page u32.
const PAGE_NUMBER_BYTES: usize = 6;

impl<'a> ChangeView<'a> {
    /// Pages of the record.
    pub(crate) fn page_count(&self) -> usize {
        self.pages.len() / PAGE_NUMBER_BYTES
    }

    /// The page of that index.
    pub(crate) fn page(&self, db: DbId, index: usize) -> Option<PageId> {
        let b = self.pages.chunks_exact(PAGE_NUMBER_BYTES).nth(index)?;
        let page = PageNo(u32::from_le_bytes([b[2], b[3], b[4], b[5]]));
        Some(PageId { db, file: FileId(u16::from_le_bytes([b[0], b[1]])), page })
    }
}

impl<'a> RecordView<'a> {
    /// Whether it changes pages.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self.kind, RecordKind::System | RecordKind::Change | RecordKind::Compensation)
    }

    /// The parts of a change.
    pub(crate) fn change(&self) -> Option<ChangeView<'a>> {
        let mut rest = self.body;
        let (mut undo, mut undo_next): (&[u8], _) = (&[], None);
        match self.kind {
            RecordKind::System => {}
            RecordKind::Change => {
                let length = take_u32(&mut rest)?;
                undo = take(&mut rest, length as usize)?;
            }
            RecordKind::Compensation => undo_next = take_lsn(&mut rest)?,
            _ => return None,
        }
        let count = usize::from(*take(&mut rest, 1)?.first()?);
        let pages = take(&mut rest, count * PAGE_NUMBER_BYTES)?;
        Some(ChangeView { undo, undo_next, pages, ops: rest })
    }

    /// Time of a commit or of the end of a rollback, microseconds since 1970.
    pub(crate) fn time_us(&self) -> Option<i64> {
        let mut rest = self.body;
        take_u64(&mut rest).map(|us| us as i64)
    }

    /// The record with its own bytes.
    pub(crate) fn to_record(self, db: DbId) -> Option<Record> {
        let mut record = Record {
            lsn: self.lsn,
            kind: self.kind,
            txn: self.txn,
            prev: self.prev,
            undo_next: None,
            undo: Vec::new(),
            pages: Vec::new(),
            vote: if self.kind.is_vote() { self.body.to_vec() } else { Vec::new() },
        };
        if self.is_change() {
            let change = self.change()?;
            record.undo_next = change.undo_next;
            record.undo = change.undo.to_vec();
            record.pages = (0..change.page_count()).filter_map(|index| change.page(db, index)).collect();
            record.pages.retain(|page| page.file.0 != 0);
        }
        Some(record)
    }
}

/// Body of a checkpoint: where redo begins, the next transaction's number, and open transactions.
///
/// ```text
///   redo: 10 bytes │ next transaction u64 │ time u64 │ count u32 │ (number u64, first, last, used u64, reserved u64) …
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckpointBody {
    pub(crate) redo: Lsn,
    pub(crate) next_txn: TxnId,
    pub(crate) time_us: i64,
    pub(crate) active: Vec<ActiveTxn>,
}

impl CheckpointBody {
    pub(crate) fn encode(&self) -> Vec<u8> {
        check!(self.is_sound(), "a transaction is open whose number is to be given yet, {} or higher", self.next_txn.0);
        let mut out = Vec::with_capacity(30 + self.active.len() * 44);
        out.extend_from_slice(&self.redo.to_bytes());
        out.extend_from_slice(&self.next_txn.0.to_le_bytes());
        out.extend_from_slice(&self.time_us.to_le_bytes());
        out.extend_from_slice(&(self.active.len() as u32).to_le_bytes());
        for txn in &self.active {
            out.extend_from_slice(&txn.id.0.to_le_bytes());
            out.extend_from_slice(&txn.first.to_bytes());
            out.extend_from_slice(&txn.last.to_bytes());
            out.extend_from_slice(&txn.used_bytes.to_le_bytes());
            out.extend_from_slice(&txn.reserved_bytes.to_le_bytes());
        }
        check!(
            CheckpointBody::read(&out).is_some_and(|read| {
                (read.redo, read.next_txn, read.active.len()) == (self.redo, self.next_txn, self.active.len())
            }),
            "a checkpoint does not read as it was written"
        );
        out
    }

    pub(crate) fn read(mut rest: &[u8]) -> Option<CheckpointBody> {
        let redo = take_lsn(&mut rest)?.unwrap_or_default();
        let (next_txn, time_us) = (TxnId(take_u64(&mut rest)?), take_u64(&mut rest)? as i64);
        let count = take_u32(&mut rest)?;
        let active = (0..count).map(|_| {
            Some(ActiveTxn {
                id: TxnId(take_u64(&mut rest)?),
                first: take_lsn(&mut rest)??,
                last: take_lsn(&mut rest)??,
                used_bytes: take_u64(&mut rest)?,
                reserved_bytes: take_u64(&mut rest)?,
            })
        });
        let active = active.collect::<Option<Vec<_>>>()?;
        let body = CheckpointBody { redo, next_txn, time_us, active };
        // Bytes that have the right checksum and say what no checkpoint says are damage too.
        body.is_sound().then_some(body)
    }

    /// Every open transaction has a number that was given, and its last record is not before its first.
    fn is_sound(&self) -> bool {
        self.active.iter().all(|txn| txn.id < self.next_txn && txn.first <= txn.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lsn(block: u32, slot: u16) -> Lsn {
        Lsn { sequence: 3, block, slot }
    }

    #[test]
    fn a_record_of_no_transaction_ends_what_can_be_read() {
        let mut bytes = Vec::new();
        encode(RecordKind::Commit, TxnId(1), None, &[0; 8], &mut bytes);
        assert!(Records::new(Lsn::default(), &bytes).all(|read| read.is_ok()));
        bytes[5] = 0;
        assert!(Records::new(Lsn::default(), &bytes).next().is_some_and(|read| read.is_err()));
    }

    #[test]
    fn a_checkpoint_of_a_transaction_without_a_number_is_none() {
        let open = |id, first, last| {
            let (first, last) = (lsn(first, 0), lsn(last, 0));
            ActiveTxn { id: TxnId(id), first, last, used_bytes: 1, reserved_bytes: 2 }
        };
        let body = CheckpointBody { redo: lsn(1, 0), next_txn: TxnId(9), time_us: 5, active: vec![open(8, 1, 2)] };
        let bytes = body.encode();
        assert_eq!(CheckpointBody::read(&bytes), Some(body));
        // The number of the only open transaction becomes the next one to be given.
        let id_at = 10 + 8 + 8 + 4;
        let mut forged = bytes;
        forged[id_at] = 9;
        assert_eq!(CheckpointBody::read(&forged), None);
    }

    #[test]
    fn records_come_back_with_their_slots() {
        let mut bytes = Vec::new();
        encode(RecordKind::System, TxnId(0), None, &[1, 1, 0, 5, 0, 0, 0, 2, 0, 7, 0], &mut bytes);
        let change = [&[2, 0, 0, 0, 8, 9][..], &[1, 2, 0, 6, 0, 0, 0], &[2, 0, 7, 0]].concat();
        encode(RecordKind::Change, TxnId(77), Some(lsn(8, 1)), &change, &mut bytes);
        encode(RecordKind::Commit, TxnId(77), Some(lsn(16, 1)), &5_i64.to_le_bytes(), &mut bytes);
        let views: Vec<_> = Records::new(lsn(16, 0), &bytes).map(|r| r.expect("sound")).collect();
        assert_eq!(
            views.iter().map(|v| (v.kind, v.lsn.slot, v.txn.0)).collect::<Vec<_>>(),
            [(RecordKind::System, 0, 0), (RecordKind::Change, 1, 77), (RecordKind::Commit, 2, 77)]
        );
        assert_eq!(views.iter().map(|v| v.bytes as usize).sum::<usize>(), bytes.len());
        assert_eq!(views[2].time_us(), Some(5));
        let record = views[1].to_record(DbId(5)).expect("sound");
        let page = PageId { db: DbId(5), file: FileId(2), page: PageNo(6) };
        assert_eq!((record.undo, record.prev, record.pages), (vec![8, 9], Some(lsn(8, 1)), vec![page]));
        assert_eq!(views[0].change().expect("sound").ops, [2, 0, 7, 0]);
    }

    #[test]
    fn a_checkpoint_comes_back() {
        let txn = ActiveTxn { id: TxnId(9), first: lsn(8, 0), last: lsn(9, 1), used_bytes: 5, reserved_bytes: 6 };
        let body = CheckpointBody { redo: lsn(7, 0), next_txn: TxnId(10), time_us: -1, active: vec![txn; 3] };
        assert_eq!(CheckpointBody::read(&body.encode()), Some(body.clone()));
        assert_eq!(CheckpointBody::read(&body.encode()[..60]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn any_bytes_are_records_or_refused(bytes in proptest::collection::vec(0..9_u8, 0..300)) {
            for view in Records::new(lsn(1, 0), &bytes).flatten() {
                let _ = (view.to_record(DbId(1)), view.time_us(), CheckpointBody::read(view.body));
            }
        }
    }
}
