//! Records into arrays, column by column: a column of all rows of a page at once, from their bytes.
//!
//! The arrays are those of [`crate::expression::convert`], C1 and C2 hold. D1: no value is made of a column of a common type; the
//! others go through [`ColumnBuilder`]. D2: bytes that no value of the type has are an error, as they are one by one.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, ArrowPrimitiveType, BinaryArray, FixedSizeBinaryArray, NullBufferBuilder, PrimitiveArray, StringArray,
};
use datafusion::arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use datafusion::arrow::datatypes::{
    Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type,
};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::row::{RowError, RowLayout};
use millpond_types::temporal::{Date, DateTime, SmallDateTime, Time};
use millpond_types::{CodePage, SqlType, decimal};

use crate::expression::convert;
use crate::expression::convert::{ColumnBuilder, guid_key};
use crate::operator::row_width;
use crate::run::failure;
use crate::scan::record::{PageRow, narrow_text};

/// Stands for a column that has the records themselves.
pub(crate) const RECORD: usize = usize::MAX;

/// An array under construction, of values of one length.
pub(crate) struct Numbers<T> {
    values: Vec<T>,
    nulls: NullBufferBuilder,
}

/// An array under construction, of texts or binaries.
pub(crate) struct Strings {
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

/// A column of a batch under construction.
pub(crate) enum ScanColumn {
    TinyInt(Numbers<u8>),
    SmallInt(Numbers<i16>),
    Int(Numbers<i32>),
    Long(Numbers<i64>, SqlType),
    Real(Numbers<f32>),
    Float(Numbers<f64>),
    Decimal(Numbers<i128>, u8, u8),
    Narrow(Strings, CodePage),
    Wide(Strings),
    Binary(Strings),
    Guid(Numbers<[u8; 16]>),
    Records(Strings),
    /// Bits, types that no array knows, and what is in no record.
    Other(ColumnBuilder),
}

fn damaged(what: &'static str) -> SqlError {
    message::of_row(RowError::Damaged { what })
}

impl<T: Copy + Default> Numbers<T> {
    fn new(rows: usize) -> Numbers<T> {
        Numbers { values: Vec::with_capacity(rows), nulls: NullBufferBuilder::new(rows) }
    }

    /// Appends the values that `read` makes of bytes.
    #[inline]
    fn append<'r, const N: usize>(
        &mut self,
        rows: impl ExactSizeIterator<Item = Option<&'r [u8; N]>>,
        read: impl Fn(&[u8; N]) -> T,
    ) {
        let nulls = &mut self.nulls;
        self.values.extend(rows.map(|bytes| match bytes {
            Some(bytes) => {
                nulls.append_non_null();
                read(bytes)
            }
            None => {
                nulls.append_null();
                T::default()
            }
        }));
    }

    /// As [`Numbers::append`]; `read` says of each value whether it may be.
    #[inline]
    fn append_checked<'r, const N: usize>(
        &mut self,
        rows: impl ExactSizeIterator<Item = Option<&'r [u8; N]>>,
        what: &'static str,
        read: impl Fn(&[u8; N]) -> (T, bool),
    ) -> SqlResult<()> {
        let is_good = std::cell::Cell::new(true);
        self.append(rows, |bytes| {
            let (value, good) = read(bytes);
            is_good.set(is_good.get() & good);
            value
        });
        if is_good.get() { Ok(()) } else { Err(damaged(what)) }
    }

    fn finish<A: ArrowPrimitiveType<Native = T>>(&mut self) -> PrimitiveArray<A>
    where
        T: datafusion::arrow::datatypes::ArrowNativeType,
    {
        PrimitiveArray::new(ScalarBuffer::from(std::mem::take(&mut self.values)), self.nulls.finish())
    }
}

impl Strings {
    fn new(rows: usize, bytes: usize) -> Strings {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Strings { bytes: Vec::with_capacity(bytes), offsets, nulls: NullBufferBuilder::new(rows) }
    }

    /// Appends values as they are.
    fn append<'r>(&mut self, values: impl Iterator<Item = Option<&'r [u8]>>) -> SqlResult<()> {
        for value in values {
            self.nulls.append(value.is_some());
            self.bytes.extend_from_slice(value.unwrap_or_default());
            self.offsets.push(self.bytes.len() as i32);
        }
        self.check_length()
    }

    /// Appends texts of `char` and `varchar`. ASCII is the same in all code pages, and looked for in all texts at once.
    fn append_narrow<'r>(
        &mut self,
        values: impl Iterator<Item = Option<&'r [u8]>> + Clone,
        page: CodePage,
    ) -> SqlResult<()> {
        let (bytes, rows) = (self.bytes.len(), self.offsets.len());
        self.append(values.clone())?;
        if self.bytes[bytes..].is_ascii() {
            return Ok(());
        }
        self.bytes.truncate(bytes);
        self.offsets.truncate(rows);
        for value in values {
            if let Some(value) = value {
                self.bytes.extend_from_slice(narrow_text(value, page)?.as_bytes());
            }
            self.offsets.push(self.bytes.len() as i32);
        }
        self.check_length()
    }

    /// Appends texts of `nchar` and `nvarchar`.
    fn append_wide<'r>(&mut self, values: impl Iterator<Item = Option<&'r [u8]>>) -> SqlResult<()> {
        for value in values {
            self.nulls.append(value.is_some());
            let value = value.unwrap_or_default();
            let (units, []) = value.as_chunks::<2>() else { return Err(damaged("odd number of bytes in UTF-16")) };
            let all = units.iter().fold(0, |all, unit| all | u16::from_le_bytes(*unit));
            if all < 0x80 {
                self.bytes.extend(units.iter().map(|unit| unit[0]));
            } else {
                self.bytes.extend_from_slice(millpond_types::text::decode_utf16(value).as_bytes());
            }
            self.offsets.push(self.bytes.len() as i32);
        }
        self.check_length()
    }

    /// Offsets of arrays have 31 bits.
    fn check_length(&self) -> SqlResult<()> {
        if self.bytes.len() > i32::MAX as usize { Err(failure::out_of_memory()) } else { Ok(()) }
    }

    /// The parts of the array; what comes next has about as many bytes. Of large values no memory is reserved before the next one is
    /// there, since an operator may work at this batch for long.
    fn take(&mut self, rows: usize) -> (OffsetBuffer<i32>, Buffer, Option<datafusion::arrow::buffer::NullBuffer>) {
        let next_bytes =
            if self.bytes.len() > row_width::LARGE_BYTES_MAX { 0 } else { self.bytes.len() + self.bytes.len() / 8 };
        let next = Strings::new(rows, next_bytes);
        let Strings { bytes, offsets, mut nulls } = std::mem::replace(self, next);
        (OffsetBuffer::new(ScalarBuffer::from(offsets)), Buffer::from_vec(bytes), nulls.finish())
    }
}

impl ScanColumn {
    /// A column of a table with a capacity of `rows` values; `stored`: it is in the records.
    pub(crate) fn new(sql: &SqlType, stored: bool, rows: usize) -> ScanColumn {
        if !stored {
            return ScanColumn::Other(ColumnBuilder::new(sql, rows));
        }
        match *sql {
            SqlType::TinyInt => ScanColumn::TinyInt(Numbers::new(rows)),
            SqlType::SmallInt => ScanColumn::SmallInt(Numbers::new(rows)),
            SqlType::Int => ScanColumn::Int(Numbers::new(rows)),
            SqlType::Real => ScanColumn::Real(Numbers::new(rows)),
            SqlType::Float => ScanColumn::Float(Numbers::new(rows)),
            SqlType::Decimal { precision, scale, .. } => ScanColumn::Decimal(Numbers::new(rows), precision, scale),
            SqlType::BigInt
            | SqlType::SmallMoney
            | SqlType::Money
            | SqlType::Date
            | SqlType::Time { .. }
            | SqlType::SmallDateTime
            | SqlType::DateTime
            | SqlType::DateTime2 { .. } => ScanColumn::Long(Numbers::new(rows), *sql),
            SqlType::Char { page, .. } | SqlType::VarChar { page, .. } => {
                ScanColumn::Narrow(Strings::new(rows, rows * 8), page)
            }
            SqlType::NChar { .. } | SqlType::NVarChar { .. } | SqlType::Xml => {
                ScanColumn::Wide(Strings::new(rows, rows * 8))
            }
            SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => {
                ScanColumn::Binary(Strings::new(rows, rows * 8))
            }
            SqlType::UniqueIdentifier => ScanColumn::Guid(Numbers::new(rows)),
            SqlType::Bit | SqlType::DateTimeOffset { .. } | SqlType::Variant => {
                ScanColumn::Other(ColumnBuilder::new(sql, rows))
            }
        }
    }

    /// The records.
    pub(crate) fn records(rows: usize) -> ScanColumn {
        ScanColumn::Records(Strings::new(rows, rows * 64))
    }

    /// Appends the column `column` of all `rows`, which `layout` opened.
    pub(crate) fn append(&mut self, layout: &RowLayout, rows: &[PageRow<'_, '_>], column: usize) -> SqlResult<()> {
        match self {
            Self::TinyInt(numbers) => numbers.append(layout.fixed_column(rows, column), |&[byte]| byte),
            Self::SmallInt(numbers) => {
                numbers.append(layout.fixed_column(rows, column), |bytes| i16::from_le_bytes(*bytes));
            }
            Self::Int(numbers) => {
                numbers.append(layout.fixed_column(rows, column), |bytes| i32::from_le_bytes(*bytes));
            }
            Self::Long(numbers, sql) => append_long(numbers, sql, layout, rows, column)?,
            // C2
            Self::Real(numbers) => {
                numbers.append(layout.fixed_column(rows, column), |bytes| f32::from_le_bytes(*bytes) + 0.0);
            }
            Self::Float(numbers) => {
                numbers.append(layout.fixed_column(rows, column), |bytes| f64::from_le_bytes(*bytes) + 0.0);
            }
            Self::Decimal(numbers, precision, _) => append_decimal(numbers, *precision, layout, rows, column)?,
            Self::Narrow(texts, page) => texts.append_narrow(layout.raw_column(rows, column), *page)?,
            Self::Wide(texts) => texts.append_wide(layout.raw_column(rows, column))?,
            Self::Binary(bytes) => bytes.append(layout.raw_column(rows, column))?,
            Self::Guid(guids) => guids.append(layout.fixed_column(rows, column), guid_key),
            Self::Records(records) => append_records(records, layout, rows)?,
            Self::Other(builder) => {
                for row in rows {
                    let value = if column < layout.types().len() {
                        row.view.column(column).map_err(message::of_row)?
                    } else {
                        row.locator.value()
                    };
                    builder.push(&value)?;
                }
            }
        }
        Ok(())
    }

    /// The array; the next one gets a capacity of `rows` values.
    pub(crate) fn finish(&mut self, rows: usize) -> SqlResult<ArrayRef> {
        let refused = |error: datafusion::arrow::error::ArrowError| failure::internal(&error.to_string());
        let array: ArrayRef = match self {
            Self::TinyInt(numbers) => Arc::new(numbers.finish::<UInt8Type>()),
            Self::SmallInt(numbers) => Arc::new(numbers.finish::<Int16Type>()),
            Self::Int(numbers) => Arc::new(numbers.finish::<Int32Type>()),
            Self::Long(numbers, _) => Arc::new(numbers.finish::<Int64Type>()),
            Self::Real(numbers) => Arc::new(numbers.finish::<Float32Type>()),
            Self::Float(numbers) => Arc::new(numbers.finish::<Float64Type>()),
            Self::Decimal(numbers, precision, scale) => {
                let ty = convert::data_type(&SqlType::decimal(*precision, *scale));
                Arc::new(numbers.finish::<Decimal128Type>().with_data_type(ty))
            }
            Self::Narrow(texts, _) | Self::Wide(texts) => {
                let (offsets, bytes, nulls) = texts.take(rows);
                Arc::new(StringArray::try_new(offsets, bytes, nulls).map_err(refused)?)
            }
            Self::Binary(strings) | Self::Records(strings) => {
                let (offsets, bytes, nulls) = strings.take(rows);
                Arc::new(BinaryArray::try_new(offsets, bytes, nulls).map_err(refused)?)
            }
            Self::Guid(guids) => {
                let bytes = std::mem::take(&mut guids.values).into_flattened();
                let nulls = guids.nulls.finish();
                Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), nulls).map_err(refused)?)
            }
            Self::Other(builder) => builder.finish(),
        };
        self.reserve(rows);
        Ok(array)
    }

    fn reserve(&mut self, rows: usize) {
        match self {
            Self::TinyInt(numbers) => numbers.values.reserve(rows),
            Self::SmallInt(numbers) => numbers.values.reserve(rows),
            Self::Int(numbers) => numbers.values.reserve(rows),
            Self::Long(numbers, _) => numbers.values.reserve(rows),
            Self::Real(numbers) => numbers.values.reserve(rows),
            Self::Float(numbers) => numbers.values.reserve(rows),
            Self::Decimal(numbers, ..) => numbers.values.reserve(rows),
            Self::Guid(guids) => guids.values.reserve(rows),
            Self::Narrow(..) | Self::Wide(_) | Self::Binary(_) | Self::Records(_) | Self::Other(_) => {}
        }
    }
}

/// Appends the records of rows. Where one is older than its table's last column, or has values elsewhere, they are made anew.
fn append_records(records: &mut Strings, layout: &RowLayout, rows: &[PageRow<'_, '_>]) -> SqlResult<()> {
    if rows.iter().all(|row| row.view.is_complete()) {
        return records.append(rows.iter().map(|row| Some(row.view.record())));
    }
    for row in rows {
        let values = (0..layout.types().len()).map(|column| row.view.column(column)).collect::<Result<Vec<_>, _>>();
        let record = values.and_then(|values| layout.encode(&values)).map_err(message::of_row)?;
        records.append(std::iter::once(Some(record.as_slice())))?;
    }
    Ok(())
}

/// Up to eight little-endian bytes.
#[inline]
fn uint<const N: usize>(bytes: &[u8; N]) -> u64 {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(bytes);
    u64::from_le_bytes(wide)
}

/// The days of a date, and whether there is such a day.
#[inline]
fn days(bytes: &[u8; 3]) -> (i64, bool) {
    let days = uint(bytes) as i64;
    (days, days <= i64::from(Date::MAX.days))
}

/// Appends what stands for values in an `Int64` array, see [`convert::long_of`].
fn append_long(
    numbers: &mut Numbers<i64>,
    sql: &SqlType,
    layout: &RowLayout,
    rows: &[PageRow<'_, '_>],
    column: usize,
) -> SqlResult<()> {
    match *sql {
        SqlType::SmallMoney => {
            numbers.append(layout.fixed_column(rows, column), |bytes| i64::from(i32::from_le_bytes(*bytes)));
        }
        SqlType::Date => numbers.append_checked(layout.fixed_column(rows, column), "date out of range", days)?,
        SqlType::SmallDateTime => {
            let read = |&[m0, m1, d0, d1]: &[u8; 4]| {
                let (minutes, days) = (u16::from_le_bytes([m0, m1]), u16::from_le_bytes([d0, d1]));
                let day = SmallDateTime::MINUTES_PER_DAY;
                (i64::from(days) * i64::from(day) + i64::from(minutes), minutes < day)
            };
            numbers.append_checked(layout.fixed_column(rows, column), "smalldatetime out of range", read)?;
        }
        SqlType::DateTime => {
            let read = |&[t0, t1, t2, t3, d0, d1, d2, d3]: &[u8; 8]| {
                let (ticks, days) = (u32::from_le_bytes([t0, t1, t2, t3]), i32::from_le_bytes([d0, d1, d2, d3]));
                let all = i64::from(days) * i64::from(DateTime::TICKS_PER_DAY) + i64::from(ticks);
                (all, DateTime::new(days, ticks).is_some())
            };
            numbers.append_checked(layout.fixed_column(rows, column), "datetime out of range", read)?;
        }
        SqlType::Time { scale } => match sql.max_bytes() {
            Some(3) => append_time::<3>(numbers, scale, layout, rows, column)?,
            Some(4) => append_time::<4>(numbers, scale, layout, rows, column)?,
            _ => append_time::<5>(numbers, scale, layout, rows, column)?,
        },
        SqlType::DateTime2 { scale } => match sql.max_bytes() {
            Some(6) => append_datetime::<6, 3>(numbers, scale, layout, rows, column)?,
            Some(7) => append_datetime::<7, 4>(numbers, scale, layout, rows, column)?,
            _ => append_datetime::<8, 5>(numbers, scale, layout, rows, column)?,
        },
        _ => numbers.append(layout.fixed_column(rows, column), |bytes| i64::from_le_bytes(*bytes)),
    }
    Ok(())
}

/// The ticks of a time of `N` bytes, and whether there is such a time.
#[inline]
fn ticks<const N: usize>(bytes: &[u8; N], unit: u64) -> (i64, bool) {
    // Five bytes by at most 10^7 fit 64 bits; more than a day is damage.
    let ticks = uint(bytes).saturating_mul(unit);
    (ticks.cast_signed(), ticks < Time::TICKS_PER_DAY)
}

fn append_time<const N: usize>(
    numbers: &mut Numbers<i64>,
    scale: u8,
    layout: &RowLayout,
    rows: &[PageRow<'_, '_>],
    column: usize,
) -> SqlResult<()> {
    let unit = Time::ticks_per_unit(scale);
    numbers.append_checked(layout.fixed_column::<N, _>(rows, column), "time out of range", |bytes| ticks(bytes, unit))
}

/// `datetime2`: a time of `T` bytes, then the date.
fn append_datetime<const N: usize, const T: usize>(
    numbers: &mut Numbers<i64>,
    scale: u8,
    layout: &RowLayout,
    rows: &[PageRow<'_, '_>],
    column: usize,
) -> SqlResult<()> {
    let unit = Time::ticks_per_unit(scale);
    let read = |bytes: &[u8; N]| {
        let time = bytes.first_chunk::<T>().expect("T is less than N");
        let date = bytes.last_chunk::<3>().expect("3 is less than N");
        let ((ticks, good_time), (days, good_date)) = (ticks(time, unit), days(date));
        (days.wrapping_mul(Time::TICKS_PER_DAY.cast_signed()).wrapping_add(ticks), good_time & good_date)
    };
    numbers.append_checked(layout.fixed_column::<N, _>(rows, column), "datetime2 out of range", read)
}

/// Decimals are a sign and 4, 8, 12 or 16 bytes.
fn append_decimal(
    numbers: &mut Numbers<i128>,
    precision: u8,
    layout: &RowLayout,
    rows: &[PageRow<'_, '_>],
    column: usize,
) -> SqlResult<()> {
    let sql = SqlType::decimal(precision, 0);
    match sql.max_bytes() {
        Some(5) => append_magnitude::<5>(numbers, precision, layout, rows, column),
        Some(9) => append_magnitude::<9>(numbers, precision, layout, rows, column),
        Some(13) => append_magnitude::<13>(numbers, precision, layout, rows, column),
        _ => append_magnitude::<17>(numbers, precision, layout, rows, column),
    }
}

fn append_magnitude<const N: usize>(
    numbers: &mut Numbers<i128>,
    precision: u8,
    layout: &RowLayout,
    rows: &[PageRow<'_, '_>],
    column: usize,
) -> SqlResult<()> {
    let limit = decimal::power(precision).unsigned_abs();
    let read = |bytes: &[u8; N]| {
        let mut wide = [0; 16];
        wide[..N - 1].copy_from_slice(&bytes[1..]);
        let magnitude = u128::from_le_bytes(wide);
        let value = magnitude.cast_signed();
        (if bytes[0] == 0 { value.wrapping_neg() } else { value }, magnitude < limit && bytes[0] <= 1)
    };
    numbers.append_checked(layout.fixed_column::<N, _>(rows, column), "decimal out of range", read)
}

#[cfg(test)]
pub(crate) mod tests {
    use millpond_access::Rid;
    use millpond_types::decimal::Decimal;
    use millpond_types::{MaxLen, Value};

    use super::*;
    use crate::expression::convert::ColumnReader;
    use crate::scan::record::Locator;

    /// Types whose columns are read and written without values.
    pub(crate) fn types() -> Vec<SqlType> {
        let mut types = vec![
            SqlType::Bit,
            SqlType::TinyInt,
            SqlType::SmallInt,
            SqlType::Int,
            SqlType::BigInt,
            SqlType::SmallMoney,
            SqlType::Money,
            SqlType::Real,
            SqlType::Float,
            SqlType::Date,
            SqlType::SmallDateTime,
            SqlType::DateTime,
            SqlType::UniqueIdentifier,
            SqlType::char(9),
            SqlType::varchar(30),
            SqlType::NChar { len: 9 },
            SqlType::NVarChar { len: MaxLen::Limited(30) },
            SqlType::VarBinary { len: MaxLen::Limited(30) },
            SqlType::Binary { len: 5 },
        ];
        types.extend([5, 9, 10, 19, 20, 28, 29, 38].map(|precision| SqlType::decimal(precision, 2)));
        types.extend((0..=7).map(|scale| SqlType::Time { scale }));
        types.extend((0..=7).map(|scale| SqlType::DateTime2 { scale }));
        types
    }

    /// Values of a type, NULL among them.
    pub(crate) fn samples(sql: &SqlType) -> Vec<Value> {
        let datetime = |scale: u8, days: i32| {
            let ticks = 123_456_789_012 / Time::ticks_per_unit(scale) * Time::ticks_per_unit(scale);
            (Date { days }, Time { ticks })
        };
        let mut samples = match *sql {
            SqlType::Bit => vec![Value::Bit(true), Value::Bit(false)],
            SqlType::TinyInt => vec![Value::TinyInt(255)],
            SqlType::SmallInt => vec![Value::SmallInt(-300), Value::SmallInt(i16::MAX)],
            SqlType::Int => vec![Value::Int(-70_000), Value::Int(i32::MIN)],
            SqlType::BigInt => vec![Value::BigInt(i64::MIN), Value::BigInt(5)],
            SqlType::SmallMoney => vec![Value::Money(-12_345)],
            SqlType::Money => vec![Value::Money(i64::MAX)],
            SqlType::Real => vec![Value::Real(1.5)],
            SqlType::Float => vec![Value::Float(-2.25)],
            SqlType::Date => vec![Value::Date(Date::MAX), Value::Date(Date { days: 0 })],
            SqlType::SmallDateTime => vec![Value::SmallDateTime(SmallDateTime { days: 40_000, minutes: 1439 })],
            SqlType::DateTime => vec![Value::DateTime(DateTime { days: -53_000, ticks: 25_919_999 })],
            SqlType::UniqueIdentifier => vec![Value::Guid(std::array::from_fn(|byte| byte as u8))],
            SqlType::Char { .. } | SqlType::NChar { .. } => vec![Value::str("abc      "), Value::str("Größe    ")],
            SqlType::VarChar { .. } => vec![Value::str(""), Value::str("plain"), Value::str("10 € für")],
            SqlType::NVarChar { .. } => vec![Value::str("plain"), Value::str("日本 €")],
            SqlType::Binary { .. } => vec![Value::binary(&[0, 1, 2, 255, 0])],
            SqlType::VarBinary { .. } => vec![Value::binary(&[]), Value::binary(&[0, 200, 0])],
            SqlType::Decimal { precision, scale, .. } => {
                let most = decimal::power(precision) - 1;
                [most, -most, 0, 7].map(|unscaled| Value::Decimal(Decimal { unscaled, scale })).to_vec()
            }
            SqlType::Time { scale } => vec![Value::Time(datetime(scale, 0).1)],
            SqlType::DateTime2 { scale } => [0, 3_652_058]
                .map(|days| {
                    let (date, time) = datetime(scale, days);
                    Value::DateTime2(millpond_types::temporal::DateTime2 { date, time })
                })
                .to_vec(),
            _ => Vec::new(),
        };
        samples.insert(1, Value::Null);
        samples
    }

    fn decoded(layout: &RowLayout, records: &[Vec<u8>], column: usize) -> SqlResult<Vec<Value>> {
        let sql = layout.types()[column];
        let mut arrays = ScanColumn::new(&sql, true, 2);
        let rid = Rid::from_u64(0);
        let rows: Vec<PageRow<'_, '_>> = records
            .iter()
            .map(|record| PageRow { view: layout.open(record).expect("sound"), locator: Locator::Rid(rid) })
            .collect();
        // As from two pages.
        let (first, second) = rows.split_at(1);
        arrays.append(layout, first, column)?;
        arrays.append(layout, second, column)?;
        let array = arrays.finish(0)?;
        let reader = ColumnReader::new(&array, &sql)?;
        Ok((0..records.len()).map(|row| reader.value(row)).collect())
    }

    #[test]
    fn columns_of_all_types_come_as_they_were_written() {
        for sql in types() {
            let layout = RowLayout::new(&[SqlType::Int, sql, SqlType::varchar(5)]);
            let samples = samples(&sql);
            let records: Vec<Vec<u8>> = samples
                .iter()
                .map(|value| layout.encode(&[Value::Int(1), value.clone(), Value::str("x")]).expect("fits"))
                .collect();
            assert_eq!(decoded(&layout, &records, 1).expect("sound records"), samples, "{sql}");
        }
    }

    #[test]
    fn impossible_bytes_are_an_error() {
        for sql in [
            SqlType::Date,
            SqlType::DateTime,
            SqlType::SmallDateTime,
            SqlType::Time { scale: 7 },
            SqlType::DateTime2 { scale: 3 },
            SqlType::decimal(5, 0),
        ] {
            let layout = RowLayout::new(&[sql]);
            let mut record = layout.encode(&samples(&sql)[..1]).expect("fits");
            let bytes = sql.max_bytes().expect("fixed") as usize;
            record[4..4 + bytes].fill(0xff);
            assert!(decoded(&layout, &[record.clone(), record], 0).is_err(), "{sql}");
        }
    }
}
