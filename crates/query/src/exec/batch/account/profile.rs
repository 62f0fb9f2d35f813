//! SET STATISTICS PROFILE: after the rows of each statement, a result with what each of its operators did.
//!
//! ```text
//!   Rows, Executes │ the columns of SHOWPLAN_ALL │ ElapsedMs, CpuMs, MemoryKB, SpilledKB, Verdict
//!        of the original                         │ ours
//! ```
//! What always holds: the plan shown is the one that ran, with the counts of this execution alone. The first row is the
//! statement: its times are those of the whole, its spilled bytes those of STATISTICS IO, and it alone has a verdict.
//! What is not known is NULL. Inside INSERT … EXEC and functions nothing is shown: the rows would be taken for theirs.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::Change;
use millpond_code::code::{Bound, Code};
use millpond_code::plan_rows::{COLUMNS, PARALLEL, operator_row, shown, statement_row};
use millpond_engine::account::bottleneck::Spent;
use millpond_engine::account::profile::{Figures, Profile};
use millpond_engine::account::work::WorkAccount;
use millpond_engine::system_call::closed;
use millpond_message::error::SqlResult;
use millpond_message::sink::{Column, Done};
use millpond_plan::showplan::{Operator, Scope};
use millpond_types::{Decimal, MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, COMMAND_SELECT};

/// Milliseconds with their microseconds.
const MS: SqlType = SqlType::decimal(18, 3);

/// Columns before those of SHOWPLAN_ALL.
const BEFORE: [(&str, SqlType); 2] = [("Rows", SqlType::BigInt), ("Executes", SqlType::BigInt)];

/// Columns after them.
const AFTER: [(&str, SqlType); 5] = [
    ("ElapsedMs", MS),
    ("CpuMs", MS),
    ("MemoryKB", SqlType::BigInt),
    ("SpilledKB", SqlType::BigInt),
    ("Verdict", SqlType::NVarChar { len: MaxLen::Limited(256) }),
];

/// Begins to keep account of the operators of a statement; says whether it does.
#[inline]
pub(in crate::exec) fn begin_profile(run: &mut BatchRun<'_>) -> bool {
    let facts = &run.ctx.facts;
    let is_wanted = facts.settings.statistics_profile && facts.insert_exec.is_none() && !facts.in_function;
    if is_wanted || run.ctx.profile.is_some() {
        run.ctx_mut().profile = is_wanted.then(Arc::default);
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
    let Some(operator) = shown(&run.ctx, &scope, code)? else { return Ok(()) };
    // What changes a table has the statement's rows.
    let operator = match operator.figures {
        Some(_) => operator,
        None => operator.measured(Some(Figures { rows, executions: 1, ..Figures::default() })),
    };
    run.profiled += 1;
    let text = bound
        .stats
        .as_ref()
        .map_or("", |stats| stats.text.get(stats.start as usize..stats.end as usize).unwrap_or_default().trim());
    let first = first_row(statement_row(text, title(code), run.profiled, 1), rows, spent, &run.ctx.work);
    let below = profile_rows(&operator, run.profiled);
    let columns = BEFORE.iter().chain(&COLUMNS).chain(&AFTER);
    let columns: Vec<Column> = columns.map(|(name, sql)| Column::new(*name, *sql)).collect();
    run.sink.columns(&columns).map_err(closed)?;
    let count = 1 + below.len() as u64;
    for row in std::iter::once(first).chain(below) {
        run.sink.row(&row).map_err(closed)?;
    }
    let row_count = (!run.ctx.facts.settings.nocount).then_some(count);
    run.sink.done(Done { kind: run.kind, row_count, error: false, command: COMMAND_SELECT });
    Ok(())
}

/// Type of the statement's row.
fn title(code: &Code) -> &'static str {
    match code {
        Code::Insert(_) => "INSERT",
        Code::Merge(_) => "MERGE",
        Code::Change(change) if matches!(change.bound.change, Change::Delete) => "DELETE",
        Code::Change(_) => "UPDATE",
        _ => "SELECT",
    }
}

fn big(number: u64) -> Value {
    Value::BigInt(i64::try_from(number).unwrap_or(i64::MAX))
}

fn ms(us: u64) -> Value {
    Decimal::new(i128::from(us), 3).map_or(Value::Null, Value::Decimal)
}

/// The statement: `shown` are its columns of SHOWPLAN_ALL.
fn first_row(shown: Vec<Value>, rows: u64, spent: &Spent, work: &WorkAccount) -> Vec<Value> {
    let mut row = vec![big(rows), Value::BigInt(1)];
    row.extend(shown);
    row.extend([
        ms(spent.elapsed_us),
        ms(spent.cpu_us),
        big(work.used_bytes.load(Relaxed).div_ceil(1024)),
        big(work.spilled_kb()),
        Value::Str(spent.text().into()),
    ]);
    row
}

fn profile_rows(operator: &Operator, id: u32) -> Vec<Vec<Value>> {
    let one = |line: millpond_plan::showplan::PlanRow<'_>| {
        let figures = line.operator.figures;
        let of = |pick: fn(&Figures) -> Option<u64>| figures.as_ref().and_then(pick);
        let kb = |bytes: Option<u64>| bytes.map_or(Value::Null, |bytes| big(bytes.div_ceil(1024)));
        let time = |us: Option<u64>| us.map_or(Value::Null, ms);
        let count = |number: Option<u64>| number.map_or(Value::Null, big);
        let mut row = vec![count(of(|own| Some(own.rows))), count(of(|own| Some(own.executions)))];
        let mut shown = operator_row(&line, id);
        shown[PARALLEL] = Value::Bit(figures.is_some_and(|own| own.is_parallel));
        row.extend(shown);
        row.extend([time(of(|own| own.elapsed_us)), time(of(|own| own.cpu_us))]);
        row.extend([kb(of(|own| own.memory_bytes)), kb(of(|own| own.spilled_bytes)), Value::Null]);
        row
    };
    operator.rows(2, 1).into_iter().map(one).collect()
}
