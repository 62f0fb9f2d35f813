//! GROUP BY: its items become sets of expressions; GROUPING and GROUPING_ID tell the sets apart.
//!
//! `a, ROLLUP (b, c)` is the product of its items' sets: `(a, b, c)`, `(a, b)`, `(a)`. A set is a number whose bits are the
//! groups that it has not; see [`Rel::Expand`].

use std::collections::HashSet;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel, SET_NUMBER};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, FunctionCall, GroupItem};
use millpond_types::{ArithOp, SqlType, Value};

use crate::Binder;
use crate::expression::aggregate::{GROUPING_SET, check_group};
use crate::expression::operator::{arithmetic, cast_to, comparable};

/// SQL Server's limits.
const SETS_MAX: usize = 4096;
const GROUPS_MAX: usize = 32;

/// What GROUP BY says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// Expressions, each once where there are sets.
    pub exprs: Vec<BoundExpr>,
    /// Numbers of the grouping sets; none for a plain list.
    pub sets: Option<Vec<i64>>,
}

/// Sets of expressions, by their places in a list.
type Sets<'a> = Vec<Vec<&'a Expr>>;

/// 144
fn aggregate_in_group() -> SqlError {
    SqlError::of(144, 1, &[])
}

impl Binder<'_> {
    /// Binds GROUP BY. Columns that a set may lack are nullable in the block from here on.
    pub(crate) fn groups(&mut self, items: &[GroupItem]) -> SqlResult<Groups> {
        if items.iter().all(|item| matches!(item, GroupItem::Expr(_))) {
            let exprs = items.iter().filter_map(|item| match item {
                GroupItem::Expr(expr) => Some(self.group(expr)),
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
                let bound = self.group(expr)?;
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
        self.make_nullable(&exprs, members.iter().fold(all, |all, member| all & member));
        let exprs = written.into_iter().map(|expr| self.group(expr)).collect::<SqlResult<_>>()?;
        Ok(Groups { exprs, sets: Some(sets) })
    }

    fn group(&mut self, group: &Expr) -> SqlResult<BoundExpr> {
        let bound = self.expression(group).map_err(|error| match error.number {
            // An aggregate where none may be.
            147 => aggregate_in_group(),
            _ => error,
        })?;
        if millpond_builtin::eval::needs_plan(&bound) {
            return Err(aggregate_in_group());
        }
        check_group(&bound)?;
        comparable(&bound)?;
        Ok(bound)
    }

    /// The columns of groups that are not in all sets may be NULL.
    fn make_nullable(&mut self, groups: &[BoundExpr], in_all: i64) {
        let scope = self.scopes.last_mut().expect("a block has a scope");
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

    /// `GROUPING (group)`: 1 in rows of sets that have it not.
    pub(crate) fn grouping(&mut self, call: &FunctionCall) -> SqlResult<BoundExpr> {
        let [arg] = &call.args[..] else { return Err(message::argument_count("GROUPING", 1)) };
        let bits = self.grouping_bits(std::slice::from_ref(arg), "GROUPING")?;
        Ok(cast_to(bits, SqlType::TinyInt, None, false))
    }

    /// `GROUPING_ID (groups)`: their GROUPING as the digits of a number.
    pub(crate) fn grouping_id(&mut self, call: &FunctionCall) -> SqlResult<BoundExpr> {
        if call.args.is_empty() || call.args.len() > GROUPS_MAX {
            return Err(SqlError::of(189, 1, &[&"GROUPING_ID", &1, &32]));
        }
        let bits = self.grouping_bits(&call.args, "GROUPING_ID")?;
        Ok(cast_to(bits, SqlType::Int, None, false))
    }

    fn grouping_bits(&mut self, args: &[Expr], name: &str) -> SqlResult<BoundExpr> {
        let mut bits = big(0);
        for (index, arg) in args.iter().enumerate() {
            let arg = self.expression(arg)?;
            let block = self.blocks.last().filter(|block| block.aggregates.is_some());
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
}

impl Groups {
    /// Whether the block is grouped by anything.
    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty() && self.sets.is_none()
    }

    /// Columns of the grouped row before the aggregates.
    pub fn width(&self) -> usize {
        self.exprs.len() + usize::from(self.sets.is_some())
    }

    /// The grouped rows of an input.
    pub fn over(self, input: Rel, aggregates: Vec<Aggregate>) -> Rel {
        let Some(sets) = self.sets else {
            return Rel::Aggregate { input: Box::new(input), groups: self.exprs, aggregates };
        };
        let all = (1_i64 << self.exprs.len()) - 1;
        let totals: Vec<i64> = sets.iter().copied().filter(|set| set & all == all).collect();
        let first = input.types().len();
        let expanded = Rel::Expand { input: Box::new(input), groups: self.exprs, sets };
        let types = expanded.types();
        let groups: Vec<BoundExpr> =
            types.iter().enumerate().skip(first).map(|(index, ty)| BoundExpr::column(index, *ty)).collect();
        let empty = |set: i64| {
            let nothing = groups[..groups.len() - 1].iter().map(|group| null(group.ty));
            nothing.chain([big(set)]).chain(aggregates.iter().map(of_nothing)).collect::<Vec<BoundExpr>>()
        };
        let rows: Vec<Vec<BoundExpr>> = totals.into_iter().map(empty).collect();
        let grouped = Rel::Aggregate { input: Box::new(expanded), groups, aggregates };
        if rows.is_empty() { grouped } else { Rel::OrElse { input: Box::new(grouped), rows } }
    }
}

fn null(ty: ExprType) -> BoundExpr {
    BoundExpr { kind: Kind::Literal(Value::Null), ty: ExprType { nullable: true, ..ty } }
}

/// What an aggregate of no rows is.
fn of_nothing(aggregate: &Aggregate) -> BoundExpr {
    match aggregate.function {
        AggregateFunction::Count => BoundExpr::literal(Value::Int(0), SqlType::Int),
        AggregateFunction::CountBig | AggregateFunction::ApproxCountDistinct => big(0),
        _ => null(aggregate.ty),
    }
}

fn big(n: i64) -> BoundExpr {
    BoundExpr::literal(Value::BigInt(n), SqlType::BigInt)
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
