//! A cursor's query with what it is bound to, and all that it takes to bind it again (`exec::routine::renewed_cursor`).

use std::sync::Arc;

use millpond_bind::Variables;
use millpond_catalog::SchemaId;
use millpond_catalog::run::facts::{CurrentDatabase, Settings};
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::rows::TableRows;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{CursorChange, CursorDefinition, Query, Span};
use millpond_types::Value;

use crate::code::{Bound, QueryCode};
use crate::cursor_model::Model;

/// A cursor's query.
pub struct CursorCode {
    /// Of the last OPEN; before that of the declaration.
    pub bound: Arc<Bound>,
    /// What it does: the code in `bound`.
    pub code: Arc<QueryCode>,
    /// The query of DECLARE.
    pub query: Arc<Query>,
    /// Whether WHERE CURRENT OF may change its row.
    pub updatable: bool,
    /// What the declaration asks to see of later changes.
    pub asked: Model,
    /// The values of the variables at the declaration, and what they are.
    pub values: Vec<Value>,
    /// The variables that the query reads.
    pub variables: Arc<Variables>,
    /// The text that declares it, and where in it.
    pub parsed: Arc<ParsedBatch>,
    /// Where the query stands in its text.
    pub span: Span,
    /// What names mean where it is declared.
    pub place: Place,
}

/// What names mean where a cursor is declared.
pub struct Place {
    /// The database that names are looked up in.
    pub database: CurrentDatabase,
    /// The schema where names without one are looked for first.
    pub schema: SchemaId,
    /// The database of the module that declared it, if one did.
    pub home: Option<DbId>,
    /// The level of nesting that it was declared at.
    pub nest_level: u32,
    /// The options that it was declared under.
    pub settings: Arc<Settings>,
}

/// Options of cursors that change nothing.
const READING: [&str; 4] = ["READ_ONLY", "FAST_FORWARD", "STATIC", "INSENSITIVE"];

/// Whether rows may be changed through a cursor, as far as its declaration says.
#[must_use]
pub fn is_updatable(definition: &CursorDefinition) -> bool {
    let reads = |option: &String| READING.contains(&option.as_str());
    !definition.options.iter().any(reads) && !matches!(definition.change, Some(CursorChange::ReadOnly))
}

/// Whether a text may have WHERE CURRENT OF.
pub fn changes_current(text: &str) -> bool {
    text.as_bytes().windows(7).any(|word| word.eq_ignore_ascii_case(b"CURRENT"))
}

/// Whether a locator of a row means the same row in both.
pub fn are_same_rows(one: &TableRows, other: &TableRows) -> bool {
    match (one, other) {
        (TableRows::Heap(one), TableRows::Heap(other)) => Arc::ptr_eq(one, other),
        (TableRows::Trees(one), TableRows::Trees(other)) => match (one.trees.first(), other.trees.first()) {
            // The tree itself: one that was built anew has the same number, and its locators mean other rows.
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => one.memory.as_ref().zip(other.memory.as_ref()).is_some_and(|(one, other)| Arc::ptr_eq(one, other)),
        },
        _ => false,
    }
}
