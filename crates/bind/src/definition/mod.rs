//! Tables, keys and types as statements define them, and expressions that the catalog keeps as text.

pub(crate) mod index;
pub(crate) mod memory;
pub(crate) mod stored;
pub(crate) mod table;
