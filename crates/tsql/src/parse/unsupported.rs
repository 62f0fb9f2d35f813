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
            Keyword::End if self.is_word_at(1, "conversation") => {
                self.bump();
                self.skip_as("END CONVERSATION")
            }
            Keyword::Dump
            | Keyword::Load
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
            Keyword::SetUser => {
                self.bump();
                self.skip_as(&word)
            }
            _ => Err(self.unexpected()),
        }
    }
}
