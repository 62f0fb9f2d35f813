//! Batches, blocks, and which parser a statement goes to. A statement ends where its grammar ends; a semicolon after it
//! is allowed, and needed only before WITH, THROW and after MERGE.

use super::Parser;
use crate::ast::{Batch, PermissionVerb, Statement, StatementKind, StatementNo};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn batch(&mut self) -> Parsed<Batch> {
        let statements = self.statements()?;
        self.expect_end()?;
        self.check_labels()?;
        if let Some(line) = self.showplan_line {
            let is_alone = matches!(&statements[..], [Statement { kind: StatementKind::SetOption(_), .. }]);
            if !is_alone {
                return Err(error::showplan_is_alone(line));
            }
        }
        let (variables, relations) = (self.used_variables(), std::mem::take(&mut self.relations));
        Ok(Batch { statements, variables, relations })
    }

    /// Nothing stands here any more, also nothing that could not be read.
    pub(super) fn expect_end(&mut self) -> Parsed<()> {
        if self.kind() == TokenKind::End && self.lex_error.is_none() { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Statements up to an END or the end of the text.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut fresh = true;
        loop {
            if self.eat(TokenKind::Semicolon) {
                fresh = true;
            } else if self.is_end_of_statements() {
                return Ok(statements);
            } else {
                statements.push(self.statement(fresh)?);
                fresh = false;
            }
        }
    }

    fn is_end_of_statements(&self) -> bool {
        match self.kind() {
            TokenKind::End => true,
            TokenKind::Keyword(Keyword::End) => !self.is_word_at(1, "conversation"),
            _ => false,
        }
    }

    /// A statement after IF, ELSE, WHILE or INSERT.
    pub(super) fn nested_statement(&mut self) -> Parsed<Statement> {
        self.statement(true)
    }

    /// One statement. `fresh`: a semicolon or the start of a block stands before it.
    pub(super) fn statement(&mut self, fresh: bool) -> Parsed<Statement> {
        let (first, number) = (self.at, self.next_number());
        let outer = self.unsupported.take();
        let kind = self.nested(|parser| parser.statement_kind(fresh))?;
        let kind = match std::mem::replace(&mut self.unsupported, outer) {
            Some(words) => StatementKind::Unsupported(words),
            None => kind,
        };
        Ok(Statement { kind, span: self.span_from(first), number })
    }

    /// The number of a statement that begins here.
    pub(super) fn next_number(&mut self) -> StatementNo {
        // A statement takes a token at least, and tokens are fewer than the text's bytes, which 32 bits count.
        let number = StatementNo(self.begun);
        self.begun += 1;
        number
    }

    fn statement_kind(&mut self, fresh: bool) -> Parsed<StatementKind> {
        match self.kind() {
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword, fresh),
            TokenKind::LeftParen if self.is_query_parenthesis() => self.data_statement(),
            TokenKind::Word if self.is_label() => self.label(),
            TokenKind::Word if self.is_word("throw") && fresh => self.throw(),
            TokenKind::Word if self.is_trigger_switch() => self.trigger_switch(),
            TokenKind::Word if fresh && self.is_broker_statement() => {
                let word = self.upper();
                self.skip_as(&word)
            }
            TokenKind::Word | TokenKind::Quoted if self.at == 0 => self.execute_procedure(),
            _ => Err(self.unexpected()),
        }
    }

    fn is_trigger_switch(&self) -> bool {
        (self.is_word("enable") || self.is_word("disable")) && self.is_keyword_at(1, Keyword::Trigger)
    }

    /// Service Broker's statements that begin with a word that is not reserved.
    fn is_broker_statement(&self) -> bool {
        let send = self.is_word("send") && self.is_keyword_at(1, Keyword::On);
        let receive =
            self.is_word("receive") && (self.is_keyword_at(1, Keyword::Top) || self.kind_at(1) == TokenKind::Star);
        let conversation = (self.is_word("get") || self.is_word("move")) && self.is_word_at(1, "conversation");
        send || receive || conversation
    }

    fn keyword_statement(&mut self, keyword: Keyword, fresh: bool) -> Parsed<StatementKind> {
        use Keyword::*;
        match keyword {
            Select | Insert | Update | Delete | Merge => self.data_statement(),
            With if fresh => self.data_statement(),
            With => Err(error::with_needs_semicolon(self.source(self.token()), self.line())),
            Begin => self.begin(),
            If => self.if_statement(),
            While => self.while_statement(),
            Break | Continue => self.loop_exit(),
            Return => self.return_statement(),
            Goto => self.goto(),
            WaitFor => self.wait_for(),
            Print => self.print(),
            RaisError => self.raise_error(),
            Commit | Rollback | Save => self.transaction(keyword),
            Declare => self.declare(),
            Set => self.set(),
            Exec | Execute => self.execute(),
            Create | Alter | Drop | Truncate => self.definition(keyword),
            Use | Dbcc | Checkpoint | Reconfigure | Shutdown | Kill => self.server_statement(keyword),
            Bulk => self.bulk_insert(),
            Open | Close | Deallocate => self.cursor_statement(keyword),
            Fetch => self.fetch(),
            Backup => self.backup(),
            Restore => self.restore(),
            Grant => self.permission(PermissionVerb::Grant),
            Deny => self.permission(PermissionVerb::Deny),
            Revoke => self.permission(PermissionVerb::Revoke),
            Revert => self.revert(),
            _ => self.unsupported_statement(keyword),
        }
    }
}
