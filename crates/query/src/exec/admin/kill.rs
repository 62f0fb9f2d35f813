//! KILL: of a session, and of what this server never has, which is answered as where there is none.

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_tsql::ast::{Expr, Kill, KillOption, Statement};
use millpond_types::{SqlType, Value};

use crate::exec::batch::{BatchRun, scalar};

/// The highest number that a session can have.
const SESSION_MAX: i32 = i16::MAX as i32;

/// `KILL …`
pub(in crate::exec) fn kill(run: &mut BatchRun<'_>, statement: &Statement, kill: &Kill) -> SqlResult<()> {
    if run.ctx.facts.tran_count > 0 {
        return Err(SqlError::of(6115, 1, &[]));
    }
    match kill {
        Kill::Work { what, option } => match scalar::scalar(run, statement, 0, what, None)? {
            // There is no coordinator of distributed transactions.
            Value::Str(unit) => match option {
                Some(KillOption::StatusOnly) => return Err(SqlError::of(6121, 1, &[&&*unit])),
                _ => return Err(SqlError::of(6110, 1, &[&&*unit])),
            },
            Value::Int(session) => kill_session(run, session, *option)?,
            _ => return Err(message::syntax_near("KILL")),
        },
        // Statistics are made by the statement that wants them.
        Kill::StatsJob(job) => {
            let job = number(run, statement, job)?;
            return Err(SqlError::of(49_900, 1, &[&job]));
        }
        Kill::Subscription(Some(which)) => {
            let which = number(run, statement, which)?;
            return Err(SqlError::of(9206, 1, &[&which]));
        }
        Kill::Subscription(None) => {}
    }
    run.done_without_count();
    Ok(())
}

fn number(run: &mut BatchRun<'_>, statement: &Statement, expr: &Expr) -> SqlResult<i32> {
    match scalar::scalar(run, statement, 0, expr, Some(SqlType::Int))? {
        Value::Int(number) => Ok(number),
        _ => Err(message::syntax_near("KILL")),
    }
}

/// A session that was killed before is reported; how far its rollback has come is not known.
fn kill_session(run: &mut BatchRun<'_>, id: i32, option: Option<KillOption>) -> SqlResult<()> {
    if matches!(option, Some(KillOption::Commit | KillOption::Rollback)) {
        return Err(SqlError::of(6108, 1, &[]));
    }
    if !(1..=SESSION_MAX).contains(&id) {
        return Err(SqlError::of(6101, 1, &[&id, &SESSION_MAX]));
    }
    let is_status_only = option == Some(KillOption::StatusOnly);
    if id == i32::from(run.ctx.facts.session) && !is_status_only {
        return Err(SqlError::of(6104, 1, &[]));
    }
    let session = u16::try_from(id).ok().and_then(|id| run.ctx.engine.session(id));
    let session = session.ok_or_else(|| SqlError::of(6106, 2, &[&id]))?;
    if session.is_killed() {
        run.sink.message(&Message::of(6109, &[&id, &0, &0]));
        return Ok(());
    }
    if is_status_only {
        return Err(SqlError::of(6120, 1, &[&id]));
    }
    millpond_engine::admin::kill::kill(&run.ctx.engine, &session, run.ctx.facts.session);
    Ok(())
}
