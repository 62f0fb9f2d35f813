//! The data modification language: what a change does to a document. The nodes are found first and changed then, so that a
//! change does not see itself.

use crate::DEPTH_MAX;
use crate::budget::{Budget, Halt};
use crate::document::{Document, Kind, NodeId, ROOT};
use crate::xquery::ast::{Change, Expr, Module, Place};
use crate::xquery::run::{self, Given, Item, Run, RunError, Source};

/// Why a document stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModifyError {
    /// The query failed, or the result cannot be: attributes of one name, one outside of an element, too deep a nesting.
    Run(RunError),
    /// A value is replaced by nothing, which was not written as `()`.
    EmptyValue,
    /// A node is inserted beside one that has no parent, or into one that has no children.
    Target,
}

impl From<RunError> for ModifyError {
    fn from(error: RunError) -> ModifyError {
        ModifyError::Run(error)
    }
}

impl From<Halt> for ModifyError {
    fn from(halt: Halt) -> ModifyError {
        ModifyError::Run(RunError::Halted(halt))
    }
}

pub(super) fn modify(
    module: &Module,
    change: &Change,
    mut document: Document,
    given: &[Given],
    budget: &mut dyn Budget,
) -> Result<Document, ModifyError> {
    match change {
        Change::Insert { source, place, target } => {
            let (nodes, made, target) = inserted(module, (source, target), &document, given, budget)?;
            let Some(target) = target else { return Ok(document) };
            budget.take(made.bytes())?;
            insert(&mut document, &made, &nodes, *place, target)?;
            if document.depth(ROOT) > DEPTH_MAX {
                return Err(RunError::TooDeep.into());
            }
        }
        Change::Delete(target) => {
            let nodes = targets(module, target, &document, given, budget)?;
            nodes.into_iter().filter(|node| *node != ROOT).for_each(|node| document.unlink(node));
        }
        Change::Replace { target, value } => {
            let Some(node) = targets(module, target, &document, given, budget)?.first().copied() else {
                return Ok(document);
            };
            let mut run = Run::new(module, Source { document: &document, node: ROOT }, given, budget);
            let items = run.eval(value)?;
            if items.is_empty() && !value.is_empty_sequence() {
                return Err(ModifyError::EmptyValue);
            }
            let texts: Vec<String> =
                items.iter().map(|item| run::atomised(item, &document, run.made()).text()).collect();
            replace(&mut document, node, texts.join(" "));
        }
    }
    Ok(document)
}

fn targets(
    module: &Module,
    target: &Expr,
    document: &Document,
    given: &[Given],
    budget: &mut dyn Budget,
) -> Result<Vec<NodeId>, ModifyError> {
    let mut run = Run::new(module, Source { document, node: ROOT }, given, budget);
    let items = run.eval(target)?;
    Ok(items.iter().filter_map(in_document).collect())
}

fn in_document(item: &Item) -> Option<NodeId> {
    match item {
        Item::Node { made: false, id } => Some(*id),
        _ => None,
    }
}

/// What `insert` puts where: nodes of a document of their own, and the target in the changed one.
type Inserted = (Vec<NodeId>, Document, Option<NodeId>);

fn inserted(
    module: &Module,
    (source, target): (&Expr, &Expr),
    document: &Document,
    given: &[Given],
    budget: &mut dyn Budget,
) -> Result<Inserted, ModifyError> {
    let target = targets(module, target, document, given, budget)?.first().copied();
    let mut run = Run::new(module, Source { document, node: ROOT }, given, budget);
    let items = run.eval(source)?;
    let mut made = run.into_made();
    let mut nodes = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Node { made: true, id } => nodes.push(id),
            Item::Node { made: false, id } => nodes.push(made.copy(document, id)),
            Item::Atom(atom) => nodes.push(made.add(Kind::Text(atom.text().into()))),
        }
    }
    Ok((nodes, made, target))
}

fn insert(
    document: &mut Document,
    made: &Document,
    nodes: &[NodeId],
    place: Place,
    target: NodeId,
) -> Result<(), ModifyError> {
    let is_into = matches!(place, Place::Into | Place::First | Place::Last);
    let (parent, mut at) = if is_into {
        (target, if place == Place::First { 0 } else { document.children(target).len() })
    } else {
        let Some(parent) = document.parent(target) else { return Err(ModifyError::Target) };
        let own = document.children(parent).iter().position(|child| *child == target);
        let Some(own) = own else { return Err(ModifyError::Target) };
        (parent, own + usize::from(place == Place::After))
    };
    if !matches!(document.kind(parent), Kind::Element(_) | Kind::Root(_)) {
        return Err(ModifyError::Target);
    }
    for node in nodes {
        if let Kind::Attribute(name, _) = made.kind(*node) {
            if parent == ROOT {
                return Err(RunError::LateAttribute.into());
            }
            let is_known = |id: &NodeId| document.name(*id).is_some_and(|known| *known == **name);
            if document.attributes(parent).iter().any(is_known) {
                return Err(RunError::DuplicateAttribute(name.written()).into());
            }
            let copy = document.copy(made, *node);
            document.link(parent, copy, usize::MAX);
            continue;
        }
        let copy = document.copy(made, *node);
        document.link(parent, copy, at);
        at += 1;
    }
    Ok(())
}

/// Gives a text or an attribute another value; a text of nothing goes.
fn replace(document: &mut Document, node: NodeId, text: String) {
    match &mut document.node_mut(node).kind {
        Kind::Text(_) if text.is_empty() => document.unlink(node),
        Kind::Text(value) | Kind::Attribute(_, value) => *value = text.into(),
        _ => {}
    }
}
