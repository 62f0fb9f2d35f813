//! Files that can take no more: the statement fails with 1105 or 9002, its rows are gone, everything else is unharmed, and what
//! makes room works.

use std::sync::Arc;

use millpond_device::{BlockDevice, RamMedia, SystemClock};
use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_txn::TxnManager;

use crate::harness::{engine_with, run, session};

const DOUBLE: &str = "insert #t select c from #t";

fn eight_megabytes() -> TempdbConfig {
    let fixed = |name, log| TempFileConfig { growth: GrowthConfig::Pages(0), ..TempFileConfig::new(name, log) };
    TempdbConfig { files: vec![fixed("tempdev", false), fixed("templog", true)] }
}

#[test]
fn a_full_tempdb_fails_one_statement_and_is_free_after_the_drop() {
    let engine = engine_with(Some(eight_megabytes()));
    let (mut one, mut other) = (session(&engine), session(&engine));
    run(&mut one, "set nocount on create table #t (c char(8000) not null) insert #t values ('x')");
    // 2^10 pages of 8 KB are all of tempdb, so the tenth doubling cannot fit.
    let told: Vec<String> = (0..10).map(|_| run(&mut one, DOUBLE)).collect();
    assert!(told[..9].iter().all(String::is_empty), "{told:?}");
    assert!(
        told[9].starts_with("Msg 1105, Level 17, State 2, Line 1: Could not allocate space for object"),
        "{}",
        told[9]
    );
    assert_eq!(run(&mut one, "select count(*) from #t"), "[:int]\n512\n");
    let small = "set nocount on create table #u (id int) insert #u values (1) select * from #u drop table #u";
    assert_eq!(run(&mut other, small), "[id:int]\n1\n");
    run(&mut one, "drop table #t");
    let reserved: u64 =
        engine.instance().tempdb_space().report().iter().map(|file| file.reserved.iter().sum::<u64>()).sum();
    assert_eq!(reserved, 0);
    assert_eq!(run(&mut one, small), "[id:int]\n1\n");
}

/// An engine over memory whose files can be stopped from growing, with a database `shop`.
fn shop_on(media: &Arc<RamMedia>, recovery: &str) -> Arc<Engine> {
    let files = vec![TempFileConfig::new("tempdev", false), TempFileConfig::new("templog", true)];
    let config = InstanceConfig {
        max_memory_bytes: Some(32 << 20),
        tempdb: Some(TempdbConfig { files }),
        media: media.clone(),
        ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
    };
    let engine = millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("memory")));
    let mut one = session(&engine);
    assert_eq!(
        run(&mut one, &format!("set nocount on create database shop alter database shop set recovery {recovery}")),
        ""
    );
    engine
}

/// The disk has no byte left for any file.
fn fill_disk(media: &RamMedia) {
    for path in media.paths() {
        let device = media.device(&path).expect("listed");
        device.fill_beyond(device.len_bytes());
    }
}

/// Inserts until there is no room; gives the error.
fn fill(one: &mut Session, table: &str) -> String {
    let insert = format!(
        "set nocount on declare @i int = 0 while @i < 200 begin insert {table} (v) values ('x') set @i += 1 end"
    );
    (0..200).map(|_| run(one, &insert)).find(|told| told.contains("Msg ")).expect("the files have an end")
}

const TABLES: &str = "use shop
    create table big (id int identity primary key, v char(7000), w as id % 10, index ix (id))
    create table kept (id int identity primary key, v char(7000))
    insert kept (v) values ('x') ";

/// Adds a row to `big`. Pages of deleted rows are given back by the ghost cleaner, some time after the commit.
fn until_it_has_room(one: &mut Session, ends: &str) {
    for _ in 0..2_000 {
        let told = run(one, "set nocount on insert big (v) values ('y')");
        if told.is_empty() {
            return;
        }
        assert!(told.contains("Msg 1105,"), "{ends}: {told}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{ends}: there never was room");
}

/// A shop of whose table `big` the disk is full, behind a checkpoint.
fn full_shop() -> (Arc<RamMedia>, Arc<Engine>, Session) {
    let media = Arc::new(RamMedia::new());
    let engine = shop_on(&media, "simple");
    let mut one = session(&engine);
    assert_eq!(run(&mut one, &format!("set nocount on {TABLES}")), "");
    fill_disk(&media);
    let told = fill(&mut one, "big");
    assert!(told.contains("Msg 1105,") || told.contains("Msg 9002,"), "{told}");
    assert_eq!(run(&mut one, "checkpoint"), "");
    (media, engine, one)
}

#[test]
fn a_full_disk_still_lets_tables_be_emptied_and_dropped() {
    for (ends, left) in [
        ("truncate table big", "0"),
        ("drop table big create table big (id int identity primary key, v char(7000))", "0"),
        ("begin tran truncate table big commit", "0"),
        ("begin tran drop table big commit create table big (id int identity, v char(7000))", "0"),
        ("drop index ix on big truncate table big", "0"),
        // At once it would need more log than the disk has (9002, as for every large transaction).
        ("while exists (select * from big) begin delete top (50) big checkpoint end", "0"),
    ] {
        let (media, engine, mut one) = full_shop();
        assert_eq!(run(&mut one, &format!("set nocount on {ends}")), "", "{ends}");
        assert_eq!(run(&mut one, "select count(*) from big"), format!("[:int]\n{left}\n"));
        until_it_has_room(&mut one, ends);
        assert_eq!(run(&mut one, "set nocount on insert kept (v) values ('y')"), "", "{ends}");
        let (task, io) = (Task::new(SessionId(0)), IoCount::default());
        engine.instance().shutdown(&Ask::new(&task, &io), true).expect("a full disk lets the server end");
        drop((one, engine));
        let engine = shop_on_again(&media);
        let kept = run(&mut session(&engine), "set nocount on select count(*) from shop.dbo.kept");
        assert_eq!(kept, "[:int]\n2\n");
    }
}

/// The table with its rows, ends of its indexes and a table that was full.
const STATE: &str =
    "select count(*), min(id), max(id), sum(w) from big select count(*) from big with (index (ix)) where id > 0";

#[test]
fn on_a_full_disk_what_emptied_a_table_is_undone_by_rollback_and_by_a_crash() {
    for ends in [
        "truncate table big",
        "drop table big",
        "truncate table big insert big (v) values ('y') insert kept (v) values ('y')",
        "truncate table big truncate table kept truncate table big",
        "save tran s truncate table big rollback tran s truncate table kept",
    ] {
        let (media, engine, mut one) = full_shop();
        let before = run(&mut one, STATE);
        assert_eq!(run(&mut one, &format!("set nocount on begin tran {ends}")), "", "{ends}");
        // The log of what is not committed is on the disk, and the power goes.
        assert_eq!(run(&mut session(&engine), "use shop checkpoint"), "");
        let crashed = Arc::new(media.snapshot());
        assert_eq!(run(&mut one, "rollback"), "");
        assert_eq!(run(&mut one, STATE), before, "{ends}");
        assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "", "{ends}");
        let again = shop_on_again(&crashed);
        let mut other = session(&again);
        assert_eq!(run(&mut other, "set nocount on use shop"), "");
        assert_eq!(run(&mut other, STATE), before, "{ends}");
        assert_eq!(run(&mut other, "dbcc checkdb with no_infomsgs"), "", "{ends}");
        // All that was made and not kept is free again, so it can be done once more.
        for session in [&mut one, &mut other] {
            assert_eq!(run(session, &format!("set nocount on begin tran {ends} commit")), "", "{ends}");
        }
    }
}

#[test]
fn a_table_with_many_indexes_is_emptied_on_a_full_disk() {
    let media = Arc::new(RamMedia::new());
    let engine = shop_on(&media, "simple");
    let mut one = session(&engine);
    let columns: String = (0..40).map(|n| format!(", c{n} int default {n}, index i{n} (c{n})")).collect();
    let large = "alter database shop modify file (name = shop, size = 64MB)";
    let many = format!("{large} use shop create table many (id int identity primary key, x xml{columns})");
    assert_eq!(run(&mut one, &format!("set nocount on {TABLES} {many} insert many (x) values ('<a/>')")), "");
    fill_disk(&media);
    let told = fill(&mut one, "big");
    assert!(told.contains("Msg 1105,") || told.contains("Msg 9002,"), "{told}");
    assert_eq!(run(&mut one, "checkpoint truncate table many"), "");
    assert_eq!(run(&mut one, "select count(*) from many"), "[:int]\n0\n");
    // A full disk stays full for others, however often room is made of nothing.
    for _ in 0..20 {
        assert_eq!(run(&mut one, "truncate table many"), "");
    }
    assert_eq!(run(&mut one, "truncate table big select count(*) from big"), "[:int]\n0\n");
}

fn shop_on_again(media: &Arc<RamMedia>) -> Arc<Engine> {
    let config = InstanceConfig {
        max_memory_bytes: Some(32 << 20),
        media: Arc::new(media.snapshot()),
        ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
    };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("it opens again")))
}

#[test]
fn a_full_log_can_be_backed_up_and_is_empty_then() {
    let media = Arc::new(RamMedia::new());
    let engine = shop_on(&media, "full");
    let mut one = session(&engine);
    assert_eq!(run(&mut one, &format!("set nocount on {TABLES}")), "");
    let said = run(&mut one, "backup database shop to disk = '/ram/a.bak'");
    assert!(!said.contains("Msg "), "{said}");
    // The data file has room, the log has none.
    assert_eq!(run(&mut one, "alter database shop modify file (name = shop, size = 200MB)"), "");
    fill_disk(&media);
    let told = fill(&mut one, "kept");
    assert!(told.contains("Msg 9002,") && told.contains("LOG_BACKUP"), "{told}");
    assert_eq!(run(&mut one, "checkpoint"), "");
    let said = run(&mut one, "backup log shop to disk = '/ram/b.trn'");
    assert!(!said.contains("Msg "), "{said}");
    assert_eq!(run(&mut one, "set nocount on insert kept (v) values ('y') truncate table kept drop table big"), "");
    let told = fill(&mut one, "kept");
    assert!(told.contains("Msg 9002,"), "{told}");
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), true).expect("a full log lets the server end");
}
