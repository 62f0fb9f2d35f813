//! EXECUTE AS and REVERT: whose rights the statements that follow have.
//!
//! ```text
//!   facts.security ──EXECUTE AS──▶ another, the one before kept under it ──REVERT, end of the module──▶ the one before
//! ```
//! What always holds: a context that a module has set ends with the module; REVERT ends what its own level has set. With NO REVERT
//! or a cookie the way back is closed, or open to who has the cookie.

use std::sync::Arc;

use millpond_catalog::run::facts::{Acting, Impersonation};
use millpond_catalog::security::SecurityContext;
use millpond_engine::module::ReadModule;
use millpond_engine::security::{context_of_module, default_schema};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{ExecuteAs, Revert, Statement};
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, scalar};
use crate::session::Session;
use millpond_engine::security::random_bytes;
use millpond_rights::impersonate::named_context;

/// Contexts that are stacked at most.
const LEVELS_MAX: usize = 32;

/// `EXECUTE AS CALLER | LOGIN = 'name' | USER = 'name' [WITH NO REVERT | COOKIE INTO @v]`
pub(in crate::exec) fn execute_as(run: &mut BatchRun<'_>, statement: &ExecuteAs) -> SqlResult<()> {
    let is_special = statement.no_revert || statement.cookie.is_some();
    if is_special && run.ctx.facts.nest_level > 0 {
        return Err(SqlError::of(15_590, 1, &[]));
    }
    if depth(&run.ctx.facts.impersonation) >= LEVELS_MAX {
        return Err(SqlError::of(15_159, 1, &[&LEVELS_MAX]));
    }
    // Where it is not in a module the caller is the session itself.
    let context = named_context(&run.ctx, &statement.context)?.unwrap_or_else(|| caller(run));
    let mut cookie = None;
    if let Some(variable) = &statement.cookie {
        let bytes = random_bytes::<32>()?;
        let (slot, _) = run.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
        let sql = SqlType::VarBinary { len: MaxLen::Limited(32) };
        scalar::assign(run, slot, &Value::Binary(bytes.to_vec().into()), &sql)?;
        cookie = Some(Arc::from(bytes));
    }
    let facts = &mut run.ctx_mut().facts;
    let before = Impersonation {
        context: Arc::clone(&facts.security),
        level: facts.nest_level,
        database: facts.database,
        is_final: statement.no_revert,
        of_setuser: false,
        cookie,
        before: facts.impersonation.take(),
    };
    facts.impersonation = Some(Arc::new(before));
    facts.security = context;
    acts_as_another(run)
}

pub(super) fn acts_as_another(run: &mut BatchRun<'_>) -> SqlResult<()> {
    take_effect(run)?;
    run.done_without_count();
    Ok(())
}

/// What a procedure of the server has made of the session: an application role, or what it was before.
pub(in crate::exec) fn become_another(run: &mut BatchRun<'_>, acting: Acting) -> SqlResult<()> {
    let facts = &mut run.ctx_mut().facts;
    (facts.security, facts.impersonation) = (acting.security, acting.impersonation);
    take_effect(run)
}

/// Names without a schema are the other's from here on.
fn take_effect(run: &mut BatchRun<'_>) -> SqlResult<()> {
    let facts = &run.ctx.facts;
    let schema = default_schema(&run.ctx.engine, run.ctx.locks.transaction_number(), &facts.security, facts.database)?;
    let facts = &mut run.ctx_mut().facts;
    if facts.procedure == 0 {
        facts.schema = schema;
    }
    facts.default_schema = schema;
    run.session.shared.status.lock().acting = Arc::clone(&run.ctx.facts.security);
    run.plans.statements.clear();
    Ok(())
}

fn depth(impersonation: &Option<Arc<Impersonation>>) -> usize {
    let mut next = impersonation.as_ref();
    std::iter::from_fn(|| {
        let now = next?;
        next = now.before.as_ref();
        Some(())
    })
    .count()
}

fn caller(run: &BatchRun<'_>) -> Arc<SecurityContext> {
    let facts = &run.ctx.facts;
    match &facts.impersonation {
        Some(set) if set.level == facts.nest_level => Arc::clone(&set.context),
        _ => Arc::clone(&facts.security),
    }
}

/// `REVERT [WITH COOKIE = @v]`
pub(in crate::exec) fn revert(run: &mut BatchRun<'_>, statement: &Statement, revert: &Revert) -> SqlResult<()> {
    let given = match &revert.cookie {
        None => None,
        Some(expr) => match scalar::scalar(run, statement, 0, expr, None)? {
            Value::Binary(bytes) => Some(bytes),
            _ => return Err(SqlError::of(15_591, 1, &[])),
        },
    };
    let facts = &run.ctx.facts;
    let is_role = facts.security.is_application_role();
    let Some(set) = facts.impersonation.clone().filter(|set| set.level == facts.nest_level && !is_role) else {
        // Nothing is set here, or an application role: REVERT does nothing.
        run.done_without_count();
        return Ok(());
    };
    if set.is_final {
        return Err(SqlError::of(15_196, 1, &[]));
    }
    if set.cookie.as_deref() != given.as_deref() {
        return Err(SqlError::of(15_591, 1, &[]));
    }
    if set.database != facts.database {
        let name = run.ctx.engine.database_name(set.database).unwrap_or_default();
        return Err(SqlError::of(15_199, 1, &[&name]));
    }
    let facts = &mut run.ctx_mut().facts;
    facts.security = Arc::clone(&set.context);
    facts.impersonation.clone_from(&set.before);
    acts_as_another(run)
}

/// EXECUTE AS of a module.
pub(in crate::exec) fn of_module(
    session: &Session,
    database: DbId,
    module: &ReadModule,
) -> SqlResult<Option<Arc<SecurityContext>>> {
    match &module.context {
        None => Ok(None),
        Some(written) => {
            let own = session.locks.transaction_number();
            context_of_module(&session.engine, own, database, &module.def, written)
        }
    }
}
