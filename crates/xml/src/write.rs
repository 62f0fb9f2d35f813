//! Documents as text, as SQL Server shows them: `<a/>` for an empty element, no declaration, double quotes, five entities.
//!
//! What always holds: what is written parses to the same document. Names whose namespace is not declared where they are
//! written bring their declaration with them.

use std::sync::Arc;

use crate::document::{Document, Element, Kind, Name, NodeId, ROOT, XML_NAMESPACE};

/// Adds a text as the content of an element.
pub fn escape_text(text: &str, out: &mut String) {
    escape(text, out, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'\r' => Some("&#x0D;"),
        _ => None,
    });
}

/// Adds a text as the value of an attribute in double quotes.
pub fn escape_attribute(text: &str, out: &mut String) {
    escape(text, out, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        b'\t' => Some("&#x09;"),
        b'\n' => Some("&#x0A;"),
        b'\r' => Some("&#x0D;"),
        _ => None,
    });
}

fn escape(text: &str, out: &mut String, entity: impl Fn(u8) -> Option<&'static str>) {
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(entity) = entity(byte) {
            out.push_str(&text[start..at]);
            out.push_str(entity);
            start = at + 1;
        }
    }
    out.push_str(&text[start..]);
}

/// The whole document.
#[must_use]
pub fn document_text(document: &Document) -> String {
    let mut out = String::new();
    write_node(document, ROOT, &mut out);
    out
}

/// Adds a node with all below it. An attribute that stands alone is its value.
pub fn write_node(document: &Document, id: NodeId, out: &mut String) {
    Writer { document, scope: Vec::new(), out }.node(id);
}

struct Writer<'a> {
    document: &'a Document,
    /// Declarations that are written around the place.
    scope: Vec<(Arc<str>, Arc<str>)>,
    out: &'a mut String,
}

impl Writer<'_> {
    fn node(&mut self, id: NodeId) {
        let document = self.document;
        match document.kind(id) {
            Kind::Root(children) => children.iter().for_each(|child| self.node(*child)),
            Kind::Element(element) => self.element(element),
            Kind::Attribute(_, value) => escape_text(value, self.out),
            Kind::Text(text) => escape_text(text, self.out),
            Kind::Comment(text) => {
                self.out.push_str("<!--");
                self.out.push_str(text);
                self.out.push_str("-->");
            }
            Kind::Instruction(target, data) => {
                self.out.push_str("<?");
                self.out.push_str(target);
                if !data.is_empty() {
                    self.out.push(' ');
                    self.out.push_str(data);
                }
                self.out.push_str("?>");
            }
        }
    }

    fn element(&mut self, element: &Element) {
        let outer = self.scope.len();
        self.out.push('<');
        self.name(&element.name);
        for (prefix, uri) in &element.namespaces {
            self.declare(prefix, uri);
        }
        let document = self.document;
        let attributes = element.attributes.iter().filter_map(|id| match document.kind(*id) {
            Kind::Attribute(name, value) => Some((&**name, value)),
            _ => None,
        });
        self.need(&element.name);
        for (name, _) in attributes.clone() {
            if !name.prefix.is_empty() {
                self.need(name);
            }
        }
        for (name, value) in attributes {
            self.out.push(' ');
            self.name(name);
            self.out.push_str("=\"");
            escape_attribute(value, self.out);
            self.out.push('"');
        }
        if element.children.is_empty() {
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            element.children.iter().for_each(|child| self.node(*child));
            self.out.push_str("</");
            self.name(&element.name);
            self.out.push('>');
        }
        self.scope.truncate(outer);
    }

    fn name(&mut self, name: &Name) {
        if !name.prefix.is_empty() {
            self.out.push_str(&name.prefix);
            self.out.push(':');
        }
        self.out.push_str(&name.local);
    }

    /// Declares the namespace of a name unless it is.
    fn need(&mut self, name: &Name) {
        if !self.is_known(&name.prefix, &name.uri) {
            self.declare(&name.prefix, &name.uri);
        }
    }

    fn is_known(&self, prefix: &str, uri: &str) -> bool {
        if prefix == "xml" && uri == XML_NAMESPACE {
            return true;
        }
        let known = self.scope.iter().rev().find(|(known, _)| **known == *prefix);
        known.map_or(prefix.is_empty() && uri.is_empty(), |(_, known)| **known == *uri)
    }

    fn declare(&mut self, prefix: &Arc<str>, uri: &Arc<str>) {
        self.out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
        self.out.push_str(prefix);
        self.out.push_str("=\"");
        escape_attribute(uri, self.out);
        self.out.push('"');
        self.scope.push((Arc::clone(prefix), Arc::clone(uri)));
    }
}
