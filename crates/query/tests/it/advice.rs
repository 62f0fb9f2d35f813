//! `sp_tempdb_advice`: a situation is made, the advice is asked for, its statement is run as it stands, and what it promised is counted.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_txn::TxnManager;

use crate::harness::{engine, run, session};

/// An engine in memory whose `max server memory` alone limits it: 128 MB, which is the least that it takes.
fn small() -> Arc<Engine> {
    let config = InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()));
    let engine = millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("in memory")));
    do_all(&mut session(&engine), &configure(128));
    engine
}

fn configure(memory_mb: u32) -> String {
    format!(
        "exec sp_configure 'show advanced options', 1 reconfigure exec sp_configure 'max server memory (MB)', {memory_mb} reconfigure"
    )
}

/// Runs a text that has no error.
fn do_all(session: &mut Session, text: &str) {
    for batch in text.split("\ngo\n") {
        let told = run(session, batch);
        assert!(!told.contains("Msg "), "{batch}\n{told}");
    }
}

/// The rows of a text's only result.
fn rows(session: &mut Session, text: &str) -> Vec<Vec<String>> {
    let told = run(session, text);
    assert!(!told.contains("Msg "), "{text}\n{told}");
    let lines = told.lines().skip_while(|line| !line.starts_with('[')).skip(1);
    lines.map(|line| line.split(" | ").map(str::to_owned).collect()).collect()
}

fn number(session: &mut Session, text: &str) -> f64 {
    let rows = rows(session, &format!("set nocount on {text}"));
    rows[0][0].parse().unwrap_or_else(|_| panic!("{text}: {rows:?}"))
}

/// An advice as the procedure gives it.
struct Told {
    severity: String,
    evidence: String,
    effect: String,
    statement: String,
}

/// Advice of a topic that has a statement.
fn advice(session: &mut Session, topic: &str) -> Vec<Told> {
    let rows = rows(session, &format!("set nocount on exec sp_tempdb_advice @topic = N'{topic}'"));
    let told = rows.into_iter().map(|row| {
        let [of, severity, _, evidence, effect, statement] = row.try_into().expect("six columns");
        assert_eq!(of, topic);
        Told { severity, evidence, effect, statement }
    });
    told.filter(|told| told.statement != "NULL").collect()
}

/// The numbers of a text, commas between thousands left out.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|char: char| !char.is_ascii_digit() && char != ',');
    words.filter_map(|word| word.trim_matches(',').replace(',', "").parse().ok()).collect()
}

fn is_within(a: f64, b: f64, factor: f64) -> bool {
    a <= b * factor && b <= a * factor
}

#[test]
fn a_new_server_has_no_advice_and_says_what_it_does_not_know() {
    let engine = engine();
    let mut one = session(&engine);
    let all = rows(&mut one, "set nocount on exec sp_tempdb_advice");
    assert!(!all.is_empty() && all.iter().all(|row| row[1] == "unknown" && row[5] == "NULL"), "{all:#?}");
    let told = run(&mut one, "exec sp_tempdb_advice N'weather'");
    assert!(told.contains("# @topic: tempdb files, growth, ") && told.contains("Msg 15600, "), "{told}");
}

#[test]
fn who_may_not_see_the_state_of_the_server_is_refused() {
    let engine = engine();
    let mut one = session(&engine);
    do_all(&mut one, "create login reader with password = 'Aa1-Aa1-Aa1' create user reader");
    for text in ["exec sp_tempdb_advice", "select * from sys.dm_millpond_cache_curve"] {
        let told = run(&mut one, &format!("execute as login = 'reader' {text}"));
        assert!(told.contains("Msg 300, ") && told.contains("Msg 297, "), "{told}");
        do_all(&mut one, "revert");
    }
    do_all(&mut one, "grant view server state to reader");
    do_all(&mut one, "execute as login = 'reader' exec sp_tempdb_advice");
}

/// A table of three times the memory: 49,152 pages of 8 KB.
const WORKING_SET: &str = "set nocount on create database d alter database d set recovery simple
go
use d
create table t (id int not null primary key, c char(7900) not null)
go
insert t select value, 'x' from generate_series(0, 24575)
go
insert t select value, 'x' from generate_series(24576, 49151)
go
checkpoint";

/// Rows that are read at a time.
const LOOKUPS: u32 = 30_000;

/// Reads rows by chance: others by another seed.
fn look_up(session: &mut Session, seed: u32) {
    let text = format!(
        "set nocount on declare @i int = 0, @n bigint = {seed}, @x int
        while @i < {LOOKUPS} begin
            set @n = (@n * 1103515245 + 12345) % 2147483648
            select @x = id from t where id = @n / 1024 % 49152
            set @i += 1
        end"
    );
    do_all(session, &text);
}

/// Pages that [`look_up`] read, and those of them that memory of a size would have saved.
fn reads_of(session: &mut Session, seed: u32, memory_kb: u32) -> [f64; 2] {
    let count = |session: &mut Session| {
        let reads = number(session, "select physical_reads + read_ahead_reads from sys.dm_millpond_activity");
        let text = "select would_have_hit_count from sys.dm_millpond_cache_curve where kind = 'MEMORY'";
        [reads, number(session, &format!("{text} and size_kb = {memory_kb}"))]
    };
    let before = count(session);
    look_up(session, seed);
    let after = count(session);
    [after[0] - before[0], after[1] - before[1]]
}

#[test]
fn reads_fall_as_the_ghosts_of_a_working_set_of_three_times_the_memory_promise() {
    let engine = small();
    let mut one = session(&engine);
    do_all(&mut one, WORKING_SET);
    look_up(&mut one, 1);
    let [with_128, saved] = reads_of(&mut one, 2, 256 * 1024);
    assert!(with_128 > 0.5 * f64::from(LOOKUPS), "two of three pages are not there: {with_128}");

    // Twice the memory, as the curve has it.
    do_all(&mut one, &configure(256));
    (3..5).for_each(|seed| look_up(&mut one, seed));
    let [with_256, _] = reads_of(&mut one, 5, 256 * 1024);
    assert!(is_within(with_256, with_128 - saved, 1.5), "{with_128} reads, {saved} saved, {with_256} then");

    // What is advised for the rest, which is 128 MB more at most.
    let advice = advice(&mut one, "memory");
    assert_eq!(advice.len(), 1);
    let promised = numbers(&advice[0].effect);
    assert!(promised[0] < promised[1], "{}", advice[0].effect);
    let size_mb = *numbers(&advice[0].statement).last().expect("the size is last") as u32;
    assert!((257..=512).contains(&size_mb), "{}", advice[0].statement);
    let [with_256, saved] = reads_of(&mut one, 6, size_mb * 1024);
    do_all(&mut one, &advice[0].statement);
    (7..10).for_each(|seed| look_up(&mut one, seed));
    let [with_more, _] = reads_of(&mut one, 10, size_mb * 1024);
    assert!(
        is_within(with_256 - with_more, saved, 1.5),
        "{with_256} reads, {saved} saved, {with_more} with {size_mb} MB"
    );
}

/// tempdb of one file of 8 MB that grows by 1 MB, in a directory.
fn open(dir: &Path) -> Arc<Engine> {
    let file = |name, log| TempFileConfig {
        growth: GrowthConfig::Pages(128),
        size_pages: 1024,
        ..TempFileConfig::new(name, log)
    };
    let config = InstanceConfig {
        max_memory_bytes: Some(256 << 20),
        tempdb: Some(TempdbConfig { files: vec![file("tempdev", false), file("templog", true)] }),
        ..InstanceConfig::new(Some(dir.to_owned()), Arc::new(millpond_device::SystemClock::new()))
    };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

fn close(engine: &Arc<Engine>) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), true).expect("the files can be written");
}

/// Fills 27 MB of tempdb; gives the pages of its data file before and after.
fn fill(engine: &Arc<Engine>) -> [f64; 2] {
    const PAGES: &str = "select size from tempdb.sys.database_files where file_id = 1";
    let mut one = session(engine);
    let before = number(&mut one, PAGES);
    do_all(
        &mut one,
        "set nocount on create table #t (c char(7900)) insert #t select 'x' from generate_series(1, 3500)",
    );
    [before, number(&mut one, PAGES)]
}

#[test]
fn a_file_that_grew_by_small_steps_begins_with_its_size_and_grows_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let [before, after] = fill(&engine);
    assert!(after >= before + 20.0 * 128.0, "{before} {after}");
    let mut one = session(&engine);
    let advice = advice(&mut one, "growth");
    assert_eq!((advice.len(), advice[0].severity.as_str()), (1, "medium"));
    assert_eq!(numbers(&advice[0].evidence)[0], (after - before) / 128.0, "{}", advice[0].evidence);
    // As it was, it would grow again.
    drop(one);
    close(&engine);
    drop(engine);
    let engine = open(dir.path());
    let [before, after] = fill(&engine);
    assert!(after > before, "{before} {after}");
    let mut one = session(&engine);
    do_all(&mut one, &advice[0].statement);
    drop(one);
    close(&engine);
    drop(engine);
    let engine = open(dir.path());
    let [before, after] = fill(&engine);
    assert_eq!(before, after, "{}", advice[0].effect);
    assert!(self::advice(&mut session(&engine), "growth").is_empty());
    close(&engine);
}

#[test]
fn a_sort_that_spilled_has_the_memory_that_it_needs() {
    const SORT: &str =
        "set nocount on select max(n) as n from (select row_number() over (order by c, id) as n from d.dbo.s) as x";
    const SPILLED: &str = "select sum(total_spills) from sys.dm_exec_query_stats";
    let engine = small();
    let mut one = session(&engine);
    do_all(&mut one, "set nocount on create database d alter database d set recovery simple");
    do_all(&mut one, "create table d.dbo.s (id int not null primary key, c char(2000) not null)");
    do_all(
        &mut one,
        "set nocount on insert d.dbo.s select value, right('0000000000' + cast(value * 7919 % 60013 as varchar(10)), 10) + replicate('-', 1990)
         from generate_series(1, 45000)",
    );
    assert_eq!(number(&mut one, SORT), 45_000.0);
    let spilled = number(&mut one, SPILLED);
    assert!(spilled > 0.0, "a sort of 90 MB in memory for 72");
    let advice = advice(&mut one, "grants");
    assert_eq!(advice.len(), 1);
    do_all(&mut one, &advice[0].statement);
    assert_eq!(number(&mut one, SORT), 45_000.0);
    assert_eq!(number(&mut one, SPILLED), spilled, "{}", advice[0].effect);
}

/// Pages that the session has asked for.
fn asked(session: &mut Session) -> f64 {
    number(session, "select logical_reads from sys.dm_exec_sessions where session_id = @@spid")
}

#[test]
fn an_index_that_was_missed_a_hundred_times_saves_the_part_that_was_promised() {
    let engine = engine();
    let mut one = session(&engine);
    do_all(&mut one, "set nocount on create database [d's]");
    do_all(
        &mut one,
        "use [d's] create table [o]]r] (id int not null primary key, [v 1] int not null, c char(200) not null)",
    );
    do_all(&mut one, "set nocount on insert [o]]r] select value, value % 2000, 'x' from generate_series(1, 20000)");
    let hundred = |one: &mut Session| {
        let before = asked(one);
        (0..100).for_each(|_| do_all(one, "select count(*) as n from [o]]r] where [v 1] = 3"));
        asked(one) - before
    };
    let before = hundred(&mut one);
    let advice = advice(&mut one, "indexes");
    assert_eq!(advice.len(), 1);
    assert_eq!(advice[0].statement, "CREATE INDEX [IX_o]]r_v 1_d6f7fc88] ON [d's].[dbo].[o]]r] ([v 1]);");
    assert_eq!(numbers(&advice[0].evidence)[0], 100.0, "{}", advice[0].evidence);
    let promised = before * numbers(&advice[0].effect)[0] / 100.0;
    do_all(&mut one, &advice[0].statement);
    let saved = before - hundred(&mut one);
    assert!(is_within(saved, promised, 1.5), "{saved} of {before}, {promised} promised");
    assert!(self::advice(&mut one, "indexes").is_empty(), "it is not missed any more");
}

#[test]
fn an_index_that_nobody_reads_costs_its_changes_until_it_is_gone() {
    const UPDATE: &str = "set nocount on declare @i int = 0
        while @i < 1000 begin update t set v = v + 1 where id = @i % 100 + 1 set @i += 1 end";
    let engine = engine();
    let mut one = session(&engine);
    do_all(&mut one, "set nocount on create database d");
    do_all(&mut one, "use d create table t (id int not null primary key, v int not null, w int not null unique)");
    do_all(&mut one, "create index idle on t (v) insert t select value, value, value from generate_series(1, 1000)");
    let updates = |one: &mut Session| {
        let before = asked(one);
        do_all(one, UPDATE);
        asked(one) - before
    };
    let before = updates(&mut one);
    let advice = advice(&mut one, "indexes");
    assert_eq!(advice.len(), 1);
    assert_eq!(advice[0].statement, "DROP INDEX [idle] ON [d].[dbo].[t];");
    do_all(&mut one, &advice[0].statement);
    let after = updates(&mut one);
    assert!(after < before, "{before} {after}");
    assert!(self::advice(&mut one, "indexes").is_empty());
}
