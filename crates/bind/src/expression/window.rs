//! Functions over windows.
//!
//! While a block's select list and ORDER BY are bound, a call with OVER becomes `Column(WINDOW_BASE + n)`. When the block
//! is grouped, [`Windows::over`] puts the windows above it and gives each call its column after the block's row. Calls
//! over equal windows are one [`Rel::Window`]; longer orders come first, so that shorter ones find their rows sorted.

use std::collections::HashMap;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::names_equal;
use millpond_catalog::rel::{AggregateFunction, FrameEdge, Rel, SortKey, WindowCall, WindowFrame, WindowFunction};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, Frame, FrameBound, FunctionCall, Ident, Over};
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::binder::block::{Block, BoundWindow, WINDOW_BASE};
use crate::binder::numbers::Numbers;
use crate::expression::aggregate::{argument, result_type};
use crate::expression::operator::{self, convert};
use crate::expression::order_key::window_key;
use crate::expression::{aggregate, dialect};
use crate::sequence;

/// The function over windows of an upper-case name; aggregates are not among them.
pub(crate) fn function(name: &str, ignore_nulls: bool) -> Option<WindowFunction> {
    Some(match name {
        "ROW_NUMBER" => WindowFunction::RowNumber,
        "RANK" => WindowFunction::Rank,
        "DENSE_RANK" => WindowFunction::DenseRank,
        "NTILE" => WindowFunction::Ntile,
        "PERCENT_RANK" => WindowFunction::PercentRank,
        "CUME_DIST" => WindowFunction::CumeDist,
        "LAG" => WindowFunction::Lag { ignore_nulls },
        "LEAD" => WindowFunction::Lead { ignore_nulls },
        "FIRST_VALUE" => WindowFunction::FirstValue { ignore_nulls },
        "LAST_VALUE" => WindowFunction::LastValue { ignore_nulls },
        "PERCENTILE_CONT" => WindowFunction::PercentileCont,
        "PERCENTILE_DISC" => WindowFunction::PercentileDisc,
        _ => return None,
    })
}

/// A call with OVER.
pub(crate) fn window_call(
    binder: &mut Binder<'_>,
    name: &str,
    call: &FunctionCall,
    over: &Over,
) -> SqlResult<BoundExpr> {
    let known = function(name, call.ignore_nulls);
    let aggregate = aggregate::function(name).filter(|aggregate| {
        !matches!(aggregate, AggregateFunction::StringAgg | AggregateFunction::ApproxCountDistinct)
    });
    let Some(function) = known.or(aggregate.map(WindowFunction::Aggregate)) else {
        return Err(not_over(written(call)));
    };
    let named = over.base.is_some();
    let has_own_frame = over.frame.is_some();
    let over = &resolved(binder, over)?;
    if over.frame.is_some() && !has_own_frame {
        check_named_frame(function, call, over)?;
    }
    check_clauses(function, call, over, named)?;
    let block = binder.blocks.last_mut().filter(|block| block.windows.is_some()).ok_or_else(wrong_place)?;
    if block.in_aggregate || std::mem::replace(&mut block.in_window, true) {
        return Err(nested());
    }
    let bound = sequence::without_numbers(binder, Numbers::NotInClause, |binder| {
        bound_window(binder, function, call, over, named)
    });
    let block = binder.blocks.last_mut().expect("found above");
    block.in_window = false;
    let bound = bound?;
    let ty = bound.call.ty;
    let windows = block.windows.as_mut().expect("found above");
    let index = windows.number(bound);
    Ok(BoundExpr { kind: Kind::Column(WINDOW_BASE + index), ty })
}

/// The window with what the one that it names says.
fn resolved(binder: &Binder<'_>, over: &Over) -> SqlResult<Over> {
    let known = binder.blocks.last().map(|block| &block.named_windows[..]).unwrap_or_default();
    let find = |name: &str| known.iter().find(|(known, _)| names_equal(known, name));
    let (mut chain, mut next, mut above): (Vec<&Over>, _, Option<&str>) = (Vec::new(), over.base.as_deref(), None);
    while let Some(name) = next {
        if above.is_some_and(|above| names_equal(above, name)) {
            return Err(undefined_window(name));
        }
        // Each of a chain names another one, so a longer chain than there are windows is a circle.
        if chain.len() > known.len() {
            return Err(SqlError::of(5365, 1, &[]));
        }
        let (_, base) = find(name).ok_or_else(|| undefined_window(name))?;
        chain.push(base);
        (next, above) = (base.base.as_deref(), Some(name));
    }
    let window = chain.into_iter().try_fold(over.clone(), |window, base| extended(base, &window))?;
    Ok(Over { base: None, ..window })
}

fn bound_window(
    binder: &mut Binder<'_>,
    function: WindowFunction,
    call: &FunctionCall,
    over: &Over,
    named: bool,
) -> SqlResult<BoundWindow> {
    let mut partition = Vec::with_capacity(over.partition_by.len());
    for expr in &over.partition_by {
        let key = binder.expression(expr)?;
        operator::comparable(&key)?;
        partition.push(key);
    }
    let is_percentile = matches!(function, WindowFunction::PercentileCont | WindowFunction::PercentileDisc);
    let items = if is_percentile { &call.within_group } else { &over.order_by };
    let order = items.iter().map(|item| window_key(binder, item)).collect::<SqlResult<Vec<SortKey>>>()?;
    let (args, ty) = window_args(binder, function, call, &order)?;
    let is_count =
        matches!(function, WindowFunction::Aggregate(AggregateFunction::Count | AggregateFunction::CountBig));
    let frame = frame_of(function, is_count && args.is_empty(), over, named)?;
    // An aggregate over the whole partition does not depend on an order.
    let needs_order = !matches!(function, WindowFunction::Aggregate(_)) || frame != WindowFrame::PARTITION;
    let order = if needs_order { order } else { Vec::new() };
    Ok(BoundWindow { partition, order, call: WindowCall { function, args, frame, ty } })
}

/// Arguments in the function's types, and the type of its result.
fn window_args(
    binder: &mut Binder<'_>,
    function: WindowFunction,
    call: &FunctionCall,
    order: &[SortKey],
) -> SqlResult<(Vec<BoundExpr>, ExprType)> {
    // SQL Server says of all of them that they may be NULL.
    let plain = |sql| ExprType::plain(sql, true);
    Ok(match function {
        WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => {
            check_count(call, 0)?;
            (Vec::new(), plain(SqlType::BigInt))
        }
        WindowFunction::PercentRank | WindowFunction::CumeDist => {
            check_count(call, 0)?;
            (Vec::new(), plain(SqlType::Float))
        }
        WindowFunction::Ntile => {
            check_count(call, 1)?;
            (vec![tiles(binder, &call.args[0])?], plain(SqlType::BigInt))
        }
        WindowFunction::Lag { .. } | WindowFunction::Lead { .. } => offset_args(binder, call)?,
        WindowFunction::FirstValue { .. } | WindowFunction::LastValue { .. } => {
            let [value] = &call.args[..] else {
                return Err(message::argument_count(function.name(), 1));
            };
            let value = binder.expression(value)?;
            let ty = ExprType { nullable: true, ..value.ty };
            (vec![value], ty)
        }
        WindowFunction::PercentileCont | WindowFunction::PercentileDisc => {
            let [key] = order else { return Err(one_order(function)) };
            percentile_args(binder, function, call, &key.expr)?
        }
        WindowFunction::Aggregate(aggregate) => {
            let arg = aggregate::aggregate_argument(binder, aggregate, call, function.name())?;
            let ty = result_type(aggregate, arg.as_ref(), function.name())?;
            let arg = arg.map(|arg| argument(aggregate, arg)).transpose()?;
            let arg = arg.map(|arg| dialect::noting_nulls(binder, aggregate, arg));
            (arg.into_iter().collect(), ExprType { nullable: true, ..ty })
        }
    })
}

fn tiles(binder: &mut Binder<'_>, expr: &Expr) -> SqlResult<BoundExpr> {
    let count = binder.expression(expr)?;
    let mut column = None;
    count.visit(&mut |node| {
        if let Kind::Column(index) = node.kind {
            column.get_or_insert(index);
        }
    });
    if let Some(index) = column {
        let scope = binder.scopes.last().map(|scope| &scope.columns[..]).unwrap_or_default();
        let name = scope.get(index).map_or("", |column| column.name.as_str());
        return Err(SqlError::of(4195, 1, &[&name]));
    }
    if !count.ty.sql.is_integer() {
        return Err(no_tiles());
    }
    if matches!(&count.kind, Kind::Literal(value) if value.as_i64().is_none_or(|count| count <= 0)) {
        return Err(no_tiles());
    }
    convert(count, SqlType::BigInt)
}

/// Value, offset and default of LAG and LEAD; the result has the value's type.
fn offset_args(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<(Vec<BoundExpr>, ExprType)> {
    if call.args.is_empty() || call.args.len() > 3 {
        return Err(SqlError::of(10_755, 1, &[&written(call), &1, &3]));
    }
    let value = binder.expression(&call.args[0])?;
    let offset = match call.args.get(1) {
        None => BoundExpr::literal(Value::BigInt(1), SqlType::BigInt),
        Some(offset) => convert(binder.expression(offset)?, SqlType::BigInt)?,
    };
    if matches!(offset.kind, Kind::Literal(Value::BigInt(offset)) if offset < 0) {
        return Err(SqlError::of(8730, 1, &[]));
    }
    let ty = ExprType { nullable: true, ..value.ty };
    let default = call.args.get(2).map(|default| convert(binder.expression(default)?, ty.sql)).transpose()?;
    // The row itself is always there.
    let default = default.filter(|_| !matches!(offset.kind, Kind::Literal(Value::BigInt(0))));
    Ok(([value, offset].into_iter().chain(default).collect(), ty))
}

fn percentile_args(
    binder: &mut Binder<'_>,
    function: WindowFunction,
    call: &FunctionCall,
    key: &BoundExpr,
) -> SqlResult<(Vec<BoundExpr>, ExprType)> {
    let [fraction] = &call.args[..] else {
        return Err(message::argument_count(function.name(), 1));
    };
    let fraction = binder.expression(fraction)?;
    if matches!(fraction.kind, Kind::Literal(Value::Null)) || !fraction.ty.sql.is_numeric() {
        return Err(SqlError::of(8727, 1, &[]));
    }
    let fraction = convert(fraction, SqlType::Float)?;
    if function == WindowFunction::PercentileDisc {
        return Ok((vec![key.clone(), fraction], ExprType { nullable: true, ..key.ty }));
    }
    if !key.ty.sql.is_numeric() {
        return Err(SqlError::of(8116, 1, &[&key.ty.sql.name(), &1, &"percentile_cont"]));
    }
    let ty = ExprType::plain(SqlType::Float, true);
    Ok((vec![convert(key.clone(), SqlType::Float)?, fraction], ty))
}

/// Binds something in which no function over a window may stand.
pub(crate) fn without_windows<T>(
    binder: &mut Binder<'_>,
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let hidden = binder.blocks.last_mut().and_then(|block| block.windows.take());
    let bound = bind(binder);
    if let Some(block) = binder.blocks.last_mut() {
        block.windows = hidden;
    }
    bound
}

/// Calls over equal windows: the first of them, all of them with their numbers.
type Shared = (BoundWindow, Vec<(usize, WindowCall)>);

/// The windows of a block.
pub(crate) struct Windows {
    /// In the order of their numbers.
    calls: Vec<BoundWindow>,
}

impl Windows {
    /// Those that the block has met.
    pub fn of(block: &mut Block) -> Windows {
        Windows { calls: block.windows.take().unwrap_or_default().into_vec() }
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The calls with all their expressions changed.
    pub fn map(self, change: &mut dyn FnMut(BoundExpr) -> SqlResult<BoundExpr>) -> SqlResult<Windows> {
        let mut calls = Vec::with_capacity(self.calls.len());
        for BoundWindow { partition, order, call } in self.calls {
            let partition = partition.into_iter().map(&mut *change).collect::<SqlResult<Vec<_>>>()?;
            let key = |key: SortKey| Ok(SortKey { expr: change(key.expr)?, descending: key.descending });
            let order = order.into_iter().map(key).collect::<SqlResult<Vec<_>>>()?;
            let args = call.args.into_iter().map(&mut *change).collect::<SqlResult<Vec<_>>>()?;
            calls.push(BoundWindow { partition, order, call: WindowCall { args, ..call } });
        }
        Ok(Windows { calls })
    }

    /// The input with the calls' values as columns after its own, and where each call's column is.
    pub fn over(self, input: Rel) -> (Rel, Vec<usize>) {
        let width = input.types().len();
        let (mut shared, mut known): (Vec<Shared>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
        for (number, window) in self.calls.into_iter().enumerate() {
            let text = format!("{:?}{:?}", window.partition, window.order);
            let call = (number, window.call.clone());
            let next = shared.len();
            match shared.get_mut(*known.entry(text).or_insert(next)) {
                Some((_, calls)) => calls.push(call),
                None => shared.push((window, vec![call])),
            }
        }
        shared.sort_by_key(|(window, _)| std::cmp::Reverse(window.partition.len() + window.order.len()));
        let mut places = vec![0; shared.iter().map(|(_, calls)| calls.len()).sum()];
        let (mut rel, mut next) = (input, width);
        for (BoundWindow { partition, order, .. }, calls) in shared {
            for (number, _) in &calls {
                places[*number] = next;
                next += 1;
            }
            let calls = calls.into_iter().map(|(_, call)| call).collect();
            rel = Rel::Window { input: Box::new(rel), partition, order, calls };
        }
        (rel, places)
    }
}

/// An expression of the block with the calls' columns where they are.
pub(crate) fn placed(expr: BoundExpr, places: &[usize]) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) if column >= WINDOW_BASE => Ok(BoundExpr::column(places[column - WINDOW_BASE], node.ty)),
        _ => Err(node),
    })
}

/// A window with more said of it: nothing may be said twice.
fn extended(base: &Over, more: &Over) -> SqlResult<Over> {
    let overlap = !base.partition_by.is_empty() && !more.partition_by.is_empty()
        || !base.order_by.is_empty() && !more.order_by.is_empty()
        || base.frame.is_some() && more.frame.is_some();
    if overlap {
        return Err(SqlError::of(4123, if base.frame.is_some() { 2 } else { 3 }, &[]));
    }
    Ok(Over {
        base: None,
        partition_by: [&base.partition_by[..], &more.partition_by[..]].concat(),
        order_by: [&base.order_by[..], &more.order_by[..]].concat(),
        frame: base.frame.or(more.frame),
    })
}

/// 16211: no two windows of a block have one name.
pub(crate) fn check_names(windows: &[(Ident, Over)]) -> SqlResult<()> {
    for (index, (name, _)) in windows.iter().enumerate() {
        if windows[..index].iter().any(|(known, _)| names_equal(known, name)) {
            return Err(SqlError::of(16_211, 1, &[]));
        }
    }
    Ok(())
}

fn undefined_window(name: &str) -> SqlError {
    SqlError::of(5362, 1, &[&name])
}

fn frame_of(function: WindowFunction, counts_rows: bool, over: &Over, named: bool) -> SqlResult<WindowFrame> {
    let ordered = !over.order_by.is_empty();
    let Some(frame) = over.frame else {
        return Ok(if ordered { WindowFrame::RUNNING } else { WindowFrame::PARTITION });
    };
    // How many rows there are in a frame does not depend on which.
    if !ordered && !counts_rows {
        return Err(if named { SqlError::of(5364, 1, &[]) } else { SqlError::of(10_756, 1, &[]) });
    }
    debug_assert!(takes_frame(function));
    let counts = |bound| matches!(bound, FrameBound::Preceding(_) | FrameBound::Following(_));
    if frame.range && (counts(frame.start) || counts(frame.end)) {
        return Err(SqlError::of(4194, 1, &[]));
    }
    check_order(&frame)?;
    Ok(WindowFrame { start: edge(frame.start, frame.range), end: edge(frame.end, frame.range) })
}

/// 4193: a frame must not begin after its end, by its keywords alone.
fn check_order(frame: &Frame) -> SqlResult<()> {
    let rank = |bound| match bound {
        FrameBound::UnboundedPreceding => (0, "UNBOUNDED PRECEDING"),
        FrameBound::Preceding(_) => (1, "... PRECEDING"),
        FrameBound::CurrentRow => (2, "CURRENT ROW"),
        FrameBound::Following(_) => (3, "... FOLLOWING"),
        FrameBound::UnboundedFollowing => (4, "UNBOUNDED FOLLOWING"),
    };
    let ((start, start_text), (end, end_text)) = (rank(frame.start), rank(frame.end));
    if start <= end && start < 4 && end > 0 {
        return Ok(());
    }
    Err(SqlError::of(4193, 1, &[&start_text, &end_text]))
}

fn edge(bound: FrameBound, range: bool) -> FrameEdge {
    let rows = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    match bound {
        FrameBound::UnboundedPreceding | FrameBound::UnboundedFollowing => FrameEdge::Partition,
        FrameBound::CurrentRow if range => FrameEdge::Peers,
        FrameBound::CurrentRow => FrameEdge::Rows(0),
        FrameBound::Preceding(count) => FrameEdge::Rows(-rows(count)),
        FrameBound::Following(count) => FrameEdge::Rows(rows(count)),
    }
}

fn takes_frame(function: WindowFunction) -> bool {
    matches!(
        function,
        WindowFunction::Aggregate(_) | WindowFunction::FirstValue { .. } | WindowFunction::LastValue { .. }
    )
}

/// 4106: a frame that a named window brings.
fn check_named_frame(function: WindowFunction, call: &FunctionCall, over: &Over) -> SqlResult<()> {
    use WindowFunction as F;
    let is_percentile = matches!(function, F::PercentileCont | F::PercentileDisc);
    if takes_frame(function) || is_percentile && !over.order_by.is_empty() {
        return Ok(());
    }
    let state = if is_percentile || matches!(function, F::Lag { .. } | F::Lead { .. }) { 1 } else { 2 };
    Err(SqlError::of(4106, state, &[&written(call)]))
}

/// Which clauses a function may and must have.
fn check_clauses(function: WindowFunction, call: &FunctionCall, over: &Over, named: bool) -> SqlResult<()> {
    let name = written(call);
    if call.distinct {
        return Err(SqlError::of(10_759, 1, &[]));
    }
    let is_percentile = matches!(function, WindowFunction::PercentileCont | WindowFunction::PercentileDisc);
    if is_percentile && call.within_group.is_empty() {
        return Err(SqlError::of(10_754, 1, &[&name]));
    }
    if !is_percentile && !call.within_group.is_empty() {
        return Err(SqlError::of(10_757, 1, &[&name]));
    }
    if is_percentile && !over.order_by.is_empty() && named {
        return Err(SqlError::of(5363, 1, &[&name]));
    }
    if is_percentile && !over.order_by.is_empty() {
        return Err(SqlError::of(10_758, 1, &[&name]));
    }
    if over.frame.is_some() && !takes_frame(function) {
        return Err(SqlError::of(10_752, 1, &[&name]));
    }
    let aggregates = matches!(function, WindowFunction::Aggregate(_));
    if !aggregates && !is_percentile && over.order_by.is_empty() && named {
        return Err(SqlError::of(5366, 1, &[&name]));
    }
    if !aggregates && !is_percentile && over.order_by.is_empty() {
        return Err(SqlError::of(4112, 1, &[&name]));
    }
    Ok(())
}

fn check_count(call: &FunctionCall, wanted: usize) -> SqlResult<()> {
    if call.args.len() == wanted && !call.star {
        return Ok(());
    }
    Err(SqlError::of(4114, 1, &[&written(call), &wanted]))
}

/// 10753
pub(crate) fn without_over(call: &FunctionCall) -> SqlError {
    SqlError::of(10_753, 1, &[&written(call)])
}

/// The function's name as the statement has it.
fn written(call: &FunctionCall) -> &str {
    call.name.parts.last().map_or("", String::as_str)
}

/// 4113
pub(crate) fn not_over(name: &str) -> SqlError {
    SqlError::of(4113, 1, &[&name])
}

fn wrong_place() -> SqlError {
    SqlError::of(4108, 1, &[])
}

/// 4109
fn nested() -> SqlError {
    SqlError::of(4109, 1, &[])
}

fn one_order(function: WindowFunction) -> SqlError {
    SqlError::of(10_751, 1, &[&function.name()])
}

fn no_tiles() -> SqlError {
    SqlError::of(4116, 1, &[])
}
