//! TYPEPROPERTY, and filegroups by name and number.
//!
//! A database has one filegroup, PRIMARY: nothing makes another.

use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value};

use crate::FunctionDef;
use crate::args::{SYSNAME, int, nullable, nvarchar, text};
use crate::define::{fixed, strict_eval_in};
use crate::facts::system_type::SYSTEM_TYPES;
use crate::facts::{flag, user_type};
use crate::text::naming::name_parts;

/// The only filegroup.
const PRIMARY: &str = "PRIMARY";
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
        strict_eval_in!(|_, args| Ok(if is_primary(&args[0]) { Value::Int(PRIMARY_ID) } else { Value::Null })),
    ),
    fixed(
        "FILEGROUP_NAME",
        (1, 1),
        |_| nullable(vec![SqlType::SmallInt], SYSNAME),
        strict_eval_in!(|_, args| {
            let is_it = int(&args[0]) == i64::from(PRIMARY_ID);
            Ok(if is_it { Value::str(PRIMARY) } else { Value::Null })
        }),
    ),
    fixed(
        "FILEGROUPPROPERTY",
        (2, 2),
        |_| nullable(vec![SYSNAME, SYSNAME], SqlType::Int),
        strict_eval_in!(|_, args| Ok(match text(&args[1]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
            _ if !is_primary(&args[0]) => Value::Null,
            "isdefault" => flag(true),
            "isreadonly" | "isuserdefinedfg" => flag(false),
            _ => Value::Null,
        })),
    ),
];

fn is_primary(name: &Value) -> bool {
    text(name).trim_end_matches(' ').eq_ignore_ascii_case(PRIMARY)
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
    let (precision, scale) = sql.precision_scale();
    Ok(match text(&args[1]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "allowsnull" => flag(nullable),
        "ownerid" => Value::Int(owner),
        "precision" => match sql.max_len() {
            _ if sql == SqlType::Xml => Value::Int(-1),
            Some(MaxLen::Max) => Value::Int(i32::MAX / if sql.is_unicode() { 2 } else { 1 }),
            Some(MaxLen::Limited(units)) => Value::Int(i32::from(units)),
            None if precision == 0 => {
                Value::Int(sql.max_bytes().and_then(|bytes| i32::try_from(bytes).ok()).unwrap_or(0))
            }
            None => Value::Int(i32::from(precision)),
        },
        "scale" if sql.is_numeric() && !matches!(sql, SqlType::Float | SqlType::Real) || sql.is_temporal() => {
            Value::Int(i32::from(scale))
        }
        "usesansitrim" if sql.is_string() || sql.is_binary() => flag(true),
        _ => Value::Null,
    })
}
