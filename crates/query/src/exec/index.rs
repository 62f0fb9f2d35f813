//! CREATE, ALTER and DROP INDEX.

use std::sync::Arc;

use millpond_tsql::ast::{AlterIndex, AlterIndexAction, CreateIndex, DropIndex, find_option};

use super::batch::BatchRun;
use super::build::OldTable;
use super::names::SessionNames;
use super::row::compute_needed;
use super::table::Open;
use crate::bind::{Binder, changed_index_options, check_index_options, heap_index, remade_index};
use crate::catalog::{ColumnDef, IndexDef, IndexKind, TableDef, TableName, names_equal};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::sink::Message;

impl BatchRun<'_> {
    pub(super) fn create_index(&mut self, create: &CreateIndex) -> SqlResult<()> {
        self.check_versioned(&create.table)?;
        self.implicit_begin();
        self.ctx_mut().tables = Arc::from([]);
        let last = create.table.parts.last().expect("a name has parts").clone();
        if last.starts_with('#') {
            self.index_temporary(create)?;
            self.done_quietly(0);
            return Ok(());
        }
        self.atomically(&last, |run| {
            let open = run.open_for_index(&create.table)?;
            let (indexes, wide) = {
                let names = SessionNames::of(&run.ctx);
                made_indexes(&mut Binder::new(&names, &run.variables), &open.def, create)?
            };
            run.put_indexes(&open, indexes)?;
            run.warn(wide);
            Ok(())
        })?;
        self.done_quietly(0);
        Ok(())
    }

    /// Tells [`wide_keys`].
    pub(super) fn warn(&mut self, texts: Vec<String>) {
        let procedure = self.frame.procedure.as_deref().unwrap_or_default();
        for text in texts {
            let procedure = procedure.to_owned();
            self.sink.message(&Message { number: 1945, severity: 0, state: 1, line: 0, procedure, text });
        }
    }

    /// 1088 instead of 4902.
    fn open_for_index(&mut self, name: &millpond_tsql::ast::ObjectName) -> SqlResult<Open> {
        self.find_table(name)?.ok_or_else(|| message::no_such_object(&name.parts.join(".")))
    }

    /// Gives a table other indexes: those that are as they were keep their trees.
    pub(super) fn put_indexes(&mut self, open: &Open, indexes: Vec<IndexDef>) -> SqlResult<()> {
        let keep = kept(&open.def.indexes, &indexes);
        let def = with_indexes(&open.def, indexes);
        let old = OldTable { def: &open.def, trees: &open.trees };
        let ctx = Arc::clone(&self.ctx);
        let trees = self.rebuilt_trees(&open.dictionary, &old, &def, &keep, &mut |row| {
            let mut row = row.to_vec();
            compute_needed(&def, &mut row, &ctx).map(|()| row)
        })?;
        self.make_index_statistics(&def, &trees, &open.trees)?;
        self.put_table(&open.dictionary, &Arc::new(def), Arc::new(trees))
    }

    pub(super) fn drop_index(&mut self, indexes: &[DropIndex], if_exists: bool) -> SqlResult<()> {
        indexes.iter().try_for_each(|dropped| self.check_versioned(&dropped.table))?;
        self.implicit_begin();
        for dropped in indexes {
            self.ctx_mut().tables = Arc::from([]);
            let last = dropped.table.parts.last().expect("a name has parts").clone();
            match last.starts_with('#') {
                true => self.drop_temporary_index(dropped, if_exists)?,
                false => self.atomically(&last, |run| run.drop_one_index(dropped, if_exists))?,
            }
        }
        self.done_quietly(0);
        Ok(())
    }

    fn drop_one_index(&mut self, dropped: &DropIndex, if_exists: bool) -> SqlResult<()> {
        let open = self.find_table(&dropped.table)?;
        let def = open.as_ref().map(|open| &*open.def);
        let Some(id) = dropped_index(def, dropped, if_exists)? else { return Ok(()) };
        let open = open.expect("the index is one of its");
        let indexes = indexes_without(&open.def, id);
        self.put_indexes(&open, indexes)
    }

    pub(super) fn alter_index(&mut self, alter: &AlterIndex) -> SqlResult<()> {
        self.check_versioned(&alter.table)?;
        self.implicit_begin();
        self.ctx_mut().tables = Arc::from([]);
        let last = alter.table.parts.last().expect("a name has parts").clone();
        if last.starts_with('#') {
            self.alter_temporary_index(alter)?;
            self.done_quietly(0);
            return Ok(());
        }
        self.atomically(&last, |run| {
            let open = run.open_for_index(&alter.table)?;
            let (indexes, rebuilt) = altered_indexes(&open.def, alter)?;
            let keep: Vec<Option<usize>> =
                (0..indexes.len()).map(|position| (!rebuilt.contains(&position)).then_some(position)).collect();
            let keep = if keep[0].is_none() { vec![None; indexes.len()] } else { keep };
            let def = with_indexes(&open.def, indexes);
            let old = OldTable { def: &open.def, trees: &open.trees };
            let trees = run.rebuilt_trees(&open.dictionary, &old, &def, &keep, &mut |row| Ok(row.to_vec()))?;
            run.make_index_statistics(&def, &trees, &open.trees)?;
            run.put_table(&open.dictionary, &Arc::new(def), Arc::new(trees))
        })?;
        self.done_quietly(0);
        Ok(())
    }
}

/// The indexes of a table with the one that CREATE INDEX makes, in the place of the one of its name with DROP_EXISTING; and
/// the warnings that it is worth.
///
/// # Errors
/// Those of the index; 7999 where there is none to be replaced, 1907 for one of a constraint that would be another.
pub(super) fn made_indexes(
    binder: &mut Binder<'_>,
    def: &TableDef,
    create: &CreateIndex,
) -> SqlResult<(Vec<IndexDef>, Vec<String>)> {
    let name = &create.index.name;
    if !find_option(&create.index.options, "DROP_EXISTING").is_some_and(|option| option.is("ON")) {
        let indexes = binder.with_index(def, &create.index)?;
        let wide = wide_keys(&def.columns, &indexes, &def.indexes);
        return Ok((indexes, wide));
    }
    let Some(old) = def.index(name).filter(|index| !index.name.is_empty()) else {
        let table = create.table.parts.join(".");
        return Err(SqlError::new(
            7999,
            16,
            9,
            format!("Could not find any index named '{name}' for table '{table}'."),
        ));
    };
    let base = with_indexes(def, indexes_without(def, old.id));
    let mut indexes = binder.with_index(&base, &create.index)?;
    if matches!(old.kind, IndexKind::PrimaryKey | IndexKind::Unique)
        && let Some(new) = indexes.iter_mut().find(|index| names_equal(&index.name, name))
    {
        if !new.unique || new.key != old.key || new.filter.is_some() {
            let text = format!(
                "Cannot recreate index '{name}'. The new index definition does not match the constraint being enforced by the existing index."
            );
            return Err(SqlError::new(1907, 16, 1, text));
        }
        (new.kind, new.constraint) = (old.kind, old.constraint);
    }
    let wide = wide_keys(&def.columns, &indexes, &base.indexes);
    Ok((indexes, wide))
}

/// The number of the index that DROP INDEX drops; none where there is none to drop, and IF EXISTS allows that. `def` is that
/// of the table, if there is one.
///
/// # Errors
/// 3701 for an index that there is not, 3723 for that of a constraint.
pub(super) fn dropped_index(def: Option<&TableDef>, dropped: &DropIndex, if_exists: bool) -> SqlResult<Option<u16>> {
    let name = format!("{}.{}", dropped.table.parts.join("."), dropped.index);
    let Some(index) = def.and_then(|def| def.index(&dropped.index)).filter(|index| !index.name.is_empty()) else {
        return if if_exists { Ok(None) } else { Err(message::cannot_drop("index", &name)) };
    };
    let kind = match index.kind {
        IndexKind::Heap | IndexKind::Index => return Ok(Some(index.id)),
        IndexKind::PrimaryKey => "PRIMARY KEY",
        IndexKind::Unique => "UNIQUE KEY",
    };
    let text = format!(
        "An explicit DROP INDEX is not allowed on index '{name}'. It is being used for {kind} constraint enforcement."
    );
    Err(SqlError::new(3723, 16, 4, text))
}

/// The indexes of a table as ALTER INDEX leaves them, and the places of those that it builds anew.
///
/// # Errors
/// 2727 for an index that there is not, 1973 for a disabled one, those of the options.
pub(super) fn altered_indexes(def: &TableDef, alter: &AlterIndex) -> SqlResult<(Vec<IndexDef>, Vec<usize>)> {
    if let Some(name) = &alter.index
        && def.index(name).is_none()
    {
        return Err(SqlError::new(2727, 11, 1, format!("Cannot find index '{name}'.")));
    }
    let is_named = |index: &IndexDef| alter.index.as_ref().is_none_or(|name| names_equal(&index.name, name));
    // A heap is no index, not even one of ALL.
    let is_meant = |index: &IndexDef| index.kind != IndexKind::Heap && is_named(index);
    let mut indexes = def.indexes.clone();
    let mut rebuilt = Vec::new();
    for (position, index) in indexes.iter_mut().enumerate().filter(|(_, index)| is_meant(index)) {
        match &alter.action {
            AlterIndexAction::Rebuild { options, .. } => {
                if !options.is_empty() {
                    index.options = changed_index_options(index.options, options)?;
                    check_index_options(index.unique, index.options)?;
                }
                index.disabled = false;
                rebuilt.push(position);
            }
            AlterIndexAction::Reorganize { .. } if index.disabled && alter.index.is_some() => {
                return Err(disabled(index, def));
            }
            AlterIndexAction::Reorganize { .. } => {}
            AlterIndexAction::Disable if index.holds_rows() => {
                return Err(message::missing("A disabled clustered index"));
            }
            AlterIndexAction::Disable => index.disabled = true,
            AlterIndexAction::Set(options) => {
                index.options = changed_index_options(index.options, options)?;
                check_index_options(index.unique, index.options)?;
            }
        }
    }
    Ok((indexes, rebuilt))
}

/// 1973
fn disabled(index: &IndexDef, def: &TableDef) -> SqlError {
    let (index, table) = (&index.name, def.two_part_name());
    let text = format!("Cannot perform the specified operation on disabled index '{index}' on table '{table}'.");
    SqlError::new(1973, 16, 1, text)
}

/// 1945 for each index that `known` has not and whose keys may be too long for some rows.
pub(super) fn wide_keys(columns: &[ColumnDef], indexes: &[IndexDef], known: &[IndexDef]) -> Vec<String> {
    let is_new = |index: &&IndexDef| !known.iter().any(|known| names_equal(&known.name, &index.name));
    let text = |index: &IndexDef| {
        let widths = index.key.iter().filter_map(|part| columns[part.column].ty.sql.max_bytes());
        let kind = if index.holds_rows() { "clustered" } else { "nonclustered" };
        format!(
            "Warning! The maximum key length for a {kind} index is {} bytes. The index '{}' has maximum length of {} bytes. For some combination of large values, the insert/update operation will fail.",
            index.key_bytes_max(),
            index.name,
            widths.sum::<u32>()
        )
    };
    indexes.iter().filter(|index| index.may_exceed).filter(is_new).map(text).collect()
}

/// For each new index the old one whose tree it can keep. When the tree of the rows changes, none can.
fn kept(old: &[IndexDef], new: &[IndexDef]) -> Vec<Option<usize>> {
    let same = |a: &IndexDef, b: &IndexDef| {
        a.id == b.id && a.unique == b.unique && a.key == b.key && a.stored == b.stored && a.kind == b.kind
    };
    let rows_stay = old.first().zip(new.first()).is_some_and(|(a, b)| same(a, b));
    new.iter().map(|index| old.iter().position(|known| rows_stay && same(known, index))).collect()
}

/// The name of a table for a definition that follows it.
pub(super) fn name_of(def: &TableDef) -> TableName {
    TableName {
        database: def.database,
        database_name: Arc::clone(&def.database_name),
        schema: def.schema.clone(),
        name: def.name.clone(),
    }
}

/// The same table with other indexes.
pub(super) fn with_indexes(def: &TableDef, indexes: Vec<IndexDef>) -> TableDef {
    let (checks, keys) = (def.checks.clone(), def.foreign_keys.clone());
    let made = TableDef::assemble(def.id, name_of(def), def.columns.clone(), checks, keys, indexes);
    TableDef { statistics: def.statistics.clone(), escalation: def.escalation, ..made }
}

/// The indexes without one; when that held the rows, a heap holds them.
pub(super) fn indexes_without(def: &TableDef, id: u16) -> Vec<IndexDef> {
    if id != 1 {
        return def.indexes.iter().filter(|index| index.id != id).cloned().collect();
    }
    let others = def.indexes.iter().skip(1).map(|index| remade_index(index, &[], &def.columns));
    std::iter::once(heap_index(&def.columns)).chain(others).collect()
}
