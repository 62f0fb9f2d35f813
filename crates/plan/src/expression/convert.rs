//! Values and Arrow arrays: which array a T-SQL type becomes, and the way there and back.
//!
//! C1: the order of an array's native values is the order of the T-SQL values, except for texts and binaries, which have
//! keys ([`crate::expression::text`]). C2: `-0.0` never enters an array, since Arrow distinguishes it from `0.0`
//! and T-SQL does not.
//!
//! ```text
//!   bit              Boolean            money, smallmoney  Int64 (1/10000)
//!   tinyint          UInt8              date               Int64 (days)
//!   smallint int     Int16 Int32        time               Int64 (100 ns)
//!   bigint           Int64              datetime2          Int64 (100 ns since 0001-01-01)
//!   real float       Float32 Float64    datetime           Int64 (1/300 s since 1900-01-01)
//!   decimal(p, s)    Decimal128(p, s)   smalldatetime      Int64 (minutes since 1900-01-01)
//!   char … nvarchar  Utf8               uniqueidentifier   FixedSizeBinary(16), bytes in order of significance
//!   binary …         Binary
//! ```

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryBuilder, BooleanArray, BooleanBuilder, Decimal128Builder, FixedSizeBinaryArray,
    FixedSizeBinaryBuilder, GenericBinaryArray, PrimitiveArray, PrimitiveBuilder, StringArray, StringBuilder,
};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type,
};
use datafusion::common::ScalarValue;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::decimal::Decimal;
use millpond_types::row::{value_from_bytes, value_to_bytes};
use millpond_types::temporal::{Date, DateTime, DateTime2, SmallDateTime, Time};
use millpond_types::{SqlType, Value};

use crate::run::failure;

/// Bytes of a `uniqueidentifier`.
const GUID_BYTES: i32 = 16;
/// Minutes of a day.
const DAY_MINUTES: i64 = 24 * 60;

/// The array type of a T-SQL type.
pub(crate) fn data_type(sql: &SqlType) -> DataType {
    match *sql {
        SqlType::Bit => DataType::Boolean,
        SqlType::TinyInt => DataType::UInt8,
        SqlType::SmallInt => DataType::Int16,
        SqlType::Int => DataType::Int32,
        SqlType::Real => DataType::Float32,
        SqlType::Float => DataType::Float64,
        SqlType::Decimal { precision, scale, .. } => DataType::Decimal128(precision, scale.cast_signed()),
        SqlType::BigInt
        | SqlType::SmallMoney
        | SqlType::Money
        | SqlType::Date
        | SqlType::Time { .. }
        | SqlType::SmallDateTime
        | SqlType::DateTime
        | SqlType::DateTime2 { .. } => DataType::Int64,
        SqlType::Char { .. }
        | SqlType::VarChar { .. }
        | SqlType::NChar { .. }
        | SqlType::NVarChar { .. }
        | SqlType::Xml => DataType::Utf8,
        SqlType::Binary { .. }
        | SqlType::VarBinary { .. }
        | SqlType::RowVersion
        | SqlType::DateTimeOffset { .. }
        | SqlType::Variant => DataType::Binary,
        SqlType::UniqueIdentifier => DataType::FixedSizeBinary(GUID_BYTES),
    }
}

/// Whether values of the type are texts, which compare by a collation.
pub(crate) fn is_text(sql: &SqlType) -> bool {
    matches!(data_type(sql), DataType::Utf8)
}

/// Whether values of the type may be equal although their arrays differ: texts, and binaries, whose zero bytes at the
/// end do not count. Such values group, join and sort by their keys ([`crate::expression::text::key`]).
pub(crate) fn has_key(sql: &SqlType) -> bool {
    matches!(data_type(sql), DataType::Utf8 | DataType::Binary)
}

/// The type in whose stored bytes values lie in an array, for types that no array knows.
pub(crate) fn stored_as(sql: &SqlType) -> Option<SqlType> {
    match sql {
        // One form for all scales, which meet in comparisons.
        SqlType::DateTimeOffset { .. } => Some(SqlType::DateTimeOffset { scale: 7 }),
        SqlType::Variant => Some(SqlType::Variant),
        _ => None,
    }
}

/// The stored bytes of a value of such a type.
fn stored_bytes(value: &Value) -> SqlResult<Vec<u8>> {
    let sql = match value {
        Value::DateTimeOffset(_) => SqlType::DateTimeOffset { scale: 7 },
        _ => SqlType::Variant,
    };
    let mut bytes = Vec::new();
    value_to_bytes(&sql, value, &mut bytes).map_err(|_| wrong_type(value))?;
    Ok(bytes)
}

/// The inverse for a column of the type; other binary columns hold their bytes.
pub(crate) fn value_of_bytes(bytes: &[u8], sql: &SqlType) -> Value {
    match stored_as(sql) {
        Some(stored) => value_from_bytes(&stored, bytes).expect("bytes that stored_bytes made"),
        None => Value::binary(bytes),
    }
}

/// The number that stands for a value in an `Int64` array.
pub(crate) fn long_of(value: &Value) -> Option<i64> {
    Some(match *value {
        Value::BigInt(n) | Value::Money(n) => n,
        Value::Date(date) => i64::from(date.days),
        Value::Time(time) => time.ticks.cast_signed(),
        Value::SmallDateTime(at) => i64::from(at.days) * DAY_MINUTES + i64::from(at.minutes),
        Value::DateTime(at) => i64::from(at.days) * i64::from(DateTime::TICKS_PER_DAY) + i64::from(at.ticks),
        Value::DateTime2(at) => {
            i64::from(at.date.days) * Time::TICKS_PER_DAY.cast_signed() + at.time.ticks.cast_signed()
        }
        _ => return None,
    })
}

/// The inverse of [`long_of`] for a type. The numbers come from values of that type, so they are in its range.
fn value_of_long(n: i64, sql: &SqlType) -> Value {
    match sql {
        SqlType::SmallMoney | SqlType::Money => Value::Money(n),
        SqlType::Date => Value::Date(Date { days: n as i32 }),
        SqlType::Time { .. } => Value::Time(Time { ticks: n.cast_unsigned() }),
        SqlType::SmallDateTime => {
            Value::SmallDateTime(SmallDateTime { days: (n / DAY_MINUTES) as u16, minutes: (n % DAY_MINUTES) as u16 })
        }
        SqlType::DateTime => {
            let day = i64::from(DateTime::TICKS_PER_DAY);
            Value::DateTime(DateTime { days: n.div_euclid(day) as i32, ticks: n.rem_euclid(day) as u32 })
        }
        SqlType::DateTime2 { .. } => {
            let day = Time::TICKS_PER_DAY.cast_signed();
            Value::DateTime2(DateTime2 {
                date: Date { days: (n / day) as i32 },
                time: Time { ticks: (n % day).cast_unsigned() },
            })
        }
        _ => Value::BigInt(n),
    }
}

/// Which byte of a `uniqueidentifier` is the most significant, the second, …: the last group first, then the groups
/// from right to left, each from left to right as it lies in memory.
const GUID_ORDER: [usize; 16] = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];

/// The bytes in order of significance.
pub(crate) fn guid_key(guid: &[u8; 16]) -> [u8; 16] {
    GUID_ORDER.map(|from| guid[from])
}

/// The inverse of [`guid_key`].
pub(crate) fn guid_of_key(key: &[u8]) -> [u8; 16] {
    let mut guid = [0; 16];
    for (&to, &byte) in GUID_ORDER.iter().zip(key) {
        guid[to] = byte;
    }
    guid
}

/// An array under construction.
pub(crate) enum ColumnBuilder {
    Bit(BooleanBuilder),
    TinyInt(PrimitiveBuilder<UInt8Type>),
    SmallInt(PrimitiveBuilder<Int16Type>),
    Int(PrimitiveBuilder<Int32Type>),
    Long(PrimitiveBuilder<Int64Type>),
    Real(PrimitiveBuilder<Float32Type>),
    Float(PrimitiveBuilder<Float64Type>),
    Decimal(Decimal128Builder, u8),
    Text(StringBuilder),
    Binary(BinaryBuilder),
    Guid(FixedSizeBinaryBuilder),
}

/// Bytes of the texts and binaries of a row's builders.
pub(crate) fn bytes_of(builders: &[ColumnBuilder]) -> usize {
    let one = |builder: &ColumnBuilder| match builder {
        ColumnBuilder::Text(texts) => texts.values_slice().len(),
        ColumnBuilder::Binary(binaries) => binaries.values_slice().len(),
        _ => 0,
    };
    builders.iter().map(one).sum()
}

impl ColumnBuilder {
    /// A builder with a capacity of `rows` values.
    pub(crate) fn new(sql: &SqlType, rows: usize) -> ColumnBuilder {
        ColumnBuilder::with_bytes(sql, rows, rows * 8)
    }

    /// The same; its texts or binaries have so many bytes together. One that grows with large values has up to twice as many.
    pub(crate) fn with_bytes(sql: &SqlType, rows: usize, bytes: usize) -> ColumnBuilder {
        match data_type(sql) {
            DataType::Boolean => Self::Bit(BooleanBuilder::with_capacity(rows)),
            DataType::UInt8 => Self::TinyInt(PrimitiveBuilder::with_capacity(rows)),
            DataType::Int16 => Self::SmallInt(PrimitiveBuilder::with_capacity(rows)),
            DataType::Int32 => Self::Int(PrimitiveBuilder::with_capacity(rows)),
            DataType::Float32 => Self::Real(PrimitiveBuilder::with_capacity(rows)),
            DataType::Float64 => Self::Float(PrimitiveBuilder::with_capacity(rows)),
            data_type @ DataType::Decimal128(_, scale) => {
                Self::Decimal(Decimal128Builder::with_capacity(rows).with_data_type(data_type), scale.cast_unsigned())
            }
            DataType::Utf8 => Self::Text(StringBuilder::with_capacity(rows, bytes)),
            DataType::Binary => Self::Binary(BinaryBuilder::with_capacity(rows, bytes)),
            DataType::FixedSizeBinary(width) => Self::Guid(FixedSizeBinaryBuilder::with_capacity(rows, width)),
            _ => Self::Long(PrimitiveBuilder::with_capacity(rows)),
        }
    }

    /// Appends a value of the builder's type, or NULL.
    pub(crate) fn push(&mut self, value: &Value) -> SqlResult<()> {
        match (self, value) {
            (builder, Value::Null) => builder.push_null(),
            (Self::Bit(builder), Value::Bit(bit)) => builder.append_value(*bit),
            (Self::TinyInt(builder), Value::TinyInt(n)) => builder.append_value(*n),
            (Self::SmallInt(builder), Value::SmallInt(n)) => builder.append_value(*n),
            (Self::Int(builder), Value::Int(n)) => builder.append_value(*n),
            (Self::Real(builder), Value::Real(x)) => builder.append_value(*x + 0.0), // C2
            (Self::Float(builder), Value::Float(x)) => builder.append_value(*x + 0.0), // C2
            (Self::Decimal(builder, scale), Value::Decimal(decimal)) => {
                builder.append_value(with_scale(*decimal, *scale)?);
            }
            (Self::Text(builder), Value::Str(text)) => push_text(builder, text)?,
            (Self::Binary(builder), Value::Binary(bytes)) => push_bytes(builder, bytes)?,
            (Self::Binary(builder), Value::DateTimeOffset(_) | Value::Variant(_)) => {
                push_bytes(builder, &stored_bytes(value)?)?;
            }
            (Self::Guid(builder), Value::Guid(guid)) => push_guid(builder, guid)?,
            (Self::Long(builder), value) => match long_of(value) {
                Some(n) => builder.append_value(n),
                None => return Err(wrong_type(value)),
            },
            (_, value) => return Err(wrong_type(value)),
        }
        Ok(())
    }

    /// Appends NULL.
    fn push_null(&mut self) {
        match self {
            Self::Bit(builder) => builder.append_null(),
            Self::TinyInt(builder) => builder.append_null(),
            Self::SmallInt(builder) => builder.append_null(),
            Self::Int(builder) => builder.append_null(),
            Self::Long(builder) => builder.append_null(),
            Self::Real(builder) => builder.append_null(),
            Self::Float(builder) => builder.append_null(),
            Self::Decimal(builder, _) => builder.append_null(),
            Self::Text(builder) => builder.append_null(),
            Self::Binary(builder) => builder.append_null(),
            Self::Guid(builder) => builder.append_null(),
        }
    }

    /// The array; the builder is empty afterwards.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Bit(builder) => Arc::new(builder.finish()),
            Self::TinyInt(builder) => Arc::new(builder.finish()),
            Self::SmallInt(builder) => Arc::new(builder.finish()),
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Long(builder) => Arc::new(builder.finish()),
            Self::Real(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Decimal(builder, _) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Binary(builder) => Arc::new(builder.finish()),
            Self::Guid(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Appends a text; a batch of more than 2 GB of text is out of memory.
fn push_text(builder: &mut StringBuilder, text: &str) -> SqlResult<()> {
    fits(builder.values_slice().len(), text.len())?;
    builder.append_value(text);
    Ok(())
}

/// Appends bytes, within the same bound.
pub(crate) fn push_bytes(builder: &mut BinaryBuilder, bytes: &[u8]) -> SqlResult<()> {
    fits(builder.values_slice().len(), bytes.len())?;
    builder.append_value(bytes);
    Ok(())
}

fn push_guid(builder: &mut FixedSizeBinaryBuilder, guid: &[u8; 16]) -> SqlResult<()> {
    builder.append_value(guid_key(guid)).map_err(|error| failure::internal(&error.to_string()))
}

/// Offsets of Utf8 and Binary arrays have 31 bits.
pub(crate) fn fits(held: usize, more: usize) -> SqlResult<()> {
    if held + more > i32::MAX as usize { Err(failure::out_of_memory()) } else { Ok(()) }
}

fn with_scale(decimal: Decimal, scale: u8) -> SqlResult<i128> {
    if decimal.scale == scale {
        return Ok(decimal.unscaled);
    }
    decimal.rescale(scale).map(|decimal| decimal.unscaled).map_err(|error| failure::internal(&error.to_string()))
}

fn wrong_type(value: &Value) -> SqlError {
    failure::internal(&format!("the value {value:?} is not of its expression's type"))
}

/// Reads the values of an array as T-SQL values.
pub(crate) enum ColumnReader<'a> {
    Bit(&'a BooleanArray),
    TinyInt(&'a PrimitiveArray<UInt8Type>),
    SmallInt(&'a PrimitiveArray<Int16Type>),
    Int(&'a PrimitiveArray<Int32Type>),
    Long(&'a PrimitiveArray<Int64Type>, SqlType),
    Real(&'a PrimitiveArray<Float32Type>),
    Float(&'a PrimitiveArray<Float64Type>),
    Decimal(&'a PrimitiveArray<Decimal128Type>, u8),
    Text(&'a StringArray),
    Binary(&'a GenericBinaryArray<i32>, SqlType),
    Guid(&'a FixedSizeBinaryArray),
}

impl<'a> ColumnReader<'a> {
    /// The reader of an array that holds values of `sql`.
    pub(crate) fn new(array: &'a dyn Array, sql: &SqlType) -> SqlResult<ColumnReader<'a>> {
        let reader = match array.data_type() {
            DataType::Boolean => array.as_boolean_opt().map(Self::Bit),
            DataType::UInt8 => array.as_primitive_opt().map(Self::TinyInt),
            DataType::Int16 => array.as_primitive_opt().map(Self::SmallInt),
            DataType::Int32 => array.as_primitive_opt().map(Self::Int),
            DataType::Int64 => array.as_primitive_opt().map(|array| Self::Long(array, *sql)),
            DataType::Float32 => array.as_primitive_opt().map(Self::Real),
            DataType::Float64 => array.as_primitive_opt().map(Self::Float),
            DataType::Decimal128(_, scale) => {
                array.as_primitive_opt().map(|array| Self::Decimal(array, scale.cast_unsigned()))
            }
            DataType::Utf8 => array.as_string_opt().map(Self::Text),
            DataType::Binary => array.as_binary_opt().map(|array| Self::Binary(array, *sql)),
            DataType::FixedSizeBinary(_) => array.as_fixed_size_binary_opt().map(Self::Guid),
            _ => None,
        };
        reader
            .filter(|_| *array.data_type() == data_type(sql))
            .ok_or_else(|| failure::internal(&format!("a column of {} came as {}", sql, array.data_type())))
    }

    /// The value of a row.
    pub(crate) fn value(&self, row: usize) -> Value {
        if self.array().is_null(row) {
            return Value::Null;
        }
        match self {
            Self::Bit(array) => Value::Bit(array.value(row)),
            Self::TinyInt(array) => Value::TinyInt(array.value(row)),
            Self::SmallInt(array) => Value::SmallInt(array.value(row)),
            Self::Int(array) => Value::Int(array.value(row)),
            Self::Long(array, sql) => value_of_long(array.value(row), sql),
            Self::Real(array) => Value::Real(array.value(row)),
            Self::Float(array) => Value::Float(array.value(row)),
            Self::Decimal(array, scale) => Value::Decimal(Decimal { unscaled: array.value(row), scale: *scale }),
            Self::Text(array) => Value::str(array.value(row)),
            Self::Binary(array, sql) => value_of_bytes(array.value(row), sql),
            Self::Guid(array) => Value::Guid(guid_of_key(array.value(row))),
        }
    }

    fn array(&self) -> &dyn Array {
        match self {
            Self::Bit(array) => *array,
            Self::TinyInt(array) => *array,
            Self::SmallInt(array) => *array,
            Self::Int(array) => *array,
            Self::Long(array, _) => *array,
            Self::Real(array) => *array,
            Self::Float(array) => *array,
            Self::Decimal(array, _) => *array,
            Self::Text(array) => *array,
            Self::Binary(array, _) => *array,
            Self::Guid(array) => *array,
        }
    }
}

/// A value as one scalar.
pub(crate) fn scalar_of(value: &Value, sql: &SqlType) -> SqlResult<ScalarValue> {
    let wrong = || wrong_type(value);
    Ok(match (data_type(sql), value) {
        (data_type, Value::Null) => {
            ScalarValue::try_from(&data_type).map_err(|error| failure::internal(&error.to_string()))?
        }
        (DataType::Boolean, Value::Bit(bit)) => ScalarValue::Boolean(Some(*bit)),
        (DataType::UInt8, Value::TinyInt(n)) => ScalarValue::UInt8(Some(*n)),
        (DataType::Int16, Value::SmallInt(n)) => ScalarValue::Int16(Some(*n)),
        (DataType::Int32, Value::Int(n)) => ScalarValue::Int32(Some(*n)),
        (DataType::Int64, value) => ScalarValue::Int64(Some(long_of(value).ok_or_else(wrong)?)),
        (DataType::Float32, Value::Real(x)) => ScalarValue::Float32(Some(x + 0.0)), // C2
        (DataType::Float64, Value::Float(x)) => ScalarValue::Float64(Some(x + 0.0)), // C2
        (DataType::Decimal128(precision, scale), Value::Decimal(decimal)) => {
            ScalarValue::Decimal128(Some(with_scale(*decimal, scale.cast_unsigned())?), precision, scale)
        }
        (DataType::Utf8, Value::Str(text)) => ScalarValue::Utf8(Some(text.as_str().to_owned())),
        (DataType::Binary, Value::Binary(bytes)) => ScalarValue::Binary(Some(bytes.to_vec())),
        (DataType::Binary, Value::DateTimeOffset(_) | Value::Variant(_)) => {
            ScalarValue::Binary(Some(stored_bytes(value)?))
        }
        (DataType::FixedSizeBinary(bytes), Value::Guid(guid)) => {
            ScalarValue::FixedSizeBinary(bytes, Some(guid_key(guid).to_vec()))
        }
        _ => return Err(wrong()),
    })
}

/// A scalar as a value.
pub(crate) fn value_of_scalar(scalar: &ScalarValue, sql: &SqlType) -> SqlResult<Value> {
    Ok(match scalar {
        ScalarValue::Boolean(Some(bit)) => Value::Bit(*bit),
        ScalarValue::UInt8(Some(n)) => Value::TinyInt(*n),
        ScalarValue::Int16(Some(n)) => Value::SmallInt(*n),
        ScalarValue::Int32(Some(n)) => Value::Int(*n),
        ScalarValue::Int64(Some(n)) => value_of_long(*n, sql),
        ScalarValue::Float32(Some(x)) => Value::Real(*x),
        ScalarValue::Float64(Some(x)) => Value::Float(*x),
        ScalarValue::Decimal128(Some(unscaled), _, scale) => {
            Value::Decimal(Decimal { unscaled: *unscaled, scale: scale.cast_unsigned() })
        }
        ScalarValue::Utf8(Some(text)) => Value::str(text),
        ScalarValue::Binary(Some(bytes)) => value_of_bytes(bytes, sql),
        ScalarValue::FixedSizeBinary(_, Some(key)) => Value::Guid(guid_of_key(key)),
        scalar if scalar.is_null() => Value::Null,
        scalar => return Err(failure::internal(&format!("a scalar of {sql} came as {}", scalar.data_type()))),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::expression::samples::samples;

    #[test]
    fn values_of_all_types_survive_arrays_and_scalars() {
        for (sql, values) in samples() {
            let mut builder = ColumnBuilder::new(&sql, values.len());
            values.iter().for_each(|value| builder.push(value).expect("of the type"));
            builder.push_null();
            let array = builder.finish();
            assert_eq!(*array.data_type(), data_type(&sql));
            let reader = ColumnReader::new(&array, &sql).expect("of the type");
            for (row, value) in values.iter().enumerate() {
                assert_eq!(reader.value(row), *value, "{sql}");
                let scalar = scalar_of(value, &sql).expect("of the type");
                assert_eq!(scalar.data_type(), data_type(&sql));
                assert_eq!(value_of_scalar(&scalar, &sql).expect("of the type"), *value);
            }
            assert_eq!(reader.value(values.len()), Value::Null);
            let null = scalar_of(&Value::Null, &sql).expect("NULL of the type");
            assert_eq!((null.data_type(), value_of_scalar(&null, &sql)), (data_type(&sql), Ok(Value::Null)));
        }
    }

    #[test]
    fn arrays_order_as_values_do() {
        for (sql, values) in samples().into_iter().filter(|(sql, _)| *sql != SqlType::UniqueIdentifier) {
            let scalars: Vec<ScalarValue> =
                values.iter().map(|value| scalar_of(value, &sql).expect("of the type")).collect();
            assert!(scalars.is_sorted(), "{sql}: {scalars:?}");
        }
    }

    #[test]
    fn guids_order_by_their_last_group_first() {
        let of = |place: usize| {
            let mut guid = [0; 16];
            guid[place] = 1;
            guid_key(&guid)
        };
        let by_significance = [10, 15, 8, 9, 6, 7, 4, 5, 0, 3];
        assert!(by_significance.windows(2).all(|pair| of(pair[0]) > of(pair[1])));
    }

    #[test]
    fn a_value_of_another_type_is_an_error_not_a_panic() {
        let mut builder = ColumnBuilder::new(&SqlType::Int, 1);
        assert_eq!(builder.push(&Value::BigInt(1)).map_err(|error| error.number), Err(8630));
        assert_eq!(scalar_of(&Value::str("x"), &SqlType::Money).map_err(|error| error.number), Err(8630));
    }

    #[test]
    fn negative_zero_equals_zero() {
        assert_eq!(scalar_of(&Value::Float(-0.0), &SqlType::Float), scalar_of(&Value::Float(0.0), &SqlType::Float));
    }
}
