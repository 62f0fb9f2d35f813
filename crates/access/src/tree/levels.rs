//! The levels of a run of ascending keys: pages are filled from left to right, each made once, bottom up.
//!
//! ```text
//!   entries ──▶ level 0: page being filled ──full──▶ made, (page, separator) ──▶ level 1 ──▶ level 2 ──▶ tops
//!                                                     tops of all runs ──▶ level 3 ──▶ … ──▶ root
//! ```
//!
//! A page is made when the next one of its level is begun, because only then its right neighbour is known; each is one
//! mini-transaction with its image. A run ends at [`TOP_LEVEL`], however few pages it has; a tree that is lower than that
//! loses the levels that hold one page each when it gets its root, or when the run is hung after others
//! ([`super::graft`]).

use millpond_storage::check;
use std::mem;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::page::header::{self, PageLink};
use millpond_storage::page::slotted::{self, RECORD_OVERHEAD_BYTES};

use super::handle::damaged;
use super::maker::{NewPages, PageMaker, fresh};
use super::node;
use super::row::Writer;
use crate::error::AccessError;

/// Level of the pages that a run leaves to the fill: so few that they may be kept in memory.
pub(super) const TOP_LEVEL: u8 = 2;

/// A page that has no parent yet, and the separator before it.
#[derive(Debug)]
pub(super) struct Top {
    pub id: PageId,
    pub separator: Vec<u8>,
}

/// The page of a level that is being filled.
#[derive(Debug)]
struct Filling {
    id: PageId,
    bytes: Box<PageBytes>,
    /// Separates it from the page before.
    separator: Vec<u8>,
    /// Pages of the level before it.
    before: u64,
}

/// Levels that are being filled.
#[derive(Debug)]
pub(super) struct Levels {
    /// Number of the first one.
    base: usize,
    /// Number of the one whose pages get no parent; none where a root is wanted.
    top: Option<u8>,
    levels: Vec<Filling>,
    pages: NewPages,
    tops: Vec<Top>,
}

pub(super) fn link_to(page: PageId) -> Option<PageLink> {
    Some(PageLink { file: page.file, page: page.page })
}

impl Levels {
    /// The levels of a run.
    pub(super) fn of_run(maker: &PageMaker, ask: &Ask<'_>, first_key: &[u8]) -> Result<Levels, AccessError> {
        Levels::begin_at(0, Some(TOP_LEVEL), maker, ask, first_key)
    }

    fn begin_at(
        base: u8,
        top: Option<u8>,
        maker: &PageMaker,
        ask: &Ask<'_>,
        separator: &[u8],
    ) -> Result<Levels, AccessError> {
        let (pages, levels, tops) = (NewPages::default(), Vec::new(), Vec::new());
        let mut begun = Levels { base: base.into(), top, levels, pages, tops };
        begun.begin_level(maker, ask, separator)?;
        Ok(begun)
    }

    fn begin_level(&mut self, maker: &PageMaker, ask: &Ask<'_>, separator: &[u8]) -> Result<(), AccessError> {
        let id = self.pages.take(maker, ask)?;
        assert!(self.levels.iter().all(|level| level.id != id), "page {id} is being filled on another level");
        assert!(self.top.is_none_or(|top| self.base + self.levels.len() <= usize::from(top)), "a level above the top");
        let bytes = fresh(maker.tree(), id, self.base + self.levels.len());
        self.levels.push(Filling { id, bytes, separator: separator.to_vec(), before: 0 });
        Ok(())
    }

    /// The page of level 0 that is being filled.
    pub(super) fn leaf(&self) -> PageId {
        self.levels[0].id
    }

    /// Adds an entry after those of level 0; `separator` separates it from them.
    pub(super) fn add(
        &mut self,
        maker: &PageMaker,
        ask: &Ask<'_>,
        record: &[u8],
        separator: &[u8],
    ) -> Result<(), AccessError> {
        self.add_at(0, maker, ask, record, separator)
    }

    /// As [`Levels::add`], to the level at that place of `levels`.
    fn add_at(
        &mut self,
        at: usize,
        maker: &PageMaker,
        ask: &Ask<'_>,
        record: &[u8],
        separator: &[u8],
    ) -> Result<(), AccessError> {
        let filling = &self.levels[at];
        let used = slotted::used_bytes(&filling.bytes) + record.len() + RECORD_OVERHEAD_BYTES;
        let is_leaf = self.base + at == 0;
        let is_full = is_leaf && used > maker.full_bytes() && node::count(&filling.bytes) > 0;
        if is_full || !slotted::fits(&filling.bytes, record.len()) {
            self.next_page(at, maker, ask, separator)?;
        }
        let filling = &mut self.levels[at];
        let slot = node::count(&filling.bytes);
        let added = slotted::insert(&mut filling.bytes, slot, record);
        added.expect("it fits, or the page is empty and takes any record");
        check!(
            slot == 0 || is_in_order(&filling.bytes, slot),
            "R1: the last two keys of a page of level {} do not ascend",
            self.base + at
        );
        Ok(())
    }

    /// Makes the page of the level and begins the next one after it.
    fn next_page(&mut self, at: usize, maker: &PageMaker, ask: &Ask<'_>, separator: &[u8]) -> Result<(), AccessError> {
        let id = self.pages.take(maker, ask)?;
        assert!(id != self.levels[at].id, "page {id} follows itself");
        let mut bytes = fresh(maker.tree(), id, self.base + at);
        let filling = &mut self.levels[at];
        if self.base + at == 0 {
            header::set_prev(&mut bytes, link_to(filling.id));
            header::set_next(&mut filling.bytes, link_to(id));
        }
        let before = filling.before + 1;
        let full = mem::replace(filling, Filling { id, bytes, separator: separator.to_vec(), before });
        self.finish_page(at, maker, ask, full)
    }

    /// Makes a page and adds it to the level above.
    fn finish_page(&mut self, at: usize, maker: &PageMaker, ask: &Ask<'_>, full: Filling) -> Result<(), AccessError> {
        let level = self.base + at;
        assert!(node::count(&full.bytes) > 0, "page {} of level {level} is made without a record", full.id);
        check!(slotted::check(&full.bytes).is_ok(), "page {} of level {level} is sound when it is made", full.id);
        self.pages.make(maker, ask, full.id, &full.bytes)?;
        if self.top.is_some_and(|top| level == usize::from(top)) {
            self.tops.push(Top { id: full.id, separator: full.separator });
            return Ok(());
        }
        if self.levels.len() == at + 1 {
            self.begin_level(maker, ask, &full.separator)?;
        }
        self.add_child(at + 1, maker, ask, full.id, &full.separator)
    }

    fn add_child(
        &mut self,
        at: usize,
        maker: &PageMaker,
        ask: &Ask<'_>,
        child: PageId,
        separator: &[u8],
    ) -> Result<(), AccessError> {
        let mut record = Vec::new();
        node::write_child(&mut record, child, separator);
        self.add_at(at, maker, ask, &record, separator)
    }

    /// Makes the last pages of the levels; the pages of the highest one, which have no parent.
    pub(super) fn close(mut self, maker: &PageMaker, ask: &Ask<'_>) -> Result<Vec<Top>, AccessError> {
        let top = self.top.expect("levels of a root are not closed");
        for at in 0..=usize::from(top) - self.base {
            self.finish_last(at, maker, ask)?;
        }
        assert!(!self.tops.is_empty(), "a run that is closed has a highest page");
        self.pages.end(maker, ask)?;
        Ok(self.tops)
    }

    /// Whether all entries are on one leaf, which is not made yet.
    pub(super) fn is_one_leaf(&self) -> bool {
        self.base == 0 && self.levels.len() == 1
    }

    /// Gives the only leaf up; what it would have been.
    pub(super) fn take_leaf(mut self, maker: &PageMaker, ask: &Ask<'_>) -> Result<Box<PageBytes>, AccessError> {
        assert!(self.is_one_leaf(), "a run of {} levels is no leaf", self.levels.len());
        let leaf = self.levels.pop().expect("a run begins with a leaf");
        self.pages.put_back(leaf.id);
        self.pages.end(maker, ask)?;
        Ok(leaf.bytes)
    }

    /// The level above pages of `level`; its pages.
    pub(super) fn above(maker: &PageMaker, ask: &Ask<'_>, level: u8, pages: &[Top]) -> Result<Vec<Top>, AccessError> {
        let mut above = Levels::begin_at(level + 1, Some(level + 1), maker, ask, &pages[0].separator)?;
        assert!(pages.len() > 1, "a level above one page alone");
        for page in pages {
            above.add_child(0, maker, ask, page.id, &page.separator)?;
        }
        above.close(maker, ask)
    }

    /// Makes the last page of a level.
    fn finish_last(&mut self, at: usize, maker: &PageMaker, ask: &Ask<'_>) -> Result<(), AccessError> {
        let last = &mut self.levels[at];
        let bytes = fresh(maker.tree(), last.id, self.base + at);
        let (id, separator) = (last.id, mem::take(&mut last.separator));
        let last = Filling { id, bytes: mem::replace(&mut last.bytes, bytes), separator, before: last.before };
        self.finish_page(at, maker, ask, last)
    }

    /// Levels above the tops of all runs, and the root.
    pub(super) fn crown(
        maker: &PageMaker,
        ask: &Ask<'_>,
        writer: &mut dyn Writer,
        tops: &[Top],
    ) -> Result<(), AccessError> {
        let [top, others @ ..] = tops else { return Ok(()) };
        if others.is_empty() {
            return root_of_one(maker, ask, writer, top.id);
        }
        let mut above = Levels::begin_at(TOP_LEVEL + 1, None, maker, ask, &top.separator)?;
        for top in tops {
            above.add_child(0, maker, ask, top.id, &top.separator)?;
        }
        let mut at = 0;
        check!(
            tops.windows(2).all(|pair| pair[0].separator < pair[1].separator),
            "R1: the runs of a tree do not ascend"
        );
        while at + 1 < above.levels.len() || above.levels[at].before > 0 {
            above.finish_last(at, maker, ask)?;
            at += 1;
        }
        let Levels { mut levels, mut pages, .. } = above;
        let highest = levels.pop().expect("a level is begun with the first top");
        pages.make_root(maker, ask, writer, (highest.id, &highest.bytes))?;
        pages.end(maker, ask)
    }
}

/// Whether the record in `slot` of a page belongs after the one before it.
fn is_in_order(page: &PageBytes, slot: u16) -> bool {
    let key = |slot| match header::level(page) {
        0 => node::leaf_key(page, slot),
        _ => node::separator(page, slot),
    };
    matches!((key(slot - 1), key(slot)), (Ok(before), Ok(own)) if before < own)
}

/// The only page of its level becomes the root, or, where it has one child alone, that child.
fn root_of_one(maker: &PageMaker, ask: &Ask<'_>, writer: &mut dyn Writer, top: PageId) -> Result<(), AccessError> {
    let tree = maker.tree();
    let mut pages = NewPages::default();
    let mut id = top;
    loop {
        let page = tree.ctx.pool().shared(ask, id)?;
        if header::level(&page) > 0 && node::count(&page) == 1 {
            pages.put_back(id);
            id = node::child(&page, 0, tree.ctx.db()).map_err(damaged(id))?;
            continue;
        }
        let bytes: Box<PageBytes> = Box::new(*page);
        drop(page);
        pages.make_root(maker, ask, writer, (id, &bytes))?;
        return pages.end(maker, ask);
    }
}
