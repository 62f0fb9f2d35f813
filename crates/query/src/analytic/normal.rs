//! Relations in a form that plans well: predicates as deep as they can go, so that scans drop rows before anybody else
//! sees them, and join conditions where the joins are.
//!
//! N1: the result's rows are those of the relation as written. N2: predicates with subqueries, and those whose every
//! evaluation is new (NEWID), stay where they are.

use crate::eval;
use crate::expr::{BoundExpr, Kind};

pub(super) use crate::expr::conjuncts;
use crate::rel::{Rel, RelJoin, RelSet};

use super::expression::{can_fail, is_volatile};
use super::{order, outer};

/// The relation in normal form.
pub(super) fn normalise(rel: Rel) -> Rel {
    match rel {
        Rel::Filter { input, predicate } => push(normalise(*input), conjuncts(predicate)),
        Rel::Project { input, exprs } => Rel::Project { input: Box::new(normalise(*input)), exprs },
        Rel::Join { kind, left, right, on } => {
            let (left, right) = (normalise(*left), normalise(*right));
            push_condition(kind, left, right, on.map(conjuncts).unwrap_or_default())
        }
        Rel::Aggregate { input, groups, aggregates } => {
            Rel::Aggregate { input: Box::new(normalise(*input)), groups, aggregates }
        }
        Rel::Sort { input, keys } => Rel::Sort { input: Box::new(normalise(*input)), keys },
        Rel::Top { input, count, percent, ties, offset } => {
            Rel::Top { input: Box::new(normalise(*input)), count, percent, ties, offset }
        }
        Rel::Distinct(input) => Rel::Distinct(Box::new(normalise(*input))),
        Rel::Set { op, all, left, right } => {
            Rel::Set { op, all, left: Box::new(normalise(*left)), right: Box::new(normalise(*right)) }
        }
        Rel::Apply { left, right, keeps_left } => match outer::as_join(*left, *right, keeps_left) {
            Ok(join) => normalise(join),
            Err(sides) => {
                let (left, right) = *sides;
                Rel::Apply { left: Box::new(normalise(left)), right: Box::new(right), keeps_left }
            }
        },
        leaf => leaf,
    }
}

/// The conjunction of predicates.
pub(super) fn all(predicates: Vec<BoundExpr>) -> Option<BoundExpr> {
    predicates.into_iter().reduce(|left, right| BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right))))
}

/// The relation's rows for which all predicates are true.
fn push(rel: Rel, predicates: Vec<BoundExpr>) -> Rel {
    if predicates.is_empty() {
        return rel;
    }
    if let Rel::Sort { input, keys } = rel {
        // Also what becomes a join, which would lose the order.
        return Rel::Sort { input: Box::new(push(*input, predicates)), keys };
    }
    let (movable, fixed): (Vec<_>, Vec<_>) =
        predicates.into_iter().partition(|predicate| !eval::needs_plan(predicate) && !is_volatile(predicate));
    keep(push_movable(rel, movable), fixed)
}

/// A filter here.
fn keep(rel: Rel, predicates: Vec<BoundExpr>) -> Rel {
    match all(predicates) {
        Some(predicate) => Rel::Filter { input: Box::new(rel), predicate },
        None => rel,
    }
}

fn push_movable(rel: Rel, predicates: Vec<BoundExpr>) -> Rel {
    if predicates.is_empty() {
        return rel;
    }
    match rel {
        Rel::Filter { input, predicate } => {
            // The inner predicate comes first: an outer one may rely on it.
            let mut together = conjuncts(predicate);
            together.extend(predicates);
            push(*input, together)
        }
        Rel::Sort { input, keys } => Rel::Sort { input: Box::new(push_movable(*input, predicates)), keys },
        Rel::Project { input, exprs } => push_below_project(*input, exprs, predicates),
        Rel::Join { kind, left, right, on } => push_below_join(kind, *left, *right, on, predicates),
        Rel::Aggregate { input, groups, aggregates } if !groups.is_empty() => {
            let (below, above) = split(predicates, |predicate| {
                !can_fail(predicate) && columns(predicate).iter().all(|&column| column < groups.len())
            });
            let below = below.into_iter().map(|predicate| substitute(predicate, &groups)).collect();
            keep(Rel::Aggregate { input: Box::new(push(*input, below)), groups, aggregates }, above)
        }
        Rel::Distinct(input) => {
            let texts = input.types();
            // Of equal texts only one comes out, and a predicate may tell them apart (by another collation).
            let (below, above) =
                split(predicates, |predicate| columns(predicate).iter().all(|&column| !texts[column].sql.is_string()));
            keep(Rel::Distinct(Box::new(push_movable(*input, below))), above)
        }
        Rel::Set { op: RelSet::Union, all: true, left, right } => {
            let left = Box::new(push_movable(*left, predicates.clone()));
            Rel::Set { op: RelSet::Union, all: true, left, right: Box::new(push_movable(*right, predicates)) }
        }
        other => keep(other, predicates),
    }
}

fn split(predicates: Vec<BoundExpr>, below: impl Fn(&BoundExpr) -> bool) -> (Vec<BoundExpr>, Vec<BoundExpr>) {
    predicates.into_iter().partition(below)
}

/// Through a projection go predicates over columns that it passes on or computes without risk or volatility.
fn push_below_project(input: Rel, exprs: Vec<BoundExpr>, predicates: Vec<BoundExpr>) -> Rel {
    let cheap = |expr: &BoundExpr| {
        matches!(expr.kind, Kind::Column(_) | Kind::Literal(_) | Kind::Variable(_) | Kind::Outer { .. })
    };
    let (below, above) = split(predicates, |predicate| columns(predicate).iter().all(|&column| cheap(&exprs[column])));
    let below = below.into_iter().map(|predicate| substitute(predicate, &exprs)).collect();
    keep(Rel::Project { input: Box::new(push_movable(input, below)), exprs }, above)
}

/// WHERE over a join: a side's own predicates go to that side unless the side's rows may be missing; what speaks of both
/// sides of an inner join becomes part of its condition.
fn push_below_join(kind: RelJoin, left: Rel, right: Rel, on: Option<BoundExpr>, predicates: Vec<BoundExpr>) -> Rel {
    let width = left.types().len();
    let kind = predicates.iter().fold(kind, |kind, predicate| without_missing_rows(kind, predicate, width));
    let mut above = Vec::new();
    let (mut to_left, mut to_right) = (Vec::new(), Vec::new());
    let mut condition = on.map(conjuncts).unwrap_or_default();
    for predicate in predicates {
        match (side(&predicate, width), kind) {
            (Side::Left, RelJoin::Inner | RelJoin::Left) => to_left.push(predicate),
            (Side::Right, RelJoin::Inner | RelJoin::Right) => to_right.push(shifted(predicate, width)),
            (Side::Both, RelJoin::Inner) => condition.push(predicate),
            _ => above.push(predicate),
        }
    }
    let joined = push_condition(kind, push_movable(left, to_left), push_movable(right, to_right), condition);
    keep(joined, above)
}

/// The join's kind when `predicate` holds above it: a predicate that is not true for a row of NULLs removes the rows
/// that an outer join adds.
fn without_missing_rows(kind: RelJoin, predicate: &BoundExpr, width: usize) -> RelJoin {
    if !rejects_null(predicate) {
        return kind;
    }
    match (kind, side(predicate, width)) {
        (RelJoin::Left, Side::Right) | (RelJoin::Right, Side::Left) => RelJoin::Inner,
        (RelJoin::Full, Side::Left) => RelJoin::Left,
        (RelJoin::Full, Side::Right) => RelJoin::Right,
        (kind, _) => kind,
    }
}

/// Whether the predicate is certainly not true when all its columns are NULL.
fn rejects_null(predicate: &BoundExpr) -> bool {
    let strict = |expr: &BoundExpr| matches!(expr.kind, Kind::Column(_));
    match &predicate.kind {
        Kind::Compare(_, left, right, _) => strict(left) || strict(right),
        Kind::InList(operand, ..) => strict(operand),
        Kind::Like { text, .. } => strict(text),
        Kind::Not(operand) => match &operand.kind {
            Kind::IsNull(operand) => strict(operand),
            Kind::Compare(..) | Kind::InList(..) | Kind::Like { .. } => rejects_null(operand),
            _ => false,
        },
        _ => false,
    }
}

/// A join with its condition; parts that speak of one side alone filter that side where the join's kind allows it.
fn push_condition(kind: RelJoin, left: Rel, right: Rel, condition: Vec<BoundExpr>) -> Rel {
    let width = left.types().len();
    let (mut to_left, mut to_right, mut on) = (Vec::new(), Vec::new(), Vec::new());
    for predicate in condition {
        let movable = !eval::needs_plan(&predicate) && !is_volatile(&predicate);
        match (side(&predicate, width), kind) {
            (Side::Left, RelJoin::Inner | RelJoin::Right) if movable => to_left.push(predicate),
            (Side::Right, RelJoin::Inner | RelJoin::Left) if movable => to_right.push(shifted(predicate, width)),
            _ => on.push(predicate),
        }
    }
    let (left, right) = (push_movable(left, to_left), push_movable(right, to_right));
    let fixed = on.iter().any(|predicate| eval::needs_plan(predicate) || is_volatile(predicate));
    if kind == RelJoin::Inner && !fixed {
        return order::reorder(left, right, on);
    }
    Rel::Join { kind, left: Box::new(left), right: Box::new(right), on: all(on) }
}

/// Which input of a join a predicate speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Neither: it has no columns.
    None,
    Left,
    Right,
    Both,
}

/// Which input of a join an expression speaks of, the left one having `width` columns.
pub(super) fn side(expr: &BoundExpr, width: usize) -> Side {
    columns(expr).into_iter().fold(Side::None, |side, column| {
        let here = if column < width { Side::Left } else { Side::Right };
        match side {
            Side::None => here,
            side if side == here => side,
            _ => Side::Both,
        }
    })
}

/// Columns of the input row that an expression reads, its subqueries included.
pub(super) fn columns(expr: &BoundExpr) -> Vec<usize> {
    let mut found = Vec::new();
    expr.visit(&mut |node| match &node.kind {
        Kind::Column(column) => found.push(*column),
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => {
            super::outer::references(rel, 1, &mut |column| found.push(column));
        }
        _ => {}
    });
    found
}

/// The expression over the right input's own row. It has no subqueries (N2).
pub(super) fn shifted(expr: BoundExpr, width: usize) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr::column(column - width, node.ty)),
        _ => Err(node),
    })
}

/// The expression over the input of a projection whose columns are `exprs`.
fn substitute(expr: BoundExpr, exprs: &[BoundExpr]) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(exprs[column].clone()),
        _ => Err(node),
    })
}
