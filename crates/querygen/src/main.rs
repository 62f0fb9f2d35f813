//! `querygen`: random statements against engines in memory, findings as scripts.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use millpond_querygen::campaign::Campaign;
use millpond_querygen::world::{Settings, World};

/// Random schemas and statements against engines in memory; wrong answers become small scripts.
#[derive(Parser)]
struct Arguments {
    /// The first seed; each seed is a schema.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// So many cases.
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// So many cases for each schema.
    #[arg(long, default_value_t = 60)]
    per_schema: u64,
    /// Begin no schema after so many seconds.
    #[arg(long)]
    time_s: Option<u64>,
    /// Folder for scripts of findings.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Leave findings as large as they are.
    #[arg(long)]
    raw: bool,
    /// Write so many findings of a kind.
    #[arg(long, default_value_t = 2)]
    each: u64,
    /// Only the case of this number, of the first seed.
    #[arg(long)]
    only: Option<u64>,
    /// Count findings whose class contains this text, and do no more with them; may be said often.
    #[arg(long)]
    known: Vec<String>,
    /// Run this script batch by batch in a new engine, and do nothing else.
    #[arg(long)]
    replay: Option<PathBuf>,
}

/// What a new engine says to the batches of a script, by lines `go`.
fn replay(script: &str) {
    let mut world = World::new(Settings::Usual);
    let mut batch = String::new();
    for line in script.lines().filter(|line| !line.starts_with("--> ")).chain(["go"]) {
        if !line.trim().eq_ignore_ascii_case("go") {
            batch.push_str(line);
            batch.push('\n');
            continue;
        }
        if !batch.trim().is_empty() {
            println!("{batch}go\n--> {}", world.run(&batch).words());
        }
        batch.clear();
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(path) = &arguments.replay {
        match std::fs::read_to_string(path) {
            Ok(script) => replay(&script),
            Err(error) => {
                println!("{}: {error}", path.display());
                return ExitCode::FAILURE;
            }
        }
        return ExitCode::SUCCESS;
    }
    let campaign = Campaign {
        seed: arguments.seed,
        cases: arguments.cases,
        per_schema: arguments.per_schema,
        time: arguments.time_s.map(Duration::from_secs),
        folder: arguments.out,
        is_reduced: !arguments.raw,
        each: arguments.each,
        only: arguments.only,
        known: arguments.known,
    };
    let account = campaign.run(&mut |line| println!("{line}"));
    println!("{}", account.words());
    if account.found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
