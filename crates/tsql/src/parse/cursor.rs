//! Cursors.

use std::sync::Arc;

use crate::ast::{
    CursorChange, CursorDefinition, CursorName, DeclareCursor, Expr, Fetch, FetchDirection, StatementKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, literal, name, query, unsupported};
use crate::token::TokenKind;

/// Words before and after CURSOR.
const CURSOR_OPTIONS: [&str; 14] = [
    "insensitive",
    "scroll",
    "local",
    "global",
    "forward_only",
    "static",
    "keyset",
    "dynamic",
    "fast_forward",
    "read_only",
    "scroll_locks",
    "optimistic",
    "type_warning",
    "sensitive",
];

/// `name [INSENSITIVE] [SCROLL] CURSOR [options] FOR query [FOR READ ONLY|UPDATE [OF a, b]]`; DECLARE is read.
pub(super) fn declare_cursor(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let name = name::ident(parser)?;
    let options = cursor_options(parser);
    let mut cursor = cursor_definition(parser)?;
    cursor.options.splice(0..0, options);
    Ok(StatementKind::DeclareCursor(Box::new(DeclareCursor { name, cursor })))
}

fn cursor_options(parser: &mut Parser<'_>) -> Vec<String> {
    let mut options = Vec::new();
    while CURSOR_OPTIONS.iter().any(|word| parser.is_word(word)) {
        options.push(parser.upper());
        parser.bump();
    }
    options
}

/// `CURSOR [options] FOR query [FOR …]`
pub(super) fn cursor_definition(parser: &mut Parser<'_>) -> Parsed<CursorDefinition> {
    parser.expect_keyword(Keyword::Cursor)?;
    let options = cursor_options(parser);
    parser.expect_keyword(Keyword::For)?;
    let query = Arc::new(query::query_with_ctes(parser)?);
    let change = if parser.eat_keyword(Keyword::For) { Some(cursor_change(parser)?) } else { None };
    Ok(CursorDefinition { options, query, change })
}

fn cursor_change(parser: &mut Parser<'_>) -> Parsed<CursorChange> {
    if parser.eat_keyword(Keyword::Read) {
        parser.expect_word("only")?;
        return Ok(CursorChange::ReadOnly);
    }
    parser.expect_keyword(Keyword::Update)?;
    let of = parser.eat_keyword(Keyword::Of);
    let columns = if of { parser.comma_separated(name::object_name)? } else { Vec::new() };
    Ok(CursorChange::Update(columns))
}

/// `[GLOBAL] name`, `@name`
pub(super) fn cursor_name(parser: &mut Parser<'_>) -> Parsed<CursorName> {
    if parser.kind() == TokenKind::Variable {
        return Ok(CursorName { name: name::variable(parser)?, global: false });
    }
    let global = parser.is_word("global") && matches!(parser.kind_at(1), TokenKind::Word | TokenKind::Quoted);
    if global {
        parser.bump();
    }
    Ok(CursorName { name: name::ident(parser)?, global })
}

/// OPEN, CLOSE, DEALLOCATE.
pub(super) fn cursor_statement(parser: &mut Parser<'_>, keyword: Keyword) -> Parsed<StatementKind> {
    parser.bump();
    let other_key = parser.is_word("symmetric") || parser.is_word("master") || parser.is_keyword(Keyword::All);
    if other_key && (parser.is_keyword_at(1, Keyword::Key) || parser.is_word_at(1, "symmetric")) {
        return unsupported::skip_as(parser, if keyword == Keyword::Open { "OPEN KEY" } else { "CLOSE KEY" });
    }
    if keyword == Keyword::Deallocate && parser.is_keyword(Keyword::Cursor) {
        parser.bump();
    }
    let cursor = cursor_name(parser)?;
    Ok(match keyword {
        Keyword::Open => StatementKind::OpenCursor(cursor),
        Keyword::Close => StatementKind::CloseCursor(cursor),
        _ => StatementKind::DeallocateCursor(cursor),
    })
}

/// `FETCH [[NEXT|PRIOR|FIRST|LAST|ABSOLUTE n|RELATIVE n] FROM] cursor [INTO @a, @b]`
pub(super) fn fetch(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let (direction, from) = fetch_direction(parser)?;
    if from {
        parser.expect_keyword(Keyword::From)?;
    } else {
        parser.eat_keyword(Keyword::From);
    }
    let cursor = cursor_name(parser)?;
    let into = if parser.eat_keyword(Keyword::Into) { parser.comma_separated(name::variable)? } else { Vec::new() };
    Ok(StatementKind::Fetch(Box::new(Fetch { direction, cursor, into })))
}

/// The direction, and whether one is written. A cursor may be called `first`.
fn fetch_direction(parser: &mut Parser<'_>) -> Parsed<(FetchDirection, bool)> {
    if parser.is_keyword_at(1, Keyword::From) {
        let words = [
            ("next", FetchDirection::Next),
            ("prior", FetchDirection::Prior),
            ("first", FetchDirection::First),
            ("last", FetchDirection::Last),
        ];
        for (word, direction) in words {
            if parser.eat_word(word) {
                return Ok((direction, true));
            }
        }
    }
    let counted =
        matches!(parser.kind_at(1), TokenKind::Integer | TokenKind::Minus | TokenKind::Plus | TokenKind::Variable);
    if counted && parser.eat_word("absolute") {
        return Ok((FetchDirection::Absolute(row_number(parser)?), true));
    }
    if counted && parser.eat_word("relative") {
        return Ok((FetchDirection::Relative(row_number(parser)?), true));
    }
    Ok((FetchDirection::Next, false))
}

fn row_number(parser: &mut Parser<'_>) -> Parsed<Expr> {
    literal::constant(parser)
}
