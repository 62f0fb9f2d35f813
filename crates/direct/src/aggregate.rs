//! Grouping and the aggregates of few rows: COUNT, SUM, AVG of whole numbers, MIN, MAX, each also DISTINCT.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use millpond_builtin::eval::{Rows, eval, null_or};
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{Aggregate, AggregateFunction};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{CastRules, Decimal, KeyOrder, SqlType, Value, append_key, cast, compare};

/// Groups with their aggregates; without groups one row always.
pub(crate) struct Aggregation {
    pub groups: Vec<BoundExpr>,
    pub aggregates: Vec<Aggregate>,
}

impl Aggregation {
    /// Whether all aggregates are understood here.
    pub fn is_simple(aggregates: &[Aggregate]) -> bool {
        use AggregateFunction as F;
        aggregates.iter().all(|aggregate| match aggregate.function {
            F::Count | F::CountBig | F::Min | F::Max => true,
            F::Sum => aggregate.ty.sql.is_exact_numeric(),
            F::Avg => aggregate.ty.sql.is_integer(),
            F::StDev | F::StDevP | F::Var | F::VarP => false,
            F::StringAgg | F::ApproxCountDistinct | F::ChecksumAgg | F::Product => false,
        })
    }
}

/// Groups while rows come.
pub(crate) struct Groups<'a> {
    aggregation: &'a Aggregation,
    groups: BTreeMap<Vec<u8>, (Vec<Value>, Vec<AggregateState>)>,
}

/// One aggregate of one group.
#[derive(Default)]
struct AggregateState {
    count: i64,
    /// MIN and MAX.
    value: Value,
    /// SUM and AVG, in units of the argument's scale: sums on the way may pass the result's range.
    sum: i128,
    seen: HashSet<Vec<u8>>,
}

impl<'a> Groups<'a> {
    pub fn new(aggregation: &'a Aggregation) -> Groups<'a> {
        let mut groups = BTreeMap::new();
        if aggregation.groups.is_empty() {
            groups.insert(Vec::new(), (Vec::new(), states(aggregation)));
        }
        Groups { aggregation, groups }
    }

    pub fn add(&mut self, ctx: &RunContext, row: &[Value]) -> SqlResult<()> {
        let mut key = Vec::new();
        let mut values = Vec::with_capacity(self.aggregation.groups.len());
        for group in &self.aggregation.groups {
            let value = eval(group, ctx, Rows::of(row))?;
            append_key(&value, group.ty.collation, KeyOrder::Ascending, &mut key);
            values.push(value);
        }
        let (_, states) = self.groups.entry(key).or_insert_with(|| (values, states(self.aggregation)));
        for (aggregate, state) in self.aggregation.aggregates.iter().zip(states) {
            let value = match &aggregate.arg {
                None => Value::Bit(true),
                Some(arg) => eval(arg, ctx, Rows::of(row))?,
            };
            state.add(aggregate, value)?;
        }
        Ok(())
    }

    pub fn finish(self, ctx: &RunContext) -> SqlResult<Vec<Vec<Value>>> {
        let aggregates = &self.aggregation.aggregates;
        let rows = self.groups.into_values().map(|(mut row, states)| {
            for (aggregate, state) in aggregates.iter().zip(states) {
                row.push(state.result(aggregate).or_else(|error| null_or(ctx, error))?);
            }
            Ok(row)
        });
        rows.collect()
    }
}

fn states(aggregation: &Aggregation) -> Vec<AggregateState> {
    aggregation.aggregates.iter().map(|_| AggregateState::default()).collect()
}

impl AggregateState {
    fn add(&mut self, aggregate: &Aggregate, value: Value) -> SqlResult<()> {
        if value.is_null() {
            return Ok(());
        }
        let arg = aggregate.arg.as_ref().map(|arg| arg.ty);
        if aggregate.distinct
            && let Some(ty) = arg
        {
            let mut key = Vec::new();
            append_key(&value, ty.collation, KeyOrder::Ascending, &mut key);
            if !self.seen.insert(key) {
                return Ok(());
            }
        }
        self.count += 1;
        use AggregateFunction as F;
        match aggregate.function {
            F::Min | F::Max => {
                let wanted = if aggregate.function == F::Min { Ordering::Less } else { Ordering::Greater };
                let collation = arg.map(|ty| ty.collation).unwrap_or_default();
                if self.value.is_null() || compare::compare(&value, &self.value, collation) == wanted {
                    self.value = value;
                }
            }
            F::Sum | F::Avg => {
                self.sum = self.sum.checked_add(units(&value)).ok_or_else(|| overflow(aggregate))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn result(self, aggregate: &Aggregate) -> SqlResult<Value> {
        use AggregateFunction as F;
        Ok(match aggregate.function {
            F::Count => {
                let count = Value::BigInt(self.count);
                cast::cast(&count, &SqlType::BigInt, &SqlType::Int, None, CastRules::DEFAULT)
                    .map_err(message::of_eval)?
            }
            F::CountBig => Value::BigInt(self.count),
            F::Sum | F::Avg if self.count == 0 => Value::Null,
            F::Avg => {
                // The sum must fit too.
                of_units(self.sum, aggregate)?;
                of_units(self.sum / i128::from(self.count), aggregate)?
            }
            F::Sum => of_units(self.sum, aggregate)?,
            _ => self.value,
        })
    }
}

/// An exact number in units of its scale.
fn units(value: &Value) -> i128 {
    match value {
        Value::Decimal(decimal) => decimal.unscaled,
        Value::Money(units) => i128::from(*units),
        whole => i128::from(whole.as_i64().unwrap_or_default()),
    }
}

/// A sum as the aggregate's result.
fn of_units(units: i128, aggregate: &Aggregate) -> SqlResult<Value> {
    let result = aggregate.ty.sql;
    match aggregate.arg.as_ref().map(|arg| arg.ty.sql) {
        Some(SqlType::Decimal { scale, .. }) => {
            let decimal = Decimal::new(units, scale).ok_or_else(|| overflow(aggregate))?;
            let from = SqlType::decimal(38, scale);
            cast::cast(&Value::Decimal(decimal), &from, &result, None, CastRules::DEFAULT).map_err(message::of_eval)
        }
        Some(sql) if sql.is_money() => i64::try_from(units).map(Value::Money).map_err(|_| overflow(aggregate)),
        _ => {
            let whole = i64::try_from(units).map_err(|_| overflow(aggregate))?;
            cast::cast(&Value::BigInt(whole), &SqlType::BigInt, &result, None, CastRules::DEFAULT)
                .map_err(message::of_eval)
        }
    }
}

fn overflow(aggregate: &Aggregate) -> SqlError {
    SqlError::of(8115, 2, &[&"expression", &aggregate.ty.sql.message_name()])
}
