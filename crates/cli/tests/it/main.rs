//! Tests of the `millpond` binary and of the engine behind it.
//!
//! `shell`: options, output and exit codes of `millpond sql`, as a user meets them. `remote`: the same over TDS. `prompt`: what
//! is typed and pasted at a terminal. `prompt_screen`: what is seen there. `error_log`: the error log's files. `doctor`: what the machine limits. `plan`: plans of statements. `documents`: the SQL and TOML blocks of the documents. `memory`: a small address
//! space. `serve`: modes of files, and encryption by the environment. `container`: the binary called as `sqlservr`, with the
//! environment of SQL Server's image. `sqlcmd`: the binary called so. `lab`: workloads, and the scripts of TPC-C.
//! `experiment`: experiments in miniature. `slt`: scripts of statements with their expected rows, in the process and over
//! TDS. `advise`: what would help a server. `top`: the live screen in a terminal (`screen`), and its figures for scripts; `page`: the same in a browser. `history`: what
//! killed servers leave, and reports of it. `earlier`: data directories that an earlier build wrote.

mod advise;
mod command;
#[cfg(unix)]
mod container;
mod doctor;
mod documents;
mod earlier;
#[cfg(unix)]
mod error_log;
mod experiment;
#[cfg(unix)]
mod history;
mod lab;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod page;
mod plan;
#[cfg(unix)]
mod prompt;
#[cfg(unix)]
mod prompt_screen;
mod release;
mod remote;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod serve;
mod shell;
mod slt;
#[cfg(unix)]
mod sqlcmd;
#[cfg(unix)]
mod top;
