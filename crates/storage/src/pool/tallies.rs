//! The pool's counters: relaxed, and sharded by session where every page passes by; numbers that can be counted when asked
//! for are not counted before.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::contract::SessionId;
use crate::pool::free::SHARDS;

/// What one shard of sessions did.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Tally {
    pub(crate) lookups: AtomicU64,
    pub(crate) created: AtomicU64,
    pub(crate) discarded: AtomicU64,
    pub(crate) discarded_dirty: AtomicU64,
}

/// The pool's counters.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    shards: [Tally; SHARDS],
    pub(crate) reads: AtomicU64,
    pub(crate) read_ahead: AtomicU64,
    pub(crate) writes: AtomicU64,
    pub(crate) lazy_writes: AtomicU64,
    pub(crate) write_ios: AtomicU64,
    pub(crate) evictions: AtomicU64,
    pub(crate) stalls: AtomicU64,
}

impl Tallies {
    /// The counters that a session adds to.
    #[inline]
    pub(crate) fn of(&self, session: SessionId) -> &Tally {
        &self.shards[usize::from(session.0) % SHARDS]
    }

    pub(crate) fn sum(&self, counter: impl Fn(&Tally) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|shard| counter(shard).load(Relaxed)).sum()
    }
}
