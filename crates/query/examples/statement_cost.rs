//! Prints what statements cost inside a batch: on single rows of a table by key, in one transaction, as direct statements
//! and as plans; then calls of functions and procedures.
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

const TIMES: u32 = 20_000;

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

/// Microseconds of a statement in a loop, the loop included.
fn loop_us(session: &mut Session, statement: &str) -> f64 {
    let text = format!(
        "SET NOCOUNT ON; DECLARE @i int = 0, @v int, @t varchar(20); BEGIN TRANSACTION;
         WHILE @i < {TIMES} BEGIN {statement}; SET @i = @i + 1; END; ROLLBACK TRANSACTION"
    );
    session.run_batch(&text, &mut Errors);
    let start = Instant::now();
    session.run_batch(&text, &mut Errors);
    start.elapsed().as_micros() as f64 / f64::from(TIMES)
}

const STATEMENTS: [(&str, &str); 7] = [
    ("point SELECT", "SELECT @v = n, @t = v FROM t WHERE id = @i % 1000"),
    ("SELECT of a join", "SELECT @v = a.n, @t = b.v FROM t a JOIN t b ON b.id = a.n WHERE a.id = @i % 1000"),
    ("TOP 1 from the end", "SELECT TOP (1) @v = id FROM t WHERE id < @i % 1000 + 1 ORDER BY id DESC"),
    ("COUNT of ten rows", "SELECT @v = COUNT(DISTINCT n) FROM t WHERE id >= @i % 900 AND id < @i % 900 + 10"),
    ("point UPDATE", "UPDATE t SET @v = n, n = n + 1 WHERE id = @i % 1000"),
    ("INSERT", "INSERT u VALUES (@i, @i, 'text')"),
    ("DELETE of nothing", "DELETE u WHERE id = -@i"),
];

const CALLS: [(&str, &str); 4] = [
    ("function, one expression", "SET @v = dbo.inlined(@i)"),
    ("function, run", "SET @v = dbo.run(@i)"),
    ("EXEC of an empty procedure", "EXEC dbo.empty"),
    ("EXEC with three arguments", "EXEC dbo.three @i, 'text', @v OUTPUT"),
];

const SCHEMA: [&str; 9] = [
    "CREATE DATABASE cost",
    "USE cost",
    "CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int NOT NULL, v varchar(20) NULL)",
    "CREATE TABLE u (id int NOT NULL PRIMARY KEY, n int NOT NULL, v varchar(20) NULL)",
    "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 1000 BEGIN INSERT t VALUES (@i, @i, 'some text'); SET @i += 1 END",
    "CREATE FUNCTION dbo.inlined (@x int) RETURNS int AS BEGIN RETURN @x + 1 END",
    "CREATE FUNCTION dbo.run (@x int) RETURNS int AS BEGIN DECLARE @y int = @x + 1; RETURN @y END",
    "CREATE PROCEDURE dbo.empty AS RETURN",
    "CREATE PROCEDURE dbo.three @a int, @b varchar(20), @c int OUTPUT AS SET @c = @a",
];

fn print(session: &mut Session, statements: &[(&str, &str)]) {
    let base_us = loop_us(session, "SET @v = 0");
    for (name, text) in statements {
        println!("  {name:<28} {:>8.2} us", loop_us(session, text) - base_us);
    }
}

fn main() {
    let config = InstanceConfig {
        max_memory_bytes: Some(256 << 20),
        ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
    };
    let engine = Engine::new(TxnManager::new(Instance::open(config).expect("an instance in memory opens")));
    let mut session = engine.open_session(Login { login: "sa".into(), ..Login::default() }).expect("free sessions");
    for text in SCHEMA {
        session.run_batch(text, &mut Errors);
    }
    for direct in [1, 0] {
        let settings = engine.instance().settings();
        settings.set_option("direct statements", direct).expect("a known option");
        engine.instance().reconfigure(true).expect("options in memory");
        println!("direct statements {direct}");
        print(&mut session, &STATEMENTS);
    }
    println!("calls");
    print(&mut session, &CALLS);
}
