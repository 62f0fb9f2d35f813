//! The policy `clock`: the generalized clock, as in SQL Server and PostgreSQL.
//!
//! ```text
//!   read, created: 1 use ┐
//!   read ahead:    0     ├──▶ + 1 with each hit, up to 3 ──▶ − 1 whenever the hand passes ──▶ 0 when it comes: out
//! ```
//!
//! All pages are alike to it: a scan that is longer than memory drives out what was used three times within three rounds
//! of the hand, and a page that comes back begins anew, because nothing is remembered of pages that left.
//!
//! What always holds: a page is [`AGAIN`] when the hand has found two uses of it or more since it came. The class protects
//! nothing; it is there for the extension, which takes such pages alone when it is full.

use std::sync::atomic::Ordering::Relaxed;

use crate::check;
use crate::contract::PageId;
use crate::pool::latch::FrameState;
use crate::pool::policy::{Arrival, Policy, ROUNDS_MAX, SweepPolicy, Verdict};

/// The class of a page that was used once, as far as the hand has seen.
const ONCE: u8 = 0;
/// The class of a page that was used again.
const AGAIN: u8 = 1;

/// The policy remembers nothing beside what is in the frames.
#[derive(Debug)]
pub(crate) struct Clock;

impl Clock {
    pub(crate) fn new(_frames_max: u32) -> Clock {
        Clock
    }
}

impl Policy for Clock {
    #[inline]
    fn on_install(&self, state: &FrameState, arrival: Arrival, _frames: u32) {
        // The request that brings a page in is its first use; a page that was read ahead has that still to come.
        state.uses.store(u8::from(arrival != Arrival::ReadAhead), Relaxed);
    }

    fn on_evict(&self, _state: &FrameState, _frames: u32) {}

    #[inline]
    fn on_leave(&self, state: &FrameState) {
        check!(state.is_latched_alone(), "a page loses its class without the exclusive latch");
        state.class.store(ONCE, Relaxed);
    }

    fn plan_round(&self, round: u64, _pages: u64) -> SweepPolicy {
        SweepPolicy::of_all(round + 1 >= ROUNDS_MAX)
    }

    #[inline]
    fn examine(&self, state: &FrameState, sweep: SweepPolicy) -> Verdict {
        let uses = state.uses.load(Relaxed);
        if uses == 0 || sweep.ignore_uses {
            return Verdict::Evict;
        }
        if uses > 1 && state.class.load(Relaxed) == ONCE {
            return Verdict::Promote;
        }
        state.uses.store(uses - 1, Relaxed);
        Verdict::Keep
    }

    fn promote(&self, state: &FrameState) {
        check!(state.is_latched_alone(), "a page gets a class without the exclusive latch");
        state.class.store(AGAIN, Relaxed);
        state.uses.store(state.uses.load(Relaxed).saturating_sub(1), Relaxed);
    }

    fn is_hot(&self, state: &FrameState) -> bool {
        state.class.load(Relaxed) == AGAIN
    }

    fn is_back_soon(&self, _id: PageId, _frames: u32) -> bool {
        false
    }
}
