//! MIN and MAX of columns that indexes order: one end of an index instead of all rows.
//!
//! ```text
//!   SELECT MIN(a) FROM t           ──▶   SELECT MIN(a) FROM (SELECT TOP 1 a FROM t WHERE a IS NOT NULL ORDER BY a) x
//!   SELECT MIN(a), MAX(a) FROM t   ──▶   SELECT (SELECT MIN(a) FROM …), (SELECT MAX(a) FROM …)
//! ```
//! So it is where all aggregates are of this kind, there are no groups, and all conditions are equalities with constants which an
//! index has before the column, or bounds of the column itself: then the first entry is the answer. Where the aggregate notes NULLs
//! (8153) and there may be some, the least entry is read too: it is NULL if any is.

use crate::first::first;
use crate::terms::{all, columns, conjuncts, is_volatile};
use millpond_builtin::{NOTE_NULL, eval};
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, Rel, RelSet, SortKey};
use millpond_catalog::{IndexDef, TableDef, TableStorage};

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
    let Rel::Table { def, forced, .. } = table else { return None };
    if def.storage != TableStorage::Trees || !forced.is_open() {
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
        let arg = aggregate.arg.as_ref()?;
        let noted = match &arg.kind {
            Kind::Function(function, args) if function.is(&NOTE_NULL) => args.first(),
            _ => None,
        };
        let column = match (&noted.unwrap_or(arg).kind, columns) {
            (Kind::Column(column), None) => *column,
            (Kind::Column(column), Some(exprs)) => match exprs[*column].kind {
                Kind::Column(column) => column,
                _ => return None,
            },
            _ => return None,
        };
        let ty = def.columns.get(column)?.ty;
        let (own, others): (Vec<_>, Vec<_>) = compared.iter().copied().partition(|(other, _)| *other == column);
        let is_fixed = others.iter().all(|(_, op)| *op == CompareOp::Eq);
        let others: Vec<usize> = others.into_iter().map(|(other, _)| other).collect();
        let is_ordered = |index: &IndexDef| leads_to(index, &others, column);
        if ty.sql != aggregate.ty.sql || !is_fixed || !def.indexes.iter().any(is_ordered) {
            return None;
        }
        // A comparison with the column has left NULLs out already.
        ends.push(End { aggregate, column, descending, notes_null: noted.is_some() && own.is_empty() });
    }
    if let [end] = &ends[..] {
        return end.relation(table, &conditions);
    }
    let conditions: Vec<BoundExpr> = conditions.iter().map(one_query_deeper).collect();
    let query = |end: End<'_>| {
        let ty = end.aggregate.ty;
        Some(BoundExpr { kind: Kind::ScalarQuery(end.relation(table, &conditions)?.into()), ty })
    };
    let exprs = ends.into_iter().map(query).collect::<Option<Vec<BoundExpr>>>()?;
    Some(Rel::Project { input: Box::new(Rel::one_row()), exprs })
}

/// An aggregate that is an end of an index.
struct End<'a> {
    aggregate: &'a Aggregate,
    column: usize,
    descending: bool,
    /// NULLs are noted, and there may be some.
    notes_null: bool,
}

impl End<'_> {
    fn relation(&self, table: &Rel, conditions: &[BoundExpr]) -> Option<Rel> {
        let value = BoundExpr::column(self.column, *table.types().get(self.column)?);
        let entry = |conditions: Vec<BoundExpr>, descending| {
            let found = match all(conditions) {
                Some(predicate) => Rel::Filter { input: Box::new(table.clone()), predicate },
                None => table.clone(),
            };
            let input = Box::new(first(found, vec![SortKey { expr: value.clone(), descending }], 1));
            Rel::Project { input, exprs: vec![value.clone()] }
        };
        let is_null = BoundExpr::predicate(Kind::IsNull(Box::new(value.clone())));
        let is_known = BoundExpr::predicate(Kind::Not(Box::new(is_null)));
        let mut input = entry(conditions.iter().cloned().chain([is_known]).collect(), self.descending);
        let mut arg = BoundExpr::column(0, value.ty);
        if self.notes_null {
            let (left, right) = (Box::new(input), Box::new(entry(conditions.to_vec(), false)));
            input = Rel::Set { op: RelSet::Union, all: true, left, right };
            arg.kind = Kind::Function(&NOTE_NULL, vec![arg.clone()]);
        }
        let aggregates = vec![Aggregate { arg: Some(arg), ..self.aggregate.clone() }];
        Some(Rel::Aggregate { input: Box::new(input), groups: Vec::new(), aggregates })
    }
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
