//! What files and volumes have read and written.

pub(crate) mod file_io;
pub(crate) mod file_tiers;
pub(crate) mod file_writes;
pub(crate) mod volume_io;
