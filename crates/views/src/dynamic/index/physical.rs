//! `sys.dm_db_index_physical_stats`: levels, order and filling of tables and indexes.

use std::sync::Arc;

use millpond_access::tree::{LevelStatistics, StatisticsMode};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{IndexDef, ObjectId, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::ListedTable;
use millpond_engine::rows::TableRows;
use millpond_engine::stored::place_of;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::columns::{NVarChar, big, int, small, text};
use crate::dynamic::index::{Asked, Visited};
use crate::row::{Rows, row, table_function};
use millpond_access::tree;

row! {
    /// Versions that lie in rows under accelerated recovery, which nothing does here.
    #[derive(Default)]
    struct VersionCounts {
        version_record_count: Option<i64>,
        inrow_version_record_count: Option<i64>,
        inrow_diff_version_record_count: Option<i64>,
        total_inrow_version_payload_size_in_bytes: Option<i64>,
        offrow_regular_version_record_count: Option<i64>,
        offrow_long_term_version_record_count: Option<i64>,
    }
}

row! {
    /// A row of `sys.dm_db_index_physical_stats`.
    struct DmDbIndexPhysicalStats {
        database_id: Option<i16>,
        object_id: Option<i32>,
        index_id: Option<i32>,
        partition_number: Option<i32>,
        index_type_desc: Option<NVarChar<60>>,
        alloc_unit_type_desc: Option<NVarChar<60>>,
        index_depth: Option<u8>,
        index_level: Option<u8>,
        avg_fragmentation_in_percent: Option<f64>,
        fragment_count: Option<i64>,
        avg_fragment_size_in_pages: Option<f64>,
        page_count: Option<i64>,
        avg_page_space_used_in_percent: Option<f64>,
        record_count: Option<i64>,
        ghost_record_count: Option<i64>,
        version_ghost_record_count: Option<i64>,
        min_record_size_in_bytes: Option<i32>,
        max_record_size_in_bytes: Option<i32>,
        avg_record_size_in_bytes: Option<f64>,
        forwarded_record_count: Option<i64>,
        compressed_page_count: Option<i64>,
        hobt_id: Option<i64>,
        columnstore_delete_buffer_state: u8,
        columnstore_delete_buffer_state_desc: NVarChar<60>,
        versions: VersionCounts,
    }
}

/// `sys.dm_db_index_physical_stats(database_id, object_id, index_id, partition_number, mode)`
pub static DM_DB_INDEX_PHYSICAL_STATS: TableFunctionDef = table_function!(
    "sys", "dm_db_index_physical_stats", [i16, i32, i32, i32, NVarChar<20>],
    optional 0, DmDbIndexPhysicalStats, rows
);

fn mode_of(arg: Option<&Value>) -> SqlResult<StatisticsMode> {
    let word = arg.and_then(Value::as_str).unwrap_or_default().to_ascii_uppercase();
    match word.as_str() {
        "" | "DEFAULT" | "LIMITED" => Ok(StatisticsMode::Limited),
        "SAMPLED" => Ok(StatisticsMode::Sampled),
        "DETAILED" => Ok(StatisticsMode::Detailed),
        _ => Err(SqlError::of(2561, 1, &[&5])),
    }
}

fn rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbIndexPhysicalStats>> {
    let mode = mode_of(args.get(4))?;
    let mut rows = Rows::new();
    Asked::of(args).visit(ctx, |visited| {
        let Visited { database, shown, def, trees, position, index, tree } = *visited;
        let found = tree::statistics::of_tree(tree, &ctx.ask_other(), mode);
        let found = found.map_err(|cause| message::of_access(cause, place_of(def)))?;
        let hobt = tree.ids().hobt;
        rows.extend(found.levels.iter().map(|level| level_row(database, shown, index, (found.depth, hobt), level)));
        rows.extend(large_row(ctx, (database, shown), (def, trees), position, hobt)?);
        Ok(())
    })?;
    Ok(rows)
}

fn kind_of(index: &IndexDef) -> &'static str {
    match index.id {
        0 => "HEAP",
        1 => "CLUSTERED INDEX",
        _ => "NONCLUSTERED INDEX",
    }
}

/// The values beyond the rows: pages alone are counted.
fn large_row(
    ctx: &RunContext,
    (db, shown): (DbId, ObjectId),
    (def, trees): (&Arc<TableDef>, &Arc<TableTrees>),
    position: usize,
    hobt: u64,
) -> SqlResult<Option<DmDbIndexPhysicalStats>> {
    let rows = TableRows::Trees(Arc::clone(trees));
    let table = ListedTable { id: def.id.0, name: def.name.clone(), def: Arc::clone(def), rows };
    let Some(large) = table.large_pages(ctx, position)? else { return Ok(None) };
    let index = &def.indexes[position];
    Ok(Some(DmDbIndexPhysicalStats {
        database_id: Some(small(db.0)),
        object_id: Some(int(shown.0)),
        index_id: Some(int(index.id)),
        partition_number: Some(1),
        index_type_desc: Some(text(kind_of(index))),
        alloc_unit_type_desc: Some(text(large.kind().1)),
        index_depth: Some(1),
        index_level: Some(0),
        avg_fragmentation_in_percent: Some(0.0),
        fragment_count: None,
        avg_fragment_size_in_pages: None,
        page_count: Some(big(large.pages.used.saturating_sub(1))),
        avg_page_space_used_in_percent: None,
        record_count: None,
        ghost_record_count: None,
        version_ghost_record_count: None,
        min_record_size_in_bytes: None,
        max_record_size_in_bytes: None,
        avg_record_size_in_bytes: None,
        forwarded_record_count: None,
        compressed_page_count: None,
        hobt_id: Some(big(hobt)),
        columnstore_delete_buffer_state: 0,
        columnstore_delete_buffer_state_desc: text("NOT VALID"),
        versions: VersionCounts::default(),
    }))
}

fn level_row(
    db: DbId,
    shown: ObjectId,
    index: &IndexDef,
    (depth, hobt): (u32, u64),
    level: &LevelStatistics,
) -> DmDbIndexPhysicalStats {
    let kind = kind_of(index);
    // Limited mode has not looked into the pages.
    let is_read = level.pages_read != 0;
    let average = |sum: u64, count: u64| if count == 0 { 0.0 } else { sum as f64 / count as f64 };
    DmDbIndexPhysicalStats {
        database_id: Some(small(db.0)),
        object_id: Some(int(shown.0)),
        index_id: Some(int(index.id)),
        partition_number: Some(1),
        index_type_desc: Some(text(kind)),
        alloc_unit_type_desc: Some(text("IN_ROW_DATA")),
        index_depth: Some(u8::try_from(depth).unwrap_or(u8::MAX)),
        index_level: Some(level.level),
        avg_fragmentation_in_percent: Some(level.fragmentation_percent()),
        fragment_count: Some(big(level.fragments)),
        avg_fragment_size_in_pages: Some(average(level.pages, level.fragments)),
        page_count: Some(big(level.pages)),
        avg_page_space_used_in_percent: is_read.then(|| level.used_percent()),
        record_count: is_read.then(|| big(level.records - level.ghosts)),
        ghost_record_count: is_read.then(|| big(level.ghosts)),
        version_ghost_record_count: is_read.then_some(0),
        min_record_size_in_bytes: is_read.then(|| int(level.record_bytes_min)),
        max_record_size_in_bytes: is_read.then(|| int(level.record_bytes_max)),
        avg_record_size_in_bytes: is_read.then(|| average(level.record_bytes, level.records)),
        forwarded_record_count: None,
        compressed_page_count: is_read.then_some(0),
        hobt_id: Some(big(hobt)),
        columnstore_delete_buffer_state: 0,
        columnstore_delete_buffer_state_desc: text("NOT VALID"),
        versions: VersionCounts::default(),
    }
}
