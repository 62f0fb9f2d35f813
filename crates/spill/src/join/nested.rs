//! Joins without keys: the left side is collected, and what does not fit goes in blocks.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::ExecutionPlanProperties;
use datafusion::physical_plan::joins::{CrossJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::metrics::BaselineMetrics;

use super::blocks::Side;
use super::run::{JoinRun, before, counted, in_pieces};
use super::shape::Join;
use crate::instead::{Spills, Start};

/// The operator of that name in the place of a join.
macro_rules! spills {
    ($join:ty, $name:literal) => {
        impl Spills for $join {
            const NAME: &'static str = $name;

            type Shared = ();

            fn again(&self) -> Result<Arc<Self>> {
                again(self)
            }

            fn can_run(&self) -> Result<bool> {
                Ok(is_alone(self))
            }

            fn run(self: &Arc<Self>, start: &Start<'_>, _: &Arc<()>) -> Result<SendableRecordBatchStream> {
                run(self, start)
            }
        }
    };
}

spills!(NestedLoopJoinExec, "SpillNestedLoopExec");
spills!(CrossJoinExec, "SpillCrossJoinExec");

fn again<J: Join>(join: &J) -> Result<Arc<J>> {
    join.made(join.kind(), join.projection(), [0, 1].map(|side| Arc::clone(join.children()[side])))
}

/// Whether it has one partition: several would share what is kept of the left side.
fn is_alone(join: &impl Join) -> bool {
    join.children().iter().all(|side| side.output_partitioning().partition_count() == 1)
}

fn run<J: Join>(join: &Arc<J>, start: &Start<'_>) -> Result<SendableRecordBatchStream> {
    let [left, right] = [0, 1].map(|side| start.rows_of(join.children()[side]));
    let run = JoinRun::new(Arc::clone(join), start);
    Ok(counted(join.schema(), begin(run, left?, right?), BaselineMetrics::new(start.metrics, start.partition)))
}

/// Collects the left side, and takes it in blocks when it becomes too large.
async fn begin<J: Join>(
    run: Arc<JoinRun<J>>,
    mut left: SendableRecordBatchStream,
    right: SendableRecordBatchStream,
) -> Result<SendableRecordBatchStream> {
    let first = run.next_block(&mut left).await?;
    let is_all = first.is_last;
    let left = before(first, left);
    let right = in_pieces(right, run.rows_at_once());
    if is_all { run.whole(left, right) } else { run.in_blocks(Side::Coming(left), Side::Coming(right)).await }
}
