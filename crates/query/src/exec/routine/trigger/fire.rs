//! Triggers of changes: found for a change, run after it or in its place with the rows that it made and took.
//!
//! ```text
//!   INSERT, UPDATE, DELETE, MERGE ──rows──▶ Changes ──▶ per trigger: inserted, deleted as tables of a scope ──▶ body
//!             └─ one that INSTEAD OF triggers take makes rows and stores none (`exec::dml::instead`)
//! ```
//! What always holds:
//! - R1: the change and its triggers are one transaction, begun for them when none is open. What a trigger's body raises
//!   ends the batch and rolls everything back; a TRY around it finds the transaction doomed.
//! - R2: a transaction that ends in a trigger ends the batch (3609); one that is doomed there is rolled back (3616).
//! - R3: a trigger sees `inserted` and `deleted`, no other module does, and no statement changes them (286).
//! - R5: which triggers take a change is decided when it is bound. Where they are others when it runs it is bound anew.
//! - R4: whatever changes a table either fires its triggers or is refused by name: a cascade is (40517).

use std::sync::Arc;

use millpond_bind::BoundOutput;
use millpond_catalog::run::Run;
use millpond_catalog::run::facts::{RunningTrigger, TriggerKind};
use millpond_catalog::{ModuleKind, TableDef};
use millpond_code::module_calls;
use millpond_engine::capture::execution::Running;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::system_call::SentTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::DoneKind;
use millpond_rows::changes::{Changes, Event};
use millpond_rows::indexed_view::check_settings;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::exec::batch::frame::{Finished, Frame};
use millpond_code::text_variables::Parameters;
use millpond_names::declared::{ArgumentRows, TableArgument};
use millpond_names::trigger_tables::trigger_tables;

use crate::exec::batch::{BatchRun, frame, transaction};
use crate::exec::ddl::table_type;
use crate::exec::security::impersonate;
use millpond_names::triggers::{all_triggers, has_triggers, instead_triggers, triggers_of};

/// A statement as its triggers see it.
pub(in crate::exec) struct Change<'a> {
    pub def: &'a Arc<TableDef>,
    pub events: &'a [Event],
    /// Columns that UPDATE sets.
    pub columns: &'a [usize],
    pub output: &'a [BoundOutput],
    /// INSTEAD OF triggers take the rows.
    pub instead: bool,
}

/// Runs a change with its triggers. `None`: the batch has ended in one of them.
pub(in crate::exec) fn with_triggers<T>(
    run: &mut BatchRun<'_>,
    change: &Change<'_>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<Option<T>> {
    let statement = if let [event] = change.events { event.word() } else { "MERGE" };
    check_settings(&run.ctx, change.def, statement)?;
    // A temporary table has no triggers, and a loop of INSERTs does not look for them.
    if change.def.is_temporary() || !change.instead && !has_triggers(&run.ctx, change.def)? {
        change.output.iter().try_for_each(|clause| check_output(run, clause, change.def, false))?;
        return work(run).map(Some);
    }
    let mut fired = Vec::new();
    for event in change.events {
        let taking = instead_triggers(&run.ctx, (change.def.database, change.def.id), *event)?;
        if taking.is_none() == change.instead {
            return Err(bound_otherwise(run, change.def));
        }
        match taking {
            Some(trigger) => fired.push((*event, trigger)),
            None => {
                fired.extend(triggers_of(&run.ctx, change.def, *event)?.into_iter().map(|trigger| (*event, trigger)))
            }
        }
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

/// R5
fn bound_otherwise(run: &mut BatchRun<'_>, def: &TableDef) -> SqlError {
    if let Some(key) = run.bound_key {
        run.plans.statements.remove(key);
    }
    run.is_stale = true;
    message::schema_changed(&def.name)
}

/// Ends the transaction that was begun for a change.
pub(in crate::exec) fn end_own<T>(run: &mut BatchRun<'_>, done: SqlResult<Option<T>>) -> SqlResult<Option<T>> {
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
    let fires = all_triggers(&run.ctx, &into.def)?.iter().any(|trigger| !trigger.def.is_disabled);
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
    let outer = run.ctx.facts.trigger.clone();
    let running = RunningTrigger {
        database: change.def.database,
        object: trigger.def.id,
        target: Some(change.def.id),
        kind: if change.instead { TriggerKind::Instead } else { TriggerKind::After },
        table_columns: seen.columns,
        columns,
        nest_level: run.ctx.facts.nest_level + 1,
        nesting: outer.as_ref().map_or(0, |outer| outer.nesting) + 1,
        outer,
        event: None,
    };
    // A trigger is of its table's schema.
    let database = change.def.database;
    let security = impersonate::of_module(run.session, database, trigger)?;
    let frame = Frame { schema: change.def.schema.id, security, ..Frame::of(&trigger.name, &trigger.def) };
    let counted = begin_trigger(run, trigger, database, body);
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
    end_of_trigger(run, ran, counted)
}

/// Begins to count what a trigger takes.
pub(in crate::exec) fn begin_trigger(
    run: &BatchRun<'_>,
    trigger: &ReadModule,
    database: DbId,
    body: &ParsedBatch,
) -> Running {
    let what = (ModuleKind::Trigger, trigger.def.id.0, database.0);
    module_calls::begin(&run.ctx.engine, &run.ctx.session, what, body, run.ctx.now_us().1)
}

/// R1, R2: what the end of a trigger's body means for the transaction.
pub(in crate::exec) fn end_of_trigger(
    run: &mut BatchRun<'_>,
    ran: SqlResult<Finished>,
    counted: Running,
) -> SqlResult<()> {
    if ran.is_ok() {
        module_calls::end(&run.ctx.engine, &run.ctx.session, counted, run.ctx.engine.now_us().1);
    }
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
