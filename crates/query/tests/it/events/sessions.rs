//! CREATE, ALTER and DROP EVENT SESSION: what they do, what they refuse, what the views show, what is there after a restart.

use super::{dba, events, one, ring};
use crate::harness::{engine, run, session};

#[test]
fn a_session_is_made_started_altered_stopped_and_dropped() {
    let engine = engine();
    let mut dba = dba(&engine);
    let said = run(
        &mut dba,
        "create event session [a]]b] on server
            add event sqlserver.error_reported (action (sqlserver.session_id, sqlserver.sql_text)
                where ([severity] > (10) and not ([error_number] = (208) or error_number = 207)))
            add target package0.ring_buffer (set max_memory = (512), max_events_limit = (5))
            with (max_memory = 1 mb, event_retention_mode = allow_multiple_event_loss, max_dispatch_latency = 5 seconds,
                max_event_size = 0 kb, memory_partition_mode = per_cpu, track_causality = off, startup_state = off)",
    );
    assert_eq!(said, "");
    assert_eq!(
        run(
            &mut dba,
            "select name, event_retention_mode_desc as mode, max_dispatch_latency as latency, max_memory as kb, memory_partition_mode_desc as part,
                startup_state as starts, iif(exists (select * from sys.dm_xe_sessions x where x.name = s.name), 1, 0) as runs
             from sys.server_event_sessions s where name <> 'system_health'"
        ),
        "[name:nvarchar(128) | mode:nvarchar(128) | latency:int | kb:int | part:nvarchar(128) | starts:bit | runs:int]\n\
         a]b | ALLOW_MULTIPLE_EVENT_LOSS | 5000 | 1024 | PER_CPU | 0 | 0\n"
    );
    run(&mut dba, "select 1/0");
    assert_eq!(run(&mut dba, "alter event session [A]]B] on server state = start"), "");
    let mut user = session(&engine);
    run(&mut user, "select * from nowhere select nothing from sys.objects raiserror('<b> & \"c\"', 10, 1)");
    run(&mut user, "raiserror('it''s <b> & \"c\"', 16, 3)");
    let said = events(
        &mut dba,
        "a]b",
        &[
            ("@name", "varchar(30)"),
            ("data[@name=\"error_number\"]/value", "int"),
            ("data[@name=\"state\"]/value", "int"),
            ("data[@name=\"user_defined\"]/value", "varchar(5)"),
            ("data[@name=\"destination\"]/text", "varchar(30)"),
            ("data[@name=\"message\"]/value", "nvarchar(100)"),
            ("action[@name=\"sql_text\"]/value", "nvarchar(100)"),
        ],
    );
    assert_eq!(
        said,
        "error_reported | 50000 | 3 | true | USER | it's <b> & \"c\" | raiserror('it''s <b> & \"c\"', 16, 3)\n"
    );
    let said = run(&mut dba, "alter event session [a]]b] on server drop event sqlserver.error_reported");
    assert!(said.starts_with("Msg 40517"), "a session has an event: {said}");
    assert_eq!(
        run(
            &mut dba,
            "alter event session [a]]b] on server add event sqlserver.sql_batch_starting (where sqlserver.session_id <> 51)"
        ),
        ""
    );
    assert_eq!(run(&mut dba, "alter event session [a]]b] on server drop event sqlserver.error_reported"), "");
    run(&mut user, "select 1/0");
    let counts = one(
        &mut dba,
        "select concat(count(*), ' ', max(event_name), ' ', max(event_predicate)) from sys.dm_xe_session_events e
         join sys.dm_xe_sessions s on s.address = e.event_session_address where s.name = 'a]b'",
    );
    assert_eq!(counts, "1 sql_batch_starting ([sqlserver].[session_id]<>51)");
    let said = ring(&mut dba, "a]b");
    assert!(
        said.contains("totalEventsProcessed=\"3\" eventCount=\"3\""),
        "the ring goes on, with the error of ALTER: {said}"
    );
    assert_eq!(run(&mut dba, "alter event session [a]]b] on server state = stop"), "");
    assert_eq!(one(&mut dba, "select count(*) from sys.dm_xe_sessions where name = 'a]b'"), "0");
    assert_eq!(run(&mut dba, "drop event session [a]]b] on server"), "");
    assert_eq!(one(&mut dba, "select count(*) from sys.server_event_sessions"), "1");
}

#[test]
fn what_is_wrong_has_sql_servers_numbers() {
    let engine = engine();
    let mut dba = dba(&engine);
    let ring = "add target package0.ring_buffer";
    let create = |rest: &str| format!("create event session s on server {rest}");
    let error = "add event sqlserver.error_reported";
    let cases = [
        (create("add event sqlserver.no_such_event"), "Msg 25623"),
        (create("add event sqlos.error_reported"), "Msg 25623"),
        (create("add event sqlserver.query_post_execution_showplan"), "Msg 25623"),
        (create(&format!("{error} (action (sqlserver.callstack))")), "Msg 25623"),
        (create(&format!("{error} (where nothing = 1)")), "Msg 25623"),
        (create(&format!("{error} (where sqlserver.no_such_compare(severity, 1))")), "Msg 25623"),
        (create(&format!("{error} add target package0.etw_classic_sync_target")), "Msg 25623"),
        (create(&format!("{error}, {error}")), "Msg 25625"),
        (create(&format!("{error} {ring}, {ring}")), "Msg 25625"),
        (create(&format!("{error} (set collect_nothing = 1)")), "Msg 25629"),
        (create(&format!("{error} {ring} (set no_such = 1)")), "Msg 25629"),
        (create(&format!("{error} (where severity = 'x')")), "Msg 25713"),
        (create(&format!("{error} (where message > 5)")), "Msg 25713"),
        (create(&format!("{error} (where package0.greater_than_uint64(message, 5))")), "Msg 25636"),
        (create("add event sqlserver.xml_deadlock_report (where xml_report = 'x')"), "Msg 25715"),
        (create(&format!("{error} (where message = '{}')", "x".repeat(3000))), "Msg 25716"),
        (create(&format!("{error} add target package0.event_file")), "Msg 25642"),
        (create(&format!("{error} add target package0.event_file (set filename = 5)")), "Msg 25651"),
        (create(&format!("{error} add target package0.event_file (set filename = 'a', filename = 'b')")), "Msg 25650"),
        (create(&format!("{error} {ring} (set max_memory = -1)")), "Msg 25641"),
        (create(&format!("{error} add target package0.histogram (set source = 'x', source_type = 0)")), "Msg 25641"),
        (create(&format!("{error} with (max_memory = 1 kb)")), "Msg 25632"),
        (create(&format!("{error} with (max_memory = 3 mb, max_memory = 4 mb)")), "Msg 25702"),
        (create(&format!("{error} with (max_memory = 4 mb, max_event_size = 1 mb)")), "Msg 25640"),
        (create(&format!("{error} with (startup_state = maybe)")), "Msg 25703"),
        (create(&format!("{error} with (event_retention_mode = no_event_loss)")), "Msg 40517"),
        (create(&format!("{error} with (no_such = 1)")), "Msg 102"),
        ("create event session [#s] on server add event sqlserver.error_reported".to_owned(), "Msg 25701"),
        ("create event session s on database add event sqlserver.error_reported".to_owned(), "Msg 40517"),
        ("create event session s on server".to_owned(), "Msg 102"),
        ("create event session system_health on server add event sqlserver.error_reported".to_owned(), "Msg 25631"),
        ("drop event session s on server".to_owned(), "Msg 15151"),
        ("alter event session s on server state = start".to_owned(), "Msg 15151"),
        ("begin tran; drop event session s on server".to_owned(), "Msg 574"),
    ];
    for (statement, wanted) in cases {
        let said = run(&mut dba, &statement);
        assert!(said.starts_with(wanted), "{statement}: {said}");
        run(&mut dba, "if @@trancount > 0 rollback");
    }
    assert_eq!(run(&mut dba, &create(&format!("{error} {ring}"))), "");
    let after = [
        (create(error), "Msg 25631"),
        ("alter event session s on server state = stop".to_owned(), "Msg 25704"),
        ("alter event session s on server state = start".to_owned(), ""),
        ("alter event session s on server state = start".to_owned(), "Msg 25705"),
        ("alter event session s on server with (max_memory = 5 mb)".to_owned(), "Msg 25707"),
        ("alter event session s on server drop event sqlserver.attention".to_owned(), "Msg 25653"),
        ("alter event session s on server drop target package0.histogram".to_owned(), "Msg 25653"),
        (format!("alter event session s on server {error}"), "Msg 25625"),
        ("drop event session s on server".to_owned(), ""),
    ];
    for (statement, wanted) in after {
        let said = run(&mut dba, &statement);
        assert!(said.starts_with(wanted) && wanted.is_empty() == said.is_empty(), "{statement}: {said}");
    }
}

#[test]
fn another_login_needs_alter_any_event_session() {
    let engine = engine();
    let mut dba = dba(&engine);
    run(&mut dba, "create login pip with password = 'A-long-1-word' create login pop with password = 'A-long-1-word'");
    run(&mut dba, "grant alter any event session to pip");
    let create = "create event session s on server add event sqlserver.error_reported";
    let said = run(&mut dba, &format!("execute as login = 'pop' {create} revert"));
    assert!(said.contains("Msg 297") && said.contains("ALTER ANY EVENT SESSION"), "{said}");
    run(&mut dba, "revert");
    assert_eq!(one(&mut dba, "select count(*) from sys.server_event_sessions where name = 's'"), "0");
    assert_eq!(run(&mut dba, &format!("execute as login = 'pip' {create} revert")), "");
    assert_eq!(one(&mut dba, "select count(*) from sys.server_event_sessions where name = 's'"), "1");
    let said = run(&mut dba, "execute as login = 'pip' select count(*) from sys.dm_xe_sessions revert");
    assert!(said.contains("Msg 300"), "VIEW SERVER STATE is another right: {said}");
    run(&mut dba, "revert");
    let said = run(&mut dba, "execute as login = 'pop' select count(*) from sys.server_event_session_events");
    assert!(said.contains("Msg 300"), "{said}");
}

#[test]
fn a_counter_bounds_what_is_collected_and_a_histogram_counts_it() {
    let engine = engine();
    let mut dba = dba(&engine);
    let said = run(
        &mut dba,
        "create event session s on server
            add event sqlserver.error_reported (where severity > 10 and package0.counter <= 3)
            add target package0.event_counter,
            add target package0.histogram (set filtering_event_name = N'sqlserver.error_reported', slots = 3, source = N'error_number', source_type = 0)
         alter event session s on server state = start",
    );
    assert_eq!(said, "");
    let mut user = session(&engine);
    for text in ["select * from nowhere", "select 1/0", "select * from nowhere", "select * from nowhere"] {
        run(&mut user, text);
    }
    let target = |name: &str| {
        format!(
            "select t.target_data from sys.dm_xe_sessions s join sys.dm_xe_session_targets t on s.address = t.event_session_address
             where s.name = 's' and t.target_name = '{name}'"
        )
    };
    let counter = one(&mut dba, &target("event_counter"));
    assert_eq!(
        counter,
        "<CounterTarget truncated=\"0\"><Packages><Package name=\"sqlserver\"><Event name=\"error_reported\" count=\"3\"/>\
         </Package></Packages></CounterTarget>"
    );
    let histogram = one(&mut dba, &target("histogram"));
    assert_eq!(
        histogram,
        "<HistogramTarget truncated=\"0\" buckets=\"4\"><Slot count=\"2\" trunc=\"0\"><value>208</value></Slot>\
         <Slot count=\"1\" trunc=\"0\"><value>8134</value></Slot></HistogramTarget>"
    );
}

#[test]
fn names_that_xml_would_choke_on_do_not_break_it() {
    let engine = engine();
    let mut dba = dba(&engine);
    let said = run(
        &mut dba,
        "create database [d<\"&'>]
         create event session [s<\"&'>] on server
            add event sqlserver.error_reported (action (sqlserver.database_name, sqlserver.client_app_name, sqlserver.username)
                where sqlserver.database_name = N'd<\"&''>')
            add target package0.ring_buffer
         alter event session [s<\"&'>] on server state = start",
    );
    assert_eq!(said, "");
    let mut user = session(&engine);
    run(&mut user, "use [d<\"&'>] select * from [t<\"&'>\u{1}\u{fffe}]");
    let said = events(
        &mut dba,
        "s<\"&''>",
        &[
            ("action[@name=\"database_name\"]/value", "nvarchar(20)"),
            ("data[@name=\"message\"]/value", "nvarchar(60)"),
            ("action[@name=\"username\"]/value", "nvarchar(20)"),
        ],
    );
    assert_eq!(said, "d<\"&'> | Invalid object name 't<\"&'>'. | sa\n");
}
