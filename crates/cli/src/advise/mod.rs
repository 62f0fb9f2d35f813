//! `millpond advise`: what would help a server, with the statements to run.
//!
//! What always holds: nothing is changed, and no statement of an advice is run. A Millpond is asked for its own advice
//! (`sp_tempdb_advice`); of any other SQL Server the facts are asked for by documented views, and the rules are applied here.

mod probed;
mod show;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use millpond_advice::collect::collect;
use millpond_advice::facts::Facts;
use millpond_advice::source::{Cell, Cells, Question, Source, SourceError};
use millpond_advice::{Advice, Topic, advise};
use millpond_top::source::Source as _;

use crate::deliver::deliver;
use crate::server_args::ServerArgs;
use crate::sql::Target;
use crate::top::Session;
use probed::Probed;
use show::Shown;

const EXAMPLES: &str = "\
Examples:
  millpond advise -S localhost -U sa
  millpond advise -S db.example,1433 -U sa -C --topic memory
  millpond advise -S localhost -U sa --format json

Any SQL Server will do: it asks documented views alone. It takes VIEW SERVER STATE. Nothing is run: statements are for
people to read. Exit codes: 0; 1 when the server does not answer or refuses; 2 for wrong options.";

/// Advises what would help a server
///
/// Advises what would help a server: tempdb's files, growth, memory and its extension, logs, indexes, devices, grants. Each
/// advice has what it is based on, what is expected of it in figures, and the statement to run.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct AdviseArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Only of this topic
    #[arg(long, value_name = "TOPIC", value_parser = topic)]
    topic: Option<Topic>,
    /// A folder of the server whose device `millpond probe FOLDER --out FILE.toml` has measured; may be given several times
    #[arg(long, value_name = "FOLDER=FILE.toml", value_parser = Probed::parse)]
    probed: Vec<Probed>,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// How advice is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A paragraph each, for eyes
    Table,
    /// An array of objects
    Json,
    /// A line each, with names in the first
    Csv,
}

fn topic(name: &str) -> Result<Topic, String> {
    Topic::of(name).ok_or_else(|| format!("one of: {}", Topic::ALL.map(Topic::name).join(", ")))
}

/// Runs the command.
pub fn run(args: &AdviseArgs) -> ExitCode {
    match advice(args).and_then(|all| print(args, &all)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("millpond: {}", millpond_top::harmless::harmless(&why));
            ExitCode::FAILURE
        }
    }
}

fn print(args: &AdviseArgs, all: &[Shown]) -> Result<(), String> {
    let text = match args.format {
        Format::Table if io::stdout().is_terminal() => show::table(all, crate::sql::terminal_width()),
        Format::Table => show::table(all, 120),
        Format::Json => show::json(all),
        Format::Csv => show::csv(all),
    };
    deliver(&text, None, None)
}

fn advice(args: &AdviseArgs) -> Result<Vec<Shown>, String> {
    let target = args.server.login()?.connect().map_err(|error| error.to_string())?;
    let mut session = Session::new(target);
    // A procedure of this name on another server is not ours, a system view of this name is.
    let own = "select name from sys.all_views where name = N'dm_millpond_cache_curve' and is_ms_shipped = 1";
    let is_millpond = session.run(own).map_err(|error| error.to_string())?.iter().any(|rows| !rows.rows.is_empty());
    // What was measured here, the server does not know.
    if is_millpond && args.probed.is_empty() {
        return advice_of(&mut session, args.topic);
    }
    let mut facts = collect(&mut Views(session))?;
    refused(&facts)?;
    args.probed.iter().for_each(|probed| probed.add_to(&mut facts));
    Ok(advise(&facts, args.topic).iter().map(shown).collect())
}

/// The advice of a Millpond.
fn advice_of<T: Target>(session: &mut Session<T>, topic: Option<Topic>) -> Result<Vec<Shown>, String> {
    let topic = topic.map_or(String::new(), |topic| format!(" @topic = N'{}'", topic.name()));
    let results = session.run(&format!("exec sys.sp_tempdb_advice{topic}")).map_err(|error| error.to_string())?;
    let rows = results.into_iter().next().unwrap_or_default();
    Ok(rows
        .iter()
        .map(|row| {
            show::COLUMNS.map(|name| match row.cell(name) {
                Cell::Text(text) => Some(text.clone()),
                _ => None,
            })
        })
        .collect())
}

fn shown(advice: &Advice) -> Shown {
    [
        Some(advice.topic.name().to_owned()),
        Some(advice.severity.name().to_owned()),
        Some(advice.finding.clone()),
        Some(advice.evidence.clone()),
        advice.effect.clone(),
        advice.statement.clone(),
    ]
}

/// That the login may not even see what the server is; what else is refused stands in the advice.
fn refused(facts: &Facts) -> Result<(), String> {
    let first = facts.refused.iter().find(|refused| refused.view == "dm_os_sys_info");
    first.map_or(Ok(()), |refused| Err(format!("Msg {}: {}", refused.number, refused.text)))
}

/// A server's views, by the texts of questions.
struct Views<T>(Session<T>);

impl<T: Target> Source for Views<T> {
    fn rows(&mut self, question: &Question) -> Result<Cells, SourceError> {
        Ok(self.0.run(&question.text())?.into_iter().next().unwrap_or_default().rows)
    }
}
