//! Triggers: which there are, when they fire, how they are defined.

pub(crate) mod ddl;
pub(crate) mod definition;
pub(crate) mod fire;
pub(crate) mod order;
