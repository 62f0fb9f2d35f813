//! Functions that turn names into ids and back: databases, objects, schemas, types, columns, files.
//!
//! Nothing is known here: the catalog is asked each time, and what it does not know is NULL.

use millpond_storage::contract::DbId;
use millpond_types::{SqlType, Value};

use super::FunctionDef;
use super::args::{SYSNAME, int, nullable, nvarchar, text};
use super::define::{Bind, fixed, pure, strict_eval, strict_eval_in};
use super::facts::{FileFacts, ObjectFacts};
use super::naming::name_parts;
use crate::catalog::names_equal;
use crate::context::RunContext;
use crate::error::SqlResult;

/// Names with their quotes and dots.
const LONG_NAME: SqlType = nvarchar(1035);

const NAME_TO_INT: Bind = |types| nullable(vec![SYSNAME; types.len()], SqlType::Int);
const IDS_TO_NAME: Bind = |types| nullable(vec![SqlType::Int; types.len()], SYSNAME);

/// The functions.
pub(super) static FUNCTIONS: &[FunctionDef] = &[
    fixed(
        "DB_ID",
        (0, 1),
        NAME_TO_INT,
        strict_eval_in!(|ctx, args| {
            let id = args.first().map_or(Some(ctx.facts.database), |name| ctx.catalog().database_id(text(name)));
            Ok(id.map_or(Value::Null, |id| Value::Int(i32::from(id.0))))
        }),
    ),
    fixed(
        "DB_NAME",
        (0, 1),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| Ok(match args.first() {
            None => Value::str(&ctx.facts.database_name),
            Some(id) => database(id).and_then(|id| ctx.catalog().database_name(id)).into(),
        })),
    ),
    fixed("ORIGINAL_DB_NAME", (0, 0), IDS_TO_NAME, |ctx, _, _, _| Ok(Value::str(&ctx.facts.login.database))),
    fixed(
        "OBJECT_ID",
        (1, 2),
        |types| nullable([LONG_NAME, nvarchar(2)][..types.len()].to_vec(), SqlType::Int),
        strict_eval_in!(object_id),
    ),
    fixed(
        "OBJECT_NAME",
        (1, 2),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| { Ok(object(ctx, args).map(|object| object.name).into()) }),
    ),
    fixed(
        "OBJECT_SCHEMA_NAME",
        (1, 2),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| { Ok(object(ctx, args).map(|object| object.schema).into()) }),
    ),
    fixed(
        "OBJECTPROPERTY",
        (2, 2),
        |_| nullable(vec![SqlType::Int, SYSNAME], SqlType::Int),
        strict_eval_in!(object_property),
    ),
    fixed(
        "SCHEMA_ID",
        (0, 1),
        NAME_TO_INT,
        strict_eval_in!(|ctx, args| { Ok(ctx.catalog().schema_id(args.first().map_or(DEFAULT_SCHEMA, text)).into()) }),
    ),
    fixed(
        "SCHEMA_NAME",
        (0, 1),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| Ok(match args.first() {
            None => Value::str(DEFAULT_SCHEMA),
            Some(id) => id32(id).and_then(|id| ctx.catalog().schema_name(id)).into(),
        })),
    ),
    pure(
        "TYPE_ID",
        (1, 1),
        |_| nullable(vec![LONG_NAME], SqlType::Int),
        strict_eval!(|args, _, _| Ok(type_id(text(&args[0])))),
    ),
    pure(
        "TYPE_NAME",
        (1, 1),
        IDS_TO_NAME,
        strict_eval!(|args, _, _| {
            let wanted = int(&args[0]);
            let found = TYPES.iter().find(|(_, id)| i64::from(*id) == wanted);
            Ok(found.map_or(Value::Null, |(name, _)| Value::str(name)))
        }),
    ),
    fixed("COL_LENGTH", (2, 2), |_| nullable(vec![LONG_NAME, SYSNAME], SqlType::SmallInt), strict_eval_in!(col_length)),
    fixed(
        "COL_NAME",
        (2, 2),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| {
            let columns = id32(&args[0]).and_then(|id| ctx.catalog().columns(id)).unwrap_or_default();
            let index = usize::try_from(int(&args[1]) - 1).ok();
            Ok(index.and_then(|index| columns.into_iter().nth(index)).map(|(name, _)| name).into())
        }),
    ),
    fixed(
        "FILE_ID",
        (1, 1),
        |_| nullable(vec![SYSNAME], SqlType::SmallInt),
        strict_eval_in!(|ctx, args| {
            let id = file(ctx, &args[0]).and_then(|file| i16::try_from(file.file_id).ok());
            Ok(id.into())
        }),
    ),
    fixed(
        "FILE_IDEX",
        (1, 1),
        NAME_TO_INT,
        strict_eval_in!(|ctx, args| { Ok(file(ctx, &args[0]).map(|file| file.file_id).into()) }),
    ),
    fixed(
        "FILE_NAME",
        (1, 1),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| {
            let wanted = int(&args[0]);
            let files = ctx.catalog().files();
            Ok(files.into_iter().find(|file| i64::from(file.file_id) == wanted).map(|file| file.name).into())
        }),
    ),
    fixed("FILEPROPERTY", (2, 2), NAME_TO_INT, strict_eval_in!(file_property)),
];

/// The schema of every user here.
const DEFAULT_SCHEMA: &str = "dbo";

/// The types by name with their `user_type_id`. `sysname` is the one alias that ships with the server.
const TYPES: [(&str, i32); 24] = [
    ("uniqueidentifier", 36),
    ("date", 40),
    ("time", 41),
    ("datetime2", 42),
    ("tinyint", 48),
    ("smallint", 52),
    ("int", 56),
    ("smalldatetime", 58),
    ("real", 59),
    ("money", 60),
    ("datetime", 61),
    ("float", 62),
    ("bit", 104),
    ("decimal", 106),
    ("numeric", 108),
    ("smallmoney", 122),
    ("bigint", 127),
    ("varbinary", 165),
    ("varchar", 167),
    ("binary", 173),
    ("char", 175),
    ("nvarchar", 231),
    ("nchar", 239),
    ("sysname", 256),
];

fn id32(value: &Value) -> Option<i32> {
    i32::try_from(int(value)).ok()
}

fn database(value: &Value) -> Option<DbId> {
    u16::try_from(int(value)).ok().map(DbId)
}

fn object_id(ctx: &RunContext, args: &[Value]) -> SqlResult<Value> {
    let Some(name) = name_parts(text(&args[0])) else {
        return Ok(Value::Null);
    };
    let kind = args.get(1).map(|kind| text(kind).trim_end_matches(' ').to_ascii_uppercase());
    Ok(ctx.catalog().object_id(&name, kind.as_deref()).into())
}

fn object(ctx: &RunContext, args: &[Value]) -> Option<ObjectFacts> {
    let of = args.get(1).map_or(Some(ctx.facts.database), database)?;
    ctx.catalog().object(id32(&args[0])?, of)
}

fn object_property(ctx: &RunContext, args: &[Value]) -> SqlResult<Value> {
    let Some(object) = object(ctx, &args[..1]) else {
        return Ok(Value::Null);
    };
    let holds = match text(&args[1]).to_ascii_lowercase().as_str() {
        "istable" => matches!(object.kind, "U" | "S" | "IT"),
        "isusertable" => object.kind == "U",
        "issystemtable" => object.kind == "S",
        "isview" => object.kind == "V",
        "isprocedure" => object.kind == "P",
        "ismsshipped" => matches!(object.kind, "S" | "IT") || object.schema.eq_ignore_ascii_case("sys"),
        _ => return Ok(Value::Null),
    };
    Ok(Value::Int(i32::from(holds)))
}

fn type_id(name: &str) -> Value {
    let parts = name_parts(name).filter(|name| {
        name.database.is_none() && name.schema.as_deref().is_none_or(|schema| schema.eq_ignore_ascii_case("sys"))
    });
    let found = parts.and_then(|name| TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name.object)));
    found.map_or(Value::Null, |(_, id)| Value::Int(*id))
}

/// Bytes of a column as declared, -1 for `(max)`.
fn col_length(ctx: &RunContext, args: &[Value]) -> SqlResult<Value> {
    let table = name_parts(text(&args[0])).and_then(|name| ctx.catalog().object_id(&name, None));
    let columns = table.and_then(|table| ctx.catalog().columns(table)).unwrap_or_default();
    let column = columns.into_iter().find(|(name, _)| names_equal(name, text(&args[1])));
    let bytes = |ty: SqlType| ty.max_bytes().and_then(|bytes| i16::try_from(bytes).ok()).unwrap_or(-1);
    Ok(column.map(|(_, ty)| bytes(ty)).into())
}

fn file(ctx: &RunContext, name: &Value) -> Option<FileFacts> {
    ctx.catalog().files().into_iter().find(|file| names_equal(&file.name, text(name)))
}

fn file_property(ctx: &RunContext, args: &[Value]) -> SqlResult<Value> {
    let Some(file) = file(ctx, &args[0]) else {
        return Ok(Value::Null);
    };
    let flag = |holds: bool| Value::Int(i32::from(holds));
    Ok(match text(&args[1]).to_ascii_lowercase().as_str() {
        "spaceused" => {
            let pages = ctx.catalog().file_used_pages(file.file_id);
            pages.map_or(Value::Null, |pages| Value::Int(i32::try_from(pages).unwrap_or(i32::MAX)))
        }
        "isreadonly" => flag(file.is_read_only),
        "islogfile" => flag(file.is_log),
        "isprimaryfile" => flag(file.file_id == 1),
        _ => Value::Null,
    })
}
