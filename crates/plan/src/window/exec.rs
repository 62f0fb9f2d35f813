//! The operator: cuts its sorted input into chunks (W1) and hands its batches on with the calls' values as last columns.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_spill::is_granted;

use crate::operator::batch::{batch_of, one_partition};
use crate::operator::flow::{only, operator};
use crate::run::cell::RunCell;
use crate::run::failure;
use crate::window::args::{Args, Block};
use crate::window::call::Need;
use crate::window::chunk::Chunk;
use crate::window::evaluate::{CallSpec, Evaluate};
use crate::window::piece::{Piece, starts, together, values_of};
use crate::window::stored::Stored;

/// Pieces that may wait in memory. Tests spill the little that they have.
const PIECES_MAX: usize = if cfg!(test) { 7 } else { usize::MAX };

/// A window and the calls over it.
#[derive(Debug)]
pub(crate) struct WindowSpec {
    /// How many keys the partition has.
    pub(crate) partition: usize,
    /// Whether each key of the order descends.
    pub(crate) order: Vec<bool>,
    pub(crate) calls: Vec<CallSpec>,
}

impl WindowSpec {
    /// Where each call's arguments are among those of all calls.
    fn places(&self) -> Vec<Vec<usize>> {
        let mut first = 0;
        let places = self.calls.iter().map(|call| {
            let own = first..first + call.args.len();
            first = own.end;
            own.collect()
        });
        places.collect()
    }
}

/// Computes calls over the windows of an input that is sorted by partition and order.
pub(crate) struct WindowExec {
    input: Arc<dyn ExecutionPlan>,
    pub(crate) spec: Arc<WindowSpec>,
    /// Keys of the partition, keys of the order, then the arguments of all calls.
    pub(crate) exprs: Vec<Arc<dyn PhysicalExpr>>,
    cell: Arc<RunCell>,
    properties: Arc<PlanProperties>,
}

impl WindowExec {
    /// `schema`: the input's columns, then one for each call.
    pub(crate) fn new(
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
        let memory = MemoryConsumer::new("Window").with_can_spill(true).register(task.memory_pool());
        Ok(Box::pin(WindowStream {
            schema: self.schema(),
            batch_rows: task.session_config().batch_size(),
            exprs: self.exprs.clone(),
            cell: Arc::clone(&self.cell),
            need: self.spec.calls.iter().map(CallSpec::need).max().unwrap_or(Need::Rows),
            calls: calls.map_err(failure::from_sql)?,
            places: self.spec.places(),
            keys: (self.spec.partition, self.spec.partition + self.spec.order.len()),
            held: memory,
            input: Some(self.input.execute(number, Arc::clone(&task))?),
            task,
            rows: 0,
            last_keys: None,
            open: (0, 0),
            waiting: Vec::new(),
            stored: None,
            rest: None,
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

struct WindowStream {
    schema: SchemaRef,
    task: Arc<TaskContext>,
    batch_rows: usize,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    cell: Arc<RunCell>,
    need: Need,
    calls: Vec<Box<dyn Evaluate>>,
    /// Where each call's arguments are.
    places: Vec<Vec<usize>>,
    /// Keys of the partition; keys of the partition and the order.
    keys: (usize, usize),
    /// None when the input has ended.
    input: Option<SendableRecordBatchStream>,
    /// Rows that came.
    rows: usize,
    /// Keys of the last one.
    last_keys: Option<Vec<ArrayRef>>,
    /// Where the partition and the group of peers began that were evaluated last.
    open: (usize, usize),
    waiting: Vec<Piece>,
    /// Rows that do not fit, until all of them are given (W4).
    stored: Option<Stored>,
    /// What came after them.
    rest: Option<Piece>,
    ready: VecDeque<RecordBatch>,
    held: MemoryReservation,
}

impl WindowStream {
    /// Takes a batch in and computes what it completes.
    fn take(&mut self, batch: RecordBatch) -> Result<()> {
        self.cell.check_cancelled().map_err(failure::from_sql)?;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let piece = self.piece(batch)?;
        if self.stored.is_none() && !self.fits(&piece)? {
            self.store()?;
        }
        if self.stored.is_some() { self.add(piece) } else { self.cut(piece) }
    }

    fn piece(&mut self, batch: RecordBatch) -> Result<Piece> {
        let (first, rows) = (self.rows, batch.num_rows());
        let mut keys = values_of(&self.exprs, &batch)?;
        let args = keys.split_off(self.keys.1);
        let width = self.keys.0;
        let last = self.last_keys.as_deref();
        let counted = |starts: Vec<usize>| starts.into_iter().map(|row| first + row).collect::<Vec<usize>>();
        let partitions = counted(starts(&keys[..width], last.map(|last| &last[..width]))?);
        let peers = if self.keys.1 == width { partitions.clone() } else { counted(starts(&keys, last)?) };
        self.last_keys = Some(keys.iter().map(|key| key.slice(rows - 1, 1)).collect());
        self.rows += rows;
        Piece::new(first, batch, args, partitions, peers)
    }

    /// Whether there is memory for another piece; for one there is in any case.
    fn fits(&mut self, piece: &Piece) -> Result<bool> {
        if self.waiting.is_empty() {
            self.held.grow(piece.bytes);
            return Ok(true);
        }
        Ok(is_granted(self.held.try_grow(piece.bytes))? && self.waiting.len() < PIECES_MAX)
    }

    /// Where what the calls wait for ends first within the piece, and where last.
    fn ends(&self, piece: &Piece) -> Option<(usize, usize)> {
        let of = |starts: &[usize]| Some((*starts.first()?, *starts.last()?));
        match self.need {
            Need::Rows => Some((piece.end(), piece.end())),
            Need::Peers => of(&piece.peers),
            Need::Partition => of(&piece.partitions),
        }
    }

    /// Ends a chunk within the piece where that is possible.
    fn cut(&mut self, piece: Piece) -> Result<()> {
        let Some((_, end)) = self.ends(&piece) else {
            self.waiting.push(piece);
            return Ok(());
        };
        let (before, after) = piece.split(end)?;
        self.waiting.extend(before);
        self.evaluate()?;
        self.waiting.extend(after);
        Ok(())
    }

    /// Spills what waits.
    fn store(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let like = &waiting[0];
        let partition = if like.partitions.first() == Some(&like.first) { like.first } else { self.open.0 };
        let mut stored = Stored::new(like, like.first, partition, &self.places, &self.task);
        waiting.into_iter().try_for_each(|piece| stored.add(piece))?;
        self.stored = Some(stored);
        Ok(())
    }

    /// Spills the piece, as far as it belongs to the stored partition.
    fn add(&mut self, piece: Piece) -> Result<()> {
        let end = self.ends(&piece);
        let Some(stored) = &mut self.stored else { return Ok(()) };
        let Some((end, _)) = end else { return stored.add(piece) };
        let (before, after) = piece.split(end)?;
        before.map_or(Ok(()), |before| stored.add(before))?;
        self.rest = after;
        stored.finish()
    }

    /// Computes the calls over what waits.
    fn evaluate(&mut self) -> Result<()> {
        let pieces = std::mem::take(&mut self.waiting);
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Ok(()) };
        let rows = first.first..last.end();
        let all = |of: fn(&Piece) -> &Vec<usize>| pieces.iter().flat_map(of).copied().collect::<Vec<usize>>();
        let (partitions, peers) = (all(|piece| &piece.partitions), all(|piece| &piece.peers));
        let chunk = self.chunk(rows.clone(), (partitions, rows.end), (peers, rows.end));
        let args = (0..self.places.iter().map(Vec::len).sum()).map(|arg| together(&pieces, arg));
        let args = args.collect::<Result<Vec<ArrayRef>>>()?;
        let results = results_of(&mut self.calls, &self.places, &chunk, &args, None)?;
        self.open = opened(&chunk);
        let mut offset = 0;
        for piece in pieces {
            self.hand_on(&piece.batch, &results, offset)?;
            offset += piece.rows();
        }
        Ok(())
    }

    /// Computes the calls over the next block of what was spilled.
    fn evaluate_block(&mut self) -> Result<()> {
        let Some(mut stored) = self.stored.take() else { return Ok(()) };
        self.held.resize(stored.held_bytes());
        let Some(block) = stored.next()? else {
            drop(stored);
            let rest = self.rest.take();
            self.held.resize(rest.as_ref().map_or(0, |rest| rest.bytes));
            return rest.map_or(Ok(()), |rest| self.cut(rest));
        };
        let rows = block.first..block.first + block.batch.num_rows();
        let mut keys = values_of(&self.exprs, &block.batch)?;
        let args = keys.split_off(self.keys.1);
        let mut peers = Vec::new();
        if self.keys.1 > self.keys.0 {
            peers.extend(starts(&keys, None)?.into_iter().map(|row| rows.start + row));
            peers.retain(|row| *row > rows.start || block.begins_peers);
        } else if block.begins_peers {
            peers.push(rows.start);
        }
        let begun = if block.partition.start == rows.start { vec![rows.start] } else { Vec::new() };
        self.open.0 = block.partition.start;
        let chunk = self.chunk(rows, (begun, block.partition.end), (peers, block.peers_end));
        let results = results_of(&mut self.calls, &self.places, &chunk, &args, Some(&stored))?;
        self.open = opened(&chunk);
        for offset in (0..block.batch.num_rows()).step_by(self.batch_rows) {
            let rows = self.batch_rows.min(block.batch.num_rows() - offset);
            self.hand_on(&block.batch.slice(offset, rows), &results, offset)?;
        }
        self.stored = Some(stored);
        Ok(())
    }

    /// The chunk of those rows; `starts` of the partitions and of the groups of peers that begin in it, each with its end.
    fn chunk(
        &self,
        rows: Range<usize>,
        (mut partitions, partition_end): (Vec<usize>, usize),
        (mut peers, peers_end): (Vec<usize>, usize),
    ) -> Chunk {
        if partitions.first() != Some(&rows.start) {
            partitions.insert(0, self.open.0);
        }
        if peers.first() != Some(&rows.start) {
            peers.insert(0, self.open.1);
        }
        partitions.push(partition_end);
        peers.push(peers_end);
        Chunk { rows, partitions, peers, cell: Arc::clone(&self.cell) }
    }

    /// Gives rows out with the results from `offset` on.
    fn hand_on(&mut self, batch: &RecordBatch, results: &[ArrayRef], offset: usize) -> Result<()> {
        let rows = batch.num_rows();
        let mut columns = batch.columns().to_vec();
        columns.extend(results.iter().map(|result| result.slice(offset, rows)));
        self.ready.push_back(batch_of(&self.schema, columns, rows).map_err(failure::from_sql)?);
        Ok(())
    }

    /// Does something for rows to become ready; false: there will be none.
    fn go_on(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool>> {
        if self.stored.as_ref().is_some_and(Stored::is_whole) {
            self.cell.check_cancelled().map_err(failure::from_sql)?;
            return Poll::Ready(self.evaluate_block().map(|()| true));
        }
        let waiting = self.waiting.iter().map(|piece| piece.bytes).sum();
        self.held.resize(self.stored.as_ref().map_or(waiting, Stored::held_bytes));
        let Some(input) = &mut self.input else { return Poll::Ready(Ok(false)) };
        match ready!(input.poll_next_unpin(cx)).transpose()? {
            Some(batch) => self.take(batch)?,
            None => {
                self.input = None;
                match &mut self.stored {
                    Some(stored) => stored.finish()?,
                    None => self.evaluate()?,
                }
            }
        }
        Poll::Ready(Ok(true))
    }
}

/// The values of all calls for the rows of a chunk, whose arguments are `args`.
fn results_of(
    calls: &mut [Box<dyn Evaluate>],
    places: &[Vec<usize>],
    chunk: &Chunk,
    args: &[ArrayRef],
    stored: Option<&Stored>,
) -> Result<Vec<ArrayRef>> {
    let result = |(number, (call, places)): (usize, (&mut Box<dyn Evaluate>, &Vec<usize>))| {
        let columns = places.iter().map(|arg| Arc::clone(&args[*arg])).collect();
        let own = Block { first: chunk.rows.start, rows: chunk.rows.len(), columns };
        let args = Args { own, spilled: stored.and_then(|stored| stored.args_of(number)) };
        call.evaluate(chunk, &args).map_err(failure::from_sql)
    };
    calls.iter_mut().zip(places).enumerate().map(result).collect()
}

/// Where the last partition and the last group of peers of a chunk begin.
fn opened(chunk: &Chunk) -> (usize, usize) {
    let last = |starts: &[usize]| starts[starts.len() - 2];
    (last(&chunk.partitions), last(&chunk.peers))
}

impl Stream for WindowStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        loop {
            if let Some(batch) = stream.ready.pop_front() {
                return Poll::Ready(Some(Ok(batch)));
            }
            match ready!(stream.go_on(cx)) {
                Ok(true) => {}
                Ok(false) => return Poll::Ready(None),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl RecordBatchStream for WindowStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
