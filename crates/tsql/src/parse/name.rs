//! Names, strings and the other tokens that carry a value.

use crate::ast::{Ident, ObjectName, VariableUse};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::lexer::check_length;
use crate::parse::Parser;
use crate::token::TokenKind;

/// `server.database.schema.name`
const PARTS_MAX: usize = 4;
/// `database.schema.name`
const DEFINED_PARTS_MAX: usize = 3;
/// `schema.name`
const TYPE_PARTS_MAX: usize = 2;

/// Whether a name stands here. A word with a colon after it is a label, whatever stands before it.
pub(super) fn is_name(parser: &Parser<'_>) -> bool {
    match parser.kind() {
        TokenKind::Word => !is_label(parser),
        TokenKind::Quoted => true,
        _ => false,
    }
}

pub(super) fn is_label(parser: &Parser<'_>) -> bool {
    parser.kind() == TokenKind::Word && parser.kind_at(1) == TokenKind::Colon
}

pub(super) fn is_string(parser: &Parser<'_>) -> bool {
    matches!(parser.kind(), TokenKind::String | TokenKind::NationalString)
}

/// A name of one part.
pub(super) fn ident(parser: &mut Parser<'_>) -> Parsed<Ident> {
    if !matches!(parser.kind(), TokenKind::Word | TokenKind::Quoted) {
        return Err(parser.unexpected());
    }
    let token = parser.bump();
    Ok(parser.value_text(token))
}

/// A word that may not be delimited, as written: options, collations, commands.
pub(super) fn word(parser: &mut Parser<'_>) -> Parsed<String> {
    let token = parser.expect(TokenKind::Word)?;
    Ok(parser.source(token).to_owned())
}

/// `@name`, used as a value, a target or a cursor.
pub(super) fn variable(parser: &mut Parser<'_>) -> Parsed<Ident> {
    used_variable(parser, false)
}

/// `@name` where a table is wanted.
pub(super) fn table_variable(parser: &mut Parser<'_>) -> Parsed<Ident> {
    used_variable(parser, true)
}

fn used_variable(parser: &mut Parser<'_>, is_table: bool) -> Parsed<Ident> {
    let first = parser.at;
    let name = at_name(parser)?;
    parser.met.variables.push(VariableUse { span: parser.span_from(first), is_table });
    Ok(name)
}

/// `@name` that is declared, or that names a parameter of a call.
pub(super) fn parameter_name(parser: &mut Parser<'_>) -> Parsed<Ident> {
    let name = at_name(parser)?;
    parser.met.declares_double_at |= is_of_function(&name);
    Ok(name)
}

/// The variables that are used, as far as their names say: `@@ROWCOUNT` and the like are functions, which the
/// binder knows, unless the text has variables that are so called.
pub(super) fn used_variables(parser: &mut Parser<'_>) -> Vec<VariableUse> {
    let mut used = std::mem::take(&mut parser.met.variables);
    if !parser.met.declares_double_at {
        used.retain(|one| !is_of_function(&parser.text[one.span.start as usize..one.span.end as usize]));
    }
    used
}

fn at_name(parser: &mut Parser<'_>) -> Parsed<Ident> {
    let token = parser.expect(TokenKind::Variable)?;
    Ok(parser.source(token).to_owned())
}

/// `[[server.]database.][schema.]name`, with empty parts as in `tempdb..#t` and `..t`.
pub(super) fn object_name(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    name_of_parts(parser, "object", PARTS_MAX)
}

/// `[database.][schema.]name`: what a definition makes, changes or drops is on this server.
pub(super) fn defined_name(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    name_of_parts(parser, "object", DEFINED_PARTS_MAX)
}

/// `[schema.]name`: a type is of the current database.
pub(super) fn type_object_name(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    name_of_parts(parser, "type", TYPE_PARTS_MAX)
}

/// A name of at most so many parts; `noun` says what it names where it has more.
fn name_of_parts(parser: &mut Parser<'_>, noun: &str, parts_max: usize) -> Parsed<ObjectName> {
    let first = parser.at;
    let mut parts = vec![if parser.kind() == TokenKind::Period { Ident::new() } else { ident(parser)? }];
    while parser.kind() == TokenKind::Period && parser.kind_at(1) != TokenKind::Star {
        parser.bump();
        if parser.kind() == TokenKind::Period {
            parts.push(Ident::new());
        } else if parser.is_keyword(Keyword::IdentityCol) || parser.is_keyword(Keyword::RowGuidCol) {
            // As names of columns: older words for `$IDENTITY` and `$ROWGUID`.
            let token = parser.bump();
            parts.push(parser.source(token).to_owned());
        } else {
            parts.push(ident(parser)?);
        }
    }
    if parts.len() > parts_max {
        let span = parser.span_from(first);
        let name = &parser.text[span.start as usize..span.end as usize];
        return Err(error::too_many_prefixes(noun, name, parts_max - 1, span.line));
    }
    Ok(ObjectName { parts })
}

/// The target of a statement: a name or a table variable.
pub(super) fn table_name(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    if parser.kind() == TokenKind::Variable {
        return Ok(ObjectName { parts: vec![table_variable(parser)?] });
    }
    object_name(parser)
}

/// A name or a string, as options of files have it.
pub(super) fn ident_or_string(parser: &mut Parser<'_>) -> Parsed<Ident> {
    if !is_string(parser) {
        return ident(parser);
    }
    let line = parser.line();
    let name = string(parser)?;
    check_length(&name, line)?;
    Ok(name)
}

/// The content of a string.
pub(super) fn string(parser: &mut Parser<'_>) -> Parsed<String> {
    if !is_string(parser) {
        return Err(parser.unexpected());
    }
    let token = parser.bump();
    Ok(parser.delimited_value(token))
}

/// An unsigned integer that fits.
pub(super) fn unsigned<T: std::str::FromStr>(parser: &mut Parser<'_>) -> Parsed<T> {
    let index = parser.at;
    let token = parser.expect(TokenKind::Integer)?;
    parser.source(token).parse().map_err(|_| parser.unexpected_at(index))
}

/// An integer with a sign that fits.
pub(super) fn signed(parser: &mut Parser<'_>) -> Parsed<i64> {
    let negative = parser.eat(TokenKind::Minus);
    if !negative {
        parser.eat(TokenKind::Plus);
    }
    let index = parser.at;
    let token = parser.expect(TokenKind::Integer)?;
    let magnitude: i128 = parser.source(token).parse().map_err(|_| parser.unexpected_at(index))?;
    i64::try_from(if negative { -magnitude } else { magnitude }).map_err(|_| parser.unexpected_at(index))
}

/// Takes the words up to the place `end`, upper-case, with one blank between two tokens.
pub(super) fn words_up_to(parser: &mut Parser<'_>, end: usize) -> String {
    let words: Vec<String> = parser.tokens[parser.at..end].iter().map(|t| parser.source(*t).to_uppercase()).collect();
    parser.at = end;
    words.join(" ")
}

/// Whether a name is one of those that functions have.
fn is_of_function(name: &str) -> bool {
    name.starts_with("@@")
}

/// `(a, b)`, or nothing.
pub(super) fn column_list(parser: &mut Parser<'_>) -> Parsed<Vec<Ident>> {
    if parser.kind() == TokenKind::LeftParen { parser.parenthesised(ident) } else { Ok(Vec::new()) }
}

/// `IF EXISTS`, if it stands here.
pub(super) fn if_exists(parser: &mut Parser<'_>) -> Parsed<bool> {
    let found = parser.eat_keyword(Keyword::If);
    if found {
        parser.expect_keyword(Keyword::Exists)?;
    }
    Ok(found)
}

/// The upper-case words before `::`, if such stand here.
pub(super) fn securable_class(parser: &mut Parser<'_>) -> Parsed<Option<String>> {
    let words =
        (0..3).take_while(|ahead| matches!(parser.kind_at(*ahead), TokenKind::Word | TokenKind::Keyword(_))).count();
    if words == 0 || parser.kind_at(words) != TokenKind::DoubleColon {
        return Ok(None);
    }
    let class = words_up_to(parser, parser.at + words);
    parser.bump();
    Ok(Some(class))
}
