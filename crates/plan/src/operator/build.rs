//! The build side of a hash join: its rows as they are. It knows about how many they are, and tells bitmaps which keys it has
//! had.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Int16Type, Int32Type, Int64Type, SchemaRef, UInt8Type};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::{Stream, StreamExt};

use crate::operator::batch::partitioned;
use crate::operator::flow::{only, operator};
use crate::run::bitmap::{Bitmap, KEYS_MAX};

/// The build side of a join.
pub(crate) struct BuildExec {
    input: Arc<dyn ExecutionPlan>,
    /// About so many rows it has; infinitely many where that is not known.
    pub(crate) rows: f64,
    /// Of columns.
    pub(crate) bitmaps: Vec<(usize, Arc<Bitmap>)>,
    properties: Arc<PlanProperties>,
}

impl BuildExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, rows: f64, bitmaps: Vec<(usize, Arc<Bitmap>)>) -> BuildExec {
        let partitions = input.output_partitioning().partition_count();
        BuildExec { properties: partitioned(input.schema(), partitions), input, rows, bitmaps }
    }

    pub(crate) fn input(&self) -> &Arc<dyn ExecutionPlan> {
        &self.input
    }
}

operator!(
    BuildExec, "BuildExec", self,
    children: vec![&self.input],
    with: |build, children| BuildExec::new(only(children), build.rows, build.bitmaps.clone()),
    execute: |build, partition, task| {
        let input = build.input.execute(partition, Arc::clone(&task))?;
        if build.bitmaps.is_empty() {
            return Ok(input);
        }
        let memory = MemoryConsumer::new("Bitmap").register(task.memory_pool());
        let one = |(column, bitmap): &(usize, Arc<Bitmap>)| Collected {
            column: *column,
            bitmap: Arc::clone(bitmap),
            keys: Some(Vec::new()),
        };
        let collected = build.bitmaps.iter().map(one).collect();
        let partitions = build.properties.output_partitioning().partition_count();
        Ok(Box::pin(BuildStream { input, collected, partitions, memory, has_ended: false }))
    }
);

/// Whether a bitmap may be of columns of that type: numbers that compare as they are.
pub(crate) fn is_mappable(data_type: &DataType) -> bool {
    matches!(data_type, DataType::UInt8 | DataType::Int16 | DataType::Int32 | DataType::Int64)
}

/// The keys of a column so far; none when they were too many.
struct Collected {
    column: usize,
    bitmap: Arc<Bitmap>,
    keys: Option<Vec<i64>>,
}

struct BuildStream {
    input: SendableRecordBatchStream,
    collected: Vec<Collected>,
    partitions: usize,
    memory: MemoryReservation,
    has_ended: bool,
}

impl BuildStream {
    fn look(&mut self, batch: &RecordBatch) {
        for one in &mut self.collected {
            let Some(keys) = &mut one.keys else { continue };
            let column = batch.column(one.column);
            let bytes = size_of::<i64>() * column.len();
            // A consumer that holds nothing is given whatever it asks for.
            if self.memory.size() == 0 {
                self.memory.grow(1);
            }
            let is_known = keys.len() + column.len() <= KEYS_MAX && self.memory.try_grow(bytes).is_ok();
            if !is_known || !add(keys, column) {
                one.keys = None;
            }
        }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            for one in &mut self.collected {
                one.bitmap.end_partition(one.keys.take(), self.partitions);
            }
            self.memory.free();
        }
    }
}

/// Adds the numbers of an array but NULLs, which equal nothing; whether it is one of numbers.
fn add(keys: &mut Vec<i64>, column: &ArrayRef) -> bool {
    fn all<T: ArrowPrimitiveType>(keys: &mut Vec<i64>, column: &ArrayRef) -> bool
    where
        i64: From<T::Native>,
    {
        let Some(column) = column.as_primitive_opt::<T>() else { return false };
        match column.null_count() {
            0 => keys.extend(column.values().iter().map(|key| i64::from(*key))),
            _ => keys.extend(column.iter().flatten().map(i64::from)),
        }
        true
    }
    match column.data_type() {
        DataType::UInt8 => all::<UInt8Type>(keys, column),
        DataType::Int16 => all::<Int16Type>(keys, column),
        DataType::Int32 => all::<Int32Type>(keys, column),
        DataType::Int64 => all::<Int64Type>(keys, column),
        _ => false,
    }
}

impl Stream for BuildStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let batch = ready!(self.input.poll_next_unpin(cx));
        match &batch {
            Some(Ok(batch)) => self.look(batch),
            None => self.end(),
            Some(Err(_)) => {}
        }
        Poll::Ready(batch)
    }
}

impl RecordBatchStream for BuildStream {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
