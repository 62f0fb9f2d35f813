//! Tables: made, dropped, emptied.

pub(crate) mod alter_table;
pub(crate) mod alter_temporary;
pub(crate) mod bound_object;
pub(crate) mod data_space;
pub(crate) mod define;
pub(crate) mod index;
pub(crate) mod indexed_view;
pub(crate) mod objects;
pub(crate) mod partition_rows;
pub(crate) mod rename;
pub(crate) mod reorganize;
pub(crate) mod schema_binding;
pub(crate) mod sequence;
pub(crate) mod table;
pub(crate) mod table_type;
pub(crate) mod temporary_index;
pub(crate) mod transfer;
pub(crate) mod type_procedure;
pub(crate) mod update_statistics;

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::Heap;
use millpond_access::tree::KeyRange;
use millpond_bind::definition::index_list::wide_keys;
use millpond_bind::{Binder, NewTable};
use millpond_catalog::run::Run;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{ObjectId, TableDef, TableStorage, is_local_temporary};
use millpond_code::code_key::CodeKey;
use millpond_engine::temp::TempTable;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_rows::heap_row;
use millpond_tsql::ast::{ConstraintKind, ObjectName, Statement, TableConstraint, TableDefinition};
use millpond_txn::heaps;
use millpond_txn::read;
use millpond_txn::tree_rows;
use millpond_txn::trees;
use millpond_txn::{HeapKind, ReadHint};
use millpond_types::Value;

use crate::exec::batch::{BatchRun, scope, settings, temp_table, transaction};

/// Brings a row of a temporary table into the form of a changed definition.
type MapOwnRow<'a> = &'a mut dyn FnMut(Vec<Value>, &TableDef) -> SqlResult<Vec<Value>>;

pub(in crate::exec) fn create_table(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    name: &ObjectName,
    definition: &TableDefinition,
) -> SqlResult<()> {
    // Such a name means a variable everywhere.
    if name.last().starts_with('@') {
        return Err(message::missing("A table whose name begins with @"));
    }
    if !is_local_temporary(name.last()) {
        return table::create_stored_table(run, name, definition);
    }
    let def = definition_of(run, statement, name, definition)?;
    if run.ctx.session.temp.read().is_taken(&def.name, run.ctx.facts.nest_level) {
        return Err(message::object_exists(&def.name));
    }
    transaction::implicit_begin(run);
    scope::atomically(run, &def.name, |run| temp_table::new_table(run, &def))?;
    objects::warn(run, wide_keys(&def.columns, &def.indexes, &[]));
    report_keys(run, definition, &def.name);
    run.done_without_count();
    Ok(())
}

/// 1756 for each foreign key of a temporary table.
fn report_keys(run: &mut BatchRun<'_>, definition: &TableDefinition, table: &str) {
    let of_columns = definition.columns.iter().flat_map(|column| &column.constraints);
    for key in of_columns.chain(&definition.constraints).filter(|constraint| is_foreign_key(constraint)) {
        report_skipped(run, key, table);
    }
}

/// A definition as a temporary table has it.
fn without_keys(definition: &TableDefinition) -> TableDefinition {
    let mut kept = definition.clone();
    kept.columns.iter_mut().for_each(|column| column.constraints.retain(|one| !is_foreign_key(one)));
    kept.constraints.retain(|one| !is_foreign_key(one));
    kept
}

/// 1756 for a foreign key of a temporary table, which it does not get: a key without a name goes by the table's.
pub(in crate::exec) fn report_skipped(run: &mut BatchRun<'_>, key: &TableConstraint, table: &str) {
    let name = key.name.as_deref().unwrap_or(table);
    run.inform(1756, &[&name]);
}

fn definition_of(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    name: &ObjectName,
    definition: &TableDefinition,
) -> SqlResult<Arc<TableDef>> {
    run.bound(statement, CodeKey::of(statement), |binder, _| {
        let last = name.last();
        temporary(binder, last, &without_keys(definition))
    })
}

pub(in crate::exec) fn declare_table(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    name: &str,
    definition: &TableDefinition,
) -> SqlResult<()> {
    let def = table_variable(run, statement, name, definition)?;
    let level = run.ctx.facts.nest_level;
    let known = run.ctx.session.temp.read().find(name, level).filter(|table| table.level == level).cloned();
    match known {
        // DECLARE is no action: in a loop the variable keeps its rows.
        Some(table) if Arc::ptr_eq(&table.def, &def) => Ok(()),
        Some(_) => Err(message::duplicate_variable(name)),
        None => scope::atomically(run, name, |run| temp_table::new_table(run, &def)).map(|_| ()),
    }
}

/// The definition of `DECLARE @t TABLE (…)`.
pub(in crate::exec) fn table_variable(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    name: &str,
    definition: &TableDefinition,
) -> SqlResult<Arc<TableDef>> {
    run.bound(statement, CodeKey::of(statement), |binder, _| temporary(binder, name, definition))
}

/// Puts a table of another definition in the place of a temporary table, with its rows as `map` makes them. Runs as
/// part of a statement.
pub(in crate::exec) fn remake_temporary(
    run: &mut BatchRun<'_>,
    old: &TempTable,
    def: TableDef,
    map: MapOwnRow<'_>,
) -> SqlResult<()> {
    let keep = vec![None; def.indexes.len()];
    remake_temporary_keeping(run, old, def, &keep, map)
}

/// The same; `keep` says for each index which of the old trees stays. A tree of rows stays only where rows do.
pub(in crate::exec) fn remake_temporary_keeping(
    run: &mut BatchRun<'_>,
    old: &TempTable,
    def: TableDef,
    keep: &[Option<usize>],
    map: MapOwnRow<'_>,
) -> SqlResult<()> {
    let def = Arc::new(def);
    let new = if def.storage == TableStorage::Trees {
        remake_in_trees(run, old, &def, keep, map)?
    } else {
        let heap = temp_table::new_table(run, &def)?;
        let new = in_place_of(run, old, &heap);
        copy_to_heap(run, old, &new, map)?;
        new
    };
    millpond_rows::made_statistics::take_over(old, &new);
    drop_rows(run, old, keep)?;
    // Until the statement is over it may come back.
    run.ctx.session.temp.write().remove(old.heap.object_id(), true);
    Ok(())
}

/// A table whose trees are built of sorted entries, or taken over.
fn remake_in_trees(
    run: &mut BatchRun<'_>,
    old: &TempTable,
    def: &Arc<TableDef>,
    keep: &[Option<usize>],
    map: MapOwnRow<'_>,
) -> SqlResult<TempTable> {
    let place = Place { schema: "", object: &def.name, database: "tempdb" };
    let ask = run.ctx.ask_other();
    let heap = heaps::create_heap(&mut run.session.work, &ask, HeapKind::Table)
        .map_err(|error| message::of_txn(error, place))?;
    let new = (&**def, heap.object_id());
    let trees =
        millpond_rows::build::rebuilt_temporary_trees(&run.ctx, &mut run.session.work, old, new, keep, &mut |row| {
            map(row.to_vec(), def)
        })?;
    let mut table = TempTable::new(Arc::clone(def), Arc::clone(&heap), run.ctx.facts.nest_level);
    table.trees = Some(Arc::new(trees));
    run.ctx.session.temp.write().add(table);
    Ok(in_place_of(run, old, &heap))
}

/// The table with that heap, which has the identity and the scope of another one now.
fn in_place_of(run: &mut BatchRun<'_>, old: &TempTable, heap: &Heap) -> TempTable {
    let mut temp = run.ctx.session.temp.write();
    temp.share_identity(heap.object_id(), old);
    temp.by_id(heap.object_id().0).cloned().expect("it was put there before")
}

/// The end of a statement that remade a table: without a transaction nothing brings the old one back.
pub(in crate::exec) fn end_remaking(run: &mut BatchRun<'_>) {
    if !run.session.work.in_transaction() {
        run.ctx.session.temp.write().forget_dropped();
    }
}

/// Writes the rows of a temporary table, as `map` makes them, into another one's heap.
fn copy_to_heap(run: &mut BatchRun<'_>, old: &TempTable, new: &TempTable, map: MapOwnRow<'_>) -> SqlResult<()> {
    let (ctx, def) = (Arc::clone(&run.ctx), &new.def);
    let ask = ctx.ask_other();
    let (mut rows, mut page) = (millpond_rows::temporary_rows::temporary_rows(&mut run.session.work, old), Vec::new());
    let large = heap_row::large_of(def, &new.heap, ctx.ask_other(), ctx.watch());
    loop {
        let more = rows.next_page(&ctx, &mut page)?;
        for row in page.drain(..) {
            heap_row::insert(&mut run.session.work, &ask, &new.heap, &large, &map(row, def)?)?;
        }
        if !more {
            return Ok(());
        }
    }
}

/// Gives the space of a temporary table back, once nothing can bring it back.
fn drop_rows(run: &mut BatchRun<'_>, table: &TempTable, keep: &[Option<usize>]) -> SqlResult<()> {
    let ask = run.ctx.ask_other();
    let place = Place { schema: "", object: &table.def.name, database: "tempdb" };
    let work = &mut run.session.work;
    heaps::drop_heap(work, &ask, &table.heap).map_err(|error| message::of_txn(error, place))?;
    let trees = table.trees.iter().flat_map(|trees| trees.trees.iter().enumerate());
    for (_, tree) in trees.filter(|(position, _)| !keep.contains(&Some(*position))) {
        trees::drop_temp_tree(work, &ask, tree).map_err(|error| message::of_txn(error, place))?;
    }
    Ok(())
}

pub(in crate::exec) fn drop_tables(run: &mut BatchRun<'_>, names: &[ObjectName], if_exists: bool) -> SqlResult<()> {
    transaction::implicit_begin(run);
    define::drop_all(run, names, |run, name| {
        let last = name.last();
        if !is_local_temporary(last) {
            return table::drop_stored_table(run, name, if_exists);
        }
        let table = run.ctx.session.temp.read().find(last, run.ctx.facts.nest_level).cloned();
        match table {
            Some(table) => drop_one(run, &table),
            None if if_exists => Ok(()),
            None => Err(message::cannot_drop("table", &name.shown())),
        }
    })?;
    run.done_without_count();
    Ok(())
}

fn drop_one(run: &mut BatchRun<'_>, table: &TempTable) -> SqlResult<()> {
    let heap = &table.heap;
    let in_transaction = run.session.work.in_transaction();
    scope::forget_tables(run);
    scope::atomically(run, &table.def.name, |run| {
        drop_rows(run, table, &[])?;
        settings::forget_identity_insert(run, &table.def);
        run.ctx.session.temp.write().remove(heap.object_id(), in_transaction);
        Ok(())
    })
}

pub(in crate::exec) fn truncate(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<()> {
    let last = name.last();
    if !is_local_temporary(last) {
        return table::truncate_stored_table(run, name);
    }
    let table = run.ctx.session.temp.read().find(last, run.ctx.facts.nest_level).cloned();
    let Some(table) = table else {
        return Err(message::cannot_truncate(&name.shown()));
    };
    transaction::implicit_begin(run);
    let place = Place { schema: "", object: &table.def.name, database: "tempdb" };
    scope::forget_tables(run);
    scope::atomically(run, &table.def.name, |run| {
        if let Some(trees) = &table.trees {
            empty_trees_of(run, &table, trees)?;
        }
        let ask = run.ctx.ask_other();
        // Where trees have the rows the heap is empty: its truncation logs the undoing of the names.
        heaps::truncate_heap(&mut run.session.work, &ask, &table.heap)
            .map_err(|error| message::of_txn(error, place))?;
        if let Some((seed, _)) = table.def.columns.iter().find_map(|column| column.identity) {
            run.ctx.session.temp.write().reset_identity(&table, seed);
        }
        Ok(())
    })?;
    run.done_without_count();
    Ok(())
}

/// All rows of a temporary table in trees go, one by one: so a rollback finds them again.
fn empty_trees_of(run: &mut BatchRun<'_>, table: &TempTable, trees: &TableTrees) -> SqlResult<()> {
    let ask = run.ctx.ask_other();
    let place = Place { schema: "", object: &table.def.name, database: "tempdb" };
    for tree in &trees.trees {
        let mut keys = Vec::new();
        let reader = run.session.work.reader();
        let read = read::scan::for_each(&reader, &ask, tree, KeyRange::all(), ReadHint::no_lock(), &mut |key, _| {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        });
        read.map_err(|error| message::of_txn(error, place))?;
        for key in keys {
            tree_rows::delete(&mut run.session.work, &ask, tree, &key)
                .map_err(|error| message::of_txn(error, place))?;
        }
    }
    Ok(())
}

fn temporary(binder: &mut Binder<'_>, name: &str, definition: &TableDefinition) -> SqlResult<Arc<TableDef>> {
    let number = std::cell::Cell::new(-1);
    let next_id = || {
        number.set(number.get() + 1);
        ObjectId(number.get())
    };
    let new = NewTable { next_id: &next_id, ..NewTable::temporary(name) };
    let def = binder.table_definition(&new, definition).map_err(message::constraint_not_made)?;
    Ok(Arc::new(def))
}

pub(super) fn is_foreign_key(constraint: &TableConstraint) -> bool {
    matches!(constraint.kind, ConstraintKind::ForeignKey(_))
}
