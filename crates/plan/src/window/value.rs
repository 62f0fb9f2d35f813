//! Values of other rows: LAG, LEAD, FIRST_VALUE, LAST_VALUE, and percentiles.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, new_null_array};
use datafusion::arrow::compute::{concat, interleave, nullif};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use millpond_catalog::rel::WindowFrame;
use millpond_message::error::{SqlError, SqlResult};

use crate::window::args::{Args, Block, arrow};
use crate::window::chunk::Chunk;
use crate::window::evaluate::Evaluate;

/// LAG keeps the rows that it looks back on when they are few.
const NEAR_MAX: u64 = 4096;

/// Whether LAG looks back so little that it needs no more than the rows just before.
pub(crate) fn is_near(distance: Option<u64>) -> bool {
    distance.is_some_and(|distance| distance <= NEAR_MAX)
}

/// LAG by a few rows: keeps the last ones of each chunk.
pub(crate) struct Near {
    distance: usize,
    /// The last values of the last partition.
    tail: Option<ArrayRef>,
}

impl Near {
    pub(crate) fn new(distance: u64) -> Near {
        Near { distance: usize::try_from(distance).unwrap_or(usize::MAX), tail: None }
    }
}

impl Evaluate for Near {
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let own = &args.own.columns;
        let begins = chunk.partitions[0] == chunk.rows.start;
        let tail = self.tail.take().filter(|_| !begins);
        let kept = tail.as_ref().map_or(0, |tail| tail.len());
        let values = match &tail {
            Some(tail) => concat(&[tail, &own[0]]).map_err(arrow)?,
            None => Arc::clone(&own[0]),
        };
        let null = new_null_array(values.data_type(), 1);
        let mut from = Vec::with_capacity(chunk.rows.len());
        let mut first = 0;
        for partition in chunk.partitions() {
            let rows = chunk.own(&partition);
            let rows = rows.start - chunk.rows.start..rows.end - chunk.rows.start;
            first = if rows.start == 0 { 0 } else { kept + rows.start };
            for row in rows {
                let place = (kept + row).checked_sub(self.distance).filter(|place| *place >= first);
                from.push(place.map_or((1, if own.len() > 2 { row } else { 0 }), |place| (0, place)));
            }
        }
        let lagged = interleave(&[&values, own.get(2).unwrap_or(&null)], &from).map_err(arrow)?;
        let first = first.max(values.len().saturating_sub(self.distance));
        // A copy, so that a few rows do not hold a whole chunk.
        self.tail = Some(concat(&[&values.slice(first, values.len() - first)]).map_err(arrow)?);
        Ok(lagged)
    }
}

/// LAG and LEAD by any distance. With IGNORE NULLS they go on in the same direction from a row that has NULL.
pub(crate) struct Far {
    pub(crate) backwards: bool,
    pub(crate) ignore_nulls: bool,
}

impl Evaluate for Far {
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let places = self.places(chunk, args)?;
        let default = args.own.columns.get(2);
        if !self.ignore_nulls {
            return args.pick(&places, default);
        }
        let mut found = args.nearest_given(&places, self.backwards)?;
        chunk.each_row(|place| {
            let found = &mut found[place.row - chunk.rows.start];
            *found = found.filter(|row| place.partition.contains(row));
            Ok(())
        })?;
        // The default is for a row that the distance itself leads out of the partition, not for one that finds only NULLs.
        let finds_nulls: BooleanArray =
            places.iter().zip(&found).map(|(place, found)| Some(place.is_some() && found.is_none())).collect();
        let default = default.map(|default| nullif(default, &finds_nulls)).transpose().map_err(arrow)?;
        args.pick(&found, default.as_ref())
    }
}

impl Far {
    /// The rows that the distances lead to; none: out of the partition.
    fn places(&self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<Vec<Option<usize>>> {
        let mut places = Vec::with_capacity(chunk.rows.len());
        chunk.each_row(|place| {
            let row = distance(args, place.row)?.and_then(|distance| match self.backwards {
                true => place.row.checked_sub(distance),
                false => place.row.checked_add(distance),
            });
            places.push(row.filter(|row| place.partition.contains(row)));
            Ok(())
        })?;
        Ok(places)
    }
}

/// How far a row looks; none: it is NULL.
fn distance(args: &Args<'_>, row: usize) -> SqlResult<Option<usize>> {
    let (distances, own) = (args.own.columns[1].as_primitive::<Int64Type>(), row - args.own.first);
    if distances.is_null(own) {
        return Ok(None);
    }
    let negative = |_| SqlError::of(8730, 1, &[]);
    let distance = u64::try_from(distances.value(own)).map_err(negative)?;
    Ok(Some(usize::try_from(distance).unwrap_or(usize::MAX)))
}

/// FIRST_VALUE and LAST_VALUE
pub(crate) struct Edge {
    last: bool,
    ignore_nulls: bool,
    frame: WindowFrame,
    /// The block where values are looked for.
    block: Option<Block>,
    /// Rows before it were looked at.
    reached: usize,
    /// The last row looked at that has a value.
    given: Option<usize>,
}

impl Evaluate for Edge {
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut places: Vec<Option<usize>> = Vec::with_capacity(chunk.rows.len());
        chunk.each_row(|place| {
            let frame = place.frame(&self.frame);
            let edge = if self.last { frame.end.checked_sub(1) } else { Some(frame.start) };
            let edge = edge.filter(|edge| frame.contains(edge));
            places.push(match edge {
                Some(_) if self.ignore_nulls && self.last => self.last_given(args, &frame)?,
                Some(_) if self.ignore_nulls => self.first_given(args, &frame)?,
                edge => edge,
            });
            Ok(())
        })?;
        // As a queue does.
        self.block = self.block.take().filter(|_| args.spilled.is_some());
        args.pick(&places, None)
    }
}

impl Edge {
    pub(crate) fn new(last: bool, ignore_nulls: bool, frame: WindowFrame) -> Edge {
        Edge { last, ignore_nulls, frame, block: None, reached: 0, given: None }
    }

    /// The first row of the frame that has a value; frames do not go back.
    fn first_given(&mut self, args: &Args<'_>, frame: &Range<usize>) -> SqlResult<Option<usize>> {
        self.reached = self.reached.max(frame.start);
        while self.reached < frame.end && !self.is_given(args, self.reached)? {
            self.reached += 1;
        }
        Ok(Some(self.reached).filter(|row| frame.contains(row)))
    }

    /// The last one.
    fn last_given(&mut self, args: &Args<'_>, frame: &Range<usize>) -> SqlResult<Option<usize>> {
        self.reached = self.reached.max(frame.start);
        while self.reached < frame.end {
            if self.is_given(args, self.reached)? {
                self.given = Some(self.reached);
            }
            self.reached += 1;
        }
        Ok(self.given.filter(|row| frame.contains(row)))
    }

    fn is_given(&mut self, args: &Args<'_>, row: usize) -> SqlResult<bool> {
        let block = match self.block.take().filter(|block| block.covers(row)) {
            Some(block) => self.block.insert(block),
            None => self.block.insert(args.at(row)?),
        };
        Ok(block.columns[0].is_valid(row - block.first))
    }
}

/// PERCENTILE_CONT and PERCENTILE_DISC: the partition is in the order of the values, NULLs at one of its ends.
pub(crate) struct Percentile {
    interpolates: bool,
    /// Of the last partition: one value.
    value: Option<ArrayRef>,
}

impl Evaluate for Percentile {
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let (mut values, mut from) = (Vec::new(), Vec::with_capacity(chunk.rows.len()));
        for partition in chunk.partitions() {
            chunk.cell.check_cancelled()?;
            let known = self.value.take().filter(|_| partition.start < chunk.rows.start);
            let value = known.map_or_else(|| self.of_partition(&partition, args), Ok)?;
            from.extend(std::iter::repeat_n((values.len(), 0), chunk.own(&partition).len()));
            self.value = Some(Arc::clone(&value));
            values.push(value);
        }
        let values: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
        interleave(&values, &from).map_err(arrow)
    }
}

impl Percentile {
    pub(crate) fn new(interpolates: bool) -> Percentile {
        Percentile { interpolates, value: None }
    }

    fn of_partition(&self, partition: &Range<usize>, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let begins = args.at(partition.start)?;
        let (fractions, own) = (begins.columns[1].as_primitive::<Float64Type>(), partition.start - begins.first);
        let fraction = fractions.is_valid(own).then(|| fractions.value(own));
        let fraction = fraction.filter(|fraction| (0.0..=1.0).contains(fraction)).ok_or_else(out_of_range)?;
        let count = args.given_in(partition);
        let nulls_first = if begins.columns[0].is_null(own) { partition.len() - count } else { 0 };
        let first = partition.start + nulls_first;
        if count == 0 {
            return args.pick(&[None], None);
        }
        if !self.interpolates {
            let index = ((fraction * count as f64).ceil() as usize).clamp(1, count) - 1;
            return args.pick(&[Some(first + index)], None);
        }
        let place = fraction * (count - 1) as f64;
        let (low, high) = (place.floor(), place.ceil());
        let ends = args.pick(&[Some(first + low as usize), Some(first + high as usize)], None)?;
        let ends = ends.as_primitive::<Float64Type>();
        let (below, above) = (ends.value(0), ends.value(1));
        Ok(Arc::new(Float64Array::from(vec![below + (above - below) * (place - low)])))
    }
}

/// 8727
fn out_of_range() -> SqlError {
    SqlError::of(8727, 1, &[])
}
