//! What a column is described as holds for its rows: queries of random operators over columns that may and may not be NULL.
//!
//! Each query's column is read as it is, counted by IS NULL and IS NOT NULL, and written to a new table. A NULL in a column
//! that is described as NOT NULL shows in the transcript; a plan that takes a column for NOT NULL finds none with IS NULL,
//! or fails.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};

/// Queries of one run.
const QUERIES: usize = 120;

/// A small generator of numbers; its seed names the run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        // Knuth's MMIX generator; the low bits are the weak ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

/// A query of one column `c`.
fn query(draw: &mut Draw, depth: usize) -> String {
    const LEAVES: [&str; 7] = [
        "select 1 c",
        "select c from filled",
        "select c from holed",
        "select c from bare",
        "select c from (values (2), (3)) v(c)",
        "select cast(null as int) c",
        "select null c",
    ];
    if depth == 0 {
        return LEAVES[draw.below(LEAVES.len())].to_owned();
    }
    let a = query(draw, depth - 1);
    let below = draw.below(depth);
    let b = query(draw, below);
    match draw.below(26) {
        0 => format!("select c from ({a}) a union all select c from ({b}) b"),
        1 => format!("({a}) union all ({b}) union all select 5"),
        2 => format!("{a} union select null"),
        3 => format!("select c from ({a}) a except select c from ({b}) b"),
        4 => format!("select c from ({a}) a intersect select c from ({b}) b"),
        5 => format!("select b.c from ({a}) a left join ({b}) b on a.c = b.c"),
        6 => format!("select a.c from ({a}) a right join ({b}) b on a.c = b.c"),
        7 => format!("select a.c from ({a}) a full join ({b}) b on a.c = b.c + 1"),
        8 => format!("select b.c from ({a}) a outer apply (select x.c from ({b}) x where x.c > a.c) b"),
        9 => format!("select b.c from ({a}) a cross apply (select x.c from ({b}) x where x.c >= a.c) b"),
        10 => format!("select c from ({a}) a group by rollup (c)"),
        11 => format!("select c from ({a}) a group by grouping sets ((c), (), ())"),
        12 => format!("select c from (select a.c, b.c d from ({a}) a cross join ({b}) b) x group by cube (c, d)"),
        13 => format!("select max(c) c from ({a}) a"),
        14 => format!("select sum(c) c from ({a}) a group by c"),
        15 => format!("select lag(c) over (order by c) c from ({a}) a"),
        16 => format!("select lead(c, 2, 9) over (order by c) c from ({a}) a"),
        17 => format!("select last_value(c) over (order by c rows between 2 preceding and 1 preceding) c from ({a}) a"),
        18 => format!("select (select top 1 b.c from ({b}) b where b.c > a.c order by b.c) c from ({a}) a"),
        19 => format!("select case when c = 1 then c end c from ({a}) a"),
        20 => format!("select nullif(c, 1) c from ({a}) a"),
        21 => format!("select isnull(c, 7) c from ({a}) a"),
        22 => format!("select coalesce(c, (select max(c) from ({b}) b)) c from ({a}) a"),
        23 => format!("select [1] c from (select c, c k from ({a}) a) s pivot (max(c) for k in ([1], [2])) p"),
        24 => format!("select distinct c from ({a}) a"),
        _ => format!("select c + 0 c from ({a}) a where c not in (select c from ({b}) b)"),
    }
}

/// The rows that a query of one column gives.
fn rows(session: &mut Session, text: &str) -> Vec<String> {
    let told = run(session, text);
    assert!(!told.contains("Msg ") && !told.contains("NOT NULL"), "{text}\n{told}");
    // Columns, counts and warnings stand on lines of their own.
    told.lines().filter(|line| !line.starts_with(['[', '(', '#'])).map(str::to_owned).collect()
}

/// The numbers of NULLs and of other values that a query gives.
fn counts(session: &mut Session, text: &str) -> (usize, usize) {
    let rows = rows(session, text);
    let nulls = rows.iter().filter(|row| *row == "NULL").count();
    (nulls, rows.len() - nulls)
}

fn check(session: &mut Session, query: &str) {
    let (nulls, others) = counts(session, &format!("select c from ({query}) t"));
    for (condition, expected) in [("is null", nulls), ("is not null", others)] {
        let counted = rows(session, &format!("select count(*) from ({query}) t where c {condition}"));
        assert_eq!(counted, [expected.to_string()], "{query} {condition}");
    }
    let kept = run(session, &format!("select c into #kept from ({query}) t"));
    assert!(!kept.contains("Msg "), "{query}\n{kept}");
    assert_eq!(counts(session, "select c from #kept drop table #kept"), (nulls, others), "{query} INTO");
    let recursive = format!(
        "with r(c, n) as (select c, 0 from ({query}) a union all select nullif(c, 1), n + 1 from r where n < 1) select c from r"
    );
    let (followed, rest) = counts(session, &recursive);
    assert_eq!(followed + rest, 2 * (nulls + others), "{recursive}");
}

#[test]
fn columns_described_as_not_null_have_no_null() {
    for direct in [1, 0] {
        let engine = engine();
        engine.instance().settings().set_option("direct statements", direct).unwrap();
        engine.instance().reconfigure(true).unwrap();
        let mut session = session(&engine);
        let tables =
            "create table filled(c int not null) create table holed(c int null) create table bare(c int not null)
            insert filled values (1), (2), (3) insert holed values (1), (null), (4)";
        assert!(!run(&mut session, tables).contains("Msg "));
        let mut draw = Draw(20_261_123);
        for round in 0..QUERIES {
            let text = query(&mut draw, 1 + round % 3);
            check(&mut session, &text);
        }
    }
}
