//! From a record to its values. Every offset read from the record is checked before it is used (R2).

use crate::decimal::{Decimal, power};
use crate::row::{HAS_NULL_BITMAP, HAS_VARIABLE, HEADER_BYTES, Place, RowError, RowLayout, bitmap_bytes};
use crate::sql_type::SqlType;
use crate::temporal::{Date, DateTime, DateTime2, SmallDateTime, Time};
use crate::text;
use crate::value::Value;

/// An offset with this bit leads to a value outside the record, which this format does not have.
const OFF_ROW: usize = 0x8000;

/// A record whose frame is checked: the parts named here lie inside it.
pub(super) struct Record<'a, 'l> {
    layout: &'l RowLayout,
    bytes: &'a [u8],
    /// End of the fixed columns.
    fixed_end: usize,
    column_count: usize,
    variable_count: usize,
    /// Where the end offsets of the variable columns begin.
    offsets: usize,
}

impl<'a, 'l> Record<'a, 'l> {
    pub(super) fn open(layout: &'l RowLayout, bytes: &'a [u8]) -> Result<Self, RowError> {
        let status = *bytes.first().ok_or(damaged("empty record"))?;
        if status & HAS_NULL_BITMAP == 0 {
            return Err(damaged("no null bitmap"));
        }
        let fixed_end = read_u16(bytes, HEADER_BYTES - 2)?;
        if fixed_end < HEADER_BYTES {
            return Err(damaged("fixed part ends inside the header"));
        }
        let column_count = read_u16(bytes, fixed_end)?;
        let bitmap_end = fixed_end + 2 + bitmap_bytes(column_count);
        if bitmap_end > bytes.len() {
            return Err(damaged("null bitmap outside the record"));
        }
        let (variable_count, offsets) = variable_part(status, bytes, bitmap_end)?;
        Ok(Self { layout, bytes, fixed_end, column_count, variable_count, offsets })
    }

    pub(super) fn is_null(&self, column: usize) -> Result<bool, RowError> {
        if column >= self.layout.types.len() {
            return Err(RowError::ColumnCount { given: column + 1, wanted: self.layout.types.len() });
        }
        // R3: a column added after the record was written.
        if column >= self.column_count {
            return Ok(true);
        }
        Ok(self.bytes[self.fixed_end + 2 + column / 8] & (1 << (column % 8)) != 0)
    }

    pub(super) fn raw(&self, column: usize) -> Result<Option<&'a [u8]>, RowError> {
        if self.is_null(column)? {
            return Ok(None);
        }
        let (start, end) = match self.layout.places[column] {
            Place::Fixed { start, end } => (start, end),
            Place::Bit { byte, .. } => (byte, byte + 1),
            Place::Variable { index } => return self.variable(index).map(Some),
        };
        if end > self.fixed_end {
            return Err(damaged("fixed column outside the fixed part"));
        }
        Ok(Some(&self.bytes[start..end]))
    }

    pub(super) fn value(&self, column: usize) -> Result<Value, RowError> {
        let Some(bytes) = self.raw(column)? else {
            return Ok(Value::Null);
        };
        if let Place::Bit { mask, .. } = self.layout.places[column] {
            return Ok(Value::Bit(bytes[0] & mask != 0));
        }
        read_value(bytes, &self.layout.types[column])
    }

    fn variable(&self, index: usize) -> Result<&'a [u8], RowError> {
        if index >= self.variable_count {
            return Ok(&[]);
        }
        let start = match index {
            0 => self.offsets + 2 * self.variable_count,
            _ => read_u16(self.bytes, self.offsets + 2 * (index - 1))?,
        };
        let end = read_u16(self.bytes, self.offsets + 2 * index)?;
        if (start | end) & OFF_ROW != 0 {
            return Err(damaged("variable column is stored off-row"));
        }
        self.bytes.get(start..end).ok_or(damaged("variable column outside the record"))
    }
}

/// Count of variable columns and where their offsets begin.
fn variable_part(status: u8, bytes: &[u8], bitmap_end: usize) -> Result<(usize, usize), RowError> {
    if status & HAS_VARIABLE == 0 {
        return Ok((0, bitmap_end));
    }
    let count = read_u16(bytes, bitmap_end)?;
    let offsets = bitmap_end + 2;
    if offsets + 2 * count > bytes.len() {
        return Err(damaged("variable offsets outside the record"));
    }
    Ok((count, offsets))
}

fn damaged(what: &'static str) -> RowError {
    RowError::Damaged { what }
}

fn read_u16(bytes: &[u8], at: usize) -> Result<usize, RowError> {
    match bytes.get(at..at + 2) {
        Some(&[low, high]) => Ok(usize::from(u16::from_le_bytes([low, high]))),
        _ => Err(damaged("offset outside the record")),
    }
}

/// Reads a value from exactly its bytes. The layout gives fixed columns the length of their type.
fn read_value(bytes: &[u8], sql_type: &SqlType) -> Result<Value, RowError> {
    Ok(match *sql_type {
        SqlType::Int => Value::Int(i32::from_le_bytes(array(bytes)?)),
        SqlType::BigInt => Value::BigInt(i64::from_le_bytes(array(bytes)?)),
        SqlType::SmallInt => Value::SmallInt(i16::from_le_bytes(array(bytes)?)),
        SqlType::TinyInt => Value::TinyInt(array::<1>(bytes)?[0]),
        SqlType::Bit => Value::Bit(array::<1>(bytes)?[0] != 0),
        SqlType::Char { .. } | SqlType::VarChar { .. } => Value::Str(text::decode_cp1252(bytes)),
        SqlType::NChar { .. } | SqlType::NVarChar { .. } => read_utf16(bytes)?,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => Value::binary(bytes),
        SqlType::Decimal { precision, scale } => read_decimal(bytes, precision, scale)?,
        SqlType::Money => Value::Money(i64::from_le_bytes(array(bytes)?)),
        SqlType::SmallMoney => Value::Money(i64::from(i32::from_le_bytes(array(bytes)?))),
        SqlType::Float => Value::Float(f64::from_le_bytes(array(bytes)?)),
        SqlType::Real => Value::Real(f32::from_le_bytes(array(bytes)?)),
        SqlType::UniqueIdentifier => Value::Guid(array(bytes)?),
        SqlType::Date => Value::Date(read_date(bytes)?),
        SqlType::Time { scale } => Value::Time(read_time(bytes, scale)?),
        SqlType::DateTime2 { scale } => {
            let (time, date) = bytes.split_at_checked(bytes.len().saturating_sub(3)).unwrap_or((&[], &[]));
            Value::DateTime2(DateTime2 { date: read_date(date)?, time: read_time(time, scale)? })
        }
        SqlType::DateTime => read_datetime(array(bytes)?)?,
        SqlType::SmallDateTime => read_smalldatetime(array(bytes)?)?,
    })
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], RowError> {
    bytes.try_into().map_err(|_| damaged("value of the wrong length"))
}

/// Up to eight little-endian bytes.
fn read_uint(bytes: &[u8]) -> Result<u64, RowError> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len()).ok_or(damaged("value of the wrong length"))?.copy_from_slice(bytes);
    Ok(u64::from_le_bytes(wide))
}

fn read_utf16(bytes: &[u8]) -> Result<Value, RowError> {
    if !bytes.len().is_multiple_of(2) {
        return Err(damaged("odd number of bytes in UTF-16"));
    }
    Ok(Value::Str(text::decode_utf16(bytes)))
}

fn read_decimal(bytes: &[u8], precision: u8, scale: u8) -> Result<Value, RowError> {
    let out_of_range = damaged("decimal out of range");
    let (&sign, magnitude) = bytes.split_first().ok_or(out_of_range)?;
    let mut wide = [0; 16];
    wide.get_mut(..magnitude.len()).ok_or(out_of_range)?.copy_from_slice(magnitude);
    let magnitude = i128::try_from(u128::from_le_bytes(wide)).map_err(|_| out_of_range)?;
    if magnitude >= power(precision) || sign > 1 {
        return Err(out_of_range);
    }
    Ok(Value::Decimal(Decimal { unscaled: if sign == 0 { -magnitude } else { magnitude }, scale }))
}

fn read_date(bytes: &[u8]) -> Result<Date, RowError> {
    let days = i32::try_from(read_uint(bytes)?).map_err(|_| damaged("date out of range"))?;
    Date::from_days(days).ok_or(damaged("date out of range"))
}

fn read_time(bytes: &[u8], scale: u8) -> Result<Time, RowError> {
    let ticks = read_uint(bytes)?.checked_mul(Time::ticks_per_unit(scale));
    ticks.and_then(Time::from_ticks).ok_or(damaged("time out of range"))
}

fn read_datetime(bytes: [u8; 8]) -> Result<Value, RowError> {
    let [t0, t1, t2, t3, d0, d1, d2, d3] = bytes;
    let (ticks, days) = (u32::from_le_bytes([t0, t1, t2, t3]), i32::from_le_bytes([d0, d1, d2, d3]));
    DateTime::new(days, ticks).map(Value::DateTime).ok_or(damaged("datetime out of range"))
}

fn read_smalldatetime([m0, m1, d0, d1]: [u8; 4]) -> Result<Value, RowError> {
    let (minutes, days) = (u16::from_le_bytes([m0, m1]), u16::from_le_bytes([d0, d1]));
    SmallDateTime::new(days, minutes).map(Value::SmallDateTime).ok_or(damaged("smalldatetime out of range"))
}
