//! Relations that certainly have no rows: a condition over constants that is not true makes one, and what is made of one mostly
//! is one.
//!
//! ```text
//!   (a UNION ALL b) WHERE kind = 'w', a's kind is 's' everywhere   ──▶   b WHERE …
//! ```
//! What always holds: an error that a row would have met is met by no row here, since there is none.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Rel, RelJoin, RelSet};

/// The value of a condition over constants alone; `None` where it has anything else. Unknown is not true.
pub(crate) fn decided(condition: &BoundExpr) -> Option<bool> {
    truth(condition).map(|truth| truth == Some(true))
}

/// As a truth value, which may be unknown.
fn truth(condition: &BoundExpr) -> Option<Option<bool>> {
    Some(match &condition.kind {
        Kind::Compare(op, left, right, collation) => match (&left.kind, &right.kind) {
            (Kind::Literal(left_value), Kind::Literal(right_value)) if left.ty.sql == right.ty.sql => {
                eval::compare_values(*op, left_value, right_value, *collation)
            }
            _ => return None,
        },
        Kind::IsNull(operand) => match &operand.kind {
            Kind::Literal(value) => Some(value.is_null()),
            _ => return None,
        },
        Kind::Not(operand) => truth(operand)?.map(|truth| !truth),
        Kind::And(left, right) => match (truth(left)?, truth(right)?) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Kind::Or(left, right) => match (truth(left)?, truth(right)?) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => return None,
    })
}

/// No rows of a relation's columns.
pub(crate) fn of(rel: &Rel) -> Rel {
    Rel::Values { rows: Vec::new(), types: rel.types() }
}

fn is_empty(rel: &Rel) -> bool {
    matches!(rel, Rel::Values { rows, .. } if rows.is_empty())
}

/// The relation without the parts that have no rows.
pub(crate) fn pruned(rel: Rel) -> Rel {
    let below = |rel: Box<Rel>| Box::new(pruned(*rel));
    match rel {
        Rel::Filter { input, predicate } => over(below(input), |input| Rel::Filter { input, predicate }),
        Rel::Project { input, exprs } => over(below(input), |input| Rel::Project { input, exprs }),
        Rel::Sort { input, keys } => over(below(input), |input| Rel::Sort { input, keys }),
        Rel::Distinct(input) => over(below(input), Rel::Distinct),
        Rel::Window { input, partition, order, calls } => {
            over(below(input), |input| Rel::Window { input, partition, order, calls })
        }
        Rel::Top { input, count, percent, ties, offset } => {
            Rel::Top { input: below(input), count, percent, ties, offset }
        }
        Rel::Aggregate { input, groups, aggregates } if !groups.is_empty() => {
            over(below(input), |input| Rel::Aggregate { input, groups, aggregates })
        }
        Rel::Aggregate { input, groups, aggregates } => Rel::Aggregate { input: below(input), groups, aggregates },
        Rel::Join { kind, hint, left, right, on } => {
            let (left, right) = (below(left), below(right));
            let (no_left, no_right) = (is_empty(&left), is_empty(&right));
            let has_none = match kind {
                RelJoin::Inner => no_left || no_right,
                RelJoin::Left => no_left,
                RelJoin::Right => no_right,
                RelJoin::Full => no_left && no_right,
            };
            let join = Rel::Join { kind, hint, left, right, on };
            if has_none { of(&join) } else { join }
        }
        Rel::Set { op: RelSet::Union, all: true, left, right } => {
            let (left, right) = (below(left), below(right));
            match (is_empty(&left), is_empty(&right)) {
                (_, true) => *left,
                (true, false) if same_types(&left, &right) => *right,
                _ => Rel::Set { op: RelSet::Union, all: true, left, right },
            }
        }
        Rel::Set { op, all, left, right } => Rel::Set { op, all, left: below(left), right: below(right) },
        Rel::Apply { left, right, keeps_left } => {
            let left = below(left);
            let has_none = is_empty(&left);
            let apply = Rel::Apply { left, right, keeps_left };
            if has_none { of(&apply) } else { apply }
        }
        Rel::Expand { input, groups, sets } => Rel::Expand { input: below(input), groups, sets },
        Rel::OrElse { input, rows } => Rel::OrElse { input: below(input), rows },
        Rel::Text { input, by, in_pieces, ty } => Rel::Text { input: below(input), by, in_pieces, ty },
        rel => rel,
    }
}

/// What is made of an input, or no rows where that has none.
fn over(input: Box<Rel>, make: impl FnOnce(Box<Rel>) -> Rel) -> Rel {
    let has_none = is_empty(&input);
    let made = make(input);
    if has_none { of(&made) } else { made }
}

fn same_types(left: &Rel, right: &Rel) -> bool {
    let (left, right) = (left.types(), right.types());
    left.iter().zip(&right).all(|(left, right)| left.sql == right.sql && left.collation == right.collation)
}

#[cfg(test)]
mod tests {
    use millpond_catalog::expr::CompareOp;
    use millpond_types::{Collation, SqlType, Value};

    use super::*;

    fn equal(left: Value, right: Value) -> BoundExpr {
        let text = |value| Box::new(BoundExpr::literal(value, SqlType::varchar(1)));
        BoundExpr::predicate(Kind::Compare(CompareOp::Eq, text(left), text(right), Collation::LATIN1_BIN2))
    }

    #[test]
    fn conditions_over_constants_are_decided_with_their_unknowns() {
        let (yes, no) = (equal(Value::str("s"), Value::str("s")), equal(Value::str("s"), Value::str("w")));
        let unknown = equal(Value::Null, Value::str("w"));
        let not = |condition: &BoundExpr| BoundExpr::predicate(Kind::Not(Box::new(condition.clone())));
        let or =
            |a: &BoundExpr, b: &BoundExpr| BoundExpr::predicate(Kind::Or(Box::new(a.clone()), Box::new(b.clone())));
        assert_eq!(decided(&yes), Some(true));
        assert_eq!(decided(&no), Some(false));
        assert_eq!(decided(&unknown), Some(false));
        assert_eq!(decided(&not(&unknown)), Some(false), "unknown either way");
        assert_eq!(decided(&or(&unknown, &yes)), Some(true));
        assert_eq!(decided(&or(&yes, &BoundExpr::column(0, yes.ty))), None, "a column");
    }
}
