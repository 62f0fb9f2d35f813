//! The `millpond` binary.
fn main() {}
