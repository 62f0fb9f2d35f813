//! The peer of `millpond lab run tpcc`: the same rows, terminals, calls and conditions, on PostgreSQL.
//!
//! ```text
//!   cargo run --release -p millpond-lab --example tpcc_peer -- --server 127.0.0.1:5432 --warehouses 1 --users 2 --check
//! ```
//!
//! What always holds: the only difference from the workload of the lab is `millpond_lab::postgres`: the wire, and the T-SQL
//! scripts in PostgreSQL's words. The user needs no password (`trust`).

use std::process::ExitCode;

use clap::Parser;
use millpond_lab::postgres::PostgresTarget;
use millpond_lab::tpcc::{Plan, run_on};

/// TPC-C on PostgreSQL.
#[derive(Debug, Parser)]
struct PeerArgs {
    /// PostgreSQL
    #[arg(long, value_name = "HOST:PORT")]
    server: String,
    /// Login, without a password
    #[arg(long, value_name = "NAME", default_value = "postgres")]
    user: String,
    #[command(flatten)]
    plan: Plan,
}

fn main() -> ExitCode {
    let args = PeerArgs::parse();
    let target = PostgresTarget { server: &args.server, user: &args.user, database: args.plan.database() };
    match run_on(&target, &format!("PostgreSQL at {}", args.server), &args.plan) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("tpcc_peer: {error}");
            ExitCode::FAILURE
        }
    }
}
