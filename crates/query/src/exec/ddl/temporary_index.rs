//! Indexes of temporary tables: made, made again, altered, dropped, renamed. As with ALTER TABLE, a table of the new
//! definition takes the old one's place with its rows; what undoes that brings the old one back. Trees of indexes that stay as
//! they are go from the one to the other.

use std::sync::Arc;

use millpond_bind::Binder;
use millpond_catalog::{IndexDef, IndexKind, TableDef};
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{AlterIndex, AlterIndexAction, CreateIndex, DropIndex, ObjectName};

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::SessionNames;
use crate::exec::ddl::check_temp_name;
use crate::exec::ddl::index::{altered_indexes, dropped_index, indexes_without, kept, made_indexes, with_indexes};
use crate::exec::ddl::rename::{ambiguous, renamed_column, renamed_index};
use crate::exec::dml::row::compute_needed;

impl BatchRun<'_> {
    /// CREATE INDEX on `#t`.
    ///
    /// # Errors
    /// 1088 for a table that there is not; those of the index.
    pub(in crate::exec) fn index_temporary(&mut self, create: &CreateIndex) -> SqlResult<()> {
        self.changing_temporary(&create.table, |run, last| {
            let table = run.temporary_to_index(last)?;
            let (indexes, wide) = {
                let names = SessionNames::of(&run.ctx);
                made_indexes(&mut Binder::new(&names, &run.variables), &table.def, create)?
            };
            run.put_temporary(&table, with_indexes(&table.def, indexes))?;
            run.warn(wide);
            Ok(())
        })
    }

    /// DROP INDEX on `#t`.
    ///
    /// # Errors
    /// 3701 for one that there is not, 3723 for that of a constraint.
    pub(in crate::exec) fn drop_temporary_index(&mut self, dropped: &DropIndex, if_exists: bool) -> SqlResult<()> {
        self.changing_temporary(&dropped.table, |run, last| {
            let table = run.ctx.session.temp.read().find(last, run.ctx.facts.nest_level).cloned();
            let def = table.as_ref().map(|table| &*table.def);
            let Some(id) = dropped_index(def, dropped, if_exists)? else { return Ok(()) };
            let table = table.expect("the index is one of its");
            run.put_temporary(&table, with_indexes(&table.def, indexes_without(&table.def, id)))
        })
    }

    /// ALTER INDEX on `#t`.
    ///
    /// # Errors
    /// 1088 for a table that there is not, 2727 for an index; those of the action.
    pub(in crate::exec) fn alter_temporary_index(&mut self, alter: &AlterIndex) -> SqlResult<()> {
        self.changing_temporary(&alter.table, |run, last| run.alter_indexes_of_temporary(last, alter))
    }

    /// The same as part of a statement.
    pub(in crate::exec) fn alter_indexes_of_temporary(&mut self, last: &str, alter: &AlterIndex) -> SqlResult<()> {
        let table = self.temporary_to_index(last)?;
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
        self.put_temporary_keeping(&table, with_indexes(&table.def, indexes), &keep)
    }

    /// sp_rename of an index of `#t`, as part of its statement.
    ///
    /// # Errors
    /// 15248 where there is none, 15335 for a name that is taken.
    pub(in crate::exec) fn rename_temporary_index(
        &mut self,
        table: &ObjectName,
        index: &str,
        new: &str,
    ) -> SqlResult<()> {
        let table = self.temporary_to_rename(table, "INDEX")?;
        let changed = renamed_index(&table.def, index, new)?;
        self.put_temporary(&table, changed)
    }

    /// sp_rename of a column of `#t`, as part of its statement; `old` is the whole name as it was given.
    ///
    /// # Errors
    /// 15248 where there is none, 15335 for a name that is taken, 15336 for a column that a text names.
    pub(in crate::exec) fn rename_temporary_column(
        &mut self,
        table: &ObjectName,
        column: &str,
        (old, new): (&str, &str),
    ) -> SqlResult<()> {
        let table = self.temporary_to_rename(table, "COLUMN")?;
        let changed = renamed_column(&table.def, column, (old, new))?;
        self.put_temporary(&table, changed)
    }

    /// A change of a temporary table, all of it or nothing.
    fn changing_temporary(
        &mut self,
        name: &ObjectName,
        change: impl FnOnce(&mut Self, &str) -> SqlResult<()>,
    ) -> SqlResult<()> {
        check_temp_name(name)?;
        let last = name.last();
        self.forget_tables();
        let done = self.atomically(last, |run| change(run, last));
        self.end_remaking();
        done
    }

    fn temporary_to_index(&self, name: &str) -> SqlResult<TempTable> {
        let table = self.ctx.session.temp.read().find(name, self.ctx.facts.nest_level).cloned();
        table.ok_or_else(|| message::no_such_object(name))
    }

    /// Only in tempdb: elsewhere sp_rename does not find it.
    fn temporary_to_rename(&self, name: &ObjectName, kind: &str) -> SqlResult<TempTable> {
        let last = name.last();
        let table = self.ctx.session.temp.read().find(last, self.ctx.facts.nest_level).cloned();
        table.filter(|_| self.ctx.facts.database == DbId::TEMPDB).ok_or_else(|| ambiguous(kind))
    }

    fn put_temporary(&mut self, table: &TempTable, changed: TableDef) -> SqlResult<()> {
        let keep = trees_to_keep(table, &changed.indexes);
        self.put_temporary_keeping(table, changed, &keep)
    }

    fn put_temporary_keeping(&mut self, table: &TempTable, changed: TableDef, keep: &[Option<usize>]) -> SqlResult<()> {
        let ctx = Arc::clone(&self.ctx);
        self.remake_temporary_keeping(table, changed, keep, &mut |mut row, def| {
            compute_needed(def, &mut row, &ctx).map(|()| row)
        })
    }
}

/// For each of the indexes that a table gets the tree of the old one that stays, where the rows do.
pub(in crate::exec) fn trees_to_keep(table: &TempTable, indexes: &[IndexDef]) -> Vec<Option<usize>> {
    match &table.trees {
        Some(_) => kept(&table.def.indexes, indexes),
        None => vec![None; indexes.len()],
    }
}
