//! `sys.dm_db_page_info`: the header of a page, and what the maps of its file say of it.
//!
//! What always holds: nothing of the page but its header is shown, and nothing is locked: the maps may change between two of them. A page
//! that was never written has a row whose header is zeros. It does not know who reserved bytes on a page: `xdes_id` is that of none.

use millpond_builtin::TableFunctionDef;
use millpond_catalog::ObjectId;
use millpond_catalog::security::Securable;
use millpond_engine::context::RunContext;
use millpond_engine::security::may;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::{
    DbId, EXTENT_PAGES, ExtentNo, FileId, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo,
};
use millpond_storage::page::header::{self, PageDamage};
use millpond_storage::pool::PoolError;
use millpond_storage::space::maps;
use millpond_types::Value;

use crate::columns::{NVarChar, int, small, text};
use crate::row::{Rows, row, table_function};
use crate::units::{unit_of_page, unit_of_rows};

row! {
    /// A row of `sys.dm_db_page_info`.
    struct DmDbPageInfo {
        database_id: i32,
        file_id: i32,
        page_id: i32,
        page_header_version: Option<i32>,
        page_type: Option<i32>,
        page_type_desc: Option<NVarChar<64>>,
        page_type_flag_bits: Option<NVarChar<64>>,
        page_type_flag_bits_desc: Option<NVarChar<64>>,
        page_flag_bits: Option<NVarChar<64>>,
        page_flag_bits_desc: Option<NVarChar<256>>,
        page_lsn: Option<NVarChar<64>>,
        page_level: Option<i32>,
        object_id: Option<i32>,
        index_id: Option<i32>,
        partition_id: Option<i64>,
        alloc_unit_id: Option<i64>,
        is_encrypted: Option<bool>,
        has_checksum: Option<bool>,
        checksum: Option<i32>,
        is_iam_pg: Option<bool>,
        is_mixed_ext: Option<bool>,
        has_ghost_records: Option<bool>,
        has_version_records: Option<bool>,
        pfs_page_id: Option<i32>,
        pfs_is_allocated: Option<bool>,
        pfs_alloc_percent: Option<i32>,
        pfs_status: Option<NVarChar<64>>,
        pfs_status_desc: Option<NVarChar<64>>,
        gam_page_id: Option<i32>,
        gam_status: Option<bool>,
        gam_status_desc: Option<NVarChar<64>>,
        sgam_page_id: Option<i32>,
        sgam_status: Option<bool>,
        sgam_status_desc: Option<NVarChar<64>>,
        diff_map_page_id: Option<i32>,
        diff_status: Option<bool>,
        diff_status_desc: Option<NVarChar<64>>,
        ml_map_page_id: Option<i32>,
        ml_status: Option<bool>,
        ml_status_desc: Option<NVarChar<64>>,
        prev_page_file_id: Option<i16>,
        prev_page_page_id: Option<i32>,
        next_page_file_id: Option<i16>,
        next_page_page_id: Option<i32>,
        fixed_length: Option<i16>,
        slot_count: Option<i16>,
        ghost_rec_count: Option<i16>,
        free_bytes: Option<i16>,
        free_data_offset: Option<i32>,
        reserved_bytes: Option<i16>,
        reserved_bytes_by_xdes_id: Option<i16>,
        xdes_id: Option<NVarChar<64>>,
    }
}

/// `sys.dm_db_page_info(database_id, file_id, page_id, 'LIMITED' | 'DETAILED')`
pub static DM_DB_PAGE_INFO: TableFunctionDef = table_function!(
    "sys", "dm_db_page_info", [i16, i32, i32, NVarChar<64>], optional 0, DmDbPageInfo, page_info
);

/// A page as it is; what was never written is zeros.
fn read(ctx: &RunContext, id: PageId) -> SqlResult<Box<PageBytes>> {
    match ctx.engine.instance().pool().shared(&ctx.ask_other(), id) {
        Ok(page) => Ok(Box::new(*page)),
        Err(PoolError::Damaged(PageDamage::NeverWritten { .. })) => Ok(Box::new([0; PAGE_BYTES])),
        Err(error) => Err(message::of_pool(&error)),
    }
}

fn type_name(kind: Option<PageKind>) -> &'static str {
    match kind {
        Some(PageKind::Data) => "DATA_PAGE",
        Some(PageKind::Index) => "INDEX_PAGE",
        Some(PageKind::Text) => "TEXT_MIX_PAGE",
        Some(PageKind::Sort) => "SORT_PAGE",
        Some(PageKind::Gam) => "GAM_PAGE",
        Some(PageKind::Sgam) => "SGAM_PAGE",
        Some(PageKind::Iam) => "IAM_PAGE",
        Some(PageKind::Pfs) => "PFS_PAGE",
        Some(PageKind::Boot) => "BOOT_PAGE",
        Some(PageKind::FileHeader) => "FILEHEADER_PAGE",
        Some(PageKind::Dcm) => "DIFF_MAP_PAGE",
        Some(PageKind::Bcm) => "ML_MAP_PAGE",
        None => "UNKNOWN",
    }
}

/// How full the fill class of a PFS byte says that a page is.
fn percent(pfs: u8) -> i32 {
    match pfs & maps::PFS_FILL {
        0 => 0,
        1 => 50,
        2 => 80,
        3 => 95,
        _ => 100,
    }
}

fn pfs_words(pfs: u8) -> String {
    let bits = [
        (maps::PFS_ALLOCATED, "ALLOCATED"),
        (maps::PFS_MIXED, "MIXED_EXT"),
        (maps::PFS_IAM, "IAM_PG"),
        (maps::PFS_GHOSTS, "HAS_GHOST"),
    ];
    let mut words: Vec<String> =
        bits.iter().filter(|(bit, _)| pfs & bit != 0).map(|(_, word)| (*word).to_owned()).collect();
    words.push(format!("{}_PCT_FULL", percent(pfs)));
    words.join(" ")
}

/// 2560 for an argument that says nothing or too much.
fn number(args: &[Value], at: usize) -> SqlResult<i64> {
    args.get(at).and_then(Value::as_i64).ok_or_else(|| SqlError::of(2560, 9, &[&(at + 1)]))
}

/// The page that the arguments name; none where no data file of a database that is open has it.
fn named(ctx: &RunContext, args: &[Value]) -> SqlResult<Option<PageId>> {
    let (db, file, page) = (number(args, 0)?, number(args, 1)?, number(args, 2)?);
    let all = (u16::try_from(db).map(DbId), u16::try_from(file).map(FileId), u32::try_from(page).map(PageNo));
    let (Ok(db), Ok(file), Ok(page)) = all else { return Ok(None) };
    let files = ctx.engine.instance().space_report(db);
    let is_there = files.iter().any(|known| known.file == file)
        && ctx.engine.instance().files(db).iter().any(|known| known.file == file && page.0 < known.size_pages);
    if !is_there {
        return Ok(None);
    }
    if !may(ctx, db, "VIEW DATABASE STATE", Securable::DATABASE)? {
        let shown = ctx.engine.database_name(db).unwrap_or_default();
        return Err(SqlError::of(297, 1, &[]).after(SqlError::of(262, 1, &[&"VIEW DATABASE STATE", &shown])));
    }
    Ok(Some(PageId { db, file, page }))
}

fn page_info(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbPageInfo>> {
    let is_detailed = match args.get(3).and_then(Value::as_str).map(str::trim_end) {
        None => false,
        Some(mode) if mode.eq_ignore_ascii_case("LIMITED") || mode.eq_ignore_ascii_case("DEFAULT") => false,
        Some(mode) if mode.eq_ignore_ascii_case("DETAILED") => true,
        Some(_) => return Err(SqlError::of(2560, 9, &[&4])),
    };
    let Some(id) = named(ctx, args)? else { return Ok(Rows::new()) };
    let page = read(ctx, id)?;
    let map = |number: PageNo| read(ctx, PageId { page: number, ..id });
    let extent = ExtentNo(id.page.0 / EXTENT_PAGES);
    let interval = maps::interval_of(extent);
    let places =
        [maps::gam_page(interval), maps::sgam_page(interval), maps::dcm_page(interval), maps::bcm_page(interval)];
    let mut bits = [false; 4];
    for (bit, place) in bits.iter_mut().zip(places) {
        *bit = maps::bit(&*map(place)?, extent);
    }
    let [is_free, has_free_page, is_changed, is_bulk_changed] = bits;
    let pfs_page = maps::pfs_page_of(id.page);
    let pfs = maps::pfs(&*map(pfs_page)?, id.page);
    let shown = |words: &str| is_detailed.then(|| text(words));
    let told = |words: &str| is_detailed.then(|| text::<NVarChar<64>>(words));
    let kind = header::kind(&page);
    let (object, index) = (header::object_id(&page), header::index_id(&page));
    let is_of_object =
        object != 0 && matches!(kind, Some(PageKind::Data | PageKind::Index | PageKind::Text | PageKind::Iam));
    let rows = is_of_object.then(|| unit_of_rows(ObjectId(object.cast_signed()), index));
    let flags = header::flags(&page);
    let has_checksum = flags & header::FLAG_CHECKSUM != 0;
    let (lsn, link) =
        (header::lsn(&page), |link: Option<header::PageLink>| link.map_or((0, 0), |to| (to.file.0, to.page.0)));
    let ((prev_file, prev_page), (next_file, next_page)) = (link(header::prev(&page)), link(header::next(&page)));
    Ok(Rows::one(DmDbPageInfo {
        database_id: int(id.db.0),
        file_id: int(id.file.0),
        page_id: int(id.page.0),
        page_header_version: Some(int(header::version(&page))),
        page_type: Some(kind.map_or(0, |kind| kind as i32)),
        page_type_desc: told(type_name(kind)),
        page_type_flag_bits: Some(text(&format!("0x{:x}", header::type_flags(&page)))),
        page_type_flag_bits_desc: told(""),
        page_flag_bits: Some(text(&format!("0x{flags:x}"))),
        page_flag_bits_desc: shown(if has_checksum { "HAS_CHECKSUM" } else { "" }),
        page_lsn: Some(text(&format!("({}:{}:{})", lsn.sequence, lsn.block, lsn.slot))),
        page_level: Some(int(header::level(&page))),
        object_id: Some(object.cast_signed()),
        index_id: Some(int(index)),
        partition_id: rows,
        alloc_unit_id: is_of_object.then(|| unit_of_page(kind, object, index)),
        is_encrypted: Some(false),
        has_checksum: Some(has_checksum),
        checksum: Some(header::stored_checksum(&page).cast_signed()),
        is_iam_pg: Some(pfs & maps::PFS_IAM != 0),
        is_mixed_ext: Some(pfs & maps::PFS_MIXED != 0),
        has_ghost_records: Some(pfs & maps::PFS_GHOSTS != 0),
        // Older versions lie elsewhere.
        has_version_records: Some(false),
        pfs_page_id: Some(int(pfs_page.0)),
        pfs_is_allocated: Some(pfs & maps::PFS_ALLOCATED != 0),
        pfs_alloc_percent: Some(percent(pfs)),
        pfs_status: Some(text(&format!("0x{pfs:x}"))),
        pfs_status_desc: told(&pfs_words(pfs)),
        gam_page_id: Some(int(places[0].0)),
        gam_status: Some(!is_free),
        gam_status_desc: told(if is_free { "NOT ALLOCATED" } else { "ALLOCATED" }),
        sgam_page_id: Some(int(places[1].0)),
        sgam_status: Some(has_free_page),
        sgam_status_desc: told(if has_free_page { "ALLOCATED" } else { "NOT ALLOCATED" }),
        diff_map_page_id: Some(int(places[2].0)),
        diff_status: Some(is_changed),
        diff_status_desc: told(if is_changed { "CHANGED" } else { "NOT CHANGED" }),
        ml_map_page_id: Some(int(places[3].0)),
        ml_status: Some(is_bulk_changed),
        ml_status_desc: told(if is_bulk_changed { "MIN_LOGGED" } else { "NOT MIN_LOGGED" }),
        prev_page_file_id: Some(small(prev_file)),
        prev_page_page_id: Some(int(prev_page)),
        next_page_file_id: Some(small(next_file)),
        next_page_page_id: Some(int(next_page)),
        fixed_length: Some(small(header::row_bytes_min(&page))),
        slot_count: Some(small(header::slot_count(&page))),
        ghost_rec_count: Some(small(header::ghost_count(&page))),
        free_bytes: Some(small(header::free_count(&page))),
        free_data_offset: Some(int(header::free_data(&page))),
        reserved_bytes: Some(small(header::reserved_count(&page))),
        reserved_bytes_by_xdes_id: Some(0),
        xdes_id: Some(text("(0:0)")),
    }))
}
