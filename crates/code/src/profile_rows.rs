//! What a statement and its operators did, as the rows that SET STATISTICS PROFILE sends.
//!
//! ```text
//!   Rows, Executes │ the columns of SHOWPLAN_ALL │ ElapsedMs, CpuMs, MemoryKB, SpilledKB, ValuesByRow, Verdict
//!        of the original                         │ ours
//! ```
//! What always holds: the first row is the statement, whose times are those of the whole; what is not known is NULL.

use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::Change;
use millpond_engine::account::bottleneck::Spent;
use millpond_engine::account::profile::Figures;
use millpond_engine::account::work::WorkAccount;
use millpond_showplan::{Operator, PlanRow};
use millpond_types::{Decimal, MaxLen, SqlType, Value};

use crate::code::Code;
use crate::plan_rows::{COLUMNS, PARALLEL, operator_row, statement_row};

/// Milliseconds with their microseconds.
const MS: SqlType = SqlType::decimal(18, 3);

/// Columns before those of SHOWPLAN_ALL.
const BEFORE: [(&str, SqlType); 2] = [("Rows", SqlType::BigInt), ("Executes", SqlType::BigInt)];

/// Columns after them.
const AFTER: [(&str, SqlType); 6] = [
    ("ElapsedMs", MS),
    ("CpuMs", MS),
    ("MemoryKB", SqlType::BigInt),
    ("SpilledKB", SqlType::BigInt),
    ("ValuesByRow", SqlType::BigInt),
    ("Verdict", SqlType::NVarChar { len: MaxLen::Limited(256) }),
];

/// The columns.
#[must_use]
pub fn columns() -> Vec<(&'static str, SqlType)> {
    BEFORE.iter().chain(&COLUMNS).chain(&AFTER).copied().collect()
}

/// The statement, number `id` of its text, and its operators; `took`: its rows, what it has spent and its memory.
pub fn rows(
    text: &str,
    code: &Code,
    id: u32,
    operator: &Operator,
    (rows, spent, work): (u64, &Spent, &WorkAccount),
) -> Vec<Vec<Value>> {
    let lines = operator.rows(2, 1);
    let first = first_row(statement_row(text, title(code), id, 1, lines.first()), rows, spent, work);
    std::iter::once(first).chain(below(&lines, id)).collect()
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
        Value::Null,
        Value::Str(spent.text().into()),
    ]);
    row
}

fn below(lines: &[PlanRow<'_>], id: u32) -> Vec<Vec<Value>> {
    let one = |line: &PlanRow<'_>| {
        let figures = line.operator.figures;
        let of = |pick: fn(&Figures) -> Option<u64>| figures.as_ref().and_then(pick);
        let kb = |bytes: Option<u64>| bytes.map_or(Value::Null, |bytes| big(bytes.div_ceil(1024)));
        let time = |us: Option<u64>| us.map_or(Value::Null, ms);
        let count = |number: Option<u64>| number.map_or(Value::Null, big);
        let mut row = vec![count(of(|own| Some(own.rows))), count(of(|own| Some(own.executions)))];
        let mut shown = operator_row(line, id);
        shown[PARALLEL] = Value::Bit(figures.is_some_and(|own| own.is_parallel));
        row.extend(shown);
        row.extend([time(of(|own| own.elapsed_us)), time(of(|own| own.cpu_us))]);
        row.extend([kb(of(|own| own.memory_bytes)), kb(of(|own| own.spilled_bytes))]);
        row.extend([count(of(|own| own.values_by_row)), Value::Null]);
        row
    };
    lines.iter().map(one).collect()
}
