//! One T-SQL value.

use compact_str::CompactString;

use crate::collation::Collation;
use crate::decimal::Decimal;
use crate::error::EvalError;
use crate::long::{Bytes, Charge, Text};
use crate::sql_type::SqlType;
use crate::temporal::{Date, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time};

/// A value of some [`crate::SqlType`]; `Null` belongs to all of them.
///
/// `char(n)` values are held as the user sees them, padded; a store pads on its own, so a shorter text may be stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// NULL of any type.
    #[default]
    Null,
    /// `bit`
    Bit(bool),
    /// `tinyint`
    TinyInt(u8),
    /// `smallint`
    SmallInt(i16),
    /// `int`
    Int(i32),
    /// `bigint`
    BigInt(i64),
    /// `real`
    Real(f32),
    /// `float`
    Float(f64),
    /// `decimal`; carries its own scale, which equals the type's
    Decimal(Decimal),
    /// `money` and `smallmoney` in 1/10000
    Money(i64),
    /// `date`
    Date(Date),
    /// `time`
    Time(Time),
    /// `smalldatetime`
    SmallDateTime(SmallDateTime),
    /// `datetime`
    DateTime(DateTime),
    /// `datetime2`
    DateTime2(DateTime2),
    /// `datetimeoffset`
    DateTimeOffset(DateTimeOffset),
    /// `char`, `varchar`, `nchar`, `nvarchar`, `xml`
    Str(Text),
    /// `binary`, `varbinary`, `rowversion`
    Binary(Bytes),
    /// `uniqueidentifier`, in the wire's byte order (first three groups little-endian)
    Guid([u8; 16]),
    /// `sql_variant`
    Variant(Box<Variant>),
}

/// What a `sql_variant` holds: a value that is not NULL, with its type.
///
/// V1: `base` is none of `sql_variant`, `xml`, `rowversion` and the `(max)` types.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The value's type.
    pub base: SqlType,
    /// The collation of a text; the default one of other values.
    pub collation: Collation,
    /// The value, of type `base`.
    pub value: Value,
}

// 24 bytes: the tag lives in the spare values of a CompactString's last byte. Rows of values are copied a lot.
const _: () = assert!(size_of::<Value>() == 24);
// Values are computed far more often than they fail, so the error stays out of their way.
const _: () = assert!(size_of::<Result<Value, Box<EvalError>>>() <= size_of::<Value>() + 8);

impl Value {
    /// A character value.
    #[must_use]
    pub fn str(text: &str) -> Self {
        Self::Str(Text::new(text))
    }

    /// A binary value.
    #[must_use]
    pub fn binary(bytes: &[u8]) -> Self {
        Self::Binary(bytes.into())
    }

    /// Whether this is NULL.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether this is a text or bytes of [`LONG_BYTES`](crate::long::LONG_BYTES) or more.
    #[must_use]
    #[inline]
    pub fn is_long(&self) -> bool {
        match self {
            Self::Str(text) => text.is_long(),
            Self::Binary(bytes) => bytes.is_long(),
            _ => false,
        }
    }

    /// Adds a text after a text, or bytes after bytes, where they are; false where that cannot be: for other values,
    /// and for those that have copies.
    ///
    /// # Errors
    /// Those of `take`, which charges a long value; nothing was done then.
    pub fn append<E>(&mut self, more: &Value, take: impl Fn(usize) -> Result<Box<dyn Charge>, E>) -> Result<bool, E> {
        match (self, more) {
            (Self::Str(text), Self::Str(more)) => text.append(more, take),
            (Self::Binary(bytes), Self::Binary(more)) => bytes.append(more, take),
            _ => Ok(false),
        }
    }

    /// Charges a long value, unless it was charged already, with what `take` gives for its bytes.
    ///
    /// # Errors
    /// Those of `take`.
    #[inline]
    pub fn charge<E>(&self, take: impl FnOnce(usize) -> Result<Box<dyn Charge>, E>) -> Result<(), E> {
        match self {
            Self::Str(text) => text.charge(take),
            Self::Binary(bytes) => bytes.charge(take),
            _ => Ok(()),
        }
    }

    /// The integer of a `bit`, `tinyint`, `smallint`, `int` and `bigint`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Bit(bit) => Some(i64::from(bit)),
            Self::TinyInt(n) => Some(i64::from(n)),
            Self::SmallInt(n) => Some(i64::from(n)),
            Self::Int(n) => Some(i64::from(n)),
            Self::BigInt(n) => Some(n),
            _ => None,
        }
    }

    /// The number of a `real` and `float`.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Real(x) => Some(f64::from(x)),
            Self::Float(x) => Some(x),
            _ => None,
        }
    }

    /// The text of a character value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The bytes of a binary value.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The bit of a `bit` value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bit(bit) => Some(bit),
            _ => None,
        }
    }

    /// The instant of a date with a time, in ticks of 100 ns since 1970; UTC of a `datetimeoffset`, and of a `datetime` as it is shown,
    /// in whole milliseconds.
    #[must_use]
    pub fn ticks_since_1970(&self) -> Option<i64> {
        let at = match self {
            Self::DateTime2(at) => *at,
            Self::DateTimeOffset(at) => at.utc(),
            Self::SmallDateTime(at) => at.to_datetime2(),
            Self::DateTime(at) => {
                let date = Date::from_days(at.days + Date::DEFAULT.days)?;
                DateTime2 { date, time: Time { ticks: u64::from(at.milliseconds()) * 10_000 } }
            }
            _ => return None,
        };
        Some(at.ticks_since_1970())
    }

    /// The decimal of a `decimal` value.
    #[must_use]
    pub fn as_decimal(&self) -> Option<Decimal> {
        match *self {
            Self::Decimal(decimal) => Some(decimal),
            _ => None,
        }
    }
}

macro_rules! from_native {
    ($($native:ty => $variant:ident),+ $(,)?) => {$(
        impl From<$native> for Value {
            fn from(native: $native) -> Self {
                Self::$variant(native)
            }
        }
    )+};
}

from_native! {
    bool => Bit, u8 => TinyInt, i16 => SmallInt, i32 => Int, i64 => BigInt, f32 => Real, f64 => Float,
    Decimal => Decimal, Date => Date, Time => Time, SmallDateTime => SmallDateTime, DateTime => DateTime,
    DateTime2 => DateTime2, DateTimeOffset => DateTimeOffset, Text => Str, Bytes => Binary,
}

impl From<CompactString> for Value {
    fn from(text: CompactString) -> Self {
        Self::Str(text.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(text.into())
    }
}

impl From<Variant> for Value {
    fn from(variant: Variant) -> Self {
        Self::Variant(Box::new(variant))
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Binary(bytes.into())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(native: Option<T>) -> Self {
        native.map_or(Self::Null, Into::into)
    }
}
