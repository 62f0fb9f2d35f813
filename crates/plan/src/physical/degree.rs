//! What a relation costs on one thread, about, in the units of SQL Server: a second of the machine for which its constants
//! were once chosen. `cost threshold for parallelism` is in these units.
//!
//! Known are the rows and pages of tables; the rest is estimated by [`crate::lower::size`].

use std::sync::Arc;

use millpond_catalog::TableStorage;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;

use crate::CompileOptions;
use crate::lower::{size, table};
use crate::lowering::Lowering;
use crate::run::cell::RunCell;
use millpond_rewrite::normal;
use millpond_rewrite::terms::{conjuncts, expressions};
use millpond_showplan::cost::{HASH_COST, PAGE_COST, PAIR_COST, PASS_COST, ROW_COST, UNKNOWN_ROWS, sort_cost};

/// What a relation costs on one thread.
pub fn cost(rel: &Rel, options: &CompileOptions) -> f64 {
    let lowering = Lowering::new(options, Arc::new(RunCell::default()), None);
    cost_of(&lowering, &normal::normalise(rel.clone()))
}

/// About how many rows a relation gives.
pub fn rows(rel: &Rel, options: &CompileOptions) -> f64 {
    let lowering = Lowering::new(options, Arc::new(RunCell::default()), None);
    rows_of(&lowering, &normal::normalise(rel.clone()))
}

/// What the scan of a table costs.
pub fn scan_cost(pages: u64, rows: u64) -> f64 {
    scan_of(pages, rows as f64)
}

fn scan_of(pages: u64, rows: f64) -> f64 {
    PAGE_COST.0 + PAGE_COST.1 * pages as f64 + ROW_COST.0 + ROW_COST.1 * rows
}

fn cost_of(lowering: &Lowering<'_>, rel: &Rel) -> f64 {
    let below: f64 = rel.inputs().into_iter().map(|input| cost_of(lowering, input)).sum();
    let mut asked = 0.0;
    for expr in expressions(rel) {
        expr.visit(&mut |node| {
            if let Kind::ScalarQuery(query) | Kind::Exists(query) | Kind::InQuery(_, query, _) = &node.kind {
                asked += cost_of(lowering, query);
            }
        });
    }
    below + asked + own_cost(lowering, rel)
}

fn rows_of(lowering: &Lowering<'_>, rel: &Rel) -> f64 {
    size::estimate(lowering, rel).unwrap_or(UNKNOWN_ROWS)
}

/// The cost of a relation without its inputs.
fn own_cost(lowering: &Lowering<'_>, rel: &Rel) -> f64 {
    match rel {
        Rel::Table { binding, .. } => {
            scan_of(lowering.options.table_pages.get(*binding).copied().unwrap_or(1), rows_of(lowering, rel))
        }
        // A seek reads less than the table, whose cost is counted below.
        Rel::Filter { input, .. } if may_seek(lowering, rel, input) => {
            rows_of(lowering, rel) * ROW_COST.1 - cost_of(lowering, input)
        }
        Rel::Join { on, left, right, .. } => {
            let (left, right) = (rows_of(lowering, left), rows_of(lowering, right));
            let has_equality = on.as_ref().is_some_and(|on| {
                let is_equality = |part: &BoundExpr| matches!(part.kind, Kind::Compare(CompareOp::Eq, ..));
                conjuncts(on.clone()).iter().any(is_equality)
            });
            if has_equality { left * HASH_COST.0 + right * HASH_COST.1 } else { left * right * PAIR_COST }
        }
        Rel::Aggregate { input, groups, .. } if groups.is_empty() => rows_of(lowering, input) * PASS_COST * 6.0,
        Rel::Aggregate { input, .. } => rows_of(lowering, input) * HASH_COST.0,
        Rel::Distinct(input) => rows_of(lowering, input) * HASH_COST.0,
        Rel::Set { left, right, .. } => (rows_of(lowering, left) + rows_of(lowering, right)) * HASH_COST.0,
        Rel::Sort { input, .. } => sort_cost(rows_of(lowering, input)),
        rel => rel.inputs().first().map_or(0.0, |input| rows_of(lowering, input) * PASS_COST),
    }
}

/// Whether a filter is a seek into an index of its table.
fn may_seek(lowering: &Lowering<'_>, filter: &Rel, input: &Rel) -> bool {
    let (Rel::Filter { predicate, .. }, Rel::Table { def, .. }) = (filter, input) else { return false };
    def.storage == TableStorage::Trees && table::seeks(lowering, input, &conjuncts(predicate.clone()))
}
