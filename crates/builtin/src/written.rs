//! Values as texts that other programs read: what FOR JSON and FOR XML write of numbers, times and identifiers.

use millpond_message::error::SqlResult;
use millpond_types::{CastRules, SqlType, Value, cast};

/// The style of CONVERT that numbers and times are written in.
const STYLE: i32 = 126;
/// Longest text of a number or a point in time.
const SHORT: SqlType = SqlType::varchar(64);

/// A number, a point in time or a GUID. Times have no fraction that is all zeros, and no distance from UTC of nothing but `Z`.
///
/// # Errors
/// What does not convert.
pub(crate) fn short_text(value: &Value, sql: &SqlType) -> SqlResult<String> {
    let text = cast::cast(value, sql, &SHORT, Some(STYLE), CastRules::DEFAULT).map_err(millpond_message::of_eval)?;
    let text = text.as_str().unwrap_or_default();
    if !sql.is_temporal() {
        return Ok(text.to_owned());
    }
    let (time, zone) = match sql {
        SqlType::DateTimeOffset { .. } => text.split_at(text.rfind(['+', '-', 'Z']).unwrap_or(text.len())),
        _ => (text, ""),
    };
    let zone = if zone == "+00:00" { "Z" } else { zone };
    let time = match time.split_once('.') {
        Some((second, fraction)) if fraction.bytes().all(|digit| digit == b'0') => second,
        _ => time,
    };
    Ok(format!("{time}{zone}"))
}
