//! Steps and predicates.

use crate::document::{Document, Kind, NodeId};
use crate::xquery::ast::{Axis, Expr, Step, Test};
use crate::xquery::atom::Atom;
use crate::xquery::run::{Focus, Item, Run, Running, Sequence};

impl Run<'_, '_> {
    pub(super) fn path(&mut self, start: &Expr, steps: &[Step]) -> Running<Sequence> {
        let mut items = self.eval(start)?;
        let mut steps = steps.iter().peekable();
        while let Some(step) = steps.next() {
            // `//a` without predicates looks at each node once.
            let joined = match steps.peek() {
                Some(next)
                    if step.axis == Axis::DescendantOrSelf
                        && step.test == Test::Node
                        && step.predicates.is_empty()
                        && next.axis == Axis::Child
                        && next.predicates.is_empty() =>
                {
                    steps.next().map(|next| Step { axis: Axis::Descendant, ..next.clone() })
                }
                _ => None,
            };
            items = self.take_step(items, joined.as_ref().unwrap_or(step))?;
        }
        Ok(items)
    }

    fn take_step(&mut self, from: Sequence, step: &Step) -> Running<Sequence> {
        let mut all = Vec::new();
        for item in from {
            let Item::Node { made, id } = item else { continue };
            let mut found = Vec::new();
            self.walk(made, id, step, &mut found)?;
            for predicate in &step.predicates {
                found = self.filter(found, predicate)?;
            }
            self.take(found.len() * size_of::<Item>())?;
            all.append(&mut found);
        }
        in_order(&mut all);
        Ok(all)
    }

    fn walk(&mut self, made: bool, id: NodeId, step: &Step, found: &mut Sequence) -> Running<()> {
        let mut add = |tree: &Document, id: NodeId| {
            if takes(tree, id, step) {
                found.push(Item::Node { made, id });
            }
        };
        match step.axis {
            Axis::Itself => add(self.tree(made), id),
            Axis::Parent => {
                if let Some(parent) = self.tree(made).parent(id) {
                    add(self.tree(made), parent);
                }
            }
            Axis::Child => {
                for place in 0..self.tree(made).children(id).len() {
                    self.step()?;
                    let tree = self.tree(made);
                    add(tree, tree.children(id)[place]);
                }
            }
            Axis::Attribute => {
                let tree = self.tree(made);
                tree.attributes(id).iter().for_each(|attribute| add(tree, *attribute));
            }
            Axis::Descendant | Axis::DescendantOrSelf => {
                let mut open = vec![id];
                while let Some(next) = open.pop() {
                    self.step()?;
                    let tree = self.tree(made);
                    if next != id || step.axis == Axis::DescendantOrSelf {
                        add(tree, next);
                    }
                    open.extend(tree.children(next).iter().rev());
                }
            }
        }
        Ok(())
    }

    /// The items for which a predicate holds: a number is a position.
    pub(super) fn filter(&mut self, items: Sequence, predicate: &Expr) -> Running<Sequence> {
        if let Expr::Literal(Atom::Integer(position)) = predicate {
            let place = usize::try_from(position.trunc()).ok().and_then(|position| position.checked_sub(1));
            return Ok(place.and_then(|place| items.into_iter().nth(place)).into_iter().collect());
        }
        let size = items.len();
        let mut kept = Vec::new();
        let outer = self.focus.clone();
        for (place, item) in items.into_iter().enumerate() {
            self.focus = Focus { item: item.clone(), position: place + 1, size };
            if self.is_kept(predicate)? {
                kept.push(item);
            }
        }
        self.focus = outer;
        Ok(kept)
    }

    fn is_kept(&mut self, predicate: &Expr) -> Running<bool> {
        if matches!(predicate, Expr::Or(..) | Expr::And(..) | Expr::General(..) | Expr::Quantified { .. }) {
            return self.truth(predicate);
        }
        let position = self.focus.position;
        Ok(match self.eval(predicate)?.first() {
            None => false,
            Some(Item::Node { .. }) => true,
            Some(Item::Atom(Atom::Boolean(truth))) => *truth,
            Some(Item::Atom(atom @ (Atom::Integer(_) | Atom::Decimal(_) | Atom::Double(_)))) => {
                atom.number().is_some_and(|number| number == position as f64)
            }
            Some(Item::Atom(atom)) => !atom.text().is_empty(),
        })
    }
}

/// Whether a step takes a node.
fn takes(tree: &Document, id: NodeId, step: &Step) -> bool {
    let kind = tree.kind(id);
    let name = match kind {
        Kind::Element(element) if step.axis != Axis::Attribute => Some(&element.name),
        Kind::Attribute(name, _) if step.axis == Axis::Attribute => Some(&**name),
        _ => None,
    };
    match &step.test {
        Test::Name(wanted) => name.is_some_and(|name| name == wanted),
        Test::AnyName => name.is_some(),
        Test::AnyOf(uri) => name.is_some_and(|name| name.uri == *uri),
        Test::AnyLocal(local) => name.is_some_and(|name| name.local == *local),
        Test::Node => true,
        Test::Text => matches!(kind, Kind::Text(_)),
        Test::Comment => matches!(kind, Kind::Comment(_)),
        Test::Instruction(target) => match kind {
            Kind::Instruction(known, _) => target.as_ref().is_none_or(|target| **known == **target),
            _ => false,
        },
    }
}

/// Puts nodes in the order of their document, each once; values stay where they are.
pub(super) fn in_order(items: &mut Sequence) {
    let place = |item: &Item| match item {
        Item::Node { made, id } => (*made, *id),
        Item::Atom(_) => (true, NodeId::MAX),
    };
    if items.windows(2).all(|pair| place(&pair[0]) < place(&pair[1])) {
        return;
    }
    items.sort_by_key(place);
    items.dedup_by_key(|item| place(item));
}
