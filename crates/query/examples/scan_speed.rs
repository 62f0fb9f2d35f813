//! Prints how fast tables in memory are scanned into arrays: rows of two shapes, in a temporary heap and in a table of a
//! database, with one, four and all columns, and behind a filter.
//!
//! A query is `SELECT COUNT(column), …` on one thread: it reads the columns and does next to nothing with them. Pages are
//! those that SET STATISTICS IO names; the time is the CPU time of the cheapest of several runs, so that GB/s, 8,192 bytes
//! for each page, are those of a core, whatever else the machine does.
//!
//! `cargo run --release -p millpond-query --example scan_speed [rows]`, a million rows at most

mod rig;

use millpond_query::session::Session;

use rig::{cpu_seconds, make_digits, run};

const RUNS: u32 = 7;
const PAGE_BYTES: f64 = 8192.0;

/// A table to scan.
struct Shape {
    name: &'static str,
    /// Expressions of the columns, over the number `n` of the row.
    columns: &'static [(&'static str, &'static str)],
    /// A condition that every tenth row fulfils.
    filter: &'static str,
}

const SHAPES: [Shape; 2] = [
    Shape {
        name: "five",
        columns: &[
            ("a", "n"),
            ("b", "n % 1000"),
            ("c", "n * 7 % 100000"),
            ("d", "CAST(n % 10000 AS decimal(15, 2))"),
            ("e", "CAST('text ' + CAST(n % 1000 AS varchar(10)) AS varchar(30))"),
        ],
        filter: "b < 100",
    },
    Shape {
        name: "lineitem",
        columns: &[
            ("l_orderkey", "CAST(n AS bigint)"),
            ("l_quantity", "CAST(n % 50 AS decimal(15, 2))"),
            ("l_extendedprice", "CAST(n % 10000 AS decimal(15, 2))"),
            ("l_shipdate", "DATEADD(day, n % 2500, CAST('19920101' AS date))"),
            ("l_partkey", "n * 7 % 200000"),
            ("l_suppkey", "n % 10000"),
            ("l_linenumber", "n % 7"),
            ("l_discount", "CAST(0.05 AS decimal(15, 2))"),
            ("l_tax", "CAST(0.08 AS decimal(15, 2))"),
            ("l_returnflag", "CAST('N' AS char(1))"),
            ("l_linestatus", "CAST('O' AS char(1))"),
            ("l_commitdate", "DATEADD(day, n % 2500, CAST('19920201' AS date))"),
            ("l_receiptdate", "DATEADD(day, n % 2500, CAST('19920301' AS date))"),
            ("l_shipinstruct", "CAST('DELIVER IN PERSON' AS char(25))"),
            ("l_shipmode", "CAST('TRUCK' AS char(10))"),
            ("l_comment", "CAST('egular courts above the ' + CAST(n % 1000 AS varchar(10)) AS varchar(44))"),
        ],
        filter: "l_partkey < 20000",
    },
];

impl Shape {
    fn select_into(&self, table: &str, rows: u32) -> String {
        let columns: Vec<String> = self.columns.iter().map(|(name, expr)| format!("{expr} AS {name}")).collect();
        format!("SELECT {} INTO {table} FROM ({}) x", columns.join(", "), rig::numbers("digits", rows))
    }

    fn query(&self, table: &str, columns: usize, filter: &str) -> String {
        let counts: Vec<String> = self.columns.iter().take(columns).map(|(name, _)| format!("COUNT({name})")).collect();
        format!("SELECT {} FROM {table}{filter} OPTION (MAXDOP 1)", counts.join(", "))
    }

    fn print(&self, session: &mut Session, table: &str, rows: u32) {
        println!("{} in {table}, {rows} rows", self.name);
        let filter = format!(" WHERE {}", self.filter);
        let all = self.columns.len();
        let widths = [
            ("1 column", 1, ""),
            ("4 columns", 4, ""),
            ("all columns", all, ""),
            ("1 in 10 rows, all columns", all, &filter),
        ];
        for (title, columns, filter) in widths {
            let (pages, seconds) = measure(session, &self.query(table, columns, filter));
            println!(
                "  {title:<28} {:>9.0} pages/s {:>6.2} GB/s {:>7.1} ns/row",
                pages as f64 / seconds,
                pages as f64 * PAGE_BYTES / seconds / 1e9,
                seconds * 1e9 / f64::from(rows)
            );
        }
    }
}

/// Pages that a query reads, and the CPU seconds of its cheapest run.
fn measure(session: &mut Session, query: &str) -> (u64, f64) {
    let mut best = (0, f64::MAX);
    for _ in 0..RUNS {
        let before = cpu_seconds();
        let told = run(session, query);
        let seconds = cpu_seconds() - before;
        if seconds < best.1 {
            best = (told.pages, seconds);
        }
    }
    best
}

fn main() {
    let rows = rig::wanted_rows();
    let session = &mut rig::session(&rig::engine(2 << 30));
    run(session, "CREATE DATABASE scans");
    run(session, "USE scans");
    make_digits(session, "digits");
    run(session, "SET STATISTICS IO ON");
    for shape in &SHAPES {
        for prefix in ["#", "dbo."] {
            let table = format!("{prefix}{}", shape.name);
            run(session, &shape.select_into(&table, rows));
            shape.print(session, &table, rows);
        }
    }
}
