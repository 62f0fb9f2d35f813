//! When plans over temporary tables are made anew, and when statistics of these are made at all.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session};

/// The plans that a text makes.
fn plans(engine: &Arc<Engine>, session: &mut Session, text: &str) -> u64 {
    let before = engine.counters.plans.load(Relaxed);
    let said = run(session, text);
    assert!(!said.contains("Msg "), "{text}: {said}");
    engine.counters.plans.load(Relaxed) - before
}

const ASKS: &str = "declare @n int = (select count(*) from #t a join #t b on b.a = a.b where a.c = 3)";

/// The statistics of `#t` by number: rows, and changes since.
fn known(session: &mut Session) -> String {
    run(
        session,
        "select p.rows, p.modification_counter from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
         where s.object_id = object_id('tempdb..#t') order by s.stats_id",
    )
}

/// A procedure that fills a table of its own and asks a plan of it.
fn make_procedure(session: &mut Session, table: &str) {
    let text = format!(
        "create procedure #fill @rows int as
         set nocount on
         create table #t {table}
         insert #t select value, value % 7, value % 5 from generate_series(1, @rows)
         {ASKS}"
    );
    assert_eq!(run(session, &text), "");
}

const HEAP: &str = "(a int, b int, c int)";
const KEYED: &str = "(a int not null primary key, b int, c int, index by_c (c))";

#[test]
fn a_procedure_over_tables_of_like_size_is_planned_once() {
    for table in [HEAP, KEYED] {
        let engine = engine();
        let mut one = session(&engine);
        make_procedure(&mut one, table);
        assert!(plans(&engine, &mut one, "exec #fill 2000") > 0);
        for rows in [2000, 2000, 2400, 1500, 2000] {
            assert_eq!(plans(&engine, &mut one, &format!("exec #fill {rows}")), 0, "{table}: {rows} rows");
        }
        assert_eq!(
            plans(&engine, &mut one, "declare @i int = 0 while @i < 20 begin exec #fill 2000 set @i += 1 end"),
            0
        );
        // More, and less.
        for rows in [20_000, 10, 2000] {
            assert_eq!(plans(&engine, &mut one, &format!("exec #fill {rows}")), 1, "{table}: {rows} rows");
        }
        // Of one size, but further off than the changes that make statistics old.
        assert_eq!(plans(&engine, &mut one, "exec #fill 3500"), 1, "{table}");
        // Small ones are alike as they were.
        assert_eq!(plans(&engine, &mut one, "exec #fill 70"), 1, "{table}");
        for rows in [100, 300, 499, 64] {
            assert_eq!(plans(&engine, &mut one, &format!("exec #fill {rows}")), 0, "{table}: {rows} rows");
        }
    }
}

#[test]
fn what_a_procedure_says_of_its_table_is_heeded_at_each_run() {
    let engine = engine();
    let mut one = session(&engine);
    let text = format!(
        "create procedure #fill @made bit as
         set nocount on
         create table #t {HEAP}
         insert #t select value, value % 7, value % 5 from generate_series(1, 2000)
         if @made = 1 create statistics by_hand on #t (c)
         {ASKS}"
    );
    assert_eq!(run(&mut one, &text), "");
    assert!(plans(&engine, &mut one, "exec #fill 0") > 0);
    for (made, expected) in [(0, 0), (1, 1), (1, 1), (0, 0)] {
        assert_eq!(plans(&engine, &mut one, &format!("exec #fill {made}")), expected, "{made}");
    }
}

#[test]
fn a_loop_that_truncates_its_heap_is_planned_once() {
    let engine = engine();
    let mut one = session(&engine);
    assert_eq!(run(&mut one, "create table #t (a int, b int, c int)"), "");
    let turn = "declare @i int = 0, @n int
         while @i < 10 begin
             truncate table #t
             insert #t select value, value % 7, value % 5 from generate_series(1, 2000 + @i)
             select @n = count(*) from #t a join #t b on b.a = a.b where a.c = 3
             set @i += 1
         end";
    let first = plans(&engine, &mut one, turn);
    assert!(first > 0 && first < 6, "{first} plans for ten turns");
}

#[test]
fn statistics_are_made_anew_after_as_many_changes_as_make_them_old() {
    for table in [HEAP, KEYED] {
        let engine = engine();
        let mut one = session(&engine);
        let said = run(
            &mut one,
            &format!(
                "set nocount on create table #t {table} insert #t select value, value % 7, value % 5 from generate_series(1, 1000)"
            ),
        );
        assert_eq!(said, "");
        // The text is kept: only what changed in between makes a plan.
        let ask = |one: &mut Session| plans(&engine, one, ASKS);
        assert!(ask(&mut one) > 0, "{table}");
        assert_eq!(ask(&mut one), 0, "{table}: nothing has changed");
        let fill = |from: u32, to: u32| {
            format!("insert #t select value, value % 7, value % 5 from generate_series({from}, {to})")
        };
        assert_eq!(run(&mut one, &fill(1001, 1600)), "");
        assert_eq!(ask(&mut one), 0, "{table}: 600 changes of 1000 rows, not 700");
        assert!(known(&mut one).contains("1000 | 600"), "{}", known(&mut one));
        assert_eq!(run(&mut one, &fill(1601, 1701)), "");
        assert_eq!(ask(&mut one), 1, "{table}: 701 changes");
        assert!(known(&mut one).contains("1701 | 0"), "{}", known(&mut one));
        assert!(!known(&mut one).contains("1000 |"), "{}", known(&mut one));
        // New values of a column that the plan asks of count as well; of another one they do not.
        assert_eq!(run(&mut one, "update #t set b = b + 1"), "");
        assert_eq!(ask(&mut one), 1, "{table}: 1701 new values");
        assert_eq!(ask(&mut one), 0, "{table}");
        // Statistics that a statement makes are relied on at once.
        assert_eq!(run(&mut one, "update statistics #t"), "");
        assert_eq!(ask(&mut one), 1, "{table}: made by a statement");
    }
}

#[test]
fn small_tables_and_statements_without_a_plan_have_no_statistics() {
    let engine = engine();
    let mut one = session(&engine);
    assert_eq!(
        run(
            &mut one,
            "set nocount on create table #t (a int, b int, c int) insert #t select value, 1, 1 from generate_series(1, 499)"
        ),
        ""
    );
    assert!(plans(&engine, &mut one, ASKS) > 0);
    assert_eq!(known(&mut one).lines().count(), 1, "{}", known(&mut one));
    assert_eq!(run(&mut one, "insert #t values (500, 1, 1)"), "");
    assert_eq!(plans(&engine, &mut one, ASKS), 1);
    assert!(known(&mut one).contains("500 | 0"), "{}", known(&mut one));
    // By an index, directly.
    let keyed = "drop table #t create table #t (a int not null primary key, b int, c int, index by_b (b))
         insert #t select value, value % 100, 1 from generate_series(1, 3000)";
    assert_eq!(run(&mut one, keyed), "");
    let direct = "declare @n int select @n = c from #t where b = 7 select @n = c from #t where a = 7 and b = 7";
    assert_eq!(plans(&engine, &mut one, direct), 0);
    assert!(known(&mut one).lines().skip(1).all(|line| line.contains("NULL")), "{}", known(&mut one));
}

#[test]
fn variables_are_known_by_their_rows_alone() {
    let engine = engine();
    let mut one = session(&engine);
    let text = |rows: u32| {
        format!(
            "set nocount on declare @t table (a int, b int) insert @t select value, value % 10 from generate_series(1, {rows})
             set statistics profile on select count(*) from @t where b = 3 set statistics profile off"
        )
    };
    // A tenth by rule, of the rows that there are when the statement begins.
    for (rows, expected) in [(1000, "100"), (20_000, "2000")] {
        let said = run(&mut one, &text(rows));
        assert!(said.contains(&format!("| {expected}")), "{said}");
    }
    let all = run(&mut one, "select count(*) from tempdb.sys.stats where name like '[_]WA%'");
    assert!(all.contains("\n0"), "{all}");
}
