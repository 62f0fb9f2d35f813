//! Joins, the joins that EXISTS and IN become, and set operations.
//!
//! J1: equalities between the sides are the keys of a hash join; texts by their keys (L2). J2: a condition that speaks
//! of no column never becomes a join filter: operators cannot evaluate a filter over rows without columns. J3: above
//! every join stands a watch, and a join without keys watches in its filter, so that both stop when cancelled.

pub(crate) mod apply;
pub(crate) mod cluster;
pub(crate) mod correlate;
pub(crate) mod input_set;
pub(crate) mod join_tree;
pub(crate) mod order;
pub(crate) mod scalar;
pub(crate) mod seek_join;
pub(crate) mod size;

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, JoinConstraint, JoinType, NullEquality, ScalarValue};
use datafusion::logical_expr::{Case, Expr, Join, LogicalPlan, Volatility};
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Rel, RelJoin, RelSet};
use millpond_message::error::SqlResult;
use millpond_types::SqlType;
use millpond_types::collation::Collation;

use super::lower::{Lowered, Lowering};
use crate::expression::{convert, function};
use crate::join::cluster::{is_movable, larger};
use crate::lower::node::Operation;
use crate::lower::terms::{self, Side, conjuncts, is_volatile};
use crate::lower::{normal, outer};
use crate::run::failure::planned;
use crate::{aggregate, expression};

/// The keys of a join so far: expressions of the left and of the right side.
#[derive(Default)]
pub struct Keys {
    left: Vec<Expr>,
    right: Vec<Expr>,
}

pub(crate) fn join(
    lowering: &Lowering<'_>,
    kind: RelJoin,
    left: &Rel,
    right: &Rel,
    on: Option<&BoundExpr>,
) -> SqlResult<Lowered> {
    if kind == RelJoin::Inner && on.is_none_or(is_movable) {
        return cluster::inner_join(lowering, left, right, on);
    }
    if kind == RelJoin::Left
        && let Some(on) = on
        && let Some(sought) = seek_join::seek_left_join(lowering, left, right, on)?
    {
        return Ok(sought);
    }
    let kind = match kind {
        RelJoin::Inner => JoinType::Inner,
        RelJoin::Left => JoinType::Left,
        RelJoin::Right => JoinType::Right,
        RelJoin::Full => JoinType::Full,
    };
    let on = on.map(|on| conjuncts(on.clone())).unwrap_or_default();
    let is_larger = larger(size::estimate(lowering, left), size::estimate(lowering, right));
    joined(lowering, kind, lowering.rel(left)?, lowering.rel(right)?, on, is_larger)
}

/// Joins two plans; `on` is over left ++ right. `builds_right`: a hash table is made of the right side.
pub(crate) fn joined(
    lowering: &Lowering<'_>,
    kind: JoinType,
    left: Lowered,
    right: Lowered,
    on: Vec<BoundExpr>,
    builds_right: bool,
) -> SqlResult<Lowered> {
    let width = left.columns.len();
    let columns: Vec<Column> = left.columns.iter().chain(&right.columns).cloned().collect();
    let (mut keys, mut filters) = (Keys::default(), Vec::new());
    for conjunct in on {
        if !add_key(lowering, &conjunct, width, &columns, &mut keys)? {
            filters.push(conjunct);
        }
    }
    let filter = match expression::conjunction(lowering, &filters, &columns)? {
        Some(filter) if keys.left.is_empty() => Some(watched(lowering, filter)),
        filter => filter,
    };
    let nulls = NullEquality::NullEqualsNothing;
    let plan = if builds_right && !keys.left.is_empty() {
        // The left side of a plan is the one that is kept in memory.
        let keys = Keys { left: keys.right, right: keys.left };
        join_plans(lowering, kind.swap(), right.plan, left.plan, keys, filter, nulls)?
    } else {
        join_plans(lowering, kind, left.plan, right.plan, keys, filter, nulls)?
    };
    let columns = match kind {
        JoinType::LeftSemi | JoinType::LeftAnti => left.columns,
        _ => columns,
    };
    Ok(Lowered { plan, columns })
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
    let Kind::Compare(CompareOp::Eq, a, b, collation) = &conjunct.kind else { return Ok(false) };
    let (left, right) = match (terms::side(a, width), terms::side(b, width)) {
        (Side::Left, Side::Right) => (a, b),
        (Side::Right, Side::Left) => (b, a),
        _ => return Ok(false),
    };
    let common = expression::common(&left.ty.sql, &right.ty.sql);
    let key = |side: &BoundExpr| {
        let value = expression::align(lowering.expr(side, columns)?, &side.ty.sql, &common);
        SqlResult::Ok(lowering.key(value, &common, *collation))
    };
    keys.left.push(key(left)?);
    keys.right.push(key(right)?);
    Ok(true)
}

/// The join itself, under a watch (J3).
fn join_plans(
    lowering: &Lowering<'_>,
    kind: JoinType,
    left: LogicalPlan,
    right: LogicalPlan,
    keys: Keys,
    filter: Option<Expr>,
    nulls: NullEquality,
) -> SqlResult<LogicalPlan> {
    let (left, left_keys) = lowering.with_columns(left, keys.left)?;
    let (right, right_keys) = lowering.with_columns(right, keys.right)?;
    let on = left_keys.into_iter().map(Expr::Column).zip(right_keys.into_iter().map(Expr::Column)).collect();
    let join =
        planned(Join::try_new(Arc::new(left), Arc::new(right), on, filter, kind, JoinConstraint::On, nulls, false))?;
    lowering.node(Operation::Watch, Vec::new(), vec![LogicalPlan::Join(join)])
}

/// The predicate, with an eye on cancellation.
fn watched(lowering: &Lowering<'_>, predicate: Expr) -> Expr {
    let cell = Arc::clone(&lowering.cell);
    function::call("watch", vec![predicate], DataType::Boolean, Volatility::Stable, move |args, _| {
        cell.check_cancelled()?;
        Ok(args[0].clone())
    })
}

/// Joins `input` with the inner query of an EXISTS or IN (or its negation) when that is what `conjunct` is and it
/// can be joined; says whether it was. `rows`: about how many `input` has.
pub(crate) fn semi_join(
    lowering: &Lowering<'_>,
    input: Lowered,
    conjunct: &BoundExpr,
    rows: Option<f64>,
) -> SqlResult<(Lowered, bool)> {
    let (query, negated) = match &conjunct.kind {
        Kind::Not(operand) => (&**operand, true),
        _ => (conjunct, false),
    };
    let width = input.columns.len();
    let joinable = match &query.kind {
        // Without reference to the outer row it has one value for all rows, which a join would not use.
        Kind::Exists(rel) if outer::reads_beyond(rel, 1) => outer::joinable(rel, width),
        Kind::InQuery(operand, rel, _) if !eval::needs_plan(operand) && !is_volatile(operand) => {
            outer::joinable(rel, width)
        }
        _ => None,
    };
    let Some(outer::Joinable { base, mut on, output }) = joinable else { return Ok((input, false)) };
    if let (Kind::InQuery(operand, _, collation), Some(output)) = (&query.kind, output) {
        let nullable = operand.ty.nullable || output.ty.nullable;
        if negated && nullable && on.is_empty() {
            // A set with three-valued membership does this without a nested loop.
            return Ok((input, false));
        }
        on.push(membership(operand, output, *collation, negated && nullable));
    }
    let kind = if negated { JoinType::LeftAnti } else { JoinType::LeftSemi };
    let base = normal::normalise(base);
    let is_larger = larger(rows, size::estimate(lowering, &base));
    let right = lowering.rel(&base)?;
    Ok((joined(lowering, kind, input, right, on, is_larger)?, true))
}

/// UNION, EXCEPT, INTERSECT.
pub(crate) fn set(lowering: &Lowering<'_>, op: RelSet, all: bool, left: &Rel, right: &Rel) -> SqlResult<Lowered> {
    let types = Rel::Set { op, all, left: Box::new(left.clone()), right: Box::new(right.clone()) }.types();
    let right_types = right.types();
    let (left, right) = (lowering.rel(left)?, lowering.rel(right)?);
    let right = retyped(lowering, right, &right_types, &types)?;
    let kind = match op {
        RelSet::Union => {
            let both = concat(lowering, vec![left, right])?;
            return if all { Ok(both) } else { aggregate::distinct(lowering, both, &types) };
        }
        RelSet::Except => JoinType::LeftAnti,
        RelSet::Intersect => JoinType::LeftSemi,
    };
    let left = if all { left } else { aggregate::distinct(lowering, left, &types)? };
    let keys = Keys { left: keys_of(lowering, &left, &types), right: keys_of(lowering, &right, &types) };
    let Lowered { plan, columns } = left;
    let plan = join_plans(lowering, kind, plan, right.plan, keys, None, NullEquality::NullEqualsNull)?;
    Ok(Lowered { plan, columns })
}

fn keys_of(lowering: &Lowering<'_>, rows: &Lowered, types: &[ExprType]) -> Vec<Expr> {
    rows.columns
        .iter()
        .zip(types)
        .map(|(column, ty)| lowering.key(Expr::Column(column.clone()), &ty.sql, ty.collation))
        .collect()
}

/// The rows with arrays of the types `to`.
fn retyped(lowering: &Lowering<'_>, rows: Lowered, from: &[ExprType], to: &[ExprType]) -> SqlResult<Lowered> {
    let same = |from: &SqlType, to: &SqlType| convert::data_type(from) == convert::data_type(to);
    if from.iter().zip(to).all(|(from, to)| same(&from.sql, &to.sql)) {
        return Ok(rows);
    }
    let exprs = rows
        .columns
        .into_iter()
        .zip(from.iter().zip(to))
        .map(|(column, (from, to))| expression::align(Expr::Column(column), &from.sql, &to.sql))
        .collect();
    lowering.projected(rows.plan, exprs)
}

/// All rows of all inputs; their columns have equal types.
pub(crate) fn concat(lowering: &Lowering<'_>, inputs: Vec<Lowered>) -> SqlResult<Lowered> {
    // Concat passes its inputs' columns on by position, so each must have exactly its relation's.
    let plans = inputs.into_iter().map(|input| lowering.exactly(input)).collect::<SqlResult<Vec<LogicalPlan>>>()?;
    let columns = plans.first().map(|first| first.schema().columns()).unwrap_or_default();
    Ok(Lowered { plan: lowering.node(Operation::Concat, Vec::new(), plans)?, columns })
}

/// `operand = output`; for NOT IN with NULLs about, also what makes the equality unknown, since a row for which
/// membership is unknown does not pass either.
fn membership(operand: &BoundExpr, output: BoundExpr, collation: Collation, unknown_too: bool) -> BoundExpr {
    let equal = BoundExpr::predicate(Kind::Compare(
        CompareOp::Eq,
        Box::new(operand.clone()),
        Box::new(output.clone()),
        collation,
    ));
    if !unknown_too {
        return equal;
    }
    let is_null = |expr: BoundExpr| BoundExpr::predicate(Kind::IsNull(Box::new(expr)));
    let or = |a: BoundExpr, b: BoundExpr| BoundExpr::predicate(Kind::Or(Box::new(a), Box::new(b)));
    or(or(equal, is_null(operand.clone())), is_null(output))
}
