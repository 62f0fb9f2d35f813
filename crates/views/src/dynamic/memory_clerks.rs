//! Memory by who holds it: `sys.dm_os_memory_clerks`, `dm_os_memory_cache_counters`.
//!
//! What always holds: each row is what its holder counts itself (buffer pool, grants and values of statements, kept plans and
//! trees of texts, memory-optimized variables); what nobody counts has no clerk. Names are those of SQL Server's clerks.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_storage::contract::PAGE_BYTES;

use crate::columns::{NVarChar, VarBinary, big, bytes, text};
use crate::row::{Rows, ViewRows, row, view};

const KB: u64 = 1024;

row! {
    /// A row of `sys.dm_os_memory_clerks`.
    struct DmOsMemoryClerks {
        memory_clerk_address: VarBinary<8>,
        r#type: NVarChar<60>,
        name: NVarChar<256>,
        memory_node_id: i16,
        pages_kb: i64,
        virtual_memory_reserved_kb: i64,
        virtual_memory_committed_kb: i64,
        awe_allocated_kb: i64,
        shared_memory_reserved_kb: i64,
        shared_memory_committed_kb: i64,
        page_size_in_bytes: i64,
        page_allocator_address: VarBinary<8>,
        host_address: VarBinary<8>,
    }
}

/// `sys.dm_os_memory_clerks`
pub static DM_OS_MEMORY_CLERKS: ViewDef = view("sys", "dm_os_memory_clerks", &ViewRows(clerks));

row! {
    /// A row of `sys.dm_os_memory_cache_counters`.
    struct DmOsMemoryCacheCounters {
        cache_address: VarBinary<8>,
        name: NVarChar<256>,
        r#type: NVarChar<60>,
        pages_kb: i64,
        pages_in_use_kb: i64,
        entries_count: i64,
        entries_in_use_count: i64,
    }
}

/// `sys.dm_os_memory_cache_counters`
pub static DM_OS_MEMORY_CACHE_COUNTERS: ViewDef = view("sys", "dm_os_memory_cache_counters", &ViewRows(caches));

/// Who holds memory: type and name of a clerk, and its bytes now.
#[must_use]
pub fn held_memory(ctx: &RunContext) -> [(&'static str, &'static str, u64); 6] {
    let engine = &ctx.engine;
    let workspace = engine.workspace();
    let variables_bytes: u64 = engine.sessions().iter().map(|session| held_by_variables(session)).sum();
    [
        ("MEMORYCLERK_SQLBUFFERPOOL", "Default", engine.instance().pool().report().total * PAGE_BYTES as u64),
        ("MEMORYCLERK_SQLQERESERVATIONS", "SQL Reservations", workspace.used_bytes() as u64),
        ("MEMORYCLERK_SQLQUERYEXEC", "Values of statements", workspace.value_bytes() as u64),
        ("CACHESTORE_SQLCP", "SQL Plans", engine.plan_memory().bytes() as u64),
        ("CACHESTORE_PHDR", "Bound Trees", engine.parsed().bytes() as u64),
        ("MEMORYCLERK_XTP", "Default", variables_bytes),
    ]
}

fn clerks(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsMemoryClerks>> {
    let row = |((kind, name, held_bytes), number): ((&str, &str, u64), u64)| DmOsMemoryClerks {
        memory_clerk_address: bytes(&number.to_be_bytes()),
        r#type: text(kind),
        name: text(name),
        memory_node_id: 0,
        pages_kb: big(held_bytes / KB),
        virtual_memory_reserved_kb: 0,
        virtual_memory_committed_kb: 0,
        awe_allocated_kb: 0,
        shared_memory_reserved_kb: 0,
        shared_memory_committed_kb: 0,
        page_size_in_bytes: PAGE_BYTES as i64,
        page_allocator_address: bytes(&number.to_be_bytes()),
        host_address: bytes(&[0; 8]),
    };
    Ok(held_memory(ctx).into_iter().zip(1..).map(row).collect())
}

/// Bytes of the memory-optimized variables of a session.
fn held_by_variables(session: &SessionShared) -> u64 {
    let temp = session.temp.read();
    let own = temp.tables().filter(|table| !table.is_borrowed);
    let held = own.filter_map(|table| Some(table.memory()?.usage().iter().map(|held| held.bytes).sum::<u64>()));
    held.sum()
}

fn caches(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsMemoryCacheCounters>> {
    let engine = &ctx.engine;
    let caches = [
        ("SQL Plans", "CACHESTORE_SQLCP", engine.plan_memory().bytes() as u64, None),
        ("Bound Trees", "CACHESTORE_PHDR", engine.parsed().bytes() as u64, Some(engine.parsed().kept().len())),
    ];
    let row = |((name, kind, held_bytes, entries), number): ((&str, &str, u64, Option<usize>), u64)| {
        let entries = entries.unwrap_or_else(|| super::statements::kept_texts(ctx).count());
        DmOsMemoryCacheCounters {
            cache_address: bytes(&number.to_be_bytes()),
            name: text(name),
            r#type: text(kind),
            pages_kb: big(held_bytes / KB),
            pages_in_use_kb: big(held_bytes / KB),
            entries_count: big(entries as u64),
            entries_in_use_count: 0,
        }
    };
    Ok(caches.into_iter().zip(1..).map(row).collect())
}
