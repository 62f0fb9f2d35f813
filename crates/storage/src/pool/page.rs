//! What callers hold: latched pages and pins.
//!
//! What always holds: the bytes of a page are reached through a latch only, shared for reading, exclusive for changing.
//! A pin keeps the page in its frame but gives no bytes. The same thread must not latch a page that it holds already.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, Release};

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{PageBytes, PageId};
use crate::page::header::LogPos;
use crate::pool::Pool;
use crate::pool::buffers::Purpose;
use crate::pool::latch::{ExclusiveHold, FrameNo, FrameState, SharedHold};

/// A page latched shared.
#[derive(Debug)]
pub struct SharedPage<'a> {
    pool: &'a Pool,
    hold: SharedHold<'a>,
}

fn id_of(state: &FrameState) -> PageId {
    PageId::from_bits(state.page.load(Relaxed))
}

impl<'a> SharedPage<'a> {
    #[inline]
    pub(crate) fn new(pool: &'a Pool, hold: SharedHold<'a>) -> SharedPage<'a> {
        check!(hold.state().page.load(Relaxed) != 0, "frame {:?} is read, and has no page", hold.frame());
        SharedPage { pool, hold }
    }

    /// Which page.
    #[must_use]
    pub fn id(&self) -> PageId {
        id_of(self.hold.state())
    }

    /// Keeps the page in memory beyond the latch.
    #[must_use]
    pub fn pin(&self) -> PageRef {
        PageRef::new(self.pool, self.hold.frame(), self.hold.state())
    }
}

impl Deref for SharedPage<'_> {
    type Target = PageBytes;

    #[inline]
    fn deref(&self) -> &PageBytes {
        &self.hold
    }
}

/// A page latched exclusively; the first mutable access marks it dirty.
#[derive(Debug)]
pub struct ExclusivePage<'a> {
    pool: &'a Pool,
    ask: Ask<'a>,
    hold: ExclusiveHold<'a>,
    /// Whether this guard has marked the page dirty.
    marked: bool,
}

impl<'a> ExclusivePage<'a> {
    #[inline]
    pub(crate) fn new(pool: &'a Pool, ask: Ask<'a>, hold: ExclusiveHold<'a>) -> ExclusivePage<'a> {
        check!(hold.state().page.load(Relaxed) != 0, "frame {:?} is to be changed, and has no page", hold.frame());
        ExclusivePage { pool, ask, hold, marked: false }
    }

    /// Which page.
    #[must_use]
    pub fn id(&self) -> PageId {
        id_of(self.hold.state())
    }

    /// Keeps the page in memory beyond the latch.
    #[must_use]
    pub fn pin(&self) -> PageRef {
        PageRef::new(self.pool, self.hold.frame(), self.hold.state())
    }

    /// Gives up the right to change the page, without a time in which another could.
    #[must_use]
    pub fn downgrade(self) -> SharedPage<'a> {
        SharedPage { pool: self.pool, hold: self.hold.downgrade() }
    }

    /// Says that the log was at `position` before the change that is being made; the first one since the page was clean
    /// counts. Recovery begins there as long as the page is not written.
    #[inline]
    pub(crate) fn note_rec_lsn(&self, position: LogPos) {
        check!(position.0 != 0, "a place of the log is not the one that stands for none");
        check!(
            self.pool.buffers().files.known(self.id().db, self.id().file).is_none_or(|file| file.is_durable()),
            "P4: the temporary page {} is said to be in the log",
            self.id()
        );
        let rec_pos = &self.hold.state().rec_pos;
        check!(
            rec_pos.load(Relaxed) <= position.0,
            "page {} is dirty since {:#x} of the log, and changes at {position:?}",
            self.id(),
            rec_pos.load(Relaxed)
        );
        if rec_pos.load(Relaxed) == 0 {
            rec_pos.store(position.0, Release);
        }
    }

    #[inline]
    fn mark_dirty(&mut self) {
        check!(!self.marked && self.hold.state().page.load(Relaxed) != 0, "a frame without a page is changed");
        self.marked = true;
        let state = self.hold.state();
        if state.slot.load(Relaxed) != 0 {
            self.pool.tier().drop_copy(state);
        }
        check!(state.is_latched_alone(), "P1: page {} changes without its exclusive latch", self.id());
        check!(state.slot.load(Relaxed) == 0, "E1: page {} changes, and its copy stays in the extension", self.id());
        state.owner.store(self.ask.task.session.0.into(), Relaxed);
        if !state.dirty.load(Relaxed) {
            state.dirty.store(true, Relaxed);
            add(&self.ask.task.io.pages_dirtied, 1);
            add(&self.ask.object.pages_dirtied, 1);
        }
    }
}

impl Deref for ExclusivePage<'_> {
    type Target = PageBytes;

    #[inline]
    fn deref(&self) -> &PageBytes {
        &self.hold
    }
}

impl DerefMut for ExclusivePage<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut PageBytes {
        if !self.marked {
            self.mark_dirty();
        }
        &mut self.hold
    }
}

/// A pin: the page stays in its frame while this lives, so that it is latched again without a look-up. Discarding a
/// pinned page is a broken assumption and panics.
#[derive(Debug)]
pub struct PageRef {
    pool: Arc<Pool>,
    frame: FrameNo,
}

impl PageRef {
    /// The caller holds the latch of the frame.
    fn new(pool: &Pool, frame: FrameNo, state: &FrameState) -> PageRef {
        check!(pool.buffers().frames.is_latched(frame), "P1: a page is pinned without its latch");
        check!(state.page.load(Relaxed) != 0, "P1: a frame without a page is pinned");
        state.pins.fetch_add(1, Relaxed);
        PageRef { pool: pool.me.upgrade().expect("a guard of the pool borrows it"), frame }
    }

    fn state(&self) -> &FrameState {
        self.pool.buffers().frames.state(self.frame)
    }

    /// Which page.
    #[must_use]
    pub fn id(&self) -> PageId {
        check!(self.state().pins.load(Relaxed) > 0, "P1: the page of a pin is not pinned");
        id_of(self.state())
    }

    /// Latches the page shared.
    pub fn shared<'a>(&'a self, ask: &Ask<'a>) -> SharedPage<'a> {
        self.count(ask);
        let id = self.id();
        let hold = self
            .pool
            .buffers()
            .frames
            .shared(self.frame, id.to_bits(), || self.pool.buffers().wait_for(ask, self.frame, id, Purpose::Read));
        SharedPage { pool: &self.pool, hold: hold.expect("pinned, so it stays") }
    }

    /// Latches the page exclusively.
    pub fn exclusive<'a>(&'a self, ask: &Ask<'a>) -> ExclusivePage<'a> {
        self.count(ask);
        let id = self.id();
        let hold =
            self.pool.buffers().frames.exclusive(self.frame, id.to_bits(), || {
                self.pool.buffers().wait_for(ask, self.frame, id, Purpose::Change)
            });
        ExclusivePage::new(&self.pool, *ask, hold.expect("pinned, so it stays"))
    }

    /// Pins `page` of the same pool instead: cheaper than a new pin.
    ///
    /// # Panics
    /// When the page is of another pool.
    pub fn move_to(&mut self, page: &ExclusivePage<'_>) {
        assert!(std::ptr::eq(page.pool, Arc::as_ptr(&self.pool)), "a page of the same pool");
        check!(page.hold.state().is_latched_alone(), "P1: page {} is pinned without its latch", page.id());
        page.hold.state().pins.fetch_add(1, Relaxed);
        self.unpin();
        self.frame = page.hold.frame();
    }

    fn count(&self, ask: &Ask<'_>) {
        ask.count_logical_read();
        add(&self.pool.buffers().tallies.of(ask.task.session).lookups, 1);
    }

    fn unpin(&self) {
        let before = self.state().pins.fetch_sub(1, Release);
        assert!(before > 0, "P1: a page is unpinned that was not pinned");
    }
}

impl Drop for PageRef {
    fn drop(&mut self) {
        self.unpin();
    }
}
