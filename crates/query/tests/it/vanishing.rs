//! Sessions that vanish in the midst of a transaction which changes definitions. Whatever road leads out of the transaction
//! (ROLLBACK, a lost connection, a pool's reset, KILL, an attention, a panic), the definitions in memory, those in the files
//! and the rows are what they were before it began, and stay so over a restart.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_types::{SqlType, Value};

use crate::harness::{close, engine_in, run, session};

fn session_in(engine: &Arc<Engine>, database: &str) -> Session {
    let mut one = session(engine);
    run(&mut one, &format!("set nocount on use {database}"));
    one
}

/// A client whose answer ends in a panic of the session's thread.
struct Panicking;

impl Sink for Panicking {
    fn columns(&mut self, _columns: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }

    fn row(&mut self, _values: &[Value]) -> Result<(), SinkClosed> {
        panic!("a defect, made on purpose");
    }

    fn message(&mut self, _message: &Message) {}

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// How a session leaves its transaction.
#[derive(Clone, Copy, Debug)]
enum Road {
    Rollback,
    XactAbort,
    Lost,
    Reset,
    Kill,
    Attention,
    Panic,
}

const ROADS: [Road; 7] =
    [Road::Rollback, Road::XactAbort, Road::Lost, Road::Reset, Road::Kill, Road::Attention, Road::Panic];

impl Road {
    fn take(self, mut one: Session) {
        match self {
            Road::Rollback => assert_eq!(run(&mut one, "rollback"), ""),
            Road::XactAbort => assert!(run(&mut one, "set xact_abort on select 1 / 0").contains("Msg 8134")),
            Road::Lost => drop(one),
            Road::Reset => {
                one.reset(&mut crate::harness::Transcript::default()).unwrap();
                assert_eq!(run(&mut one, "set nocount on select @@trancount as n"), "[n:int]\n0\n");
            }
            Road::Kill => {
                one.shared().kill();
                run(&mut one, "select count(*) from sys.objects");
                drop(one);
            }
            Road::Attention => {
                let (shared, is_over) = (Arc::clone(one.shared()), AtomicBool::new(false));
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        while !is_over.load(Relaxed) {
                            shared.cancel();
                            std::thread::yield_now();
                        }
                    });
                    run(&mut one, "waitfor delay '01:00'");
                    is_over.store(true, Relaxed);
                });
                drop(one);
            }
            Road::Panic => {
                let broken = catch_unwind(AssertUnwindSafe(|| {
                    one.run_batch("select name from sys.objects", &mut Panicking);
                }));
                assert!(broken.is_err(), "the sink panics");
                drop(one);
            }
        }
    }
}

/// What every test begins with; made in `shop`, in `other` and in master.
const MAKE: &str = "create table t (id int identity primary key, n int not null, v varchar(20) default ('none'),
    constraint ck check (v <> 'bad'))
create index ix on t (v) include (n)
create table child (id int primary key, parent int constraint fk references t (id), rv rowversion)
create table plain (a int, b nvarchar(max))
create type dbo.price from decimal(9, 2) not null
create sequence dbo.numbers as int start with 5
create synonym dbo.twin for dbo.t
create statistics both on t (v, n)";

const MODULES: [&str; 4] = [
    "create view dbo.seen as select id, v from dbo.t",
    "create procedure dbo.told as select count(*) as n from dbo.t",
    "create function dbo.twice (@x int) returns int as begin return @x * 2 end",
    "create trigger dbo.fired on dbo.t after insert as update t set v = 'fired' where id in (select id from inserted where v = 'fire')",
];

const FILL: &str = "insert t (n, v) values (1, 'a'), (2, 'b'), (3, 'c')
insert child (id, parent) values (1, 1), (2, 2)
insert plain values (1, replicate(cast(N'ж' as nvarchar(max)), 20000)), (2, N'two')";

/// All that the system views and the rows of a database say.
const LOOK: [&str; 17] = [
    "select name, schema_id, parent_object_id, type, modify_date from sys.objects where is_ms_shipped = 0 order by name",
    "select name, schema_id from sys.schemas order by schema_id",
    "select object_name(object_id) o, name, column_id, user_type_id, max_length, is_nullable, is_identity, is_computed
        from sys.columns where object_id in (select object_id from sys.tables) order by o, column_id",
    "select object_name(object_id) o, name, index_id, type, is_unique, is_disabled from sys.indexes
        where object_id in (select object_id from sys.tables) order by o, index_id",
    "select object_name(object_id) o, index_id, column_id, key_ordinal, is_included_column from sys.index_columns
        where object_id in (select object_id from sys.tables) order by o, index_id, index_column_id",
    "select name, definition, is_disabled from sys.check_constraints order by name",
    "select name, definition from sys.default_constraints order by name",
    "select name, is_disabled from sys.foreign_keys order by name",
    "select object_name(object_id) o, definition from sys.sql_modules order by o",
    "select name, is_disabled from sys.triggers order by name",
    "select name, start_value, increment from sys.sequences order by name",
    "select name, system_type_id, is_nullable from sys.types where is_user_defined = 1 order by name",
    "select name, base_object_name from sys.synonyms order by name",
    "select object_name(object_id) o, name from sys.stats where user_created = 1 order by o, name",
    "select * from t order by id select v, n from t where v in ('a', 'b', 'c') order by v select * from seen order by id",
    "select id, parent from child order by id select a, len(b) l, right(b, 2) r from plain order by a select * from twin where n > 1",
    "select dbo.twice(4) as n exec dbo.told",
];

fn look(one: &mut Session) -> String {
    LOOK.iter().map(|text| run(one, text)).collect()
}

/// One kind of change of a definition or another each, as the batches of a transaction.
const CHANGES: [(&str, &[&str]); 41] = [
    ("create table", &["create table made (a int primary key, b int) insert made values (1, 2)"]),
    ("alter table add", &["alter table t add extra int not null default (7)", "insert t (n, extra) values (9, 9)"]),
    (
        "alter column",
        &[
            "drop index ix on t drop statistics t.both",
            "alter table t alter column n bigint not null",
            "insert t (n) values (99999999999)",
        ],
    ),
    ("alter column narrow", &["alter table plain alter column a smallint"]),
    (
        "drop column",
        &[
            "drop index ix on t drop statistics t.both alter table t drop constraint ck",
            "declare @d sysname = (select name from sys.default_constraints where parent_object_id = object_id('t')) exec ('alter table t drop constraint ' + @d) alter table t drop column v",
        ],
    ),
    ("drop table", &["drop table child drop table plain"]),
    (
        "drop and make anew",
        &["drop table plain", "create table plain (z varchar(5) primary key, y int)", "insert plain values ('q', 1)"],
    ),
    ("create index", &["create index made on t (n) insert t (n) values (4)"]),
    ("create unique index", &["create unique index made on t (n) include (v) update t set n = n + 10"]),
    ("drop index", &["drop index ix on t insert t (n, v) values (8, 'a')"]),
    ("rebuild index", &["alter index ix on t rebuild alter index ix on t disable"]),
    ("rebuild all", &["alter index all on t rebuild insert t (n) values (3)"]),
    ("create clustered index", &["create clustered index made on plain (a) insert plain values (3, N'x')"]),
    (
        "drop primary key",
        &[
            "alter table child drop constraint fk",
            "declare @p sysname = (select name from sys.key_constraints where parent_object_id = object_id('t')) exec ('alter table t drop constraint ' + @p) insert t (n) values (7)",
        ],
    ),
    ("add constraint", &["alter table t add constraint more check (n > 0), constraint other unique (n)"]),
    ("drop constraint", &["alter table t drop constraint ck insert t (n, v) values (1, 'bad')"]),
    ("nocheck", &["alter table t nocheck constraint ck alter table child nocheck constraint fk"]),
    ("add default", &["alter table t add constraint d default (3) for n insert t default values"]),
    ("create view", &["create view dbo.made as select 1 as a"]),
    ("alter view", &["alter view dbo.seen as select n from dbo.t"]),
    ("drop view", &["drop view dbo.seen"]),
    ("create procedure", &["create procedure dbo.made as select 1 as a", "exec dbo.made"]),
    ("alter procedure", &["alter procedure dbo.told as select 1 as other"]),
    ("drop procedure", &["drop procedure dbo.told"]),
    ("alter function", &["alter function dbo.twice (@x int) returns int as begin return @x * 3 end"]),
    ("drop function", &["drop function dbo.twice"]),
    ("create trigger", &["create trigger dbo.made on dbo.t after delete as print 'gone'"]),
    ("drop trigger", &["drop trigger dbo.fired"]),
    ("disable trigger", &["disable trigger dbo.fired on dbo.t insert t (n, v) values (1, 'fire')"]),
    ("create sequence", &["create sequence dbo.made start with 3", "select next value for dbo.made as n"]),
    ("drop sequence", &["drop sequence dbo.numbers"]),
    ("create schema", &["create schema made", "create table made.made (a int)"]),
    ("create type", &["create type dbo.made from int", "create table used (a dbo.made)"]),
    ("drop type", &["drop type dbo.price"]),
    ("drop synonym", &["drop synonym dbo.twin create synonym dbo.twin for dbo.plain"]),
    ("select into", &["select * into made from t create index ix on made (n)"]),
    (
        "truncate",
        &[
            "truncate table plain insert plain values (8, replicate(cast(N'q' as nvarchar(max)), 9000)) truncate table child insert child (id) values (9)",
        ],
    ),
    ("rename table", &["exec sp_rename 'plain', 'renamed'", "insert renamed values (9, N'nine')"]),
    ("rename column", &["exec sp_rename 't.n', 'renamed', 'COLUMN'", "update t set renamed = 77"]),
    ("rename index", &["exec sp_rename 't.ix', 'renamed', 'INDEX'"]),
    ("statistics", &["drop statistics t.both create statistics made on t (n)"]),
];

fn make(engine: &Arc<Engine>, database: &str) {
    let mut one = session_in(engine, database);
    assert_eq!(run(&mut one, MAKE), "", "{database}");
    for module in MODULES {
        assert_eq!(run(&mut one, module), "", "{database}");
    }
    assert_eq!(run(&mut one, FILL), "", "{database}");
}

fn begin(engine: &Arc<Engine>, database: &str, batches: &[&str]) -> Session {
    let mut one = session_in(engine, database);
    run(&mut one, "begin transaction");
    for batch in batches {
        let said = run(&mut one, batch);
        assert!(!said.contains("Msg "), "{batch}: {said}");
    }
    one
}

/// The tables take rows as their definitions say, and the indexes agree with them.
fn check(engine: &Arc<Engine>, database: &str, before: &str, what: &str) {
    let mut two = session_in(engine, database);
    let after = look(&mut two);
    assert!(after == *before, "{what}: {}", crate::harness::difference(before, &after));
    let work = "begin transaction insert t (n, v) values (5, 'z') update t set v = 'y' where v = 'z' delete t where n = 5
        insert child (id, parent) values (7, 3) delete child where id = 7 insert plain values (7, N'seven') delete plain where a = 7
        commit";
    assert_eq!(run(&mut two, work), "", "{what}");
}

fn check_pages(engine: &Arc<Engine>, database: &str, what: &str) {
    let mut two = session_in(engine, database);
    assert_eq!(run(&mut two, "dbcc checkdb with no_infomsgs"), "", "{what}");
}

/// Every so-manieth kind of change, by all roads.
fn all_roads(database: &str, every: usize) {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = engine_in(128 << 20, dir.path());
    let mut one = session(&engine);
    run(&mut one, "create database shop create database other");
    drop(one);
    make(&engine, database);
    let before = look(&mut session_in(&engine, database));
    assert!(!before.contains("Msg "), "{before}");
    for road in ROADS {
        for (kind, batches) in CHANGES.into_iter().step_by(every) {
            let what = format!("{road:?}, {kind}, {database}");
            road.take(begin(&engine, database, batches));
            check(&engine, database, &before, &what);
        }
        check_pages(&engine, database, &format!("{road:?}, {database}"));
        close(engine);
        engine = engine_in(128 << 20, dir.path());
        check(&engine, database, &before, &format!("{road:?} after a restart, {database}"));
        check_pages(&engine, database, &format!("{road:?} after a restart, {database}"));
    }
}

#[test]
fn definitions_of_a_vanished_session_are_gone() {
    all_roads("shop", 1);
}

#[test]
fn definitions_of_a_vanished_session_are_gone_from_master() {
    all_roads("master", 5);
}

/// A transaction over several databases, which would be committed in two phases.
#[test]
fn definitions_in_several_databases_go_together() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = engine_in(128 << 20, dir.path());
    let mut one = session(&engine);
    run(&mut one, "create database shop create database other");
    drop(one);
    let all = ["shop", "other", "master"];
    all.iter().for_each(|database| make(&engine, database));
    let before: Vec<_> = all.iter().map(|database| look(&mut session_in(&engine, database))).collect();
    for road in ROADS {
        for (kind, batches) in CHANGES.iter().step_by(7) {
            let mut one = begin(&engine, "shop", batches);
            for database in ["other", "master", "shop"] {
                run(&mut one, &format!("use {database}"));
                if database != "shop" {
                    for batch in *batches {
                        let said = run(&mut one, batch);
                        assert!(!said.contains("Msg "), "{database}, {batch}: {said}");
                    }
                }
            }
            road.take(one);
            for (database, before) in all.iter().zip(&before) {
                check(&engine, database, before, &format!("{road:?}, {kind} in three databases, {database}"));
            }
        }
        close(engine);
        engine = engine_in(128 << 20, dir.path());
        for (database, before) in all.iter().zip(&before) {
            check(&engine, database, before, &format!("{road:?} after a restart, {database}"));
            check_pages(&engine, database, &format!("{road:?} after a restart, {database}"));
        }
    }
}

/// Identity values after a vanished TRUNCATE or reseed: none is given twice.
#[test]
fn identity_values_go_on_after_a_vanished_truncate() {
    for road in ROADS {
        let engine = crate::harness::engine();
        let mut one = session(&engine);
        run(&mut one, "create database shop");
        let mut one = session_in(&engine, "shop");
        run(&mut one, "create table t (id int identity, n int) insert t values (1), (2), (3)");
        road.take(begin(&engine, "shop", &["truncate table t insert t values (9)"]));
        run(&mut one, "insert t values (4)");
        assert_eq!(
            run(&mut one, "select count(*) as n, count(distinct id) as d from t"),
            "[n:int | d:int]\n4 | 4\n",
            "{road:?}"
        );
        road.take(begin(
            &engine,
            "shop",
            &["alter table t add w as n * 2", "select ident_current('t') as n", "insert t values (5)"],
        ));
        run(&mut one, "insert t values (6)");
        assert_eq!(
            run(&mut one, "select count(*) as n, count(distinct id) as d from t"),
            "[n:int | d:int]\n5 | 5\n",
            "{road:?}"
        );
    }
}

/// Who waits for the definition's lock finds the definition as it was when the lock comes free.
#[test]
fn a_waiter_for_the_definition_sees_none_that_is_being_undone() {
    let engine = crate::harness::engine();
    let mut one = session(&engine);
    run(&mut one, "create database shop");
    let mut one = session_in(&engine, "shop");
    run(&mut one, "create table t (id int identity primary key, n int not null) insert t values (1), (2), (3)");
    for round in 0..40 {
        let road = ROADS[round % ROADS.len()];
        let changing =
            begin(&engine, "shop", &["alter table t add m int not null default (1)", "create index ix on t (m)"]);
        let engine_too = Arc::clone(&engine);
        let other = std::thread::spawn(move || {
            let mut two = session_in(&engine_too, "shop");
            run(
                &mut two,
                "alter table t add k int null insert t (n) values (9) alter table t drop column k select * from t where n < 3 delete t where n = 9",
            )
        });
        crate::harness::until_waiting(&engine, 1);
        road.take(changing);
        let said = other.join().expect("no panic");
        assert_eq!(said, "[id:int | n:int]\n1 | 1\n2 | 2\n", "{road:?}");
        assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "");
    }
}
