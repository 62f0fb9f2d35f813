//! Prints what statements on single rows of a table cost: by key, in one transaction, as direct statements and as plans.
//!
//! `cargo run --release -p millpond-query --example statement_cost`

use std::sync::Arc;
use std::time::Instant;

use millpond_query::engine::Engine;
use millpond_query::session::{Login, Session};
use millpond_query::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::{SqlType, Value};

const STATEMENTS: u32 = 20_000;

/// Shows errors, and nothing else.
struct Errors;

impl Sink for Errors {
    fn columns(&mut self, _: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }
    fn row(&mut self, _: &[Value]) -> Result<(), SinkClosed> {
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

fn loop_us(session: &mut Session, statement: &str) -> f64 {
    let text = format!(
        "SET NOCOUNT ON; DECLARE @i int = 0, @v int, @t varchar(20); BEGIN TRANSACTION;
         WHILE @i < {STATEMENTS} BEGIN {statement}; SET @i = @i + 1; END; ROLLBACK TRANSACTION"
    );
    session.run_batch(&text, &mut Errors);
    let start = Instant::now();
    session.run_batch(&text, &mut Errors);
    start.elapsed().as_micros() as f64 / f64::from(STATEMENTS)
}

const STATEMENT_TEXTS: [(&str, &str); 7] = [
    ("point SELECT", "SELECT @v = n, @t = v FROM t WHERE id = @i % 1000"),
    ("SELECT of a join", "SELECT @v = a.n, @t = b.v FROM t a JOIN t b ON b.id = a.n WHERE a.id = @i % 1000"),
    ("TOP 1 from the end", "SELECT TOP (1) @v = id FROM t WHERE id < @i % 1000 + 1 ORDER BY id DESC"),
    ("COUNT of ten rows", "SELECT @v = COUNT(DISTINCT n) FROM t WHERE id >= @i % 900 AND id < @i % 900 + 10"),
    ("point UPDATE", "UPDATE t SET @v = n, n = n + 1 WHERE id = @i % 1000"),
    ("INSERT", "INSERT u VALUES (@i, @i, 'text')"),
    ("DELETE of nothing", "DELETE u WHERE id = -@i"),
];

fn main() {
    let config = InstanceConfig {
        max_memory_bytes: Some(256 << 20),
        ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
    };
    let engine = Engine::new(TxnManager::new(Instance::open(config).expect("an instance in memory opens")));
    let mut session = engine.open_session(Login { login: "sa".into(), ..Login::default() }).expect("free sessions");
    for text in [
        "CREATE DATABASE cost",
        "USE cost",
        "CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int NOT NULL, v varchar(20) NULL)",
        "CREATE TABLE u (id int NOT NULL PRIMARY KEY, n int NOT NULL, v varchar(20) NULL)",
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 1000 BEGIN INSERT t VALUES (@i, @i, 'some text'); SET @i += 1 END",
    ] {
        session.run_batch(text, &mut Errors);
    }
    for direct in [1, 0] {
        let settings = engine.instance().settings();
        settings.set_option("direct statements", direct).expect("a known option");
        engine.instance().reconfigure(true).expect("options in memory");
        println!("direct statements {direct}");
        let base = loop_us(&mut session, "SET @v = 0");
        for (name, text) in STATEMENT_TEXTS {
            println!("  {name:<20} {:>8.2} us", loop_us(&mut session, text) - base);
        }
    }
}
