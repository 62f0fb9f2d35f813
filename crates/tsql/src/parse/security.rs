//! Principals, permissions, and whose rights a statement has.

use crate::ast::{
    ExecuteAs, ExecuteContext, Ident, Permission, PermissionItem, PermissionVerb, Principal, PrincipalKind, Revert,
    Securable, StatementKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, literal, name, option, unsupported};
use crate::token::TokenKind;

// Principals.

/// The kind of principal that stands here, and how many words it is.
pub(super) fn principal_kind(parser: &Parser<'_>) -> Option<(PrincipalKind, usize)> {
    if parser.is_keyword(Keyword::User) {
        return Some((PrincipalKind::User, 1));
    }
    if parser.is_word("login") {
        return Some((PrincipalKind::Login, 1));
    }
    if parser.is_word("role") {
        return Some((PrincipalKind::Role, 1));
    }
    if parser.is_word_at(1, "role") {
        if parser.is_word("server") {
            return Some((PrincipalKind::ServerRole, 2));
        }
        if parser.is_word("application") {
            return Some((PrincipalKind::ApplicationRole, 2));
        }
    }
    None
}

/// `kind name …`; CREATE or ALTER is read.
pub(super) fn principal(
    parser: &mut Parser<'_>,
    alter: bool,
    kind: PrincipalKind,
    words: usize,
) -> Parsed<StatementKind> {
    parser.at += words;
    let name = name::ident(parser)?;
    let first = parser.at;
    unsupported::skip(parser, |parser, keyword| match keyword {
        Keyword::Add | Keyword::Drop => {
            parser.is_word_at(1, "member") || parser.is_word_at(1, "credential") || keyword == Keyword::Add
        }
        _ => false,
    })?;
    let clauses = option::source_words(parser, first);
    Ok(StatementKind::Principal(Box::new(Principal { alter, kind, name, clauses })))
}

// Permissions.

/// `GRANT|DENY|REVOKE [GRANT OPTION FOR] permission, … [ON object] TO|FROM a, b [WITH GRANT OPTION] [CASCADE] [AS c]`:
/// the permissions are words that begin statements elsewhere.
pub(super) fn permission(parser: &mut Parser<'_>, verb: PermissionVerb) -> Parsed<StatementKind> {
    parser.bump();
    let mut grant_option = verb == PermissionVerb::Revoke
        && parser.is_keyword(Keyword::Grant)
        && parser.is_keyword_at(1, Keyword::Option)
        && parser.is_keyword_at(2, Keyword::For);
    if grant_option {
        parser.at += 3;
    }
    let permissions = parser.comma_separated(permission_item)?;
    let securable = if parser.eat_keyword(Keyword::On) { Some(securable(parser)?) } else { None };
    if !parser.eat_keyword(Keyword::To) {
        match verb {
            PermissionVerb::Revoke => parser.expect_keyword(Keyword::From)?,
            _ => return Err(parser.unexpected()),
        };
    }
    let principals = parser.comma_separated(principal_name)?;
    if parser.is_keyword(Keyword::With) && parser.is_keyword_at(1, Keyword::Grant) {
        parser.at += 2;
        parser.expect_keyword(Keyword::Option)?;
        grant_option = true;
    }
    let cascade = parser.eat_keyword(Keyword::Cascade);
    let grantor = if parser.eat_keyword(Keyword::As) { Some(name::ident(parser)?) } else { None };
    let permission = Permission { verb, grant_option, permissions, securable, principals, cascade, grantor };
    Ok(StatementKind::Permission(Box::new(permission)))
}

fn principal_name(parser: &mut Parser<'_>) -> Parsed<Ident> {
    if parser.eat_keyword(Keyword::Public) { Ok("public".to_owned()) } else { name::ident(parser) }
}

/// Words up to a comma, ON, TO or FROM, and columns.
fn permission_item(parser: &mut Parser<'_>) -> Parsed<PermissionItem> {
    let first = parser.at;
    while match parser.kind() {
        TokenKind::Word => true,
        TokenKind::Keyword(keyword) => !matches!(keyword, Keyword::On | Keyword::To | Keyword::From),
        _ => false,
    } {
        parser.bump();
    }
    if parser.at == first {
        return Err(parser.unexpected());
    }
    let words = option::source_words(parser, first).to_uppercase();
    let columns = name::column_list(parser)?;
    Ok(PermissionItem { words, columns })
}

/// `[class::]name [(columns)]`
fn securable(parser: &mut Parser<'_>) -> Parsed<Securable> {
    let class = name::securable_class(parser)?;
    let name = name::object_name(parser)?;
    let columns = name::column_list(parser)?;
    Ok(Securable { class, name, columns })
}

// Contexts.

/// `AS CALLER`, `AS LOGIN|USER = 'name' [WITH NO REVERT | COOKIE INTO @v]`; EXECUTE is read.
pub(super) fn execute_as(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let context = if parser.eat_word("caller") { ExecuteContext::Caller } else { login_or_user(parser)? };
    let (mut no_revert, mut cookie) = (false, None);
    if parser.is_keyword(Keyword::With) && (parser.is_word_at(1, "no") || parser.is_word_at(1, "cookie")) {
        parser.bump();
        no_revert = parser.eat_word("no");
        if no_revert {
            parser.expect_keyword(Keyword::Revert)?;
        } else {
            parser.bump();
            parser.expect_keyword(Keyword::Into)?;
            cookie = Some(name::variable(parser)?);
        }
    }
    Ok(StatementKind::ExecuteAs(Box::new(ExecuteAs { context, no_revert, cookie })))
}

/// `LOGIN = 'name'`, `USER = 'name'`
pub(super) fn login_or_user(parser: &mut Parser<'_>) -> Parsed<ExecuteContext> {
    let user = parser.eat_keyword(Keyword::User);
    if !user {
        parser.expect_word("login")?;
    }
    parser.expect(TokenKind::Equal)?;
    let name = if name::is_string(parser) { name::string(parser)? } else { name::ident(parser)? };
    Ok(if user { ExecuteContext::User(name) } else { ExecuteContext::Login(name) })
}

/// `REVERT [WITH COOKIE = @v]`
pub(super) fn revert(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let mut cookie = None;
    if parser.is_keyword(Keyword::With) && parser.is_word_at(1, "cookie") {
        parser.at += 2;
        parser.expect(TokenKind::Equal)?;
        cookie = Some(literal::constant(parser)?);
    }
    Ok(StatementKind::Revert(Revert { cookie }))
}
