//! `sys.dm_db_index_physical_stats`: levels, order and filling of tables and indexes.

use std::sync::Arc;

use millpond_access::tree::{LevelStatistics, StatisticsMode};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{CatalogObject, IndexDef, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::ListedTable;
use millpond_engine::rows::TableRows;
use millpond_engine::stored::place_of;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::view::columns::{BIGINT, FLOAT, INT, SMALLINT, TINYINT, big, col, int, null, nvarchar, small, text, tiny};

/// `sys.dm_db_index_physical_stats(database_id, object_id, index_id, partition_number, mode)`
pub static DM_DB_INDEX_PHYSICAL_STATS: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_db_index_physical_stats",
    params: &[SMALLINT, INT, INT, INT, nvarchar(20)],
    optional: 0,
    columns: &[
        null("database_id", SMALLINT),
        null("object_id", INT),
        null("index_id", INT),
        null("partition_number", INT),
        null("index_type_desc", nvarchar(60)),
        null("alloc_unit_type_desc", nvarchar(60)),
        null("index_depth", TINYINT),
        null("index_level", TINYINT),
        null("avg_fragmentation_in_percent", FLOAT),
        null("fragment_count", BIGINT),
        null("avg_fragment_size_in_pages", FLOAT),
        null("page_count", BIGINT),
        null("avg_page_space_used_in_percent", FLOAT),
        null("record_count", BIGINT),
        null("ghost_record_count", BIGINT),
        null("version_ghost_record_count", BIGINT),
        null("min_record_size_in_bytes", INT),
        null("max_record_size_in_bytes", INT),
        null("avg_record_size_in_bytes", FLOAT),
        null("forwarded_record_count", BIGINT),
        null("compressed_page_count", BIGINT),
        null("hobt_id", BIGINT),
        col("columnstore_delete_buffer_state", TINYINT),
        col("columnstore_delete_buffer_state_desc", nvarchar(60)),
    ],
    rows: |run, args| rows(RunContext::of(run), args),
};

fn mode_of(arg: Option<&Value>) -> SqlResult<StatisticsMode> {
    let word = arg.and_then(Value::as_str).unwrap_or_default().to_ascii_uppercase();
    match word.as_str() {
        "" | "DEFAULT" | "LIMITED" => Ok(StatisticsMode::Limited),
        "SAMPLED" => Ok(StatisticsMode::Sampled),
        "DETAILED" => Ok(StatisticsMode::Detailed),
        _ => Err(SqlError::of(2561, 1, &[&5])),
    }
}

fn rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    let wanted = |index: usize| args.get(index).and_then(Value::as_i64).filter(|number| *number != 0);
    let index_id = args.get(2).and_then(Value::as_i64).filter(|number| *number >= 0);
    let mode = mode_of(args.get(4))?;
    let mut rows = Vec::new();
    for database in ctx.engine.instance().all_databases() {
        if wanted(0).is_some_and(|id| id != i64::from(database.id().0)) || database.check_online().is_err() {
            continue;
        }
        let objects = ctx.engine.databases().dictionary(database.id())?.catalog().objects();
        for object in objects.iter() {
            let CatalogObject::Table(def, trees) = object else { continue };
            if wanted(1).is_some_and(|id| id != i64::from(def.id.0)) {
                continue;
            }
            for (position, (index, tree)) in def.indexes.iter().zip(&trees.trees).enumerate() {
                if index_id.is_some_and(|id| id != i64::from(index.id)) {
                    continue;
                }
                let found = tree.statistics(&ctx.ask_other(), mode);
                let found = found.map_err(|cause| message::of_access(cause, place_of(def)))?;
                let hobt = tree.ids().hobt;
                rows.extend(
                    found.levels.iter().map(|level| row(database.id(), def, index, (found.depth, hobt), level)),
                );
                rows.extend(large_row(ctx, database.id(), (def, trees), position, hobt)?);
            }
        }
    }
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
    db: DbId,
    (def, trees): (&Arc<TableDef>, &Arc<TableTrees>),
    position: usize,
    hobt: u64,
) -> SqlResult<Option<Vec<Value>>> {
    let rows = TableRows::Trees(Arc::clone(trees));
    let table = ListedTable { id: def.id.0, name: def.name.clone(), def: Arc::clone(def), rows };
    let Some(large) = table.large_pages(ctx, position)? else { return Ok(None) };
    let index = &def.indexes[position];
    let mut row = vec![small(db.0), int(def.id.0), int(index.id), Value::Int(1), text(kind_of(index))];
    row.extend([text(large.kind().1), tiny(1), tiny(0), Value::Float(0.0), Value::Null, Value::Null]);
    row.push(big(large.pages.used.saturating_sub(1)));
    row.extend(std::iter::repeat_n(Value::Null, 9));
    row.extend([big(hobt), tiny(0), text("NOT VALID")]);
    Ok(Some(row))
}

fn row(db: DbId, def: &TableDef, index: &IndexDef, (depth, hobt): (u32, u64), level: &LevelStatistics) -> Vec<Value> {
    let kind = kind_of(index);
    // Limited mode has not looked into the pages.
    let read = |value: Value| if level.pages_read == 0 { Value::Null } else { value };
    let average = |sum: u64, count: u64| if count == 0 { 0.0 } else { sum as f64 / count as f64 };
    vec![
        small(db.0),
        int(def.id.0),
        int(index.id),
        Value::Int(1),
        text(kind),
        text("IN_ROW_DATA"),
        tiny(u8::try_from(depth).unwrap_or(u8::MAX)),
        tiny(level.level),
        Value::Float(level.fragmentation_percent()),
        big(level.fragments),
        Value::Float(average(level.pages, level.fragments)),
        big(level.pages),
        read(Value::Float(level.used_percent())),
        read(big(level.records - level.ghosts)),
        read(big(level.ghosts)),
        read(Value::BigInt(0)),
        read(int(level.record_bytes_min)),
        read(int(level.record_bytes_max)),
        read(Value::Float(average(level.record_bytes, level.records))),
        Value::Null,
        read(Value::BigInt(0)),
        big(hobt),
        tiny(0),
        text("NOT VALID"),
    ]
}
