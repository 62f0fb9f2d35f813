//! Aggregates over frames, folded of the rows' values.

use std::cmp::Ordering;
use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type,
};
use millpond_catalog::rel::{AggregateFunction, WindowFrame};
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::aggregate::accumulate::{ExactOf, Moment, Spread, moment_of};
use crate::aggregate::product::Product;
use crate::expression::arithmetic;
use crate::expression::convert::{ColumnBuilder, ColumnReader};
use crate::run::failure;
use crate::window::args::{Args, Block};
use crate::window::chunk::Chunk;
use crate::window::evaluate::{CallSpec, Evaluate, Fold};
use crate::window::extreme::Extreme;
use crate::window::queue::Queue;

/// Whether a running aggregate's state goes on into the next chunk: not that of MIN and MAX, which is a row.
pub(crate) fn can_go_on(function: AggregateFunction) -> bool {
    !matches!(function, AggregateFunction::Min | AggregateFunction::Max)
}

/// What evaluates an aggregate.
pub(crate) fn evaluator(function: AggregateFunction, call: &CallSpec) -> SqlResult<Box<dyn Evaluate>> {
    let (frame, result) = (call.frame, call.result);
    let of = call.args.first().copied();
    let approximate = matches!(of, Some(SqlType::Real | SqlType::Float));
    let exact = |mean| match of {
        Some(of) => Ok(folded(Exact { exact: ExactOf { mean, of, result, null_on_error: false } }, frame, result)),
        None => Err(failure::internal("a sum of nothing")),
    };
    let moment = |moment| folded(Moments { moment, result }, frame, result);
    Ok(match function {
        AggregateFunction::Count | AggregateFunction::CountBig => folded(Count { result }, frame, result),
        AggregateFunction::Min => Box::new(Extreme::new(Ordering::Less, call)?),
        AggregateFunction::Max => Box::new(Extreme::new(Ordering::Greater, call)?),
        AggregateFunction::Sum if approximate => moment(Moment::Sum),
        AggregateFunction::Avg if approximate => moment(Moment::Mean),
        AggregateFunction::Sum => exact(false)?,
        AggregateFunction::Avg => exact(true)?,
        AggregateFunction::StDev => moment(Moment::StDev),
        AggregateFunction::StDevP => moment(Moment::StDevP),
        AggregateFunction::Var => moment(Moment::Var),
        AggregateFunction::VarP => moment(Moment::VarP),
        AggregateFunction::Product => folded(Products { result }, frame, result),
        AggregateFunction::ChecksumAgg => folded(Checksum, frame, result),
        AggregateFunction::StringAgg | AggregateFunction::ApproxCountDistinct => {
            return Err(failure::internal("an aggregate that is none over windows"));
        }
    })
}

fn folded<F: Outcome + 'static>(fold: F, frame: WindowFrame, result: SqlType) -> Box<dyn Evaluate> {
    Box::new(Folded { queue: Queue::new(fold, frame), frame, result })
}

/// An aggregate whose state is all that its result is made of.
trait Outcome: Fold {
    fn result(&self, state: &Self::State) -> SqlResult<Value>;
}

/// An aggregate over a frame.
struct Folded<F: Fold> {
    queue: Queue<F>,
    frame: WindowFrame,
    result: SqlType,
}

impl<F: Outcome> Evaluate for Folded<F> {
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut results = ColumnBuilder::new(&self.result, chunk.rows.len());
        let mut last: Option<(Range<usize>, Value)> = None;
        chunk.each_row(|place| {
            let frame = place.frame(&self.frame);
            if let Some((_, value)) = last.as_ref().filter(|(of, _)| *of == frame) {
                return results.push(value);
            }
            self.queue.go_to(chunk, args, &frame)?;
            let value = self.queue.fold().result(&self.queue.state()?)?;
            results.push(&last.insert((frame, value)).1)
        })?;
        self.queue.end_chunk(args);
        Ok(results.finish())
    }
}

/// COUNT and COUNT_BIG
struct Count {
    result: SqlType,
}

impl Fold for Count {
    type State = i64;
    type Column = Option<ArrayRef>;

    fn empty(&self) -> i64 {
        0
    }

    fn column(&self, block: &Block) -> SqlResult<Option<ArrayRef>> {
        Ok(block.columns.first().cloned())
    }

    fn add(&self, state: &mut i64, column: &Option<ArrayRef>, at: usize) -> SqlResult<()> {
        *state += i64::from(column.as_ref().is_none_or(|column| column.is_valid(at)));
        Ok(())
    }

    fn merge(&self, state: &mut i64, later: &i64) -> SqlResult<()> {
        *state += later;
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
enum Units {
    TinyInt(PrimitiveArray<UInt8Type>),
    SmallInt(PrimitiveArray<Int16Type>),
    Int(PrimitiveArray<Int32Type>),
    Long(PrimitiveArray<Int64Type>),
    Decimal(PrimitiveArray<Decimal128Type>),
}

impl Units {
    fn get(&self, at: usize) -> Option<i128> {
        match self {
            Units::TinyInt(array) => array.is_valid(at).then(|| array.value(at).into()),
            Units::SmallInt(array) => array.is_valid(at).then(|| array.value(at).into()),
            Units::Int(array) => array.is_valid(at).then(|| array.value(at).into()),
            Units::Long(array) => array.is_valid(at).then(|| array.value(at).into()),
            Units::Decimal(array) => array.is_valid(at).then(|| array.value(at)),
        }
    }
}

impl Fold for Exact {
    type State = (i128, u64);
    type Column = Units;

    fn empty(&self) -> (i128, u64) {
        (0, 0)
    }

    fn column(&self, block: &Block) -> SqlResult<Units> {
        Ok(match block.columns[0].data_type() {
            DataType::UInt8 => Units::TinyInt(block.columns[0].as_primitive().clone()),
            DataType::Int16 => Units::SmallInt(block.columns[0].as_primitive().clone()),
            DataType::Int32 => Units::Int(block.columns[0].as_primitive().clone()),
            DataType::Int64 => Units::Long(block.columns[0].as_primitive().clone()),
            DataType::Decimal128(..) => Units::Decimal(block.columns[0].as_primitive().clone()),
            other => return Err(failure::internal(&format!("an exact sum of {other}"))),
        })
    }

    fn add(&self, state: &mut (i128, u64), column: &Units, at: usize) -> SqlResult<()> {
        if let Some(value) = column.get(at) {
            *state = (self.exact.sum(state.0, value)?, state.1 + 1);
        }
        Ok(())
    }

    fn merge(&self, state: &mut (i128, u64), later: &(i128, u64)) -> SqlResult<()> {
        *state = (self.exact.sum(state.0, later.0)?, state.1 + later.1);
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
enum Floats {
    Real(PrimitiveArray<Float32Type>),
    Float(PrimitiveArray<Float64Type>),
}

impl Fold for Moments {
    type State = Spread;
    type Column = Floats;

    fn empty(&self) -> Spread {
        Spread::default()
    }

    fn column(&self, block: &Block) -> SqlResult<Floats> {
        Ok(match block.columns[0].data_type() {
            DataType::Float32 => Floats::Real(block.columns[0].as_primitive().clone()),
            DataType::Float64 => Floats::Float(block.columns[0].as_primitive().clone()),
            other => return Err(failure::internal(&format!("a float aggregate of {other}"))),
        })
    }

    fn add(&self, state: &mut Spread, column: &Floats, at: usize) -> SqlResult<()> {
        let value = match column {
            Floats::Real(array) => array.is_valid(at).then(|| f64::from(array.value(at))),
            Floats::Float(array) => array.is_valid(at).then(|| array.value(at)),
        };
        if let Some(value) = value {
            state.add(value);
        }
        Ok(())
    }

    fn merge(&self, state: &mut Spread, later: &Spread) -> SqlResult<()> {
        state.merge(*later);
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
    type Column = PrimitiveArray<Int32Type>;

    fn empty(&self) -> Option<i32> {
        None
    }

    fn column(&self, block: &Block) -> SqlResult<PrimitiveArray<Int32Type>> {
        Ok(block.columns[0].as_primitive().clone())
    }

    fn add(&self, state: &mut Option<i32>, column: &PrimitiveArray<Int32Type>, at: usize) -> SqlResult<()> {
        self.merge(state, &column.is_valid(at).then(|| column.value(at)))
    }

    fn merge(&self, state: &mut Option<i32>, later: &Option<i32>) -> SqlResult<()> {
        if let Some(later) = later {
            *state = Some(state.unwrap_or(0) ^ later);
        }
        Ok(())
    }
}

impl Outcome for Checksum {
    fn result(&self, state: &Option<i32>) -> SqlResult<Value> {
        Ok(state.map_or(Value::Null, Value::Int))
    }
}

/// PRODUCT
struct Products {
    result: SqlType,
}

impl Fold for Products {
    type State = Product;
    type Column = ArrayRef;

    fn empty(&self) -> Product {
        Product::default()
    }

    fn column(&self, block: &Block) -> SqlResult<ArrayRef> {
        Ok(block.columns[0].clone())
    }

    fn add(&self, state: &mut Product, column: &ArrayRef, at: usize) -> SqlResult<()> {
        if column.is_valid(at) {
            state.by(&ColumnReader::new(column, &self.result)?.value(at), &self.result);
        }
        Ok(())
    }

    fn merge(&self, state: &mut Product, later: &Product) -> SqlResult<()> {
        state.merge(later, &self.result);
        Ok(())
    }
}

impl Outcome for Products {
    fn result(&self, state: &Product) -> SqlResult<Value> {
        state.result(&self.result)
    }
}
