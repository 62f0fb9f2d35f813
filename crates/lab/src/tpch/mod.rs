//! TPC-H's 22 queries: load, run, print the seconds of each.
//!
//! What always holds: the data are dbgen's, the queries have the validation parameters and run one after the other on one
//! connection; the database is loaded where it is not there. What is not done as the standard has it: no refresh
//! functions, no streams, no power figure, so the seconds are no TPC-H results.

mod load;
mod tables;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use millpond_tsql::batch::{split_script, substitute};
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};
use serde_json::json;

use crate::failure::{Doing, LabError};
use crate::host::{Host, ServerArgs, Starter};
use crate::link::{Answer, Link, Target};
use crate::report::{Format, ReportArgs, write_file};

const QUERIES: &str = include_str!("../../../../examples/tpch/queries.sql");

/// TPC-H.
#[derive(Args, Debug)]
pub struct TpchArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    report: ReportArgs,
    /// Database
    #[arg(long, value_name = "NAME", default_value = "tpch")]
    database: String,
    /// Scale factor: 1 is 8.7 million rows
    #[arg(long, value_name = "N", default_value_t = 0.01, value_parser = scale)]
    scale: f64,
    /// Drop the database if it is there, and load it; the default is to load it when it is not there
    #[arg(long, conflicts_with = "no_load")]
    load: bool,
    /// Never load
    #[arg(long)]
    no_load: bool,
    /// Connections that load
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    loaders: u16,
    /// These queries only
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=22))]
    queries: Vec<u32>,
    /// How often each query runs; the least time counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Write the tables into this directory, as dbgen does
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Write the answers into this directory, a file of fields between `|` for each query
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
}

fn scale(text: &str) -> Result<f64, String> {
    let scale: f64 = text.parse().map_err(|_| format!("'{text}' is no number"))?;
    if (0.001..=1000.0).contains(&scale) { Ok(scale) } else { Err("a scale from 0.001 to 1000 is wanted".into()) }
}

/// What a query came to.
struct Outcome {
    query: u32,
    /// The least of its runs.
    took: Duration,
    /// Its rows, or why there are none.
    rows: Result<usize, String>,
}

/// Runs the workload; `false` when a query failed.
pub(crate) fn run(args: &TpchArgs, starter: &dyn Starter) -> Result<bool, LabError> {
    if let Some(folder) = &args.tables {
        load::write_files(folder, args.scale)?;
    }
    let host = Host::open(&args.server, starter)?;
    let result = run_on(host.target(), &host.name(), args);
    let closed = host.close();
    result.and_then(|is_good| closed.map(|()| is_good))
}

fn run_on(target: &Target, name: &str, args: &TpchArgs) -> Result<bool, LabError> {
    let loaded = load_if_wanted(target, args)?;
    let mut link = Link::open(target, &args.database).doing("login")?;
    let mut outcomes = Vec::new();
    for (query, text) in (1..).zip(queries(args.scale)?) {
        if args.queries.is_empty() || args.queries.contains(&query) {
            outcomes.push(measure(&mut link, query, &text, args)?);
        }
    }
    publish(name, args, loaded, &outcomes)?;
    Ok(outcomes.iter().all(|outcome| outcome.rows.is_ok()))
}

/// Loads where that is wanted; how long it took.
fn load_if_wanted(target: &Target, args: &TpchArgs) -> Result<Option<Duration>, LabError> {
    let question = format!("select db_id(N'{}')", args.database.replace('\'', "''"));
    let mut link = Link::open(target, "").doing("login")?;
    let exists = link.batch(&question).doing("whether the database exists")?.scalar().is_some_and(|id| !id.is_null());
    if args.no_load || exists && !args.load {
        return Ok(None);
    }
    if exists {
        link.batch(&format!("drop database [{}]", args.database)).doing("drop database")?;
    }
    let started = Instant::now();
    load::load(target, &args.database, args.scale, args.loaders.into())?;
    Ok(Some(started.elapsed()))
}

/// The texts of the queries, in their order.
fn queries(scale: f64) -> Result<Vec<String>, LabError> {
    let fraction = format!("{:.10}", 0.0001 / scale);
    let text = substitute(QUERIES, &|name| (name == "fraction").then(|| fraction.clone()))
        .map_err(|missing| LabError::Arguments(format!("a query wants a variable: {missing:?}")))?;
    Ok(split_script(&text).into_iter().map(|batch| batch.text).collect())
}

fn measure(link: &mut Link, query: u32, text: &str, args: &TpchArgs) -> Result<Outcome, LabError> {
    let (mut took, mut rows) = (Duration::MAX, 0);
    for _ in 0..args.runs {
        let started = Instant::now();
        let answer = match link.batch(text) {
            Ok(answer) => answer,
            Err(error) if error.number().is_some() => {
                return Ok(Outcome { query, took: started.elapsed(), rows: Err(error.to_string()) });
            }
            Err(error) => return Err(error).doing(format!("query {query}")),
        };
        took = took.min(started.elapsed());
        rows = answer.tables.first().map_or(0, |table| table.rows.len());
        if let Some(folder) = &args.answers {
            write_file(folder, &format!("{query}.tbl"), &lines_of(&answer))?;
        }
    }
    Ok(Outcome { query, took, rows: Ok(rows) })
}

/// An answer as dbgen writes rows; NULL is nothing.
fn lines_of(answer: &Answer) -> String {
    let mut lines = String::new();
    let Some(table) = answer.tables.first() else { return lines };
    let text = SqlType::NVarChar { len: MaxLen::Max };
    for row in &table.rows {
        for (value, column) in row.iter().zip(&table.columns) {
            // Numbers, dates and texts all have a text.
            if let Ok(Value::Str(field)) = cast::cast(value, &column.sql_type, &text, None, CastRules::DEFAULT) {
                lines.push_str(field.trim_end());
            }
            lines.push('|');
        }
        lines.push('\n');
    }
    lines
}

fn publish(name: &str, args: &TpchArgs, loaded: Option<Duration>, outcomes: &[Outcome]) -> Result<(), LabError> {
    let total: f64 = outcomes.iter().map(|outcome| outcome.took.as_secs_f64()).sum();
    let queries: Vec<serde_json::Value> = outcomes
        .iter()
        .map(|outcome| {
            json!({
                "query": outcome.query,
                "seconds": outcome.took.as_secs_f64(),
                "rows": outcome.rows.as_ref().ok(),
                "error": outcome.rows.as_ref().err(),
            })
        })
        .collect();
    let json = json!({
        "workload": "tpch",
        "server": name,
        "scale": args.scale,
        "runs": args.runs,
        "load_seconds": loaded.map(|took| took.as_secs_f64()),
        "seconds": total,
        "queries": queries,
    });
    let json = format!("{json:#}");
    match args.report.format {
        Format::Table => print!("{}", table(name, args.scale, loaded, outcomes)),
        Format::Json => println!("{json}"),
    }
    match &args.report.out {
        Some(folder) => write_file(Path::new(folder), "result.json", &json),
        None => Ok(()),
    }
}

fn table(name: &str, scale: f64, loaded: Option<Duration>, outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{:>10}  tpch\n{:>10}  {name}\n{:>10}  {scale}", "workload", "server", "scale");
    if let Some(took) = loaded {
        let _ = writeln!(out, "{:>10}  {:.1} s", "load", took.as_secs_f64());
    }
    let _ = writeln!(out, "\n{:>5} {:>10} {:>9}", "query", "seconds", "rows");
    for outcome in outcomes {
        let rows = outcome.rows.as_ref().map_or_else(|error| error.clone(), |rows| rows.to_string());
        let _ = writeln!(out, "{:>5} {:>10.3} {rows:>9}", outcome.query, outcome.took.as_secs_f64());
    }
    let total: f64 = outcomes.iter().map(|outcome| outcome.took.as_secs_f64()).sum();
    let _ = writeln!(out, "{:>5} {total:>10.3}", "all");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_22_queries_and_the_scale_is_in_the_eleventh() {
        let texts = queries(0.01).unwrap();
        assert_eq!(texts.len(), 22);
        assert!(texts[10].contains("* 0.0100000000"));
        assert!(!texts.iter().any(|text| text.contains("$(")));
    }

    #[test]
    fn a_scale_is_a_positive_number() {
        assert_eq!(scale("0.01"), Ok(0.01));
        assert!(scale("0").is_err() && scale("-1").is_err() && scale("one").is_err() && scale("NaN").is_err());
    }
}
