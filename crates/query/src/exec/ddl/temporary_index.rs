//! Indexes of temporary tables: made, made again, altered, dropped, renamed. As with ALTER TABLE, a table of the new
//! definition takes the old one's place with its rows; what undoes that brings the old one back. Trees of indexes that stay as
//! they are go from the one to the other.

use std::sync::Arc;

use millpond_bind::Binder;
use millpond_bind::definition::index_list::{
    altered_indexes, dropped_index, indexes_without, kept, made_indexes, with_indexes,
};
use millpond_bind::definition::renamed::{ambiguous, renamed_column, renamed_index};
use millpond_catalog::{IndexDef, IndexKind, TableDef};
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_rows::row::compute_needed;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{AlterIndex, AlterIndexAction, CreateIndex, DropIndex, ObjectName};

use crate::exec::batch::{BatchRun, scope};
use crate::exec::ddl;
use crate::exec::ddl::objects;
use millpond_names::session_names::SessionNames;
use millpond_rows::made_statistics::with_made;

/// CREATE INDEX on `#t`.
///
/// # Errors
/// 1088 for a table that there is not; those of the index.
pub(in crate::exec) fn index_temporary(run: &mut BatchRun<'_>, create: &CreateIndex) -> SqlResult<()> {
    changing_temporary(run, &create.table, |run, last| {
        let table = temporary_to_index(run, last)?;
        let (indexes, wide) = {
            let names = SessionNames::of(&run.ctx);
            made_indexes(&mut Binder::new(&names, &run.variables), &with_made(&table), create)?
        };
        put_temporary(run, &table, with_indexes(&table.def, indexes))?;
        objects::warn(run, wide);
        Ok(())
    })
}

/// DROP INDEX on `#t`.
///
/// # Errors
/// 3701 for one that there is not, 3723 for that of a constraint.
pub(in crate::exec) fn drop_temporary_index(
    run: &mut BatchRun<'_>,
    dropped: &DropIndex,
    if_exists: bool,
) -> SqlResult<()> {
    changing_temporary(run, &dropped.table, |run, last| {
        let table = run.ctx.session.temp.read().find(last, run.ctx.facts.nest_level).cloned();
        let def = table.as_ref().map(|table| &*table.def);
        let Some(id) = dropped_index(def, dropped, if_exists)? else { return Ok(()) };
        let table = table.expect("the index is one of its");
        put_temporary(run, &table, with_indexes(&table.def, indexes_without(&table.def, id)))
    })
}

/// ALTER INDEX on `#t`.
///
/// # Errors
/// 1088 for a table that there is not, 2727 for an index; those of the action.
pub(in crate::exec) fn alter_temporary_index(run: &mut BatchRun<'_>, alter: &AlterIndex) -> SqlResult<()> {
    changing_temporary(run, &alter.table, |run, last| alter_indexes_of_temporary(run, last, alter))
}

/// The same as part of a statement.
pub(in crate::exec) fn alter_indexes_of_temporary(
    run: &mut BatchRun<'_>,
    last: &str,
    alter: &AlterIndex,
) -> SqlResult<()> {
    let table = temporary_to_index(run, last)?;
    let (indexes, rebuilt) = altered_indexes(&table.def, alter)?;
    let has_any = indexes.iter().any(|index| index.kind != IndexKind::Heap);
    if !has_any || matches!(alter.action, AlterIndexAction::Reorganize { .. }) {
        return Ok(());
    }
    let mut keep = trees_to_keep(&table, &indexes);
    rebuilt.iter().for_each(|position| keep[*position] = None);
    // Rows of equal keys are numbered anew, and the other indexes name rows by these numbers.
    if keep[0].is_none() {
        keep.fill(None);
    }
    put_temporary_keeping(run, &table, with_indexes(&table.def, indexes), &keep)
}

/// sp_rename of an index of `#t`, as part of its statement.
///
/// # Errors
/// 15248 where there is none, 15335 for a name that is taken.
pub(in crate::exec) fn rename_temporary_index(
    run: &mut BatchRun<'_>,
    table: &ObjectName,
    index: &str,
    new: &str,
) -> SqlResult<()> {
    let table = temporary_to_rename(run, table, "INDEX")?;
    let changed = renamed_index(&table.def, index, new)?;
    put_temporary(run, &table, changed)
}

/// sp_rename of a column of `#t`, as part of its statement; `old` is the whole name as it was given.
///
/// # Errors
/// 15248 where there is none, 15335 for a name that is taken, 15336 for a column that a text names.
pub(in crate::exec) fn rename_temporary_column(
    run: &mut BatchRun<'_>,
    table: &ObjectName,
    column: &str,
    (old, new): (&str, &str),
) -> SqlResult<()> {
    let table = temporary_to_rename(run, table, "COLUMN")?;
    let changed = renamed_column(&table.def, column, (old, new))?;
    put_temporary(run, &table, changed)
}

/// A change of a temporary table, all of it or nothing.
fn changing_temporary(
    run: &mut BatchRun<'_>,
    name: &ObjectName,
    change: impl FnOnce(&mut BatchRun<'_>, &str) -> SqlResult<()>,
) -> SqlResult<()> {
    let last = name.last();
    scope::forget_tables(run);
    let done = scope::atomically(run, last, |run| change(run, last));
    ddl::end_remaking(run);
    done
}

fn temporary_to_index(run: &BatchRun<'_>, name: &str) -> SqlResult<TempTable> {
    let table = run.ctx.session.temp.read().find(name, run.ctx.facts.nest_level).cloned();
    table.ok_or_else(|| message::no_such_object(name))
}

/// Only in tempdb: elsewhere sp_rename does not find it.
fn temporary_to_rename(run: &BatchRun<'_>, name: &ObjectName, kind: &str) -> SqlResult<TempTable> {
    let last = name.last();
    let table = run.ctx.session.temp.read().find(last, run.ctx.facts.nest_level).cloned();
    table.filter(|_| run.ctx.facts.database == DbId::TEMPDB).ok_or_else(|| ambiguous(kind))
}

fn put_temporary(run: &mut BatchRun<'_>, table: &TempTable, changed: TableDef) -> SqlResult<()> {
    let keep = trees_to_keep(table, &changed.indexes);
    put_temporary_keeping(run, table, changed, &keep)
}

fn put_temporary_keeping(
    run: &mut BatchRun<'_>,
    table: &TempTable,
    changed: TableDef,
    keep: &[Option<usize>],
) -> SqlResult<()> {
    let ctx = Arc::clone(&run.ctx);
    ddl::remake_temporary_keeping(run, table, changed, keep, &mut |mut row, def| {
        compute_needed(def, &mut row, &ctx).map(|()| row)
    })
}

/// For each of the indexes that a table gets the tree of the old one that stays, where the rows do.
pub(in crate::exec) fn trees_to_keep(table: &TempTable, indexes: &[IndexDef]) -> Vec<Option<usize>> {
    match &table.trees {
        Some(_) => kept(&table.def.indexes, indexes),
        None => vec![None; indexes.len()],
    }
}
