//! What happens to rows after they were found.

use std::ops::ControlFlow;

use millpond_builtin::eval::{Rows, eval, is_true};
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{SortKey, first_rows};
use millpond_engine::account::profile::OperatorAccount;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::{KeyOrder, Value, append_key};

use crate::aggregate::{Aggregation, Groups};
use crate::{OnRow, offset_count, top_count};

/// A stage.
pub(crate) enum Stage {
    /// Rows for which the predicate is true.
    Filter(BoundExpr),
    /// New rows.
    Project(Vec<BoundExpr>),
    /// First rows, and those after them that agree with the last one in all of `ties`.
    Top { count: Option<BoundExpr>, percent: bool, offset: Option<BoundExpr>, ties: Vec<SortKey> },
    /// Order.
    Sort(Vec<SortKey>),
    /// Groups.
    Aggregate(Aggregation),
}

impl Stage {
    /// All its expressions.
    pub fn exprs(&self) -> Vec<&BoundExpr> {
        match self {
            Stage::Filter(predicate) => vec![predicate],
            Stage::Project(exprs) => exprs.iter().collect(),
            Stage::Top { count, offset, ties, .. } => {
                count.iter().chain(offset).chain(ties.iter().map(|key| &key.expr)).collect()
            }
            Stage::Sort(keys) => keys.iter().map(|key| &key.expr).collect(),
            Stage::Aggregate(Aggregation { groups, aggregates }) => {
                groups.iter().chain(aggregates.iter().flat_map(|aggregate| aggregate.exprs())).collect()
            }
        }
    }

    /// About how many rows are asked for, where that may be few of them.
    pub fn goal(&self) -> Option<f64> {
        match self {
            Stage::Top { count, percent: false, offset, .. } => Some(first_rows(count.as_ref(), offset.as_ref())),
            _ => None,
        }
    }

    /// Whether all rows must be there before the first goes on.
    pub fn is_blocking(&self) -> bool {
        matches!(self, Stage::Sort(_) | Stage::Aggregate(_) | Stage::Top { percent: true, .. })
    }

    /// The collector of a blocking stage.
    pub fn gather(&self) -> Gather<'_> {
        match self {
            Stage::Sort(keys) => Gather::Sort { keys, rows: Vec::new() },
            Stage::Aggregate(aggregation) => Gather::Groups(Groups::new(aggregation)),
            Stage::Top { count, .. } => Gather::Percent { count: count.as_ref(), rows: Vec::new() },
            Stage::Filter(_) | Stage::Project(_) => unreachable!("not blocking"),
        }
    }
}

/// Collects the rows of a blocking stage.
pub(crate) enum Gather<'a> {
    Sort { keys: &'a [SortKey], rows: Vec<(Vec<u8>, Vec<Value>)> },
    Percent { count: Option<&'a BoundExpr>, rows: Vec<Vec<Value>> },
    Groups(Groups<'a>),
}

impl Gather<'_> {
    pub fn add(&mut self, ctx: &RunContext, row: &[Value]) -> SqlResult<()> {
        match self {
            Gather::Sort { keys, rows } => {
                let mut bytes = Vec::new();
                append_keys(keys, ctx, row, &mut bytes)?;
                rows.push((bytes, row.to_vec()));
                Ok(())
            }
            Gather::Percent { rows, .. } => {
                rows.push(row.to_vec());
                Ok(())
            }
            Gather::Groups(groups) => groups.add(ctx, row),
        }
    }

    pub fn finish(self, ctx: &RunContext) -> SqlResult<Vec<Vec<Value>>> {
        match self {
            Gather::Sort { mut rows, .. } => {
                // Stable: rows with equal keys stay as they came.
                rows.sort_by(|(a, _), (b, _)| a.cmp(b));
                Ok(rows.into_iter().map(|(_, row)| row).collect())
            }
            Gather::Percent { count, mut rows } => {
                let percent = match count {
                    Some(count) => eval(count, ctx, Rows::NONE)?,
                    None => Value::Float(100.0),
                };
                rows.truncate(percent_of(&percent, rows.len())?);
                Ok(rows)
            }
            Gather::Groups(groups) => groups.finish(ctx),
        }
    }
}

/// Appends bytes that are equal for rows which are equal in all keys, and else in the order of these.
fn append_keys(keys: &[SortKey], ctx: &RunContext, row: &[Value], bytes: &mut Vec<u8>) -> SqlResult<()> {
    for key in keys {
        let order = if key.descending { KeyOrder::Descending } else { KeyOrder::Ascending };
        append_key(&eval(&key.expr, ctx, Rows::of(row))?, key.expr.ty.collation, order, bytes);
    }
    Ok(())
}

/// How many of `rows` rows `percent` percent are, rounded up.
pub fn percent_of(percent: &Value, rows: usize) -> SqlResult<usize> {
    match percent.as_f64() {
        Some(percent) if (0.0..=100.0).contains(&percent) => Ok((rows as f64 * percent / 100.0).ceil() as usize),
        Some(_) => Err(millpond_message::error::SqlError::of(1031, 1, &[])),
        None => top_count(&Value::Null).map(|_| 0),
    }
}

/// The streaming stages of one run.
pub(crate) struct Flow<'a> {
    stages: &'a [Stage],
    /// Of the stages, or none.
    accounts: &'a [OperatorAccount],
    /// Per stage; only TOP's are used.
    bounds: Vec<Bound>,
}

/// What TOP has before it still.
struct Bound {
    /// Rows to skip.
    skip: u64,
    /// Rows left.
    left: u64,
    /// The keys of the last one, with which others may tie.
    last: Vec<u8>,
}

impl<'a> Flow<'a> {
    pub fn open(stages: &'a [Stage], accounts: &'a [OperatorAccount], ctx: &RunContext) -> SqlResult<Flow<'a>> {
        let bound = |expr: &Option<BoundExpr>, absent: u64| match expr {
            None => Ok(absent),
            Some(expr) => top_count(&eval(expr, ctx, Rows::NONE)?),
        };
        let bounds = stages.iter().map(|stage| match stage {
            Stage::Top { count, offset: None, .. } => Ok((0, bound(count, u64::MAX)?)),
            Stage::Top { count, offset: Some(offset), .. } => {
                let count = bound(count, u64::MAX)?;
                if count == 0 {
                    Err(message::nothing_to_fetch())
                } else {
                    Ok((offset_count(&eval(offset, ctx, Rows::NONE)?)?, count))
                }
            }
            _ => Ok((0, u64::MAX)),
        });
        Ok(Flow {
            stages,
            accounts,
            bounds: bounds
                .map(|bound| bound.map(|(skip, left)| Bound { skip, left, last: Vec::new() }))
                .collect::<SqlResult<_>>()?,
        })
    }

    /// One row through all stages.
    pub fn pass(&mut self, ctx: &RunContext, row: &[Value], on_row: OnRow<'_>) -> SqlResult<ControlFlow<()>> {
        pass(self.stages, self.accounts, &mut self.bounds, ctx, row, on_row)
    }
}

fn pass(
    stages: &[Stage],
    accounts: &[OperatorAccount],
    bounds: &mut [Bound],
    ctx: &RunContext,
    row: &[Value],
    on_row: OnRow<'_>,
) -> SqlResult<ControlFlow<()>> {
    let Some((stage, above)) = stages.split_first() else { return on_row(row) };
    let (bound, bounds) = bounds.split_first_mut().expect("one per stage");
    let (account, accounts) = accounts.split_first().map_or((None, accounts), |(own, others)| (Some(own), others));
    let count = || account.into_iter().for_each(|account| account.add_rows(1, ctx.engine.clock_us()));
    match stage {
        Stage::Filter(predicate) => {
            if is_true(predicate, ctx, Rows::of(row))? {
                count();
                pass(above, accounts, bounds, ctx, row, on_row)
            } else {
                Ok(ControlFlow::Continue(()))
            }
        }
        Stage::Project(exprs) => {
            let row = exprs.iter().map(|expr| eval(expr, ctx, Rows::of(row))).collect::<SqlResult<Vec<_>>>()?;
            count();
            pass(above, accounts, bounds, ctx, &row, on_row)
        }
        Stage::Top { ties, .. } => {
            if bound.left == 0 {
                let mut keys = Vec::new();
                append_keys(ties, ctx, row, &mut keys)?;
                if bound.last.is_empty() || keys != bound.last {
                    return Ok(ControlFlow::Break(()));
                }
                count();
                return pass(above, accounts, bounds, ctx, row, on_row);
            }
            if bound.skip > 0 {
                bound.skip -= 1;
                return Ok(ControlFlow::Continue(()));
            }
            bound.left -= 1;
            let is_last = bound.left == 0;
            if is_last {
                append_keys(ties, ctx, row, &mut bound.last)?;
            }
            count();
            let flow = pass(above, accounts, bounds, ctx, row, on_row)?;
            Ok(if is_last && ties.is_empty() { ControlFlow::Break(()) } else { flow })
        }
        Stage::Sort(_) | Stage::Aggregate(_) => unreachable!("blocking stages are run apart"),
    }
}
