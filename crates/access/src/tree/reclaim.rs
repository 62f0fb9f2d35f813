//! Giving back pages that the maps have for a tree and the tree does not link.
//!
//! What is linked is known by a bit for each page, from the levels above the leaves: no leaf is read.

use std::collections::HashMap;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, ExtentNo, FileId, PageId};
use millpond_storage::page::header;

use super::handle::{Tree, damaged};
use super::node;
use super::read;
use crate::error::AccessError;

/// Pages of a database: an extent of eight is a byte.
#[derive(Debug, Default)]
struct PageSet {
    extents: HashMap<(FileId, ExtentNo), u8>,
}

impl PageSet {
    fn place(page: PageId) -> ((FileId, ExtentNo), u8) {
        ((page.file, page.page.extent()), 1 << (page.page.0 % EXTENT_PAGES))
    }

    fn insert(&mut self, page: PageId) {
        let (extent, bit) = PageSet::place(page);
        *self.extents.entry(extent).or_default() |= bit;
    }

    fn contains(&self, page: PageId) -> bool {
        let (extent, bit) = PageSet::place(page);
        self.extents.get(&extent).is_some_and(|bits| bits & bit != 0)
    }
}

/// Gives pages back that are allocated but not linked: a crash in the middle of a split or an unlinking leaves
/// them, and so does a [`super::TreeFill`] that was given up or undone. To be called after an unclean start, once losers
/// are undone, or when a fill is undone: nothing else adds entries meanwhile. Returns how many there were.
///
/// # Errors
/// [`AccessError`]
pub fn reclaim_pages(tree: &Tree, ask: &Ask<'_>) -> Result<u64, AccessError> {
    let _structure = tree.structure.lock();
    tree.check_live()?;
    let mut linked = PageSet::default();
    linked.insert(tree.root);
    let top = header::level(&*tree.root_shared(ask)?);
    for level in 1..=top {
        read::for_each_node_to_the_end(tree, ask, level, &mut |page, id, _| {
            for slot in 0..node::count(page) {
                linked.insert(node::child(page, slot, tree.ctx.db()).map_err(damaged(id))?);
            }
            Ok(())
        })?;
    }
    tree.unit.reclaim(ask, &mut |page| linked.contains(page))
}

#[cfg(test)]
mod tests {
    use millpond_storage::contract::{DbId, PageNo};

    use super::*;

    #[test]
    fn a_set_has_the_pages_that_were_put_there() {
        let page = |file, page| PageId { db: DbId(5), file: FileId(file), page: PageNo(page) };
        let mut pages = PageSet::default();
        [page(1, 8), page(1, 15), page(3, 8)].into_iter().for_each(|page| pages.insert(page));
        assert!([page(1, 8), page(1, 15), page(3, 8)].into_iter().all(|page| pages.contains(page)));
        assert!(![page(1, 9), page(1, 7), page(1, 16), page(2, 8), page(3, 15)].into_iter().any(|p| pages.contains(p)));
    }
}
