//! ORDER BY after set operators and where it means nothing, positions in a select list, TOP, OFFSET and FETCH.

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::names_equal;
use millpond_catalog::rel::{Rel, SortKey};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{self, Expr, ExprKind, OrderItem, Query, Top, UnaryOp};
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::bound_query::{Body, BoundQuery};
use crate::binder::scope::{Role, Scope, ScopeColumn};
use crate::expression::operator::{self, convert};
use crate::expression::order_key;
use crate::mask;

/// The table and the name of the column that an item is.
type Origin = Option<(String, String)>;

/// ORDER BY, OFFSET and FETCH over a result that is no single block: by name or position only.
pub(crate) fn ordered_result(binder: &mut Binder<'_>, body: Body, query: &Query) -> SqlResult<BoundQuery> {
    let Body { rel, names, origins } = body;
    let types = rel.types();
    let columns = names.iter().zip(&types).map(|(name, ty)| ScopeColumn {
        table: String::new(),
        place: None,
        name: name.clone(),
        ty: *ty,
        hidden: false,
        role: Role::Plain,
        computed: None,
        mention: None,
    });
    binder.scopes.push(Scope { columns: columns.collect(), ..Scope::default() });
    binder.blocks.push(Block::default());
    let rel = ordered_rows(binder, rel, (&types, &names, &origins), query);
    binder.blocks.pop();
    binder.scopes.pop();
    Ok(BoundQuery { rel: rel?, names, into: None, assign: Vec::new(), origins })
}

/// The rows in their order, as far as they are wanted; the result's columns are the scope on top.
fn ordered_rows(
    binder: &mut Binder<'_>,
    rel: Rel,
    (types, names, origins): (&[ExprType], &[String], &[Origin]),
    query: &Query,
) -> SqlResult<Rel> {
    let keys = query
        .order_by
        .iter()
        .map(|item| result_key(binder, item, (types, names, origins)))
        .collect::<SqlResult<Vec<_>>>()?;
    check_keys(&query.order_by, &keys, names)?;
    limited(binder, sorted(rel, keys), None, &[], query)
}

/// A key is a column of the result: by position, by its name, or by that of the column that the first block's item is.
fn result_key(
    binder: &mut Binder<'_>,
    item: &OrderItem,
    (types, names, origins): (&[ExprType], &[String], &[Origin]),
) -> SqlResult<SortKey> {
    let descending = item.descending;
    if let Some(index) = position(&item.expr, types.len())?.or_else(|| quoted_item(&item.expr, names)) {
        let same = quoted(&item.expr).map_or(0, |quoted| names.iter().filter(|name| names_equal(name, quoted)).count());
        if same > 1 {
            return Err(message::ambiguous_column(&names[index]));
        }
        return Ok(SortKey { expr: BoundExpr::column(index, types[index]), descending });
    }
    let plain = match &item.expr.kind {
        ExprKind::Collate(expr, _) => &expr.kind,
        kind => kind,
    };
    let ExprKind::Column(name) = plain else { return Err(not_an_item().at(item.expr.line)) };
    if let ([column], ExprKind::Column(_)) = (&name.parts[..], &item.expr.kind)
        && !names.iter().any(|name| names_equal(name, column))
        && let Some(index) = origins.iter().position(|origin| is_of(origin, column))
    {
        return Ok(SortKey { expr: BoundExpr::column(index, types[index]), descending });
    }
    if let [.., table, column] = &name.parts[..] {
        let is_it =
            |origin: &Origin| is_of(origin, column) && origin.as_ref().is_some_and(|(of, _)| names_equal(of, table));
        if let (Some(index), ExprKind::Column(_)) = (origins.iter().position(is_it), &item.expr.kind) {
            return Ok(SortKey { expr: BoundExpr::column(index, types[index]), descending });
        }
    }
    Ok(SortKey { expr: binder.expression(&item.expr)?, descending })
}

/// Whether an item is a column of that name.
fn is_of(origin: &Origin, column: &str) -> bool {
    origin.as_ref().is_some_and(|(_, known)| names_equal(known, column))
}

/// What a key of ORDER BY names.
#[derive(PartialEq, Eq)]
enum Named {
    /// An item of the select list, by its position.
    Item(usize),
    /// A column of FROM.
    Column,
    /// Nothing: it is computed.
    Nothing,
}

fn named(item: &OrderItem, names: &[String]) -> Named {
    if let Some(number) = written_integer(&item.expr) {
        return number.parse::<usize>().ok().and_then(|place| place.checked_sub(1)).map_or(Named::Nothing, Named::Item);
    }
    if let Some(index) = quoted_item(&item.expr, names) {
        return Named::Item(index);
    }
    match &item.expr.kind {
        ExprKind::Column(name) => match &name.parts[..] {
            [name] => names.iter().position(|known| names_equal(known, name)).map_or(Named::Column, Named::Item),
            _ => Named::Column,
        },
        _ => Named::Nothing,
    }
}

/// The keys of ORDER BY beside each other.
///
/// # Errors
/// 169 for a column that stands there twice, 408 for a constant that is no position, 1008 for a variable, converted or not.
pub(crate) fn check_keys(items: &[OrderItem], keys: &[SortKey], names: &[String]) -> SqlResult<()> {
    let mut seen: Vec<(Named, &BoundExpr)> = Vec::with_capacity(keys.len());
    for (place, (item, key)) in items.iter().zip(keys).enumerate() {
        let named = named(item, names);
        if named == Named::Nothing {
            check_constant(&key.expr, place + 1).map_err(|error| error.at(item.expr.line))?;
            continue;
        }
        let twice = |(known, expr): &(Named, &BoundExpr)| match (known, &named) {
            (Named::Item(known), Named::Item(named)) => known == named,
            _ => expr.same_as(&key.expr),
        };
        if seen.iter().any(twice) {
            return Err(SqlError::of(169, 1, &[]).at(item.expr.line));
        }
        seen.push((named, &key.expr));
    }
    Ok(())
}

/// A key that is no column: a constant and a variable give no order, but what a variable is part of is computed.
fn check_constant(expr: &BoundExpr, place: usize) -> SqlResult<()> {
    if order_key::is_folded(expr) {
        return Err(SqlError::of(408, 1, &[&place]));
    }
    let mut converted = expr;
    while let Kind::Cast { expr, .. } = &converted.kind {
        converted = expr;
    }
    match converted.kind {
        Kind::Variable(_) => Err(SqlError::of(1008, 1, &[&place])),
        _ => Ok(()),
    }
}

/// Number of the error that says that ORDER BY has no meaning in a query.
pub const ORDER_MEANS_NOTHING: i32 = 1033;

/// 104
fn not_an_item() -> SqlError {
    SqlError::of(104, 1, &[])
}

/// TOP, OFFSET and FETCH.
pub(crate) fn limited(
    binder: &mut Binder<'_>,
    rel: Rel,
    top: Option<&Top>,
    keys: &[SortKey],
    query: &Query,
) -> SqlResult<Rel> {
    if top.is_some() && query.offset.is_some() {
        return Err(SqlError::of(10741, 2, &[]));
    }
    if let Some(top) = top {
        if top.with_ties && keys.is_empty() {
            return Err(SqlError::of(1062, 1, &[]));
        }
        let count = count(binder, &top.count, top.percent)?;
        let ties = if top.with_ties { keys.to_vec() } else { Vec::new() };
        return Ok(Rel::Top { input: Box::new(rel), count: Some(count), percent: top.percent, ties, offset: None });
    }
    let Some(offset) = &query.offset else {
        return Ok(rel);
    };
    let offset = Some(count(binder, offset, false)?);
    let count = query.fetch.as_ref().map(|fetch| count(binder, fetch, false)).transpose()?;
    if count.as_ref().is_some_and(|count| matches!(count.kind, Kind::Literal(Value::BigInt(0)))) {
        return Err(message::nothing_to_fetch());
    }
    Ok(Rel::Top { input: Box::new(rel), count, percent: false, ties: Vec::new(), offset })
}

pub(crate) fn sorted(rel: Rel, keys: Vec<SortKey>) -> Rel {
    if keys.is_empty() { rel } else { Rel::Sort { input: Box::new(rel), keys } }
}

/// The select-list position that an ORDER BY number means.
pub(crate) fn position(expr: &Expr, width: usize) -> SqlResult<Option<usize>> {
    let Some(number) = written_integer(expr) else { return Ok(None) };
    match number.parse::<usize>() {
        Ok(number) if number >= 1 && number <= width => Ok(Some(number - 1)),
        _ => Err(SqlError::of(108, 1, &[&number])),
    }
}

/// The first item of the select list that a key names in quotes: `AS 'Total' … ORDER BY 'Total'`. Another text is a constant.
fn quoted_item(expr: &Expr, names: &[String]) -> Option<usize> {
    let quoted = quoted(expr)?;
    names.iter().position(|name| names_equal(name, quoted))
}

/// A name in quotes.
pub(crate) fn quoted(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(ast::Literal::String(quoted)) if !quoted.is_empty() => Some(quoted),
        _ => None,
    }
}

/// An integer that is written, with signs or without.
pub(crate) fn written_integer(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Literal(ast::Literal::Integer(digits)) => Some(digits.clone()),
        ExprKind::Unary(UnaryOp::Plus, operand) => written_integer(operand),
        ExprKind::Unary(UnaryOp::Minus, operand) => {
            written_integer(operand).map(|number| match number.strip_prefix('-') {
                Some(number) => number.to_owned(),
                None => format!("-{number}"),
            })
        }
        _ => None,
    }
}

pub(crate) fn count(binder: &mut Binder<'_>, count: &Expr, percent: bool) -> SqlResult<BoundExpr> {
    let own = binder.scopes.len().checked_sub(1);
    let had_no_row = own.is_some_and(|own| std::mem::replace(&mut binder.scopes[own].has_no_row, true));
    let bound = binder.expression(count);
    if let Some(own) = own {
        binder.scopes[own].has_no_row = had_no_row;
    }
    let bound = bound?;
    // A literal beyond int is a decimal: `TOP (9223372036854775807)`.
    let is_whole = matches!(bound.ty.sql, SqlType::Decimal { scale: 0, .. }) && matches!(bound.kind, Kind::Literal(_));
    let is_known = bound.ty.sql != operator::ASKED && !operator::is_null_literal(&bound);
    if !percent && !bound.ty.sql.is_integer() && !is_whole && is_known {
        return Err(SqlError::of(1060, 1, &[]));
    }
    convert(mask::count(binder, bound), if percent { SqlType::Float } else { SqlType::BigInt })
}
