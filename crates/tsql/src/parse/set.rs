//! DECLARE and SET.

use crate::ast::{AssignOp, Assignment, SetOption, SetValue, StatementKind, TableDefinition, VariableDeclaration};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::ddl::table;
use crate::parse::query::assign_operator;
use crate::parse::{Parser, cursor, dml, function, literal, name, query, types};
use crate::token::TokenKind;

// DECLARE.

pub(super) fn declare(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    if name::is_name(parser) {
        return cursor::declare_cursor(parser);
    }
    if let Some((name, definition)) = table_declaration(parser)? {
        return Ok(StatementKind::DeclareTable { name, definition });
    }
    let mut variables = vec![variable_declaration(parser)?];
    while parser.eat(TokenKind::Comma) {
        parser.context.columns_before = variables.len();
        variables.push(variable_declaration(parser)?);
        parser.context.columns_before = 0;
    }
    Ok(StatementKind::Declare(variables))
}

/// `@t [AS] TABLE (…)`
fn table_declaration(parser: &mut Parser<'_>) -> Parsed<Option<(String, TableDefinition)>> {
    let with_as = usize::from(parser.is_keyword_at(1, Keyword::As));
    if parser.kind() != TokenKind::Variable || !parser.is_keyword_at(1 + with_as, Keyword::Table) {
        return Ok(None);
    }
    let name = name::parameter_name(parser)?;
    parser.at += 1 + with_as;
    let definition = table::table_definition(parser)?;
    if parser.at >= 2 && parser.tokens[parser.at - 2].kind == TokenKind::Comma {
        return Err(parser.unexpected_at(parser.at - 1));
    }
    Ok(Some((name, definition)))
}

fn variable_declaration(parser: &mut Parser<'_>) -> Parsed<VariableDeclaration> {
    let name = name::parameter_name(parser)?;
    parser.eat_keyword(Keyword::As);
    let data_type = types::data_type(parser)?;
    parser.context.columns_before = 0;
    let value = if parser.eat(TokenKind::Equal) { Some(parser.value()?) } else { None };
    Ok(VariableDeclaration { name, data_type, value })
}

// SET.

pub(super) fn set_statement(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    match parser.kind() {
        TokenKind::Variable => set_variable(parser),
        TokenKind::Keyword(Keyword::Statistics) => set_statistics(parser),
        TokenKind::Keyword(Keyword::IdentityInsert) => set_identity_insert(parser),
        TokenKind::Keyword(Keyword::Transaction | Keyword::Tran) => set_isolation(parser),
        _ => set_option(parser),
    }
}

fn set_variable(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    if assign_operator(parser.kind_at(1)).is_some() && !parser.is_keyword_at(2, Keyword::Cursor) {
        return query::assignment(parser).map(StatementKind::SetVariable);
    }
    let variable = name::variable(parser)?;
    if parser.eat(TokenKind::Equal) {
        let cursor = Box::new(cursor::cursor_definition(parser)?);
        return Ok(StatementKind::SetCursor { variable, cursor });
    } else {
        // `SET @x.modify('…')`, `SET @p.X = 1`
        parser.expect(TokenKind::Period)?;
        let mut name = name::object_name(parser)?;
        let line = parser.line();
        if parser.kind() == TokenKind::LeftParen && name.parts.len() == 1 {
            let method = name.last().to_owned();
            name.parts.insert(0, variable.clone());
            let call = parser.nested(|parser| function::call(parser, name, line))?;
            let value = dml::modification(parser, &method, call)?;
            return Ok(StatementKind::SetVariable(Assignment { variable, op: AssignOp::Modify, value }));
        } else {
            query::expect_assign_operator(parser)?;
            parser.value()?;
        }
        parser.not_yet("SET of a variable's property");
    }
    Ok(StatementKind::Unsupported("SET of a variable's property".to_owned()))
}

/// `STATISTICS IO, TIME ON`
fn set_statistics(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let names = parser.comma_separated(name::word)?;
    let names = names.iter().map(|name| format!("STATISTICS {}", name.to_uppercase())).collect();
    let value = on_or_off(parser)?;
    Ok(StatementKind::SetOption(SetOption { names, value }))
}

/// `IDENTITY_INSERT table ON`
fn set_identity_insert(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let table = name::defined_name(parser)?;
    let parts: Vec<String> = table.parts.iter().map(|part| delimited_if_needed(part)).collect();
    let names = vec![format!("IDENTITY_INSERT {}", parts.join("."))];
    let value = on_or_off(parser)?;
    Ok(StatementKind::SetOption(SetOption { names, value }))
}

/// `TRANSACTION ISOLATION LEVEL …`
fn set_isolation(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    parser.expect_word("isolation")?;
    parser.expect_word("level")?;
    let level = if parser.eat_keyword(Keyword::Read) {
        if parser.eat_word("uncommitted") {
            "READ UNCOMMITTED"
        } else {
            parser.expect_word("committed")?;
            "READ COMMITTED"
        }
    } else if parser.eat_word("repeatable") {
        parser.expect_keyword(Keyword::Read)?;
        "REPEATABLE READ"
    } else if parser.eat_word("snapshot") {
        "SNAPSHOT"
    } else {
        parser.expect_word("serializable")?;
        "SERIALIZABLE"
    };
    let names = vec!["TRANSACTION ISOLATION LEVEL".to_owned()];
    Ok(StatementKind::SetOption(SetOption { names, value: SetValue::Words(level.to_owned()) }))
}

/// `NOCOUNT ON`, `ANSI_NULLS, ANSI_PADDING ON`, `LOCK_TIMEOUT 5`, `LANGUAGE us_english`
fn set_option(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let line = parser.line();
    let names = parser.comma_separated(option_name)?;
    if names == ["OFFSETS"] {
        offsets(parser)?;
    }
    if names.iter().any(|name| name.starts_with("SHOWPLAN_")) {
        parser.met.showplan_line.get_or_insert(line);
    }
    let switch = matches!(parser.kind(), TokenKind::Keyword(Keyword::On | Keyword::Off));
    // A number of rows has no sign.
    if names[0] == "ROWCOUNT" && parser.kind() == TokenKind::Minus {
        return Err(parser.unexpected());
    }
    let value = if switch || names.len() > 1 { on_or_off(parser)? } else { option_value(parser)? };
    Ok(StatementKind::SetOption(SetOption { names, value }))
}

/// The words of `OFFSETS SELECT, FROM, … ON`.
fn offsets(parser: &mut Parser<'_>) -> Parsed<()> {
    let word = |parser: &mut Parser<'_>| {
        if !matches!(parser.kind(), TokenKind::Word | TokenKind::Keyword(_)) {
            return Err(parser.unexpected());
        }
        parser.bump();
        Ok(())
    };
    if !matches!(parser.kind(), TokenKind::Keyword(Keyword::On | Keyword::Off)) {
        parser.comma_separated(word)?;
    }
    Ok(())
}

/// Some options are reserved words.
fn option_name(parser: &mut Parser<'_>) -> Parsed<String> {
    let reserved =
        matches!(parser.kind(), TokenKind::Keyword(Keyword::RowCount | Keyword::TextSize | Keyword::Offsets));
    if parser.kind() != TokenKind::Word && !reserved {
        return Err(parser.unexpected());
    }
    let name = parser.upper();
    parser.bump();
    Ok(name)
}

fn on_or_off(parser: &mut Parser<'_>) -> Parsed<SetValue> {
    if parser.eat_keyword(Keyword::On) {
        return Ok(SetValue::On);
    }
    parser.expect_keyword(Keyword::Off)?;
    Ok(SetValue::Off)
}

fn option_value(parser: &mut Parser<'_>) -> Parsed<SetValue> {
    if parser.kind() == TokenKind::Word {
        name::word(parser).map(SetValue::Words)
    } else {
        literal::constant(parser).map(SetValue::Expr)
    }
}

/// A name as it may stand in T-SQL, so that a dot in it is not taken for one between names.
fn delimited_if_needed(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$'));
    if plain { name.to_owned() } else { crate::print::bracketed(name) }
}
