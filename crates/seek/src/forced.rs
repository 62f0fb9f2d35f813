//! Whether a way to the rows of a table is one that its hints leave; where none is, the statement is error 8622.
//!
//! What always holds: a table without hints may be read by any way.

use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind, conjuncts};

use crate::choose::{TableRequest, fact};
use crate::{Access, estimate::Fact};

/// Whether an access obeys the hints of its table. Conditions that SQL Server looks for by several ranges, and this version asks of
/// each row of the index (`<>`, NOT IN, `LIKE '[ab]%'`), are as good as looked for.
#[must_use]
pub fn obeys(request: &TableRequest<'_>, access: &Access) -> bool {
    let forced = request.forced;
    if forced.index.is_some_and(|index| index != access.index) {
        return false;
    }
    match forced.seek_columns() {
        None => true,
        Some(columns) => access.sought() >= columns.max(1) || columns <= 1 && leads_by_ranges(request),
    }
}

/// Whether a condition leads to ranges of an index that may be read.
fn leads_by_ranges(request: &TableRequest<'_>) -> bool {
    let may = |place: &usize| request.forced.index.is_none_or(|index| index == *place);
    let indexes = request.def.indexes.iter().enumerate().filter(|(place, index)| may(place) && !index.disabled);
    let columns: Vec<usize> = indexes.filter_map(|(_, index)| Some(index.key.first()?.column)).collect();
    request.conjuncts.iter().any(|conjunct| columns.iter().any(|column| are_ranges(request, conjunct, *column)))
}

/// Whether a condition leaves ranges of a column.
fn are_ranges(request: &TableRequest<'_>, conjunct: &BoundExpr, column: usize) -> bool {
    let place = request.first + column;
    let is_it = |expr: &BoundExpr| matches!(expr.kind, Kind::Column(of) if of == place);
    let is_known = |expr: &BoundExpr| {
        let mut is_known = true;
        expr.visit(&mut |node| {
            is_known &= !matches!(node.kind, Kind::Column(of) if is_own(request.def, request.first, of))
        });
        is_known
    };
    match &conjunct.kind {
        Kind::Compare(CompareOp::NotEq, left, right, _) => {
            is_it(left) && is_known(right) || is_it(right) && is_known(left)
        }
        Kind::IsNull(operand) => is_it(operand),
        Kind::Like { text, pattern, .. } => {
            let begins_with_set = |pattern: &str| pattern.starts_with('[');
            is_it(text) && matches!(&pattern.kind, Kind::Literal(value) if value.as_str().is_some_and(begins_with_set))
        }
        Kind::Not(operand) => match &operand.kind {
            Kind::InList(operand, ..) | Kind::Like { text: operand, .. } => is_it(operand),
            Kind::Compare(CompareOp::Eq, left, right, _) => {
                is_it(left) && is_known(right) || is_it(right) && is_known(left)
            }
            _ => false,
        },
        Kind::Or(left, right) => [left, right].into_iter().all(|part| {
            let parts = conjuncts((**part).clone());
            let is_sought = |part: &BoundExpr| {
                are_ranges(request, part, column)
                    || fact(request, part)
                        .is_some_and(|fact| fact.column() == column && !matches!(fact, Fact::Known(_)))
            };
            parts.iter().any(is_sought)
        }),
        _ => false,
    }
}

fn is_own(def: &TableDef, first: usize, place: usize) -> bool {
    (first..first + def.columns.len()).contains(&place)
}
