//! What was committed is there when the instance is opened again: tables, their definitions, their rows.

use std::path::Path;
use std::sync::Arc;

use millpond_query::engine::Engine;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

use crate::harness::{run, session};

fn open(dir: &Path) -> Arc<Engine> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(256 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    Engine::new(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

fn close(engine: Arc<Engine>, clean: bool) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), clean).expect("the files can be written");
}

const MAKE: &str = "create table t (id int identity primary key, v varchar(20) default ('none'), w as id * 2,
    constraint ck check (v <> 'bad'))
create index ix on t (v) include (id)
insert t (v) values ('a'), ('b'), ('c')
insert t default values";

/// The number that a session's only row has.
fn number(answer: &str) -> i64 {
    answer.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn numbers_of_sequences_are_not_given_twice() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path());
        let mut one = session(&engine);
        assert_eq!(run(&mut one, "set nocount on create database shop"), "");
        assert_eq!(run(&mut one, "use shop"), "");
        let make = "create sequence s create sequence exact no cache create sequence short minvalue 1 maxvalue 2
            create sequence again start with 10 create table t (id bigint default next value for s, n int)";
        assert_eq!(run(&mut one, make), "");
        assert_eq!(run(&mut one, "create function dbo.twice (@x int) returns int as begin return @x * 2 end"), "");
        assert_eq!(run(&mut one, "create table u (a int default dbo.twice(4), b as dbo.twice(a))"), "");
        assert_eq!(run(&mut one, "alter sequence s restart with 7 insert t (n) values (1), (2)"), "");
        assert_eq!(number(&run(&mut one, "select next value for exact")), i64::MIN);
        run(&mut one, "select next value for short select next value for short");
        // Neither the rollback of a change nor that of a row takes numbers back.
        run(&mut one, "begin tran insert t (n) values (3) alter sequence again restart with 99 rollback");
        assert_eq!(number(&run(&mut one, "select next value for again")), 10);
        assert_eq!(run(&mut one, "create table v (a int, rv rowversion) insert v (a) values (1), (2)"), "");
        drop(one);
        close(engine, clean);
        let engine = open(dir.path());
        let mut one = session(&engine);
        assert_eq!(run(&mut one, "set nocount on use shop"), "");
        assert_eq!(run(&mut one, "insert v (a) values (3) update v set a = 5 where a = 1"), "");
        assert_eq!(run(&mut one, "select count(distinct rv) from v"), "[:int]\n3\n");
        assert_eq!(run(&mut one, "select a from v order by rv"), "[a:int]\n2\n3\n5\n");
        assert_eq!(run(&mut one, "insert t (n) values (4) insert u default values"), "");
        assert_eq!(run(&mut one, "select count(distinct id) as n from t where id >= 7"), "[n:int]\n3\n");
        assert!(number(&run(&mut one, "select id from t where n = 4")) > 9);
        assert_eq!(number(&run(&mut one, "select next value for exact")), i64::MIN + 1);
        assert!(run(&mut one, "select next value for short").contains("11728"));
        assert!(number(&run(&mut one, "select next value for again")) > 10);
        assert_eq!(run(&mut one, "select a, b from u"), "[a:int | b:int]\n8 | 16\n");
    }
}

#[test]
fn what_was_committed_is_there_after_a_restart() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let engine = open(dir.path());
        let mut one = session(&engine);
        run(&mut one, "set nocount on create database shop");
        assert_eq!(run(&mut one, "use shop"), "");
        assert_eq!(run(&mut one, MAKE), "");
        assert_eq!(run(&mut one, "create view dbo.tv as select id, v from dbo.t where id > 1"), "");
        assert_eq!(run(&mut one, "create sequence s as int start with 5"), "");
        // Not committed: not there.
        assert_eq!(run(&mut one, "begin transaction delete t where id = 1 create table gone (a int)"), "");
        drop(one);
        close(engine, clean);
        let engine = open(dir.path());
        let mut one = session(&engine);
        assert_eq!(run(&mut one, "set nocount on use shop"), "", "clean {clean}");
        let rows = "[id:int | v:varchar(20) | w:int]\n1 | a | 2\n2 | b | 4\n3 | c | 6\n4 | none | 8\n";
        assert_eq!(run(&mut one, "select * from t"), rows);
        assert_eq!(run(&mut one, "select id from t where v = 'b'"), "[id:int]\n2\n");
        assert_eq!(run(&mut one, "select v from tv where id = 3"), "[v:varchar(20)]\nc\n");
        assert!(run(&mut one, "insert t (v) values ('bad')").contains("CHECK constraint \"ck\""));
        assert!(run(&mut one, "select * from gone").contains("Invalid object name 'gone'"));
        // An identity value is not given twice; some may be left out.
        assert_eq!(run(&mut one, "insert t (v) values ('d')"), "");
        assert_eq!(run(&mut one, "select count(*), count(distinct id) from t"), "[:int | :int]\n5 | 5\n");
    }
}
