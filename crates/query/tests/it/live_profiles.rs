//! `sys.dm_exec_query_profiles` and `sys.dm_exec_query_statistics_xml` of statements that run: what others see of them at the first
//! row that is sent, while they end, and when they fail or are killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_types::{SqlType, Value};

use crate::harness::{engine, run, session};
use crate::profile::with_orders;

/// Calls `first` at the first row of the first result that is no profile.
struct AtFirstRow<'a> {
    first: Option<Box<dyn FnMut() + 'a>>,
    is_profile: bool,
    messages: String,
}

impl Sink for AtFirstRow<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.is_profile = columns.first().is_some_and(|column| column.name == "Rows");
        Ok(())
    }

    fn row(&mut self, _values: &[Value]) -> Result<(), SinkClosed> {
        if !self.is_profile
            && let Some(mut first) = self.first.take()
        {
            first();
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        self.messages.push_str(&format!("{}: {}\n", message.number, message.text));
    }

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// Runs a text; what another session is told at its first row, and the messages of the text.
fn at_first_row(one: &mut Session, text: &str, other: &mut Session, look: &str) -> (String, String) {
    let mut told = String::new();
    let first: Option<Box<dyn FnMut()>> = Some(Box::new(|| told = run(other, look)));
    let mut sink = AtFirstRow { first, is_profile: false, messages: String::new() };
    one.run_batch(text, &mut sink);
    let messages = std::mem::take(&mut sink.messages);
    drop(sink);
    (told, messages)
}

/// 4 customers, 3,000 orders; a session with SET STATISTICS PROFILE, and another one.
fn rig(direct: bool) -> (Arc<Engine>, Session, Session) {
    let engine = engine();
    let one = with_orders(&engine, direct);
    let other = session(&engine);
    (engine, one, other)
}

const COUNTS: &str = "select node_id, physical_operator_name, row_count, thread_id from sys.dm_exec_query_profiles
    where session_id <> @@spid order by node_id";

#[test]
fn a_plan_shows_each_operator_with_its_rows_so_far_and_nothing_when_it_has_ended() {
    let (_engine, mut one, mut other) = rig(false);
    let query = "select o.amount from orders o order by o.customer, o.amount desc";
    let (told, messages) = at_first_row(&mut one, query, &mut other, COUNTS);
    assert_eq!(messages, "");
    assert!(
        told.starts_with(
            "[node_id:int | physical_operator_name:nvarchar(256) | row_count:bigint | thread_id:int]\n0 | "
        ),
        "{told}"
    );
    assert!(told.contains(" | Sort | "), "{told}");
    assert!(told.contains(" | Clustered Index Scan | 3000 | 0\n"), "{told}");
    assert_eq!(
        run(
            &mut other,
            "set nocount on select count(*) as n from sys.dm_exec_query_profiles where session_id <> @@spid"
        ),
        "[n:int]\n0\n"
    );
}

#[test]
fn a_row_says_which_statement_table_and_time_it_is_of() {
    let (_engine, mut one, mut other) = rig(false);
    let look = "set nocount on
        select p.session_id - r.session_id as session, p.request_id,
            iif(p.sql_handle = r.sql_handle and p.plan_handle = r.plan_handle, 1, 0) as handles,
            iif(p.task_address = r.task_address, 1, 0) as task, db_name(p.database_id) as db,
            object_name(p.object_id) as object, p.index_id, iif(p.logical_read_count > 10, 1, 0) as reads,
            p.scan_count, p.estimate_row_count, p.estimated_read_row_count,
            iif(p.open_time > 0 and p.open_time <= i.ms_ticks and p.first_row_time between p.open_time and p.last_row_time, 1, 0) as times,
            iif(p.elapsed_time_ms >= 0 and p.cpu_time_ms >= 0, 1, 0) as spent,
            (select count(*) from sys.dm_exec_query_profiles) as operators
        from sys.dm_exec_query_profiles p join sys.dm_exec_requests r on r.session_id = p.session_id
            cross join sys.dm_os_sys_info i
        where p.object_id is not null";
    let query = "select amount from orders order by customer, amount desc";
    let (told, messages) = at_first_row(&mut one, query, &mut other, look);
    assert_eq!(messages, "");
    let row = told.lines().nth(1).unwrap_or_default();
    assert!(row.starts_with("0 | 0 | 1 | 1 | master | orders | 1 | 1 | "), "{told}");
    assert!(row.contains(" | 3000 | 3000 | 1 | 1 | "), "{told}");
}

#[test]
fn direct_statements_count_while_they_run() {
    let (_engine, mut one, mut other) = rig(true);
    let query = "select c.name, o.amount from customer c join orders o on o.id = c.id where c.id between 1 and 3";
    let (told, messages) = at_first_row(&mut one, query, &mut other, COUNTS);
    assert_eq!(messages, "");
    assert!(told.contains("Clustered Index Seek | 1 | 0\n"), "{told}");
}

#[test]
fn the_xml_of_a_running_statement_has_the_counts_so_far() {
    let (_engine, mut one, mut other) = rig(false);
    run(&mut one, "set statistics profile off set statistics xml on");
    let look = "set nocount on
        ;with xmlnamespaces (default 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
        select n.r.value('../../@NodeId', 'int') as node, n.r.value('../../@PhysicalOp', 'varchar(40)') as op,
            n.r.value('@ActualRows', 'int') as rows
        from sys.dm_exec_requests r cross apply sys.dm_exec_query_statistics_xml(r.session_id) x
            cross apply x.query_plan.nodes('//RunTimeCountersPerThread') n(r)
        where r.session_id <> @@spid and exists (select * from sys.dm_exec_query_profiles p
            where p.node_id = n.r.value('../../@NodeId', 'int') and p.row_count = n.r.value('@ActualRows', 'int'))";
    let query = "select amount from orders order by customer, amount desc";
    let (told, messages) = at_first_row(&mut one, query, &mut other, look);
    assert_eq!(messages, "");
    assert!(told.contains(" | Clustered Index Scan | 3000\n"), "{told}");
    assert!(told.contains(" | Sort | "), "{told}");
}

#[test]
fn a_statement_sees_itself() {
    let (_engine, mut one, _other) = rig(false);
    let look = "select count(*) as n from sys.dm_exec_query_profiles where session_id = @@spid having count(*) > 1";
    let told = run(&mut one, look);
    assert!(told.starts_with("[n:int]\n") && told.contains("\n(1 rows affected)\n"), "{told}");
}

#[test]
fn threads_of_a_plan_are_added_up_while_they_run() {
    let (engine, mut one, mut other) = rig(false);
    for text in [
        "set statistics profile off",
        "sp_configure 'show advanced options', 1",
        "reconfigure",
        "sp_configure 'cost threshold for parallelism', 0",
        "reconfigure",
        "select value as id, value % 7 as g, replicate('x', 200) as c into wide from generate_series(1, 20000)",
        "set statistics profile on",
    ] {
        run(&mut one, text);
    }
    let query = "select g, count(*) as n from wide group by g option (maxdop 2)";
    let (told, messages) = at_first_row(&mut one, query, &mut other, COUNTS);
    assert_eq!(messages, "");
    assert!(told.contains(" | Parallelism | ") && told.contains(" Scan | 20000 | 0\n"), "{told}");
    assert_eq!(engine.sessions().len(), 2);
}

#[test]
fn without_statistics_operators_count_by_themselves_in_each_run_anew() {
    let (engine, mut one, mut other) = rig(false);
    run(&mut one, "set statistics profile off");
    let query = "select customer, max(amount) from orders group by customer order by 2";
    let first = at_first_row(&mut one, query, &mut other, COUNTS);
    assert!(first.0.contains(" | Clustered Index Scan | 3000 | 0\n") && first.0.contains(" | Sort | "), "{}", first.0);
    assert_eq!(at_first_row(&mut one, query, &mut other, COUNTS), first);
    // Another session has bound it since: its plan is not the one that runs.
    assert!(!run(&mut session(&engine), query).contains("Msg "));
    assert_eq!(at_first_row(&mut one, query, &mut other, COUNTS).0.lines().count(), 2);
}

#[test]
fn a_statement_that_failed_or_was_killed_is_gone() {
    let (_engine, mut one, mut other) = rig(false);
    // The sort fails at its last row; the handler has a statement of its own.
    let text = "begin try select 1 / (amount - 3000) as n into #n from orders order by customer, amount end try
        begin catch waitfor delay '00:00:00'; set statistics profile off; select 7 as seven end catch";
    let (told, messages) = at_first_row(&mut one, text, &mut other, COUNTS);
    assert_eq!(messages, "");
    assert!(
        told.contains(" | Constant Scan | NULL | 0\n") && !told.contains("Index Scan"),
        "the handler's own: {told}"
    );
    run(&mut one, "set statistics profile on");
    let id = run(&mut one, "set nocount on set statistics profile off select @@spid as id set statistics profile on");
    let id: i32 = id.lines().nth(1).and_then(|id| id.parse().ok()).unwrap_or_else(|| panic!("{id}"));
    let kill = format!("kill {id}");
    at_first_row(&mut one, "select amount from orders order by customer, amount", &mut other, &kill);
    drop(one);
    assert_eq!(
        run(
            &mut other,
            "set nocount on select count(*) as n from sys.dm_exec_query_profiles where session_id <> @@spid"
        ),
        "[n:int]\n0\n"
    );
}

#[test]
fn of_nested_statements_the_inmost_is_shown() {
    let (_engine, mut one, mut other) = rig(false);
    run(&mut one, "set statistics profile off");
    run(
        &mut one,
        "create procedure p as begin set nocount on; declare @n int; select @n = count(*) from customer; select id from customer order by name end",
    );
    run(&mut one, "set statistics profile on");
    let (told, messages) = at_first_row(&mut one, "exec p", &mut other, COUNTS);
    assert_eq!(messages, "");
    assert!(told.contains(" | Sort | ") && told.contains(" | Clustered Index Scan | 4 | 0\n"), "{told}");
}

#[test]
fn who_may_not_see_the_server_sees_an_error() {
    let (_engine, mut one, _other) = rig(false);
    run(&mut one, "set statistics profile off");
    run(&mut one, "create login reader with password = 'Aa1-Aa1-Aa1' create user reader");
    let told = run(&mut one, "execute as login = 'reader' select * from sys.dm_exec_query_profiles");
    assert!(told.contains("Msg 300, ") || told.contains("Msg 371, "), "{told}");
}

#[test]
fn two_hundred_readers_look_on_while_statements_begin_and_end() {
    let (engine, mut one, _other) = rig(false);
    let look = format!(
        "set nocount on select count(*) as n, max(row_count) as r from sys.dm_exec_query_profiles where session_id = {}",
        one.shared().id.0
    );
    let (ends, seen, done) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| {
                let mut reader = session(&engine);
                while !ends.load(Relaxed) {
                    let told = run(&mut reader, &look);
                    assert!(told.starts_with("[n:int | r:bigint]\n"), "{told}");
                    if !told.contains("\n0 | ") {
                        seen.fetch_add(1, Relaxed);
                    }
                    done.fetch_add(1, Relaxed);
                }
            });
        }
        let mut rounds = 0;
        while (rounds < 20 || done.load(Relaxed) < 400 || seen.load(Relaxed) == 0) && rounds < 5000 {
            for text in [
                "select count(*) from orders o join customer c on c.id = o.customer group by c.name",
                "select top 3 amount from orders order by customer, amount desc",
                "select 1 / (amount - 2999) from orders order by customer",
            ] {
                let told = run(&mut one, text);
                assert!(told.contains("Executes") || told.contains("Msg 8134"), "{told}");
            }
            rounds += 1;
        }
        ends.store(true, Relaxed);
    });
    assert!(seen.load(Relaxed) > 0, "somebody saw a statement run");
    // What was looked at is the session's alone again.
    let mut reader = session(&engine);
    assert_eq!(
        run(
            &mut reader,
            "set nocount on select count(*) as n from sys.dm_exec_query_profiles where session_id <> @@spid"
        ),
        "[n:int]\n0\n"
    );
}
