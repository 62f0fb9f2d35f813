//! Sessions of extended events.

use crate::ast::{
    AddedEvent, BinaryOp, EventPredicate, EventSession, EventSessionAction, EventSessionChange, EventValue, Ident,
    NamedOption, ObjectName, StatementKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, expression, name, option};
use crate::token::TokenKind;

/// Whether `EVENT SESSION` stands here.
pub(super) fn is_event_session(parser: &Parser<'_>) -> bool {
    parser.is_word("event") && parser.is_word_at(1, "session")
}

/// `EVENT SESSION name ON SERVER|DATABASE …`; the verb is read.
pub(super) fn event_session(parser: &mut Parser<'_>, verb: Keyword) -> Parsed<StatementKind> {
    parser.at += 2;
    let name = name::ident(parser)?;
    parser.expect_keyword(Keyword::On)?;
    let on_database = parser.eat_keyword(Keyword::Database);
    if !on_database {
        parser.expect_word("server")?;
    }
    let action = match verb {
        Keyword::Create => {
            let changes = changes(parser, false)?;
            if !matches!(changes.first(), Some(EventSessionChange::AddEvent(_))) {
                return Err(parser.unexpected());
            }
            EventSessionAction::Create { changes, options: options(parser)? }
        }
        Keyword::Alter if parser.is_word("state") => state(parser)?,
        Keyword::Alter => {
            let changes = changes(parser, true)?;
            let options = options(parser)?;
            if changes.is_empty() && options.is_empty() {
                return Err(parser.unexpected());
            }
            EventSessionAction::Alter { changes, options }
        }
        _ => EventSessionAction::Drop,
    };
    Ok(StatementKind::EventSession(Box::new(EventSession { name, on_database, action })))
}

fn state(parser: &mut Parser<'_>) -> Parsed<EventSessionAction> {
    parser.bump();
    parser.expect(TokenKind::Equal)?;
    let starts = parser.eat_word("start");
    if !starts {
        parser.expect_word("stop")?;
    }
    Ok(EventSessionAction::State(starts))
}

fn options(parser: &mut Parser<'_>) -> Parsed<Vec<NamedOption>> {
    option::with_options(parser)
}

/// `ADD EVENT …, ADD TARGET …`; with commas between two of them, or without.
fn changes(parser: &mut Parser<'_>, may_drop: bool) -> Parsed<Vec<EventSessionChange>> {
    let mut changes = Vec::new();
    loop {
        let adds = parser.is_keyword(Keyword::Add);
        let is_one = (adds || (may_drop && parser.is_keyword(Keyword::Drop)))
            && (parser.is_word_at(1, "event") || parser.is_word_at(1, "target"));
        if !is_one {
            return Ok(changes);
        }
        parser.bump();
        let is_event = parser.is_word("event");
        parser.bump();
        let name = name::object_name(parser)?;
        changes.push(match (adds, is_event) {
            (true, true) => EventSessionChange::AddEvent(added_event(parser, name)?),
            (true, false) => EventSessionChange::AddTarget { settings: target_settings(parser)?, name },
            (false, true) => EventSessionChange::DropEvent(name),
            (false, false) => EventSessionChange::DropTarget(name),
        });
        if parser.kind() == TokenKind::Comma {
            parser.bump();
            if !parser.is_keyword(Keyword::Add) && !parser.is_keyword(Keyword::Drop) {
                return Err(parser.unexpected());
            }
        }
    }
}

/// `(SET …, ACTION (…), WHERE …)`, each of them once; with commas between two of them, or without.
fn added_event(parser: &mut Parser<'_>, name: ObjectName) -> Parsed<AddedEvent> {
    let mut added = AddedEvent { name, settings: Vec::new(), actions: Vec::new(), predicate: None };
    if !parser.eat(TokenKind::LeftParen) {
        return Ok(added);
    }
    if parser.eat_keyword(Keyword::Set) {
        added.settings = settings(parser)?;
        parser.eat(TokenKind::Comma);
    }
    if parser.eat_word("action") {
        added.actions = parser.parenthesised(name::object_name)?;
        parser.eat(TokenKind::Comma);
    }
    if parser.eat_keyword(Keyword::Where) {
        added.predicate = Some(predicate(parser)?);
    }
    parser.expect(TokenKind::RightParen)?;
    Ok(added)
}

/// `(SET name = value, …)`
fn target_settings(parser: &mut Parser<'_>) -> Parsed<Vec<(Ident, EventValue)>> {
    if !parser.eat(TokenKind::LeftParen) {
        return Ok(Vec::new());
    }
    parser.expect_keyword(Keyword::Set)?;
    let settings = settings(parser)?;
    parser.expect(TokenKind::RightParen)?;
    Ok(settings)
}

fn settings(parser: &mut Parser<'_>) -> Parsed<Vec<(Ident, EventValue)>> {
    let mut settings = vec![setting(parser)?];
    // After the last one of an event a comma and ACTION may follow.
    while parser.kind() == TokenKind::Comma
        && !parser.is_word_at(1, "action")
        && !parser.is_keyword_at(1, Keyword::Where)
    {
        parser.bump();
        settings.push(setting(parser)?);
    }
    Ok(settings)
}

fn setting(parser: &mut Parser<'_>) -> Parsed<(Ident, EventValue)> {
    let name = name::ident(parser)?;
    parser.expect(TokenKind::Equal)?;
    Ok((name, value(parser)?))
}

/// A number or a string, in parentheses or not.
fn value(parser: &mut Parser<'_>) -> Parsed<EventValue> {
    if parser.eat(TokenKind::LeftParen) {
        let inner = parser.nested(value)?;
        parser.expect(TokenKind::RightParen)?;
        return Ok(inner);
    }
    let sign = if parser.eat(TokenKind::Minus) { "-" } else { "" };
    let token = parser.token();
    let value = match token.kind {
        TokenKind::Integer | TokenKind::Decimal => EventValue::Number(format!("{sign}{}", parser.source(token))),
        TokenKind::String | TokenKind::NationalString if sign.is_empty() => {
            EventValue::Text(parser.delimited_value(token))
        }
        _ => return Err(parser.unexpected()),
    };
    parser.bump();
    Ok(value)
}

fn predicate(parser: &mut Parser<'_>) -> Parsed<EventPredicate> {
    let mut parts = vec![conjunction(parser)?];
    while parser.eat_keyword(Keyword::Or) {
        parts.push(conjunction(parser)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { EventPredicate::Or(parts) })
}

fn conjunction(parser: &mut Parser<'_>) -> Parsed<EventPredicate> {
    let mut parts = vec![negation(parser)?];
    while parser.eat_keyword(Keyword::And) {
        parts.push(negation(parser)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { EventPredicate::And(parts) })
}

fn negation(parser: &mut Parser<'_>) -> Parsed<EventPredicate> {
    if parser.eat_keyword(Keyword::Not) {
        return parser.nested(negation).map(|part| EventPredicate::Not(Box::new(part)));
    }
    if parser.kind() == TokenKind::LeftParen && !is_source_in_parentheses(parser) {
        parser.bump();
        let inner = parser.nested(predicate)?;
        parser.expect(TokenKind::RightParen)?;
        return Ok(inner);
    }
    let source = source(parser)?;
    if parser.kind() == TokenKind::LeftParen {
        parser.bump();
        let function = source;
        let source = self::source(parser)?;
        parser.expect(TokenKind::Comma)?;
        let value = value(parser)?;
        parser.expect(TokenKind::RightParen)?;
        return Ok(EventPredicate::Call { function, source, value });
    }
    let op = operator(parser.kind()).ok_or_else(|| parser.unexpected())?;
    parser.bump();
    Ok(EventPredicate::Compare { source, op, value: value(parser)? })
}

/// Whether what the parenthesis here encloses is compared with something: then it is a source.
fn is_source_in_parentheses(parser: &Parser<'_>) -> bool {
    let partner = parser.token().partner as usize;
    let after = parser.tokens.get(partner + 1).map(|token| token.kind);
    partner != 0 && after.is_some_and(|kind| operator(kind).is_some())
}

/// `[package.]source`, in parentheses or not.
fn source(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    if parser.eat(TokenKind::LeftParen) {
        let inner = parser.nested(source)?;
        parser.expect(TokenKind::RightParen)?;
        return Ok(inner);
    }
    name::object_name(parser)
}

fn operator(kind: TokenKind) -> Option<BinaryOp> {
    expression::comparison(kind)
}
