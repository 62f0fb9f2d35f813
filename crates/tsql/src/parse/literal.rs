//! Literals and constants: values that no operator and no name makes.

use crate::ast::{Expr, ExprKind, Literal, UnaryOp};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::lexer::float_text;
use crate::parse::{Parser, name};
use crate::token::TokenKind;

/// A literal other than NULL.
pub(super) fn literal(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let token = parser.token();
    let source = parser.source(token);
    let value = match token.kind {
        TokenKind::Integer => Literal::Integer(source.to_owned()),
        TokenKind::Decimal => Literal::Decimal(source.to_owned()),
        TokenKind::Float => Literal::Float(float_text(source)),
        TokenKind::Money => {
            let number = source.trim_start_matches(|c: char| !matches!(c, '.' | '-') && !c.is_ascii_digit());
            Literal::Money(if number.is_empty() { "0".to_owned() } else { number.to_owned() })
        }
        TokenKind::String => Literal::String(parser.delimited_value(token)),
        TokenKind::NationalString => Literal::NationalString(parser.delimited_value(token)),
        TokenKind::Binary => Literal::Binary(bytes_of_hex(&source[2..])),
        _ => return Err(parser.unexpected()),
    };
    parser.bump();
    Ok(literal_of(value, token.line))
}

/// A literal with a sign, NULL, or a variable: what PRINT's neighbours (RAISERROR, THROW, EXEC, WAITFOR) take.
pub(super) fn constant(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.line();
    match parser.kind() {
        TokenKind::Variable => {
            let variable = name::variable(parser)?;
            Ok(Expr { kind: ExprKind::Variable(variable), line })
        }
        TokenKind::Keyword(Keyword::Null) => {
            parser.bump();
            Ok(literal_of(Literal::Null, line))
        }
        TokenKind::Minus | TokenKind::Plus => {
            let op = if parser.kind() == TokenKind::Minus { UnaryOp::Minus } else { UnaryOp::Plus };
            parser.bump();
            if name::is_string(parser) {
                return Err(parser.unexpected());
            }
            let number = literal(parser)?;
            Ok(Expr { kind: ExprKind::Unary(op, Box::new(number)), line })
        }
        _ => literal(parser),
    }
}

/// A literal in a tree.
pub(super) fn literal_of(value: Literal, line: u32) -> Expr {
    Expr { kind: ExprKind::Literal(value), line }
}

/// An odd number of digits has a zero before it. Ends of lines between them, with their backslashes, are no digits.
fn bytes_of_hex(digits: &str) -> Vec<u8> {
    let nibble = |c: u8| char::from(c).to_digit(16).map(|digit| digit as u8);
    let digits: Vec<u8> = digits.bytes().filter_map(nibble).collect();
    let (odd, pairs) = digits.split_at(digits.len() % 2);
    odd.iter().copied().chain(pairs.chunks(2).map(|pair| pair[0] << 4 | pair[1])).collect()
}
