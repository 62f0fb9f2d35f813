//! Definitions: what a database holds, by name and by number. Tables, their indexes and constraints, modules (views,
//! procedures, functions), types, sequences, and the cache that finds them.
//!
//! ```text
//!   dictionary (rows of system tables) ──read──▶ TableDef, ModuleDef, … ──▶ DatabaseCatalog ──names──▶ bind
//!                      ▲                                                          │
//!                      └──────────────── written by DDL, transactionally ◀────────┘ told of every change
//! ```
//! What always holds: a definition is immutable and shared by plans; a change makes a new one, so that whoever holds
//! the old one sees by its address that it must look again. It knows no rows, no pages but the roots of trees, no locks.

mod database;
mod index;
mod object;
mod statistics;
mod table;

use millpond_types::SqlType;
use millpond_types::collation::Collation;

use crate::expr::ExprType;

pub use database::{CatalogObject, DatabaseCatalog, DatabaseObjects};
pub use index::{IndexDef, IndexKind, IndexOptions, KeyColumn};
pub use object::{
    ModuleDef, ModuleKind, ParameterDef, Schema, SchemaId, SequenceDef, SequenceState, SynonymDef, UserTypeDef,
    UserTypeForm,
};
pub use statistics::{StatisticsDef, StatisticsObject};
pub use table::{
    CheckDef, ColumnDef, ComputedDef, DefaultDef, ForeignKeyDef, LockEscalation, ObjectId, ReferentialAction, TableDef,
    TableName, TableStorage, TableUses,
};

/// Whether two identifiers are the same name under the default collation.
#[must_use]
pub fn names_equal(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || millpond_types::collation::compare(a, b, Collation::Latin1CiAs).is_eq()
}

/// The form of a name under which maps keep it: equal names have equal forms.
#[must_use]
pub fn name_key(name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() * 2);
    millpond_types::collation::sort_key(name, Collation::Latin1CiAs, &mut key);
    key
}

/// A column of a system view or table-valued function.
#[derive(Clone, Copy, Debug)]
pub struct SystemColumn {
    /// Name.
    pub name: &'static str,
    /// Type.
    pub sql: SqlType,
    /// Whether NULL may come.
    pub nullable: bool,
}

impl SystemColumn {
    /// Static facts of the column.
    #[must_use]
    pub fn ty(&self) -> ExprType {
        ExprType::plain(self.sql, self.nullable)
    }
}
