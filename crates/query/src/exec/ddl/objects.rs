//! What every definition does with the objects that it names: find and lock them, put the new definition into the system
//! tables and the catalog.

use millpond_catalog::is_global_temporary;
use std::sync::Arc;

use millpond_bind::definition::index_list::with_indexes;
use millpond_catalog::dictionary::{Dictionary, Io, schema_resource};
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{CatalogObject, ForeignKeyDef, ModuleDef, ObjectId, Schema, SchemaId, TableDef};
use millpond_engine::settled;
use millpond_engine::settled::{Seeker, part};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_message::{self as message, Place};
use millpond_tsql::ast::ObjectName;
use millpond_txn::lock::LockMode;

use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl::objects;
use millpond_rights::needs;
use millpond_rights::new_object::{NewObject, check_new};

/// Where an object of that name is in a definition: dictionary, schema, last part. The schema stays to the end of the
/// transaction.
///
/// # Errors
/// 911 for an unknown database, 2760 for an unknown schema; 1222, 1205.
pub(in crate::exec) fn place_of<'n>(
    run: &mut BatchRun<'_>,
    name: &'n ObjectName,
) -> SqlResult<(Arc<Dictionary>, Schema, &'n str)> {
    let dictionary = settled::dictionary_of(&run.ctx, name)?;
    let schema = schema_of_new(run, &dictionary, name);
    let found = settled_schema(run, &dictionary, &schema)?.filter(|schema| !is_of_system(schema.id));
    Ok((dictionary, found.ok_or_else(|| message::unknown_schema(&schema))?, name.last()))
}

/// The schema that a new object goes into: the written one, else the user's default one.
pub(in crate::exec) fn schema_of_new(run: &BatchRun<'_>, dictionary: &Dictionary, name: &ObjectName) -> String {
    if is_global_temporary(name.last()) {
        return "dbo".to_owned();
    }
    let own = || dictionary.catalog().objects().schema_name(run.ctx.facts.default_schema);
    part(name, 1).map_or_else(own, str::to_owned)
}

/// Makes or replaces a module in the catalog: part of a statement.
pub(in crate::exec) fn store_module(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    def: &Arc<ModuleDef>,
) -> SqlResult<()> {
    lock_new(run, dictionary, def.id, &def.name)?;
    with_io(run, |io| dictionary.put_module(io, def))
}

/// Takes a module out of the catalog: part of a statement.
pub(in crate::exec) fn remove_module(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    def: &ModuleDef,
) -> SqlResult<()> {
    lock_new(run, dictionary, def.id, &def.name)?;
    lock_schema(run, dictionary, &def.schema, LockMode::SchS)?;
    with_io(run, |io| dictionary.drop_object(io, def.id))
}

/// Work on definitions, all or nothing.
pub(in crate::exec) fn defining<T>(
    run: &mut BatchRun<'_>,
    object: &str,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    transaction::implicit_begin(run);
    let ctx = run.ctx_mut();
    ctx.tables = Arc::from([]);
    ctx.sequences = Arc::from([]);
    let done = scope::atomically(run, object, work)?;
    run.done_without_count();
    Ok(done)
}

/// Changes rows of the system tables in this session's name.
pub(in crate::exec) fn with_io<T>(
    run: &mut BatchRun<'_>,
    change: impl FnOnce(&mut Io<'_, '_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let ask = run.ctx.ask_other();
    change(&mut Io { work: &mut run.session.work, ask: &ask })
}

pub(in crate::exec) fn lock_new(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    id: ObjectId,
    name: &str,
) -> SqlResult<()> {
    scope::lock_object(run, dictionary.database(), id, LockMode::SchM)
        .map_err(|error| message::of_txn(error, Place { schema: "", object: name, database: dictionary.name() }))
}

/// Locks a schema to the end of the transaction: shared by all who put objects into it and take them out, against
/// everybody by who makes or drops it. The built-in ones are always there.
pub(in crate::exec) fn lock_schema(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    schema: &Schema,
    mode: LockMode,
) -> SqlResult<()> {
    if is_built_in(schema.id) {
        return Ok(());
    }
    let resource = schema_resource(dictionary.database(), schema.id);
    let ask = run.ctx.ask_other();
    let place = Place { schema: "", object: &schema.name, database: dictionary.name() };
    run.session.work.lock_metadata(&ask, resource, mode).map_err(|error| message::of_txn(error, place))
}

/// The schema of that name, when no transaction makes or drops it; it stays to the end of the transaction.
pub(in crate::exec) fn settled_schema(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    name: &str,
) -> SqlResult<Option<Schema>> {
    loop {
        let Some(schema) = Seeker::of(&run.ctx).schema(dictionary, name)? else { return Ok(None) };
        lock_schema(run, dictionary, &schema, LockMode::SchS)?;
        let objects = dictionary.catalog().objects();
        if objects.schema(name).is_some_and(|found| found.id == schema.id) {
            return Ok(Some(schema));
        }
    }
}

/// Sends warnings.
pub(in crate::exec) fn warn(run: &mut BatchRun<'_>, warnings: Vec<Message>) {
    let procedure = run.frame.procedure.as_deref().unwrap_or_default();
    for warning in warnings {
        run.sink.message(&Message { procedure: procedure.to_owned(), ..warning });
    }
}

/// Where a new object of this name goes, once the session may make it and no other object has the name.
///
/// # Errors
/// 2760 for an unknown schema and for one of the system, 2714 for a name that is taken; those of [`check_new`].
pub(in crate::exec) fn home_of(run: &mut BatchRun<'_>, name: &ObjectName, kind: NewObject) -> SqlResult<Home> {
    let dictionary = settled::dictionary_of(&run.ctx, name)?;
    check_new(&run.ctx, name, kind)?;
    let schema_name = schema_of_new(run, &dictionary, name);
    let found = settled_schema(run, &dictionary, &schema_name)?.filter(|schema| !is_of_system(schema.id));
    let schema = found.ok_or_else(|| message::unknown_schema(&schema_name))?;
    let last = name.last();
    // Who has it, or had it, may still roll back.
    if Seeker::of(&run.ctx).is_taken(&dictionary, schema.id, last)? {
        return Err(message::object_exists(last));
    }
    Ok(Home { dictionary, schema })
}

/// The times of an object that is made or changed now, local, microseconds since 1970.
pub(in crate::exec) fn times_now(run: &BatchRun<'_>) -> (i64, i64) {
    let now = run.ctx.engine.now_us().1;
    (now, now)
}

/// A table of this name, its definition locked against everybody.
///
/// # Errors
/// 4902
pub(in crate::exec) fn open_table(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<Open> {
    find_table(run, name)?.ok_or_else(|| cannot_find(&name.shown()))
}

/// The same, `None` when there is none.
pub(in crate::exec) fn find_table(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<Option<Open>> {
    loop {
        let Some(CatalogObject::Table(def, _)) = settled::find_object(&run.ctx, name)? else { return Ok(None) };
        scope::lock_definition(run, &def, LockMode::SchM)?;
        // Another may have changed or dropped it while this one waited, and the name may be another's now.
        if let Some(CatalogObject::Table(now, trees)) = settled::find_object(&run.ctx, name)?
            && now.id == def.id
        {
            return Ok(Some(Open { dictionary: settled::dictionary_of(&run.ctx, name)?, def: now, trees }));
        }
    }
}

/// The table of a number, its definition locked against everybody; `None` when there is none any more.
pub(in crate::exec) fn open_by_id(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    id: ObjectId,
) -> SqlResult<Option<Open>> {
    let find = || dictionary.catalog().objects().table(id).map(|(def, trees)| (Arc::clone(def), Arc::clone(trees)));
    let Some((def, _)) = find() else { return Ok(None) };
    scope::lock_definition(run, &def, LockMode::SchM)?;
    Ok(find().map(|(def, trees)| Open { dictionary: Arc::clone(dictionary), def, trees }))
}

/// Writes a changed definition, or the same with other trees. The definition is given anew, so that a session that holds
/// the old one looks again.
pub(in crate::exec) fn put_table(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    def: &Arc<TableDef>,
    trees: Arc<TableTrees>,
) -> SqlResult<()> {
    put_definition(run, dictionary, def, trees)?;
    // Rows of the new form have no older versions: a snapshot from before does not read them.
    note_altered(run, dictionary, def.id);
    Ok(())
}

/// Snapshots that do not see this transaction are refused (3961).
pub(in crate::exec) fn note_altered(run: &mut BatchRun<'_>, dictionary: &Dictionary, id: ObjectId) {
    let work = &mut run.session.work;
    let (transaction, seen_by_all) = (work.assign_number(), work.seen_by_all());
    dictionary.catalog().change(|objects| objects.note_altered(id, transaction, seen_by_all));
}

/// The same where no row changes its form, and no index.
pub(in crate::exec) fn put_definition(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    def: &Arc<TableDef>,
    trees: Arc<TableTrees>,
) -> SqlResult<()> {
    let old = dictionary.catalog().objects().table(def.id).map(|(old, _)| Arc::clone(old));
    lock_referenced(run, dictionary, old.as_deref(), Some(def))?;
    let now = times_now(run).1;
    let ask = run.ctx.ask_other();
    let mut io = Io { work: &mut run.session.work, ask: &ask };
    let created = dictionary.object_times(&mut io, def.id)?.map_or(now, |(created, _)| created);
    dictionary.put_table(&mut io, def, &trees, (created, now))
}

/// A session that has seen a table without the change of its triggers looks again.
pub(in crate::exec) fn renew_table(open: &Open) {
    let def = Arc::new(with_indexes(&open.def, open.def.indexes.clone()));
    let table = CatalogObject::Table(def, Arc::clone(&open.trees));
    open.dictionary.catalog().change(|objects| objects.put(table));
}

/// Where a new object goes.
pub(in crate::exec) struct Home {
    pub dictionary: Arc<Dictionary>,
    pub schema: Schema,
}

/// A table that is being changed: locked with Sch-M.
pub(in crate::exec) struct Open {
    pub dictionary: Arc<Dictionary>,
    pub def: Arc<TableDef>,
    pub trees: Arc<TableTrees>,
}

/// 4902
pub(in crate::exec) fn cannot_find(name: &str) -> SqlError {
    SqlError::of(4902, 1, &[&name])
}

/// 166: a name that is made, altered or dropped says no database. That of a temporary procedure is tempdb's whatever it
/// says.
pub(in crate::exec) fn of_current_database(name: &ObjectName, verb: &str, kind: &str) -> SqlResult<()> {
    if name.parts.len() < 3 || name.parts.last().is_some_and(|last| last.starts_with('#')) {
        return Ok(());
    }
    Err(SqlError::of(166, 1, &[&format_args!("{verb} {}", kind.to_uppercase())]))
}

/// Locks the tables that a table begins to refer to by a foreign key, or does no longer, against everybody: who changes
/// their rows minds the key or does not, as its transaction ends.
///
/// # Errors
/// Those of [`needs::check_references`]; 1222, 1205; 2801 when such a table has changed since the key was bound: the statement begins again.
pub(in crate::exec) fn lock_referenced(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    old: Option<&TableDef>,
    new: Option<&TableDef>,
) -> SqlResult<()> {
    if let Some(new) = new {
        needs::check_references(&run.ctx, dictionary.database(), old, new)?;
    }
    let keys = |def: Option<&'_ TableDef>| def.map_or_else(Vec::new, |def| def.foreign_keys.clone());
    let (had, gets) = (keys(old), keys(new));
    let is_in = |keys: &[ForeignKeyDef], id: ObjectId| keys.iter().any(|key| key.id == id);
    let own = old.or(new).map(|def| def.id);
    let lost = had.iter().filter(|key| !is_in(&gets, key.id)).map(|key| (key, false));
    let got = gets.iter().filter(|key| !is_in(&had, key.id)).map(|key| (key, true));
    for (key, is_new) in lost.chain(got).filter(|(key, _)| Some(key.referenced) != own) {
        let open = objects::open_by_id(run, dictionary, key.referenced)?;
        if is_new && open.as_ref().is_none_or(|open| !has_key(&open.def, key)) {
            run.is_stale = true;
            return Err(message::schema_changed(open.as_ref().map_or("", |open| &open.def.name)));
        }
        if let Some(open) = &open {
            objects::renew_table(open);
        }
    }
    Ok(())
}

/// `INFORMATION_SCHEMA` and `sys`: nothing is made in them.
fn is_of_system(schema: SchemaId) -> bool {
    matches!(schema.0, 3 | 4)
}

/// Whether a schema is one that every database has.
pub(in crate::exec) fn is_built_in(schema: SchemaId) -> bool {
    schema.0 < 5
}

/// 3729
pub(in crate::exec) fn in_use(what: &str, name: &str, user: &str) -> SqlError {
    SqlError::of(3729, 1, &[&what, &name, &user])
}

/// Whether a table has the unique index that a foreign key refers to.
fn has_key(def: &TableDef, key: &ForeignKeyDef) -> bool {
    def.indexes.iter().any(|index| {
        let columns: Vec<i32> = index.key.iter().map(|part| def.columns[part.column].id).collect();
        index.unique
            && columns.len() == key.referenced_columns.len()
            && key.referenced_columns.iter().all(|column| columns.contains(column))
    })
}
