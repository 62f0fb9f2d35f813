//! `sp_getapplock` and `sp_releaseapplock`: locks on names that applications agree on, for the session or its transaction.

use millpond_builtin::{app_lock_mode, app_lock_scope, application, invalid_parameter};
use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_engine::system_call::CallArg;
use millpond_message::error::{SqlError, SqlResult};
use millpond_txn::lock::{LockError, LockScope};
use millpond_types::{MaxLen, SqlType, Value};

use crate::session::Session;
use millpond_engine::system_args::settled;

const RESOURCE: (&str, SqlType) = ("@Resource", SqlType::NVarChar { len: MaxLen::Limited(255) });
const OWNER: (&str, SqlType) = ("@LockOwner", SqlType::varchar(32));
const PRINCIPAL: (&str, SqlType) = ("@DbPrincipal", SqlType::NVarChar { len: MaxLen::Limited(128) });
const GET: (&str, [(&str, SqlType); 5]) = (
    "sp_getapplock",
    [RESOURCE, ("@LockMode", SqlType::varchar(32)), OWNER, ("@LockTimeout", SqlType::Int), PRINCIPAL],
);
const RELEASE: (&str, [(&str, SqlType); 3]) = ("sp_releaseapplock", [RESOURCE, OWNER, PRINCIPAL]);

/// Whether it is a procedure of application locks.
pub(in crate::exec) fn is_app_lock(name: &str) -> bool {
    names_equal(name, GET.0) || names_equal(name, RELEASE.0)
}

/// The argument of a parameter, by its name or else its place.
fn arg<'a>(args: &'a [CallArg], names: &[(&str, SqlType)], index: usize) -> Option<&'a Value> {
    let named = |arg: &&CallArg| arg.name.as_deref().is_some_and(|given| names_equal(given, names[index].0));
    let by_place = || args.get(index).filter(|arg| arg.name.as_deref().unwrap_or("").is_empty());
    args.iter().find(named).or_else(by_place).and_then(|arg| arg.value.as_ref())
}

fn text<'a>(args: &'a [CallArg], names: &[(&str, SqlType)], index: usize) -> Option<&'a str> {
    arg(args, names, index).and_then(Value::as_str)
}

/// Runs the procedure; its return status.
///
/// # Errors
/// 1222-like outcomes are statuses; errors are those of the arguments, and 1223 for a lock that is not held.
pub(in crate::exec) fn app_lock(
    session: &mut Session,
    ctx: &RunContext,
    name: &str,
    args: &[CallArg],
) -> SqlResult<i32> {
    if names_equal(name, GET.0) {
        get_app_lock(session, ctx, &settled((GET.0, &GET.1), args.to_vec(), ctx.cast_rules())?)
    } else {
        release_app_lock(session, ctx, &settled((RELEASE.0, &RELEASE.1), args.to_vec(), ctx.cast_rules())?)
    }
}

fn get_app_lock(session: &mut Session, ctx: &RunContext, args: &[CallArg]) -> SqlResult<i32> {
    let names = &GET.1;
    let name = text(args, names, 0).ok_or_else(|| invalid_parameter("@Resource"))?;
    let mode = text(args, names, 1).and_then(app_lock_mode).ok_or_else(|| invalid_parameter("@LockMode"))?;
    let owner = text(args, names, 2).unwrap_or("Transaction");
    let scope = app_lock_scope(ctx, text(args, names, 4).unwrap_or("public"), owner)?;
    let timeout_ms = match arg(args, names, 3).filter(|value| !value.is_null()) {
        None => session.work.lock_timeout_ms(),
        Some(value) => match value.as_i64() {
            Some(-1) => None,
            Some(wait) => Some(u32::try_from(wait).map_err(|_| invalid_parameter("@LockTimeout"))?),
            None => return Err(invalid_parameter("@LockTimeout")),
        },
    };
    let resource = application(ctx.facts.database, name);
    let locks = session.work.locks();
    let ask = ctx.ask_other();
    let at_once = |wait: Option<u32>| match scope {
        LockScope::Session => locks.lock_for_session(&ask, resource, mode, wait),
        LockScope::Transaction => locks.lock(&ask, resource, mode, wait),
    };
    let status = match at_once(Some(0)) {
        Ok(()) => 0,
        Err(LockError::Timeout { .. }) if timeout_ms == Some(0) => return Ok(-1),
        Err(LockError::Timeout { .. }) => match at_once(timeout_ms) {
            Ok(()) => 1,
            Err(LockError::Timeout { .. }) => return Ok(-1),
            Err(LockError::Cancelled) => return Ok(-2),
            Err(LockError::Deadlock(_)) => return Ok(-3),
            Err(LockError::TooMany) => return Err(too_many()),
        },
        Err(LockError::Cancelled) => return Ok(-2),
        Err(LockError::Deadlock(_)) => return Ok(-3),
        Err(LockError::TooMany) => return Err(too_many()),
    };
    locks.name_application(resource, name);
    Ok(status)
}

fn release_app_lock(session: &mut Session, ctx: &RunContext, args: &[CallArg]) -> SqlResult<i32> {
    let names = &RELEASE.1;
    let name = text(args, names, 0).ok_or_else(|| invalid_parameter("@Resource"))?;
    let principal = text(args, names, 2).unwrap_or("public");
    let scope = app_lock_scope(ctx, principal, text(args, names, 1).unwrap_or("Transaction"))?;
    let resource = application(ctx.facts.database, name);
    let released = match scope {
        LockScope::Session => session.work.locks().unlock_for_session(resource),
        LockScope::Transaction => session.work.locks().unlock(resource),
    };
    if released {
        return Ok(0);
    }
    Err(SqlError::of(1223, 1, &[&principal, &name]))
}

/// 1204
fn too_many() -> SqlError {
    SqlError::of(1204, 4, &[])
}
