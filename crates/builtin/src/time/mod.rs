//! Functions over dates and times.

pub(crate) mod offset;
pub(crate) mod temporal;
pub mod time_zone;
