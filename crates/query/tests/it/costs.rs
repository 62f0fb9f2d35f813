//! What the same statement costs again and again, in pages that are looked at: no more than the first time, however much the
//! ones before it have left behind.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::large_parts::{cost, looped, number};

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
