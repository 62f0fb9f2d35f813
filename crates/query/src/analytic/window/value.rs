//! Values of other rows: LAG, LEAD, FIRST_VALUE, LAST_VALUE, and percentiles.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, UInt64Array, new_null_array};
use datafusion::arrow::compute::{concat, interleave, take};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::arrow::error::ArrowError;

use super::call::Evaluate;
use super::chunk::Chunk;
use crate::analytic::failure;
use crate::error::{SqlError, SqlResult};
use crate::rel::WindowFrame;

/// LAG keeps the rows that it looks back on when they are few.
const NEAR_MAX: u64 = 4096;

/// Whether LAG looks back so little that it needs no more than the rows just before.
pub(super) fn is_near(distance: Option<u64>) -> bool {
    distance.is_some_and(|distance| distance <= NEAR_MAX)
}

fn arrow(error: ArrowError) -> SqlError {
    failure::to_sql(error.into())
}

/// Rows of `values` or of `defaults`.
struct Chosen<'a> {
    values: &'a ArrayRef,
    /// None: NULL.
    defaults: Option<&'a ArrayRef>,
    from: Vec<(usize, usize)>,
}

impl<'a> Chosen<'a> {
    fn new(values: &'a ArrayRef, defaults: Option<&'a ArrayRef>, rows: usize) -> Chosen<'a> {
        Chosen { values, defaults, from: Vec::with_capacity(rows) }
    }

    /// Chooses the value at `place`, or the default of row `row`.
    fn push(&mut self, place: Option<usize>, row: usize) {
        self.from.push(match place {
            Some(place) => (0, place),
            None if self.defaults.is_some() => (1, row),
            None => (1, 0),
        });
    }

    fn finish(self) -> SqlResult<ArrayRef> {
        let null = new_null_array(self.values.data_type(), 1);
        interleave(&[self.values, self.defaults.unwrap_or(&null)], &self.from).map_err(arrow)
    }
}

/// LAG by a few rows: keeps the last ones of each chunk.
pub(super) struct Near {
    distance: usize,
    /// The last values of the last partition.
    tail: Option<ArrayRef>,
}

impl Near {
    pub(super) fn new(distance: u64) -> Near {
        Near { distance: usize::try_from(distance).unwrap_or(usize::MAX), tail: None }
    }
}

impl Evaluate for Near {
    fn evaluate(&mut self, chunk: &Chunk<'_>, args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let tail = self.tail.take().filter(|_| chunk.continues_partition);
        let kept = tail.as_ref().map_or(0, |tail| tail.len());
        let values = match &tail {
            Some(tail) => concat(&[tail, &args[0]]).map_err(arrow)?,
            None => Arc::clone(&args[0]),
        };
        let mut chosen = Chosen::new(&values, args.get(2), chunk.rows);
        for (index, partition) in chunk.partitions().enumerate() {
            let first = if index == 0 { 0 } else { kept + partition.start };
            for row in partition {
                let place = (kept + row).checked_sub(self.distance).filter(|place| *place >= first);
                chosen.push(place, row);
            }
        }
        let lagged = chosen.finish()?;
        let last = chunk.partitions.len().checked_sub(2).map_or(0, |last| chunk.partitions[last]);
        let first = if last == 0 { 0 } else { kept + last };
        let first = first.max(values.len().saturating_sub(self.distance));
        // A copy, so that a few rows do not hold a whole chunk.
        self.tail = Some(concat(&[&values.slice(first, values.len() - first)]).map_err(arrow)?);
        Ok(lagged)
    }
}

/// LAG and LEAD by any distance.
pub(super) struct Far {
    pub(super) backwards: bool,
    pub(super) ignore_nulls: bool,
}

impl Evaluate for Far {
    fn evaluate(&mut self, chunk: &Chunk<'_>, args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let (values, distances) = (&args[0], args[1].as_primitive::<Int64Type>());
        let mut chosen = Chosen::new(values, args.get(2), chunk.rows);
        let mut given: Vec<usize> = Vec::new();
        let mut passed = 0;
        chunk.each_row(|place| {
            if place.row == place.partition.start && self.ignore_nulls {
                given = place.partition.clone().filter(|&row| values.is_valid(row)).collect();
                passed = 0;
            }
            let row = place.row;
            if distances.is_null(row) {
                chosen.push(None, row);
                return Ok(());
            }
            let distance = distance(distances.value(row))?;
            let found = if distance == 0 {
                Some(row)
            } else if self.ignore_nulls {
                while given.get(passed).is_some_and(|&given| given < row) {
                    passed += 1;
                }
                // `passed` values lie before the row; the next one may be the row's own.
                let own = usize::from(given.get(passed) == Some(&row));
                let index = if self.backwards {
                    passed.checked_sub(distance)
                } else {
                    (passed + own).checked_add(distance - 1)
                };
                index.and_then(|index| given.get(index).copied())
            } else if self.backwards {
                row.checked_sub(distance)
            } else {
                row.checked_add(distance)
            };
            chosen.push(found.filter(|found| place.partition.contains(found)), row);
            Ok(())
        })?;
        chosen.finish()
    }
}

fn distance(offset: i64) -> SqlResult<usize> {
    let negative = |_| {
        let text = "Offset parameter for Lag and Lead functions cannot be a negative value.";
        SqlError::new(8730, 16, 1, text)
    };
    u64::try_from(offset).map_err(negative).map(|offset| usize::try_from(offset).unwrap_or(usize::MAX))
}

/// FIRST_VALUE and LAST_VALUE
pub(super) struct Edge {
    pub(super) last: bool,
    pub(super) ignore_nulls: bool,
    pub(super) frame: WindowFrame,
}

impl Evaluate for Edge {
    fn evaluate(&mut self, chunk: &Chunk<'_>, args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let values = &args[0];
        let given = if self.ignore_nulls { Some(self.given(values)) } else { None };
        let mut places: Vec<Option<u64>> = Vec::with_capacity(chunk.rows);
        chunk.each_row(|place| {
            let frame = place.frame(&self.frame);
            let edge = if self.last { frame.end.checked_sub(1) } else { Some(frame.start) };
            let found = edge.filter(|edge| frame.contains(edge)).and_then(|edge| match &given {
                None => Some(edge),
                Some(given) => given[edge].filter(|found| frame.contains(found)),
            });
            places.push(found.map(|found| found as u64));
            Ok(())
        })?;
        take(values, &UInt64Array::from(places), None).map_err(arrow)
    }
}

impl Edge {
    /// For each row the nearest one with a value, the row itself included: before it for LAST_VALUE, behind it for
    /// FIRST_VALUE.
    fn given(&self, values: &ArrayRef) -> Vec<Option<usize>> {
        let mut nearest = vec![None; values.len()];
        let mut found = None;
        let mut visit = |row: usize| {
            if values.is_valid(row) {
                found = Some(row);
            }
            nearest[row] = found;
        };
        if self.last {
            (0..values.len()).for_each(&mut visit)
        } else {
            (0..values.len()).rev().for_each(&mut visit)
        }
        nearest
    }
}

/// PERCENTILE_CONT and PERCENTILE_DISC: the partition is in the order of the values, NULLs at one of its ends.
pub(super) struct Percentile {
    pub(super) interpolates: bool,
}

impl Evaluate for Percentile {
    fn evaluate(&mut self, chunk: &Chunk<'_>, args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let (values, fractions) = (&args[0], args[1].as_primitive::<Float64Type>());
        let mut between = Vec::with_capacity(chunk.rows);
        let mut places: Vec<Option<u64>> = Vec::with_capacity(chunk.rows);
        for partition in chunk.partitions() {
            chunk.cell.check_cancelled()?;
            let fraction = fractions.is_valid(partition.start).then(|| fractions.value(partition.start));
            let fraction = fraction.filter(|fraction| (0.0..=1.0).contains(fraction)).ok_or_else(out_of_range)?;
            let rows = partition.len();
            let nulls = values.slice(partition.start, rows).null_count();
            let count = rows - nulls;
            let first = partition.start + if values.is_null(partition.start) { nulls } else { 0 };
            if self.interpolates {
                let value = (count > 0).then(|| interpolated(values.as_primitive(), first, count, fraction));
                between.extend(std::iter::repeat_n(value, rows));
            } else {
                let index = ((fraction * count as f64).ceil() as usize).clamp(1, count.max(1)) - 1;
                places.extend(std::iter::repeat_n((count > 0).then_some((first + index) as u64), rows));
            }
        }
        if self.interpolates {
            return Ok(Arc::new(Float64Array::from(between)));
        }
        take(values, &UInt64Array::from(places), None).map_err(arrow)
    }
}

fn interpolated(values: &Float64Array, first: usize, count: usize, fraction: f64) -> f64 {
    let place = fraction * (count - 1) as f64;
    let (low, high) = (place.floor(), place.ceil());
    let (below, above) = (values.value(first + low as usize), values.value(first + high as usize));
    below + (above - below) * (place - low)
}

/// 8727
fn out_of_range() -> SqlError {
    SqlError::new(8727, 16, 1, "Input parameter of percentile function is outside of range [0, 1].")
}
