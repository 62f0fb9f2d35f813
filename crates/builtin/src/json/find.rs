//! Where a path leads in a text.
//!
//! What always holds: the text is read until it is known where the path leads, and no further: the end of the value; or what
//! shows that there is none. The first member of a name is the one. A path that asks an object for an element, or an array
//! for a member, is known to lead nowhere by the first value in there; any other that leads nowhere costs the container that
//! was looked through, and what comes after it.

use std::ops::Range;

use super::path::Step;
use super::reader::{Container, Fault, Reader, Scalar, Token};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// A value.
    Value(Place<'a>),
    /// Nothing.
    Missing(Missing),
}

/// A value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// Its bytes.
    pub range: Range<usize>,
    /// The value where it is a scalar.
    pub scalar: Option<Scalar<'a>>,
    /// What it is where it is none.
    pub container: Option<Container>,
    /// Where it is a member: what is deleted with it.
    pub member: Option<Member>,
}

/// A member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Where its name begins.
    pub name: usize,
    /// The comma before it, if it is not the first one.
    pub comma: Option<usize>,
}

/// Why a path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The object that ends at this byte has no member of the last step's name; `is_empty` says whether it has any.
    Member {
        /// The `}`.
        end: usize,
        /// Whether the object has no members.
        is_empty: bool,
    },
    /// Something else is missing.
    Other,
}

/// Where steps lead in the text of a reader that stands at its beginning.
///
/// # Errors
/// What is wrong in the part of the text that was read.
pub fn find<'a>(reader: &mut Reader<'a>, steps: &[Step]) -> Result<Found<'a>, Fault> {
    match seek(reader, steps)? {
        Sought::Missing(missing) => Ok(Found::Missing(missing)),
        Sought::Value(token, member) => {
            let start = reader.start();
            reader.skip(token)?;
            let (scalar, container) = match token {
                Token::Scalar(scalar) => (Some(scalar), None),
                Token::Open(container) => (None, Some(container)),
                _ => (None, None),
            };
            Ok(Found::Value(Place { range: start..reader.at(), scalar, container, member }))
        }
    }
}

/// A value of which the first token was read.
pub(crate) enum Sought<'a> {
    Value(Token<'a>, Option<Member>),
    Missing(Missing),
}

/// The same, without the rest of the value.
pub(crate) fn seek<'a>(reader: &mut Reader<'a>, steps: &[Step]) -> Result<Sought<'a>, Fault> {
    let mut value = reader.token()?;
    let mut member = None;
    for (place, step) in steps.iter().enumerate() {
        let is_last = place + 1 == steps.len();
        let found = match (value, step) {
            (Token::Open(Container::Object), Step::Member(name)) => member_of(reader, name, is_last)?,
            (Token::Open(Container::Array), Step::Element(index)) => element_of(reader, *index)?,
            (Token::Open(_), _) => {
                if reader.token()? == Token::Close {
                    pass(reader)?;
                }
                return Ok(Sought::Missing(Missing::Other));
            }
            _ => {
                pass(reader)?;
                return Ok(Sought::Missing(Missing::Other));
            }
        };
        match found {
            Sought::Missing(missing) => {
                pass(reader)?;
                return Ok(Sought::Missing(missing));
            }
            Sought::Value(token, of) => (value, member) = (token, of),
        }
    }
    Ok(Sought::Value(value, member))
}

/// What comes after a value: the next one, after the ends of all containers that end there.
fn pass(reader: &mut Reader<'_>) -> Result<(), Fault> {
    while reader.token()? == Token::Close {}
    Ok(())
}

fn member_of<'a>(reader: &mut Reader<'a>, name: &str, is_last: bool) -> Result<Sought<'a>, Fault> {
    let mut is_empty = true;
    loop {
        let behind = reader.at();
        let Token::Name(raw) = reader.token()? else {
            let missing = Missing::Member { end: reader.start(), is_empty };
            return Ok(Sought::Missing(if is_last { missing } else { Missing::Other }));
        };
        if raw.name() == name {
            let between = &reader.text()[behind..reader.start()];
            let comma = between.find(',').map(|at| behind + at);
            let member = Member { name: reader.start(), comma };
            return Ok(Sought::Value(reader.token()?, Some(member)));
        }
        is_empty = false;
        let value = reader.token()?;
        reader.skip(value)?;
    }
}

fn element_of<'a>(reader: &mut Reader<'a>, index: u32) -> Result<Sought<'a>, Fault> {
    let mut left = index;
    loop {
        let value = reader.token()?;
        if value == Token::Close {
            return Ok(Sought::Missing(Missing::Other));
        }
        if left == 0 {
            return Ok(Sought::Value(value, None));
        }
        left -= 1;
        reader.skip(value)?;
    }
}
