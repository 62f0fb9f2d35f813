//! `sys.dm_os_buffer_descriptors`: one row per page in memory, and one per page that the buffer pool extension has and
//! memory does not. `allocation_unit_id` is that of `sys.allocation_units`; 0 for maps and headers, NULL where the extension alone has the
//! page, which does not note the index.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::PageKind;

use crate::columns::{NVarChar, big, int, text};
use crate::row::{Rows, ViewRows, row, view};
use crate::units::unit_of_page;

row! {
    /// A row of `sys.dm_os_buffer_descriptors`.
    struct DmOsBufferDescriptors {
        database_id: Option<i32>,
        file_id: Option<i32>,
        page_id: Option<i32>,
        page_level: Option<i32>,
        allocation_unit_id: Option<i64>,
        page_type: Option<NVarChar<60>>,
        row_count: Option<i32>,
        free_space_in_bytes: Option<i32>,
        is_modified: Option<bool>,
        numa_node: Option<i32>,
        read_microsec: Option<i64>,
        is_in_bpool_extension: Option<bool>,
    }
}

/// `sys.dm_os_buffer_descriptors`
pub static DM_OS_BUFFER_DESCRIPTORS: ViewDef = view("sys", "dm_os_buffer_descriptors", &ViewRows(rows));

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsBufferDescriptors>> {
    let rows = ctx.engine.instance().pool().descriptors().into_iter().map(|page| DmOsBufferDescriptors {
        database_id: Some(int(page.page.db.0)),
        file_id: Some(int(page.page.file.0)),
        page_id: Some(int(page.page.page.0)),
        page_level: Some(int(page.level)),
        allocation_unit_id: page.index_id.map(|index| unit_of_page(page.kind, page.object_id, index)),
        page_type: page.kind.map(|kind| text(kind_name(kind))),
        row_count: Some(int(page.rows)),
        free_space_in_bytes: Some(int(page.free_bytes)),
        is_modified: Some(page.is_modified),
        numa_node: Some(0),
        read_microsec: Some(big(page.read_us)),
        is_in_bpool_extension: Some(page.is_in_extension),
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
