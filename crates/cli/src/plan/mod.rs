//! `millpond plan`: how statements run, or would run, as a tree in the terminal or as a page of HTML that stands alone.
//!
//! ```text
//!   statements ── SET STATISTICS XML, or SHOWPLAN_XML ──▶ a server, or the engine in this process ──┐
//!   FILE.sqlplan ───────────────────────────────────────────────────────────────────────────────────┴▶ Plan ──▶ text, html, json, xml
//! ```
//! What always holds: rows that a statement gives are dropped as they come; a page is there whole or not at all. How a plan is
//! read and drawn is `millpond_page`'s, so plans of SQL Server are shown as well as those of Millpond.

mod run;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use millpond_page::{plan_page, plan_tree};

use crate::deliver::deliver;
use crate::server_args::ServerArgs;
use crate::sql::{Embedded, Target, read_text};

/// Where a page goes that has no other name.
const PAGE_NAME: &str = "millpond-plan.html";

const EXAMPLES: &str = "\
Examples:
  millpond plan -S localhost -U sa -d shop -Q \"select count(*) from orders\"
  millpond plan -S localhost -U sa -d shop -i report.sql --html -o report.html
  millpond plan -S localhost -U sa -Q \"delete from orders\" --estimated      nothing runs
  millpond plan --data ./data -d shop -Q \"select …\" --html                  the engine in this process
  millpond plan slow.sqlplan --html                                          a plan that was saved, also by SQL Server

Statements RUN unless --estimated is given, changes included: put them between BEGIN TRAN and ROLLBACK to try them.
Time is that of an operator without those below it. Exit codes: 0; 1 when there is no plan; 2 for wrong options.";

/// Shows how statements run
///
/// Runs statements and shows their plans with rows, time, memory and spills of each operator, the longest one marked.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct PlanArgs {
    /// A plan that was saved as XML
    #[arg(value_name = "FILE.sqlplan", conflicts_with_all = ["query", "input", "server", "data", "estimated"])]
    file: Option<PathBuf>,
    /// Statements
    #[arg(short = 'Q', value_name = "TEXT", allow_hyphen_values = true, required_unless_present_any = ["file", "input"])]
    query: Option<String>,
    /// A script of them, with GO
    #[arg(short = 'i', value_name = "FILE", conflicts_with = "query")]
    input: Option<PathBuf>,
    /// Shows how they would run, and runs nothing
    #[arg(long)]
    estimated: bool,
    /// Directory of the databases of the engine in this process [default: in memory]
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    data: Option<PathBuf>,
    #[command(flatten)]
    connection: ServerArgs,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as --format html
    #[arg(long, conflicts_with = "format")]
    html: bool,
    /// Where it goes; - is stdout [default: millpond-plan.html, and stdout for the others]
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How a plan is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A tree, for a terminal
    Text,
    /// One page, for a browser
    Html,
    /// Operators as objects
    Json,
    /// As the server gives it, for other tools: one document after the other
    Xml,
}

/// Runs the command.
pub fn run(args: &PlanArgs) -> ExitCode {
    match shown(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("millpond: {why}");
            ExitCode::FAILURE
        }
    }
}

fn shown(args: &PlanArgs) -> Result<(), String> {
    let run::Plans { documents, error } = match &args.file {
        Some(path) => run::Plans { documents: vec![read_text(path)?], error: None },
        None => run::plans(target(args)?.as_mut(), &script(args)?, args.estimated)?,
    };
    let format = if args.html { Format::Html } else { args.format };
    let text = match format {
        Format::Xml => documents.join("\n"),
        Format::Text => tree::text(&read(&documents)?),
        Format::Html => plan_page::html(&read(&documents)?, &heading(args)),
        Format::Json => serde_json::to_string_pretty(&read(&documents)?).map_err(|error| error.to_string())?,
    };
    let name = (format == Format::Html).then_some(PAGE_NAME);
    deliver(&format!("{}\n", text.trim_end()), args.output.as_deref(), name)?;
    error.map_or(Ok(()), Err)
}

/// The statements of all documents.
fn read(documents: &[String]) -> Result<plan_tree::Plan, String> {
    let mut all = plan_tree::Plan::default();
    for document in documents {
        all.statements.extend(plan_tree::parse(document).map_err(|error| error.to_string())?.statements);
    }
    Ok(all)
}

fn script(args: &PlanArgs) -> Result<String, String> {
    match (&args.query, &args.input) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(path)) => read_text(path),
        (None, None) => Err("there is no statement".into()),
    }
}

fn target(args: &PlanArgs) -> Result<Box<dyn Target>, String> {
    if args.connection.server().is_none() {
        let target = Embedded::open(args.data.as_deref(), args.connection.database());
        return target.map(|target| Box::new(target) as _).map_err(|error| error.to_string());
    }
    let target = args.connection.login()?.connect();
    target.map(|target| Box::new(target) as _).map_err(|error| error.to_string())
}

/// What a page is called.
fn heading(args: &PlanArgs) -> String {
    let of = match (&args.file, args.connection.server()) {
        (Some(path), _) => path.display().to_string(),
        (None, Some(server)) => server.to_owned(),
        (None, None) => "the engine in this process".to_owned(),
    };
    let database = args.connection.database().map_or_else(String::new, |name| format!(", {name}"));
    let what = if args.estimated { "Expected plan" } else { "Plan" };
    format!("{what}: {of}{database}")
}
