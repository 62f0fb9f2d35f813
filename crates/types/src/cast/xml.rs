//! To `xml` and from it: a text becomes the normal form of the document that it is, which is what is stored and shown.
//!
//! What always holds: an `xml` value parses, with white space kept. It is never cut to fit a text type.

use millpond_xml::{Budget, DEPTH_MAX, Halt, Options, Origin, ParseError, parse};

use crate::cast::{TooLong, text_value};
use crate::error::EvalError;
use crate::long::Text;
use crate::sql_type::SqlType;
use crate::text;
use crate::value::Value;

/// What a conversion gives, unless its budget ends it.
pub type Converted = Result<Result<String, EvalError>, Halt>;

/// The document of a text of another type, in normal form. Styles: 1 keeps white space alone, 2 passes over a document type,
/// 3 does both.
///
/// # Errors
/// The end of the budget; what is wrong with the text is inside.
pub fn of_text(text: &str, from: &SqlType, style: Option<i32>, budget: &mut dyn Budget) -> Converted {
    let is_narrow = matches!(from, SqlType::Char { .. } | SqlType::VarChar { .. });
    // The bytes of a text are what its declaration says they are.
    if is_narrow && !text.is_ascii() && parse::named_encoding(text).is_some() {
        let mut bytes = Vec::with_capacity(text.len());
        text::encode(text, from.page(), &mut bytes);
        return of_bytes(&bytes, style, budget);
    }
    let origin = if is_narrow { Origin::Narrow } else { Origin::Wide };
    document(text, style, origin, budget)
}

/// The same of bytes: their encoding is that of the mark at their beginning, that of their declaration, or UTF-8.
///
/// # Errors
/// As [`of_text`].
pub fn of_bytes(bytes: &[u8], style: Option<i32>, budget: &mut dyn Budget) -> Converted {
    match parse::decode(bytes) {
        Ok(text) => document(&text, style, Origin::Any, budget),
        Err(error) => failed(error),
    }
}

fn document(text: &str, style: Option<i32>, origin: Origin, budget: &mut dyn Budget) -> Converted {
    let style = style.unwrap_or(0);
    if !(0..=3).contains(&style) {
        return Ok(Err(EvalError::XmlStyle { style }));
    }
    let options = Options { keeps_space: style & 1 != 0, takes_document_type: style & 2 != 0, origin };
    match parse(text, options, budget) {
        Ok(document) => Ok(Ok(millpond_xml::document_text(&document))),
        Err(error) => failed(error),
    }
}

fn failed(error: ParseError) -> Converted {
    parse_error(error).map(Err)
}

/// The error of a text that does not parse.
///
/// # Errors
/// The end of the budget.
pub fn parse_error(error: ParseError) -> Result<EvalError, Halt> {
    Ok(match error {
        ParseError::At { fault, line, character } => EvalError::Xml { fault, line, character },
        ParseError::TooDeep => EvalError::XmlTooDeep { levels: DEPTH_MAX },
        ParseError::DocumentType => EvalError::XmlDocumentType,
        ParseError::Halted(halt) => return Err(halt),
    })
}

/// The end of a budget that has none.
pub(super) fn unbounded(_: Halt) -> EvalError {
    EvalError::XmlTarget
}

/// An `xml` value as a text.
pub(super) fn as_text(document: &Text, to: &SqlType) -> Result<Value, EvalError> {
    let in_page = if SqlType::Xml.is_within_alphabet(to) {
        document.clone()
    } else {
        let in_page = text::to_page(document, to.page());
        if *in_page != *document.as_str() {
            return Err(EvalError::XmlCharacters);
        }
        in_page.into()
    };
    text_value(in_page, to, TooLong::Error(EvalError::XmlTarget))
}
