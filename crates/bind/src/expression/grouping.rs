//! GROUP BY: its items become sets of expressions; GROUPING and GROUPING_ID distinguish the sets.
//!
//! `a, ROLLUP (b, c)` is the product of its items' sets: `(a, b, c)`, `(a, b)`, `(a)`. A set is a number whose bits are the
//! groups that it has not; see [`Rel::Expand`].

use std::collections::HashSet;

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::SET_NUMBER;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, FunctionCall, GroupItem};
use millpond_types::{ArithOp, SqlType};

use crate::binder::Binder;
use crate::binder::block::{GROUPING_SET, Groups, big};
use crate::expression::operator::{arithmetic, cast_to, comparable};

/// SQL Server's limits.
const SETS_MAX: usize = 4096;
const GROUPS_MAX: usize = 32;

/// Sets of expressions, by their places in a list.
type Sets<'a> = Vec<Vec<&'a Expr>>;

/// 144
fn aggregate_in_group() -> SqlError {
    SqlError::of(144, 1, &[])
}

/// Binds GROUP BY. Columns that a set may lack are nullable in the block from here on.
pub(crate) fn groups(binder: &mut Binder<'_>, items: &[GroupItem]) -> SqlResult<Groups> {
    if items.iter().all(|item| matches!(item, GroupItem::Expr(_))) {
        let exprs = items.iter().filter_map(|item| match item {
            GroupItem::Expr(expr) => Some(group(binder, expr)),
            _ => None,
        });
        return Ok(Groups { exprs: exprs.collect::<SqlResult<_>>()?, sets: None });
    }
    let sets = product(items)?;
    let (mut written, mut exprs): (Vec<&Expr>, Vec<BoundExpr>) = (Vec::new(), Vec::new());
    let mut members: Vec<i64> = Vec::with_capacity(sets.len());
    for set in sets {
        let mut member = 0;
        for expr in set {
            let bound = group(binder, expr)?;
            let place = exprs.iter().position(|known| known.same_as(&bound)).unwrap_or_else(|| {
                written.push(expr);
                exprs.push(bound);
                exprs.len() - 1
            });
            if place >= GROUPS_MAX {
                return Err(too_many_groups());
            }
            member |= 1 << place;
        }
        members.push(member);
    }
    let all = (1_i64 << exprs.len()) - 1;
    let mut seen = HashSet::new();
    let mut number = |member: i64| {
        let mut number = all & !member;
        while !seen.insert(number) {
            number += 1 << GROUPS_MAX;
        }
        number
    };
    let sets: Vec<i64> = members.iter().map(|member| number(*member)).collect();
    make_nullable(binder, &exprs, members.iter().fold(all, |all, member| all & member));
    // Bound again over columns that may be NULL now, and once more where a group is part of another one.
    let exprs = written.iter().map(|expr| group(binder, expr)).collect::<SqlResult<_>>()?;
    binder.blocks.last_mut().expect("a block is being bound").groups = Groups { exprs, sets: Some(sets.clone()) };
    let exprs = written.into_iter().map(|expr| group(binder, expr)).collect::<SqlResult<_>>()?;
    Ok(Groups { exprs, sets: Some(sets) })
}

fn group(binder: &mut Binder<'_>, group: &Expr) -> SqlResult<BoundExpr> {
    let named = binder.columns_named;
    let bound = binder.expression(group).map_err(|error| match error.number {
        // An aggregate where none may be.
        147 => aggregate_in_group(),
        _ => error,
    })?;
    if millpond_builtin::eval::needs_plan(&bound) {
        return Err(aggregate_in_group());
    }
    check_group(&bound, binder.columns_named > named)?;
    comparable(&bound)?;
    Ok(bound)
}

/// The columns of groups that are not in all sets may be NULL.
fn make_nullable(binder: &mut Binder<'_>, groups: &[BoundExpr], in_all: i64) {
    let scope = binder.scopes.last_mut().expect("a block has a scope");
    for (index, group) in groups.iter().enumerate().filter(|(index, _)| in_all >> index & 1 == 0) {
        debug_assert!(index < GROUPS_MAX);
        group.visit(&mut |node| {
            if let Kind::Column(column) = node.kind
                && let Some(column) = scope.columns.get_mut(column)
            {
                column.ty.nullable = true;
            }
        });
    }
}

/// An expression that is a group may be NULL where a set lacks it, whatever it is of its columns.
pub(crate) fn as_group(binder: &Binder<'_>, mut expr: BoundExpr) -> BoundExpr {
    let groups = binder.blocks.last().map(|block| &block.groups);
    if !expr.ty.nullable
        && let Some(Groups { exprs, sets: Some(sets) }) = groups
        && let Some(index) = exprs.iter().position(|group| group.same_as(&expr))
    {
        expr.ty.nullable = sets.iter().any(|lacks| lacks >> index & 1 == 1);
    }
    expr
}

/// `GROUPING (group)`: 1 in rows of sets that have it not.
pub(crate) fn grouping(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let [arg] = &call.args[..] else { return Err(message::argument_count("GROUPING", 1)) };
    let bits = grouping_bits(binder, std::slice::from_ref(arg), "GROUPING")?;
    Ok(cast_to(bits, SqlType::TinyInt, None, false))
}

/// `GROUPING_ID (groups)`: their GROUPING as the digits of a number.
pub(crate) fn grouping_id(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    if call.args.is_empty() || call.args.len() > GROUPS_MAX {
        return Err(SqlError::of(189, 1, &[&"GROUPING_ID", &1, &32]));
    }
    let bits = grouping_bits(binder, &call.args, "GROUPING_ID")?;
    Ok(cast_to(bits, SqlType::Int, None, false))
}

fn grouping_bits(binder: &mut Binder<'_>, args: &[Expr], name: &str) -> SqlResult<BoundExpr> {
    let mut bits = big(0);
    for (index, arg) in args.iter().enumerate() {
        let arg = binder.expression(arg)?;
        let block = binder.blocks.last().filter(|block| block.aggregates.is_some());
        let groups = block.map(|block| &block.groups);
        let place = groups.and_then(|groups| groups.exprs.iter().position(|group| group.same_as(&arg)));
        let (Some(place), Some(groups)) = (place, groups) else { return Err(no_group(index + 1, name)) };
        let bit = match groups.sets {
            None => big(0),
            Some(_) => {
                let set = BoundExpr::column(GROUPING_SET, SET_NUMBER);
                let shifted = arithmetic(ArithOp::Div, set, big(1 << place))?;
                arithmetic(ArithOp::BitAnd, shifted, big(1))?
            }
        };
        bits = arithmetic(ArithOp::Add, arithmetic(ArithOp::Mul, bits, big(2))?, bit)?;
    }
    Ok(bits)
}

/// The sets of several items together: each of the first's with each of the second's …
fn product(items: &[GroupItem]) -> SqlResult<Sets<'_>> {
    let mut sets: Sets<'_> = vec![Vec::new()];
    for item in items {
        let own = sets_of(item)?;
        bounded(sets.len() * own.len())?;
        sets = sets.iter().flat_map(|set| own.iter().map(|own| [&set[..], &own[..]].concat())).collect();
    }
    Ok(sets)
}

fn sets_of(item: &GroupItem) -> SqlResult<Sets<'_>> {
    Ok(match item {
        GroupItem::Expr(expr) => vec![vec![expr]],
        GroupItem::Total => vec![Vec::new()],
        GroupItem::Rollup(parts) => {
            let parts: Vec<&Vec<Expr>> = parts.iter().collect();
            (0..=parts.len()).rev().map(|count| together(&parts[..count])).collect()
        }
        GroupItem::Cube(parts) => {
            bounded(1_usize.checked_shl(parts.len() as u32).unwrap_or(usize::MAX))?;
            let chosen = |chosen: usize| -> Vec<&Vec<Expr>> {
                let is_in = |index: &usize| chosen >> (parts.len() - 1 - index) & 1 == 1;
                (0..parts.len()).filter(is_in).map(|index| &parts[index]).collect()
            };
            (0..1_usize << parts.len()).rev().map(|set| together(&chosen(set))).collect()
        }
        GroupItem::Sets(sets) => {
            let mut all = Vec::new();
            for set in sets {
                all.extend(product(set)?);
                bounded(all.len())?;
            }
            all
        }
    })
}

fn together<'a>(parts: &[&'a Vec<Expr>]) -> Vec<&'a Expr> {
    parts.iter().flat_map(|part| part.iter()).collect()
}

fn bounded(sets: usize) -> SqlResult<()> {
    if sets <= SETS_MAX {
        return Ok(());
    }
    Err(SqlError::of(10_705, 1, &[&SETS_MAX]))
}

fn too_many_groups() -> SqlError {
    SqlError::of(10_707, 1, &[&GROUPS_MAX])
}

fn no_group(place: usize, name: &str) -> SqlError {
    SqlError::of(8161, 1, &[&place, &name])
}

/// 164: GROUP BY takes no constants, and of columns not those of the queries around it alone. `names_column` says that one stands in what
/// is written, of which a constant may be left.
fn check_group(group: &BoundExpr, names_column: bool) -> SqlResult<()> {
    let mut has_column = names_column;
    group.visit(&mut |expr| has_column |= matches!(expr.kind, Kind::Column(_)));
    if !has_column {
        return Err(SqlError::of(164, 1, &[]));
    }
    Ok(())
}
