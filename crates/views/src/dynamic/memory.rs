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

use crate::columns::{NVarChar, Sysname, VarBinary, big, int, small, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_db_xtp_memory_consumers`.
    struct DmDbXtpMemoryConsumers {
        memory_consumer_id: i64,
        memory_consumer_type: i32,
        memory_consumer_type_desc: NVarChar<64>,
        memory_consumer_desc: NVarChar<64>,
        object_id: Option<i64>,
        xtp_object_id: Option<i64>,
        index_id: Option<i32>,
        allocated_bytes: i64,
        used_bytes: i64,
        allocation_count: i32,
        partition_count: i32,
        sizeclass_count: i32,
        min_sizeclass: i32,
        max_sizeclass: i32,
        memory_consumer_address: Option<VarBinary<8>>,
    }
}

/// `sys.dm_db_xtp_memory_consumers`: rows and each index of every variable.
pub static DM_DB_XTP_MEMORY_CONSUMERS: ViewDef = view("sys", "dm_db_xtp_memory_consumers", &ViewRows(consumers));

row! {
    /// A row of `sys.dm_xtp_system_memory_consumers`.
    struct DmXtpSystemMemoryConsumers {
        memory_consumer_id: i64,
        memory_consumer_type: i32,
        memory_consumer_type_desc: NVarChar<64>,
        memory_consumer_desc: NVarChar<64>,
        lookaside_id: Option<i64>,
        pagepool_id: Option<i64>,
        allocated_bytes: i64,
        used_bytes: i64,
        allocation_count: i32,
        partition_count: i32,
        sizeclass_count: i32,
        min_sizeclass: i32,
        max_sizeclass: i32,
        memory_consumer_address: Option<VarBinary<8>>,
    }
}

/// `sys.dm_xtp_system_memory_consumers`: all variables together, against the limit.
pub static DM_XTP_SYSTEM_MEMORY_CONSUMERS: ViewDef = view("sys", "dm_xtp_system_memory_consumers", &ViewRows(system));

row! {
    /// A row of `sys.dm_db_xtp_table_memory_stats`.
    struct DmDbXtpTableMemoryStats {
        object_id: Option<i32>,
        memory_allocated_for_table_kb: Option<i64>,
        memory_used_by_table_kb: Option<i64>,
        memory_allocated_for_indexes_kb: Option<i64>,
        memory_used_by_indexes_kb: Option<i64>,
    }
}

/// `sys.dm_db_xtp_table_memory_stats`
pub static DM_DB_XTP_TABLE_MEMORY_STATS: ViewDef = view("sys", "dm_db_xtp_table_memory_stats", &ViewRows(tables));

row! {
    /// A row of `sys.dm_millpond_memory_variables`.
    struct DmMillpondMemoryVariables {
        session_id: i16,
        object_id: i32,
        name: Sysname,
        rows: i64,
        used_bytes: i64,
        limit_bytes: i64,
        peak_bytes: i64,
        refusals: i64,
    }
}

/// `sys.dm_millpond_memory_variables`: whose the variables are; `limit_bytes`, `peak_bytes` and `refusals` are the
/// server's.
pub static DM_MILLPOND_MEMORY_VARIABLES: ViewDef = view("sys", "dm_millpond_memory_variables", &ViewRows(variables));

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

fn consumers(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbXtpMemoryConsumers>> {
    let mut rows = Rows::new();
    for variable in all(ctx) {
        for held in &variable.indexes {
            let (kind, name, what) = match (held.index_id, held.is_hash) {
                (0, _) => (2, "VARHEAP", "Table heap"),
                (_, true) => (3, "HASH", "Hash index"),
                (_, false) => (2, "VARHEAP", "Range index heap"),
            };
            let object = big(u64::from(variable.object));
            rows.push(DmDbXtpMemoryConsumers {
                memory_consumer_id: big(rows.len() as u64 + 1),
                memory_consumer_type: kind,
                memory_consumer_type_desc: text(name),
                memory_consumer_desc: text(what),
                object_id: Some(object),
                xtp_object_id: Some(object),
                index_id: (held.index_id != 0).then(|| i32::from(held.index_id)),
                allocated_bytes: big(held.bytes),
                used_bytes: big(held.bytes),
                allocation_count: int(held.entries),
                partition_count: 1,
                sizeclass_count: 0,
                min_sizeclass: 0,
                max_sizeclass: 0,
                memory_consumer_address: None,
            });
        }
    }
    Ok(rows)
}

fn system(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXtpSystemMemoryConsumers>> {
    let budget = ctx.engine.memory_tables();
    let count: u64 = all(ctx).iter().flat_map(|variable| &variable.indexes).map(|held| held.entries).sum();
    Ok(Rows::one(DmXtpSystemMemoryConsumers {
        memory_consumer_id: 1,
        memory_consumer_type: 2,
        memory_consumer_type_desc: text("VARHEAP"),
        memory_consumer_desc: text("Memory-optimized table variables"),
        lookaside_id: None,
        pagepool_id: None,
        allocated_bytes: big(budget.used_bytes()),
        used_bytes: big(budget.used_bytes()),
        allocation_count: int(count),
        partition_count: 1,
        sizeclass_count: 0,
        min_sizeclass: 0,
        max_sizeclass: 0,
        memory_consumer_address: None,
    }))
}

fn kb(bytes: u64) -> i64 {
    big(bytes.div_ceil(1024))
}

fn tables(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmDbXtpTableMemoryStats>> {
    let row = |variable: Variable| {
        let (rows, indexes): (Vec<&Held>, Vec<&Held>) = variable.indexes.iter().partition(|held| held.index_id == 0);
        let sum = |held: &[&Held]| kb(held.iter().map(|held| held.bytes).sum());
        DmDbXtpTableMemoryStats {
            object_id: Some(int(variable.object)),
            memory_allocated_for_table_kb: Some(sum(&rows)),
            memory_used_by_table_kb: Some(sum(&rows)),
            memory_allocated_for_indexes_kb: Some(sum(&indexes)),
            memory_used_by_indexes_kb: Some(sum(&indexes)),
        }
    };
    Ok(all(ctx).into_iter().map(row).collect())
}

fn variables(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmMillpondMemoryVariables>> {
    let budget = ctx.engine.memory_tables();
    let row = |variable: Variable| DmMillpondMemoryVariables {
        session_id: small(variable.session),
        object_id: int(variable.object),
        name: text(&variable.name),
        rows: big(variable.indexes[0].entries),
        used_bytes: big(variable.indexes.iter().map(|held| held.bytes).sum::<u64>()),
        limit_bytes: big(budget.limit_bytes()),
        peak_bytes: big(budget.peak_bytes()),
        refusals: big(budget.refusals()),
    };
    Ok(all(ctx).into_iter().map(row).collect())
}
