//! A hash table of groups.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion::physical_plan::aggregates::order::GroupOrdering;

use super::shape::Shape;
use crate::hash_partition::batch_of;

pub(super) struct Table {
    keys: Box<dyn GroupValues>,
    accumulators: Vec<Box<dyn GroupsAccumulator>>,
    /// The group of each row of a batch; kept for its room.
    places: Vec<usize>,
    /// Rows added since the table was empty.
    rows: usize,
}

impl Table {
    pub(super) fn new(shape: &Shape) -> Result<Table> {
        let keys = new_group_values(Arc::clone(&shape.key_schema), &GroupOrdering::None)?;
        let accumulators = shape.calls.iter().map(|call| call.function.create_groups_accumulator());
        Ok(Table { keys, accumulators: accumulators.collect::<Result<_>>()?, places: Vec::new(), rows: 0 })
    }

    /// Adds rows of the input.
    pub(super) fn add_rows(&mut self, shape: &Shape, rows: &RecordBatch) -> Result<()> {
        if shape.takes_states {
            return self.add_states(shape, rows);
        }
        let groups = self.place(&shape.keys_of(rows)?, rows.num_rows())?;
        for (call, accumulator) in shape.calls.iter().zip(&mut self.accumulators) {
            accumulator.update_batch(&call.args_of(rows)?, &self.places, None, groups)?;
        }
        Ok(())
    }

    /// Adds states.
    pub(super) fn add_states(&mut self, shape: &Shape, states: &RecordBatch) -> Result<()> {
        let groups = self.place(shape.keys_of_states(states), states.num_rows())?;
        for (call, accumulator) in shape.calls.iter().zip(&mut self.accumulators) {
            accumulator.merge_batch(call.states_of(states), &self.places, groups)?;
        }
        Ok(())
    }

    fn place(&mut self, keys: &[ArrayRef], rows: usize) -> Result<usize> {
        self.keys.intern(keys, &mut self.places)?;
        self.rows += rows;
        Ok(self.keys.len())
    }

    /// The states of all groups, which go.
    pub(super) fn take_states(&mut self, shape: &Shape) -> Result<RecordBatch> {
        let mut columns = self.take_keys()?;
        for accumulator in &mut self.accumulators {
            columns.extend(accumulator.state(EmitTo::All)?);
        }
        batch(&shape.state_schema, columns)
    }

    /// The results of all groups, which go.
    pub(super) fn take_results(&mut self, shape: &Shape) -> Result<RecordBatch> {
        if shape.gives_states {
            return self.take_states(shape);
        }
        let mut columns = self.take_keys()?;
        for accumulator in &mut self.accumulators {
            columns.push(accumulator.evaluate(EmitTo::All)?);
        }
        batch(&shape.result_schema, columns)
    }

    /// Giving all keys out does not make every kind of `GroupValues` forget where they were: that is a call of its own.
    fn take_keys(&mut self) -> Result<Vec<ArrayRef>> {
        self.rows = 0;
        let groups = self.keys.len();
        let keys = self.keys.emit(EmitTo::All)?;
        self.keys.clear_shrink(groups);
        Ok(keys)
    }

    /// The input's rows as states, each a group of its own.
    pub(super) fn states_of_rows(&self, shape: &Shape, rows: &RecordBatch) -> Result<RecordBatch> {
        if shape.takes_states {
            return Ok(rows.clone());
        }
        let mut columns = shape.keys_of(rows)?;
        for (call, accumulator) in shape.calls.iter().zip(&self.accumulators) {
            columns.extend(accumulator.convert_to_state(&call.args_of(rows)?, None)?);
        }
        batch(&shape.state_schema, columns)
    }

    pub(super) fn groups(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn bytes(&self) -> usize {
        let states: usize = self.accumulators.iter().map(|accumulator| accumulator.size()).sum();
        self.keys.size() + states + size_of_val(self.places.as_slice())
    }
}

fn batch(schema: &SchemaRef, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    let rows = columns.first().map_or(0, |column| column.len());
    batch_of(schema, columns, rows)
}
