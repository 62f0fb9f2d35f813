//! Which namespace a prefix has at a place of a text, and the names of a tag by that.

use std::collections::HashSet;
use std::sync::Arc;

use crate::document::{Name, XML_NAMESPACE, XMLNS_NAMESPACE};
use crate::fault::Fault;
use crate::parse::Resolved;
use crate::parse::tag::{QualifiedName, Tag};

/// From so many attributes on, doubles are looked for in a set.
const MANY: usize = 16;

/// A declaration: prefix and namespace.
type Declared = (Arc<str>, Arc<str>);
/// What is wrong, and where.
type Wrong = (Fault, usize);

#[derive(Default)]
pub(super) struct Scope {
    declared: Vec<Declared>,
    /// How many there were before each open element.
    marks: Vec<usize>,
    /// Texts of names, each once.
    names: HashSet<Arc<str>>,
}

impl Scope {
    pub(super) fn open(&mut self) {
        self.marks.push(self.declared.len());
    }

    pub(super) fn close(&mut self) {
        let before = self.marks.pop().unwrap_or(0);
        self.declared.truncate(before);
    }

    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = text.into();
        self.names.insert(Arc::clone(&shared));
        shared
    }

    /// Takes the declarations of a tag.
    pub(super) fn declare(&mut self, tag: &Tag<'_>) -> Result<Vec<Declared>, Wrong> {
        let mut declared: Vec<Declared> = Vec::new();
        for attribute in &tag.attributes {
            let Some(prefix) = declared_prefix(tag.text, attribute.name) else { continue };
            let (uri, at) = (&attribute.value, attribute.end - 1);
            if declared.iter().any(|(known, _)| **known == *prefix) {
                return Err((Fault::RedeclaredPrefix, attribute.name.end - 1));
            }
            let fault = match prefix {
                "xml" if uri != XML_NAMESPACE => Some(Fault::XmlPrefix),
                "xmlns" => Some(Fault::XmlnsPrefix),
                "xml" => None,
                _ if uri == XML_NAMESPACE => Some(Fault::XmlNamespace),
                _ if uri == XMLNS_NAMESPACE => Some(Fault::XmlnsNamespace),
                "" => None,
                _ if uri.is_empty() => Some(Fault::EmptyNamespace),
                _ => None,
            };
            if let Some(fault) = fault {
                return Err((fault, at));
            }
            declared.push((self.shared(prefix), self.shared(uri)));
        }
        self.declared.extend(declared.iter().cloned());
        Ok(declared)
    }

    fn namespace(&mut self, prefix: &str) -> Option<Arc<str>> {
        if let Some((_, uri)) = self.declared.iter().rev().find(|(known, _)| **known == *prefix) {
            return Some(Arc::clone(uri));
        }
        match prefix {
            "" => Some(self.shared("")),
            "xml" => Some(self.shared(XML_NAMESPACE)),
            _ => None,
        }
    }

    fn name(&mut self, text: &str, name: QualifiedName, uri: Arc<str>) -> Name {
        Name { prefix: self.shared(name.prefix(text)), uri, local: self.shared(name.local(text)) }
    }

    /// The tag's own name.
    pub(super) fn element(&mut self, tag: &Tag<'_>) -> Result<Name, Wrong> {
        let uri = self.namespace(tag.name.prefix(tag.text)).ok_or((Fault::UndeclaredPrefix, tag.name.end - 1))?;
        Ok(self.name(tag.text, tag.name, uri))
    }

    /// The attributes that declare nothing, each with its value and where that ends.
    pub(super) fn attributes(&mut self, tag: &Tag<'_>) -> Result<Vec<Resolved>, Wrong> {
        let mut attributes: Vec<Resolved> = Vec::with_capacity(tag.attributes.len());
        let mut seen: HashSet<(Arc<str>, Arc<str>)> = HashSet::new();
        for attribute in &tag.attributes {
            if declared_prefix(tag.text, attribute.name).is_some() {
                continue;
            }
            let prefix = attribute.name.prefix(tag.text);
            let uri = match prefix {
                // An attribute without prefix is in no namespace.
                "" => self.shared(""),
                _ => self.namespace(prefix).ok_or((Fault::UndeclaredPrefix, attribute.name.end - 1))?,
            };
            let name = self.name(tag.text, attribute.name, uri);
            let is_double = match tag.attributes.len() > MANY {
                true => !seen.insert((Arc::clone(&name.uri), Arc::clone(&name.local))),
                false => attributes.iter().any(|(known, ..)| *known == name),
            };
            if is_double {
                return Err((Fault::DuplicateAttribute, attribute.name.end - 1));
            }
            attributes.push((name, attribute.value.as_str().into(), attribute.end - 1));
        }
        Ok(attributes)
    }
}

/// The prefix that an attribute declares; empty for the default namespace.
fn declared_prefix(text: &str, name: QualifiedName) -> Option<&str> {
    match name.colon {
        None if name.text(text) == "xmlns" => Some(""),
        Some(_) if name.prefix(text) == "xmlns" => Some(name.local(text)),
        _ => None,
    }
}
