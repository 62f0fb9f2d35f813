//! Sorted streams as one.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::arrow::row::Rows;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::stream::{self, Stream, StreamExt};

use super::keys::{Keys, Prefix};
use super::tournament::{Heads, Tournament};
use crate::cut::{FULL_BYTES, RowBytes};
use crate::grant::goes_on;

/// A stream and where it is.
struct Source {
    rows: SendableRecordBatchStream,
    /// Keys of the batch that it is in; `None`: at its end.
    keys: Option<Rows>,
    /// Where that batch is among those of the merge.
    batch: usize,
    row_bytes: RowBytes,
    row: usize,
    prefix: Prefix,
}

impl Heads for Vec<Source> {
    fn count(&self) -> usize {
        self.len()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self[a], &self[b]);
        match (&a.keys, &b.keys) {
            (Some(a_keys), Some(b_keys)) => {
                a.prefix.cmp(&b.prefix).then_with(|| a_keys.row(a.row).cmp(&b_keys.row(b.row)))
            }
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }
}

struct Merge {
    keys: Arc<Keys>,
    sources: Vec<Source>,
    tournament: Option<Tournament>,
    /// Batches of which rows are wanted.
    batches: Vec<RecordBatch>,
    places: Vec<(usize, usize)>,
    batch_rows: usize,
    /// Knows whether the statement goes on.
    memory: MemoryReservation,
}

/// The rows of sorted streams in order, in batches of so many, or fewer where they are large; of equal ones those of the
/// first stream come first.
pub(super) fn merged(
    streams: Vec<SendableRecordBatchStream>,
    keys: Arc<Keys>,
    batch_rows: usize,
    memory: MemoryReservation,
) -> impl Stream<Item = Result<RecordBatch>> + Send {
    let source = |rows| Source {
        rows,
        keys: None,
        batch: 0,
        row_bytes: RowBytes::Average(0),
        row: 0,
        prefix: Prefix::default(),
    };
    let merge = Merge {
        keys,
        sources: streams.into_iter().map(source).collect(),
        tournament: None,
        batches: Vec::new(),
        places: Vec::new(),
        batch_rows: batch_rows.max(1),
        memory,
    };
    stream::try_unfold(merge, |mut merge| async move { Ok(merge.next().await?.map(|batch| (batch, merge))) })
}

impl Merge {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        goes_on(&self.memory)?;
        let mut tournament = match self.tournament.take() {
            Some(tournament) => tournament,
            None => self.begin().await?,
        };
        let mut bytes = 0;
        while self.places.len() < self.batch_rows
            && bytes < FULL_BYTES
            && let winner = tournament.winner()
            && let Some(keys) = self.sources.get(winner).and_then(|source| source.keys.as_ref())
        {
            let rows = keys.num_rows();
            let source = &mut self.sources[winner];
            bytes += source.row_bytes.of_row(&self.batches[source.batch], source.row);
            self.places.push((source.batch, source.row));
            source.row += 1;
            if source.row < rows {
                source.head();
            } else {
                self.advance(winner).await?;
            }
            tournament.replay(&self.sources);
        }
        self.tournament = Some(tournament);
        self.give()
    }

    async fn begin(&mut self) -> Result<Tournament> {
        for source in 0..self.sources.len() {
            self.advance(source).await?;
        }
        Ok(Tournament::of(&self.sources))
    }

    /// Goes on to the source's next batch.
    async fn advance(&mut self, source: usize) -> Result<()> {
        let source = &mut self.sources[source];
        source.keys = None;
        while let Some(batch) = source.rows.next().await.transpose()? {
            if batch.num_rows() > 0 {
                source.keys = Some(self.keys.of_rows(&batch)?);
                (source.batch, source.row) = (self.batches.len(), 0);
                source.row_bytes = RowBytes::of(&batch);
                source.head();
                self.batches.push(batch);
                break;
            }
        }
        Ok(())
    }

    /// What was collected; batches of which no more rows will come are let go.
    fn give(&mut self) -> Result<Option<RecordBatch>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let batches: Vec<&RecordBatch> = self.batches.iter().collect();
        let batch = interleave_record_batch(&batches, &self.places)?;
        self.places.clear();
        let mut kept = Vec::with_capacity(self.sources.len());
        for source in self.sources.iter_mut().filter(|source| source.keys.is_some()) {
            kept.push(self.batches[source.batch].clone());
            source.batch = kept.len() - 1;
        }
        self.batches = kept;
        Ok(Some(batch))
    }
}

impl Source {
    /// The row that it is at has this prefix.
    fn head(&mut self) {
        if let Some(keys) = &self.keys {
            self.prefix = Prefix::of(keys.row(self.row).as_ref());
        }
    }
}
