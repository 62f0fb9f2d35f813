//! Both sides: bytes to values.
//!
//! What always holds: a value is in the range of its type, or the bytes are refused.

use std::borrow::Cow;

use compact_str::CompactString;
use millpond_types::temporal::{Date, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time};
use millpond_types::text::decode;
use millpond_types::{Decimal, MaxLen, SqlType, Value, Variant};

use super::encode::time_bytes;
use crate::TdsError;
use crate::collation::Collation;
use crate::type_info::{Framing, Kind, TypeInfo};
use crate::wire::{Reader, utf16_pieces};

const CHUNKED_NULL: u64 = u64::MAX;
/// Chunks whose sum the sender did not know.
const CHUNKED_UNKNOWN: u64 = u64::MAX - 1;

/// Where the value stands; `text` is framed differently in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Parameter,
    Row,
}

/// Reads one value.
pub(crate) fn read_value(reader: &mut Reader<'_>, info: &TypeInfo, place: Place) -> Result<Value, TdsError> {
    let Some(bytes) = read_framed(reader, info.framing, place)? else {
        return Ok(Value::Null);
    };
    match info.kind {
        // The framing is complete, so what is cut off inside is wrong and not yet to come.
        Kind::Sql(SqlType::Variant) => variant(&bytes).map_err(|_| TdsError::malformed("variant")),
        Kind::Sql(sql_type) => interpret(sql_type, &bytes),
        Kind::Clr => Ok(Value::from(bytes.into_owned())),
    }
}

/// The bytes of a value; `None` is NULL.
fn read_framed<'a>(reader: &mut Reader<'a>, framing: Framing, place: Place) -> Result<Option<Cow<'a, [u8]>>, TdsError> {
    let what = "value";
    let length = match framing {
        Framing::Fixed(0) => return Ok(None),
        Framing::Fixed(length) => usize::from(length),
        Framing::ByteLength => match reader.u8(what)? {
            0 => return Ok(None),
            length => usize::from(length),
        },
        Framing::ShortLength => match reader.u16(what)? {
            0xFFFF => return Ok(None),
            length => usize::from(length),
        },
        Framing::Chunked => return read_chunked(reader),
        Framing::Text => match read_text_length(reader, place)? {
            None => return Ok(None),
            Some(length) => length,
        },
        Framing::Variant => match reader.u32(what)? {
            0 => return Ok(None),
            length => usize::try_from(length).unwrap_or(usize::MAX),
        },
    };
    Ok(Some(Cow::Borrowed(reader.bytes(length, what)?)))
}

fn read_text_length(reader: &mut Reader<'_>, place: Place) -> Result<Option<usize>, TdsError> {
    if place == Place::Row {
        let pointer = reader.u8("text pointer")?;
        if pointer == 0 {
            return Ok(None);
        }
        reader.bytes(usize::from(pointer) + 8, "text pointer")?;
    }
    let length = reader.u32("text length")?;
    if length == u32::MAX {
        return Ok(None);
    }
    Ok(Some(usize::try_from(length).unwrap_or(usize::MAX)))
}

fn read_chunked<'a>(reader: &mut Reader<'a>) -> Result<Option<Cow<'a, [u8]>>, TdsError> {
    let total = reader.u64("value")?;
    if total == CHUNKED_NULL {
        return Ok(None);
    }
    let mut whole = Cow::Borrowed(&[][..]);
    loop {
        let length = usize::try_from(reader.u32("chunk")?).unwrap_or(usize::MAX);
        if length == 0 {
            break;
        }
        let chunk = reader.bytes(length, "chunk")?;
        if whole.is_empty() {
            whole = Cow::Borrowed(chunk);
        } else {
            whole.to_mut().extend_from_slice(chunk);
        }
    }
    if total != CHUNKED_UNKNOWN && total != whole.len() as u64 {
        return Err(TdsError::malformed("length of a chunked value"));
    }
    Ok(Some(whole))
}

/// Bytes of one value of one of our types.
fn interpret(sql_type: SqlType, bytes: &[u8]) -> Result<Value, TdsError> {
    Ok(match sql_type {
        SqlType::Bit => Value::Bit(exact::<1>(bytes)?[0] != 0),
        SqlType::TinyInt => Value::TinyInt(exact::<1>(bytes)?[0]),
        SqlType::SmallInt => Value::SmallInt(i16::from_le_bytes(exact(bytes)?)),
        SqlType::Int => Value::Int(i32::from_le_bytes(exact(bytes)?)),
        SqlType::BigInt => Value::BigInt(i64::from_le_bytes(exact(bytes)?)),
        SqlType::Real => Value::Real(f32::from_le_bytes(exact(bytes)?)),
        SqlType::Float => Value::Float(f64::from_le_bytes(exact(bytes)?)),
        SqlType::Decimal { scale, .. } => Value::Decimal(decimal(scale, bytes)?),
        SqlType::SmallMoney => Value::Money(i32::from_le_bytes(exact(bytes)?).into()),
        SqlType::Money => {
            let [e, f, g, h, a, b, c, d] = exact(bytes)?;
            Value::Money(i64::from_le_bytes([a, b, c, d, e, f, g, h]))
        }
        SqlType::Date => Value::Date(date(bytes)?),
        SqlType::Time { scale } => Value::Time(time(scale, bytes)?),
        SqlType::DateTime2 { scale } => Value::DateTime2(date_time2(scale, bytes)?),
        SqlType::SmallDateTime => Value::SmallDateTime(small_date_time(exact(bytes)?)?),
        SqlType::DateTime => Value::DateTime(date_time(exact(bytes)?)?),
        SqlType::Char { len, .. } | SqlType::VarChar { len: MaxLen::Limited(len), .. } => {
            check_length(bytes, len.into())?;
            Value::from(decode(bytes, sql_type.page()))
        }
        SqlType::VarChar { len: MaxLen::Max, page } => Value::from(decode(bytes, page)),
        SqlType::NChar { len } | SqlType::NVarChar { len: MaxLen::Limited(len) } => {
            check_length(bytes, usize::from(len) * 2)?;
            text_of_utf16(bytes)?
        }
        SqlType::NVarChar { len: MaxLen::Max } => text_of_utf16(bytes)?,
        SqlType::Binary { len } | SqlType::VarBinary { len: MaxLen::Limited(len) } => {
            check_length(bytes, len.into())?;
            Value::Binary(bytes.into())
        }
        SqlType::VarBinary { len: MaxLen::Max } => Value::Binary(bytes.into()),
        SqlType::UniqueIdentifier => Value::Guid(exact(bytes)?),
        SqlType::DateTimeOffset { scale } => Value::DateTimeOffset(date_time_offset(scale, bytes)?),
        SqlType::RowVersion => Value::binary(&exact::<8>(bytes)?),
        SqlType::Xml => text_of_utf16(strip_byte_order_mark(bytes))?,
        SqlType::Variant => variant(bytes)?,
    })
}

fn exact<const N: usize>(bytes: &[u8]) -> Result<[u8; N], TdsError> {
    bytes.try_into().map_err(|_| TdsError::malformed("length of a value"))
}

fn check_length(bytes: &[u8], bound_bytes: usize) -> Result<(), TdsError> {
    if bytes.len() > bound_bytes {
        return Err(TdsError::malformed("length of a value"));
    }
    Ok(())
}

fn text_of_utf16(bytes: &[u8]) -> Result<Value, TdsError> {
    if !bytes.len().is_multiple_of(2) {
        return Err(TdsError::malformed("length of a value"));
    }
    let mut text = CompactString::with_capacity(bytes.len() / 2);
    utf16_pieces(bytes, |piece| text.push_str(piece));
    Ok(Value::from(text))
}

fn strip_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(&[0xFF, 0xFE]).unwrap_or(bytes)
}

/// A little-endian number of up to 16 bytes.
fn unsigned(bytes: &[u8]) -> Result<u128, TdsError> {
    let mut array = [0; 16];
    array.get_mut(..bytes.len()).ok_or(TdsError::malformed("length of a value"))?.copy_from_slice(bytes);
    Ok(u128::from_le_bytes(array))
}

fn decimal(scale: u8, bytes: &[u8]) -> Result<Decimal, TdsError> {
    let (sign, magnitude) = bytes.split_first().ok_or(TdsError::malformed("decimal"))?;
    let magnitude = i128::try_from(unsigned(magnitude)?).map_err(|_| TdsError::malformed("decimal"))?;
    if magnitude >= 10_i128.pow(38) {
        return Err(TdsError::malformed("decimal"));
    }
    let unscaled = if *sign == 0 { -magnitude } else { magnitude };
    Ok(Decimal { unscaled, scale })
}

fn date(bytes: &[u8]) -> Result<Date, TdsError> {
    let [a, b, c] = exact(bytes)?;
    let days = i32::from_le_bytes([a, b, c, 0]);
    if days > Date::MAX.days {
        return Err(TdsError::malformed("date"));
    }
    Ok(Date { days })
}

fn time(scale: u8, bytes: &[u8]) -> Result<Time, TdsError> {
    if bytes.len() != usize::from(time_bytes(scale)) {
        return Err(TdsError::malformed("time"));
    }
    let units = u64::try_from(unsigned(bytes)?).map_err(|_| TdsError::malformed("time"))?;
    let ticks = units.saturating_mul(10_u64.pow(7 - u32::from(scale.min(7))));
    if ticks >= Time::TICKS_PER_DAY {
        return Err(TdsError::malformed("time"));
    }
    Ok(Time { ticks })
}

fn date_time2(scale: u8, bytes: &[u8]) -> Result<DateTime2, TdsError> {
    let at = bytes.len().checked_sub(3).ok_or(TdsError::malformed("datetime2"))?;
    Ok(DateTime2 { time: time(scale, &bytes[..at])?, date: date(&bytes[at..])? })
}

fn small_date_time([a, b, c, d]: [u8; 4]) -> Result<SmallDateTime, TdsError> {
    let date_time = SmallDateTime { days: u16::from_le_bytes([a, b]), minutes: u16::from_le_bytes([c, d]) };
    if date_time.minutes >= 24 * 60 {
        return Err(TdsError::malformed("smalldatetime"));
    }
    Ok(date_time)
}

fn date_time(bytes: [u8; 8]) -> Result<DateTime, TdsError> {
    let [a, b, c, d, e, f, g, h] = bytes;
    let date_time = DateTime { days: i32::from_le_bytes([a, b, c, d]), ticks: u32::from_le_bytes([e, f, g, h]) };
    let in_range = (DateTime::MIN.days..=DateTime::MAX.days).contains(&date_time.days);
    if !in_range || date_time.ticks >= DateTime::TICKS_PER_DAY {
        return Err(TdsError::malformed("datetime"));
    }
    Ok(date_time)
}

/// The instant in UTC, and the offset in minutes.
fn date_time_offset(scale: u8, bytes: &[u8]) -> Result<DateTimeOffset, TdsError> {
    let wrong = TdsError::malformed("datetimeoffset");
    let Some((utc, offset)) = bytes.split_last_chunk::<2>() else {
        return Err(wrong);
    };
    DateTimeOffset::from_utc(date_time2(scale, utc)?, i16::from_le_bytes(*offset)).ok_or(wrong)
}

/// `sql_variant`: type, length of the type's properties, properties, value.
fn variant(bytes: &[u8]) -> Result<Value, TdsError> {
    let mut reader = Reader::new(bytes);
    let byte = reader.u8("variant")?;
    let properties = reader.b_varbyte("variant")?;
    let data = reader.rest();
    // The properties are those of a TYPE_INFO, in another order; a complete TYPE_INFO is made of them.
    let mut info = vec![byte];
    match byte {
        0x24 => info.push(16),
        0x6A | 0x6C => {
            info.push(17);
            info.extend_from_slice(properties);
        }
        0x29..=0x2B | 0xA5 | 0xAD => info.extend_from_slice(properties),
        0xA7 | 0xAF | 0xE7 | 0xEF => {
            let (collation, length) = properties.split_at(properties.len().min(Collation::LENGTH_BYTES));
            info.extend_from_slice(length);
            info.extend_from_slice(collation);
        }
        0x62 => return Err(TdsError::malformed("variant")),
        _ => {}
    }
    let info = TypeInfo::read(&mut Reader::new(&info))?;
    let Kind::Sql(base) = info.kind else {
        return Err(TdsError::malformed("variant"));
    };
    let value = interpret(base, data)?;
    let variant = Variant::new(base, info.collation.nearest(), value);
    variant.map(Value::from).ok_or(TdsError::malformed("variant"))
}
