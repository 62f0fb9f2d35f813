//! Rules of thumb, where statistics say nothing.

use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;

/// Which part of a relation's rows a predicate lets pass; a whole unique key gives one row.
pub(super) fn share(input: &Rel, conjunct: &BoundExpr) -> f64 {
    let (op, left, right) = match &conjunct.kind {
        Kind::Compare(op, left, right, _) => (op, left, right),
        Kind::Like { .. } => return 0.1,
        Kind::InList(_, list, _) => return (0.1 * list.len() as f64).min(0.5),
        Kind::Not(operand) => return 1.0 - share(input, operand).min(0.9),
        _ => return 0.5,
    };
    let column = match (&left.kind, &right.kind) {
        (Kind::Column(column), _) | (_, Kind::Column(column)) => *column,
        _ => return 0.5,
    };
    let is_key = |def: &TableDef| {
        def.indexes.iter().any(|index| index.unique && index.key.len() == 1 && index.key[0].column == column)
    };
    match (op, input) {
        (CompareOp::Eq, Rel::Table { def, .. }) if is_key(def) => 0.0,
        (CompareOp::Eq, _) => 0.1,
        (CompareOp::NotEq, _) => 0.9,
        _ => 0.3,
    }
}
