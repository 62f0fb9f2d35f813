//! What the examples that measure share: an engine in memory, a session, what a batch told, the time of the processor.
#![allow(dead_code, reason = "each example is a program of its own, and takes what it needs")]

use std::sync::Arc;

use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::{SqlType, Value};
use rustix::time::{ClockId, clock_gettime};

/// Rows of the table of digits, from which others are made.
pub const DIGITS: u32 = 1000;

/// What a batch told; errors are shown.
#[derive(Default)]
pub struct Told {
    /// The first value of the last row.
    pub value: Value,
    /// Logical reads that SET STATISTICS IO named.
    pub pages: u64,
}

impl Sink for Told {
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
        if let Some((_, rest)) = message.text.split_once("logical reads ") {
            self.pages += rest.split(',').next().and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    fn done(&mut self, _: Done) {}
    fn env_change(&mut self, _: &EnvChange) {}
    fn return_status(&mut self, _: i32) {}
    fn return_value(&mut self, _: &str, _: SqlType, _: &Value) {}
}

/// An engine in memory.
pub fn engine(memory_bytes: u64) -> Arc<Engine> {
    let config = InstanceConfig {
        max_memory_bytes: Some(memory_bytes),
        ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
    };
    millpond_procedures::registry::new_engine(TxnManager::new(
        Instance::open(config).expect("an instance in memory opens"),
    ))
}

/// A session of it.
pub fn session(engine: &Arc<Engine>) -> Session {
    Session::open(engine, Login { login: "sa".into(), ..Login::default() }).expect("free sessions")
}

/// Runs a batch.
pub fn run(session: &mut Session, text: &str) -> Told {
    let mut told = Told::default();
    session.run_batch(text, &mut told);
    told
}

/// CPU time of the process.
pub fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Rows that the command line asks for: a million at most, and where it says nothing.
pub fn wanted_rows() -> u32 {
    std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(DIGITS * DIGITS).min(DIGITS * DIGITS)
}

/// Makes the table of digits.
pub fn make_digits(session: &mut Session, table: &str) {
    run(session, &format!("CREATE TABLE {table} (i int NOT NULL PRIMARY KEY)"));
    run(
        session,
        &format!(
            "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < {DIGITS} BEGIN INSERT {table} VALUES (@i); SET @i += 1 END"
        ),
    );
}

/// A query of so many numbers `n` and a few more, over the table of digits.
pub fn numbers(digits: &str, rows: u32) -> String {
    let high = rows.div_ceil(DIGITS);
    format!("SELECT h.i * {DIGITS} + l.i AS n FROM {digits} h CROSS JOIN {digits} l WHERE h.i < {high}")
}

/// Makes `#t`: three ints, a decimal and a varchar; every plan may have several threads.
pub fn make_wide(session: &mut Session, digits: &str, rows: u32) {
    run(session, "EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    run(session, "EXEC sp_configure 'cost threshold for parallelism', 0; RECONFIGURE");
    make_digits(session, digits);
    let numbers = numbers(digits, rows);
    run(
        session,
        &format!(
            "SELECT n AS a, n % 1000 AS b, n * 7 % 100000 AS c, CAST(n % 10000 AS decimal(15, 2)) AS d,
                    CAST('text ' + CAST(n % 1000 AS varchar(10)) AS varchar(30)) AS e INTO #t FROM ({numbers}) x"
        ),
    );
}
