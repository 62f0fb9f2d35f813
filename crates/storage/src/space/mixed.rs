//! Single pages of mixed extents: which are free, and which extent becomes full or empty by taking or giving one.
//!
//! What always holds: the free list holds each free page of each known extent once; the last page given is the first
//! taken. An extent with the flag *permanent* (it holds map pages, or is the second of its file) never empties. Not
//! thread-safe: its owner locks.

use crate::check;
use std::collections::BTreeMap;

use crate::contract::{EXTENT_PAGES, ExtentNo, FileId, PageId, PageNo};

/// A page given back changes its extent like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was neither full before nor is it empty now.
    None,
    /// It was full and has room now.
    HasRoom,
    /// Nothing of it is in use; it is no longer known here.
    Emptied,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    /// Bit 1: in use.
    used: u8,
    is_permanent: bool,
}

/// Mixed extents of some files.
#[derive(Clone, Debug, Default)]
pub struct MixedPages {
    free: Vec<(FileId, PageNo)>,
    /// Files that are to be emptied.
    hidden: Vec<FileId>,
    extents: BTreeMap<(FileId, ExtentNo), Extent>,
}

impl MixedPages {
    /// Makes an extent known whose pages in `used` are in use; its first free page is the next to be taken.
    pub fn add(&mut self, file: FileId, extent: ExtentNo, used: u8, is_permanent: bool) {
        let known = self.extents.insert((file, extent), Extent { used, is_permanent });
        assert!(known.is_none(), "extent {extent} of file {file} is mixed already");
        let free = (0..EXTENT_PAGES).rev().filter(|n| used & 1 << n == 0);
        self.free.extend(free.map(|n| (file, PageNo(extent.first_page().0 + n))));
        check!(
            self.is_listed((file, extent)),
            "the free list has each free page of extent {extent} of file {file} once"
        );
    }

    /// Takes a page; says whether its extent is full now.
    pub fn take(&mut self) -> Option<(FileId, PageNo, bool)> {
        // No file is hidden as a rule, so this is the last entry.
        let at = self.free.iter().rposition(|(file, _)| !self.hidden.contains(file))?;
        let (file, page) = self.free.remove(at);
        let extent = self.extents.get_mut(&(file, page.extent())).expect("free pages are of known extents");
        assert!(extent.used & 1 << (page.0 % EXTENT_PAGES) == 0, "page {page} of file {file} is free and in use");
        extent.used |= 1 << (page.0 % EXTENT_PAGES);
        let is_full = extent.used == u8::MAX;
        check!(self.is_listed((file, page.extent())), "page {page} of file {file} is taken, and is free still");
        Some((file, page, is_full))
    }

    /// Gives a page back.
    ///
    /// # Panics
    /// When the page is not in use, or its extent not a mixed one.
    pub fn give(&mut self, page: PageId) -> Change {
        let key = (page.file, page.page.extent());
        let extent = self.extents.get_mut(&key).expect("the page is of a mixed extent");
        let bit = 1 << (page.page.0 % EXTENT_PAGES);
        assert!(extent.used & bit != 0, "page {page} is freed twice");
        let was_full = extent.used == u8::MAX;
        extent.used &= !bit;
        if extent.used == 0 && !extent.is_permanent {
            self.forget(key);
            return Change::Emptied;
        }
        self.free.push((page.file, page.page));
        check!(self.is_listed(key), "the free list has each free page of {key:?} once");
        if was_full { Change::HasRoom } else { Change::None }
    }

    /// Whether the free list has each free page of an extent once.
    fn is_listed(&self, key: (FileId, ExtentNo)) -> bool {
        let listed = self.free.iter().filter(|(file, page)| (*file, page.extent()) == key).count();
        self.extents.get(&key).is_some_and(|extent| extent.used.count_zeros() as usize == listed)
    }

    fn forget(&mut self, key: (FileId, ExtentNo)) {
        self.extents.remove(&key);
        self.free.retain(|(file, page)| (*file, page.extent()) != key);
        check!(
            !self.free.iter().any(|(file, page)| (*file, page.extent()) == key),
            "{key:?} is forgotten, and gives pages"
        );
    }

    /// The pages in use of a mixed extent, a bit each; `None` when the extent is not mixed.
    #[must_use]
    pub fn used(&self, file: FileId, extent: ExtentNo) -> Option<u8> {
        self.extents.get(&(file, extent)).map(|extent| extent.used)
    }

    /// Mixed extents of a file, and whether pages other than those that the file was made with are in use.
    #[must_use]
    pub fn of_file(&self, file: FileId, used_at_first: impl Fn(ExtentNo) -> u8) -> (u32, bool) {
        let mut count = 0;
        let mut is_used = false;
        for ((_, number), extent) in self.extents.range((file, ExtentNo(0))..=(file, ExtentNo(u32::MAX))) {
            count += 1;
            is_used |= extent.used != used_at_first(*number);
        }
        (count, is_used)
    }

    /// From now on no page of `file` is taken (or they are again).
    pub fn set_hidden(&mut self, file: FileId, hidden: bool) {
        self.hidden.retain(|f| *f != file);
        if hidden {
            self.hidden.push(file);
        }
    }

    /// Forgets the extents of a file from `end` on.
    pub fn cut_file(&mut self, file: FileId, end: u32) {
        self.extents.retain(|(of, extent), _| *of != file || extent.0 < end);
        self.free.retain(|(of, page)| *of != file || page.extent().0 < end);
    }

    /// Forgets all extents of a file.
    pub fn remove_file(&mut self, file: FileId) {
        self.extents.retain(|(f, _), _| *f != file);
        self.free.retain(|(f, _)| *f != file);
        self.set_hidden(file, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::DbId;

    const FILE: FileId = FileId(1);

    fn id(page: u32) -> PageId {
        PageId { db: DbId(2), file: FILE, page: PageNo(page) }
    }

    fn take(mixed: &mut MixedPages) -> (u32, bool) {
        let (_, page, is_full) = mixed.take().unwrap();
        (page.0, is_full)
    }

    #[test]
    fn pages_are_taken_in_order_and_reused_first() {
        let mut mixed = MixedPages::default();
        mixed.add(FILE, ExtentNo(1), 0b11, true);
        assert_eq!([take(&mut mixed), take(&mut mixed)], [(10, false), (11, false)]);
        assert_eq!(mixed.give(id(10)), Change::None);
        assert_eq!(take(&mut mixed).0, 10);
    }

    #[test]
    fn an_extent_becomes_full_gets_room_and_empties() {
        let mut mixed = MixedPages::default();
        mixed.add(FILE, ExtentNo(5), 0, false);
        assert_eq!((0..8).map(|_| take(&mut mixed).1).filter(|full| *full).count(), 1);
        assert_eq!(mixed.take(), None);
        assert_eq!(mixed.give(id(44)), Change::HasRoom);
        let changes: Vec<_> = [40, 41, 42, 43, 45, 46, 47].map(|page| mixed.give(id(page))).into();
        assert_eq!(changes.last(), Some(&Change::Emptied));
        assert_eq!(mixed.take(), None, "its pages are no longer on offer");
    }

    #[test]
    fn a_permanent_extent_stays() {
        let mut mixed = MixedPages::default();
        mixed.add(FILE, ExtentNo(1), 0, true);
        take(&mut mixed);
        assert_eq!(mixed.give(id(8)), Change::None);
        assert_eq!(mixed.of_file(FILE, |_| 0), (1, false));
        take(&mut mixed);
        assert_eq!(mixed.of_file(FILE, |_| 0), (1, true));
        mixed.set_hidden(FILE, true);
        mixed.give(id(8));
        assert_eq!(mixed.take(), None, "a file that is to be emptied gives nothing");
        mixed.set_hidden(FILE, false);
        assert_eq!(take(&mut mixed).0, 8);
        mixed.remove_file(FILE);
        assert_eq!((mixed.take(), mixed.of_file(FILE, |_| 0)), (None, (0, false)));
    }

    #[test]
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_a_broken_assumption() {
        let mut mixed = MixedPages::default();
        mixed.add(FILE, ExtentNo(1), 0, true);
        mixed.give(id(8));
    }
}
