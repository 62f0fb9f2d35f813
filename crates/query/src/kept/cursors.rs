//! Cursors of a text and of a session: what each is, its rows while it is open, and what other statements see of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::run::metadata::CursorStates;
use millpond_engine::rows::TableRows;
use millpond_engine::session_shared::SessionShared;
use millpond_types::Value;
use parking_lot::Mutex;

use crate::kept::cursor_code::CursorCode;

/// A cursor that names and variables share.
pub(crate) type CursorRef = Arc<Mutex<Cursor>>;

/// Cursors by name in lower case; a variable that holds none yet is there without one.
pub(crate) type Cursors = HashMap<String, Option<CursorRef>>;

/// A cursor.
pub(crate) struct Cursor {
    pub(crate) code: CursorCode,
    pub(crate) scrolls: bool,
    /// FOR UPDATE OF; empty: all columns.
    pub(crate) update_of: Vec<String>,
    pub(crate) open: Option<OpenCursor>,
}

/// What CURSOR_STATUS returns.
pub(crate) fn state(cursor: Option<&CursorRef>) -> i16 {
    let Some(cursor) = cursor else { return -2 };
    // The cursor whose query runs now is not open yet.
    let Some(cursor) = cursor.try_lock() else { return -1 };
    match &cursor.open {
        None => -1,
        Some(open) => i16::from(!open.rows.is_empty()),
    }
}

/// The cursors that a statement sees with their states: whose, name, state.
pub(crate) fn states(local: &Cursors, global: &Cursors) -> CursorStates {
    let one = |scope: &'static str, (name, cursor): (&String, &Option<CursorRef>)| {
        let scope = if name.starts_with('@') { "variable" } else { scope };
        (scope, name.clone(), state(cursor.as_ref()))
    };
    let local = local.iter().map(|entry| one("local", entry));
    local.chain(global.iter().map(|entry| one("global", entry))).collect()
}

pub(crate) struct OpenCursor {
    pub(crate) rows: Vec<Vec<Value>>,
    /// 0 before the first row, 1 on it, rows + 1 behind the last.
    pub(crate) position: usize,
    /// `Heap::emptied` of each located table at OPEN; 0 for one in trees.
    pub(crate) emptied: Vec<u64>,
    pub(crate) _counted: Counted,
}

/// `Heap::emptied` of a table's rows; 0 where they are in trees.
pub(crate) fn emptied(rows: &TableRows) -> u64 {
    match rows {
        TableRows::Heap(heap) => heap.emptied(),
        TableRows::Trees(_) => 0,
    }
}

/// @@CURSOR_ROWS counts the rows of the cursor that was opened last until this one is closed, is deallocated or goes.
pub(crate) struct Counted {
    pub(crate) session: Arc<SessionShared>,
    pub(crate) opened: u64,
}

impl Counted {
    pub(crate) fn new(session: &Arc<SessionShared>, rows: usize) -> Self {
        let opened = session.cursors_opened.fetch_add(1, Relaxed) + 1;
        session.cursor_rows.store(i32::try_from(rows).unwrap_or(i32::MAX), Relaxed);
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
    /// Moves; the row there, if there is one.
    pub(crate) fn go(&mut self, to: i64) -> Option<&[Value]> {
        let end = self.rows.len() + 1;
        self.position = usize::try_from(to).unwrap_or(0).min(end);
        self.rows.get(self.position.checked_sub(1)?).map(Vec::as_slice)
    }

    pub(crate) fn target(&self, direction: Move) -> i64 {
        let (position, count) = (self.position as i64, self.rows.len() as i64);
        match direction {
            Move::Relative(by) => position.saturating_add(by),
            Move::Absolute(to) if to < 0 => (count + 1).saturating_add(to),
            Move::Absolute(to) => to,
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Move {
    Relative(i64),
    Absolute(i64),
}
