//! Grouping, aggregates and DISTINCT.
//!
//! G1: groups go by keys (L2); a group of equal texts or binaries shows the first of them. G2: integers, decimals and money are
//! summed exactly and checked once, when the group is complete: intermediate sums may pass the type's range. G3: NULLs
//! are not aggregated; without groups there is one row always.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int32Array};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Column, ScalarValue};
use datafusion::functions_aggregate::{count, min_max};
use datafusion::logical_expr::expr::AggregateFunction as Call;
use datafusion::logical_expr::{Aggregate as AggregatePlan, AggregateUDF, Expr, LogicalPlan};
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{Aggregate, AggregateFunction, JoinMethods, Joining, Rel, SortKey};
use millpond_message::error::SqlResult;
use millpond_rewrite::group_keys::Keyed;
use millpond_rewrite::grouping_sets::in_two_steps;
use millpond_types::SqlType;

use crate::aggregate::accumulate::{Moment, exact, moments};
use crate::aggregate::pick::{Pick, pick};
use crate::aggregate::product::product;
use crate::aggregate::string_agg::ItemKey;
use crate::aggregate::{collect, string_agg};
use crate::expression::{arithmetic, convert, function};
use crate::lower::group_keys::{determined_groups, keyed};
use crate::lowering::node::Operation;
use crate::lowering::{Lowered, Lowering};
use crate::run::failure::planned;

/// `expected`: about how many groups there are.
pub(crate) fn aggregate(
    lowering: &Lowering<'_>,
    input: &Rel,
    groups: &[BoundExpr],
    aggregates: &[Aggregate],
    expected: Option<f64>,
) -> SqlResult<Lowered> {
    // A part that has no value for an error would be missing from what is made of it.
    if !lowering.options.null_on_error
        && let Some(steps) = in_two_steps(input, groups, aggregates)
    {
        return lowering.rel(&steps);
    }
    if !lowering.options.null_on_error
        && let Some(Keyed { input, groups, aggregates, results }) = keyed(lowering, input, groups, aggregates)
    {
        let grouped = at_once(lowering, &input, &groups, &aggregates, expected)?;
        return lowering.project(grouped, &results);
    }
    at_once(lowering, input, groups, aggregates, expected)
}

/// Groups of the rows of a relation.
fn at_once(
    lowering: &Lowering<'_>,
    input: &Rel,
    groups: &[BoundExpr],
    aggregates: &[Aggregate],
    expected: Option<f64>,
) -> SqlResult<Lowered> {
    let determined = determined_groups(lowering, input, groups);
    of_rows(lowering, lowering.rel(input)?, (groups, &determined), aggregates, expected)
}

/// Groups of rows, of which others may determine some.
pub(crate) fn of_rows(
    lowering: &Lowering<'_>,
    mut input: Lowered,
    (groups, determined): (&[BoundExpr], &[bool]),
    aggregates: &[Aggregate],
    expected: Option<f64>,
) -> SqlResult<Lowered> {
    let order = common_order(aggregates);
    if let Some(keys) = order {
        input = in_order(lowering, input, keys)?;
    }
    let group_exprs =
        groups.iter().map(|group| lowering.expr(group, &input.columns)).collect::<SqlResult<Vec<Expr>>>()?;
    let types: Vec<ExprType> = groups.iter().map(|group| group.ty).collect();
    let mut calls = Vec::with_capacity(aggregates.len());
    for aggregate in aggregates {
        let arg = match &aggregate.joining {
            Some(joining) => Some(joined_item(lowering, aggregate, joining, order.is_some(), &input.columns)?),
            None => aggregate.arg.as_ref().map(|arg| lowering.expr(arg, &input.columns)).transpose()?,
        };
        calls.push(aggregate_call(lowering, aggregate, arg, order.is_some()));
    }
    let grouped = grouped(lowering, input.plan, group_exprs, (&types, determined), calls, expected)?;
    with_checked_counts(lowering, grouped, groups.len(), aggregates)
}

/// Rows without duplicates, about so many.
pub(crate) fn distinct(
    lowering: &Lowering<'_>,
    input: Lowered,
    types: &[ExprType],
    expected: Option<f64>,
) -> SqlResult<Lowered> {
    let columns = input.columns.into_iter().map(Expr::Column).collect();
    grouped(lowering, input.plan, columns, (types, &[]), Vec::new(), expected)
}

/// Groups of a plan's rows: first the group expressions, then the aggregates.
fn grouped(
    lowering: &Lowering<'_>,
    input: LogicalPlan,
    groups: Vec<Expr>,
    (types, determined): (&[ExprType], &[bool]),
    calls: Vec<Expr>,
    expected: Option<f64>,
) -> SqlResult<Lowered> {
    let group_count = groups.len();
    // Keys and values become columns first, so that no expression is computed twice.
    let (input, values) = lowering.with_columns(input, groups)?;
    // What other groups determine is its own key, which is no group.
    let is_determined = |at: usize| determined.get(at).is_some_and(|known| *known) && convert::has_key(&types[at].sql);
    let key = |(at, (value, ty)): (usize, (&Column, &ExprType))| {
        let value = Expr::Column(value.clone());
        if is_determined(at) { value } else { lowering.key(value, &ty.sql, ty.collation) }
    };
    let keys = values.iter().zip(types).enumerate().map(key).collect();
    let (input, keys) = lowering.with_columns(input, keys)?;
    // Equal group expressions have one column, and a plan may have a column once.
    let mut group_columns = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        if !is_determined(at) && !group_columns.contains(key) {
            group_columns.push(key.clone());
        }
    }
    let mut aggregates = Vec::new();
    let mut columns = Vec::with_capacity(group_count + calls.len());
    let mut add = |call: Expr| {
        let name = lowering.next_name();
        aggregates.push(call.alias(&name));
        datafusion::common::Column::new_unqualified(name)
    };
    for (value, (key, ty)) in values.into_iter().zip(keys.into_iter().zip(types)) {
        let is_group = value == key && group_columns.contains(&key);
        columns.push(if is_group { key } else { add(first(Expr::Column(value), ty)) });
    }
    columns.extend(calls.into_iter().map(&mut add));
    if columns.is_empty() {
        // A query may want the one row of a global aggregate and none of its values.
        add(count_rows());
    }
    lowering.cell.expect(key_names(group_columns.iter().map(|column| column.name.as_str())), expected);
    let group_exprs = group_columns.into_iter().map(Expr::Column).collect();
    let plan = planned(AggregatePlan::try_new(Arc::new(input), group_exprs, aggregates))?;
    Ok(Lowered { plan: LogicalPlan::Aggregate(plan), columns })
}

/// By which the groups of an aggregate are known: its keys.
pub(crate) fn key_names<'n>(columns: impl Iterator<Item = &'n str>) -> String {
    columns.collect::<Vec<&str>>().join(",")
}

/// The rows in the order that STRING_AGG wants. The watch keeps to itself that they are in order: groups that come one
/// after the other would be made by an operator that does not spill.
fn in_order(lowering: &Lowering<'_>, input: Lowered, keys: &[SortKey]) -> SqlResult<Lowered> {
    let Lowered { plan, columns } = lowering.sort(input, keys, None)?;
    Ok(Lowered {
        plan: lowering.node(Operation::Watch { rows: None, methods: JoinMethods::ALL }, Vec::new(), vec![plan])?,
        columns,
    })
}

/// A value of STRING_AGG with what it is joined by, and with its place where rows do not come in order.
fn joined_item(
    lowering: &Lowering<'_>,
    aggregate: &Aggregate,
    joining: &Joining,
    in_order: bool,
    columns: &[Column],
) -> SqlResult<Expr> {
    let order = if in_order { &[] } else { &joining.order[..] };
    let exprs = aggregate.arg.iter().chain([&joining.separator]).chain(order.iter().map(|key| &key.expr));
    let exprs = exprs.map(|expr| lowering.expr(expr, columns)).collect::<SqlResult<Vec<Expr>>>()?;
    let key =
        |key: &SortKey| ItemKey { sql: key.expr.ty.sql, collation: key.expr.ty.collation, descending: key.descending };
    Ok(string_agg::item(exprs, order.iter().map(key).collect()))
}

/// `in_order`: rows come in the order of STRING_AGG.
fn aggregate_call(lowering: &Lowering<'_>, aggregate: &Aggregate, arg: Option<Expr>, in_order: bool) -> Expr {
    let (Some(arg), Some(bound)) = (arg, &aggregate.arg) else { return count_rows() };
    let (of, result) = (bound.ty, aggregate.ty.sql);
    let extreme = |function: Arc<AggregateUDF>, chosen: Pick, arg: Expr| {
        if convert::has_key(&of.sql) {
            aggregate_of(pick(chosen, of.sql, of.collation), arg, false)
        } else {
            aggregate_of(function, arg, false)
        }
    };
    let distinct = aggregate.distinct;
    let moment = |moment| aggregate_of(moments(moment, result, distinct), arg.clone(), false);
    let soft = || lowering.options.null_on_error.then(|| Arc::clone(&lowering.cell));
    let approximate = matches!(of.sql, SqlType::Real | SqlType::Float);
    match aggregate.function {
        AggregateFunction::Count | AggregateFunction::CountBig => {
            let counted = if distinct { lowering.key(arg, &of.sql, of.collation) } else { arg };
            aggregate_of(count::count_udaf(), counted, distinct)
        }
        AggregateFunction::Min => extreme(min_max::min_udaf(), Pick::Least, arg),
        AggregateFunction::Max => extreme(min_max::max_udaf(), Pick::Greatest, arg),
        AggregateFunction::Sum if approximate => moment(Moment::Sum),
        AggregateFunction::Avg if approximate => moment(Moment::Mean),
        AggregateFunction::Sum => aggregate_of(exact(false, of.sql, result, distinct, soft()), arg, false),
        AggregateFunction::Avg => aggregate_of(exact(true, of.sql, result, distinct, soft()), arg, false),
        AggregateFunction::StDev => moment(Moment::StDev),
        AggregateFunction::StDevP => moment(Moment::StDevP),
        AggregateFunction::Var => moment(Moment::Var),
        AggregateFunction::VarP => moment(Moment::VarP),
        AggregateFunction::StringAgg => {
            let has_order = aggregate.joining.as_ref().is_some_and(|joining| !joining.order.is_empty());
            let by_place = has_order && !in_order;
            let joined = if by_place { string_agg::joined_by_place } else { string_agg::joined };
            aggregate_of(joined(result), arg, false)
        }
        AggregateFunction::ApproxCountDistinct => {
            aggregate_of(collect::sketch(), lowering.key(arg, &of.sql, of.collation), false)
        }
        AggregateFunction::Product => aggregate_of(product(result, distinct, soft()), arg, false),
        AggregateFunction::ChecksumAgg => aggregate_of(collect::checksum(distinct), arg, false),
    }
}

/// COUNT is an int: counts come as bigint and are checked.
fn with_checked_counts(
    lowering: &Lowering<'_>,
    grouped: Lowered,
    group_count: usize,
    aggregates: &[Aggregate],
) -> SqlResult<Lowered> {
    let narrow = |aggregate: &Aggregate| {
        matches!(aggregate.function, AggregateFunction::Count) && aggregate.ty.sql == SqlType::Int
    };
    if !aggregates.iter().any(narrow) {
        return Ok(grouped);
    }
    let Lowered { plan, columns } = grouped;
    let exprs = columns
        .into_iter()
        .enumerate()
        .map(|(index, column)| match index.checked_sub(group_count).and_then(|index| aggregates.get(index)) {
            Some(aggregate) if narrow(aggregate) => as_int(Expr::Column(column)),
            _ => Expr::Column(column),
        })
        .collect();
    lowering.projected(plan, exprs)
}

/// The order of all STRING_AGGs that have one, if it is the same.
fn common_order(aggregates: &[Aggregate]) -> Option<&[SortKey]> {
    let orders = aggregates.iter().filter_map(|aggregate| aggregate.joining.as_ref()).map(|joining| &joining.order[..]);
    let mut orders = orders.filter(|order| !order.is_empty());
    let first = orders.next()?;
    let is_same = |a: &SortKey, b: &SortKey| a.descending == b.descending && a.expr.same_as(&b.expr);
    let mut others =
        orders.map(|other| first.len() == other.len() && first.iter().zip(other).all(|(a, b)| is_same(a, b)));
    others.all(|is_same| is_same).then_some(first)
}

fn aggregate_of(function: Arc<AggregateUDF>, arg: Expr, distinct: bool) -> Expr {
    Expr::AggregateFunction(Call::new_udf(function, vec![arg], distinct, None, Vec::new(), None))
}

fn count_rows() -> Expr {
    aggregate_of(count::count_udaf(), Expr::Literal(ScalarValue::Int64(Some(1)), None), false)
}

fn first(value: Expr, ty: &ExprType) -> Expr {
    aggregate_of(pick(Pick::First, ty.sql, ty.collation), value, false)
}

/// A count as int, or 8115.
fn as_int(count: Expr) -> Expr {
    function::array_call("count_as_int", vec![count], DataType::Int32, |args| {
        let counts = args[0].as_primitive::<Int64Type>();
        let mut narrow = Vec::with_capacity(counts.len());
        for count in counts {
            narrow.push(i32::try_from(count.unwrap_or(0)).map_err(|_| arithmetic::overflow(&SqlType::Int))?);
        }
        Ok(Arc::new(Int32Array::from(narrow)) as ArrayRef)
    })
}
