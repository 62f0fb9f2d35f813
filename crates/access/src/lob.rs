//! Large values: bytes of any length on pages of their own.
//!
//! ```text
//!   pointer ──▶ data page                                    up to 8096 bytes
//!   pointer ──▶ index page ──▶ data page, data page, …       up to 1349 × 8096 = 10.4 MB
//!   pointer ──▶ index page ──▶ index pages ──▶ data pages    up to 14 GB
//! ```
//!
//! What always holds:
//! - V1: a value never changes once it is written; a changed value is a new one, which may share pages with the old one
//!   ([`change`]).
//! - V2: all data pages but the last are full, and all index pages but the last of their level, so that the page of any
//!   byte is computed, not searched.
//! - V3: the page that the pointer names is written last, and its mini-transaction is ended by the caller: what undoes the
//!   value goes with it. A crash before that leaks the pages until [`LobStore::reclaim`].
//!
//! It knows no columns and no types. Values are freed by their pointer; the holder of pointers keeps count of them.

pub mod change;

use millpond_storage::check;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use millpond_storage::ask::Ask;
use millpond_storage::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo};
use millpond_storage::page::header::{self, BODY_BYTES, HEADER_BYTES};
use millpond_storage::wal::page_op::FREE_COUNT_AT;
use millpond_storage::wal::{Mtr, PageOp};

use crate::ctx::TreeCtx;
use crate::error::AccessError;
use crate::rid::ObjectId;
use crate::unit::{Unit, UnitSpace};

pub use change::{ChangedValue, Owned};

/// Bytes of a value on one page.
pub const PIECE_BYTES: usize = BODY_BYTES;
/// Bytes of a link.
const LINK_BYTES: usize = 6;
/// Links of one index page: 8096 / 6.
const LINKS_MAX: usize = BODY_BYTES / LINK_BYTES;
/// Pages of a value that are taken one by one; after them come whole extents.
const SINGLE_PAGES: usize = 8;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LobPtr {
    /// Bytes of the value; 48 bits.
    pub len: u64,
    /// Index levels above the data pages.
    levels: u8,
    file: FileId,
    page: PageNo,
}

impl LobPtr {
    /// Bytes of a pointer.
    pub const BYTES: usize = 16;
    /// The value without bytes; it has no pages.
    pub const EMPTY: LobPtr = LobPtr { len: 0, levels: 0, file: FileId(0), page: PageNo(0) };
    const VERSION: u8 = 1;

    /// As rows hold it: version u8, levels u8, file u16, page u32, length u64.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        assert!(self.len < 1 << 48, "a large value of {} bytes; 48 bits are kept", self.len);
        let mut bytes = [Self::VERSION, self.levels, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes[2..4].copy_from_slice(&self.file.0.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.page.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.len.to_le_bytes());
        bytes
    }

    /// The inverse; `None` for what no such pointer is.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Option<LobPtr> {
        let [version, levels, f0, f1, p0, p1, p2, p3, len @ ..] = bytes;
        let (file, page) = (u16::from_le_bytes([f0, f1]), u32::from_le_bytes([p0, p1, p2, p3]));
        let pointer = LobPtr { len: u64::from_le_bytes(len), levels, file: FileId(file), page: PageNo(page) };
        let sound = version == Self::VERSION && pointer.len <= capacity(levels) && (file != 0 || pointer.len == 0);
        sound.then_some(pointer)
    }

    /// The page that it names, in a database.
    #[must_use]
    pub fn first_page(self, db: DbId) -> PageId {
        PageId { db, file: self.file, page: self.page }
    }

    fn page_id(self, store: &LobStore) -> PageId {
        self.first_page(store.ctx.db())
    }
}

/// Bytes below a page of an index level.
fn capacity(level: u8) -> u64 {
    (0..level).fold(PIECE_BYTES as u64, |bytes, _| bytes.saturating_mul(LINKS_MAX as u64))
}

/// What a check found wrong with large values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueProblem {
    /// A pointer leads to pages that are no such value.
    #[error("the large value that begins at page {page} is not whole")]
    Broken {
        /// Page that the pointer names.
        page: PageId,
    },
    /// Two values have a page.
    #[error("page {page} belongs to two large values")]
    Twice {
        /// Page.
        page: PageId,
    },
    /// A page of a value is free in the maps.
    #[error("page {page} of a large value is not allocated")]
    NotAllocated {
        /// Page.
        page: PageId,
    },
    /// The maps say that a page is in use, and no value has it.
    #[error("page {page} belongs to no large value")]
    Unclaimed {
        /// Page.
        page: PageId,
    },
}

/// What a check of large values saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueReport {
    /// Values.
    pub values: u64,
    /// Pages of them.
    pub pages: u64,
    /// What is wrong.
    pub problems: Vec<ValueProblem>,
}

/// Ends the mini-transaction of a value's last page (V3).
pub type EndValue<'e> = &'e mut dyn FnMut(LobPtr, Mtr<'_>);

/// The large values of a table or index.
#[derive(Debug)]
pub struct LobStore {
    ctx: TreeCtx,
    object_id: u32,
    index_id: u16,
    unit: Unit,
    is_gone: Arc<AtomicBool>,
}

impl LobStore {
    /// A store without values: takes an extent and an IAM page.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn create(ctx: &TreeCtx, ask: &Ask<'_>, object_id: u32, index_id: u16) -> Result<Arc<LobStore>, AccessError> {
        let unit = Unit::create(ctx, ask, ObjectId(object_id))?;
        Ok(Arc::new(LobStore { ctx: ctx.clone(), object_id, index_id, unit, is_gone: Arc::default() }))
    }

    /// The store whose IAM chain begins at `iam`; reads nothing yet.
    #[must_use]
    pub fn open(ctx: &TreeCtx, object_id: u32, index_id: u16, iam: PageId) -> Arc<LobStore> {
        let unit = Unit::open(ctx, ObjectId(object_id), iam);
        Arc::new(LobStore { ctx: ctx.clone(), object_id, index_id, unit, is_gone: Arc::default() })
    }

    /// First page of its IAM chain: what [`LobStore::open`] wants.
    #[must_use]
    pub fn iam(&self) -> PageId {
        self.unit.iam()
    }

    /// Pages reserved and used.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn space(&self, ask: &Ask<'_>) -> Result<UnitSpace, AccessError> {
        self.unit.space(ask)
    }

    /// Writes a value that is in memory.
    ///
    /// # Errors
    /// [`AccessError`]; nothing is kept of the value.
    pub fn write(&self, ask: &Ask<'_>, value: &[u8], end: EndValue<'_>) -> Result<LobPtr, AccessError> {
        let mut writer = self.writer(ask);
        writer.write(value)?;
        writer.finish(end)
    }

    /// Begins to write a value that comes in parts.
    #[must_use]
    pub fn writer<'a>(&'a self, ask: &Ask<'a>) -> LobWriter<'a> {
        LobWriter {
            store: self,
            ask: *ask,
            piece: Vec::new(),
            len: 0,
            pending: Vec::new(),
            written: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Reads from `offset` on into `out`, as much as there is; returns how much that was.
    ///
    /// # Errors
    /// [`AccessError::NoSuchValue`] when the pointer leads to no value.
    pub fn read(&self, ask: &Ask<'_>, pointer: LobPtr, offset: u64, out: &mut [u8]) -> Result<usize, AccessError> {
        let end = pointer.len.min(offset.saturating_add(out.len() as u64));
        let mut at = offset;
        let mut group = Group::default();
        while at < end {
            let within = (at % PIECE_BYTES as u64) as usize;
            let count = (PIECE_BYTES - within).min((end - at) as usize);
            let done = (at - offset) as usize;
            let piece = self.piece_of(ask, pointer, at / PIECE_BYTES as u64, &mut group)?;
            self.with_page(ask, pointer, piece, 0, |page| {
                out[done..done + count].copy_from_slice(&page[HEADER_BYTES + within..][..count]);
            })?;
            at += count as u64;
        }
        Ok((at - offset.min(at)) as usize)
    }

    /// All bytes of a value.
    ///
    /// # Errors
    /// As [`LobStore::read`].
    pub fn read_all(&self, ask: &Ask<'_>, pointer: LobPtr) -> Result<Vec<u8>, AccessError> {
        let mut value = vec![0; pointer.len as usize];
        self.read(ask, pointer, 0, &mut value)?;
        Ok(value)
    }

    /// Gives the pages of a value back. Must not be called twice for a value.
    ///
    /// # Errors
    /// [`AccessError`]; the value is then of no use, its pages may be leaked.
    pub fn free_value(&self, ask: &Ask<'_>, pointer: LobPtr) -> Result<(), AccessError> {
        let mut pages = Vec::new();
        self.pages_of(ask, pointer, &mut |page| pages.push(page))?;
        self.unit.give(ask, &pages)
    }

    /// Gives all pages back; the store is of no use afterwards.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn free(&self, ask: &Ask<'_>) -> Result<(), AccessError> {
        self.is_gone.store(true, Relaxed);
        self.unit.free(ask)
    }

    /// Whether all its pages were given back; to be shared with the list that waits to free a value.
    #[must_use]
    pub fn is_gone(&self) -> &Arc<AtomicBool> {
        &self.is_gone
    }

    /// Gives the pages back that belong to none of the values `live`: a crash in the middle of writing or freeing leaves
    /// them. Nothing writes values meanwhile. Returns how many there were.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn reclaim(&self, ask: &Ask<'_>, live: &mut dyn Iterator<Item = LobPtr>) -> Result<u64, AccessError> {
        let mut linked = HashSet::new();
        for pointer in live {
            self.pages_of(ask, pointer, &mut |page| {
                linked.insert(page);
            })?;
        }
        self.unit.reclaim(ask, &mut |page| linked.contains(&page))
    }

    /// Reads all pages of the values `live`, and compares them with the maps. Nothing writes or frees values meanwhile.
    ///
    /// # Errors
    /// [`AccessError`] of the maps and of being cancelled.
    pub fn check(&self, ask: &Ask<'_>, live: &mut dyn Iterator<Item = Owned>) -> Result<ValueReport, AccessError> {
        let mut report = ValueReport::default();
        let mut linked = HashSet::new();
        for owned in live {
            let pointer = match owned {
                Owned::Value(pointer) => pointer,
                Owned::Pages(pages) => {
                    let twice = pages.into_iter().filter(|&page| !linked.insert(page));
                    report.problems.extend(twice.map(|page| ValueProblem::Twice { page }));
                    continue;
                }
            };
            let mut pages = Vec::new();
            let found = self.pages_of(ask, pointer, &mut |page| pages.push(page));
            let is_whole = match found.and_then(|()| self.check_data(ask, pointer)) {
                Err(AccessError::Cancelled) => return Err(AccessError::Cancelled),
                done => done.is_ok(),
            };
            report.values += 1;
            report.pages += pages.len() as u64;
            if !is_whole {
                report.problems.push(ValueProblem::Broken { page: pointer.page_id(self) });
            }
            let twice = pages.into_iter().filter(|&page| !linked.insert(page));
            report.problems.extend(twice.map(|page| ValueProblem::Twice { page }));
        }
        let problems = &mut report.problems;
        self.unit.for_each_used(ask, &mut |page| {
            if !linked.remove(&page) {
                problems.push(ValueProblem::Unclaimed { page });
            }
        })?;
        problems.extend(linked.into_iter().map(|page| ValueProblem::NotAllocated { page }));
        Ok(report)
    }

    /// That all data pages of a value can be read.
    fn check_data(&self, ask: &Ask<'_>, pointer: LobPtr) -> Result<(), AccessError> {
        let mut group = Group::default();
        (0..pointer.len.div_ceil(PIECE_BYTES as u64)).try_for_each(|number| {
            let page = self.piece_of(ask, pointer, number, &mut group)?;
            self.with_page(ask, pointer, page, 0, |_| ())
        })
    }

    /// The data page with number `number` of a value.
    fn piece_of(&self, ask: &Ask<'_>, pointer: LobPtr, number: u64, group: &mut Group) -> Result<PageId, AccessError> {
        let mut page = pointer.page_id(self);
        if pointer.levels == 0 {
            return Ok(page);
        }
        let (wanted, slot) = (number / LINKS_MAX as u64, (number % LINKS_MAX as u64) as usize);
        if group.number != Some(wanted) {
            let mut rest = wanted;
            for level in (2..=pointer.levels).rev() {
                let below = capacity(level - 2) / PIECE_BYTES as u64;
                let slot = (rest / below) as usize;
                rest %= below;
                page = self.with_page(ask, pointer, page, level, |bytes| link_at(bytes, slot, page))?;
            }
            let count = (pointer.len.div_ceil(PIECE_BYTES as u64) - wanted * LINKS_MAX as u64).min(LINKS_MAX as u64);
            group.pages.clear();
            self.with_page(ask, pointer, page, 1, |bytes| {
                group.pages.extend((0..count as usize).map(|slot| link_at(bytes, slot, page)));
            })?;
            group.number = Some(wanted);
        }
        Ok(group.pages[slot])
    }

    /// Calls `visit` with every page of a value.
    fn pages_of(&self, ask: &Ask<'_>, pointer: LobPtr, visit: &mut dyn FnMut(PageId)) -> Result<(), AccessError> {
        if pointer.len == 0 {
            return Ok(());
        }
        let mut pages = vec![pointer.page_id(self)];
        for level in (1..=pointer.levels).rev() {
            let count = pointer.len.div_ceil(capacity(level - 1)) as usize;
            let mut below = Vec::with_capacity(count);
            for &page in &pages {
                let links = LINKS_MAX.min(count - below.len());
                self.with_page(ask, pointer, page, level, |bytes| {
                    below.extend((0..links).map(|slot| link_at(bytes, slot, page)));
                })?;
            }
            pages.drain(..).for_each(&mut *visit);
            assert!(below.len() == count, "V2: level {level} has {} links, {count} are needed", below.len());
            pages = below;
        }
        pages.into_iter().for_each(visit);
        Ok(())
    }

    /// Looks at a page of a value.
    fn with_page<R>(
        &self,
        ask: &Ask<'_>,
        pointer: LobPtr,
        id: PageId,
        level: u8,
        look: impl FnOnce(&PageBytes) -> R,
    ) -> Result<R, AccessError> {
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        let page = self.ctx.pool().shared(ask, id)?;
        if !self.is_ours(&page, level) {
            return Err(AccessError::NoSuchValue { page: pointer.page_id(self) });
        }
        Ok(look(&page))
    }

    /// Whether a page is one of this store's values, of a level.
    fn is_ours(&self, page: &PageBytes, level: u8) -> bool {
        let is_ours = header::kind(page) == Some(PageKind::Text) && header::object_id(page) == self.object_id;
        is_ours && header::level(page) == level
    }

    /// Writes a page; the mini-transaction is the caller's to end.
    fn put_page<'a>(&'a self, ask: &Ask<'a>, id: PageId, level: u8, body: &[u8]) -> Result<Mtr<'a>, AccessError> {
        assert!(body.len() <= BODY_BYTES, "V2: a page of {} bytes", body.len());
        let mut mtr = Mtr::begin(&self.ctx.handle, ask, PAGE_BYTES + 256)?;
        let page = mtr.create(id, PageKind::Text, self.object_id, self.index_id, level)?;
        let op = PageOp::Bytes { offset: HEADER_BYTES as u16, bytes: body };
        mtr.apply(page, op).expect("the body of a page may be written");
        mtr.apply(page, end_of_page(&end_bytes(body.len()))).expect("the end of a page may be written");
        Ok(mtr)
    }
}

/// What the header says of a page with so many bytes: those that are free, and where they begin.
fn end_bytes(used: usize) -> [u8; 4] {
    let (free, end) = ((BODY_BYTES - used) as u16, (HEADER_BYTES + used) as u16);
    let (free, end) = (free.to_le_bytes(), end.to_le_bytes());
    [free[0], free[1], end[0], end[1]]
}

fn end_of_page(bytes: &[u8; 4]) -> PageOp<'_> {
    PageOp::Bytes { offset: FREE_COUNT_AT, bytes }
}

/// The data pages of one index page of the lowest level: it is read once for all of them.
#[derive(Default)]
struct Group {
    number: Option<u64>,
    pages: Vec<PageId>,
}

fn link_at(page: &PageBytes, slot: usize, of: PageId) -> PageId {
    let at = HEADER_BYTES + slot * LINK_BYTES;
    let file = u16::from_le_bytes([page[at], page[at + 1]]);
    let number = u32::from_le_bytes([page[at + 2], page[at + 3], page[at + 4], page[at + 5]]);
    PageId { db: of.db, file: FileId(file), page: PageNo(number) }
}

/// A value on its way to pages. Dropped unfinished, it gives its pages back.
#[derive(Debug)]
pub struct LobWriter<'a> {
    store: &'a LobStore,
    ask: Ask<'a>,
    /// Bytes that are not on a page yet; never empty once there were any, so that the last page is written last.
    piece: Vec<u8>,
    len: u64,
    /// Per index level, from the lowest: pages that are not linked yet; full only until the next one comes.
    pending: Vec<Vec<PageId>>,
    written: Vec<PageId>,
    /// Pages taken and not used yet.
    spare: Vec<PageId>,
}

impl LobWriter<'_> {
    /// Adds bytes at the end.
    ///
    /// # Errors
    /// [`AccessError`]; the value cannot be finished then.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), AccessError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.piece.len() == PIECE_BYTES {
                let page = self.put_piece(None)?;
                self.link(0, page)?;
            }
            let (now, later) = rest.split_at(rest.len().min(PIECE_BYTES - self.piece.len()));
            self.piece.extend_from_slice(now);
            self.len += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    /// Bytes so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes what is left; `end` ends the mini-transaction that makes the value whole (V3). It is not called for an
    /// empty value, which has no pages.
    ///
    /// # Errors
    /// [`AccessError`]; nothing is kept of the value.
    pub fn finish(mut self, end: EndValue<'_>) -> Result<LobPtr, AccessError> {
        if self.len == 0 {
            return Ok(LobPtr::EMPTY);
        }
        let pointer = match self.pending.is_empty() {
            true => self.finish_single(end)?,
            false => self.finish_levels(end)?,
        };
        assert!(self.piece.is_empty(), "V3: {} bytes after the last page", self.piece.len());
        self.written.clear();
        Ok(pointer)
    }

    fn pointer(&self, page: PageId, levels: usize) -> LobPtr {
        let is_lowest = levels == 0 || self.len > capacity(levels as u8 - 1);
        assert!(is_lowest && self.len <= capacity(levels as u8), "V2: {} bytes under {levels} levels", self.len);
        LobPtr { len: self.len, levels: levels as u8, file: page.file, page: page.page }
    }

    fn finish_single(&mut self, end: EndValue<'_>) -> Result<LobPtr, AccessError> {
        let page = self.put_piece(Some((0, end)))?;
        Ok(self.pointer(page, 0))
    }

    fn finish_levels(&mut self, end: EndValue<'_>) -> Result<LobPtr, AccessError> {
        let page = self.put_piece(None)?;
        self.link(0, page)?;
        for level in 0.. {
            if level + 1 == self.pending.len() {
                let page = self.put_index(level, Some((level + 1, end)))?;
                return Ok(self.pointer(page, level + 1));
            }
            let page = self.put_index(level, None)?;
            self.link(level + 1, page)?;
        }
        unreachable!("the loop ends at the highest level")
    }

    /// Notes a page for the index page of its level above; writes that one first if it is full.
    fn link(&mut self, level: usize, page: PageId) -> Result<(), AccessError> {
        assert!(level <= self.pending.len(), "level {level} above {} levels", self.pending.len());
        if self.pending.len() == level {
            self.pending.push(Vec::new());
        }
        if self.pending[level].len() == LINKS_MAX {
            let index = self.put_index(level, None)?;
            self.link(level + 1, index)?;
        }
        self.pending[level].push(page);
        Ok(())
    }

    fn put_piece(&mut self, end: Option<(usize, EndValue<'_>)>) -> Result<PageId, AccessError> {
        let piece = std::mem::take(&mut self.piece);
        assert!((1..=PIECE_BYTES).contains(&piece.len()), "V2: a data page of {} bytes", piece.len());
        let page = self.put(0, &piece, end)?;
        self.piece = piece;
        self.piece.clear();
        Ok(page)
    }

    fn put_index(&mut self, level: usize, end: Option<(usize, EndValue<'_>)>) -> Result<PageId, AccessError> {
        let mut body = Vec::with_capacity(BODY_BYTES);
        assert!(
            (1..=LINKS_MAX).contains(&self.pending[level].len()),
            "V2: an index page of {} links",
            self.pending[level].len()
        );
        for page in self.pending[level].drain(..) {
            body.extend_from_slice(&page.file.0.to_le_bytes());
            body.extend_from_slice(&page.page.0.to_le_bytes());
        }
        self.put(level as u8 + 1, &body, end)
    }

    /// Writes a page. With `end` it is the last one, and the pointer of so many levels leads to it.
    fn put(&mut self, level: u8, body: &[u8], end: Option<(usize, EndValue<'_>)>) -> Result<PageId, AccessError> {
        if self.ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        let (store, ask) = (self.store, self.ask);
        let id = self.take_page()?;
        check!(
            !self.written.iter().rev().take(256).any(|page| *page == id),
            "V1: page {id} is taken twice for a value"
        );
        self.written.push(id);
        let mtr = store.put_page(&ask, id, level, body)?;
        match end {
            Some((levels, end)) => end(self.pointer(id, levels), mtr),
            None => {
                mtr.commit();
            }
        }
        Ok(id)
    }

    fn take_page(&mut self) -> Result<PageId, AccessError> {
        check!(self.spare.iter().all(|page| !self.written.contains(page)), "a page that is written is not spare");
        if let Some(page) = self.spare.pop() {
            return Ok(page);
        }
        if self.written.len() < SINGLE_PAGES {
            return self.store.unit.take(&self.ask, self.written.last().copied());
        }
        self.store.unit.take_run(&self.ask, 1, &mut self.spare)?;
        self.spare.reverse();
        Ok(self.spare.pop().expect("taken above"))
    }
}

impl Drop for LobWriter<'_> {
    fn drop(&mut self) {
        self.written.append(&mut self.spare);
        if !self.written.is_empty() {
            // What the maps or the log refuse now is found by reclaim.
            let _ = self.store.unit.give(&self.ask, &self.written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_survives_its_bytes_and_nonsense_is_none() {
        let pointer = LobPtr { len: 5_000_000_000, levels: 2, file: FileId(3), page: PageNo(70_000) };
        assert_eq!(LobPtr::from_bytes(pointer.to_bytes()), Some(pointer));
        assert_eq!(LobPtr::from_bytes(LobPtr::EMPTY.to_bytes()), Some(LobPtr::EMPTY));
        assert_eq!(LobPtr::from_bytes([0; 16]), None);
        assert_eq!(LobPtr::from_bytes(LobPtr { levels: 0, ..pointer }.to_bytes()), None, "too long for one page");
        assert_eq!(LobPtr::from_bytes(LobPtr { file: FileId(0), ..pointer }.to_bytes()), None);
        assert!(capacity(2) > 1 << 33);
    }
}
