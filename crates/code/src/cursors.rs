//! Cursors of a text and of a session: what each is, its rows while it is open, and what other statements see of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::run::metadata::CursorStates;
use millpond_direct::walk::Stand;
use millpond_engine::account::cursor_accounts::{
    CursorAccount, CursorDone, CursorForm, CursorOperation, CursorPlace, CursorQuery, CursorWork,
};
use millpond_engine::account::running_statement::RunningText;
use millpond_engine::rows::TableRows;
use millpond_engine::session_shared::SessionShared;
use millpond_tsql::ast::FetchDirection;
use millpond_types::Value;
use parking_lot::Mutex;

use crate::cursor_code::CursorCode;
use crate::cursor_model::Model;

/// A cursor that names and variables share.
pub type CursorRef = Arc<Mutex<Cursor>>;

/// Cursors by name in lower case; a variable that holds none yet is there without one.
pub type Cursors = HashMap<String, Option<CursorRef>>;

/// A cursor.
pub struct Cursor {
    /// What OPEN runs.
    pub code: CursorCode,
    /// Whether it moves in all directions.
    pub scrolls: bool,
    /// FOR UPDATE OF; empty: all columns.
    pub update_of: Vec<String>,
    /// What is done so that its row can be changed.
    pub concurrency: Concurrency,
    /// Its rows while it is open.
    pub open: Option<OpenCursor>,
    /// As others see it.
    pub account: Arc<CursorAccount>,
}

impl Cursor {
    /// A cursor that is declared, in a session at a local time; it is not open.
    #[must_use]
    pub fn new(
        (session, local_us): (&Arc<SessionShared>, i64),
        (name, is_local): (&str, bool),
        code: CursorCode,
        (scrolls, concurrency): (bool, Concurrency),
        update_of: Vec<String>,
    ) -> Cursor {
        let place = CursorPlace {
            name: name.to_owned(),
            is_local,
            nest_level: code.place.nest_level,
            closes_on_commit: code.place.settings.cursor_close_on_commit,
        };
        let form = CursorForm {
            model: match code.code.model {
                Model::Static => 1,
                Model::Keyset | Model::Scroll => 2,
                Model::Dynamic => 3,
                Model::FastForward => 4,
            },
            concurrency: match concurrency {
                Concurrency::Locked => 2,
                _ if code.updatable && !code.code.located.is_empty() => 3,
                _ => 1,
            },
            scrolls,
        };
        let text = RunningText { id: code.parsed.id, text: Arc::clone(&code.parsed.text), object: 0, database: 0 };
        let query = CursorQuery {
            columns: code.code.columns.clone(),
            tables: code.bound.tables.iter().map(|table| Arc::clone(&table.def)).collect(),
            statement: (text, code.span.start, code.span.end),
        };
        let account = session.cursors.declare(&session.task, place, form, query, local_us);
        Cursor { code, scrolls, update_of, concurrency, open: None, account }
    }

    /// Closes it, if it is open: its transaction ends.
    pub fn close(&mut self) {
        if self.open.take().is_some() {
            self.account.closed();
        }
    }

    /// Takes into its account what was done with it; `at`: now, by the server's clock and in local time.
    pub fn did(&self, work: CursorWork, operation: CursorOperation, fetch_status: Option<i32>, at: (u64, i64)) {
        let open = self.open.as_ref();
        let (rows, position) = open.map_or((0, 0), |open| (open.rows.len(), open.position));
        self.account.end(work, CursorDone { operation, rows, position, fetch_status }, at);
    }
}

/// How a cursor sees to it that the row which it changes is the one that was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// It does not: it changes none, or no text that knows it does.
    None,
    /// OPTIMISTIC: a row that was changed since is not changed (16934).
    Compared,
    /// SCROLL_LOCKS: FETCH locks the row for a change, to the end of the transaction.
    Locked,
}

/// What CURSOR_STATUS returns.
pub fn state(cursor: Option<&CursorRef>) -> i16 {
    let Some(cursor) = cursor else { return -2 };
    // The cursor whose query runs now is not open yet.
    let Some(cursor) = cursor.try_lock() else { return -1 };
    match &cursor.open {
        None => -1,
        Some(open) => i16::from(open.is_dynamic || !open.rows.is_empty()),
    }
}

/// The cursors that a statement sees with their states: whose, name, state.
pub fn states(local: &Cursors, global: &Cursors) -> CursorStates {
    let one = |scope: &'static str, (name, cursor): (&String, &Option<CursorRef>)| {
        let scope = if name.starts_with('@') { "variable" } else { scope };
        (scope, name.clone(), state(cursor.as_ref()))
    };
    let local = local.iter().map(|entry| one("local", entry));
    local.chain(global.iter().map(|entry| one("global", entry))).collect()
}

/// The rows of an open cursor, and where it stands.
pub struct OpenCursor {
    /// All rows of the result; of one that reads as it goes the row that it stands on.
    pub rows: Vec<Vec<Value>>,
    /// Where it stands among the rows of its table, if it reads as it goes.
    pub stand: Option<Stand>,
    /// 0 before the first row, 1 on it, rows + 1 after the last.
    pub position: usize,
    /// Where the rows of each located table were at OPEN: its locators are of them, whatever has the table's name later.
    pub homes: Vec<TableRows>,
    /// `Heap::emptied` of each located table at OPEN; 0 for one in trees.
    pub emptied: Vec<u64>,
    /// What stood in the row of each located table when it was fetched; none where that is not asked for.
    pub stamps: Vec<Option<u64>>,
    /// Its rows are those that are there now, as many as there are.
    pub is_dynamic: bool,
    /// Its part of @@CURSOR_ROWS.
    pub _counted: Counted,
}

/// `Heap::emptied` of a table's rows; 0 where they are in trees.
pub fn emptied(rows: &TableRows) -> u64 {
    match rows {
        TableRows::Heap(heap) => heap.emptied(),
        TableRows::Trees(_) => 0,
    }
}

/// @@CURSOR_ROWS counts the rows of the cursor that was opened last until this one is closed, is deallocated or goes.
pub struct Counted {
    /// The session that opened it.
    pub session: Arc<SessionShared>,
    /// Which of the cursors of the session it is, in the order in which they were opened.
    pub opened: u64,
}

impl Counted {
    /// Counts the rows of a cursor that opens; -1 where their number is not known before the last FETCH.
    pub fn new(session: &Arc<SessionShared>, rows: Option<usize>) -> Self {
        let opened = session.cursors_opened.fetch_add(1, Relaxed) + 1;
        let rows = rows.map_or(-1, |rows| i32::try_from(rows).unwrap_or(i32::MAX));
        session.cursor_rows.store(rows, Relaxed);
        Self { session: Arc::clone(session), opened }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if self.session.cursors_opened.load(Relaxed) == self.opened {
            self.session.cursor_rows.store(0, Relaxed);
        }
    }
}

impl OpenCursor {
    /// What stands in the rows is not known any more: they are changed through the cursor only after another FETCH.
    pub fn forget_stamps(&mut self) {
        // That of no row.
        self.stamps.fill(Some(u64::MAX));
    }

    /// It has gone to a place among the rows of its table, and on a row unless it is beyond them.
    pub fn stand_on(&mut self, stand: Stand, row: Option<Vec<Value>>) {
        self.position = usize::from(row.is_some() || stand == Stand::After);
        (self.rows, self.stand) = (row.into_iter().collect(), Some(stand));
    }

    /// Moves; the row there, if there is one.
    pub fn go(&mut self, to: i64) -> Option<&[Value]> {
        let end = self.rows.len() + 1;
        self.position = usize::try_from(to).unwrap_or(0).min(end);
        self.rows.get(self.position.checked_sub(1)?).map(Vec::as_slice)
    }

    /// The row that a move leads to; 0 is before the first, one more than the rows is after the last.
    pub fn target(&self, direction: Move) -> i64 {
        let (position, count) = (self.position as i64, self.rows.len() as i64);
        match direction {
            Move::Relative(by) => position.saturating_add(by),
            Move::Absolute(to) if to < 0 => (count + 1).saturating_add(to),
            Move::Absolute(to) => to,
        }
    }
}

/// A direction as messages name it.
#[must_use]
pub fn direction_word(direction: &FetchDirection) -> &'static str {
    match direction {
        FetchDirection::Next => "next",
        FetchDirection::Prior => "prior",
        FetchDirection::First => "first",
        FetchDirection::Last => "last",
        FetchDirection::Absolute(_) => "absolute",
        FetchDirection::Relative(_) => "relative",
    }
}

/// Where FETCH goes.
#[derive(Clone, Copy)]
pub enum Move {
    /// So many rows from where the cursor stands.
    Relative(i64),
    /// The row of that number; a negative one counts from the end.
    Absolute(i64),
}
