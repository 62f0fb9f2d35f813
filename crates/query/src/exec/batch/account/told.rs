//! What sessions of extended events are told of statements. Control flow is none: what it runs is told of by itself.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::event_session::sites::{self, StatementPlace};
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{Statement, StatementKind as S};

use crate::exec::batch::{BatchRun, Flow};

/// Runs a statement, as `dispatch` does, between the events of its beginning and its end.
#[cold]
pub(in crate::exec) fn statement(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    dispatch: fn(&mut BatchRun<'_>, &Statement) -> SqlResult<Flow>,
) -> SqlResult<Flow> {
    if matches!(
        statement.kind,
        S::Block(_) | S::If { .. } | S::While { .. } | S::TryCatch { .. } | S::Atomic { .. } | S::Label(_)
    ) {
        return dispatch(run, statement);
    }
    let (engine, session) = (Arc::clone(&run.ctx.engine), Arc::clone(&run.ctx.session));
    let (parsed, procedure) = (Arc::clone(&run.parsed), run.frame.procedure.clone());
    let at = StatementPlace {
        text: &parsed.text,
        has_password: parsed.batch.has_password,
        span: statement.span,
        module: (run.ctx.facts.database.0, run.frame.object),
        procedure: procedure.as_deref(),
        nest_level: run.ctx.facts.nest_level,
    };
    let measure = sites::statement_begins(&engine, &session, &at);
    let spilled = session.spilled_pages.load(Relaxed);
    let done = dispatch(run, statement);
    let spilled = session.spilled_pages.load(Relaxed) - spilled;
    sites::statement_ended(&engine, &session, &at, (measure, run.ctx.facts.row_count, spilled));
    done
}
