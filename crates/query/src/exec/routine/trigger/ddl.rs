//! Triggers of a database or of the server: defined, switched, dropped, and fired by definitions and logins.
//!
//! ```text
//!   statement ──events──▶ triggers of the server, then of the database ──▶ statement runs ──▶ each body, with EVENTDATA()
//!   login ──LOGON──▶ triggers of the server ──▶ each body ──▶ committed: the login goes on, else it is refused (`exec::logon`)
//! ```
//! What always holds:
//! - D1: they have a name space of their own ([`Schema::of_triggers`]): those of a database in its catalog, those of the
//!   server in that of master.
//! - D2: a statement and what it fires are one transaction, where the statement may be in one: a ROLLBACK or an error in a
//!   body undoes the definition. A trigger does not see the statement that makes it; one that is altered runs as it is then.
//! - D3: a trigger does not fire while it is the innermost one that runs.

use std::sync::Arc;

use millpond_bind::Home;
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::event_type::{EventType, event_type};
use millpond_catalog::run::facts::{RunningTrigger, TriggerKind};
use millpond_catalog::{CatalogObject, FiringPlace, ModuleDef, ModuleKind, ObjectId, Schema, SchemaId};
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::DoneKind;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    self, DefinitionVerb, DropKind, DropObjects, ObjectName, Statement, StatementKind, TriggerHead, TriggerSwitch,
    TriggerTarget,
};
use millpond_txn::Isolation;

use crate::exec::batch::frame::Frame;
use crate::exec::batch::{BatchRun, frame, scope, transaction};
use crate::exec::ddl::objects;
use crate::exec::routine::trigger::definition;
use crate::exec::routine::trigger::fire::{begin_trigger, end_of_trigger, end_own};
use crate::exec::security::impersonate;
use millpond_code::text_variables::Parameters;
use millpond_engine::context::RunContext;
use millpond_engine::definition_event::{Event, event_data, events_of, logon_data};
use millpond_names::module_check;
use millpond_names::triggers::head_of;
use millpond_rights::impersonate::principal_of_new;

/// Whose events a trigger is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::exec) enum Scope {
    Database,
    Server,
}

impl Scope {
    /// That of a target that is no table or view.
    pub fn of(target: &TriggerTarget) -> Option<Scope> {
        match target {
            TriggerTarget::Object(_) => None,
            TriggerTarget::Database => Some(Scope::Database),
            TriggerTarget::Server => Some(Scope::Server),
        }
    }

    /// Where its triggers are kept.
    pub fn dictionary(self, run: &BatchRun<'_>) -> SqlResult<Arc<Dictionary>> {
        let database = match self {
            Scope::Database => run.ctx.facts.database,
            Scope::Server => DbId::MASTER,
        };
        run.ctx.engine.databases().dictionary(database)
    }

    /// D1
    pub fn schema(self) -> Schema {
        Schema::of_triggers(self == Scope::Server)
    }
}

/// 1094: a name with a schema.
fn plain_name(name: &ObjectName) -> SqlResult<&str> {
    match &name.parts[..] {
        [only] => Ok(only),
        _ => Err(SqlError::of(1094, 1, &[])),
    }
}

/// 1084 for a word that is no event, 1098 for one that is not of the scope.
fn check_events(head: &TriggerHead, scope: Scope) -> SqlResult<()> {
    for word in &head.events {
        if matches!(word.as_str(), "INSERT" | "UPDATE" | "DELETE") {
            return Err(SqlError::of(1098, 1, &[]));
        }
        let found = event_type(word).ok_or_else(|| SqlError::of(1084, 1, &[&word.to_lowercase()]))?;
        if scope == Scope::Database && !found.is_of_database() {
            return Err(SqlError::of(1098, 1, &[]));
        }
    }
    Ok(())
}

/// CREATE, ALTER, CREATE OR ALTER of a trigger on DATABASE or ALL SERVER, as part of its statement.
///
/// # Errors
/// 1094, 1084, 1098, 2714 for a name that is taken, 208 where there is none to alter; what does not bind in the body.
pub(in crate::exec) fn make_trigger(
    run: &mut BatchRun<'_>,
    module: &ast::Module,
    (head, scope): (&TriggerHead, Scope),
    text: Arc<str>,
    (quoted_identifier, ansi_nulls): (bool, bool),
) -> SqlResult<()> {
    let last = plain_name(&module.name)?.to_owned();
    if head.instead_of {
        return Err(message::syntax_near(&head.events.first().map(|word| word.to_lowercase()).unwrap_or_default()));
    }
    check_events(head, scope)?;
    let (dictionary, schema) = (scope.dictionary(run)?, scope.schema());
    let known = find(run, &dictionary, &schema, &last)?;
    let now_us = run.ctx.engine.now_us().1;
    let (id, created_us) = match (&known, module.verb) {
        (Some(_), DefinitionVerb::Create) => return Err(message::object_exists(&last)),
        (None, DefinitionVerb::Alter) => return Err(message::invalid_object(&last)),
        (Some(old), _) => (old.id, old.created_us),
        (None, _) => (dictionary.catalog().next_object_id(), now_us),
    };
    let runs_as = principal_of_new(&run.ctx, (dictionary.database(), scope == Scope::Server), &module.options)?;
    let def = Arc::new(ModuleDef {
        id,
        schema,
        name: last,
        kind: ModuleKind::Trigger,
        text,
        columns: Arc::default(),
        parent: ObjectId(0),
        runs_as,
        order: Arc::default(),
        quoted_identifier,
        ansi_nulls,
        is_disabled: false,
        is_system: false,
        created_us,
        modified_us: now_us,
    });
    let home = Home { database: dictionary.database(), schema: SchemaId::DBO, module: id };
    module_check::check_module(&run.ctx, &run.parsed, module, home)?;
    // What cannot be read again is not kept.
    run.ctx.engine.read_module(&def)?;
    objects::store_module(run, &dictionary, &def)
}

/// The trigger of a name, kept from others; none where there is none.
fn find(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    schema: &Schema,
    name: &str,
) -> SqlResult<Option<Arc<ModuleDef>>> {
    loop {
        let found = match dictionary.catalog().objects().find(schema.id, name) {
            Some(CatalogObject::Module(def)) => Arc::clone(def),
            _ => return Ok(None),
        };
        objects::lock_new(run, dictionary, found.id, &found.name)?;
        // Another may have altered or dropped it while this one waited.
        if dictionary.catalog().objects().is_module(&found) {
            return Ok(Some(found));
        }
    }
}

/// `DROP TRIGGER name, … ON DATABASE|ALL SERVER`
///
/// # Errors
/// 1094, 3701
pub(in crate::exec) fn drop_triggers(run: &mut BatchRun<'_>, drop: &DropObjects, scope: Scope) -> SqlResult<()> {
    for name in &drop.names {
        let last = plain_name(name)?.to_owned();
        transaction::implicit_begin(run);
        scope::forget_tables(run);
        scope::atomically(run, &last, |run| {
            let dictionary = scope.dictionary(run)?;
            match find(run, &dictionary, &scope.schema(), &last)? {
                Some(def) => objects::remove_module(run, &dictionary, &def),
                None if drop.if_exists => Ok(()),
                None => Err(message::cannot_drop("trigger", &last)),
            }
        })?;
    }
    run.done_without_count();
    Ok(())
}

/// `ENABLE|DISABLE TRIGGER name, …|ALL ON DATABASE|ALL SERVER`
///
/// # Errors
/// 1094, 1088
pub(in crate::exec) fn switch_triggers(run: &mut BatchRun<'_>, switch: &TriggerSwitch, scope: Scope) -> SqlResult<()> {
    let names = switch.triggers.as_ref().map(|names| names.iter().map(plain_name).collect::<SqlResult<Vec<&str>>>());
    let names = names.transpose()?;
    objects::defining(run, "", |run| {
        let dictionary = scope.dictionary(run)?;
        let schema = scope.schema();
        let all = || of_scope(&dictionary, &schema).into_iter().map(|def| def.name.clone()).collect();
        let names: Vec<String> =
            names.as_ref().map_or_else(all, |names| names.iter().map(|name| (*name).to_owned()).collect());
        for name in names {
            let found = find(run, &dictionary, &schema, &name)?;
            let def = found.ok_or_else(|| SqlError::of(1088, 119, &[&name]))?;
            let def = Arc::new(ModuleDef { is_disabled: !switch.enable, ..ModuleDef::clone(&def) });
            objects::with_io(run, |io| dictionary.put_module(io, &def))?;
        }
        Ok(())
    })
}

/// The triggers of a scope, in the order in which they were made.
fn of_scope(dictionary: &Dictionary, schema: &Schema) -> Vec<Arc<ModuleDef>> {
    let objects = dictionary.catalog().objects();
    objects.triggers_of(ObjectId(0)).filter(|def| def.schema.id == schema.id).cloned().collect()
}

/// Another place for a trigger among those of an event.
///
/// # Errors
/// 15165, 15125, 15130
pub(in crate::exec) fn put_order(
    run: &mut BatchRun<'_>,
    (given, scope): (&str, Scope),
    (order, place): (&str, Option<FiringPlace>),
    (event, of): (&str, &'static EventType),
) -> SqlResult<()> {
    let (dictionary, schema) = (scope.dictionary(run)?, scope.schema());
    let name = given.trim().trim_start_matches('[').trim_end_matches(']').to_owned();
    let def = find(run, &dictionary, &schema, &name)?.ok_or_else(|| SqlError::of(15_165, 1, &[&given]))?;
    let read = run.ctx.engine.read_module(&def)?;
    if !is_for(&read, of) {
        return Err(SqlError::of(15_125, 1, &[&def.name, &event.to_ascii_lowercase()]));
    }
    if place.is_some() {
        let mut others = of_scope(&dictionary, &schema).into_iter().filter(|other| other.id != def.id);
        if others.any(|other| other.place_in_order(of.name) == place) {
            return Err(SqlError::of(15_130, 1, &[&order.to_ascii_lowercase(), &event.to_ascii_lowercase()]));
        }
    }
    definition::put_place(run, &dictionary, &def, (of.name, place))
}

/// Whether a trigger is for an event, by its name or that of a group.
fn is_for(trigger: &ReadModule, event: &EventType) -> bool {
    let words = head_of(trigger).map_or(&[][..], |head| &head.events);
    words.iter().filter_map(|word| event_type(word)).any(|known| event.is_in(known.number))
}

/// The triggers that a statement's events fire, each with the place of its event.
type Fired = Vec<(usize, Arc<Dictionary>, ObjectId)>;

/// A statement that may define something, with the triggers that it fires.
///
/// # Errors
/// Those of the statement and of the bodies; 3609, 3616.
pub(in crate::exec) fn with_triggers(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<()>,
) -> SqlResult<()> {
    if !is_watched(run)? {
        return work(run);
    }
    let events = events_of(&run.ctx, &statement.kind);
    let fired = fired(run, &events)?;
    if fired.is_empty() {
        return work(run);
    }
    let is_own = run.ctx.facts.tran_count == 0;
    let is_alone = stands_alone(&statement.kind);
    if is_own && !is_alone {
        transaction::begin_own_transaction(run);
        // A definition is no statement of a snapshot because its triggers need a transaction.
        run.session.began_as_snapshot = false;
    }
    let mut done = work(run);
    // What the bodies change may be read as of the transaction's begin.
    run.session.began_as_snapshot |= is_own && run.ctx.facts.settings.isolation() == Isolation::Snapshot;
    if is_own && is_alone && done.is_ok() {
        transaction::begin_own_transaction(run);
    }
    let text = &Arc::clone(&run.parsed).text[statement.span.start as usize..statement.span.end as usize];
    done = done.and_then(|()| fire_all(run, fired, |ctx, place| event_data(ctx, &events[place], text)));
    if is_own && (!is_alone || run.session.work.in_transaction()) {
        return end_own(run, done.map(Some)).map(|_| ());
    }
    done
}

/// Whether there is any trigger of definitions here.
fn is_watched(run: &BatchRun<'_>) -> SqlResult<bool> {
    let has = |database: DbId| {
        let objects = run.ctx.engine.databases().dictionary(database)?.catalog().objects();
        Ok::<_, SqlError>(objects.triggers_of(ObjectId(0)).next().is_some())
    };
    Ok(has(DbId::MASTER)? || has(run.ctx.facts.database)?)
}

/// Statements that no transaction may have in it: what they fire runs in one of its own.
fn stands_alone(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::CreateDatabase(_) | StatementKind::AlterDatabase { .. } => true,
        StatementKind::Drop(drop) => drop.kind == DropKind::Database,
        _ => false,
    }
}

fn fired(run: &BatchRun<'_>, events: &[Event]) -> SqlResult<Fired> {
    let mut fired = Fired::new();
    for (place, event) in events.iter().enumerate() {
        for scope in [Scope::Server, Scope::Database] {
            let dictionary = scope.dictionary(run)?;
            let mut found = of_scope(&dictionary, &scope.schema());
            found.retain(|def| !def.is_disabled && !is_innermost(run, &dictionary, def));
            found.sort_by_key(|def| def.rank_in_order(event.of.name));
            for def in found {
                if is_for(&*run.ctx.engine.read_module(&def)?, event.of) {
                    fired.push((place, Arc::clone(&dictionary), def.id));
                }
            }
        }
    }
    Ok(fired)
}

/// D3
fn is_innermost(run: &BatchRun<'_>, dictionary: &Dictionary, def: &ModuleDef) -> bool {
    run.ctx.facts.trigger.as_ref().is_some_and(|running| running.is(dictionary.database(), def.id))
}

/// Fires the triggers of a login, in a transaction of their own; whether the login may go on.
///
/// # Errors
/// Those of the bodies; 3609 for one that has ended the transaction.
pub(in crate::exec) fn fire_logon(run: &mut BatchRun<'_>, is_pooled: bool) -> SqlResult<bool> {
    let fired = fired(run, &[Event::logon()])?;
    if fired.is_empty() {
        return Ok(true);
    }
    transaction::begin_own_transaction(run);
    let done = fire_all(run, fired, |ctx, _| logon_data(ctx, is_pooled));
    let goes_on = !run.ends_batch;
    end_own(run, done.map(Some)).map(|_| goes_on)
}

fn fire_all(
    run: &mut BatchRun<'_>,
    fired: Fired,
    data_of: impl Fn(&RunContext, usize) -> SqlResult<String>,
) -> SqlResult<()> {
    for (place, dictionary, id) in fired {
        // As the statement has left it.
        let def = match dictionary.catalog().objects().get(id) {
            Some(CatalogObject::Module(def)) if !def.is_disabled => Arc::clone(def),
            _ => continue,
        };
        let trigger = run.ctx.engine.read_module(&def)?;
        let data = data_of(&run.ctx, place)?;
        fire(run, &trigger, dictionary.database(), Arc::from(data))?;
        if run.ends_batch {
            break;
        }
    }
    Ok(())
}

fn fire(run: &mut BatchRun<'_>, trigger: &Arc<ReadModule>, database: DbId, event: Arc<str>) -> SqlResult<()> {
    let ModuleForm::Trigger { body, .. } = &trigger.form else { return Ok(()) };
    let outer = run.ctx.facts.trigger.clone();
    let running = RunningTrigger {
        database,
        object: trigger.def.id,
        target: None,
        kind: TriggerKind::Definition,
        table_columns: Arc::from([]),
        columns: Vec::new(),
        nest_level: run.ctx.facts.nest_level + 1,
        nesting: outer.as_ref().map_or(0, |outer| outer.nesting) + 1,
        outer,
        event: Some(event),
    };
    let security = impersonate::of_module(run.session, database, trigger)?;
    let frame = Frame { schema: SchemaId::DBO, security, ..Frame::of(&trigger.name, &trigger.def) };
    let counted = begin_trigger(run, trigger, database, body);
    let ran = frame::nested(run, |session, sink| {
        Arc::make_mut(&mut session.facts.settings).xact_abort = true;
        session.facts.trigger = Some(Arc::new(running));
        frame::inside(session, database, |session| {
            Ok(session.run_parsed(body, Parameters::default(), DoneKind::InProcedure, &frame, sink))
        })
    });
    end_of_trigger(run, ran, counted)
}
