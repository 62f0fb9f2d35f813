//! The cursors of a session as others see them: what each is, and what was done with it.
//!
//! ```text
//!   session ── CursorAccounts ──weak──▶ CursorAccount ◀── the cursor itself (`code::cursors`)
//! ```
//! What always holds: an account is there as long as its cursor, and goes with it. Its figures are those of the last OPEN, FETCH or
//! CLOSE that has ended. It knows no rows.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU64, AtomicUsize};
use std::sync::{Arc, Weak};

use millpond_catalog::TableDef;
use millpond_message::sink::Column;
use millpond_storage::ask::Task;
use parking_lot::Mutex;

use crate::account::running_statement::RunningText;

/// What a cursor's query is where it is declared.
pub struct CursorQuery {
    /// The columns that FETCH gives.
    pub columns: Vec<Column>,
    /// The tables that it reads; their rows are not held.
    pub tables: Vec<Arc<TableDef>>,
    /// The text that declares it, with the first byte of the statement and the one after its last.
    pub statement: (RunningText, u32, u32),
}

/// The name by which an API cursor is declared: SQL Server numbers them from 1. What it is known by is its number.
pub const API_NAME: &str = "API_CURSOR0000000000000000";

/// What was done with a cursor last, by the numbers of `sp_cursor_list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorOperation {
    /// Nothing yet.
    None = 0,
    /// OPEN
    Open = 1,
    /// FETCH
    Fetch = 2,
    /// CLOSE
    Close = 6,
}

/// What a declaration says of a cursor, by the numbers of `sp_cursor_list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorForm {
    /// 1 static, 2 keyset, 3 dynamic, 4 fast forward.
    pub model: u8,
    /// 1 read-only, 2 scroll locks, 3 optimistic.
    pub concurrency: u8,
    /// Whether it moves in all directions.
    pub scrolls: bool,
}

/// Where a cursor is known.
#[derive(Clone, Debug)]
pub struct CursorPlace {
    /// The name that it was declared by, as it was written; of a variable with its `@`.
    pub name: String,
    /// Whether it ends with its text.
    pub is_local: bool,
    /// The level of nesting that it was declared at.
    pub nest_level: u32,
    /// CURSOR_CLOSE_ON_COMMIT was on.
    pub closes_on_commit: bool,
}

/// One cursor.
pub struct CursorAccount {
    known: Arc<Known>,
    task: Arc<Task>,
    /// Its number.
    pub id: i32,
    /// Where it is known.
    pub place: CursorPlace,
    /// What it is.
    pub form: CursorForm,
    /// When it was declared: local time, microseconds since 1970.
    pub made_us: i64,
    /// Its query.
    pub query: CursorQuery,
    is_open: AtomicBool,
    fetch_status: AtomicI32,
    operation: AtomicI32,
    rows: AtomicUsize,
    position: AtomicUsize,
    buffer: AtomicUsize,
    last_rows: AtomicUsize,
    last_us: AtomicI64,
    worker_us: AtomicU64,
    reads: AtomicU64,
}

/// The figures of a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CursorFigures {
    /// It is open.
    pub is_open: bool,
    /// As @@FETCH_STATUS after its last FETCH; -9 before the first.
    pub fetch_status: i32,
    /// What was done last, by its number.
    pub operation: i32,
    /// Rows that OPEN has found.
    pub rows: usize,
    /// 0 before the first row, 1 on it, one more than the rows after the last.
    pub position: usize,
    /// Rows of the fetch buffer.
    pub buffer: usize,
    /// Rows of the last operation.
    pub last_rows: usize,
    /// When the last operation ended: local time, microseconds since 1970.
    pub last_us: i64,
    /// Elapsed time of what was done with it, µs.
    pub worker_us: u64,
    /// Pages read for it.
    pub reads: u64,
}

/// An operation of a cursor under way.
#[derive(Clone, Copy, Debug)]
pub struct CursorWork {
    begun_us: u64,
    reads: u64,
}

impl CursorWork {
    /// It begins, for a session, at a time of the server's clock.
    pub fn begin(task: &Task, clock_us: u64) -> CursorWork {
        CursorWork { begun_us: clock_us, reads: task.io.logical_reads.load(Relaxed) }
    }
}

/// What an operation has left a cursor as.
#[derive(Clone, Copy, Debug)]
pub struct CursorDone {
    /// What was done.
    pub operation: CursorOperation,
    /// Rows of the cursor.
    pub rows: usize,
    /// Where it stands.
    pub position: usize,
    /// Of a FETCH.
    pub fetch_status: Option<i32>,
}

impl CursorAccount {
    /// An operation ends: at a time of the server's clock, and in local time.
    pub fn end(&self, work: CursorWork, done: CursorDone, (clock_us, local_us): (u64, i64)) {
        self.is_open.store(done.operation != CursorOperation::Close, Relaxed);
        self.operation.store(done.operation as i32, Relaxed);
        self.rows.store(done.rows, Relaxed);
        self.position.store(done.position, Relaxed);
        if let Some(status) = done.fetch_status {
            self.fetch_status.store(status, Relaxed);
        }
        let rows = match done.operation {
            CursorOperation::Open => done.rows,
            CursorOperation::Fetch => usize::from(done.fetch_status == Some(0)),
            _ => 0,
        };
        self.last_rows.store(rows, Relaxed);
        self.last_us.store(local_us, Relaxed);
        self.worker_us.fetch_add(clock_us.saturating_sub(work.begun_us), Relaxed);
        let reads = self.task.io.logical_reads.load(Relaxed).saturating_sub(work.reads);
        self.reads.fetch_add(reads, Relaxed);
    }

    /// Whether a client's library opened it, by sp_cursoropen or its kin.
    #[must_use]
    pub fn is_api(&self) -> bool {
        self.place.name == API_NAME
    }

    /// A fetch has brought so many rows at once.
    pub fn buffered(&self, rows: usize) {
        self.buffer.store(rows, Relaxed);
        self.last_rows.store(rows, Relaxed);
    }

    /// It was closed by something else than CLOSE.
    pub fn closed(&self) {
        self.is_open.store(false, Relaxed);
        self.rows.store(0, Relaxed);
        self.position.store(0, Relaxed);
    }

    /// As it is now.
    #[must_use]
    pub fn figures(&self) -> CursorFigures {
        CursorFigures {
            is_open: self.is_open.load(Relaxed),
            fetch_status: self.fetch_status.load(Relaxed),
            operation: self.operation.load(Relaxed),
            rows: self.rows.load(Relaxed),
            position: self.position.load(Relaxed),
            buffer: self.buffer.load(Relaxed),
            last_rows: self.last_rows.load(Relaxed),
            last_us: self.last_us.load(Relaxed),
            worker_us: self.worker_us.load(Relaxed),
            reads: self.reads.load(Relaxed),
        }
    }
}

impl Drop for CursorAccount {
    fn drop(&mut self) {
        self.known.lock().remove(&self.id);
    }
}

/// Before the first FETCH.
const NOT_FETCHED: i32 = -9;
/// The number of a session's first cursor: as SQL Server's are, so that none is taken for a row count.
const FIRST_ID: i32 = 180_150_003;

/// The cursors of a session by their numbers.
type Known = Mutex<BTreeMap<i32, Weak<CursorAccount>>>;

/// The cursors of a session.
#[derive(Default)]
pub struct CursorAccounts {
    known: Arc<Known>,
    given: AtomicI32,
}

impl CursorAccounts {
    /// Opens the account of a cursor that the session's task declares, at a local time in microseconds since 1970.
    pub fn declare(
        &self,
        task: &Arc<Task>,
        place: CursorPlace,
        form: CursorForm,
        query: CursorQuery,
        local_us: i64,
    ) -> Arc<CursorAccount> {
        let id = FIRST_ID.wrapping_add(self.given.fetch_add(1, Relaxed).wrapping_mul(2));
        let account = Arc::new(CursorAccount {
            known: Arc::clone(&self.known),
            task: Arc::clone(task),
            id,
            place,
            form,
            made_us: local_us,
            query,
            is_open: AtomicBool::new(false),
            fetch_status: AtomicI32::new(NOT_FETCHED),
            operation: AtomicI32::new(CursorOperation::None as i32),
            rows: AtomicUsize::new(0),
            position: AtomicUsize::new(0),
            buffer: AtomicUsize::new(1),
            last_rows: AtomicUsize::new(0),
            last_us: AtomicI64::new(local_us),
            worker_us: AtomicU64::new(0),
            reads: AtomicU64::new(0),
        });
        self.known.lock().insert(id, Arc::downgrade(&account));
        account
    }

    /// All that are there, in the order in which they were declared.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<CursorAccount>> {
        // Those that go meanwhile take themselves out of the list, which must not be locked then.
        let known: Vec<Weak<CursorAccount>> = self.known.lock().values().cloned().collect();
        known.iter().filter_map(Weak::upgrade).collect()
    }
}
