//! Translation: from page to frame by two table steps and one array access, no hashing and no lock.
//!
//! ```text
//!   db ──Table──▶ files of db ──Table──▶ FileMap ──▶ segment k ──▶ word of the page: 0, frame + 1, or 2^63 + slot
//!
//!   segment     0        1        2         …     20
//!   pages    4096     4096…    12288…             (4096 << k words from page (4096 << k) − 4096 on)
//! ```
//!
//! What always holds:
//!
//! * T1: a word names a frame ⇔ that frame's `page` is this page. Both change under the frame's exclusive latch: the
//!   word by compare-and-swap when a page comes, by a store when it goes.
//! * T3: a word that names a slot of the extension changes by compare-and-swap, and the code that takes the slot out of
//!   it owns the slot. A word names a slot only while no frame has the page.
//! * T2: words and maps never move and are never taken away while the pool lives, so a reader needs no lock: at worst
//!   it finds a frame that has another page by now, sees that under the latch, and looks again.
//! * T4: no word of a file that is not attached names a frame for long: a page that comes while its file is
//!   detached goes again.
//!
//! A segment is mapped when its first page is asked for and takes memory where pages are used: 8 bytes for 8 KB.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU8, AtomicU64, fence};

use crate::check;
use crate::contract::{DbId, FileId, IoFailure, PageId, PageNo};
use crate::extension::SlotNo;
use crate::pool::arena::MappedSlice;
use crate::pool::latch::FrameNo;
use crate::pool::{Durability, PoolError};

/// Words of segment 0; its 32 KB are eight system pages.
const SEGMENT_WORDS: u64 = 4096;
/// 4096 · (2^21 − 1) words are enough for 2^32 pages.
const SEGMENTS: usize = 21;
const _: () = assert!(SEGMENT_WORDS * ((1 << SEGMENTS) - 1) >= 1 << 32);

/// Something for each of 65,536 numbers, made when it is first asked for.
#[derive(Debug)]
pub(crate) struct Table<T> {
    blocks: [OnceLock<Block<T>>; 256],
}

type Block<T> = Box<[OnceLock<Box<T>>; 256]>;

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { blocks: [const { OnceLock::new() }; 256] }
    }
}

impl<T: Default> Table<T> {
    #[inline]
    pub(crate) fn get(&self, number: u16) -> Option<&T> {
        let block = self.blocks[usize::from(number >> 8)].get()?;
        block[usize::from(number & 255)].get().map(|item| &**item)
    }

    pub(crate) fn get_or_make(&self, number: u16) -> &T {
        let block = self.blocks[usize::from(number >> 8)].get_or_init(|| Box::new([const { OnceLock::new() }; 256]));
        block[usize::from(number & 255)].get_or_init(Box::default)
    }
}

/// The files of all databases.
#[derive(Debug, Default)]
pub(crate) struct FileTable {
    databases: Table<Table<FileMap>>,
}

impl FileTable {
    /// The map of an attached file.
    #[inline]
    pub(crate) fn attached(&self, db: DbId, file: FileId) -> Option<&FileMap> {
        self.known(db, file).filter(|map| map.is_attached())
    }

    /// The map of a file that is attached or was.
    #[inline]
    pub(crate) fn known(&self, db: DbId, file: FileId) -> Option<&FileMap> {
        self.databases.get(db.0)?.get(file.0)
    }

    pub(crate) fn attach(&self, db: DbId, file: FileId, durability: Durability) {
        let map = self.databases.get_or_make(db.0).get_or_make(file.0);
        check!(
            map.is_attached() || map.resident().next().is_none(),
            "pages of the file that had the number {file} of database {db} before are in memory"
        );
        map.kind.store(durability as u8 + 1, Release);
    }

    pub(crate) fn detach(&self, db: DbId, file: FileId) -> Option<&FileMap> {
        let map = self.known(db, file)?;
        map.kind.store(0, SeqCst);
        fence(SeqCst);
        Some(map)
    }

    /// Whether the file is attached, asked after a page of it came into memory: either this sees that it was detached, or
    /// the detachment sees the page.
    #[inline]
    pub(crate) fn is_attached_still(&self, db: DbId, file: FileId) -> bool {
        self.known(db, file).is_some_and(|map| map.kind.load(SeqCst) != 0)
    }

    pub(crate) fn file_of(&self, id: PageId) -> Result<&FileMap, PoolError> {
        self.attached(id.db, id.file).ok_or(PoolError::Io(IoFailure::NoFile { page: id }))
    }

    /// The word of a page that is in memory.
    #[inline]
    pub(crate) fn word_of(&self, id: PageId) -> Word<'_> {
        let word = self.known(id.db, id.file).and_then(|file| file.word(id.page));
        word.expect("T1: a page in memory has a word")
    }
}

/// One file's pages.
#[derive(Debug, Default)]
pub(crate) struct FileMap {
    /// 0 while detached, else the durability + 1.
    kind: AtomicU8,
    segments: [OnceLock<Option<MappedSlice<AtomicU64>>>; SEGMENTS],
}

/// Segment of a page and its place there.
#[inline]
fn place(page: PageNo) -> (usize, usize) {
    let number = u64::from(page.0) + SEGMENT_WORDS;
    let segment = number.ilog2() - SEGMENT_WORDS.ilog2();
    let index = number - (SEGMENT_WORDS << segment);
    check!(index < SEGMENT_WORDS << segment, "page {page} has no word in segment {segment}");
    (segment as usize, index as usize)
}

impl FileMap {
    #[inline]
    fn is_attached(&self) -> bool {
        self.kind.load(Acquire) != 0
    }

    /// Whether the log rule and checkpoints hold for its pages.
    #[inline]
    pub(crate) fn is_durable(&self) -> bool {
        self.kind.load(Relaxed) == Durability::Durable as u8 + 1
    }

    /// The page's word, if a page near it was ever asked for.
    #[inline]
    pub(crate) fn word(&self, page: PageNo) -> Option<Word<'_>> {
        let (segment, index) = place(page);
        let words = self.segments[segment].get()?.as_ref()?;
        Some(Word(&words[index]))
    }

    /// The page's word; `None` when there is no address space for its segment.
    #[inline]
    pub(crate) fn word_or_map(&self, page: PageNo) -> Option<Word<'_>> {
        match self.word(page) {
            Some(word) => Some(word),
            None => {
                let (segment, index) = place(page);
                let words = self.segments[segment].get_or_init(|| MappedSlice::zeroed(4096 << segment));
                words.as_ref().map(|words| Word(&words[index]))
            }
        }
    }

    /// Pages that are in memory or in the extension.
    pub(crate) fn resident(&self) -> impl Iterator<Item = PageNo> {
        let segments = self.segments.iter().enumerate();
        let mapped = segments.filter_map(|(k, segment)| Some((k, segment.get()?.as_ref()?)));
        mapped.flat_map(|(k, words)| {
            let first = (SEGMENT_WORDS << k) - SEGMENT_WORDS;
            let present = words.iter().enumerate().filter(|(_, word)| word.load(SeqCst) != 0);
            present.map(move |(index, _)| PageNo((first + index as u64) as u32))
        })
    }
}

/// Marks words that name a slot.
const SLOT: u64 = 1 << 63;

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In its file only.
    Nowhere,
    /// In memory.
    Frame(FrameNo),
    /// In the extension.
    Slot(SlotNo),
}

fn place_in(word: u64) -> Place {
    check!(word & !SLOT <= 1 << 32, "T1: {word:#x} names neither a frame nor a slot");
    match word {
        0 => Place::Nowhere,
        word if word & SLOT != 0 => Place::Slot(SlotNo(word as u32)),
        word => Place::Frame(FrameNo((word - 1) as u32)),
    }
}

/// The word of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a>(&'a AtomicU64);

impl Word<'_> {
    /// The frame that has the page, or had it just now.
    #[inline]
    pub(crate) fn frame(self) -> Option<FrameNo> {
        let frame = self.0.load(Acquire).wrapping_sub(1);
        (frame <= u64::from(u32::MAX)).then_some(FrameNo(frame as u32))
    }

    /// Where the page is, or was just now.
    pub(crate) fn place(self) -> Place {
        place_in(self.0.load(Acquire))
    }

    /// Says that `frame` has the page from now on; `None` when another one has it, else the slot that had it, which is
    /// the caller's now. The caller holds the frame's exclusive latch and has set its `page` (T1).
    #[inline]
    pub(crate) fn install(self, frame: FrameNo) -> Option<Option<SlotNo>> {
        let mut seen = 0;
        loop {
            let slot = match place_in(seen) {
                Place::Nowhere => None,
                Place::Slot(slot) => Some(slot),
                Place::Frame(_) => return None,
            };
            // As strong as that: see `FileTable::is_attached_still`.
            match self.0.compare_exchange(seen, u64::from(frame.0) + 1, SeqCst, Acquire) {
                Ok(_) => return Some(slot),
                Err(now) => seen = now,
            }
        }
    }

    /// Says that no frame has the page. The caller holds the exclusive latch of the frame that had it (T1).
    #[inline]
    pub(crate) fn clear(self) {
        check!(self.frame().is_some(), "T1: a word that names no frame is cleared");
        self.0.store(0, Release);
    }

    /// Says that the slot has the page; the caller holds the exclusive latch of the frame that had it and owns the slot.
    pub(crate) fn leave_to(self, slot: SlotNo) {
        check!(self.frame().is_some(), "T3: a page that is in no frame is left to slot {}", slot.0);
        check!(slot.0 < u32::MAX, "T3: a page is left to a slot that there is not");
        self.0.store(SLOT | u64::from(slot.0), Release);
    }

    /// Takes the page out of the slot; false when the word names something else (T3).
    pub(crate) fn take_from(self, slot: SlotNo) -> bool {
        check!(slot.0 < u32::MAX, "T3: a page is taken from a slot that there is not");
        self.0.compare_exchange(SLOT | u64::from(slot.0), 0, AcqRel, Relaxed).is_ok()
    }

    /// Says that the slot has the page; false when something else has it.
    pub(crate) fn give_to(self, slot: SlotNo) -> bool {
        check!(slot.0 < u32::MAX, "T3: a page is given to a slot that there is not");
        self.0.compare_exchange(0, SLOT | u64::from(slot.0), AcqRel, Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_follow_each_other_without_gap() {
        let mut expected = (0, 0);
        for page in 0..100_000 {
            assert_eq!(place(PageNo(page)), expected, "page {page}");
            expected.1 += 1;
            if expected.1 == 4096 << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        let (segment, index) = place(PageNo(u32::MAX));
        assert!(segment < SEGMENTS && index < 4096 << segment);
    }

    #[test]
    fn words_keep_frames_and_resident_pages_are_found() {
        let table = FileTable::default();
        assert!(table.attached(DbId(2), FileId(1)).is_none());
        table.attach(DbId(2), FileId(1), Durability::Temporary);
        let map = table.attached(DbId(2), FileId(1)).expect("attached");
        assert!(!map.is_durable());
        assert!(map.word(PageNo(70_000)).is_none());
        for (page, frame) in [(0, 5), (4095, 6), (4096, 0), (70_000, 8)] {
            let word = map.word_or_map(PageNo(page)).expect("address space");
            assert_eq!(word.install(FrameNo(frame)), Some(None));
            assert_eq!(word.install(FrameNo(99)), None);
            assert_eq!((word.frame(), word.place()), (Some(FrameNo(frame)), Place::Frame(FrameNo(frame))));
        }
        let resident: Vec<u32> = map.resident().map(|p| p.0).collect();
        assert_eq!(resident, [0, 4095, 4096, 70_000]);
        let word = map.word(PageNo(0)).expect("mapped");
        word.leave_to(SlotNo(u32::MAX - 1));
        assert_eq!((word.frame(), word.place()), (None, Place::Slot(SlotNo(u32::MAX - 1))));
        assert!(!word.take_from(SlotNo(1)) && !word.give_to(SlotNo(2)));
        assert_eq!(word.install(FrameNo(u32::MAX)), Some(Some(SlotNo(u32::MAX - 1))));
        assert_eq!(word.frame(), Some(FrameNo(u32::MAX)));
        word.clear();
        assert_eq!(map.resident().count(), 3);
        assert!(word.give_to(SlotNo(0)) && word.take_from(SlotNo(0)));
        assert_eq!(word.place(), Place::Nowhere);
        table.detach(DbId(2), FileId(1));
        assert!(table.attached(DbId(2), FileId(1)).is_none());
    }
}
