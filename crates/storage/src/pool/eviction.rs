//! Who goes when memory is needed: a sweep over the frames with two parts, after S3-FIFO.
//!
//! ```text
//!   new page ──▶ probation ──unused when the hand passes──▶ out (its number is remembered as a ghost)
//!                    │ used twice or more                        │ comes back soon
//!                    ▼                                           ▼
//!                  main ──unused for as many passes as it had uses (≤ 3)──▶ out
//! ```
//!
//! While probation has more than a tenth of the pages the hand takes from it and leaves main alone, so a scan of any
//! length passes through a tenth of the memory; otherwise it takes from main. Created pages start in probation too: a
//! large temporary table flows past the hot pages, a small one is dropped before the hand comes.
//!
//! What always holds: a frame is taken only when its exclusive latch could be had by trying, it has no pin and is clean
//! (P1, P5). The hand is one counter; several sweepers take different stretches of frames. Clock order instead of queues,
//! because a queue would cost every created page a lock, and a tempdb loop creates pages that are never evicted.

use crate::check;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use crate::ask::Ask;
use crate::contract::{PageId, SessionId, WriteReason};
use crate::extension::device::Extension;
use crate::extension::tier::slot_of;
use crate::pool::Pool;
use crate::pool::arena::MappedSlice;
use crate::pool::fetch::USES_MAX;
use crate::pool::free::{ShardNo, is_each_once};
use crate::pool::latch::{FrameNo, FrameState};
use crate::pool::report::add;
use crate::pool::write::Gather;

/// Frames that a sweeper examines at a time.
const STRETCH: u32 = 64;
/// Rounds of the hand before a sweeper gives up: three take all uses away, one is left for each part of the pool.
const ROUNDS_MAX: u64 = 5;
/// Uses that lead from probation to main.
const PROMOTED_USES: u8 = 2;
/// Dirty victims that are collected before they are written: enough to be sorted into neighbours.
const DIRTY_BATCH: usize = 64;

/// State of the sweep.
#[derive(Debug)]
pub(crate) struct Evictor {
    /// Frames ever examined; modulo the frames in use it is the hand's place.
    hand: AtomicU64,
    /// Pages in the main part.
    main: AtomicU64,
    /// Evicted from probation: page hash above, low half of the eviction number below. Collisions forget.
    ghosts: Option<MappedSlice<AtomicU64>>,
    evicted: AtomicU64,
    round_began_us: AtomicU64,
    last_round_us: AtomicU64,
}

/// What a stretch of the sweep looks for.
#[derive(Clone, Copy, Debug)]
struct Appetite {
    probation: bool,
    main: bool,
    /// Uses do not protect any more.
    ruthless: bool,
}

/// What became of a frame under the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Empty now, and the caller's.
    Freed,
    /// It would go, but is dirty.
    Dirty(PageId),
    /// It would go, but not without a copy in the extension.
    Enters(PageId),
    /// It stays.
    Stays,
}

impl Evictor {
    pub(crate) fn new(frames: u32, now_us: u64) -> Evictor {
        Evictor {
            hand: AtomicU64::new(0),
            main: AtomicU64::new(0),
            ghosts: MappedSlice::zeroed((frames as usize).next_power_of_two()),
            evicted: AtomicU64::new(0),
            round_began_us: AtomicU64::new(now_us),
            last_round_us: AtomicU64::new(0),
        }
    }

    /// Pages in the main part.
    pub(crate) fn main_count(&self) -> u64 {
        self.main.load(Relaxed)
    }

    /// How long a page stays that nobody uses: the length of the last round, or of this one if it is longer.
    pub(crate) fn page_life_us(&self, now_us: u64) -> u64 {
        self.last_round_us.load(Relaxed).max(now_us.saturating_sub(self.round_began_us.load(Relaxed)))
    }

    /// Moves a page to the main part or out of it; the caller holds the exclusive latch.
    #[inline]
    pub(crate) fn set_main(&self, state: &FrameState, main: bool) {
        check!(state.is_latched_alone(), "a page changes its part of the pool without the exclusive latch");
        if state.main.load(Relaxed) != main {
            state.main.store(main, Relaxed);
            if main {
                self.main.fetch_add(1, Relaxed)
            } else {
                let before = self.main.fetch_sub(1, Relaxed);
                assert!(before > 0, "a page leaves the main part, which has none");
                before
            };
        }
    }

    /// The ghost's place and its tag; the table is as large as the pool has frames, rounded up.
    fn ghost(&self, id: PageId, frames: u32) -> Option<(&AtomicU64, u64)> {
        let ghosts = self.ghosts.as_ref()?;
        let hash = id.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mask = (frames as usize).next_power_of_two().min(ghosts.len()) - 1;
        check!((mask + 1).is_power_of_two(), "a table of {} ghosts is looked up by its low bits", mask + 1);
        Some((&ghosts[(hash >> 32) as usize & mask], hash << 32))
    }

    fn remember(&self, id: PageId, frames: u32) {
        let number = self.evicted.fetch_add(1, Relaxed);
        if let Some((ghost, tag)) = self.ghost(id, frames) {
            ghost.store(tag | (number & 0xffff_ffff), Relaxed);
        }
    }

    /// Whether the page left probation within the last `frames` evictions.
    pub(crate) fn is_ghost(&self, id: PageId, frames: u32) -> bool {
        let Some((ghost, tag)) = self.ghost(id, frames) else { return false };
        let entry = ghost.load(Relaxed);
        let age = (self.evicted.load(Relaxed) as u32).wrapping_sub(entry as u32);
        entry != 0 && entry & !0xffff_ffff == tag && age < frames
    }

    /// The next stretch of frames under the hand, of `end` in all.
    fn advance(&self, end: u32, now_us: impl FnOnce() -> u64) -> std::ops::Range<u32> {
        let from = self.hand.fetch_add(STRETCH.into(), Relaxed);
        let first = (from % u64::from(end)) as u32;
        if first < STRETCH {
            let now_us = now_us();
            let began_us = self.round_began_us.swap(now_us, Relaxed);
            self.last_round_us.store(now_us.saturating_sub(began_us), Relaxed);
        }
        first..(first + STRETCH).min(end)
    }
}

impl Pool {
    /// Frees up to about `wanted` frames and hands them to the caller: clean pages first, then by writing dirty ones as
    /// [`WriteReason::Lazy`]. None when everything is latched, pinned, or cannot be written.
    pub(crate) fn make_room(&self, ask: &Ask<'_>, wanted: usize) -> Vec<FrameNo> {
        let (mut freed, mut dirty, mut entering) = (Vec::new(), Vec::new(), Vec::new());
        let extension = self.tier.get();
        let extension = extension.as_deref();
        let end = self.chunks.end();
        let stretches = u64::from(end.div_ceil(STRETCH));
        for stretch in 0..stretches * ROUNDS_MAX {
            let appetite = self.appetite(stretch / stretches);
            for frame in self.evictor.advance(end, || self.clock.now_us()) {
                match self.judge(FrameNo(frame), appetite, extension) {
                    Fate::Freed => freed.push(FrameNo(frame)),
                    Fate::Dirty(id) => dirty.push((id, FrameNo(frame))),
                    Fate::Enters(id) => entering.push((id, FrameNo(frame))),
                    Fate::Stays => {}
                }
            }
            if let Some(extension) = extension
                && freed.len() < wanted
                && (freed.len() + entering.len() >= wanted || (stretch + 1) % stretches == 0)
            {
                self.let_go(ask, extension, &mut entering, &mut freed);
            }
            if freed.len() < wanted && (dirty.len() >= DIRTY_BATCH.max(wanted) || (stretch + 1) % stretches == 0) {
                self.write_victims(ask, extension, &mut dirty, wanted, &mut freed);
            }
            if freed.len() >= wanted {
                break;
            }
        }
        check!(
            freed.iter().all(|frame| self.frames.state(*frame).page.load(Relaxed) == 0),
            "F1: a frame is free for somebody, and has a page"
        );
        check!(is_each_once(&freed), "F1: a frame is freed twice");
        freed
    }

    fn appetite(&self, round: u64) -> Appetite {
        let pages = u64::from(self.chunks.total()).saturating_sub(self.free.count() as u64);
        let probation = pages.saturating_sub(self.evictor.main_count()) * 10 > pages;
        let both = round >= 2;
        let appetite =
            Appetite { probation: probation || both, main: !probation || both, ruthless: round >= ROUNDS_MAX - 1 };
        check!(appetite.probation || appetite.main, "the hand goes round and takes from no part of the pool");
        check!(!appetite.ruthless || both, "uses do not protect in round {round}, and one part is left alone");
        appetite
    }

    /// Pages that enter the extension, or leave memory without where they find no place there.
    fn let_go(
        &self,
        ask: &Ask<'_>,
        extension: &Extension,
        entering: &mut Vec<(PageId, FrameNo)>,
        freed: &mut Vec<FrameNo>,
    ) {
        let left = self.enter(ask, extension, std::mem::take(entering), freed);
        freed.extend(left.into_iter().map(|(_, frame)| frame).filter(|&frame| self.evict(frame, true) == Fate::Freed));
    }

    fn judge(&self, frame: FrameNo, appetite: Appetite, extension: Option<&Extension>) -> Fate {
        let state = self.frames.state(frame);
        let unavailable =
            state.page.load(Relaxed) == 0 || state.pins.load(Relaxed) > 0 || self.frames.is_latched(frame);
        let main = state.main.load(Relaxed);
        if unavailable || !(if main { appetite.main } else { appetite.probation }) {
            return Fate::Stays;
        }
        let uses = state.uses.load(Relaxed);
        if appetite.ruthless || (uses == 0 && main) || (uses < PROMOTED_USES && !main) {
            let enters = |extension| !state.dirty.load(Relaxed) && self.is_admitted(extension, state);
            if !extension.is_some_and(enters) {
                return self.evict(frame, true);
            }
            return match state.page.load(Relaxed) {
                0 => Fate::Stays,
                bits => Fate::Enters(PageId::from_bits(bits)),
            };
        }
        if main {
            assert!(uses > 0, "a page of the main part has no use left, and stays");
            state.uses.store(uses - 1, Relaxed);
        } else if let Some(hold) = self.frames.try_exclusive(frame)
            && state.page.load(Relaxed) != 0
        {
            self.evictor.set_main(hold.state(), true);
            state.uses.store(0, Relaxed);
        }
        Fate::Stays
    }

    /// Takes the page from the frame if it is clean, unpinned and unlatched (P1); `remember` makes one from probation a
    /// ghost.
    pub(crate) fn evict(&self, frame: FrameNo, remember: bool) -> Fate {
        let Some(hold) = self.frames.try_exclusive(frame) else { return Fate::Stays };
        let state = hold.state();
        let bits = state.page.load(Relaxed);
        if bits == 0 || state.pins.load(Acquire) > 0 {
            return Fate::Stays;
        }
        let id = PageId::from_bits(bits);
        let slot = slot_of(state).filter(|_| self.tier.get().is_some_and(|extension| extension.is_usable()));
        if state.dirty.load(Relaxed) && slot.is_none() {
            return Fate::Dirty(id);
        }
        let probation = !state.main.load(Relaxed);
        check!(!state.io.load(Relaxed), "P2: page {id} leaves memory while it is read or written");
        check!(slot.is_some() || !state.dirty.load(Relaxed), "P2: page {id} is dirty and leaves memory unwritten");
        match slot {
            // X4: the slot has what the frame has, and owes the log what the frame owes.
            Some(slot) => self.leave_to_slot(self.word_of(id), &hold, slot),
            None => self.vacate(self.word_of(id), &hold),
        }
        check!(state.page.load(Relaxed) == 0, "F1: page {id} left memory, and is in its frame");
        check!(state.slot.load(Relaxed) == 0, "X4: page {id} left memory, and its frame has its slot");
        if remember && probation {
            self.evictor.remember(id, self.chunks.total());
        }
        add(&self.tallies.evictions, 1);
        Fate::Freed
    }

    /// Writes dirty victims in order of their place, each with its neighbours, until `wanted` frames are free.
    fn write_victims(
        &self,
        ask: &Ask<'_>,
        extension: Option<&Extension>,
        dirty: &mut Vec<(PageId, FrameNo)>,
        wanted: usize,
        freed: &mut Vec<FrameNo>,
    ) {
        if let Some(extension) = extension {
            let is_admitted = |frame: FrameNo| self.is_admitted(extension, self.frames.state(frame));
            let entering = dirty.extract_if(.., |(_, frame)| is_admitted(*frame)).collect();
            let left = self.enter(ask, extension, entering, freed);
            // Those that found no place go to their files with the others.
            let is_dirty = |state: &FrameState| state.dirty.load(Relaxed) && slot_of(state).is_none();
            dirty.extend(left.into_iter().filter(|(_, frame)| is_dirty(self.frames.state(*frame))));
        }
        dirty.sort_unstable();
        let is_durable = |id: PageId| self.files.attached(id.db, id.file).is_some_and(|file| file.is_durable());
        let (durable, temporary): (Vec<_>, Vec<_>) = dirty.drain(..).partition(|(id, _)| is_durable(*id));
        // A write that failed has marked its pages as used; they were in a gather, and are not tried again now. A page stays
        // dirty then, the others are tried, and who waits for a frame is told when none came.
        let is_untried = |frame: FrameNo| self.frames.state(frame).uses.load(Relaxed) < USES_MAX;
        let mut untried = temporary.into_iter().filter(|(_, frame)| is_untried(*frame)).map(|(id, _)| id);
        let rule = Gather::to_make_room(WriteReason::Lazy);
        while freed.len() < wanted
            && let Some(written) = self.write_some(ask, &mut untried, wanted - freed.len(), rule)
        {
            freed.extend(written.into_iter().filter(|&frame| self.evict(frame, true) == Fate::Freed));
        }
        // Durable pages go in batches, because each batch costs a sync.
        if freed.len() < wanted && !durable.is_empty() {
            let ids: Vec<PageId> = durable.into_iter().map(|(id, _)| id).collect();
            let (written, _) = self.write_batched(ask, &ids, rule);
            freed.extend(written.into_iter().filter(|&frame| self.evict(frame, true) == Fate::Freed));
        }
    }

    /// Evicts every clean page that is neither pinned nor latched.
    pub(crate) fn evict_clean(&self) -> u64 {
        let clean = self.states().filter(|(_, s)| s.page.load(Relaxed) != 0 && !s.dirty.load(Relaxed));
        let freed: Vec<FrameNo> =
            clean.filter(|&(frame, _)| self.evict(frame, false) == Fate::Freed).map(|(frame, _)| frame).collect();
        self.free.give(ShardNo::of(SessionId(0)), &freed);
        freed.len() as u64
    }
}
