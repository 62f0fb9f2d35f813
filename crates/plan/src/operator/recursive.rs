//! Recursive common table expressions: the anchor's rows, and for each row those that the members make of it.
//!
//! R1: rows wait on a stack and the last one is followed first, as in SQL Server's stack spool; each row is handed on
//! when it is made, so a reader that stops early ends even an endless recursion. R2: the stack is charged to workspace
//! memory. R3: a row that would be beyond the allowed level is error 530, after all rows before it have been handed on.

use std::fmt;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use crate::expression::convert;
use crate::expression::convert::{ColumnBuilder, ColumnReader};
use crate::operator::batch::{all_nullable, one_partition, renamed, to_batch};
use crate::operator::correlate::InnerPlan;
use crate::operator::flow::{only, operator};
use crate::operator::row_width;
use crate::run::cell::{OuterRow, RunCell};
use crate::run::failure;

/// The stack's memory is asked for in steps of this.
const STEP_BYTES: usize = 64 << 10;

/// What follows from a row.
pub(crate) struct Recursion {
    pub(crate) members: Vec<Member>,
    pub(crate) types: Vec<SqlType>,
    /// Deepest level, the anchor's rows being of level 0; 0 for no bound.
    pub(crate) levels: u32,
    pub(crate) batch_rows: usize,
    /// The enclosing queries' row.
    pub(crate) outer: Option<Arc<OuterRow>>,
    pub(crate) cell: Arc<RunCell>,
}

/// One recursive member.
pub(crate) struct Member {
    pub(crate) plan: Box<dyn InnerPlan>,
    pub(crate) row: Arc<OuterRow>,
    pub(crate) wanted: Vec<Wanted>,
}

/// A value that a member reads.
pub(crate) enum Wanted {
    /// Of the row that it is for.
    Row(usize),
    /// Of a row further outside.
    Outer(usize),
}

/// Runs the members for every row of the input and every row that they make.
pub(crate) struct RecurseExec {
    input: Arc<dyn ExecutionPlan>,
    pub(crate) recursion: Arc<Recursion>,
    properties: Arc<PlanProperties>,
}

impl RecurseExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, recursion: Arc<Recursion>) -> RecurseExec {
        RecurseExec { properties: one_partition(all_nullable(&input.schema())), input, recursion }
    }
}

operator!(
    RecurseExec, "RecurseExec", self,
    children: vec![&self.input],
    with: |recurse, children| RecurseExec::new(only(children), Arc::clone(&recurse.recursion)),
    execute: |recurse, partition, task| {
        let anchor = recurse.input.execute(partition, Arc::clone(&task))?;
        let memory = MemoryConsumer::new("recursion").register(task.memory_pool());
        Ok(Box::pin(RecurseStream {
            anchor: Some(anchor),
            stack: Stack { rows: Vec::new(), bytes: 0, memory },
            failed: None,
            recursion: Arc::clone(&recurse.recursion),
            schema: recurse.schema(),
        }))
    }
);

/// Rows that are to be followed, the next one last (R1, R2).
struct Stack {
    rows: Vec<Waiting>,
    bytes: usize,
    memory: MemoryReservation,
}

struct Waiting {
    row: Box<[Value]>,
    level: u32,
}

impl Stack {
    fn push(&mut self, row: &[Value], level: u32) -> SqlResult<()> {
        self.bytes += size_of_row(row);
        if self.bytes > self.memory.size() {
            self.memory.try_grow(self.bytes - self.memory.size() + STEP_BYTES).map_err(failure::to_sql)?;
        }
        self.rows.push(Waiting { row: row.into(), level });
        Ok(())
    }

    fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.rows.pop()?;
        self.bytes -= size_of_row(&waiting.row);
        if self.memory.size() > 2 * self.bytes + 2 * STEP_BYTES {
            self.memory.shrink(self.memory.size() - self.bytes - STEP_BYTES);
            self.rows.shrink_to(2 * self.rows.len());
        }
        Some(waiting)
    }
}

/// Memory of a row on the stack.
fn size_of_row(row: &[Value]) -> usize {
    let heap = |value: &Value| match value {
        Value::Str(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    size_of::<Waiting>() + row.iter().map(|value| size_of::<Value>() + heap(value)).sum::<usize>()
}

struct RecurseStream {
    anchor: Option<SendableRecordBatchStream>,
    stack: Stack,
    /// An error after the rows that were handed on (R3).
    failed: Option<SqlError>,
    recursion: Arc<Recursion>,
    schema: SchemaRef,
}

impl Stream for RecurseStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        if let Some(anchor) = &mut stream.anchor {
            if let Some(batch) = ready!(anchor.poll_next_unpin(cx)) {
                return Poll::Ready(Some(batch.and_then(|batch| {
                    stream.begin(&batch).map_err(failure::from_sql)?;
                    renamed(&batch, &stream.schema).map_err(failure::from_sql)
                })));
            }
            stream.anchor = None;
        }
        if let Some(error) = stream.failed.take() {
            stream.stack.rows.clear();
            return Poll::Ready(Some(Err(failure::from_sql(error))));
        }
        Poll::Ready(stream.next_batch().map_err(failure::from_sql).transpose())
    }
}

impl RecordBatchStream for RecurseStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl RecurseStream {
    /// Takes note of rows of the anchor.
    fn begin(&mut self, batch: &RecordBatch) -> SqlResult<()> {
        let readers = batch
            .columns()
            .iter()
            .zip(&self.recursion.types)
            .map(|(column, sql)| ColumnReader::new(column, sql))
            .collect::<SqlResult<Vec<_>>>()?;
        let mut row: Vec<Value> = Vec::with_capacity(readers.len());
        for index in 0..batch.num_rows() {
            row.clear();
            row.extend(readers.iter().map(|reader| reader.value(index)));
            self.stack.push(&row, 0)?;
        }
        Ok(())
    }

    /// Follows rows until a batch is full.
    fn next_batch(&mut self) -> SqlResult<Option<RecordBatch>> {
        let recursion = Arc::clone(&self.recursion);
        let rows = recursion.batch_rows.min(self.stack.rows.len().max(16));
        let mut builders: Vec<ColumnBuilder> =
            recursion.types.iter().map(|sql| ColumnBuilder::new(sql, rows)).collect();
        let mut count = 0;
        while count < recursion.batch_rows && convert::bytes_of(&builders) < row_width::LARGE_BYTES_MAX {
            let Some(waiting) = self.stack.pop() else { break };
            let followed = self.follow(&recursion, &waiting, &mut builders, &mut count);
            if let Err(error) = followed {
                if count == 0 {
                    return Err(error);
                }
                self.failed = Some(error);
                break;
            }
        }
        if count == 0 { Ok(None) } else { to_batch(&self.schema, &mut builders, count).map(Some) }
    }

    /// The rows that the members make of one.
    fn follow(
        &mut self,
        recursion: &Recursion,
        waiting: &Waiting,
        builders: &mut [ColumnBuilder],
        count: &mut usize,
    ) -> SqlResult<()> {
        recursion.cell.check_cancelled()?;
        let context = recursion.cell.context()?;
        let level = waiting.level.saturating_add(1);
        for member in &recursion.members {
            member.row.set(&recursion.values(member, &waiting.row)?);
            let mut failed = None;
            member.plan.run(&context, &mut |row| {
                let taken = recursion.check_level(level).and_then(|()| {
                    self.stack.push(row, level)?;
                    builders.iter_mut().zip(row).try_for_each(|(builder, value)| builder.push(value))
                });
                failed = taken.err();
                if failed.is_some() {
                    return ControlFlow::Break(());
                }
                *count += 1;
                ControlFlow::Continue(())
            })?;
            if let Some(error) = failed {
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Recursion {
    /// What a member reads for a row.
    fn values(&self, member: &Member, row: &[Value]) -> SqlResult<Vec<Value>> {
        let one = |wanted: &Wanted| match wanted {
            Wanted::Row(column) => Ok(row[*column].clone()),
            Wanted::Outer(index) => match &self.outer {
                Some(outer) => outer.value(*index),
                None => Err(failure::internal("an outer column in a query that has no outer query")),
            },
        };
        member.wanted.iter().map(one).collect()
    }

    /// 530 (R3).
    fn check_level(&self, level: u32) -> SqlResult<()> {
        if self.levels == 0 || level <= self.levels {
            return Ok(());
        }
        Err(SqlError::of(530, 1, &[&self.levels]))
    }
}
