//! Expressions and conditions.
//!
//! T-SQL keeps the two apart: a comparison is no value, and a value is no condition. Where a condition may stand, an
//! opening parenthesis can begin either; the parser learns which when it is inside, so the functions that parse both say
//! in their result which one it was.
//!
//! Precedence, tightest first: `COLLATE` and `AT TIME ZONE`; `~`; `*` `/` `%`; `+` `-` as signs and as operators, `&` `^` `|`;
//! comparisons, IS, BETWEEN, IN, LIKE; NOT; AND; OR. All binary operators go from left to right. A sign is looser than a
//! product, so what it stands before is the whole product after it: `100 / -10 / 2` is `100 / -(10 / 2)`.

use millpond_types::Stopped;

use crate::ast::{BinaryOp, Expr, ExprKind, Literal, ObjectName, UnaryOp};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::function::call_of;
use crate::parse::literal::literal_of;
use crate::parse::{Parser, function, literal, lookahead, name, odbc, query, unsupported};
use crate::token::TokenKind;

/// A chain of more than this many ANDs or ORs becomes a balanced tree; the order of its operands stays. Generated texts
/// have thousands of them, and a tree as deep as that could not be walked (P4).
const CHAIN_AS_WRITTEN_MAX: usize = 64;

/// What may stand here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// A value; a comparison ends it.
    Value,
    /// A value or a condition.
    Either,
}

/// What stood there.
pub(super) struct Found {
    expr: Expr,
    is_condition: bool,
}

impl Found {
    pub(super) fn value(expr: Expr) -> Found {
        Found { expr, is_condition: false }
    }

    fn condition(expr: Expr) -> Found {
        Found { expr, is_condition: true }
    }
}

// Conditions.

/// A condition, as IF, WHERE and ON have it.
pub(super) fn condition(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let found = either(parser)?;
    as_condition(parser, found)
}

fn as_condition(parser: &mut Parser<'_>, found: Found) -> Parsed<Expr> {
    if found.is_condition {
        return Ok(found.expr);
    }
    if parser.kind() == TokenKind::End && parser.lex_error.is_some() {
        return Err(parser.unexpected());
    }
    let (text, line) = parser.near_text();
    Err(error::not_a_condition(&text, line))
}

fn either(parser: &mut Parser<'_>) -> Parsed<Found> {
    chain(parser, Keyword::Or, BinaryOp::Or, |parser| chain(parser, Keyword::And, BinaryOp::And, negation))
}

/// `operand [AND operand]…`
fn chain(
    parser: &mut Parser<'_>,
    keyword: Keyword,
    op: BinaryOp,
    mut operand: impl FnMut(&mut Parser<'_>) -> Parsed<Found>,
) -> Parsed<Found> {
    parser.framed(|parser| {
        let first = operand(parser)?;
        if !parser.is_keyword(keyword) {
            return Ok(first);
        }
        let mut operands = vec![as_condition(parser, first)?];
        while parser.eat_keyword(keyword) {
            let next = operand(parser)?;
            operands.push(as_condition(parser, next)?);
        }
        parser.grow(chain_height(operands.len()))?;
        Ok(Found::condition(join_chain(op, operands)))
    })
}

fn negation(parser: &mut Parser<'_>) -> Parsed<Found> {
    if !parser.is_keyword(Keyword::Not) {
        return predicate(parser);
    }
    let line = parser.bump().line;
    parser.nested(|parser| {
        let operand = negation(parser)?;
        let operand = as_condition(parser, operand)?;
        let kind = ExprKind::Unary(UnaryOp::Not, Box::new(operand));
        Ok(Found::condition(Expr { kind, line }))
    })
}

fn predicate(parser: &mut Parser<'_>) -> Parsed<Found> {
    parser.framed(|parser| {
        let left = arithmetic(parser, Wanted::Either)?;
        if left.is_condition || !is_predicate(parser) { Ok(left) } else { predicate_of(parser, left.expr) }
    })
}

/// Whether the value just read is a predicate's left side.
fn is_predicate(parser: &Parser<'_>) -> bool {
    use Keyword::{Between, In, Is, Like, Not};
    match parser.kind() {
        TokenKind::Keyword(Not) => {
            matches!(parser.kind_at(1), TokenKind::Keyword(Between | In | Like))
        }
        TokenKind::Keyword(keyword) => matches!(keyword, Is | Between | In | Like),
        kind => comparison(kind).is_some(),
    }
}

/// The rest of a predicate whose left side is read.
fn predicate_of(parser: &mut Parser<'_>, left: Expr) -> Parsed<Found> {
    let line = left.line;
    let expr = Box::new(left);
    if let Some(op) = comparison(parser.kind()) {
        return comparison_of(parser, op, expr);
    }
    if parser.is_keyword(Keyword::Is) {
        return is_null(parser, expr);
    }
    let negated = parser.eat_keyword(Keyword::Not);
    let kind = if parser.eat_keyword(Keyword::Between) {
        let low = Box::new(value(parser)?);
        parser.expect_keyword(Keyword::And)?;
        let high = Box::new(value(parser)?);
        ExprKind::Between { expr, low, high, negated }
    } else if parser.eat_keyword(Keyword::Like) {
        let pattern = Box::new(value(parser)?);
        let escape = if parser.eat_keyword(Keyword::Escape) { Some(Box::new(value(parser)?)) } else { None };
        ExprKind::Like { expr, pattern, escape, negated }
    } else {
        parser.expect_keyword(Keyword::In)?;
        return in_list(parser, expr, negated);
    };
    parser.grow(1)?;
    Ok(Found::condition(Expr { kind, line }))
}

fn comparison_of(parser: &mut Parser<'_>, op: BinaryOp, left: Box<Expr>) -> Parsed<Found> {
    parser.bump();
    let line = left.line;
    if let TokenKind::Keyword(Keyword::All | Keyword::Any | Keyword::Some) = parser.kind() {
        return quantified(parser, op, left);
    }
    let right = Box::new(value(parser)?);
    parser.grow(1)?;
    Ok(Found::condition(Expr { kind: ExprKind::Binary(op, left, right), line }))
}

/// `left op ALL|ANY|SOME (query)`. Those that say the same as IN are IN.
fn quantified(parser: &mut Parser<'_>, op: BinaryOp, expr: Box<Expr>) -> Parsed<Found> {
    let all = parser.is_keyword(Keyword::All);
    parser.bump();
    let line = expr.line;
    query::expect_query_parenthesis(parser)?;
    let query = Box::new(parser.parenthesised_query()?);
    let kind = match (op, all) {
        (BinaryOp::Eq, false) | (BinaryOp::NotEq, true) => ExprKind::InQuery { expr, query, negated: all },
        _ => ExprKind::Quantified { expr, op, all, query },
    };
    parser.grow(1)?;
    Ok(Found::condition(Expr { kind, line }))
}

/// `IS [NOT] NULL`, `IS [NOT] DISTINCT FROM value`
fn is_null(parser: &mut Parser<'_>, expr: Box<Expr>) -> Parsed<Found> {
    parser.bump();
    let line = expr.line;
    let negated = parser.eat_keyword(Keyword::Not);
    if parser.eat_keyword(Keyword::Distinct) {
        parser.expect_keyword(Keyword::From)?;
        let right = Box::new(value(parser)?);
        parser.grow(1)?;
        let kind = ExprKind::DistinctFrom { left: expr, right, negated };
        return Ok(Found::condition(Expr { kind, line }));
    }
    parser.expect_keyword(Keyword::Null)?;
    parser.grow(1)?;
    Ok(Found::condition(Expr { kind: ExprKind::IsNull { expr, negated }, line }))
}

fn in_list(parser: &mut Parser<'_>, expr: Box<Expr>, negated: bool) -> Parsed<Found> {
    let line = expr.line;
    let kind = if lookahead::is_query_parenthesis(parser) {
        let query = Box::new(parser.parenthesised_query()?);
        ExprKind::InQuery { expr, query, negated }
    } else {
        let list = parser.nested(|parser| parser.parenthesised(value))?;
        ExprKind::InList { expr, list, negated }
    };
    parser.grow(1)?;
    Ok(Found::condition(Expr { kind, line }))
}

// Values.

/// A value: not a condition.
pub(super) fn value(parser: &mut Parser<'_>) -> Parsed<Expr> {
    Ok(arithmetic(parser, Wanted::Value)?.expr)
}

/// Two levels of operators in one loop: `sum` waits while a product is read.
fn arithmetic(parser: &mut Parser<'_>, wanted: Wanted) -> Parsed<Found> {
    parser.watch.check().map_err(|Stopped| error::stopped(parser.line()))?;
    let outer = std::mem::replace(&mut parser.height, 0);
    let first = operand(parser, wanted)?;
    if first.is_condition {
        parser.height = parser.height.max(outer);
        return Ok(first);
    }
    let mut sum: Option<(Sum, Expr)> = None;
    let mut product = first.expr;
    loop {
        if let Some(op) = product_operator(parser.kind()) {
            parser.bump();
            product = binary(op, product, operand(parser, Wanted::Value)?.expr);
        } else if let Some(op) = sum_sign(parser) {
            parser.at += op.tokens();
            let next = operand(parser, Wanted::Value)?.expr;
            sum = Some((op, join_sum(sum, std::mem::replace(&mut product, next))));
        } else {
            break;
        }
        parser.grow(1)?;
    }
    parser.height = parser.height.max(outer);
    Ok(Found::value(join_sum(sum, product)))
}

/// An operator of sums; `<<` and `>>` are two tokens with nothing between.
fn sum_sign(parser: &Parser<'_>) -> Option<Sum> {
    if let Some(op) = sum_operator(parser.kind()) {
        return Some(Sum::Operator(op));
    }
    let function = match parser.kind() {
        TokenKind::Less => "LEFT_SHIFT",
        TokenKind::Greater => "RIGHT_SHIFT",
        _ => return None,
    };
    let next = parser.tokens.get(parser.at + 1)?;
    let is_shift = next.kind == parser.kind() && next.start == parser.token().end;
    is_shift.then_some(Sum::Shift(function))
}

/// A primary with its COLLATE after; a sign with the product after it.
fn operand(parser: &mut Parser<'_>, wanted: Wanted) -> Parsed<Found> {
    let op = match parser.kind() {
        TokenKind::Minus => UnaryOp::Minus,
        TokenKind::Plus => UnaryOp::Plus,
        TokenKind::Tilde => UnaryOp::BitNot,
        _ => {
            let primary = primary(parser, wanted)?;
            let is_postfix =
                parser.is_keyword(Keyword::Collate) || is_method(parser, &primary.expr) || is_time_zone(parser);
            return if is_postfix && !primary.is_condition { postfix(parser, primary.expr) } else { Ok(primary) };
        }
    };
    let line = parser.bump().line;
    parser.nested(|parser| {
        let mut product = operand(parser, Wanted::Value)?.expr;
        if op != UnaryOp::BitNot {
            while let Some(op) = product_operator(parser.kind()) {
                parser.bump();
                product = binary(op, product, operand(parser, Wanted::Value)?.expr);
                parser.grow(1)?;
            }
        }
        Ok(Found::value(Expr { kind: ExprKind::Unary(op, Box::new(product)), line }))
    })
}

fn is_time_zone(parser: &Parser<'_>) -> bool {
    parser.is_word("at") && parser.is_word_at(1, "time") && parser.is_word_at(2, "zone")
}

/// Whether a method's name follows a call, a cast or a subquery.
fn is_method(parser: &Parser<'_>, expr: &Expr) -> bool {
    let has_methods = matches!(
        expr.kind,
        ExprKind::Function(_)
            | ExprKind::Cast { .. }
            | ExprKind::Parse { .. }
            | ExprKind::Subquery(_)
            | ExprKind::Method { .. }
    );
    has_methods
        && parser.kind() == TokenKind::Period
        && matches!(parser.kind_at(1), TokenKind::Word | TokenKind::Quoted)
        && parser.kind_at(2) == TokenKind::LeftParen
}

fn method(parser: &mut Parser<'_>, target: Expr) -> Parsed<Expr> {
    parser.bump();
    let line = target.line;
    let method = name::ident(parser)?;
    let args = if parser.kind() == TokenKind::LeftParen && parser.kind_at(1) == TokenKind::RightParen {
        parser.at += 2;
        Vec::new()
    } else {
        parser.nested(|parser| parser.parenthesised(value))?
    };
    Ok(Expr { kind: ExprKind::Method { target: Box::new(target), method, args }, line })
}

fn postfix(parser: &mut Parser<'_>, mut expr: Expr) -> Parsed<Found> {
    loop {
        let line = expr.line;
        if parser.eat_keyword(Keyword::Collate) {
            let collation = name::word(parser)?;
            expr = Expr { kind: ExprKind::Collate(Box::new(expr), collation), line };
        } else if is_method(parser, &expr) {
            expr = method(parser, expr)?;
        } else if is_time_zone(parser) {
            parser.at += 3;
            let zone = parser.framed(|parser| primary(parser, Wanted::Value))?.expr;
            expr = call_of("AT TIME ZONE", vec![expr, zone], line);
        } else {
            return Ok(Found::value(expr));
        }
        parser.grow(1)?;
    }
}

fn primary(parser: &mut Parser<'_>, wanted: Wanted) -> Parsed<Found> {
    match parser.kind() {
        TokenKind::LeftParen if lookahead::is_query_parenthesis_of_value(parser) => subquery(parser),
        TokenKind::LeftParen => parenthesis(parser, wanted),
        TokenKind::Keyword(keyword) => keyword_primary(parser, keyword, wanted),
        TokenKind::Word
            if wanted == Wanted::Either
                && parser.kind_at(1) == TokenKind::LeftParen
                && parser.is_word("match")
                && is_graph_pattern(parser) =>
        {
            graph_pattern(parser)
        }
        TokenKind::Word
            if wanted == Wanted::Either
                && parser.kind_at(1) == TokenKind::LeftParen
                && parser.is_word("regexp_like") =>
        {
            named_primary(parser).map(Found::condition)
        }
        TokenKind::Word | TokenKind::Quoted => named_primary(parser).map(Found::value),
        TokenKind::Variable => variable_primary(parser),
        TokenKind::DoubleColon => system_function(parser),
        TokenKind::LeftBrace => odbc::escape(parser).map(Found::value),
        _ => literal::literal(parser).map(Found::value),
    }
}

fn parenthesis(parser: &mut Parser<'_>, wanted: Wanted) -> Parsed<Found> {
    parser.bump();
    parser.nested(|parser| {
        let inner = match wanted {
            Wanted::Value => arithmetic(parser, Wanted::Value)?,
            Wanted::Either => either(parser)?,
        };
        parser.expect(TokenKind::RightParen)?;
        Ok(inner)
    })
}

fn subquery(parser: &mut Parser<'_>) -> Parsed<Found> {
    let line = parser.line();
    let query = parser.parenthesised_query()?;
    Ok(Found::value(Expr { kind: ExprKind::Subquery(Box::new(query)), line }))
}

fn keyword_primary(parser: &mut Parser<'_>, keyword: Keyword, wanted: Wanted) -> Parsed<Found> {
    let line = parser.line();
    let value = match keyword {
        Keyword::Null => {
            parser.bump();
            literal_of(Literal::Null, line)
        }
        Keyword::Case => parser.nested(function::case)?,
        Keyword::Convert | Keyword::TryConvert => parser.nested(function::convert)?,
        Keyword::Exists if wanted == Wanted::Either => return exists(parser),
        Keyword::Contains | Keyword::FreeText if wanted == Wanted::Either => return full_text(parser),
        Keyword::TsEqual | Keyword::Update if wanted == Wanted::Either => {
            return function::keyword_call(parser).map(Found::condition);
        }
        Keyword::Coalesce | Keyword::NullIf | Keyword::Left | Keyword::Right | Keyword::Identity => {
            function::keyword_call(parser)?
        }
        Keyword::User
        | Keyword::CurrentUser
        | Keyword::SessionUser
        | Keyword::SystemUser
        | Keyword::CurrentTimestamp
        | Keyword::CurrentDate
        | Keyword::CurrentTime => {
            let token = parser.bump();
            call_of(parser.source(token), Vec::new(), line)
        }
        Keyword::IdentityCol | Keyword::RowGuidCol => {
            let token = parser.bump();
            let parts = vec![parser.source(token).to_owned()];
            Expr { kind: ExprKind::Column(ObjectName { parts }), line }
        }
        _ => return Err(parser.unexpected()),
    };
    Ok(Found::value(value))
}

/// `CONTAINS (…)` and `FREETEXT (…)`
fn full_text(parser: &mut Parser<'_>) -> Parsed<Found> {
    let line = parser.line();
    let token = parser.bump();
    let word = parser.source(token).to_ascii_uppercase();
    unsupported::skip_parentheses(parser)?;
    parser.not_yet(&word);
    Ok(Found::condition(call_of(&word, Vec::new(), line)))
}

/// `MATCH (a-(edge)->b)`
fn graph_pattern(parser: &mut Parser<'_>) -> Parsed<Found> {
    let line = parser.line();
    parser.bump();
    unsupported::skip_parentheses(parser)?;
    parser.not_yet("MATCH over a graph");
    Ok(Found::condition(call_of("MATCH", Vec::new(), line)))
}

/// Whether an arrow, `->` or `<-`, stands in the parentheses after the word.
fn is_graph_pattern(parser: &Parser<'_>) -> bool {
    let open = parser.at + 1;
    let close = parser.tokens[open].partner as usize;
    let inside = parser.tokens.get(open..close).unwrap_or_default();
    inside.windows(2).any(|pair| {
        let touch = pair[0].end == pair[1].start;
        let arrow = [TokenKind::Minus, TokenKind::Greater] == [pair[0].kind, pair[1].kind]
            || [TokenKind::Less, TokenKind::Minus] == [pair[0].kind, pair[1].kind];
        touch && arrow
    })
}

fn exists(parser: &mut Parser<'_>) -> Parsed<Found> {
    let line = parser.bump().line;
    query::expect_query_parenthesis(parser)?;
    let query = parser.parenthesised_query()?;
    Ok(Found::condition(Expr { kind: ExprKind::Exists(Box::new(query)), line }))
}

/// A column or a call.
fn named_primary(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.line();
    let may_be_special = matches!(parser.kind_at(1), TokenKind::LeftParen | TokenKind::DoubleColon);
    if (may_be_special || parser.is_word("next"))
        && let Some(expr) = parser.nested(function::special_call)?
    {
        return Ok(expr);
    }
    let name = name::object_name(parser)?;
    let is_source = parser.context.in_output && parser.is_keyword_at(1, Keyword::Select);
    if parser.kind() == TokenKind::LeftParen && !is_source {
        return parser.nested(|parser| function::call(parser, name, line));
    }
    Ok(Expr { kind: ExprKind::Column(name), line })
}

/// `@v`, or a method of it: `@x.value('…', 'int')`.
fn variable_primary(parser: &mut Parser<'_>) -> Parsed<Found> {
    let line = parser.line();
    let variable = name::variable(parser)?;
    if !parser.eat(TokenKind::Period) {
        return Ok(Found::value(Expr { kind: ExprKind::Variable(variable), line }));
    }
    let mut name = name::object_name(parser)?;
    name.parts.insert(0, variable);
    parser.nested(|parser| function::call(parser, name, line)).map(Found::value)
}

/// `::f(args)`
fn system_function(parser: &mut Parser<'_>) -> Parsed<Found> {
    let line = parser.bump().line;
    let name = name::object_name(parser)?;
    parser.nested(|parser| function::call(parser, name, line)).map(Found::value)
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let line = left.line;
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), line }
}

/// What joins the products of a sum.
#[derive(Clone, Copy)]
enum Sum {
    Operator(BinaryOp),
    /// `<<` or `>>`, which stand for calls of a function.
    Shift(&'static str),
}

impl Sum {
    /// Tokens that it takes.
    fn tokens(self) -> usize {
        match self {
            Sum::Operator(_) => 1,
            Sum::Shift(_) => 2,
        }
    }
}

fn join_sum(sum: Option<(Sum, Expr)>, product: Expr) -> Expr {
    match sum {
        Some((Sum::Operator(op), left)) => binary(op, left, product),
        Some((Sum::Shift(function), left)) => {
            let line = left.line;
            call_of(function, vec![left, product], line)
        }
        None => product,
    }
}

/// How much higher than its highest operand the tree of a chain is.
fn chain_height(operands: usize) -> u32 {
    if operands <= CHAIN_AS_WRITTEN_MAX { operands as u32 - 1 } else { operands.ilog2() + 1 }
}

/// From left to right, or balanced when that would be too high.
fn join_chain(op: BinaryOp, operands: Vec<Expr>) -> Expr {
    if operands.len() > CHAIN_AS_WRITTEN_MAX {
        return balanced(op, operands);
    }
    let joined = operands.into_iter().reduce(|left, right| binary(op, left, right));
    joined.expect("a chain has two operands at least")
}

fn balanced(op: BinaryOp, mut operands: Vec<Expr>) -> Expr {
    if operands.len() == 1 {
        return operands.remove(0);
    }
    let right = operands.split_off(operands.len().div_ceil(2));
    binary(op, balanced(op, operands), balanced(op, right))
}

pub(super) fn comparison(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::Equal => BinaryOp::Eq,
        TokenKind::NotEqual => BinaryOp::NotEq,
        TokenKind::Less => BinaryOp::Lt,
        TokenKind::LessEqual => BinaryOp::LtEq,
        TokenKind::Greater => BinaryOp::Gt,
        TokenKind::GreaterEqual => BinaryOp::GtEq,
        _ => return None,
    })
}

fn product_operator(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::Star => BinaryOp::Multiply,
        TokenKind::Slash => BinaryOp::Divide,
        TokenKind::Percent => BinaryOp::Modulo,
        _ => return None,
    })
}

fn sum_operator(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Subtract,
        TokenKind::Ampersand => BinaryOp::BitAnd,
        TokenKind::Pipe => BinaryOp::BitOr,
        TokenKind::Pipes => BinaryOp::Concat,
        TokenKind::Caret => BinaryOp::BitXor,
        _ => return None,
    })
}
