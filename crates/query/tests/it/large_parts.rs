//! What a change of a large value costs, in bytes of the log and pages that are looked at; and that readers, rollbacks and
//! crashes find the values that they should.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

use crate::harness::{engine, run, session};

/// Bytes of a value as a row keeps them: a megabyte.
const VALUE: &str = "replicate(cast('0123456789' as varchar(max)), 104858)";

fn database(engine: &Arc<Engine>) -> Session {
    let mut one = session(engine);
    assert_eq!(run(&mut one, "set nocount on create database parts"), "");
    assert_eq!(run(&mut one, "use parts"), "");
    one
}

/// The number that a session's only row has.
pub(crate) fn number(answer: &str) -> i64 {
    answer.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// Bytes of the log and pages that a text costs, which runs in a transaction and says nothing.
pub(crate) fn cost(session: &mut Session, text: &str) -> (i64, i64) {
    let (answer, log, reads) = costs_of(session, text);
    assert_eq!(answer, "");
    (log, reads)
}

/// What a text says, which runs in a transaction, and the bytes of the log and pages that it costs.
pub(crate) fn costs_of(session: &mut Session, text: &str) -> (String, i64, i64) {
    let figures = |session: &mut Session| {
        let log = "select num_of_bytes_written from sys.dm_io_virtual_file_stats(db_id(), 2)";
        let reads = "select logical_reads from sys.dm_exec_sessions where session_id = @@spid";
        (number(&run(session, log)), number(&run(session, reads)))
    };
    run(session, "select 1");
    let before = figures(session);
    let answer = run(session, &format!("begin transaction {text} commit"));
    let after = figures(session);
    (answer, after.0 - before.0, after.1 - before.1)
}

pub(crate) fn looped(count: usize, text: &str) -> String {
    format!("declare @i int = 0 while @i < {count} begin {text} set @i += 1 end")
}

/// 3,000 appends of 100 bytes wrote 1.07 GB when each was a new value.
#[test]
fn an_append_costs_what_it_appends() {
    let engine = engine();
    let mut one = database(&engine);
    run(&mut one, "create table t (id int primary key, v varchar(max)) insert t values (1, '')");
    let append = looped(3_000, "update t set v.write(replicate('x', 100), null, null) where id = 1");
    let (log, reads) = cost(&mut one, &append);
    assert!(log < 3_000 * 1_000, "{log} bytes of log");
    assert!(reads < 3_000 * 16, "{reads} pages");
    assert_eq!(number(&run(&mut one, "select len(v) from t where v not like '%[^x]%'")), 300_000);
    // The same of a value that is a hundred times as long, in an nvarchar(max), and in a varbinary(max) of a #table.
    run(
        &mut one,
        "create table n (id int primary key, v nvarchar(max)) insert n values (1, replicate(cast(N'ü' as nvarchar(max)), 10000000))",
    );
    let append = looped(300, "update n set v.write(N'abcdefghij', null, null) where id = 1");
    let (log, reads) = cost(&mut one, &append);
    assert!(log < 300 * 1_000, "{log} bytes of log");
    assert!(reads < 300 * 16, "{reads} pages");
    run(
        &mut one,
        "create table #b (id int, v varbinary(max)) insert #b values (1, cast(replicate(cast('b' as varchar(max)), 10000000) as varbinary(max)))",
    );
    let (_, reads) = cost(&mut one, &looped(300, "update #b set v.write(0x01, null, null)"));
    assert!(reads < 300 * 16, "{reads} pages");
}

#[test]
fn an_overwrite_costs_its_pages() {
    let engine = engine();
    let mut one = database(&engine);
    run(
        &mut one,
        &format!("create table t (id int primary key, v varchar(max), s int) insert t values (1, {VALUE}, 0)"),
    );
    let (log, reads) = cost(&mut one, &looped(200, "update t set v.write('changed', 5000 * @i, 7) where id = 1"));
    // A data page and the links of the others.
    assert!(log < 200 * 10_500, "{log} bytes of log");
    assert!(reads < 200 * 24, "{reads} pages");
    assert_eq!(
        number(&run(&mut one, "select count(*) from t where v like '%56789changed789012%' and len(v) = 1048580")),
        1
    );
    let (log, reads) = cost(&mut one, &looped(100, "update t set s += 1 where id = 1"));
    assert!(log < 100 * 1_000 && reads < 100 * 16, "another column: {log} bytes of log, {reads} pages");
    let (log, reads) = cost(&mut one, "update t set v.write(null, 500000, 0) where id = 1");
    assert!(log < 20_000 && reads < 100, "a cut: {log} bytes of log, {reads} pages");
    let (log, reads) = cost(&mut one, "delete t");
    assert!(log < 40_000 && reads < 100, "its row goes: {log} bytes of log, {reads} pages");
    assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "");
}

#[test]
fn a_length_or_a_part_does_not_read_the_value() {
    let engine = engine();
    let mut one = database(&engine);
    run(&mut one, &format!("create table t (id int primary key, v varchar(max)) insert t values (1, {VALUE})"));
    let asked =
        "select @b = datalength(v), @l = len(v), @p = substring(v, 500001, 10), @r = right(v, 5) from t where id = 1";
    let (_, reads) =
        cost(&mut one, &format!("declare @b int, @l int, @p varchar(20), @r varchar(20) {}", looped(100, asked)));
    assert!(reads < 100 * 16, "{reads} pages");
    let (_, reads) = cost(
        &mut one,
        &format!("declare @b int {}", looped(100, "select @b = count(*) from t where id = 1 and v is not null")),
    );
    assert!(reads < 100 * 8, "{reads} pages");
}

/// What tells whether a session sees the value that it should.
const SEEN: &str =
    "select sum(cast(datalength(v) as bigint)) + sum(cast(checksum(hashbytes('SHA2_256', v)) as bigint)) from t";

#[test]
fn snapshots_see_the_values_of_their_moment() {
    let engine = engine();
    let mut one = database(&engine);
    run(&mut one, "alter database parts set allow_snapshot_isolation on");
    run(
        &mut one,
        &format!("create table t (id int primary key, v varchar(max)) insert t values (1, {VALUE}), (2, 'short')"),
    );
    let mut readers = Vec::new();
    let changes = [
        "update t set v.write('append', null, null) where id = 1",
        "update t set v.write('middle', 500000, 6)",
        "update t set v.write('longer than what was there', 300000, 6) where id = 1",
        "update t set v.write(null, 200000, null) where id = 1",
        "begin transaction update t set v.write('gone', null, null) where id = 1 rollback",
        "update t set v.write('append again', null, null) where id = 1",
        "update t set v = left(v, 50000) where id = 1",
        "delete t where id = 1",
        "select 1",
    ];
    for change in changes {
        let mut reader = session(&engine);
        run(&mut reader, "use parts set transaction isolation level snapshot begin transaction");
        let seen = run(&mut reader, SEEN);
        readers.push((reader, seen));
        run(&mut one, change);
    }
    let second = readers.len() / 2;
    for (reader, seen) in &mut readers[..second] {
        assert_eq!(run(reader, SEEN), *seen);
        run(reader, "commit");
    }
    // Some of what was waited for is free now, and taken by another value.
    run(&mut one, &format!("insert t values (3, {VALUE}) delete t where id = 3"));
    for (reader, seen) in &mut readers[second..] {
        assert_eq!(run(reader, SEEN), *seen);
        run(reader, "commit");
    }
    assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "");
}

fn open(dir: &Path) -> Arc<Engine> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(256 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

#[test]
fn a_crash_leaves_what_was_committed() {
    let dir = tempfile::tempdir().expect("a directory");
    let engine = open(dir.path());
    let mut one = database(&engine);
    run(
        &mut one,
        &format!("create table t (id int primary key, v varchar(max)) insert t values (1, {VALUE}), (2, {VALUE})"),
    );
    run(&mut one, "update t set v.write('middle', 500000 + id, 6) update t set v.write('append', null, null)");
    let seen = run(&mut one, SEEN);
    let mut open_one = session(&engine);
    run(&mut open_one, "use parts begin transaction update t set v.write('lost', null, null) where id = 1");
    run(
        &mut open_one,
        "update t set v.write('lost', 100, 4) where id = 1 update t set v.write(null, 300, 4) where id = 2",
    );
    run(&mut one, "checkpoint");
    drop((one, open_one));
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), false).expect("the files can be written");
    drop(engine);
    let engine = open(dir.path());
    let mut one = session(&engine);
    run(&mut one, "set nocount on use parts");
    assert_eq!(run(&mut one, SEEN), seen);
    run(&mut one, "update t set v.write('more', null, null)");
    assert_eq!(number(&run(&mut one, "select count(*) from t where v like '%0123456789appendmore'")), 2);
    assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "");
}
