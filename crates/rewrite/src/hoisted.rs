//! Values of inner queries in the condition of a join, which one side of it determines, as columns of that side.
//!
//! ```text
//!   x LEFT JOIN y ON y.id = (SELECT MIN(id) FROM q WHERE q.k = x.k)
//!       ──▶  (SELECT x.*, (SELECT MIN(id) FROM q WHERE q.k = x.k) AS a FROM x) LEFT JOIN y ON y.id = a
//! ```
//! What always holds: the rows are the same. A value is asked for once for each row of its side, not for each pair. Of an outer join only one
//! that cannot fail, since where the other side has no rows it is not asked for.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Rel, RelJoin};

use crate::fails::query_fails;
use crate::first::fixed_rows;
use crate::terms::reads_beyond;
use crate::terms::{Side, is_volatile, picked, plain, side};

/// Gives the rows of a relation for which predicates without queries are true.
type Push = fn(Rel, Vec<BoundExpr>) -> Rel;

/// The sides of a join with what its condition asks of them.
pub(crate) struct Hoisted {
    pub(crate) left: Rel,
    pub(crate) right: Rel,
    pub(crate) condition: Vec<BoundExpr>,
    pub(crate) before: Before,
}

/// How many columns the sides had before, and the right one has now.
#[derive(Clone, Copy)]
pub(crate) struct Before {
    widths: (usize, usize),
    right_now: usize,
}

impl Before {
    /// The columns that the join had before, of one of the sides as they are now.
    pub(crate) fn of(self, join: Rel) -> Rel {
        let (left, right) = self.widths;
        let first = join.width() - self.right_now;
        picked(join, (0..left).chain(first..first + right))
    }
}

/// The condition of an outer join over its sides with further columns; none where it asks nothing of them that can be one.
pub(crate) fn of_sides(left: &Rel, right: &Rel, condition: &[BoundExpr]) -> Option<Hoisted> {
    hoisted(left, right, condition, |rel| !query_fails(rel))
}

/// The rows of inner joins for which predicates are true: one that compares a value of one side with the other becomes part of the join's
/// condition. Gives those back that stay above.
pub(crate) fn joined_by(mut rel: Rel, predicates: Vec<BoundExpr>, push: Push) -> (Rel, Vec<BoundExpr>) {
    let mut above = Vec::new();
    for predicate in predicates {
        let is_equality = matches!(predicate.kind, Kind::Compare(CompareOp::Eq, ..));
        match if is_equality && !is_volatile(&predicate) { join_by(&rel, &predicate, push) } else { None } {
            Some(joined) => rel = joined,
            None => above.push(predicate),
        }
    }
    (rel, above)
}

fn join_by(rel: &Rel, predicate: &BoundExpr, push: Push) -> Option<Rel> {
    match rel {
        Rel::Project { input, exprs } if exprs.iter().all(|expr| matches!(expr.kind, Kind::Column(_))) => {
            let below = |column: usize| plain(&exprs[column]).unwrap_or(column);
            let input = join_by(input, &relocated(predicate.clone(), 0, &below), push)?;
            Some(Rel::Project { input: Box::new(input), exprs: exprs.clone() })
        }
        Rel::Join { kind: RelJoin::Inner, hint, left, right, on } if !hint.in_order => {
            let width = left.width();
            let (left, right) = match side(predicate, width) {
                Side::Left => (Box::new(join_by(left, predicate, push)?), right.clone()),
                Side::Right => {
                    let predicate = relocated(predicate.clone(), 0, &|column| column - width);
                    (left.clone(), Box::new(join_by(right, &predicate, push)?))
                }
                Side::Both => {
                    let Hoisted { left, right, condition, before } =
                        hoisted(left, right, std::slice::from_ref(predicate), |_| true)?;
                    let on = on.clone().map(|on| relocated(on, 0, &place_of(width, left.width() - width)));
                    let (left, right) = (Box::new(left), Box::new(right));
                    let join = Rel::Join { kind: RelJoin::Inner, hint: *hint, left, right, on };
                    return Some(before.of(push(join, condition)));
                }
                Side::None => return None,
            };
            Some(Rel::Join { kind: RelJoin::Inner, hint: *hint, left, right, on: on.clone() })
        }
        _ => None,
    }
}

/// The sides with further columns and the condition over these; none where it asks nothing that one side determines and all of
/// which `is_safe`.
fn hoisted(left: &Rel, right: &Rel, condition: &[BoundExpr], is_safe: fn(&Rel) -> bool) -> Option<Hoisted> {
    let widths = (left.width(), right.width());
    let is_wanted = |part: &BoundExpr| side(part, widths.0) == Side::Both && is_of_sides(part, widths.0, is_safe);
    let wanted: Vec<bool> = condition.iter().map(is_wanted).collect();
    let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
    for part in condition.iter().zip(&wanted).filter_map(|(part, wanted)| wanted.then_some(part)) {
        part.visit(&mut |node| {
            if matches!(node.kind, Kind::ScalarQuery(_)) {
                match side(node, widths.0) {
                    Side::Right => of_right.push(relocated(node.clone(), 0, &|column| column - widths.0)),
                    _ => of_left.push(node.clone()),
                }
            }
        });
    }
    if of_left.is_empty() && of_right.is_empty() {
        return None;
    }
    let place = place_of(widths.0, of_left.len());
    let mut next = (widths.0, widths.0 + of_left.len() + widths.1);
    let mut over = |part: &BoundExpr| {
        part.clone().rewrite(&mut |node| match node.kind {
            Kind::Column(column) => Ok(BoundExpr::column(place(column), node.ty)),
            Kind::ScalarQuery(_) => {
                let next = if side(&node, widths.0) == Side::Right { &mut next.1 } else { &mut next.0 };
                *next += 1;
                Ok(BoundExpr::column(*next - 1, node.ty))
            }
            _ => Err(node),
        })
    };
    let parts = condition.iter().zip(wanted);
    let condition =
        parts.map(|(part, wanted)| if wanted { over(part) } else { relocated(part.clone(), 0, &place) }).collect();
    let (left, right) = (with(left, of_left), with(right, of_right));
    let before = Before { widths, right_now: right.width() };
    Some(Hoisted { left, right, condition, before })
}

/// Where a join's column is when its left side, of so many columns, has some more.
fn place_of(width: usize, added: usize) -> impl Fn(usize) -> usize {
    move |column| if column < width { column } else { column + added }
}

/// A relation with further columns.
fn with(rel: &Rel, added: Vec<BoundExpr>) -> Rel {
    if added.is_empty() {
        return rel.clone();
    }
    let own = rel.types().into_iter().enumerate().map(|(place, ty)| BoundExpr::column(place, ty));
    Rel::Project { input: Box::new(rel.clone()), exprs: own.chain(added).collect() }
}

/// Whether each inner query of a predicate is one for a value of one row at most, asked wherever the predicate is and of rows of one side
/// of a join.
fn is_of_sides(predicate: &BoundExpr, width: usize, is_safe: fn(&Rel) -> bool) -> bool {
    match &predicate.kind {
        Kind::ScalarQuery(rel) => {
            let is_one_side = matches!(side(predicate, width), Side::Left | Side::Right);
            is_one_side && !reads_beyond(rel, 2) && has_one_row(rel) && is_safe(rel)
        }
        Kind::Exists(_) | Kind::InQuery(..) => false,
        // What comes first may settle it.
        Kind::And(..) | Kind::Or(..) | Kind::Case { .. } | Kind::Function(..) | Kind::Call(..) => {
            !needs_plan(predicate)
        }
        _ => !is_volatile(predicate) && predicate.children().into_iter().all(|part| is_of_sides(part, width, is_safe)),
    }
}

/// Whether a query has one row at most.
fn has_one_row(rel: &Rel) -> bool {
    match rel {
        Rel::Project { input, .. } | Rel::Sort { input, .. } => has_one_row(input),
        Rel::Aggregate { groups, .. } => groups.is_empty(),
        Rel::Top { count, percent: false, ties, offset: None, .. } => {
            ties.is_empty() && fixed_rows(count.as_ref(), None).is_some_and(|rows| rows <= 1)
        }
        _ => false,
    }
}

/// An expression with its columns elsewhere, as its inner queries read them too: from inside of so many of these.
fn relocated(expr: BoundExpr, depth: usize, to: &dyn Fn(usize) -> usize) -> BoundExpr {
    let inner = |rel: Arc<Rel>| {
        let rel = Arc::unwrap_or_clone(rel);
        Arc::new(rel.map_exprs(depth + 1, &mut |expr, depth| relocated(expr, depth, to)))
    };
    expr.rewrite(&mut |node| {
        let kind = match node.kind {
            Kind::Column(column) if depth == 0 => Kind::Column(to(column)),
            Kind::Outer { level, column } if depth > 0 && level == depth => Kind::Outer { level, column: to(column) },
            Kind::ScalarQuery(rel) => Kind::ScalarQuery(inner(rel)),
            Kind::Exists(rel) => Kind::Exists(inner(rel)),
            Kind::InQuery(operand, rel, collation) => {
                Kind::InQuery(Box::new(relocated(*operand, depth, to)), inner(rel), collation)
            }
            kind => return Err(BoundExpr { kind, ty: node.ty }),
        };
        Ok(BoundExpr { kind, ty: node.ty })
    })
}
