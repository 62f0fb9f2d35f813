//! What a heap owns and where its rows end: extents in order of use, IAM pages, the tail, the pages with holes.
//!
//! ```text
//!   extents:   0 [0..7]   1 [8..15]   2 [16..23]   3 [24..31]         position = extent index * 8 + page in extent
//!   pages in use = 19:    ................ 16 17 18 | 19 ..           the tail is page 18; pages after it are reserved
//! ```
//!
//! What always holds:
//! - L1: pages are used in order of their position; `pages` of them are in use, none after.
//! - L2: `holes` has (free bytes, position) of pages before the tail, with the page's true free count.
//! - L3: the fill classes in `extents` are true of every page before the tail; the tail's is computed when asked for.
//!
//! It knows numbers: it reads no page and asks for no space.

use millpond_storage::check;
use std::collections::{BTreeSet, HashMap};

use millpond_storage::contract::{DbId, EXTENT_PAGES, ExtentId, ExtentNo, FileId, PageBytes, PageId, PageNo};
use millpond_storage::page::header::{self, BODY_BYTES};
use millpond_storage::space::maps::{PFS_ALLOCATED, pfs_fill};

use crate::heap::journal::TailMark;
use crate::iam_log::IamPage;
use crate::page;

/// A page with less free space than this is full for good: 5 % of 8096, the step of the last fill class.
const HOLE_BYTES_MIN: u16 = (BODY_BYTES / 20) as u16;

/// Position of a page in its heap.
pub(crate) type Position = u32;

/// An extent of the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedExtent {
    pub file: FileId,
    pub extent: ExtentNo,
    /// PFS bytes of its pages.
    pub pfs: [u8; EXTENT_PAGES as usize],
    /// The PFS page does not have these bytes yet; the extent is in [`Layout::stale`].
    pub stale: bool,
}

/// Use of an extent, as `DBCC EXTENTINFO` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtentUse {
    /// Extent.
    pub extent: ExtentId,
    /// Pages in use.
    pub pages_used: u32,
    /// PFS bytes of its pages.
    pub pfs: [u8; EXTENT_PAGES as usize],
}

/// What is known of the tail without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    pub slots: u16,
    pub free: u16,
    /// Free bytes between its rows and its slots.
    pub at_end: u16,
    /// Empty slots; an insert may take one.
    pub empty_slots: u16,
    /// Rows were deleted or shrunk there: it has a hole when it is left.
    pub has_hole: bool,
}

impl Tail {
    /// Of an empty page.
    pub(crate) const EMPTY: Tail =
        Tail { slots: 0, free: BODY_BYTES as u16, at_end: BODY_BYTES as u16, empty_slots: 0, has_hole: false };

    /// A record of `len` was appended.
    #[inline]
    pub(crate) fn appended(&mut self, len: usize) {
        check!(
            page::cost_of(len) <= usize::from(self.at_end) && self.at_end <= self.free,
            "R1: {len} bytes are appended to {} of {}",
            self.at_end,
            self.free
        );
        let cost = page::cost_of(len) as u16;
        self.slots += 1;
        self.free -= cost;
        self.at_end -= cost;
    }
}

#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub extents: Vec<OwnedExtent>,
    pub iam: Vec<IamPage>,
    /// Pages in use (L1).
    pub pages: u32,
    pub rows: u64,
    pub tail: Tail,
    /// L2
    holes: BTreeSet<(u16, Position)>,
    /// Extent to index in `extents`, for the first `index.len()` of them: filled when a row is first looked for by place.
    index: HashMap<(FileId, ExtentNo), u32>,
    /// Extents whose PFS bytes are not in the map yet.
    pub stale: Vec<u32>,
    /// No page before this position has rows, and none of them is the tail: what deletes from the beginning of a heap
    /// leave is not read again by each scan.
    first: Position,
}

impl Layout {
    pub(crate) fn mark(&self) -> TailMark {
        TailMark {
            extents: self.extents.len() as u32,
            iam_pages: self.iam.len() as u32,
            pages: self.pages,
            slots: self.tail.slots,
            rows: self.rows,
        }
    }

    /// Position of the tail.
    pub(crate) fn tail_position(&self) -> Option<Position> {
        self.pages.checked_sub(1)
    }

    /// The first page that a scan has to read.
    pub(crate) fn first_with_rows(&mut self) -> Position {
        let Some(tail) = self.tail_position() else { return 0 };
        while self.first < tail && self.is_empty(self.first) {
            self.first += 1;
        }
        self.first
    }

    /// Whether it is known that a page has no rows.
    pub(crate) fn is_known_empty(&self, position: Position) -> bool {
        self.tail_position().is_some_and(|tail| position < tail) && self.is_empty(position)
    }

    /// Whether a page that is not the tail has no rows.
    fn is_empty(&self, position: Position) -> bool {
        let owned = &self.extents[(position / EXTENT_PAGES) as usize];
        owned.pfs[(position % EXTENT_PAGES) as usize] == PFS_ALLOCATED
    }

    /// Where the page at `position` lies; the position is owned, in use or not.
    pub(crate) fn page_at(&self, db: DbId, position: Position) -> PageId {
        let owned = &self.extents[(position / EXTENT_PAGES) as usize];
        ExtentId { db, file: owned.file, extent: owned.extent }.page(position % EXTENT_PAGES)
    }

    /// Position of a page that is in use.
    pub(crate) fn position_of(&mut self, file: FileId, page: PageNo) -> Option<Position> {
        for at in self.index.len()..self.extents.len() {
            let owned = &self.extents[at];
            self.index.insert((owned.file, owned.extent), at as u32);
        }
        let extent = *self.index.get(&(file, page.extent()))?;
        let position = extent * EXTENT_PAGES + page.0 % EXTENT_PAGES;
        (position < self.pages).then_some(position)
    }

    /// Takes note of the page at `position` after a change other than an append; `free_before` is its free count before.
    pub(crate) fn page_changed(&mut self, position: Position, page: &PageBytes, free_before: u16) {
        let free = header::free_count(page);
        assert!(position < self.pages, "L1: page {position} of {} was changed", self.pages);
        if Some(position) == self.tail_position() {
            let has_hole = self.tail.has_hole || free > free_before;
            self.read_tail(page);
            self.tail.has_hole = has_hole;
            return;
        }
        let was_hole = self.holes.remove(&(free_before, position));
        check!(
            !self.holes.iter().any(|hole| hole.1 == position),
            "L2: the hole on page {position} is not {free_before} bytes"
        );
        if free >= HOLE_BYTES_MIN && (was_hole || free > free_before) {
            self.holes.insert((free, position));
        }
        self.set_fill(position, fill_class(free, header::slot_count(page)));
    }

    /// Whether what is known of the tail is what `page` says.
    pub(crate) fn tail_is(&self, page: &PageBytes) -> bool {
        let Tail { slots, free, at_end, .. } = self.tail;
        (slots, free, at_end) == (header::slot_count(page), header::free_count(page), page::bytes_at_end(page))
    }

    /// L1, L2, and that the list of stale extents is the one that their marks make.
    fn invariants(&self) {
        check!(
            self.pages <= self.extents.len() as u32 * EXTENT_PAGES,
            "L1: {} pages of {} extents",
            self.pages,
            self.extents.len()
        );
        check!(self.pages > 0 || self.rows == 0, "L1: {} rows on no page", self.rows);
        check!(self.extents.is_empty() || !self.iam.is_empty(), "{} extents in no IAM page", self.extents.len());
        check!(
            self.holes.iter().all(|&(free, position)| free >= HOLE_BYTES_MIN && Some(position) < self.tail_position()),
            "L2: a hole that is none, or not before the tail"
        );
        check!(
            self.stale.len() == self.extents.iter().filter(|owned| owned.stale).count(),
            "{} extents are to be written to the maps, others are marked",
            self.stale.len()
        );
        check!(self.first <= self.pages, "the first page with rows is {} of {}", self.first, self.pages);
    }

    /// The tail is as `page` says.
    pub(crate) fn read_tail(&mut self, page: &PageBytes) {
        let empty_slots = page::empty_slot_count(page);
        self.tail = Tail {
            slots: header::slot_count(page),
            free: header::free_count(page),
            at_end: page::bytes_at_end(page),
            empty_slots,
            has_hole: empty_slots > 0,
        };
    }

    /// The tail is left for the next page.
    pub(crate) fn leave_tail(&mut self) {
        let Some(position) = self.tail_position() else {
            return;
        };
        self.set_fill(position, fill_class(self.tail.free, self.tail.slots));
        if self.tail.has_hole && self.tail.free >= HOLE_BYTES_MIN {
            self.holes.insert((self.tail.free, position));
        }
    }

    /// The next page, which is owned already, is the tail now, and empty.
    pub(crate) fn enter_tail(&mut self) {
        assert!(self.pages < self.extents.len() as u32 * EXTENT_PAGES, "L1: {} pages in use, none after", self.pages);
        self.pages += 1;
        self.tail = Tail::EMPTY;
        self.invariants();
    }

    /// Takes the next page, which is owned already, for a caller that says later how it was filled
    /// ([`Layout::page_filled`]); until then it counts as empty.
    pub(crate) fn take_page(&mut self) {
        self.leave_tail();
        self.enter_tail();
    }

    /// A page that was taken has been filled by appends; `has_hole` says that its room is for later rows.
    pub(crate) fn page_filled(&mut self, position: Position, tail: Tail) {
        assert!(position < self.pages, "L1: page {position} of {} was filled", self.pages);
        assert!(
            tail.at_end <= tail.free,
            "page {position} has {} bytes after its rows, {} in all",
            tail.at_end,
            tail.free
        );
        if Some(position) == self.tail_position() {
            self.tail = tail;
            return;
        }
        self.set_fill(position, fill_class(tail.free, tail.slots));
        if tail.has_hole && tail.free >= HOLE_BYTES_MIN {
            self.holes.insert((tail.free, position));
        }
    }

    /// The room of the tail is for later rows, whatever comes after it.
    pub(crate) fn offer_tail(&mut self) {
        self.tail.has_hole = true;
    }

    /// The page with the least free space of at least `bytes`; the tail where one of its empty slots will do.
    pub(crate) fn hole(&self, record_bytes: usize) -> Option<Position> {
        let tail_room = usize::from(self.tail.free) >= page::room_of(record_bytes);
        if self.tail.empty_slots > 0 && tail_room {
            return self.tail_position();
        }
        let need = page::cost_of(record_bytes) as u16;
        self.holes.range((need, 0)..).next().map(|&(_, position)| position)
    }

    /// Whether [`Layout::hole`] might find one.
    pub(crate) fn has_holes(&self) -> bool {
        self.tail.empty_slots > 0 || !self.holes.is_empty()
    }

    fn set_fill(&mut self, position: Position, class: u8) {
        if class != 0 {
            self.first = self.first.min(position);
        }
        let at = position / EXTENT_PAGES;
        assert!(position < self.pages, "L3: page {position} of {} gets a fill class", self.pages);
        let owned = &mut self.extents[at as usize];
        let byte = PFS_ALLOCATED | class;
        let old = std::mem::replace(&mut owned.pfs[(position % EXTENT_PAGES) as usize], byte);
        if old != byte && !owned.stale {
            owned.stale = true;
            self.stale.push(at);
        }
    }

    /// Goes back to `mark`; the tail is read anew by the caller. Returns extents and IAM pages that are owned no more.
    pub(crate) fn cut(&mut self, mark: &TailMark) -> (Vec<OwnedExtent>, Vec<IamPage>) {
        assert!(
            mark.pages <= self.pages && mark.extents as usize <= self.extents.len(),
            "undo goes back: {} pages of {} extents are not {mark:?}",
            self.pages,
            self.extents.len()
        );
        assert!(
            mark.iam_pages as usize <= self.iam.len(),
            "undo goes back: {} IAM pages are not {mark:?}",
            self.iam.len()
        );
        assert!(
            mark.pages <= mark.extents * EXTENT_PAGES,
            "L1: a mark with more pages than its extents have, {mark:?}"
        );
        let lost = self.extents.split_off(mark.extents as usize);
        for owned in &lost {
            self.index.remove(&(owned.file, owned.extent));
        }
        for position in mark.pages..self.pages.min(mark.extents * EXTENT_PAGES) {
            self.clear_fill(position);
        }
        self.stale.retain(|&at| at < mark.extents);
        let tail = mark.pages.saturating_sub(1);
        self.holes.retain(|&(_, position)| position < tail);
        self.first = self.first.min(tail);
        (self.pages, self.rows) = (mark.pages, mark.rows);
        self.tail = Tail::default();
        self.invariants();
        check!(self.stale.iter().all(|&at| self.extents[at as usize].stale), "stale extents are marked");
        check!(self.index.len() <= self.extents.len(), "extents that were given back are not found by their place");
        (lost, self.iam.split_off(mark.iam_pages as usize))
    }

    fn clear_fill(&mut self, position: Position) {
        let at = position / EXTENT_PAGES;
        let owned = &mut self.extents[at as usize];
        owned.pfs[(position % EXTENT_PAGES) as usize] = 0;
        if !owned.stale {
            owned.stale = true;
            self.stale.push(at);
        }
    }

    /// Every extent with its use.
    pub(crate) fn extent_uses(&self, db: DbId) -> Vec<ExtentUse> {
        (0..self.extents.len()).map(|at| self.extent_use(db, at)).collect()
    }

    /// The use of extent `at`; L3 made true of the tail.
    pub(crate) fn extent_use(&self, db: DbId, at: usize) -> ExtentUse {
        let owned = &self.extents[at];
        let mut pfs = owned.pfs;
        let first = at as u32 * EXTENT_PAGES;
        if let Some(tail) = self.tail_position().filter(|t| t / EXTENT_PAGES == at as u32) {
            pfs[(tail - first) as usize] = PFS_ALLOCATED | fill_class(self.tail.free, self.tail.slots);
        }
        let pages_used = self.pages.saturating_sub(first).min(EXTENT_PAGES);
        ExtentUse { extent: ExtentId { db, file: owned.file, extent: owned.extent }, pages_used, pfs }
    }
}

/// Fill class of a page; one that holds nothing but empty slots is empty.
fn fill_class(free: u16, slots: u16) -> u8 {
    let used = BODY_BYTES as u32 - u32::from(free).min(BODY_BYTES as u32);
    if used == u32::from(slots) * 2 { 0 } else { pfs_fill(used, BODY_BYTES as u32) }
}
