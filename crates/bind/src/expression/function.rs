//! Calls of user-defined scalar functions: arguments meet parameters; a function that is one expression becomes part of
//! its caller.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType, FunctionParameter, Kind, TableParameter, UserFunction};
use millpond_catalog::{TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, ExprKind, FunctionCall, ObjectName};
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::binder::names::Named;
use crate::binder::needs::Access;
use crate::binder::source::BoundTableParameter;
use crate::expression::operator::{convert, is_null_literal, typed_null};

/// A call of a scalar function.
pub(crate) fn user_function(
    binder: &mut Binder<'_>,
    function: Arc<UserFunction>,
    call: &FunctionCall,
) -> SqlResult<BoundExpr> {
    let args = function_args(binder, &function.name, &function.parameters, &call.args)?;
    let function = if binder.kept { Arc::new(function.late()) } else { function };
    binder.views.extend(function.uses.iter().cloned());
    if let Some((database, module)) = function.uses.first() {
        binder.note_need(Access::Execute, *database, module.id);
    }
    if let Some(body) = &function.inline
        && may_replace(body, &args)
    {
        binder.needs.extend(function.needs.iter().cloned());
        body.visit(&mut |node| binder.calls |= matches!(node.kind, Kind::Call(..)));
        return Ok(typed(with_args(body.clone(), &args), function.returns));
    }
    binder.calls = true;
    let ty = ExprType::plain(function.returns, true);
    Ok(BoundExpr { kind: Kind::Call(function, args), ty })
}

/// Arguments in the types of their parameters.
///
/// # Errors
/// 313 and 8144 for counts.
pub(crate) fn function_args(
    binder: &mut Binder<'_>,
    name: &str,
    parameters: &[FunctionParameter],
    args: &[Expr],
) -> SqlResult<Vec<BoundExpr>> {
    if args.len() > parameters.len() {
        return Err(SqlError::of(8144, 2, &[&name]));
    }
    if args.len() < parameters.len() {
        return Err(SqlError::of(313, 2, &[&name]));
    }
    let bind = |(parameter, arg): (&FunctionParameter, &Expr)| match (&arg.kind, &parameter.default) {
        (ExprKind::Default, Some(default)) => Ok(default.clone()),
        (ExprKind::Default, None) if parameter.table.is_some() => Ok(BoundExpr::literal(Value::Null, parameter.sql)),
        (ExprKind::Default, None) => Ok(BoundExpr::literal(Value::Null, parameter.sql)),
        _ => match &parameter.table {
            Some(table) => table_argument(binder, table, parameter.sql, arg),
            None => convert(binder.expression(arg)?, parameter.sql),
        },
    };
    parameters.iter().zip(args).map(bind).collect()
}

/// The argument of a table parameter: the name of a variable, where the caller of an inline function has it.
///
/// # Errors
/// 206 for anything but a table of the type's columns; 137 for a variable that is not there.
fn table_argument(binder: &mut Binder<'_>, table: &TableParameter, sql: SqlType, arg: &Expr) -> SqlResult<BoundExpr> {
    let clash = |from: &str| SqlError::of(206, 2, &[&from, &table.type_name]);
    let ExprKind::Variable(name) = &arg.kind else {
        return Err(clash(binder.expression(arg)?.ty.sql.message_name()));
    };
    let (def, value) = match table_parameter(binder, name) {
        Some(BoundTableParameter { def, variable, .. }) => (Some(Arc::clone(def)), variable.as_deref().map(Value::str)),
        None => (table_variable(binder, name)?, Some(Value::str(name))),
    };
    let Some(def) = def else { return Err(clash(binder.expression(arg)?.ty.sql.message_name())) };
    let types = |def: &TableDef| def.columns.iter().map(|column| column.ty.sql).collect::<Vec<SqlType>>();
    if types(&def) != types(&table.def) {
        return Err(clash("table"));
    }
    Ok(BoundExpr::literal(value.unwrap_or(Value::Null), sql))
}

/// The table variable of a name, if it is one.
fn table_variable(binder: &Binder<'_>, name: &str) -> SqlResult<Option<Arc<TableDef>>> {
    let name = ObjectName { parts: vec![name.to_owned()] };
    Ok(match binder.names.relation(&name, binder.home)? {
        Some(Named::Table(def)) => Some(def),
        _ => None,
    })
}

/// The table parameter of the inline function whose query is bound.
pub(crate) fn table_parameter<'r>(binder: &'r Binder<'_>, name: &str) -> Option<&'r BoundTableParameter> {
    binder.table_parameters.iter().find(|parameter| names_equal(&parameter.name, name))
}

/// A function's NULL has the type that the function returns: it is not the NULL that takes any type.
fn typed(value: BoundExpr, returns: SqlType) -> BoundExpr {
    if is_null_literal(&value) {
        return typed_null(returns);
    }
    let ty = ExprType { is_json: false, ..value.ty };
    BoundExpr { ty, ..value }
}

/// Whether arguments may stand where the body has its parameters: none is computed twice that costs or may differ.
fn may_replace(body: &BoundExpr, args: &[BoundExpr]) -> bool {
    let mut uses = vec![0usize; args.len()];
    body.visit(&mut |node| {
        if let Kind::Variable(slot) = node.kind {
            uses[slot] += 1;
        }
    });
    let cheap = |arg: &BoundExpr| match &arg.kind {
        Kind::Cast { expr, .. } => is_leaf(expr),
        _ => is_leaf(arg),
    };
    uses.iter().zip(args).all(|(uses, arg)| *uses <= 1 || cheap(arg))
}

fn is_leaf(expr: &BoundExpr) -> bool {
    matches!(expr.kind, Kind::Literal(_) | Kind::Variable(_) | Kind::Column(_) | Kind::Outer { .. })
}

/// The body with arguments for its parameters.
pub(crate) fn with_args(body: BoundExpr, args: &[BoundExpr]) -> BoundExpr {
    body.rewrite(&mut |node| match node.kind {
        Kind::Variable(slot) => Ok(args[slot].clone()),
        _ => Err(node),
    })
}
