//! A file leaves its device: its extents get places in other files, and are freed there when their owners free them.
//!
//! ```text
//!   close ─▶ places taken in other files ─▶ remap: a freed extent frees its place too ─▶ bytes copied (file) ─▶ gone
//!                                             │ copying failed: places given back, open                               │
//!                                             ▼                                       last extent freed: forgotten ◀──┘
//! ```
//!
//! What always holds: a file that leaves gives no space, so its extents only become fewer, and a place is chosen for each
//! of them. Places come by the rule of all allocations: lower tiers first, files grow. One file leaves at a time.

use crate::check;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::ask::Ask;
use crate::contract::{ExtentId, FileId};
use crate::file::remap::Remap;
use crate::space::map_pages::{MapError, MapPages};
use crate::space::{Owner, SpaceError, SpaceManager};

impl SpaceManager {
    /// Chooses places in other files for the extents of a closed one. Their bytes are not there yet.
    ///
    /// # Errors
    /// [`SpaceError`]; nothing has changed then.
    pub(crate) fn remap_file(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        file: FileId,
    ) -> Result<Arc<Remap>, SpaceError> {
        // A growth that began before the file was closed may still add to it.
        drop(self.supply.lock_growth(ask));
        let count = self.supply.lock(ask).used_extents(file).len();
        let mut hosts = Vec::new();
        let taken = self.take_hosts(ask, pool, count, &mut hosts);
        hosts.sort_unstable();
        let marked = taken.and_then(|()| Ok(self.mark_gam(ask, pool, &hosts, false)?));
        if let Err(error) = marked {
            // The first failure is the one to report; the extents are free in memory whatever becomes of the maps.
            self.has_map_failed.store(true, Relaxed);
            let _ = self.mark_gam(ask, pool, &hosts, true);
            self.supply.lock(ask).give_extents(None, &hosts);
            return Err(error);
        }
        // The forward-only search may have left pages of former owners in memory: they must not be written any more.
        hosts.iter().for_each(|host| pool.forget_extent(*host));
        self.remapped_files.fetch_add(1, Relaxed);
        let (remap, surplus) = self.supply.lock(ask).remap(file, &hosts).expect("the file is known");
        check!(
            remap.places().len() + surplus.len() == hosts.len(),
            "R1: {} places and {} that are not needed are not the {} that were taken",
            remap.places().len(),
            surplus.len(),
            hosts.len()
        );
        let marked = self.mark_gam(ask, pool, &surplus, true);
        self.supply.lock(ask).give_extents(None, &surplus);
        marked.map(|()| remap).map_err(|error| {
            let _ = self.forget_remap(ask, pool, file);
            error.into()
        })
    }

    fn take_hosts(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        count: usize,
        hosts: &mut Vec<ExtentId>,
    ) -> Result<(), SpaceError> {
        check!(hosts.is_empty(), "places are chosen beside others");
        while hosts.len() < count {
            let left = u32::try_from(count - hosts.len()).unwrap_or(u32::MAX);
            let before = hosts.len();
            self.supply.take(ask, pool, None, left, hosts)?;
            assert!(hosts.len() > before, "{left} places are to be had, and none is");
        }
        Ok(())
    }

    /// The bytes of the file did not leave: its places are free again.
    ///
    /// # Errors
    /// [`MapError`]; the places are free in any case.
    pub(crate) fn forget_remap(&self, ask: &Ask<'_>, pool: &dyn MapPages, file: FileId) -> Result<(), MapError> {
        let remap = self.supply.lock(ask).forget_remap(file);
        let Some(remap) = remap else { return Ok(()) };
        assert!(self.remapped_files.fetch_sub(1, Relaxed) > 0, "file {file} came back, and none had left");
        self.give_hosts(ask, pool, remap.release_all())
    }

    /// Whether the bytes of the file lie in other files.
    pub(crate) fn is_remapped(&self, file: FileId) -> bool {
        self.remapped_files.load(Relaxed) > 0 && self.supply.state.lock().remap_of(file).is_some()
    }

    /// The file is not asked for any more; it is forgotten when nothing of it is in use.
    ///
    /// # Errors
    /// [`MapError`]; the file is gone in any case.
    pub(crate) fn let_file_go(&self, ask: &Ask<'_>, pool: &dyn MapPages, file: FileId) -> Result<(), MapError> {
        self.supply.lock(ask).let_go(file);
        self.forget_gone(ask, pool)
    }

    /// Gives extents back, and the places of those that lie in other files (S6).
    pub(super) fn give_extents(
        &self,
        ask: &Ask<'_>,
        pool: &dyn MapPages,
        owner: Option<Owner>,
        extents: &[ExtentId],
    ) -> Result<(), MapError> {
        self.supply.lock(ask).give_extents(owner, extents);
        let hosts = self.release(ask, extents);
        self.give_hosts(ask, pool, hosts)
    }

    /// The places of extents that were freed.
    fn release(&self, ask: &Ask<'_>, extents: &[ExtentId]) -> Vec<ExtentId> {
        if self.remapped_files.load(Relaxed) == 0 {
            return Vec::new();
        }
        let mut hosts = Vec::new();
        for of_file in extents.chunk_by(|a, b| a.file == b.file) {
            // Without the lock: an I/O may have to be waited for.
            let remap = self.supply.lock(ask).remap_of(of_file[0].file).cloned();
            let released = |remap: Arc<Remap>| of_file.iter().filter_map(move |extent| remap.release(extent.extent));
            hosts.extend(remap.into_iter().flat_map(released));
        }
        hosts
    }

    /// Frees places; the file of a place may have left meanwhile, and have places itself.
    fn give_hosts(&self, ask: &Ask<'_>, pool: &dyn MapPages, mut hosts: Vec<ExtentId>) -> Result<(), MapError> {
        let mut result = Ok(());
        while !hosts.is_empty() {
            hosts.sort_unstable();
            result = result.and(self.mark_gam(ask, pool, &hosts, true));
            self.supply.lock(ask).give_hosts(&hosts);
            hosts = self.release(ask, &hosts);
        }
        result
    }

    /// Forgets files that are gone and of which nothing is in use any more. The caller holds none of the locks.
    pub(super) fn forget_gone(&self, ask: &Ask<'_>, pool: &dyn MapPages) -> Result<(), MapError> {
        let mut result = Ok(());
        while self.remapped_files.load(Relaxed) > 0 {
            let taken = {
                // An asker for a single page may hold an extent that nothing counts yet.
                let _single = self.lock_single(ask);
                self.supply.lock(ask).take_gone()
            };
            let Some((file, remap)) = taken else { break };
            assert!(self.remapped_files.fetch_sub(1, Relaxed) > 0, "a file is forgotten, and none had left");
            // Its number is free again when the file is not in use any more.
            pool.forget_file(file.db(), file.id());
            let hosts = remap.map(|remap| remap.release_all()).unwrap_or_default();
            result = result.and(self.give_hosts(ask, pool, hosts));
        }
        result
    }
}
