//! CREATE and ALTER of procedures, functions, triggers and views. A module takes the whole batch.

use crate::ast::{
    DefinitionVerb, ExecuteContext, Expr, Module, ModuleBody, ModuleKind, ModuleOption, ParameterDeclaration, Returns,
    Span, Statement, StatementKind, TriggerHead, View,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::ddl::{object, table};
use crate::parse::flow::word_literal;
use crate::parse::{Parser, literal, lookahead, name, query, types, unsupported};
use crate::token::TokenKind;

pub(in crate::parse) fn is_module(parser: &Parser<'_>) -> bool {
    use Keyword::{Function, Proc, Procedure, Trigger, View};
    matches!(parser.kind(), TokenKind::Keyword(Proc | Procedure | Function | Trigger | View))
}

/// The words of `verb` are read; the first is the token with index `first`.
pub(in crate::parse) fn module(parser: &mut Parser<'_>, verb: DefinitionVerb, first: usize) -> Parsed<StatementKind> {
    let verb_span = parser.span_from(first);
    if !lookahead::is_first_in_batch(parser, first) {
        return Err(not_first_in_batch(parser, verb, verb_span.line));
    }
    let keyword = parser.bump().kind;
    let module = named(parser, (verb, verb_span), |parser, options| match keyword {
        TokenKind::Keyword(Keyword::View) => view(parser, options).map(|view| ModuleKind::View(Box::new(view))),
        TokenKind::Keyword(Keyword::Function) => function(parser, options),
        TokenKind::Keyword(Keyword::Trigger) => trigger(parser, options),
        _ => procedure(parser, options),
    })?;
    Ok(StatementKind::Module(Box::new(module)))
}

/// `CREATE VIEW …` as an element of CREATE SCHEMA.
pub(in crate::parse) fn view_element(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let first = parser.at;
    parser.bump();
    let verb = (DefinitionVerb::Create, parser.span_from(first));
    parser.bump();
    let view = |parser: &mut Parser<'_>, options: &mut Vec<ModuleOption>| {
        view_of_query(parser, options).map(|view| ModuleKind::View(Box::new(view)))
    };
    let module = named(parser, verb, view)?;
    let element_span = Some(parser.span_from(first));
    Ok(StatementKind::Module(Box::new(Module { element_span, ..module })))
}

/// The name of a module and what follows it.
fn named(
    parser: &mut Parser<'_>,
    (verb, verb_span): (DefinitionVerb, Span),
    read: impl FnOnce(&mut Parser<'_>, &mut Vec<ModuleOption>) -> Parsed<ModuleKind>,
) -> Parsed<Module> {
    let name = name::defined_name(parser)?;
    let mut options = Vec::new();
    let kind = read(parser, &mut options).map_err(|mut error| {
        error.module = name.parts.last().cloned();
        error
    })?;
    Ok(Module { verb, verb_span, element_span: None, name, options, kind })
}

fn not_first_in_batch(parser: &Parser<'_>, verb: DefinitionVerb, line: u32) -> Box<crate::SyntaxError> {
    let object = match parser.kind() {
        TokenKind::Keyword(Keyword::View) => "VIEW",
        TokenKind::Keyword(Keyword::Function) => "FUNCTION",
        TokenKind::Keyword(Keyword::Trigger) => "TRIGGER",
        _ => return error::must_be_first_in_batch("CREATE/ALTER PROCEDURE", line),
    };
    let verb = if verb == DefinitionVerb::Alter { "ALTER" } else { "CREATE" };
    error::must_be_first_in_batch(&format!("{verb} {object}"), line)
}

// Kinds of module.

/// A view that is the whole batch.
fn view(parser: &mut Parser<'_>, options: &mut Vec<ModuleOption>) -> Parsed<View> {
    let view = view_of_query(parser, options)?;
    while parser.eat(TokenKind::Semicolon) {}
    parser.expect_end()?;
    Ok(view)
}

/// `[(columns)] [WITH option, …] AS query [WITH CHECK OPTION]`
fn view_of_query(parser: &mut Parser<'_>, options: &mut Vec<ModuleOption>) -> Parsed<View> {
    let columns = name::column_list(parser)?;
    *options = module_options(parser)?;
    parser.expect_keyword(Keyword::As)?;
    let query = query::query_with_ctes(parser)?;
    let check_option = parser.eat_keyword(Keyword::With);
    if check_option {
        parser.expect_keyword(Keyword::Check)?;
        parser.expect_keyword(Keyword::Option)?;
    }
    Ok(View { columns, query, check_option })
}

/// `[;number] [(] @p type …, … [)] [WITH …] [FOR REPLICATION] AS statements`
fn procedure(parser: &mut Parser<'_>, options: &mut Vec<ModuleOption>) -> Parsed<ModuleKind> {
    let mut number = None;
    if parser.kind() == TokenKind::Semicolon && parser.kind_at(1) == TokenKind::Integer {
        parser.bump();
        number = Some(name::unsigned(parser)?);
    }
    let parameters = if parser.kind() == TokenKind::LeftParen {
        parameters_in_parentheses(parser)?
    } else if parser.kind() == TokenKind::Variable {
        parser.comma_separated(parameter)?
    } else {
        Vec::new()
    };
    *options = module_options(parser)?;
    let for_replication = parser.eat_keyword(Keyword::For);
    if for_replication {
        parser.expect_keyword(Keyword::Replication)?;
    }
    parser.expect_keyword(Keyword::As)?;
    parser.context.returns_value = true;
    // A procedure may have nothing to do.
    let body = match parser.kind() {
        TokenKind::End => ModuleBody::Statements(Vec::new()),
        _ => module_body(parser)?,
    };
    Ok(ModuleKind::Procedure { number, parameters, for_replication, body })
}

/// `(@p type, …) RETURNS … [WITH …] [AS] body`
fn function(parser: &mut Parser<'_>, options: &mut Vec<ModuleOption>) -> Parsed<ModuleKind> {
    let parameters = parameters_in_parentheses(parser)?;
    parser.expect_word("returns")?;
    let returns = returns(parser)?;
    *options = module_options(parser)?;
    if parser.is_keyword(Keyword::Order) {
        // The order of an external function's rows.
        parser.bump();
        unsupported::skip_parentheses(parser)?;
    }
    parser.eat_keyword(Keyword::As);
    parser.context.returns_value = matches!(returns, Returns::Scalar(_));
    let body = match returns {
        Returns::Query if !parser.is_keyword(Keyword::External) => returned_query(parser)?,
        _ => function_block(parser)?,
    };
    Ok(ModuleKind::Function { parameters, returns, body })
}

fn returns(parser: &mut Parser<'_>) -> Parsed<Returns> {
    if parser.kind() == TokenKind::Variable {
        let variable = name::parameter_name(parser)?;
        parser.expect_keyword(Keyword::Table)?;
        let definition = Box::new(table::table_definition(parser)?);
        return Ok(Returns::Table { variable, definition });
    }
    if parser.eat_keyword(Keyword::Table) {
        if parser.kind() == TokenKind::LeftParen {
            table::table_definition(parser)?;
        }
        return Ok(Returns::Query);
    }
    types::data_type(parser).map(Returns::Scalar)
}

/// `RETURN [(] query [)]`, and the end of the batch.
fn returned_query(parser: &mut Parser<'_>) -> Parsed<ModuleBody> {
    parser.expect_keyword(Keyword::Return)?;
    let enclosed = parser.kind() == TokenKind::LeftParen && parser.is_keyword_at(1, Keyword::With);
    if enclosed {
        parser.bump();
    }
    let query = query::query_with_ctes(parser)?;
    if enclosed {
        parser.expect(TokenKind::RightParen)?;
    }
    while parser.eat(TokenKind::Semicolon) {}
    parser.expect_end()?;
    Ok(ModuleBody::Query(Box::new(query)))
}

/// `BEGIN … END`, and the end of the batch.
fn function_block(parser: &mut Parser<'_>) -> Parsed<ModuleBody> {
    if !matches!(parser.kind(), TokenKind::Keyword(Keyword::Begin | Keyword::External)) {
        return Err(parser.unexpected());
    }
    let body = module_body(parser)?;
    match &body {
        // That a function has a TRY block is the worse of the two.
        ModuleBody::Statements(statements) if !ends_with_return(statements) && !ends_with_try(statements) => {
            Err(error::function_must_return(parser.near_text().1))
        }
        _ => Ok(body),
    }
}

/// `ON target [WITH …] FOR|AFTER|INSTEAD OF event, … [WITH APPEND] [NOT FOR REPLICATION] AS statements`
fn trigger(parser: &mut Parser<'_>, options: &mut Vec<ModuleOption>) -> Parsed<ModuleKind> {
    let target = object::trigger_target(parser)?;
    *options = module_options(parser)?;
    let instead_of = parser.eat_word("instead");
    if instead_of {
        parser.expect_keyword(Keyword::Of)?;
    } else if !parser.eat_keyword(Keyword::For) {
        parser.expect_word("after")?;
    }
    let events = parser.comma_separated(trigger_event)?;
    if parser.is_keyword(Keyword::With) && parser.is_word_at(1, "append") {
        parser.at += 2;
    }
    let not_for_replication = table::not_for_replication(parser);
    parser.expect_keyword(Keyword::As)?;
    let body = module_body(parser)?;
    let head = TriggerHead { target, instead_of, events, not_for_replication };
    Ok(ModuleKind::Trigger { head, body })
}

fn trigger_event(parser: &mut Parser<'_>) -> Parsed<String> {
    let reserved = matches!(parser.kind(), TokenKind::Keyword(Keyword::Insert | Keyword::Update | Keyword::Delete));
    if parser.kind() != TokenKind::Word && !reserved {
        return Err(parser.unexpected());
    }
    let event = parser.upper();
    parser.bump();
    Ok(event)
}

/// The rest of the batch.
fn module_body(parser: &mut Parser<'_>) -> Parsed<ModuleBody> {
    if parser.eat_keyword(Keyword::External) {
        parser.expect_word("name")?;
        let name = name::object_name(parser)?;
        while parser.eat(TokenKind::Semicolon) {}
        parser.expect_end()?;
        return Ok(ModuleBody::External(name));
    }
    parser.context.in_module = true;
    let statements = parser.statements()?;
    if parser.kind() == TokenKind::End && !statements.is_empty() {
        Ok(ModuleBody::Statements(statements))
    } else {
        Err(parser.unexpected())
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

// Options.

/// `WITH option, …`, if it stands here.
fn module_options(parser: &mut Parser<'_>) -> Parsed<Vec<ModuleOption>> {
    if !parser.eat_keyword(Keyword::With) {
        return Ok(Vec::new());
    }
    parser.comma_separated(module_option)
}

fn module_option(parser: &mut Parser<'_>) -> Parsed<ModuleOption> {
    if parser.eat_keyword(Keyword::Execute) || parser.eat_keyword(Keyword::Exec) {
        parser.expect_keyword(Keyword::As)?;
        return module_context(parser).map(ModuleOption::ExecuteAs);
    }
    if parser.eat_word("returns") {
        parser.expect_keyword(Keyword::Null)?;
        on_null_input(parser)?;
        return Ok(ModuleOption::ReturnsNullOnNullInput);
    }
    if parser.eat_word("called") {
        on_null_input(parser)?;
        return Ok(ModuleOption::CalledOnNullInput);
    }
    if parser.eat_word("inline") {
        parser.expect(TokenKind::Equal)?;
        let on = parser.eat_keyword(Keyword::On);
        if !on {
            parser.expect_keyword(Keyword::Off)?;
        }
        return Ok(ModuleOption::Inline(on));
    }
    let known = ["recompile", "encryption", "schemabinding", "native_compilation", "view_metadata"];
    if !known.iter().any(|word| parser.is_word(word)) {
        return Err(parser.unexpected());
    }
    Ok(ModuleOption::Word(name::word(parser)?.to_uppercase()))
}

fn on_null_input(parser: &mut Parser<'_>) -> Parsed<()> {
    parser.expect_keyword(Keyword::On)?;
    parser.expect_keyword(Keyword::Null)?;
    parser.expect_word("input")
}

/// `CALLER|SELF|OWNER|'user'`
fn module_context(parser: &mut Parser<'_>) -> Parsed<ExecuteContext> {
    if name::is_string(parser) {
        return name::string(parser).map(ExecuteContext::User);
    }
    if parser.eat_word("caller") {
        Ok(ExecuteContext::Caller)
    } else if parser.eat_word("self") {
        Ok(ExecuteContext::Creator)
    } else {
        parser.expect_word("owner")?;
        Ok(ExecuteContext::Owner)
    }
}

// Parameters.

fn parameters_in_parentheses(parser: &mut Parser<'_>) -> Parsed<Vec<ParameterDeclaration>> {
    if parser.kind() == TokenKind::LeftParen && parser.kind_at(1) == TokenKind::RightParen {
        parser.at += 2;
        return Ok(Vec::new());
    }
    parser.parenthesised(parameter)
}

/// `@p [AS] type [VARYING] [NULL|NOT NULL] [= default] [OUT|OUTPUT] [READONLY]`
fn parameter(parser: &mut Parser<'_>) -> Parsed<ParameterDeclaration> {
    let name = name::parameter_name(parser)?;
    parser.eat_keyword(Keyword::As);
    let data_type = types::data_type(parser)?;
    let varying = parser.eat_keyword(Keyword::Varying);
    let nullable = types::nullability(parser)?;
    let default = if parser.eat(TokenKind::Equal) { Some(default_of_parameter(parser)?) } else { None };
    let output = parser.eat_word("output") || parser.eat_word("out");
    let readonly = parser.eat_word("readonly");
    Ok(ParameterDeclaration { name, data_type, nullable, default, output, varying, readonly })
}

fn default_of_parameter(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.line();
    if name::is_name(parser) { Ok(word_literal(name::ident(parser)?, line)) } else { literal::constant(parser) }
}

/// A list of parameters and nothing after it; it may be empty.
pub(in crate::parse) fn parameter_list(parser: &mut Parser<'_>) -> Parsed<Vec<ParameterDeclaration>> {
    let mut parameters = Vec::new();
    if parser.kind() != TokenKind::End || parser.lex_error.is_some() {
        parameters = parser.comma_separated(parameter)?;
    }
    parser.expect_end()?;
    Ok(parameters)
}
