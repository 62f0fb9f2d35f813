//! INSERT BULK: a client names columns, then sends rows; together they are one statement.
//!
//! ```text
//!   INSERT BULK t (a int, …) ──▶ bound, so that errors come now; the text is kept
//!   rows (a message of its own) ──▶ the text again, now with a source ──▶ as INSERT … SELECT
//! ```
//!
//! What always holds: the rows of a message are all there or none. CHECK and FOREIGN KEY are passed over unless
//! CHECK_CONSTRAINTS is said, and then are not trusted any more. NULL takes the column's default unless KEEP_NULLS is said. Triggers fire only with FIRE_TRIGGERS, once for all rows of the message, which are then kept till they have run.

use std::sync::Arc;

use millpond_bind::{BoundInsert, InsertColumn};
use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::{TableDef, TableStorage};
use millpond_code::bulk_state::{BulkError, BulkRows};
use millpond_code::code::InsertCode;
use millpond_code::code_key::CodeKey;
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Sink;
use millpond_rows::bulk_order::Sorted;
use millpond_rows::changes::Event;
use millpond_rows::incoming::Incoming;
use millpond_rows::load::Load;
use millpond_rows::row::{RowMaker, stored};
use millpond_tsql::ast::{InsertBulk, Statement};
use millpond_types::{SqlType, Value};

use crate::exec::batch::account::statistics;
use crate::exec::batch::{BatchRun, COMMAND_INSERT, transaction};
use crate::exec::ddl::alter_table;
use crate::exec::dml::insert::NewReferences;
use crate::exec::dml::{references, store};
use crate::exec::routine::trigger::fire;
use crate::exec::routine::trigger::fire::Change;

/// Rows that are stored together where they are not loaded.
const STORED_ROWS: usize = 1024;

/// The rows that a client sends.
struct SentRows<'a> {
    rows: Box<dyn BulkRows>,
    bound: &'a BoundInsert,
    keeps_nulls: bool,
}

impl Incoming for SentRows<'_> {
    fn types(&mut self, ctx: &RunContext) -> SqlResult<Vec<SqlType>> {
        let types = self.rows.types().map_err(|error| failed(ctx, error))?;
        let wanted = self.bound.source.types().len();
        if types.len() != wanted {
            return Err(failed(ctx, BulkError::Malformed(format!("{} columns, not {wanted}", types.len()))));
        }
        Ok(types)
    }

    fn next_row(&mut self, ctx: &RunContext, _: &mut dyn Sink, row: &mut Vec<Value>) -> SqlResult<bool> {
        let Some(next) = self.rows.next_row().map_err(|error| failed(ctx, error))? else { return Ok(false) };
        *row = next;
        if !self.keeps_nulls {
            put_defaults(ctx, self.bound, row)?;
        }
        Ok(true)
    }
}

fn failed(ctx: &RunContext, error: BulkError) -> SqlError {
    match error {
        _ if ctx.task.is_cancelled() => message::cancelled(),
        BulkError::Incomplete => message::cancelled(),
        BulkError::Malformed(text) => SqlError::of(4002, 1, &[&text]),
    }
}

pub(in crate::exec) fn insert_bulk(run: &mut BatchRun<'_>, statement: &Statement, bulk: &InsertBulk) -> SqlResult<()> {
    let insert = run.bound(statement, CodeKey::of(statement), |binder, ctx| {
        let bound = binder.insert_bulk(bulk)?;
        let runner = Runner::new(bound.source.clone(), ctx);
        Ok(Arc::new(InsertCode { bound, runner }))
    })?;
    let Some(rows) = run.session.bulk.rows.take() else {
        if !bulk.has("CHECK_CONSTRAINTS") {
            alter_table::distrust(run, &insert.bound.into.def, &bulk.table)?;
        }
        let own = &run.parsed.text[statement.span.start as usize..statement.span.end as usize];
        run.session.bulk.announced = Some(Arc::from(own));
        run.done_quietly(0);
        return Ok(());
    };
    run.ctx_mut().begin_statement();
    transaction::implicit_begin(run);
    let watch = statistics::watch(run);
    let keeps_nulls = bulk.has("KEEP_NULLS");
    let events: &[Event] = if bulk.has("FIRE_TRIGGERS") { &[Event::Insert] } else { &[] };
    let into = &insert.bound.into;
    let instead = into.instead.is_some();
    let change = Change { def: &into.def, events, columns: &[], output: &[], instead };
    let mut sent = SentRows { rows, bound: &insert.bound, keeps_nulls };
    let mut rows = Sorted::new(&mut sent, bulk, &insert.bound.into.def);
    let stored = fire::with_triggers(run, &change, |run| store_incoming(run, &insert.bound, &mut rows));
    drop(rows);
    if stored.is_err() && run.is_stale {
        // No row was taken: the statement begins again with all of them.
        run.session.bulk.rows = Some(sent.rows);
    }
    let Some(stored) = stored? else { return Ok(()) };
    statistics::send_statistics(run, watch);
    run.done_rows(stored, COMMAND_INSERT);
    Ok(())
}

/// Stores rows as they come, all or none; says how many.
pub(in crate::exec) fn store_incoming(
    run: &mut BatchRun<'_>,
    bound: &BoundInsert,
    incoming: &mut dyn Incoming,
) -> SqlResult<u64> {
    let def = Arc::clone(&bound.into.def);
    let (stored, last) = store::inserting(run, bound, |run| {
        let ctx = Arc::clone(&run.ctx);
        let types = incoming.types(&ctx)?;
        // Triggers want to see the rows.
        let is_plain = !ctx.calls_functions && run.changes.is_none();
        if def.storage == TableStorage::Trees && Load::takes(&def) && is_plain {
            return load_bulk(run, &ctx, bound, &types, incoming);
        }
        let (mut stored, mut last) = (0, None);
        loop {
            let mut some = Vec::with_capacity(STORED_ROWS);
            let mut row = Vec::new();
            while some.len() < STORED_ROWS && incoming.next_row(&ctx, run.sink, &mut row)? {
                some.push(std::mem::take(&mut row));
            }
            if some.is_empty() {
                return Ok((stored, last));
            }
            let (count, identity) = store::store_rows(run, &ctx, &bound.into, &some, &types, &mut |_| Ok(()))?;
            stored += count;
            last = identity.or(last);
        }
    })?;
    if bound.into.instead.is_none() {
        store::remember_identity(run, &bound.into.def, last);
    }
    Ok(stored)
}

fn load_bulk(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    bound: &BoundInsert,
    types: &[SqlType],
    incoming: &mut dyn Incoming,
) -> SqlResult<(u64, Option<i64>)> {
    let target = &bound.into;
    let def: &TableDef = &target.def;
    let strategy = store::load_strategy(run, ctx, bound)?;
    let trees = ctx.tables[target.target].rows.trees();
    let mut load = Load::new(ctx, ctx.ask(target.target), def, trees, strategy);
    let mut maker = RowMaker::new(ctx, target);
    let mut references = NewReferences::of(def);
    let mut row = Vec::with_capacity(def.columns.len());
    let mut given = Vec::new();
    while incoming.next_row(ctx, run.sink, &mut given)? {
        maker.make(|column| Ok((std::mem::take(&mut given[column]), &types[column])), &mut row)?;
        load.add(&mut run.session.work, &row)?;
        if references.add(&row) {
            references::check_references(run, ctx, def, &references.take(), "INSERT")?;
        }
    }
    let stored = load.finish(&mut run.session.work)?;
    references::check_references(run, ctx, def, &references.take(), "INSERT")?;
    Ok((stored, maker.last_identity))
}

/// Puts defaults in the place of NULLs.
pub(in crate::exec) fn put_defaults(ctx: &RunContext, bound: &BoundInsert, row: &mut [Value]) -> SqlResult<()> {
    let def = &bound.into.def;
    for (place, (column, from)) in def.columns.iter().zip(&bound.into.columns).enumerate() {
        if let (InsertColumn::Source(source), Some(default)) = (from, &column.default)
            && row[*source].is_null()
        {
            let value = eval(&default.expr, ctx, Rows::NONE)?;
            row[*source] = stored(ctx, value, &default.expr.ty.sql, def, place)?;
        }
    }
    Ok(())
}
