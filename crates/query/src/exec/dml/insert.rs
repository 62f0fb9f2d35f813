//! INSERT: rows given, rows of a query, rows of SELECT INTO, rows of OUTPUT … INTO.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::ROW_BYTES_MAX;
use millpond_bind::{BoundChanges, BoundInsert, InsertColumn};
use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::run::Run;
use millpond_catalog::{ColumnDef, TableDef, TableStorage};
use millpond_code::code::{InsertCode, Inserted};
use millpond_code::code_key::CodeKey;
use millpond_direct::runner::Runner;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_rows::changes::Event;
use millpond_rows::fill::FilledHeap;
use millpond_rows::heap_row;
use millpond_rows::load::{Load, LoadStrategy};
use millpond_rows::row::{RowMaker, record_bytes};
use millpond_tsql::ast::{Insert, InsertSource, Statement};
use millpond_txn::heap_rows;
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::account::statistics;
use crate::exec::batch::{BatchRun, COMMAND_INSERT, scalar, scope, transaction};
use crate::exec::dml::change::change_code;
use crate::exec::dml::merge::merge_code;
use crate::exec::dml::output::OutputRows;
use crate::exec::dml::store::append_records;
use crate::exec::dml::{change, merge, output, references, store};
use crate::exec::routine::trigger::fire;
use crate::exec::routine::trigger::fire::Change;

/// Rows given, fewer than are worth to be sorted.
const FEW_ROWS: usize = 8;
/// Rows whose references are looked at together.
const REFERENCE_ROWS: usize = 1024;

fn is_small(runner: &Runner) -> bool {
    runner.direct().and_then(|direct| direct.given_rows()).is_some_and(|rows| rows < FEW_ROWS)
}

/// New rows whose references are to be looked at.
pub(in crate::exec) struct NewReferences {
    rows: Vec<Vec<Value>>,
    is_wanted: bool,
    /// They may refer to each other: all are there first.
    at_end: bool,
}

impl NewReferences {
    pub fn of(def: &TableDef) -> NewReferences {
        let at_end = def.foreign_keys.iter().any(|key| key.referenced == def.id);
        NewReferences { rows: Vec::new(), is_wanted: !def.foreign_keys.is_empty(), at_end }
    }

    /// Whether it is time to look.
    pub fn add(&mut self, row: &[Value]) -> bool {
        if self.is_wanted {
            self.rows.push(row.to_vec());
        }
        !self.at_end && self.rows.len() >= REFERENCE_ROWS
    }

    pub fn take(&mut self) -> Vec<Vec<Value>> {
        std::mem::take(&mut self.rows)
    }
}

pub(in crate::exec) fn insert(run: &mut BatchRun<'_>, statement: &Statement, insert: &Insert) -> SqlResult<()> {
    insert_of(run, statement, CodeKey::of(statement), insert)
}

/// An INSERT whose code is kept under `key`.
pub(in crate::exec) fn insert_of(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    key: CodeKey,
    insert: &Insert,
) -> SqlResult<()> {
    let rows = match code_of_insert(run, statement, key, insert)? {
        Inserted::Rows(insert) => run_insert(run, &insert)?,
        Inserted::Merge(code) => merge::run_merge(run, &code)?,
        Inserted::Change(code) => change::change(run, &code, None)?,
    };
    if let Some(rows) = rows {
        run.done_rows(rows, COMMAND_INSERT);
    }
    Ok(())
}

/// The count of rows; none when the batch has ended in a trigger.
fn run_insert(run: &mut BatchRun<'_>, insert: &InsertCode) -> SqlResult<Option<u64>> {
    run.ctx_mut().begin_statement();
    transaction::implicit_begin(run);
    let watch = statistics::watch(run);
    let (into, output) = (&insert.bound.into, &insert.bound.output);
    let instead = into.instead.is_some();
    let change = Change { def: &into.def, events: &[Event::Insert], columns: &[], output, instead };
    let Some(rows) = fire::with_triggers(run, &change, |run| insert_code(run, insert))? else { return Ok(None) };
    statistics::send_statistics(run, watch);
    Ok(Some(rows))
}

pub(in crate::exec) fn code_of_insert(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    key: CodeKey,
    insert: &Insert,
) -> SqlResult<Inserted> {
    run.bound(statement, key, |binder, ctx| {
        if let InsertSource::Changes(changed) = &insert.source {
            return match binder.insert_of_changes(insert, changed)? {
                BoundChanges::Change(bound) => change_code(bound, ctx, &binder.hints).map(Inserted::Change),
                BoundChanges::Merge(bound) => merge_code(bound, ctx, &binder.hints).map(Inserted::Merge),
                BoundChanges::Insert(bound) => {
                    let runner = Runner::new(bound.source.clone(), ctx);
                    Ok(Inserted::Rows(Arc::new(InsertCode { bound, runner })))
                }
            };
        }
        let bound = binder.insert(insert)?;
        let runner = Runner::new(bound.source.clone(), ctx);
        let runner = match &insert.source {
            InsertSource::Query(_) if bound.into.instead.is_none() && takes_records(&bound) => {
                runner.with_hints(&binder.hints).into_records(&bound.into.def.layout)
            }
            InsertSource::Query(_) => runner.with_hints(&binder.hints),
            _ => runner,
        };
        Ok(Inserted::Rows(Arc::new(InsertCode { bound, runner })))
    })
}

fn insert_code(run: &mut BatchRun<'_>, insert: &InsertCode) -> SqlResult<u64> {
    let bound = &insert.bound;
    if bound.into.instead.is_some() {
        return insert_with_output(run, insert);
    }
    let heap = bound.into.def.storage == TableStorage::TempHeap;
    // A function may count the rows that are there; triggers want to see those that come.
    let is_plain = bound.output.is_empty() && !run.ctx.calls_functions && run.changes.is_none();
    if !heap && is_plain && Load::takes(&bound.into.def) && !is_small(&insert.runner) {
        return load_rows(run, insert);
    }
    if !heap || !bound.output.is_empty() {
        return insert_with_output(run, insert);
    }
    match insert.runner.direct().and_then(|direct| direct.single_row()) {
        // In a doomed transaction the way of all others refuses it.
        Some(cells) if !(bound.bulk || run.ctx.calls_functions || run.ctx.facts.doomed) => {
            insert_one(run, bound, cells)
        }
        _ => insert_rows(run, insert),
    }
}

/// INSERT … VALUES of one row: no operator, no allocation, one record written straight into its page.
fn insert_one(run: &mut BatchRun<'_>, bound: &BoundInsert, cells: &[BoundExpr]) -> SqlResult<u64> {
    let table = &run.ctx.tables[bound.into.target];
    let def = &bound.into.def;
    let place = Place { schema: "", object: &def.name, database: "tempdb" };
    let mut maker = RowMaker::new(&run.ctx, &bound.into);
    let row = &mut run.row;
    let value = |source: usize| {
        let cell = &cells[source];
        let value = match &cell.kind {
            Kind::Literal(value) => value.clone(),
            _ => eval(cell, &*run.ctx, Rows::NONE)?,
        };
        Ok((value, &cell.ty.sql))
    };
    maker.make(value, row)?;
    let last = maker.last_identity;
    let fits = def.layout.fits(row, ROW_BYTES_MAX);
    let bytes = if fits { record_bytes(def, row)? } else { 0 };
    let ask = run.ctx.ask(bound.into.target);
    let work = &mut run.session.work;
    let encode = |record: &mut [u8]| {
        def.layout.encode_into(row, record).expect("measured above");
    };
    // The usual row of a loop: a statement of this one change, which is made or not.
    if fits && work.is_settled() {
        heap_rows::insert_alone(work, &ask, table.rows.heap(), bytes, encode)
            .map_err(|error| message::of_txn(error, place))?;
        store::remember_identity(run, &bound.into.def, last);
        return Ok(1);
    }
    let mark = millpond_txn::transaction::begin_statement(work);
    let inserted = if fits {
        let added = heap_rows::insert(work, &ask, table.rows.heap(), bytes, encode);
        added.map(|_| ()).map_err(|error| message::of_txn(error, place))
    } else {
        let large = heap_row::large_of(def, table.rows.heap(), run.ctx.ask_lob(bound.into.target), run.ctx.watch());
        heap_row::insert(work, &ask, table.rows.heap(), &large, row)
    };
    if let Err(error) = inserted {
        let undone = millpond_txn::transaction::abort_statement(work, &ask, mark);
        run.ctx.session.temp.write().undone(undone).map_err(|error| message::of_txn(error, place))?;
        return Err(error);
    }
    millpond_txn::transaction::end_statement(work, &ask, mark).map_err(|error| message::of_txn(error, place))?;
    store::remember_identity(run, &bound.into.def, last);
    Ok(1)
}

fn insert_rows(run: &mut BatchRun<'_>, insert: &InsertCode) -> SqlResult<u64> {
    let target = &insert.bound.into;
    let def = Arc::clone(&target.def);
    let heap = Arc::clone(run.ctx.tables[target.target].rows.heap());
    let types: Vec<ExprType> = insert.bound.source.types();
    let limit = scalar::row_limit(run);
    let (rows, last) = scope::atomically(run, &def.name, |run| {
        let ctx = Arc::clone(&run.ctx);
        let ask = ctx.ask(target.target);
        let place = Place { schema: "", object: &def.name, database: "tempdb" };
        let large = heap_row::large_of(&def, &heap, ctx.ask_lob(target.target), ctx.watch());
        let mut maker = RowMaker::new(&ctx, target);
        let mut bulk = heap_rows::bulk_insert(&mut run.session.work, &ask, &heap)
            .map_err(|error| message::of_txn(error, place))?;
        if limit == u64::MAX && insert.runner.makes_records(&ctx) {
            let into = Some(target.target);
            return append_records(&ctx, &insert.runner, bulk, (place, into), None).map(|rows| (rows, None));
        }
        let mut row = Vec::with_capacity(def.columns.len());
        let mut rows = 0;
        insert.runner.run(&ctx, &mut |source| {
            maker.make(|column| Ok((source[column].clone(), &types[column].sql)), &mut row)?;
            heap_row::append(&mut bulk, &large, &def, &row)?;
            rows += 1;
            Ok(if rows >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        bulk.finish().map_err(|error| message::of_txn(error, place))?;
        Ok((rows, maker.last_identity))
    })?;
    store::remember_identity(run, &def, last);
    Ok(rows)
}

/// Many rows into a table in trees.
fn load_rows(run: &mut BatchRun<'_>, insert: &InsertCode) -> SqlResult<u64> {
    let target = &insert.bound.into;
    let def = Arc::clone(&target.def);
    let types: Vec<SqlType> = insert.bound.source.types().into_iter().map(|ty| ty.sql).collect();
    let limit = scalar::row_limit(run);
    let (rows, last) = store::inserting(run, &insert.bound, |run| {
        let ctx = Arc::clone(&run.ctx);
        let strategy = store::load_strategy(run, &ctx, &insert.bound)?;
        let trees = ctx.tables[target.target].rows.trees();
        // Triggers, which want the rows, have been asked about before.
        let makes_records = limit == u64::MAX && insert.runner.makes_records(&ctx);
        if strategy == LoadStrategy::BuildUnlinked && makes_records {
            let heap = FilledHeap { def: &def, trees, binding: Some(target.target), outermost: None };
            return Ok((heap.fill(&ctx, &mut run.session.work, &insert.runner, limit)?, None));
        }
        let mut load = Load::new(&ctx, ctx.ask(target.target), &def, trees, strategy);
        if makes_records {
            let rows = load.add_all_records(&mut run.session.work, &ctx, &insert.runner)?;
            return Ok((rows, None));
        }
        let mut maker = RowMaker::new(&ctx, target);
        let mut references = NewReferences::of(&def);
        let mut row = Vec::with_capacity(def.columns.len());
        insert.runner.run(&ctx, &mut |source| {
            maker.make(|column| Ok((source[column].clone(), &types[column])), &mut row)?;
            load.add(&mut run.session.work, &row)?;
            if references.add(&row) {
                references::check_references(run, &ctx, &def, &references.take(), "INSERT")?;
            }
            Ok(if load.rows() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        let rows = load.finish(&mut run.session.work)?;
        references::check_references(run, &ctx, &def, &references.take(), "INSERT")?;
        Ok((rows, maker.last_identity))
    })?;
    store::remember_identity(run, &def, last);
    Ok(rows)
}

/// Rows into a table in trees, or rows that somebody wants to see.
fn insert_with_output(run: &mut BatchRun<'_>, insert: &InsertCode) -> SqlResult<u64> {
    let bound = &insert.bound;
    let types: Vec<SqlType> = bound.source.types().into_iter().map(|ty| ty.sql).collect();
    let limit = scalar::row_limit(run);
    let mut output = OutputRows::new(&bound.output);
    let (rows, last) = store::inserting(run, bound, |run| {
        let ctx = Arc::clone(&run.ctx);
        // The rows come first: a statement does not meet what it inserts.
        let mut sources: Vec<Vec<Value>> = Vec::new();
        insert.runner.run(&ctx, &mut |source| {
            sources.push(source.to_vec());
            let full = sources.len() as u64 >= limit;
            Ok(if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        let mut on_row = |row: &[Value]| output.add(&ctx, row, &[], &[]);
        let stored = store::store_rows(run, &ctx, &bound.into, &sources, &types, &mut on_row)?;
        output::output_into(run, &ctx, &mut output)?;
        Ok(stored)
    })?;
    if bound.into.instead.is_none() {
        store::remember_identity(run, &bound.into.def, last);
    }
    output::send_output(run, &output)?;
    Ok(output.taken().unwrap_or(rows))
}

/// Whether the rows of a query go as they are into a heap, so that they may come as records: all columns in their order,
/// of types that need no conversion, none that may be NULL where it must not, and nothing else to look after.
fn takes_records(bound: &BoundInsert) -> bool {
    let (target, types) = (&bound.into, bound.source.types());
    let def = &target.def;
    let is_heap = match def.storage {
        TableStorage::TempHeap => true,
        TableStorage::Trees => def.is_plain_heap(),
    };
    let is_checked = !def.checks.is_empty() || !def.foreign_keys.is_empty() || target.check.is_some();
    let fits = |(column, (from, (to, ty))): (usize, (&InsertColumn, (&ColumnDef, &ExprType)))| {
        matches!(from, InsertColumn::Source(source) if *source == column)
            && is_same_record(&ty.sql, &to.ty.sql)
            && !to.trims
            && (to.ty.nullable || !ty.nullable)
    };
    is_heap
        && !is_checked
        && bound.output.is_empty()
        && def.identity_column().is_none()
        && types.len() == def.columns.len()
        && target.columns.iter().zip(def.columns.iter().zip(&types)).enumerate().all(fits)
}

/// Whether all values of a type are stored the same in a column of another.
fn is_same_record(from: &SqlType, to: &SqlType) -> bool {
    let fits = |from: &MaxLen, to: &MaxLen| match (from, to) {
        (MaxLen::Limited(from), MaxLen::Limited(to)) => from <= to,
        _ => false,
    };
    match (from, to) {
        (SqlType::VarChar { len: from, page: a }, SqlType::VarChar { len: to, page: b }) => a == b && fits(from, to),
        (SqlType::NVarChar { len: from }, SqlType::NVarChar { len: to }) => fits(from, to),
        (SqlType::VarBinary { len: from }, SqlType::VarBinary { len: to }) => fits(from, to),
        (from, to) => from == to,
    }
}
