//! `millpond report`: what a server did, of the history in its data directory or by its views, as one page.
//!
//! What a report shows is `millpond_report`'s; here are options and the connection.

mod views;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use millpond_report::text::When;
use millpond_report::{Report, formats, html, ring};

use crate::deliver::deliver;
use crate::server_args::ServerArgs;

/// Where a page goes that has no other name.
const PAGE_NAME: &str = "millpond-report.html";

const EXAMPLES: &str = "\
Examples:
  millpond report --data ./data                              the last day, as millpond-report.html
  millpond report --data ./data --from -2h                   the last two hours that are recorded
  millpond report -S localhost -U sa --from 2026-01-31T09:00 --to 2026-01-31T10:30 --output incident.html
  millpond report --data ./data --format csv --table waits

Times are UTC; -90s, -15m, -2h and -1d are before the end of what is recorded. The history of a folder is read whether its
server runs, is stopped, or has crashed. Exit codes: 0; 1 when there is no report; 2 for wrong options.";

/// Reports what a server did
///
/// Reports what a server did, of the history that it records: what changed, what was unusual, statements, waits and files.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// Data directory whose history is read, with or without its server
    #[arg(long, value_name = "DIR", conflicts_with = "server", required_unless_present = "server")]
    data: Option<PathBuf>,
    #[command(flatten)]
    connection: ServerArgs,
    /// Begin [default: a day before the end]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = When::parse)]
    from: Option<When>,
    /// End [default: the end of what is recorded]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = When::parse)]
    to: Option<When>,
    /// Seconds of an interval [default: what suits]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    step: Option<u64>,
    /// Where it goes; - is stdout [default: millpond-report.html, and stdout for json and csv]
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Html)]
    format: Format,
    /// Which part, for csv
    #[arg(long, value_name = "NAME", default_value = formats::TABLES[0], value_parser = formats::TABLES)]
    table: String,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One page, for eyes
    Html,
    /// All of it as one object
    Json,
    /// One table, with names in the first line
    Csv,
}

/// Runs the command.
pub fn run(args: &ReportArgs) -> ExitCode {
    match report(args).and_then(|report| write(args, &report)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("millpond: {why}");
            ExitCode::FAILURE
        }
    }
}

fn report(args: &ReportArgs) -> Result<Report, String> {
    let (from, to, step_s) = (args.from, args.to, args.step);
    match &args.data {
        Some(dir) => ring::read(dir, from, to, step_s).map_err(|error| error.to_string()),
        None => views::read(&args.connection.login()?, from, to, step_s),
    }
}

fn write(args: &ReportArgs, report: &Report) -> Result<(), String> {
    let text = match args.format {
        Format::Html => html::html(report),
        Format::Json => formats::json(report),
        Format::Csv => formats::csv(report, &args.table).ok_or("there is no such table")?,
    };
    let name = (args.format == Format::Html).then_some(PAGE_NAME);
    deliver(&text, args.output.as_deref(), name)
}
