//! `OPTION (hint, …)`: the hints of a query, each as its words.
//!
//! What always holds: words are upper-case, while texts, variables and names in delimiters are as they are written.

use crate::SyntaxError;
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::{Parser, lookahead};
use crate::token::TokenKind;

/// What follows the first word of a hint.
#[derive(Clone, Copy)]
enum Rest {
    /// Nothing.
    Nothing,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A whole number.
    Number,
    /// `=` and a number.
    Percent,
    /// `=` and a text.
    Text,
    /// `FOR UNKNOWN`, `FOR (@a = 7, @b UNKNOWN)`
    Values,
    /// `HINT ('name', …)`, `PLAN N'…'`
    Names,
    /// More, which is read as it stands.
    Open,
}

/// The words that query hints begin with. PARAMETERIZATION is one of plan guides alone.
const QUERY_HINTS: [(&str, Rest); 25] = [
    ("CONCAT", Rest::OneOf(&["UNION"])),
    ("DISABLE", Rest::OneOf(&["EXTERNALPUSHDOWN", "SCALEOUTEXECUTION"])),
    ("EXPAND", Rest::OneOf(&["VIEWS"])),
    ("FAST", Rest::Number),
    ("FOR", Rest::Open),
    ("FORCE", Rest::OneOf(&["ORDER", "EXTERNALPUSHDOWN", "SCALEOUTEXECUTION"])),
    ("HASH", Rest::OneOf(&["GROUP", "JOIN", "UNION"])),
    ("IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX", Rest::Nothing),
    ("KEEP", Rest::OneOf(&["PLAN"])),
    ("KEEPFIXED", Rest::OneOf(&["PLAN"])),
    ("LABEL", Rest::Text),
    ("LOOP", Rest::OneOf(&["JOIN"])),
    ("MAXDOP", Rest::Number),
    ("MAXRECURSION", Rest::Number),
    ("MAX_GRANT_PERCENT", Rest::Percent),
    ("MERGE", Rest::OneOf(&["JOIN", "UNION"])),
    ("MIN_GRANT_PERCENT", Rest::Percent),
    ("NO_PERFORMANCE_SPOOL", Rest::Nothing),
    ("OPTIMIZE", Rest::Values),
    ("ORDER", Rest::OneOf(&["GROUP"])),
    ("QUERYTRACEON", Rest::Number),
    ("RECOMPILE", Rest::Nothing),
    ("ROBUST", Rest::OneOf(&["PLAN"])),
    ("TABLE", Rest::Open),
    ("USE", Rest::Names),
];

/// `OPTION (hint, …)`, if there is one.
pub(in crate::parse) fn options(parser: &mut Parser<'_>) -> Parsed<Vec<String>> {
    if parser.eat_keyword(Keyword::Option) { parser.parenthesised(hint) } else { Ok(Vec::new()) }
}

fn hint(parser: &mut Parser<'_>) -> Parsed<String> {
    let first = parser.at;
    let word = parser.upper();
    let Some((_, rest)) = QUERY_HINTS.iter().find(|(known, _)| *known == word) else {
        return Err(parser.unexpected());
    };
    parser.bump();
    match rest {
        Rest::Nothing => {}
        Rest::OneOf(words) => {
            let word = parser.upper();
            if !words.contains(&word.as_str()) {
                return Err(near_hint(parser, first));
            }
            parser.bump();
        }
        Rest::Number => number(parser, first, |kind| kind == TokenKind::Integer)?,
        Rest::Percent => {
            if !parser.eat(TokenKind::Equal) {
                return Err(near_hint(parser, first));
            }
            if !matches!(parser.kind(), TokenKind::Integer | TokenKind::Decimal) {
                return Err(parser.unexpected());
            }
            parser.bump();
        }
        Rest::Text => {
            if !parser.eat(TokenKind::Equal) {
                return Err(near_hint(parser, first));
            }
            number(parser, first, |kind| matches!(kind, TokenKind::String | TokenKind::NationalString))?;
        }
        Rest::Values => {
            parser.expect_keyword(Keyword::For)?;
            if !parser.eat_word("unknown") {
                parser.parenthesised(value)?;
            }
        }
        Rest::Names if parser.is_word("hint") => {
            parser.bump();
            parser.parenthesised(text)?;
        }
        Rest::Names => {
            parser.expect_keyword(Keyword::Plan)?;
            text(parser)?;
        }
        Rest::Open => {
            let end = lookahead::end_of_item(parser);
            if end == parser.at {
                return Err(near_hint(parser, first));
            }
            parser.at = end;
        }
    }
    // TABLE HINT goes on with names.
    let capitals = if word == "TABLE" { 2 } else { usize::MAX };
    let words = parser.tokens[first..parser.at].iter().enumerate().map(|(place, token)| match token.kind {
        TokenKind::Word | TokenKind::Keyword(_) if place < capitals => parser.source(*token).to_uppercase(),
        _ => parser.source(*token).to_owned(),
    });
    Ok(words.collect::<Vec<_>>().join(" "))
}

fn text(parser: &mut Parser<'_>) -> Parsed<()> {
    if !matches!(parser.kind(), TokenKind::String | TokenKind::NationalString) {
        return Err(parser.unexpected());
    }
    parser.bump();
    Ok(())
}

/// A variable and what a plan is made for.
fn value(parser: &mut Parser<'_>) -> Parsed<()> {
    let variable = parser.token();
    if variable.kind != TokenKind::Variable {
        return Err(parser.unexpected());
    }
    parser.bump();
    if parser.eat_word("unknown") {
        return Ok(());
    }
    parser.expect(TokenKind::Equal)?;
    let is_negative = parser.eat(TokenKind::Minus);
    match parser.kind() {
        TokenKind::Integer | TokenKind::Decimal | TokenKind::Float | TokenKind::Money => {}
        TokenKind::String | TokenKind::NationalString | TokenKind::Binary | TokenKind::Keyword(Keyword::Null) => {
            if is_negative {
                return Err(parser.unexpected());
            }
        }
        _ => return Err(error::value_is_no_literal(parser.source(variable), parser.line())),
    }
    parser.bump();
    Ok(())
}

/// A constant of the kind that a hint takes. Another constant is an error of the hint, anything else one of itself.
fn number(parser: &mut Parser<'_>, first: usize, takes: fn(TokenKind) -> bool) -> Parsed<()> {
    let kind = parser.kind();
    let fits = kind != TokenKind::Integer || parser.source(parser.token()).parse::<i32>().is_ok();
    if takes(kind) && fits {
        parser.bump();
        return Ok(());
    }
    let is_of_hint = matches!(
        kind,
        TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::NationalString
            | TokenKind::Comma
            | TokenKind::RightParen
    );
    Err(if is_of_hint { near_hint(parser, first) } else { parser.unexpected() })
}

fn near_hint(parser: &Parser<'_>, first: usize) -> Box<SyntaxError> {
    let word = parser.tokens[first];
    error::near(parser.source(word), word.line)
}
