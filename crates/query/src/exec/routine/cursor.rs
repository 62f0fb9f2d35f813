//! Cursors: DECLARE, OPEN, FETCH, CLOSE, DEALLOCATE, by name and by variable.
//!
//! ```text
//!   declared ──OPEN──▶ rows, before the first ──FETCH──▶ on a row ⇄ past either end ──CLOSE──▶ declared
//! ```
//! What always holds:
//! - C1: every cursor is a static one: OPEN takes all rows, later changes are not seen. KEYSET and DYNAMIC are accepted
//!   and are static too; FAST_FORWARD and FORWARD_ONLY go forward only.
//! - C2: the variables of a cursor's query have the values that they had at DECLARE; its names mean what they mean at
//!   OPEN (`exec::routine::renewed_cursor`).
//! - C3: a LOCAL cursor, and one that only a variable names, ends with its text; a GLOBAL one with DEALLOCATE or with
//!   the session.
//! - C4: a cursor that may change rows keeps with each the locators of the tables that it is of; UPDATE and DELETE WHERE
//!   CURRENT OF lock and change the row that is there now, if the table's rows are still where OPEN found them.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::CursorStates;
use millpond_engine::context::{TableBinding, TableRows};
use millpond_engine::session_shared::SessionShared;
use millpond_engine::system_call::closed;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::database::options::DatabaseFlag;
use millpond_tsql::ast::{
    Assignment, CursorChange, CursorDefinition, CursorName, DeclareCursor, ExprKind, Fetch, FetchDirection, Statement,
};
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

use crate::exec::batch::code::Code;
use crate::exec::batch::text_size::TextSize;
use crate::exec::batch::{BatchRun, COMMAND_SELECT};
use crate::exec::routine::cursor_code::{CursorCode, are_same_rows};

/// A cursor that names and variables share.
pub(crate) type CursorRef = Arc<Mutex<Cursor>>;

/// Cursors by name in lower case; a variable that holds none yet is there without one.
pub(crate) type Cursors = HashMap<String, Option<CursorRef>>;

/// A cursor.
pub(crate) struct Cursor {
    code: CursorCode,
    scrolls: bool,
    /// FOR UPDATE OF; empty: all columns.
    update_of: Vec<String>,
    open: Option<OpenCursor>,
}

/// What CURSOR_STATUS tells.
fn state(cursor: Option<&CursorRef>) -> i16 {
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

struct OpenCursor {
    rows: Vec<Vec<Value>>,
    /// 0 before the first row, 1 on it, rows + 1 behind the last.
    position: usize,
    /// `Heap::emptied` of each located table at OPEN; 0 for one in trees.
    emptied: Vec<u64>,
    _counted: Counted,
}

/// `Heap::emptied` of a table's rows; 0 where they are in trees.
fn emptied(rows: &TableRows) -> u64 {
    match rows {
        TableRows::Heap(heap) => heap.emptied(),
        TableRows::Trees(_) => 0,
    }
}

/// @@CURSOR_ROWS counts the rows of the cursor that was opened last until this one is closed, is deallocated or goes.
struct Counted {
    session: Arc<SessionShared>,
    opened: u64,
}

impl Counted {
    fn new(session: &Arc<SessionShared>, rows: usize) -> Self {
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
    fn go(&mut self, to: i64) -> Option<&[Value]> {
        let end = self.rows.len() + 1;
        self.position = usize::try_from(to).unwrap_or(0).min(end);
        self.rows.get(self.position.checked_sub(1)?).map(Vec::as_slice)
    }

    fn target(&self, direction: Move) -> i64 {
        let (position, count) = (self.position as i64, self.rows.len() as i64);
        match direction {
            Move::Relative(by) => position.saturating_add(by),
            Move::Absolute(to) if to < 0 => (count + 1).saturating_add(to),
            Move::Absolute(to) => to,
        }
    }
}

#[derive(Clone, Copy)]
enum Move {
    Relative(i64),
    Absolute(i64),
}

impl BatchRun<'_> {
    pub(in crate::exec) fn declare_cursor(&mut self, statement: &Statement, declare: &DeclareCursor) -> SqlResult<()> {
        let key = declare.name.to_lowercase();
        let is_local = self.is_declared_local(declare);
        let known = if is_local { self.cursors.contains_key(&key) } else { self.session.cursors.contains_key(&key) };
        if known {
            return Err(SqlError::of(16_915, 1, &[&declare.name]));
        }
        let cursor = self.new_cursor(statement, &declare.cursor)?;
        let cursors = if is_local { &mut self.cursors } else { &mut self.session.cursors };
        cursors.insert(key, Some(cursor));
        self.note_cursors();
        self.done_quietly(0);
        Ok(())
    }

    /// Without LOCAL and GLOBAL the option CURSOR_DEFAULT of the current database says which.
    fn is_declared_local(&self, declare: &DeclareCursor) -> bool {
        let has = |word: &str| declare.cursor.options.iter().any(|option| option == word);
        has("LOCAL")
            || !has("GLOBAL") && {
                let database = self.ctx.engine.instance().database(self.ctx.facts.database);
                database.is_some_and(|database| database.options().is_on(DatabaseFlag::CursorDefaultLocal))
            }
    }

    /// `SET @c = CURSOR …`
    pub(in crate::exec) fn set_cursor(
        &mut self,
        statement: &Statement,
        variable: &str,
        definition: &CursorDefinition,
    ) -> SqlResult<()> {
        let key = variable.to_lowercase();
        if !self.cursors.contains_key(&key) {
            return Err(message::undeclared_variable(variable));
        }
        let cursor = self.new_cursor(statement, definition)?;
        self.cursors.insert(key, Some(cursor));
        self.note_cursors();
        self.done_quietly(0);
        Ok(())
    }

    /// `SET @c = other`: another name for the same cursor.
    pub(in crate::exec) fn share_cursor(&mut self, assignment: &Assignment) -> SqlResult<()> {
        let name = match &assignment.value.kind {
            ExprKind::Variable(name) => name.clone(),
            ExprKind::Column(name) if name.parts.len() == 1 => name.parts[0].clone(),
            _ => {
                return Err(SqlError::of(16_949, 1, &[]));
            }
        };
        let cursor = self.cursor(&CursorName { name, global: false })?;
        self.cursors.insert(assignment.variable.to_lowercase(), Some(cursor));
        self.note_cursors();
        self.done_quietly(0);
        Ok(())
    }

    /// `DECLARE @c CURSOR`
    pub(in crate::exec) fn declare_cursor_variable(&mut self, name: &str) {
        self.cursors.entry(name.to_lowercase()).or_default();
        self.note_cursors();
    }

    /// Whether a variable is one that holds cursors.
    pub(in crate::exec) fn is_cursor_variable(&self, name: &str) -> bool {
        !self.cursors.is_empty() && self.cursors.contains_key(&name.to_lowercase())
    }

    fn new_cursor(&mut self, statement: &Statement, definition: &CursorDefinition) -> SqlResult<CursorRef> {
        let has = |words: &[&str]| definition.options.iter().any(|option| words.contains(&option.as_str()));
        let update_of: Vec<String> = match &definition.change {
            Some(CursorChange::Update(columns)) => {
                columns.iter().filter_map(|name| name.parts.last().cloned()).collect()
            }
            _ => Vec::new(),
        };
        let code = self.declared(statement, definition)?;
        let scrolls = has(&["SCROLL", "STATIC", "KEYSET", "DYNAMIC", "INSENSITIVE"])
            && !has(&["FORWARD_ONLY", "FAST_FORWARD"])
            && (has(&["SCROLL", "STATIC", "KEYSET", "DYNAMIC"]));
        Ok(Arc::new(Mutex::new(Cursor { code, scrolls, update_of, open: None })))
    }

    /// What CURSOR_STATUS tells from here on.
    fn note_cursors(&mut self) {
        let states = states(&self.cursors, &self.session.cursors);
        self.ctx_mut().cursors = Arc::new(states);
    }

    /// Where in `target` the row is that a cursor stands on; `set` are the columns that are to change.
    ///
    /// # Errors
    /// 16929 for a cursor that only reads, 16931 when it is on no row, 16932 for a column that FOR UPDATE OF does not
    /// name, 16933 for another table, 16943 for one whose rows were moved since OPEN.
    pub(in crate::exec) fn current_row(
        &self,
        name: &CursorName,
        target: &TableBinding,
        set: &[String],
    ) -> SqlResult<Value> {
        let cursor = self.cursor(name)?;
        let cursor = cursor.lock();
        let (query, tables, def) = (cursor.code.query(), &cursor.code.bound.tables, &target.def);
        let open = cursor.open.as_ref().ok_or_else(|| SqlError::of(16_917, 1, &[]))?;
        if query.located.is_empty() {
            return Err(SqlError::of(16_929, 1, &[]));
        }
        let named = |column: &String| cursor.update_of.iter().any(|known| names_equal(known, column));
        if !cursor.update_of.is_empty() && !set.iter().all(named) {
            return Err(SqlError::of(16_932, 1, &[]));
        }
        let row = open.position.checked_sub(1).and_then(|position| open.rows.get(position));
        let row = row.ok_or_else(|| SqlError::of(16_931, 1, &[]))?;
        let is_it = |binding: &usize| {
            let known = &tables[*binding].def;
            (known.database, known.id) == (def.database, def.id) && names_equal(&known.name, &def.name)
        };
        let place = query.located.iter().position(is_it).ok_or_else(|| SqlError::of(16_933, 1, &[]))?;
        if !are_same_rows(&tables[query.located[place]].rows, &target.rows)
            || emptied(&target.rows) != open.emptied[place]
        {
            return Err(SqlError::of(16_943, 1, &[]));
        }
        Ok(row[query.columns.len() + place].clone())
    }

    fn cursor(&self, name: &CursorName) -> SqlResult<CursorRef> {
        let key = name.name.to_lowercase();
        let local = self.cursors.get(&key).filter(|_| !name.global);
        match local.or_else(|| self.session.cursors.get(&key)) {
            Some(Some(cursor)) => Ok(Arc::clone(cursor)),
            Some(None) => Err(SqlError::of(16_950, 2, &[&name.name])),
            None => Err(SqlError::of(16_916, 1, &[&name.name])),
        }
    }

    pub(in crate::exec) fn open_cursor(&mut self, name: &CursorName) -> SqlResult<()> {
        let cursor = self.cursor(name)?;
        let mut cursor = cursor.lock();
        if cursor.open.is_some() {
            return Err(SqlError::of(16_905, 1, &[]));
        }
        self.renew_cursor(&mut cursor.code)?;
        let (bound, limit) = (Arc::clone(&cursor.code.bound), self.row_limit());
        let Code::Query(query) = &*bound.code else { unreachable!("a cursor's code is a query") };
        let mut rows: Vec<Vec<Value>> = Vec::new();
        if !bound.tables.is_empty() {
            self.implicit_begin();
        }
        let mut ctx = Arc::new(self.cursor_context(&cursor.code));
        // The query sees the variables of its declaration.
        std::mem::swap(&mut self.ctx, &mut ctx);
        let read = self.reading(|run| {
            query.runner.run(&run.ctx, &mut |row| {
                rows.push(row.to_vec());
                Ok(if rows.len() as u64 >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })
        });
        self.tell_notes();
        std::mem::swap(&mut self.ctx, &mut ctx);
        read?;
        let counted = Counted::new(&self.ctx.session, rows.len());
        let located = query.located.iter().map(|place| emptied(&bound.tables[*place].rows));
        cursor.open = Some(OpenCursor { rows, position: 0, emptied: located.collect(), _counted: counted });
        drop(cursor);
        self.note_cursors();
        self.done_quietly(0);
        Ok(())
    }

    pub(in crate::exec) fn fetch(&mut self, statement: &Statement, fetch: &Fetch) -> SqlResult<()> {
        let direction = self.fetch_move(statement, &fetch.direction)?;
        let cursor = self.cursor(&fetch.cursor)?;
        let mut cursor = cursor.lock();
        if !cursor.scrolls && !matches!(fetch.direction, FetchDirection::Next) {
            return Err(SqlError::of(16_911, 1, &[&"fetch", &direction_word(&fetch.direction)]));
        }
        if !cursor.code.bound.tables.is_empty() {
            self.implicit_begin();
        }
        let Cursor { code, open, .. } = &mut *cursor;
        let query = code.query();
        let open = open.as_mut().ok_or_else(|| SqlError::of(16_917, 1, &[]))?;
        if !fetch.into.is_empty() && fetch.into.len() != query.columns.len() {
            return Err(SqlError::of(16_924, 1, &[]));
        }
        let target = open.target(direction);
        let row = open.go(target);
        let status = if row.is_some() { 0 } else { -1 };
        let rows = u64::from(row.is_some());
        if fetch.into.is_empty() {
            self.sink.columns(&query.columns).map_err(closed)?;
            if let Some(row) = row {
                let row = &row[..query.columns.len()];
                let mut text_size = TextSize::of(self.ctx.facts.settings.textsize, &query.columns);
                let row = text_size.as_mut().map_or(row, |text_size| text_size.cut(row));
                self.sink.row(row).map_err(closed)?;
            }
        } else if let Some(row) = row {
            let row = row.to_vec();
            for ((name, value), column) in fetch.into.iter().zip(row).zip(&query.columns) {
                self.fetch_into(name, &value, &column.sql_type)?;
            }
        }
        self.ctx.session.fetch_status.store(status, Relaxed);
        if fetch.into.is_empty() {
            self.done_rows(rows, COMMAND_SELECT);
        } else {
            self.done_quietly(rows);
        }
        Ok(())
    }

    fn fetch_into(&mut self, name: &str, value: &Value, from: &SqlType) -> SqlResult<()> {
        let (slot, to) = self.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
        let value =
            millpond_types::cast::cast(value, from, &to, None, self.ctx.cast_rules()).map_err(message::of_eval)?;
        self.ctx.charge(&value)?;
        self.ctx_mut().variables[slot] = value;
        Ok(())
    }

    fn fetch_move(&mut self, statement: &Statement, direction: &FetchDirection) -> SqlResult<Move> {
        let mut number = |expr| -> SqlResult<i64> {
            Ok(self.scalar(statement, 1, expr, Some(SqlType::BigInt))?.as_i64().unwrap_or(0))
        };
        Ok(match direction {
            FetchDirection::Next => Move::Relative(1),
            FetchDirection::Prior => Move::Relative(-1),
            FetchDirection::First => Move::Absolute(1),
            FetchDirection::Last => Move::Absolute(-1),
            FetchDirection::Absolute(expr) => Move::Absolute(number(expr)?),
            FetchDirection::Relative(expr) => Move::Relative(number(expr)?),
        })
    }

    pub(in crate::exec) fn close_cursor(&mut self, name: &CursorName) -> SqlResult<()> {
        let cursor = self.cursor(name)?;
        if cursor.lock().open.take().is_none() {
            return Err(SqlError::of(16_917, 1, &[]));
        }
        self.note_cursors();
        self.done_quietly(0);
        Ok(())
    }

    /// The end of a transaction under CURSOR_CLOSE_ON_COMMIT.
    pub(in crate::exec) fn close_cursors(&mut self) {
        for cursor in self.cursors.values().chain(self.session.cursors.values()).flatten() {
            // The cursor whose query runs now is not open.
            if let Some(mut cursor) = cursor.try_lock() {
                cursor.open = None;
            }
        }
        self.note_cursors();
    }

    pub(in crate::exec) fn deallocate_cursor(&mut self, name: &CursorName) -> SqlResult<()> {
        self.cursor(name)?;
        let key = name.name.to_lowercase();
        match self.cursors.get_mut(&key).filter(|_| !name.global) {
            Some(held) if key.starts_with('@') => *held = None,
            Some(_) => {
                self.cursors.remove(&key);
            }
            None => {
                self.session.cursors.remove(&key);
            }
        }
        self.note_cursors();
        self.done_quietly(0);
        Ok(())
    }
}

fn direction_word(direction: &FetchDirection) -> &'static str {
    match direction {
        FetchDirection::Next => "next",
        FetchDirection::Prior => "prior",
        FetchDirection::First => "first",
        FetchDirection::Last => "last",
        FetchDirection::Absolute(_) => "absolute",
        FetchDirection::Relative(_) => "relative",
    }
}
