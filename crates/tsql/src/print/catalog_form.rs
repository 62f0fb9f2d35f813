//! Expressions as the catalog of SQL Server shows them: `([a]>=(5) AND [b] like 'x%')`. Tools compare what they would
//! define with this text (Alembic, Entity Framework, sqlpackage), so it is SQL Server's to the letter: numbers in
//! parentheses, no spaces around operators, functions in lower case, BETWEEN, IN and CAST as what they stand for. Of the
//! parentheses of the statement those alone are there that the tree needs, but for operands that are sums or have a sign,
//! which have them always.
//!
//! What is shown means the same as what was written, also when it is read again: a sign has the product after it
//! (`-a*b` is `-(a*b)`), and two of them never meet, which would begin a comment. Forms that no constraint, index or computed column has beside rare
//! ones (queries, windows) are printed as [`super::expression()`] prints them.

use std::fmt::Write;

use millpond_types::temporal::DatePart;
use millpond_types::{CastRules, CodePage, MaxLen, SqlType, Value, cast};

use crate::ast::{BinaryOp, DataType, Expr, ExprKind, FunctionCall, Ident, Literal, UnaryOp};
use crate::print::{Printer, bracketed, expression};

/// Of what the expression is; the text of a filter keeps IN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogForm {
    /// Of a constraint or a computed column.
    Definition,
    /// Of an index or of statistics.
    Filter,
}

/// The expression with the parentheses that the catalog has around each.
pub fn catalog_form(tree: &Expr, form: CatalogForm) -> String {
    let mut writer = Writer { out: "(".to_owned(), form };
    writer.expr(tree);
    writer.out.push(')');
    writer.out
}

/// How tightly an expression holds together; the tighter, the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Or,
    And,
    Not,
    Comparison,
    /// With what has a sign.
    Sum,
    Product,
    Primary,
}

/// Digits that an `int` is written with at most.
const INT_CHARACTERS_MAX: usize = 10;

struct Writer {
    out: String,
    form: CatalogForm,
}

impl Writer {
    fn expr(&mut self, tree: &Expr) {
        if let Some((value, is_negative)) = number_of(tree) {
            return self.number(value, is_negative);
        }
        let tree = signless(tree);
        match &tree.kind {
            ExprKind::Literal(value) => self.as_printed(|printer| expression::literal(printer, value)),
            ExprKind::Variable(name) if name.starts_with("@@") => self.out.push_str(&name.to_lowercase()),
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::IsNull { expr, negated } => {
                self.within(expr, Rank::Product);
                self.out.push_str(if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            ExprKind::Between { expr, low, high, negated } => {
                self.out.push_str(if *negated { "NOT (" } else { "" });
                self.comparison(expr, ">=", low);
                self.out.push_str(" AND ");
                self.comparison(expr, "<=", high);
                self.out.push_str(if *negated { ")" } else { "" });
            }
            ExprKind::InList { expr, list, negated: false } if self.form == CatalogForm::Filter => {
                self.within(expr, Rank::Sum);
                self.out.push_str(" IN (");
                self.list(list, ", ");
                self.out.push(')');
            }
            ExprKind::InList { expr, list, negated } => {
                let encloses = *negated && list.len() > 1;
                self.out.push_str(if *negated { "NOT " } else { "" });
                self.out.push_str(if encloses { "(" } else { "" });
                // From the last to the first, as SQL Server makes of them.
                for (i, value) in list.iter().rev().enumerate() {
                    self.out.push_str(if i > 0 { " OR " } else { "" });
                    self.comparison(expr, "=", value);
                }
                self.out.push_str(if encloses { ")" } else { "" });
            }
            ExprKind::DistinctFrom { left, right, negated } => {
                self.comparison(left, if *negated { " IS NOT DISTINCT FROM " } else { " IS DISTINCT FROM " }, right);
            }
            ExprKind::Like { expr, pattern, escape, negated } => {
                self.out.push_str(if *negated { "NOT " } else { "" });
                self.within(expr, Rank::Sum);
                self.out.push_str(" like ");
                self.within(pattern, Rank::Sum);
                if let Some(escape) = escape {
                    self.out.push_str(" escape ");
                    self.within(escape, Rank::Sum);
                    self.out.push(' ');
                }
            }
            ExprKind::Case { operand, branches, otherwise } => {
                self.case(operand.as_deref(), branches, otherwise.as_deref());
            }
            ExprKind::Cast { expr, data_type, style, try_ } => self.cast(expr, data_type, style.as_deref(), *try_),
            ExprKind::Collate(inner, collation) => {
                self.enclosed(inner);
                let _ = write!(self.out, " collate {collation}");
            }
            ExprKind::Function(call) if is_plain(call) => self.function(call),
            ExprKind::Function(call) if is_json(call) => self.json(call),
            _ => self.as_printed(|printer| expression::expr(printer, tree)),
        }
    }

    /// As other texts have it.
    fn as_printed(&mut self, print: impl FnOnce(&mut Printer)) {
        let mut printer = Printer { out: String::new(), indent: 0, lines: false };
        print(&mut printer);
        self.out.push_str(&printer.out);
    }

    /// An operand, in parentheses where it is not at least so tight.
    fn within(&mut self, tree: &Expr, least: Rank) {
        if rank(tree, self.form) < least { self.enclosed(tree) } else { self.expr(tree) }
    }

    fn enclosed(&mut self, tree: &Expr) {
        self.out.push('(');
        self.expr(tree);
        self.out.push(')');
    }

    fn comparison(&mut self, left: &Expr, sign: &str, right: &Expr) {
        self.within(left, Rank::Product);
        self.out.push_str(sign);
        self.within(right, Rank::Product);
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let sign = sign(op);
        match op {
            // A chain to the left has no parentheses, one to the right has.
            BinaryOp::And => {
                self.within(left, Rank::And);
                self.out.push_str(sign);
                self.within(right, Rank::Not);
            }
            BinaryOp::Or => {
                self.within(left, Rank::Or);
                self.out.push_str(sign);
                self.within(right, Rank::And);
            }
            _ if rank_of(op) == Rank::Comparison => self.comparison(left, sign, right),
            // Of operators of one rank the first has parentheses too: ([a]+[b])+[c].
            _ => {
                let tighter = if rank_of(op) == Rank::Sum { Rank::Product } else { Rank::Primary };
                self.within(left, tighter);
                self.out.push_str(sign);
                self.within(right, tighter);
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr) {
        match op {
            UnaryOp::Not => {
                self.out.push_str("NOT ");
                self.within(inner, Rank::Not);
            }
            // A space before the sign, so that no two of them meet.
            UnaryOp::Minus => {
                self.out.push_str(" -");
                self.within(inner, Rank::Primary);
            }
            // Signs that change nothing are left out above.
            UnaryOp::Plus | UnaryOp::BitNot => {
                self.out.push('~');
                self.within(inner, Rank::Primary);
            }
        }
    }

    fn number(&mut self, value: &Literal, is_negative: bool) {
        let text = match value {
            Literal::Integer(digits) => integer(digits, is_negative),
            Literal::Decimal(text) => signed(is_negative, &decimal(text)),
            Literal::Float(text) => float(text, is_negative),
            Literal::Money(text) => money(text, is_negative),
            _ => return,
        };
        let _ = write!(self.out, "({text})");
    }

    fn case(&mut self, operand: Option<&Expr>, branches: &[(Expr, Expr)], otherwise: Option<&Expr>) {
        self.out.push_str("case ");
        if let Some(operand) = operand {
            self.expr(operand);
            self.out.push(' ');
        }
        for (when, then) in branches {
            self.out.push_str("when ");
            self.expr(when);
            self.out.push_str(" then ");
            self.expr(then);
            self.out.push(' ');
        }
        // Nothing stands between two spaces where there is no ELSE.
        if let Some(otherwise) = otherwise {
            self.out.push_str("else ");
            self.expr(otherwise);
        }
        self.out.push_str(" end");
    }

    fn cast(&mut self, tree: &Expr, data_type: &DataType, style: Option<&Expr>, try_: bool) {
        if try_ && style.is_none() {
            self.out.push_str("TRY_CAST(");
            self.expr(tree);
            let _ = write!(self.out, " AS {})", type_name(data_type));
            return;
        }
        let _ = write!(self.out, "{}({},", if try_ { "TRY_CONVERT" } else { "CONVERT" }, type_name(data_type));
        self.expr(tree);
        if let Some(style) = style {
            self.out.push(',');
            self.expr(style);
        }
        self.out.push(')');
    }

    fn function(&mut self, call: &FunctionCall) {
        match call.name.parts.as_slice() {
            [name] => {
                let name = name.to_lowercase();
                match (name.as_str(), call.args.as_slice()) {
                    ("current_timestamp", []) => return self.out.push_str("getdate()"),
                    ("current_user" | "user", []) => return self.out.push_str("user_name()"),
                    ("system_user", []) => return self.out.push_str("suser_sname()"),
                    ("session_user" | "current_date" | "current_time", []) => return self.out.push_str(&name),
                    ("iif", [condition, then, otherwise]) => {
                        let branch = (condition.clone(), then.clone());
                        return self.case(None, &[branch], Some(otherwise));
                    }
                    ("year" | "month" | "day", [date]) => {
                        let _ = write!(self.out, "datepart({name},");
                        self.expr(date);
                        return self.out.push(')');
                    }
                    ("at time zone", [value, zone]) => {
                        self.out.push('(');
                        self.within(value, Rank::Primary);
                        self.out.push_str(" AT TIME ZONE ");
                        self.within(zone, Rank::Primary);
                        return self.out.push(')');
                    }
                    ("trim", [characters, text]) => {
                        self.out.push_str("Trim(");
                        self.expr(characters);
                        self.out.push_str(" FROM ");
                        self.expr(text);
                        return self.out.push(')');
                    }
                    // So they stand in SQL Server's list of functions.
                    ("trim", _) => self.out.push_str("Trim"),
                    ("compress", _) => self.out.push_str("Compress"),
                    ("date_bucket", _) => self.out.push_str("Date_Bucket"),
                    _ => self.out.push_str(&name),
                }
                self.out.push('(');
                for (i, argument) in call.args.iter().enumerate() {
                    self.out.push_str(if i > 0 { "," } else { "" });
                    match &argument.kind {
                        // A part of a date is no column.
                        ExprKind::Column(part) if i == 0 && takes_date_part(&name) && part.parts.len() == 1 => {
                            let written = part.parts[0].to_lowercase();
                            self.out.push_str(DatePart::by_name(&written).map_or(written.as_str(), |part| part.name()));
                        }
                        _ => self.expr(argument),
                    }
                }
            }
            parts => {
                let parts: Vec<String> = parts.iter().map(|part: &Ident| bracketed(part)).collect();
                self.out.push_str(&parts.join("."));
                self.out.push('(');
                self.list(&call.args, ",");
            }
        }
        self.out.push(')');
    }

    /// Names with their values, or values.
    fn json(&mut self, call: &FunctionCall) {
        let Some(clauses) = &call.json else { return };
        let _ = write!(self.out, "{}(", call.name.parts.concat().to_lowercase());
        for (i, argument) in call.args.iter().enumerate() {
            let is_value = clauses.has_names && i % 2 == 1;
            self.out.push_str(if is_value {
                ":"
            } else if i > 0 {
                ","
            } else {
                ""
            });
            self.expr(argument);
        }
        self.out.push_str(match clauses.keeps_null {
            Some(true) => " NULL ON NULL)",
            Some(false) => " ABSENT ON NULL)",
            None => ")",
        });
    }

    fn list(&mut self, trees: &[Expr], separator: &str) {
        for (i, tree) in trees.iter().enumerate() {
            self.out.push_str(if i > 0 { separator } else { "" });
            self.expr(tree);
        }
    }
}

/// A call of arguments alone, whose name is written as it is.
fn is_plain(call: &FunctionCall) -> bool {
    let has_clauses = call.star
        || call.distinct
        || call.ignore_nulls
        || call.over.is_some()
        || call.json.is_some()
        || !call.within_group.is_empty();
    !has_clauses
}

/// A JSON function whose clauses are those that an expression of one row may have.
fn is_json(call: &FunctionCall) -> bool {
    let is_scalar = !call.star && !call.distinct && call.over.is_none() && call.within_group.is_empty();
    is_scalar && call.name.parts.len() == 1 && call.json.as_ref().is_some_and(|json| json.order_by.is_empty())
}

/// Without signs that change nothing.
fn signless(mut tree: &Expr) -> &Expr {
    while let ExprKind::Unary(UnaryOp::Plus, inner) = &tree.kind {
        tree = inner;
    }
    tree
}

/// A number with its signs, as one.
fn number_of(tree: &Expr) -> Option<(&Literal, bool)> {
    match &tree.kind {
        ExprKind::Literal(value) if is_number(value) => Some((value, false)),
        ExprKind::Unary(UnaryOp::Plus, inner) => number_of(inner),
        ExprKind::Unary(UnaryOp::Minus, inner) => {
            let (value, is_negative) = number_of(inner)?;
            // The opposite of the smallest int is none.
            let is_smallest = |digits: &str| digits.parse() == Ok(1_u64 << 31);
            let is_lost = is_negative && matches!(value, Literal::Integer(digits) if is_smallest(digits));
            (!is_lost).then_some((value, !is_negative))
        }
        _ => None,
    }
}

fn signed(is_negative: bool, text: &str) -> String {
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    format!("{}{text}", if is_negative && !is_zero { "-" } else { "" })
}

/// Digits; those that are no `int` are a `numeric`, which a point says.
fn integer(digits: &str, is_negative: bool) -> String {
    let text = decimal(digits);
    let signed = signed(is_negative, &text);
    if digits.len() <= INT_CHARACTERS_MAX && signed.parse::<i32>().is_ok() { signed } else { signed + "." }
}

/// A number with one digit before its point at least, and none too many.
fn decimal(text: &str) -> String {
    let digits = text.trim_start_matches('0');
    let zero = if digits.is_empty() || digits.starts_with('.') { "0" } else { "" };
    format!("{zero}{digits}")
}

/// `1.5000000000000000e-003`
fn float(text: &str, is_negative: bool) -> String {
    let Ok(value) = text.parse::<f64>() else { return signed(is_negative, text) };
    let written = format!("{:.16e}", if is_negative { -value } else { value });
    match written.split_once('e').and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?))) {
        Some((digits, exponent)) => format!("{digits}e{}{:03}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
        None => written,
    }
}

/// `$-5.0000`
fn money(text: &str, is_negative: bool) -> String {
    let from = SqlType::varchar_of(MaxLen::Max).in_page(CodePage::default());
    match cast::cast(&Value::str(text), &from, &SqlType::Money, None, CastRules::DEFAULT) {
        Ok(Value::Money(units)) => {
            let is_below = units != 0 && (units < 0) != is_negative;
            let units = units.unsigned_abs();
            format!("${}{}.{:04}", if is_below { "-" } else { "" }, units / 10_000, units % 10_000)
        }
        _ => format!("{}${text}", if is_negative { "-" } else { "" }),
    }
}

fn takes_date_part(function: &str) -> bool {
    matches!(function, "dateadd" | "datediff" | "datediff_big" | "datename" | "datepart" | "datetrunc" | "date_bucket")
}

fn is_number(value: &Literal) -> bool {
    matches!(value, Literal::Integer(_) | Literal::Decimal(_) | Literal::Float(_) | Literal::Money(_))
}

/// The rank of the text that is written for it.
fn rank(tree: &Expr, form: CatalogForm) -> Rank {
    match &signless(tree).kind {
        ExprKind::Binary(op, ..) => rank_of(*op),
        ExprKind::Unary(UnaryOp::Not, _)
        | ExprKind::Like { negated: true, .. }
        | ExprKind::Between { negated: true, .. }
        | ExprKind::InList { negated: true, .. } => Rank::Not,
        ExprKind::Unary(UnaryOp::Minus, _) if number_of(tree).is_some() => Rank::Primary,
        ExprKind::Unary(UnaryOp::Minus, _) => Rank::Sum,
        ExprKind::Between { .. } => Rank::And,
        ExprKind::InList { list, .. } if form == CatalogForm::Definition && list.len() > 1 => Rank::Or,
        ExprKind::IsNull { .. }
        | ExprKind::InList { .. }
        | ExprKind::InQuery { .. }
        | ExprKind::Like { .. }
        | ExprKind::Quantified { .. }
        | ExprKind::DistinctFrom { .. } => Rank::Comparison,
        _ => Rank::Primary,
    }
}

fn rank_of(op: BinaryOp) -> Rank {
    match op {
        BinaryOp::Or => Rank::Or,
        BinaryOp::And => Rank::And,
        BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Lt | BinaryOp::LtEq | BinaryOp::Gt | BinaryOp::GtEq => {
            Rank::Comparison
        }
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => Rank::Product,
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Concat => Rank::Sum,
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => " AND ",
        BinaryOp::Or => " OR ",
        BinaryOp::Eq => "=",
        BinaryOp::NotEq => "<>",
        BinaryOp::Lt => "<",
        BinaryOp::LtEq => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::GtEq => ">=",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Concat => "||",
    }
}

/// `[varchar](10)`
fn type_name(data_type: &DataType) -> String {
    let scalar = match data_type {
        DataType::Scalar { sql_type, explicit_length } => (*sql_type, *explicit_length),
        DataType::Named(name) => return name.parts.iter().map(|part| bracketed(part)).collect::<Vec<_>>().join("."),
        DataType::SysName => return "[sysname]".to_owned(),
        DataType::Cursor => return "CURSOR".to_owned(),
    };
    match scalar {
        (SqlType::VarChar { len: MaxLen::Max, .. }, false) => "[text]".to_owned(),
        (SqlType::NVarChar { len: MaxLen::Max }, false) => "[ntext]".to_owned(),
        (SqlType::VarBinary { len: MaxLen::Max }, false) => "[image]".to_owned(),
        (sql_type, false) => bracketed(sql_type.name()),
        (sql_type, true) => {
            let declared = sql_type.declaration();
            match declared.split_once('(') {
                Some((name, rest)) => format!("{}({}", bracketed(name.trim_end()), rest.replace(", ", ",")),
                None => bracketed(&declared),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse_expression};

    fn shown(text: &str, form: CatalogForm) -> String {
        catalog_form(&parse_expression(text, ParseOptions { quoted_identifier: true }).expect(text), form)
    }

    fn defined(text: &str) -> String {
        shown(text, CatalogForm::Definition)
    }

    #[test]
    fn values_are_written_as_sql_server_keeps_them() {
        let cases = [
            ("0", "((0))"),
            ("-1.5", "((-1.5))"),
            ("((getdate()))", "(getdate())"),
            ("CURRENT_TIMESTAMP", "(getdate())"),
            ("N'it''s'", "(N'it''s')"),
            ("null", "(NULL)"),
            ("0xab", "(0xAB)"),
            (".5", "((0.5))"),
            ("1.", "((1.))"),
            ("0002", "((2))"),
            ("- 1", "((-1))"),
            ("-(-1)", "((1))"),
            ("- -(- 3)", "((-3))"),
            ("-0", "((0))"),
            ("2147483648", "((2147483648.))"),
            ("-2147483648", "((-2147483648))"),
            ("- -2147483648", "( -(-2147483648))"),
            ("00000000012", "((12.))"),
            ("1.5e-3", "((1.5000000000000000e-003))"),
            ("-1e+30", "((-1.0000000000000000e+030))"),
            ("$1.123456", "(($1.1235))"),
            ("-$5", "(($-5.0000))"),
            ("-$-5", "(($5.0000))"),
            ("@@SPID", "(@@spid)"),
            ("current_date", "(current_date)"),
            ("id + x * 2", "([id]+[x]*(2))"),
            ("(a + b) * c", "(([a]+[b])*[c])"),
            // As AdventureWorks has them.
            ("ISNULL([SubTotal] + [TaxAmt] + [Freight], 0)", "(isnull(([SubTotal]+[TaxAmt])+[Freight],(0)))"),
            (
                "isnull([UnitPrice] * (1.0 - [UnitPriceDiscount]) * [OrderQty], 0.0)",
                "(isnull(([UnitPrice]*((1.0)-[UnitPriceDiscount]))*[OrderQty],(0.0)))",
            ),
            (
                "ISNULL(N'SO' + CONVERT(nvarchar(23), [SalesOrderID]), N'*** ERROR ***')",
                "(isnull(N'SO'+CONVERT([nvarchar](23),[SalesOrderID]),N'*** ERROR ***'))",
            ),
            ("cast(a as decimal(9, 2))", "(CONVERT([decimal](9,2),[a]))"),
            ("convert(varchar(10), d, 112)", "(CONVERT([varchar](10),[d],(112)))"),
            ("try_cast(a as int)", "(TRY_CAST([a] AS [int]))"),
            ("case when a > 1 then 'x' else 'y' end", "(case when [a]>(1) then 'x' else 'y' end)"),
            ("iif(a > 1, 2, 3)", "(case when [a]>(1) then (2) else (3) end)"),
            ("case a when 1 then 'x' end", "(case [a] when (1) then 'x'  end)"),
            ("dbo.f(a, 1)", "([dbo].[f]([a],(1)))"),
            ("a collate Latin1_General_BIN", "(([a]) collate Latin1_General_BIN)"),
            ("a at time zone 'UTC'", "(([a] AT TIME ZONE 'UTC'))"),
            ("Trim('x' from a)", "(Trim('x' FROM [a]))"),
            ("year(d)", "(datepart(year,[d]))"),
            ("datepart(isowk, d)", "(datepart(iso_week,[d]))"),
            ("json_object('a': b, 'c': 1)", "(json_object('a':[b],'c':(1)))"),
            ("json_array(a, 1 null on null)", "(json_array([a],(1) NULL ON NULL))"),
        ];
        for (written, expected) in cases {
            assert_eq!(defined(written), expected, "{written}");
        }
    }

    /// A sign has the product after it; two of them in a row would be a comment.
    #[test]
    fn signs_keep_what_they_had() {
        let cases = [
            ("-a", "( -[a])"),
            ("+a", "([a])"),
            ("-a*b", "( -([a]*[b]))"),
            ("(-a)*b", "(( -[a])*[b])"),
            ("a*-b", "([a]*( -[b]))"),
            ("a*-b*c", "([a]*( -([b]*[c])))"),
            ("+(a+b)*c", "(([a]+[b])*[c])"),
            ("a - -b", "([a]-( -[b]))"),
            ("a - -1", "([a]-(-1))"),
            ("a - (-b)*c", "([a]-( -[b])*[c])"),
            ("- -a", "( -( -[a]))"),
            ("-a+c", "(( -[a])+[c])"),
            ("-(a+c)", "( -([a]+[c]))"),
            ("~a*c", "(~[a]*[c])"),
            ("~(a & 1)", "(~([a]&(1)))"),
            ("~-a", "(~( -[a]))"),
            ("-~a", "( -~[a])"),
            ("abs(-a)", "(abs( -[a]))"),
            ("8 / -2 * 4", "((8)/( -((2)*(4))))"),
        ];
        for (written, expected) in cases {
            assert_eq!(defined(written), expected, "{written}");
            assert_eq!(defined(expected), expected, "{written}");
        }
    }

    #[test]
    fn conditions_are_written_as_sql_server_keeps_them() {
        let cases = [
            ("[Rate] BETWEEN 6.50 AND 200.00", "([Rate]>=(6.50) AND [Rate]<=(200.00))"),
            ("UPPER([Gender]) IN ('M', 'F')", "(upper([Gender])='F' OR upper([Gender])='M')"),
            (
                "[PersonType] IS NULL OR UPPER([PersonType]) IN ('SC', 'VC')",
                "([PersonType] IS NULL OR (upper([PersonType])='VC' OR upper([PersonType])='SC'))",
            ),
            (
                "[BirthDate] BETWEEN '1930-01-01' AND DATEADD(YEAR, -18, GETDATE())",
                "([BirthDate]>='1930-01-01' AND [BirthDate]<=dateadd(year,(-18),getdate()))",
            ),
            ("a not in (1, 2)", "(NOT ([a]=(2) OR [a]=(1)))"),
            ("a not between c and 5", "(NOT ([a]>=[c] AND [a]<=(5)))"),
            ("not (not a=1)", "(NOT NOT [a]=(1))"),
            ("c=1 or a in (1, 2)", "([c]=(1) OR ([a]=(2) OR [a]=(1)))"),
            ("c=1 and a between 1 and 5", "([c]=(1) AND ([a]>=(1) AND [a]<=(5)))"),
            ("a + 1 > c * 2", "(([a]+(1))>[c]*(2))"),
            ("-a = 1", "(( -[a])=(1))"),
            ("a + 1 is null", "(([a]+(1)) IS NULL)"),
            ("b like '%' + e + '%'", "([b] like ('%'+[e])+'%')"),
            (r"b like 'y%' escape '\'", r"([b] like 'y%' escape '\' )"),
            ("b = 'x' collate Latin1_General_BIN", "([b]=('x') collate Latin1_General_BIN)"),
            ("a not like '%x' and b is not null", "(NOT [a] like '%x' AND [b] IS NOT NULL)"),
            ("not (a = 1 or b = 2)", "(NOT ([a]=(1) OR [b]=(2)))"),
            ("(a = 1 or b = 2) and c = 3", "(([a]=(1) OR [b]=(2)) AND [c]=(3))"),
            ("a = 1 or (b = 2 and c = 3)", "([a]=(1) OR [b]=(2) AND [c]=(3))"),
            ("a = 1 and (b = 2 and c = 3)", "([a]=(1) AND ([b]=(2) AND [c]=(3)))"),
            ("datalength(a) != 5", "(datalength([a])<>(5))"),
        ];
        for (written, expected) in cases {
            assert_eq!(defined(written), expected, "{written}");
        }
        assert_eq!(shown("a in (1, 2) and b >= 5", CatalogForm::Filter), "([a] IN ((1), (2)) AND [b]>=(5))");
    }

    #[test]
    fn what_is_shown_is_shown_the_same_once_more() {
        for text in
            ["a + b + c", "a between 1 and 2 or b in (1, 2)", "not a like 'x'", "-(-a)", "a - (b - c)", "-1", "1e5"]
        {
            assert_eq!(defined(&defined(text)), defined(text), "{text}");
        }
    }
}
