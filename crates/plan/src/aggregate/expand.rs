//! Operators of grouping sets: each row once for each set, and the rows of an empty input's grand totals.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, new_null_array};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::{Stream, StreamExt};

use crate::operator::batch::{all_nullable, one_partition, partitioned, renamed};
use crate::operator::flow::{only, operator};
use crate::run::cell::RunCell;
use crate::run::failure;

/// Gives each row once for each grouping set: its columns, the groups with NULL where the set has them not, the set's
/// number.
pub(crate) struct ExpandExec {
    input: Arc<dyn ExecutionPlan>,
    pub(crate) groups: Vec<Arc<dyn PhysicalExpr>>,
    /// Numbers of the sets: see [`millpond_catalog::rel::Rel::Expand`].
    pub(crate) sets: Arc<[i64]>,
    cell: Arc<RunCell>,
    properties: Arc<PlanProperties>,
}

impl ExpandExec {
    /// `schema`: the input's columns, the groups, the number.
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        groups: Vec<Arc<dyn PhysicalExpr>>,
        sets: Arc<[i64]>,
        schema: SchemaRef,
        cell: Arc<RunCell>,
    ) -> ExpandExec {
        let partitions = input.output_partitioning().partition_count();
        ExpandExec { input, groups, sets, cell, properties: partitioned(schema, partitions) }
    }

    fn with_input(&self, input: Arc<dyn ExecutionPlan>) -> ExpandExec {
        let (sets, cell) = (Arc::clone(&self.sets), Arc::clone(&self.cell));
        ExpandExec::new(input, self.groups.clone(), sets, self.schema(), cell)
    }
}

operator!(
    ExpandExec, "ExpandExec", self,
    children: vec![&self.input],
    with: |expand, children| expand.with_input(only(children)),
    execute: |expand, partition, task| {
        let input = expand.input.execute(partition, task)?;
        let (groups, sets, cell) = (expand.groups.clone(), Arc::clone(&expand.sets), Arc::clone(&expand.cell));
        Ok(Box::pin(ExpandStream { input, groups, sets, cell, schema: expand.schema(), ready: VecDeque::new() }))
    }
);

struct ExpandStream {
    input: SendableRecordBatchStream,
    groups: Vec<Arc<dyn PhysicalExpr>>,
    sets: Arc<[i64]>,
    cell: Arc<RunCell>,
    schema: SchemaRef,
    ready: VecDeque<RecordBatch>,
}

impl ExpandStream {
    /// The batch once for each set.
    fn expand(&mut self, batch: &RecordBatch) -> Result<()> {
        self.cell.check_cancelled().map_err(failure::from_sql)?;
        let rows = batch.num_rows();
        let groups = self
            .groups
            .iter()
            .map(|group| group.evaluate(batch)?.into_array(rows))
            .collect::<Result<Vec<ArrayRef>>>()?;
        let nulls: Vec<ArrayRef> = groups.iter().map(|group| new_null_array(group.data_type(), rows)).collect();
        for &set in self.sets.iter() {
            let mut columns = batch.columns().to_vec();
            for (index, (group, null)) in groups.iter().zip(&nulls).enumerate() {
                columns.push(Arc::clone(if set >> index & 1 == 0 { group } else { null }));
            }
            columns.push(Arc::new(Int64Array::from_value(set, rows)));
            self.ready.push_back(RecordBatch::try_new(Arc::clone(&self.schema), columns)?);
        }
        Ok(())
    }
}

impl Stream for ExpandStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(batch)));
            }
            match ready!(self.input.poll_next_unpin(cx)) {
                Some(batch) => {
                    let batch = batch?;
                    self.expand(&batch)?;
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

impl RecordBatchStream for ExpandStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Passes rows on; an input without any is replaced by other rows.
pub(crate) struct OrElseExec {
    input: Arc<dyn ExecutionPlan>,
    /// Of one row after the other; they see no columns.
    cells: Vec<Arc<dyn PhysicalExpr>>,
    properties: Arc<PlanProperties>,
}

impl OrElseExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, cells: Vec<Arc<dyn PhysicalExpr>>) -> OrElseExec {
        OrElseExec { properties: one_partition(all_nullable(&input.schema())), input, cells }
    }
}

operator!(
    OrElseExec, "OrElseExec", self,
    children: vec![&self.input],
    with: |or_else, children| OrElseExec::new(only(children), or_else.cells.clone()),
    execute: |or_else, partition, task| {
        let input = Some(or_else.input.execute(partition, task)?);
        let mut rest: Vec<Vec<Arc<dyn PhysicalExpr>>> =
            or_else.cells.chunks(or_else.schema().fields().len().max(1)).map(<[_]>::to_vec).collect();
        rest.reverse();
        Ok(Box::pin(OrElseStream { input, rest, schema: or_else.schema() }))
    }
);

struct OrElseStream {
    /// None when it has ended without rows.
    input: Option<SendableRecordBatchStream>,
    /// Rows to give instead, the next one last; none when the input has given rows.
    rest: Vec<Vec<Arc<dyn PhysicalExpr>>>,
    schema: SchemaRef,
}

impl Stream for OrElseStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        while let Some(input) = &mut stream.input {
            match ready!(input.poll_next_unpin(cx)) {
                None => stream.input = None,
                Some(Ok(batch)) if batch.num_rows() == 0 => {}
                Some(batch) => {
                    stream.rest.clear();
                    return Poll::Ready(Some(
                        batch.and_then(|batch| renamed(&batch, &stream.schema).map_err(failure::from_sql)),
                    ));
                }
            }
        }
        Poll::Ready(stream.rest.pop().map(|cells| one_row(&cells, &stream.schema)))
    }
}

impl RecordBatchStream for OrElseStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

fn one_row(cells: &[Arc<dyn PhysicalExpr>], schema: &SchemaRef) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let nothing = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options)?;
    let columns = cells.iter().map(|cell| cell.evaluate(&nothing)?.into_array(1)).collect::<Result<Vec<ArrayRef>>>()?;
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}
