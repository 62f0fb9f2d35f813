//! Nodes that a query makes. Content is copied: a node that is put into an element is another node there.

use crate::DEPTH_MAX;
use crate::document::{Document, Element, Kind, NODE_BYTES, NodeId};
use crate::xquery::ast::{Construct, Expr};
use crate::xquery::run::{Item, Run, RunError, Running};

/// The node of a constructor, which stands alone; a text of nothing is none.
pub(super) fn construct(run: &mut Run<'_, '_>, expr: &Expr) -> Running<Option<NodeId>> {
    run.take(NODE_BYTES)?;
    Ok(Some(match expr {
        Expr::Element(construct) => element(run, construct)?,
        Expr::Attribute(name, content) => {
            let value = joined(run, content)?;
            run.made.add(Kind::Attribute(name.clone(), value.into()))
        }
        Expr::TextNode(content) => {
            let items = run.values(content)?;
            if items.is_empty() {
                return Ok(None);
            }
            let texts: Vec<String> = items.iter().map(|atom| atom.text()).collect();
            run.made.add(Kind::Text(texts.join(" ").into()))
        }
        Expr::Comment(text) => run.made.add(Kind::Comment(text.as_str().into())),
        Expr::Instruction(target, data) => {
            run.made.add(Kind::Instruction(target.as_str().into(), data.as_str().into()))
        }
        _ => return Ok(None),
    }))
}

/// The values of parts, a blank between values of one part.
fn joined(run: &mut Run<'_, '_>, parts: &[Expr]) -> Running<String> {
    let mut text = String::new();
    for part in parts {
        for (place, atom) in run.values(part)?.iter().enumerate() {
            if place > 0 {
                text.push(' ');
            }
            text.push_str(&atom.text());
        }
    }
    run.take(text.len())?;
    Ok(text)
}

fn element(run: &mut Run<'_, '_>, construct: &Construct) -> Running<NodeId> {
    let mut parts: Vec<Item> = Vec::new();
    for part in &construct.content {
        let mut items = run.eval(part)?;
        run.take(items.len() * size_of::<Item>())?;
        // Values of one expression have a blank between, those of several have none.
        let mut text = String::new();
        let mut is_first = true;
        for item in items.drain(..) {
            match item {
                Item::Atom(atom) => {
                    if !is_first {
                        text.push(' ');
                    }
                    is_first = false;
                    text.push_str(&atom.text());
                }
                node => {
                    add_text(run, &mut text, &mut parts);
                    is_first = true;
                    parts.push(node);
                }
            }
        }
        add_text(run, &mut text, &mut parts);
    }
    let element = Element {
        name: construct.name.clone(),
        namespaces: construct.namespaces.clone(),
        attributes: Vec::new(),
        children: Vec::new(),
    };
    let id = run.made.add(Kind::Element(Box::new(element)));
    for part in parts {
        let Item::Node { made, id: node } = part else { continue };
        put(run, id, made, node)?;
    }
    if run.made.depth(id) > DEPTH_MAX {
        return Err(RunError::TooDeep);
    }
    Ok(id)
}

fn add_text(run: &mut Run<'_, '_>, text: &mut String, parts: &mut Vec<Item>) {
    if !text.is_empty() {
        let id = run.made.add(Kind::Text(std::mem::take(text).into()));
        parts.push(Item::Node { made: true, id });
    }
}

/// Puts a copy of a node into an element that is made.
fn put(run: &mut Run<'_, '_>, element: NodeId, made: bool, node: NodeId) -> Running<()> {
    let tree = run.tree(made);
    if let Kind::Attribute(name, _) = tree.kind(node) {
        if !run.made.children(element).is_empty() {
            return Err(RunError::LateAttribute);
        }
        let is_known = |id: &NodeId| run.made.name(*id).is_some_and(|known| *known == **name);
        if run.made.attributes(element).iter().any(is_known) {
            return Err(RunError::DuplicateAttribute(name.written()));
        }
    }
    let nodes = match tree.kind(node) {
        Kind::Root(children) => children.clone(),
        _ => vec![node],
    };
    for node in nodes {
        let copy = copied(run, made, node)?;
        run.made.link(element, copy, usize::MAX);
    }
    Ok(())
}

fn copied(run: &mut Run<'_, '_>, made: bool, node: NodeId) -> Running<NodeId> {
    let bytes = subtree_bytes(run.tree(made), node);
    run.take(bytes)?;
    Ok(if made { copy_within(&mut run.made, node) } else { run.made.copy(run.document, node) })
}

fn subtree_bytes(tree: &Document, node: NodeId) -> usize {
    let own = match tree.kind(node) {
        Kind::Text(text) | Kind::Attribute(_, text) | Kind::Comment(text) | Kind::Instruction(_, text) => text.len(),
        _ => 0,
    };
    let below = tree.attributes(node).iter().chain(tree.children(node));
    NODE_BYTES + own + below.map(|node| subtree_bytes(tree, *node)).sum::<usize>()
}

/// A copy that stands alone, in the same document.
fn copy_within(tree: &mut Document, node: NodeId) -> NodeId {
    let kind = match tree.kind(node) {
        Kind::Element(element) => Kind::Element(Box::new(Element {
            name: element.name.clone(),
            namespaces: element.namespaces.clone(),
            attributes: Vec::new(),
            children: Vec::new(),
        })),
        other => other.clone(),
    };
    let copy = tree.add(kind);
    let below: Vec<NodeId> = tree.attributes(node).iter().chain(tree.children(node)).copied().collect();
    for node in below {
        let node = copy_within(tree, node);
        tree.link(copy, node, usize::MAX);
    }
    copy
}
