//! Joins without keys: the left side is collected, and what does not fit goes in blocks.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlanProperties;
use datafusion::physical_plan::joins::{CrossJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet};

use super::blocks::Side;
use super::run::{Run, before, counted};
use super::shape::Join;
use crate::instead::Spills;

impl Spills for NestedLoopJoinExec {
    const NAME: &'static str = "SpillNestedLoopExec";

    fn again(&self) -> Result<Arc<Self>> {
        again(self)
    }

    fn can_run(&self) -> Result<bool> {
        Ok(is_alone(self))
    }

    fn run(
        self: &Arc<Self>,
        partition: usize,
        task: &Arc<TaskContext>,
        metrics: &ExecutionPlanMetricsSet,
        _: bool,
    ) -> Result<SendableRecordBatchStream> {
        run(self, partition, task, metrics)
    }
}

impl Spills for CrossJoinExec {
    const NAME: &'static str = "SpillCrossJoinExec";

    fn again(&self) -> Result<Arc<Self>> {
        again(self)
    }

    fn can_run(&self) -> Result<bool> {
        Ok(is_alone(self))
    }

    fn run(
        self: &Arc<Self>,
        partition: usize,
        task: &Arc<TaskContext>,
        metrics: &ExecutionPlanMetricsSet,
        _: bool,
    ) -> Result<SendableRecordBatchStream> {
        run(self, partition, task, metrics)
    }
}

fn again<J: Join>(join: &J) -> Result<Arc<J>> {
    let [left, right] = [0, 1].map(|side| Arc::clone(join.children()[side]));
    join.made(join.kind(), join.projection(), left, right)
}

/// Whether it has one partition: several would share what is kept of the left side.
fn is_alone(join: &impl Join) -> bool {
    join.children().iter().all(|side| side.output_partitioning().partition_count() == 1)
}

fn run<J: Join>(
    join: &Arc<J>,
    partition: usize,
    task: &Arc<TaskContext>,
    metrics: &ExecutionPlanMetricsSet,
) -> Result<SendableRecordBatchStream> {
    let left = join.children()[0].execute(partition, Arc::clone(task))?;
    let right = join.children()[1].execute(partition, Arc::clone(task))?;
    let run = Run::new(Arc::clone(join), task, partition, metrics);
    Ok(counted(join.schema(), begin(run, left, right), BaselineMetrics::new(metrics, partition)))
}

/// Collects the left side, and takes it in blocks when it becomes too large.
async fn begin<J: Join>(
    run: Arc<Run<J>>,
    mut left: SendableRecordBatchStream,
    right: SendableRecordBatchStream,
) -> Result<SendableRecordBatchStream> {
    let first = run.next_block(&mut left).await?;
    let is_all = first.is_last;
    let left = before(first, left);
    if is_all { run.whole(left, right) } else { run.in_blocks(Side::Coming(left), Side::Coming(right)).await }
}
