//! Assignments that append something to their own variable, `SET @s += …` and `SET @s = @s + … + …`: done where the value is,
//! so that a loop that builds a long text costs what the text is long, not its square.

use millpond_builtin::eval::{Rows, check_joined, eval, needs_plan, null_or};
use millpond_catalog::expr::{ArithOp, BoundExpr, Kind};
use millpond_catalog::run::Run;
use millpond_code::code::Scalar;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::{Value, arith};

use crate::exec::batch::{BatchRun, scope};

/// The parts as one value.
fn joined(ctx: &RunContext, parts: &[BoundExpr], expr: &BoundExpr, rows: Rows<'_>) -> SqlResult<Value> {
    let (first, others) = parts.split_first().expect("something is added");
    let mut all = eval(first, ctx, rows)?;
    for part in others {
        let part = eval(part, ctx, rows)?;
        all = sum(ctx, &all, &part, expr)?;
    }
    Ok(all)
}

fn sum(ctx: &RunContext, left: &Value, right: &Value, expr: &BoundExpr) -> SqlResult<Value> {
    ctx.watch().check()?;
    check_joined(ctx, left, right)?;
    let made = arith::arithmetic(ArithOp::Add, left, right, &expr.ty.sql);
    ctx.hold(made.or_else(|error| null_or(ctx, message::of_eval(error))))
}

/// What `expr` appends to the variable in `slot`, whose type it has, in its order; nothing if it does anything else. Only
/// values of `(max)` types are worth it, and only they are never cut.
pub(in crate::exec) fn appended(expr: &BoundExpr, slot: usize) -> Vec<BoundExpr> {
    let sql = &expr.ty.sql;
    if !sql.is_max() || !(sql.is_string() || sql.is_binary()) {
        return Vec::new();
    }
    let (mut parts, mut rest) = (Vec::new(), expr);
    loop {
        match &rest.kind {
            Kind::Arith(ArithOp::Add, left, right) if rest.ty.sql == *sql && !needs_plan(right) => {
                parts.push(BoundExpr::clone(right));
                rest = left;
            }
            Kind::Variable(variable) if *variable == slot && rest.ty.sql == *sql => {
                parts.reverse();
                return parts;
            }
            _ => return Vec::new(),
        }
    }
}

/// `SET`, of which [`appended`] says what it adds.
pub(in crate::exec) fn append_to_variable(run: &mut BatchRun<'_>, scalar: &Scalar) -> SqlResult<()> {
    run.ended_us = None;
    run.ctx_mut().begin_statement();
    run.ctx.begin_row();
    let Scalar { expr, slot, appended, .. } = scalar;
    let more = match run.ctx.calls_functions || !run.ctx.sequences.is_empty() {
        true => scope::reading(run, |run| joined(&run.ctx, appended, expr, Rows::NONE))?,
        false => joined(&run.ctx, appended, expr, Rows::NONE)?,
    };
    append_value(run, *slot, &more, expr)
}

/// Adds what [`appended`] said of an assignment's `expr` to its variable, over one row.
pub(in crate::exec) fn append_of_row(
    run: &mut BatchRun<'_>,
    (slot, expr): (usize, &BoundExpr),
    parts: &[BoundExpr],
    row: &[Value],
) -> SqlResult<()> {
    let more = joined(&run.ctx, parts, expr, Rows::of(row))?;
    append_value(run, slot, &more, expr)
}

fn append_value(run: &mut BatchRun<'_>, slot: usize, more: &Value, expr: &BoundExpr) -> SqlResult<()> {
    run.ctx.watch().check()?;
    check_joined(&*run.ctx, &run.ctx.variables[slot], more)?;
    let ctx = run.ctx_mut();
    let workspace = ctx.engine.workspace();
    if ctx.variables[slot].append(more, |bytes| workspace.charge(bytes))? {
        return Ok(());
    }
    let value = sum(&run.ctx, &run.ctx.variables[slot], more, expr)?;
    run.ctx_mut().variables[slot] = value;
    Ok(())
}
