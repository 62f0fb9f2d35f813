//! Temporary tables and procedures that all sessions see: which session waits for which, and when they go.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session, until_waiting};

/// A session with NOCOUNT.
fn user(engine: &Arc<Engine>) -> Session {
    let mut session = session(engine);
    assert_eq!(run(&mut session, "set nocount on"), "");
    session
}

/// Runs a text on a thread of its own.
fn start(mut session: Session, text: &'static str) -> JoinHandle<(Session, String)> {
    thread::spawn(move || {
        let said = run(&mut session, text);
        (session, said)
    })
}

const IS_THERE: &str = "select iif(object_id('tempdb..##t') is null, 'gone', 'there') as t";

#[test]
fn all_sessions_see_it_until_its_own_ends() {
    let engine = engine();
    let (mut one, mut two) = (user(&engine), user(&engine));
    assert_eq!(run(&mut one, "create table ##t (a int) insert ##t values (1)"), "");
    assert_eq!(run(&mut two, "insert ##t values (2) select a from ##t"), "[a:int]\n1\n2\n");
    assert_eq!(run(&mut one, "select count(*) as n from tempdb..##t"), "[n:int]\n2\n");
    assert!(run(&mut two, "create table ##t (b int)").contains("Msg 2714"));
    drop(one);
    assert_eq!(run(&mut two, IS_THERE), "[t:varchar(5)]\ngone\n");
    assert_eq!(run(&mut two, "create table ##t (b int) insert ##t values (3) select b from ##t"), "[b:int]\n3\n");
}

#[test]
fn another_session_may_drop_it() {
    let engine = engine();
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "create table ##t (a int)");
    assert_eq!(run(&mut two, "drop table ##t create table ##t (b int)"), "");
    // The new one is not of the session that made the old one.
    drop(one);
    assert_eq!(run(&mut two, "select count(*) as n from ##t"), "[n:int]\n0\n");
}

#[test]
fn a_reset_connection_gives_it_up() {
    let engine = engine();
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "create table ##t (a int)");
    one.reset(&mut crate::harness::Transcript::default()).expect("its database is there");
    assert_eq!(run(&mut two, IS_THERE), "[t:varchar(5)]\ngone\n");
}

#[test]
fn writers_wait_for_writers_of_the_same_row_alone() {
    let engine = engine();
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "create table ##t (id int primary key, v int) insert ##t values (1, 10), (2, 20)");
    run(&mut one, "begin tran update ##t set v = v + 1 where id = 1");
    assert_eq!(run(&mut two, "update ##t set v = 21 where id = 2 select v from ##t where id = 2"), "[v:int]\n21\n");
    let waiting = start(two, "update ##t set v = v * 2 where id = 1 select v from ##t where id = 1");
    until_waiting(&engine, 1);
    run(&mut one, "commit");
    let (_, said) = waiting.join().unwrap();
    assert_eq!(said, "[v:int]\n22\n");
}

#[test]
fn readers_wait_for_writers() {
    let engine = engine();
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "create table ##t (id int primary key, v int) insert ##t values (1, 10)");
    run(&mut one, "begin tran update ##t set v = 11 delete ##t where id = 7");
    assert_eq!(run(&mut two, "select v from ##t with (nolock)"), "[v:int]\n11\n");
    let waiting = start(two, "select v from ##t");
    until_waiting(&engine, 1);
    run(&mut one, "rollback");
    let (_, said) = waiting.join().unwrap();
    assert_eq!(said, "[v:int]\n10\n");
}

#[test]
fn a_table_that_is_being_made_is_waited_for() {
    let engine = engine();
    let (mut one, two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran create table ##t (a int) insert ##t values (1)");
    let waiting = start(two, "select a from ##t");
    until_waiting(&engine, 1);
    run(&mut one, "commit");
    let (two, said) = waiting.join().unwrap();
    assert_eq!(said, "[a:int]\n1\n");
    run(&mut one, "begin tran drop table ##t");
    let waiting = start(two, "create table ##t (b int) select b from ##t");
    until_waiting(&engine, 1);
    run(&mut one, "commit");
    let (_, said) = waiting.join().unwrap();
    assert_eq!(said, "[b:int]\n");
}

#[test]
fn a_session_that_vanishes_undoes_its_changes_and_its_tables_wait_for_others() {
    let engine = engine();
    let (mut one, mut two, mut three) = (user(&engine), user(&engine), user(&engine));
    run(&mut one, "create table ##t (id int primary key, v int) insert ##t values (1, 10), (2, 20)");
    run(&mut two, "begin tran update ##t set v = 0 where id = 1");
    run(&mut one, "begin tran update ##t set v = 0 where id = 2");
    drop(one);
    // The table is still in use, and so it is there.
    assert_eq!(run(&mut two, "select v from ##t where id = 2"), "[v:int]\n20\n");
    assert_eq!(run(&mut two, "commit"), "");
    assert_eq!(run(&mut three, IS_THERE), "[t:varchar(5)]\ngone\n");
}

#[test]
fn what_a_vanished_session_made_and_did_not_commit_is_not_there() {
    let engine = engine();
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "begin tran create table ##t (a int) insert ##t values (1)");
    drop(one);
    assert_eq!(run(&mut two, IS_THERE), "[t:varchar(5)]\ngone\n");
    assert!(run(&mut two, "select a from ##t").contains("Msg 208"));
}

#[test]
fn its_space_is_given_back() {
    let engine = engine();
    let used = || -> u64 {
        engine.instance().tempdb_space().report().iter().map(|file| file.reserved.iter().sum::<u64>()).sum()
    };
    let mut one = user(&engine);
    run(&mut one, "create table ##t (a int) drop table ##t");
    let before = used();
    run(
        &mut one,
        "select value as n, replicate('x', 500) as t, replicate(cast('y' as varchar(max)), 20000) as l into ##t from generate_series(1, 500)",
    );
    run(&mut one, "create index i on ##t (n) include (t) delete ##t where n % 3 = 0");
    assert!(used() > before);
    drop(one);
    let mut two = user(&engine);
    run(&mut two, "select 1 as a");
    assert_eq!(used(), before);
}

#[test]
fn procedures_are_called_by_all_and_go_with_their_session() {
    let engine = engine();
    let (mut one, mut two) = (user(&engine), user(&engine));
    run(&mut one, "create procedure ##p as select 5 as a");
    assert_eq!(run(&mut two, "exec ##p"), "[a:int]\n5\n");
    assert!(run(&mut two, "create procedure ##p as select 6 as a").contains("Msg 2714"));
    run(&mut two, "create or alter procedure ##p as select 6 as a");
    assert_eq!(run(&mut one, "exec ##p"), "[a:int]\n6\n");
    drop(one);
    assert!(run(&mut two, "exec ##p").contains("Msg 2812"));
}

#[test]
fn sessions_beside_each_other_lose_no_row() {
    let engine = engine();
    let mut one = user(&engine);
    run(&mut one, "create table ##t (id int identity primary key, v int not null, unique (v))");
    let adders: Vec<_> = (0..4)
        .map(|part| {
            let engine = Arc::clone(&engine);
            thread::spawn(move || {
                let mut own = user(&engine);
                for row in 0..100 {
                    let said = run(&mut own, &format!("insert ##t (v) values ({})", row * 4 + part));
                    assert_eq!(said, "");
                    if row % 10 == 9 {
                        run(&mut own, &format!("begin tran delete ##t where v = {} rollback", row * 4 + part));
                    }
                }
            })
        })
        .collect();
    adders.into_iter().for_each(|adder| adder.join().unwrap());
    assert_eq!(run(&mut one, "select count(*) as n, sum(v) as v from ##t"), "[n:int | v:int]\n400 | 79800\n");
}
