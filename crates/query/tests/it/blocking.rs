//! Two sessions on two threads: who waits for whom, and how the wait ends. No test looks at a clock: whether somebody
//! waits is asked of the lock manager.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use millpond_query::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session};

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

/// Until so many requests wait for locks. When none ever does, the test ends some day rather than never.
fn until_waiting(engine: &Arc<Engine>, count: usize) {
    for _ in 0..20_000 {
        if engine.txns().locks().waiting().len() >= count {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("nobody waits");
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
