//! Statements that are T-SQL but that this version does not run. They take their own tokens and no others, so that the
//! statements around them are read right.

use crate::ast::StatementKind;
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, name};
use crate::token::TokenKind;

/// Takes the rest of a statement of which only the name is of use.
pub(super) fn skip_as(parser: &mut Parser<'_>, words: &str) -> Parsed<StatementKind> {
    skip(parser, |_, _| false)?;
    parser.not_yet(words);
    Ok(StatementKind::Unsupported(words.to_owned()))
}

/// Takes tokens up to the next statement: a semicolon, a label, a closing parenthesis or a word that begins a
/// statement, unless `softly` says that the word here is none.
pub(super) fn skip(parser: &mut Parser<'_>, softly: impl Fn(&Parser<'_>, Keyword) -> bool) -> Parsed<()> {
    loop {
        match parser.kind() {
            TokenKind::End | TokenKind::Semicolon | TokenKind::RightParen => return Ok(()),
            TokenKind::LeftParen => skip_parentheses(parser)?,
            TokenKind::Keyword(keyword) if keyword.starts_statement() && !softly(parser, keyword) => {
                return Ok(());
            }
            TokenKind::Word if name::is_label(parser) => return Ok(()),
            _ => {
                parser.bump();
            }
        }
    }
}

pub(super) fn unsupported_statement(parser: &mut Parser<'_>, keyword: Keyword) -> Parsed<StatementKind> {
    let word = parser.upper();
    match keyword {
        Keyword::End if parser.is_word_at(1, "conversation") => {
            parser.bump();
            skip_as(parser, "END CONVERSATION")
        }
        Keyword::Dump
        | Keyword::Load
        | Keyword::LineNo
        | Keyword::ReadText
        | Keyword::WriteText
        | Keyword::UpdateText
        | Keyword::Add => {
            parser.bump();
            let first = parser.at;
            let statement = skip_as(parser, &word)?;
            if parser.at == first { Err(parser.unexpected()) } else { Ok(statement) }
        }
        _ => Err(parser.unexpected()),
    }
}

/// Takes `( … )` whatever is in it.
pub(super) fn skip_parentheses(parser: &mut Parser<'_>) -> Parsed<()> {
    let open = parser.expect(TokenKind::LeftParen)?;
    if open.partner == 0 {
        parser.at = parser.tokens.len() - 1;
        return Err(parser.unexpected());
    }
    parser.at = open.partner as usize + 1;
    Ok(())
}
