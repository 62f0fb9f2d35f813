//! What each event says, by doing what raises it.

use std::thread;
use std::time::Duration;

use millpond_engine::arguments::RpcParam;
use millpond_query::exec::Rpc;
use millpond_types::{MaxLen, SqlType, Value};

use super::{dba, events, one, ring};
use crate::harness::{Transcript, engine, engine_of, run, session, until_waiting};

/// Makes and starts a session of those events, with a ring buffer.
fn start(dba: &mut millpond_query::session::Session, added: &str) {
    let text = format!(
        "create event session s on server {added} add target package0.ring_buffer alter event session s on server state = start"
    );
    assert_eq!(run(dba, &text), "", "{text}");
}

#[test]
fn batches_and_statements_say_what_they_cost_and_where_they_stand() {
    let engine = engine();
    let mut dba = dba(&engine);
    run(&mut dba, "create database db");
    let mut user = session(&engine);
    run(
        &mut user,
        "use db create table t (id int primary key, v char(2000)) insert t values (1, 'a'), (2, 'b'), (3, 'c')",
    );
    run(&mut user, "create procedure p as\n  select count(*) from t\n  update t set v = 'x' where id > 1");
    start(
        &mut dba,
        "add event sqlserver.sql_batch_starting (where sqlserver.session_id <> 51),
         add event sqlserver.sql_batch_completed (action (sqlserver.database_name, package0.event_sequence) where sqlserver.session_id > 51),
         add event sqlserver.sql_statement_completed (where sqlserver.session_id > 51),
         add event sqlserver.sp_statement_completed (set collect_object_name = 1 where sqlserver.session_id > 51)",
    );
    run(&mut user, "set nocount on\nexec p");
    let said = events(
        &mut dba,
        "s",
        &[
            ("@name", "varchar(30)"),
            ("data[@name=\"row_count\"]/value", "int"),
            ("data[@name=\"line_number\"]/value", "int"),
            ("data[@name=\"nest_level\"]/value", "int"),
            ("data[@name=\"object_name\"]/value", "nvarchar(20)"),
            ("data[@name=\"statement\"]/value", "nvarchar(60)"),
            ("data[@name=\"batch_text\"]/value", "nvarchar(60)"),
            ("data[@name=\"result\"]/text", "varchar(10)"),
            ("action[@name=\"database_name\"]/value", "varchar(10)"),
        ],
    );
    assert_eq!(
        said,
        "sql_batch_starting | NULL | NULL | NULL | NULL | NULL | set nocount on\nexec p | NULL | NULL\n\
         sql_statement_completed | 0 | 1 | NULL | NULL | set nocount on | NULL | NULL | NULL\n\
         sp_statement_completed | 1 | 2 | 1 | p | select count(*) from t | NULL | NULL | NULL\n\
         sp_statement_completed | 2 | 3 | 1 | p | update t set v = 'x' where id > 1 | NULL | NULL | NULL\n\
         sql_statement_completed | 2 | 2 | NULL | NULL | exec p | NULL | NULL | NULL\n\
         sql_batch_completed | 2 | NULL | NULL | NULL | NULL | set nocount on\nexec p | OK | db\n"
    );
    let reads = "select iif(e.x.value('(data[@name=\"logical_reads\"]/value)[1]', 'int') > 0
            and e.x.value('(data[@name=\"writes\"]/value)[1]', 'int') > 0
            and e.x.value('(data[@name=\"duration\"]/value)[1]', 'bigint') > 0, 'cost', 'free')
        from (select cast(target_data as xml) x from sys.dm_xe_session_targets t join sys.dm_xe_sessions s
            on s.address = t.event_session_address where s.name = 's') r
        cross apply r.x.nodes('RingBufferTarget/event[@name=\"sql_batch_completed\"]') e (x)";
    assert_eq!(one(&mut dba, &format!("set quoted_identifier on {reads}")), "cost");
    run(&mut user, "select 1/0");
    let said = ring(&mut dba, "s");
    assert!(said.contains("<value>1</value><text>Error</text>"), "{said}");
}

#[test]
fn a_password_is_in_no_event() {
    let engine = engine();
    let mut dba = dba(&engine);
    start(
        &mut dba,
        "add event sqlserver.sql_batch_completed (action (sqlserver.sql_text)), add event sqlserver.sql_statement_completed,
         add event sqlserver.sql_batch_starting, add event sqlserver.sql_statement_starting, add event sqlserver.error_reported (action (sqlserver.sql_text))",
    );
    run(&mut dba, "create login hush with password = 'Secret-word-1' select 1/0");
    let said = ring(&mut dba, "s");
    assert!(!said.contains("Secret-word-1"), "{said}");
    assert!(said.contains("*password*"), "{said}");
}

#[test]
fn a_call_of_the_wire_reads_as_a_statement() {
    let engine = engine();
    let mut dba = dba(&engine);
    start(&mut dba, "add event sqlserver.rpc_starting, add event sqlserver.rpc_completed");
    let text = SqlType::NVarChar { len: MaxLen::Max };
    let param = |name: &str, sql_type, value| RpcParam {
        name: name.to_owned(),
        sql_type,
        value: Some(value),
        output: false,
        table: None,
    };
    let rpc = Rpc {
        procedure: "sp_executesql".to_owned(),
        params: vec![
            param("", text, Value::str("select @a as a")),
            param("", text, Value::str("@a int")),
            param("@a", SqlType::Int, Value::Int(7)),
        ],
    };
    session(&engine).run_rpc(&rpc, &mut Transcript::default());
    let said = events(
        &mut dba,
        "s",
        &[
            ("@name", "varchar(30)"),
            ("data[@name=\"object_name\"]/value", "varchar(30)"),
            ("data[@name=\"statement\"]/value", "varchar(100)"),
            ("data[@name=\"result\"]/text", "varchar(10)"),
            ("data[@name=\"row_count\"]/value", "int"),
        ],
    );
    let statement = "exec sp_executesql N'select @a as a',N'@a int',@a=7";
    assert_eq!(
        said,
        format!(
            "rpc_starting | sp_executesql | {statement} | NULL | NULL\nrpc_completed | sp_executesql | {statement} | OK | 1\n"
        )
    );
}

#[test]
fn errors_that_a_try_caught_are_intercepted_and_messages_inform() {
    let engine = engine();
    let mut dba = dba(&engine);
    start(&mut dba, "add event sqlserver.error_reported (where error_number <> 5701)");
    let mut user = session(&engine);
    run(&mut user, "begin try select 1/0 end try begin catch print 'caught' end catch raiserror('info %d', 0, 1, 5)");
    run(&mut user, "selekt 1");
    let said = events(
        &mut dba,
        "s",
        &[
            ("data[@name=\"error_number\"]/value", "int"),
            ("data[@name=\"severity\"]/value", "int"),
            ("data[@name=\"is_intercepted\"]/value", "varchar(5)"),
            ("data[@name=\"destination\"]/text", "varchar(20)"),
            ("data[@name=\"message\"]/value", "varchar(60)"),
        ],
    );
    assert_eq!(
        said,
        "8134 | 16 | true | NONE | Divide by zero error encountered.\n50000 | 0 | false | USER | info 5\n\
         2812 | 16 | false | USER | Could not find stored procedure 'selekt'.\n"
    );
}

#[test]
fn waits_for_locks_deadlocks_and_escalations_are_told_with_their_sessions() {
    let engine = engine();
    let mut dba = dba(&engine);
    run(&mut dba, "create database db");
    let mut first = session(&engine);
    run(&mut first, "use db create table t (id int primary key, v int) insert t values (1, 1), (2, 2)");
    let keys =
        one(&mut dba, "select map_key from sys.dm_xe_map_values where name = 'wait_types' and map_value = 'LCK_M_U'");
    start(
        &mut dba,
        &format!(
            "add event sqlos.wait_info (action (sqlserver.session_id, sqlserver.sql_text) where wait_type = {keys} and opcode = 1),
             add event sqlos.wait_completed (where wait_type = {keys}),
             add event sqlserver.xml_deadlock_report, add event sqlserver.lock_deadlock (set collect_resource_description = 1, collect_database_name = 1),
             add event sqlserver.lock_escalation (set collect_statement = 1, collect_database_name = 1)"
        ),
    );
    let mut second = session(&engine);
    run(&mut second, "use db begin tran update t set v = 3 where id = 2");
    run(&mut first, "begin tran update t set v = 3 where id = 1");
    let waiting = thread::spawn(move || {
        let said = run(&mut first, "update t set v = 4 where id = 2 commit");
        (first, said)
    });
    until_waiting(&engine, 1);
    let said = run(&mut second, "set deadlock_priority low update t set v = 4 where id = 1");
    assert!(said.contains("1205"), "{said}");
    waiting.join().unwrap();
    let said = ring(&mut dba, "s");
    for part in [
        "<event name=\"xml_deadlock_report\" package=\"sqlserver\"",
        "<data name=\"xml_report\"><type name=\"xml\" package=\"package0\"/><value><deadlock>",
        "<event name=\"wait_info\" package=\"sqlos\"",
        "<text>LCK_M_U</text></data><data name=\"opcode\"><type name=\"event_opcode\" package=\"sqlos\"/><value>1</value><text>End</text>",
        "<event name=\"wait_completed\" package=\"sqlos\"",
        "update t set v = 4 where id = 2 commit</value>",
        "<event name=\"lock_deadlock\" package=\"sqlserver\"",
        "<text>KEY</text>",
        "<data name=\"database_name\"><type name=\"unicode_string\" package=\"package0\"/><value>db</value></data>",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let mut third = session(&engine);
    run(
        &mut third,
        "use db create table many (id int primary key, v int) insert many select value, 0 from generate_series(1, 6000)
         begin tran update many set v = 1 rollback",
    );
    let said = events(
        &mut dba,
        "s",
        &[
            ("self::node()[@name=\"lock_escalation\"]/@name", "varchar(30)"),
            ("data[@name=\"mode\"]/text", "varchar(5)"),
            ("data[@name=\"escalated_lock_count\"]/value", "int"),
            ("data[@name=\"escalation_cause\"]/text", "varchar(20)"),
            ("data[@name=\"statement\"]/value", "varchar(40)"),
            ("data[@name=\"database_name\"]/value", "varchar(10)"),
        ],
    );
    let wanted = "lock_escalation | X | 5000 | Lock threshold | update many set v = 1 | db";
    assert!(said.lines().any(|line| line == wanted), "{said}");
}

#[test]
fn what_goes_to_tempdb_and_files_that_grow_are_told() {
    let engine = engine_of(64 << 20);
    let mut dba = dba(&engine);
    run(&mut dba, "create database db");
    start(
        &mut dba,
        "add event sqlserver.sort_warning (action (sqlserver.session_id)), add event sqlserver.hash_warning,
         add event sqlserver.database_file_size_change (set collect_database_name = 1 action (sqlserver.session_id)),
         add event sqlserver.sql_statement_completed (where spills > 0)",
    );
    let mut user = session(&engine);
    run(
        &mut user,
        "use db create table t (id int, s char(500)) insert t select value, cast(newid() as char(36)) from generate_series(1, 120000)",
    );
    run(&mut user, "alter database db modify file (name = db, size = 200 mb)");
    let said = run(
        &mut user,
        "set nocount on select count(*) from (select top (100000) s, row_number() over (order by s, id) n from t order by s desc) x",
    );
    assert!(!said.contains("Msg"), "{said}");
    run(&mut user, "select count(*) from (select s, count(*) n from t group by s) x");
    let said = events(
        &mut dba,
        "s",
        &[
            ("@name", "varchar(30)"),
            ("data[@name=\"file_name\"]/value", "varchar(10)"),
            ("data[@name=\"is_automatic\"]/value", "varchar(5)"),
            ("data[@name=\"database_name\"]/value", "varchar(10)"),
            ("data[@name=\"file_type\"]/text", "varchar(10)"),
        ],
    );
    for wanted in [
        "database_file_size_change | db | true | db | Data file",
        "database_file_size_change | db | false | db | Data file",
        "database_file_size_change | db_log | true | db | Log file",
        "sort_warning | ",
        "sql_statement_completed | ",
    ] {
        assert!(said.lines().any(|line| line.starts_with(wanted)), "{wanted}: {said}");
    }
}

#[test]
fn logins_logouts_and_their_sessions_are_told() {
    let engine = engine();
    let mut dba = dba(&engine);
    start(
        &mut dba,
        "add event sqlserver.login (action (sqlserver.session_id, sqlserver.client_app_name)), add event sqlserver.logout (action (sqlserver.session_id))",
    );
    drop(session(&engine));
    thread::sleep(Duration::ZERO);
    let said = events(&mut dba, "s", &[("@name", "varchar(10)"), ("action[@name=\"session_id\"]/value", "int")]);
    assert_eq!(said, "login | 52\nlogout | 52\n");
}
