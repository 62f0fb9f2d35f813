//! `x op ALL (query)` and `x op ANY (query)`.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::Rel;
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
