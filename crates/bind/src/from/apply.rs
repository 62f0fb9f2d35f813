//! APPLY, and calls of the user's table-valued functions in FROM: inline ones become part of the query, others are run.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, FunctionParameter, Kind};
use millpond_catalog::rel::{Rel, TableForm, UserTableFunction};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, Ident, TableRef};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::names::{Home, Variables};
use crate::binder::scope::Scope;
use crate::binder::source::{BoundTableParameter, Given, Source};
use crate::binder::written::unordered;
use crate::expression::drawn_row::{beside, taken_apart};
use crate::expression::function;
use crate::expression::inward::deeper;
use crate::from;
use crate::from::check_exposed;
use crate::from::columns::{first_columns, queried, renamed};
use crate::from::unfold::Asked;

/// `left CROSS|OUTER APPLY right`: the right side sees the left one's columns.
pub(crate) fn apply(binder: &mut Binder<'_>, left: Source, right: &TableRef, keeps_left: bool) -> SqlResult<Source> {
    binder.scopes.push(left.scope.clone());
    binder.blocks.push(Block::default());
    let right = from::table_ref(binder, right);
    binder.blocks.pop();
    binder.scopes.pop();
    let right = right?;
    check_exposed(&left.scope, &right.scope)?;
    let rel = match taken_apart(&right.rel, 1) {
        Some(row) => beside(left.rel, row),
        None => Rel::Apply { left: Box::new(left.rel), right: Box::new(right.rel), keeps_left },
    };
    let mut scope = left.scope.join(right.scope);
    for (column, ty) in scope.columns.iter_mut().zip(rel.types()) {
        column.ty.nullable = ty.nullable;
    }
    Ok(Source { rel, scope })
}

/// A call of a table-valued function.
pub(crate) fn user_table(
    binder: &mut Binder<'_>,
    function: &Arc<UserTableFunction>,
    args: &[Expr],
    alias: &str,
    columns: &[Ident],
) -> SqlResult<Source> {
    // A query of its own, so that columns around it are those of an enclosing one.
    binder.scopes.push(Scope::default());
    binder.blocks.push(Block::default());
    let args = function::function_args(binder, &function.name, &function.parameters, args);
    binder.blocks.pop();
    binder.scopes.pop();
    let args = args?;
    binder.views.extend(function.uses.iter().cloned());
    let named = function.uses.first().map(|(database, module)| binder.mention(*database, module.id));
    let (rel, names) = match &function.form {
        TableForm::Inline(query) => {
            unordered(query)?;
            let variables = parameters_of(function);
            let mut inner = Binder::new(binder.names, &variables);
            inner.tables = std::mem::take(&mut binder.tables);
            inner.table_parameters = table_parameters(function, &args);
            inner.depth = binder.depth + 1;
            inner.expansions = binder.expansions;
            inner.stack = binder.stack;
            (inner.mentions, inner.needs) = (std::mem::take(&mut binder.mentions), std::mem::take(&mut binder.needs));
            inner.through = function.uses.first().map(|(database, module)| (*database, module.id));
            inner.home = function.uses.first().map(|(database, module)| Home::of(*database, module));
            if let Some((database, module)) = function.uses.first() {
                inner.dialect = binder.dialect_of(module, *database);
            }
            let bound = if inner.depth > DEPTH_MAX { Err(too_deep()) } else { from::expanded(&mut inner, query) };
            binder.expansions = inner.expansions;
            binder.tables = std::mem::take(&mut inner.tables);
            (binder.mentions, binder.needs) = (std::mem::take(&mut inner.mentions), std::mem::take(&mut inner.needs));
            binder.databases.append(&mut inner.databases);
            binder.views.append(&mut inner.views);
            binder.state_views.append(&mut inner.state_views);
            binder.calls |= inner.calls;
            let bound = bound?;
            (with_args(bound.rel, &args, 0), bound.names)
        }
        TableForm::Statements { columns, .. } => {
            binder.calls = true;
            let names = columns.iter().map(|(name, _)| name.clone()).collect();
            let (asked, args) = Asked::of(args);
            (asked.before(Rel::Call(Arc::clone(function), args)), names)
        }
    };
    let (rel, names) = match function.uses.first() {
        Some((_, module)) => {
            let names = Given::of_module(module, &[]).names(names, &function.name)?;
            (first_columns(rel, names.len()), names)
        }
        None => (rel, names),
    };
    let names = renamed(names, columns, alias)?;
    let mut source = queried(rel, alias, names);
    if let Some(named) = named {
        from::mark(&mut source.scope.columns, &named);
    }
    Ok(source)
}

fn parameters_of(function: &UserTableFunction) -> Variables {
    let mut variables = Variables::default();
    for parameter in &function.parameters {
        variables.declare(&parameter.name, parameter.sql);
    }
    variables
}

/// The table parameters of a call, with the variables that its arguments name.
fn table_parameters(function: &UserTableFunction, args: &[BoundExpr]) -> Vec<BoundTableParameter> {
    let one = |(parameter, arg): (&FunctionParameter, &BoundExpr)| {
        let def = Arc::clone(&parameter.table.as_ref()?.def);
        let variable = match &arg.kind {
            Kind::Literal(value) => value.as_str().map(str::to_owned),
            _ => None,
        };
        Some(BoundTableParameter { name: parameter.name.clone(), def, variable })
    };
    function.parameters.iter().zip(args).filter_map(one).collect()
}

/// Functions inside functions.
const DEPTH_MAX: u32 = 32;

fn too_deep() -> SqlError {
    SqlError::of(217, 1, &[&DEPTH_MAX])
}

/// The relation with arguments for its variables; `depth` queries lie between it and the one that the arguments see.
fn with_args(rel: Rel, args: &[BoundExpr], depth: usize) -> Rel {
    rel.with_variables(depth, &|_, slot, depth| Some(deeper(args[slot].clone(), depth)))
}
