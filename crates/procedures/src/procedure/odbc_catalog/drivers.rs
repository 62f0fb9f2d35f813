//! What ODBC drivers ask when they connect: the types of the server.

use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value};

use crate::procedure::named::INT;

/// `sp_datatype_info [type [, ODBC version]]`
pub static SP_DATATYPE_INFO: ProcedureDef =
    ProcedureDef { name: "sp_datatype_info", params: &[("@data_type", INT), ("@odbcver", INT)], run: types };

/// The same for drivers since 2008.
pub static SP_DATATYPE_INFO_100: ProcedureDef =
    ProcedureDef { name: "sp_datatype_info_100", params: &[("@data_type", INT), ("@odbcver", INT)], run: types };

/// `sp_reset_connection` is a flag of the wire, and the server does it for a call over the wire; in a text it does nothing.
pub static SP_RESET_CONNECTION: ProcedureDef =
    ProcedureDef { name: "sp_reset_connection", params: &[], run: |_| Ok(0) };

/// A type as ODBC sees it.
struct TypeInfo {
    name: &'static str,
    /// ODBC's number (version 3).
    odbc: i16,
    precision: i32,
    prefix: Option<&'static str>,
    params: Option<&'static str>,
    case_sensitive: bool,
    searchable: i16,
    unsigned: Option<bool>,
    scales: Option<(i16, i16)>,
}

const fn exact(name: &'static str, odbc: i16, precision: i32, unsigned: bool) -> TypeInfo {
    TypeInfo {
        name,
        odbc,
        precision,
        prefix: None,
        params: None,
        case_sensitive: false,
        searchable: 2,
        unsigned: Some(unsigned),
        scales: Some((0, 0)),
    }
}

const fn text(name: &'static str, odbc: i16, precision: i32, prefix: &'static str) -> TypeInfo {
    TypeInfo {
        name,
        odbc,
        precision,
        prefix: Some(prefix),
        params: Some("length"),
        case_sensitive: false,
        searchable: 3,
        unsigned: None,
        scales: None,
    }
}

const fn datetime_type(name: &'static str, odbc: i16, precision: i32, scale: i16) -> TypeInfo {
    TypeInfo {
        name,
        odbc,
        precision,
        prefix: Some("'"),
        params: None,
        case_sensitive: false,
        searchable: 3,
        unsigned: None,
        scales: Some((0, scale)),
    }
}

/// A type without a length; `searchable`: 1 in LIKE alone, 0 in no condition.
const fn large(name: &'static str, odbc: i16, precision: i32, prefix: &'static str, searchable: i16) -> TypeInfo {
    TypeInfo { params: None, searchable, ..text(name, odbc, precision, prefix) }
}

/// In the order of their numbers.
const TYPES: &[TypeInfo] = &[
    datetime_type("datetimeoffset", -155, 34, 7),
    datetime_type("time", -154, 16, 7),
    TypeInfo { case_sensitive: true, ..large("xml", -152, 0, "N'", 0) },
    TypeInfo { unsigned: None, params: None, ..exact("sql_variant", -150, 8000, false) },
    TypeInfo { scales: None, unsigned: None, ..exact("uniqueidentifier", -11, 36, false) },
    large("ntext", -10, 1_073_741_823, "N'", 1),
    text("nvarchar", -9, 4000, "N'"),
    TypeInfo { params: None, ..text("sysname", -9, 128, "N'") },
    text("nchar", -8, 4000, "N'"),
    TypeInfo { unsigned: None, ..exact("bit", -7, 1, false) },
    exact("tinyint", -6, 3, true),
    exact("bigint", -5, 19, false),
    large("image", -4, i32::MAX, "0x", 0),
    text("varbinary", -3, 8000, "0x"),
    text("binary", -2, 8000, "0x"),
    TypeInfo { params: None, ..text("timestamp", -2, 8, "0x") },
    large("text", -1, i32::MAX, "'", 1),
    text("char", 1, 8000, "'"),
    TypeInfo { params: Some("precision,scale"), scales: Some((0, 38)), ..exact("numeric", 2, 38, false) },
    TypeInfo { params: Some("precision,scale"), scales: Some((0, 38)), ..exact("decimal", 3, 38, false) },
    TypeInfo { scales: Some((4, 4)), ..exact("money", 3, 19, false) },
    TypeInfo { scales: Some((4, 4)), ..exact("smallmoney", 3, 10, false) },
    exact("int", 4, 10, false),
    exact("smallint", 5, 5, false),
    TypeInfo { scales: None, ..exact("float", 6, 53, false) },
    TypeInfo { scales: None, ..exact("real", 7, 24, false) },
    text("varchar", 12, 8000, "'"),
    datetime_type("date", 91, 10, 0),
    // The first of a number is what drivers take for it: pyodbc sends moments as precisely as this one is.
    datetime_type("datetime2", 93, 27, 7),
    datetime_type("datetime", 93, 23, 3),
    datetime_type("smalldatetime", 93, 16, 0),
];

fn types(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = call.arg(&SP_DATATYPE_INFO, 0).and_then(Value::as_i64).unwrap_or(0);
    let rows = TYPES.iter().filter(|info| wanted == 0 || i64::from(info.odbc) == wanted).map(row).collect();
    let (small, int) = (SqlType::SmallInt, SqlType::Int);
    let word = SqlType::varchar(32);
    call.result(
        &[
            ("TYPE_NAME", SqlType::NVarChar { len: MaxLen::Limited(128) }),
            ("DATA_TYPE", small),
            ("PRECISION", int),
            ("LITERAL_PREFIX", word),
            ("LITERAL_SUFFIX", word),
            ("CREATE_PARAMS", word),
            ("NULLABLE", small),
            ("CASE_SENSITIVE", small),
            ("SEARCHABLE", small),
            ("UNSIGNED_ATTRIBUTE", small),
            ("MONEY", small),
            ("AUTO_INCREMENT", small),
            ("LOCAL_TYPE_NAME", SqlType::NVarChar { len: MaxLen::Limited(128) }),
            ("MINIMUM_SCALE", small),
            ("MAXIMUM_SCALE", small),
            ("SQL_DATA_TYPE", small),
            ("SQL_DATETIME_SUB", small),
            ("NUM_PREC_RADIX", int),
            ("INTERVAL_PRECISION", small),
            ("USERTYPE", small),
        ],
        rows,
    )?;
    Ok(0)
}

fn row(info: &TypeInfo) -> Vec<Value> {
    let word = |word: Option<&str>| word.map_or(Value::Null, Value::str);
    let small = |number: Option<i16>| number.map_or(Value::Null, Value::SmallInt);
    let suffix = info.prefix.filter(|prefix| prefix.ends_with('\'')).map(|_| "'");
    let is_money = info.name.ends_with("money");
    vec![
        Value::str(info.name),
        Value::SmallInt(info.odbc),
        Value::Int(info.precision),
        word(info.prefix),
        word(suffix),
        word(info.params),
        Value::SmallInt(1),
        Value::SmallInt(i16::from(info.case_sensitive)),
        Value::SmallInt(info.searchable),
        small(info.unsigned.map(i16::from)),
        Value::SmallInt(i16::from(is_money)),
        small(info.unsigned.map(|_| 0)),
        Value::str(info.name),
        small(info.scales.map(|(least, _)| least)),
        small(info.scales.map(|(_, most)| most)),
        Value::SmallInt(if info.odbc == 93 || info.odbc == 91 { 9 } else { info.odbc }),
        small(match info.odbc {
            91 => Some(1),
            93 => Some(3),
            _ => None,
        }),
        info.unsigned.map_or(Value::Null, |_| Value::Int(10)),
        Value::Null,
        Value::SmallInt(0),
    ]
}
