//! Which columns tell the rows of a relation apart.
//!
//! What always holds: of two rows of a relation that is unique by some columns, one has another value than the other in one of
//! them, or NULL. Texts are compared as their columns compare them. Of tables it says nothing: what a scan gives beside writers is not
//! what their indexes hold at one time.

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Rel, RelSet, WindowFunction};

use crate::terms::{columns, conjuncts, is_volatile, plain};

/// Whether no two rows of a relation agree in these columns.
#[must_use]
pub fn is_unique_by(rel: &Rel, by: &[usize]) -> bool {
    let has = |column: usize| by.contains(&column);
    match rel {
        Rel::Aggregate { groups, .. } => (0..groups.len()).all(has),
        Rel::Distinct(_) | Rel::Set { all: false, op: RelSet::Union, .. } => (0..rel.width()).all(has),
        Rel::Sort { input, .. } | Rel::Top { input, .. } => is_unique_by(input, by),
        Rel::Filter { input, predicate } => {
            // What has one value in all rows tells nothing, but may stand for a part of a key.
            let fixed = conjuncts(predicate.clone()).into_iter().filter_map(|part| fixed_column(&part));
            is_unique_by(input, &by.iter().copied().chain(fixed).collect::<Vec<usize>>())
        }
        Rel::Project { input, exprs } => {
            let below = by.iter().filter_map(|&column| exprs.get(column).and_then(plain));
            is_unique_by(input, &below.collect::<Vec<usize>>())
        }
        Rel::Window { input, partition, calls, .. } => {
            let width = input.width();
            let is_number = |call: usize| matches!(calls[call].function, WindowFunction::RowNumber);
            let is_numbered = (0..calls.len()).any(|call| is_number(call) && has(width + call));
            is_numbered && partition.iter().all(|key| plain(key).is_some_and(has))
                || is_unique_by(input, &by.iter().copied().filter(|&column| column < width).collect::<Vec<usize>>())
        }
        _ => false,
    }
}

/// The column that a predicate lets have one value alone.
fn fixed_column(predicate: &BoundExpr) -> Option<usize> {
    let Kind::Compare(CompareOp::Eq, left, right, collation) = &predicate.kind else { return None };
    let is_fixed = |expr: &BoundExpr| columns(expr).is_empty() && !needs_plan(expr) && !is_volatile(expr);
    let (column, of) = match (plain(left), plain(right)) {
        (Some(column), None) if is_fixed(right) => (column, left),
        (None, Some(column)) if is_fixed(left) => (column, right),
        _ => return None,
    };
    (!of.ty.sql.is_string() || of.ty.collation == *collation).then_some(column)
}
