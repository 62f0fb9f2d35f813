//! The values that variables have while a plan is made, and of which of them it would be another one.
//!
//! ```text
//!   customer = @c ──histogram──▶ rows of this value ──▶ fewer than 100 │ fewer than 10,000 │ more
//! ```
//! A plan is made for the values of its first execution. Where a condition on a column lets pass a hundred times as many rows for one
//! value as for another, the plan is good for values of the same range of rows, and another range has a plan of its own.
//! What always holds: values only guide a choice; no row is read or left out because of one.

use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::statistics::histogram::Statistics;
use millpond_types::Value;
use parking_lot::Mutex;

use crate::found::found_then;
use crate::{Access, Probe, RangeBound};

/// Where ranges of rows end: each is a hundred times as wide as the one before.
const ENDS: [f64; 2] = [100.0, 10_000.0];
/// What makes two values so different.
const SKEW: f64 = 100.0;
/// Conditions of one plan whose values are looked at before each execution.
const CONDITIONS_MAX: usize = 3;

/// The values of variables, by slot; NULL where nothing is to be known of one. Without any nothing is noted.
#[derive(Debug, Default)]
pub struct Peeked {
    values: Vec<Value>,
    noted: Mutex<Vec<Sensitive>>,
}

impl Peeked {
    /// Of these values.
    #[must_use]
    pub fn at(values: Vec<Value>) -> Peeked {
        Peeked { values, noted: Mutex::default() }
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The conditions that were found to ask for another plan with other values.
    pub fn take_sensitive(&self) -> Vec<Sensitive> {
        std::mem::take(&mut self.noted.lock())
    }

    /// A choice was made by what an access to a table finds.
    pub(crate) fn note(
        &self,
        def: impl FnOnce() -> Option<Arc<TableDef>>,
        statistics: &Arc<Statistics>,
        access: &Access,
    ) {
        let slots = slots(access);
        if self.values.is_empty() || slots.is_empty() || !is_skewed(statistics, access) {
            return;
        }
        let mut noted = self.noted.lock();
        let is_it = |known: &Sensitive| Arc::ptr_eq(&known.statistics, statistics) && known.slots == slots;
        if noted.len() < CONDITIONS_MAX
            && !noted.iter().any(is_it)
            && let Some(def) = def()
        {
            let (statistics, access) = (Arc::clone(statistics), access.clone());
            let mut new = Sensitive { def, statistics, access, slots, range: 0 };
            new.range = new.range_of(&self.values);
            noted.push(new);
        }
    }
}

/// A condition that finds many or few rows, by the value of a variable.
#[derive(Debug)]
pub struct Sensitive {
    def: Arc<TableDef>,
    statistics: Arc<Statistics>,
    access: Access,
    slots: Vec<usize>,
    /// The range that the plan is for.
    range: usize,
}

impl Sensitive {
    /// Whether the plan is for these values.
    #[must_use]
    pub fn is_for(&self, values: &[Value]) -> bool {
        self.range_of(values) == self.range
    }

    /// Whether so many rows are found by these values that a plan is worth its beginning.
    #[must_use]
    pub fn finds_many(&self, values: &[Value]) -> bool {
        self.range_of(values) == ENDS.len()
    }

    fn range_of(&self, values: &[Value]) -> usize {
        let found = found_then(&self.def, &self.statistics, &self.access, values);
        ENDS.iter().take_while(|end| found >= **end).count()
    }
}

/// Whether some values find so many more rows than others do.
fn is_skewed(statistics: &Statistics, access: &Access) -> bool {
    let all = statistics.rows as f64;
    if access.prefix.is_empty() && access.list.is_empty() {
        // A range has no row or all of them.
        return all >= SKEW * ENDS[0];
    }
    let steps = || statistics.steps.iter();
    let most = steps().map(|step| step.equal_rows).fold(0.0, f64::max);
    let between = steps().filter(|step| step.distinct_range > 0.0).map(|step| step.average_range_rows());
    let least = steps().map(|step| step.equal_rows).chain(between).fold(f64::MAX, f64::min);
    most >= SKEW * least.max(1.0)
}

/// The variables that an access asks.
fn slots(access: &Access) -> Vec<usize> {
    let mut slots = Vec::new();
    let bounds = access.low.iter().chain(&access.high).map(|RangeBound { probe, .. }| probe);
    for Probe { expr, .. } in access.prefix.iter().chain(&access.list).chain(bounds) {
        slots.extend(slot(expr));
    }
    slots
}

/// The variable that an expression is, or is a conversion of.
fn slot(expr: &BoundExpr) -> Option<usize> {
    match &expr.kind {
        Kind::Variable(slot) => Some(*slot),
        Kind::Cast { expr, .. } => slot(expr),
        _ => None,
    }
}
