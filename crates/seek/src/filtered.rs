//! Whether the conditions of a statement let pass no row that the filter of an index leaves out.
//!
//! ```text
//!   filter  state IN (1, 2) AND due IS NOT NULL
//!   WHERE   state = 2 AND due > @now                each part of the filter follows from one condition
//! ```
//! What always holds: only what follows by literals is found, so the answer is the same for all values of variables.

use millpond_builtin::eval::compare_values;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind, conjuncts};
use millpond_types::Value;
use millpond_types::collation::Collation;

/// Whether each part of a filter over a table's columns follows from one of the conditions, which see these from `first` on.
pub(crate) fn follows(filter: &BoundExpr, conditions: &[BoundExpr], first: usize) -> bool {
    conjuncts(filter.clone()).into_iter().all(|part| {
        let part = part.rewrite(&mut |node| match node.kind {
            Kind::Column(column) => Ok(BoundExpr::column(first + column, node.ty)),
            kind => Err(BoundExpr { kind, ty: node.ty }),
        });
        conditions.iter().any(|condition| part.same_as(condition) || implies(condition, &part))
    })
}

fn implies(condition: &BoundExpr, part: &BoundExpr) -> bool {
    if let Some(column) = known_column(part) {
        return refuses_null(condition, column);
    }
    let wanted = values(part);
    match (Comparison::of(condition), values(condition)) {
        (Some(has), _) => match (Comparison::of(part), wanted) {
            (Some(wants), _) => has.implies(&wants),
            (None, Some((column, list))) if has.op == CompareOp::Eq && has.column == column => {
                list.iter().any(|value| has.is(value))
            }
            _ => false,
        },
        (None, Some((column, has))) => match (Comparison::of(part), wanted) {
            (Some(wants), _) => {
                let each = |value| Comparison { value, op: CompareOp::Eq, ..wants }.implies(&wants);
                column == wants.column && has.iter().all(|value| each(value))
            }
            (None, Some((other, list))) => column == other && has.iter().all(|value| list.contains(value)),
            _ => false,
        },
        _ => false,
    }
}

/// The column that is not NULL, where that is all that is said.
fn known_column(part: &BoundExpr) -> Option<usize> {
    let Kind::Not(operand) = &part.kind else { return None };
    let Kind::IsNull(operand) = &operand.kind else { return None };
    column_of(operand)
}

/// Whether a condition is not true where a column is NULL.
fn refuses_null(condition: &BoundExpr, column: usize) -> bool {
    match &condition.kind {
        Kind::Compare(_, left, right, _) => [left, right].iter().any(|side| column_of(side) == Some(column)),
        Kind::InList(operand, ..) | Kind::Like { text: operand, .. } => column_of(operand) == Some(column),
        _ => known_column(condition) == Some(column),
    }
}

/// A column compared with a literal of its own type.
struct Comparison<'e> {
    column: usize,
    op: CompareOp,
    value: &'e Value,
    collation: Collation,
}

impl<'e> Comparison<'e> {
    fn of(expr: &'e BoundExpr) -> Option<Comparison<'e>> {
        let Kind::Compare(op, left, right, collation) = &expr.kind else { return None };
        let sides = [(left, right, *op), (right, left, op.mirrored())];
        sides.into_iter().find_map(|(column, value, op)| match (&column.kind, &value.kind) {
            (Kind::Column(place), Kind::Literal(value)) => {
                Some(Comparison { column: *place, op, value, collation: *collation })
            }
            _ => None,
        })
    }

    fn is(&self, value: &Value) -> bool {
        self.holds(CompareOp::Eq, value)
    }

    /// Whether its own value stands so to another one.
    fn holds(&self, op: CompareOp, value: &Value) -> bool {
        let are_alike = std::mem::discriminant(self.value) == std::mem::discriminant(value);
        are_alike && compare_values(op, self.value, value, self.collation) == Some(true)
    }

    fn implies(&self, wants: &Comparison<'_>) -> bool {
        if self.column != wants.column || self.collation != wants.collation {
            return false;
        }
        let within = match (self.op, wants.op) {
            (CompareOp::Eq, op) => op,
            (CompareOp::Lt, CompareOp::Lt | CompareOp::LtEq) => CompareOp::LtEq,
            (CompareOp::Gt, CompareOp::Gt | CompareOp::GtEq) => CompareOp::GtEq,
            (CompareOp::LtEq, CompareOp::Lt | CompareOp::LtEq) => wants.op,
            (CompareOp::GtEq, CompareOp::Gt | CompareOp::GtEq) => wants.op,
            _ => return false,
        };
        self.holds(within, wants.value)
    }
}

/// A column and the literals of which it has one.
fn values(expr: &BoundExpr) -> Option<(usize, Vec<&Value>)> {
    let Kind::InList(operand, list, _) = &expr.kind else { return None };
    let literal = |item: &'_ BoundExpr| matches!(item.kind, Kind::Literal(_));
    if !list.iter().all(literal) {
        return None;
    }
    let values = list.iter().filter_map(|item| if let Kind::Literal(value) = &item.kind { Some(value) } else { None });
    Some((column_of(operand)?, values.collect()))
}

fn column_of(expr: &BoundExpr) -> Option<usize> {
    match expr.kind {
        Kind::Column(column) => Some(column),
        _ => None,
    }
}
