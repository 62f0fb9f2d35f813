//! From a row to its record, in one pass into the caller's bytes.
//!
//! NULL leaves zeros in a fixed column, so that equal rows have equal records and no old bytes shine through.

use crate::decimal::{Decimal, power};
use crate::row::{
    HAS_NULL_BITMAP, HAS_VARIABLE, HEADER_BYTES, MAX_RECORD_BYTES, Place, RowError, RowLayout, bitmap_bytes,
};
use crate::sql_type::{MaxLen, SqlType};
use crate::temporal::{Date, Time};
use crate::text;
use crate::value::Value;

/// Sizes that depend on the row's values.
pub(super) struct Measure {
    pub(super) record_bytes: usize,
    /// Variable columns up to the last that has bytes.
    variable_count: usize,
}

/// Counts the bytes of the variable columns.
pub(super) fn measure(layout: &RowLayout, row: &[Value]) -> Measure {
    let (mut data_bytes, mut variable_count) = (0, 0);
    for (value, place, sql_type) in columns(layout, row) {
        let Place::Variable { index } = *place else {
            continue;
        };
        let bytes = variable_bytes(value, sql_type);
        if bytes > 0 {
            data_bytes += bytes;
            variable_count = index + 1;
        }
    }
    let offsets_bytes = if variable_count == 0 { 0 } else { 2 + 2 * variable_count };
    Measure { record_bytes: layout.max_fixed_len() + offsets_bytes + data_bytes, variable_count }
}

fn columns<'a>(layout: &'a RowLayout, row: &'a [Value]) -> impl Iterator<Item = (&'a Value, &'a Place, &'a SqlType)> {
    row.iter().zip(&layout.places).zip(&layout.types).map(|((value, place), sql_type)| (value, place, sql_type))
}

fn variable_bytes(value: &Value, sql_type: &SqlType) -> usize {
    match value {
        Value::Str(text) if sql_type.is_unicode() => 2 * text::utf16_len(text),
        Value::Str(text) => text::utf16_len(text),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    }
}

pub(super) fn encode_into(layout: &RowLayout, row: &[Value], out: &mut [u8]) -> Result<usize, RowError> {
    if row.len() != layout.types.len() {
        return Err(RowError::ColumnCount { given: row.len(), wanted: layout.types.len() });
    }
    let measure = if layout.variable_count == 0 {
        Measure { record_bytes: layout.max_fixed_len(), variable_count: 0 }
    } else {
        measure(layout, row)
    };
    let bytes = measure.record_bytes;
    if bytes > MAX_RECORD_BYTES {
        return Err(RowError::TooLong { bytes });
    }
    let record = out.get_mut(..bytes).ok_or(RowError::BufferTooShort { bytes })?;
    write_frame(layout, record, measure.variable_count);
    write_columns(layout, row, record, measure.variable_count)?;
    Ok(bytes)
}

/// Everything but the columns; the null bitmap is cleared.
fn write_frame(layout: &RowLayout, record: &mut [u8], variable_count: usize) {
    record[0] = if variable_count == 0 { HAS_NULL_BITMAP } else { HAS_NULL_BITMAP | HAS_VARIABLE };
    record[1] = 0;
    // All sizes are below MAX_RECORD_BYTES here, so they fit 16 bits.
    put_u16(record, HEADER_BYTES - 2, layout.fixed_end);
    put_u16(record, layout.fixed_end, layout.types.len());
    let bitmap = layout.bitmap_start()..layout.max_fixed_len();
    record[bitmap].fill(0);
    if variable_count > 0 {
        put_u16(record, layout.max_fixed_len(), variable_count);
    }
}

fn write_columns(layout: &RowLayout, row: &[Value], record: &mut [u8], variable_count: usize) -> Result<(), RowError> {
    let bitmap_start = layout.bitmap_start();
    debug_assert_eq!(bitmap_start + bitmap_bytes(row.len()), layout.max_fixed_len());
    let offsets = layout.max_fixed_len() + 2;
    let mut data_end = offsets + 2 * variable_count;
    for (column, (value, place, sql_type)) in columns(layout, row).enumerate() {
        if value.is_null() {
            record[bitmap_start + column / 8] |= 1 << (column % 8);
        }
        let written = match *place {
            Place::Fixed { start, end } => put_fixed(value, sql_type, &mut record[start..end]),
            Place::Bit { byte, mask } => put_bit(value, &mut record[byte], mask),
            Place::Variable { index } if index < variable_count => {
                let start = data_end;
                data_end += variable_bytes(value, sql_type);
                put_u16(record, offsets + 2 * index, data_end);
                put_variable(value, sql_type, &mut record[start..data_end])
            }
            Place::Variable { .. } => put_variable(value, sql_type, &mut []),
        };
        written.ok_or(RowError::WrongValue { column })?;
    }
    Ok(())
}

fn put_u16(record: &mut [u8], at: usize, n: usize) {
    record[at..at + 2].copy_from_slice(&(n as u16).to_le_bytes());
}

/// The first column of a shared byte clears it; the others follow in column order.
fn put_bit(value: &Value, byte: &mut u8, mask: u8) -> Option<()> {
    if mask == 1 {
        *byte = 0;
    }
    match value {
        Value::Bit(true) => *byte |= mask,
        Value::Bit(false) | Value::Null => {}
        _ => return None,
    }
    Some(())
}

/// Writes a value of a fixed type into its bytes; `None` when it is not of the type.
fn put_fixed(value: &Value, sql_type: &SqlType, slot: &mut [u8]) -> Option<()> {
    match (value, *sql_type) {
        (Value::Null, _) => slot.fill(0),
        (Value::Str(text), SqlType::Char { .. }) => put_char(text, slot)?,
        (Value::Int(n), SqlType::Int) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::BigInt(n), SqlType::BigInt) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::SmallInt(n), SqlType::SmallInt) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::TinyInt(n), SqlType::TinyInt) => slot[0] = *n,
        (Value::Str(text), SqlType::NChar { .. }) => put_nchar(text, slot)?,
        (Value::DateTime(v), SqlType::DateTime) => {
            slot[..4].copy_from_slice(&v.ticks.to_le_bytes());
            slot[4..].copy_from_slice(&v.days.to_le_bytes());
        }
        (Value::Decimal(d), SqlType::Decimal { precision, scale }) => put_decimal(*d, precision, scale, slot)?,
        (Value::Money(n), SqlType::Money) => slot.copy_from_slice(&n.to_le_bytes()),
        (Value::Money(n), SqlType::SmallMoney) => slot.copy_from_slice(&i32::try_from(*n).ok()?.to_le_bytes()),
        (Value::Float(x), SqlType::Float) => slot.copy_from_slice(&x.to_le_bytes()),
        (Value::Real(x), SqlType::Real) => slot.copy_from_slice(&x.to_le_bytes()),
        (Value::Date(date), SqlType::Date) => put_date(*date, slot),
        (Value::Time(time), SqlType::Time { scale }) => put_time(*time, scale, slot),
        (Value::DateTime2(v), SqlType::DateTime2 { scale }) => {
            let (time, date) = slot.split_at_mut(slot.len() - 3);
            put_time(v.time, scale, time);
            put_date(v.date, date);
        }
        (Value::SmallDateTime(v), SqlType::SmallDateTime) => {
            slot[..2].copy_from_slice(&v.minutes.to_le_bytes());
            slot[2..].copy_from_slice(&v.days.to_le_bytes());
        }
        (Value::Guid(guid), SqlType::UniqueIdentifier) => slot.copy_from_slice(guid),
        (Value::Binary(bytes), SqlType::Binary { .. }) => put_padded(bytes, slot, 0)?,
        _ => return None,
    }
    Some(())
}

/// Hot: one copy and one fill, for `char(8000)` most of the cost of an insert.
fn put_char(text: &str, slot: &mut [u8]) -> Option<()> {
    if text.is_ascii() {
        return put_padded(text.as_bytes(), slot, b' ');
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

/// Writes a value of a variable type into exactly its bytes; `None` when it is not of the type or longer than declared.
fn put_variable(value: &Value, sql_type: &SqlType, slot: &mut [u8]) -> Option<()> {
    let (max, unit_bytes) = match *sql_type {
        SqlType::VarChar { len } | SqlType::VarBinary { len } => (len, 1),
        SqlType::NVarChar { len } => (len, 2),
        _ => return None,
    };
    if let MaxLen::Limited(units) = max
        && slot.len() > unit_bytes * usize::from(units)
    {
        return None;
    }
    match (value, sql_type) {
        (Value::Null, _) => {}
        (Value::Str(text), SqlType::VarChar { .. }) => put_char(text, slot)?,
        (Value::Str(text), SqlType::NVarChar { .. }) => put_nchar(text, slot)?,
        (Value::Binary(bytes), SqlType::VarBinary { .. }) => slot.copy_from_slice(bytes),
        _ => return None,
    }
    Some(())
}
