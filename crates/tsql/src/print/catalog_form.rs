//! Expressions as the catalog of SQL Server shows them: `([a]>=(5) AND [b] like 'x%')`. Tools compare what they would
//! define with this text (Alembic, Entity Framework, sqlpackage), so it is SQL Server's to the letter: numbers in
//! parentheses, no spaces around operators, functions in lower case, BETWEEN, IN and CAST as what they stand for, and of
//! the parentheses of the statement those alone that the tree needs, or that lead within operators of one rank.
//!
//! What is shown means the same as what was written. Forms that no constraint, index or computed column has beside rare
//! ones (queries, windows) are printed as [`super::expression()`] prints them.

use std::fmt::Write;

use millpond_types::{MaxLen, SqlType};

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
    Sum,
    Product,
    Sign,
    Primary,
}

struct Writer {
    out: String,
    form: CatalogForm,
}

impl Writer {
    fn expr(&mut self, tree: &Expr) {
        match &tree.kind {
            ExprKind::Literal(value) => self.literal(value, ""),
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::IsNull { expr, negated } => {
                self.within(expr, Rank::Sum);
                self.out.push_str(if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            ExprKind::Between { expr, low, high, negated: false } => {
                self.comparison(expr, ">=", low);
                self.out.push_str(" AND ");
                self.comparison(expr, "<=", high);
            }
            ExprKind::Between { expr, low, high, negated: true } => {
                self.comparison(expr, "<", low);
                self.out.push_str(" OR ");
                self.comparison(expr, ">", high);
            }
            ExprKind::InList { expr, list, negated: false } if self.form == CatalogForm::Filter => {
                self.within(expr, Rank::Sum);
                self.out.push_str(" IN (");
                self.list(list, ", ");
                self.out.push(')');
            }
            ExprKind::InList { expr, list, negated } => {
                let (sign, between) = if *negated { ("<>", " AND ") } else { ("=", " OR ") };
                // From the last to the first, as SQL Server makes of them.
                for (i, value) in list.iter().rev().enumerate() {
                    self.out.push_str(if i > 0 { between } else { "" });
                    self.comparison(expr, sign, value);
                }
            }
            ExprKind::Like { expr, pattern, escape, negated } => {
                self.out.push_str(if *negated { "NOT " } else { "" });
                self.within(expr, Rank::Sum);
                self.out.push_str(" like ");
                self.within(pattern, Rank::Sum);
                if let Some(escape) = escape {
                    self.out.push_str(" escape ");
                    self.within(escape, Rank::Sum);
                }
            }
            ExprKind::Case { operand, branches, otherwise } => {
                self.case(operand.as_deref(), branches, otherwise.as_deref());
            }
            ExprKind::Cast { expr, data_type, style, try_ } => self.cast(expr, data_type, style.as_deref(), *try_),
            ExprKind::Collate(inner, collation) => {
                self.within(inner, Rank::Sign);
                let _ = write!(self.out, " collate {collation}");
            }
            ExprKind::Function(call) if is_plain(call) => self.function(call),
            _ => {
                let mut printer = Printer { out: String::new(), indent: 0, lines: false };
                expression::expr(&mut printer, tree);
                self.out.push_str(&printer.out);
            }
        }
    }

    /// An operand, in parentheses where it is not at least so tight.
    fn within(&mut self, tree: &Expr, least: Rank) {
        if rank(tree, self.form) < least {
            self.out.push('(');
            self.expr(tree);
            self.out.push(')');
        } else {
            self.expr(tree);
        }
    }

    fn comparison(&mut self, left: &Expr, sign: &str, right: &Expr) {
        self.within(left, Rank::Sum);
        self.out.push_str(sign);
        self.within(right, Rank::Sum);
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
                let tighter = if rank_of(op) == Rank::Sum { Rank::Product } else { Rank::Sign };
                self.within(left, tighter);
                self.out.push_str(sign);
                self.within(right, tighter);
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr) {
        let sign = match op {
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => {
                self.out.push_str("NOT ");
                return self.within(inner, Rank::Comparison);
            }
        };
        match &inner.kind {
            ExprKind::Literal(value) if op != UnaryOp::BitNot && is_number(value) => {
                self.literal(value, if op == UnaryOp::Minus { "-" } else { "" });
            }
            _ => {
                self.out.push_str(sign);
                self.within(inner, Rank::Primary);
            }
        }
    }

    fn literal(&mut self, value: &Literal, sign: &str) {
        let mut printer = Printer { out: String::new(), indent: 0, lines: false };
        expression::literal(&mut printer, value);
        let text = printer.out;
        let _ = match value {
            Literal::Binary(_) => write!(self.out, "({})", text.to_lowercase()),
            _ if is_number(value) => write!(self.out, "({sign}{text})"),
            _ => write!(self.out, "{text}"),
        };
    }

    fn case(&mut self, operand: Option<&Expr>, branches: &[(Expr, Expr)], otherwise: Option<&Expr>) {
        self.out.push_str("case");
        let parts = branches.iter().flat_map(|(when, then)| [(" when ", when), (" then ", then)]);
        let parts = operand.map(|operand| (" ", operand)).into_iter().chain(parts);
        for (word, tree) in parts.chain(otherwise.map(|otherwise| (" else ", otherwise))) {
            self.out.push_str(word);
            self.expr(tree);
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
                    ("session_user", []) => return self.out.push_str("session_user"),
                    ("iif", [condition, then, otherwise]) => {
                        let branch = (condition.clone(), then.clone());
                        return self.case(None, &[branch], Some(otherwise));
                    }
                    _ => self.out.push_str(&name),
                }
                self.out.push('(');
                for (i, argument) in call.args.iter().enumerate() {
                    self.out.push_str(if i > 0 { "," } else { "" });
                    match &argument.kind {
                        // A part of a date is no column.
                        ExprKind::Column(part) if i == 0 && takes_date_part(&name) && part.parts.len() == 1 => {
                            self.out.push_str(&part.parts[0].to_lowercase());
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
    let is_word = |name: &Ident| !name.contains(' ') && !name.eq_ignore_ascii_case("trim");
    !has_clauses && call.name.parts.iter().all(is_word)
}

fn takes_date_part(function: &str) -> bool {
    matches!(function, "dateadd" | "datediff" | "datediff_big" | "datename" | "datepart" | "datetrunc" | "date_bucket")
}

fn is_number(value: &Literal) -> bool {
    matches!(value, Literal::Integer(_) | Literal::Decimal(_) | Literal::Float(_) | Literal::Money(_))
}

/// The rank of the text that is written for it.
fn rank(tree: &Expr, form: CatalogForm) -> Rank {
    match &tree.kind {
        ExprKind::Binary(op, ..) => rank_of(*op),
        ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Like { negated: true, .. } => Rank::Not,
        ExprKind::Unary(op, inner) => match &inner.kind {
            ExprKind::Literal(value) if *op != UnaryOp::BitNot && is_number(value) => Rank::Primary,
            _ => Rank::Sign,
        },
        ExprKind::Between { negated, .. } => {
            if *negated {
                Rank::Or
            } else {
                Rank::And
            }
        }
        ExprKind::InList { list, negated, .. } if *negated || form == CatalogForm::Definition => match list.len() {
            1 => Rank::Comparison,
            _ if *negated => Rank::And,
            _ => Rank::Or,
        },
        ExprKind::IsNull { .. }
        | ExprKind::InList { .. }
        | ExprKind::InQuery { .. }
        | ExprKind::Like { .. }
        | ExprKind::Quantified { .. }
        | ExprKind::DistinctFrom { .. } => Rank::Comparison,
        ExprKind::Collate(..) => Rank::Sign,
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
            ("0xAB", "((0xab))"),
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
            ("dbo.f(a, 1)", "([dbo].[f]([a],(1)))"),
            ("-a", "(-[a])"),
            ("a collate Latin1_General_BIN", "([a] collate Latin1_General_BIN)"),
        ];
        for (written, expected) in cases {
            assert_eq!(defined(written), expected, "{written}");
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
            ("a not in (1, 2)", "([a]<>(2) AND [a]<>(1))"),
            ("a not like '%x' and b is not null", "(NOT [a] like '%x' AND [b] IS NOT NULL)"),
            ("not (a = 1 or b = 2)", "(NOT ([a]=(1) OR [b]=(2)))"),
            ("(a = 1 or b = 2) and c = 3", "(([a]=(1) OR [b]=(2)) AND [c]=(3))"),
            ("a = 1 or (b = 2 and c = 3)", "([a]=(1) OR [b]=(2) AND [c]=(3))"),
            ("a = 1 and (b = 2 and c = 3)", "([a]=(1) AND ([b]=(2) AND [c]=(3)))"),
            ("a + 1 > b", "([a]+(1)>[b])"),
            ("datalength(a) != 5", "(datalength([a])<>(5))"),
        ];
        for (written, expected) in cases {
            assert_eq!(defined(written), expected, "{written}");
        }
        assert_eq!(shown("a in (1, 2) and b >= 5", CatalogForm::Filter), "([a] IN ((1), (2)) AND [b]>=(5))");
    }

    #[test]
    fn what_is_shown_is_shown_the_same_once_more() {
        for text in ["a + b + c", "a between 1 and 2 or b in (1, 2)", "not a like 'x'", "-(-a)", "a - (b - c)", "-1"] {
            assert_eq!(defined(&defined(text)), defined(text), "{text}");
        }
    }
}
