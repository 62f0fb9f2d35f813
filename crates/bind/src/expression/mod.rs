//! Expressions: names to columns, functions to definitions, conditions to predicates.

pub(crate) mod aggregate;
pub(crate) mod collate;
pub(crate) mod computed;
pub(crate) mod dialect;
pub(crate) mod drawn_row;
pub(crate) mod existence;
pub(crate) mod function;
pub(crate) mod grouping;
pub(crate) mod inward;
pub(crate) mod json;
pub(crate) mod json_aggregate;
pub(crate) mod literal;
pub(crate) mod operator;
pub(crate) mod order_key;
pub(crate) mod partition;
pub(crate) mod quantified;
pub(crate) mod settled;
pub(crate) mod star;
pub(crate) mod subquery;
pub(crate) mod untyped;
pub(crate) mod window;
pub(crate) mod xml;

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::nullability::{Nullability, nullability};
use millpond_builtin::{self as builtin, FunctionDef, NEWSEQUENTIALID, Volatility};
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind, Label};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{self, BinaryOp, Expr, ExprKind, FunctionCall, Literal, ObjectName, UnaryOp};
use millpond_types::collation::Collation;
use millpond_types::temporal::DatePart;
use millpond_types::{CodePage, SqlType, Value, arith, coerce};

use crate::binder::numbers::Numbers;
use crate::binder::{Binder, declared};
use crate::expression::drawn_row::taken_apart;
use crate::expression::inward::depends_on_row;
use crate::expression::operator::{arith_op, compare_op, convert, is_large, is_null_literal, never_fails};
use crate::sequence;

/// Binds a value.
///
/// # Errors
/// The first name, type or operator that does not bind, at its line.
pub(crate) fn expression(binder: &mut Binder<'_>, expr: &Expr) -> SqlResult<BoundExpr> {
    binder.names.watch().check()?;
    let bound = expression_inner(binder, expr).map_err(|error| error.at(expr.line))?;
    Ok(grouping::as_group(binder, dialect::softened(binder, collate::at_home(binder, bound))))
}

/// Binds a value that no column is part of, as that of PRINT or DEFAULT.
///
/// # Errors
/// 128 for a column, and those of [`Binder::expression`].
pub(crate) fn constant_expression(binder: &mut Binder<'_>, expr: &Expr) -> SqlResult<BoundExpr> {
    let before = std::mem::replace(&mut binder.refuses_columns, true);
    let bound = binder.expression(expr);
    binder.refuses_columns = before;
    bound
}

fn expression_inner(binder: &mut Binder<'_>, expr: &Expr) -> SqlResult<BoundExpr> {
    match &expr.kind {
        ExprKind::Literal(Literal::OdbcDateTime(kind, text)) => literal::odbc_datetime(binder, *kind, text, expr.line),
        ExprKind::Literal(value) => literal::bind(value, binder.dialect.page()),
        ExprKind::Variable(name) => literal::variable(binder, name),
        ExprKind::Column(name) => column(binder, name),
        ExprKind::Default => Err(message::syntax_near("DEFAULT")),
        ExprKind::Unary(UnaryOp::Plus, operand) => binder.expression(operand),
        ExprKind::Unary(UnaryOp::Minus, operand) => negate(binder, operand),
        ExprKind::Unary(UnaryOp::BitNot, operand) => bit_not(binder, operand),
        ExprKind::Binary(op, left, right) if arith_op(*op).is_some() => {
            let op = arith_op(*op).expect("guarded above");
            let (of_left, of_right) = (is_written(left), is_written(right));
            let (left, right) = (binder.expression(left)?, binder.expression(right)?);
            let left = operator::beside_decimal(op, left, &right, of_left)?;
            let right = operator::beside_decimal(op, right, &left, of_right)?;
            dialect::computed(binder, op, left, right)
        }
        ExprKind::Binary(BinaryOp::Concat, left, right) => {
            let (left, right) = (binder.expression(left)?, binder.expression(right)?);
            operator::joined(left, right)
        }
        ExprKind::Case { operand, branches, otherwise } => {
            sequence::without_numbers(binder, Numbers::NotInCase, |binder| {
                case(binder, operand.as_deref(), branches, otherwise.as_deref())
            })
        }
        ExprKind::Cast { expr, data_type, style, try_ } => cast(binder, expr, data_type, style.as_deref(), *try_),
        ExprKind::Parse { expr, data_type, culture, try_ } => parse(binder, expr, data_type, culture.as_deref(), *try_),
        ExprKind::Collate(expr, name) => collate(binder, expr, name),
        ExprKind::Function(call) => function_call(binder, call),
        ExprKind::Subquery(query) => {
            let query = subquery::subquery(binder, query)?;
            let [ty] = query.rel.types()[..] else {
                return Err(one_column_only());
            };
            let ty = ExprType { nullable: true, ..ty };
            Ok(match taken_apart(&query.rel, 1) {
                Some(mut row) => BoundExpr { ty, ..row.remove(0) },
                None => BoundExpr { kind: Kind::ScalarQuery(Arc::new(query.rel)), ty },
            })
        }
        ExprKind::Method { target, method, args } => xml::method_of_value(binder, target, method, args),
        ExprKind::NextValue { sequence, over } => sequence::next_value(binder, sequence, over.as_deref()),
        _ => Err(SqlError::of(4145, 1, &[&""])),
    }
}

/// Binds a condition.
///
/// # Errors
/// 4145 for a value where a condition is meant, and those of [`Binder::expression`].
pub(crate) fn condition(binder: &mut Binder<'_>, expr: &Expr) -> SqlResult<BoundExpr> {
    binder.names.watch().check()?;
    let bound = sequence::without_numbers(binder, Numbers::NotInClause, |binder| condition_inner(binder, expr));
    bound.map(settled::folded).map_err(|error| error.at(expr.line))
}

fn condition_inner(binder: &mut Binder<'_>, expr: &Expr) -> SqlResult<BoundExpr> {
    match &expr.kind {
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            let (left, right) = (Box::new(binder.condition(left)?), Box::new(binder.condition(right)?));
            Ok(BoundExpr::predicate(match op {
                BinaryOp::And => Kind::And(left, right),
                _ => Kind::Or(left, right),
            }))
        }
        ExprKind::Unary(UnaryOp::Not, operand) => Ok(not(binder.condition(operand)?, true)),
        ExprKind::Binary(op, left, right) if compare_op(*op).is_some() => {
            let (left, right) = (binder.expression(left)?, binder.expression(right)?);
            dialect::compared(binder, compare_op(*op).expect("guarded above"), left, right)
        }
        ExprKind::IsNull { expr, negated } => {
            let operand = match &expr.kind {
                ExprKind::Column(_) => xml::of_node(binder, |binder| binder.expression(expr))?,
                _ => binder.expression(expr)?,
            };
            Ok(not(BoundExpr::predicate(Kind::IsNull(Box::new(operand))), *negated))
        }
        ExprKind::Between { expr, low, high, negated } => {
            let operand = binder.expression(expr)?;
            let low = operator::comparison(CompareOp::GtEq, operand.clone(), binder.expression(low)?)?;
            let high = operator::comparison(CompareOp::LtEq, operand, binder.expression(high)?)?;
            Ok(not(BoundExpr::predicate(Kind::And(Box::new(low), Box::new(high))), *negated))
        }
        ExprKind::InList { expr, list, negated } => Ok(not(in_list(binder, expr, list)?, *negated)),
        ExprKind::InQuery { expr, query, negated } => Ok(not(in_query(binder, expr, query)?, *negated)),
        ExprKind::Function(call) if updated_column(call).is_some() => column_updated(call),
        ExprKind::Function(call) if is_regexp_like(call) => regexp_like(binder, call),
        ExprKind::Exists(query) => {
            binder.asks_existence = true;
            let query = subquery::subquery(binder, query);
            binder.asks_existence = false;
            Ok(existence::exists(query?.rel))
        }
        ExprKind::Like { expr, pattern, escape, negated } => {
            Ok(not(like(binder, expr, pattern, escape.as_deref())?, *negated))
        }
        ExprKind::Quantified { expr, op, all, query } => quantified::quantified(binder, expr, *op, *all, query),
        ExprKind::DistinctFrom { left, right, negated } => {
            let (left, right) = (binder.expression(left)?, binder.expression(right)?);
            Ok(not(same_or_null(left, right)?, !*negated))
        }
        _ => Err(SqlError::of(4145, 1, &[&""])),
    }
}

fn is_regexp_like(call: &FunctionCall) -> bool {
    call.name.parts.len() == 1 && call.name.last().eq_ignore_ascii_case(builtin::regexp::LIKE)
}

/// `REGEXP_LIKE (text, pattern [, flags])`, which is unknown where an argument is NULL.
fn regexp_like(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let def = builtin::find(builtin::regexp::LIKE).ok_or_else(|| message::syntax_near(builtin::regexp::LIKE))?;
    if !(def.min_args..=def.max_args).contains(&call.args.len()) {
        return Err(message::syntax_near(if call.args.len() < def.min_args { ")" } else { "," }));
    }
    let found = builtin(binder, def, call)?;
    operator::comparison(CompareOp::Eq, found, BoundExpr::literal(Value::Int(1), SqlType::Int))
}

/// `UPDATE(column)` of a trigger.
fn column_updated(call: &FunctionCall) -> SqlResult<BoundExpr> {
    let name = updated_column(call).unwrap_or_default();
    let def = builtin::find("UPDATE").ok_or_else(|| message::syntax_near("UPDATE"))?;
    let column = BoundExpr::literal(Value::str(name), SqlType::SYSNAME);
    let one = BoundExpr::literal(Value::Int(1), SqlType::Int);
    let ty = ExprType { nullable: false, ..one.ty };
    let updated = BoundExpr { kind: Kind::Function(def, vec![column]), ty };
    operator::comparison(CompareOp::Eq, updated, one)
}

fn column(binder: &mut Binder<'_>, name: &ObjectName) -> SqlResult<BoundExpr> {
    let parts = &name.parts;
    let column = parts.last().expect("a name has parts");
    let table = (parts.len() > 1).then(|| parts[parts.len() - 2].as_str());
    let schema = parts.len().checked_sub(3).map(|at| parts[at].as_str()).filter(|schema| !schema.is_empty());
    for (level, scope) in binder.scopes.iter().rev().enumerate() {
        if let Some(index) = scope.find(schema, table, column)? {
            if scope.has_no_row {
                return Err(message::column_of_a_count(column));
            }
            let value = scope.value(index, level);
            binder.columns_named += usize::from(level == 0);
            xml::check_no_node(binder, &value, column)?;
            return Ok(value);
        }
    }
    match table {
        Some(table) if !binder.scopes.iter().any(|scope| scope.has_table(table)) => {
            Err(message::unbound_identifier(&parts.join(".")))
        }
        None if binder.refuses_columns => Err(message::column_not_permitted(column)),
        _ => Err(message::invalid_column(column)),
    }
}

fn negate(binder: &mut Binder<'_>, operand: &Expr) -> SqlResult<BoundExpr> {
    // -2147483648 is an int although 2147483648 is not.
    if let ExprKind::Literal(ast::Literal::Integer(digits)) = &operand.kind
        && digits.len() <= literal::INT_CHARACTERS_MAX
        && let Ok(value) = format!("-{digits}").parse::<i32>()
    {
        return Ok(BoundExpr::literal(Value::Int(value), SqlType::Int));
    }
    let operand = binder.expression(operand)?;
    let sql = arith::negate_type(&operand.ty.sql).map_err(message::of_eval)?;
    let operand = if operand.ty.sql == sql { operand } else { operator::cast_to(operand, sql, None, false) };
    if let Kind::Literal(value) = &operand.kind
        && let Ok(value) = arith::negate(value, &sql)
    {
        return Ok(BoundExpr::literal(value, sql));
    }
    let ty = ExprType { nullable: true, ..operand.ty };
    Ok(BoundExpr { kind: Kind::Negate(Box::new(operand)), ty })
}

fn bit_not(binder: &mut Binder<'_>, operand: &Expr) -> SqlResult<BoundExpr> {
    let operand = binder.expression(operand)?;
    let sql = operand.ty.sql;
    if !sql.is_integer() && sql != SqlType::Bit {
        return Err(message::of_eval(millpond_types::EvalError::InvalidOperand {
            type_name: sql.name(),
            operator: "'~'",
        }));
    }
    let ty = operand.ty;
    Ok(BoundExpr { kind: Kind::BitNot(Box::new(operand)), ty })
}

fn case(
    binder: &mut Binder<'_>,
    operand: Option<&Expr>,
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
) -> SqlResult<BoundExpr> {
    let operand = operand.map(|operand| binder.expression(operand)).transpose()?;
    let mut bound = Vec::with_capacity(branches.len());
    for (when, then) in branches {
        let condition = match &operand {
            None => binder.condition(when)?,
            Some(operand) => {
                let when = binder.expression(when)?;
                dialect::compared(binder, CompareOp::Eq, operand.clone(), when)?
            }
        };
        bound.push((condition, binder.expression(then)?));
    }
    let written: Vec<bool> = branches.iter().map(|(_, then)| then).chain(otherwise).map(is_written).collect();
    let otherwise = otherwise.map(|otherwise| binder.expression(otherwise)).transpose()?;
    case_of(bound, otherwise, &written)
}

fn cast(
    binder: &mut Binder<'_>,
    expr: &Expr,
    data_type: &ast::DataType,
    style: Option<&Expr>,
    try_: bool,
) -> SqlResult<BoundExpr> {
    let target = declared::cast_type(data_type)?;
    let operand = binder.expression(expr)?;
    // A text stays in its code page; what becomes a text has the database's.
    let page = if operand.ty.sql.is_string() { operand.ty.collation.page() } else { binder.dialect.page() };
    let target = target.in_page(page);
    let mut open_style = None;
    let style = match style.map(|style| binder.expression(style)).transpose()? {
        None => None,
        Some(style) if !is_null_literal(&style) && !style.ty.sql.is_integer() => {
            let name = if try_ { "try_convert" } else { "convert" };
            return Err(SqlError::of(8116, 1, &[&style.ty.sql.name(), &3, &name]));
        }
        Some(style) => match style.kind {
            Kind::Literal(Value::Int(style)) => Some(style),
            Kind::Literal(Value::Null) => return Ok(operator::typed_null(target)),
            _ => {
                open_style = Some(style);
                None
            }
        },
    };
    if is_null_literal(&operand) {
        return Ok(operator::typed_null(target));
    }
    if operand.ty.sql != target && !coerce::explicit_allowed(&operand.ty.sql, &target) {
        return Err(message::of_eval(millpond_types::EvalError::ExplicitNotAllowed {
            from: operand.ty.sql.name(),
            to: target.name(),
        }));
    }
    let Some(open_style) = open_style else {
        // The result of a cast that is written may be NULL, whatever is cast.
        let mut cast = operator::cast_to(operand, target, style, try_);
        cast.ty.nullable = true;
        return Ok(cast);
    };
    let open_style = convert(open_style, SqlType::Int)?;
    // The type and the collation are those of a cast; NULL comes from the style too.
    let cast = operator::cast_to(operand.clone(), target, None, try_);
    let ty = ExprType { nullable: true, ..cast.ty };
    let def = if try_ { &builtin::TRY_CONVERT_STYLED } else { &builtin::CONVERT_STYLED };
    Ok(BoundExpr { kind: Kind::Function(def, vec![operand, open_style]), ty })
}

/// PARSE and TRY_PARSE.
///
/// # Errors
/// 10761 for a type that no text is parsed as, 8116 for what is no text.
fn parse(
    binder: &mut Binder<'_>,
    expr: &Expr,
    data_type: &ast::DataType,
    culture: Option<&Expr>,
    try_: bool,
) -> SqlResult<BoundExpr> {
    let def = if try_ { &builtin::TRY_PARSE } else { &builtin::PARSE };
    let target = declared::cast_type(data_type)?;
    if !builtin::is_parsed(&target) {
        return Err(SqlError::of(10_761, 1, &[&target.name(), &def.name]));
    }
    let mut args = vec![binder.expression(expr)?];
    args.extend(culture.map(|culture| binder.expression(culture)).transpose()?);
    let types: Vec<Option<SqlType>> = args.iter().map(|arg| (!is_null_literal(arg)).then_some(arg.ty.sql)).collect();
    let signature = (def.bind)(&types)?;
    let args = args.into_iter().zip(&signature.params).map(|(arg, param)| convert(arg, *param));
    let args = args.collect::<SqlResult<Vec<_>>>()?;
    Ok(BoundExpr { kind: Kind::Function(def, args), ty: ExprType::plain(target, true) })
}

fn collate(binder: &mut Binder<'_>, expr: &Expr, name: &str) -> SqlResult<BoundExpr> {
    let collation = declared::collation(name, binder.dialect.collation())?;
    let operand = binder.expression(expr)?;
    if !operand.ty.sql.is_string() {
        return Err(SqlError::of(447, 0, &[&operand.ty.sql.name()]));
    }
    if operand.ty.label == Label::Explicit && operand.ty.collation != collation {
        return Err(SqlError::of(449, 0, &[&operand.ty.collation.name(), &collation.name()]));
    }
    operator::collated(operand, collation)
}

fn in_list(binder: &mut Binder<'_>, expr: &Expr, list: &[Expr]) -> SqlResult<BoundExpr> {
    let operand = binder.expression(expr)?;
    let list = list.iter().map(|item| binder.expression(item)).collect::<SqlResult<Vec<_>>>()?;
    if !binder.dialect.ansi_nulls() {
        return dialect::equals_one_of(binder, &operand, list);
    }
    let texts = operand.ty.sql.is_string() && list.iter().all(|item| item.ty.sql.is_string() || is_null_literal(item));
    let target = if texts {
        operand.ty.sql
    } else {
        let all = || std::iter::once(&operand).chain(&list);
        match operator::common_type(all())?.unwrap_or(SqlType::Int) {
            SqlType::DateTime2 { .. } if all().any(|item| item.ty.sql == SqlType::DateTime) => {
                SqlType::DateTime2 { scale: SqlType::FRACTION_DIGITS_DEFAULT }
            }
            target => target,
        }
    };
    for item in &list {
        operator::comparable_types(CompareOp::Eq, &operand, item)?;
    }
    let collation = collate::compared(std::iter::once(&operand).chain(&list), "equal to")?.collation;
    let list =
        if texts { list } else { list.into_iter().map(|item| convert(item, target)).collect::<SqlResult<_>>()? };
    let operand = if texts { operand } else { convert(operand, target)? };
    Ok(BoundExpr::predicate(Kind::InList(Box::new(operand), list, collation)))
}

fn in_query(binder: &mut Binder<'_>, expr: &Expr, query: &ast::Query) -> SqlResult<BoundExpr> {
    let operand = binder.expression(expr)?;
    let query = subquery::subquery(binder, query)?;
    let [inner] = query.rel.types()[..] else {
        return Err(one_column_only());
    };
    let probe = BoundExpr::column(0, inner);
    operator::comparable_types(CompareOp::Eq, &operand, &probe)?;
    let (operand, probe) = operator::same_type(operand, probe)?;
    let collation = collate::compared([&operand, &probe], "equal to")?.collation;
    let rel = match probe.kind {
        Kind::Column(_) => query.rel,
        _ => millpond_catalog::rel::Rel::Project { input: Box::new(query.rel), exprs: vec![probe] },
    };
    Ok(BoundExpr::predicate(Kind::InQuery(Box::new(operand), Arc::new(rel), collation)))
}

fn like(binder: &mut Binder<'_>, expr: &Expr, pattern: &Expr, escape: Option<&Expr>) -> SqlResult<BoundExpr> {
    let (text, pattern) = (binder.expression(expr)?, binder.expression(pattern)?);
    refuse_variant(&text, 1, "like")?;
    refuse_variant(&pattern, 2, "like")?;
    let (text, pattern) = (to_text(text)?, to_text(pattern)?);
    let escape = escape.map(|escape| binder.expression(escape).and_then(to_text)).transpose()?;
    let collation = collate::compared([&text, &pattern], "like")?.collation;
    Ok(BoundExpr::predicate(Kind::Like {
        text: Box::new(text),
        pattern: Box::new(pattern),
        escape: escape.map(Box::new),
        collation,
    }))
}

fn function_call(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    // The server's own functions have names of one part, and those of users, in expressions, never.
    if call.name.parts.len() > 1 {
        return function_of_user(binder, call);
    }
    let name = call.name.last().to_ascii_uppercase();
    if json::is_aggregate(&name) {
        return sequence::without_numbers(binder, Numbers::NotInClause, |binder| json_aggregate::bind(binder, call));
    }
    if let Some(over) = &call.over {
        return window::window_call(binder, &name, call, over);
    }
    if window::function(&name, false).is_some() {
        return Err(window::without_over(call));
    }
    if let Some(function) = aggregate::function(&name) {
        return sequence::without_numbers(binder, Numbers::NotInClause, |binder| {
            aggregate::aggregate(binder, function, call)
        });
    }
    match name.as_str() {
        "ISNULL" => sequence::without_numbers(binder, Numbers::NotInCase, |binder| isnull(binder, call)),
        "COALESCE" => sequence::without_numbers(binder, Numbers::NotInCase, |binder| coalesce(binder, call)),
        "NULLIF" => sequence::without_numbers(binder, Numbers::NotInCase, |binder| nullif(binder, call)),
        "IIF" => sequence::without_numbers(binder, Numbers::NotInCase, |binder| iif(binder, call)),
        "JSON_OBJECT" | "JSON_ARRAY" => json::built(binder, call),
        "JSON_MODIFY" => json::modify(binder, call),
        "JSON_QUERY" => json::query(binder, call),
        "ISJSON" if call.args.len() > 1 => json::is_json(binder, call),
        // It is a condition, no value.
        "REGEXP_LIKE" => Err(SqlError::of(156, 1, &[&builtin::regexp::LIKE])),
        "GROUPING" => grouping::grouping(binder, call),
        "GROUPING_ID" => grouping::grouping_id(binder, call),
        "CHOOSE" => sequence::without_numbers(binder, Numbers::NotInCase, |binder| choose(binder, call)),
        _ => {
            let def = builtin::find(&name).ok_or_else(|| message::unknown_function(call.name.last()))?;
            builtin(binder, def, call)
        }
    }
}

/// A call by a name of several parts.
fn function_of_user(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let shown = || call.name.shown();
    if let Some(number) = partition::partition(binder, call)? {
        return Ok(number);
    }
    if let Some(def) = builtin::find_of_sys(&call.name) {
        return self::builtin(binder, def, call);
    }
    if let Some(function) = binder.names.scalar_function(&call.name, binder.home)? {
        return match call.over {
            None => function::user_function(binder, function, call),
            Some(_) => Err(window::not_over(&shown())),
        };
    }
    if let Some(bound) = xml::method_call(binder, call)? {
        return Ok(bound);
    }
    if let Some(def) = function_of_msdb(binder, &call.name)? {
        return self::builtin(binder, def, call);
    }
    Err(SqlError::of(4121, 1, &[&call.name.parts[0], &shown()]))
}

/// The server's own function of a name, if that is one of msdb.
fn function_of_msdb(binder: &Binder<'_>, name: &ObjectName) -> SqlResult<Option<&'static FunctionDef>> {
    let schema = name.parts.len().checked_sub(2).map(|at| &name.parts[at]);
    if !schema.is_some_and(|schema| schema.is_empty() || schema.eq_ignore_ascii_case("dbo")) {
        return Ok(None);
    }
    let Some(def) = builtin::find_of_msdb(name.last()) else { return Ok(None) };
    Ok((binder.names.database(name, binder.home)? == Some(DbId::MSDB)).then_some(def))
}

pub(super) fn builtin(binder: &mut Binder<'_>, def: &'static FunctionDef, call: &FunctionCall) -> SqlResult<BoundExpr> {
    if !call.star {
        check_count(def, call.args.len())?;
    }
    if def.name == NEWSEQUENTIALID && !binder.in_default {
        return Err(SqlError::of(302, 0, &[]));
    }
    let has_effects = def.volatility == Volatility::Row || def.name == "RAND";
    // A function's own text is looked at, not that of a view which it reads.
    if has_effects && binder.names.in_function() && binder.view_depth == 0 {
        let name = def.name.to_ascii_lowercase();
        return Err(SqlError::of(443, 1, &[&name]));
    }
    let mut args = Vec::with_capacity(call.args.len());
    if call.star {
        args = all_columns(binder, def)?;
    }
    for (index, arg) in call.args.iter().enumerate() {
        args.push(if index == 0 && def.date_part_first { date_part(def, arg)? } else { binder.expression(arg)? });
    }
    let held = match collate::sensitive(def.name) {
        Some(name) => collate::compared(&args, name)?,
        None => collate::joint(&args, def.name)?,
    };
    // What has no text among its arguments gives one of the database's collation.
    let has_text = args.iter().any(|arg| arg.ty.sql.is_string());
    let held = if has_text { held } else { collate::Held { collation: binder.dialect.collation(), ..held } };
    let collation = held.collation;
    let page = collation.page();
    // Beside Unicode no text is cut down to a code page.
    let is_unicode = args.iter().any(|arg| arg.ty.sql.is_unicode());
    let in_page = |sql: SqlType| if page == CodePage::Utf8 || !is_unicode { sql.converted_to(page) } else { sql };
    let mut types: Vec<Option<SqlType>> =
        args.iter().map(|arg| (!is_null_literal(arg)).then_some(in_page(arg.ty.sql))).collect();
    if matches!(def.name, "GREATEST" | "LEAST") && types.iter().any(|sql| matches!(sql, Some(SqlType::Decimal { .. })))
    {
        for ((sql, arg), written) in types.iter_mut().zip(&args).zip(call.args.iter().map(is_written)) {
            *sql = sql.map(|_| operator::as_written(arg, written));
        }
    }
    let def = builtin::of_collation(def, collation);
    let signature = (def.bind)(&types)?;
    let altered = |(arg, param): (&BoundExpr, &SqlType)| !coerce::keeps_each_value(&arg.ty.sql, param);
    let nullable = match nullability(def, signature.nullable) {
        Nullability::Never => false,
        Nullability::Always => true,
        Nullability::OfArguments => {
            args.iter().any(|arg| arg.ty.nullable) || args.iter().zip(&signature.params).any(altered)
        }
    };
    let mut args = args
        .into_iter()
        .zip(&signature.params)
        .enumerate()
        .map(|(at, (arg, param))| {
            if arg.ty.sql == SqlType::Variant && matches!(def.name, "CONCAT" | "CONCAT_WS") {
                return Ok(operator::cast_to(arg, *param, None, false));
            }
            if *param != SqlType::Variant {
                refuse_variant(&arg, at + 1, &def.name.to_ascii_lowercase())?;
            }
            argument(arg, *param)
        })
        .collect::<SqlResult<Vec<_>>>()?;
    if def.compares && has_text && collation != Collation::default() {
        builtin::add_collation(def, &mut args, collation);
    }
    let result = builtin::by_constants(def, &args, signature.result)?;
    let ty = held.by(ExprType::declared(result, nullable, collation));
    Ok(BoundExpr { kind: in_its_place(def, args), ty })
}

/// The columns that `*` stands for in CHECKSUM and BINARY_CHECKSUM, which passes over those that do not compare.
fn all_columns(binder: &mut Binder<'_>, def: &FunctionDef) -> SqlResult<Vec<BoundExpr>> {
    let passes_over = match def.name {
        "CHECKSUM" => false,
        "BINARY_CHECKSUM" => true,
        _ => return Err(message::syntax_near("*")),
    };
    let (mut columns, mut names) = (Vec::new(), Vec::new());
    star::wildcard(binder, None, &mut columns, &mut names)?;
    if passes_over {
        columns.retain(|column| column.ty.sql.is_comparable());
    }
    columns.iter().try_for_each(operator::comparable)?;
    Ok(columns)
}

fn args<const N: usize>(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<[BoundExpr; N]> {
    let name = call.name.last();
    if call.args.len() != N {
        return Err(message::argument_count(name, N));
    }
    let args = call.args.iter().map(|arg| binder.expression(arg)).collect::<SqlResult<Vec<_>>>()?;
    Ok(args.try_into().expect("counted above"))
}

/// ISNULL has the type of its first argument, unlike COALESCE.
fn isnull(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let [first, second] = args(binder, call)?;
    let target = if is_null_literal(&first) { second.ty.sql } else { first.ty.sql };
    let nullable = first.ty.nullable && second.ty.nullable;
    let is_json = if is_null_literal(&first) { second.ty.is_json } else { first.ty.is_json };
    let (first, second) = (convert(first, target)?, convert(second, target)?);
    // Asked twice, it might be NULL the second time; and texts of many ISNULLs one in another would double at each.
    // A query may be new each time, too. What stands for its NULL is then computed for each row.
    let asks = builtin::eval::needs_plan(&first);
    let once =
        first.is_volatile() || asks && !builtin::eval::needs_plan(&second) || is_large(&first) && never_fails(&second);
    let may_be_null = asks && !once;
    let once = once.then(|| Kind::Function(&builtin::FIRST_KNOWN, vec![first.clone(), second.clone()]));
    let mut case = case_as(vec![(not_null(first.clone()), first)], Some(second), target, "ISNULL")?;
    case.kind = once.unwrap_or(case.kind);
    case.ty.nullable = nullable || may_be_null;
    case.ty.is_json = is_json;
    Ok(case)
}

fn coalesce(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let mut args = call.args.iter().map(|arg| binder.expression(arg)).collect::<SqlResult<Vec<_>>>()?;
    if args.iter().all(is_null_literal) {
        return Err(SqlError::of(4127, 1, &[]));
    }
    let last = args.pop();
    let branches = args.into_iter().map(|arg| (not_null(arg.clone()), arg)).collect();
    let written: Vec<bool> = call.args.iter().map(is_written).collect();
    case_of(branches, last, &written)
}

fn nullif(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    if let [Expr { kind: ExprKind::Literal(ast::Literal::Null), .. }, _] = &call.args[..] {
        return Err(SqlError::of(4151, 1, &[]));
    }
    let [first, second] = args(binder, call)?;
    let equal = operator::comparison(CompareOp::Eq, first.clone(), second)?;
    // A number that is written is of the smallest type that holds it.
    let sql = match first.kind {
        Kind::Literal(Value::Int(value)) if is_written(&call.args[0]) => smallest_integer(value),
        _ => first.ty.sql,
    };
    let null = BoundExpr::literal(Value::Null, sql);
    case_as(vec![(equal, null)], Some(convert(first, sql)?), sql, "CASE")
}

fn iif(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let [condition, then, otherwise] = &call.args[..] else {
        return Err(message::argument_count("iif", 3));
    };
    let condition = binder.condition(condition)?;
    let written = [is_written(then), is_written(otherwise)];
    let (then, otherwise) = (binder.expression(then)?, binder.expression(otherwise)?);
    case_of(vec![(condition, then)], Some(otherwise), &written)
}

fn choose(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let Some((index, values)) = call.args.split_first().filter(|(_, values)| !values.is_empty()) else {
        return Err(SqlError::of(189, 1, &[&"choose", &2, &254]));
    };
    let index = convert(binder.expression(index)?, SqlType::Int)?;
    let mut branches = Vec::with_capacity(values.len());
    for (position, value) in values.iter().enumerate() {
        let wanted = i32::try_from(position + 1).unwrap_or(i32::MAX);
        let is_it =
            operator::comparison(CompareOp::Eq, index.clone(), BoundExpr::literal(Value::Int(wanted), SqlType::Int))?;
        branches.push((is_it, binder.expression(value)?));
    }
    let written: Vec<bool> = values.iter().map(is_written).collect();
    let mut case = case_of(branches, None, &written)?;
    // Even where the index is a constant.
    case.ty.nullable = true;
    Ok(case)
}

/// A call as the run evaluates it: RAND has one value for each place in the text, unless a row gives its seed.
fn in_its_place(def: &'static FunctionDef, mut args: Vec<BoundExpr>) -> Kind {
    static NEXT_PLACE: AtomicI64 = AtomicI64::new(0);
    if def.name != "RAND" || args.iter().any(depends_on_row) {
        return Kind::Function(def, args);
    }
    let place = Value::BigInt(NEXT_PLACE.fetch_add(1, Relaxed));
    args.insert(0, BoundExpr::literal(place, SqlType::BigInt));
    Kind::Function(&builtin::RAND_ONCE, args)
}

/// CASE whose results meet in a type; `written` says of each, the last being the ELSE, whether it is a number as it stands.
fn case_of(
    branches: Vec<(BoundExpr, BoundExpr)>,
    otherwise: Option<BoundExpr>,
    written: &[bool],
) -> SqlResult<BoundExpr> {
    let results = branches.iter().map(|(_, result)| result).chain(&otherwise);
    let results: Vec<(&BoundExpr, bool)> = results.zip(written.iter().copied()).collect();
    let Some(sql) = operator::common_type_as_written(&results)? else {
        return Err(SqlError::of(8133, 1, &[]));
    };
    case_as(branches, otherwise, sql, "CASE")
}

/// Whether what a CASE gives goes into JSON as it is: as the result that its settled condition takes, else where every result
/// but NULL does and the type has a limit.
fn case_is_json(branches: &[(BoundExpr, BoundExpr)], otherwise: Option<&BoundExpr>, sql: SqlType) -> bool {
    let settled = match branches.first() {
        None => otherwise,
        Some((condition, result)) if settled::is_true(condition) => Some(result),
        Some(_) => None,
    };
    if let Some(result) = settled {
        return result.ty.is_json;
    }
    let mut results =
        branches.iter().map(|(_, result)| result).chain(otherwise).filter(|result| !is_null_literal(result));
    !sql.is_max() && results.all(|result| result.ty.is_json)
}

/// CASE whose results become a type; `operator` is what messages about collations call it.
fn case_as(
    branches: Vec<(BoundExpr, BoundExpr)>,
    otherwise: Option<BoundExpr>,
    sql: SqlType,
    operator: &'static str,
) -> SqlResult<BoundExpr> {
    let results = branches.iter().map(|(_, result)| result).chain(&otherwise);
    let held = collate::joint(results, operator)?;
    let (branches, otherwise) = settled::reached(branches, otherwise, sql);
    let may_be_null = |result: &BoundExpr| {
        // Of a constant only its own value counts.
        let is_kept = || {
            let own = operator::as_written(result, matches!(result.kind, Kind::Literal(_)));
            coerce::keeps_each_value(&own, &sql) || coerce::keeps_each_value(&result.ty.sql, &sql)
        };
        result.ty.nullable || !is_null_literal(result) && !is_kept()
    };
    let nullable = match &otherwise {
        None => branches.last().is_none_or(|(condition, _)| !settled::is_true(condition)),
        Some(otherwise) => may_be_null(otherwise),
    };
    let nullable = nullable || branches.iter().any(|(_, result)| may_be_null(result));
    let is_json = case_is_json(&branches, otherwise.as_ref(), sql);
    let ty = ExprType { is_json, ..held.by(ExprType::of(sql, nullable, held.collation)) };
    let branches = branches
        .into_iter()
        .map(|(condition, result)| Ok((condition, convert(result, sql)?)))
        .collect::<SqlResult<Vec<_>>>()?;
    let otherwise = otherwise.map(|result| convert(result, sql)).transpose()?.map(Box::new);
    Ok(BoundExpr { kind: Kind::Case { branches, otherwise }, ty })
}

pub(super) fn not(predicate: BoundExpr, negated: bool) -> BoundExpr {
    if negated { BoundExpr::predicate(Kind::Not(Box::new(predicate))) } else { predicate }
}

/// Whether two predicates are true.
pub(crate) fn both(left: BoundExpr, right: BoundExpr) -> BoundExpr {
    BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right)))
}

/// Whether two values are equal or both NULL; never unknown.
pub(crate) fn same_or_null(left: BoundExpr, right: BoundExpr) -> SqlResult<BoundExpr> {
    let null = |expr: &BoundExpr| BoundExpr::predicate(Kind::IsNull(Box::new(expr.clone())));
    let neither = both(not_null(left.clone()), not_null(right.clone()));
    let nulls = both(null(&left), null(&right));
    let equal = both(neither, operator::comparison(CompareOp::Eq, left, right)?);
    Ok(BoundExpr::predicate(Kind::Or(Box::new(nulls), Box::new(equal))))
}

fn not_null(expr: BoundExpr) -> BoundExpr {
    not(BoundExpr::predicate(Kind::IsNull(Box::new(expr))), true)
}

fn to_text(expr: BoundExpr) -> SqlResult<BoundExpr> {
    if expr.ty.sql.is_string() { Ok(expr) } else { convert(expr, SqlType::varchar(8000)) }
}

/// 8116 for an argument, the `position`th from 1, that is `sql_variant`: what it holds is not known before it is there.
fn refuse_variant(arg: &BoundExpr, position: usize, function: &str) -> SqlResult<()> {
    if arg.ty.sql == SqlType::Variant {
        return Err(SqlError::of(8116, 1, &[&arg.ty.sql.name(), &position, &function]));
    }
    Ok(())
}

/// A text argument keeps its own length: parameters of functions take any text.
fn argument(arg: BoundExpr, param: SqlType) -> SqlResult<BoundExpr> {
    if arg.ty.sql.is_string() && param.is_string() || arg.ty.sql.is_binary() && param.is_binary() {
        return Ok(arg);
    }
    convert(arg, param)
}

pub(super) fn check_count(def: &FunctionDef, given: usize) -> SqlResult<()> {
    if given >= def.min_args && given <= def.max_args {
        return Ok(());
    }
    if def.min_args == def.max_args {
        return Err(message::argument_count(def.name, def.min_args));
    }
    Err(SqlError::of(189, 1, &[&def.name.to_ascii_lowercase(), &def.min_args, &def.max_args]))
}

fn date_part(def: &FunctionDef, arg: &Expr) -> SqlResult<BoundExpr> {
    let word = match &arg.kind {
        ExprKind::Column(name) if name.parts.len() == 1 => name.parts[0].as_str(),
        _ => {
            return Err(SqlError::of(1023, 1, &[&1, &def.name.to_ascii_lowercase()]));
        }
    };
    let part = DatePart::by_name(word).ok_or_else(|| message::unknown_date_part(word, def.name))?;
    Ok(BoundExpr::literal(Value::Int(part as i32), SqlType::Int))
}

pub(super) fn one_column_only() -> SqlError {
    SqlError::of(116, 1, &[])
}

/// The column of `UPDATE(column)`.
fn updated_column(call: &FunctionCall) -> Option<&str> {
    match (&call.name.parts[..], &call.args[..]) {
        ([name], [Expr { kind: ExprKind::Column(column), .. }]) if name.eq_ignore_ascii_case("UPDATE") => {
            column.parts.last().map(String::as_str)
        }
        _ => None,
    }
}

fn smallest_integer(value: i32) -> SqlType {
    if u8::try_from(value).is_ok() {
        SqlType::TinyInt
    } else if i16::try_from(value).is_ok() {
        SqlType::SmallInt
    } else {
        SqlType::Int
    }
}

/// Whether a number is written as it stands, with signs or without.
pub(crate) fn is_written(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => is_written(operand),
        _ => false,
    }
}
