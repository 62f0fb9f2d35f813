//! Sessions' work over a real instance in memory.

mod model;
mod rig;
mod rollback;
mod rows;
mod space;
