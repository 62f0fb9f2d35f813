//! Types as written: `varchar(20)`, `national character varying (max)`, `dbo.money_amount`.

use millpond_types::{MAX_ARGUMENT, TypeNameError, parse_type_name};

use super::Parser;
use crate::SyntaxError;
use crate::ast::{DataType, ObjectName};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn data_type(&mut self) -> Parsed<DataType> {
        let line = self.line();
        if self.eat_keyword(Keyword::Cursor) {
            return Ok(DataType::Cursor);
        }
        let name = self.type_name()?;
        let scalar = match name.parts.as_slice() {
            [name] => Some(name.to_lowercase()),
            [schema, name] if schema.eq_ignore_ascii_case("sys") => Some(name.to_lowercase()),
            _ => None,
        };
        let Some(scalar) = scalar else {
            return self.named_type(name);
        };
        if scalar == "sysname" {
            return Ok(DataType::SysName);
        }
        if matches!(parse_type_name(&scalar, &[]), Err(TypeNameError::Unknown { .. })) {
            return self.named_type(name);
        }
        if scalar == "xml" && self.kind() == TokenKind::LeftParen {
            // The collection of schemas is not kept.
            self.skip_parentheses()?;
        }
        let args = self.type_arguments()?;
        let sql_type = parse_type_name(&scalar, &args).map_err(|error| type_error(&error, self.type_position, line))?;
        Ok(DataType::Scalar { sql_type, explicit_length: !args.is_empty() })
    }

    /// A type that is not one of ours; what stands in its parentheses (`xml(schema)`) is not kept.
    fn named_type(&mut self, name: ObjectName) -> Parsed<DataType> {
        if self.kind() == TokenKind::LeftParen {
            self.skip_parentheses()?;
        }
        Ok(DataType::Named(name))
    }

    /// The name, standard SQL's longer spellings made short.
    fn type_name(&mut self) -> Parsed<ObjectName> {
        let simple = |name: &str| ObjectName { parts: vec![name.to_owned()] };
        if self.eat_keyword(Keyword::Double) {
            self.eat_word("PRECISION");
            return Ok(simple("float"));
        }
        let national = self.eat_keyword(Keyword::National);
        let mut name = self.type_object_name()?;
        let varying = self.eat_keyword(Keyword::Varying);
        if let [word] = name.parts.as_mut_slice()
            && let Some(short) = short_spelling(&word.to_lowercase(), national, varying)
        {
            *word = short.to_owned();
        }
        Ok(name)
    }

    /// `(n)`, `(max)` or `(p, s)`
    fn type_arguments(&mut self) -> Parsed<Vec<u32>> {
        if self.kind() != TokenKind::LeftParen {
            return Ok(Vec::new());
        }
        self.bump();
        let mut arguments = vec![self.type_argument()?];
        if self.eat(TokenKind::Comma) {
            arguments.push(self.type_argument()?);
        }
        self.expect(TokenKind::RightParen)?;
        Ok(arguments)
    }

    fn type_argument(&mut self) -> Parsed<u32> {
        if self.eat_word("max") {
            return Ok(MAX_ARGUMENT);
        }
        // A length that no type has stays one when it does not fit.
        let written: u64 = self.unsigned()?;
        Ok(u32::try_from(written).unwrap_or(MAX_ARGUMENT).min(MAX_ARGUMENT - 1))
    }
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
