//! Pages that are read together because they are neighbours in their file. It knows no contents.

use millpond_storage::check;
use millpond_storage::contract::PageId;

/// Pages of one large read: 512 KB.
pub(crate) const READ_PAGES: u32 = 64;

/// Pages that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neighbours {
    pub first: PageId,
    pub pages: u32,
}

impl Neighbours {
    /// Adds a page to the last of `all`, on either side, where that has less than `pages_max`; else after it.
    pub(crate) fn add(all: &mut Vec<Neighbours>, page: PageId, pages_max: u32) {
        let last = all.last_mut().filter(|last| last.pages < pages_max);
        if !last.is_some_and(|last| last.takes(page)) {
            all.push(Neighbours { first: page, pages: 1 });
        }
    }

    fn takes(&mut self, page: PageId) -> bool {
        let Neighbours { first, pages } = *self;
        check!(pages > 0, "neighbours are one page at least");
        if first.file != page.file {
            return false;
        }
        if first.page.0.checked_add(pages) == Some(page.page.0) {
            self.pages += 1;
        } else if page.page.0.checked_add(1) == Some(first.page.0) {
            *self = Neighbours { first: page, pages: pages + 1 };
        } else {
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use millpond_storage::contract::{DbId, FileId, PageNo};

    use super::*;

    fn page(file: u16, page: u32) -> PageId {
        PageId { db: DbId::TEMPDB, file: FileId(file), page: PageNo(page) }
    }

    #[test]
    fn pages_join_their_neighbours_on_either_side_as_far_as_a_read_goes() {
        let mut all = Vec::new();
        let pages = [(1, 7), (1, 8), (1, 6), (1, 9), (1, 10), (2, 11), (2, 13), (2, 12), (2, 0), (2, u32::MAX)];
        for (file, number) in pages {
            Neighbours::add(&mut all, page(file, number), 3);
        }
        let found: Vec<_> = all.iter().map(|run| (run.first.file.0, run.first.page.0, run.pages)).collect();
        assert_eq!(found, [(1, 6, 3), (1, 9, 2), (2, 11, 1), (2, 12, 2), (2, 0, 1), (2, u32::MAX, 1)]);
    }
}
