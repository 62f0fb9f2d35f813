//! Rows of a table that the statement makes itself (SELECT … INTO a table of a database): its tree is filled page by page,
//! by several threads where the plan has several.
//!
//! What always holds: nobody else sees the table before the commit, so no row is locked or has undo of its own; what
//! undoes the table undoes all. Numbers of rows come in ranges, one thread's at a time, and are the order of the rows.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use millpond_access::tree::{LOGGED_PAGES, TreeFill, TreeFillPart};
use millpond_storage::ask::Ask;
use millpond_txn::{SessionWork, ValueHome};

use super::runner::Runner;
use crate::analytic::{PlacePart, Placer};
use crate::catalog::{IndexKind, TableDef};
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::large::{Large, room_beside};
use crate::message;
use crate::stored::{place_of, row_key};
use crate::trees::TableTrees;

/// Rows that a thread numbers in a row: each range costs the tree a page or two that are not full.
const RANGE_ROWS: i64 = 1 << 18;

/// The heap that is filled.
#[derive(Clone)]
struct Target {
    fill: Arc<TreeFill>,
    def: Arc<TableDef>,
    trees: Arc<TableTrees>,
}

/// What one thread adds to it.
struct Part {
    target: Target,
    part: TreeFillPart,
    numbers: Range<i64>,
    key: Vec<u8>,
}

/// Fills the heap of a table that this statement made with the rows of its query, `limit` of them at most; says how many.
///
/// # Errors
/// Those of the query and of the layers below; the statement is then to be aborted.
pub(super) fn fill_heap(
    ctx: &Arc<RunContext>,
    work: &mut SessionWork,
    def: &Arc<TableDef>,
    trees: &Arc<TableTrees>,
    runner: &Runner,
    limit: u64,
) -> SqlResult<u64> {
    debug_assert_eq!((def.indexes.len(), def.indexes[0].kind), (1, IndexKind::Heap));
    let ask = ctx.ask_other();
    let of_txn = |error| message::of_txn(error, place_of(def));
    let fill = work.begin_tree_fill(&ask, &trees.trees[0], LOGGED_PAGES).map_err(of_txn)?;
    let target = Target { fill: Arc::clone(&fill), def: Arc::clone(def), trees: Arc::clone(trees) };
    if limit < u64::MAX || !runner.makes_records(ctx) {
        target.add_rows(ctx, work, runner, limit)?;
    } else if runner.has_many_makers(ctx)? {
        runner.run_placed(ctx, Arc::new(target))?;
    } else {
        target.add_records(ctx, &ask, runner)?;
    }
    work.end_tree_fill(&ask, &trees.trees[0], &fill).map_err(of_txn)
}

impl Target {
    fn new_part(&self) -> Part {
        Part { target: self.clone(), part: self.fill.part(), numbers: 0..0, key: Vec::new() }
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
        let ask = ctx.ask_other();
        let home = ValueHome::Tree(&self.trees.trees[0]);
        let large = Large { layout: &self.def.layout, home, ask, place: place_of(&self.def) };
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

impl Part {
    fn add(&mut self, ask: &Ask<'_>, record: &[u8]) -> SqlResult<()> {
        self.next_key(ask)?;
        self.add_keyed(ask, record)
    }

    /// The key of the next row; where it is not behind the last one the run ends.
    fn next_key(&mut self, ask: &Ask<'_>) -> SqlResult<()> {
        let Part { target: Target { def, trees, .. }, part, numbers, key } = self;
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
        let added = self.part.add(ask, &self.key, record);
        added.map_err(|cause| message::of_access(cause, place_of(&self.target.def)))
    }

    fn end(mut self, ask: &Ask<'_>) -> SqlResult<()> {
        let ended = self.part.end_run(ask);
        ended.map_err(|cause| message::of_access(cause, place_of(&self.target.def)))
    }
}

impl Placer for Target {
    fn part(&self) -> Box<dyn PlacePart> {
        Box::new(self.new_part())
    }
}

impl PlacePart for Part {
    fn add(&mut self, context: &RunContext, records: &mut dyn ExactSizeIterator<Item = &[u8]>) -> SqlResult<()> {
        let ask = context.ask_other();
        for record in records {
            Part::add(self, &ask, record)?;
        }
        Ok(())
    }

    fn end(self: Box<Self>, context: &RunContext) -> SqlResult<()> {
        Part::end(*self, &context.ask_other())
    }
}
