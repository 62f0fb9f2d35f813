//! The levels of a run of ascending keys: pages are filled from left to right, each made once, bottom up.
//!
//! ```text
//!   entries ──▶ level 0: page being filled ──full──▶ made, (page, separator) ──▶ level 1 ──▶ level 2 ──▶ tops
//!                                                     tops of all runs ──▶ level 3 ──▶ … ──▶ root
//! ```
//!
//! A page is made when the next one of its level is begun, because only then its right neighbour is known; each is one
//! mini-transaction with its image. A run ends at [`TOP_LEVEL`], however few pages it has; a tree that is lower than that
//! loses the levels that hold one page each when it gets its root.

use std::mem;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::header::{self, PageLink};
use millpond_storage::slotted::{self, RECORD_OVERHEAD_BYTES};

use super::handle::damaged;
use super::maker::{NewPages, PageMaker, fresh};
use super::node;
use super::row::Writer;
use crate::error::AccessError;

/// Level of the pages that a run leaves to the fill: so few that they may be kept in memory.
const TOP_LEVEL: usize = 2;

/// A page of [`TOP_LEVEL`] and the separator before it.
#[derive(Debug)]
pub(super) struct Top {
    id: PageId,
    separator: Vec<u8>,
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
        Levels::begin_at(0, maker, ask, first_key)
    }

    fn begin_at(base: usize, maker: &PageMaker, ask: &Ask<'_>, separator: &[u8]) -> Result<Levels, AccessError> {
        let mut begun = Levels { base, levels: Vec::new(), pages: NewPages::default(), tops: Vec::new() };
        begun.begin_level(maker, ask, separator)?;
        Ok(begun)
    }

    fn begin_level(&mut self, maker: &PageMaker, ask: &Ask<'_>, separator: &[u8]) -> Result<(), AccessError> {
        let id = self.pages.take(maker, ask)?;
        let bytes = fresh(maker.tree(), id, self.base + self.levels.len());
        self.levels.push(Filling { id, bytes, separator: separator.to_vec(), before: 0 });
        Ok(())
    }

    /// The page of level 0 that is being filled.
    pub(super) fn leaf(&self) -> PageId {
        self.levels[0].id
    }

    /// Adds an entry behind those of level 0; `separator` separates it from them.
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
        Ok(())
    }

    /// Makes the page of the level and begins the next one behind it.
    fn next_page(&mut self, at: usize, maker: &PageMaker, ask: &Ask<'_>, separator: &[u8]) -> Result<(), AccessError> {
        let id = self.pages.take(maker, ask)?;
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

    /// Makes a page and tells the level above.
    fn finish_page(&mut self, at: usize, maker: &PageMaker, ask: &Ask<'_>, full: Filling) -> Result<(), AccessError> {
        let level = self.base + at;
        self.pages.make(maker, ask, full.id, &full.bytes)?;
        if level == TOP_LEVEL {
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

    /// Ends a run; its pages of [`TOP_LEVEL`].
    pub(super) fn close(mut self, maker: &PageMaker, ask: &Ask<'_>) -> Result<Vec<Top>, AccessError> {
        for at in 0..=TOP_LEVEL {
            self.finish_last(at, maker, ask)?;
        }
        self.pages.end(maker, ask)?;
        Ok(self.tops)
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
        let mut above = Levels::begin_at(TOP_LEVEL + 1, maker, ask, &top.separator)?;
        for top in tops {
            above.add_child(0, maker, ask, top.id, &top.separator)?;
        }
        let mut at = 0;
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
