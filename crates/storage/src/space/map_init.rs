//! Makes the map pages of new space, and reads those of a file that exists.
//!
//! ```text
//!   extent 0        header and maps        GAM 0, SGAM 0   reserved; so is the first extent of each later interval
//!   extent 1        page 8, boot page      GAM 0, SGAM 1   permanent mixed extent: single pages start at page 10 (8
//!                                                          in files without a boot page)
//!   extent 1011 n   a PFS page, 7 pages    GAM 0, SGAM 1   permanent mixed extent
//!   all others                             GAM 1, SGAM 0   free
//! ```
//!
//! What always holds: after [`make_maps`] the bitmaps offer exactly the free extents of the file. Reading
//! believes only pages whose checksum is right, and only states that the table of maps.rs allows.

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, EXTENT_PAGES, ExtentNo, FileId, PageBytes, PageId, PageKind, PageNo};
use crate::page::header::PageDamage;
use crate::pool::PoolError;
use crate::space::extent_map::ExtentMap;
use crate::space::map_pages::{MapError, MapPages};
use crate::space::maps::{self, INTERVAL_EXTENTS, PFS_ALLOCATED, PFS_INTERVAL_PAGES, PFS_SYSTEM};
use crate::space::mixed::MixedPages;

/// The smallest data file: the system extents and one for a table.
pub const DATA_FILE_PAGES_MIN: u32 = 3 * EXTENT_PAGES;

/// Pages of a permanent extent that are in use from the start, as a bit mask.
#[must_use]
pub fn used_at_first(file: FileId, extent: ExtentNo) -> u8 {
    match extent.0 {
        // The boot page is page 9; page 8 stays unused in the primary file, as it is for every file's structure.
        1 if file == FileId(1) => 0b11,
        1 => 0,
        _ if maps::holds_only_pfs(extent) => 0b1,
        _ => 0,
    }
}

/// Whether the extent is mixed for good.
#[must_use]
pub fn is_permanent_mixed(extent: ExtentNo) -> bool {
    extent.0 == 1 || maps::holds_only_pfs(extent)
}

fn is_free_at_first(extent: ExtentNo) -> bool {
    !maps::is_reserved(extent) && !is_permanent_mixed(extent)
}

/// Makes or completes the maps of a file that grew from `from_pages` (0: it is new) to `to_pages`.
///
/// # Errors
/// [`MapError`]; calling again completes what is missing.
pub fn make_maps(
    ask: &Ask<'_>,
    pages: &dyn MapPages,
    (db, file): (DbId, FileId),
    from_pages: u32,
    to_pages: u32,
) -> Result<(), MapError> {
    assert!(from_pages <= to_pages, "maps of {from_pages} pages are made to be those of {to_pages}");
    assert!(to_pages.is_multiple_of(EXTENT_PAGES), "maps are made of {to_pages} pages");
    let id = |page: PageNo| PageId { db, file, page };
    make_pfs_pages(ask, pages, id, from_pages, to_pages)?;
    let (from, to) = (from_pages / EXTENT_PAGES, to_pages / EXTENT_PAGES);
    for interval in from / INTERVAL_EXTENTS..to.div_ceil(INTERVAL_EXTENTS) {
        let first = interval * INTERVAL_EXTENTS;
        if first >= from {
            make_bitmaps(ask, pages, id, interval)?;
        }
        let new = from.max(first)..to.min(first + INTERVAL_EXTENTS);
        pages.update_map(ask, id(maps::gam_page(interval)), &mut |page| {
            new.clone().map(ExtentNo).filter(|e| is_free_at_first(*e)).for_each(|e| maps::set_bit(page, e, true));
        })?;
        pages.update_map(ask, id(maps::sgam_page(interval)), &mut |page| {
            new.clone().map(ExtentNo).filter(|e| is_permanent_mixed(*e)).for_each(|e| maps::set_bit(page, e, true));
        })?;
    }
    Ok(())
}

/// Takes the extents from `to_pages` to `from_pages` out of the bitmaps that stay, so that they are offered when the file is that long
/// again and not before.
///
/// # Errors
/// [`MapError`]; the maps that were changed offer less than the file has, which [`make_maps`] completes.
pub fn cut_maps(
    ask: &Ask<'_>,
    pages: &dyn MapPages,
    (db, file): (DbId, FileId),
    from_pages: u32,
    to_pages: u32,
) -> Result<(), MapError> {
    assert!(to_pages <= from_pages, "maps of {from_pages} pages are cut to be those of {to_pages}");
    let (from, to) = (from_pages / EXTENT_PAGES, to_pages / EXTENT_PAGES);
    // Later intervals go with their maps.
    let interval = to / INTERVAL_EXTENTS;
    if to.is_multiple_of(INTERVAL_EXTENTS) {
        return Ok(());
    }
    let gone = to..from.min((interval + 1) * INTERVAL_EXTENTS);
    for map in [maps::gam_page(interval), maps::sgam_page(interval)] {
        pages.update_map(ask, PageId { db, file, page: map }, &mut |page| {
            gone.clone().map(ExtentNo).for_each(|extent| maps::set_bit(page, extent, false));
        })?;
    }
    Ok(())
}

fn make_pfs_pages(
    ask: &Ask<'_>,
    pages: &dyn MapPages,
    id: impl Fn(PageNo) -> PageId,
    from_pages: u32,
    to_pages: u32,
) -> Result<(), MapError> {
    for part in from_pages.div_ceil(PFS_INTERVAL_PAGES)..to_pages.div_ceil(PFS_INTERVAL_PAGES) {
        let first = ExtentNo(part * (PFS_INTERVAL_PAGES / EXTENT_PAGES));
        let extents = first.0..first.0 + PFS_INTERVAL_PAGES / EXTENT_PAGES;
        let file = id(PageNo(0)).file;
        check!(
            maps::place_of(maps::pfs_page_of(first.first_page())) == maps::Place::Pfs,
            "a PFS page is made where none is looked for, for {extents:?}"
        );
        pages.create_map(ask, id(maps::pfs_page_of(first.first_page())), PageKind::Pfs, &mut |page| {
            for extent in extents.clone().map(ExtentNo).filter(|e| !is_free_at_first(*e)) {
                maps::set_pfs_extent(page, extent, &pfs_at_first(file, extent));
            }
        })?;
    }
    Ok(())
}

/// PFS bytes of an extent that is not free from the start.
fn pfs_at_first(file: FileId, extent: ExtentNo) -> [u8; EXTENT_PAGES as usize] {
    if maps::is_reserved(extent) {
        return [PFS_SYSTEM; EXTENT_PAGES as usize];
    }
    let used = used_at_first(file, extent);
    std::array::from_fn(|n| if used & 1 << n == 0 { maps::PFS_MIXED } else { maps::PFS_MIXED | PFS_SYSTEM })
}

fn make_bitmaps(
    ask: &Ask<'_>,
    pages: &dyn MapPages,
    id: impl Fn(PageNo) -> PageId,
    interval: u32,
) -> Result<(), MapError> {
    let kinds = [
        (maps::gam_page(interval), PageKind::Gam),
        (maps::sgam_page(interval), PageKind::Sgam),
        (maps::dcm_page(interval), PageKind::Dcm),
        (maps::bcm_page(interval), PageKind::Bcm),
    ];
    check!(
        kinds.map(|(page, _)| maps::place_of(page))
            == [maps::Place::Gam, maps::Place::Sgam, maps::Place::Dcm, maps::Place::Bcm],
        "the maps of interval {interval} are made where others are looked for"
    );
    kinds.into_iter().try_for_each(|(page, kind)| pages.create_map(ask, id(page), kind, &mut |_| ()))
}

/// Why the maps of a file are not believed.
#[derive(Debug, thiserror::Error)]
pub enum MapDamage {
    /// A page is not what was written.
    #[error(transparent)]
    Page(#[from] PageDamage),
    /// A page is of another kind than its place demands.
    #[error("page {page} is not the {expected:?} page that belongs there")]
    Kind {
        /// Page.
        page: PageId,
        /// What should be there.
        expected: PageKind,
    },
    /// The maps contradict each other.
    #[error("the maps contradict each other about extent {extent} of file {file}")]
    Contradiction {
        /// File.
        file: FileId,
        /// Extent.
        extent: ExtentNo,
    },
    /// A page could not be read.
    #[error(transparent)]
    Io(#[from] crate::contract::IoFailure),
    /// No memory for a page.
    #[error("no memory to look at page {page}")]
    NoMemory {
        /// Page.
        page: PageId,
    },
}

impl From<PoolError> for MapDamage {
    fn from(error: PoolError) -> MapDamage {
        match error {
            PoolError::Io(failure) => MapDamage::Io(failure),
            PoolError::Damaged(damage) => MapDamage::Page(damage),
            PoolError::NoMemory { page } => MapDamage::NoMemory { page },
        }
    }
}

/// The page of a file, which must be of the kind that belongs there.
pub type ReadPage<'a> = &'a dyn Fn(PageNo, PageKind) -> Result<PageBytes, MapDamage>;

/// Reads the maps of the first `size_pages` of an existing file: its free extents, and adds its mixed extents to
/// `mixed`. Returns also the number of uniform extents in use.
///
/// # Errors
/// [`MapDamage`].
pub fn read_maps(
    file: FileId,
    read: ReadPage<'_>,
    size_pages: u32,
    mixed: &mut MixedPages,
) -> Result<(ExtentMap, u32), MapDamage> {
    let extents = size_pages / EXTENT_PAGES;
    let mut map = ExtentMap::default();
    map.extend_to(extents);
    let mut uniform = 0;
    let mut pfs: Option<(PageNo, PageBytes)> = None;
    for interval in 0..extents.div_ceil(INTERVAL_EXTENTS) {
        let gam = read(maps::gam_page(interval), PageKind::Gam)?;
        let sgam = read(maps::sgam_page(interval), PageKind::Sgam)?;
        read(maps::dcm_page(interval), PageKind::Dcm)?;
        read(maps::bcm_page(interval), PageKind::Bcm)?;
        let first = interval * INTERVAL_EXTENTS;
        for extent in (first..extents.min(first + INTERVAL_EXTENTS)).map(ExtentNo) {
            let pfs_page = maps::pfs_page_of(extent.first_page());
            if pfs.as_ref().is_none_or(|(page, _)| *page != pfs_page) {
                pfs = Some((pfs_page, read(pfs_page, PageKind::Pfs)?));
            }
            let (_, pfs_bytes) = pfs.as_ref().expect("read above");
            match (maps::bit(&gam, extent), maps::bit(&sgam, extent)) {
                (true, true) => return Err(MapDamage::Contradiction { file, extent }),
                (true, false) if !is_free_at_first(extent) => {
                    return Err(MapDamage::Contradiction { file, extent });
                }
                (true, false) => map.give(extent),
                (false, _) if maps::is_reserved(extent) => {}
                (false, has_room) => {
                    let is_mixed = has_room || maps::pfs(pfs_bytes, extent.first_page()) & maps::PFS_MIXED != 0;
                    if is_mixed {
                        mixed.add(file, extent, used_pages(pfs_bytes, extent), is_permanent_mixed(extent));
                    } else {
                        uniform += 1;
                    }
                }
            }
        }
    }
    check!(
        uniform + map.free() <= extents,
        "file {file}: {uniform} extents are owned and {} free, of {extents}",
        map.free()
    );
    Ok((map, uniform))
}

fn used_pages(pfs_page: &PageBytes, extent: ExtentNo) -> u8 {
    (0..EXTENT_PAGES)
        .filter(|n| maps::pfs(pfs_page, PageNo(extent.first_page().0 + n)) & PFS_ALLOCATED != 0)
        .fold(0, |used, n| used | 1 << n)
}
