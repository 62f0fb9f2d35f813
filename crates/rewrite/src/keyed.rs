//! Inner queries that equalities alone tie to the outer row, as one relation for all outer rows: the values that the equalities compare
//! become columns, and what is done to the rows of one outer row is done to those of each value.
//!
//! ```text
//!   (SELECT TOP 1 v FROM t WHERE t.k = outer.k ORDER BY d)
//!       ──▶  rows of  SELECT v, k FROM (SELECT v, k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY d) AS n FROM t) WHERE n <= 1
//!            of which an outer row has those where k = outer.k
//! ```
//! What always holds: the rows of an outer row are those of the query as written, in any order; NULL ties no rows. Groups and distinct
//! rows get the values as further groups, windows as further partitions, joins compare them where both sides have them.
//!
//! It knows no query that is without rows for one outer row and has one for another that finds none (aggregates without groups: its
//! caller's), and not whether the rows for all outer rows are wanted.

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Rel, RelJoin, RelSet, SortKey, WindowCall, WindowFrame, WindowFunction};
use millpond_types::{Collation, SqlType, Value};

use crate::first::fixed_rows;
use crate::terms::{all, columns, conjuncts, equal, expressions, factored, inner_queries, is_volatile, moved};
use crate::terms::{expr_reads_beyond, picked, reads_beyond};

/// Such a query for all outer rows.
pub struct Keyed {
    /// Reads no enclosing query. Its columns are those of the query, then one for each key.
    pub rel: Rel,
    /// What ties its rows to the outer one.
    pub keys: Vec<KeyOf>,
}

/// What a column of keys is equal to.
#[derive(Clone, Debug)]
pub struct KeyOf {
    /// Over the outer row.
    pub outer: BoundExpr,
    /// Type of the column.
    pub ty: ExprType,
    /// By which they compare.
    pub collation: Collation,
}

impl KeyOf {
    fn is_same_as(&self, other: &KeyOf) -> bool {
        self.outer.same_as(&other.outer) && self.collation == other.collation && self.ty.sql == other.ty.sql
    }
}

/// What ties a query's rows to the outer one: equalities with its columns of keys, of which the first is in that place.
pub fn ties(keys: Vec<KeyOf>, first: usize) -> impl Iterator<Item = BoundExpr> {
    let tie = move |(at, key): (usize, KeyOf)| equal(key.outer, BoundExpr::column(first + at, key.ty), key.collation);
    keys.into_iter().enumerate().map(tie)
}

/// The query for all outer rows; none where more than equalities ties it to one, or to rows further outside.
#[must_use]
pub fn keyed(rel: &Rel) -> Option<Keyed> {
    let is_tied = reads_beyond(rel, 1) && !reads_beyond(rel, 2) && is_repeatable(rel);
    let keyed = if is_tied { made(rel)? } else { return None };
    (!keyed.keys.is_empty()).then_some(keyed)
}

/// Whether a relation has the same rows whenever it is asked.
fn is_repeatable(rel: &Rel) -> bool {
    !expressions(rel).into_iter().any(is_volatile) && rel.inputs().into_iter().all(is_repeatable)
}

fn made(rel: &Rel) -> Option<Keyed> {
    if !reads_beyond(rel, 1) {
        return Some(Keyed { rel: rel.clone(), keys: Vec::new() });
    }
    if !inner_queries(rel).is_empty() {
        return None;
    }
    match rel {
        Rel::Filter { input, predicate } => filter(input, predicate),
        // Without TOP an order means nothing.
        Rel::Sort { input, .. } => made(input),
        _ if expressions(rel).into_iter().any(|expr| expr_reads_beyond(expr, 1))
            && !matches!(rel, Rel::Join { .. }) =>
        {
            None
        }
        Rel::Project { input, exprs } => {
            let Keyed { rel, keys } = made(input)?;
            let mut exprs = exprs.clone();
            exprs.extend(key_columns(input.width(), &keys));
            Some(Keyed { rel: Rel::Project { input: Box::new(rel), exprs }, keys })
        }
        Rel::Distinct(input) => {
            let Keyed { rel, keys } = made(input)?;
            Some(Keyed { rel: Rel::Distinct(Box::new(rel)), keys })
        }
        Rel::Aggregate { input, groups, aggregates } if !groups.is_empty() => {
            let Keyed { rel, keys } = made(input)?;
            let mut all_groups = groups.clone();
            all_groups.extend(key_columns(input.width(), &keys));
            let grouped = Rel::Aggregate { input: Box::new(rel), groups: all_groups, aggregates: aggregates.clone() };
            Some(keys_last(grouped, groups.len(), keys))
        }
        Rel::Window { input, partition, order, calls } => {
            let Keyed { rel, keys } = made(input)?;
            let mut whole = partition.clone();
            whole.extend(key_columns(input.width(), &keys));
            let (order, calls) = (order.clone(), calls.clone());
            let window = Rel::Window { input: Box::new(rel), partition: whole, order, calls };
            Some(keys_last(window, input.width(), keys))
        }
        Rel::Top { input, count, percent: false, ties, offset: None } if ties.is_empty() => {
            let rows = fixed_rows(count.as_ref(), None).filter(|rows| *rows > 0)?;
            top(input, rows)
        }
        Rel::Join { kind: kind @ (RelJoin::Inner | RelJoin::Left), hint, left, right, on } => {
            let sides = (made(left)?, made(right)?);
            let parts = on.clone().map(conjuncts).unwrap_or_default();
            let (local, tied): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| !expr_reads_beyond(part, 1));
            if local.iter().any(needs_plan) || *kind == RelJoin::Left && !tied.is_empty() {
                return None;
            }
            let joined =
                join(sides, (left.width(), right.width()), (local, *kind == RelJoin::Inner), |left, right, on| {
                    Rel::Join { kind: *kind, hint: *hint, left: Box::new(left), right: Box::new(right), on }
                })?;
            tie(joined, left.width() + right.width(), tied)
        }
        Rel::Set { op, all, left, right } => {
            let (left, right) = (made(left)?, made(right)?);
            let mut pairs = left.keys.iter().zip(&right.keys);
            if left.keys.len() != right.keys.len() || !pairs.all(|(one, other)| one.is_same_as(other)) {
                return None;
            }
            let mut keys = left.keys;
            if *op == RelSet::Union {
                keys.iter_mut().zip(&right.keys).for_each(|(key, other)| key.ty.nullable |= other.ty.nullable);
            }
            let rel = Rel::Set { op: *op, all: *all, left: Box::new(left.rel), right: Box::new(right.rel) };
            Some(Keyed { rel, keys })
        }
        _ => None,
    }
}

/// The columns of the keys after so many others.
fn key_columns(width: usize, keys: &[KeyOf]) -> Vec<BoundExpr> {
    keys.iter().enumerate().map(|(place, key)| BoundExpr::column(width + place, key.ty)).collect()
}

/// A relation that has its keys after so many columns, with the keys after all others.
fn keys_last(rel: Rel, before: usize, keys: Vec<KeyOf>) -> Keyed {
    let after = before + keys.len()..rel.width();
    let places = (0..before).chain(after).chain(before..before + keys.len());
    Keyed { rel: picked(rel, places), keys }
}

fn filter(input: &Rel, predicate: &BoundExpr) -> Option<Keyed> {
    let keyed = made(input)?;
    let parts = factored(conjuncts(predicate.clone()));
    let (local, tied): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| !expr_reads_beyond(part, 1));
    let Keyed { rel, keys } = keyed;
    let rel = match all(local) {
        Some(predicate) => Rel::Filter { input: Box::new(rel), predicate },
        None => rel,
    };
    tie(Keyed { rel, keys }, input.width(), tied)
}

/// The relation, which has so many columns before its keys, with these as further ones.
fn tie(keyed: Keyed, width: usize, tied: Vec<BoundExpr>) -> Option<Keyed> {
    if tied.is_empty() {
        return Some(keyed);
    }
    let Keyed { rel, mut keys } = keyed;
    let types = rel.types();
    let mut exprs: Vec<BoundExpr> =
        types.into_iter().enumerate().map(|(place, ty)| BoundExpr::column(place, ty)).collect();
    debug_assert_eq!(exprs.len(), width + keys.len());
    for part in tied {
        let (outer, inner, collation) = key(part)?;
        keys.push(KeyOf { outer, ty: inner.ty, collation });
        exprs.push(inner);
    }
    Some(Keyed { rel: Rel::Project { input: Box::new(rel), exprs }, keys })
}

/// What an equality compares: of the outer row, over that, and of the inner one. Texts that are one key to the inner
/// column's groups are one to the comparison.
fn key(part: BoundExpr) -> Option<(BoundExpr, BoundExpr, Collation)> {
    if needs_plan(&part) {
        return None;
    }
    let Kind::Compare(CompareOp::Eq, a, b, collation) = part.kind else { return None };
    let is_outer = |expr: &BoundExpr| columns(expr).is_empty() && expr_reads_beyond(expr, 1);
    let is_inner = |expr: &BoundExpr| !columns(expr).is_empty() && !expr_reads_beyond(expr, 1);
    let (outer, inner) = match (&a, &b) {
        (a, b) if is_outer(a) && is_inner(b) => (a, b),
        (a, b) if is_inner(a) && is_outer(b) => (b, a),
        _ => return None,
    };
    let is_one = !inner.ty.sql.is_string() || inner.ty.collation == collation;
    let outer = outer.as_ref().clone().rewrite(&mut |node| match node.kind {
        Kind::Outer { level: 1, column } => Ok(BoundExpr::column(column, node.ty)),
        _ => Err(node),
    });
    is_one.then(|| (outer, inner.as_ref().clone(), collation))
}

/// The first rows of each key.
fn top(input: &Rel, rows: i64) -> Option<Keyed> {
    let width = input.width();
    let (ordered, order) = ordered(input)?;
    let all_columns = ordered.width();
    let Keyed { rel, keys } = made(&ordered)?;
    let number = WindowCall {
        function: WindowFunction::RowNumber,
        args: Vec::new(),
        frame: WindowFrame::RUNNING,
        ty: ExprType::plain(SqlType::BigInt, false),
    };
    let partition = key_columns(all_columns, &keys);
    let at = rel.width();
    let number_ty = number.ty;
    let window = Rel::Window { input: Box::new(rel), partition, order, calls: vec![number] };
    let bound = Box::new(BoundExpr::literal(Value::BigInt(rows), SqlType::BigInt));
    let op = if rows == 1 { CompareOp::Eq } else { CompareOp::LtEq };
    let number = Box::new(BoundExpr::column(at, number_ty));
    let predicate = BoundExpr::predicate(Kind::Compare(op, number, bound, Collation::LATIN1_CI_AS));
    let first = Rel::Filter { input: Box::new(window), predicate };
    let places = (0..width).chain(all_columns..all_columns + keys.len());
    Some(Keyed { rel: picked(first, places), keys })
}

/// A relation without its order, which is by these keys over it; it may have further columns for them.
fn ordered(rel: &Rel) -> Option<(Rel, Vec<SortKey>)> {
    match rel {
        Rel::Sort { input, keys } => {
            let is_own = keys.iter().all(|key| !needs_plan(&key.expr) && !expr_reads_beyond(&key.expr, 1));
            is_own.then(|| (Rel::clone(input), keys.clone()))
        }
        Rel::Project { input, exprs } => {
            let (input, mut keys) = ordered(input)?;
            let mut exprs = exprs.clone();
            for key in &mut keys {
                let column = BoundExpr::column(exprs.len(), key.expr.ty);
                exprs.push(std::mem::replace(&mut key.expr, column));
            }
            Some((Rel::Project { input: Box::new(input), exprs }, keys))
        }
        rel => Some((rel.clone(), Vec::new())),
    }
}

/// A join of two sides, which have so many columns before their keys; the right one's keys must be among the left one's where both have
/// some.
fn join(
    (left, right): (Keyed, Keyed),
    (left_width, right_width): (usize, usize),
    (on, is_inner): (Vec<BoundExpr>, bool),
    make: impl FnOnce(Rel, Rel, Option<BoundExpr>) -> Rel,
) -> Option<Keyed> {
    let (of_left, of_right) = (left.keys.len(), right.keys.len());
    let right_at = left_width + of_left;
    let place = |column: usize| if column < left_width { column } else { column + of_left };
    let mut on: Vec<BoundExpr> = on.into_iter().map(|part| moved(part, &place)).collect();
    // Of an inner join either side may be the one that is tied.
    let is_right = is_inner && left.keys.is_empty();
    for (at, key) in right.keys.iter().enumerate().filter(|_| !is_right) {
        let known = left.keys.iter().position(|one| one.is_same_as(key))?;
        let (one, other) = (left_width + known, right_at + right_width + at);
        on.push(equal(BoundExpr::column(one, left.keys[known].ty), BoundExpr::column(other, key.ty), key.collation));
    }
    let rel = make(left.rel, right.rel, all(on));
    let width = rel.width();
    debug_assert_eq!(width, right_at + right_width + of_right);
    let keys_at = if is_right { right_at + right_width..width } else { left_width..right_at };
    let places = (0..left_width).chain(right_at..right_at + right_width).chain(keys_at);
    let keys = if is_right { right.keys } else { left.keys };
    Some(Keyed { rel: picked(rel, places), keys })
}
