//! `nodes()` in FROM: a table of one column, references to nodes.

use std::sync::Arc;

use millpond_builtin::xml::nodes::Nodes;
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::unfold::Unfold;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, Ident, ObjectName};
use millpond_types::SqlType;
use millpond_xml::xquery::Method;

use crate::binder::Binder;
use crate::binder::source::Source;
use crate::expression::xml;
use crate::from::columns::{renamed, scope_of};
use crate::from::unfold::{bound_apart, unfolded};

/// `target.nodes('…') AS table(column)`: none where the name says something else.
///
/// # Errors
/// 8155 without the column's name, 258 for a target of another type, and what is wrong with the query.
pub(crate) fn nodes(
    binder: &mut Binder<'_>,
    name: &ObjectName,
    args: &[Expr],
    (alias, columns): (Option<&str>, &[Ident]),
) -> SqlResult<Option<Source>> {
    if name.parts.len() < 2 || name.last() != Method::Nodes.name() {
        return Ok(None);
    }
    let bound = bound_apart(binder, |binder| bound_nodes(binder, name, args))?;
    let Some((by, args)) = bound else { return Ok(None) };
    let alias = alias.unwrap_or("");
    if columns.is_empty() {
        return Err(SqlError::of(8155, 2, &[&1, &alias]));
    }
    let ty = ExprType { is_node: true, ..ExprType::plain(SqlType::Xml, false) };
    let names = renamed(vec![String::new()], columns, alias)?;
    let scope = scope_of(alias, names.into_iter().map(|name| (name, ty)));
    Ok(Some(Source { rel: unfolded(by, args, vec![ty]), scope }))
}

/// What makes rows, and its arguments.
type Bound = (Arc<dyn Unfold>, Vec<BoundExpr>);

fn bound_nodes(binder: &mut Binder<'_>, name: &ObjectName, args: &[Expr]) -> SqlResult<Option<Bound>> {
    let Some(target) = xml::nodes_target(binder, name)? else { return Ok(None) };
    xml::check_target(&target)?;
    let [written] = args else { return Err(message::argument_count("nodes", 1)) };
    let owner = &name.parts[..name.parts.len() - 1];
    let xml::Asked { query, values, types } = xml::query(binder, Method::Nodes, owner, written)?;
    let by = Nodes { query, is_node: target.ty.is_node, types };
    let args = std::iter::once(target).chain(values).collect();
    Ok(Some((Arc::new(by), args)))
}
