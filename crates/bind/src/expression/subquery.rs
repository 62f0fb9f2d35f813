//! A query within an expression.

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::Query;

use crate::binder::Binder;
use crate::binder::bound_query::BoundQuery;
use crate::binder::written::unordered;
use crate::expression::aggregate::nested_aggregate;

/// Binds a subquery of the block whose scope is on top.
pub(crate) fn subquery(binder: &mut Binder<'_>, query: &Query) -> SqlResult<BoundQuery> {
    if binder.refuses_queries {
        return Err(nested_aggregate());
    }
    unordered(query)?;
    binder.query_depth += 1;
    let floor = std::mem::replace(&mut binder.subquery_floor, binder.scopes.len());
    let bound = binder.query(query);
    binder.subquery_floor = floor;
    binder.query_depth -= 1;
    let bound = bound?;
    if !bound.assign.is_empty() {
        return Err(message::syntax_near("="));
    }
    if bound.into.is_some() {
        return Err(SqlError::of(156, 1, &[&"INTO"]));
    }
    Ok(bound)
}
