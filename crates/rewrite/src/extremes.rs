//! MIN and MAX of columns that indexes order: one end of an index instead of all rows.
//!
//! ```text
//!   SELECT MIN(a), MAX(a) FROM t   ──▶   SELECT (SELECT TOP 1 a FROM t WHERE a IS NOT NULL ORDER BY a),
//!                                               (SELECT TOP 1 a FROM t WHERE a IS NOT NULL ORDER BY a DESC)
//! ```
//! So it is where all aggregates are of this kind, there are no groups, and all conditions are equalities with constants which an
//! index has before the column: then the first entry is the answer, and no entry is NULL.

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, Rel, SortKey};
use millpond_catalog::{IndexDef, TableDef, TableStorage};
use millpond_types::{SqlType, Value};

use crate::terms::{all, conjuncts};

/// More aggregates are computed from all rows.
const ENDS_MAX: usize = 4;

/// The aggregates of all rows of an input in normal form, if each is an end of an index.
pub(crate) fn ends_of_indexes(input: &Rel, aggregates: &[Aggregate]) -> Option<Rel> {
    if aggregates.is_empty() || aggregates.len() > ENDS_MAX {
        return None;
    }
    let (input, columns) = match input {
        Rel::Project { input, exprs } => (&**input, Some(exprs)),
        rel => (rel, None),
    };
    let (table, conditions) = match input {
        Rel::Filter { input, predicate } => (&**input, conjuncts(predicate.clone())),
        rel => (rel, Vec::new()),
    };
    let Rel::Table { def, forced: None, .. } = table else { return None };
    if def.storage != TableStorage::Trees {
        return None;
    }
    let equal = conditions.iter().map(|condition| equal_column(def, condition)).collect::<Option<Vec<usize>>>()?;
    let mut ends = Vec::new();
    for aggregate in aggregates {
        let descending = match aggregate.function {
            Function::Min => false,
            Function::Max => true,
            _ => return None,
        };
        let arg = aggregate.arg.as_ref()?;
        let column = match (&arg.kind, columns) {
            (Kind::Column(column), None) => *column,
            (Kind::Column(column), Some(exprs)) => match exprs[*column].kind {
                Kind::Column(column) => column,
                _ => return None,
            },
            _ => return None,
        };
        let ty = def.columns.get(column)?.ty;
        let is_ordered = |index: &IndexDef| leads_to(index, &equal, column);
        if ty.sql != aggregate.ty.sql || !def.indexes.iter().any(is_ordered) {
            return None;
        }
        let value = BoundExpr::column(column, ty);
        let is_null = BoundExpr::predicate(Kind::IsNull(Box::new(value.clone())));
        let is_known = BoundExpr::predicate(Kind::Not(Box::new(is_null)));
        let asked = conditions.iter().map(one_query_deeper).chain([is_known]).collect();
        let found = Rel::Filter { input: Box::new(table.clone()), predicate: all(asked)? };
        let sorted = Rel::Sort { input: Box::new(found), keys: vec![SortKey { expr: value.clone(), descending }] };
        let count = Some(BoundExpr::literal(Value::BigInt(1), SqlType::BigInt));
        let first = Rel::Top { input: Box::new(sorted), count, percent: false, ties: Vec::new(), offset: None };
        let only = Rel::Project { input: Box::new(first), exprs: vec![value] };
        ends.push(BoundExpr { kind: Kind::ScalarQuery(only.into()), ty: aggregate.ty });
    }
    let one_row = Rel::Values { rows: vec![Vec::new()], types: Vec::new() };
    Some(Rel::Project { input: Box::new(one_row), exprs: ends })
}

/// The column of `column = constant`.
fn equal_column(def: &TableDef, condition: &BoundExpr) -> Option<usize> {
    let Kind::Compare(CompareOp::Eq, left, right, collation) = &condition.kind else { return None };
    let is_constant = |expr: &BoundExpr| matches!(expr.kind, Kind::Literal(_) | Kind::Variable(_) | Kind::Outer { .. });
    let column = match (&left.kind, &right.kind) {
        (Kind::Column(column), _) if is_constant(right) => *column,
        (_, Kind::Column(column)) if is_constant(left) => *column,
        _ => return None,
    };
    let ty = def.columns.get(column)?.ty;
    (!ty.sql.is_string() || ty.collation == *collation).then_some(column)
}

/// Whether an index has its entries in the order of a column, where the columns `equal` have one value each.
fn leads_to(index: &IndexDef, equal: &[usize], column: usize) -> bool {
    let keys: Vec<usize> = index.key.iter().map(|key| key.column).collect();
    let Some(place) = keys.iter().position(|key| *key == column) else { return false };
    !index.disabled
        && index.filter.is_none()
        && place == equal.len()
        && equal.iter().all(|one| keys[..place].contains(one))
}

/// The expression in a query inside of its own.
fn one_query_deeper(expr: &BoundExpr) -> BoundExpr {
    expr.clone().rewrite(&mut |node| match node.kind {
        Kind::Outer { level, column } => Ok(BoundExpr { kind: Kind::Outer { level: level + 1, column }, ty: node.ty }),
        _ => Err(node),
    })
}
