//! Views of modules: `sys.sql_modules`, `parameters`, `triggers`.

use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, ModuleKind, SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_query::exec::ShownParameter;
use millpond_types::{SqlType, Value};

use crate::view::LedViewRows;
use crate::view::columns::{
    BIT, DATETIME, INT, NVARCHAR_MAX, SMALLINT, SYSNAME, TINYINT, bit, char2, col, int, moment, null, nvarchar,
    padded2, text, tiny,
};
use crate::view::narrow::OF_PARTS;

const MODULE_COLUMNS: [SystemColumn; 12] = [
    col("object_id", INT),
    null("definition", NVARCHAR_MAX),
    null("uses_ansi_nulls", BIT),
    null("uses_quoted_identifier", BIT),
    null("is_schema_bound", BIT),
    null("uses_database_collation", BIT),
    null("is_recompiled", BIT),
    null("null_on_null_input", BIT),
    null("execute_as_principal_id", INT),
    null("uses_native_compilation", BIT),
    null("inline_type", BIT),
    null("is_inlineable", BIT),
];

/// `sys.sql_modules`
pub static SQL_MODULES: ViewDef =
    ViewDef { schema: "sys", name: "sql_modules", columns: &MODULE_COLUMNS, rows: &LedViewRows(OF_PARTS, modules) };

/// `sys.all_sql_modules`: the server's own objects have no text.
pub static ALL_SQL_MODULES: ViewDef =
    ViewDef { schema: "sys", name: "all_sql_modules", columns: &MODULE_COLUMNS, rows: &LedViewRows(OF_PARTS, modules) };

const PARAMETER_COLUMNS: [SystemColumn; 21] = [
    col("object_id", INT),
    null("name", SYSNAME),
    col("parameter_id", INT),
    col("system_type_id", TINYINT),
    col("user_type_id", INT),
    col("max_length", SMALLINT),
    col("precision", TINYINT),
    col("scale", TINYINT),
    col("is_output", BIT),
    col("is_cursor_ref", BIT),
    col("has_default_value", BIT),
    col("is_xml_document", BIT),
    null("default_value", NVARCHAR_MAX),
    col("xml_collection_id", INT),
    col("is_readonly", BIT),
    null("is_nullable", BIT),
    null("encryption_type", INT),
    null("encryption_type_desc", nvarchar(64)),
    null("encryption_algorithm_name", SYSNAME),
    null("column_encryption_key_id", INT),
    null("column_encryption_key_database_name", SYSNAME),
];

/// `sys.parameters`
pub static PARAMETERS: ViewDef = ViewDef {
    schema: "sys",
    name: "parameters",
    columns: &PARAMETER_COLUMNS,
    rows: &LedViewRows(OF_PARTS, parameters),
};

/// `sys.all_parameters`
pub static ALL_PARAMETERS: ViewDef = ViewDef {
    schema: "sys",
    name: "all_parameters",
    columns: &PARAMETER_COLUMNS,
    rows: &LedViewRows(OF_PARTS, parameters),
};

/// `sys.triggers`
pub static TRIGGERS: ViewDef = ViewDef {
    schema: "sys",
    name: "triggers",
    columns: &[
        col("name", SYSNAME),
        col("object_id", INT),
        col("parent_class", TINYINT),
        null("parent_class_desc", nvarchar(60)),
        col("parent_id", INT),
        col("type", char2()),
        null("type_desc", nvarchar(60)),
        col("create_date", DATETIME),
        col("modify_date", DATETIME),
        col("is_ms_shipped", BIT),
        col("is_disabled", BIT),
        col("is_not_for_replication", BIT),
        col("is_instead_of_trigger", BIT),
    ],
    rows: &LedViewRows(&[("object_id", Lead::Number), ("name", Lead::Name)], triggers),
};

fn modules(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    let rows = inventory::among(ctx, database, &objects).into_iter().filter_map(|object| match object {
        CatalogObject::Module(def) => Some(vec![
            int(def.id.0),
            ctx.engine.shown_text(def),
            bit(def.ansi_nulls),
            bit(def.quoted_identifier),
            bit(false),
            bit(false),
            bit(ctx.engine.read_module(def).is_ok_and(|module| module.recompile)),
            bit(false),
            Value::Null,
            bit(false),
            bit(def.kind == ModuleKind::ScalarFunction),
            bit(def.kind == ModuleKind::ScalarFunction),
        ]),
        _ => None,
    });
    Ok(rows.collect())
}

/// Of a parameter whose type is not known: that of a table type.
const TABLE_TYPE: u8 = 243;

fn parameter_row(object: i32, number: i32, parameter: &ShownParameter) -> Vec<Value> {
    let sql = parameter.sql.as_ref();
    let system = sql.map_or(TABLE_TYPE, SqlType::system_type_id);
    let (precision, scale) = sql.map_or((0, 0), SqlType::precision_scale);
    vec![
        int(object),
        text(&parameter.name),
        int(number),
        tiny(system),
        parameter.user_type_id.map_or_else(|| int(system), int),
        Value::SmallInt(sql.map_or(-1, inventory::max_length)),
        tiny(precision),
        tiny(scale),
        bit(parameter.output),
        bit(false),
        bit(false),
        bit(false),
        Value::Null,
        int(0),
        bit(parameter.readonly),
        bit(true),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
    ]
}

fn parameters(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Vec::new();
    for object in inventory::among(ctx, database, &objects) {
        let CatalogObject::Module(def) = object else { continue };
        // A text that cannot be read any more has no parameters to show.
        let shown = millpond_query::exec::module_parameters(ctx, database.database, def).unwrap_or_default();
        let first = i32::from(def.kind != ModuleKind::ScalarFunction);
        rows.extend(shown.iter().zip(first..).map(|(parameter, number)| parameter_row(def.id.0, number, parameter)));
    }
    Ok(rows)
}

fn triggers(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Vec::new();
    for object in inventory::among(ctx, database, &objects) {
        let CatalogObject::Module(def) = object else { continue };
        if def.kind != ModuleKind::Trigger {
            continue;
        }
        rows.push(vec![
            text(&def.name),
            int(def.id.0),
            tiny(1),
            text("OBJECT_OR_COLUMN"),
            int(def.parent.0),
            padded2("TR"),
            text("SQL_TRIGGER"),
            moment(def.created_us),
            moment(def.modified_us),
            bit(false),
            bit(def.is_disabled),
            bit(false),
            bit(false),
        ]);
    }
    Ok(rows)
}
