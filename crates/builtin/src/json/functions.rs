//! ISJSON, JSON_VALUE, JSON_QUERY, JSON_MODIFY, JSON_PATH_EXISTS, JSON_OBJECT, JSON_ARRAY.
//!
//! What always holds: a document is a text and so is a path, which is never NULL. The last arguments of JSON_MODIFY,
//! JSON_OBJECT and JSON_ARRAY are the binder's (`bind::expression::json`): which texts are JSON, what becomes of NULL.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::sql_type::MaxLen;
use millpond_types::text::{prefix, utf16_len};
use millpond_types::{SqlType, Value, Watch};

use super::find::{Found, Place, find};
use super::modify::modify;
use super::path::Path;
use super::reader::{Container, Fault, Reader, Scalar, Token};
use super::write::{Writer, null_name};
use crate::args::{invalid_argument, is_max, nullable, nvarchar, text};
use crate::define::{looking, pure};
use crate::text::string::check_size;
use crate::{FunctionDef, Signature};

/// `nvarchar(max)`
pub const TEXT_MAX: SqlType = SqlType::NVarChar { len: MaxLen::Max };
/// Units of JSON_VALUE's result, and of a document that JSON_QUERY reads if it is not of a `(max)` type.
const UNITS_MAX: usize = 4000;
/// Arguments of JSON_OBJECT and JSON_ARRAY beside the one that the binder adds.
const ARGUMENTS_MAX: usize = 8192;

/// What ISJSON is asked for: numbers that the binder writes for the words.
pub const KINDS: [(&str, i32); 4] = [("VALUE", 1), ("ARRAY", 2), ("OBJECT", 3), ("SCALAR", 4)];

/// A function that looks at a document, which stays where it is.
macro_rules! over_document {
    ($name:expr, $args:expr, $bind:expr, $look:path) => {
        looking(
            |watch, args, params, result| $look(watch, args, params, result),
            pure($name, $args, $bind, |ctx, args, params, result| {
                $look(ctx.watch(), &args.iter().collect::<Vec<&Value>>(), params, result)
            }),
        )
    };
}

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    over_document!("ISJSON", (1, 2), bind_is_json, is_json),
    over_document!("JSON_VALUE", (2, 2), |types| bind_document(types, "json_value", nvarchar(4000)), json_value),
    over_document!("JSON_QUERY", (1, 2), bind_query, json_query),
    over_document!("JSON_PATH_EXISTS", (2, 2), bind_exists, path_exists),
    pure("JSON_MODIFY", (3, 4), bind_modify, |ctx, args, params, _| json_modify(ctx.watch(), args, params)),
    pure("JSON_OBJECT", (1, ARGUMENTS_MAX), bind_built, |ctx, args, params, _| json_object(ctx.watch(), args, params)),
    pure("JSON_ARRAY", (1, ARGUMENTS_MAX), bind_built, |ctx, args, params, _| json_array(ctx.watch(), args, params)),
];

fn bind_is_json(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let document = document_type(types[0], 1, "isjson")?;
    let mut params = vec![document];
    params.extend(types.get(1).map(|_| SqlType::Int));
    nullable(params, SqlType::Int)
}

fn bind_document(types: &[Option<SqlType>], name: &str, result: SqlType) -> SqlResult<Signature> {
    let document = document_type(types[0], 1, name)?;
    let path = match types.get(1) {
        None => return nullable(vec![document], result),
        Some(None) if matches!(name, "json_query" | "json_path_exists") => return Err(null_path(&name.to_uppercase())),
        Some(None) => return Err(invalid_argument(None, 2, name)),
        Some(path) => document_type(*path, 2, name)?,
    };
    nullable(vec![document, path], result)
}

fn bind_query(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let result = if types[0].is_some_and(is_max) { TEXT_MAX } else { nvarchar(4000) };
    bind_document(types, "json_query", result)
}

fn bind_exists(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    bind_document(types, "json_path_exists", SqlType::Int)
}

fn bind_modify(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let mut signature = bind_document(&types[..2], "json_modify", TEXT_MAX)?;
    signature.params.push(match types[2] {
        None => SqlType::Int,
        // It is written as the float that it converts to.
        Some(SqlType::Real) => SqlType::Float,
        Some(sql) if sql.is_string() && sql != SqlType::Xml || is_plain_number(&sql) => sql,
        refused => return Err(invalid_argument(refused, 3, "json_modify")),
    });
    signature.params.extend(types.get(3).map(|_| SqlType::Bit));
    Ok(signature)
}

fn is_plain_number(sql: &SqlType) -> bool {
    sql.is_integer() || matches!(sql, SqlType::Bit | SqlType::Float | SqlType::Decimal { .. })
}

fn bind_built(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    nullable(types.iter().map(|sql| sql.unwrap_or(SqlType::Int)).collect(), TEXT_MAX)
}

/// The type of a document or a path: any text, or NULL.
fn document_type(given: Option<SqlType>, position: usize, function: &str) -> SqlResult<SqlType> {
    match given {
        None => Ok(nvarchar(1)),
        Some(sql) if sql.is_string() && sql != SqlType::Xml => Ok(sql),
        Some(_) => Err(invalid_argument(given, position, function)),
    }
}

/// 8116 of a path that is NULL, in the state and the letters that the server has for it when a statement runs.
fn null_path(function: &str) -> SqlError {
    SqlError::of(8116, 8, &[&"NULL", &2, &function])
}

/// The path of a call.
fn path_of(args: &[&Value], function: &str) -> SqlResult<Path> {
    match args.get(1) {
        None => Ok(Path::default()),
        Some(Value::Null) => Err(null_path(function)),
        Some(path) => Path::parse(text(path), function == "JSON_MODIFY"),
    }
}

/// 13608
fn missing(state: u8) -> SqlError {
    SqlError::of(13_608, state, &[])
}

fn is_json(watch: Watch<'_>, args: &[&Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Some(document) = args[0].as_str() else { return Ok(Value::Null) };
    let kind = args.get(1).and_then(|kind| kind.as_i64());
    let mut reader = match kind {
        None => Reader::new(document, watch),
        Some(_) => Reader::of_any(document, watch),
    };
    let mut read = || {
        let first = reader.token()?;
        reader.skip(first)?;
        reader.finish()?;
        Ok(first)
    };
    let is_it = match read() {
        Err(Fault::Unexpected(_)) => false,
        Err(fault) => return Err(fault.of(document, 1)),
        Ok(first) => match kind {
            Some(2) => first == Token::Open(Container::Array),
            Some(3) => first == Token::Open(Container::Object),
            Some(4) => matches!(first, Token::Scalar(Scalar::Number(_) | Scalar::String(_))),
            _ => true,
        },
    };
    Ok(Value::Int(i32::from(is_it)))
}

fn json_value(watch: Watch<'_>, args: &[&Value], params: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let path = path_of(args, "JSON_VALUE")?;
    let Some(document) = args[0].as_str() else { return Ok(Value::Null) };
    let state = State::of(&params[0]);
    let mut reader = Reader::new(document, watch);
    let scalar = match find(&mut reader, &path.steps).map_err(|fault| fault.of(document, state.of_text))? {
        Found::Missing(_) if path.is_strict => return Err(missing(state.of_text)),
        Found::Value(Place { scalar: None, .. }) if path.is_strict => {
            return Err(SqlError::of(13_623, state.of_kind, &[]));
        }
        Found::Missing(_) | Found::Value(Place { scalar: None, .. }) => return Ok(Value::Null),
        Found::Value(Place { scalar: Some(scalar), .. }) => scalar,
    };
    // What is far too long is not made at all: an escape has six bytes at most for a unit, a character three.
    let written = match scalar {
        Scalar::String(raw) => raw.text.len(),
        _ => 0,
    };
    let fits = |text: &str| text.len() <= UNITS_MAX || utf16_len(text) <= UNITS_MAX;
    let is_cut = !is_max(params[0]);
    if written > 6 * UNITS_MAX && !is_cut {
        return too_long(path.is_strict);
    }
    match scalar.text() {
        None => Ok(Value::Null),
        Some(text) if fits(&text) => Ok(Value::str(&text)),
        Some(text) if is_cut => Ok(Value::from(prefix(&text, UNITS_MAX))),
        Some(_) => too_long(path.is_strict),
    }
}

/// The states of JSON_VALUE and JSON_QUERY, by the type of the document.
struct State {
    /// 13608, 13609
    of_text: u8,
    /// 13623, 13624
    of_kind: u8,
}

impl State {
    fn of(document: &SqlType) -> State {
        if is_max(*document) { State { of_text: 2, of_kind: 1 } } else { State { of_text: 1, of_kind: 2 } }
    }
}

/// A text that does not fit into JSON_VALUE's result.
fn too_long(is_strict: bool) -> SqlResult<Value> {
    if is_strict { Err(SqlError::of(13_625, 1, &[])) } else { Ok(Value::Null) }
}

fn json_query(watch: Watch<'_>, args: &[&Value], params: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let path = path_of(args, "JSON_QUERY")?;
    let Some(document) = args[0].as_str() else { return Ok(Value::Null) };
    let is_cut = !is_max(params[0]) && document.len() > UNITS_MAX && utf16_len(document) > UNITS_MAX;
    let shortened = if is_cut { prefix(document, UNITS_MAX) } else { Default::default() };
    let document = if is_cut { shortened.as_str() } else { document };
    let state = State::of(&params[0]);
    let mut reader = Reader::new(document, watch);
    match find(&mut reader, &path.steps).map_err(|fault| fault.of(document, state.of_text))? {
        Found::Missing(_) if path.is_strict => Err(missing(state.of_text)),
        Found::Missing(_) => Ok(Value::Null),
        Found::Value(Place { scalar: None, range, .. }) => {
            check_size(watch, range.len())?;
            Ok(Value::str(&document[range]))
        }
        Found::Value(Place { scalar: Some(Scalar::Null), .. }) => Ok(Value::Null),
        Found::Value(_) if path.is_strict => Err(SqlError::of(13_624, state.of_kind, &[])),
        Found::Value(_) => Ok(Value::Null),
    }
}

fn path_exists(watch: Watch<'_>, args: &[&Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let path = path_of(args, "JSON_PATH_EXISTS")?;
    let Some(document) = args[0].as_str() else { return Ok(Value::Null) };
    let mut reader = Reader::new(document, watch);
    let found = find(&mut reader, &path.steps).and_then(|found| reader.finish().map(|()| found));
    match found {
        Ok(found) => Ok(Value::Int(i32::from(matches!(found, Found::Value(_))))),
        Err(Fault::Unexpected(_)) => Ok(Value::Int(0)),
        Err(fault) => Err(fault.of(document, 1)),
    }
}

fn json_modify(watch: Watch<'_>, args: &[Value], params: &[SqlType]) -> SqlResult<Value> {
    let path = path_of(&[&args[0], &args[1]], "JSON_MODIFY")?;
    let Some(document) = args[0].as_str() else { return Ok(Value::Null) };
    let is_json = args.get(3) == Some(&Value::Bit(true));
    let write = &mut |writer: &mut Writer<'_>| writer.value(&args[2], &params[2], is_json);
    let changed = modify(watch, document, &path, args[2].is_null(), write)?;
    Ok(changed.unwrap_or_else(|| args[0].clone()))
}

/// The values of JSON_OBJECT and JSON_ARRAY with what the binder says of them: `N` or `A` (NULL ON NULL, ABSENT ON NULL), then
/// `j` for each value that is a text of JSON and `t` for any other.
struct Built<'a> {
    keeps_null: bool,
    is_json: &'a [u8],
    values: &'a [Value],
    types: &'a [SqlType],
}

impl<'a> Built<'a> {
    fn of(args: &'a [Value], types: &'a [SqlType]) -> Built<'a> {
        let flags = args[0].as_str().unwrap_or_default().as_bytes();
        let (first, is_json) = flags.split_first().unwrap_or((&b'N', &[]));
        Built { keeps_null: *first == b'N', is_json, values: &args[1..], types: &types[1..] }
    }

    fn is_json(&self, place: usize) -> bool {
        self.is_json.get(place) == Some(&b'j')
    }
}

fn json_object(watch: Watch<'_>, args: &[Value], types: &[SqlType]) -> SqlResult<Value> {
    let built = Built::of(args, types);
    let mut writer = Writer::new(watch);
    writer.sign('{');
    for (place, (pair, types)) in built.values.chunks(2).zip(built.types.chunks(2)).enumerate() {
        let [name, value] = pair else { break };
        if name.is_null() {
            return Err(null_name("json_object"));
        }
        if value.is_null() && !built.keeps_null {
            continue;
        }
        if writer.len() > 1 {
            writer.sign(',');
        }
        writer.name(name, &types[0])?;
        writer.value(value, &types[1], built.is_json(place))?;
    }
    writer.sign('}');
    Ok(Value::from(writer.into_text()))
}

fn json_array(watch: Watch<'_>, args: &[Value], types: &[SqlType]) -> SqlResult<Value> {
    let built = Built::of(args, types);
    let mut writer = Writer::new(watch);
    writer.sign('[');
    for (place, (value, sql)) in built.values.iter().zip(built.types).enumerate() {
        if value.is_null() && !built.keeps_null {
            continue;
        }
        if writer.len() > 1 {
            writer.sign(',');
        }
        writer.value(value, sql, built.is_json(place))?;
    }
    writer.sign(']');
    Ok(Value::from(writer.into_text()))
}

/// An element of JSON_ARRAYAGG as it is written: the flags of a call of JSON_ARRAY, and the value. NULL for one that is left
/// out. No text can call it.
pub static ELEMENT: FunctionDef = pure("JSON_ELEMENT", (2, 2), bind_built, |ctx, args, types, _| {
    let built = Built::of(args, types);
    let (value, sql) = (&built.values[0], &built.types[0]);
    if value.is_null() && !built.keeps_null {
        return Ok(Value::Null);
    }
    let mut writer = Writer::new(ctx.watch());
    writer.value(value, sql, built.is_json(0))?;
    Ok(Value::from(writer.into_text()))
});

/// The same of a member of JSON_OBJECTAGG: flags, name and value.
pub static MEMBER: FunctionDef = pure("JSON_MEMBER", (3, 3), bind_built, |ctx, args, types, _| {
    let built = Built::of(args, types);
    let [name, value] = built.values else { return Ok(Value::Null) };
    if name.is_null() {
        return Err(null_name("json_object"));
    }
    if value.is_null() && !built.keeps_null {
        return Ok(Value::Null);
    }
    let mut writer = Writer::new(ctx.watch());
    writer.name(name, &built.types[0])?;
    writer.value(value, &built.types[1], built.is_json(0))?;
    Ok(Value::from(writer.into_text()))
});

/// The container of what an aggregate has joined: the text, the number of its rows, and the sign that it begins with. Rows
/// that have all been left out make an empty one, no rows NULL.
pub static CONTAINER: FunctionDef = pure("JSON_CONTAINER", (3, 3), bind_built, |ctx, args, _, _| {
    let joined = match (args[0].as_str(), args[1].as_i64()) {
        (Some(joined), _) => joined,
        (None, Some(rows)) if rows > 0 => "",
        _ => return Ok(Value::Null),
    };
    let (first, last) = if args[2].as_str() == Some("{") { ('{', '}') } else { ('[', ']') };
    let mut writer = Writer::new(ctx.watch());
    writer.sign(first);
    writer.plain(joined)?;
    writer.sign(last);
    Ok(Value::from(writer.into_text()))
});
