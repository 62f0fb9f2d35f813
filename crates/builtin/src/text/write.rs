//! What `UPDATE … SET column.WRITE(value, offset, length)` makes of the column's value.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::text::{decode, encode};
use millpond_types::{SqlType, Value, Watch};

use crate::args::text;
use crate::define::pure;
use crate::text::string::check_size;
use crate::{FunctionDef, Signature};

/// The old value with a part replaced: old, value, offset, length. No text can call it.
pub static WRITE: FunctionDef = pure(
    "WRITE",
    (4, 4),
    |types| {
        let column = types[0].unwrap_or(SqlType::Int);
        let params = vec![column, column, SqlType::BigInt, SqlType::BigInt];
        Ok(Signature { params, result: column, nullable: true })
    },
    |ctx, args, params, _| write(ctx.watch(), args, &params[0]),
);

/// Offset and length count bytes, in a Unicode text units.
pub fn write(watch: Watch<'_>, args: &[Value], sql: &SqlType) -> SqlResult<Value> {
    if args[0].is_null() {
        return Err(SqlError::of(7133, 1, &[]));
    }
    let (offset, length) = (&args[2], &args[3]);
    match &args[0] {
        Value::Binary(old) => {
            let new = match &args[1] {
                Value::Binary(new) => Some(&new[..]),
                _ => None,
            };
            check_size(watch, old.len() + new.map_or(0, <[u8]>::len))?;
            let part = ReplacedRange::of(offset, length, old.len(), new.is_some())?;
            let all = [&old[..part.start], new.unwrap_or_default(), &old[part.end..]].concat();
            Ok(Value::Binary(all.into()))
        }
        Value::Str(old) if sql.is_multi_byte() => {
            let new = args[1].as_str();
            check_size(watch, old.len() + new.map_or(0, str::len))?;
            let bytes = |text: &str| {
                let mut bytes = Vec::with_capacity(text.len());
                encode(text, sql.page(), &mut bytes);
                bytes
            };
            let stored = bytes(old);
            let part = ReplacedRange::of(offset, length, stored.len(), new.is_some())?;
            let all = [&stored[..part.start], &bytes(new.unwrap_or_default()), &stored[part.end..]].concat();
            Ok(Value::from(decode(&all, sql.page())))
        }
        old => {
            let (old, new) = (text(old), args[1].as_str());
            check_size(watch, old.len() + new.map_or(0, str::len))?;
            let units: Vec<u16> = old.encode_utf16().collect();
            let part = ReplacedRange::of(offset, length, units.len(), new.is_some())?;
            let before = String::from_utf16_lossy(&units[..part.start]);
            let after = String::from_utf16_lossy(&units[part.end..]);
            Ok(Value::Str([&before, new.unwrap_or_default(), &after].concat().into()))
        }
    }
}

/// A bigint that is not negative; none for NULL.
fn place(value: &Value, number: i32) -> SqlResult<Option<usize>> {
    match value.as_i64() {
        None => Ok(None),
        Some(place) => usize::try_from(place).map(Some).map_err(|_| out_of_range(number, place)),
    }
}

fn out_of_range(number: i32, place: i64) -> SqlError {
    match number {
        7116 => SqlError::of(7116, 1, &[&place]),
        _ => SqlError::of(7135, 1, &[&place]),
    }
}

/// What is replaced.
pub struct ReplacedRange {
    /// Where it begins, in bytes or text units.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl ReplacedRange {
    /// Of a value of `total` bytes or units: without an offset the end; without a length, and where nothing comes instead,
    /// all after the offset.
    ///
    /// # Errors
    /// 7116 for an offset that is not in the value, 7135 for a negative length.
    pub fn of(offset: &Value, length: &Value, total: usize, has_value: bool) -> SqlResult<ReplacedRange> {
        let (offset, length) = (place(offset, 7116)?, place(length, 7135)?);
        let Some(start) = offset else { return Ok(ReplacedRange { start: total, end: total }) };
        if start > total {
            return Err(out_of_range(7116, i64::try_from(start).unwrap_or(i64::MAX)));
        }
        let end = match length {
            Some(length) if has_value => start.saturating_add(length).min(total),
            _ => total,
        };
        Ok(ReplacedRange { start, end })
    }
}
