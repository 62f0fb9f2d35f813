//! Functions that measure, cut, join and change texts. (UPPER and LOWER are `letter_case`.) Positions and lengths count UTF-16 units from 1, which for
//! `varchar` of code page 1252 are its bytes; those of [`COUNTING_CHARACTERS`] count characters, for collations that are
//! aware of supplementary ones. A text without `(max)` never grows past 8000 bytes: what is longer is cut, silently.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::run::{Before, Count, Places};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::sql_type::MaxLen;
use millpond_types::text::{
    char_len, declared_len, declared_prefix, decode, encode, substring, substring_of_chars, trim_end_blanks, utf16_len,
};
use millpond_types::watch::PIECE_BYTES;
use millpond_types::{SqlType, Stopped, Value, Watch};

use crate::args::{
    any_null, int, integer, integer_type, invalid_argument, is_max, length, nullable, of_length, position_type, strict,
    text, text_type, unicode_type, varchar, with_unicode,
};
use crate::define::{look_along, look_at, pure, strict_eval, watched_eval};
use crate::{FunctionDef, Signature};

/// Longest result that a `(max)` text may grow to here, in bytes. SQL Server stops at 2 GB; one statement must not
/// take the memory of all.
const RESULT_BYTES_MAX: usize = 256 << 20;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    look_along!("LEN", (1, 1), bind_len, 0, len::<Units>),
    look_at!("DATALENGTH", (1, 1), bind_datalength, datalength),
    look_along!("LEFT", (2, 2), bind_part, 0, left::<Units>),
    look_along!("RIGHT", (2, 2), bind_part, 0, right::<Units>),
    look_along!("SUBSTRING", (2, 3), bind_substring, 0, substring_of::<Units>),
    pure("REVERSE", (1, 1), bind_text, watched_eval!(reverse)),
    pure("LTRIM", (1, 2), bind_trim, watched_eval!(|watch, args, _, _| trim_sides(watch, args, true, false))),
    pure("RTRIM", (1, 2), bind_trim, watched_eval!(|watch, args, _, _| trim_sides(watch, args, false, true))),
    pure("TRIM", (1, 2), bind_trim_both, watched_eval!(|watch, args, _, _| trim_both(watch, args))),
    pure("SPACE", (1, 1), |_| nullable(vec![SqlType::Int], varchar(8000)), watched_eval!(space)),
    pure("REPLICATE", (2, 2), bind_replicate, watched_eval!(replicate)),
    pure("STUFF", (4, 4), bind_stuff, |ctx, args, _, result| stuff::<Units>(ctx.watch(), args, result)),
    pure("CHAR", (1, 1), |_| nullable(vec![SqlType::Int], SqlType::char(1)), strict_eval!(char_of)),
    pure("NCHAR", (1, 1), |_| nullable(vec![SqlType::Int], SqlType::NChar { len: 1 }), strict_eval!(nchar)),
    pure("ASCII", (1, 1), |types| nullable(vec![text_type(types[0])], SqlType::Int), strict_eval!(ascii)),
    pure("UNICODE", (1, 1), |types| nullable(vec![unicode_type(types[0])], SqlType::Int), strict_eval!(unicode)),
    pure("CONCAT", (2, 254), bind_concat, |ctx, args, _, result| concat(ctx.watch(), args, "", result)),
    pure("CONCAT_WS", (3, 254), bind_concat_ws, |ctx, args, _, result| {
        concat(ctx.watch(), &args[1..], args[0].as_str().unwrap_or(""), result)
    }),
];

/// Those of [`FUNCTIONS`] that count, over characters.
pub(crate) static COUNTING_CHARACTERS: &[FunctionDef] = &[
    pure(
        "NCHAR",
        (1, 1),
        |_| nullable(vec![SqlType::Int], SqlType::NVarChar { len: MaxLen::Limited(2) }),
        strict_eval!(nchar_of_any),
    ),
    look_along!("LEN", (1, 1), bind_len, 0, len::<Characters>),
    look_along!("LEFT", (2, 2), bind_part, 0, left::<Characters>),
    look_along!("RIGHT", (2, 2), bind_part, 0, right::<Characters>),
    look_along!("SUBSTRING", (2, 3), bind_substring, 0, substring_of::<Characters>),
    pure("STUFF", (4, 4), bind_stuff, |ctx, args, _, result| stuff::<Characters>(ctx.watch(), args, result)),
    pure("UNICODE", (1, 1), |types| nullable(vec![unicode_type(types[0])], SqlType::Int), strict_eval!(code_point)),
];

/// The part of a text that its places lead to, if they are known.
fn part_of<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    text: &str,
    start: usize,
    len: usize,
) -> Result<Value, Stopped> {
    let Some(places) = places else { return C::part(watch, text, start, len) };
    let (around, start) = places.around::<C>(text, start, len);
    C::part(watch, around, start, len)
}

/// The length of a text up to a byte.
pub(crate) fn len_to<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    text: &str,
    byte: usize,
) -> Result<usize, Stopped> {
    match places {
        Some(places) => Ok(places.before::<C>(text, byte)),
        None => C::len(watch, &text[..byte]),
    }
}

/// UTF-16 units.
pub(crate) struct Units;

/// Characters: a surrogate pair is one.
pub(crate) struct Characters;

impl Count for Units {
    fn of(before: Before) -> usize {
        before.units as usize
    }

    fn of_char(c: char) -> usize {
        c.len_utf16()
    }

    fn len(watch: Watch<'_>, text: &str) -> Result<usize, Stopped> {
        counted(watch, text, utf16_len)
    }

    fn part(watch: Watch<'_>, text: &str, start: usize, len: usize) -> Result<Value, Stopped> {
        if text.len() <= PIECE_BYTES || text.is_ascii() {
            return Ok(Value::from(substring(text, start, len)));
        }
        let (mut skip, mut left, mut part) = (start, len, String::new());
        for piece in watch.pieces(text) {
            let piece = piece?;
            let units = utf16_len(piece);
            let taken = left.min(units.saturating_sub(skip));
            if taken > 0 {
                part.push_str(&substring(piece, skip, taken));
            }
            skip = skip.saturating_sub(units);
            left -= taken;
            if left == 0 {
                break;
            }
        }
        Ok(Value::from(part))
    }
}

impl Count for Characters {
    fn of(before: Before) -> usize {
        before.chars as usize
    }

    fn of_char(_: char) -> usize {
        1
    }

    fn len(watch: Watch<'_>, text: &str) -> Result<usize, Stopped> {
        counted(watch, text, char_len)
    }

    fn part(watch: Watch<'_>, text: &str, start: usize, len: usize) -> Result<Value, Stopped> {
        let after = &text[byte_of_char(watch, text, start)?..];
        Ok(Value::str(&after[..byte_of_char(watch, after, len)?]))
    }
}

/// A length of a text, which is the sum of the lengths of its pieces.
fn counted(watch: Watch<'_>, text: &str, len: fn(&str) -> usize) -> Result<usize, Stopped> {
    if text.len() <= PIECE_BYTES {
        return Ok(len(text));
    }
    watch.pieces(text).map(|piece| piece.map(len)).sum()
}

/// Where the character of this number (from 0) begins; the length if there are not so many.
fn byte_of_char(watch: Watch<'_>, text: &str, number: usize) -> Result<usize, Stopped> {
    let (mut byte, mut left) = (0, number);
    for piece in watch.pieces(text) {
        let piece = piece?;
        let count = char_len(piece);
        if left < count {
            return Ok(byte + substring_of_chars(piece, 0, left).len());
        }
        byte += piece.len();
        left -= count;
    }
    Ok(text.len())
}

/// Appends a text.
pub(crate) fn append(watch: Watch<'_>, to: &mut String, text: &str) -> Result<(), Stopped> {
    watch.pieces(text).try_for_each(|piece| piece.map(|piece| to.push_str(piece)))
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
    strict(std::iter::once(param).chain(types[1..].iter().map(|ty| integer_type(*ty))).collect(), param)
}

/// The type of LEFT, RIGHT and SUBSTRING whose length, the argument at `place`, is a constant: no longer than that. A `(max)` stays
/// one.
pub(crate) fn cut_to(args: &[BoundExpr], place: usize, result: SqlType) -> SqlType {
    let count = match args.get(place).map(|arg| &arg.kind) {
        Some(Kind::Literal(value @ (Value::Int(_) | Value::BigInt(_)))) => units(value),
        _ => None,
    };
    let Some((most, count)) = length(result).zip(count) else { return result };
    // Where characters are counted, one takes up to so many units of the type.
    let widest = match result {
        SqlType::NVarChar { .. } => 2,
        _ if result.is_utf8() => 4,
        _ if result.is_multi_byte() => 2,
        _ => 1,
    };
    let is_counted = args[0].ty.collation.is_supplementary() || result.is_multi_byte();
    let units = if is_counted { count.saturating_mul(widest) } else { count };
    with_length(result, most.min(u32::try_from(units).unwrap_or(u32::MAX)))
}

/// The number that an argument is, if it is a constant.
fn constant(arg: &BoundExpr) -> Option<u32> {
    match &arg.kind {
        Kind::Literal(value @ (Value::Int(_) | Value::BigInt(_))) => u32::try_from(int(value)).ok(),
        _ => None,
    }
}

/// The type of STUFF: what stays of the text, where constants say how much that is, and what is inserted; elsewhere one that
/// inserts nothing is no longer than its text, though the empty literal is a `varchar(1)`.
pub(crate) fn stuffed(args: &[BoundExpr], result: SqlType) -> SqlType {
    let is_empty = match &args[3].kind {
        Kind::Literal(Value::Null) => true,
        Kind::Literal(value) => value.as_str().is_some_and(str::is_empty),
        _ => false,
    };
    let Some((text, all)) = length(args[0].ty.sql).zip(length(result)) else { return result };
    // Of a text whose characters are of several units, it is not known how many units go.
    let is_plain = !args[0].ty.collation.is_supplementary() && !result.is_multi_byte() && result.is_string();
    match (constant(&args[1]), constant(&args[2])) {
        (Some(start @ 1..), Some(len)) if is_plain => {
            with_length(result, all - len.min((text + 1).saturating_sub(start)).min(all))
        }
        _ if is_empty => with_length(result, text),
        _ => result,
    }
}

/// The type of REPLICATE of a constant count: so many times the text.
pub(crate) fn replicated(args: &[BoundExpr], result: SqlType) -> SqlType {
    match length(args[0].ty.sql).zip(constant(&args[1])) {
        Some((len, count)) if !is_max(result) => with_length(result, len.saturating_mul(count)),
        _ => result,
    }
}

/// The type of SPACE of a constant count.
pub(crate) fn spaces(args: &[BoundExpr], result: SqlType) -> SqlType {
    constant(&args[0]).map_or(result, |count| with_length(result, count))
}

/// The type with another length, at least 1 and at most what it can have.
fn with_length(ty: SqlType, len: u32) -> SqlType {
    let most = if ty.is_unicode() { SqlType::UNITS_MAX } else { SqlType::BYTES_MAX };
    let limited = MaxLen::Limited(u16::try_from(len).unwrap_or(most).clamp(1, most));
    match ty {
        SqlType::VarBinary { .. } => SqlType::VarBinary { len: limited },
        SqlType::NVarChar { .. } => SqlType::NVarChar { len: limited },
        SqlType::VarChar { page, .. } => SqlType::VarChar { len: limited, page },
        other => other,
    }
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
    nullable(vec![text, SqlType::Int], of_length(text.is_unicode(), longest))
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

/// Characters that CONCAT counts for a `datetime`.
const JOINED_DATETIME: u32 = 40;

fn bind_concat(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let counted = |given: &Option<SqlType>| match given {
        None => Some(0),
        Some(SqlType::DateTime) => Some(JOINED_DATETIME),
        given => length(text_type(*given)),
    };
    let total = types.iter().try_fold(0u32, |sum, given| counted(given).map(|len| sum.saturating_add(len)));
    join_signature(types, total)
}

fn bind_concat_ws(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let lengths = || types.iter().map(|given| length(text_type(*given)));
    let sum = lengths().try_fold(0u32, |sum, len| len.map(|len| sum.saturating_add(len)));
    // The separator stands between the texts, and once among the types already.
    let gaps = u32::try_from(types.len() - 3).unwrap_or(u32::MAX);
    let separators = length(text_type(types[0])).map(|separator| separator.saturating_mul(gaps));
    join_signature(types, sum.zip(separators).map(|(sum, separators)| sum.saturating_add(separators)))
}

/// All arguments as texts of one encoding; the result is of a length. Never NULL.
fn join_signature(types: &[Option<SqlType>], total: Option<u32>) -> SqlResult<Signature> {
    let texts: Vec<SqlType> = types.iter().copied().map(text_type).collect();
    let unicode = texts.iter().any(SqlType::is_unicode);
    let params = texts.into_iter().map(|text| with_unicode(text, unicode)).collect();
    strict(params, of_length(unicode, total))
}

/// The text, cut to what its type holds.
pub(crate) fn fit(text: String, result: &SqlType) -> Value {
    match length(*result).map(|len| len as usize) {
        Some(most) if text.len() > most => Value::from(declared_prefix(&text, most, result)),
        _ => Value::from(text),
    }
}

/// 701, before a text grows past [`RESULT_BYTES_MAX`] or past the memory that there is.
pub(crate) fn check_size(watch: Watch<'_>, bytes: usize) -> SqlResult<()> {
    if bytes <= RESULT_BYTES_MAX && watch.has_room(bytes) { Ok(()) } else { Err(message::out_of_memory()) }
}

fn len<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    args: &[&Value],
    _: &[SqlType],
    result: &SqlType,
) -> SqlResult<Value> {
    let units = match args[0].as_bytes() {
        Some(bytes) => bytes.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1),
        None => len_to::<C>(watch, places, text(args[0]), trim_end_blanks(text(args[0])).len())?,
    };
    Ok(integer(units, result))
}

fn datalength(watch: Watch<'_>, args: &[&Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let bytes = match &args[0] {
        Value::Str(text) if params[0].is_unicode() => 2 * Units::len(watch, text)?,
        Value::Str(text) => counted_of(watch, text, &params[0])?,
        Value::Binary(bytes) => bytes.len(),
        Value::Variant(held) => held.data_bytes(),
        _ => params[0].max_bytes().map_or(0, |bytes| bytes as usize),
    };
    Ok(integer(bytes, result))
}

/// [`declared_len`] of a text that may be long.
fn counted_of(watch: Watch<'_>, text: &str, of: &SqlType) -> Result<usize, Stopped> {
    if of.is_multi_byte() { Ok(declared_len(text, of)) } else { Units::len(watch, text) }
}

/// A length argument as a number of units; `None` when it is negative.
fn units(value: &Value) -> Option<usize> {
    usize::try_from(int(value)).ok()
}

fn invalid_length(state: u8) -> SqlError {
    SqlError::of(537, state, &[])
}

fn left<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    args: &[&Value],
    _: &[SqlType],
    _: &SqlType,
) -> SqlResult<Value> {
    let len = units(args[1]).ok_or_else(|| invalid_length(2))?;
    Ok(part_of::<C>(watch, places, text(args[0]), 0, len)?)
}

fn right<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    args: &[&Value],
    _: &[SqlType],
    _: &SqlType,
) -> SqlResult<Value> {
    let Some(len) = units(args[1]) else {
        return Err(SqlError::of(536, 1, &[]));
    };
    let text = text(args[0]);
    let start = len_to::<C>(watch, places, text, text.len())?.saturating_sub(len);
    Ok(part_of::<C>(watch, places, text, start, len)?)
}

fn substring_of<C: Count>(
    watch: Watch<'_>,
    places: Option<&Places>,
    args: &[&Value],
    _: &[SqlType],
    _: &SqlType,
) -> SqlResult<Value> {
    let (start, len) = (int(args[1]), args.get(2).map_or(i64::MAX, |len| int(len)));
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
        other => part_of::<C>(watch, places, text(other), skip, len)?,
    })
}

fn reverse(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let text = text(&args[0]);
    let mut reversed = String::with_capacity(text.len());
    for piece in watch.pieces_from_end(text) {
        reversed.extend(piece?.chars().rev());
    }
    Ok(Value::from(reversed))
}

fn trim_sides(watch: Watch<'_>, args: &[Value], at_start: bool, at_end: bool) -> SqlResult<Value> {
    trim(watch, text(&args[0]), args.get(1).map_or(" ", text), at_start, at_end)
}

fn trim_both(watch: Watch<'_>, args: &[Value]) -> SqlResult<Value> {
    match args {
        [characters, given] => trim(watch, text(given), text(characters), true, true),
        _ => trim_sides(watch, args, true, true),
    }
}

/// The text without these characters at its sides.
fn trim(watch: Watch<'_>, mut given: &str, characters: &str, at_start: bool, at_end: bool) -> SqlResult<Value> {
    if at_start {
        given = without_start(watch, given, |c| characters.contains(c))?;
    }
    if at_end {
        given = without_end(watch, given, |c| characters.contains(c))?;
    }
    Ok(Value::str(given))
}

/// The text without such characters at its start.
pub(crate) fn without_start<'t>(
    watch: Watch<'_>,
    text: &'t str,
    is_one: impl Fn(char) -> bool,
) -> Result<&'t str, Stopped> {
    let mut trimmed = text;
    for piece in watch.pieces(text) {
        let piece = piece?;
        let left = piece.trim_start_matches(&is_one).len();
        trimmed = &trimmed[piece.len() - left..];
        if left > 0 {
            break;
        }
    }
    Ok(trimmed)
}

/// The text without such characters at its end.
pub(crate) fn without_end<'t>(
    watch: Watch<'_>,
    text: &'t str,
    is_one: impl Fn(char) -> bool,
) -> Result<&'t str, Stopped> {
    let mut trimmed = text;
    for piece in watch.pieces_from_end(text) {
        let piece = piece?;
        let left = piece.trim_end_matches(&is_one).len();
        trimmed = &trimmed[..trimmed.len() - (piece.len() - left)];
        if left > 0 {
            break;
        }
    }
    Ok(trimmed)
}

fn space(watch: Watch<'_>, args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    repeated(watch, " ", int(&args[0]), result)
}

fn replicate(watch: Watch<'_>, args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    repeated(watch, text(&args[0]), int(&args[1]), result)
}

/// NULL for a negative count.
fn repeated(watch: Watch<'_>, text: &str, count: i64, result: &SqlType) -> SqlResult<Value> {
    let Ok(count) = usize::try_from(count) else {
        return Ok(Value::Null);
    };
    let count = match length(*result) {
        // No more copies than fit, so that a large count costs nothing.
        Some(most) => count.min(most as usize / utf16_len(text).max(1) + 1),
        None => count,
    };
    let bytes = text.len().saturating_mul(count);
    check_size(watch, bytes)?;
    if bytes <= PIECE_BYTES {
        return Ok(fit(text.repeat(count), result));
    }
    // Pieces of copies, and then the copies that are left over; one that is longer than a piece is one alone.
    let copies = (PIECE_BYTES / text.len()).max(1);
    let piece = text.repeat(copies);
    let mut all = String::with_capacity(bytes);
    for _ in 0..count / copies {
        append(watch, &mut all, &piece)?;
    }
    all.push_str(&text.repeat(count % copies));
    Ok(fit(all, result))
}

fn stuff<C: Count>(watch: Watch<'_>, args: &[Value], result: &SqlType) -> SqlResult<Value> {
    if any_null(&args[..3]) {
        return Ok(Value::Null);
    }
    if let Value::Binary(bytes) = &args[0] {
        return stuff_bytes(watch, bytes, args);
    }
    let text = text(&args[0]);
    let total = C::len(watch, text)?;
    let insert = args[3].as_str().unwrap_or("");
    let (Ok(start), Ok(len)) = (usize::try_from(int(&args[1])), usize::try_from(int(&args[2]))) else {
        return Ok(Value::Null);
    };
    if start == 0 || start > total {
        return Ok(Value::Null);
    }
    check_size(watch, text.len() + insert.len())?;
    let before = C::part(watch, text, 0, start - 1)?;
    let after = C::part(watch, text, (start - 1).saturating_add(len), total)?;
    let parts = [before.as_str().unwrap_or_default(), insert, after.as_str().unwrap_or_default()];
    Ok(fit(parts.concat(), result))
}

fn stuff_bytes(watch: Watch<'_>, bytes: &[u8], args: &[Value]) -> SqlResult<Value> {
    let insert: &[u8] = if let Value::Binary(insert) = &args[3] { insert } else { &[] };
    let (Ok(start), Ok(len)) = (usize::try_from(int(&args[1])), usize::try_from(int(&args[2]))) else {
        return Ok(Value::Null);
    };
    if start == 0 || start > bytes.len() {
        return Ok(Value::Null);
    }
    check_size(watch, bytes.len() + insert.len())?;
    let after = (start - 1).saturating_add(len).min(bytes.len());
    Ok(Value::binary(&[&bytes[..start - 1], insert, &bytes[after..]].concat()))
}

fn char_of(args: &[Value], _: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    Ok(match u8::try_from(int(&args[0])) {
        Ok(byte) => Value::from(decode(&[byte], result.page())),
        Err(_) => Value::Null,
    })
}

fn nchar(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Ok(unit) = u16::try_from(int(&args[0])) else {
        return Ok(Value::Null);
    };
    Ok(Value::from(String::from_utf16_lossy(&[unit])))
}

/// The same of any character of Unicode.
fn nchar_of_any(args: &[Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value> {
    let wanted = u32::try_from(int(&args[0])).ok().filter(|code| *code > u32::from(u16::MAX));
    match wanted {
        None => nchar(args, params, result),
        Some(code) => Ok(char::from_u32(code).map_or(Value::Null, |sign| Value::from(sign.to_string()))),
    }
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
fn concat(watch: Watch<'_>, args: &[Value], separator: &str, result: &SqlType) -> SqlResult<Value> {
    let mut joined = String::new();
    let mut first = true;
    for part in args.iter().filter_map(Value::as_str) {
        if !first {
            joined.push_str(separator);
        }
        first = false;
        check_size(watch, joined.len() + part.len())?;
        append(watch, &mut joined, part)?;
    }
    Ok(fit(joined, result))
}
