//! What modules refer to: `sys.sql_expression_dependencies`, `sql_dependencies`, `sysdepends`, `dm_sql_referenced_entities`,
//! `dm_sql_referencing_entities`.
//!
//! What always holds: they show whole objects, by the names in the texts of modules (`names::dependencies`); columns, and expressions of
//! tables, are not looked into.

use std::sync::Arc;

use millpond_builtin::{TableFunctionDef, object_name};
use millpond_catalog::system_view::{Lead, ViewDef};
use millpond_catalog::{CatalogObject, DatabaseObjects, ModuleDef, ObjectId, Schema, Within, names_equal};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::metadata::may_see_definition;
use millpond_message::error::SqlResult;
use millpond_names::dependencies::{Dependency, dependencies};
use millpond_names::watch::is_bound;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::catalog::triggers::of_database;
use crate::columns::{NVarChar, Sysname, maybe, text};
use crate::row::{Rows, ViewRows, led_view, row, table_function};

row! {
    /// A row of `sys.sql_expression_dependencies`.
    struct SqlExpressionDependencies {
        referencing_id: i32,
        referencing_minor_id: i32,
        referencing_class: Option<u8>,
        referencing_class_desc: Option<NVarChar<60>>,
        is_schema_bound_reference: bool,
        referenced_class: Option<u8>,
        referenced_class_desc: Option<NVarChar<60>>,
        referenced_server_name: Option<Sysname>,
        referenced_database_name: Option<Sysname>,
        referenced_schema_name: Option<Sysname>,
        referenced_entity_name: Option<Sysname>,
        referenced_id: Option<i32>,
        referenced_minor_id: i32,
        is_caller_dependent: bool,
        is_ambiguous: bool,
    }
}

/// `sys.sql_expression_dependencies`
pub static SQL_EXPRESSION_DEPENDENCIES: ViewDef =
    led_view("sys", "sql_expression_dependencies", &[("referencing_id", Lead::Number)], &ViewRows(expressions));

row! {
    /// A row of `sys.sql_dependencies`.
    struct SqlDependencies {
        class: u8,
        class_desc: Option<NVarChar<60>>,
        object_id: i32,
        column_id: i32,
        referenced_major_id: i32,
        referenced_minor_id: i32,
        is_selected: bool,
        is_updated: bool,
        is_select_all: bool,
    }
}

/// `sys.sql_dependencies`: on objects that are there.
pub static SQL_DEPENDENCIES: ViewDef =
    led_view("sys", "sql_dependencies", &[("object_id", Lead::Number)], &ViewRows(old_dependencies));

row! {
    /// A row of `sysdepends`.
    struct Sysdepends {
        id: i32,
        depid: i32,
        number: i16,
        depnumber: i16,
        status: i16,
        deptype: u8,
        depdbid: i16,
        depsiteid: i16,
        selall: bool,
        resultobj: bool,
        readobj: bool,
    }
}

/// `sysdepends`
pub static SYSDEPENDS: ViewDef = led_view("sys", "sysdepends", &[("id", Lead::Number)], &ViewRows(oldest));

row! {
    /// A row of `sys.dm_sql_referenced_entities`.
    struct DmSqlReferencedEntities {
        referencing_minor_id: Option<i32>,
        referenced_server_name: Option<Sysname>,
        referenced_database_name: Option<Sysname>,
        referenced_schema_name: Option<Sysname>,
        referenced_entity_name: Option<Sysname>,
        referenced_minor_name: Option<Sysname>,
        referenced_id: Option<i32>,
        referenced_minor_id: Option<i32>,
        referenced_class: Option<u8>,
        referenced_class_desc: Option<NVarChar<60>>,
        is_caller_dependent: bool,
        is_ambiguous: bool,
        is_selected: bool,
        is_updated: bool,
        is_select_all: bool,
        is_all_columns_found: bool,
        is_insert_all: bool,
        is_incomplete: bool,
    }
}

/// `sys.dm_sql_referenced_entities('schema.object', 'OBJECT')`
pub static DM_SQL_REFERENCED_ENTITIES: TableFunctionDef = table_function!(
    "sys",
    "dm_sql_referenced_entities",
    [NVarChar<517>, NVarChar<60>],
    optional 0,
    DmSqlReferencedEntities,
    referenced
);

row! {
    /// A row of `sys.dm_sql_referencing_entities`.
    struct DmSqlReferencingEntities {
        referencing_schema_name: Option<Sysname>,
        referencing_entity_name: Option<Sysname>,
        referencing_id: Option<i32>,
        referencing_class: Option<u8>,
        referencing_class_desc: Option<NVarChar<60>>,
        is_caller_dependent: bool,
    }
}

/// `sys.dm_sql_referencing_entities('schema.object', 'OBJECT')`
pub static DM_SQL_REFERENCING_ENTITIES: TableFunctionDef = table_function!(
    "sys",
    "dm_sql_referencing_entities",
    [NVarChar<517>, NVarChar<60>],
    optional 0,
    DmSqlReferencingEntities,
    referencing
);

/// Those of SQL Server 2000.
pub(crate) static OLD: &[&ViewDef] = &[&SYSDEPENDS];

/// Class and name of objects, and of triggers of a database.
const OF_OBJECTS: (u8, &str) = (1, "OBJECT_OR_COLUMN");
const OF_DATABASE_TRIGGERS: (u8, &str) = (12, "DATABASE_DDL_TRIGGER");

/// The modules of a database whose definitions the session may see, with the class of each: names in texts are as secret as these.
fn modules<'o>(
    ctx: &RunContext,
    database: Within<'o>,
    objects: &'o DatabaseObjects,
) -> Vec<(&'o Arc<ModuleDef>, (u8, &'static str))> {
    let own = inventory::among(ctx, database, objects).into_iter().filter_map(|object| match object {
        CatalogObject::Module(def) => Some((def, OF_OBJECTS)),
        _ => None,
    });
    let all = own.chain(of_database(objects, database).map(|def| (def, OF_DATABASE_TRIGGERS)));
    all.filter(|(def, _)| may_see_definition(ctx, database.database, def)).collect()
}

/// What each module refers to.
fn all(
    ctx: &RunContext,
    database: Within<'_>,
    mut visit: impl FnMut(&Arc<ModuleDef>, (u8, &'static str), &Dependency),
) -> SqlResult<()> {
    let objects = inventory::definitions(ctx, database)?;
    for (def, class) in modules(ctx, database, &objects) {
        for one in dependencies(ctx, &(database.database, Arc::clone(def)))? {
            visit(def, class, &one);
        }
    }
    Ok(())
}

fn expressions(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<SqlExpressionDependencies>> {
    let mut rows = Rows::new();
    all(ctx, database, |def, class, one| {
        rows.push(SqlExpressionDependencies {
            referencing_id: def.id.0,
            referencing_minor_id: 0,
            referencing_class: Some(class.0),
            referencing_class_desc: Some(text(class.1)),
            is_schema_bound_reference: is_bound(ctx, def),
            referenced_class: Some(OF_OBJECTS.0),
            referenced_class_desc: Some(text(OF_OBJECTS.1)),
            referenced_server_name: maybe(one.part(3)),
            referenced_database_name: maybe(one.part(2)),
            referenced_schema_name: maybe(one.part(1)),
            referenced_entity_name: maybe(one.part(0)),
            referenced_id: one.id.map(|id| id.0),
            referenced_minor_id: 0,
            is_caller_dependent: one.is_of_caller,
            is_ambiguous: false,
        });
    })?;
    Ok(rows)
}

fn old_dependencies(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<SqlDependencies>> {
    let mut rows = Rows::new();
    all(ctx, database, |def, _, one| {
        let Some(id) = one.id else { return };
        let (class, class_desc) = match is_bound(ctx, def) {
            true => (1, "OBJECT_OR_COLUMN_REFERENCE_SCHEMA_BOUND"),
            false => (0, "OBJECT_OR_COLUMN_REFERENCE_NON_SCHEMA_BOUND"),
        };
        rows.push(SqlDependencies {
            class,
            class_desc: Some(text(class_desc)),
            object_id: def.id.0,
            column_id: 0,
            referenced_major_id: id.0,
            referenced_minor_id: 0,
            is_selected: one.is_read,
            is_updated: one.is_changed,
            is_select_all: false,
        });
    })?;
    Ok(rows)
}

fn oldest(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysdepends>> {
    let mut rows = Rows::new();
    all(ctx, database, |def, _, one| {
        let Some(id) = one.id else { return };
        rows.push(Sysdepends {
            id: def.id.0,
            depid: id.0,
            number: 0,
            depnumber: 0,
            status: 0,
            deptype: 0,
            depdbid: 0,
            depsiteid: 0,
            selall: false,
            resultobj: one.is_changed,
            readobj: one.is_read,
        });
    })?;
    Ok(rows)
}

/// The object of the current database that an argument names, if the session may see it. Without its schema it is none.
fn named_object(ctx: &RunContext, name: &str) -> SqlResult<Option<CatalogObject>> {
    let Some(name) = object_name(name) else { return Ok(None) };
    let is_here = name.parts.len() < 3 || names_equal(&name.parts[name.parts.len() - 3], &ctx.facts.database_name);
    let schema = name.parts.len().checked_sub(2).and_then(|at| name.parts.get(at));
    let Some(schema) = schema.filter(|_| is_here) else { return Ok(None) };
    let database = Within::from(ctx.facts.database);
    let objects = inventory::definitions(ctx, database)?;
    let found = objects.schema(schema).and_then(|schema| objects.find(schema.id, name.last())).cloned();
    let is_seen = |object: &CatalogObject| {
        let only = [object.id()];
        let within = Within { only: Some(&only), ..database };
        !inventory::among(ctx, within, &objects).is_empty()
    };
    Ok(found.filter(is_seen))
}

/// The trigger of the current database that an argument names.
fn named_trigger(ctx: &RunContext, name: &str) -> SqlResult<Option<CatalogObject>> {
    let Some(name) = object_name(name).filter(|name| name.parts.len() == 1) else { return Ok(None) };
    let objects = inventory::definitions(ctx, Within::from(ctx.facts.database))?;
    Ok(objects.find(Schema::of_triggers(false).id, name.last()).cloned())
}

/// Name and class as the arguments say them; the class in upper case.
fn name_and_class(args: &[Value]) -> Option<(&str, String)> {
    Some((args[0].as_str()?, args[1].as_str()?.to_ascii_uppercase()))
}

fn referenced(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmSqlReferencedEntities>> {
    let found = match name_and_class(args) {
        Some((name, class)) if class == "OBJECT" => named_object(ctx, name)?,
        Some((name, class)) if class == "DATABASE_DDL_TRIGGER" => named_trigger(ctx, name)?,
        _ => None,
    };
    let Some(CatalogObject::Module(def)) = found else { return Ok(Rows::new()) };
    if !may_see_definition(ctx, ctx.facts.database, &def) {
        return Ok(Rows::new());
    }
    let found = dependencies(ctx, &(ctx.facts.database, def))?;
    let row = |one: Dependency| DmSqlReferencedEntities {
        referencing_minor_id: Some(0),
        referenced_server_name: maybe(one.part(3)),
        referenced_database_name: maybe(one.part(2)),
        referenced_schema_name: maybe(one.part(1)),
        referenced_entity_name: maybe(one.part(0)),
        referenced_minor_name: None,
        referenced_id: one.id.map(|id| id.0),
        referenced_minor_id: Some(0),
        referenced_class: Some(OF_OBJECTS.0),
        referenced_class_desc: Some(text(OF_OBJECTS.1)),
        is_caller_dependent: one.is_of_caller,
        is_ambiguous: false,
        is_selected: one.is_read,
        is_updated: one.is_changed,
        is_select_all: false,
        is_all_columns_found: one.id.is_some(),
        is_insert_all: false,
        is_incomplete: false,
    };
    Ok(found.into_iter().map(row).collect())
}

fn referencing(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmSqlReferencingEntities>> {
    let Some((name, _)) = name_and_class(args).filter(|(_, class)| class == "OBJECT") else { return Ok(Rows::new()) };
    let Some(object) = named_object(ctx, name)? else { return Ok(Rows::new()) };
    let found = referring_to(ctx, ctx.facts.database, object.id())?;
    let row = |(def, class, one): Referring| DmSqlReferencingEntities {
        referencing_schema_name: (class == OF_OBJECTS).then(|| text(&def.schema.name)),
        referencing_entity_name: Some(text(&def.name)),
        referencing_id: Some(def.id.0),
        referencing_class: Some(class.0),
        referencing_class_desc: Some(text(class.1)),
        is_caller_dependent: one.is_of_caller,
    };
    Ok(found.into_iter().map(row).collect())
}

/// A module that refers to an object, its class, and how it does.
type Referring = (Arc<ModuleDef>, (u8, &'static str), Dependency);

/// The modules that refer to an object.
fn referring_to(ctx: &RunContext, database: DbId, object: ObjectId) -> SqlResult<Vec<Referring>> {
    let mut found = Vec::new();
    all(ctx, Within::from(database), |def, class, one| {
        if one.id == Some(object) {
            found.push((Arc::clone(def), class, one.clone()));
        }
    })?;
    Ok(found)
}
