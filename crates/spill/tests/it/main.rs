//! The operators with little memory against the operators with enough.

mod aggregates;
mod alloc;
mod joins;
mod large;
mod operators;
mod rig;
mod shelf;
mod sorts;
