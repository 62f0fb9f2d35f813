//! Pages that a fill makes: taken by extents in a row but for the first ones, each made once by its image, in the log or
//! without it.
//!
//! What always holds: a page that is not in the log is pinned until it is written, so that it is never dirty anywhere but in
//! memory, and the fill says then that it needs a checkpoint.

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, PAGE_BYTES, PageBytes, PageId};
use millpond_storage::page::header::{self, BODY_BYTES};
use millpond_storage::page::slotted;
use millpond_storage::pool::PageRef;
use millpond_storage::wal::{Mtr, PageIx, PageOp};

use super::handle::{Tree, damaged, kind_of};
use super::node;
use super::row::Writer;
use super::split::apply;
use crate::error::AccessError;
use crate::unit::BATCH_EXTENTS_MAX;

/// Pages that are written together: 512 KB.
const UNWRITTEN_MAX: usize = 64;

/// Makes the pages of a tree.
#[derive(Debug)]
pub(super) struct PageMaker {
    tree: Arc<Tree>,
    /// Bytes of a leaf that are filled.
    full_bytes: usize,
    /// Pages that are logged in any case.
    logged_pages: u64,
    /// Pages made so far.
    pages: AtomicU64,
    needs_checkpoint: AtomicBool,
}

/// Pages of the tree that one thread took.
#[derive(Debug, Default)]
pub(super) struct NewPages {
    /// Pages that were taken one by one.
    single_pages: u32,
    /// Extents that were taken whole.
    extents: u32,
    /// Allocated, the next one last.
    free: Vec<PageId>,
    /// Made without the log, not written yet.
    unwritten: Vec<PageRef>,
}

/// An empty page of the tree.
pub(super) fn fresh(tree: &Tree, id: PageId, level: usize) -> Box<PageBytes> {
    let mut bytes: Box<PageBytes> = Box::new([0; PAGE_BYTES]);
    header::init(&mut bytes, id, kind_of(tree.ids, level as u8), tree.ids.object_id);
    header::set_index_id(&mut bytes, tree.ids.index_id);
    header::set_level(&mut bytes, level as u8);
    bytes
}

impl PageMaker {
    /// For an empty tree whose leaves are filled to `fill_percent` (1 to 100; 0 counts as 100).
    pub(super) fn new(tree: &Arc<Tree>, fill_percent: u8, logged_pages: u64) -> PageMaker {
        let filled = match fill_percent {
            1..=99 => usize::from(fill_percent),
            _ => 100,
        };
        let (pages, needs_checkpoint) = (AtomicU64::new(0), AtomicBool::new(false));
        let full_bytes = BODY_BYTES * filled / 100;
        PageMaker { tree: Arc::clone(tree), full_bytes, logged_pages, pages, needs_checkpoint }
    }

    pub(super) fn full_bytes(&self) -> usize {
        self.full_bytes
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether some pages are not in the log.
    pub(super) fn needs_checkpoint(&self) -> bool {
        self.needs_checkpoint.load(Ordering::Acquire)
    }

    /// Makes a page; a pin of it, if it is nowhere but in memory then.
    fn make(&self, ask: &Ask<'_>, id: PageId, bytes: &PageBytes) -> Result<Option<PageRef>, AccessError> {
        let handle = &self.tree.ctx.handle;
        let is_few = self.pages.fetch_add(1, Ordering::Relaxed) < self.logged_pages;
        let mut mtr = match is_few {
            true => Mtr::begin(handle, ask, PAGE_BYTES + 128)?,
            false => Mtr::begin_minimal(handle, ask, PAGE_BYTES + 128)?,
        };
        let page = self.put(&mut mtr, id, bytes)?;
        let is_unlogged = handle.log.is_some() && !mtr.is_logged();
        assert!(!(is_few && is_unlogged), "R3: page {id} is one of the first, and not logged");
        let pin = is_unlogged.then(|| mtr.pin(page));
        check!(handle.log.is_some() || !mtr.is_logged(), "page {id} of a database without a log is logged");
        mtr.commit();
        self.needs_checkpoint.fetch_or(is_unlogged, Ordering::AcqRel);
        Ok(pin)
    }

    /// The root is logged always, and last: the tree has entries from then on.
    fn make_root(&self, ask: &Ask<'_>, writer: &mut dyn Writer, bytes: &PageBytes) -> Result<(), AccessError> {
        let _structure = self.tree.structure.lock();
        let mut mtr = writer.begin(&self.tree.ctx.handle, ask, PAGE_BYTES + 128)?;
        self.put(&mut mtr, self.tree.root, bytes)?;
        self.tree.raise_version();
        writer.commit(mtr);
        Ok(())
    }

    fn put(&self, mtr: &mut Mtr<'_>, id: PageId, bytes: &PageBytes) -> Result<PageIx, AccessError> {
        let (ids, level) = (self.tree.ids, header::level(bytes));
        check!(header::object_id(bytes) == ids.object_id, "page {id} is of object {}", header::object_id(bytes));
        check!(header::page_no(bytes) == id.page, "B1: the bytes of page {} become page {id}", header::page_no(bytes));
        let page = mtr.create(id, kind_of(ids, level), ids.object_id, ids.index_id, level)?;
        apply(mtr, page, PageOp::Image { bytes });
        Ok(page)
    }
}

impl NewPages {
    /// A page that nothing links yet. The first ones are from extents that have other pages too: many small runs would leave
    /// as many extents that are nearly empty. Later ones are from ever more extents in a row, up to 512 KB: runs that are
    /// filled side by side would else share each stretch of the file, and a scan could not read it at once.
    pub(super) fn take(&mut self, maker: &PageMaker, ask: &Ask<'_>) -> Result<PageId, AccessError> {
        if self.free.is_empty() && self.single_pages < EXTENT_PAGES {
            self.single_pages += 1;
            return maker.tree.unit.take(ask, None);
        }
        if self.free.is_empty() {
            let extents_max = self.extents.clamp(1, BATCH_EXTENTS_MAX);
            maker.tree.unit.take_run(ask, extents_max, &mut self.free)?;
            self.extents += self.free.len() as u32 / EXTENT_PAGES;
            self.free.reverse();
        }
        Ok(self.free.pop().expect("taken above"))
    }

    /// Takes back a page that nothing links any more.
    pub(super) fn put_back(&mut self, page: PageId) {
        check!(!self.free.contains(&page), "page {page} is put back twice");
        self.free.push(page);
    }

    /// Makes a page that was taken.
    pub(super) fn make(
        &mut self,
        maker: &PageMaker,
        ask: &Ask<'_>,
        id: PageId,
        bytes: &PageBytes,
    ) -> Result<(), AccessError> {
        self.unwritten.extend(maker.make(ask, id, bytes)?);
        check!(!self.free.contains(&id), "B5: page {id} is made, and is free");
        if self.unwritten.len() >= UNWRITTEN_MAX { self.write(maker, ask) } else { Ok(()) }
    }

    /// The root gets the records of a page, which goes back.
    pub(super) fn make_root(
        &mut self,
        maker: &PageMaker,
        ask: &Ask<'_>,
        writer: &mut dyn Writer,
        (from, bytes): (PageId, &PageBytes),
    ) -> Result<(), AccessError> {
        let mut image = fresh(&maker.tree, maker.tree.root, usize::from(header::level(bytes)));
        assert!(from != maker.tree.root, "B1: the root {from} never moves");
        for slot in 0..node::count(bytes) {
            let record = node::record(bytes, slot).map_err(damaged(from))?;
            slotted::insert(&mut image, slot, record).expect("the same records fit the same page");
        }
        maker.make_root(ask, writer, &image)?;
        check!(
            node::count(&image) == node::count(bytes),
            "B1: the root has {} records of {}",
            node::count(&image),
            node::count(bytes)
        );
        self.put_back(from);
        Ok(())
    }

    fn write(&mut self, maker: &PageMaker, ask: &Ask<'_>) -> Result<(), AccessError> {
        maker.tree.ctx.pool().write_made(ask, &self.unwritten)?;
        self.unwritten.clear();
        Ok(())
    }

    /// Writes what is not written, and gives back what is not used.
    pub(super) fn end(mut self, maker: &PageMaker, ask: &Ask<'_>) -> Result<(), AccessError> {
        check!(
            self.unwritten.iter().all(|page| !self.free.contains(&page.id())),
            "a page that was made is not given back"
        );
        self.write(maker, ask)?;
        maker.tree.unit.give(ask, &self.free)
    }
}
