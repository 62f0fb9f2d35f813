//! INSERT: rows given, rows of a query, rows of SELECT INTO, rows of OUTPUT … INTO.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::{Fill, FillPart, Heap, ROW_BYTES_MAX, RowSource};
use millpond_bind::{BoundChanges, BoundInsert, InsertColumn, InsertTarget};
use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::expr::ExprType;
use millpond_catalog::run::Run;
use millpond_catalog::{ColumnDef, IndexKind, TableDef, TableStorage};
use millpond_engine::context::{RunContext, TableRows};
use millpond_engine::stored::place_of;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_plan::{PlacePart, Placer};
use millpond_tsql::ast::{Insert, InsertSource, Statement};
use millpond_txn::{BulkInsert, LockMode};
use millpond_types::{Decimal, MaxLen, SqlType, Value};

use crate::exec::batch::code::{Code, InsertCode};
use crate::exec::batch::runner::Runner;
use crate::exec::batch::{BatchRun, COMMAND_INSERT};
use crate::exec::dml::change::change_code;
use crate::exec::dml::fill::{FilledHeap, ask_of};
use crate::exec::dml::heap_row;
use crate::exec::dml::inherited::{Outermost, watched};
use crate::exec::dml::load::{Load, Way};
use crate::exec::dml::merge::merge_code;
use crate::exec::dml::output::OutputRows;
use crate::exec::dml::query::max_degree;
use crate::exec::dml::row::{Asked, RowMaker, Verb, check_stored_row, record_bytes};
use crate::exec::dml::write::{Inserted, Writer};
use crate::exec::routine::trigger::{Change, Event};

/// Rows given, fewer than are worth to be sorted.
const FEW_ROWS: usize = 8;
/// Rows whose references are looked at together.
const REFERENCE_ROWS: usize = 1024;

fn is_small(runner: &Runner) -> bool {
    runner.direct().and_then(|direct| direct.given_rows()).is_some_and(|rows| rows < FEW_ROWS)
}

/// Whether no other table of the statement is the target, and no function may read it.
fn is_read_by_nobody(ctx: &RunContext, target: usize) -> bool {
    let rows = &ctx.tables[target].rows;
    let mut others = ctx.tables.iter().enumerate().filter(|(binding, _)| *binding != target);
    !ctx.calls_functions && others.all(|(_, table)| !table.rows.are_of_one_table(rows))
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

impl BatchRun<'_> {
    pub(in crate::exec) fn insert(&mut self, statement: &Statement, insert: &Insert) -> SqlResult<()> {
        let code = self.code_of_insert(statement, insert)?;
        let rows = match &*code {
            Code::Insert(insert) => self.run_insert(insert)?,
            // The rows of a change.
            Code::Merge(_) => self.run_merge(&code)?,
            _ => self.change(&code, None)?,
        };
        if let Some(rows) = rows {
            self.done_rows(rows, COMMAND_INSERT);
        }
        Ok(())
    }

    /// The count of rows; none when the batch has ended in a trigger.
    fn run_insert(&mut self, insert: &InsertCode) -> SqlResult<Option<u64>> {
        self.ctx_mut().begin_statement();
        self.implicit_begin();
        let watch = self.watch();
        let (into, output) = (&insert.bound.into, &insert.bound.output);
        let change = Change { def: &into.def, events: &[Event::Insert], columns: &[], output };
        let Some(rows) = self.with_triggers(&change, |run| run.insert_code(insert))? else { return Ok(None) };
        self.tell_statistics(watch);
        Ok(Some(rows))
    }

    pub(in crate::exec) fn code_of_insert(&mut self, statement: &Statement, insert: &Insert) -> SqlResult<Arc<Code>> {
        self.bound(statement, 0, |binder, ctx| {
            if let InsertSource::Changes(changed) = &insert.source {
                return match binder.insert_of_changes(insert, changed)? {
                    BoundChanges::Change(bound) => change_code(bound, ctx, None),
                    BoundChanges::Merge(bound) => merge_code(bound, ctx),
                    BoundChanges::Insert(bound) => {
                        let runner = Runner::new(bound.source.clone(), ctx);
                        Ok(Code::Insert(InsertCode { bound, runner }))
                    }
                };
            }
            let bound = binder.insert(insert)?;
            let runner = Runner::new(bound.source.clone(), ctx);
            let runner = match &insert.source {
                InsertSource::Query(query) if takes_records(&bound) => {
                    runner.with_max_degree(max_degree(&query.options)).into_records(&bound.into.def.layout)
                }
                InsertSource::Query(query) => runner.with_max_degree(max_degree(&query.options)),
                _ => runner,
            };
            Ok(Code::Insert(InsertCode { bound, runner }))
        })
    }

    fn insert_code(&mut self, insert: &InsertCode) -> SqlResult<u64> {
        let bound = &insert.bound;
        let heap = bound.into.def.storage == TableStorage::TempHeap;
        // A function may count the rows that are there; triggers want to see those that come.
        let is_plain = bound.output.is_empty() && !self.ctx.calls_functions && self.changes.is_none();
        if !heap && is_plain && Load::takes(&bound.into.def) && !is_small(&insert.runner) {
            return self.load_rows(insert);
        }
        if !heap || !bound.output.is_empty() {
            return self.insert_with_output(insert);
        }
        match insert.runner.direct().and_then(|direct| direct.single_row()) {
            Some(cells) if !bound.bulk && !self.ctx.calls_functions => self.insert_one(bound, cells),
            _ => self.insert_rows(insert),
        }
    }

    /// INSERT … VALUES of one row: no operator, no allocation, one record written straight into its page.
    fn insert_one(&mut self, bound: &BoundInsert, cells: &[millpond_catalog::expr::BoundExpr]) -> SqlResult<u64> {
        let table = &self.ctx.tables[bound.into.target];
        let def = &bound.into.def;
        let place = Place { schema: "", object: &def.name, database: "tempdb" };
        let mut maker = RowMaker::new(&self.ctx, &bound.into);
        let row = &mut self.row;
        maker.make(|source| Ok((eval(&cells[source], &*self.ctx, Rows::NONE)?, &cells[source].ty.sql)), row)?;
        let last = maker.last_identity;
        let fits = def.layout.fits(row, ROW_BYTES_MAX);
        let bytes = if fits { record_bytes(def, row)? } else { 0 };
        let ask = self.ctx.ask(bound.into.target);
        let work = &mut self.session.work;
        let mark = work.begin_statement();
        let inserted = if fits {
            let added = work.insert(&ask, table.rows.heap(), bytes, |record| {
                def.layout.encode_into(row, record).expect("measured above");
            });
            added.map(|_| ()).map_err(|error| message::of_txn(error, place))
        } else {
            let large =
                heap_row::large_of(def, table.rows.heap(), self.ctx.ask_lob(bound.into.target), self.ctx.watch());
            heap_row::insert(work, &ask, table.rows.heap(), &large, row)
        };
        if let Err(error) = inserted {
            let undone = work.abort_statement(&ask, mark);
            self.ctx.session.temp.write().undone(undone).map_err(|error| message::of_txn(error, place))?;
            return Err(error);
        }
        work.end_statement(&ask, mark).map_err(|error| message::of_txn(error, place))?;
        self.remember_identity(&bound.into.def, last);
        Ok(1)
    }

    fn insert_rows(&mut self, insert: &InsertCode) -> SqlResult<u64> {
        let target = &insert.bound.into;
        let def = Arc::clone(&target.def);
        let heap = Arc::clone(self.ctx.tables[target.target].rows.heap());
        let types: Vec<ExprType> = insert.bound.source.types();
        let limit = self.row_limit();
        let (rows, last) = self.atomically(&def.name, |run| {
            let ctx = Arc::clone(&run.ctx);
            let ask = ctx.ask(target.target);
            let place = Place { schema: "", object: &def.name, database: "tempdb" };
            let large = heap_row::large_of(&def, &heap, ctx.ask_lob(target.target), ctx.watch());
            let mut maker = RowMaker::new(&ctx, target);
            let mut bulk = run.session.work.bulk_insert(&ask, &heap).map_err(|error| message::of_txn(error, place))?;
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
        self.remember_identity(&def, last);
        Ok(rows)
    }

    /// Runs work that inserts into a stored table, all or none. TABLOCK locks the whole table later.
    pub(in crate::exec) fn inserting<T>(
        &mut self,
        bound: &BoundInsert,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        match bound.table_lock {
            true => self.atomically(&bound.into.def.name, work),
            false => self.changing(&bound.into.def, work),
        }
    }

    /// How a load adds the rows of a statement; TABLOCK locks the table here.
    pub(in crate::exec) fn way_of_load(&mut self, ctx: &Arc<RunContext>, bound: &BoundInsert) -> SqlResult<Way> {
        let target = bound.into.target;
        let streams = if is_read_by_nobody(ctx, target) { Way::Stream } else { Way::AtEnd };
        if !bound.table_lock || bound.into.def.is_temporary() {
            return Ok(streams);
        }
        let (ask, trees) = (ctx.ask(target), ctx.tables[target].rows.trees());
        let (home, object) = (trees.trees[0].ctx().handle.db, trees.trees[0].ids().object_id);
        let place = place_of(&bound.into.def);
        let locked = self.session.work.lock_object(&ask, home, object, LockMode::X);
        locked.map_err(|error| message::of_txn(error, place))?;
        if bound.into.def.indexes[0].kind == IndexKind::Heap {
            return Ok(Way::Fill);
        }
        let bare = trees.trees.iter().map(|tree| tree.is_bare(&ask)).collect::<Result<Vec<bool>, _>>();
        let bare = bare.map_err(|cause| message::of_access(cause, place))?;
        Ok(if bare.into_iter().all(|is_bare| is_bare) { Way::Fill } else { streams })
    }

    /// Many rows into a table in trees.
    fn load_rows(&mut self, insert: &InsertCode) -> SqlResult<u64> {
        let target = &insert.bound.into;
        let def = Arc::clone(&target.def);
        let types: Vec<SqlType> = insert.bound.source.types().into_iter().map(|ty| ty.sql).collect();
        let limit = self.row_limit();
        let (rows, last) = self.inserting(&insert.bound, |run| {
            let ctx = Arc::clone(&run.ctx);
            let way = run.way_of_load(&ctx, &insert.bound)?;
            let trees = ctx.tables[target.target].rows.trees();
            // Triggers, which want the rows, have been asked about before.
            let makes_records = limit == u64::MAX && insert.runner.makes_records(&ctx);
            if way == Way::Fill && makes_records {
                let heap = FilledHeap { def: &def, trees, binding: Some(target.target), outermost: None };
                return Ok((heap.fill(&ctx, &mut run.session.work, &insert.runner, limit)?, None));
            }
            let mut load = Load::new(&ctx, ctx.ask(target.target), &def, trees, way);
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
                    run.check_references(&ctx, &def, &references.take(), "INSERT")?;
                }
                Ok(if load.rows() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            let rows = load.finish(&mut run.session.work)?;
            run.check_references(&ctx, &def, &references.take(), "INSERT")?;
            Ok((rows, maker.last_identity))
        })?;
        self.remember_identity(&def, last);
        Ok(rows)
    }

    /// Rows into a table in trees, or rows that somebody wants to see.
    fn insert_with_output(&mut self, insert: &InsertCode) -> SqlResult<u64> {
        let bound = &insert.bound;
        let types: Vec<SqlType> = bound.source.types().into_iter().map(|ty| ty.sql).collect();
        let limit = self.row_limit();
        let mut output = OutputRows::new(&bound.output);
        let (rows, last) = self.inserting(bound, |run| {
            let ctx = Arc::clone(&run.ctx);
            // The rows come first: a statement does not meet what it inserts.
            let mut sources: Vec<Vec<Value>> = Vec::new();
            insert.runner.run(&ctx, &mut |source| {
                sources.push(source.to_vec());
                let full = sources.len() as u64 >= limit;
                Ok(if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            let mut on_row = |row: &[Value]| output.add(&ctx, row, &[], &[]);
            let stored = run.store_rows(&ctx, &bound.into, &sources, &types, &mut on_row)?;
            run.output_into(&ctx, &mut output)?;
            Ok(stored)
        })?;
        self.remember_identity(&bound.into.def, last);
        self.send_output(&output)?;
        Ok(output.taken().unwrap_or(rows))
    }

    /// Stores rows of a source; says how many, and the last identity value.
    pub(in crate::exec) fn store_rows(
        &mut self,
        ctx: &Arc<RunContext>,
        target: &InsertTarget,
        sources: &[Vec<Value>],
        types: &[SqlType],
        on_row: &mut dyn FnMut(&[Value]) -> SqlResult<()>,
    ) -> SqlResult<(u64, Option<i64>)> {
        let def = &target.def;
        let mut maker = RowMaker::new(ctx, target);
        let (mut row, mut rows) = (Vec::with_capacity(def.columns.len()), 0);
        let ask = ctx.ask(target.target);
        let mut new_rows: Vec<Vec<Value>> = Vec::new();
        let watched = self.changes.is_some() && !def.is_temporary();
        let keeps_rows = watched || !def.foreign_keys.is_empty();
        let mut ignored = false;
        for source in sources {
            if ctx.task.is_cancelled() {
                return Err(message::cancelled());
            }
            maker.make(|column| Ok((source[column].clone(), &types[column])), &mut row)?;
            if def.storage == TableStorage::TempHeap {
                let heap = ctx.tables[target.target].rows.heap();
                let large = heap_row::large_of(def, heap, ctx.ask_lob(target.target), ctx.watch());
                heap_row::insert(&mut self.session.work, &ask, heap, &large, &row)?;
            } else {
                let trees = ctx.tables[target.target].rows.trees();
                let mut writer = Writer::new(&mut self.session.work, ctx, ask, def, trees, ctx.ask_lob(target.target));
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
        if keeps_rows {
            self.check_references(ctx, def, &new_rows, "INSERT")?;
        }
        if let Some(changes) = self.changes.as_mut().filter(|_| watched) {
            changes.inserted.append(&mut new_rows);
        }
        if ignored {
            self.inform(3604, &[]);
        }
        Ok((rows, maker.last_identity))
    }

    /// Rows of SELECT INTO: the columns are the query's own.
    pub(in crate::exec) fn bulk_rows(
        &mut self,
        runner: &Runner,
        def: &Arc<TableDef>,
        heap: &Arc<Heap>,
        limit: u64,
        outermost: Option<&Arc<Outermost>>,
    ) -> SqlResult<u64> {
        let ctx = Arc::clone(&self.ctx);
        let ask = ctx.ask_other();
        let place = Place { schema: "", object: &def.name, database: "tempdb" };
        let large = heap_row::large_of(def, heap, ask, ctx.watch());
        let mut bulk = self.session.work.bulk_insert(&ask, heap).map_err(|error| message::of_txn(error, place))?;
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
    pub(in crate::exec) fn remember_identity(&mut self, def: &TableDef, last: Option<i64>) {
        let facts = &mut self.ctx_mut().facts;
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

/// Whether no other table of the statement is the heap.
fn is_heap_read_by_nobody(ctx: &RunContext, target: usize) -> bool {
    let is_heap =
        |table: &TableRows, heap: &Arc<Heap>| matches!(table, TableRows::Heap(other) if Arc::ptr_eq(heap, other));
    let heap = ctx.tables[target].rows.heap();
    let mut others = ctx.tables.iter().enumerate().filter(|(binding, _)| *binding != target);
    !ctx.calls_functions && !others.any(|(_, table)| is_heap(&table.rows, heap))
}

/// Adds the records that a query makes, and says how many; on the threads that make them where there are several. `target`
/// is the heap among the statement's tables, if it is one of them.
fn append_records(
    ctx: &Arc<RunContext>,
    runner: &Runner,
    mut bulk: BulkInsert<'_>,
    (place, target): (Place<'_>, Option<usize>),
    outermost: Option<&Arc<Outermost>>,
) -> SqlResult<u64> {
    if target.is_none_or(|target| is_heap_read_by_nobody(ctx, target))
        && let Some(plan) = runner.plan_of_many_makers(ctx)?
        && let Some(fill) = bulk.begin_fill().map_err(|error| message::of_txn(error, place))?
    {
        let (object, outermost) = (place.object.to_owned(), outermost.cloned());
        let placer = HeapPlacer { fill: Arc::clone(&fill), target, object, outermost };
        plan.run_placed(Arc::clone(ctx), Arc::new(placer))?;
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

/// A heap of tempdb that a plan's threads fill.
struct HeapPlacer {
    fill: Arc<Fill>,
    target: Option<usize>,
    object: String,
    outermost: Option<Arc<Outermost>>,
}

struct HeapPart {
    part: FillPart,
    target: Option<usize>,
    object: String,
    outermost: Option<Arc<Outermost>>,
}

impl Placer for HeapPlacer {
    fn part(&self) -> Box<dyn PlacePart> {
        let (object, outermost) = (self.object.clone(), self.outermost.clone());
        Box::new(HeapPart { part: self.fill.part(), target: self.target, object, outermost })
    }
}

impl PlacePart for HeapPart {
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

/// Records on their way into a heap.
struct Appended<'a, 'r> {
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

/// An identity value as @@IDENTITY gives it: numeric(38, 0).
fn identity_value(value: i64) -> Value {
    Decimal::new(i128::from(value), 0).map_or(Value::Null, Value::Decimal)
}
