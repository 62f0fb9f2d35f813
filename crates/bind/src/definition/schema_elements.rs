//! The elements of CREATE SCHEMA in an order in which they can be made: they may name what stands further on.
//!
//! ```text
//!   tables ──▶ their foreign keys to tables further on, as ALTER TABLE ──▶ views ──▶ permissions
//! ```
//! What always holds: each element is there once; views stay in the order in which they are written, so a view of another one
//! stands behind it, as SQL Server wants it. Whether the names are there, is not known here.

use std::collections::HashMap;

use millpond_tsql::ast::{
    AlterTable, AlterTableAction, ConstraintKind, ObjectName, Statement, StatementKind, TableConstraint,
    TableDefinition,
};

/// The elements, where `schema` is the one that a name of one part is of.
#[must_use]
pub fn in_order(elements: &[Statement], schema: &str) -> Vec<Statement> {
    let is_table = |element: &&Statement| matches!(element.kind, StatementKind::CreateTable { .. });
    let is_view = |element: &&Statement| matches!(element.kind, StatementKind::Module(_));
    let mut ordered: Vec<Statement> = elements.iter().filter(is_table).cloned().collect();
    let keys = keys_to_later(&mut ordered, schema);
    ordered.extend(keys);
    ordered.extend(elements.iter().filter(is_view).cloned());
    ordered.extend(elements.iter().filter(|element| !is_table(element) && !is_view(element)).cloned());
    ordered
}

/// Takes the foreign keys to tables that come later out of the tables, and makes ALTER TABLE of them.
fn keys_to_later(tables: &mut [Statement], schema: &str) -> Vec<Statement> {
    // Names that differ in case only may be of one table: then a key is added later than it had to be, which is no harm.
    let full = |name: &ObjectName| match &name.parts[..] {
        [last] => format!("{schema}.{last}").to_lowercase(),
        parts => parts.join(".").to_lowercase(),
    };
    let places: HashMap<String, usize> = tables
        .iter()
        .enumerate()
        .filter_map(|(place, table)| match &table.kind {
            StatementKind::CreateTable { name, .. } => Some((full(name), place)),
            _ => None,
        })
        .collect();
    let mut keys = Vec::new();
    for (place, table) in tables.iter_mut().enumerate() {
        let StatementKind::CreateTable { name, definition } = &mut table.kind else { continue };
        let is_later = |constraint: &mut TableConstraint| match &constraint.kind {
            ConstraintKind::ForeignKey(key) => places.get(&full(&key.table)).is_some_and(|&other| other > place),
            _ => false,
        };
        let mut later = Vec::new();
        for column in &mut definition.columns {
            later.extend(column.constraints.extract_if(.., is_later).map(|mut constraint| {
                if let ConstraintKind::ForeignKey(key) = &mut constraint.kind
                    && key.columns.is_empty()
                {
                    key.columns.push(column.name.clone());
                }
                constraint
            }));
        }
        later.extend(definition.constraints.extract_if(.., is_later));
        if !later.is_empty() {
            let definition = TableDefinition { constraints: later, ..TableDefinition::default() };
            let action = AlterTableAction::Add { definition, with_check: None };
            let kind = StatementKind::AlterTable(Box::new(AlterTable { table: name.clone(), action }));
            // It is where its table is, and nothing of it is kept by its number.
            keys.push(Statement { kind, span: table.span, number: table.number });
        }
    }
    keys
}
