//! JSON_ARRAYAGG and JSON_OBJECTAGG: each value is written as an element or a member, STRING_AGG joins these, and what it
//! joined becomes an array or an object.

use millpond_builtin::json::functions::{CONTAINER, ELEMENT, MEMBER};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Joining, SortKey};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::FunctionCall;
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::expression::aggregate::{aggregate_column, bind_in_its_query, inside_aggregate, nested_aggregate};
use crate::expression::{json, order_key};

/// A call of one of them.
pub(crate) fn bind(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    if call.over.is_some() {
        return Err(message::missing(&format!("{} over a window", call.name.last().to_ascii_uppercase())));
    }
    let has_names = call.json.as_ref().is_some_and(|clauses| clauses.has_names);
    if has_names && !call.within_group.is_empty() {
        return Err(message::syntax_near("within"));
    }
    bind_in_its_query(binder, call, |binder| {
        let Parts { joined, counted, sign } = inside_aggregate(binder, |binder| parts(binder, call))?;
        let joined = aggregate_column(binder, joined);
        // Where NULLs are kept nothing is left out, and no text means no rows.
        let rows = match counted {
            Some(counted) => aggregate_column(binder, counted),
            None => BoundExpr::literal(Value::BigInt(0), SqlType::BigInt),
        };
        let sign = BoundExpr::literal(Value::str(sign), SqlType::varchar(1));
        Ok(BoundExpr { kind: Kind::Function(&CONTAINER, vec![joined, rows, sign]), ty: json::MADE })
    })
}

/// What a call is computed by.
struct Parts {
    joined: Aggregate,
    /// The rows, where values may be left out.
    counted: Option<Aggregate>,
    sign: &'static str,
}

fn parts(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<Parts> {
    let clauses = call.json.as_deref().cloned().unwrap_or_default();
    let args = call.args.iter().map(|arg| binder.expression(arg)).collect::<SqlResult<Vec<BoundExpr>>>()?;
    let order =
        clauses.order_by.iter().map(|item| order_key::window_key(binder, item)).collect::<SqlResult<Vec<SortKey>>>()?;
    let exprs = args.iter().chain(order.iter().map(|key| &key.expr));
    if exprs.into_iter().any(millpond_builtin::eval::needs_plan) {
        return Err(nested_aggregate());
    }
    let keeps_null = clauses.keeps_null.unwrap_or(clauses.has_names);
    let (def, sign) = if clauses.has_names { (&MEMBER, "{") } else { (&ELEMENT, "[") };
    let written = |keeps_null: bool| {
        let values = args.iter().skip(usize::from(clauses.has_names));
        let args = std::iter::once(json::flags(keeps_null, values)).chain(args.iter().cloned()).collect();
        BoundExpr { kind: Kind::Function(def, args), ty: ExprType { is_json: false, ..json::MADE } }
    };
    let text = written(keeps_null);
    let separator = BoundExpr::literal(Value::str(","), text.ty.sql);
    let joining = Some(Box::new(Joining { separator, order }));
    let plain = |function, arg, joining, ty| Aggregate { function, arg: Some(arg), distinct: false, ty, joining };
    let ty = text.ty;
    let joined = plain(AggregateFunction::StringAgg, text, joining, ty);
    let count = ExprType::plain(SqlType::BigInt, true);
    let counted = (!keeps_null).then(|| plain(AggregateFunction::CountBig, written(true), None, count));
    Ok(Parts { joined, counted, sign })
}
