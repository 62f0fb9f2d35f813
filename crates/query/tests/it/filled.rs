//! Tables that a statement fills (SELECT … INTO a table of a database, INSERT … WITH (TABLOCK) into an empty one or behind the
//! rows of a heap): how they come into the files, what the log holds of it, and what undoes it.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

use crate::harness::{run, session};

/// 40,000 rows of 100 bytes and more, which several threads make.
const NUMBERS: &str = "set nocount on
exec sp_configure 'show advanced options', 1 reconfigure exec sp_configure 'cost threshold for parallelism', 0 reconfigure
create table digits (i int not null primary key)
declare @i int = 0 while @i < 200 begin insert digits values (@i) set @i += 1 end
select h.i * 200 + l.i as id, cast(h.i as char(100)) as v into numbers from digits h cross join digits l";
const COPY: &str = "select id, v, id % 7 as g into copy from numbers where v is not null";

fn open(dir: &Path) -> (Arc<Engine>, Session) {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(64 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    let engine = millpond_procedures::registry::new_engine(TxnManager::new(
        Instance::open(config).expect("the directory opens"),
    ));
    let session = session(&engine);
    (engine, session)
}

/// As [`open`], in a new database `shop` that has the numbers.
fn open_shop(dir: &Path) -> (Arc<Engine>, Session) {
    let (engine, mut one) = open(dir);
    for text in ["create database shop", "use shop", NUMBERS] {
        let said = run(&mut one, text);
        assert!(!said.contains("Msg "), "{said}");
    }
    (engine, one)
}

fn close(engine: &Engine, clean: bool) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), clean).expect("the files can be written");
}

/// The only number that a query gives.
fn number(one: &mut Session, query: &str) -> i64 {
    let said = run(one, query);
    said.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

/// Bytes written to the log of the database so far.
fn logged(one: &mut Session) -> i64 {
    run(one, "begin tran insert digits values (1000) delete digits where i = 1000 commit");
    number(one, "select num_of_bytes_written from sys.dm_io_virtual_file_stats(db_id(), 2)")
}

/// What the log grows by at most when the rows are filled behind others. Written row by row they take 13 MB; the ghost cleaner,
/// which logs beside the statement, is counted with it.
const FILLED_LOG_MAX: i64 = 6 << 20;

/// Bytes that a statement writes to the log.
fn logged_by(one: &mut Session, text: &str) -> i64 {
    let before = logged(one);
    let said = run(one, text);
    assert!(!said.contains("Msg "), "{said}");
    logged(one) - before
}

fn assert_whole(one: &mut Session) {
    assert_eq!(run(one, "select count(*), sum(cast(id as bigint)), count(distinct g) from copy"), SUMS);
    assert_eq!(
        run(one, "select id, g from copy where id in (0, 39999) order by id"),
        "[id:int | g:int]\n0 | 0\n39999 | 1\n"
    );
    assert_sound(one);
}

const SUMS: &str = "[:int | :bigint | :int]\n40000 | 799980000 | 7\n";

#[test]
fn its_pages_are_in_the_files_and_not_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    // 4.5 MB of rows, the first MB of them logged, and as much for the index.
    for text in [COPY, "create index ix on copy (v, id)"] {
        let bytes = logged_by(&mut one, text);
        assert!(bytes < 3 << 20, "{text}: {bytes} bytes");
    }
    assert_whole(&mut one);
    drop(one);
    close(&engine, false);
    drop(engine);
    let (_engine, mut one) = open(dir.path());
    run(&mut one, "set nocount on use shop");
    assert_whole(&mut one);
    run(
        &mut one,
        "update copy set g = 3 where id % 2 = 0 delete copy where id < 100 insert copy values (50000, 'x', 1)",
    );
    assert_eq!(number(&mut one, "select count(*) from copy"), 39_901);
}

#[test]
fn a_log_that_a_backup_needs_holds_all_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let files = tempfile::tempdir().unwrap();
    let (_engine, mut one) = open_shop(dir.path());
    let device = |name: &str| format!("disk = '{}'", files.path().join(name).display());
    run(&mut one, &format!("backup database shop to {}", device("full.bak")));
    assert!(logged_by(&mut one, COPY) > 4 << 20);
    run(&mut one, &format!("backup log shop to {}", device("1.trn")));
    run(&mut one, "drop table copy use master");
    let said = run(&mut one, &format!("restore database shop from {} with replace, norecovery", device("full.bak")));
    assert!(said.contains("RESTORE DATABASE successfully"), "{said}");
    let said = run(&mut one, &format!("restore log shop from {} with recovery", device("1.trn")));
    assert!(said.contains("RESTORE LOG successfully"), "{said}");
    run(&mut one, "use shop");
    assert_whole(&mut one);
    run(&mut one, "alter database shop set recovery simple drop table copy");
    assert!(logged_by(&mut one, COPY) < 3 << 20);
    run(&mut one, &format!("backup database shop to {}", device("simple.bak")));
    run(&mut one, "drop table copy use master");
    run(&mut one, &format!("restore database shop from {} with replace", device("simple.bak")));
    run(&mut one, "use shop");
    assert_whole(&mut one);
}

#[test]
fn a_rollback_leaves_nothing_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let (_engine, mut one) = open_shop(dir.path());
    let used = "select sum(total_page_count - unallocated_extent_page_count) from sys.dm_db_file_space_usage";
    run(&mut one, &format!("begin tran {COPY} rollback"));
    let before = number(&mut one, used);
    for text in [
        format!("begin tran {COPY} rollback"),
        "select id, v, 1 / (id - 39000) as g into copy from numbers".to_owned(),
        format!("begin tran save tran s {COPY} rollback tran s commit"),
    ] {
        run(&mut one, &text);
        assert_eq!(number(&mut one, used), before, "{text}");
        assert!(run(&mut one, "select * from copy").contains("Msg 208"));
    }
    run(&mut one, COPY);
    assert_whole(&mut one);
}

#[test]
fn rows_that_values_hang_on_and_limited_ones_come_too() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    let large =
        "select id, replicate(cast(v as varchar(max)), 200) as v, id % 7 as g into copy from numbers where id < 40";
    run(&mut one, large);
    assert_eq!(number(&mut one, "select sum(len(v)) from copy"), 40 * 20_000 - 40 * 99);
    run(&mut one, "set rowcount 10 select id into few from numbers set rowcount 0");
    assert_eq!(number(&mut one, "select count(*) from few"), 10);
    drop(one);
    close(&engine, false);
    drop(engine);
    let (_engine, mut one) = open(dir.path());
    run(&mut one, "set nocount on use shop");
    assert_eq!(number(&mut one, "select sum(len(v)) from copy"), 40 * 20_000 - 40 * 99);
    assert_eq!(number(&mut one, "select count(*) from few"), 10);
}

#[test]
fn a_snapshot_from_before_does_not_read_it() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    run(&mut one, "alter database shop set allow_snapshot_isolation on");
    let mut other = session(&engine);
    run(
        &mut other,
        "set nocount on use shop set transaction isolation level snapshot begin tran select count(*) from digits",
    );
    run(&mut one, COPY);
    let said = run(&mut other, "select count(*) from copy");
    assert!(said.starts_with("Msg 3961"), "{said}");
    assert_eq!(number(&mut other, "select count(*) from copy"), 40_000);
}

/// Tables with the columns of `copy`: a heap, and one with a key and an index.
const EMPTY: &str = "create table heap (id int not null, v char(100) not null, g int not null)
create table keyed (id int not null primary key, v char(100) not null, g int not null)
create index ix on keyed (g, id)";

fn insert(into: &str) -> String {
    format!("insert {into} with (tablock) select id, v, id % 7 from numbers")
}

fn assert_filled(one: &mut Session, table: &str) {
    let sums = format!("select count(*), sum(cast(id as bigint)), count(distinct g) from {table}");
    assert_eq!(run(one, &sums), SUMS, "{table}");
    assert_sound(one);
}

#[test]
fn an_empty_table_that_is_locked_is_filled() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    run(&mut one, EMPTY);
    for table in ["heap", "keyed"] {
        let bytes = logged_by(&mut one, &insert(table));
        assert_filled(&mut one, table);
        run(&mut one, &format!("truncate table {table}"));
        let all = logged_by(&mut one, &insert(table).replace("with (tablock)", ""));
        assert!(bytes * 3 < all * 2, "{table}: {bytes} of {all} bytes");
        run(&mut one, &format!("truncate table {table} {}", insert(table)));
        assert_filled(&mut one, table);
    }
    assert_eq!(number(&mut one, "select sum(id) from keyed where g = 3 and id < 20"), 3 + 10 + 17);
    drop(one);
    close(&engine, false);
    drop(engine);
    let (_engine, mut one) = open(dir.path());
    run(&mut one, "set nocount on use shop");
    assert_filled(&mut one, "heap");
    assert_filled(&mut one, "keyed");
    // It is not empty any more.
    assert!(run(&mut one, &insert("keyed")).contains("Msg 2627"));
    assert_filled(&mut one, "keyed");
}

#[test]
fn what_filled_a_table_is_undone_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    run(&mut one, EMPTY);
    let used = "select sum(total_page_count - unallocated_extent_page_count) from sys.dm_db_file_space_usage";
    run(&mut one, &format!("begin tran {} {} rollback", insert("heap"), insert("keyed")));
    let before = number(&mut one, used);
    for table in ["heap", "keyed"] {
        let again = format!("insert {table} values (7, 'x', 1)");
        for text in [
            format!("begin tran {} {again} rollback", insert(table).replace("id, v", "id + 8, v")),
            format!("begin tran {} delete {table} where id % 2 = 0 rollback", insert(table)),
            format!("begin tran save tran s {} rollback tran s commit", insert(table)),
            format!("insert {table} with (tablock) select id, v, 1 / (id - 39000) from numbers"),
            "insert keyed with (tablock) select id / 2, v, 1 from numbers".to_owned(),
        ] {
            run(&mut one, &text);
            assert_eq!(number(&mut one, &format!("select count(*) from {table}")), 0, "{text}");
            assert_eq!(number(&mut one, used), before, "{text}");
        }
        run(&mut one, &format!("{again} delete {table}"));
    }
    // Others see nothing before the commit, and wait to change it.
    run(
        &mut one,
        &format!("truncate table heap truncate table keyed begin tran {} {}", insert("heap"), insert("keyed")),
    );
    let mut other = session(&engine);
    run(&mut other, "set nocount on use shop set lock_timeout 0");
    for table in ["heap", "keyed"] {
        assert_eq!(number(&mut other, &format!("select count(*) from {table}")), 0);
        assert!(run(&mut other, &format!("insert {table} values (7, 'x', 1)")).contains("Msg 1222"));
    }
    // A crash finds the transaction open.
    run(&mut other, "checkpoint");
    close(&engine, false);
    drop((one, other, engine));
    let (_engine, mut one) = open(dir.path());
    run(&mut one, "set nocount on use shop");
    for table in ["heap", "keyed"] {
        assert_eq!(number(&mut one, &format!("select count(*) from {table}")), 0);
        run(&mut one, &insert(table));
        assert_filled(&mut one, table);
    }
}

const USED: &str = "select sum(total_page_count - unallocated_extent_page_count) from sys.dm_db_file_space_usage";

/// That a heap has so many rows, among them each of the numbers so often.
fn assert_loaded(one: &mut Session, rows: i64, times: i64) {
    let sums = "select count(*), sum(cast(id as bigint)), count(distinct id) from heap where id < 40000";
    let expected = format!("[:int | :bigint | :int]\n{} | {} | 40000\n", 40_000 * times, 799_980_000 * times);
    assert_eq!(run(one, sums), expected);
    assert_eq!(number(one, "select count(*) from heap"), rows);
}

fn assert_sound(one: &mut Session) {
    let said = run(one, "dbcc checkdb (shop)");
    assert!(said.contains("CHECKDB found 0 allocation errors and 0 consistency errors in database 'shop'."), "{said}");
}

#[test]
fn rows_are_filled_behind_those_of_a_heap() {
    let dir = tempfile::tempdir().unwrap();
    let files = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    run(&mut one, EMPTY);
    run(&mut one, "insert heap values (50000, 'x', 1)");
    for times in 1..=2 {
        let bytes = logged_by(&mut one, &insert("heap"));
        assert!(bytes < FILLED_LOG_MAX, "{bytes} bytes");
        assert_loaded(&mut one, 40_000 * times + 1, times);
    }
    // Rows of one thread, rows that are few, and rows in between by other ways.
    run(&mut one, "insert heap values (50001, 'y', 1)");
    let made = "insert heap with (tablock) select top (30000) id + 60000, v, g from heap";
    assert!(logged_by(&mut one, made) < FILLED_LOG_MAX);
    assert!(
        logged_by(&mut one, "insert heap with (tablock) select id + 100000, v, 1 from numbers where id < 20")
            < 64 << 10
    );
    run(&mut one, "insert heap values (50002, 'z', 1)");
    assert_loaded(&mut one, 110_023, 2);
    assert_sound(&mut one);
    run(&mut one, "update heap set v = replicate('u', 100), g = 8 where id % 20 = 0 delete heap where id >= 50000");
    assert_loaded(&mut one, 80_000, 2);
    assert_eq!(number(&mut one, "select count(*) from heap where g = 8 and v = replicate('u', 100)"), 4_000);
    assert_sound(&mut one);
    let disk = format!("disk = '{}'", files.path().join("shop.bak").display());
    run(&mut one, &format!("backup database shop to {disk} {}", insert("heap")));
    assert_loaded(&mut one, 120_000, 3);
    drop(one);
    close(&engine, false);
    drop(engine);
    let (_engine, mut one) = open(dir.path());
    run(&mut one, "set nocount on use shop");
    assert_loaded(&mut one, 120_000, 3);
    let said = run(&mut one, &format!("use master restore database shop from {disk} with replace"));
    assert!(said.contains("RESTORE DATABASE successfully"), "{said}");
    run(&mut one, "use shop");
    assert_loaded(&mut one, 80_000, 2);
    let bytes = logged_by(&mut one, &insert("heap"));
    assert!(bytes < FILLED_LOG_MAX, "{bytes} bytes");
    assert_loaded(&mut one, 120_000, 3);
    assert_sound(&mut one);
}

#[test]
fn what_was_filled_behind_rows_is_undone_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    run(&mut one, EMPTY);
    run(&mut one, &insert("heap"));
    run(&mut one, &format!("begin tran {} rollback", insert("heap")));
    let before = number(&mut one, USED);
    let load = insert("heap");
    for text in [
        format!("begin tran insert heap values (7, 'x', 1) {load} insert heap values (7, 'x', 1) rollback"),
        format!(
            "begin tran {load} delete heap where id % 20 = 0 update heap set v = 'short' where id % 20 = 1 {load} rollback"
        ),
        format!("begin tran save tran s {load} rollback tran s commit"),
        "insert heap with (tablock) select id, v, 1 / (id - 39000) from numbers".to_owned(),
        "insert heap with (tablock) select top (20000) id, v, 1 / (id - 9000) from numbers order by id".to_owned(),
    ] {
        run(&mut one, &text);
        assert_loaded(&mut one, 40_000, 1);
        assert_eq!(number(&mut one, USED), before, "{text}");
    }
    // Others see the rows of before, and wait to change them.
    run(&mut one, &format!("begin tran {load}"));
    let mut other = session(&engine);
    run(&mut other, "set nocount on use shop set lock_timeout 0");
    assert_eq!(number(&mut other, "select count(*) from heap"), 40_000);
    assert!(run(&mut other, "insert heap values (7, 'x', 1)").contains("Msg 1222"));
    // A crash finds the transaction open.
    run(&mut other, "checkpoint");
    close(&engine, false);
    drop((one, other, engine));
    let (_engine, mut one) = open(dir.path());
    run(&mut one, "set nocount on use shop");
    assert_loaded(&mut one, 40_000, 1);
    assert_sound(&mut one);
    run(&mut one, &load);
    assert_loaded(&mut one, 80_000, 2);
    assert_sound(&mut one);
}

#[test]
fn a_heap_with_indexes_is_filled_and_they_are_logged() {
    let dir = tempfile::tempdir().unwrap();
    let (_engine, mut one) = open_shop(dir.path());
    run(&mut one, EMPTY);
    run(&mut one, "create index ig on heap (g) create unique index iu on heap (id, g)");
    run(&mut one, &insert("heap"));
    let text = insert("heap").replace("id % 7", "7");
    let bytes = logged_by(&mut one, &text);
    run(&mut one, &format!("begin tran {} rollback", text.replace("7 from", "8 from")));
    assert_loaded(&mut one, 80_000, 2);
    let all = logged_by(&mut one, &text.replace("with (tablock)", "").replace("7 from", "9 from"));
    assert!(bytes * 3 < all * 2, "{bytes} of {all} bytes");
    assert_loaded(&mut one, 120_000, 3);
    assert!(run(&mut one, &text).contains("Msg 2601"));
    assert_loaded(&mut one, 120_000, 3);
    assert_eq!(number(&mut one, "select count(*) from heap with (index (ig)) where g = 7"), 40_000);
    assert_sound(&mut one);
}

#[test]
fn a_load_that_is_cancelled_leaves_the_rows_that_were_there() {
    let dir = tempfile::tempdir().unwrap();
    let (_engine, mut one) = open_shop(dir.path());
    run(&mut one, EMPTY);
    run(&mut one, &insert("heap"));
    run(&mut one, &format!("begin tran {} rollback", insert("heap")));
    let shared = Arc::clone(one.shared());
    let before = number(&mut one, USED);
    let used = |session: &mut Session| number(session, USED);
    for maxdop in [1, 2] {
        let mut watcher = session(one.engine());
        run(&mut watcher, "set nocount on use shop");
        let shared = Arc::clone(&shared);
        let cancels = std::thread::spawn(move || {
            while used(&mut watcher) < before + 400 {
                std::thread::yield_now();
            }
            shared.cancel();
        });
        let text = format!(
            "insert heap with (tablock) select a.id, a.v, 1 from numbers a cross join digits b option (maxdop {maxdop})"
        );
        let said = run(&mut one, &text);
        cancels.join().expect("it saw pages");
        assert!(!said.contains("rows affected"), "{said}");
        assert_loaded(&mut one, 40_000, 1);
        assert_eq!(number(&mut one, USED), before);
    }
}

#[test]
fn a_snapshot_sees_the_rows_that_were_there_while_others_are_filled_behind_them() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open_shop(dir.path());
    run(&mut one, EMPTY);
    run(&mut one, "alter database shop set allow_snapshot_isolation on");
    run(&mut one, &insert("heap"));
    let mut other = session(&engine);
    run(&mut other, "set nocount on use shop set transaction isolation level snapshot begin tran");
    assert_eq!(number(&mut other, "select count(*) from heap"), 40_000);
    run(&mut one, &format!("begin tran {}", insert("heap")));
    assert_eq!(number(&mut other, "select count(*) from heap"), 40_000);
    run(&mut one, "commit");
    assert_eq!(number(&mut other, "select count(*) from heap"), 40_000);
    run(&mut other, "commit");
    assert_eq!(number(&mut other, "select count(*) from heap"), 80_000);
}

#[test]
fn what_several_threads_filled_is_read_in_large_pieces() {
    let dir = tempfile::tempdir().unwrap();
    let (_engine, mut one) = open_shop(dir.path());
    // Statistics would read some pages one by one.
    assert_eq!(run(&mut one, "alter database current set auto_create_statistics off"), "");
    let said = run(
        &mut one,
        "select id, cast(v as char(1000)) as v into wide from numbers checkpoint dbcc dropcleanbuffers with no_infomsgs",
    );
    assert!(!said.contains("Msg "), "{said}");
    let told = |one: &mut Session, what: &str| {
        number(one, &format!("select {what} from sys.dm_io_virtual_file_stats(db_id(), 1)"))
    };
    let before = [told(&mut one, "num_of_reads"), told(&mut one, "num_of_bytes_read")];
    assert_eq!(number(&mut one, "select count(*) from wide where v <> ''"), 40_000);
    let reads = told(&mut one, "num_of_reads") - before[0];
    let bytes = told(&mut one, "num_of_bytes_read") - before[1];
    // 45 MB; a scan begins each of its ranges with single pages.
    assert!(bytes > 40 << 20 && bytes / reads > 100 << 10, "{reads} reads of {bytes} bytes");
}

#[test]
fn a_copy_of_all_columns_has_the_same_rows_whatever_the_records_are_like() {
    let dir = tempfile::tempdir().unwrap();
    let (_engine, mut one) = open_shop(dir.path());
    let make = "select id, cast(id % 2 as bit) as b, nullif(cast(id % 7 as varchar(20)), '3') as v, cast(id as nvarchar(9)) as n,
            cast(id / 8.0 as decimal(9, 2)) as d, id * 0.5e0 as f, cast(id % 3 as char(2)) as c into source from numbers
        alter table source add more int null
        insert source select id + 40000, b, v, n, d, f, c, id from source where id % 4 = 0
        update source set v = v + 'longer than it was' where id % 5 = 0";
    assert_eq!(run(&mut one, make), "");
    for (filter, into) in [
        ("", "copy"),
        ("", "#copy"),
        ("where v like '1%'", "#some"),
        ("where upper(n) + c like '%7%' and more is null", "few"),
        ("where 100 / (id + 1) > 200", "#none"),
    ] {
        let copy = format!("select * into {into} from source {filter}");
        assert_eq!(run(&mut one, &copy), "", "{copy}");
        let is_same = format!(
            "select (select count(*) from source {filter}) - (select count(*) from {into}) as missing,
                (select count(*) from (select * from source {filter} except select * from {into}) x) as lost,
                (select count(*) from (select * from {into} except select * from source {filter}) x) as others"
        );
        assert_eq!(run(&mut one, &is_same), "[missing:int | lost:int | others:int]\n0 | 0 | 0\n", "{copy}");
    }
    // Its columns may be changed as those of any other table.
    let add = "alter table copy add last int not null default 5 update copy set more = 1, v = null where more is null";
    assert_eq!(run(&mut one, add), "");
    let change = "select count(*), sum(last), sum(more) / 10000, count(v) from copy where d >= 0";
    let warning = "# Warning: Null value is eliminated by an aggregate or other SET operation.\n";
    let sums = "[:int | :int | :int | :int]\n50000 | 250000 | 20002 | 8572\n";
    assert_eq!(run(&mut one, change), format!("{sums}{warning}"));
    assert_sound(&mut one);
}
