//! TOP and OFFSET … FETCH: skips rows, then passes rows on until the count is reached. The count may be a variable or a
//! query, so it is read when the first row is asked for.
//!
//! PERCENT must know how many rows there are and holds them all; WITH TIES goes on while the keys equal those of the
//! last row counted.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};

use crate::operator::batch::one_partition;
use crate::operator::flow::{only, operator};
use crate::run::failure;

/// The operator.
pub(crate) struct TopExec {
    input: Arc<dyn ExecutionPlan>,
    /// A bigint, or a float when `percent`; sees no columns.
    pub(crate) count: Option<Arc<dyn PhysicalExpr>>,
    /// A bigint; sees no columns.
    pub(crate) offset: Option<Arc<dyn PhysicalExpr>>,
    pub(crate) percent: bool,
    /// Keys of WITH TIES over the input.
    pub(crate) ties: Vec<Arc<dyn PhysicalExpr>>,
    properties: Arc<PlanProperties>,
}

impl TopExec {
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        count: Option<Arc<dyn PhysicalExpr>>,
        offset: Option<Arc<dyn PhysicalExpr>>,
        percent: bool,
        ties: Vec<Arc<dyn PhysicalExpr>>,
    ) -> TopExec {
        TopExec { properties: one_partition(input.schema()), input, count, offset, percent, ties }
    }

    fn with_input(&self, input: Arc<dyn ExecutionPlan>) -> TopExec {
        TopExec::new(input, self.count.clone(), self.offset.clone(), self.percent, self.ties.clone())
    }

    fn start(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let bounds = Bounds::read(self).map_err(failure::from_sql)?;
        let held = MemoryConsumer::new("Top").register(task.memory_pool());
        let schema = self.schema();
        if bounds.wants_nothing() {
            return Ok(Box::pin(TopStream::ended(schema, held)));
        }
        let ties = if self.ties.is_empty() { None } else { Some(Ties::new(&self.ties, &schema)?) };
        Ok(Box::pin(TopStream {
            input: Some(self.input.execute(partition, task)?),
            skip: bounds.offset,
            limit: bounds.limit,
            ties,
            schema,
            held,
            waiting: Vec::new(),
            waiting_rows: 0,
        }))
    }
}

operator!(
    TopExec, "TopExec", self,
    children: vec![&self.input],
    with: |top, children| top.with_input(only(children)),
    execute: TopExec::start
);

/// How much is wanted.
struct Bounds {
    offset: u64,
    limit: Limit,
}

#[derive(Clone, Copy)]
enum Limit {
    Rows(u64),
    Percent(f64),
    All,
}

impl Bounds {
    fn read(top: &TopExec) -> SqlResult<Bounds> {
        let offset = match &top.offset {
            Some(expr) => non_negative(&constant(expr)?, message::negative_offset)?,
            None => 0,
        };
        let limit = match &top.count {
            None => Limit::All,
            Some(expr) if top.percent => Limit::Percent(percentage(&constant(expr)?)?),
            Some(expr) => Limit::Rows(match constant(expr)? {
                ScalarValue::Int32(rows) => row_count(rows.map(i64::from))?,
                ScalarValue::Int64(rows) => row_count(rows)?,
                _ => return Err(not_a_number()),
            }),
        };
        if top.offset.is_some() && matches!(limit, Limit::Rows(0)) {
            return Err(message::nothing_to_fetch());
        }
        Ok(Bounds { offset, limit })
    }

    fn wants_nothing(&self) -> bool {
        match self.limit {
            Limit::Rows(rows) => rows == 0,
            Limit::Percent(percent) => percent == 0.0,
            Limit::All => false,
        }
    }
}

/// The value of an expression without columns.
fn constant(expr: &Arc<dyn PhysicalExpr>) -> SqlResult<ScalarValue> {
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options)
        .map_err(|error| failure::to_sql(error.into()))?;
    let array = expr.evaluate(&row).and_then(|value| value.into_array(1)).map_err(failure::to_sql)?;
    ScalarValue::try_from_array(&array, 0).map_err(failure::to_sql)
}

fn not_a_number() -> SqlError {
    SqlError::of(1060, 1, &[])
}

fn non_negative(value: &ScalarValue, refused: impl FnOnce() -> SqlError) -> SqlResult<u64> {
    let rows = match value {
        ScalarValue::Int64(rows) => *rows,
        ScalarValue::Int32(rows) => rows.map(i64::from),
        _ => None,
    };
    u64::try_from(rows.ok_or_else(not_a_number)?).map_err(|_| refused())
}

/// The count of TOP or FETCH; NULL and negative numbers are errors.
pub(crate) fn row_count(rows: Option<i64>) -> SqlResult<u64> {
    non_negative(&ScalarValue::Int64(rows), || SqlError::of(127, 1, &[]))
}

fn percentage(value: &ScalarValue) -> SqlResult<f64> {
    match value {
        ScalarValue::Float64(Some(percent)) if (0.0..=100.0).contains(percent) => Ok(*percent),
        ScalarValue::Float64(Some(_)) => Err(SqlError::of(1031, 1, &[])),
        _ => Err(not_a_number()),
    }
}

struct TopStream {
    schema: SchemaRef,
    /// None when all that is wanted has passed.
    input: Option<SendableRecordBatchStream>,
    skip: u64,
    limit: Limit,
    ties: Option<Ties>,
    /// Rows that PERCENT holds back until it knows their number; given out from the end, so reversed then.
    waiting: Vec<RecordBatch>,
    waiting_rows: u64,
    held: MemoryReservation,
}

impl TopStream {
    fn ended(schema: SchemaRef, held: MemoryReservation) -> TopStream {
        let (waiting, waiting_rows) = (Vec::new(), 0);
        TopStream { schema, input: None, skip: 0, limit: Limit::All, ties: None, waiting, waiting_rows, held }
    }

    /// The next batch of the input, or of the rows held back.
    fn poll_input(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        while let Limit::Percent(percent) = self.limit {
            let Some(input) = &mut self.input else { return Poll::Ready(None) };
            match ready!(input.poll_next_unpin(cx)) {
                Some(batch) => {
                    let batch = batch?;
                    self.held.try_grow(batch.get_array_memory_size())?;
                    self.waiting_rows += batch.num_rows() as u64;
                    self.waiting.push(batch);
                }
                None => {
                    self.waiting.reverse();
                    // PERCENT rounds up to whole rows.
                    self.limit = Limit::Rows((self.waiting_rows as f64 * percent / 100.0).ceil() as u64);
                }
            }
        }
        match self.waiting.pop() {
            Some(batch) => Poll::Ready(Some(Ok(batch))),
            None => match &mut self.input {
                Some(input) => input.poll_next_unpin(cx),
                None => Poll::Ready(None),
            },
        }
    }

    /// What of a batch passes; none when nothing does.
    fn cut(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let rows = batch.num_rows() as u64;
        let skipped = self.skip.min(rows);
        self.skip -= skipped;
        if skipped == rows {
            return Ok(None);
        }
        let batch = batch.slice(skipped as usize, (rows - skipped) as usize);
        let Limit::Rows(left) = self.limit else { return Ok(Some(batch)) };
        let rows = batch.num_rows() as u64;
        self.limit = Limit::Rows(left - left.min(rows));
        if rows < left || (rows == left && self.ties.is_none()) {
            self.end_if(rows == left);
            return Ok(Some(batch));
        }
        let mut pass = left as usize;
        match &mut self.ties {
            None => self.input = None,
            Some(ties) => {
                pass += ties.count(&batch, pass)?;
                let ended = pass < batch.num_rows();
                self.end_if(ended);
            }
        }
        Ok((pass > 0).then(|| batch.slice(0, pass)))
    }

    fn end_if(&mut self, ended: bool) {
        if ended {
            self.input = None;
            self.waiting.clear();
        }
    }
}

impl Stream for TopStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while self.input.is_some() {
            let Some(batch) = ready!(self.poll_input(cx)) else {
                self.input = None;
                break;
            };
            if let Some(batch) = batch.and_then(|batch| self.cut(batch)).transpose() {
                return Poll::Ready(Some(batch));
            }
        }
        Poll::Ready(None)
    }
}

impl RecordBatchStream for TopStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The keys of WITH TIES.
struct Ties {
    keys: Vec<Arc<dyn PhysicalExpr>>,
    converter: RowConverter,
    /// Keys of the last row that counted.
    last: Option<OwnedRow>,
}

impl Ties {
    fn new(keys: &[Arc<dyn PhysicalExpr>], schema: &SchemaRef) -> Result<Ties> {
        let fields = keys.iter().map(|key| Ok(SortField::new(key.data_type(schema)?))).collect::<Result<Vec<_>>>()?;
        Ok(Ties { keys: keys.to_vec(), converter: RowConverter::new(fields)?, last: None })
    }

    /// How many rows from `from` on tie with the last row before it.
    fn count(&mut self, batch: &RecordBatch, from: usize) -> Result<usize> {
        let columns = self
            .keys
            .iter()
            .map(|key| key.evaluate(batch)?.into_array(batch.num_rows()))
            .collect::<Result<Vec<ArrayRef>>>()?;
        let rows = self.converter.convert_columns(&columns)?;
        if from > 0 {
            self.last = Some(rows.row(from - 1).owned());
        }
        let Some(last) = &self.last else { return Ok(0) };
        Ok((from..batch.num_rows()).take_while(|&row| rows.row(row) == last.row()).count())
    }
}
