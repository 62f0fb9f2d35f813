//! OPENXML without WITH: the edge table, a row for each node below those that the pattern finds.
//!
//! Numbers are those of the document's nodes, the element on top has 0; the texts of attributes, which are nodes here, have those after all
//! others. SQL Server does not say how it counts.

use std::sync::Arc;

use millpond_catalog::run::Run;
use millpond_catalog::run::documents::Prepared;
use millpond_catalog::unfold::{Unfold, UnfoldedRows};
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value};
use millpond_xml::document::{Kind, Name};
use millpond_xml::{NodeId, ROOT};

use crate::xml::open_xml::found;

const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };

/// The columns, which all take NULL.
pub const COLUMNS: [(&str, SqlType); 9] = [
    ("id", SqlType::BigInt),
    ("parentid", SqlType::BigInt),
    ("nodetype", SqlType::Int),
    ("localname", TEXT),
    ("prefix", TEXT),
    ("namespaceuri", TEXT),
    ("datatype", TEXT),
    ("prev", SqlType::BigInt),
    ("text", TEXT),
];

/// A call. Its arguments are handle, pattern and flags.
#[derive(Debug)]
pub struct EdgeTable;

impl Unfold for EdgeTable {
    fn name(&self) -> &'static str {
        "OPENXML"
    }

    fn open(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Box<dyn UnfoldedRows>> {
        let (prepared, nodes) = found(ctx, &args)?;
        prepared.used.count(0);
        let mut left: Vec<Row> = nodes.into_iter().map(|(_, node)| Row { node, is_value: false }).collect();
        left.reverse();
        Ok(Box::new(Rows { prepared, left }))
    }
}

/// A row that is to come.
#[derive(Clone, Copy)]
struct Row {
    node: NodeId,
    /// The text of the attribute, and not the attribute.
    is_value: bool,
}

struct Rows {
    prepared: Arc<Prepared>,
    /// The next is the last of them.
    left: Vec<Row>,
}

impl UnfoldedRows for Rows {
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        ctx.watch().check()?;
        let Some(row) = self.left.pop() else { return Ok(None) };
        self.prepared.used.add_row();
        if !row.is_value {
            let document = &self.prepared.document;
            let below = document.attributes(row.node).iter().chain(document.children(row.node));
            let from = self.left.len();
            self.left.extend(below.map(|node| Row { node: *node, is_value: false }));
            if matches!(document.kind(row.node), Kind::Attribute(..)) {
                self.left.push(Row { node: row.node, is_value: true });
            }
            self.left[from..].reverse();
        }
        let (mut cells, text) = self.cells(row);
        cells.push(ctx.hold(Ok(text))?);
        Ok(Some(cells))
    }
}

impl Rows {
    /// All but the last, and the last.
    fn cells(&self, row: Row) -> (Vec<Value>, Value) {
        let document = &self.prepared.document;
        let number = |node: NodeId| Value::BigInt(if node == ROOT + 1 { 0 } else { i64::from(node) });
        let none = (Value::Null, Value::Null, Value::Null);
        let named = |name: &Name| {
            let said = |text: &str| if text.is_empty() { Value::Null } else { Value::str(text) };
            (Value::str(&name.local), said(&name.prefix), said(&name.uri))
        };
        let own = |text: &str| (Value::str(text), Value::Null, Value::Null);
        let (kind, name, text) = match document.kind(row.node) {
            Kind::Root(_) => (9, none, Value::Null),
            Kind::Element(element) => (1, named(&element.name), Value::Null),
            Kind::Attribute(_, value) if row.is_value => (3, own("#text"), Value::str(value)),
            Kind::Attribute(name, _) => (2, named(name), Value::Null),
            Kind::Text(text) => (3, own("#text"), Value::str(text)),
            Kind::Instruction(target, data) => (7, own(target), Value::str(data)),
            Kind::Comment(text) => (8, own("#comment"), Value::str(text)),
        };
        let parent = document.parent(row.node).filter(|parent| *parent != ROOT);
        let before = parent.and_then(|parent| {
            let children = document.children(parent);
            let place = children.iter().position(|child| *child == row.node)?;
            place.checked_sub(1).map(|place| children[place])
        });
        let (id, parent) = if row.is_value {
            // Attributes are fewer than nodes, so this is a number of its own.
            (Value::BigInt(document.len() as i64 + i64::from(row.node)), number(row.node))
        } else {
            (number(row.node), parent.map_or(Value::Null, number))
        };
        let before = before.map_or(Value::Null, number);
        (vec![id, parent, Value::Int(kind), name.0, name.1, name.2, Value::Null, before], text)
    }
}
