//! The account of a statement: its counters, its time and I/O, its plan with what each operator did, and what it was
//! warned of.

pub(crate) mod notes;
pub(crate) mod profile;
pub(crate) mod statistics;
pub(crate) mod told;
