//! Server side: values to bytes. Hot: one match per value, no allocation but the output's growth.
//!
//! What always holds: a function that fails leaves the output as it was, so that an ERROR token may follow.

use millpond_types::temporal::{Date, DateTimeOffset, Time};
use millpond_types::text::{encode, page_len, utf16_len};
use millpond_types::{CodePage, Decimal, DecimalName, MaxLen, SqlType, Value, Variant};

use crate::TdsError;
use crate::collation::Collation;
use crate::column::ColumnMeta;
use crate::type_info::decimal_bytes;
use crate::wire::{put_u16, put_u32, put_u64, put_utf16};

/// The token of a row.
pub(crate) const ROW: u8 = 0xD1;
const NULL_BITMAP_ROW: u8 = 0xD2;
const SHORT_NULL: [u8; 2] = [0xFF; 2];
const CHUNKED_NULL: [u8; 8] = [0xFF; 8];

/// Appends a ROW token.
pub fn write_row(out: &mut Vec<u8>, columns: &[ColumnMeta], values: &[Value]) -> Result<(), TdsError> {
    check_count(columns, values)?;
    let start = out.len();
    out.push(ROW);
    for (column, value) in columns.iter().zip(values) {
        if let Err(error) = put_value(out, column.sql_type, value) {
            out.truncate(start);
            return Err(error);
        }
    }
    Ok(())
}

/// Appends an NBCROW token: a bitmap of the nulls, then the values that are not.
pub fn write_null_bitmap_row(out: &mut Vec<u8>, columns: &[ColumnMeta], values: &[Value]) -> Result<(), TdsError> {
    check_count(columns, values)?;
    let start = out.len();
    out.push(NULL_BITMAP_ROW);
    let bitmap = out.len();
    out.resize(bitmap + columns.len().div_ceil(8), 0);
    for (index, (column, value)) in columns.iter().zip(values).enumerate() {
        if matches!(value, Value::Null) {
            out[bitmap + index / 8] |= 1 << (index % 8);
        } else if let Err(error) = put_value(out, column.sql_type, value) {
            out.truncate(start);
            return Err(error);
        }
    }
    Ok(())
}

fn check_count(columns: &[ColumnMeta], values: &[Value]) -> Result<(), TdsError> {
    if columns.len() == values.len() {
        return Ok(());
    }
    Err(TdsError::ColumnCount { columns: columns.len(), values: values.len() })
}

/// Appends one value of the type, framed as its TYPE_INFO says.
#[inline]
pub fn put_value(out: &mut Vec<u8>, sql_type: SqlType, value: &Value) -> Result<(), TdsError> {
    match (sql_type, value) {
        (_, Value::Null) => put_null(out, sql_type),
        (SqlType::Int, Value::Int(x)) => put_framed(out, x.to_le_bytes()),
        (SqlType::BigInt, Value::BigInt(x)) => put_framed(out, x.to_le_bytes()),
        (SqlType::VarChar { .. } | SqlType::Char { .. }, Value::Str(text)) => {
            return put_text(out, sql_type, text);
        }
        (SqlType::NVarChar { .. } | SqlType::NChar { .. }, Value::Str(text)) => {
            return put_text(out, sql_type, text);
        }
        (SqlType::Bit, Value::Bit(x)) => put_framed(out, [u8::from(*x)]),
        (SqlType::TinyInt, Value::TinyInt(x)) => put_framed(out, [*x]),
        (SqlType::SmallInt, Value::SmallInt(x)) => put_framed(out, x.to_le_bytes()),
        (SqlType::Real, Value::Real(x)) => put_framed(out, x.to_le_bytes()),
        (SqlType::Float, Value::Float(x)) => put_framed(out, x.to_le_bytes()),
        (SqlType::Decimal { precision, scale, .. }, Value::Decimal(x)) => {
            return put_decimal(out, precision, scale, *x);
        }
        (SqlType::SmallMoney, Value::Money(x)) => {
            let x = i32::try_from(*x).map_err(|_| TdsError::ValueMismatch { sql_type })?;
            put_framed(out, x.to_le_bytes());
        }
        (SqlType::Money, Value::Money(x)) => put_money(out, *x),
        (SqlType::Date, Value::Date(date)) => {
            out.push(3);
            put_date(out, *date);
        }
        (SqlType::Time { scale }, Value::Time(time)) => {
            out.push(time_bytes(scale));
            put_time(out, scale, *time);
        }
        (SqlType::DateTime2 { scale }, Value::DateTime2(date_time)) => {
            out.push(time_bytes(scale) + 3);
            put_time(out, scale, date_time.time);
            put_date(out, date_time.date);
        }
        (SqlType::SmallDateTime, Value::SmallDateTime(date_time)) => {
            let [a, b] = date_time.days.to_le_bytes();
            let [c, d] = date_time.minutes.to_le_bytes();
            put_framed(out, [a, b, c, d]);
        }
        (SqlType::DateTime, Value::DateTime(date_time)) => {
            out.push(8);
            out.extend_from_slice(&date_time.days.to_le_bytes());
            out.extend_from_slice(&date_time.ticks.to_le_bytes());
        }
        (SqlType::Binary { .. } | SqlType::VarBinary { .. }, Value::Binary(bytes)) => {
            return put_binary(out, sql_type, bytes);
        }
        (SqlType::UniqueIdentifier, Value::Guid(guid)) => put_framed(out, *guid),
        (SqlType::DateTimeOffset { scale }, Value::DateTimeOffset(date_time)) => put_offset(out, scale, *date_time),
        (SqlType::RowVersion, Value::Binary(bytes)) => {
            return put_binary(out, SqlType::Binary { len: SqlType::ROW_VERSION_BYTES }, bytes);
        }
        (SqlType::Xml, Value::Str(text)) => return put_chunked(out, |out| put_utf16(out, text)),
        (SqlType::Variant, Value::Variant(variant)) => return put_variant(out, variant),
        _ => return put_widened(out, sql_type, value),
    }
    Ok(())
}

/// Bytes of a long value that are appended at once.
const PIECE_BYTES: usize = 32 << 10;

/// Whether the value goes by [`put_long`].
pub(crate) fn is_long(sql_type: SqlType, value: &Value) -> bool {
    value.is_long() && matches!(sql_type.max_len(), Some(MaxLen::Max)) && (sql_type.is_string() || sql_type.is_binary())
}

/// Appends a value of a `(max)` type in chunks, and calls `full` after each of them: it may take what is there.
///
/// # Errors
/// Those of `full`.
pub(crate) fn put_long<E>(
    out: &mut Vec<u8>,
    sql_type: SqlType,
    value: &Value,
    full: &mut dyn FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let bytes = match (value, sql_type) {
        (Value::Binary(bytes), _) => bytes.len(),
        (Value::Str(text), SqlType::VarChar { page, .. }) => page_len(text, page),
        (Value::Str(text), _) => 2 * utf16_len(text),
        _ => 0,
    };
    put_u64(out, bytes as u64);
    let mut put_chunk = |put: &dyn Fn(&mut Vec<u8>)| {
        let start = out.len();
        put_u32(out, 0);
        put(out);
        let length = u32::try_from(out.len() - start - 4).expect("a piece is short");
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
        full(out)
    };
    match value {
        Value::Binary(bytes) => {
            for piece in bytes.chunks(PIECE_BYTES) {
                put_chunk(&|out| out.extend_from_slice(piece))?;
            }
        }
        Value::Str(text) => {
            let mut rest = &text[..];
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE_BYTES.min(rest.len())));
                put_chunk(&|out| match sql_type {
                    SqlType::VarChar { page, .. } => put_narrow(out, page, piece),
                    _ => put_utf16(out, piece),
                })?;
                rest = after;
            }
        }
        _ => {}
    }
    put_u32(out, 0);
    Ok(())
}

/// Whether the value is of the type, so that [`put_value`] would succeed.
pub(crate) fn fits(sql_type: SqlType, value: &Value) -> bool {
    put_value(&mut Vec::new(), sql_type, value).is_ok()
}

/// Length and bytes in one append, so that the output's room is checked once.
#[inline]
fn put_framed<const N: usize>(out: &mut Vec<u8>, bytes: [u8; N]) {
    let mut frame = [0; 17];
    frame[0] = const { N as u8 };
    frame[1..=N].copy_from_slice(&bytes);
    out.extend_from_slice(&frame[..=N]);
}

fn put_null(out: &mut Vec<u8>, sql_type: SqlType) {
    match sql_type {
        SqlType::VarChar { len: MaxLen::Max, .. }
        | SqlType::NVarChar { len: MaxLen::Max }
        | SqlType::VarBinary { len: MaxLen::Max }
        | SqlType::Xml => out.extend_from_slice(&CHUNKED_NULL),
        SqlType::Variant => put_u32(out, 0),
        SqlType::Char { .. }
        | SqlType::VarChar { .. }
        | SqlType::NChar { .. }
        | SqlType::NVarChar { .. }
        | SqlType::Binary { .. }
        | SqlType::VarBinary { .. }
        | SqlType::RowVersion => out.extend_from_slice(&SHORT_NULL),
        _ => out.push(0),
    }
}

/// An integer of one width in a column of another, when it fits.
#[cold]
fn put_widened(out: &mut Vec<u8>, sql_type: SqlType, value: &Value) -> Result<(), TdsError> {
    let mismatch = TdsError::ValueMismatch { sql_type };
    let number = match value {
        Value::Bit(x) => i64::from(*x),
        Value::TinyInt(x) => i64::from(*x),
        Value::SmallInt(x) => i64::from(*x),
        Value::Int(x) => i64::from(*x),
        Value::BigInt(x) => *x,
        _ => return Err(mismatch),
    };
    match sql_type {
        SqlType::TinyInt => put_framed(out, [u8::try_from(number).map_err(|_| mismatch)?]),
        SqlType::SmallInt => put_framed(out, i16::try_from(number).map_err(|_| mismatch)?.to_le_bytes()),
        SqlType::Int => put_framed(out, i32::try_from(number).map_err(|_| mismatch)?.to_le_bytes()),
        SqlType::BigInt => put_framed(out, number.to_le_bytes()),
        _ => return Err(mismatch),
    }
    Ok(())
}

/// The high half goes first, each half little-endian.
fn put_money(out: &mut Vec<u8>, money: i64) {
    let [a, b, c, d, e, f, g, h] = money.to_le_bytes();
    put_framed(out, [e, f, g, h, a, b, c, d]);
}

/// 10^0 to 10^38; computing them costs more than the rest of a decimal.
static POWERS_OF_TEN: [u128; 39] = {
    let mut powers = [1; 39];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

fn put_decimal(out: &mut Vec<u8>, precision: u8, scale: u8, decimal: Decimal) -> Result<(), TdsError> {
    let (unscaled, own_scale) = (decimal.unscaled, decimal.scale);
    let magnitude = unscaled.unsigned_abs();
    if own_scale != scale || magnitude >= POWERS_OF_TEN[usize::from(precision.min(38))] {
        return Err(TdsError::ValueMismatch { sql_type: SqlType::decimal(precision, scale) });
    }
    let length = decimal_bytes(precision);
    let mut frame = [0; 18];
    frame[0] = length;
    frame[1] = u8::from(unscaled >= 0);
    frame[2..].copy_from_slice(&magnitude.to_le_bytes());
    out.extend_from_slice(&frame[..=usize::from(length)]);
    Ok(())
}

fn put_date(out: &mut Vec<u8>, date: Date) {
    out.extend_from_slice(&date.days.to_le_bytes()[..3]);
}

/// Bytes of a time of that scale: 3 for up to 2 digits, 4 for up to 4, 5 for up to 7.
pub(super) fn time_bytes(scale: u8) -> u8 {
    match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}

fn put_time(out: &mut Vec<u8>, scale: u8, time: Time) {
    let units = time.ticks / 10_u64.pow(7 - u32::from(scale.min(7)));
    out.extend_from_slice(&units.to_le_bytes()[..usize::from(time_bytes(scale))]);
}

/// The instant in UTC, then the offset.
fn put_offset(out: &mut Vec<u8>, scale: u8, date_time: DateTimeOffset) {
    let utc = date_time.utc();
    out.push(time_bytes(scale) + 5);
    put_time(out, scale, utc.time);
    put_date(out, utc.date);
    out.extend_from_slice(&date_time.offset_minutes.to_le_bytes());
}

/// Length, then type, properties and bytes of what the variant holds.
fn put_variant(out: &mut Vec<u8>, variant: &Variant) -> Result<(), TdsError> {
    let start = out.len();
    put_u32(out, 0);
    put_variant_type(out, variant)?;
    let at = out.len();
    if let Err(error) = put_value(out, variant.base, &variant.value) {
        out.truncate(start);
        return Err(error);
    }
    // The variant counts its bytes, so the value's own count goes.
    let counted = if variant.base.is_string() || variant.base.is_binary() { 2 } else { 1 };
    out.drain(at..at + counted);
    let length = u32::try_from(out.len() - start - 4).expect("a variant has at most 8016 bytes");
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// The byte of the type (the fixed-length one where there is one), and its properties after their length.
fn put_variant_type(out: &mut Vec<u8>, variant: &Variant) -> Result<(), TdsError> {
    let base = variant.base;
    let (byte, properties) = match base {
        SqlType::Bit => (0x32, 0),
        SqlType::TinyInt => (0x30, 0),
        SqlType::SmallInt => (0x34, 0),
        SqlType::Int => (0x38, 0),
        SqlType::BigInt => (0x7F, 0),
        SqlType::Real => (0x3B, 0),
        SqlType::Float => (0x3E, 0),
        SqlType::SmallMoney => (0x7A, 0),
        SqlType::Money => (0x3C, 0),
        SqlType::Date => (0x28, 0),
        SqlType::SmallDateTime => (0x3A, 0),
        SqlType::DateTime => (0x3D, 0),
        SqlType::UniqueIdentifier => (0x24, 0),
        SqlType::Decimal { name: DecimalName::Numeric, .. } => (0x6C, 2),
        SqlType::Decimal { .. } => (0x6A, 2),
        SqlType::Time { .. } => (0x29, 1),
        SqlType::DateTime2 { .. } => (0x2A, 1),
        SqlType::DateTimeOffset { .. } => (0x2B, 1),
        SqlType::Binary { .. } => (0xAD, 2),
        SqlType::VarBinary { .. } => (0xA5, 2),
        SqlType::Char { .. } => (0xAF, 7),
        SqlType::VarChar { .. } => (0xA7, 7),
        SqlType::NChar { .. } => (0xEF, 7),
        SqlType::NVarChar { .. } => (0xE7, 7),
        SqlType::RowVersion | SqlType::Xml | SqlType::Variant => {
            return Err(TdsError::ValueMismatch { sql_type: SqlType::Variant });
        }
    };
    out.extend_from_slice(&[byte, properties]);
    if base.is_string() {
        out.extend_from_slice(&Collation::of(variant.collation).to_bytes());
    }
    match (base, base.max_len()) {
        (SqlType::Decimal { precision, scale, .. }, _) => out.extend_from_slice(&[precision, scale]),
        (_, Some(_)) => put_u16(out, u16::try_from(variant.max_length_bytes()).unwrap_or(SqlType::BYTES_MAX)),
        (_, None) if properties == 1 => out.push(variant.scale()),
        _ => {}
    }
    Ok(())
}

fn put_text(out: &mut Vec<u8>, sql_type: SqlType, text: &str) -> Result<(), TdsError> {
    match sql_type {
        SqlType::VarChar { len: MaxLen::Limited(len), page } => {
            put_limited(out, sql_type, len.into(), |out| put_narrow(out, page, text))
        }
        SqlType::NVarChar { len: MaxLen::Limited(len) } => {
            put_limited(out, sql_type, usize::from(len) * 2, |out| put_utf16(out, text))
        }
        SqlType::Char { len, page } => {
            let start = out.len();
            put_limited(out, sql_type, len.into(), |out| {
                put_narrow(out, page, text);
                pad(out, start + 2, len.into(), b" ");
            })
        }
        SqlType::NChar { len } => {
            let start = out.len();
            put_limited(out, sql_type, usize::from(len) * 2, |out| {
                put_utf16(out, text);
                pad(out, start + 2, usize::from(len) * 2, b" \0");
            })
        }
        SqlType::VarChar { len: MaxLen::Max, page } => put_chunked(out, |out| put_narrow(out, page, text)),
        SqlType::NVarChar { len: MaxLen::Max } => put_chunked(out, |out| put_utf16(out, text)),
        _ => Err(TdsError::ValueMismatch { sql_type }),
    }
}

fn put_binary(out: &mut Vec<u8>, sql_type: SqlType, bytes: &[u8]) -> Result<(), TdsError> {
    match sql_type {
        SqlType::VarBinary { len: MaxLen::Limited(len) } => {
            put_limited(out, sql_type, len.into(), |out| out.extend_from_slice(bytes))
        }
        SqlType::Binary { len } => {
            let start = out.len();
            put_limited(out, sql_type, len.into(), |out| {
                out.extend_from_slice(bytes);
                pad(out, start + 2, len.into(), &[0]);
            })
        }
        SqlType::VarBinary { len: MaxLen::Max } => put_chunked(out, |out| out.extend_from_slice(bytes)),
        _ => Err(TdsError::ValueMismatch { sql_type }),
    }
}

/// Of ASCII and of UTF-8 the bytes as they are.
fn put_narrow(out: &mut Vec<u8>, page: CodePage, text: &str) {
    if page == CodePage::Utf8 || text.is_ascii() {
        out.extend_from_slice(text.as_bytes());
    } else {
        encode(text, page, out);
    }
}

/// Fills what was written since `start` up to `bound_bytes` with the pattern.
fn pad(out: &mut Vec<u8>, start: usize, bound_bytes: usize, pattern: &[u8]) {
    let missing = (start + bound_bytes).saturating_sub(out.len());
    out.extend(pattern.iter().copied().cycle().take(missing));
}

fn put_limited(
    out: &mut Vec<u8>,
    sql_type: SqlType,
    bound_bytes: usize,
    body: impl FnOnce(&mut Vec<u8>),
) -> Result<(), TdsError> {
    let start = out.len();
    out.extend_from_slice(&[0, 0]);
    body(out);
    let length = out.len() - start - 2;
    match u16::try_from(length) {
        Ok(short) if length <= bound_bytes => {
            out[start..start + 2].copy_from_slice(&short.to_le_bytes());
            Ok(())
        }
        _ => {
            out.truncate(start);
            Err(TdsError::ValueMismatch { sql_type })
        }
    }
}

/// One chunk holds everything: a chunk may have 4 GiB, and a (max) value ends at 2 GiB.
fn put_chunked(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) -> Result<(), TdsError> {
    let start = out.len();
    put_u64(out, 0);
    put_u32(out, 0);
    body(out);
    let length = out.len() - start - 12;
    let Ok(chunk) = u32::try_from(length) else {
        out.truncate(start);
        return Err(TdsError::TooLarge { what: "value", bound_bytes: u32::MAX as usize });
    };
    out[start..start + 8].copy_from_slice(&u64::from(chunk).to_le_bytes());
    out[start + 8..start + 12].copy_from_slice(&chunk.to_le_bytes());
    if length > 0 {
        // An empty value has no chunk, and its chunk length of 0 is the end already.
        put_u32(out, 0);
    }
    Ok(())
}
