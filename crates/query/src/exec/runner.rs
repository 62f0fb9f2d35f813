//! A relation ready to run: as a direct statement where it has such a shape, else as a plan made at its first run.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_types::Value;
use parking_lot::Mutex;

use super::direct::Direct;
use crate::analytic::{self, CompileOptions, Compiled};
use crate::context::{RunContext, TableBinding, TableRows};
use crate::error::{SqlError, SqlResult};
use crate::rel::Rel;
use crate::seek::{Guide, Relied};
use crate::showplan::{Operator, Scope};

/// A relation with its way of running.
pub(super) struct Runner {
    rel: Rel,
    direct: Option<Direct>,
    /// What the short cut relies on; mostly nothing.
    relied: Vec<Relied>,
    planned: Mutex<Option<Planned>>,
}

/// A plan, and what it was made for.
struct Planned {
    /// How large the tables were.
    sizes: Vec<u32>,
    relied: Vec<Relied>,
    plan: Arc<Compiled>,
}

impl Runner {
    /// Chooses the way: directly where that is allowed (the option 'direct statements') and the relation has such a
    /// shape.
    pub fn new(rel: Rel, ctx: &RunContext) -> Runner {
        let guide = Guide::of(ctx);
        let direct = if ctx.engine.direct_statements() { Direct::of(&rel, &guide) } else { None };
        Runner { rel, direct, relied: guide.take_relied(), planned: Mutex::new(None) }
    }

    /// By a plan in any case.
    pub fn by_plan(rel: Rel) -> Runner {
        Runner { rel, direct: None, relied: Vec::new(), planned: Mutex::new(None) }
    }

    /// Whether the way is to be chosen again. A plan sees to that itself.
    #[inline]
    pub fn is_stale(&self) -> bool {
        self.relied.iter().any(Relied::is_stale)
    }

    /// The short cut, if there is one.
    pub fn direct(&self) -> Option<&Direct> {
        self.direct.as_ref()
    }

    /// Runs; `on_row` sees each row, may stop the run, and its error ends it.
    ///
    /// # Errors
    /// The run's first error or that of `on_row`.
    pub fn run(
        &self,
        ctx: &Arc<RunContext>,
        on_row: &mut dyn FnMut(&[Value]) -> SqlResult<ControlFlow<()>>,
    ) -> SqlResult<()> {
        if let Some(direct) = &self.direct {
            return direct.run(ctx, on_row);
        }
        let plan = self.plan(ctx)?;
        let mut failed: Option<SqlError> = None;
        plan.run(Arc::clone(ctx), &mut |row| match on_row(row) {
            Ok(flow) => flow,
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// What runs, as plans are shown.
    ///
    /// # Errors
    /// What the making of a plan says.
    pub fn show(&self, ctx: &RunContext, scope: &Scope) -> SqlResult<Operator> {
        match &self.direct {
            Some(direct) => Ok(direct.show(scope)),
            None => Ok(self.plan(ctx)?.show(scope)),
        }
    }

    fn plan(&self, ctx: &RunContext) -> SqlResult<Arc<Compiled>> {
        let rows = if joins(&self.rel) { table_rows(ctx) } else { Vec::new() };
        let sizes: Vec<u32> = rows.iter().map(|rows| rows.checked_ilog2().map_or(0, |log| 1 + log / 3)).collect();
        let mut planned = self.planned.lock();
        if let Some(known) = &*planned
            && known.sizes == sizes
            && !known.relied.iter().any(Relied::is_stale)
        {
            return Ok(Arc::clone(&known.plan));
        }
        let workspace = Arc::clone(ctx.engine.workspace());
        let options =
            CompileOptions { table_rows: rows, guide: Arc::new(Guide::of(ctx)), ..CompileOptions::new(workspace) };
        let plan = Arc::new(analytic::compile(&self.rel, &options)?);
        ctx.engine.counters.plans.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        *planned = Some(Planned { sizes, relied: options.guide.take_relied(), plan: Arc::clone(&plan) });
        Ok(plan)
    }
}

/// Whether tables are joined, so that their sizes matter to the plan.
fn joins(rel: &Rel) -> bool {
    match rel {
        Rel::Join { .. } => true,
        Rel::Filter { input, .. }
        | Rel::Project { input, .. }
        | Rel::Aggregate { input, .. }
        | Rel::Sort { input, .. }
        | Rel::Top { input, .. } => joins(input),
        Rel::Distinct(input) => joins(input),
        Rel::Set { left, right, .. } | Rel::Apply { left, right, .. } => joins(left) || joins(right),
        _ => false,
    }
}

/// About how many rows the statement's tables have now; 0 where that cannot be read.
fn table_rows(ctx: &RunContext) -> Vec<u64> {
    let rows = |(binding, table): (usize, &TableBinding)| match &table.rows {
        TableRows::Heap(heap) => heap.row_count(),
        TableRows::Trees(trees) => {
            let tree = trees.trees.first();
            tree.and_then(|tree| tree.entry_estimate(&ctx.ask(binding)).ok()).unwrap_or_default()
        }
    };
    ctx.tables.iter().enumerate().map(rows).collect()
}
