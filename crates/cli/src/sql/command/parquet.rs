//! A result as Parquet.
//!
//! What always holds: every column is optional, since a result may be NULL whatever it says; no digit is lost, and a value that the
//! column's type has no place for ends the file with an error. Rows are kept until a group of them is full ([`GROUP_ROWS`],
//! [`GROUP_BYTES`]), so memory is bounded.
//!
//! | SQL Server | Parquet |
//! |---|---|
//! | `bit`; `tinyint`, `smallint`, `int`; `bigint` | BOOLEAN; INT32 with its width, `tinyint` unsigned; INT64 |
//! | `real`, `float` | FLOAT, DOUBLE |
//! | `decimal(p, s)`, `smallmoney`, `money` | DECIMAL(p, s), (10, 4), (19, 4) in 16 bytes |
//! | `date`, `time` | DATE, TIME(ns) |
//! | `smalldatetime`, `datetime` | TIMESTAMP(ms): SQL Server's thousandths, which end in 0, 3 and 7 |
//! | `datetime2(s)`, `datetimeoffset(s)` | TIMESTAMP(µs) up to 6, TIMESTAMP(ns) for 7, which begins in 1677 and ends in 2262; UTC of the latter |
//! | texts, `xml`, `sql_variant` as text | STRING |
//! | `binary`, `varbinary`, `rowversion` | BYTE_ARRAY |
//! | `uniqueidentifier` | UUID, its bytes as it is written |

use std::io::{self, Write};
use std::sync::Arc;

use millpond_types::format::{swapped_guid, to_display};
use millpond_types::temporal::DAYS_TO_1970;
use millpond_types::{SqlType, Value};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

/// Rows of a group at most.
const GROUP_ROWS: usize = 100_000;
/// Bytes of texts of a group, roughly.
const GROUP_BYTES: usize = 32 << 20;
/// Bytes of a decimal: any of 38 digits fits.
const DECIMAL_BYTES: i32 = 16;
/// Bytes of a UUID.
const UUID_BYTES: i32 = 16;

/// Writes one result.
pub struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Gathered>,
    row_count: u64,
}

/// Values of a column that wait for their group, those that are not NULL.
enum Values {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
    Fixed(Vec<FixedLenByteArray>),
}

struct Gathered {
    name: String,
    sql_type: SqlType,
    /// 1 where a row has a value, 0 where it is NULL.
    present: Vec<i16>,
    values: Values,
    bytes: usize,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a result, whose columns have names of their own.
    ///
    /// # Errors
    /// What the output says.
    pub fn begin(out: W, names: &[String], types: &[SqlType]) -> io::Result<ParquetWriter<W>> {
        let fields = names.iter().zip(types).map(|(name, sql_type)| field(name, sql_type).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(io::Error::other)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("millpond ", env!("CARGO_PKG_VERSION")).to_owned());
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()));
        let columns = names.iter().zip(types).map(|(name, sql_type)| Gathered {
            name: name.clone(),
            sql_type: *sql_type,
            present: Vec::new(),
            values: values_of(sql_type),
            bytes: 0,
        });
        Ok(ParquetWriter { file: file.map_err(io::Error::other)?, columns: columns.collect(), row_count: 0 })
    }

    /// A row.
    ///
    /// # Errors
    /// A value that the type of its column does not have, or what the output says.
    pub fn row(&mut self, values: &[Value]) -> io::Result<()> {
        self.row_count += 1;
        self.columns.iter_mut().zip(values).try_for_each(|(column, value)| column.push(value))?;
        let rows = self.columns.first().map_or(0, |column| column.present.len());
        let bytes: usize = self.columns.iter().map(|column| column.bytes).sum();
        if rows >= GROUP_ROWS || bytes >= GROUP_BYTES { self.write_group().map_err(io::Error::other) } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let missing = || ParquetError::General(format!("column {} has no place in its group", column.name));
            let mut writer = group.next_column()?.ok_or_else(missing)?;
            column.write(writer.untyped())?;
            writer.close()?;
        }
        group.close().map(drop)
    }

    /// Ends it; how many rows it has, and the output.
    ///
    /// # Errors
    /// What the output says.
    pub fn end(mut self) -> io::Result<(u64, W)> {
        if self.columns.first().is_some_and(|column| !column.present.is_empty()) {
            self.write_group().map_err(io::Error::other)?;
        }
        let mut out = self.file.into_inner().map_err(io::Error::other)?;
        out.flush()?;
        Ok((self.row_count, out))
    }
}

/// A column of the schema.
fn field(name: &str, sql_type: &SqlType) -> Result<Type, ParquetError> {
    use LogicalType as Logical;
    let stamp = |scale: u8, is_utc: bool| {
        Logical::timestamp(is_utc, if scale > 6 { TimeUnit::NANOS } else { TimeUnit::MICROS })
    };
    let decimal = |precision: u8, scale: u8| {
        (Physical::FIXED_LEN_BYTE_ARRAY, Some(Logical::decimal(i32::from(scale), i32::from(precision))), DECIMAL_BYTES)
    };
    let (physical, logical, bytes) = match *sql_type {
        SqlType::Bit => (Physical::BOOLEAN, None, 0),
        SqlType::TinyInt => (Physical::INT32, Some(Logical::integer(8, false)), 0),
        SqlType::SmallInt => (Physical::INT32, Some(Logical::integer(16, true)), 0),
        SqlType::Int => (Physical::INT32, Some(Logical::integer(32, true)), 0),
        SqlType::BigInt => (Physical::INT64, Some(Logical::integer(64, true)), 0),
        SqlType::Real => (Physical::FLOAT, None, 0),
        SqlType::Float => (Physical::DOUBLE, None, 0),
        SqlType::Decimal { precision, scale, .. } => decimal(precision, scale),
        SqlType::SmallMoney => decimal(10, 4),
        SqlType::Money => decimal(19, 4),
        SqlType::Date => (Physical::INT32, Some(Logical::Date), 0),
        SqlType::Time { .. } => (Physical::INT64, Some(Logical::time(false, TimeUnit::NANOS)), 0),
        SqlType::SmallDateTime | SqlType::DateTime => {
            (Physical::INT64, Some(Logical::timestamp(false, TimeUnit::MILLIS)), 0)
        }
        SqlType::DateTime2 { scale } => (Physical::INT64, Some(stamp(scale, false)), 0),
        SqlType::DateTimeOffset { scale } => (Physical::INT64, Some(stamp(scale, true)), 0),
        SqlType::Char { .. }
        | SqlType::VarChar { .. }
        | SqlType::NChar { .. }
        | SqlType::NVarChar { .. }
        | SqlType::Xml
        | SqlType::Variant => (Physical::BYTE_ARRAY, Some(Logical::String), 0),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => (Physical::BYTE_ARRAY, None, 0),
        SqlType::UniqueIdentifier => (Physical::FIXED_LEN_BYTE_ARRAY, Some(Logical::Uuid), UUID_BYTES),
    };
    let (precision, scale) = match &logical {
        Some(Logical::Decimal(decimal)) => (decimal.precision, decimal.scale),
        _ => (-1, -1),
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .with_length(bytes)
        .with_precision(precision)
        .with_scale(scale)
        .build()
}

fn values_of(sql_type: &SqlType) -> Values {
    match sql_type {
        SqlType::Bit => Values::Bool(Vec::new()),
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::Date => Values::Int32(Vec::new()),
        SqlType::BigInt
        | SqlType::Time { .. }
        | SqlType::SmallDateTime
        | SqlType::DateTime
        | SqlType::DateTime2 { .. }
        | SqlType::DateTimeOffset { .. } => Values::Int64(Vec::new()),
        SqlType::Real => Values::Float(Vec::new()),
        SqlType::Float => Values::Double(Vec::new()),
        SqlType::Decimal { .. } | SqlType::SmallMoney | SqlType::Money | SqlType::UniqueIdentifier => {
            Values::Fixed(Vec::new())
        }
        _ => Values::Bytes(Vec::new()),
    }
}

impl Gathered {
    fn push(&mut self, value: &Value) -> io::Result<()> {
        self.present.push(i16::from(!value.is_null()));
        if value.is_null() {
            return Ok(());
        }
        let sql_type = &self.sql_type;
        let is_pushed = match &mut self.values {
            Values::Bool(values) => pushed(values, value.as_bool()),
            Values::Int32(values) => {
                let number = match value {
                    Value::Date(date) => Some(date.days - DAYS_TO_1970),
                    value => value.as_i64().and_then(|wide| i32::try_from(wide).ok()),
                };
                pushed(values, number)
            }
            Values::Int64(values) => pushed(values, whole(value, sql_type)),
            Values::Float(values) => pushed(values, if let Value::Real(real) = value { Some(*real) } else { None }),
            Values::Double(values) => pushed(values, if let Value::Float(float) = value { Some(*float) } else { None }),
            Values::Fixed(values) => pushed(values, fixed(value, sql_type).map(|bytes| bytes.to_vec().into())),
            Values::Bytes(values) => {
                let bytes = match value {
                    Value::Str(text) => text.as_bytes().to_vec(),
                    Value::Binary(bytes) => bytes.to_vec(),
                    value => to_display(value, sql_type).into_bytes(),
                };
                self.bytes += bytes.len();
                pushed(values, Some(bytes.into()))
            }
        };
        if is_pushed {
            return Ok(());
        }
        let shown = to_display(value, sql_type);
        let hint = match sql_type {
            SqlType::DateTime2 { scale: 7 } | SqlType::DateTimeOffset { scale: 7 } => {
                ", which has 1677 to 2262 in nanoseconds; a type of 6 digits has all years"
            }
            _ => "",
        };
        Err(io::Error::other(format!("column {}: {shown} has no place in its type{hint}", self.name)))
    }

    /// Writes what is gathered, and has nothing afterwards.
    fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let present = Some(&self.present[..]);
        let written = match (writer, &self.values) {
            (ColumnWriter::BoolColumnWriter(to), Values::Bool(values)) => to.write_batch(values, present, None),
            (ColumnWriter::Int32ColumnWriter(to), Values::Int32(values)) => to.write_batch(values, present, None),
            (ColumnWriter::Int64ColumnWriter(to), Values::Int64(values)) => to.write_batch(values, present, None),
            (ColumnWriter::FloatColumnWriter(to), Values::Float(values)) => to.write_batch(values, present, None),
            (ColumnWriter::DoubleColumnWriter(to), Values::Double(values)) => to.write_batch(values, present, None),
            (ColumnWriter::ByteArrayColumnWriter(to), Values::Bytes(values)) => to.write_batch(values, present, None),
            (ColumnWriter::FixedLenByteArrayColumnWriter(to), Values::Fixed(values)) => {
                to.write_batch(values, present, None)
            }
            _ => Err(ParquetError::General(format!("column {} is of another type than its schema", self.name))),
        };
        self.present.clear();
        self.values = values_of(&self.sql_type);
        self.bytes = 0;
        written.map(drop)
    }
}

/// Adds a value; false where there is none.
fn pushed<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let is_there = value.is_some();
    values.extend(value);
    is_there
}

/// What a column of INT64 has for a value.
fn whole(value: &Value, sql_type: &SqlType) -> Option<i64> {
    match value {
        Value::Time(time) => i64::try_from(time.ticks).ok()?.checked_mul(100),
        Value::SmallDateTime(_) | Value::DateTime(_) => Some(value.ticks_since_1970()?.div_euclid(10_000)),
        Value::DateTime2(_) | Value::DateTimeOffset(_) => {
            let ticks = value.ticks_since_1970()?;
            match sql_type {
                SqlType::DateTime2 { scale: 7 } | SqlType::DateTimeOffset { scale: 7 } => ticks.checked_mul(100),
                _ => Some(ticks.div_euclid(10)),
            }
        }
        value => value.as_i64(),
    }
}

/// A decimal as its unscaled number, the highest byte first; a UUID in the order of its text.
fn fixed(value: &Value, sql_type: &SqlType) -> Option<[u8; 16]> {
    match value {
        Value::Guid(wire) => Some(swapped_guid(*wire)),
        Value::Money(units) => Some(i128::from(*units).to_be_bytes()),
        Value::Decimal(decimal) => match sql_type {
            SqlType::Decimal { scale, .. } => {
                decimal.rescale(*scale).ok().map(|decimal| decimal.unscaled.to_be_bytes())
            }
            _ => None,
        },
        _ => None,
    }
}
