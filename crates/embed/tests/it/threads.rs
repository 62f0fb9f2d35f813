//! Many threads over one instance.

use std::thread;

use millpond_embedded::{Connection, Instance, params};

use crate::connected;

#[test]
fn sixty_four_threads_lose_nothing() {
    const THREADS: i32 = 64;
    const ROUNDS: i32 = 20;
    let (instance, mut connection) = connected();
    connection.execute("create table lily (id int primary key, seen int not null)", params![]).unwrap();
    connection.execute("insert lily values (0, 0)", params![]).unwrap();
    thread::scope(|scope| {
        for number in 1..=THREADS {
            let instance = &instance;
            scope.spawn(move || {
                let mut own = instance.connect().unwrap();
                for round in 0..ROUNDS {
                    let mut transaction = own.begin().unwrap();
                    let id = number * 1000 + round;
                    transaction.execute("insert lily values (@p1, @p2)", params![id, number]).unwrap();
                    transaction.execute("update lily set seen += 1 where id = 0", params![]).unwrap();
                    transaction.commit().unwrap();
                    let seen: i32 = own.query_value("select seen from lily where id = @p1", params![id]).unwrap();
                    assert_eq!(seen, number);
                }
            });
        }
    });
    let row = connection.query_row("select count(*), max(case id when 0 then seen end) from lily", params![]);
    let row = row.unwrap().unwrap();
    assert_eq!((row.get::<i32>(0).unwrap(), row.get::<i32>(1).unwrap()), (THREADS * ROUNDS + 1, THREADS * ROUNDS));
    let sessions = "select count(*) from sys.dm_exec_sessions where is_user_process = 1";
    assert_eq!(connection.query_value::<i32>(sessions, params![]).unwrap(), 1);
}

#[test]
fn a_deadlock_has_one_victim() {
    let (instance, mut connection) = connected();
    connection
        .execute("create table lily (id int primary key, n int) insert lily values (1, 0), (2, 0)", params![])
        .unwrap();
    let barrier = std::sync::Barrier::new(2);
    let outcomes: Vec<Option<i32>> = thread::scope(|scope| {
        let run = |first: i32, second: i32| {
            let (instance, barrier) = (&instance, &barrier);
            scope.spawn(move || {
                let mut own = instance.connect().unwrap();
                let mut transaction = own.begin().unwrap();
                transaction.execute("update lily set n += 1 where id = @p1", params![first]).unwrap();
                barrier.wait();
                let changed = transaction.execute("update lily set n += 1 where id = @p1", params![second]);
                match changed {
                    Ok(_) => transaction.commit().map(|()| None).unwrap(),
                    Err(error) => error.number(),
                }
            })
        };
        let both = [run(1, 2), run(2, 1)];
        both.map(|thread| thread.join().unwrap()).into()
    });
    assert!(outcomes.contains(&None) && outcomes.contains(&Some(1205)), "{outcomes:?}");
    assert_eq!(connection.query_value::<i32>("select sum(n) from lily", params![]).unwrap(), 2);
}

#[test]
fn instances_and_connections_go_between_threads() {
    fn sent<T: Send + 'static>() {}
    fn shared<T: Sync>() {}
    sent::<Instance>();
    shared::<Instance>();
    sent::<Connection>();
    sent::<millpond_embedded::Row>();
    sent::<millpond_embedded::Error>();
    sent::<millpond_embedded::Canceller>();
    shared::<millpond_embedded::Canceller>();
    let (_instance, mut connection) = connected();
    connection.execute("create table #t (id int)", params![]).unwrap();
    let mut connection = thread::spawn(move || {
        connection.execute("insert #t values (1)", params![]).unwrap();
        connection
    })
    .join()
    .unwrap();
    assert_eq!(connection.query_value::<i32>("select count(*) from #t", params![]).unwrap(), 1);
}
