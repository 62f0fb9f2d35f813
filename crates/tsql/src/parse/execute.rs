//! EXEC, with and without the word.

use super::Parser;
use super::flow::word_literal;
use crate::ast::{
    Execute, ExecuteArg, ExecuteText, Expr, ExprKind, Ident, ObjectName, ResultColumn, ResultSets, StatementKind,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `EXEC procedure …`, `EXEC (text)`, `EXEC AS …`
    pub(super) fn execute(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if self.is_keyword(Keyword::As) {
            return self.execute_as();
        }
        self.execute_any()
    }

    /// A procedure or a text; EXEC is read.
    pub(super) fn execute_any(&mut self) -> Parsed<StatementKind> {
        if self.kind() == TokenKind::LeftParen { self.execute_text() } else { self.execute_procedure() }
    }

    /// `('text' + @v + … [, arg …]) [AS LOGIN|USER = 'name'] [AT server]`
    fn execute_text(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let mut parts = vec![self.text_part()?];
        while self.eat(TokenKind::Plus) {
            parts.push(self.text_part()?);
        }
        let args = if self.eat(TokenKind::Comma) { self.comma_separated(Self::execute_argument)? } else { Vec::new() };
        self.expect(TokenKind::RightParen)?;
        let as_principal = if self.eat_keyword(Keyword::As) { Some(self.login_or_user()?) } else { None };
        let at = self.at_server()?;
        Ok(StatementKind::ExecuteText(Box::new(ExecuteText { parts, args, as_principal, at })))
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
        let procedure = match self.kind() {
            TokenKind::Variable => ObjectName { parts: vec![self.variable()?] },
            _ => self.object_name()?,
        };
        let number = self.procedure_number()?;
        let args = if self.is_argument() { self.execute_arguments()? } else { Vec::new() };
        let mut execute = Execute {
            return_into,
            procedure,
            number,
            args,
            recompile: false,
            result_sets: ResultSets::Undefined,
            at: None,
        };
        self.execute_options(&mut execute)?;
        execute.at = self.at_server()?;
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    /// `;1`, if it stands here.
    fn procedure_number(&mut self) -> Parsed<Option<u32>> {
        if self.kind() != TokenKind::Semicolon || self.kind_at(1) != TokenKind::Integer {
            return Ok(None);
        }
        self.bump();
        self.unsigned().map(Some)
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
            name = Some(self.parameter_name()?);
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
    fn execute_options(&mut self, execute: &mut Execute) -> Parsed<()> {
        if !self.is_keyword(Keyword::With) || !(self.is_word_at(1, "recompile") || self.is_word_at(1, "result")) {
            return Ok(());
        }
        self.bump();
        self.comma_separated(|parser| {
            if parser.eat_word("recompile") {
                execute.recompile = true;
                return Ok(());
            }
            parser.expect_word("result")?;
            parser.expect_word("sets")?;
            execute.result_sets = parser.result_sets()?;
            Ok(())
        })?;
        Ok(())
    }

    /// `UNDEFINED|NONE|((column type …, …), …)`
    fn result_sets(&mut self) -> Parsed<ResultSets> {
        if self.eat_word("undefined") {
            return Ok(ResultSets::Undefined);
        }
        if self.eat_word("none") {
            return Ok(ResultSets::None);
        }
        if self.kind() == TokenKind::LeftParen && self.is_keyword_at(1, Keyword::As) {
            // AS OBJECT, AS TYPE, AS FOR XML
            self.skip_parentheses()?;
            self.not_yet("WITH RESULT SETS (AS …)");
            return Ok(ResultSets::Undefined);
        }
        let sets = self.parenthesised(|parser| parser.parenthesised(Self::result_column))?;
        Ok(ResultSets::Sets(sets))
    }

    fn result_column(&mut self) -> Parsed<ResultColumn> {
        let name = self.ident()?;
        let data_type = self.data_type()?;
        let collation = if self.eat_keyword(Keyword::Collate) { Some(self.word()?) } else { None };
        let nullable = self.nullability()?;
        Ok(ResultColumn { name, data_type, collation, nullable })
    }

    /// `AT server`, if it stands here.
    fn at_server(&mut self) -> Parsed<Option<Ident>> {
        if self.is_word("at") && self.is_server_name(1) {
            self.bump();
            return self.ident().map(Some);
        }
        Ok(None)
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
