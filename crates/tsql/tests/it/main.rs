//! Tests of the parser as its users see it: golden files, invariants on random text, limits, and a comparison
//! with another parser.

mod golden;
mod hammerdb;
mod limits;
mod numbers;
mod oracle;
mod parameters;
mod soup;
