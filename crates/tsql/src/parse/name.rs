//! Names, strings and the other tokens that carry a value.

use super::Parser;
use crate::ast::{Ident, ObjectName, VariableUse};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::lexer::{check_length, unescape};
use crate::token::{Token, TokenKind};

/// `server.database.schema.name`
const PARTS_MAX: usize = 4;
/// `database.schema.name`
const DEFINED_PARTS_MAX: usize = 3;
/// `schema.name`
const TYPE_PARTS_MAX: usize = 2;

impl Parser<'_> {
    /// Whether a name stands here. A word with a colon after it is a label, whatever stands before it.
    pub(super) fn is_name(&self) -> bool {
        match self.kind() {
            TokenKind::Word => !self.is_label(),
            TokenKind::Quoted => true,
            _ => false,
        }
    }

    pub(super) fn is_label(&self) -> bool {
        self.kind() == TokenKind::Word && self.kind_at(1) == TokenKind::Colon
    }

    pub(super) fn is_string(&self) -> bool {
        matches!(self.kind(), TokenKind::String | TokenKind::NationalString)
    }

    /// A name of one part.
    pub(super) fn ident(&mut self) -> Parsed<Ident> {
        if !matches!(self.kind(), TokenKind::Word | TokenKind::Quoted) {
            return Err(self.unexpected());
        }
        let token = self.bump();
        Ok(self.value_text(token))
    }

    /// A word that may not be delimited, as written: options, collations, commands.
    pub(super) fn word(&mut self) -> Parsed<String> {
        let token = self.expect(TokenKind::Word)?;
        Ok(self.source(token).to_owned())
    }

    /// `@name`, used as a value, a target or a cursor.
    pub(super) fn variable(&mut self) -> Parsed<Ident> {
        self.used_variable(false)
    }

    /// `@name` where a table is wanted.
    pub(super) fn table_variable(&mut self) -> Parsed<Ident> {
        self.used_variable(true)
    }

    fn used_variable(&mut self, is_table: bool) -> Parsed<Ident> {
        let first = self.at;
        let name = self.at_name()?;
        self.variables.push(VariableUse { span: self.span_from(first), is_table });
        Ok(name)
    }

    /// `@name` that is declared, or that names a parameter of a call.
    pub(super) fn parameter_name(&mut self) -> Parsed<Ident> {
        let name = self.at_name()?;
        self.declares_double_at |= is_of_function(&name);
        Ok(name)
    }

    /// The variables that are used, as far as their names say: `@@ROWCOUNT` and the like are functions, which the
    /// binder knows, unless the text has variables that are so called.
    pub(super) fn used_variables(&mut self) -> Vec<VariableUse> {
        let mut used = std::mem::take(&mut self.variables);
        if !self.declares_double_at {
            used.retain(|one| !is_of_function(&self.text[one.span.start as usize..one.span.end as usize]));
        }
        used
    }

    fn at_name(&mut self) -> Parsed<Ident> {
        let token = self.expect(TokenKind::Variable)?;
        Ok(self.source(token).to_owned())
    }

    /// `[[server.]database.][schema.]name`, with empty parts as in `tempdb..#t` and `..t`.
    pub(super) fn object_name(&mut self) -> Parsed<ObjectName> {
        self.name_of_parts("object", PARTS_MAX)
    }

    /// `[database.][schema.]name`: what a definition makes, changes or drops is on this server.
    pub(super) fn defined_name(&mut self) -> Parsed<ObjectName> {
        self.name_of_parts("object", DEFINED_PARTS_MAX)
    }

    /// `[schema.]name`: a type is of the current database.
    pub(super) fn type_object_name(&mut self) -> Parsed<ObjectName> {
        self.name_of_parts("type", TYPE_PARTS_MAX)
    }

    /// A name of at most so many parts; `noun` says what it names where it has more.
    pub(super) fn name_of_parts(&mut self, noun: &str, parts_max: usize) -> Parsed<ObjectName> {
        let first = self.at;
        let mut parts = vec![if self.kind() == TokenKind::Period { Ident::new() } else { self.ident()? }];
        while self.kind() == TokenKind::Period && self.kind_at(1) != TokenKind::Star {
            self.bump();
            if self.kind() == TokenKind::Period {
                parts.push(Ident::new());
            } else if self.is_keyword(Keyword::IdentityCol) || self.is_keyword(Keyword::RowGuidCol) {
                // As names of columns: older words for `$IDENTITY` and `$ROWGUID`.
                let token = self.bump();
                parts.push(self.source(token).to_owned());
            } else {
                parts.push(self.ident()?);
            }
        }
        if parts.len() > parts_max {
            let span = self.span_from(first);
            let name = &self.text[span.start as usize..span.end as usize];
            return Err(error::too_many_prefixes(noun, name, parts_max - 1, span.line));
        }
        Ok(ObjectName { parts })
    }

    /// The target of a statement: a name or a table variable.
    pub(super) fn table_name(&mut self) -> Parsed<ObjectName> {
        if self.kind() == TokenKind::Variable {
            return Ok(ObjectName { parts: vec![self.table_variable()?] });
        }
        self.object_name()
    }

    /// A name or a string, as options of files have it.
    pub(super) fn ident_or_string(&mut self) -> Parsed<Ident> {
        if !self.is_string() {
            return self.ident();
        }
        let line = self.line();
        let name = self.string()?;
        check_length(&name, line)?;
        Ok(name)
    }

    /// The content of a string.
    pub(super) fn string(&mut self) -> Parsed<String> {
        if !self.is_string() {
            return Err(self.unexpected());
        }
        let token = self.bump();
        Ok(self.delimited_value(token))
    }

    /// The content of a string or a delimited name. A backslash before a line end joins the lines of a string.
    pub(super) fn delimited_value(&self, token: Token) -> String {
        let source = self.source(token);
        let source = if token.kind == TokenKind::NationalString { &source[1..] } else { source };
        let close = if source.starts_with('[') { ']' } else { source.chars().next().unwrap_or('\'') };
        let content = unescape(&source[1..source.len() - 1], close);
        if token.kind == TokenKind::Quoted { content } else { joined_lines(content) }
    }

    /// An unsigned integer that fits.
    pub(super) fn unsigned<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let index = self.at;
        let token = self.expect(TokenKind::Integer)?;
        self.source(token).parse().map_err(|_| self.unexpected_at(index))
    }

    /// An integer with a sign that fits.
    pub(super) fn signed(&mut self) -> Parsed<i64> {
        let negative = self.eat(TokenKind::Minus);
        if !negative {
            self.eat(TokenKind::Plus);
        }
        let index = self.at;
        let token = self.expect(TokenKind::Integer)?;
        let magnitude: i128 = self.source(token).parse().map_err(|_| self.unexpected_at(index))?;
        i64::try_from(if negative { -magnitude } else { magnitude }).map_err(|_| self.unexpected_at(index))
    }

    /// Takes the words up to the place `end`, upper-case, with one blank between two tokens.
    pub(super) fn words_up_to(&mut self, end: usize) -> String {
        let words: Vec<String> = self.tokens[self.at..end].iter().map(|t| self.source(*t).to_uppercase()).collect();
        self.at = end;
        words.join(" ")
    }
}

/// A string's content without the backslashes that stand before a line end, and without those line ends.
fn joined_lines(content: String) -> String {
    if !content.contains("\\\n") && !content.contains("\\\r\n") {
        return content;
    }
    let mut joined = String::with_capacity(content.len());
    let mut rest = content.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        joined.push_str(before);
        match behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n')) {
            Some(next_line) => rest = next_line,
            None => {
                joined.push('\\');
                rest = behind;
            }
        }
    }
    joined.push_str(rest);
    joined
}

/// Whether a name is one of those that functions have.
fn is_of_function(name: &str) -> bool {
    name.starts_with("@@")
}
