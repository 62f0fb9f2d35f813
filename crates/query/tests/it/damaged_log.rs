//! A log that was damaged where nobody looked: the start says so, and the emergency road takes what is good. And logs that
//! begin small.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

use crate::harness::{run, session};

fn try_open(dir: &Path) -> Result<Arc<Engine>, String> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(64 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    Ok(millpond_procedures::registry::new_engine(TxnManager::new(
        Instance::open(config).map_err(|error| error.to_string())?,
    )))
}

fn open(dir: &Path) -> Arc<Engine> {
    try_open(dir).expect("the directory opens")
}

fn close(engine: &Engine, clean: bool) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), clean).expect("the files can be written");
}

/// Flips a bit of the block of a log file that has `text` in it.
fn damage(log: &Path, text: &[u8]) -> usize {
    let mut bytes = std::fs::read(log).unwrap();
    let at = bytes.windows(text.len()).position(|window| window == text).expect("the log has the row");
    bytes[at] ^= 4;
    std::fs::write(log, bytes).unwrap();
    at
}

fn insert_each(one: &mut millpond_query::session::Session, from: u32, to: u32) {
    for number in from..to {
        assert_eq!(run(one, &format!("insert t values ({number}, 'row number {number:04}')")), "");
    }
}

#[test]
fn a_flipped_bit_makes_the_database_suspect_and_an_emergency_takes_what_is_before_it() {
    let dir = tempfile::tempdir().unwrap();
    {
        let engine = open(dir.path());
        let mut one = session(&engine);
        assert_eq!(run(&mut one, "set nocount on create database shop"), "");
        assert_eq!(run(&mut one, "use shop create table t (id int primary key, v varchar(40)) checkpoint"), "");
        insert_each(&mut one, 0, 40);
        close(&engine, false);
    }
    let log = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let log = log.into_iter().find(|path| path.file_name().unwrap().to_string_lossy() == "shop_log.ldf").unwrap();
    let at = damage(&log, b"row number 0025");
    let engine = open(dir.path());
    let mut one = session(&engine);
    run(&mut one, "set nocount on");
    assert_eq!(
        run(&mut one, "select state_desc from sys.databases where name = 'shop'"),
        "[state_desc:nvarchar(60)]\nSUSPECT\n"
    );
    let told = run(&mut one, "use shop");
    assert!(told.starts_with("Msg 926,") && told.contains("shop_log.ldf"), "{told}");
    let offset: usize = told.split("at offset ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    assert!((offset..offset + 4096).contains(&at), "{at}: {told}");
    let lines = engine.error_log().lines();
    assert!(lines.iter().any(|line| line.number == 3414 && line.text.contains("shop_log.ldf")), "{lines:?}");

    // Nothing is given up before both were said.
    assert!(run(&mut one, "dbcc checkdb (shop, repair_allow_data_loss) with no_infomsgs").contains("Msg "));
    assert_eq!(run(&mut one, "set nocount on alter database shop set emergency"), "");
    assert_eq!(
        run(&mut one, "select state, state_desc from sys.databases where name = 'shop'"),
        "[state:tinyint | state_desc:nvarchar(60)]\n5 | EMERGENCY\n"
    );
    assert!(run(&mut one, "use shop").contains("EMERGENCY"));
    assert_eq!(run(&mut one, "alter database shop set single_user"), "");
    let told = run(&mut one, "dbcc checkdb (shop, repair_allow_data_loss) with no_infomsgs");
    assert!(told.contains("has been cut off") && !told.contains("consistency errors"), "{told}");
    assert_eq!(run(&mut one, "alter database shop set multi_user"), "");
    assert_eq!(run(&mut one, "use shop select count(*), max(id) from t"), "[:int | :int]\n25 | 24\n");
    insert_each(&mut one, 25, 30);
    close(&engine, false);
    drop((one, engine));

    let engine = open(dir.path());
    let mut one = session(&engine);
    run(&mut one, "set nocount on");
    assert_eq!(run(&mut one, "use shop select count(*), max(id) from t"), "[:int | :int]\n30 | 29\n");
}

#[test]
fn a_damaged_log_of_master_is_named_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    {
        let engine = open(dir.path());
        let mut one = session(&engine);
        assert_eq!(run(&mut one, "set nocount on create table t (id int primary key, v varchar(40)) checkpoint"), "");
        insert_each(&mut one, 0, 20);
        close(&engine, false);
    }
    damage(&dir.path().join("mastlog.ldf"), b"row number 0011");
    let error = try_open(dir.path()).map(drop).expect_err("master is damaged");
    assert!(error.contains("mastlog.ldf") && error.contains("at offset "), "{error}");
}

#[test]
fn the_first_large_insert_finds_room_in_a_small_log() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut one = session(&engine);
    let insert = "set nocount on create table t (id int primary key, v char(400))
        insert t select top (3000) row_number() over (order by (select 1)), 'x' from sys.all_columns a cross join sys.all_columns b
        select count(*) from t";
    assert_eq!(run(&mut one, insert), "[:int]\n3000\n");
    for (name, growth) in [("a", "64KB"), ("b", "1%"), ("c", "10%"), ("d", "1MB")] {
        let make = format!(
            "set nocount on create database {name} on (name = {name}, filename = '{0}/{name}.mdf')
             log on (name = {name}l, filename = '{0}/{name}.ldf', size = 512KB, filegrowth = {growth})",
            dir.path().display()
        );
        assert_eq!(run(&mut one, &make), "", "{name}");
        assert_eq!(run(&mut one, &format!("use {name}")), "");
        assert_eq!(run(&mut one, insert), "[:int]\n3000\n", "{growth}");
    }
}
