//! What is grouped by what, and how states of groups lie in batches: keys first, then the states of each aggregate.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::error::Result;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, PhysicalExprRef};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode, AggregateOutputMode};

/// An aggregate function of a plan.
pub(super) struct Call {
    pub(super) function: Arc<AggregateFunctionExpr>,
    /// Over the input's rows, if those are no states.
    args: Vec<PhysicalExprRef>,
    /// Where its states lie in a batch of states.
    states: Range<usize>,
}

pub(super) struct Shape {
    /// The keys, over the input's rows.
    keys: Vec<PhysicalExprRef>,
    pub(super) key_schema: SchemaRef,
    pub(super) calls: Vec<Call>,
    /// Keys and states.
    pub(super) state_schema: SchemaRef,
    pub(super) result_schema: SchemaRef,
    /// Whether the input's rows are states already.
    pub(super) takes_states: bool,
    /// Whether states are the result.
    pub(super) gives_states: bool,
}

impl Shape {
    pub(super) fn of(aggregate: &AggregateExec) -> Result<Shape> {
        let input = aggregate.input().schema();
        let keys = aggregate.group_expr().input_exprs();
        let key_schema = aggregate.group_expr().group_schema(&input)?;
        let mut fields: Vec<Arc<Field>> = key_schema.fields().iter().cloned().collect();
        let mut calls = Vec::new();
        for function in aggregate.aggr_expr() {
            let from = fields.len();
            fields.extend(function.state_fields()?);
            let (function, args) = (Arc::clone(function), function.expressions());
            calls.push(Call { function, args, states: from..fields.len() });
        }
        Ok(Shape {
            keys,
            key_schema,
            calls,
            state_schema: Arc::new(Schema::new(fields)),
            result_schema: aggregate.schema(),
            takes_states: aggregate.mode().input_mode() == AggregateInputMode::Partial,
            gives_states: aggregate.mode().output_mode() == AggregateOutputMode::Partial,
        })
    }

    /// The keys of the input's rows.
    pub(super) fn keys_of(&self, rows: &RecordBatch) -> Result<Vec<ArrayRef>> {
        evaluate(&self.keys, rows)
    }

    /// The keys of a batch of states.
    pub(super) fn keys_of_states<'a>(&self, states: &'a RecordBatch) -> &'a [ArrayRef] {
        &states.columns()[..self.key_schema.fields().len()]
    }

    /// The keys of a batch of states, as expressions.
    pub(super) fn state_keys(&self) -> Vec<PhysicalExprRef> {
        let column = |(index, field): (usize, &Arc<Field>)| -> Arc<dyn PhysicalExpr> {
            Arc::new(Column::new(field.name(), index))
        };
        self.key_schema.fields().iter().enumerate().map(column).collect()
    }
}

impl Call {
    /// Its arguments for the input's rows.
    pub(super) fn args_of(&self, rows: &RecordBatch) -> Result<Vec<ArrayRef>> {
        evaluate(&self.args, rows)
    }

    /// Its columns of a batch of states.
    pub(super) fn states_of<'a>(&self, states: &'a RecordBatch) -> &'a [ArrayRef] {
        &states.columns()[self.states.clone()]
    }
}

fn evaluate(exprs: &[PhysicalExprRef], rows: &RecordBatch) -> Result<Vec<ArrayRef>> {
    exprs.iter().map(|expr| expr.evaluate(rows)?.into_array(rows.num_rows())).collect()
}
