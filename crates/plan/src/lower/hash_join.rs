//! One join of two plans.
//!
//! J1: equalities between the sides are the keys of a hash join; texts by their keys (L2). J2: a condition that speaks
//! of no column never becomes a join filter: operators cannot evaluate a filter over rows without columns. J3: above
//! every join stands a watch, and a join watches in its filter, so that both stop when cancelled. J4: where hints
//! leave nothing but loops, equalities are no keys but a filter; where they leave no loops, a join without an equality is refused. J5: a hash join that
//! is to be a merge join becomes one when the plan is physical ([`crate::physical::merge`]). J6: that two values are equal or both NULL is a key
//! too; then NULLs meet in all keys of the join, and what is no more than an equality is asked once more.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, JoinConstraint, JoinType, NullEquality, ScalarValue};
use datafusion::logical_expr::{Case, Expr, Join, LogicalPlan, Projection, Volatility};
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{JoinHint, JoinMethods};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Collation;

use crate::expression::function;
use crate::lower::expression;
use crate::lowering::node::Operation;
use crate::lowering::{Lowered, Lowering};
use crate::run::failure;
use crate::run::failure::planned;
use millpond_rewrite::join_tree::LARGE_ROWS;
use millpond_rewrite::terms;
use millpond_rewrite::terms::{Side, is_volatile};

/// The keys of a join so far: expressions of the left and of the right side.
#[derive(Default)]
pub(crate) struct Keys {
    pub(crate) left: Vec<Expr>,
    pub(crate) right: Vec<Expr>,
}

/// About how many rows the sides of a join have, and the join.
#[derive(Clone, Copy)]
pub(crate) struct JoinRows {
    pub(crate) left: Option<f64>,
    pub(crate) right: Option<f64>,
    pub(crate) joined: Option<f64>,
}

/// Joins two plans, which have about so many rows; `on` is over left ++ right. A hash table is made of the smaller side, or of the
/// first one where the order is as written.
///
/// # Errors
/// 8622 where hints leave no way to run it (J4).
pub(crate) fn joined(
    lowering: &Lowering<'_>,
    (kind, hint): (JoinType, JoinHint),
    left: Lowered,
    right: Lowered,
    on: Vec<BoundExpr>,
    rows: JoinRows,
) -> SqlResult<Lowered> {
    let width = left.columns.len();
    let columns: Vec<Column> = left.columns.iter().chain(&right.columns).cloned().collect();
    let methods = lowering.methods(hint);
    // A full merge join needs no equality.
    let goes_without = methods.loops || methods.merges && kind == JoinType::Full;
    if !goes_without && !on.iter().any(|conjunct| is_equality(conjunct, width)) {
        return Err(SqlError::of(8622, 1, &[]));
    }
    let (mut keys, mut filters) = (Keys::default(), Vec::new());
    let is_key = |conjunct: &BoundExpr| methods.allow_keys() || terms::side(conjunct, width) == Side::None;
    let nulls_meet = methods.allow_keys() && on.iter().any(|conjunct| same_sides(conjunct, width).is_some());
    for conjunct in on {
        if nulls_meet && may_be_null(&conjunct, width) {
            filters.push(conjunct.clone());
        }
        if !is_key(&conjunct) || !add_key(lowering, &conjunct, width, &columns, &mut keys)? {
            filters.push(conjunct);
        }
    }
    // Rows of one key are met in one go, however many they are.
    let filter = lowering.conjunction(&filters, &columns)?.map(|filter| watched(lowering, filter));
    let JoinRows { left: left_rows, right: right_rows, joined } = rows;
    let equality = if nulls_meet { NullEquality::NullEqualsNull } else { NullEquality::NullEqualsNothing };
    let nulls = (equality, joined, methods);
    // Bitmaps know no NULL.
    let build = |plan: LogicalPlan, rows: Option<f64>| match nulls_meet {
        true => Ok(plan),
        false => build(lowering, plan, (rows, methods)),
    };
    let is_turned = !hint.in_order && larger(left_rows, right_rows);
    let plan = if keys.left.is_empty() {
        // Loops that are asked for keep the smaller side, too.
        match is_turned && methods.are_loops() {
            true => join_plans(lowering, kind.swap(), right.plan, left.plan, keys, filter, nulls)?,
            false => join_plans(lowering, kind, left.plan, right.plan, keys, filter, nulls)?,
        }
    } else if is_turned {
        // The left side of a plan is the one that is kept in memory.
        let keys = Keys { left: keys.right, right: keys.left };
        join_plans(lowering, kind.swap(), build(right.plan, right_rows)?, left.plan, keys, filter, nulls)?
    } else {
        join_plans(lowering, kind, build(left.plan, left_rows)?, right.plan, keys, filter, nulls)?
    };
    match kind {
        JoinType::LeftSemi | JoinType::LeftAnti => Ok(Lowered { plan, columns: left.columns }),
        JoinType::LeftMark => with_mark(lowering, Lowered { plan, columns: left.columns }),
        _ => Ok(Lowered { plan, columns }),
    }
}

/// The rows of a mark join with the mark, its last column, under a name of its own (L1): all have one.
fn with_mark(lowering: &Lowering<'_>, rows: Lowered) -> SqlResult<Lowered> {
    let mut all = rows.plan.schema().columns();
    let mark = all.pop().ok_or_else(|| failure::internal("a mark join without a mark"))?;
    let name = lowering.next_name();
    let marked = Expr::Column(mark).alias(&name);
    let exprs = all.into_iter().map(Expr::Column).chain([marked]).collect();
    let plan = LogicalPlan::Projection(planned(Projection::try_new(exprs, Arc::new(rows.plan)))?);
    let mut columns = rows.columns;
    columns.push(Column::new_unqualified(name));
    Ok(Lowered { plan, columns })
}

/// Whether a hash table of the right side is the better one: of the left side it would be much larger.
fn larger(left: Option<f64>, right: Option<f64>) -> bool {
    left.zip(right).is_some_and(|(left, right)| left > LARGE_ROWS && left > 1.25 * right)
}

/// The build side of a hash join. What runs for each row of another query is small, and run too often for bitmaps.
fn build(
    lowering: &Lowering<'_>,
    plan: LogicalPlan,
    (rows, methods): (Option<f64>, JoinMethods),
) -> SqlResult<LogicalPlan> {
    if !lowering.runs_once() || methods.are_merges() {
        return Ok(plan);
    }
    lowering.node(Operation::Build { rows: rows.unwrap_or(f64::INFINITY) }, Vec::new(), vec![plan])
}

/// Makes a key of an equality between the sides (J1) or of a condition without columns (J2).
fn add_key(
    lowering: &Lowering<'_>,
    conjunct: &BoundExpr,
    width: usize,
    columns: &[Column],
    keys: &mut Keys,
) -> SqlResult<bool> {
    if eval::needs_plan(conjunct) || is_volatile(conjunct) {
        return Ok(false);
    }
    if terms::side(conjunct, width) == Side::None {
        let one = || Expr::Literal(ScalarValue::Boolean(Some(true)), None);
        let condition = lowering.expr(conjunct, columns)?;
        // NULL, which equals nothing, unless the condition is true.
        let when_true = Case::new(None, vec![(Box::new(condition), Box::new(one()))], None);
        keys.left.push(one());
        keys.right.push(Expr::Case(when_true));
        return Ok(true);
    }
    let sides = equal_sides(conjunct, width).or_else(|| same_sides(conjunct, width));
    let Some((left, right, collation)) = sides else { return Ok(false) };
    let common = expression::common(&left.ty.sql, &right.ty.sql);
    let key = |side: &BoundExpr| {
        let value = expression::align(lowering.expr(side, columns)?, &side.ty.sql, &common);
        SqlResult::Ok(lowering.key(value, &common, collation))
    };
    keys.left.push(key(left)?);
    keys.right.push(key(right)?);
    Ok(true)
}

/// What an equality between the sides compares, the left side's first.
fn equal_sides(conjunct: &BoundExpr, width: usize) -> Option<(&BoundExpr, &BoundExpr, Collation)> {
    let Kind::Compare(CompareOp::Eq, a, b, collation) = &conjunct.kind else { return None };
    match (terms::side(a, width), terms::side(b, width)) {
        (Side::Left, Side::Right) => Some((a, b, *collation)),
        (Side::Right, Side::Left) => Some((b, a, *collation)),
        _ => None,
    }
}

/// What a condition compares that two values are equal or both NULL, the left side's first (J6).
fn same_sides(conjunct: &BoundExpr, width: usize) -> Option<(&BoundExpr, &BoundExpr, Collation)> {
    let Kind::Or(nulls, equal) = &conjunct.kind else { return None };
    let Kind::And(one, other) = &nulls.kind else { return None };
    let (Kind::IsNull(one), Kind::IsNull(other)) = (&one.kind, &other.kind) else { return None };
    let are_sides = |a: &BoundExpr, b: &BoundExpr| {
        one.is_same_value(a) && other.is_same_value(b) || one.is_same_value(b) && other.is_same_value(a)
    };
    let mut sides = None;
    let mut rest = vec![&**equal];
    while let Some(part) = rest.pop() {
        match &part.kind {
            Kind::And(a, b) => rest.extend([&**a, &**b]),
            Kind::Compare(CompareOp::Eq, a, b, _) if are_sides(a, b) && sides.is_none() => {
                sides = equal_sides(part, width);
            }
            // Of equal values neither is NULL.
            Kind::Not(is_null) => match &is_null.kind {
                Kind::IsNull(operand) if operand.is_same_value(one) || operand.is_same_value(other) => {}
                _ => return None,
            },
            _ => return None,
        }
    }
    sides
}

/// Whether an equality between the sides has a NULL on both, perhaps.
fn may_be_null(conjunct: &BoundExpr, width: usize) -> bool {
    equal_sides(conjunct, width).is_some_and(|(left, right, _)| left.ty.nullable && right.ty.nullable)
}

/// Whether a condition is an equality between the sides, which can be the key of a join (J1, J6).
pub(crate) fn is_equality(conjunct: &BoundExpr, width: usize) -> bool {
    let has_sides = || equal_sides(conjunct, width).is_some() || same_sides(conjunct, width).is_some();
    !eval::needs_plan(conjunct) && !is_volatile(conjunct) && has_sides()
}

/// The join itself, of about so many rows, under a watch (J3).
///
/// # Errors
/// 8623 where the plan has too many.
pub(crate) fn join_plans(
    lowering: &Lowering<'_>,
    kind: JoinType,
    left: LogicalPlan,
    right: LogicalPlan,
    keys: Keys,
    filter: Option<Expr>,
    (nulls, rows, methods): (NullEquality, Option<f64>, JoinMethods),
) -> SqlResult<LogicalPlan> {
    lowering.note_join()?;
    let (left, left_keys) = lowering.with_columns(left, keys.left)?;
    let (right, right_keys) = lowering.with_columns(right, keys.right)?;
    let on = left_keys.into_iter().map(Expr::Column).zip(right_keys.into_iter().map(Expr::Column)).collect();
    let join =
        planned(Join::try_new(Arc::new(left), Arc::new(right), on, filter, kind, JoinConstraint::On, nulls, false))?;
    lowering.node(Operation::Watch { rows, methods }, Vec::new(), vec![LogicalPlan::Join(join)])
}

/// The predicate, with an eye on cancellation.
pub(crate) fn watched(lowering: &Lowering<'_>, predicate: Expr) -> Expr {
    let cell = Arc::clone(&lowering.cell);
    function::call("watch", vec![predicate], DataType::Boolean, Volatility::Stable, move |args, _| {
        cell.check_cancelled()?;
        Ok(args[0].clone())
    })
}
