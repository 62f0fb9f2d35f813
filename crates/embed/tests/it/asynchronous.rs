//! The async face: on tokio, and without any runtime.

use futures::executor::block_on;
use millpond_embedded::{Error, Instance, Options, params};

use crate::memory;

fn small() -> Options {
    Options::new().memory_max_mb(256)
}

#[tokio::test(flavor = "current_thread")]
async fn requests_of_one_task_leave_the_thread_to_others() {
    let instance = Instance::open_async(small()).await.unwrap();
    let mut slow = instance.connect_async().await.unwrap();
    let mut quick = instance.connect_async().await.unwrap();
    // On one thread both run at once, or neither ends.
    quick.execute("create table lily (id int)", params![]).await.unwrap();
    let waiting =
        async { slow.execute("while not exists (select * from lily) waitfor delay '00:00:00.010'", params![]).await };
    let filling = async { quick.execute("insert lily values (1)", params![]).await };
    let (waited, filled) = futures::join!(waiting, filling);
    waited.unwrap();
    assert_eq!(filled.unwrap().rows_affected, 1);
    slow.close().await;
    quick.close().await;
    instance.shutdown_async().await.unwrap();
}

#[test]
fn it_needs_no_runtime() {
    let instance = memory();
    let sum = block_on(async {
        let mut connection = instance.connect_async().await.unwrap();
        let mut rows = connection.query("select value from generate_series(1, @p1)", params![5000]).await.unwrap();
        let mut sum = 0;
        while let Some(row) = rows.next().await.unwrap() {
            sum += row.get::<i32>(0).unwrap();
        }
        sum
    });
    assert_eq!(sum, 5000 * 5001 / 2);
}

#[tokio::test]
async fn a_future_that_is_dropped_cancels_its_request() {
    let instance = memory();
    let mut connection = instance.connect_async().await.unwrap();
    let within = std::time::Duration::from_millis(100);
    let timed = tokio::time::timeout(within, connection.execute("waitfor delay '00:10:00'", params![])).await;
    assert!(timed.is_err());
    assert_eq!(connection.query_value::<i32>("select 1", params![]).await.unwrap(), 1);
}

#[tokio::test]
async fn sets_and_transactions_are_those_of_the_other_face() {
    let instance = memory();
    let mut connection = instance.connect_async().await.unwrap();
    connection.execute("create table lily (id int)", params![]).await.unwrap();
    let mut transaction = connection.begin().await.unwrap();
    transaction.execute("insert lily values (1)", params![]).await.unwrap();
    transaction.commit().await.unwrap();
    let mut dropped = connection.begin().await.unwrap();
    dropped.execute("insert lily values (2)", params![]).await.unwrap();
    drop(dropped);
    let mut undone = connection.begin().await.unwrap();
    undone.execute("insert lily values (3)", params![]).await.unwrap();
    undone.rollback().await.unwrap();
    let mut results = connection.run("print 'x' select id from lily select @@trancount", params![]);
    let mut found = Vec::new();
    while let Some(mut set) = results.next_set().await.unwrap() {
        while let Some(row) = set.next().await.unwrap() {
            found.push(row.get::<i32>(0).unwrap());
        }
    }
    assert_eq!(found, [1, 0]);
    assert_eq!(results.outcome().messages[0].text, "x");
    results.finish().await.unwrap();
    let failed = connection.execute("select 1 / 0", params![]).await;
    assert_eq!(failed.unwrap_err().number(), Some(8134));
    let canceller = connection.canceller();
    let (failed, ()) = futures::join!(connection.execute("waitfor delay '00:10:00'", params![]), async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        canceller.cancel();
    });
    assert!(matches!(failed, Err(Error::Cancelled)));
}

#[tokio::test]
async fn the_waiting_face_may_be_used_inside_a_runtime_and_a_listener_too() {
    let instance = memory();
    let mut connection = instance.connect().unwrap();
    assert_eq!(connection.query_value::<i32>("select 1", params![]).unwrap(), 1);
    let listener = instance.listen(&millpond_embedded::ListenOptions::new("Lily pond 7")).unwrap();
    assert_ne!(listener.address().port(), 0);
    drop(listener);
    assert_eq!(connection.into_async().query_value::<i32>("select 2", params![]).await.unwrap(), 2);
    instance.shutdown().unwrap();
}
