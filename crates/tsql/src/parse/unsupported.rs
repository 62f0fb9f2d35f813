//! Statements that are T-SQL but that this version does not run. They take their own tokens and no others, so that the
//! statements around them are read right.

use super::Parser;
use crate::ast::StatementKind;
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Takes the rest of a statement of which only the name is of use.
    pub(super) fn skip_as(&mut self, words: &str) -> Parsed<StatementKind> {
        self.skip(|_, _| false)?;
        self.not_yet(words);
        Ok(StatementKind::Unsupported(words.to_owned()))
    }

    /// Takes tokens up to the next statement: a semicolon, a label, a closing parenthesis or a word that begins a
    /// statement, unless `softly` says that the word here is none.
    pub(super) fn skip(&mut self, softly: impl Fn(&Parser<'_>, Keyword) -> bool) -> Parsed<()> {
        loop {
            match self.kind() {
                TokenKind::End | TokenKind::Semicolon | TokenKind::RightParen => return Ok(()),
                TokenKind::LeftParen => self.skip_parentheses()?,
                TokenKind::Keyword(keyword) if keyword.starts_statement() && !softly(self, keyword) => {
                    return Ok(());
                }
                TokenKind::Word if self.is_label() => return Ok(()),
                _ => {
                    self.bump();
                }
            }
        }
    }

    pub(super) fn unsupported_statement(&mut self, keyword: Keyword) -> Parsed<StatementKind> {
        let word = self.upper();
        match keyword {
            Keyword::Grant | Keyword::Deny | Keyword::Revoke => self.permission(&word),
            Keyword::Bulk => {
                self.bump();
                self.expect_keyword(Keyword::Insert)?;
                self.skip_as("BULK INSERT")
            }
            Keyword::Fetch => self.fetch(),
            Keyword::End if self.is_word_at(1, "conversation") => {
                self.bump();
                self.skip_as("END CONVERSATION")
            }
            Keyword::Backup
            | Keyword::Restore
            | Keyword::Dump
            | Keyword::Load
            | Keyword::Open
            | Keyword::Close
            | Keyword::Deallocate
            | Keyword::LineNo
            | Keyword::ReadText
            | Keyword::WriteText
            | Keyword::UpdateText
            | Keyword::Add => {
                self.bump();
                let first = self.at;
                let statement = self.skip_as(&word)?;
                if self.at == first { Err(self.unexpected()) } else { Ok(statement) }
            }
            Keyword::Revert | Keyword::SetUser => {
                self.bump();
                self.skip_as(&word)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `GRANT SELECT, EXECUTE ON x TO a, b [WITH GRANT OPTION] [AS c]`: the permissions are words that begin
    /// statements elsewhere.
    fn permission(&mut self, word: &str) -> Parsed<StatementKind> {
        self.bump();
        while !matches!(self.kind(), TokenKind::Keyword(Keyword::To | Keyword::From)) {
            match self.kind() {
                TokenKind::LeftParen => self.skip_parentheses()?,
                TokenKind::End | TokenKind::Semicolon | TokenKind::RightParen => {
                    return Err(self.unexpected());
                }
                _ => {
                    self.bump();
                }
            }
        }
        self.bump();
        self.skip_permission_tail()?;
        self.not_yet(word);
        Ok(StatementKind::Unsupported(word.to_owned()))
    }

    fn skip_permission_tail(&mut self) -> Parsed<()> {
        self.comma_separated(|parser| {
            if parser.eat_keyword(Keyword::Public) { Ok(()) } else { parser.object_name().map(|_| ()) }
        })?;
        if self.is_keyword(Keyword::With) && self.is_keyword_at(1, Keyword::Grant) {
            self.at += 2;
            self.expect_keyword(Keyword::Option)?;
        }
        self.eat_keyword(Keyword::Cascade);
        if self.eat_keyword(Keyword::As) {
            self.object_name()?;
        }
        Ok(())
    }

    /// `FETCH [[NEXT|PRIOR|FIRST|LAST|ABSOLUTE n|RELATIVE n] FROM] cursor [INTO @a, @b]`
    fn fetch(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.skip(|_, _| false)?;
        self.not_yet("FETCH");
        Ok(StatementKind::Unsupported("FETCH".to_owned()))
    }
}
