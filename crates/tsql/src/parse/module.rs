//! CREATE and ALTER of procedures, functions, triggers and views: read so that mistakes in their bodies are found, but
//! not kept.

use super::Parser;
use super::flow::word_literal;
use crate::ast::{Expr, ParameterDeclaration, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn is_module(&self) -> bool {
        use Keyword::{Function, Proc, Procedure, Trigger, View};
        matches!(self.kind(), TokenKind::Keyword(Proc | Procedure | Function | Trigger | View))
    }

    /// `verb` is CREATE or ALTER, which is read; `line` is its line. A module takes the whole batch.
    pub(super) fn module(&mut self, verb: &str, line: u32) -> Parsed<StatementKind> {
        let keyword = self.kind();
        let object = match keyword {
            TokenKind::Keyword(Keyword::View) => "VIEW",
            TokenKind::Keyword(Keyword::Function) => "FUNCTION",
            TokenKind::Keyword(Keyword::Trigger) => "TRIGGER",
            _ => "PROCEDURE",
        };
        let words = format!("{verb} {object}");
        if !self.is_first_in_batch() {
            let is_procedure = object == "PROCEDURE";
            let named = if is_procedure { "CREATE/ALTER PROCEDURE" } else { &words };
            return Err(error::must_be_first_in_batch(named, line));
        }
        self.not_yet(&words);
        self.bump();
        self.object_name()?;
        match keyword {
            TokenKind::Keyword(Keyword::View) => self.view()?,
            TokenKind::Keyword(Keyword::Function) => self.function()?,
            TokenKind::Keyword(Keyword::Trigger) => {
                self.skip_module_header()?;
                self.module_body()?;
            }
            _ => self.procedure()?,
        }
        Ok(StatementKind::Unsupported(words))
    }

    /// Only CREATE or ALTER, with OR ALTER, stands before the current word.
    fn is_first_in_batch(&self) -> bool {
        let before = self.tokens[..self.at].iter().filter(|token| token.kind != TokenKind::Semicolon);
        before.skip(1).all(|token| matches!(token.kind, TokenKind::Keyword(Keyword::Or | Keyword::Alter)))
    }

    /// `[(columns)] [WITH option, …] AS query [WITH CHECK OPTION]`
    fn view(&mut self) -> Parsed<()> {
        self.column_list()?;
        if self.eat_keyword(Keyword::With) {
            self.comma_separated(Self::ident)?;
        }
        self.expect_keyword(Keyword::As)?;
        let ctes = if self.is_keyword(Keyword::With) { self.ctes()? } else { Vec::new() };
        self.full_query(ctes)?;
        if self.eat_keyword(Keyword::With) {
            self.expect_keyword(Keyword::Check)?;
            self.expect_keyword(Keyword::Option)?;
        }
        Ok(())
    }

    /// `[;number] [(] @p type …, … [)] [WITH …] [FOR REPLICATION] AS statements`
    fn procedure(&mut self) -> Parsed<()> {
        if self.kind() == TokenKind::Semicolon && self.kind_at(1) == TokenKind::Integer {
            self.at += 2;
        }
        if self.kind() == TokenKind::LeftParen {
            self.parameters_in_parentheses()?;
        } else if self.kind() == TokenKind::Variable {
            self.comma_separated(Self::parameter)?;
        }
        self.skip_module_header()?;
        self.module_body()
    }

    /// `(@p type, …) RETURNS … [WITH …] [AS] body`
    fn function(&mut self) -> Parsed<()> {
        self.parameters_in_parentheses()?;
        self.expect_word("returns")?;
        if self.kind() == TokenKind::Variable {
            self.bump();
            self.expect_keyword(Keyword::Table)?;
            self.table_definition()?;
        } else if !self.eat_keyword(Keyword::Table) {
            self.data_type()?;
        }
        while !self.is_function_body() {
            if self.bump().kind == TokenKind::End {
                return Err(self.unexpected());
            }
        }
        self.eat_keyword(Keyword::As);
        self.module_body()
    }

    fn is_function_body(&self) -> bool {
        let is_execute_as =
            matches!(self.tokens[self.at - 1].kind, TokenKind::Keyword(Keyword::Execute | Keyword::Exec));
        match self.kind() {
            TokenKind::Keyword(Keyword::As) => !is_execute_as,
            TokenKind::Keyword(Keyword::Begin | Keyword::Return) => true,
            _ => false,
        }
    }

    fn parameters_in_parentheses(&mut self) -> Parsed<()> {
        if self.kind_at(1) == TokenKind::RightParen {
            self.at += 2;
            return Ok(());
        }
        self.parenthesised(Self::parameter).map(|_| ())
    }

    /// `@p [AS] type [VARYING] [NULL|NOT NULL] [= default] [OUT|OUTPUT] [READONLY]`
    pub(super) fn parameter(&mut self) -> Parsed<ParameterDeclaration> {
        let name = self.variable()?;
        self.eat_keyword(Keyword::As);
        let data_type = self.data_type()?;
        self.eat_keyword(Keyword::Varying);
        if self.eat_keyword(Keyword::Not) {
            self.expect_keyword(Keyword::Null)?;
        } else {
            self.eat_keyword(Keyword::Null);
        }
        let default = if self.eat(TokenKind::Equal) { Some(self.default_of_parameter()?) } else { None };
        let output = self.eat_word("output") || self.eat_word("out");
        self.eat_word("readonly");
        Ok(ParameterDeclaration { name, data_type, default, output })
    }

    fn default_of_parameter(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.is_name() { Ok(word_literal(self.ident()?, line)) } else { self.constant() }
    }

    /// A list of parameters and nothing behind it; it may be empty.
    pub(super) fn parameter_list(&mut self) -> Parsed<Vec<ParameterDeclaration>> {
        let mut parameters = Vec::new();
        if self.kind() != TokenKind::End || self.lex_error.is_some() {
            parameters = self.comma_separated(Self::parameter)?;
        }
        self.expect_end()?;
        Ok(parameters)
    }

    /// Everything up to the AS that begins the body, which is not the one of EXECUTE AS.
    fn skip_module_header(&mut self) -> Parsed<()> {
        let mut before = TokenKind::End;
        loop {
            match self.kind() {
                TokenKind::End => return Err(self.unexpected()),
                TokenKind::Keyword(Keyword::As)
                    if !matches!(before, TokenKind::Keyword(Keyword::Execute | Keyword::Exec)) =>
                {
                    self.bump();
                    return Ok(());
                }
                kind => before = kind,
            }
            self.bump();
        }
    }

    /// The rest of the batch.
    fn module_body(&mut self) -> Parsed<()> {
        if self.eat_keyword(Keyword::External) {
            self.at = self.tokens.len() - 1;
            return Ok(());
        }
        let is_empty = self.statements()?.is_empty();
        if self.kind() == TokenKind::End && !is_empty { Ok(()) } else { Err(self.unexpected()) }
    }
}
