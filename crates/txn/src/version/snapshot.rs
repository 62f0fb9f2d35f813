//! Which transactions a reader sees: numbers of transactions, snapshots, and the horizon below which every reader sees all.
//!
//! ```text
//!   low ──────────── active ── active ─────────── high ─────▶ transaction numbers (XSN)
//!    all seen      │ seen unless active          │ none seen
//! ```
//!
//! What always holds:
//! - N1: a transaction has a number from its first change on; numbers grow, over restarts too.
//! - N2: a number is active until the transaction's commit is durable, or its changes are undone.
//! - N3: the horizon is not above the low of any snapshot that lives, nor above any that can still be taken: what was
//!   replaced by a transaction below it, no snapshot reads.
//!
//! It knows no rows.

use millpond_storage::check;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millpond_access::tree::Xsn;
use millpond_storage::contract::SessionId;
use parking_lot::Mutex;

/// A snapshot that lives, for the views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Its session.
    pub session: SessionId,
    /// Place in the order in which snapshots were taken.
    pub sequence: u64,
    /// Transactions below are seen.
    pub low: Xsn,
    /// Transactions from here on are not seen.
    pub high: Xsn,
    /// Transactions in between that are not seen, by their numbers.
    pub active: Arc<[u64]>,
    /// Whether it lasts for a transaction (SNAPSHOT) or for a statement.
    pub is_transaction: bool,
    /// When it was taken, by the clock of the waits, microseconds.
    pub since_us: u64,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Ascending.
    active: Vec<u64>,
    /// `active` as the snapshots share it; `None` after a change.
    shared: Option<Arc<[u64]>>,
    sequence: u64,
    /// Snapshots by their sequence.
    snapshots: BTreeMap<u64, SnapshotRow>,
    /// How many snapshots have each low.
    lows: BTreeMap<u64, usize>,
}

impl State {
    /// Whether the numbers are as their readers take them for granted: active ones ascend and were given, what the
    /// snapshots share is what is active, and every snapshot is counted once.
    fn is_sound(&self) -> bool {
        self.active.is_sorted_by(|one, other| one < other)
            && self.active.last().is_none_or(|last| *last < self.next)
            && self.shared.as_ref().is_none_or(|shared| **shared == *self.active)
            && self.lows.values().all(|count| *count > 0)
            && self.lows.values().sum::<usize>() == self.snapshots.len()
    }
}

/// Gives transactions their numbers and readers their snapshots.
#[derive(Debug)]
pub(crate) struct Sequence {
    state: Mutex<State>,
    /// N3, as it was computed last: it only grows.
    horizon: AtomicU64,
}

/// What a reader sees. Dropping it lets versions go.
#[derive(Debug)]
pub struct Snapshot {
    low: u64,
    high: u64,
    active: Arc<[u64]>,
    sequence: u64,
    owner: Arc<Sequence>,
}

impl Snapshot {
    /// Whether the changes of a transaction are seen.
    #[must_use]
    #[inline]
    pub(crate) fn sees(&self, xsn: Xsn) -> bool {
        xsn.0 < self.low || xsn.0 < self.high && self.active.binary_search(&xsn.0).is_err()
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let state = &mut *self.owner.state.lock();
        let known = state.snapshots.remove(&self.sequence);
        assert!(known.is_some(), "N3: snapshot {} is not known", self.sequence);
        if let Some(count) = state.lows.get_mut(&self.low) {
            assert!(*count > 0, "N3: a snapshot with the low {} goes, and none is counted", self.low);
            *count -= 1;
            if *count == 0 {
                state.lows.remove(&self.low);
            }
        }
        check!(state.is_sound(), "N3: what is active and what is seen do not fit together");
    }
}

impl Sequence {
    /// The first number is 1: 0 is no transaction's.
    pub(crate) fn new() -> Arc<Sequence> {
        Arc::new(Sequence { state: Mutex::new(State { next: 1, ..State::default() }), horizon: AtomicU64::new(1) })
    }

    /// N1: all numbers that are given from now on are at least `floor`.
    pub(crate) fn raise(&self, floor: u64) {
        let state = &mut *self.state.lock();
        state.next = state.next.max(floor);
    }

    /// A number for a transaction that begins to change.
    pub(crate) fn assign(&self) -> Xsn {
        let state = &mut *self.state.lock();
        let xsn = state.next;
        assert!(xsn <= Xsn::MAX.0, "N1: {xsn} has more than 48 bits");
        assert!(
            state.active.last().is_none_or(|last| *last < xsn),
            "N1: {xsn} is given after {:?}",
            state.active.last()
        );
        state.next += 1;
        state.active.push(xsn);
        state.shared = None;
        check!(state.is_sound(), "N3: what is active and what is seen do not fit together");
        Xsn(xsn)
    }

    /// N2: from now on new snapshots see the transaction's changes, if there are any left.
    pub(crate) fn end(&self, xsn: Xsn) {
        let state = &mut *self.state.lock();
        assert!(state.active.binary_search(&xsn.0).is_ok(), "N2: transaction {} ends, and is not active", xsn.0);
        if let Ok(at) = state.active.binary_search(&xsn.0) {
            state.active.remove(at);
            state.shared = None;
        }
        check!(state.is_sound(), "N2: transaction {} has ended, and what is active is out of order", xsn.0);
    }

    /// Whether a transaction has neither committed nor been undone (N2).
    pub(crate) fn is_active(&self, xsn: Xsn) -> bool {
        self.state.lock().active.binary_search(&xsn.0).is_ok()
    }

    pub(crate) fn take(self: &Arc<Self>, session: SessionId, is_transaction: bool, now_us: u64) -> Arc<Snapshot> {
        let state = &mut *self.state.lock();
        let active = match &state.shared {
            Some(shared) => Arc::clone(shared),
            None => Arc::clone(state.shared.insert(Arc::from(state.active.as_slice()))),
        };
        let (high, low) = (state.next, active.first().copied().unwrap_or(state.next));
        assert!(low <= high, "a snapshot from {low} to {high}");
        check!(low >= self.horizon.load(Ordering::Acquire), "N3: a snapshot from {low} on is below the horizon");
        state.sequence += 1;
        let sequence = state.sequence;
        let row = SnapshotRow {
            session,
            sequence,
            low: Xsn(low),
            high: Xsn(high),
            active: Arc::clone(&active),
            is_transaction,
            since_us: now_us,
        };
        state.snapshots.insert(sequence, row);
        *state.lows.entry(low).or_insert(0) += 1;
        check!(state.is_sound(), "N3: what is active and what is seen do not fit together");
        Arc::new(Snapshot { low, high, active, sequence, owner: Arc::clone(self) })
    }

    /// N3, now.
    pub(crate) fn update_horizon(&self) -> Xsn {
        let state = self.state.lock();
        let active = state.active.first().copied().unwrap_or(state.next);
        let snapshot = state.lows.keys().next().copied().unwrap_or(state.next);
        let horizon = active.min(snapshot);
        assert!(horizon >= self.horizon.load(Ordering::Acquire), "N3: the horizon falls to {horizon}");
        // Under the lock of the state: the horizon never falls.
        self.horizon.store(horizon, Ordering::Release);
        check!(state.is_sound(), "N3: what is active and what is seen do not fit together");
        Xsn(horizon)
    }

    /// N3, as it was some time ago.
    #[inline]
    pub(crate) fn horizon(&self) -> Xsn {
        Xsn(self.horizon.load(Ordering::Acquire))
    }

    pub(crate) fn snapshots(&self) -> Vec<SnapshotRow> {
        self.state.lock().snapshots.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_sees_who_had_ended_and_nobody_else() {
        let sequence = Sequence::new();
        let (one, two, three) = (sequence.assign(), sequence.assign(), sequence.assign());
        sequence.end(two);
        let snapshot = sequence.take(SessionId(51), false, 0);
        let four = sequence.assign();
        [one, three, four].iter().for_each(|&xsn| sequence.end(xsn));
        let sees: Vec<_> = [Xsn(0), one, two, three, four].iter().map(|&xsn| snapshot.sees(xsn)).collect();
        assert_eq!(sees, [true, false, true, false, false]);
        let later = sequence.take(SessionId(51), false, 0);
        assert!([one, two, three, four].iter().all(|&xsn| later.sees(xsn)));
    }

    #[test]
    fn the_horizon_waits_for_the_oldest_snapshot_and_the_oldest_transaction() {
        let sequence = Sequence::new();
        let one = sequence.assign();
        assert_eq!(sequence.update_horizon(), one);
        let snapshot = sequence.take(SessionId(51), true, 7);
        sequence.end(one);
        let two = sequence.assign();
        assert_eq!(sequence.update_horizon(), one);
        assert_eq!(sequence.snapshots()[0].since_us, 7);
        drop(snapshot);
        assert_eq!(sequence.update_horizon(), two);
        sequence.end(two);
        assert_eq!(sequence.update_horizon(), Xsn(two.0 + 1));
        sequence.raise(1_000_000);
        assert_eq!(sequence.assign(), Xsn(1_000_000));
        assert_eq!(sequence.snapshots(), []);
    }
}
