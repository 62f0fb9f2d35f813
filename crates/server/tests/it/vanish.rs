//! Clients that go away, stop or kill while a request waits for long: it is watched by its socket, and what its transaction
//! did is undone.

use std::time::Duration;

use crate::client::{connect, events, row, server, until};
use millpond_tds::Event;
use millpond_tds::token::DoneStatus;

#[test]
fn an_attention_ends_a_request_that_waits_for_long_again_and_again() {
    let server = server();
    let (mut client, mut other) = (connect(&server), connect(&server));
    let id = row(&mut client, "select @@spid");
    for _ in 0..3 {
        let mut answer = client.batch("raiserror('runs', 0, 1) with nowait; waitfor delay '10:00:00'").unwrap();
        answer.next().unwrap().unwrap();
        // By now it is watched by its socket alone.
        let waits =
            format!("select count(*) from sys.dm_exec_requests where session_id = {id} and wait_type = 'WAITFOR'");
        until(|| row(&mut other, &waits) == "1");
        std::thread::sleep(Duration::from_millis(60));
        answer.attention().unwrap();
        let last = answer.map(|event| event.unwrap()).last().unwrap();
        let Event::Done(done) = last else { panic!("{last:?}") };
        assert!(done.status.contains(DoneStatus::ATTENTION));
        assert_eq!(row(&mut client, "select 7"), "7");
    }
}

#[test]
fn a_client_that_goes_while_its_request_waits_leaves_nothing() {
    let server = server();
    let mut other = connect(&server);
    events(&mut other, "create database shop");
    events(&mut other, "use shop; create table t (id int primary key, n int); insert t values (1, 1)");
    for _ in 0..3 {
        let mut client = connect(&server);
        events(&mut client, "use shop; begin transaction; alter table t add extra int; create table u (a int)");
        let id: u16 = row(&mut client, "select @@spid").parse().unwrap();
        let mut answer = client.batch("raiserror('runs', 0, 1) with nowait; waitfor delay '10:00:00'").unwrap();
        answer.next().unwrap().unwrap();
        std::thread::sleep(Duration::from_millis(60));
        drop(client);
        until(|| server.engine().session(id).is_none());
        assert_eq!(row(&mut other, "select count(*) from sys.columns where object_id = object_id('t')"), "2");
        assert_eq!(row(&mut other, "select count(*) from sys.tables"), "1");
        assert_eq!(row(&mut other, "insert t values (2, 2); delete t where id = 2; select n from t"), "1");
    }
}

#[test]
fn kill_ends_a_request_that_waits_for_long() {
    let server = server();
    let (mut one, mut other) = (connect(&server), connect(&server));
    events(&mut other, "create database shop");
    events(&mut other, "use shop; begin transaction; create table u (a int)");
    let id: u16 = row(&mut other, "select @@spid").parse().unwrap();
    let mut answer = other.batch("raiserror('runs', 0, 1) with nowait; waitfor delay '10:00:00'").unwrap();
    answer.next().unwrap().unwrap();
    std::thread::sleep(Duration::from_millis(60));
    events(&mut one, &format!("kill {id}"));
    until(|| server.engine().session(id).is_none());
    assert_eq!(row(&mut one, "use shop; select count(*) from sys.tables"), "0");
}
