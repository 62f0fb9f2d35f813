//! Text to document: fragments too, so that there may be several elements at the top and text beside them.
//!
//! `quick-xml` cuts the text into markup and text; what lies inside of a tag, and each rule of well-formedness, is checked
//! here, because the messages name the place and the rule. White space alone between tags is dropped, unless it is asked for
//! or `xml:space` keeps it; of references and CDATA sections it stays. A document type is an error, or is passed over where
//! the options allow one without declarations of its own.

mod declaration;
mod decode;
mod encoding;
mod scope;
mod tag;

use quick_xml::Reader;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::Event;

use crate::budget::Budget;
use crate::chars::{illegal_char, is_all_space, is_space, name_len};
use crate::document::{Document, Element, Kind, NODE_BYTES, Name, NodeId, ROOT};
use crate::fault::{Fault, ParseError};
use scope::Scope;
use tag::Tag;

pub use declaration::named_encoding;
pub use decode::decode;

/// The deepest nesting of elements.
pub const DEPTH_MAX: usize = 128;

/// What a text is taken as.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// White space alone is kept.
    pub keeps_space: bool,
    /// A document type is passed over.
    pub takes_document_type: bool,
    /// What the text was before it was Unicode.
    pub origin: Origin,
}

/// What a text was: its declaration must not name another encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A text of 16-bit characters.
    Wide,
    /// A text of bytes.
    Narrow,
    /// It does not matter, as of bytes that were read by their declaration.
    #[default]
    Any,
}

/// The document of a text.
///
/// # Errors
/// What makes it none, and where; a document type, elements that are nested too deeply, the end of the budget.
pub fn parse(text: &str, options: Options, budget: &mut dyn Budget) -> Result<Document, ParseError> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut builder = Builder::new(text, options, budget);
    loop {
        let start = position(reader.buffer_position());
        let event = reader.read_event();
        let end = position(reader.buffer_position()).min(text.len());
        if !builder.event(event, start, end)? {
            break;
        }
    }
    builder.finish()
}

fn position(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// An element that is open.
struct Open<'t> {
    id: NodeId,
    /// As its tag has it.
    written: &'t str,
    keeps_space: bool,
}

struct Builder<'t, 'b> {
    text: &'t str,
    options: Options,
    budget: &'b mut dyn Budget,
    document: Document,
    open: Vec<Open<'t>>,
    scope: Scope,
    /// Text that no markup ended yet, and whether it is more than white space.
    pending: String,
    is_content: bool,
}

impl<'t, 'b> Builder<'t, 'b> {
    fn new(text: &'t str, options: Options, budget: &'b mut dyn Budget) -> Builder<'t, 'b> {
        Builder {
            text,
            options,
            budget,
            document: Document::default(),
            open: Vec::new(),
            scope: Scope::default(),
            pending: String::new(),
            is_content: false,
        }
    }

    fn fail<T>(&self, fault: Fault, at: usize) -> Result<T, ParseError> {
        Err(ParseError::at(fault, self.text, at))
    }

    /// Takes a piece; whether there are more.
    fn event(&mut self, event: Result<Event<'t>, Error>, start: usize, end: usize) -> Result<bool, ParseError> {
        self.budget.step().map_err(ParseError::Halted)?;
        let raw = &self.text[start.min(end)..end];
        match event {
            Ok(Event::Eof) => return Ok(false),
            Ok(Event::Text(_)) => self.characters(raw, start)?,
            Ok(Event::GeneralRef(_)) => self.reference(start)?,
            Ok(Event::CData(_)) => self.cdata(raw, start)?,
            Ok(Event::Start(_) | Event::Empty(_)) => self.start_tag(start, end)?,
            Ok(Event::End(_)) => self.end_tag(raw, start, end)?,
            Ok(Event::Comment(_)) => self.comment(raw, start)?,
            Ok(Event::Decl(_) | Event::PI(_)) => self.instruction(raw, start)?,
            Ok(Event::DocType(_)) => self.document_type(raw, start)?,
            Err(error) => return self.unreadable(&error, start).map(|()| false),
        }
        Ok(true)
    }

    /// The error of markup that does not end.
    fn unreadable(&mut self, error: &Error, start: usize) -> Result<(), ParseError> {
        let rest = &self.text[start.min(self.text.len())..];
        match error {
            Error::IllFormed(_) if rest.starts_with('&') => self.reference(start)?,
            Error::Syntax(SyntaxError::InvalidBangMarkup) => {
                let fault = match () {
                    () if "<!--".starts_with(rest) || "<![CDATA[".starts_with(rest) => Fault::UnexpectedEnd,
                    () if rest.starts_with("<!-") => Fault::CommentSyntax,
                    () if rest.starts_with("<![") => Fault::CdataSyntax,
                    () => Fault::DocumentSyntax,
                };
                let at = if fault == Fault::UnexpectedEnd { self.text.len() } else { start + 2 };
                return self.fail(fault, at);
            }
            Error::Syntax(_) if rest.starts_with('<') && !rest.starts_with("<!") && !rest.starts_with("<?") => {
                // What is wrong in the tag stands before its missing end.
                if let Some(rest) = rest.strip_prefix("</") {
                    let len = rest.find(|c: char| is_space(c) || c == '<').unwrap_or(rest.len());
                    tag::qualified_name(self.text, start + 2, start + 2 + len)?;
                } else {
                    Tag::read(self.text, start)?;
                }
            }
            _ => {}
        }
        self.fail(Fault::UnexpectedEnd, self.text.len())
    }

    /// Text between markup.
    fn characters(&mut self, raw: &str, start: usize) -> Result<(), ParseError> {
        if let Some(at) = illegal_char(raw) {
            return self.fail(Fault::IllegalChar, start + at);
        }
        if let Some(at) = raw.find("]]>") {
            return self.fail(Fault::CdataEnd, start + at + 2);
        }
        self.is_content |= !is_all_space(raw);
        add_lines(raw, &mut self.pending);
        Ok(())
    }

    fn reference(&mut self, start: usize) -> Result<(), ParseError> {
        let (c, _) = reference(self.text, start)?;
        self.pending.push(c);
        self.is_content = true;
        Ok(())
    }

    fn cdata(&mut self, raw: &str, start: usize) -> Result<(), ParseError> {
        let content = raw.strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>")).unwrap_or_default();
        if let Some(at) = illegal_char(content) {
            return self.fail(Fault::IllegalChar, start + "<![CDATA[".len() + at);
        }
        self.is_content |= !content.is_empty();
        add_lines(content, &mut self.pending);
        Ok(())
    }

    /// The text up to here becomes a node, unless it is white space that is dropped.
    fn flush(&mut self) -> Result<(), ParseError> {
        let keeps_space = self.open.last().map_or(self.options.keeps_space, |open| open.keeps_space);
        if !self.pending.is_empty() && (self.is_content || keeps_space) {
            let text = std::mem::take(&mut self.pending).into_boxed_str();
            self.budget.take(NODE_BYTES + text.len()).map_err(ParseError::Halted)?;
            let parent = self.parent();
            self.document.append(parent, Kind::Text(text));
        }
        self.pending.clear();
        self.is_content = false;
        Ok(())
    }

    fn parent(&self) -> NodeId {
        self.open.last().map_or(ROOT, |open| open.id)
    }

    fn start_tag(&mut self, start: usize, end: usize) -> Result<(), ParseError> {
        self.flush()?;
        let tag = Tag::read(self.text, start)?;
        if tag.end < end {
            return self.fail(Fault::LessInAttribute, tag.end);
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(ParseError::TooDeep);
        }
        let taken = NODE_BYTES * (1 + tag.attributes.len()) + (end - start);
        self.budget.take(taken).map_err(ParseError::Halted)?;
        let text = self.text;
        self.scope.open();
        let namespaces = self.scope.declare(&tag).map_err(|(fault, at)| ParseError::at(fault, text, at))?;
        let name = self.scope.element(&tag).map_err(|(fault, at)| ParseError::at(fault, text, at))?;
        let attributes = self.scope.attributes(&tag).map_err(|(fault, at)| ParseError::at(fault, text, at))?;
        let mut keeps_space = self.open.last().map_or(self.options.keeps_space, |open| open.keeps_space);
        for (name, value, at) in &attributes {
            if &*name.prefix == "xml" && &*name.local == "space" {
                keeps_space = match &**value {
                    "preserve" => true,
                    "default" => self.options.keeps_space,
                    _ => return self.fail(Fault::SpaceValue, *at),
                };
            }
        }
        let (attribute_list, children) = (Vec::with_capacity(attributes.len()), Vec::new());
        let element = Element { name, namespaces, attributes: attribute_list, children };
        let id = self.document.append(self.parent(), Kind::Element(Box::new(element)));
        for (name, value, _) in attributes {
            self.document.append(id, Kind::Attribute(Box::new(name), value));
        }
        if tag.is_empty {
            self.scope.close();
        } else {
            self.open.push(Open { id, written: tag.name.text(self.text), keeps_space });
        }
        Ok(())
    }

    fn end_tag(&mut self, raw: &'t str, start: usize, end: usize) -> Result<(), ParseError> {
        self.flush()?;
        let inner = raw.strip_prefix("</").and_then(|raw| raw.strip_suffix('>')).unwrap_or_default();
        let written = inner.trim_end_matches(is_space);
        let Some(open) = self.open.last() else { return self.fail(Fault::DocumentSyntax, start + 1) };
        if written != open.written {
            let name = tag::qualified_name(self.text, start + 2, start + 2 + written.len())?;
            if name.end < start + 2 + written.len() {
                return self.fail(Fault::IllegalQualifiedName, name.end);
            }
            return self.fail(Fault::EndTag, end - 1);
        }
        self.open.pop();
        self.scope.close();
        Ok(())
    }

    fn comment(&mut self, raw: &str, start: usize) -> Result<(), ParseError> {
        self.flush()?;
        let text = raw.strip_prefix("<!--").and_then(|raw| raw.strip_suffix("-->")).unwrap_or_default();
        let begin = start + "<!--".len();
        if let Some(at) = illegal_char(text) {
            return self.fail(Fault::IllegalChar, begin + at);
        }
        if let Some(at) = text.find("--").or_else(|| text.ends_with('-').then(|| text.len() - 1)) {
            return self.fail(Fault::CommentSyntax, begin + at + 2);
        }
        let mut lines = String::with_capacity(text.len());
        add_lines(text, &mut lines);
        self.budget.take(NODE_BYTES + text.len()).map_err(ParseError::Halted)?;
        self.document.append(self.parent(), Kind::Comment(lines.into()));
        Ok(())
    }

    /// A processing instruction, or the declaration.
    fn instruction(&mut self, raw: &str, start: usize) -> Result<(), ParseError> {
        self.flush()?;
        let inner = raw.strip_prefix("<?").and_then(|raw| raw.strip_suffix("?>")).unwrap_or_default();
        let begin = start + "<?".len();
        let len = name_len(inner);
        let (target, data) = inner.split_at(len);
        if len == 0 || !(data.is_empty() || data.starts_with(is_space)) {
            return self.fail(Fault::IllegalNameChar, begin + len);
        }
        if let Some(at) = illegal_char(data) {
            return self.fail(Fault::IllegalChar, begin + len + at);
        }
        if target == "xml" && start == 0 {
            return declaration::check(self.text, (begin + len, begin + inner.len()), self.options.origin);
        }
        if target.eq_ignore_ascii_case("xml") {
            return self.fail(Fault::DeclarationNotFirst, begin + len);
        }
        let mut lines = String::with_capacity(data.len());
        add_lines(data.trim_start_matches(is_space), &mut lines);
        self.budget.take(NODE_BYTES + raw.len()).map_err(ParseError::Halted)?;
        self.document.append(self.parent(), Kind::Instruction(target.into(), lines.into()));
        Ok(())
    }

    fn document_type(&self, raw: &str, start: usize) -> Result<(), ParseError> {
        if !self.options.takes_document_type {
            return Err(ParseError::DocumentType);
        }
        raw.find('[').map_or(Ok(()), |at| self.fail(Fault::Unsupported, start + at))
    }

    fn finish(mut self) -> Result<Document, ParseError> {
        self.flush()?;
        if !self.open.is_empty() {
            return self.fail(Fault::UnexpectedEnd, self.text.len());
        }
        Ok(self.document)
    }
}

/// Adds a text with its line ends as one character.
fn add_lines(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = rest.find('\r') {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
}

/// The character of the reference at `&`, and where the text goes on.
pub(crate) fn reference(text: &str, at: usize) -> Result<(char, usize), ParseError> {
    let fail = |fault, at| ParseError::at_or_end(fault, text, at);
    let begin = at + 1;
    let rest = &text[begin..];
    if let Some(digits) = rest.strip_prefix('#') {
        let is_hex = digits.starts_with('x');
        let first = begin + 1 + usize::from(is_hex);
        let digits = &text[first..];
        let len = digits.find(|c: char| !c.is_digit(if is_hex { 16 } else { 10 })).unwrap_or(digits.len());
        if len == 0 {
            return Err(fail(if is_hex { Fault::HexDigitExpected } else { Fault::DigitExpected }, first));
        }
        if !digits[len..].starts_with(';') {
            return Err(fail(Fault::SemicolonExpected, first + len));
        }
        let code = u32::from_str_radix(&digits[..len], if is_hex { 16 } else { 10 }).ok();
        let c = code.and_then(char::from_u32).filter(|c| crate::chars::is_xml_char(*c));
        return c.map(|c| (c, first + len + 1)).ok_or_else(|| fail(Fault::IllegalChar, first + len));
    }
    let len = name_len(rest);
    if len == 0 {
        return Err(fail(Fault::IllegalNameChar, begin));
    }
    if !rest[len..].starts_with(';') {
        return Err(fail(Fault::SemicolonExpected, begin + len));
    }
    let c = match &rest[..len] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return Err(fail(Fault::UndeclaredEntity, begin + len)),
    };
    Ok((c, begin + len + 1))
}

/// The names of a document, for [`Scope`] and the tag's reader.
pub(crate) type Resolved = (Name, Box<str>, usize);

#[cfg(test)]
mod tests;
