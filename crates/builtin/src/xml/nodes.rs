//! `nodes()` in FROM: a row for each node, with a reference to it.

use millpond_catalog::run::Run;
use millpond_catalog::unfold::{Unfold, UnfoldedRows};
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};
use millpond_xml::xquery::Query;

use crate::xml::StatementBudget;
use crate::xml::error::of_run;
use crate::xml::method::given_values;
use crate::xml::reference::{References, Target};

/// A call of `nodes`. Its arguments are the target and the values of SQL that the query names.
#[derive(Debug)]
pub struct Nodes {
    /// The query.
    pub query: Query,
    /// The target is a reference to a node.
    pub is_node: bool,
    /// Types of the values of SQL.
    pub types: Vec<SqlType>,
}

impl Unfold for Nodes {
    fn name(&self) -> &'static str {
        "XML Reader"
    }

    fn open(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Box<dyn UnfoldedRows>> {
        let nothing = || Box::new(Rows { nodes: Vec::new().into_iter(), own: None, made: None });
        let Some((target, values)) = args.split_first() else { return Ok(nothing()) };
        let Some(text) = target.as_str() else { return Ok(nothing()) };
        let given = given_values(ctx, values, &self.types)?;
        let target = Target::of(ctx, text, self.is_node)?;
        let mut budget = StatementBudget::new(ctx);
        let document = std::sync::Arc::clone(&target.document);
        let items = self.query.run(&document, target.node, &given, &mut budget).map_err(of_run)?;
        let (nodes, made) = items.into_nodes();
        if nodes.is_empty() {
            return Ok(nothing());
        }
        let made = made.map(|made| References::of_made(ctx, made, budget.into_charges()));
        let own = Some(target.references(ctx, text, self.is_node));
        Ok(Box::new(Rows { nodes: nodes.into_iter(), own, made }))
    }
}

/// The nodes that are left: whether the query made it, and its number.
struct Rows {
    nodes: std::vec::IntoIter<(bool, millpond_xml::NodeId)>,
    own: Option<References>,
    made: Option<References>,
}

impl UnfoldedRows for Rows {
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        ctx.watch().check()?;
        let Some((is_made, node)) = self.nodes.next() else { return Ok(None) };
        let references = if is_made { &self.made } else { &self.own };
        let reference = references.as_ref().map(|references| references.to(node));
        Ok(Some(vec![reference.map_or(Value::Null, Value::from)]))
    }
}
