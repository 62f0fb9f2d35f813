//! CREATE, ALTER and DROP of partition functions and schemes.

use crate::ast::{PartitionStatement, StatementKind};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::ddl::index;
use crate::parse::{Parser, expression, name, types};
use crate::token::TokenKind;

/// Whether `PARTITION FUNCTION` or `PARTITION SCHEME` stands here.
pub(super) fn is_partition(parser: &Parser<'_>) -> bool {
    parser.is_word("partition") && (parser.is_keyword_at(1, Keyword::Function) || parser.is_word_at(1, "scheme"))
}

/// `PARTITION FUNCTION|SCHEME …`; the verb is read.
pub(super) fn partition(parser: &mut Parser<'_>, verb: Keyword) -> Parsed<StatementKind> {
    parser.bump();
    let is_function = parser.is_keyword(Keyword::Function);
    parser.bump();
    let name = name::ident(parser)?;
    let statement = match (verb, is_function) {
        (Keyword::Create, true) => create_function(parser, name)?,
        (Keyword::Create, false) => create_scheme(parser, name)?,
        (Keyword::Alter, true) => alter_function(parser, name)?,
        (Keyword::Alter, false) => {
            parser.expect_word("next")?;
            parser.expect_word("used")?;
            let is_named = name::is_name(parser) || name::is_string(parser) || is_reserved_group(parser);
            let next_used = if is_named { Some(index::data_space(parser)?.name) } else { None };
            PartitionStatement::AlterScheme { name, next_used }
        }
        (_, true) => PartitionStatement::DropFunction(name),
        (_, false) => PartitionStatement::DropScheme(name),
    };
    Ok(StatementKind::Partition(Box::new(statement)))
}

fn is_reserved_group(parser: &Parser<'_>) -> bool {
    parser.is_keyword(Keyword::Primary) || parser.is_keyword(Keyword::Default)
}

/// `(type) AS RANGE [LEFT|RIGHT] FOR VALUES ([value, …])`
fn create_function(parser: &mut Parser<'_>, name: String) -> Parsed<PartitionStatement> {
    parser.expect(TokenKind::LeftParen)?;
    let types = parser.comma_separated(types::data_type)?;
    parser.expect(TokenKind::RightParen)?;
    parser.expect_keyword(Keyword::As)?;
    parser.expect_word("range")?;
    let is_right = parser.eat_keyword(Keyword::Right);
    if !is_right {
        parser.eat_keyword(Keyword::Left);
    }
    parser.expect_keyword(Keyword::For)?;
    parser.expect_keyword(Keyword::Values)?;
    parser.expect(TokenKind::LeftParen)?;
    let is_empty = parser.kind() == TokenKind::RightParen;
    let values = if is_empty { Vec::new() } else { parser.comma_separated(expression::value)? };
    parser.expect(TokenKind::RightParen)?;
    Ok(PartitionStatement::CreateFunction { name, types, is_right, values })
}

/// `() SPLIT|MERGE RANGE (value)`
fn alter_function(parser: &mut Parser<'_>, name: String) -> Parsed<PartitionStatement> {
    parser.expect(TokenKind::LeftParen)?;
    parser.expect(TokenKind::RightParen)?;
    let is_split = parser.eat_word("split");
    if !is_split {
        parser.expect_keyword(Keyword::Merge)?;
    }
    parser.expect_word("range")?;
    parser.expect(TokenKind::LeftParen)?;
    let value = expression::value(parser)?;
    parser.expect(TokenKind::RightParen)?;
    Ok(PartitionStatement::AlterFunction { name, is_split, value })
}

/// `AS PARTITION function [ALL] TO (filegroup, …)`
fn create_scheme(parser: &mut Parser<'_>, name: String) -> Parsed<PartitionStatement> {
    parser.expect_keyword(Keyword::As)?;
    parser.expect_word("partition")?;
    let function = name::ident(parser)?;
    let is_all = parser.eat_keyword(Keyword::All);
    parser.expect_keyword(Keyword::To)?;
    parser.expect(TokenKind::LeftParen)?;
    let groups = parser.comma_separated(|parser| index::data_space(parser).map(|space| space.name))?;
    parser.expect(TokenKind::RightParen)?;
    Ok(PartitionStatement::CreateScheme { name, function, is_all, groups })
}
