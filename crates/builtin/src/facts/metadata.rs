//! Functions that turn names into ids and back: databases, objects, schemas, types, columns, files.
//!
//! Nothing is known here: the catalog is asked each time, and what it does not know is NULL.

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::{FileFacts, ObjectFacts};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::{SqlType, Value};

use crate::FunctionDef;
use crate::args::{SYSNAME, int, nullable, nvarchar, text};
use crate::define::{Bind, fixed, strict_eval_in};
use crate::facts::system_type::SYSTEM_TYPES;
use crate::facts::{as_variant, flag, table_property as columns, variant_of};
use crate::text::naming::name_parts;

/// Names with their quotes and dots.
const LONG_NAME: SqlType = nvarchar(1035);

const NAME_TO_INT: Bind = |types| nullable(vec![SYSNAME; types.len()], SqlType::Int);
const IDENTITY: Bind = |_| nullable(vec![LONG_NAME], SqlType::numeric(38, 0));
const IDS_TO_NAME: Bind = |types| nullable(vec![SqlType::Int; types.len()], SYSNAME);

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fixed(
        "DB_ID",
        (0, 1),
        NAME_TO_INT,
        strict_eval_in!(|ctx, args| {
            let id = args.first().map_or(Some(ctx.facts().database), |name| ctx.catalog().database_id(text(name)));
            Ok(id.map_or(Value::Null, |id| Value::Int(i32::from(id.0))))
        }),
    ),
    fixed(
        "DB_NAME",
        (0, 1),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| Ok(match args.first() {
            None => Value::str(&ctx.facts().database_name),
            Some(id) => database(id).and_then(|id| ctx.catalog().database_name(id)).into(),
        })),
    ),
    fixed("ORIGINAL_DB_NAME", (0, 0), IDS_TO_NAME, |ctx, _, _, _| Ok(Value::str(&ctx.facts().login.database))),
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
        "OBJECTPROPERTYEX",
        (2, 2),
        |_| nullable(vec![SqlType::Int, SYSNAME], SqlType::Variant),
        strict_eval_in!(object_property_ex),
    ),
    fixed(
        "COLUMNPROPERTY",
        (3, 3),
        |_| nullable(vec![SqlType::Int, SYSNAME, SYSNAME], SqlType::Int),
        strict_eval_in!(columns::column_property),
    ),
    fixed(
        "INDEXPROPERTY",
        (3, 3),
        |_| nullable(vec![SqlType::Int, SYSNAME, SYSNAME], SqlType::Int),
        strict_eval_in!(columns::index_property),
    ),
    fixed(
        "STATS_DATE",
        (2, 2),
        |_| nullable(vec![SqlType::Int, SqlType::Int], SqlType::DateTime),
        strict_eval_in!(columns::stats_date),
    ),
    fixed(
        "INDEX_COL",
        (3, 3),
        |_| nullable(vec![LONG_NAME, SqlType::Int, SqlType::Int], SYSNAME),
        strict_eval_in!(columns::index_col),
    ),
    fixed(
        "INDEXKEY_PROPERTY",
        (4, 4),
        |_| nullable(vec![SqlType::Int, SqlType::Int, SqlType::Int, SYSNAME], SqlType::Int),
        strict_eval_in!(columns::index_key_property),
    ),
    fixed(
        "IDENT_CURRENT",
        (1, 1),
        IDENTITY,
        strict_eval_in!(|ctx, args| {
            Ok(columns::named_table(ctx, &args[0])
                .and_then(|table| ctx.catalog().last_identity(table))
                .map_or(Value::Null, columns::decimal))
        }),
    ),
    fixed(
        "IDENT_SEED",
        (1, 1),
        IDENTITY,
        strict_eval_in!(|ctx, args| {
            Ok(columns::identity(ctx, &args[0]).map_or(Value::Null, |(seed, _)| columns::decimal(seed)))
        }),
    ),
    fixed(
        "IDENT_INCR",
        (1, 1),
        IDENTITY,
        strict_eval_in!(|ctx, args| {
            Ok(columns::identity(ctx, &args[0]).map_or(Value::Null, |(_, increment)| columns::decimal(increment)))
        }),
    ),
    fixed(
        "SCHEMA_ID",
        (0, 1),
        NAME_TO_INT,
        strict_eval_in!(|ctx, args| Ok(match args.first() {
            None => Value::Int(ctx.catalog().default_schema().0),
            Some(name) => ctx.catalog().schema_id(text(name)).into(),
        })),
    ),
    fixed(
        "SCHEMA_NAME",
        (0, 1),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| Ok(match args.first() {
            None => Value::str(&ctx.catalog().default_schema().1),
            Some(id) => id32(id).and_then(|id| ctx.catalog().schema_name(id)).into(),
        })),
    ),
    fixed("TYPE_ID", (1, 1), |_| nullable(vec![LONG_NAME], SqlType::Int), strict_eval_in!(type_id)),
    fixed(
        "TYPE_NAME",
        (1, 1),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| {
            let Some(wanted) = id32(&args[0]) else { return Ok(Value::Null) };
            if let Some((name, ..)) = SYSTEM_TYPES.iter().find(|(_, id, _)| *id == wanted) {
                return Ok(Value::str(name));
            }
            Ok(ctx.catalog().user_type_name(wanted).into())
        }),
    ),
    fixed("COL_LENGTH", (2, 2), |_| nullable(vec![LONG_NAME, SYSNAME], SqlType::SmallInt), strict_eval_in!(col_length)),
    fixed(
        "COL_NAME",
        (2, 2),
        IDS_TO_NAME,
        strict_eval_in!(|ctx, args| {
            Ok(id32(&args[0]).and_then(|id| ctx.catalog().column_name(id, int(&args[1]))).into())
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
    // Files in a cloud's storage alone have such properties.
    fixed(
        "FILEPROPERTYEX",
        (2, 2),
        |_| nullable(vec![SYSNAME, SYSNAME], SqlType::Variant),
        strict_eval_in!(|_, _| Ok(Value::Null)),
    ),
    // There are no conversations: of one that is not there the status is empty.
    fixed(
        "GET_TRANSMISSION_STATUS",
        (1, 1),
        |_| nullable(vec![SqlType::UniqueIdentifier], nvarchar(4000)),
        strict_eval_in!(|_, _| Ok(Value::str(""))),
    ),
];

fn id32(value: &Value) -> Option<i32> {
    i32::try_from(int(value)).ok()
}

fn database(value: &Value) -> Option<DbId> {
    u16::try_from(int(value)).ok().map(DbId)
}

fn object_id(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let Some(name) = name_parts(text(&args[0])) else {
        return Ok(Value::Null);
    };
    let kind = args.get(1).map(|kind| text(kind).trim_end_matches(' ').to_ascii_uppercase());
    Ok(ctx.catalog().object_id(&name, kind.as_deref()).into())
}

fn object(ctx: &dyn Run, args: &[Value]) -> Option<ObjectFacts> {
    let of = args.get(1).map_or(Some(ctx.facts().database), database)?;
    ctx.catalog().object(id32(&args[0])?, of)
}

fn object_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let Some(object) = object(ctx, &args[..1]) else {
        return Ok(Value::Null);
    };
    let id = id32(&args[0]).expect("the object was found by it");
    Ok(columns::object_property(ctx, id, &object, text(&args[1])))
}

/// OBJECTPROPERTYEX knows the type of what is there, that of a synonym's object and the number of rows too.
fn object_property_ex(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    match text(&args[1]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "basetype" => {
            let kind = id32(&args[0]).and_then(|id| ctx.catalog().base_type(id));
            Ok(kind.map_or(Value::Null, |kind| variant_of(ctx, SqlType::char(2), Value::from(format!("{kind:2}")))))
        }
        "cardinality" => Ok(as_variant(ctx, id32(&args[0]).and_then(|id| ctx.catalog().row_count(id)).into())),
        _ => Ok(as_variant(ctx, object_property(ctx, args)?)),
    }
}

fn type_id(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let Some(name) = name_parts(text(&args[0])).filter(|name| name.database.is_none()) else {
        return Ok(Value::Null);
    };
    let of_server = name.schema.as_deref().is_none_or(|schema| schema.eq_ignore_ascii_case("sys"));
    let known = SYSTEM_TYPES.iter().find(|(known, ..)| of_server && known.eq_ignore_ascii_case(&name.object));
    Ok(known.map(|(_, id, _)| *id).or_else(|| ctx.catalog().user_type_id(&name)).into())
}

/// Bytes of a column as declared, -1 for `(max)`.
fn col_length(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let table = columns::named_table(ctx, &args[0]);
    let sql = table.and_then(|table| ctx.catalog().column_type(table, text(&args[1])));
    let bytes = |ty: SqlType| ty.max_bytes().and_then(|bytes| i16::try_from(bytes).ok()).unwrap_or(-1);
    Ok(sql.map(bytes).into())
}

fn file(ctx: &dyn Run, name: &Value) -> Option<FileFacts> {
    ctx.catalog().files().into_iter().find(|file| names_equal(&file.name, text(name)))
}

fn file_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let Some(file) = file(ctx, &args[0]) else {
        return Ok(Value::Null);
    };
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
