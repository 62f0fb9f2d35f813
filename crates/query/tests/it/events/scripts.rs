//! Scripts that others have published, as they are but for the names of their databases, folders and events that are not here.

use super::{dba, one};
use crate::harness::{engine, run, session};

/// Of the manual's "Selects and joins from system views for extended events": the parts of a session by six SELECTs (section B.2).
const PARTS_OF_A_SESSION: &str = include_str!("parts_of_a_session.sql");

#[test]
fn the_manuals_quick_start_runs() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine();
    let mut dba = dba(&engine);
    let file = dir.path().join("YourSession_Target");
    let create = format!(
        "IF EXISTS (SELECT * FROM sys.server_event_sessions WHERE name = 'YourSession')
         BEGIN
            DROP EVENT SESSION YourSession ON SERVER;
         END
         CREATE EVENT SESSION [YourSession]
            ON SERVER
            ADD EVENT sqlserver.sql_statement_completed
            (
                ACTION(sqlserver.sql_text)
                WHERE
                ( [sqlserver].[like_i_sql_unicode_string]([sqlserver].[sql_text], N'%SELECT%HAVING%')
                )
            )
            ADD TARGET package0.event_file
            (SET
                filename = N'{}.xel',
                max_file_size = (2),
                max_rollover_files = (2)
            )
            WITH (
                MAX_MEMORY = 2048 KB,
                EVENT_RETENTION_MODE = ALLOW_MULTIPLE_EVENT_LOSS,
                MAX_DISPATCH_LATENCY = 3 SECONDS,
                MAX_EVENT_SIZE = 0 KB,
                MEMORY_PARTITION_MODE = NONE,
                TRACK_CAUSALITY = OFF,
                STARTUP_STATE = OFF
            );",
        file.display()
    );
    assert_eq!(run(&mut dba, &create), "");
    assert_eq!(run(&mut dba, "ALTER EVENT SESSION [YourSession] ON SERVER STATE = START;"), "");
    let mut user = session(&engine);
    run(
        &mut user,
        "SELECT c.name, Count(*) AS [n] FROM sys.syscolumns AS c JOIN sys.sysobjects AS o ON o.id = c.id
        WHERE o.type = 'V' AND c.name like '%event%' GROUP BY c.name HAVING Count(*) >= 3 ORDER BY c.name;",
    );
    run(&mut user, "select 1");
    let read = format!(
        "SELECT object_name, CAST(event_data AS XML).value('(event/action/value)[1]', 'varchar(15)') AS [text]
         FROM sys.fn_xe_file_target_read_file('{}*.xel', null, null, null);",
        file.display()
    );
    let said = run(&mut dba, &read);
    assert_eq!(said, "[object_name:nvarchar(60) | text:varchar(15)]\nsql_statement_completed | SELECT c.name,\n");
    let find = "SELECT count(*) FROM sys.dm_xe_packages AS p JOIN sys.dm_xe_objects AS o ON p.guid = o.package_guid
        WHERE o.object_type = 'event' AND p.name LIKE '%' AND o.name LIKE '%sql%'";
    assert_eq!(one(&mut dba, find), "4");
    assert_eq!(run(&mut dba, "DROP EVENT SESSION YourSession ON SERVER;"), "");
}

#[test]
fn the_manuals_select_of_a_sessions_parts_gives_them_back() {
    let engine = engine();
    let mut dba = dba(&engine);
    let said = run(
        &mut dba,
        "CREATE EVENT SESSION [event_session_test3]
            ON SERVER  -- Or, if on Azure SQL Database, ON DATABASE.
            ADD EVENT sqlserver.lock_deadlock
            (
                SET collect_database_name = (1)
                ACTION
                (
                    package0  .collect_system_time,
                    package0  .event_sequence,
                    sqlserver .client_hostname
                )
                WHERE
                (
                    [database_name]           = N'InMemTest2'
                    AND [package0].[counter] <= (16)
                    AND [resource_type]       = (6)
                )
            )
            ADD TARGET package0.event_file
            (
                SET
                    filename           = N'event_session_test3_EF.xel',
                    max_file_size      = (20),
                    max_rollover_files = (2)
            )
            WITH
            (
                MAX_MEMORY            = 4096 KB,
                EVENT_RETENTION_MODE  = ALLOW_SINGLE_EVENT_LOSS,
                MAX_DISPATCH_LATENCY  = 4 SECONDS,
                MAX_EVENT_SIZE        = 0 KB,
                MEMORY_PARTITION_MODE = NONE,
                TRACK_CAUSALITY       = OFF,
                STARTUP_STATE         = ON
            );",
    );
    assert_eq!(said, "");
    let said = run(&mut dba, PARTS_OF_A_SESSION);
    let rows: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "event_session_test3 | 1_EVENT | Event-Name | lock_deadlock",
            "event_session_test3 | 2_EVENT_SET | collect_database_name | 1",
            "event_session_test3 | 3_EVENT_ACTION | package0.collect_system_time | (Not_Applicable)",
            "event_session_test3 | 3_EVENT_ACTION | package0.event_sequence | (Not_Applicable)",
            "event_session_test3 | 3_EVENT_ACTION | sqlserver.client_hostname | (Not_Applicable)",
            "event_session_test3 | 4_EVENT_PREDICATES | (([database_name]=N'InMemTest2') AND ([package0].[counter]<=16) AND ([resource_type]=6)) | (Not_Applicable)",
            "event_session_test3 | 5_TARGET | event_file | (Not_Applicable)",
            "event_session_test3 | 6_TARGET_SET | filename | event_session_test3_EF.xel",
            "event_session_test3 | 6_TARGET_SET | max_file_size | 20",
            "event_session_test3 | 6_TARGET_SET | max_rollover_files | 2",
            "event_session_test3 | 7_WITH_MAX_MEMORY | max_memory | 4096",
            "event_session_test3 | 7_WITH_STARTUP_STATE | startup_state | 1",
        ],
        "{said}"
    );
}

#[test]
fn the_manuals_lists_of_what_there_is_are_filled() {
    let engine = engine();
    let mut dba = dba(&engine);
    let c3 = "SELECT count(*) FROM sys.dm_xe_objects AS o JOIN sys.dm_xe_packages AS p ON o.package_guid = p.guid
        WHERE o.object_type IN ('action', 'target', 'pred_source') AND ((o.capabilities & 1) = 0 OR o.capabilities IS NULL)";
    assert!(one(&mut dba, c3).parse::<i32>().unwrap() > 40);
    let c4 = "SELECT string_agg(c.name, ' ') within group (order by c.column_id) FROM sys.dm_xe_object_columns AS c JOIN sys.dm_xe_objects AS o ON o.name = c.object_name
        JOIN sys.dm_xe_packages AS p ON p.guid = o.package_guid
        WHERE c.column_type = 'data' AND o.object_type = 'event' AND o.name = 'wait_completed'";
    assert_eq!(one(&mut dba, c4), "wait_type duration signal_duration wait_resource");
    let c5 = "SELECT string_agg(concat(dm.map_value, '=', dm.map_key), ' ') within group (order by dm.map_key)
        FROM sys.dm_xe_objects AS do JOIN sys.dm_xe_object_columns AS dc ON dc.object_name = do.name
        JOIN sys.dm_xe_map_values AS dm ON dm.name = dc.type_name JOIN sys.dm_xe_packages AS dp ON dp.guid = do.package_guid
        WHERE do.object_type = 'event' AND do.name = 'sql_batch_completed'";
    assert_eq!(one(&mut dba, c5), "OK=0 Error=1 Abort=2");
    let c6 = "SELECT string_agg(concat(o.name, '.', c.name), ' ') within group (order by o.name) FROM sys.dm_xe_objects AS o JOIN sys.dm_xe_packages AS p ON o.package_guid = p.guid
        LEFT OUTER JOIN sys.dm_xe_object_columns AS c ON o.name = c.object_name AND c.column_type = 'customizable'
        WHERE o.object_type = 'target' AND c.capabilities_desc = 'mandatory'";
    assert_eq!(one(&mut dba, c6), "event_file.filename histogram.source");
}

/// The session that danthesqlman/DTSM_XE publishes for errors, with the shape that SQL Server Management Studio writes.
#[test]
fn a_session_of_errors_as_management_studio_writes_it_collects_them() {
    let engine = engine();
    let mut dba = dba(&engine);
    let said = run(
        &mut dba,
        "CREATE EVENT SESSION [Error_reported]
        ON SERVER
            ADD EVENT sqlserver.error_reported
            (ACTION
             (
                 sqlserver.client_app_name,
                 sqlserver.nt_username,
                 sqlserver.sql_text,
                 sqlserver.username
             )
             WHERE (
                       [package0].[greater_than_equal_int64]([severity], (16))
                       OR [error_number] = (6004)
                       OR [error_number] = (15469)
                   )
            ),
        ADD EVENT sqlserver.sql_batch_starting(
            ACTION(package0.event_sequence,sqlserver.client_app_name,sqlserver.database_id)
            WHERE ([package0].[greater_than_uint64]([sqlserver].[database_id],(4)) AND [package0].[equal_boolean]([sqlserver].[is_system],(0))))
        ADD TARGET package0.ring_buffer
        WITH
        (
            MAX_MEMORY = 4096KB,
            EVENT_RETENTION_MODE = ALLOW_SINGLE_EVENT_LOSS,
            MAX_DISPATCH_LATENCY = 300 SECONDS,
            MAX_EVENT_SIZE = 0KB,
            MEMORY_PARTITION_MODE = NONE,
            TRACK_CAUSALITY = OFF,
            STARTUP_STATE = ON
        );
        ALTER EVENT SESSION [Error_Reported] ON SERVER STATE = START;",
    );
    assert_eq!(said, "");
    run(&mut dba, "create database db");
    let mut user = session(&engine);
    run(&mut user, "use db");
    run(&mut user, "select 1/0");
    let said = super::events(
        &mut dba,
        "Error_reported",
        &[
            ("@name", "varchar(20)"),
            ("action[@name=\"username\"]/value", "varchar(10)"),
            ("action[@name=\"nt_username\"]/value", "varchar(10)"),
        ],
    );
    assert_eq!(said, "sql_batch_starting | NULL | NULL\nerror_reported | sa | \n");
}

/// What sp_BlitzLock (First Responder Kit, 2025) asks of a session that is not `system_health`: the file's name by the catalog views, the
/// events of it, and the same of a ring buffer.
const BLITZ_LOCK: &str = r#"
    declare @EventSessionName sysname = N'deadlocks', @TargetSessionType sysname, @SessionId int, @TargetSessionId int, @FileName nvarchar(4000),
        @StartDate datetime = dateadd(day, -7, getutcdate()), @EndDate datetime = dateadd(day, 1, getutcdate());
    create table #x (x xml not null default N'<x>x</x>');
    create table #t (id int not null);
    SELECT TOP (1) @TargetSessionType = t.target_name
    FROM sys.dm_xe_sessions AS s
    JOIN sys.dm_xe_session_targets AS t ON s.address = t.event_session_address
    WHERE s.name = @EventSessionName AND t.target_name IN (N'event_file', N'ring_buffer')
    ORDER BY t.target_name OPTION(RECOMPILE);
    SELECT @SessionId = t.event_session_id, @TargetSessionId = t.target_id
    FROM sys.server_event_session_targets AS t
    JOIN sys.server_event_sessions AS s ON s.event_session_id = t.event_session_id
    WHERE t.name = @TargetSessionType AND s.name = @EventSessionName OPTION(RECOMPILE);
    SELECT @FileName = CASE WHEN f.file_name LIKE N'%.xel' THEN REPLACE(f.file_name, N'.xel', N'*.xel') ELSE f.file_name + N'*.xel' END
    FROM
    (
        SELECT file_name = CONVERT(nvarchar(4000), f.value) FROM sys.server_event_session_fields AS f
        WHERE f.event_session_id = @SessionId AND f.object_id = @TargetSessionId AND f.name = N'filename'
    ) AS f OPTION(RECOMPILE);
    INSERT #x WITH(TABLOCKX) (x)
    SELECT x = TRY_CAST(f.event_data AS xml)
    FROM sys.fn_xe_file_target_read_file(@FileName, NULL, NULL, NULL) AS f LEFT JOIN #t AS t ON 1 = 1 OPTION(RECOMPILE);
    SELECT @TargetSessionType as target, count(*) as files, count(e.x.query('.').value('(/event/data/value/deadlock/victim-list/victimProcess/@id)[1]', 'varchar(30)')) as victims
    FROM #x AS x LEFT JOIN #t AS t ON 1 = 1 CROSS APPLY x.x.nodes('/event') AS e(x)
    WHERE (e.x.exist('@name[ .= "xml_deadlock_report"]') = 1 OR e.x.exist('@name[ .= "database_xml_deadlock_report"]') = 1)
    AND   e.x.exist('@timestamp[. >= sql:variable("@StartDate") and .< sql:variable("@EndDate")]') = 1 OPTION(RECOMPILE);
    TRUNCATE TABLE #x;
    INSERT #x WITH(TABLOCKX) (x)
    SELECT x = TRY_CAST(t.target_data AS xml)
    FROM sys.dm_xe_session_targets AS t JOIN sys.dm_xe_sessions AS s ON s.address = t.event_session_address
    WHERE s.name = @EventSessionName AND t.target_name = N'ring_buffer' OPTION(RECOMPILE);
    SELECT count(*) as ring, count(e.x.query('.').value('(/event/data/value/deadlock/victim-list/victimProcess/@id)[1]', 'varchar(30)')) as victims
    FROM #x AS x LEFT JOIN #t AS t ON 1 = 1 CROSS APPLY x.x.nodes('/RingBufferTarget/event') AS e(x)
    WHERE (e.x.exist('@name[ .= "xml_deadlock_report"]') = 1 OR e.x.exist('@name[ .= "database_xml_deadlock_report"]') = 1)
    AND   e.x.exist('@timestamp[. >= sql:variable("@StartDate") and .< sql:variable("@EndDate")]') = 1 OPTION(RECOMPILE);
    SELECT count(*) as health
    FROM
    (
        SELECT deadlock_xml = TRY_CAST(fx.event_data AS xml)
        FROM sys.fn_xe_file_target_read_file(N'system_health*.xel', NULL, NULL, NULL) AS fx LEFT JOIN #t AS t ON 1 = 1
        WHERE fx.object_name = N'xml_deadlock_report'
    ) AS xml
    CROSS APPLY xml.deadlock_xml.nodes('/event') AS e(x)
    WHERE e.x.exist('@timestamp[. >= sql:variable("@StartDate") and .< sql:variable("@EndDate")]') = 1;"#;

#[test]
fn sp_blitz_lock_finds_the_deadlocks_of_a_session_and_of_system_health() {
    let dir = tempfile::tempdir().unwrap();
    let engine = crate::harness::engine_in(128 << 20, dir.path());
    let mut dba = dba(&engine);
    let said = run(
        &mut dba,
        "create database db
         create event session deadlocks on server add event sqlserver.xml_deadlock_report
            add target package0.event_file (set filename = N'deadlocks.xel'), add target package0.ring_buffer
         alter event session deadlocks on server state = start",
    );
    assert_eq!(said, "");
    let (mut one, mut two) = (session(&engine), session(&engine));
    run(&mut one, "use db create table t (id int primary key, v int) insert t values (1, 1), (2, 2)");
    run(&mut one, "begin tran update t set v = 3 where id = 1");
    run(&mut two, "use db set deadlock_priority low begin tran update t set v = 3 where id = 2");
    let waiting = std::thread::spawn(move || run(&mut one, "update t set v = 4 where id = 2 commit"));
    crate::harness::until_waiting(&engine, 1);
    assert!(run(&mut two, "update t set v = 4 where id = 1").contains("1205"));
    waiting.join().unwrap();
    assert_eq!(
        run(&mut dba, &format!("set quoted_identifier on {BLITZ_LOCK}")),
        "[target:nvarchar(128) | files:int | victims:int]\nevent_file | 1 | 1\n[ring:int | victims:int]\n1 | 1\n[health:int]\n1\n"
    );
}
