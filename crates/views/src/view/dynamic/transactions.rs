//! Locks and transactions: `sys.dm_tran_locks`, `dm_tran_active_transactions`, `dm_tran_session_transactions`,
//! `dm_tran_database_transactions`, `dm_tran_version_store_space_usage`, `dm_tran_active_snapshot_database_transactions`.
//!
//! What always holds: a transaction has one `transaction_id` in all of them while it is open; it is made of its session
//! and the moment when it began, because its number in logs and snapshots comes with its first change only.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::SessionId;
use millpond_storage::page::header::Lsn;
use millpond_txn::TransactionRow;
use millpond_txn::lock::{LockRow, LockStatus};
use millpond_types::{Decimal, Value};

use crate::view::ViewRows;
use crate::view::columns::{
    BIGINT, BIT, DATETIME, GUID, INT, LSN, SMALLINT, big, bit, col, int, moment, null, nvarchar, text, varbinary,
};

/// `sys.dm_tran_locks`
pub static DM_TRAN_LOCKS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_tran_locks",
    columns: &[
        col("resource_type", nvarchar(60)),
        col("resource_subtype", nvarchar(60)),
        col("resource_database_id", INT),
        col("resource_description", nvarchar(256)),
        null("resource_associated_entity_id", BIGINT),
        col("resource_lock_partition", INT),
        col("request_mode", nvarchar(60)),
        col("request_type", nvarchar(60)),
        col("request_status", nvarchar(60)),
        col("request_reference_count", SMALLINT),
        col("request_lifetime", INT),
        col("request_session_id", INT),
        col("request_exec_context_id", INT),
        col("request_request_id", INT),
        col("request_owner_type", nvarchar(60)),
        null("request_owner_id", BIGINT),
        null("request_owner_guid", GUID),
        col("request_owner_lockspace_id", nvarchar(32)),
        null("lock_owner_address", varbinary(8)),
    ],
    rows: &ViewRows(|ctx, _| {
        let open = ctx.engine.txns().transactions();
        let mut locks = ctx.engine.txns().locks().report();
        locks.sort_by_key(|lock| (lock.session, lock.resource.kind().name(), lock.resource.description()));
        Ok(locks.iter().map(|lock| lock_row(lock, &open)).collect())
    }),
};

/// `sys.dm_tran_active_transactions`
pub static DM_TRAN_ACTIVE_TRANSACTIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_tran_active_transactions",
    columns: &[
        col("transaction_id", BIGINT),
        col("name", nvarchar(32)),
        col("transaction_begin_time", DATETIME),
        col("transaction_type", INT),
        null("transaction_uow", GUID),
        col("transaction_state", INT),
        col("transaction_status", INT),
        col("transaction_status2", INT),
        col("dtc_state", INT),
        col("dtc_status", INT),
        col("dtc_isolation_level", INT),
        null("filestream_transaction_id", varbinary(128)),
    ],
    rows: &ViewRows(|ctx, _| Ok(ctx.engine.txns().transactions().iter().map(|row| active_row(ctx, row)).collect())),
};

/// `sys.dm_tran_session_transactions`
pub static DM_TRAN_SESSION_TRANSACTIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_tran_session_transactions",
    columns: &[
        col("session_id", INT),
        col("transaction_id", BIGINT),
        col("transaction_descriptor", varbinary(8)),
        col("enlist_count", INT),
        col("is_user_transaction", BIT),
        col("is_local", BIT),
        col("is_enlisted", BIT),
        col("is_bound", BIT),
        col("open_transaction_count", INT),
    ],
    rows: &ViewRows(session_rows),
};

/// `sys.dm_tran_database_transactions`
pub static DM_TRAN_DATABASE_TRANSACTIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_tran_database_transactions",
    columns: &[
        col("transaction_id", BIGINT),
        col("database_id", INT),
        null("database_transaction_begin_time", DATETIME),
        col("database_transaction_type", INT),
        col("database_transaction_state", INT),
        col("database_transaction_status", INT),
        col("database_transaction_log_bytes_used", BIGINT),
        col("database_transaction_log_bytes_reserved", BIGINT),
        null("database_transaction_begin_lsn", LSN),
        null("database_transaction_last_lsn", LSN),
    ],
    rows: &ViewRows(database_rows),
};

/// `sys.dm_tran_version_store_space_usage`
pub static DM_TRAN_VERSION_STORE_SPACE_USAGE: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_tran_version_store_space_usage",
    columns: &[col("database_id", INT), col("reserved_page_count", BIGINT), col("reserved_space_kb", BIGINT)],
    rows: &ViewRows(|ctx, _| {
        let row = |space: &millpond_txn::VersionSpace| {
            vec![int(space.db.0), big(space.reserved_pages), big(space.reserved_pages * 8)]
        };
        Ok(ctx.engine.txns().version_space().iter().map(row).collect())
    }),
};

/// `sys.dm_tran_active_snapshot_database_transactions`
pub static DM_TRAN_ACTIVE_SNAPSHOT_DATABASE_TRANSACTIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_tran_active_snapshot_database_transactions",
    columns: &[
        null("transaction_id", BIGINT),
        col("transaction_sequence_num", BIGINT),
        null("commit_sequence_num", BIGINT),
        col("session_id", INT),
        col("is_snapshot", BIT),
        col("first_snapshot_sequence_num", BIGINT),
        col("max_version_chain_traversed", INT),
        col("average_version_chain_traversed", SMALLINT),
        col("elapsed_time_seconds", BIGINT),
    ],
    rows: &ViewRows(snapshot_rows),
};

/// See the top of this file.
fn transaction_id(row: &TransactionRow) -> i64 {
    let mark = row.begun_us.unwrap_or(row.xsn) & 0xFF_FFFF_FFFF;
    i64::from(row.session.0) << 40 | mark.cast_signed()
}

fn id_of(session: SessionId, open: &[TransactionRow]) -> Value {
    open.iter().find(|row| row.session == session).map_or(Value::Null, |row| big(transaction_id(row)))
}

fn lock_row(lock: &LockRow, open: &[TransactionRow]) -> Vec<Value> {
    let status = match lock.status {
        LockStatus::Grant => "GRANT",
        LockStatus::Convert => "CONVERT",
        LockStatus::Wait => "WAIT",
    };
    let description = match &lock.name {
        Some(name) => format!("{}:[{name}]", lock.resource.description()),
        None => lock.resource.description(),
    };
    vec![
        text(lock.resource.kind().name()),
        text(""),
        int(lock.resource.db().0),
        text(&description),
        big(lock.resource.entity()),
        Value::Int(0),
        text(lock.mode.name()),
        text("LOCK"),
        text(status),
        Value::SmallInt(1),
        Value::Int(0),
        int(lock.session.0),
        Value::Int(0),
        Value::Int(0),
        text(lock.scope.name()),
        id_of(lock.session, open),
        Value::Null,
        text(""),
        Value::Null,
    ]
}

/// A moment of the waits' clock as local time.
fn local(ctx: &RunContext, begun_us: Option<u64>) -> Value {
    let now_us = ctx.engine.instance().waits().now_us();
    let ago_us = begun_us.map_or(0, |begun_us| now_us.saturating_sub(begun_us));
    moment(ctx.engine.now_us().1 - ago_us.cast_signed())
}

fn active_row(ctx: &RunContext, row: &TransactionRow) -> Vec<Value> {
    vec![
        big(transaction_id(row)),
        text(if row.is_user { "user_transaction" } else { "implicit_transaction" }),
        local(ctx, row.begun_us),
        // 1: reads and writes; 2: has read only.
        Value::Int(if row.databases.is_empty() { 2 } else { 1 }),
        Value::Null,
        Value::Int(2),
        Value::Int(0),
        Value::Int(0),
        Value::Int(0),
        Value::Int(0),
        Value::Int(-1),
        Value::Null,
    ]
}

fn session_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = ctx.engine.txns().transactions().into_iter().filter(|row| row.is_user).map(|row| {
        let id = transaction_id(&row);
        // Of other sessions the count at the end of their last request is known.
        let count = match row.session == ctx.session.id {
            true => ctx.facts.tran_count,
            false => ctx.engine.session(row.session.0).map_or(1, |session| session.status.lock().tran_count.max(1)),
        };
        vec![
            int(row.session.0),
            big(id),
            Value::Binary(id.to_le_bytes().into()),
            Value::Int(1),
            bit(true),
            bit(true),
            bit(false),
            bit(false),
            int(count),
        ]
    });
    Ok(rows.collect())
}

fn lsn(lsn: Lsn) -> Value {
    let number =
        i128::from(lsn.sequence) * 1_000_000_000_000_000 + i128::from(lsn.block) * 100_000 + i128::from(lsn.slot);
    Decimal::new(number, 0).map_or(Value::Null, Value::Decimal)
}

fn database_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for open in ctx.engine.txns().transactions() {
        for (db, txn) in &open.databases {
            let database = ctx.engine.instance().database(*db);
            let log = database.as_ref().and_then(|database| database.log().ok().flatten());
            let active = log.and_then(|log| log.active_transactions().into_iter().find(|active| active.id == *txn));
            rows.push(vec![
                big(transaction_id(&open)),
                int(db.0),
                local(ctx, open.begun_us),
                Value::Int(1),
                Value::Int(if active.is_some() { 4 } else { 3 }),
                Value::Int(0),
                big(active.as_ref().map_or(0, |active| active.used_bytes)),
                big(active.as_ref().map_or(0, |active| active.reserved_bytes)),
                active.as_ref().map_or(Value::Null, |active| lsn(active.first)),
                active.as_ref().map_or(Value::Null, |active| lsn(active.last)),
            ]);
        }
    }
    Ok(rows)
}

fn snapshot_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let open = ctx.engine.txns().transactions();
    let now_us = ctx.engine.instance().waits().now_us();
    let rows = ctx.engine.txns().snapshots().into_iter().map(|snapshot| {
        vec![
            id_of(snapshot.session, &open),
            big(snapshot.high.0),
            Value::Null,
            int(snapshot.session.0),
            bit(snapshot.is_transaction),
            big(snapshot.low.0),
            Value::Int(0),
            Value::SmallInt(0),
            big(now_us.saturating_sub(snapshot.since_us) / 1_000_000),
        ]
    });
    Ok(rows.collect())
}
