//! SETUSER: the old way to have the rights of a user of the database, for its owner and sysadmin.
//!
//! ```text
//!   facts.security ──SETUSER 'a'──▶ a ──SETUSER 'b'──▶ b ──SETUSER, USE──▶ what it was at first
//! ```
//! It is an EXECUTE AS USER whose place the next SETUSER takes. WITH NORESET there is no way back but a new login.

use std::sync::Arc;

use millpond_catalog::run::facts::Impersonation;
use millpond_engine::security::access;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rights::impersonate::named_context;
use millpond_tsql::ast::{ExecuteContext, SetUser, Statement};
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, scalar};
use crate::exec::security::impersonate::acts_as_another;

/// `SETUSER ['user' [WITH NORESET]]`
pub(in crate::exec) fn set_user(run: &mut BatchRun<'_>, statement: &Statement, set: &SetUser) -> SqlResult<()> {
    let Some(user) = &set.user else {
        end_set_user(run)?;
        run.done_without_count();
        return Ok(());
    };
    let sql = SqlType::NVarChar { len: MaxLen::Limited(128) };
    let name = match scalar::scalar(run, statement, 0, user, Some(sql))? {
        Value::Str(name) => name.trim_end_matches(' ').to_owned(),
        _ => return Err(refused("")),
    };
    let facts = &run.ctx.facts;
    let before = (Arc::clone(&facts.security), facts.impersonation.clone());
    end_set_user(run)?;
    become_user(run, &name, set.no_reset).inspect_err(|_| {
        let facts = &mut run.ctx_mut().facts;
        (facts.security, facts.impersonation) = before;
    })?;
    acts_as_another(run)
}

fn become_user(run: &mut BatchRun<'_>, name: &str, is_final: bool) -> SqlResult<()> {
    if !access(&run.ctx, run.ctx.facts.database)?.token.is_dbo() {
        return Err(refused(name));
    }
    let context = named_context(&run.ctx, &ExecuteContext::User(name.to_owned()));
    let context = context.ok().flatten().ok_or_else(|| refused(name))?;
    let facts = &mut run.ctx_mut().facts;
    let before = Impersonation {
        context: Arc::clone(&facts.security),
        level: facts.nest_level,
        database: facts.database,
        is_final,
        of_setuser: true,
        cookie: None,
        before: facts.impersonation.take(),
    };
    facts.impersonation = Some(Arc::new(before));
    facts.security = context;
    Ok(())
}

/// The session is again what it was before the last SETUSER, but for one WITH NORESET.
///
/// # Errors
/// Those of reading who it was.
pub(in crate::exec) fn end_set_user(run: &mut BatchRun<'_>) -> SqlResult<()> {
    let facts = &run.ctx.facts;
    let said = |set: &Arc<Impersonation>| set.of_setuser && !set.is_final && set.level == facts.nest_level;
    let Some(set) = facts.impersonation.clone().filter(said) else { return Ok(()) };
    let facts = &mut run.ctx_mut().facts;
    facts.security = Arc::clone(&set.context);
    facts.impersonation.clone_from(&set.before);
    acts_as_another(run)
}

/// 15157
fn refused(name: &str) -> SqlError {
    SqlError::of(15_157, 1, &[&name])
}
