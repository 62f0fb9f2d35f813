//! Relations in a form that plans well: predicates as deep as they can go, so that scans drop rows before any operator
//! sees them, and join conditions where the joins are.
//!
//! N1: the result's rows are those of the relation as written. N2: predicates with subqueries that read an outer row, and those
//! whose every evaluation is new (NEWID), stay where they are. N3: a predicate over the value of a query that reads none stands
//! above the joins, from where [`ask_inputs`] takes it to the input that it speaks of.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{JoinHint, JoinMethods, Rel, RelJoin, RelSet};
use millpond_types::Collation;

use crate::hoisted::Hoisted;
use crate::missing_rows::{wanted_sides, without_missing_rows};
use crate::terms::{
    Side, all, can_fail, columns, conjuncts, equal, factored, is_cheap, is_volatile, shifted, side, substitute,
};
use crate::{distinct, empty, extremes, first, hoisted, order, outer, terms};

/// The relation in normal form.
#[must_use]
pub fn normalise(rel: Rel) -> Rel {
    empty::pruned(normal(rel))
}

fn normal(rel: Rel) -> Rel {
    match rel {
        Rel::Filter { input, predicate } => push(normal(*input), factored(conjuncts(predicate))),
        Rel::Project { input, exprs } => project(normal(*input), exprs),
        Rel::Join { kind, hint, left, right, on } => {
            let (left, right) = (normal(*left), normal(*right));
            push_condition((kind, hint), left, right, factored(on.map(conjuncts).unwrap_or_default()))
        }
        Rel::Aggregate { input, groups, aggregates } => {
            let input = normal(*input);
            match extremes::ends_of_indexes(&input, &aggregates).filter(|_| groups.is_empty()) {
                Some(ends) => ends,
                None => distinct::aggregate(input, groups, aggregates),
            }
        }
        Rel::Sort { input, keys } => Rel::Sort { input: Box::new(normal(*input)), keys },
        Rel::Top { input, count, percent, ties, offset } => {
            let mut input = normal(*input);
            if let (false, [], Some(rows)) = (percent, &ties[..], first::fixed_rows(count.as_ref(), offset.as_ref())) {
                input = first::of_left_side(input, rows);
            }
            Rel::Top { input: Box::new(input), count, percent, ties, offset }
        }
        Rel::Distinct(input) => Rel::Distinct(Box::new(normal(*input))),
        Rel::Text { input, by, in_pieces, ty } => Rel::Text { input: Box::new(normal(*input)), by, in_pieces, ty },
        Rel::Expand { input, groups, sets } => Rel::Expand { input: Box::new(normal(*input)), groups, sets },
        Rel::OrElse { input, rows } => Rel::OrElse { input: Box::new(normal(*input)), rows },
        Rel::Window { input, partition, order, calls } => {
            Rel::Window { input: Box::new(normal(*input)), partition, order, calls }
        }
        Rel::Set { op, all, left, right } => {
            Rel::Set { op, all, left: Box::new(normal(*left)), right: Box::new(normal(*right)) }
        }
        Rel::Apply { left, right, keeps_left } => match outer::as_join(*left, *right, keeps_left) {
            Ok(join) => normal(join),
            Err(sides) => {
                let (left, right) = *sides;
                Rel::Apply { left: Box::new(normal(left)), right: Box::new(right), keeps_left }
            }
        },
        // Members become plans of their own.
        Rel::Recursive { name, anchor, members, types, levels } => {
            Rel::Recursive { name, anchor: Box::new(normal(*anchor)), members, types, levels }
        }
        leaf => leaf,
    }
}

/// A projection; over another one that computes nothing the two are one.
fn project(input: Rel, exprs: Vec<BoundExpr>) -> Rel {
    match input {
        Rel::Project { input, exprs: inner } if inner.iter().all(is_cheap) && !exprs.iter().any(eval::needs_plan) => {
            let exprs = exprs.into_iter().map(|expr| substitute(expr, &inner)).collect();
            Rel::Project { input, exprs }
        }
        input => Rel::Project { input: Box::new(input), exprs },
    }
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
    let rel = push_movable(rel, movable);
    if !is_inner_join(&rel) {
        return keep(rel, fixed);
    }
    let (members, fixed): (Vec<_>, Vec<_>) = fixed.into_iter().partition(is_membership);
    let (rel, fixed) = hoisted::joined_by(members.into_iter().fold(rel, join_members), fixed, push_movable);
    keep(rel, fixed)
}

/// Takes predicates over values of closed queries to those inputs of inner joins that are `worth` it: there they drop rows before
/// these are joined. Gives the others back.
#[must_use]
pub fn ask_inputs(mut rel: Rel, predicates: Vec<BoundExpr>, worth: &dyn Fn(&Rel) -> bool) -> (Rel, Vec<BoundExpr>) {
    let mut above = Vec::new();
    for predicate in predicates {
        let asked = if is_closed(&predicate) && is_inner_join(&rel) { input_of(&rel, &predicate) } else { None };
        match asked {
            Some(input) if worth(input) => rel = ask_input(rel, predicate),
            _ => above.push(predicate),
        }
    }
    (rel, above)
}

/// The only input of inner joins that a predicate speaks of.
fn input_of<'r>(rel: &'r Rel, predicate: &BoundExpr) -> Option<&'r Rel> {
    match rel {
        Rel::Project { input, exprs } if exprs.iter().all(is_cheap) => {
            input_of(input, &substitute(predicate.clone(), exprs))
        }
        Rel::Join { kind: RelJoin::Inner, left, right, .. } => {
            let width = left.width();
            match side(predicate, width) {
                Side::Left => input_of(left, predicate),
                Side::Right => input_of(right, &shifted(predicate.clone(), width)),
                Side::None | Side::Both => None,
            }
        }
        rel => Some(rel),
    }
}

/// Whether the only queries in a predicate are those for a value, and none reads a row of this one.
fn is_closed(predicate: &BoundExpr) -> bool {
    let mut is_closed = eval::needs_plan(predicate) && !is_volatile(predicate);
    predicate.visit(&mut |node| match &node.kind {
        Kind::ScalarQuery(rel) => is_closed &= !outer::reads_beyond(rel, 1),
        Kind::Exists(_) | Kind::InQuery(..) => is_closed = false,
        _ => {}
    });
    is_closed
}

/// The rows for which a predicate is true that speaks of one input of inner joins: asked of that one.
fn ask_input(rel: Rel, predicate: BoundExpr) -> Rel {
    match rel {
        Rel::Project { input, exprs } if exprs.iter().all(is_cheap) => {
            let input = Box::new(ask_input(*input, substitute(predicate, &exprs)));
            Rel::Project { input, exprs }
        }
        Rel::Join { kind: RelJoin::Inner, hint, mut left, mut right, on } => {
            let width = left.width();
            match side(&predicate, width) {
                Side::Right => right = Box::new(ask_input(*right, shifted(predicate, width))),
                _ => left = Box::new(ask_input(*left, predicate)),
            }
            Rel::Join { kind: RelJoin::Inner, hint, left, right, on }
        }
        Rel::Filter { input, predicate: asked } => {
            // The inner predicate comes first: an outer one may rely on it.
            let mut together = conjuncts(asked);
            together.push(predicate);
            keep(*input, together)
        }
        rel => keep(rel, vec![predicate]),
    }
}

fn is_inner_join(rel: &Rel) -> bool {
    match rel {
        Rel::Project { input, exprs } => exprs.iter().all(is_cheap) && is_inner_join(input),
        rel => matches!(rel, Rel::Join { kind: RelJoin::Inner, hint, .. } if !hint.in_order),
    }
}

/// Whether a predicate is `column IN (query)` of a query that reads no other, where equal values are one to both.
fn is_membership(predicate: &BoundExpr) -> bool {
    let Kind::InQuery(operand, rel, collation) = &predicate.kind else { return false };
    let Some(output) = rel.types().first().copied() else { return false };
    matches!(operand.kind, Kind::Column(_))
        && !outer::reads_beyond(rel, 1)
        && (!output.sql.is_string() || output.collation == *collation)
}

/// An inner join with the members of a set, once each, so that it takes part in the choice of the order.
fn join_members(rel: Rel, predicate: BoundExpr) -> Rel {
    let Kind::InQuery(operand, query, collation) = predicate.kind else { return keep(rel, vec![predicate]) };
    let types = rel.types();
    let output = query.types()[0];
    let member = Rel::Project { input: Box::new((*query).clone()), exprs: vec![BoundExpr::column(0, output)] };
    let right = normal(Rel::Distinct(Box::new(member)));
    let on = Some(equal(*operand, BoundExpr::column(types.len(), output), collation));
    let (kind, hint) = (RelJoin::Inner, JoinHint::default());
    let join = Rel::Join { kind, hint, left: Box::new(rel), right: Box::new(right), on };
    let exprs = types.into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty)).collect();
    Rel::Project { input: Box::new(join), exprs }
}

/// A filter here.
fn keep(rel: Rel, predicates: Vec<BoundExpr>) -> Rel {
    match all(predicates) {
        Some(predicate) => Rel::Filter { input: Box::new(rel), predicate },
        None => rel,
    }
}

/// The rows of the relation for which all of the predicates are true; these have no subqueries and give an equal row an equal
/// answer.
pub fn push_movable(rel: Rel, predicates: Vec<BoundExpr>) -> Rel {
    let Some(predicates) = undecided(predicates) else { return empty::of(&rel) };
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
        Rel::Join { kind, hint, left, right, on } => push_below_join((kind, hint), *left, *right, on, predicates),
        Rel::Apply { left, right, keeps_left } => {
            // The right side runs for each row that is left.
            let width = left.width();
            let (below, above) = split(predicates, |predicate| matches!(side(predicate, width), Side::Left));
            keep(Rel::Apply { left: Box::new(push_movable(*left, below)), right, keeps_left }, above)
        }
        Rel::Aggregate { input, groups, aggregates } if !groups.is_empty() => {
            let (below, above) = split(predicates, |predicate| {
                !can_fail(predicate) && columns(predicate).iter().all(|&column| column < groups.len())
            });
            let below = below.into_iter().map(|predicate| substitute(predicate, &groups)).collect();
            keep(Rel::Aggregate { input: Box::new(push(*input, below)), groups, aggregates }, above)
        }
        Rel::Distinct(input) => {
            let texts = input.types();
            // Of equal texts only one comes out, and a predicate may distinguish them (by another collation).
            let (below, above) =
                split(predicates, |predicate| columns(predicate).iter().all(|&column| !texts[column].sql.is_string()));
            keep(Rel::Distinct(Box::new(push_movable(*input, below))), above)
        }
        Rel::Window { input, partition, order, calls } => {
            // What holds for all rows of a partition or for none. Equal texts may differ under another collation.
            let input = Box::new(first::numbered(*input, (&partition, &order, &calls), &predicates));
            let whole = |column: usize| {
                partition
                    .iter()
                    .any(|key| matches!(key.kind, Kind::Column(known) if known == column) && !key.ty.sql.is_string())
            };
            let (below, above) = split(predicates, |predicate| columns(predicate).into_iter().all(whole));
            keep(Rel::Window { input: Box::new(push_movable(*input, below)), partition, order, calls }, above)
        }
        Rel::Set { op: RelSet::Union, all: true, left, right } => {
            let left = Box::new(push_movable(*left, predicates.clone()));
            Rel::Set { op: RelSet::Union, all: true, left, right: Box::new(push_movable(*right, predicates)) }
        }
        other => keep(other, predicates),
    }
}

/// Those of the predicates whose value is not known to be true; none where one is known not to be.
fn undecided(predicates: Vec<BoundExpr>) -> Option<Vec<BoundExpr>> {
    let decided = predicates.into_iter().map(|predicate| (empty::decided(&predicate), predicate));
    let undecided = decided.filter(|(value, _)| *value != Some(true));
    undecided.map(|(value, predicate)| value.is_none().then_some(predicate)).collect()
}

fn split(predicates: Vec<BoundExpr>, below: impl Fn(&BoundExpr) -> bool) -> (Vec<BoundExpr>, Vec<BoundExpr>) {
    predicates.into_iter().partition(below)
}

/// Through a projection go predicates over columns that it passes on or computes without risk or volatility.
fn push_below_project(input: Rel, exprs: Vec<BoundExpr>, predicates: Vec<BoundExpr>) -> Rel {
    let cheap = |column: &usize| is_cheap(&exprs[*column]);
    let (below, above) = split(predicates, |predicate| columns(predicate).iter().all(cheap));
    let below = below.into_iter().map(|predicate| substitute(predicate, &exprs)).collect();
    keep(Rel::Project { input: Box::new(push_movable(input, below)), exprs }, above)
}

/// WHERE over a join: a side's own predicates go to that side unless the side's rows may be missing; what speaks of both
/// sides of an inner join becomes part of its condition.
fn push_below_join(
    (kind, hint): (RelJoin, JoinHint),
    left: Rel,
    right: Rel,
    on: Option<BoundExpr>,
    predicates: Vec<BoundExpr>,
) -> Rel {
    let width = left.width();
    let kind = without_missing_rows(kind, &predicates, width);
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
    if kind == RelJoin::Inner {
        let (implied_left, implied_right) = implied(&condition, width, &to_left, &to_right);
        if !is_table(&left) {
            to_left.extend(implied_left);
        }
        if !is_table(&right) {
            to_right.extend(implied_right);
        }
    }
    let joined = push_condition((kind, hint), push_movable(left, to_left), push_movable(right, to_right), condition);
    keep(joined, above)
}

/// What equalities of a join say of each side by what is asked of the other: of `a.k = b.k AND a.k = 7` that `b.k = 7`.
fn implied(
    condition: &[BoundExpr],
    width: usize,
    to_left: &[BoundExpr],
    to_right: &[BoundExpr],
) -> (Vec<BoundExpr>, Vec<BoundExpr>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for conjunct in condition {
        let Kind::Compare(CompareOp::Eq, a, b, collation) = &conjunct.kind else { continue };
        let (one, other) = match (&a.kind, &b.kind) {
            (Kind::Column(a_place), Kind::Column(b_place)) if *a_place < width && *b_place >= width => (a, b),
            (Kind::Column(a_place), Kind::Column(b_place)) if *b_place < width && *a_place >= width => (b, a),
            _ => continue,
        };
        if one.ty.sql == other.ty.sql {
            let other = shifted((**other).clone(), width);
            right.extend(to_left.iter().filter_map(|asked| asked_of(asked, (one, &other), *collation)));
            left.extend(to_right.iter().filter_map(|asked| asked_of(asked, (&other, one), *collation)));
        }
    }
    (left, right)
}

/// An equality of a column with a constant, asked of one that equals it.
fn asked_of(asked: &BoundExpr, (column, equal): (&BoundExpr, &BoundExpr), collation: Collation) -> Option<BoundExpr> {
    let Kind::Compare(CompareOp::Eq, left, right, by) = &asked.kind else { return None };
    let is_constant = |expr: &BoundExpr| is_cheap(expr) && !matches!(expr.kind, Kind::Column(_));
    let value = match (left.is_same_value(column), right.is_same_value(column)) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let is_same = *by == collation && is_constant(value) && value.ty.sql == equal.ty.sql;
    is_same.then(|| terms::equal(equal.clone(), (**value).clone(), collation))
}

/// Whether a join leads into a relation by its keys anyway.
fn is_table(rel: &Rel) -> bool {
    match rel {
        Rel::Filter { input, .. } | Rel::Project { input, .. } => is_table(input),
        rel => matches!(rel, Rel::Table { .. } | Rel::View { .. }),
    }
}

/// A join with its condition; what an inner one asks of queries stands above it (N3).
fn push_condition((kind, hint): (RelJoin, JoinHint), left: Rel, right: Rel, condition: Vec<BoundExpr>) -> Rel {
    let is_asked =
        |part: &BoundExpr| kind == RelJoin::Inner && !hint.in_order && eval::needs_plan(part) && !is_volatile(part);
    let (asked, condition): (Vec<_>, Vec<_>) = condition.into_iter().partition(is_asked);
    let (rel, asked) = hoisted::joined_by(join_by((kind, hint), left, right, condition), asked, push_movable);
    keep(rel, asked)
}

/// A join with its condition; parts that speak of one side alone filter that side where the join's kind allows it.
/// A word keeps an inner join as it is, an order as written where it is.
fn join_by((kind, hint): (RelJoin, JoinHint), left: Rel, right: Rel, condition: Vec<BoundExpr>) -> Rel {
    if kind != RelJoin::Inner
        && let Some(Hoisted { left, right, condition, before }) = hoisted::of_sides(&left, &right, &condition)
    {
        return before.of(join_by((kind, hint), left, right, condition));
    }
    let (left, right) = wanted_sides(kind, left, right, &condition, join_by);
    let width = left.width();
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
    let (mut left, mut right, mut on) = (left, right, on);
    if kind == RelJoin::Inner && !fixed && hint.methods == JoinMethods::ALL {
        match order::without_join(left, right, on) {
            Ok(alone) => return project(push_movable(alone.rel, alone.predicates), alone.columns),
            Err(parts) => (left, right, on) = *parts,
        }
        if !hint.in_order {
            return order::reorder(left, right, on);
        }
    }
    Rel::Join { kind, hint, left: Box::new(left), right: Box::new(right), on: all(on) }
}
