//! What stands ahead, where one token does not say which production begins. Nothing is taken, and nothing fails.

use crate::keyword::Keyword;
use crate::parse::{DEPTH_MAX, Parser};
use crate::token::TokenKind;

/// Whether a parenthesis with a change in it stands here.
pub(super) fn is_nested_change(parser: &Parser<'_>) -> bool {
    is_nested_change_at(parser, 0)
}

/// The same `ahead` tokens further on.
pub(super) fn is_nested_change_at(parser: &Parser<'_>, ahead: usize) -> bool {
    parser.kind_at(ahead) == TokenKind::LeftParen
        && matches!(
            parser.kind_at(ahead + 1),
            TokenKind::Keyword(Keyword::Insert | Keyword::Update | Keyword::Delete | Keyword::Merge)
        )
}

/// Whether the FROM of the SELECT that begins here begins with a change.
pub(super) fn selects_changes(parser: &Parser<'_>) -> bool {
    let mut at = parser.at + 1;
    while let Some(token) = parser.tokens.get(at) {
        match token.kind {
            TokenKind::Keyword(Keyword::From) => return is_nested_change_at(parser, at + 1 - parser.at),
            TokenKind::Semicolon | TokenKind::RightParen | TokenKind::Keyword(Keyword::Select) => return false,
            TokenKind::LeftParen if token.partner as usize > at => at = token.partner as usize + 1,
            _ => at += 1,
        }
    }
    false
}

/// Whether a set operator follows the ORDER BY that begins here.
pub(super) fn is_order_within_union(parser: &Parser<'_>) -> bool {
    let mut at = parser.at + 1;
    while let Some(token) = parser.tokens.get(at) {
        match token.kind {
            TokenKind::Keyword(Keyword::Union | Keyword::Except | Keyword::Intersect) => return true,
            TokenKind::Semicolon | TokenKind::RightParen | TokenKind::Keyword(Keyword::Select) => return false,
            TokenKind::LeftParen if token.partner as usize > at => at = token.partner as usize + 1,
            _ => at += 1,
        }
    }
    false
}

/// Whether the parenthesis here holds a query, be it in more parentheses: for IN, EXISTS and FROM.
pub(super) fn is_query_parenthesis(parser: &Parser<'_>) -> bool {
    holds_query(parser, true)
}

/// The same where `((SELECT 1))` may be a value in parentheses and is left to the parser of values.
pub(super) fn is_query_parenthesis_of_value(parser: &Parser<'_>) -> bool {
    holds_query(parser, false)
}

/// Looks through a run of parentheses. `((SELECT …) UNION …)` is a query, `((SELECT …) + 1)` is none. A run that is too
/// long to be parsed is not looked at to its end.
fn holds_query(parser: &Parser<'_>, alone: bool) -> bool {
    let ahead = parser.tokens[parser.at..].iter().take(DEPTH_MAX as usize + 1);
    let run = ahead.take_while(|token| token.kind == TokenKind::LeftParen).count();
    if run == 0 || !parser.is_keyword_at(run, Keyword::Select) {
        return false;
    }
    (1..run).all(|inner| {
        let partner = parser.tokens[parser.at + inner].partner as usize;
        match parser.tokens[partner + 1].kind {
            _ if partner == 0 => true,
            TokenKind::Keyword(Keyword::Union | Keyword::Except | Keyword::Intersect | Keyword::Order) => true,
            TokenKind::RightParen => alone,
            _ => false,
        }
    })
}

/// The place of the comma or closing parenthesis that ends what stands here.
pub(super) fn end_of_item(parser: &Parser<'_>) -> usize {
    let mut at = parser.at;
    loop {
        let token = parser.tokens[at];
        match token.kind {
            TokenKind::Comma | TokenKind::RightParen | TokenKind::Semicolon | TokenKind::End => return at,
            TokenKind::LeftParen if token.partner != 0 => at = token.partner as usize + 1,
            _ => at += 1,
        }
    }
}

/// Whether a WINDOW clause begins here; the word is not reserved.
pub(super) fn is_window_clause(parser: &Parser<'_>) -> bool {
    parser.is_word("window")
        && matches!(parser.kind_at(1), TokenKind::Word | TokenKind::Quoted)
        && parser.is_keyword_at(2, Keyword::As)
        && parser.kind_at(3) == TokenKind::LeftParen
}

/// Nothing but semicolons stands before the token with index `first`.
pub(super) fn is_first_in_batch(parser: &Parser<'_>, first: usize) -> bool {
    parser.tokens[..first].iter().all(|token| token.kind == TokenKind::Semicolon)
}
