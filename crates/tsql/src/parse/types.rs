//! Types as written: `varchar(20)`, `national character varying (max)`, `dbo.money_amount`.

use millpond_types::{MAX_ARGUMENT, TypeNameError, parse_type_name};

use crate::SyntaxError;
use crate::ast::{DataType, ObjectName};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::{Parser, name, unsupported};
use crate::token::TokenKind;

pub(super) fn data_type(parser: &mut Parser<'_>) -> Parsed<DataType> {
    let line = parser.line();
    if parser.eat_keyword(Keyword::Cursor) {
        return Ok(DataType::Cursor);
    }
    let name = type_name(parser)?;
    let scalar = match name.parts.as_slice() {
        [name] => Some(name.to_lowercase()),
        [schema, name] if schema.eq_ignore_ascii_case("sys") => Some(name.to_lowercase()),
        _ => None,
    };
    let Some(scalar) = scalar else {
        return named_type(parser, name);
    };
    if scalar == "sysname" {
        return Ok(DataType::SysName);
    }
    if matches!(parse_type_name(&scalar, &[]), Err(TypeNameError::Unknown { .. })) {
        return named_type(parser, name);
    }
    if scalar == "xml" && parser.kind() == TokenKind::LeftParen {
        // The collection of schemas is not kept.
        unsupported::skip_parentheses(parser)?;
    }
    let args = type_arguments(parser)?;
    let sql_type =
        parse_type_name(&scalar, &args).map_err(|error| type_error(&error, parser.context.columns_before + 1, line))?;
    Ok(DataType::Scalar { sql_type, explicit_length: !args.is_empty() })
}

/// A type that is not built in; what stands in its parentheses (`xml(schema)`) is not kept.
fn named_type(parser: &mut Parser<'_>, name: ObjectName) -> Parsed<DataType> {
    if parser.kind() == TokenKind::LeftParen {
        unsupported::skip_parentheses(parser)?;
    }
    Ok(DataType::Named(name))
}

/// The name, standard SQL's longer spellings made short.
fn type_name(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    let simple = |name: &str| ObjectName { parts: vec![name.to_owned()] };
    if parser.eat_keyword(Keyword::Double) {
        parser.eat_word("PRECISION");
        return Ok(simple("float"));
    }
    let national = parser.eat_keyword(Keyword::National);
    let mut name = name::type_object_name(parser)?;
    let varying = parser.eat_keyword(Keyword::Varying);
    if let [word] = name.parts.as_mut_slice()
        && let Some(short) = short_spelling(&word.to_lowercase(), national, varying)
    {
        *word = short.to_owned();
    }
    Ok(name)
}

/// `(n)`, `(max)` or `(p, s)`
fn type_arguments(parser: &mut Parser<'_>) -> Parsed<Vec<u32>> {
    if parser.kind() != TokenKind::LeftParen {
        return Ok(Vec::new());
    }
    parser.bump();
    let mut arguments = vec![type_argument(parser)?];
    if parser.eat(TokenKind::Comma) {
        arguments.push(type_argument(parser)?);
    }
    parser.expect(TokenKind::RightParen)?;
    Ok(arguments)
}

fn type_argument(parser: &mut Parser<'_>) -> Parsed<u32> {
    if parser.eat_word("max") {
        return Ok(MAX_ARGUMENT);
    }
    // A length that no type has stays one when it does not fit.
    let written: u64 = name::unsigned(parser)?;
    Ok(u32::try_from(written).unwrap_or(MAX_ARGUMENT).min(MAX_ARGUMENT - 1))
}

/// The short name of a spelling with NATIONAL or VARYING, or of a synonym.
fn short_spelling(word: &str, national: bool, varying: bool) -> Option<&'static str> {
    Some(match (word, national, varying) {
        ("char" | "character", false, true) => "varchar",
        ("char" | "character", true, false) => "nchar",
        ("char" | "character", true, true) | ("nchar", false, true) => "nvarchar",
        ("text", true, false) => "ntext",
        ("binary", false, true) => "varbinary",
        ("character", false, false) => "char",
        ("integer", false, false) => "int",
        ("dec", false, false) => "decimal",
        _ => return None,
    })
}

/// `position`: the column's or variable's number in its list, which some messages name.
fn type_error(error: &TypeNameError, position: usize, line: u32) -> Box<SyntaxError> {
    let (prefix, severity) = match error {
        TypeNameError::Unknown { .. } | TypeNameError::NoLength { .. } => {
            (format!("Column, parameter, or variable #{position}: "), 16)
        }
        TypeNameError::PrecisionTooLarge { .. } => (format!("Column or parameter #{position}: "), 16),
        _ => (String::new(), 15),
    };
    error::wrong_type_argument(error.number(), severity, line, format!("{prefix}{error}"))
}

/// `NULL` or `NOT NULL`, if one stands here.
pub(super) fn nullability(parser: &mut Parser<'_>) -> Parsed<Option<bool>> {
    if parser.eat_keyword(Keyword::Null) {
        return Ok(Some(true));
    }
    if !parser.is_keyword(Keyword::Not) || parser.is_keyword_at(1, Keyword::For) {
        return Ok(None);
    }
    parser.bump();
    parser.expect_keyword(Keyword::Null)?;
    Ok(Some(false))
}
