//! Tables of databases: made, dropped, emptied. The definition is locked against everybody until the transaction ends.

use std::borrow::Cow;
use std::sync::Arc;

use millpond_bind::definition::cascade_paths::check_cascades;
use millpond_bind::definition::index_list::wide_keys;
use millpond_bind::{Binder, NewTable};
use millpond_catalog::dictionary::{Dictionary, Io};
use millpond_catalog::trees::{TableCounters, TableTrees};
use millpond_catalog::{TableDef, TableName, constraint_names, is_global_temporary};
use millpond_engine::bound_objects;
use millpond_engine::settled;
use millpond_engine::settled::Seeker;
use millpond_engine::stored::place_of;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ConstraintKind, ObjectName, TableConstraint, TableDefinition};
use millpond_txn::lock::LockMode;
use millpond_txn::trees;

use crate::exec::batch::{BatchRun, scope, settings, transaction};
use crate::exec::ddl;
use crate::exec::ddl::objects::{Open, lock_referenced};
use crate::exec::ddl::{data_space, objects, schema_binding};
use crate::exec::routine::trigger::definition;
use millpond_names::session_names::SessionNames;
use millpond_rights::new_object::NewObject;
use millpond_rows::build;

pub(in crate::exec) fn create_stored_table(
    run: &mut BatchRun<'_>,
    name: &ObjectName,
    written: &TableDefinition,
) -> SqlResult<()> {
    transaction::implicit_begin(run);
    let last = name.last().clone();
    scope::forget_tables(run);
    let is_global = is_global_temporary(&last);
    let definition = &*match is_global {
        true => Cow::Owned(ddl::without_keys(written)),
        false => Cow::Borrowed(written),
    };
    scope::atomically(run, &last, |run| {
        let home = objects::home_of(run, name, NewObject::Table)?;
        let of_columns = definition.columns.iter().flat_map(|column| &column.constraints);
        lock_names_of_keys(run, of_columns.chain(&definition.constraints))?;
        let id = home.dictionary.catalog().next_object_id();
        let next_id = || home.dictionary.catalog().next_object_id();
        let table_name = TableName {
            database: home.dictionary.database(),
            database_name: Arc::clone(home.dictionary.name()),
            schema: home.schema.clone(),
            name: last.clone(),
        };
        let def = {
            let names = SessionNames::of(&run.ctx);
            let mut binder = Binder::new(&names, &run.variables);
            let new = NewTable::of(table_name, id, &next_id);
            binder.table_definition(&new, definition).map_err(message::constraint_not_made)?
        };
        check_constraint_names(run, &home.dictionary, &def).map_err(message::constraint_not_made)?;
        lock_referenced(run, &home.dictionary, None, Some(&def))?;
        check_cascades(&home.dictionary.catalog().objects(), &def, 0).map_err(message::constraint_not_made)?;
        let wide = wide_keys(&def.columns, &def.indexes, &[]);
        put_new_table(run, &home.dictionary, def)?;
        let objects = home.dictionary.catalog().objects();
        let (def, _) = objects.table(id).ok_or_else(|| message::invalid_object(&last))?;
        data_space::place_table(run, &home.dictionary, def, definition)?;
        objects::warn(run, wide);
        Ok(())
    })?;
    if is_global {
        ddl::report_keys(run, written, &last);
    }
    run.done_without_count();
    Ok(())
}

/// Makes the trees of a new table and writes it into the system tables.
pub(in crate::exec) fn put_new_table(run: &mut BatchRun<'_>, dictionary: &Dictionary, def: TableDef) -> SqlResult<()> {
    scope::lock_definition(run, &def, LockMode::SchM)?;
    let mut def = def;
    def.columns.iter_mut().try_for_each(|column| bound_objects::inherit_default(dictionary, column))?;
    bound_objects::inherit_rules(dictionary, &mut def, 0)?;
    if def.identity_column().is_some() {
        // What was reserved for a table of this number that a rollback took away.
        run.ctx.engine.databases().on_own_account(|io| dictionary.new_counter(io, def.id))?;
    }
    let trees = Arc::new(build::empty_trees(&run.ctx, &mut run.session.work, dictionary, &def)?);
    let times = objects::times_now(run);
    let ask = run.ctx.ask_other();
    let mut io = Io { work: &mut run.session.work, ask: &ask };
    let id = def.id;
    let is_global = def.is_global_temporary();
    dictionary.put_table(&mut io, &Arc::new(def), &trees, times)?;
    if is_global {
        let objects = dictionary.catalog().objects();
        run.ctx.session.temp.write().note_global(id, &|id| objects.get(id).is_some());
    }
    // A snapshot from before would find no rows, also where it has read those of another table of the name.
    objects::note_altered(run, dictionary, id);
    Ok(())
}

/// Names of constraints share one space with objects.
fn check_constraint_names(run: &BatchRun<'_>, dictionary: &Dictionary, def: &TableDef) -> SqlResult<()> {
    let mut seen = std::collections::HashSet::new();
    for name in constraint_names(def) {
        let is_new = seen.insert(millpond_catalog::name_key(name));
        if !is_new || Seeker::of(&run.ctx).is_taken(dictionary, def.schema.id, name)? {
            return Err(message::object_exists(name));
        }
    }
    Ok(())
}

pub(in crate::exec) fn drop_stored_table(run: &mut BatchRun<'_>, name: &ObjectName, if_exists: bool) -> SqlResult<()> {
    let last = name.last().clone();
    scope::forget_tables(run);
    scope::atomically(run, &last, |run| {
        let Some(Open { dictionary, def, trees }) = objects::find_table(run, name)? else {
            settled::not_of_kind(&run.ctx, name, "TABLE")?;
            if if_exists {
                return Ok(());
            }
            return Err(message::cannot_drop("table", &name.shown()));
        };
        if dictionary.catalog().objects().referring_to(def.id).any(|other| other.id != def.id) {
            return Err(SqlError::of(3726, 1, &[&name.shown()]));
        }
        schema_binding::check_unbound(run, dictionary.catalog(), def.id, "DROP TABLE", name)?;
        objects::lock_schema(run, &dictionary, &def.schema, LockMode::SchS)?;
        lock_referenced(run, &dictionary, Some(&def), None)?;
        definition::drop_triggers(run, &dictionary, def.id)?;
        settings::forget_identity_insert(run, &def);
        drop_trees(run, &def, &trees)?;
        let ask = run.ctx.ask_other();
        dictionary.drop_object(&mut Io { work: &mut run.session.work, ask: &ask }, def.id)
    })
}

/// Locks the tables that foreign keys name before the keys are bound: whatever has the name then keeps it.
///
/// # Errors
/// 911 for an unknown database; 1222, 1205. A name that no table has is left to the binder.
pub(in crate::exec) fn lock_names_of_keys<'a>(
    run: &mut BatchRun<'_>,
    constraints: impl Iterator<Item = &'a TableConstraint>,
) -> SqlResult<()> {
    for constraint in constraints {
        if let ConstraintKind::ForeignKey(key) = &constraint.kind {
            objects::find_table(run, &key.table)?;
        }
    }
    Ok(())
}

pub(in crate::exec) fn drop_trees(run: &mut BatchRun<'_>, def: &TableDef, trees: &TableTrees) -> SqlResult<()> {
    let ask = run.ctx.ask_other();
    for tree in &trees.trees {
        trees::drop_tree(&mut run.session.work, &ask, tree).map_err(|error| message::of_txn(error, place_of(def)))?;
    }
    Ok(())
}

/// 4712 for a table to which keys of others refer, 3729 for one under an indexed view.
pub(in crate::exec) fn check_truncated(open: &Open, name: &ObjectName) -> SqlResult<()> {
    let Open { dictionary, def, .. } = open;
    let objects = dictionary.catalog().objects();
    if objects.referring_to(def.id).any(|other| other.id != def.id) {
        return Err(SqlError::of(4712, 1, &[&name.shown()]));
    }
    match def.views.first() {
        Some(view) => {
            let view = objects.get(*view).map_or("", |rows| rows.name());
            Err(SqlError::of(3729, 2, &[&"TRUNCATE TABLE", &name.shown(), &view]))
        }
        None => Ok(()),
    }
}

pub(in crate::exec) fn truncate_stored_table(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<()> {
    transaction::implicit_begin(run);
    let last = name.last().clone();
    scope::forget_tables(run);
    scope::atomically(run, &last, |run| {
        let open = objects::find_table(run, name)?.ok_or_else(|| message::cannot_truncate(&name.shown()))?;
        check_truncated(&open, name)?;
        let Open { def, trees, .. } = &open;
        let ask = run.ctx.ask_other();
        let mut emptied = Vec::with_capacity(trees.trees.len());
        for tree in &trees.trees {
            let (new, _) = trees::truncate_tree(&mut run.session.work, &ask, tree, tree.ids())
                .map_err(|error| message::of_txn(error, place_of(def)))?;
            emptied.push(new);
        }
        let counters = Arc::new(TableCounters::anew(def, trees, run.session.work.assign_number()));
        objects::put_table(run, &open.dictionary, def, Arc::new(TableTrees { trees: emptied, memory: None, counters }))
    })?;
    run.done_without_count();
    Ok(())
}
