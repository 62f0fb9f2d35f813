//! A join of any type of which neither side fits: a block of one side at a time, each joined with all of the other.
//!
//! ```text
//!   inner, left …, left mark      blocks of the left side; the right one is kept and read once for each
//!   right …, right mark           the same with the sides swapped
//!   full                          both are kept: a left join in blocks of the left side, then a right anti join in
//!                                 blocks of the right side, its rows extended by NULLs
//! ```
//!
//! What always holds:
//! - B1: a row of a block meets all rows of the other side in one join of DataFusion's, so what the join says of it, once,
//!   is right; rows of the other side are in the result only as partners of it.
//! - B2: what is kept has at most an eighth of the grant (R2); the rest is for blocks.
//! - B3: between two looks at whether the statement goes on lies one batch of the other side, or fewer rows where the join
//!   does not look up meanwhile.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, new_null_array};
use datafusion::arrow::datatypes::{FieldRef, SchemaRef};
use datafusion::common::JoinType;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::once::OnceExec;
use super::run::{Block, JoinRun, in_pieces};
use super::shape::Join;
use crate::grant::goes_on;
use crate::hash_partition::batch_of;
use crate::stored::Stored;

/// One side of a join.
pub(super) enum Side {
    /// Its rows come once.
    Coming(SendableRecordBatchStream),
    Kept(Stored),
}

/// A join in blocks of one side.
struct Pass {
    kind: JoinType,
    projection: Option<Vec<usize>>,
    /// Whether blocks are of the right side.
    of_right: bool,
}

impl Side {
    fn into_stream(self) -> Result<SendableRecordBatchStream> {
        match self {
            Side::Coming(rows) => Ok(rows),
            Side::Kept(rows) => rows.into_stream(),
        }
    }
}

impl<J: Join> JoinRun<J> {
    /// The rows of the join.
    pub(super) async fn in_blocks(self: Arc<Self>, left: Side, right: Side) -> Result<SendableRecordBatchStream> {
        use JoinType::{Full, Inner, Left, LeftAnti, LeftMark, LeftSemi, Right, RightAnti, RightMark, RightSemi};
        let (kind, projection) = (self.join.kind(), self.join.projection());
        match kind {
            Inner | Left | LeftSemi | LeftAnti | LeftMark => {
                let right = self.kept(right, false).await?;
                Ok(self.pass(Pass { kind, projection, of_right: false }, left.into_stream()?, right))
            }
            Right | RightSemi | RightAnti | RightMark => {
                let left = self.kept(left, true).await?;
                Ok(self.pass(Pass { kind, projection, of_right: true }, right.into_stream()?, left))
            }
            Full => {
                let left = self.kept(left, true).await?;
                let right = self.kept(right, false).await?;
                self.full_in_blocks(left, right)
            }
        }
    }

    async fn kept(&self, side: Side, is_left: bool) -> Result<Stored> {
        match side {
            Side::Coming(rows) if is_left => self.stored(rows, &self.left_format).await,
            Side::Coming(rows) => self.stored(rows, &self.right_format).await,
            Side::Kept(rows) => rows.settled(self.reservation.new_empty()),
        }
    }

    /// Left rows with their partners or without, then right rows that have none.
    fn full_in_blocks(self: Arc<Self>, left: Stored, right: Stored) -> Result<SendableRecordBatchStream> {
        let schema = self.join.schema();
        let of_left = Pass { kind: JoinType::Left, projection: self.join.projection(), of_right: false };
        let of_right = Pass { kind: JoinType::RightAnti, projection: None, of_right: true };
        let partners = Arc::clone(&self).pass(of_left, left.read()?, right.clone());
        let (run, as_full) = (Arc::clone(&self), Arc::clone(&schema));
        let partners = partners.map(move |batch| {
            let batch = batch?;
            let rows = batch.num_rows();
            batch_of(&as_full, batch.columns().to_vec(), rows)
        });
        let alone = self.pass(of_right, right.into_stream()?, left);
        let alone = alone.map(move |batch| run.extended(&batch?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, partners.chain(alone))))
    }

    /// Right rows of a full join, with NULLs for the left ones.
    fn extended(&self, right: &RecordBatch) -> Result<RecordBatch> {
        let (schema, width) = (self.join.schema(), self.left_format.schema.fields().len());
        let all = || (0..width + right.num_columns()).collect();
        let columns = self.join.projection().unwrap_or_else(all).into_iter().zip(schema.fields());
        let column = |(place, field): (usize, &FieldRef)| -> ArrayRef {
            match place.checked_sub(width) {
                Some(place) => Arc::clone(right.column(place)),
                None => new_null_array(field.data_type(), right.num_rows()),
            }
        };
        batch_of(&schema, columns.map(column).collect(), right.num_rows())
    }

    /// Each block of `blocks` with all of `other`.
    fn pass(
        self: Arc<Self>,
        pass: Pass,
        blocks: SendableRecordBatchStream,
        other: Stored,
    ) -> SendableRecordBatchStream {
        let schema = self.join.schema();
        let rows = stream::try_unfold((self, pass, blocks, other), |(run, pass, mut blocks, other)| async move {
            // Of rows that were collected before, too.
            run.reservation.free();
            let block = run.next_block(&mut blocks).await?;
            if block.rows == 0 {
                return Ok::<_, DataFusionError>(None);
            }
            let rows = run.block_joined(&pass, block, blocks.schema(), &other)?;
            Ok(Some((rows, (run, pass, blocks, other))))
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, rows.try_flatten()))
    }

    fn block_joined(
        &self,
        pass: &Pass,
        block: Block,
        schema: SchemaRef,
        other: &Stored,
    ) -> Result<SendableRecordBatchStream> {
        let other = self.looked_up(other.read()?, (J::PAIRS_MAX / block.rows).max(1));
        let block = stream::iter(block.batches.into_iter().map(Ok));
        let block = OnceExec::of(Box::pin(RecordBatchStreamAdapter::new(schema, block)));
        let (left, right) = if pass.of_right { (other, block) } else { (block, other) };
        let join = self.join.made(pass.kind, pass.projection.clone(), [left, right])?;
        self.execute(if pass.of_right { join.swapped()? } else { join })
    }

    /// Rows of the other side, so many at a time (B3).
    fn looked_up(&self, rows: SendableRecordBatchStream, rows_max: usize) -> Arc<dyn ExecutionPlan> {
        let (schema, memory) = (rows.schema(), self.reservation.new_empty());
        let pieces = in_pieces(rows, rows_max.min(self.rows_at_once()));
        let pieces = pieces.map(move |batch| goes_on(&memory).and(batch));
        OnceExec::of(Box::pin(RecordBatchStreamAdapter::new(schema, pieces)))
    }
}
