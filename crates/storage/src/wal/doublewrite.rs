//! Torn pages: durable pages are written to an area of their own first, then to their place.
//!
//! ```text
//!   area (1024 slots of 8 KB, a ring):  │head 7│page│page│page│head 8│page│ …  │ free │head 5│page│head 6│page│page│
//!   a batch:  head and pages into the area ── sync ── pages to their places ─ ─ ─ later: data files synced ── slots free
//! ```
//!
//! ```text
//!   head: magic │ 8 CRC-32C of 16..end u32 │ 12 count u32 │ 16 batch u64 │ 24 all batches up to here are in place u64
//!         32 (database GUID 16, database u16, file u16, page u32, page's checksum u32) …
//! ```
//!
//! What always holds:
//!
//! * D1: a page is written to its place only after a whole copy of it is durable in the area.
//! * D2: a slot is used again only after the data files of its batch were synced.
//! * D3: of a page that is not sound in its place the newest copy is the last state that was on its way there. A copy in a
//!   batch that some head calls "in place" is never used: the page may have been changed since.
//!
//! A power cut in the middle of a write to the place leaves the copy; one in the middle of a write to the area leaves the
//! place untouched. Temporary pages and databases without a GUID pass by.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::io::IoSlice;
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError};
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageNo, WriteReason};
use crate::page::header;
use crate::page_io::{PageIo, PageRun};

/// Slots of the area: 8 MB.
const SLOTS: u64 = 1024;
/// Bytes of the area's device.
pub const AREA_BYTES: u64 = SLOTS * PAGE_BYTES as u64;
/// Pages of a batch.
pub const BATCH_PAGES_MAX: usize = 64;
/// First byte is no page's version, so that a page in a slot is never taken for a head.
const MAGIC: [u8; 8] = *b"MPDBLWRT";
const ENTRY_BYTES: usize = 28;
const ENTRIES_AT: usize = 32;
const _: () = assert!(ENTRIES_AT + BATCH_PAGES_MAX * ENTRY_BYTES <= PAGE_BYTES);

/// What the area has to know of the databases.
pub trait Databases: Send + Sync {
    /// The database's GUID; `None` for one whose pages are not worth protecting (temporary).
    fn guid(&self, db: DbId) -> Option<[u8; 16]>;

    /// Makes what was written to a file durable; nothing for a file that is gone.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn sync(&self, db: DbId, file: FileId) -> Result<(), IoFailure>;
}

/// A whole copy of a page that may be torn in its place.
#[derive(Clone)]
pub struct Copy {
    /// Page.
    pub page: PageId,
    /// Its bytes, checksum included.
    pub bytes: Box<PageBytes>,
}

impl std::fmt::Debug for Copy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Copy").field("page", &self.page).finish_non_exhaustive()
    }
}

/// A batch that is in the area and whose files are not synced yet.
#[derive(Debug)]
struct Batch {
    number: u64,
    first_slot: u64,
    slots: u64,
    files: BTreeSet<(DbId, FileId)>,
    /// Its pages are in their places.
    is_placed: bool,
}

#[derive(Debug, Default)]
struct State {
    next_number: u64,
    next_slot: u64,
    in_place: u64,
    batches: VecDeque<Batch>,
}

/// The way of durable pages to their files.
pub struct Doublewrite {
    area: Arc<dyn BlockDevice>,
    inner: Arc<dyn PageIo>,
    databases: Arc<dyn Databases>,
    state: Mutex<State>,
    /// Rung when a batch is in its places.
    placed: Condvar,
}

impl std::fmt::Debug for Doublewrite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Doublewrite").field("state", &self.state).finish_non_exhaustive()
    }
}

/// The copies that an area holds for a database's pages, newest of each, by database GUID.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    by_guid: HashMap<[u8; 16], BTreeMap<PageId, Copy>>,
    next_number: u64,
}

impl Copies {
    /// Reads an area; one that is empty, short or damaged has fewer copies, or none.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn read(area: &dyn BlockDevice) -> Result<Copies, DeviceError> {
        let mut copies = Copies::default();
        let slots = (area.len_bytes() / PAGE_BYTES as u64).min(SLOTS);
        let mut heads = Vec::new();
        let mut bytes = [0; PAGE_BYTES];
        for slot in 0..slots {
            area.read_at(slot * PAGE_BYTES as u64, &mut bytes)?;
            heads.extend(Head::read(&bytes).map(|head| (slot, head)));
        }
        heads.sort_unstable_by_key(|(_, head)| head.number);
        let in_place = heads.iter().map(|(_, head)| head.in_place).max().unwrap_or(0);
        copies.next_number = heads.last().map_or(0, |(_, head)| head.number) + 1;
        for (slot, head) in heads.iter().filter(|(_, head)| head.number > in_place) {
            for (index, entry) in head.entries.iter().enumerate() {
                let at = slot + 1 + index as u64;
                if at < slots {
                    area.read_at(at * PAGE_BYTES as u64, &mut bytes)?;
                    copies.take(entry, &bytes);
                }
            }
        }
        Ok(copies)
    }

    fn take(&mut self, entry: &Entry, bytes: &PageBytes) {
        let whole = header::verify(bytes, entry.page).is_ok() && header::stored_checksum(bytes) == entry.checksum;
        if whole {
            let copy = Copy { page: entry.page, bytes: Box::new(*bytes) };
            self.by_guid.entry(entry.guid).or_default().insert(entry.page, copy);
        }
    }

    /// Copies of a database's pages.
    #[must_use]
    pub fn of(&self, guid: &[u8; 16]) -> Vec<Copy> {
        self.by_guid.get(guid).map(|copies| copies.values().cloned().collect()).unwrap_or_default()
    }

    /// Those of one database of several that may have this identity: a snapshot, and a copy, have that of their source.
    pub(crate) fn of_database(&self, guid: &[u8; 16], db: DbId) -> impl Iterator<Item = &Copy> {
        self.by_guid.get(guid).into_iter().flat_map(BTreeMap::values).filter(move |copy| copy.page.db == db)
    }

    /// Writes the copies of pages that are not sound in their places, of the database with this GUID, which has the number
    /// `db` now. Called before the database's log is redone; the caller syncs the files before the area is used again.
    /// Returns the pages repaired. A file that `has_pages` denies is a log, whose number a file of pages had before.
    ///
    /// # Errors
    /// The first failure to write; pages that cannot be read, because their file is gone or shorter, are left out.
    pub fn repair(
        &self,
        ask: &Ask<'_>,
        (guid, db): (&[u8; 16], DbId),
        io: &dyn PageIo,
        has_pages: &dyn Fn(FileId) -> bool,
    ) -> Result<Vec<PageId>, IoFailure> {
        let mut repaired = Vec::new();
        let mut bytes = [0; PAGE_BYTES];
        for copy in self.of_database(guid, db).filter(|copy| has_pages(copy.page.file)) {
            let id = copy.page;
            let is_torn = io.read_run(ask, id, &mut [&mut bytes]).is_ok() && header::verify(&bytes, id).is_err();
            if is_torn {
                check!(
                    header::verify(&copy.bytes, id).is_ok(),
                    "D3: page {id} is repaired with a copy that is not whole"
                );
                io.write_run(ask, id, &[&copy.bytes], WriteReason::Recovery)?;
                repaired.push(id);
            }
        }
        Ok(repaired)
    }
}

/// A page in a head.
#[derive(Clone, Copy, Debug)]
struct Entry {
    guid: [u8; 16],
    page: PageId,
    checksum: u32,
}

#[derive(Clone, Debug)]
struct Head {
    number: u64,
    in_place: u64,
    entries: Vec<Entry>,
}

fn get<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("N bytes")
}

impl Head {
    fn write(&self, bytes: &mut PageBytes) {
        assert!(self.number > self.in_place, "D3: batch {} says of itself that it is in place", self.number);
        bytes.fill(0);
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[12..16].copy_from_slice(&(self.entries.len() as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.in_place.to_le_bytes());
        for (index, entry) in self.entries.iter().enumerate() {
            let place = &mut bytes[ENTRIES_AT + index * ENTRY_BYTES..][..ENTRY_BYTES];
            place[..16].copy_from_slice(&entry.guid);
            place[16..18].copy_from_slice(&entry.page.db.0.to_le_bytes());
            place[18..20].copy_from_slice(&entry.page.file.0.to_le_bytes());
            place[20..24].copy_from_slice(&entry.page.page.0.to_le_bytes());
            place[24..].copy_from_slice(&entry.checksum.to_le_bytes());
        }
        let checksum = crc32c::crc32c(&bytes[12..]);
        bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
        check!(
            Head::read(bytes).is_some_and(|read| {
                (read.number, read.in_place, read.entries.len()) == (self.number, self.in_place, self.entries.len())
            }),
            "the head of batch {} does not read as it was written",
            self.number
        );
    }

    fn read(bytes: &PageBytes) -> Option<Head> {
        let count = u32::from_le_bytes(get(bytes, 12)) as usize;
        let sound = bytes[..8] == MAGIC
            && count <= BATCH_PAGES_MAX
            && get::<4>(bytes, 8) == crc32c::crc32c(&bytes[12..]).to_le_bytes();
        let entry = |index: usize| {
            let place = &bytes[ENTRIES_AT + index * ENTRY_BYTES..][..ENTRY_BYTES];
            let page = PageId {
                db: DbId(u16::from_le_bytes(get(place, 16))),
                file: FileId(u16::from_le_bytes(get(place, 18))),
                page: PageNo(u32::from_le_bytes(get(place, 20))),
            };
            Entry { guid: get(place, 0), page, checksum: u32::from_le_bytes(get(place, 24)) }
        };
        sound.then(|| Head {
            number: u64::from_le_bytes(get(bytes, 16)),
            in_place: u64::from_le_bytes(get(bytes, 24)),
            entries: (0..count).map(entry).collect(),
        })
    }
}

impl Doublewrite {
    /// Protects pages on their way to `inner` by an area, which is made as long as it has to be. `copies` is what
    /// [`Copies::read`] found there; all databases that were to be repaired are, and their files are synced.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn new(
        area: Arc<dyn BlockDevice>,
        copies: &Copies,
        inner: Arc<dyn PageIo>,
        databases: Arc<dyn Databases>,
    ) -> Result<Doublewrite, DeviceError> {
        if area.len_bytes() < AREA_BYTES {
            area.set_len(AREA_BYTES)?;
        }
        let next_number = copies.next_number.max(1);
        // What is in the area now is in place; the first head says so.
        let state = State { next_number, in_place: next_number - 1, ..State::default() };
        Ok(Doublewrite { area, inner, databases, state: Mutex::new(state), placed: Condvar::new() })
    }

    fn failure(page: PageId, error: &DeviceError) -> IoFailure {
        IoFailure::System { page, message: format!("doublewrite area: {error}") }
    }

    /// Writes a batch to the area, durably; returns its number.
    fn protect(&self, runs: &[(PageRun<'_>, [u8; 16])]) -> Result<u64, IoFailure> {
        let page = runs[0].0.first;
        let entries: Vec<Entry> = runs.iter().flat_map(|(run, guid)| entries_of(run, *guid)).collect();
        let slots = entries.len() as u64 + 1;
        assert!(entries.len() <= BATCH_PAGES_MAX, "a batch of {} pages", entries.len());
        check!(runs.iter().all(|(run, _)| are_whole(run)), "D1: copies are whole");
        check!(
            entries.iter().map(|entry| entry.page).collect::<BTreeSet<_>>().len() == entries.len(),
            "D3: a batch has two copies of a page"
        );
        let mut state = self.state.lock();
        let first_slot = self.make_slots(&mut state, slots)?;
        assert!(first_slot + slots <= SLOTS, "a batch ends at slot {} of the area", first_slot + slots);
        check!(
            state.batches.iter().all(|b| b.first_slot + b.slots <= first_slot || first_slot + slots <= b.first_slot),
            "D2: slots of a batch that is not in place are used again"
        );
        let head = Head { number: state.next_number, in_place: state.in_place, entries };
        let files = runs.iter().map(|(run, _)| (run.first.db, run.first.file)).collect();
        let batch = Batch { number: head.number, first_slot, slots, files, is_placed: false };
        assert!(batch.number > state.in_place, "D3: batch {} is newer than those in place", batch.number);
        check!(
            state.batches.back().is_none_or(|last| last.number < batch.number),
            "D3: batch {} follows a later one",
            batch.number
        );
        state.next_number += 1;
        state.next_slot = first_slot + slots;
        state.batches.push_back(batch);
        drop(state);
        let mut bytes = Box::new([0; PAGE_BYTES]);
        head.write(&mut bytes);
        let pages = runs.iter().flat_map(|(run, _)| run.pages.iter().map(|page| IoSlice::new(&page[..])));
        let slices: Vec<IoSlice<'_>> = std::iter::once(IoSlice::new(&bytes[..])).chain(pages).collect();
        let written = self.area.write_vectored_at(first_slot * PAGE_BYTES as u64, &slices);
        let synced = written.and_then(|()| self.area.sync());
        if let Err(error) = synced {
            self.set_placed(head.number);
            return Err(Doublewrite::failure(page, &error));
        }
        Ok(head.number)
    }

    /// Where `slots` slots may be used, waiting for older batches to reach their places and syncing their files (D2).
    fn make_slots(&self, state: &mut MutexGuard<'_, State>, slots: u64) -> Result<u64, IoFailure> {
        assert!((1..=SLOTS).contains(&slots), "a batch of {slots} slots, the area has {SLOTS}");
        let first = if state.next_slot + slots > SLOTS { 0 } else { state.next_slot };
        let overlaps = |batch: &Batch| batch.first_slot < first + slots && first < batch.first_slot + batch.slots;
        loop {
            let Some(last) = state.batches.iter().rposition(overlaps) else { return Ok(first) };
            if state.batches.iter().take(last + 1).all(|batch| batch.is_placed) {
                self.sync_placed(state)?;
            } else {
                self.placed.wait(state);
            }
        }
    }

    /// Syncs the files of the batches at the front that are in their places, and forgets those.
    fn sync_placed(&self, state: &mut State) -> Result<(), IoFailure> {
        let count = state.batches.iter().take_while(|batch| batch.is_placed).count();
        let files: BTreeSet<_> =
            state.batches.iter().take(count).flat_map(|batch| batch.files.iter().copied()).collect();
        files.into_iter().try_for_each(|(db, file)| self.databases.sync(db, file))?;
        if let Some(last) = state.batches.drain(..count).next_back() {
            assert!(last.number > state.in_place, "D3: batch {} is in place after {}", last.number, state.in_place);
            state.in_place = last.number;
        }
        Ok(())
    }

    fn set_placed(&self, number: u64) {
        let mut state = self.state.lock();
        check!(
            state.batches.iter().any(|batch| batch.number == number && !batch.is_placed),
            "D2: batch {number} comes to its places twice, or never went"
        );
        if let Some(batch) = state.batches.iter_mut().find(|batch| batch.number == number) {
            batch.is_placed = true;
        }
        self.placed.notify_all();
    }
}

/// Whether all pages of a run are whole, or the zeros that make a lost page unreadable.
fn are_whole(run: &PageRun<'_>) -> bool {
    let place = |at: usize| PageId { page: PageNo(run.first.page.0 + at as u32), ..run.first };
    let is_whole = |(at, bytes): (usize, &&PageBytes)| {
        header::verify(bytes, place(at)).is_ok() || bytes.iter().all(|byte| *byte == 0)
    };
    run.pages.iter().enumerate().all(is_whole)
}

fn entries_of(run: &PageRun<'_>, guid: [u8; 16]) -> Vec<Entry> {
    let entry = |(index, bytes): (usize, &&PageBytes)| Entry {
        guid,
        page: PageId { page: PageNo(run.first.page.0 + index as u32), ..run.first },
        checksum: header::stored_checksum(bytes),
    };
    run.pages.iter().enumerate().map(entry).collect()
}

impl PageIo for Doublewrite {
    fn read_run(&self, ask: &Ask<'_>, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        self.inner.read_run(ask, first, pages)
    }

    fn write_run(
        &self,
        ask: &Ask<'_>,
        first: PageId,
        pages: &[&PageBytes],
        reason: WriteReason,
    ) -> Result<(), IoFailure> {
        self.write_batch(ask, &[PageRun { first, pages, owner: None }], reason).pop().expect("one result per run")
    }

    fn write_batch(&self, ask: &Ask<'_>, runs: &[PageRun<'_>], reason: WriteReason) -> Vec<Result<(), IoFailure>> {
        let guarded: Vec<(PageRun<'_>, [u8; 16])> =
            runs.iter().filter_map(|run| Some((*run, self.databases.guid(run.first.db)?))).collect();
        let pages: usize = guarded.iter().map(|(run, _)| run.pages.len()).sum();
        assert!(pages <= BATCH_PAGES_MAX, "a batch's size");
        let number = match guarded.is_empty() {
            true => None,
            false => match self.protect(&guarded) {
                Ok(number) => Some(number),
                Err(failure) => return runs.iter().map(|_| Err(failure.clone())).collect(),
            },
        };
        let results = self.inner.write_batch(ask, runs, reason);
        assert!(results.len() == runs.len(), "{} results for {} writes", results.len(), runs.len());
        number.into_iter().for_each(|number| self.set_placed(number));
        results
    }
}
