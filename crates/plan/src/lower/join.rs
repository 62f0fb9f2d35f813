//! Joins, the joins that EXISTS and IN become, and set operations: which tables meet how.
//!
//! What OPTION says of joins holds for all of these, the word of a join for that one.

use std::sync::Arc;

use datafusion::common::{JoinType, NullEquality};
use datafusion::logical_expr::{Expr, Operator, binary_expr};
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{JoinHint, Rel, RelJoin, RelSet};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::SqlType;

use crate::expression::convert;
use crate::lower::cluster::is_movable;
use crate::lower::hash_join::{JoinRows, Keys, join_plans, joined, watched};
use crate::lower::tie::membership;
use crate::lower::{aggregate, cluster, expression, seek_join, single, size};
use crate::lowering::{Lowered, Lowering};
use millpond_rewrite::sets::equal_rows;
use millpond_rewrite::terms::{self, conjuncts, is_volatile};
use millpond_rewrite::{normal, outer};

pub(crate) fn join(
    lowering: &Lowering<'_>,
    (kind, hint): (RelJoin, JoinHint),
    left: &Rel,
    right: &Rel,
    on: Option<&BoundExpr>,
) -> SqlResult<Lowered> {
    if kind == RelJoin::Inner && on.is_none_or(is_movable) {
        return cluster::inner_join(lowering, hint, left, right, on);
    }
    let methods = lowering.methods(hint);
    if matches!(kind, RelJoin::Right | RelJoin::Full) && hint.methods.are_loops() {
        return Err(SqlError::of(8622, 1, &[]));
    }
    // What queries read in it keeps its place.
    let is_plain = !on.is_some_and(eval::needs_plan);
    if kind == RelJoin::Right && methods.are_loops() && !hint.in_order && is_plain {
        return lowering.rel(&turned(hint, left, right, on));
    }
    if kind == RelJoin::Left
        && let Some(on) = on
        && let Some(sought) = seek_join::seek_left_join(lowering, left, right, on, methods)?
    {
        return Ok(sought);
    }
    let of = kind;
    let kind = match kind {
        RelJoin::Inner => JoinType::Inner,
        RelJoin::Left => JoinType::Left,
        RelJoin::Right => JoinType::Right,
        RelJoin::Full => JoinType::Full,
    };
    let rows = size::joined(lowering, of, (left, right), on);
    let on = on.map(|on| conjuncts(on.clone())).unwrap_or_default();
    joined(lowering, (kind, hint), lowering.rel(left)?, lowering.rel(right)?, on, rows)
}

/// A right outer join as the left one that it is from the other side: loops lead from the rows that stay.
fn turned(hint: JoinHint, left: &Rel, right: &Rel, on: Option<&BoundExpr>) -> Rel {
    let (left_width, right_width) = (left.width(), right.width());
    let place = |column: usize| column.checked_sub(left_width).unwrap_or(column + right_width);
    let on = on.map(|on| terms::moved(on.clone(), &place));
    let (left, right) = (Box::new(right.clone()), Box::new(left.clone()));
    let join = Rel::Join { kind: RelJoin::Left, hint, left, right, on };
    let types = join.types();
    let column = |column| BoundExpr::column(place(column), types[place(column)]);
    let exprs = (0..left_width + right_width).map(column).collect();
    Rel::Project { input: Box::new(join), exprs }
}

/// Joins `input` with the inner query of an EXISTS or IN (or its negation) when that is what `conjunct` is and it
/// can be joined; gives back what is still to be asked, where it was not. `rows`: about how many `input` has.
pub(crate) fn semi_join(
    lowering: &Lowering<'_>,
    input: Lowered,
    conjunct: &BoundExpr,
    rows: Option<f64>,
) -> SqlResult<(Lowered, Option<BoundExpr>)> {
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
    let Some(outer::Joinable { base, mut on, output, is_keyed }) = joinable else {
        return Ok((input, Some(conjunct.clone())));
    };
    if let (Kind::InQuery(operand, _, collation), Some(output)) = (&query.kind, output) {
        let nullable = operand.ty.nullable || output.ty.nullable;
        if negated && nullable && on.is_empty() {
            // A set with three-valued membership does this without a nested loop.
            return Ok((input, Some(conjunct.clone())));
        }
        on.push(membership(operand, output, *collation, negated && nullable));
    }
    let kind = if negated { JoinType::LeftAnti } else { JoinType::LeftSemi };
    let base = normal::normalise(base);
    // An index leads from each of few rows to its partners.
    let methods = lowering.options.joins;
    let few = seek_join::Outer { width, rows, run_rows: seek_join::CONDITION_ROWS, methods, may_hash: false };
    if let Some(asked) = asked_by_index(lowering, few, (&base, &on), negated) {
        return Ok((input, Some(asked)));
    }
    if is_keyed && single::is_run_for_each(lowering, few, &base, &on) {
        return Ok((input, Some(conjunct.clone())));
    }
    let sizes = JoinRows { left: rows, right: size::estimate(lowering, &base), joined: None };
    let right = lowering.rel(&base)?;
    Ok((joined(lowering, (kind, JoinHint::default()), input, right, on, sizes)?, None))
}

/// Whether there are rows of `base` for one of few others, or none, where an index leads to them.
fn asked_by_index(
    lowering: &Lowering<'_>,
    few: seek_join::Outer,
    (base, on): (&Rel, &[BoundExpr]),
    negated: bool,
) -> Option<BoundExpr> {
    let sought = seek_join::sought(lowering, few, base, on, &|column| column.checked_sub(few.width))?;
    let exists = BoundExpr::predicate(Kind::Exists(Arc::new(sought)));
    Some(if negated { BoundExpr::predicate(Kind::Not(Box::new(exists))) } else { exists })
}

/// UNION, EXCEPT, INTERSECT. The rows of a few that another relation has, or has not, are asked of its index.
pub(crate) fn set(lowering: &Lowering<'_>, op: RelSet, all: bool, left: &Rel, right: &Rel) -> SqlResult<Lowered> {
    let types = Rel::Set { op, all, left: Box::new(left.clone()), right: Box::new(right.clone()) }.types();
    let right_types = right.types();
    if op != RelSet::Union
        && let Some(outer::Joinable { base, on, .. }) = equal_rows(&left.types(), right)
    {
        let (rows, methods) = (size::estimate(lowering, left), lowering.options.joins);
        let few = seek_join::Outer {
            width: types.len(),
            rows,
            run_rows: seek_join::CONDITION_ROWS,
            methods,
            may_hash: false,
        };
        let asked = asked_by_index(lowering, few, (&normal::normalise(base), &on), op == RelSet::Except);
        if let Some(asked) = asked {
            let left = lowering.rel(left)?;
            let left = if all { left } else { aggregate::distinct(lowering, left, &types, None)? };
            return lowering.filtered(left, &[asked]);
        }
    }
    let (left, right) = (lowering.rel(left)?, lowering.rel(right)?);
    let right = retyped(lowering, right, &right_types, &types)?;
    let kind = match op {
        RelSet::Union => {
            let both = lowering.concat(vec![left, right])?;
            return if all { Ok(both) } else { aggregate::distinct(lowering, both, &types, None) };
        }
        RelSet::Except => JoinType::LeftAnti,
        RelSet::Intersect => JoinType::LeftSemi,
    };
    let left = if all { left } else { aggregate::distinct(lowering, left, &types, None)? };
    let keys = Keys { left: keys_of(lowering, &left, &types), right: keys_of(lowering, &right, &types) };
    let Lowered { plan, columns } = left;
    let (keys, filter) = match lowering.options.joins.are_loops() {
        true => (Keys::default(), same(keys).map(|same| watched(lowering, same))),
        false => (keys, None),
    };
    let plan = join_plans(
        lowering,
        kind,
        plan,
        right.plan,
        keys,
        filter,
        (NullEquality::NullEqualsNull, None, lowering.options.joins),
    )?;
    Ok(Lowered { plan, columns })
}

/// That the keys of both sides are the same, where NULL is one too.
fn same(keys: Keys) -> Option<Expr> {
    let pairs = keys.left.into_iter().zip(keys.right);
    pairs.map(|(left, right)| binary_expr(left, Operator::IsNotDistinctFrom, right)).reduce(Expr::and)
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
