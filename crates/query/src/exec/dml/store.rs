//! Rows that a statement has made are stored: in a table of any kind, one by one or as a load.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::{Fill, FillPart, Heap, RowSource};
use millpond_bind::{BoundInsert, InsertTarget, Taken};
use millpond_catalog::run::Run;
use millpond_catalog::{IndexKind, TableDef, TableStorage};
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_engine::rows::TableRows;
use millpond_engine::stored::place_of;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_plan::{InserterPartition, ParallelInserter};
use millpond_rows::fill::ask_of;
use millpond_rows::heap_row;
use millpond_rows::inherited::{Outermost, watched};
use millpond_rows::load::LoadStrategy;
use millpond_rows::row::{Asked, RowMaker, Verb, check_stored_row};
use millpond_rows::write::{Inserted, Writer};
use millpond_txn::heap_rows;
use millpond_txn::{BulkInsert, LockMode};
use millpond_types::{Decimal, SqlType, Value};

use crate::exec::batch::{BatchRun, scope};
use crate::exec::dml::{references, views};

/// Runs work that inserts into a stored table, all or none. TABLOCK locks the whole table later.
pub(in crate::exec) fn inserting<T>(
    run: &mut BatchRun<'_>,
    bound: &BoundInsert,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let def = &bound.into.def;
    match bound.table_lock {
        _ if bound.into.instead.is_some() => scope::atomically(run, &def.name, work),
        true => scope::changing_whole(run, def, work),
        false => scope::changing(run, def, work),
    }
}

/// How a load adds the rows of a statement; TABLOCK locks the table here.
pub(in crate::exec) fn load_strategy(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    bound: &BoundInsert,
) -> SqlResult<LoadStrategy> {
    let target = bound.into.target;
    let streams =
        if is_read_by_nobody(ctx, target) { LoadStrategy::StreamSorted } else { LoadStrategy::SortThenInsert };
    if !bound.table_lock || bound.into.def.is_temporary() {
        return Ok(streams);
    }
    let (ask, trees) = (ctx.ask(target), ctx.tables[target].rows.trees());
    let (home, object) = (trees.trees[0].ctx().handle.db, trees.trees[0].ids().object_id);
    let place = place_of(&bound.into.def);
    let locked = run.session.work.lock_object(&ask, home, object, LockMode::X);
    locked.map_err(|error| message::of_txn(error, place))?;
    if bound.into.def.indexes[0].kind == IndexKind::Heap {
        return Ok(LoadStrategy::BuildUnlinked);
    }
    let bare = trees.trees.iter().map(|tree| tree.is_bare(&ask)).collect::<Result<Vec<bool>, _>>();
    let bare = bare.map_err(|cause| message::of_access(cause, place))?;
    Ok(if bare.into_iter().all(|is_bare| is_bare) { LoadStrategy::BuildUnlinked } else { streams })
}

/// Stores rows of a source; says how many, and the last identity value.
pub(in crate::exec) fn store_rows(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    target: &InsertTarget,
    sources: &[Vec<Value>],
    types: &[SqlType],
    on_row: &mut dyn FnMut(&[Value]) -> SqlResult<()>,
) -> SqlResult<(u64, Option<i64>)> {
    if let Some(taken) = &target.instead {
        return taken_new_rows(run, ctx, (target, taken), sources, types, on_row);
    }
    let def = &target.def;
    let mut maker = RowMaker::new(ctx, target);
    let (mut row, mut rows) = (Vec::with_capacity(def.columns.len()), 0);
    let ask = ctx.ask(target.target);
    let mut new_rows: Vec<Vec<Value>> = Vec::new();
    let watched = run.changes.is_some() && !def.is_temporary();
    let is_viewed = !def.views.is_empty();
    let keeps_rows = watched || is_viewed || !def.foreign_keys.is_empty();
    let mut ignored = false;
    for source in sources {
        ctx.heed_cancel()?;
        maker.make(|column| Ok((source[column].clone(), &types[column])), &mut row)?;
        if def.storage == TableStorage::TempHeap {
            let heap = ctx.tables[target.target].rows.heap();
            let large = heap_row::large_of(def, heap, ctx.ask_lob(target.target), ctx.watch());
            heap_row::insert(&mut run.session.work, &ask, heap, &large, &row)?;
        } else {
            let trees = ctx.tables[target.target].rows.trees();
            let mut writer = Writer::new(&mut run.session.work, ctx, ask, def, trees, ctx.ask_lob(target.target));
            if writer.insert_or_ignore(&row)? == Inserted::Ignored {
                ignored = true;
                continue;
            }
            check_stored_row(def, &row, Asked::All, ctx, Verb::INSERT)?;
        }
        on_row(&row)?;
        rows += 1;
        if keeps_rows {
            new_rows.push(row.clone());
        }
    }
    views::follow(run, ctx, def, new_rows.iter().map(|row| (&[][..], &row[..])))?;
    if keeps_rows {
        references::check_references(run, ctx, def, &new_rows, "INSERT")?;
    }
    if let Some(changes) = run.changes.as_mut().filter(|_| watched) {
        changes.inserted.append(&mut new_rows);
    }
    if ignored {
        run.inform(3604, &[]);
    }
    Ok((rows, maker.last_identity))
}

/// The rows of an INSERT that an INSTEAD OF trigger takes: how many. None is stored.
///
/// # Errors
/// 233 for NULL in a column of a view that does not take it; those of making rows.
fn taken_new_rows(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    (target, taken): (&InsertTarget, &Taken),
    sources: &[Vec<Value>],
    types: &[SqlType],
    on_row: &mut dyn FnMut(&[Value]) -> SqlResult<()>,
) -> SqlResult<(u64, Option<i64>)> {
    let def = &target.def;
    let mut maker = RowMaker::new(ctx, target);
    let mut rows = Vec::with_capacity(sources.len());
    for source in sources {
        ctx.heed_cancel()?;
        let mut row = Vec::with_capacity(def.columns.len());
        maker.make(|column| Ok((source[column].clone(), &types[column])), &mut row)?;
        if let Some(place) = taken.required.iter().find(|place| row[**place].is_null()) {
            return Err(SqlError::of(233, 1, &[&def.columns[*place].name, &def.name]));
        }
        on_row(&row)?;
        rows.push(row);
    }
    let count = rows.len() as u64;
    if let Some(changes) = &mut run.changes {
        changes.inserted.append(&mut rows);
    }
    Ok((count, None))
}

/// Rows of SELECT INTO: the columns are the query's own.
pub(in crate::exec) fn bulk_rows(
    run: &mut BatchRun<'_>,
    runner: &Runner,
    def: &Arc<TableDef>,
    heap: &Arc<Heap>,
    limit: u64,
    outermost: Option<&Arc<Outermost>>,
) -> SqlResult<u64> {
    let ctx = Arc::clone(&run.ctx);
    let ask = ctx.ask_other();
    let place = Place { schema: "", object: &def.name, database: "tempdb" };
    let large = heap_row::large_of(def, heap, ask, ctx.watch());
    let mut bulk =
        heap_rows::bulk_insert(&mut run.session.work, &ask, heap).map_err(|error| message::of_txn(error, place))?;
    let mut rows = 0;
    if limit == u64::MAX && runner.makes_records(&ctx) {
        return append_records(&ctx, runner, bulk, (place, None), outermost);
    }
    runner.run(&ctx, &mut |row| {
        heap_row::append(&mut bulk, &large, def, row)?;
        if let Some(outermost) = outermost {
            outermost.see_row(row);
        }
        rows += 1;
        Ok(if rows >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    bulk.finish().map_err(|error| message::of_txn(error, place))?;
    Ok(rows)
}

/// What a finished insert into a table makes of @@IDENTITY and SCOPE_IDENTITY(). One into a table without an identity
/// column leaves no @@IDENTITY; in a trigger it leaves that of the statement that fired it.
pub(in crate::exec) fn remember_identity(run: &mut BatchRun<'_>, def: &TableDef, last: Option<i64>) {
    let facts = &mut run.ctx_mut().facts;
    match last {
        Some(last) => {
            facts.identity = identity_value(last);
            facts.scope_identity = facts.identity.clone();
        }
        // The value is looked at first: a loop of inserts looks for its table's identity column once.
        None if !facts.identity.is_null() && facts.trigger.is_none() && def.identity_column().is_none() => {
            facts.identity = Value::Null;
        }
        None => {}
    }
}

/// Whether no other table of the statement is the target, and no function may read it.
fn is_read_by_nobody(ctx: &RunContext, target: usize) -> bool {
    let rows = &ctx.tables[target].rows;
    let mut others = ctx.tables.iter().enumerate().filter(|(binding, _)| *binding != target);
    !ctx.calls_functions && others.all(|(_, table)| !table.rows.are_of_one_table(rows))
}

/// Adds the records that a query makes, and says how many; on the threads that make them where there are several. `target`
/// is the heap among the statement's tables, if it is one of them.
pub(in crate::exec) fn append_records(
    ctx: &Arc<RunContext>,
    runner: &Runner,
    mut bulk: BulkInsert<'_>,
    (place, target): (Place<'_>, Option<usize>),
    outermost: Option<&Arc<Outermost>>,
) -> SqlResult<u64> {
    let once = runner.for_this_run(ctx);
    let runner = once.as_deref().unwrap_or(runner);
    if target.is_none_or(|target| is_heap_read_by_nobody(ctx, target))
        && let Some(plan) = runner.plan_of_many_makers(ctx)?
        && let Some(fill) = bulk.begin_fill().map_err(|error| message::of_txn(error, place))?
    {
        let (object, outermost) = (place.object.to_owned(), outermost.cloned());
        let inserter = HeapInserter { fill: Arc::clone(&fill), target, object, outermost };
        plan.run_inserting(Arc::clone(ctx), Arc::new(inserter))?;
        bulk.end_fill(&fill);
        return bulk.finish().map_err(|error| message::of_txn(error, place));
    }
    runner.run_records(ctx, &mut |records| {
        watched(records, outermost, |records| {
            let added = bulk.append_rows(&mut Appended { next: None, records });
            added.map_err(|error| message::of_txn(error, place))
        })?;
        Ok(ControlFlow::Continue(()))
    })?;
    bulk.finish().map_err(|error| message::of_txn(error, place))
}

/// An identity value as @@IDENTITY gives it: numeric(38, 0).
fn identity_value(value: i64) -> Value {
    Decimal::new(i128::from(value), 0).map_or(Value::Null, Value::Decimal)
}

/// Whether no other table of the statement is the heap.
fn is_heap_read_by_nobody(ctx: &RunContext, target: usize) -> bool {
    let is_heap =
        |table: &TableRows, heap: &Arc<Heap>| matches!(table, TableRows::Heap(other) if Arc::ptr_eq(heap, other));
    let heap = ctx.tables[target].rows.heap();
    let mut others = ctx.tables.iter().enumerate().filter(|(binding, _)| *binding != target);
    !ctx.calls_functions && !others.any(|(_, table)| is_heap(&table.rows, heap))
}

/// A heap of tempdb that a plan's threads fill.
pub(in crate::exec) struct HeapInserter {
    fill: Arc<Fill>,
    target: Option<usize>,
    object: String,
    outermost: Option<Arc<Outermost>>,
}

impl ParallelInserter for HeapInserter {
    fn part(&self) -> Box<dyn InserterPartition> {
        let (object, outermost) = (self.object.clone(), self.outermost.clone());
        Box::new(HeapPart { part: self.fill.part(), target: self.target, object, outermost })
    }
}

/// Records on their way into a heap.
pub(in crate::exec) struct Appended<'a, 'r> {
    /// The one whose length was asked for last.
    next: Option<&'r [u8]>,
    records: &'a mut dyn ExactSizeIterator<Item = &'r [u8]>,
}

impl RowSource for Appended<'_, '_> {
    fn next_len(&mut self) -> Option<usize> {
        self.next = self.records.next();
        self.next.map(<[u8]>::len)
    }

    fn encode(&mut self, to: &mut [u8]) {
        to.copy_from_slice(self.next.expect("its length was asked for"));
    }
}

pub(in crate::exec) struct HeapPart {
    part: FillPart,
    target: Option<usize>,
    object: String,
    outermost: Option<Arc<Outermost>>,
}

impl InserterPartition for HeapPart {
    fn add(&mut self, context: &RunContext, records: &mut dyn ExactSizeIterator<Item = &[u8]>) -> SqlResult<()> {
        let ask = ask_of(context, self.target);
        let HeapPart { part, object, outermost, .. } = self;
        watched(records, outermost.as_ref(), |records| {
            let added = part.append_rows(&ask, &mut Appended { next: None, records });
            let place = Place { schema: "", object, database: "tempdb" };
            added.map_err(|error| message::of_access(error, place))
        })
    }

    fn end(self: Box<Self>, _: &RunContext) -> SqlResult<()> {
        Ok(())
    }
}
