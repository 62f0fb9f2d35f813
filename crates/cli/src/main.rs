//! The `millpond` binary: the command line's face of the other crates.
//!
//! What always holds: a command that cannot begin says why in one line on stderr and exits with 1; an unknown option
//! exits with 2. Called as `sqlservr` or `sqlcmd` the binary is what images and scripts for SQL Server call by these names.
//! Knows nothing of pages, plans or tokens.

mod advise;
mod deliver;
mod doctor;
mod generate;
#[cfg(feature = "lab")]
mod lab;
mod log_json;
mod notify;
mod page;
mod plan;
#[cfg(feature = "lab")]
mod probe;
mod report;
mod serve;
mod server_args;
mod signals;
mod sql;
mod sqlservr;
mod top;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A SQL Server that starts in milliseconds: T-SQL over TDS, tempdb in memory first, every write explained.
#[derive(Parser)]
#[command(name = "millpond", version = env!("MILLPOND_VERSION"), arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  millpond sql -Q \"select @@version\"             one statement, in memory
  millpond sql -i examples/tempdb_loop.sql       a script
  millpond serve --data ./data                   a server on 127.0.0.1:1433
  millpond sql -S localhost -U sa                a prompt on it, password from SQLCMDPASSWORD
  millpond top -S localhost -U sa                what that server does, live
  millpond advise -S localhost -U sa             what would help it, with the statements to run
  millpond doctor --data ./data                  what this machine limits, and how to change it
  millpond report --data ./data                  what it did in the last day
  millpond plan -S localhost -U sa -Q \"select …\"  how a statement runs, operator by operator
  millpond probe ./data                          what the disk under a directory can do
'millpond <COMMAND> --help' says more.";

#[derive(Subcommand)]
enum Command {
    /// Runs T-SQL: in this process, or on a server
    Sql(Box<sql::SqlArgs>),
    /// Listens for clients that speak TDS
    Serve(serve::ServeArgs),
    /// Shows what a server does, as it does it
    Top(Box<top::TopArgs>),
    /// Advises what would help a server, with the statements to run
    Advise(Box<advise::AdviseArgs>),
    /// Says what the machine limits, and how to change it
    Doctor(doctor::DoctorArgs),
    /// Reports what a server did, also after it is gone
    Report(Box<report::ReportArgs>),
    /// Shows how statements run, operator by operator
    Plan(Box<plan::PlanArgs>),
    /// Runs workloads and experiments
    #[cfg(feature = "lab")]
    Lab(millpond_lab::LabArgs),
    /// Measures a disk, or an emulated device
    #[cfg(feature = "lab")]
    Probe(probe::ProbeArgs),
    /// Writes manual pages and completions, for packages
    #[command(hide = true)]
    Generate(generate::GenerateArgs),
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let called = arguments.next().unwrap_or_default();
    let arguments = || arguments.map(|argument| argument.to_string_lossy().into_owned()).collect::<Vec<String>>();
    match Path::new(&called).file_name().and_then(|name| name.to_str()) {
        Some("sqlservr") => return sqlservr::run(&arguments()),
        Some("sqlcmd") => {
            let arguments = arguments();
            return on_large_stack(move || sql::sqlcmd::run(arguments));
        }
        _ => {}
    }
    match Cli::parse().command {
        Command::Sql(args) => on_large_stack(move || sql::run(&args)),
        Command::Serve(args) => serve::run(args),
        Command::Top(args) => top::run(&args),
        Command::Advise(args) => advise::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Plan(args) => on_large_stack(move || plan::run(&args)),
        #[cfg(feature = "lab")]
        Command::Lab(args) => lab::run(&args),
        #[cfg(feature = "lab")]
        Command::Probe(args) => probe::run(&args),
        Command::Generate(args) => generate::run(&args),
    }
}

/// Runs a command on a thread that has the stack which deep statements want.
fn on_large_stack(command: impl FnOnce() -> ExitCode + Send + 'static) -> ExitCode {
    let thread = std::thread::Builder::new().stack_size(millpond_query::STACK_BYTES).spawn(command);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => {
            eprintln!("millpond: no thread for the command: {error}");
            ExitCode::FAILURE
        }
    }
}
