//! Sorting of entries by their keys in bounded memory: runs that do not fit lie in tempdb, as trees without a log.
//!
//! ```text
//!   add ──▶ memory ──full──▶ sorted run in tempdb          finish ──▶ Sorted: the least of all runs and of memory, again
//!                              └── run, run, …                         and again
//! ```
//!
//! What always holds: memory stays below what was given, but for one entry and one page of each run. Entries of equal keys
//! come one after the other; in a run there are none, because a sort wants distinct keys: they are refused.

use millpond_storage::{check, checks};
use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::AccessError;
use millpond_access::tree::{Direction, Entry, EntrySource, KeyRange, Tree, TreeCursor};
use millpond_storage::ask::Ask;

use crate::error::TxnError;
use crate::session::SessionWork;
use crate::trees;
use millpond_access::tree;

/// What an entry takes beside its bytes.
const PLACE_BYTES: usize = size_of::<Place>();
/// Memory that offsets can name.
const MEMORY_BYTES_MAX: usize = u32::MAX as usize / 2;

/// An entry in memory.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first eight bytes of the key, as a number of the same order.
    prefix: u64,
    start: u32,
    key_bytes: u16,
    payload_bytes: u16,
}

/// Entries in memory.
#[derive(Debug, Default)]
struct Memory {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

fn prefix_of(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = key.len().min(8);
    first[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(first)
}

impl Memory {
    fn push(&mut self, key: &[u8], payload: &[u8]) {
        assert!(self.bytes.len() <= MEMORY_BYTES_MAX, "an entry at {} of {MEMORY_BYTES_MAX} bytes", self.bytes.len());
        check!(
            key.len() <= usize::from(u16::MAX) && payload.len() <= usize::from(u16::MAX),
            "an entry of {} and {} bytes is sorted",
            key.len(),
            payload.len()
        );
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(payload);
        let (key_bytes, payload_bytes) = (key.len() as u16, payload.len() as u16);
        self.places.push(Place { prefix: prefix_of(key), start, key_bytes, payload_bytes });
    }

    fn key(&self, place: &Place) -> &[u8] {
        &self.bytes[place.start as usize..][..usize::from(place.key_bytes)]
    }

    fn entry(&self, place: &Place) -> Entry<'_> {
        let bytes = &self.bytes[place.start as usize..];
        let (key, rest) = bytes.split_at(usize::from(place.key_bytes));
        Entry { key, payload: &rest[..usize::from(place.payload_bytes)] }
    }

    fn used_bytes(&self) -> usize {
        self.bytes.len() + self.places.len() * PLACE_BYTES
    }

    fn sort(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        places.sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| self.key(a).cmp(self.key(b))));
        self.places = places;
        check!(
            self.places.is_sorted_by(|one, other| self.key(one) <= self.key(other)),
            "the first bytes of keys have another order than the keys"
        );
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }
}

/// Takes entries in any order.
#[derive(Debug)]
pub struct Sorter {
    memory: Memory,
    memory_bytes_max: usize,
    /// So far they came in ascending order.
    is_ascending: bool,
    /// The greatest key when they did, also of entries that were taken out.
    last: Vec<u8>,
    runs: Vec<Arc<Tree>>,
    entries: u64,
    /// The entry for which a run was refused.
    duplicate: Option<(Vec<u8>, Vec<u8>)>,
}

impl Sorter {
    /// A sorter that holds at most so many bytes in memory.
    #[must_use]
    pub fn new(memory_bytes_max: usize) -> Sorter {
        Sorter {
            memory: Memory::default(),
            memory_bytes_max: memory_bytes_max.min(MEMORY_BYTES_MAX),
            is_ascending: true,
            last: Vec::new(),
            runs: Vec::new(),
            entries: 0,
            duplicate: None,
        }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// [`TxnError::Duplicate`], with the entry in [`Sorter::take_duplicate`], where memory is full and has two of a key;
    /// others of tempdb.
    pub fn add(&mut self, work: &mut SessionWork, ask: &Ask<'_>, key: &[u8], payload: &[u8]) -> Result<(), TxnError> {
        if self.memory.used_bytes() + key.len() + payload.len() + PLACE_BYTES > self.memory_bytes_max {
            self.spill(work, ask)?;
        }
        if self.is_ascending {
            self.is_ascending = self.entries == 0 || self.last.as_slice() < key;
            self.last.clear();
            self.last.extend_from_slice(key);
        }
        self.memory.push(key, payload);
        self.entries += 1;
        check!(
            self.memory.used_bytes() <= self.memory_bytes_max || self.memory.places.len() == 1,
            "a sort has {} bytes of {}",
            self.memory.used_bytes(),
            self.memory_bytes_max
        );
        Ok(())
    }

    /// Entries that were added.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Runs in tempdb.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Whether the entries came in ascending order of distinct keys and all not taken out are in memory, at least so
    /// many bytes of them.
    #[must_use]
    pub fn has_ascending(&self, bytes: usize) -> bool {
        self.is_ascending && self.runs.is_empty() && self.memory.used_bytes() >= bytes
    }

    /// Takes the entries of [`Sorter::has_ascending`] out: `take` sees them.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn take_ascending<E>(&mut self, take: impl FnOnce(&[Entry<'_>]) -> Result<(), E>) -> Result<(), E> {
        check!(self.has_ascending(0), "entries are taken out of a sort in the order in which they did not come");
        let entries: Vec<Entry<'_>> = self.memory.places.iter().map(|place| self.memory.entry(place)).collect();
        check!(
            entries.is_sorted_by(|one, other| one.key <= other.key),
            "entries are taken out of a sort, and are not in order"
        );
        take(&entries)?;
        drop(entries);
        self.memory.clear();
        Ok(())
    }

    /// Whether nothing lies in tempdb.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.runs.is_empty()
    }

    /// Takes all entries out, in ascending order, when they are in memory.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn take_sorted<E>(&mut self, take: impl FnOnce(&[Entry<'_>]) -> Result<(), E>) -> Result<(), E> {
        assert!(self.is_in_memory(), "the entries of a sort are taken out, and some lie in tempdb");
        self.sort_memory();
        self.is_ascending = true;
        self.take_ascending(take)
    }

    /// The entry that has the key of another one, after [`TxnError::Duplicate`].
    pub fn take_duplicate(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.duplicate.take()
    }

    fn sort_memory(&mut self) {
        if !self.is_ascending {
            self.memory.sort();
        }
    }

    fn spill(&mut self, work: &mut SessionWork, ask: &Ask<'_>) -> Result<(), TxnError> {
        if self.memory.places.is_empty() {
            return Ok(());
        }
        self.sort_memory();
        let mut places = self.memory.places.iter();
        let mut source = MemorySource { memory: &self.memory, places: &mut places };
        match trees::build_work_tree::<RunError>(work, ask, &mut source) {
            Ok(run) => {
                self.runs.push(run);
                self.memory.clear();
                Ok(())
            }
            Err(RunError(AccessError::KeyOrder { is_equal: true })) => {
                let refused = self.memory.places.len() - places.len() - 1;
                let Entry { key, payload } = self.memory.entry(&self.memory.places[refused]);
                self.duplicate = Some((key.to_vec(), payload.to_vec()));
                Err(TxnError::Duplicate)
            }
            Err(RunError(cause)) => Err(cause.into()),
        }
    }

    /// All entries that were not taken out, in ascending order.
    #[must_use]
    pub fn finish(mut self) -> Sorted {
        self.sort_memory();
        check!(
            self.memory.places.is_sorted_by(|one, other| self.memory.key(one) <= self.memory.key(other)),
            "the entries in memory are merged, and are not in order"
        );
        let runs = self.runs.iter().map(Run::open).collect();
        Sorted { memory: self.memory, next: 0, runs, trees: self.runs, current: None, begun: false }
    }
}

struct RunError(AccessError);

impl From<AccessError> for RunError {
    fn from(cause: AccessError) -> RunError {
        RunError(cause)
    }
}

struct MemorySource<'m, 'p> {
    memory: &'m Memory,
    places: &'p mut std::slice::Iter<'m, Place>,
}

impl EntrySource<RunError> for MemorySource<'_, '_> {
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, RunError> {
        Ok(self.places.next().map(|place| self.memory.entry(place)))
    }
}

/// A run that is being read, a page in memory.
#[derive(Debug)]
struct Run {
    cursor: TreeCursor,
    page: Memory,
    next: usize,
}

impl Run {
    fn open(tree: &Arc<Tree>) -> Run {
        Run { cursor: tree::cursor::open(tree, KeyRange::all(), Direction::Forward), page: Memory::default(), next: 0 }
    }

    fn head(&self) -> Option<&Place> {
        self.page.places.get(self.next)
    }

    /// The next entry becomes the head; the next page is read when this one is over.
    fn advance(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
        self.next += 1;
        if self.next < self.page.places.len() {
            return Ok(());
        }
        let Run { cursor, page, next } = self;
        page.clear();
        *next = 0;
        cursor.next_page(ask, &mut |row| {
            check!(
                page.places.last().is_none_or(|last| page.key(last) < row.key),
                "a run has two entries of a key, or not in their order"
            );
            page.push(row.key, row.payload);
            ControlFlow::Continue(())
        })?;
        Ok(())
    }
}

/// Entries in ascending order of their keys.
#[derive(Debug)]
pub struct Sorted {
    memory: Memory,
    next: usize,
    runs: Vec<Run>,
    trees: Vec<Arc<Tree>>,
    /// Where the entry that was given last came from: a run, or memory after the last one.
    current: Option<usize>,
    begun: bool,
}

impl Sorted {
    /// The next entry; none at the end.
    ///
    /// # Errors
    /// Those of reading tempdb.
    pub fn next(&mut self, ask: &Ask<'_>) -> Result<Option<Entry<'_>>, TxnError> {
        let before = checks::ARE_ON.then(|| self.current().map(|entry| entry.key.to_vec())).flatten();
        self.advance(ask)?;
        let heads = self.runs.iter().map(|run| run.head().map(|place| (&run.page, place)));
        let own = self.memory.places.get(self.next).map(|place| (&self.memory, place));
        let mut least: Option<(usize, &Memory, &Place)> = None;
        for (source, head) in heads.chain([own]).enumerate() {
            let Some((memory, place)) = head else { continue };
            let is_less = least
                .is_none_or(|(_, other, known)| (place.prefix, memory.key(place)) < (known.prefix, other.key(known)));
            if is_less {
                least = Some((source, memory, place));
            }
        }
        check!(
            before.is_none_or(|before| least.is_none_or(|(_, memory, place)| memory.key(place) >= before.as_slice())),
            "sorted entries do not ascend"
        );
        self.current = least.map(|(source, ..)| source);
        Ok(least.map(|(_, memory, place)| memory.entry(place)))
    }

    /// The entry that was given last.
    #[must_use]
    pub fn current(&self) -> Option<Entry<'_>> {
        match self.current? {
            source if source < self.runs.len() => {
                let run = &self.runs[source];
                run.head().map(|place| run.page.entry(place))
            }
            _ => self.memory.places.get(self.next).map(|place| self.memory.entry(place)),
        }
    }

    /// The source of the entry that was given goes on.
    fn advance(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
        if !std::mem::replace(&mut self.begun, true) {
            return self.runs.iter_mut().try_for_each(|run| run.advance(ask));
        }
        match self.current {
            Some(source) if source < self.runs.len() => self.runs[source].advance(ask),
            Some(_) => {
                self.next += 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Gives back what lies in tempdb. What is not given back goes with the statement.
    ///
    /// # Errors
    /// [`TxnError`]
    pub fn close(self, work: &mut SessionWork, ask: &Ask<'_>) -> Result<(), TxnError> {
        let Sorted { trees, runs, .. } = self;
        drop(runs);
        trees.iter().try_for_each(|tree| trees::drop_temp_tree(work, ask, tree))
    }
}
