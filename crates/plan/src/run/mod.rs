//! What a plan reads of its run and says of it: its context, errors, threads, waits, and what its operators did.

pub(crate) mod bitmap;
pub(crate) mod cell;
pub(crate) mod failure;
pub(crate) mod insert;
pub mod measure;
pub(crate) mod task;
pub(crate) mod wait;
pub(crate) mod workers;
