//! Where lowering enters itself: a relation holds expressions, an expression holds queries, and a query that is run for
//! each row is a plan of its own. Each method calls the function that does it and does nothing itself.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::logical_expr::Expr;
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::Rel;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::lower::{expression, relation, shared, table};
use crate::lowering::{Lowered, Lowering, OuterScope};
use crate::operator::correlate::InnerPlan;
use crate::physical::plan::Runnable;
use crate::run::cell::RunCell;
use crate::run::failure;
use millpond_rewrite::{held, normal};
use millpond_showplan::{Operator, Scope};
use tokio::task::block_in_place;

impl Lowering<'_> {
    /// The plan of a relation.
    pub(crate) fn rel(&self, rel: &Rel) -> SqlResult<Lowered> {
        shared::lowered(self, rel, relation::lowered)
    }

    /// The expression of a value over the columns of a plan.
    pub(crate) fn expr(&self, expr: &BoundExpr, columns: &[Column]) -> SqlResult<Expr> {
        expression::lowered(self, expr, columns)
    }

    /// The conjunction of predicates over the columns of a plan; none of none.
    pub(crate) fn conjunction(&self, predicates: &[BoundExpr], columns: &[Column]) -> SqlResult<Option<Expr>> {
        expression::conjunction(self, predicates, columns)
    }

    /// The plan of an inner query, and what it reads of the queries around it.
    pub(crate) fn inner_plan(&self, rel: &Rel) -> SqlResult<(Box<dyn InnerPlan>, OuterScope)> {
        let scope = Some(OuterScope::default());
        let mut lowering = Lowering::new(self.options, Arc::clone(&self.cell), scope);
        lowering.around = if self.runs_once() { Some(self) } else { self.around };
        let pushed = normal::normalise(rel.clone());
        // Groups that no outer row is read for are the same for all, unless an index leads to the rows of one.
        let rel = match table::is_led_by_outer(&lowering, &pushed) {
            true => pushed,
            false => held::normalise_around(rel.clone()),
        };
        let runnable = Runnable::new(&rel, &lowering)?;
        let scope = lowering.outer.ok_or_else(|| failure::internal("an inner plan lost its scope"))?;
        Ok((Box::new(runnable), scope))
    }

    /// The plan of an inner query in normal form that reads no outer row and runs once.
    pub(crate) fn closed_plan(&self, rel: &Rel) -> SqlResult<Box<dyn InnerPlan>> {
        let cell = Arc::new(RunCell::default());
        let scope = OuterScope { is_closed: true, ..OuterScope::default() };
        let mut lowering = Lowering::new(self.options, Arc::clone(&cell), Some(scope));
        lowering.shared = shared::of(&lowering, rel);
        let plan = Runnable::new(rel, &lowering)?;
        Ok(Box::new(ClosedPlan { plan, cell, around: Arc::clone(&self.cell) }))
    }
}

/// A plan that runs once, perhaps on threads of its own, while the plan around it waits.
struct ClosedPlan {
    plan: Runnable,
    /// Its own: threads that end stop what shares it.
    cell: Arc<RunCell>,
    /// Of the plan around it.
    around: Arc<RunCell>,
}

impl InnerPlan for ClosedPlan {
    fn run(&self, context: &RunContext, on_row: &mut dyn FnMut(&[Value]) -> ControlFlow<()>) -> SqlResult<()> {
        let _entered = self.cell.enter(self.around.context()?)?;
        // Threads are started and waited for, which a thread of the plan around it may not do otherwise.
        block_in_place(|| self.plan.run(context, on_row))
    }

    fn show(&self, scope: &Scope, outer: &[String]) -> Operator {
        self.plan.show(scope, outer)
    }
}

impl InnerPlan for Runnable {
    fn run(&self, context: &RunContext, on_row: &mut dyn FnMut(&[Value]) -> ControlFlow<()>) -> SqlResult<()> {
        Runnable::run(self, context, on_row)
    }

    fn show(&self, scope: &Scope, outer: &[String]) -> Operator {
        Runnable::show(self, scope, outer)
    }
}
