//! One run of one partition of a join.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, SpillMetrics};
use datafusion::physical_plan::stream::{EmptyRecordBatchStream, RecordBatchStreamAdapter};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::may_go_in_blocks;
use super::once::OnceExec;
use crate::aside::Format;
use crate::deal::{Dealer, Hand, LEVELS_MAX, PARTS, bytes_of, own_rows};
use crate::hold::{Hold, Stored};

/// Chooses the hashes of joins.
const SEED: u64 = 0x5153_4A0A;

/// What a row of the build side takes in the join's table.
const TABLE_ROW_BYTES: usize = 24;

/// What a run needs wherever it is.
pub(super) struct JoinRun {
    join: Arc<HashJoinExec>,
    task: Arc<TaskContext>,
    build_keys: Vec<PhysicalExprRef>,
    probe_keys: Vec<PhysicalExprRef>,
    build_format: Arc<Format>,
    probe_format: Arc<Format>,
    reservation: MemoryReservation,
}

/// The sides of a pair and how often its rows were dealt out.
struct Pair {
    build: Stored,
    probe: Stored,
    level: u32,
    /// Rows of the build side before they were dealt out for the last time.
    rows_before: usize,
}

impl Pair {
    /// What its build side takes in a join.
    fn needed_bytes(&self) -> usize {
        2 * self.build.bytes + self.build.rows * TABLE_ROW_BYTES
    }
}

impl JoinRun {
    pub(super) fn new(
        join: Arc<HashJoinExec>,
        task: Arc<TaskContext>,
        partition: usize,
        metrics: SpillMetrics,
    ) -> JoinRun {
        let consumer = MemoryConsumer::new(format!("SpillJoin[{partition}]")).with_can_spill(true);
        let compression = task.session_config().spill_compression();
        let format = |side: &Arc<dyn ExecutionPlan>| {
            Arc::new(Format { what: "HashJoinSpill", schema: side.schema(), compression, metrics: metrics.clone() })
        };
        let (build_keys, probe_keys) = join.on().iter().cloned().unzip();
        JoinRun {
            build_format: format(join.left()),
            probe_format: format(join.right()),
            reservation: consumer.register(task.memory_pool()),
            build_keys,
            probe_keys,
            join,
            task,
        }
    }

    /// The rows of the join.
    pub(super) fn stream(
        self,
        build: SendableRecordBatchStream,
        probe: SendableRecordBatchStream,
        output: BaselineMetrics,
    ) -> SendableRecordBatchStream {
        let schema = self.join.schema();
        let rows = stream::once(Arc::new(self).begin(build, probe)).try_flatten();
        let counted = rows.inspect_ok(move |batch| output.record_output(batch.num_rows()));
        Box::pin(RecordBatchStreamAdapter::new(schema, counted))
    }

    /// Collects the build side, and deals it out when it becomes too large.
    async fn begin(
        self: Arc<Self>,
        mut build: SendableRecordBatchStream,
        probe: SendableRecordBatchStream,
    ) -> Result<SendableRecordBatchStream> {
        let mut held = Vec::new();
        while let Some(batch) = build.next().await.transpose()? {
            if batch.num_rows() == 0 {
                continue;
            }
            let batch = own_rows(batch)?;
            let fits = self.reserve(needed_bytes(&batch))?;
            held.push(batch);
            if !fits {
                return self.spill(held, build, probe).await;
            }
        }
        let build = self.of_batches(held);
        self.join(build, probe)
    }

    /// Whether there is memory for so many bytes.
    fn reserve(&self, bytes: usize) -> Result<bool> {
        // Who holds nothing is given whatever it asks for.
        if self.reservation.size() == 0 {
            self.reservation.grow(1);
        }
        match self.reservation.try_grow(bytes) {
            Ok(()) => Ok(true),
            Err(DataFusionError::ResourcesExhausted(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The join of two streams; the build side is its own to account for.
    fn join(
        &self,
        build: SendableRecordBatchStream,
        probe: SendableRecordBatchStream,
    ) -> Result<SendableRecordBatchStream> {
        self.reservation.free();
        let sides = vec![OnceExec::of(build), OnceExec::of(probe)];
        let join = self.join.builder().with_new_children(sides)?.recompute_properties().reset_state();
        let mode = datafusion::physical_plan::joins::PartitionMode::CollectLeft;
        join.with_partition_mode(mode).build()?.execute(0, Arc::clone(&self.task))
    }

    async fn spill(
        self: Arc<Self>,
        held: Vec<RecordBatch>,
        build: SendableRecordBatchStream,
        probe: SendableRecordBatchStream,
    ) -> Result<SendableRecordBatchStream> {
        let all = stream::iter(held.into_iter().map(Ok)).chain(build);
        let build = Box::pin(RecordBatchStreamAdapter::new(self.join.left().schema(), all));
        self.deal(build, probe, 0, usize::MAX).await
    }

    /// Deals both sides out and joins the pairs.
    async fn deal(
        self: Arc<Self>,
        build: SendableRecordBatchStream,
        probe: SendableRecordBatchStream,
        level: u32,
        rows_before: usize,
    ) -> Result<SendableRecordBatchStream> {
        self.reservation.free();
        let (build, rows) = self.dealt_out(build, &self.build_format, &self.build_keys, level).await?;
        let (probe, _) = self.dealt_out(probe, &self.probe_format, &self.probe_keys, level).await?;
        let rows_before = rows_before.min(rows);
        let schema = self.join.schema();
        let pairs = stream::try_unfold((0, build, probe), move |(part, mut build, mut probe)| {
            let pair = || -> Result<Option<(Pair, _)>> {
                if part == PARTS {
                    return Ok(None);
                }
                let pair = Pair { build: build.take(part)?, probe: probe.take(part)?, level: level + 1, rows_before };
                // Later parts make room for it; what was held of it is the join's to account for.
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
    async fn dealt_out(
        &self,
        mut rows: SendableRecordBatchStream,
        format: &Arc<Format>,
        keys: &[PhysicalExprRef],
        level: u32,
    ) -> Result<(Hold, usize)> {
        let mut dealer = Dealer::new(keys.to_vec(), SEED + u64::from(level), &**self.task.memory_pool());
        let pending_bytes = dealer.deal_bytes();
        let mut hold = Hold::new(Arc::clone(format), self.task.runtime_env(), self.reservation.new_empty());
        let mut count = 0;
        let put = |hold: &mut Hold, dealt: Vec<Hand>| {
            dealt.into_iter().for_each(|hand| hold.put(hand));
            if !hold.reserve(pending_bytes, 0)? {
                hold.insist(pending_bytes);
            }
            Ok::<_, DataFusionError>(())
        };
        while let Some(batch) = rows.next().await.transpose()? {
            count += batch.num_rows();
            put(&mut hold, dealer.add(batch)?)?;
        }
        put(&mut hold, dealer.deal()?)?;
        hold.insist(0);
        Ok((hold, count))
    }

    /// The rows of a pair.
    fn join_pair(
        self: Arc<Self>,
        pair: Pair,
    ) -> futures::future::BoxFuture<'static, Result<SendableRecordBatchStream>> {
        Box::pin(async move {
            let needed = pair.needed_bytes();
            let Pair { build, probe, level, rows_before } = pair;
            if build.rows == 0 && probe.rows == 0 {
                return Ok(Box::pin(EmptyRecordBatchStream::new(self.join.schema())) as SendableRecordBatchStream);
            }
            let has_shrunk = build.rows < rows_before / 10 * 9;
            if self.reserve(needed)? {
                let (build, probe) = (build.into_stream()?, probe.into_stream()?);
                self.join(build, probe)
            } else if level < LEVELS_MAX && has_shrunk {
                let rows = build.rows;
                let (build, probe) = (build.into_stream()?, probe.into_stream()?);
                self.deal(build, probe, level, rows).await
            } else if may_go_in_blocks(*self.join.join_type()) {
                let build = build.into_stream()?;
                Ok(self.in_blocks(build, probe))
            } else {
                let (build, probe) = (build.into_stream()?, probe.into_stream()?);
                self.join(build, probe)
            }
        })
    }

    /// The build side as much at a time as fits, each time with all of the probe side (J2).
    fn in_blocks(self: Arc<Self>, build: SendableRecordBatchStream, probe: Stored) -> SendableRecordBatchStream {
        let schema = self.join.schema();
        let blocks = stream::try_unfold((self, build, probe), |(run, mut build, probe)| async move {
            let block = run.next_block(&mut build).await?;
            if block.is_empty() {
                return Ok::<_, DataFusionError>(None);
            }
            let rows = run.join(run.of_batches(block), probe.read()?)?;
            Ok(Some((rows, (run, build, probe))))
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, blocks.try_flatten()))
    }

    async fn next_block(&self, build: &mut SendableRecordBatchStream) -> Result<Vec<RecordBatch>> {
        let mut block = Vec::new();
        while let Some(batch) = build.next().await.transpose()? {
            let fits = self.reserve(needed_bytes(&batch))?;
            block.push(batch);
            if !fits {
                break;
            }
        }
        Ok(block)
    }

    fn of_batches(&self, batches: Vec<RecordBatch>) -> SendableRecordBatchStream {
        let batches = stream::iter(batches.into_iter().map(Ok));
        Box::pin(RecordBatchStreamAdapter::new(self.join.left().schema(), batches))
    }
}

/// What a batch takes on the build side: itself, its copy when all are put together, and its rows in the table.
fn needed_bytes(batch: &RecordBatch) -> usize {
    2 * bytes_of(batch) + batch.num_rows() * TABLE_ROW_BYTES
}
