//! SET STATISTICS PROFILE: what each operator did, in this execution; verdicts; who uses tempdb while it runs.

use std::sync::Arc;

use millpond_device::profiled_media::Rule;
use millpond_device::{
    Between, Clock, DeviceProfile, ManualClock, ModelKind, ProfiledMedia, RamMedia, VirtualClock, Volume, WallTime,
};
use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_txn::TxnManager;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

use crate::harness::{engine, run, session};
use crate::spills;

/// A result: names of its columns and its rows.
#[derive(Default)]
struct Set {
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
}

/// Keeps all results; calls `first` when a first row has come.
#[derive(Default)]
struct Keeper<'a> {
    sets: Vec<Set>,
    messages: String,
    first: Option<Box<dyn FnMut() + 'a>>,
}

impl Sink for Keeper<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        let names = columns.iter().map(|column| column.name.clone()).collect();
        self.sets.push(Set { names, rows: Vec::new() });
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        self.sets.last_mut().expect("columns came before").rows.push(values.to_vec());
        if let Some(mut first) = self.first.take() {
            first();
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        self.messages.push_str(&format!("# {}\n", message.text));
    }

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

impl Set {
    fn is_profile(&self) -> bool {
        self.names.first().is_some_and(|name| name == "Rows") && self.names.last().is_some_and(|name| name == "Verdict")
    }

    /// The values of a column.
    fn all(&self, name: &str) -> Vec<&Value> {
        let place = self.names.iter().position(|known| known == name).expect("a column of the profile");
        self.rows.iter().map(|row| &row[place]).collect()
    }

    fn number(&self, name: &str, row: usize) -> i64 {
        match self.all(name)[row] {
            Value::BigInt(number) => *number,
            other => panic!("{name} of row {row}: {other:?}"),
        }
    }

    fn verdict(&self) -> String {
        to_display(self.all("Verdict")[0], &SqlType::varchar(256))
    }

    /// Rows, executions and operator of each line; what is not known is `-`.
    fn lines(&self) -> String {
        let shown = |value: &Value| if value.is_null() { "-".to_owned() } else { to_display(value, &SqlType::BigInt) };
        let texts = self.all("StmtText").into_iter().map(|text| to_display(text, &SqlType::varchar(4000)));
        let names = texts.map(|text| text.split("OBJECT:").next().unwrap_or_default().to_owned());
        let counts = self.all("Rows").into_iter().zip(self.all("Executes"));
        let lines = names.zip(counts).map(|(name, (rows, executes))| {
            let name = name.split("(HASH:").next().unwrap_or_default();
            let name = name.split("(DEFINE:").next().unwrap_or_default().split(", HASH:").next().unwrap_or_default();
            format!("{} {} {}\n", shown(rows), shown(executes), name.split("(ORDER").next().unwrap_or_default())
        });
        lines.collect()
    }
}

/// The profiles that a text gives.
fn profiles(session: &mut Session, text: &str) -> Vec<Set> {
    let mut keeper = Keeper::default();
    session.run_batch(text, &mut keeper);
    assert!(keeper.messages.is_empty(), "{}", keeper.messages);
    keeper.sets.into_iter().filter(Set::is_profile).collect()
}

fn profile(session: &mut Session, text: &str) -> Set {
    let mut all = profiles(session, text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

/// 4 customers, 3,000 orders, each of customer 1, 2 or 3.
fn rig(direct: bool) -> Session {
    with_orders(&engine(), direct)
}

/// A session of an engine that has them, with SET STATISTICS PROFILE.
pub fn with_orders(engine: &Arc<Engine>, direct: bool) -> Session {
    engine.instance().settings().set_option("direct statements", i64::from(direct)).expect("an option");
    engine.instance().reconfigure(true).expect("values are right");
    let mut one = session(engine);
    for text in [
        "create table customer (id int not null primary key, name varchar(20) not null)",
        "create table orders (id int not null primary key, customer int not null, amount int not null)",
        "insert customer values (1, 'Ann'), (2, 'Bob'), (3, 'Cid'), (4, 'Dan')",
        "insert orders select value, value % 3 + 1, value from generate_series(1, 3000)",
        "set statistics profile on",
    ] {
        let told = run(&mut one, text);
        assert!(!told.contains("Msg "), "{told}");
    }
    one
}

#[test]
fn each_operator_of_a_plan_tells_its_rows_of_this_execution() {
    let mut one = rig(true);
    let query = "select c.name, sum(o.amount) as amount from customer c join orders o on o.customer = c.id
        where o.amount > 1500 group by c.name order by c.name";
    let first = profile(&mut one, query);
    let expected = [
        "3 1 select c.name, sum(o.amount) as amount from customer c join orders o on o.customer = c.id\n        where o.amount > 1500 group by c.name order by c.name",
    ];
    let told = first.lines();
    assert!(told.starts_with(expected[0]), "{told}");
    for line in ["3 1   |--Sort\n", "1500 1 ", "4 1 "] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert_eq!(profile(&mut one, query).lines(), told, "the plan is the same, the counts are of one execution");
    assert!(first.all("ElapsedMs").iter().all(|value| !value.is_null()), "all of them were measured");
    assert!(first.verdict().contains(": CPU "), "{}", first.verdict());
    assert!(first.all("Verdict").iter().skip(1).all(|value| value.is_null()));
    let off = run(&mut one, &format!("set statistics profile off {query}"));
    assert!(!off.contains("Executes"), "{off}");
}

#[test]
fn inner_plans_tell_how_often_they_ran() {
    let mut one = rig(false);
    // What an equality ties would be a join.
    let told = profile(
        &mut one,
        "select c.id, x.amount from customer c outer apply \
            (select top 2 amount from orders o where o.customer between c.id and c.id) x",
    );
    let lines = told.lines();
    assert!(lines.contains("7 1   |--") || lines.contains("7 1        |--"), "{lines}");
    assert!(lines.contains("6 4 "), "the inner side ran for each customer: {lines}");
}

#[test]
fn direct_statements_tell_the_rows_of_their_steps() {
    let mut one = rig(true);
    let told = profile(&mut one, "select c.name from customer c join orders o on o.customer = c.id where o.id = 7");
    let lines = told.lines();
    let steps =
        lines.lines().filter(|line| line.contains("Seek(")).map(|line| line.split("  ").next().unwrap_or_default());
    assert_eq!(steps.collect::<Vec<&str>>(), ["1 1", "1 1"], "{lines}");
    let changes = profiles(
        &mut one,
        "update orders set amount = 0 where id between 11 and 20
         delete orders where id = 12
         insert customer values (5, 'Eve'), (6, 'Fay')
         select amount into #t from orders where id < 4
         declare @n int select @n = count(*) from #t",
    );
    let firsts: Vec<(i64, i64)> = changes.iter().map(|set| (set.number("Rows", 0), set.number("Rows", 1))).collect();
    assert_eq!(firsts, [(10, 10), (1, 1), (2, 2), (3, 3), (1, 1)]);
    let kinds: Vec<String> = changes.iter().map(|set| to_display(set.all("Type")[0], &SqlType::varchar(64))).collect();
    assert_eq!(kinds, ["UPDATE", "DELETE", "INSERT", "SELECT", "SELECT"]);
}

#[test]
fn rows_that_become_those_of_others_have_no_profiles_among_them() {
    let mut one = rig(true);
    run(&mut one, "create procedure p as select id from customer where id < 3");
    run(
        &mut one,
        "create function f (@id int) returns int as begin return (select max(amount) from orders where id = @id) end",
    );
    run(&mut one, "create table taken (id int)");
    let told = profiles(&mut one, "set nocount on insert taken exec p select dbo.f(7) as n select id from taken");
    assert!(told.iter().all(|set| set.number("Executes", 0) == 1));
    assert_eq!(told.last().map(|set| set.number("Rows", 0)), Some(2));
    assert_eq!(run(&mut one, "set statistics profile off set nocount on select dbo.f(7) as n"), "[n:int]\n7\n");
    run(&mut one, "set nocount off set statistics profile on");
    let counted = run(&mut one, "select id from customer where id < 3 select @@rowcount as n");
    assert!(counted.contains("[n:int]\n2\n"), "the profile's rows are not the statement's: {counted}");
}

#[test]
fn what_operators_put_aside_is_what_statistics_io_says() {
    let engine = spills::engine(&Arc::new(RamMedia::new()), 20, true);
    spills::set_up(&engine);
    let mut one = session(&engine);
    run(&mut one, "use d set nocount on set statistics io on set statistics profile on");
    for query in [spills::QUERIES[0], spills::QUERIES[1], spills::QUERIES[6], spills::QUERIES[7]] {
        let mut keeper = Keeper::default();
        one.run_batch(query, &mut keeper);
        let told = spills::spilled_kb(&keeper.messages) as i64;
        let profile = keeper.sets.iter().find(|set| set.is_profile()).expect("one is sent");
        assert!(told > 1000, "{query}: {}", keeper.messages);
        assert_eq!(profile.number("SpilledKB", 0), told, "{query}");
        let operators = 1..profile.rows.len();
        let spilled: i64 = operators.clone().map(|row| profile.number("SpilledKB", row)).sum();
        assert!((told..=told + profile.rows.len() as i64).contains(&spilled), "{query}: {spilled} of {told} KB");
        // Who put something aside held memory before, within what the statement held.
        for row in operators {
            if profile.number("SpilledKB", row) > 0 {
                assert!(profile.number("MemoryKB", row) > 100, "{query}");
            }
        }
        assert!(profile.number("MemoryKB", 0) > 1000, "{query}");
    }
    assert_eq!((spills::reserved_pages(&engine), engine.workspace().used_bytes()), (0, 0));
}

#[test]
fn parallel_operators_tell_the_sums_of_their_threads() {
    let mut one = rig(true);
    for text in [
        "sp_configure 'show advanced options', 1",
        "reconfigure",
        "sp_configure 'cost threshold for parallelism', 0",
        "reconfigure",
        "select value as id, value % 7 as g, replicate('x', 200) as c into #t from generate_series(1, 20000)",
    ] {
        run(&mut one, text);
    }
    let query = "select g, count(*) as n from #t group by g option (maxdop 2)";
    let serial = profile(&mut one, &query.replace('2', "1"));
    let parallel = profile(&mut one, query);
    assert!(serial.all("Parallel").iter().all(|value| **value != Value::Bit(true)), "{}", serial.lines());
    assert!(parallel.all("Parallel").contains(&&Value::Bit(true)), "{}", parallel.lines());
    let lines = parallel.lines();
    let scan = lines.lines().find(|line| line.contains("Table Scan")).unwrap_or_else(|| panic!("{lines}"));
    assert!(scan.starts_with("20000 2 "), "{lines}");
    assert_eq!((parallel.number("Rows", 0), serial.number("Rows", 0)), (7, 7));
}

/// An engine whose files under `slow` take `command_us` for each request, of a clock that skips waits; 24 MB of memory.
fn slow_engine(slow: &str, command_us: f64) -> Arc<Engine> {
    let wall = WallTime { utc_us: 1_700_000_000_000_000, offset_s: 0 };
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(Between::Nothing, wall));
    let disk = DeviceProfile { command_us: Some(command_us), ..DeviceProfile::of(ModelKind::Disk10kSata) };
    let volume = Arc::new(Volume::new("slow", &disk, Vec::new(), clock.clone()));
    let rules = vec![Rule { path: slow.into(), volume: volume.clone() }];
    let media = ProfiledMedia::new(Arc::new(RamMedia::new()), vec![volume], rules);
    let growth = GrowthConfig::Pages(4096);
    let file = |name, path: &str, log| TempFileConfig {
        growth,
        size_pages: 8192,
        path: Some(path.into()),
        ..TempFileConfig::new(name, log)
    };
    let tempdb = TempdbConfig {
        files: vec![file("tempdev", "/ram/temp/tempdb.mdf", false), file("templog", "/ram/log/templog.ldf", true)],
    };
    let config = InstanceConfig {
        clock,
        max_memory_bytes: Some(24 << 20),
        tempdb: Some(tempdb),
        ..InstanceConfig::over(Arc::new(media), 24 << 20)
    };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the media are empty")))
}

/// Fills a database whose file is under `/ram/data`, and runs a sort that is larger than memory.
fn verdict_of_a_sort(slow: &str, command_us: f64) -> (String, String) {
    let engine = slow_engine(slow, command_us);
    let mut one = session(&engine);
    let make = "set nocount on
        create database d on (name = d, filename = '/ram/data/d.mdf', size = 80MB)
            log on (name = d_log, filename = '/ram/log/d.ldf', size = 64MB)
        alter database d set recovery simple";
    assert_eq!(run(&mut one, make), "");
    let fill = "use d
        create table t (id int not null, c char(6000) not null)
        insert t select value, cast(value * 7919 % 7001 as varchar(10)) from generate_series(1, 7000)
        checkpoint
        dbcc dropcleanbuffers with no_infomsgs";
    assert_eq!(run(&mut one, fill), "");
    run(&mut one, "set statistics profile on");
    let told = profile(&mut one, "select id, c from t order by c desc");
    assert!(told.number("SpilledKB", 0) > 0, "{}", told.lines());
    let stats = "select last_verdict from sys.dm_exec_query_stats as s
        cross apply sys.dm_exec_sql_text(s.sql_handle) as x where x.text = 'select id, c from t order by c desc'";
    (told.verdict(), run(&mut one, &format!("set statistics profile off {stats}")))
}

#[test]
fn a_slow_tempdb_and_a_slow_database_are_told_apart() {
    let (told, stats) = verdict_of_a_sort("/ram/temp", 800_000.0);
    assert!(told.starts_with("TEMPDB-bound: "), "{told}");
    assert_eq!(stats, "[last_verdict:nvarchar(16)]\nTEMPDB\n");
    let (told, stats) = verdict_of_a_sort("/ram/data", 60_000.0);
    assert!(told.starts_with("DISK-bound: "), "{told}");
    assert_eq!(stats, "[last_verdict:nvarchar(16)]\nDISK\n");
}

/// Larger than what runs without a grant.
const SORT: &str = "select id, c from d.dbo.t order by c desc";

/// Does a work while so many statements have a grant: each of them is at its first row.
fn beside_grants(engine: &Arc<Engine>, count: usize, work: &mut dyn FnMut()) {
    if count == 0 {
        return work();
    }
    let first = || beside_grants(engine, count - 1, work);
    let mut keeper = Keeper { first: Some(Box::new(first)), ..Keeper::default() };
    session(engine).run_batch(SORT, &mut keeper);
    assert!(keeper.messages.is_empty(), "{}", keeper.messages);
}

/// Until so many statements wait for a grant.
fn until_queued(engine: &Arc<Engine>, count: usize) {
    let mut one = session(engine);
    let waiters = "set nocount on select waiter_count from sys.dm_exec_query_resource_semaphores";
    while run(&mut one, waiters) != format!("[waiter_count:int]\n{count}\n") {
        std::thread::yield_now();
    }
}

#[test]
fn a_statement_that_waits_for_its_grant_is_bound_by_memory() {
    let clock = Arc::new(ManualClock::new(1_700_000_000_000_000, 0));
    let config = InstanceConfig {
        clock: clock.clone(),
        max_memory_bytes: Some(20 << 20),
        ..InstanceConfig::over(Arc::new(RamMedia::new()), 20 << 20)
    };
    let engine = millpond_procedures::registry::new_engine(TxnManager::new(
        Instance::open(config).expect("the media are empty"),
    ));
    let make = "set nocount on create database d
        create table d.dbo.t (id int not null, c char(6000) not null)
        insert d.dbo.t select value, cast(value as varchar(10)) from generate_series(1, 300)";
    assert_eq!(run(&mut session(&engine), make), "");
    let told = std::thread::scope(|scope| {
        let mut waits = None;
        // Four grants are all that 16 MB allow.
        beside_grants(&engine, 4, &mut || {
            waits = Some(scope.spawn(|| profile(&mut session(&engine), &format!("set statistics profile on {SORT}"))));
            until_queued(&engine, 1);
            clock.advance_us(20_000_000);
        });
        waits.expect("it was started").join().expect("it ends")
    });
    assert!(told.verdict().starts_with("MEMORY-bound: CPU "), "{}", told.verdict());
    assert!(told.verdict().ends_with(" ms, tempdb 0 ms, memory 20000 ms, disk 0 ms of 20000 ms"), "{}", told.verdict());
    assert_eq!(told.number("Rows", 0), 300);
    let stats = "set nocount on select s.execution_count, s.last_verdict from sys.dm_exec_query_stats as s
        cross apply sys.dm_exec_sql_text(s.sql_handle) as x where x.text like 'set statistics profile on select%'";
    let verdict = "[execution_count:bigint | last_verdict:nvarchar(16)]\n1 | MEMORY\n";
    assert_eq!(run(&mut session(&engine), stats), verdict);
    let semaphore = "set nocount on select wait_time_ms, waiting_tasks_count from sys.dm_os_wait_stats
        where wait_type = 'RESOURCE_SEMAPHORE'";
    assert_eq!(
        run(&mut session(&engine), semaphore),
        "[wait_time_ms:bigint | waiting_tasks_count:bigint]\n20000 | 1\n"
    );
}

#[test]
fn a_statement_that_spills_is_seen_with_its_pages_while_it_runs() {
    let engine = spills::engine(&Arc::new(RamMedia::new()), 20, true);
    spills::set_up(&engine);
    let (mut one, mut other) = (session(&engine), session(&engine));
    run(&mut one, "use d set nocount on");
    let id = one.shared().id.0;
    let pages = |other: &mut Session, view: &str, column: &str| -> i64 {
        let told = run(other, &format!("set nocount on select {column} from sys.{view} where session_id = {id}"));
        told.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{told}"))
    };
    let (mut of_task, mut of_session) = (0, 0);
    let first = || {
        of_task = pages(&mut other, "dm_db_task_space_usage", "internal_objects_alloc_page_count");
        of_session = pages(&mut other, "dm_db_session_space_usage", "current_page_count");
    };
    let mut keeper = Keeper { first: Some(Box::new(first)), ..Keeper::default() };
    one.run_batch(spills::QUERIES[0], &mut keeper);
    drop(keeper);
    assert!(of_task > 100, "{of_task} pages of the running statement");
    assert!(of_session > 10, "{of_session} pages that the session has");
    let left = "internal_objects_alloc_page_count - internal_objects_dealloc_page_count";
    assert_eq!(pages(&mut other, "dm_db_session_space_usage", left), 0, "all is given back");
}
