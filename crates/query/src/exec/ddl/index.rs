//! CREATE, ALTER and DROP INDEX.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_bind::{Binder, changed_index_options, check_index_options, heap_index, not_the_constraint, remade_index};
use millpond_catalog::{ColumnDef, ForeignKeyDef, IndexDef, IndexKind, ObjectId, TableDef, TableName, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_tsql::ast::{
    AlterIndex, AlterIndexAction, CreateIndex, DropIndex, NamedOption, ObjectName, OptionValue, find_option,
};
use millpond_types::collation::SORT_KEYS;

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::SessionNames;
use crate::exec::ddl::build::OldTable;
use crate::exec::ddl::table::Open;
use crate::exec::dml::row::compute_needed;

impl BatchRun<'_> {
    pub(in crate::exec) fn create_index(&mut self, create: &CreateIndex) -> SqlResult<()> {
        self.check_versioned(&create.table)?;
        self.implicit_begin();
        self.forget_tables();
        let last = create.table.last().clone();
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
            if let Some(old) = open.def.index(&create.index.name)
                && !keys_to(&open, &with_indexes(&open.def, indexes.clone()), old).is_empty()
            {
                return Err(not_the_constraint(&old.name));
            }
            run.put_indexes(&open, indexes)?;
            run.warn(wide);
            Ok(())
        })?;
        self.done_quietly(0);
        Ok(())
    }

    /// Sends warnings.
    pub(in crate::exec) fn warn(&mut self, warnings: Vec<Message>) {
        let procedure = self.frame.procedure.as_deref().unwrap_or_default();
        for warning in warnings {
            self.sink.message(&Message { procedure: procedure.to_owned(), ..warning });
        }
    }

    /// Disables the foreign keys that refer to what the indexes of `new` that become disabled keep unique, those of the table
    /// itself in `new`. They stay so until CHECK CONSTRAINT. The result is told when all is done: 1992 for each.
    fn disable_keys_to(&mut self, open: &Open, new: &mut TableDef) -> SqlResult<Vec<Message>> {
        let mut warnings = Vec::new();
        let was_live = |id: u16| open.def.indexes.iter().any(|known| known.id == id && !known.disabled);
        let disabled: Vec<IndexDef> =
            new.indexes.iter().filter(|index| index.disabled && was_live(index.id)).cloned().collect();
        for index in &disabled {
            let keys = keys_to(open, new, index);
            for (table, key) in &keys {
                warnings.push(Message::of(1992, &[&key.name, &table.name, &new.name, &index.name]));
            }
            let ids: Vec<ObjectId> = keys.iter().map(|(_, key)| key.id).collect();
            switch_off(&mut new.foreign_keys, &ids);
            let mut others: Vec<ObjectId> = keys.iter().map(|(table, _)| table.id).filter(|id| *id != new.id).collect();
            others.dedup();
            for other in others {
                let Some(other) = self.open_by_id(&open.dictionary, other)? else { continue };
                let mut changed = with_indexes(&other.def, other.def.indexes.clone());
                switch_off(&mut changed.foreign_keys, &ids);
                self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&other.trees))?;
            }
        }
        Ok(warnings)
    }

    /// 1088 instead of 4902.
    fn open_for_index(&mut self, name: &ObjectName) -> SqlResult<Open> {
        self.find_table(name)?.ok_or_else(|| message::no_such_object(&name.shown()))
    }

    /// Gives a table other indexes: those that are as they were keep their trees.
    pub(in crate::exec) fn put_indexes(&mut self, open: &Open, indexes: Vec<IndexDef>) -> SqlResult<()> {
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

    pub(in crate::exec) fn drop_index(&mut self, indexes: &[DropIndex], if_exists: bool) -> SqlResult<()> {
        indexes.iter().try_for_each(|dropped| self.check_versioned(&dropped.table))?;
        self.implicit_begin();
        for dropped in indexes {
            self.forget_tables();
            let last = dropped.table.last().clone();
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
        let index = open.def.index(&dropped.index).expect("it was found by this name");
        if !keys_to(&open, &with_indexes(&open.def, indexes.clone()), index).is_empty() {
            let name = format!("{}.{}", dropped.table.shown(), dropped.index);
            return Err(explicit_drop(&name, "FOREIGN KEY"));
        }
        self.put_indexes(&open, indexes)
    }

    pub(in crate::exec) fn alter_index(&mut self, alter: &AlterIndex) -> SqlResult<()> {
        self.check_versioned(&alter.table)?;
        self.implicit_begin();
        self.forget_tables();
        let last = alter.table.last().clone();
        if last.starts_with('#') {
            self.alter_temporary_index(alter)?;
            self.done_quietly(0);
            return Ok(());
        }
        self.atomically(&last, |run| {
            let open = run.open_for_index(&alter.table)?;
            run.alter_indexes_of(&open, alter)
        })?;
        self.done_quietly(0);
        Ok(())
    }

    /// ALTER INDEX of a table that is open for it.
    fn alter_indexes_of(&mut self, open: &Open, alter: &AlterIndex) -> SqlResult<()> {
        let (mut indexes, rebuilt) = altered_indexes(&open.def, alter)?;
        let keep: Vec<Option<usize>> =
            (0..indexes.len()).map(|position| (!rebuilt.contains(&position)).then_some(position)).collect();
        let keep = if keep[0].is_none() { vec![None; indexes.len()] } else { keep };
        built_now(&mut indexes, &keep);
        let mut def = with_indexes(&open.def, indexes);
        let disabled = self.disable_keys_to(open, &mut def)?;
        let old = OldTable { def: &open.def, trees: &open.trees };
        let trees = self.rebuilt_trees(&open.dictionary, &old, &def, &keep, &mut |row| Ok(row.to_vec()))?;
        self.make_index_statistics(&def, &trees, &open.trees)?;
        self.put_table(&open.dictionary, &Arc::new(def), Arc::new(trees))?;
        self.warn(disabled);
        Ok(())
    }

    /// ALTER TABLE … REBUILD: the clustered index is built anew, if there is one and something is said of it.
    pub(in crate::exec) fn rebuild_clustered(
        &mut self,
        open: &Open,
        table: &ObjectName,
        options: &[NamedOption],
    ) -> SqlResult<()> {
        match rebuild_of(&open.def, table, options)? {
            Some(alter) => self.alter_indexes_of(open, &alter),
            None => Ok(()),
        }
    }
}

/// The indexes of a table with the one that CREATE INDEX makes, in the place of the one of its name with DROP_EXISTING; and
/// the warnings that it is worth.
///
/// # Errors
/// Those of the index; 7999 where there is none to be replaced, 1907 for one of a constraint that would be another, 1925
/// for a clustered one that would not be clustered.
pub(in crate::exec) fn made_indexes(
    binder: &mut Binder<'_>,
    def: &TableDef,
    create: &CreateIndex,
) -> SqlResult<(Vec<IndexDef>, Vec<Message>)> {
    let name = &create.index.name;
    // As a word alone it is ON.
    let drop_existing = find_option(&create.index.options, "DROP_EXISTING")
        .is_some_and(|option| option.is("ON") || matches!(option.value, OptionValue::None));
    if !drop_existing {
        let indexes = binder.with_index(def, &create.index)?;
        let wide = wide_keys(&def.columns, &indexes, &def.indexes);
        return Ok((indexes, wide));
    }
    let Some(old) = def.index(name).filter(|index| !index.name.is_empty()) else {
        let table = create.table.shown();
        return Err(SqlError::of(7999, 9, &[&name, &table]));
    };
    let base = with_indexes(def, indexes_without(def, old.id));
    let indexes = binder.with_remade_index(&base, old, &create.index)?;
    let wide = wide_keys(&def.columns, &indexes, &base.indexes);
    Ok((indexes, wide))
}

/// The number of the index that DROP INDEX drops; none where there is none to drop, and IF EXISTS allows that. `def` is that
/// of the table, if there is one.
///
/// # Errors
/// 3701 for an index that there is not, 3723 for that of a constraint.
pub(in crate::exec) fn dropped_index(
    def: Option<&TableDef>,
    dropped: &DropIndex,
    if_exists: bool,
) -> SqlResult<Option<u16>> {
    let name = format!("{}.{}", dropped.table.shown(), dropped.index);
    let Some(index) = def.and_then(|def| def.index(&dropped.index)).filter(|index| !index.name.is_empty()) else {
        return if if_exists { Ok(None) } else { Err(message::cannot_drop("index", &name)) };
    };
    let kind = match index.kind {
        IndexKind::Heap | IndexKind::Index => return Ok(Some(index.id)),
        IndexKind::PrimaryKey => "PRIMARY KEY",
        IndexKind::Unique => "UNIQUE KEY",
    };
    Err(explicit_drop(&name, kind))
}

/// The ALTER INDEX that ALTER TABLE … REBUILD is; none where nothing changes but how rows are kept in pages.
///
/// # Errors
/// 155 for an option that there is not.
pub(in crate::exec) fn rebuild_of(
    def: &TableDef,
    table: &ObjectName,
    options: &[NamedOption],
) -> SqlResult<Option<AlterIndex>> {
    let known = def.indexes.first().map(|index| index.options).unwrap_or_default();
    let changed = changed_index_options(known, options, "ALTER TABLE REBUILD")?;
    let clustered = def.indexes.first().filter(|index| index.kind != IndexKind::Heap && changed != known);
    Ok(clustered.map(|index| AlterIndex {
        index: Some(index.name.clone()),
        table: table.clone(),
        action: AlterIndexAction::Rebuild { partition: None, options: options.to_vec() },
    }))
}

/// The indexes of a table as ALTER INDEX leaves them, and the places of those that it builds anew.
///
/// # Errors
/// 2727 for an index that there is not, 1973 for a disabled one, those of the options.
pub(in crate::exec) fn altered_indexes(def: &TableDef, alter: &AlterIndex) -> SqlResult<(Vec<IndexDef>, Vec<usize>)> {
    if let Some(name) = &alter.index
        && def.index(name).is_none()
    {
        return Err(SqlError::of(2727, 1, &[&name]));
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
                    index.options = changed_index_options(index.options, options, "ALTER INDEX REBUILD")?;
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
                index.options = changed_index_options(index.options, options, "ALTER INDEX SET")?;
                check_index_options(index.unique, index.options)?;
            }
        }
    }
    Ok((indexes, rebuilt))
}

/// The foreign keys, with their tables, that need `index` of a table that gets the definition `new`: they are enabled, and
/// nothing in `new` keeps what they refer to unique.
fn keys_to(open: &Open, new: &TableDef, index: &IndexDef) -> Vec<(Arc<TableDef>, ForeignKeyDef)> {
    let columns = |index: &IndexDef, def: &TableDef| -> Vec<i32> {
        index.key.iter().map(|part| def.columns[part.column].id).collect()
    };
    let is_of = |key: &ForeignKeyDef, columns: &[i32]| {
        key.referenced_columns.len() == columns.len() && key.referenced_columns.iter().all(|id| columns.contains(id))
    };
    let is_key = |index: &&IndexDef| index.unique && index.filter.is_none();
    let Some(own) = Some(index).filter(is_key).map(|index| columns(index, &open.def)) else { return Vec::new() };
    let stays = |key: &ForeignKeyDef| {
        let mut live = new.indexes.iter().filter(|index| is_key(index) && !index.disabled);
        live.any(|index| is_of(key, &columns(index, new)))
    };
    let referring: Vec<Arc<TableDef>> =
        open.dictionary.catalog().objects().referring_to(open.def.id).cloned().collect();
    let keys = referring.iter().flat_map(|table| table.foreign_keys.iter().map(move |key| (Arc::clone(table), key)));
    keys.filter(|(_, key)| key.referenced == open.def.id && !key.disabled && is_of(key, &own) && !stays(key))
        .map(|(table, key)| (table, key.clone()))
        .collect()
}

fn switch_off(keys: &mut [ForeignKeyDef], ids: &[ObjectId]) {
    for key in keys.iter_mut().filter(|key| ids.contains(&key.id)) {
        (key.disabled, key.not_trusted) = (true, true);
    }
}

/// 3723
fn explicit_drop(index: &str, kind: &str) -> SqlError {
    SqlError::of(3723, 4, &[&index, &kind])
}

/// 1973
fn disabled(index: &IndexDef, def: &TableDef) -> SqlError {
    let (index, table) = (&index.name, def.two_part_name());
    SqlError::of(1973, 1, &[&index, &table])
}

/// 1945 for each index that `known` has not and whose keys may be too long for some rows.
pub(in crate::exec) fn wide_keys(columns: &[ColumnDef], indexes: &[IndexDef], known: &[IndexDef]) -> Vec<Message> {
    let is_new = |index: &&IndexDef| !known.iter().any(|known| names_equal(&known.name, &index.name));
    let warning = |index: &IndexDef| {
        let widths = index.key.iter().filter_map(|part| columns[part.column].ty.sql.max_bytes());
        let kind = if index.holds_rows() { "clustered" } else { "nonclustered" };
        Message::of(1945, &[&kind, &index.key_bytes_max(), &index.name, &widths.sum::<u32>()])
    };
    indexes.iter().filter(|index| index.may_exceed).filter(is_new).map(warning).collect()
}

/// Those that keep no tree get one whose keys are made by the present rules.
pub(in crate::exec) fn built_now(indexes: &mut [IndexDef], keep: &[Option<usize>]) {
    let built = indexes.iter_mut().zip(keep).filter(|(_, kept)| kept.is_none());
    built.for_each(|(index, _)| index.sort_keys = SORT_KEYS);
}

/// For each new index the old one whose tree it can keep: of the same rows and entries, and maintained until now. When the
/// tree of the rows changes, none can.
pub(in crate::exec) fn kept(old: &[IndexDef], new: &[IndexDef]) -> Vec<Option<usize>> {
    let text = |index: &IndexDef| index.filter.as_ref().map(|(text, _)| text.clone());
    let same = |a: &IndexDef, b: &IndexDef| {
        a.id == b.id
            && a.unique == b.unique
            && a.key == b.key
            && a.stored == b.stored
            && a.kind == b.kind
            && a.disabled == b.disabled
            && a.sort_keys == b.sort_keys
            && text(a) == text(b)
    };
    let rows_stay = old.first().zip(new.first()).is_some_and(|(a, b)| same(a, b));
    // Most of many are where they were, or behind those that went: each has a number of its own.
    let places: HashMap<u16, usize> = old.iter().enumerate().map(|(place, known)| (known.id, place)).collect();
    let place = |index: &IndexDef| places.get(&index.id).copied().filter(|place| same(&old[*place], index));
    new.iter().map(|index| if rows_stay { place(index) } else { None }).collect()
}

/// The name of a table for a definition that follows it.
pub(in crate::exec) fn name_of(def: &TableDef) -> TableName {
    TableName {
        database: def.database,
        database_name: Arc::clone(&def.database_name),
        schema: def.schema.clone(),
        name: def.name.clone(),
    }
}

/// The same table with other indexes.
pub(in crate::exec) fn with_indexes(def: &TableDef, indexes: Vec<IndexDef>) -> TableDef {
    let (checks, keys) = (def.checks.clone(), def.foreign_keys.clone());
    let made = TableDef::assemble(def.id, name_of(def), def.columns.clone(), checks, keys, indexes);
    TableDef { statistics: def.statistics.clone(), escalation: def.escalation, ..made }
}

/// The indexes without one; when that held the rows, a heap holds them.
pub(in crate::exec) fn indexes_without(def: &TableDef, id: u16) -> Vec<IndexDef> {
    if id != 1 {
        return def.indexes.iter().filter(|index| index.id != id).cloned().collect();
    }
    let others = def.indexes.iter().skip(1).map(|index| remade_index(index, &[], &def.columns));
    std::iter::once(heap_index(&def.columns)).chain(others).collect()
}
