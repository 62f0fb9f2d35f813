//! Workloads and experiments: what runs against a server, measures it and checks what it left behind.
//!
//! ```text
//!   lab run tpcc ─ host (a server given, or started here) ─▶ load ─▶ terminals ─▶ report ─▶ check
//!                                                             └───────┴── link: TDS, one per thread ──┘
//!   lab run ram-drive ─ a server for each case ─▶ work ─▶ figures, three times ─▶ table, JSON, report with plots
//!   lab compare A B ─ two records of one experiment ─▶ medians, ratios, what is more than chance
//! ```
//!
//! What always holds: the server is known only over TDS, so that any other that speaks it can stand in its place; a run
//! repeats with its seed, as far as chance goes; an answer that is an error is counted or ends the run, never lost.

pub mod args;
pub mod chance;
mod compare;
mod experiment;
mod failure;
mod host;
mod insert;
mod keyed;
pub mod link;
mod measure;
mod number;
mod parameter;
pub mod plot;
pub mod postgres;
mod report;
#[cfg(test)]
mod scripted;
mod spread;
mod statistics;
pub mod tpcc;
mod tpch;

use std::process::ExitCode;

pub use args::LabArgs;
use args::{LabCommand, RunCommand};
use experiment::{ALLOCATION, CONTROLLER, EXPERIMENTS, EXTENSION, PEERS, RAM_DRIVE, SELECT_INTO, TEMPDB_PLACEMENT};
pub use failure::LabError;
pub use host::{DiskLoad, DiskWork, Machine, OwnServer, Running, Starter};

/// Workloads by name, with what they are.
const WORKLOADS: [(&str, &str); 3] = [
    ("tpcc", "TPC-C: nine tables, five transactions, the mix 45/43/4/4/4, twelve consistency conditions"),
    ("tpch", "TPC-H: eight tables, 22 queries, the seconds of each"),
    ("keyed", "one table: rows read or updated by key from many connections, or loaded in bulk"),
];

/// Runs the command: 0 when the workload ran without errors and what was checked holds. `starter` is asked for a server
/// when none is given.
#[must_use]
pub fn run(args: &LabArgs, starter: &dyn Starter) -> ExitCode {
    let result = match &args.command {
        LabCommand::List => {
            let experiments = EXPERIMENTS.map(|experiment| (experiment.name, experiment.what));
            for (name, what) in WORKLOADS.into_iter().chain(experiments) {
                println!("{name:16} {what}");
            }
            Ok(true)
        }
        LabCommand::Run { workload: RunCommand::Tpcc(args) } => tpcc::run(args, starter),
        LabCommand::Run { workload: RunCommand::Tpch(args) } => tpch::run(args, starter),
        LabCommand::Run { workload: RunCommand::Keyed(args) } => keyed::run(args, starter),
        LabCommand::Run { workload: RunCommand::Extension(args) } => experiment::run(&EXTENSION, args, starter),
        LabCommand::Run { workload: RunCommand::Controller(args) } => experiment::run(&CONTROLLER, args, starter),
        LabCommand::Run { workload: RunCommand::RamDrive(args) } => experiment::run(&RAM_DRIVE, args, starter),
        LabCommand::Run { workload: RunCommand::SelectInto(args) } => experiment::run(&SELECT_INTO, args, starter),
        LabCommand::Run { workload: RunCommand::TempdbPlacement(args) } => {
            experiment::run(&TEMPDB_PLACEMENT, args, starter)
        }
        LabCommand::Run { workload: RunCommand::Allocation(args) } => experiment::run(&ALLOCATION, args, starter),
        LabCommand::Run { workload: RunCommand::Peers(args) } => experiment::run(&PEERS, args, starter),
        LabCommand::Compare(args) => compare::run(args),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("millpond: {error}");
            ExitCode::FAILURE
        }
    }
}
