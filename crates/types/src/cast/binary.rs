//! From bytes: `binary`, `varbinary`, `uniqueidentifier`.

use compact_str::CompactString;
use millpond_xml::Unbounded;

use crate::arith::money_within;
use crate::cast::numeric_text::{guid_text, hex_digits};
use crate::cast::{TooLong, forbidden, left_bytes, overflow, text_value, xml};
use crate::decimal::{Decimal, Shape, power};
use crate::error::EvalError;
use crate::sql_type::SqlType;
use crate::temporal::{Date, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time};
use crate::text;
use crate::value::Value;

/// Characters of a `uniqueidentifier`.
const GUID_TEXT_LEN: usize = 36;

pub(super) fn cast(bytes: &[u8], from: &SqlType, to: &SqlType, style: Option<i32>) -> Result<Value, EvalError> {
    let wrong = || EvalError::ConversionError { from: from.message_name(), to: to.message_name() };
    match *to {
        _ if to.is_binary() || *to == SqlType::RowVersion => Ok(left_bytes(bytes, to)),
        _ if *from == SqlType::RowVersion && !row_version_becomes(to) => Err(forbidden(from, to)),
        SqlType::Xml => xml::of_bytes(bytes, style, &mut Unbounded).map_err(xml::unbounded)?.map(Value::from),
        _ if to.is_string() => {
            let text = match style.unwrap_or(0) {
                1 => hex_digits("0x", bytes),
                2 => hex_digits("", bytes),
                0 => text_of(bytes, to),
                style => return Err(no_style(style, from, to)),
            };
            text_value(text, to, TooLong::Cut)
        }
        SqlType::Bit => Ok(Value::Bit(last_bytes::<1>(bytes)[0] != 0)),
        SqlType::TinyInt => Ok(Value::TinyInt(last_bytes::<1>(bytes)[0])),
        SqlType::SmallInt => Ok(Value::SmallInt(i16::from_be_bytes(last_bytes(bytes)))),
        SqlType::Int => Ok(Value::Int(i32::from_be_bytes(last_bytes(bytes)))),
        SqlType::BigInt => Ok(Value::BigInt(i64::from_be_bytes(last_bytes(bytes)))),
        SqlType::Money => Ok(Value::Money(i64::from_be_bytes(last_bytes(bytes)))),
        SqlType::SmallMoney => {
            let units = i128::from(i32::from_be_bytes(last_bytes(bytes)));
            money_within(units, to).map(Value::Money).ok_or_else(wrong)
        }
        SqlType::Decimal { precision, scale, .. } => {
            let fitted = decimal(bytes).and_then(|decimal| decimal.fit(Shape { precision, scale }).ok());
            let from = if *from == SqlType::RowVersion { "timestamp" } else { "varbinary" };
            fitted.map(Value::Decimal).ok_or(EvalError::ConversionError { from, to: to.message_name() })
        }
        SqlType::UniqueIdentifier => {
            let mut guid = [0; 16];
            let len = bytes.len().min(guid.len());
            guid[..len].copy_from_slice(&bytes[..len]);
            Ok(Value::Guid(guid))
        }
        _ if to.is_temporal() => temporal(bytes, to).ok_or_else(|| match (from, to) {
            (SqlType::RowVersion, _) => overflow(to),
            (_, SqlType::DateTime | SqlType::SmallDateTime) => EvalError::InvalidDateBytes,
            _ => EvalError::InvalidDate,
        }),
        _ => Err(forbidden(from, to)),
    }
}

/// Bytes and texts have styles 0, 1 and 2.
pub(super) fn no_style(style: i32, from: &SqlType, to: &SqlType) -> EvalError {
    EvalError::StyleUnsupported { style, from: from.message_name(), to: to.message_name() }
}

/// The text whose bytes in the type these are.
fn text_of(bytes: &[u8], to: &SqlType) -> CompactString {
    match *to {
        SqlType::Char { page, .. } | SqlType::VarChar { page, .. } => text::decode(bytes, page),
        // A last byte alone is the lower half of a unit.
        _ if bytes.len() % 2 == 1 => text::decode_utf16(&[bytes, &[0]].concat()),
        _ => text::decode_utf16(bytes),
    }
}

/// A `rowversion` becomes what `binary` becomes, but for Unicode texts, identifiers, `xml` and the newer dates.
fn row_version_becomes(to: &SqlType) -> bool {
    match to {
        SqlType::DateTime | SqlType::SmallDateTime => true,
        SqlType::UniqueIdentifier | SqlType::Xml => false,
        _ => !to.is_unicode() && !to.is_temporal(),
    }
}

/// The last bytes, with zeros in front of too few.
fn last_bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut last = [0; N];
    let len = bytes.len().min(N);
    last[N - len..].copy_from_slice(&bytes[bytes.len() - len..]);
    last
}

/// What a decimal's cast to binary wrote: precision, scale, 0, sign, digits.
fn decimal(bytes: &[u8]) -> Option<Decimal> {
    let (&[precision, scale, _, sign], digits) = bytes.split_first_chunk::<4>()?;
    if precision == 0 || precision > 38 || scale > precision || sign > 1 || digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut wide = [0; 16];
    wide[..digits.len()].copy_from_slice(digits);
    let magnitude = i128::try_from(u128::from_le_bytes(wide)).ok().filter(|&n| n < power(precision))?;
    // Zero has no sign.
    if sign == 0 && magnitude == 0 {
        return None;
    }
    Decimal::new(if sign == 0 { -magnitude } else { magnitude }, scale)
}

/// What a date's cast to binary wrote.
fn temporal(bytes: &[u8], to: &SqlType) -> Option<Value> {
    match to {
        SqlType::DateTime => {
            let [d0, d1, d2, d3, t0, t1, t2, t3] = last_bytes(bytes);
            let (days, ticks) = (i32::from_be_bytes([d0, d1, d2, d3]), u32::from_be_bytes([t0, t1, t2, t3]));
            DateTime::new(days, ticks).map(Value::DateTime)
        }
        SqlType::SmallDateTime => {
            let [d0, d1, m0, m1] = last_bytes(bytes);
            SmallDateTime::new(u16::from_be_bytes([d0, d1]), u16::from_be_bytes([m0, m1])).map(Value::SmallDateTime)
        }
        SqlType::Date => date(bytes).map(Value::Date),
        SqlType::Time { scale } => Some(Value::Time(time(bytes)?.round(*scale))),
        SqlType::DateTime2 { scale } => Some(Value::DateTime2(datetime2(bytes)?.round(*scale))),
        SqlType::DateTimeOffset { scale } => {
            let (utc, offset) = bytes.split_last_chunk::<2>()?;
            let value = DateTimeOffset::from_utc(datetime2(utc)?, i16::from_le_bytes(*offset))?;
            Some(Value::DateTimeOffset(value.round(*scale)))
        }
        _ => None,
    }
}

fn datetime2(bytes: &[u8]) -> Option<DateTime2> {
    let (time_bytes, date_bytes) = bytes.split_last_chunk::<3>()?;
    Some(DateTime2 { date: date(date_bytes)?, time: time(time_bytes)? })
}

fn date(bytes: &[u8]) -> Option<Date> {
    let &[low, middle, high] = bytes else {
        return None;
    };
    Date::from_days(i32::from_le_bytes([low, middle, high, 0]))
}

/// The number of digits, then units of the last of them.
fn time(bytes: &[u8]) -> Option<Time> {
    let (&scale, units) = bytes.split_first()?;
    if scale > 7 || units.len() > 5 {
        return None;
    }
    let mut wide = [0; 8];
    wide[..units.len()].copy_from_slice(units);
    Time::from_ticks(u64::from_le_bytes(wide).checked_mul(Time::ticks_per_unit(scale))?)
}

pub(super) fn cast_guid(guid: &[u8; 16], from: &SqlType, to: &SqlType) -> Result<Value, EvalError> {
    match to {
        SqlType::UniqueIdentifier => Ok(Value::Guid(*guid)),
        _ if to.is_binary() => Ok(left_bytes(guid, to)),
        _ if to.is_string() => {
            debug_assert_eq!(guid_text(guid).len(), GUID_TEXT_LEN);
            let error = if to.is_unicode() { overflow(to) } else { EvalError::GuidSpace };
            text_value(guid_text(guid), to, TooLong::Error(error))
        }
        _ => Err(forbidden(from, to)),
    }
}
