//! An allocation unit: the pages of a tree or of its large values, in uniform extents that an IAM chain claims.
//!
//! ```text
//!   take:  extent from the database (GAM) ──▶ IAM bit ──▶ PFS byte ──▶ the caller links the page
//!   give:  the caller unlinks the page ──▶ PFS byte ──▶ all eight free: IAM bit ──▶ extent to the database (GAM)
//! ```
//!
//! What always holds:
//! - U1: a page that is linked has its PFS byte set and lies in an extent whose IAM bit is set: the maps change before
//!   the link is made and after it is cut. After a crash there may be pages with a PFS byte that nothing links.
//! - U2: `partial` has the extents with free pages, all others of the unit are full; it is read from IAM and PFS when the
//!   first page is taken or given.
//! - U3: one change at a time, under the lock of the state, with no other page latched. Every change of a map page is a
//!   mini-transaction of its own.
//!
//! It knows no keys and no values.

use millpond_storage::check;
use std::collections::BTreeMap;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, ExtentId, ExtentNo, FileId, PageId, PageNo};
use millpond_storage::space::maps::{self, PFS_ALLOCATED};
use parking_lot::Mutex;

use crate::ctx::TreeCtx;
use crate::error::AccessError;
use crate::iam_log::{self, IamPage};
use crate::rid::ObjectId;

/// The largest batch of extents.
pub(crate) const BATCH_EXTENTS_MAX: u32 = 8;
/// All pages of an extent.
const FULL: u8 = u8::MAX;

/// Place of an extent in its database.
type ExtentKey = (FileId, ExtentNo);

/// Space of a unit, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitSpace {
    /// Pages of its extents, and its IAM pages.
    pub reserved: u64,
    /// Pages that its map says are in use, and its IAM pages.
    pub used: u64,
}

#[derive(Debug, Default)]
struct UnitState {
    /// U2
    is_loaded: bool,
    is_gone: bool,
    iam: Vec<IamPage>,
    extents: u64,
    /// Extents with free pages, and a bit for each page in use.
    partial: BTreeMap<ExtentKey, u8>,
}

/// The pages of a tree or of large values.
#[derive(Debug)]
pub(crate) struct Unit {
    ctx: TreeCtx,
    object: ObjectId,
    iam: PageId,
    state: Mutex<UnitState>,
}

fn key_of(page: PageId) -> ExtentKey {
    (page.file, page.page.extent())
}

fn bit_of(page: PageId) -> u8 {
    1 << (page.page.0 % EXTENT_PAGES)
}

/// The first extents that are wholly free and follow each other.
fn free_run(state: &UnitState, extents_max: u32) -> Vec<ExtentKey> {
    let mut run: Vec<ExtentKey> = Vec::new();
    for (&(file, extent), _) in state.partial.iter().filter(|&(_, &used)| used == 0) {
        let goes_on = run.last().is_none_or(|&last| last == (file, ExtentNo(extent.0.wrapping_sub(1))));
        if !goes_on || run.len() as u32 == extents_max {
            break;
        }
        run.push((file, extent));
    }
    run
}

impl Unit {
    /// A unit with one extent and one IAM page.
    pub(crate) fn create(ctx: &TreeCtx, ask: &Ask<'_>, object: ObjectId) -> Result<Unit, AccessError> {
        let nowhere = PageId { db: ctx.db(), file: FileId(0), page: PageNo(0) };
        let mut unit = Unit { ctx: ctx.clone(), object, iam: nowhere, state: Mutex::default() };
        let mut state = UnitState { is_loaded: true, ..UnitState::default() };
        unit.grow(&mut state, ask)?;
        assert!(
            state.iam.len() == 1 && state.extents > 0,
            "a new unit has one IAM page, and {} extents",
            state.extents
        );
        unit.iam = state.iam[0].page;
        check!(
            state.extents == state.partial.len() as u64,
            "U2: a new unit has {} extents, and {} with free pages",
            state.extents,
            state.partial.len()
        );
        unit.state = Mutex::new(state);
        Ok(unit)
    }

    /// The unit of an IAM chain; reads nothing yet.
    pub(crate) fn open(ctx: &TreeCtx, object: ObjectId, iam: PageId) -> Unit {
        Unit { ctx: ctx.clone(), object, iam, state: Mutex::default() }
    }

    /// First page of its IAM chain.
    pub(crate) fn iam(&self) -> PageId {
        self.iam
    }

    /// A page that nothing links yet; near `near` if that is possible.
    pub(crate) fn take(&self, ask: &Ask<'_>, near: Option<PageId>) -> Result<PageId, AccessError> {
        let state = &mut *self.state.lock();
        self.load(state, ask)?;
        if state.partial.is_empty() {
            self.grow(state, ask)?;
        }
        let page = self.pick(state, near);
        assert!(page.db == self.ctx.db() && page != self.iam, "U1: page {page} is given");
        self.ctx.space.set_pfs(ask, &self.ctx.handle, page, PFS_ALLOCATED)?;
        self.mark_used(state, page);
        check!(
            state.partial.get(&key_of(page)).is_none_or(|used| *used != FULL),
            "U2: an extent without a free page is among those that have some"
        );
        Ok(page)
    }

    /// Pages that nothing links yet: those of up to `extents_max` whole extents in a row.
    pub(crate) fn take_run(&self, ask: &Ask<'_>, extents_max: u32, out: &mut Vec<PageId>) -> Result<(), AccessError> {
        let state = &mut *self.state.lock();
        self.load(state, ask)?;
        let mut run = free_run(state, extents_max);
        if run.is_empty() {
            self.grow(state, ask)?;
            run = free_run(state, extents_max);
        }
        for key in run {
            let extent = self.extent_id(key);
            assert!(state.partial.get(&key) == Some(&0), "U2: extent {extent:?} is given whole, and is in use");
            self.ctx.space.set_pfs_extent(ask, &self.ctx.handle, extent, &[PFS_ALLOCATED; 8])?;
            state.partial.remove(&key);
            out.extend((0..EXTENT_PAGES).map(|index| extent.page(index)));
        }
        Ok(())
    }

    fn extent_id(&self, (file, extent): ExtentKey) -> ExtentId {
        ExtentId { db: self.ctx.db(), file, extent }
    }

    /// The free page after `near` with the least number, else the first of all.
    fn pick(&self, state: &UnitState, near: Option<PageId>) -> PageId {
        let after = near.and_then(|near| {
            let mut later = state.partial.range(key_of(near)..);
            later
                .next()
                .map(|(&key, &used)| (key, used, if key == key_of(near) { near.page.0 % EXTENT_PAGES } else { 0 }))
        });
        let first = || state.partial.iter().next().map(|(&key, &used)| (key, used, 0));
        let (key, used, from) = after.or_else(first).expect("grown when it was empty");
        let free = |&index: &u32| used & 1 << index == 0;
        let index = (from..EXTENT_PAGES).find(free).or_else(|| (0..EXTENT_PAGES).find(free));
        self.extent_id(key).page(index.expect("U2: it has a free page"))
    }

    fn mark_used(&self, state: &mut UnitState, page: PageId) {
        let used = state.partial.get_mut(&key_of(page)).expect("picked there");
        assert!(*used & bit_of(page) == 0, "U2: page {page} is given twice");
        *used |= bit_of(page);
        if *used == FULL {
            state.partial.remove(&key_of(page));
        }
    }

    fn grow(&self, state: &mut UnitState, ask: &Ask<'_>) -> Result<(), AccessError> {
        let ctx = &self.ctx;
        let batch = (state.extents as u32 + 1).min(BATCH_EXTENTS_MAX);
        let taken = ctx.usage.grow(batch, |batch| {
            let mut taken = Vec::with_capacity(batch as usize);
            ctx.space.allocate_extents(ask, &ctx.handle, ctx.owner, batch, &mut taken)?;
            Ok((taken.len() as u32, taken))
        })?;
        for (at, &extent) in taken.iter().enumerate() {
            if let Err(cause) = self.claim(state, ask, extent) {
                // What was not claimed goes back; what was claimed stays.
                self.release(ask, &taken[at..])?;
                return Err(cause);
            }
        }
        check!(state.partial.len() as u64 <= state.extents, "U2: more extents have room than there are");
        Ok(())
    }

    /// Claims an extent that the database gave.
    fn claim(&self, state: &mut UnitState, ask: &Ask<'_>, extent: ExtentId) -> Result<(), AccessError> {
        check!(!state.partial.contains_key(&(extent.file, extent.extent)), "extent {extent:?} is the unit's already");
        if iam_log::covering(&state.iam, extent).is_none() {
            iam_log::lengthen(&self.ctx, ask, self.object, &mut state.iam, extent)?;
        }
        let iam = iam_log::covering(&state.iam, extent).expect("made above");
        iam_log::set_bit(&self.ctx, ask, iam.page, extent.extent, true)?;
        state.extents += 1;
        let known = state.partial.insert((extent.file, extent.extent), 0);
        check!(known.is_none(), "U2: extent {extent:?} is claimed twice");
        Ok(())
    }

    fn release(&self, ask: &Ask<'_>, extents: &[ExtentId]) -> Result<(), AccessError> {
        self.ctx.space.free_extents(ask, &self.ctx.handle, self.ctx.owner, extents)?;
        self.ctx.usage.shrink(extents.len());
        Ok(())
    }

    /// Takes back pages that nothing links any more.
    pub(crate) fn give(&self, ask: &Ask<'_>, pages: &[PageId]) -> Result<(), AccessError> {
        let state = &mut *self.state.lock();
        self.load(state, ask)?;
        let mut masks: BTreeMap<ExtentKey, u8> = BTreeMap::new();
        for &page in pages {
            let mask = masks.entry(key_of(page)).or_default();
            assert!(*mask & bit_of(page) == 0, "page {page} is freed twice");
            *mask |= bit_of(page);
        }
        let mut emptied = Vec::new();
        for (key, mask) in masks {
            let used = *state.partial.get(&key).unwrap_or(&FULL);
            assert!(used & mask == mask, "a page of extent {key:?} is freed twice");
            if used == mask {
                emptied.push(key);
            } else {
                self.mark_free(state, ask, key, used & !mask)?;
            }
        }
        check!(
            state.partial.values().all(|used| *used != FULL),
            "U2: an extent without a free page is among those that have some"
        );
        self.give_extents(state, ask, &emptied)
    }

    /// Says in the map that of an extent only the pages `used` are.
    fn mark_free(&self, state: &mut UnitState, ask: &Ask<'_>, key: ExtentKey, used: u8) -> Result<(), AccessError> {
        let status: [u8; 8] = std::array::from_fn(|index| if used & 1 << index != 0 { PFS_ALLOCATED } else { 0 });
        self.ctx.space.set_pfs_extent(ask, &self.ctx.handle, self.extent_id(key), &status)?;
        state.partial.insert(key, used);
        Ok(())
    }

    /// Gives extents back that have no page in use any more.
    fn give_extents(&self, state: &mut UnitState, ask: &Ask<'_>, keys: &[ExtentKey]) -> Result<(), AccessError> {
        if keys.is_empty() {
            return Ok(());
        }
        let extents: Vec<ExtentId> = keys.iter().map(|&key| self.extent_id(key)).collect();
        check!(extents.windows(2).all(|pair| pair[0] < pair[1]), "an extent is given back once");
        for &extent in &extents {
            // The IAM bit goes first: a crash in between leaks the extent until orphans are looked for.
            if let Some(iam) = iam_log::covering(&state.iam, extent) {
                iam_log::set_bit(&self.ctx, ask, iam.page, extent.extent, false)?;
            }
            state.partial.remove(&(extent.file, extent.extent));
            assert!(state.extents > 0, "extent {extent:?} is given back by a unit that has none");
            state.extents -= 1;
        }
        check!(
            extents.iter().all(|extent| !state.partial.contains_key(&(extent.file, extent.extent))),
            "U1: an extent is given back, and has pages for the unit still"
        );
        self.release(ask, &extents)
    }

    /// Gives everything back, the IAM pages last. The unit is of no use afterwards.
    pub(crate) fn free(&self, ask: &Ask<'_>) -> Result<(), AccessError> {
        let state = &mut *self.state.lock();
        if state.is_gone {
            return Ok(());
        }
        let chain = iam_log::chain(&self.ctx, ask, self.object, self.iam)?;
        let mut extents = Vec::new();
        iam_log::extents(&self.ctx, ask, &chain, &mut |extent| extents.push(extent))?;
        *state = UnitState { is_gone: true, ..UnitState::default() };
        self.release(ask, &extents)?;
        for iam in chain {
            self.ctx.space.free_page(ask, &self.ctx.handle, iam.page)?;
        }
        Ok(())
    }

    /// Gives the pages back that `is_linked` does not know: what a crash between allocation and link, or between unlink
    /// and release, left. Returns how many.
    pub(crate) fn reclaim(&self, ask: &Ask<'_>, is_linked: &mut dyn FnMut(PageId) -> bool) -> Result<u64, AccessError> {
        let mut leaked = Vec::new();
        self.for_each_used(ask, &mut |page| {
            if !is_linked(page) {
                leaked.push(page);
            }
        })?;
        self.give(ask, &leaked)?;
        self.give_empty_extents(ask)?;
        Ok(leaked.len() as u64)
    }

    /// Extents that were claimed before a crash and never used.
    fn give_empty_extents(&self, ask: &Ask<'_>) -> Result<(), AccessError> {
        let state = &mut *self.state.lock();
        let empty: Vec<ExtentKey> = state.partial.iter().filter(|&(_, &used)| used == 0).map(|(&key, _)| key).collect();
        self.give_extents(state, ask, &empty)
    }

    /// Calls `visit` with every page that the maps say is in use.
    pub(crate) fn for_each_used(&self, ask: &Ask<'_>, visit: &mut dyn FnMut(PageId)) -> Result<(), AccessError> {
        let state = &mut *self.state.lock();
        self.load(state, ask)?;
        iam_log::extents(&self.ctx, ask, &state.iam, &mut |extent| {
            let used = *state.partial.get(&(extent.file, extent.extent)).unwrap_or(&FULL);
            (0..EXTENT_PAGES).filter(|index| used & 1 << index != 0).for_each(|index| visit(extent.page(index)));
        })
    }

    /// Pages reserved and used.
    pub(crate) fn space(&self, ask: &Ask<'_>) -> Result<UnitSpace, AccessError> {
        let state = &mut *self.state.lock();
        self.load(state, ask)?;
        let free: u64 = state.partial.values().map(|used| u64::from(used.count_zeros())).sum();
        let reserved = state.extents * u64::from(EXTENT_PAGES) + state.iam.len() as u64;
        assert!(free <= reserved, "{free} free pages of {reserved}");
        assert!(
            state.partial.len() as u64 <= state.extents,
            "U2: {} of {} extents have room",
            state.partial.len(),
            state.extents
        );
        Ok(UnitSpace { reserved, used: reserved - free })
    }

    /// Its IAM chain.
    pub(crate) fn iam_pages(&self, ask: &Ask<'_>) -> Result<Vec<PageId>, AccessError> {
        let state = &mut *self.state.lock();
        self.load(state, ask)?;
        Ok(state.iam.iter().map(|iam| iam.page).collect())
    }

    /// U2
    fn load(&self, state: &mut UnitState, ask: &Ask<'_>) -> Result<(), AccessError> {
        if state.is_gone {
            return Err(AccessError::Gone(self.object));
        }
        if state.is_loaded {
            return Ok(());
        }
        let iam = iam_log::chain(&self.ctx, ask, self.object, self.iam)?;
        let mut owned = Vec::new();
        iam_log::extents(&self.ctx, ask, &iam, &mut |extent| owned.push(extent))?;
        let mut partial = BTreeMap::new();
        for &extent in &owned {
            let used = self.used_of(ask, extent)?;
            if used != FULL {
                partial.insert((extent.file, extent.extent), used);
            }
        }
        *state = UnitState { is_loaded: true, is_gone: false, iam, extents: owned.len() as u64, partial };
        Ok(())
    }

    fn used_of(&self, ask: &Ask<'_>, extent: ExtentId) -> Result<u8, AccessError> {
        let first = extent.extent.first_page();
        let map = PageId { db: extent.db, file: extent.file, page: maps::pfs_page_of(first) };
        let page = self.ctx.pool().shared(ask, map)?;
        let in_use = |index: u32| maps::pfs(&page, PageNo(first.0 + index)) & PFS_ALLOCATED != 0;
        Ok((0..EXTENT_PAGES).filter(|&index| in_use(index)).fold(0, |used, index| used | 1 << index))
    }
}
