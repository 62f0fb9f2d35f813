//! Plans of groups: what is grouped by what, and what is run once. That no answer changes is `golden/group_keys.sql` and
//! `golden/rollups.sql`.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::join_hints::plan;
use crate::large_parts::costs_of;

const TABLES: &str = "set nocount on
create table people (id int not null primary key, name varchar(20) not null, town varchar(20) null)
insert people select value, concat('name ', value % 90), concat('town ', value % 7) from generate_series(1, 300)
create table loose (id int not null, name varchar(20) not null, town varchar(20) null)
insert loose select * from people
create table sold (id int not null primary key, who int not null, item int not null, qty int not null, pad char(60) not null default 'x')
insert sold (id, who, item, qty) select value, value % 330, value * 7 % 4000, value % 50 from generate_series(1, 20000)";

fn tables() -> Session {
    let mut one = session(&engine());
    assert_eq!(run(&mut one, TABLES), "");
    one
}

/// What each aggregate of a statement hashes, from the top.
fn hashed(one: &mut Session, statement: &str) -> Vec<String> {
    let plan = plan(one, &format!("{statement} option (maxdop 1)"));
    let aggregates = plan.lines().filter(|line| line.contains("Hash Match(Aggregate"));
    let keys = |line: &str| line.split_once("HASH:(").and_then(|(_, keys)| Some(keys.split_once(")")?.0.to_owned()));
    aggregates.filter_map(keys).map(|keys| keys.replace("[master].[dbo].", "")).collect()
}

#[test]
fn texts_of_a_table_are_grouped_after_its_key() {
    let mut one = tables();
    let by_name = "select p.name, sum(s.qty) from sold s join people p on p.id = s.who group by p.name";
    assert_eq!(hashed(&mut one, by_name), ["[people].[name]", "[people].[id]"]);
    let by_both = "select distinct p.town, p.name from sold s join people p on p.id = s.who";
    assert_eq!(hashed(&mut one, by_both).last().map(String::as_str), Some("[people].[id]"));
    // Nothing says that its rows differ.
    assert_eq!(hashed(&mut one, &by_name.replace("people", "loose")), ["[loose].[name]"]);
    // Nearly each row would be a group.
    let by_row = "select p.name, s.id, sum(s.qty) from sold s join people p on p.id = s.who group by p.name, s.id";
    assert_eq!(hashed(&mut one, by_row).len(), 1);
    // Its only value for each key.
    let with_key =
        "select p.id, s.id, p.name, sum(s.qty) from sold s join people p on p.id = s.who group by p.id, s.id, p.name";
    assert_eq!(hashed(&mut one, with_key), ["[people].[id], [sold].[id]"]);
    let hinted = "select p.name, sum(s.qty) from sold s inner hash join people p on p.id = s.who group by p.name";
    assert_eq!(hashed(&mut one, hinted), ["[people].[name]"]);
}

#[test]
fn levels_of_a_rollup_are_made_of_each_other() {
    let mut one = tables();
    let rollup = "select item, who % 9, qty, count(*) from sold group by rollup(item, who % 9, qty)";
    let levels = plan(&mut one, rollup);
    assert_eq!(
        (levels.matches("GROUPING SETS").count(), levels.matches("Table Spool").count() >= 5),
        (0, true),
        "{levels}"
    );
    // Few groups are repeated.
    let few = plan(&mut one, "select who % 9, qty % 3, count(*) from sold group by rollup(who % 9, qty % 3)");
    assert_eq!((few.matches("GROUPING SETS").count(), few.matches("Table Spool").count()), (1, 0), "{few}");
}

#[test]
fn a_query_that_reads_no_outer_row_runs_once() {
    let mut one = tables();
    let pages = costs_of(&mut one, "select avg(qty) from sold").2;
    assert!(pages > 200, "{pages} pages");
    let asked = "(select avg(qty) from sold)";
    let twice =
        format!("select count(*) from people where id > {asked} or id * 2 > {asked} or id = 3 and id + 7 < {asked}");
    let reads = costs_of(&mut one, &twice).2;
    assert!(reads < pages + 40, "{reads} pages, {pages} for each");
    // In branches that are not taken it is not asked at all.
    let never = format!("select count(case when id < 0 then {asked} end) from people");
    let reads = costs_of(&mut one, &never).2;
    assert!(reads < 40, "{reads} pages");
}

/// Rows are not dropped by one draw of NEWID() and sorted by another.
#[test]
fn first_rows_of_partitions_are_kept_where_their_order_stays() {
    let mut one = tables();
    let first = |order: &str| {
        format!(
            "select * from (select id, row_number() over (partition by who order by {order}) as n from sold) x where n <= 2"
        )
    };
    let drops =
        |one: &mut Session, order: &str| plan(one, &first(order)).contains("TOP EXPRESSION:((2)), PARTITION COLUMNS:");
    assert!(drops(&mut one, "qty desc"));
    for order in ["newid()", "qty, newid()", "(select max(p.id) from people p where p.id < sold.id)"] {
        assert!(!drops(&mut one, order), "{order}");
    }
}

#[test]
fn totals_that_are_asked_for_side_by_side_share_a_scan() {
    let mut one = tables();
    let mut scans = |statement: &str| {
        let plan = plan(&mut one, statement);
        plan.lines().filter(|line| line.contains(" Scan(OBJECT:") && line.contains("[sold]")).count()
    };
    let queries = "select case when (select count(*) from sold where qty = 1) > 5 then (select max(item) from sold where qty = 2) end,
        (select avg(qty) from sold)";
    assert_eq!(scans(queries), 1);
    let derived = "select a.n, b.n, c.n from (select count(*) as n from sold where qty = 1) as a,
        (select sum(qty) as n from sold where qty between 2 and 9) as b, (select count(*) as n from people) as c";
    assert_eq!(scans(derived), 1);
    let of_join = "(select count(*) as n from sold join people on people.id = who where town = 'town 1' and qty = 1)";
    assert_eq!(scans(&format!("select * from {of_join} as a, {} as b", of_join.replace("qty = 1", "qty > 40"))), 1);
    // Each may end in an error, which the other has nothing to do with.
    assert_eq!(
        scans("select (select sum(item) from sold where qty = 1), (select sum(item) from sold where qty = 2)"),
        2
    );
    // An index leads to the rows of each.
    assert_eq!(
        scans("select (select count(*) from sold where id < 5), (select count(*) from sold where id > 19990)"),
        0
    );
    // What they do not have in common ties different columns together.
    assert_eq!(scans(&format!("select * from {of_join} as a, {} as b", of_join.replace("id = who", "id = item"))), 2);
    assert_eq!(
        scans(
            "select (select count(distinct item) from sold where qty = 1), (select count(*) from sold where qty = 2)"
        ),
        2
    );
    assert_eq!(
        scans("select (select count(*) from sold where qty = p.id), (select count(*) from sold) from people p"),
        2
    );
}
