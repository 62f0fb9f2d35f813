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
//! - S1: the state in memory decides; bits of an extent change on its map pages only while the extent is in nobody's
//!   hands but the caller's: after it was taken from the state, before it is given back.
//!   The bits of a mixed extent change under the lock of single pages.
//! - S2: no map page is latched while another one is, nor under the lock of the state. Lock order: single pages, growth,
//!   state.
//! - S3: a file of a later tier gives space only when no file of an earlier one has room or can grow. A file whose device
//!   fails counts as full for some time, unless all others are.
//! - S4: [`SpaceError::Full`] changes nothing.
//! - S5: in a durable database each change of a map page is a record of its own in the log. Frees are logged before the
//!   extent is given again, so whoever gets it is redone after them.
//! - S6: an extent of a file that left is freed before the place where its bytes lie.
//! - S7: the last extents of a durable database are for work that makes room and for the catalog
//!   ([`Ask::with_reserve`]): TRUNCATE needs a new tree before the old one is free. Others find the files full before that.
//!   Nothing is written down for it: what is freed fills the reserve first, because the reserve is a count of free extents.
//!
//! It knows owners by class only, no objects.

pub(crate) mod extent_map;
pub(crate) mod logged_maps;
pub(crate) mod map_init;
pub mod map_pages;
pub mod maps;
pub(crate) mod mixed;
pub(crate) mod page_set;
pub(crate) mod proportional;
pub(crate) mod state;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use parking_lot::{Mutex, MutexGuard};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, EXTENT_PAGES, ExtentId, ExtentNo, FileId, PageId, PageNo};
use crate::file::StorageFile;
use crate::file::file_header::{self, FileKind, HEADER_PAGE};
use crate::file::growth::round_down;
use crate::file::tier::Tier;
use crate::pool::PoolError;
use crate::space::map_init::{is_permanent_mixed, make_maps};
use crate::space::map_pages::{MapError, MapPages};
use crate::space::maps::{PFS_ALLOCATED, PFS_IAM, PFS_MIXED};
use crate::space::mixed::Change;
use crate::space::state::{FileState, SpaceState};
use crate::wait::{WaitGuard, WaitStats, WaitType};
use crate::wal::LogError;

pub use crate::space::state::{InUse, TROUBLE_PAUSE_US};

/// After a growth that failed for want of room, how long it is not tried again: each try costs a system call or more.
const GROWTH_PAUSE_US: u64 = 250_000;

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
    /// The change of a map page could not be logged (9002, 9001).
    #[error(transparent)]
    Log(#[from] LogError),
}

impl From<MapError> for SpaceError {
    fn from(error: MapError) -> SpaceError {
        match error {
            MapError::Pool(error) => SpaceError::Pool(error),
            MapError::Log(error) => SpaceError::Log(error),
        }
    }
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
    /// Its device failed a moment ago: others give the space.
    pub is_left: bool,
}

/// Space of one database.
#[derive(Debug)]
pub struct SpaceManager {
    db: DbId,
    filegroup: &'static str,
    /// Files and maps outlive the process: every change of a map page is logged, files grow one in turn. Else all files
    /// grow at once.
    is_durable: bool,
    waits: Arc<WaitStats>,
    forward_only: AtomicBool,
    /// Files whose extents lie in other ones; a hint for who frees.
    remapped_files: AtomicU32,
    /// A change of a map page failed: bits may say something else than the state, which counts.
    is_map_behind: AtomicBool,
    single: Mutex<()>,
    growth: Mutex<GrowthTurn>,
    state: Mutex<SpaceState>,
}

/// Whose turn it is to grow, where files grow one by one.
#[derive(Debug, Default)]
struct GrowthTurn {
    next: usize,
}

impl SpaceManager {
    /// Space of the files in `state`.
    #[must_use]
    pub(crate) fn new(state: SpaceState, db: DbId, is_durable: bool, waits: Arc<WaitStats>) -> SpaceManager {
        SpaceManager {
            db,
            filegroup: "PRIMARY",
            is_durable,
            waits,
            forward_only: AtomicBool::new(false),
            remapped_files: AtomicU32::new(0),
            is_map_behind: AtomicBool::new(false),
            single: Mutex::default(),
            growth: Mutex::default(),
            state: Mutex::new(state),
        }
    }

    /// The old search: freed extents wait until the search has gone through the whole file.
    pub fn set_forward_only_search(&self, on: bool) {
        self.forward_only.store(on, Relaxed);
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
        self.take(ask, pool, Some(owner), count.max(1), out)?;
        let taken = &mut out[start..];
        taken.sort_unstable();
        assert!((1..=count.max(1) as usize).contains(&taken.len()), "{} extents for {count}", taken.len());
        assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "S1: an extent is given twice: {taken:?}");
        check!(
            taken.iter().all(|id| id.db == self.db && !maps::is_reserved(id.extent) && !is_permanent_mixed(id.extent)),
            "S1: extents of the system, or of another database, are given: {taken:?}"
        );
        if let Err(error) = self.mark_gam(ask, pool, taken, false) {
            self.lock(ask).give_extents(Some(owner), taken);
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
            // The first failure is the one to tell; the page is free in memory whatever becomes of the maps.
            let _ = self.release_page(ask, pool, page);
            return Err(error.into());
        }
        check!(maps::place_of(page.page) == maps::Place::Other, "page {page} is a map page, and is given");
        check!(page.db == self.db, "page {page} is given in database {}", self.db);
        Ok(page)
    }

    fn take_page(&self, ask: &Ask<'_>, pool: &dyn MapPages) -> Result<(PageId, bool), SpaceError> {
        loop {
            for tier in Tier::ALL {
                if let Some(found) = self.lock(ask).take_page(tier) {
                    return Ok(found);
                }
                let mut extents = Vec::new();
                if self.take_of_tier(ask, pool, tier, None, 1, &mut extents)? {
                    self.make_mixed(ask, pool, extents[0])?;
                    if let Some(found) = self.lock(ask).take_page(tier) {
                        return Ok(found);
                    }
                    // Its file was closed, or left, at this very moment: the extent is mixed and has room for later.
                }
            }
            if !self.lock(ask).forget_trouble() {
                return Err(self.full());
            }
        }
    }

    fn make_mixed(&self, ask: &Ask<'_>, pool: &dyn MapPages, extent: ExtentId) -> Result<(), SpaceError> {
        let marked = self
            .mark_gam(ask, pool, &[extent], false)
            .and_then(|()| mark_sgam(ask, pool, extent, true))
            .and_then(|()| set_pfs_bytes(ask, pool, extent, &[PFS_MIXED; 8]));
        let mut state = self.lock(ask);
        match marked {
            Ok(()) => state.add_mixed(extent),
            Err(_) => {
                self.is_map_behind.store(true, Relaxed);
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
        let is_recycled = |extent: &&ExtentId| !self.forward_only.load(Relaxed) || self.is_remapped(extent.file);
        extents.iter().filter(is_recycled).for_each(|extent| pool.forget_extent(*extent));
        let mut sorted = extents.to_vec();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]), "S1: an extent is freed twice: {sorted:?}");
        check!(
            sorted.iter().all(|id| id.db == self.db && !maps::is_reserved(id.extent)),
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
            page.db == self.db && maps::place_of(page.page) == maps::Place::Other,
            "S1: page {page} is freed, of the maps or of another database than {}",
            self.db
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
        let change = self.lock(ask).give_page(page);
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
        check!(page.db == self.db, "page {page} is not of database {}, and its PFS byte is set", self.db);
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
        self.state.lock().report()
    }

    /// Uniform extents and single pages that are in use, the system's own left out.
    pub(crate) fn allocated(&self) -> (Vec<ExtentId>, Vec<PageId>) {
        let state = self.state.lock();
        let (mut extents, pages) = state.allocated();
        let hosts: BTreeSet<ExtentId> = state.hosts().into_iter().collect();
        extents.retain(|extent| !hosts.contains(extent));
        (extents, pages)
    }

    /// The extents of each file that are not free, the system's among them.
    pub(crate) fn allocated_extents(&self) -> Vec<(FileId, Vec<ExtentNo>)> {
        self.state.lock().allocated_extents()
    }

    /// Takes part in allocation from now on. The file's maps exist.
    pub fn add_file(&self, file: &Arc<StorageFile>) {
        assert!(
            file.kind() == FileKind::Data && file.db() == self.db,
            "file {} of database {} gives space to {}",
            file.id(),
            file.db(),
            self.db
        );
        let mut state = self.state.lock();
        state.add_file(FileState::new(file.clone(), Default::default(), 0));
        state.extend_file(file.id(), file.size_pages() / 8);
        state.spread_to(file.id());
    }

    /// Stops (or resumes) allocating from a file; says whether nothing of it is in use.
    ///
    /// # Errors
    /// [`InUse::Primary`].
    pub fn close_file(&self, file: FileId, closed: bool) -> Result<bool, InUse> {
        self.state.lock().close_file(file, closed)
    }

    /// Forgets a file in which nothing is in use.
    ///
    /// # Errors
    /// [`InUse`]; the file then goes on giving space.
    pub fn remove_file(&self, file: FileId) -> Result<(), InUse> {
        // An asker for a single page may hold an extent that nothing counts yet, and a growth that runs has chosen its
        // files already.
        let _single = self.single.lock();
        let _growth = self.growth.lock();
        let mut state = self.state.lock();
        let removed = state.remove_file(file);
        if removed == Err(InUse::NotEmpty) {
            state.close_file(file, false)?;
        }
        removed
    }

    /// Enlarges one file to `next_pages`, or by less when the medium has no room for that; returns its new size.
    ///
    /// # Errors
    /// [`GrowthError`].
    pub fn grow_file(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        file: &Arc<StorageFile>,
        next_pages: u32,
    ) -> Result<u32, GrowthError> {
        let _growth = self.growth.lock();
        self.grow_locked(ask, pool, file, next_pages)
    }

    fn grow_locked(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        file: &Arc<StorageFile>,
        next_pages: u32,
    ) -> Result<u32, GrowthError> {
        assert!(self.growth.is_locked(), "file {} of database {} grows, and others may grow too", file.id(), self.db);
        let from_pages = match self.is_durable {
            // What an earlier growth could not complete lies behind the extents that are known.
            true => self.known_pages(ask, file),
            false => file.size_pages(),
        };
        let to_pages = {
            let _wait = WaitGuard::begin(&self.waits, ask, WaitType::PREEMPTIVE_OS_WRITEFILEGATHER, None);
            match file.size_pages() >= next_pages {
                true => round_down(file.size_pages()),
                false => file.grow_to(next_pages)?,
            }
        };
        assert!(
            to_pages.is_multiple_of(EXTENT_PAGES),
            "file {} of database {} grows to {to_pages} pages",
            file.id(),
            self.db
        );
        if self.is_durable {
            self.make_maps_durably(ask, pool, file, from_pages, to_pages)?;
        } else if let Err(error) = make_maps(ask, pool, (self.db, file.id()), from_pages, to_pages) {
            // Without maps the space is not there.
            file.device().set_len(u64::from(from_pages) * 8192)?;
            return Err(error.into());
        }
        self.lock(ask).extend_file(file.id(), to_pages / 8);
        check!(
            self.known_pages(ask, file) == to_pages,
            "file {} has {to_pages} pages, and extents of {}",
            file.id(),
            self.known_pages(ask, file)
        );
        Ok(to_pages)
    }

    fn known_pages(&self, ask: &Ask<'_>, file: &StorageFile) -> u32 {
        self.lock(ask).file_mut(file.id()).map_or(0, |state| state.map.extents() * 8)
    }

    /// The length is durable before the log speaks of pages there; the header tells the new size when all maps exist. A
    /// crash in between leaves a file that is longer than its header says, which the next growth or start completes.
    fn make_maps_durably(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        file: &StorageFile,
        from_pages: u32,
        to_pages: u32,
    ) -> Result<(), GrowthError> {
        file.device().sync()?;
        assert!(
            file.size_pages() >= to_pages,
            "maps of {to_pages} pages are made for file {}, which has {}",
            file.id(),
            file.size_pages()
        );
        make_maps(ask, pool, (self.db, file.id()), from_pages, to_pages)?;
        let page = PageId { db: self.db, file: file.id(), page: HEADER_PAGE };
        pool.update_map(ask, page, &mut |bytes| file_header::set_size(bytes, to_pages))?;
        Ok(())
    }

    /// Takes extents of the first tier that has any, growing it before the next is asked.
    fn take(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        owner: Option<Owner>,
        count: u32,
        out: &mut Vec<ExtentId>,
    ) -> Result<(), SpaceError> {
        loop {
            for tier in Tier::ALL {
                if self.take_of_tier(ask, pool, tier, owner, count, out)? {
                    return Ok(());
                }
            }
            // A file that may fail is better than none.
            if !self.lock(ask).forget_trouble() {
                return Err(self.full());
            }
        }
    }

    /// Takes extents of one tier, growing its files when they are full; says whether there were any.
    fn take_of_tier(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        tier: Tier,
        owner: Option<Owner>,
        count: u32,
        out: &mut Vec<ExtentId>,
    ) -> Result<bool, SpaceError> {
        loop {
            {
                let mut state = self.lock(ask);
                if self.take_extents(ask, &mut state, tier, owner, count, out) > 0 {
                    return Ok(true);
                }
                if state.growable(tier, self.waits.now_us()).is_empty() {
                    return Ok(false);
                }
            }
            let mut turn = self.lock_growth(ask);
            if self.take_extents(ask, &mut self.lock(ask), tier, owner, count, out) > 0 {
                // Somebody grew the files while this one waited for the lock.
                return Ok(true);
            }
            if !self.grow_tier(ask, pool, tier, &mut turn)? {
                return Ok(false);
            }
        }
    }

    /// Takes extents of one tier that this asker may have; returns how many.
    fn take_extents(
        &self,
        ask: &Ask<'_>,
        state: &mut SpaceState,
        tier: Tier,
        owner: Option<Owner>,
        count: u32,
        out: &mut Vec<ExtentId>,
    ) -> u32 {
        let count = match (self.is_durable, ask.may_use_reserve) {
            (false, _) => count,
            (true, false) => count.min(state.beyond_reserve()),
            // Of the reserve, no more than is needed now.
            (true, true) => count.min(state.beyond_reserve().max(1)),
        };
        let (before, free) = (out.len(), state.beyond_reserve());
        let taken = state.take_extents(tier, owner, count, out);
        check!(
            taken <= count && out.len() - before == taken as usize,
            "{taken} extents are taken of {count}, and {} are given",
            out.len() - before
        );
        check!(
            !self.is_durable || ask.may_use_reserve || taken <= free,
            "S7: {taken} extents are taken, and {free} are not kept for work that makes room"
        );
        taken
    }

    /// Grows the tier's files by their increments; says whether one of them grew.
    fn grow_tier(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        tier: Tier,
        turn: &mut GrowthTurn,
    ) -> Result<bool, SpaceError> {
        let mut growable = self.lock(ask).growable(tier, self.waits.now_us());
        if self.is_durable && !growable.is_empty() {
            let first = turn.next % growable.len();
            growable.rotate_left(first);
            turn.next = turn.next.wrapping_add(1);
        }
        let mut has_grown = false;
        for (file, next_pages) in growable {
            match self.grow_locked(ask, pool, &file, next_pages) {
                Ok(_) if !self.is_durable => has_grown = true,
                Ok(_) => return Ok(true),
                Err(GrowthError::Device(_)) => self.pause_growth(ask, &file),
                Err(GrowthError::Maps(error)) => return Err(error.into()),
            }
        }
        Ok(has_grown)
    }

    fn pause_growth(&self, ask: &Ask<'_>, file: &StorageFile) {
        let until_us = self.waits.now_us() + GROWTH_PAUSE_US;
        if let Some(state) = self.lock(ask).file_mut(file.id()) {
            state.no_growth_until_us = until_us;
        }
    }

    /// Sets the GAM bits of sorted extents, which say the opposite as long as no change of a map has failed.
    fn mark_gam(&self, ask: &Ask<'_>, pool: &dyn MapPages, sorted: &[ExtentId], is_free: bool) -> Result<(), MapError> {
        let gam_page = |extent| maps::gam_page(maps::interval_of(extent));
        let is_behind = self.is_map_behind.load(Relaxed);
        let marked = for_each_map_page(sorted, gam_page, |page, run| {
            pool.update_map(ask, page, &mut |bytes| {
                check!(
                    is_behind || run.iter().all(|id| maps::bit(bytes, id.extent) != is_free),
                    "S1: extents that map page {page} says are {} already: {run:?}",
                    if is_free { "free" } else { "taken" }
                );
                run.iter().for_each(|id| maps::set_bit(bytes, id.extent, is_free));
            })
        });
        if marked.is_err() {
            self.is_map_behind.store(true, Relaxed);
        }
        marked
    }

    /// S5: maps of a durable database change through its log.
    fn check_pages(&self, pool: &dyn MapPages) {
        assert!(!self.is_durable || pool.is_logged(), "maps of database {} change through its log", self.db);
    }

    fn full(&self) -> SpaceError {
        SpaceError::Full { db: self.db, filegroup: self.filegroup }
    }

    fn lock(&self, ask: &Ask<'_>) -> MutexGuard<'_, SpaceState> {
        let mut state = self.lock_of(ask, &self.state);
        state.set_recycling(!self.forward_only.load(Relaxed));
        state.look_for_trouble(|| self.waits.now_us());
        state
    }

    fn lock_growth(&self, ask: &Ask<'_>) -> MutexGuard<'_, GrowthTurn> {
        self.lock_of(ask, &self.growth)
    }

    fn lock_single(&self, ask: &Ask<'_>) -> MutexGuard<'_, ()> {
        self.lock_of(ask, &self.single)
    }

    fn lock_of<'m, T>(&self, ask: &Ask<'_>, mutex: &'m Mutex<T>) -> MutexGuard<'m, T> {
        mutex.try_lock().unwrap_or_else(|| {
            let _wait = WaitGuard::begin(&self.waits, ask, WaitType::LATCH_EX, None);
            mutex.lock()
        })
    }
}

/// Why a file did not grow.
#[derive(Debug, thiserror::Error)]
pub enum GrowthError {
    /// The medium refused (5149).
    #[error(transparent)]
    Device(#[from] millpond_device::DeviceError),
    /// The maps of the new space could not be made.
    #[error(transparent)]
    Maps(#[from] MapError),
}

fn extent_of(page: PageId) -> ExtentId {
    ExtentId { db: page.db, file: page.file, extent: page.page.extent() }
}

fn at(extent: ExtentId, page: PageNo) -> PageId {
    PageId { db: extent.db, file: extent.file, page }
}

fn pfs_page_of(page: PageId) -> PageId {
    PageId { page: maps::pfs_page_of(page.page), ..page }
}

/// Calls `change` once per map page (as `page_of` finds it) with the run of `sorted` extents that lie on it.
fn for_each_map_page(
    sorted: &[ExtentId],
    page_of: impl Fn(ExtentNo) -> PageNo,
    mut change: impl FnMut(PageId, &[ExtentId]) -> Result<(), MapError>,
) -> Result<(), MapError> {
    let page_of = |id: ExtentId| at(id, page_of(id.extent));
    check!(sorted.windows(2).all(|pair| pair[0] < pair[1]), "S2: each map page is visited once");
    sorted.chunk_by(|a, b| page_of(*a) == page_of(*b)).try_for_each(|run| change(page_of(run[0]), run))
}

fn mark_sgam(ask: &Ask<'_>, pool: &dyn MapPages, extent: ExtentId, has_room: bool) -> Result<(), MapError> {
    let page = maps::sgam_page(maps::interval_of(extent.extent));
    pool.update_map(ask, at(extent, page), &mut |bytes| maps::set_bit(bytes, extent.extent, has_room))
}

fn clear_pfs(ask: &Ask<'_>, pool: &dyn MapPages, sorted: &[ExtentId]) -> Result<(), MapError> {
    let pfs_page = |extent: ExtentNo| maps::pfs_page_of(extent.first_page());
    for_each_map_page(sorted, pfs_page, |page, run| {
        pool.update_map(ask, page, &mut |bytes| {
            run.iter().for_each(|id| maps::set_pfs_extent(bytes, id.extent, &[maps::PFS_FREE; 8]));
        })
    })
}

fn set_pfs_byte(ask: &Ask<'_>, pool: &dyn MapPages, page: PageId, status: u8) -> Result<(), MapError> {
    pool.update_map(ask, pfs_page_of(page), &mut |bytes| maps::set_pfs(bytes, page.page, status))
}

fn set_pfs_bytes(ask: &Ask<'_>, pool: &dyn MapPages, extent: ExtentId, status: &[u8; 8]) -> Result<(), MapError> {
    let page = at(extent, maps::pfs_page_of(extent.extent.first_page()));
    pool.update_map(ask, page, &mut |bytes| maps::set_pfs_extent(bytes, extent.extent, status))
}

pub(crate) mod departure;
pub(crate) mod orphans;
pub use orphans::{ClaimReport, Reclaimed};

#[cfg(test)]
mod tests;
