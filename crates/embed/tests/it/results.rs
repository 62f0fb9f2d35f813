//! Result sets, messages and counts one after the other; rows as they come; transactions.

use std::time::Duration;

use millpond_embedded::{Row, params};

use crate::connected;

fn numbers(rows: impl Iterator<Item = Result<Row, millpond_embedded::Error>>) -> Vec<i32> {
    rows.map(|row| row.unwrap().get(0).unwrap()).collect()
}

#[test]
fn sets_and_messages_come_one_after_the_other() {
    let (_instance, mut connection) = connected();
    let text = "print 'first' select 1 as a union all select 2 print 'second' \
                create table #t (id int) insert #t values (1), (2), (3) delete #t where id = 1 \
                select id as b from #t where 1 = 0 select 4 as c, 5 as d";
    let mut results = connection.run(text, params![]);
    let mut set = results.next_set().unwrap().unwrap();
    assert_eq!(set.columns()[0].name, "a");
    assert_eq!(numbers(&mut set), [1, 2]);
    assert!(set.next().is_none());
    let said: Vec<&str> = results.outcome().messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(said, ["first"]);
    let set = results.next_set().unwrap().unwrap();
    assert_eq!(set.columns()[0].name, "b");
    assert_eq!(numbers(set), [0_i32; 0]);
    let set = results.next_set().unwrap().unwrap();
    assert_eq!(set.columns().len(), 2);
    assert_eq!(numbers(set), [4]);
    assert!(results.next_set().unwrap().is_none());
    let outcome = results.finish().unwrap();
    assert_eq!(outcome.rows_affected, 4);
    assert_eq!(outcome.messages.len(), 2);
    assert_eq!((outcome.messages[1].number, outcome.messages[1].severity), (0, 0));
}

#[test]
fn sets_that_are_not_read_are_passed_over() {
    let (_instance, mut connection) = connected();
    let mut results = connection.run("select value from generate_series(1, 5000) select 7", params![]);
    assert!(results.next_set().unwrap().unwrap().next().is_some());
    assert_eq!(numbers(results.next_set().unwrap().unwrap()), [7]);
}

#[test]
fn counts_are_those_of_changes() {
    let (_instance, mut connection) = connected();
    connection.execute("create table lily (id int primary key)", params![]).unwrap();
    let inserted = connection.execute("insert lily select value from generate_series(1, @p1)", params![10]).unwrap();
    assert_eq!(inserted.rows_affected, 10);
    assert_eq!(connection.execute("select * from lily", params![]).unwrap().rows_affected, 0);
    assert_eq!(connection.execute("update lily set id = -id where id > 7", params![]).unwrap().rows_affected, 3);
    assert_eq!(connection.execute("set nocount on delete lily", params![]).unwrap().rows_affected, 0);
}

#[test]
fn rows_come_while_the_statement_runs() {
    let (_instance, mut connection) = connected();
    // Read as a whole this would take weeks, and more memory than there is.
    let rows = connection
        .query("select value from generate_series(cast(1 as bigint), cast(4000000000000 as bigint))", params![]);
    let first: Vec<i64> = rows.unwrap().take(5000).map(|row| row.unwrap().get(0).unwrap()).collect();
    assert_eq!((first[0], first[4999]), (1, 5000));
    // Dropped, it was cancelled, and the connection goes on.
    assert_eq!(connection.query_value::<i32>("select 1", params![]).unwrap(), 1);
}

#[test]
fn who_does_not_read_stops_who_runs() {
    let (instance, mut connection) = connected();
    let text = "select value from generate_series(cast(1 as bigint), cast(4000000000000 as bigint))";
    let id = connection.session_id();
    let mut rows = connection.query(text, params![]).unwrap();
    assert!(rows.next().is_some());
    let mut watcher = instance.connect().unwrap();
    let sent = format!("select row_count from sys.dm_exec_requests where session_id = {id}");
    let cpu = format!("select cpu_time from sys.dm_exec_sessions where session_id = {id}");
    std::thread::sleep(Duration::from_millis(300));
    let before: i32 = watcher.query_value(&cpu, params![]).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let after: i32 = watcher.query_value(&cpu, params![]).unwrap();
    assert!(after - before < 250, "it ran on: {before} ms, {after} ms");
    assert!(watcher.query_row(&sent, params![]).unwrap().is_some());
    assert_eq!(rows.nth(9998).unwrap().unwrap().get::<i64>(0).unwrap(), 10_000);
}

#[test]
fn a_transaction_is_kept_or_undone() {
    let (instance, mut connection) = connected();
    connection.execute("create table lily (id int primary key)", params![]).unwrap();
    let mut kept = connection.begin().unwrap();
    kept.execute("insert lily values (1)", params![]).unwrap();
    kept.commit().unwrap();
    let mut undone = connection.begin().unwrap();
    undone.execute("insert lily values (2)", params![]).unwrap();
    undone.rollback().unwrap();
    let mut dropped = connection.begin().unwrap();
    dropped.execute("insert lily values (3)", params![]).unwrap();
    drop(dropped);
    let mut ended = connection.begin().unwrap();
    ended.execute("rollback", params![]).unwrap();
    assert_eq!(ended.commit().unwrap_err().number(), Some(3902));
    // What another connection has open goes with it.
    let mut other = instance.connect().unwrap();
    other.execute("begin transaction insert lily values (4)", params![]).unwrap();
    drop(other);
    assert_eq!(numbers(connection.query("select id from lily", params![]).unwrap()), [1]);
    assert_eq!(connection.query_value::<i32>("select @@trancount", params![]).unwrap(), 0);
}

#[test]
fn a_connection_has_its_session_to_itself() {
    let (instance, mut connection) = connected();
    connection.execute("create table #mine (id int) set nocount on use tempdb", params![]).unwrap();
    connection.execute("insert #mine values (1)", params![]).unwrap();
    assert_eq!(connection.query_value::<String>("select db_name()", params![]).unwrap(), "tempdb");
    let mut other = instance.connect().unwrap();
    assert_eq!(other.execute("select * from #mine", params![]).unwrap_err().number(), Some(208));
    let spid: i16 = connection.query_value("select @@spid", params![]).unwrap();
    assert_eq!(spid, i16::try_from(connection.session_id()).unwrap());
}
