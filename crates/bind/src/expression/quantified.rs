//! `x op ALL (query)` and `x op ANY (query)`.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{self, BinaryOp, Expr};
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::expression::inward::{into_query, query_into_query};
use crate::expression::operator::{self, compare_op};
use crate::expression::{not, one_column_only, subquery};

/// `x op ANY (query)`: true if it holds for a row, else unknown if it is for one. ALL is not ANY with the opposite.
pub(crate) fn quantified(
    binder: &mut Binder<'_>,
    expr: &Expr,
    op: BinaryOp,
    all: bool,
    query: &ast::Query,
) -> SqlResult<BoundExpr> {
    let op = compare_op(op).ok_or_else(|| message::syntax_near(if all { "ALL" } else { "ANY" }))?;
    let op = if all { op.opposite() } else { op };
    let operand = binder.expression(expr)?;
    let query = subquery::subquery(binder, query)?;
    let [inner] = query.rel.types()[..] else { return Err(one_column_only()) };
    if !needs_plan(&operand) {
        return any(operand, op, query.rel, inner).map(|any| not(any, all));
    }
    // What is asked for once is a row of its own, beside which the query is asked.
    let types = vec![operand.ty];
    let probe = BoundExpr::column(0, operand.ty);
    let row = Rel::Values { rows: vec![vec![into_query(operand)]], types };
    let holds = not(any(probe, op, query_into_query(query.rel), inner)?, all);
    let answer = Rel::Project { input: Box::new(row), exprs: vec![holds] };
    let ty = ExprType::plain(SqlType::Bit, true);
    let answer = BoundExpr { kind: Kind::ScalarQuery(Arc::new(answer)), ty };
    operator::comparison(CompareOp::Eq, answer, BoundExpr::literal(Value::Bit(true), SqlType::Bit))
}

/// Whether a comparison holds with a row of a query beside the operand: exists one for which it does, else unknown if
/// there is one for which it is.
fn any(operand: BoundExpr, op: CompareOp, query: Rel, inner: ExprType) -> SqlResult<BoundExpr> {
    let holds = operator::comparison(op, operand.clone(), BoundExpr::column(0, inner))?;
    if let Some(found) = by_extremes(holds, &query)? {
        return Ok(found);
    }
    let operand = into_query(operand);
    let nullable = operand.ty.nullable || inner.nullable;
    let holds = operator::comparison(op, operand, BoundExpr::column(0, inner))?;
    let exists = |predicate: BoundExpr| {
        let input = Box::new(query.clone());
        BoundExpr::predicate(Kind::Exists(Arc::new(Rel::Filter { input, predicate })))
    };
    let found = exists(holds.clone());
    if !nullable {
        return Ok(found);
    }
    let unknown = exists(BoundExpr::predicate(Kind::IsNull(Box::new(holds))));
    let null = BoundExpr::literal(Value::Null, SqlType::Bit);
    let unknown = BoundExpr::predicate(Kind::And(Box::new(unknown), Box::new(null)));
    Ok(BoundExpr::predicate(Kind::Or(Box::new(found), Box::new(unknown))))
}

/// The same by what the query's values are as a whole, so that they are read once and not for each operand: equality is membership,
/// the others hold for a value where they hold for the least or the greatest one.
///
/// ```text
///   x < ANY (q)   ──▶   (SELECT CASE WHEN x < MAX(v) THEN 1 WHEN x IS NULL AND COUNT(*) > 0 OR COUNT(v) <> COUNT(*) THEN NULL
///                               ELSE 0 END FROM q) = 1
/// ```
/// None where values have no extremes that the comparison goes by.
fn by_extremes(holds: BoundExpr, query: &Rel) -> SqlResult<Option<BoundExpr>> {
    let Kind::Compare(op, operand, value, collation) = holds.kind else { return Ok(None) };
    let sql = value.ty.sql;
    let is_ordered = sql.is_comparable() && sql != SqlType::Bit && sql != SqlType::Variant;
    let is_one_order = !sql.is_string() || value.ty.collation == collation;
    if operand.is_volatile() || value.is_volatile() || !is_ordered || !is_one_order {
        return Ok(None);
    }
    let query = query.clone();
    let extremes: &[AggregateFunction] = match op {
        CompareOp::Eq => {
            let rel = match value.kind {
                Kind::Column(_) => query,
                _ => Rel::Project { input: Box::new(query), exprs: vec![*value] },
            };
            return Ok(Some(BoundExpr::predicate(Kind::InQuery(operand, Arc::new(rel), collation))));
        }
        CompareOp::NotEq => &[AggregateFunction::Min, AggregateFunction::Max],
        CompareOp::Lt | CompareOp::LtEq => &[AggregateFunction::Max],
        CompareOp::Gt | CompareOp::GtEq => &[AggregateFunction::Min],
    };
    let mut over = Aggregates { value: *value, of: Vec::new() };
    let operand = into_query(*operand);
    let extremes: Vec<BoundExpr> = extremes
        .iter()
        .map(|&function| {
            let extreme = over.column(function, true);
            BoundExpr::predicate(Kind::Compare(op, Box::new(operand.clone()), Box::new(extreme), collation))
        })
        .collect();
    let bit = |value| BoundExpr::literal(value, SqlType::Bit);
    let mut branches: Vec<(BoundExpr, BoundExpr)> =
        extremes.into_iter().map(|holds| (holds, bit(Value::Bit(true)))).collect();
    let mut add_unknown = |asked: BoundExpr| branches.push((asked, bit(Value::Null)));
    if over.value.ty.nullable {
        let (all, known) =
            (over.column(AggregateFunction::CountBig, false), over.column(AggregateFunction::CountBig, true));
        add_unknown(operator::comparison(CompareOp::NotEq, known, all)?);
    }
    if operand.ty.nullable {
        let rows = over.column(AggregateFunction::CountBig, false);
        let none = BoundExpr::literal(Value::BigInt(0), SqlType::BigInt);
        let is_some = operator::comparison(CompareOp::Gt, rows, none)?;
        let is_null = BoundExpr::predicate(Kind::IsNull(Box::new(operand)));
        add_unknown(BoundExpr::predicate(Kind::And(Box::new(is_null), Box::new(is_some))));
    }
    let ty = ExprType::plain(SqlType::Bit, true);
    let case = Kind::Case { branches, otherwise: Some(Box::new(bit(Value::Bit(false)))) };
    let grouped = Rel::Aggregate { input: Box::new(query), groups: Vec::new(), aggregates: over.of };
    let answer = Rel::Project { input: Box::new(grouped), exprs: vec![BoundExpr { kind: case, ty }] };
    let answer = BoundExpr { kind: Kind::ScalarQuery(Arc::new(answer)), ty };
    operator::comparison(CompareOp::Eq, answer, bit(Value::Bit(true))).map(Some)
}

/// Aggregates of one value, each once.
struct Aggregates {
    value: BoundExpr,
    of: Vec<Aggregate>,
}

impl Aggregates {
    /// The column of an aggregate of the value, or of the rows.
    fn column(&mut self, function: AggregateFunction, of_value: bool) -> BoundExpr {
        let ty = match function {
            AggregateFunction::CountBig => ExprType::plain(SqlType::BigInt, true),
            _ => ExprType { nullable: true, ..self.value.ty },
        };
        let is_it = |one: &Aggregate| one.function == function && one.arg.is_some() == of_value;
        let place = self.of.iter().position(is_it).unwrap_or_else(|| {
            let arg = of_value.then(|| self.value.clone());
            self.of.push(Aggregate { function, arg, distinct: false, ty, joining: None });
            self.of.len() - 1
        });
        BoundExpr::column(place, ty)
    }
}
