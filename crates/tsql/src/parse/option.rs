//! Options after WITH and SET: `FILLFACTOR = 80`, `RECOVERY SIMPLE`, `ONLINE = ON (…)`. Which of them exist is the
//! binder's knowledge.

use super::Parser;
use crate::ast::{NamedOption, OptionValue};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `WITH (option, …)`, if it stands here.
    pub(super) fn with_options(&mut self) -> Parsed<Vec<NamedOption>> {
        if !self.is_keyword(Keyword::With) || self.kind_at(1) != TokenKind::LeftParen {
            return Ok(Vec::new());
        }
        self.bump();
        self.option_list()
    }

    /// `(option, …)`
    pub(super) fn option_list(&mut self) -> Parsed<Vec<NamedOption>> {
        self.nested(|parser| parser.parenthesised(|parser| parser.named_option(true)))
    }

    /// `option, …` without parentheses: a word that begins a statement ends them.
    pub(super) fn open_options(&mut self) -> Parsed<Vec<NamedOption>> {
        self.comma_separated(|parser| parser.named_option(false))
    }

    /// `name [=] [value] [(option, …)]`, `name = (option, …)`. Before `=` the name may have several words.
    pub(super) fn named_option(&mut self, enclosed: bool) -> Parsed<NamedOption> {
        let words = (0..).take_while(|ahead| self.is_option_word(*ahead, enclosed)).count();
        let is_item = enclosed && matches!(self.kind(), TokenKind::Integer | TokenKind::Quoted);
        if words == 0 && !is_item {
            return Err(self.unexpected());
        }
        let name = if is_item {
            let token = self.bump();
            self.source(token).to_owned()
        } else {
            let name_words = if self.kind_at(words) == TokenKind::Equal { words } else { 1 };
            self.words_up_to(self.at + name_words)
        };
        let must = self.eat(TokenKind::Equal);
        let value = if must && self.kind() == TokenKind::LeftParen {
            OptionValue::None
        } else {
            self.option_value_of(must, enclosed)?
        };
        let details = if self.kind() == TokenKind::LeftParen { self.option_list()? } else { Vec::new() };
        Ok(NamedOption { name, value, details })
    }

    fn is_option_word(&self, ahead: usize, enclosed: bool) -> bool {
        match self.kind_at(ahead) {
            TokenKind::Word => enclosed || self.kind_at(ahead + 1) != TokenKind::Colon,
            TokenKind::Keyword(keyword) => enclosed || !(keyword.starts_statement() || keyword == Keyword::With),
            _ => false,
        }
    }

    /// `must`: `=` stands before it, so a value follows.
    fn option_value_of(&mut self, must: bool, enclosed: bool) -> Parsed<OptionValue> {
        match self.kind() {
            TokenKind::Quoted => return self.object_name().map(OptionValue::Name),
            TokenKind::Word if self.kind_at(1) == TokenKind::Period => {
                return self.object_name().map(OptionValue::Name);
            }
            TokenKind::Keyword(Keyword::Null) => return self.constant().map(OptionValue::Constant),
            TokenKind::Integer | TokenKind::Decimal | TokenKind::Variable | TokenKind::Minus => {
                return self.quantity(enclosed);
            }
            TokenKind::String | TokenKind::NationalString | TokenKind::Binary | TokenKind::Float => {
                return self.constant().map(OptionValue::Constant);
            }
            _ => {}
        }
        let first = self.at;
        while self.is_option_word(0, enclosed) || (self.at > first && self.kind() == TokenKind::Integer) {
            self.bump();
        }
        match self.at - first {
            0 if must => return Err(self.unexpected()),
            0 => return Ok(OptionValue::None),
            1 => match self.tokens[first].kind {
                TokenKind::Keyword(Keyword::On) => return Ok(OptionValue::On),
                TokenKind::Keyword(Keyword::Off) => return Ok(OptionValue::Off),
                _ => {}
            },
            _ => {}
        }
        Ok(OptionValue::Words(self.source_words(first)))
    }

    /// A number or variable, and its unit if a word follows.
    fn quantity(&mut self, enclosed: bool) -> Parsed<OptionValue> {
        let amount = self.constant()?;
        let is_unit = self.kind() == TokenKind::Word || self.is_keyword(Keyword::Percent);
        if is_unit && self.is_option_word(0, enclosed) {
            let unit = self.upper();
            self.bump();
            return Ok(OptionValue::Quantity { amount, unit });
        }
        Ok(OptionValue::Constant(amount))
    }

    /// What was taken since the token `first`, as written, with one blank between two tokens.
    pub(super) fn source_words(&self, first: usize) -> String {
        let words: Vec<&str> = self.tokens[first..self.at].iter().map(|token| self.source(*token)).collect();
        words.join(" ")
    }
}
