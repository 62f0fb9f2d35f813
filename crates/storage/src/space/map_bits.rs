//! The bits and bytes of extents and pages on their map pages.
//!
//! What always holds: one map page is latched at a time (S2 of `space`). It knows no state in memory.

use crate::ask::Ask;
use crate::check;
use crate::contract::{ExtentId, ExtentNo, PageId, PageNo};
use crate::space::map_pages::{MapError, MapPages};
use crate::space::maps;

/// The extent of a page.
pub(super) fn extent_of(page: PageId) -> ExtentId {
    ExtentId { db: page.db, file: page.file, extent: page.page.extent() }
}

fn at(extent: ExtentId, page: PageNo) -> PageId {
    PageId { db: extent.db, file: extent.file, page }
}

/// The PFS page of a page.
pub(super) fn pfs_page_of(page: PageId) -> PageId {
    PageId { page: maps::pfs_page_of(page.page), ..page }
}

/// Calls `change` once per map page (as `page_of` finds it) with the run of `sorted` extents that lie on it.
pub(super) fn for_each_map_page(
    sorted: &[ExtentId],
    page_of: impl Fn(ExtentNo) -> PageNo,
    mut change: impl FnMut(PageId, &[ExtentId]) -> Result<(), MapError>,
) -> Result<(), MapError> {
    let page_of = |id: ExtentId| at(id, page_of(id.extent));
    check!(sorted.windows(2).all(|pair| pair[0] < pair[1]), "S2: each map page is visited once");
    sorted.chunk_by(|a, b| page_of(*a) == page_of(*b)).try_for_each(|run| change(page_of(run[0]), run))
}

/// Sets the SGAM bit of a mixed extent.
pub(super) fn mark_sgam(ask: &Ask<'_>, pool: &dyn MapPages, extent: ExtentId, has_room: bool) -> Result<(), MapError> {
    let page = maps::sgam_page(maps::interval_of(extent.extent));
    pool.update_map(ask, at(extent, page), &mut |bytes| maps::set_bit(bytes, extent.extent, has_room))
}

/// The PFS bytes of sorted extents say that all pages are free.
pub(super) fn clear_pfs(ask: &Ask<'_>, pool: &dyn MapPages, sorted: &[ExtentId]) -> Result<(), MapError> {
    let pfs_page = |extent: ExtentNo| maps::pfs_page_of(extent.first_page());
    for_each_map_page(sorted, pfs_page, |page, run| {
        pool.update_map(ask, page, &mut |bytes| {
            run.iter().for_each(|id| maps::set_pfs_extent(bytes, id.extent, &[maps::PFS_FREE; 8]));
        })
    })
}

/// Sets the PFS byte of a page.
pub(super) fn set_pfs_byte(ask: &Ask<'_>, pool: &dyn MapPages, page: PageId, status: u8) -> Result<(), MapError> {
    pool.update_map(ask, pfs_page_of(page), &mut |bytes| maps::set_pfs(bytes, page.page, status))
}

/// Sets the PFS bytes of an extent.
pub(super) fn set_pfs_bytes(
    ask: &Ask<'_>,
    pool: &dyn MapPages,
    extent: ExtentId,
    status: &[u8; 8],
) -> Result<(), MapError> {
    let page = at(extent, maps::pfs_page_of(extent.extent.first_page()));
    pool.update_map(ask, page, &mut |bytes| maps::set_pfs_extent(bytes, extent.extent, status))
}
