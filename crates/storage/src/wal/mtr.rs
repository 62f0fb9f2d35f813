//! Mini-transactions: a few pages change together, all or none after a crash.
//!
//! ```text
//!   begin ──reserve space──▶ latch, create ──▶ apply … apply ──▶ commit: one record, page LSNs, latches go
//! ```
//!
//! What always holds: space in the log is reserved before anything is latched, so a commit cannot fail. Between the first
//! op and the commit all pages with ops are latched exclusively, so no session sees, and no write takes, a half of it.
//! The record is appended before a latch is let go (W2). In a temporary database the same code applies and logs
//! nothing.
//!
//! Body of a record, in front of the ops of `page_op`:
//!
//! ```text
//!   system:        pages u8 │ (file u16, page u32) … │ ops
//!   change:        undo length u32 │ undo │ pages …
//!   compensation:  undo next: sequence u32, block u32, slot u16 │ pages …
//! ```

use crate::check;
use std::cell::Cell;
use std::thread::LocalKey;

use crate::ask::{Ask, add};
use crate::contract::{PageBytes, PageId, PageKind};
use crate::page::header::Lsn;
use crate::pool::{ExclusivePage, PageRef, PoolError};
use crate::wal::handle::DatabaseHandle;
use crate::wal::log::append::{append_change, append_compensation, append_system};
use crate::wal::log::minimal::Turn;
use crate::wal::log::{LogError, TxnLog};
use crate::wal::page_op::{self, OpError, PageOp};

/// Pages of one mini-transaction: their index is one byte.
pub const PAGES_MAX: usize = 255;

thread_local! {
    /// The ops' buffer of the thread's last mini-transaction, for the next one.
    static SPARE_OPS: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// The body's buffer of the thread's last mini-transaction.
    static SPARE_BODY: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Buffers beyond this are not kept.
const SPARE_BYTES_MAX: usize = 64 << 10;

/// Keeps a buffer for the thread's next mini-transaction. `LocalKey::set` would pass it through the key's initialiser, which
/// costs a log record 60 instructions where the compiler does not inline that.
#[inline]
fn keep(spare: &'static LocalKey<Cell<Vec<u8>>>, buffer: Vec<u8>) {
    if buffer.capacity() <= SPARE_BYTES_MAX {
        spare.with(|kept| kept.set(buffer));
    }
}

/// A page of the mini-transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageIx(u8);

#[derive(Debug)]
struct Latched<'a> {
    /// `None` after [`Mtr::release`].
    page: Option<ExclusivePage<'a>>,
    is_changed: bool,
}

/// A mini-transaction. Dropping it before it has ops does nothing; dropping it with ops makes the database unusable,
/// because memory is not what the log says.
#[derive(Debug)]
#[must_use = "a mini-transaction ends by commit"]
pub struct Mtr<'a> {
    db: &'a DatabaseHandle,
    ask: Ask<'a>,
    pages: Vec<Latched<'a>>,
    ops: Vec<u8>,
    reserved_bytes: u64,
    has_ops: bool,
    /// Its pages change without a record.
    turn: Option<Turn<'a>>,
}

impl<'a> Mtr<'a> {
    /// Begins and reserves log space for `reserve_bytes` of ops and undo; waits for the log's writer when that is
    /// late. The caller holds no latch.
    ///
    /// # Errors
    /// [`LogError::Full`] (9002), [`LogError::Unavailable`] (9001).
    pub fn begin(db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError> {
        let reserved_bytes = match &db.log {
            Some(log) => log.space.reserve(ask, reserve_bytes)?,
            None => 0,
        };
        Ok(Mtr::new(db, ask, reserved_bytes))
    }

    /// As [`Mtr::begin`], for pages that are made anew and are not counted yet: where the log need not hold them they
    /// change without a record, see [`Mtr::is_logged`]. Ends by [`Mtr::commit`]. A caller that makes pages without the
    /// log writes them by [`crate::pool::Pool::write_made`] before it lets go of their pins, and takes a checkpoint
    /// before anything refers to them.
    ///
    /// # Errors
    /// As [`Mtr::begin`].
    pub fn begin_minimal(db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError> {
        let Some(turn) = db.log.as_ref().and_then(|log| log.minimal.turn()) else {
            return Mtr::begin(db, ask, reserve_bytes);
        };
        let mut mtr = Mtr::begin_undo(db, ask)?;
        mtr.turn = Some(turn);
        Ok(mtr)
    }

    /// Whether what is done is in the log; it is not in a temporary database, nor where [`Mtr::begin_minimal`] found that it
    /// need not be.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.db.log.is_some() && self.turn.is_none()
    }

    /// Begins a mini-transaction that undoes a change: its space was reserved with the change. Ends by
    /// [`Mtr::commit_clr`].
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn begin_undo(db: &'a DatabaseHandle, ask: &Ask<'a>) -> Result<Mtr<'a>, LogError> {
        if let Some(log) = &db.log {
            log.check_available()?;
        }
        Ok(Mtr::new(db, ask, 0))
    }

    fn new(db: &'a DatabaseHandle, ask: &Ask<'a>, reserved_bytes: u64) -> Mtr<'a> {
        let ops = SPARE_OPS.take();
        check!(
            db.log.as_ref().is_none_or(|log| log.core.db == db.db),
            "L1: pages of database {} change in another one's log",
            db.db
        );
        Mtr { db, ask: *ask, pages: Vec::with_capacity(2), ops, reserved_bytes, has_ops: false, turn: None }
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> &'a DatabaseHandle {
        self.db
    }

    /// Latches a page exclusively. The order of latches is the caller's.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn latch(&mut self, page: PageId) -> Result<PageIx, PoolError> {
        check!(!self.has(page), "page {page} is latched here already, and would be waited for without end");
        let page = self.db.pool.exclusive(&self.ask, page)?;
        Ok(self.adopt(page))
    }

    /// Takes over a page that the caller latched exclusively and has not changed.
    ///
    /// # Panics
    /// With more than 255 pages.
    pub fn adopt(&mut self, page: ExclusivePage<'a>) -> PageIx {
        assert!(self.pages.len() < PAGES_MAX, "at most {PAGES_MAX} pages in a mini-transaction");
        check!(page.id().db == self.db.db, "L1: page {} changes in the log of database {}", page.id(), self.db.db);
        self.pages.push(Latched { page: Some(page), is_changed: false });
        PageIx((self.pages.len() - 1) as u8)
    }

    /// An empty page without reading what was there.
    ///
    /// # Errors
    /// [`PoolError`].
    ///
    /// # Panics
    /// With more than 255 pages.
    pub fn create(
        &mut self,
        page: PageId,
        kind: PageKind,
        object_id: u32,
        index_id: u16,
        level: u8,
    ) -> Result<PageIx, PoolError> {
        check!(!self.has(page), "page {page} is latched here already, and would be waited for without end");
        let page = self.db.pool.create(&self.ask, page, kind, object_id)?;
        let index = self.adopt(page);
        let made = self.apply(index, PageOp::Format { kind, object_id, index_id, level });
        made.expect("any page takes a format");
        Ok(index)
    }

    /// Whether the page is latched here.
    fn has(&self, page: PageId) -> bool {
        self.pages.iter().filter_map(|latched| latched.page.as_ref()).any(|latched| latched.id() == page)
    }

    fn latched(&self, index: PageIx) -> &Latched<'a> {
        &self.pages[usize::from(index.0)]
    }

    /// The page as it is now.
    ///
    /// # Panics
    /// For a page that was released.
    #[must_use]
    pub fn page(&self, index: PageIx) -> &PageBytes {
        self.latched(index).page.as_ref().expect("not released")
    }

    /// Which page.
    ///
    /// # Panics
    /// For a page that was released.
    #[must_use]
    pub fn id(&self, index: PageIx) -> PageId {
        self.latched(index).page.as_ref().expect("not released").id()
    }

    /// Pins the page beyond the mini-transaction.
    ///
    /// # Panics
    /// For a page that was released.
    #[must_use]
    pub fn pin(&self, index: PageIx) -> PageRef {
        self.latched(index).page.as_ref().expect("not released").pin()
    }

    /// Whether anything was applied.
    #[must_use]
    pub fn has_ops(&self) -> bool {
        self.has_ops
    }

    /// Changes a page.
    ///
    /// # Errors
    /// [`OpError`]; the page is then unchanged and nothing is noted.
    ///
    /// # Panics
    /// For a page that was released.
    pub fn apply(&mut self, index: PageIx, op: PageOp<'_>) -> Result<(), OpError> {
        let latched = &mut self.pages[usize::from(index.0)];
        let page = latched.page.as_mut().expect("not released");
        page_op::apply(page, &op)?;
        latched.is_changed = true;
        self.has_ops = true;
        if self.is_logged() {
            page_op::encode(&op, index.0, &mut self.ops);
        }
        Ok(())
    }

    /// Lets go of a page that was not changed.
    ///
    /// # Panics
    /// When it was changed.
    pub fn release(&mut self, index: PageIx) {
        let latched = &mut self.pages[usize::from(index.0)];
        assert!(!latched.is_changed, "a changed page stays latched until the record is in the log");
        latched.page = None;
    }

    /// Lets go of everything; only without ops.
    ///
    /// # Panics
    /// When there are ops.
    pub fn abandon(self) {
        assert!(!self.has_ops, "changes cannot be taken back");
    }

    /// Ends a change of the system: redone after a crash, never undone. Returns the record's LSN, the lowest one when
    /// there is no record.
    pub fn commit(mut self) -> Lsn {
        let Some(log) = self.db.log.as_ref().filter(|_| self.has_ops) else { return self.finish(Lsn::default()) };
        if let Some(lsn) = self.turn.as_ref().map(Turn::lsn) {
            self.note_rec_lsn();
            return self.finish(lsn);
        }
        let body = self.body(&[]);
        self.check_body(&body);
        self.note_rec_lsn();
        let lsn = append_system(&log.core, &body, std::mem::take(&mut self.reserved_bytes));
        keep(&SPARE_BODY, body);
        self.finish(lsn)
    }

    /// Ends a change of a transaction; `undo` is what its maker needs to undo it.
    pub fn commit_change(mut self, txn: &mut TxnLog, undo: &[u8]) -> Lsn {
        check!(self.turn.is_none(), "M1: a change that can be undone is made and not logged");
        let Some(log) = &self.db.log else { return self.finish(Lsn::default()) };
        let length = (undo.len() as u32).to_le_bytes();
        let body = self.body(&[&length, undo]);
        self.check_body(&body);
        self.note_rec_lsn();
        let before = txn.used_bytes;
        let lsn = append_change(&log.core, txn, &body, std::mem::take(&mut self.reserved_bytes));
        add(&self.ask.task.log_bytes, txn.used_bytes - before);
        keep(&SPARE_BODY, body);
        self.finish(lsn)
    }

    /// Ends a change that undid another; `undo_next` is the record of the transaction that is undone after that one.
    pub fn commit_clr(mut self, txn: &mut TxnLog, undo_next: Option<Lsn>) -> Lsn {
        check!(self.turn.is_none(), "M1: a change is undone and that is not logged");
        let Some(log) = &self.db.log else { return self.finish(Lsn::default()) };
        let body = self.body(&[&undo_next.unwrap_or_default().to_bytes()]);
        self.check_body(&body);
        self.note_rec_lsn();
        let before = txn.used_bytes;
        let lsn = append_compensation(&log.core, txn, &body, std::mem::take(&mut self.reserved_bytes));
        add(&self.ask.task.log_bytes, txn.used_bytes - before);
        keep(&SPARE_BODY, body);
        self.finish(lsn)
    }

    /// What stands before the pages, the pages, the ops.
    fn body(&mut self, front: &[&[u8]]) -> Vec<u8> {
        check!(self.ops.is_empty() != self.has_ops, "{} bytes of ops of another mini-transaction", self.ops.len());
        let mut body = SPARE_BODY.take();
        body.clear();
        front.iter().for_each(|part| body.extend_from_slice(part));
        body.push(self.pages.len() as u8);
        for latched in &self.pages {
            // A released page has no ops; its number is not needed.
            let id = latched.page.as_ref().map(|page| (page.id().file.0, page.id().page.0)).unwrap_or_default();
            body.extend_from_slice(&id.0.to_le_bytes());
            body.extend_from_slice(&id.1.to_le_bytes());
        }
        body.extend_from_slice(&self.ops);
        body
    }

    /// That the record has the room that was reserved for it, and that recovery will be able to read its ops.
    fn check_body(&self, body: &[u8]) {
        let (bytes, reserved) = (body.len() as u64, self.reserved_bytes);
        assert!(reserved == 0 || bytes <= reserved, "G2: a record of {bytes} bytes, {reserved} are reserved");
        let is_read =
            |op: Result<(u8, _), page_op::OpError>| op.is_ok_and(|(of, _)| usize::from(of) < self.pages.len());
        check!(page_op::Ops::new(&self.ops).all(is_read), "recovery reads the ops of a record");
    }

    /// Before the record is appended: a checkpoint that begins after it must find the page (recovery begins there).
    fn note_rec_lsn(&self) {
        if let Some(log) = &self.db.log {
            let position = log.position();
            for latched in self.pages.iter().filter(|latched| latched.is_changed) {
                latched.page.as_ref().expect("changed, so not released").note_rec_lsn(position);
            }
        }
    }

    /// Stamps the pages and lets go.
    fn finish(&mut self, lsn: Lsn) -> Lsn {
        check!(
            !self.has_ops || !self.is_logged() || lsn != Lsn::default(),
            "W2: pages are changed, and no record says so"
        );
        if self.db.log.is_some() {
            for latched in self.pages.iter_mut().filter(|latched| latched.is_changed) {
                check!(
                    latched.page.as_ref().is_none_or(|page| crate::page::header::lsn(page) <= lsn),
                    "W3: a page's LSN goes back to {lsn}"
                );
                page_op::stamp(latched.page.as_mut().expect("changed, so not released"), lsn);
            }
        }
        self.pages.clear();
        self.has_ops = false;
        lsn
    }
}

impl Drop for Mtr<'_> {
    fn drop(&mut self) {
        if let Some(log) = &self.db.log {
            log.space.release(self.reserved_bytes);
            if self.has_ops {
                log.close_broken("a change of pages was not logged");
            }
        }
        check!(!self.has_ops || std::thread::panicking(), "a mini-transaction with ops ends by commit");
        let mut ops = std::mem::take(&mut self.ops);
        ops.clear();
        keep(&SPARE_OPS, ops);
    }
}
