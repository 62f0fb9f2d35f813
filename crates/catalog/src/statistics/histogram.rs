//! Statistics of columns of a table: rows, distinct values of each prefix of the columns, a histogram of the first one.
//!
//! ```text
//!   sorted keys, page by page ──Collector──▶ Statistics ──▶ rows that have a value, rows in a range
//!
//!   histogram     … ] step before ] values between: range_rows, distinct_range │ high: equal_rows ] next step …
//! ```
//! What always holds: they guide choices and never decide what a statement gives. Steps ascend, NULL first; the first
//! step is the least value seen and the last one the greatest. Memory is bounded by the number of steps, whatever the
//! number of values. It does not know where the keys come from, nor what asks.

use std::cmp::Ordering;

use millpond_types::collation::Collation;
use millpond_types::{Value, compare};

use crate::statistics::part::part_of;

/// Steps of a histogram at most.
pub const STEPS_MAX: usize = 200;

/// A step of a histogram: the values above the step before, up to and with `high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// RANGE_HI_KEY
    pub high: Value,
    /// RANGE_ROWS: rows between the steps.
    pub range_rows: f64,
    /// EQ_ROWS: rows with `high`.
    pub equal_rows: f64,
    /// DISTINCT_RANGE_ROWS: distinct values between the steps.
    pub distinct_range: f64,
}

impl Step {
    /// AVG_RANGE_ROWS: rows with a value between the steps.
    #[must_use]
    pub fn average_range_rows(&self) -> f64 {
        if self.distinct_range > 0.0 { self.range_rows / self.distinct_range } else { 1.0 }
    }
}

/// Statistics of some columns at some point in time.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// `column_id` of the columns.
    pub columns: Vec<i32>,
    /// Rows of the table, or those that pass the index's filter.
    pub rows: u64,
    /// Rows that were looked at.
    pub sampled: u64,
    /// When they were made: local time, microseconds since 1970.
    pub updated_us: i64,
    /// Changes that the tree had seen then, and new values of the first column where they are no index's.
    pub changes: u64,
    /// SAMPLE or FULLSCAN was kept for later updates, in percent.
    pub persisted_percent: Option<f64>,
    /// NORECOMPUTE of automatic ones: they stay as they are. Of others the definition says so.
    pub no_recompute: bool,
    /// Distinct values of the first column, the first two, …
    pub distinct: Vec<f64>,
    /// Bytes of each column on the average.
    pub average_bytes: Vec<f64>,
    /// Histogram of the first column.
    pub steps: Vec<Step>,
    /// Collation of the first column.
    pub collation: Collation,
}

impl Statistics {
    /// One by the number of distinct values of the first columns: the part of the rows that one value has.
    #[must_use]
    pub fn density(&self, prefix: usize) -> f64 {
        let distinct = prefix.checked_sub(1).and_then(|last| self.distinct.get(last)).copied().unwrap_or(0.0);
        if distinct > 0.0 { 1.0 / distinct } else { 1.0 }
    }

    /// Rows whose first column is `value`.
    #[must_use]
    pub fn rows_equal(&self, value: &Value) -> f64 {
        let found = self.steps.iter().find(|step| self.order(&step.high, value) != Ordering::Less);
        match found {
            // Above the greatest value that was seen: perhaps some came since.
            None => 1.0,
            Some(step) if self.order(&step.high, value) == Ordering::Equal => step.equal_rows,
            Some(step) if step.distinct_range > 0.0 => step.average_range_rows(),
            Some(_) => 1.0,
        }
    }

    /// Rows whose first column is below `value`; with `inclusive`, or equals it. NULL counts as the least value.
    #[must_use]
    pub fn rows_below(&self, value: &Value, inclusive: bool) -> f64 {
        let mut below = 0.0;
        let mut before: Option<&Value> = None;
        for step in &self.steps {
            match self.order(&step.high, value) {
                Ordering::Less => below += step.range_rows + step.equal_rows,
                Ordering::Equal => {
                    return below + step.range_rows + if inclusive { step.equal_rows } else { 0.0 };
                }
                Ordering::Greater => return below + step.range_rows * part_of(before, value, &step.high),
            }
            before = Some(&step.high);
        }
        below
    }

    /// Rows whose first column is NULL.
    #[must_use]
    pub fn rows_null(&self) -> f64 {
        self.steps.first().filter(|step| step.high.is_null()).map_or(0.0, |step| step.equal_rows)
    }

    fn order(&self, a: &Value, b: &Value) -> Ordering {
        order(a, b, self.collation)
    }
}

/// NULL is the least.
fn order(a: &Value, b: &Value, collation: Collation) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (false, false) => compare::compare(a, b, collation),
        (a, b) => b.cmp(&a),
    }
}

/// Changes of the rows that make statistics of so many rows old: a fifth and 500, of large tables fewer.
#[must_use]
pub fn changes_max(rows: u64) -> u64 {
    match rows {
        0 => 1,
        1..=500 => 500,
        _ => (500 + rows / 5).min(((rows as f64) * 1000.0).sqrt() as u64),
    }
}

/// The same of a temporary table: a small one is looked at again sooner.
#[must_use]
pub fn changes_max_temporary(rows: u64) -> u64 {
    if rows < 6 { 6 } else { changes_max(rows) }
}

/// Values of the first column that became a step.
#[derive(Clone, Debug)]
struct Seen {
    high: Value,
    equal: u64,
    /// Pages that `high` was seen on, two at most.
    pages: u8,
    range: u64,
    distinct: u64,
}

/// Makes statistics of sorted keys, ascending or descending in each column, that come page by page.
#[derive(Debug)]
pub struct Collector {
    collations: Vec<Collation>,
    before: Option<Vec<Value>>,
    /// Changes of each prefix from one key of a page to the next.
    turns: Vec<u64>,
    /// Pairs of neighbours on a page.
    pairs: u64,
    /// The same from the last key of a page to the first of the next one.
    turns_between: Vec<u64>,
    /// Keys of the present value of each prefix.
    runs: Vec<u64>,
    /// Values of each prefix that one key had.
    singles: Vec<u64>,
    /// The keys are a sample of rows, of which neighbours in the order of keys say nothing.
    of_rows: bool,
    sampled: u64,
    steps: Vec<Seen>,
}

impl Collector {
    /// Of keys whose columns have these collations, in pages that are whole.
    #[must_use]
    pub fn new(collations: Vec<Collation>) -> Collector {
        let none = vec![0; collations.len()];
        Collector {
            collations,
            before: None,
            turns: none.clone(),
            pairs: 0,
            turns_between: none.clone(),
            runs: none.clone(),
            singles: none,
            of_rows: false,
            sampled: 0,
            steps: Vec::new(),
        }
    }

    /// Of the keys of a sample of rows, in any order.
    #[must_use]
    pub fn of_rows(collations: Vec<Collation>, mut keys: Vec<Vec<Value>>) -> Collector {
        let mut collector = Collector { of_rows: true, ..Collector::new(collations) };
        let by_columns = |a: &Vec<Value>, b: &Vec<Value>| {
            let columns = a.iter().zip(b).zip(&collector.collations);
            columns.map(|((a, b), collation)| order(a, b, *collation)).find(|order| order.is_ne())
        };
        keys.sort_unstable_by(|a, b| by_columns(a, b).unwrap_or(Ordering::Equal));
        // In parts, so that steps are merged on the way.
        let mut keys = keys.into_iter();
        while keys.len() > 0 {
            collector.add_page(keys.by_ref().take(STEPS_MAX));
        }
        collector
    }

    /// Keys that were added.
    #[must_use]
    pub fn sampled(&self) -> u64 {
        self.sampled
    }

    /// The keys of the next page.
    pub fn add_page(&mut self, keys: impl IntoIterator<Item = Vec<Value>>) {
        for (at, key) in keys.into_iter().enumerate() {
            let is_first = at == 0;
            self.pairs += u64::from(!is_first);
            if let Some(before) = &self.before {
                let pairs = before.iter().zip(&key).zip(&self.collations);
                let equal = pairs.take_while(|((a, b), c)| order(a, b, **c) == Ordering::Equal).count();
                let turns = if is_first { &mut self.turns_between } else { &mut self.turns };
                turns.iter_mut().skip(equal).for_each(|turns| *turns += 1);
                self.add_run(equal);
                self.add_value(&key, equal > 0, is_first);
            } else {
                self.add_run(0);
                self.add_value(&key, false, is_first);
            }
            self.sampled += 1;
            self.before = Some(key);
        }
        if self.steps.len() > 2 * STEPS_MAX {
            let rows = self.sampled;
            merge(&mut self.steps, rows, STEPS_MAX);
        }
    }

    /// The first `equal` columns are those of the key before.
    fn add_run(&mut self, equal: usize) {
        for (column, (run, singles)) in self.runs.iter_mut().zip(&mut self.singles).enumerate() {
            if column < equal {
                *run += 1;
            } else {
                *singles += u64::from(*run == 1);
                *run = 1;
            }
        }
    }

    fn add_value(&mut self, key: &[Value], same: bool, is_first: bool) {
        match self.steps.last_mut() {
            Some(seen) if same => {
                seen.equal += 1;
                if is_first {
                    seen.pages = 2;
                }
            }
            _ => self.steps.push(Seen { high: key[0].clone(), equal: 1, pages: 1, range: 0, distinct: 0 }),
        }
    }

    /// The distinct values of each prefix and the steps, the table having `rows` rows.
    #[must_use]
    pub fn finish(mut self, rows: u64) -> (Vec<f64>, Vec<Step>) {
        if self.sampled == 0 {
            return (vec![0.0; self.collations.len()], Vec::new());
        }
        let rows = rows.max(self.sampled) as f64;
        let (mut distinct, mut least) = (Vec::with_capacity(self.turns.len()), 0.0_f64);
        for prefix in 0..self.turns.len() {
            // A longer prefix has no fewer values, and none has more than there are rows.
            least = least.max(self.distinct(prefix, rows)).min(rows);
            distinct.push(least);
        }
        let values = distinct[0] / self.seen(0);
        let scale = Scale { rows: rows / self.sampled as f64, values, rows_each: rows / distinct[0] };
        if self.ascends() == Some(false) {
            self.turn_round();
        }
        merge(&mut self.steps, self.sampled, STEPS_MAX);
        (distinct, self.steps.iter().map(|seen| seen.step(scale, self.of_rows)).collect())
    }

    /// Distinct values of the sample.
    fn seen(&self, prefix: usize) -> f64 {
        (self.turns[prefix] + self.turns_between[prefix]) as f64 + 1.0
    }

    /// Distinct values of the table.
    fn distinct(&self, prefix: usize, rows: f64) -> f64 {
        let (seen, sampled) = (self.seen(prefix), self.sampled as f64);
        if sampled >= rows {
            return seen;
        }
        if self.of_rows {
            // Haas and Stokes' first estimate: values that were met once say how many were not met at all.
            let singles = (self.singles[prefix] + u64::from(self.runs[prefix] == 1)) as f64;
            return sampled * seen / (sampled - singles + singles * sampled / rows);
        }
        // What neighbours on the pages that were read differ in, those of all pages do.
        match self.pairs {
            0 => seen,
            pairs => (self.turns[prefix] as f64 / pairs as f64 * (rows - 1.0) + 1.0).max(seen),
        }
    }

    /// Whether the first column ascends; none when it has one value.
    fn ascends(&self) -> Option<bool> {
        let (first, last) = (self.steps.first()?, self.steps.last()?);
        match order(&first.high, &last.high, self.collations[0]) {
            Ordering::Less => Some(true),
            Ordering::Equal => None,
            Ordering::Greater => Some(false),
        }
    }

    /// What lies before a step lies after it when it is read from the end.
    fn turn_round(&mut self) {
        self.steps.reverse();
        let ranges: Vec<(u64, u64)> = self.steps.iter().map(|seen| (seen.range, seen.distinct)).collect();
        for (at, seen) in self.steps.iter_mut().enumerate() {
            (seen.range, seen.distinct) = if at == 0 { (0, 0) } else { ranges[at - 1] };
        }
    }
}

/// What the figures of a sample are multiplied with.
#[derive(Clone, Copy)]
struct Scale {
    /// Rows of the table for one of the sample.
    rows: f64,
    /// Values of the first column in the table for one of the sample.
    values: f64,
    /// Rows that a value has.
    rows_each: f64,
}

impl Seen {
    /// The step of the table. A value that was seen on one page is taken to be there as a whole when values have few
    /// rows; what it would have by the size of the sample has its like, which lie between the steps.
    fn step(&self, scale: Scale, of_rows: bool) -> Step {
        let equal = self.equal as f64;
        let by_size = equal * scale.rows;
        let is_large = if of_rows { self.equal > 1 } else { self.pages > 1 };
        let equal_rows = if is_large { by_size } else { by_size.min(equal.max(scale.rows_each)) };
        let (mut range_rows, mut distinct_range) =
            (self.range as f64 * scale.rows, self.distinct as f64 * scale.values);
        if self.distinct > 0 {
            range_rows += by_size - equal_rows;
            distinct_range += if by_size > equal_rows { scale.values - 1.0 } else { 0.0 };
        }
        Step { high: self.high.clone(), range_rows, equal_rows, distinct_range: distinct_range.round().min(range_rows) }
    }
}

/// Makes the steps `most` at most: values with few rows go into the range of the next one.
fn merge(steps: &mut Vec<Seen>, rows: u64, most: usize) {
    if steps.len() <= most {
        return;
    }
    // NULL, the least value and the greatest one are steps. Every other one has at least so many rows: there are `most` of them at
    // most.
    let depth = rows.div_ceil(most as u64 - 3).max(1);
    let (least, last) = (usize::from(steps[0].high.is_null()), steps.len() - 1);
    let mut kept: Vec<Seen> = Vec::with_capacity(most);
    let (mut range, mut distinct) = (0, 0);
    for (at, mut seen) in steps.drain(..).enumerate() {
        seen.range += range;
        seen.distinct += distinct;
        if at <= least || at == last || seen.range + seen.equal >= depth {
            (range, distinct) = (0, 0);
            kept.push(seen);
        } else {
            (range, distinct) = (seen.range + seen.equal, seen.distinct + 1);
        }
    }
    *steps = kept;
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn key(number: i32) -> Vec<Value> {
        vec![Value::Int(number)]
    }

    /// Statistics of keys that come in these pages, of a table of so many rows.
    pub(in crate::statistics) fn collected(pages: &[Vec<Vec<Value>>], rows: u64) -> Statistics {
        let columns = pages[0][0].len();
        let mut collector = Collector::new(vec![Collation::default(); columns]);
        pages.iter().for_each(|page| collector.add_page(page.iter().cloned()));
        let sampled = collector.sampled();
        let (distinct, steps) = collector.finish(rows);
        Statistics {
            columns: (1..=columns as i32).collect(),
            rows,
            sampled,
            updated_us: 0,
            changes: 0,
            persisted_percent: None,
            no_recompute: false,
            distinct,
            average_bytes: Vec::new(),
            steps,
            collation: Collation::default(),
        }
    }

    fn total(statistics: &Statistics) -> f64 {
        statistics.steps.iter().map(|step| step.range_rows + step.equal_rows).sum()
    }

    #[test]
    fn of_all_rows_every_figure_is_exact() {
        for count in [1, 2, 199, 200, 201, 401, 1000, 4711] {
            let keys: Vec<_> = (0..count).flat_map(|number| [key(number), key(number), key(number)]).collect();
            let pages: Vec<_> = keys.chunks(7).map(<[_]>::to_vec).collect();
            let found = collected(&pages, keys.len() as u64);
            assert!(found.steps.len() <= STEPS_MAX, "{count}: {}", found.steps.len());
            assert_eq!(total(&found), f64::from(count) * 3.0, "{count}");
            let distinct: f64 = found.steps.iter().map(|step| step.distinct_range + 1.0).sum();
            assert_eq!(distinct, f64::from(count), "{count}");
            assert_eq!(found.distinct, [f64::from(count)]);
            assert_eq!(found.steps[0].high, Value::Int(0));
            assert_eq!(found.steps.last().unwrap().high, Value::Int(count - 1));
            for asked in [0, count / 2, count - 1] {
                assert_eq!(found.rows_equal(&Value::Int(asked)), 3.0, "{asked} of {count}");
            }
            let half = found.rows_below(&Value::Int(count / 2), false);
            let exact = f64::from(count / 2) * 3.0;
            assert!((half - exact).abs() <= exact / 50.0 + 3.0, "{half} of {exact}");
        }
    }

    #[test]
    fn a_value_of_many_rows_is_a_step_of_its_own() {
        let mut keys: Vec<_> = (0..5000).map(key).collect();
        keys.extend(std::iter::repeat_n(key(5000), 20_000));
        keys.extend((5001..10_000).map(key));
        let pages: Vec<_> = keys.chunks(100).map(<[_]>::to_vec).collect();
        let found = collected(&pages, keys.len() as u64);
        assert_eq!(found.rows_equal(&Value::Int(5000)), 20_000.0);
        assert_eq!(found.rows_equal(&Value::Int(17)), 1.0);
        assert_eq!(found.rows_equal(&Value::Int(20_000)), 1.0);
    }

    #[test]
    fn prefixes_have_their_own_densities_and_descending_keys_turn_round() {
        let keys: Vec<_> =
            (0..100).rev().flat_map(|a| (0..10).map(move |b| vec![Value::Int(a), Value::Int(b)])).collect();
        let pages: Vec<_> = keys.chunks(64).map(<[_]>::to_vec).collect();
        let found = collected(&pages, 1000);
        assert_eq!(found.distinct, [100.0, 1000.0]);
        assert_eq!(found.density(1), 0.01);
        assert_eq!(found.density(2), 0.001);
        assert_eq!(found.steps.len(), 100);
        assert_eq!(found.steps[0].high, Value::Int(0));
        assert_eq!(found.rows_below(&Value::Int(10), false), 100.0);
        assert_eq!(found.rows_below(&Value::Int(10), true), 110.0);
    }

    #[test]
    fn a_sample_of_pages_stands_for_all() {
        // Every tenth page of 100 keys.
        let of = |each: i32| {
            let pages: Vec<Vec<_>> =
                (0..1000).step_by(10).map(|page| (0..100).map(|n| key((page * 100 + n) / each)).collect()).collect();
            collected(&pages, 100_000)
        };
        let unique = of(1);
        assert!((unique.distinct[0] - 100_000.0).abs() < 10.0, "{:?}", unique.distinct);
        assert!((total(&unique) - 100_000.0).abs() < 1500.0, "{}", total(&unique));
        assert!((unique.rows_equal(&Value::Int(31_415)) - 1.0).abs() < 0.5);
        let fives = of(5);
        assert!((fives.distinct[0] - 20_000.0).abs() < 1000.0, "{:?}", fives.distinct);
        assert!((fives.rows_equal(&Value::Int(3333)) - 5.0).abs() < 2.5, "{}", fives.rows_equal(&Value::Int(3333)));
        let thousands = of(5000);
        assert!((thousands.distinct[0] - 20.0).abs() < 1.0, "{:?}", thousands.distinct);
        assert_eq!(thousands.rows_equal(&Value::Int(7)), 5000.0);
    }

    #[test]
    fn a_sample_of_rows_stands_for_all() {
        let of = |values: i32| {
            // A fixed sequence that visits every number below 100,003, a prime, once.
            let keys = (0..10_000_i64).map(|n| key((n * 7919 % 100_003 % i64::from(values)) as i32)).collect();
            let collector = Collector::of_rows(vec![Collation::default()], keys);
            collector.finish(100_003)
        };
        let (distinct, steps) = of(50);
        assert_eq!(distinct, [50.0]);
        assert!(steps.iter().all(|step| (step.equal_rows - 2000.0).abs() < 200.0), "{steps:?}");
        let (distinct, steps) = of(100_003);
        assert!(distinct[0] > 90_000.0, "{distinct:?}");
        assert!(steps.len() <= STEPS_MAX);
        assert!((steps.iter().map(|step| step.range_rows + step.equal_rows).sum::<f64>() - 100_003.0).abs() < 2000.0);
    }

    #[test]
    fn nulls_are_the_least_values() {
        let keys = vec![vec![Value::Null], vec![Value::Null], key(1), key(2)];
        let found = collected(&[keys], 4);
        assert_eq!(found.rows_null(), 2.0);
        assert_eq!(found.rows_below(&Value::Int(2), true) - found.rows_null(), 2.0);
    }

    #[test]
    fn small_tables_change_by_500_and_large_ones_by_a_root() {
        assert_eq!([0, 1, 500, 1000, 25_000, 1_000_000].map(changes_max), [1, 500, 500, 700, 5000, 31_622]);
        let temporary = [0, 5, 6, 500, 1000, 25_000, 1_000_000].map(changes_max_temporary);
        assert_eq!(temporary, [6, 6, 500, 500, 700, 5000, 31_622]);
    }
}
