//! The operators with little memory against the operators with enough.

mod aggregates;
// The counting allocator of the codec's tests.
#[path = "../../../tds/tests/it/alloc.rs"]
mod alloc;
mod joins;
mod large;
mod operators;
mod rig;
mod sorts;
mod spilled_batches;
