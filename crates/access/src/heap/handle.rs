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

use std::any::Any;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{DbId, EXTENT_PAGES, ExtentId, FileId, PageBytes, PageId, PageNo};
use millpond_storage::page::header;
use millpond_storage::pool::{ExclusivePage, PageRef, Pool, SharedPage};
use millpond_storage::space::{Owner, SpaceManager};
use millpond_storage::wal::DatabaseHandle;
use parking_lot::{Mutex, RwLock};

use crate::ctx::TreeCtx;
use crate::error::AccessError;
use crate::heap::layout::{ExtentUse, Layout, OwnedExtent, Position};
use crate::lob::LobStore;
use crate::page::{self, STUB_BYTES, SlotImage};
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
    /// See [`Heap::beside`].
    beside: OnceLock<Arc<dyn Any + Send + Sync>>,
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
    /// Rows that came and rows that went, also when that was undone.
    pub changes: u64,
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
            beside: OnceLock::new(),
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

    /// Rows that came and rows that went since it was made, also by what undid others; not rows that got other bytes.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.state.lock().changes
    }

    /// What those above keep beside the rows, shared and as long-lived as these: made when it is first asked for. The heap does
    /// not know what it is; none where it is of another type.
    #[must_use]
    pub fn beside<T: Any + Default + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::downcast(Arc::clone(self.beside.get_or_init(|| Arc::new(T::default())))).ok()
    }

    /// The same, if it was made already.
    #[must_use]
    pub fn known_beside<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::downcast(Arc::clone(self.beside.get()?)).ok()
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

    /// Lets go of the pinned tail: no insert is expected soon.
    pub fn unpin(&self) {
        self.state.lock().cursor = None;
    }

    pub(crate) fn check_live(&self, state: &State) -> Result<(), AccessError> {
        if state.dropped { Err(AccessError::Gone(self.id)) } else { Ok(()) }
    }

    pub(crate) fn latch<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<ExclusivePage<'a>, AccessError> {
        let page = self.ctx.pool.exclusive(ask, id)?;
        check!(page.id() == id && header::page_no(&page) == id.page, "S1: page {} is there for {id}", page.id());
        self.check_page(&page, id)?;
        Ok(page)
    }

    pub(crate) fn shared<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<SharedPage<'a>, AccessError> {
        let page = self.ctx.pool.shared(ask, id)?;
        check!(header::page_no(&page) == id.page, "S1: page {} is there for {id}", header::page_no(&page));
        self.check_page(&page, id)?;
        Ok(page)
    }

    pub(crate) fn check_page(&self, page: &PageBytes, id: PageId) -> Result<(), AccessError> {
        let found = header::object_id(page);
        if found != self.id.0 {
            return Err(AccessError::WrongObject { page: id, expected: self.id, found: ObjectId(found) });
        }
        page::check(page).map_err(|damage| AccessError::Damaged { page: id, damage })
    }

    /// The record at `rid`, whose page is `page`.
    pub(crate) fn image<'p>(&self, page: &'p PageBytes, rid: Rid) -> Result<Option<SlotImage<'p>>, AccessError> {
        page::image(page, rid.slot).map_err(|damage| AccessError::Damaged { page: rid.page_id(self.ctx.db), damage })
    }

    /// That the heap has the page of `rid` in use.
    pub(crate) fn find(&self, rid: Rid) -> Result<(), AccessError> {
        let state = &mut *self.state.lock();
        self.check_live(state)?;
        state.layout.position_of(rid.file, rid.page).map(|_| ()).ok_or(AccessError::NoSuchRow(rid))
    }

    /// Where the stub at `rid` leads.
    pub(crate) fn stub_target(&self, bytes: &[u8], rid: Rid) -> Result<Rid, AccessError> {
        let stub: [u8; STUB_BYTES] = bytes.try_into().map_err(|_| AccessError::Damaged {
            page: rid.page_id(self.ctx.db),
            damage: page::RecordDamage::Record { slot: rid.slot, prefix: bytes.len() as u16 },
        })?;
        let [f0, f1, p0, p1, p2, p3, s0, s1] = stub;
        Ok(Rid {
            file: FileId(u16::from_le_bytes([f0, f1])),
            page: PageNo(u32::from_le_bytes([p0, p1, p2, p3])),
            slot: u16::from_le_bytes([s0, s1]),
        })
    }

    /// Latches the page of `rid` for changing.
    pub(crate) fn latch_of<'a>(
        &'a self,
        state: &mut State,
        ask: &Ask<'a>,
        rid: Rid,
    ) -> Result<(Position, ExclusivePage<'a>), AccessError> {
        let position = state.layout.position_of(rid.file, rid.page).ok_or(AccessError::NoSuchRow(rid))?;
        Ok((position, self.latch(ask, rid.page_id(self.ctx.db))?))
    }

    /// The page that was put into use as number `index`, counted from 0.
    #[must_use]
    pub fn page_at(&self, index: u64) -> Option<PageId> {
        let layout = &self.state.lock().layout;
        let position = Position::try_from(index).ok().filter(|&position| position < layout.pages)?;
        Some(layout.page_at(self.ctx.db, position))
    }

    pub(crate) fn extent_id(&self, owned: &OwnedExtent) -> ExtentId {
        ExtentId { db: self.ctx.db, file: owned.file, extent: owned.extent }
    }

    /// Says that the heap is dropped, or is not after all; its rows are untouched. A dropped heap takes no change and
    /// begins no scan's page.
    pub fn set_dropped(&self, dropped: bool) {
        let state = &mut *self.state.lock();
        state.dropped = dropped;
        state.cursor = None;
    }
}
