//! What readers may still need: older versions of rows, ghosts, large values that no row has, and which readers need
//! them.

pub(crate) mod ghost_runs;
pub(crate) mod ghosts;
pub(crate) mod loose_value;
pub(crate) mod snapshot;
pub(crate) mod version_store;
