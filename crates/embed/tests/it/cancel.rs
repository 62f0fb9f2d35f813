//! Cancellation from other threads: of what runs, of what has just begun, of what waits for its reader, and of nothing.

use std::time::Duration;

use millpond_embedded::{Error, params};

use crate::connected;

#[test]
fn what_runs_is_cancelled() {
    let (_instance, mut connection) = connected();
    let canceller = connection.canceller();
    let cancelling = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        canceller.cancel();
    });
    // One that is not heeded ends after a day, and then well.
    let ended = connection.execute("waitfor delay '23:59:59'", params![]);
    cancelling.join().unwrap();
    assert!(matches!(ended, Err(Error::Cancelled)), "{ended:?}");
    assert_eq!(connection.query_value::<i32>("select 1", params![]).unwrap(), 1);
}

#[test]
fn a_cancellation_right_after_the_beginning_is_not_lost() {
    let (_instance, mut connection) = connected();
    let canceller = connection.canceller();
    for _ in 0..200 {
        let results = connection.run("waitfor delay '00:10:00'", params![]);
        canceller.cancel();
        assert!(matches!(results.finish(), Err(Error::Cancelled)));
    }
}

#[test]
fn a_cancellation_of_nothing_is_for_nothing() {
    let (_instance, mut connection) = connected();
    let canceller = connection.canceller();
    for number in 0..200 {
        canceller.cancel();
        assert_eq!(connection.query_value::<i32>("select @p1", params![number]).unwrap(), number);
    }
}

#[test]
fn what_waits_for_its_reader_is_cancelled_too() {
    let (_instance, mut connection) = connected();
    let canceller = connection.canceller();
    let mut rows = connection.query("select value from generate_series(1, 100000000)", params![]).unwrap();
    assert!(rows.next().unwrap().is_ok());
    std::thread::sleep(Duration::from_millis(100));
    canceller.cancel();
    let last = rows.by_ref().last().unwrap();
    assert!(matches!(last, Err(Error::Cancelled)));
    assert!(rows.next().is_none());
}

#[test]
fn a_transaction_outlives_a_cancellation() {
    let (_instance, mut connection) = connected();
    connection.execute("create table lily (id int)", params![]).unwrap();
    let canceller = connection.canceller();
    let mut transaction = connection.begin().unwrap();
    transaction.execute("insert lily values (1)", params![]).unwrap();
    let results = transaction.run("waitfor delay '00:10:00'", params![]);
    canceller.cancel();
    assert!(matches!(results.finish(), Err(Error::Cancelled)));
    transaction.commit().unwrap();
    assert_eq!(connection.query_value::<i32>("select count(*) from lily", params![]).unwrap(), 1);
}

#[test]
fn a_shutdown_ends_what_runs_and_what_nobody_reads() {
    let (instance, mut connection) = connected();
    let mut unread = instance.connect().unwrap();
    let mut rows = unread.query("select value from generate_series(1, 100000000)", params![]).unwrap();
    assert!(rows.next().unwrap().is_ok());
    let waiting = std::thread::spawn(move || {
        let failed = connection.execute("waitfor delay '00:10:00'", params![]);
        (failed, connection.execute("select 1", params![]))
    });
    std::thread::sleep(Duration::from_millis(200));
    let again = instance.clone();
    instance.shutdown().unwrap();
    let (failed, after) = waiting.join().unwrap();
    assert_eq!(failed.unwrap_err().number(), Some(6005));
    assert!(matches!(after, Err(Error::Ended)));
    assert_eq!(rows.last().unwrap().unwrap_err().number(), Some(6005));
    assert!(matches!(again.connect(), Err(Error::Ended)));
    again.shutdown().unwrap();
}

#[test]
fn a_request_that_comes_while_its_session_ends_is_over_at_once() {
    let (instance, _connection) = connected();
    for _ in 0..100 {
        let mut connection = instance.connect().unwrap();
        let kill = format!("kill {}", connection.session_id());
        instance.connect().unwrap().execute(&kill, params![]).unwrap();
        // The first one ends the session; the second one finds its thread on the way out, or gone.
        assert_eq!(connection.execute("select 1", params![]).unwrap_err().number(), Some(596));
        assert!(matches!(connection.run("select 1", params![]).finish(), Err(Error::Ended)));
        connection.canceller().cancel();
    }
}
