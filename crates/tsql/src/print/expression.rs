//! Expressions.

use std::fmt::Write;

use crate::ast::{
    BinaryOp, DataType, Expr, ExprKind, Frame, FrameBound, FunctionCall, JsonClauses, Literal, OrderItem, Over, Query,
    UnaryOp,
};
use crate::keyword::Keyword;
use crate::print::{Printer, definition};

pub(super) fn expr(printer: &mut Printer, expr: &Expr) {
    match &expr.kind {
        ExprKind::Literal(value) => literal(printer, value),
        ExprKind::Variable(name) => printer.text(name),
        ExprKind::Column(name) => printer.column_name(name),
        ExprKind::Default => printer.text("DEFAULT"),
        ExprKind::Unary(op, inner) => {
            printer.text(unary_sign(*op));
            operand(printer, inner);
        }
        ExprKind::Binary(op, left, right) => operation(printer, left, binary_sign(*op), &[right], ""),
        ExprKind::Collate(inner, collation) => {
            operand(printer, inner);
            let _ = write!(printer.out, " COLLATE {collation}");
        }
        ExprKind::Subquery(query) => enclosed_query(printer, "", query),
        ExprKind::Exists(query) => enclosed_query(printer, "EXISTS ", query),
        ExprKind::Function(call) => function(printer, call),
        ExprKind::Case { operand, branches, otherwise } => {
            case(printer, operand.as_deref(), branches, otherwise.as_deref());
        }
        ExprKind::Cast { expr, data_type, style, try_ } => {
            cast(printer, expr, data_type, style.as_deref(), *try_);
        }
        ExprKind::Parse { expr, data_type, culture, try_ } => {
            parse(printer, expr, data_type, culture.as_deref(), *try_);
        }
        ExprKind::Method { target, method, args } => {
            operand(printer, target);
            printer.text(".");
            printer.ident(method);
            printer.text("(");
            printer.exprs(args);
            printer.text(")");
        }
        ExprKind::NextValue { sequence, over } => {
            printer.text("NEXT VALUE FOR ");
            printer.name(sequence);
            if let Some(over) = over {
                over_clause(printer, over);
            }
        }
        other => predicate(printer, other),
    }
}

/// An operand in parentheses when it is an operation itself.
pub(super) fn operand(printer: &mut Printer, expr: &Expr) {
    let compound = matches!(
        expr.kind,
        ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Collate(..)
            | ExprKind::IsNull { .. }
            | ExprKind::Between { .. }
            | ExprKind::InList { .. }
            | ExprKind::InQuery { .. }
            | ExprKind::Like { .. }
            | ExprKind::Quantified { .. }
            | ExprKind::DistinctFrom { .. }
    );
    printer.text(if compound { "(" } else { "" });
    printer.expr(expr);
    printer.text(if compound { ")" } else { "" });
}

fn operation(printer: &mut Printer, left: &Expr, sign: &str, rest: &[&Expr], between: &str) {
    operand(printer, left);
    printer.text(sign);
    printer.list(rest, between, |printer, expr| operand(printer, expr));
}

fn enclosed_query(printer: &mut Printer, words: &str, query: &Query) {
    printer.text(words);
    printer.text("(");
    printer.query(query);
    printer.text(")");
}

fn predicate(printer: &mut Printer, kind: &ExprKind) {
    let not = |negated: &bool| if *negated { " NOT" } else { "" };
    match kind {
        ExprKind::IsNull { expr, negated } => {
            operand(printer, expr);
            printer.text(if *negated { " IS NOT NULL" } else { " IS NULL" });
        }
        ExprKind::Between { expr, low, high, negated } => {
            operation(printer, expr, &format!("{} BETWEEN ", not(negated)), &[low, high], " AND ");
        }
        ExprKind::InList { expr, list, negated } => {
            operand(printer, expr);
            let _ = write!(printer.out, "{} IN (", not(negated));
            printer.exprs(list);
            printer.text(")");
        }
        ExprKind::InQuery { expr, query, negated } => {
            operand(printer, expr);
            enclosed_query(printer, &format!("{} IN ", not(negated)), query);
        }
        ExprKind::Like { expr, pattern, escape, negated } => {
            operation(printer, expr, &format!("{} LIKE ", not(negated)), &[pattern], "");
            if let Some(escape) = escape {
                printer.text(" ESCAPE ");
                operand(printer, escape);
            }
        }
        ExprKind::Quantified { expr, op, all, query } => {
            operand(printer, expr);
            printer.text(binary_sign(*op));
            enclosed_query(printer, if *all { "ALL " } else { "ANY " }, query);
        }
        ExprKind::DistinctFrom { left, right, negated } => {
            let words = if *negated { " IS NOT DISTINCT FROM " } else { " IS DISTINCT FROM " };
            operation(printer, left, words, &[right], "");
        }
        _ => {}
    }
}

fn case(printer: &mut Printer, operand: Option<&Expr>, branches: &[(Expr, Expr)], otherwise: Option<&Expr>) {
    printer.text("CASE");
    printer.keyed_expr(" ", operand);
    for (when, then) in branches {
        printer.keyed_expr(" WHEN ", Some(when));
        printer.keyed_expr(" THEN ", Some(then));
    }
    printer.keyed_expr(" ELSE ", otherwise);
    printer.text(" END");
}

fn cast(printer: &mut Printer, expr: &Expr, data_type: &DataType, style: Option<&Expr>, try_: bool) {
    printer.text(if try_ { "TRY_CONVERT(" } else { "CONVERT(" });
    definition::type_name(printer, data_type);
    printer.keyed_expr(", ", Some(expr));
    printer.keyed_expr(", ", style);
    printer.text(")");
}

fn parse(printer: &mut Printer, expr: &Expr, data_type: &DataType, culture: Option<&Expr>, try_: bool) {
    printer.text(if try_ { "TRY_PARSE(" } else { "PARSE(" });
    printer.keyed_expr("", Some(expr));
    printer.text(" AS ");
    definition::type_name(printer, data_type);
    printer.keyed_expr(" USING ", culture);
    printer.text(")");
}

pub(super) fn function(printer: &mut Printer, call: &FunctionCall) {
    let name = &call.name;
    let bare = matches!(name.parts.as_slice(), [part] if is_bare_call(part, &call.args));
    match name.parts.as_slice() {
        [niladic] if call.args.is_empty() && !call.star && is_niladic(niladic) => {
            return printer.text(&niladic.to_uppercase());
        }
        [operator] if operator == "AT TIME ZONE" => {
            if let [value, zone] = call.args.as_slice() {
                return operation(printer, value, " AT TIME ZONE ", &[zone], "");
            }
        }
        [part] if bare => printer.text(part),
        _ => printer.name(name),
    }
    printer.text(if call.star { "(*" } else { "(" });
    printer.text(if call.distinct { "DISTINCT " } else { "" });
    let separator = if bare && name.parts[0].eq_ignore_ascii_case("trim") { " FROM " } else { ", " };
    match &call.json {
        Some(json) => json_arguments(printer, call, json),
        None => printer.list(&call.args, separator, expr),
    }
    printer.text(")");
    if !call.within_group.is_empty() {
        printer.text(" WITHIN GROUP (");
        order_by(printer, &call.within_group);
        printer.text(")");
    }
    printer.text(if call.ignore_nulls { " IGNORE NULLS" } else { "" });
    if let Some(over) = &call.over {
        over_clause(printer, over);
    }
}

/// Names with their values, or values, and the clauses after them.
fn json_arguments(printer: &mut Printer, call: &FunctionCall, json: &JsonClauses) {
    if json.has_names {
        let pairs: Vec<&[Expr]> = call.args.chunks(2).collect();
        printer.list(&pairs, ", ", |printer, pair| {
            expr(printer, &pair[0]);
            printer.text(": ");
            pair.get(1).into_iter().for_each(|value| expr(printer, value));
        });
    } else {
        printer.list(&call.args, ", ", expr);
    }
    if !json.order_by.is_empty() {
        printer.text(" ");
        order_by(printer, &json.order_by);
    }
    match json.keeps_null {
        Some(true) => printer.text(" NULL ON NULL"),
        Some(false) => printer.text(" ABSENT ON NULL"),
        None => {}
    }
}

fn over_clause(printer: &mut Printer, over: &Over) {
    printer.text(" OVER ");
    window(printer, over);
}

/// `(…)`
pub(super) fn window(printer: &mut Printer, over: &Over) {
    let mut parts = Printer { out: String::new(), indent: 0, lines: false };
    if let Some(base) = &over.base {
        parts.ident(base);
    }
    if !over.partition_by.is_empty() {
        parts.text(" PARTITION BY ");
        parts.exprs(&over.partition_by);
    }
    if !over.order_by.is_empty() {
        parts.text(" ");
        order_by(&mut parts, &over.order_by);
    }
    if let Some(frame) = &over.frame {
        frame_clause(&mut parts, *frame);
    }
    let _ = write!(printer.out, "({})", parts.out.trim_start());
}

fn frame_clause(printer: &mut Printer, frame: Frame) {
    printer.text(if frame.range { " RANGE BETWEEN " } else { " ROWS BETWEEN " });
    frame_bound(printer, frame.start);
    printer.text(" AND ");
    frame_bound(printer, frame.end);
}

fn frame_bound(printer: &mut Printer, bound: FrameBound) {
    let _ = match bound {
        FrameBound::UnboundedPreceding => write!(printer.out, "UNBOUNDED PRECEDING"),
        FrameBound::Preceding(rows) => write!(printer.out, "{rows} PRECEDING"),
        FrameBound::CurrentRow => write!(printer.out, "CURRENT ROW"),
        FrameBound::Following(rows) => write!(printer.out, "{rows} FOLLOWING"),
        FrameBound::UnboundedFollowing => write!(printer.out, "UNBOUNDED FOLLOWING"),
    };
}

pub(super) fn literal(printer: &mut Printer, literal: &Literal) {
    match literal {
        Literal::Null => printer.text("NULL"),
        Literal::Integer(text) | Literal::Decimal(text) | Literal::Float(text) => printer.text(text),
        Literal::Money(text) => {
            let _ = write!(printer.out, "${text}");
        }
        Literal::String(text) => printer.string(text),
        Literal::NationalString(text) => {
            printer.text("N");
            printer.string(text);
        }
        Literal::OdbcDateTime(kind, text) => {
            let _ = write!(printer.out, "{{{} ", kind.word());
            printer.string(text);
            printer.text("}");
        }
        Literal::Binary(bytes) => {
            printer.text("0x");
            bytes.iter().for_each(|byte| {
                let _ = write!(printer.out, "{byte:02X}");
            });
        }
    }
}

/// Functions that are called without parentheses.
fn is_niladic(name: &str) -> bool {
    ["current_timestamp", "current_user", "session_user", "system_user", "user", "current_date", "current_time"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether the call reads back as the same call when its name stands without brackets.
fn is_bare_call(name: &str, args: &[Expr]) -> bool {
    let is_one_of = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is_one_of(&["iif"]) {
        return args.first().is_some_and(is_condition);
    }
    if is_one_of(&["cast", "try_cast", "parse", "try_parse"]) || !is_plain_word(name) {
        return false;
    }
    let callable = ["coalesce", "nullif", "left", "right", "identity", "contains", "freetext", "tsequal", "update"];
    Keyword::of(name).is_none() || is_one_of(&callable)
}

fn is_condition(expr: &Expr) -> bool {
    use BinaryOp::{And, Eq, Gt, GtEq, Lt, LtEq, NotEq, Or};
    match &expr.kind {
        ExprKind::Binary(op, ..) => matches!(op, And | Or | Eq | NotEq | Lt | LtEq | Gt | GtEq),
        ExprKind::Unary(op, _) => *op == UnaryOp::Not,
        kind => matches!(
            kind,
            ExprKind::IsNull { .. }
                | ExprKind::Between { .. }
                | ExprKind::InList { .. }
                | ExprKind::InQuery { .. }
                | ExprKind::Exists(_)
                | ExprKind::Like { .. }
                | ExprKind::Quantified { .. }
                | ExprKind::DistinctFrom { .. }
                | ExprKind::Function(_)
        ),
    }
}

fn is_plain_word(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn unary_sign(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Minus => "-",
        UnaryOp::Plus => "+",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "NOT ",
    }
}

fn binary_sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => " + ",
        BinaryOp::Subtract => " - ",
        BinaryOp::Multiply => " * ",
        BinaryOp::Divide => " / ",
        BinaryOp::Modulo => " % ",
        BinaryOp::BitAnd => " & ",
        BinaryOp::BitOr => " | ",
        BinaryOp::Concat => " || ",
        BinaryOp::BitXor => " ^ ",
        BinaryOp::Eq => " = ",
        BinaryOp::NotEq => " <> ",
        BinaryOp::Lt => " < ",
        BinaryOp::LtEq => " <= ",
        BinaryOp::Gt => " > ",
        BinaryOp::GtEq => " >= ",
        BinaryOp::And => " AND ",
        BinaryOp::Or => " OR ",
    }
}

pub(super) fn order_by(printer: &mut Printer, items: &[OrderItem]) {
    printer.text("ORDER BY ");
    printer.list(items, ", ", |printer, item| {
        printer.expr(&item.expr);
        printer.text(if item.descending { " DESC" } else { "" });
    });
}
