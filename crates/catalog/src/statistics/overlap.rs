//! The values of a column as an estimate sees them: cut to a range, and beside those of another column that they are to equal.
//!
//! ```text
//!   Statistics ──▶ Spread ──within──▶ Spread ─┐
//!                                             ├─meet──▶ pairs of equal values, and what of each side lies where both have any
//!   Statistics ──▶ Spread ────────────────────┘
//! ```
//! What always holds: between two steps values are taken to be spread evenly, and where both sides have some, those of the side that
//! has fewer are taken to be among those of the other one. NULL equals nothing and is in no spread.

use std::cmp::Ordering;

use millpond_types::collation::Collation;
use millpond_types::{Value, compare};

use crate::statistics::histogram::{Statistics, Step};
use crate::statistics::part::part_of;

/// Values of a column, and how many rows have them.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Rows that are not NULL.
    pub rows: f64,
    /// Distinct values.
    pub distinct: f64,
    /// What the range of the first step begins with, where it has one.
    begin: Option<Value>,
    steps: Vec<Step>,
    collation: Collation,
}

/// What two spreads have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Pairs of rows with equal values.
    pub pairs: f64,
    /// Rows of each side that lie where both sides have values.
    pub rows: (f64, f64),
    /// Distinct values of each side there.
    pub distinct: (f64, f64),
}

/// An end of a range, and whether it belongs to it.
pub type End<'v> = Option<(&'v Value, bool)>;

impl Spread {
    /// All values of a column.
    #[must_use]
    pub fn of(statistics: &Statistics) -> Spread {
        let nulls = statistics.rows_null();
        let mut steps = statistics.steps.clone();
        if nulls > 0.0 {
            steps.remove(0);
        }
        let begin = if nulls > 0.0 { steps.first().map(|step| step.high.clone()) } else { None };
        let all = statistics.distinct.first().copied().unwrap_or(0.0) - if nulls > 0.0 { 1.0 } else { 0.0 };
        let mut spread = Spread { rows: 0.0, distinct: 0.0, begin, steps, collation: statistics.collation };
        spread.count();
        // Steps of a sample know of fewer values than the whole has.
        let between: f64 = spread.steps.iter().map(|step| step.distinct_range).sum();
        let missing = all - spread.distinct;
        if between > 0.0 && missing > 0.0 {
            let more = 1.0 + missing / between;
            spread.steps.iter_mut().for_each(|step| step.distinct_range *= more);
            spread.count();
        }
        spread
    }

    fn count(&mut self) {
        self.rows = self.steps.iter().map(|step| step.range_rows + step.equal_rows).sum();
        self.distinct =
            self.steps.iter().map(|step| step.distinct_range + if step.equal_rows > 0.0 { 1.0 } else { 0.0 }).sum();
    }

    fn order(&self, a: &Value, b: &Value) -> Ordering {
        compare::compare(a, b, self.collation)
    }

    /// Those between two ends.
    #[must_use]
    pub fn within(&self, low: End<'_>, high: End<'_>) -> Spread {
        let mut cut = Spread { steps: Vec::new(), ..self.clone() };
        let mut walk = Walk::new(self);
        if let Some((low, inclusive)) = low {
            let passed = walk.up_to(low);
            cut.begin = Some(low.clone());
            if inclusive && passed.equal_rows > 0.0 {
                cut.steps.push(Step { range_rows: 0.0, distinct_range: 0.0, ..passed });
            }
        }
        while let Some(step) = walk.present() {
            match high.map(|(high, inclusive)| (self.order(&step.high, high), high, inclusive)) {
                None | Some((Ordering::Less, ..)) => cut.steps.push(walk.up_to(&step.high)),
                Some((_, high, inclusive)) => {
                    let last = walk.up_to(high);
                    let equal_rows = if inclusive { last.equal_rows } else { 0.0 };
                    cut.steps.push(Step { equal_rows, ..last });
                    break;
                }
            }
        }
        cut.count();
        cut
    }

    /// These values alone.
    #[must_use]
    pub fn only(&self, mut values: Vec<Value>) -> Spread {
        values.sort_by(|a, b| self.order(a, b));
        values.dedup_by(|a, b| self.order(a, b) == Ordering::Equal);
        let mut walk = Walk::new(self);
        let mut one = |value: Value| {
            let found = walk.up_to(&value);
            let between = walk.present().filter(|step| step.distinct_range > 0.0).map(|step| step.average_range_rows());
            let equal_rows = if found.equal_rows > 0.0 { found.equal_rows } else { between.unwrap_or(0.0) };
            Step { high: value, range_rows: 0.0, equal_rows, distinct_range: 0.0 }
        };
        let steps = values.into_iter().map(&mut one).collect();
        let mut only = Spread { steps, begin: None, ..*self };
        only.count();
        only
    }

    /// Each value once, as groups have them.
    #[must_use]
    pub fn once(mut self) -> Spread {
        for step in &mut self.steps {
            step.range_rows = step.distinct_range;
            step.equal_rows = step.equal_rows.min(1.0);
        }
        self.count();
        self
    }

    /// How many days there are from the first value to the last one; none of what are no times.
    #[must_use]
    pub fn days(&self) -> Option<f64> {
        let day = |value: &Value| {
            Some(match value {
                Value::Date(date) => date.days,
                Value::DateTime(time) => time.days,
                Value::SmallDateTime(time) => i32::from(time.days),
                Value::DateTime2(time) => time.date.days,
                _ => return None,
            })
        };
        let first = self.begin.as_ref().or_else(|| self.steps.first().map(|step| &step.high))?;
        Some(f64::from(day(&self.steps.last()?.high)? - day(first)? + 1))
    }

    /// Whether the values of both have one order.
    #[must_use]
    pub fn is_like(&self, other: &Spread) -> bool {
        let (Some(one), Some(another)) = (self.steps.last(), other.steps.last()) else { return false };
        let is_whole = |value: &Value| value.as_i64().is_some();
        let same_kind = std::mem::discriminant(&one.high) == std::mem::discriminant(&another.high);
        same_kind && (one.high.as_str().is_none() || self.collation == other.collation)
            || is_whole(&one.high) && is_whole(&another.high)
    }

    /// What both have in common.
    #[must_use]
    pub fn meet(&self, other: &Spread) -> Overlap {
        let (mut left, mut right) = (Walk::new(self), Walk::new(other));
        let mut common = Overlap::default();
        while let (Some(one), Some(another)) = (left.present(), right.present()) {
            let edge = if self.order(&one.high, &another.high).is_le() { &one.high } else { &another.high };
            common.add(left.up_to(edge), right.up_to(edge));
        }
        common
    }
}

impl Overlap {
    /// Adds what lies between the last edge and this one.
    fn add(&mut self, left: Step, right: Step) {
        let met = |left: (f64, f64), right: (f64, f64), common: &mut Overlap| {
            if left.1 > 0.0 && right.1 > 0.0 {
                common.pairs += left.0 * right.0 / left.1.max(right.1);
                common.rows = (common.rows.0 + left.0, common.rows.1 + right.0);
                common.distinct = (common.distinct.0 + left.1, common.distinct.1 + right.1);
            }
        };
        // The edge is a value of one side, or of both; the other one may have it in its range.
        let edge = |step: &Step| match step.equal_rows > 0.0 {
            true => (step.equal_rows, 1.0),
            false => (step.average_range_rows(), step.distinct_range.min(1.0)),
        };
        let rest = |step: &Step| match step.equal_rows > 0.0 {
            true => (step.range_rows, step.distinct_range),
            false => {
                let taken = step.distinct_range.min(1.0);
                (step.range_rows - taken * step.average_range_rows(), step.distinct_range - taken)
            }
        };
        met(edge(&left), edge(&right), self);
        met(rest(&left), rest(&right), self);
    }
}

/// Goes through a spread from edge to edge.
struct Walk<'s> {
    of: &'s Spread,
    at: usize,
    /// Which part of the present step's range is behind.
    passed: f64,
    /// The last edge.
    from: Option<Value>,
}

impl<'s> Walk<'s> {
    fn new(of: &'s Spread) -> Walk<'s> {
        Walk { of, at: 0, passed: 0.0, from: of.begin.clone() }
    }

    fn present(&self) -> Option<&'s Step> {
        self.of.steps.get(self.at)
    }

    /// What lies after the last edge, up to and with this one, as a step.
    fn up_to(&mut self, edge: &Value) -> Step {
        let mut found = Step { high: edge.clone(), range_rows: 0.0, equal_rows: 0.0, distinct_range: 0.0 };
        while let Some(step) = self.present() {
            let order = self.of.order(&step.high, edge);
            let part = if order.is_gt() {
                (1.0 - self.passed) * part_of(self.from.as_ref(), edge, &step.high)
            } else {
                1.0 - self.passed
            };
            found.range_rows += step.range_rows * part;
            found.distinct_range += step.distinct_range * part;
            if order.is_gt() {
                let is_ahead = self.from.as_ref().is_none_or(|from| self.of.order(from, edge).is_lt());
                if is_ahead {
                    self.passed += part;
                    self.from = Some(edge.clone());
                }
                break;
            }
            self.at += 1;
            self.passed = 0.0;
            self.from = Some(step.high.clone());
            if order.is_eq() {
                found.equal_rows = step.equal_rows;
                break;
            }
            found.range_rows += step.equal_rows;
            found.distinct_range += if step.equal_rows > 0.0 { 1.0 } else { 0.0 };
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::histogram::tests::collected;

    /// The values of these numbers.
    fn spread(numbers: Vec<i32>) -> Spread {
        with_nulls(numbers, 0)
    }

    /// The same of a column that has NULLs too.
    fn with_nulls(mut numbers: Vec<i32>, nulls: usize) -> Spread {
        numbers.sort_unstable();
        let keys: Vec<Vec<Value>> = std::iter::repeat_n(Value::Null, nulls)
            .chain(numbers.into_iter().map(Value::Int))
            .map(|value| vec![value])
            .collect();
        let rows = keys.len() as u64;
        Spread::of(&collected(&[keys], rows))
    }

    /// Of a calendar of two centuries five years are met, be there NULLs or not.
    #[test]
    fn what_lies_outside_of_the_other_side_s_values_meets_nothing() {
        let calendar = spread((0..73_000).collect());
        for nulls in [0, 3_000] {
            let sales = with_nulls((0..100_000).map(|n| 35_000 + n * 7 % 1_826).collect(), nulls);
            let overlap = sales.meet(&calendar);
            is_near(overlap.pairs, 100_000.0);
            is_near(overlap.rows.0, 100_000.0);
            is_near(overlap.rows.1, 1_826.0);
            assert!(overlap.rows.1 < 2_300.0, "{nulls}: {overlap:?}");
        }
    }

    fn pairs(left: &[i32], right: &[i32]) -> f64 {
        let of = |number: &i32| right.iter().filter(|other| *other == number).count() as f64;
        left.iter().map(of).sum()
    }

    fn is_near(estimate: f64, exact: f64) {
        assert!(estimate <= exact * 1.5 + 2.0 && exact <= estimate * 1.5 + 2.0, "{estimate} of {exact}");
    }

    #[test]
    fn few_values_meet_exactly() {
        let left: Vec<i32> = (0..500).map(|n| n * n % 97).collect();
        let right: Vec<i32> = (0..300).map(|n| n % 60).collect();
        let overlap = spread(left.clone()).meet(&spread(right.clone()));
        assert!((overlap.pairs - pairs(&left, &right)).abs() < 1e-6, "{overlap:?}");
        assert_eq!(overlap.distinct.0, overlap.distinct.1);
    }

    #[test]
    fn values_meet_where_both_sides_have_some() {
        // Of 73,000 days 1,800 are sold on, of each day 40.
        let days: Vec<i32> = (0..73_000).collect();
        let sold: Vec<i32> = (0..72_000).map(|n| 35_000 + n % 1_800).collect();
        let overlap = spread(sold).meet(&spread(days));
        is_near(overlap.pairs, 72_000.0);
        is_near(overlap.rows.0, 72_000.0);
        assert!(overlap.rows.1 < 1_800.0 * 1.5, "{overlap:?}");
        let none = spread((0..1000).collect()).meet(&spread((2000..3000).collect()));
        assert_eq!(none.pairs, 0.0);
    }

    #[test]
    fn a_frequent_value_meets_all_of_its_like() {
        let mut left: Vec<i32> = (0..10_000).collect();
        left.extend(std::iter::repeat_n(77, 5_000));
        let mut right: Vec<i32> = (0..10_000).step_by(3).collect();
        right.extend(std::iter::repeat_n(77, 1_000));
        let exact = pairs(&left, &right);
        is_near(spread(left).meet(&spread(right)).pairs, exact);
    }

    #[test]
    fn a_range_has_its_part_of_the_values() {
        let all = spread((0..10_000).map(|n| n / 2).collect());
        let (low, high) = (Value::Int(1_000), Value::Int(1_999));
        let cut = all.within(Some((&low, true)), Some((&high, true)));
        is_near(cut.rows, 2_000.0);
        is_near(cut.distinct, 1_000.0);
        is_near(all.within(None, Some((&low, false))).rows, 2_000.0);
        is_near(all.within(Some((&high, false)), None).rows, 6_000.0);
        assert_eq!(all.within(Some((&Value::Int(9_000), true)), None).rows, 0.0);
        let few = all.only(vec![Value::Int(17), Value::Int(4_711), Value::Int(17), Value::Int(99_999)]);
        is_near(few.rows, 4.0);
        assert_eq!(few.distinct, 2.0);
        is_near(cut.once().rows, 1_000.0);
    }

    #[test]
    fn halves_of_a_range_make_the_whole() {
        let all = spread((0..5_000).map(|n| n * 7 % 4_999).collect());
        for at in [0, 1, 499, 2_500, 4_998, 6_000] {
            let at = Value::Int(at);
            let below = all.within(None, Some((&at, false))).rows;
            let above = all.within(Some((&at, true)), None).rows;
            assert!((below + above - all.rows).abs() <= 2.0, "{at:?}: {below} and {above} of {}", all.rows);
        }
    }
}
