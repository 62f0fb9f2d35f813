//! SET STATISTICS PROFILE and SET STATISTICS XML: after the rows of each statement, a result with what each of its operators
//! did; as XML in one value, by `code::showplan_xml`.
//!
//! What always holds: the plan shown is the one that ran, with the counts of this execution alone. The first row is the
//! statement: its times are those of the whole, its spilled bytes those of STATISTICS IO, and it alone has a verdict.
//! What is not known is NULL. Inside INSERT … EXEC and functions nothing is shown: the rows would be taken for theirs.

use std::sync::Arc;

use millpond_code::code::{Bound, Code};
use millpond_code::plan_rows::shown;
use millpond_code::{kept, profile_rows, showplan_xml};
use millpond_engine::account::bottleneck::Spent;
use millpond_engine::account::kept_plan::document;
use millpond_engine::account::profile::{Figures, Profile};
use millpond_engine::account::statement_stats::StatementStats;
use millpond_engine::metadata::is_encrypted_module;
use millpond_message::error::SqlResult;
use millpond_message::sink::Done;
use millpond_showplan::{Operator, Scope};
use millpond_types::{SqlType, Value};

use crate::exec::batch::{BatchRun, COMMAND_SELECT, put_rows};

/// Begins to keep account of the operators of a statement; says whether it does.
#[inline]
pub(in crate::exec) fn begin_profile(run: &mut BatchRun<'_>) -> bool {
    let facts = &run.ctx.facts;
    let settings = &facts.settings;
    let is_asked = settings.statistics_profile | settings.statistics_xml;
    let is_wanted = is_asked && facts.insert_exec.is_none() && !facts.in_function;
    if is_wanted || run.ctx.profile.is_some() {
        run.ctx_mut().profile = is_wanted.then(Arc::default);
    }
    if is_wanted && let Some(bound) = run.bound_key.and_then(|key| run.plans.statements.get(key)) {
        kept::begin(&run.ctx, &run.variables, bound);
    }
    is_wanted
}

/// The statement has ended well and its rows are sent: shows what its operators did.
#[inline]
pub(in crate::exec) fn send_profile(run: &mut BatchRun<'_>, spent: Option<Spent>, rows: u64) {
    if run.ctx.profile.is_some() {
        send_kept_profile(run, spent, rows);
    }
}

fn send_kept_profile(run: &mut BatchRun<'_>, spent: Option<Spent>, rows: u64) {
    let profile = run.ctx_mut().profile.take();
    let (Some(profile), Some(spent)) = (profile, spent) else { return };
    let Some(bound) = run.bound_key.and_then(|key| run.plans.statements.get(key)).cloned() else { return };
    // Who has closed the result hears no more of it, and the statement is over.
    let _ = send_profile_rows(run, &bound, profile, &spent, rows);
}

fn send_profile_rows(
    run: &mut BatchRun<'_>,
    bound: &Bound,
    profile: Arc<Profile>,
    spent: &Spent,
    rows: u64,
) -> SqlResult<()> {
    let code = &bound.code;
    let instance = Arc::clone(run.ctx.engine.instance());
    let scope = Scope::new(run.variables.names()).with_profile(profile, instance);
    if is_encrypted_module(&run.ctx.engine, run.ctx.facts.database, run.frame.object) {
        return Ok(());
    }
    let Some(operator) = shown(&run.ctx, &scope, code)? else { return Ok(()) };
    // What changes a table has the statement's rows.
    let operator = match operator.figures {
        Some(_) => operator,
        None => operator.measured(Some(Figures { rows, executions: 1, ..Figures::default() })),
    };
    run.profiled += 1;
    let stats = bound.stats.as_deref();
    let text = stats.map_or("", StatementStats::shown_text);
    if run.ctx.facts.settings.statistics_xml {
        send_xml(run, code, stats, &operator, spent)?;
    }
    if !run.ctx.facts.settings.statistics_profile {
        return Ok(());
    }
    let rows = profile_rows::rows(text, code, run.profiled, &operator, (rows, spent, &run.ctx.work));
    send_beside(run, &profile_rows::columns(), &rows)
}

/// Sends a result beside the statement's own: @@ROWCOUNT stays the statement's.
fn send_beside(run: &mut BatchRun<'_>, columns: &[(&str, SqlType)], rows: &[Vec<Value>]) -> SqlResult<()> {
    put_rows(run, columns, rows)?;
    let row_count = (!run.ctx.facts.settings.nocount).then_some(rows.len() as u64);
    run.sink.done(Done { kind: run.kind, row_count, error: false, command: COMMAND_SELECT });
    Ok(())
}

/// The same as a document.
fn send_xml(
    run: &mut BatchRun<'_>,
    code: &Code,
    stats: Option<&StatementStats>,
    operator: &Operator,
    spent: &Spent,
) -> SqlResult<()> {
    let heading = showplan_xml::Heading {
        text: stats.map_or("", StatementStats::shown_text),
        kind: showplan_xml::kind(code),
        id: run.profiled,
        place: stats.map(|stats| (stats.text_id, stats.start)),
        settings: Some(&run.ctx.facts.settings),
        estimates: showplan_xml::estimates(&run.ctx, code),
        is_kept: false,
    };
    let ran = showplan_xml::Ran { spent, work: Some(&run.ctx.work) };
    let text = document(&showplan_xml::simple(&heading, Some(operator), Some(&ran), None));
    send_beside(run, &[showplan_xml::COLUMN], &[vec![Value::Str(text.into())]])
}
