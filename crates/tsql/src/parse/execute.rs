//! EXEC, with and without the word.

use crate::ast::{
    Execute, ExecuteArg, ExecuteText, Expr, ExprKind, Ident, Mentioned, ObjectName, ResultColumn, ResultSets,
    StatementKind,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::flow::word_literal;
use crate::parse::{Parser, literal, name, security, types, unsupported};
use crate::secret::may_have_secret;
use crate::token::TokenKind;

/// `EXEC procedure …`, `EXEC (text)`, `EXEC AS …`
pub(super) fn execute_statement(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    if parser.is_keyword(Keyword::As) {
        return security::execute_as(parser);
    }
    text_or_procedure(parser)
}

/// A procedure or a text; EXEC is read.
pub(super) fn text_or_procedure(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    if parser.kind() == TokenKind::LeftParen { execute_text(parser) } else { procedure(parser) }
}

/// `('text' + @v + … [, arg …]) [AS LOGIN|USER = 'name'] [WITH RESULT SETS …] [AT server]`
fn execute_text(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let mut parts = vec![text_part(parser)?];
    while parser.eat(TokenKind::Plus) {
        parts.push(text_part(parser)?);
    }
    let args = if parser.eat(TokenKind::Comma) { parser.comma_separated(execute_argument)? } else { Vec::new() };
    parser.expect(TokenKind::RightParen)?;
    let as_principal = if parser.eat_keyword(Keyword::As) { Some(security::login_or_user(parser)?) } else { None };
    let mut result_sets = ResultSets::Undefined;
    if parser.is_keyword(Keyword::With) && parser.is_word_at(1, "result") {
        parser.bump();
        result_sets = result_sets_option(parser)?;
    }
    let at = at_server(parser)?;
    Ok(StatementKind::ExecuteText(Box::new(ExecuteText { parts, args, as_principal, result_sets, at })))
}

fn text_part(parser: &mut Parser<'_>) -> Parsed<Expr> {
    if name::is_string(parser) || parser.kind() == TokenKind::Variable {
        literal::constant(parser)
    } else {
        Err(parser.unexpected())
    }
}

/// `[@rc =] procedure [arg, …] [WITH RECOMPILE]`
pub(super) fn procedure(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let mut return_into = None;
    if parser.kind() == TokenKind::Variable && parser.kind_at(1) == TokenKind::Equal {
        return_into = Some(name::variable(parser)?);
        parser.bump();
    }
    let procedure = match parser.kind() {
        TokenKind::Variable => ObjectName { parts: vec![name::variable(parser)?] },
        _ => name::object_name(parser)?,
    };
    parser.mention(&procedure, Mentioned::Procedure);
    parser.met.has_password |= may_have_secret(procedure.last());
    let number = procedure_number(parser)?;
    let args = if is_argument(parser) { execute_arguments(parser)? } else { Vec::new() };
    let mut execute = Execute {
        return_into,
        procedure,
        number,
        args,
        recompile: false,
        result_sets: ResultSets::Undefined,
        at: None,
    };
    execute_options(parser, &mut execute)?;
    execute.at = at_server(parser)?;
    Ok(StatementKind::Execute(Box::new(execute)))
}

/// `;1`, if it stands here.
fn procedure_number(parser: &mut Parser<'_>) -> Parsed<Option<u32>> {
    if parser.kind() != TokenKind::Semicolon || parser.kind_at(1) != TokenKind::Integer {
        return Ok(None);
    }
    parser.bump();
    name::unsigned(parser).map(Some)
}

fn is_argument(parser: &Parser<'_>) -> bool {
    match parser.kind() {
        TokenKind::Word => !(name::is_label(parser) || parser.is_word("at") && is_server_name(parser, 1)),
        TokenKind::Keyword(keyword) => matches!(keyword, Keyword::Null | Keyword::Default),
        TokenKind::Semicolon | TokenKind::End => false,
        kind => is_argument_token(kind),
    }
}

fn is_server_name(parser: &Parser<'_>, ahead: usize) -> bool {
    matches!(parser.kind_at(ahead), TokenKind::Word | TokenKind::Quoted)
}

/// After the first argument with a name all have one.
fn execute_arguments(parser: &mut Parser<'_>) -> Parsed<Vec<ExecuteArg>> {
    let line = parser.line();
    let args = parser.comma_separated(execute_argument)?;
    let named = args.iter().position(|arg| arg.name.is_some()).unwrap_or(args.len());
    match args[named..].iter().position(|arg| arg.name.is_none()) {
        Some(unnamed) => Err(error::argument_needs_name(named + unnamed + 1, line)),
        None => Ok(args),
    }
}

fn execute_argument(parser: &mut Parser<'_>) -> Parsed<ExecuteArg> {
    let line = parser.line();
    let mut name = None;
    if parser.kind() == TokenKind::Variable && parser.kind_at(1) == TokenKind::Equal {
        name = Some(name::parameter_name(parser)?);
        parser.bump();
    }
    let value = argument_value(parser)?;
    let output = parser.eat_word("output") || parser.eat_word("out");
    if output && !matches!(value.kind, ExprKind::Variable(_)) {
        return Err(error::output_of_constant(line));
    }
    Ok(ExecuteArg { name, value, output })
}

fn argument_value(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.line();
    if parser.eat_keyword(Keyword::Default) {
        return Ok(Expr { kind: ExprKind::Default, line });
    }
    if name::is_name(parser) {
        return Ok(word_literal(name::ident(parser)?, line));
    }
    literal::constant(parser)
}

/// `WITH RECOMPILE`, `WITH RESULT SETS …`
fn execute_options(parser: &mut Parser<'_>, execute: &mut Execute) -> Parsed<()> {
    if !parser.is_keyword(Keyword::With) || !(parser.is_word_at(1, "recompile") || parser.is_word_at(1, "result")) {
        return Ok(());
    }
    parser.bump();
    parser.comma_separated(|parser| {
        if parser.eat_word("recompile") {
            execute.recompile = true;
            return Ok(());
        }
        execute.result_sets = result_sets_option(parser)?;
        Ok(())
    })?;
    Ok(())
}

/// `RESULT SETS …`
fn result_sets_option(parser: &mut Parser<'_>) -> Parsed<ResultSets> {
    parser.expect_word("result")?;
    parser.expect_word("sets")?;
    result_sets(parser)
}

/// `UNDEFINED|NONE|((column type …, …), …)`
fn result_sets(parser: &mut Parser<'_>) -> Parsed<ResultSets> {
    if parser.eat_word("undefined") {
        return Ok(ResultSets::Undefined);
    }
    if parser.eat_word("none") {
        return Ok(ResultSets::None);
    }
    if parser.kind() == TokenKind::LeftParen && parser.is_keyword_at(1, Keyword::As) {
        // AS OBJECT, AS TYPE, AS FOR XML
        unsupported::skip_parentheses(parser)?;
        parser.not_yet("WITH RESULT SETS (AS …)");
        return Ok(ResultSets::Undefined);
    }
    let sets = parser.parenthesised(|parser| parser.parenthesised(result_column))?;
    Ok(ResultSets::Sets(sets))
}

fn result_column(parser: &mut Parser<'_>) -> Parsed<ResultColumn> {
    let name = name::ident(parser)?;
    let data_type = types::data_type(parser)?;
    let collation = if parser.eat_keyword(Keyword::Collate) { Some(name::word(parser)?) } else { None };
    let nullable = types::nullability(parser)?;
    Ok(ResultColumn { name, data_type, collation, nullable })
}

/// `AT server`, if it stands here.
fn at_server(parser: &mut Parser<'_>) -> Parsed<Option<Ident>> {
    if parser.is_word("at") && is_server_name(parser, 1) {
        parser.bump();
        return name::ident(parser).map(Some);
    }
    Ok(None)
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
