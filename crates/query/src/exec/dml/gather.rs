//! INSERT … EXEC: what a procedure or text sends becomes the rows of an INSERT.
//!
//! ```text
//!   EXEC ──rows──▶ Gathering (a sink) ──▶ a work heap under the name GATHERED ──INSERT … SELECT──▶ the target
//!            └─messages──▶ the client
//! ```
//! What always holds:
//! - G1: the rows of all result sets are converted to the target's columns as they come and lie in tempdb, so memory
//!   holds a batch of them.
//! - G2: all that the procedure changes and the rows inserted are one statement: all of it stays or nothing. Outside of
//!   a transaction the statement is one, as @@TRANCOUNT shows.
//! - G3: one at a time (8164); a ROLLBACK inside, and a COMMIT of what was not begun inside, are refused (3915, 3916) and
//!   end the batch with its transaction.
//! - G4: a transaction that an error inside has doomed takes no rows (3930), also where a TRY inside caught the error.

use std::sync::{Arc, OnceLock};

use millpond_access::Heap;
use millpond_bind::{GATHERED, GatheredRows};
use millpond_catalog::run::Run;
use millpond_engine::temp::TempTable;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_message::{self as message, Place};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::wal::CommitMode;
use millpond_tsql::ast::{Insert, InsertSource, Query, Span, Statement, StatementKind};
use millpond_txn::{HeapKind, Isolation, SessionWork};
use millpond_types::{CastRules, EvalError, SqlType, Value, Watch, cast};

use crate::exec::batch::code::Code;
use crate::exec::batch::{BatchRun, REBINDS_MAX};
use crate::exec::dml::heap_row;

/// Rows that are kept in memory before they go to the work heap.
const BATCH_ROWS: usize = 256;

/// Part of the statement under which the definition of its rows is kept: calls use the first ones for their arguments.
const ROWS_PART: u16 = u16::MAX;

const PLACE: Place<'static> = Place { schema: "", object: GATHERED, database: "tempdb" };

/// The rows that have come.
pub(in crate::exec) struct Gathering {
    wanted: GatheredRows,
    work: SessionWork,
    task: Arc<Task>,
    heap: Arc<Heap>,
    /// Types of the result set that comes.
    types: Vec<SqlType>,
    batch: Vec<Vec<Value>>,
    failed: Option<SqlError>,
    /// Of the session that asked for the rows.
    rules: CastRules,
    /// ANSI_WARNINGS OFF: what is too long is cut.
    cuts: bool,
}

impl Gathering {
    fn new(run: &BatchRun<'_>, wanted: GatheredRows) -> SqlResult<Gathering> {
        let task = Arc::clone(&run.ctx.task);
        let mut work = run.ctx.engine.txns().open_session(run.session.shared.id, Arc::clone(&task));
        let heap = work.create_heap(&run.ctx.ask_other(), HeapKind::Variable);
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
        })
    }

    fn accept(&mut self, columns: &[Column]) -> SqlResult<()> {
        if columns.len() != self.wanted.def.columns.len() {
            return Err(message::column_count_mismatch());
        }
        self.types = columns.iter().map(|column| column.sql_type).collect();
        Ok(())
    }

    fn add(&mut self, values: &[Value]) -> SqlResult<()> {
        let targets = &self.wanted.def.columns;
        let converted = values.iter().zip(&self.types).zip(targets).map(|((value, from), target)| {
            cast::store(value, from, &target.ty.sql, self.rules).or_else(|error| match *error {
                EvalError::Truncation { .. } if self.cuts => {
                    cast::cast(value, from, &target.ty.sql, None, self.rules).map_err(message::of_eval)
                }
                EvalError::Truncation { value } => Err(message::truncated(&self.wanted.target, &target.name, &value)),
                other => Err(message::of_eval(other)),
            })
        });
        let row = converted.collect::<SqlResult<Vec<Value>>>()?;
        self.batch.push(row);
        if self.batch.len() < BATCH_ROWS { Ok(()) } else { self.flush() }
    }

    /// Writes what is in memory to the heap.
    fn flush(&mut self) -> SqlResult<()> {
        let Gathering { wanted, work, heap, batch, task, .. } = self;
        let io = IoCount::default();
        let ask = Ask::new(task, &io);
        let of_txn = |error| message::of_txn(error, PLACE);
        let large = heap_row::large_of(&wanted.def, heap, ask, Watch::NONE);
        let mark = work.begin_statement();
        let mut bulk = work.bulk_insert(&ask, heap).map_err(of_txn)?;
        for row in batch.drain(..) {
            heap_row::append(&mut bulk, &large, &wanted.def, &row)?;
        }
        bulk.finish().map_err(of_txn)?;
        work.end_statement(&ask, mark).map_err(of_txn)
    }

    /// Keeps an error; the sender stops.
    fn noted(&mut self, result: SqlResult<()>) -> Result<(), SinkClosed> {
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

impl BatchRun<'_> {
    pub(in crate::exec) fn insert_exec(&mut self, statement: &Statement, insert: &Insert) -> SqlResult<()> {
        if self.ctx.facts.insert_exec.is_some() {
            return Err(SqlError::of(8164, 1, &[]));
        }
        self.implicit_begin();
        let is_own = self.ctx.facts.tran_count == 0;
        if is_own {
            self.begin_own_transaction();
        }
        let base = self.ctx.facts.tran_count;
        self.ctx_mut().facts.insert_exec = Some(base);
        let mark = self.session.work.begin_statement();
        let result = self.gather_and_insert(statement, insert);
        let done = self.end_gathering(mark, result);
        self.ctx_mut().facts.insert_exec = None;
        if is_own { self.end_own_transaction(done) } else { done }
    }

    /// G2: the statement's end, or its undoing. An error that ended the batch was reported where it happened.
    fn end_gathering(&mut self, mark: millpond_txn::StatementMark, result: SqlResult<()>) -> SqlResult<()> {
        let ctx = Arc::clone(&self.ctx);
        let ask = ctx.ask_other();
        if result.is_ok() && !self.ends_batch {
            let ended = self.session.work.end_statement(&ask, mark);
            return self.committed(ended).map_err(|error| self.txn_error(error, ""));
        }
        let undone = self.session.work.abort_statement(&ask, mark);
        self.undone(undone).map_err(|error| self.txn_error(error, ""))?;
        result
    }

    /// Begins the transaction of one statement that runs others: triggers, INSERT … EXEC.
    pub(in crate::exec) fn begin_own_transaction(&mut self) {
        self.session.work.begin();
        self.session.began_as_snapshot = self.ctx.facts.settings.isolation() == Isolation::Snapshot;
        self.ctx_mut().facts.tran_count = 1;
    }

    /// Ends the transaction that was begun for one statement. What was begun inside of it and not committed stays open:
    /// the client ends it.
    pub(in crate::exec) fn end_own_transaction(&mut self, done: SqlResult<()>) -> SqlResult<()> {
        let open = self.session.work.in_transaction();
        let stays = done.is_ok() && !self.ends_batch;
        if open && stays && self.ctx.facts.tran_count > 1 {
            self.leave_open();
            return done;
        }
        let facts = &mut self.ctx_mut().facts;
        (facts.tran_count, facts.doomed) = (0, false);
        if !open {
            return done;
        }
        let ctx = Arc::clone(&self.ctx);
        let ask = ctx.ask_other();
        if stays {
            let committed = self.session.work.commit(&ask, CommitMode::Durable);
            self.committed(committed).map_err(|error| self.txn_error(error, ""))?;
        } else {
            let undone = self.session.work.rollback(&ask);
            self.undone(undone).map_err(|error| self.txn_error(error, ""))?;
        }
        ctx.session.temp.write().forget_dropped();
        done
    }

    /// The statement's own level of the open transaction ends, the others stay.
    fn leave_open(&mut self) {
        self.ctx_mut().facts.tran_count -= 1;
        self.session.began_as_snapshot = self.ctx.facts.settings.isolation() == Isolation::Snapshot;
        self.session.transaction += 1;
        self.session.transaction_name = None;
        self.sink.env_change(&EnvChange::BeginTransaction(self.session.transaction));
    }

    /// What the rows of INSERT … EXEC have to be.
    pub(in crate::exec) fn gathered_code(&mut self, statement: &Statement, insert: &Insert) -> SqlResult<Arc<Code>> {
        self.bound(statement, ROWS_PART, |binder, _| Ok(Code::Rows(binder.gathered_rows(insert)?)))
    }

    fn gather_and_insert(&mut self, statement: &Statement, insert: &Insert) -> SqlResult<()> {
        let code = self.gathered_code(statement, insert)?;
        let Code::Rows(wanted) = &*code else { unreachable!("kept under this place as rows") };
        let was_doomed = self.ctx.facts.doomed;
        self.gathering = Some(Box::new(Gathering::new(self, wanted.clone())?));
        let ran = match &insert.source {
            InsertSource::Execute(execute) => self.execute(statement, execute),
            InsertSource::ExecuteText(text) => self.execute_text(statement, text),
            _ => unreachable!("dispatched as INSERT … EXEC"),
        };
        let mut rows = self.gathering.take().expect("put there above");
        if let Some(error) = rows.failed.take() {
            self.ends_batch = false;
            return Err(error);
        }
        ran?;
        if self.ends_batch {
            return Ok(());
        }
        if self.ctx.facts.doomed && !was_doomed {
            return Err(message::doomed());
        }
        rows.flush()?;
        let (def, heap) = (Arc::clone(&rows.wanted.def), Arc::clone(&rows.heap));
        let id = heap.object_id();
        self.ctx.session.temp.write().add(TempTable::new(def, heap, self.ctx.facts.nest_level));
        let inserted = self.insert_gathered(statement, insert);
        self.ctx.session.temp.write().remove(id, false);
        inserted
    }

    /// `INSERT target SELECT * FROM gathered`
    fn insert_gathered(&mut self, statement: &Statement, insert: &Insert) -> SqlResult<()> {
        let source = InsertSource::Query(Box::new(all_gathered().clone()));
        let insert = Insert { source, ..insert.clone() };
        // One byte into the word INSERT: a place that no other statement has.
        let span = Span { start: statement.span.start + 1, ..statement.span };
        let statement = Statement { kind: StatementKind::Break, span };
        // What was called does not run again: where the target has changed meanwhile, this INSERT alone is bound anew.
        let mut done = Ok(());
        for _ in 0..REBINDS_MAX {
            (self.has_begun, self.is_stale) = (false, false);
            done = self.insert(&statement, &insert);
            if !self.is_stale {
                break;
            }
        }
        self.is_stale = false;
        done
    }
}

fn all_gathered() -> &'static Query {
    static QUERY: OnceLock<Query> = OnceLock::new();
    QUERY.get_or_init(|| {
        let text = format!("SELECT * FROM [{GATHERED}]");
        let batch = millpond_tsql::parse_batch(&text, millpond_tsql::ParseOptions { quoted_identifier: true });
        let statement = batch.expect("a constant text").statements.swap_remove(0);
        match statement.kind {
            StatementKind::Select(select) => select.query,
            _ => unreachable!("a constant text"),
        }
    })
}

/// G3
pub(in crate::exec) fn refuse_rollback() -> SqlError {
    SqlError::of(3915, 0, &[])
}

/// G3
pub(in crate::exec) fn refuse_commit() -> SqlError {
    SqlError::of(3916, 0, &[])
}
