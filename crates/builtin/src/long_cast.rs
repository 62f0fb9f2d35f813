//! Conversions of texts and bytes that may be as long as a `(max)` type lets them be.
//!
//! What always holds: the answer is that of [`cast::cast`] of the whole value. A long value is converted piece by piece where
//! its pieces become the pieces of the result, and a cancellation is seen between them; to a type of limited length only
//! its beginning is converted, because what is too long is cut silently.

use crate::xml::StatementBudget;
use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_types::watch::PIECE_BYTES;
use millpond_types::{EvalError, MaxLen, SqlType, Value, Watch, cast};

/// What a conversion gives.
type Cast = Result<Value, Box<EvalError>>;

/// The value as another type: CAST and CONVERT.
///
/// # Errors
/// The cancellation; what the conversion itself says is inside.
pub(crate) fn cast(value: &Value, from: &SqlType, to: &SqlType, style: Option<i32>, ctx: &dyn Run) -> SqlResult<Cast> {
    let of = |value: &Value, style| cast::cast(value, from, to, style, ctx.cast_rules());
    let long = match value {
        Value::Str(text) => text.len() > PIECE_BYTES,
        Value::Binary(bytes) => bytes.len() > PIECE_BYTES,
        _ => false,
    };
    if long && from != to && (to.is_string() || to.is_binary()) {
        check_room(value, style, ctx)?;
    }
    if long && from != to && *to == SqlType::Xml {
        return to_xml(value, from, style, ctx);
    }
    if !long || from == to || *from == SqlType::Xml || !(to.is_string() || to.is_binary()) {
        return Ok(of(value, style));
    }
    let Some(pieces) = Pieces::of(value, from, to, style.unwrap_or(0)) else { return Ok(of(value, style)) };
    converted(ctx.watch(), pieces, to, &|piece, style| of(piece, Some(style)))
}

/// A long text or binary as `xml`.
fn to_xml(value: &Value, from: &SqlType, style: Option<i32>, ctx: &dyn Run) -> SqlResult<Cast> {
    let mut budget = StatementBudget::new(ctx);
    let converted = match value {
        Value::Str(text) => cast::xml::of_text(text, from, style, &mut budget),
        Value::Binary(bytes) => cast::xml::of_bytes(bytes, style, &mut budget),
        _ => return Ok(cast::cast(value, from, &SqlType::Xml, style, ctx.cast_rules())),
    };
    let converted = converted.map_err(StatementBudget::error)?;
    Ok(converted.map(Value::from).map_err(Box::new))
}

/// 701 where there is no memory for what the value becomes: as many bytes, as digits twice as many.
fn check_room(value: &Value, style: Option<i32>, ctx: &dyn Run) -> SqlResult<()> {
    let bytes = match value {
        Value::Binary(bytes) if style.is_some_and(|style| style != 0) => 2 * bytes.len(),
        Value::Binary(bytes) => bytes.len(),
        other => other.as_str().map_or(0, str::len),
    };
    ctx.check_room(bytes)
}

/// The pieces of a value one after the other, each with the style by which it is converted.
struct Pieces<'v> {
    rest: Rest<'v>,
    style: i32,
    later_style: i32,
    /// Pieces end after a multiple of so many bytes.
    unit: usize,
    /// Pieces do not part the halves of a surrogate pair.
    pairs: bool,
}

enum Rest<'v> {
    Text(&'v str),
    Bytes(&'v [u8]),
}

impl<'v> Pieces<'v> {
    /// `None` where pieces of the value do not become pieces of the result.
    fn of(value: &'v Value, from: &SqlType, to: &SqlType, style: i32) -> Option<Pieces<'v>> {
        let all = |rest| Pieces { rest, style, later_style: style, unit: 1, pairs: false };
        Some(match value {
            Value::Str(text) if to.is_string() || !matches!(style, 1 | 2) => all(Rest::Text(text)),
            // Digits of bytes, blanks after them.
            Value::Str(text) => {
                let digits = text.trim_end_matches(' ');
                if digits.contains(' ') || !digits.is_ascii() || !digits.len().is_multiple_of(2) {
                    return None;
                }
                Pieces { later_style: 2, unit: 2, ..all(Rest::Text(digits)) }
            }
            Value::Binary(bytes) if matches!(style, 1 | 2) || to.is_binary() => {
                Pieces { later_style: if style == 1 { 2 } else { style }, ..all(Rest::Bytes(bytes)) }
            }
            Value::Binary(bytes) if to.is_unicode() => Pieces { unit: 2, pairs: true, ..all(Rest::Bytes(bytes)) },
            Value::Binary(bytes) if !to.is_multi_byte() && !from.is_multi_byte() => all(Rest::Bytes(bytes)),
            _ => return None,
        })
    }

    /// The next piece and its style.
    fn next(&mut self) -> Option<(Value, i32)> {
        let style = std::mem::replace(&mut self.style, self.later_style);
        let piece = match &mut self.rest {
            Rest::Text("") | Rest::Bytes([]) => return None,
            Rest::Text(text) => {
                let (piece, after) = text.split_at(text.ceil_char_boundary(PIECE_BYTES.min(text.len())));
                *text = after;
                Value::str(piece)
            }
            Rest::Bytes(bytes) => {
                let mut end = PIECE_BYTES.min(bytes.len()) / self.unit * self.unit;
                if bytes.len() < PIECE_BYTES {
                    end = bytes.len();
                }
                let first_half = |end: usize| end >= 2 && (0xD8..0xDC).contains(&bytes[end - 1]);
                if self.pairs && end < bytes.len() && first_half(end) {
                    end = (end + 2).min(bytes.len());
                }
                let (piece, after) = bytes.split_at(end);
                *bytes = after;
                Value::binary(piece)
            }
        };
        Some((piece, style))
    }
}

fn converted(
    watch: Watch<'_>,
    mut pieces: Pieces<'_>,
    to: &SqlType,
    of: &dyn Fn(&Value, i32) -> Cast,
) -> SqlResult<Cast> {
    let is_limited = to.max_len() != Some(MaxLen::Max);
    let (mut text, mut bytes) = (String::new(), Vec::new());
    while let Some((piece, style)) = pieces.next() {
        watch.check()?;
        let part = match of(&piece, style) {
            Ok(part) => part,
            Err(error) => return Ok(Err(error)),
        };
        match part {
            // A piece is longer than any limited type.
            part if is_limited => return Ok(Ok(part)),
            Value::Str(part) => text.push_str(&part),
            Value::Binary(part) => bytes.extend_from_slice(&part),
            other => return Ok(Ok(other)),
        }
    }
    Ok(Ok(if to.is_binary() { Value::binary(&bytes) } else { Value::from(text) }))
}
