//! A tree from entries that come sorted: pages are filled from left to right, each written once, bottom up.
//!
//! ```text
//!   entries ──▶ level 0: page being filled ──full──▶ written, (page, separator) ──▶ level 1: page being filled ──▶ …
//! ```
//!
//! A page is written when the next one of its level is begun, because only then its right neighbour is known. At the end
//! the highest level has one page, and its records go to the root. Each page is one mini-transaction with its image; the
//! tree is of use when all are written, and before that nobody knows its root.

use std::sync::Arc;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, PAGE_BYTES, PageBytes, PageId};
use millpond_storage::header::{self, BODY_BYTES, PageLink};
use millpond_storage::slotted::{self, RECORD_OVERHEAD_BYTES};
use millpond_storage::wal::page_op;
use millpond_storage::wal::{Mtr, PageOp};

use super::handle::{Tree, TreeIds, TreeRoot, damaged, kind_of};
use super::modify::check_entry;
use super::node;
use super::row::LeafRow;
use super::split::apply;
use crate::ctx::TreeCtx;
use crate::error::AccessError;

/// An entry for a new tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Key.
    pub key: &'a [u8],
    /// Payload.
    pub payload: &'a [u8],
}

/// Entries in ascending order of distinct keys.
pub trait EntrySource<E> {
    /// The next entry.
    ///
    /// # Errors
    /// The source's own; building ends with them.
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, E>;
}

/// The page of a level that is being filled.
struct Filling {
    id: PageId,
    bytes: Box<PageBytes>,
    /// Separates it from the page before.
    separator: Vec<u8>,
    /// Pages of the level before it.
    before: u64,
}

struct Builder<'b> {
    tree: &'b Tree,
    ask: &'b Ask<'b>,
    levels: Vec<Filling>,
    /// Bytes of a page that are filled.
    full_bytes: usize,
    /// Allocated pages, the next one last.
    pages: Vec<PageId>,
    record: Vec<u8>,
}

impl Tree {
    /// Builds a tree of the entries that `source` gives; leaves are filled to `fill_percent` (1 to 100; 0 counts as 100).
    /// Returns how many there are. After an error all pages are given back.
    ///
    /// # Errors
    /// The source's; [`AccessError::KeyOrder`] and others.
    pub fn bulk_build<E: From<AccessError>>(
        ctx: &TreeCtx,
        ask: &Ask<'_>,
        ids: TreeIds,
        fill_percent: u8,
        source: &mut dyn EntrySource<E>,
    ) -> Result<(Arc<Tree>, TreeRoot, u64), E> {
        let tree = Tree::without_root(ctx, ask, ids)?;
        let filled = match fill_percent {
            1..=99 => usize::from(fill_percent),
            _ => 100,
        };
        let mut builder = Builder {
            tree: &tree,
            ask,
            levels: Vec::new(),
            full_bytes: BODY_BYTES * filled / 100,
            pages: Vec::new(),
            record: Vec::new(),
        };
        match builder.build(source) {
            Ok(rows) => {
                tree.entries.set(rows);
                let place = tree.place();
                Ok((Arc::new(tree), place, rows))
            }
            Err(cause) => {
                // The first failure is the one to tell; what cannot be given back is claimed by no live chain.
                let _ = tree.free(ask);
                Err(cause)
            }
        }
    }
}

impl Builder<'_> {
    fn build<E: From<AccessError>>(&mut self, source: &mut dyn EntrySource<E>) -> Result<u64, E> {
        let (mut rows, mut last) = (0_u64, Vec::new());
        self.begin_level(0, &[])?;
        while let Some(Entry { key, payload }) = source.next_entry()? {
            check_entry(key, payload)?;
            if rows > 0 && key <= last.as_slice() {
                return Err(AccessError::KeyOrder { is_equal: key == last.as_slice() }.into());
            }
            if rows.is_multiple_of(1024) && self.ask.task.is_cancelled() {
                return Err(AccessError::Cancelled.into());
            }
            let mut record = std::mem::take(&mut self.record);
            node::write_leaf(&mut record, &LeafRow { key, payload, is_ghost: false, tag: None, pad_bytes: 0 });
            let separator = if rows == 0 { &[][..] } else { node::separator_between(&last, key) };
            self.add(0, &record, separator)?;
            self.record = record;
            last.clear();
            last.extend_from_slice(key);
            rows += 1;
        }
        self.finish()?;
        Ok(rows)
    }

    fn take_page(&mut self) -> Result<PageId, AccessError> {
        if self.pages.is_empty() {
            self.tree.unit.take_run(self.ask, &mut self.pages)?;
            debug_assert!(self.pages.len() <= EXTENT_PAGES as usize);
            self.pages.reverse();
        }
        Ok(self.pages.pop().expect("taken above"))
    }

    fn fresh(&self, id: PageId, level: usize) -> Box<PageBytes> {
        let mut bytes: Box<PageBytes> = Box::new([0; PAGE_BYTES]);
        let (ids, level) = (self.tree.ids, level as u8);
        header::init(&mut bytes, id, kind_of(ids, level), ids.object_id);
        header::set_index_id(&mut bytes, ids.index_id);
        header::set_level(&mut bytes, level);
        bytes
    }

    fn begin_level(&mut self, level: usize, separator: &[u8]) -> Result<(), AccessError> {
        debug_assert_eq!(level, self.levels.len());
        let id = self.take_page()?;
        let bytes = self.fresh(id, level);
        self.levels.push(Filling { id, bytes, separator: separator.to_vec(), before: 0 });
        Ok(())
    }

    /// Adds a record behind those of the level; `separator` separates it from them.
    fn add(&mut self, level: usize, record: &[u8], separator: &[u8]) -> Result<(), AccessError> {
        let filling = &self.levels[level];
        let used = slotted::used_bytes(&filling.bytes) + record.len() + RECORD_OVERHEAD_BYTES;
        let is_full = match level {
            0 => used > self.full_bytes && node::count(&filling.bytes) > 0,
            _ => false,
        };
        if is_full || !slotted::fits(&filling.bytes, record.len()) {
            self.next_page(level, separator)?;
        }
        let filling = &mut self.levels[level];
        let slot = node::count(&filling.bytes);
        let added = slotted::insert(&mut filling.bytes, slot, record);
        added.expect("it fits, or the page is empty and takes any record");
        Ok(())
    }

    /// Writes the page of the level and begins the next one behind it.
    fn next_page(&mut self, level: usize, separator: &[u8]) -> Result<(), AccessError> {
        let id = self.take_page()?;
        let mut bytes = self.fresh(id, level);
        let filling = &mut self.levels[level];
        if level == 0 {
            header::set_prev(&mut bytes, Some(PageLink { file: filling.id.file, page: filling.id.page }));
            header::set_next(&mut filling.bytes, Some(PageLink { file: id.file, page: id.page }));
        }
        let before = filling.before + 1;
        let full = std::mem::replace(filling, Filling { id, bytes, separator: separator.to_vec(), before });
        self.finish_page(level, &full)
    }

    /// Writes a page and tells the level above.
    fn finish_page(&mut self, level: usize, full: &Filling) -> Result<(), AccessError> {
        self.write(full.id, level, &full.bytes)?;
        if self.levels.len() == level + 1 {
            self.begin_level(level + 1, &[])?;
        }
        let mut record = Vec::new();
        node::write_child(&mut record, full.id, &full.separator);
        self.add(level + 1, &record, &full.separator)
    }

    fn write(&self, id: PageId, level: usize, bytes: &PageBytes) -> Result<(), AccessError> {
        let (ids, level) = (self.tree.ids, level as u8);
        let mut mtr = Mtr::begin(&self.tree.ctx.handle, self.ask, PAGE_BYTES + 128)?;
        let page = mtr.create(id, kind_of(ids, level), ids.object_id, ids.index_id, level)?;
        apply(&mut mtr, page, PageOp::Image { bytes });
        mtr.commit();
        Ok(())
    }

    /// Writes what is being filled; the last page of the highest level is the root.
    fn finish(&mut self) -> Result<(), AccessError> {
        for level in 0.. {
            if level + 1 == self.levels.len() && self.levels[level].before == 0 {
                break;
            }
            let id = self.levels[level].id;
            let empty = Filling { id, bytes: self.fresh(id, level), separator: Vec::new(), before: 0 };
            let last = std::mem::replace(&mut self.levels[level], empty);
            self.finish_page(level, &last)?;
        }
        let top = self.levels.pop().expect("a level is begun with the first entry");
        let root = self.tree.root;
        let mut bytes = self.fresh(root, self.levels.len());
        for slot in 0..node::count(&top.bytes) {
            let record = node::record(&top.bytes, slot).map_err(damaged(top.id))?;
            let done = page_op::apply(&mut bytes, &PageOp::Insert { slot, record });
            done.expect("the same records fit the same page");
        }
        self.write(root, self.levels.len(), &bytes)?;
        self.pages.push(top.id);
        let rest = std::mem::take(&mut self.pages);
        self.tree.unit.give(self.ask, &rest)
    }
}
