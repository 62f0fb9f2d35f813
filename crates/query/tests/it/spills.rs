//! Queries larger than their memory: the same answers as with enough of it, nothing left behind, and one error for one
//! statement when tempdb is full, fails, or the statement is cancelled.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use millpond_device::RamMedia;
use millpond_device::fault::Fault;
use millpond_engine::engine::Engine;
use millpond_message::CANCELLED;
use millpond_query::session::Session;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::space::Owner;
use millpond_txn::TxnManager;

use crate::harness::{run, session};

/// An engine with so much memory; tempdb has one file of 16 MB, which grows or does not.
pub fn engine(media: &Arc<RamMedia>, memory_mb: u64, grows: bool) -> Arc<Engine> {
    let growth = GrowthConfig::Pages(if grows { 1024 } else { 0 });
    let file = |name, log| TempFileConfig { growth, size_pages: 2048, ..TempFileConfig::new(name, log) };
    let config = InstanceConfig {
        max_memory_bytes: Some(memory_mb << 20),
        tempdb: Some(TempdbConfig { files: vec![file("tempdev", false), file("templog", true)] }),
        ..InstanceConfig::over(media.clone(), memory_mb << 20)
    };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("on RAM devices")))
}

/// 40,000 rows in heap `t` and 30,000 in table `u`, about 400 bytes each: keys that meet, that do not, and NULLs.
pub const TABLES: &str = "set nocount on create database d alter database d set recovery simple
    go
    use d
    create table t (id int not null, k int null, s varchar(20) null, c char(360) not null)
    create table u (id int not null primary key, k int null, c char(360) not null)
    create table n (n int not null)
    insert n values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)
    insert t select n, nullif(n * 7919 % 15013, 5), 'S' + cast(n % 9001 as varchar(20)), replicate('-', 340) + cast(n * 37 % 1009 as varchar(10))
    from (select a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n as n from n a, n b, n c, n d, n e where e.n < 4) x
    insert u select n, nullif(n * 50021 % 20011, 7), replicate('-', 340) + cast(n * 91 % 2003 as varchar(10))
    from (select a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n as n from n a, n b, n c, n d, n e where e.n < 3) x";

/// Each holds more than the 16 MB that all statements of a small server may hold.
pub const QUERIES: &[&str] = &[
    "select id from t order by c desc, s, id",
    "select k, s, count(*) as n, max(c) as c from t group by k, s order by k, s",
    "select s, c, sum(id) as n from t group by s, c, k having sum(id) % 7 = 0 order by 3, 1, 2",
    "select id from (select top (9223372036854775807) id, c from t order by c, id desc) x",
    "select count(*) as n from (select distinct c, id, s, s + c as d from t) x",
    "select count(distinct c + s + cast(id as char(8))) as n from t",
    "select count(*) as n, sum(t.id) as t, sum(u.id) as u, max(t.c) as tc, min(u.c) as uc from t join u on t.k = u.k",
    "select count(*) as n, sum(t.id) as t, count(u.id) as u, max(u.c) as uc, max(t.c) as tc from t left join u on t.k = u.k and u.c < t.c",
    "select count(*) as n, count(t.id) as t, count(u.id) as u, max(u.c) as uc, max(t.c) as tc from t full join u on t.k = u.k",
    "select count(*) as n, max(c) as c from t where not exists (select * from u where u.k = t.k and u.c <> t.c)",
    "select count(*) as n, max(c) as c from (select k, c from t except select k, c from u) x",
    "select count(*) as n, max(c) as c from (select k, c from t union select k, c from u) x",
    "select top 7 t.id, u.id as other from t join u on t.k = u.k order by t.c + u.c desc, t.id, u.id",
    "select count(*) as n, count(distinct c + cast(id as char(8))) as c, count(distinct id) as i, max(c) as m from t",
    "select id % 2 as g, sum(k) as k, count(distinct c + cast(id as char(8))) as c from t group by id % 2 order by g",
    // One partition, or a group of equals in order, that is larger than memory.
    "select sum(n * id) as n, sum(p) as p, sum(d) as d, max(c) as c from (select id, c, ntile(7) over (order by s, id) as n,
        percent_rank() over (order by s, id) as p, cume_dist() over (order by s, id) as d from t) x",
    "select max(t - id) as t, max(m) as m, sum(n) as n, max(c) as c from (select id, c, sum(id) over () as t, max(c + s) over () as m,
        count(*) over () as n from t) x",
    "select sum(cast(w as bigint)) as w, max(least) as l, max(greatest) as g, sum(v % 7) as v, max(c) as c from (select c,
        sum(k) over (order by id rows between 20000 preceding and 3 following) as w,
        min(k) over (order by id rows between current row and 19000 following) as least,
        max(s) over (order by id rows between 100 preceding and unbounded following) as greatest,
        avg(id) over (partition by id % 2 order by id rows between current row and unbounded following) as v from t) x",
    "select sum(id % 10 * isnull(l, 1)) as l, sum(cast(e as bigint)) as e, sum(cast(f as bigint)) as f, sum(cast(n as bigint)) as n, max(c) as c from (select id, c, lag(k, 15000) over (order by id) as l,
        lead(k, id % 20000) over (order by id) as e, first_value(k) ignore nulls over (order by id rows between 9 following and unbounded following) as f,
        lead(k, 15000) ignore nulls over (order by id) as n from t) x",
    "select count(*) as n, min(p) as p, min(d) as d, max(c) as c from (select c, percentile_cont(0.3) within group (order by k) over () as p,
        percentile_disc(0.8) within group (order by s) over (partition by id % 2) as d from t) x",
    "select g, sum(cast(r as bigint)) as r, max(c) as c from (select id % 2 as g, c, sum(k) over (partition by id % 2 order by len(c) - len(c)) as r from t) x group by g order by g",
];

pub fn set_up(engine: &Arc<Engine>) {
    let mut one = session(engine);
    for batch in TABLES.split("    go\n") {
        assert_eq!(run(&mut one, batch), "");
    }
}

pub fn reserved_pages(engine: &Arc<Engine>) -> u64 {
    engine.instance().tempdb_space().report().iter().map(|file| file.reserved.iter().sum::<u64>()).sum()
}

/// Those of them that are no rows of users and no row versions.
fn internal_pages(engine: &Arc<Engine>) -> u64 {
    let internal = Owner::Internal as usize;
    engine.instance().tempdb_space().report().iter().map(|file| file.reserved[internal]).sum()
}

/// KB that the line of STATISTICS IO tells of.
pub fn spilled_kb(told: &str) -> u64 {
    let lines = told.lines().filter(|line| line.contains("Spill of "));
    let kilobytes = |line: &str| {
        let before = line.split(" KB written").next()?;
        before.rsplit(' ').next()?.parse::<u64>().ok()
    };
    lines.filter_map(kilobytes).sum()
}

/// An engine with memory for everything and one with 20 MB, both with the tables.
fn large_and_small() -> [Arc<Engine>; 2] {
    let engines = [512, 20].map(|memory_mb| engine(&Arc::new(RamMedia::new()), memory_mb, true));
    engines.iter().for_each(set_up);
    engines
}

/// The query answers alike on both engines, the second of which puts rows aside and keeps nothing.
fn assert_alike(engines: &[Arc<Engine>; 2], query: &str) {
    let [(expected, none), (told, spilled)] = engines.each_ref().map(|engine| {
        let mut one = session(engine);
        run(&mut one, "use d set nocount on set statistics io on");
        let told = run(&mut one, query);
        let is_told = |line: &&str| !line.starts_with("# Table '") && !line.contains("Spill of ");
        (told.lines().filter(is_told).map(|line| format!("{line}\n")).collect::<String>(), spilled_kb(&told))
    });
    assert!(!expected.contains("Msg "), "{query}: {expected}");
    assert!(told == expected, "{query}: {}", crate::harness::difference(&expected, &told));
    assert_eq!(none, 0, "{query}");
    // How much it is depends on what the pool can lend at that moment.
    assert!(spilled > 0, "{query} put nothing aside");
    assert_eq!((reserved_pages(&engines[1]), engines[1].workspace().used_bytes()), (0, 0), "{query}");
}

#[test]
fn queries_larger_than_their_memory_answer_as_those_with_enough() {
    let engines = large_and_small();
    QUERIES.iter().for_each(|query| assert_alike(&engines, query));
    let mut one = session(&engines[1]);
    let counted = run(&mut one, "select count(*) as n from sys.dm_exec_query_stats where total_spills > 10");
    assert_eq!(counted, format!("[n:int]\n{}\n(1 rows affected)\n", QUERIES.len()));
}

/// Rows of 7 KB: 10 MB of them on either side. The condition holds for two of `b` at most, and is no equality.
const WIDE: [&str; 3] = [
    "(select id, replicate(c, 20) as w from t where id < 1400) a",
    "(select id, replicate(c, 20) as w from u where id between 300 and 1700) b",
    "a.id <= b.id and a.id + 2 > b.id",
];

const ALL: &str = "count(*) as n, count(a.id) as an, count(b.id) as bn, sum(a.id) as a, sum(b.id) as b, max(a.w) as aw, max(b.w) as bw";

#[test]
fn joins_by_one_key_answer_as_with_enough_memory() {
    let ([a, b, near], engines) = (WIDE, large_and_small());
    for kind in ["join", "left join", "right join", "full join"] {
        assert_alike(
            &engines,
            &format!("select {ALL} from {a} {kind} {b} on a.id / 100000 = b.id / 100000 and {near}"),
        );
    }
}

#[test]
fn joins_without_equality_answer_as_with_enough_memory() {
    let ([a, b, near], engines) = (WIDE, large_and_small());
    for kind in ["join", "left join", "right join", "full join"] {
        assert_alike(&engines, &format!("select {ALL} from {a} {kind} {b} on {near}"));
    }
    for not in ["", "not "] {
        let rows = format!("{a} where {not}exists (select * from {b} where {near} and len(b.w) > a.id % 7)");
        assert_alike(&engines, &format!("select count(*) as n, sum(a.id) as a, max(a.w) as w from {rows}"));
    }
    let long = |from: &str, alias: &str| {
        format!(
            "(select top (90) id, replicate(cast(c as varchar(max)), 280) as w from {from} order by id desc) {alias}"
        )
    };
    let crossed = format!("{} cross join {}", long("t", "a"), long("u", "b"));
    assert_alike(&engines, &format!("select {} from {crossed}", ALL.replace("max(a.w)", "max(right(a.w, 9))")));
}

/// Texts of STRING_AGG: small ones in many groups, 2 MB in each of seven, one of 8 MB, and two orders at once.
const TEXTS: [&str; 4] = [
    "select count(*) as n, sum(len(x)) as l, max(x) as x
     from (select s, string_agg(c, ',') within group (order by id desc) as x from t group by s) y",
    "select g, n, len(x) as l, left(x, 400) as a, substring(x, 1000000, 400) as m, right(x, 400) as z
     from (select id % 7 as g, count(*) as n, string_agg(cast(c as varchar(max)), ',') within group (order by c, id desc) as x
           from t group by id % 7) y order by g",
    "select len(x) as l, left(x, 400) as a, substring(x, 4000000, 400) as m, right(x, 400) as z
     from (select string_agg(cast(c as varchar(max)), ',') within group (order by c, id desc) as x from t where id < 24000) y",
    "select g, len(x) as l, len(y) as m, right(x, 400) as a, right(y, 400) as b
     from (select id % 3 as g, string_agg(cast(c as varchar(max)), ',') within group (order by c, id desc) as x,
                  string_agg(cast(c as varchar(max)), '; ') within group (order by id) as y
           from t where id < 12000 group by id % 3) y order by g",
];

#[test]
fn texts_that_string_agg_joins_are_put_aside_too() {
    let engines = large_and_small();
    TEXTS.iter().for_each(|query| assert_alike(&engines, query));
}

/// Twice the table.
const LARGE: &str = "select t.id from t cross join n where n.n < 2 order by t.c, t.id desc, n.n";

#[test]
fn a_spill_that_finds_no_room_is_1105_and_gives_all_back() {
    let media = Arc::new(RamMedia::new());
    let engine = engine(&media, 20, false);
    set_up(&engine);
    let mut one = session(&engine);
    run(&mut one, "use d set nocount on");
    let [a, b, near] = WIDE;
    let loops = format!("select {ALL} from {a} full join {b} on {near}");
    // Not what a join by keys spills: it is compressed where tempdb's device is slow, and less where the smaller side is built, and
    // then it may find room. The sort of its rows finds none, with a column that nothing makes smaller.
    let hashed = "u.id as other, hashbytes('sha2_256', concat(t.id, ' ', u.id)) as h";
    let joined = QUERIES[12].replace("top 7 ", "").replace("u.id as other", hashed);
    assert!(joined.contains(hashed));
    for query in [LARGE, &joined, &loops] {
        let told = run(&mut one, query);
        let expected =
            "Msg 1105, Level 17, State 2, Line 1: Could not allocate space for object 'dbo.SORT temporary run storage";
        assert!(told.contains(expected), "{query}: {}", &told[told.len().saturating_sub(300)..]);
        assert_eq!((reserved_pages(&engine), engine.workspace().used_bytes()), (0, 0), "{query}");
        assert_eq!(run(&mut one, "select count(*) as n from t"), "[n:int]\n40000\n");
    }
}

#[test]
fn a_device_that_fails_under_a_spill_fails_that_statement() {
    let media = Arc::new(RamMedia::new());
    let engine = engine(&media, 20, true);
    set_up(&engine);
    let device = media.device(Path::new("/ram/tempdb.mdf")).expect("the data file of tempdb");
    let mut one = session(&engine);
    run(&mut one, "use d set nocount on");
    let right = run(&mut one, LARGE);
    let mut failed = 0;
    for after in [0, 3, 10, 30] {
        // Five, because a read is tried five times.
        (0..5).for_each(|_| device.order(Fault::ReadError, after));
        let told = run(&mut one, LARGE);
        assert!(told == right || told.contains("Msg 823, Level 24"), "{}", &told[told.len().saturating_sub(300)..]);
        failed += usize::from(told != right);
        while device.pending() > 0 {
            let _ = millpond_device::BlockDevice::read_at(&*device, 0, &mut [0; 512]);
        }
        assert_eq!((reserved_pages(&engine), engine.workspace().used_bytes()), (0, 0));
        assert!(run(&mut one, LARGE) == right, "the next one is right");
    }
    assert!(failed > 0, "nobody met a fault");
}

#[test]
fn a_cancelled_spill_leaves_no_page() {
    let media = Arc::new(RamMedia::new());
    let engine = engine(&media, 20, true);
    set_up(&engine);
    let mut one = session(&engine);
    run(&mut one, "use d set nocount on");
    let task = Arc::clone(&one.shared().task);
    let told = std::thread::scope(|scope| {
        let cancels = scope.spawn(|| {
            while reserved_pages(&engine) < 64 && !engine.stop().is_requested() {
                std::thread::yield_now();
            }
            task.cancel();
        });
        let told = run(&mut one, QUERIES[6]);
        cancels.join().expect("it saw pages");
        told
    });
    let is_cancelled = told.is_empty() || told.contains(&CANCELLED.to_string());
    assert!(is_cancelled || told.contains("Operation cancelled") || !told.contains("Msg "), "{told}");
    assert_eq!((reserved_pages(&engine), engine.workspace().used_bytes()), (0, 0));
}

#[test]
fn several_large_queries_share_the_memory_and_all_end() {
    let media = Arc::new(RamMedia::new());
    let engine = engine(&media, 32, true);
    set_up(&engine);
    let answer = |query: &str| {
        let mut one = session(&engine);
        run(&mut one, "use d set nocount on");
        run(&mut one, query)
    };
    let of: Range<usize> = 0..4;
    let expected: Vec<String> = of.clone().map(|number| answer(QUERIES[number])).collect();
    std::thread::scope(|scope| {
        let running: Vec<_> = of.clone().map(|number| scope.spawn(move || (number, answer(QUERIES[number])))).collect();
        for thread in running {
            let (number, told) = thread.join().expect("it ends");
            assert!(
                told == expected[number],
                "{}: {}",
                QUERIES[number],
                crate::harness::difference(&expected[number], &told)
            );
        }
    });
    assert_eq!((reserved_pages(&engine), engine.workspace().used_bytes()), (0, 0));
    let grants = run(&mut session(&engine), "set nocount on select session_id from sys.dm_exec_query_memory_grants");
    assert_eq!(grants, "[session_id:smallint]\n");
    let semaphore =
        "set nocount on select target_memory_kb, used_memory_kb, grantee_count, waiter_count, timeout_error_count
        from sys.dm_exec_query_resource_semaphores";
    let told = run(&mut session(&engine), semaphore);
    assert!(told.ends_with("\n24576 | 0 | 0 | 0 | 0\n"), "{told}");
}

/// 60 rows of 300 KB beyond them, and six of a few bytes between.
const LARGE_VALUES: &str = "set nocount on create database d alter database d set recovery simple
    go
    use d
    create table n (n int not null)
    insert n values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)
    create table w (id int not null primary key, k int not null, j int not null, v varchar(max) null)
    insert w select i, i * 37 % 66, i * 53 % 66, right(concat('00', i * 71 % 66), 3) + replicate(cast('x' as varchar(max)), iif(i % 11 = 0, 1, 300000))
    from (select a.n + 10 * b.n as i from n a, n b) x where i < 66";

/// Each holds, joins or repeats more of them than fits.
const OF_LARGE_VALUES: [&str; 12] = [
    "select sum(len(v) * r) as n, min(left(v, 3)) as v from (select v, row_number() over (order by k) as r from w) x",
    "select top 40 id, len(v) as n, left(v, 3) as v from w order by k",
    "select top 40 id, len(v) as n, left(v, 3) as v from w order by v desc",
    "select count(*) as n, sum(len(v)) as l from (select distinct v from w) x",
    "select left(v, 3) as v, count(*) as n from w group by v order by 1",
    "select k % 5 as k, len(max(v)) as n, left(max(v), 3) as v from w group by k % 5 order by 1",
    "select sum(len(a.v) + len(b.v)) as n from w a join w b on a.k = b.j",
    "select sum(len(a.v)) as n, count(*) as c from w a join n b on a.k % 10 = b.n",
    "select sum(len(a.v)) as n, count(*) as c from w a cross join n b",
    "select sum(len(v)) as n, count(*) as c from (select v from w union select upper(v) from w where id < 30) x",
    "select sum(len(v)) as n, count(*) as c from (select v from w union all select v + v from w) x where v like '%x'",
    "select sum(len(l)) as n from (select lag(v) over (order by k) as l from w) x",
];

#[test]
fn large_values_of_several_sessions_share_the_memory_and_all_end() {
    let engines = [512, 56].map(|memory_mb| engine(&Arc::new(RamMedia::new()), memory_mb, true));
    for engine in &engines {
        let mut one = session(engine);
        LARGE_VALUES.split("    go\n").for_each(|batch| assert_eq!(run(&mut one, batch), ""));
    }
    let answer = |engine: &Arc<Engine>, query: &str| {
        let mut one = session(engine);
        run(&mut one, "use d set nocount on");
        run(&mut one, query)
    };
    let expected = OF_LARGE_VALUES.map(|query| answer(&engines[0], query));
    std::thread::scope(|scope| {
        for first in 0..4 {
            let (engine, expected, answer) = (&engines[1], &expected, &answer);
            scope.spawn(move || {
                for at in (0..6).map(|at| (at + 3 * first) % OF_LARGE_VALUES.len()) {
                    let told = answer(engine, OF_LARGE_VALUES[at]);
                    assert!(told == expected[at] && !told.contains("Msg "), "{}: {told}", OF_LARGE_VALUES[at]);
                }
            });
        }
    });
    assert_eq!((reserved_pages(&engines[1]), engines[1].workspace().used_bytes()), (0, 0));
}

#[test]
fn statements_of_a_function_have_memory_beside_the_one_that_calls_it() {
    let media = Arc::new(RamMedia::new());
    let engine = engine(&media, 20, true);
    set_up(&engine);
    let mut one = session(&engine);
    run(&mut one, "use d");
    for text in [
        // Whoever had to wait for memory would be told at once.
        "exec sp_configure 'show advanced options', 1; reconfigure; exec sp_configure 'query wait (s)', 0; reconfigure",
        "create function dbo.most(@k int) returns int as begin
            declare @n int = (select max(n) from (select count(*) as n from u where id < 3000 and k % 3 = @k % 3 group by k) x)
            return @n + dbo.again(@k)
         end",
        "create function dbo.again(@k int) returns int as begin
            return (select top (1) id from t where id < 2000 and k % 7 = @k order by c, id)
         end",
    ] {
        let told = run(&mut one, text);
        assert!(!told.contains("Msg "), "{told}");
    }
    let query = "select sum(dbo.most(k % 5)) as s from (select k, count(*) as n from t where k < 30 group by k) x";
    let expected = run(&mut one, &format!("use d set nocount on {query}"));
    assert!(expected.starts_with("[s:int]\n") && !expected.contains("NULL"), "{expected}");
    let semaphore = "set nocount on select grantee_count from sys.dm_exec_query_resource_semaphores";
    std::thread::scope(|scope| {
        // As many as there are grants.
        let running: Vec<_> = (0..4)
            .map(|_| {
                let mut session = session(&engine);
                scope.spawn(move || run(&mut session, &format!("use d set nocount on {query}")))
            })
            .collect();
        let mut most = 0;
        while running.iter().any(|thread| !thread.is_finished()) {
            let told = run(&mut one, semaphore);
            most = most.max(told.lines().last().and_then(|count| count.parse::<i32>().ok()).unwrap_or(0));
        }
        for thread in running {
            assert_eq!(thread.join().expect("it ends"), expected);
        }
        assert_eq!(most, 4, "all had a grant at once");
    });
}

#[test]
fn an_index_of_more_rows_than_memory_is_sorted_in_tempdb() {
    let media = Arc::new(RamMedia::new());
    let engine = engine(&media, 20, true);
    set_up(&engine);
    let mut one = session(&engine);
    let used = "select sum(internal_objects_alloc_page_count) as n from sys.dm_db_session_space_usage where session_id = @@spid";
    let pages = |told: &str| told.lines().nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number");
    run(&mut one, "use d set nocount on");
    let before = pages(&run(&mut one, used));
    assert_eq!(run(&mut one, "create index by_c on t (c desc, id) include (s) with (sort_in_tempdb = on)"), "");
    let sorted = pages(&run(&mut one, used)) - before;
    assert!(sorted > 1500, "{sorted} pages of tempdb for 14 MB of keys");
    assert_eq!(internal_pages(&engine), 0);
    let by_index = "select count(*) as n, sum(cast(id as bigint)) as s from t with (index (by_c)) where c >= ''";
    assert_eq!(run(&mut one, by_index), "[n:int | s:bigint]\n40000 | 799980000\n");
    assert_eq!(run(&mut one, "dbcc checktable ('t') with no_infomsgs"), "");
    // Two of a key are found where runs meet.
    let twice = run(&mut one, "create unique index by_k on t (c) with (sort_in_tempdb = on)");
    assert!(twice.contains("Msg 1505"), "{twice}");
    assert_eq!(internal_pages(&engine), 0);
}

/// Runs a query that goes on for long, and cancels it after that time; what it told.
fn cancelled(session: &mut Session, after_ms: u64, query: &str) -> String {
    let task = Arc::clone(&session.shared().task);
    let told = std::thread::scope(|scope| {
        let cancels = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(after_ms));
            task.cancel();
        });
        let told = run(session, query);
        cancels.join().expect("no panic");
        told
    });
    task.clear_cancel();
    told
}

#[test]
fn joins_in_blocks_end_soon_after_they_are_cancelled() {
    let ([a, b, _], media) = (WIDE, Arc::new(RamMedia::new()));
    let engine = engine(&media, 20, true);
    set_up(&engine);
    let mut one = session(&engine);
    run(&mut one, "use d set nocount on");
    let [a, b] = [a, b].map(|side| side.replace("where", "cross join n where n < 5 and"));
    let never = "a.w + 'x' < b.w and a.w > b.w + 'x'";
    for query in [
        format!("select count(*) as n, max(a.w) as w from {a} full join {b} on {never}"),
        format!(
            "select count(*) as n, max(a.w) as w from {a} full join {b} on a.id / 100000 = b.id / 100000 and {never}"
        ),
        format!(
            "select count(*) as n, max(a.w) as w from {a} where exists (select * from {b} where a.id / 100000 = b.id / 100000 and b.w <> '')"
        ),
        format!(
            "select count(*) as n, max(b.w) as w from {b} where not exists (select * from {a} where a.id / 100000 = b.id / 100000)"
        ),
    ] {
        for after_ms in [200, 1500] {
            let told = cancelled(&mut one, after_ms, &query);
            assert!(!told.contains("Msg "), "{query}: {told}");
            assert_eq!((internal_pages(&engine), engine.workspace().used_bytes()), (0, 0), "{query}");
        }
    }
}

#[test]
fn whatever_runs_ends_soon_after_it_is_cancelled_and_leaves_nothing() {
    let media = Arc::new(RamMedia::new());
    let engine = engine(&media, 64, true);
    set_up(&engine);
    let mut one = session(&engine);
    let set_up = "use d set nocount on exec sp_configure 'show advanced options', 1; reconfigure
        exec sp_configure 'cost threshold for parallelism', 0; reconfigure";
    run(&mut one, set_up);
    // Each would go on for minutes.
    let queries = [
        "select count(*) as n from t a cross join t b where a.c like b.c + '%7%'",
        "select count(*) as n from (select a.id, b.id as other, max(a.c) as c from t a cross join u b group by a.id, b.id) x",
        "select max(n) as n from (select row_number() over (order by a.c, b.c, a.id) as n from t a cross join u b) x",
        "select max(n) as n from (select max(a.id + b.id) over () as n, a.c from t a cross join u b) x",
        "select count(*) as n, max(a.c) as c from t a cross join u b join t e on e.id = a.id + b.id",
        "select a.id, b.c into #into from t a cross join u b",
        "insert #heap with (tablock) select a.id, b.c from t a cross join u b",
        "select a.id, b.c into stored from t a cross join u b",
    ];
    run(&mut one, "create table #heap (id int not null, c char(360) not null)");
    for query in queries {
        for degree in [1, 2] {
            let told = cancelled(&mut one, 300, &format!("{query} option (maxdop {degree})"));
            assert!(!told.contains("Msg ") && told.lines().count() <= 1, "{query}: {told}");
            let left = run(
                &mut one,
                "select count(*) as n from #heap; select object_id('stored') as o, object_id('tempdb..#into') as i",
            );
            assert_eq!(left, "[n:int]\n0\n[o:int | i:int]\nNULL | NULL\n", "{query}");
            assert_eq!(engine.workspace().used_bytes(), 0, "{query}");
        }
    }
}
