//! Relations run by DataFusion. The only place that names it.
//!
//! ```text
//!   Rel ──normal──▶ Rel ──lower──▶ LogicalPlan ──plan──▶ ExecutionPlan ──plan──▶ rows of Values
//!                    │                                         │                       ▲
//!                    └──── no operators ──▶ RowPlan ───────────┼───────rowwise─────────┘
//!                                               both read of each run, through RunCell: context, outer row
//! ```
//! A1: a plan holds no value of any run; variables, tables, time and outer rows are read from its `RunCell`.
//! A2: every expression is fully typed by the binder; DataFusion guesses no coercion.
//! A3: an error of ours comes out exactly as it went in (`failure`).
//! A4: a plan needs no tokio runtime: one partition, no exchange, no spill to files.

mod accumulate;
mod aggregate;
mod apply;
mod arithmetic;
mod cell;
mod convert;
mod correlate;
mod expression;
mod failure;
mod filter;
mod flow;
mod function;
mod join;
mod leaf;
mod lower;
mod node;
mod normal;
mod order;
mod outer;
mod partial;
mod pick;
mod plan;
mod rowwise;
mod scalar;
mod scan;
mod seek_join;
mod show;
mod subquery;
#[cfg(test)]
mod tests;
mod text;
mod top;
mod tree_rows;
mod workspace;

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_types::Value;

pub use workspace::Workspace;

use self::cell::RunCell;
use self::lower::Lowering;
use self::plan::Runnable;
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::expr::ExprType;
use crate::rel::Rel;
use crate::seek::Guide;
use crate::showplan::{Operator, Scope};

/// What a plan is compiled for.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The engine's workspace memory.
    pub workspace: Arc<Workspace>,
    /// Rows that operators hand on at once.
    pub batch_rows: usize,
    /// Plans without operators skip DataFusion. Off only where both ways are compared.
    pub row_plans: bool,
    /// About how many rows the statement's tables have, by their bindings; nothing is known of those behind.
    pub table_rows: Vec<u64>,
    /// Who knows more of them.
    pub(crate) guide: Arc<Guide>,
}

impl CompileOptions {
    /// The usual options.
    #[must_use]
    pub fn new(workspace: Arc<Workspace>) -> CompileOptions {
        CompileOptions {
            workspace,
            batch_rows: 4096,
            row_plans: true,
            table_rows: Vec::new(),
            guide: Arc::new(Guide::none()),
        }
    }
}

/// A plan, ready to run any number of times, one run at a time. It belongs to one session.
pub struct Compiled {
    runnable: Runnable,
    cell: Arc<RunCell>,
    types: Vec<ExprType>,
}

/// Makes the plan of a relation.
///
/// # Errors
/// 8630 when the relation contradicts itself; the binder makes none that does.
pub fn compile(rel: &Rel, options: &CompileOptions) -> SqlResult<Compiled> {
    let types = rel.types();
    let cell = Arc::new(RunCell::default());
    let lowering = Lowering::new(options, Arc::clone(&cell), None);
    let runnable = Runnable::new(&normal::normalise(rel.clone()), &lowering)?;
    Ok(Compiled { runnable, cell, types })
}

impl Compiled {
    /// Types of the columns.
    #[must_use]
    pub fn types(&self) -> &[ExprType] {
        &self.types
    }

    /// The plan's operators, one per line, each below the one that reads it.
    #[must_use]
    pub fn describe(&self) -> String {
        self.runnable.describe()
    }

    /// The plan as it is shown to users.
    pub(crate) fn show(&self, scope: &Scope) -> Operator {
        self.runnable.show(scope, &[])
    }

    /// Runs the plan; `on_row` gets each row and may stop it.
    ///
    /// # Errors
    /// The first error of an operator, as the function or scan made it; 701 when workspace memory is used up;
    /// [`crate::message::cancelled`] when the task was cancelled.
    pub fn run(&self, ctx: Arc<RunContext>, on_row: &mut dyn FnMut(&[Value]) -> ControlFlow<()>) -> SqlResult<()> {
        let _running = self.cell.enter(Arc::clone(&ctx))?;
        self.runnable.run(&ctx, on_row)
    }
}
