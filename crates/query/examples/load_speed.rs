//! Prints what SELECT INTO costs for each row: from a table in memory into a temporary table and into one of a database,
//! on one thread and on two; and INSERT … SELECT into a heap of a database that has rows, with TABLOCK and without.
//!
//! CPU is that of the whole process. Written are the bytes that went to files of tempdb meanwhile, or to the database's log.
//!
//! `cargo run --release -p millpond-query --example load_speed [rows]`, a million rows at most

mod rig;

use std::time::Instant;

use millpond_query::session::Session;

use rig::{cpu_seconds, make_wide, run};

const RUNS: u32 = 5;

/// Files whose writes are counted: database, and file or NULL.
const TEMPDB: &str = "2, NULL";
const LOG: &str = "DB_ID('loads'), 2";

fn written(session: &mut Session, files: &str) -> i64 {
    let sum = format!("SELECT SUM(num_of_bytes_written) FROM sys.dm_io_virtual_file_stats({files})");
    run(session, &sum).value.as_i64().unwrap_or(0)
}

/// Prints the best of some runs of a statement; `after` runs after each of them.
fn print(session: &mut Session, title: &str, statement: &str, after: &str, files: &str, rows: u32) {
    let (mut wall, mut cpu, mut bytes) = (f64::MAX, f64::MAX, i64::MAX);
    for _ in 0..RUNS {
        let (cpu_before, written_before, start) = (cpu_seconds(), written(session, files), Instant::now());
        run(session, statement);
        wall = wall.min(start.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_seconds() - cpu_before);
        bytes = bytes.min(written(session, files) - written_before);
        run(session, after);
    }
    let each = |seconds: f64| seconds * 1e9 / f64::from(rows);
    println!("  {title:<46} {:>7.1} ns/row, {:>7.1} ns CPU/row, {bytes} bytes written", each(wall), each(cpu));
}

/// A heap that has rows gets more of them, run by run.
fn print_behind(session: &mut Session, rows: u32) {
    for degree in [1, 2] {
        for hint in ["", "WITH (TABLOCK)"] {
            run(session, "SELECT TOP (1000) a, b, c, d, e INTO dbo.behind FROM #t");
            let title = format!("INSERT dbo.behind {hint}, MAXDOP {degree}");
            let statement = format!("INSERT dbo.behind {hint} SELECT a, b, c, d, e FROM #t OPTION (MAXDOP {degree})");
            print(session, &title, &statement, "CHECKPOINT", LOG, rows);
            run(session, "DROP TABLE dbo.behind");
        }
    }
}

fn main() {
    let rows = rig::wanted_rows();
    let session = &mut rig::session(&rig::engine(2 << 30));
    run(session, "CREATE DATABASE loads");
    run(session, "USE loads");
    make_wide(session, "digits", rows);
    println!("{rows} rows of three ints, a decimal and a varchar");
    for degree in [1, 2] {
        for table in ["#into", "dbo.into_stored"] {
            let title = format!("SELECT INTO {table}, MAXDOP {degree}");
            let statement = format!("SELECT a, b, c, d, e INTO {table} FROM #t OPTION (MAXDOP {degree})");
            print(session, &title, &statement, &format!("DROP TABLE {table}"), TEMPDB, rows);
        }
    }
    for degree in [1, 2] {
        let statement =
            format!("SELECT a + b AS a, b, c, d, e INTO #into FROM #t WHERE b < 900 OPTION (MAXDOP {degree})");
        let title = format!("with a filter and a sum, MAXDOP {degree}");
        print(session, &title, &statement, "DROP TABLE #into", TEMPDB, rows);
    }
    print_behind(session, rows);
}
