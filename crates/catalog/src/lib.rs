//! Definitions: what a database holds, by name and by number. Tables, their indexes and constraints, modules (views,
//! procedures, functions), types, sequences, and the cache that finds them.
//!
//! ```text
//!   dictionary (rows of system tables) ──read──▶ TableDef, ModuleDef, … ──▶ DatabaseCatalog ──names──▶ bind
//!                      ▲                                                          │
//!                      └──────────────── written by DDL, transactionally ◀────────┘ sees every change
//! ```
//! What always holds: a definition is immutable and shared by plans; a change makes a new one, so that code that holds
//! the old one sees by its address that it must look again. It knows no rows, no pages but the roots of trees, no locks.

pub mod algebra;
pub mod clock;
pub mod data_space;
mod database;
pub mod dialect;
pub mod dictionary;
pub mod event_type;
pub mod expr_type;
pub mod function_body;
pub mod function_def;
mod index;
mod indexed_view;
mod key;
pub mod large;
pub mod mask;
mod module;
mod name;
pub mod run;
mod schema;
pub mod security;
pub mod sequence;
pub mod statistics;
mod synonym;
mod system_column;
pub mod system_view;
pub mod trees;
pub mod unfold;
mod user_type;
pub mod visible;
mod within;

pub use algebra::table::{
    CheckDef, ColumnDef, Compression, ComputedDef, DefaultDef, ForeignKeyDef, IndexDef, IndexKind, IndexOptions,
    KeyColumn, LargeType, LockEscalation, ReferentialAction, StatisticsDef, TableDef, TableName, TableOptions,
    TableStorage, TableUses, has_masks, mask_sources,
};
pub use algebra::{expr, rel};
pub use database::{CatalogObject, DatabaseCatalog, DatabaseObjects, SecurityBefore};
pub use database::{constraint_names, event_session, scoped_configuration};
pub use key::{KeyBounds, after_all, row_key};
pub use module::{FiringPlace, ModuleDef, ModuleKind, ParameterDef, UsedModule};
pub use name::{is_global_temporary, is_local_temporary, name_key, names_equal};
pub use run::user_message;
pub use schema::{ObjectId, Schema, SchemaId};
pub use sequence::{SequenceDef, SequenceState};
pub use statistics::StatisticsObject;
pub use synonym::SynonymDef;
pub use system_column::SystemColumn;
pub use user_type::{UserTypeDef, UserTypeForm};
pub use within::Within;
