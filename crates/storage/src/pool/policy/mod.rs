//! Which page leaves memory when its frame is needed: what an eviction policy is, and the list of policies.
//!
//! ```text
//!   hit ──────────▶ on_hit         one saturating count, the same for all policies
//!   page comes ───▶ on_install ┐
//!   page evicted ─▶ on_evict   ├─▶ the policy of the pool, a file of its own ◀── plan_round, examine ─── the hand of the sweep
//!   page leaves ──▶ on_leave   ┘                                            ◀── is_hot, is_back_soon ── the extension
//! ```
//!
//! What always holds: a hit calls no policy. It raises the use count of the frame, up to [`USES_MAX`], and writes nothing
//! once that is reached; policies read the count when the hand comes by, and count it down. Beside the count a policy has
//! one byte in each frame, the page's *class*, whose meaning is its own: 0 is a page that is new, it changes under the
//! frame's exclusive latch only, and a free frame has class 0. What else a policy remembers it keeps itself.
//!
//! In the last round that a sweep makes, a policy protects no page: what can go goes.
//!
//! A policy decides; it takes no latch, moves no page and knows no device. To add one: a file here, its `mod` line, and an
//! entry in the list below. `examples/eviction.rs` then has its figures beside the others', and the pool's stress tests run under it.

mod clock;
mod s3_fifo;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering::Relaxed;

use serde::Deserialize;

use crate::check;
use crate::contract::PageId;
use crate::pool::latch::FrameState;

/// Uses that are remembered of a page.
pub(crate) const USES_MAX: u8 = 3;
/// Rounds of the hand before a sweeper gives up: [`USES_MAX`] take all uses away, one takes the pages, the last takes what
/// was left.
pub(crate) const ROUNDS_MAX: u64 = USES_MAX as u64 + 2;

/// How a page comes into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Read because it was asked for.
    Read,
    /// Read before it was asked for.
    ReadAhead,
    /// Made, without a read.
    Created,
}

/// What one round of the hand may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SweepPolicy {
    /// A bit per class.
    classes: u8,
    /// Uses do not protect any more.
    pub(crate) ignore_uses: bool,
}

impl SweepPolicy {
    /// Pages of all classes.
    pub(crate) fn of_all(ignore_uses: bool) -> SweepPolicy {
        SweepPolicy { classes: u8::MAX, ignore_uses }
    }

    /// Pages of one class, which their uses protect.
    pub(crate) fn of_class(class: u8) -> SweepPolicy {
        check!(class < 8, "a page of class {class}, and a policy has 8 at most");
        SweepPolicy { classes: 1 << class, ignore_uses: false }
    }

    /// Whether the hand stops at pages of a class.
    #[inline]
    pub(crate) fn takes(self, class: u8) -> bool {
        check!(class < 8, "a page of class {class}, and a policy has 8 at most");
        self.classes & 1 << class != 0
    }

    /// Whether the hand goes round for anything.
    pub(crate) fn takes_something(self) -> bool {
        self.classes != 0
    }

    /// Whether nothing protects a page.
    pub(crate) fn takes_everything(self) -> bool {
        self.classes == u8::MAX && self.ignore_uses
    }
}

/// What a policy says of the page under the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is a victim.
    Evict,
    /// It stays this time.
    Keep,
    /// It stays, and [`Policy::promote`] is to be called under the exclusive latch.
    Promote,
}

/// An eviction policy. `frames` is how many frames the pool has now.
pub(crate) trait Policy {
    /// A page came into a frame, whose exclusive latch the caller holds: sets the use count that it begins with.
    fn on_install(&self, state: &FrameState, arrival: Arrival, frames: u32);

    /// The page is about to leave memory for another one's sake; the caller holds the exclusive latch. [`Policy::on_leave`]
    /// follows.
    fn on_evict(&self, state: &FrameState, frames: u32);

    /// The page left its frame, evicted or discarded; the caller holds the exclusive latch. The class is 0 afterwards.
    fn on_leave(&self, state: &FrameState);

    /// What a round of the hand may take, the first is 0, of `pages` in memory. The last of [`ROUNDS_MAX`] takes everything.
    fn plan_round(&self, round: u64, pages: u64) -> SweepPolicy;

    /// Judges the page under the hand, whose class `sweep` takes. It counts the uses down, and before the
    /// last round never lets a page with [`USES_MAX`] go: that many are also set where a write has failed, so that it is not
    /// tried again at once. No latch is held, so it may be
    /// another page by the time the verdict is heeded.
    fn examine(&self, state: &FrameState, sweep: SweepPolicy) -> Verdict;

    /// Does what [`Verdict::Promote`] announced; the caller holds the exclusive latch, and the frame has a page.
    fn promote(&self, state: &FrameState);

    /// Whether the page was used more than pages are that are read once.
    fn is_hot(&self, state: &FrameState) -> bool;

    /// Whether the page left memory so lately that it would soon come back.
    fn is_back_soon(&self, id: PageId, frames: u32) -> bool;
}

macro_rules! policies {
    ($($(#[$about:meta])+ $file:ident :: $name:ident = $text:literal;)+) => {
        /// Which eviction policy a pool has.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
        pub enum EvictionPolicy {
            $($(#[$about])+ #[serde(rename = $text)] $name,)+
        }

        impl EvictionPolicy {
            /// All policies.
            pub const ALL: &'static [EvictionPolicy] = &[$(EvictionPolicy::$name),+];

            /// As it is written in a configuration.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(EvictionPolicy::$name => $text),+ }
            }
        }

        /// The policy of a pool. An enum and no trait object, so that pages that are made and dropped pay for no call.
        #[derive(Debug)]
        pub(crate) enum PoolPolicy {
            $($name($file::$name)),+
        }

        impl PoolPolicy {
            /// A policy for a pool that may come to have so many frames.
            pub(crate) fn new(policy: EvictionPolicy, frames_max: u32) -> PoolPolicy {
                match policy { $(EvictionPolicy::$name => PoolPolicy::$name($file::$name::new(frames_max))),+ }
            }

            /// Which one it is.
            pub(crate) fn kind(&self) -> EvictionPolicy {
                match self { $(PoolPolicy::$name(_) => EvictionPolicy::$name),+ }
            }
        }

        impl Policy for PoolPolicy {
            #[inline]
            fn on_install(&self, state: &FrameState, arrival: Arrival, frames: u32) {
                match self { $(PoolPolicy::$name(policy) => policy.on_install(state, arrival, frames)),+ }
            }

            fn on_evict(&self, state: &FrameState, frames: u32) {
                match self { $(PoolPolicy::$name(policy) => policy.on_evict(state, frames)),+ }
            }

            #[inline]
            fn on_leave(&self, state: &FrameState) {
                match self { $(PoolPolicy::$name(policy) => policy.on_leave(state)),+ }
            }

            fn plan_round(&self, round: u64, pages: u64) -> SweepPolicy {
                match self { $(PoolPolicy::$name(policy) => policy.plan_round(round, pages)),+ }
            }

            #[inline]
            fn examine(&self, state: &FrameState, sweep: SweepPolicy) -> Verdict {
                match self { $(PoolPolicy::$name(policy) => policy.examine(state, sweep)),+ }
            }

            fn promote(&self, state: &FrameState) {
                match self { $(PoolPolicy::$name(policy) => policy.promote(state)),+ }
            }

            fn is_hot(&self, state: &FrameState) -> bool {
                match self { $(PoolPolicy::$name(policy) => policy.is_hot(state)),+ }
            }

            fn is_back_soon(&self, id: PageId, frames: u32) -> bool {
                match self { $(PoolPolicy::$name(policy) => policy.is_back_soon(id, frames)),+ }
            }
        }
    };
}

policies! {
    /// Two parts and ghosts: a scan of any length passes through a tenth of the memory.
    #[default]
    s3_fifo::S3Fifo = "s3-fifo";
    /// The generalized clock of SQL Server and PostgreSQL: uses count, and the hand counts them down.
    clock::Clock = "clock";
}

/// Remembers a use; stored only while it changes something, so that hot pages stay unwritten.
#[inline]
pub(crate) fn on_hit(state: &FrameState) {
    let uses = state.uses.load(Relaxed);
    if uses < USES_MAX {
        check!(uses <= USES_MAX, "{uses} uses are remembered, {USES_MAX} at most");
        state.uses.store(uses + 1, Relaxed);
    }
}

/// A write of the page failed: it counts as used as much as can be, so that all others are tried before it.
pub(crate) fn on_failed_write(state: &FrameState) {
    check!(state.dirty.load(Relaxed), "a write of a clean page has failed");
    state.uses.store(USES_MAX, Relaxed);
}

/// Whether a write of the page may be tried: one that failed just now is not.
pub(crate) fn may_write(state: &FrameState) -> bool {
    state.uses.load(Relaxed) < USES_MAX
}
