//! What files and volumes have read and written, and what more memory would have saved them.

pub(crate) mod cache_curve;
pub(crate) mod file_io;
pub(crate) mod file_tiers;
pub(crate) mod file_writes;
pub(crate) mod volume_io;
