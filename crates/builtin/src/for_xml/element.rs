//! An element whose attributes and content are columns: what a row is written by.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Value;

use super::column::Column;
use super::overflow::Overflow;
use super::writer::{Position, Writer};

/// An element.
#[derive(Clone, Debug, Default)]
pub struct Element {
    /// As it is written.
    pub name: String,
    /// Attributes with their names as they are written.
    pub attributes: Vec<(String, Column)>,
    /// Content.
    pub children: Vec<Node>,
    /// Without content it is there with `xsi:nil`.
    pub is_nil: bool,
}

/// What stands in an element.
#[derive(Clone, Debug)]
pub enum Node {
    /// An element.
    Element(Element),
    /// A text, or what a value of type `xml` is made of.
    Content(Column),
    /// A text that a blank separates from another one before it.
    Atom(Column),
    /// A comment.
    Comment(Column),
    /// An instruction with its target.
    Instruction(String, Column),
    /// A text of XML as it is.
    Markup(Column),
    /// A CDATA section.
    Section(Column),
    /// The element of a text of XML under another name.
    Overflow(String, Column),
}

impl Element {
    /// With a name and no more.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Element {
        Element { name: name.into(), ..Element::default() }
    }

    /// `<name` with its attributes. `declared` stands before these.
    pub(super) fn begin(&self, row: &[Value], declared: &str, writer: &mut Writer<'_>) -> SqlResult<()> {
        writer.raw("<");
        writer.raw(&self.name);
        writer.raw(declared);
        for (name, column) in self.attributes.iter().filter(|(_, column)| !column.of(row).is_null()) {
            writer.raw(" ");
            writer.raw(name);
            writer.raw("=\"");
            writer.value(column.of(row), column, Position::Attribute)?;
            writer.raw("\"");
        }
        Ok(())
    }

    /// The content; says whether there was any. Content that has no text counts, but under TYPE.
    pub(super) fn content(&self, row: &[Value], writer: &mut Writer<'_>) -> SqlResult<bool> {
        let start = writer.len();
        let mut has_content = false;
        for child in &self.children {
            has_content |= child.write(row, "", writer)?;
        }
        Ok(has_content && !(writer.is_typed && writer.len() == start))
    }

    /// The whole element; says whether there was something to write. `is_needed`: it is written without a value too.
    pub(super) fn write(
        &self,
        row: &[Value],
        declared: &str,
        is_needed: bool,
        writer: &mut Writer<'_>,
    ) -> SqlResult<bool> {
        let (start, ends_in_atom) = (writer.len(), writer.ends_in_atom);
        self.begin(row, declared, writer)?;
        let head = writer.len();
        writer.raw(">");
        if self.content(row, writer)? {
            writer.end_tag(&self.name);
            return Ok(true);
        }
        writer.truncate(head);
        let is_null = self.is_nil && self.children.iter().all(|child| child.is_null(row));
        if is_null {
            writer.raw(" xsi:nil=\"true\"");
        } else if !is_needed && self.is_null(row) {
            writer.truncate(start);
            writer.ends_in_atom = ends_in_atom;
            return Ok(false);
        }
        writer.raw("/>");
        Ok(true)
    }

    /// Whether no value of it is there.
    fn is_null(&self, row: &[Value]) -> bool {
        self.attributes.iter().all(|(_, column)| column.of(row).is_null())
            && self.children.iter().all(|child| child.is_null(row))
    }
}

impl Node {
    /// Writes it; says whether there was something to write. `declared` stands in the tag of an element.
    pub(super) fn write(&self, row: &[Value], declared: &str, writer: &mut Writer<'_>) -> SqlResult<bool> {
        let column = match self {
            Node::Element(element) => return element.write(row, declared, false, writer),
            Node::Content(column)
            | Node::Atom(column)
            | Node::Comment(column)
            | Node::Instruction(_, column)
            | Node::Markup(column)
            | Node::Section(column)
            | Node::Overflow(_, column) => column,
        };
        let value = column.of(row);
        if value.is_null() {
            return Ok(false);
        }
        match self {
            Node::Element(_) | Node::Content(_) => writer.value(value, column, Position::Content)?,
            Node::Atom(_) => {
                if writer.ends_in_atom {
                    writer.raw(" ");
                }
                writer.value(value, column, Position::Content)?;
                writer.ends_in_atom = true;
            }
            Node::Comment(_) => comment(value, column, writer)?,
            Node::Instruction(target, _) => {
                writer.raw("<?");
                writer.raw(target);
                writer.raw(" ");
                writer.markup(value, column)?;
                writer.raw("?>");
            }
            Node::Markup(_) => writer.markup(value, column)?,
            Node::Section(_) => section(value, column, writer)?,
            Node::Overflow(name, _) => {
                let text = overflow_text(value);
                Overflow::read(text, writer.watch(), name)?.write_as(name, writer)?;
            }
        }
        Ok(true)
    }

    fn is_null(&self, row: &[Value]) -> bool {
        match self {
            Node::Element(element) => !element.is_nil && element.is_null(row),
            Node::Content(column)
            | Node::Atom(column)
            | Node::Comment(column)
            | Node::Instruction(_, column)
            | Node::Markup(column)
            | Node::Section(column)
            | Node::Overflow(_, column) => column.of(row).is_null(),
        }
    }
}

/// The text of XML that a column of the directive `xmltext` holds.
pub(super) fn overflow_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A comment. Dashes that would end it are refused (9322).
fn comment(value: &Value, column: &Column, writer: &mut Writer<'_>) -> SqlResult<()> {
    if let Value::Str(text) = value {
        if text.contains("--") {
            return Err(SqlError::of(9322, 2, &[]));
        }
        if text.ends_with('-') {
            return Err(SqlError::of(9322, 3, &[]));
        }
    }
    writer.raw("<!--");
    writer.markup(value, column)?;
    writer.raw("-->");
    Ok(())
}

/// A CDATA section; it goes on in another one in the midst of each `]]>`.
fn section(value: &Value, column: &Column, writer: &mut Writer<'_>) -> SqlResult<()> {
    writer.raw("<![CDATA[");
    match value {
        Value::Str(text) => {
            let mut parts = text.split("]]>");
            writer.markup_text(parts.next().unwrap_or_default(), &column.node)?;
            for part in parts {
                writer.raw("]]]><![CDATA[]>");
                writer.markup_text(part, &column.node)?;
            }
        }
        value => writer.markup(value, column)?,
    }
    writer.raw("]]>");
    Ok(())
}
