//! The operators with little memory against the operators with enough.

mod aggregates;
mod joins;
mod operators;
mod rig;
mod shelf;
mod sorts;
