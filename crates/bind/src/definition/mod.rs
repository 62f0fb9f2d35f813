//! Tables, keys and types as statements define them, and expressions that the catalog keeps as text.

pub mod altered;
pub mod cascade_paths;
pub mod column_users;
pub mod function_check;
pub(crate) mod index;
pub mod index_list;
pub mod indexed_view;
pub(crate) mod kept_text;
pub(crate) mod memory;
pub(crate) mod new_table;
pub(crate) mod over_table;
pub mod renamed;
pub mod schema_elements;
pub mod statistics;
pub(crate) mod stored;
pub(crate) mod table;
