//! Binding: names become tables, columns and variables, every type is decided, every implicit conversion is written
//! out. The result (`rel`, `expr`) says all that the text meant; no crate above reads the text again.
//!
//! ```text
//!   ast::Query ──from──▶ Rel + Scope ──filter──▶ group ──▶ project ──▶ order, top ──▶ BoundQuery
//! ```

pub mod absence;
mod binder;
mod change;
pub mod definition;
mod entrance;
mod expression;
mod from;
mod mask;
mod query;
mod sequence;

pub use binder::bound_query::BoundQuery;
pub use binder::declared::{collation as declared_collation, declared_type};
pub use binder::names::{Home, InsteadOf, KeptRows, Named, Names, Variables};
pub use binder::needs::{Access, Need};
pub use binder::source::Given;
pub use binder::target::{NewIdentity, ViewCheck, ViewTarget};
pub use binder::{Binder, TableUse};
pub use change::changes::BoundChanges;
pub use change::dml::{
    Assign, BoundChange, BoundInsert, BoundOutput, Change, InsertColumn, InsertTarget, SetVariables, TakenRows,
};
pub use change::instead::Taken;
pub use change::merge::{BoundMerge, MergeBranch, MergeDo};
pub use change::row_predicates::row_predicates;
pub use change::rows::{GATHERED, GatheredRows};
pub use definition::index::{
    changed_index_options, check_options as check_index_options, check_partitions, heap as heap_index,
    not_the_constraint, remade as remade_index,
};
pub use definition::new_table::NewTable;
pub use definition::stored::{StoredBinder, StoredNames, stored_condition, stored_scalar, stored_value};
pub use definition::table::{check_column_count, check_sparse, masked_column};
pub use expression::computed::is_of_reader;
pub use expression::operator::{ASKED, no_implicit};
pub use from::OLD_STATE_VIEWS;
pub use mask::column_masks;
pub use query::into::table_of;
pub use query::ordering::ORDER_MEANS_NOTHING;
pub use query::origin::{declared_in, origin_of, source_of};
