//! Uniform extents are taken from files, and files grow.
//!
//! ```text
//!   take ─▶ tier by tier: state (memory) ─▶ none left ─▶ growth lock ─▶ device ─▶ new map pages ─▶ state
//! ```
//!
//! What always holds: S3, S4 and S7 of `space`. The lock of growth comes before the lock of the state. It changes no map
//! page but those of new space: the caller marks the extents that it takes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use parking_lot::{Mutex, MutexGuard};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, EXTENT_PAGES, ExtentId, ExtentNo, FileId, PageId};
use crate::file::StorageFile;
use crate::file::file_header::{self, FileKind, HEADER_PAGE};
use crate::file::growth::round_down;
use crate::file::tier::Tier;
use crate::happened::{FILE_SIZES, Happened};
use crate::space::Owner;
use crate::space::error::{GrowthError, SpaceError};
use crate::space::map_init::{cut_maps, make_maps};
use crate::space::map_pages::{MapError, MapPages};
use crate::space::state::{FileState, InUse, SpaceState};
use crate::wait::{LatchClass, WaitGuard, WaitStats, WaitType};

/// After a growth that failed for want of room, how long it is not tried again: each try costs a system call or more.
pub(super) const GROWTH_PAUSE_US: u64 = 250_000;

/// The extents of one database's files.
#[derive(Debug)]
pub(crate) struct ExtentSupply {
    pub(super) db: DbId,
    filegroup: &'static str,
    /// Files and maps outlive the process: every change of a map page is logged, files grow one in turn. Else all files
    /// grow at once.
    pub(super) is_durable: bool,
    pub(super) waits: Arc<WaitStats>,
    pub(super) forward_only: AtomicBool,
    pub(super) growth: Mutex<GrowthTurn>,
    pub(super) state: Mutex<SpaceState>,
}

/// Whose turn it is to grow, where files grow one by one.
#[derive(Debug, Default)]
pub(super) struct GrowthTurn {
    next: usize,
}

impl ExtentSupply {
    /// Extents of the files in `state`.
    pub(super) fn new(state: SpaceState, db: DbId, is_durable: bool, waits: Arc<WaitStats>) -> ExtentSupply {
        ExtentSupply {
            db,
            filegroup: "PRIMARY",
            is_durable,
            waits,
            forward_only: AtomicBool::new(false),
            growth: Mutex::default(),
            state: Mutex::new(state),
        }
    }

    /// Takes extents of the first tier that has any, growing it before the next is asked.
    pub(super) fn take(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        owner: Option<Owner>,
        count: u32,
        out: &mut Vec<ExtentId>,
    ) -> Result<(), SpaceError> {
        check!(count > 0, "no extents are asked for");
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
    pub(super) fn take_of_tier(
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
                // Another session grew the files while this one waited for the lock.
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
            match self.grow_locked(ask, pool, &file, next_pages, true) {
                Ok(_) if !self.is_durable => has_grown = true,
                Ok(_) => return Ok(true),
                Err(GrowthError::Device(_)) => self.pause_growth(ask, &file),
                Err(GrowthError::Maps(error)) => return Err(error.into()),
            }
        }
        Ok(has_grown)
    }

    /// The file is not grown for some time.
    fn pause_growth(&self, ask: &Ask<'_>, file: &StorageFile) {
        let until_us = self.waits.now_us() + GROWTH_PAUSE_US;
        if let Some(state) = self.lock(ask).file_mut(file.id()) {
            state.no_growth_until_us = until_us;
        }
    }

    /// Enlarges one file to `next_pages`, or by less when the medium has no room for that; returns its new size.
    ///
    /// # Errors
    /// [`GrowthError`].
    pub(crate) fn grow_file(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        file: &Arc<StorageFile>,
        next_pages: u32,
    ) -> Result<u32, GrowthError> {
        let _growth = self.growth.lock();
        self.grow_locked(ask, pool, file, next_pages, false)
    }

    fn grow_locked(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        file: &Arc<StorageFile>,
        next_pages: u32,
        is_automatic: bool,
    ) -> Result<u32, GrowthError> {
        let began_us = self.waits.now_us();
        assert!(self.growth.is_locked(), "file {} of database {} grows, and others may grow too", file.id(), self.db);
        let from_pages = match self.is_durable {
            // What an earlier growth could not complete lies after the extents that are known.
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
        if from_pages != to_pages {
            self.tell_size(ask, file, [from_pages, to_pages], (is_automatic, began_us));
        }
        check!(
            self.known_pages(ask, file) == to_pages,
            "file {} has {to_pages} pages, and extents of {}",
            file.id(),
            self.known_pages(ask, file)
        );
        Ok(to_pages)
    }

    /// Gives up the extents at the end of a file of a durable database in which nothing lies, but for the first `least_pages`;
    /// returns its size from then on. No file grows until `shorten` has made the device shorter, which takes a checkpoint before: the
    /// log that a start redoes does not speak of pages that are not there.
    ///
    /// # Errors
    /// Of the maps, and that of `shorten`. The file may be longer then than its header says, as after a growth that a crash
    /// interrupted.
    pub(crate) fn cut_file<E: From<MapError>>(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        file: &Arc<StorageFile>,
        least_pages: u32,
        shorten: impl FnOnce(u32) -> Result<(), E>,
    ) -> Result<(), E> {
        assert!(self.is_durable, "file {} of database {} has no log, and becomes shorter", file.id(), self.db);
        let _growth = self.growth.lock();
        let from_pages = self.known_pages(ask, file);
        let Some(extents) = self.lock(ask).cut_file(file.id(), least_pages.div_ceil(EXTENT_PAGES)) else {
            return Ok(());
        };
        let to_pages = extents * EXTENT_PAGES;
        if to_pages == from_pages {
            return Ok(());
        }
        cut_maps(ask, pool, (self.db, file.id()), from_pages, to_pages)?;
        let header = PageId { db: self.db, file: file.id(), page: HEADER_PAGE };
        pool.update_map(ask, header, &mut |bytes| file_header::set_size(bytes, to_pages))?;
        for extent in (extents..from_pages / EXTENT_PAGES).map(ExtentNo) {
            pool.forget_extent(ExtentId { db: self.db, file: file.id(), extent });
        }
        let began_us = self.waits.now_us();
        shorten(to_pages)?;
        self.tell_size(ask, file, [from_pages, to_pages], (false, began_us));
        Ok(())
    }

    fn tell_size(&self, ask: &Ask<'_>, file: &StorageFile, pages: [u32; 2], (is_automatic, began_us): (bool, u64)) {
        self.waits.hook.tell(FILE_SIZES, || {
            let took_us = self.waits.now_us().saturating_sub(began_us);
            let (session, db, file, name) = (ask.task.session, self.db, file.id(), file.name());
            Happened::FileSize { session, db, file, name, is_log: false, is_automatic, pages, took_us }
        });
    }

    /// Pages of the extents that the state has of a file.
    fn known_pages(&self, ask: &Ask<'_>, file: &StorageFile) -> u32 {
        self.lock(ask).file_mut(file.id()).map_or(0, |state| state.map.extents() * 8)
    }

    /// The length is durable before the log speaks of pages there; the header says the new size when all maps exist. A
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

    /// Takes part in allocation from now on. The file's maps exist.
    pub(crate) fn add_file(&self, file: &Arc<StorageFile>) {
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
    pub(crate) fn close_file(&self, file: FileId, closed: bool) -> Result<bool, InUse> {
        self.state.lock().close_file(file, closed)
    }

    /// The extents of each file that are not free, the system's among them.
    pub(crate) fn allocated_extents(&self) -> Vec<(FileId, Vec<ExtentNo>)> {
        self.state.lock().allocated_extents()
    }

    /// All files are full (S4).
    pub(super) fn full(&self) -> SpaceError {
        SpaceError::Full { db: self.db, filegroup: self.filegroup }
    }

    /// The state, for a session that may have to wait for it.
    pub(super) fn lock(&self, ask: &Ask<'_>) -> MutexGuard<'_, SpaceState> {
        let mut state = lock_of(&self.waits, ask, LatchClass::AllocExtentCache, &self.state);
        state.set_recycling(!self.forward_only.load(Relaxed));
        state.look_for_trouble(|| self.waits.now_us());
        state
    }

    /// No file grows while this is held.
    pub(super) fn lock_growth(&self, ask: &Ask<'_>) -> MutexGuard<'_, GrowthTurn> {
        lock_of(&self.waits, ask, LatchClass::FgcbAddRemove, &self.growth)
    }
}

/// Locks; a wait is counted as one for a latch.
pub(super) fn lock_of<'m, T>(
    waits: &WaitStats,
    ask: &Ask<'_>,
    class: LatchClass,
    mutex: &'m Mutex<T>,
) -> MutexGuard<'m, T> {
    mutex.try_lock().unwrap_or_else(|| {
        let _wait = WaitGuard::begin_latch(waits, ask, class);
        mutex.lock()
    })
}
