//! `OPENJSON (text [, path]) [WITH (columns)] [[AS] alias [(names)]]`

use crate::ast::{JsonColumn, TableRef};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, from, name, types};
use crate::token::TokenKind;

/// OPENJSON behind its name.
pub(in crate::parse) fn open_json(parser: &mut Parser<'_>, first: usize) -> Parsed<TableRef> {
    let args = parser.nested(|parser| parser.parenthesised(Parser::value))?;
    let span = parser.span_from(first);
    let has_schema = parser.is_keyword(Keyword::With)
        && parser.kind_at(1) == TokenKind::LeftParen
        && matches!(parser.kind_at(2), TokenKind::Word | TokenKind::Quoted)
        && !matches!(parser.kind_at(3), TokenKind::RightParen | TokenKind::Comma);
    let schema = if has_schema {
        parser.bump();
        Some(parser.parenthesised(column)?)
    } else {
        None
    };
    let alias = from::table_alias(parser)?;
    let columns = if alias.is_some() { name::column_list(parser)? } else { Vec::new() };
    Ok(TableRef::OpenJson { args, schema, alias, columns, span })
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
