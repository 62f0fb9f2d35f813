//! Control of flow: blocks, IF, WHILE, TRY, labels; and what is said to the client: PRINT, RAISERROR, THROW.

use crate::SyntaxError;
use crate::ast::{Expr, ExprKind, Literal, Statement, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::{Parser, literal, name, option, query, unsupported};
use crate::token::TokenKind;

/// Longest name of a transaction or savepoint, in UTF-16 units.
const TRANSACTION_NAME_UNITS_MAX: usize = 32;

/// BEGIN: a block, a TRY, or a transaction.
pub(super) fn begin(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    match parser.kind() {
        TokenKind::Keyword(Keyword::Tran | Keyword::Transaction) => begin_transaction(parser),
        TokenKind::Keyword(Keyword::Distributed) => unsupported::skip_as(parser, "BEGIN DISTRIBUTED TRANSACTION"),
        _ if parser.is_word("try") => try_catch(parser),
        _ if parser.is_word("atomic") && parser.is_keyword_at(1, Keyword::With) => {
            parser.at += 2;
            atomic_block(parser)
        }
        _ if parser.is_word("dialog") || (parser.is_word("conversation") && parser.is_word_at(1, "timer")) => {
            unsupported::skip_as(parser, "BEGIN CONVERSATION")
        }
        _ => block(parser),
    }
}

fn block(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let body = parser.statements()?;
    if body.is_empty() {
        return Err(nothing_before_end(parser, 0));
    }
    parser.expect_keyword(Keyword::End)?;
    Ok(StatementKind::Block(body))
}

/// 102 for END of a block of no statements, near the token so far after it.
fn nothing_before_end(parser: &mut Parser<'_>, ahead: usize) -> Box<SyntaxError> {
    match parser.tokens.get(parser.at + ahead) {
        Some(token) if parser.is_keyword(Keyword::End) && token.kind != TokenKind::End => {
            error::near(parser.source(*token), token.line)
        }
        _ => parser.unexpected(),
    }
}

/// `(option, …) statements END`; BEGIN ATOMIC WITH is read.
fn atomic_block(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let options = option::option_list(parser)?;
    match block(parser)? {
        StatementKind::Block(body) => Ok(StatementKind::Atomic { options, body }),
        other => Ok(other),
    }
}

/// `TRY … END TRY BEGIN CATCH … END CATCH`; a CATCH may be empty.
fn try_catch(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let body = scoped_statements(parser)?;
    if body.is_empty() {
        return Err(nothing_before_end(parser, 1));
    }
    parser.expect_keyword(Keyword::End)?;
    parser.expect_word("try")?;
    parser.expect_keyword(Keyword::Begin)?;
    parser.expect_word("catch")?;
    parser.context.catches += 1;
    let handler = scoped_statements(parser)?;
    parser.context.catches -= 1;
    parser.expect_keyword(Keyword::End)?;
    parser.expect_word("catch")?;
    Ok(StatementKind::TryCatch { body, handler })
}

/// Statements that no GOTO may jump into.
fn scoped_statements(parser: &mut Parser<'_>) -> Parsed<Vec<Statement>> {
    parser.met.labels.scope_count += 1;
    parser.met.labels.scopes.push(parser.met.labels.scope_count);
    let statements = parser.statements()?;
    parser.met.labels.scopes.pop();
    Ok(statements)
}

/// A chain of ELSE IFs is read in a loop, so that only the height of its tree bounds it.
pub(super) fn if_statement(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let mut branches: Vec<(usize, Expr, Statement)> = Vec::new();
    let mut last: Option<Statement> = None;
    loop {
        let first = parser.at;
        parser.expect_keyword(Keyword::If)?;
        let condition = parser.condition()?;
        let then = parser.nested_statement()?;
        branches.push((first, condition, then));
        parser.grow(1)?;
        if parser.kind() == TokenKind::Semicolon && parser.is_keyword_at(1, Keyword::Else) {
            parser.bump();
        }
        if !parser.eat_keyword(Keyword::Else) {
            break;
        }
        if !parser.is_keyword(Keyword::If) {
            last = Some(parser.nested_statement()?);
            break;
        }
    }
    join_branches(parser, branches, last)
}

fn join_branches(
    parser: &mut Parser<'_>,
    branches: Vec<(usize, Expr, Statement)>,
    mut otherwise: Option<Statement>,
) -> Parsed<StatementKind> {
    for (first, condition, then) in branches.into_iter().rev() {
        let kind = StatementKind::If { condition, then: Box::new(then), otherwise: otherwise.take().map(Box::new) };
        otherwise = Some(Statement { kind, span: parser.span_from(first), number: parser.next_number() });
    }
    match otherwise {
        Some(statement) => Ok(statement.kind),
        None => Err(parser.unexpected()),
    }
}

pub(super) fn while_statement(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let condition = parser.condition()?;
    parser.context.loops += 1;
    let body = Box::new(parser.nested_statement()?);
    parser.context.loops -= 1;
    Ok(StatementKind::While { condition, body })
}

pub(super) fn loop_exit(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let is_break = parser.is_keyword(Keyword::Break);
    let line = parser.bump().line;
    match (is_break, parser.context.loops) {
        (true, 0) => Err(error::break_outside_while(line)),
        (false, 0) => Err(error::continue_outside_while(line)),
        (true, _) => Ok(StatementKind::Break),
        (false, _) => Ok(StatementKind::Continue),
    }
}

/// `RETURN [value]`; what cannot begin a value is the next statement.
pub(super) fn return_statement(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let line = parser.bump().line;
    let value = if begins_value(parser) { Some(parser.value()?) } else { None };
    if value.is_some() && !parser.context.returns_value {
        return Err(error::returns_value(line));
    }
    Ok(StatementKind::Return(value))
}

fn begins_value(parser: &Parser<'_>) -> bool {
    use Keyword::*;
    match parser.kind() {
        TokenKind::Word => !name::is_label(parser),
        TokenKind::Keyword(keyword) => matches!(
            keyword,
            Null | Case
                | Convert
                | TryConvert
                | Coalesce
                | NullIf
                | Left
                | Right
                | User
                | CurrentUser
                | SessionUser
                | SystemUser
                | CurrentTimestamp
                | CurrentDate
                | CurrentTime
        ),
        TokenKind::Semicolon | TokenKind::End | TokenKind::RightParen => false,
        _ => true,
    }
}

/// `WAITFOR DELAY|TIME value`; `WAITFOR (statement)` is known, but not run.
pub(super) fn wait_for(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    if parser.kind() == TokenKind::LeftParen {
        unsupported::skip_parentheses(parser)?;
        return unsupported::skip_as(parser, "WAITFOR (statement)");
    }
    if parser.eat_word("delay") {
        return Ok(StatementKind::WaitForDelay(literal::constant(parser)?));
    }
    parser.expect_word("time")?;
    Ok(StatementKind::WaitForTime(literal::constant(parser)?))
}

// Labels.

pub(super) fn label(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let line = parser.line();
    let label = name::ident(parser)?;
    parser.expect(TokenKind::Colon)?;
    let scopes = parser.met.labels.scopes.clone();
    if parser.met.labels.declared.insert(label.to_lowercase(), scopes).is_some() {
        return Err(error::label_declared_twice(&label, line));
    }
    Ok(StatementKind::Label(label))
}

pub(super) fn goto(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let line = parser.bump().line;
    let label = name::ident(parser)?;
    parser.met.labels.wanted.push((label.clone(), line, parser.met.labels.scopes.clone()));
    Ok(StatementKind::Goto(label))
}

/// Every GOTO has its label, and none jumps into a TRY or CATCH block.
pub(super) fn check_labels(parser: &Parser<'_>) -> Parsed<()> {
    for (label, line, from) in &parser.met.labels.wanted {
        match parser.met.labels.declared.get(&label.to_lowercase()) {
            None => return Err(error::label_missing(label, *line)),
            Some(to) if !from.starts_with(to) => return Err(error::goto_into_try(*line)),
            Some(_) => {}
        }
    }
    Ok(())
}

// Messages.

pub(super) fn print(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    Ok(StatementKind::Print(query::without_queries(parser, Parser::value)?))
}

/// `RAISERROR (message, severity, state [, arg]…) [WITH option, …]`
pub(super) fn raise_error(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    parser.expect(TokenKind::LeftParen)?;
    let message = literal::constant(parser)?;
    parser.expect(TokenKind::Comma)?;
    let severity = literal::constant(parser)?;
    parser.expect(TokenKind::Comma)?;
    let state = literal::constant(parser)?;
    let mut args = Vec::new();
    while parser.eat(TokenKind::Comma) {
        args.push(literal::constant(parser)?);
    }
    parser.expect(TokenKind::RightParen)?;
    let mut options = Vec::new();
    if parser.is_keyword(Keyword::With) && is_raise_option(parser, 1) {
        parser.bump();
        options = parser.comma_separated(raise_option)?;
    }
    Ok(StatementKind::RaiseError { message, severity, state, args, options })
}

fn is_raise_option(parser: &Parser<'_>, ahead: usize) -> bool {
    ["log", "nowait", "seterror"].iter().any(|word| parser.is_word_at(ahead, word))
}

fn raise_option(parser: &mut Parser<'_>) -> Parsed<String> {
    if !is_raise_option(parser, 0) {
        return Err(parser.unexpected());
    }
    Ok(name::word(parser)?.to_uppercase())
}

/// `THROW [number, message, state]`; without them it stands in a CATCH.
pub(super) fn throw(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let line = parser.bump().line;
    if !matches!(parser.kind(), TokenKind::Integer | TokenKind::Variable | TokenKind::Minus) {
        return match parser.context.catches {
            0 => Err(error::nothing_to_rethrow(line)),
            _ => Ok(StatementKind::Throw(None)),
        };
    }
    let number = literal::constant(parser)?;
    parser.expect(TokenKind::Comma)?;
    let message = literal::constant(parser)?;
    parser.expect(TokenKind::Comma)?;
    let state = literal::constant(parser)?;
    Ok(StatementKind::Throw(Some((number, message, state))))
}

// Transactions.

/// `TRAN[SACTION] [name] [WITH MARK ['text']]`
fn begin_transaction(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let name = transaction_name(parser)?;
    let mut mark = None;
    if parser.is_keyword(Keyword::With) && parser.is_word_at(1, "mark") {
        parser.at += 2;
        mark = Some(if name::is_string(parser) { name::string(parser)? } else { String::new() });
    }
    Ok(StatementKind::BeginTransaction { name, mark })
}

/// `COMMIT`, `ROLLBACK`, `SAVE`
pub(super) fn transaction(parser: &mut Parser<'_>, keyword: Keyword) -> Parsed<StatementKind> {
    parser.bump();
    let tran = parser.eat_keyword(Keyword::Tran) || parser.eat_keyword(Keyword::Transaction);
    let name = match keyword {
        _ if !tran => None,
        // Of a longer name ROLLBACK takes the beginning.
        Keyword::Rollback => transaction_or_variable(parser)?,
        _ => transaction_name(parser)?,
    };
    if keyword == Keyword::Save {
        return name.map(StatementKind::Save).ok_or_else(|| parser.unexpected());
    }
    if !tran {
        parser.eat_word("work");
    }
    if keyword == Keyword::Rollback {
        return Ok(StatementKind::Rollback(name));
    }
    let delayed_durability = delayed_durability(parser)?;
    Ok(StatementKind::Commit { name, delayed_durability })
}

/// `WITH (DELAYED_DURABILITY = ON|OFF)`, if it stands here.
fn delayed_durability(parser: &mut Parser<'_>) -> Parsed<Option<bool>> {
    if !parser.is_keyword(Keyword::With) || !is_delayed_durability(parser) {
        return Ok(None);
    }
    parser.at += 3;
    parser.expect(TokenKind::Equal)?;
    let on = parser.eat_keyword(Keyword::On);
    if !on {
        parser.expect_keyword(Keyword::Off)?;
    }
    parser.expect(TokenKind::RightParen)?;
    Ok(Some(on))
}

fn is_delayed_durability(parser: &Parser<'_>) -> bool {
    parser.kind_at(1) == TokenKind::LeftParen && parser.is_word_at(2, "delayed_durability")
}

/// As [`transaction_or_variable`]; 103 for a name that is too long. The value of a variable is cut when it is read.
fn transaction_name(parser: &mut Parser<'_>) -> Parsed<Option<String>> {
    let line = parser.line();
    let is_variable = parser.kind() == TokenKind::Variable;
    let name = transaction_or_variable(parser)?;
    match name {
        Some(name) if !is_variable && name.encode_utf16().count() > TRANSACTION_NAME_UNITS_MAX => {
            Err(error::identifier_beyond(&name, TRANSACTION_NAME_UNITS_MAX, line))
        }
        name => Ok(name),
    }
}

/// A name or a variable that holds one, if it stands here.
fn transaction_or_variable(parser: &mut Parser<'_>) -> Parsed<Option<String>> {
    if parser.kind() == TokenKind::Variable {
        return name::variable(parser).map(Some);
    }
    if name::is_name(parser) { name::ident(parser).map(Some) } else { Ok(None) }
}

/// A literal of a plain word, which EXEC takes as a string.
pub(super) fn word_literal(word: String, line: u32) -> Expr {
    Expr { kind: ExprKind::Literal(Literal::String(word)), line }
}
