//! XQuery 1.0 over untyped documents, as much of it as SQL Server has, and its data modification language.
//!
//! ```text
//!   text ──parser──▶ Query (values of SQL are asked for by name) ──typing──▶ types and cardinalities, static errors
//!   run: Query × Document × a node × values of SQL ──▶ items
//!   modify: Query × Document … ──▶ the document changed
//! ```
//! What always holds: Y1: a query that was checked never fails for its operands' types; what only the data make wrong (a text
//! that is no number, a division by zero) is the empty sequence, as SQL Server has it. Y2: the nodes of a path are in
//! document order, each once.

pub mod ast;
pub mod atom;
pub mod decimal;
pub mod error;
mod modify;
mod moment;
mod parser;
mod run;
mod typing;

pub use ast::{Namespaces, Reference};
pub use atom::{Atom, AtomKind};
pub use error::{QueryError, QueryFault};
pub use modify::ModifyError;
pub use run::{Given, Item, RunError, Source};

use crate::budget::Budget;
use crate::document::{Document, NodeId};
use ast::{Expr, Module};

/// The method of the type `xml` that a query is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `value(query, type)`: at most one item.
    Value,
    /// `query(query)`
    Query,
    /// `exist(query)`
    Exist,
    /// `nodes(query)`: nodes alone.
    Nodes,
    /// `modify(dml)`
    Modify,
}

impl Method {
    /// The method's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::Value => "value",
            Method::Query => "query",
            Method::Exist => "exist",
            Method::Nodes => "nodes",
            Method::Modify => "modify",
        }
    }
}

/// A query that was read; the values of SQL in it have no types yet.
#[derive(Clone, Debug)]
pub struct Parsed {
    method: Method,
    module: Module,
}

/// A query that can run.
#[derive(Clone, Debug)]
pub struct Query {
    method: Method,
    module: Module,
}

impl Parsed {
    /// Reads a query.
    ///
    /// # Errors
    /// What is wrong with the text; what of XQuery is not supported.
    pub fn parse(text: &str, method: Method, namespaces: &Namespaces) -> Result<Parsed, QueryError> {
        let module = parser::parse(text, namespaces)?;
        let is_change = matches!(module.body, ast::Body::Change(_));
        match (is_change, method) {
            (true, Method::Modify) | (false, Method::Value | Method::Query | Method::Exist | Method::Nodes) => {
                Ok(Parsed { method, module })
            }
            (false, Method::Modify) => Err(QueryError::new(QueryFault::NoChange, &[])),
            (true, _) => Err(QueryError::new(QueryFault::Change, &[])),
        }
    }

    /// The values of SQL that it names, in the order in which they are given.
    #[must_use]
    pub fn references(&self) -> &[Reference] {
        &self.module.references
    }

    /// Checks the query; `kinds` are the types of the values of SQL.
    ///
    /// # Errors
    /// What SQL Server finds wrong before it runs a query.
    pub fn check(self, kinds: &[AtomKind]) -> Result<Query, QueryError> {
        typing::check(&self.module, self.method, kinds)?;
        Ok(Query { method: self.method, module: self.module })
    }
}

impl Query {
    /// The items of a query, at a node of a document.
    ///
    /// # Errors
    /// The end of the budget; what cannot be constructed.
    pub fn run<'d>(
        &self,
        document: &'d Document,
        node: NodeId,
        given: &[Given],
        budget: &mut dyn Budget,
    ) -> Result<Items<'d>, RunError> {
        let ast::Body::Query(body) = &self.module.body else { return Ok(Items::default_of(document)) };
        let mut run = run::Run::new(&self.module, Source { document, node }, given, budget);
        let items = run.eval(body)?;
        let made = run.into_made();
        Ok(Items { document, made, items, method: self.method })
    }

    /// Changes a document.
    ///
    /// # Errors
    /// The end of the budget; what must not be changed so.
    pub fn modify(
        &self,
        document: Document,
        given: &[Given],
        budget: &mut dyn Budget,
    ) -> Result<Document, ModifyError> {
        match &self.module.body {
            ast::Body::Change(change) => modify::modify(&self.module, change, document, given, budget),
            ast::Body::Query(_) => Ok(document),
        }
    }
}

/// What a query gives.
#[derive(Debug)]
pub struct Items<'d> {
    document: &'d Document,
    made: Document,
    items: Vec<Item>,
    method: Method,
}

impl<'d> Items<'d> {
    fn default_of(document: &'d Document) -> Items<'d> {
        Items { document, made: Document::default(), items: Vec::new(), method: Method::Query }
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The first item as a value; none of an empty sequence.
    #[must_use]
    pub fn first(&self) -> Option<Atom> {
        debug_assert!(self.items.len() <= 1 || self.method != Method::Value, "the check asks for one item at most");
        self.items.first().map(|item| run::atomised(item, self.document, &self.made))
    }

    /// The nodes in order, each with whether the query made it, and the document of those that it made, if there are any.
    #[must_use]
    pub fn into_nodes(self) -> (Vec<(bool, NodeId)>, Option<Document>) {
        let nodes: Vec<(bool, NodeId)> = self
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Node { made, id } => Some((*made, *id)),
                Item::Atom(_) => None,
            })
            .collect();
        let has_made = nodes.iter().any(|(made, _)| *made);
        (nodes, has_made.then_some(self.made))
    }

    /// The first item as a fragment; empty without one.
    #[must_use]
    pub fn first_text(&self) -> String {
        run::sequence_text(self.items.get(..1).unwrap_or_default(), self.document, &self.made)
    }

    /// The items as a fragment: nodes one after the other, a blank between values.
    #[must_use]
    pub fn text(&self) -> String {
        run::sequence_text(&self.items, self.document, &self.made)
    }
}

/// How deeply parts of a query may be nested.
pub(crate) const NESTING_MAX: usize = 48;
/// How many operators a query may have: each is a level of the tree.
pub(crate) const OPERATORS_MAX: usize = 500;

/// What is used in every file here.
pub(crate) type Parsing<T> = Result<T, QueryError>;

impl Expr {
    /// Whether it is `()`.
    pub(crate) fn is_empty_sequence(&self) -> bool {
        matches!(self, Expr::Sequence(items) if items.is_empty())
    }
}

#[cfg(test)]
mod tests;
