//! Queries in predicates that read nothing of the row: they are asked before the tables are read, and indexes lead by what
//! they give.
//!
//! ```text
//!   id = (SELECT TOP 1 id …)       the only value, or NULL      ──▶ a place after the columns of the tables
//!   id IN (SELECT TOP 10 id …)     each value, once             ──▶ the same, one after the other
//! ```

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::run::Run;
use millpond_engine::account::profile::OperatorAccount;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::collation::Collation;
use millpond_types::{KeyOrder, Value, append_key};

use crate::Direct;
use crate::stage::Stage;

/// Values of a query that indexes lead by one after the other.
const VALUES_MAX: f64 = 1000.0;

/// A query whose values are known before the tables are read.
pub(crate) struct Given {
    /// Where its value stands in the row.
    pub place: usize,
    pub query: Direct,
    /// For IN, the collation by which duplicates are found.
    each: Option<Collation>,
}

/// What a predicate asks of a query.
enum Asked<'e> {
    Value(&'e Arc<Rel>),
    Each(&'e Arc<Rel>, Collation),
}

/// The query of a predicate that can be asked before, if it reads no outer row.
fn asked(conjunct: &BoundExpr) -> Option<Asked<'_>> {
    match &conjunct.kind {
        Kind::Compare(_, left, right, _) => match (value_of(left), value_of(right)) {
            (Some(rel), None) if !needs_plan(right) => Some(Asked::Value(rel)),
            (None, Some(rel)) if !needs_plan(left) => Some(Asked::Value(rel)),
            _ => None,
        },
        Kind::InQuery(operand, rel, collation) if !needs_plan(operand) => Some(Asked::Each(rel, *collation)),
        _ => None,
    }
}

/// The query that an operand is the value of, perhaps converted.
fn value_of(expr: &BoundExpr) -> Option<&Arc<Rel>> {
    match &expr.kind {
        Kind::ScalarQuery(rel) => Some(rel),
        Kind::Cast { expr, .. } => value_of(expr),
        _ => None,
    }
}

/// Whether a predicate has a query in it that can be asked before the tables are read, if that reads no outer row.
pub(crate) fn may_be_given(conjunct: &BoundExpr) -> bool {
    asked(conjunct).is_some()
}

/// The short cut of a query, if it has one.
pub(crate) type Make<'a> = &'a dyn Fn(&Rel) -> Option<Direct>;

/// Takes the queries out of predicates over a row of `width` columns: columns from there on take their places. None when one
/// of them has no short cut itself.
pub(crate) fn take_given(conjuncts: &mut [BoundExpr], width: usize, direct: Make<'_>) -> Option<Vec<Given>> {
    let mut all = Vec::new();
    for conjunct in conjuncts.iter_mut() {
        let (rel, each) = match asked(conjunct) {
            None => continue,
            Some(Asked::Value(rel)) => (Arc::clone(rel), None),
            Some(Asked::Each(rel, collation)) => (Arc::clone(rel), Some(collation)),
        };
        let (place, ty) = (width + all.len(), *rel.types().first()?);
        let given = Given { place, query: direct(&rel)?, each };
        if given.query.reads_outer() {
            return None;
        }
        // A set of values that may be large is joined by a plan.
        if given.estimate()? > VALUES_MAX {
            return None;
        }
        all.push(given);
        let value = BoundExpr::column(place, ty);
        let taken = std::mem::replace(conjunct, value.clone());
        *conjunct = match taken.kind {
            Kind::InQuery(operand, _, collation) => {
                BoundExpr::predicate(Kind::Compare(CompareOp::Eq, operand, Box::new(value), collation))
            }
            kind => BoundExpr { kind, ty: taken.ty }.rewrite(&mut |node| match node.kind {
                Kind::ScalarQuery(_) => Ok(value.clone()),
                _ => Err(node),
            }),
        };
    }
    Some(all)
}

impl Given {
    /// Whether it gives one value in any case.
    pub fn is_single(&self) -> bool {
        self.each.is_none()
    }

    /// About how many values it gives; none where nothing bounds them.
    pub fn estimate(&self) -> Option<f64> {
        if self.is_single() {
            return Some(1.0);
        }
        self.query.stages.iter().filter_map(Stage::goal).reduce(f64::min)
    }

    /// The values.
    pub fn values(&self, ctx: &RunContext, accounts: &[OperatorAccount]) -> SqlResult<Vec<Value>> {
        let mut values: Vec<Value> = Vec::new();
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        self.query.run_with(ctx, accounts, &mut |row| {
            let value = &row[0];
            let is_new = match self.each {
                None if values.is_empty() => true,
                None => return Err(message::several_values()),
                Some(collation) => {
                    let mut key = Vec::new();
                    append_key(value, collation, KeyOrder::Ascending, &mut key);
                    !value.is_null() && seen.insert(key)
                }
            };
            if is_new {
                ctx.charge(value)?;
                values.push(value.clone());
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if self.is_single() && values.is_empty() {
            values.push(Value::Null);
        }
        Ok(values)
    }
}

/// Calls `then` for each choice of one value of each, which it puts into their places.
pub(crate) fn with_each(
    given: &[(usize, Vec<Value>)],
    row: &mut Vec<Value>,
    then: &mut dyn FnMut(&mut Vec<Value>) -> SqlResult<ControlFlow<()>>,
) -> SqlResult<ControlFlow<()>> {
    let Some(((place, values), others)) = given.split_first() else { return then(row) };
    for value in values {
        row[*place] = value.clone();
        if with_each(others, row, then)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
