//! Aggregates over an inner query that equalities tie to the outer row: `(SELECT SUM(x) FROM t WHERE t.k = outer.k)`.
//! They are computed for all keys at once and joined, instead of once per outer row.
//!
//! An outer row without inner rows finds no group: its aggregates are NULL, its counts 0.

use std::sync::Arc;

use datafusion::common::JoinType;
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

use crate::lower::{hash_join, size};
use crate::lowering::{Lowered, Lowering};
use millpond_rewrite::terms::conjuncts;
use millpond_rewrite::{normal, outer, terms};

/// An aggregate that can be joined.
struct Grouped {
    /// Reads no enclosing query.
    base: Rel,
    aggregates: Vec<Aggregate>,
    keys: Vec<Key>,
    /// The query's column over the aggregates.
    output: BoundExpr,
}

/// `outer = inner`
struct Key {
    /// Over the outer row.
    outer: BoundExpr,
    /// Over the base.
    inner: BoundExpr,
    collation: Collation,
}

/// Joins what can be joined of the correlated aggregates in `exprs`, which then read columns after the columns of `input`, whose rows
/// are about those `of` a relation.
pub(crate) fn scalar_joins(
    lowering: &Lowering<'_>,
    input: Lowered,
    of: &Rel,
    exprs: Vec<BoundExpr>,
) -> SqlResult<(Lowered, Vec<BoundExpr>)> {
    if !exprs.iter().any(eval::needs_plan) {
        return Ok((input, exprs));
    }
    let rows = size::estimate(lowering, of);
    let mut joins = Joins { lowering, input: Some(input), rows, failed: None };
    let exprs = exprs.into_iter().map(|expr| expr.rewrite(&mut |node| joins.replace(node))).collect();
    match (joins.input, joins.failed) {
        (Some(input), None) => Ok((input, exprs)),
        (_, failed) => Err(failed.unwrap_or_else(|| crate::run::failure::internal("a join lost its input"))),
    }
}

struct Joins<'a, 'l> {
    lowering: &'a Lowering<'l>,
    input: Option<Lowered>,
    /// About so many the input has.
    rows: Option<f64>,
    failed: Option<SqlError>,
}

impl Joins<'_, '_> {
    fn replace(&mut self, node: BoundExpr) -> Result<BoundExpr, BoundExpr> {
        let rel = match &node.kind {
            // A branch that is not taken is not computed.
            Kind::Case { .. } => return Ok(node),
            Kind::ScalarQuery(rel) => Arc::clone(rel),
            _ => return Err(node),
        };
        let Some(grouped) = grouped(&rel) else { return Ok(node) };
        let Some(input) = self.input.take() else { return Ok(node) };
        match self.join(input, grouped) {
            Ok((joined, value)) => {
                self.input = Some(joined);
                Ok(value)
            }
            Err(error) => {
                self.failed.get_or_insert(error);
                Ok(node)
            }
        }
    }

    fn join(&self, input: Lowered, grouped: Grouped) -> SqlResult<(Lowered, BoundExpr)> {
        let width = input.columns.len();
        let Grouped { base, aggregates, keys, output } = grouped;
        let counts: Vec<bool> = aggregates.iter().map(is_count).collect();
        let groups: Vec<BoundExpr> = keys.iter().map(|key| key.inner.clone()).collect();
        let on = keys
            .into_iter()
            .enumerate()
            .map(|(index, key)| {
                let inner = BoundExpr::column(width + index, key.inner.ty);
                let compare = Kind::Compare(CompareOp::Eq, Box::new(key.outer), Box::new(inner), key.collation);
                BoundExpr::predicate(compare)
            })
            .collect();
        let after = width + groups.len();
        let right = Rel::Aggregate { input: Box::new(base), groups, aggregates };
        let right = normal::normalise(right);
        let sizes = (self.rows, size::estimate(self.lowering, &right));
        let right = self.lowering.rel(&right)?;
        let joined = hash_join::joined(self.lowering, JoinType::Left, input, right, on, sizes)?;
        let value = output.rewrite(&mut |node| match node.kind {
            Kind::Column(index) => {
                let column = BoundExpr::column(after + index, node.ty);
                Ok(if counts[index] { or_zero(column) } else { column })
            }
            _ => Err(node),
        });
        Ok((joined, value))
    }
}

fn is_count(aggregate: &Aggregate) -> bool {
    matches!(aggregate.function, AggregateFunction::Count | AggregateFunction::CountBig)
}

/// A count, which is NULL only where no group was found.
fn or_zero(count: BoundExpr) -> BoundExpr {
    let ty = count.ty;
    let zero = if ty.sql == SqlType::BigInt { Value::BigInt(0) } else { Value::Int(0) };
    let missing = BoundExpr::predicate(Kind::IsNull(Box::new(count.clone())));
    let branches = vec![(missing, BoundExpr::literal(zero, ty.sql))];
    BoundExpr { kind: Kind::Case { branches, otherwise: Some(Box::new(count)) }, ty }
}

/// The query as aggregates by key; none when it is something else, or reads no outer row.
fn grouped(rel: &Rel) -> Option<Grouped> {
    if !outer::reads_beyond(rel, 1) || outer::reads_beyond(rel, 2) {
        return None;
    }
    let (rel, output) = match rel {
        Rel::Project { input, exprs } => (&**input, exprs.first()?.clone()),
        rel => (rel, BoundExpr::column(0, *rel.types().first()?)),
    };
    let Rel::Aggregate { input, groups, aggregates } = rel else { return None };
    let args = aggregates.iter().flat_map(Aggregate::exprs);
    if !groups.is_empty() || args.chain([&output]).any(|expr| eval::needs_plan(expr) || reads_outer(expr)) {
        return None;
    }
    let (mut keys, mut local) = (Vec::new(), Vec::new());
    let mut base = &**input;
    while let Rel::Filter { input, predicate } = base {
        for conjunct in conjuncts(predicate.clone()) {
            if eval::needs_plan(&conjunct) {
                return None;
            }
            if reads_outer(&conjunct) { keys.push(key(conjunct)?) } else { local.push(conjunct) }
        }
        base = input;
    }
    if outer::reads_beyond(base, 1) || keys.is_empty() {
        return None;
    }
    let base = match terms::all(local) {
        Some(predicate) => Rel::Filter { input: Box::new(base.clone()), predicate },
        None => base.clone(),
    };
    Some(Grouped { base, aggregates: aggregates.clone(), keys, output })
}

/// An equality between the inner and the outer row.
fn key(conjunct: BoundExpr) -> Option<Key> {
    let Kind::Compare(CompareOp::Eq, a, b, collation) = conjunct.kind else { return None };
    let only_inner = |expr: &BoundExpr| !reads_outer(expr);
    let only_outer = |expr: &BoundExpr| terms::columns(expr).is_empty();
    let (outer, inner) = match (only_inner(&a), only_inner(&b)) {
        (true, false) if only_outer(&b) => (*b, *a),
        (false, true) if only_outer(&a) => (*a, *b),
        _ => return None,
    };
    // The outer side over the outer row itself; it has no columns of the inner one.
    Some(Key { outer: outer::joined(outer, 0), inner, collation })
}

fn reads_outer(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::Outer { .. }));
    found
}
