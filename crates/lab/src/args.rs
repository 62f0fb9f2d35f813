//! The command line of the lab.

use clap::{Args, Subcommand};

use crate::keyed::KeyedArgs;
use crate::tpcc::TpccArgs;

/// Workloads and experiments.
#[derive(Args, Debug)]
pub struct LabArgs {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Names the workloads
    List,
    /// Runs one
    Run {
        #[command(subcommand)]
        workload: RunCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommand {
    /// TPC-C: load, run, check
    Tpcc(Box<TpccArgs>),
    /// One table by key: select, update, insert
    Keyed(Box<KeyedArgs>),
}
