//! A query over a document: the items of an expression, made bottom-up.

mod compare;
mod construct;
mod flwor;
mod function;
mod path;

use std::sync::Arc;

use crate::budget::{Budget, Halt};
use crate::document::{Document, Kind, NODE_BYTES, NodeId, ROOT};
use crate::write::write_node;
use crate::xquery::ast::{Arithmetic, Expr, Module, NodeCompare};
use crate::xquery::atom::Atom;

/// An item of a sequence.
#[derive(Clone, Debug)]
pub enum Item {
    /// A node: of the document, or one that the query made.
    Node {
        /// Whether the query made it.
        made: bool,
        /// Its number.
        id: NodeId,
    },
    /// A value.
    Atom(Atom),
}

/// A value of SQL, as a query gets it.
#[derive(Clone, Debug)]
pub enum Given {
    /// NULL
    Null,
    /// A value.
    Atom(Atom),
    /// A value of the type `xml`.
    Xml(Arc<Document>),
}

/// Why a query gives nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The work was given up.
    Halted(Halt),
    /// An attribute follows other content of an element, or stands outside of one.
    LateAttribute,
    /// Two attributes of an element have one name.
    DuplicateAttribute(String),
    /// What is constructed is nested deeper than documents may be.
    TooDeep,
}

impl From<Halt> for RunError {
    fn from(halt: Halt) -> RunError {
        RunError::Halted(halt)
    }
}

/// What a query runs over.
#[derive(Clone, Copy, Debug)]
pub struct Source<'d> {
    /// The document.
    pub document: &'d Document,
    /// The node that is the context at first.
    pub node: NodeId,
}

pub(super) type Sequence = Vec<Item>;
pub(super) type Running<T> = Result<T, RunError>;

/// The item that is looked at in a predicate, where it stands and how many there are.
#[derive(Clone)]
struct Focus {
    item: Item,
    position: usize,
    size: usize,
}

pub(super) struct Run<'r, 'd> {
    document: &'d Document,
    made: Document,
    given: &'r [Given],
    budget: &'r mut dyn Budget,
    variables: Vec<Sequence>,
    focus: Focus,
}

impl<'r, 'd> Run<'r, 'd> {
    pub(super) fn new(
        module: &Module,
        source: Source<'d>,
        given: &'r [Given],
        budget: &'r mut dyn Budget,
    ) -> Run<'r, 'd> {
        let item = Item::Node { made: false, id: source.node };
        Run {
            document: source.document,
            made: Document::default(),
            given,
            budget,
            variables: vec![Vec::new(); module.slots],
            focus: Focus { item, position: 1, size: 1 },
        }
    }

    pub(super) fn into_made(self) -> Document {
        self.made
    }

    pub(super) fn made(&self) -> &Document {
        &self.made
    }

    fn tree(&self, made: bool) -> &Document {
        if made { &self.made } else { self.document }
    }

    fn step(&mut self) -> Running<()> {
        Ok(self.budget.step()?)
    }

    fn take(&mut self, bytes: usize) -> Running<()> {
        Ok(self.budget.take(bytes)?)
    }

    pub(super) fn eval(&mut self, expr: &Expr) -> Running<Sequence> {
        self.step()?;
        Ok(match expr {
            Expr::Literal(atom) => vec![Item::Atom(atom.clone())],
            Expr::Sequence(items) => {
                let mut all = Vec::new();
                for item in items {
                    all.append(&mut self.eval(item)?);
                }
                all
            }
            Expr::Variable(slot) => {
                let items = self.variables[*slot].clone();
                self.take(items.len() * size_of::<Item>())?;
                items
            }
            Expr::Context => vec![self.focus.item.clone()],
            Expr::Root => vec![self.root()],
            Expr::Path(start, steps) => self.path(start, steps)?,
            Expr::Filter(start, predicates) => {
                let mut items = self.eval(start)?;
                for predicate in predicates {
                    items = self.filter(items, predicate)?;
                }
                items
            }
            Expr::Or(..) | Expr::And(..) | Expr::General(..) | Expr::Quantified { .. } => {
                vec![Item::Atom(Atom::Boolean(self.truth(expr)?))]
            }
            Expr::Value(op, left, right) => {
                let (Some(left), Some(right)) = (self.value(left)?, self.value(right)?) else { return Ok(Vec::new()) };
                vec![Item::Atom(Atom::Boolean(compare::holds(*op, &left, &right)))]
            }
            Expr::Nodes(op, left, right) => self.node_comparison(*op, left, right)?,
            Expr::Arithmetic(op, left, right) => {
                let (Some(left), Some(right)) = (self.value(left)?, self.value(right)?) else { return Ok(Vec::new()) };
                arithmetic(*op, &left, &right).map(Item::Atom).into_iter().collect()
            }
            Expr::Negate(operand) => {
                let value = self.value(operand)?;
                value.and_then(|value| negated(&value)).map(Item::Atom).into_iter().collect()
            }
            Expr::Union(left, right) => {
                let mut items = self.eval(left)?;
                items.append(&mut self.eval(right)?);
                path::in_order(&mut items);
                items
            }
            Expr::Cast(kind, operand) => {
                let value = self.value(operand)?;
                value.and_then(|value| value.cast(*kind)).map(Item::Atom).into_iter().collect()
            }
            Expr::If(condition, then, otherwise) => {
                let chosen = if self.truth(condition)? { then } else { otherwise };
                self.eval(chosen)?
            }
            Expr::Flwor(clauses, result) => flwor::flwor(self, clauses, result)?,
            Expr::Call(function, args) => self.call(*function, args)?,
            Expr::Element(_) | Expr::Attribute(..) | Expr::TextNode(_) | Expr::Comment(_) | Expr::Instruction(..) => {
                construct::construct(self, expr)?.into_iter().map(|id| Item::Node { made: true, id }).collect()
            }
            Expr::Sql(place) => match self.given.get(*place) {
                Some(Given::Atom(atom)) => vec![Item::Atom(atom.clone())],
                Some(Given::Xml(document)) => {
                    let document = Arc::clone(document);
                    self.take(document.len() * NODE_BYTES)?;
                    let children = document.children(ROOT);
                    children.iter().map(|id| Item::Node { made: true, id: self.made.copy(&document, *id) }).collect()
                }
                Some(Given::Null) | None => Vec::new(),
            },
        })
    }

    /// The root of the tree that the context is in.
    fn root(&self) -> Item {
        match self.focus.item {
            Item::Node { made, mut id } => {
                while let Some(parent) = self.tree(made).parent(id) {
                    id = parent;
                }
                Item::Node { made, id }
            }
            Item::Atom(_) => Item::Node { made: false, id: ROOT },
        }
    }

    fn atomise(&self, item: &Item) -> Atom {
        atomised(item, self.document, &self.made)
    }

    /// The value of an expression that the check found to be one at most.
    fn value(&mut self, expr: &Expr) -> Running<Option<Atom>> {
        let items = self.eval(expr)?;
        Ok(items.first().map(|item| self.atomise(item)))
    }

    fn values(&mut self, expr: &Expr) -> Running<Vec<Atom>> {
        let items = self.eval(expr)?;
        self.take(items.len() * size_of::<Atom>())?;
        Ok(items.iter().map(|item| self.atomise(item)).collect())
    }

    /// Whether a condition holds.
    fn truth(&mut self, expr: &Expr) -> Running<bool> {
        match expr {
            Expr::Or(left, right) => Ok(self.truth(left)? || self.truth(right)?),
            Expr::And(left, right) => Ok(self.truth(left)? && self.truth(right)?),
            Expr::General(op, left, right) => {
                self.step()?;
                let (left, right) = (self.values(left)?, self.values(right)?);
                for one in &left {
                    self.step()?;
                    if right.iter().any(|other| compare::holds(*op, one, other)) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::Quantified { every, over, satisfies } => flwor::quantified(self, *every, over, satisfies),
            _ => Ok(match self.eval(expr)?.first() {
                None => false,
                Some(Item::Node { .. }) => true,
                Some(Item::Atom(Atom::Boolean(truth))) => *truth,
                Some(Item::Atom(atom)) => !atom.text().is_empty(),
            }),
        }
    }

    fn node_comparison(&mut self, op: NodeCompare, left: &Expr, right: &Expr) -> Running<Sequence> {
        let (left, right) = (self.eval(left)?, self.eval(right)?);
        let place = |items: &Sequence| match items.first() {
            Some(Item::Node { made, id }) => Some((*made, *id)),
            _ => None,
        };
        let (Some(left), Some(right)) = (place(&left), place(&right)) else { return Ok(Vec::new()) };
        let holds = match op {
            NodeCompare::Is => left == right,
            NodeCompare::Before => left < right,
            NodeCompare::After => left > right,
        };
        Ok(vec![Item::Atom(Atom::Boolean(holds))])
    }
}

/// The value of an item.
pub(super) fn atomised(item: &Item, document: &Document, made: &Document) -> Atom {
    match item {
        Item::Atom(atom) => atom.clone(),
        Item::Node { made: is_made, id } => {
            let tree = if *is_made { made } else { document };
            let text = tree.string_value(*id);
            match tree.kind(*id) {
                Kind::Comment(_) | Kind::Instruction(..) => Atom::String(text),
                _ => Atom::Untyped(text),
            }
        }
    }
}

/// A sequence as a fragment.
pub(super) fn sequence_text(items: &[Item], document: &Document, made: &Document) -> String {
    let mut out = String::new();
    let mut after_value = false;
    for item in items {
        match item {
            Item::Node { made: is_made, id } => {
                write_node(if *is_made { made } else { document }, *id, &mut out);
                after_value = false;
            }
            Item::Atom(atom) => {
                if after_value {
                    out.push(' ');
                }
                crate::write::escape_text(&atom.text(), &mut out);
                after_value = true;
            }
        }
    }
    out
}

fn negated(value: &Atom) -> Option<Atom> {
    Some(match value {
        Atom::Integer(number) => Atom::Integer(number.negate()),
        Atom::Decimal(number) => Atom::Decimal(number.negate()),
        other => Atom::Double(-other.number()?),
    })
}

/// Nothing where an operand is no number, the result has no room, or the divisor is zero.
fn arithmetic(op: Arithmetic, left: &Atom, right: &Atom) -> Option<Atom> {
    use Atom::{Decimal, Integer};
    if let (Integer(one) | Decimal(one), Integer(other) | Decimal(other)) = (left, right) {
        let result = match op {
            Arithmetic::Add => one.plus(*other),
            Arithmetic::Subtract => one.plus(other.negate()),
            Arithmetic::Multiply => one.multiply(*other),
            Arithmetic::Divide => one.divide(*other),
            Arithmetic::Modulo => one.modulo(*other),
        }?;
        let is_integer = matches!((left, right), (Integer(_), Integer(_))) && op != Arithmetic::Divide;
        return Some(if is_integer { Integer(result) } else { Decimal(result) });
    }
    let (left, right) = (left.number()?, right.number()?);
    Some(Atom::Double(match op {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide if right == 0.0 => return None,
        Arithmetic::Divide => left / right,
        Arithmetic::Modulo if right == 0.0 => return None,
        Arithmetic::Modulo => left % right,
    }))
}
