//! Allocation in memory: which extents and single pages of a database's files are free, which come next, which owner
//! has how many. The map pages follow what is decided here.
//!
//! ```text
//!   tier 1     recycled (last freed first) ── else ── rotation ▶ file ▶ next free extent
//!   tier 2     the same, asked only when tier 1 has nothing and cannot grow
//!   tier 3     the same, after tier 2
//! ```
//!
//! Extents of a file that left for other files are *guests* there: allocated, and owned as they were before.
//! A file whose device failed is left for [`TROUBLE_PAUSE_US`]: it gives no space, unless no other file has any.
//!
//! What always holds: the map of its file decides whether an extent is free; a recycled list, kept only while recycling is
//! on, may name extents that were taken otherwise since. allocated extents = system + mixed + guests + Σ reserved by owner, per file. Not thread-safe: its
//! owner locks; no I/O happens here.

use std::sync::Arc;

use crate::check;
use crate::contract::{DbId, EXTENT_PAGES, ExtentId, ExtentNo, FileId, PageId, PageNo};
use crate::file::StorageFile;
use crate::file::remap::{Host, Remap};
use crate::file::tier::Tier;
use crate::space::extent_map::ExtentMap;
use crate::space::map_init::{DATA_FILE_PAGES_MIN, is_permanent_mixed, used_at_first};
use crate::space::mixed::{Change, MixedPages};
use crate::space::proportional::Rotation;
use crate::space::{FileSpaceReport, Owner, maps};

/// After an I/O error, how long nothing is allocated in the file: each try may put pages where they cannot be written.
pub const TROUBLE_PAUSE_US: u64 = 5_000_000;

/// Of so many extents one is kept for work that makes room.
const RESERVE_SHARE: u32 = 16;
/// Extents that a small database keeps for work that makes room: TRUNCATE of a table with an index, and the catalog's pages.
const RESERVE_MIN: u32 = 4;
/// Extents that the largest one keeps, 4 MB: TRUNCATE takes one per index, and one per eight indexes.
const RESERVE_MAX: u32 = 64;

/// Of so many extents, those that are kept for work that makes room.
fn reserve_of(all: u32) -> u32 {
    (all / RESERVE_SHARE).clamp(RESERVE_MIN, RESERVE_MAX)
}

/// One data file.
#[derive(Debug)]
pub struct FileState {
    /// The file.
    pub file: Arc<StorageFile>,
    /// Its free extents.
    pub map: ExtentMap,
    /// Extents of [`Owner`]s.
    reserved: [u32; 3],
    /// Extents in which those of files lie that left.
    guests: u32,
    /// Nothing is allocated any more: the file is to be removed.
    is_closed: bool,
    /// Its extents lie in other files.
    remap: Option<Arc<Remap>>,
    /// Only owners of its extents know of it.
    is_gone: bool,
    /// Growth failed; it is not tried again before this time.
    pub no_growth_until_us: u64,
    /// Failures of its device that are known here.
    failures: u64,
    /// The device failed; nothing is allocated before this time. 0: it works.
    left_until_us: u64,
}

impl FileState {
    /// The file's state as its maps say; `uniform` extents are in use.
    #[must_use]
    pub fn new(file: Arc<StorageFile>, map: ExtentMap, uniform: u32) -> FileState {
        let failures = file.failures();
        assert!(
            uniform <= map.extents() - map.free(),
            "{uniform} extents have owners, {} of {} are free",
            map.free(),
            map.extents()
        );
        FileState {
            file,
            map,
            reserved: [uniform, 0, 0],
            guests: 0,
            is_closed: false,
            remap: None,
            is_gone: false,
            no_growth_until_us: 0,
            failures,
            left_until_us: 0,
        }
    }

    fn tier(&self) -> Tier {
        self.file.tier()
    }

    /// Whether there are as many extents taken as have owners: the system's and the mixed ones are taken too, without
    /// one.
    fn is_accounted(&self) -> bool {
        let owned = self.reserved.iter().sum::<u32>() + self.guests;
        owned + self.map.free() <= self.map.extents()
    }

    /// Whether it gives space.
    fn is_open(&self) -> bool {
        !self.is_closed && self.left_until_us == 0
    }

    fn room(&self) -> u32 {
        if self.is_open() { self.map.free() } else { 0 }
    }
}

/// Files of one tier.
#[derive(Debug, Default)]
struct TierState {
    rotation: Rotation,
    /// Its files, as indexes of the state's.
    members: Vec<usize>,
    /// Their room; kept to spare an allocation per extent.
    room: Vec<u32>,
    /// Freed extents, the last one on top.
    recycled: Vec<(FileId, ExtentNo)>,
    /// Extents to be given in proportion before those.
    spread_left: u32,
    mixed: MixedPages,
}

/// Why a file cannot go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InUse {
    /// It is the primary file.
    Primary,
    /// Extents or pages of it are in use.
    NotEmpty,
}

/// All data files of a database.
#[derive(Debug)]
pub struct SpaceState {
    db: DbId,
    files: Vec<FileState>,
    tiers: [TierState; Tier::ALL.len()],
    is_recycling: bool,
}

impl SpaceState {
    /// No files yet.
    #[must_use]
    pub fn new(db: DbId) -> SpaceState {
        SpaceState { db, files: Vec::new(), tiers: Default::default(), is_recycling: true }
    }

    /// Freed extents first (true), or only the forward search (false).
    pub fn set_recycling(&mut self, on: bool) {
        if self.is_recycling && !on {
            self.tiers.iter_mut().for_each(|tier| tier.recycled.clear());
        }
        self.is_recycling = on;
    }

    /// The state of a file.
    pub fn file_mut(&mut self, file: FileId) -> Option<&mut FileState> {
        self.files.iter_mut().find(|f| f.file.id() == file)
    }

    /// Where the mixed extents of a tier are kept.
    pub fn mixed_mut(&mut self, tier: Tier) -> &mut MixedPages {
        &mut self.tiers[tier.index()].mixed
    }

    /// Adds a file whose mixed extents are known already.
    pub fn add_file(&mut self, state: FileState) {
        check!(state.is_accounted(), "file {}: more extents are owned than taken", state.file.id());
        self.files.push(state);
        self.set_members();
    }

    /// A file came after others were used: as many extents as it has are given in proportion, before freed ones are
    /// preferred again. Else it would not be used as long as others free as much as they take. That all is free just
    /// now says nothing: what was freed would be taken again.
    pub fn spread_to(&mut self, file: FileId) {
        let Some(state) = self.files.iter().find(|f| f.file.id() == file) else { return };
        let (room, tier) = (state.room(), &mut self.tiers[state.tier().index()]);
        if !tier.recycled.is_empty() || self.files.iter().any(|f| f.reserved != [0; 3]) {
            tier.spread_left = room;
        }
    }

    /// The file became longer: the new extents are free, but for the system's.
    pub fn extend_file(&mut self, file: FileId, extents: u32) {
        let Some(at) = self.files.iter().position(|f| f.file.id() == file) else { return };
        let state = &mut self.files[at];
        let tier = &mut self.tiers[state.tier().index()];
        let old = state.map.extents();
        state.map.extend_to(extents);
        for extent in (old..extents).map(ExtentNo) {
            if is_permanent_mixed(extent) {
                tier.mixed.add(file, extent, used_at_first(file, extent), true);
            } else if !maps::is_reserved(extent) {
                state.map.give(extent);
            }
        }
        check!(self.files[at].is_accounted(), "file {file}: more extents are owned than taken");
        tier.rotation.reset();
    }

    /// The file is to become shorter: the extents at its end in which nothing lies are gone, but for the first `least` and for as
    /// many as work that makes room needs. Returns how many the file has from then on.
    pub fn cut_file(&mut self, file: FileId, least: u32) -> Option<u32> {
        let (mut free, mut all) = self.open_extents();
        let at = self.files.iter().position(|f| f.file.id() == file)?;
        let state = &mut self.files[at];
        let tier = &mut self.tiers[state.tier().index()];
        let is_idle = |extent: ExtentNo| match is_permanent_mixed(extent) {
            true => tier.mixed.used(file, extent) == Some(used_at_first(file, extent)),
            false => maps::is_reserved(extent) || state.map.is_free(extent),
        };
        let mut end = state.map.extents();
        while end > least.max(DATA_FILE_PAGES_MIN / EXTENT_PAGES) && is_idle(ExtentNo(end - 1)) {
            free = free.saturating_sub(u32::from(state.map.is_free(ExtentNo(end - 1))));
            all = all.saturating_sub(1);
            if free < reserve_of(all) {
                break;
            }
            end -= 1;
        }
        state.map.cut_to(end);
        tier.mixed.cut_file(file, end);
        tier.recycled.retain(|(of, extent)| *of != file || extent.0 < end);
        tier.rotation.reset();
        check!(self.files[at].is_accounted(), "file {file}: more extents are owned than taken");
        Some(end)
    }

    /// Free extents of the files that give space, and all of theirs.
    fn open_extents(&self) -> (u32, u32) {
        let open = || self.files.iter().filter(|f| f.is_open());
        let sum = |extents: u32, more: u32| extents.saturating_add(more);
        (open().map(FileState::room).fold(0, sum), open().map(|f| f.map.extents()).fold(0, sum))
    }

    /// Free extents beyond those that are kept for work that makes room.
    #[must_use]
    pub fn beyond_reserve(&self) -> u32 {
        let (free, all) = self.open_extents();
        free.saturating_sub(reserve_of(all))
    }

    /// Takes up to `count` extents of a tier and appends them to `out`; returns how many.
    pub fn take_extents(&mut self, tier: Tier, owner: Option<Owner>, count: u32, out: &mut Vec<ExtentId>) -> u32 {
        let mut taken = 0;
        while taken < count {
            let Some((at, extent)) = self.take_one(tier) else { break };
            if let Some(owner) = owner {
                self.files[at].reserved[owner as usize] += 1;
            }
            out.push(ExtentId { db: self.db, file: self.files[at].file.id(), extent });
            assert!(
                self.files[at].is_accounted(),
                "file {}: more extents are owned than taken",
                self.files[at].file.id()
            );
            taken += 1;
        }
        taken
    }

    fn take_one(&mut self, tier: Tier) -> Option<(usize, ExtentNo)> {
        if self.tiers[tier.index()].spread_left > 0 {
            self.tiers[tier.index()].spread_left -= 1;
            // What is taken so is still listed as recycled; there it is passed over, because its map has it taken.
            return self.take_by_rotation(tier).or_else(|| self.take_recycled(tier));
        }
        self.take_recycled(tier).or_else(|| self.take_by_rotation(tier))
    }

    fn take_recycled(&mut self, tier: Tier) -> Option<(usize, ExtentNo)> {
        while let Some((file, extent)) = self.tiers[tier.index()].recycled.pop() {
            // Extents of files that give nothing are passed over; they stay free in their map.
            let at = self.files.iter().position(|f| f.file.id() == file && f.is_open());
            if let Some(at) = at
                && self.files[at].map.take(extent)
            {
                check!(
                    !maps::is_reserved(extent) && !is_permanent_mixed(extent),
                    "the system's extent {extent} of file {file} is given"
                );
                return Some((at, extent));
            }
        }
        None
    }

    fn take_by_rotation(&mut self, tier: Tier) -> Option<(usize, ExtentNo)> {
        let TierState { rotation, members, room, .. } = &mut self.tiers[tier.index()];
        room.clear();
        room.extend(members.iter().map(|at| self.files[*at].room()));
        let at = members[rotation.pick(room)?];
        check!(self.files[at].is_open(), "S3: file {} is closed or left, and gives space", self.files[at].file.id());
        let extent = self.files[at].map.take_next().expect("the file has room");
        assert!(!maps::is_reserved(extent) && !is_permanent_mixed(extent), "the system's extent {extent} is given");
        Some((at, extent))
    }

    fn set_members(&mut self) {
        self.files.sort_by_key(|f| f.file.id());
        assert!(self.files.windows(2).all(|pair| pair[0].file.id() < pair[1].file.id()), "two files of one number");
        for (number, tier) in self.tiers.iter_mut().enumerate() {
            tier.members = (0..self.files.len()).filter(|at| self.files[*at].tier().index() == number).collect();
            tier.rotation.reset();
        }
        check!(
            self.tiers.iter().map(|tier| tier.members.len()).sum::<usize>() == self.files.len(),
            "a file is of no tier, or of two"
        );
    }

    /// Gives extents back, so that the first of them is the next to be taken.
    pub fn give_extents(&mut self, owner: Option<Owner>, extents: &[ExtentId]) {
        for id in extents.iter().rev() {
            check!(
                !maps::is_reserved(id.extent) && !is_permanent_mixed(id.extent),
                "the system's extent {} of file {} is given back",
                id.extent,
                id.file
            );
            let state = self
                .files
                .iter_mut()
                .find(|f| f.file.id() == id.file)
                .expect("a file with allocated extents is not removed");
            state.map.give(id.extent);
            if let Some(owner) = owner {
                let reserved = &mut state.reserved[owner as usize];
                *reserved = reserved.checked_sub(1).expect("the extent was reserved by that owner");
            }
            assert!(state.is_accounted(), "file {}: more extents are owned than taken", id.file);
            let tier = state.tier();
            if self.is_recycling {
                self.tiers[tier.index()].recycled.push((id.file, id.extent));
            }
        }
    }

    /// Takes a single page of a tier's mixed extents; says whether its extent is full now.
    pub fn take_page(&mut self, tier: Tier) -> Option<(PageId, bool)> {
        let (file, page, is_full) = self.tiers[tier.index()].mixed.take()?;
        check!(
            self.files.iter().any(|f| f.file.id() == file && f.is_open() && f.tier() == tier),
            "S3: file {file} is closed, left, or of another tier, and gives page {page}"
        );
        Some((PageId { db: self.db, file, page }, is_full))
    }

    /// Makes an extent that was taken without an owner a mixed one.
    pub fn add_mixed(&mut self, extent: ExtentId) {
        check!(
            self.files.iter().any(|f| f.file.id() == extent.file && !f.map.is_free(extent.extent)),
            "extent {extent:?} becomes mixed, and is free"
        );
        let tier = self.tier_of(extent.file);
        self.tiers[tier.index()].mixed.add(extent.file, extent.extent, 0, false);
    }

    /// Gives a single page back. An extent that empties by it is not free yet: that is its owner's next step.
    pub fn give_page(&mut self, page: PageId) -> Change {
        let tier = self.tier_of(page.file);
        self.tiers[tier.index()].mixed.give(page)
    }

    fn tier_of(&self, file: FileId) -> Tier {
        let state = self.files.iter().find(|f| f.file.id() == file);
        state.expect("a file with allocated pages is not removed").tier()
    }

    /// The files of a tier that may grow now, with the size that each would have.
    #[must_use]
    pub fn growable(&self, tier: Tier, now_us: u64) -> Vec<(Arc<StorageFile>, u32)> {
        let candidates =
            self.files.iter().filter(|f| f.tier() == tier && f.is_open() && f.no_growth_until_us <= now_us);
        candidates.filter_map(|f| f.file.limits().next_size(f.file.size_pages()).map(|n| (f.file.clone(), n))).collect()
    }

    /// Stops (or resumes) allocating from a file; says whether it is empty.
    ///
    /// # Errors
    /// [`InUse::Primary`]; an unknown file counts as empty.
    pub fn close_file(&mut self, file: FileId, closed: bool) -> Result<bool, InUse> {
        if file == FileId(1) {
            return Err(InUse::Primary);
        }
        let Some(state) = self.file_mut(file) else { return Ok(true) };
        // What left its device cannot give space again.
        state.is_closed = closed || state.remap.is_some();
        self.show(file);
        Ok(self.is_empty(file))
    }

    /// Single pages are given by files that are open; a file that opens or closes changes the proportions.
    fn show(&mut self, file: FileId) {
        let Some(state) = self.files.iter().find(|f| f.file.id() == file) else { return };
        let tier = &mut self.tiers[state.tier().index()];
        tier.rotation.reset();
        tier.mixed.set_hidden(file, !state.is_open());
    }

    /// Leaves files whose devices failed since the last look, and comes back to those that were left long enough.
    pub fn look_for_trouble(&mut self, now_us: impl FnOnce() -> u64) {
        let is_same = |f: &FileState| f.failures == f.file.failures() && f.left_until_us == 0;
        if self.files.iter().all(is_same) {
            return;
        }
        let now_us = now_us();
        for at in 0..self.files.len() {
            let state = &mut self.files[at];
            let (was_open, failures) = (state.is_open(), state.file.failures());
            if failures != state.failures {
                (state.failures, state.left_until_us) = (failures, now_us + TROUBLE_PAUSE_US);
            } else if state.left_until_us <= now_us {
                state.left_until_us = 0;
            }
            if was_open != state.is_open() {
                let file = state.file.id();
                self.show(file);
            }
        }
    }

    /// Comes back to all files that were left; false when there was none.
    pub fn forget_trouble(&mut self) -> bool {
        let left: Vec<FileId> = self.files.iter().filter(|f| f.left_until_us != 0).map(|f| f.file.id()).collect();
        for file in &left {
            self.file_mut(*file).expect("it was there").left_until_us = 0;
            self.show(*file);
        }
        !left.is_empty()
    }

    fn is_empty(&self, file: FileId) -> bool {
        let Some(state) = self.files.iter().find(|f| f.file.id() == file) else { return true };
        let (_, has_pages_in_use) = self.tiers[state.tier().index()].mixed.of_file(file, |e| used_at_first(file, e));
        state.reserved == [0; 3] && state.guests == 0 && !has_pages_in_use
    }

    /// Forgets a file that is closed and empty.
    ///
    /// # Errors
    /// [`InUse`].
    pub fn remove_file(&mut self, file: FileId) -> Result<(), InUse> {
        if !self.close_file(file, true)? {
            return Err(InUse::NotEmpty);
        }
        for tier in &mut self.tiers {
            tier.recycled.retain(|(f, _)| *f != file);
            tier.mixed.remove_file(file);
        }
        self.files.retain(|f| f.file.id() != file);
        self.set_members();
        Ok(())
    }

    /// The extents of a file that are not free, the system's among them.
    #[must_use]
    pub fn used_extents(&self, file: FileId) -> Vec<ExtentNo> {
        self.files.iter().find(|f| f.file.id() == file).map_or_else(Vec::new, used_extents)
    }

    /// The extents of a closed file lie in `hosts` from now on, which are taken already; returns the hosts that are not
    /// needed: since they were counted, extents may have been freed.
    pub fn remap(&mut self, file: FileId, hosts: &[ExtentId]) -> Option<(Arc<Remap>, Vec<ExtentId>)> {
        let used = self.used_extents(file);
        assert!(used.len() <= hosts.len(), "nothing is allocated in a closed file");
        assert!(hosts.iter().all(|host| host.file != file), "R3: a file that leaves does not lie in itself");
        check!(hosts.windows(2).all(|pair| pair[0] < pair[1]), "R1: a place has one extent");
        let (needed, surplus) = hosts.split_at(used.len());
        let host = |id: &ExtentId| {
            let state = self.files.iter().find(|f| f.file.id() == id.file).expect("its extents are taken");
            Host { file: state.file.clone(), extent: id.extent }
        };
        let places = used.into_iter().zip(needed.iter().map(host)).collect();
        needed.iter().for_each(|id| self.file_mut(id.file).expect("it was found").guests += 1);
        let state = self.file_mut(file)?;
        let remap = Arc::new(Remap::new(&state.file.name(), state.file.device().len_bytes(), places));
        assert!(
            state.is_closed && state.remap.is_none(),
            "file {file} leaves, and gives space still or has left already"
        );
        state.remap = Some(remap.clone());
        Some((remap, surplus.to_vec()))
    }

    /// The extents of a file lie in it again.
    pub fn forget_remap(&mut self, file: FileId) -> Option<Arc<Remap>> {
        self.file_mut(file)?.remap.take()
    }

    /// Where the extents of a file lie that left its device.
    #[must_use]
    pub fn remap_of(&self, file: FileId) -> Option<&Arc<Remap>> {
        self.files.iter().find(|f| f.file.id() == file)?.remap.as_ref()
    }

    /// Extents in which those of other files lay are free again.
    pub fn give_hosts(&mut self, hosts: &[ExtentId]) {
        for id in hosts {
            let state = self.file_mut(id.file).expect("a file with guests is not forgotten");
            assert!(!state.map.is_free(id.extent), "the place {id:?} is free, and has a guest");
            state.guests = state.guests.checked_sub(1).expect("the extent had a guest");
        }
        self.give_extents(None, hosts);
    }

    /// All extents in which those of other files lie.
    #[must_use]
    pub fn hosts(&self) -> Vec<ExtentId> {
        self.files.iter().filter_map(|f| f.remap.as_ref()).flat_map(|remap| remap.places()).collect()
    }

    /// The file is not asked for any more; its extents stay until their owners free them.
    pub fn let_go(&mut self, file: FileId) {
        if let Some(state) = self.file_mut(file) {
            assert!(state.remap.is_some(), "file {file} is gone, and its extents lie nowhere else");
            (state.is_closed, state.is_gone) = (true, true);
        }
    }

    /// Forgets a file that is gone and of which nothing is in use any more.
    pub fn take_gone(&mut self) -> Option<(Arc<StorageFile>, Option<Arc<Remap>>)> {
        let at = self.files.iter().position(|f| f.is_gone && self.is_empty(f.file.id()))?;
        let (file, remap) = (self.files[at].file.clone(), self.files[at].remap.take());
        assert!(self.files[at].is_gone && self.files[at].reserved == [0; 3], "file {} is in use", file.id());
        self.remove_file(file.id()).expect("it is empty and not the primary one");
        Some((file, remap))
    }

    /// Uniform extents and single pages that are in use, the system's own left out.
    #[must_use]
    pub fn allocated(&self) -> (Vec<ExtentId>, Vec<PageId>) {
        let (mut extents, mut pages) = (Vec::new(), Vec::new());
        for state in &self.files {
            let file = state.file.id();
            let mixed = &self.tiers[state.tier().index()].mixed;
            for extent in (0..state.map.extents()).map(ExtentNo) {
                if state.map.is_free(extent) || maps::is_reserved(extent) {
                    continue;
                }
                match mixed.used(file, extent) {
                    None => extents.push(ExtentId { db: self.db, file, extent }),
                    Some(used) => {
                        let used = used & !used_at_first(file, extent);
                        let first = extent.first_page().0;
                        let numbers = (0..EXTENT_PAGES).filter(|n| used & 1 << n != 0);
                        pages.extend(numbers.map(|n| PageId { db: self.db, file, page: PageNo(first + n) }));
                    }
                }
            }
        }
        (extents, pages)
    }

    /// The extents of each file that are not free, the system's among them.
    #[must_use]
    pub fn allocated_extents(&self) -> Vec<(FileId, Vec<ExtentNo>)> {
        self.files.iter().map(|state| (state.file.id(), used_extents(state))).collect()
    }

    /// Space of each file. What left for other files counts there, for its owner.
    #[must_use]
    pub fn report(&self) -> Vec<FileSpaceReport> {
        let left = self.files.iter().filter(|f| f.remap.is_some());
        let mut guests = left.fold([0; 3], |sum, f| [0, 1, 2].map(|owner| sum[owner] + f.reserved[owner]));
        self.files.iter().filter(|f| !f.is_gone).map(|f| report_of(f, &mut guests)).collect()
    }
}

fn used_extents(state: &FileState) -> Vec<ExtentNo> {
    (0..state.map.extents()).map(ExtentNo).filter(|extent| !state.map.is_free(*extent)).collect()
}

/// `guests`: extents that lie in other files, by owner; a file counts as many of them as it has room for.
fn report_of(f: &FileState, guests: &mut [u32; 3]) -> FileSpaceReport {
    let pages = |extents: u32| u64::from(extents) * 8;
    let (mut allocated, mut reserved) = (f.map.extents() - f.map.free(), f.reserved);
    if f.remap.is_some() {
        let is_systems = |extent: &ExtentNo| maps::is_reserved(*extent) || is_permanent_mixed(*extent);
        allocated = (0..f.map.extents()).map(ExtentNo).filter(is_systems).count() as u32;
        reserved = [0; 3];
    }
    let mut left = f.guests;
    for (own, guests) in reserved.iter_mut().zip(guests).filter(|_| f.remap.is_none()) {
        let taken = left.min(*guests);
        (*own, *guests, left) = (*own + taken, *guests - taken, left - taken);
    }
    check!(
        reserved.iter().sum::<u32>() <= allocated,
        "file {}: {reserved:?} extents are owned, {allocated} taken",
        f.file.id()
    );
    FileSpaceReport {
        file: f.file.id(),
        total: pages(f.map.extents()),
        allocated: pages(allocated),
        mixed: pages(allocated - reserved.iter().sum::<u32>()),
        reserved: reserved.map(pages),
        is_left: f.left_until_us != 0,
    }
}
