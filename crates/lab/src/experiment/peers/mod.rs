//! Work of the articles' kind beside PostgreSQL and DuckDB, where they are installed.
//!
//! ```text
//!   loop       S0's script as fixed work: create #t, insert rows of 8,000 bytes one by one, drop it; 1 and 10 connections
//!   copy       SELECT INTO a temporary table
//!   sort       all rows of a table that is larger than memory leaves for it
//!   tpcc       TPC-C's five transactions: the same rows, terminals, calls and chance
//! ```
//!
//! What always holds: each peer has the same memory, its files in the same directory, and commits that wait for the disk where a
//! transaction changes something durable; they run one after another, never side by side. The first run of each work is not
//! measured. A peer that is not installed is left out and said to be.

mod duckdb;
mod report;
mod work;

use std::time::{Duration, Instant};

use super::case::Repetition;
use super::{ExperimentContext, Scale, at_once};
use crate::failure::{Doing, LabError};
use crate::link::Link;
use crate::postgres::{Connection, PostgresError, PostgresServer, PostgresTarget};
use crate::tpcc::{self, Kind, Plan, TargetDatabase, TdsTarget};
use duckdb::DuckDb;

pub(super) use report::page;

/// Connections of the loop.
const CONNECTIONS: [usize; 2] = [1, 10];
/// Names of the peers.
const MILLPOND: &str = "Millpond";
const POSTGRES: &str = "PostgreSQL";
const DUCKDB: &str = "DuckDB";

/// Sizes of a run.
#[derive(Clone, Copy, Debug)]
struct Size {
    memory_mb: u64,
    /// Of the table that is copied and sorted, about 70 bytes each.
    rows: u32,
    loop_rows: u32,
    loop_tables: u32,
    warehouses: u32,
    /// What a warehouse is divided by.
    divided: u32,
    users: u32,
    ramp_up_ms: u64,
    time_ms: u64,
}

impl Size {
    fn of(scale: Scale) -> Size {
        let quick = Size {
            memory_mb: 128,
            rows: 1_000_000,
            loop_rows: 1280,
            loop_tables: 5,
            warehouses: 2,
            divided: 10,
            users: 4,
            ramp_up_ms: 1_000,
            time_ms: 5_000,
        };
        let test = Size {
            rows: 2_000,
            loop_rows: 20,
            loop_tables: 2,
            warehouses: 1,
            divided: 100,
            users: 2,
            ramp_up_ms: 10,
            time_ms: 200,
            ..quick
        };
        let full = Size {
            memory_mb: 1024,
            rows: 10_000_000,
            loop_rows: 12_800,
            loop_tables: 10,
            warehouses: 10,
            divided: 1,
            users: 8,
            ramp_up_ms: 10_000,
            time_ms: 60_000,
        };
        scale.pick(test, quick, full)
    }
}

/// What a peer needed for each work.
#[derive(Clone, Debug, Default)]
struct Measured {
    version: String,
    loop_s: [Option<f64>; 2],
    copy_s: Option<f64>,
    sort_s: Option<f64>,
    /// Written to disk by the sort.
    spilled_mb: Option<f64>,
    answer: Vec<f64>,
    new_orders_per_minute: Option<f64>,
}

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Repetition, LabError> {
    let size = Size::of(context.scale);
    context.expect(3);
    let ours = context.case(MILLPOND, || millpond(context, size))?;
    let postgres = context.case(POSTGRES, || postgres(context, size))?;
    let duckdb = context.case(DUCKDB, || Ok(duckdb::run(context.dir.path(), size)))?;
    let duckdb = duckdb.map(|found: DuckDb| Measured {
        version: format!("DuckDB {}", found.version),
        loop_s: [Some(found.loop_s), None],
        copy_s: Some(found.select_into_s),
        sort_s: Some(found.sort_s),
        answer: found.answer,
        ..Measured::default()
    });
    let peers = [(MILLPOND, Ok(ours)), (POSTGRES, postgres), (DUCKDB, duckdb)];
    check_answers(&peers)?;
    Ok(report::repetition(size, &peers))
}

type Peers = [(&'static str, Result<Measured, String>); 3];

/// All that sorted have found the same.
fn check_answers(peers: &Peers) -> Result<(), LabError> {
    let answers = peers.iter().filter_map(|(name, measured)| Some((name, &measured.as_ref().ok()?.answer)));
    let mut answers = answers.filter(|(_, answer)| !answer.is_empty());
    let Some((first, known)) = answers.next() else { return Ok(()) };
    match answers.find(|(_, answer)| *answer != known) {
        Some((name, answer)) => {
            Err(LabError::Answer(format!("the sort: {first} answered {known:?}, and {name} {answer:?}")))
        }
        None => Ok(()),
    }
}

/// Seconds of a work, the second time that it is done.
fn seconds(work: impl Fn() -> Result<(), LabError>) -> Result<f64, LabError> {
    work()?;
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed().as_secs_f64())
}

fn millpond(context: &ExperimentContext<'_>, size: Size) -> Result<Measured, LabError> {
    context.on_server("peers", &[], size.memory_mb, String::new(), |target| {
        let mut link = Link::open(target, "").doing("login")?;
        link.batch("create database facts").doing("create database")?;
        let open = || Link::open(target, "facts").doing("login");
        let run = |text: &str| open()?.batch(text).doing("the work").map(drop);
        for text in work::load_of_millpond(size) {
            run(&text)?;
        }
        let text = work::loop_of_millpond(size);
        let looped = |connections| seconds(|| at_once(connections, |_| run(&text)).map(drop));
        let loop_s = [Some(looped(CONNECTIONS[0])?), Some(looped(CONNECTIONS[1])?)];
        let copy_s = seconds(|| run(work::COPY_OF_MILLPOND))?;
        let written = |link: &mut Link| {
            let query =
                "select cast(sum(num_of_bytes_written) as float) / 1048576 from sys.dm_io_virtual_file_stats(2, null)";
            Ok::<f64, LabError>(super::row(link, query)?[0])
        };
        let before_mb = written(&mut link)?;
        let sort_s = seconds(|| run(work::SORT))?;
        // It ran twice.
        let spilled_mb = (written(&mut link)? - before_mb) / 2.0;
        let answer = super::row(&mut open()?, work::SORT)?;
        let new_orders = tpcc_on(&TdsTarget::by_name(target, "tpcc"), size)?;
        Ok(Measured {
            version: version_of(&mut link)?,
            loop_s,
            copy_s: Some(copy_s),
            sort_s: Some(sort_s),
            spilled_mb: Some(spilled_mb),
            answer,
            new_orders_per_minute: Some(new_orders),
        })
    })
}

fn version_of(link: &mut Link) -> Result<String, LabError> {
    let answer = link.batch("select cast(serverproperty('ProductVersion') as varchar(40))").doing("the version")?;
    let version = answer.scalar().and_then(|value| value.as_str().map(str::to_owned));
    Ok(format!("Millpond, as SQL Server {}", version.unwrap_or_default()))
}

/// `Ok(Err(…))` with the reason where there is no such peer.
fn postgres(context: &ExperimentContext<'_>, size: Size) -> Result<Result<Measured, String>, LabError> {
    let parent = context.parent.as_path();
    let server = match PostgresServer::start(parent, &settings_of_postgres(size)) {
        Ok(server) => server,
        Err(PostgresError::Missing(why)) => return Ok(Err(why)),
        Err(error) => return Err(LabError::Start(error.to_string())),
    };
    let measured = measure_postgres(&server.address(), size);
    let stopped = server.stop().map_err(|error| LabError::Stop(error.to_string()));
    let measured = measured?;
    stopped.map(|()| Ok(measured))
}

/// The same memory: half for shared buffers, as is usual, the other half for the one statement that sorts; durable commits.
fn settings_of_postgres(size: Size) -> Vec<String> {
    let half = size.memory_mb / 2;
    vec![
        format!("shared_buffers={half}MB"),
        format!("work_mem={half}MB"),
        "hash_mem_multiplier=1".into(),
        "temp_buffers=16MB".into(),
        "max_parallel_workers_per_gather=1".into(),
        "fsync=on".into(),
        "synchronous_commit=on".into(),
        "full_page_writes=on".into(),
        "max_wal_size=1GB".into(),
    ]
}

fn measure_postgres(address: &str, size: Size) -> Result<Measured, LabError> {
    let open = || Connection::open(address, "postgres", "postgres").doing("login");
    let run = |text: &str| open()?.query(text).doing("the work").map(drop);
    for text in work::load_of_postgres(size) {
        run(&text)?;
    }
    run("vacuum analyze rows")?;
    let text = work::loop_of_postgres(size);
    // What is in temporary tables need not outlive a crash: no commit waits for the disk, as with us.
    let looped = |_: usize| {
        let mut connection = open()?;
        connection.query("set synchronous_commit = off").doing("the option")?;
        connection.query(&text).doing("the loop").map(drop)
    };
    let all = |connections| seconds(|| at_once(connections, looped).map(drop));
    let loop_s = [Some(all(CONNECTIONS[0])?), Some(all(CONNECTIONS[1])?)];
    let copy_s = seconds(|| run(work::COPY_OF_POSTGRES))?;
    let sort_s = seconds(|| run(work::SORT))?;
    let mut connection = open()?;
    let sorted = connection.query(work::SORT).doing("the sort")?;
    let row = sorted.tables.first().and_then(|table| table.rows.first());
    let answer: Option<Vec<f64>> = row.map(|row| row.iter().filter_map(number).collect());
    let plan =
        connection.query(&format!("explain (analyze, timing off, summary off) {}", work::SORT)).doing("the plan")?;
    let lines = plan.tables.first().map_or(&[][..], |table| &table.rows[..]);
    let spilled_mb = lines.iter().filter_map(|row| disk_mb(row.first()?.as_str()?)).sum();
    let version = connection.query("show server_version").doing("the version")?;
    let version = version.scalar().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
    drop(connection);
    let target = PostgresTarget { server: address, user: "postgres", database: "tpcc" };
    Ok(Measured {
        version: format!("PostgreSQL {version}"),
        loop_s,
        copy_s: Some(copy_s),
        sort_s: Some(sort_s),
        spilled_mb: Some(spilled_mb),
        answer: answer.unwrap_or_default(),
        new_orders_per_minute: Some(tpcc_on(&target, size)?),
    })
}

/// A number that PostgreSQL sent.
fn number(value: &millpond_types::Value) -> Option<f64> {
    value.as_i64().map(|whole| whole as f64).or_else(|| value.as_f64())
}

/// What a line of a plan says of a sort's disk: `Sort Method: external merge  Disk: 73456kB`.
fn disk_mb(line: &str) -> Option<f64> {
    let kb = line.split_once("Disk: ")?.1.split_once("kB")?.0;
    kb.parse::<f64>().ok().map(|kb| kb / 1024.0)
}

/// Loads TPC-C and runs its terminals; new orders a minute.
fn tpcc_on(target: &impl TargetDatabase, size: Size) -> Result<f64, LabError> {
    let scale = if size.divided == 1 { tpcc::Scale::STANDARD } else { tpcc::Scale::fraction(size.divided) };
    tpcc::load(target, size.warehouses, scale)?;
    let (ramp_up, time) = (Duration::from_millis(size.ramp_up_ms), Duration::from_millis(size.time_ms));
    let (count, took) = tpcc::conduct(target, &Plan::of(size.users, scale), |window| window.pass(ramp_up, time))?;
    if let Some((_, text)) = count.failures.each().next() {
        return Err(LabError::Answer(format!("a transaction failed: {text}")));
    }
    Ok(count.tallies[Kind::NewOrder as usize].done as f64 * 60.0 / took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_answer(answer: &[f64]) -> Result<Measured, String> {
        Ok(Measured { answer: answer.to_vec(), ..Measured::default() })
    }

    #[test]
    fn peers_that_answer_otherwise_are_an_error() {
        let peers = |other: Result<Measured, String>| {
            [(MILLPOND, with_answer(&[10.0, 7.0])), (POSTGRES, other), (DUCKDB, Err("missing".into()))]
        };
        assert!(check_answers(&peers(with_answer(&[10.0, 7.0]))).is_ok());
        assert!(check_answers(&peers(Err("missing".into()))).is_ok());
        let error = check_answers(&peers(with_answer(&[10.0, 8.0]))).unwrap_err().to_string();
        assert_eq!(error, "the sort: Millpond answered [10.0, 7.0], and PostgreSQL [10.0, 8.0]");
    }

    #[test]
    fn what_a_sort_spilled_is_in_its_plan() {
        assert_eq!(disk_mb("   Sort Method: external merge  Disk: 2048kB"), Some(2.0));
        assert_eq!(disk_mb("   Sort Method: quicksort  Memory: 25kB"), None);
    }
}
