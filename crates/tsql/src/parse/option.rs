//! Options after WITH and SET: `FILLFACTOR = 80`, `RECOVERY SIMPLE`, `ONLINE = ON (…)`. Which of them exist is the
//! binder's knowledge.

use crate::ast::{NamedOption, OptionValue};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, literal, name};
use crate::token::TokenKind;

/// `WITH (option, …)`, if it stands here.
pub(super) fn with_options(parser: &mut Parser<'_>) -> Parsed<Vec<NamedOption>> {
    if !parser.is_keyword(Keyword::With) || parser.kind_at(1) != TokenKind::LeftParen {
        return Ok(Vec::new());
    }
    parser.bump();
    option_list(parser)
}

/// `(option, …)`
pub(super) fn option_list(parser: &mut Parser<'_>) -> Parsed<Vec<NamedOption>> {
    parser.nested(|parser| parser.parenthesised(|parser| named_option(parser, true)))
}

/// `option, …` without parentheses: a word that begins a statement ends them.
pub(super) fn open_options(parser: &mut Parser<'_>) -> Parsed<Vec<NamedOption>> {
    parser.comma_separated(|parser| named_option(parser, false))
}

/// `name [=] [value] [(option, …)]`, `name = (option, …)`. Before `=` the name may have several words.
pub(super) fn named_option(parser: &mut Parser<'_>, enclosed: bool) -> Parsed<NamedOption> {
    let words = (0..).take_while(|ahead| is_option_word(parser, *ahead, enclosed)).count();
    let is_item = enclosed && matches!(parser.kind(), TokenKind::Integer | TokenKind::Quoted);
    if words == 0 && !is_item {
        return Err(parser.unexpected());
    }
    let name = if is_item {
        let token = parser.bump();
        parser.source(token).to_owned()
    } else {
        let name_words = if parser.kind_at(words) == TokenKind::Equal { words } else { 1 };
        name::words_up_to(parser, parser.at + name_words)
    };
    let must = parser.eat(TokenKind::Equal);
    let value = if must && parser.kind() == TokenKind::LeftParen {
        OptionValue::None
    } else {
        option_value_of(parser, must, enclosed)?
    };
    let details = if parser.kind() == TokenKind::LeftParen { option_list(parser)? } else { Vec::new() };
    Ok(NamedOption { name, value, details })
}

fn is_option_word(parser: &Parser<'_>, ahead: usize, enclosed: bool) -> bool {
    match parser.kind_at(ahead) {
        TokenKind::Word => enclosed || parser.kind_at(ahead + 1) != TokenKind::Colon,
        TokenKind::Keyword(keyword) => enclosed || !(keyword.starts_statement() || keyword == Keyword::With),
        _ => false,
    }
}

/// `must`: `=` stands before it, so a value follows.
fn option_value_of(parser: &mut Parser<'_>, must: bool, enclosed: bool) -> Parsed<OptionValue> {
    match parser.kind() {
        TokenKind::Quoted => return name::object_name(parser).map(OptionValue::Name),
        TokenKind::Word if parser.kind_at(1) == TokenKind::Period => {
            return name::object_name(parser).map(OptionValue::Name);
        }
        TokenKind::Keyword(Keyword::Null) => return literal::constant(parser).map(OptionValue::Constant),
        TokenKind::Integer | TokenKind::Decimal | TokenKind::Variable | TokenKind::Minus => {
            return quantity(parser, enclosed);
        }
        TokenKind::String | TokenKind::NationalString | TokenKind::Binary | TokenKind::Float => {
            return literal::constant(parser).map(OptionValue::Constant);
        }
        _ => {}
    }
    let first = parser.at;
    while is_option_word(parser, 0, enclosed) || (parser.at > first && parser.kind() == TokenKind::Integer) {
        parser.bump();
    }
    match parser.at - first {
        0 if must => return Err(parser.unexpected()),
        0 => return Ok(OptionValue::None),
        1 => match parser.tokens[first].kind {
            TokenKind::Keyword(Keyword::On) => return Ok(OptionValue::On),
            TokenKind::Keyword(Keyword::Off) => return Ok(OptionValue::Off),
            _ => {}
        },
        _ => {}
    }
    Ok(OptionValue::Words(source_words(parser, first)))
}

/// A number or variable, and its unit if a word follows.
fn quantity(parser: &mut Parser<'_>, enclosed: bool) -> Parsed<OptionValue> {
    let amount = literal::constant(parser)?;
    let is_unit = parser.kind() == TokenKind::Word || parser.is_keyword(Keyword::Percent);
    if is_unit && is_option_word(parser, 0, enclosed) {
        let unit = parser.upper();
        parser.bump();
        return Ok(OptionValue::Quantity { amount, unit });
    }
    Ok(OptionValue::Constant(amount))
}

/// What was taken since the token `first`, as written, with one blank between two tokens.
pub(super) fn source_words(parser: &Parser<'_>, first: usize) -> String {
    let words: Vec<&str> = parser.tokens[first..parser.at].iter().map(|token| parser.source(*token)).collect();
    words.join(" ")
}
