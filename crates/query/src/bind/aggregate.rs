//! Aggregates and grouping.
//!
//! While a block's select list, HAVING and ORDER BY are bound, an aggregate becomes `Column(AGGREGATE_BASE + n)` over
//! the ungrouped row. When all are known, [`Grouping::apply`] turns each expression into one over the grouped row:
//! what equals a GROUP BY expression and what is an aggregate become columns; a column left over is error 8120.

use millpond_tsql::ast::FunctionCall;
use millpond_types::SqlType;

use super::operator::convert;
use super::scope::Scope;
use super::{Binder, Block};
use crate::error::{SqlError, SqlResult};
use crate::expr::{BoundExpr, ExprType, Kind};
use crate::message;
use crate::rel::{Aggregate, AggregateFunction};

/// Column numbers from here on are aggregates; no row has so many columns.
pub(super) const AGGREGATE_BASE: usize = 1 << 32;

/// The aggregate of an upper-case name.
pub(super) fn function(name: &str) -> Option<AggregateFunction> {
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
        _ => return None,
    })
}

impl Binder<'_> {
    pub(super) fn aggregate(&mut self, function: AggregateFunction, call: &FunctionCall) -> SqlResult<BoundExpr> {
        let name = call.name.parts.last().expect("a name has parts").to_ascii_lowercase();
        let block = self.blocks.last_mut().filter(|block| block.aggregates.is_some());
        let Some(block) = block else {
            return Err(SqlError::new(
                147,
                15,
                1,
                "An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a HAVING clause or a select list, and the column being aggregated is an outer reference.",
            ));
        };
        if std::mem::replace(&mut block.in_aggregate, true) {
            return Err(SqlError::new(
                130,
                15,
                1,
                "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
            ));
        }
        let arg = self.aggregate_argument(function, call, &name);
        let block = self.blocks.last_mut().expect("found above");
        block.in_aggregate = false;
        let arg = arg?;
        let ty = result_type(function, arg.as_ref(), &name)?;
        let arg = arg.map(|arg| argument(function, arg)).transpose()?;
        let aggregates = block.aggregates.as_mut().expect("found above");
        let aggregate = Aggregate { function, arg, distinct: call.distinct, ty };
        let index = position(aggregates, aggregate);
        Ok(BoundExpr { kind: Kind::Column(AGGREGATE_BASE + index), ty })
    }

    fn aggregate_argument(
        &mut self,
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
        let arg = self.expression(arg)?;
        if crate::eval::needs_plan(&arg) {
            return Err(SqlError::new(
                130,
                15,
                1,
                "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
            ));
        }
        Ok(Some(arg))
    }
}

fn position(aggregates: &mut Vec<Aggregate>, aggregate: Aggregate) -> usize {
    let same = |known: &Aggregate| format!("{known:?}") == format!("{aggregate:?}");
    aggregates.iter().position(same).unwrap_or_else(|| {
        aggregates.push(aggregate);
        aggregates.len() - 1
    })
}

/// Types of SUM and AVG: integers widen to int, bigint stays, decimals go to 38 digits, money stays money.
fn result_type(function: AggregateFunction, arg: Option<&BoundExpr>, name: &str) -> SqlResult<ExprType> {
    use AggregateFunction as F;
    let plain = |sql, nullable| ExprType { sql, nullable, collation: Default::default() };
    let Some(arg) = arg else {
        return Ok(plain(if function == F::Count { SqlType::Int } else { SqlType::BigInt }, false));
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
                _ => "varp",
            },
        })
    };
    Ok(match function {
        F::Count => plain(SqlType::Int, false),
        F::CountBig => plain(SqlType::BigInt, false),
        F::Min | F::Max if arg.ty.sql == SqlType::Bit || !arg.ty.sql.is_comparable() => return Err(invalid()),
        F::Min | F::Max => ExprType { nullable: true, ..arg.ty },
        F::StDev | F::StDevP | F::Var | F::VarP if arg.ty.sql.is_numeric() => plain(SqlType::Float, true),
        F::Sum | F::Avg => plain(
            match arg.ty.sql {
                SqlType::TinyInt | SqlType::SmallInt | SqlType::Int => SqlType::Int,
                SqlType::BigInt => SqlType::BigInt,
                SqlType::Real | SqlType::Float => SqlType::Float,
                SqlType::Money | SqlType::SmallMoney => SqlType::Money,
                SqlType::Decimal { scale, .. } if function == F::Sum => SqlType::Decimal { precision: 38, scale },
                SqlType::Decimal { scale, .. } => SqlType::Decimal { precision: 38, scale: scale.max(6) },
                _ => return Err(invalid()),
            },
            true,
        ),
        _ => return Err(invalid()),
    })
}

/// The argument in the type in which the function computes.
fn argument(function: AggregateFunction, arg: BoundExpr) -> SqlResult<BoundExpr> {
    use AggregateFunction as F;
    match (function, arg.ty.sql) {
        (F::Sum | F::Avg, SqlType::TinyInt | SqlType::SmallInt) => convert(arg, SqlType::Int),
        (F::Sum | F::Avg, SqlType::Real) => convert(arg, SqlType::Float),
        (F::Sum | F::Avg, SqlType::SmallMoney) => convert(arg, SqlType::Money),
        (F::StDev | F::StDevP | F::Var | F::VarP, _) => convert(arg, SqlType::Float),
        _ => Ok(arg),
    }
}

/// What GROUP BY and the aggregates make of a block's expressions.
pub(super) struct Grouping<'g> {
    pub groups: &'g [BoundExpr],
    pub scope: &'g Scope,
}

impl Grouping<'_> {
    /// `expr` over the grouped row.
    ///
    /// # Errors
    /// 8120 (select list), 8121 (HAVING), 8127 (ORDER BY) for a column that is neither grouped nor aggregated.
    pub fn apply(&self, expr: BoundExpr, clause: Clause) -> SqlResult<BoundExpr> {
        let mut loose = None;
        let bound = expr.rewrite(&mut |expr| {
            if let Kind::Column(index) = expr.kind
                && index >= AGGREGATE_BASE
            {
                let index = self.groups.len() + index - AGGREGATE_BASE;
                return Ok(BoundExpr { kind: Kind::Column(index), ty: expr.ty });
            }
            if let Some(index) = self.groups.iter().position(|group| group.same_as(&expr)) {
                return Ok(BoundExpr { kind: Kind::Column(index), ty: expr.ty });
            }
            if let Kind::Column(index) = expr.kind {
                loose.get_or_insert(index);
            }
            Err(expr)
        });
        match loose {
            None => Ok(bound),
            Some(index) => Err(self.not_grouped(index, clause)),
        }
    }

    fn not_grouped(&self, index: usize, clause: Clause) -> SqlError {
        let column = &self.scope.columns[index];
        let name =
            if column.table.is_empty() { column.name.clone() } else { format!("{}.{}", column.table, column.name) };
        let (number, place) = match clause {
            Clause::Select => (8120, "select list"),
            Clause::Having => (8121, "HAVING clause"),
            Clause::OrderBy => (8127, "ORDER BY clause"),
        };
        let text = format!(
            "Column '{name}' is invalid in the {place} because it is not contained in either an aggregate function or the GROUP BY clause."
        );
        SqlError::new(number, 16, 1, text)
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    Select,
    Having,
    OrderBy,
}

/// GROUP BY takes no constants and no aggregates.
pub(super) fn check_group(group: &BoundExpr) -> SqlResult<()> {
    let mut has_column = false;
    group.visit(&mut |expr| has_column |= matches!(expr.kind, Kind::Column(_) | Kind::Outer { .. }));
    if !has_column {
        return Err(SqlError::new(
            164,
            15,
            1,
            "Each GROUP BY expression must contain at least one column that is not an outer reference.",
        ));
    }
    Ok(())
}

impl Block {
    /// A block whose expressions may contain aggregates.
    pub(super) fn collecting() -> Block {
        Block { aggregates: Some(Vec::new()), in_aggregate: false }
    }
}
