//! The sweep that makes room: a hand goes over the frames, the pool's policy names the victims, and they leave memory.
//!
//! ```text
//!             ┌────────── hand ─────────▶ classify_frame ──policy──▶ stays, or promoted
//!   frames:   ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒      │
//!                                               ├─ clean ──────────▶ freed
//!                                               ├─ to extension ───▶ copied to its slot ──▶ freed
//!                                               └─ dirty ──────────▶ written with its neighbours ──▶ freed
//! ```
//!
//! What always holds: a frame is taken only when its exclusive latch could be had by trying, it has no pin and is clean
//! (P1, P5). The hand is one counter; several sweepers take different stretches of frames.
//!
//! Which page is a victim is the policy's business ([`crate::pool::policy`]); this file knows no uses and no ghosts.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{PageId, SessionId, WriteReason};
use crate::extension::device::Extension;
use crate::pool::Pool;
use crate::pool::free::{ShardNo, is_each_once};
use crate::pool::latch::{FrameNo, FrameState};
use crate::pool::policy::{self, Policy, ROUNDS_MAX, SweepPolicy, Verdict};
use crate::pool::tier::slot_of;
use crate::pool::write::Gather;

/// Frames that a sweeper examines at a time.
const STRETCH: u32 = 64;
/// Dirty victims that are collected before they are written: enough to be sorted into neighbours.
const DIRTY_BATCH: usize = 64;

/// The hand of the sweep.
#[derive(Debug)]
pub(crate) struct Hand {
    /// Frames ever examined; modulo the frames in use it is the hand's place.
    examined: AtomicU64,
    round_began_us: AtomicU64,
    last_round_us: AtomicU64,
}

/// What became of a frame under the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    /// Empty now, and the caller's.
    Freed,
    /// It would go, but is dirty.
    Dirty(PageId),
    /// It would go, but not without a copy in the extension.
    ToExtension(PageId),
    /// It stays.
    Stays,
}

impl Hand {
    pub(crate) fn new(now_us: u64) -> Hand {
        Hand { examined: AtomicU64::new(0), round_began_us: AtomicU64::new(now_us), last_round_us: AtomicU64::new(0) }
    }

    /// How long a page stays that nobody uses: the length of the last round, or of this one if it is longer.
    pub(crate) fn page_life_us(&self, now_us: u64) -> u64 {
        self.last_round_us.load(Relaxed).max(now_us.saturating_sub(self.round_began_us.load(Relaxed)))
    }

    /// The next stretch of frames under the hand, of `end` in all.
    fn advance(&self, end: u32, now_us: impl FnOnce() -> u64) -> std::ops::Range<u32> {
        check!(end > 0, "the hand goes round a pool without frames");
        let from = self.examined.fetch_add(STRETCH.into(), Relaxed);
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
            let sweep = self.plan_round(stretch / stretches);
            for frame in self.hand.advance(end, || self.clock.now_us()) {
                match self.classify_frame(FrameNo(frame), sweep, extension) {
                    Victim::Freed => freed.push(FrameNo(frame)),
                    Victim::Dirty(id) => dirty.push((id, FrameNo(frame))),
                    Victim::ToExtension(id) => entering.push((id, FrameNo(frame))),
                    Victim::Stays => {}
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

    /// What the hand may take in a round; the first is 0.
    fn plan_round(&self, round: u64) -> SweepPolicy {
        let pages = u64::from(self.chunks.total()).saturating_sub(self.free.count() as u64);
        let sweep = self.policy.plan_round(round, pages);
        check!(sweep.takes_something(), "the hand goes round, and takes from no class of pages");
        check!(
            round + 1 < ROUNDS_MAX || sweep.takes_everything(),
            "the hand goes round for the last time, and pages are protected"
        );
        sweep
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
        freed
            .extend(left.into_iter().map(|(_, frame)| frame).filter(|&frame| self.evict(frame, true) == Victim::Freed));
    }

    /// Looks at a frame that is neither latched nor pinned, if its page is of a class that the round takes; a victim that is
    /// clean leaves memory at once.
    fn classify_frame(&self, frame: FrameNo, sweep: SweepPolicy, extension: Option<&Extension>) -> Victim {
        let state = self.frames.state(frame);
        let unavailable =
            state.page.load(Relaxed) == 0 || state.pins.load(Relaxed) > 0 || self.frames.is_latched(frame);
        if unavailable || !sweep.takes(state.class.load(Relaxed)) {
            return Victim::Stays;
        }
        match self.policy.examine(state, sweep) {
            Verdict::Evict => self.take_victim(frame, extension),
            Verdict::Keep => Victim::Stays,
            Verdict::Promote => {
                if let Some(hold) = self.frames.try_exclusive(frame)
                    && state.page.load(Relaxed) != 0
                {
                    self.policy.promote(hold.state());
                }
                Victim::Stays
            }
        }
    }

    /// Evicts a victim, unless it has to be copied or written before.
    fn take_victim(&self, frame: FrameNo, extension: Option<&Extension>) -> Victim {
        let state = self.frames.state(frame);
        let enters = |extension| !state.dirty.load(Relaxed) && self.is_admitted(extension, state);
        if !extension.is_some_and(enters) {
            return self.evict(frame, true);
        }
        match state.page.load(Relaxed) {
            0 => Victim::Stays,
            bits => Victim::ToExtension(PageId::from_bits(bits)),
        }
    }

    /// Takes the page from the frame if it is clean, unpinned and unlatched (P1). `for_room`: another page needs the
    /// frame, and the policy notes the eviction.
    pub(crate) fn evict(&self, frame: FrameNo, for_room: bool) -> Victim {
        let Some(hold) = self.frames.try_exclusive(frame) else { return Victim::Stays };
        let state = hold.state();
        let bits = state.page.load(Relaxed);
        if bits == 0 || state.pins.load(Acquire) > 0 {
            return Victim::Stays;
        }
        let id = PageId::from_bits(bits);
        let slot = slot_of(state).filter(|_| self.tier.get().is_some_and(|extension| extension.is_usable()));
        if state.dirty.load(Relaxed) && slot.is_none() {
            return Victim::Dirty(id);
        }
        check!(!state.io.load(Relaxed), "P2: page {id} leaves memory while it is read or written");
        check!(slot.is_some() || !state.dirty.load(Relaxed), "P2: page {id} is dirty and leaves memory unwritten");
        if for_room {
            self.policy.on_evict(state, self.chunks.total());
        }
        match slot {
            // X4: the slot has what the frame has, and owes the log what the frame owes.
            Some(slot) => self.leave_to_slot(self.word_of(id), &hold, slot),
            None => self.vacate(self.word_of(id), &hold),
        }
        check!(state.page.load(Relaxed) == 0, "F1: page {id} left memory, and is in its frame");
        check!(state.slot.load(Relaxed) == 0, "X4: page {id} left memory, and its frame has its slot");
        add(&self.tallies.evictions, 1);
        Victim::Freed
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
        // Pages whose write failed in a gather are not tried again now: they stay dirty, the others are tried, and who waits
        // for a frame gets an error when none came.
        let is_untried = |frame: FrameNo| policy::may_write(self.frames.state(frame));
        let mut untried = temporary.into_iter().filter(|(_, frame)| is_untried(*frame)).map(|(id, _)| id);
        let rule = Gather::to_make_room(WriteReason::Lazy);
        while freed.len() < wanted
            && let Some(written) = self.write_some(ask, &mut untried, wanted - freed.len(), rule)
        {
            freed.extend(written.into_iter().filter(|&frame| self.evict(frame, true) == Victim::Freed));
        }
        // Durable pages go in batches, because each batch costs a sync.
        if freed.len() < wanted && !durable.is_empty() {
            let ids: Vec<PageId> = durable.into_iter().map(|(id, _)| id).collect();
            let (written, _) = self.write_batched(ask, &ids, rule);
            freed.extend(written.into_iter().filter(|&frame| self.evict(frame, true) == Victim::Freed));
        }
    }

    /// Evicts every clean page that is neither pinned nor latched.
    pub(crate) fn evict_clean(&self) -> u64 {
        let clean = self.states().filter(|(_, s)| s.page.load(Relaxed) != 0 && !s.dirty.load(Relaxed));
        let freed: Vec<FrameNo> =
            clean.filter(|&(frame, _)| self.evict(frame, false) == Victim::Freed).map(|(frame, _)| frame).collect();
        self.free.give(ShardNo::of(SessionId(0)), &freed);
        freed.len() as u64
    }
}
