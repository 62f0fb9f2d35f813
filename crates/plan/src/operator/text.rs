//! FOR JSON and FOR XML: rows become a text, one row or several pieces.
//!
//! What always holds: the text is written as the rows come. In pieces, no more of it is in memory than a batch of rows makes;
//! a character of two units is not cut in two, though the piece is then a unit shorter than the server's. Without rows
//! there is no text.

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
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_catalog::rel::{RowsAsText, TextOfRows};
use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value};

use crate::expression::convert::{ColumnBuilder, ColumnReader};
use crate::operator::batch::{one_partition, to_batch};
use crate::operator::flow::{only, operator};
use crate::run::cell::{ROWS_PER_CHECK, RunCell};
use crate::run::failure;

/// Units of a piece.
const PIECE_UNITS: usize = 2033;
/// Pieces of a batch.
const PIECES_MAX: usize = 256;
/// The type of the text.
pub(crate) const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };

/// What is written, and how it is given.
#[derive(Clone, Debug)]
pub(crate) struct TextForm {
    pub(crate) by: Arc<dyn RowsAsText>,
    pub(crate) in_pieces: bool,
    /// Types of the input's columns.
    pub(crate) types: Arc<[SqlType]>,
}

/// Writes the rows of its input.
pub(crate) struct TextExec {
    input: Arc<dyn ExecutionPlan>,
    pub(crate) form: TextForm,
    cell: Arc<RunCell>,
    properties: Arc<PlanProperties>,
}

impl TextExec {
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        form: TextForm,
        schema: SchemaRef,
        cell: Arc<RunCell>,
    ) -> TextExec {
        TextExec { input, form, cell, properties: one_partition(schema) }
    }
}

operator!(
    TextExec, "TextExec", self,
    children: vec![&self.input],
    with: |text, children| {
        TextExec::new(only(children), text.form.clone(), text.schema(), Arc::clone(&text.cell))
    },
    execute: |text, partition, task| {
        Ok(Box::pin(TextStream {
            input: Some(text.input.execute(partition, task)?),
            written: text.form.by.begin(),
            form: text.form.clone(),
            rows: 0,
            text: String::new(),
            schema: text.schema(),
            cell: Arc::clone(&text.cell),
        }))
    }
);

struct TextStream {
    /// None when it has ended.
    input: Option<SendableRecordBatchStream>,
    written: Box<dyn TextOfRows>,
    form: TextForm,
    rows: u64,
    /// What is not given yet.
    text: String,
    schema: SchemaRef,
    cell: Arc<RunCell>,
}

impl TextStream {
    /// Appends the rows of a batch.
    fn write(&mut self, batch: &RecordBatch) -> SqlResult<()> {
        let context = self.cell.context()?;
        let readers = batch
            .columns()
            .iter()
            .zip(&*self.form.types)
            .map(|(column, sql)| ColumnReader::new(column, sql))
            .collect::<SqlResult<Vec<_>>>()?;
        let mut row: Vec<Value> = Vec::with_capacity(readers.len());
        for index in 0..batch.num_rows() {
            if index % ROWS_PER_CHECK == 0 {
                self.cell.check_cancelled()?;
                context.check_room(self.text.len())?;
            }
            row.clear();
            row.extend(readers.iter().map(|reader| reader.value(index)));
            self.written.row(&row, &mut self.text, context.watch())?;
            self.rows += 1;
        }
        Ok(())
    }

    /// The end of the text, after the last row.
    fn finish(&mut self) -> SqlResult<()> {
        if self.rows > 0 {
            self.written.end(&mut self.text);
        }
        if self.form.in_pieces {
            self.cell.context()?.notes().wrote_rows(self.rows);
        }
        Ok(())
    }

    /// What can be given of the text.
    fn given(&mut self) -> SqlResult<Option<RecordBatch>> {
        let is_over = self.input.is_none();
        let mut builder = ColumnBuilder::new(&TEXT, 1);
        if !self.form.in_pieces {
            if !is_over || self.text.is_empty() {
                return Ok(None);
            }
            builder.push(&Value::from(std::mem::take(&mut self.text)))?;
            return to_batch(&self.schema, &mut [builder], 1).map(Some);
        }
        let (mut count, mut from) = (0, 0);
        while count < PIECES_MAX {
            let rest = &self.text[from..];
            let end = piece_end(rest);
            // A piece that may still grow waits.
            if rest.is_empty() || end == rest.len() && !is_over {
                break;
            }
            builder.push(&Value::str(&rest[..end]))?;
            from += end;
            count += 1;
        }
        self.text.drain(..from);
        if count == 0 { Ok(None) } else { to_batch(&self.schema, &mut [builder], count).map(Some) }
    }
}

/// Bytes of the piece that a text begins with.
fn piece_end(text: &str) -> usize {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > PIECE_UNITS {
            return at;
        }
    }
    text.len()
}

impl Stream for TextStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        loop {
            match stream.given() {
                Ok(Some(batch)) => return Poll::Ready(Some(Ok(batch))),
                Ok(None) => {}
                Err(error) => return Poll::Ready(Some(Err(failure::from_sql(error)))),
            }
            let Some(input) = &mut stream.input else { return Poll::Ready(None) };
            let done = match ready!(input.poll_next_unpin(cx)) {
                Some(Ok(batch)) => stream.write(&batch),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    stream.input = None;
                    stream.finish()
                }
            };
            if let Err(error) = done {
                return Poll::Ready(Some(Err(failure::from_sql(error))));
            }
        }
    }
}

impl RecordBatchStream for TextStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_whole_characters() {
        assert_eq!(piece_end(&"x".repeat(PIECE_UNITS + 1)), PIECE_UNITS);
        assert_eq!(piece_end("x"), 1);
        let pair = format!("{}\u{1F600}", "x".repeat(PIECE_UNITS - 1));
        assert_eq!(piece_end(&pair), PIECE_UNITS - 1);
    }
}
