//! The operator of APPLY: for every row of its input the rows of an inner plan that reads it.

use std::fmt;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::DFSchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::expression::convert::{ColumnBuilder, ColumnReader};
use crate::operator::batch::one_partition;
use crate::operator::flow::{only, operator};
use crate::run::cell::{OuterRow, RunCell};
use crate::run::failure;
use millpond_showplan::{Operator, Scope};

/// A plan that reads the outer row of its cell.
pub(crate) trait InnerPlan: Send + Sync {
    /// Runs the plan for the present outer row.
    fn run(&self, context: &RunContext, on_row: &mut dyn FnMut(&[Value]) -> ControlFlow<()>) -> SqlResult<()>;
    /// What runs; `outer` are the names of the outer row's values.
    fn show(&self, scope: &Scope, outer: &[String]) -> Operator;
}

/// The inner side of an APPLY.
pub(crate) struct Inner {
    pub(crate) plan: Box<dyn InnerPlan>,
    pub(crate) row: Arc<OuterRow>,
    /// Positions in the left batch, and types, of what the plan reads.
    pub(crate) wanted: Vec<(usize, SqlType)>,
    pub(crate) types: Vec<SqlType>,
    /// OUTER APPLY: a left row without right ones stays, with NULLs.
    pub(crate) keeps_left: bool,
    pub(crate) cell: Arc<RunCell>,
    pub(crate) schema: DFSchemaRef,
}

impl Inner {
    /// Columns of the left input, then those of the right one.
    pub(crate) fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }
}

/// Runs the inner plan for every row of its input.
pub(crate) struct ApplyExec {
    input: Arc<dyn ExecutionPlan>,
    pub(crate) inner: Arc<Inner>,
    properties: Arc<PlanProperties>,
}

impl ApplyExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, inner: Arc<Inner>) -> ApplyExec {
        let schema: SchemaRef = Arc::new(inner.schema.as_arrow().clone());
        ApplyExec { properties: one_partition(schema), input, inner }
    }
}

operator!(
    ApplyExec, "ApplyExec", self,
    children: vec![&self.input],
    with: |apply, children| ApplyExec::new(only(children), Arc::clone(&apply.inner)),
    execute: |apply, partition, task| {
        let batch_rows = task.session_config().batch_size();
        let input = apply.input.execute(partition, task)?;
        let (inner, schema) = (Arc::clone(&apply.inner), apply.schema());
        Ok(Box::pin(ApplyStream { input, inner, schema, batch_rows, rest: None }))
    }
);

struct ApplyStream {
    input: SendableRecordBatchStream,
    inner: Arc<Inner>,
    schema: SchemaRef,
    /// Rows that are handed on at once.
    batch_rows: usize,
    /// What is still to be handed on of the rows found last.
    rest: Option<RecordBatch>,
}

impl ApplyStream {
    /// The next rows of what was found last.
    fn next_of(&mut self, found: RecordBatch) -> RecordBatch {
        let rows = found.num_rows();
        if rows <= self.batch_rows {
            return found;
        }
        self.rest = Some(found.slice(self.batch_rows, rows - self.batch_rows));
        found.slice(0, self.batch_rows)
    }
}

impl Stream for ApplyStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        if let Some(rest) = stream.rest.take() {
            return Poll::Ready(Some(Ok(stream.next_of(rest))));
        }
        let batch = match ready!(stream.input.poll_next_unpin(cx)) {
            Some(Ok(batch)) => stream.inner.answer(&batch, &stream.schema).map_err(failure::from_sql),
            Some(Err(error)) => Err(error),
            None => return Poll::Ready(None),
        };
        Poll::Ready(Some(batch.map(|found| stream.next_of(found))))
    }
}

impl RecordBatchStream for ApplyStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Inner {
    fn answer(&self, left: &RecordBatch, schema: &Schema) -> SqlResult<RecordBatch> {
        let context = self.cell.context()?;
        let readers = self
            .wanted
            .iter()
            .map(|(column, sql)| ColumnReader::new(left.column(*column), sql))
            .collect::<SqlResult<Vec<_>>>()?;
        let mut builders: Vec<ColumnBuilder> =
            self.types.iter().map(|sql| ColumnBuilder::new(sql, left.num_rows())).collect();
        let mut from_left: Vec<u32> = Vec::with_capacity(left.num_rows());
        let mut row: Vec<Value> = Vec::with_capacity(readers.len());
        for index in 0..left.num_rows() {
            self.cell.check_cancelled()?;
            row.clear();
            row.extend(readers.iter().map(|reader| reader.value(index)));
            self.row.set(&row);
            let before = from_left.len();
            let mut failed = None;
            let place = u32::try_from(index).map_err(|_| failure::internal("a batch of too many rows"))?;
            self.plan.run(&context, &mut |values| {
                from_left.push(place);
                let pushed = builders.iter_mut().zip(values).try_for_each(|(builder, value)| builder.push(value));
                failed = pushed.err();
                if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if let Some(error) = failed {
                return Err(error);
            }
            if self.keeps_left && from_left.len() == before {
                from_left.push(place);
                builders.iter_mut().try_for_each(|builder| builder.push(&Value::Null))?;
            }
        }
        let places = UInt32Array::from(from_left);
        let one = |column: &ArrayRef| take(column, &places, None).map_err(|error| failure::to_sql(error.into()));
        let mut columns = left.columns().iter().map(one).collect::<SqlResult<Vec<ArrayRef>>>()?;
        columns.extend(builders.iter_mut().map(ColumnBuilder::finish));
        let options = RecordBatchOptions::new().with_row_count(Some(places.len()));
        RecordBatch::try_new_with_options(Arc::new(schema.clone()), columns, &options)
            .map_err(|error| failure::internal(&error.to_string()))
    }
}
