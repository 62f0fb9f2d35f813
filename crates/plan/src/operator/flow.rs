//! Operators that pass batches on: one input after the other, and with an eye on cancellation.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_catalog::rel::JoinMethods;

use crate::operator::batch::{all_nullable, partitioned, renamed};
use crate::run::cell::RunCell;
use crate::run::failure;

/// What all operators of ours have in common: no expressions of interest to rules, children that may be replaced.
macro_rules! operator {
    ($name:ident, $label:literal, $self:ident, children: $children:expr, with: $with:expr, execute: $execute:expr) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($label)
            }
        }

        impl DisplayAs for $name {
            fn fmt_as(&self, _t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($label)
            }
        }

        impl ExecutionPlan for $name {
            fn name(&self) -> &str {
                $label
            }

            fn properties(&self) -> &Arc<PlanProperties> {
                &self.properties
            }

            fn children(&$self) -> Vec<&Arc<dyn ExecutionPlan>> {
                $children
            }

            fn apply_expressions(
                &self,
                _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
            ) -> Result<TreeNodeRecursion> {
                Ok(TreeNodeRecursion::Continue)
            }

            fn replace_children(
                self: Arc<Self>,
                children: Vec<Arc<dyn ExecutionPlan>>,
                _options: ReplaceChildrenOptions,
            ) -> Result<Arc<dyn ExecutionPlan>> {
                let with: fn(&$name, Vec<Arc<dyn ExecutionPlan>>) -> $name = $with;
                Ok(Arc::new(with(&self, children)))
            }

            fn with_new_children(
                self: Arc<Self>,
                children: Vec<Arc<dyn ExecutionPlan>>,
            ) -> Result<Arc<dyn ExecutionPlan>> {
                let with: fn(&$name, Vec<Arc<dyn ExecutionPlan>>) -> $name = $with;
                Ok(Arc::new(with(&self, children)))
            }

            fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
                let execute: fn(&$name, usize, Arc<TaskContext>) -> Result<SendableRecordBatchStream> = $execute;
                execute(self, partition, task)
            }
        }
    };
}
pub(crate) use operator;

/// The operator over other inputs, of which it is asked anew what is known of its rows.
pub(crate) fn with_inputs(
    plan: Arc<dyn ExecutionPlan>,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.replace_children(inputs, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The only child of an operator that has one.
pub(crate) fn only(mut children: Vec<Arc<dyn ExecutionPlan>>) -> Arc<dyn ExecutionPlan> {
    debug_assert_eq!(children.len(), 1);
    children.pop().expect("an operator keeps its number of children")
}

/// UNION ALL: all rows of the first input, then all of the second, … under the first one's column names. In several partitions where
/// an input is, each with that partition of all inputs that have it.
pub(crate) struct ConcatExec {
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    properties: Arc<PlanProperties>,
}

impl ConcatExec {
    pub(crate) fn new(inputs: Vec<Arc<dyn ExecutionPlan>>) -> ConcatExec {
        let partitions = inputs.iter().map(|input| input.output_partitioning().partition_count()).max().unwrap_or(1);
        let properties = partitioned(all_nullable(&inputs[0].schema()), partitions);
        ConcatExec { inputs, properties }
    }
}

operator!(
    ConcatExec, "ConcatExec", self,
    children: self.inputs.iter().collect(),
    with: |_, inputs| ConcatExec::new(inputs),
    execute: |concat, partition, task| {
        let has_it = |input: &&Arc<dyn ExecutionPlan>| partition < input.output_partitioning().partition_count();
        let rest = concat.inputs.iter().rev().filter(has_it).cloned().collect();
        let schema = concat.schema();
        Ok(Box::pin(ConcatStream { schema, rest, present: None, partition, task }))
    }
);

/// Starts each input when the one before it has ended.
struct ConcatStream {
    schema: SchemaRef,
    /// Inputs to come, the next one last.
    rest: Vec<Arc<dyn ExecutionPlan>>,
    present: Option<SendableRecordBatchStream>,
    partition: usize,
    task: Arc<TaskContext>,
}

impl Stream for ConcatStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let stream = &mut *self;
            if let Some(present) = &mut stream.present {
                if let Some(batch) = ready!(present.poll_next_unpin(cx)) {
                    return Poll::Ready(Some(
                        batch.and_then(|batch| renamed(&batch, &stream.schema).map_err(failure::from_sql)),
                    ));
                }
                stream.present = None;
            }
            let Some(next) = stream.rest.pop() else { return Poll::Ready(None) };
            stream.present = Some(next.execute(stream.partition, Arc::clone(&stream.task))?);
        }
    }
}

impl RecordBatchStream for ConcatStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Stops a run that was cancelled. It stands above joins, which may turn few batches into very many while nothing of
/// ours is called.
pub(crate) struct WatchExec {
    input: Arc<dyn ExecutionPlan>,
    cell: Arc<RunCell>,
    /// About how many rows it gives, where that is known.
    pub(crate) rows: Option<f64>,
    /// How a join below it may be run.
    pub(crate) methods: JoinMethods,
    properties: Arc<PlanProperties>,
}

impl WatchExec {
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        cell: Arc<RunCell>,
        rows: Option<f64>,
        methods: JoinMethods,
    ) -> WatchExec {
        let partitions = input.output_partitioning().partition_count();
        WatchExec { properties: partitioned(input.schema(), partitions), input, cell, rows, methods }
    }
}

operator!(
    WatchExec, "WatchExec", self,
    children: vec![&self.input],
    with: |watch, children| WatchExec::new(only(children), Arc::clone(&watch.cell), watch.rows, watch.methods),
    execute: |watch, partition, task| {
        let input = watch.input.execute(partition, task)?;
        Ok(Box::pin(WatchStream { input, cell: Arc::clone(&watch.cell) }))
    }
);

struct WatchStream {
    input: SendableRecordBatchStream,
    cell: Arc<RunCell>,
}

impl Stream for WatchStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Err(error) = self.cell.check_cancelled() {
            return Poll::Ready(Some(Err(failure::from_sql(error))));
        }
        self.input.poll_next_unpin(cx)
    }
}

impl RecordBatchStream for WatchStream {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
