//! The bytes of a page: the header that all have, and the slots of trees.

pub mod header;
pub mod slotted;
