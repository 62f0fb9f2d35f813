//! Where a request is: the statement that runs, for `sys.dm_exec_requests` and those who look its text up.

use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::account::command::Command;
use millpond_tsql::ast::{Span, Statement};

use crate::exec::batch::BatchRun;

/// A statement begins.
#[inline(always)]
pub(super) fn statement(run: &BatchRun<'_>, statement: &Statement) {
    part(run, statement, statement.span);
}

/// The condition of IF or WHILE begins: the words before the statement that hangs on it.
#[inline(always)]
pub(super) fn condition(run: &BatchRun<'_>, statement: &Statement, body: &Statement) {
    part(run, statement, Span { end: body.span.start, ..statement.span });
}

#[inline(always)]
fn part(run: &BatchRun<'_>, statement: &Statement, span: Span) {
    let shared = &run.ctx.session;
    shared.statement.mark(&run.parsed, span, || (run.frame.object, run.ctx.facts.database.0));
    shared.command.begin(Command::of(&statement.kind));
    shared.nest_level.store(run.ctx.facts.nest_level, Relaxed);
}
