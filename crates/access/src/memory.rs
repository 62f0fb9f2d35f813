//! Rows that are kept in memory alone: the entries of a table's indexes in order of their keys, beside pages, pool and
//! files.
//!
//! ```text
//!   MemoryTable ── index 0: key ─▶ record        insert, replace, remove ──▶ undo (of the statement) ──▶ settle | undo
//!        │      └─ index n: key ─▶ entry                 │
//!        └─────────────────────────────── MemoryBudget ◀─┘ every byte, the undo's too
//! ```
//!
//! What always holds:
//! - M1: what a table and its undo hold is charged to the budget before it is held, and given back when it goes, at the
//!   latest with the table. The budget never holds more than its limit; lowering the limit frees nothing.
//! - M2: a statement that fails is undone whole; undoing needs no memory and cannot fail.
//! - M3: a scan holds the table only while it copies a page of entries; it goes on after the last key that it gave.
//!
//! It knows no columns, no names, and no transactions: such rows outlive a rollback, as all variables do.

use millpond_storage::check;
use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::RwLock;

use crate::tree::{Direction, KeyRange};

/// What an entry costs beside its bytes: two fat pointers, two allocations' heads, its share of a tree node.
const ENTRY_OVERHEAD_BYTES: u64 = 80;
/// Entries that a scan copies at once.
const PAGE_ENTRIES: usize = 128;

type Bytes = Box<[u8]>;

/// The budget has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{wanted_bytes} bytes do not fit: {used_bytes} of {limit_bytes} are used")]
pub struct MemoryExhausted {
    /// What was asked for.
    pub wanted_bytes: u64,
    /// In use.
    pub used_bytes: u64,
    /// The limit.
    pub limit_bytes: u64,
}

/// The memory that all tables in memory may have together.
#[derive(Debug)]
pub struct MemoryBudget {
    limit_bytes: AtomicU64,
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    refusals: AtomicU64,
}

impl MemoryBudget {
    /// An unused budget.
    #[must_use]
    pub fn new(limit_bytes: u64) -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget {
            limit_bytes: limit_bytes.into(),
            used_bytes: 0.into(),
            peak_bytes: 0.into(),
            refusals: 0.into(),
        })
    }

    /// Sets the limit for what is asked for from now on.
    pub fn set_limit_bytes(&self, limit_bytes: u64) {
        self.limit_bytes.store(limit_bytes, Relaxed);
    }

    /// The limit.
    #[must_use]
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes.load(Relaxed)
    }

    /// In use.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Relaxed)
    }

    /// The most that was ever in use.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Relaxed)
    }

    /// How often there was no room.
    #[must_use]
    pub fn refusals(&self) -> u64 {
        self.refusals.load(Relaxed)
    }

    fn take(&self, bytes: u64) -> Result<(), MemoryExhausted> {
        let limit_bytes = self.limit_bytes();
        let fits = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= limit_bytes);
        match self.used_bytes.fetch_update(Relaxed, Relaxed, fits) {
            Ok(before) => {
                self.peak_bytes.fetch_max(before + bytes, Relaxed);
                assert!(before + bytes <= limit_bytes, "M1: {before} and {bytes} bytes of {limit_bytes}");
                Ok(())
            }
            Err(used_bytes) => {
                self.refusals.fetch_add(1, Relaxed);
                Err(MemoryExhausted { wanted_bytes: bytes, used_bytes, limit_bytes })
            }
        }
    }

    fn give_back(&self, bytes: u64) {
        let before = self.used_bytes.fetch_sub(bytes, Relaxed);
        assert!(before >= bytes, "M1: {bytes} bytes are given back of {before}");
    }
}

/// What an index held under a key before the statement.
#[derive(Debug)]
struct Before {
    index: usize,
    key: Bytes,
    payload: Option<Bytes>,
}

#[derive(Debug, Default)]
struct State {
    indexes: Vec<BTreeMap<Bytes, Bytes>>,
    undo: Vec<Before>,
    /// Of the undo.
    undo_bytes: u64,
    /// Per index.
    bytes: Vec<u64>,
}

/// What an index of a table holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryIndexUse {
    /// Entries.
    pub entries: u64,
    /// Bytes, with what each entry costs beside its own.
    pub bytes: u64,
}

/// A table in memory: entries by key in each of its indexes.
#[derive(Debug)]
pub struct MemoryTable {
    state: RwLock<State>,
    budget: Arc<MemoryBudget>,
}

impl Drop for MemoryTable {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        self.budget.give_back(state.bytes.iter().sum::<u64>() + state.undo_bytes);
    }
}

impl State {
    /// Whether the budget knows of all that the table holds (M1); others may hold more.
    fn is_charged(&self, budget: &MemoryBudget) -> bool {
        self.bytes.iter().sum::<u64>() + self.undo_bytes <= budget.used_bytes()
    }
}

fn cost(key: &[u8], payload: &[u8]) -> u64 {
    (key.len() + payload.len()) as u64 + ENTRY_OVERHEAD_BYTES
}

impl MemoryTable {
    /// A table without rows.
    #[must_use]
    pub fn new(index_count: usize, budget: &Arc<MemoryBudget>) -> Arc<MemoryTable> {
        let state = State {
            indexes: (0..index_count).map(|_| BTreeMap::new()).collect(),
            bytes: vec![0; index_count],
            ..State::default()
        };
        Arc::new(MemoryTable { state: RwLock::new(state), budget: Arc::clone(budget) })
    }

    /// Adds an entry; false when there is one of its key.
    ///
    /// # Errors
    /// [`MemoryExhausted`]
    pub fn insert(&self, index: usize, key: &[u8], payload: &[u8]) -> Result<bool, MemoryExhausted> {
        let mut state = self.state.write();
        if state.indexes[index].contains_key(key) {
            return Ok(false);
        }
        let undo_bytes = cost(key, &[]);
        self.budget.take(cost(key, payload) + undo_bytes)?;
        state.bytes[index] += cost(key, payload);
        state.undo_bytes += undo_bytes;
        state.undo.push(Before { index, key: key.into(), payload: None });
        state.indexes[index].insert(key.into(), payload.into());
        check!(state.is_charged(&self.budget), "M1: a table holds more than the budget knows of");
        Ok(true)
    }

    /// Gives the entry of a key another payload; false when there is none.
    ///
    /// # Errors
    /// [`MemoryExhausted`]
    pub fn replace(&self, index: usize, key: &[u8], payload: &[u8]) -> Result<bool, MemoryExhausted> {
        let mut state = self.state.write();
        let Some(old_bytes) = state.indexes[index].get(key).map(|old| cost(key, old)) else { return Ok(false) };
        // The old entry moves into the undo with what it cost.
        self.budget.take(cost(key, payload))?;
        state.bytes[index] = state.bytes[index] + cost(key, payload) - old_bytes;
        state.undo_bytes += old_bytes;
        let old = state.indexes[index].insert(key.into(), payload.into());
        state.undo.push(Before { index, key: key.into(), payload: old });
        check!(state.is_charged(&self.budget), "M1: a table holds more than the budget knows of");
        Ok(true)
    }

    /// Takes the entry of a key out; false when there is none.
    pub fn remove(&self, index: usize, key: &[u8]) -> bool {
        let mut state = self.state.write();
        let Some((key, payload)) = state.indexes[index].remove_entry(key) else { return false };
        let bytes = cost(&key, &payload);
        state.bytes[index] -= bytes;
        state.undo_bytes += bytes;
        state.undo.push(Before { index, key, payload: Some(payload) });
        check!(state.is_charged(&self.budget), "M1: a table holds more than the budget knows of");
        true
    }

    /// The payload of a key into `out`; false when there is none.
    pub fn get(&self, index: usize, key: &[u8], out: &mut Vec<u8>) -> bool {
        let state = self.state.read();
        let Some(payload) = state.indexes[index].get(key) else { return false };
        out.clear();
        out.extend_from_slice(payload);
        true
    }

    /// The statement has ended well: what it changed stays.
    pub fn settle(&self) {
        let mut state = self.state.write();
        // The room of a great statement is not kept.
        state.undo = Vec::new();
        let bytes = std::mem::take(&mut state.undo_bytes);
        check!(
            state
                .indexes
                .iter()
                .zip(&state.bytes)
                .all(|(index, bytes)| index.len() as u64 * ENTRY_OVERHEAD_BYTES <= *bytes),
            "M1: an entry costs its overhead at least"
        );
        drop(state);
        self.budget.give_back(bytes);
    }

    /// The statement has failed: the table is as it was (M2).
    pub fn undo(&self) {
        let mut state = self.state.write();
        let state = &mut *state;
        let mut freed = std::mem::take(&mut state.undo_bytes);
        for Before { index, key, payload } in std::mem::take(&mut state.undo).into_iter().rev() {
            let now = state.indexes[index].remove(&key);
            assert!(
                now.is_some() || payload.is_some(),
                "M2: undone in reverse, what was inserted in index {index} is there"
            );
            if let Some(now) = now {
                let bytes = cost(&key, &now);
                state.bytes[index] -= bytes;
                freed += bytes;
            }
            if let Some(payload) = payload {
                let bytes = cost(&key, &payload);
                state.bytes[index] += bytes;
                freed -= bytes;
                state.indexes[index].insert(key, payload);
            }
        }
        check!(
            state.indexes.iter().zip(&state.bytes).all(|(index, bytes)| index
                .iter()
                .map(|(k, p)| cost(k, p))
                .sum::<u64>()
                == *bytes),
            "M1: what the indexes hold is what was charged"
        );
        self.budget.give_back(freed);
    }

    /// All rows go, for good: nothing of it can be undone.
    pub fn clear(&self) {
        let mut state = self.state.write();
        let freed = state.bytes.iter().sum::<u64>() + state.undo_bytes;
        for index in &mut state.indexes {
            *index = BTreeMap::new();
        }
        state.bytes.fill(0);
        (state.undo, state.undo_bytes) = (Vec::new(), 0);
        drop(state);
        self.budget.give_back(freed);
    }

    /// What each index holds, in their order.
    #[must_use]
    pub fn usage(&self) -> Vec<MemoryIndexUse> {
        let state = self.state.read();
        let both = state.indexes.iter().zip(&state.bytes);
        both.map(|(index, bytes)| MemoryIndexUse { entries: index.len() as u64, bytes: *bytes }).collect()
    }

    /// A scan of the keys of an index between two bounds.
    #[must_use]
    pub fn scan(self: &Arc<Self>, index: usize, range: KeyRange, direction: Direction) -> MemoryScan {
        MemoryScan { table: Arc::clone(self), index, range, direction, is_done: false }
    }
}

/// A scan in progress.
#[derive(Debug)]
pub struct MemoryScan {
    table: Arc<MemoryTable>,
    index: usize,
    /// What is still to be given.
    range: KeyRange,
    direction: Direction,
    is_done: bool,
}

/// The receiver of entries: key and payload. After a `Break` the scan goes on after the entry at its next page. It must
/// not change the table.
pub type VisitEntry<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>;

impl MemoryScan {
    /// Hands on the next entries; false when there are no more.
    pub fn next_page(&mut self, visit: VisitEntry<'_>) -> bool {
        if self.is_done || is_empty(&self.range) {
            return false;
        }
        let state = self.table.state.read();
        let bounds = (borrowed(&self.range.low), borrowed(&self.range.high));
        let entries = state.indexes[self.index].range::<[u8], _>(bounds);
        let last = match self.direction {
            Direction::Forward => hand_on(entries, visit),
            Direction::Backward => hand_on(entries.rev(), visit),
        };
        drop(state);
        match (last, self.direction) {
            (None, _) => self.is_done = true,
            (Some(key), Direction::Forward) => self.range.low = Bound::Excluded(key),
            (Some(key), Direction::Backward) => self.range.high = Bound::Excluded(key),
        }
        !self.is_done
    }
}

/// Gives a page; the last key when there may be more.
fn hand_on<'t>(entries: impl Iterator<Item = (&'t Bytes, &'t Bytes)>, visit: VisitEntry<'_>) -> Option<Vec<u8>> {
    for (position, (key, payload)) in entries.enumerate() {
        if visit(key, payload).is_break() || position + 1 == PAGE_ENTRIES {
            return Some(key.to_vec());
        }
    }
    None
}

fn borrowed(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}

/// Whether no key can lie in the range; such a range is not asked of a map.
fn is_empty(range: &KeyRange) -> bool {
    match (&range.low, &range.high) {
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => low >= high,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(table: &Arc<MemoryTable>, range: KeyRange, direction: Direction) -> Vec<Vec<u8>> {
        let mut scan = table.scan(0, range, direction);
        let mut keys = Vec::new();
        while scan.next_page(&mut |key, _| {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        }) {}
        keys
    }

    fn filled(count: u32) -> (Arc<MemoryBudget>, Arc<MemoryTable>) {
        let budget = MemoryBudget::new(1 << 20);
        let table = MemoryTable::new(1, &budget);
        for number in 0..count {
            assert_eq!(table.insert(0, &number.to_be_bytes(), b"row"), Ok(true));
        }
        table.settle();
        (budget, table)
    }

    #[test]
    fn scans_go_both_ways_over_pages() {
        let (_budget, table) = filled(1000);
        let mut all = keys(&table, KeyRange::all(), Direction::Forward);
        assert_eq!(all.len(), 1000);
        all.reverse();
        assert_eq!(keys(&table, KeyRange::all(), Direction::Backward), all);
        let bound = |number: u32| number.to_be_bytes().to_vec();
        let range = KeyRange { low: Bound::Excluded(bound(10)), high: Bound::Included(bound(500)) };
        assert_eq!(keys(&table, range.clone(), Direction::Backward).len(), 490);
        assert_eq!(keys(&table, range, Direction::Forward)[0], bound(11));
        for (low, high) in [
            (Bound::Excluded(bound(7)), Bound::Excluded(bound(7))),
            (Bound::Included(bound(9)), Bound::Included(bound(8))),
            (Bound::Excluded(bound(9)), Bound::Excluded(bound(8))),
        ] {
            assert!(keys(&table, KeyRange { low, high }, Direction::Forward).is_empty());
        }
    }

    #[test]
    fn a_break_loses_no_entry() {
        let (_budget, table) = filled(5);
        let mut scan = table.scan(0, KeyRange::all(), Direction::Forward);
        let mut seen = Vec::new();
        while scan.next_page(&mut |key, _| {
            seen.push(key[3]);
            ControlFlow::Break(())
        }) {}
        assert_eq!(seen, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_failed_statement_leaves_nothing_and_costs_nothing() {
        let (budget, table) = filled(10);
        let (before, used) = (table.usage(), budget.used_bytes());
        let key = |number: u32| number.to_be_bytes();
        table.replace(0, &key(3), b"a longer row than before").unwrap();
        table.replace(0, &key(3), b"").unwrap();
        assert!(table.remove(0, &key(3)));
        assert!(table.insert(0, &key(3), b"again").unwrap());
        assert!(table.remove(0, &key(4)));
        assert!(table.insert(0, &key(77), b"new").unwrap());
        assert_eq!(table.insert(0, &key(77), b"twice"), Ok(false));
        assert_eq!(table.replace(0, &key(78), b"none"), Ok(false));
        assert!(!table.remove(0, &key(78)));
        table.undo();
        assert_eq!((table.usage(), budget.used_bytes()), (before, used));
        let mut payload = Vec::new();
        assert!(table.get(0, &key(3), &mut payload) && payload == b"row");
        assert!(table.get(0, &key(4), &mut payload) && !table.get(0, &key(77), &mut payload));
    }

    #[test]
    fn the_budget_is_kept_and_given_back() {
        let budget = MemoryBudget::new(1000);
        let table = MemoryTable::new(2, &budget);
        let mut rows = 0_u32;
        let refused = loop {
            match table.insert(1, &rows.to_be_bytes(), &[0; 50]) {
                Ok(_) => rows += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(rows, 4, "134 bytes each and 84 of its undo");
        assert_eq!(refused.limit_bytes, 1000);
        table.settle();
        assert_eq!(budget.used_bytes(), 4 * 134);
        assert_eq!(table.usage()[1], MemoryIndexUse { entries: 4, bytes: 4 * 134 });
        assert!(table.insert(1, b"room again", &[0; 50]).unwrap());
        drop(table);
        assert_eq!((budget.used_bytes(), budget.refusals()), (0, 1));
        assert!(budget.peak_bytes() > 800);
    }
}
