//! Operators of ours that are of no family, and what all have in common.

pub(crate) mod batch;
pub(crate) mod build;
pub(crate) mod compress;
pub(crate) mod correlate;
pub(crate) mod flow;
pub(crate) mod in_flight;
pub(crate) mod recursive;
pub(crate) mod row_width;
pub(crate) mod series;
pub(crate) mod spool;
pub(crate) mod text;
pub(crate) mod top;
