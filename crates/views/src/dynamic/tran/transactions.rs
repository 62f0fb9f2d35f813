//! Locks and transactions: `sys.dm_tran_locks`, `dm_tran_active_transactions`, `dm_tran_session_transactions`,
//! `dm_tran_database_transactions`, `dm_tran_version_store_space_usage`, `dm_tran_active_snapshot_database_transactions`.
//!
//! What always holds: a transaction has one `transaction_id` in all of them while it is open; it is made of its session
//! and the time when it began, because its number in logs and snapshots comes with its first change only.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::SessionId;
use millpond_storage::page::header::Lsn;
use millpond_txn::TransactionRow;
use millpond_txn::lock::{LockRow, LockStatus, Resource};
use millpond_types::{DateTime, Decimal};

use crate::columns::{Guid, LsnNumber, NVarChar, Numeric, VarBinary, big, bytes, datetime_of, int, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_tran_locks`.
    struct DmTranLocks {
        resource_type: NVarChar<60>,
        resource_subtype: NVarChar<60>,
        resource_database_id: i32,
        resource_description: NVarChar<256>,
        resource_associated_entity_id: Option<i64>,
        resource_lock_partition: i32,
        request_mode: NVarChar<60>,
        request_type: NVarChar<60>,
        request_status: NVarChar<60>,
        request_reference_count: i16,
        request_lifetime: i32,
        request_session_id: i32,
        request_exec_context_id: i32,
        request_request_id: i32,
        request_owner_type: NVarChar<60>,
        request_owner_id: Option<i64>,
        request_owner_guid: Option<Guid>,
        request_owner_lockspace_id: NVarChar<32>,
        lock_owner_address: Option<VarBinary<8>>,
    }
}

/// `sys.dm_tran_locks`
pub static DM_TRAN_LOCKS: ViewDef = view(
    "sys",
    "dm_tran_locks",
    &ViewRows(|ctx, _| {
        let open = ctx.engine.txns().transactions();
        let mut locks = ctx.engine.txns().locks().report();
        locks.sort_by_key(|lock| (lock.session, lock.resource.kind().name(), lock.resource.description()));
        Ok(locks.iter().map(|lock| lock_row(lock, &open)).collect())
    }),
);

row! {
    /// A row of `sys.dm_tran_active_transactions`.
    struct DmTranActiveTransactions {
        transaction_id: i64,
        name: NVarChar<32>,
        transaction_begin_time: DateTime,
        transaction_type: i32,
        transaction_uow: Option<Guid>,
        transaction_state: i32,
        transaction_status: i32,
        transaction_status2: i32,
        dtc_state: i32,
        dtc_status: i32,
        dtc_isolation_level: i32,
        filestream_transaction_id: Option<VarBinary<128>>,
    }
}

/// `sys.dm_tran_active_transactions`
pub static DM_TRAN_ACTIVE_TRANSACTIONS: ViewDef = view(
    "sys",
    "dm_tran_active_transactions",
    &ViewRows(|ctx, _| Ok(ctx.engine.txns().transactions().iter().map(|row| active_row(ctx, row)).collect())),
);

row! {
    /// A row of `sys.dm_tran_session_transactions`.
    struct DmTranSessionTransactions {
        session_id: i32,
        transaction_id: i64,
        transaction_descriptor: VarBinary<8>,
        enlist_count: i32,
        is_user_transaction: bool,
        is_local: bool,
        is_enlisted: bool,
        is_bound: bool,
        open_transaction_count: i32,
    }
}

/// `sys.dm_tran_session_transactions`
pub static DM_TRAN_SESSION_TRANSACTIONS: ViewDef = view("sys", "dm_tran_session_transactions", &ViewRows(session_rows));

row! {
    /// A row of `sys.dm_tran_database_transactions`.
    struct DmTranDatabaseTransactions {
        transaction_id: i64,
        database_id: i32,
        database_transaction_begin_time: Option<DateTime>,
        database_transaction_type: i32,
        database_transaction_state: i32,
        database_transaction_status: i32,
        database_transaction_status2: i32,
        database_transaction_log_record_count: Option<i64>,
        database_transaction_replicate_record_count: i32,
        database_transaction_log_bytes_used: i64,
        database_transaction_log_bytes_reserved: i64,
        database_transaction_log_bytes_used_system: i32,
        database_transaction_log_bytes_reserved_system: i32,
        database_transaction_begin_lsn: Option<LsnNumber>,
        database_transaction_last_lsn: Option<LsnNumber>,
        database_transaction_most_recent_savepoint_lsn: Option<LsnNumber>,
        database_transaction_commit_lsn: Option<LsnNumber>,
        database_transaction_last_rollback_lsn: Option<LsnNumber>,
        database_transaction_next_undo_lsn: Option<LsnNumber>,
    }
}

/// `sys.dm_tran_database_transactions`
pub static DM_TRAN_DATABASE_TRANSACTIONS: ViewDef =
    view("sys", "dm_tran_database_transactions", &ViewRows(database_rows));

row! {
    /// A row of `sys.dm_tran_version_store_space_usage`.
    struct DmTranVersionStoreSpaceUsage {
        database_id: i32,
        reserved_page_count: i64,
        reserved_space_kb: i64,
    }
}

/// `sys.dm_tran_version_store_space_usage`
pub static DM_TRAN_VERSION_STORE_SPACE_USAGE: ViewDef = view(
    "sys",
    "dm_tran_version_store_space_usage",
    &ViewRows(|ctx, _| {
        let row = |space: &millpond_txn::VersionSpace| DmTranVersionStoreSpaceUsage {
            database_id: int(space.db.0),
            reserved_page_count: big(space.reserved_pages),
            reserved_space_kb: big(space.reserved_pages * 8),
        };
        Ok(ctx.engine.txns().version_space().iter().map(row).collect())
    }),
);

row! {
    /// A row of `sys.dm_tran_active_snapshot_database_transactions`.
    struct DmTranActiveSnapshotDatabaseTransactions {
        transaction_id: Option<i64>,
        transaction_sequence_num: i64,
        commit_sequence_num: Option<i64>,
        is_snapshot: bool,
        session_id: i32,
        first_snapshot_sequence_num: i64,
        max_version_chain_traversed: i32,
        average_version_chain_traversed: i16,
        elapsed_time_seconds: i64,
    }
}

/// `sys.dm_tran_active_snapshot_database_transactions`
pub static DM_TRAN_ACTIVE_SNAPSHOT_DATABASE_TRANSACTIONS: ViewDef =
    view("sys", "dm_tran_active_snapshot_database_transactions", &ViewRows(snapshot_rows));

row! {
    /// A row of `sys.dm_tran_current_transaction`.
    struct DmTranCurrentTransaction {
        transaction_id: i64,
        transaction_sequence_num: i64,
        transaction_is_snapshot: bool,
        first_snapshot_sequence_num: Option<i64>,
        last_transaction_sequence_num: Option<i64>,
        first_useful_sequence_num: Option<i64>,
    }
}

/// `sys.dm_tran_current_transaction`: that of the session that asks; 0 where it has none that is numbered yet.
pub static DM_TRAN_CURRENT_TRANSACTION: ViewDef =
    view("sys", "dm_tran_current_transaction", &ViewRows(current_transaction));

fn current_transaction(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmTranCurrentTransaction>> {
    let open = ctx.engine.txns().transactions();
    let own = open.iter().find(|row| row.session.0 == ctx.facts.session);
    let snapshots = ctx.engine.txns().snapshots();
    let last = open.iter().map(|row| row.xsn).max();
    Ok(Rows::one(DmTranCurrentTransaction {
        transaction_id: own.map_or(0, TransactionRow::id),
        transaction_sequence_num: own.map_or(0, |row| big(row.xsn)),
        transaction_is_snapshot: snapshots.iter().any(|snapshot| snapshot.session.0 == ctx.facts.session),
        first_snapshot_sequence_num: None,
        last_transaction_sequence_num: last.map(big),
        first_useful_sequence_num: None,
    }))
}

/// The number of a session's transaction.
pub(crate) fn id_of(session: SessionId, open: &[TransactionRow]) -> Option<i64> {
    open.iter().find(|row| row.session == session).map(TransactionRow::id)
}

/// Where a session's request of a lock is: `resource_address` of `sys.dm_os_waiting_tasks` has the same.
pub(crate) fn lock_address(session: SessionId, resource: &Resource) -> VarBinary<8> {
    let mut hasher = DefaultHasher::new();
    (session.0, resource).hash(&mut hasher);
    bytes(&hasher.finish().to_be_bytes())
}

fn lock_row(lock: &LockRow, open: &[TransactionRow]) -> DmTranLocks {
    let status = match lock.status {
        LockStatus::Grant => "GRANT",
        LockStatus::Convert => "CONVERT",
        LockStatus::Wait => "WAIT",
    };
    let description = match &lock.name {
        Some(name) => format!("{}:[{name}]", lock.resource.description()),
        None => lock.resource.description(),
    };
    DmTranLocks {
        resource_type: text(lock.resource.kind().name()),
        resource_subtype: text(""),
        resource_database_id: int(lock.resource.db().0),
        resource_description: text(&description),
        resource_associated_entity_id: Some(big(lock.resource.entity())),
        resource_lock_partition: 0,
        request_mode: text(lock.mode.name()),
        request_type: text("LOCK"),
        request_status: text(status),
        request_reference_count: 1,
        request_lifetime: 0,
        request_session_id: int(lock.session.0),
        request_exec_context_id: 0,
        request_request_id: 0,
        request_owner_type: text(lock.scope.name()),
        request_owner_id: id_of(lock.session, open),
        request_owner_guid: None,
        request_owner_lockspace_id: text(""),
        lock_owner_address: Some(lock_address(lock.session, &lock.resource)),
    }
}

/// A time of the waits' clock as local time.
fn local(ctx: &RunContext, begun_us: Option<u64>) -> DateTime {
    let now_us = ctx.engine.instance().waits().now_us();
    let ago_us = begun_us.map_or(0, |begun_us| now_us.saturating_sub(begun_us));
    datetime_of(ctx.engine.now_us().1 - ago_us.cast_signed())
}

/// What a transaction is called: by its name, or by what began it.
fn name_of(ctx: &RunContext, row: &TransactionRow) -> String {
    // The session may have ended between the two looks.
    let Some(session) = ctx.engine.session(row.session.0) else { return "user_transaction".to_owned() };
    if row.is_user { session.transaction_name.lock().to_string() } else { session.command.words().to_owned() }
}

fn active_row(ctx: &RunContext, row: &TransactionRow) -> DmTranActiveTransactions {
    DmTranActiveTransactions {
        transaction_id: row.id(),
        name: text(&name_of(ctx, row)),
        transaction_begin_time: local(ctx, row.begun_us),
        // 1: reads and writes; 2: has read only.
        transaction_type: if row.databases.is_empty() { 2 } else { 1 },
        transaction_uow: None,
        transaction_state: 2,
        transaction_status: 0,
        transaction_status2: 0,
        dtc_state: 0,
        dtc_status: 0,
        dtc_isolation_level: -1,
        filestream_transaction_id: None,
    }
}

fn session_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmTranSessionTransactions>> {
    let rows = ctx.engine.txns().transactions().into_iter().filter(|row| row.is_user).map(|row| {
        let id = row.id();
        // A session may end, or its transaction, between the two looks.
        let session = ctx.engine.session(row.session.0);
        let count = session.map_or(1, |session| session.tran_count.load(Relaxed).max(1));
        DmTranSessionTransactions {
            session_id: int(row.session.0),
            transaction_id: id,
            transaction_descriptor: bytes(&id.to_le_bytes()),
            enlist_count: 1,
            is_user_transaction: true,
            is_local: true,
            is_enlisted: false,
            is_bound: false,
            open_transaction_count: int(count),
        }
    });
    Ok(rows.collect())
}

pub(crate) fn lsn_number(lsn: Lsn) -> Option<LsnNumber> {
    Decimal::new(lsn.number(), 0).map(Numeric)
}

fn database_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmTranDatabaseTransactions>> {
    let mut rows = Rows::new();
    for open in ctx.engine.txns().transactions() {
        for (db, txn) in &open.databases {
            let database = ctx.engine.instance().database(*db);
            let log = database.as_ref().and_then(|database| database.log().ok().flatten());
            let active = log.and_then(|log| log.active_transactions().into_iter().find(|active| active.id == *txn));
            rows.push(DmTranDatabaseTransactions {
                transaction_id: open.id(),
                database_id: int(db.0),
                database_transaction_begin_time: Some(local(ctx, open.begun_us)),
                database_transaction_type: 1,
                database_transaction_state: if active.is_some() { 4 } else { 3 },
                database_transaction_status: 0,
                database_transaction_status2: 0,
                // Bytes are counted, records are not.
                database_transaction_log_record_count: None,
                database_transaction_replicate_record_count: 0,
                database_transaction_log_bytes_used: big(active.as_ref().map_or(0, |active| active.used_bytes)),
                database_transaction_log_bytes_reserved: big(active.as_ref().map_or(0, |active| active.reserved_bytes)),
                database_transaction_log_bytes_used_system: 0,
                database_transaction_log_bytes_reserved_system: 0,
                database_transaction_begin_lsn: active.as_ref().and_then(|active| lsn_number(active.first)),
                database_transaction_last_lsn: active.as_ref().and_then(|active| lsn_number(active.last)),
                database_transaction_most_recent_savepoint_lsn: None,
                database_transaction_commit_lsn: None,
                database_transaction_last_rollback_lsn: None,
                database_transaction_next_undo_lsn: active.as_ref().and_then(|active| lsn_number(active.last)),
            });
        }
    }
    Ok(rows)
}

fn snapshot_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmTranActiveSnapshotDatabaseTransactions>> {
    let open = ctx.engine.txns().transactions();
    let now_us = ctx.engine.instance().waits().now_us();
    let rows = ctx.engine.txns().snapshots().into_iter().map(|snapshot| DmTranActiveSnapshotDatabaseTransactions {
        transaction_id: id_of(snapshot.session, &open),
        transaction_sequence_num: big(snapshot.high.0),
        commit_sequence_num: None,
        session_id: int(snapshot.session.0),
        is_snapshot: snapshot.is_transaction,
        first_snapshot_sequence_num: big(snapshot.low.0),
        max_version_chain_traversed: 0,
        average_version_chain_traversed: 0,
        elapsed_time_seconds: big(now_us.saturating_sub(snapshot.since_us) / 1_000_000),
    });
    Ok(rows.collect())
}
