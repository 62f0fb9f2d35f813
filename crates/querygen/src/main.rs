//! `querygen`: random statements against engines in memory, findings as scripts.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use millpond_querygen::campaign::Campaign;
use millpond_querygen::history::Level;
use millpond_querygen::history::play::{Dose, LONG};
use millpond_querygen::portable;
use millpond_querygen::portable::peer::{Peer, Start};
use millpond_querygen::sessions::Cases;
use millpond_querygen::sessions::crowd::Crowds;
use millpond_querygen::world::{Settings, World};

/// Random schemas and statements against engines in memory; wrong answers become small scripts.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Something else than statements by themselves.
    #[command(subcommand)]
    command: Option<Command>,
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

#[derive(Subcommand)]
enum Command {
    /// Random changes of definitions and rows by sessions that vanish, beside a model of the catalog.
    Sessions {
        /// The first seed; each is a case.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// So many cases.
        #[arg(long, default_value_t = 1000)]
        cases: u64,
        /// So many sessions, or from so many to so many: `4..16`.
        #[arg(long, default_value = "4..16")]
        sessions: String,
        /// So many acts in a case.
        #[arg(long, default_value_t = 300)]
        acts: u64,
        /// Leave findings as large as they are.
        #[arg(long)]
        raw: bool,
    },
    /// The same changes by sessions on threads of their own, that wait for each other.
    Crowd {
        /// The first seed; each is a case.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// So many cases.
        #[arg(long, default_value_t = 1000)]
        cases: u64,
        /// So many sessions, or from so many to so many: `4..16`.
        #[arg(long, default_value = "4..16")]
        sessions: String,
        /// So many transactions of each session before a restart.
        #[arg(long, default_value_t = 40)]
        transactions: u64,
        /// So many restarts in a case.
        #[arg(long, default_value_t = 3)]
        rounds: u64,
    },
    /// Statements of the subset that PostgreSQL and DuckDB share, compared with their answers.
    Portable {
        /// The first seed; each is three tables.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// So many statements.
        #[arg(long, default_value_t = 1_000_000)]
        cases: u64,
        /// So many for the same tables.
        #[arg(long, default_value_t = 40)]
        per_schema: u64,
        /// A Python that has DuckDB's module.
        #[arg(long)]
        duckdb: Option<String>,
        /// The port of a PostgreSQL on this machine, where user postgres needs no password.
        #[arg(long)]
        postgres: Option<u16>,
    },
    /// Histories of concurrent transactions at every level of isolation, through a checker for anomalies.
    Histories {
        /// The first seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// So many transactions at each level.
        #[arg(long, default_value_t = 100_000)]
        transactions: u64,
        /// So many transactions in one history.
        #[arg(long, default_value_t = LONG)]
        per_history: u64,
        /// So many sessions, or from so many to so many: `4..16`.
        #[arg(long, default_value = "4..16")]
        sessions: String,
    },
}

/// `4..16` or `4`.
fn span(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// Runs another command than the usual one.
fn other(command: &Command) -> ExitCode {
    match command {
        Command::Sessions { seed, cases, sessions, acts, raw } => {
            let Some((sessions_min, sessions_max)) = span(sessions) else {
                println!("{sessions}: not a number of sessions");
                return ExitCode::FAILURE;
            };
            let (seed, cases, acts, is_reduced) = (*seed, *cases, *acts, !raw);
            let cases = Cases { seed, cases, sessions_min, sessions_max, acts, is_reduced };
            let account = cases.run(&mut |line| println!("{line}"));
            println!("{}", account.words());
            if account.found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Command::Crowd { seed, cases, sessions, transactions, rounds } => {
            let Some((sessions_min, sessions_max)) = span(sessions) else {
                println!("{sessions}: not a number of sessions");
                return ExitCode::FAILURE;
            };
            let (seed, cases, transactions, rounds) = (*seed, *cases, *transactions, *rounds);
            let crowds = Crowds { seed, cases, sessions_min, sessions_max, transactions, rounds };
            let account = crowds.run(&mut |line| println!("{line}"));
            println!("{}", account.words());
            if account.found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Command::Portable { seed, cases, per_schema, duckdb, postgres } => {
            let started = duckdb.iter().cloned().map(Start::DuckDb).chain(postgres.map(Start::Postgres)).map(Peer::new);
            let mut peers = match started.collect::<Result<Vec<_>, _>>() {
                Ok(peers) if !peers.is_empty() => peers,
                Ok(_) => {
                    println!("--duckdb or --postgres says with whom to compare");
                    return ExitCode::FAILURE;
                }
                Err(error) => {
                    println!("a peer does not start: {error}");
                    return ExitCode::FAILURE;
                }
            };
            let cases = portable::Cases { seed: *seed, cases: *cases, per_schema: *per_schema };
            let account = cases.run(&mut peers, &mut |line| println!("{line}"));
            println!("{}", account.words());
            // A generator whose statements are mostly refused compares nothing.
            let is_good = account.found.is_empty() && account.good * 2 > account.cases;
            if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Command::Histories { seed, transactions, per_history, sessions } => {
            let Some((sessions_min, sessions_max)) = span(sessions) else {
                println!("{sessions}: not a number of sessions");
                return ExitCode::FAILURE;
            };
            let (seed, transactions, per_history) = (*seed, *transactions, *per_history);
            let dose = Dose { seed, transactions, per_history, sessions_min, sessions_max };
            let mut is_good = true;
            for level in Level::ALL {
                let account = millpond_querygen::history::play::run(level, dose);
                println!("{level:?}: {}", account.words());
                for found in account.forbidden(level) {
                    println!("{found}");
                    is_good = false;
                }
            }
            if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
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
    if let Some(command) = &arguments.command {
        return other(command);
    }
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
