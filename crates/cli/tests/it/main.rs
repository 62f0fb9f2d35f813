//! Tests of the `millpond` binary and of the engine behind it.
//!
//! `shell`: options, output and exit codes of `millpond sql`, as a user meets them. `remote`: the same over TDS.
//! `lab`: workloads, and the scripts of TPC-C. `experiment`: experiments in miniature. `slt`: scripts of statements with their expected rows, in the process and
//! over TDS.

mod command;
mod experiment;
mod lab;
mod remote;
mod shell;
mod slt;
