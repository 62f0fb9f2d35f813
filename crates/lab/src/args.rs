//! The command line of the lab.

use clap::{Args, Subcommand};

use crate::compare::CompareArgs;
use crate::experiment::ExperimentArgs;
use crate::keyed::KeyedArgs;
use crate::tpcc::TpccArgs;
use crate::tpch::TpchArgs;

/// Workloads and experiments.
#[derive(Args, Debug)]
pub struct LabArgs {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Names the workloads and experiments
    List,
    /// Runs one
    Run {
        #[command(subcommand)]
        workload: RunCommand,
    },
    /// Compares two results of an experiment: medians, ratios, and whether they differ by more than chance
    Compare(CompareArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommand {
    /// TPC-C: load, run, check
    Tpcc(Box<TpccArgs>),
    /// TPC-H: load, run the 22 queries
    Tpch(Box<TpchArgs>),
    /// One table by key: select, update, insert
    Keyed(Box<KeyedArgs>),
    /// Experiment: updates with a buffer pool extension
    Extension(ExperimentArgs),
    /// Experiment: the split of a controller's cache
    Controller(ExperimentArgs),
    /// Experiment: tempdb on a disk or on a RAM drive
    RamDrive(ExperimentArgs),
    /// Experiment: six sessions that fill temporary tables
    SelectInto(ExperimentArgs),
    /// Experiment: tempdb on flash or on an array
    TempdbPlacement(ExperimentArgs),
    /// Experiment: files of tempdb and sessions that allocate in them
    Allocation(ExperimentArgs),
    /// Experiment: the same work on PostgreSQL and DuckDB, where they are installed
    Peers(ExperimentArgs),
}
