//! The hash join: rows that do not fit are hash-partitioned by their keys.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::metrics::BaselineMetrics;
use datafusion::physical_plan::stream::{EmptyRecordBatchStream, RecordBatchStreamAdapter};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::blocks::Side;
use super::run::{JoinRun, before, counted, needed_bytes};
use super::shared::{ForOne, SharedSide, may_share};
use crate::hash_partition::{HashPartitioner, LEVELS_MAX, PartRows, parts_within, row_by_row};
use crate::hold::Hold;
use crate::instead::{Spills, Start};
use crate::run_writer::Format;
use crate::stored::{Stored, reserve};

/// Chooses the hashes of joins.
const SEED: u64 = 0x5153_4A0A;

impl Spills for HashJoinExec {
    const NAME: &'static str = "SpillJoinExec";

    type Shared = SharedSide;

    fn again(&self) -> Result<Arc<Self>> {
        self.builder().build().map(Arc::new)
    }

    /// Whether each partition of the join is a join of its own, or may be one, and all of its rows are wanted.
    fn can_run(&self) -> Result<bool> {
        let parts = |side: &Arc<dyn ExecutionPlan>| side.output_partitioning().partition_count();
        let is_apart = match self.partition_mode() {
            PartitionMode::Partitioned => parts(self.left()) == parts(self.right()),
            PartitionMode::CollectLeft => parts(self.left()) == 1 && (is_one(self) || may_share(*self.join_type())),
            PartitionMode::Auto => false,
        };
        Ok(is_apart && !self.null_aware && self.fetch().is_none())
    }

    fn run(self: &Arc<Self>, start: &Start<'_>, shared: &Arc<SharedSide>) -> Result<SendableRecordBatchStream> {
        let (build_keys, probe_keys) = self.on().iter().cloned().unzip();
        let run = Arc::new(HashRun { run: JoinRun::new(Arc::clone(self), start), build_keys, probe_keys });
        let output = BaselineMetrics::new(start.metrics, start.partition);
        if *self.partition_mode() == PartitionMode::CollectLeft && !is_one(self) {
            let (shared, partition, probe) = (Arc::clone(shared), start.partition, start.rows_of(self.right())?);
            return Ok(counted(self.schema(), run.begin_shared(shared, partition, probe), output));
        }
        let (build, probe) = (start.rows_of(self.left())?, start.rows_of(self.right())?);
        Ok(counted(self.schema(), run.begin(build, probe), output))
    }
}

/// Whether the right side is in one partition.
fn is_one(join: &HashJoinExec) -> bool {
    join.right().output_partitioning().partition_count() == 1
}

/// What a run needs wherever it is.
struct HashRun {
    run: Arc<JoinRun<HashJoinExec>>,
    build_keys: Vec<PhysicalExprRef>,
    probe_keys: Vec<PhysicalExprRef>,
}

/// The sides of a pair and how often its rows were partitioned.
struct Pair {
    build: Stored,
    probe: Stored,
    level: u32,
    /// Rows of the build side before they were partitioned for the last time.
    rows_before: usize,
}

impl Pair {
    /// What its build side takes in a join.
    fn needed_bytes(&self) -> usize {
        needed_bytes::<HashJoinExec>(self.build.bytes, self.build.rows)
    }
}

impl HashRun {
    /// Collects the build side, and partitions it when it becomes too large.
    async fn begin(
        self: Arc<Self>,
        mut build: SendableRecordBatchStream,
        probe: SendableRecordBatchStream,
    ) -> Result<SendableRecordBatchStream> {
        let first = self.run.next_block(&mut build).await?;
        let is_all = first.is_last;
        let build = before(first, build);
        if is_all { self.run.whole(build, probe) } else { self.partition(build, probe, 0, usize::MAX).await }
    }

    /// One partition of the right side with the left side of all.
    async fn begin_shared(
        self: Arc<Self>,
        shared: Arc<SharedSide>,
        partition: usize,
        probe: SendableRecordBatchStream,
    ) -> Result<SendableRecordBatchStream> {
        match shared.for_partition(&self.run, partition, probe).await? {
            ForOne::Joined(rows) => Ok(rows),
            ForOne::Sides(build, probe) => self.partition(build, probe, 0, usize::MAX).await,
        }
    }

    /// Partitions both sides and joins the pairs.
    async fn partition(
        self: Arc<Self>,
        build: SendableRecordBatchStream,
        probe: SendableRecordBatchStream,
        level: u32,
        rows_before: usize,
    ) -> Result<SendableRecordBatchStream> {
        self.run.reservation.free();
        let (left, right) = (&self.run.left_format, &self.run.right_format);
        let parts = parts_within(&**self.run.task.memory_pool());
        let (build, rows) = self.partition_input(build, left, &self.build_keys, (level, parts)).await?;
        let (probe, _) = self.partition_input(probe, right, &self.probe_keys, (level, parts)).await?;
        let rows_before = rows_before.min(rows);
        let schema = self.run.join.schema();
        let pairs = stream::try_unfold((0, build, probe), move |(part, mut build, mut probe)| {
            let pair = || -> Result<Option<(Pair, _)>> {
                if part == build.parts() {
                    return Ok(None);
                }
                let pair = Pair { build: build.take(part)?, probe: probe.take(part)?, level: level + 1, rows_before };
                // Later parts make room for it, as far as there is any: a consumer that holds nothing would be given
                // whatever it asks for. What was held of it is the join's to account for.
                build.insist(1);
                build.reserve(pair.needed_bytes(), part + 1)?;
                build.insist(0);
                probe.insist(0);
                Ok(Some((pair, (part + 1, build, probe))))
            };
            std::future::ready(pair())
        });
        let rows = pairs.and_then(move |pair| Arc::clone(&self).join_pair(pair)).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }

    /// The rows of one side by the hash of their keys, and how many they are.
    async fn partition_input(
        &self,
        mut rows: SendableRecordBatchStream,
        format: &Arc<Format>,
        keys: &[PhysicalExprRef],
        (level, parts): (u32, usize),
    ) -> Result<(Hold, usize)> {
        let task = &self.run.task;
        let mut partitioner =
            HashPartitioner::new(keys.to_vec(), SEED + u64::from(level), parts, &**task.memory_pool());
        let pending_bytes = partitioner.flush_bytes();
        let mut hold = Hold::new(parts, Arc::clone(format), task.runtime_env(), self.run.reservation.new_empty());
        let mut count = 0;
        let put = |hold: &mut Hold, partitioned: Vec<PartRows>, beside_bytes: usize| {
            partitioned.into_iter().for_each(|piece| hold.put(piece));
            hold.claim(pending_bytes + beside_bytes)
        };
        while let Some(batch) = rows.next().await.transpose()? {
            count += batch.num_rows();
            for piece in row_by_row(batch) {
                let (rows, beside_bytes) = piece?;
                put(&mut hold, partitioner.add(rows)?, beside_bytes)?;
            }
        }
        put(&mut hold, partitioner.flush()?, 0)?;
        hold.insist(0);
        Ok((hold, count))
    }

    /// The rows of a pair.
    fn join_pair(self: Arc<Self>, pair: Pair) -> BoxFuture<'static, Result<SendableRecordBatchStream>> {
        Box::pin(async move {
            let (needed, run) = (pair.needed_bytes(), Arc::clone(&self.run));
            let Pair { build, probe, level, rows_before } = pair;
            if build.rows == 0 && probe.rows == 0 {
                return Ok(Box::pin(EmptyRecordBatchStream::new(run.join.schema())) as SendableRecordBatchStream);
            }
            let has_shrunk = build.rows < rows_before / 10 * 9;
            if reserve(&run.reservation, needed)? {
                run.whole(build.into_stream()?, probe.into_stream()?)
            } else if level < LEVELS_MAX && has_shrunk {
                let rows = build.rows;
                self.partition(build.into_stream()?, probe.into_stream()?, level, rows).await
            } else {
                run.in_blocks(Side::Kept(build), Side::Kept(probe)).await
            }
        })
    }
}
