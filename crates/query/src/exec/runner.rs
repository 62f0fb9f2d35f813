//! A relation ready to run: as a direct statement where it has such a shape, else as a plan made at its first run.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_types::Value;
use parking_lot::Mutex;

use super::direct::Direct;
use crate::analytic::{self, CompileOptions, Compiled};
use crate::context::RunContext;
use crate::error::{SqlError, SqlResult};
use crate::rel::Rel;

/// A relation with its way of running.
pub(super) struct Runner {
    rel: Rel,
    direct: Option<Direct>,
    compiled: Mutex<Option<Arc<Compiled>>>,
}

impl Runner {
    /// Chooses the way. `allow_direct` is the option 'direct statements'.
    pub fn new(rel: Rel, allow_direct: bool) -> Runner {
        let direct = if allow_direct { Direct::of(&rel) } else { None };
        Runner { rel, direct, compiled: Mutex::new(None) }
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

    fn plan(&self, ctx: &RunContext) -> SqlResult<Arc<Compiled>> {
        let mut compiled = self.compiled.lock();
        if let Some(plan) = &*compiled {
            return Ok(Arc::clone(plan));
        }
        let options = CompileOptions::new(Arc::clone(ctx.engine.workspace()));
        let plan = Arc::new(analytic::compile(&self.rel, &options)?);
        ctx.engine.counters.plans.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        *compiled = Some(Arc::clone(&plan));
        Ok(plan)
    }
}
