//! From a relation to a plan that runs, on one thread or several, the run itself with its grant, and how it is shown.

pub(crate) mod bitmaps;
pub(crate) mod degree;
pub(crate) mod entrance;
pub(crate) mod merge;
pub(crate) mod parallel;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod planning;
pub(crate) mod show;
pub(crate) mod width;
