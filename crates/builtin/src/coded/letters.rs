//! Texts that stand for other texts and bytes: BASE64_ENCODE, BASE64_DECODE, UNISTR.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value, Watch};

use crate::args::{int, invalid_argument, is_max, length, nullable, of_length, strict, text, text_type};
use crate::define::{pure, watched_eval};
use crate::json::base64::{PIECE, decode, encode};
use crate::text::string::check_size;
use crate::{FunctionDef, Signature};

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    pure("BASE64_ENCODE", (1, 2), bind_encode, watched_eval!(base64_encode)),
    pure("BASE64_DECODE", (1, 1), bind_decode, watched_eval!(base64_decode)),
    pure("UNISTR", (1, 2), bind_unistr, watched_eval!(unistr)),
];

fn bind_encode(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let bytes = match types[0] {
        Some(sql) if sql.is_binary() => sql,
        None => SqlType::VarBinary { len: MaxLen::Limited(1) },
        other => return Err(invalid_argument(other, 1, "base64_encode")),
    };
    let fits = length(bytes).filter(|bytes| bytes.div_ceil(3) * 4 <= 8000);
    let result = of_length(false, if is_max(bytes) { None } else { fits.map(|bytes| bytes.div_ceil(3) * 4) });
    strict([bytes, SqlType::Int][..types.len()].to_vec(), result)
}

fn base64_encode(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let bytes = args[0].as_bytes().unwrap_or_default();
    check_size(watch, bytes.len().div_ceil(3) * 4)?;
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for piece in bytes.chunks(PIECE) {
        watch.check()?;
        // Writing into memory cannot fail.
        let _ = encode(piece, &mut out);
    }
    if args.get(1).is_some_and(|is_for_urls| int(is_for_urls) != 0) {
        out = out.trim_end_matches('=').replace('+', "-").replace('/', "_");
    }
    Ok(Value::from(out))
}

fn bind_decode(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let given = match types[0] {
        Some(sql) if sql.is_string() && !sql.is_unicode() => sql,
        None => SqlType::varchar(1),
        other => return Err(invalid_argument(other, 1, "base64_decode")),
    };
    let len = if is_max(text_type(Some(given))) { MaxLen::Max } else { MaxLen::Limited(8000) };
    strict(vec![text_type(Some(given))], SqlType::VarBinary { len })
}

/// Letters that are read between two looks at the watch: a multiple of 4.
const LETTERS_PIECE: usize = 64 << 10;

/// 9803 for a text that is none. The letters of URLs are read too, and padding may be left out.
fn base64_decode(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let given = text(&args[0]);
    check_size(watch, given.len())?;
    let mut letters = String::with_capacity(given.len());
    for piece in watch.pieces(given) {
        let plain = piece?.chars().filter(|c| !matches!(c, ' ' | '\t' | '\n' | '\r'));
        letters.extend(plain.map(|c| match c {
            '-' => '+',
            '_' => '/',
            other => other,
        }));
    }
    let fault = fault_of(&letters);
    if !letters.ends_with('=') {
        letters.push_str(&"==="[..(4 - letters.len() % 4) % 4]);
    }
    let invalid = || SqlError::of(9803, fault, &[&"Base64Decode"]);
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    for piece in letters.as_bytes().chunks(LETTERS_PIECE) {
        watch.check()?;
        let piece = std::str::from_utf8(piece).map_err(|_| invalid())?;
        let is_last = bytes.len() / 3 * 4 + piece.len() >= letters.len();
        let decoded = decode(piece).filter(|_| is_last || !piece.contains('=')).ok_or_else(invalid)?;
        bytes.extend_from_slice(&decoded);
    }
    Ok(Value::from(bytes))
}

/// The state that says what is wrong with a text that is no Base64: 20 letters that are none, 23 more than two signs of padding
/// or letters after them, 21 the rest.
fn fault_of(plain: &str) -> u8 {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') || byte.is_ascii_whitespace();
    let padding = plain.find('=').map_or("", |first| &plain[first..]);
    let signs = padding.bytes().filter(|byte| *byte == b'=').count();
    match plain.bytes().all(is_letter) {
        false => 20,
        true if signs > 2 || padding.trim().len() > signs => 23,
        true => 21,
    }
}

fn bind_unistr(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    if let Some(other) = types[0].filter(|sql| !sql.is_string()) {
        return Err(invalid_argument(Some(other), 1, "unistr"));
    }
    let given = text_type(types[0]);
    let result = of_length(true, length(given));
    nullable([result, SqlType::NChar { len: 1 }][..types.len()].to_vec(), result)
}

/// `\0041`, `\+01F603`, and `\\`. What no digits follow is 9838.
fn unistr(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let sign = args.get(1).and_then(|sign| text(sign).chars().next()).unwrap_or('\\');
    let invalid = || SqlError::of(9838, 1, &[&"unistr"]);
    // Halves of supplementary characters come one after the other.
    let mut units: Vec<u16> = Vec::new();
    let mut buffer = [0; 2];
    let mut rest = text(&args[0]);
    check_size(watch, rest.len())?;
    let mut ticker = watch.ticker();
    while let Some(first) = rest.chars().next() {
        ticker.tick()?;
        rest = &rest[first.len_utf8()..];
        if first != sign {
            units.extend_from_slice(first.encode_utf16(&mut buffer));
            continue;
        }
        if rest.starts_with(sign) {
            units.extend_from_slice(sign.encode_utf16(&mut buffer));
            rest = &rest[sign.len_utf8()..];
            continue;
        }
        let digits = if rest.starts_with('+') { 1..7 } else { 0..4 };
        let end = digits.end;
        let written = rest.get(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = written.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(invalid)?;
        match u16::try_from(code) {
            Ok(unit) => units.push(unit),
            Err(_) => units.extend_from_slice(char::from_u32(code).ok_or_else(invalid)?.encode_utf16(&mut buffer)),
        }
        rest = &rest[end..];
    }
    Ok(Value::from(String::from_utf16_lossy(&units)))
}
