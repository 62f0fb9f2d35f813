//! The rows of INSERT … EXEC while they come: converted to the target's columns, a batch of them in memory, the others in tempdb.

use std::sync::Arc;

use millpond_access::Heap;
use millpond_bind::{GATHERED, GatheredRows};
use millpond_catalog::run::Run;
use millpond_engine::scoped;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_message::{self as message, Place};
use millpond_rows::heap_row;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;
use millpond_txn::{HeapKind, SessionWork};
use millpond_types::{CastRules, EvalError, SqlType, Value, Watch, cast};

use crate::exec::batch::BatchRun;

/// Rows that are kept in memory before they go to the work heap.
const BATCH_ROWS: usize = 256;

const PLACE: Place<'static> = Place { schema: "", object: GATHERED, database: "tempdb" };

/// The rows that have come.
pub(in crate::exec) struct Gathering {
    pub(in crate::exec) wanted: GatheredRows,
    pub(in crate::exec) work: SessionWork,
    pub(in crate::exec) task: Arc<Task>,
    pub(in crate::exec) heap: Arc<Heap>,
    /// Types of the result set that comes.
    pub(in crate::exec) types: Vec<SqlType>,
    pub(in crate::exec) batch: Vec<Vec<Value>>,
    pub(in crate::exec) failed: Option<SqlError>,
    /// Of the session that asked for the rows.
    pub(in crate::exec) rules: CastRules,
    /// ANSI_WARNINGS OFF: what is too long is cut.
    pub(in crate::exec) cuts: bool,
    /// VERBOSE_TRUNCATION_WARNINGS: where a text is too long is said.
    pub(in crate::exec) tells_truncated: bool,
}

impl Gathering {
    pub(in crate::exec) fn new(run: &BatchRun<'_>, wanted: GatheredRows) -> SqlResult<Gathering> {
        let task = Arc::clone(&run.ctx.task);
        let mut work = run.ctx.engine.databases().open_inside(run.session.shared.id, Arc::clone(&task));
        let heap = heaps::create_heap(&mut work, &run.ctx.ask_other(), HeapKind::Variable);
        let heap = heap.map_err(|error| message::of_txn(error, PLACE))?;
        Ok(Gathering {
            wanted,
            work,
            task,
            heap,
            types: Vec::new(),
            batch: Vec::new(),
            failed: None,
            rules: run.ctx.cast_rules(),
            cuts: !run.ctx.facts.settings.ansi_warnings,
            tells_truncated: scoped::tells_truncated(&run.ctx),
        })
    }

    pub(in crate::exec) fn accept(&mut self, columns: &[Column]) -> SqlResult<()> {
        if columns.len() != self.wanted.def.columns.len() {
            return Err(message::column_count_mismatch());
        }
        self.types = columns.iter().map(|column| column.sql_type).collect();
        Ok(())
    }

    pub(in crate::exec) fn add(&mut self, values: &[Value]) -> SqlResult<()> {
        let targets = &self.wanted.def.columns;
        let converted = values.iter().zip(&self.types).zip(targets).map(|((value, from), target)| {
            cast::store(value, from, &target.ty.sql, self.rules).or_else(|error| match *error {
                EvalError::Truncation { .. } if self.cuts => {
                    cast::cast(value, from, &target.ty.sql, None, self.rules).map_err(message::of_eval)
                }
                EvalError::Truncation { value } if self.tells_truncated => {
                    Err(message::truncated(&self.wanted.target, &target.name, &value))
                }
                EvalError::Truncation { .. } => Err(message::truncated_somewhere()),
                other => Err(message::of_eval(other)),
            })
        });
        let row = converted.collect::<SqlResult<Vec<Value>>>()?;
        self.batch.push(row);
        if self.batch.len() < BATCH_ROWS { Ok(()) } else { self.flush() }
    }

    /// Writes what is in memory to the heap.
    pub(in crate::exec) fn flush(&mut self) -> SqlResult<()> {
        let Gathering { wanted, work, heap, batch, task, .. } = self;
        let io = IoCount::default();
        let ask = Ask::new(task, &io);
        let of_txn = |error| message::of_txn(error, PLACE);
        let large = heap_row::large_of(&wanted.def, heap, ask, Watch::NONE);
        let mark = transaction::begin_statement(work);
        let mut bulk = heap_rows::bulk_insert(work, &ask, heap).map_err(of_txn)?;
        for row in batch.drain(..) {
            heap_row::append(&mut bulk, &large, &wanted.def, &row)?;
        }
        bulk.finish().map_err(of_txn)?;
        transaction::end_statement(work, &ask, mark).map_err(of_txn)
    }

    /// Keeps an error; the sender stops.
    pub(in crate::exec) fn noted(&mut self, result: SqlResult<()>) -> Result<(), SinkClosed> {
        result.map_err(|error| {
            self.failed.get_or_insert(error);
            SinkClosed
        })
    }
}

/// A sink that keeps rows and passes on messages.
pub(in crate::exec) struct GatheringSink<'a> {
    pub rows: &'a mut Gathering,
    pub sink: &'a mut dyn Sink,
}

impl Sink for GatheringSink<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        let accepted = self.rows.accept(columns);
        self.rows.noted(accepted)
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        let added = self.rows.add(values);
        self.rows.noted(added)
    }

    fn message(&mut self, message: &Message) {
        self.sink.message(message);
    }

    // Only the INSERT itself counts.
    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, change: &EnvChange) {
        self.sink.env_change(change);
    }

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}

    fn flush(&mut self) {
        self.sink.flush();
    }
}

/// G3
pub(in crate::exec) fn refuse_rollback() -> SqlError {
    SqlError::of(3915, 0, &[])
}

/// G3
pub(in crate::exec) fn refuse_commit() -> SqlError {
    SqlError::of(3916, 0, &[])
}
