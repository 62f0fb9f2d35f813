//! `sys.dm_os_buffer_descriptors`: one row per page in memory, and one per page that the buffer pool extension has and
//! memory does not. `allocation_unit_id` is the object's number.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::PageKind;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, BIT, INT, big, bit, int, null, nvarchar, text};

/// `sys.dm_os_buffer_descriptors`
pub static DM_OS_BUFFER_DESCRIPTORS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_os_buffer_descriptors",
    columns: &[
        null("database_id", INT),
        null("file_id", INT),
        null("page_id", INT),
        null("page_level", INT),
        null("allocation_unit_id", BIGINT),
        null("page_type", nvarchar(60)),
        null("row_count", INT),
        null("free_space_in_bytes", INT),
        null("is_modified", BIT),
        null("numa_node", INT),
        null("read_microsec", BIGINT),
        null("is_in_bpool_extension", BIT),
    ],
    rows: &ViewRows(rows),
};

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = ctx.engine.instance().pool().descriptors().into_iter().map(|page| {
        vec![
            int(page.page.db.0),
            int(page.page.file.0),
            int(page.page.page.0),
            int(page.level),
            // Object ids are shown as OBJECT_ID() gives them: signed.
            big(page.object_id as i32),
            page.kind.map_or(Value::Null, |kind| text(kind_name(kind))),
            int(page.rows),
            int(page.free_bytes),
            bit(page.is_modified),
            Value::Int(0),
            big(page.read_us),
            bit(page.is_in_extension),
        ]
    });
    Ok(rows.collect())
}

fn kind_name(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Data => "DATA_PAGE",
        PageKind::Index => "INDEX_PAGE",
        PageKind::Text => "TEXT_MIX_PAGE",
        PageKind::Sort => "SORT_PAGE",
        PageKind::Gam => "GAM_PAGE",
        PageKind::Sgam => "SGAM_PAGE",
        PageKind::Iam => "IAM_PAGE",
        PageKind::Pfs => "PFS_PAGE",
        PageKind::Boot => "BOOT_PAGE",
        PageKind::FileHeader => "FILEHEADER_PAGE",
        PageKind::Dcm => "DIFF_MAP_PAGE",
        PageKind::Bcm => "ML_MAP_PAGE",
    }
}
