//! Aggregates over frames: folded row by row while a frame only grows, merged of two stacks while it moves (W3).

use std::cmp::Ordering;
use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, DynComparator, PrimitiveArray, UInt64Array, make_comparator};
use datafusion::arrow::compute::{SortOptions, take};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type,
};
use millpond_types::{SqlType, Value};

use super::call::{CallSpec, Evaluate};
use super::chunk::Chunk;
use crate::analytic::accumulate::{ExactOf, Moment, Spread, moment_of};
use crate::analytic::convert::ColumnBuilder;
use crate::analytic::{arithmetic, failure};
use crate::error::SqlResult;
use crate::rel::{AggregateFunction, FrameEdge, WindowFrame};

/// Whether a running aggregate's state goes on into the next chunk: not that of MIN and MAX, which is a row.
pub(super) fn can_go_on(function: AggregateFunction) -> bool {
    !matches!(function, AggregateFunction::Min | AggregateFunction::Max)
}

/// What evaluates an aggregate.
pub(super) fn evaluator(function: AggregateFunction, call: &CallSpec) -> SqlResult<Box<dyn Evaluate>> {
    let (frame, result) = (call.frame, call.result);
    let of = call.args.first().copied();
    let approximate = matches!(of, Some(SqlType::Real | SqlType::Float));
    let exact = |mean| match of {
        Some(of) => Ok(folded(Exact { exact: ExactOf { mean, of, result } }, frame, result)),
        None => Err(failure::internal("a sum of nothing")),
    };
    let moment = |moment| folded(Moments { moment, result }, frame, result);
    Ok(match function {
        AggregateFunction::Count | AggregateFunction::CountBig => folded(Count { result }, frame, result),
        AggregateFunction::Min => Box::new(Extreme { wanted: Ordering::Less, frame }),
        AggregateFunction::Max => Box::new(Extreme { wanted: Ordering::Greater, frame }),
        AggregateFunction::Sum if approximate => moment(Moment::Sum),
        AggregateFunction::Avg if approximate => moment(Moment::Mean),
        AggregateFunction::Sum => exact(false)?,
        AggregateFunction::Avg => exact(true)?,
        AggregateFunction::StDev => moment(Moment::StDev),
        AggregateFunction::StDevP => moment(Moment::StDevP),
        AggregateFunction::Var => moment(Moment::Var),
        AggregateFunction::VarP => moment(Moment::VarP),
        AggregateFunction::ChecksumAgg => folded(Checksum, frame, result),
        AggregateFunction::StringAgg | AggregateFunction::ApproxCountDistinct => {
            return Err(failure::internal("an aggregate that is none over windows"));
        }
    })
}

fn folded<F: Outcome + 'static>(fold: F, frame: WindowFrame, result: SqlType) -> Box<dyn Evaluate> {
    Box::new(Folded { state: fold.empty(), fold, frame, result })
}

/// An aggregate whose states can be merged.
trait Fold: Send {
    type State: Clone + Send;
    type Column<'a>;
    fn empty(&self) -> Self::State;
    /// The rows of a chunk as this aggregate reads them.
    fn column<'a>(&self, args: &'a [ArrayRef]) -> SqlResult<Self::Column<'a>>;
    fn add(&self, state: &mut Self::State, column: &Self::Column<'_>, row: usize) -> SqlResult<()>;
    fn merge(&self, state: &mut Self::State, other: &Self::State, column: &Self::Column<'_>) -> SqlResult<()>;
}

/// An aggregate whose state is all that its result is made of.
trait Outcome: Fold {
    fn result(&self, state: &Self::State) -> SqlResult<Value>;
}

/// An aggregate over a frame.
struct Folded<F: Fold> {
    fold: F,
    frame: WindowFrame,
    result: SqlType,
    /// Of the last partition, where the frame only grows.
    state: F::State,
}

impl<F: Outcome> Evaluate for Folded<F> {
    fn evaluate(&mut self, chunk: &Chunk<'_>, args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let column = self.fold.column(args)?;
        let mut results = ColumnBuilder::new(&self.result, chunk.rows);
        if self.frame.start == FrameEdge::Partition {
            self.grow(chunk, &column, &mut results)?;
        } else {
            self.slide(chunk, &column, &mut results)?;
        }
        Ok(results.finish())
    }
}

impl<F: Outcome> Folded<F> {
    fn grow(&mut self, chunk: &Chunk<'_>, column: &F::Column<'_>, results: &mut ColumnBuilder) -> SqlResult<()> {
        let mut reached = 0;
        let mut value: Option<Value> = None;
        chunk.each_row(|place| {
            if place.row == place.partition.start {
                if !(place.is_first && chunk.continues_partition) {
                    self.state = self.fold.empty();
                }
                reached = place.partition.start;
                value = None;
            }
            let end = place.frame(&self.frame).end;
            if reached < end {
                for row in reached..end {
                    chunk.watch(row)?;
                    self.fold.add(&mut self.state, column, row)?;
                }
                reached = end;
                value = None;
            }
            match &value {
                Some(value) => results.push(value),
                None => results.push(value.insert(self.fold.result(&self.state)?)),
            }
        })
    }

    fn slide(&self, chunk: &Chunk<'_>, column: &F::Column<'_>, results: &mut ColumnBuilder) -> SqlResult<()> {
        let mut queue = Queue::new(&self.fold);
        chunk.each_row(|place| {
            if place.row == place.partition.start {
                queue.restart(place.partition.start);
            }
            queue.go_to(column, &place.frame(&self.frame))?;
            results.push(&self.fold.result(&queue.state(column)?)?)
        })
    }
}

/// Rows that come at one end and leave at the other, with the state of all of them: two stacks, of which one holds the
/// states of its rows up to the middle, so that leaving takes nothing away.
struct Queue<'f, F: Fold> {
    fold: &'f F,
    /// States from each row to the middle, the first row's on top.
    front: Vec<F::State>,
    /// State of the rows behind the middle.
    back: F::State,
    middle: usize,
    rows: Range<usize>,
}

impl<'f, F: Fold> Queue<'f, F> {
    fn new(fold: &'f F) -> Queue<'f, F> {
        Queue { fold, front: Vec::new(), back: fold.empty(), middle: 0, rows: 0..0 }
    }

    fn restart(&mut self, row: usize) {
        self.front.clear();
        self.back = self.fold.empty();
        self.middle = row;
        self.rows = row..row;
    }

    /// Frames of a partition never go back.
    fn go_to(&mut self, column: &F::Column<'_>, frame: &Range<usize>) -> SqlResult<()> {
        if frame.start >= self.rows.end {
            self.restart(frame.start);
        }
        while self.rows.end < frame.end {
            self.fold.add(&mut self.back, column, self.rows.end)?;
            self.rows.end += 1;
        }
        while self.rows.start < frame.start {
            if self.front.is_empty() {
                self.turn(column)?;
            }
            self.front.pop();
            self.rows.start += 1;
        }
        Ok(())
    }

    /// Brings the rows of the back to the front.
    fn turn(&mut self, column: &F::Column<'_>) -> SqlResult<()> {
        for row in (self.rows.start..self.rows.end).rev() {
            let mut state = self.fold.empty();
            self.fold.add(&mut state, column, row)?;
            if let Some(later) = self.front.last() {
                self.fold.merge(&mut state, later, column)?;
            }
            self.front.push(state);
        }
        self.middle = self.rows.end;
        self.back = self.fold.empty();
        Ok(())
    }

    fn state(&self, column: &F::Column<'_>) -> SqlResult<F::State> {
        let Some(front) = self.front.last() else { return Ok(self.back.clone()) };
        let mut state = front.clone();
        if self.middle < self.rows.end {
            self.fold.merge(&mut state, &self.back, column)?;
        }
        Ok(state)
    }
}

/// COUNT and COUNT_BIG
struct Count {
    result: SqlType,
}

impl Fold for Count {
    type State = i64;
    type Column<'a> = Option<&'a ArrayRef>;

    fn empty(&self) -> i64 {
        0
    }

    fn column<'a>(&self, args: &'a [ArrayRef]) -> SqlResult<Option<&'a ArrayRef>> {
        Ok(args.first())
    }

    fn add(&self, state: &mut i64, column: &Option<&ArrayRef>, row: usize) -> SqlResult<()> {
        *state += i64::from(column.is_none_or(|column| column.is_valid(row)));
        Ok(())
    }

    fn merge(&self, state: &mut i64, other: &i64, _column: &Option<&ArrayRef>) -> SqlResult<()> {
        *state += other;
        Ok(())
    }
}

impl Outcome for Count {
    fn result(&self, state: &i64) -> SqlResult<Value> {
        match self.result {
            SqlType::Int => i32::try_from(*state).map(Value::Int).map_err(|_| arithmetic::overflow(&self.result)),
            _ => Ok(Value::BigInt(*state)),
        }
    }
}

/// SUM and AVG of integers, decimals and money
struct Exact {
    exact: ExactOf,
}

/// Exact numbers in units of their scale.
enum Units<'a> {
    TinyInt(&'a PrimitiveArray<UInt8Type>),
    SmallInt(&'a PrimitiveArray<Int16Type>),
    Int(&'a PrimitiveArray<Int32Type>),
    Long(&'a PrimitiveArray<Int64Type>),
    Decimal(&'a PrimitiveArray<Decimal128Type>),
}

impl Units<'_> {
    fn get(&self, row: usize) -> Option<i128> {
        match self {
            Units::TinyInt(array) => array.is_valid(row).then(|| array.value(row).into()),
            Units::SmallInt(array) => array.is_valid(row).then(|| array.value(row).into()),
            Units::Int(array) => array.is_valid(row).then(|| array.value(row).into()),
            Units::Long(array) => array.is_valid(row).then(|| array.value(row).into()),
            Units::Decimal(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}

impl Fold for Exact {
    type State = (i128, u64);
    type Column<'a> = Units<'a>;

    fn empty(&self) -> (i128, u64) {
        (0, 0)
    }

    fn column<'a>(&self, args: &'a [ArrayRef]) -> SqlResult<Units<'a>> {
        Ok(match args[0].data_type() {
            DataType::UInt8 => Units::TinyInt(args[0].as_primitive()),
            DataType::Int16 => Units::SmallInt(args[0].as_primitive()),
            DataType::Int32 => Units::Int(args[0].as_primitive()),
            DataType::Int64 => Units::Long(args[0].as_primitive()),
            DataType::Decimal128(..) => Units::Decimal(args[0].as_primitive()),
            other => return Err(failure::internal(&format!("an exact sum of {other}"))),
        })
    }

    fn add(&self, state: &mut (i128, u64), column: &Units<'_>, row: usize) -> SqlResult<()> {
        if let Some(value) = column.get(row) {
            *state = (self.exact.sum(state.0, value)?, state.1 + 1);
        }
        Ok(())
    }

    fn merge(&self, state: &mut (i128, u64), other: &(i128, u64), _column: &Units<'_>) -> SqlResult<()> {
        *state = (self.exact.sum(state.0, other.0)?, state.1 + other.1);
        Ok(())
    }
}

impl Outcome for Exact {
    fn result(&self, state: &(i128, u64)) -> SqlResult<Value> {
        self.exact.result_of(state.0, state.1)
    }
}

/// SUM, AVG, VAR … of floats
struct Moments {
    moment: Moment,
    result: SqlType,
}

/// Approximate numbers.
enum Floats<'a> {
    Real(&'a PrimitiveArray<Float32Type>),
    Float(&'a PrimitiveArray<Float64Type>),
}

impl Fold for Moments {
    type State = Spread;
    type Column<'a> = Floats<'a>;

    fn empty(&self) -> Spread {
        Spread::default()
    }

    fn column<'a>(&self, args: &'a [ArrayRef]) -> SqlResult<Floats<'a>> {
        Ok(match args[0].data_type() {
            DataType::Float32 => Floats::Real(args[0].as_primitive()),
            DataType::Float64 => Floats::Float(args[0].as_primitive()),
            other => return Err(failure::internal(&format!("a float aggregate of {other}"))),
        })
    }

    fn add(&self, state: &mut Spread, column: &Floats<'_>, row: usize) -> SqlResult<()> {
        let value = match column {
            Floats::Real(array) => array.is_valid(row).then(|| f64::from(array.value(row))),
            Floats::Float(array) => array.is_valid(row).then(|| array.value(row)),
        };
        if let Some(value) = value {
            state.add(value);
        }
        Ok(())
    }

    fn merge(&self, state: &mut Spread, other: &Spread, _column: &Floats<'_>) -> SqlResult<()> {
        state.merge(*other);
        Ok(())
    }
}

impl Outcome for Moments {
    fn result(&self, state: &Spread) -> SqlResult<Value> {
        moment_of(state, self.moment, &self.result)
    }
}

/// CHECKSUM_AGG
struct Checksum;

impl Fold for Checksum {
    type State = Option<i32>;
    type Column<'a> = &'a PrimitiveArray<Int32Type>;

    fn empty(&self) -> Option<i32> {
        None
    }

    fn column<'a>(&self, args: &'a [ArrayRef]) -> SqlResult<&'a PrimitiveArray<Int32Type>> {
        Ok(args[0].as_primitive())
    }

    fn add(&self, state: &mut Option<i32>, column: &&PrimitiveArray<Int32Type>, row: usize) -> SqlResult<()> {
        let value = column.is_valid(row).then(|| column.value(row));
        self.merge(state, &value, column)
    }

    fn merge(
        &self,
        state: &mut Option<i32>,
        other: &Option<i32>,
        _column: &&PrimitiveArray<Int32Type>,
    ) -> SqlResult<()> {
        if let Some(other) = other {
            *state = Some(state.unwrap_or(0) ^ other);
        }
        Ok(())
    }
}

impl Outcome for Checksum {
    fn result(&self, state: &Option<i32>) -> SqlResult<Value> {
        Ok(state.map_or(Value::Null, Value::Int))
    }
}

/// MIN and MAX: the row of the extreme value. The last argument is what values are compared by.
struct Extreme {
    /// How the extreme compares with the others.
    wanted: Ordering,
    frame: WindowFrame,
}

impl Evaluate for Extreme {
    fn evaluate(&mut self, chunk: &Chunk<'_>, args: &[ArrayRef]) -> SqlResult<ArrayRef> {
        let fold = ExtremeRow { wanted: self.wanted };
        let column = fold.column(args)?;
        let mut rows: Vec<Option<u64>> = Vec::with_capacity(chunk.rows);
        let mut queue = Queue::new(&fold);
        chunk.each_row(|place| {
            if place.row == place.partition.start {
                queue.restart(place.partition.start);
            }
            queue.go_to(&column, &place.frame(&self.frame))?;
            rows.push(queue.state(&column)?);
            Ok(())
        })?;
        take(&args[0], &UInt64Array::from(rows), None).map_err(|error| failure::to_sql(error.into()))
    }
}

/// The row of the least or greatest value, the first of equal ones.
struct ExtremeRow {
    wanted: Ordering,
}

/// Values that are compared by their rows.
struct Comparable<'a> {
    keys: &'a ArrayRef,
    compare: DynComparator,
}

impl Fold for ExtremeRow {
    type State = Option<u64>;
    type Column<'a> = Comparable<'a>;

    fn empty(&self) -> Option<u64> {
        None
    }

    fn column<'a>(&self, args: &'a [ArrayRef]) -> SqlResult<Comparable<'a>> {
        let keys = args.last().ok_or_else(|| failure::internal("an extreme of nothing"))?;
        let compare = make_comparator(keys, keys, SortOptions::default());
        let compare = compare.map_err(|error| failure::to_sql(error.into()))?;
        Ok(Comparable { keys, compare })
    }

    fn add(&self, state: &mut Option<u64>, column: &Comparable<'_>, row: usize) -> SqlResult<()> {
        let row = column.keys.is_valid(row).then_some(row as u64);
        self.merge(state, &row, column)
    }

    fn merge(&self, state: &mut Option<u64>, other: &Option<u64>, column: &Comparable<'_>) -> SqlResult<()> {
        let Some(other) = *other else { return Ok(()) };
        if state.is_none_or(|held| (column.compare)(other as usize, held as usize) == self.wanted) {
            *state = Some(other);
        }
        Ok(())
    }
}
