//! `sys.dm_exec_describe_first_result_set`: the columns that a text would give, without running it.

use millpond_builtin::TableFunctionDef;
use millpond_catalog::SystemColumn;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_query::exec::{DescribedColumn, first_result_set};
use millpond_types::{SqlType, Value};

use crate::view::columns::{
    BIT, INT, NVARCHAR_MAX, SMALLINT, SYSNAME, TINYINT, bit, int, joined, maybe, null, nvarchar, text,
};

/// What the function and `sp_describe_first_result_set` have both.
pub(crate) const DESCRIBED: [SystemColumn; 35] = [
    null("is_hidden", BIT),
    null("column_ordinal", INT),
    null("name", SYSNAME),
    null("is_nullable", BIT),
    null("system_type_id", INT),
    null("system_type_name", nvarchar(256)),
    null("max_length", SMALLINT),
    null("precision", TINYINT),
    null("scale", TINYINT),
    null("collation_name", SYSNAME),
    null("user_type_id", INT),
    null("user_type_database", SYSNAME),
    null("user_type_schema", SYSNAME),
    null("user_type_name", SYSNAME),
    null("assembly_qualified_type_name", nvarchar(4000)),
    null("xml_collection_id", INT),
    null("xml_collection_database", SYSNAME),
    null("xml_collection_schema", SYSNAME),
    null("xml_collection_name", SYSNAME),
    null("is_xml_document", BIT),
    null("is_case_sensitive", BIT),
    null("is_fixed_length_clr_type", BIT),
    null("source_server", SYSNAME),
    null("source_database", SYSNAME),
    null("source_schema", SYSNAME),
    null("source_table", SYSNAME),
    null("source_column", SYSNAME),
    null("is_identity_column", BIT),
    null("is_part_of_unique_key", BIT),
    null("is_updateable", BIT),
    null("is_computed_column", BIT),
    null("is_sparse_column_set", BIT),
    null("ordinal_in_order_by_list", SMALLINT),
    null("order_by_list_length", SMALLINT),
    null("order_by_is_descending", SMALLINT),
];

const ERRORS: [SystemColumn; 6] = [
    null("error_number", INT),
    null("error_severity", INT),
    null("error_state", INT),
    null("error_message", nvarchar(4000)),
    null("error_type", INT),
    null("error_type_desc", nvarchar(60)),
];

const COLUMNS: [SystemColumn; 41] = joined(DESCRIBED, ERRORS);

/// `sys.dm_exec_describe_first_result_set(@tsql, @params, @include_browse_information)`
pub static DM_EXEC_DESCRIBE_FIRST_RESULT_SET: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_exec_describe_first_result_set",
    params: &[NVARCHAR_MAX, NVARCHAR_MAX, SqlType::TinyInt],
    optional: 1,
    columns: &COLUMNS,
    rows: |run, args| described(RunContext::of(run), args),
};

/// A column as both show it.
pub(crate) fn described_row(ordinal: usize, column: &DescribedColumn) -> Vec<Value> {
    let sql = &column.ty.sql;
    let (precision, scale) = sql.precision_scale();
    let is_text = sql.is_string();
    let mut row = vec![
        bit(false),
        int(ordinal),
        maybe(Some(column.name.as_str()).filter(|name| !name.is_empty())),
        bit(column.ty.nullable),
        int(sql.system_type_id()),
        text(&sql.to_string()),
        Value::SmallInt(inventory::max_length(sql)),
        Value::TinyInt(precision),
        Value::TinyInt(scale),
        maybe(is_text.then(|| column.ty.collation.name())),
    ];
    row.extend((0..9).map(|_| Value::Null));
    row.extend([bit(false), bit(false), bit(false)]);
    row.extend((0..5).map(|_| Value::Null));
    row.extend([bit(column.is_identity), Value::Null, bit(column.is_updatable), bit(column.is_computed), bit(false)]);
    row.extend((0..3).map(|_| Value::Null));
    row
}

fn described(ctx: &RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    let given = |index: usize| match args.get(index) {
        Some(Value::Str(text)) => text.to_string(),
        _ => String::new(),
    };
    let columns = match first_result_set(ctx, &given(0), &given(1)) {
        Ok(columns) => columns.unwrap_or_default(),
        Err(error) => {
            let mut row = vec![Value::Null; DESCRIBED.len()];
            row[1] = int(0);
            let severity = i32::from(error.severity);
            row.extend([int(error.number), int(severity), int(i32::from(error.state)), text(&error.text)]);
            row.extend([int(1), text("MISC")]);
            return Ok(vec![row]);
        }
    };
    let rows = columns.iter().zip(1usize..).map(|(column, ordinal)| {
        let mut row = described_row(ordinal, column);
        row.extend((0..ERRORS.len()).map(|_| Value::Null));
        row
    });
    Ok(rows.collect())
}
