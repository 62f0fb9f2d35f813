//! Bytes as text, by the encoding that they have.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::fault::{Fault, ParseError};
use crate::parse::declaration;
use crate::parse::encoding::by_name;

/// Bytes as text: by the mark at their beginning, else by the declaration, else as UTF-8.
///
/// # Errors
/// Bytes that the encoding has not; an encoding that is not known.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, &bytes[mark..]),
        None if bytes.starts_with(b"<\0") => (UTF_16LE, bytes),
        None if bytes.starts_with(b"\0<") => (UTF_16BE, bytes),
        None => (declared(bytes)?, bytes),
    };
    let valid =
        if encoding == UTF_8 { std::str::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), str::len) } else { 0 };
    encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or_else(|| {
        let text = String::from_utf8_lossy(&bytes[..valid]);
        let text = format!("{text}\u{FFFD}");
        ParseError::at(Fault::IllegalChar, &text, valid)
    })
}

/// The encoding that bytes without mark declare: their declaration is ASCII.
fn declared(bytes: &[u8]) -> Result<&'static Encoding, ParseError> {
    let end = bytes.windows(2).take(256).position(|pair| pair == b"?>").map_or(0, |end| end + 2);
    let head = String::from_utf8_lossy(&bytes[..end]);
    let Some(name) = declaration::named_encoding(&head) else { return Ok(UTF_8) };
    match by_name(name) {
        None => Err(ParseError::at(Fault::UnknownEncoding, &head, head.len())),
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => {
            Err(ParseError::at(Fault::OtherEncoding, &head, head.len()))
        }
        Some(encoding) => Ok(encoding),
    }
}
