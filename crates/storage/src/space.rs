//! Allocation of extents and pages.

use crate::ask::Ask;
use crate::contract::{DbId, ExtentId, FileId, PageId};
use crate::map_pages::MapPages;
use crate::pool::PoolError;

/// Who reserves an extent, as `sys.dm_db_file_space_usage` tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Owner {
    /// Tables, table variables.
    User = 0,
    /// Work tables, work files, sort runs.
    Internal = 1,
    /// The version store.
    Version = 2,
}

/// Why no space was given.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SpaceError {
    /// No file has room and none may or can grow (1105).
    #[error("the '{filegroup}' filegroup of database {db} is full")]
    Full {
        /// Database.
        db: DbId,
        /// Filegroup.
        filegroup: &'static str,
    },
    /// A map page could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// Space of one data file, for `sys.dm_db_file_space_usage`; pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSpaceReport {
    /// File.
    pub file: FileId,
    /// All pages.
    pub total: u64,
    /// Pages of allocated extents.
    pub allocated: u64,
    /// Pages of mixed extents, the maps' own among them.
    pub mixed: u64,
    /// Pages of extents by [`Owner`].
    pub reserved: [u64; 3],
}

/// Space of one database.
#[derive(Debug)]
pub struct SpaceManager {}

impl SpaceManager {
    /// Appends up to `count` uniform extents to `out`, at least one; files grow when needed.
    ///
    /// # Errors
    /// [`SpaceError`]; `out` is then unchanged.
    pub fn allocate_extents(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        owner: Owner,
        count: u32,
        out: &mut Vec<ExtentId>,
    ) -> Result<(), SpaceError> {
        let _ = (ask, pool, owner, count, out);
        todo!()
    }

    /// One page of a mixed extent, for an IAM page; its PFS byte says so already.
    ///
    /// # Errors
    /// [`SpaceError`].
    pub fn allocate_page(&self, ask: &Ask<'_>, pool: &dyn MapPages) -> Result<PageId, SpaceError> {
        let _ = (ask, pool);
        todo!()
    }

    /// Gives extents back: discards their pages from the pool, clears their PFS bytes, and makes them the first to be
    /// reused.
    ///
    /// # Errors
    /// [`SpaceError::Pool`] when a map page could not be had; the extents are free in any case.
    pub fn free_extents(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        owner: Owner,
        extents: &[ExtentId],
    ) -> Result<(), SpaceError> {
        let _ = (ask, pool, owner, extents);
        todo!()
    }

    /// Gives a page of [`SpaceManager::allocate_page`] back; discards it from the pool.
    ///
    /// # Errors
    /// As [`SpaceManager::free_extents`].
    pub fn free_page(&self, ask: &Ask<'_>, pool: &dyn MapPages, page: PageId) -> Result<(), SpaceError> {
        let _ = (ask, pool, page);
        todo!()
    }

    /// Sets the PFS byte of a page.
    ///
    /// # Errors
    /// [`SpaceError::Pool`].
    pub fn set_pfs(&self, ask: &Ask<'_>, pool: &dyn MapPages, page: PageId, status: u8) -> Result<(), SpaceError> {
        let _ = (ask, pool, page, status);
        todo!()
    }

    /// Sets the PFS bytes of the eight pages of an extent.
    ///
    /// # Errors
    /// [`SpaceError::Pool`].
    pub fn set_pfs_extent(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        extent: ExtentId,
        status: &[u8; 8],
    ) -> Result<(), SpaceError> {
        let _ = (ask, pool, extent, status);
        todo!()
    }

    /// Space of each data file.
    #[must_use]
    pub fn report(&self) -> Vec<FileSpaceReport> {
        todo!()
    }
}
