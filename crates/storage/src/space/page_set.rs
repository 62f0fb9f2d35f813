//! Pages by number, in plain memory: the maps of a file that is being made, before they are written in one go. Tests of
//! allocation use it in place of the pool.
//!
//! What always holds: a page exists from its creation until it is forgotten; looking at any other page is the failure
//! [`IoFailure::NoFile`].

use crate::check;
use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::ask::Ask;
use crate::contract::{DbId, ExtentId, FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind};
use crate::page::header;
use crate::pool::PoolError;
use crate::space::map_pages::{MapError, MapPages};

/// Pages in memory.
#[derive(Debug, Default)]
pub struct PageSet {
    pages: Mutex<BTreeMap<PageId, Box<PageBytes>>>,
}

impl PageSet {
    /// All pages in order, ready to be written: with their checksums.
    #[must_use]
    pub fn into_pages(self) -> Vec<(PageId, Box<PageBytes>)> {
        let mut pages: Vec<_> = self.pages.into_inner().into_iter().collect();
        pages.iter_mut().for_each(|(_, page)| header::set_checksum(page));
        check!(
            pages.iter().all(|(id, page)| header::verify(page, *id).is_ok()),
            "S1: a page of a new file is not whole"
        );
        pages
    }

    /// A copy of a page.
    #[cfg(test)]
    #[must_use]
    pub fn page(&self, id: PageId) -> Option<Box<PageBytes>> {
        self.pages.lock().get(&id).cloned()
    }
}

fn missing(page: PageId) -> MapError {
    MapError::Pool(PoolError::Io(IoFailure::NoFile { page }))
}

impl MapPages for PageSet {
    fn update_map(&self, _: &Ask<'_>, page: PageId, change: &mut dyn FnMut(&mut PageBytes)) -> Result<(), MapError> {
        self.pages.lock().get_mut(&page).map(|bytes| change(bytes)).ok_or_else(|| missing(page))
    }

    fn read_map(&self, _: &Ask<'_>, page: PageId, look: &mut dyn FnMut(&PageBytes)) -> Result<(), MapError> {
        self.pages.lock().get(&page).map(|bytes| look(bytes)).ok_or_else(|| missing(page))
    }

    fn create_map(
        &self,
        _: &Ask<'_>,
        page: PageId,
        kind: PageKind,
        fill: &mut dyn FnMut(&mut PageBytes),
    ) -> Result<(), MapError> {
        let mut bytes = Box::new([0; PAGE_BYTES]);
        header::init_zeroed(&mut bytes, page, kind, 0);
        fill(&mut bytes);
        check!(
            header::kind(&bytes) == Some(kind) && header::page_no(&bytes) == page.page,
            "map page {page} is filled with the header of another one"
        );
        self.pages.lock().insert(page, bytes);
        Ok(())
    }

    fn forget_extent(&self, extent: ExtentId) {
        (0..crate::contract::EXTENT_PAGES).for_each(|n| self.forget_page(extent.page(n)));
    }

    fn forget_page(&self, page: PageId) {
        self.pages.lock().remove(&page);
    }

    fn forget_file(&self, db: DbId, file: FileId) {
        self.pages.lock().retain(|page, _| (page.db, page.file) != (db, file));
    }
}
