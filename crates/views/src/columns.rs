//! Types of the columns of system views, as types of Rust, and short words for values of them. `bool`, `u8`, `i16`, `i32`, `i64`,
//! `f32` and `f64` are `bit`, `tinyint`, `smallint`, `int`, `bigint`, `real` and `float`; `Option` of a type may be NULL.
//!
//! What always holds: a number that its column cannot hold is shown as the largest that it can.

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_types::collation::Collation;
use millpond_types::{
    Bytes, DateTime, DateTime2, DateTimeOffset, Decimal, MaxLen, SmallDateTime, SqlType, Text, Time, Value,
};

use super::row::Column;

/// `$type => $sql, $value`: the type, its type in SQL, and how a value of it becomes one of SQL.
macro_rules! column_types {
    ($($type:ty => $sql:expr, $value:expr;)*) => {
        $(impl Column for $type {
            const SQL: SqlType = $sql;

            fn value(self) -> Value {
                ($value)(self)
            }
        })*
    };
}

column_types! {
    bool => SqlType::Bit, Value::Bit;
    u8 => SqlType::TinyInt, Value::TinyInt;
    i16 => SqlType::SmallInt, Value::SmallInt;
    i32 => SqlType::Int, Value::Int;
    i64 => SqlType::BigInt, Value::BigInt;
    f32 => SqlType::Real, Value::Real;
    f64 => SqlType::Float, Value::Float;
    DateTime => SqlType::DateTime, Value::DateTime;
    DateTime2 => SqlType::DateTime2 { scale: 7 }, Value::DateTime2;
    SmallDateTime => SqlType::SmallDateTime, Value::SmallDateTime;
    Time => SqlType::Time { scale: 7 }, Value::Time;
    DateTimeOffset => SqlType::DateTimeOffset { scale: 7 }, Value::DateTimeOffset;
    Guid => SqlType::UniqueIdentifier, |guid: Guid| Value::Guid(guid.0);
    Variant => SqlType::Variant, |variant: Variant| variant.0;
    RowVersion => SqlType::RowVersion, |version: RowVersion| Value::Binary(version.0);
}

/// `uniqueidentifier`
pub(crate) struct Guid(pub [u8; 16]);

/// `numeric(n, 0)`
pub(crate) struct Numeric<const N: u8>(pub Decimal);

/// An LSN as a number.
pub(crate) type LsnNumber = Numeric<25>;

impl<const N: u8> Column for Numeric<N> {
    const SQL: SqlType = SqlType::numeric(N, 0);

    fn value(self) -> Value {
        Value::Decimal(self.0)
    }
}

/// `sql_variant`: a value of that type.
pub(crate) struct Variant(pub Value);

impl Variant {
    /// A value with its base type; a text has the default collation.
    pub(crate) fn of(base: SqlType, value: Value) -> Variant {
        Variant(millpond_types::Variant { base, collation: Collation::default(), value }.into())
    }
}

/// `rowversion`
pub(crate) struct RowVersion(pub Bytes);

/// A type of texts.
pub(crate) trait OfText {
    /// The text as a value of the type.
    fn of(text: Text) -> Self;
}

/// A type of bytes.
pub(crate) trait OfBytes {
    /// The bytes as a value of the type.
    fn of(bytes: Bytes) -> Self;
}

/// `$type(length) => $sql`: types of texts or bytes, by their length or without one.
macro_rules! long_types {
    ($held:ident $trait:ident $variant:ident: $($doc:literal $type:ident $(($length:ident))? => $sql:expr;)*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Default)]
            pub(crate) struct $type $(<const $length: u16>)? ($held);

            impl $(<const $length: u16>)? $trait for $type $(<$length>)? {
                fn of(value: $held) -> Self {
                    Self(value)
                }
            }

            impl $(<const $length: u16>)? Column for $type $(<$length>)? {
                const SQL: SqlType = $sql;

                fn value(self) -> Value {
                    Value::$variant(self.0)
                }
            }
        )*
    };
}

long_types! { Text OfText Str:
    "`char(n)`: the value has its blanks." Char(N) => SqlType::char(N);
    "`nchar(n)`: the value has its blanks." NChar(N) => SqlType::NChar { len: N };
    "`varchar(max)`" VarCharMax => SqlType::varchar_of(MaxLen::Max);
    "`varchar(n)`" VarChar(N) => SqlType::varchar(N);
    "`nvarchar(n)`" NVarChar(N) => SqlType::NVarChar { len: MaxLen::Limited(N) };
    "`xml`" Xml => SqlType::Xml;
    "`nvarchar(max)`" NVarCharMax => SqlType::NVarChar { len: MaxLen::Max };
}

long_types! { Bytes OfBytes Binary:
    "`binary(n)`" Binary(N) => SqlType::Binary { len: N };
    "`varbinary(n)`" VarBinary(N) => SqlType::VarBinary { len: MaxLen::Limited(N) };
    "`varbinary(max)`" VarBinaryMax => SqlType::VarBinary { len: MaxLen::Max };
}

/// `sysname`
pub(crate) type Sysname = NVarChar<128>;

pub(super) fn small(value: impl TryInto<i16>) -> i16 {
    value.try_into().unwrap_or(i16::MAX)
}

pub(super) fn int(value: impl TryInto<i32>) -> i32 {
    value.try_into().unwrap_or(i32::MAX)
}

pub(super) fn big(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

pub(super) fn text<T: OfText>(value: &str) -> T {
    T::of(value.into())
}

/// A text as `nchar(n)`: cut after so many UTF-16 units, never within a character, or filled with blanks.
pub(super) fn wide<const N: u16>(value: &str) -> NChar<N> {
    let (mut padded, mut units) = (String::new(), 0);
    for character in value.chars() {
        let more = units + character.len_utf16();
        if more > usize::from(N) {
            break;
        }
        padded.push(character);
        units = more;
    }
    padded.extend(std::iter::repeat_n(' ', usize::from(N) - units));
    text(&padded)
}

/// A type of objects, with its blanks.
pub(super) fn padded2(kind: &str) -> Char<2> {
    text(&format!("{kind:<2}"))
}

/// Text, or NULL.
pub(super) fn maybe<T: OfText>(value: Option<&str>) -> Option<T> {
    value.map(text)
}

pub(super) fn bytes<T: OfBytes>(value: &[u8]) -> T {
    T::of(value.into())
}

/// A time, microseconds since 1970, as XML of events has it: `2026-01-31T12:00:00.123`.
pub(super) fn iso_text(us: i64) -> String {
    let at = datetime_of(us);
    let ((year, month, day), ms) = (at.to_datetime2().date.civil(), at.milliseconds());
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}", ms % 1000)
}

/// A point in time (microseconds since 1970) as `datetime`; one out of its range is its last.
pub(super) fn datetime_of(us: i64) -> DateTime {
    DateTime::from_datetime2(datetime2_of_unix_us(us)).unwrap_or(DateTime::MAX)
}

/// Whether a filter argument (NULL and -1 mean all) admits a number.
pub(super) fn admits(filter: Option<&Value>, number: u16) -> bool {
    match filter.and_then(Value::as_i64) {
        None | Some(-1) => true,
        Some(wanted) => wanted == i64::from(number),
    }
}
