//! Aggregates and grouping.
//!
//! While a block's select list, HAVING and ORDER BY are bound, an aggregate becomes `Column(AGGREGATE_BASE + n)` over
//! the ungrouped row. When all are known, [`Grouping::apply`] turns each expression into one over the grouped row:
//! what equals a GROUP BY expression and what is an aggregate become columns; a column left over is error 8120.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind, Label};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Joining, Rel, SortKey};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::FunctionCall;
use millpond_types::SqlType;
use millpond_types::sql_type::MaxLen;

use crate::binder::Binder;
use crate::binder::block::{AGGREGATE_BASE, GROUPING_SET, Groups, WINDOW_BASE};
use crate::binder::scope::Scope;
use crate::expression::inward::depends_on_row;
use crate::expression::operator::{convert, is_null_literal};
use crate::expression::{dialect, order_key};

/// Digits after the point of a PRODUCT of decimals that have some.
const PRODUCT_SCALE: u8 = 6;

/// The aggregate of an upper-case name.
pub(crate) fn function(name: &str) -> Option<AggregateFunction> {
    Some(match name {
        "COUNT" => AggregateFunction::Count,
        "COUNT_BIG" => AggregateFunction::CountBig,
        "SUM" => AggregateFunction::Sum,
        "AVG" => AggregateFunction::Avg,
        "MIN" => AggregateFunction::Min,
        "MAX" => AggregateFunction::Max,
        "STDEV" => AggregateFunction::StDev,
        "STDEVP" => AggregateFunction::StDevP,
        "VAR" => AggregateFunction::Var,
        "VARP" => AggregateFunction::VarP,
        "STRING_AGG" => AggregateFunction::StringAgg,
        "APPROX_COUNT_DISTINCT" => AggregateFunction::ApproxCountDistinct,
        "CHECKSUM_AGG" => AggregateFunction::ChecksumAgg,
        "PRODUCT" => AggregateFunction::Product,
        _ => return None,
    })
}

pub(crate) fn aggregate(
    binder: &mut Binder<'_>,
    function: AggregateFunction,
    call: &FunctionCall,
) -> SqlResult<BoundExpr> {
    let name = call.name.last().to_ascii_lowercase();
    bind_in_its_query(binder, call, |binder| {
        let aggregate = inside_aggregate(binder, |binder| match function {
            AggregateFunction::StringAgg => string_agg(binder, call),
            _ => plain_aggregate(binder, function, call, &name),
        })?;
        Ok(aggregate_column(binder, aggregate))
    })
}

/// Binds an aggregate in the query that it belongs to. Columns of a query outside are those of an outer one.
pub(super) fn bind_in_its_query<'b>(
    binder: &mut Binder<'b>,
    call: &FunctionCall,
    bind: impl FnOnce(&mut Binder<'b>) -> SqlResult<BoundExpr>,
) -> SqlResult<BoundExpr> {
    let Some(level) = aggregate_level(binder, call) else { return bind(binder) };
    let scopes = binder.scopes.split_off(binder.scopes.len() - level);
    let blocks = binder.blocks.split_off(binder.blocks.len() - level);
    let bound = bind(binder);
    binder.scopes.extend(scopes);
    binder.blocks.extend(blocks);
    Ok(bound?.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr { kind: Kind::Outer { level, column }, ty: node.ty }),
        _ => Err(node),
    }))
}

/// Binds what stands between the parentheses of an aggregate of the innermost query.
///
/// # Errors
/// 147 where that query takes none, 130 in another aggregate.
pub(super) fn inside_aggregate<'b, T>(
    binder: &mut Binder<'b>,
    bind: impl FnOnce(&mut Binder<'b>) -> SqlResult<T>,
) -> SqlResult<T> {
    let block = binder.blocks.last_mut().filter(|block| block.aggregates.is_some());
    let block = block.ok_or_else(|| SqlError::of(147, 1, &[]))?;
    if std::mem::replace(&mut block.in_aggregate, true) {
        return Err(nested_aggregate());
    }
    let bound = bind(binder);
    binder.blocks.last_mut().expect("found above").in_aggregate = false;
    bound
}

/// The column of an aggregate of the innermost query, which takes aggregates.
pub(super) fn aggregate_column(binder: &mut Binder<'_>, aggregate: Aggregate) -> BoundExpr {
    let ty = aggregate.ty;
    let aggregates = binder.blocks.last_mut().and_then(|block| block.aggregates.as_mut());
    let index = aggregates.expect("`inside_aggregate` has looked").number(aggregate);
    BoundExpr { kind: Kind::Column(AGGREGATE_BASE + index), ty }
}

/// How many queries outside an aggregate belongs, when all columns of its argument are of outer queries: to the
/// innermost of these. `None` for one of this query, and where that outer query takes no aggregates.
fn aggregate_level(binder: &mut Binder<'_>, call: &FunctionCall) -> Option<usize> {
    let arg = call.args.first()?;
    if binder.scopes.len() < 2 || binder.scopes.len() != binder.blocks.len() {
        return None;
    }
    // Bound to see its columns; nothing of that stays. What is wrong with it is reported where it belongs.
    let (tables, views, sequences) = (binder.tables.len(), binder.views.len(), binder.sequences.len());
    let calls = binder.calls;
    let block = std::mem::take(binder.blocks.last_mut()?);
    // A subquery is 130 anyway. Bound here too, each level of such queries would be bound twice as often.
    let refuses_queries = std::mem::replace(&mut binder.refuses_queries, true);
    let bound = binder.expression(arg);
    binder.refuses_queries = refuses_queries;
    *binder.blocks.last_mut()? = block;
    binder.tables.truncate(tables);
    binder.views.truncate(views);
    binder.sequences.truncate(sequences);
    binder.calls = calls;
    let bound = bound.ok().filter(|bound| !millpond_builtin::eval::needs_plan(bound))?;
    let (mut nearest, mut is_own) = (None, false);
    bound.visit(&mut |node| match node.kind {
        Kind::Outer { level, .. } => nearest = Some(nearest.map_or(level, |known: usize| known.min(level))),
        Kind::Column(_) => is_own = true,
        _ => {}
    });
    let level = nearest.filter(|_| !is_own)?;
    let outer = binder.blocks.len().checked_sub(level + 1).map(|index| &binder.blocks[index])?;
    outer.aggregates.as_ref().map(|_| level)
}

fn plain_aggregate(
    binder: &mut Binder<'_>,
    function: AggregateFunction,
    call: &FunctionCall,
    name: &str,
) -> SqlResult<Aggregate> {
    if !call.within_group.is_empty() {
        return Err(SqlError::of(10_757, 1, &[&name]));
    }
    let arg = aggregate_argument(binder, function, call, name)?;
    let ty = result_type(function, arg.as_ref(), name)?;
    let arg =
        arg.map(|arg| argument(function, arg)).transpose()?.map(|arg| dialect::noting_nulls(binder, function, arg));
    Ok(Aggregate { function, arg, distinct: call.distinct, ty, joining: None })
}

/// `STRING_AGG (value, separator) [WITHIN GROUP (ORDER BY …)]`: texts of a limit are joined up to 8000 bytes.
fn string_agg(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<Aggregate> {
    let [value, separator] = &call.args[..] else {
        return Err(message::argument_count("string_agg", 2));
    };
    if call.distinct {
        return Err(message::syntax_near(","));
    }
    let value = binder.expression(value)?;
    if millpond_builtin::eval::needs_plan(&value) {
        return Err(nested_aggregate());
    }
    let nvarchar = SqlType::NVarChar { len: MaxLen::Limited(4000) };
    let is_refused = value.ty.sql.is_binary() || value.ty.sql == SqlType::UniqueIdentifier;
    if is_null_literal(&value) || is_refused {
        let name = if is_refused { value.ty.sql.name() } else { "NULL" };
        return Err(SqlError::of(8116, 1, &[&name, &1, &"string_agg"]));
    }
    let value = if value.ty.sql.is_string() { value } else { convert(value, nvarchar)? };
    let sql = match value.ty.sql {
        max @ (SqlType::VarChar { len: MaxLen::Max, .. } | SqlType::NVarChar { len: MaxLen::Max }) => max,
        SqlType::NVarChar { .. } | SqlType::NChar { .. } => nvarchar,
        _ => SqlType::varchar(8000).in_page(value.ty.collation.page()),
    };
    let separator = binder.expression(separator)?;
    if depends_on_row(&separator) {
        return Err(SqlError::of(8733, 1, &[]));
    }
    let separator = convert(separator, sql)?;
    let order = call
        .within_group
        .iter()
        .map(|item| order_key::window_key(binder, item))
        .collect::<SqlResult<Vec<SortKey>>>()?;
    if order.iter().any(|key| millpond_builtin::eval::needs_plan(&key.expr)) {
        return Err(nested_aggregate());
    }
    let ty = ExprType {
        sql,
        nullable: true,
        collation: value.ty.collation,
        label: value.ty.label,
        is_json: false,
        is_node: false,
    };
    let joining = Some(Box::new(Joining { separator, order }));
    Ok(Aggregate { function: AggregateFunction::StringAgg, arg: Some(value), distinct: false, ty, joining })
}

pub(crate) fn aggregate_argument(
    binder: &mut Binder<'_>,
    function: AggregateFunction,
    call: &FunctionCall,
    name: &str,
) -> SqlResult<Option<BoundExpr>> {
    if call.star {
        return match function {
            AggregateFunction::Count | AggregateFunction::CountBig => Ok(None),
            _ => Err(message::syntax_near("*")),
        };
    }
    let [arg] = &call.args[..] else {
        return Err(message::argument_count(name, 1));
    };
    let arg = binder.expression(arg)?;
    if millpond_builtin::eval::needs_plan(&arg) {
        return Err(nested_aggregate());
    }
    let takes_null = matches!(function, AggregateFunction::StringAgg | AggregateFunction::ApproxCountDistinct);
    if is_null_literal(&arg) && !takes_null {
        return Err(SqlError::of(8117, 1, &[&"NULL", &name]));
    }
    Ok(Some(arg))
}

/// 130
pub(crate) fn nested_aggregate() -> SqlError {
    SqlError::of(130, 1, &[])
}

/// Types of SUM and AVG: integers widen to int, bigint stays, decimals go to 38 digits, money stays money. The column of a COUNT may be NULL, too.
pub(crate) fn result_type(function: AggregateFunction, arg: Option<&BoundExpr>, name: &str) -> SqlResult<ExprType> {
    use AggregateFunction as F;
    let plain = |sql, nullable| ExprType::plain(sql, nullable);
    let Some(arg) = arg else {
        return Ok(plain(if function == F::Count { SqlType::Int } else { SqlType::BigInt }, true));
    };
    let invalid = || {
        message::of_eval(millpond_types::EvalError::InvalidOperand {
            type_name: arg.ty.sql.name(),
            operator: match name {
                "sum" => "sum",
                "avg" => "avg",
                "min" => "min",
                "max" => "max",
                "stdev" => "stdev",
                "stdevp" => "stdevp",
                "var" => "var",
                "checksum_agg" => "checksum_agg",
                "product" => "product",
                _ => "varp",
            },
        })
    };
    Ok(match function {
        F::ApproxCountDistinct => plain(SqlType::BigInt, true),
        F::ChecksumAgg if arg.ty.sql == SqlType::Int || arg.ty.sql.is_integer() && arg.ty.sql != SqlType::BigInt => {
            plain(SqlType::Int, true)
        }
        F::Count => plain(SqlType::Int, true),
        F::CountBig => plain(SqlType::BigInt, true),
        F::Min | F::Max if arg.ty.sql == SqlType::Bit || !arg.ty.sql.is_comparable() => return Err(invalid()),
        F::Min | F::Max => ExprType { nullable: true, ..arg.ty },
        F::StDev | F::StDevP | F::Var | F::VarP if arg.ty.sql.is_numeric() => plain(SqlType::Float, true),
        F::Sum | F::Avg => plain(
            match arg.ty.sql {
                SqlType::TinyInt | SqlType::SmallInt | SqlType::Int => SqlType::Int,
                SqlType::BigInt => SqlType::BigInt,
                SqlType::Real | SqlType::Float => SqlType::Float,
                SqlType::Money | SqlType::SmallMoney => SqlType::Money,
                SqlType::Decimal { scale, name, .. } if function == F::Sum => SqlType::decimal(38, scale).called(name),
                SqlType::Decimal { scale, name, .. } => SqlType::decimal(38, scale.max(6)).called(name),
                _ => return Err(invalid()),
            },
            true,
        ),
        F::Product => plain(
            match arg.ty.sql {
                SqlType::TinyInt | SqlType::SmallInt | SqlType::Int => SqlType::Int,
                SqlType::BigInt => SqlType::BigInt,
                SqlType::Real | SqlType::Float => SqlType::Float,
                SqlType::Money | SqlType::SmallMoney => SqlType::Money,
                SqlType::Decimal { scale, name, .. } => {
                    SqlType::decimal(38, if scale == 0 { 0 } else { PRODUCT_SCALE }).called(name)
                }
                _ => return Err(invalid()),
            },
            true,
        ),
        _ => return Err(invalid()),
    })
}

/// The argument in the type in which the function computes.
pub(crate) fn argument(function: AggregateFunction, arg: BoundExpr) -> SqlResult<BoundExpr> {
    use AggregateFunction as F;
    match (function, arg.ty.sql) {
        (F::Sum | F::Avg, SqlType::TinyInt | SqlType::SmallInt) => convert(arg, SqlType::Int),
        (F::Sum | F::Avg, SqlType::Real) => convert(arg, SqlType::Float),
        (F::Sum | F::Avg, SqlType::SmallMoney) => convert(arg, SqlType::Money),
        (F::StDev | F::StDevP | F::Var | F::VarP, _) => convert(arg, SqlType::Float),
        (F::ChecksumAgg, _) => convert(arg, SqlType::Int),
        (F::Product, _) => {
            let result = result_type(function, Some(&arg), function.name())?.sql;
            convert(arg, result)
        }
        _ => Ok(arg),
    }
}

/// What GROUP BY and the aggregates make of a block's expressions.
pub(crate) struct Grouping<'g> {
    pub groups: &'g Groups,
    pub scope: &'g Scope,
}

impl Grouping<'_> {
    /// `expr` over the grouped row.
    ///
    /// # Errors
    /// 8120 (select list), 8121 (HAVING), 8127 (ORDER BY) for a column that is neither grouped nor aggregated.
    pub fn apply(&self, expr: BoundExpr, clause: Clause) -> SqlResult<BoundExpr> {
        let mut loose = None;
        let bound = self.over_groups(expr, &mut loose);
        match loose {
            None => Ok(bound),
            Some(index) => Err(self.not_grouped(index, clause)),
        }
    }

    /// The expression over the grouped row; `loose` becomes a column that the row does not have.
    fn over_groups(&self, expr: BoundExpr, loose: &mut Option<usize>) -> BoundExpr {
        expr.rewrite(&mut |expr| {
            let ty = expr.ty;
            match &expr.kind {
                Kind::Column(index) if *index >= WINDOW_BASE => return Ok(expr),
                Kind::Column(index) if *index >= AGGREGATE_BASE => {
                    return Ok(BoundExpr::column(self.groups.width() + index - AGGREGATE_BASE, ty));
                }
                Kind::Column(GROUPING_SET) => return Ok(BoundExpr::column(self.groups.exprs.len(), ty)),
                _ => {}
            }
            if let Some(index) = self.place_of(&expr) {
                return Ok(BoundExpr::column(index, ty));
            }
            let kind = match expr.kind {
                Kind::Column(index) => {
                    loose.get_or_insert(index);
                    return Err(expr);
                }
                Kind::ScalarQuery(rel) => Kind::ScalarQuery(self.query_over_groups(rel, 1, loose)),
                Kind::Exists(rel) => Kind::Exists(self.query_over_groups(rel, 1, loose)),
                Kind::InQuery(operand, rel, collation) => {
                    let operand = Box::new(self.over_groups(*operand, loose));
                    Kind::InQuery(operand, self.query_over_groups(rel, 1, loose), collation)
                }
                _ => return Err(expr),
            };
            Ok(BoundExpr { kind, ty })
        })
    }

    /// The group that an expression is, or whose text it puts into another order by COLLATE.
    fn place_of(&self, expr: &BoundExpr) -> Option<usize> {
        let groups = &self.groups.exprs;
        let is_collated = |group: &BoundExpr| group.ty.label != Label::Explicit && group.is_same_value(expr);
        groups.iter().position(|group| group.same_as(expr)).or_else(|| match expr.ty.label {
            Label::Explicit => groups.iter().position(is_collated),
            _ => None,
        })
    }

    /// A query inside, which sees the grouped row as that of the query `depth` levels outside.
    fn query_over_groups(&self, rel: Arc<Rel>, depth: usize, loose: &mut Option<usize>) -> Arc<Rel> {
        let rel = Arc::unwrap_or_clone(rel);
        Arc::new(rel.map_exprs(depth, &mut |expr, depth| self.inner_over_groups(expr, depth, loose)))
    }

    fn inner_over_groups(&self, expr: BoundExpr, depth: usize, loose: &mut Option<usize>) -> BoundExpr {
        let has_computed = self.groups.exprs.iter().any(|group| !matches!(group.kind, Kind::Column(_)));
        expr.rewrite(&mut |node| {
            if has_computed && let Some(column) = seen_from(&node, depth).and_then(|outside| self.place_of(&outside)) {
                return Ok(BoundExpr { kind: Kind::Outer { level: depth, column }, ty: node.ty });
            }
            let kind = match node.kind {
                Kind::Outer { level, column } if level == depth && column >= AGGREGATE_BASE => {
                    Kind::Outer { level, column: self.groups.width() + column - AGGREGATE_BASE }
                }
                Kind::Outer { level, column } if level == depth => {
                    let is_it = |group: &BoundExpr| matches!(group.kind, Kind::Column(known) if known == column);
                    let place = self.groups.exprs.iter().position(is_it);
                    if place.is_none() {
                        loose.get_or_insert(column);
                    }
                    Kind::Outer { level, column: place.unwrap_or(column) }
                }
                Kind::ScalarQuery(rel) => Kind::ScalarQuery(self.query_over_groups(rel, depth + 1, loose)),
                Kind::Exists(rel) => Kind::Exists(self.query_over_groups(rel, depth + 1, loose)),
                Kind::InQuery(operand, rel, collation) => {
                    let operand = Box::new(self.inner_over_groups(*operand, depth, loose));
                    Kind::InQuery(operand, self.query_over_groups(rel, depth + 1, loose), collation)
                }
                kind => return Err(BoundExpr { kind, ty: node.ty }),
            };
            Ok(BoundExpr { kind, ty: node.ty })
        })
    }

    fn not_grouped(&self, index: usize, clause: Clause) -> SqlError {
        let column = &self.scope.columns[index];
        let name =
            if column.table.is_empty() { column.name.clone() } else { format!("{}.{}", column.table, column.name) };
        match clause {
            Clause::Select => SqlError::of(8120, 1, &[&name]),
            Clause::Having => SqlError::of(8121, 1, &[&name]),
            Clause::OrderBy => SqlError::of(8127, 1, &[&name]),
        }
    }
}

/// An expression of a query inside, as it would be written in the query `depth` levels outside; none where it has columns of
/// a query between, or none of that one.
fn seen_from(expr: &BoundExpr, depth: usize) -> Option<BoundExpr> {
    let (mut has_column, mut is_outside) = (false, true);
    expr.visit(&mut |node| match node.kind {
        Kind::Outer { level, column } if level == depth => {
            has_column = true;
            is_outside &= column < AGGREGATE_BASE;
        }
        Kind::Outer { level, .. } => is_outside &= level > depth,
        Kind::Column(_) | Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..) => is_outside = false,
        _ => {}
    });
    (has_column && is_outside).then(|| {
        expr.clone().rewrite(&mut |node| match node.kind {
            Kind::Outer { level, column } if level == depth => Ok(BoundExpr::column(column, node.ty)),
            Kind::Outer { level, column } => {
                Ok(BoundExpr { kind: Kind::Outer { level: level - depth, column }, ty: node.ty })
            }
            kind => Err(BoundExpr { kind, ty: node.ty }),
        })
    })
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    Select,
    Having,
    OrderBy,
}
