//! API cursors (`millpond_cursors`) in a session: their texts run one level deeper than what calls, their moves are those of FETCH.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::ModuleKind;
use millpond_code::cursors::{Cursor, CursorRef, Cursors, Move};
use millpond_code::prepared_calls::Prepared;
use millpond_cursors::host::{Results, Taken, Work};
use millpond_cursors::kept::{ApiCursors, Room};
use millpond_cursors::{Answer, Host, Mover, Procedure, Ran, Step};
use millpond_engine::account::cursor_accounts::{CursorOperation, CursorWork};
use millpond_engine::arguments::RpcParam;
use millpond_engine::module::ModuleForm;
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Done, DoneKind, EnvChange, Message, Origins, Sink, SinkClosed};
use millpond_names::prepared::{BoundText, bind_prepared};
use millpond_tsql::ParseOptions;
use millpond_tsql::ast::{ObjectName, Statement, StatementKind};
use millpond_types::{SqlType, Value};

use crate::exec::batch::frame::Finished;
use crate::exec::batch::result_sets::refused;
use crate::exec::batch::{BatchRun, frame, to_message, transaction};
use crate::exec::ddl::table_type;
use crate::exec::routine::module::Outputs;
use crate::exec::routine::{called, cursor, prepared};
use crate::session::Session;

/// A call of the wire: its error is sent, and it has a status and values all the same.
pub(in crate::exec) fn of_wire(
    session: &mut Session,
    procedure: Procedure,
    args: &[CallArg],
    sink: &mut dyn Sink,
) -> SqlResult<(i32, Outputs)> {
    session.facts.error = 0;
    let Answer { status, outputs, error } = millpond_cursors::call(&mut SessionHost { session, sink }, procedure, args);
    if let Some(error) = error {
        if error.number == message::CANCELLED {
            return Err(error);
        }
        for error in error.earlier().chain([&error]) {
            session.engine.counters.errors.fetch_add(1, Relaxed);
            sink.message(&to_message(error, 1));
        }
        // A row that is not in the fetch buffer ends a change.
        if matches!(error.number, 16_930 | 16_931) {
            sink.message(&message::statement_terminated());
        }
        session.facts.error = error.number;
    }
    Ok((status, outputs))
}

/// EXEC of one in a text.
///
/// # Errors
/// What the procedure raises.
pub(in crate::exec) fn in_batch(
    run: &mut BatchRun<'_>,
    procedure: Procedure,
    args: &[CallArg],
) -> SqlResult<(i32, Outputs)> {
    if run.ctx.facts.in_function {
        return Err(SqlError::of(557, 2, &[]));
    }
    let mut answer = Answer::default();
    frame::nested(run, |session, sink| {
        answer = millpond_cursors::call(&mut SessionHost { session, sink }, procedure, args);
        answer.error.take().map_or_else(|| Ok(Finished::default()), Err)
    })?;
    if run.ctx.task.is_cancelled() {
        run.ends_batch = true;
    }
    Ok((answer.status, answer.outputs))
}

/// A session that calls, and where what is said goes.
struct SessionHost<'a> {
    session: &'a mut Session,
    sink: &'a mut dyn Sink,
}

fn param(arg: &CallArg) -> RpcParam {
    let name = arg.name.clone().unwrap_or_default();
    RpcParam { name, sql_type: arg.sql, value: arg.value.clone(), output: arg.output, table: None }
}

impl Host for SessionHost<'_> {
    fn kept(&mut self) -> &mut ApiCursors {
        &mut self.session.api_cursors
    }

    fn named(&mut self) -> &mut Cursors {
        &mut self.session.cursors
    }

    fn prepared(&mut self, text: &CallArg, declarations: Option<&CallArg>) -> SqlResult<Prepared> {
        prepared::prepared_of(self.session, Some(&param(text)), declarations.map(param).as_ref())
    }

    fn keep(&mut self, prepared: Prepared) -> SqlResult<i32> {
        self.session.prepared.add(prepared)
    }

    fn kept_text(&mut self, handle: i32) -> SqlResult<Prepared> {
        self.session.prepared.get(handle)
    }

    fn forget_text(&mut self, handle: i32) -> SqlResult<()> {
        self.session.prepared.remove(handle)
    }

    fn compile(&mut self, prepared: &Prepared, wants_columns: bool) -> SqlResult<()> {
        prepared::compile_prepared(self.session, prepared, wants_columns, self.sink)
    }

    fn parse(&mut self, text: &str) -> SqlResult<Arc<ParsedBatch>> {
        let options = ParseOptions { quoted_identifier: self.session.facts.settings.quoted_identifier };
        self.session.engine.parse(text, options).map_err(message::of_syntax)
    }

    fn is_single_select(&mut self, procedure: &ObjectName) -> bool {
        let Ok(Some(found)) = called::find_procedure(self.session, procedure, &self.session.facts) else {
            return false;
        };
        let ModuleForm::Procedure(body) = &found.module.form else { return false };
        found.module.def.kind == ModuleKind::Procedure && is_select(&body.batch.statements)
    }

    fn run(&mut self, prepared: &Prepared, args: &[CallArg], results: Results<'_>) -> SqlResult<Ran> {
        match results {
            Results::Sent => run_text(self.session, prepared, args, self.sink),
            Results::Taken(taken) => {
                let mut sink = TakingSink { taken, sets: 0, sink: self.sink };
                run_text(self.session, prepared, args, &mut sink)
            }
        }
    }

    fn moving(&mut self, cursor: &CursorRef, work: Work<'_>) -> SqlResult<()> {
        let mut failed = None;
        let cursor = Arc::clone(cursor);
        frame::scoped(self.session, self.sink, |session, sink| {
            session.run_work(sink, |run| {
                failed = move_cursor(run, &cursor, work).err();
                Ok(())
            })
        });
        failed.map_or(Ok(()), Err)
    }

    fn room(&mut self, bytes: usize) -> SqlResult<Room> {
        self.session.engine.workspace().charge(bytes)
    }

    fn identity(&self) -> Option<i64> {
        match &self.session.facts.identity {
            Value::Decimal(identity) => i64::try_from(identity.to_i128()).ok(),
            _ => None,
        }
    }

    fn text_size(&self) -> i32 {
        self.session.facts.settings.textsize
    }

    fn is_current(&self, database: &str) -> bool {
        *self.session.facts.database_name == *database
    }

    fn sink(&mut self) -> &mut dyn Sink {
        self.sink
    }
}

/// Whether statements are one SELECT that gives rows.
fn is_select(statements: &[Statement]) -> bool {
    match statements {
        [Statement { kind: StatementKind::Select(_), .. }] => true,
        [Statement { kind: StatementKind::Block(inner), .. }] => is_select(inner),
        _ => false,
    }
}

fn run_text(session: &mut Session, prepared: &Prepared, args: &[CallArg], sink: &mut dyn Sink) -> SqlResult<Ran> {
    let rules = session.facts.settings.cast_rules();
    let BoundText { parameters, wanted, tables, .. } = bind_prepared(prepared, args, rules)?;
    session.facts.error = 0;
    let mut finished = frame::scoped(session, sink, |session, sink| {
        table_type::with_tables(session, tables, sink, |session, sink| {
            session.run_text(&prepared.text, parameters, DoneKind::InProcedure, sink)
        })
    })?;
    match finished.raised.take() {
        Some(error) => Err(error),
        None => {
            let types = &prepared.declared.signature.types;
            let values = wanted.iter().zip(&finished.parameters).zip(types);
            let outputs = values.filter_map(|((place, value), sql)| Some(((*place)?, value.clone(), *sql))).collect();
            Ok(Ran { error: session.facts.error, ends_batch: finished.ends_batch, outputs })
        }
    }
}

fn move_cursor(run: &mut BatchRun<'_>, cursor: &CursorRef, work: Work<'_>) -> SqlResult<()> {
    let mut held = cursor.lock();
    if !held.code.bound.tables.is_empty() {
        transaction::implicit_begin(run);
    }
    let begun = CursorWork::begin(&run.ctx.session.task, run.ctx.engine.clock_us());
    let mut mover = CursorMover { run, status: 0 };
    work(&mut held, &mut mover)?;
    let status = mover.status;
    held.did(begun, CursorOperation::Fetch, Some(status), run.ctx.moment());
    Ok(())
}

/// Moves a cursor in a run.
struct CursorMover<'a, 's> {
    run: &'a mut BatchRun<'s>,
    /// Of the last step.
    status: i32,
}

impl Mover for CursorMover<'_, '_> {
    fn step(&mut self, cursor: &mut Cursor, to: Move) -> SqlResult<Step> {
        self.run.ctx.heed_cancel()?;
        let step = cursor::step(self.run, cursor, to)?;
        self.status = step.0;
        Ok(step)
    }

    fn columns(&mut self, columns: &[Column], origins: &Origins) -> SqlResult<()> {
        self.run.sink.columns(columns).map_err(|gone| refused(self.run.sink, gone))?;
        self.run.sink.origins(origins);
        Ok(())
    }

    fn row(&mut self, row: &[Value]) -> SqlResult<()> {
        self.run.sink.row(row).map_err(|gone| refused(self.run.sink, gone))
    }
}

/// Keeps the rows of the first result; the other things go on.
struct TakingSink<'a> {
    taken: &'a mut Taken,
    sets: usize,
    sink: &'a mut dyn Sink,
}

impl Sink for TakingSink<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.sets += 1;
        if self.sets == 1 {
            self.taken.columns = columns.to_vec();
        }
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        if self.sets == 1 {
            self.taken.rows.push(values.to_vec());
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        self.sink.message(message);
    }

    fn done(&mut self, _: Done) {}

    fn env_change(&mut self, change: &EnvChange) {
        self.sink.env_change(change);
    }

    fn return_status(&mut self, _: i32) {}

    fn return_value(&mut self, _: &str, _: SqlType, _: &Value) {}
}
