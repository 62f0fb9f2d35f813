//! Parameters: Rust's values as values of SQL with their types.
//!
//! What always holds: a parameter is a value and never a part of the text; its type is told to the server as a driver's is, so
//! that conversions are those that SQL Server does for a client.

use std::fmt;

use millpond_types::format::swapped_guid;
use millpond_types::{Date, DateTime, DateTime2, DateTimeOffset, Decimal, MaxLen, SmallDateTime, SqlType, Time, Value};

/// A parameter of a text or of a procedure. [`params!`](crate::params) makes them.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// With its `@`; empty: `@p1`, `@p2` … by its place, and of a procedure the parameter at that place.
    pub(crate) name: String,
    pub(crate) sql_type: SqlType,
    pub(crate) value: Value,
    pub(crate) is_output: bool,
}

impl Parameter {
    /// The parameter of its place: `@p1` is the first one.
    #[must_use]
    pub fn new(value: impl ToSql) -> Parameter {
        let (sql_type, value) = value.to_sql();
        Parameter { name: String::new(), sql_type, value, is_output: false }
    }

    /// A parameter by its name, which begins with `@`.
    #[must_use]
    pub fn named(name: &str, value: impl ToSql) -> Parameter {
        Parameter { name: name.to_owned(), ..Parameter::new(value) }
    }

    /// A value of a type that is said. The value has to be one of that type, or `Null`.
    #[must_use]
    pub fn typed(sql_type: SqlType, value: Value) -> Parameter {
        Parameter { name: String::new(), sql_type, value, is_output: false }
    }

    /// The same under a name, which begins with `@`.
    #[must_use]
    pub fn under(self, name: &str) -> Parameter {
        Parameter { name: name.to_owned(), ..self }
    }

    /// The same as OUTPUT: its value at the end is among the [`outputs`](crate::Outcome::outputs). In a text the variable has
    /// what the text gave it.
    #[must_use]
    pub fn output(self) -> Parameter {
        Parameter { is_output: true, ..self }
    }
}

/// A Rust type whose values are parameters.
pub trait ToSql {
    /// The type, and the value of that type.
    fn to_sql(&self) -> (SqlType, Value);

    /// The type of a NULL of this Rust type.
    fn type_of_null() -> SqlType;
}

macro_rules! to_sql {
    ($($rust:ty => $sql:expr, $variant:ident);+ $(;)?) => {$(
        impl ToSql for $rust {
            fn to_sql(&self) -> (SqlType, Value) {
                ($sql, Value::$variant(*self))
            }

            fn type_of_null() -> SqlType {
                $sql
            }
        }
    )+};
}

to_sql! {
    bool => SqlType::Bit, Bit;
    u8 => SqlType::TinyInt, TinyInt;
    i16 => SqlType::SmallInt, SmallInt;
    i32 => SqlType::Int, Int;
    i64 => SqlType::BigInt, BigInt;
    f32 => SqlType::Real, Real;
    f64 => SqlType::Float, Float;
    Date => SqlType::Date, Date;
    Time => SqlType::Time { scale: 7 }, Time;
    SmallDateTime => SqlType::SmallDateTime, SmallDateTime;
    DateTime => SqlType::DateTime, DateTime;
    DateTime2 => SqlType::DateTime2 { scale: 7 }, DateTime2;
    DateTimeOffset => SqlType::DateTimeOffset { scale: 7 }, DateTimeOffset;
}

/// With as many digits as it has.
impl ToSql for Decimal {
    fn to_sql(&self) -> (SqlType, Value) {
        let scale = self.scale;
        (SqlType::decimal(self.digits().max(scale).max(1), scale), Value::Decimal(*self))
    }

    fn type_of_null() -> SqlType {
        SqlType::decimal(38, 0)
    }
}

/// `nvarchar(4000)`, or `nvarchar(max)` for a longer one, as drivers do: texts of all lengths have one plan.
impl ToSql for &str {
    fn to_sql(&self) -> (SqlType, Value) {
        let units_max = usize::from(SqlType::UNITS_MAX);
        // A byte of UTF-8 is one unit at most, so short texts need not be counted.
        let is_short = self.len() <= units_max || self.encode_utf16().count() <= units_max;
        let len = if is_short { MaxLen::Limited(SqlType::UNITS_MAX) } else { MaxLen::Max };
        (SqlType::NVarChar { len }, Value::str(self))
    }

    fn type_of_null() -> SqlType {
        SqlType::NVarChar { len: MaxLen::Limited(SqlType::UNITS_MAX) }
    }
}

impl ToSql for String {
    fn to_sql(&self) -> (SqlType, Value) {
        self.as_str().to_sql()
    }

    fn type_of_null() -> SqlType {
        <&str>::type_of_null()
    }
}

/// `varbinary(8000)`, or `varbinary(max)` for longer ones.
impl ToSql for &[u8] {
    fn to_sql(&self) -> (SqlType, Value) {
        let is_short = self.len() <= usize::from(SqlType::BYTES_MAX);
        let len = if is_short { MaxLen::Limited(SqlType::BYTES_MAX) } else { MaxLen::Max };
        (SqlType::VarBinary { len }, Value::binary(self))
    }

    fn type_of_null() -> SqlType {
        SqlType::VarBinary { len: MaxLen::Limited(SqlType::BYTES_MAX) }
    }
}

impl ToSql for Vec<u8> {
    fn to_sql(&self) -> (SqlType, Value) {
        self.as_slice().to_sql()
    }

    fn type_of_null() -> SqlType {
        <&[u8]>::type_of_null()
    }
}

/// As what it refers to.
impl<T: ToSql> ToSql for &T {
    fn to_sql(&self) -> (SqlType, Value) {
        T::to_sql(self)
    }

    fn type_of_null() -> SqlType {
        T::type_of_null()
    }
}

/// `None` is NULL.
impl<T: ToSql> ToSql for Option<T> {
    fn to_sql(&self) -> (SqlType, Value) {
        self.as_ref().map_or_else(|| (T::type_of_null(), Value::Null), ToSql::to_sql)
    }

    fn type_of_null() -> SqlType {
        T::type_of_null()
    }
}

/// A `uniqueidentifier` as its 16 bytes in the order in which they are written (RFC 9562), as crates for UUIDs have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    pub(crate) fn of_wire(bytes: [u8; 16]) -> Guid {
        Guid(swapped_guid(bytes))
    }

    pub(crate) fn to_wire(self) -> [u8; 16] {
        swapped_guid(self.0)
    }
}

/// In capital letters, as SQL Server writes it.
impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, byte) in self.0.iter().enumerate() {
            let dash = if matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02X}")?;
        }
        Ok(())
    }
}

impl ToSql for Guid {
    fn to_sql(&self) -> (SqlType, Value) {
        (SqlType::UniqueIdentifier, Value::Guid(self.to_wire()))
    }

    fn type_of_null() -> SqlType {
        SqlType::UniqueIdentifier
    }
}

/// Parameters: `params![1, "white", None::<i32>]` are `@p1`, `@p2`, `@p3`; `params!{"@id" => 1}` have names. Values are those of
/// [`ToSql`]; `params![]` are none.
#[macro_export]
macro_rules! params {
    () => { &[] as &[$crate::Parameter] };
    ($($name:expr => $value:expr),+ $(,)?) => { &[$($crate::Parameter::named($name, $value)),+] };
    ($($value:expr),+ $(,)?) => { &[$($crate::Parameter::new($value)),+] };
}
