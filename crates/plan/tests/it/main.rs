//! Plans against expected rows, over given rows and stored tables.

mod aggregates;
mod errors;
mod expressions;
mod filters;
mod joins;
mod recursion;
mod rig;
mod rows;
mod samples;
mod settled;
mod sizes;
mod subqueries;
mod types;
mod windows;
