//! `sys.dm_db_file_space_usage`, `sys.dm_db_session_space_usage`, `sys.dm_db_task_space_usage`.
//! Pages of IAM pages are in the mixed extents, not with the objects.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_txn::{SessionSpace, SpaceCount};
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, INT, SMALLINT, big, col, null, small};

/// `sys.dm_db_file_space_usage`
pub static DM_DB_FILE_SPACE_USAGE: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_db_file_space_usage",
    columns: &[
        null("database_id", SMALLINT),
        null("file_id", SMALLINT),
        null("filegroup_id", SMALLINT),
        null("total_page_count", BIGINT),
        null("allocated_extent_page_count", BIGINT),
        null("unallocated_extent_page_count", BIGINT),
        null("version_store_reserved_page_count", BIGINT),
        null("user_object_reserved_page_count", BIGINT),
        null("internal_object_reserved_page_count", BIGINT),
        null("mixed_extent_page_count", BIGINT),
        null("modified_extent_page_count", BIGINT),
    ],
    rows: &ViewRows(file_rows),
};

/// `sys.dm_db_session_space_usage`: finished requests only; what the session has now, and the most that it had at once,
/// are columns of ours.
pub static DM_DB_SESSION_SPACE_USAGE: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_db_session_space_usage",
    columns: &[
        null("session_id", SMALLINT),
        null("database_id", SMALLINT),
        null("user_objects_alloc_page_count", BIGINT),
        null("user_objects_dealloc_page_count", BIGINT),
        null("internal_objects_alloc_page_count", BIGINT),
        null("internal_objects_dealloc_page_count", BIGINT),
        null("user_objects_deferred_dealloc_page_count", BIGINT),
        col("current_page_count", BIGINT),
        col("peak_page_count", BIGINT),
    ],
    rows: &ViewRows(session_rows),
};

/// `sys.dm_db_task_space_usage`: running requests.
pub static DM_DB_TASK_SPACE_USAGE: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_db_task_space_usage",
    columns: &[
        col("session_id", SMALLINT),
        null("request_id", INT),
        null("exec_context_id", INT),
        null("database_id", SMALLINT),
        null("user_objects_alloc_page_count", BIGINT),
        null("user_objects_dealloc_page_count", BIGINT),
        null("internal_objects_alloc_page_count", BIGINT),
        null("internal_objects_dealloc_page_count", BIGINT),
    ],
    rows: &ViewRows(task_rows),
};

fn file_rows(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = ctx.engine.instance().space_report(database.database).into_iter().map(|file| {
        let [user, internal, version] = file.reserved;
        vec![
            small(database.database.0),
            small(file.file.0),
            small(1),
            big(file.total),
            big(file.allocated),
            big(file.total.saturating_sub(file.allocated)),
            big(version),
            big(user),
            big(internal),
            big(file.mixed),
            Value::BigInt(0),
        ]
    });
    Ok(rows.collect())
}

fn counts(count: SpaceCount) -> [Value; 4] {
    [big(count.user_alloc), big(count.user_dealloc), big(count.internal_alloc), big(count.internal_dealloc)]
}

fn session_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = ctx.engine.txns().report().into_iter().map(|session: SessionSpace| {
        let mut row = vec![small(session.session.0), small(DbId::TEMPDB.0)];
        row.extend(counts(session.finished));
        row.extend([Value::BigInt(0), big(session.pages), big(session.peak_pages)]);
        row
    });
    Ok(rows.collect())
}

fn task_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = ctx.engine.txns().report().into_iter().filter_map(|session| {
        let mut row = vec![small(session.session.0), Value::Int(0), Value::Int(0), small(DbId::TEMPDB.0)];
        row.extend(counts(session.task?));
        Some(row)
    });
    Ok(rows.collect())
}
