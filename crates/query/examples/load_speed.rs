//! Prints what SELECT INTO costs for each row: from a table in memory into a temporary table and into one of a database,
//! on one thread and on two.
//!
//! CPU is that of the whole process. Written are the bytes that went to files of tempdb meanwhile.
//!
//! `cargo run --release -p millpond-query --example load_speed [rows]`, a million rows at most

use std::sync::Arc;
use std::time::Instant;

use millpond_query::engine::Engine;
use millpond_query::session::{Login, Session};
use millpond_query::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::{SqlType, Value};
use rustix::time::{ClockId, clock_gettime};

const RUNS: u32 = 5;
const DIGITS: u32 = 1000;

/// Shows errors, and keeps the first value of the last row.
#[derive(Default)]
struct Last {
    value: Value,
}

impl Sink for Last {
    fn columns(&mut self, _: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }
    fn row(&mut self, row: &[Value]) -> Result<(), SinkClosed> {
        self.value = row.first().cloned().unwrap_or_default();
        Ok(())
    }
    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            eprintln!("{}: {}", message.number, message.text);
        }
    }
    fn done(&mut self, _: Done) {}
    fn env_change(&mut self, _: &EnvChange) {}
    fn return_status(&mut self, _: i32) {}
    fn return_value(&mut self, _: &str, _: SqlType, _: &Value) {}
}

fn run(session: &mut Session, text: &str) -> Value {
    let mut last = Last::default();
    session.run_batch(text, &mut last);
    last.value
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn written(session: &mut Session) -> i64 {
    let sum = "SELECT SUM(num_of_bytes_written) FROM sys.dm_io_virtual_file_stats(2, NULL)";
    run(session, sum).as_i64().unwrap_or(0)
}

/// Prints the best of some runs of a statement that makes the table.
fn print(session: &mut Session, title: &str, table: &str, statement: &str, rows: u32) {
    let (mut wall, mut cpu, mut bytes) = (f64::MAX, f64::MAX, i64::MAX);
    for _ in 0..RUNS {
        let (cpu_before, written_before, start) = (cpu_seconds(), written(session), Instant::now());
        run(session, statement);
        wall = wall.min(start.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_seconds() - cpu_before);
        bytes = bytes.min(written(session) - written_before);
        run(session, &format!("DROP TABLE {table}"));
    }
    let each = |seconds: f64| seconds * 1e9 / f64::from(rows);
    println!("  {title:<34} {:>7.1} ns/row, {:>7.1} ns CPU/row, {bytes} bytes written", each(wall), each(cpu));
}

fn main() {
    let rows: u32 =
        std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000).min(DIGITS * DIGITS);
    let config = InstanceConfig {
        max_memory_bytes: Some(2 << 30),
        ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
    };
    let engine = Engine::new(TxnManager::new(Instance::open(config).expect("an instance in memory opens")));
    let mut session = engine.open_session(Login { login: "sa".into(), ..Login::default() }).expect("free sessions");
    let session = &mut session;
    run(session, "EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    run(session, "EXEC sp_configure 'cost threshold for parallelism', 0; RECONFIGURE");
    run(session, "CREATE DATABASE loads");
    run(session, "USE loads");
    run(session, "CREATE TABLE digits (i int NOT NULL PRIMARY KEY)");
    let fill = format!(
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < {DIGITS} BEGIN INSERT digits VALUES (@i); SET @i += 1 END"
    );
    run(session, &fill);
    let numbers = format!(
        "SELECT h.i * {DIGITS} + l.i AS n FROM digits h CROSS JOIN digits l WHERE h.i < {}",
        rows.div_ceil(DIGITS)
    );
    run(
        session,
        &format!(
            "SELECT n AS a, n % 1000 AS b, n * 7 % 100000 AS c, CAST(n % 10000 AS decimal(15, 2)) AS d,
                    CAST('text ' + CAST(n % 1000 AS varchar(10)) AS varchar(30)) AS e INTO #t FROM ({numbers}) x"
        ),
    );
    println!("{rows} rows of three ints, a decimal and a varchar");
    for degree in [1, 2] {
        for table in ["#into", "dbo.into_stored"] {
            let title = format!("SELECT INTO {table}, MAXDOP {degree}");
            let statement = format!("SELECT a, b, c, d, e INTO {table} FROM #t OPTION (MAXDOP {degree})");
            print(session, &title, table, &statement, rows);
        }
    }
    for degree in [1, 2] {
        let statement =
            format!("SELECT a + b AS a, b, c, d, e INTO #into FROM #t WHERE b < 900 OPTION (MAXDOP {degree})");
        print(session, &format!("with a filter and a sum, MAXDOP {degree}"), "#into", &statement, rows);
    }
}
