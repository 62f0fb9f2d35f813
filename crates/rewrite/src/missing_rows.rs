//! Outer joins whose added rows are removed by what stands above them: these are inner joins.
//!
//! ```text
//!   (a LEFT JOIN b ON b.k = a.k) WHERE b.x = 1                ──▶   (a JOIN b ON b.k = a.k) WHERE b.x = 1
//!   (a LEFT JOIN b ON b.k = a.k) JOIN c ON c.k = b.j          ──▶   (a JOIN b ON b.k = a.k) JOIN c ON c.k = b.j
//! ```
//! What always holds: a predicate that is not true where a column is NULL removes all rows in which an outer join made it so.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{JoinHint, Rel, RelJoin};

use crate::terms::conjuncts;

/// What makes a join in normal form of its kind, sides and condition.
pub(crate) type MakeJoin = fn((RelJoin, JoinHint), Rel, Rel, Vec<BoundExpr>) -> Rel;

/// The join's kind when predicates hold above it, over left ++ right.
pub(crate) fn without_missing_rows(kind: RelJoin, predicates: &[BoundExpr], width: usize) -> RelJoin {
    let (of_left, of_right) = parted(predicates.iter().flat_map(rejected).collect(), width);
    without_padding(kind, !of_left.is_empty(), !of_right.is_empty())
}

/// The join's kind when no row is wanted in which columns of the left side, or of the right one, are NULL.
fn without_padding(kind: RelJoin, left_is_there: bool, right_is_there: bool) -> RelJoin {
    match (kind, left_is_there, right_is_there) {
        (RelJoin::Left, _, true) | (RelJoin::Right, true, _) | (RelJoin::Full, true, true) => RelJoin::Inner,
        (RelJoin::Full, true, false) => RelJoin::Left,
        (RelJoin::Full, false, true) => RelJoin::Right,
        (kind, ..) => kind,
    }
}

/// Columns for whose NULL the predicate is certainly not true.
fn rejected(predicate: &BoundExpr) -> Vec<usize> {
    let strict = |expr: &BoundExpr| match expr.kind {
        Kind::Column(column) => vec![column],
        _ => Vec::new(),
    };
    match &predicate.kind {
        Kind::Compare(_, left, right, _) => [strict(left), strict(right)].concat(),
        Kind::InList(operand, ..) => strict(operand),
        Kind::Like { text, .. } => strict(text),
        Kind::Not(operand) => match &operand.kind {
            Kind::IsNull(operand) => strict(operand),
            Kind::Compare(..) | Kind::InList(..) | Kind::Like { .. } => rejected(operand),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The sides of a join in normal form, of whose rows those are not wanted that its condition never is true for.
pub(crate) fn wanted_sides(
    kind: RelJoin,
    left: Rel,
    right: Rel,
    condition: &[BoundExpr],
    make: MakeJoin,
) -> (Rel, Rel) {
    let width = left.width();
    let (of_left, of_right) = parted(condition.iter().flat_map(rejected).collect(), width);
    let left = if matches!(kind, RelJoin::Inner | RelJoin::Right) { without_null(left, of_left, make) } else { left };
    let right =
        if matches!(kind, RelJoin::Inner | RelJoin::Left) { without_null(right, of_right, make) } else { right };
    (left, right)
}

/// The columns of each side, those of the right one as its own.
fn parted(columns: Vec<usize>, width: usize) -> (Vec<usize>, Vec<usize>) {
    let (left, right): (Vec<usize>, Vec<usize>) = columns.into_iter().partition(|column| *column < width);
    (left, right.into_iter().map(|column| column - width).collect())
}

/// The relation, of whose rows only those are wanted in which no column of these is NULL.
fn without_null(rel: Rel, columns: Vec<usize>, make: MakeJoin) -> Rel {
    if columns.is_empty() {
        return rel;
    }
    match rel {
        Rel::Join { kind, hint, left, right, on } => {
            let (of_left, of_right) = parted(columns, left.width());
            let wanted = without_padding(kind, !of_left.is_empty(), !of_right.is_empty());
            let (keeps_left, keeps_right) =
                (matches!(wanted, RelJoin::Inner | RelJoin::Left), matches!(wanted, RelJoin::Inner | RelJoin::Right));
            let left = if keeps_left { without_null(*left, of_left, make) } else { *left };
            let right = if keeps_right { without_null(*right, of_right, make) } else { *right };
            if wanted == kind {
                return Rel::Join { kind, hint, left: Box::new(left), right: Box::new(right), on };
            }
            make((wanted, hint), left, right, on.map(conjuncts).unwrap_or_default())
        }
        Rel::Filter { input, predicate } => {
            Rel::Filter { input: Box::new(without_null(*input, columns, make)), predicate }
        }
        Rel::Project { input, exprs } => {
            let passed = |column: usize| match exprs.get(column)?.kind {
                Kind::Column(inner) => Some(inner),
                _ => None,
            };
            let columns = columns.into_iter().filter_map(passed).collect();
            Rel::Project { input: Box::new(without_null(*input, columns, make)), exprs }
        }
        other => other,
    }
}
