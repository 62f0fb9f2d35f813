//! What was committed is there when the instance is opened again: tables, their definitions, their rows.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_txn::cleaner;

use crate::harness::{run, session};

fn open(dir: &Path) -> Arc<Engine> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(256 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

/// A session in the database `shop` of an instance in that directory, after a batch that may make it.
fn open_shop(dir: &Path, first: &str) -> (Arc<Engine>, Session) {
    let engine = open(dir);
    let mut one = session(&engine);
    assert_eq!(run(&mut one, first), "");
    assert_eq!(run(&mut one, "use shop"), "");
    (engine, one)
}

fn close(engine: Arc<Engine>, clean: bool) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    if clean {
        millpond_engine::draw::release(engine.databases()).expect("marks can be written");
    }
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
        let (engine, mut one) = open_shop(dir.path(), "set nocount on create database shop");
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
        let (_engine, mut one) = open_shop(dir.path(), "set nocount on");
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
fn texts_of_utf8_are_read_as_they_were_written() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let (engine, mut one) = open_shop(dir.path(), "set nocount on create database shop");
        let make = "create table t (v varchar(30) collate Latin1_General_100_CI_AS_SC_UTF8 primary key,
            c char(8) collate Latin1_General_100_BIN2_UTF8, m varchar(max) collate Latin1_General_100_CI_AS_SC_UTF8, w as upper(v),
            p varchar(30))
            insert t values (N'Žluťoučký 😀 日本', N'日', replicate(cast(N'日' as nvarchar(max)), 5000), N'é日')";
        assert_eq!(run(&mut one, make), "");
        drop(one);
        close(engine, clean);
        let (_engine, mut one) = open_shop(dir.path(), "set nocount on");
        let rows = "select v, c, len(m) as m, datalength(m) as d, w, p from t where v = N'žluťoučký 😀 日本'";
        assert_eq!(
            run(&mut one, rows),
            "[v:varchar(30) | c:char(8) | m:bigint | d:bigint | w:varchar(30) | p:varchar(30)]\n\
             Žluťoučký 😀 日本 | 日 | 5000 | 15000 | ŽLUŤOUČKÝ 😀 日本 | é?\n"
        );
        assert!(run(&mut one, "insert t (v) values (N'ŽLUŤOUČKÝ 😀 日本')").contains("2627"));
        assert_eq!(run(&mut one, "insert t (v, c) values (N'日本', N'日本')"), "");
        let names = "select collation_name as n from sys.columns where object_id = object_id('t') order by column_id";
        assert_eq!(
            run(&mut one, names),
            "[n:nvarchar(128)]\nLatin1_General_100_CI_AS_SC_UTF8\nLatin1_General_100_BIN2_UTF8\n\
             Latin1_General_100_CI_AS_SC_UTF8\nLatin1_General_100_CI_AS_SC_UTF8\nSQL_Latin1_General_CP1_CI_AS\n"
        );
    }
}

#[test]
fn what_was_committed_is_there_after_a_restart() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let (engine, mut one) = open_shop(dir.path(), "set nocount on create database shop");
        assert_eq!(run(&mut one, MAKE), "");
        assert_eq!(run(&mut one, "create view dbo.tv as select id, v from dbo.t where id > 1"), "");
        assert_eq!(run(&mut one, "create sequence s as int start with 5"), "");
        assert_eq!(run(&mut one, "create statistics both on t (v, w) with norecompute"), "");
        assert_eq!(run(&mut one, "create statistics few on t (w) where v <> 'none'"), "");
        assert_eq!(run(&mut one, "exec sp_addextendedproperty 'k', 'kept', 'schema', 'dbo', 'table', 't'"), "");
        // Not committed: not there.
        assert_eq!(
            run(
                &mut one,
                "begin transaction exec sp_updateextendedproperty 'k', 'lost', 'schema', 'dbo', 'table', 't' create statistics gone on t (w) delete t where id = 1 create table gone (a int)"
            ),
            ""
        );
        drop(one);
        close(engine, clean);
        let (_engine, mut one) = open_shop(dir.path(), "set nocount on");
        let rows = "[id:int | v:varchar(20) | w:int]\n1 | a | 2\n2 | b | 4\n3 | c | 6\n4 | none | 8\n";
        assert_eq!(run(&mut one, "select * from t"), rows);
        assert_eq!(run(&mut one, "select id from t where v = 'b'"), "[id:int]\n2\n");
        assert_eq!(run(&mut one, "select v from tv where id = 3"), "[v:varchar(20)]\nc\n");
        let made = "select s.name, s.no_recompute, c.column_id from sys.stats s join sys.stats_columns c
            on c.object_id = s.object_id and c.stats_id = s.stats_id where s.user_created = 1 order by 1, 3";
        assert_eq!(
            run(&mut one, made),
            "[name:nvarchar(128) | no_recompute:bit | column_id:int]\nboth | 1 | 2\nboth | 1 | 3\nfew | 0 | 3\n"
        );
        let filters = "select name, filter_definition as f from sys.stats where has_filter = 1";
        assert_eq!(run(&mut one, filters), "[name:nvarchar(128) | f:nvarchar(max)]\nfew | ([v]<>'none')\n");
        assert_eq!(run(&mut one, "update statistics t few with fullscan"), "");
        let counted = "select p.rows from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
            where s.has_filter = 1";
        assert_eq!(run(&mut one, counted), "[rows:bigint]\n3\n");
        assert_eq!(run(&mut one, "drop statistics t.few"), "");
        assert_eq!(run(&mut one, "drop statistics t.both"), "");
        let property = "select cast(value as varchar(10)) as v from sys.extended_properties";
        assert_eq!(run(&mut one, property), "[v:varchar(10)]\nkept\n");
        assert_eq!(run(&mut one, "exec sp_dropextendedproperty 'k', 'schema', 'dbo', 'table', 't'"), "");
        assert!(run(&mut one, "insert t (v) values ('bad')").contains("CHECK constraint \"ck\""));
        assert!(run(&mut one, "select * from gone").contains("Invalid object name 'gone'"));
        // An identity value is not given twice; some may be left out.
        assert_eq!(run(&mut one, "insert t (v) values ('d')"), "");
        assert_eq!(run(&mut one, "select count(*), count(distinct id) from t"), "[:int | :int]\n5 | 5\n");
    }
}

#[test]
fn identity_values_go_on_within_their_type() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let (engine, mut one) = open_shop(dir.path(), "set nocount on create database shop");
        let make = "create table small (id tinyint identity primary key, n int)
            create table down (id smallint identity (-32760, -1), n int)
            create table given (id int identity, n int)
            create sequence s start with 1 cache 50
            insert small (n) values (1), (2) insert down (n) values (1), (2)
            set identity_insert given on
            insert given (id, n) select value, 0 from generate_series (1, 3000)
            declare @n bigint = next value for s";
        assert_eq!(run(&mut one, make), "");
        drop(one);
        close(engine, clean);
        let (engine, mut one) = open_shop(dir.path(), "set nocount on");
        let more = "insert small (n) values (3) insert given (n) values (1)";
        assert_eq!(run(&mut one, more), "");
        let (id, last) =
            (number(&run(&mut one, "select max(id) from small")), number(&run(&mut one, "select max(id) from given")));
        assert!(if clean { id == 3 } else { (3..=255).contains(&id) }, "{id}");
        assert!(if clean { last == 3001 } else { last > 3000 }, "{last}");
        let drawn = number(&run(&mut one, "select next value for s"));
        assert!(if clean { drawn == 2 } else { drawn == 51 }, "{drawn}");
        // A crash may lose what the type had left, and says so.
        let answer = run(&mut one, "insert down (n) values (3)");
        assert!(if clean { answer.is_empty() } else { answer.contains("8115") }, "{answer}");
        drop(one);
        close(engine, true);
    }
}

#[test]
fn a_table_truncated_in_an_open_transaction_gives_no_identity_value_twice() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path(), "set nocount on create database shop");
    let make =
        "create table t (id int identity primary key, n int) insert t (n) select value from generate_series (1, 90)
        begin transaction truncate table t insert t (n) values (1)";
    assert_eq!(run(&mut one, make), "");
    millpond_engine::draw::release(engine.databases()).expect("marks can be written");
    drop(one);
    close(engine, true);
    let (engine, mut one) = open_shop(dir.path(), "set nocount on");
    assert_eq!(run(&mut one, "insert t (n) values (2)"), "");
    assert_eq!(run(&mut one, "select count(*) as n, count(distinct id) as d from t"), "[n:int | d:int]\n91 | 91\n");
    drop(one);
    close(engine, true);
}

/// Lengths and ends of values beyond their rows, and what a check of the database says.
const LOOK: &str = "set nocount on use wide
select id, len(t) l, right(t, 3) r, datalength(b) d from doc order by id
select id, len(a) + len(b) l from big
dbcc checkdb with no_infomsgs";

const WIDE: &str = "set nocount on create database wide";
const FILL: &str = "set nocount on use wide
create table doc (id int primary key, t nvarchar(max), b varbinary(max))
create table big (id int, a varchar(8000), b varchar(8000))
insert doc values (1, replicate(cast(N'ж' as nvarchar(max)), 500000) + N'one', 0x01), (2, N'two', null), (3, replicate(cast(N'y' as nvarchar(max)), 70000), null)
insert big values (1, replicate('a', 8000), replicate('b', 7000))
update doc set b = cast(replicate(cast('q' as varchar(max)), 3000000) as varbinary(max)) where id = 2
delete doc where id = 3";

const SEEN: &str = "[id:int | l:bigint | r:nvarchar(max) | d:bigint]
1 | 500003 | one | 1
2 | 3 | two | 3000000
[id:int | l:int]
1 | 15000
";

#[test]
fn values_beyond_their_rows_survive_a_restart_and_a_restore() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let engine = open(&data);
        let mut one = session(&engine);
        assert_eq!(run(&mut one, WIDE), "");
        assert_eq!(run(&mut one, FILL), "");
        assert_eq!(run(&mut one, LOOK), SEEN);
        // Not committed: its values are nobody's after the crash.
        run(&mut one, "use wide begin transaction");
        run(&mut one, "update doc set t = replicate(cast(N'z' as nvarchar(max)), 900000), b = null");
        run(&mut one, "insert doc values (9, replicate(cast(N'z' as nvarchar(max)), 900000), null) truncate table big");
        drop(one);
        close(engine, clean);
        let engine = open(&data);
        let mut one = session(&engine);
        assert_eq!(run(&mut one, LOOK), SEEN, "clean {clean}");
        let file = dir.path().join("wide.bak").display().to_string();
        run(&mut one, &format!("use master backup database wide to disk = '{file}' with init"));
        run(&mut one, "delete wide.dbo.doc drop table wide.dbo.big");
        let said = run(&mut one, &format!("restore database wide from disk = '{file}' with replace"));
        assert!(said.contains("# RESTORE DATABASE successfully processed "), "{said}");
        assert_eq!(run(&mut one, LOOK), SEEN, "clean {clean}");
        run(&mut one, "use master drop database wide");
    }
}

#[test]
fn a_snapshot_reads_old_values_while_they_are_changed() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let (mut one, mut two) = (session(&engine), session(&engine));
    run(&mut one, "create database wide alter database wide set allow_snapshot_isolation on");
    run(&mut one, "alter database wide set read_committed_snapshot on");
    assert_eq!(run(&mut one, FILL), "");
    let look = "select id, len(t) l from doc order by id";
    run(&mut two, "set nocount on use wide set transaction isolation level snapshot begin transaction");
    let before = "[id:int | l:bigint]\n1 | 500003\n2 | 3\n";
    assert_eq!(run(&mut two, look), before);
    run(
        &mut one,
        "update doc set t = replicate(cast(N'n' as nvarchar(max)), 800000) where id = 1 delete doc where id = 2",
    );
    run(&mut one, "begin transaction update doc set t = N'open'");
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    for _ in 0..3 {
        cleaner::clean(engine.txns(), &Ask::new(&task, &io));
        assert_eq!(run(&mut two, look), before);
    }
    let mut three = session(&engine);
    run(&mut three, "set nocount on use wide");
    assert_eq!(run(&mut three, look), "[id:int | l:bigint]\n1 | 800000\n");
    run(&mut two, "commit");
    run(&mut one, "rollback");
    cleaner::clean(engine.txns(), &Ask::new(&task, &io));
    assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "");
    assert_eq!(run(&mut one, look), "[id:int | l:bigint]\n1 | 800000\n");
}

#[test]
fn a_table_that_was_never_made_reserves_no_identity_values_for_the_next() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let (engine, mut one) = open_shop(dir.path(), "set nocount on create database shop");
        let undone = "begin transaction create table u (id tinyint identity, n int)
            insert u (n) select value from generate_series(1, 250) rollback";
        assert_eq!(run(&mut one, undone), "");
        drop(one);
        close(engine, clean);
        let (engine, mut one) = open_shop(dir.path(), "set nocount on");
        assert_eq!(run(&mut one, "create table t (id tinyint identity, n int)"), "");
        drop(one);
        close(engine, clean);
        let (engine, mut one) = open_shop(dir.path(), "set nocount on");
        assert_eq!(run(&mut one, "insert t (n) values (1)"), "");
        assert_eq!(number(&run(&mut one, "select max(id) from t")), 1);
        drop(one);
        close(engine, true);
    }
}

/// A table type over alias types, and a table over both; the alias may have been made after other types.
#[test]
fn a_table_type_over_alias_types_is_there_after_a_restart() {
    for clean in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let (engine, mut one) = open_shop(dir.path(), "set nocount on create database shop");
        assert_eq!(run(&mut one, "create schema s"), "");
        let make = "create type plain as table (a int)
            create type s.code from varchar(5) not null
            create type priced as table (c s.code primary key, d s.code null, p decimal(9, 2) check (p > 0))";
        assert_eq!(run(&mut one, make), "");
        drop(one);
        close(engine, clean);
        let (engine, mut one) = open_shop(dir.path(), "set nocount on");
        let fill = "declare @t priced insert @t values ('a', null, 2) select c, d, p from @t";
        assert_eq!(run(&mut one, fill), "[c:varchar(5) | d:varchar(5) | p:decimal(9,2)]\na | NULL | 2.00\n");
        assert!(run(&mut one, "declare @t priced insert @t values ('too long', null, 2)").starts_with("Msg 2628,"));
        drop(one);
        close(engine, true);
    }
}
