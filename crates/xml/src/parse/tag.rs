//! A start tag: its name and its attributes with their values, by their places in the text.

use crate::chars::{illegal_char, is_name_char, is_name_start, is_space, name_len};
use crate::fault::{Fault, ParseError};
use crate::parse::reference;

/// A name with or without prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct QualifiedName {
    pub(super) start: usize,
    /// Where the colon stands.
    pub(super) colon: Option<usize>,
    pub(super) end: usize,
}

impl QualifiedName {
    pub(super) fn text(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    pub(super) fn prefix(self, text: &str) -> &str {
        self.colon.map_or("", |colon| &text[self.start..colon])
    }

    pub(super) fn local(self, text: &str) -> &str {
        &text[self.colon.map_or(self.start, |colon| colon + 1)..self.end]
    }
}

/// An attribute and its value without references.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: QualifiedName,
    pub(super) value: String,
    /// Where its value ends.
    pub(super) end: usize,
}

/// A start tag.
#[derive(Debug)]
pub(super) struct Tag<'t> {
    pub(super) text: &'t str,
    pub(super) name: QualifiedName,
    pub(super) attributes: Vec<Attribute>,
    /// `<a/>`
    pub(super) is_empty: bool,
    /// After its `>`.
    pub(super) end: usize,
}

impl<'t> Tag<'t> {
    /// The tag whose `<` stands at a place.
    pub(super) fn read(text: &'t str, start: usize) -> Result<Tag<'t>, ParseError> {
        let fail = |fault, at| ParseError::at_or_end(fault, text, at);
        let name = qualified_name(text, start + 1, text.len())?;
        let mut attributes = Vec::new();
        let mut at = name.end;
        loop {
            let spaces = text[at..].len() - text[at..].trim_start_matches(is_space).len();
            at += spaces;
            let rest = &text[at..];
            match rest.bytes().next() {
                Some(b'>') => return Ok(Tag { text, name, attributes, is_empty: false, end: at + 1 }),
                Some(b'/') if rest.starts_with("/>") => {
                    return Ok(Tag { text, name, attributes, is_empty: true, end: at + 2 });
                }
                Some(b'/') => return Err(fail(Fault::CloseExpected, at + 1)),
                None => return Err(fail(Fault::UnexpectedEnd, at)),
                Some(_) if spaces == 0 && at == name.end => return Err(fail(Fault::IllegalQualifiedName, at)),
                Some(_) if spaces == 0 => return Err(fail(Fault::SpaceExpected, at)),
                Some(_) => {}
            }
            let attribute = attribute(text, at)?;
            at = attribute.end;
            attributes.push(attribute);
        }
    }
}

/// The attribute that begins at a place.
fn attribute(text: &str, at: usize) -> Result<Attribute, ParseError> {
    let fail = |fault, at| ParseError::at_or_end(fault, text, at);
    let skip = |at: usize| text.len() - text[at..].trim_start_matches(is_space).len();
    let name = qualified_name(text, at, text.len())?;
    let equal = skip(name.end);
    if !text[equal..].starts_with('=') {
        let is_name = text[equal..].starts_with(is_name_char) || equal > name.end;
        let ends = text[equal..].starts_with(['>', '/', '"', '\'', '<']);
        let fault = if is_name || ends { Fault::EqualExpected } else { Fault::IllegalQualifiedName };
        return Err(fail(fault, equal));
    }
    let open = skip(equal + 1);
    let quote = match text[open..].chars().next() {
        Some(quote @ ('"' | '\'')) => quote,
        _ => return Err(fail(Fault::QuoteExpected, open)),
    };
    let mut value = String::new();
    let mut from = open + 1;
    loop {
        let rest = &text[from..];
        let len = rest.find([quote, '<', '&', '\t', '\n', '\r']).unwrap_or(rest.len());
        if let Some(bad) = illegal_char(&rest[..len]) {
            return Err(fail(Fault::IllegalChar, from + bad));
        }
        value.push_str(&rest[..len]);
        let at = from + len;
        match rest[len..].chars().next() {
            None => return Err(fail(Fault::UnexpectedEnd, at)),
            Some('<') => return Err(fail(Fault::LessInAttribute, at)),
            Some('&') => {
                let (c, next) = reference(text, at)?;
                value.push(c);
                from = next;
            }
            Some(c) if c == quote => return Ok(Attribute { name, value, end: at + 1 }),
            Some(_) => {
                // White space is a blank, a line's end one.
                value.push(' ');
                from = at + if rest[len..].starts_with("\r\n") { 2 } else { 1 };
            }
        }
    }
}

/// The name that begins at a place and ends before another.
pub(super) fn qualified_name(text: &str, start: usize, limit: usize) -> Result<QualifiedName, ParseError> {
    let fail = |fault, at| Err(ParseError::at_or_end(fault, text, at));
    let first = name_len(&text[start..limit]);
    if first == 0 {
        return fail(Fault::IllegalQualifiedName, start);
    }
    let mut name = QualifiedName { start, colon: None, end: start + first };
    if text[name.end..limit].starts_with(':') {
        let local = name.end + 1;
        if !text[local..limit].starts_with(is_name_start) {
            return fail(Fault::IllegalQualifiedName, local);
        }
        name.colon = Some(name.end);
        name.end = local + name_len(&text[local..limit]);
        if text[name.end..limit].starts_with(':') {
            return fail(Fault::SecondColon, name.end);
        }
    }
    Ok(name)
}
