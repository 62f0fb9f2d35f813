//! Principals, permissions, and whose rights a statement has.

use crate::ast::{
    ExecuteAs, ExecuteContext, ExprKind, Ident, Literal, PasswordValue, Permission, PermissionItem, PermissionVerb,
    Principal, PrincipalChange, PrincipalKind, PrincipalOption, PrincipalSource, Revert, Securable, SetUser,
    StatementKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, literal, name, option};
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
    let change = principal_change(parser, alter, kind)?;
    let clauses = option::source_words(parser, first);
    Ok(StatementKind::Principal(Box::new(Principal { alter, kind, name, change, clauses })))
}

fn principal_change(parser: &mut Parser<'_>, alter: bool, kind: PrincipalKind) -> Parsed<PrincipalChange> {
    let is_role = matches!(kind, PrincipalKind::Role | PrincipalKind::ServerRole);
    if alter && (parser.is_keyword(Keyword::Add) || parser.is_keyword(Keyword::Drop)) {
        let adds = parser.is_keyword(Keyword::Add);
        parser.bump();
        if kind == PrincipalKind::Login {
            parser.expect_word("credential")?;
            name::ident(parser)?;
            return Ok(PrincipalChange::Credential);
        }
        parser.expect_word("member")?;
        let member = name::ident(parser)?;
        return Ok(if adds { PrincipalChange::AddMember(member) } else { PrincipalChange::DropMember(member) });
    }
    if alter && kind == PrincipalKind::Login && parser.eat_word("enable") {
        return Ok(PrincipalChange::Enable);
    }
    if alter && kind == PrincipalKind::Login && parser.eat_word("disable") {
        return Ok(PrincipalChange::Disable);
    }
    let source = if alter { None } else { principal_source(parser, kind)? };
    let owner =
        if !alter && is_role && parser.eat_keyword(Keyword::Authorization) { Some(name::ident(parser)?) } else { None };
    let options = if parser.is_keyword(Keyword::With) && !parser.is_word_at(1, "member") {
        parser.bump();
        principal_options(parser)?
    } else {
        Vec::new()
    };
    let is_said = !options.is_empty() || source.is_some();
    // ALTER says something, and what is made with a password has one.
    if !is_said && (alter || matches!(kind, PrincipalKind::Login | PrincipalKind::ApplicationRole)) {
        return Err(parser.unexpected());
    }
    Ok(PrincipalChange::Options { source, owner, options })
}

fn principal_source(parser: &mut Parser<'_>, kind: PrincipalKind) -> Parsed<Option<PrincipalSource>> {
    if kind == PrincipalKind::User && parser.is_word("without") && parser.is_word_at(1, "login") {
        parser.at += 2;
        return Ok(Some(PrincipalSource::WithoutLogin));
    }
    if !matches!(kind, PrincipalKind::User | PrincipalKind::Login)
        || !(parser.eat_keyword(Keyword::For) || parser.eat_keyword(Keyword::From))
    {
        return Ok(None);
    }
    if kind == PrincipalKind::User && parser.eat_word("login") {
        return name::ident(parser).map(|login| Some(PrincipalSource::Login(login)));
    }
    if parser.eat_word("windows") {
        return Ok(Some(PrincipalSource::Absent("WINDOWS")));
    }
    let absent = if parser.eat_word("certificate") {
        "CERTIFICATE"
    } else if parser.eat_word("asymmetric") {
        parser.expect_keyword(Keyword::Key)?;
        "ASYMMETRIC KEY"
    } else {
        parser.expect_keyword(Keyword::External)?;
        parser.expect_word("provider")?;
        return Ok(Some(PrincipalSource::Absent("EXTERNAL PROVIDER")));
    };
    name::ident(parser)?;
    Ok(Some(PrincipalSource::Absent(absent)))
}

/// Options with commas between them; none stands before OLD_PASSWORD.
fn principal_options(parser: &mut Parser<'_>) -> Parsed<Vec<PrincipalOption>> {
    let mut options = vec![principal_option(parser)?];
    while parser.eat(TokenKind::Comma) || parser.is_word("old_password") {
        options.push(principal_option(parser)?);
    }
    Ok(options)
}

fn principal_option(parser: &mut Parser<'_>) -> Parsed<PrincipalOption> {
    if parser.is_word("no") && parser.is_word_at(1, "credential") {
        parser.at += 2;
        return Ok(PrincipalOption::Credential);
    }
    let words = [
        "PASSWORD",
        "OLD_PASSWORD",
        "SID",
        "DEFAULT_DATABASE",
        "DEFAULT_LANGUAGE",
        "CHECK_POLICY",
        "CHECK_EXPIRATION",
        "NAME",
        "DEFAULT_SCHEMA",
        "LOGIN",
        "CREDENTIAL",
        "ALLOW_ENCRYPTED_VALUE_MODIFICATIONS",
    ];
    let Some(word) = words.into_iter().find(|word| parser.is_word(word)) else { return Err(parser.unexpected()) };
    parser.bump();
    parser.expect(TokenKind::Equal)?;
    Ok(match word {
        "PASSWORD" => password(parser)?,
        "OLD_PASSWORD" => {
            parser.met.has_password = true;
            PrincipalOption::OldPassword(name::string(parser)?)
        }
        "SID" => PrincipalOption::Sid(binary(parser)?),
        "DEFAULT_DATABASE" => PrincipalOption::DefaultDatabase(name::ident(parser)?),
        "DEFAULT_LANGUAGE" if parser.eat_word("none") => PrincipalOption::DefaultLanguage(None),
        "DEFAULT_LANGUAGE" if parser.kind() == TokenKind::Integer => {
            let number: u32 = name::unsigned(parser)?;
            PrincipalOption::DefaultLanguage(Some(number.to_string()))
        }
        "DEFAULT_LANGUAGE" => PrincipalOption::DefaultLanguage(Some(name::ident(parser)?)),
        "CHECK_POLICY" => PrincipalOption::CheckPolicy(on_or_off(parser)?),
        "CHECK_EXPIRATION" => PrincipalOption::CheckExpiration(on_or_off(parser)?),
        "NAME" => PrincipalOption::Name(name::ident(parser)?),
        "DEFAULT_SCHEMA" if parser.eat_keyword(Keyword::Null) => PrincipalOption::DefaultSchema(None),
        "DEFAULT_SCHEMA" => PrincipalOption::DefaultSchema(Some(name::ident(parser)?)),
        "LOGIN" => PrincipalOption::Login(name::ident(parser)?),
        "CREDENTIAL" => {
            name::ident(parser)?;
            PrincipalOption::Credential
        }
        _ => PrincipalOption::AllowEncryptedValueModifications(on_or_off(parser)?),
    })
}

/// `'text' | 0x… HASHED`, MUST_CHANGE and UNLOCK after it.
fn password(parser: &mut Parser<'_>) -> Parsed<PrincipalOption> {
    parser.met.has_password = true;
    let value = if parser.kind() == TokenKind::Binary {
        let hash = binary(parser)?;
        parser.expect_word("hashed")?;
        PasswordValue::Hash(hash)
    } else {
        PasswordValue::Text(name::string(parser)?)
    };
    let (mut must_change, mut unlock) = (false, false);
    loop {
        if parser.eat_word("must_change") {
            must_change = true;
        } else if parser.eat_word("unlock") {
            unlock = true;
        } else {
            return Ok(PrincipalOption::Password { value, must_change, unlock });
        }
    }
}

fn binary(parser: &mut Parser<'_>) -> Parsed<Vec<u8>> {
    match literal::constant(parser)?.kind {
        ExprKind::Literal(Literal::Binary(bytes)) => Ok(bytes),
        _ => Err(parser.unexpected()),
    }
}

fn on_or_off(parser: &mut Parser<'_>) -> Parsed<bool> {
    if parser.eat_keyword(Keyword::On) {
        return Ok(true);
    }
    parser.expect_keyword(Keyword::Off).map(|_| false)
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

/// `SETUSER ['user'|@user [WITH NORESET]]`
pub(super) fn set_user(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    if !name::is_string(parser) && parser.kind() != TokenKind::Variable {
        return Ok(StatementKind::SetUser(SetUser { user: None, no_reset: false }));
    }
    let user = Some(literal::constant(parser)?);
    let no_reset = parser.is_keyword(Keyword::With) && parser.is_word_at(1, "noreset");
    if no_reset {
        parser.at += 2;
    }
    Ok(StatementKind::SetUser(SetUser { user, no_reset }))
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
