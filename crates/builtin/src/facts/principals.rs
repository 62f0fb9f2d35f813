//! Functions about principals: who acts, who is a member of what, what may be done.
//!
//! What always holds: a principal that is not there, or must not be known, is NULL.

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::run::Run;
use millpond_catalog::run::principals::{AskedPermission, LoginProperty};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{DateTime, MaxLen, SqlType, Value};

use crate::args::{SYSNAME, int, nullable, nvarchar, strict, text};
use crate::define::{Bind, fixed, per_row, strict_eval_in};
use crate::facts::variant_of;
use crate::{FunctionDef, Signature, password};

const NAME: Bind = |_| nullable(vec![], SYSNAME);
const SID: SqlType = SqlType::VarBinary { len: MaxLen::Limited(85) };
const HASH: SqlType = SqlType::VarBinary { len: MaxLen::Limited(128) };

/// Defines a function without arguments that names somebody.
macro_rules! name {
    ($name:literal, $of:expr) => {
        fixed($name, (0, 0), NAME, |ctx, _, _, _| {
            let of: fn(&dyn Run) -> Option<String> = $of;
            Ok(or_null(of(ctx)))
        })
    };
}

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fixed(
        "SYSTEM_USER",
        (0, 0),
        |_| strict(vec![], SYSNAME),
        |ctx, _, _, _| Ok(Value::str(&ctx.principals().login_name())),
    ),
    // Of an account of Windows, which this server knows none of.
    fixed(
        "SID_BINARY",
        (1, 1),
        |_| nullable(vec![SYSNAME], SqlType::VarBinary { len: MaxLen::Limited(85) }),
        |_, _, _, _| Ok(Value::Null),
    ),
    fixed(
        "ORIGINAL_LOGIN",
        (0, 0),
        |_| strict(vec![], SYSNAME),
        |ctx, _, _, _| Ok(Value::str(&ctx.facts().login.login)),
    ),
    name!("SESSION_USER", |ctx| ctx.principals().user_name()),
    name!("CURRENT_USER", |ctx| ctx.principals().user_name()),
    name!("USER", |ctx| ctx.principals().user_name()),
    fixed(
        "SUSER_SNAME",
        (0, 2),
        |types| optional(types, SID, SYSNAME),
        strict_eval_in!(|ctx, args| {
            Ok(or_null(match args.first() {
                None => Some(ctx.principals().login_name()),
                Some(sid) => ctx.principals().login_of_sid(sid.as_bytes().unwrap_or_default()),
            }))
        }),
    ),
    fixed(
        "SUSER_NAME",
        (0, 1),
        |types| optional(types, SqlType::Int, SYSNAME),
        strict_eval_in!(|ctx, args| {
            Ok(or_null(match args.first() {
                None => Some(ctx.principals().login_name()),
                Some(id) => number(id).and_then(|id| ctx.principals().login_name_of(id)),
            }))
        }),
    ),
    fixed(
        "SUSER_ID",
        (0, 1),
        names_to_int,
        strict_eval_in!(|ctx, args| { Ok(int_or_null(ctx.principals().login_id(args.first().map(text)))) }),
    ),
    fixed(
        "SUSER_SID",
        (0, 2),
        suser_sid_signature,
        strict_eval_in!(|ctx, args| {
            let sid = ctx.principals().login_sid(args.first().map(text));
            Ok(sid.map_or(Value::Null, |sid| Value::Binary(sid.into())))
        }),
    ),
    fixed(
        "USER_NAME",
        (0, 1),
        |types| optional(types, SqlType::Int, SYSNAME),
        strict_eval_in!(|ctx, args| {
            Ok(or_null(match args.first() {
                None => ctx.principals().user_name(),
                Some(id) => number(id).and_then(|id| ctx.principals().user_name_of(id)),
            }))
        }),
    ),
    fixed("USER_ID", (0, 1), names_to_int, strict_eval_in!(user_id)),
    fixed("DATABASE_PRINCIPAL_ID", (0, 1), names_to_int, strict_eval_in!(user_id)),
    fixed(
        "IS_SRVROLEMEMBER",
        (1, 2),
        names_to_int,
        strict_eval_in!(|ctx, args| {
            Ok(bit_or_null(ctx.principals().is_server_role_member(text(&args[0]), args.get(1).map(text))))
        }),
    ),
    fixed(
        "IS_MEMBER",
        (1, 1),
        names_to_int,
        strict_eval_in!(|ctx, args| { Ok(bit_or_null(ctx.principals().is_member(text(&args[0]), None))) }),
    ),
    fixed(
        "IS_ROLEMEMBER",
        (1, 2),
        names_to_int,
        strict_eval_in!(|ctx, args| {
            Ok(bit_or_null(ctx.principals().is_member(text(&args[0]), args.get(1).map(text))))
        }),
    ),
    fixed(
        "HAS_DBACCESS",
        (1, 1),
        names_to_int,
        strict_eval_in!(|ctx, args| { Ok(bit_or_null(ctx.principals().has_access(text(&args[0])))) }),
    ),
    fixed("HAS_PERMS_BY_NAME", (3, 5), names_to_int, has_permission),
    fixed("PERMISSIONS", (0, 2), permissions_signature, |ctx, args, _, _| permissions(ctx, args)),
    per_row("PWDENCRYPT", (1, 1), |_| nullable(vec![SYSNAME], HASH), |_, args, _, _| encrypt(&args[0])),
    fixed("PWDCOMPARE", (2, 3), pwdcompare_signature, |_, args, _, _| Ok(compare(&args[0], &args[1]))),
    fixed(
        "LOGINPROPERTY",
        (2, 2),
        |_| nullable(vec![SYSNAME, SYSNAME], SqlType::Variant),
        strict_eval_in!(|ctx, args| {
            let found = ctx.principals().login_property(text(&args[0]), text(&args[1]));
            Ok(found.map_or(Value::Null, |property| login_property(ctx, property)))
        }),
    ),
];

fn optional(types: &[Option<SqlType>], param: SqlType, result: SqlType) -> SqlResult<Signature> {
    nullable(vec![param; types.len()], result)
}

fn names_to_int(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    nullable(vec![nvarchar(4000); types.len()], SqlType::Int)
}

fn suser_sid_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    nullable([SYSNAME, SqlType::Int].into_iter().take(types.len()).collect(), SID)
}

fn permissions_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    nullable([SqlType::Int, SYSNAME].into_iter().take(types.len()).collect(), SqlType::Int)
}

fn permissions(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    if args.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    Ok(int_or_null(ctx.principals().permission_bits(args.first().and_then(number), args.get(1).map(text))))
}

/// The version of the hash is in itself; the argument for it is not looked at.
fn pwdcompare_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    nullable([SYSNAME, HASH, SqlType::Int].into_iter().take(types.len()).collect(), SqlType::Int)
}

fn compare(clear: &Value, hash: &Value) -> Value {
    let (Value::Str(clear), Value::Binary(hash)) = (clear, hash) else { return Value::Null };
    Value::Int(password::of_bytes(hash).map_or(0, |stored| i32::from(password::fits(clear, &stored))))
}

fn encrypt(clear: &Value) -> SqlResult<Value> {
    let Value::Str(clear) = clear else { return Ok(Value::Null) };
    let bytes = password::encrypt(clear).map_err(|cause| SqlError::of(8630, 1, &[&cause]))?;
    Ok(Value::Binary(bytes.into()))
}

fn number(value: &Value) -> Option<i32> {
    i32::try_from(int(value)).ok()
}

fn or_null(name: Option<String>) -> Value {
    name.map_or(Value::Null, |name| Value::str(&name))
}

fn int_or_null(id: Option<i32>) -> Value {
    id.map_or(Value::Null, Value::Int)
}

fn bit_or_null(is: Option<bool>) -> Value {
    int_or_null(is.map(i32::from))
}

fn user_id(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    Ok(int_or_null(ctx.principals().user_id(args.first().map(text))))
}

/// The securable and its class may be NULL: both mean the server.
fn has_permission(ctx: &dyn Run, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Some(permission) = args[2].as_str() else { return Ok(Value::Null) };
    let part = |at: usize| args.get(at).and_then(Value::as_str);
    let asked =
        AskedPermission { securable: part(0), class: part(1), permission, column: part(3), column_class: part(4) };
    Ok(bit_or_null(ctx.principals().has_permission(asked)))
}

fn login_property(ctx: &dyn Run, property: LoginProperty) -> Value {
    let (base, value) = match property {
        LoginProperty::Int(number) => (SqlType::Int, Value::Int(number)),
        LoginProperty::Text(text) => (SYSNAME, Value::str(&text)),
        LoginProperty::TimeUs(us) => {
            let time = DateTime::from_datetime2(datetime2_of_unix_us(us)).unwrap_or(DateTime::MAX);
            (SqlType::DateTime, Value::DateTime(time))
        }
        LoginProperty::Bytes(bytes) => {
            let base = SqlType::VarBinary { len: MaxLen::Limited(256) };
            (base, Value::Binary(bytes.into()))
        }
    };
    variant_of(ctx, base, value)
}
