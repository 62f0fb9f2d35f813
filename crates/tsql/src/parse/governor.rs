//! The resource governor and the server's configuration.

use crate::ast::{
    BufferPoolExtension, Ident, ResourceGovernor, ResourcePool, ServerConfiguration, StatementKind, WorkloadGroup,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, name, option, unsupported};
use crate::token::TokenKind;

/// `WORKLOAD GROUP name [WITH (…)] [USING pool [, EXTERNAL pool]]`; CREATE or ALTER is read.
pub(super) fn workload_group(parser: &mut Parser<'_>, alter: bool) -> Parsed<StatementKind> {
    parser.at += 2;
    let name = governed_name(parser)?;
    let options = option::with_options(parser)?;
    let (mut pool, mut external_pool) = (None, None);
    if parser.eat_word("using") {
        if !parser.is_keyword(Keyword::External) {
            pool = Some(governed_name(parser)?);
            parser.eat(TokenKind::Comma);
        }
        if parser.eat_keyword(Keyword::External) {
            external_pool = Some(governed_name(parser)?);
        }
    }
    let group = WorkloadGroup { alter, name, options, pool, external_pool };
    Ok(StatementKind::WorkloadGroup(Box::new(group)))
}

/// DEFAULT is a name here.
fn governed_name(parser: &mut Parser<'_>) -> Parsed<Ident> {
    if parser.eat_keyword(Keyword::Default) { Ok("default".to_owned()) } else { name::ident(parser) }
}

/// `[EXTERNAL] RESOURCE POOL name [WITH (…)]`; CREATE or ALTER is read.
pub(super) fn resource_pool(parser: &mut Parser<'_>, alter: bool) -> Parsed<StatementKind> {
    let external = parser.eat_keyword(Keyword::External);
    parser.at += 2;
    let name = governed_name(parser)?;
    let options = option::with_options(parser)?;
    Ok(StatementKind::ResourcePool(Box::new(ResourcePool { alter, external, name, options })))
}

/// Whether `[EXTERNAL] RESOURCE POOL` stands here.
pub(super) fn is_resource_pool(parser: &Parser<'_>) -> bool {
    let first = usize::from(parser.is_keyword(Keyword::External));
    parser.is_word_at(first, "resource") && parser.is_word_at(first + 1, "pool")
}

/// `RESOURCE GOVERNOR RECONFIGURE|DISABLE|RESET STATISTICS|WITH (…)`; ALTER is read.
pub(super) fn resource_governor(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.at += 2;
    let action = if parser.eat_keyword(Keyword::Reconfigure) {
        ResourceGovernor::Reconfigure
    } else if parser.eat_word("disable") {
        ResourceGovernor::Disable
    } else if parser.eat_word("reset") {
        parser.expect_keyword(Keyword::Statistics)?;
        ResourceGovernor::ResetStatistics
    } else if parser.is_keyword(Keyword::With) {
        parser.bump();
        governor_options(parser)?
    } else {
        return Err(parser.unexpected());
    };
    Ok(StatementKind::ResourceGovernor(Box::new(action)))
}

fn governor_options(parser: &mut Parser<'_>) -> Parsed<ResourceGovernor> {
    let classifier = parser.kind() == TokenKind::LeftParen && parser.is_word_at(1, "classifier_function");
    if !classifier {
        return option::option_list(parser).map(ResourceGovernor::With);
    }
    parser.at += 2;
    parser.expect(TokenKind::Equal)?;
    let function = if parser.eat_keyword(Keyword::Null) { None } else { Some(name::object_name(parser)?) };
    parser.expect(TokenKind::RightParen)?;
    Ok(ResourceGovernor::ClassifierFunction(function))
}

/// `SERVER CONFIGURATION SET …`; ALTER is read.
pub(super) fn server_configuration(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.at += 2;
    parser.expect_keyword(Keyword::Set)?;
    if parser.is_word("buffer") && parser.is_word_at(1, "pool") && parser.is_word_at(2, "extension") {
        parser.at += 3;
        let extension = buffer_pool_extension(parser)?;
        return Ok(StatementKind::ServerConfiguration(ServerConfiguration::BufferPoolExtension(extension)));
    }
    let first = parser.at;
    unsupported::skip(parser, |_, _| false)?;
    if parser.at == first {
        return Err(parser.unexpected());
    }
    Ok(StatementKind::ServerConfiguration(ServerConfiguration::Other(option::source_words(parser, first))))
}

/// `ON (FILENAME = 'path', SIZE = n [KB|MB|GB])` or OFF.
fn buffer_pool_extension(parser: &mut Parser<'_>) -> Parsed<Option<BufferPoolExtension>> {
    if parser.eat_keyword(Keyword::Off) {
        return Ok(None);
    }
    parser.expect_keyword(Keyword::On)?;
    parser.expect(TokenKind::LeftParen)?;
    parser.expect_word("filename")?;
    parser.expect(TokenKind::Equal)?;
    let filename = name::string(parser)?;
    parser.expect(TokenKind::Comma)?;
    parser.expect_word("size")?;
    parser.expect(TokenKind::Equal)?;
    let number: u64 = name::unsigned(parser)?;
    let unit_kb = if parser.eat_word("gb") {
        1 << 20
    } else if parser.eat_word("mb") {
        1 << 10
    } else {
        parser.eat_word("kb");
        1
    };
    parser.expect(TokenKind::RightParen)?;
    Ok(Some(BufferPoolExtension { filename, size_kb: number.saturating_mul(unit_kb) }))
}
