//! AFTER triggers: found for a change, run behind it with the rows that it made and took; made, switched, listed.
//!
//! ```text
//!   INSERT, UPDATE, DELETE, MERGE ──rows──▶ Changes ──▶ per trigger: inserted, deleted as tables of a scope ──▶ body
//! ```
//! What always holds:
//! - R1: the change and its triggers are one transaction, begun for them when none is open. What a trigger's body raises
//!   ends the batch and rolls everything back; a TRY around it finds the transaction doomed.
//! - R2: a transaction that ends in a trigger ends the batch (3609); one that is doomed there is rolled back (3616).
//! - R3: a trigger sees `inserted` and `deleted`, no other module does, and no statement changes them (286).
//! - R4: whatever changes a table either fires its triggers or is refused by name: a cascade is (40517).

use std::sync::Arc;

use millpond_bind::{BoundOutput, is_of_reader};
use millpond_catalog::run::facts::RunningTrigger;
use millpond_catalog::{CatalogObject, ColumnDef, DatabaseObjects, ModuleDef, SchemaId, TableDef, names_equal};
use millpond_engine::context::RunContext;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_engine::system_call::SentTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::DoneKind;
use millpond_rows::changes::{Changes, Event};
use millpond_tsql::ast::{self, ObjectName, TriggerHead, TriggerSwitch, TriggerTarget};
use millpond_types::Value;

use crate::exec::batch::frame::{Frame, Parameters};
use crate::exec::batch::names::declared::{ArgumentRows, TableArgument};
use crate::exec::batch::names::settled;
use crate::exec::batch::names::settled::{DELETED, INSERTED, part};
use crate::exec::batch::{BatchRun, frame, transaction};
use crate::exec::ddl::objects::Open;
use crate::exec::ddl::{objects, table_type};
use crate::exec::routine::triggers::{all_triggers, triggers_of};
use crate::exec::security::impersonate;

/// A statement as its triggers see it.
pub(in crate::exec) struct Change<'a> {
    pub def: &'a Arc<TableDef>,
    pub events: &'a [Event],
    /// Columns that UPDATE sets.
    pub columns: &'a [usize],
    pub output: &'a [BoundOutput],
}

/// The table that a definition names.
fn parent<'o>(objects: &'o DatabaseObjects, head: &TriggerHead) -> Option<&'o Arc<TableDef>> {
    let TriggerTarget::Object(name) = &head.target else { return None };
    let schema = objects.schema(part(name, 1).unwrap_or("dbo"))?;
    match objects.find(schema.id, name.parts.last()?)? {
        CatalogObject::Table(def, _) => Some(def),
        _ => None,
    }
}

/// Runs a change with its triggers. `None`: the batch has ended in one of them.
pub(in crate::exec) fn with_triggers<T>(
    run: &mut BatchRun<'_>,
    change: &Change<'_>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<Option<T>> {
    if change.def.is_temporary() {
        // It has no triggers, and a loop of INSERTs does not look for them.
        change.output.iter().try_for_each(|clause| check_output(run, clause, change.def, false))?;
        return work(run).map(Some);
    }
    let mut fired = Vec::new();
    for event in change.events {
        fired.extend(triggers_of(run, change.def, *event)?.into_iter().map(|trigger| (*event, trigger)));
    }
    for clause in change.output {
        check_output(run, clause, change.def, !fired.is_empty())?;
    }
    if fired.is_empty() {
        return work(run).map(Some);
    }
    let is_own = run.ctx.facts.tran_count == 0;
    if is_own {
        transaction::begin_own_transaction(run);
    }
    run.changes = Some(Box::default());
    let done = work(run);
    let changes = run.changes.take().unwrap_or_default();
    let done = done.and_then(|value| {
        for (event, trigger) in &fired {
            fire(run, trigger, *event, &changes, change)?;
            if run.ends_batch {
                return Ok(None);
            }
        }
        Ok(Some(value))
    });
    if is_own { end_own(run, done) } else { done }
}

/// Ends the transaction that was begun for a change.
fn end_own<T>(run: &mut BatchRun<'_>, done: SqlResult<Option<T>>) -> SqlResult<Option<T>> {
    run.ctx_mut().facts.doomed = false;
    match done {
        Ok(value) => transaction::end_own_transaction(run, Ok(())).map(|()| value),
        Err(error) => transaction::end_own_transaction(run, Err(error)).map(|()| None),
    }
}

/// 334, 331 to 333
pub(in crate::exec) fn check_output(
    run: &BatchRun<'_>,
    clause: &BoundOutput,
    def: &TableDef,
    fires: bool,
) -> SqlResult<()> {
    let Some(into) = &clause.into else {
        if !fires {
            return Ok(());
        }
        return Err(message::when_bound(SqlError::of(334, 1, &[&def.name])));
    };
    let fires = all_triggers(run, &into.def)?.iter().any(|trigger| !trigger.def.is_disabled);
    if clause.taken.is_some() {
        return check_taking(run, &into.def, fires);
    }
    if fires {
        return Err(message::when_bound(SqlError::of(331, 1, &[&into.def.name])));
    }
    check_into(run, &into.def)
}

/// 332, 333: a table that takes the rows of OUTPUT … INTO. Table variables, which have no foreign keys, may have CHECKs.
fn check_into(run: &BatchRun<'_>, def: &TableDef) -> SqlResult<()> {
    if def.name.starts_with('@') {
        return Ok(());
    }
    if let Some(key) = key_beside(run, def)? {
        return Err(message::when_bound(SqlError::of(332, 1, &[&def.name, &key])));
    }
    match def.checks.iter().find(|check| !check.disabled) {
        Some(check) => Err(message::when_bound(SqlError::of(333, 1, &[&def.name, &check.name]))),
        None => Ok(()),
    }
}

/// A foreign key that a table has, or that refers to it.
fn key_beside(run: &BatchRun<'_>, def: &TableDef) -> SqlResult<Option<String>> {
    if def.is_temporary() {
        return Ok(None);
    }
    let objects = run.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
    let others = objects.referring_to(def.id).flat_map(|other| other.foreign_keys.iter());
    let mut keys = def.foreign_keys.iter().chain(others.filter(|key| key.referenced == def.id));
    Ok(keys.next().map(|key| key.name.clone()))
}

/// 355, 356: a table that takes the rows of a change.
fn check_taking(run: &BatchRun<'_>, def: &TableDef, fires: bool) -> SqlResult<()> {
    if fires {
        return Err(message::when_bound(SqlError::of(355, 1, &[&def.name])));
    }
    let Some(key) = key_beside(run, def)? else { return Ok(()) };
    Err(message::when_bound(SqlError::of(356, 1, &[&def.name, &key])))
}

fn fire(
    run: &mut BatchRun<'_>,
    trigger: &Arc<ReadModule>,
    event: Event,
    changes: &Changes,
    change: &Change<'_>,
) -> SqlResult<()> {
    let ModuleForm::Trigger { body, .. } = &trigger.form else { unreachable!("found as a trigger") };
    let (inserted, deleted) = changes.of(event);
    let count = changes.row_count() as u64;
    let seen = trigger.trigger_tables(change.def, trigger_tables);
    let table =
        |def: Arc<TableDef>, rows: Vec<Vec<Value>>| TableArgument { rows: ArgumentRows::Sent(sent(&def, rows)), def };
    let [as_inserted, as_deleted] = seen.tables;
    let tables = vec![table(as_inserted, inserted), table(as_deleted, deleted)];
    let columns = match event {
        Event::Insert => (0..change.def.columns.len()).collect(),
        Event::Update => change.columns.to_vec(),
        Event::Delete => Vec::new(),
    };
    let before = run.ctx.facts.trigger.as_ref().map_or(0, |outer| outer.nesting);
    let nest_level = run.ctx.facts.nest_level + 1;
    let running = RunningTrigger { table_columns: seen.columns, columns, nest_level, nesting: before + 1 };
    // A trigger is of its table's schema.
    let database = change.def.database;
    let security = impersonate::of_module(run.session, database, trigger)?;
    let frame = Frame { schema: change.def.schema.id, security, ..Frame::of(&trigger.name, &trigger.def) };
    let ran = frame::nested(run, |session, sink| {
        Arc::make_mut(&mut session.facts.settings).xact_abort = true;
        session.facts.trigger = Some(Arc::new(running));
        session.facts.row_count = count;
        frame::inside(session, database, |session| {
            table_type::with_tables(session, tables, sink, |session, sink| {
                session.run_parsed(body, Parameters::default(), DoneKind::InProcedure, &frame, sink)
            })
        })
    });
    let is_open = run.session.work.in_transaction();
    match ran {
        Err(error) => {
            run.ctx_mut().facts.doomed = is_open;
            Err(error)
        }
        Ok(_) if run.ends_batch => {
            transaction::rollback_everything(run);
            Ok(())
        }
        // A TRY in the trigger has caught what dooms the transaction.
        Ok(_) if is_open && run.ctx.facts.doomed => Err(SqlError::of(3616, 1, &[])),
        Ok(_) if is_open => Ok(()),
        Ok(_) => Err(SqlError::of(3609, 1, &[])),
    }
}

/// A trigger without a schema of a table outside dbo: it comes into the table's schema.
pub(in crate::exec) fn in_schema_of_table(run: &BatchRun<'_>, module: &ast::Module) -> SqlResult<Option<ast::Module>> {
    let ast::ModuleKind::Trigger { head, .. } = &module.kind else { return Ok(None) };
    let TriggerTarget::Object(target) = &head.target else { return Ok(None) };
    if part(&module.name, 1).is_some() {
        return Ok(None);
    }
    let schema = match settled::find_object(run, target)? {
        Some(CatalogObject::Table(def, _)) if def.schema.id != SchemaId::DBO => def.schema.name.to_string(),
        _ => return Ok(None),
    };
    let mut parts = module.name.parts.clone();
    let last = parts.pop().unwrap_or_default();
    parts.pop();
    parts.extend([schema, last]);
    Ok(Some(ast::Module { name: ObjectName { parts }, ..module.clone() }))
}

/// The table of a trigger that is being made, kept from others.
///
/// # Errors
/// 911, 1222, 1205
pub(in crate::exec) fn open_of_trigger(run: &mut BatchRun<'_>, head: &TriggerHead) -> SqlResult<Option<Open>> {
    match &head.target {
        TriggerTarget::Object(name) => objects::find_table(run, name),
        _ => Ok(None),
    }
}

/// A trigger is on a table of its database, and of a kind that is known.
pub(in crate::exec) fn check_trigger(
    run: &BatchRun<'_>,
    head: &TriggerHead,
    table: Option<&Open>,
    def: &ModuleDef,
) -> SqlResult<()> {
    let TriggerTarget::Object(name) = &head.target else {
        return Err(message::missing("A trigger on DATABASE or ALL SERVER"));
    };
    if name.last().starts_with('#') {
        return Err(SqlError::of(167, 1, &[&"trigger"]));
    }
    if table.is_some_and(|table| table.def.database != run.ctx.facts.database) {
        return Err(SqlError::of(2108, 1, &[&"create", &name.shown()]));
    }
    if table.is_some_and(|table| table.def.schema.id != def.schema.id) {
        return Err(SqlError::of(2103, 1, &[&"create", &format_args!("{}.{}", def.schema.name, def.name)]));
    }
    if table.is_none() {
        let is_view = settled::find_object(run, name)?.is_some_and(|object| object.code() == "V");
        if head.instead_of && is_view {
            return Err(message::missing("An INSTEAD OF trigger"));
        }
        let name = name.shown();
        return Err(SqlError::of(8197, 4, &[&name]));
    }
    if head.instead_of {
        return Err(message::missing("An INSTEAD OF trigger"));
    }
    match head.events.iter().find(|word| Event::ALL.iter().all(|event| event.word() != word.as_str())) {
        Some(event) => Err(message::syntax_near(event)),
        None => Ok(()),
    }
}

/// `ENABLE|DISABLE TRIGGER`
pub(in crate::exec) fn switch_triggers(run: &mut BatchRun<'_>, switch: &TriggerSwitch) -> SqlResult<()> {
    let TriggerTarget::Object(table) = &switch.target else {
        return Err(message::missing("A trigger on DATABASE or ALL SERVER"));
    };
    let names =
        switch.triggers.as_ref().map(|names| names.iter().map(|name| name.last().clone()).collect::<Vec<String>>());
    switch_triggers_of(run, table, names.as_deref(), switch.enable)
}

/// Switches triggers of a table; all without names.
pub(in crate::exec) fn switch_triggers_of(
    run: &mut BatchRun<'_>,
    table: &ObjectName,
    names: Option<&[String]>,
    enable: bool,
) -> SqlResult<()> {
    let last = table.last().clone();
    objects::defining(run, &last, |run| {
        let open = objects::find_table(run, table)?.ok_or_else(|| SqlError::of(1088, 11, &[&last]))?;
        let mut found = all_triggers(run, &open.def)?;
        for name in names.unwrap_or_default() {
            if !found.iter().any(|trigger| names_equal(&trigger.def.name, name)) {
                return Err(SqlError::of(4920, 0, &[&if enable { "enable" } else { "disable" }, &name, &last]));
            }
        }
        if let Some(names) = names {
            found.retain(|trigger| names.iter().any(|name| names_equal(name, &trigger.def.name)));
        }
        for trigger in found {
            let def = Arc::new(ModuleDef { is_disabled: !enable, ..ModuleDef::clone(&trigger.def) });
            objects::with_io(run, |io| open.dictionary.put_module(io, &def))?;
        }
        objects::renew_table(&open);
        Ok(())
    })
}

/// The triggers of a table go with it.
pub(in crate::exec) fn drop_triggers(run: &mut BatchRun<'_>, def: &TableDef) -> SqlResult<()> {
    let dictionary = run.ctx.engine.databases().dictionary(def.database)?;
    let objects = dictionary.catalog().objects();
    for trigger in objects.triggers_of(def.id) {
        objects::with_io(run, |io| dictionary.drop_object(io, trigger.id))?;
    }
    Ok(())
}

/// `inserted` and `deleted` of a table: its columns without what makes values.
/// `inserted` and `deleted` as a trigger's body will see them; `None` where its table is not there.
///
/// # Errors
/// Of a database that cannot be read.
pub(in crate::exec) fn shapes_of_trigger(
    ctx: &RunContext,
    head: &TriggerHead,
) -> SqlResult<Option<[Arc<TableDef>; 2]>> {
    let objects = ctx.engine.databases().dictionary(ctx.facts.database)?.catalog().objects();
    Ok(parent(&objects, head).map(|def| trigger_tables(def)))
}

fn trigger_tables(table: &TableDef) -> [Arc<TableDef>; 2] {
    [INSERTED, DELETED].map(|name| {
        let columns = table.columns.iter().enumerate().map(|(index, column)| {
            let mut plain = ColumnDef::new(column.id, column.name.clone(), column.ty);
            plain.ty.nullable = true;
            // What the rows do not have is computed by who reads it, as in the table.
            plain.computed = column.computed.clone().filter(|_| is_of_reader(table, index));
            plain
        });
        Arc::new(TableDef::new(name.to_owned(), columns.collect(), Vec::new()))
    })
}

fn sent(def: &TableDef, rows: Vec<Vec<Value>>) -> SentTable {
    let columns = def.columns.iter().map(|column| Some(column.ty.sql)).collect();
    let rows = Arc::new(rows);
    SentTable {
        columns,
        rows: Arc::new(move || {
            let rows = Arc::clone(&rows);
            Box::new((0..rows.len()).map(move |row| rows[row].clone()))
        }),
    }
}
