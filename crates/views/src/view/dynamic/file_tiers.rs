//! `sys.dm_millpond_file_tiers`: the data files of all open databases in the order in which they give space.

use std::collections::BTreeMap;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::file::file_header::FileKind;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, INT, SYSNAME, TINYINT, big, col, int, nvarchar, text, tiny};

/// `sys.dm_millpond_file_tiers`
pub static DM_MILLPOND_FILE_TIERS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_millpond_file_tiers",
    columns: &[
        col("database_id", INT),
        col("file_id", INT),
        col("name", SYSNAME),
        col("physical_name", nvarchar(260)),
        col("tier", TINYINT),
        col("state_desc", nvarchar(60)),
        col("total_page_count", BIGINT),
        col("allocated_page_count", BIGINT),
        col("failed_io_count", BIGINT),
    ],
    rows: &ViewRows(rows),
};

/// FAILING: the device failed a moment ago, and others give the space; FULL: no extent is free, whether or not it can grow.
fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let instance = ctx.engine.instance();
    let mut rows = Vec::new();
    for database in instance.databases() {
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
            rows.push(vec![
                int(file.db.0),
                int(file.file.0),
                text(&file.name),
                text(&file.physical_name),
                tiny(file.tier.number()),
                text(state),
                big(space.total),
                big(space.allocated),
                big(file.failures),
            ]);
        }
    }
    Ok(rows)
}
