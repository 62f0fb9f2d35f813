//! Prints what queries over a table in memory take on one thread and on two, and the CPU time that they use.
//!
//! `cargo run --release -p millpond-query --example parallel_speed [rows]`, a million rows at most

mod rig;

use std::time::Instant;

use millpond_query::session::Session;

use rig::{cpu_seconds, make_wide, run};

const RUNS: u32 = 5;

const QUERIES: [(&str, &str); 6] = [
    ("sums", "SELECT COUNT(*), SUM(b), AVG(d), MAX(e) FROM #t"),
    ("filter, sum of a product", "SELECT SUM(d * b) FROM #t WHERE b < 500 AND c > 1000"),
    ("1,000 groups", "SELECT COUNT(*) FROM (SELECT b, SUM(a) AS s FROM #t GROUP BY b) x"),
    ("as many groups as rows", "SELECT COUNT(*) FROM (SELECT a, SUM(d) AS s FROM #t GROUP BY a) x"),
    ("join of the table with itself", "SELECT COUNT(*), SUM(x.b) FROM #t x JOIN #t y ON y.a = x.c"),
    ("sort", "SELECT COUNT(*) FROM (SELECT TOP (1000000000) a FROM #t ORDER BY e, c) x"),
];

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
    let rows = rig::wanted_rows();
    let session = &mut rig::session(&rig::engine(2 << 30));
    make_wide(session, "#digits", rows);
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
