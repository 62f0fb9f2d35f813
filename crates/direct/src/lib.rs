//! Direct statements: relations over given rows, and over few rows of tables that an index leads to, run here without a
//! plan.
//!
//! ```text
//!   Project ◀─ Top ◀─ Sort ◀─ Aggregate ◀─ … ◀─ Values
//!        stages, from the rows up             ◀─ join: table by table, each by an index (steps)
//! ```
//! A shape joins when a profile asks for it; whatever reads many rows is left to a plan. The option 'direct statements'
//! turns these off, so that tests can compare both ways.

mod aggregate;
mod build;
mod facets;
mod given;
mod missing;
pub mod runner;
mod show;
mod stage;
mod steps;
pub mod walk;

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_engine::account::profile::OperatorAccount;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_seek::Guide;
use millpond_types::Value;

use crate::stage::{Flow, Stage};
use crate::steps::Join;

pub use crate::stage::percent_of;
pub use crate::steps::TableStep;

/// A relation that needs no plan.
pub struct Direct {
    source: Source,
    stages: Vec<Stage>,
}

/// Where rows come from.
enum Source {
    /// Given, and how many columns they have: there may be no row.
    Values(Vec<Vec<BoundExpr>>, usize),
    /// Of tables.
    Join(Join),
}

impl Source {
    fn parts(&self) -> usize {
        match self {
            Source::Values(..) => 1,
            Source::Join(join) => join.parts(),
        }
    }
}

/// The receiver of rows.
type OnRow<'a> = &'a mut dyn FnMut(&[Value]) -> SqlResult<ControlFlow<()>>;

impl Direct {
    /// The short cut for a relation, if it has one of the shapes.
    pub fn of(rel: &Rel, guide: &Guide) -> Option<Direct> {
        build::direct(rel, guide)
    }

    /// The way from a row of `first` columns to the rows of a table that match it, if an index leads there.
    pub fn lookup(binding: usize, def: &Arc<TableDef>, first: usize, on: &BoundExpr) -> Option<TableStep> {
        build::lookup(binding, def, first, on)
    }

    /// The cells of a single given row, for INSERT … VALUES.
    pub fn single_row(&self) -> Option<&[BoundExpr]> {
        match &self.source {
            Source::Values(rows, _) if self.stages.is_empty() && rows.len() == 1 => Some(&rows[0]),
            _ => None,
        }
    }

    /// How many rows are given, when they are.
    pub fn given_rows(&self) -> Option<usize> {
        match &self.source {
            Source::Values(rows, _) => Some(rows.len()),
            Source::Join(_) => None,
        }
    }

    /// The only table that is read, when all its rows that pass are given.
    pub fn single_table(&self) -> Option<&TableStep> {
        match &self.source {
            Source::Join(join) if self.stages.iter().all(|stage| matches!(stage, Stage::Project(_))) => join.single(),
            _ => None,
        }
    }

    /// Whether any of its expressions reads an enclosing query's row.
    fn reads_outer(&self) -> bool {
        let reads = |expr: &BoundExpr| {
            let mut found = false;
            expr.visit(&mut |node| found |= matches!(node.kind, Kind::Outer { .. }));
            found
        };
        let source = match &self.source {
            Source::Values(rows, _) => rows.iter().flatten().any(reads),
            // What leads to rows is asked of them again.
            Source::Join(join) => join.steps.iter().flat_map(|step| &step.filters).chain(&join.constants).any(reads),
        };
        source || self.stages.iter().flat_map(Stage::exprs).any(reads)
    }

    /// Parts that have accounts of their own: those of the source, then the stages.
    fn parts(&self) -> usize {
        self.source.parts() + self.stages.len()
    }

    /// Runs it.
    pub fn run(&self, ctx: &RunContext, on_row: OnRow<'_>) -> SqlResult<()> {
        let accounts = ctx.profile.as_deref().map_or(&[][..], |profile| profile.direct(self.parts()));
        self.run_with(ctx, accounts, on_row)
    }

    /// The same with the accounts of its parts, or none.
    fn run_with(&self, ctx: &RunContext, accounts: &[OperatorAccount], on_row: OnRow<'_>) -> SqlResult<()> {
        let mut rows: Option<Vec<Vec<Value>>> = None;
        let mut rest = &self.stages[..];
        accounts.iter().skip(self.source.parts()).for_each(|account| account.begin(ctx.engine.clock_us()));
        let (sources, mut accounts) = accounts.split_at(self.source.parts().min(accounts.len()));
        loop {
            let streaming = rest.iter().take_while(|stage| !stage.is_blocking()).count();
            let (here, above) = rest.split_at(streaming);
            let mut flow = Flow::open(here, accounts, ctx)?;
            accounts = accounts.get(streaming..).unwrap_or_default();
            match above.split_first() {
                None => {
                    return self.feed(ctx, sources, rows, &mut |row| flow.pass(ctx, row, on_row));
                }
                Some((blocking, above)) => {
                    let mut gather = blocking.gather();
                    self.feed(ctx, sources, rows.take(), &mut |row| {
                        flow.pass(ctx, row, &mut |row| gather.add(ctx, row).map(|()| ControlFlow::Continue(())))
                    })?;
                    let gathered = gather.finish(ctx)?;
                    if let Some((account, above)) = accounts.split_first() {
                        account.add_rows(gathered.len() as u64, ctx.engine.clock_us());
                        accounts = above;
                    }
                    rows = Some(gathered);
                    rest = above;
                }
            }
        }
    }

    /// Hands on the rows at hand, or those of the source.
    fn feed(
        &self,
        ctx: &RunContext,
        accounts: &[OperatorAccount],
        rows: Option<Vec<Vec<Value>>>,
        on_row: OnRow<'_>,
    ) -> SqlResult<()> {
        if let Some(rows) = rows {
            for row in rows {
                if on_row(&row)?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        match &self.source {
            Source::Join(join) => join.run(ctx, accounts, on_row),
            Source::Values(rows, _) => {
                accounts.iter().for_each(|account| account.begin(ctx.engine.clock_us()));
                for cells in rows {
                    ctx.begin_row();
                    let row = cells.iter().map(|cell| eval(cell, ctx, Rows::NONE)).collect::<SqlResult<Vec<_>>>()?;
                    accounts.iter().for_each(|account| account.add_rows(1, ctx.engine.clock_us()));
                    if on_row(&row)?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }
}

/// The number of OFFSET.
///
/// # Errors
/// 10742 for a negative number, 1060 for NULL.
pub(crate) fn offset_count(value: &Value) -> SqlResult<u64> {
    top_count(value).map_err(|error| if error.number == 127 { message::negative_offset() } else { error })
}

/// The number of TOP.
///
/// # Errors
/// 127 for a negative number, 1060 for NULL.
pub fn top_count(value: &Value) -> SqlResult<u64> {
    match value {
        Value::BigInt(count) => u64::try_from(*count).map_err(|_| SqlError::of(127, 1, &[])),
        _ => Err(SqlError::of(1060, 1, &[])),
    }
}
