//! How many rows go together, so that a batch of wide rows is not much larger than one of narrow ones: operators that
//! sort and merge hold several batches at least.
//!
//! What always holds: of values that lie beyond their rows a scan hands on no more than [`LARGE_BYTES_MAX`] at once, or one
//! row. Operators of DataFusion count rows alone: a run sets how many that are, by the pages of its tables' values.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Aggregate, Rel};
use millpond_engine::context::RunContext;

use crate::operator::row_width::{LARGE_BYTES, LARGE_BYTES_MAX, batch_rows};
use crate::scan::leaf::LeafExec;

/// About so many bytes the widest row of a plan has: all columns that its leaves give.
pub(crate) fn widest_row_bytes(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let any: &dyn Any = plan.as_ref();
    let own = any.downcast_ref::<LeafExec>().map_or(0, LeafExec::row_bytes);
    own + plan.children().into_iter().map(widest_row_bytes).sum::<usize>()
}

/// Rows of a batch, of at most `most`, of a relation whose expressions make values that may be as long as a `(max)` type lets
/// them be: a batch of them is made before its bytes are counted.
pub(crate) fn rows_of_computed(rel: &Rel, most: usize) -> usize {
    if computes_large(rel) { batch_rows(LARGE_BYTES, most) } else { most }
}

/// Whether there are calls, or joined texts, of a `(max)` type. A conversion to one is as long as its operand.
fn computes_large(rel: &Rel) -> bool {
    let grows = |expr: &BoundExpr| {
        let mut is = false;
        expr.visit(&mut |node| {
            let may_grow = match &node.kind {
                Kind::Function(..) | Kind::Call(..) => true,
                Kind::Arith(_, left, right) => !is_bounded(left) || !is_bounded(right),
                _ => false,
            };
            is |= may_grow && node.ty.sql.is_unbounded();
        });
        is
    };
    let own = match rel {
        Rel::Project { exprs, .. } => exprs.iter().any(grows),
        Rel::Filter { predicate, .. } => grows(predicate),
        Rel::Aggregate { aggregates, .. } => aggregates.iter().flat_map(Aggregate::exprs).any(grows),
        _ => false,
    };
    own || rel.inputs().into_iter().any(computes_large)
}

/// Whether a text of a `(max)` type was one of a bounded type before.
fn is_bounded(expr: &BoundExpr) -> bool {
    match &expr.kind {
        Kind::Cast { expr, .. } => is_bounded(expr),
        Kind::Literal(_) => true,
        _ => !expr.ty.sql.is_unbounded(),
    }
}

/// Whether any of a plan's leaves gives columns whose values may lie beyond their rows.
pub(crate) fn has_large_values(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let any: &dyn Any = plan.as_ref();
    any.downcast_ref::<LeafExec>().is_some_and(LeafExec::has_large_values)
        || plan.children().into_iter().any(has_large_values)
}

/// What the tables of a run have beyond their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LargeRows {
    /// All of them.
    pub(crate) bytes: usize,
    /// One of each of the plan's scans together: what a row of a join may have.
    pub(crate) row_bytes: usize,
}

impl LargeRows {
    /// What a plan reads.
    pub(crate) fn of(context: &RunContext, plan: &Arc<dyn ExecutionPlan>) -> LargeRows {
        let (rows, bytes) = (context.row_estimates(), context.large_estimates());
        let mut large = LargeRows::default();
        large.add(plan, &rows, &bytes);
        large
    }

    fn add(&mut self, plan: &Arc<dyn ExecutionPlan>, rows: &[u64], bytes: &[u64]) {
        let any: &dyn Any = plan.as_ref();
        let leaf = any.downcast_ref::<LeafExec>().filter(|leaf| leaf.has_large_values());
        if let Some(binding) = leaf.and_then(LeafExec::table) {
            let of_table = |all: &[u64]| all.get(binding).copied().unwrap_or(0);
            self.bytes += of_table(bytes) as usize;
            // Nothing is known of a table whose rows are not counted.
            self.row_bytes += of_table(bytes).checked_div(of_table(rows)).unwrap_or(0) as usize;
        }
        plan.children().into_iter().for_each(|input| self.add(input, rows, bytes));
    }
}

/// Rows of a batch, of at most `most`, where those that have values beyond them have so many bytes of these.
pub(crate) fn rows_of_large(row_bytes: usize, most: usize) -> usize {
    (LARGE_BYTES_MAX / row_bytes.max(1)).clamp(1, most)
}

/// The plan with filters that hand on what passes of each batch: they would collect rows until there are many of them,
/// whatever they hold.
pub(crate) fn without_collecting(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if !has_large_values(&plan) {
        return Ok(plan);
    }
    let eager = |plan: Arc<dyn ExecutionPlan>| {
        Ok(match plan.downcast_ref::<FilterExec>() {
            Some(filter) if has_large_values(&plan) => {
                Transformed::yes(Arc::new(filter.with_batch_size(1)?) as Arc<dyn ExecutionPlan>)
            }
            _ => Transformed::no(plan),
        })
    };
    plan.transform_up(eager).data()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::row_width::row_bytes;
    use millpond_types::SqlType;

    #[test]
    fn wide_rows_come_in_small_batches() {
        let narrow = row_bytes(&[SqlType::Int, SqlType::BigInt]);
        assert_eq!((narrow, batch_rows(narrow, 4096)), (12, 4096));
        let wide = row_bytes(&[SqlType::Int, SqlType::char(4000)]);
        assert_eq!((wide, batch_rows(wide, 4096)), (4004, 65));
        assert_eq!(row_bytes(&[SqlType::varchar(100)]), 54);
        assert_eq!((batch_rows(1 << 30, 4096), batch_rows(1 << 30, 3)), (32, 3));
        assert_eq!([0, 1 << 10, 2 << 20].map(|bytes| rows_of_large(bytes, 62)), [62, 62, 1]);
    }
}
