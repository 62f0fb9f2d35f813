//! What a relation costs on one thread, about, in the units of SQL Server: a second of the machine for which its constants
//! were once chosen. `cost threshold for parallelism` is in these units.
//!
//! Known are the rows and pages of tables; the rest is estimated by [`crate::join::size`].

use std::sync::Arc;

use millpond_catalog::TableStorage;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;

use crate::CompileOptions;
use crate::lower::Lowering;
use crate::lower::normal;
use crate::lower::terms::conjuncts;
use crate::run::cell::RunCell;

/// The first page of a scan, and each page behind it.
const PAGE_COST: (f64, f64) = (0.003_125, 0.000_740_74);
/// Beginning a scan, and each row of it.
const ROW_COST: (f64, f64) = (0.000_157_0, 0.000_001_1);
/// A row of a table of hashes: put in, or looked up.
const HASH_COST: (f64, f64) = (0.000_008, 0.000_004);
/// A row through a filter or a computation.
const PASS_COST: f64 = 0.000_000_1;
/// A comparison of a sort.
const COMPARE_COST: f64 = 0.000_001;
/// A pair of rows of a nested loop.
const PAIR_COST: f64 = 0.000_004_18;
/// Rows of what nobody can estimate.
const UNKNOWN_ROWS: f64 = 1000.0;

/// What a relation costs on one thread.
pub fn cost(rel: &Rel, options: &CompileOptions) -> f64 {
    let lowering = Lowering::new(options, Arc::new(RunCell::default()), None);
    lowering.cost(&normal::normalise(rel.clone()))
}

impl Lowering<'_> {
    fn cost(&self, rel: &Rel) -> f64 {
        let below: f64 = rel.inputs().into_iter().map(|input| self.cost(input)).sum();
        below + self.own_cost(rel)
    }

    fn rows_of(&self, rel: &Rel) -> f64 {
        self.estimate(rel).unwrap_or(UNKNOWN_ROWS)
    }

    /// The cost of a relation without its inputs.
    fn own_cost(&self, rel: &Rel) -> f64 {
        match rel {
            Rel::Table { binding, .. } => {
                let pages = self.options.table_pages.get(*binding).copied().unwrap_or(1) as f64;
                PAGE_COST.0 + PAGE_COST.1 * pages + ROW_COST.0 + ROW_COST.1 * self.rows_of(rel)
            }
            // A seek reads less than the table, whose cost is counted below.
            Rel::Filter { input, .. } if self.may_seek(rel, input) => self.rows_of(rel) * ROW_COST.1 - self.cost(input),
            Rel::Join { on, left, right, .. } => {
                let (left, right) = (self.rows_of(left), self.rows_of(right));
                let has_equality = on.as_ref().is_some_and(|on| {
                    let is_equality = |part: &BoundExpr| matches!(part.kind, Kind::Compare(CompareOp::Eq, ..));
                    conjuncts(on.clone()).iter().any(is_equality)
                });
                if has_equality { left * HASH_COST.0 + right * HASH_COST.1 } else { left * right * PAIR_COST }
            }
            Rel::Aggregate { input, groups, .. } if groups.is_empty() => self.rows_of(input) * PASS_COST * 6.0,
            Rel::Aggregate { input, .. } => self.rows_of(input) * HASH_COST.0,
            Rel::Distinct(input) => self.rows_of(input) * HASH_COST.0,
            Rel::Set { left, right, .. } => (self.rows_of(left) + self.rows_of(right)) * HASH_COST.0,
            Rel::Sort { input, .. } => {
                let rows = self.rows_of(input).max(2.0);
                rows * rows.log2() * COMPARE_COST
            }
            rel => rel.inputs().first().map_or(0.0, |input| self.rows_of(input) * PASS_COST),
        }
    }

    /// Whether a filter is a seek into an index of its table.
    fn may_seek(&self, filter: &Rel, input: &Rel) -> bool {
        let (Rel::Filter { predicate, .. }, Rel::Table { def, .. }) = (filter, input) else { return false };
        def.storage == TableStorage::Trees && self.seeks(input, &conjuncts(predicate.clone()))
    }
}
