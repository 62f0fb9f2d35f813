//! Values of one expression: of SET, IF, WHILE, RETURN, arguments and TOP, by a formula over int variables where they are one.

use std::sync::Arc;

use millpond_builtin::eval::{Rows, eval, needs_plan};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{QueryHints, Rel};
use millpond_catalog::run::Run;
use millpond_code::code::{AHEAD, Code, Scalar};
use millpond_code::code_key::CodeKey;
use millpond_code::int_formula::{IntFormula, IntTest};
use millpond_direct::runner::Runner;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{Expr, Statement, StatementKind};
use millpond_types::{SqlType, Value};

use crate::exec::batch::account::notes;
use crate::exec::batch::{BatchRun, scope};
use millpond_names::declared;

/// The condition of IF or WHILE. Asked, it counts as a statement that ended well and touched no rows ("Using @@ERROR": IF
/// resets it; so does @@ROWCOUNT).
pub(in crate::exec) fn condition(run: &mut BatchRun<'_>, statement: &Statement, condition: &Expr) -> SqlResult<bool> {
    let holds = holds(run, statement, condition)?;
    let facts = &mut run.ctx_mut().facts;
    (facts.error, facts.row_count) = (0, 0);
    Ok(holds)
}

fn holds(run: &mut BatchRun<'_>, statement: &Statement, condition: &Expr) -> SqlResult<bool> {
    if let Some(holds) = condition_by_formula(run, statement) {
        return Ok(holds);
    }
    let code = condition_code(run, statement, condition)?;
    let holds = matches!(value(run, &code)?, Value::Bit(true));
    notes::send_notes(run);
    // What it has named is left before its statement begins.
    run.session.shared.end_statement(run.ctx.facts.nest_level);
    Ok(holds)
}

/// The code of the condition of IF or WHILE.
pub(in crate::exec) fn condition_code(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    condition: &Expr,
) -> SqlResult<Arc<Scalar>> {
    run.bound(statement, CodeKey::of(statement), |binder, _| {
        Ok(Arc::new(scalar_of(binder.condition(condition)?, 0, &binder.hints)))
    })
}

/// The code of a statement's only expression, in which no query may stand.
pub(in crate::exec) fn constant_code(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    expr: &Expr,
) -> SqlResult<Arc<Scalar>> {
    run.bound(statement, CodeKey::of(statement), |binder, _| {
        Ok(Arc::new(scalar_of(binder.constant_expression(expr)?, 0, &binder.hints)))
    })
}

/// The value of an expression, converted to `target` when one is given.
pub(in crate::exec) fn scalar(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    part: u16,
    expr: &Expr,
    target: Option<SqlType>,
) -> SqlResult<Value> {
    let code = scalar_code(run, statement, part, expr, target)?;
    value(run, &code)
}

/// The code of [`scalar`].
pub(in crate::exec) fn scalar_code(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    part: u16,
    expr: &Expr,
    target: Option<SqlType>,
) -> SqlResult<Arc<Scalar>> {
    run.bound(statement, CodeKey::part(statement, part), |binder, _| {
        let mut expr = binder.expression(expr)?;
        if let Some(target) = target {
            expr = binder.converted(expr, target)?;
        }
        Ok(Arc::new(scalar_of(expr, 0, &binder.hints)))
    })
}

/// The value of scalar code; each evaluation has its own time.
pub(in crate::exec) fn value(run: &mut BatchRun<'_>, scalar: &Scalar) -> SqlResult<Value> {
    if !scalar.is_short {
        run.ended_us = None;
    }
    run.ctx_mut().begin_statement();
    run.ctx.begin_row();
    let Some(runner) = &scalar.runner else {
        if run.ctx.calls_functions || !run.ctx.sequences.is_empty() {
            return scope::reading(run, |run| eval(&scalar.expr, &*run.ctx, Rows::NONE));
        }
        return eval(&scalar.expr, &*run.ctx, Rows::NONE);
    };
    scope::reading(run, |run| {
        let mut value = Value::Null;
        runner.run(&run.ctx, &mut |row| {
            value = row[0].clone();
            Ok(std::ops::ControlFlow::Break(()))
        })?;
        Ok(value)
    })
}

/// A value of the statement's only expression, where it is kept as a scalar that `of` has a value for.
#[inline]
fn by_formula<T>(
    run: &BatchRun<'_>,
    statement: &Statement,
    of: impl FnOnce(&Scalar, &[Value]) -> Option<T>,
) -> Option<T> {
    if run.ahead.is_some() {
        return None;
    }
    let known = run.plans.statements.get(CodeKey::of(statement))?;
    // A formula uses no tables, so that no other version of the names is another meaning; dialects differ in what becomes
    // of NULLs and of overflows, which are no formula's.
    if known.version == AHEAD {
        return None;
    }
    let Code::Scalar(scalar) = &known.code else { return None };
    of(scalar, run.ctx.variables())
}

/// SET of a variable to a formula: done, or not one.
#[inline]
pub(in crate::exec) fn set_by_formula(run: &mut BatchRun<'_>, statement: &Statement) -> bool {
    let step = |scalar: &Scalar, variables: &[Value]| {
        let number = scalar.formula.as_ref()?.value(variables)?;
        Some((scalar.slot, number))
    };
    let Some((slot, number)) = by_formula(run, statement, step) else { return false };
    run.ctx_mut().variables[slot] = Value::Int(number);
    true
}

/// The condition of IF or WHILE, where it is a test.
#[inline]
fn condition_by_formula(run: &BatchRun<'_>, statement: &Statement) -> Option<bool> {
    by_formula(run, statement, |scalar, variables| scalar.test.as_ref()?.holds(variables))
}

/// A value as the variable holds it: a text too long is cut silently, `char(n)` is padded.
pub(in crate::exec) fn fitting(run: &BatchRun<'_>, slot: usize, value: Value) -> SqlResult<Value> {
    if !matches!(value, Value::Str(_) | Value::Binary(_)) {
        return Ok(value);
    }
    let sql = run.variables.type_of(slot);
    let fitting = millpond_rows::new_row::fitting(&sql, value, run.ctx.cast_rules());
    if sql.is_max() { run.ctx.hold(fitting) } else { fitting }
}

/// SET ROWCOUNT.
pub(in crate::exec) fn row_limit(run: &BatchRun<'_>) -> u64 {
    match run.ctx.facts.settings.rowcount {
        0 => u64::MAX,
        limit => limit,
    }
}

/// Refuses a change of what can only be read.
///
/// # Errors
/// 286, 10700
pub(in crate::exec) fn check_target(run: &BatchRun<'_>, kind: &StatementKind) -> SqlResult<()> {
    use StatementKind as S;
    let table = match kind {
        S::Insert(insert) => &insert.table,
        S::InsertBulk(insert) => &insert.table,
        S::BulkInsert(insert) => &insert.table,
        S::Update(update) => &update.table,
        S::Delete(delete) => &delete.table,
        S::Merge(merge) => &merge.table,
        _ => return Ok(()),
    };
    declared::check_writable(&run.ctx, table).map_err(message::when_bound)
}

/// A scalar with a plan when it has a subquery.
pub(in crate::exec) fn scalar_of(expr: BoundExpr, slot: usize, hints: &QueryHints) -> Scalar {
    let runner = needs_plan(&expr).then(|| {
        let rel = Rel::Project { input: Box::new(Rel::one_row()), exprs: vec![expr.clone()] };
        Runner::by_plan(rel).with_hints(&hints.on_one_thread(true))
    });
    let is_short = takes_no_time(&expr);
    let (formula, test) = (IntFormula::of(&expr), IntTest::of(&expr));
    Scalar { expr, slot, runner, appended: Vec::new(), is_short, formula, test }
}

/// Whether a value is some arithmetic over variables, which takes no time that anybody counts.
fn takes_no_time(expr: &BoundExpr) -> bool {
    const NODES_MAX: usize = 32;
    let (mut nodes, mut is_plain) = (0, true);
    expr.visit(&mut |node| {
        nodes += 1;
        is_plain &= !node.ty.sql.is_max()
            && matches!(
                node.kind,
                Kind::Literal(_)
                    | Kind::Variable(_)
                    | Kind::Arith(..)
                    | Kind::Negate(_)
                    | Kind::Cast { .. }
                    | Kind::Compare(..)
                    | Kind::And(..)
                    | Kind::Or(..)
                    | Kind::Not(_)
                    | Kind::IsNull(_)
            );
    });
    is_plain && nodes <= NODES_MAX
}

/// Puts a value into a variable.
pub(in crate::exec) fn assign(run: &mut BatchRun<'_>, slot: usize, value: &Value, from: &SqlType) -> SqlResult<()> {
    let value = millpond_types::cast::cast(value, from, &run.variables.type_of(slot), None, run.ctx.cast_rules())
        .map_err(message::of_eval)?;
    run.ctx_mut().variables[slot] = value;
    Ok(())
}
