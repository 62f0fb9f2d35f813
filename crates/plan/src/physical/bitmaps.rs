//! Which scans are asked by bitmaps of which hash joins.
//!
//! ```text
//!   hash join d = s.d ── build side: BuildExec, d ─▶ Bitmap1001
//!        └─ hash join i = s.i ── build side: BuildExec, i ─▶ Bitmap1002
//!               └─ scan of s: its rows with d in Bitmap1001 and i in Bitmap1002
//! ```
//! What always holds: a row is dropped only where the join that has the bitmap would drop it, whatever operators lie between
//! scan and join ([`passed_on`]); and only plans that run once in a run have bitmaps, so none knows keys of another run.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use datafusion::common::{JoinType, NullEquality};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;

use crate::operator::build::{BuildExec, is_mappable};
use crate::operator::correlate::ApplyExec;
use crate::operator::flow::{ConcatExec, WatchExec, with_inputs};
use crate::run::bitmap::Bitmap;
use crate::run::cell::RunCell;
use crate::scan::leaf::LeafExec;

type Plan = Arc<dyn ExecutionPlan>;

/// The number of the first bitmap of a plan, as SQL Server counts what it defines.
const FIRST_NUMBER: u32 = 1001;
/// Of a build side that has more rows, as far as is known, no bitmap is made.
const ROWS_MAX: f64 = 1e6;

/// What is wanted of a plan: its rows whose value in a column is in the bitmap.
#[derive(Clone)]
struct Wish {
    column: usize,
    bitmap: Arc<Bitmap>,
}

/// The plan with bitmaps of its hash joins; `is_large` says of which tables' scans they save something.
pub(crate) fn with_bitmaps(plan: &Plan, cell: &RunCell, is_large: &dyn Fn(usize) -> bool) -> Result<Plan> {
    let placing = Placing { cell, is_large, next_number: Cell::new(FIRST_NUMBER) };
    Ok(placing.place(plan, &[])?.0)
}

struct Placing<'a> {
    cell: &'a RunCell,
    /// Of the table of a binding.
    is_large: &'a dyn Fn(usize) -> bool,
    next_number: Cell<u32>,
}

impl Placing<'_> {
    /// The plan whose scans ask what is wished as far as they can, and the numbers of the bitmaps that any of them asks.
    fn place(&self, plan: &Plan, wishes: &[Wish]) -> Result<(Plan, Vec<u32>)> {
        let any: &dyn Any = plan.as_ref();
        if let Some(leaf) = any.downcast_ref::<LeafExec>() {
            let mut asked = Vec::new();
            let mut with: Option<LeafExec> = None;
            let is_large = leaf.table().is_some_and(self.is_large);
            for wish in wishes.iter().filter(|_| is_large) {
                if let Some(asking) = with.as_ref().unwrap_or(leaf).asking(wish.column, &wish.bitmap) {
                    with = Some(asking);
                    asked.push(wish.bitmap.number);
                }
            }
            return Ok((with.map_or_else(|| Arc::clone(plan), |leaf| Arc::new(leaf)), asked));
        }
        if let Some(join) = any.downcast_ref::<HashJoinExec>() {
            return self.place_in_join(plan, join, wishes);
        }
        let (mut inputs, mut asked, mut has_changed) = (Vec::new(), Vec::new(), false);
        for (place, input) in plan.children().into_iter().enumerate() {
            let below: Vec<Wish> = wishes.iter().filter_map(|wish| passed_on(plan, place, wish)).collect();
            let (with, by_input) = self.place(input, &below)?;
            has_changed |= !Arc::ptr_eq(&with, input);
            inputs.push(with);
            asked.extend(by_input);
        }
        Ok((if has_changed { with_inputs(Arc::clone(plan), inputs)? } else { Arc::clone(plan) }, asked))
    }

    /// A join passes wishes on to the sides of which it drops rows anyway, and has wishes of its own for its probe side.
    fn place_in_join(&self, plan: &Plan, join: &HashJoinExec, wishes: &[Wish]) -> Result<(Plan, Vec<u32>)> {
        let (mut to_left, mut to_right) = (Vec::new(), Vec::new());
        for wish in wishes {
            match side_of(join, wish.column) {
                Some((true, column)) => to_left.push(Wish { column, ..wish.clone() }),
                Some((false, column)) => to_right.push(Wish { column, ..wish.clone() }),
                None => {}
            }
        }
        let own = self.own_wishes(join);
        to_right.extend(own.iter().map(|(_, wish)| wish.clone()));
        let (right, asked_right) = self.place(join.right(), &to_right)?;
        let (mut left, mut asked) = self.place(join.left(), &to_left)?;
        let used: Vec<(usize, Arc<Bitmap>)> = own
            .into_iter()
            .filter(|(_, wish)| asked_right.contains(&wish.bitmap.number))
            .map(|(column, wish)| (column, wish.bitmap))
            .collect();
        if !used.is_empty() {
            left = with_keys_told(left, &used)?;
        }
        asked.extend(asked_right);
        let is_same = Arc::ptr_eq(&left, join.left()) && Arc::ptr_eq(&right, join.right());
        Ok((if is_same { Arc::clone(plan) } else { with_inputs(Arc::clone(plan), vec![left, right])? }, asked))
    }

    /// What the join wishes of its probe side, each with the column of what is built ([`build_of`]).
    fn own_wishes(&self, join: &HashJoinExec) -> Vec<(usize, Wish)> {
        use JoinType::{Inner, Left, LeftAnti, LeftMark, LeftSemi, RightSemi};
        let drops_probe_rows = matches!(join.join_type(), Inner | Left | LeftSemi | LeftAnti | LeftMark | RightSemi);
        if !drops_probe_rows || join.null_equality() != NullEquality::NullEqualsNothing || join.null_aware {
            return Vec::new();
        }
        let Some(rows) = build_of(join.left()).map(|build| build.rows) else { return Vec::new() };
        if rows.is_finite() && rows > ROWS_MAX {
            return Vec::new();
        }
        let column = |expr: &Arc<dyn PhysicalExpr>| {
            let any: &dyn Any = expr.as_ref();
            any.downcast_ref::<Column>().map(Column::index)
        };
        let keys = join.on().iter().filter_map(|(left, right)| Some((column(left)?, column(right)?)));
        let schema = join.left().schema();
        keys.filter(|(left, _)| is_mappable(schema.field(*left).data_type()))
            .filter_map(|(left, right)| Some((column_of_build(join.left(), left)?, right)))
            .map(|(left, right)| {
                let bitmap = Bitmap::new(self.next_number.replace(self.next_number.get() + 1), self.cell);
                (left, Wish { column: right, bitmap })
            })
            .collect()
    }
}

/// The build side at the top of a plan, below exchanges and what picks its columns.
pub(crate) fn build_of(plan: &Plan) -> Option<&BuildExec> {
    let any: &dyn Any = plan.as_ref();
    if any.is::<CoalescePartitionsExec>() || any.is::<RepartitionExec>() || any.is::<ProjectionExec>() {
        return build_of(plan.children()[0]);
    }
    any.downcast_ref::<BuildExec>()
}

/// Which column of [`build_of`] a column of the plan is; none where it is computed from others.
fn column_of_build(plan: &Plan, column: usize) -> Option<usize> {
    let any: &dyn Any = plan.as_ref();
    if any.is::<BuildExec>() {
        return Some(column);
    }
    let below = match any.downcast_ref::<ProjectionExec>() {
        None => column,
        Some(projection) => {
            let expr: &dyn Any = projection.expr().get(column)?.expr.as_ref();
            expr.downcast_ref::<Column>()?.index()
        }
    };
    column_of_build(plan.children().first()?, below)
}

/// The plan whose build side hands its keys to bitmaps: columns of [`build_of`].
fn with_keys_told(plan: Plan, bitmaps: &[(usize, Arc<Bitmap>)]) -> Result<Plan> {
    let any: &dyn Any = plan.as_ref();
    if let Some(build) = any.downcast_ref::<BuildExec>() {
        return Ok(Arc::new(BuildExec::new(Arc::clone(build.input()), build.rows, bitmaps.to_vec())));
    }
    let below = with_keys_told(Arc::clone(plan.children()[0]), bitmaps)?;
    with_inputs(plan, vec![below])
}

/// Whether a column of a join's result is the left side's, and which; none where the join gives rows of that side that it
/// has not met in the other one with NULLs, or says which they are.
fn side_of(join: &HashJoinExec, column: usize) -> Option<(bool, usize)> {
    use JoinType::{Inner, Left, LeftAnti, LeftSemi, Right, RightAnti, RightSemi};
    let column = match &join.projection {
        Some(projection) => *projection.get(column)?,
        None => column,
    };
    let width = join.left().schema().fields().len();
    match join.join_type() {
        Inner => Some(if column < width { (true, column) } else { (false, column - width) }),
        Left => (column < width).then_some((true, column)),
        Right => column.checked_sub(width).map(|column| (false, column)),
        LeftSemi | LeftAnti => Some((true, column)),
        RightSemi | RightAnti => Some((false, column)),
        _ => None,
    }
}

/// What is wished of an operator as a wish to its input at a place: none where a row more or less of that input changes more
/// than that row of the result.
fn passed_on(plan: &Plan, place: usize, wish: &Wish) -> Option<Wish> {
    let any: &dyn Any = plan.as_ref();
    let at = |column| Some(Wish { column, bitmap: Arc::clone(&wish.bitmap) });
    if any.is::<WatchExec>()
        || any.is::<BuildExec>()
        || any.is::<ConcatExec>()
        || any.is::<CoalescePartitionsExec>()
        || any.is::<RepartitionExec>()
    {
        return at(wish.column);
    }
    if let Some(sort) = any.downcast_ref::<SortExec>() {
        return if sort.fetch().is_none() { at(wish.column) } else { None };
    }
    if let Some(merge) = any.downcast_ref::<SortPreservingMergeExec>() {
        return if merge.fetch().is_none() { at(wish.column) } else { None };
    }
    if let Some(filter) = any.downcast_ref::<FilterExec>() {
        return at(match filter.projection() {
            Some(projection) => *projection.get(wish.column)?,
            None => wish.column,
        });
    }
    if let Some(projection) = any.downcast_ref::<ProjectionExec>() {
        let expr: &dyn Any = projection.expr().get(wish.column)?.expr.as_ref();
        return at(expr.downcast_ref::<Column>()?.index());
    }
    if let Some(aggregate) = any.downcast_ref::<AggregateExec>() {
        let groups = aggregate.group_expr();
        if !groups.is_single() || aggregate.limit_options().is_some() {
            return None;
        }
        let group: &dyn Any = groups.expr().get(wish.column)?.0.as_ref();
        return at(group.downcast_ref::<Column>()?.index());
    }
    let of_apply = any.is::<ApplyExec>() && place == 0;
    (of_apply && wish.column < plan.children()[0].schema().fields().len()).then(|| wish.clone())
}
