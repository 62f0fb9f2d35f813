//! What a transaction has in its log: its records and its reservation.
//!
//! What always holds: `place` is there exactly if the log's table of active transactions has a row of it (T3 of `wal::tail`).
//! It knows no changes.

use crate::page::header::Lsn;
use crate::wal::record::{ActiveTxn, TxnId};

/// What a transaction has in the log. Ends by `Log::commit` or `Log::end_rollback`; until then the log is kept from
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

    /// Of a transaction that recovery found open.
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

    pub(super) fn row(&self, first: Lsn, last: Lsn) -> ActiveTxn {
        ActiveTxn { id: self.id, first, last, used_bytes: self.used_bytes, reserved_bytes: self.reserved_bytes }
    }
}
