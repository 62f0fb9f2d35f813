//! What an index of a large table answers, in pages that are looked at: sets, ties, cursors, and scans of an index that has all columns
//! that are wanted. The answers are those of the same question asked in another way, by scans of the rows.

use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::large_parts::{costs_of, number};

/// Rows of the table; its rows are on some 1,700 pages, an index of two ints on some 300.
const ROWS: usize = 50_000;

/// The table `t`: `b` has NULLs, `d` has ten rows of each value, `(c, a)` is an order of 10 times 1,000; and small tables beside it.
fn large(engine: &Arc<Engine>) -> Session {
    let mut one = session(engine);
    let made = "set nocount on create database answers; alter database answers set allow_snapshot_isolation on";
    assert_eq!(run(&mut one, made), "");
    assert_eq!(run(&mut one, "use answers"), "");
    let made = format!(
        "create table t (id int not null, a int not null, b int null, c int not null, d int not null, s varchar(20) null, pad char(200) not null) \
         insert t with (tablock) select n, n % 1000, case when n % 7 = 0 then null else cast(n as bigint) * 7919 % 66667 end, n % 10, n / 10, \
             'n' + cast(n as varchar(10)), 'x' from (select value as n from generate_series(0, {ROWS} - 1)) x \
         alter table t add constraint t_id primary key (id) \
         create index t_b on t (b) create index t_d on t (d) create index t_ca on t (c, a) create index t_s on t (s) \
         create index t_f on t (a) where a < 3 \
         create table few (a int null) insert few values (3), (3), (null), (-1), (777), (null), (49999) \
         create table k (a int not null primary key) insert k values (11), (222), (3333), (5), (66), (777), (10)"
    );
    assert_eq!(run(&mut one, &made), "");
    one
}

/// Each statement with the pages that it may look at, and how else the same is asked; where nothing says so it is compared with nothing.
fn check(one: &mut Session, statements: &[(&str, i64, &str)]) {
    let dear: Vec<String> = statements
        .iter()
        .filter_map(|(text, most, other)| {
            // Statistics are made once, and the plan is kept.
            costs_of(one, text);
            let (answer, _, reads) = costs_of(one, text);
            assert!(!answer.contains("Msg"), "{text}: {answer}");
            if !other.is_empty() {
                let sorted = |answer: &str| {
                    let mut lines: Vec<String> = answer.lines().skip(1).map(str::to_owned).collect();
                    lines.sort();
                    lines
                };
                let expected = run(one, other);
                assert!(sorted(&answer) == sorted(&expected), "{text}: {answer}\n{other}: {expected}");
            }
            if std::env::var_os("MILLPOND_SHOW").is_some() {
                eprintln!("{reads} of {most}: {text}");
            }
            (reads > *most).then(|| format!("{reads} pages, {most} at most: {text}"))
        })
        .collect();
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}

#[test]
fn what_an_index_of_a_large_table_answers() {
    let engine = engine();
    let mut one = large(&engine);
    let narrow = 400;
    let statements = [
        // Sets.
        (
            "select a from few intersect select id from t",
            60,
            "select distinct a from few where a in (select id from t with (index(0)))",
        ),
        (
            "select a from few intersect select b from t",
            60,
            "select distinct a from few where a in (select b from t with (index(0))) union all select null",
        ),
        (
            "select a from few except select id from t",
            60,
            "select distinct a from few where a is null or a not in (select id from t with (index(0)))",
        ),
        (
            "select a from few except select b from t",
            60,
            "select distinct a from few where a not in (select b from t with (index(0)) where b is not null)",
        ),
        (
            "select a, a from few intersect select id, b from t where c < 8",
            60,
            "select distinct f.a, f.a from few f join t with (index(0)) on t.id = f.a and t.b = f.a and c < 8",
        ),
        (
            "select cast(a as bigint) from few intersect select id from t",
            60,
            "select distinct cast(a as bigint) from few where a in (select id from t with (index(0)))",
        ),
        (
            "select a from few where exists (select 1 from t where t.b is not distinct from few.a)",
            60,
            "select a from few where a is null or a in (select b from t with (index(0)))",
        ),
        // Ties.
        ("select top 3 with ties d, id from t order by d", 60, "select d, id from t with (index(0)) where d = 0"),
        ("select top 10 with ties d, id from t order by d", 60, "select d, id from t with (index(0)) where d = 0"),
        (
            "select top 11 with ties d, id from t order by d desc",
            90,
            "select d, id from t with (index(0)) where d >= 4998",
        ),
        (
            "select top 2 with ties id, a from t where c = 3 order by c",
            40_000,
            "select id, a from t with (index(0)) where c = 3",
        ),
        ("select top 1 with ties b from t order by b", 40_000, "select b from t with (index(0)) where b is null"),
        ("select top 0 with ties d, id from t order by d", 60, "select d, id from t where 1 = 0"),
        // An index that has all columns, in the place of the rows.
        ("select count(*) from t", narrow, "select count(*) from t with (index(0))"),
        (
            "select sum(cast(b as bigint)), count(b) from t",
            narrow,
            "select sum(cast(b as bigint)), count(b) from t with (index(0))",
        ),
        (
            "select c, count(*), max(a) from t group by c",
            narrow,
            "select c, count(*), max(a) from t with (index(0)) group by c",
        ),
        ("select count(*) from t where b % 10 = 3", narrow, "select count(*) from t with (index(0)) where b % 10 = 3"),
        (
            "select count(*) from t where a = 5 and c > 2",
            narrow,
            "select count(*) from t with (index(0)) where a = 5 and c > 2",
        ),
        (
            "select sum(a) from t where id % 3 = 1 and a > 10",
            narrow,
            "select sum(a) from t with (index(0)) where id % 3 = 1 and a > 10",
        ),
        ("select s from t where s like '%999'", narrow, "select s from t with (index(0)) where s like '%999'"),
        ("select b from t where b % 5000 = 3", narrow, "select b from t with (index(0)) where b % 5000 = 3"),
        (
            "select count(*) from t x join t y on x.b = y.d where y.id < 30000 option (hash join)",
            2 * narrow + 2000,
            "select count(*) from t x with (index(0)) join t y with (index(0)) on x.b = y.d where y.id < 30000 option (hash join)",
        ),
        (
            "select count(*) from (select distinct c, a from t) x",
            narrow,
            "select count(*) from (select distinct c, a from t with (index(0))) x",
        ),
        (
            "select sum(d) from t where d between 100 and 5000",
            narrow,
            "select sum(d) from t with (index(0)) where d between 100 and 5000",
        ),
        (
            "select max(n) from (select d, count(*) n from t where d < 9000 group by d) x",
            narrow,
            "select max(n) from (select d, count(*) n from t with (index(0)) where d < 9000 group by d) x",
        ),
        ("select count(*) from t with (readpast)", narrow, "select count(*) from t with (index(0))"),
        // Others.
        ("select max(a) from t where c = 3", 6, "select max(a) from t with (index(0)) where c = 3"),
        (
            "select min(a) from t where c = 3 and a > 500",
            6,
            "select min(a) from t with (index(0)) where c = 3 and a > 500",
        ),
        ("select max(c) from t where a = 999", narrow, "select max(c) from t with (index(0)) where a = 999"),
        (
            "select * from t where d in (1, 2, 3) order by d",
            150,
            "select * from t with (index(0)) where d between 1 and 3",
        ),
        (
            "select top 5 * from t where d in (100, 2, 3) order by d desc",
            60,
            "select top 5 * from t with (index(0)) where d = 100 order by id desc",
        ),
        ("select * from t where b = 5 or d = 77", 100, "select * from t with (index(0)) where b = 5 or d = 77"),
        (
            "select * from k where not exists (select * from t where t.b = k.a)",
            60,
            "select * from k where a not in (select b from t with (index(0)) where b is not null)",
        ),
        ("select top 1 * from t order by c desc, a desc", 10, ""),
        (
            "select top 3 c, a from t order by c desc, a desc",
            10,
            "select c, a from (values (9, 999), (9, 999), (9, 999)) x (c, a)",
        ),
        (
            "select * from (select id, d, row_number() over (order by id) rn from t) x where rn between 100 and 110",
            30,
            "select id, d, id + 1 from t where id between 99 and 109",
        ),
        (
            "select * from (select id, d, row_number() over (order by d, id) rn from t) x where rn between 5 and 9",
            60,
            "select id, d, id + 1 from t where id between 4 and 8",
        ),
        (
            "select k.a, x.id from k outer apply (select top 1 id from t where t.d = k.a order by id desc) x",
            60,
            "select a, a * 10 + 9 from k",
        ),
        ("select k.a, x.id from k outer apply (select top 1 id, pad from t where t.b > k.a order by b) x", 120, ""),
        ("save transaction q delete top (10) from t where d > 50 rollback transaction q", 450, ""),
        ("save transaction q delete top (10) from t rollback transaction q", 450, ""),
        ("save transaction q update t set pad = 'q' where id in (select a from k) rollback transaction q", 120, ""),
        (
            "save transaction q update t set pad = 'q' where d in (select a from k where a < 100) rollback transaction q",
            700,
            "",
        ),
        ("save transaction q update t set b = 1 from t join k on k.a = t.id rollback transaction q", 400, ""),
        (
            "save transaction q merge t using k on t.id = k.a when matched then update set pad = 'm' when not matched then insert (id, a, c, d, pad) values (k.a, 1, 1, 1, 'x'); rollback transaction q",
            150,
            "",
        ),
        (
            "save transaction q merge t using (select a + 1000000 a from k) k on t.id = k.a when matched then update set pad = 'm' when not matched then insert (id, a, c, d, pad) values (k.a, 1, 1, 1, 'x'); rollback transaction q",
            400,
            "",
        ),
        ("save transaction q delete t from t join k on k.a = t.d and t.id % 10 = 3 rollback transaction q", 700, ""),
    ];
    check(&mut one, &statements);
}

/// OPEN read the whole table.
#[test]
fn a_cursor_reads_no_more_rows_than_it_fetches() {
    let engine = engine();
    let mut one = large(&engine);
    let kinds = [
        "",
        "forward_only",
        "fast_forward",
        "forward_only read_only",
        "dynamic",
        "dynamic read_only",
        "dynamic scroll_locks",
        "dynamic optimistic",
    ];
    let queries = [
        ("select id, pad from t order by id", "0"),
        ("select id, pad from t order by id desc", "49999"),
        ("select id, d from t order by d, id", "0"),
        ("select id from t where id > 5000 order by id", "5001"),
        ("select id, c from t where d between 100 and 9000 order by d", "1000"),
        ("select id + 1 as n from t", "1"),
        ("select id from t where c = 3 and a % 7 = 5 order by a desc", "993"),
        ("select id from t where d in (500, 7, 33) order by d", "70"),
        ("select id from t where d in (500, 7, 33) order by d desc", "5009"),
    ];
    let mut dear = Vec::new();
    for kind in kinds {
        for (query, first) in queries {
            let text = format!(
                "declare @v int, @w char(200) declare c cursor local {kind} for {query} open c fetch c into @v"
            );
            let text = if query.starts_with("select id, ") { text.replace("into @v", "into @v, @w") } else { text };
            let text = format!("{text} select @v as v, @@fetch_status as s, @@cursor_rows as n");
            costs_of(&mut one, &text);
            let (answer, _, reads) = costs_of(&mut one, &text);
            let of_a = query.ends_with("a desc")
                && answer.starts_with("[v:int | s:int | n:int]\n")
                && answer.contains(" | 0 | -1\n");
            assert!(
                of_a || answer == format!("[v:int | s:int | n:int]\n{first} | 0 | -1\n"),
                "{kind}, {query}: {answer}"
            );
            if reads > 60 {
                dear.push(format!("{reads} pages: {kind}, {query}"));
            }
        }
    }
    // A keyset and a static cursor take all rows, and so does what is sorted.
    for kind in ["static", "keyset", "dynamic"] {
        let text = format!("declare c cursor local {kind} for select id from t order by pad, id desc open c fetch c");
        assert!(run(&mut one, &text).ends_with("[id:int]\n49999\n"), "{kind}");
    }
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}

/// All rows, forward and back, are those of the query, whatever the index.
#[test]
fn a_cursor_that_reads_as_it_goes_comes_by_all_rows() {
    let engine = engine();
    let mut one = session(&engine);
    run(&mut one, "set nocount on create database walks");
    let made = "use walks create table t (id int not null, a int null, s varchar(10) collate latin1_general_ci_as null, primary key (id desc), index i (a, s desc), index j (s)) \
        insert t select value, case when value % 5 > 0 then value % 4 end, case when value % 7 > 0 then char(65 + value % 3 + 32 * (value % 2)) end from generate_series(1, 500) \
        create table h (v int null, w int not null) insert h select value % 3, value from generate_series(1, 200) create index h_v on h (v)";
    assert_eq!(run(&mut one, made), "");
    let queries = [
        "select id from t order by id",
        "select id from t order by id desc",
        "select id from t where id % 3 = 1 order by id",
        "select id from t where a = 2 order by a, s desc, id desc",
        "select id from t where a in (3, 0, 1) order by a, s desc, id desc",
        "select id from t where a in (3, 0, 1) order by a desc, s, id",
        "select id from t where a is null order by s desc, id desc",
        "select id from t where a > 1 order by a desc, s, id",
        "select id from t where s = 'B' and id > 30 order by s, id desc",
        "select id from t order by s, id desc",
        "select id from t order by s desc, id",
        "select id from t where id between 100 and 110 order by id",
        "select id from t where id = 77",
        "select id from t where 1 = 0",
        "select w from h",
        "select w from h",
        "select w from h where v = 1",
    ];
    for query in queries {
        let all = format!(
            "declare @all varchar(max) = '', @n int = 0, @v int \
            declare c cursor local dynamic for {query} open c \
            fetch c into @v while @@fetch_status = 0 begin set @all += concat(@v, ' ') set @n += 1 fetch c into @v end \
            declare @back varchar(max) = '' \
            fetch prior from c into @v while @@fetch_status = 0 begin set @back = concat(@v, ' ') + @back fetch prior from c into @v end \
            declare @last int, @first int set @v = null fetch last from c into @last fetch first from c into @first \
            fetch relative 4 from c into @v fetch relative -3 from c into @v \
            select @n as n, iif(@all = @back, 1, 0) as same, @first as first, @last as last, @v as second, @all as list"
        );
        let answer = run(&mut one, &all);
        let cells: Vec<&str> =
            answer.lines().nth(1).unwrap_or_else(|| panic!("{query}: {answer}")).split(" | ").collect();
        let static_one = run(&mut one, &all.replace("dynamic", "static scroll"));
        let of_static: Vec<&str> =
            static_one.lines().nth(1).unwrap_or_else(|| panic!("{query}: {static_one}")).split(" | ").collect();
        assert_eq!(cells[..5], of_static[..5], "{query}: {answer} {static_one}");
        assert_eq!(cells[1], "1", "{query}: {answer}");
        let sorted = |list: &str| {
            let mut values: Vec<i64> = list.split_whitespace().filter_map(|value| value.parse().ok()).collect();
            values.sort_unstable();
            values
        };
        assert_eq!(sorted(cells[5]), sorted(of_static[5]), "{query}");
        assert_eq!(cells[5], of_static[5], "{query}");
    }
}

/// An index in the place of the rows has what its reader sees, whatever that is.
#[test]
fn an_index_in_the_place_of_the_rows_has_what_its_reader_sees() {
    let engine = engine();
    let mut one = session(&engine);
    let made = "set nocount on create database narrow; alter database narrow set allow_snapshot_isolation on";
    assert_eq!(run(&mut one, made), "");
    let made = "use narrow create table t (id int not null primary key, f bit null, n decimal(9, 2) null, s nvarchar(20) null, \
            v varchar(10) collate latin1_general_ci_as null, dt datetime2(3) null, g uniqueidentifier null, w as id * 2 persisted, pad char(300) not null default 'x') \
        insert t (id, f, n, s, v, dt, g) select value, value % 2, case when value % 5 > 0 then value / 7.0 end, \
            case when value % 3 > 0 then N'ü' + cast(value as nvarchar(10)) end, \
            char(65 + value % 5 + 32 * (value % 2)), dateadd(second, value, '2020-01-01'), newid() from generate_series(1, 5000) \
        create index i on t (v, f) include (n, s, dt, g, w) create index k on t (n desc) create index part on t (f) where f = 1";
    assert_eq!(run(&mut one, made), "");
    run(&mut one, "exec sp_configure 'show advanced options', 1 reconfigure");
    run(&mut one, "exec sp_configure 'cost threshold for parallelism', 0 reconfigure");
    let mut other = session(&engine);
    assert_eq!(run(&mut other, "set nocount on use narrow"), "");
    let questions = [
        "select count(*), count(f), sum(cast(f as int)), sum(n), max(s), lower(min(v)), max(dt), count(distinct g), sum(cast(w as bigint)) from t{}",
        "select count(*) from t{}",
        "select lower(v), f, count(*), sum(n) from t{} group by v, f order by v, f",
        "select count(*) from t{} where v = 'b' and s like N'ü1%' and dt > '2020-01-01 01:00:00'",
        "select s, n from t{} where s = N'ü77' or w = 500 or n = 20.14 order by n, s",
        "select count(*) from t x{} join (values ('A'), ('c')) y (v) on x.v = y.v and x.f = 1",
        "select count(*) from t{} where n is null and f = 0",
        "select top 3 n from t{} where v = 'E' order by dt, n",
        "select sum(n) from t{} where f = 1",
    ];
    // The same by the rows themselves.
    let same = |session: &mut Session, when: &str, hints: &str| {
        for question in questions {
            for degree in ["option (maxdop 1)", "option (maxdop 4)"] {
                let ask = |session: &mut Session, hints: &str| {
                    run(session, &format!("{} {degree}", question.replace("{}", hints)))
                };
                let (hint, of_rows) = match hints {
                    "" => (String::new(), " with (index(0))".to_owned()),
                    hints => (format!(" with ({hints})"), format!(" with (index(0), {hints})")),
                };
                let (answer, expected) = (ask(session, &hint), ask(session, &of_rows));
                assert!(!answer.contains("Msg"), "{when}: {answer}");
                assert_eq!(answer, expected, "{when}: {question} {degree}");
            }
        }
    };
    let plainly = |session: &mut Session, when: &str| same(session, when, "");
    plainly(&mut one, "as it was made");
    same(&mut one, "with locks", "serializable");
    same(&mut one, "with locks for updates", "updlock");
    same(&mut one, "dirty", "nolock");
    run(&mut other, "set transaction isolation level snapshot begin transaction select count(*) from t");
    let before = run(&mut other, "select count(*), sum(n), max(s) from t");
    run(
        &mut one,
        "begin transaction delete t where id % 4 = 1 update t set n = n + 1, v = 'new' where id % 10 = 2 insert t (id, f, n, v) values (-1, null, null, null), (9000, 1, 5, 'z')",
    );
    plainly(&mut one, "its own changes");
    plainly(&mut other, "a snapshot beside them");
    run(&mut one, "commit");
    plainly(&mut other, "a snapshot before them");
    assert_eq!(run(&mut other, "select count(*), sum(n), max(s) from t"), before);
    run(&mut other, "commit set transaction isolation level read committed");
    plainly(&mut other, "after them");
    run(&mut one, "alter index i on t disable");
    plainly(&mut one, "without an index");
    run(&mut one, "alter index i on t rebuild");
    plainly(&mut one, "an index that was built anew");
    // Rows that a statement reads and writes.
    let count = |session: &mut Session| number(&run(session, "select count(*) from t"));
    let before = count(&mut one);
    assert_eq!(
        run(&mut one, "insert t (id, f, n, v) select id + 100000, f, n, v from t where id between 0 and 90000"),
        ""
    );
    let added = number(&run(&mut one, "select count(*) from t with (index(0)) where id >= 100000"));
    assert_eq!((count(&mut one), added), (2 * before - 1, before - 1));
    run(&mut one, "update t set f = 1 - f, n = n + 1 where v = 'b'");
    run(&mut one, "delete t where n > 300 and v in (select v from t where f = 0)");
    plainly(&mut one, "after they were changed by what was read");
}

/// A FETCH waits for whoever changes the row that it comes to, or passes it by where that is asked for, and goes on from where it stood.
#[test]
fn a_cursor_that_reads_as_it_goes_beside_others() {
    let engine = engine();
    let (mut one, mut other) = (session(&engine), session(&engine));
    let made = "set nocount on create database beside; alter database beside set allow_snapshot_isolation on \
        alter database beside set read_committed_snapshot off";
    assert_eq!(run(&mut one, made), "");
    let made = "use beside set lock_timeout 20 create table q (id int not null primary key, state int not null, index q_s (state)) \
        insert q select value, 0 from generate_series(1, 9)";
    assert_eq!(run(&mut one, made), "");
    run(&mut other, "set nocount on use beside set lock_timeout 20");
    let fetched = |id: i32| format!("[id:int]\n{id}\n");
    run(
        &mut one,
        "declare c cursor for select id from q order by id declare p cursor for select id from q with (readpast) order by id",
    );
    run(&mut one, "declare s cursor for select id from q where state = 0 order by id open c open p open s");
    assert_eq!(run(&mut one, "fetch c"), fetched(1));
    assert_eq!(run(&mut one, "fetch p"), fetched(1));
    run(
        &mut other,
        "begin transaction update q set state = 1 where id = 2 delete q where id = 3 insert q values (0, 0), (100, 0)",
    );
    for _ in 0..2 {
        let waited = run(&mut one, "fetch c");
        assert!(waited.contains("Msg 1222"), "{waited}");
        assert_eq!(number(&run(&mut one, "select @@fetch_status")), -1);
    }
    assert_eq!(run(&mut one, "fetch p"), fetched(4));
    run(&mut other, "commit");
    assert_eq!(run(&mut one, "fetch c"), fetched(2));
    assert_eq!(run(&mut one, "fetch c"), fetched(4));
    assert_eq!(run(&mut one, "fetch s"), fetched(0));
    // Rows are those of the transaction's snapshot, and locks are kept to its end where they are asked for.
    run(&mut one, "set transaction isolation level snapshot begin transaction");
    assert_eq!(run(&mut one, "fetch c"), fetched(5));
    run(&mut other, "delete q where id = 6");
    assert_eq!(run(&mut one, "fetch c"), fetched(6));
    run(&mut one, "commit set transaction isolation level serializable begin transaction");
    assert_eq!(run(&mut one, "fetch c"), fetched(7));
    for text in ["insert q values (6, 0)", "update q set state = 2 where id = 7"] {
        let waited = run(&mut other, text);
        assert!(waited.contains("Msg 1222"), "{text}: {waited}");
    }
    assert_eq!(run(&mut other, "update q set state = 2 where id = 100"), "");
    run(&mut one, "commit set transaction isolation level read committed");
    assert_eq!(run(&mut other, "insert q values (6, 0)"), "");
    // A queue that is worked off while it grows.
    let work = "declare @id int, @n int = 0 declare w cursor local fast_forward for select id from q where state = 0 order by id open w fetch w into @id \
        while @@fetch_status = 0 begin update q set state = 3 where id = @id if @n < 50 insert q values (200 + @n, 0) set @n += 1 fetch w into @id end \
        select @n as n, (select count(*) from q where state = 3) as done, (select count(*) from q where state = 0) as left_over";
    let queued = number(&run(&mut one, "select count(*) from q where state = 0"));
    assert_eq!(run(&mut one, work), format!("[n:int | done:int | left_over:int]\n{0} | {0} | 0\n", queued + 50));
}

#[test]
fn rows_whose_key_is_null_are_sought_where_they_are_few() {
    let engine = engine();
    let mut one = large(&engine);
    let made = [
        "set nocount on alter table t add e int null",
        "update t set e = case when id % 5000 = 0 then null else id % 20000 end",
        "create index t_e on t (e) create index t_ce on t (c, e desc)",
    ];
    made.iter().for_each(|text| assert_eq!(run(&mut one, text), ""));
    let statements = [
        ("select id from t where e is null", 10, "select id from t with (index(0)) where e is null"),
        ("select count(*) from t where e is null", 10, "select count(*) from t with (index(0)) where e is null"),
        ("select * from t where e is null", 60, "select * from t with (index(0)) where e is null"),
        (
            "select * from t where null is not distinct from e and d < 3000",
            60,
            "select * from t with (index(0)) where e is null and d < 3000",
        ),
        (
            "select id, c from t where c = 0 and e is null",
            10,
            "select id, c from t with (index(0)) where c = 0 and e is null",
        ),
        (
            "select id from t where e is null and c = 3",
            60,
            "select id from t with (index(0)) where e is null and c = 3",
        ),
        ("select * from t where e is null or e = 77", 100, "select * from t with (index(0)) where e is null or e = 77"),
        (
            "select top 3 * from t where e is null order by id desc",
            60,
            "select top 3 * from t with (index(0)) where e is null order by id desc",
        ),
        (
            "select few.a, t.id from few left join t on t.e is null and t.id > few.a",
            100,
            "select few.a, t.id from few left join t with (index(0)) on t.e is null and t.id > few.a",
        ),
        (
            "select few.a, t.id from few left join t on t.id = few.a where t.e is null",
            100,
            "select few.a, t.id from few left join t with (index(0)) on t.id = few.a where t.e is null",
        ),
        // Of a seventh of the rows each would be looked up.
        ("select max(pad) from t where b is null", 4000, ""),
        ("select count(*) from t where id is null", 10, "select 0"),
        (
            "select count(*) from t where not (e is null) and e < 3",
            60,
            "select count(*) from t with (index(0)) where e is not null and e < 3",
        ),
    ];
    check(&mut one, &statements);
    let changed =
        "delete t where e is null update t set e = null where id = 4 delete t where e is null select @@rowcount";
    assert_eq!(run(&mut one, changed).lines().last(), Some("1"), "one row is left, and goes");
}
