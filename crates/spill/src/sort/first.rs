//! The first rows of a sort: what is known to come after them is let go as soon as it is known (S4).

use datafusion::arrow::array::{BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::row::{OwnedRow, Rows};
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::StreamExt;

use super::keys::Keys;

/// Rows of which only the first are wanted.
pub(super) struct First {
    /// How many are wanted.
    pub(super) rows: usize,
    /// The key of a row that has as many others before it: with the same key they come too late (S1).
    last: Option<OwnedRow>,
}

impl First {
    pub(super) fn new(rows: usize) -> First {
        First { rows, last: None }
    }

    /// Whether so many rows are worth a look at which of them are wanted.
    pub(super) fn is_enough(&self, rows: usize) -> bool {
        rows / 2 > self.rows
    }

    /// The rows of a batch that may be among the first, with their keys.
    pub(super) fn wanted(
        first: Option<&First>,
        batch: RecordBatch,
        keys: Rows,
        all: &Keys,
    ) -> Result<Option<(RecordBatch, Rows)>> {
        let Some(last) = first.and_then(|first| first.last.as_ref()) else { return Ok(Some((batch, keys))) };
        let is_wanted: BooleanArray = keys.iter().map(|key| Some(key < last.row())).collect();
        match is_wanted.true_count() {
            0 => Ok(None),
            count if count == batch.num_rows() => Ok(Some((batch, keys))),
            _ => {
                let batch = filter_record_batch(&batch, &is_wanted)?;
                let keys = all.of_rows(&batch)?;
                Ok(Some((batch, keys)))
            }
        }
    }

    /// What of the next rows in order is wanted, when `left` rows still are; after the last one it is known what comes too
    /// late.
    pub(super) fn next_of(&mut self, batch: RecordBatch, left: &mut usize, keys: &Keys) -> Result<RecordBatch> {
        let rows = batch.num_rows().min(*left);
        *left -= rows;
        let batch = batch.slice(0, rows);
        if *left == 0 && rows > 0 {
            let last = keys.of_rows(&batch.slice(rows - 1, 1))?.row(0).owned();
            if self.last.as_ref().is_none_or(|known| last.row() < known.row()) {
                self.last = Some(last);
            }
        }
        Ok(batch)
    }

    /// The first rows of all.
    pub(super) fn cut(&self, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let (schema, mut left) = (rows.schema(), self.rows);
        let cut = rows.map(move |batch| {
            let batch = batch?;
            let rows = batch.num_rows().min(left);
            left -= rows;
            Ok(batch.slice(0, rows))
        });
        let is_wanted =
            |batch: &Result<RecordBatch>| std::future::ready(batch.as_ref().map_or(true, |batch| batch.num_rows() > 0));
        Box::pin(RecordBatchStreamAdapter::new(schema, cut.take_while(is_wanted)))
    }
}
