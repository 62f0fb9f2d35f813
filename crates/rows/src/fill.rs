//! Rows of a heap in a tree: of a table that the statement makes itself (SELECT … INTO a table of a database), or one that it
//! has locked (INSERT … WITH (TABLOCK)). Its tree is filled page by page, after the rows that it has, by several threads
//! where the plan has several.
//!
//! What always holds: no other session changes the table before the commit, so no row is locked or has undo of its own. Numbers
//! of rows come in ranges, one thread's at a time, and are the order of the rows.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use millpond_access::tree::{LOGGED_PAGES, TreeFill, TreeFillPart};
use millpond_catalog::large::{Large, room_beside};
use millpond_catalog::run::Run;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{TableDef, row_key};
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_engine::stored::place_of;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_plan::{InserterPartition, ParallelInserter};
use millpond_storage::ask::Ask;
use millpond_txn::trees;
use millpond_txn::{SessionWork, ValueHome};

use crate::inherited::{Outermost, Seen};

/// Rows that a thread numbers in a row: each range costs the tree a page or two that are not full.
const RANGE_ROWS: i64 = 1 << 18;

/// A heap that no other session changes.
pub struct FilledHeap<'a> {
    /// Its definition.
    pub def: &'a Arc<TableDef>,
    /// Where its rows are.
    pub trees: &'a Arc<TableTrees>,
    /// Which table of the statement it is, if it is one of them.
    pub binding: Option<usize>,
    /// Collects the values of its identity column, when that is taken over.
    pub outermost: Option<&'a Arc<Outermost>>,
}

/// The heap that is filled.
#[derive(Clone)]
struct Target {
    fill: Arc<TreeFill>,
    def: Arc<TableDef>,
    trees: Arc<TableTrees>,
    binding: Option<usize>,
    outermost: Option<Arc<Outermost>>,
}

/// What one thread adds to it.
struct ThreadFill {
    target: Target,
    part: TreeFillPart,
    numbers: Range<i64>,
    key: Vec<u8>,
    seen: Option<Seen>,
}

impl FilledHeap<'_> {
    /// Fills it with the rows of a query, `limit` of them at most; says how many.
    ///
    /// # Errors
    /// Those of the query and of the layers below; the statement is then to be aborted.
    pub fn fill(&self, ctx: &Arc<RunContext>, work: &mut SessionWork, runner: &Runner, limit: u64) -> SqlResult<u64> {
        let FilledHeap { def, trees, binding, outermost } = *self;
        debug_assert!(def.is_plain_heap());
        let once = runner.for_this_run(ctx);
        let runner = once.as_deref().unwrap_or(runner);
        let ask = ask_of(ctx, binding);
        let of_txn = |error| message::of_txn(error, place_of(def));
        let fill = trees::begin_tree_fill(work, &ask, &trees.trees[0], LOGGED_PAGES).map_err(of_txn)?;
        let (of_fill, outermost) = (Arc::clone(&fill), outermost.cloned());
        let target = Target { fill: of_fill, def: Arc::clone(def), trees: Arc::clone(trees), binding, outermost };
        if limit < u64::MAX || !runner.makes_records(ctx) {
            target.add_rows(ctx, work, runner, limit)?;
        } else if let Some(plan) = runner.plan_of_many_makers(ctx)? {
            plan.run_inserting(Arc::clone(ctx), Arc::new(target))?;
        } else {
            target.add_records(ctx, &ask, runner)?;
        }
        trees::end_tree_fill(work, &ask, &trees.trees[0], &fill).map_err(of_txn)
    }
}

/// The asker for the pages of a table of the statement, or of another one.
pub fn ask_of(ctx: &RunContext, binding: Option<usize>) -> Ask<'_> {
    binding.map_or_else(|| ctx.ask_other(), |binding| ctx.ask(binding))
}

impl Target {
    fn new_part(&self) -> ThreadFill {
        let seen = self.outermost.as_ref().map(Seen::new);
        ThreadFill { target: self.clone(), part: self.fill.part(), numbers: 0..0, key: Vec::new(), seen }
    }

    fn add_records(&self, ctx: &Arc<RunContext>, ask: &Ask<'_>, runner: &Runner) -> SqlResult<()> {
        let mut part = self.new_part();
        runner.run_records(ctx, &mut |records| {
            for record in records {
                part.add(ask, record)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        part.end(ask)
    }

    /// Values that do not fit their rows are stored beside them on the way.
    fn add_rows(&self, ctx: &Arc<RunContext>, work: &mut SessionWork, runner: &Runner, limit: u64) -> SqlResult<()> {
        let (mut part, mut rows, mut record) = (self.new_part(), 0, Vec::new());
        let ask = ask_of(ctx, self.binding);
        let home = ValueHome::Tree(&self.trees.trees[0]);
        let large = Large { layout: &self.def.layout, home, ask, place: place_of(&self.def), watch: ctx.watch() };
        runner.run(ctx, &mut |row| {
            part.next_key(&ask)?;
            record.clear();
            large.append_record(work, row, None, room_beside(&part.key), &mut record)?;
            part.add_keyed(&ask, &record)?;
            rows += 1;
            Ok(if rows >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        part.end(&ask)
    }
}

impl ThreadFill {
    fn add(&mut self, ask: &Ask<'_>, record: &[u8]) -> SqlResult<()> {
        self.next_key(ask)?;
        self.add_keyed(ask, record)
    }

    /// The key of the next row; where it is not after the last one the run ends.
    fn next_key(&mut self, ask: &Ask<'_>) -> SqlResult<()> {
        let ThreadFill { target: Target { def, trees, .. }, part, numbers, key, .. } = self;
        if numbers.is_empty() {
            let first = trees.next_rows(def, ask, RANGE_ROWS)?;
            if first != numbers.end {
                part.end_run(ask).map_err(|cause| message::of_access(cause, place_of(def)))?;
            }
            *numbers = first..first + RANGE_ROWS;
        }
        row_key(def, &[], numbers.next().expect("taken above"), key);
        Ok(())
    }

    fn add_keyed(&mut self, ask: &Ask<'_>, record: &[u8]) -> SqlResult<()> {
        if let Some(seen) = &mut self.seen {
            seen.see(record);
        }
        let added = self.part.add(ask, &self.key, record);
        added.map_err(|cause| message::of_access(cause, place_of(&self.target.def)))
    }

    fn end(mut self, ask: &Ask<'_>) -> SqlResult<()> {
        self.seen.as_mut().map_or(Ok(()), Seen::merge)?;
        let ended = self.part.end_run(ask);
        ended.map_err(|cause| message::of_access(cause, place_of(&self.target.def)))
    }
}

impl ParallelInserter for Target {
    fn part(&self) -> Box<dyn InserterPartition> {
        Box::new(self.new_part())
    }
}

impl InserterPartition for ThreadFill {
    fn add(&mut self, context: &RunContext, records: &mut dyn ExactSizeIterator<Item = &[u8]>) -> SqlResult<()> {
        let ask = ask_of(context, self.target.binding);
        for record in records {
            ThreadFill::add(self, &ask, record)?;
        }
        Ok(())
    }

    fn end(self: Box<Self>, context: &RunContext) -> SqlResult<()> {
        let ask = ask_of(context, self.target.binding);
        ThreadFill::end(*self, &ask)
    }
}
