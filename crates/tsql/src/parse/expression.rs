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

use super::Parser;
use super::function::call_of;
use crate::ast::{BinaryOp, Expr, ExprKind, Literal, ObjectName, UnaryOp};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::lexer::float_text;
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

/// Conditions.
impl Parser<'_> {
    /// A condition, as IF, WHERE and ON have it.
    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        let found = self.either()?;
        self.as_condition(found)
    }

    fn as_condition(&mut self, found: Found) -> Parsed<Expr> {
        if found.is_condition {
            return Ok(found.expr);
        }
        if self.kind() == TokenKind::End && self.lex_error.is_some() {
            return Err(self.unexpected());
        }
        let (text, line) = self.near_text();
        Err(error::not_a_condition(&text, line))
    }

    fn either(&mut self) -> Parsed<Found> {
        self.chain(Keyword::Or, BinaryOp::Or, |parser| parser.chain(Keyword::And, BinaryOp::And, Self::negation))
    }

    /// `operand [AND operand]…`
    fn chain(
        &mut self,
        keyword: Keyword,
        op: BinaryOp,
        mut operand: impl FnMut(&mut Self) -> Parsed<Found>,
    ) -> Parsed<Found> {
        self.framed(|parser| {
            let first = operand(parser)?;
            if !parser.is_keyword(keyword) {
                return Ok(first);
            }
            let mut operands = vec![parser.as_condition(first)?];
            while parser.eat_keyword(keyword) {
                let next = operand(parser)?;
                operands.push(parser.as_condition(next)?);
            }
            parser.grow(chain_height(operands.len()))?;
            Ok(Found::condition(join_chain(op, operands)))
        })
    }

    fn negation(&mut self) -> Parsed<Found> {
        if !self.is_keyword(Keyword::Not) {
            return self.predicate();
        }
        let line = self.bump().line;
        self.nested(|parser| {
            let operand = parser.negation()?;
            let operand = parser.as_condition(operand)?;
            let kind = ExprKind::Unary(UnaryOp::Not, Box::new(operand));
            Ok(Found::condition(Expr { kind, line }))
        })
    }

    fn predicate(&mut self) -> Parsed<Found> {
        self.framed(|parser| {
            let left = parser.arithmetic(Wanted::Either)?;
            if left.is_condition || !parser.is_predicate() { Ok(left) } else { parser.predicate_of(left.expr) }
        })
    }

    /// Whether the value just read is a predicate's left side.
    fn is_predicate(&self) -> bool {
        use Keyword::{Between, In, Is, Like, Not};
        match self.kind() {
            TokenKind::Keyword(Not) => {
                matches!(self.kind_at(1), TokenKind::Keyword(Between | In | Like))
            }
            TokenKind::Keyword(keyword) => matches!(keyword, Is | Between | In | Like),
            kind => comparison(kind).is_some(),
        }
    }

    /// The rest of a predicate whose left side is read.
    fn predicate_of(&mut self, left: Expr) -> Parsed<Found> {
        let line = left.line;
        let expr = Box::new(left);
        if let Some(op) = comparison(self.kind()) {
            return self.comparison_of(op, expr);
        }
        if self.is_keyword(Keyword::Is) {
            return self.is_null(expr);
        }
        let negated = self.eat_keyword(Keyword::Not);
        let kind = if self.eat_keyword(Keyword::Between) {
            let low = Box::new(self.value()?);
            self.expect_keyword(Keyword::And)?;
            let high = Box::new(self.value()?);
            ExprKind::Between { expr, low, high, negated }
        } else if self.eat_keyword(Keyword::Like) {
            let pattern = Box::new(self.value()?);
            let escape = if self.eat_keyword(Keyword::Escape) { Some(Box::new(self.value()?)) } else { None };
            ExprKind::Like { expr, pattern, escape, negated }
        } else {
            self.expect_keyword(Keyword::In)?;
            return self.in_list(expr, negated);
        };
        self.grow(1)?;
        Ok(Found::condition(Expr { kind, line }))
    }

    fn comparison_of(&mut self, op: BinaryOp, left: Box<Expr>) -> Parsed<Found> {
        self.bump();
        let line = left.line;
        if let TokenKind::Keyword(Keyword::All | Keyword::Any | Keyword::Some) = self.kind() {
            return self.quantified(op, left);
        }
        let right = Box::new(self.value()?);
        self.grow(1)?;
        Ok(Found::condition(Expr { kind: ExprKind::Binary(op, left, right), line }))
    }

    /// `left op ALL|ANY|SOME (query)`. Those that say the same as IN are IN.
    fn quantified(&mut self, op: BinaryOp, expr: Box<Expr>) -> Parsed<Found> {
        let all = self.is_keyword(Keyword::All);
        self.bump();
        let line = expr.line;
        self.expect_query_parenthesis()?;
        let query = Box::new(self.parenthesised_query()?);
        let kind = match (op, all) {
            (BinaryOp::Eq, false) | (BinaryOp::NotEq, true) => ExprKind::InQuery { expr, query, negated: all },
            _ => ExprKind::Quantified { expr, op, all, query },
        };
        self.grow(1)?;
        Ok(Found::condition(Expr { kind, line }))
    }

    /// `IS [NOT] NULL`, `IS [NOT] DISTINCT FROM value`
    fn is_null(&mut self, expr: Box<Expr>) -> Parsed<Found> {
        self.bump();
        let line = expr.line;
        let negated = self.eat_keyword(Keyword::Not);
        if self.eat_keyword(Keyword::Distinct) {
            self.expect_keyword(Keyword::From)?;
            let right = Box::new(self.value()?);
            self.grow(1)?;
            let kind = ExprKind::DistinctFrom { left: expr, right, negated };
            return Ok(Found::condition(Expr { kind, line }));
        }
        self.expect_keyword(Keyword::Null)?;
        self.grow(1)?;
        Ok(Found::condition(Expr { kind: ExprKind::IsNull { expr, negated }, line }))
    }

    fn in_list(&mut self, expr: Box<Expr>, negated: bool) -> Parsed<Found> {
        let line = expr.line;
        let kind = if self.is_query_parenthesis() {
            let query = Box::new(self.parenthesised_query()?);
            ExprKind::InQuery { expr, query, negated }
        } else {
            let list = self.nested(|parser| parser.parenthesised(Self::value))?;
            ExprKind::InList { expr, list, negated }
        };
        self.grow(1)?;
        Ok(Found::condition(Expr { kind, line }))
    }
}

/// Values.
impl Parser<'_> {
    /// A value: not a condition.
    pub(super) fn value(&mut self) -> Parsed<Expr> {
        Ok(self.arithmetic(Wanted::Value)?.expr)
    }

    /// Two levels of operators in one loop: `sum` waits while a product is read.
    fn arithmetic(&mut self, wanted: Wanted) -> Parsed<Found> {
        self.watch.check().map_err(|Stopped| error::stopped(self.line()))?;
        let outer = std::mem::replace(&mut self.height, 0);
        let first = self.operand(wanted)?;
        if first.is_condition {
            self.height = self.height.max(outer);
            return Ok(first);
        }
        let mut sum: Option<(Sum, Expr)> = None;
        let mut product = first.expr;
        loop {
            if let Some(op) = product_operator(self.kind()) {
                self.bump();
                product = binary(op, product, self.operand(Wanted::Value)?.expr);
            } else if let Some(op) = self.sum_operator() {
                self.at += op.tokens();
                let next = self.operand(Wanted::Value)?.expr;
                sum = Some((op, join_sum(sum, std::mem::replace(&mut product, next))));
            } else {
                break;
            }
            self.grow(1)?;
        }
        self.height = self.height.max(outer);
        Ok(Found::value(join_sum(sum, product)))
    }

    /// An operator of sums; `<<` and `>>` are two tokens with nothing between.
    fn sum_operator(&self) -> Option<Sum> {
        if let Some(op) = sum_operator(self.kind()) {
            return Some(Sum::Operator(op));
        }
        let function = match self.kind() {
            TokenKind::Less => "LEFT_SHIFT",
            TokenKind::Greater => "RIGHT_SHIFT",
            _ => return None,
        };
        let next = self.tokens.get(self.at + 1)?;
        let is_shift = next.kind == self.kind() && next.start == self.token().end;
        is_shift.then_some(Sum::Shift(function))
    }

    /// A primary with its COLLATE after; a sign with the product after it.
    fn operand(&mut self, wanted: Wanted) -> Parsed<Found> {
        let op = match self.kind() {
            TokenKind::Minus => UnaryOp::Minus,
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::Tilde => UnaryOp::BitNot,
            _ => {
                let primary = self.primary(wanted)?;
                let postfix = self.is_keyword(Keyword::Collate) || self.is_method(&primary.expr) || self.is_time_zone();
                return if postfix && !primary.is_condition { self.postfix(primary.expr) } else { Ok(primary) };
            }
        };
        let line = self.bump().line;
        self.nested(|parser| {
            let mut operand = parser.operand(Wanted::Value)?.expr;
            if op != UnaryOp::BitNot {
                while let Some(op) = product_operator(parser.kind()) {
                    parser.bump();
                    operand = binary(op, operand, parser.operand(Wanted::Value)?.expr);
                    parser.grow(1)?;
                }
            }
            Ok(Found::value(Expr { kind: ExprKind::Unary(op, Box::new(operand)), line }))
        })
    }

    fn is_time_zone(&self) -> bool {
        self.is_word("at") && self.is_word_at(1, "time") && self.is_word_at(2, "zone")
    }

    /// Whether a method's name follows a call, a cast or a subquery.
    fn is_method(&self, expr: &Expr) -> bool {
        let has_methods = matches!(
            expr.kind,
            ExprKind::Function(_) | ExprKind::Cast { .. } | ExprKind::Subquery(_) | ExprKind::Method { .. }
        );
        has_methods
            && self.kind() == TokenKind::Period
            && matches!(self.kind_at(1), TokenKind::Word | TokenKind::Quoted)
            && self.kind_at(2) == TokenKind::LeftParen
    }

    fn method(&mut self, target: Expr) -> Parsed<Expr> {
        self.bump();
        let line = target.line;
        let method = self.ident()?;
        let args = if self.kind() == TokenKind::LeftParen && self.kind_at(1) == TokenKind::RightParen {
            self.at += 2;
            Vec::new()
        } else {
            self.nested(|parser| parser.parenthesised(Self::value))?
        };
        Ok(Expr { kind: ExprKind::Method { target: Box::new(target), method, args }, line })
    }

    fn postfix(&mut self, mut expr: Expr) -> Parsed<Found> {
        loop {
            let line = expr.line;
            if self.eat_keyword(Keyword::Collate) {
                let collation = self.word()?;
                expr = Expr { kind: ExprKind::Collate(Box::new(expr), collation), line };
            } else if self.is_method(&expr) {
                expr = self.method(expr)?;
            } else if self.is_time_zone() {
                self.at += 3;
                let zone = self.framed(|parser| parser.primary(Wanted::Value))?.expr;
                expr = self.call("AT TIME ZONE", vec![expr, zone], line);
            } else {
                return Ok(Found::value(expr));
            }
            self.grow(1)?;
        }
    }

    fn primary(&mut self, wanted: Wanted) -> Parsed<Found> {
        match self.kind() {
            TokenKind::LeftParen if self.is_query_parenthesis_of_value() => self.subquery(),
            TokenKind::LeftParen => self.parenthesis(wanted),
            TokenKind::Keyword(keyword) => self.keyword_primary(keyword, wanted),
            TokenKind::Word
                if wanted == Wanted::Either
                    && self.kind_at(1) == TokenKind::LeftParen
                    && self.is_word("match")
                    && self.is_graph_pattern() =>
            {
                self.graph_pattern()
            }
            TokenKind::Word | TokenKind::Quoted => self.named_primary().map(Found::value),
            TokenKind::Variable => self.variable_primary(),
            TokenKind::DoubleColon => self.system_function(),
            TokenKind::LeftBrace => self.odbc_escape(),
            _ => self.literal().map(Found::value),
        }
    }

    fn parenthesis(&mut self, wanted: Wanted) -> Parsed<Found> {
        self.bump();
        self.nested(|parser| {
            let inner = match wanted {
                Wanted::Value => parser.arithmetic(Wanted::Value)?,
                Wanted::Either => parser.either()?,
            };
            parser.expect(TokenKind::RightParen)?;
            Ok(inner)
        })
    }

    fn subquery(&mut self) -> Parsed<Found> {
        let line = self.line();
        let query = self.parenthesised_query()?;
        Ok(Found::value(Expr { kind: ExprKind::Subquery(Box::new(query)), line }))
    }

    fn keyword_primary(&mut self, keyword: Keyword, wanted: Wanted) -> Parsed<Found> {
        let line = self.line();
        let value = match keyword {
            Keyword::Null => {
                self.bump();
                literal(Literal::Null, line)
            }
            Keyword::Case => self.nested(Self::case)?,
            Keyword::Convert | Keyword::TryConvert => self.nested(Self::convert)?,
            Keyword::Exists if wanted == Wanted::Either => return self.exists(),
            Keyword::Contains | Keyword::FreeText | Keyword::TsEqual | Keyword::Update if wanted == Wanted::Either => {
                return self.keyword_call().map(Found::condition);
            }
            Keyword::Coalesce | Keyword::NullIf | Keyword::Left | Keyword::Right | Keyword::Identity => {
                self.keyword_call()?
            }
            Keyword::User
            | Keyword::CurrentUser
            | Keyword::SessionUser
            | Keyword::SystemUser
            | Keyword::CurrentTimestamp
            | Keyword::CurrentDate
            | Keyword::CurrentTime => {
                let token = self.bump();
                self.call(self.source(token), Vec::new(), line)
            }
            Keyword::IdentityCol | Keyword::RowGuidCol => {
                let token = self.bump();
                let parts = vec![self.source(token).to_owned()];
                Expr { kind: ExprKind::Column(ObjectName { parts }), line }
            }
            _ => return Err(self.unexpected()),
        };
        Ok(Found::value(value))
    }

    /// `MATCH (a-(edge)->b)`
    fn graph_pattern(&mut self) -> Parsed<Found> {
        let line = self.line();
        self.bump();
        self.skip_parentheses()?;
        self.not_yet("MATCH over a graph");
        Ok(Found::condition(self.call("MATCH", Vec::new(), line)))
    }

    /// Whether an arrow, `->` or `<-`, stands in the parentheses after the word.
    fn is_graph_pattern(&self) -> bool {
        let open = self.at + 1;
        let close = self.tokens[open].partner as usize;
        let inside = self.tokens.get(open..close).unwrap_or_default();
        inside.windows(2).any(|pair| {
            let touch = pair[0].end == pair[1].start;
            let arrow = [TokenKind::Minus, TokenKind::Greater] == [pair[0].kind, pair[1].kind]
                || [TokenKind::Less, TokenKind::Minus] == [pair[0].kind, pair[1].kind];
            touch && arrow
        })
    }

    fn exists(&mut self) -> Parsed<Found> {
        let line = self.bump().line;
        self.expect_query_parenthesis()?;
        let query = self.parenthesised_query()?;
        Ok(Found::condition(Expr { kind: ExprKind::Exists(Box::new(query)), line }))
    }

    /// A column or a call.
    fn named_primary(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let may_be_special = matches!(self.kind_at(1), TokenKind::LeftParen | TokenKind::DoubleColon);
        if (may_be_special || self.is_word("next"))
            && let Some(expr) = self.nested(Self::special_call)?
        {
            return Ok(expr);
        }
        let name = self.object_name()?;
        let is_source = self.in_output && self.is_keyword_at(1, Keyword::Select);
        if self.kind() == TokenKind::LeftParen && !is_source {
            return self.nested(|parser| parser.function_call(name, line));
        }
        Ok(Expr { kind: ExprKind::Column(name), line })
    }

    /// `@v`, or a method of it: `@x.value('…', 'int')`.
    fn variable_primary(&mut self) -> Parsed<Found> {
        let line = self.line();
        let variable = self.variable()?;
        if !self.eat(TokenKind::Period) {
            return Ok(Found::value(Expr { kind: ExprKind::Variable(variable), line }));
        }
        let mut name = self.object_name()?;
        name.parts.insert(0, variable);
        self.nested(|parser| parser.function_call(name, line)).map(Found::value)
    }

    /// `::f(args)`
    fn system_function(&mut self) -> Parsed<Found> {
        let line = self.bump().line;
        let name = self.object_name()?;
        self.nested(|parser| parser.function_call(name, line)).map(Found::value)
    }

    /// A literal other than NULL.
    pub(super) fn literal(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let source = self.source(token);
        let value = match token.kind {
            TokenKind::Integer => Literal::Integer(source.to_owned()),
            TokenKind::Decimal => Literal::Decimal(source.to_owned()),
            TokenKind::Float => Literal::Float(float_text(source)),
            TokenKind::Money => {
                let number = source.trim_start_matches(|c: char| !matches!(c, '.' | '-') && !c.is_ascii_digit());
                Literal::Money(if number.is_empty() { "0".to_owned() } else { number.to_owned() })
            }
            TokenKind::String => Literal::String(self.delimited_value(token)),
            TokenKind::NationalString => Literal::NationalString(self.delimited_value(token)),
            TokenKind::Binary => Literal::Binary(bytes_of_hex(&source[2..])),
            _ => return Err(self.unexpected()),
        };
        self.bump();
        Ok(literal(value, token.line))
    }

    /// A literal with a sign, NULL, or a variable: what PRINT's neighbours (RAISERROR, THROW, EXEC, WAITFOR) take.
    pub(super) fn constant(&mut self) -> Parsed<Expr> {
        let line = self.line();
        match self.kind() {
            TokenKind::Variable => {
                let variable = self.variable()?;
                Ok(Expr { kind: ExprKind::Variable(variable), line })
            }
            TokenKind::Keyword(Keyword::Null) => {
                self.bump();
                Ok(literal(Literal::Null, line))
            }
            TokenKind::Minus | TokenKind::Plus => {
                let op = if self.kind() == TokenKind::Minus { UnaryOp::Minus } else { UnaryOp::Plus };
                self.bump();
                if self.is_string() {
                    return Err(self.unexpected());
                }
                let number = self.literal()?;
                Ok(Expr { kind: ExprKind::Unary(op, Box::new(number)), line })
            }
            _ => self.literal(),
        }
    }
}

pub(super) fn literal(value: Literal, line: u32) -> Expr {
    Expr { kind: ExprKind::Literal(value), line }
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

fn comparison(kind: TokenKind) -> Option<BinaryOp> {
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
        TokenKind::Caret => BinaryOp::BitXor,
        _ => return None,
    })
}

/// An odd number of digits has a zero before it. Ends of lines between them, with their backslashes, are no digits.
fn bytes_of_hex(digits: &str) -> Vec<u8> {
    let nibble = |c: u8| char::from(c).to_digit(16).map(|digit| digit as u8);
    let digits: Vec<u8> = digits.bytes().filter_map(nibble).collect();
    let (odd, pairs) = digits.split_at(digits.len() % 2);
    odd.iter().copied().chain(pairs.chunks(2).map(|pair| pair[0] << 4 | pair[1])).collect()
}
