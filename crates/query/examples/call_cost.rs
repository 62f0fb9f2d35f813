//! Prints what calls cost: a scalar function with a statement, one that is an expression, EXEC of an empty procedure.
//!
//! `cargo run --release -p millpond-query --example call_cost`

use std::sync::Arc;
use std::time::Instant;

use millpond_query::engine::Engine;
use millpond_query::session::{Login, Session};
use millpond_query::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::{SqlType, Value};

const CALLS: u32 = 20_000;

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

fn loop_ns(session: &mut Session, statement: &str) -> f64 {
    let text = format!(
        "SET NOCOUNT ON; DECLARE @i int = 0, @v int; WHILE @i < {CALLS} BEGIN {statement}; SET @i = @i + 1; END"
    );
    session.run_batch(&text, &mut Errors);
    let start = Instant::now();
    session.run_batch(&text, &mut Errors);
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}

fn main() {
    let config = InstanceConfig {
        max_memory_bytes: Some(256 << 20),
        ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
    };
    let engine = Engine::new(TxnManager::new(Instance::open(config).expect("an instance in memory opens")));
    let mut session = engine.open_session(Login { login: "sa".into(), ..Login::default() }).expect("free sessions");
    for text in [
        "USE tempdb",
        "CREATE FUNCTION dbo.inlined (@x int) RETURNS int AS BEGIN RETURN @x + 1 END",
        "CREATE FUNCTION dbo.run (@x int) RETURNS int AS BEGIN DECLARE @y int = @x + 1; RETURN @y END",
        "CREATE PROCEDURE dbo.empty AS RETURN",
    ] {
        session.run_batch(text, &mut Errors);
    }
    let empty = loop_ns(&mut session, "SET @v = @i + 1");
    println!("loop with SET @v = @i + 1      {empty:8.0} ns");
    for (what, statement) in [
        ("function, one expression", "SET @v = dbo.inlined(@i)"),
        ("function, run", "SET @v = dbo.run(@i)"),
        ("EXEC of an empty procedure", "EXEC dbo.empty"),
    ] {
        let ns = loop_ns(&mut session, statement);
        println!("{what:30} {:8.0} ns more", ns - empty);
    }
}
