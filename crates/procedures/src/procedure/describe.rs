//! `sp_describe_first_result_set`, `sp_describe_undeclared_parameters`: what drivers ask before they run a text.

use millpond_types::{MaxLen, SqlType, Value};

use super::named::{INT, SYSNAME, nvarchar, text_arg};

const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };
use millpond_engine::inventory;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_names::describe_batch::{first_result_set, undeclared_parameters};
use millpond_views::{described_columns, described_values};

/// What the procedure sends beside what `sys.dm_exec_describe_first_result_set` shows.
const OF_WIRE: [(&str, SqlType); 4] =
    [("tds_type_id", INT), ("tds_length", INT), ("tds_collation_id", INT), ("tds_collation_sort_id", SqlType::TinyInt)];

/// `sp_describe_first_result_set @tsql [, @params [, @browse_information_mode]]`
pub static SP_DESCRIBE_FIRST_RESULT_SET: ProcedureDef = ProcedureDef {
    name: "sp_describe_first_result_set",
    params: &[("@tsql", TEXT), ("@params", TEXT), ("@browse_information_mode", SqlType::TinyInt)],
    run: first,
};

/// `sp_describe_undeclared_parameters @tsql [, @params]`
pub static SP_DESCRIBE_UNDECLARED_PARAMETERS: ProcedureDef = ProcedureDef {
    name: "sp_describe_undeclared_parameters",
    params: &[("@tsql", TEXT), ("@params", TEXT)],
    run: undeclared,
};

/// What the wire calls a type: its number in the form that may be NULL, and its length.
fn tds_type(sql: &SqlType) -> (i32, i32) {
    let length = i32::from(inventory::max_length(sql));
    let number = match sql {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => 38,
        SqlType::Real | SqlType::Float => 109,
        SqlType::Money | SqlType::SmallMoney => 110,
        SqlType::DateTime | SqlType::SmallDateTime => 111,
        other => i32::from(other.system_type_id()),
    };
    (number, if length < 0 { 65_535 } else { length })
}

fn wanted(call: &SystemCall<'_>, def: &'static ProcedureDef) -> SqlResult<(String, String)> {
    let text = text_arg(call, def, 0).ok_or_else(|| millpond_message::missing_argument(def.name, "@tsql"))?;
    Ok((text, text_arg(call, def, 1).unwrap_or_default()))
}

fn first(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let (text, declarations) = wanted(call, &SP_DESCRIBE_FIRST_RESULT_SET)?;
    let columns = first_result_set(call.ctx(), &text, &declarations)?.unwrap_or_default();
    let rows = columns.iter().zip(1usize..).map(|(column, ordinal)| {
        let (number, length) = tds_type(&column.ty.sql);
        let collation = Some(column.ty.collation).filter(|_| column.ty.sql.is_string());
        let mut row = described_values(ordinal, column);
        row.extend([Value::Int(number), Value::Int(length)]);
        row.push(collation.map_or(Value::Null, |collation| Value::Int(collation.info().cast_signed())));
        row.push(collation.map_or(Value::Null, |collation| Value::TinyInt(collation.sort_id())));
        row
    });
    let rows = rows.collect();
    let shown = described_columns().iter().map(|column| (column.name, column.sql));
    let shown: Vec<(&str, SqlType)> = shown.chain(OF_WIRE).collect();
    call.result(&shown, rows)?;
    Ok(0)
}

fn undeclared(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let (text, declarations) = wanted(call, &SP_DESCRIBE_UNDECLARED_PARAMETERS)?;
    let parameters = undeclared_parameters(call.ctx(), &text, &declarations)?;
    let rows = parameters.iter().zip(1..).map(|(parameter, ordinal)| {
        let sql = &parameter.sql;
        let (precision, scale) = sql.precision_scale();
        let (number, length) = tds_type(sql);
        let mut row = vec![
            Value::Int(ordinal),
            Value::str(&parameter.name),
            Value::Int(i32::from(sql.system_type_id())),
            Value::str(&sql.to_string()),
            Value::SmallInt(inventory::max_length(sql)),
            Value::TinyInt(precision),
            Value::TinyInt(scale),
        ];
        row.extend((0..9).map(|_| Value::Null));
        row.extend([false, false, false, true, false].map(Value::Bit));
        row.push(parameter.formal.as_deref().map_or(Value::Null, Value::str));
        row.extend([Value::Int(number), Value::Int(length)]);
        row
    });
    let rows = rows.collect();
    call.result(&undeclared_columns(), rows)?;
    Ok(0)
}

fn undeclared_columns() -> Vec<(&'static str, SqlType)> {
    vec![
        ("parameter_ordinal", INT),
        ("name", SYSNAME),
        ("suggested_system_type_id", INT),
        ("suggested_system_type_name", nvarchar(256)),
        ("suggested_max_length", SqlType::SmallInt),
        ("suggested_precision", SqlType::TinyInt),
        ("suggested_scale", SqlType::TinyInt),
        ("suggested_user_type_id", INT),
        ("suggested_user_type_database", SYSNAME),
        ("suggested_user_type_schema", SYSNAME),
        ("suggested_user_type_name", SYSNAME),
        ("suggested_assembly_qualified_type_name", nvarchar(4000)),
        ("suggested_xml_collection_id", INT),
        ("suggested_xml_collection_database", SYSNAME),
        ("suggested_xml_collection_schema", SYSNAME),
        ("suggested_xml_collection_name", SYSNAME),
        ("suggested_is_xml_document", SqlType::Bit),
        ("suggested_is_case_sensitive", SqlType::Bit),
        ("suggested_is_fixed_length_clr_type", SqlType::Bit),
        ("suggested_is_input", SqlType::Bit),
        ("suggested_is_output", SqlType::Bit),
        ("formal_parameter_name", SYSNAME),
        ("suggested_tds_type_id", INT),
        ("suggested_tds_length", INT),
    ]
}
