//! The stored bytes of values of every type but `sql_variant`, which holds such values.
//!
//! Fixed types take the bytes of their type, variable ones as many as the value needs. Knows no columns.

use crate::decimal::{Decimal, power};
use crate::row::RowError;
use crate::sql_type::{CodePage, MaxLen, SqlType};
use crate::temporal::{Date, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time};
use crate::text;
use crate::value::Value;

/// Writes a value of a fixed type into its bytes; `None` when it is not of the type.
pub(super) fn put_fixed(value: &Value, sql_type: &SqlType, slot: &mut [u8]) -> Option<()> {
    match (value, *sql_type) {
        (Value::Null, _) => slot.fill(0),
        (Value::Str(text), SqlType::Char { page, .. }) => put_char(text, page, slot)?,
        (Value::Int(n), SqlType::Int) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::BigInt(n), SqlType::BigInt) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::SmallInt(n), SqlType::SmallInt) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::TinyInt(n), SqlType::TinyInt) => slot[0] = *n,
        (Value::Str(text), SqlType::NChar { .. }) => put_nchar(text, slot)?,
        (Value::DateTime(v), SqlType::DateTime) => {
            slot[..4].copy_from_slice(&v.ticks.to_le_bytes());
            slot[4..].copy_from_slice(&v.days.to_le_bytes());
        }
        (Value::Decimal(d), SqlType::Decimal { precision, scale, .. }) => put_decimal(*d, precision, scale, slot)?,
        (Value::Money(n), SqlType::Money) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::Money(n), SqlType::SmallMoney) => slot.copy_from_slice(&i32::try_from(*n).ok()?.to_le_bytes()),
        (Value::Float(x), SqlType::Float) => slot.copy_from_slice(&x.to_le_bytes()),
        (Value::Real(x), SqlType::Real) => slot.copy_from_slice(&x.to_le_bytes()),
        (Value::Date(date), SqlType::Date) => put_date(*date, slot),
        (Value::Time(time), SqlType::Time { scale }) => put_time(*time, scale, slot),
        (Value::DateTime2(v), SqlType::DateTime2 { scale }) => put_datetime2(*v, scale, slot),
        (Value::SmallDateTime(v), SqlType::SmallDateTime) => {
            slot[..2].copy_from_slice(&v.minutes.to_le_bytes());
            slot[2..].copy_from_slice(&v.days.to_le_bytes());
        }
        (Value::Guid(guid), SqlType::UniqueIdentifier) => slot.copy_from_slice(guid),
        (Value::Binary(bytes), SqlType::Binary { .. } | SqlType::RowVersion) => put_padded(bytes, slot, 0)?,
        (Value::DateTimeOffset(v), SqlType::DateTimeOffset { scale }) => put_offset(*v, scale, slot),
        (Value::Bit(bit), SqlType::Bit) => slot[0] = u8::from(*bit),
        _ => return None,
    }
    Some(())
}

/// Hot: one copy and one fill, for `char(8000)` most of the cost of an insert.
fn put_char(text: &str, page: CodePage, slot: &mut [u8]) -> Option<()> {
    if page == CodePage::Utf8 || text.is_ascii() {
        return put_padded(text.as_bytes(), slot, b' ');
    }
    if page != CodePage::Cp1252 {
        let mut bytes = Vec::with_capacity(text.len());
        text::encode(text, page, &mut bytes);
        return put_padded(&bytes, slot, b' ');
    }
    let mut bytes = text::cp1252_bytes(text);
    for place in slot.iter_mut() {
        *place = bytes.next().unwrap_or(b' ');
    }
    bytes.next().is_none().then_some(())
}

fn put_padded(bytes: &[u8], slot: &mut [u8], padding: u8) -> Option<()> {
    let (head, tail) = slot.split_at_mut_checked(bytes.len())?;
    head.copy_from_slice(bytes);
    tail.fill(padding);
    Some(())
}

fn put_nchar(text: &str, slot: &mut [u8]) -> Option<()> {
    let mut units = text.encode_utf16();
    for place in slot.chunks_exact_mut(2) {
        place.copy_from_slice(&units.next().unwrap_or(u16::from(b' ')).to_le_bytes());
    }
    units.next().is_none().then_some(())
}

fn put_decimal(d: Decimal, precision: u8, scale: u8, slot: &mut [u8]) -> Option<()> {
    let magnitude = { d.unscaled }.unsigned_abs();
    if d.scale != scale || magnitude >= power(precision).unsigned_abs() {
        return None;
    }
    let (sign, digits) = slot.split_first_mut()?;
    *sign = u8::from(d.unscaled >= 0);
    digits.copy_from_slice(&magnitude.to_le_bytes()[..digits.len()]);
    Some(())
}

fn put_date(date: Date, slot: &mut [u8]) {
    slot.copy_from_slice(&date.days.to_le_bytes()[..3]);
}

fn put_time(time: Time, scale: u8, slot: &mut [u8]) {
    let units = time.ticks / Time::ticks_per_unit(scale);
    slot.copy_from_slice(&units.to_le_bytes()[..slot.len()]);
}

fn put_datetime2(v: DateTime2, scale: u8, slot: &mut [u8]) {
    let (time, date) = slot.split_at_mut(slot.len() - 3);
    put_time(v.time, scale, time);
    put_date(v.date, date);
}

/// The instant in UTC, then the offset.
fn put_offset(v: DateTimeOffset, scale: u8, slot: &mut [u8]) {
    let (utc, offset) = slot.split_at_mut(slot.len() - 2);
    put_datetime2(v.utc(), scale, utc);
    offset.copy_from_slice(&v.offset_minutes.to_le_bytes());
}

/// Writes a value of a variable type into exactly its bytes; `None` when it is not of the type or longer than declared.
pub(super) fn put_variable(value: &Value, sql_type: &SqlType, slot: &mut [u8]) -> Option<()> {
    let (max, unit_bytes) = match *sql_type {
        SqlType::VarChar { len, .. } | SqlType::VarBinary { len } => (len, 1),
        SqlType::NVarChar { len } => (len, 2),
        SqlType::Xml => (MaxLen::Max, 2),
        _ => return None,
    };
    if let MaxLen::Limited(units) = max
        && slot.len() > unit_bytes * usize::from(units)
    {
        return None;
    }
    match (value, sql_type) {
        (Value::Null, _) => {}
        (Value::Str(text), SqlType::VarChar { page, .. }) => put_char(text, *page, slot)?,
        (Value::Str(text), SqlType::NVarChar { .. } | SqlType::Xml) => put_nchar(text, slot)?,
        (Value::Binary(bytes), SqlType::VarBinary { .. }) => slot.copy_from_slice(bytes),
        _ => return None,
    }
    Some(())
}

pub(super) fn damaged(what: &'static str) -> RowError {
    RowError::Damaged { what }
}

/// Reads a value from bytes of any length.
pub(super) fn read_checked(bytes: &[u8], sql_type: &SqlType) -> Result<Value, RowError> {
    if let (Some(len), false) = (sql_type.max_bytes(), sql_type.is_variable_length())
        && len as usize != bytes.len()
    {
        return Err(damaged("value of the wrong length"));
    }
    read_value(bytes, sql_type)
}

/// Reads a value from exactly its bytes. The layout gives fixed columns the length of their type.
pub(super) fn read_value(bytes: &[u8], sql_type: &SqlType) -> Result<Value, RowError> {
    Ok(match *sql_type {
        SqlType::Int => Value::Int(i32::from_le_bytes(array(bytes)?)),
        SqlType::BigInt => Value::BigInt(i64::from_le_bytes(array(bytes)?)),
        SqlType::SmallInt => Value::SmallInt(i16::from_le_bytes(array(bytes)?)),
        SqlType::TinyInt => Value::TinyInt(array::<1>(bytes)?[0]),
        SqlType::Bit => Value::Bit(array::<1>(bytes)?[0] != 0),
        SqlType::Char { page: CodePage::Cp1252, .. } | SqlType::VarChar { page: CodePage::Cp1252, .. } => {
            Value::from(text::decode_cp1252(bytes))
        }
        SqlType::Char { page: CodePage::Utf8, .. } | SqlType::VarChar { page: CodePage::Utf8, .. } => read_utf8(bytes)?,
        SqlType::Char { page, .. } | SqlType::VarChar { page, .. } => Value::from(text::decode(bytes, page)),
        SqlType::NChar { .. } | SqlType::NVarChar { .. } | SqlType::Xml => read_utf16(bytes)?,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => Value::binary(bytes),
        SqlType::RowVersion => Value::binary(&array::<8>(bytes)?),
        SqlType::Variant => return Err(damaged("variant inside a value")),
        SqlType::Decimal { precision, scale, .. } => read_decimal(bytes, precision, scale)?,
        SqlType::Money => Value::Money(i64::from_le_bytes(array(bytes)?)),
        SqlType::SmallMoney => Value::Money(i64::from(i32::from_le_bytes(array(bytes)?))),
        SqlType::Float => Value::Float(f64::from_le_bytes(array(bytes)?)),
        SqlType::Real => Value::Real(f32::from_le_bytes(array(bytes)?)),
        SqlType::UniqueIdentifier => Value::Guid(array(bytes)?),
        SqlType::Date => Value::Date(read_date(bytes)?),
        SqlType::Time { scale } => Value::Time(read_time(bytes, scale)?),
        SqlType::DateTime2 { scale } => Value::DateTime2(read_datetime2(bytes, scale)?),
        SqlType::DateTimeOffset { scale } => Value::DateTimeOffset(read_offset(bytes, scale)?),
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
    Ok(Value::from(text::decode_utf16(bytes)))
}

fn read_utf8(bytes: &[u8]) -> Result<Value, RowError> {
    std::str::from_utf8(bytes).map(Value::str).map_err(|_| damaged("text that is no UTF-8"))
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

fn read_datetime2(bytes: &[u8], scale: u8) -> Result<DateTime2, RowError> {
    let (time, date) = bytes.split_last_chunk::<3>().ok_or(damaged("value of the wrong length"))?;
    Ok(DateTime2 { date: read_date(date)?, time: read_time(time, scale)? })
}

fn read_offset(bytes: &[u8], scale: u8) -> Result<DateTimeOffset, RowError> {
    let (utc, offset) = bytes.split_last_chunk::<2>().ok_or(damaged("value of the wrong length"))?;
    let value = DateTimeOffset::from_utc(read_datetime2(utc, scale)?, i16::from_le_bytes(*offset));
    value.ok_or(damaged("datetimeoffset out of range"))
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
