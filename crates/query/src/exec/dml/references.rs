//! FOREIGN KEY: what refers has a row that it refers to, at the end of each statement.
//!
//! The row that is referred to is locked as it is found, so that it stays until the transaction ends. What happens to
//! rows that refer to one that goes (CASCADE …) is a change of them like any other, with its own references.
//!
//! ```text
//!   changed rows ─▶ per key: find all that refer ─▶ change them as one set ─▶ their keys, and so on ─▶ NO ACTION, new values
//! ```
//! A table that a key leads to is opened as the statement's own are: its definition is locked to the end of the statement, and
//! then looked up.
//!
//! What always holds: K1: the rows of a key that a change reaches are all found before one of them is changed. K2: nothing
//! is refused by 547 of a FOREIGN KEY before all cascades of the statement are done.

use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use millpond_bind::{BoundChange, Change};
use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::large::Large;
use millpond_catalog::run::Run;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{ForeignKeyDef, IndexDef, ObjectId, ReferentialAction, TableDef, after_all};
use millpond_engine::context::RunContext;
use millpond_engine::security::redaction::redacted_for;
use millpond_engine::stored::check_keys;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::changes::{ChangedRow, moves};
use millpond_rows::row::{Asked, Verb, check_row, check_stored_row, compute_changed, stored};
use millpond_rows::unread::Unread;
use millpond_rows::write::Writer;
use millpond_storage::contract::DbId;
use millpond_txn::lock::LockMode;
use millpond_txn::read;
use millpond_txn::{Isolation, ReadHint};
use millpond_types::{KeyOrder, Value, append_key};

use crate::exec::batch::{BatchRun, scope};
use crate::exec::dml::views;
use millpond_names::triggers;

pub use millpond_engine::stored::{Entries, IndexScan, place_of, split_payload};

/// Cascades that may follow each other.
const CASCADES_MAX: u32 = 32;

/// A table with its rows, found by number.
pub(in crate::exec) type Table = (Arc<TableDef>, Arc<TableTrees>);

/// Sees a row as an index has it, where the columns that are asked for are in it, and the row's locator.
type OnRow<'a> = &'a mut dyn FnMut(&[Value], &[usize], &[u8]) -> ControlFlow<()>;

/// Rows that are looked for by some columns.
struct Wanted<'a> {
    table: &'a Table,
    /// Positions of the columns.
    columns: &'a [usize],
    values: &'a [Value],
    /// Those that are found are locked so that they stay.
    stay: bool,
}

/// What is asked about a foreign key when all cascades of the statement are done.
enum Unsettled {
    /// Each of these values has its row.
    Refers { def: Arc<TableDef>, key: ForeignKeyDef, values: Vec<Vec<Value>> },
    /// Nobody refers to one of these values that is gone.
    Gone { def: Arc<TableDef>, other: Table, key: ForeignKeyDef, values: Vec<Vec<Value>> },
}

/// A row that refers to one that is gone or has other values now.
struct Hit {
    locator: Vec<u8>,
    action: ReferentialAction,
    /// The values that the row it refers to has now; none when that is gone.
    values: Option<Vec<Value>>,
}

impl Hit {
    fn goes(&self) -> bool {
        self.action == ReferentialAction::Cascade && self.values.is_none()
    }
}

/// A statement's changes on their way from table to table.
struct Spread<'a> {
    ctx: &'a Arc<RunContext>,
    /// The statement, as messages name it.
    verb: &'static str,
    open: Vec<Unsettled>,
}

/// Whether a change of the table must look at references: its own or others' to it.
pub(in crate::exec) fn has_references(run: &BatchRun<'_>, def: &TableDef) -> SqlResult<bool> {
    if def.is_temporary() {
        return Ok(false);
    }
    if !def.foreign_keys.is_empty() {
        return Ok(true);
    }
    let objects = run.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
    Ok(objects.is_referred_to(def.id))
}

/// The references of new rows.
///
/// # Errors
/// 547
pub(in crate::exec) fn check_references(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    def: &TableDef,
    rows: &[Vec<Value>],
    verb: &str,
) -> SqlResult<()> {
    for key in def.foreign_keys.iter().filter(|key| !key.disabled) {
        check_key_values(run, ctx, def, key, rows.iter().map(|row| values_of(row, &key.columns)), verb)?;
    }
    Ok(())
}

/// Each of these values of a foreign key has its row.
fn check_key_values(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    def: &TableDef,
    key: &ForeignKeyDef,
    all: impl Iterator<Item = Vec<Value>>,
    verb: &str,
) -> SqlResult<()> {
    let referenced = open_other(run, def.database, key.referenced)?;
    let referenced = referenced.ok_or_else(|| message::invalid_object(&key.name))?;
    let columns = referenced_columns(&referenced.0, key);
    for values in all.filter(|values| !values.iter().any(Value::is_null)) {
        // It has an index: that of the key that is referred to.
        let wanted = Wanted { table: &referenced, columns: &columns, values: &values, stay: true };
        if find(run, ctx, &wanted, 1)?.is_empty() {
            let kind = if key.referenced == def.id { "FOREIGN KEY SAME TABLE" } else { "FOREIGN KEY" };
            return Err(conflict(verb, kind, &key.name, &referenced.0, &columns));
        }
    }
    Ok(())
}

/// Whether a row of the table refers by the key to one that is not there; one with a NULL in the key refers to none.
pub(in crate::exec) fn is_orphan(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    def: &TableDef,
    key: &ForeignKeyDef,
    row: &[Value],
) -> SqlResult<bool> {
    let Some(referenced) = open_other(run, def.database, key.referenced)? else { return Ok(false) };
    let values = values_of(row, &key.columns);
    let columns = referenced_columns(&referenced.0, key);
    let wanted = Wanted { table: &referenced, columns: &columns, values: &values, stay: false };
    Ok(!values.iter().any(Value::is_null) && find(run, ctx, &wanted, 1)?.is_empty())
}

/// The references of rows that an UPDATE or DELETE changed: theirs, and others' to them.
///
/// # Errors
/// 547
pub(in crate::exec) fn keep_references(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    bound: &BoundChange,
    changed: &[ChangedRow],
) -> SqlResult<()> {
    let verb = if matches!(bound.change, Change::Delete) { "DELETE" } else { "UPDATE" };
    keep_all(run, ctx, &bound.def, changed, verb)
}

/// The references of rows of a table that a statement changed: theirs, and others' to them. All cascades come before
/// anything is refused.
///
/// # Errors
/// 547
pub(in crate::exec) fn keep_all(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    def: &Arc<TableDef>,
    changed: &[ChangedRow],
    verb: &'static str,
) -> SqlResult<()> {
    let mut spread = Spread { ctx, verb, open: Vec::new() };
    spread_rows(run, &mut spread, def, changed, CASCADES_MAX)?;
    spread.open.into_iter().try_for_each(|one| settle(run, ctx, one, verb))
}

/// Does what the changed rows of a table ask of others' rows, and notes what is to be looked at in the end.
fn spread_rows(
    run: &mut BatchRun<'_>,
    spread: &mut Spread<'_>,
    def: &Arc<TableDef>,
    changed: &[ChangedRow],
    depth: u32,
) -> SqlResult<()> {
    for key in def.foreign_keys.iter().filter(|key| !key.disabled) {
        let is_new = |row: &&ChangedRow| !row.new.is_empty();
        let is_touched = |row: &ChangedRow| key.columns.iter().any(|column| row.old[*column] != row.new[*column]);
        if changed.iter().filter(is_new).any(is_touched) {
            let values = changed.iter().filter(is_new).map(|row| values_of(&row.new, &key.columns)).collect();
            spread.open.push(Unsettled::Refers { def: Arc::clone(def), key: key.clone(), values });
        }
    }
    let objects = run.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
    // The definition of this one is locked, so no table begins to refer to it.
    let referring: Vec<ObjectId> = objects.referring_to(def.id).map(|other| other.id).collect();
    for other in referring {
        let Some(table) = open_other(run, def.database, other)? else { continue };
        let other = Arc::clone(&table.0);
        for key in other.foreign_keys.iter().filter(|key| key.referenced == def.id && !key.disabled) {
            spread_key(run, spread, def, (&table, key), changed, depth)?;
        }
    }
    Ok(())
}

/// Others' rows of one foreign key that refer to values that are gone. All are found before any is changed: what one
/// row's old value was may be what another's becomes.
fn spread_key(
    run: &mut BatchRun<'_>,
    spread: &mut Spread<'_>,
    def: &Arc<TableDef>,
    (other, key): (&Table, &ForeignKeyDef),
    changed: &[ChangedRow],
    depth: u32,
) -> SqlResult<()> {
    let own = referenced_columns(def, key);
    let (mut hits, mut gone) = (Vec::new(), Vec::new());
    let (mut olds, mut becomes) = (Vec::new(), Vec::new());
    for row in changed {
        let old = values_of(&row.old, &own);
        let new = (!row.new.is_empty()).then(|| values_of(&row.new, &own));
        if new.as_ref() == Some(&old) || old.iter().any(Value::is_null) {
            continue;
        }
        let action = if row.new.is_empty() { key.on_delete } else { key.on_update };
        if action == ReferentialAction::NoAction {
            gone.push(old);
            continue;
        }
        if depth == 0 {
            return Err(message::missing("A chain of more than 32 cascades"));
        }
        olds.push(old);
        becomes.push((action, new));
    }
    let found = find_each(run, spread.ctx, (other, &key.columns), &olds, usize::MAX)?;
    for (found, (action, new)) in found.into_iter().zip(becomes) {
        hits.extend(found.into_iter().map(|locator| Hit { locator, action, values: new.clone() }));
    }
    if !gone.is_empty() {
        let (other, key) = ((Arc::clone(&other.0), Arc::clone(&other.1)), key.clone());
        spread.open.push(Unsettled::Gone { def: Arc::clone(def), other, key, values: gone });
    }
    if hits.is_empty() {
        return Ok(());
    }
    let changed =
        cascade(run, spread, other, key, &hits).map_err(|error| redacted_for(spread.ctx, [&*other.0], error))?;
    spread_rows(run, spread, &other.0, &changed, depth - 1)
}

/// Changes the rows that refer, all of them as one change.
fn cascade(
    run: &mut BatchRun<'_>,
    spread: &mut Spread<'_>,
    (def, trees): &Table,
    key: &ForeignKeyDef,
    hits: &[Hit],
) -> SqlResult<Vec<ChangedRow>> {
    for (verb, goes) in [("DELETE", true), ("UPDATE", false)] {
        if hits.iter().any(|hit| hit.goes() == goes) {
            triggers::refuse_cascade(&run.ctx, def, verb)?;
        }
    }
    let ctx = spread.ctx;
    let verb = Verb { statement: spread.verb, row: "UPDATE" };
    let mut rows: Vec<(&[u8], ChangedRow)> = Vec::with_capacity(hits.len());
    let mut defaults = Vec::new();
    let checks = def.checks_of_change(&key.columns);
    let ask = ctx.ask_other();
    for hit in hits {
        ctx.heed_cancel()?;
        let mut writer = Writer::new(&mut run.session.work, ctx, ask, def, trees, ask);
        let mut old = Vec::new();
        if !writer.lock(&hit.locator, &mut old)? {
            continue;
        }
        let mut new = Vec::new();
        if !hit.goes() {
            new = referring_row(ctx, def, key, hit, &old)?;
            check_row(def, &new, Asked::Places(&checks), ctx, verb)?;
        }
        if hit.action == ReferentialAction::SetDefault {
            defaults.push(values_of(&new, &key.columns));
        }
        rows.push((&hit.locator, ChangedRow { old, new }));
    }
    let mut writer = Writer::new(&mut run.session.work, ctx, ask, def, trees, ask);
    let moves = moves(def, &key.columns);
    for (locator, row) in rows.iter().filter(|(_, row)| moves || row.new.is_empty()) {
        ctx.heed_cancel()?;
        writer.delete(locator, &row.old)?;
    }
    for (locator, row) in rows.iter().filter(|(_, row)| !row.new.is_empty()) {
        ctx.heed_cancel()?;
        if moves { writer.insert(&row.new)? } else { writer.update(locator, &row.old, &row.new, &Unread::default())? }
    }
    for (_, row) in rows.iter().filter(|(_, row)| !row.new.is_empty()) {
        check_stored_row(def, &row.new, Asked::Places(&checks), ctx, verb)?;
    }
    if !defaults.is_empty() {
        // The default may be the very value whose row goes.
        spread.open.push(Unsettled::Refers { def: Arc::clone(def), key: key.clone(), values: defaults });
    }
    let rows: Vec<ChangedRow> = rows.into_iter().map(|(_, row)| row).collect();
    views::follow_rows(run, ctx, def, &rows)?;
    Ok(rows)
}

/// 547, now that all cascades are done.
fn settle(run: &mut BatchRun<'_>, ctx: &Arc<RunContext>, one: Unsettled, verb: &str) -> SqlResult<()> {
    let (def, other, key, all) = match one {
        Unsettled::Refers { def, key, values } => {
            return check_key_values(run, ctx, &def, &key, values.into_iter(), verb);
        }
        Unsettled::Gone { def, other, key, values } => (def, other, key, values),
    };
    let own = referenced_columns(&def, &key);
    let this = open_other(run, def.database, def.id)?;
    let this = this.ok_or_else(|| message::invalid_object(&def.two_part_name()))?;
    let referring = find_each(run, ctx, (&other, &key.columns), &all, 1)?;
    for (values, _) in all.iter().zip(referring).filter(|(_, referring)| !referring.is_empty()) {
        // The values may be there again, in another row of the same statement.
        let again = Wanted { table: &this, columns: &own, values, stay: true };
        if find(run, ctx, &again, 1)?.is_empty() {
            let kind = if def.id == other.0.id { "SAME TABLE REFERENCE" } else { "REFERENCE" };
            return Err(conflict(verb, kind, &key.name, &other.0, &key.columns));
        }
    }
    Ok(())
}

/// A table that a key leads to, with its definition locked to the end of the statement.
pub(in crate::exec) fn open_other(run: &mut BatchRun<'_>, database: DbId, id: ObjectId) -> SqlResult<Option<Table>> {
    let is_open = run.ctx.tables.iter().any(|table| (table.def.database, table.def.id) == (database, id));
    if !is_open && !run.also_open.contains(&(database, id)) {
        scope::lock_object(run, database, id, LockMode::SchS).map_err(|error| scope::txn_error(run, error, ""))?;
        run.also_open.push((database, id));
    }
    let objects = run.ctx.engine.databases().dictionary(database)?.catalog().objects();
    let table = objects.table(id).map(|(def, trees)| (Arc::clone(def), Arc::clone(trees)));
    table.iter().try_for_each(|(def, _)| check_keys(def))?;
    Ok(table)
}

/// Locators of rows with these values, at most `most`.
fn find(run: &mut BatchRun<'_>, ctx: &Arc<RunContext>, wanted: &Wanted<'_>, most: usize) -> SqlResult<Vec<Vec<u8>>> {
    let def = &wanted.table.0;
    let place = best_index(def, wanted);
    let mut found = Vec::new();
    each_row(run, ctx, wanted, place, most == 1, &mut |row, places, locator| {
        let matches = places.iter().zip(wanted.columns).zip(wanted.values).all(|((place, column), value)| {
            let collation = def.columns[*column].ty.collation;
            !row[*place].is_null() && millpond_types::compare::equal(&row[*place], value, collation)
        });
        if matches {
            found.push(locator.to_vec());
        }
        if found.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// [`find`] for each of several lists of values. Where no index begins with one of the columns, all are looked
/// for in one pass over the rows.
fn find_each(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    (table, columns): (&Table, &[usize]),
    all: &[Vec<Value>],
    most: usize,
) -> SqlResult<Vec<Vec<Vec<u8>>>> {
    let wanted = |values| Wanted { table, columns, values, stay: true };
    let unindexed = match all {
        [first, _, ..] => Some(best_index(&table.0, &wanted(first))).filter(|(_, bytes)| bytes.is_empty()),
        _ => None,
    };
    let Some(place) = unindexed else {
        let mut found = Vec::with_capacity(all.len());
        for values in all {
            ctx.heed_cancel()?;
            found.push(find(run, ctx, &wanted(values), most)?);
        }
        return Ok(found);
    };
    let def = &table.0;
    let key_of = |values: &mut dyn Iterator<Item = &Value>| {
        let mut key = Vec::new();
        for (value, column) in values.zip(columns) {
            append_key(value, def.columns[*column].ty.collation, KeyOrder::Ascending, &mut key);
        }
        key
    };
    let mut by_key: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (at, values) in all.iter().enumerate() {
        by_key.entry(key_of(&mut values.iter())).or_default().push(at);
    }
    let (mut found, mut missing) = (vec![Vec::new(); all.len()], all.len());
    each_row(run, ctx, &wanted(&[]), place, false, &mut |row, places, locator| {
        if places.iter().any(|place| row[*place].is_null()) {
            return ControlFlow::Continue(());
        }
        for at in by_key.get(&key_of(&mut places.iter().map(|place| &row[*place]))).into_iter().flatten() {
            let its: &mut Vec<Vec<u8>> = &mut found[*at];
            if its.len() < most {
                its.push(locator.to_vec());
                missing -= usize::from(its.len() == most);
            }
        }
        if missing == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// Sees the rows whose keys in an index begin with these bytes: the row as the index has it, where the columns are in
/// it, and the row's locator; `is_one` when the first may be enough.
fn each_row(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    &Wanted { table: (def, trees), columns, stay, .. }: &Wanted<'_>,
    (index, bytes): (usize, Vec<u8>),
    is_one: bool,
    on_row: OnRow<'_>,
) -> SqlResult<()> {
    let isolation = if stay { Isolation::RepeatableRead } else { Isolation::ReadCommitted };
    let hint = ReadHint { isolation: Some(isolation), ..ReadHint::default() };
    let reader = run.session.work.reader();
    let ask = ctx.ask_other();
    let failed = |error| message::of_txn(error, place_of(def));
    let low = if bytes.is_empty() { Bound::Unbounded } else { Bound::Included(bytes.clone()) };
    let high = after_all(bytes).map_or(Bound::Unbounded, Bound::Excluded);
    let range = millpond_access::tree::KeyRange { low, high };
    let definition = &def.indexes[index];
    let place_in = |column: &usize| definition.stored.iter().position(|stored| stored == column);
    let places: Vec<usize> = columns.iter().map(|column| place_in(column).expect("the index covers them")).collect();
    let direction = millpond_access::tree::Direction::Forward;
    let mut scan = IndexScan::Tree(read::scan::open(&reader, &trees.trees[index], range, direction, hint));
    let (mut entries, mut row, mut space) = (Entries::default(), Vec::new(), Vec::new());
    if def.layout.may_overflow() {
        reader.hold_values();
    }
    loop {
        let more = entries.fill(&mut scan, &ask, if is_one { 1 } else { usize::MAX }).map_err(failed)?;
        for entry in entries.iter() {
            let (locator, record) =
                if definition.holds_rows() { (entry.key, entry.payload) } else { split_payload(entry.payload)? };
            let home = trees.value_home(if definition.holds_rows() { 0 } else { index });
            let large = Large { layout: &definition.layout, home, ask, place: place_of(def), watch: ctx.watch() };
            let wants = |place: usize| columns.contains(&definition.stored[place]);
            let record = large.whole(record, &wants, &mut space)?;
            definition.layout.decode(record, &mut row).map_err(message::of_row)?;
            if on_row(&row, &places, locator).is_break() {
                return Ok(());
            }
        }
        if !more {
            return Ok(());
        }
    }
}

/// The index whose first key columns are most of those wanted, and the bytes that its keys begin with. It has all of
/// them in its leaves.
fn best_index(def: &TableDef, wanted: &Wanted<'_>) -> (usize, Vec<u8>) {
    let covered = |index: &IndexDef| index.key.iter().take_while(|part| wanted.columns.contains(&part.column)).count();
    let usable =
        |index: &IndexDef| !index.disabled && index.filter.is_none() && index.covers(wanted.columns.iter().copied());
    let best = def
        .indexes
        .iter()
        .enumerate()
        .filter(|(_, index)| usable(index))
        .max_by_key(|(position, index)| (covered(index), std::cmp::Reverse(*position)))
        .map_or(0, |(position, _)| position);
    let index = &def.indexes[best];
    let mut bytes = Vec::new();
    for part in index.key.iter().take(covered(index)) {
        let position = wanted.columns.iter().position(|column| *column == part.column).expect("counted above");
        append_key(&wanted.values[position], def.columns[part.column].ty.collation, part.order(), &mut bytes);
    }
    (best, bytes)
}

/// A referring row after its cascade.
fn referring_row(
    ctx: &Arc<RunContext>,
    def: &TableDef,
    key: &ForeignKeyDef,
    hit: &Hit,
    old: &[Value],
) -> SqlResult<Vec<Value>> {
    let mut new = old.to_vec();
    for (position, column) in key.columns.iter().enumerate() {
        new[*column] = match (hit.action, &hit.values) {
            (ReferentialAction::Cascade, Some(values)) => values[position].clone(),
            (ReferentialAction::SetDefault, _) => match &def.columns[*column].default {
                Some(default) => {
                    let value = eval(&default.expr, &**ctx, Rows::NONE)?;
                    stored(ctx, value, &default.expr.ty.sql, def, *column)?
                }
                None => Value::Null,
            },
            _ => Value::Null,
        };
    }
    compute_changed(def, &mut new, ctx)?;
    Ok(new)
}

fn values_of(row: &[Value], columns: &[usize]) -> Vec<Value> {
    columns.iter().map(|column| row[*column].clone()).collect()
}

/// Positions of the columns that a foreign key refers to.
pub(in crate::exec) fn referenced_columns(def: &TableDef, key: &ForeignKeyDef) -> Vec<usize> {
    key.referenced_columns
        .iter()
        .map(|id| def.column_by_id(*id).expect("a column that is referred to is not dropped"))
        .collect()
}

/// 547; `kind` without the word constraint.
fn conflict(verb: &str, kind: &str, name: &str, def: &TableDef, columns: &[usize]) -> SqlError {
    let column = match columns {
        [column] => Some(def.columns[*column].name.as_str()),
        _ => None,
    };
    message::conflict(verb, kind, name, (&def.database_name, &def.two_part_name(), column))
}
