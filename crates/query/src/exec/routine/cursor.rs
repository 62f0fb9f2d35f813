//! Cursors: DECLARE, OPEN, FETCH, CLOSE, DEALLOCATE, by name and by variable.
//!
//! ```text
//!   declared ──OPEN──▶ rows, before the first ──FETCH──▶ on a row ⇄ past either end ──CLOSE──▶ declared
//! ```
//! What always holds:
//! - C1: OPEN takes all rows, or none of a cursor that reads as it goes (`direct::walk`); what FETCH sees of later changes is by the
//!   cursor's model (`code::cursor_model`). FAST_FORWARD and FORWARD_ONLY go forward only.
//! - C2: the variables of a cursor's query have the values that they had at DECLARE; its names mean what they mean at
//!   OPEN (`exec::routine::renewed_cursor`).
//! - C3: a LOCAL cursor, and one that only a variable names, ends with its text; a GLOBAL one with DEALLOCATE or with
//!   the session.
//! - C4: a cursor that may change rows keeps with each the locators of the tables that it is of; UPDATE and DELETE WHERE
//!   CURRENT OF lock and change the row that is there now, if the table's rows are still where OPEN found them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_code::code::Again;
use millpond_code::cursor_code::{CursorCode, are_same_rows, changes_current};
use millpond_code::cursor_model::{Model, missed};
use millpond_code::cursors::{Concurrency, Counted, Cursor, CursorRef, Move, OpenCursor, direction_word, emptied};
use millpond_direct::walk::Stand;
use millpond_engine::account::cursor_accounts::{CursorOperation, CursorWork};
use millpond_engine::context::TableBinding;
use millpond_engine::rows::TableRows;
use millpond_engine::security::redaction::redacted;
use millpond_engine::stored::{Found, StoredTable};
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::text_size::TextSize;
use millpond_rows::write::{Writer, stamp_of};
use millpond_storage::database::options::DatabaseFlag;
use millpond_tsql::ast::{
    Assignment, CursorChange, CursorDefinition, CursorName, DeclareCursor, ExprKind, Fetch, FetchDirection, Statement,
};
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

use crate::exec::batch::account::notes;
use crate::exec::batch::result_sets::refused;
use crate::exec::batch::transaction::note_cursors;
use crate::exec::batch::{BatchRun, COMMAND_SELECT, scalar, scope, transaction};
use crate::exec::routine::renewed_cursor;
use millpond_rights::needs;

/// @@FETCH_STATUS of a FETCH that is on no row.
const NO_ROW: i32 = -1;
/// Of one whose row is gone.
const MISSED: i32 = -2;

pub(in crate::exec) fn declare_cursor(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    declare: &DeclareCursor,
) -> SqlResult<()> {
    let key = declare.name.to_lowercase();
    let is_local = is_declared_local(run, declare);
    let known = if is_local { run.cursors.contains_key(&key) } else { run.session.cursors.contains_key(&key) };
    if known {
        return Err(SqlError::of(16_915, 1, &[&declare.name]));
    }
    let cursor = new_cursor(run, statement, &declare.cursor, (&declare.name, is_local))?;
    let cursors = if is_local { &mut run.cursors } else { &mut run.session.cursors };
    cursors.insert(key, Some(cursor));
    note_cursors(run);
    run.done_quietly(0);
    Ok(())
}

/// Without LOCAL and GLOBAL the option CURSOR_DEFAULT of the current database says which.
fn is_declared_local(run: &BatchRun<'_>, declare: &DeclareCursor) -> bool {
    let has = |word: &str| declare.cursor.options.iter().any(|option| option == word);
    has("LOCAL")
        || !has("GLOBAL") && {
            let database = run.ctx.engine.instance().database(run.ctx.facts.database);
            database.is_some_and(|database| database.options().is_on(DatabaseFlag::CursorDefaultLocal))
        }
}

/// `SET @c = CURSOR …`
pub(in crate::exec) fn set_cursor(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    variable: &str,
    definition: &CursorDefinition,
) -> SqlResult<()> {
    let key = variable.to_lowercase();
    if !run.cursors.contains_key(&key) {
        return Err(message::undeclared_variable(variable));
    }
    let cursor = new_cursor(run, statement, definition, (variable, true))?;
    run.cursors.insert(key, Some(cursor));
    note_cursors(run);
    run.done_quietly(0);
    Ok(())
}

/// `SET @c = other`: another name for the same cursor.
pub(in crate::exec) fn share_cursor(run: &mut BatchRun<'_>, assignment: &Assignment) -> SqlResult<()> {
    let name = match &assignment.value.kind {
        ExprKind::Variable(name) => name.clone(),
        ExprKind::Column(name) if name.parts.len() == 1 => name.parts[0].clone(),
        _ => {
            return Err(SqlError::of(16_949, 1, &[&assignment.variable]));
        }
    };
    let cursor = cursor(run, &CursorName { name, global: false })?;
    run.cursors.insert(assignment.variable.to_lowercase(), Some(cursor));
    note_cursors(run);
    run.done_quietly(0);
    Ok(())
}

/// `DECLARE @c CURSOR`
pub(in crate::exec) fn declare_cursor_variable(run: &mut BatchRun<'_>, name: &str) {
    run.cursors.entry(name.to_lowercase()).or_default();
    note_cursors(run);
}

/// Whether a variable is one that holds cursors.
pub(in crate::exec) fn is_cursor_variable(run: &BatchRun<'_>, name: &str) -> bool {
    !run.cursors.is_empty() && run.cursors.contains_key(&name.to_lowercase())
}

/// The argument of a CURSOR parameter: the procedure gives the variable a cursor.
///
/// # Errors
/// 16949 without OUTPUT, 16951 for a variable that has a cursor already.
pub(in crate::exec) fn argument(
    run: &BatchRun<'_>,
    name: Option<String>,
    variable: &str,
    output: bool,
) -> SqlResult<CallArg> {
    let key = variable.to_lowercase();
    if !output {
        return Err(SqlError::of(16_949, 2, &[&variable]));
    }
    if run.cursors.get(&key).is_some_and(Option::is_some) {
        return Err(SqlError::of(16_951, 1, &[&variable]));
    }
    Ok(CallArg { name, value: None, sql: SqlType::Int, output, table: None, sent: None, cursor: Some(key) })
}

/// What the procedure has left in its CURSOR parameters goes to the variables of its caller; a cursor that is closed does not.
pub(in crate::exec) fn take_back(run: &mut BatchRun<'_>, wanted: &[(String, String)]) {
    let mut handed = std::mem::take(&mut run.session.handed);
    for (parameter, variable) in wanted {
        let cursor = handed.remove(parameter).flatten().filter(|cursor| cursor.lock().open.is_some());
        run.cursors.insert(variable.clone(), cursor);
    }
    if !wanted.is_empty() {
        note_cursors(run);
    }
}

fn new_cursor(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    definition: &CursorDefinition,
    known_as: (&str, bool),
) -> SqlResult<CursorRef> {
    let has = |words: &[&str]| definition.options.iter().any(|option| words.contains(&option.as_str()));
    let update_of: Vec<String> = match &definition.change {
        Some(CursorChange::Update(columns)) => columns.iter().filter_map(|name| name.parts.last().cloned()).collect(),
        _ => Vec::new(),
    };
    let code = renewed_cursor::declared(run, statement, definition)?;
    let reads =
        has(&["INSENSITIVE", "STATIC", "READ_ONLY", "FAST_FORWARD"]) || !code.updatable || code.code.located.is_empty();
    if reads && matches!(definition.change, Some(CursorChange::Update(_))) {
        return Err(SqlError::of(16_957, 4, &[]));
    }
    let tables = code.code.located.iter().flat_map(|place| &code.bound.tables[*place].def.columns);
    let of_views = code.bound.views.iter().flat_map(|(_, view)| view.columns.iter());
    let known: Vec<&str> =
        tables.map(|column| column.name.as_str()).chain(of_views.map(|name| name.as_str())).collect();
    if let Some(unknown) = update_of.iter().find(|name| !known.iter().any(|known| names_equal(known, name))) {
        return Err(SqlError::of(207, 1, &[unknown]));
    }
    let scrolls = has(&["SCROLL", "STATIC", "KEYSET", "DYNAMIC", "INSENSITIVE"])
        && !has(&["FORWARD_ONLY", "FAST_FORWARD"])
        && (has(&["SCROLL", "STATIC", "KEYSET", "DYNAMIC"]));
    let concurrency = match code.updatable && !code.code.located.is_empty() {
        true if has(&["SCROLL_LOCKS"]) => Concurrency::Locked,
        // It is what a cursor does that says nothing; no row is looked at for a change that no text makes.
        true if has(&["OPTIMISTIC"]) || changes_current(&run.parsed.text) => Concurrency::Compared,
        _ => Concurrency::None,
    };
    let of = (&run.ctx.session, run.ctx.moment().1);
    Ok(Arc::new(Mutex::new(Cursor::new(of, known_as, code, (scrolls, concurrency), update_of))))
}

/// An error of looking at the rows of an open cursor: a change of their table since OPEN is 16943, and not tried again.
fn of_cursor(run: &mut BatchRun<'_>, error: SqlError) -> SqlError {
    if error.number == message::SCHEMA_CHANGED {
        run.is_stale = false;
        return SqlError::of(16_943, 1, &[]);
    }
    error
}

/// Looks at the rows of the tables that the fetched row is of, or locks them.
fn look_at_rows(run: &mut BatchRun<'_>, cursor: &Cursor, row: &[Value]) -> SqlResult<Vec<Option<u64>>> {
    let (query, locks) = (&cursor.code.code, cursor.concurrency == Concurrency::Locked);
    let looked = read(run, &cursor.code, cursor.code.values.clone(), |run| {
        let ctx = Arc::clone(&run.ctx);
        let one = |(place, binding): (usize, &usize)| {
            let table = &ctx.tables[*binding];
            let (TableRows::Trees(trees), Value::Binary(key)) = (&table.rows, &row[query.columns.len() + place]) else {
                return Ok(None);
            };
            if locks {
                let (ask, large) = (ctx.ask(*binding), ctx.ask_lob(*binding));
                let mut writer = Writer::new(&mut run.session.work, &ctx, ask, &table.def, trees, large);
                return writer.lock(key, &mut Vec::new()).map(|is_there| is_there.then(|| writer.stamp()));
            }
            let mut found = Found::default();
            let is_there = StoredTable::open(&ctx, *binding).get(0, true, key, &mut found)?;
            Ok(is_there.then(|| stamp_of(&found.record)))
        };
        query.located.iter().enumerate().map(one).collect::<SqlResult<Vec<_>>>()
    });
    looked.map_err(|error| of_cursor(run, error))
}

/// The row that a cursor stands on was changed through it: what is compared from now on is what stands there.
pub(in crate::exec) fn changed_through(run: &mut BatchRun<'_>, name: &CursorName) -> SqlResult<()> {
    let cursor = cursor(run, name)?;
    let mut cursor = cursor.lock();
    let row = cursor.open.as_ref().and_then(|open| open.rows.get(open.position.checked_sub(1)?)).cloned();
    let Some(row) = row.filter(|_| cursor.concurrency == Concurrency::Compared) else { return Ok(()) };
    match note_rows(run, &mut cursor, &row) {
        // The row is changed, and stays so. No stamp is known of it, so the cursor changes it only after another FETCH.
        Err(error) if matches!(error.number, 16_943 | 1222) => {
            cursor.open.iter_mut().for_each(OpenCursor::forget_stamps);
            Ok(())
        }
        noted => noted,
    }
}

/// Takes note of what stands in the rows that the cursor is on.
fn note_rows(run: &mut BatchRun<'_>, cursor: &mut Cursor, row: &[Value]) -> SqlResult<()> {
    let stamps = look_at_rows(run, cursor, row)?;
    if let Some(open) = &mut cursor.open {
        open.stamps = stamps;
    }
    Ok(())
}

/// Where in `target` the row is that a cursor stands on, and what stood in it if that is to be compared; `set` are the columns that are to change.
///
/// # Errors
/// 16929 for a cursor that only reads, 16931 when it is on no row, 16932 for a column that FOR UPDATE OF does not
/// name, 16933 for another table, 16943 for one whose rows were moved since OPEN.
pub(in crate::exec) fn current_row(
    run: &BatchRun<'_>,
    name: &CursorName,
    target: &TableBinding,
    set: &[String],
) -> SqlResult<(Value, Option<u64>)> {
    let cursor = cursor(run, name)?;
    let cursor = cursor.lock();
    let (query, tables, def) = (&cursor.code.code, &cursor.code.bound.tables, &target.def);
    let open = cursor.open.as_ref().ok_or_else(|| SqlError::of(16_917, 1, &[]))?;
    if query.located.is_empty() || !cursor.code.updatable {
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
    if !are_same_rows(&open.homes[place], &target.rows) || emptied(&target.rows) != open.emptied[place] {
        return Err(SqlError::of(16_943, 1, &[]));
    }
    let stamp = open.stamps.get(place).copied().flatten().filter(|_| cursor.concurrency == Concurrency::Compared);
    Ok((row[query.columns.len() + place].clone(), stamp))
}

fn cursor(run: &BatchRun<'_>, name: &CursorName) -> SqlResult<CursorRef> {
    let key = name.name.to_lowercase();
    let local = run.cursors.get(&key).filter(|_| !name.global);
    match local.or_else(|| run.session.cursors.get(&key)) {
        Some(Some(cursor)) => Ok(Arc::clone(cursor)),
        Some(None) => Err(SqlError::of(16_950, 2, &[&name.name])),
        None => Err(SqlError::of(16_916, 1, &[&name.name])),
    }
}

pub(in crate::exec) fn open_cursor(run: &mut BatchRun<'_>, name: &CursorName) -> SqlResult<()> {
    let cursor = cursor(run, name)?;
    let mut cursor = cursor.lock();
    if cursor.open.is_some() {
        return Err(SqlError::of(16_905, 1, &[]));
    }
    let work = CursorWork::begin(&run.ctx.session.task, run.ctx.engine.clock_us());
    renewed_cursor::renew_cursor(run, &mut cursor.code, false)?;
    // OPEN runs the query: by the rights of who opens, wherever it was declared.
    needs::check_needs(&run.ctx, &cursor.code.bound.needs)?;
    let (bound, query) = (Arc::clone(&cursor.code.bound), Arc::clone(&cursor.code.code));
    let limit = scalar::row_limit(run);
    let mut rows: Vec<Vec<Value>> = Vec::new();
    if !bound.tables.is_empty() {
        transaction::implicit_begin(run);
    }
    // What ROWCOUNT cuts off is known when all rows are.
    let walks = query.walk.is_some() && limit == u64::MAX;
    if !walks {
        let mut take = |row: &[Value]| {
            rows.push(row.to_vec());
            Ok(if rows.len() as u64 >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        read(run, &cursor.code, cursor.code.values.clone(), |run| query.runner.run(&run.ctx, &mut take))?;
    }
    let is_dynamic = matches!(query.model, Model::Dynamic | Model::FastForward);
    let counted = Counted::new(&run.ctx.session, (!is_dynamic).then_some(rows.len()));
    let located = query.located.iter().map(|place| emptied(&bound.tables[*place].rows));
    cursor.open = Some(OpenCursor {
        rows,
        stand: walks.then(Stand::default),
        position: 0,
        homes: query.located.iter().map(|place| bound.tables[*place].rows.clone()).collect(),
        emptied: located.collect(),
        stamps: Vec::new(),
        is_dynamic,
        _counted: counted,
    });
    cursor.did(work, CursorOperation::Open, None, run.ctx.moment());
    drop(cursor);
    note_cursors(run);
    run.done_quietly(0);
    Ok(())
}

/// A FETCH that fails is on no row.
pub(in crate::exec) fn fetch(run: &mut BatchRun<'_>, statement: &Statement, fetch: &Fetch) -> SqlResult<()> {
    let fetched = fetch_row(run, statement, fetch);
    if fetched.is_err() {
        run.ctx.session.fetch_status.store(NO_ROW, Relaxed);
    }
    fetched
}

fn fetch_row(run: &mut BatchRun<'_>, statement: &Statement, fetch: &Fetch) -> SqlResult<()> {
    let direction = fetch_move(run, statement, &fetch.direction)?;
    let cursor = cursor(run, &fetch.cursor)?;
    let mut cursor = cursor.lock();
    if !cursor.scrolls && !matches!(fetch.direction, FetchDirection::Next) {
        return Err(SqlError::of(16_911, 1, &[&"fetch", &direction_word(&fetch.direction)]));
    }
    if cursor.code.code.model == Model::Dynamic && matches!(fetch.direction, FetchDirection::Absolute(_)) {
        return Err(SqlError::of(16_925, 1, &[&"Absolute"]));
    }
    if !cursor.code.bound.tables.is_empty() {
        transaction::implicit_begin(run);
    }
    if cursor.open.is_none() {
        return Err(SqlError::of(16_917, 2, &[]));
    }
    let query = Arc::clone(&cursor.code.code);
    if !fetch.into.is_empty() && fetch.into.len() != query.columns.len() {
        return Err(SqlError::of(16_924, 1, &[]));
    }
    let work = CursorWork::begin(&run.ctx.session.task, run.ctx.engine.clock_us());
    let (status, row) = step(run, &mut cursor, direction)?;
    let row = row.or_else(|| (status == MISSED).then(|| missed(&query.columns, fetch.into.is_empty())));
    let rows = u64::from(row.is_some());
    if fetch.into.is_empty() {
        run.sink.columns(&query.columns).map_err(|gone| refused(run.sink, gone))?;
        if let Some(row) = row {
            let row = &row[..query.columns.len()];
            let mut text_size = TextSize::of(run.ctx.facts.settings.textsize, &query.columns);
            let row = text_size.as_mut().map_or(row, |text_size| text_size.cut(row));
            run.sink.row(row).map_err(|gone| refused(run.sink, gone))?;
        }
    } else if let Some(row) = row {
        for ((name, value), column) in fetch.into.iter().zip(row).zip(&query.columns) {
            fetch_into(run, name, &value, &column.sql_type)?;
        }
    }
    run.ctx.session.fetch_status.store(status, Relaxed);
    cursor.did(work, CursorOperation::Fetch, Some(status), run.ctx.moment());
    if fetch.into.is_empty() {
        run.done_rows(rows, COMMAND_SELECT);
    } else {
        run.done_quietly(rows);
    }
    Ok(())
}

/// Moves, and looks at the rows of tables there or locks them where the cursor changes these; the status and the row.
pub(in crate::exec) fn step(
    run: &mut BatchRun<'_>,
    cursor: &mut Cursor,
    direction: Move,
) -> SqlResult<(i32, Option<Vec<Value>>)> {
    let (status, row) = moved(run, cursor, direction)?;
    if let Some(row) = row.as_ref().filter(|_| cursor.concurrency != Concurrency::None) {
        note_rows(run, cursor, row)?;
    }
    Ok((status, row))
}

/// Moves; the status, and the row there as the cursor's model sees it.
fn moved(run: &mut BatchRun<'_>, cursor: &mut Cursor, direction: Move) -> SqlResult<(i32, Option<Vec<Value>>)> {
    let Cursor { code, open: Some(open), .. } = cursor else { return Err(SqlError::of(16_917, 2, &[])) };
    let query = Arc::clone(&code.code);
    let as_it_was = |open: &mut OpenCursor| {
        let target = open.target(direction);
        let row = open.go(target).map(<[Value]>::to_vec);
        Ok((if row.is_some() { 0 } else { NO_ROW }, row))
    };
    if query.again.is_none() && open.stand.is_none() {
        return as_it_was(open);
    }
    let changed = || SqlError::of(16_943, 1, &[]);
    let renewed = renewed_cursor::renew_cursor(run, code, true);
    // Others change the table faster than the query can be bound again, which is no better.
    let is_change = |number: i32| message::is_of_binding(number) || number == message::SCHEMA_CHANGED;
    renewed.map_err(|error| if is_change(error.number) { changed() } else { error })?;
    if !Arc::ptr_eq(&query, &code.code) {
        return Err(changed());
    }
    // Where a row has a key of its own it is found again by that, wherever it is in the index.
    if let (Some(stand), Some(walk)) = (&open.stand, &query.walk)
        && (query.again.is_none() || !matches!(direction, Move::Relative(0)))
    {
        if !are_same_rows(&open.homes[0], &code.bound.tables[walk.binding()].rows) {
            return Err(changed());
        }
        let (mut stand, by) = match direction {
            Move::Relative(by) => (stand.clone(), by),
            // FIRST and LAST.
            Move::Absolute(to) => (if to < 0 { Stand::After } else { Stand::Before }, to),
        };
        let read = read(run, code, code.values.clone(), |run| walk.go(&run.ctx, &mut stand, by));
        let row = read.map_err(|error| of_cursor(run, error))?;
        if row.is_none() && matches!(stand, Stand::At(_)) {
            return Ok((MISSED, None));
        }
        open.stand_on(stand, row.clone());
        return Ok((if row.is_some() { 0 } else { NO_ROW }, row));
    }
    let Some(again) = &query.again else { return as_it_was(open) };
    let (step, mut steps) = match direction {
        _ if query.model != Model::Dynamic => (0, 0),
        Move::Relative(by) => (by.signum(), by.unsigned_abs()),
        // FIRST and LAST.
        Move::Absolute(to) => {
            open.go(if to < 0 { i64::MAX } else { 0 });
            (if to < 0 { -1 } else { 1 }, 1)
        }
    };
    if steps == 0 {
        let target = if query.model == Model::Dynamic { open.position as i64 } else { open.target(direction) };
        let Some(row) = open.go(target) else { return Ok((NO_ROW, None)) };
        let row = found_again(run, code, again, row)?;
        if let Some(row) = &row {
            open.rows[open.position - 1].clone_from(row);
        }
        return Ok((if row.is_some() { 0 } else { MISSED }, row));
    }
    loop {
        let target = open.position as i64 + step;
        let Some(row) = open.go(target) else { return Ok((NO_ROW, None)) };
        let Some(row) = found_again(run, code, again, row)? else { continue };
        open.rows[open.position - 1].clone_from(&row);
        steps -= 1;
        if steps == 0 {
            return Ok((0, Some(row)));
        }
    }
}

/// A row of the cursor as it is now.
fn found_again(
    run: &mut BatchRun<'_>,
    code: &CursorCode,
    again: &Again,
    row: &[Value],
) -> SqlResult<Option<Vec<Value>>> {
    let mut values = code.values.clone();
    values.resize(again.first, Value::Null);
    values.extend_from_slice(&row[again.keys_at..]);
    let mut found = None;
    let mut take = |row: &[Value]| {
        found = Some(row.to_vec());
        Ok(ControlFlow::Break(()))
    };
    let read = read(run, code, values, |run| again.runner.run(&run.ctx, &mut take));
    read.map_err(|error| of_cursor(run, error))?;
    Ok(found)
}

/// Reads as a cursor's query, which sees the variables of its declaration, or these and keys.
fn read<T>(
    run: &mut BatchRun<'_>,
    code: &CursorCode,
    values: Vec<Value>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let mut ctx = Arc::new(renewed_cursor::cursor_context(run, code, values));
    std::mem::swap(&mut run.ctx, &mut ctx);
    let read = scope::reading(run, work).map_err(|error| redacted(&run.ctx, &run.ctx.tables, error));
    notes::send_notes(run);
    std::mem::swap(&mut run.ctx, &mut ctx);
    read
}

fn fetch_into(run: &mut BatchRun<'_>, name: &str, value: &Value, from: &SqlType) -> SqlResult<()> {
    let (slot, to) = run.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
    let value = millpond_types::cast::cast(value, from, &to, None, run.ctx.cast_rules()).map_err(message::of_eval)?;
    run.ctx.charge(&value)?;
    run.ctx_mut().variables[slot] = value;
    Ok(())
}

fn fetch_move(run: &mut BatchRun<'_>, statement: &Statement, direction: &FetchDirection) -> SqlResult<Move> {
    let mut number = |expr| -> SqlResult<i64> {
        Ok(scalar::scalar(run, statement, 1, expr, Some(SqlType::BigInt))?.as_i64().unwrap_or(0))
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

pub(in crate::exec) fn close_cursor(run: &mut BatchRun<'_>, name: &CursorName) -> SqlResult<()> {
    let cursor = cursor(run, name)?;
    let mut cursor = cursor.lock();
    if cursor.open.take().is_none() {
        return Err(SqlError::of(16_917, 1, &[]));
    }
    let work = CursorWork::begin(&run.ctx.session.task, run.ctx.engine.clock_us());
    cursor.did(work, CursorOperation::Close, None, run.ctx.moment());
    drop(cursor);
    note_cursors(run);
    run.done_quietly(0);
    Ok(())
}

pub(in crate::exec) fn deallocate_cursor(run: &mut BatchRun<'_>, name: &CursorName) -> SqlResult<()> {
    cursor(run, name)?;
    let key = name.name.to_lowercase();
    match run.cursors.get_mut(&key).filter(|_| !name.global) {
        Some(held) if key.starts_with('@') => *held = None,
        Some(_) => {
            run.cursors.remove(&key);
        }
        None => {
            run.session.cursors.remove(&key);
        }
    }
    note_cursors(run);
    run.done_quietly(0);
    Ok(())
}
