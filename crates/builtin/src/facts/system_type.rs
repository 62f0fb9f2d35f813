//! The types of every database by name and number: TYPE_ID, TYPE_NAME, `sys.types`.

use millpond_types::{MaxLen, SqlType};

const UNITS_MAX: MaxLen = MaxLen::Limited(4000);
const BYTES_MAX: MaxLen = MaxLen::Limited(8000);

/// The types of every database in order of their numbers, then those of old times: name, number, form at its widest; lengths and digits are
/// those of `sys.types`.
pub const SYSTEM_TYPES: [(&str, i32, SqlType); 31] = [
    ("uniqueidentifier", 36, SqlType::UniqueIdentifier),
    ("date", 40, SqlType::Date),
    ("time", 41, SqlType::Time { scale: 7 }),
    ("datetime2", 42, SqlType::DateTime2 { scale: 7 }),
    ("datetimeoffset", 43, SqlType::DateTimeOffset { scale: 7 }),
    ("tinyint", 48, SqlType::TinyInt),
    ("smallint", 52, SqlType::SmallInt),
    ("int", 56, SqlType::Int),
    ("smalldatetime", 58, SqlType::SmallDateTime),
    ("real", 59, SqlType::Real),
    ("money", 60, SqlType::Money),
    ("datetime", 61, SqlType::DateTime),
    ("float", 62, SqlType::Float),
    ("sql_variant", 98, SqlType::Variant),
    ("bit", 104, SqlType::Bit),
    ("decimal", 106, SqlType::decimal(38, 38)),
    ("numeric", 108, SqlType::numeric(38, 38)),
    ("smallmoney", 122, SqlType::SmallMoney),
    ("bigint", 127, SqlType::BigInt),
    ("varbinary", 165, SqlType::VarBinary { len: BYTES_MAX }),
    ("varchar", 167, SqlType::varchar_of(BYTES_MAX)),
    ("binary", 173, SqlType::Binary { len: 8000 }),
    ("char", 175, SqlType::char(8000)),
    ("timestamp", 189, SqlType::RowVersion),
    ("nvarchar", 231, SqlType::NVarChar { len: UNITS_MAX }),
    ("nchar", 239, SqlType::NChar { len: 4000 }),
    ("xml", 241, SqlType::Xml),
    ("sysname", 256, SqlType::SYSNAME),
    ("text", 35, SqlType::VARCHAR_MAX),
    ("image", 34, SqlType::VarBinary { len: MaxLen::Max }),
    ("ntext", 99, SqlType::NVarChar { len: MaxLen::Max }),
];

/// Characters of a text type; none for others, -1 for `(max)`.
#[must_use]
pub fn text_units(sql: &SqlType) -> Option<i32> {
    if !sql.is_string() && !sql.is_binary() {
        return None;
    }
    match sql.max_len()? {
        MaxLen::Limited(units) => Some(i32::from(units)),
        _ => Some(-1),
    }
}

/// Digits of a number, units of a text, bytes of another value: `precision` of TYPEPROPERTY.
#[must_use]
pub fn type_precision(sql: &SqlType) -> i32 {
    match sql.max_len() {
        _ if *sql == SqlType::Xml => -1,
        Some(MaxLen::Max) => i32::MAX / if sql.is_unicode() { 2 } else { 1 },
        Some(MaxLen::Limited(units)) => i32::from(units),
        None => match sql.precision_scale().0 {
            0 => sql.max_bytes().and_then(|bytes| i32::try_from(bytes).ok()).unwrap_or(0),
            digits => i32::from(digits),
        },
    }
}

/// `scale` of TYPEPROPERTY: of exact numbers, dates and times.
#[must_use]
pub fn type_scale(sql: &SqlType) -> Option<i32> {
    let has_scale = sql.is_numeric() && !matches!(sql, SqlType::Float | SqlType::Real) || sql.is_temporal();
    has_scale.then(|| i32::from(sql.precision_scale().1))
}
