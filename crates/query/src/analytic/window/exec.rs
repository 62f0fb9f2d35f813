//! The operator: cuts its sorted input into chunks (W1) and hands its batches on with the calls' values behind.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::{concat, partition};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};

use super::call::{CallSpec, Evaluate, Need};
use super::chunk::Chunk;
use crate::analytic::batch::one_partition;
use crate::analytic::cell::RunCell;
use crate::analytic::failure;
use crate::analytic::flow::{only, operator};

/// A window and the calls over it.
#[derive(Debug)]
pub(in crate::analytic) struct WindowSpec {
    /// How many keys the partition has.
    pub(in crate::analytic) partition: usize,
    /// Whether each key of the order descends.
    pub(in crate::analytic) order: Vec<bool>,
    pub(in crate::analytic) calls: Vec<CallSpec>,
}

/// Computes calls over the windows of an input that is sorted by partition and order.
pub(in crate::analytic) struct WindowExec {
    input: Arc<dyn ExecutionPlan>,
    pub(in crate::analytic) spec: Arc<WindowSpec>,
    /// Keys of the partition, keys of the order, then the arguments of all calls.
    pub(in crate::analytic) exprs: Vec<Arc<dyn PhysicalExpr>>,
    cell: Arc<RunCell>,
    properties: Arc<PlanProperties>,
}

impl WindowExec {
    /// `schema`: the input's columns, then one for each call.
    pub(in crate::analytic) fn new(
        input: Arc<dyn ExecutionPlan>,
        spec: Arc<WindowSpec>,
        exprs: Vec<Arc<dyn PhysicalExpr>>,
        schema: SchemaRef,
        cell: Arc<RunCell>,
    ) -> WindowExec {
        WindowExec { input, spec, exprs, cell, properties: one_partition(schema) }
    }

    fn with_input(&self, input: Arc<dyn ExecutionPlan>) -> WindowExec {
        let (spec, cell) = (Arc::clone(&self.spec), Arc::clone(&self.cell));
        WindowExec::new(input, spec, self.exprs.clone(), self.schema(), cell)
    }

    fn start(&self, number: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let calls = self.spec.calls.iter().map(CallSpec::evaluator).collect::<std::result::Result<Vec<_>, _>>();
        let need = self.spec.calls.iter().map(CallSpec::need).max().unwrap_or(Need::Rows);
        Ok(Box::pin(WindowStream {
            schema: self.schema(),
            spec: Arc::clone(&self.spec),
            exprs: self.exprs.clone(),
            cell: Arc::clone(&self.cell),
            need,
            calls: calls.map_err(failure::from_sql)?,
            held: MemoryConsumer::new("Window").register(task.memory_pool()),
            input: Some(self.input.execute(number, task)?),
            last_keys: None,
            waiting: Vec::new(),
            ready: VecDeque::new(),
        }))
    }
}

operator!(
    WindowExec, "WindowExec", self,
    children: vec![&self.input],
    with: |window, children| window.with_input(only(children)),
    execute: WindowExec::start
);

/// Rows of one batch that wait for the end of their chunk.
struct Piece {
    batch: RecordBatch,
    args: Vec<ArrayRef>,
    /// Rows where partitions begin.
    partitions: Vec<usize>,
    /// Rows where groups of peers begin.
    peers: Vec<usize>,
    bytes: usize,
}

impl Piece {
    fn new(batch: RecordBatch, args: Vec<ArrayRef>, partitions: Vec<usize>, peers: Vec<usize>) -> Result<Piece> {
        let mut bytes = 0;
        for array in batch.columns().iter().chain(&args) {
            bytes += array.to_data().get_slice_memory_size()?;
        }
        Ok(Piece { batch, args, partitions, peers, bytes })
    }

    fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The rows before `at`, and those from there on.
    fn split(self, at: usize) -> Result<(Piece, Piece)> {
        let part = |from: usize, to: usize| {
            let starts = |all: &[usize]| {
                all.iter().filter(|row| (from..to).contains(row)).map(|row| row - from).collect::<Vec<usize>>()
            };
            let args = self.args.iter().map(|arg| arg.slice(from, to - from)).collect();
            Piece::new(self.batch.slice(from, to - from), args, starts(&self.partitions), starts(&self.peers))
        };
        Ok((part(0, at)?, part(at, self.rows())?))
    }
}

struct WindowStream {
    schema: SchemaRef,
    spec: Arc<WindowSpec>,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    cell: Arc<RunCell>,
    need: Need,
    calls: Vec<Box<dyn Evaluate>>,
    /// None when the input has ended.
    input: Option<SendableRecordBatchStream>,
    /// Keys of the last row that came.
    last_keys: Option<Vec<ArrayRef>>,
    waiting: Vec<Piece>,
    ready: VecDeque<RecordBatch>,
    held: MemoryReservation,
}

impl WindowStream {
    /// Takes a batch in and computes what it completes.
    fn take(&mut self, batch: RecordBatch) -> Result<()> {
        self.cell.check_cancelled().map_err(failure::from_sql)?;
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(());
        }
        let mut arrays =
            self.exprs.iter().map(|expr| expr.evaluate(&batch)?.into_array(rows)).collect::<Result<Vec<ArrayRef>>>()?;
        let args = arrays.split_off(self.spec.partition + self.spec.order.len());
        let keys = arrays;
        let width = self.spec.partition;
        let last = self.last_keys.as_deref();
        let partitions = starts(&keys[..width], last.map(|last| &last[..width]))?;
        let peers = if self.spec.order.is_empty() { partitions.clone() } else { starts(&keys, last)? };
        self.last_keys = Some(keys.iter().map(|key| key.slice(rows - 1, 1)).collect());
        let piece = Piece::new(batch, args, partitions, peers)?;
        self.held.try_grow(piece.bytes)?;
        self.cut(piece)
    }

    /// Ends a chunk within the piece where that is possible.
    fn cut(&mut self, piece: Piece) -> Result<()> {
        let end = match self.need {
            Need::Rows => Some(piece.rows()),
            Need::Peers => piece.peers.last().copied(),
            Need::Partition => piece.partitions.last().copied(),
        };
        match end {
            None => self.waiting.push(piece),
            Some(0) => {
                self.evaluate()?;
                self.waiting.push(piece);
            }
            Some(end) if end == piece.rows() => {
                self.waiting.push(piece);
                self.evaluate()?;
            }
            Some(end) => {
                let (before, behind) = piece.split(end)?;
                self.waiting.push(before);
                self.evaluate()?;
                self.waiting.push(behind);
            }
        }
        Ok(())
    }

    /// Computes the calls over what waits.
    fn evaluate(&mut self) -> Result<()> {
        let pieces = std::mem::take(&mut self.waiting);
        let rows = pieces.iter().map(Piece::rows).sum();
        if rows == 0 {
            return Ok(());
        }
        // The arguments are put together and the results are of their size.
        self.held.try_grow(rows * 2 * size_of::<i128>() * self.calls.len())?;
        let chunk = chunk_of(&pieces, rows, &self.cell);
        let mut results = Vec::with_capacity(self.calls.len());
        let mut first = 0;
        for (call, spec) in self.calls.iter_mut().zip(&self.spec.calls) {
            let own = first..first + spec.args.len();
            first = own.end;
            let args = own.map(|arg| together(&pieces, arg)).collect::<Result<Vec<ArrayRef>>>()?;
            results.push(call.evaluate(&chunk, &args).map_err(failure::from_sql)?);
        }
        let mut offset = 0;
        for piece in pieces {
            let rows = piece.rows();
            let mut columns = piece.batch.columns().to_vec();
            columns.extend(results.iter().map(|result| result.slice(offset, rows)));
            offset += rows;
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            self.ready.push_back(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?);
        }
        Ok(())
    }
}

/// The rows at which the keys differ from those of the row before; `last` are the keys of the row before the first.
fn starts(keys: &[ArrayRef], last: Option<&[ArrayRef]>) -> Result<Vec<usize>> {
    if keys.is_empty() {
        return Ok(if last.is_none() { vec![0] } else { Vec::new() });
    }
    let mut starts: Vec<usize> = partition(keys)?.ranges().into_iter().map(|range| range.start).collect();
    if let Some(last) = last {
        let pair = |(last, key): (&ArrayRef, &ArrayRef)| Ok(concat(&[last, &key.slice(0, 1)])?);
        let pairs = last.iter().zip(keys).map(pair).collect::<Result<Vec<ArrayRef>>>()?;
        if partition(&pairs)?.len() == 1 {
            starts.remove(0);
        }
    }
    Ok(starts)
}

/// One argument of all pieces.
fn together(pieces: &[Piece], arg: usize) -> Result<ArrayRef> {
    if let [piece] = pieces {
        return Ok(Arc::clone(&piece.args[arg]));
    }
    let parts: Vec<&dyn Array> = pieces.iter().map(|piece| piece.args[arg].as_ref()).collect();
    Ok(concat(&parts)?)
}

fn chunk_of<'a>(pieces: &[Piece], rows: usize, cell: &'a RunCell) -> Chunk<'a> {
    let starts = |of: fn(&Piece) -> &Vec<usize>| {
        let (mut all, mut offset) = (Vec::new(), 0);
        for piece in pieces {
            all.extend(of(piece).iter().map(|row| offset + row));
            offset += piece.rows();
        }
        let continues = all.first() != Some(&0);
        if continues {
            all.insert(0, 0);
        }
        all.push(rows);
        (all, continues)
    };
    let (partitions, continues_partition) = starts(|piece| &piece.partitions);
    let (peers, continues_peers) = starts(|piece| &piece.peers);
    Chunk { rows, partitions, peers, continues_partition, continues_peers, cell }
}

impl Stream for WindowStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        loop {
            if let Some(batch) = stream.ready.pop_front() {
                return Poll::Ready(Some(Ok(batch)));
            }
            stream.held.try_resize(stream.waiting.iter().map(|piece| piece.bytes).sum())?;
            let Some(input) = &mut stream.input else { return Poll::Ready(None) };
            match ready!(input.poll_next_unpin(cx)) {
                Some(batch) => stream.take(batch?)?,
                None => {
                    stream.input = None;
                    stream.evaluate()?;
                }
            }
        }
    }
}

impl RecordBatchStream for WindowStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
