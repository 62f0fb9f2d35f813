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

use crate::lower::{expression, relation, shared};
use crate::lowering::{Lowered, Lowering, OuterScope};
use crate::operator::correlate::InnerPlan;
use crate::physical::plan::Runnable;
use crate::run::failure;
use crate::showplan::{Operator, Scope};
use millpond_rewrite::normal;

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
        let lowering = Lowering::new(self.options, Arc::clone(&self.cell), scope);
        let runnable = Runnable::new(&normal::normalise(rel.clone()), &lowering)?;
        let scope = lowering.outer.ok_or_else(|| failure::internal("an inner plan lost its scope"))?;
        Ok((Box::new(runnable), scope))
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
