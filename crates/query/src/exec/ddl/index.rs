//! CREATE, ALTER and DROP INDEX.

use millpond_catalog::is_local_temporary;
use std::sync::Arc;

use millpond_bind::definition::index_list::{
    altered_indexes, built_now, dropped_index, explicit_drop, indexes_without, kept, made_indexes, rebuild_of,
    with_indexes,
};
use millpond_bind::{Binder, check_partitions, not_the_constraint};
use millpond_catalog::{ForeignKeyDef, IndexDef, ModuleDef, ObjectId, TableDef};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_message::sink::Message;
use millpond_rows::row::compute_needed;
use millpond_seek::make_of_new_indexes;
use millpond_tsql::ast::{AlterIndex, AlterIndexAction, CreateIndex, DropIndex, NamedOption, ObjectName};

use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl::objects::Open;
use crate::exec::ddl::{data_space, indexed_view, objects, partition_rows, reorganize, temporary_index};
use millpond_names::session_names::SessionNames;
use millpond_rows::build::{self, OldTable};

pub(in crate::exec) fn create_index(run: &mut BatchRun<'_>, create: &CreateIndex) -> SqlResult<()> {
    scope::check_versioned(run, &create.table)?;
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    let last = create.table.last().clone();
    if is_local_temporary(&last) {
        temporary_index::index_temporary(run, create)?;
        run.done_without_count();
        return Ok(());
    }
    scope::atomically(run, &last, |run| {
        let open = match indexed_view::open_to_index(run, create)? {
            Some(rows) => rows,
            None => open_for_index(run, &create.table)?,
        };
        let (indexes, wide) = {
            let names = SessionNames::of(&run.ctx);
            made_indexes(&mut Binder::new(&names, &run.variables), &open.def, create)?
        };
        indexed_view::check_indexes(run, &open, &indexes)?;
        if let Some(old) = open.def.index(&create.index.name)
            && !keys_to(&open, &with_indexes(&open.def, indexes.clone()), old).is_empty()
        {
            return Err(not_the_constraint(&old.name));
        }
        put_indexes(run, &open, indexes)?;
        let objects = open.dictionary.catalog().objects();
        if let Some((def, _)) = objects.table(open.def.id)
            && let Some(index) = def.index(&create.index.name)
        {
            data_space::place_index(run, &open.dictionary, def, (index, create.index.on.as_ref()))?;
        }
        objects::warn(run, wide);
        Ok(())
    })?;
    run.done_without_count();
    Ok(())
}

/// Disables the foreign keys that refer to what the indexes of `new` that become disabled keep unique, those of the table
/// itself in `new`. They stay so until CHECK CONSTRAINT. The result is sent when all is done: 1992 for each.
fn disable_keys_to(run: &mut BatchRun<'_>, open: &Open, new: &mut TableDef) -> SqlResult<Vec<Message>> {
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
            let Some(other) = objects::open_by_id(run, &open.dictionary, other)? else { continue };
            let mut changed = with_indexes(&other.def, other.def.indexes.clone());
            switch_off(&mut changed.foreign_keys, &ids);
            objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&other.trees))?;
        }
    }
    Ok(warnings)
}

/// 1088 instead of 4902.
fn open_for_index(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<Open> {
    indexed_view::find_indexed(run, name)?.ok_or_else(|| message::no_such_object(&name.shown()))
}

/// Gives a table other indexes: those that are as they were keep their trees.
pub(in crate::exec) fn put_indexes(run: &mut BatchRun<'_>, open: &Open, indexes: Vec<IndexDef>) -> SqlResult<()> {
    let keep = kept(&open.def.indexes, &indexes);
    let def = with_indexes(&open.def, indexes);
    let old = OldTable { def: &open.def, trees: &open.trees };
    let ctx = Arc::clone(&run.ctx);
    let trees =
        build::rebuilt_trees(&run.ctx, &mut run.session.work, &open.dictionary, &old, &def, &keep, &mut |row| {
            let mut row = row.to_vec();
            compute_needed(&def, &mut row, &ctx).map(|()| row)
        })?;
    let trees = Arc::new(trees);
    make_of_new_indexes(&run.ctx, &def, &trees, &open.trees)?;
    objects::put_table(run, &open.dictionary, &Arc::new(def), trees)
}

pub(in crate::exec) fn drop_index(run: &mut BatchRun<'_>, indexes: &[DropIndex], if_exists: bool) -> SqlResult<()> {
    indexes.iter().try_for_each(|dropped| scope::check_versioned(run, &dropped.table))?;
    transaction::implicit_begin(run);
    for dropped in indexes {
        scope::forget_tables(run);
        let last = dropped.table.last().clone();
        match is_local_temporary(&last) {
            true => temporary_index::drop_temporary_index(run, dropped, if_exists)?,
            false => scope::atomically(run, &last, |run| drop_one_index(run, dropped, if_exists))?,
        }
    }
    run.done_without_count();
    Ok(())
}

fn drop_one_index(run: &mut BatchRun<'_>, dropped: &DropIndex, if_exists: bool) -> SqlResult<()> {
    let open = indexed_view::find_to_drop(run, &dropped.table, &dropped.index)?;
    let def = open.as_ref().map(|open| &*open.def);
    let Some(id) = dropped_index(def, dropped, if_exists)? else { return Ok(()) };
    let open = open.expect("the index is one of its");
    if id == 1
        && let Some(view) = ModuleDef::of_rows(&open.def, &open.dictionary.catalog().objects())
    {
        return indexed_view::drop_rows(run, &open.dictionary, view);
    }
    let indexes = indexes_without(&open.def, id);
    let index = open.def.index(&dropped.index).expect("it was found by this name");
    if !keys_to(&open, &with_indexes(&open.def, indexes.clone()), index).is_empty() {
        let name = format!("{}.{}", dropped.table.shown(), dropped.index);
        return Err(explicit_drop(&name, "FOREIGN KEY"));
    }
    put_indexes(run, &open, indexes)
}

pub(in crate::exec) fn alter_index(run: &mut BatchRun<'_>, alter: &AlterIndex) -> SqlResult<()> {
    scope::check_versioned(run, &alter.table)?;
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    let last = alter.table.last().clone();
    if is_local_temporary(&last) {
        temporary_index::alter_temporary_index(run, alter)?;
        run.done_without_count();
        return Ok(());
    }
    scope::atomically(run, &last, |run| {
        if matches!(alter.action, AlterIndexAction::Reorganize { .. }) {
            return reorganize::reorganize(run, alter);
        }
        let open = open_for_index(run, &alter.table)?;
        alter_indexes_of(run, &open, alter)
    })?;
    run.done_without_count();
    Ok(())
}

/// ALTER INDEX of a table that is open for it.
fn alter_indexes_of(run: &mut BatchRun<'_>, open: &Open, alter: &AlterIndex) -> SqlResult<()> {
    let (mut indexes, rebuilt) = altered_indexes(&open.def, alter)?;
    if let AlterIndexAction::Rebuild { options, .. } = &alter.action {
        for index in rebuilt.iter().map(|place| &indexes[*place]) {
            check_partitions(options, partition_rows::partitions(open, index.id), ("index", &index.name))?;
        }
    }
    indexed_view::check_indexes(run, open, &indexes)?;
    let keep: Vec<Option<usize>> =
        (0..indexes.len()).map(|position| (!rebuilt.contains(&position)).then_some(position)).collect();
    let keep = if keep[0].is_none() { vec![None; indexes.len()] } else { keep };
    built_now(&mut indexes, &keep);
    let mut def = with_indexes(&open.def, indexes);
    let disabled = disable_keys_to(run, open, &mut def)?;
    let old = OldTable { def: &open.def, trees: &open.trees };
    let trees =
        build::rebuilt_trees(&run.ctx, &mut run.session.work, &open.dictionary, &old, &def, &keep, &mut |row| {
            Ok(row.to_vec())
        })?;
    let trees = Arc::new(trees);
    make_of_new_indexes(&run.ctx, &def, &trees, &open.trees)?;
    objects::put_table(run, &open.dictionary, &Arc::new(def), trees)?;
    objects::warn(run, disabled);
    Ok(())
}

/// ALTER TABLE … REBUILD: the clustered index is built anew, if there is one and something is said of it.
pub(in crate::exec) fn rebuild_clustered(
    run: &mut BatchRun<'_>,
    open: &Open,
    table: &ObjectName,
    options: &[NamedOption],
) -> SqlResult<()> {
    check_partitions(options, partition_rows::partitions(open, open.def.indexes[0].id), ("table", table.last()))?;
    match rebuild_of(&open.def, table, options)? {
        Some(alter) => alter_indexes_of(run, open, &alter),
        None => Ok(()),
    }
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
