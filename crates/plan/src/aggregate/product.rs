//! PRODUCT: the values of a group multiplied.
//!
//! What always holds: a product that is zero stays so, whatever else there is, and one that its type cannot hold is an error
//! only at the end. So the order of rows decides no error; it decides the last digit of decimals, each product of which is rounded.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::AggregateUDF;
use millpond_message::error::SqlResult;
use millpond_types::arith::{ArithOp, arithmetic};
use millpond_types::{SqlType, Value};

use crate::aggregate::accumulate::{GroupState, aggregate, take};
use crate::expression::arithmetic::overflow;
use crate::expression::convert;
use crate::expression::convert::{ColumnBuilder, ColumnReader};
use crate::run::cell::RunCell;

/// The aggregate. `soft`: a result that its type cannot hold is NULL, and noted.
pub(crate) fn product(result: SqlType, distinct: bool, soft: Option<Arc<RunCell>>) -> Arc<AggregateUDF> {
    let name = if distinct { "PRODUCT DISTINCT" } else { "PRODUCT" };
    aggregate(name, result, distinct, move || Box::new(Products { result, cell: soft.clone(), held: Vec::new() }))
}

/// The product of some values of one type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Product {
    /// NULL where there was no value yet.
    value: Value,
    /// Whether the type cannot hold it.
    failed: bool,
}

impl Product {
    /// Multiplies by a value that is not NULL.
    pub(crate) fn by(&mut self, value: &Value, result: &SqlType) {
        if is_zero(&self.value) {
            return;
        }
        if self.value.is_null() || is_zero(value) {
            *self = Product { value: value.clone(), failed: false };
            return;
        }
        if !self.failed {
            match arithmetic(ArithOp::Mul, &self.value, value, result) {
                Ok(product) => self.value = product,
                Err(_) => self.failed = true,
            }
        }
    }

    /// Multiplies by the product of other values.
    pub(crate) fn merge(&mut self, other: &Product, result: &SqlType) {
        if other.value.is_null() {
            return;
        }
        self.by(&other.value, result);
        self.failed |= other.failed && !is_zero(&self.value);
    }

    pub(crate) fn result(&self, result: &SqlType) -> SqlResult<Value> {
        if self.failed { Err(overflow(result)) } else { Ok(self.value.clone()) }
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(value) => *value == 0,
        Value::BigInt(value) | Value::Money(value) => *value == 0,
        Value::Float(value) => *value == 0.0,
        Value::Decimal(value) => value.unscaled == 0,
        _ => false,
    }
}

struct Products {
    result: SqlType,
    /// Where results that are NULL for an overflow are noted.
    cell: Option<Arc<RunCell>>,
    held: Vec<Product>,
}

impl GroupState for Products {
    fn resize(&mut self, count: usize) {
        self.held.resize(count.max(self.held.len()), Product::default());
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let reader = ColumnReader::new(values, &self.result)?;
        for row in (0..values.len()).filter(|row| values.is_valid(*row)) {
            if let Some(group) = group_of(row) {
                self.held[group].by(&reader.value(row), &self.result);
            }
        }
        Ok(())
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let held = take(&mut self.held, count);
        let mut results = ColumnBuilder::new(&self.result, held.len());
        for product in &held {
            match (product.result(&self.result), &self.cell) {
                (Err(error), Some(cell)) => {
                    cell.context()?.notes.gave_null(error.number);
                    results.push(&Value::Null)?;
                }
                (result, _) => results.push(&result?)?,
            }
        }
        Ok(results.finish())
    }

    /// The products so far, and whether they are too large.
    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        let held = take(&mut self.held, count);
        let mut values = ColumnBuilder::new(&self.result, held.len());
        held.iter().try_for_each(|product| values.push(&product.value))?;
        let failed: BooleanArray = held.iter().map(|product| Some(product.failed)).collect();
        Ok(vec![values.finish(), Arc::new(failed)])
    }

    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let (reader, failed) = (ColumnReader::new(&states[0], &self.result)?, states[1].as_boolean());
        for row in (0..states[0].len()).filter(|row| states[0].is_valid(*row)) {
            if let Some(group) = group_of(row) {
                let state = Product { value: reader.value(row), failed: failed.value(row) };
                self.held[group].merge(&state, &self.result);
            }
        }
        Ok(())
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![convert::data_type(&self.result), DataType::Boolean]
    }

    fn count(&self) -> usize {
        self.held.len()
    }

    fn bytes(&self) -> usize {
        self.held.capacity() * size_of::<Product>()
    }
}
