//! `sys.dm_millpond_file_tiers`: the data files of all open databases in the order in which they give space.

use std::collections::BTreeMap;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::file::file_header::FileKind;

use crate::columns::{NVarChar, Sysname, big, int, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_millpond_file_tiers`.
    struct DmMillpondFileTiers {
        database_id: i32,
        file_id: i32,
        name: Sysname,
        physical_name: NVarChar<260>,
        tier: u8,
        state_desc: NVarChar<60>,
        total_page_count: i64,
        allocated_page_count: i64,
        failed_io_count: i64,
    }
}

/// `sys.dm_millpond_file_tiers`
pub static DM_MILLPOND_FILE_TIERS: ViewDef = view("sys", "dm_millpond_file_tiers", &ViewRows(rows));

/// FAILING: the device failed lately, and others give the space; FULL: no extent is free, whether or not it can grow.
fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmMillpondFileTiers>> {
    let instance = ctx.engine.instance();
    let mut rows = Rows::new();
    for database in instance.database_reports() {
        let space: BTreeMap<_, _> =
            instance.space_report(database.id).into_iter().map(|file| (file.file, file)).collect();
        let mut files = instance.files(database.id);
        files.retain(|file| file.kind == FileKind::Data);
        files.sort_by_key(|file| (file.tier, file.file));
        for file in files {
            let Some(space) = space.get(&file.file) else { continue };
            let state = match (space.is_left, space.allocated >= space.total) {
                (true, _) => "FAILING",
                (_, true) => "FULL",
                _ => "OPEN",
            };
            rows.push(DmMillpondFileTiers {
                database_id: int(file.db.0),
                file_id: int(file.file.0),
                name: text(&file.name),
                physical_name: text(&file.physical_name),
                tier: file.tier.number(),
                state_desc: text(state),
                total_page_count: big(space.total),
                allocated_page_count: big(space.allocated),
                failed_io_count: big(file.failures),
            });
        }
    }
    Ok(rows)
}
