//! Tables as queues whose order is that of an index: which row comes first, how many pages are read for it, and who waits
//! for whom.

use std::cmp::Ordering;
use std::sync::Arc;
use std::thread;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session, until_waiting};
use crate::large_parts::{cost, looped, number};

fn user(engine: &Arc<Engine>) -> Session {
    let mut session = session(engine);
    assert_eq!(run(&mut session, "set nocount on use queues"), "");
    session
}

fn with_queue(rows: usize) -> Arc<Engine> {
    let engine = engine();
    assert_eq!(run(&mut session(&engine), "create database queues"), "");
    let fill = format!(
        "create table q (id int not null primary key, st int not null, pri int not null, due datetime2 not null,
                         body char(300) not null default 'x')
         create index by_state on q (st, pri desc, id)
         create index by_due on q (pri desc, due, id)
         create index by_priority on q (pri desc)
         insert q (id, st, pri, due) select value, value % 2, value % 5, '2020-01-01' from generate_series(1, {rows})"
    );
    assert_eq!(run(&mut user(&engine), &fill), "");
    engine
}

/// Rows of 300 bytes: 5,000 of them are some 200 pages, and each of these read them all.
#[test]
fn the_first_row_in_the_order_of_an_index_costs_a_few_pages() {
    let engine = with_queue(5_000);
    let mut one = user(&engine);
    let state = "select top (1) id from q with (updlock, readpast) where st = 0 order by pri desc, id";
    let statements = [
        "declare @i int select top (1) @i = id from q order by pri desc, id",
        "declare @i int select top (1) @i = id from q order by pri, id desc",
        "declare @s varchar(max) select top (1) @s = body from q where due < sysdatetime() order by pri desc, due, id",
        "declare @i int select @i = (select top (1) st from q b where b.st = a.st order by b.pri desc, b.id) from q a where a.id < 100",
        "with x as (select top (1) * from q with (rowlock, readpast, updlock) where due < sysdatetime()
                   order by pri desc, due, id) delete x",
        "with x as (select top (1) * from q order by pri desc, due, id) update x set body = 'y'",
        "delete x from (select top (1) * from q with (readpast) order by pri desc, id) x",
        &format!("update q set st = 2 where id = ({state})"),
        &format!("delete q where id in ({})", state.replace("(1)", "(3)")),
        &format!("declare @i int = ({state}) update q set st = 2 where id = @i"),
    ];
    for statement in statements {
        let (_, reads) = cost(&mut one, &format!("exec (N'{}')", statement.replace('\'', "''")));
        // Each of the correlated query's hundred rows is looked for by the index and in the table.
        let most = if statement.contains("a.id < 100") { 1_000 } else { 60 };
        assert!(reads < most, "{statement}: {reads} pages");
    }
    // Again and again in one transaction: what was taken before is not read again.
    for take in [statements[4], statements[6], statements[7]] {
        let (_, reads) = cost(&mut one, &looped(300, take));
        assert!(reads < 300 * 60, "{take}: {reads} pages");
    }
}

/// The indexes' columns: a row of `t` is (id, a, b), and `a` is NULL now and then.
type Row = (i64, Option<i64>, i64);

type Passes = fn(&Row) -> bool;

fn by(keys: &[(&str, bool)], one: &Row, other: &Row) -> Ordering {
    let of = |key: &str, row: &Row| match key {
        "id" => Some(row.0),
        "a" => row.1,
        _ => Some(row.2),
    };
    let order = |(key, descending): &(&str, bool)| {
        let order = of(key, one).cmp(&of(key, other));
        if *descending { order.reverse() } else { order }
    };
    keys.iter().map(order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Entries of equal keys lie in the order of the clustered key; whoever takes that for an order must be right in each
/// direction.
#[test]
fn an_index_gives_the_order_of_its_key_and_of_the_clustered_key_behind_it() {
    let engine = engine();
    assert_eq!(run(&mut session(&engine), "create database queues"), "");
    let mut one = user(&engine);
    let rows: Vec<Row> = (1..=60).map(|i| (i * 37 % 61, (i % 7 > 0).then_some(i % 4), i % 3)).collect();
    let clustered =
        ["primary key (id)", "primary key (id desc)", "unique clustered (b desc, id)", "index c clustered (b)"];
    let beside = ["(a)", "(a desc)", "(a, b)", "(b, a desc)", "(a, id)", "(b) include (a)"];
    let all = ["id", "a", "b"];
    let mut orders: Vec<Vec<(&str, bool)>> = Vec::new();
    for keys in
        [&["a", "id"][..], &["a", "b", "id"], &["b", "a", "id"], &["b", "id", "a"], &["a", "a", "id"], &["id", "b"]]
    {
        for directions in 0..1 << keys.len() {
            orders.push(keys.iter().enumerate().map(|(at, key)| (*key, directions >> at & 1 == 1)).collect());
        }
    }
    let filters: [(&str, Passes); 4] = [
        ("", |_| true),
        ("where a = 2", |row| row.1 == Some(2)),
        ("where b >= 1", |row| row.2 >= 1),
        ("where b = 1 and a in (3)", |row| row.2 == 1 && row.1 == Some(3)),
    ];
    for (number, (rows_by, name)) in clustered.iter().flat_map(|by| [(by, "t"), (by, "#t")]).enumerate() {
        run(&mut one, &format!("drop table if exists {name}"));
        let made = run(
            &mut one,
            &format!("create table {name} (id int not null, a int, b int not null, s varchar(max), {rows_by})"),
        );
        assert_eq!(made, "");
        for (id, a, b) in &rows {
            let a = a.map_or("null".to_owned(), |a| a.to_string());
            assert_eq!(
                run(
                    &mut one,
                    &format!("insert {name} values ({id}, {a}, {b}, replicate(cast('x' as varchar(max)), 9000))")
                ),
                ""
            );
        }
        let key = beside[number % beside.len()];
        let other = beside[(number + 2) % beside.len()];
        assert_eq!(run(&mut one, &format!("create index i on {name} {key} create index j on {name} {other}")), "");
        for order in &orders {
            // Rows that are equal in the order may come in any: what is shown is what they are equal in.
            let shown: Vec<&str> = all.into_iter().filter(|key| order.iter().any(|(of, _)| of == key)).collect();
            let mut said: Vec<String> = order
                .iter()
                .map(|(key, descending)| format!("{key}{}", if *descending { " desc" } else { "" }))
                .collect();
            // The same column twice is refused as text (169), and is the same order.
            said.dedup_by(|one, other| one.split(' ').next() == other.split(' ').next());
            for (filter, passes) in filters {
                let mut expected: Vec<&Row> = rows.iter().filter(|row| passes(row)).collect();
                expected.sort_by(|one, other| by(order, one, other));
                let text = |row: &Row| {
                    let of = |key: &&str| match *key {
                        "id" => row.0.to_string(),
                        "a" => row.1.map_or("NULL".to_owned(), |a| a.to_string()),
                        _ => row.2.to_string(),
                    };
                    shown.iter().map(of).chain(["9000".to_owned()]).collect::<Vec<String>>().join(" | ")
                };
                let expected: Vec<String> = expected.into_iter().take(7).map(text).collect();
                let list = format!("{}, len(s) l", shown.join(", "));
                let query = format!("select top (7) {list} from {name} {filter} order by {}", said.join(", "));
                let each = format!(
                    "select x.* from (values (1)) v (n) cross apply (select top (7 * n) {list} from {name} {filter} order by {}) x",
                    said.join(", ")
                );
                let queries = if filter.is_empty() { vec![query, each] } else { vec![query] };
                for query in queries {
                    let told = run(&mut one, &query);
                    let told: Vec<&str> = told.lines().skip(1).collect();
                    assert_eq!(told, expected, "{rows_by} {key} {other}: {query}");
                }
            }
        }
    }
}

#[test]
fn a_queue_skips_what_others_have_taken_or_waits_for_it() {
    let engine = with_queue(1_000);
    let (mut one, mut two) = (user(&engine), user(&engine));
    let take = "with x as (select top (1) * from q with (rowlock, readpast, updlock) where due < sysdatetime() order by pri desc, due, id) delete x output deleted.id";
    let state = "update q set st = 2 output deleted.id where id = (select top 1 id from q with (updlock HINT) where st = 0 order by pri desc, id)";
    let skips = state.replace("HINT", ", readpast");
    run(&mut one, "begin tran");
    run(&mut two, "begin tran");
    assert_eq!(number(&run(&mut one, take)), 4);
    assert_eq!(number(&run(&mut two, take)), 9);
    assert_eq!(number(&run(&mut one, take)), 14);
    assert_eq!(number(&run(&mut two, &skips)), 24, "4 and 14 are another's, 9 is of another state");
    assert_eq!(number(&run(&mut one, &skips)), 34);
    // A row that somebody changed beside the index is his too.
    run(&mut one, "update q set body = 'busy' where id = 19");
    assert_eq!(number(&run(&mut two, take)), 24, "19 is taken, 24 is its own");
    assert_eq!(number(&run(&mut two, take)), 29);
    run(&mut one, "rollback");
    run(&mut two, "rollback");
    assert_eq!(number(&run(&mut two, take)), 4);
    assert_eq!(number(&run(&mut two, "select count(*) from q with (index (by_due)) where pri = 4")), 199);
    // Who does not skip waits, and takes the next row when the other has committed.
    for take in [
        state.replace(" HINT", ""),
        "with x as (select top (1) * from q order by pri desc, due, id) delete x output deleted.id".to_owned(),
    ] {
        let first = number(&run(&mut one, &format!("begin tran; {take}")));
        let waiting = thread::spawn(move || {
            let said = run(&mut two, &take);
            (two, said)
        });
        until_waiting(&engine, 1);
        run(&mut one, "commit");
        let said;
        (two, said) = waiting.join().unwrap();
        assert!(number(&said) > first, "{said} behind {first}");
    }
}
