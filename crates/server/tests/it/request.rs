//! Batches, calls, attentions and resets.

use std::sync::atomic::Ordering::Relaxed;

use millpond_tds::client::ConnectOptions;
use millpond_tds::rpc::{ProcId, Procedure, RpcOptions, RpcParameter, RpcRequest};
use millpond_tds::token::{DoneStatus, EnvChange};
use millpond_tds::tvp::TableValue;
use millpond_tds::{Collation, Event};
use millpond_types::{MaxLen, SqlType, Value};

use crate::client::{Connection, connect, connect_with, events, lines_of, options, row, server};

const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(4000) };

fn text(value: &str) -> RpcParameter {
    RpcParameter::input("", TEXT, Value::Str(value.into()))
}

fn int(name: &str, value: i32) -> RpcParameter {
    RpcParameter::input(name, SqlType::Int, Value::Int(value))
}

fn output(mut parameter: RpcParameter) -> RpcParameter {
    parameter.is_output = true;
    parameter
}

fn call(client: &mut Connection, calls: &[RpcRequest]) -> Vec<String> {
    let events: Vec<Event> = client.call(calls).unwrap().map(|event| event.unwrap()).collect();
    lines_of(&events)
}

#[test]
fn results_follow_each_other_and_only_the_last_done_ends() {
    let server = server();
    let mut client = connect(&server);
    let received = lines_of(&events(&mut client, "select 1 as a; select 2, 'x'"));
    assert_eq!(received, ["columns 1", "row 1", "Done 11 1", "columns 2", "row 2,x", "Done 10 1"]);
    assert_eq!(lines_of(&events(&mut client, "")), ["Done 00 0"]);
    assert_eq!(lines_of(&events(&mut client, "declare @a int")).last().unwrap(), "Done 00 0");
}

#[test]
fn an_error_is_sent_and_the_session_goes_on() {
    let server = server();
    let mut client = connect(&server);
    let received = lines_of(&events(&mut client, "select * from nowhere"));
    assert_eq!(received, ["error 208", "Done 02 0"]);
    let received = lines_of(&events(&mut client, "selec 1"));
    assert!(received[0].starts_with("error "), "{received:?}");
    assert_eq!(received.last().unwrap(), "Done 02 0");
    assert_eq!(row(&mut client, "select 5"), "5");
}

#[test]
fn many_rows_come_whole() {
    let server = server();
    let mut client = connect(&server);
    let script = "set nocount on; create table #t (a int, b char(500)); declare @i int = 0; \
                  while @i < 3000 begin insert #t values (@i, 'x'); set @i = @i + 1 end; select a, b from #t";
    let events = events(&mut client, script);
    let rows = events.iter().filter(|event| matches!(event, Event::Row(_))).count();
    assert_eq!(rows, 3000);
}

#[test]
fn an_attention_stops_a_loop_and_the_session_goes_on() {
    let server = server();
    let mut client = connect(&server);
    for _ in 0..5 {
        let mut answer = client
            .batch("declare @i int = 0; raiserror('runs', 0, 1) with nowait; while 1 = 1 set @i = @i + 1")
            .unwrap();
        // The loop runs when its first message is here.
        let first = answer.next().unwrap().unwrap();
        assert!(matches!(first, Event::Info(_) | Event::Done(_)), "{first:?}");
        answer.attention().unwrap();
        let last = answer.map(|event| event.unwrap()).last().unwrap();
        let Event::Done(done) = last else { panic!("{last:?}") };
        assert!(done.status.contains(DoneStatus::ATTENTION));
        assert!(!done.status.contains(DoneStatus::MORE));
        assert_eq!(row(&mut client, "select 7"), "7");
    }
}

#[test]
fn an_attention_stops_a_result_that_is_not_read() {
    let server = server();
    let mut client = connect(&server);
    events(
        &mut client,
        "set nocount on; create table #t (b char(8000)); declare @i int = 0; \
         while @i < 1000 begin insert #t values ('x'); set @i = @i + 1 end",
    );
    let mut answer = client.batch("select x.b from #t x cross join #t y").unwrap();
    answer.next().unwrap().unwrap();
    answer.attention().unwrap();
    let rows = answer.filter(|event| matches!(event, Ok(Event::Row(_)))).count();
    assert!(rows < 1_000_000, "all {rows} rows came");
    assert_eq!(row(&mut client, "select 8"), "8");
}

#[test]
fn a_reset_drops_what_the_session_had() {
    let server = server();
    let (mut client, reset) = connect_with(&server, &options()).unwrap();
    events(&mut client, "use tempdb; create table #t (a int); insert #t values (1)");
    assert_eq!(row(&mut client, "select a from #t"), "1");
    reset.store(true, Relaxed);
    let received = lines_of(&events(&mut client, "select a from #t"));
    assert!(received[0].contains("ResetDone"), "{received:?}");
    assert_eq!(received[1..], ["error 208", "Done 02 0"]);
    assert_eq!(row(&mut client, "select db_name()"), "master");
}

#[test]
fn a_session_after_a_reset_waits_for_no_lock_of_its_own() {
    let server = server();
    let (mut client, reset) = connect_with(&server, &options()).unwrap();
    let ddl = [
        "create table b (id int identity primary key, a int); create sequence s; create synonym y for b",
        "exec sp_getapplock 'pond', 'Exclusive', 'Session'",
        "alter table b add c int; create index ia on b (a); alter index ia on b rebuild; truncate table b",
        "exec ('create trigger tr on b after insert as return'); exec sp_rename 'b.c', 'd', 'column'; alter sequence s restart",
        "begin tran; create table r (a int); insert r values (1); select * from r; select * into q from r",
        "select * from q; commit; drop synonym y; drop table b, r, q; drop sequence s",
    ];
    for text in ddl {
        reset.store(true, Relaxed);
        if text.contains("commit") {
            reset.store(false, Relaxed);
        }
        let received = lines_of(&events(&mut client, &format!("set lock_timeout 10000; {text}")));
        assert!(!received.iter().any(|line| line.starts_with("error")), "{text}: {received:?}");
    }
    let (mut other, _) = connect_with(&server, &options()).unwrap();
    assert_eq!(row(&mut other, "select applock_test('public', 'pond', 'Exclusive', 'Session')"), "1");
    server.stop().unwrap();
}

#[test]
fn a_call_resets_as_the_flag_does() {
    let server = server();
    let (mut client, _) = connect_with(&server, &options()).unwrap();
    events(&mut client, "create table kept (a int)");
    events(&mut client, "use tempdb; create table #t (a int); set rowcount 1; set textsize 5; begin tran");
    events(&mut client, "insert master.dbo.kept values (1)");
    let reset = RpcRequest {
        procedure: Procedure::Name("sp_reset_connection".into()),
        options: RpcOptions::default(),
        parameters: Vec::new(),
        no_exec: false,
    };
    let received = call(&mut client, &[reset]);
    assert!(received.iter().any(|line| line.contains("ResetDone")), "{received:?}");
    let facts = "select concat(@@trancount, ' ', db_name(), ' ', @@textsize, ' ', object_id('tempdb..#t'))";
    assert!(row(&mut client, facts).starts_with("0 master "), "{}", row(&mut client, facts));
    assert!(!row(&mut client, facts).starts_with("0 master 5 "));
    assert_eq!(lines_of(&events(&mut client, "select * from #t"))[0], "error 208");
    assert_eq!(row(&mut client, "select count(*) from master.dbo.kept"), "0");
}

#[test]
fn a_reset_whose_database_is_gone_ends_the_connection() {
    let server = server();
    let mut other = connect(&server);
    events(&mut other, "create database pooled");
    let wanted = ConnectOptions { database: "pooled".into(), ..options() };
    let (mut client, reset) = connect_with(&server, &wanted).unwrap();
    assert_eq!(row(&mut client, "select db_name()"), "pooled");
    events(&mut client, "use master");
    events(&mut other, "drop database pooled");
    reset.store(true, Relaxed);
    let received = lines_of(&events(&mut client, "select db_name()"));
    let errors: Vec<_> = received.iter().filter(|line| line.starts_with("error")).collect();
    assert_eq!(errors, ["error 4060", "error 18456"], "{received:?}");
    assert!(!received.iter().any(|line| line.contains("ResetDone")), "{received:?}");
    let answered = client.batch("select 1").map(|answer| answer.filter(Result::is_ok).count());
    assert!(answered.is_err() || answered.is_ok_and(|events| events == 0), "the connection is closed");
    assert_eq!(row(&mut other, "select 3"), "3");
}

#[test]
fn prepared_calls_go_round() {
    let server = server();
    let mut client = connect(&server);
    let prepexec = RpcRequest::by_number(
        ProcId::PrepExec,
        vec![
            output(RpcParameter::input("", SqlType::Int, Value::Null)),
            text("@a int"),
            text("select @a + 1"),
            int("@a", 41),
        ],
    );
    let received = call(&mut client, &[prepexec]);
    assert!(received.contains(&"row 42".to_owned()), "{received:?}");
    assert!(received.contains(&"output 0  1".to_owned()), "{received:?}");
    let last = received.last().unwrap();
    assert!(last.starts_with("Procedure 0"), "{received:?}");
    let execute = |value| RpcRequest::by_number(ProcId::Execute, vec![int("", 1), int("@a", value)]);
    let received = call(&mut client, &[execute(1), execute(2)]);
    assert!(received.contains(&"row 2".to_owned()) && received.contains(&"row 3".to_owned()), "{received:?}");
    let unprepare = RpcRequest::by_number(ProcId::Unprepare, vec![int("", 1)]);
    call(&mut client, std::slice::from_ref(&unprepare));
    let received = call(&mut client, &[execute(1)]);
    assert!(received.contains(&"error 8179".to_owned()), "{received:?}");
    assert_eq!(row(&mut client, "select 9"), "9");
}

/// Drivers take the first value that comes back for the handle.
#[test]
fn the_handle_comes_before_the_values_of_the_text() {
    let server = server();
    let mut client = connect(&server);
    let parameters = vec![
        output(RpcParameter::input("", SqlType::Int, Value::Null)),
        text("@a int, @b int output"),
        text("select 1; set @b = @a * 2"),
        int("@a", 21),
        output(int("@b", 0)),
    ];
    let received = call(&mut client, &[RpcRequest::by_number(ProcId::PrepExec, parameters)]);
    let received: Vec<&str> =
        received.iter().map(String::as_str).filter(|it| it.starts_with("row") || it.starts_with("output")).collect();
    assert_eq!(received, ["row 1", "output 0  1", "output 4 @b 42"]);
}

#[test]
fn sp_executesql_gives_values_back() {
    let server = server();
    let mut client = connect(&server);
    let by_name = RpcRequest {
        procedure: Procedure::Name("sp_executesql".into()),
        options: RpcOptions::default(),
        parameters: vec![text("set @b = @a * 2"), text("@a int, @b int output"), int("@a", 21), output(int("@b", 0))],
        no_exec: false,
    };
    let received = call(&mut client, &[by_name]);
    assert!(received.contains(&"output 3 @b 42".to_owned()), "{received:?}");
    assert!(received.contains(&"status 0".to_owned()), "{received:?}");
}

/// Values of megabytes come as parameters and go as columns, whole.
#[test]
fn values_of_megabytes_go_both_ways() {
    let server = server();
    let mut client = connect(&server);
    let length = 2_500_000;
    let large = RpcParameter::input(
        "@t",
        SqlType::NVarChar { len: MaxLen::Max },
        Value::Str("жz".repeat(length / 2).as_str().into()),
    );
    let bytes: Vec<u8> = (0..6_000_000_u32).map(|at| (at * 7) as u8).collect();
    let binary =
        RpcParameter::input("@b", SqlType::VarBinary { len: MaxLen::Max }, Value::Binary(bytes.clone().into()));
    assert_eq!(row(&mut client, "create table #w (t nvarchar(max), b varbinary(max)) select 1"), "1");
    let insert = RpcRequest {
        procedure: Procedure::Name("sp_executesql".into()),
        options: RpcOptions::default(),
        parameters: vec![text("insert #w values (@t, @b)"), text("@t nvarchar(max), @b varbinary(max)"), large, binary],
        no_exec: false,
    };
    let received = call(&mut client, &[insert]);
    assert!(received.iter().all(|event| !event.starts_with("error")), "{received:?}");
    assert_eq!(row(&mut client, "select len(t), datalength(b) from #w"), format!("{length},{}", bytes.len()));
    let found: Vec<Event> = client.batch("select t, b from #w").unwrap().map(|event| event.unwrap()).collect();
    let values = found.iter().find_map(|event| match event {
        Event::Row(values) => Some(values.clone()),
        _ => None,
    });
    let values = values.expect("a row");
    assert!(values[0] == Value::Str("жz".repeat(length / 2).as_str().into()), "the text is another one");
    assert!(values[1] == Value::Binary(bytes.into()), "the bytes are others");
}

/// The message comes, then the connection ends; what the session had open is rolled back.
#[test]
fn a_fatal_severity_closes_the_connection() {
    let server = server();
    let mut other = connect(&server);
    events(&mut other, "create table dbo.kept (a int)");
    for severity in [20, 25] {
        let mut client = connect(&server);
        events(&mut client, "begin transaction; insert dbo.kept values (1)");
        let script = format!(
            "begin try raiserror('it ends', {severity}, 1) with log end try begin catch select 'caught' end catch select 'on'"
        );
        let received = lines_of(&events(&mut client, &script));
        assert!(received.contains(&"error 50000".to_owned()), "{received:?}");
        assert!(!received.iter().any(|line| line.starts_with("row")), "{received:?}");
        let answered =
            client.batch("select 1").is_ok_and(|mut answer| answer.next().is_some_and(|event| event.is_ok()));
        assert!(!answered, "the connection is open after severity {severity}");
        assert_eq!(row(&mut other, "select count(*) from dbo.kept"), "0");
    }
}

#[test]
fn severity_19_leaves_the_connection_open() {
    let server = server();
    let mut client = connect(&server);
    let received = lines_of(&events(&mut client, "raiserror('a', 19, 1) with log; raiserror('a', 20, 1)"));
    assert_eq!(
        received.iter().filter(|line| line.starts_with("error")).collect::<Vec<_>>(),
        ["error 50000", "error 2754"]
    );
    assert_eq!(row(&mut client, "select 6"), "6");
}

#[test]
fn a_killed_session_is_closed() {
    let server = server();
    let (mut one, mut other) = (connect(&server), connect(&server));
    let id: u16 = row(&mut other, "select @@spid").parse().unwrap();
    events(&mut one, &format!("kill {id}"));
    let mut tries = 0;
    // KILL reaches a session that waits within a fraction of a second.
    while server.engine().session(id).is_some() {
        std::thread::sleep(std::time::Duration::from_millis(20));
        tries += 1;
        assert!(tries < 1000);
    }
    // The socket may take the request; nothing answers it.
    let answered = other.batch("select 1").is_ok_and(|mut answer| answer.next().is_some_and(|event| event.is_ok()));
    assert!(!answered);
    assert_eq!(row(&mut one, "select 1"), "1");
}

/// A table of the type `pairs (k int, v varchar(10))`.
fn pairs(rows: &[(i32, Option<&str>)]) -> TableValue {
    let types = [SqlType::Int, SqlType::NVarChar { len: MaxLen::Limited(100) }];
    let rows: Vec<Vec<Value>> =
        rows.iter().map(|(k, v)| vec![Value::Int(*k), v.map_or(Value::Null, |v| Value::Str(v.into()))]).collect();
    TableValue::new(["".into(), "dbo".into(), "pairs".into()], &types, &rows).unwrap()
}

fn procedure(name: &str, parameters: Vec<RpcParameter>) -> RpcRequest {
    RpcRequest { procedure: Procedure::Name(name.into()), options: RpcOptions::default(), parameters, no_exec: false }
}

#[test]
fn tables_are_parameters() {
    let server = server();
    let mut client = connect(&server);
    for text in [
        "use tempdb",
        "create type dbo.pairs as table (k int not null primary key, v varchar(10))",
        "create procedure dbo.total @p dbo.pairs readonly, @plus int as \
         select count(*) as n, sum(k) + @plus as total, max(v) as v from @p",
    ] {
        assert!(!lines_of(&events(&mut client, text)).iter().any(|line| line.starts_with("error")), "{text}");
    }
    let table = |rows: &[(i32, Option<&str>)]| RpcParameter::table("@p", pairs(rows));
    let three = [(1, Some("one")), (2, None), (40, Some("zz"))];
    let received = call(&mut client, &[procedure("dbo.total", vec![table(&three), int("@plus", 100)])]);
    assert!(received.contains(&"row 3,143,zz".to_owned()), "{received:?}");
    // Through sp_executesql, and the same table twice in a message.
    let statement = || {
        let mut parameters = vec![text("select k from @p where k > @least order by k")];
        parameters.push(text("@p dbo.pairs readonly, @least int"));
        parameters.extend([table(&three), int("@least", 1)]);
        RpcRequest::by_number(ProcId::ExecuteSql, parameters)
    };
    let received = call(&mut client, &[statement(), statement()]);
    assert_eq!(received.iter().filter(|line| *line == "row 40").count(), 2, "{received:?}");
    // No rows, and none given at all.
    let received = call(&mut client, &[procedure("total", vec![table(&[]), int("@plus", 1)])]);
    assert!(received.iter().any(|line| line.starts_with("row 0,")), "{received:?}");
    let received = call(&mut client, &[procedure("total", vec![int("@plus", 1)])]);
    assert!(received.iter().any(|line| line.starts_with("row 0,")), "{received:?}");
    // Keys and lengths hold; nothing changes a parameter; the session goes on, and nothing stays in tempdb.
    let received = call(&mut client, &[procedure("total", vec![table(&[(1, None), (1, None)]), int("@plus", 1)])]);
    assert!(received.contains(&"error 2627".to_owned()), "{received:?}");
    let received =
        call(&mut client, &[procedure("total", vec![table(&[(1, Some("longer than ten"))]), int("@plus", 1)])]);
    assert!(received.contains(&"error 2628".to_owned()), "{received:?}");
    let received = lines_of(&events(&mut client, "create procedure dbo.changes @p dbo.pairs readonly as delete @p"));
    assert!(received.contains(&"error 10700".to_owned()), "{received:?}");
    let one = TableValue::new(Default::default(), &[SqlType::Int], &[vec![Value::Int(1)]]).unwrap();
    let received = call(&mut client, &[procedure("total", vec![RpcParameter::table("@p", one), int("@plus", 1)])]);
    assert!(received.contains(&"error 500".to_owned()), "{received:?}");
    assert_eq!(row(&mut client, "select count(*) from tempdb.sys.tables where name like '#%'"), "0");
}

#[test]
fn a_large_table_is_taken_in_whole() {
    let server = server();
    let mut client = connect(&server);
    events(&mut client, "use tempdb");
    events(
        &mut client,
        "create type dbo.pairs as table (k int not null index ix, v varchar(10)) with (memory_optimized = on)",
    );
    let rows: Vec<(i32, Option<&str>)> = (0..5000).map(|k| (k, Some("v"))).collect();
    let parameters = vec![
        text("select count(*), sum(k) from @p"),
        text("@p dbo.pairs readonly"),
        RpcParameter::table("@p", pairs(&rows)),
    ];
    let received = call(&mut client, &[RpcRequest::by_number(ProcId::ExecuteSql, parameters)]);
    assert!(received.contains(&"row 5000,12497500".to_owned()), "{received:?}");
    assert_eq!(row(&mut client, "select used_bytes from sys.dm_xtp_system_memory_consumers"), "0");
}

/// MS-TDS, "Token Stream Definition": an answer to a call has its status before its values; mssql-jdbc drops values that come
/// earlier.
#[test]
fn the_status_of_a_call_comes_before_its_values_and_these_have_the_types_of_the_call() {
    let server = server();
    let mut client = connect(&server);
    events(
        &mut client,
        "create procedure rp @a varchar(50) output, @b int output as begin set nocount on; select @a = 'abcdefghij', \
         @b = @b + 1; return 7 end",
    );
    let short = SqlType::varchar(3);
    let parameters = vec![
        output(RpcParameter::input("@a", short, Value::Null)),
        output(RpcParameter::input("@b", SqlType::SmallInt, Value::SmallInt(4))),
    ];
    let request = RpcRequest {
        procedure: Procedure::Name("rp".into()),
        options: RpcOptions::default(),
        parameters,
        no_exec: false,
    };
    assert_eq!(call(&mut client, &[request]), ["status 7", "output 0 @a abc", "output 1 @b 5", "Procedure 00 0"]);
}

#[test]
fn what_a_batch_executes_ends_as_a_call_does() {
    let server = server();
    let mut client = connect(&server);
    events(&mut client, "create procedure tb @i int as begin select @i as i; return @i + 1 end");
    let received = lines_of(&events(&mut client, "exec tb 45; select 2"));
    assert_eq!(
        received,
        ["columns 1", "row 45", "InProcedure 11 1", "status 46", "Procedure 01 0", "columns 1", "row 2", "Done 10 1"]
    );
    let received = lines_of(&events(&mut client, "create table #t (i int) insert #t exec tb 3"));
    assert!(!received.iter().any(|line| line.starts_with("status")), "{received:?}");
}

#[test]
fn columns_say_whether_the_server_fills_them() {
    let server = server();
    let mut client = connect(&server);
    events(&mut client, "create table #t (id int identity primary key, a int, b as a + 1)");
    let flags = |events: &[Event]| {
        let columns = events.iter().find_map(|event| match event {
            Event::Columns(columns) => Some(columns.clone()),
            _ => None,
        });
        columns.unwrap().iter().map(|column| (column.identity, column.computed)).collect::<Vec<_>>()
    };
    let received = events(&mut client, "select *, a + 1 from #t order by a");
    assert_eq!(flags(&received), [(true, false), (false, false), (false, true), (false, true)]);
    let received = events(&mut client, "set fmtonly on select * from #t set fmtonly off");
    assert_eq!(flags(&received), [(true, false), (false, false), (false, true)]);
}

#[test]
fn a_reset_says_that_the_transaction_is_gone() {
    let server = server();
    let (mut client, reset) = connect_with(&server, &options()).unwrap();
    events(&mut client, "begin transaction");
    reset.store(true, Relaxed);
    let received = lines_of(&events(&mut client, "select @@trancount"));
    assert!(received.iter().any(|line| line.contains("Rollback")), "{received:?}");
    assert!(received.contains(&"row 0".to_owned()), "{received:?}");
}

/// MS-TDS, "DONE": NOCOUNT takes the count away, not the token that ends rows. EF Core sends such batches.
#[test]
fn rows_of_output_end_with_a_done_under_nocount() {
    let server = server();
    let mut client = connect(&server);
    events(&mut client, "create table #o (id int identity, a varchar(10))");
    let received = lines_of(&events(
        &mut client,
        "set nocount on; insert #o (a) output inserted.id values ('x'); insert #o (a) output inserted.id, inserted.a \
         values ('y'); update #o set a = 'z' output deleted.a where id = 1; delete #o; select 99",
    ));
    assert_eq!(
        received,
        [
            "columns 1",
            "row 1",
            "Done 01 0",
            "columns 2",
            "row 2,y",
            "Done 01 0",
            "columns 1",
            "row x",
            "Done 01 0",
            "columns 1",
            "row 99",
            "Done 00 0"
        ]
    );
}

#[test]
fn a_statement_that_fails_has_one_done_after_all_that_it_says() {
    let server = server();
    let mut client = connect(&server);
    events(&mut client, "create table #u (a int primary key) insert #u values (1)");
    let received = lines_of(&events(&mut client, "insert #u values (1); select 5"));
    assert_eq!(received, ["error 2627", "info 3621", "Done 03 0", "columns 1", "row 5", "Done 10 1"]);
}

/// MS-TDS, "DONE": one for each statement of a batch but declarations. mssql-jdbc distinguishes the results of a batch
/// by them.
#[test]
fn statements_without_a_count_end_with_a_done() {
    let server = server();
    let mut client = connect(&server);
    let received =
        lines_of(&events(&mut client, "create table #p (a int) print 'x' declare @i int = 1 set @i = 2 select 5"));
    assert_eq!(received, ["Done 01 0", "info 0", "Done 01 0", "columns 1", "row 5", "Done 10 1"]);
    let received = lines_of(&events(&mut client, "select 1 as a into #q"));
    assert_eq!(received, ["Done 10 1"]);
}

/// SQL Server's own meaning: packets in each direction since the connection began, its login included.
#[test]
fn packets_of_each_connection_are_counted() {
    let server = server();
    let (mut one, mut two) = (connect(&server), connect(&server));
    let session = row(&mut one, "select @@spid");
    let mut counts = || -> (u32, u32) {
        let text = format!("select num_reads, num_writes from sys.dm_exec_connections where session_id = {session}");
        let counts = row(&mut two, &text);
        let (reads, writes) = counts.split_once(',').unwrap();
        (reads.parse().unwrap(), writes.parse().unwrap())
    };
    let before = counts();
    assert!(before.0 >= 3 && before.1 >= 3, "a prelogin, a login and a batch were more than {before:?}");
    assert_eq!(counts(), before);
    events(&mut one, "select 1");
    assert_eq!(counts(), (before.0 + 1, before.1 + 1));
    events(&mut one, &format!("select replicate(cast('x' as varchar(max)), 50000) -- {}", "-".repeat(20_000)));
    let long = counts();
    // 40,000 bytes there and 50,000 back, in packets of 8,000.
    assert_eq!(long, (before.0 + 1 + 6, before.1 + 1 + 7));
}

#[test]
fn a_number_that_sql_does_not_have_is_refused_by_its_place() {
    let server = server();
    let mut client = connect(&server);
    let float = |name: &str, value: f64| RpcParameter::input(name, SqlType::Float, Value::Float(value));
    let select = |parameter| RpcRequest {
        procedure: Procedure::Name("sp_executesql".into()),
        options: RpcOptions::default(),
        parameters: vec![text("select @p"), text("@p float"), parameter],
        no_exec: false,
    };
    let real = RpcParameter::input("@p", SqlType::Real, Value::Real(f32::INFINITY));
    for refused in [float("@p", f64::INFINITY), float("@p", f64::NAN), real] {
        let events: Vec<Event> = client.call(&[select(refused)]).unwrap().map(|event| event.unwrap()).collect();
        let Some(Event::Error(error)) = events.first() else { panic!("{events:?}") };
        assert_eq!((error.number, error.severity), (8023, 16));
        assert!(error.message.contains("Parameter 3 (\"@p\"): The supplied value is not a valid"), "{error:?}");
    }
    assert_eq!(call(&mut client, &[select(float("@p", f64::MAX))])[1], "row Float(1.7976931348623157e308)");
}

#[test]
fn another_collation_is_told_without_the_old_one() {
    let server = server();
    let mut client = connect(&server);
    lines_of(&events(&mut client, "create database nordic collate Danish_Norwegian_CI_AS"));
    let told = |events: &[Event]| {
        let mut changes = events.iter().filter_map(|event| match event {
            Event::EnvChange(EnvChange::Collation { new, old }) => Some((*new, *old)),
            _ => None,
        });
        changes.next()
    };
    let nordic = Collation::of(millpond_types::Collation::by_name("Danish_Norwegian_CI_AS").unwrap());
    // Microsoft's ODBC driver ends the connection at the bytes of an old one.
    assert_eq!(told(&events(&mut client, "use nordic")), Some((nordic, None)));
    assert_eq!(told(&events(&mut client, "use nordic")), None);
    assert_eq!(told(&events(&mut client, "use master")), Some((Collation::LATIN1_CI_AS, None)));
}
