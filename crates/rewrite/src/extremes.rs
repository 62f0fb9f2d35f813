//! MIN and MAX of columns that indexes order: one end of an index instead of all rows.
//!
//! ```text
//!   SELECT MIN(a) FROM t           ──▶   SELECT MIN(a) FROM (SELECT TOP 1 a FROM t WHERE a IS NOT NULL ORDER BY a) x
//!   SELECT MIN(a), MAX(a) FROM t   ──▶   SELECT (SELECT TOP 1 a FROM t WHERE a IS NOT NULL ORDER BY a),
//!                                               (SELECT TOP 1 a FROM t WHERE a IS NOT NULL ORDER BY a DESC)
//! ```
//! So it is where all aggregates are of this kind, there are no groups, and all conditions are equalities with constants which an
//! index has before the column, or bounds of the column itself: then the first entry is the answer. NULLs are not looked at, and
//! nothing is said of them (8153), as SQL Server does where it reads an index's end.

use millpond_builtin::{NOTE_NULL, eval};
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, Rel, SortKey};
use millpond_catalog::{IndexDef, TableDef, TableStorage};
use millpond_types::{SqlType, Value};

use crate::terms::{all, columns, conjuncts, is_volatile};

/// More aggregates are computed from all rows.
const ENDS_MAX: usize = 4;

/// The aggregates of all rows of an input in normal form, if each is an end of an index.
pub fn ends_of_indexes(input: &Rel, aggregates: &[Aggregate]) -> Option<Rel> {
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
    let compared = conditions.iter().map(|condition| compared_column(def, condition)).collect::<Option<Vec<_>>>()?;
    let mut ends = Vec::new();
    for aggregate in aggregates {
        let descending = match aggregate.function {
            Function::Min => false,
            Function::Max => true,
            _ => return None,
        };
        let mut arg = aggregate.arg.as_ref()?;
        if let Kind::Function(function, args) = &arg.kind
            && function.is(&NOTE_NULL)
        {
            arg = &args[0];
        }
        let column = match (&arg.kind, columns) {
            (Kind::Column(column), None) => *column,
            (Kind::Column(column), Some(exprs)) => match exprs[*column].kind {
                Kind::Column(column) => column,
                _ => return None,
            },
            _ => return None,
        };
        let ty = def.columns.get(column)?.ty;
        let bounds_others = compared.iter().any(|(other, op)| *op != CompareOp::Eq && *other != column);
        let equal: Vec<usize> = compared
            .iter()
            .filter(|(other, op)| *op == CompareOp::Eq && *other != column)
            .map(|(other, _)| *other)
            .collect();
        let is_ordered = |index: &IndexDef| !bounds_others && leads_to(index, &equal, column);
        if ty.sql != aggregate.ty.sql || !def.indexes.iter().any(is_ordered) {
            return None;
        }
        ends.push((aggregate, column, descending));
    }
    let first = |column: usize, descending, asked: Vec<BoundExpr>| {
        let value = BoundExpr::column(column, def.columns[column].ty);
        let is_null = BoundExpr::predicate(Kind::IsNull(Box::new(value.clone())));
        let is_known = BoundExpr::predicate(Kind::Not(Box::new(is_null)));
        let asked = asked.into_iter().chain([is_known]).collect();
        let found = Rel::Filter { input: Box::new(table.clone()), predicate: all(asked)? };
        let sorted = Rel::Sort { input: Box::new(found), keys: vec![SortKey { expr: value.clone(), descending }] };
        let count = Some(BoundExpr::literal(Value::BigInt(1), SqlType::BigInt));
        let first = Rel::Top { input: Box::new(sorted), count, percent: false, ties: Vec::new(), offset: None };
        Some(Rel::Project { input: Box::new(first), exprs: vec![value] })
    };
    if let [(aggregate, column, descending)] = ends[..] {
        let arg = Some(BoundExpr::column(0, def.columns[column].ty));
        let aggregates = vec![Aggregate { arg, ..aggregate.clone() }];
        let input = Box::new(first(column, descending, conditions)?);
        return Some(Rel::Aggregate { input, groups: Vec::new(), aggregates });
    }
    let query = |(aggregate, column, descending): (&Aggregate, usize, bool)| {
        let only = first(column, descending, conditions.iter().map(one_query_deeper).collect())?;
        Some(BoundExpr { kind: Kind::ScalarQuery(only.into()), ty: aggregate.ty })
    };
    let exprs = ends.into_iter().map(query).collect::<Option<Vec<BoundExpr>>>()?;
    let one_row = Rel::Values { rows: vec![Vec::new()], types: Vec::new() };
    Some(Rel::Project { input: Box::new(one_row), exprs })
}

/// The column that a condition compares with a constant, and how; `<>` is no way to it.
fn compared_column(def: &TableDef, condition: &BoundExpr) -> Option<(usize, CompareOp)> {
    let Kind::Compare(op, left, right, collation) = &condition.kind else { return None };
    let is_constant = |expr: &BoundExpr| columns(expr).is_empty() && !eval::needs_plan(expr) && !is_volatile(expr);
    let (column, op) = match (&left.kind, &right.kind) {
        (Kind::Column(column), _) if is_constant(right) => (*column, *op),
        (_, Kind::Column(column)) if is_constant(left) => (*column, op.mirrored()),
        _ => return None,
    };
    let ty = def.columns.get(column)?.ty;
    let is_way = op != CompareOp::NotEq && (!ty.sql.is_string() || ty.collation == *collation);
    is_way.then_some((column, op))
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
