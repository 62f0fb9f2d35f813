//! TYPEPROPERTY, and the filegroups of the current database by name and number.

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::FilegroupFacts;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::FunctionDef;
use crate::args::{SYSNAME, int, nullable, nvarchar, text};
use crate::define::{fixed, strict_eval_in};
use crate::facts::system_type::{SYSTEM_TYPES, type_precision, type_scale};
use crate::facts::{flag, user_type};
use crate::text::naming::name_parts;

/// The filegroup that every database has.
const PRIMARY_ID: i32 = 1;
/// The number of `dbo`, who owns all types.
const OWNER_ID: i32 = 1;
/// Of a type of the server, `sys`.
const OWNER_OF_SYSTEM_ID: i32 = 4;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fixed("TYPEPROPERTY", (2, 2), |_| nullable(vec![nvarchar(1035), SYSNAME], SqlType::Int), strict_eval_in!(property)),
    fixed(
        "FILEGROUP_ID",
        (1, 1),
        |_| nullable(vec![SYSNAME], SqlType::Int),
        strict_eval_in!(|ctx, args| {
            let found = filegroup(ctx, |group| is_named(group, &args[0]));
            Ok(found.map_or(Value::Null, |group| Value::Int(group.id)))
        }),
    ),
    fixed(
        "FILEGROUP_NAME",
        (1, 1),
        |_| nullable(vec![SqlType::SmallInt], SYSNAME),
        strict_eval_in!(|ctx, args| {
            let found = filegroup(ctx, |group| i64::from(group.id) == int(&args[0]));
            Ok(found.map(|group| group.name).into())
        }),
    ),
    fixed(
        "FILEGROUPPROPERTY",
        (2, 2),
        |_| nullable(vec![SYSNAME, SYSNAME], SqlType::Int),
        strict_eval_in!(|ctx, args| {
            let Some(group) = filegroup(ctx, |group| is_named(group, &args[0])) else { return Ok(Value::Null) };
            Ok(match text(&args[1]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
                "isdefault" => flag(group.is_default),
                "isreadonly" => flag(group.is_read_only),
                // The others are made by ALTER DATABASE.
                "isuserdefinedfg" => flag(group.id != PRIMARY_ID),
                _ => Value::Null,
            })
        }),
    ),
];

fn filegroup(ctx: &dyn Run, is_it: impl Fn(&FilegroupFacts) -> bool) -> Option<FilegroupFacts> {
    ctx.catalog().filegroups().into_iter().find(is_it)
}

fn is_named(group: &FilegroupFacts, name: &Value) -> bool {
    names_equal(&group.name, text(name).trim_end_matches(' '))
}

/// What is known of a type: its form, whether its columns take NULL, and who owns it.
struct Known {
    sql: SqlType,
    nullable: bool,
    owner: i32,
}

fn known(ctx: &dyn Run, name: &str) -> Option<Known> {
    let parts = name_parts(name).filter(|parts| parts.database.is_none())?;
    let of_server = parts.schema.as_deref().is_none_or(|schema| schema.eq_ignore_ascii_case("sys"));
    let found = SYSTEM_TYPES.iter().find(|(known, ..)| of_server && known.eq_ignore_ascii_case(&parts.object));
    if let Some((name, _, sql)) = found {
        let nullable = !matches!(*name, "timestamp" | "sysname");
        return Some(Known { sql: *sql, nullable, owner: OWNER_OF_SYSTEM_ID });
    }
    let (sql, nullable) = user_type(ctx, &parts)?;
    Some(Known { sql, nullable, owner: OWNER_ID })
}

fn property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let Some(Known { sql, nullable, owner }) = known(ctx, text(&args[0])) else { return Ok(Value::Null) };
    Ok(match text(&args[1]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "allowsnull" => flag(nullable),
        "ownerid" => Value::Int(owner),
        "precision" => Value::Int(type_precision(&sql)),
        "scale" => type_scale(&sql).map_or(Value::Null, Value::Int),
        "usesansitrim" if sql.is_string() || sql.is_binary() => flag(true),
        _ => Value::Null,
    })
}
