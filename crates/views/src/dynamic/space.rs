//! `sys.dm_db_file_space_usage`, `sys.dm_db_session_space_usage`, `sys.dm_db_task_space_usage`.
//! Pages of IAM pages are in the mixed extents, not with the objects.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_txn::{SessionSpace, SpaceCount};

use crate::columns::{big, small};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_db_file_space_usage`.
    struct DmDbFileSpaceUsage {
        database_id: Option<i16>,
        file_id: Option<i16>,
        filegroup_id: Option<i16>,
        total_page_count: Option<i64>,
        allocated_extent_page_count: Option<i64>,
        unallocated_extent_page_count: Option<i64>,
        version_store_reserved_page_count: Option<i64>,
        user_object_reserved_page_count: Option<i64>,
        internal_object_reserved_page_count: Option<i64>,
        mixed_extent_page_count: Option<i64>,
        modified_extent_page_count: Option<i64>,
    }
}

/// `sys.dm_db_file_space_usage`
pub static DM_DB_FILE_SPACE_USAGE: ViewDef = view("sys", "dm_db_file_space_usage", &ViewRows(file_rows));

row! {
    /// Pages that a session or a task was given and gave back.
    struct SpaceCounts {
        user_objects_alloc_page_count: Option<i64>,
        user_objects_dealloc_page_count: Option<i64>,
        internal_objects_alloc_page_count: Option<i64>,
        internal_objects_dealloc_page_count: Option<i64>,
    }
}

row! {
    /// A row of `sys.dm_db_session_space_usage`.
    struct DmDbSessionSpaceUsage {
        session_id: Option<i16>,
        database_id: Option<i16>,
        counts: SpaceCounts,
        user_objects_deferred_dealloc_page_count: Option<i64>,
        current_page_count: i64,
        peak_page_count: i64,
    }
}

/// `sys.dm_db_session_space_usage`: finished requests only; what the session has now, and the most that it had at once,
/// are columns of ours.
pub static DM_DB_SESSION_SPACE_USAGE: ViewDef = view("sys", "dm_db_session_space_usage", &ViewRows(session_rows));

row! {
    /// A row of `sys.dm_db_task_space_usage`.
    struct DmDbTaskSpaceUsage {
        session_id: i16,
        request_id: Option<i32>,
        exec_context_id: Option<i32>,
        database_id: Option<i16>,
        counts: SpaceCounts,
    }
}

/// `sys.dm_db_task_space_usage`: running requests.
pub static DM_DB_TASK_SPACE_USAGE: ViewDef = view("sys", "dm_db_task_space_usage", &ViewRows(task_rows));

fn file_rows(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DmDbFileSpaceUsage>> {
    let objects = inventory::definitions(ctx, database)?;
    let spaces = objects.data_spaces();
    let rows = ctx.engine.instance().space_report(database.database).into_iter().map(|file| {
        let [user, internal, version] = file.reserved;
        DmDbFileSpaceUsage {
            database_id: Some(small(database.database.0)),
            file_id: Some(small(file.file.0)),
            filegroup_id: Some(small(spaces.group_of_file(file.file.0))),
            total_page_count: Some(big(file.total)),
            allocated_extent_page_count: Some(big(file.allocated)),
            unallocated_extent_page_count: Some(big(file.total.saturating_sub(file.allocated))),
            version_store_reserved_page_count: Some(big(version)),
            user_object_reserved_page_count: Some(big(user)),
            internal_object_reserved_page_count: Some(big(internal)),
            mixed_extent_page_count: Some(big(file.mixed)),
            modified_extent_page_count: Some(0),
        }
    });
    Ok(rows.collect())
}

fn counts(count: SpaceCount) -> SpaceCounts {
    SpaceCounts {
        user_objects_alloc_page_count: Some(big(count.user_alloc)),
        user_objects_dealloc_page_count: Some(big(count.user_dealloc)),
        internal_objects_alloc_page_count: Some(big(count.internal_alloc)),
        internal_objects_dealloc_page_count: Some(big(count.internal_dealloc)),
    }
}

fn session_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbSessionSpaceUsage>> {
    let rows = ctx.engine.txns().report().into_iter().map(|session: SessionSpace| DmDbSessionSpaceUsage {
        session_id: Some(small(session.session.0)),
        database_id: Some(small(DbId::TEMPDB.0)),
        counts: counts(session.finished),
        user_objects_deferred_dealloc_page_count: Some(0),
        current_page_count: big(session.pages),
        peak_page_count: big(session.peak_pages),
    });
    Ok(rows.collect())
}

fn task_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbTaskSpaceUsage>> {
    let rows = ctx.engine.txns().report().into_iter().filter_map(|session| {
        Some(DmDbTaskSpaceUsage {
            session_id: small(session.session.0),
            request_id: Some(0),
            exec_context_id: Some(0),
            database_id: Some(small(DbId::TEMPDB.0)),
            counts: counts(session.task?),
        })
    });
    Ok(rows.collect())
}
