//! What plans cost: to make one, and to run statements that have one, through a session.
//!
//! `cargo run --release -p millpond-query --example plan_cost`
//!
//! Times are medians in microseconds. Statements run with their batch and plan cached; "with operators" are those that
//! DataFusion runs.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, ForcedPath, JoinHint, Rel, RelJoin, SortKey};
use millpond_catalog::run::facts::Login;
use millpond_catalog::{ColumnDef, TableDef};
use millpond_engine::engine::Engine;
use millpond_engine::memory::Workspace;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_plan::{CompileOptions, compile};
use millpond_query::session::Session;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::{SqlType, Value};

/// Rows of the large table.
const ROWS: u32 = 100_000;

fn main() {
    compile_costs();
    let engine = engine();
    let mut session = Session::open(&engine, Login::default()).expect("a new engine has free sessions");
    run(&mut session, "CREATE TABLE #one (id int, name varchar(50), amount bigint, at datetime)");
    run(&mut session, "INSERT #one VALUES (1, 'row 1', 3, '2024-01-01')");
    run(&mut session, "CREATE TABLE #many (id int, name varchar(50), amount bigint, at datetime)");
    fill(&mut session);
    statements(&mut session, "");
    // Everything through plans; another text, since a plan made for this one is kept.
    run(&mut session, "EXEC sp_configure 'show advanced options', 1 RECONFIGURE");
    run(&mut session, "EXEC sp_configure 'direct statements', 0 RECONFIGURE");
    println!("\nwithout direct statements");
    statements(&mut session, " ");
}

fn statements(session: &mut Session, end: &str) {
    println!("\nstatements over a table of one row");
    for text in [
        "SELECT 1",
        "SELECT name, amount FROM #one WHERE id = 1",
        "SELECT name, amount + 1 FROM #one WHERE id = 1",
        "SELECT COUNT(*) FROM #one",
        "SELECT a.name, b.amount FROM #one a JOIN #one b ON a.id = b.id ORDER BY a.amount",
    ] {
        statement(session, &format!("{text}{end}"), 5000);
    }
    println!("\nstatements over a table of {ROWS} rows");
    for text in [
        "SELECT name FROM #many WHERE id = 7",
        "SELECT name FROM #many WHERE name = 'row 7'",
        "SELECT * FROM #many",
        "SELECT COUNT(*) FROM #many",
        "SELECT SUM(amount) FROM #many",
        "SELECT name, SUM(amount) FROM #many GROUP BY name",
        "SELECT TOP 10 * FROM #many ORDER BY amount DESC",
        "SELECT name FROM #many ORDER BY name",
        "SELECT COUNT(*) FROM #many a JOIN #many b ON a.id = b.id",
        "SELECT COUNT(*) FROM #many WHERE id IN (SELECT id FROM #many WHERE amount < 500)",
    ] {
        statement(session, &format!("{text}{end}"), 7);
    }
}

fn engine() -> Arc<Engine> {
    let config = InstanceConfig {
        max_memory_bytes: Some(1 << 30),
        ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
    };
    millpond_procedures::registry::new_engine(TxnManager::new(
        Instance::open(config).expect("an instance in memory opens"),
    ))
}

fn fill(session: &mut Session) {
    run(
        session,
        &format!(
            "SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < {ROWS} BEGIN \
             INSERT #many VALUES (@i, 'row ' + CAST(@i AS varchar(20)), @i * 3, '2024-01-01') SET @i = @i + 1 END"
        ),
    );
}

/// Runs a text that must not fail.
fn run(session: &mut Session, text: &str) -> u64 {
    let mut sink = Count::default();
    session.run_batch(text, &mut sink);
    assert!(sink.error.is_none(), "{text}: {:?}", sink.error);
    sink.rows
}

fn statement(session: &mut Session, text: &str, times: usize) {
    let rows = run(session, text);
    let mut costs = Vec::with_capacity(times);
    for _ in 0..times {
        let start = Instant::now();
        black_box(run(session, text));
        costs.push(start.elapsed().as_secs_f64() * 1e6);
    }
    println!("{:12.1} us  {rows:7} rows  {text}", median(costs));
}

fn median(mut costs: Vec<f64>) -> f64 {
    costs.sort_by(f64::total_cmp);
    costs[costs.len() / 2]
}

/// Counts rows.
#[derive(Default)]
struct Count {
    rows: u64,
    error: Option<Message>,
}

impl Sink for Count {
    fn columns(&mut self, _columns: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }
    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        black_box(values);
        self.rows += 1;
        Ok(())
    }
    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            self.error = Some(message.clone());
        }
    }
    fn done(&mut self, _done: Done) {}
    fn env_change(&mut self, _change: &EnvChange) {}
    fn return_status(&mut self, _status: i32) {}
    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

fn nullable(sql: SqlType) -> ExprType {
    ExprType::plain(sql, true)
}

fn column(rel: &Rel, index: usize) -> BoundExpr {
    BoundExpr::column(index, rel.types()[index])
}

fn equal(left: BoundExpr, right: BoundExpr) -> BoundExpr {
    let collation = left.ty.collation;
    BoundExpr::predicate(Kind::Compare(CompareOp::Eq, Box::new(left), Box::new(right), collation))
}

fn compile_costs() {
    println!("making a plan");
    let types = [SqlType::Int, SqlType::varchar(50), SqlType::BigInt, SqlType::DateTime];
    let columns = types
        .iter()
        .enumerate()
        .map(|(index, sql)| ColumnDef::new(index as i32 + 1, format!("c{index}"), nullable(*sql)))
        .collect();
    let def = Arc::new(TableDef::new("#t".to_owned(), columns, Vec::new()));
    let table = Rel::Table { binding: 0, def, with_rid: false, forced: ForcedPath::default() };
    let by_id = equal(column(&table, 0), BoundExpr { kind: Kind::Variable(0), ty: nullable(SqlType::Int) });
    let filtered = Rel::Filter { input: Box::new(table.clone()), predicate: by_id };
    let point = Rel::Project { exprs: vec![column(&table, 1), column(&table, 2)], input: Box::new(filtered) };
    let (left, right) = (Box::new(table.clone()), Box::new(table.clone()));
    let cross = Rel::Join { kind: RelJoin::Inner, hint: JoinHint::default(), left, right, on: None };
    let on = equal(column(&cross, 0), column(&cross, 4));
    let joined = Rel::Filter { input: Box::new(cross), predicate: on };
    let keys = vec![SortKey { expr: column(&joined, 2), descending: false }];
    let exprs = vec![column(&joined, 1), column(&joined, 5)];
    let sorted = Rel::Project { input: Box::new(Rel::Sort { input: Box::new(joined), keys }), exprs };
    let sum = Aggregate {
        function: AggregateFunction::Sum,
        arg: Some(column(&table, 2)),
        distinct: false,
        ty: nullable(SqlType::BigInt),
        joining: None,
    };
    let groups = vec![column(&table, 1)];
    let grouped = Rel::Aggregate { input: Box::new(table), groups, aggregates: vec![sum] };
    let options = CompileOptions::new(Workspace::new(1 << 30));
    let mut with_operators = options.clone();
    with_operators.row_plans = false;
    compile_cost("point select", &point, &options);
    compile_cost("point select, with operators", &point, &with_operators);
    compile_cost("two tables joined and sorted", &sorted, &options);
    compile_cost("groups of a text with a sum", &grouped, &options);
}

fn compile_cost(label: &str, rel: &Rel, options: &CompileOptions) {
    let mut costs = Vec::new();
    for _ in 0..301 {
        let start = Instant::now();
        black_box(compile(rel, options).expect("a plan"));
        costs.push(start.elapsed().as_secs_f64() * 1e6);
    }
    println!("{:12.1} us  {label}", median(costs));
}
