//! Texts that take long before anything of them runs: to parse, to bind, to plan.

use std::fmt::Write;

use super::Row;

fn row(name: &str, hostile: String) -> Row {
    Row { compiles: true, ..Row::new(name, &hostile) }
}

/// `count` copies with a number in place of `#`.
fn numbered(item: &str, joint: &str, count: usize) -> String {
    let items: Vec<String> = (0..count).map(|number| item.replace('#', &number.to_string())).collect();
    items.join(joint)
}

/// Common table expressions of which each mentions the one before it twice.
fn doubling(levels: usize) -> String {
    let mut text = String::from("with c0 as (select id, v from one_v)");
    for level in 1..=levels {
        let below = level - 1;
        let _ = write!(text, ", c{level} as (select a.id, b.v from c{below} a join c{below} b on a.id = b.id)");
    }
    let _ = write!(text, " select count(*) as n from c{levels}");
    text
}

/// All rows.
pub(super) fn rows() -> Vec<Row> {
    let chain: String = numbered("join big t# on t#.id = t.id and t#.v + t.v > t#.k", " ", 250);
    let long_text = format!("select '{}' as s", "x".repeat(40_000_000));
    let columns = numbered("a.v + a.k * # as c#", ", ", 4000);
    let mut views = Row {
        set_up: "create view one_v as select id, v from big".to_owned(),
        end: "drop view one_v".to_owned(),
        ..row("CTEs that double", doubling(8))
    };
    views.hostile = format!("{0} ; {0} ; {0} ; {0}", views.hostile);
    let nested = numbered("(select max(x#.v) from big x# where x#.id = t.id)", " + ", 200);
    vec![
        row("parse of many statements", format!("declare @a int = 0 {}", numbered("set @a = @a + #", "\n", 1_000_000))),
        row("parse of one long list", format!("select 1 where 1 in ({})", numbered("#", ",", 3_000_000))),
        row("parse of a long text", vec![long_text; 5].join("\n")),
        row("parse of a comment", format!("select 1 /* {} */", "* ".repeat(100_000_000))),
        row("parse of blanks", format!("select 1 {}", " ".repeat(200_000_000))),
        row("many statements to bind", numbered("select count(*) as n from big where id = #", "\n", 60_000)),
        row("IN list", format!("select count(*) as n from big where k in ({})", numbered("v + #", ",", 60_000))),
        row(
            "IN list of constants",
            format!("select count(*) as n from big where k in ({})", numbered("#", ",", 1_000_000)),
        ),
        row("join of many tables", format!("select count(*) as n from big t {chain}")),
        row("many columns", format!("select {columns} from big a order by c1, c2, c3")),
        row("UNION ALL", numbered("select # as n, v from big where k = # and v < #", " union all ", 3000)),
        row("CASE", format!("select case v {} end as n from big", numbered("when # then k + #", " ", 60_000))),
        row("VALUES", format!("select * from (values {}) x(a, b)", numbered("(#, 'x#')", ", ", 200_000))),
        row("subqueries", format!("select {nested} as n from big t")),
        views,
    ]
}
