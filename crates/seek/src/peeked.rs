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

#[cfg(test)]
mod tests {
    use millpond_catalog::expr::{CompareOp, ExprType};
    use millpond_catalog::statistics::histogram::Step;
    use millpond_catalog::{ColumnDef, IndexDef, IndexKind, KeyColumn, ObjectId, TableName};
    use millpond_types::{Collation, SqlType};

    use super::*;
    use crate::{Guide, TableFigures, TableRequest, choose};
    use millpond_catalog::rel::ForcedPath;

    const MANY: i32 = 10;
    const SOME: i32 = 20;

    /// Of value 10 there are 40,000 rows, of 20 there are 500, of each other one five.
    fn statistics() -> Statistics {
        let step = |high: i32, equal_rows, distinct_range: f64| Step {
            high: Value::Int(high),
            range_rows: distinct_range * 5.0,
            equal_rows,
            distinct_range,
        };
        let steps = vec![step(1, 5.0, 0.0), step(MANY, 40_000.0, 8.0), step(SOME, 500.0, 9.0), step(2000, 5.0, 1979.0)];
        let rows = steps.iter().map(|step| step.range_rows + step.equal_rows).sum::<f64>() as u64;
        Statistics {
            columns: vec![2],
            rows,
            sampled: rows,
            updated_us: 0,
            changes: 0,
            persisted_percent: None,
            no_recompute: false,
            distinct: vec![2000.0],
            average_bytes: vec![4.0],
            steps,
            collation: Collation::LATIN1_CI_AS,
        }
    }

    fn table() -> Arc<TableDef> {
        let column = |id, name: &str| ColumnDef::new(id, name, ExprType::of(SqlType::Int, true, Collation::default()));
        let columns = vec![column(1, "id"), column(2, "customer"), column(3, "amount")];
        let key = |column| KeyColumn { column, descending: false };
        let rows = IndexDef::new(1, "pk".into(), IndexKind::PrimaryKey, true, vec![key(0)], &columns);
        let by_customer = IndexDef::new(2, "ix".into(), IndexKind::Index, false, vec![key(1)], &columns).beside_rows(
            Vec::new(),
            &rows.key,
            &columns,
        );
        let name = TableName::temporary("t".to_owned());
        Arc::new(TableDef::assemble(ObjectId(7), name, columns, Vec::new(), Vec::new(), vec![rows, by_customer]))
    }

    fn customer_is(op: CompareOp, value: BoundExpr) -> BoundExpr {
        let column = BoundExpr::column(1, ExprType::of(SqlType::Int, true, Collation::default()));
        BoundExpr::predicate(Kind::Compare(op, Box::new(column), Box::new(value), Collation::default()))
    }

    fn variable(slot: usize) -> BoundExpr {
        BoundExpr { kind: Kind::Variable(slot), ty: ExprType::of(SqlType::Int, true, Collation::default()) }
    }

    /// What a choice for values of variables notes of a condition.
    fn noted(statistics: Statistics, condition: &BoundExpr, values: &[Value]) -> Vec<Sensitive> {
        let (def, statistics) = (table(), Arc::new(statistics));
        let peeked = Arc::new(Peeked::at(values.to_vec()));
        let figures = TableFigures {
            rows: statistics.rows as f64,
            indexes: vec![None, Some(statistics)],
            columns: Vec::new(),
            peeked: Arc::clone(&peeked),
        };
        let guide = Guide::knowing(vec![(Arc::clone(&def), figures)]).at(values.to_vec());
        choose(&TableRequest {
            def: &def,
            first: 0,
            is_known: &|_| false,
            conjuncts: std::slice::from_ref(condition),
            needed: &[0, 1, 2],
            order: &[],
            goal: None,
            forced: ForcedPath::default(),
            guide: &guide,
        });
        guide.peeked().take_sensitive()
    }

    #[test]
    fn a_plan_is_for_values_of_its_range_of_rows() {
        let is_mine = customer_is(CompareOp::Eq, variable(0));
        let values = |value: i32| [Value::Int(value)];
        for (made_for, others) in [(7, [8, 1999, 3000]), (SOME, [SOME, SOME, SOME]), (MANY, [MANY, MANY, MANY])] {
            let [condition] = &noted(statistics(), &is_mine, &values(made_for))[..] else { panic!("one is noted") };
            assert_eq!(condition.finds_many(&values(made_for)), made_for == MANY);
            for other in [7, SOME, MANY] {
                assert_eq!(condition.is_for(&values(other)), other == made_for, "{other} by the plan for {made_for}");
            }
            assert!(others.iter().all(|other| condition.is_for(&values(*other))), "{made_for}");
            // What is not known counts as an average value, of which there are some 25 rows.
            assert_eq!(condition.is_for(&[Value::Null]), made_for == 7, "NULL by the plan for {made_for}");
        }
    }

    #[test]
    fn what_no_value_changes_is_not_noted() {
        let is_mine = customer_is(CompareOp::Eq, variable(0));
        let seven = BoundExpr::literal(Value::Int(7), SqlType::Int);
        assert!(noted(statistics(), &customer_is(CompareOp::Eq, seven), &[Value::Int(7)]).is_empty(), "a literal");
        assert!(noted(statistics(), &is_mine, &[]).is_empty(), "no variables are looked at");
        let mut even = statistics();
        even.steps.iter_mut().for_each(|step| step.equal_rows = 25.0);
        assert!(noted(even, &is_mine, &[Value::Int(7)]).is_empty(), "no skew");
    }

    #[test]
    fn ranges_are_noted_of_large_tables() {
        let is_below = customer_is(CompareOp::Lt, variable(0));
        let [condition] = &noted(statistics(), &is_below, &[Value::Int(5)])[..] else { panic!("one is noted") };
        assert!(condition.is_for(&[Value::Int(2)]));
        assert!(!condition.is_for(&[Value::Int(1500)]));
        assert!(condition.finds_many(&[Value::Int(1500)]));
    }
}
