//! From a logical plan to one that runs, on one thread or several, and the run itself with its grant.

pub(crate) mod cell;
pub(crate) mod degree;
pub(crate) mod failure;
pub mod measure;
pub(crate) mod parallel;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod planning;
pub(crate) mod wait;
pub(crate) mod workers;
