//! Rows of results, and how their values are read as Rust's types.
//!
//! What always holds: a value is read as a Rust type that holds all values of its SQL type, or not at all; NULL is read as an
//! `Option`. Rows own their values: none of them is memory of the engine.

use std::any::type_name;
use std::sync::Arc;

use millpond_message::sink::Column;
use millpond_types::{
    Bytes, Date, DateTime, DateTime2, DateTimeOffset, Decimal, SmallDateTime, Text, Time, Value, Variant,
};

use crate::error::Error;
use crate::parameter::Guid;

/// The columns of a result set.
#[derive(Debug)]
pub struct Columns(pub Vec<Column>);

impl Columns {
    /// The name of a column for an error, or its number from 0.
    pub fn label(&self, index: usize) -> String {
        match self.0.get(index) {
            Some(column) if !column.name.is_empty() => column.name.clone(),
            _ => index.to_string(),
        }
    }
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    columns: Arc<Columns>,
    values: Box<[Value]>,
}

impl Row {
    /// Of values that a statement sends. Long ones are copied, since those are charged to the engine's memory.
    pub(crate) fn of(columns: &Arc<Columns>, values: &[Value]) -> Row {
        Row { columns: Arc::clone(columns), values: values.iter().map(own).collect() }
    }

    /// Its columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns.0
    }

    /// Its values, in order.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The value of a column, by its number from 0 or by its name (without regard to case; the first one of that name).
    ///
    /// # Errors
    /// [`Error::NoColumn`]; [`Error::Null`] for NULL where `T` is no `Option`; [`Error::Type`] where `T` cannot hold the values of
    /// the column's type: an `int` is an `i32` or an `i64`, not an `i16`.
    pub fn get<T: FromSql>(&self, column: impl ColumnIndex) -> Result<T, Error> {
        let index = column.find(&self.columns.0).ok_or_else(|| Error::NoColumn(column.text()))?;
        let value = &self.values[index];
        T::from_sql(value).ok_or_else(|| match value {
            Value::Null => Error::Null { column: self.columns.label(index) },
            _ => Error::Type {
                column: self.columns.label(index),
                found: self.columns.0[index].sql_type,
                wanted: type_name::<T>(),
            },
        })
    }
}

pub fn own(value: &Value) -> Value {
    match value {
        Value::Str(text) if text.is_long() => Value::Str(Text::new(text)),
        Value::Binary(bytes) if bytes.is_long() => Value::Binary(Bytes::from(&bytes[..])),
        other => other.clone(),
    }
}

/// What says which column is meant: its number from 0, or its name.
pub trait ColumnIndex {
    /// Its number, if there is such a column.
    fn find(&self, columns: &[Column]) -> Option<usize>;

    /// For errors.
    fn text(&self) -> String;
}

impl ColumnIndex for usize {
    fn find(&self, columns: &[Column]) -> Option<usize> {
        (*self < columns.len()).then_some(*self)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl ColumnIndex for &str {
    fn find(&self, columns: &[Column]) -> Option<usize> {
        let same = |column: &Column| column.name.to_lowercase() == self.to_lowercase();
        columns.iter().position(|column| column.name == *self).or_else(|| columns.iter().position(same))
    }

    fn text(&self) -> String {
        format!("'{self}'")
    }
}

/// A Rust type that values are read as.
pub trait FromSql: Sized {
    /// The value; `None` where it is NULL, or of a type that `Self` does not hold.
    fn from_sql(value: &Value) -> Option<Self>;
}

macro_rules! from_sql {
    ($($rust:ty: $($variant:ident)|+);+ $(;)?) => {$(
        impl FromSql for $rust {
            fn from_sql(value: &Value) -> Option<Self> {
                match value {
                    $(Value::$variant(native) => Some((*native).into()),)+
                    Value::Variant(variant) => Self::from_sql(&variant.value),
                    _ => None,
                }
            }
        }
    )+};
}

from_sql! {
    bool: Bit;
    u8: TinyInt;
    i16: TinyInt | SmallInt;
    i32: TinyInt | SmallInt | Int;
    i64: TinyInt | SmallInt | Int | BigInt;
    f32: Real;
    f64: Real | Float;
    Date: Date;
    Time: Time;
    SmallDateTime: SmallDateTime;
    DateTime: DateTime;
    DateTime2: DateTime2;
    DateTimeOffset: DateTimeOffset;
}

/// `decimal`, and `money` with its four digits.
impl FromSql for Decimal {
    fn from_sql(value: &Value) -> Option<Self> {
        match value {
            Value::Decimal(decimal) => Some(*decimal),
            Value::Money(units) => Decimal::new(i128::from(*units), 4),
            Value::Variant(variant) => Self::from_sql(&variant.value),
            _ => None,
        }
    }
}

/// `char`, `varchar`, `nchar`, `nvarchar`, `xml`.
impl FromSql for String {
    fn from_sql(value: &Value) -> Option<Self> {
        match value {
            Value::Str(text) => Some(text.as_str().to_owned()),
            Value::Variant(variant) => Self::from_sql(&variant.value),
            _ => None,
        }
    }
}

/// `binary`, `varbinary`, `rowversion`.
impl FromSql for Vec<u8> {
    fn from_sql(value: &Value) -> Option<Self> {
        match value {
            Value::Binary(bytes) => Some(bytes.to_vec()),
            Value::Variant(variant) => Self::from_sql(&variant.value),
            _ => None,
        }
    }
}

impl FromSql for Guid {
    fn from_sql(value: &Value) -> Option<Self> {
        match value {
            Value::Guid(bytes) => Some(Guid::of_wire(*bytes)),
            Value::Variant(variant) => Self::from_sql(&variant.value),
            _ => None,
        }
    }
}

/// What a `sql_variant` holds, with its type.
impl FromSql for Variant {
    fn from_sql(value: &Value) -> Option<Self> {
        match value {
            Value::Variant(variant) => Some((**variant).clone()),
            _ => None,
        }
    }
}

/// Any value as it is, NULL too.
impl FromSql for Value {
    fn from_sql(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

/// NULL is `None`.
impl<T: FromSql> FromSql for Option<T> {
    fn from_sql(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_sql(value).map(Some) }
    }
}

/// How a value is estimated against the bound of a piece, in bytes.
pub fn estimate_bytes(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Str(text) => text.len(),
            Value::Binary(bytes) => bytes.len(),
            _ => 0,
        }
}
