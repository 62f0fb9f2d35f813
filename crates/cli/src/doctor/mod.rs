//! `millpond doctor`: what the machine limits, why it matters, and the command that changes it.
//!
//! ```text
//!  ok    io_uring            available
//!  warn  open files          1024 (at most 4096)
//!        each client and each file of a database takes one: more clients than that are refused
//!        ulimit -n 1048576   (systemd: LimitNOFILE=1048576; Docker: --ulimit nofile=1048576)
//! ```
//! What always holds: nothing is changed but a file in the data folder, which is made for the measurement and removed; what cannot be
//! read on this machine is no finding. Exit code 1 when something fails, and only then.

mod checks;
mod disk;
mod finding;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use finding::{Finding, Level};

const AFTER_HELP: &str = "\
Examples:
  millpond doctor
  millpond doctor --data /var/lib/millpond --quick
  millpond doctor --format json

Exit codes: 0; 1 when something fails: then a server does not start, or does not go on.";

/// Says what the machine limits, and how to change it
///
/// Looks at limits of the process, memory, processors, clock, and at the disk under the data folder, which is measured.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct DoctorArgs {
    /// Directory of the databases, or where it is going to be
    #[arg(long, value_name = "DIR", default_value = ".")]
    data: PathBuf,
    /// Measures the disk for a fifth of a second instead of two
    #[arg(long)]
    quick: bool,
    /// How the findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// An array of objects
    Json,
}

/// Runs the command.
pub fn run(args: &DoctorArgs) -> ExitCode {
    let mut findings = checks::machine();
    findings.extend(disk::findings(&args.data, args.quick));
    let text = match args.format {
        Format::Text => finding::text(&findings),
        Format::Json => finding::json(&findings),
    };
    // Who has read enough of it closes the pipe.
    let _ = std::io::stdout().write_all(text.as_bytes());
    let fails = |finding: &Finding| finding.level == Level::Fail;
    if findings.iter().any(fails) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
