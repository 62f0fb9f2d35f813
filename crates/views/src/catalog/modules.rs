//! Views of modules: `sys.sql_modules`, `parameters`.

use std::sync::Arc;

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, ModuleDef, ModuleKind, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::metadata::shown_definition;
use millpond_message::error::SqlResult;
use millpond_names::describe::ShownParameter;
use millpond_storage::contract::DbId;
use millpond_types::SqlType;

use crate::catalog::triggers::of_database;
use crate::columns::{NVarChar, NVarCharMax, Sysname, maybe, text};
use crate::narrow::OF_PARTS;
use crate::row::{Rows, ViewRows, led_view, row};

row! {
    /// A row of `sys.sql_modules` and `all_sql_modules`.
    struct SqlModules {
        object_id: i32,
        definition: Option<NVarCharMax>,
        uses_ansi_nulls: Option<bool>,
        uses_quoted_identifier: Option<bool>,
        is_schema_bound: Option<bool>,
        uses_database_collation: Option<bool>,
        is_recompiled: Option<bool>,
        null_on_null_input: Option<bool>,
        execute_as_principal_id: Option<i32>,
        uses_native_compilation: Option<bool>,
        inline_type: Option<bool>,
        is_inlineable: Option<bool>,
    }
}

/// `sys.sql_modules`
pub static SQL_MODULES: ViewDef = led_view("sys", "sql_modules", OF_PARTS, &ViewRows(modules));

/// `sys.all_sql_modules`: the server's own objects have no text.
pub static ALL_SQL_MODULES: ViewDef = led_view("sys", "all_sql_modules", OF_PARTS, &ViewRows(modules));

row! {
    /// A row of `sys.parameters` and `all_parameters`.
    struct Parameters {
        object_id: i32,
        name: Option<Sysname>,
        parameter_id: i32,
        system_type_id: u8,
        user_type_id: i32,
        max_length: i16,
        precision: u8,
        scale: u8,
        is_output: bool,
        is_cursor_ref: bool,
        has_default_value: bool,
        is_xml_document: bool,
        default_value: Option<NVarCharMax>,
        xml_collection_id: i32,
        is_readonly: bool,
        is_nullable: Option<bool>,
        encryption_type: Option<i32>,
        encryption_type_desc: Option<NVarChar<64>>,
        encryption_algorithm_name: Option<Sysname>,
        column_encryption_key_id: Option<i32>,
        column_encryption_key_database_name: Option<Sysname>,
    }
}

/// `sys.parameters`
pub static PARAMETERS: ViewDef = led_view("sys", "parameters", OF_PARTS, &ViewRows(parameters));

/// `sys.all_parameters`
pub static ALL_PARAMETERS: ViewDef = led_view("sys", "all_parameters", OF_PARTS, &ViewRows(parameters));

row! {
    /// A row of `sys.parameter_type_usages`.
    struct ParameterTypeUsages {
        object_id: i32,
        parameter_id: i32,
        user_type_id: i32,
    }
}

/// `sys.parameter_type_usages`: parameters of users' types.
pub static PARAMETER_TYPE_USAGES: ViewDef =
    led_view("sys", "parameter_type_usages", OF_PARTS, &ViewRows(parameter_type_usages));

/// Numbers of types from here on are users'.
const USER_TYPES_FROM: i32 = 257;

fn parameter_type_usages(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ParameterTypeUsages>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for object in inventory::among(ctx, database, &objects) {
        let CatalogObject::Module(def) = object else { continue };
        let shown = millpond_names::describe::module_parameters(ctx, database.database, def).unwrap_or_default();
        let first = i32::from(def.kind != ModuleKind::ScalarFunction);
        rows.extend(shown.iter().zip(first..).filter_map(|(parameter, parameter_id)| {
            let user_type_id = parameter.user_type_id.filter(|id| *id >= USER_TYPES_FROM)?;
            Some(ParameterTypeUsages { object_id: def.id.0, parameter_id, user_type_id })
        }));
    }
    Ok(rows)
}

fn modules(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<SqlModules>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for object in inventory::among(ctx, database, &objects) {
        if let CatalogObject::Module(def) = object {
            rows.push(module_row(ctx, database.database, def));
        }
    }
    rows.extend(of_database(&objects, database).map(|def| module_row(ctx, database.database, def)));
    Ok(rows)
}

fn module_row(ctx: &RunContext, database: DbId, def: &Arc<ModuleDef>) -> SqlModules {
    let read = ctx.engine.read_module(def);
    SqlModules {
        object_id: def.id.0,
        definition: maybe(shown_definition(ctx, database, def).as_str()),
        uses_ansi_nulls: Some(def.ansi_nulls),
        uses_quoted_identifier: Some(def.quoted_identifier),
        is_schema_bound: Some(read.as_ref().is_ok_and(|module| module.schema_bound)),
        uses_database_collation: Some(false),
        is_recompiled: Some(read.as_ref().is_ok_and(|module| module.recompile)),
        null_on_null_input: Some(read.as_ref().is_ok_and(|module| module.null_on_null())),
        execute_as_principal_id: read.ok().and_then(|module| module.runs_as_number()),
        uses_native_compilation: Some(false),
        inline_type: Some(def.kind == ModuleKind::ScalarFunction),
        is_inlineable: Some(def.kind == ModuleKind::ScalarFunction),
    }
}

/// Of a parameter whose type is not known: that of a table type.
const TABLE_TYPE: u8 = 243;

fn parameter_row(object: i32, number: i32, parameter: &ShownParameter) -> Parameters {
    let sql = parameter.sql.as_ref();
    let system = sql.map_or(TABLE_TYPE, SqlType::system_type_id);
    let (precision, scale) = sql.map_or((0, 0), SqlType::precision_scale);
    Parameters {
        object_id: object,
        name: Some(text(&parameter.name)),
        parameter_id: number,
        system_type_id: system,
        user_type_id: parameter.user_type_id.unwrap_or(i32::from(system)),
        max_length: sql.map_or(-1, inventory::max_length),
        precision,
        scale,
        is_output: parameter.output,
        is_cursor_ref: false,
        has_default_value: false,
        is_xml_document: false,
        default_value: None,
        xml_collection_id: 0,
        is_readonly: parameter.readonly,
        is_nullable: Some(true),
        encryption_type: None,
        encryption_type_desc: None,
        encryption_algorithm_name: None,
        column_encryption_key_id: None,
        column_encryption_key_database_name: None,
    }
}

fn parameters(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Parameters>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for object in inventory::among(ctx, database, &objects) {
        let CatalogObject::Module(def) = object else { continue };
        // A text that cannot be read any more has no parameters to show.
        let shown = millpond_names::describe::module_parameters(ctx, database.database, def).unwrap_or_default();
        let first = i32::from(def.kind != ModuleKind::ScalarFunction);
        rows.extend(shown.iter().zip(first..).map(|(parameter, number)| parameter_row(def.id.0, number, parameter)));
    }
    Ok(rows)
}
