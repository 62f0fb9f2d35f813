//! EXEC, with and without the word.

use super::Parser;
use super::flow::word_literal;
use crate::ast::{Execute, ExecuteArg, Expr, ExprKind, ObjectName, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `EXEC procedure …`, `EXEC (text)`, `EXEC AS …`
    pub(super) fn execute(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if self.is_keyword(Keyword::As) {
            return self.skip_as("EXECUTE AS");
        }
        if self.kind() == TokenKind::LeftParen {
            return self.execute_text();
        }
        self.execute_procedure()
    }

    /// `('text' + @v + …) [AS LOGIN|USER = 'name'] [AT server]`
    fn execute_text(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let mut parts = vec![self.text_part()?];
        while self.eat(TokenKind::Plus) {
            parts.push(self.text_part()?);
        }
        if self.kind() == TokenKind::Comma {
            self.not_yet("EXECUTE … AT");
            while self.eat(TokenKind::Comma) {
                self.constant()?;
            }
        }
        self.expect(TokenKind::RightParen)?;
        if self.eat_keyword(Keyword::As) {
            self.not_yet("EXECUTE (text) AS");
            self.bump();
            self.expect(TokenKind::Equal)?;
            self.string()?;
        }
        self.at_server()?;
        Ok(StatementKind::ExecuteText(parts))
    }

    fn text_part(&mut self) -> Parsed<Expr> {
        if self.is_string() || self.kind() == TokenKind::Variable { self.constant() } else { Err(self.unexpected()) }
    }

    /// `[@rc =] procedure [arg, …] [WITH RECOMPILE]`
    pub(super) fn execute_procedure(&mut self) -> Parsed<StatementKind> {
        let mut return_into = None;
        if self.kind() == TokenKind::Variable && self.kind_at(1) == TokenKind::Equal {
            return_into = Some(self.variable()?);
            self.bump();
        }
        let procedure = self.procedure_name()?;
        let args = if self.is_argument() { self.execute_arguments()? } else { Vec::new() };
        self.execute_options()?;
        self.at_server()?;
        Ok(StatementKind::Execute(Box::new(Execute { return_into, procedure, args })))
    }

    /// A name, or a variable that holds one. `;1`, the number in a group of procedures, is not kept.
    fn procedure_name(&mut self) -> Parsed<ObjectName> {
        let name = self.table_name()?;
        if self.kind() == TokenKind::Semicolon && self.kind_at(1) == TokenKind::Integer {
            self.at += 2;
        }
        Ok(name)
    }

    fn is_argument(&self) -> bool {
        match self.kind() {
            TokenKind::Word => !(self.is_label() || self.is_word("at") && self.is_server_name(1)),
            TokenKind::Keyword(keyword) => matches!(keyword, Keyword::Null | Keyword::Default),
            TokenKind::Semicolon | TokenKind::End => false,
            kind => is_argument_token(kind),
        }
    }

    fn is_server_name(&self, ahead: usize) -> bool {
        matches!(self.kind_at(ahead), TokenKind::Word | TokenKind::Quoted)
    }

    /// After the first argument with a name all have one.
    fn execute_arguments(&mut self) -> Parsed<Vec<ExecuteArg>> {
        let line = self.line();
        let args = self.comma_separated(Self::execute_argument)?;
        let named = args.iter().position(|arg| arg.name.is_some()).unwrap_or(args.len());
        match args[named..].iter().position(|arg| arg.name.is_none()) {
            Some(unnamed) => Err(error::argument_needs_name(named + unnamed + 1, line)),
            None => Ok(args),
        }
    }

    fn execute_argument(&mut self) -> Parsed<ExecuteArg> {
        let line = self.line();
        let mut name = None;
        if self.kind() == TokenKind::Variable && self.kind_at(1) == TokenKind::Equal {
            name = Some(self.variable()?);
            self.bump();
        }
        let value = self.argument_value()?;
        let output = self.eat_word("output") || self.eat_word("out");
        if output && !matches!(value.kind, ExprKind::Variable(_)) {
            return Err(error::output_of_constant(line));
        }
        Ok(ExecuteArg { name, value, output })
    }

    fn argument_value(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.eat_keyword(Keyword::Default) {
            return Ok(Expr { kind: ExprKind::Default, line });
        }
        if self.is_name() {
            return Ok(word_literal(self.ident()?, line));
        }
        self.constant()
    }

    /// `WITH RECOMPILE`, `WITH RESULT SETS …`
    fn execute_options(&mut self) -> Parsed<()> {
        if !self.is_keyword(Keyword::With) || !(self.is_word_at(1, "recompile") || self.is_word_at(1, "result")) {
            return Ok(());
        }
        self.bump();
        self.comma_separated(|parser| {
            if parser.eat_word("recompile") {
                return Ok(());
            }
            parser.expect_word("result")?;
            parser.expect_word("sets")?;
            if parser.eat_word("undefined") {
                return Ok(());
            }
            parser.not_yet("WITH RESULT SETS");
            if parser.eat_word("none") { Ok(()) } else { parser.skip_parentheses() }
        })?;
        Ok(())
    }

    /// `AT server`, if it stands here.
    fn at_server(&mut self) -> Parsed<()> {
        if self.is_word("at") && self.is_server_name(1) {
            self.at += 2;
            self.not_yet("EXECUTE … AT");
        }
        Ok(())
    }
}

fn is_argument_token(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Quoted
            | TokenKind::Variable
            | TokenKind::String
            | TokenKind::NationalString
            | TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::Binary
            | TokenKind::Minus
            | TokenKind::Plus
    )
}
