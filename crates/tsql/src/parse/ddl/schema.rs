//! CREATE SCHEMA with its elements, put into an order in which they can be executed.
//!
//! What always holds: a name of one part in an element is of the new schema first. Whether the names are there, is not known
//! here.

use std::collections::HashMap;

use crate::ast::{
    AlterTable, AlterTableAction, ConstraintKind, ObjectName, Statement, StatementKind, TableConstraint,
    TableDefinition,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::ddl::module;
use crate::parse::{Parser, lookahead, name};
use crate::token::TokenKind;

/// `SCHEMA name [AUTHORIZATION owner] [element …]`, `SCHEMA AUTHORIZATION owner [element …]`; CREATE is read, the token
/// with index `first`.
pub(in crate::parse) fn create_schema(parser: &mut Parser<'_>, first: usize) -> Parsed<StatementKind> {
    if !lookahead::is_first_in_batch(parser, first) {
        return Err(error::must_be_first_in_batch("CREATE SCHEMA", parser.tokens[first].line));
    }
    parser.bump();
    let name = if parser.is_keyword(Keyword::Authorization) { None } else { Some(name::ident(parser)?) };
    let owner = if parser.eat_keyword(Keyword::Authorization) { Some(name::ident(parser)?) } else { None };
    let schema = name.as_ref().or(owner.as_ref()).map_or("", |name| name.as_str());
    let elements = schema_elements(parser, schema)?;
    Ok(StatementKind::CreateSchema { name, owner, elements })
}

/// What stands behind CREATE SCHEMA without a semicolon, as it can be executed: tables, their foreign keys to tables that
/// are written after them, views, then permissions, whose objects are there by then. `schema` is where a name of one part
/// is looked for.
fn schema_elements(parser: &mut Parser<'_>, schema: &str) -> Parsed<Vec<Statement>> {
    let (mut elements, mut views, mut permissions) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let (first, number) = (parser.at, parser.next_number());
        match parser.kind() {
            TokenKind::Keyword(Keyword::Create) if parser.is_keyword_at(1, Keyword::View) => {
                let kind = module::view_element(parser)?;
                views.push(Statement { kind, span: parser.span_from(first), number });
            }
            TokenKind::Keyword(Keyword::Create) if parser.is_keyword_at(1, Keyword::Table) => {
                elements.push(parser.nested_statement()?);
            }
            TokenKind::Keyword(Keyword::Grant | Keyword::Deny | Keyword::Revoke) => {
                permissions.push(parser.nested_statement()?);
            }
            _ => break,
        }
    }
    let keys = keys_to_later(parser, &mut elements, schema);
    elements.extend(keys);
    elements.append(&mut views);
    elements.append(&mut permissions);
    Ok(elements)
}

/// Takes the foreign keys to tables that come later out of the tables, and makes ALTER TABLE of them.
fn keys_to_later(parser: &mut Parser<'_>, tables: &mut [Statement], schema: &str) -> Vec<Statement> {
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
        let is_later = |constraint: &TableConstraint| match &constraint.kind {
            ConstraintKind::ForeignKey(key) => places.get(&full(&key.table)).is_some_and(|&other| other > place),
            _ => false,
        };
        let mut later = Vec::new();
        for column in &mut definition.columns {
            let of_column = column.constraints.extract_if(.., |constraint| is_later(constraint));
            later.extend(of_column.map(|mut constraint| {
                if let ConstraintKind::ForeignKey(key) = &mut constraint.kind
                    && key.columns.is_empty()
                {
                    key.columns.push(column.name.clone());
                }
                constraint
            }));
        }
        later.extend(definition.constraints.extract_if(.., |constraint| is_later(constraint)));
        if !later.is_empty() {
            let definition = TableDefinition { constraints: later, ..TableDefinition::default() };
            let action = AlterTableAction::Add { definition, with_check: None };
            let kind = StatementKind::AlterTable(Box::new(AlterTable { table: name.clone(), action }));
            keys.push(Statement { kind, span: table.span, number: parser.next_number() });
        }
    }
    keys
}
