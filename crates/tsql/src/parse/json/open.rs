//! The columns of OPENJSON.

use crate::ast::JsonColumn;
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, name, types};
use crate::token::TokenKind;

/// WITH and its columns, if they stand here, and not hints.
pub(in crate::parse) fn schema(parser: &mut Parser<'_>) -> Parsed<Option<Vec<JsonColumn>>> {
    let has_schema = parser.is_keyword(Keyword::With)
        && parser.kind_at(1) == TokenKind::LeftParen
        && matches!(parser.kind_at(2), TokenKind::Word | TokenKind::Quoted)
        && !matches!(parser.kind_at(3), TokenKind::RightParen | TokenKind::Comma);
    if !has_schema {
        return Ok(None);
    }
    parser.bump();
    parser.parenthesised(column).map(Some)
}

/// `name type [COLLATE collation] ['path'] [AS JSON]`
fn column(parser: &mut Parser<'_>) -> Parsed<JsonColumn> {
    let line = parser.line();
    let column = name::ident(parser)?;
    let data_type = types::data_type(parser)?;
    let collation = if parser.eat_keyword(Keyword::Collate) { Some(name::ident(parser)?) } else { None };
    let path = if name::is_string(parser) { Some(name::string(parser)?) } else { None };
    let as_json = parser.eat_keyword(Keyword::As);
    if as_json {
        parser.expect_word("json")?;
    }
    Ok(JsonColumn { name: column, data_type, collation, path, as_json, line })
}
