//! A heap: rows in no order, on extents of its own.
//!
//! What always holds:
//! - H1: one writer at a time (its caller sees to that); any number of scans and look-ups beside it, on other threads.
//! - H2: locks are taken in this order: `structure`, `state`, one page latch, and below them the pool's and the space
//!   manager's own. Space is asked for while no page is latched.
//! - H3: pages are given back only under `structure` exclusively; a thread that reads a page that it found through
//!   `state` holds `structure` shared until it has let go of the page.
//! - H4: while a scan is open, rows are only appended, in slots and pages after the scan's end.
//! - H5: what undoes a change is in the journal before the change is in the page.
//! - H6: while a fill (`fill`) is under way, its parts are the writer: each writes pages that it alone took.
//!
//! It knows no columns, no names, and not what commits.

use millpond_storage::{check, checks};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use millpond_storage::ask::Ask;
use millpond_storage::contract::{DbId, EXTENT_PAGES, PageId, PageKind};
use millpond_storage::page::header;
use millpond_storage::pool::{ExclusivePage, PageRef, Pool};
use millpond_storage::space::{Owner, SpaceManager};
use millpond_storage::wal::DatabaseHandle;
use parking_lot::{Mutex, RwLock};

use crate::ctx::TreeCtx;
use crate::error::AccessError;
use crate::journal::{Journal, SlotUndo};
use crate::layout::{ExtentUse, Layout, Position, Tail};
use crate::lob::LobStore;
use crate::page::{self, ROW_BYTES_MAX, RecordKind};
use crate::rid::{ObjectId, Rid};
use crate::usage::SpaceUse;

/// Where a heap lives and to whom its space is charged.
#[derive(Clone)]
pub struct Ctx {
    /// Database.
    pub db: DbId,
    /// Pages in memory.
    pub pool: Arc<Pool>,
    /// Extents of the database.
    pub space: Arc<SpaceManager>,
    /// User object or internal object.
    pub owner: Owner,
    /// The account of the session.
    pub usage: Arc<SpaceUse>,
}

/// Rows in no order.
pub struct Heap {
    pub(crate) id: ObjectId,
    pub(crate) ctx: Ctx,
    /// H3
    pub(crate) structure: RwLock<()>,
    pub(crate) state: Mutex<State>,
    /// H4
    pub(crate) open_scans: AtomicU32,
    /// Large values that rows point to: made when the first one is written.
    pub(crate) values: Mutex<Option<Arc<LobStore>>>,
}

#[derive(Default)]
pub(crate) struct State {
    pub layout: Layout,
    /// A pin of the tail between two inserts.
    pub cursor: Option<PageRef>,
    /// Raised whenever pages are given back: scans that began before stop.
    pub generation: u64,
    /// Times that all rows were taken out at once, or put back.
    pub emptied: u64,
    pub dropped: bool,
}

impl std::fmt::Debug for Heap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Heap").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Heap {
    /// A heap without rows; it takes no space before the first one.
    #[must_use]
    pub fn create(ctx: &Ctx, id: ObjectId) -> Arc<Heap> {
        Arc::new(Heap {
            id,
            ctx: ctx.clone(),
            structure: RwLock::new(()),
            state: Mutex::default(),
            open_scans: AtomicU32::new(0),
            values: Mutex::default(),
        })
    }

    /// The number in its pages' headers.
    #[must_use]
    pub fn object_id(&self) -> ObjectId {
        self.id
    }

    /// Rows.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        self.state.lock().layout.rows
    }

    /// How often all rows were taken out at once, or put back: what a [`Rid`] meant before may be another row since.
    #[must_use]
    pub fn emptied(&self) -> u64 {
        self.state.lock().emptied
    }

    /// Data pages in use.
    #[must_use]
    pub fn page_count(&self) -> u64 {
        u64::from(self.state.lock().layout.pages)
    }

    /// Pages owned: those of its extents, used or not, and its IAM pages.
    #[must_use]
    pub fn reserved_pages(&self) -> u64 {
        let state = self.state.lock();
        state.layout.extents.len() as u64 * u64::from(EXTENT_PAGES) + state.layout.iam.len() as u64
    }

    /// The large values of its rows, if there are any.
    #[must_use]
    pub fn values(&self) -> Option<Arc<LobStore>> {
        self.values.lock().clone()
    }

    /// As [`Heap::values`]; makes the store when there is none.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn values_to_write(&self, ask: &Ask<'_>) -> Result<Arc<LobStore>, AccessError> {
        let values = &mut *self.values.lock();
        if let Some(store) = values {
            return Ok(Arc::clone(store));
        }
        let Ctx { db, pool, space, owner, usage } = self.ctx.clone();
        let ctx = TreeCtx { handle: DatabaseHandle { db, pool, log: None }, space, owner, usage };
        Ok(Arc::clone(values.insert(LobStore::create(&ctx, ask, self.id.0, 0)?)))
    }

    /// Its IAM chain.
    #[must_use]
    pub fn iam_pages(&self) -> Vec<PageId> {
        self.state.lock().layout.iam.iter().map(|iam| iam.page).collect()
    }

    /// Its extents in order of use.
    #[must_use]
    pub fn extents(&self) -> Vec<ExtentUse> {
        self.state.lock().layout.extent_uses(self.ctx.db)
    }

    /// Adds a row of `len` bytes, which `encode` writes straight into the page. `encode` must not touch the heap.
    ///
    /// # Errors
    /// [`AccessError`]; the heap has the same rows as before.
    pub fn insert<J: Journal>(
        &self,
        ask: &Ask<'_>,
        journal: &mut J,
        len: usize,
        encode: impl FnOnce(&mut [u8]),
    ) -> Result<Rid, AccessError> {
        if len > ROW_BYTES_MAX {
            return Err(AccessError::RowTooLong { row_bytes: len, row_bytes_max: ROW_BYTES_MAX });
        }
        let state = &mut *self.state.lock();
        self.check_live(state)?;
        let rid = self.add_record(state, ask, journal, RecordKind::Row, len, encode)?;
        state.layout.rows += 1;
        Ok(rid)
    }

    /// Adds rows as long as `next` gives their lengths; `encode` writes the one that `next` gave last. Takes the latch
    /// once for the rows of a page. Returns the rows added, also before an error.
    pub fn append_rows<J: Journal>(
        &self,
        ask: &Ask<'_>,
        journal: &mut J,
        rows: &mut dyn RowSource,
    ) -> (u64, Result<(), AccessError>) {
        let state = &mut *self.state.lock();
        let before = state.layout.rows;
        let done = self.check_live(state).and_then(|()| self.append_all(state, ask, journal, rows));
        (state.layout.rows - before, done)
    }

    fn append_all<J: Journal>(
        &self,
        state: &mut State,
        ask: &Ask<'_>,
        journal: &mut J,
        rows: &mut dyn RowSource,
    ) -> Result<(), AccessError> {
        let mut next = rows.next_len();
        while let Some(len) = next {
            if len > ROW_BYTES_MAX {
                return Err(AccessError::RowTooLong { row_bytes: len, row_bytes_max: ROW_BYTES_MAX });
            }
            self.make_tail_fit(state, ask, journal, len)?;
            let (cursor, layout) = (state.cursor.as_ref(), &mut state.layout);
            let mut tail = cursor.expect("make_tail_fit pinned it").exclusive(ask);
            check!(layout.tail_is(&tail), "the tail {} is not what is known of it", tail.id());
            next = append_to_page(&mut tail, &mut layout.tail, &mut layout.rows, rows, len);
        }
        Ok(())
    }

    /// Puts a record into a hole, else after the last one.
    pub(crate) fn add_record<J: Journal>(
        &self,
        state: &mut State,
        ask: &Ask<'_>,
        journal: &mut J,
        kind: RecordKind,
        len: usize,
        encode: impl FnOnce(&mut [u8]),
    ) -> Result<Rid, AccessError> {
        if state.layout.has_holes()
            && self.open_scans.load(Relaxed) == 0
            && let Some(position) = state.layout.hole(len)
        {
            return self.fill_hole(state, ask, journal, position, kind, len, encode);
        }
        self.append_record(state, ask, journal, kind, len, encode)
    }

    #[inline]
    fn append_record<J: Journal>(
        &self,
        state: &mut State,
        ask: &Ask<'_>,
        journal: &mut J,
        kind: RecordKind,
        len: usize,
        encode: impl FnOnce(&mut [u8]),
    ) -> Result<Rid, AccessError> {
        self.make_tail_fit(state, ask, journal, len)?;
        let cursor = state.cursor.as_ref().expect("make_tail_fit pinned it");
        let id = cursor.id();
        let mut tail = cursor.exclusive(ask);
        check!(
            id == state.layout.page_at(self.ctx.db, state.layout.pages - 1),
            "L1: page {id} is pinned as the tail, and is not the last one"
        );
        check!(state.layout.tail_is(&tail), "the tail {id} is not what is known of it");
        let slot = page::append(&mut tail, kind, len, encode);
        state.layout.tail.appended(len);
        assert!(
            state.layout.tail.slots == slot + 1,
            "the tail {id} has a slot {slot}, {} are known",
            state.layout.tail.slots
        );
        Ok(Rid { file: id.file, page: id.page, slot })
    }

    /// Makes the tail one on which a record of `len` fits after the last, and pins it.
    #[inline]
    fn make_tail_fit<J: Journal>(
        &self,
        state: &mut State,
        ask: &Ask<'_>,
        journal: &mut J,
        len: usize,
    ) -> Result<(), AccessError> {
        if journal.wants_tail() {
            // H5: the mark comes before space is taken, so that undo gives it back.
            journal.tail(ask, state.layout.mark())?;
        }
        let (tail, cost) = (state.layout.tail, page::cost_of(len));
        if usize::from(tail.behind) >= cost && state.cursor.is_some() {
            return Ok(());
        }
        if usize::from(tail.free) >= cost { self.settle_tail(state, ask, len) } else { self.next_tail(state, ask) }
    }

    /// Pins the tail, and moves its rows together if a record of `len` fits only then.
    #[cold]
    fn settle_tail(&self, state: &mut State, ask: &Ask<'_>, len: usize) -> Result<(), AccessError> {
        let id = state.layout.page_at(self.ctx.db, state.layout.pages - 1);
        let mut page = self.latch(ask, id)?;
        page::make_fit(&mut page, len).map_err(|damage| AccessError::Damaged { page: id, damage })?;
        state.layout.tail.behind = page::bytes_behind(&page);
        assert!(
            usize::from(state.layout.tail.behind) >= page::cost_of(len),
            "the tail {id} was made to fit {len} bytes"
        );
        state.cursor = Some(page.pin());
        Ok(())
    }

    fn next_tail(&self, state: &mut State, ask: &Ask<'_>) -> Result<(), AccessError> {
        let position = state.layout.pages;
        if position == state.layout.extents.len() as Position * EXTENT_PAGES {
            self.grow(&mut state.layout, ask)?;
        }
        assert!(
            position < state.layout.extents.len() as Position * EXTENT_PAGES,
            "L1: page {position} of a heap that owns {} extents",
            state.layout.extents.len()
        );
        let id = state.layout.page_at(self.ctx.db, position);
        let page = self.ctx.pool.create(ask, id, PageKind::Data, self.id.0)?;
        state.layout.leave_tail();
        state.layout.enter_tail();
        match &mut state.cursor {
            Some(cursor) => cursor.move_to(&page),
            none => *none = Some(page.pin()),
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the record's parts are passed through to the page")]
    fn fill_hole<J: Journal>(
        &self,
        state: &mut State,
        ask: &Ask<'_>,
        journal: &mut J,
        position: Position,
        kind: RecordKind,
        len: usize,
        encode: impl FnOnce(&mut [u8]),
    ) -> Result<Rid, AccessError> {
        journal.reserve(ask)?;
        let id = state.layout.page_at(self.ctx.db, position);
        let mut bytes = self.latch(ask, id)?;
        let free_before = header::free_count(&bytes);
        let (was_sound, slots) = (checks::ARE_ON && page::sums_are_right(&bytes), header::slot_count(&bytes));
        let empty = page::empty_slot(&bytes);
        let slot = empty.unwrap_or_else(|| header::slot_count(&bytes));
        let rid = Rid { file: id.file, page: id.page, slot };
        journal.slot(rid, if empty.is_some() { SlotUndo::Empty } else { SlotUndo::Absent });
        page::insert_at(&mut bytes, slot, kind, len, encode)
            .map_err(|damage| AccessError::Damaged { page: id, damage })?;
        check!(!was_sound || page::sums_are_right(&bytes), "R1: page {id} after {rid} was filled");
        assert!(
            header::slot_count(&bytes) == slots.max(slot + 1),
            "R3: page {id} has {} slots after {rid} was filled, {slots} before",
            header::slot_count(&bytes)
        );
        state.layout.page_changed(position, &bytes, free_before);
        Ok(rid)
    }

    /// Lets go of the pinned tail: no insert is expected soon.
    pub fn unpin(&self) {
        self.state.lock().cursor = None;
    }

    pub(crate) fn check_live(&self, state: &State) -> Result<(), AccessError> {
        if state.dropped { Err(AccessError::Gone(self.id)) } else { Ok(()) }
    }
}

/// Rows for [`Heap::append_rows`].
pub trait RowSource {
    /// Length of the next row.
    fn next_len(&mut self) -> Option<usize>;

    /// Writes the row whose length was asked for last. Must not touch the heap.
    fn encode(&mut self, to: &mut [u8]);
}

/// Appends the row of `len`, which fits, and those after it that fit on the same page; returns the length of the first
/// that does not. Both are counted.
pub(crate) fn append_to_page(
    page: &mut ExclusivePage<'_>,
    tail: &mut Tail,
    added: &mut u64,
    rows: &mut dyn RowSource,
    mut len: usize,
) -> Option<usize> {
    let bytes = &mut **page;
    loop {
        page::append(bytes, RecordKind::Row, len, |to| rows.encode(to));
        tail.appended(len);
        *added += 1;
        let next = rows.next_len();
        match next {
            Some(n) if n <= ROW_BYTES_MAX && page::fits_behind(bytes, n) => len = n,
            _ => return next,
        }
    }
}
