//! Tables, keys and types as statements define them, and expressions that the catalog keeps as text.

pub(crate) mod index;
pub(crate) mod kept_text;
pub(crate) mod memory;
pub(crate) mod new_table;
pub(crate) mod over_table;
pub(crate) mod stored;
pub(crate) mod table;
