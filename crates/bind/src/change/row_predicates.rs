//! What holds for every row of a relation and can be asked again of one row.

use millpond_catalog::expr::{BoundExpr, conjuncts};
use millpond_catalog::rel::{Rel, RelJoin};

use crate::binder::target::moved;

/// The conditions of filters and inner joins that all rows of a relation meet, those with queries among them; `first` is
/// the place of the relation's first column in the row that they are asked of.
#[must_use]
pub fn row_predicates(rel: &Rel, first: usize) -> Vec<BoundExpr> {
    let mut found = Vec::new();
    collect(rel, first, &mut found);
    found
}

fn collect(rel: &Rel, first: usize, found: &mut Vec<BoundExpr>) {
    match rel {
        Rel::Filter { input, predicate } => {
            found.extend(conjuncts(moved(predicate, first)));
            collect(input, first, found);
        }
        Rel::Top { input, .. } | Rel::Sort { input, .. } => collect(input, first, found),
        Rel::Apply { left, .. } => collect(left, first, found),
        Rel::Join { kind: RelJoin::Inner, left, right, on, .. } => {
            if let Some(on) = on {
                found.extend(conjuncts(moved(on, first)));
            }
            let middle = first + left.types().len();
            collect(left, first, found);
            collect(right, middle, found);
        }
        _ => {}
    }
}
