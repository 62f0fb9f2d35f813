//! Indexes of views: a view's rows are made with its clustered index, are a table that no name means, and go with it.
//!
//! What always holds: the rows are made and dropped under Sch-M locks on the view and all its tables, so that each statement that
//! changes a table either sees the view ([`TableDef::views`]) or has ended before.

use std::sync::Arc;

use millpond_bind::definition::index_list::with_indexes;
use millpond_bind::definition::indexed_view::{IndexedView, columns_of};
use millpond_bind::heap_index;
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::{
    CatalogObject, DatabaseObjects, IndexDef, ModuleDef, ModuleKind, ObjectId, TableDef, TableName,
};
use millpond_engine::settled;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::indexed_view::{fill, settings_fit};
use millpond_tsql::ast::{Clustering, CreateIndex, ObjectName, OptionValue, find_option};

use crate::exec::batch::BatchRun;
use crate::exec::ddl::objects::Open;
use crate::exec::ddl::{objects, table};

/// The view of a name, under a Sch-M lock; none where the name is no view's.
fn open_view(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<Option<(Arc<Dictionary>, Arc<ModuleDef>)>> {
    loop {
        let Some(CatalogObject::Module(view)) = settled::find_object(&run.ctx, name)? else { return Ok(None) };
        if view.kind != ModuleKind::View {
            return Ok(None);
        }
        let dictionary = settled::dictionary_of(&run.ctx, name)?;
        objects::lock_new(run, &dictionary, view.id, &view.name)?;
        // Another may have altered or dropped it while this one waited.
        if dictionary.catalog().objects().is_module(&view) {
            return Ok(Some((dictionary, view)));
        }
    }
}

fn rows_of(dictionary: &Dictionary, view: &ModuleDef) -> Option<ObjectId> {
    view.rows_in(&dictionary.catalog().objects()).map(|(def, _)| def.id)
}

/// The table of a name or the rows of the view of that name, under a Sch-M lock.
pub(in crate::exec) fn find_indexed(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<Option<Open>> {
    if let Some(open) = objects::find_table(run, name)? {
        return Ok(Some(open));
    }
    let Some((dictionary, view)) = open_view(run, name)? else { return Ok(None) };
    match rows_of(&dictionary, &view) {
        Some(rows) => objects::open_by_id(run, &dictionary, rows),
        None => Ok(None),
    }
}

/// The same for DROP INDEX. Where the clustered index of a view goes, its tables are locked before its rows: a statement that
/// changes a table holds that table when it asks for the rows. Of a view over several tables it asks for the others after that, so that it
/// and this may still be a deadlock.
pub(in crate::exec) fn find_to_drop(run: &mut BatchRun<'_>, name: &ObjectName, index: &str) -> SqlResult<Option<Open>> {
    if let Some(open) = objects::find_table(run, name)? {
        return Ok(Some(open));
    }
    let Some((dictionary, view)) = open_view(run, name)? else { return Ok(None) };
    let objects = dictionary.catalog().objects();
    let Some((rows, _)) = view.rows_in(&objects) else { return Ok(None) };
    if rows.index(index).is_some_and(|index| index.id == 1) {
        for table in tables_of(&objects, rows.id) {
            objects::open_by_id(run, &dictionary, table)?;
        }
    }
    objects::open_by_id(run, &dictionary, rows.id)
}

/// The tables of the view with these rows.
fn tables_of(objects: &DatabaseObjects, rows: ObjectId) -> Vec<ObjectId> {
    objects.tables().filter(|def| def.views.contains(&rows)).map(|def| def.id).collect()
}

/// What CREATE INDEX of a view adds its index to: the view's rows, made as a heap where it has none. None of what is no view.
///
/// # Errors
/// 1939, 1941, 1940, 1935, 1967, those of [`IndexedView::of`] and of the view's query; 1934.
pub(in crate::exec) fn open_to_index(run: &mut BatchRun<'_>, create: &CreateIndex) -> SqlResult<Option<Open>> {
    let Some((dictionary, view)) = open_view(run, &create.table)? else { return Ok(None) };
    settings_fit(&run.ctx, "CREATE INDEX")?;
    if !run.ctx.engine.read_module(&view)?.schema_bound {
        return Err(SqlError::of(1939, 1, &[&"index", &view.name]));
    }
    let two = format!("{}.{}", view.schema.name, view.name);
    let is_clustered = create.index.clustering == Some(Clustering::Clustered);
    if is_clustered && !create.index.unique {
        return Err(SqlError::of(1941, 1, &[&two]));
    }
    if let Some(rows) = rows_of(&dictionary, &view) {
        return objects::open_by_id(run, &dictionary, rows);
    }
    if !is_clustered {
        return Err(SqlError::of(1940, 1, &[&"index", &two]));
    }
    let is_on = |name| {
        let option = find_option(&create.index.options, name);
        option.is_some_and(|option| option.is("ON") || matches!(option.value, OptionValue::None))
    };
    if is_on("ONLINE") {
        return Err(SqlError::of(1967, 1, &[]));
    }
    let off = [("ANSI_NULLS", view.ansi_nulls), ("QUOTED_IDENTIFIER", view.quoted_identifier)];
    let off: Vec<&str> = off.into_iter().filter(|(_, is_on)| !is_on).map(|(name, _)| name).collect();
    if !off.is_empty() {
        return Err(SqlError::of(1935, 1, &[&view.name, &off.join(", ")]));
    }
    make_rows(run, &dictionary, &view, &create.index.name).map(Some)
}

/// Makes a view's rows, as a heap. Its tables know of it from then on.
fn make_rows(run: &mut BatchRun<'_>, dictionary: &Arc<Dictionary>, view: &ModuleDef, index: &str) -> SqlResult<Open> {
    let bound = |dictionary: &Dictionary| {
        let objects = dictionary.catalog().objects();
        IndexedView::of((dictionary.database(), dictionary.name()), &objects, view, index)
    };
    let tables: Vec<ObjectId> = bound(dictionary)?.tables.iter().map(|def| def.id).collect();
    for id in &tables {
        objects::open_by_id(run, dictionary, *id)?;
    }
    // What was not locked may have been another.
    let of_view = bound(dictionary)?;
    let columns = columns_of(view, &of_view);
    let heap = heap_index(&columns);
    let name = TableName {
        database: dictionary.database(),
        database_name: Arc::clone(dictionary.name()),
        schema: view.schema.of_view_rows(),
        name: view.name.clone(),
    };
    let id = dictionary.catalog().next_object_id();
    table::put_new_table(run, dictionary, TableDef::assemble(id, name, columns, Vec::new(), Vec::new(), vec![heap]))?;
    let opened = objects::open_by_id(run, dictionary, id)?.ok_or_else(|| message::schema_changed(&view.name))?;
    let (ctx, objects) = (Arc::clone(&run.ctx), dictionary.catalog().objects());
    fill(&mut run.session.work, &ctx, &of_view, (&opened.def, &opened.trees), &objects)?;
    tables.into_iter().try_for_each(|table| note_view(run, dictionary, table, &mut |views| views.push(id)))?;
    Ok(opened)
}

/// Changes what a table knows of the views over it.
fn note_view(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    table: ObjectId,
    change: &mut dyn FnMut(&mut Vec<ObjectId>),
) -> SqlResult<()> {
    let Some(open) = objects::open_by_id(run, dictionary, table)? else { return Ok(()) };
    let mut def = with_indexes(&open.def, open.def.indexes.clone());
    change(&mut def.views);
    objects::put_definition(run, dictionary, &Arc::new(def), open.trees)
}

/// Looks at the indexes that a view's rows get.
///
/// # Errors
/// Those of [`IndexedView::check_index`].
pub(in crate::exec) fn check_indexes(run: &BatchRun<'_>, open: &Open, indexes: &[IndexDef]) -> SqlResult<()> {
    let objects = open.dictionary.catalog().objects();
    let Some(view) = ModuleDef::of_rows(&open.def, &objects) else { return Ok(()) };
    let database = (open.dictionary.database(), open.dictionary.name());
    let view = run.ctx.engine.read_module(view)?.indexed_view(database, &objects)?;
    indexes.iter().filter(|index| !index.name.is_empty()).try_for_each(|index| view.check_index(&open.def, index))
}

/// Drops a view's rows with all its indexes, if it has any; the caller has a Sch-M lock on the view.
pub(in crate::exec) fn drop_rows(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    view: &ModuleDef,
) -> SqlResult<()> {
    let Some(rows) = rows_of(dictionary, view) else { return Ok(()) };
    for table in tables_of(&dictionary.catalog().objects(), rows) {
        note_view(run, dictionary, table, &mut |views| views.retain(|known| *known != rows))?;
    }
    let Some(open) = objects::open_by_id(run, dictionary, rows)? else { return Ok(()) };
    table::drop_trees(run, &open.def, &open.trees)?;
    objects::with_io(run, |io| dictionary.drop_object(io, rows))
}

/// A view gets another name or schema: its rows go with it.
pub(in crate::exec) fn rename_rows(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    old: &ModuleDef,
    new: &ModuleDef,
) -> SqlResult<()> {
    let Some(rows) = rows_of(dictionary, old).filter(|_| old.kind == ModuleKind::View) else { return Ok(()) };
    let Some(open) = objects::open_by_id(run, dictionary, rows)? else { return Ok(()) };
    let mut def = with_indexes(&open.def, open.def.indexes.clone());
    (def.name, def.schema) = (new.name.clone(), new.schema.of_view_rows());
    objects::put_table(run, dictionary, &Arc::new(def), open.trees)
}
