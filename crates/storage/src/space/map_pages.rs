//! How allocation reaches the pages of the maps: the pool, or a test's table of pages.

use crate::check;
use std::sync::Arc;

use crate::ask::Ask;
use crate::contract::{DbId, ExtentId, FileId, PageBytes, PageId, PageKind};
use crate::page::header;
use crate::pool::{Pool, PoolError};
use crate::wal::LogError;

/// Why a map page did not change.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MapError {
    /// The page could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The change could not be logged (9002, 9001).
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Pages by number; the pool is the one that the server uses.
pub trait MapPages: Send + Sync {
    /// Changes a map page under its exclusive latch; waits are charged to `ask` as PAGELATCH_UP.
    ///
    /// # Errors
    /// [`MapError`]; `change` was then not called.
    fn update_map(&self, ask: &Ask<'_>, page: PageId, change: &mut dyn FnMut(&mut PageBytes)) -> Result<(), MapError>;

    /// Looks at a map page.
    ///
    /// # Errors
    /// [`MapError`]; `look` was then not called.
    fn read_map(&self, ask: &Ask<'_>, page: PageId, look: &mut dyn FnMut(&PageBytes)) -> Result<(), MapError>;

    /// Makes a page of `kind` with a zeroed body and lets `fill` write it.
    ///
    /// # Errors
    /// [`MapError`]; `fill` was then not called.
    fn create_map(
        &self,
        ask: &Ask<'_>,
        page: PageId,
        kind: PageKind,
        fill: &mut dyn FnMut(&mut PageBytes),
    ) -> Result<(), MapError>;

    /// Whether changes are logged, or need not be.
    fn is_logged(&self) -> bool {
        false
    }

    /// The extent was freed: its pages are never written.
    fn forget_extent(&self, extent: ExtentId);

    /// The page was freed: it is never written.
    fn forget_page(&self, page: PageId);

    /// The file is gone: none of its pages is written or asked for again.
    fn forget_file(&self, db: DbId, file: FileId);
}

impl MapPages for Pool {
    fn update_map(&self, ask: &Ask<'_>, page: PageId, change: &mut dyn FnMut(&mut PageBytes)) -> Result<(), MapError> {
        change(&mut *self.update(ask, page)?);
        Ok(())
    }

    fn read_map(&self, ask: &Ask<'_>, page: PageId, look: &mut dyn FnMut(&PageBytes)) -> Result<(), MapError> {
        look(&*self.shared(ask, page)?);
        Ok(())
    }

    fn create_map(
        &self,
        ask: &Ask<'_>,
        page: PageId,
        kind: PageKind,
        fill: &mut dyn FnMut(&mut PageBytes),
    ) -> Result<(), MapError> {
        let mut created = self.create(ask, page, kind, 0)?;
        header::init_zeroed(&mut created, page, kind, 0);
        fill(&mut created);
        check!(
            header::kind(&created) == Some(kind) && header::page_no(&created) == page.page,
            "map page {page} is filled with the header of another one"
        );
        Ok(())
    }

    fn forget_extent(&self, extent: ExtentId) {
        self.discard(extent);
    }

    fn forget_page(&self, page: PageId) {
        self.discard_page(page);
    }

    fn forget_file(&self, db: DbId, file: FileId) {
        self.detach_file(db, file);
    }
}

/// So that `instance.pool()` can be passed as it is.
impl MapPages for Arc<Pool> {
    fn update_map(&self, ask: &Ask<'_>, page: PageId, change: &mut dyn FnMut(&mut PageBytes)) -> Result<(), MapError> {
        (**self).update_map(ask, page, change)
    }

    fn read_map(&self, ask: &Ask<'_>, page: PageId, look: &mut dyn FnMut(&PageBytes)) -> Result<(), MapError> {
        (**self).read_map(ask, page, look)
    }

    fn create_map(
        &self,
        ask: &Ask<'_>,
        page: PageId,
        kind: PageKind,
        fill: &mut dyn FnMut(&mut PageBytes),
    ) -> Result<(), MapError> {
        (**self).create_map(ask, page, kind, fill)
    }

    fn forget_extent(&self, extent: ExtentId) {
        (**self).forget_extent(extent);
    }

    fn forget_page(&self, page: PageId) {
        (**self).forget_page(page);
    }

    fn forget_file(&self, db: DbId, file: FileId) {
        (**self).forget_file(db, file);
    }
}
