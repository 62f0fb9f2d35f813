//! Tests of the `millpond` binary and of the engine behind it.
//!
//! `shell`: options, output and exit codes of `millpond sql`, as a user meets them. `remote`: the same over TDS.
//! `memory`: a small address space. `serve`: modes of files, and encryption by the environment. `lab`: workloads, and the
//! scripts of TPC-C. `experiment`: experiments in miniature. `slt`: scripts of statements with their expected rows, in the
//! process and over TDS.

mod command;
mod experiment;
mod lab;
#[cfg(unix)]
mod memory;
mod remote;
#[cfg(unix)]
mod serve;
mod shell;
mod slt;
