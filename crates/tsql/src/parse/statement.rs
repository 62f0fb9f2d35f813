//! Batches, blocks, and which parser a statement goes to. A statement ends where its grammar ends; a semicolon after it
//! is allowed, and needed only before WITH, THROW and after MERGE.

use crate::ast::{Batch, PermissionVerb, Statement, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::ddl::object;
use crate::parse::{
    Parser, backup, cursor, ddl, dml, execute, flow, lookahead, name, security, server, set, unsupported,
};
use crate::secret::may_have_secret;
use crate::token::TokenKind;

pub(super) fn batch(parser: &mut Parser<'_>) -> Parsed<Batch> {
    let statements = statements(parser)?;
    parser.expect_end()?;
    flow::check_labels(parser)?;
    if let Some(line) = parser.met.showplan_line {
        let is_alone = matches!(&statements[..], [Statement { kind: StatementKind::SetOption(_), .. }]);
        if !is_alone {
            return Err(error::showplan_is_alone(line));
        }
    }
    let (variables, relations) = (name::used_variables(parser), std::mem::take(&mut parser.met.relations));
    // A text may be run that is a constant here, or of which a constant is a piece.
    let is_string = |kind| matches!(kind, TokenKind::String | TokenKind::NationalString);
    let strings = parser.tokens.iter().filter(|token| is_string(token.kind));
    let has_password =
        parser.met.has_password || strings.into_iter().any(|token| may_have_secret(parser.source(*token)));
    let mentions = std::mem::take(&mut parser.met.mentions);
    Ok(Batch { statements, variables, relations, mentions, has_password })
}

/// Statements up to an END or the end of the text.
pub(super) fn statements(parser: &mut Parser<'_>) -> Parsed<Vec<Statement>> {
    let mut statements = Vec::new();
    let mut fresh = true;
    loop {
        if parser.eat(TokenKind::Semicolon) {
            fresh = true;
        } else if is_end_of_statements(parser) {
            return Ok(statements);
        } else {
            statements.push(statement(parser, fresh)?);
            fresh = false;
        }
    }
}

fn is_end_of_statements(parser: &Parser<'_>) -> bool {
    match parser.kind() {
        TokenKind::End => true,
        TokenKind::Keyword(Keyword::End) => !parser.is_word_at(1, "conversation"),
        _ => false,
    }
}

/// One statement. `fresh`: a semicolon or the start of a block stands before it.
pub(super) fn statement(parser: &mut Parser<'_>, fresh: bool) -> Parsed<Statement> {
    let (first, number) = (parser.at, parser.next_number());
    let outer = parser.met.unsupported.take();
    let kind = parser.nested(|parser| statement_kind(parser, fresh))?;
    let kind = match std::mem::replace(&mut parser.met.unsupported, outer) {
        Some(words) => StatementKind::Unsupported(words),
        None => kind,
    };
    // Keys and certificates are among what is not run.
    if matches!(kind, StatementKind::Unsupported(_) | StatementKind::Backup(_) | StatementKind::Restore(_)) {
        let span = parser.span_from(first);
        parser.met.has_password |= may_have_secret(&parser.text[span.start as usize..span.end as usize]);
    }
    Ok(Statement { kind, span: parser.span_from(first), number })
}

fn statement_kind(parser: &mut Parser<'_>, fresh: bool) -> Parsed<StatementKind> {
    match parser.kind() {
        TokenKind::Keyword(keyword) => keyword_statement(parser, keyword, fresh),
        TokenKind::LeftParen if lookahead::is_query_parenthesis(parser) => dml::data_statement(parser),
        TokenKind::Word if name::is_label(parser) => flow::label(parser),
        TokenKind::Word if parser.is_word("throw") && fresh => flow::throw(parser),
        TokenKind::Word if is_trigger_switch(parser) => object::trigger_switch(parser),
        TokenKind::Word if fresh && is_broker_statement(parser) => {
            let word = parser.upper();
            unsupported::skip_as(parser, &word)
        }
        TokenKind::Word | TokenKind::Quoted if parser.at == 0 => execute::procedure(parser),
        _ => Err(parser.unexpected()),
    }
}

fn is_trigger_switch(parser: &Parser<'_>) -> bool {
    (parser.is_word("enable") || parser.is_word("disable")) && parser.is_keyword_at(1, Keyword::Trigger)
}

/// Service Broker's statements that begin with a word that is not reserved.
fn is_broker_statement(parser: &Parser<'_>) -> bool {
    let send = parser.is_word("send") && parser.is_keyword_at(1, Keyword::On);
    let receive =
        parser.is_word("receive") && (parser.is_keyword_at(1, Keyword::Top) || parser.kind_at(1) == TokenKind::Star);
    let conversation = (parser.is_word("get") || parser.is_word("move")) && parser.is_word_at(1, "conversation");
    send || receive || conversation
}

fn keyword_statement(parser: &mut Parser<'_>, keyword: Keyword, fresh: bool) -> Parsed<StatementKind> {
    use Keyword::*;
    match keyword {
        Select | Insert | Update | Delete | Merge => dml::data_statement(parser),
        With if fresh => dml::data_statement(parser),
        With => Err(error::with_needs_semicolon(parser.source(parser.token()), parser.line())),
        Begin => flow::begin(parser),
        If => flow::if_statement(parser),
        While => flow::while_statement(parser),
        Break | Continue => flow::loop_exit(parser),
        Return => flow::return_statement(parser),
        Goto => flow::goto(parser),
        WaitFor => flow::wait_for(parser),
        Print => flow::print(parser),
        RaisError => flow::raise_error(parser),
        Commit | Rollback | Save => flow::transaction(parser, keyword),
        Declare => set::declare(parser),
        Set => set::set_statement(parser),
        Exec | Execute => execute::execute_statement(parser),
        Create | Alter | Drop | Truncate => ddl::definition(parser, keyword),
        Use | Dbcc | Checkpoint | Reconfigure | Shutdown | Kill => server::server_statement(parser, keyword),
        Bulk => dml::bulk_insert(parser),
        Open | Close | Deallocate => cursor::cursor_statement(parser, keyword),
        Fetch => cursor::fetch(parser),
        Backup => backup::backup(parser),
        Restore => backup::restore(parser),
        Grant => security::permission(parser, PermissionVerb::Grant),
        Deny => security::permission(parser, PermissionVerb::Deny),
        Revoke => security::permission(parser, PermissionVerb::Revoke),
        Revert => security::revert(parser),
        SetUser => security::set_user(parser),
        _ => unsupported::unsupported_statement(parser, keyword),
    }
}
