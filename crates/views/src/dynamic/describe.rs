//! `sys.dm_exec_describe_first_result_set`: the columns that a text would give, without running it.

use millpond_builtin::{TableFunctionDef, bracketed};
use millpond_catalog::{ObjectId, SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_names::describe_batch::{DescribedColumn, first_result_set};
use millpond_types::Value;

use crate::columns::{NVarChar, NVarCharMax, Sysname, int, maybe, text};
use crate::row::{RowPart, Rows, row, table_function};

row! {
    /// What the function and `sp_describe_first_result_set` have both.
    #[derive(Default)]
    struct Described {
        is_hidden: Option<bool>,
        column_ordinal: Option<i32>,
        name: Option<Sysname>,
        is_nullable: Option<bool>,
        system_type_id: Option<i32>,
        system_type_name: Option<NVarChar<256>>,
        max_length: Option<i16>,
        precision: Option<u8>,
        scale: Option<u8>,
        collation_name: Option<Sysname>,
        user_type_id: Option<i32>,
        user_type_database: Option<Sysname>,
        user_type_schema: Option<Sysname>,
        user_type_name: Option<Sysname>,
        assembly_qualified_type_name: Option<NVarChar<4000>>,
        xml_collection_id: Option<i32>,
        xml_collection_database: Option<Sysname>,
        xml_collection_schema: Option<Sysname>,
        xml_collection_name: Option<Sysname>,
        is_xml_document: Option<bool>,
        is_case_sensitive: Option<bool>,
        is_fixed_length_clr_type: Option<bool>,
        source_server: Option<Sysname>,
        source_database: Option<Sysname>,
        source_schema: Option<Sysname>,
        source_table: Option<Sysname>,
        source_column: Option<Sysname>,
        is_identity_column: Option<bool>,
        is_part_of_unique_key: Option<bool>,
        is_updateable: Option<bool>,
        is_computed_column: Option<bool>,
        is_sparse_column_set: Option<bool>,
        ordinal_in_order_by_list: Option<i16>,
        order_by_list_length: Option<i16>,
        order_by_is_descending: Option<i16>,
    }
}

row! {
    /// Why there are no columns.
    #[derive(Default)]
    struct DescribeError {
        error_number: Option<i32>,
        error_severity: Option<i32>,
        error_state: Option<i32>,
        error_message: Option<NVarChar<4000>>,
        error_type: Option<i32>,
        error_type_desc: Option<NVarChar<60>>,
    }
}

row! {
    /// A row of `sys.dm_exec_describe_first_result_set`.
    struct DmExecDescribeFirstResultSet {
        described: Described,
        error: DescribeError,
    }
}

/// `sys.dm_exec_describe_first_result_set(@tsql, @params, @include_browse_information)`
pub static DM_EXEC_DESCRIBE_FIRST_RESULT_SET: TableFunctionDef = table_function!(
    "sys", "dm_exec_describe_first_result_set", [NVarCharMax, NVarCharMax, u8],
    optional 1, DmExecDescribeFirstResultSet, described
);

/// The columns that the function and `sp_describe_first_result_set` have both.
#[must_use]
pub fn described_columns() -> &'static [SystemColumn] {
    <Described as RowPart>::COLUMNS
}

/// A column as values of these.
#[must_use]
pub fn described_values(ordinal: usize, column: &DescribedColumn) -> Vec<Value> {
    let mut values = Vec::with_capacity(described_columns().len());
    described_row(ordinal, column).append(&mut values);
    values
}

fn described_row(ordinal: usize, column: &DescribedColumn) -> Described {
    let sql = &column.ty.sql;
    let (precision, scale) = sql.precision_scale();
    let is_text = sql.is_string();
    Described {
        is_hidden: Some(false),
        column_ordinal: Some(int(ordinal)),
        name: maybe(Some(column.name.as_str()).filter(|name| !name.is_empty())),
        is_nullable: Some(column.ty.nullable),
        system_type_id: Some(int(sql.system_type_id())),
        system_type_name: Some(text(&sql.to_string())),
        max_length: Some(inventory::max_length(sql)),
        precision: Some(precision),
        scale: Some(scale),
        collation_name: maybe(is_text.then(|| column.ty.collation.name())),
        user_type_id: None,
        user_type_database: None,
        user_type_schema: None,
        user_type_name: None,
        assembly_qualified_type_name: None,
        xml_collection_id: None,
        xml_collection_database: None,
        xml_collection_schema: None,
        xml_collection_name: None,
        is_xml_document: Some(false),
        is_case_sensitive: Some(false),
        is_fixed_length_clr_type: Some(false),
        source_server: None,
        source_database: None,
        source_schema: None,
        source_table: None,
        source_column: None,
        is_identity_column: Some(column.is_identity),
        is_part_of_unique_key: None,
        is_updateable: Some(column.is_updatable),
        is_computed_column: Some(column.is_computed),
        is_sparse_column_set: Some(false),
        ordinal_in_order_by_list: None,
        order_by_list_length: None,
        order_by_is_descending: None,
    }
}

/// `sys.dm_exec_describe_first_result_set_for_object(@object_id, @include_browse_information)`: of a procedure of the current database.
pub static DM_EXEC_DESCRIBE_FIRST_RESULT_SET_FOR_OBJECT: TableFunctionDef = table_function!(
    "sys", "dm_exec_describe_first_result_set_for_object", [i32, u8],
    optional 1, DmExecDescribeFirstResultSet, described_object
);

fn described_object(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecDescribeFirstResultSet>> {
    let Some(id) = args.first().and_then(Value::as_i64).and_then(|id| i32::try_from(id).ok()) else {
        return Ok(Rows::new());
    };
    let database = Within::from(ctx.facts.database);
    let only = [ObjectId(id)];
    let objects = inventory::definitions(ctx, database)?;
    let seen = inventory::among(ctx, Within { only: Some(&only), ..database }, &objects);
    let procedure = seen.into_iter().find(|object| object.code() == "P");
    let Some(procedure) = procedure else {
        return described_text(ctx, "", "");
    };
    let call = format!("EXEC {}.{}", bracketed(&procedure.schema().name), bracketed(procedure.name()));
    described_text(ctx, &call, "")
}

fn described(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecDescribeFirstResultSet>> {
    let given = |index: usize| match args.get(index) {
        Some(Value::Str(text)) => text.to_string(),
        _ => String::new(),
    };
    described_text(ctx, &given(0), &given(1))
}

fn described_text(
    ctx: &RunContext,
    described: &str,
    declarations: &str,
) -> SqlResult<Rows<DmExecDescribeFirstResultSet>> {
    let columns = match first_result_set(ctx, described, declarations) {
        Ok(columns) => columns.unwrap_or_default(),
        Err(error) => {
            return Ok(Rows::one(DmExecDescribeFirstResultSet {
                described: Described { column_ordinal: Some(0), ..Described::default() },
                error: DescribeError {
                    error_number: Some(error.number),
                    error_severity: Some(i32::from(error.severity)),
                    error_state: Some(i32::from(error.state)),
                    error_message: Some(text(&error.text)),
                    error_type: Some(1),
                    error_type_desc: Some(text("MISC")),
                },
            }));
        }
    };
    let rows = columns.iter().zip(1usize..).map(|(column, ordinal)| DmExecDescribeFirstResultSet {
        described: described_row(ordinal, column),
        error: DescribeError::default(),
    });
    Ok(rows.collect())
}
