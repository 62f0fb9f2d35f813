//! What EXISTS asks of a query: whether it has rows, not what they say.

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::Rel;
use millpond_types::{SqlType, Value};

/// A relation that has rows when the other one has some: what they say is not computed.
pub(crate) fn existence(rel: Rel) -> Rel {
    let one = BoundExpr::literal(Value::Int(1), SqlType::Int);
    Rel::Project { input: Box::new(rows_alone(rel)), exprs: vec![one] }
}

fn rows_alone(rel: Rel) -> Rel {
    match rel {
        Rel::Project { input, .. } | Rel::Distinct(input) | Rel::Sort { input, .. } | Rel::Window { input, .. } => {
            rows_alone(*input)
        }
        // Without groups there is always one row.
        Rel::Aggregate { groups, .. } if groups.is_empty() => Rel::one_row(),
        Rel::Aggregate { input, .. } => rows_alone(*input),
        Rel::Top { input, count, percent, ties, offset } if ties.is_empty() => {
            Rel::Top { input: Box::new(rows_alone(*input)), count, percent, ties, offset }
        }
        rel => rel,
    }
}
