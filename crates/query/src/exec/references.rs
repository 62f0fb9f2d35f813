//! FOREIGN KEY: what refers has a row that it refers to, at the end of each statement.
//!
//! The row that is referred to is locked as it is found, so that it stays until the transaction ends. What happens to
//! rows that refer to one that goes (CASCADE …) is a change of them like any other, with its own references.

use std::ops::Bound;
use std::sync::Arc;

use millpond_txn::{Isolation, ReadHint};
use millpond_types::{Value, append_key};

use super::batch::BatchRun;
use super::change::ChangedRow;
use super::row::{Verb, check_row, check_stored_row, compute_changed, stored};
use super::unread::Unread;
use super::write::Writer;
use crate::bind::{BoundChange, Change};
use crate::catalog::{ForeignKeyDef, IndexDef, ReferentialAction, TableDef};
use crate::context::RunContext;
use crate::error::{SqlError, SqlResult};
use crate::eval::{Rows, eval};
use crate::large::Large;
use crate::message;
use crate::seek::after_all;
use crate::stored::{Entries, IndexScan, place_of, split_payload};
use crate::trees::TableTrees;

/// Cascades that may follow each other.
pub(super) const CASCADES_MAX: u32 = 32;

/// A table with its rows, found by number.
type Table = (Arc<TableDef>, Arc<TableTrees>);

/// Rows that are looked for by some columns.
struct Wanted<'a> {
    table: &'a Table,
    /// Positions of the columns.
    columns: &'a [usize],
    values: &'a [Value],
}

impl BatchRun<'_> {
    /// Whether a change of the table must look at references: its own or others' to it.
    pub(super) fn has_references(&self, def: &TableDef) -> SqlResult<bool> {
        if def.is_temporary() {
            return Ok(false);
        }
        if !def.foreign_keys.is_empty() {
            return Ok(true);
        }
        let objects = self.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
        Ok(objects.is_referred_to(def.id))
    }

    /// The references of new rows.
    ///
    /// # Errors
    /// 547
    pub(super) fn check_references(
        &mut self,
        ctx: &Arc<RunContext>,
        def: &TableDef,
        rows: &[Vec<Value>],
        verb: &str,
    ) -> SqlResult<()> {
        for key in def.foreign_keys.iter().filter(|key| !key.disabled) {
            let referenced = self.table_by_id(def, key)?;
            let columns = referenced_columns(&referenced.0, key);
            for row in rows {
                let values: Vec<Value> = key.columns.iter().map(|column| row[*column].clone()).collect();
                if values.iter().any(Value::is_null) {
                    continue;
                }
                let wanted = Wanted { table: &referenced, columns: &columns, values: &values };
                if self.find(ctx, &wanted, 1)?.is_empty() {
                    return Err(conflict(verb, "FOREIGN KEY", &key.name, &referenced.0, &columns));
                }
            }
        }
        Ok(())
    }

    /// The references of rows that an UPDATE or DELETE changed: theirs, and others' to them.
    ///
    /// # Errors
    /// 547
    pub(super) fn keep_references(
        &mut self,
        ctx: &Arc<RunContext>,
        bound: &BoundChange,
        changed: &[ChangedRow],
    ) -> SqlResult<()> {
        let verb = if matches!(bound.change, Change::Delete) { "DELETE" } else { "UPDATE" };
        self.keep_all(ctx, &bound.def, changed, verb, CASCADES_MAX)
    }

    /// The references of rows of a table that a statement changed: theirs, and others' to them.
    ///
    /// # Errors
    /// 547
    pub(super) fn keep_all(
        &mut self,
        ctx: &Arc<RunContext>,
        def: &Arc<TableDef>,
        changed: &[ChangedRow],
        verb: &str,
        depth: u32,
    ) -> SqlResult<()> {
        let new: Vec<Vec<Value>> =
            changed.iter().filter(|row| !row.new.is_empty()).map(|row| row.new.clone()).collect();
        if !new.is_empty() {
            let touched = |key: &ForeignKeyDef| {
                changed.iter().any(|row| {
                    !row.new.is_empty() && key.columns.iter().any(|column| row.old[*column] != row.new[*column])
                })
            };
            if def.foreign_keys.iter().any(touched) {
                self.check_references(ctx, def, &new, verb)?;
            }
        }
        let objects = self.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
        let referring: Vec<Arc<TableDef>> = objects.referring_to(def.id).cloned().collect();
        for other in referring {
            let Some((_, trees)) = objects.table(other.id) else { continue };
            let table = (Arc::clone(&other), Arc::clone(trees));
            for key in other.foreign_keys.iter().filter(|key| key.referenced == def.id && !key.disabled) {
                self.keep_one(ctx, def, &table, key, changed, verb, depth)?;
            }
        }
        Ok(())
    }

    /// Others' rows of one foreign key that refer to values that are gone.
    #[expect(clippy::too_many_arguments, reason = "both tables, the key between them, and what happened")]
    fn keep_one(
        &mut self,
        ctx: &Arc<RunContext>,
        def: &Arc<TableDef>,
        other: &Table,
        key: &ForeignKeyDef,
        changed: &[ChangedRow],
        verb: &str,
        depth: u32,
    ) -> SqlResult<()> {
        let own = referenced_columns(def, key);
        let of = |row: &[Value]| own.iter().map(|column| row[*column].clone()).collect::<Vec<Value>>();
        let this = self.this_table(def)?;
        for row in changed {
            let old = of(&row.old);
            let new = (!row.new.is_empty()).then(|| of(&row.new));
            if new.as_ref() == Some(&old) || old.iter().any(Value::is_null) {
                continue;
            }
            let wanted = Wanted { table: other, columns: &key.columns, values: &old };
            let action = if row.new.is_empty() { key.on_delete } else { key.on_update };
            if action == ReferentialAction::NoAction {
                // The values may be there again, in another row of the same statement.
                let again = Wanted { table: &this, columns: &own, values: &old };
                if !self.find(ctx, &wanted, 1)?.is_empty() && self.find(ctx, &again, 1)?.is_empty() {
                    return Err(conflict(verb, "REFERENCE", &key.name, &other.0, &key.columns));
                }
                continue;
            }
            if depth == 0 {
                return Err(message::missing("A chain of more than 32 cascades"));
            }
            let found = self.find(ctx, &wanted, usize::MAX)?;
            self.cascade(ctx, other, key, action, &found, new.as_deref(), depth)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the referring table, its rows, and what they become")]
    fn cascade(
        &mut self,
        ctx: &Arc<RunContext>,
        (def, trees): &Table,
        key: &ForeignKeyDef,
        action: ReferentialAction,
        locators: &[Vec<u8>],
        new_values: Option<&[Value]>,
        depth: u32,
    ) -> SqlResult<()> {
        let verb = if action == ReferentialAction::Cascade && new_values.is_none() { "DELETE" } else { "UPDATE" };
        if !locators.is_empty() {
            self.refuse_cascade(def, verb)?;
        }
        let ask = ctx.ask_other();
        let mut changed = Vec::new();
        for locator in locators {
            let mut writer = Writer::new(&mut self.session.work, ctx, ask, def, trees, ask);
            let mut old = Vec::new();
            if !writer.lock(locator, &mut old)? {
                continue;
            }
            let mut new = Vec::new();
            if action == ReferentialAction::Cascade && new_values.is_none() {
                writer.delete(locator, &old)?;
            } else {
                new.clone_from(&old);
                for (position, column) in key.columns.iter().enumerate() {
                    new[*column] = match (action, new_values) {
                        (ReferentialAction::Cascade, Some(values)) => values[position].clone(),
                        (ReferentialAction::SetDefault, _) => match &def.columns[*column].default {
                            Some(default) => {
                                let value = eval(&default.expr, ctx, Rows::NONE)?;
                                stored(ctx, value, &default.expr.ty.sql, def, *column)?
                            }
                            None => Value::Null,
                        },
                        _ => Value::Null,
                    };
                }
                compute_changed(def, &mut new, ctx)?;
                check_row(def, &new, ctx, Verb::UPDATE)?;
                if Writer::moves(def, &key.columns) {
                    writer.delete(locator, &old)?;
                    writer.insert(&new)?;
                } else {
                    writer.update(locator, &old, &new, &Unread::default())?;
                }
                check_stored_row(def, &new, ctx, Verb::UPDATE)?;
            }
            changed.push(ChangedRow { old, new });
        }
        self.keep_all(ctx, def, &changed, verb, depth - 1)
    }

    fn this_table(&self, def: &Arc<TableDef>) -> SqlResult<Table> {
        let objects = self.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
        let found = objects.table(def.id).map(|(def, trees)| (Arc::clone(def), Arc::clone(trees)));
        found.ok_or_else(|| message::invalid_object(&def.two_part_name()))
    }

    fn table_by_id(&self, def: &TableDef, key: &ForeignKeyDef) -> SqlResult<Table> {
        let objects = self.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
        let found = objects.table(key.referenced).map(|(def, trees)| (Arc::clone(def), Arc::clone(trees)));
        found.ok_or_else(|| message::invalid_object(&key.name))
    }

    /// Locators of rows with these values, at most `most`; each is locked so that it stays.
    fn find(&mut self, ctx: &Arc<RunContext>, wanted: &Wanted<'_>, most: usize) -> SqlResult<Vec<Vec<u8>>> {
        let (def, trees) = wanted.table;
        let hint = ReadHint { isolation: Some(Isolation::RepeatableRead), ..ReadHint::default() };
        let reader = self.session.work.reader();
        let ask = ctx.ask_other();
        let failed = |error| message::of_txn(error, place_of(def));
        let (index, bytes) = best_index(def, wanted);
        let low = if bytes.is_empty() { Bound::Unbounded } else { Bound::Included(bytes.clone()) };
        let high = after_all(bytes).map_or(Bound::Unbounded, Bound::Excluded);
        let range = millpond_access::tree::KeyRange { low, high };
        let definition = &def.indexes[index];
        let direction = millpond_access::tree::Direction::Forward;
        let mut scan = IndexScan::Tree(reader.scan(&trees.trees[index], range, direction, hint));
        let (mut found, mut entries) = (Vec::new(), Entries::default());
        let (mut row, mut space) = (Vec::new(), Vec::new());
        if def.layout.may_overflow() {
            reader.hold_values();
        }
        loop {
            let more = entries.fill(&mut scan, &ask, if most == 1 { 1 } else { usize::MAX }).map_err(failed)?;
            for entry in entries.iter() {
                let (locator, record) =
                    if definition.holds_rows() { (entry.key, entry.payload) } else { split_payload(entry.payload)? };
                let home = trees.value_home(if definition.holds_rows() { 0 } else { index });
                let large = Large { layout: &definition.layout, home, ask, place: place_of(def), watch: ctx.watch() };
                let wants = |place: usize| wanted.columns.contains(&definition.stored[place]);
                let record = large.whole(record, &wants, &mut space)?;
                definition.layout.decode(record, &mut row).map_err(message::of_row)?;
                let matches = wanted.columns.iter().zip(wanted.values).all(|(column, value)| {
                    let place = definition.stored.iter().position(|stored| stored == column);
                    let collation = def.columns[*column].ty.collation;
                    place.is_some_and(|place| {
                        !row[place].is_null() && millpond_types::compare::equal(&row[place], value, collation)
                    })
                });
                if matches {
                    found.push(locator.to_vec());
                    if found.len() >= most {
                        return Ok(found);
                    }
                }
            }
            if !more {
                return Ok(found);
            }
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

/// Positions of the columns that a foreign key refers to.
pub(super) fn referenced_columns(def: &TableDef, key: &ForeignKeyDef) -> Vec<usize> {
    key.referenced_columns
        .iter()
        .map(|id| def.column_by_id(*id).expect("a column that is referred to is not dropped"))
        .collect()
}

/// 547
pub(super) fn conflict(verb: &str, kind: &str, name: &str, def: &TableDef, columns: &[usize]) -> SqlError {
    let column = match columns {
        [column] => format!(", column '{}'", def.columns[*column].name),
        _ => String::new(),
    };
    SqlError::new(
        547,
        16,
        0,
        format!(
            "The {verb} statement conflicted with the {kind} constraint \"{name}\". The conflict occurred in database \"{}\", table \"{}\"{column}.",
            def.database_name,
            def.two_part_name()
        ),
    )
}
