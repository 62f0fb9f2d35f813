//! Memory of memory-optimized table variables: `sys.dm_db_xtp_memory_consumers`, `sys.dm_xtp_system_memory_consumers`,
//! `sys.dm_db_xtp_table_memory_stats`, and `sys.dm_millpond_memory_variables`, which says whose they are.
//!
//! What always holds: the variables of all sessions are listed, seen from whatever database: they belong to none. Only
//! table types are memory-optimized here, so there is nothing else to list. Bytes are what is really held: entries with
//! their keys and what keeping them costs.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value};

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, INT, SMALLINT, SYSNAME, big, col, int, null, small, text};

const TEXT_64: SqlType = SqlType::NVarChar { len: MaxLen::Limited(64) };
const ADDRESS: SqlType = SqlType::VarBinary { len: MaxLen::Limited(8) };

/// `sys.dm_db_xtp_memory_consumers`: rows and each index of every variable.
pub static DM_DB_XTP_MEMORY_CONSUMERS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_db_xtp_memory_consumers",
    columns: &[
        col("memory_consumer_id", BIGINT),
        col("memory_consumer_type", INT),
        col("memory_consumer_type_desc", TEXT_64),
        col("memory_consumer_desc", TEXT_64),
        null("object_id", BIGINT),
        null("xtp_object_id", BIGINT),
        null("index_id", INT),
        col("allocated_bytes", BIGINT),
        col("used_bytes", BIGINT),
        col("allocation_count", INT),
        col("partition_count", INT),
        col("sizeclass_count", INT),
        col("min_sizeclass", INT),
        col("max_sizeclass", INT),
        null("memory_consumer_address", ADDRESS),
    ],
    rows: &ViewRows(consumers),
};

/// `sys.dm_xtp_system_memory_consumers`: all variables together, against the limit.
pub static DM_XTP_SYSTEM_MEMORY_CONSUMERS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_xtp_system_memory_consumers",
    columns: &[
        col("memory_consumer_id", BIGINT),
        col("memory_consumer_type", INT),
        col("memory_consumer_type_desc", TEXT_64),
        col("memory_consumer_desc", TEXT_64),
        null("lookaside_id", BIGINT),
        null("pagepool_id", BIGINT),
        col("allocated_bytes", BIGINT),
        col("used_bytes", BIGINT),
        col("allocation_count", INT),
        col("partition_count", INT),
        col("sizeclass_count", INT),
        col("min_sizeclass", INT),
        col("max_sizeclass", INT),
        null("memory_consumer_address", ADDRESS),
    ],
    rows: &ViewRows(system),
};

/// `sys.dm_db_xtp_table_memory_stats`
pub static DM_DB_XTP_TABLE_MEMORY_STATS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_db_xtp_table_memory_stats",
    columns: &[
        null("object_id", INT),
        null("memory_allocated_for_table_kb", BIGINT),
        null("memory_used_by_table_kb", BIGINT),
        null("memory_allocated_for_indexes_kb", BIGINT),
        null("memory_used_by_indexes_kb", BIGINT),
    ],
    rows: &ViewRows(tables),
};

/// `sys.dm_millpond_memory_variables`: whose the variables are; `limit_bytes`, `peak_bytes` and `refusals` are the
/// server's.
pub static DM_MILLPOND_MEMORY_VARIABLES: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_millpond_memory_variables",
    columns: &[
        col("session_id", SMALLINT),
        col("object_id", INT),
        col("name", SYSNAME),
        col("rows", BIGINT),
        col("used_bytes", BIGINT),
        col("limit_bytes", BIGINT),
        col("peak_bytes", BIGINT),
        col("refusals", BIGINT),
    ],
    rows: &ViewRows(variables),
};

/// What an index of a variable holds.
struct Held {
    index_id: u16,
    is_hash: bool,
    entries: u64,
    bytes: u64,
}

struct Variable {
    session: u16,
    object: u32,
    name: String,
    /// The rows first.
    indexes: Vec<Held>,
}

fn all(ctx: &RunContext) -> Vec<Variable> {
    let mut found = Vec::new();
    for session in ctx.engine.sessions() {
        let temp = session.temp.read();
        for table in temp.tables().filter(|table| !table.is_borrowed) {
            let Some(memory) = table.memory() else { continue };
            let both = table.def.indexes.iter().zip(memory.usage());
            let indexes = both.map(|(index, held)| Held {
                index_id: index.id,
                is_hash: index.options.bucket_count.is_some(),
                entries: held.entries,
                bytes: held.bytes,
            });
            found.push(Variable {
                session: session.id.0,
                object: table.heap.object_id().0,
                name: table.def.name.clone(),
                indexes: indexes.collect(),
            });
        }
    }
    found
}

fn consumers(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for variable in all(ctx) {
        for held in &variable.indexes {
            let (kind, name, what) = match (held.index_id, held.is_hash) {
                (0, _) => (2, "VARHEAP", "Table heap"),
                (_, true) => (3, "HASH", "Hash index"),
                (_, false) => (2, "VARHEAP", "Range index heap"),
            };
            let object = big(u64::from(variable.object));
            rows.push(vec![
                big(rows.len() as u64 + 1),
                int(kind),
                text(name),
                text(what),
                object.clone(),
                object,
                if held.index_id == 0 { Value::Null } else { int(i32::from(held.index_id)) },
                big(held.bytes),
                big(held.bytes),
                int(held.entries),
                int(1),
                int(0),
                int(0),
                int(0),
                Value::Null,
            ]);
        }
    }
    Ok(rows)
}

fn system(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let budget = ctx.engine.memory_tables();
    let count: u64 = all(ctx).iter().flat_map(|variable| &variable.indexes).map(|held| held.entries).sum();
    Ok(vec![vec![
        big(1),
        int(2),
        text("VARHEAP"),
        text("Memory-optimized table variables"),
        Value::Null,
        Value::Null,
        big(budget.used_bytes()),
        big(budget.used_bytes()),
        int(count),
        int(1),
        int(0),
        int(0),
        int(0),
        Value::Null,
    ]])
}

fn kb(bytes: u64) -> Value {
    big(bytes.div_ceil(1024))
}

fn tables(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let row = |variable: Variable| {
        let (rows, indexes): (Vec<&Held>, Vec<&Held>) = variable.indexes.iter().partition(|held| held.index_id == 0);
        let sum = |held: &[&Held]| kb(held.iter().map(|held| held.bytes).sum());
        vec![int(variable.object), sum(&rows), sum(&rows), sum(&indexes), sum(&indexes)]
    };
    Ok(all(ctx).into_iter().map(row).collect())
}

fn variables(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let budget = ctx.engine.memory_tables();
    let row = |variable: Variable| {
        vec![
            small(variable.session),
            int(variable.object),
            text(&variable.name),
            big(variable.indexes[0].entries),
            big(variable.indexes.iter().map(|held| held.bytes).sum::<u64>()),
            big(budget.limit_bytes()),
            big(budget.peak_bytes()),
            big(budget.refusals()),
        ]
    };
    Ok(all(ctx).into_iter().map(row).collect())
}
