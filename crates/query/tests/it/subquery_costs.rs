//! What subqueries over a table without indexes cost, in pages that are looked at: the table is read once or twice for all outer rows, not
//! for each. That no answer changes is `golden/subqueries_as_joins.sql` and `tests/peers/subqueries`. And that what SQL Server takes of
//! long conditions is planned at all.

use std::fmt::Write;

use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::large_parts::costs_of;

/// `x` has 400 rows, `y` 2,000 on some 50 pages, with five rows of each key; `z` is `y` with an index on the key.
const TABLES: &str = "set nocount on
create table x (id int not null, k int null, v int null)
insert x select value, value % 450, value % 97 from generate_series(1, 400)
create table y (id int not null, k int null, v int null, pad char(150) not null default 'x')
insert y (id, k, v) select value, value % 400, value % 89 from generate_series(1, 2000)
create table z (id int not null primary key, k int null, v int null, pad char(150) not null default 'x')
insert z select * from y
create index z_k on z (k)";

fn tables() -> Session {
    let mut one = session(&engine());
    assert_eq!(run(&mut one, TABLES), "");
    one
}

/// Pages that a statement looks at once its statistics and its plan are made.
fn reads(one: &mut Session, statement: &str) -> i64 {
    costs_of(one, statement);
    let (answer, _, reads) = costs_of(one, statement);
    assert!(!answer.contains("Msg"), "{statement}: {answer}");
    reads
}

#[test]
fn what_a_subquery_reads_does_not_grow_with_the_outer_rows() {
    let mut one = tables();
    let statements = [
        "select count(*) from x where v >= all (select v from y where y.k = x.k)",
        "select count(*) from x where v > any (select v from y where y.k = x.k) or id = 3",
        "select count(*) from x where not (v < some (select v from y where y.k = x.k))",
        "select sum(w) from (select case when v = all (select v from y where y.k = x.k) then 1 else 2 end as w from x) a",
        "select count(*) from x where v > all (select v from y where v < 50)",
        "select count(*) from x where v > all (select v from (select top (30) v from y order by id) d)",
        "select count(*) from x where v not in (select v from (select v, row_number() over (order by id) as n from y) d where n < 9 and d.v <> x.k)",
        "select count(*) from (select top (60) * from x order by id) x left join (select top (60) * from y order by id) y \
            on x.v > all (select v from (select top (50) v from y order by id) d where d.v <> y.k)",
        "select count(*) from x left join y on y.id = (select min(id) from y q where q.k = x.k)",
        "select count(*) from x join y on y.id = (select min(id) from y q where q.k = x.k)",
        "select count(*) from x where id = (select top (1) id from y where y.k = x.k order by v desc)",
        "select count(*) from x where v in (select top (1) v from y where y.k = x.k order by id)",
        "select count(*) from x where exists (select top (1) 1 from y where y.k = x.k)",
        "select count(*), sum(a.id) from x cross apply (select top (2) id from y where y.k = x.k order by v desc, id) a",
        "select count(*), sum(a.id) from x outer apply (select top (2) id from y where y.k = x.k order by v desc, id) a",
        "select count(*), sum(a.c) from x cross apply (select v, count(*) as c from y where y.k = x.k group by v) a",
        "select count(*) from x where not exists (select x.k, x.v intersect select k, v from y)",
        "select count(*) from x where exists (select x.k, x.v except select k, v from y)",
        "select count(*) from x join y on exists (select x.k, x.v intersect select y.k, y.v)",
        ";with c as (select k, max(v) as m from y group by k) select count(*) from x where v = (select max(m) from c where c.k > x.k)",
    ];
    let once = reads(&mut one, "select count(*) from x, y where x.id + y.id = -1");
    let dear: Vec<String> = statements
        .iter()
        .filter_map(|statement| {
            let reads = reads(&mut one, statement);
            (reads > 4 * once).then(|| format!("{reads} pages, {} at most: {statement}", 4 * once))
        })
        .collect();
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}

#[test]
fn few_outer_rows_are_led_by_an_index() {
    let mut one = tables();
    let few = "(select top (3) * from x order by id) x";
    for statement in [
        format!(
            "select sum(a.id) from {few} cross apply (select top (2) id from z where z.k = x.k order by v desc, id) a"
        ),
        format!("select count(*) from {few} where x.id = (select top (1) id from z where z.k = x.k order by v desc)"),
    ] {
        let (reads, whole) =
            (reads(&mut one, &statement), reads(&mut one, "select count(*) from z with (index(0)) where v = -1"));
        assert!(reads < whole, "{reads} pages where all have {whole}: {statement}");
    }
}

#[test]
fn what_fails_of_rows_that_nothing_asks_for_is_not_computed() {
    let mut one = tables();
    assert_eq!(run(&mut one, "insert y (id, k, v) values (3000, 449, 0)"), "");
    let guarded = "select count(*) from x where case when k < 5 then (select max(10 / y.v) from y where y.k = x.k and y.v > 0) end > 1";
    assert!(!run(&mut one, guarded).contains("8134"));
    let asked =
        "select count(*) from x where case when k < 450 then (select max(10 / y.v) from y where y.k = x.k) end > 1";
    assert!(run(&mut one, asked).contains("8134"));
}

/// A condition of so many terms.
fn terms(count: usize, operator: &str, term: impl Fn(usize) -> String) -> String {
    let mut text = "select count(*) from x where ".to_owned();
    for place in 0..count {
        let between = if place == 0 { "" } else { operator };
        write!(text, "{between}{}", term(place)).expect("a String takes all");
    }
    text
}

#[test]
fn long_conditions_are_planned_or_refused() {
    // Sessions have as much stack.
    let thread = std::thread::Builder::new().stack_size(millpond_query::STACK_BYTES).spawn(long_conditions);
    thread.expect("a thread starts").join().expect("it ends well");
}

fn long_conditions() {
    let mut one = tables();
    let beyond = terms(2001, " or ", |n| format!("exists (select 1 from y where y.k = x.k and y.v = {n})"));
    assert!(run(&mut one, &beyond).contains("8623"));
    let exists = terms(300, " or ", |n| format!("exists (select 1 from y where y.k = x.k and y.v = {n})"));
    let some = run(
        &mut one,
        "select count(*) from x where exists (select 1 from y where y.k = x.k and y.v between 0 and 299)",
    );
    assert_eq!(run(&mut one, &exists), some);
    let members = terms(300, " and ", |n| format!("v in (select v from y where y.id > {n})"));
    let last = run(&mut one, "select count(*) from x where v in (select v from y where id > 299)");
    assert_eq!(run(&mut one, &members), last);
    let mixed = terms(60, " or ", |n| {
        format!(
            "(id = {n} and exists (select 1 from y where y.k = x.k and y.v = {n}) and v >= all (select v from y where y.k = x.k and y.id <> {n}))"
        )
    });
    let by_one: i64 = (0..60)
        .map(|n| {
            let one_term = terms(1, "", |_| {
                format!("id = {n} and exists (select 1 from y where y.k = x.k and y.v = {n}) and v >= all (select v from y where y.k = x.k and y.id <> {n})")
            });
            crate::large_parts::number(&run(&mut one, &one_term))
        })
        .sum();
    assert_eq!(crate::large_parts::number(&run(&mut one, &mixed)), by_one);
}
