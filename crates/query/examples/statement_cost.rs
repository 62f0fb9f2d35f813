//! Prints what statements cost inside a batch: on single rows of a table by key, in one transaction, as direct statements
//! and as plans; then calls of functions and procedures.
//!
//! `cargo run --release -p millpond-query --example statement_cost`

mod rig;

use std::time::Instant;

use millpond_query::session::Session;

use rig::run;

const TIMES: u32 = 20_000;

/// Microseconds of a statement in a loop, the loop included.
fn loop_us(session: &mut Session, statement: &str) -> f64 {
    let text = format!(
        "SET NOCOUNT ON; DECLARE @i int = 0, @v int, @t varchar(20); BEGIN TRANSACTION;
         WHILE @i < {TIMES} BEGIN {statement}; SET @i = @i + 1; END; ROLLBACK TRANSACTION"
    );
    run(session, &text);
    let start = Instant::now();
    run(session, &text);
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
    let engine = rig::engine(256 << 20);
    let mut session = rig::session(&engine);
    for text in SCHEMA {
        run(&mut session, text);
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
