//! Results for people and for programs: the same figures as a table or as JSON.
//!
//! What always holds: times are milliseconds, measured by the client from the first try to the whole answer.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::failure::LabError;
use crate::measure::{Failures, Tally};

/// How results are printed.
#[derive(Args, Clone, Debug, Default)]
pub struct ReportArgs {
    /// Results as
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// Also write result.json and other files of results into this directory; of experiments a page with pictures
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Form of the results on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Lines for people.
    #[default]
    Table,
    /// One JSON object.
    Json,
}

/// What a run came to.
pub(crate) struct Report {
    /// Of the workload, and of its scale.
    pub(crate) facts: Vec<(&'static str, Value)>,
    /// How long was measured.
    pub(crate) measured: Duration,
    /// Kinds of work in the order of the report.
    pub(crate) kinds: Vec<(&'static str, Tally)>,
    /// What failed.
    pub(crate) failures: Failures,
}

const PERCENTILES: [(&str, f64); 4] = [("p50", 0.50), ("p90", 0.90), ("p95", 0.95), ("p99", 0.99)];

impl Report {
    /// A figure or a fact more.
    pub(crate) fn fact(&mut self, name: &'static str, value: impl Into<Value>) {
        self.facts.push((name, value.into()));
    }

    /// Whether everything was done that was tried.
    pub(crate) fn is_clean(&self) -> bool {
        self.failures.is_empty() && self.kinds.iter().all(|(_, tally)| tally.failed == 0)
    }

    /// That many a minute.
    pub(crate) fn per_minute(&self, count: u64) -> f64 {
        count as f64 * 60.0 / self.measured.as_secs_f64()
    }

    /// Prints it, and writes it to the directory that was asked for.
    pub(crate) fn publish(&self, args: &ReportArgs) -> Result<(), LabError> {
        let json = format!("{:#}", self.to_json());
        match args.format {
            Format::Table => print!("{}", self.to_table()),
            Format::Json => println!("{json}"),
        }
        if let Some(folder) = &args.out {
            write_file(folder, "result.json", &json)?;
        }
        Ok(())
    }

    fn to_table(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.facts {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = writeln!(out, "{name:>22}  {value}");
        }
        let _ = write!(out, "\n{:12} {:>9} {:>8} {:>8} {:>7}", "", "done", "rolled", "retries", "failed");
        let _ = write!(out, " {:>8}", "mean ms");
        for (name, _) in PERCENTILES {
            let _ = write!(out, " {name:>8}");
        }
        let _ = writeln!(out, " {:>8}", "max");
        for (name, tally) in &self.kinds {
            let Tally { done, rolled_back, retries, failed, latency } = tally;
            let _ = write!(out, "{name:12} {done:>9} {rolled_back:>8} {retries:>8} {failed:>7}");
            let _ = write!(out, " {:>8.2}", latency.mean() / 1000.0);
            for (_, quantile) in PERCENTILES {
                let _ = write!(out, " {:>8.2}", milliseconds(latency.value_at_quantile(quantile)));
            }
            let _ = writeln!(out, " {:>8.2}", milliseconds(latency.max()));
        }
        for (count, text) in self.failures.each() {
            let _ = writeln!(out, "failed {count} times: {text}");
        }
        out
    }

    fn to_json(&self) -> Value {
        let mut all: Map<String, Value> =
            self.facts.iter().map(|(name, value)| (name.replace(' ', "_"), value.clone())).collect();
        all.insert("measured_s".into(), json!(self.measured.as_secs_f64()));
        all.insert("kinds".into(), self.kinds.iter().map(|(name, tally)| kind(name, tally)).collect());
        let failures = self.failures.each().map(|(count, text)| json!({ "count": count, "first": text }));
        all.insert("failures".into(), failures.collect());
        Value::Object(all)
    }
}

fn kind(name: &str, tally: &Tally) -> Value {
    let Tally { done, rolled_back, retries, failed, latency } = tally;
    let mut kind = json!({
        "name": name, "done": done, "rolled_back": rolled_back, "retries": retries, "failed": failed,
        "mean_ms": latency.mean() / 1000.0, "max_ms": milliseconds(latency.max()),
    });
    for (name, quantile) in PERCENTILES {
        kind[format!("{name}_ms")] = json!(milliseconds(latency.value_at_quantile(quantile)));
    }
    kind
}

fn milliseconds(us: u64) -> f64 {
    us as f64 / 1000.0
}

/// Writes a file of results, making its directory.
pub(crate) fn write_file(folder: &Path, name: &str, text: &str) -> Result<(), LabError> {
    let path = folder.join(name);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
    written.map_err(|source| LabError::Output { path: path.display().to_string(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut tally = Tally::new();
        tally.count(Duration::from_micros(1500));
        tally.count(Duration::from_micros(2500));
        let kinds = vec![("payment", tally)];
        let facts = vec![("workload", json!("tpcc")), ("warehouses", json!(4))];
        Report { facts, measured: Duration::from_secs(30), kinds, failures: Failures::default() }
    }

    #[test]
    fn the_table_names_facts_and_kinds() {
        let table = report().to_table();
        assert!(table.contains("workload  tpcc\n"), "{table}");
        let line = table.lines().find(|line| line.starts_with("payment")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..6], ["payment", "2", "0", "0", "0", "2.00"]);
    }

    #[test]
    fn json_carries_the_same() {
        let json = report().to_json();
        assert_eq!(json["warehouses"], 4);
        assert_eq!(json["kinds"][0]["done"], 2);
        let mean_ms = json["kinds"][0]["mean_ms"].as_f64().unwrap();
        assert!((1.99..2.01).contains(&mean_ms), "{mean_ms}");
        assert!((report().per_minute(2) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_failure_makes_it_unclean() {
        let mut report = report();
        assert!(report.is_clean());
        report.failures.note(&crate::link::LinkError::Connect(std::io::Error::other("gone")));
        assert!(!report.is_clean());
        assert!(report.to_table().contains("failed 1 times: cannot connect: gone"));
    }
}
