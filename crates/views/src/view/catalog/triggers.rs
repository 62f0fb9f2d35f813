//! Views of triggers: `sys.triggers`, `trigger_events`, those of the server, and the events that there are.

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

use crate::view::columns::{Char, NVarChar, NVarCharMax, Sysname, datetime_of, maybe, padded2, text};
use crate::view::row::{Rows, ViewRows, led_view, row, view};

row! {
    /// A row of `sys.triggers`.
    struct Triggers {
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
        is_not_for_replication: bool,
        is_instead_of_trigger: bool,
    }
}

/// `sys.triggers`
pub static TRIGGERS: ViewDef = led_view("sys", "triggers", OF_NUMBER, &ViewRows(triggers));

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
    /// A row of `sys.trigger_events`.
    struct TriggerEvents {
        object_id: i32,
        r#type: i32,
        type_desc: NVarChar<128>,
        is_trigger_event: Option<bool>,
        event_group_type: Option<i32>,
        event_group_type_desc: Option<NVarChar<128>>,
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

/// The triggers of a database as such, or those of the server, in the order in which they were made.
pub(super) fn of_scope<'o>(
    objects: &'o DatabaseObjects,
    within: Within<'o>,
    of_server: bool,
) -> impl Iterator<Item = &'o Arc<ModuleDef>> {
    let own = Schema::of_triggers(of_server).id;
    objects.triggers_of(ObjectId(0)).filter(move |def| def.schema.id == own && within.has(def.id.0))
}

/// The triggers of the tables and views of a database.
fn of_objects<'o>(objects: &[&'o CatalogObject]) -> Vec<&'o Arc<ModuleDef>> {
    let trigger = |object: &&'o CatalogObject| match *object {
        CatalogObject::Module(def) if def.kind == ModuleKind::Trigger => Some(def),
        _ => None,
    };
    objects.iter().filter_map(trigger).collect()
}

fn trigger_row(ctx: &RunContext, def: &Arc<ModuleDef>, (class, words): (u8, &str)) -> Triggers {
    let read = ctx.engine.read_module(def);
    let (instead_of, not_for_replication) = match read.as_ref().map(|read| &read.form) {
        Ok(ModuleForm::Trigger { head, .. }) => (head.instead_of, head.not_for_replication),
        _ => (false, false),
    };
    Triggers {
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
        is_not_for_replication: not_for_replication,
        is_instead_of_trigger: instead_of,
    }
}

fn triggers(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Triggers>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for def in of_objects(&inventory::among(ctx, database, &objects)) {
        rows.push(trigger_row(ctx, def, (1, "OBJECT_OR_COLUMN")));
    }
    for def in of_scope(&objects, database, false) {
        rows.push(trigger_row(ctx, def, (0, "DATABASE")));
    }
    Ok(rows)
}

/// What master has of the server, as the session may see it.
fn master(ctx: &RunContext) -> SqlResult<Arc<DatabaseObjects>> {
    inventory::definitions(ctx, DbId::MASTER)
}

fn server_triggers(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<ServerTriggers>> {
    let objects = master(ctx)?;
    let mut rows = Rows::new();
    for def in of_scope(&objects, Within::from(DbId::MASTER), true) {
        let row = trigger_row(ctx, def, (100, "SERVER"));
        rows.push(ServerTriggers {
            name: row.name,
            object_id: row.object_id,
            parent_class: row.parent_class,
            parent_class_desc: row.parent_class_desc,
            parent_id: row.parent_id,
            r#type: row.r#type,
            type_desc: row.type_desc,
            create_date: row.create_date,
            modify_date: row.modify_date,
            is_ms_shipped: row.is_ms_shipped,
            is_disabled: row.is_disabled,
        });
    }
    Ok(rows)
}

fn server_modules(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<ServerSqlModules>> {
    let objects = master(ctx)?;
    let mut rows = Rows::new();
    for def in of_scope(&objects, Within::from(DbId::MASTER), true) {
        rows.push(ServerSqlModules {
            object_id: def.id.0,
            definition: maybe(shown_text(&ctx.engine, def).as_str()),
            uses_ansi_nulls: Some(def.ansi_nulls),
            uses_quoted_identifier: Some(def.quoted_identifier),
            execute_as_principal_id: None,
        });
    }
    Ok(rows)
}

/// The events of changes, by the numbers of `sys.trigger_events`.
fn change_event(word: &str) -> Option<i32> {
    ["INSERT", "UPDATE", "DELETE"].iter().zip(1..).find(|(known, _)| **known == word).map(|(_, number)| number)
}

fn add_events(rows: &mut Rows<TriggerEvents>, read: &ReadModule) {
    let ModuleForm::Trigger { head, .. } = &read.form else { return };
    let mut add = |number: i32, name: &str, group: Option<&EventType>| {
        let place = read.def.place_in_order(name);
        rows.push(TriggerEvents {
            object_id: read.def.id.0,
            r#type: number,
            type_desc: text(name),
            is_trigger_event: Some(true),
            event_group_type: group.map(|group| group.number),
            event_group_type_desc: group.map(|group| text(group.name)),
            is_first: Some(place == Some(FiringPlace::First)),
            is_last: Some(place == Some(FiringPlace::Last)),
        });
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

fn trigger_events(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<TriggerEvents>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    let of_database = of_scope(&objects, database, false);
    for def in of_objects(&inventory::among(ctx, database, &objects)).into_iter().chain(of_database) {
        add_events(&mut rows, &*ctx.engine.read_module(def)?);
    }
    Ok(rows)
}

fn server_trigger_events(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<TriggerEvents>> {
    let objects = master(ctx)?;
    let mut rows = Rows::new();
    for def in of_scope(&objects, Within::from(DbId::MASTER), true) {
        add_events(&mut rows, &*ctx.engine.read_module(def)?);
    }
    Ok(rows)
}

fn all_event_types(_: &RunContext, _: Within<'_>) -> SqlResult<Rows<TriggerEventTypes>> {
    let mut rows = Rows::new();
    for one in event_types() {
        rows.push(TriggerEventTypes { r#type: one.number, type_name: Some(text(one.name)), parent_type: one.group });
    }
    Ok(rows)
}
