//! Windows: sorted by partition and order, then [`crate::window`]'s operator; windows whose order is the beginning of
//! the input's share its sort.

use std::sync::Arc;

use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{AggregateFunction, Rel, SortKey, WindowCall, WindowFunction};
use millpond_message::error::SqlResult;
use millpond_spill::FirstRows;
use millpond_types::sql_type::MaxLen;
use millpond_types::{SqlType, Value};

use crate::expression::convert;
use crate::lowering::node::Operation;
use crate::lowering::node::with_fields;
use crate::lowering::{Lowered, Lowering};
use crate::run::failure::planned;
use crate::window::{CallSpec, WindowSpec};
use millpond_rewrite::first::{is_new, number_at_most};
use millpond_rewrite::outer::reads_beyond;

/// The input's rows with the values of calls over a window; `first`: no others are wanted than these of each partition.
pub(crate) fn window(
    lowering: &Lowering<'_>,
    input: &Rel,
    partition: &[BoundExpr],
    order: &[SortKey],
    calls: &[WindowCall],
    first: Option<FirstRows>,
) -> SqlResult<Lowered> {
    let partition: Vec<BoundExpr> = partition.iter().filter(|key| varies(key)).cloned().collect();
    let order: Vec<SortKey> = order.iter().filter(|key| varies(&key.expr)).cloned().collect();
    let keys = sort_keys(&partition, &order);
    let lowered = lowering.rel(input)?;
    let width = lowered.columns.len();
    let lowered = match first {
        _ if is_sorted(input, &keys) => lowered,
        Some(first) if keys.len() > partition.len() => {
            let first = first_of_each(lowering, lowered, &keys, partition.len(), first)?;
            lowering.sort(first, &keys, None)?
        }
        _ => lowering.sort(lowered, &keys, None)?,
    };
    let Lowered { plan, columns } = lowered;
    let mut exprs = keys.iter().map(|key| lowering.sort_key(key, &columns)).collect::<SqlResult<Vec<Expr>>>()?;
    let mut specs = Vec::with_capacity(calls.len());
    for call in calls {
        let (args, spec) = window_call(lowering, call, &columns)?;
        exprs.extend(args);
        specs.push(spec);
    }
    let (plan, exprs) = lowering.with_columns(plan, exprs)?;
    let order = order.iter().map(|key| key.descending).collect();
    let spec = WindowSpec { partition: partition.len(), order, calls: specs };
    let exprs = exprs.into_iter().map(Expr::Column).collect();
    let (plan, added) = extended(lowering, plan, exprs, spec)?;
    let mut columns = columns;
    columns.truncate(width);
    columns.extend(added);
    Ok(Lowered { plan, columns })
}

/// Rows without most of those that are not among the first of their partition.
fn first_of_each(
    lowering: &Lowering<'_>,
    Lowered { plan, columns }: Lowered,
    keys: &[SortKey],
    partition: usize,
    first: FirstRows,
) -> SqlResult<Lowered> {
    let exprs = keys.iter().map(|key| lowering.sort_key(key, &columns)).collect::<SqlResult<Vec<Expr>>>()?;
    let descending = keys[partition..].iter().map(|key| key.descending).collect();
    let plan = lowering.node(Operation::FirstOfEach { partition, descending, first }, exprs, vec![plan])?;
    Ok(Lowered { plan, columns })
}

/// More first rows than these are not kept apart.
const FIRST_ROWS_MAX: i64 = 1000;

/// The rows of each partition of a window that conditions on its numbers leave; none where they leave any, and where the sort would
/// not find the order in which they were the first.
pub(crate) fn first_rows(window: &Rel, conjuncts: &[BoundExpr]) -> Option<FirstRows> {
    let Rel::Window { input, order, calls, .. } = window else { return None };
    let numbers = [WindowFunction::RowNumber, WindowFunction::Rank, WindowFunction::DenseRank];
    if !calls.iter().all(|call| numbers.contains(&call.function)) || order.iter().any(is_new) {
        return None;
    }
    let width = input.width();
    let bounds = conjuncts.iter().filter_map(|conjunct| number_at_most(conjunct, width));
    let (column, most) = bounds.min_by_key(|(_, most)| *most).filter(|(_, most)| *most <= FIRST_ROWS_MAX)?;
    let by_key = calls.get(column - width)?.function == WindowFunction::DenseRank;
    Some(FirstRows { rows: usize::try_from(most.max(1)).ok()?, by_key })
}

fn extended(
    lowering: &Lowering<'_>,
    plan: LogicalPlan,
    exprs: Vec<Expr>,
    spec: WindowSpec,
) -> SqlResult<(LogicalPlan, Vec<Column>)> {
    let added = spec.calls.iter().map(|call| (lowering.next_name(), convert::data_type(&call.result)));
    let added: Vec<(String, datafusion::arrow::datatypes::DataType)> = added.collect();
    let columns = added.iter().map(|(name, _)| Column::new_unqualified(name)).collect();
    let schema = planned(with_fields(plan.schema(), &added))?;
    Ok((lowering.node(Operation::Window { spec: Arc::new(spec), schema }, exprs, vec![plan])?, columns))
}

fn window_call(lowering: &Lowering<'_>, call: &WindowCall, columns: &[Column]) -> SqlResult<(Vec<Expr>, CallSpec)> {
    let mut args = call.args.iter().map(|arg| lowering.expr(arg, columns)).collect::<SqlResult<Vec<Expr>>>()?;
    let mut types: Vec<SqlType> = call.args.iter().map(|arg| arg.ty.sql).collect();
    let extreme = WindowFunction::Aggregate(AggregateFunction::Min);
    let is_extreme = call.function == extreme || call.function == WindowFunction::Aggregate(AggregateFunction::Max);
    if is_extreme && convert::has_key(&types[0]) {
        let ty = call.args[0].ty;
        args.push(lowering.key(args[0].clone(), &ty.sql, ty.collation));
        types.push(SqlType::VarBinary { len: MaxLen::Max });
    }
    let distance = match call.args.get(1).map(|arg| &arg.kind) {
        Some(Kind::Literal(Value::BigInt(distance))) => u64::try_from(*distance).ok(),
        _ => None,
    };
    let spec = CallSpec { function: call.function, frame: call.frame, args: types, result: call.ty.sql, distance };
    Ok((args, spec))
}

/// Whether a key may differ from row to row.
fn varies(key: &BoundExpr) -> bool {
    let mut varies = false;
    key.visit(&mut |node| match &node.kind {
        Kind::Column(_) | Kind::Function(..) | Kind::Call(..) | Kind::NextValue(_) => varies = true,
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => {
            varies |= reads_beyond(rel, 1);
        }
        _ => {}
    });
    varies
}

fn sort_keys(partition: &[BoundExpr], order: &[SortKey]) -> Vec<SortKey> {
    let ascending = |key: &BoundExpr| SortKey { expr: key.clone(), descending: false };
    partition.iter().map(ascending).chain(order.iter().cloned()).collect()
}

/// Whether the rows of a relation come sorted by these keys: because it is a window over them and perhaps more.
fn is_sorted(rel: &Rel, keys: &[SortKey]) -> bool {
    let Rel::Window { input, partition, order, .. } = rel else { return keys.is_empty() };
    let partition: Vec<BoundExpr> = partition.iter().filter(|key| varies(key)).cloned().collect();
    let order: Vec<SortKey> = order.iter().filter(|key| varies(&key.expr)).cloned().collect();
    let known = sort_keys(&partition, &order);
    let same = |known: &SortKey, key: &SortKey| known.descending == key.descending && known.expr.same_as(&key.expr);
    let is_prefix = known.len() >= keys.len() && known.iter().zip(keys).all(|(known, key)| same(known, key));
    is_prefix || is_kept(&known, &same, input, keys)
}

/// A window that needed no sort of its own keeps the order of its input.
fn is_kept(known: &[SortKey], same: &dyn Fn(&SortKey, &SortKey) -> bool, input: &Rel, keys: &[SortKey]) -> bool {
    known.len() < keys.len()
        && known.iter().zip(keys).all(|(known, key)| same(known, key))
        && is_sorted(input, known)
        && is_sorted(input, keys)
}
