//! The policy `s3-fifo`: a sweep with two parts, after S3-FIFO.
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
//! What always holds: `main` counts the frames of class [`MAIN`]. A ghost that is overwritten is forgotten, and one that
//! is found was evicted from probation within as many evictions as there are frames.
//!
//! Clock order instead of queues, because a queue would cost every created page a lock, and a tempdb loop creates pages
//! that are never evicted. It knows neither what a page is nor where it goes.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::check;
use crate::contract::PageId;
use crate::pool::arena::MappedSlice;
use crate::pool::latch::FrameState;
use crate::pool::policy::{Arrival, Policy, ROUNDS_MAX, SweepPolicy, Verdict};

/// The class of a page that has to show that it is needed.
const PROBATION: u8 = 0;
/// The class of a page that has shown it.
const MAIN: u8 = 1;
/// Uses that lead from probation to main.
const PROMOTED_USES: u8 = 2;
/// Probation has a tenth of the pages.
const PROBATION_SHARE: u64 = 10;
/// Rounds that take from one part only.
const ROUNDS_OF_A_PART: u64 = 2;

/// What the policy remembers.
#[derive(Debug)]
pub(crate) struct S3Fifo {
    /// Pages in the main part.
    main: AtomicU64,
    /// Evicted from probation: page hash above, low half of the eviction number below. Collisions forget.
    ghosts: Option<MappedSlice<AtomicU64>>,
    evicted: AtomicU64,
}

impl S3Fifo {
    pub(crate) fn new(frames_max: u32) -> S3Fifo {
        S3Fifo {
            main: AtomicU64::new(0),
            ghosts: MappedSlice::zeroed((frames_max as usize).next_power_of_two()),
            evicted: AtomicU64::new(0),
        }
    }

    /// Moves a page to the main part or out of it; the caller holds the exclusive latch.
    #[inline]
    fn set_class(&self, state: &FrameState, class: u8) {
        check!(state.is_latched_alone(), "a page changes its part of the pool without the exclusive latch");
        if state.class.load(Relaxed) != class {
            state.class.store(class, Relaxed);
            if class == MAIN {
                self.main.fetch_add(1, Relaxed);
            } else {
                let before = self.main.fetch_sub(1, Relaxed);
                assert!(before > 0, "a page leaves the main part, which has none");
            }
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
}

impl Policy for S3Fifo {
    #[inline]
    fn on_install(&self, state: &FrameState, arrival: Arrival, frames: u32) {
        state.uses.store(0, Relaxed);
        let id = || PageId::from_bits(state.page.load(Relaxed));
        if arrival != Arrival::Created && self.is_back_soon(id(), frames) {
            self.set_class(state, MAIN);
        }
    }

    fn on_evict(&self, state: &FrameState, frames: u32) {
        check!(state.page.load(Relaxed) != 0, "a frame without a page becomes a ghost");
        if state.class.load(Relaxed) == PROBATION {
            let number = self.evicted.fetch_add(1, Relaxed);
            if let Some((ghost, tag)) = self.ghost(PageId::from_bits(state.page.load(Relaxed)), frames) {
                ghost.store(tag | (number & 0xffff_ffff), Relaxed);
            }
        }
    }

    #[inline]
    fn on_leave(&self, state: &FrameState) {
        self.set_class(state, PROBATION);
    }

    fn plan_round(&self, round: u64, pages: u64) -> SweepPolicy {
        if round >= ROUNDS_OF_A_PART {
            return SweepPolicy::of_all(round + 1 >= ROUNDS_MAX);
        }
        let probation = pages.saturating_sub(self.main.load(Relaxed));
        SweepPolicy::of_class(if probation * PROBATION_SHARE > pages { PROBATION } else { MAIN })
    }

    #[inline]
    fn examine(&self, state: &FrameState, sweep: SweepPolicy) -> Verdict {
        let uses = state.uses.load(Relaxed);
        let is_main = state.class.load(Relaxed) == MAIN;
        if sweep.ignore_uses || uses < if is_main { 1 } else { PROMOTED_USES } {
            return Verdict::Evict;
        }
        if !is_main {
            return Verdict::Promote;
        }
        assert!(uses > 0, "a page of the main part has no use left, and stays");
        state.uses.store(uses - 1, Relaxed);
        Verdict::Keep
    }

    fn promote(&self, state: &FrameState) {
        self.set_class(state, MAIN);
        state.uses.store(0, Relaxed);
    }

    fn is_hot(&self, state: &FrameState) -> bool {
        state.class.load(Relaxed) == MAIN || state.uses.load(Relaxed) > 0
    }

    /// Whether the page left probation within the last `frames` evictions.
    fn is_back_soon(&self, id: PageId, frames: u32) -> bool {
        let Some((ghost, tag)) = self.ghost(id, frames) else { return false };
        let entry = ghost.load(Relaxed);
        let age = (self.evicted.load(Relaxed) as u32).wrapping_sub(entry as u32);
        entry != 0 && entry & !0xffff_ffff == tag && age < frames
    }
}
