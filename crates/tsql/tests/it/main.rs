//! Tests of the parser as its users see it: golden files, invariants on random text, limits.

mod golden;
mod limits;
mod soup;
