//! Query Store under threads, restarts, full stores and clients that vanish: each execution is counted once, what was written is
//! found again, and whatever becomes of a database harms no other.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use millpond_device::ManualClock;
use millpond_engine::account::query_store::stores::StoreHome;
use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::{SqlType, Value};

use crate::harness::{engine, run, session, until_waiting};

/// A session in a database `shop` whose store captures everything.
fn shop(engine: &Arc<Engine>) -> Session {
    let mut one = session(engine);
    let make =
        "set nocount on create database shop alter database shop set query_store = on (query_capture_mode = all)";
    assert_eq!(run(&mut one, make), "");
    assert_eq!(run(&mut one, "use shop"), "");
    assert_eq!(run(&mut one, "create table t (id int primary key, v int) insert t values (1, 0), (2, 0), (3, 0)"), "");
    one
}

fn in_shop(engine: &Arc<Engine>) -> Session {
    let mut one = session(engine);
    assert_eq!(run(&mut one, "set nocount on use shop"), "");
    one
}

/// The executions of queries whose text has this mark, by how they ended: `ended=count` with blanks between.
fn runs(one: &mut Session, mark: &str) -> String {
    let text = format!(
        "select r.execution_type_desc, sum(r.count_executions) from sys.query_store_query_text as t
         join sys.query_store_query as q on q.query_text_id = t.query_text_id join sys.query_store_plan as p on p.query_id = q.query_id
         join sys.query_store_runtime_stats as r on r.plan_id = p.plan_id
         where t.query_sql_text like '%/* {mark} */%' and t.query_sql_text not like '%query_store%'
         group by r.execution_type_desc order by 1"
    );
    let told = run(one, &text);
    told.lines().skip(1).map(|line| line.replace(" | ", "=")).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_execution_of_many_threads_is_counted_once() {
    const THREADS: usize = 4;
    const RUNS: usize = 150;
    let engine = engine();
    let mut one = shop(&engine);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let engine = &engine;
            scope.spawn(move || {
                let mut own = in_shop(engine);
                for round in 0..RUNS {
                    run(&mut own, "select /* shared */ v from t where id = 2");
                    run(&mut own, &format!("select /* apart */ v from t where id = {round}"));
                    run(&mut own, "select /* failing */ 1 / (v - v) from t where id = 1");
                    if round % 50 == 0 {
                        run(&mut own, "exec sp_query_store_flush_db");
                    }
                }
            });
        }
    });
    let all = THREADS * RUNS;
    assert_eq!(runs(&mut one, "shared"), format!("Regular={all}"));
    assert_eq!(runs(&mut one, "apart"), format!("Regular={all}"));
    assert_eq!(runs(&mut one, "failing"), format!("Exception={all}"));
    let twice = "select count(*) from (select query_text_id, context_settings_id, object_id from sys.query_store_query
        group by query_text_id, context_settings_id, object_id having count(*) > 1) as d";
    assert_eq!(run(&mut one, twice), "[:int]\n0\n");
}

fn open(dir: &Path) -> Arc<Engine> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(128 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

fn shut(engine: Arc<Engine>, clean: bool) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    if clean {
        engine.databases().flush_query_stores();
    }
    engine.instance().shutdown(&Ask::new(&task, &io), clean).expect("the files can be written");
}

/// Everything that the views show of the store, but for what changes by being asked.
fn whole(one: &mut Session) -> String {
    let quiet = run(one, "alter database shop set query_store (query_capture_mode = none)");
    assert_eq!(quiet, "");
    ["select * from sys.database_query_store_options", "select * from sys.query_context_settings"]
        .into_iter()
        .chain([
            "select query_text_id, query_sql_text, is_part_of_encrypted_module from sys.query_store_query_text",
            "select query_id, query_text_id, context_settings_id, object_id, query_hash, initial_compile_start_time, last_execution_time,
                count_compiles from sys.query_store_query",
            "select plan_id, query_id, query_plan_hash, query_plan, is_forced_plan, count_compiles, last_execution_time from sys.query_store_plan",
            "select * from sys.query_store_runtime_stats",
            "select * from sys.query_store_runtime_stats_interval",
            "select * from sys.query_store_wait_stats",
        ])
        .map(|text| run(one, text))
        .collect()
}

#[test]
fn what_was_written_is_there_after_a_restart() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path());
        let mut one = shop(&engine);
        for round in 0..20 {
            run(&mut one, &format!("update /* kept */ t set v = {round} where id = 1 select /* kept */ v from t"));
        }
        run(&mut one, "select /* kept */ 1 / 0");
        run(&mut one, "alter database shop set query_store (max_storage_size_mb = 77, interval_length_minutes = 5)");
        run(&mut one, "exec sp_query_store_force_plan 1, 1");
        let before = whole(&mut one);
        assert!(before.contains("ShowPlanXML") && before.contains("| 77 |"), "{before}");
        if !clean {
            assert_eq!(run(&mut one, "exec sp_query_store_flush_db"), "");
            // Not written: lost.
            run(&mut one, "alter database shop set query_store (query_capture_mode = all)");
            run(&mut one, "select /* late */ v from t");
        }
        drop(one);
        shut(engine, clean);
        let engine = open(dir.path());
        let mut one = in_shop(&engine);
        if clean {
            assert_eq!(whole(&mut one), before);
        }
        assert_eq!(runs(&mut one, "late"), "");
        let known = runs(&mut one, "kept");
        assert_eq!(known, "Exception=1 Regular=40");
        // It goes on: with the same queries, and new numbers.
        run(&mut one, "alter database shop set query_store (query_capture_mode = all)");
        run(&mut one, "update /* kept */ t set v = 19 where id = 1 select /* kept */ v from t");
        run(&mut one, "select /* new */ v from t where id = 3");
        assert_eq!(runs(&mut one, "kept"), "Exception=1 Regular=42");
        assert_eq!(runs(&mut one, "new"), "Regular=1");
        let twice = "select count(*) - count(distinct query_id) from sys.query_store_query";
        assert_eq!(run(&mut one, twice), "[:int]\n0\n");
    }
}

#[test]
fn a_backup_a_snapshot_and_an_attached_file_have_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut one = shop(&engine);
    run(&mut one, "select /* carried */ v from t select /* carried */ v from t");
    let before = whole(&mut one);
    let backup = dir.path().join("shop.bak").display().to_string();
    assert_eq!(run(&mut one, "exec sp_query_store_flush_db"), "");
    let snapshot = dir.path().join("shop_then.ss").display().to_string();
    let made = format!("create database shop_then on (name = shop, filename = '{snapshot}') as snapshot of shop");
    assert_eq!(run(&mut one, &made), "");
    run(&mut one, &format!("use master backup database shop to disk = '{backup}'"));
    run(&mut one, "use shop alter database shop set query_store clear");
    assert_eq!(runs(&mut one, "carried"), "");
    run(&mut one, "use shop_then");
    assert_eq!(runs(&mut one, "carried"), "Regular=2");
    let state = "select actual_state_desc, readonly_reason from sys.database_query_store_options";
    assert!(run(&mut one, state).contains("READ_ONLY | 1"));
    run(&mut one, "use master drop database shop_then");
    let restored = run(&mut one, &format!("restore database shop from disk = '{backup}' with replace"));
    assert!(!restored.contains("Msg"), "{restored}");
    run(&mut one, "use shop");
    assert_eq!(whole(&mut one), before);
    run(&mut one, "alter database shop set query_store (query_capture_mode = all) select /* carried */ v from t");
    run(&mut one, "use master exec sp_detach_db 'shop'");
    let files = format!("(filename = '{}')", dir.path().join("shop.mdf").display());
    let attached = run(&mut one, &format!("create database shop on {files} for attach"));
    assert!(!attached.contains("Msg"), "{attached}");
    run(&mut one, "use shop");
    assert_eq!(runs(&mut one, "carried"), "Regular=3", "detaching writes it");
}

#[test]
fn a_full_store_takes_no_more_until_it_may() {
    let engine = engine();
    let mut one = shop(&engine);
    run(&mut one, "alter database shop set query_store (max_storage_size_mb = 1, size_based_cleanup_mode = off)");
    let state =
        "select actual_state_desc, readonly_reason, current_storage_size_mb from sys.database_query_store_options";
    for number in 0..120 {
        run(&mut one, &format!("select /* {} */ v from t where id = {number}", "x".repeat(6000)));
    }
    assert!(run(&mut one, state).contains("READ_ONLY | 65536 | 1"));
    run(&mut one, "select /* refused */ v from t");
    assert_eq!(runs(&mut one, "refused"), "");
    run(&mut one, "alter database shop set query_store (size_based_cleanup_mode = auto)");
    run(&mut one, "alter database shop set query_store (max_storage_size_mb = 2)");
    run(&mut one, "select /* taken */ v from t");
    assert_eq!(runs(&mut one, "taken"), "Regular=1");
    for number in 0..400 {
        run(&mut one, &format!("select /* more {} */ v from t where id = {number}", "x".repeat(6000)));
    }
    assert!(run(&mut one, state).contains("READ_WRITE | 0 | 1"));
    run(&mut one, "select /* last */ v from t");
    assert_eq!(runs(&mut one, "last"), "Regular=1");
}

#[test]
fn a_database_is_dropped_and_closed_while_it_captures() {
    let engine = engine();
    let mut one = shop(&engine);
    for way in ["drop database shop", "alter database shop set query_store = off with no_wait"] {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !stop.load(Relaxed) {
                        let mut own = session(&engine);
                        run(&mut own, "set nocount on use shop");
                        for _ in 0..20 {
                            run(&mut own, "select /* falling */ v from t where id = 2");
                        }
                    }
                });
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
            run(&mut one, "use master alter database shop set single_user with rollback immediate");
            run(&mut one, way);
            run(&mut one, "alter database shop set multi_user");
            stop.store(true, Relaxed);
        });
        run(&mut one, "use master if db_id('shop') is not null drop database shop");
        one = shop(&engine);
        assert_eq!(runs(&mut one, "falling"), "", "another database of the number");
    }
    run(&mut one, "use master drop database shop");
    assert!(!engine.databases().query_stores().any_on(), "no store is on");
}

#[test]
fn what_is_in_memory_is_written_when_its_interval_is_over() {
    let clock = Arc::new(ManualClock::new(1_750_000_000_000_000, 0));
    let config =
        InstanceConfig { max_memory_bytes: Some(128 << 20), ..InstanceConfig::new(None, Arc::clone(&clock) as _) };
    let instance = Instance::open(config).expect("an instance in memory opens");
    let engine = millpond_procedures::registry::new_engine(TxnManager::new(instance));
    let mut one = shop(&engine);
    run(&mut one, "alter database shop set query_store (data_flush_interval_seconds = 60)");
    run(&mut one, "select /* late */ v from t");
    let db = engine.database_id("shop").expect("it is there");
    let is_written = || {
        let records = engine.databases().read_records(db).expect("it can be read");
        records.iter().any(|(_, text)| text.contains("/* late */"))
    };
    std::thread::sleep(std::time::Duration::from_millis(1200));
    assert!(!is_written(), "not yet");
    clock.advance_us(61_000_000);
    // When it is never written, the test ends some day rather than never.
    let written = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        is_written()
    });
    assert!(written);
    // Another interval is another row of runs.
    clock.advance_us(3_600_000_000);
    run(&mut one, "select /* late */ v from t");
    let rows = "select count(*), sum(r.count_executions) from sys.query_store_runtime_stats as r
        join sys.query_store_plan as p on p.plan_id = r.plan_id join sys.query_store_query as q on q.query_id = p.query_id
        join sys.query_store_query_text as t on t.query_text_id = q.query_text_id where t.query_sql_text like 'select /* late */%'";
    assert_eq!(run(&mut one, rows), "[:int | :bigint]\n2 | 2\n");
    // What is too old goes with the next write.
    clock.advance_us(31 * 86_400_000_000);
    run(&mut one, "exec sp_query_store_flush_db");
    assert_eq!(runs(&mut one, "late"), "");
}

#[test]
fn a_clone_has_the_store_or_not() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut one = shop(&engine);
    run(&mut one, "select /* cloned */ v from t");
    for (options, expected) in [("", "Regular=1"), ("with no_querystore", ""), ("with verify_clonedb", "")] {
        let made = run(&mut one, &format!("dbcc clonedatabase (shop, other) {options}"));
        assert!(!made.contains("Msg"), "{made}");
        run(&mut one, "use other");
        assert_eq!(runs(&mut one, "cloned"), expected, "{options}");
        run(&mut one, "use shop drop database other");
    }
    assert_eq!(runs(&mut one, "cloned"), "Regular=1");
}

/// A client that hears the columns and then is gone.
struct Gone;

impl Sink for Gone {
    fn columns(&mut self, _columns: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }

    fn row(&mut self, _values: &[Value]) -> Result<(), SinkClosed> {
        Err(SinkClosed)
    }

    fn message(&mut self, _message: &Message) {}

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

#[test]
fn a_client_that_vanishes_has_aborted_its_statement_and_waits_are_of_their_category() {
    let engine = engine();
    let mut one = shop(&engine);
    let mut own = in_shop(&engine);
    own.run_batch("select /* vanished */ v from t", &mut Gone);
    drop(own);
    assert_eq!(runs(&mut one, "vanished"), "Aborted=1");
    // One waits for the other's lock.
    assert_eq!(run(&mut one, "begin tran update t set v = 7 where id = 1"), "");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut own = in_shop(&engine);
            run(&mut own, "update /* waited */ t set v = 8 where id = 1")
        });
        until_waiting(&engine, 1);
        std::thread::sleep(std::time::Duration::from_millis(20));
        run(&mut one, "commit");
        assert_eq!(waiting.join().expect("no panic"), "");
    });
    let waits = "select w.wait_category_desc, case when w.total_query_wait_time_ms >= 10 then 'long' end
        from sys.query_store_wait_stats as w join sys.query_store_plan as p on p.plan_id = w.plan_id
        join sys.query_store_query as q on q.query_id = p.query_id join sys.query_store_query_text as t on t.query_text_id = q.query_text_id
        where t.query_sql_text like 'update /* waited */%' and w.wait_category = 3";
    assert_eq!(run(&mut one, waits), "[wait_category_desc:nvarchar(128) | :varchar(4)]\nLock | long\n");
    // What it cost is no CPU time.
    let cpu = "select case when r.max_cpu_time < r.max_duration then 'less' end from sys.query_store_runtime_stats as r
        join sys.query_store_plan as p on p.plan_id = r.plan_id join sys.query_store_query as q on q.query_id = p.query_id
        join sys.query_store_query_text as t on t.query_text_id = q.query_text_id where t.query_sql_text like 'update /* waited */%'";
    assert_eq!(run(&mut one, cpu), "[:varchar(4)]\nless\n");
}
