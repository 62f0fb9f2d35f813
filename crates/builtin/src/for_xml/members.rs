//! RAW and AUTO: a column is an attribute, or under ELEMENTS an element. Values of type `xml` are elements in any case.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::SqlType;

use super::column::Column;
use super::element::{Element, Node};
use super::name::escaped;

/// How columns are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members {
    /// ELEMENTS
    pub are_elements: bool,
    /// XSINIL
    pub has_nil: bool,
}

/// Adds a column to an element.
///
/// # Errors
/// 6809 for a column without a name, 6810 for an attribute that is there already.
pub fn add(element: &mut Element, name: &str, place: usize, sql: SqlType, members: Members) -> SqlResult<()> {
    let node = escaped(name);
    let column = Column { place, sql, node: node.clone() };
    if name.is_empty() {
        if sql != SqlType::Xml {
            return Err(SqlError::of(6809, 1, &[]));
        }
        element.children.push(Node::Content(column));
        return Ok(());
    }
    if members.are_elements || sql == SqlType::Xml {
        let children = vec![Node::Content(column)];
        element.children.push(Node::Element(Element {
            name: node,
            attributes: Vec::new(),
            children,
            is_nil: members.has_nil,
        }));
        return Ok(());
    }
    if element.attributes.iter().any(|(known, _)| *known == node) {
        return Err(SqlError::of(6810, 1, &[&name]));
    }
    element.attributes.push((node, column));
    Ok(())
}
