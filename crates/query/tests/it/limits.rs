//! Statements as large as they may be, and larger: right rows, or SQL Server's number for what is too much. Texts are
//! generated; no test looks at a clock.

use std::fmt::Write;
use std::thread;

use crate::harness::{engine, run, session};

/// Runs a test on the stack that a server's threads have. A build without optimisation takes several times as much of it.
fn deep(test: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(millpond_query::STACK_BYTES).spawn(test);
    if let Err(panic) = thread.expect("a thread starts").join() {
        std::panic::resume_unwind(panic);
    }
}

/// `t0 … tN` of one table, each joined with the one before it.
fn chain(count: usize, join: &str) -> String {
    let mut text = String::from("select count(*) as n, sum(t0.id) as s from t t0");
    for index in 1..count {
        let _ = write!(text, " {join} t t{index} on t{index}.id = t{}.id", index - 1);
    }
    text
}

#[test]
fn joins_of_up_to_256_tables_give_each_row_once() {
    deep(|| {
        let engine = engine();
        let mut session = session(&engine);
        let setup = "set nocount on create table #t (id int) insert #t select value from generate_series(1, 100)";
        assert_eq!(run(&mut session, setup), "");
        for count in [2, 10, 11, 63, 64, 65, 66, 100, 256] {
            for join in ["join", "left join"] {
                let said = run(&mut session, &chain(count, join).replace(" t t", " #t t"));
                assert_eq!(said, "[n:int | s:int]\n100 | 5050\n", "{count} tables, {join}");
            }
        }
        let said = run(&mut session, &chain(257, "join").replace(" t t", " #t t"));
        assert!(said.starts_with("Msg 106, Level 16, State 1, Line 1: Too many table names"), "{said}");
    });
}

#[test]
fn a_list_of_many_tables_is_joined_by_its_conditions() {
    deep(|| {
        let engine = engine();
        let mut session = session(&engine);
        let setup = "set nocount on create table #t (id int primary key, v int) \
                     insert #t select value, value % 7 from generate_series(1, 100)";
        assert_eq!(run(&mut session, setup), "");
        for count in [20, 65, 130] {
            // The conditions connect the lower half with the upper one, so that the order as written multiplies rows.
            let tables: Vec<String> = (0..count).map(|index| format!("#t t{index}")).collect();
            let half = count / 2;
            let mut conditions: Vec<String> =
                (0..count - half).map(|low| format!("t{low}.id = t{}.id", (low + half).min(count - 1))).collect();
            conditions.extend((1..half).map(|low| format!("t{}.id = t{}.id", low - 1, low + half)));
            let text = format!("select count(*) as n from {} where {}", tables.join(", "), conditions.join(" and "));
            assert_eq!(run(&mut session, &text), "[n:int]\n100\n", "{count} tables");
        }
    });
}

/// A test's session on a stack for it, once for each way to run a statement.
fn each_way(test: impl Fn(&mut dyn FnMut(&str) -> String) + Send + 'static) {
    deep(move || {
        for direct in [1, 0] {
            let engine = engine();
            engine.instance().settings().set_option("direct statements", direct).unwrap();
            engine.instance().reconfigure(true).unwrap();
            let mut session = session(&engine);
            test(&mut |text| run(&mut session, text));
        }
    });
}

fn joined(item: &str, joint: &str, count: usize) -> String {
    vec![item; count].join(joint)
}

#[test]
fn expressions_of_thousands_of_terms_have_their_value() {
    each_way(|run| {
        assert_eq!(run(&format!("select {} as n", joined("1", "+", 2_000))), "[n:int]\n2000\n(1 rows affected)\n");
        assert_eq!(run(&format!("select {} as n", joined("1", "*", 2_000))), "[n:int]\n1\n(1 rows affected)\n");
        let said = run(&format!("select len({}) as n", joined("'ab'", "+", 2_000)));
        assert_eq!(said, "[n:int]\n4000\n(1 rows affected)\n");
        let said = run(&format!("declare @a int = 1 select 1 as n where {}", joined("@a = 1", " and ", 5_000)));
        assert_eq!(said, "[n:int]\n1\n(1 rows affected)\n");
        let said = run(&format!("declare @a int = 1 select 1 as n where {}", joined("@a = 2", " or ", 5_000)));
        assert_eq!(said, "[n:int]\n(0 rows affected)\n");
        let list: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
        let list = list.join(",");
        let said = run(&format!("select count(*) as n from generate_series(1, 20000) where value in ({list})"));
        assert_eq!(said, "[n:int]\n9999\n(1 rows affected)\n");
        let said = run(&format!("select len(concat({})) as n", joined("'abc'", ", ", 254)));
        assert_eq!(said, "[n:int]\n762\n(1 rows affected)\n");
        let said = run(&format!("select value + {} as n from generate_series(1, 2)", joined("value", "+", 1_500)));
        assert_eq!(said, "[n:int]\n1501\n3002\n(2 rows affected)\n");
    });
}

#[test]
fn terms_beyond_the_limit_are_191() {
    each_way(|run| {
        let said = run(&format!("select {}", joined("1", "+", 5_000)));
        assert!(said.starts_with("Msg 191, Level 15, State 1, Line 1: "), "{said}");
    });
}

#[test]
fn a_select_list_has_up_to_4096_columns() {
    each_way(|said| {
        let list = |count: usize| joined("1", ", ", count);
        let told = said(&format!("select {}", list(4096)));
        assert!(
            told.ends_with("(1 rows affected)\n")
                && told.lines().nth(1).is_some_and(|row| row.split(" | ").count() == 4096)
        );
        let refused = "Msg 1056, Level 15, State 1, Line 1: The number of elements in the select list exceeds the maximum \
                       allowed number of 4096 elements.\n";
        assert_eq!(said(&format!("select {}", list(4097))), refused);
        assert_eq!(said(&format!("select x.*, x.* from (select {}) as x", numbered_items(2049))), refused);
    });
}

/// Items with names of their own.
fn numbered_items(count: usize) -> String {
    let items: Vec<String> = (0..count).map(|number| format!("{number} as c{number}")).collect();
    items.join(", ")
}

#[test]
fn nesting_of_a_hundred_levels_runs() {
    let nest = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(100), close.repeat(100));
    each_way(move |run| {
        assert_eq!(run(&nest("begin ", "print 'in'", " end")), "# in\n");
        assert_eq!(run(&nest("begin try ", "print 'in'", " end try begin catch print 'caught' end catch")), "# in\n");
        assert_eq!(run(&nest("if 1 = 1 ", "print 'in'", "")), "# in\n");
        let said = run(&format!("select {} as n", nest("(", "7", ")")));
        assert_eq!(said, "[n:int]\n7\n(1 rows affected)\n");
        let said = run(&format!("select {} as n", nest("abs(", "-7", ")")));
        assert_eq!(said, "[n:int]\n7\n(1 rows affected)\n");
        assert_eq!(run(&format!("if {} print 'in'", nest("(", "1 = 1", ")"))), "# in\n");
    });
}

#[test]
fn a_chain_of_a_thousand_else_ifs_takes_its_branch() {
    each_way(|run| {
        let branches: Vec<String> = (0..1_000).map(|number| format!("if @n = {number} print '{number}'")).collect();
        let said = run(&format!("declare @n int = 997 {} else print 'none'", branches.join(" else ")));
        assert_eq!(said, "# 997\n");
    });
}

#[test]
fn hundreds_of_variables_and_arguments_have_their_values() {
    each_way(|run| {
        let list = |item: &dyn Fn(usize) -> String| (0..2_000).map(item).collect::<Vec<_>>().join(", ");
        let declared = list(&|index| format!("@v{index} int = {index}"));
        let said = run(&format!("declare {declared} select @v0 + @v255 + @v256 + @v1999 as n"));
        assert_eq!(said, "[n:int]\n2510\n(1 rows affected)\n");
        let parameters = list(&|index| format!("@p{index} int"));
        let by_place = list(&|index| index.to_string());
        let text = "N'select @p0 + @p255 + @p256 + @p1999 as n'";
        let said = run(&format!("exec sp_executesql {text}, N'{parameters}', {by_place}"));
        assert_eq!(said, "[n:int]\n2510\n(1 rows affected)\n");
        let by_name = list(&|index| format!("@p{index} = {}", index + 1));
        let said = run(&format!("exec sp_executesql {text}, N'{parameters}', {by_name}"));
        assert_eq!(said, "[n:int]\n2514\n(1 rows affected)\n");
        let said = run(&format!("exec sp_executesql N'select 1', N'@p int', {}", joined("1", ", ", 2_200)));
        assert!(said.starts_with("Msg 180, Level 15, State 1, Line 1: There are too many parameters"), "{said}");
    });
}

#[test]
fn what_doubles_at_each_level_is_refused() {
    each_way(|run| {
        let doubled = |joint: &dyn Fn(usize) -> String| {
            let levels: Vec<String> = (1..=30).map(|level| format!("c{level} as ({})", joint(level - 1))).collect();
            format!("with c0 as (select 1 as x), {} select count(*) as n from c30", levels.join(", "))
        };
        let said = run(&doubled(&|below| format!("select x from c{below} union all select x from c{below}")));
        assert!(said.starts_with("Msg 8623, Level 16, State 1, Line 1: The query processor ran out"), "{said}");
        let said = run(&doubled(&|below| format!("select a.x from c{below} a join c{below} b on a.x = b.x")));
        assert!(said.starts_with("Msg 8623, Level 16, State 1, Line 1: The query processor ran out"), "{said}");
    });
}

#[test]
fn a_view_that_joins_the_one_below_twice_has_too_many_tables() {
    each_way(|run| {
        assert_eq!(run("create database db"), "");
        assert_eq!(run("use db create table t (x int)"), "");
        assert_eq!(run("create view v0 as select x from t"), "");
        for level in 1..=9 {
            let below = level - 1;
            let said = run(&format!("create view v{level} as select a.x from v{below} a join v{below} b on a.x = b.x"));
            match level {
                9 => assert!(said.starts_with("Msg 106, Level 16, State 1"), "{said}"),
                _ => assert_eq!(said, ""),
            }
        }
    });
}

#[test]
fn a_pattern_of_many_wildcards_is_looked_for_once() {
    each_way(|run| {
        let setup = "declare @s varchar(max) = replicate(cast('a' as varchar(max)), 200000) ";
        let pattern = "'%a%a%a%a%a%a%a%a%a%a%b'";
        let said = run(&format!("{setup} select patindex({pattern}, @s) as n, patindex({pattern}, @s + 'b') as m"));
        assert_eq!(said, "[n:bigint | m:bigint]\n0 | 1\n(1 rows affected)\n");
        let said = run(&format!("{setup} select 1 as n where @s like {pattern}"));
        assert_eq!(said, "[n:int]\n(0 rows affected)\n");
    });
}

#[test]
fn queries_that_stand_in_each_other_end_before_the_stack_does() {
    each_way(|run| {
        let chain = |count: usize, value: &str| {
            let levels: Vec<String> =
                (1..=count).map(|level| format!("c{level} as (select {value} as x from c{})", level - 1)).collect();
            format!("with c0 as (select 1 as x), {} select x from c{count}", levels.join(", "))
        };
        assert_eq!(run(&chain(100, "x + 1")), "[x:int]\n101\n(1 rows affected)\n");
        let said = run(&chain(9_000, "x"));
        assert!(said.starts_with("Msg 8631, Level 17, State 1, Line 1: Internal error: Server stack limit"), "{said}");
        // The depth of each one's own text adds to it.
        let levels: Vec<String> = (1..=500)
            .map(|level| format!("c{level} as (select (select max(x) from c{}){} as x)", level - 1, "+1".repeat(1_000)))
            .collect();
        let said = run(&format!("with c0 as (select 1 as x), {} select x from c500", levels.join(", ")));
        assert!(said.starts_with("Msg 8631, Level 17, State 1, Line 1: Internal error: Server stack limit"), "{said}");
    });
}

#[test]
fn aggregates_over_subqueries_with_aggregates_are_refused_at_any_depth() {
    deep(|| {
        let engine = engine();
        let mut session = session(&engine);
        assert_eq!(run(&mut session, "set nocount on create table #t (a int) insert #t values (1), (2)"), "");
        let nested = (0..60).fold("#t.a".to_owned(), |inner, _| format!("(select sum({inner}))"));
        let said = run(&mut session, &format!("select {nested} from #t"));
        assert!(said.starts_with("Msg 130, Level 15"), "{said}");
    });
}

#[test]
fn parsed_texts_take_a_part_of_the_memory_at_most() {
    let engine = engine();
    let mut session = session(&engine);
    let most = engine.parsed().bytes_max();
    assert_eq!(most, 16 << 20, "a sixteenth of 256 MB");
    let padding = "x".repeat(2_000);
    let mut greatest = 0;
    for number in 0..1_000 {
        let said = run(&mut session, &format!("if {number} < 0 print '{padding}'"));
        assert_eq!(said, "");
        let kept = engine.parsed().kept();
        assert!(kept.iter().any(|text| text.text.starts_with(&format!("if {number} <"))), "the newest is kept");
        greatest = greatest.max(kept.iter().map(|text| millpond_engine::parsed::tree_bytes(text.text.len())).sum());
    }
    assert!(greatest <= most && greatest > most / 2, "{greatest} of {most} bytes");
}
