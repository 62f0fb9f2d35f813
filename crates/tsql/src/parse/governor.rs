//! The resource governor and the server's configuration.

use super::Parser;
use crate::ast::{
    BufferPoolExtension, Ident, ResourceGovernor, ResourcePool, ServerConfiguration, StatementKind, WorkloadGroup,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `WORKLOAD GROUP name [WITH (…)] [USING pool [, EXTERNAL pool]]`; CREATE or ALTER is read.
    pub(super) fn workload_group(&mut self, alter: bool) -> Parsed<StatementKind> {
        self.at += 2;
        let name = self.governed_name()?;
        let options = self.with_options()?;
        let (mut pool, mut external_pool) = (None, None);
        if self.eat_word("using") {
            if !self.is_keyword(Keyword::External) {
                pool = Some(self.governed_name()?);
                self.eat(TokenKind::Comma);
            }
            if self.eat_keyword(Keyword::External) {
                external_pool = Some(self.governed_name()?);
            }
        }
        let group = WorkloadGroup { alter, name, options, pool, external_pool };
        Ok(StatementKind::WorkloadGroup(Box::new(group)))
    }

    /// DEFAULT is a name here.
    fn governed_name(&mut self) -> Parsed<Ident> {
        if self.eat_keyword(Keyword::Default) { Ok("default".to_owned()) } else { self.ident() }
    }

    /// `[EXTERNAL] RESOURCE POOL name [WITH (…)]`; CREATE or ALTER is read.
    pub(super) fn resource_pool(&mut self, alter: bool) -> Parsed<StatementKind> {
        let external = self.eat_keyword(Keyword::External);
        self.at += 2;
        let name = self.governed_name()?;
        let options = self.with_options()?;
        Ok(StatementKind::ResourcePool(Box::new(ResourcePool { alter, external, name, options })))
    }

    /// Whether `[EXTERNAL] RESOURCE POOL` stands here.
    pub(super) fn is_resource_pool(&self) -> bool {
        let first = usize::from(self.is_keyword(Keyword::External));
        self.is_word_at(first, "resource") && self.is_word_at(first + 1, "pool")
    }

    /// `RESOURCE GOVERNOR RECONFIGURE|DISABLE|RESET STATISTICS|WITH (…)`; ALTER is read.
    pub(super) fn resource_governor(&mut self) -> Parsed<StatementKind> {
        self.at += 2;
        let action = if self.eat_keyword(Keyword::Reconfigure) {
            ResourceGovernor::Reconfigure
        } else if self.eat_word("disable") {
            ResourceGovernor::Disable
        } else if self.eat_word("reset") {
            self.expect_keyword(Keyword::Statistics)?;
            ResourceGovernor::ResetStatistics
        } else if self.is_keyword(Keyword::With) {
            self.bump();
            self.governor_options()?
        } else {
            return Err(self.unexpected());
        };
        Ok(StatementKind::ResourceGovernor(Box::new(action)))
    }

    fn governor_options(&mut self) -> Parsed<ResourceGovernor> {
        let classifier = self.kind() == TokenKind::LeftParen && self.is_word_at(1, "classifier_function");
        if !classifier {
            return self.option_list().map(ResourceGovernor::With);
        }
        self.at += 2;
        self.expect(TokenKind::Equal)?;
        let function = if self.eat_keyword(Keyword::Null) { None } else { Some(self.object_name()?) };
        self.expect(TokenKind::RightParen)?;
        Ok(ResourceGovernor::ClassifierFunction(function))
    }

    /// `SERVER CONFIGURATION SET …`; ALTER is read.
    pub(super) fn server_configuration(&mut self) -> Parsed<StatementKind> {
        self.at += 2;
        self.expect_keyword(Keyword::Set)?;
        if self.is_word("buffer") && self.is_word_at(1, "pool") && self.is_word_at(2, "extension") {
            self.at += 3;
            let extension = self.buffer_pool_extension()?;
            return Ok(StatementKind::ServerConfiguration(ServerConfiguration::BufferPoolExtension(extension)));
        }
        let first = self.at;
        self.skip(|_, _| false)?;
        if self.at == first {
            return Err(self.unexpected());
        }
        Ok(StatementKind::ServerConfiguration(ServerConfiguration::Other(self.source_words(first))))
    }

    /// `ON (FILENAME = 'path', SIZE = n [KB|MB|GB])` or OFF.
    fn buffer_pool_extension(&mut self) -> Parsed<Option<BufferPoolExtension>> {
        if self.eat_keyword(Keyword::Off) {
            return Ok(None);
        }
        self.expect_keyword(Keyword::On)?;
        self.expect(TokenKind::LeftParen)?;
        self.expect_word("filename")?;
        self.expect(TokenKind::Equal)?;
        let filename = self.string()?;
        self.expect(TokenKind::Comma)?;
        self.expect_word("size")?;
        self.expect(TokenKind::Equal)?;
        let number: u64 = self.unsigned()?;
        let unit_kb = if self.eat_word("gb") {
            1 << 20
        } else if self.eat_word("mb") {
            1 << 10
        } else {
            self.eat_word("kb");
            1
        };
        self.expect(TokenKind::RightParen)?;
        Ok(Some(BufferPoolExtension { filename, size_kb: number.saturating_mul(unit_kb) }))
    }
}
