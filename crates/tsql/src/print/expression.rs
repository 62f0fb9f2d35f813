//! Expressions.

use std::fmt::Write;

use super::Printer;
use crate::ast::{BinaryOp, DataType, Expr, ExprKind, Frame, FrameBound, FunctionCall, Literal, Over, Query, UnaryOp};
use crate::keyword::Keyword;

/// Expressions.
impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Variable(name) => self.text(name),
            ExprKind::Column(name) => self.column_name(name),
            ExprKind::Default => self.text("DEFAULT"),
            ExprKind::Unary(op, operand) => {
                self.text(unary_sign(*op));
                self.operand(operand);
            }
            ExprKind::Binary(op, left, right) => self.operation(left, binary_sign(*op), &[right], ""),
            ExprKind::Collate(operand, collation) => {
                self.operand(operand);
                let _ = write!(self.out, " COLLATE {collation}");
            }
            ExprKind::Subquery(query) => self.enclosed_query("", query),
            ExprKind::Exists(query) => self.enclosed_query("EXISTS ", query),
            ExprKind::Function(call) => self.function(call),
            ExprKind::Case { operand, branches, otherwise } => {
                self.case(operand.as_deref(), branches, otherwise.as_deref());
            }
            ExprKind::Cast { expr, data_type, style, try_ } => {
                self.cast(expr, data_type, style.as_deref(), *try_);
            }
            ExprKind::Method { target, method, args } => {
                self.operand(target);
                self.text(".");
                self.ident(method);
                self.text("(");
                self.exprs(args);
                self.text(")");
            }
            ExprKind::NextValue { sequence, over } => {
                self.text("NEXT VALUE FOR ");
                self.name(sequence);
                if let Some(over) = over {
                    self.over(over);
                }
            }
            other => self.predicate(other),
        }
    }

    /// An operand in parentheses when it is an operation itself.
    pub(super) fn operand(&mut self, expr: &Expr) {
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
        self.text(if compound { "(" } else { "" });
        self.expr(expr);
        self.text(if compound { ")" } else { "" });
    }

    pub(super) fn operation(&mut self, left: &Expr, sign: &str, rest: &[&Expr], between: &str) {
        self.operand(left);
        self.text(sign);
        self.list(rest, between, |printer, operand| printer.operand(operand));
    }

    pub(super) fn enclosed_query(&mut self, words: &str, query: &Query) {
        self.text(words);
        self.text("(");
        self.query(query);
        self.text(")");
    }

    pub(super) fn predicate(&mut self, kind: &ExprKind) {
        let not = |negated: &bool| if *negated { " NOT" } else { "" };
        match kind {
            ExprKind::IsNull { expr, negated } => {
                self.operand(expr);
                self.text(if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            ExprKind::Between { expr, low, high, negated } => {
                self.operation(expr, &format!("{} BETWEEN ", not(negated)), &[low, high], " AND ");
            }
            ExprKind::InList { expr, list, negated } => {
                self.operand(expr);
                let _ = write!(self.out, "{} IN (", not(negated));
                self.exprs(list);
                self.text(")");
            }
            ExprKind::InQuery { expr, query, negated } => {
                self.operand(expr);
                self.enclosed_query(&format!("{} IN ", not(negated)), query);
            }
            ExprKind::Like { expr, pattern, escape, negated } => {
                self.operation(expr, &format!("{} LIKE ", not(negated)), &[pattern], "");
                if let Some(escape) = escape {
                    self.text(" ESCAPE ");
                    self.operand(escape);
                }
            }
            ExprKind::Quantified { expr, op, all, query } => {
                self.operand(expr);
                self.text(binary_sign(*op));
                self.enclosed_query(if *all { "ALL " } else { "ANY " }, query);
            }
            ExprKind::DistinctFrom { left, right, negated } => {
                let words = if *negated { " IS NOT DISTINCT FROM " } else { " IS DISTINCT FROM " };
                self.operation(left, words, &[right], "");
            }
            _ => {}
        }
    }

    pub(super) fn case(&mut self, operand: Option<&Expr>, branches: &[(Expr, Expr)], otherwise: Option<&Expr>) {
        self.text("CASE");
        self.keyed_expr(" ", operand);
        for (when, then) in branches {
            self.keyed_expr(" WHEN ", Some(when));
            self.keyed_expr(" THEN ", Some(then));
        }
        self.keyed_expr(" ELSE ", otherwise);
        self.text(" END");
    }

    pub(super) fn cast(&mut self, expr: &Expr, data_type: &DataType, style: Option<&Expr>, try_: bool) {
        self.text(if try_ { "TRY_CONVERT(" } else { "CONVERT(" });
        self.data_type(data_type);
        self.keyed_expr(", ", Some(expr));
        self.keyed_expr(", ", style);
        self.text(")");
    }

    pub(super) fn function(&mut self, call: &FunctionCall) {
        let name = &call.name;
        let bare = matches!(name.parts.as_slice(), [part] if is_bare_call(part, &call.args));
        match name.parts.as_slice() {
            [niladic] if call.args.is_empty() && !call.star && is_niladic(niladic) => {
                return self.text(&niladic.to_uppercase());
            }
            [operator] if operator == "AT TIME ZONE" => {
                if let [value, zone] = call.args.as_slice() {
                    return self.operation(value, " AT TIME ZONE ", &[zone], "");
                }
            }
            [part] if bare => self.text(part),
            _ => self.name(name),
        }
        self.text(if call.star { "(*" } else { "(" });
        self.text(if call.distinct { "DISTINCT " } else { "" });
        let separator = if bare && name.parts[0].eq_ignore_ascii_case("trim") { " FROM " } else { ", " };
        self.list(&call.args, separator, Self::expr);
        self.text(")");
        if !call.within_group.is_empty() {
            self.text(" WITHIN GROUP (");
            self.order_by(&call.within_group);
            self.text(")");
        }
        self.text(if call.ignore_nulls { " IGNORE NULLS" } else { "" });
        if let Some(over) = &call.over {
            self.over(over);
        }
    }

    pub(super) fn over(&mut self, over: &Over) {
        self.text(" OVER ");
        self.window(over);
    }

    /// `(…)`
    pub(super) fn window(&mut self, over: &Over) {
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
            parts.order_by(&over.order_by);
        }
        if let Some(frame) = &over.frame {
            parts.frame(*frame);
        }
        let _ = write!(self.out, "({})", parts.out.trim_start());
    }

    fn frame(&mut self, frame: Frame) {
        self.text(if frame.range { " RANGE BETWEEN " } else { " ROWS BETWEEN " });
        self.frame_bound(frame.start);
        self.text(" AND ");
        self.frame_bound(frame.end);
    }

    fn frame_bound(&mut self, bound: FrameBound) {
        let _ = match bound {
            FrameBound::UnboundedPreceding => write!(self.out, "UNBOUNDED PRECEDING"),
            FrameBound::Preceding(rows) => write!(self.out, "{rows} PRECEDING"),
            FrameBound::CurrentRow => write!(self.out, "CURRENT ROW"),
            FrameBound::Following(rows) => write!(self.out, "{rows} FOLLOWING"),
            FrameBound::UnboundedFollowing => write!(self.out, "UNBOUNDED FOLLOWING"),
        };
    }

    pub(super) fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Null => self.text("NULL"),
            Literal::Integer(text) | Literal::Decimal(text) | Literal::Float(text) => self.text(text),
            Literal::Money(text) => {
                let _ = write!(self.out, "${text}");
            }
            Literal::String(text) => self.string(text),
            Literal::NationalString(text) => {
                self.text("N");
                self.string(text);
            }
            Literal::Moment(kind, text) => {
                let _ = write!(self.out, "{{{} ", kind.word());
                self.string(text);
                self.text("}");
            }
            Literal::Binary(bytes) => {
                self.text("0x");
                bytes.iter().for_each(|byte| {
                    let _ = write!(self.out, "{byte:02X}");
                });
            }
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
