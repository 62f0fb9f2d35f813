//! A changed value: a new one that shares with the old one all pages that the change leaves as they are.
//!
//! ```text
//!   old pointer ──▶ index ──▶ data  data  data            cut:        a shorter length, the same pages
//!                              │     │                    append:     bytes after those of the last page, links likewise
//!   new pointer ──▶ index ─────┴─────┴──▶ data            overwrite:  its data pages, and the index pages above them
//! ```
//!
//! What always holds:
//! - V4: a byte of a page that belongs to a value does not change while a session may read the value. Bytes are added only
//!   after the page's end (its header's free data), which only grows, and only where the old value ends there: what an
//!   undone change left is never written over.
//! - V5: of two neighbours in a row of changes each page of the older one is either the younger one's too, or among those
//!   that it left; each page of the younger one was the older one's, or is among those that were made. So the older one
//!   can be freed by what it left, and the younger one be undone by what was made.

use std::ops::Range;

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::PageId;
use millpond_storage::page::header::{self, HEADER_BYTES};
use millpond_storage::wal::{Mtr, PageOp};

use super::{
    Group, LINK_BYTES, LINKS_MAX, LobPtr, LobStore, PIECE_BYTES, SINGLE_PAGES, capacity, end_of_page, link_at,
};
use crate::error::AccessError;

/// Pages that one owner has to free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owned {
    /// All pages of a value.
    Value(LobPtr),
    /// These.
    Pages(Vec<PageId>),
}

impl From<LobPtr> for Owned {
    fn from(pointer: LobPtr) -> Owned {
        Owned::Value(pointer)
    }
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedValue {
    /// The new value.
    pub pointer: LobPtr,
    /// Pages that only the new value has.
    pub made: Vec<PageId>,
    /// Pages that only the old value has.
    pub left: Vec<PageId>,
}

/// Bytes of a data page, as the positions of values count.
const PIECE: u64 = PIECE_BYTES as u64;

impl LobStore {
    /// The value with `bytes` in place of a part of it. The old one stays readable until what it left is freed.
    ///
    /// # Errors
    /// [`AccessError`]; nothing is kept of the new value.
    ///
    /// # Panics
    /// For a part that reaches beyond the value.
    pub fn change(
        &self,
        ask: &Ask<'_>,
        old: LobPtr,
        part: Range<u64>,
        bytes: &[u8],
    ) -> Result<ChangedValue, AccessError> {
        assert!(part.start <= part.end && part.end <= old.len, "a part of the value");
        let len = old.len - (part.end - part.start) + bytes.len() as u64;
        let mut change = Change {
            store: self,
            ask: *ask,
            old,
            len,
            part,
            bytes,
            written: 0..0,
            ids: Vec::new(),
            made: Vec::new(),
            left: Vec::new(),
            spare: Vec::new(),
            group: Group::default(),
        };
        let pointer = change.run()?;
        let (made, left) = (std::mem::take(&mut change.made), std::mem::take(&mut change.left));
        check!(is_distinct(&made) && is_distinct(&left), "V5: a page is made, or left, twice by one change");
        check!(left.iter().all(|page| !made.contains(page)), "V5: a page that was made is left by the same change");
        Ok(ChangedValue { pointer, made, left })
    }

    /// Gives pages back. Must not be called twice for them.
    ///
    /// # Errors
    /// [`AccessError`]; the pages may be leaked then.
    pub fn free_owned(&self, ask: &Ask<'_>, owned: &Owned) -> Result<(), AccessError> {
        match owned {
            Owned::Value(pointer) => self.free_value(ask, *pointer),
            Owned::Pages(pages) => self.unit.give(ask, pages),
        }
    }
}

/// A change on its way. Dropped unfinished, it gives its pages back.
struct Change<'c> {
    store: &'c LobStore,
    ask: Ask<'c>,
    old: LobPtr,
    /// Of the new value.
    len: u64,
    part: Range<u64>,
    bytes: &'c [u8],
    /// Numbers of the data pages that were written, and these.
    written: Range<u64>,
    ids: Vec<PageId>,
    made: Vec<PageId>,
    left: Vec<PageId>,
    /// Pages taken and not used yet.
    spare: Vec<PageId>,
    group: Group,
}

impl Change<'_> {
    fn run(&mut self) -> Result<LobPtr, AccessError> {
        let old = self.old;
        if self.len == 0 {
            let left = &mut self.left;
            self.store.pages_of(&self.ask, old, &mut |page| left.push(page))?;
            return Ok(LobPtr::EMPTY);
        }
        if old.len == 0 {
            return self.begin();
        }
        if self.part.is_empty() && self.bytes.is_empty() {
            return Ok(old);
        }
        self.write_pieces()?;
        let mut level = old.levels;
        let mut page = self.node(level, Some(old.page_id(self.store)), 0)?;
        while capacity(level) < self.len {
            level += 1;
            page = self.links(level, None, vec![page], 0, 1)?;
        }
        Ok(LobPtr { len: self.len, levels: level, file: page.file, page: page.page })
    }

    /// There was nothing.
    fn begin(&mut self) -> Result<LobPtr, AccessError> {
        let (store, ask) = (self.store, self.ask);
        let pointer = store.write(&ask, self.bytes, &mut |_, mtr| {
            mtr.commit();
        })?;
        let made = &mut self.made;
        store.pages_of(&ask, pointer, &mut |page| made.push(page))?;
        Ok(pointer)
    }

    /// Writes the data pages that are not the old value's. Where the length changes, that is all after the part.
    fn write_pieces(&mut self) -> Result<(), AccessError> {
        let Range { start, end } = self.part;
        let (mut from, within) = (start / PIECE, start % PIECE);
        let mut until = self.len.div_ceil(PIECE);
        if self.len == self.old.len {
            until = (end - 1) / PIECE + 1;
        } else if self.len == start {
            from = until;
        } else if start == self.old.len && within > 0 {
            let page = self.store.piece_of(&self.ask, self.old, from, &mut self.group)?;
            let room = self.bytes.len().min((PIECE - within) as usize);
            if self.append(page, 0, within as usize, &self.bytes[..room])? {
                from += 1;
            }
        }
        self.written = from..until;
        let mut piece = Vec::new();
        for number in from..until {
            self.compose(number, &mut piece)?;
            let page = self.put(0, &piece)?;
            self.ids.push(page);
        }
        Ok(())
    }

    /// The bytes of a data page of the new value.
    fn compose(&mut self, number: u64, piece: &mut Vec<u8>) -> Result<(), AccessError> {
        let (start, after) = (self.part.start, self.part.start + self.bytes.len() as u64);
        let (mut at, end) = (number * PIECE, self.len.min((number + 1) * PIECE));
        piece.clear();
        while at < end {
            let until = if at < start {
                self.copy_old(at..end.min(start), piece)?
            } else if at < after {
                let until = end.min(after);
                piece.extend_from_slice(&self.bytes[(at - start) as usize..(until - start) as usize]);
                until
            } else {
                let shift = self.part.end - start;
                let moved = at - after + start + shift;
                self.copy_old(moved..moved + (end - at), piece)?;
                end
            };
            assert!(until > at, "data page {number} of a value of {} bytes stays at byte {at}", self.len);
            at = until;
        }
        let wanted = end - number * PIECE;
        assert!(piece.len() as u64 == wanted, "V2: data page {number} has {} bytes, {wanted} are its own", piece.len());
        Ok(())
    }

    /// Adds bytes of the old value; returns where they end.
    fn copy_old(&mut self, range: Range<u64>, piece: &mut Vec<u8>) -> Result<u64, AccessError> {
        let mut at = range.start;
        while at < range.end {
            let within = (at % PIECE) as usize;
            let count = (PIECE_BYTES - within).min((range.end - at) as usize);
            let page = self.store.piece_of(&self.ask, self.old, at / PIECE, &mut self.group)?;
            self.store.with_page(&self.ask, self.old, page, 0, |page| {
                piece.extend_from_slice(&page[HEADER_BYTES + within..][..count]);
            })?;
            at += count as u64;
        }
        Ok(range.end)
    }

    /// The page of a level that begins at byte `begin` of the value; `old` is the old value's.
    fn node(&mut self, level: u8, old: Option<PageId>, begin: u64) -> Result<PageId, AccessError> {
        if level == 0 {
            let number = begin / PIECE;
            if !self.written.contains(&number) {
                return Ok(old.expect("what is not written is the old value's"));
            }
            self.left.extend(old);
            return Ok(self.ids[(number - self.written.start) as usize]);
        }
        let links = match old {
            Some(page) => self.old_links(level, page, begin)?,
            None => Vec::new(),
        };
        self.links(level, old, links, begin, 0)
    }

    /// An index page. `old` is the old value's with its links, the first `done` of which are the new value's.
    fn links(
        &mut self,
        level: u8,
        old: Option<PageId>,
        old_links: Vec<PageId>,
        begin: u64,
        done: usize,
    ) -> Result<PageId, AccessError> {
        let below = capacity(level - 1);
        let count = ((self.len - begin).min(capacity(level))).div_ceil(below) as usize;
        assert!((1..=LINKS_MAX).contains(&count), "V2: an index page of {count} links");
        let mut links = Vec::with_capacity(count);
        for slot in 0..count {
            let (from, was) = (begin + slot as u64 * below, old_links.get(slot).copied());
            links.push(match was {
                Some(page) if slot < done || !self.touches(from, below) => page,
                was => self.node(level - 1, was, from)?,
            });
        }
        for (slot, gone) in old_links.iter().enumerate().skip(count) {
            self.leave(level - 1, *gone, begin + slot as u64 * below)?;
        }
        let body = |links: &[PageId]| -> Vec<u8> { links.iter().flat_map(|page| link_of(*page)).collect() };
        if let Some(page) = old {
            if old_links.starts_with(&links) {
                return Ok(page);
            }
            let added = links.strip_prefix(&old_links[..]).map(body);
            if let Some(added) = added
                && self.append(page, level, old_links.len() * LINK_BYTES, &added)?
            {
                return Ok(page);
            }
            self.left.push(page);
        }
        self.put(level, &body(&links))
    }

    /// Whether data pages from byte `begin` on, so many bytes, are others in the new value, or are not in it.
    fn touches(&self, begin: u64, bytes: u64) -> bool {
        let (first, after) = (begin / PIECE, (begin + bytes) / PIECE);
        let is_written = self.written.start < after && first < self.written.end;
        let cut = self.len.div_ceil(PIECE)..self.old.len.div_ceil(PIECE);
        is_written || cut.start < after && first < cut.end
    }

    /// A page of the old value with all below it is not the new one's.
    fn leave(&mut self, level: u8, page: PageId, begin: u64) -> Result<(), AccessError> {
        self.left.push(page);
        if level > 0 {
            for (slot, page) in self.old_links(level, page, begin)?.into_iter().enumerate() {
                self.leave(level - 1, page, begin + slot as u64 * capacity(level - 1))?;
            }
        }
        Ok(())
    }

    fn old_links(&self, level: u8, page: PageId, begin: u64) -> Result<Vec<PageId>, AccessError> {
        let bytes = (self.old.len - begin).min(capacity(level));
        let count = bytes.div_ceil(capacity(level - 1)) as usize;
        assert!(count <= LINKS_MAX, "an index page has no more links");
        self.store.with_page(&self.ask, self.old, page, level, |bytes| {
            (0..count).map(|slot| link_at(bytes, slot, page)).collect()
        })
    }

    /// Adds bytes after those of a page, where these end at `at` of its body; false where they do not (V4).
    fn append(&self, page: PageId, level: u8, at: usize, bytes: &[u8]) -> Result<bool, AccessError> {
        assert!(at + bytes.len() <= PIECE_BYTES, "V4: {} bytes after byte {at} of a page", bytes.len());
        let store = self.store;
        let mut mtr = Mtr::begin(&store.ctx.handle, &self.ask, bytes.len() + 256)?;
        let index = mtr.latch(page)?;
        if !store.is_ours(mtr.page(index), level) {
            mtr.abandon();
            return Err(AccessError::NoSuchValue { page: self.old.page_id(store) });
        }
        if usize::from(header::free_data(mtr.page(index))) != HEADER_BYTES + at {
            mtr.abandon();
            return Ok(false);
        }
        let op = PageOp::Bytes { offset: (HEADER_BYTES + at) as u16, bytes };
        mtr.apply(index, op).expect("the body of a page may be written");
        mtr.apply(index, end_of_page(&super::end_bytes(at + bytes.len()))).expect("the end of a page may be written");
        mtr.commit();
        Ok(true)
    }

    fn put(&mut self, level: u8, body: &[u8]) -> Result<PageId, AccessError> {
        if self.ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        let page = self.take_page()?;
        check!(!self.made.contains(&page), "V4: page {page} is taken twice for a value");
        self.made.push(page);
        self.store.put_page(&self.ask, page, level, body)?.commit();
        Ok(page)
    }

    fn take_page(&mut self) -> Result<PageId, AccessError> {
        if let Some(page) = self.spare.pop() {
            return Ok(page);
        }
        let unit = &self.store.unit;
        if self.made.len() < SINGLE_PAGES {
            return unit.take(&self.ask, Some(self.made.last().copied().unwrap_or(self.old.page_id(self.store))));
        }
        unit.take_run(&self.ask, 1, &mut self.spare)?;
        self.spare.reverse();
        Ok(self.spare.pop().expect("taken above"))
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        self.made.append(&mut self.spare);
        if !self.made.is_empty() {
            // What the maps or the log refuse now is found by reclaim.
            let _ = self.store.unit.give(&self.ask, &self.made);
        }
    }
}

/// Whether no page is among them twice.
fn is_distinct(pages: &[PageId]) -> bool {
    let mut seen = std::collections::HashSet::new();
    pages.iter().all(|page| seen.insert(*page))
}

fn link_of(page: PageId) -> [u8; LINK_BYTES] {
    let (file, number) = (page.file.0.to_le_bytes(), page.page.0.to_le_bytes());
    [file[0], file[1], number[0], number[1], number[2], number[3]]
}
