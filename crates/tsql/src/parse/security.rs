//! Principals, permissions, and whose rights a statement has.

use super::Parser;
use crate::ast::{
    ExecuteAs, ExecuteContext, Ident, Permission, PermissionItem, PermissionVerb, Principal, PrincipalKind, Revert,
    Securable, StatementKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

/// Principals.
impl Parser<'_> {
    /// The kind of principal that stands here, and how many words it is.
    pub(super) fn principal_kind(&self) -> Option<(PrincipalKind, usize)> {
        if self.is_keyword(Keyword::User) {
            return Some((PrincipalKind::User, 1));
        }
        if self.is_word("login") {
            return Some((PrincipalKind::Login, 1));
        }
        if self.is_word("role") {
            return Some((PrincipalKind::Role, 1));
        }
        if self.is_word_at(1, "role") {
            if self.is_word("server") {
                return Some((PrincipalKind::ServerRole, 2));
            }
            if self.is_word("application") {
                return Some((PrincipalKind::ApplicationRole, 2));
            }
        }
        None
    }

    /// `kind name …`; CREATE or ALTER is read.
    pub(super) fn principal(&mut self, alter: bool, kind: PrincipalKind, words: usize) -> Parsed<StatementKind> {
        self.at += words;
        let name = self.ident()?;
        let first = self.at;
        self.skip(|parser, keyword| match keyword {
            Keyword::Add | Keyword::Drop => {
                parser.is_word_at(1, "member") || parser.is_word_at(1, "credential") || keyword == Keyword::Add
            }
            _ => false,
        })?;
        let clauses = self.source_words(first);
        Ok(StatementKind::Principal(Box::new(Principal { alter, kind, name, clauses })))
    }
}

/// Permissions.
impl Parser<'_> {
    /// `GRANT|DENY|REVOKE [GRANT OPTION FOR] permission, … [ON object] TO|FROM a, b [WITH GRANT OPTION] [CASCADE] [AS c]`:
    /// the permissions are words that begin statements elsewhere.
    pub(super) fn permission(&mut self, verb: PermissionVerb) -> Parsed<StatementKind> {
        self.bump();
        let mut grant_option = verb == PermissionVerb::Revoke
            && self.is_keyword(Keyword::Grant)
            && self.is_keyword_at(1, Keyword::Option)
            && self.is_keyword_at(2, Keyword::For);
        if grant_option {
            self.at += 3;
        }
        let permissions = self.comma_separated(Self::permission_item)?;
        let securable = if self.eat_keyword(Keyword::On) { Some(self.securable()?) } else { None };
        if !self.eat_keyword(Keyword::To) {
            match verb {
                PermissionVerb::Revoke => self.expect_keyword(Keyword::From)?,
                _ => return Err(self.unexpected()),
            };
        }
        let principals = self.comma_separated(Self::principal_name)?;
        if self.is_keyword(Keyword::With) && self.is_keyword_at(1, Keyword::Grant) {
            self.at += 2;
            self.expect_keyword(Keyword::Option)?;
            grant_option = true;
        }
        let cascade = self.eat_keyword(Keyword::Cascade);
        let grantor = if self.eat_keyword(Keyword::As) { Some(self.ident()?) } else { None };
        let permission = Permission { verb, grant_option, permissions, securable, principals, cascade, grantor };
        Ok(StatementKind::Permission(Box::new(permission)))
    }

    fn principal_name(&mut self) -> Parsed<Ident> {
        if self.eat_keyword(Keyword::Public) { Ok("public".to_owned()) } else { self.ident() }
    }

    /// Words up to a comma, ON, TO or FROM, and columns.
    fn permission_item(&mut self) -> Parsed<PermissionItem> {
        let first = self.at;
        while match self.kind() {
            TokenKind::Word => true,
            TokenKind::Keyword(keyword) => !matches!(keyword, Keyword::On | Keyword::To | Keyword::From),
            _ => false,
        } {
            self.bump();
        }
        if self.at == first {
            return Err(self.unexpected());
        }
        let words = self.source_words(first).to_uppercase();
        let columns = self.column_list()?;
        Ok(PermissionItem { words, columns })
    }

    /// `[class::]name [(columns)]`
    fn securable(&mut self) -> Parsed<Securable> {
        let class = self.securable_class()?;
        let name = self.object_name()?;
        let columns = self.column_list()?;
        Ok(Securable { class, name, columns })
    }
}

/// Contexts.
impl Parser<'_> {
    /// `AS CALLER`, `AS LOGIN|USER = 'name' [WITH NO REVERT | COOKIE INTO @v]`; EXECUTE is read.
    pub(super) fn execute_as(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let context = if self.eat_word("caller") { ExecuteContext::Caller } else { self.login_or_user()? };
        let (mut no_revert, mut cookie) = (false, None);
        if self.is_keyword(Keyword::With) && (self.is_word_at(1, "no") || self.is_word_at(1, "cookie")) {
            self.bump();
            no_revert = self.eat_word("no");
            if no_revert {
                self.expect_keyword(Keyword::Revert)?;
            } else {
                self.bump();
                self.expect_keyword(Keyword::Into)?;
                cookie = Some(self.variable()?);
            }
        }
        Ok(StatementKind::ExecuteAs(Box::new(ExecuteAs { context, no_revert, cookie })))
    }

    /// `LOGIN = 'name'`, `USER = 'name'`
    pub(super) fn login_or_user(&mut self) -> Parsed<ExecuteContext> {
        let user = self.eat_keyword(Keyword::User);
        if !user {
            self.expect_word("login")?;
        }
        self.expect(TokenKind::Equal)?;
        let name = if self.is_string() { self.string()? } else { self.ident()? };
        Ok(if user { ExecuteContext::User(name) } else { ExecuteContext::Login(name) })
    }

    /// `REVERT [WITH COOKIE = @v]`
    pub(super) fn revert(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let mut cookie = None;
        if self.is_keyword(Keyword::With) && self.is_word_at(1, "cookie") {
            self.at += 2;
            self.expect(TokenKind::Equal)?;
            cookie = Some(self.constant()?);
        }
        Ok(StatementKind::Revert(Revert { cookie }))
    }
}
