//! Which transactions a snapshot does not see: `sys.dm_tran_transactions_snapshot` of all snapshots, `sys.dm_tran_current_snapshot` of
//! that of the session that asks.
//!
//! What always holds: a snapshot is numbered by the first transaction that had not begun when it was taken, as in
//! `sys.dm_tran_active_snapshot_database_transactions`; it leaves that one out and all later ones, which are not listed.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

use crate::columns::{big, int};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_tran_transactions_snapshot`.
    struct DmTranTransactionsSnapshot {
        transaction_sequence_num: i64,
        snapshot_id: i32,
        snapshot_sequence_num: i64,
    }
}

/// `sys.dm_tran_transactions_snapshot`
pub static DM_TRAN_TRANSACTIONS_SNAPSHOT: ViewDef =
    view("sys", "dm_tran_transactions_snapshot", &ViewRows(all_snapshots));

row! {
    /// A row of `sys.dm_tran_current_snapshot`.
    struct DmTranCurrentSnapshot {
        transaction_sequence_num: Option<i64>,
    }
}

/// `sys.dm_tran_current_snapshot`: nothing where the session has no snapshot of its transaction.
pub static DM_TRAN_CURRENT_SNAPSHOT: ViewDef = view("sys", "dm_tran_current_snapshot", &ViewRows(own_snapshot));

fn all_snapshots(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmTranTransactionsSnapshot>> {
    let mut rows = Rows::new();
    for snapshot in ctx.engine.txns().snapshots() {
        rows.extend(snapshot.active.iter().map(|active| DmTranTransactionsSnapshot {
            transaction_sequence_num: big(snapshot.high.0),
            // That of a transaction is 0, those of statements count.
            snapshot_id: if snapshot.is_transaction { 0 } else { int(snapshot.sequence) },
            snapshot_sequence_num: big(*active),
        }));
    }
    Ok(rows)
}

fn own_snapshot(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmTranCurrentSnapshot>> {
    let snapshots = ctx.engine.txns().snapshots();
    let own = snapshots.iter().find(|one| one.is_transaction && one.session.0 == ctx.facts.session);
    let active = own.iter().flat_map(|snapshot| snapshot.active.iter());
    Ok(active.map(|active| DmTranCurrentSnapshot { transaction_sequence_num: Some(big(*active)) }).collect())
}
