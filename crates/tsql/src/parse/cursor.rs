//! Cursors.

use std::sync::Arc;

use super::Parser;
use crate::ast::{
    CursorChange, CursorDefinition, CursorName, DeclareCursor, Expr, Fetch, FetchDirection, StatementKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

/// Words before and after CURSOR.
const CURSOR_OPTIONS: [&str; 14] = [
    "insensitive",
    "scroll",
    "local",
    "global",
    "forward_only",
    "static",
    "keyset",
    "dynamic",
    "fast_forward",
    "read_only",
    "scroll_locks",
    "optimistic",
    "type_warning",
    "sensitive",
];

impl Parser<'_> {
    /// `name [INSENSITIVE] [SCROLL] CURSOR [options] FOR query [FOR READ ONLY|UPDATE [OF a, b]]`; DECLARE is read.
    pub(super) fn declare_cursor(&mut self) -> Parsed<StatementKind> {
        let name = self.ident()?;
        let options = self.cursor_options();
        let mut cursor = self.cursor_definition()?;
        cursor.options.splice(0..0, options);
        Ok(StatementKind::DeclareCursor(Box::new(DeclareCursor { name, cursor })))
    }

    fn cursor_options(&mut self) -> Vec<String> {
        let mut options = Vec::new();
        while CURSOR_OPTIONS.iter().any(|word| self.is_word(word)) {
            options.push(self.upper());
            self.bump();
        }
        options
    }

    /// `CURSOR [options] FOR query [FOR …]`
    pub(super) fn cursor_definition(&mut self) -> Parsed<CursorDefinition> {
        self.expect_keyword(Keyword::Cursor)?;
        let options = self.cursor_options();
        self.expect_keyword(Keyword::For)?;
        let query = Arc::new(self.query_with_ctes()?);
        let change = if self.eat_keyword(Keyword::For) { Some(self.cursor_change()?) } else { None };
        Ok(CursorDefinition { options, query, change })
    }

    fn cursor_change(&mut self) -> Parsed<CursorChange> {
        if self.eat_keyword(Keyword::Read) {
            self.expect_word("only")?;
            return Ok(CursorChange::ReadOnly);
        }
        self.expect_keyword(Keyword::Update)?;
        let of = self.eat_keyword(Keyword::Of);
        let columns = if of { self.comma_separated(Self::object_name)? } else { Vec::new() };
        Ok(CursorChange::Update(columns))
    }

    /// `[GLOBAL] name`, `@name`
    pub(super) fn cursor_name(&mut self) -> Parsed<CursorName> {
        if self.kind() == TokenKind::Variable {
            return Ok(CursorName { name: self.variable()?, global: false });
        }
        let global = self.is_word("global") && matches!(self.kind_at(1), TokenKind::Word | TokenKind::Quoted);
        if global {
            self.bump();
        }
        Ok(CursorName { name: self.ident()?, global })
    }

    /// OPEN, CLOSE, DEALLOCATE.
    pub(super) fn cursor_statement(&mut self, keyword: Keyword) -> Parsed<StatementKind> {
        self.bump();
        let other_key = self.is_word("symmetric") || self.is_word("master") || self.is_keyword(Keyword::All);
        if other_key && (self.is_keyword_at(1, Keyword::Key) || self.is_word_at(1, "symmetric")) {
            return self.skip_as(if keyword == Keyword::Open { "OPEN KEY" } else { "CLOSE KEY" });
        }
        if keyword == Keyword::Deallocate && self.is_keyword(Keyword::Cursor) {
            self.bump();
        }
        let cursor = self.cursor_name()?;
        Ok(match keyword {
            Keyword::Open => StatementKind::OpenCursor(cursor),
            Keyword::Close => StatementKind::CloseCursor(cursor),
            _ => StatementKind::DeallocateCursor(cursor),
        })
    }

    /// `FETCH [[NEXT|PRIOR|FIRST|LAST|ABSOLUTE n|RELATIVE n] FROM] cursor [INTO @a, @b]`
    pub(super) fn fetch(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let (direction, from) = self.fetch_direction()?;
        if from {
            self.expect_keyword(Keyword::From)?;
        } else {
            self.eat_keyword(Keyword::From);
        }
        let cursor = self.cursor_name()?;
        let into = if self.eat_keyword(Keyword::Into) { self.comma_separated(Self::variable)? } else { Vec::new() };
        Ok(StatementKind::Fetch(Box::new(Fetch { direction, cursor, into })))
    }

    /// The direction, and whether one is written. A cursor may be called `first`.
    fn fetch_direction(&mut self) -> Parsed<(FetchDirection, bool)> {
        if self.is_keyword_at(1, Keyword::From) {
            let words = [
                ("next", FetchDirection::Next),
                ("prior", FetchDirection::Prior),
                ("first", FetchDirection::First),
                ("last", FetchDirection::Last),
            ];
            for (word, direction) in words {
                if self.eat_word(word) {
                    return Ok((direction, true));
                }
            }
        }
        let counted =
            matches!(self.kind_at(1), TokenKind::Integer | TokenKind::Minus | TokenKind::Plus | TokenKind::Variable);
        if counted && self.eat_word("absolute") {
            return Ok((FetchDirection::Absolute(self.row_number()?), true));
        }
        if counted && self.eat_word("relative") {
            return Ok((FetchDirection::Relative(self.row_number()?), true));
        }
        Ok((FetchDirection::Next, false))
    }

    fn row_number(&mut self) -> Parsed<Expr> {
        self.constant()
    }
}
