//! Prints what queries over a table in memory take on one thread and on two, and the CPU time that they use.
//!
//! `cargo run --release -p millpond-query --example parallel_speed [rows]`, a million rows at most

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

const QUERIES: [(&str, &str); 6] = [
    ("sums", "SELECT COUNT(*), SUM(b), AVG(d), MAX(e) FROM #t"),
    ("filter, sum of a product", "SELECT SUM(d * b) FROM #t WHERE b < 500 AND c > 1000"),
    ("1,000 groups", "SELECT COUNT(*) FROM (SELECT b, SUM(a) AS s FROM #t GROUP BY b) x"),
    ("as many groups as rows", "SELECT COUNT(*) FROM (SELECT a, SUM(d) AS s FROM #t GROUP BY a) x"),
    ("join of the table with itself", "SELECT COUNT(*), SUM(x.b) FROM #t x JOIN #t y ON y.a = x.c"),
    ("sort", "SELECT COUNT(*) FROM (SELECT TOP (1000000000) a FROM #t ORDER BY e, c) x"),
];

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

/// The least wall and CPU seconds of some runs.
fn measure(session: &mut Session, query: &str) -> (f64, f64) {
    let (mut wall, mut cpu) = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        let (before, start) = (cpu_seconds(), Instant::now());
        run(session, query);
        wall = wall.min(start.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_seconds() - before);
    }
    (wall, cpu)
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
    run(session, "CREATE TABLE #digits (i int NOT NULL PRIMARY KEY)");
    let fill = format!(
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < {DIGITS} BEGIN INSERT #digits VALUES (@i); SET @i += 1 END"
    );
    run(session, &fill);
    let numbers = format!(
        "SELECT h.i * {DIGITS} + l.i AS n FROM #digits h CROSS JOIN #digits l WHERE h.i < {}",
        rows.div_ceil(DIGITS)
    );
    run(
        session,
        &format!(
            "SELECT n AS a, n % 1000 AS b, n * 7 % 100000 AS c, CAST(n % 10000 AS decimal(15, 2)) AS d,
                    CAST('text ' + CAST(n % 1000 AS varchar(10)) AS varchar(30)) AS e INTO #t FROM ({numbers}) x"
        ),
    );
    println!("{rows} rows; ms on one thread and on two, CPU in parentheses");
    for (name, query) in QUERIES {
        let [one, two] = [1, 2].map(|degree| measure(session, &format!("{query} OPTION (MAXDOP {degree})")));
        println!(
            "  {name:<32} {:>7.1} ({:>7.1})  {:>7.1} ({:>7.1})  {:.2} times as fast",
            one.0 * 1e3,
            one.1 * 1e3,
            two.0 * 1e3,
            two.1 * 1e3,
            one.0 / two.0
        );
    }
}
