//! Allocation of extents and pages in one database.
//!
//! ```text
//!   allocate   state (memory) ──▶ map pages          free   pool forgets pages ──▶ map pages ──▶ state (memory)
//!                  │ nothing left
//!                  ▼
//!              growth lock ──▶ device ──▶ new map pages ──▶ state
//! ```
//!
//! What always holds:
//! - S1: the state in memory decides; bits of an extent change on its map pages only while the extent is in no
//!   hands but the caller's: after it was taken from the state, before it is given back.
//!   The bits of a mixed extent change under the lock of single pages.
//! - S2: no map page is latched while another one is, nor under the lock of the state. Lock order: single pages, growth,
//!   state.
//! - S3: a file of a later tier gives space only when no file of an earlier one has room or can grow. A file whose device
//!   fails counts as full for some time, unless all others are.
//! - S4: [`SpaceError::Full`] changes nothing.
//! - S5: in a durable database each change of a map page is a record of its own in the log. Frees are logged before the
//!   extent is given again, so its next owner is redone after them.
//! - S6: an extent of a file that left is freed before the place where its bytes lie.
//! - S7: the last extents of a durable database are for work that makes room and for the catalog
//!   ([`Ask::with_reserve`]): TRUNCATE needs a new tree before the old one is free. Others find the files full before that.
//!   Nothing is written down for it: what is freed fills the reserve first, because the reserve is a count of free extents.
//!
//! It knows owners by class only, no objects.

pub(crate) mod departure;
mod error;
pub(crate) mod extent_map;
pub(crate) mod logged_maps;
mod map_bits;
pub(crate) mod map_init;
pub mod map_pages;
pub mod maps;
pub(crate) mod mixed;
pub(crate) mod orphans;
pub(crate) mod page_set;
pub(crate) mod proportional;
pub(crate) mod state;
pub(crate) mod supply;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use parking_lot::{Mutex, MutexGuard};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, ExtentId, FileId, PageId};
use crate::file::tier::Tier;
use crate::space::map_bits::{
    clear_pfs, extent_of, for_each_map_page, mark_sgam, pfs_page_of, set_pfs_byte, set_pfs_bytes,
};
use crate::space::map_init::is_permanent_mixed;
use crate::space::map_pages::{MapError, MapPages};
use crate::space::maps::{PFS_ALLOCATED, PFS_IAM, PFS_MIXED};
use crate::space::mixed::Change;
use crate::space::state::SpaceState;
use crate::space::supply::{ExtentSupply, lock_of};
use crate::wait::{LatchClass, WaitStats};

pub use crate::space::error::{GrowthError, SpaceError};
pub use crate::space::orphans::{ClaimReport, Reclaimed};
pub use crate::space::state::{InUse, TROUBLE_PAUSE_US};

/// What an extent is reserved for, as `sys.dm_db_file_space_usage` counts it.
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
    /// Its device failed just now: others give the space.
    pub is_left: bool,
}

/// Space of one database.
#[derive(Debug)]
pub struct SpaceManager {
    pub(crate) supply: ExtentSupply,
    /// Files whose extents lie in other ones; a hint for frees.
    remapped_files: AtomicU32,
    /// A change of a map page failed: bits may say something else than the state, which counts.
    has_map_failed: AtomicBool,
    single: Mutex<()>,
}

impl SpaceManager {
    /// Space of the files in `state`.
    #[must_use]
    pub(crate) fn new(state: SpaceState, db: DbId, is_durable: bool, waits: Arc<WaitStats>) -> SpaceManager {
        SpaceManager {
            supply: ExtentSupply::new(state, db, is_durable, waits),
            remapped_files: AtomicU32::new(0),
            has_map_failed: AtomicBool::new(false),
            single: Mutex::default(),
        }
    }

    /// The old search: freed extents wait until the search has gone through the whole file.
    pub fn set_forward_only_search(&self, on: bool) {
        self.supply.forward_only.store(on, Relaxed);
    }

    /// Appends up to `count` uniform extents to `out`, at least one, sorted by file and place; files grow when needed.
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
        self.check_pages(pool);
        let start = out.len();
        self.supply.take(ask, pool, Some(owner), count.max(1), out)?;
        let taken = &mut out[start..];
        taken.sort_unstable();
        assert!((1..=count.max(1) as usize).contains(&taken.len()), "{} extents for {count}", taken.len());
        assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "S1: an extent is given twice: {taken:?}");
        check!(
            taken
                .iter()
                .all(|id| id.db == self.supply.db && !maps::is_reserved(id.extent) && !is_permanent_mixed(id.extent)),
            "S1: extents of the system, or of another database, are given: {taken:?}"
        );
        if let Err(error) = self.mark_gam(ask, pool, taken, false) {
            self.supply.lock(ask).give_extents(Some(owner), taken);
            out.truncate(start);
            return Err(error.into());
        }
        Ok(())
    }

    /// One page of a mixed extent, for an IAM page; its PFS byte says so already.
    ///
    /// # Errors
    /// [`SpaceError`].
    pub fn allocate_page(&self, ask: &Ask<'_>, pool: &dyn MapPages) -> Result<PageId, SpaceError> {
        self.check_pages(pool);
        let _single = self.lock_single(ask);
        let (page, is_full) = self.take_page(ask, pool)?;
        let marked = match is_full {
            true => mark_sgam(ask, pool, extent_of(page), false),
            false => Ok(()),
        };
        let marked = marked.and_then(|()| set_pfs_byte(ask, pool, page, PFS_ALLOCATED | PFS_MIXED | PFS_IAM));
        if let Err(error) = marked {
            // The first failure is the one to report; the page is free in memory whatever becomes of the maps.
            let _ = self.release_page(ask, pool, page);
            return Err(error.into());
        }
        check!(maps::place_of(page.page) == maps::Place::Other, "page {page} is a map page, and is given");
        check!(page.db == self.supply.db, "page {page} is given in database {}", self.supply.db);
        Ok(page)
    }

    fn take_page(&self, ask: &Ask<'_>, pool: &dyn MapPages) -> Result<(PageId, bool), SpaceError> {
        loop {
            for tier in Tier::ALL {
                if let Some(found) = self.supply.lock(ask).take_page(tier) {
                    return Ok(found);
                }
                let mut extents = Vec::new();
                if self.supply.take_of_tier(ask, pool, tier, None, 1, &mut extents)? {
                    self.make_mixed(ask, pool, extents[0])?;
                    if let Some(found) = self.supply.lock(ask).take_page(tier) {
                        return Ok(found);
                    }
                    // Its file was closed, or left, just now: the extent is mixed and has room for later.
                }
            }
            if !self.supply.lock(ask).forget_trouble() {
                return Err(self.supply.full());
            }
        }
    }

    fn make_mixed(&self, ask: &Ask<'_>, pool: &dyn MapPages, extent: ExtentId) -> Result<(), SpaceError> {
        let marked = self
            .mark_gam(ask, pool, &[extent], false)
            .and_then(|()| mark_sgam(ask, pool, extent, true))
            .and_then(|()| set_pfs_bytes(ask, pool, extent, &[PFS_MIXED; 8]));
        let mut state = self.supply.lock(ask);
        match marked {
            Ok(()) => state.add_mixed(extent),
            Err(_) => {
                self.has_map_failed.store(true, Relaxed);
                state.give_extents(None, &[extent]);
            }
        }
        Ok(marked?)
    }

    /// Gives extents back: discards their pages from the pool, clears their PFS bytes, and makes them the first to be
    /// reused. With the forward-only search, neither is their memory given back nor are they the first.
    ///
    /// # Errors
    /// [`SpaceError::Pool`] when a map page could not be had; the extents are free in any case.
    ///
    /// # Panics
    /// When an extent is not allocated, or one of its pages pinned.
    pub fn free_extents(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        owner: Owner,
        extents: &[ExtentId],
    ) -> Result<(), SpaceError> {
        self.check_pages(pool);
        // The old behaviour leaves a dropped table's pages dirty in memory: the lazy writer may get to them before the
        // search comes round to use them again, which is what the forward-only search cost.
        // Of a file that left none is used again.
        let is_recycled = |extent: &&ExtentId| !self.supply.forward_only.load(Relaxed) || self.is_remapped(extent.file);
        extents.iter().filter(is_recycled).for_each(|extent| pool.forget_extent(*extent));
        let mut sorted = extents.to_vec();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]), "S1: an extent is freed twice: {sorted:?}");
        check!(
            sorted.iter().all(|id| id.db == self.supply.db && !maps::is_reserved(id.extent)),
            "S1: extents of the system, or of another database, are freed: {sorted:?}"
        );
        let cleared = clear_pfs(ask, pool, &sorted);
        let marked = self.mark_gam(ask, pool, &sorted, true);
        let given = self.give_extents(ask, pool, Some(owner), extents);
        let forgotten = self.forget_gone(ask, pool);
        Ok(cleared.and(marked).and(given).and(forgotten)?)
    }

    /// Gives a page of [`SpaceManager::allocate_page`] back; discards it from the pool.
    ///
    /// # Errors
    /// As [`SpaceManager::free_extents`].
    ///
    /// # Panics
    /// When the page is not allocated, or pinned.
    pub fn free_page(&self, ask: &Ask<'_>, pool: &dyn MapPages, page: PageId) -> Result<(), SpaceError> {
        check!(
            page.db == self.supply.db && maps::place_of(page.page) == maps::Place::Other,
            "S1: page {page} is freed, of the maps or of another database than {}",
            self.supply.db
        );
        pool.forget_page(page);
        let released = {
            let _single = self.lock_single(ask);
            self.release_page(ask, pool, page)
        };
        let forgotten = self.forget_gone(ask, pool);
        Ok(released.and(forgotten)?)
    }

    fn release_page(&self, ask: &Ask<'_>, pool: &dyn MapPages, page: PageId) -> Result<(), MapError> {
        let cleared = set_pfs_byte(ask, pool, page, PFS_MIXED);
        let extent = extent_of(page);
        let change = self.supply.lock(ask).give_page(page);
        let marked = match change {
            Change::None => Ok(()),
            Change::HasRoom => mark_sgam(ask, pool, extent, true),
            Change::Emptied => {
                let marked = mark_sgam(ask, pool, extent, false)
                    .and(clear_pfs(ask, pool, &[extent]))
                    .and(self.mark_gam(ask, pool, &[extent], true));
                marked.and(self.give_extents(ask, pool, None, &[extent]))
            }
        };
        cleared.and(marked)
    }

    /// Sets the PFS byte of a page.
    ///
    /// # Errors
    /// [`SpaceError::Pool`].
    pub fn set_pfs(&self, ask: &Ask<'_>, pool: &dyn MapPages, page: PageId, status: u8) -> Result<(), SpaceError> {
        check!(page.db == self.supply.db, "page {page} is not of database {}, and its PFS byte is set", self.supply.db);
        Ok(set_pfs_byte(ask, pool, page, status)?)
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
        check!(!maps::is_reserved(extent.extent), "PFS bytes of the system's extent {} are set", extent.extent);
        Ok(set_pfs_bytes(ask, pool, extent, status)?)
    }

    /// The PFS byte of a page.
    ///
    /// # Errors
    /// [`SpaceError::Pool`].
    pub fn pfs(&self, ask: &Ask<'_>, pool: &dyn MapPages, page: PageId) -> Result<u8, SpaceError> {
        let mut status = 0;
        pool.read_map(ask, pfs_page_of(page), &mut |bytes| status = maps::pfs(bytes, page.page))?;
        Ok(status)
    }

    /// Space of each data file.
    #[must_use]
    pub fn report(&self) -> Vec<FileSpaceReport> {
        self.supply.state.lock().report()
    }

    /// Uniform extents and single pages that are in use, the system's own left out.
    pub(crate) fn allocated(&self) -> (Vec<ExtentId>, Vec<PageId>) {
        let state = self.supply.state.lock();
        let (mut extents, pages) = state.allocated();
        let hosts: BTreeSet<ExtentId> = state.hosts().into_iter().collect();
        extents.retain(|extent| !hosts.contains(extent));
        (extents, pages)
    }

    /// Forgets a file in which nothing is in use.
    ///
    /// # Errors
    /// [`InUse`]; the file then goes on giving space.
    pub fn remove_file(&self, file: FileId) -> Result<(), InUse> {
        // An asker for a single page may hold an extent that nothing counts yet, and a growth that runs has chosen its
        // files already.
        let _single = self.single.lock();
        let _growth = self.supply.growth.lock();
        let mut state = self.supply.state.lock();
        let removed = state.remove_file(file);
        if removed == Err(InUse::NotEmpty) {
            state.close_file(file, false)?;
        }
        removed
    }

    /// Sets the GAM bits of sorted extents, which say the opposite as long as no change of a map has failed.
    fn mark_gam(&self, ask: &Ask<'_>, pool: &dyn MapPages, sorted: &[ExtentId], is_free: bool) -> Result<(), MapError> {
        let gam_page = |extent| maps::gam_page(maps::interval_of(extent));
        let has_failed = self.has_map_failed.load(Relaxed);
        let marked = for_each_map_page(sorted, gam_page, |page, run| {
            pool.update_map(ask, page, &mut |bytes| {
                check!(
                    has_failed || run.iter().all(|id| maps::bit(bytes, id.extent) != is_free),
                    "S1: extents that map page {page} says are {} already: {run:?}",
                    if is_free { "free" } else { "taken" }
                );
                run.iter().for_each(|id| maps::set_bit(bytes, id.extent, is_free));
            })
        });
        if marked.is_err() {
            self.has_map_failed.store(true, Relaxed);
        }
        marked
    }

    /// S5: maps of a durable database change through its log.
    fn check_pages(&self, pool: &dyn MapPages) {
        assert!(
            !self.supply.is_durable || pool.is_logged(),
            "maps of database {} change through its log",
            self.supply.db
        );
    }

    fn lock_single(&self, ask: &Ask<'_>) -> MutexGuard<'_, ()> {
        lock_of(&self.supply.waits, ask, LatchClass::AllocExtentCache, &self.single)
    }
}
