//! Precedence against an independent reading: sqlparser's, for the operators on which its T-SQL dialect agrees with
//! SQL Server. It does not on `&`, `|` and `^`, which T-SQL puts on the level of `+`; the golden files have those.

use millpond_tsql::ast::{BinaryOp, Expr, ExprKind, QueryBody, StatementKind, UnaryOp};
use millpond_tsql::{ParseOptions, parse_batch, print};
use proptest::prelude::*;
use sqlparser::ast as theirs;
use sqlparser::dialect::MsSqlDialect;
use sqlparser::parser::Parser;

/// A value with operators and few parentheses.
fn value() -> impl Strategy<Value = String> {
    // A sign alone: it takes the whole product after it in SQL Server, and not in other dialects.
    let atom = prop::sample::select(vec!["a", "b", "1", "2.5", "'x'", "(-a)"]).prop_map(str::to_owned);
    atom.prop_recursive(4, 12, 2, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%"]);
        prop_oneof![
            4 => (inner.clone(), op, inner.clone()).prop_map(|(l, op, r)| format!("{l} {op} {r}")),
            1 => inner.prop_map(|v| format!("({v})")),
        ]
    })
}

/// A condition with few parentheses, so that precedence decides.
fn condition() -> impl Strategy<Value = String> {
    let comparison = prop::sample::select(vec!["=", "<>", "<", "<=", ">", ">=", "LIKE", "NOT LIKE"]);
    let leaf = prop_oneof![
        3 => (value(), comparison, value()).prop_map(|(l, op, r)| format!("{l} {op} {r}")),
        1 => (value(), value(), value()).prop_map(|(v, l, h)| format!("{v} BETWEEN {l} AND {h}")),
        1 => (value(), value(), value()).prop_map(|(v, l, h)| format!("{v} NOT IN ({l}, {h})")),
        1 => value().prop_map(|v| format!("{v} IS NOT NULL")),
    ];
    leaf.prop_recursive(5, 12, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("{l} AND {r}")),
            2 => (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("{l} OR {r}")),
            1 => inner.clone().prop_map(|c| format!("NOT {c}")),
            1 => inner.prop_map(|c| format!("({c})")),
        ]
    })
}

/// Our tree in prefix form.
fn ours(expr: &Expr) -> String {
    let not = |negated: bool| if negated { "not-" } else { "" };
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, operand) => format!("(NOT {})", ours(operand)),
        ExprKind::Unary(UnaryOp::Minus, operand) => format!("(- {})", ours(operand)),
        ExprKind::Binary(op, left, right) => {
            format!("({} {} {})", sign(*op), ours(left), ours(right))
        }
        ExprKind::IsNull { expr, negated } => format!("({}null {})", not(*negated), ours(expr)),
        ExprKind::Like { expr, pattern, negated, .. } => {
            format!("({}like {} {})", not(*negated), ours(expr), ours(pattern))
        }
        ExprKind::Between { expr, low, high, negated } => {
            format!("({}between {} {} {})", not(*negated), ours(expr), ours(low), ours(high))
        }
        ExprKind::InList { expr, list, negated } => {
            let list: Vec<String> = list.iter().map(ours).collect();
            format!("({}in {} {})", not(*negated), ours(expr), list.join(" "))
        }
        ExprKind::Column(name) => name.shown(),
        _ => print::expression(expr),
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::Eq => "=",
        BinaryOp::NotEq => "<>",
        BinaryOp::Lt => "<",
        BinaryOp::LtEq => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::GtEq => ">=",
        BinaryOp::And => "AND",
        BinaryOp::Or => "OR",
        BinaryOp::Concat => "||",
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => "bits",
    }
}

/// Their tree in prefix form.
fn their_form(expr: &theirs::Expr) -> String {
    let not = |negated: bool| if negated { "not-" } else { "" };
    match expr {
        theirs::Expr::Nested(inner) => their_form(inner),
        theirs::Expr::UnaryOp { op, expr } => format!("({op} {})", their_form(expr)),
        theirs::Expr::BinaryOp { left, op, right } => {
            format!("({op} {} {})", their_form(left), their_form(right))
        }
        theirs::Expr::IsNotNull(inner) => format!("(not-null {})", their_form(inner)),
        theirs::Expr::Like { negated, expr, pattern, .. } => {
            format!("({}like {} {})", not(*negated), their_form(expr), their_form(pattern))
        }
        theirs::Expr::Between { expr, negated, low, high } => {
            let parts = [expr, low, high].map(|part| their_form(part));
            format!("({}between {})", not(*negated), parts.join(" "))
        }
        theirs::Expr::InList { expr, list, negated } => {
            let list: Vec<String> = list.iter().map(their_form).collect();
            format!("({}in {} {})", not(*negated), their_form(expr), list.join(" "))
        }
        other => other.to_string(),
    }
}

/// The condition of `IF condition PRINT 1`, and of `SELECT 1 WHERE condition`.
fn our_condition(text: &str) -> String {
    let sql = format!("SELECT 1 WHERE {text}");
    let tree = parse_batch(&sql, ParseOptions { quoted_identifier: true }).unwrap_or_else(|e| panic!("{e:?}\n{sql}"));
    let StatementKind::Select(select) = &tree.statements[0].kind else { panic!("{sql}") };
    let QueryBody::Select(block) = &select.query.body else { panic!("{sql}") };
    ours(block.filter.as_ref().expect("a condition"))
}

fn their_condition(text: &str) -> String {
    let parser = Parser::new(&MsSqlDialect {}).try_with_sql(text);
    let expr = parser.and_then(|mut parser| parser.parse_expr()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    their_form(&expr)
}

/// `PROPTEST_CASES` raises the number of texts.
fn cases(least: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.max(least), failure_persistence: None, ..config }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn conditions_are_grouped_alike(text in condition()) {
        prop_assert_eq!(our_condition(&text), their_condition(&text));
    }
}
