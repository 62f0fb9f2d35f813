//! sp_cursor: changes of rows of the fetch buffer, their locks, and the rows again.
//!
//! ```text
//!   columns as named values     UPDATE t SET [a] = @P1, [b] = @P2 WHERE CURRENT OF …     INSERT t ([a], [b]) VALUES (@P1, @P2)
//!   parts of a statement        SET a = 1, b = 2                                         VALUES (1, 2)
//!   a whole statement           UPDATE t SET a = 1                                       INSERT t VALUES (1, 2)
//! ```
//! What always holds: a row is changed as WHERE CURRENT OF changes it, with its checks of what stands there now; row 0 means all
//! rows of the buffer.

use std::sync::Arc;

use millpond_builtin::object_name;
use millpond_catalog::names_equal;
use millpond_code::cursor_model::{key_of, missed};
use millpond_code::cursors::{Concurrency, Cursor, Move};
use millpond_code::prepared_calls::{Declarations, Prepared, Slot};
use millpond_engine::module::Signature;
use millpond_engine::system_call::CallArg;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Done, DoneKind};
use millpond_message::text_size::TextSize;
use millpond_tsql::ast::{ObjectName, StatementKind};
use millpond_tsql::print::bracketed;
use millpond_types::{CastRules, SqlType, Value, cast};

use crate::answer::{Failure, Procedure, wanted};
use crate::buffer::{Place, Spot, is_numbered};
use crate::fetch::Block;
use crate::fetched::COMMAND_SELECT;
use crate::host::{Host, Mover};
use crate::kept::ApiCursor;
use crate::open::run_with;
use crate::option::invalid_handle;
use crate::options::{KEYSET, invalid};
use crate::origins::name_of;
use crate::texts;

const UPDATE: i32 = 0x1;
const DELETE: i32 = 0x2;
const INSERT: i32 = 0x4;
const REFRESH: i32 = 0x8;
const LOCK: i32 = 0x10;
const SET_POSITION: i32 = 0x20;
const ABSOLUTE: i32 = 0x40;

/// `sp_cursor cursor, optype, rownum, table, values`
///
/// # Errors
/// 16909 and 16902; 16929 for a cursor that only reads, 16930 and 16931 for a row that is not in its buffer, 16904, 16935 and 16936;
/// what the change raises.
pub fn sp_cursor(host: &mut dyn Host, args: &[CallArg]) -> Result<i32, Failure> {
    let procedure = Procedure::Cursor;
    let handle = wanted(procedure, args, 0, "cursor")?;
    let operation = wanted(procedure, args, 1, "optype")?;
    let row = wanted(procedure, args, 2, "rownum")?;
    if host.kept().get(handle).is_none() {
        return Err(invalid_handle(procedure.name(), handle));
    }
    let what = checked(operation)?;
    let Some(mut cursor) = host.kept().take(handle) else { return Err(invalid_handle(procedure.name(), handle)) };
    let done = with_cursor(host, &mut cursor, (operation, what, row), args);
    host.kept().put(handle, cursor);
    done
}

/// The one thing that an operation does, besides setting the position.
fn checked(operation: i32) -> Result<i32, Failure> {
    let refused = |error: SqlError| Failure { status: 1, ..error.into() };
    let what = operation & !(SET_POSITION | ABSOLUTE);
    if operation & ABSOLUTE != 0 && !matches!(what, UPDATE | DELETE) {
        return Err(refused(SqlError::of(16_904, 1, &[])));
    }
    let sets = operation & SET_POSITION != 0;
    match what {
        UPDATE | DELETE | REFRESH | LOCK => Ok(what),
        INSERT if !sets => Ok(what),
        0 if sets => Ok(what),
        _ => Err(refused(invalid(Procedure::Cursor.name(), "optype", 1))),
    }
}

fn with_cursor(
    host: &mut dyn Host,
    cursor: &mut ApiCursor,
    (operation, what, row): (i32, i32, i32),
    args: &[CallArg],
) -> Result<i32, Failure> {
    if what != REFRESH && what != 0 && !cursor.given.changes_rows() {
        return Err(SqlError::of(16_929, 1, &[]).into());
    }
    if cursor.cursor.lock().open.is_none() {
        return Err(SqlError::of(16_917, 2, &[]).into());
    }
    note_place(cursor);
    if what == INSERT {
        let change = Change::of(host, cursor, args, what)?;
        run_with(host, &cursor.cursor, &change.prepared, &change.args)?;
        append(host, cursor, args.get(4..).unwrap_or_default());
        return Ok(0);
    }
    // A row by its number among all, where these have numbers.
    let by_number = operation & ABSOLUTE != 0 && cursor.given.scroll == KEYSET;
    if what == 0 {
        // A row that is not in the buffer is the first.
        set_position(
            cursor,
            usize::try_from(row.saturating_sub(1)).ok().filter(|row| *row < cursor.buffer.count).unwrap_or(0),
        );
        return Ok(0);
    }
    if !by_number && cursor.buffer.place != Place::Rows {
        return Err(SqlError::of(16_931, 1, &[]).into());
    }
    let count = if by_number { i32::MAX as usize } else { cursor.buffer.count };
    let rows = match usize::try_from(row) {
        Ok(0) if !by_number => 0..count,
        Ok(row) if (1..=count).contains(&row) => row - 1..row,
        _ => return Err(SqlError::of(16_930, 1, &[]).into()),
    };
    let last = rows.end - 1;
    let done = match what {
        UPDATE | DELETE => Change::of(host, cursor, args, what).and_then(|change| {
            // Each row for itself: one that is not changed leaves the others to be.
            let mut done = Ok(());
            for row in rows {
                let changed = change_row(host, cursor, &change, (row, by_number));
                let is_over = !goes_on(&changed);
                done = done.and(changed);
                if is_over {
                    break;
                }
            }
            done
        }),
        LOCK => lock_rows(host, cursor, rows),
        _ => refresh_rows(host, cursor, rows),
    };
    if done.is_ok() && operation & SET_POSITION != 0 && !by_number {
        cursor.buffer.set_to = last;
    }
    let stands_on = cursor.buffer.set_to;
    set_position(cursor, stands_on);
    done.map(|()| 0)
}

/// Whether the next row is changed after what became of those before.
fn goes_on(done: &Result<(), Failure>) -> bool {
    // An error that has not been sent is raised: a TRY waits for it, or all is over.
    done.as_ref().err().is_none_or(|failure| failure.error.is_none())
}

/// What a change by the cursor's name has left of the row that it stands on is what is compared from now on.
fn note_place(cursor: &mut ApiCursor) {
    if let (Some(open), Some(spot)) = (&cursor.cursor.lock().open, cursor.buffer.spots.get_mut(cursor.buffer.set_to)) {
        *spot = Spot::of(open);
    }
}

/// The cursor stands on a row of its buffer.
fn set_position(cursor: &mut ApiCursor, row: usize) {
    let mut held = cursor.cursor.lock();
    let is_numbered = is_numbered(&held);
    let Some(open) = &mut held.open else { return };
    if cursor.buffer.place != Place::Rows {
        return;
    }
    cursor.buffer.set_to = row;
    match cursor.buffer.spots.get(row) {
        Some(spot) => spot.restore(open),
        None if is_numbered => {
            open.go(cursor.buffer.first_number + row as i64);
        }
        None => {
            if let Some(first) = &cursor.buffer.first {
                first.restore(open);
            }
        }
    }
}

fn change_row(
    host: &mut dyn Host,
    cursor: &mut ApiCursor,
    change: &Change,
    (row, by_number): (usize, bool),
) -> Result<(), Failure> {
    if by_number {
        let number = i64::try_from(row).unwrap_or(i64::MAX) + 1;
        let mut is_there = false;
        host.moving(&cursor.cursor, &mut |held, mover| {
            is_there = mover.step(held, Move::Absolute(number))?.1.is_some();
            Ok(())
        })?;
        if !is_there {
            return Err(SqlError::of(16_930, 1, &[]).into());
        }
    } else {
        set_position_only(cursor, row);
    }
    run_with(host, &cursor.cursor, &change.prepared, &change.args)?;
    if !by_number && let Some(open) = &cursor.cursor.lock().open {
        let now = Spot::of(open);
        // What is compared from now on is what stands there.
        match (row, cursor.buffer.count) {
            (0, _) => cursor.buffer.first = Some(now.clone()),
            (row, count) if row + 1 == count => cursor.buffer.last = Some(now.clone()),
            _ => {}
        }
        if let Some(spot) = cursor.buffer.spots.get_mut(row) {
            *spot = now;
        }
    }
    Ok(())
}

/// A row that was inserted through a keyset cursor, with its columns by name, is one of its rows from now on: the last.
fn append(host: &dyn Host, cursor: &ApiCursor, values: &[CallArg]) {
    if cursor.given.scroll != KEYSET {
        return;
    }
    let mut held = cursor.cursor.lock();
    let (bound, query) = (Arc::clone(&held.code.bound), Arc::clone(&held.code.code));
    let ([place], Some(again), Some(open)) = (&query.located[..], &query.again, &mut held.open) else { return };
    let def = &bound.tables[*place].def;
    let value = |column: usize| {
        let column = &def.columns[column];
        let is_it = |arg: &&CallArg| {
            arg.name.as_deref().is_some_and(|name| names_equal(name.trim_start_matches('@'), &column.name))
        };
        match values.iter().find(is_it) {
            Some(CallArg { value: Some(value), sql, .. }) => {
                cast::cast(value, sql, &column.ty.sql, None, CastRules::DEFAULT).ok()
            }
            None if column.identity.is_some() => {
                let identity = host.identity().map(Value::BigInt)?;
                cast::cast(&identity, &SqlType::BigInt, &column.ty.sql, None, CastRules::DEFAULT).ok()
            }
            _ => None,
        }
    };
    let Some(keys) = key_of(def).and_then(|key| key.into_iter().map(value).collect::<Option<Vec<Value>>>()) else {
        return;
    };
    // What stands in it is read by its key when it is fetched.
    let mut row = vec![Value::Null; again.keys_at];
    row.extend(keys);
    open.rows.push(row);
}

/// The same without a word about where the cursor is to stand after the call.
fn set_position_only(cursor: &mut ApiCursor, row: usize) {
    let set_to = cursor.buffer.set_to;
    set_position(cursor, row);
    cursor.buffer.set_to = set_to;
}

/// The row at a place of the buffer as it is now.
fn again(cursor: &ApiCursor, held: &mut Cursor, mover: &mut dyn Mover, row: usize) -> SqlResult<Option<Vec<Value>>> {
    if is_numbered(held) {
        let number = cursor.buffer.first_number.saturating_add(row as i64);
        return Ok(mover.step(held, Move::Absolute(number))?.1);
    }
    match (cursor.buffer.spots.get(row).or(cursor.buffer.first.as_ref()), &mut held.open) {
        (Some(spot), Some(open)) => spot.restore(open),
        _ => return Ok(None),
    }
    // Of a cursor that only reads the first row is known, and how far the others are from it.
    let by = if cursor.buffer.spots.is_empty() { row as i64 } else { 0 };
    Ok(mover.step(held, Move::Relative(by))?.1)
}

/// Locks rows for a change, to the end of the transaction.
fn lock_rows(host: &mut dyn Host, cursor: &ApiCursor, rows: std::ops::Range<usize>) -> Result<(), Failure> {
    host.moving(&cursor.cursor, &mut |held, mover| {
        let before = held.concurrency;
        held.concurrency = Concurrency::Locked;
        let locked = rows.clone().try_for_each(|row| again(cursor, held, mover, row).map(|_| ()));
        held.concurrency = before;
        locked
    })?;
    Ok(())
}

/// Sends rows again, as they are now.
fn refresh_rows(host: &mut dyn Host, cursor: &ApiCursor, rows: std::ops::Range<usize>) -> Result<(), Failure> {
    let text_size = TextSize::of(host.text_size(), &cursor.columns);
    let missing = missed(&cursor.columns[..cursor.columns.len() - 1], true);
    let mut block = Block { given: cursor.given, columns: &cursor.columns, text_size, missing };
    let count = rows.len();
    host.moving(&cursor.cursor, &mut |held, mover| {
        mover.columns(&cursor.columns, &cursor.origins)?;
        rows.clone().try_for_each(|row| {
            let row = again(cursor, held, mover, row)?;
            block.send(mover, row)
        })
    })?;
    let row_count = Some(count as u64);
    host.sink().done(Done { kind: DoneKind::InProcedure, row_count, error: false, command: COMMAND_SELECT });
    Ok(())
}

/// A change as a text.
struct Change {
    prepared: Prepared,
    args: Vec<CallArg>,
}

impl Change {
    fn of(host: &mut dyn Host, cursor: &ApiCursor, args: &[CallArg], what: i32) -> Result<Change, Failure> {
        let table = table_of(host, cursor, args.get(3))?;
        let values = args.get(4..).unwrap_or_default();
        let named = |arg: &&CallArg| arg.name.as_deref().is_some_and(|name| !is_values(name));
        let (columns, parts): (Vec<&CallArg>, Vec<&CallArg>) = values.iter().partition(named);
        if what == DELETE {
            return Ok(Change::plain(format!("DELETE FROM {table} {}", texts::current())));
        }
        let word = if what == UPDATE { "UPDATE" } else { "INSERT" };
        match (columns.is_empty(), parts.is_empty()) {
            (true, true) => Err(SqlError::of(16_935, 1, &[&word]).into()),
            (false, false) => Err(SqlError::of(16_936, 1, &[]).into()),
            (true, false) => {
                let text = |part: &&CallArg| part.value.as_ref().and_then(Value::as_str).map(str::to_owned);
                let parts = parts.iter().map(text).collect::<Option<Vec<String>>>();
                let text = parts.ok_or_else(|| SqlError::of(16_936, 1, &[]))?.join(", ");
                let text = if what == UPDATE { update(&table, &text) } else { insert(&table, &text) };
                let text = text.ok_or_else(|| SqlError::of(16_928, 1, &[]))?;
                // One statement, of one row.
                let is_it = match &host.parse(&text)?.batch.statements[..] {
                    [one] if what == UPDATE => matches!(one.kind, StatementKind::Update(_)),
                    [one] => matches!(one.kind, StatementKind::Insert(_)),
                    _ => false,
                };
                if is_it { Ok(Change::plain(text)) } else { Err(SqlError::of(16_936, 1, &[]).into()) }
            }
            (false, true) => Ok(Change::of_columns(&table, &columns, what)),
        }
    }

    fn plain(text: String) -> Change {
        Change { prepared: texts::plain(&text), args: Vec::new() }
    }

    /// Values that have the names of columns with `@`.
    fn of_columns(table: &str, columns: &[&CallArg], what: i32) -> Change {
        let name = |arg: &&CallArg| bracketed(arg.name.as_deref().unwrap_or("").trim_start_matches('@'));
        let names: Vec<String> = columns.iter().map(name).collect();
        let values: Vec<String> = (1..=columns.len()).map(|number| format!("@P{number}")).collect();
        let text = if what == UPDATE {
            let set = names.iter().zip(&values).map(|(name, value)| format!("{name} = {value}"));
            format!("UPDATE {table} SET {} {}", set.collect::<Vec<String>>().join(", "), texts::current())
        } else {
            format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "))
        };
        let declared = Declarations {
            order: (0..columns.len()).map(Slot::Scalar).collect(),
            outputs: vec![false; columns.len()],
            signature: Arc::new(Signature { names: values, types: columns.iter().map(|arg| arg.sql).collect() }),
            ..Declarations::default()
        };
        let unnamed = |arg: &&CallArg| CallArg { name: None, output: false, ..(*arg).clone() };
        let prepared = Prepared { text: Arc::from(text), declared: Arc::new(declared) };
        Change { prepared, args: columns.iter().map(unnamed).collect() }
    }
}

fn is_values(name: &str) -> bool {
    name.is_empty() || name.eq_ignore_ascii_case("@values")
}

/// The table that a change is of: the one that is named, else the first of FROM.
fn table_of(host: &dyn Host, cursor: &ApiCursor, table: Option<&CallArg>) -> Result<String, Failure> {
    let named = table.and_then(|table| table.value.as_ref()).and_then(Value::as_str).filter(|name| !name.is_empty());
    if let Some(named) = named {
        return Ok(object_name(named).map_or_else(|| bracketed(named), |name| texts::printed(&name)));
    }
    let held = cursor.cursor.lock();
    let tables = &held.code.bound.tables;
    let first = held.code.code.located.first().and_then(|place| tables.get(*place));
    let first = first.ok_or_else(|| Failure::from(SqlError::of(16_929, 1, &[])))?;
    Ok(texts::printed(&ObjectName { parts: name_of(host, &first.def) }))
}

/// The word that a text begins with, and whether it is this one.
fn begins_with(text: &str, word: &str) -> bool {
    let text = text.trim_start();
    let rest = text.get(..word.len()).filter(|begin| begin.eq_ignore_ascii_case(word)).map(|_| &text[word.len()..]);
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

fn update(table: &str, text: &str) -> Option<String> {
    let current = texts::current();
    Some(match () {
        () if begins_with(text, "UPDATE") => format!("{text}\n{current}"),
        () if begins_with(text, "SET") => format!("UPDATE {table} {text}\n{current}"),
        () => format!("UPDATE {table} SET {text}\n{current}"),
    })
}

/// None for rows of EXEC, which no cursor inserts.
fn insert(table: &str, text: &str) -> Option<String> {
    let trimmed = text.trim();
    if begins_with(trimmed, "EXEC") || begins_with(trimmed, "EXECUTE") {
        return None;
    }
    Some(match () {
        () if begins_with(trimmed, "INSERT") => trimmed.to_owned(),
        () if begins_with(trimmed, "VALUES") || begins_with(trimmed, "DEFAULT") => {
            format!("INSERT INTO {table} {trimmed}")
        }
        () if trimmed.starts_with('(') && trimmed.ends_with(')') => format!("INSERT INTO {table} VALUES {trimmed}"),
        () => format!("INSERT INTO {table} VALUES ({trimmed}\n)"),
    })
}
