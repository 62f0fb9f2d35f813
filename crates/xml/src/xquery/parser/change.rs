//! `insert`, `delete`, `replace value of`.

use crate::xquery::Parsing;
use crate::xquery::ast::{Change, Place};
use crate::xquery::error::QueryFault;
use crate::xquery::parser::{Parser, expression};

/// The change that stands here, if one does.
pub(super) fn change(parser: &mut Parser<'_>) -> Parsing<Option<Change>> {
    let start = parser.at;
    if parser.eat_words(&["replace", "value", "of"])? {
        let target = expression::single(parser)?;
        parser.expect_word("with")?;
        let value = expression::single(parser)?;
        return Ok(Some(Change::Replace { target, value }));
    }
    if parser.eat_word("delete")? {
        if is_end_or_step(parser)? {
            parser.at = start;
            return Ok(None);
        }
        return Ok(Some(Change::Delete(expression::expression(parser)?)));
    }
    if parser.eat_word("insert")? {
        if is_end_or_step(parser)? {
            parser.at = start;
            return Ok(None);
        }
        let source = expression::single(parser)?;
        let place = place(parser)?;
        let target = expression::single(parser)?;
        return Ok(Some(Change::Insert { source, place, target }));
    }
    Ok(None)
}

/// Whether the word just read was the name of an element: nothing follows it, or what follows only a name.
fn is_end_or_step(parser: &mut Parser<'_>) -> Parsing<bool> {
    parser.space()?;
    let rest = parser.rest();
    Ok(rest.is_empty() || rest.starts_with(['[', '=', '!', ',', ')', '|']))
}

fn place(parser: &mut Parser<'_>) -> Parsing<Place> {
    if parser.eat_word("as")? {
        let place = if parser.eat_word("first")? {
            Place::First
        } else if parser.eat_word("last")? {
            Place::Last
        } else {
            return parser.fail(QueryFault::FirstOrLast, &[]);
        };
        parser.expect_word("into")?;
        return Ok(place);
    }
    for (word, place) in [("into", Place::Into), ("before", Place::Before), ("after", Place::After)] {
        if parser.eat_word(word)? {
            return Ok(place);
        }
    }
    parser.fail(QueryFault::PositionExpected, &[&parser.near()])
}
