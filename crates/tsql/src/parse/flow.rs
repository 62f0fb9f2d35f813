//! Control of flow: blocks, IF, WHILE, TRY, labels; and what is said to the client: PRINT, RAISERROR, THROW.

use super::Parser;
use crate::SyntaxError;
use crate::ast::{Expr, ExprKind, Literal, Statement, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

/// Longest name of a transaction or savepoint, in UTF-16 units.
const TRANSACTION_NAME_UNITS_MAX: usize = 32;

impl Parser<'_> {
    /// BEGIN: a block, a TRY, or a transaction.
    pub(super) fn begin(&mut self) -> Parsed<StatementKind> {
        self.bump();
        match self.kind() {
            TokenKind::Keyword(Keyword::Tran | Keyword::Transaction) => self.begin_transaction(),
            TokenKind::Keyword(Keyword::Distributed) => self.skip_as("BEGIN DISTRIBUTED TRANSACTION"),
            _ if self.is_word("try") => self.try_catch(),
            _ if self.is_word("atomic") && self.is_keyword_at(1, Keyword::With) => {
                self.at += 2;
                self.atomic_block()
            }
            _ if self.is_word("dialog") || (self.is_word("conversation") && self.is_word_at(1, "timer")) => {
                self.skip_as("BEGIN CONVERSATION")
            }
            _ => self.block(),
        }
    }

    fn block(&mut self) -> Parsed<StatementKind> {
        let body = self.statements()?;
        if body.is_empty() {
            return Err(self.nothing_before_end(0));
        }
        self.expect_keyword(Keyword::End)?;
        Ok(StatementKind::Block(body))
    }

    /// 102 for END of a block of no statements, near the token so far behind it.
    fn nothing_before_end(&mut self, ahead: usize) -> Box<SyntaxError> {
        match self.tokens.get(self.at + ahead) {
            Some(token) if self.is_keyword(Keyword::End) && token.kind != TokenKind::End => {
                error::near(self.source(*token), token.line)
            }
            _ => self.unexpected(),
        }
    }

    /// `(option, …) statements END`; BEGIN ATOMIC WITH is read.
    fn atomic_block(&mut self) -> Parsed<StatementKind> {
        let options = self.option_list()?;
        match self.block()? {
            StatementKind::Block(body) => Ok(StatementKind::Atomic { options, body }),
            other => Ok(other),
        }
    }

    /// `TRY … END TRY BEGIN CATCH … END CATCH`; a CATCH may be empty.
    fn try_catch(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let body = self.scoped_statements()?;
        if body.is_empty() {
            return Err(self.nothing_before_end(1));
        }
        self.expect_keyword(Keyword::End)?;
        self.expect_word("try")?;
        self.expect_keyword(Keyword::Begin)?;
        self.expect_word("catch")?;
        self.catches += 1;
        let handler = self.scoped_statements()?;
        self.catches -= 1;
        self.expect_keyword(Keyword::End)?;
        self.expect_word("catch")?;
        Ok(StatementKind::TryCatch { body, handler })
    }

    /// Statements that no GOTO may jump into.
    fn scoped_statements(&mut self) -> Parsed<Vec<Statement>> {
        self.labels.scope_count += 1;
        self.labels.scopes.push(self.labels.scope_count);
        let statements = self.statements()?;
        self.labels.scopes.pop();
        Ok(statements)
    }

    /// A chain of ELSE IFs is read in a loop, so that only the height of its tree bounds it.
    pub(super) fn if_statement(&mut self) -> Parsed<StatementKind> {
        let mut branches: Vec<(usize, Expr, Statement)> = Vec::new();
        let mut last: Option<Statement> = None;
        loop {
            let first = self.at;
            self.expect_keyword(Keyword::If)?;
            let condition = self.condition()?;
            let then = self.nested_statement()?;
            branches.push((first, condition, then));
            self.grow(1)?;
            if self.kind() == TokenKind::Semicolon && self.is_keyword_at(1, Keyword::Else) {
                self.bump();
            }
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.is_keyword(Keyword::If) {
                last = Some(self.nested_statement()?);
                break;
            }
        }
        self.join_branches(branches, last)
    }

    fn join_branches(
        &mut self,
        branches: Vec<(usize, Expr, Statement)>,
        mut otherwise: Option<Statement>,
    ) -> Parsed<StatementKind> {
        for (first, condition, then) in branches.into_iter().rev() {
            let kind = StatementKind::If { condition, then: Box::new(then), otherwise: otherwise.take().map(Box::new) };
            otherwise = Some(Statement { kind, span: self.span_from(first), number: self.next_number() });
        }
        match otherwise {
            Some(statement) => Ok(statement.kind),
            None => Err(self.unexpected()),
        }
    }

    pub(super) fn while_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let condition = self.condition()?;
        self.loops += 1;
        let body = Box::new(self.nested_statement()?);
        self.loops -= 1;
        Ok(StatementKind::While { condition, body })
    }

    pub(super) fn loop_exit(&mut self) -> Parsed<StatementKind> {
        let is_break = self.is_keyword(Keyword::Break);
        let line = self.bump().line;
        match (is_break, self.loops) {
            (true, 0) => Err(error::break_outside_while(line)),
            (false, 0) => Err(error::continue_outside_while(line)),
            (true, _) => Ok(StatementKind::Break),
            (false, _) => Ok(StatementKind::Continue),
        }
    }

    /// `RETURN [value]`; what cannot begin a value is the next statement.
    pub(super) fn return_statement(&mut self) -> Parsed<StatementKind> {
        let line = self.bump().line;
        let value = if self.begins_value() { Some(self.value()?) } else { None };
        if value.is_some() && !self.returns_value {
            return Err(error::returns_value(line));
        }
        Ok(StatementKind::Return(value))
    }

    fn begins_value(&self) -> bool {
        use Keyword::*;
        match self.kind() {
            TokenKind::Word => !self.is_label(),
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
    pub(super) fn wait_for(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if self.kind() == TokenKind::LeftParen {
            self.skip_parentheses()?;
            return self.skip_as("WAITFOR (statement)");
        }
        if self.eat_word("delay") {
            return Ok(StatementKind::WaitForDelay(self.constant()?));
        }
        self.expect_word("time")?;
        Ok(StatementKind::WaitForTime(self.constant()?))
    }
}

/// Labels.
impl Parser<'_> {
    pub(super) fn label(&mut self) -> Parsed<StatementKind> {
        let line = self.line();
        let label = self.ident()?;
        self.expect(TokenKind::Colon)?;
        let scopes = self.labels.scopes.clone();
        if self.labels.declared.insert(label.to_lowercase(), scopes).is_some() {
            return Err(error::label_declared_twice(&label, line));
        }
        Ok(StatementKind::Label(label))
    }

    pub(super) fn goto(&mut self) -> Parsed<StatementKind> {
        let line = self.bump().line;
        let label = self.ident()?;
        self.labels.wanted.push((label.clone(), line, self.labels.scopes.clone()));
        Ok(StatementKind::Goto(label))
    }

    /// Every GOTO has its label, and none jumps into a TRY or CATCH block.
    pub(super) fn check_labels(&self) -> Parsed<()> {
        for (label, line, from) in &self.labels.wanted {
            match self.labels.declared.get(&label.to_lowercase()) {
                None => return Err(error::label_missing(label, *line)),
                Some(to) if !from.starts_with(to) => return Err(error::goto_into_try(*line)),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Messages.
impl Parser<'_> {
    pub(super) fn print(&mut self) -> Parsed<StatementKind> {
        self.bump();
        Ok(StatementKind::Print(self.without_queries(Self::value)?))
    }

    /// `RAISERROR (message, severity, state [, arg]…) [WITH option, …]`
    pub(super) fn raise_error(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect(TokenKind::LeftParen)?;
        let message = self.constant()?;
        self.expect(TokenKind::Comma)?;
        let severity = self.constant()?;
        self.expect(TokenKind::Comma)?;
        let state = self.constant()?;
        let mut args = Vec::new();
        while self.eat(TokenKind::Comma) {
            args.push(self.constant()?);
        }
        self.expect(TokenKind::RightParen)?;
        let mut options = Vec::new();
        if self.is_keyword(Keyword::With) && self.is_raise_option(1) {
            self.bump();
            options = self.comma_separated(Self::raise_option)?;
        }
        Ok(StatementKind::RaiseError { message, severity, state, args, options })
    }

    fn is_raise_option(&self, ahead: usize) -> bool {
        ["log", "nowait", "seterror"].iter().any(|word| self.is_word_at(ahead, word))
    }

    fn raise_option(&mut self) -> Parsed<String> {
        if !self.is_raise_option(0) {
            return Err(self.unexpected());
        }
        Ok(self.word()?.to_uppercase())
    }

    /// `THROW [number, message, state]`; without them it stands in a CATCH.
    pub(super) fn throw(&mut self) -> Parsed<StatementKind> {
        let line = self.bump().line;
        if !matches!(self.kind(), TokenKind::Integer | TokenKind::Variable | TokenKind::Minus) {
            return match self.catches {
                0 => Err(error::nothing_to_rethrow(line)),
                _ => Ok(StatementKind::Throw(None)),
            };
        }
        let number = self.constant()?;
        self.expect(TokenKind::Comma)?;
        let message = self.constant()?;
        self.expect(TokenKind::Comma)?;
        let state = self.constant()?;
        Ok(StatementKind::Throw(Some((number, message, state))))
    }
}

/// Transactions.
impl Parser<'_> {
    /// `TRAN[SACTION] [name] [WITH MARK ['text']]`
    fn begin_transaction(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let name = self.transaction_name()?;
        let mut mark = None;
        if name.is_some() && self.is_keyword(Keyword::With) && self.is_word_at(1, "mark") {
            self.at += 2;
            mark = Some(if self.is_string() { self.string()? } else { String::new() });
        }
        Ok(StatementKind::BeginTransaction { name, mark })
    }

    /// `COMMIT`, `ROLLBACK`, `SAVE`
    pub(super) fn transaction(&mut self, keyword: Keyword) -> Parsed<StatementKind> {
        self.bump();
        let tran = self.eat_keyword(Keyword::Tran) || self.eat_keyword(Keyword::Transaction);
        let name = match keyword {
            _ if !tran => None,
            // Of a longer name ROLLBACK takes the beginning.
            Keyword::Rollback => self.transaction_or_variable()?,
            _ => self.transaction_name()?,
        };
        if keyword == Keyword::Save {
            return name.map(StatementKind::Save).ok_or_else(|| self.unexpected());
        }
        if !tran {
            self.eat_word("work");
        }
        if keyword == Keyword::Rollback {
            return Ok(StatementKind::Rollback(name));
        }
        let delayed_durability = self.delayed_durability()?;
        Ok(StatementKind::Commit { name, delayed_durability })
    }

    /// `WITH (DELAYED_DURABILITY = ON|OFF)`, if it stands here.
    fn delayed_durability(&mut self) -> Parsed<Option<bool>> {
        if !self.is_keyword(Keyword::With) || !self.is_delayed_durability() {
            return Ok(None);
        }
        self.at += 3;
        self.expect(TokenKind::Equal)?;
        let on = self.eat_keyword(Keyword::On);
        if !on {
            self.expect_keyword(Keyword::Off)?;
        }
        self.expect(TokenKind::RightParen)?;
        Ok(Some(on))
    }

    fn is_delayed_durability(&self) -> bool {
        self.kind_at(1) == TokenKind::LeftParen && self.is_word_at(2, "delayed_durability")
    }

    /// As [`Self::transaction_or_variable`]; 103 for a name that is too long. The value of a variable is cut when it is read.
    fn transaction_name(&mut self) -> Parsed<Option<String>> {
        let line = self.line();
        let is_variable = self.kind() == TokenKind::Variable;
        let name = self.transaction_or_variable()?;
        match name {
            Some(name) if !is_variable && name.encode_utf16().count() > TRANSACTION_NAME_UNITS_MAX => {
                Err(error::identifier_beyond(&name, TRANSACTION_NAME_UNITS_MAX, line))
            }
            name => Ok(name),
        }
    }

    /// A name or a variable that holds one, if it stands here.
    fn transaction_or_variable(&mut self) -> Parsed<Option<String>> {
        if self.kind() == TokenKind::Variable {
            return self.variable().map(Some);
        }
        if self.is_name() { self.ident().map(Some) } else { Ok(None) }
    }
}

/// A literal of a plain word, which EXEC takes as a string.
pub(super) fn word_literal(word: String, line: u32) -> Expr {
    Expr { kind: ExprKind::Literal(Literal::String(word)), line }
}
