//! A walk over the SET options and the hints of their pages: each is heeded or accepted, and changes no answer, or is refused by name.
//!
//! The lists are those of <https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql> and
//! <https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql>, written by hand.

use std::fmt::Write;

use crate::harness::{engine, run, session};

/// A statement, a question, and its answer.
const SET: &[(&str, &str, &str)] = &[
    ("set datefirst 3", "select @@datefirst", "3"),
    ("set dateformat dmy", "select cast('03/04/2020' as date)", "2020-04-03"),
    ("set deadlock_priority low", "select deadlock_priority from sys.dm_exec_sessions where session_id = @@spid", "-5"),
    ("set deadlock_priority 7", "select deadlock_priority from sys.dm_exec_sessions where session_id = @@spid", "7"),
    ("set lock_timeout 1500", "select @@lock_timeout", "1500"),
    ("set concat_null_yields_null off", "select 'a' + null", "a"),
    ("set cursor_close_on_commit on", "select @@options & 4", "4"),
    ("set language german", "select @@language", "Deutsch"),
    ("set quoted_identifier off", "select @@options & 256", "0"),
    ("set arithabort off", "select @@options & 64", "0"),
    ("set arithignore on", "select @@options & 128", "128"),
    ("set nocount on", "select @@options & 512", "512"),
    ("set numeric_roundabort on", "select @@options & 8192", "8192"),
    ("set query_governor_cost_limit 0", "select 1", "1"),
    ("set rowcount 2", "select count(*) from (select top 5 id from many) as x", "5"),
    ("set textsize 1000", "select @@textsize", "1000"),
    ("set ansi_null_dflt_off on", "select @@options & 2048", "2048"),
    ("set ansi_null_dflt_on on", "select @@options & 1024", "1024"),
    ("set ansi_nulls off", "select count(*) from (select null as a) as x where a = null", "1"),
    ("set ansi_padding off", "select @@options & 16", "0"),
    ("set ansi_warnings off", "select @@options & 8", "0"),
    ("set ansi_defaults on", "select @@options & 2", "2"),
    ("set forceplan on", "select count(*) from many as a join many as b on a.id = b.id", "40"),
    ("set implicit_transactions on", "select @@options & 2", "2"),
    ("set remote_proc_transactions off", "select 1", "1"),
    (
        "set transaction isolation level read uncommitted",
        "select transaction_isolation_level from sys.dm_exec_sessions where session_id = @@spid",
        "1",
    ),
    (
        "set transaction isolation level repeatable read",
        "select transaction_isolation_level from sys.dm_exec_sessions where session_id = @@spid",
        "3",
    ),
    (
        "set transaction isolation level serializable",
        "select transaction_isolation_level from sys.dm_exec_sessions where session_id = @@spid",
        "4",
    ),
    ("set xact_abort on", "select @@options & 16384", "16384"),
    ("set context_info 0x0102", "select datalength(context_info())", "128"),
    ("set statistics io off", "select 1", "1"),
    ("set statistics time off", "select 1", "1"),
    ("set statistics profile off", "select 1", "1"),
    ("set fmtonly off", "select 1", "1"),
    ("set noexec off", "select 1", "1"),
    ("set parseonly off", "select 1", "1"),
    ("set no_browsetable on", "select 1", "1"),
    ("set showplan_all off", "select 1", "1"),
    ("set showplan_text off", "select 1", "1"),
    ("set showplan_xml off", "select 1", "1"),
    ("set statistics xml off", "select 1", "1"),
    ("set identity_insert counted on", "insert counted (id) values (9) select max(id) from counted", "9"),
];

/// What there is not.
const SET_REFUSED: &[&str] = &["set fips_flagger off", "set offsets select on"];

/// Hints of tables, in `WITH (…)`.
const OF_TABLES: &[&str] = &[
    "index (0)",
    "index (pk)",
    "index = pk",
    "index (by_v)",
    "forceseek",
    "forceseek (pk (id))",
    "forcescan",
    "holdlock",
    "nolock",
    "nowait",
    "paglock",
    "readcommitted",
    "readcommittedlock",
    "readpast",
    "readuncommitted",
    "repeatableread",
    "rowlock",
    "serializable",
    "tablock",
    "tablockx",
    "updlock",
    "xlock",
    "rowlock, updlock, holdlock",
    "keepidentity",
    "keepdefaults",
];

/// Hints of queries, in OPTION (…).
const OF_QUERIES: &[&str] = &[
    "hash group",
    "order group",
    "concat union",
    "hash union",
    "merge union",
    "loop join",
    "merge join",
    "hash join",
    "expand views",
    "fast 10",
    "force order",
    "force externalpushdown",
    "disable externalpushdown",
    "ignore_nonclustered_columnstore_index",
    "keep plan",
    "keepfixed plan",
    "max_grant_percent = 10",
    "min_grant_percent = 1",
    "maxdop 1",
    "maxrecursion 50",
    "no_performance_spool",
    "optimize for unknown",
    "querytraceon 4199",
    "recompile",
    "robust plan",
    "label = 'mine'",
    "use hint ('ASSUME_JOIN_PREDICATE_DEPENDS_ON_FILTERS')",
    "use hint ('DISABLE_OPTIMIZER_ROWGOAL', 'FORCE_LEGACY_CARDINALITY_ESTIMATION')",
    "use hint ('QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_150')",
    "use hint ('DISABLE_PARAMETER_SNIFFING')",
    "use hint ('ENABLE_QUERY_OPTIMIZER_HOTFIXES')",
    "table hint (m, forceseek)",
    "use hint ('disable_parameter_sniffing')",
    "recompile, maxdop 2, force order",
    "maxdop 1, maxdop 1",
    "maxdop 0, fast 2147483647",
    "min_grant_percent = 0, max_grant_percent = 10.5",
    "hash group, order group, concat union, merge union, hash union",
    "keep plan, keepfixed plan, robust plan, expand views",
];

/// Words of joins.
const OF_JOINS: &[&str] = &[
    "inner loop join",
    "inner hash join",
    "inner merge join",
    "left loop join",
    "left hash join",
    "full hash join",
    "full merge join",
];

const MAKE: &str = "set nocount on
create table many (id int not null constraint pk primary key, v int null)
create index by_v on many (v)
declare @i int = 1 while @i <= 40 begin insert many values (@i, @i % 7) set @i += 1 end
create table counted (id int identity, v int)";

fn last_value(answer: &str) -> &str {
    answer.lines().rfind(|line| !line.starts_with(['[', '(', '#'])).unwrap_or_default()
}

#[test]
fn each_set_option_is_heeded_or_refused_by_name() {
    let engine = engine();
    let mut wrong = String::new();
    for (statement, question, wanted) in SET {
        let mut one = session(&engine);
        run(&mut one, "drop database if exists walked create database walked");
        assert_eq!(run(&mut one, "use walked"), "");
        assert_eq!(run(&mut one, MAKE), "");
        let said = run(&mut one, statement);
        let answer = run(&mut one, question);
        if said.contains("Msg ") || last_value(&answer) != *wanted {
            let _ = writeln!(wrong, "{statement}: {said}{answer}");
        }
        run(&mut one, "if @@trancount > 0 rollback");
        run(&mut one, "use master");
    }
    let mut one = session(&engine);
    for statement in SET_REFUSED {
        let said = run(&mut one, statement);
        if !said.starts_with("Msg 40517") {
            let _ = writeln!(wrong, "{statement}: {said}");
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn each_hint_changes_no_answer_or_is_refused() {
    let engine = engine();
    let mut one = session(&engine);
    run(&mut one, MAKE);
    let mut wrong = String::new();
    let mut expect = |one: &mut _, text: &str, plain: &str, refused: Option<i32>| {
        let (wanted, got) = (run(one, plain), run(one, text));
        let is_right = refused.map_or(wanted == got, |number| got.contains(&format!("Msg {number},")));
        if !is_right {
            let _ = writeln!(wrong, "{text}: {got}");
        }
    };
    let question = |table: &str, hint: &str| {
        format!("select count(*) as n, sum(id) as s, max(v) as v from many as m {table} where id > 3 {hint}")
    };
    for hint in OF_TABLES {
        expect(&mut one, &question(&format!("with ({hint})"), ""), &question("", ""), None);
    }
    for hint in OF_QUERIES {
        expect(&mut one, &question("", &format!("option ({hint})")), &question("", ""), None);
    }
    for join in OF_JOINS {
        let plain = join.replace("loop ", "").replace("hash ", "").replace("merge ", "");
        let text = |join: &str| {
            format!("select count(*) as n, sum(a.id) as s from many as a {join} many as b on a.id = b.id and b.v = 3")
        };
        // SQL Server says so where a word forces the order.
        let warning = "# Warning: The join order has been enforced because a local join hint is used.\n";
        let (wanted, got) = (run(&mut one, &text(&plain)), run(&mut one, &text(join)));
        assert_eq!(got, format!("{warning}{wanted}"), "{join}");
    }
    for (hint, number) in [
        ("use hint ('NO_SUCH_HINT')", 10_715),
        ("use hint ()", 102),
        ("use hint (7)", 102),
        ("maxdop 1, maxdop 2", 1042),
        ("fast 1, fast 2", 1042),
        ("maxrecursion 1, maxrecursion 2", 1042),
        ("max_grant_percent = 101", 1042),
        ("min_grant_percent = 1e1", 102),
        ("maxdop 32768", 304),
        ("maxdop -1", 102),
        ("maxdop 'a'", 102),
        ("fast 2147483648", 102),
        ("label = 'a', label = 'b'", 10_768),
        ("label = 1", 102),
        ("maxdop 1 recompile", 102),
        ("hash join merge join", 156),
        ("parameterization forced", 102),
        ("no_such_hint", 102),
        ("maxrecursion 32768", 310),
        ("optimize for ()", 102),
    ] {
        expect(&mut one, &question("", &format!("option ({hint})")), "select 1", Some(number));
    }
    for (hint, number) in [
        ("no_such_hint", 321),
        ("index (no_such)", 308),
        ("nolock, xlock", 1047),
        ("forceseek (pk (v))", 362),
        ("forceseek (pk (id, v))", 365),
    ] {
        expect(&mut one, &question(&format!("with ({hint})"), ""), "select 1", Some(number));
    }
    assert_eq!(wrong, "");
}

#[test]
fn values_to_optimize_for_are_those_that_variables_may_have() {
    let engine = engine();
    let mut one = session(&engine);
    run(&mut one, MAKE);
    let asked = |said: &str| {
        format!(
            "declare @p int = 1, @d date, @q int \
             select count(*) as n from many where v > @p and @d is null option (optimize for {said})"
        )
    };
    // As SQL Server 2025 has them, by the tests of sql-server-simulator.
    for (said, wanted) in [
        ("(@none = 1)", "Msg 137, "),
        ("(@p = 'x')", "Msg 4132, "),
        ("(@p unknown), optimize for (@p = 1)", "Msg 4131, "),
        ("(@p = @p)", "Msg 320, "),
        ("(@d = 5)", "Msg 206, "),
        ("(@p = '5', @q unknown)", "\n29\n"),
        ("(@p = - 5, @d = '20200101')", "\n29\n"),
    ] {
        let answer = run(&mut one, &asked(said));
        assert!(answer.contains(wanted), "{said}: {answer}");
    }
    assert!(run(&mut one, "select count(*) as n from many option (maxdop 1) for xml raw").contains("n=\"40\""));
}
