//! A document: a tree of nodes in one array.
//!
//! What always holds: node 0 is the root; the numbers of the nodes that parsing and constructors make are in document order,
//! attributes after their element and before its children; a node has one parent, which lists it.

use std::sync::Arc;

/// A node's number in its document.
pub type NodeId = u32;

/// The root's number.
pub const ROOT: NodeId = 0;
/// The namespace of the prefix `xml`.
pub const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of declarations of namespaces.
pub const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";
/// What a node takes beside its texts, about.
pub const NODE_BYTES: usize = 160;

/// A name with its namespace. Two are equal if namespace and local name are.
#[derive(Clone, Debug)]
pub struct Name {
    /// Prefix as written; empty without.
    pub prefix: Arc<str>,
    /// Namespace; empty for none.
    pub uri: Arc<str>,
    /// Local name.
    pub local: Arc<str>,
}

impl Name {
    /// A name in no namespace.
    #[must_use]
    pub fn local(local: &str) -> Name {
        Name { prefix: "".into(), uri: "".into(), local: local.into() }
    }

    /// The name as a tag has it.
    #[must_use]
    pub fn written(&self) -> String {
        if self.prefix.is_empty() { self.local.to_string() } else { format!("{}:{}", self.prefix, self.local) }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.local == other.local && self.uri == other.uri
    }
}

impl Eq for Name {}

/// An element.
#[derive(Clone, Debug)]
pub struct Element {
    /// Name.
    pub name: Name,
    /// Declarations of namespaces in its tag: prefix (empty for the default) and namespace.
    pub namespaces: Vec<(Arc<str>, Arc<str>)>,
    /// Attributes.
    pub attributes: Vec<NodeId>,
    /// Children.
    pub children: Vec<NodeId>,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The document; its children.
    Root(Vec<NodeId>),
    /// An element.
    Element(Box<Element>),
    /// An attribute and its value.
    Attribute(Box<Name>, Box<str>),
    /// A text.
    Text(Box<str>),
    /// A comment.
    Comment(Box<str>),
    /// A processing instruction: target and data.
    Instruction(Box<str>, Box<str>),
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its parent; its own number if it has none.
    pub parent: NodeId,
    /// What it is.
    pub kind: Kind,
}

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    nodes: Vec<Node>,
}

impl Default for Document {
    fn default() -> Document {
        Document { nodes: vec![Node { parent: ROOT, kind: Kind::Root(Vec::new()) }] }
    }
}

impl Document {
    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// What a node is.
    #[must_use]
    pub fn kind(&self, id: NodeId) -> &Kind {
        &self.node(id).kind
    }

    /// A node to be changed.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// How many nodes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no content.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.children(ROOT).is_empty()
    }

    /// The parent; none of the root and of nodes that stand alone.
    #[must_use]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.node(id).parent;
        (parent != id).then_some(parent)
    }

    /// Children in order; attributes are none.
    #[must_use]
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        match self.kind(id) {
            Kind::Root(children) => children,
            Kind::Element(element) => &element.children,
            _ => &[],
        }
    }

    /// Attributes in order.
    #[must_use]
    pub fn attributes(&self, id: NodeId) -> &[NodeId] {
        match self.kind(id) {
            Kind::Element(element) => &element.attributes,
            _ => &[],
        }
    }

    /// The name of an element or attribute.
    #[must_use]
    pub fn name(&self, id: NodeId) -> Option<&Name> {
        match self.kind(id) {
            Kind::Element(element) => Some(&element.name),
            Kind::Attribute(name, _) => Some(name),
            _ => None,
        }
    }

    /// Adds a node that stands alone.
    ///
    /// # Panics
    /// At 2^32 nodes, which no memory bound allows.
    pub fn add(&mut self, kind: Kind) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or_else(|_| panic!("more nodes than numbers"));
        self.nodes.push(Node { parent: id, kind });
        id
    }

    /// Adds a node as the last child, or the last attribute, of a parent.
    pub fn append(&mut self, parent: NodeId, kind: Kind) -> NodeId {
        let id = self.add(kind);
        self.link(parent, id, usize::MAX);
        id
    }

    /// Makes a node that stands alone a child of a parent at a place (beyond the end: the last), or an attribute.
    pub fn link(&mut self, parent: NodeId, id: NodeId, at: usize) {
        let is_attribute = matches!(self.kind(id), Kind::Attribute(..));
        self.node_mut(id).parent = parent;
        let list = match &mut self.node_mut(parent).kind {
            Kind::Element(element) if is_attribute => &mut element.attributes,
            Kind::Element(element) => &mut element.children,
            Kind::Root(children) => children,
            _ => return,
        };
        list.insert(at.min(list.len()), id);
    }

    /// Takes a node from its parent.
    pub fn unlink(&mut self, id: NodeId) {
        let Some(parent) = self.parent(id) else { return };
        match &mut self.node_mut(parent).kind {
            Kind::Element(element) => {
                element.children.retain(|child| *child != id);
                element.attributes.retain(|child| *child != id);
            }
            Kind::Root(children) => children.retain(|child| *child != id),
            _ => {}
        }
        self.node_mut(id).parent = id;
    }

    /// The string value: the texts below the root or an element, the value of any other node.
    #[must_use]
    pub fn string_value(&self, id: NodeId) -> String {
        let mut text = String::new();
        self.add_string_value(id, &mut text);
        text
    }

    fn add_string_value(&self, id: NodeId, text: &mut String) {
        match self.kind(id) {
            Kind::Attribute(_, value) | Kind::Text(value) | Kind::Comment(value) | Kind::Instruction(_, value) => {
                text.push_str(value);
            }
            Kind::Root(children) => self.add_texts(children, text),
            Kind::Element(element) => self.add_texts(&element.children, text),
        }
    }

    fn add_texts(&self, children: &[NodeId], text: &mut String) {
        for child in children {
            if matches!(self.kind(*child), Kind::Text(_) | Kind::Element(_)) {
                self.add_string_value(*child, text);
            }
        }
    }

    /// How many levels of elements lie from a node downwards.
    #[must_use]
    pub fn depth(&self, id: NodeId) -> usize {
        let own = usize::from(matches!(self.kind(id), Kind::Element(_)));
        own + self.children(id).iter().map(|child| self.depth(*child)).max().unwrap_or(0)
    }

    /// Copies a node of another document with all below it; the copy stands alone, its nodes in document order.
    pub fn copy(&mut self, from: &Document, id: NodeId) -> NodeId {
        let kind = match from.kind(id) {
            Kind::Element(element) => Kind::Element(Box::new(Element {
                name: element.name.clone(),
                namespaces: element.namespaces.clone(),
                attributes: Vec::with_capacity(element.attributes.len()),
                children: Vec::with_capacity(element.children.len()),
            })),
            Kind::Root(children) => Kind::Root(Vec::with_capacity(children.len())),
            other => other.clone(),
        };
        let copy = self.add(kind);
        for below in from.attributes(id).iter().chain(from.children(id)) {
            let below = self.copy(from, *below);
            self.link(copy, below, usize::MAX);
        }
        copy
    }

    /// Bytes that it holds, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let texts = self.nodes.iter().map(|node| match &node.kind {
            Kind::Attribute(_, text) | Kind::Text(text) | Kind::Comment(text) | Kind::Instruction(_, text) => {
                text.len()
            }
            _ => 0,
        });
        self.nodes.len() * NODE_BYTES + texts.sum::<usize>()
    }

    /// The namespace that a prefix has at a node, by the declarations of the elements around it.
    #[must_use]
    pub fn namespace_at(&self, id: NodeId, prefix: &str) -> Option<Arc<str>> {
        let mut at = Some(id);
        while let Some(id) = at {
            if let Kind::Element(element) = self.kind(id)
                && let Some((_, uri)) = element.namespaces.iter().find(|(known, _)| **known == *prefix)
            {
                return Some(Arc::clone(uri));
            }
            at = self.parent(id);
        }
        (prefix == "xml").then(|| XML_NAMESPACE.into())
    }
}
