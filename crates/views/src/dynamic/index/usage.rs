//! `sys.dm_db_index_usage_stats` and `sys.dm_db_index_operational_stats`: what statements did with indexes since these were
//! opened or built.

use std::sync::atomic::Ordering::Relaxed;

use millpond_access::tree::TreeUse;
use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{DateTime, Value};

use crate::columns::{big, datetime_of, int, small};
use crate::dynamic::index::{Asked, Visited};
use crate::row::{Rows, ViewRows, row, table_function, view};

row! {
    /// A row of `sys.dm_db_index_usage_stats`.
    struct DmDbIndexUsageStats {
        database_id: i16,
        object_id: i32,
        index_id: i32,
        user_seeks: i64,
        user_scans: i64,
        user_lookups: i64,
        user_updates: i64,
        last_user_seek: Option<DateTime>,
        last_user_scan: Option<DateTime>,
        last_user_lookup: Option<DateTime>,
        last_user_update: Option<DateTime>,
        system_seeks: i64,
        system_scans: i64,
        system_lookups: i64,
        system_updates: i64,
        last_system_seek: Option<DateTime>,
        last_system_scan: Option<DateTime>,
        last_system_lookup: Option<DateTime>,
        last_system_update: Option<DateTime>,
    }
}

/// `sys.dm_db_index_usage_stats`: indexes that some statement has used. What the server does by itself is not counted.
pub static DM_DB_INDEX_USAGE_STATS: ViewDef = view("sys", "dm_db_index_usage_stats", &ViewRows(usage));

row! {
    /// A row of `sys.dm_db_index_operational_stats`.
    #[derive(Default)]
    struct DmDbIndexOperationalStats {
        database_id: i16,
        object_id: i32,
        index_id: i32,
        partition_number: i32,
        hobt_id: i64,
        leaf_insert_count: i64,
        leaf_delete_count: i64,
        leaf_update_count: i64,
        leaf_ghost_count: i64,
        nonleaf_insert_count: i64,
        nonleaf_delete_count: i64,
        nonleaf_update_count: i64,
        leaf_allocation_count: i64,
        nonleaf_allocation_count: i64,
        leaf_page_merge_count: i64,
        nonleaf_page_merge_count: i64,
        range_scan_count: i64,
        singleton_lookup_count: i64,
        forwarded_fetch_count: i64,
        lob_fetch_in_pages: i64,
        lob_fetch_in_bytes: i64,
        lob_orphan_create_count: i64,
        lob_orphan_insert_count: i64,
        row_overflow_fetch_in_pages: i64,
        row_overflow_fetch_in_bytes: i64,
        column_value_push_off_row_count: i64,
        column_value_pull_in_row_count: i64,
        row_lock_count: i64,
        row_lock_wait_count: i64,
        row_lock_wait_in_ms: i64,
        page_lock_count: i64,
        page_lock_wait_count: i64,
        page_lock_wait_in_ms: i64,
        index_lock_promotion_attempt_count: i64,
        index_lock_promotion_count: i64,
        page_latch_wait_count: i64,
        page_latch_wait_in_ms: i64,
        page_io_latch_wait_count: i64,
        page_io_latch_wait_in_ms: i64,
        tree_page_latch_wait_count: i64,
        tree_page_latch_wait_in_ms: i64,
        tree_page_io_latch_wait_count: i64,
        tree_page_io_latch_wait_in_ms: i64,
        page_compression_attempt_count: i64,
        page_compression_success_count: i64,
    }
}

/// `sys.dm_db_index_operational_stats(database_id, object_id, index_id, partition_number)`: entries that came, changed and
/// went, scans and lookups, splits, locks of rows. Locks of pages do not occur; latches and large values are not counted by index: 0.
pub static DM_DB_INDEX_OPERATIONAL_STATS: TableFunctionDef = table_function!(
    "sys", "dm_db_index_operational_stats", [i16, i32, i32, i32],
    optional 0, DmDbIndexOperationalStats, operational
);

fn usage(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbIndexUsageStats>> {
    // Uses have their time by the clock that began with the server.
    let (clock_us, now_us) = (ctx.engine.clock_us(), ctx.engine.now_us().1);
    let began_us = now_us.saturating_sub_unsigned(clock_us);
    let mut rows = Rows::new();
    Asked::default().visit(ctx, |Visited { database, shown, index, tree, .. }| {
        let count = |how| tree.activity.of(how).statements.load(Relaxed);
        let last = |how| {
            let last_us = tree.activity.of(how).last_us.load(Relaxed);
            (count(how) > 0).then(|| datetime_of(began_us.saturating_add_unsigned(last_us)))
        };
        if TreeUse::ALL.into_iter().all(|how| count(how) == 0) {
            return Ok(());
        }
        rows.push(DmDbIndexUsageStats {
            database_id: small(database.0),
            object_id: int(shown.0),
            index_id: int(index.id),
            user_seeks: big(count(TreeUse::Seek)),
            user_scans: big(count(TreeUse::Scan)),
            user_lookups: big(count(TreeUse::Lookup)),
            user_updates: big(count(TreeUse::Update)),
            last_user_seek: last(TreeUse::Seek),
            last_user_scan: last(TreeUse::Scan),
            last_user_lookup: last(TreeUse::Lookup),
            last_user_update: last(TreeUse::Update),
            system_seeks: 0,
            system_scans: 0,
            system_lookups: 0,
            system_updates: 0,
            last_system_seek: None,
            last_system_scan: None,
            last_system_lookup: None,
            last_system_update: None,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn operational(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbIndexOperationalStats>> {
    let mut rows = Rows::new();
    Asked::of(args).visit(ctx, |Visited { database, shown, index, tree, .. }| {
        let count = |number: &std::sync::atomic::AtomicU64| big(number.load(Relaxed));
        let (activity, (came, went)) = (&tree.activity, tree.arrivals());
        rows.push(DmDbIndexOperationalStats {
            database_id: small(database.0),
            object_id: int(shown.0),
            index_id: int(index.id),
            partition_number: 1,
            hobt_id: big(tree.ids().hobt),
            leaf_insert_count: big(came),
            leaf_delete_count: big(went),
            leaf_update_count: count(&activity.updates),
            // A row that is deleted is a ghost first, whatever becomes of it.
            leaf_ghost_count: big(went),
            leaf_allocation_count: count(&activity.leaf_splits),
            nonleaf_allocation_count: count(&activity.interior_splits),
            // Each new page has an entry in a page above it.
            nonleaf_insert_count: big(activity.leaf_splits.load(Relaxed) + activity.interior_splits.load(Relaxed)),
            row_lock_count: count(&activity.row_locks),
            row_lock_wait_count: count(&activity.row_lock_waits),
            row_lock_wait_in_ms: big(activity.row_lock_wait_us.load(Relaxed) / 1000),
            range_scan_count: count(&activity.range_scans),
            singleton_lookup_count: count(&activity.singleton_lookups),
            ..DmDbIndexOperationalStats::default()
        });
        Ok(())
    })?;
    Ok(rows)
}
