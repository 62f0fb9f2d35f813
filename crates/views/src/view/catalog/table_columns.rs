//! Views of columns: `sys.columns`, `all_columns`, `identity_columns`, `computed_columns`.

use std::collections::HashMap;

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ColumnDef, SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::rows::TableRows;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::catalog::base_objects::BASE_OBJECTS;
use crate::view::catalog::system;
use crate::view::columns::{
    BIGINT, BIT, INT, SMALLINT, SYSNAME, TINYINT, big, bit, col, int, joined, maybe, null, nvarchar, text, tiny,
};
use crate::view::narrow::OF_PARTS;
use crate::view::{LedViewRows, ViewRows};

pub(in crate::view) const COLUMN_COLUMNS: [SystemColumn; 36] = [
    col("object_id", INT),
    null("name", SYSNAME),
    col("column_id", INT),
    col("system_type_id", TINYINT),
    col("user_type_id", INT),
    col("max_length", SMALLINT),
    col("precision", TINYINT),
    col("scale", TINYINT),
    null("collation_name", SYSNAME),
    null("is_nullable", BIT),
    col("is_ansi_padded", BIT),
    col("is_rowguidcol", BIT),
    col("is_identity", BIT),
    col("is_computed", BIT),
    col("is_filestream", BIT),
    null("is_replicated", BIT),
    null("is_non_sql_subscribed", BIT),
    null("is_merge_published", BIT),
    null("is_dts_replicated", BIT),
    col("is_xml_document", BIT),
    col("xml_collection_id", INT),
    col("default_object_id", INT),
    col("rule_object_id", INT),
    null("is_sparse", BIT),
    null("is_column_set", BIT),
    null("generated_always_type", TINYINT),
    null("generated_always_type_desc", nvarchar(60)),
    null("encryption_type", INT),
    null("encryption_type_desc", nvarchar(64)),
    null("encryption_algorithm_name", SYSNAME),
    null("column_encryption_key_id", INT),
    null("column_encryption_key_database_name", SYSNAME),
    null("is_hidden", BIT),
    col("is_masked", BIT),
    null("graph_type", INT),
    null("graph_type_desc", nvarchar(60)),
];

/// `sys.columns`: those of the user's objects and of the base tables.
pub static COLUMNS: ViewDef =
    ViewDef { schema: "sys", name: "columns", columns: &COLUMN_COLUMNS, rows: &LedViewRows(OF_PARTS, own_columns) };

/// `sys.all_columns`: those of the server's views too.
pub static ALL_COLUMNS: ViewDef = ViewDef {
    schema: "sys",
    name: "all_columns",
    columns: &COLUMN_COLUMNS,
    rows: &LedViewRows(OF_PARTS, |ctx, database| {
        let mut rows = system_columns(ctx, database)?;
        rows.extend(own_columns(ctx, database)?);
        Ok(rows)
    }),
};

/// `sys.system_columns`
pub static SYSTEM_COLUMNS: ViewDef =
    ViewDef { schema: "sys", name: "system_columns", columns: &COLUMN_COLUMNS, rows: &ViewRows(system_columns) };

const IDENTITY_COLUMNS_COLUMNS: [SystemColumn; 40] = joined(
    COLUMN_COLUMNS,
    [
        null("seed_value", BIGINT),
        null("increment_value", BIGINT),
        null("last_value", BIGINT),
        null("is_not_for_replication", BIT),
    ],
);

/// `sys.identity_columns`; where SQL Server gives `sql_variant` these are `bigint`.
pub static IDENTITY_COLUMNS: ViewDef = ViewDef {
    schema: "sys",
    name: "identity_columns",
    columns: &IDENTITY_COLUMNS_COLUMNS,
    rows: &LedViewRows(OF_PARTS, identity_columns),
};

const COMPUTED_COLUMNS_COLUMNS: [SystemColumn; 39] = joined(
    COLUMN_COLUMNS,
    [
        null("definition", crate::view::columns::NVARCHAR_MAX),
        col("uses_database_collation", BIT),
        col("is_persisted", BIT),
    ],
);

/// `sys.computed_columns`
pub static COMPUTED_COLUMNS: ViewDef = ViewDef {
    schema: "sys",
    name: "computed_columns",
    columns: &COMPUTED_COLUMNS_COLUMNS,
    rows: &LedViewRows(OF_PARTS, computed_columns),
};

fn column_row(object: i32, column: &ColumnDef, aliases: &HashMap<String, i32>) -> Vec<Value> {
    let sql = &column.ty.sql;
    let (precision, scale) = sql.precision_scale();
    let default = column.default.as_ref().map_or(0, |default| default.id.0);
    let mut row = vec![
        int(object),
        text(&column.name),
        int(column.id),
        tiny(sql.system_type_id()),
        int(inventory::user_type_id(column, aliases)),
        Value::SmallInt(inventory::max_length(sql)),
        tiny(precision),
        tiny(scale),
        maybe(sql.is_string().then(|| column.ty.collation.name())),
        bit(column.ty.nullable),
        bit((sql.is_string() || sql.is_binary()) && !column.trims),
        bit(column.is_row_guid),
        bit(column.identity.is_some()),
        bit(column.computed.is_some()),
    ];
    row.extend((0..6).map(|_| bit(false)));
    row.extend([int(0), int(default), int(0), bit(false), bit(false), tiny(0), text("NOT_APPLICABLE")]);
    row.extend((0..5).map(|_| Value::Null));
    row.extend([bit(false), bit(false), Value::Null, Value::Null]);
    row
}

fn own_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let none = HashMap::new();
    let base = base_columns(database);
    let mut rows: Vec<Vec<Value>> = base.map(|(id, column)| column_row(id, &column, &none)).collect();
    let aliases = inventory::alias_types(&*inventory::definitions(ctx, database)?);
    let objects = inventory::columns(ctx, database)?;
    let users = objects.iter().flat_map(|(id, columns)| columns.iter().map(|column| column_row(*id, column, &aliases)));
    rows.extend(users);
    Ok(rows)
}

fn system_columns(_ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let none = HashMap::new();
    Ok(columns_of_server(database).map(|(id, column)| column_row(id, &column, &none)).collect())
}

/// The columns of base tables, each with its table.
pub(in crate::view) fn base_columns(database: Within<'_>) -> impl Iterator<Item = (i32, ColumnDef)> + '_ {
    let wanted = BASE_OBJECTS.iter().filter(move |object| database.has(object.id));
    wanted.flat_map(|object| numbered(object.id, object.columns))
}

/// Those of the server's views and functions.
pub(in crate::view) fn columns_of_server(database: Within<'_>) -> impl Iterator<Item = (i32, ColumnDef)> + '_ {
    let wanted = system::views().chain(system::functions()).filter(move |object| database.has(object.id));
    wanted.flat_map(|object| numbered(object.id, system::columns_of(object.id).unwrap_or_default()))
}

fn numbered(object: i32, columns: &'static [SystemColumn]) -> impl Iterator<Item = (i32, ColumnDef)> {
    columns.iter().zip(1..).map(move |(column, id)| (object, ColumnDef::new(id, column.name, column.ty())))
}

/// Rows of the columns of tables for which `more` says something.
fn of_tables(
    ctx: &RunContext,
    database: Within<'_>,
    more: impl Fn(&inventory::ListedTable, &ColumnDef) -> Option<Vec<Value>>,
) -> SqlResult<Vec<Vec<Value>>> {
    let aliases = inventory::alias_types(&*inventory::definitions(ctx, database)?);
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        for column in &table.def.columns {
            if let Some(facts) = more(&table, column) {
                let mut row = column_row(table.id, column, &aliases);
                row.extend(facts);
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

fn identity_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    of_tables(ctx, database, |table, column| {
        let (seed, increment) = column.identity?;
        let last = match &table.rows {
            TableRows::Trees(trees) => trees.counters.identity.lock().last,
            TableRows::Heap(_) => None,
        };
        Some(vec![big(seed), big(increment), last.map_or(Value::Null, Value::BigInt), bit(false)])
    })
}

fn computed_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    of_tables(ctx, database, |_, column| {
        let computed = column.computed.as_ref()?;
        let definition = inventory::shown_expression(&computed.text);
        Some(vec![text(&definition), bit(true), bit(computed.persisted)])
    })
}
