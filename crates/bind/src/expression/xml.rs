//! Methods of `xml`: what they are called on, the query that they have, and the values of SQL that the query names.

use std::sync::Arc;

use millpond_builtin::xml::atoms::kind_of;
use millpond_builtin::xml::method::Call;
use millpond_builtin::xml::of_query;
use millpond_catalog::UserTypeForm;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind, UserFunction};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{self, DataType, Expr, ExprKind, FunctionCall, Literal, ObjectName, StatementKind};
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::SqlType;
use millpond_xml::xquery::{AtomKind, Method, Parsed, Query, Reference};

use crate::binder::Binder;
use crate::binder::declared::cast_type;
use crate::expression::literal;

/// The longest query, in bytes of UTF-16.
const QUERY_BYTES_MAX: usize = 8000 * 2;

/// The methods by their names, which are case-sensitive.
const METHODS: [Method; 5] = [Method::Value, Method::Query, Method::Exist, Method::Nodes, Method::Modify];

/// The method that a call by name is, `@x.value(…)` or `t.c.value(…)`: none where the name says something else.
pub(crate) fn method_call(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<Option<BoundExpr>> {
    let Some((last, owner)) = call.name.parts.split_last() else { return Ok(None) };
    let Some(target) = owner_value(binder, owner)? else { return Ok(None) };
    method(binder, target, owner, last, &call.args).map(Some)
}

/// What stands before a method's name: a variable or a column; none where it is neither.
fn owner_value(binder: &mut Binder<'_>, owner: &[String]) -> SqlResult<Option<BoundExpr>> {
    match owner {
        [] => Ok(None),
        [name] if name.starts_with('@') => literal::variable(binder, name).map(Some),
        _ => {
            let column = Expr { kind: ExprKind::Column(ObjectName { parts: owner.to_vec() }), line: 0 };
            Ok(of_node(binder, |binder| binder.expression(&column)).ok())
        }
    }
}

/// Binds what may be a column of `nodes()`.
pub(crate) fn of_node<T>(binder: &mut Binder<'_>, bind: impl FnOnce(&mut Binder<'_>) -> T) -> T {
    taking_nodes(binder, true, bind)
}

fn taking_nodes<T>(binder: &mut Binder<'_>, takes: bool, bind: impl FnOnce(&mut Binder<'_>) -> T) -> T {
    let before = std::mem::replace(&mut binder.takes_nodes, takes);
    let bound = bind(binder);
    binder.takes_nodes = before;
    bound
}

/// `target.method(args)` of a target that is no name.
pub(crate) fn method_of_value(
    binder: &mut Binder<'_>,
    target: &Expr,
    name: &str,
    args: &[Expr],
) -> SqlResult<BoundExpr> {
    let target = binder.expression(target)?;
    method(binder, target, &[], name, args)
}

/// 493 for a column of `nodes()` that is used as a value.
pub(crate) fn check_no_node(binder: &Binder<'_>, bound: &BoundExpr, name: &str) -> SqlResult<()> {
    if bound.ty.is_node && !binder.takes_nodes { Err(SqlError::of(493, 1, &[&name])) } else { Ok(()) }
}

fn method(
    binder: &mut Binder<'_>,
    target: BoundExpr,
    owner: &[String],
    name: &str,
    args: &[Expr],
) -> SqlResult<BoundExpr> {
    taking_nodes(binder, false, |binder| method_within(binder, target, owner, name, args))
}

fn method_within(
    binder: &mut Binder<'_>,
    target: BoundExpr,
    owner: &[String],
    name: &str,
    args: &[Expr],
) -> SqlResult<BoundExpr> {
    let method = known_method(&target, name)?;
    match method {
        Method::Modify => return Err(SqlError::of(8137, 1, &[&name])),
        Method::Nodes => return Err(SqlError::of(227, 1, &[&name])),
        _ => {}
    }
    let returns = match method {
        Method::Value => value_type(binder, args)?,
        Method::Exist => SqlType::Bit,
        _ => SqlType::Xml,
    };
    let wanted = if method == Method::Value { 2 } else { 1 };
    if args.len() != wanted {
        return Err(message::argument_count(name, wanted));
    }
    let asked = query(binder, method, owner, &args[0])?;
    Ok(call(asked, method, target, returns, shown(owner)))
}

/// The method of a name.
///
/// # Errors
/// 258 for a target of another type, 227 for a name that is none.
fn known_method(target: &BoundExpr, name: &str) -> SqlResult<Method> {
    check_target(target)?;
    let known = METHODS.into_iter().find(|method| method.name() == name);
    known.ok_or_else(|| SqlError::of(227, 1, &[&name]))
}

/// 258 for a target of another type.
pub(crate) fn check_target(target: &BoundExpr) -> SqlResult<()> {
    match target.ty.sql {
        SqlType::Xml => Ok(()),
        other => Err(SqlError::of(258, 1, &[&other.message_name()])),
    }
}

fn shown(owner: &[String]) -> String {
    owner.join(".")
}

/// A query that was read and checked, with the values of SQL that it names.
pub(crate) struct Asked {
    pub(crate) query: Query,
    pub(crate) values: Vec<BoundExpr>,
    pub(crate) types: Vec<SqlType>,
}

/// The query of a method.
///
/// # Errors
/// 8172 for one that is no literal, what is wrong with it, names that are not there.
pub(crate) fn query(binder: &mut Binder<'_>, method: Method, owner: &[String], written: &Expr) -> SqlResult<Asked> {
    let text = text_of(written, method, 1)?;
    if 2 * text.len() > QUERY_BYTES_MAX && 2 * text.encode_utf16().count() > QUERY_BYTES_MAX {
        return Err(SqlError::of(9502, 1, &[&1, &method.name(), &QUERY_BYTES_MAX]));
    }
    // A variable has no name in the message.
    let is_column = owner.first().is_some_and(|first| !first.starts_with('@'));
    let place = if is_column { format!("{}.", shown(owner)) } else { String::new() };
    let prefix = format!("XQuery [{place}{}()]: ", method.name());
    let parsed = Parsed::parse(text, method, &binder.xml_namespaces).map_err(|error| of_query(&prefix, &error))?;
    let mut values = Vec::new();
    for reference in parsed.references() {
        values.push(referred(binder, reference)?);
    }
    let kind = |value: &BoundExpr| {
        let sql = value.ty.sql;
        kind_of(&sql).ok_or_else(|| SqlError::of(9344, 1, &[&prefix, &sql.name()]))
    };
    let kinds = values.iter().map(kind).collect::<SqlResult<Vec<AtomKind>>>()?;
    let query = parsed.check(&kinds).map_err(|error| of_query(&prefix, &error))?;
    let types = values.iter().map(|value| value.ty.sql).collect();
    Ok(Asked { query, values, types })
}

/// The value of SQL that a query names.
fn referred(binder: &mut Binder<'_>, reference: &Reference) -> SqlResult<BoundExpr> {
    match reference {
        Reference::Variable(name) => {
            let is_known = name.starts_with('@') && (name.starts_with("@@") || binder.variables.find(name).is_some());
            if !is_known {
                return Err(SqlError::of(9501, 1, &[&name]));
            }
            literal::variable(binder, name)
        }
        Reference::Column(name) => {
            let column = ExprKind::Column(ObjectName { parts: name_parts(name) });
            binder.expression(&Expr { kind: column, line: 0 })
        }
    }
}

/// `a.b`, `[a].[b]`
fn name_parts(name: &str) -> Vec<String> {
    match millpond_builtin::name_parts(name) {
        Some(parts) => {
            [parts.server, parts.database, parts.schema].into_iter().flatten().chain([parts.object]).collect()
        }
        None => vec![name.to_owned()],
    }
}

/// The text of a literal argument.
fn text_of(written: &Expr, method: Method, place: usize) -> SqlResult<&str> {
    match &written.kind {
        ExprKind::Literal(Literal::String(text) | Literal::NationalString(text)) => Ok(text),
        _ => Err(SqlError::of(8172, 1, &[&place, &method.name()])),
    }
}

/// The type that the second argument of `value` names.
fn value_type(binder: &Binder<'_>, args: &[Expr]) -> SqlResult<SqlType> {
    let [_, written] = args else { return Err(message::argument_count("value", 2)) };
    let text = text_of(written, Method::Value, 2)?;
    let invalid = || SqlError::of(9500, 1, &[&text]);
    let declared =
        parse_batch(&format!("DECLARE @v {text}"), ParseOptions { quoted_identifier: true }).map_err(|_| invalid())?;
    let data_type = match &declared.statements[..] {
        [ast::Statement { kind: StatementKind::Declare(variables), .. }] => match &variables[..] {
            [variable] if variable.value.is_none() => variable.data_type.clone(),
            _ => return Err(invalid()),
        },
        _ => return Err(invalid()),
    };
    let sql = match &data_type {
        DataType::Named(name) => {
            let known = binder.names.user_type(name, binder.home)?;
            match known.as_ref().map(|ty| &ty.form) {
                Some(UserTypeForm::Alias { sql, .. }) => *sql,
                _ => return Err(invalid()),
            }
        }
        _ => cast_type(&data_type).map_err(|_| invalid())?,
    };
    let is_old = matches!(data_type, DataType::Scalar { explicit_length: false, .. }) && sql.is_max();
    let is_refused = matches!(sql, SqlType::Xml | SqlType::Variant | SqlType::RowVersion);
    if is_old || is_refused { Err(invalid()) } else { Ok(sql.in_page(binder.dialect.page())) }
}

/// The call, as the algebra has it.
fn call(asked: Asked, method: Method, target: BoundExpr, returns: SqlType, target_name: String) -> BoundExpr {
    let Asked { query, values, types } = asked;
    // Calls are the same if their texts are: the whole query is in the name.
    let name = format!("{}({query:?} {returns:?})", method.name());
    let body = Call { query, method, is_node: target.ty.is_node, types, returns, target_name };
    let function = UserFunction {
        name,
        parameters: Vec::new(),
        returns,
        inline: None,
        uses: Vec::new(),
        needs: Vec::new(),
        body: Arc::new(body),
    };
    let args = std::iter::once(target).chain(values).collect();
    BoundExpr { kind: Kind::Call(Arc::new(function), args), ty: ExprType::plain(returns, true) }
}

/// `target.modify('…')`: the value that the target gets.
///
/// # Errors
/// 8113 for a method that changes nothing, and those of [`query`].
pub(crate) fn modified(binder: &mut Binder<'_>, target: BoundExpr, name: &str, written: &Expr) -> SqlResult<BoundExpr> {
    if let ExprKind::Function(call) = &written.kind {
        let method = call.name.last().as_ref();
        known_method(&target, method)?;
        return Err(match method {
            "modify" => message::argument_count(method, 1),
            _ => SqlError::of(8113, 1, &[&method]),
        });
    }
    known_method(&target, "modify")?;
    let owner = [name.to_owned()];
    let asked = query(binder, Method::Modify, &owner, written)?;
    Ok(call(asked, Method::Modify, target, SqlType::Xml, name.to_owned()))
}

/// `nodes('…')` of a target: none where the name says something else.
pub(crate) fn nodes_target(binder: &mut Binder<'_>, name: &ObjectName) -> SqlResult<Option<BoundExpr>> {
    match name.parts.split_last() {
        Some((last, owner)) if last == "nodes" && !owner.is_empty() => owner_value(binder, owner),
        _ => Ok(None),
    }
}
