//! The hot paths whose instructions are counted: each is set up, run until its caches are warm, and then run once more
//! inside of [`counted`], whose calls `benches/instructions/run` counts under callgrind.
//!
//! `cargo run --release -p millpond-query --example instructions [NAME …]` runs them, counts nothing, and prints the time
//! of the processor for each unit; `benches/instructions/run` counts.
//!
//! What always holds: a path does the same work each time it is called, on the thread that calls it. What other threads
//! do meanwhile (the lazy writer, checkpoints) is not counted.

mod rig;

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;

use millpond_access::{Ctx, ObjectId, Run};
use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, ExtentId, PageKind, SessionId};
use millpond_storage::space::Owner;
use millpond_storage::wal::{CommitMode, Mtr};
use millpond_tsql::batch::split_script;

use rig::run;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TPCC_SCHEMA: &str = include_str!("../../../examples/tpcc/schema.sql");
const TPCC_INDEXES: &str = include_str!("../../../examples/tpcc/indexes.sql");
const TPCC_PROCEDURES: &str = include_str!("../../../examples/tpcc/procedures.sql");
const TPCC_LOAD: &str = include_str!("../../cli/tests/tpcc/load.sql");

/// One call counts so many units in one go.
type Work = Box<dyn FnMut()>;

/// A path: its name, how many units one call of it has, how it is set up.
struct Path {
    name: &'static str,
    units: u32,
    set_up: fn(u32) -> Work,
}

const PATHS: [Path; 11] = [
    Path { name: "tempdb_insert_8000", units: 2000, set_up: |units| tempdb_loop(units, 8000) },
    Path { name: "tempdb_insert_80", units: 2000, set_up: |units| tempdb_loop(units, 80) },
    Path { name: "point_select", units: 1000, set_up: |units| batches(units, "SELECT n, v FROM t WHERE id = 500") },
    Path { name: "point_update", units: 1000, set_up: |units| batches(units, "UPDATE t SET n = n + 1 WHERE id = 500") },
    Path { name: "select_into_1000_rows", units: 10, set_up: select_into },
    Path { name: "scan_1000_rows", units: 10, set_up: scan },
    Path { name: "spill_64_kb", units: 128, set_up: spill },
    Path { name: "pool_hit", units: 1000, set_up: pool_hit },
    Path { name: "log_append", units: 1000, set_up: log_append },
    Path { name: "commit", units: 1000, set_up: commit },
    Path { name: "tpcc_new_order", units: 100, set_up: new_order },
];

/// What is counted. Its name is the one that the runner looks for.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
    // Not a tail call: the function is left when the work is done.
    black_box(());
}

fn engine() -> Arc<Engine> {
    rig::engine(256 << 20)
}

/// A session in a database of its own, with a table of 1,000 rows.
fn session_over_rows() -> Session {
    let mut session = rig::session(&engine());
    for text in [
        "CREATE DATABASE counted",
        "USE counted",
        "CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int NOT NULL, v varchar(20) NULL)",
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 1000 BEGIN INSERT t VALUES (@i, @i, 'some text'); SET @i += 1 END",
    ] {
        run(&mut session, text);
    }
    session
}

/// The same text as often as there are units.
fn batches(units: u32, text: &'static str) -> Work {
    let mut session = session_over_rows();
    Box::new(move || (0..units).for_each(|_| _ = run(&mut session, text)))
}

/// S1's loop: a table of so many rows of `char(length)`, made, filled row by row and dropped.
fn tempdb_loop(rows: u32, length: u32) -> Work {
    let mut session = rig::session(&engine());
    let text = format!(
        "SET NOCOUNT ON DECLARE @i int CREATE TABLE #t (mycol char({length}) NOT NULL) SET @i = 1
         WHILE @i <= {rows} BEGIN INSERT #t VALUES ('abc') SET @i = @i + 1 END DROP TABLE #t"
    );
    Box::new(move || _ = run(&mut session, &text))
}

fn thousands(session: &mut Session, thousands: u32) {
    rig::make_digits(session, "#digits");
    let numbers = rig::numbers("#digits", thousands * rig::DIGITS);
    run(
        session,
        &format!("SELECT n, n * 7 AS m, CAST('some text' AS varchar(20)) AS v INTO #source FROM ({numbers}) x"),
    );
}

fn select_into(units: u32) -> Work {
    let mut session = rig::session(&engine());
    thousands(&mut session, units);
    Box::new(move || _ = run(&mut session, "SELECT * INTO #copy FROM #source; DROP TABLE #copy"))
}

/// Pages are decoded into arrays; the sum is the cheapest that can be made of them.
fn scan(units: u32) -> Work {
    let mut session = rig::session(&engine());
    thousands(&mut session, units);
    Box::new(move || _ = run(&mut session, "SELECT SUM(m), MAX(v) FROM #source WHERE n + 0 >= 0"))
}

/// A run of 64 KB for each unit, written and read back.
fn spill(units: u32) -> Work {
    let engine = engine();
    let task = Arc::new(Task::new(SessionId(51)));
    let bytes = vec![7; 64 << 10];
    Box::new(move || {
        let ctx = Ctx {
            db: DbId::TEMPDB,
            pool: Arc::clone(engine.instance().pool()),
            space: Arc::clone(engine.instance().tempdb_space()),
            owner: Owner::Internal,
            usage: Arc::default(),
        };
        let io = IoCount::default();
        let ask = Ask::new(&task, &io);
        let run = Arc::new(Run::create(&ctx, ObjectId(0xC000_0001), Arc::clone(&task)));
        (0..units).for_each(|_| run.append(&ask, &bytes).expect("tempdb has room"));
        let mut reader = run.reader();
        while let Some(chunk) = reader.next_chunk(&ask).expect("pages in memory") {
            black_box(chunk);
        }
    })
}

/// The shared latch of one of eight pages that are in memory.
fn pool_hit(units: u32) -> Work {
    let engine = engine();
    let task = Task::new(SessionId(51));
    let mut extents: Vec<ExtentId> = Vec::new();
    {
        let io = IoCount::default();
        let (ask, instance) = (Ask::new(&task, &io), engine.instance());
        let space = instance.tempdb_space();
        space.allocate_extents(&ask, &**instance.pool(), Owner::Internal, 1, &mut extents).expect("tempdb has room");
        for at in 0..8 {
            drop(instance.pool().create(&ask, extents[0].page(at), PageKind::Sort, 1).expect("memory"));
        }
    }
    Box::new(move || {
        let io = IoCount::default();
        let ask = Ask::new(&task, &io);
        for unit in 0..units {
            black_box(engine.instance().pool().shared(&ask, extents[0].page(unit % 8)).expect("a page in memory"));
        }
    })
}

/// A record of 150 bytes, without a page.
fn log_append(units: u32) -> Work {
    let session = session_over_rows();
    let task = Task::new(SessionId(51));
    Box::new(move || {
        let io = IoCount::default();
        let ask = Ask::new(&task, &io);
        let database = session.engine().instance().database_by_name("counted").expect("made above");
        let handle = database.handle().expect("online");
        let log = handle.log.as_ref().expect("a durable database");
        let mut txn = log.begin();
        for _ in 0..units {
            Mtr::begin(handle, &ask, 200).expect("room in the log").commit_change(&mut txn, &[1; 122]);
        }
        log.commit(&ask, txn, CommitMode::Delayed).expect("the log takes it");
    })
}

/// A transaction of one record, durable before it is answered; the log lies in memory.
fn commit(units: u32) -> Work {
    let session = session_over_rows();
    let task = Task::new(SessionId(51));
    Box::new(move || {
        let io = IoCount::default();
        let ask = Ask::new(&task, &io);
        let database = session.engine().instance().database_by_name("counted").expect("made above");
        let handle = database.handle().expect("online");
        let log = handle.log.as_ref().expect("a durable database");
        for _ in 0..units {
            let mut txn = log.begin();
            Mtr::begin(handle, &ask, 200).expect("room in the log").commit_change(&mut txn, &[1; 122]);
            log.commit(&ask, txn, CommitMode::Durable).expect("the log takes it");
        }
    })
}

/// TPC-C's first transaction, five lines, by a text of EXECs.
fn new_order(units: u32) -> Work {
    let mut session = rig::session(&engine());
    let load = TPCC_LOAD.replace('#', "");
    for script in ["CREATE DATABASE tpcc\nGO\nUSE tpcc", TPCC_SCHEMA, &load, TPCC_INDEXES, TPCC_PROCEDURES] {
        for batch in split_script(script) {
            run(&mut session, &batch.text);
        }
    }
    let mut text = String::from("SET NOCOUNT ON;\n");
    for unit in 0..units {
        let (district, customer) = (unit % 10 + 1, unit % 3 + 1);
        let lines = "0000010000010300000200000104000003000001050000040000010600000500000107";
        let _ = writeln!(text, "EXEC dbo.tpcc_new_order 1, {district}, {customer}, 5, 1, '{lines}';");
    }
    Box::new(move || _ = run(&mut session, &text))
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for path in &PATHS {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == path.name) {
            continue;
        }
        let mut work = (path.set_up)(path.units);
        // Caches, code that is bound, pages that are made for the first time.
        for _ in 0..3 {
            work();
        }
        let began = rig::cpu_seconds();
        counted(&mut *work);
        let unit_us = (rig::cpu_seconds() - began) * 1e6 / f64::from(path.units);
        println!("{} {} {unit_us:.3}", path.name, path.units);
    }
}
