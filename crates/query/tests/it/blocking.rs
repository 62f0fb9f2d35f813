//! Two sessions on two threads: who waits for whom, and how the wait ends. No test looks at a clock: whether somebody
//! waits is asked of the lock manager.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use millpond_access::tree;
use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_txn::transaction;
use millpond_txn::tree_rows;

use crate::harness::{engine, run, session, until_waiting};

/// An engine with `db.dbo.t`, rows (1, 10) and (2, 20).
fn with_table(options: &str) -> Arc<Engine> {
    let engine = engine();
    let mut setup = session(&engine);
    let said = run(&mut setup, "create database db");
    assert_eq!(said, "");
    let said = run(&mut setup, &format!("{options} use db"));
    assert_eq!(said, "");
    let said = run(
        &mut setup,
        "set nocount on create table t (id int not null primary key, v int not null) insert t values (1, 10), (2, 20)",
    );
    assert_eq!(said, "");
    engine
}

fn user(engine: &Arc<Engine>) -> Session {
    let mut session = session(engine);
    let said = run(&mut session, "use db set nocount on");
    assert_eq!(said, "");
    session
}

/// Runs a text on a thread of its own.
fn start(mut session: Session, text: &str) -> JoinHandle<(Session, String)> {
    let text = text.to_owned();
    thread::spawn(move || {
        let said = run(&mut session, &text);
        (session, said)
    })
}

#[test]
fn a_writer_waits_for_a_writer_and_goes_on_after_its_commit() {
    let engine = with_table("");
    let (mut one, two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran update t set v = v + 1 where id = 1");
    let waiting = start(two, "update t set v = v * 2 where id = 1 select v from t where id = 1");
    until_waiting(&engine, 1);
    run(&mut one, "commit");
    let (_, said) = waiting.join().unwrap();
    assert_eq!(said, "[v:int]\n22\n");
}

#[test]
fn a_reader_of_versions_is_not_blocked_and_one_that_locks_is() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    assert_eq!(run(&mut two, "select v from t where id = 1"), "[v:int]\n10\n");
    assert_eq!(
        run(&mut two, "set transaction isolation level read uncommitted select v from t where id = 1"),
        "[v:int]\n11\n"
    );
    let waiting = start(two, "set transaction isolation level repeatable read select v from t where id = 1");
    until_waiting(&engine, 1);
    run(&mut one, "rollback");
    let (_, said) = waiting.join().unwrap();
    assert!(said.ends_with("\n10\n"), "{said}");
}

#[test]
fn without_statement_snapshots_a_reader_waits() {
    let engine = with_table("alter database db set read_committed_snapshot off");
    let (mut one, two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    let waiting = start(two, "select v from t where id = 1");
    until_waiting(&engine, 1);
    run(&mut one, "commit");
    let (_, said) = waiting.join().unwrap();
    assert!(said.ends_with("\n11\n"), "{said}");
}

#[test]
fn lock_timeout_is_1222_and_leaves_the_transaction() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    let said = run(
        &mut two,
        "set lock_timeout 0 begin tran update t set v = 0 where id = 2 update t set v = 0 where id = 1 select @@trancount as n, @@lock_timeout as ms commit",
    );
    assert_eq!(
        said,
        "Msg 1222, Level 16, State 51, Line 1: Lock request time out period exceeded.\n\
         # The statement has been terminated.\n[n:int | ms:int]\n1 | 0\n"
    );
    run(&mut one, "rollback");
    assert_eq!(run(&mut two, "select v from t order by id"), "[v:int]\n10\n0\n");
}

#[test]
fn nowait_waits_for_no_row_whatever_lock_timeout_says() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    let statements = [
        "select v from t with (updlock, nowait) where id = 1",
        "select v from t with (repeatableread, nowait) where v > 0",
        "update t with (nowait) set v = 0 where id = 1",
        "update x set v = 0 from t x with (nowait) where x.v > 0",
        "delete t with (nowait) where id = 1",
        "delete t with (nowait) where v > 0",
        "merge t with (nowait) using (values (1)) s (k) on t.id = s.k when matched then delete;",
    ];
    for statement in statements {
        let said = run(&mut two, statement);
        assert!(said.contains("Msg 1222, Level 16, State 51"), "{statement}: {said}");
    }
    run(&mut one, "rollback");
    assert_eq!(run(&mut two, "select v from t order by id"), "[v:int]\n10\n20\n");
}

/// Session one has row 1 and wants row 2, session two the other way round; what each of them says.
fn deadlock(engine: &Arc<Engine>, first: &str, second: &str) -> (String, String) {
    let (mut one, mut two) = (user(engine), user(engine));
    run(&mut one, &format!("{first} begin tran update t set v = 1 where id = 1"));
    run(&mut two, &format!("{second} begin tran update t set v = 2 where id = 2"));
    let one = start(one, "update t set v = 1 where id = 2 print 'on' commit");
    until_waiting(engine, 1);
    let two = start(two, "update t set v = 2 where id = 1 print 'on' commit");
    let ((mut one, first), (mut two, second)) = (one.join().unwrap(), two.join().unwrap());
    for session in [&mut one, &mut two] {
        assert_eq!(run(session, "select @@trancount as n"), "[n:int]\n0\n");
    }
    (first, second)
}

#[test]
fn the_victim_of_a_deadlock_is_rolled_back_and_its_batch_ends() {
    let engine = with_table("");
    let (one, two) = deadlock(&engine, "", "set deadlock_priority low");
    assert_eq!(one, "# on\n");
    assert!(two.starts_with("Msg 1205, Level 13, State 51, Line 1: Transaction (Process ID "), "{two}");
    assert!(two.ends_with(
        ") was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction.\n"
    ));
    let mut reader = user(&engine);
    assert_eq!(run(&mut reader, "select v from t order by id"), "[v:int]\n1\n1\n");
}

#[test]
fn the_graph_of_a_deadlock_is_kept_as_tools_read_it() {
    let engine = with_table("");
    run(&mut user(&engine), "dbcc traceon (1204, 1222, -1)");
    let (one, two) = deadlock(&engine, "", "set deadlock_priority low");
    assert!(one == "# on\n" && two.starts_with("Msg 1205"), "{one}{two}");
    let mut dba = user(&engine);
    // As the usual query of deadlocks asks: the graph out of the ring buffer of the session.
    let said = run(
        &mut dba,
        "set quoted_identifier on
         declare @graph xml = (select cast(t.target_data as xml).query('(RingBufferTarget/event[@name=\"xml_deadlock_report\"]/data/value/deadlock)[1]')
            from sys.dm_xe_session_targets as t join sys.dm_xe_sessions as s on s.address = t.event_session_address
            where s.name = N'system_health' and t.target_name = N'ring_buffer')
         select p.x.value('@lockMode', 'varchar(5)') as mode, p.x.value('@trancount', 'int') as trancount, p.x.value('@currentdbname', 'sysname') as db,
            p.x.value('@isolationlevel', 'varchar(30)') as isolation, p.x.value('@priority', 'int') as priority,
            p.x.value('(executionStack/frame/text())[1]', 'varchar(100)') as statement, p.x.value('(inputbuf/text())[1]', 'varchar(100)') as input,
            case when p.x.value('@id', 'varchar(20)') = @graph.value('(deadlock/victim-list/victimProcess/@id)[1]', 'varchar(20)') then 'victim' else '' end as victim,
            case when p.x.value('@lasttranstarted', 'datetime') between dateadd(minute, -5, getdate()) and getdate() then 'now' end as began,
            case when p.x.value('@ownerId', 'bigint') > 0 then p.x.value('@transactionname', 'varchar(30)') end as tran_name
         from @graph.nodes('deadlock/process-list/process') as p (x) order by victim
         select l.x.value('local-name(.)', 'varchar(10)') as kind, l.x.value('@objectname', 'varchar(30)') as object, l.x.value('@mode', 'varchar(3)') as mode,
            l.x.value('count(owner-list/owner)', 'int') as owners, l.x.value('(waiter-list/waiter/@requestType)[1]', 'varchar(10)') as request,
            case when l.x.value('@indexname', 'varchar(60)') like 'PK[_][_]t[_]%' then 'pk' end as ix
         from @graph.nodes('deadlock/resource-list/*') as l (x)",
    );
    assert_eq!(
        said,
        "[mode:varchar(5) | trancount:int | db:nvarchar(128) | isolation:varchar(30) | priority:int | statement:varchar(100) | input:varchar(100) \
         | victim:varchar(6) | began:varchar(3) | tran_name:varchar(30)]\n\
         U | 1 | db | read committed (2) | 0 | update t set v = 1 where id = 2 | update t set v = 1 where id = 2 print 'on' commit |  | now | user_transaction\n\
         U | 1 | db | read committed (2) | -5 | update t set v = 2 where id = 1 | update t set v = 2 where id = 1 print 'on' commit | victim | now | user_transaction\n\
         [kind:varchar(10) | object:varchar(30) | mode:varchar(3) | owners:int | request:varchar(10) | ix:varchar(2)]\n\
         keylock | db.dbo.t | X | 1 | wait | pk\nkeylock | db.dbo.t | X | 1 | wait | pk\n"
    );
    // The file of the session is read from memory, and the log has both forms.
    let said = run(
        &mut dba,
        "select object_name as event, cast(event_data as xml).value('(event/@package)[1]', 'varchar(20)') as package
         from sys.fn_xe_file_target_read_file('/var/opt/mssql/log/system_health*.xel', null, null, null)",
    );
    assert_eq!(said, "[event:nvarchar(60) | package:varchar(20)]\nxml_deadlock_report | sqlserver\n");
    let log: Vec<String> = engine.error_log().lines().into_iter().map(|line| line.text).collect();
    for start in [
        "Deadlock encountered",
        "Node:1",
        "deadlock",
        "  process id=process",
        "    frame procname=adhoc line=1",
        "  keylock id=",
    ] {
        assert!(log.iter().any(|line| line.starts_with(start)), "{start}: {log:#?}");
    }
    run(&mut dba, "use master create login nobody with password = 'A-long-1-word'");
    let said = run(
        &mut dba,
        "execute as login = 'nobody' select count(*) from master.sys.fn_xe_file_target_read_file('system_health*.xel', null, null, null)",
    );
    assert!(said.contains("Msg 300, Level 14"), "{said}");
    let said = run(&mut dba, "select target_data from master.sys.dm_xe_session_targets");
    assert!(said.contains("Msg 300, Level 14"), "{said}");
}

#[test]
fn of_equals_the_one_with_less_log_is_the_victim() {
    let engine = with_table("");
    run(&mut user(&engine), "create table big (id int identity primary key, s char(4000))");
    let much = "insert big values ('a'), ('b'), ('c')";
    // The change comes within the transaction: before it, it would cost nothing.
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, &format!("begin tran update t set v = 1 where id = 1 {much}"));
    run(&mut two, "begin tran update t set v = 2 where id = 2");
    let one = start(one, "update t set v = 1 where id = 2 commit");
    until_waiting(&engine, 1);
    let two = start(two, "update t set v = 2 where id = 1 commit");
    let ((_one, first), (_two, second)) = (one.join().unwrap(), two.join().unwrap());
    assert_eq!(first, "");
    assert!(second.starts_with("Msg 1205"), "{second}");
}

#[test]
fn a_caught_deadlock_leaves_a_transaction_that_cannot_be_committed() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran update t set v = 1 where id = 1");
    run(&mut two, "set deadlock_priority -10 begin tran update t set v = 2 where id = 2");
    let two = start(
        two,
        "begin try update t set v = 2 where id = 1 end try \
         begin catch print concat(error_number(), ' ', xact_state()); rollback; print xact_state() end catch",
    );
    until_waiting(&engine, 1);
    assert_eq!(run(&mut one, "update t set v = 1 where id = 2 commit"), "");
    let (_two, said) = two.join().unwrap();
    assert_eq!(said, "# 1205 -1\n# 0\n");
}

#[test]
fn a_row_changed_after_the_snapshot_is_3960_and_ends_the_transaction() {
    let engine = with_table("alter database db set allow_snapshot_isolation on");
    let (mut one, mut two) = (user(&engine), user(&engine));
    let said = run(&mut one, "set transaction isolation level snapshot begin tran select v from t where id = 1");
    assert_eq!(said, "[v:int]\n10\n");
    run(&mut two, "update t set v = 12 where id = 1");
    assert_eq!(run(&mut one, "select v from t where id = 1"), "[v:int]\n10\n");
    let said = run(&mut one, "update t set v = 13 where id = 1 print 'on'");
    assert_eq!(
        said,
        "Msg 3960, Level 16, State 2, Line 1: Snapshot isolation transaction aborted due to update conflict. You cannot use \
         snapshot isolation to access table 'dbo.t' directly or indirectly in database 'db' to update, delete, or insert \
         the row that has been modified or deleted by another transaction. Retry the transaction or change the isolation \
         level for the update/delete statement.\n"
    );
    assert_eq!(run(&mut one, "select @@trancount as n, v from t where id = 1"), "[n:int | v:int]\n0 | 12\n");
}

#[test]
fn snapshot_wants_the_databases_leave_and_the_transactions_begin() {
    let engine = with_table("");
    let mut one = user(&engine);
    let said = run(&mut one, "set transaction isolation level snapshot select v from t");
    assert!(said.contains("Msg 3952, Level 16, State 1"), "{said}");
    assert_eq!(run(&mut one, "alter database db set allow_snapshot_isolation on"), "");
    let said = run(
        &mut one,
        "set transaction isolation level read committed begin tran set transaction isolation level snapshot update t set v = 0",
    );
    assert!(said.starts_with("Msg 3951, Level 16, State 1"), "{said}");
    assert_eq!(run(&mut one, "select @@trancount as n"), "[n:int]\n0\n");
}

#[test]
fn a_waiter_that_is_cancelled_stops_and_keeps_its_transaction() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    run(&mut two, "begin tran update t set v = 22 where id = 2");
    let shared = Arc::clone(two.shared());
    let waiting = start(two, "update t set v = 0 where id = 1 print 'on'");
    until_waiting(&engine, 1);
    shared.cancel();
    let (mut two, said) = waiting.join().unwrap();
    assert_eq!(said, "");
    run(&mut one, "rollback");
    assert_eq!(run(&mut two, "commit select v from t order by id"), "[v:int]\n10\n22\n");
}

#[test]
fn options_of_a_procedure_end_with_it() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "create procedure p as set lock_timeout 0 update t set v = 0 where id = 1");
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    assert!(run(&mut two, "exec p").starts_with("Msg 1222"));
    let waiting = start(two, "update t set v = 5 where id = 1 print @@lock_timeout");
    until_waiting(&engine, 1);
    run(&mut one, "commit");
    assert_eq!(waiting.join().unwrap().1, "# -1\n");
}

#[test]
fn a_wait_shows_in_the_views_with_its_blocker() {
    let engine = with_table("");
    let (mut one, two) = (user(&engine), user(&engine));
    let (blocker, waiter) = (one.shared().id.0, two.shared().id.0);
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    let waiting = start(two, "update t set v = 0 where id = 1");
    until_waiting(&engine, 1);
    let mut three = user(&engine);
    let mut ask = |text: &str| run(&mut three, text).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let tasks =
        ask("select session_id, blocking_session_id, wait_type from sys.dm_os_waiting_tasks where session_id > 50");
    assert_eq!(tasks, [format!("{waiter} | {blocker} | LCK_M_U")]);
    let requests = ask(
        "select session_id, blocking_session_id, wait_type, left(wait_resource, 4) from sys.dm_exec_requests where blocking_session_id <> 0",
    );
    assert_eq!(requests, [format!("{waiter} | {blocker} | LCK_M_U | KEY:")]);
    // What it has open, while it has it: the other one's BEGIN TRAN, and one of this session's inside of a request.
    assert_eq!(
        ask(&format!("select open_transaction_count from sys.dm_exec_sessions where session_id = {blocker}")),
        ["1"]
    );
    let own = ask("set context_info 0x0102 begin tran begin tran insert t values (77, 0) \
         select r.open_transaction_count as n, case when r.transaction_id = a.transaction_id then 'same' end as id, \
            r.context_info as c, s.open_transaction_count as of_session \
         from sys.dm_exec_requests r join sys.dm_exec_sessions s on s.session_id = r.session_id \
         join sys.dm_tran_session_transactions a on a.session_id = r.session_id where r.session_id = @@spid \
         rollback select open_transaction_count from sys.dm_exec_requests where session_id = @@spid");
    let context = format!("0x0102{}", "00".repeat(126));
    assert_eq!(own, [format!("2 | same | {context} | 2"), "[open_transaction_count:int]".to_owned(), "0".to_owned()]);
    let locks = ask("select request_session_id, request_mode, request_status from sys.dm_tran_locks \
         where resource_type = 'KEY' and resource_database_id = db_id() order by request_status");
    assert_eq!(locks, [format!("{blocker} | X | GRANT"), format!("{waiter} | U | WAIT")]);
    let open = ask(
        "select s.session_id, d.database_transaction_state, case when d.database_transaction_log_bytes_used > 0 then 1 end \
         from sys.dm_tran_session_transactions s join sys.dm_tran_active_transactions a on a.transaction_id = s.transaction_id \
         join sys.dm_tran_database_transactions d on d.transaction_id = a.transaction_id where d.database_id = db_id()",
    );
    assert_eq!(open, [format!("{blocker} | 4 | 1")]);
    let said = run(&mut three, "dbcc opentran");
    assert!(said.contains(&format!("SPID (server process ID): {blocker}\n")), "{said}");
    run(&mut one, "rollback");
    assert_eq!(waiting.join().unwrap().1, "");
    assert_eq!(
        run(&mut three, "select count(*) as n from sys.dm_tran_active_transactions where transaction_type = 1"),
        "[n:int]\n0\n"
    );
}

/// As tools cut it out of the text: by offsets in bytes of UTF-16, of the procedure that runs and not of the batch that called it.
#[test]
fn the_text_of_what_runs_is_found_by_its_handle() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "create procedure p as begin print N'Größe'; update t set v = 0 where id = 1; print N'over' end");
    run(&mut one, "begin tran update t set v = 11 where id = 1");
    let waiter = two.shared().id.0;
    assert_eq!(run(&mut two, "print 'before'"), "# before\n");
    let waiting = start(two, "print 'batch' exec p");
    until_waiting(&engine, 1);
    let mut three = user(&engine);
    let mut ask = |text: &str| run(&mut three, text).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let found = ask(&format!(
        "select object_name(t.objectid, t.dbid) as o, r.sql_handle as h, r.plan_handle as p,
            substring(t.text, r.statement_start_offset / 2 + 1, (r.statement_end_offset - r.statement_start_offset) / 2) as s
        into #found from sys.dm_exec_requests r cross apply sys.dm_exec_sql_text(r.sql_handle) t
        where r.session_id = {waiter}
        select o, s from #found"
    ));
    assert_eq!(found, ["p | update t set v = 0 where id = 1"]);
    assert_eq!(ask("select count(*) from #found cross apply sys.dm_exec_sql_text(p)"), ["1"]);
    run(&mut one, "rollback");
    assert_eq!(waiting.join().unwrap().1, "# batch\n# Größe\n# over\n");
    assert_eq!(
        ask("select left(t.text, 18) from #found cross apply sys.dm_exec_sql_text(h) t"),
        ["create procedure p"]
    );
    // What has a password in it is shown to nobody.
    ask("create login diver with password = 'Deep-Water-1' select 1 as a from t where id = 1");
    ask("exec sp_addlogin 'fisher', 'Deep-Water-1' select 1 as a from t where id = 2");
    ask("exec sp_change_users_login 'Auto_Fix', 'nobody', null, 'Deep-Water-1' select 1 as a from t where id = 3");
    let texts =
        ask("select count(*) as n from sys.dm_exec_query_stats q cross apply sys.dm_exec_sql_text(q.sql_handle) t
        where charindex('Deep-' + 'Water', t.text) > 0");
    assert_eq!(texts, ["0"]);
}

/// A change holds its table when it asks for the rows of the view; who drops these asks for the table first.
#[test]
fn the_index_of_a_view_is_dropped_when_changes_of_its_table_have_ended() {
    let engine = with_table("");
    let (mut one, two, three) = (user(&engine), user(&engine), user(&engine));
    run(&mut one, "create view w with schemabinding as select v, count_big(*) as n from dbo.t group by v");
    assert_eq!(run(&mut one, "create unique clustered index i on w (v)"), "");
    run(&mut one, "begin tran select v from t with (updlock) where id = 1");
    let change = start(two, "update t set v = v + 1 where id = 1");
    until_waiting(&engine, 1);
    let drop = start(three, "drop index i on w");
    until_waiting(&engine, 2);
    run(&mut one, "commit");
    assert_eq!(change.join().unwrap().1, "");
    assert_eq!(drop.join().unwrap().1, "");
    assert_eq!(run(&mut one, "select v, n from w order by v"), "[v:int | n:bigint]\n11 | 1\n20 | 1\n");
}

#[test]
fn snapshots_and_logs_show_in_their_views() {
    let engine = with_table("alter database db set allow_snapshot_isolation on");
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "set transaction isolation level snapshot begin tran select v from t");
    run(&mut two, "update t set v = v + 1");
    let reader = one.shared().id.0;
    let mut ask = |text: &str| run(&mut two, text).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        ask("select session_id from sys.dm_tran_active_snapshot_database_transactions where is_snapshot = 1"),
        [reader.to_string()]
    );
    assert_eq!(
        ask(
            "select count(*) from sys.dm_tran_version_store_space_usage where database_id = db_id() and reserved_page_count > 0"
        ),
        ["1"]
    );
    assert_eq!(
        ask(
            "select count(*) from sys.dm_db_log_space_usage where used_log_space_in_bytes between 1 and total_log_size_in_bytes"
        ),
        ["1"]
    );
    assert_eq!(
        ask(
            "select case when count(*) > 1 and sum(cast(vlf_active as int)) > 0 then 1 end from sys.dm_db_log_info(db_id())"
        ),
        ["1"]
    );
    assert_eq!(ask("select recovery_model, log_truncation_holdup_reason from sys.dm_db_log_stats(db_id())").len(), 1);
    assert_eq!(
        ask(
            "select index_type_desc, index_depth, page_count, record_count from sys.dm_db_index_physical_stats(db_id(), object_id('t'), null, null, 'DETAILED')"
        ),
        ["CLUSTERED INDEX | 1 | 1 | 2"]
    );
}

#[test]
fn a_row_without_its_index_entry_is_found_by_checkdb() {
    let engine = with_table("");
    let mut one = user(&engine);
    run(&mut one, "create index iv on t (v)");
    assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "");
    let db = one.facts().database;
    let trees = engine.databases().dictionary(db).unwrap().all_trees();
    let index = trees.iter().find(|tree| tree.ids().index_id == 2 && tree.ids().object_id >= 1000).unwrap();
    let task = Arc::new(Task::new(SessionId(60)));
    let io = IoCount::default();
    let ask = Ask::new(&task, &io);
    let key = tree::read::next_key(index, &ask, &[]).unwrap().expect("the index has entries");
    tree_rows::delete(&mut engine.txns().open_session(SessionId(60), Arc::clone(&task)), &ask, index, &key).unwrap();
    // What is not committed is not seen; this session's work is dropped, so it was undone.
    assert_eq!(run(&mut one, "dbcc checkdb with no_infomsgs"), "");
    let mut work = engine.txns().open_session(SessionId(60), Arc::clone(&task));
    let mark = transaction::begin_statement(&mut work);
    tree_rows::delete(&mut work, &ask, index, &key).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    let said = run(&mut one, "dbcc checktable ('t') with no_infomsgs");
    assert!(said.starts_with("Msg 8951, Level 16, State 1, Line 1: Table error: table 't' (ID "), "{said}");
    let said = run(&mut one, "dbcc checkdb with no_infomsgs");
    assert!(
        said.ends_with("# CHECKDB found 0 allocation errors and 1 consistency errors in database 'db'.\n"),
        "{said}"
    );
}

#[test]
fn pages_are_listed_and_printed() {
    let engine = with_table("");
    let mut one = user(&engine);
    let said = run(&mut one, "dbcc ind ('db', 't', 1) with no_infomsgs");
    let rows: Vec<Vec<&str>> = said.lines().skip(1).map(|line| line.split(" | ").collect()).collect();
    let kinds: Vec<&str> = rows.iter().map(|row| row[6]).collect();
    assert_eq!(kinds[0], "10", "{said}");
    assert_eq!(rows.len(), 2, "{said}");
    let said = run(&mut one, &format!("dbcc page ('db', {}, {}, 3)", rows[1][0], rows[1][1]));
    assert!(said.contains("m_slotCnt = 2") && said.contains("Slot 1, Length "), "{said}");
    assert!(run(&mut one, "dbcc page ('db', 1, 99999999)").starts_with("Msg 8968"));
}

/// The columns of a view were left out when its table could not be waited for.
#[test]
fn who_asks_for_the_columns_of_a_view_waits_for_its_table() {
    let engine = with_table("");
    let (mut one, mut two) = (user(&engine), user(&engine));
    assert_eq!(run(&mut one, "exec ('create view w as select * from t') begin tran alter table t add c int"), "");
    let columns = [
        "select count(*) as n from sys.columns where object_id = object_id('w')",
        "select count(*) as n from information_schema.columns where table_name = 'w'",
    ];
    for columns in columns {
        let said = run(&mut two, &format!("set lock_timeout 0 {columns}"));
        assert!(said.contains("Msg 1222"), "{columns}: {said}");
    }
    let waiting = start(two, &format!("set lock_timeout -1 {}", columns[0]));
    until_waiting(&engine, 1);
    run(&mut one, "rollback");
    let (_, said) = waiting.join().unwrap();
    assert_eq!(said, "[n:int]\n2\n");
}

/// Who reads a database from elsewhere is in it: by an open transaction as by a statement that runs.
#[test]
fn a_database_that_is_read_from_another_one_is_not_dropped() {
    let engine = engine();
    let (mut one, mut two) = (session(&engine), session(&engine));
    run(&mut one, "create database kept");
    run(&mut one, "create table kept.dbo.t (a int) insert kept.dbo.t values (1)");
    run(&mut one, "begin transaction select count(*) from kept.dbo.t with (holdlock)");
    assert!(run(&mut two, "drop database kept").starts_with("Msg 3702,"));
    assert!(run(&mut two, "alter database kept set offline with no_wait").starts_with("Msg 5070,"));
    assert_eq!(run(&mut one, "set nocount on select a from kept.dbo.t"), "[a:int]\n1\n");
    run(&mut one, "commit");
    assert_eq!(run(&mut two, "drop database kept"), "");
}
