//! Values under a limit of the server's memory: what does not fit is refused with 701 before it is there, the statement
//! alone fails, copies cost nothing, and what goes gives its memory back.

use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::exec::{Rpc, RpcParam};
use millpond_types::{SqlType, Value};

use crate::harness::{Transcript, engine, engine_of, run, session};

const MB: usize = 1 << 20;
const REFUSED: &str = "Msg 701, Level 17, State 123, Line 1: There is insufficient system memory in resource pool 'default' to run this query.\n";

fn held_mb(engine: &Arc<Engine>) -> usize {
    engine.workspace().value_bytes() / MB
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_made() {
    // Values, grants and messages may take 60 MB of these.
    let engine = engine_of(64 << 20);
    let mut session = session(&engine);
    let setup = "set nocount on create table #t (v varchar(max), b varbinary(max), n nvarchar(max)) \
                 insert #t select replicate(cast('x' as varchar(max)), 15000000), 0x, N'' \
                 update #t set b = cast(v as varbinary(max)) update #t set n = v";
    assert_eq!(run(&mut session, setup), "");
    let makers = [
        "declare @v varchar(max) = replicate(cast('x' as varchar(max)), 500000000)",
        "declare @v varchar(max) = replicate(cast('x' as varchar(max)), 25000000) set @v = @v + @v",
        "select v + v + v + v + v from #t",
        "select b + b + b + b + b from #t",
        "select concat(v, v, v, v, v) from #t",
        "select concat_ws('-', v, v, v, v, v) from #t",
        "select replace(v, replicate('x', 1000), replicate('y', 5000)) from #t",
        "select stuff(v, 2, 1, v + v + v) from #t",
        "select convert(varchar(max), b + b, 1) from #t",
        "select string_agg(a.v, '') from #t as a cross join generate_series(1, 8) as s",
        "select datalength(a.v + b.v + c.v + d.v + e.v) from #t a, #t b, #t c, #t d, #t e",
        "declare @v varchar(max) = (select v from #t), @n int = 0 while @n < 5 begin set @n += 1 select @v += v from #t end",
        "declare @t table (v varchar(max)) insert @t select v + v + v + v + v from #t",
        "update #t set v.write(replicate(cast('y' as varchar(max)), 200000000), 0, 0)",
        "exec sp_executesql N'select @p + @p + @p + @p + @p', N'@p varchar(max)', @p = @@version",
    ];
    for maker in &makers[..makers.len() - 1] {
        let said = run(&mut session, maker);
        assert!(said.contains(REFUSED), "{maker}: {}", &said[..said.len().min(300)]);
        assert!(engine.workspace().value_bytes_peak() <= 60 * MB, "{maker}");
        assert_eq!(held_mb(&engine), 0, "{maker}");
    }
    let said = run(&mut session, makers[makers.len() - 1]);
    assert!(said.contains("16.0.1000.6") && !said.contains("Msg "), "{said}");
    assert_eq!(
        run(&mut session, "select len(v) as v, len(b) as b from #t"),
        "[v:bigint | b:bigint]\n15000000 | 15000000\n"
    );
}

#[test]
fn the_statement_alone_fails_and_its_variable_keeps_its_value() {
    let engine = engine();
    let mut session = session(&engine);
    let text = "declare @v varchar(max) = replicate(cast('x' as varchar(max)), 50000000), @i int = 0
        while @i < 3 begin set @v = @v + @v set @i = @i + 1 end
        select datalength(@v) as n, @i as i, @@error as e";
    let said = run(&mut session, text);
    assert_eq!(
        said,
        format!(
            "{}{}",
            REFUSED.replace("Line 1", "Line 2").repeat(2),
            "[n:bigint | i:int | e:int]\n100000000 | 3 | 0\n(1 rows affected)\n"
        )
    );
    let caught = "begin try declare @v varchar(max) = replicate(cast('x' as varchar(max)), 500000000) end try
        begin catch select error_number() as n, @v as v end catch";
    assert_eq!(run(&mut session, caught), "[n:int | v:varchar(max)]\n701 | NULL\n(1 rows affected)\n");
    assert_eq!(held_mb(&engine), 0);
}

#[test]
fn copies_share_their_memory() {
    let engine = engine();
    let mut session = session(&engine);
    let text = "set nocount on
        declare @a varchar(max) = replicate(cast('x' as varchar(max)), 80000000)
        declare @b varchar(max) = @a, @c varchar(max) = isnull(@a, ''), @d varchar(max) = case when 1 = 1 then @a end
        declare @e varchar(max) = @d
        exec sp_executesql N'declare @g varchar(max) = @p if len(@g) <> 80000000 print ''wrong''', N'@p varchar(max)', @p = @e
        declare @f varbinary(max) = cast(@a as varbinary(max))
        declare @h varbinary(max) = @f
        select len(@b) + len(@c) + len(@d) + len(@e) + len(@h) as n";
    assert_eq!(run(&mut session, text), "[n:bigint]\n400000000\n");
    assert!(engine.workspace().value_bytes_peak() < 170 * MB, "{}", engine.workspace().value_bytes_peak());
    assert_eq!(held_mb(&engine), 0);
}

#[test]
fn values_of_one_session_are_missed_by_the_others() {
    let engine = engine();
    let (mut one, mut other) = (session(&engine), session(&engine));
    let large = |megabytes: usize| Rpc {
        procedure: "sp_executesql".into(),
        params: [
            (SqlType::NVarChar { len: millpond_types::MaxLen::Max }, Value::str("select datalength(@v + 'x') as n")),
            (SqlType::NVarChar { len: millpond_types::MaxLen::Max }, Value::str("@v varchar(max)")),
            (SqlType::VARCHAR_MAX, Value::from("x".repeat(megabytes * MB))),
        ]
        .map(|(sql_type, value)| RpcParam {
            name: String::new(),
            sql_type,
            value: Some(value),
            output: false,
            table: None,
        })
        .into(),
    };
    let call = |session: &mut millpond_query::session::Session, rpc: &Rpc| {
        let mut sink = Transcript::default();
        session.run_rpc(rpc, &mut sink);
        sink.text
    };
    let held = large(90);
    assert!(call(&mut one, &held).starts_with("[n:bigint]\n94371841\n"), "{}", call(&mut one, &held));
    assert_eq!(held_mb(&engine), 90, "as long as the caller has it");
    let said = call(&mut other, &large(160));
    assert!(said.starts_with("Msg 701,"), "{said}");
    drop(held);
    assert_eq!(held_mb(&engine), 0);
    assert_eq!(run(&mut other, "declare @v varchar(max) = replicate(cast('x' as varchar(max)), 160000000)"), "");
}

#[test]
fn a_long_text_is_charged_while_it_is_read_and_runs() {
    let engine = engine();
    let mut session = session(&engine);
    let comment = format!("select 1 as n -- {}", "x".repeat(100 * MB));
    assert_eq!(run(&mut session, &comment), "[n:int]\n1\n(1 rows affected)\n");
    let peak = engine.workspace().value_bytes_peak();
    assert!((100 * MB..110 * MB).contains(&peak), "{peak}");
    let said = run(&mut session, &format!("select 1 -- {}", "x".repeat(300 * MB)));
    assert!(said.starts_with("Msg 701, Level 17"), "{}", &said[..said.len().min(200)]);
    // The trees of so many statements would take a gigabyte.
    let said = run(&mut session, &"print 'a'\n".repeat(4_000_000));
    assert!(said.starts_with("Msg 701, Level 17"), "{}", &said[..said.len().min(200)]);
    assert_eq!(held_mb(&engine), 0);
    assert_eq!(run(&mut session, "select 2 as n"), "[n:int]\n2\n(1 rows affected)\n");
}

#[test]
fn large_values_that_are_computed_for_many_rows_are_made_some_at_a_time() {
    let engine = engine_of(128 << 20);
    let mut one = session(&engine);
    let make = "set nocount on create table #n (i int primary key)
        insert #n select value from generate_series(1, 1500) create table #v (i int, v varchar(max))";
    assert_eq!(run(&mut one, make), "");
    let large = "replicate(cast('abcdefghij' as varchar(max)), 10000 + i % 3)";
    // 150 MB of values.
    let sum = format!("select sum(datalength(v)) from (select {large} v from #n) q");
    assert_eq!(run(&mut one, &sum), "[:bigint]\n150015000\n");
    let grouped = format!("select i % 2, sum(datalength({large} + 'x')) from #n group by i % 2 order by 1");
    assert_eq!(run(&mut one, &grouped), "[:int | :bigint]\n0 | 75008250\n1 | 75008250\n");
    let insert = format!("insert #v select i, {large} from #n select count(*), sum(datalength(v)) from #v");
    assert_eq!(run(&mut one, &insert), "[:int | :bigint]\n1500 | 150015000\n");
}
