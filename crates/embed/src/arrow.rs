//! Results as batches of Arrow.
//!
//! | SQL | Arrow |
//! |---|---|
//! | `bit`, `tinyint`, `smallint`, `int`, `bigint` | Boolean, UInt8, Int16, Int32, Int64 |
//! | `real`, `float` | Float32, Float64 |
//! | `decimal(p, s)`, `smallmoney`, `money` | Decimal128(p, s), (10, 4), (19, 4) |
//! | `date`, `time` | Date32, Time64(ns) |
//! | `smalldatetime`, `datetime` | Timestamp(s), Timestamp(ms): SQL Server's thousandths, which end in 0, 3 and 7 |
//! | `datetime2(s)` | Timestamp(s) for 0, (ms) up to 3, (µs) up to 6, (ns) for 7 |
//! | `datetimeoffset(s)` | the same of the instant in UTC, with the time zone `+00:00`; the offset is lost |
//! | texts, `xml`, `sql_variant` | Utf8 |
//! | `binary`, `varbinary`, `rowversion` | Binary |
//! | `uniqueidentifier` | FixedSizeBinary(16) in the order in which it is written, as `arrow.uuid` |
//!
//! What always holds: a value is the same in Arrow or it is an error. 100 ns are nanoseconds, and Arrow's nanoseconds reach
//! from 1677 to 2262: a `datetime2(7)` beyond that, such as 9999-12-31, is [`Error::Arrow`], unless [`Precision::Microsecond`] is
//! wanted. Each field's metadata says its type under [`SQL_TYPE`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, FixedSizeBinaryBuilder, Float32Builder,
    Float64Builder, Int16Builder, Int32Builder, Int64Builder, StringBuilder, Time64NanosecondBuilder,
    TimestampMicrosecondBuilder, TimestampMillisecondBuilder, TimestampNanosecondBuilder, TimestampSecondBuilder,
    UInt8Builder,
};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use millpond_types::temporal::DAYS_TO_1970;
use millpond_types::{CastRules, Date, MaxLen, SqlType, Value, cast};

use crate::Column;
use crate::asynchronous::{AsyncResultSet, AsyncRows};
use crate::blocking::wait;
use crate::connection::{ResultSet, Rows};
use crate::error::Error;
use crate::parameter::Guid;
use crate::row::Row;

/// The key of a field's metadata that has its type, as `decimal(18,2)`.
pub const SQL_TYPE: &str = "millpond.sql_type";
/// The time zone of instants.
const UTC: &str = "+00:00";
/// Bytes of text of a batch's column at most: Arrow counts them in 31 bits.
const TEXT_BYTES_MAX: usize = i32::MAX as usize;

/// What times of 100 ns become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Nanoseconds: exact, and an error for instants before 1677-09-22 and after 2262-04-11.
    #[default]
    Nanosecond,
    /// Microseconds: all years, and the seventh digit is cut off.
    Microsecond,
}

/// The schema of a result with these columns.
#[must_use]
pub fn schema(columns: &[Column], precision: Precision) -> SchemaRef {
    let fields = columns.iter().map(|column| {
        let mut metadata = HashMap::from([(SQL_TYPE.to_owned(), column.sql_type.declaration())]);
        if column.sql_type == SqlType::UniqueIdentifier {
            metadata.insert("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned());
        }
        Field::new(&column.name, data_type(&column.sql_type, precision), column.nullable).with_metadata(metadata)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn unit(scale: u8, precision: Precision) -> TimeUnit {
    match (scale, precision) {
        (0, _) => TimeUnit::Second,
        (1..=3, _) => TimeUnit::Millisecond,
        (4..=6, _) | (_, Precision::Microsecond) => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    }
}

/// The type of Arrow that a type of SQL becomes.
#[must_use]
pub fn data_type(sql_type: &SqlType, precision: Precision) -> DataType {
    match *sql_type {
        SqlType::Bit => DataType::Boolean,
        SqlType::TinyInt => DataType::UInt8,
        SqlType::SmallInt => DataType::Int16,
        SqlType::Int => DataType::Int32,
        SqlType::BigInt => DataType::Int64,
        SqlType::Real => DataType::Float32,
        SqlType::Float => DataType::Float64,
        SqlType::Decimal { precision, scale, .. } => DataType::Decimal128(precision, scale.cast_signed()),
        SqlType::SmallMoney => DataType::Decimal128(10, 4),
        SqlType::Money => DataType::Decimal128(19, 4),
        SqlType::Date => DataType::Date32,
        SqlType::Time { .. } => DataType::Time64(TimeUnit::Nanosecond),
        SqlType::SmallDateTime => DataType::Timestamp(TimeUnit::Second, None),
        SqlType::DateTime => DataType::Timestamp(TimeUnit::Millisecond, None),
        SqlType::DateTime2 { scale } => DataType::Timestamp(unit(scale, precision), None),
        SqlType::DateTimeOffset { scale } => DataType::Timestamp(unit(scale, precision), Some(UTC.into())),
        SqlType::Char { .. }
        | SqlType::VarChar { .. }
        | SqlType::NChar { .. }
        | SqlType::NVarChar { .. }
        | SqlType::Xml
        | SqlType::Variant => DataType::Utf8,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => DataType::Binary,
        SqlType::UniqueIdentifier => DataType::FixedSizeBinary(16),
    }
}

/// Rows as a batch of a schema that [`schema`] made of their columns.
///
/// # Errors
/// [`Error::Arrow`] for a value that the type of its column does not have, and for a batch whose texts have 2 GB.
pub fn batch(schema: &SchemaRef, rows: &[Row]) -> Result<RecordBatch, Error> {
    let arrays = schema.fields().iter().enumerate().map(|(index, field)| array(field, index, rows));
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
        .map_err(|error| Error::Arrow(error.to_string()))
}

/// A column of rows.
fn array(field: &Field, index: usize, rows: &[Row]) -> Result<ArrayRef, Error> {
    let values = rows.iter().map(|row| &row.values()[index]);
    macro_rules! built {
        ($builder:expr, $value:ident => $made:expr) => {{
            let mut builder = $builder;
            for $value in values {
                match $value {
                    Value::Null => builder.append_null(),
                    $value => builder.append_value($made.ok_or_else(|| unfit(field, $value))?),
                }
            }
            Arc::new(builder.finish()) as ArrayRef
        }};
    }
    let count = rows.len();
    Ok(match field.data_type() {
        DataType::Boolean => built!(BooleanBuilder::with_capacity(count), value => value.as_bool()),
        DataType::UInt8 => built!(UInt8Builder::with_capacity(count), value => narrow(value)),
        DataType::Int16 => built!(Int16Builder::with_capacity(count), value => narrow(value)),
        DataType::Int32 => built!(Int32Builder::with_capacity(count), value => narrow(value)),
        DataType::Int64 => built!(Int64Builder::with_capacity(count), value => value.as_i64()),
        DataType::Float32 => built!(Float32Builder::with_capacity(count), value => match value {
            Value::Real(real) => Some(*real),
            _ => None,
        }),
        DataType::Float64 => built!(Float64Builder::with_capacity(count), value => value.as_f64()),
        DataType::Decimal128(_, scale) => {
            let builder = Decimal128Builder::with_capacity(count).with_data_type(field.data_type().clone());
            built!(builder, value => unscaled(value, scale.cast_unsigned()))
        }
        DataType::Date32 => built!(Date32Builder::with_capacity(count), value => match value {
            Value::Date(date) => Some(days_since_1970(*date)),
            _ => None,
        }),
        DataType::Time64(_) => built!(Time64NanosecondBuilder::with_capacity(count), value => match value {
            Value::Time(time) => i64::try_from(time.ticks * 100).ok(),
            _ => None,
        }),
        DataType::Timestamp(unit, zone) => {
            let zone = zone.clone();
            macro_rules! stamps {
                ($builder:ident) => {
                    built!($builder::with_capacity(count).with_timezone_opt(zone), value => instant(value, *unit))
                };
            }
            match unit {
                TimeUnit::Second => stamps!(TimestampSecondBuilder),
                TimeUnit::Millisecond => stamps!(TimestampMillisecondBuilder),
                TimeUnit::Microsecond => stamps!(TimestampMicrosecondBuilder),
                TimeUnit::Nanosecond => stamps!(TimestampNanosecondBuilder),
            }
        }
        DataType::Utf8 => {
            let bytes: usize = values.clone().map(|value| value.as_str().map_or(0, str::len)).sum();
            fits(field, bytes)?;
            built!(StringBuilder::with_capacity(count, bytes), value => text(value))
        }
        DataType::Binary => {
            let bytes: usize = values.clone().map(|value| value.as_bytes().map_or(0, <[u8]>::len)).sum();
            fits(field, bytes)?;
            built!(BinaryBuilder::with_capacity(count, bytes), value => value.as_bytes())
        }
        DataType::FixedSizeBinary(width) => {
            let mut builder = FixedSizeBinaryBuilder::with_capacity(count, *width);
            for value in values {
                match value {
                    Value::Guid(bytes) => builder
                        .append_value(Guid::of_wire(*bytes).0)
                        .map_err(|error| Error::Arrow(error.to_string()))?,
                    Value::Null => builder.append_null(),
                    other => return Err(unfit(field, other)),
                }
            }
            Arc::new(builder.finish())
        }
        other => return Err(Error::Arrow(format!("column {} has no values of {other}", field.name()))),
    })
}

fn unfit(field: &Field, value: &Value) -> Error {
    let hint = match field.data_type() {
        DataType::Timestamp(TimeUnit::Nanosecond, _) => ": Precision::Microsecond has all years",
        _ => "",
    };
    Error::Arrow(format!("column {}: {value:?} is no value of {}{hint}", field.name(), field.data_type()))
}

fn fits(field: &Field, bytes: usize) -> Result<(), Error> {
    match bytes <= TEXT_BYTES_MAX {
        true => Ok(()),
        false => Err(Error::Arrow(format!("column {}: {bytes} bytes are too many for a batch", field.name()))),
    }
}

fn narrow<T: TryFrom<i64>>(value: &Value) -> Option<T> {
    value.as_i64().and_then(|wide| T::try_from(wide).ok())
}

fn unscaled(value: &Value, scale: u8) -> Option<i128> {
    match value {
        Value::Decimal(decimal) => decimal.rescale(scale).ok().map(|decimal| decimal.unscaled),
        Value::Money(units) => Some(i128::from(*units)),
        _ => None,
    }
}

fn days_since_1970(date: Date) -> i32 {
    date.days - DAYS_TO_1970
}

/// Units since 1970; of a type of 100 ns in microseconds cut towards the past.
pub(crate) fn instant(value: &Value, unit: TimeUnit) -> Option<i64> {
    let ticks = value.ticks_since_1970()?;
    match unit {
        TimeUnit::Second => Some(ticks.div_euclid(10_000_000)),
        TimeUnit::Millisecond => Some(ticks.div_euclid(10_000)),
        TimeUnit::Microsecond => Some(ticks.div_euclid(10)),
        TimeUnit::Nanosecond => ticks.checked_mul(100),
    }
}

/// A text, or what a `sql_variant` holds as CAST makes it `nvarchar(max)`.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Str(text) => Some(text.as_str().into()),
        Value::Variant(variant) => {
            let long = SqlType::NVarChar { len: MaxLen::Max };
            let cast = cast::cast(&variant.value, &variant.base, &long, None, CastRules::DEFAULT).ok()?;
            cast.as_str().map(|text| text.to_owned().into())
        }
        _ => None,
    }
}

impl AsyncResultSet<'_> {
    /// The schema of its batches.
    #[must_use]
    pub fn schema(&self, precision: Precision) -> SchemaRef {
        schema(self.columns(), precision)
    }

    /// The next rows as a batch, as many as came together (1,024 at most); `None` at the end of the set.
    ///
    /// # Errors
    /// As [`next`](AsyncResultSet::next) and [`batch`].
    pub async fn next_batch(&mut self, precision: Precision) -> Result<Option<RecordBatch>, Error> {
        let rows = self.next_rows().await?;
        rows.map(|rows| batch(&self.schema(precision), &rows)).transpose()
    }
}

impl AsyncRows<'_> {
    /// The schema of their batches.
    #[must_use]
    pub fn schema(&self, precision: Precision) -> SchemaRef {
        schema(self.columns(), precision)
    }

    /// The next rows as a batch, as many as came together (1,024 at most); `None` at the end.
    ///
    /// # Errors
    /// As [`next`](AsyncRows::next) and [`batch`].
    pub async fn next_batch(&mut self, precision: Precision) -> Result<Option<RecordBatch>, Error> {
        let rows = self.next_rows().await?;
        rows.map(|rows| batch(&self.schema(precision), &rows)).transpose()
    }
}

impl ResultSet<'_> {
    /// The schema of its batches.
    #[must_use]
    pub fn schema(&self, precision: Precision) -> SchemaRef {
        self.0.schema(precision)
    }

    /// The next rows as a batch, as many as came together (1,024 at most); `None` at the end of the set.
    ///
    /// # Errors
    /// As [`AsyncResultSet::next_batch`].
    pub fn next_batch(&mut self, precision: Precision) -> Result<Option<RecordBatch>, Error> {
        wait(self.0.next_batch(precision))
    }
}

impl Rows<'_> {
    /// The schema of their batches.
    #[must_use]
    pub fn schema(&self, precision: Precision) -> SchemaRef {
        self.rows.schema(precision)
    }

    /// The next rows as a batch, as many as came together (1,024 at most); `None` at the end.
    ///
    /// # Errors
    /// As [`AsyncRows::next_batch`].
    pub fn next_batch(&mut self, precision: Precision) -> Result<Option<RecordBatch>, Error> {
        wait(self.rows.next_batch(precision))
    }
}
