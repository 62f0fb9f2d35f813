//! Views of triggers: `sys.triggers`, `trigger_events`, `events`, those of the server, and the events that there are.

use std::sync::Arc;

use millpond_catalog::event_type::{EventType, event_type, event_types};
use millpond_catalog::system_view::{Lead, ViewDef};
use millpond_catalog::{CatalogObject, DatabaseObjects, FiringPlace, ModuleDef, ModuleKind, ObjectId, Schema, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::metadata::shown_text;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::DateTime;

use crate::columns::{Char, NVarChar, NVarCharMax, Sysname, datetime_of, maybe, padded2, text};
use crate::row::{RowPart, Rows, ViewRows, led_view, row, view};

row! {
    /// A row of `sys.server_triggers`.
    struct ServerTriggers {
        name: Sysname,
        object_id: i32,
        parent_class: u8,
        parent_class_desc: Option<NVarChar<60>>,
        parent_id: i32,
        r#type: Char<2>,
        type_desc: Option<NVarChar<60>>,
        create_date: DateTime,
        modify_date: DateTime,
        is_ms_shipped: bool,
        is_disabled: bool,
    }
}

/// `sys.server_triggers`
pub static SERVER_TRIGGERS: ViewDef = view("sys", "server_triggers", &ViewRows(server_triggers));

row! {
    /// A row of `sys.triggers`.
    struct Triggers {
        trigger: ServerTriggers,
        is_not_for_replication: bool,
        is_instead_of_trigger: bool,
    }
}

/// `sys.triggers`
pub static TRIGGERS: ViewDef = led_view("sys", "triggers", OF_NUMBER, &ViewRows(triggers));

row! {
    /// A row of `sys.events`.
    struct Events {
        object_id: i32,
        r#type: i32,
        type_desc: NVarChar<60>,
        is_trigger_event: Option<bool>,
        event_group_type: Option<i32>,
        event_group_type_desc: Option<NVarChar<60>>,
    }
}

/// `sys.events`: those of triggers; there are no event notifications.
pub static EVENTS: ViewDef = led_view("sys", "events", OF_NUMBER, &ViewRows(events));

row! {
    /// A row of `sys.server_events`.
    struct ServerEvents {
        object_id: i32,
        r#type: i32,
        type_desc: NVarChar<60>,
        event_group_type: Option<i32>,
        event_group_type_desc: Option<NVarChar<60>>,
    }
}

/// `sys.server_events`
pub static SERVER_EVENTS: ViewDef = view("sys", "server_events", &ViewRows(server_events));

row! {
    /// A row of `sys.trigger_events`.
    struct TriggerEvents {
        event: Events,
        is_first: Option<bool>,
        is_last: Option<bool>,
    }
}

/// `sys.trigger_events`
pub static TRIGGER_EVENTS: ViewDef = led_view("sys", "trigger_events", OF_NUMBER, &ViewRows(trigger_events));

/// `sys.server_trigger_events`
pub static SERVER_TRIGGER_EVENTS: ViewDef = view("sys", "server_trigger_events", &ViewRows(server_trigger_events));

row! {
    /// A row of `sys.trigger_event_types`.
    struct TriggerEventTypes {
        r#type: i32,
        type_name: Option<NVarChar<64>>,
        parent_type: Option<i32>,
    }
}

/// `sys.trigger_event_types`
pub static TRIGGER_EVENT_TYPES: ViewDef = view("sys", "trigger_event_types", &ViewRows(all_event_types));

row! {
    /// A row of `sys.server_sql_modules`.
    struct ServerSqlModules {
        object_id: i32,
        definition: Option<NVarCharMax>,
        uses_ansi_nulls: Option<bool>,
        uses_quoted_identifier: Option<bool>,
        execute_as_principal_id: Option<i32>,
    }
}

/// `sys.server_sql_modules`
pub static SERVER_SQL_MODULES: ViewDef = view("sys", "server_sql_modules", &ViewRows(server_modules));

/// A name leads to objects of schemas alone, which triggers of a database are not.
const OF_NUMBER: &[(&str, Lead)] = &[("object_id", Lead::Number)];

/// The triggers of a database as such, in the order in which they were made.
pub(crate) fn of_database<'o>(
    objects: &'o DatabaseObjects,
    within: Within<'o>,
) -> impl Iterator<Item = &'o Arc<ModuleDef>> {
    of_scope(objects, false).filter(move |def| within.has(def.id.0))
}

/// The triggers of the server, in the order in which they were made, by what master has.
fn of_server(objects: &DatabaseObjects) -> impl Iterator<Item = &Arc<ModuleDef>> {
    of_scope(objects, true)
}

fn of_scope(objects: &DatabaseObjects, of_server: bool) -> impl Iterator<Item = &Arc<ModuleDef>> {
    let own = Schema::of_triggers(of_server).id;
    objects.triggers_of(ObjectId(0)).filter(move |def| def.schema.id == own)
}

/// The triggers of the tables and views of a database.
fn of_objects<'o>(objects: &[&'o CatalogObject]) -> impl Iterator<Item = &'o Arc<ModuleDef>> {
    objects.iter().filter_map(|object| match *object {
        CatalogObject::Module(def) if def.kind == ModuleKind::Trigger => Some(def),
        _ => None,
    })
}

fn trigger_row(def: &ModuleDef, (class, words): (u8, &str)) -> ServerTriggers {
    ServerTriggers {
        name: text(&def.name),
        object_id: def.id.0,
        parent_class: class,
        parent_class_desc: Some(text(words)),
        parent_id: def.parent.0,
        r#type: padded2("TR"),
        type_desc: Some(text("SQL_TRIGGER")),
        create_date: datetime_of(def.created_us),
        modify_date: datetime_of(def.modified_us),
        is_ms_shipped: false,
        is_disabled: def.is_disabled,
    }
}

fn triggers(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Triggers>> {
    let objects = inventory::definitions(ctx, database)?;
    let row = |def: &Arc<ModuleDef>, class| {
        let read = ctx.engine.read_module(def);
        let (instead_of, not_for_replication) = match read.as_ref().map(|read| &read.form) {
            Ok(ModuleForm::Trigger { head, .. }) => (head.instead_of, head.not_for_replication),
            _ => (false, false),
        };
        Triggers {
            trigger: trigger_row(def, class),
            is_not_for_replication: not_for_replication,
            is_instead_of_trigger: instead_of,
        }
    };
    let mut rows = Rows::new();
    rows.extend(of_objects(&inventory::among(ctx, database, &objects)).map(|def| row(def, (1, "OBJECT_OR_COLUMN"))));
    rows.extend(of_database(&objects, database).map(|def| row(def, (0, "DATABASE"))));
    Ok(rows)
}

/// What master has of the server, as the session may see it.
fn master(ctx: &RunContext) -> SqlResult<Arc<DatabaseObjects>> {
    inventory::definitions(ctx, DbId::MASTER)
}

fn server_triggers(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<ServerTriggers>> {
    Ok(of_server(&*master(ctx)?).map(|def| trigger_row(def, (100, "SERVER"))).collect())
}

fn server_modules(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<ServerSqlModules>> {
    let objects = master(ctx)?;
    let rows = of_server(&objects).map(|def| ServerSqlModules {
        object_id: def.id.0,
        definition: maybe(shown_text(&ctx.engine, def).as_str()),
        uses_ansi_nulls: Some(def.ansi_nulls),
        uses_quoted_identifier: Some(def.quoted_identifier),
        execute_as_principal_id: def.runs_as.map(|login| login.0),
    });
    Ok(rows.collect())
}

/// The events of changes, by the numbers of `sys.trigger_events`.
fn change_event(word: &str) -> Option<i32> {
    ["INSERT", "UPDATE", "DELETE"].iter().zip(1..).find(|(known, _)| **known == word).map(|(_, number)| number)
}

/// Adds a row for each event of a trigger, made of its row of `sys.events` and its place among the others.
fn add_events<R: RowPart>(rows: &mut Rows<R>, read: &ReadModule, row: fn(Events, Option<FiringPlace>) -> R) {
    let ModuleForm::Trigger { head, .. } = &read.form else { return };
    let mut add = |number: i32, name: &str, group: Option<&EventType>| {
        let event = Events {
            object_id: read.def.id.0,
            r#type: number,
            type_desc: text(name),
            is_trigger_event: Some(true),
            event_group_type: group.map(|group| group.number),
            event_group_type_desc: group.map(|group| text(group.name)),
        };
        rows.push(row(event, read.def.place_in_order(name)));
    };
    for word in &head.events {
        if let Some(number) = change_event(word) {
            add(number, word, None);
        } else if let Some(of) = event_type(word) {
            let group = of.is_group().then_some(of);
            of.events().for_each(|event| add(event.number, event.name, group));
        }
    }
}

/// The events of a database's triggers.
fn events_of_database<R: RowPart>(
    ctx: &RunContext,
    database: Within<'_>,
    row: fn(Events, Option<FiringPlace>) -> R,
) -> SqlResult<Rows<R>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for def in of_objects(&inventory::among(ctx, database, &objects)).chain(of_database(&objects, database)) {
        add_events(&mut rows, &*ctx.engine.read_module(def)?, row);
    }
    Ok(rows)
}

/// The events of the server's triggers.
fn events_of_server<R: RowPart>(ctx: &RunContext, row: fn(Events, Option<FiringPlace>) -> R) -> SqlResult<Rows<R>> {
    let objects = master(ctx)?;
    let mut rows = Rows::new();
    for def in of_server(&objects) {
        add_events(&mut rows, &*ctx.engine.read_module(def)?, row);
    }
    Ok(rows)
}

fn with_place(event: Events, place: Option<FiringPlace>) -> TriggerEvents {
    TriggerEvents {
        event,
        is_first: Some(place == Some(FiringPlace::First)),
        is_last: Some(place == Some(FiringPlace::Last)),
    }
}

fn trigger_events(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<TriggerEvents>> {
    events_of_database(ctx, database, with_place)
}

fn server_trigger_events(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<TriggerEvents>> {
    events_of_server(ctx, with_place)
}

fn events(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Events>> {
    events_of_database(ctx, database, |event, _| event)
}

fn server_events(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<ServerEvents>> {
    events_of_server(ctx, |event, _| ServerEvents {
        object_id: event.object_id,
        r#type: event.r#type,
        type_desc: event.type_desc,
        event_group_type: event.event_group_type,
        event_group_type_desc: event.event_group_type_desc,
    })
}

fn all_event_types(_: &RunContext, _: Within<'_>) -> SqlResult<Rows<TriggerEventTypes>> {
    let row = |one: &EventType| TriggerEventTypes {
        r#type: one.number,
        type_name: Some(text(one.name)),
        parent_type: one.group,
    };
    Ok(event_types().iter().map(row).collect())
}
