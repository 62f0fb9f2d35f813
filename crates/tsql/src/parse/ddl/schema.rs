//! CREATE SCHEMA with its elements, as they are written: `bind::definition::schema_elements` says in which order they are made.

use crate::ast::{Statement, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::ddl::module;
use crate::parse::{Parser, lookahead, name};
use crate::token::TokenKind;

/// `SCHEMA name [AUTHORIZATION owner] [element …]`, `SCHEMA AUTHORIZATION owner [element …]`; CREATE is read, the token
/// with index `first`.
pub(in crate::parse) fn create_schema(parser: &mut Parser<'_>, first: usize) -> Parsed<StatementKind> {
    if !lookahead::is_first_in_batch(parser, first) {
        return Err(error::must_be_first_in_batch("CREATE SCHEMA", parser.tokens[first].line));
    }
    parser.bump();
    let name = if parser.is_keyword(Keyword::Authorization) { None } else { Some(name::ident(parser)?) };
    let owner = if parser.eat_keyword(Keyword::Authorization) { Some(name::ident(parser)?) } else { None };
    let elements = schema_elements(parser)?;
    Ok(StatementKind::CreateSchema { name, owner, elements })
}

/// What stands behind CREATE SCHEMA without a semicolon.
fn schema_elements(parser: &mut Parser<'_>) -> Parsed<Vec<Statement>> {
    let mut elements = Vec::new();
    loop {
        match parser.kind() {
            TokenKind::Keyword(Keyword::Create) if parser.is_keyword_at(1, Keyword::View) => {
                let (first, number) = (parser.at, parser.next_number());
                let kind = module::view_element(parser)?;
                elements.push(Statement { kind, span: parser.span_from(first), number });
            }
            TokenKind::Keyword(Keyword::Create) if parser.is_keyword_at(1, Keyword::Table) => {
                elements.push(parser.nested_statement()?);
            }
            TokenKind::Keyword(Keyword::Grant | Keyword::Deny | Keyword::Revoke) => {
                elements.push(parser.nested_statement()?);
            }
            _ => return Ok(elements),
        }
    }
}
