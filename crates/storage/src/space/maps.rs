//! Where the allocation maps lie in a data file, and how to read and change their bits.
//!
//! ```text
//!  page 0          1      2      3       4 5     6      7      8      9
//!       header     PFS    GAM    SGAM    unused  DCM    BCM    data   boot page (file 1 only)
//!  page 8088 n     PFS again, n ≥ 1: one byte for each of the 8088 pages from there on
//!  page 511232 k   GAM, +1 SGAM, +6 DCM, +7 BCM again, k ≥ 1: one bit for each of the 63904 extents from there on
//!
//!  PFS page:  96 record header (4) │ 100 one byte per page (8088)                       │ 8188
//!  bitmaps:   96 record header (98)│ 194 one bit per extent, lowest bit first (7988)     │ 8182
//!  IAM page:  96 (4) │ 100 sequence u32 │ … │ 136 first page u32, file u16 │ 142 eight single pages of 6 bytes
//!             │ 190 (4) │ 194 one bit per extent of its interval: the heap owns it        │ 8182
//! ```
//!
//! What always holds: GAM bit 1 = the extent is free; SGAM bit 1 = it is mixed and has a free page; free ⇒ SGAM 0. An
//! IAM page covers one interval of one file, as a GAM page does. Where PFS and GAM would fall on one page (every 1011th
//! interval), GAM and SGAM move up by one. Nothing here does I/O.

use crate::check;
use crate::contract::PageKind;
use crate::contract::{EXTENT_PAGES, ExtentNo, FileId, PAGE_BYTES, PageBytes, PageNo};
use crate::page::header;
use crate::page::header::PageLink;

/// Pages that one PFS page covers: a multiple of 8, so that an extent's bytes never lie on two pages.
pub const PFS_INTERVAL_PAGES: u32 = 8088;
const _: () = assert!(PFS_INTERVAL_PAGES.is_multiple_of(EXTENT_PAGES));
/// Bytes of a bitmap.
pub const BITMAP_BYTES: usize = 7988;
/// Extents that one bitmap covers: 7988 × 8 = 63,904.
pub const INTERVAL_EXTENTS: u32 = BITMAP_BYTES as u32 * 8;
/// Pages that one bitmap covers: 511,232.
pub const INTERVAL_PAGES: u32 = INTERVAL_EXTENTS * EXTENT_PAGES;
const _: () = assert!(INTERVAL_PAGES == 511_232);

const PFS_AT: usize = 100;
/// Where the bits of a bitmap begin.
pub const BITMAP_AT: usize = 194;
const _: () = assert!(PFS_AT + PFS_INTERVAL_PAGES as usize <= PAGE_BYTES);
const _: () = assert!(BITMAP_AT + BITMAP_BYTES <= PAGE_BYTES);

/// PFS byte of a page that has no owner.
pub const PFS_FREE: u8 = 0;
/// PFS bit: the page is in use.
pub const PFS_ALLOCATED: u8 = 0x40;
/// PFS bit: the page is of a mixed extent.
pub const PFS_MIXED: u8 = 0x20;
/// PFS bit: the page is an IAM page.
pub const PFS_IAM: u8 = 0x10;
/// PFS bit: the page has ghosts.
pub const PFS_GHOSTS: u8 = 0x08;
/// PFS bits: how full the page is.
pub const PFS_FILL: u8 = 0x07;
/// PFS byte of a map page: in use and full.
pub const PFS_SYSTEM: u8 = PFS_ALLOCATED | 4;

/// The fill class of a page with `used` of `room` bytes in use: 0 empty, 1 to 50 %, 2 to 80 %, 3 to 95 %, 4 above.
#[must_use]
pub fn pfs_fill(used: u32, room: u32) -> u8 {
    check!(used <= room, "{used} of {room} bytes are used");
    match u64::from(used) * 100 {
        0 => 0,
        part if part <= u64::from(room) * 50 => 1,
        part if part <= u64::from(room) * 80 => 2,
        part if part <= u64::from(room) * 95 => 3,
        _ => 4,
    }
}

/// What a page is by its place alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// File header.
    Header,
    /// Page free space.
    Pfs,
    /// Global allocation map.
    Gam,
    /// Shared global allocation map.
    Sgam,
    /// Differential map.
    Dcm,
    /// Bulk-changed map.
    Bcm,
    /// Any other page.
    Other,
}

/// The PFS page that covers `page`.
#[must_use]
pub fn pfs_page_of(page: PageNo) -> PageNo {
    match page.0 / PFS_INTERVAL_PAGES {
        0 => PageNo(1),
        n => PageNo(n * PFS_INTERVAL_PAGES),
    }
}

/// The interval of an extent: its bit lies on the GAM page of that number.
#[must_use]
pub fn interval_of(extent: ExtentNo) -> u32 {
    extent.0 / INTERVAL_EXTENTS
}

/// The GAM page of an interval.
#[must_use]
pub fn gam_page(interval: u32) -> PageNo {
    match interval * INTERVAL_PAGES {
        0 => PageNo(2),
        // The PFS page stays, the GAM moves.
        first if first.is_multiple_of(PFS_INTERVAL_PAGES) => PageNo(first + 1),
        first => PageNo(first),
    }
}

/// The SGAM page of an interval.
#[must_use]
pub fn sgam_page(interval: u32) -> PageNo {
    PageNo(gam_page(interval).0 + 1)
}

/// The DCM page of an interval.
#[must_use]
pub fn dcm_page(interval: u32) -> PageNo {
    PageNo(interval * INTERVAL_PAGES + 6)
}

/// The BCM page of an interval.
#[must_use]
pub fn bcm_page(interval: u32) -> PageNo {
    PageNo(interval * INTERVAL_PAGES + 7)
}

/// What lies at `page` in every data file.
#[must_use]
pub fn place_of(page: PageNo) -> Place {
    let interval = page.0 / INTERVAL_PAGES;
    if page.0 == 0 {
        Place::Header
    } else if page == PageNo(1) || page.0.is_multiple_of(PFS_INTERVAL_PAGES) {
        Place::Pfs
    } else if page == gam_page(interval) {
        Place::Gam
    } else if page == sgam_page(interval) {
        Place::Sgam
    } else if page == dcm_page(interval) {
        Place::Dcm
    } else if page == bcm_page(interval) {
        Place::Bcm
    } else {
        Place::Other
    }
}

/// Whether `extent` holds a map page or the file header. Pages 4 and 5 of such an extent stay unused; an extent that
/// holds nothing but a PFS page is an ordinary mixed extent beside it.
#[must_use]
pub fn is_reserved(extent: ExtentNo) -> bool {
    extent.0.is_multiple_of(INTERVAL_EXTENTS)
}

/// Whether `extent` holds a PFS page and seven ordinary pages.
#[must_use]
pub fn holds_only_pfs(extent: ExtentNo) -> bool {
    !is_reserved(extent) && extent.first_page().0.is_multiple_of(PFS_INTERVAL_PAGES)
}

/// The PFS byte of `page` on its PFS page.
#[must_use]
pub fn pfs(pfs_page: &PageBytes, page: PageNo) -> u8 {
    check!(
        header::kind(pfs_page) != Some(PageKind::Pfs) || header::page_no(pfs_page) == pfs_page_of(page),
        "the PFS byte of page {page} is read from page {}",
        header::page_no(pfs_page)
    );
    pfs_page[PFS_AT + (page.0 % PFS_INTERVAL_PAGES) as usize]
}

/// Sets the PFS byte of `page` on its PFS page.
pub fn set_pfs(pfs_page: &mut PageBytes, page: PageNo, status: u8) {
    check!(status & PFS_FILL <= 4 && status & 0x80 == 0, "page {page} gets the PFS byte {status:#x}");
    check!(
        header::kind(pfs_page) != Some(PageKind::Pfs) || header::page_no(pfs_page) == pfs_page_of(page),
        "the PFS byte of page {page} is not on page {}",
        header::page_no(pfs_page)
    );
    pfs_page[PFS_AT + (page.0 % PFS_INTERVAL_PAGES) as usize] = status;
}

/// Sets the PFS bytes of the pages of `extent` on its PFS page.
pub fn set_pfs_extent(pfs_page: &mut PageBytes, extent: ExtentNo, status: &[u8; EXTENT_PAGES as usize]) {
    check!(
        header::kind(pfs_page) != Some(PageKind::Pfs) || header::page_no(pfs_page) == pfs_page_of(extent.first_page()),
        "the PFS bytes of extent {extent} are not on page {}",
        header::page_no(pfs_page)
    );
    check!(
        status.iter().all(|status| status & PFS_FILL <= 4 && status & 0x80 == 0),
        "extent {extent} gets the PFS bytes {status:x?}"
    );
    let at = PFS_AT + (extent.first_page().0 % PFS_INTERVAL_PAGES) as usize;
    pfs_page[at..at + status.len()].copy_from_slice(status);
}

/// Whether a map page has the bit of `extent`; of a page of another kind nothing is said.
fn tells_about(map_page: &PageBytes, extent: ExtentNo) -> bool {
    let interval = interval_of(extent);
    let page = match header::kind(map_page) {
        Some(PageKind::Gam) => gam_page(interval),
        Some(PageKind::Sgam) => sgam_page(interval),
        Some(PageKind::Dcm) => dcm_page(interval),
        Some(PageKind::Bcm) => bcm_page(interval),
        Some(PageKind::Iam) => {
            let first = iam::first_page(map_page);
            return first.is_none_or(|first| first.page.0 == interval * INTERVAL_PAGES);
        }
        _ => return true,
    };
    header::page_no(map_page) == page
}

/// The bit of `extent` on the map page of its interval (GAM, SGAM, DCM, BCM, IAM).
#[must_use]
pub fn bit(map_page: &PageBytes, extent: ExtentNo) -> bool {
    check!(tells_about(map_page, extent), "the bit of extent {extent} is not on page {}", header::page_no(map_page));
    let within = extent.0 % INTERVAL_EXTENTS;
    map_page[BITMAP_AT + within as usize / 8] & 1 << (within % 8) != 0
}

/// Sets the bit of `extent` on the map page of its interval.
pub fn set_bit(map_page: &mut PageBytes, extent: ExtentNo, on: bool) {
    check!(tells_about(map_page, extent), "the bit of extent {extent} is not on page {}", header::page_no(map_page));
    check!(
        !on || header::kind(map_page) != Some(PageKind::Gam) || !is_reserved(extent),
        "extent {extent} holds the maps, and becomes free"
    );
    let within = extent.0 % INTERVAL_EXTENTS;
    let byte = &mut map_page[BITMAP_AT + within as usize / 8];
    if on {
        *byte |= 1 << (within % 8);
    } else {
        *byte &= !(1 << (within % 8));
    }
}

/// The byte that has the bit of `extent` on the map page of its interval, and the bit in it: for changes that are logged.
#[must_use]
pub fn bit_place(extent: ExtentNo) -> (u16, u8) {
    let within = extent.0 % INTERVAL_EXTENTS;
    ((BITMAP_AT + within as usize / 8) as u16, 1 << (within % 8))
}

/// The extents of `interval` whose bit is set, in order.
pub fn set_bits(map_page: &PageBytes, interval: u32) -> impl Iterator<Item = ExtentNo> + '_ {
    let first = interval * INTERVAL_EXTENTS;
    check!(tells_about(map_page, ExtentNo(first)), "interval {interval} is not on page {}", header::page_no(map_page));
    map_page[BITMAP_AT..BITMAP_AT + BITMAP_BYTES].iter().enumerate().filter(|(_, byte)| **byte != 0).flat_map(
        move |(at, byte)| {
            (0..8_u32).filter(move |n| byte & 1 << n != 0).map(move |n| ExtentNo(first + at as u32 * 8 + n))
        },
    )
}

/// The parts of an IAM page that are not bits.
pub mod iam {
    use super::*;

    /// Single pages that an IAM page can name.
    pub const SINGLE_PAGES: usize = 8;

    const SEQUENCE_AT: usize = 100;
    /// Place of the link of [`values`].
    pub const VALUES_AT: usize = 104;
    const FIRST_PAGE_AT: usize = 136;
    const SINGLE_AT: usize = 142;
    const LINK_BYTES: usize = 6;
    const _: () =
        assert!(SINGLE_AT + SINGLE_PAGES * LINK_BYTES <= BITMAP_AT && VALUES_AT + LINK_BYTES <= FIRST_PAGE_AT);

    fn link_at(page: &PageBytes, at: usize) -> Option<PageLink> {
        let number = u32::from_le_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]]);
        let file = u16::from_le_bytes([page[at + 4], page[at + 5]]);
        (file != 0).then_some(PageLink { file: FileId(file), page: PageNo(number) })
    }

    fn put_link(page: &mut PageBytes, at: usize, link: Option<PageLink>) {
        check!(link.is_none_or(|link| link.file.0 != 0), "a link to {link:?} reads as none");
        let (file, number) = link.map_or((0, 0), |l| (l.file.0, l.page.0));
        page[at..at + 4].copy_from_slice(&number.to_le_bytes());
        page[at + 4..at + 6].copy_from_slice(&file.to_le_bytes());
    }

    /// Place of the page in its chain, from 0.
    #[must_use]
    pub fn sequence(page: &PageBytes) -> u32 {
        let at = SEQUENCE_AT;
        u32::from_le_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]])
    }

    /// Sets the place in the chain.
    pub fn set_sequence(page: &mut PageBytes, sequence: u32) {
        page[SEQUENCE_AT..SEQUENCE_AT + 4].copy_from_slice(&sequence.to_le_bytes());
    }

    /// The first IAM page of the large values that belong to the chain's object; on the first page of a chain only.
    #[must_use]
    pub fn values(page: &PageBytes) -> Option<PageLink> {
        link_at(page, VALUES_AT)
    }

    /// The bytes at [`VALUES_AT`].
    #[must_use]
    pub fn values_bytes(link: PageLink) -> [u8; LINK_BYTES] {
        let [p0, p1, p2, p3] = link.page.0.to_le_bytes();
        let [f0, f1] = link.file.0.to_le_bytes();
        [p0, p1, p2, p3, f0, f1]
    }

    /// First page of the interval that the bits cover.
    #[must_use]
    pub fn first_page(page: &PageBytes) -> Option<PageLink> {
        link_at(page, FIRST_PAGE_AT)
    }

    /// Says which interval of which file the bits cover.
    pub fn set_interval(page: &mut PageBytes, file: FileId, interval: u32) {
        put_link(page, FIRST_PAGE_AT, Some(PageLink { file, page: PageNo(interval * INTERVAL_PAGES) }));
    }

    /// Whether the bit of `extent` of `file` lies on this page.
    #[must_use]
    pub fn covers(page: &PageBytes, file: FileId, extent: ExtentNo) -> bool {
        first_page(page) == Some(PageLink { file, page: PageNo(interval_of(extent) * INTERVAL_PAGES) })
    }

    /// Single page `slot` of the eight.
    #[must_use]
    pub fn single_page(page: &PageBytes, slot: usize) -> Option<PageLink> {
        assert!(slot < SINGLE_PAGES, "single page {slot} of {SINGLE_PAGES}");
        link_at(page, SINGLE_AT + slot * LINK_BYTES)
    }

    /// Sets single page `slot`.
    pub fn set_single_page(page: &mut PageBytes, slot: usize, link: Option<PageLink>) {
        assert!(slot < SINGLE_PAGES, "single page {slot} of {SINGLE_PAGES}");
        put_link(page, SINGLE_AT + slot * LINK_BYTES, link);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lie_where_tools_look_for_them() {
        let at = |n| place_of(PageNo(n));
        assert_eq!([at(0), at(1), at(2), at(3)], [Place::Header, Place::Pfs, Place::Gam, Place::Sgam]);
        assert_eq!([at(4), at(6), at(7), at(9)], [Place::Other, Place::Dcm, Place::Bcm, Place::Other]);
        assert_eq!([at(8088), at(16176), at(8089)], [Place::Pfs, Place::Pfs, Place::Other]);
        assert_eq!([at(511_232), at(511_233)], [Place::Gam, Place::Sgam]);
        assert_eq!([at(511_238), at(511_239)], [Place::Dcm, Place::Bcm]);
        assert_eq!(pfs_page_of(PageNo(8087)), PageNo(1));
        assert_eq!(pfs_page_of(PageNo(8088)), PageNo(8088));
        assert_eq!(pfs_page_of(PageNo(16175)), PageNo(8088));
    }

    #[test]
    fn where_pfs_and_gam_collide_the_gam_moves() {
        let first = 516_855_552;
        assert_eq!(first % PFS_INTERVAL_PAGES + first % INTERVAL_PAGES, 0, "this is the page");
        let at = |n| place_of(PageNo(first + n));
        assert_eq!([at(0), at(1), at(2), at(6)], [Place::Pfs, Place::Gam, Place::Sgam, Place::Dcm]);
        // No other interval of a file collides.
        let collisions = (1..u32::MAX / INTERVAL_PAGES)
            .filter(|k| [0, 1, 6, 7].iter().any(|n| (k * INTERVAL_PAGES + n).is_multiple_of(PFS_INTERVAL_PAGES)));
        assert!(collisions.eq((1..9).map(|n| n * 1011).filter(|k| *k < u32::MAX / INTERVAL_PAGES)));
    }

    #[test]
    fn bits_of_different_extents_do_not_touch() {
        let mut page = [0; PAGE_BYTES];
        let extents = [0, 1, 7, 8, 9, 63_903].map(ExtentNo);
        for extent in extents {
            assert!(!bit(&page, extent));
            set_bit(&mut page, extent, true);
        }
        assert!(set_bits(&page, 0).eq(extents));
        set_bit(&mut page, ExtentNo(8), false);
        assert!(!bit(&page, ExtentNo(8)) && bit(&page, ExtentNo(9)));
        assert_eq!(set_bits(&page, 2).last(), Some(ExtentNo(3 * INTERVAL_EXTENTS - 1)));
        assert!(page[..BITMAP_AT].iter().chain(&page[BITMAP_AT + BITMAP_BYTES..]).all(|b| *b == 0));
    }

    #[test]
    fn pfs_bytes_of_an_extent_lie_together() {
        let mut page = [0; PAGE_BYTES];
        set_pfs_extent(&mut page, ExtentNo(1011), &[1, 2, 3, 4, 0x41, 0x42, 0x43, 0x44]);
        assert_eq!((pfs(&page, PageNo(8088)), pfs(&page, PageNo(8095))), (1, 0x44));
        set_pfs(&mut page, PageNo(8087), 0x44);
        assert_eq!((page[PAGE_BYTES - 5], page[PAGE_BYTES - 4]), (0x44, 0));
    }

    #[test]
    fn fill_classes_change_at_their_bounds() {
        let classes = [0, 1, 4048, 4049, 6476, 6477, 7691, 7692, 8096].map(|used| pfs_fill(used, 8096));
        assert_eq!(classes, [0, 1, 1, 2, 2, 3, 3, 4, 4]);
    }

    #[test]
    fn an_iam_page_names_its_interval_and_its_single_pages() {
        let mut page = [0; PAGE_BYTES];
        assert_eq!(iam::first_page(&page), None);
        iam::set_interval(&mut page, FileId(3), 2);
        iam::set_sequence(&mut page, 9);
        let link = Some(PageLink { file: FileId(3), page: PageNo(77) });
        iam::set_single_page(&mut page, 7, link);
        assert!(iam::covers(&page, FileId(3), ExtentNo(2 * INTERVAL_EXTENTS)));
        assert!(!iam::covers(&page, FileId(3), ExtentNo(INTERVAL_EXTENTS)));
        assert!(!iam::covers(&page, FileId(1), ExtentNo(2 * INTERVAL_EXTENTS)));
        assert_eq!((iam::sequence(&page), iam::single_page(&page, 7), iam::single_page(&page, 6)), (9, link, None));
        assert_eq!(set_bits(&page, 2).count(), 0);
    }
}
