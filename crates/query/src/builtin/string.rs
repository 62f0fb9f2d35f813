//! Functions that measure, cut, join and change texts. Positions and lengths count UTF-16 units from 1, which for
//! `varchar` of code page 1252 are its bytes; those of [`COUNTING_CHARACTERS`] count characters, for collations that are
//! aware of supplementary ones. A text without `(max)` never grows past 8000 bytes: what is longer is cut, silently.

use millpond_types::sql_type::MaxLen;
use millpond_types::text::{
    char_len, declared_len, declared_prefix, decode_cp1252, encode, substring, substring_of_chars, trim_end_blanks,
    utf16_len,
};
use millpond_types::{SqlType, Value};

use super::args::{
    any_null, int, integer, integer_type, invalid_argument, is_max, length, nullable, of_length, position_type, strict,
    text, text_type, unicode_type, varchar, with_unicode,
};
use super::define::{look_at, pure, strict_eval};
use super::{FunctionDef, Signature};
use crate::error::{SqlError, SqlResult};

/// Longest result that a `(max)` text may grow to here, in bytes. SQL Server stops at 2 GB; one statement must not
/// take the memory of all.
const RESULT_BYTES_MAX: usize = 256 << 20;

/// The functions.
pub(super) static FUNCTIONS: &[FunctionDef] = &[
    look_at!("LEN", (1, 1), bind_len, len::<Units>),
    look_at!("DATALENGTH", (1, 1), bind_datalength, datalength),
    look_at!("LEFT", (2, 2), bind_part, left::<Units>),
    look_at!("RIGHT", (2, 2), bind_part, right::<Units>),
    look_at!("SUBSTRING", (3, 3), bind_substring, substring_of::<Units>),
    pure("REVERSE", (1, 1), bind_text, strict_eval!(reverse)),
    pure("UPPER", (1, 1), bind_text, strict_eval!(upper)),
    pure("LOWER", (1, 1), bind_text, strict_eval!(lower)),
    pure("LTRIM", (1, 2), bind_trim, strict_eval!(|args, _, _| Ok(trim_sides(args, true, false)))),
    pure("RTRIM", (1, 2), bind_trim, strict_eval!(|args, _, _| Ok(trim_sides(args, false, true)))),
    pure("TRIM", (1, 2), bind_trim_both, strict_eval!(|args, _, _| Ok(trim_both(args)))),
    pure("SPACE", (1, 1), |_| nullable(vec![SqlType::Int], varchar(8000)), strict_eval!(space)),
    pure("REPLICATE", (2, 2), bind_replicate, strict_eval!(replicate)),
    pure("STUFF", (4, 4), bind_stuff, |_, args, _, result| stuff::<Units>(args, result)),
    pure("CHAR", (1, 1), |_| nullable(vec![SqlType::Int], SqlType::char(1)), strict_eval!(char_of)),
    pure("NCHAR", (1, 1), |_| nullable(vec![SqlType::Int], SqlType::NChar { len: 1 }), strict_eval!(nchar)),
    pure("ASCII", (1, 1), |types| nullable(vec![text_type(types[0])], SqlType::Int), strict_eval!(ascii)),
    pure("UNICODE", (1, 1), |types| nullable(vec![unicode_type(types[0])], SqlType::Int), strict_eval!(unicode)),
    pure("CONCAT", (2, 254), bind_concat, |_, args, _, result| concat(args, "", result)),
    pure("CONCAT_WS", (3, 254), bind_concat_ws, |_, args, _, result| {
        concat(&args[1..], args[0].as_str().unwrap_or(""), result)
    }),
];

/// Those of [`FUNCTIONS`] that count, over characters.
pub(super) static COUNTING_CHARACTERS: &[FunctionDef] = &[
    look_at!("LEN", (1, 1), bind_len, len::<Characters>),
    look_at!("LEFT", (2, 2), bind_part, left::<Characters>),
    look_at!("RIGHT", (2, 2), bind_part, right::<Characters>),
    look_at!("SUBSTRING", (3, 3), bind_substring, substring_of::<Characters>),
    pure("STUFF", (4, 4), bind_stuff, |_, args, _, result| stuff::<Characters>(args, result)),
    pure("UNICODE", (1, 1), |types| nullable(vec![unicode_type(types[0])], SqlType::Int), strict_eval!(code_point)),
];

/// What positions and lengths count.
pub(super) trait Count {
    fn len(text: &str) -> usize;
    fn part(text: &str, start: usize, len: usize) -> Value;
}

/// UTF-16 units.
pub(super) struct Units;

/// Characters: a surrogate pair is one.
pub(super) struct Characters;

impl Count for Units {
    fn len(text: &str) -> usize {
        utf16_len(text)
    }

    fn part(text: &str, start: usize, len: usize) -> Value {
        Value::Str(substring(text, start, len))
    }
}

impl Count for Characters {
    fn len(text: &str) -> usize {
        char_len(text)
    }

    fn part(text: &str, start: usize, len: usize) -> Value {
        Value::str(substring_of_chars(text, start, len))
    }
}

fn bind_text(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let text = text_type(types[0]);
    strict(vec![text], text)
}

fn bind_len(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let param = match types[0] {
        Some(binary) if binary.is_binary() => binary,
        other => text_type(other),
    };
    strict(vec![param], position_type(param))
}

fn bind_datalength(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let param = types[0].unwrap_or(SqlType::Int);
    strict(vec![param], position_type(param))
}

fn bind_part(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let text = text_type(types[0]);
    strict(vec![text, integer_type(types[1])], text)
}

fn bind_substring(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let param = match types[0] {
        Some(SqlType::Binary { len }) => SqlType::VarBinary { len: MaxLen::Limited(len) },
        Some(binary @ SqlType::VarBinary { .. }) => binary,
        Some(string) if string.is_string() => text_type(Some(string)),
        other => return Err(invalid_argument(other, 1, "substring")),
    };
    strict(vec![param, integer_type(types[1]), integer_type(types[2])], param)
}

fn bind_trim(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let text = text_type(types[0]);
    let params = if types.len() == 1 { vec![text] } else { vec![text, text_type(types[1])] };
    strict(params, text)
}

/// `TRIM(text)`, or `TRIM(characters FROM text)` with the text last.
fn bind_trim_both(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let given = types[types.len() - 1];
    if given.is_some_and(|ty| !ty.is_string()) {
        return Err(invalid_argument(given, 1, "Trim"));
    }
    let params: Vec<SqlType> = types.iter().copied().map(text_type).collect();
    let result = params[params.len() - 1];
    strict(params, result)
}

fn bind_replicate(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let text = text_type(types[0]);
    let longest = if is_max(text) { None } else { Some(u32::MAX) };
    nullable(vec![text, integer_type(types[1])], of_length(text.is_unicode(), longest))
}

/// A binary stays one, with a binary inserted.
fn bind_stuff(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    if let Some(binary) = types[0].filter(SqlType::is_binary) {
        let of = |len: Option<u32>| {
            let len = len.map(|len| MaxLen::Limited(len.clamp(1, u32::from(SqlType::BYTES_MAX)) as u16));
            SqlType::VarBinary { len: len.unwrap_or(MaxLen::Max) }
        };
        let insert = types[3].filter(SqlType::is_binary).map_or(Some(0), length);
        let sum = length(binary).zip(insert).map(|(binary, insert)| binary + insert);
        let params = vec![of(length(binary)), integer_type(types[1]), integer_type(types[2]), of(insert)];
        return nullable(params, of(sum));
    }
    let (text, insert) = (text_type(types[0]), text_type(types[3]));
    let unicode = text.is_unicode() || insert.is_unicode();
    let sum = length(text).zip(length(insert)).map(|(text, insert)| text + insert);
    let params = vec![
        with_unicode(text, unicode),
        integer_type(types[1]),
        integer_type(types[2]),
        with_unicode(insert, unicode),
    ];
    nullable(params, of_length(unicode, sum))
}

fn bind_concat(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    join_signature(types, Some(0))
}

fn bind_concat_ws(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    // The separator stands between the texts, and once among the types already.
    let gaps = u32::try_from(types.len() - 3).unwrap_or(u32::MAX);
    join_signature(types, length(text_type(types[0])).map(|separator| separator.saturating_mul(gaps)))
}

/// All arguments as texts of one encoding; the result is as long as all together and `extra`. Never NULL.
fn join_signature(types: &[Option<SqlType>], extra: Option<u32>) -> SqlResult<Signature> {
    let texts: Vec<SqlType> = types.iter().copied().map(text_type).collect();
    let unicode = texts.iter().any(SqlType::is_unicode);
    let sum = texts.iter().try_fold(0u32, |sum, text| length(*text).map(|len| sum.saturating_add(len)));
    let total = sum.zip(extra).map(|(sum, extra)| sum.saturating_add(extra));
    let params = texts.into_iter().map(|text| with_unicode(text, unicode)).collect();
    strict(params, of_length(unicode, total))
}

/// The text, cut to what its type holds.
pub(super) fn fit(text: String, result: &SqlType) -> Value {
    match length(*result).map(|len| len as usize) {
        Some(most) if text.len() > most => Value::Str(declared_prefix(&text, most, result)),
        _ => Value::from(text),
    }
}

/// 701, before a text grows past [`RESULT_BYTES_MAX`].
pub(super) fn check_size(bytes: usize) -> SqlResult<()> {
    if bytes <= RESULT_BYTES_MAX {
        return Ok(());
    }
    let text = "There is insufficient system memory in resource pool 'default' to run this query.";
    Err(SqlError::new(701, 17, 123, text))
}

fn len<C: Count>(args: &[&Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let units = match args[0].as_bytes() {
        Some(bytes) => bytes.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1),
        None => C::len(trim_end_blanks(text(&args[0]))),
    };
    Ok(integer(units, result))
}

fn datalength(args: &[&Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let bytes = match &args[0] {
        Value::Str(text) if params[0].is_unicode() => 2 * utf16_len(text),
        Value::Str(text) => declared_len(text, &params[0]),
        Value::Binary(bytes) => bytes.len(),
        _ => params[0].max_bytes().map_or(0, |bytes| bytes as usize),
    };
    Ok(integer(bytes, result))
}

/// A length argument as a number of units; `None` when it is negative.
fn units(value: &Value) -> Option<usize> {
    usize::try_from(int(value)).ok()
}

fn invalid_length(state: u8) -> SqlError {
    SqlError::new(537, 16, state, "Invalid length parameter passed to the LEFT or SUBSTRING function.")
}

fn left<C: Count>(args: &[&Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let len = units(&args[1]).ok_or_else(|| invalid_length(2))?;
    Ok(C::part(text(&args[0]), 0, len))
}

fn right<C: Count>(args: &[&Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Some(len) = units(&args[1]) else {
        return Err(SqlError::new(536, 16, 1, "Invalid length parameter passed to the RIGHT function."));
    };
    let text = text(&args[0]);
    let start = C::len(text).saturating_sub(len);
    Ok(C::part(text, start, len))
}

fn substring_of<C: Count>(args: &[&Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let (start, len) = (int(&args[1]), int(&args[2]));
    if len < 0 {
        return Err(invalid_length(3));
    }
    // Units before the first one count as part of the length: SUBSTRING('abc', 0, 2) is 'a'.
    let end = start.saturating_add(len).max(1);
    let start = start.max(1);
    let skip = usize::try_from(start - 1).expect("start is at least 1");
    let len = usize::try_from((end - start).max(0)).expect("not negative");
    Ok(match &args[0] {
        Value::Binary(bytes) => {
            let from = skip.min(bytes.len());
            Value::binary(&bytes[from..from.saturating_add(len).min(bytes.len())])
        }
        other => C::part(text(other), skip, len),
    })
}

fn reverse(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    Ok(Value::from(text(&args[0]).chars().rev().collect::<String>()))
}

fn upper(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let text = text(&args[0]);
    if text.is_ascii() {
        return Ok(Value::from(text.to_ascii_uppercase()));
    }
    let unicode = !result.is_cp1252();
    Ok(fit(text.chars().map(|c| upper_char(c, unicode)).collect(), result))
}

/// One character for one: 'ß' stays, and so do the two whose capital code page 1252 lacks.
fn upper_char(c: char, unicode: bool) -> char {
    if !unicode && matches!(c, 'µ' | 'ƒ') {
        return c;
    }
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => c,
    }
}

fn lower(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let text = text(&args[0]);
    if text.is_ascii() {
        return Ok(Value::from(text.to_ascii_lowercase()));
    }
    Ok(fit(text.chars().map(lower_char).collect(), result))
}

/// The small letter, one for one.
pub(super) fn lower_char(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

fn trim_sides(args: &[Value], at_start: bool, at_end: bool) -> Value {
    trim(text(&args[0]), args.get(1).map_or(" ", text), at_start, at_end)
}

fn trim_both(args: &[Value]) -> Value {
    match args {
        [characters, given] => trim(text(given), text(characters), true, true),
        _ => trim_sides(args, true, true),
    }
}

/// The text without these characters at its sides.
fn trim(mut given: &str, characters: &str, at_start: bool, at_end: bool) -> Value {
    if at_start {
        given = given.trim_start_matches(|c| characters.contains(c));
    }
    if at_end {
        given = given.trim_end_matches(|c| characters.contains(c));
    }
    Value::str(given)
}

fn space(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    repeated(" ", int(&args[0]), result)
}

fn replicate(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    repeated(text(&args[0]), int(&args[1]), result)
}

/// NULL for a negative count.
fn repeated(text: &str, count: i64, result: &SqlType) -> SqlResult<Value> {
    let Ok(count) = usize::try_from(count) else {
        return Ok(Value::Null);
    };
    let count = match length(*result) {
        // No more copies than fit, so that a large count costs nothing.
        Some(most) => count.min(most as usize / utf16_len(text).max(1) + 1),
        None => count,
    };
    check_size(text.len().saturating_mul(count))?;
    Ok(fit(text.repeat(count), result))
}

fn stuff<C: Count>(args: &[Value], result: &SqlType) -> SqlResult<Value> {
    if any_null(&args[..3]) {
        return Ok(Value::Null);
    }
    if let Value::Binary(bytes) = &args[0] {
        return stuff_bytes(bytes, args);
    }
    let text = text(&args[0]);
    let total = C::len(text);
    let insert = args[3].as_str().unwrap_or("");
    let (Ok(start), Ok(len)) = (usize::try_from(int(&args[1])), usize::try_from(int(&args[2]))) else {
        return Ok(Value::Null);
    };
    if start == 0 || start > total {
        return Ok(Value::Null);
    }
    check_size(text.len() + insert.len())?;
    let before = C::part(text, 0, start - 1);
    let after = C::part(text, (start - 1).saturating_add(len), total);
    let parts = [before.as_str().unwrap_or_default(), insert, after.as_str().unwrap_or_default()];
    Ok(fit(parts.concat(), result))
}

fn stuff_bytes(bytes: &[u8], args: &[Value]) -> SqlResult<Value> {
    let insert: &[u8] = if let Value::Binary(insert) = &args[3] { insert } else { &[] };
    let (Ok(start), Ok(len)) = (usize::try_from(int(&args[1])), usize::try_from(int(&args[2]))) else {
        return Ok(Value::Null);
    };
    if start == 0 || start > bytes.len() {
        return Ok(Value::Null);
    }
    check_size(bytes.len() + insert.len())?;
    let after = (start - 1).saturating_add(len).min(bytes.len());
    Ok(Value::binary(&[&bytes[..start - 1], insert, &bytes[after..]].concat()))
}

fn char_of(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    Ok(match u8::try_from(int(&args[0])) {
        Ok(byte) => Value::Str(decode_cp1252(&[byte])),
        Err(_) => Value::Null,
    })
}

fn nchar(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Ok(unit) = u16::try_from(int(&args[0])) else {
        return Ok(Value::Null);
    };
    Ok(Value::from(String::from_utf16_lossy(&[unit])))
}

/// The first byte.
fn ascii(args: &[Value], params: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Some(first) = text(&args[0]).chars().next() else {
        return Ok(Value::Null);
    };
    let mut bytes = Vec::with_capacity(4);
    encode(first.encode_utf8(&mut [0; 4]), params[0].page(), &mut bytes);
    Ok(Value::Int(i32::from(bytes[0])))
}

fn unicode(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    Ok(text(&args[0]).encode_utf16().next().map_or(Value::Null, |unit| Value::Int(i32::from(unit))))
}

fn code_point(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    Ok(text(&args[0]).chars().next().map_or(Value::Null, |c| Value::Int(u32::from(c).cast_signed())))
}

/// The texts with the separator between them; NULLs are left out together with their separator.
fn concat(args: &[Value], separator: &str, result: &SqlType) -> SqlResult<Value> {
    let mut joined = String::new();
    let mut first = true;
    for part in args.iter().filter_map(Value::as_str) {
        if !first {
            joined.push_str(separator);
        }
        first = false;
        check_size(joined.len() + part.len())?;
        joined.push_str(part);
    }
    Ok(fit(joined, result))
}
