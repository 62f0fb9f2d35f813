//! The buffer pool extension: `sys.dm_os_buffer_pool_extension_configuration`, and `sys.dm_millpond_buffer_pool_extension`
//! and `sys.dm_millpond_table_tiers` with what SQL Server does not show: what enters, how much of it is dirty, why it was
//! given up; and how much of each table is in memory, in the extension and only in its file.

use std::collections::HashMap;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_storage::extension::{ExtensionMode, ExtensionState};

use crate::columns::{NVarChar, Sysname, big, int, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_os_buffer_pool_extension_configuration`.
    struct DmOsBufferPoolExtensionConfiguration {
        path: Option<NVarChar<256>>,
        file_id: i32,
        state: i32,
        state_description: Option<NVarChar<60>>,
        current_size_in_kb: i64,
    }
}

/// `sys.dm_os_buffer_pool_extension_configuration`: one row, also when it is disabled.
pub static DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION: ViewDef =
    view("sys", "dm_os_buffer_pool_extension_configuration", &ViewRows(configuration));

row! {
    /// A row of `sys.dm_millpond_buffer_pool_extension`.
    struct DmMillpondBufferPoolExtension {
        path: Option<NVarChar<256>>,
        state_description: Option<NVarChar<60>>,
        mode: Option<NVarChar<20>>,
        failure: Option<NVarChar<512>>,
        pages: i64,
        used_pages: i64,
        dirty_pages: i64,
        pages_read: i64,
        pages_written: i64,
        write_ios: i64,
        pages_evicted: i64,
        pages_destaged: i64,
        pages_refused: i64,
        pages_mismatched: i64,
        pages_rebuilt: i64,
    }
}

/// `sys.dm_millpond_buffer_pool_extension`
pub static DM_MILLPOND_BUFFER_POOL_EXTENSION: ViewDef =
    view("sys", "dm_millpond_buffer_pool_extension", &ViewRows(details));

row! {
    /// A row of `sys.dm_millpond_table_tiers`.
    struct DmMillpondTableTiers {
        object_id: i32,
        name: Sysname,
        used_pages: i64,
        memory_pages: i64,
        memory_dirty_pages: i64,
        extension_pages: i64,
        extension_dirty_pages: i64,
        disk_pages: i64,
    }
}

/// `sys.dm_millpond_table_tiers`: where the pages of each table of the database are, its indexes and large values among
/// them. Each number is read at its own point in time, so a table in use may not add up to the page.
pub static DM_MILLPOND_TABLE_TIERS: ViewDef = view("sys", "dm_millpond_table_tiers", &ViewRows(tiers));

/// Pages of a table: in memory and in the extension, all and dirty ones.
#[derive(Clone, Copy, Default)]
struct Tiers {
    memory: [u64; 2],
    extension: [u64; 2],
}

fn tiers(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DmMillpondTableTiers>> {
    let mut by_object: HashMap<u32, Tiers> = HashMap::new();
    let pages = ctx.engine.instance().pool().descriptors();
    for page in pages.into_iter().filter(|page| page.page.db == database.database) {
        let of = by_object.entry(page.object_id).or_default();
        let counts = if page.is_in_extension { &mut of.extension } else { &mut of.memory };
        counts[0] += 1;
        counts[1] += u64::from(page.is_modified);
    }
    let mut rows = Rows::new();
    for table in inventory::indexed(ctx, database)? {
        let mut used = 0;
        for position in 0..table.indexes().len() {
            used += table.all_pages(ctx, position)?.used;
        }
        let Tiers { memory, extension } = by_object.get(&(table.stored_id().0 as u32)).copied().unwrap_or_default();
        let disk = used.saturating_sub(memory[0] + extension[0]);
        rows.push(DmMillpondTableTiers {
            object_id: table.id,
            name: text(&table.name),
            used_pages: big(used),
            memory_pages: big(memory[0]),
            memory_dirty_pages: big(memory[1]),
            extension_pages: big(extension[0]),
            extension_dirty_pages: big(extension[1]),
            disk_pages: big(disk),
        });
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

fn configuration(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsBufferPoolExtensionConfiguration>> {
    let extension = ctx.engine.instance().extension();
    let is_off = extension.state == ExtensionState::Disabled;
    let path = extension.path.filter(|_| !is_off).map(|path| text(&path.display().to_string()));
    let size_kb = if is_off { 0 } else { extension.size_bytes / 1024 };
    let file_id = i32::from(!is_off);
    Ok(Rows::one(DmOsBufferPoolExtensionConfiguration {
        path,
        file_id,
        state: int(extension.state as u8),
        state_description: Some(text(description(extension.state))),
        current_size_in_kb: big(size_kb),
    }))
}

fn details(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmMillpondBufferPoolExtension>> {
    let extension = ctx.engine.instance().extension();
    let mode = match extension.mode {
        ExtensionMode::Clean => "clean",
        ExtensionMode::WriteBack => "write-back",
    };
    Ok(Rows::one(DmMillpondBufferPoolExtension {
        path: extension.path.map(|path| text(&path.display().to_string())),
        state_description: Some(text(description(extension.state))),
        mode: Some(text(mode)),
        failure: extension.failure.map(|failure| text(&failure)),
        pages: big(extension.slots),
        used_pages: big(extension.used),
        dirty_pages: big(extension.dirty),
        pages_read: big(extension.pages_read),
        pages_written: big(extension.pages_written),
        write_ios: big(extension.write_ios),
        pages_evicted: big(extension.evicted),
        pages_destaged: big(extension.destaged),
        pages_refused: big(extension.refused),
        pages_mismatched: big(extension.mismatched),
        pages_rebuilt: big(extension.rebuilt),
    }))
}
