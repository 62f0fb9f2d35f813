//! What sessions keep beyond a statement, and what statements may say: cursors, documents, hints, what a kept plan has.

pub(crate) mod cursors;
pub(crate) mod dependent_objects;
pub(crate) mod query_profiles;
pub(crate) mod use_hints;
pub(crate) mod xml_handles;
