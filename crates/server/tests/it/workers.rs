//! `max worker threads`: so many requests run, the others wait in line, and no session that blocks others waits.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use millpond_server::Server;
use millpond_tds::Event;
use millpond_tds::token::DoneStatus;

use crate::client::{Connection, connect, events, lines_of, row, server};

/// The least that the option can be.
const WORKERS: usize = 128;

/// Until the query gives the number. When it never does, the test ends some day rather than never.
fn until(client: &mut Connection, query: &str, wanted: &str) {
    for _ in 0..6000 {
        if row(client, query) == wanted {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{query} never gives {wanted}");
}

/// Until so many requests have ended.
fn until_ended(ended: &AtomicUsize, count: usize) {
    for _ in 0..6000 {
        if ended.load(Relaxed) >= count {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("not {count} have ended");
}

const BLOCKED: &str = "select count(*) from sys.dm_exec_requests where wait_type like 'LCK%'";
const IN_LINE: &str = "select count(*) from sys.dm_os_waiting_tasks where wait_type = 'THREADPOOL'";

fn limited() -> Server {
    let server = server();
    let mut client = connect(&server);
    events(&mut client, "exec sp_configure 'show advanced options', 1 reconfigure");
    events(&mut client, &format!("exec sp_configure 'max worker threads', {WORKERS} reconfigure"));
    events(&mut client, "create table t (id int primary key, v int) insert t values (1, 0)");
    server
}

#[test]
fn a_session_that_blocks_others_never_waits_for_a_worker() {
    let server = limited();
    let ended = AtomicUsize::new(0);
    let mut holder = thread::scope(|scope| {
        // Within: when a look fails, the holder goes and with it what the others wait for.
        let mut holder = connect(&server);
        events(&mut holder, "begin tran update t set v = v + 1 where id = 1");
        let mut clients: Vec<Connection> = (0..WORKERS + 4).map(|_| connect(&server)).collect();
        let mut late: Vec<Connection> = clients.split_off(WORKERS);
        for mut client in clients {
            let ended = &ended;
            scope.spawn(move || {
                events(&mut client, "update t set v = v + 1 where id = 1");
                ended.fetch_add(1, Relaxed);
            });
        }
        until(&mut holder, BLOCKED, &WORKERS.to_string());
        let killer = late.pop().expect("four");
        let mut stopped = late.pop().expect("three");
        for mut client in late {
            let ended = &ended;
            scope.spawn(move || {
                assert_eq!(row(&mut client, "select 7"), "7");
                ended.fetch_add(1, Relaxed);
            });
        }
        until(&mut holder, IN_LINE, "2");
        // An attention takes a request out of the line.
        let mut request = stopped.batch("select 8").expect("it is sent");
        until(&mut holder, IN_LINE, "3");
        request.attention().expect("it is sent");
        let end = request.find_map(|event| match event.expect("an answer") {
            Event::Done(done) if done.status.contains(DoneStatus::ATTENTION) => Some(done),
            Event::Row(_) => panic!("it never ran"),
            _ => None,
        });
        assert!(end.is_some(), "the attention is acknowledged");
        until(&mut holder, IN_LINE, "2");
        // A KILL needs no place.
        let victim =
            row(&mut holder, "select top (1) session_id from sys.dm_exec_requests where wait_type like 'LCK%'");
        let mut killer = killer;
        assert!(
            !lines_of(&events(&mut killer, &format!("kill {victim}"))).iter().any(|line| line.starts_with("error"))
        );
        until(&mut holder, BLOCKED, &(WORKERS - 1).to_string());
        // The place of the one that was killed goes to the line.
        until(&mut holder, IN_LINE, "0");
        until_ended(&ended, 2);
        events(&mut holder, "commit");
        assert_eq!(row(&mut stopped, "select 9"), "9", "it goes on after its attention");
        holder
    });
    assert_eq!(row(&mut holder, "select v from t"), WORKERS.to_string(), "all but the killed, and the holder");
    let waits = "select waiting_tasks_count from sys.dm_os_wait_stats where wait_type = 'THREADPOOL'";
    assert!(row(&mut holder, waits).parse::<u64>().expect("a number") >= 3);
    drop(holder);
    server.stop().unwrap();
}

/// One place is left: a client that asks again and again gives it to the others after each request.
#[test]
fn a_client_without_pauses_does_not_keep_its_worker() {
    let server = limited();
    let ended = AtomicUsize::new(0);
    thread::scope(|scope| {
        let mut holder = connect(&server);
        events(&mut holder, "begin tran update t set v = v + 1 where id = 1");
        for _ in 1..WORKERS {
            let mut client = connect(&server);
            scope.spawn(move || events(&mut client, "update t set v = v + 1 where id = 1"));
        }
        until(&mut holder, BLOCKED, &(WORKERS - 1).to_string());
        let mut other = connect(&server);
        let ended = &ended;
        for _ in 0..2 {
            let mut busy = connect(&server);
            scope.spawn(move || {
                let asks = |_: &u32| {
                    assert_eq!(row(&mut busy, "select 6"), "6");
                    ended.load(Relaxed) == 0
                };
                assert!((0..6000).take_while(asks).count() < 6000, "the other one was served only after the end");
            });
        }
        for _ in 0..10 {
            assert_eq!(row(&mut other, "select 7"), "7");
        }
        ended.fetch_add(1, Relaxed);
        events(&mut holder, "commit");
    });
    server.stop().unwrap();
}
