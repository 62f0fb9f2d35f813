//! Extended events: what there is to collect, sessions as they are defined and as they collect, files of events.

pub(crate) mod defined;
pub(crate) mod file;
pub(crate) mod objects;
pub(crate) mod running;
