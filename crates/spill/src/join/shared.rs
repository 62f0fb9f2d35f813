//! The left side of a hash join, collected once for all partitions of its right side.
//!
//! ```text
//!   left rows ──fit──▶ one table of DataFusion's join ◀── each partition of the right side
//!        │ do not
//!        ▼
//!   kept, and read once for each partition of the right side, which is a join of its own then
//! ```
//! What always holds: whichever partition is asked for rows drives the collecting, also when the one that began is not asked any
//! more. Only joins whose result says of a left row no more than which right rows it meets share it
//! ([`may_share`]), so that no partition has to know what the others met.

use std::fmt;
use std::sync::Arc;

use datafusion::common::{DataFusionError, JoinType};
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::future::{BoxFuture, FutureExt, Shared};
use parking_lot::Mutex;

use super::once::OnceExec;
use super::run::{JoinRun, before};
use super::shape::Join;
use crate::stored::Stored;

/// Whether joins of that type may have one left side, collected once, for all partitions of their right side.
#[must_use]
pub fn may_share(kind: JoinType) -> bool {
    use JoinType::{Inner, Right, RightAnti, RightMark, RightSemi};
    matches!(kind, Inner | Right | RightSemi | RightAnti | RightMark)
}

/// What the partitions of a join share: its left side, which the first of them begins to collect.
#[derive(Default)]
pub struct SharedSide(Mutex<Option<Shared<BoxFuture<'static, Collected>>>>);

#[derive(Clone)]
enum Collected {
    /// In memory: the join itself, and where each partition puts its right rows.
    Whole(Arc<dyn ExecutionPlan>, Arc<OnceExec>),
    Kept(Stored),
    Failed(Arc<DataFusionError>),
}

impl fmt::Debug for SharedSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSide")
    }
}

/// A left side for one partition.
pub(super) enum ForOne {
    /// The rows of the join.
    Joined(SendableRecordBatchStream),
    /// All left rows, and the right rows of the partition, that are to be joined.
    Sides(SendableRecordBatchStream, SendableRecordBatchStream),
}

impl SharedSide {
    /// The part of a partition whose right rows are `probe`; who comes first collects the left side.
    pub(super) async fn for_partition(
        &self,
        run: &Arc<JoinRun<HashJoinExec>>,
        partition: usize,
        probe: SendableRecordBatchStream,
    ) -> Result<ForOne> {
        let begun = Arc::clone(run);
        let begin = || async move { collect(&begun).await.unwrap_or_else(|error| Collected::Failed(Arc::new(error))) };
        let collected = self.0.lock().get_or_insert_with(|| begin().boxed().shared()).clone();
        match collected.await {
            Collected::Whole(join, sides) => {
                sides.put(partition, probe);
                Ok(ForOne::Joined(join.execute(partition, Arc::clone(&run.task))?))
            }
            Collected::Kept(rows) => Ok(ForOne::Sides(rows.read()?, probe)),
            Collected::Failed(error) => Err(DataFusionError::Shared(error)),
        }
    }
}

async fn collect(run: &JoinRun<HashJoinExec>) -> Result<Collected> {
    let mut build = run.join.left().execute(0, Arc::clone(&run.task))?;
    let first = run.next_block(&mut build).await?;
    let is_all = first.is_last;
    let build = before(first, build);
    // What was reserved for the rows is accounted for by who has them now.
    run.reservation.free();
    if !is_all {
        return run.stored(build, &run.left_format).await.map(Collected::Kept);
    }
    let right = run.join.right();
    let sides = OnceExec::later(right.schema(), right.output_partitioning().partition_count());
    let join = run.join.over([OnceExec::of(build), Arc::clone(&sides) as _])?;
    Ok(Collected::Whole(join, sides))
}
