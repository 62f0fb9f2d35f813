//! Short words for the columns of system views, and for the values in them.

use millpond_catalog::SystemColumn;
use millpond_types::{MaxLen, SqlType, Value};

pub(super) const BIT: SqlType = SqlType::Bit;
pub(super) const TINYINT: SqlType = SqlType::TinyInt;
pub(super) const SMALLINT: SqlType = SqlType::SmallInt;
pub(super) const INT: SqlType = SqlType::Int;
pub(super) const BIGINT: SqlType = SqlType::BigInt;
pub(super) const REAL: SqlType = SqlType::Real;
pub(super) const FLOAT: SqlType = SqlType::Float;
pub(super) const DATETIME: SqlType = SqlType::DateTime;
pub(super) const GUID: SqlType = SqlType::UniqueIdentifier;
pub(super) const SYSNAME: SqlType = nvarchar(128);
pub(super) const NVARCHAR_MAX: SqlType = SqlType::NVarChar { len: MaxLen::Max };
pub(super) const LSN: SqlType = SqlType::numeric(25, 0);

pub(super) const fn nvarchar(units: u16) -> SqlType {
    SqlType::NVarChar { len: MaxLen::Limited(units) }
}

pub(super) const fn varchar(bytes: u16) -> SqlType {
    SqlType::varchar(bytes)
}

pub(super) const fn varbinary(bytes: u16) -> SqlType {
    SqlType::VarBinary { len: MaxLen::Limited(bytes) }
}

/// `char(2)`: types of objects
pub(super) const fn char2() -> SqlType {
    SqlType::char(2)
}

/// The columns of one list, then those of another.
pub(super) const fn joined<const A: usize, const B: usize, const N: usize>(
    first: [SystemColumn; A],
    second: [SystemColumn; B],
) -> [SystemColumn; N] {
    assert!(A + B == N, "the length of the result is the sum of both");
    let mut columns = [first[0]; N];
    let mut index = 0;
    while index < N {
        columns[index] = if index < A { first[index] } else { second[index - A] };
        index += 1;
    }
    columns
}

/// A column that is never NULL.
pub(super) const fn col(name: &'static str, sql: SqlType) -> SystemColumn {
    SystemColumn { name, sql, nullable: false }
}

/// A column that may be NULL.
pub(super) const fn null(name: &'static str, sql: SqlType) -> SystemColumn {
    SystemColumn { name, sql, nullable: true }
}

pub(super) fn bit(value: bool) -> Value {
    Value::Bit(value)
}

pub(super) fn tiny(value: u8) -> Value {
    Value::TinyInt(value)
}

pub(super) fn small(value: u16) -> Value {
    Value::SmallInt(i16::try_from(value).unwrap_or(i16::MAX))
}

pub(super) fn int(value: impl TryInto<i32>) -> Value {
    Value::Int(value.try_into().unwrap_or(i32::MAX))
}

pub(super) fn big(value: impl TryInto<i64>) -> Value {
    Value::BigInt(value.try_into().unwrap_or(i64::MAX))
}

pub(super) fn text(value: &str) -> Value {
    Value::str(value)
}

/// A type of objects, with its blanks.
pub(super) fn padded2(kind: &str) -> Value {
    Value::str(&format!("{kind:<2}"))
}

/// Text, or NULL.
pub(super) fn maybe(value: Option<&str>) -> Value {
    value.map_or(Value::Null, Value::str)
}

pub(super) fn bytes(value: &[u8]) -> Value {
    Value::Binary(value.into())
}

/// A moment (microseconds since 1970) as `datetime`.
pub(super) fn moment(us: i64) -> Value {
    let moment = millpond_catalog::clock::datetime2_of_unix_us(us);
    millpond_types::DateTime::from_datetime2(moment).map_or(Value::Null, Value::DateTime)
}

/// Whether a filter argument (NULL and -1 mean all) admits a number.
pub(super) fn admits(filter: Option<&Value>, number: u16) -> bool {
    match filter.and_then(Value::as_i64) {
        None | Some(-1) => true,
        Some(wanted) => wanted == i64::from(number),
    }
}
