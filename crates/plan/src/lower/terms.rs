//! What predicates and other expressions are made of: parts of conjunctions and disjunctions, the columns that they read,
//! and what may be done with them.

use millpond_catalog::expr::{BoundExpr, Kind};

pub(crate) use millpond_catalog::expr::{conjuncts, disjuncts};

/// The conjunction of predicates.
pub(crate) fn all(predicates: Vec<BoundExpr>) -> Option<BoundExpr> {
    balanced(predicates, |left, right| BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right))))
}

/// The parts joined two by two, in their order. The tree is as low as it can be: whoever walks it needs little stack,
/// however many parts a generated text has.
pub(crate) fn balanced<T>(mut parts: Vec<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    while parts.len() > 1 {
        let mut rest = parts.into_iter();
        parts = Vec::with_capacity(rest.len().div_ceil(2));
        while let Some(left) = rest.next() {
            parts.push(match rest.next() {
                Some(right) => join(left, right),
                None => left,
            });
        }
    }
    parts.pop()
}

/// Whether an expression costs nothing, so that it may be evaluated in several places.
pub(crate) fn is_cheap(expr: &BoundExpr) -> bool {
    matches!(expr.kind, Kind::Column(_) | Kind::Literal(_) | Kind::Variable(_) | Kind::Outer { .. })
}

/// Which input of a join a predicate speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Neither: it has no columns.
    None,
    Left,
    Right,
    Both,
}

/// Which input of a join an expression speaks of, the left one having `width` columns.
pub(crate) fn side(expr: &BoundExpr, width: usize) -> Side {
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
pub(crate) fn columns(expr: &BoundExpr) -> Vec<usize> {
    let mut found = Vec::new();
    expr.visit(&mut |node| match &node.kind {
        Kind::Column(column) => found.push(*column),
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => {
            crate::lower::outer::references(rel, 1, &mut |column| found.push(column));
        }
        _ => {}
    });
    found
}

/// The expression over the right input's own row. It has no subqueries (N2).
pub(crate) fn shifted(expr: BoundExpr, width: usize) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr::column(column - width, node.ty)),
        _ => Err(node),
    })
}

/// The expression over the input of a projection whose columns are `exprs`.
pub(crate) fn substitute(expr: BoundExpr, exprs: &[BoundExpr]) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(exprs[column].clone()),
        _ => Err(node),
    })
}

/// Whether evaluation may end in an error.
pub(crate) fn can_fail(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |expr| {
        found |= !matches!(
            expr.kind,
            Kind::Literal(_)
                | Kind::Variable(_)
                | Kind::Column(_)
                | Kind::Outer { .. }
                | Kind::Compare(..)
                | Kind::And(..)
                | Kind::Or(..)
                | Kind::Not(_)
                | Kind::IsNull(_)
                | Kind::InList(..)
                | Kind::Like { escape: None, .. }
                | Kind::Case { .. }
                | Kind::Exists(_)
        );
    });
    found
}

/// Whether each row has its own value (NEWID).
pub(crate) fn is_volatile(expr: &BoundExpr) -> bool {
    expr.is_volatile()
}
