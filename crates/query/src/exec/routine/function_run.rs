//! A call of a function of the user, statement by statement, in an inner session (see `exec::routine::function`).

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_catalog::large::{Large, all};
use millpond_catalog::run::facts::SessionFacts;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_message::sink::{DoneKind, Nowhere};
use millpond_message::{self as message, Place};
use millpond_storage::ask::{Ask, IoCount};
use millpond_types::{Value, Watch};

use crate::exec::batch::frame::too_deep;
use crate::exec::batch::names::declared::TableArgument;
use crate::exec::batch::{BatchRun, text_run};
use crate::exec::routine::function::Interpreted;
use crate::kept::code::{TextKey, TextPlans};
use crate::session::{KeptBySession, Session};
use millpond_access::heap;
use millpond_txn::read;

/// Rows of a function that its caller takes at once.
const ROWS_MAX: usize = 4 << 20;

impl Session {
    /// F1
    pub(in crate::exec) fn run_function<T>(
        &mut self,
        function: &Interpreted,
        ctx: &RunContext,
        (args, tables): (Vec<Value>, Vec<TableArgument>),
        take: impl FnOnce(&mut Session, Value) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let nest_level = ctx.facts.nest_level + 1;
        if nest_level > crate::exec::batch::frame::NEST_LEVEL_MAX {
            return Err(too_deep());
        }
        self.facts = SessionFacts {
            nest_level,
            database: function.database.0,
            database_name: Arc::clone(&function.database.1),
            procedure: function.frame.object,
            schema: function.frame.schema,
            home: None,
            // Errors come back to the expression.
            outer_try: 1,
            in_function: true,
            row_count: 0,
            error: 0,
            scope_identity: Value::Null,
            insert_exec: None,
            trigger: None,
            caught: None,
            ..ctx.facts.clone()
        };
        function.frame.settle(&mut self.facts.settings);
        self.caller_reader.clone_from(&ctx.reader);
        self.locks = ctx.locks.clone();
        // A function sends nothing.
        let mut nowhere = Nowhere;
        if let Err(error) = self.lend_tables(tables, &mut nowhere) {
            self.end_function();
            return Err(error);
        }
        let mut values = args;
        values.resize(function.variables.len(), Value::Null);
        let key = TextKey { text: function.body.id, signature: Arc::default(), database: function.database.0 };
        let plans = TextPlans { variables: None, ..KeptBySession::of(&self.shared).take_plans(&key) };
        let run_ctx = Arc::new(self.context(values));
        let (body, variables) = (Arc::clone(&function.body), Arc::clone(&function.variables));
        let (kind, frame) = (DoneKind::InProcedure, function.frame.clone());
        let mut run = BatchRun::new(self, &mut nowhere, body, plans, variables, run_ctx, kind, frame);
        let raised = text_run::whole(&mut run);
        let (returned, ends_batch) = (run.returned.take(), run.ends_batch);
        let plans = std::mem::take(&mut run.plans);
        KeptBySession::of(&self.shared).put_plans(&self.engine, key, plans);
        let result = match raised {
            Some(error) => Err(error),
            None if ends_batch => Err(message::cancelled()),
            None => take(self, returned.unwrap_or(Value::Null)),
        };
        self.end_function();
        result
    }

    /// F1
    fn end_function(&mut self) {
        self.end_scope();
        self.cursors.clear();
        self.caller_reader = None;
        self.locks = self.work.catalog_locks();
    }

    /// All rows of a table variable.
    pub(in crate::exec) fn rows_of_variable(&mut self, name: &str) -> SqlResult<Vec<Vec<Value>>> {
        let table = self.shared.temp.read().find(name, self.facts.nest_level).cloned();
        let table = table.ok_or_else(|| message::undeclared_table_variable(name))?;
        let io = IoCount::default();
        let ask = Ask::new(&self.shared.task, &io);
        let place = Place { schema: "", object: name, database: "tempdb" };
        let (layout, width) = (&table.def.layout, table.def.columns.len());
        let mut rows: Vec<Vec<Value>> = Vec::new();
        let mut failed = None;
        debug_assert!(!table.def.in_memory, "RETURNS @t TABLE is never memory-optimized");
        let large = Large {
            layout,
            home: table.value_home(),
            ask,
            place,
            watch: Watch::NONE.within(&**self.engine.workspace()),
        };
        let mut space = Vec::new();
        if let Some(trees) = &table.trees {
            let reader = self.work.reader();
            let range = millpond_access::tree::KeyRange::all();
            let hint = millpond_txn::ReadHint::no_lock();
            let read = read::scan::for_each(&reader, &ask, &trees.trees[0], range, hint, &mut |_, record| {
                let mut row = Vec::new();
                let decoded = large
                    .whole(record, &all, &mut space)
                    .and_then(|record| layout.decode(record, &mut row).map_err(message::of_row));
                match decoded {
                    Ok(()) if rows.len() < ROWS_MAX => rows.push(row),
                    Ok(()) => failed = Some(message::out_of_memory()),
                    Err(error) => failed = Some(error),
                }
                if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            read.map_err(|error| message::of_txn(error, place))?;
            return failed.map_or(Ok(rows), Err);
        }
        let mut scan = heap::scan::open(&table.heap);
        loop {
            let more = scan.next_page(&ask, &mut |_, record| {
                let row = large.whole(record, &all, &mut space).and_then(|record| {
                    let columns = (0..width).map(|column| layout.column(record, column));
                    columns.collect::<Result<Vec<Value>, _>>().map_err(message::of_row)
                });
                match row {
                    Ok(row) if rows.len() < ROWS_MAX => rows.push(row),
                    Ok(_) => failed = Some(message::out_of_memory()),
                    Err(error) => failed = Some(error),
                }
                if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let more = more.map_err(|error| message::of_access(error, place))?;
            match failed.take() {
                Some(error) => return Err(error),
                None if more => {}
                None => return Ok(rows),
            }
        }
    }
}
