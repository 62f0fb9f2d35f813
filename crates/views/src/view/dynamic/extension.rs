//! The buffer pool extension: `sys.dm_os_buffer_pool_extension_configuration`, and `sys.dm_millpond_buffer_pool_extension`
//! and `sys.dm_millpond_table_tiers` with what the product does not tell: what enters, how much of it is dirty, why it was
//! given up; and how much of each table is in memory, in the extension and only in its file.

use std::collections::HashMap;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_storage::extension::{ExtensionMode, ExtensionState};
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, INT, SYSNAME, big, col, int, null, nvarchar, text};

/// `sys.dm_os_buffer_pool_extension_configuration`: one row, also when it is disabled.
pub static DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_os_buffer_pool_extension_configuration",
    columns: &[
        null("path", nvarchar(256)),
        col("file_id", INT),
        col("state", INT),
        null("state_description", nvarchar(60)),
        col("current_size_in_kb", BIGINT),
    ],
    rows: &ViewRows(configuration),
};

/// `sys.dm_millpond_buffer_pool_extension`
pub static DM_MILLPOND_BUFFER_POOL_EXTENSION: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_millpond_buffer_pool_extension",
    columns: &[
        null("path", nvarchar(256)),
        null("state_description", nvarchar(60)),
        null("mode", nvarchar(20)),
        null("failure", nvarchar(512)),
        col("pages", BIGINT),
        col("used_pages", BIGINT),
        col("dirty_pages", BIGINT),
        col("pages_read", BIGINT),
        col("pages_written", BIGINT),
        col("write_ios", BIGINT),
        col("pages_evicted", BIGINT),
        col("pages_destaged", BIGINT),
        col("pages_refused", BIGINT),
        col("pages_mismatched", BIGINT),
        col("pages_rebuilt", BIGINT),
    ],
    rows: &ViewRows(details),
};

/// `sys.dm_millpond_table_tiers`: where the pages of each table of the database are, its indexes and large values among
/// them. The numbers are of one moment each, so a table in use may not add up to the page.
pub static DM_MILLPOND_TABLE_TIERS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_millpond_table_tiers",
    columns: &[
        col("object_id", INT),
        col("name", SYSNAME),
        col("used_pages", BIGINT),
        col("memory_pages", BIGINT),
        col("memory_dirty_pages", BIGINT),
        col("extension_pages", BIGINT),
        col("extension_dirty_pages", BIGINT),
        col("disk_pages", BIGINT),
    ],
    rows: &ViewRows(tiers),
};

/// Pages of a table: in memory and in the extension, all and dirty ones.
#[derive(Clone, Copy, Default)]
struct Tiers {
    memory: [u64; 2],
    extension: [u64; 2],
}

fn tiers(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut by_object: HashMap<u32, Tiers> = HashMap::new();
    let pages = ctx.engine.instance().pool().descriptors();
    for page in pages.into_iter().filter(|page| page.page.db == database.database) {
        let of = by_object.entry(page.object_id).or_default();
        let counts = if page.is_in_extension { &mut of.extension } else { &mut of.memory };
        counts[0] += 1;
        counts[1] += u64::from(page.is_modified);
    }
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        let mut used = 0;
        for position in 0..table.indexes().len() {
            used += table.all_pages(ctx, position)?.used;
        }
        let Tiers { memory, extension } = by_object.get(&(table.id as u32)).copied().unwrap_or_default();
        let disk = used.saturating_sub(memory[0] + extension[0]);
        let counts = [used, memory[0], memory[1], extension[0], extension[1], disk];
        rows.push([int(table.id), text(&table.name)].into_iter().chain(counts.map(big)).collect());
    }
    Ok(rows)
}

fn description(state: ExtensionState) -> &'static str {
    match state {
        ExtensionState::Disabled => "BUFFER POOL EXTENSION DISABLED",
        ExtensionState::Disabling => "BUFFER POOL EXTENSION DISABLING",
        ExtensionState::Enabling => "BUFFER POOL EXTENSION ENABLING",
        ExtensionState::Enabled => "BUFFER POOL EXTENSION ENABLED",
    }
}

fn configuration(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let extension = ctx.engine.instance().extension();
    let is_off = extension.state == ExtensionState::Disabled;
    let path = extension.path.filter(|_| !is_off).map_or(Value::Null, |path| text(&path.display().to_string()));
    let size_kb = if is_off { 0 } else { extension.size_bytes / 1024 };
    let file_id = i32::from(!is_off);
    Ok(vec![vec![path, int(file_id), int(extension.state as u8), text(description(extension.state)), big(size_kb)]])
}

fn details(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let extension = ctx.engine.instance().extension();
    let mode = match extension.mode {
        ExtensionMode::Clean => "clean",
        ExtensionMode::WriteBack => "write-back",
    };
    Ok(vec![vec![
        extension.path.map_or(Value::Null, |path| text(&path.display().to_string())),
        text(description(extension.state)),
        text(mode),
        extension.failure.map_or(Value::Null, |failure| text(&failure)),
        big(extension.slots),
        big(extension.used),
        big(extension.dirty),
        big(extension.pages_read),
        big(extension.pages_written),
        big(extension.write_ios),
        big(extension.evicted),
        big(extension.destaged),
        big(extension.refused),
        big(extension.mismatched),
        big(extension.rebuilt),
    ]])
}
