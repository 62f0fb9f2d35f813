//! Names in open transactions: whoever wants a name that another transaction has made, dropped, renamed or altered waits
//! for its end, and then sees what came of it.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session, until_waiting};

fn shop(engine: &Arc<Engine>, options: &str) -> Session {
    let mut one = session(engine);
    assert_eq!(run(&mut one, &format!("set nocount on use shop {options}")), "");
    one
}

fn world() -> Arc<Engine> {
    let engine = engine();
    assert_eq!(run(&mut session(&engine), "create database shop"), "");
    engine
}

/// Two sessions, the second of which does not wait.
fn impatient() -> (Session, Session) {
    let engine = world();
    (shop(&engine, ""), shop(&engine, "set lock_timeout 0"))
}

/// Runs a text on a thread of its own.
fn start(mut session: Session, text: &str) -> JoinHandle<(Session, String)> {
    let text = text.to_owned();
    thread::spawn(move || {
        let said = run(&mut session, &text);
        (session, said)
    })
}

/// Of each kind of object: how it is made, dropped and used, and what is said where it is not there.
const OBJECTS: [(&str, &str, &str, i32); 8] = [
    ("create table o (a int constraint oc check (a > 0))", "drop table o", "select a from o", 208),
    ("exec ('create view o as select 1 as a')", "drop view o", "select a from o", 208),
    ("exec ('create procedure o as return 0')", "drop procedure o", "exec o", 2812),
    (
        "exec ('create function o (@a int) returns int as begin return @a end')",
        "drop function o",
        "declare @a int = dbo.o (1)",
        4121,
    ),
    (
        "exec ('create function o () returns table as return select 1 as a')",
        "drop function o",
        "select a from o ()",
        208,
    ),
    ("create sequence o as int", "drop sequence o", "declare @a int = next value for o", 208),
    ("create synonym o for base", "drop synonym o", "select a from o", 208),
    ("create type o from int", "drop type o", "declare @a o", 2715),
];

fn is_blocked(session: &mut Session, text: &str) {
    let said = run(session, text);
    assert!(said.starts_with("Msg 1222"), "{text}: {said}");
}

fn is_refused(session: &mut Session, text: &str, number: i32) {
    let said = run(session, text);
    assert!(said.contains(&format!("Msg {number}")), "{text}: {said}");
}

fn is_done(session: &mut Session, text: &str) {
    let said = run(session, text);
    assert!(!said.contains("Msg "), "{text}: {said}");
}

#[test]
fn a_name_that_is_being_made_is_nobodys_and_not_free() {
    for (make, drop, used, number) in OBJECTS {
        let (mut one, mut two) = impatient();
        is_done(&mut one, "create table base (a int)");
        is_done(&mut one, &format!("begin transaction {make}"));
        for text in [make, drop, used] {
            is_blocked(&mut two, text);
        }
        // To himself it is there.
        is_done(&mut one, used);
        is_done(&mut one, "rollback");
        is_refused(&mut two, used, number);
        is_done(&mut two, make);
        is_done(&mut two, used);
    }
}

#[test]
fn a_name_whose_drop_is_not_committed_is_not_free() {
    for (make, drop, used, number) in OBJECTS {
        let (mut one, mut two) = impatient();
        is_done(&mut one, "create table base (a int)");
        is_done(&mut one, make);
        for way in ["rollback", "commit"] {
            is_done(&mut one, &format!("begin transaction {drop}"));
            for text in [make, drop, used] {
                is_blocked(&mut two, text);
            }
            is_refused(&mut one, used, number);
            // Who dropped it makes it again.
            is_done(&mut one, make);
            is_done(&mut one, drop);
            is_done(&mut one, way);
            match way {
                "rollback" => is_done(&mut two, used),
                _ => is_refused(&mut two, used, number),
            }
        }
        is_done(&mut two, make);
    }
}

/// Names of constraints are in the same space; another kind of object may want them.
#[test]
fn names_of_constraints_are_kept_as_those_of_objects() {
    let (mut one, mut two) = impatient();
    is_done(&mut one, "create table t (a int constraint k check (a > 0), b int)");
    is_done(&mut one, "begin transaction alter table t drop constraint k");
    for text in ["create table k (a int)", "create sequence k", "exec sp_rename 'u', 'k'", "exec sp_rename 'k', 'l'"] {
        if text.contains("'u'") {
            is_done(&mut two, "create table u (a int)");
        }
        is_blocked(&mut two, text);
    }
    is_blocked(&mut two, "create table w (a int constraint k default 4)");
    is_blocked(&mut two, "alter table u add constraint k check (a > 1)");
    is_done(&mut one, "rollback");
    is_refused(&mut two, "create table k (a int)", 2714);
    is_done(&mut one, "begin transaction drop table t");
    is_blocked(&mut two, "create synonym k for u");
    is_done(&mut one, "commit");
    is_done(&mut two, "create synonym k for u");
}

#[test]
fn both_names_of_a_rename_are_kept() {
    let (mut one, mut two) = impatient();
    is_done(&mut one, "create table a (x int) insert a values (1)");
    is_done(&mut one, "begin transaction exec sp_rename 'a', 'b'");
    for text in
        ["select x from a", "select x from b", "create table a (x int)", "create table b (x int)", "drop table a"]
    {
        is_blocked(&mut two, text);
    }
    is_done(&mut one, "create table a (x int) select x from a select x from b rollback");
    assert_eq!(run(&mut two, "select x from a"), "[x:int]\n1\n");
    is_refused(&mut two, "select x from b", 208);
    // A swap, taken back.
    is_done(&mut one, "create table b (x int) insert b values (2) begin transaction");
    is_done(&mut one, "exec sp_rename 'a', 'c' exec sp_rename 'b', 'a' exec sp_rename 'c', 'b'");
    assert_eq!(run(&mut one, "select x from a rollback select x from a"), "[x:int]\n2\n[x:int]\n1\n");
    assert_eq!(run(&mut two, "select x from a select x from b"), "[x:int]\n1\n[x:int]\n2\n");
}

#[test]
fn a_schema_whose_drop_is_not_committed_keeps_its_name() {
    let (mut one, mut two) = impatient();
    is_done(&mut one, "exec ('create schema s')");
    is_done(&mut one, "begin transaction drop schema s");
    for text in ["exec ('create schema s')", "create table s.t (a int)", "drop schema s", "select a from s.t"] {
        is_blocked(&mut two, text);
    }
    is_done(&mut one, "rollback");
    is_done(&mut two, "create table s.t (a int)");
    is_done(&mut one, "create type s.y from int drop table s.t");
    is_refused(&mut two, "drop schema s", 3729);
    is_done(&mut one, "begin transaction create table v (a s.y)");
    is_blocked(&mut two, "drop type s.y");
    is_done(&mut one, "rollback");
    is_done(&mut two, "drop type s.y drop schema s");
}

/// A rollback brings back a column of the type, so the type stays as long as that may be.
#[test]
fn a_type_is_not_dropped_while_its_last_column_may_come_back() {
    for change in ["drop table t", "alter table t drop column a", "alter table t alter column a int"] {
        let (mut one, mut two) = impatient();
        is_done(&mut one, "create type y from int create table t (b int, a y) insert t values (1, 2)");
        is_done(&mut one, &format!("begin transaction {change}"));
        is_blocked(&mut two, "drop type y");
        is_done(&mut one, "rollback");
        is_refused(&mut two, "drop type y", 3732);
        assert_eq!(run(&mut two, "select a from t"), "[a:int]\n2\n");
        is_done(&mut one, &format!("begin transaction {change} drop type y commit"));
        is_refused(&mut two, "declare @a y", 2715);
    }
}

/// A name that is refused is not kept from others.
#[test]
fn a_refused_statement_keeps_no_name() {
    let (mut one, mut two) = impatient();
    is_done(&mut one, "create table t (a int) create type y from int create table u (a y)");
    is_refused(&mut one, "begin transaction create table t (a int)", 2714);
    is_refused(&mut one, "begin transaction drop type y", 3732);
    is_refused(&mut one, "exec sp_rename 'u', 't'", 15335);
    is_done(&mut two, "select a from t declare @a y");
    is_done(&mut one, "commit");
}

/// What a waiter finds is what the other came to, whatever he had seen before.
#[test]
fn who_waited_sees_what_came_of_it() {
    for (change, end, wanted) in [
        ("drop table t", "rollback", "[a:int]\n1\n"),
        ("drop table t", "commit", "Msg 208, Level 16, State 1, Line 1: Invalid object name 't'.\n"),
        ("drop table t create table t (a int) insert t values (7)", "commit", "[a:int]\n7\n"),
        ("drop table t create table t (a int) insert t values (7)", "rollback", "[a:int]\n1\n"),
        ("exec sp_rename 't', 'u' create table t (a int)", "commit", "[a:int]\n"),
        ("alter table t add b int", "commit", "[a:int | b:int]\n1 | NULL\n"),
        ("alter table t add b int", "rollback", "[a:int]\n1\n"),
        ("drop table t exec ('create view t as select 5 as a')", "commit", "[a:int]\n5\n"),
    ] {
        for seen in [false, true] {
            let engine = world();
            let (mut one, mut two) = (shop(&engine, ""), shop(&engine, ""));
            is_done(&mut one, "create table t (a int) insert t values (1)");
            if seen {
                assert_eq!(run(&mut two, "select * from t"), "[a:int]\n1\n");
            }
            let said = run(&mut one, &format!("begin transaction {change}"));
            assert!(!said.contains("Msg "), "{change}: {said}");
            let waiting = start(two, "select * from t");
            until_waiting(&engine, 1);
            is_done(&mut one, end);
            assert_eq!(waiting.join().unwrap().1, wanted, "{change} {end} {seen}");
        }
    }
}

/// Who waits at a table's lock, and is bound to what the table was, begins again.
#[test]
fn a_statement_that_waited_for_a_table_is_bound_anew() {
    let texts = [
        ("select * from t where a = 1", "[a:int | b:int]\n1 | 3\n"),
        ("insert t (a) values (5) select * from t where a = 5", "[a:int | b:int]\n5 | 3\n"),
        ("update t set a = 6 select a from t", "[a:int]\n6\n"),
        ("declare @n int = (select max(a) from t) select @n as n", "[n:int]\n1\n"),
        ("if exists (select 1 from t where a = 1) print 'there'", "# there\n"),
    ];
    for (text, wanted) in texts {
        let engine = world();
        let (mut one, mut two) = (shop(&engine, ""), shop(&engine, ""));
        is_done(&mut one, "create table t (a int) insert t values (1)");
        is_done(&mut two, text);
        is_done(&mut one, "delete t insert t values (1)");
        is_done(&mut one, "begin transaction alter table t add b int not null default 3");
        let waiting = start(two, text);
        until_waiting(&engine, 1);
        is_done(&mut one, "commit");
        assert_eq!(waiting.join().unwrap().1, wanted, "{text}");
    }
}

#[test]
fn a_circle_of_names_is_a_deadlock() {
    let engine = world();
    let (mut one, mut two) = (shop(&engine, ""), shop(&engine, "set deadlock_priority low"));
    is_done(&mut one, "create table a (x int) create table b (x int)");
    is_done(&mut one, "begin transaction exec sp_rename 'a', 'a1'");
    is_done(&mut two, "begin transaction exec sp_rename 'b', 'b1'");
    let waiting = start(one, "select x from b commit");
    until_waiting(&engine, 1);
    let said = run(&mut two, "select x from a");
    assert!(said.starts_with("Msg 1205"), "{said}");
    assert_eq!(waiting.join().unwrap().1, "[x:int]\n");
    assert_eq!(run(&mut two, "select @@trancount as n select x from a1"), "[n:int]\n0\n[x:int]\n");
}

/// A function reads in the name of the session that calls it, which need not wait for itself.
#[test]
fn functions_see_the_names_that_their_callers_transaction_made() {
    let (mut one, _) = impatient();
    is_done(&mut one, "set lock_timeout 0 begin transaction create table t (a int) insert t values (4)");
    is_done(
        &mut one,
        "exec ('create function f () returns int as begin declare @a int = (select max(a) from t) return @a end')",
    );
    is_done(
        &mut one,
        "exec ('create function g () returns @r table (a int) as begin insert @r select dbo.f () return end')",
    );
    assert_eq!(run(&mut one, "select dbo.f () as f select a from g ()"), "[f:int]\n4\n[a:int]\n4\n");
    is_done(&mut one, "exec ('create procedure p as select a from t select dbo.f () as f')");
    assert_eq!(run(&mut one, "exec p rollback"), "[a:int]\n4\n[f:int]\n4\n");
}

/// A text is compiled before it runs; what is not settled then is left to the run.
#[test]
fn a_text_waits_where_it_comes_to_the_name() {
    let engine = world();
    let (mut one, two) = (shop(&engine, ""), shop(&engine, ""));
    is_done(&mut one, "begin transaction create table t (a int)");
    let waiting = start(two, "print 'before' select a from t print 'after'");
    until_waiting(&engine, 1);
    is_done(&mut one, "commit");
    assert_eq!(waiting.join().unwrap().1, "# before\n[a:int]\n# after\n");
}

/// Its makers and droppers have the table to themselves; so do those who switch it.
#[test]
fn a_trigger_holds_its_table() {
    let (mut one, mut two) = impatient();
    is_done(&mut one, "create table t (a int) insert t values (1)");
    let make = "exec ('create trigger g on t after update as print ''fired''')";
    let steps = [
        make,
        "exec ('alter trigger g on t after update as print ''again''')",
        "exec ('disable trigger g on t')",
        "exec ('enable trigger g on t')",
        "exec sp_rename 'g', 'h' exec sp_rename 'h', 'g'",
        "drop trigger g",
    ];
    for step in steps {
        is_done(&mut one, &format!("begin transaction {step}"));
        for text in ["select a from t", "update t set a = a", "exec sp_rename 't', 'u'", "drop table t", make] {
            is_blocked(&mut two, text);
        }
        is_done(&mut one, "commit");
        is_done(&mut two, "select a from t");
    }
    is_done(&mut two, "begin transaction update t set a = 2");
    is_done(&mut one, "set lock_timeout 0");
    is_blocked(&mut one, make);
    is_done(&mut two, "rollback");
    is_done(&mut one, make);
}

/// A change that was bound before a trigger was committed fires it.
#[test]
fn a_change_that_waited_for_a_trigger_fires_it() {
    let engine = world();
    let (mut one, mut two) = (shop(&engine, ""), shop(&engine, ""));
    is_done(&mut one, "create table t (a int) insert t values (1)");
    is_done(&mut two, "update t set a = 2");
    is_done(&mut one, "begin transaction exec ('create trigger g on t after update as print ''fired''')");
    let waiting = start(two, "update t set a = 2");
    until_waiting(&engine, 1);
    is_done(&mut one, "commit");
    assert_eq!(waiting.join().unwrap().1, "# fired\n");
}

/// A foreign key that may go back is nobody's reason to be refused.
#[test]
fn a_foreign_key_holds_the_table_that_it_refers_to() {
    let (mut one, mut two) = impatient();
    is_done(
        &mut one,
        "create table p (a int primary key) insert p values (1) create table c (a int) insert c values (1)",
    );
    let adds =
        ["alter table c add constraint f foreign key (a) references p (a)", "create table d (a int references p (a))"];
    for add in adds {
        is_done(&mut one, &format!("begin transaction {add}"));
        for text in ["drop table p", "delete p", "select a from p"] {
            is_blocked(&mut two, text);
        }
        is_done(&mut one, "rollback");
        is_done(&mut two, "begin transaction delete p rollback");
    }
    is_done(&mut one, adds[0]);
    is_refused(&mut two, "delete p", 547);
    is_done(&mut one, "begin transaction drop table c");
    is_blocked(&mut two, "drop table p");
    is_blocked(&mut two, "delete p");
    is_done(&mut one, "commit");
    is_done(&mut two, "delete p drop table p");
}

/// What was bound through a synonym holds as long as the synonym leads there.
#[test]
fn a_statement_that_was_bound_by_a_synonym_looks_again() {
    let (mut one, mut two) = impatient();
    is_done(&mut one, "create table a (x int) insert a values (1) create table b (x int) insert b values (2)");
    is_done(&mut one, "create synonym s for a");
    let text = "select x from s";
    assert_eq!(run(&mut two, text), "[x:int]\n1\n");
    is_done(&mut one, "drop synonym s create synonym s for b");
    assert_eq!(run(&mut two, text), "[x:int]\n2\n");
    is_done(&mut one, "drop synonym s");
    is_refused(&mut two, text, 208);
}

/// Definitions have no versions: a snapshot from before a change of one does not read the table any more.
#[test]
fn a_snapshot_does_not_read_a_table_that_was_altered_since() {
    for change in [
        "alter table t add b int not null default 5",
        "truncate table t",
        "create index i on t (a)",
        "exec sp_rename 't.a', 'c', 'column'",
        "drop table t create table t (a int) insert t values (3)",
        "drop table t select 3 as a into t",
        "exec sp_rename 't', 'v' create table t (a int)",
        "drop table t create table v (a int) exec sp_rename 'v', 't'",
    ] {
        let (mut one, mut two) = impatient();
        is_done(&mut one, "alter database shop set allow_snapshot_isolation on");
        is_done(&mut one, "create table t (a int) insert t values (1) create table u (a int) insert u values (1)");
        is_done(&mut two, "set transaction isolation level snapshot begin transaction select a from u");
        is_done(&mut one, "insert t values (2)");
        assert_eq!(run(&mut two, "select * from t"), "[a:int]\n1\n");
        is_done(&mut one, change);
        is_done(&mut one, "update statistics u");
        assert_eq!(run(&mut two, "select * from u"), "[a:int]\n1\n");
        let said = run(&mut two, "select count(*) as n from t");
        assert!(said.starts_with("Msg 3961, Level 16, State 1"), "{change}: {said}");
        assert_eq!(run(&mut two, "select @@trancount as n"), "[n:int]\n0\n");
        is_done(&mut two, "begin transaction select count(*) as n from t commit");
        // One's own change is no other's.
        is_done(&mut two, "begin transaction select a from u truncate table u");
        assert_eq!(run(&mut two, "select a from u commit"), "[a:int]\n");
        is_done(&mut two, "begin transaction create table w (a int) insert w values (1)");
        assert_eq!(run(&mut two, "select a from w commit"), "[a:int]\n1\n");
    }
}

/// A change that waits for a table which another session has locked whole has no lock of its definition meanwhile: the
/// other one goes on to change it, and nobody waits in a circle.
#[test]
fn a_change_that_waits_for_a_table_is_in_nobodys_way() {
    for text in [
        "insert t values (2, 2)",
        "insert t select a + 10, b from t",
        "update t set b = 7",
        "delete t",
        "merge t using (values (1)) s (a) on t.a = s.a when matched then update set b = 5;",
        "insert t output inserted.a values (3, 3)",
    ] {
        let engine = world();
        let (mut one, two) = (shop(&engine, ""), shop(&engine, ""));
        is_done(&mut one, "create table t (a int primary key, b int) insert t values (1, 1)");
        is_done(&mut one, "begin transaction select a from t with (tablockx)");
        let waiting = start(two, text);
        until_waiting(&engine, 1);
        is_done(&mut one, "alter table t add c int null alter table t drop column c truncate table t commit");
        let (_, said) = waiting.join().unwrap();
        assert!(!said.contains("Msg "), "{text}: {said}");
    }
}

#[test]
fn a_foreign_key_refers_to_the_table_that_has_the_name_once_its_wait_is_over() {
    for text in [
        "alter table child add constraint k foreign key (a) references parent (id)",
        "create table other (a int, constraint k foreign key (a) references parent (id))",
        "create table other (a int constraint k references parent (id))",
    ] {
        let engine = world();
        let (mut one, two) = (shop(&engine, ""), shop(&engine, ""));
        is_done(&mut one, "create table parent (id int primary key) create table child (a int)");
        is_done(&mut one, "begin transaction insert parent values (1)");
        let waiting = start(two, text);
        until_waiting(&engine, 1);
        is_done(&mut one, "exec sp_rename 'parent', 'former' commit");
        let (_, said) = waiting.join().unwrap();
        assert!(said.contains("Msg 1767"), "{text}: {said}");
        is_done(&mut one, "drop table former");
    }
}
