//! What the same statement costs again and again, in pages that are looked at: no more than the first time, however much the
//! ones before it have left behind.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::large_parts::{cost, costs_of, looped, number};

fn one(engine: &std::sync::Arc<millpond_engine::engine::Engine>) -> Session {
    let mut one = session(engine);
    assert_eq!(run(&mut one, "set nocount on create database costs"), "");
    assert_eq!(run(&mut one, "use costs"), "");
    one
}

/// A queue of rows of 2,000 bytes, whose numbers are 10, 20 and so on.
fn queue(session: &mut Session, name: &str, key: &str, rows: usize) {
    let fill = format!(
        "create table {name} (id int not null {key}, s char(2000) default 'x', g int default 0) \
         insert {name} (id) select value * 10 from generate_series(1, {rows})"
    );
    assert_eq!(run(session, &fill), "");
}

/// Of 1,000 rows the last DELETE read the 250 pages of those before it.
#[test]
fn taking_from_a_queue_in_one_transaction_costs_each_time_the_same() {
    let engine = engine();
    let mut one = one(&engine);
    let kinds = [
        ("clustered", "primary key", "delete top (1) from q"),
        ("by key", "primary key", "with x as (select top (1) * from q with (rowlock, readpast) order by id) delete x"),
        ("from the end", "primary key", "with x as (select top (1) * from q order by id desc) delete x"),
        ("heap", "", "delete top (1) from q"),
        (
            "state",
            "primary key, index i (g, id)",
            "with x as (select top (1) * from q with (index (i), rowlock, readpast) where g = 0 order by id) update x set g = 1",
        ),
    ];
    for (kind, key, take) in kinds {
        run(&mut one, "drop table if exists q");
        queue(&mut one, "q", key, 1_000);
        let (_, reads) = cost(&mut one, &looped(1_000, take));
        assert!(reads < 1_000 * 30, "{kind}: {reads} pages");
        assert_eq!(run(&mut one, "select id from q where g = 0"), "[id:int]\n", "{kind}");
    }
    run(&mut one, "drop table if exists q");
    queue(&mut one, "q", "primary key", 1_000);
    let (_, reads) = cost(&mut one, "while exists (select * from q with (nolock)) delete top (2) from q");
    assert!(reads < 1_000 * 30, "while exists: {reads} pages");
    queue(&mut one, "#q", "", 1_000);
    // The first row stays, so that those behind it leave their pages empty in the middle.
    let (_, reads) = cost(&mut one, &looped(999, "delete top (1) from #q where id > 10"));
    assert!(reads < 999 * 20, "#q: {reads} pages");
}

/// What a transaction has deleted is passed by; what is there between it is not.
#[test]
fn rows_that_come_between_deleted_ones_are_found() {
    let engine = engine();
    let (mut one, mut other) = (one(&engine), session(&engine));
    run(&mut other, "set nocount on use costs");
    queue(&mut one, "q", "primary key", 300);
    let first = "select min(id) as least, count(*) as n from q with (readcommittedlock) option (maxdop 1)";
    let last = "select top (1) id from q order by id desc";
    run(&mut one, "begin transaction");
    run(&mut one, &looped(200, "delete top (1) from q"));
    assert_eq!(run(&mut one, first), "[least:int | n:int]\n2010 | 100\n");
    assert_eq!(run(&mut other, "insert q (id) values (777)"), "");
    assert_eq!(run(&mut one, first), "[least:int | n:int]\n777 | 101\n");
    assert_eq!(run(&mut other, "insert q (id) values (5), (1234)"), "");
    assert_eq!(run(&mut one, "select id from q where id < 2010"), "[id:int]\n5\n777\n1234\n");
    // Own rows, new ones and such as were there before.
    assert_eq!(run(&mut one, "insert q (id) values (100), (101)"), "");
    assert_eq!(run(&mut one, "select id from q where id < 2010"), "[id:int]\n5\n100\n101\n777\n1234\n");
    run(&mut one, &looped(5, "delete top (1) from q"));
    assert_eq!(run(&mut one, first), "[least:int | n:int]\n2010 | 100\n");
    // Back to a savepoint, and a statement that fails.
    run(&mut one, "save transaction s");
    run(&mut one, &looped(90, "delete top (1) from q"));
    assert_eq!(run(&mut one, first), "[least:int | n:int]\n2910 | 10\n");
    run(&mut one, "rollback transaction s");
    assert_eq!(run(&mut one, first), "[least:int | n:int]\n2010 | 100\n");
    run(&mut one, &looped(60, "delete top (1) from q"));
    let failed = run(&mut one, "delete top (30) from q output 1 / (deleted.id - 2900)");
    assert!(failed.contains("Msg 8134"), "{failed}");
    assert_eq!(run(&mut one, first), "[least:int | n:int]\n2610 | 40\n");
    // From behind.
    run(&mut one, &looped(39, "with x as (select top (1) * from q order by id desc) delete x"));
    assert_eq!(run(&mut one, last), "[id:int]\n2610\n");
    assert_eq!(run(&mut other, "insert q (id) values (2955)"), "");
    assert_eq!(run(&mut one, last), "[id:int]\n2955\n");
    run(&mut one, "rollback");
    assert_eq!(number(&run(&mut one, "select count(*) from q")), 304);
    assert_eq!(run(&mut one, "select id from q where id % 10 > 0"), "[id:int]\n5\n777\n1234\n2955\n");
}

/// The hundredth index read the definition of the others, and so did each column.
#[test]
fn a_part_more_of_a_definition_reads_no_other_part() {
    let engine = engine();
    let mut one = one(&engine);
    run(&mut one, "create table w (a int, b int)");
    let mut of = |from: usize, part: &dyn Fn(usize) -> String| {
        let text: String = (from..from + 20).map(part).collect();
        let (log, reads) = cost(&mut one, &format!("exec (N'{text}')"));
        (log / 20, reads / 20)
    };
    let index = |i: usize| format!("create index i{i} on w (a, b) ");
    let column = |i: usize| format!("alter table w add c{i} int constraint d{i} default {i} ");
    for part in [&index as &dyn Fn(usize) -> String, &column] {
        let first = of(0, part);
        for from in (20..200).step_by(20) {
            let later = of(from, part);
            let text = part(from);
            assert!(later.1 <= first.1 + first.1 / 5 + 5, "{text}: {} pages each, then {}", first.1, later.1);
            assert!(later.0 <= 2 * first.0 + 1_000, "{text}: {} bytes of log each, then {}", first.0, later.0);
        }
    }
    assert_eq!(number(&run(&mut one, "select count(*) from sys.columns where object_id = object_id('w')")), 202);
    assert_eq!(number(&run(&mut one, "select count(*) from sys.indexes where object_id = object_id('w')")), 201);
}

/// CREATE INDEX on `#t` wrote the table anew, row by row.
#[test]
fn an_index_of_a_temporary_table_is_sorted_and_filled() {
    let engine = engine();
    let mut one = one(&engine);
    run(&mut one, "create table #t (id int not null, a int, s varchar(100), constraint k primary key (id))");
    run(&mut one, "insert #t select value, value * 7919 % 20000, replicate('x', 50) from generate_series(1, 20000)");
    let (_, reads) = cost(&mut one, "create index i on #t (a) include (s)");
    // Some 190 pages of rows and 190 of the index.
    assert!(reads < 1_000, "{reads} pages");
    let (_, reads) = cost(&mut one, "drop index i on #t");
    assert!(reads < 50, "{reads} pages");
    run(&mut one, "create table #h (a int, s varchar(100)) insert #h select a, s from #t");
    let (_, reads) = cost(&mut one, "create clustered index c on #h (a)");
    assert!(reads < 1_000, "{reads} pages");
    assert_eq!(number(&run(&mut one, "select count(*) from #h with (index (c)) where a between 100 and 199")), 100);
    // A rollback takes the index back, and what came after it.
    run(&mut one, "begin transaction create index i on #t (a) insert #t values (0, 0, 'new') delete #t where id = 7");
    assert_eq!(number(&run(&mut one, "select count(*) from #t with (index (i)) where a >= 0")), 20_000);
    run(&mut one, "rollback");
    assert_eq!(number(&run(&mut one, "select sum(id) from #t")), 200_010_000);
    assert!(run(&mut one, "select count(*) from #t with (index (i))").contains("Msg 308"));
    let duplicate = run(&mut one, "update #t set a = 5 where id = 6 create unique index u on #t (a)");
    assert!(duplicate.contains("Msg 1505") && duplicate.contains("'u'") && duplicate.contains("(5)"), "{duplicate}");
    assert_eq!(number(&run(&mut one, "select count(*) from #t")), 20_000);
}

/// Each addition copied the text: 200 MB of memory asked for, bit by bit, where 1 MB is built.
#[test]
fn a_text_that_grows_is_charged_few_times() {
    let engine = engine();
    let mut one = one(&engine);
    let pieces = "declare @s varchar(max) = '', @b varbinary(max) = 0x, @i int = 0, @n nvarchar(max) = N''";
    let body =
        "set @s += replicate('x', 100) set @s = @s + 'y' + cast(@i % 10 as char(1)) set @b += 0x0102 set @n += null";
    let result = "select len(@s) as s, cast(right(@s, 4) as varchar(4)) as e, datalength(@b) as b, @n as n";
    let text = format!("{pieces} while @i < 10000 begin {body} set @i += 1 end {result}");
    let before = engine.workspace().value_charges();
    assert_eq!(
        run(&mut one, &text),
        "[s:bigint | e:varchar(4) | b:bigint | n:nvarchar(max)]\n1020000 | xxy9 | 20000 | NULL\n"
    );
    let charges = engine.workspace().value_charges() - before;
    assert!(charges < 20, "{charges} times");
    // Rows of a SELECT, and a copy that stays what it was.
    let text = "declare @s varchar(max) = replicate(cast('a' as varchar(max)), 70000), @t varchar(max)
                set @t = @s select @s += cast(value % 10 as varchar(1)) from generate_series(1, 2000)
                select len(@t) as t, len(@s) as s, cast(right(@s, 3) as varchar(3)) as e set @s += @s select len(@s) as s";
    let before = engine.workspace().value_charges();
    assert_eq!(run(&mut one, text), "[t:bigint | s:bigint | e:varchar(3)]\n70000 | 72000 | 890\n[s:bigint]\n144000\n");
    let charges = engine.workspace().value_charges() - before;
    assert!(charges < 20, "{charges} times");
}

/// Statements that an index answers, and the pages that each may look at. A scan of the table looks at 400 and more.
#[test]
fn what_an_index_answers_reads_no_table() {
    let engine = engine();
    let mut one = one(&engine);
    let made = "create table t (id int not null primary key, a int not null, b int null, c int not null, d datetime2(0) not null, \
             s varchar(20) not null, ns nvarchar(20) not null, pad char(60) not null) \
         insert t select n, n % 1000, case when n % 7 = 0 then null else cast(n as bigint) * 7919 % 6667 end, n % 10, \
             dateadd(minute, n, '2000-01-01'), 'n' + cast(n as varchar(10)), N'n' + cast(n as nvarchar(10)), 'x' \
             from (select value as n from generate_series(0, 19999)) x \
         create index t_b on t (b) create index t_d on t (d) create index t_s on t (s) create index t_ns on t (ns) \
         create index t_ca on t (c, a) \
         create table u (id int not null primary key, tid int not null, v int not null, pad char(100) not null) \
         insert u select id, id / 3, id % 100, 'y' from t create index u_tid on u (tid) \
         create table k (a int not null primary key) insert k values (11), (222), (3333), (5), (66), (777), (10)";
    assert_eq!(run(&mut one, made), "");
    run(&mut one, "create view gv as select tid, sum(v) as sv, count(*) as n from u group by tid");
    let statements = [
        ("select max(id) from t", 3),
        ("select min(b) from t", 8),
        ("select max(id), min(id), max(b) from t", 12),
        ("select min(d) from t where d > '2000-01-05'", 3),
        ("select max(a) from t where c = 3", 3),
        ("select * from t where id = (select max(id) from t)", 8),
        ("select * from t where b = (select 77)", 20),
        ("delete t where id in (select a from k where a > 100000000)", 3),
        ("select * from t where id in (select a from k)", 30),
        ("select * from t where b in (select a from k)", 90),
        ("select * from k where exists (select * from t where t.id = k.a)", 30),
        ("select * from k where not exists (select * from t where t.b = k.a)", 60),
        ("select * from k where a not in (select id from t)", 30),
        ("select (select count(*) from u where u.tid = t.id) from t where t.id = 77", 20),
        ("select (select sum(v) from u where u.tid between t.id and t.id + 5) from t where t.id = 77", 70),
        ("select * from t join (select tid, sum(v) sv from u group by tid) g on g.tid = t.id where t.id = 77", 30),
        ("select * from t join (select distinct tid from u) g on g.tid = t.id where t.id = 77", 30),
        ("select * from t join gv on gv.tid = t.id where t.id = 77", 30),
        ("select * from gv where tid = 77", 20),
        ("select * from t where b = 77 or b = 78", 40),
        ("select * from t where b in (77, 78, 99)", 60),
        ("select * from t where b = 77 or id = 78", 30),
        ("select * from t where b = 77 or s = 'n12'", 30),
        ("select * from t where b = 77 and d = '2000-01-03'", 12),
        ("select * from t where s like 'n777%'", 50),
        ("select * from t where ns like N'n777%'", 50),
        ("select * from t where s like 'n7777'", 8),
        ("select count(*) from t where s like 'n777%'", 50),
        ("select count(*) from t where left(s, 4) = 'n777'", 50),
        ("select count(*) from t where isnull(b, 0) = 77", 4),
        ("select count(*) from t where convert(date, d) = '2000-01-03'", 16),
        ("select count(*) from t where year(d) = 1999", 4),
        ("select count(*) from t where d >= '2000-01-03' and d < '2000-01-04'", 16),
        ("select count(*) from t where s = N'n777'", 4),
        ("select count(*) from t where id = '777'", 4),
        ("select count(*) from t where id between 5 and 9 or id between 50 and 59", 8),
        ("select * from t where id > 19995 or id < 3", 8),
        ("select * from t where not (id > 5 and id <= 19995)", 8),
        ("select * from t where (c = 3 and a = 7) and id < 5000", 20),
        ("select * from t where 1 = 0", 0),
        ("select top 10 * from t order by d desc", 40),
        ("select top 10 * from t order by id desc", 12),
        ("select top 10 * from t where b is not null order by b", 40),
        ("select top 1 id from t where c = 3 order by a desc", 4),
        ("select top 1 * from t where b > 100 order by b", 8),
        ("select top 10 * from t left join u on u.id = t.id order by t.id", 60),
        ("select * from t order by id offset 10 rows fetch next 10 rows only", 16),
        ("select * from (select *, row_number() over (order by id) rn from t) x where rn between 1 and 10", 12),
        ("select * from (select *, row_number() over (order by d desc) rn from t) x where rn <= 10", 40),
        (
            "select t.id from t cross apply (select top 1 * from u where u.tid = t.id order by u.v) x where t.id = 77",
            20,
        ),
        ("select * from t where exists (select 1 from u where u.tid = t.id and u.v = 5) and t.id < 5", 60),
        ("select * from t where id = 77 union all select * from t where id = 78", 8),
        ("select * from (select id, a from t union all select id, tid from u) x where id = 77", 8),
        ("select tid, count(*) from u group by tid having tid = 77", 20),
        ("if exists (select * from t where b = 77) select 1", 8),
        ("if exists (select * from t where pad = 'x') select 1", 8),
        ("select max(v) from u where tid in (77, 78)", 40),
        ("select count(*) from t a join t b on a.id = b.id + 1 where b.id = 5", 8),
        ("update t set pad = 'z' where id in (select top 3 id from t order by d desc)", 60),
        ("delete u where exists (select * from k where k.a + 100000000 = u.tid)", 30),
        ("declare @p varchar(20) = 'n777%'; select s from t where s like @p", 8),
        ("declare @a int = 5, @b int = 9; select count(*) from t where id between @a and @b", 4),
        ("select t.id from t left join k on k.a = t.id where t.id = 5 and k.a is null", 8),
    ];
    let dear: Vec<String> = statements
        .iter()
        .filter_map(|(text, most)| {
            // Statistics are made once, and the plan is kept.
            costs_of(&mut one, text);
            let (answer, _, reads) = costs_of(&mut one, text);
            assert!(!answer.contains("Msg"), "{text}: {answer}");
            (reads > *most).then(|| format!("{reads} pages, {most} at most: {text}"))
        })
        .collect();
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}

/// A common table expression, a view and equal derived tables were computed once for each use.
/// The keys of a join's other side say which part of an index is read.
#[test]
fn a_join_reads_the_part_of_an_index_that_its_keys_lie_in() {
    let engine = engine();
    let mut one = one(&engine);
    let made = "create table days (id int not null primary key, year int not null, week int not null) \
         insert days select value, 1990 + value / 365, value / 7 from generate_series(1, 7300); \
         create table stock (day int not null, item int not null, qty int not null, pad char(60) not null, primary key (day, item)) \
         insert stock select value / 50 * 7 + 3000, value % 50, value % 13, 'x' from generate_series(0, 24999); \
         create table back (day int not null, item int not null, qty int not null, pad char(60) not null, primary key (day desc, item)) \
         insert back select day, item, qty, pad from stock";
    assert_eq!(run(&mut one, made), "");
    let whole = costs_of(&mut one, "select sum(qty) from stock option (maxdop 1)").2;
    assert!(whole > 250, "{whole} pages");
    let statements = [
        // A week has one day in stock, which has 50 rows; a year 52.
        (30, "from stock s join days d on s.day = d.id where d.week = 500"),
        (30, "from back s join days d on s.day = d.id where d.week = 500"),
        (60, "from stock s join days d on s.day = d.id where d.year = 1999"),
        (60, "from back s join days d on s.day = d.id where d.year = 1999"),
        (60, "from stock s join days d on s.day = d.id where d.year = 1999 and s.day > 3100"),
        (20, "from stock s join days d on s.day = d.id where d.year = 1994"),
    ];
    for (most, text) in statements {
        let text = format!("select sum(s.qty), count(*) {text} option (maxdop 1)");
        let expected = run(&mut one, &text.replace("option (maxdop 1)", "option (maxdop 1, force order, loop join)"));
        costs_of(&mut one, &text);
        let (answer, _, reads) = costs_of(&mut one, &text);
        assert_eq!(answer, expected, "{text}");
        // The days are a table of some 20 pages.
        assert!(reads < most + 40, "{reads} of {whole} pages: {text}");
    }
}

#[test]
fn what_a_statement_names_twice_is_read_once() {
    let engine = engine();
    let mut one = one(&engine);
    let made = "create table sales (id int not null primary key, item int not null, store int not null, qty int not null, pad char(200) not null) \
         insert sales select value, value % 50, value % 9, value % 100, 'x' from generate_series(1, 8000)";
    assert_eq!(run(&mut one, made), "");
    run(
        &mut one,
        "create table names (id int not null primary key) insert names select value from generate_series(1, 40)",
    );
    run(&mut one, "create view per_item as select item, sum(qty) as total from sales group by item");
    let once = costs_of(&mut one, "select item, sum(qty) from sales group by item").2;
    assert!(once > 200, "{once} pages");
    let cte =
        ";with y as (select item, store, sum(qty) as total, max(sqrt(qty)) as unused from sales group by item, store) ";
    let statements = [
        (1, format!("{cte} select count(*) from y a join y b on a.item = b.item + 1 and a.store = b.store")),
        (1, format!("{cte} select count(*) from y a join y b on a.item = b.item + 1 join y c on c.item = a.item + 2")),
        (1, format!("{cte} select count(*) from y a where total > (select avg(total) from y b where b.store = a.store)")),
        (1, format!("{cte} select count(*) from y where item in (select item from y where total > 500)")),
        (1, format!("{cte}, z as (select store, max(total) as m from y group by store) select count(*) from y join z on z.store = y.store join z w on w.store = z.store + 1")),
        (1, "select count(*) from per_item a join per_item b on a.item = b.item + 1".to_owned()),
        (1, ";with j as (select s.item, s.store, s.qty from sales s join names n on n.id = s.item where s.qty = 7) select item, count(*) from j group by item union all select store, sum(qty) from j group by store".to_owned()),
        (1, "select count(*) from (select distinct store, item from sales) a join (select distinct store, item from sales) b on a.item = b.item + 1".to_owned()),
        // What differs is read again, and so is what is not read alike.
        (2, "select count(*) from per_item a join (select item, sum(qty + 1) as total from sales group by item) b on a.item = b.item".to_owned()),
        (2, "select count(*) from per_item a join (select item, sum(qty) as total from sales with (nolock) group by item) b on a.item = b.item".to_owned()),
    ];
    for (times, text) in statements {
        // Several threads look at some pages more than once.
        let text = format!("{text} option (maxdop 1)");
        // Statistics are made once, and the plan is kept.
        costs_of(&mut one, &text);
        for _ in 0..2 {
            let (answer, _, reads) = costs_of(&mut one, &text);
            assert!(!answer.contains("Msg"), "{text}: {answer}");
            assert!(
                (times * once..times * once + once / 2).contains(&reads),
                "{reads} pages, {once} each time: {text}"
            );
        }
    }
}
