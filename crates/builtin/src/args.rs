//! What the functions' `bind` share: types of arguments as texts, numbers and dates, and the errors about them.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::sql_type::MaxLen;
use millpond_types::{SqlType, Value};

use super::Signature;

/// Most bytes of a `varchar` without `(max)`.
const VARCHAR_MAX: u16 = 8000;
/// Most UTF-16 units of an `nvarchar` without `(max)`.
const NVARCHAR_MAX: u16 = 4000;

/// `varchar(n)`.
pub(super) const fn varchar(len: u16) -> SqlType {
    SqlType::varchar(len)
}

/// `nvarchar(n)`.
pub(super) const fn nvarchar(len: u16) -> SqlType {
    SqlType::NVarChar { len: MaxLen::Limited(len) }
}

/// `sysname`.
pub(super) const SYSNAME: SqlType = nvarchar(128);

/// A signature whose result is NULL only when an argument is.
pub(super) fn strict(params: Vec<SqlType>, result: SqlType) -> SqlResult<Signature> {
    Ok(Signature { params, result, nullable: false })
}

/// A signature whose result may be NULL anyway.
pub(super) fn nullable(params: Vec<SqlType>, result: SqlType) -> SqlResult<Signature> {
    Ok(Signature { params, result, nullable: true })
}

/// 8116: the function does not take this type.
pub(super) fn invalid_argument(given: Option<SqlType>, position: usize, function: &str) -> SqlError {
    let type_name = given.map_or("NULL", |ty| ty.name());
    SqlError::of(8116, 1, &[&type_name, &position, &function])
}

/// The text type that holds any value of the argument's type: `varchar` or `nvarchar` of a string's own length.
pub(super) fn text_type(given: Option<SqlType>) -> SqlType {
    let Some(given) = given else {
        return varchar(1);
    };
    match given {
        SqlType::VarChar { .. } | SqlType::NVarChar { .. } => given,
        SqlType::Char { len, .. } | SqlType::Binary { len } => varchar(len),
        SqlType::NChar { len } => nvarchar(len),
        SqlType::VarBinary { len } => SqlType::varchar_of(len),
        SqlType::Bit => varchar(1),
        SqlType::TinyInt => varchar(3),
        SqlType::SmallInt => varchar(6),
        SqlType::Int => varchar(12),
        SqlType::BigInt => varchar(24),
        SqlType::Real | SqlType::Float => varchar(23),
        SqlType::Decimal { .. } => varchar(41),
        SqlType::SmallMoney | SqlType::Money => varchar(30),
        SqlType::Date => varchar(10),
        SqlType::Time { .. } => varchar(16),
        SqlType::SmallDateTime | SqlType::DateTime => varchar(25),
        SqlType::DateTime2 { .. } => varchar(27),
        SqlType::UniqueIdentifier => varchar(36),
        SqlType::DateTimeOffset { .. } => varchar(34),
        SqlType::RowVersion => varchar(8),
        SqlType::Xml => SqlType::NVarChar { len: MaxLen::Max },
        SqlType::Variant => nvarchar(4000),
    }
}

/// The same as `nvarchar`.
pub(super) fn unicode_type(given: Option<SqlType>) -> SqlType {
    with_unicode(text_type(given), true)
}

/// The text type of the same length in the other encoding; a length too large for it becomes the largest.
pub(super) fn with_unicode(text: SqlType, unicode: bool) -> SqlType {
    of_length(unicode, length(text))
}

/// The type of a text of `len` units; `None` is `(max)`.
pub(super) fn of_length(unicode: bool, len: Option<u32>) -> SqlType {
    let most = if unicode { NVARCHAR_MAX } else { VARCHAR_MAX };
    let bound = match len {
        None => MaxLen::Max,
        Some(len) => MaxLen::Limited(u16::try_from(len).unwrap_or(most).clamp(1, most)),
    };
    if unicode { SqlType::NVarChar { len: bound } } else { SqlType::varchar_of(bound) }
}

/// Length of a text or binary type in its units; `None` is `(max)`, and 0 is given for all other types.
pub(super) fn length(ty: SqlType) -> Option<u32> {
    match ty {
        SqlType::Char { len, .. } | SqlType::NChar { len } | SqlType::Binary { len } => Some(u32::from(len)),
        SqlType::VarChar { len, .. } | SqlType::NVarChar { len } | SqlType::VarBinary { len } => match len {
            MaxLen::Limited(len) => Some(u32::from(len)),
            MaxLen::Max => None,
        },
        _ => Some(0),
    }
}

/// Whether the type is a `(max)` type.
pub(super) fn is_max(ty: SqlType) -> bool {
    length(ty).is_none()
}

/// The type of lengths and positions in a text of this type: `bigint` for `(max)`.
pub(super) fn position_type(text: SqlType) -> SqlType {
    if is_max(text) { SqlType::BigInt } else { SqlType::Int }
}

/// The type that a count or position argument is converted to.
pub(super) fn integer_type(given: Option<SqlType>) -> SqlType {
    if given == Some(SqlType::BigInt) { SqlType::BigInt } else { SqlType::Int }
}

/// `int` or `bigint`, as the result's type wants it; lengths and positions always fit.
pub(super) fn integer(n: usize, result: &SqlType) -> Value {
    match result {
        SqlType::BigInt => Value::BigInt(i64::try_from(n).unwrap_or(i64::MAX)),
        _ => Value::Int(i32::try_from(n).unwrap_or(i32::MAX)),
    }
}

/// Whether any argument is NULL, which makes most functions NULL.
pub(super) fn any_null(args: &[Value]) -> bool {
    args.iter().any(Value::is_null)
}

/// The text of an argument that was converted to a text type.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().expect("bind made this parameter a text, and NULL was handled")
}

/// The integer of an argument that was converted to an integer type.
pub(super) fn int(value: &Value) -> i64 {
    value.as_i64().expect("bind made this parameter an integer, and NULL was handled")
}

/// The number of an argument that was converted to `float`.
pub(super) fn float(value: &Value) -> f64 {
    value.as_f64().expect("bind made this parameter a float, and NULL was handled")
}
