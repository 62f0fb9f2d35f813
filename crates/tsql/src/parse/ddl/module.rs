//! CREATE and ALTER of procedures, functions, triggers and views. A module takes the whole batch.

use crate::ast::{
    DefinitionVerb, ExecuteContext, Expr, Module, ModuleBody, ModuleKind, ModuleOption, ParameterDeclaration, Query,
    Returns, Statement, StatementKind, TriggerHead, View,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::Parser;
use crate::parse::flow::word_literal;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(in crate::parse) fn is_module(&self) -> bool {
        use Keyword::{Function, Proc, Procedure, Trigger, View};
        matches!(self.kind(), TokenKind::Keyword(Proc | Procedure | Function | Trigger | View))
    }

    /// The words of `verb` are read; the first is the token with index `first`.
    pub(in crate::parse) fn module(&mut self, verb: DefinitionVerb, first: usize) -> Parsed<StatementKind> {
        let verb_span = self.span_from(first);
        if !self.is_first_in_batch(first) {
            return Err(self.not_first_in_batch(verb, verb_span.line));
        }
        let keyword = self.bump().kind;
        let name = self.defined_name()?;
        let mut options = Vec::new();
        let kind = match keyword {
            TokenKind::Keyword(Keyword::View) => self.view(&mut options).map(|view| ModuleKind::View(Box::new(view))),
            TokenKind::Keyword(Keyword::Function) => self.function(&mut options),
            TokenKind::Keyword(Keyword::Trigger) => self.trigger(&mut options),
            _ => self.procedure(&mut options),
        };
        let kind = kind.map_err(|mut error| {
            error.module = name.parts.last().cloned();
            error
        })?;
        Ok(StatementKind::Module(Box::new(Module { verb, verb_span, name, options, kind })))
    }

    /// Nothing but semicolons stands before the token with index `first`.
    pub(in crate::parse) fn is_first_in_batch(&self, first: usize) -> bool {
        self.tokens[..first].iter().all(|token| token.kind == TokenKind::Semicolon)
    }

    fn not_first_in_batch(&self, verb: DefinitionVerb, line: u32) -> Box<crate::SyntaxError> {
        let object = match self.kind() {
            TokenKind::Keyword(Keyword::View) => "VIEW",
            TokenKind::Keyword(Keyword::Function) => "FUNCTION",
            TokenKind::Keyword(Keyword::Trigger) => "TRIGGER",
            _ => return error::must_be_first_in_batch("CREATE/ALTER PROCEDURE", line),
        };
        let verb = if verb == DefinitionVerb::Alter { "ALTER" } else { "CREATE" };
        error::must_be_first_in_batch(&format!("{verb} {object}"), line)
    }
}

/// Kinds of module.
impl Parser<'_> {
    /// `[(columns)] [WITH option, …] AS query [WITH CHECK OPTION]`
    fn view(&mut self, options: &mut Vec<ModuleOption>) -> Parsed<View> {
        let columns = self.column_list()?;
        *options = self.module_options()?;
        self.expect_keyword(Keyword::As)?;
        let query = self.query_with_ctes()?;
        let check_option = self.eat_keyword(Keyword::With);
        if check_option {
            self.expect_keyword(Keyword::Check)?;
            self.expect_keyword(Keyword::Option)?;
        }
        while self.eat(TokenKind::Semicolon) {}
        self.expect_end()?;
        Ok(View { columns, query, check_option })
    }

    /// `[WITH …] query [OPTION …]`
    pub(in crate::parse) fn query_with_ctes(&mut self) -> Parsed<Query> {
        let ctes = if self.is_keyword(Keyword::With) { self.ctes()? } else { Vec::new() };
        self.full_query(ctes)
    }

    /// `[;number] [(] @p type …, … [)] [WITH …] [FOR REPLICATION] AS statements`
    fn procedure(&mut self, options: &mut Vec<ModuleOption>) -> Parsed<ModuleKind> {
        let mut number = None;
        if self.kind() == TokenKind::Semicolon && self.kind_at(1) == TokenKind::Integer {
            self.bump();
            number = Some(self.unsigned()?);
        }
        let parameters = if self.kind() == TokenKind::LeftParen {
            self.parameters_in_parentheses()?
        } else if self.kind() == TokenKind::Variable {
            self.comma_separated(Self::parameter)?
        } else {
            Vec::new()
        };
        *options = self.module_options()?;
        let for_replication = self.eat_keyword(Keyword::For);
        if for_replication {
            self.expect_keyword(Keyword::Replication)?;
        }
        self.expect_keyword(Keyword::As)?;
        self.returns_value = true;
        // A procedure may have nothing to do.
        let body = match self.kind() {
            TokenKind::End => ModuleBody::Statements(Vec::new()),
            _ => self.module_body()?,
        };
        Ok(ModuleKind::Procedure { number, parameters, for_replication, body })
    }

    /// `(@p type, …) RETURNS … [WITH …] [AS] body`
    fn function(&mut self, options: &mut Vec<ModuleOption>) -> Parsed<ModuleKind> {
        let parameters = self.parameters_in_parentheses()?;
        self.expect_word("returns")?;
        let returns = self.returns()?;
        *options = self.module_options()?;
        if self.is_keyword(Keyword::Order) {
            // The order of an external function's rows.
            self.bump();
            self.skip_parentheses()?;
        }
        self.eat_keyword(Keyword::As);
        self.returns_value = matches!(returns, Returns::Scalar(_));
        let body = match returns {
            Returns::Query if !self.is_keyword(Keyword::External) => self.returned_query()?,
            _ => self.function_block()?,
        };
        Ok(ModuleKind::Function { parameters, returns, body })
    }

    fn returns(&mut self) -> Parsed<Returns> {
        if self.kind() == TokenKind::Variable {
            let variable = self.parameter_name()?;
            self.expect_keyword(Keyword::Table)?;
            let definition = Box::new(self.table_definition()?);
            return Ok(Returns::Table { variable, definition });
        }
        if self.eat_keyword(Keyword::Table) {
            if self.kind() == TokenKind::LeftParen {
                self.table_definition()?;
            }
            return Ok(Returns::Query);
        }
        self.data_type().map(Returns::Scalar)
    }

    /// `RETURN [(] query [)]`, and the end of the batch.
    fn returned_query(&mut self) -> Parsed<ModuleBody> {
        self.expect_keyword(Keyword::Return)?;
        let enclosed = self.kind() == TokenKind::LeftParen && self.is_keyword_at(1, Keyword::With);
        if enclosed {
            self.bump();
        }
        let query = self.query_with_ctes()?;
        if enclosed {
            self.expect(TokenKind::RightParen)?;
        }
        while self.eat(TokenKind::Semicolon) {}
        self.expect_end()?;
        Ok(ModuleBody::Query(Box::new(query)))
    }

    /// `BEGIN … END`, and the end of the batch.
    fn function_block(&mut self) -> Parsed<ModuleBody> {
        if !matches!(self.kind(), TokenKind::Keyword(Keyword::Begin | Keyword::External)) {
            return Err(self.unexpected());
        }
        let body = self.module_body()?;
        match &body {
            // That a function has a TRY block is the worse of the two.
            ModuleBody::Statements(statements) if !ends_with_return(statements) && !ends_with_try(statements) => {
                Err(error::function_must_return(self.near_text().1))
            }
            _ => Ok(body),
        }
    }

    /// `ON target [WITH …] FOR|AFTER|INSTEAD OF event, … [WITH APPEND] [NOT FOR REPLICATION] AS statements`
    fn trigger(&mut self, options: &mut Vec<ModuleOption>) -> Parsed<ModuleKind> {
        let target = self.trigger_target()?;
        *options = self.module_options()?;
        let instead_of = self.eat_word("instead");
        if instead_of {
            self.expect_keyword(Keyword::Of)?;
        } else if !self.eat_keyword(Keyword::For) {
            self.expect_word("after")?;
        }
        let events = self.comma_separated(Self::trigger_event)?;
        if self.is_keyword(Keyword::With) && self.is_word_at(1, "append") {
            self.at += 2;
        }
        let not_for_replication = self.not_for_replication();
        self.expect_keyword(Keyword::As)?;
        let body = self.module_body()?;
        let head = TriggerHead { target, instead_of, events, not_for_replication };
        Ok(ModuleKind::Trigger { head, body })
    }

    fn trigger_event(&mut self) -> Parsed<String> {
        let reserved = matches!(self.kind(), TokenKind::Keyword(Keyword::Insert | Keyword::Update | Keyword::Delete));
        if self.kind() != TokenKind::Word && !reserved {
            return Err(self.unexpected());
        }
        let event = self.upper();
        self.bump();
        Ok(event)
    }

    /// The rest of the batch.
    fn module_body(&mut self) -> Parsed<ModuleBody> {
        if self.eat_keyword(Keyword::External) {
            self.expect_word("name")?;
            let name = self.object_name()?;
            while self.eat(TokenKind::Semicolon) {}
            self.expect_end()?;
            return Ok(ModuleBody::External(name));
        }
        self.in_module = true;
        let statements = self.statements()?;
        if self.kind() == TokenKind::End && !statements.is_empty() {
            Ok(ModuleBody::Statements(statements))
        } else {
            Err(self.unexpected())
        }
    }
}

/// Whether the last statement of the block that they are is RETURN.
fn ends_with_return(statements: &[Statement]) -> bool {
    match statements.last().map(|last| &last.kind) {
        Some(StatementKind::Block(body) | StatementKind::Atomic { body, .. }) => ends_with_return(body),
        Some(StatementKind::Return(_)) => true,
        _ => false,
    }
}

fn ends_with_try(statements: &[Statement]) -> bool {
    match statements.last().map(|last| &last.kind) {
        Some(StatementKind::Block(body) | StatementKind::Atomic { body, .. }) => ends_with_try(body),
        Some(StatementKind::TryCatch { .. }) => true,
        _ => false,
    }
}

/// Options.
impl Parser<'_> {
    /// `WITH option, …`, if it stands here.
    fn module_options(&mut self) -> Parsed<Vec<ModuleOption>> {
        if !self.eat_keyword(Keyword::With) {
            return Ok(Vec::new());
        }
        self.comma_separated(Self::module_option)
    }

    fn module_option(&mut self) -> Parsed<ModuleOption> {
        if self.eat_keyword(Keyword::Execute) || self.eat_keyword(Keyword::Exec) {
            self.expect_keyword(Keyword::As)?;
            return self.module_context().map(ModuleOption::ExecuteAs);
        }
        if self.eat_word("returns") {
            self.expect_keyword(Keyword::Null)?;
            self.on_null_input()?;
            return Ok(ModuleOption::ReturnsNullOnNullInput);
        }
        if self.eat_word("called") {
            self.on_null_input()?;
            return Ok(ModuleOption::CalledOnNullInput);
        }
        if self.eat_word("inline") {
            self.expect(TokenKind::Equal)?;
            let on = self.eat_keyword(Keyword::On);
            if !on {
                self.expect_keyword(Keyword::Off)?;
            }
            return Ok(ModuleOption::Inline(on));
        }
        let known = ["recompile", "encryption", "schemabinding", "native_compilation", "view_metadata"];
        if !known.iter().any(|word| self.is_word(word)) {
            return Err(self.unexpected());
        }
        Ok(ModuleOption::Word(self.word()?.to_uppercase()))
    }

    fn on_null_input(&mut self) -> Parsed<()> {
        self.expect_keyword(Keyword::On)?;
        self.expect_keyword(Keyword::Null)?;
        self.expect_word("input")
    }

    /// `CALLER|SELF|OWNER|'user'`
    fn module_context(&mut self) -> Parsed<ExecuteContext> {
        if self.is_string() {
            return self.string().map(ExecuteContext::User);
        }
        if self.eat_word("caller") {
            Ok(ExecuteContext::Caller)
        } else if self.eat_word("self") {
            Ok(ExecuteContext::Creator)
        } else {
            self.expect_word("owner")?;
            Ok(ExecuteContext::Owner)
        }
    }
}

/// Parameters.
impl Parser<'_> {
    fn parameters_in_parentheses(&mut self) -> Parsed<Vec<ParameterDeclaration>> {
        if self.kind() == TokenKind::LeftParen && self.kind_at(1) == TokenKind::RightParen {
            self.at += 2;
            return Ok(Vec::new());
        }
        self.parenthesised(Self::parameter)
    }

    /// `@p [AS] type [VARYING] [NULL|NOT NULL] [= default] [OUT|OUTPUT] [READONLY]`
    pub(in crate::parse) fn parameter(&mut self) -> Parsed<ParameterDeclaration> {
        let name = self.parameter_name()?;
        self.eat_keyword(Keyword::As);
        let data_type = self.data_type()?;
        let varying = self.eat_keyword(Keyword::Varying);
        let nullable = self.nullability()?;
        let default = if self.eat(TokenKind::Equal) { Some(self.default_of_parameter()?) } else { None };
        let output = self.eat_word("output") || self.eat_word("out");
        let readonly = self.eat_word("readonly");
        Ok(ParameterDeclaration { name, data_type, nullable, default, output, varying, readonly })
    }

    fn default_of_parameter(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if self.is_name() { Ok(word_literal(self.ident()?, line)) } else { self.constant() }
    }

    /// A list of parameters and nothing after it; it may be empty.
    pub(in crate::parse) fn parameter_list(&mut self) -> Parsed<Vec<ParameterDeclaration>> {
        let mut parameters = Vec::new();
        if self.kind() != TokenKind::End || self.lex_error.is_some() {
            parameters = self.comma_separated(Self::parameter)?;
        }
        self.expect_end()?;
        Ok(parameters)
    }
}
