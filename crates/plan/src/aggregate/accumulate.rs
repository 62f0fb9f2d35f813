//! Accumulators of sums, means and variances.
//!
//! One accumulator serves all groups of an aggregate: group `i`'s state is element `i` of its vectors. A single group
//! (no GROUP BY) is group 0 of the same accumulator. DISTINCT stands before: it lets each value of a group pass once.

use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, Decimal128Array, Float64Array, Int64Array,
    PrimitiveArray, UInt64Array,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Field, FieldRef, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt64Type,
};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};
use millpond_message::error::SqlResult;
use millpond_types::decimal::{Decimal, Shape};
use millpond_types::{SqlType, Value};

use crate::expression::convert::ColumnBuilder;
use crate::expression::{arithmetic, convert};
use crate::run::cell::RunCell;
use crate::run::failure;

/// SUM or AVG of integers, decimals and money. `soft`: a result that its type cannot hold is NULL, and noted.
pub(crate) fn exact(
    mean: bool,
    of: SqlType,
    result: SqlType,
    distinct: bool,
    soft: Option<Arc<RunCell>>,
) -> Arc<AggregateUDF> {
    let name = match (mean, distinct) {
        (true, false) => "AVG",
        (true, true) => "AVG DISTINCT",
        (false, false) => "SUM",
        (false, true) => "SUM DISTINCT",
    };
    aggregate(name, result, distinct, move || {
        let exact = ExactOf { mean, of, result, null_on_error: soft.is_some() };
        Box::new(Exact { exact, cell: soft.clone(), sums: Vec::new(), counts: Vec::new() })
    })
}

/// What is made of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Sum,
    Mean,
    Var,
    VarP,
    StDev,
    StDevP,
}

/// SUM, AVG, VAR … of floats.
pub(crate) fn moments(moment: Moment, result: SqlType, distinct: bool) -> Arc<AggregateUDF> {
    let name = match (moment, distinct) {
        (Moment::Sum, false) => "SUM",
        (Moment::Sum, true) => "SUM DISTINCT",
        (Moment::Mean, false) => "AVG",
        (Moment::Mean, true) => "AVG DISTINCT",
        (Moment::Var, _) => "VAR",
        (Moment::VarP, _) => "VARP",
        (Moment::StDev, _) => "STDEV",
        (Moment::StDevP, _) => "STDEVP",
    };
    aggregate(name, result, distinct, move || Box::new(Moments { moment, result, groups: Vec::new() }))
}

/// Makes accumulators.
type Make = dyn Fn() -> Box<dyn GroupState> + Send + Sync;

/// The state of all groups of an aggregate.
pub(crate) trait GroupState: Send + Sync {
    /// Makes the states of groups up to `count`.
    fn resize(&mut self, count: usize);
    /// Adds the rows that `group_of` gives a group to.
    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()>;
    /// The results of the first `count` groups, whose state goes.
    fn results(&mut self, count: usize) -> SqlResult<ArrayRef>;
    /// The state of the first `count` groups, which goes.
    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>>;
    /// Adds states: as rows, where a state is one column of what a row may be.
    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        self.update(&states[0], group_of)
    }
    /// Types of the state's columns.
    fn state_types(&self) -> Vec<DataType>;
    /// Groups that there are.
    fn count(&self) -> usize;
    /// Bytes held.
    fn bytes(&self) -> usize;
}

/// An aggregate function of ours.
pub(crate) fn aggregate(
    name: &'static str,
    result: SqlType,
    distinct: bool,
    make: impl Fn() -> Box<dyn GroupState> + Send + Sync + 'static,
) -> Arc<AggregateUDF> {
    let signature = Signature::any(1, Volatility::Immutable);
    Arc::new(AggregateUDF::from(Function { name, result, distinct, make: Arc::new(make), signature }))
}

struct Function {
    name: &'static str,
    result: SqlType,
    distinct: bool,
    make: Arc<Make>,
    signature: Signature,
}

impl AggregateUDFImpl for Function {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(convert::data_type(&self.result))
    }

    fn accumulator(&self, _args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let mut state = (self.make)();
        state.resize(1);
        let seen = self.distinct.then(HashSet::new);
        Ok(Box::new(OneGroup { state, seen }))
    }

    fn groups_accumulator_supported(&self, _args: AccumulatorArgs) -> bool {
        !self.distinct
    }

    fn create_groups_accumulator(&self, _args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(ManyGroups { state: (self.make)(), make: Arc::clone(&self.make) }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let types = (self.make)().state_types();
        let field = |(index, data_type)| Arc::new(Field::new(format!("{}[{index}]", args.name), data_type, true));
        Ok(types.into_iter().enumerate().map(field).collect())
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

// What it makes cannot be compared, so a function equals itself alone.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self).hash(state);
    }
}

/// [`GroupState`] as DataFusion's accumulator of many groups.
struct ManyGroups {
    state: Box<dyn GroupState>,
    make: Arc<Make>,
}

impl ManyGroups {
    fn emitted(&self, emit_to: EmitTo) -> usize {
        match emit_to {
            EmitTo::All => self.state.count(),
            EmitTo::First(count) => count,
        }
    }
}

impl GroupsAccumulator for ManyGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.state.resize(total_num_groups);
        let passes = |row: usize| filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
        self.state.update(&values[0], &|row| passes(row).then(|| group_indices[row])).map_err(failure::from_sql)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let count = self.emitted(emit_to);
        self.state.results(count).map_err(failure::from_sql)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let count = self.emitted(emit_to);
        self.state.state(count).map_err(failure::from_sql)
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.state.resize(total_num_groups);
        self.state.merge(values, &|row| Some(group_indices[row])).map_err(failure::from_sql)
    }

    /// Each row as a group of its own: what half of a parallel aggregate hands on when its groups are nearly as many as
    /// its rows.
    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let rows = values[0].len();
        let mut state = (self.make)();
        state.resize(rows);
        let passes = |row: usize| filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
        let updated = state.update(&values[0], &|row| passes(row).then_some(row));
        updated.and_then(|()| state.state(rows)).map_err(failure::from_sql)
    }

    fn size(&self) -> usize {
        self.state.bytes()
    }
}

/// [`GroupState`] as DataFusion's accumulator of one group, perhaps of distinct values.
struct OneGroup {
    state: Box<dyn GroupState>,
    seen: Option<HashSet<ScalarValue>>,
}

impl fmt::Debug for OneGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneGroup")
    }
}

impl Accumulator for OneGroup {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = &values[0];
        let Some(seen) = &mut self.seen else {
            return self.state.update(values, &|_| Some(0)).map_err(failure::from_sql);
        };
        let mut new = Vec::with_capacity(values.len());
        for row in 0..values.len() {
            new.push(values.is_valid(row) && seen.insert(ScalarValue::try_from_array(values, row)?));
        }
        self.state.update(values, &|row| new[row].then_some(0)).map_err(failure::from_sql)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let results = self.state.results(1).map_err(failure::from_sql)?;
        self.state.resize(1);
        ScalarValue::try_from_array(&results, 0)
    }

    fn size(&self) -> usize {
        let seen = self.seen.as_ref().map_or(0, |seen| seen.capacity() * size_of::<ScalarValue>());
        self.state.bytes() + seen
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        if self.seen.is_some() {
            return Err(failure::from_sql(failure::internal("a distinct aggregate has no partial state")));
        }
        let columns = self.state.state(1).map_err(failure::from_sql)?;
        self.state.resize(1);
        columns.iter().map(|column| ScalarValue::try_from_array(column, 0)).collect()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.state.merge(states, &|_| Some(0)).map_err(failure::from_sql)
    }
}

/// The first `count` elements, which go.
pub(crate) fn take<T>(items: &mut Vec<T>, count: usize) -> Vec<T> {
    let rest = items.split_off(count.min(items.len()));
    std::mem::replace(items, rest)
}

/// SUM or AVG of exact numbers: what becomes of a sum in units of the argument's scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactOf {
    pub(crate) mean: bool,
    pub(crate) of: SqlType,
    pub(crate) result: SqlType,
    /// A result that its type cannot hold is NULL.
    pub(crate) null_on_error: bool,
}

/// Sums of exact numbers, in units of the argument's scale.
struct Exact {
    exact: ExactOf,
    /// Where results that are NULL for an overflow are noted.
    cell: Option<Arc<RunCell>>,
    sums: Vec<i128>,
    counts: Vec<u64>,
}

impl Exact {
    /// The results of groups.
    fn made(&self, sums: Vec<i128>, counts: &[u64]) -> SqlResult<ArrayRef> {
        match self.exact.result {
            SqlType::Int => return self.exact.integers::<Int32Type>(&sums, counts),
            SqlType::BigInt => return self.exact.integers::<Int64Type>(&sums, counts),
            _ => {}
        }
        let mut results = ColumnBuilder::new(&self.exact.result, sums.len());
        for (sum, count) in sums.into_iter().zip(counts.iter().copied()) {
            let result = match self.exact.result_of(sum, count) {
                Err(_) if self.exact.null_on_error => Value::Null,
                result => result?,
            };
            results.push(&result)?;
        }
        Ok(results.finish())
    }

    /// Adds the sum of so many values.
    fn add(&mut self, group: usize, sum: i128, count: u64) -> SqlResult<()> {
        self.sums[group] = self.exact.sum(self.sums[group], sum)?;
        self.counts[group] += count;
        Ok(())
    }

    fn add_all<T>(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()>
    where
        T: ArrowPrimitiveType,
        T::Native: Into<i128>,
    {
        let values = values.as_primitive::<T>();
        for row in 0..values.len() {
            if values.is_valid(row)
                && let Some(group) = group_of(row)
            {
                self.add(group, values.value(row).into(), 1)?;
            }
        }
        Ok(())
    }
}

impl ExactOf {
    /// The sum of two sums.
    pub(crate) fn sum(&self, left: i128, right: i128) -> SqlResult<i128> {
        left.checked_add(right).ok_or_else(|| arithmetic::overflow(&self.result))
    }

    /// The results of groups where those are native integers.
    fn integers<T>(&self, sums: &[i128], counts: &[u64]) -> SqlResult<ArrayRef>
    where
        T: ArrowPrimitiveType,
        T::Native: TryFrom<i128>,
    {
        let result = |(sum, count): (&i128, &u64)| match count {
            0 => Ok(None),
            count => {
                // The sum of a mean must fit too.
                let mean = if self.mean { sum / i128::from(*count) } else { *sum };
                match (T::Native::try_from(*sum), T::Native::try_from(mean)) {
                    (Ok(_), Ok(result)) => Ok(Some(result)),
                    _ if self.null_on_error => Ok(None),
                    _ => Err(arithmetic::overflow(&self.result)),
                }
            }
        };
        let results = sums.iter().zip(counts).map(result).collect::<SqlResult<PrimitiveArray<T>>>()?;
        Ok(Arc::new(results))
    }

    /// The result of `count` values that are not NULL.
    pub(crate) fn result_of(&self, sum: i128, count: u64) -> SqlResult<Value> {
        if count == 0 {
            return Ok(Value::Null);
        }
        if let SqlType::Decimal { precision, scale, .. } = self.result {
            return self.decimal_of(sum, count, Shape { precision, scale });
        }
        let total = self.whole(sum)?;
        // Integers and money divide as integers do, towards zero.
        if self.mean { self.whole(sum / i128::from(count)) } else { Ok(total) }
    }

    /// A number of the result's type, which is an integer or money.
    fn whole(&self, whole: i128) -> SqlResult<Value> {
        let overflow = || arithmetic::overflow(&self.result);
        Ok(match self.result {
            SqlType::TinyInt => Value::TinyInt(whole.try_into().map_err(|_| overflow())?),
            SqlType::SmallInt => Value::SmallInt(whole.try_into().map_err(|_| overflow())?),
            SqlType::Int => Value::Int(whole.try_into().map_err(|_| overflow())?),
            SqlType::BigInt => Value::BigInt(whole.try_into().map_err(|_| overflow())?),
            SqlType::SmallMoney | SqlType::Money => Value::Money(whole.try_into().map_err(|_| overflow())?),
            _ => return Err(failure::internal("an exact sum of another type")),
        })
    }

    fn decimal_of(&self, sum: i128, count: u64, shape: Shape) -> SqlResult<Value> {
        let scale = match self.of {
            SqlType::Decimal { scale, .. } => scale,
            _ => 0,
        };
        let sum = Decimal::new(sum, scale).ok_or_else(|| arithmetic::overflow(&self.result))?;
        let value = if self.mean {
            sum.checked_div(Decimal { unscaled: i128::from(count), scale: 0 }, shape)
        } else {
            sum.fit(shape)
        };
        value.map(Value::Decimal).map_err(|error| arithmetic::of_decimal(&error))
    }
}

impl GroupState for Exact {
    fn resize(&mut self, count: usize) {
        self.sums.resize(count.max(self.sums.len()), 0);
        self.counts.resize(count.max(self.counts.len()), 0);
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        match values.data_type() {
            DataType::UInt8 => self.add_all::<UInt8Type>(values, group_of),
            DataType::Int16 => self.add_all::<Int16Type>(values, group_of),
            DataType::Int32 => self.add_all::<Int32Type>(values, group_of),
            DataType::Int64 => self.add_all::<Int64Type>(values, group_of),
            DataType::Decimal128(..) => self.add_all::<Decimal128Type>(values, group_of),
            other => Err(failure::internal(&format!("an exact sum of {other}"))),
        }
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let (sums, counts) = (take(&mut self.sums, count), take(&mut self.counts, count));
        let filled = counts.iter().filter(|count| **count > 0).count();
        let results = self.made(sums, &counts)?;
        if let Some(cell) = &self.cell
            && results.len() - results.null_count() < filled
        {
            cell.context()?.notes.gave_null(arithmetic::overflow(&self.exact.result).number);
        }
        Ok(results)
    }

    /// Sums, NULL where there were no values; of means also how many values there were, which sums need not know.
    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        let (sums, counts) = (take(&mut self.sums, count), take(&mut self.counts, count));
        let has_values = NullBuffer::from_iter(counts.iter().map(|count| *count > 0));
        let nulls = Some(has_values).filter(|nulls| nulls.null_count() > 0);
        let mut states: Vec<ArrayRef> = vec![Arc::new(Decimal128Array::new(sums.into(), nulls))];
        if self.exact.mean {
            states.push(Arc::new(UInt64Array::from(counts)));
        }
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let sums = states[0].as_primitive::<Decimal128Type>();
        let counts = states.get(1).map(|counts| counts.as_primitive::<UInt64Type>());
        for row in 0..sums.len() {
            if sums.is_valid(row)
                && let Some(group) = group_of(row)
            {
                self.add(group, sums.value(row), counts.map_or(1, |counts| counts.value(row)))?;
            }
        }
        Ok(())
    }

    fn state_types(&self) -> Vec<DataType> {
        let sum = Decimal128Array::from(Vec::<i128>::new()).data_type().clone();
        if self.exact.mean { vec![sum, DataType::UInt64] } else { vec![sum] }
    }

    fn count(&self) -> usize {
        self.sums.len()
    }

    fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.counts.capacity() * size_of::<u64>()
    }
}

/// Count, mean and sum of squared distances from the mean (Welford), and the plain sum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    count: i64,
    sum: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    pub(crate) fn add(&mut self, x: f64) {
        self.count += 1;
        self.sum += x;
        let distance = x - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (x - self.mean);
    }

    pub(crate) fn merge(&mut self, other: Spread) {
        let count = self.count + other.count;
        if count == 0 {
            return;
        }
        let distance = other.mean - self.mean;
        self.squares += other.squares + distance * distance * self.count as f64 * other.count as f64 / count as f64;
        self.mean += distance * other.count as f64 / count as f64;
        self.sum += other.sum;
        self.count = count;
    }

    fn moment(&self, moment: Moment) -> Option<f64> {
        let count = self.count as f64;
        let (least, value) = match moment {
            Moment::Sum => (1, self.sum),
            Moment::Mean => (1, self.sum / count),
            Moment::Var => (2, self.squares / (count - 1.0)),
            Moment::VarP => (1, self.squares / count),
            Moment::StDev => (2, (self.squares / (count - 1.0)).sqrt()),
            Moment::StDevP => (1, (self.squares / count).sqrt()),
        };
        (self.count >= least).then_some(value)
    }
}

/// A moment of what has been seen, in the result's type; 8115 when it is out of range.
pub(crate) fn moment_of(spread: &Spread, moment: Moment, result: &SqlType) -> SqlResult<Value> {
    Ok(match spread.moment(moment) {
        None => Value::Null,
        Some(x) if !x.is_finite() => return Err(arithmetic::overflow(result)),
        Some(x) if *result == SqlType::Real => Value::Real(x as f32),
        Some(x) => Value::Float(x),
    })
}

struct Moments {
    moment: Moment,
    result: SqlType,
    groups: Vec<Spread>,
}

impl Moments {
    fn add_all<T>(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>)
    where
        T: ArrowPrimitiveType,
        T::Native: Into<f64>,
    {
        let values = values.as_primitive::<T>();
        for row in 0..values.len() {
            if values.is_valid(row)
                && let Some(group) = group_of(row)
            {
                self.groups[group].add(values.value(row).into());
            }
        }
    }
}

impl GroupState for Moments {
    fn resize(&mut self, count: usize) {
        self.groups.resize(count.max(self.groups.len()), Spread::default());
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        match values.data_type() {
            DataType::Float32 => self.add_all::<Float32Type>(values, group_of),
            DataType::Float64 => self.add_all::<Float64Type>(values, group_of),
            other => return Err(failure::internal(&format!("a float aggregate of {other}"))),
        }
        Ok(())
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let groups = take(&mut self.groups, count);
        let mut results = ColumnBuilder::new(&self.result, groups.len());
        for group in groups {
            results.push(&moment_of(&group, self.moment, &self.result)?)?;
        }
        Ok(results.finish())
    }

    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        let groups = take(&mut self.groups, count);
        let floats =
            |of: fn(&Spread) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(groups.iter().map(of))) };
        let counts = Int64Array::from_iter_values(groups.iter().map(|group| group.count));
        Ok(vec![Arc::new(counts), floats(|g| g.sum), floats(|g| g.mean), floats(|g| g.squares)])
    }

    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let counts = states[0].as_primitive::<Int64Type>();
        let floats = |column: usize, row: usize| states[column].as_primitive::<Float64Type>().value(row);
        for row in 0..counts.len() {
            if let Some(group) = group_of(row) {
                let (sum, mean, squares) = (floats(1, row), floats(2, row), floats(3, row));
                self.groups[group].merge(Spread { count: counts.value(row), sum, mean, squares });
            }
        }
        Ok(())
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![DataType::Int64, DataType::Float64, DataType::Float64, DataType::Float64]
    }

    fn count(&self) -> usize {
        self.groups.len()
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Spread>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of an aggregate over `values`, either straight or with each row as a state of its own.
    fn grouped(make: &Arc<Make>, values: &ArrayRef, groups: &[usize], by_states: bool) -> ArrayRef {
        let mut many = ManyGroups { state: make(), make: Arc::clone(make) };
        let values = std::slice::from_ref(values);
        let filter = BooleanArray::from((0..groups.len()).map(|row| row % 5 != 4).collect::<Vec<bool>>());
        if by_states {
            let states = many.convert_to_state(values, Some(&filter)).expect("states");
            many.merge_batch(&states, groups, 3).expect("merged");
        } else {
            many.update_batch(values, groups, Some(&filter), 3).expect("updated");
        }
        many.evaluate(EmitTo::All).expect("results")
    }

    #[test]
    fn rows_handed_on_as_states_make_the_same_groups() {
        let makes: [Arc<Make>; 3] = [
            Arc::new(|| {
                let of = ExactOf { mean: false, of: SqlType::BigInt, result: SqlType::BigInt, null_on_error: false };
                Box::new(Exact { exact: of, cell: None, sums: Vec::new(), counts: Vec::new() })
            }),
            Arc::new(|| {
                let of = ExactOf { mean: true, of: SqlType::BigInt, result: SqlType::BigInt, null_on_error: false };
                Box::new(Exact { exact: of, cell: None, sums: Vec::new(), counts: Vec::new() })
            }),
            Arc::new(|| Box::new(Moments { moment: Moment::Var, result: SqlType::Float, groups: Vec::new() })),
        ];
        let groups: Vec<usize> = (0..40).map(|row| row % 3).collect();
        for (index, make) in makes.iter().enumerate() {
            let values: ArrayRef = if index < 2 {
                Arc::new((0..40i64).map(|n| (n % 7 != 0).then_some(n * 3)).collect::<Int64Array>())
            } else {
                Arc::new((0..40).map(|n| (n % 7 != 0).then_some(f64::from(n) * 0.5)).collect::<Float64Array>())
            };
            let (straight, by_states) = (grouped(make, &values, &groups, false), grouped(make, &values, &groups, true));
            if index < 2 {
                assert_eq!(&straight, &by_states);
                continue;
            }
            let (straight, by_states) = (
                straight.as_primitive::<datafusion::arrow::datatypes::Float64Type>(),
                by_states.as_primitive::<datafusion::arrow::datatypes::Float64Type>(),
            );
            for (a, b) in straight.values().iter().zip(by_states.values()) {
                assert!((a - b).abs() <= a.abs() * 1e-12, "{a} {b}");
            }
        }
    }
}
