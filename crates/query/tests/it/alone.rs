//! A database that goes offline, is restored, dropped or detached while sessions of other databases use it by its name: a statement
//! is done as a whole, or says that the database cannot be had; nothing of it is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session, until_waiting};

/// What a session may hear of a database that is being closed: it is in transition, offline, restored, for another session alone or gone;
/// the session is killed.
const MAY_SAY: [&str; 8] = ["Msg 942", "Msg 952", "Msg 927", "Msg 924", "Msg 911", "Msg 596", "Msg 4060", "Msg 208"];

/// Runs a text again and again until it is told to stop: how often it said nothing of a failure, and how often its session was killed, which may
/// have been before its end or after.
fn user(engine: &Arc<Engine>, is_over: &Arc<AtomicBool>, text: &'static str) -> thread::JoinHandle<(i64, i64)> {
    let (engine, is_over) = (Arc::clone(engine), Arc::clone(is_over));
    thread::spawn(move || {
        let (mut one, mut done, mut killed) = (session(&engine), 0, 0);
        while !is_over.load(SeqCst) {
            let said = run(&mut one, text);
            // A session that is killed may say nothing at all.
            if said.contains("rows affected") && !said.contains("Msg ") {
                done += 1;
            }
            for line in said.lines().filter(|line| line.starts_with("Msg ")) {
                assert!(MAY_SAY.iter().any(|known| line.starts_with(known)), "{text}: {said}");
            }
            killed += i64::from(one.shared().is_killed());
            if one.shared().is_killed() || one.facts().database.0 != 1 {
                one = session(&engine);
            }
        }
        (done, killed)
    })
}

/// Runs a text on a thread of its own.
fn beside(mut one: Session, text: &'static str) -> thread::JoinHandle<(Session, String)> {
    thread::spawn(move || {
        let said = run(&mut one, text);
        (one, said)
    })
}

/// A session that has said all this without an error.
fn told(engine: &Arc<Engine>, texts: &[&str]) -> Session {
    let mut one = session(engine);
    for text in texts {
        let said = run(&mut one, text);
        assert!(!said.contains("Msg"), "{text}: {said}");
    }
    one
}

fn shop(engine: &Arc<Engine>) -> Session {
    let mut one = session(engine);
    let made = "create database shop alter database shop set query_store = on (query_capture_mode = all)
        create table shop.dbo.t (id int primary key, v int) create index v on shop.dbo.t (v)
        insert shop.dbo.t select value, 0 from generate_series(1, 50)";
    let said = run(&mut one, made);
    assert!(!said.contains("Msg"), "{said}");
    one
}

#[test]
fn updates_by_three_parts_are_whole_or_refused_while_a_database_goes_off_and_on() {
    let engine = engine();
    let mut one = shop(&engine);
    let is_over = Arc::new(AtomicBool::new(false));
    let updates = [
        user(&engine, &is_over, "update shop.dbo.t set v = v + 1 where id = 1"),
        user(&engine, &is_over, "update shop.dbo.t set v = v + 1 where id = 2"),
    ];
    let readers = [
        user(
            &engine,
            &is_over,
            "select count(*) from shop.dbo.t where v >= 0 select count(*) from shop.sys.partitions",
        ),
        user(&engine, &is_over, "use shop exec sp_query_store_flush_db select v from t where id = 3 use master"),
    ];
    for round in 0..40 {
        let said = run(&mut one, "alter database shop set offline with rollback immediate");
        assert!(!said.contains("Msg"), "round {round}: {said}");
        let said = run(&mut one, "alter database shop set online");
        assert!(!said.contains("Msg"), "round {round}: {said}");
    }
    is_over.store(true, SeqCst);
    let done: Vec<(i64, i64)> = updates.into_iter().map(|thread| thread.join().expect("no assertion")).collect();
    readers.into_iter().for_each(|thread| _ = thread.join().expect("no assertion"));
    for (id, (done, killed)) in (1..).zip(done) {
        let said = run(&mut one, &format!("set nocount on select v from shop.dbo.t with (index (v)) where id = {id}"));
        let v: i64 = said.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{said}"));
        assert!((done..=done + killed).contains(&v), "row {id}: {v}, {done} done and {killed} killed");
    }
    assert_eq!(run(&mut one, "dbcc checkdb (shop) with no_infomsgs"), "");
}

#[test]
fn a_database_is_restored_while_others_ask_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine();
    let mut one = shop(&engine);
    let backup = dir.path().join("deeper/shop.bak");
    let said = run(&mut one, &format!("backup database shop to disk = '{}'", backup.display()));
    assert!(!said.contains("Msg"), "its folder is made: {said}");
    let is_over = Arc::new(AtomicBool::new(false));
    let users = [
        user(&engine, &is_over, "update shop.dbo.t set v = v + 1 where id = 1"),
        user(&engine, &is_over, "use shop select v from t where id = 3 exec sp_query_store_flush_db use master"),
    ];
    for round in 0..10 {
        let said = run(
            &mut one,
            &format!(
                "alter database shop set single_user with rollback immediate
                 restore database shop from disk = '{}' with replace alter database shop set multi_user",
                backup.display()
            ),
        );
        // Between the statements another may be the single user.
        let is_taken = said.contains("Msg 3101")
            || said.contains("Msg 5064")
            || said.contains("Msg 5061")
            || said.contains("Msg 924");
        assert!(is_taken || !said.contains("Msg"), "round {round}: {said}");
    }
    is_over.store(true, SeqCst);
    users.into_iter().for_each(|thread| _ = thread.join().expect("no assertion"));
    let said = run(
        &mut one,
        "alter database shop set multi_user with rollback immediate exec shop.sys.sp_query_store_flush_db",
    );
    assert!(!said.contains("Msg"), "{said}");
    assert_eq!(run(&mut one, "dbcc checkdb (shop) with no_infomsgs"), "");
}

#[test]
fn a_database_is_in_use_while_a_module_of_it_runs_or_a_scope_around_stands_in_it() {
    let engine = engine();
    let mut gate = told(
        &engine,
        &[
            "create table gate (i int) create database y1",
            "use y1",
            "create procedure p as select count(*) from master.dbo.gate with (readcommittedlock) select db_name()",
            "create function f() returns nvarchar(128) as begin declare @n int = (select count(*) from master.dbo.gate with (readcommittedlock)) return db_name() end",
            "use master",
        ],
    );
    let mut closer = session(&engine);
    let cases = [
        ("master", "exec y1.dbo.p"),
        (
            "master",
            "exec y1.sys.sp_executesql N'select count(*) from master.dbo.gate with (readcommittedlock) select db_name()'",
        ),
        ("master", "select y1.dbo.f()"),
        ("y1", "exec ('use master select count(*) from gate with (readcommittedlock)') select db_name()"),
        (
            "y1",
            "exec sp_executesql N'exec (''use tempdb select count(*) from master.dbo.gate with (readcommittedlock)'')' select db_name()",
        ),
    ];
    for (database, text) in cases {
        run(&mut gate, "begin transaction insert gate values (1)");
        let mut user = session(&engine);
        run(&mut user, &format!("use {database}"));
        let user = beside(user, text);
        until_waiting(&engine, 1);
        for (text, says) in [
            ("drop database y1", "Msg 3702"),
            ("exec sp_detach_db y1", "Msg 3703"),
            ("alter database y1 set offline with no_wait", "Msg 5070"),
            ("set lock_timeout 0 alter database y1 set offline", "Msg 5061"),
            ("restore database y1 from disk = 'none.bak' with replace", "Msg 3101"),
        ] {
            let said = run(&mut closer, text);
            assert!(said.contains(says), "{text}: {said}");
        }
        run(&mut gate, "rollback");
        let (user, said) = user.join().expect("no assertion");
        assert!(said.contains("\ny1\n") && !said.contains("Msg"), "{text}: {said}");
        drop(user);
    }
    assert_eq!(run(&mut closer, "drop database y1"), "");
    let said = run(&mut closer, "create database y1 if exists (select * from y1.sys.objects) drop database y1");
    assert_eq!(said, "", "the condition has ended");
    let mut own = told(&engine, &["create database y1", "use y1"]);
    let said = run(&mut own, "exec ('use master drop database y1')");
    assert!(said.contains("Msg 3702"), "the scope around stands in it: {said}");
}

/// As that of a client which closes its connection and then drops the database by another one: here it ends while the other waits.
#[test]
fn a_session_that_is_about_to_end_is_not_in_the_way() {
    let engine = engine();
    let mut closer = session(&engine);
    for text in ["alter database leaving modify name = left_behind", "drop database leaving"] {
        // A machine that is busy may take longer than a session is waited for.
        let is_done = (0..50).any(|_| {
            run(&mut closer, "drop database if exists left_behind drop database if exists leaving");
            let user = told(&engine, &["create database leaving", "use leaving"]);
            let leaver = thread::spawn(move || {
                thread::sleep(std::time::Duration::from_millis(20));
                drop(user);
            });
            let said = run(&mut closer, text);
            leaver.join().expect("no assertion");
            assert!(
                ["Msg 3702", "Msg 5030"].iter().any(|known| said.contains(known)) || !said.contains("Msg"),
                "{said}"
            );
            !said.contains("Msg")
        });
        assert!(is_done, "{text}: fails whenever a session is about to end");
    }
}

#[test]
fn a_number_of_a_database_is_not_given_again() {
    let engine = engine();
    let mut one = told(&engine, &["create database y1"]);
    let number = |one: &mut Session, name: &str| run(one, &format!("set nocount on select db_id('{name}')"));
    let objects = "select count(*) from y1.sys.objects where name = 't'";
    let first = number(&mut one, "y1");
    assert!(run(&mut one, objects).contains("\n0\n"));
    run(&mut one, "drop database y1");
    assert!(run(&mut one, objects).contains("Msg 208"), "a kept statement is bound again");
    let said = run(&mut one, "create database y2 create database y1 create table y1.dbo.t (i int)");
    assert!(!said.contains("Msg"), "{said}");
    assert!(number(&mut one, "y2") != first && number(&mut one, "y1") != first);
    assert!(run(&mut one, objects).contains("\n1\n"), "the name is another database's");
}

#[test]
fn closers_that_wait_for_each_other_are_a_deadlock_and_their_waits_are_shown() {
    let engine = engine();
    let mut one = told(&engine, &["create database x3 create database x4"]);
    let (first, second) = (told(&engine, &["use x3"]), told(&engine, &["use x4"]));
    let (first_id, second_id) = (first.shared().id, second.shared().id);
    let first = beside(first, "alter database x4 set offline");
    until_waiting(&engine, 1);
    let shown = run(
        &mut one,
        &format!(
            "select wait_type, wait_resource, blocking_session_id from sys.dm_exec_requests where session_id = {first_id}"
        ),
    );
    assert!(shown.contains("\nLCK_M_X | DATABASE: ") && shown.contains(&format!("| {second_id}\n")), "{shown}");
    let (mut second, said) = beside(second, "alter database x3 set offline").join().expect("no assertion");
    assert!(said.contains("Msg 1205"), "the later one: {said}");
    run(&mut second, "use master");
    let (_, said) = first.join().expect("no assertion");
    assert_eq!(said, "");
}

#[test]
fn a_newcomer_a_closer_and_a_lock_in_a_circle_are_a_deadlock() {
    let engine = engine();
    told(
        &engine,
        &[
            "create database x1 create database x2 create table x1.dbo.t (i int) create table x2.dbo.t (i int) insert x1.dbo.t values (1) insert x2.dbo.t values (1)",
        ],
    );
    let inside = told(&engine, &["use x1", "begin transaction insert t values (2)"]);
    let newcomer = told(&engine, &["begin transaction update x2.dbo.t set i = 2"]);
    let inside_id = inside.shared().id;
    let closer = beside(session(&engine), "alter database x1 set offline");
    until_waiting(&engine, 1);
    let newcomer = beside(newcomer, "insert x1.dbo.t values (3)");
    until_waiting(&engine, 2);
    let inside = beside(inside, "update x2.dbo.t set i = 3");
    let (_, said) = closer.join().expect("no assertion");
    assert!(said.contains("Msg 1205"), "it has nothing to undo: {said}");
    let (mut newcomer, said) = newcomer.join().expect("no assertion");
    assert!(said.contains("(1 rows affected)"), "{said}");
    let _ = inside_id;
    run(&mut newcomer, "rollback");
    let (_, said) = inside.join().expect("no assertion");
    assert!(said.contains("(1 rows affected)"), "{said}");
}

#[test]
fn beside_a_closer_that_waits_the_others_wait_no_longer_than_they_say() {
    let engine = engine();
    let mut user = told(&engine, &["create database x3", "use x3", "create table t (i int)"]);
    let closer = beside(session(&engine), "alter database x3 set single_user");
    until_waiting(&engine, 1);
    let mut other = session(&engine);
    for (text, says) in [
        ("set lock_timeout 0", ""),
        ("alter database x3 set offline", "Msg 5061"),
        ("alter database x3 set offline with no_wait", "Msg 5070"),
        ("drop database x3", "Msg 3702"),
        ("use x3", "Msg 1222"),
        ("select count(*) from x3.dbo.t", "Msg 1222"),
        ("select count(*) from x3.sys.objects", "Msg 1222"),
        ("exec x3.dbo.sp_help", "Msg 1222"),
        ("exec x3.sys.sp_query_store_flush_db", "Msg 1222"),
        ("dbcc shrinkdatabase (x3)", "Msg 1222"),
        ("dbcc checkdb (x3)", "Msg 1222"),
    ] {
        let said = run(&mut other, text);
        assert!(said.contains(says), "{text}: {said}");
    }
    assert!(!run(&mut user, "select count(*) from t exec x3.dbo.sp_help").contains("Msg"), "who is in it goes on");
    run(&mut user, "use master");
    assert_eq!(closer.join().expect("no assertion").1, "");
}

#[test]
fn what_is_being_made_is_had_alone() {
    let engine = engine();
    let mut maker = told(&engine, &["create database g create table g.dbo.t (i int) insert g.dbo.t values (1)"]);
    let is_over = Arc::new(AtomicBool::new(false));
    let others = [
        "drop database if exists q",
        "drop database if exists ss",
        "select count(*) from q.sys.objects",
        "update q.dbo.t set i = 1",
        "begin transaction update g.dbo.t set i = i + 1 rollback",
        "use q use master",
    ];
    let others = others.map(|text| {
        let (engine, is_over) = (Arc::clone(&engine), Arc::clone(&is_over));
        thread::spawn(move || {
            let mut one = session(&engine);
            while !is_over.load(SeqCst) {
                let said = run(&mut one, text);
                for line in said.lines().filter(|line| line.starts_with("Msg ")) {
                    let known = ["Msg 3702", "Msg 3701", "Msg 208", "Msg 911", "Msg 952", "Msg 942"];
                    assert!(known.iter().any(|known| line.starts_with(known)), "{text}: {said}");
                }
            }
        })
    });
    for round in 0..40 {
        for text in ["create database q", "create database ss on (name = g, filename = 'g.ss') as snapshot of g"] {
            let said = run(&mut maker, text);
            assert!(!said.contains("Msg") || said.contains("Msg 1801"), "round {round}: {said}");
        }
    }
    is_over.store(true, SeqCst);
    others.into_iter().for_each(|thread| thread.join().expect("no assertion"));
    let said = run(&mut maker, "dbcc checkdb (g) with no_infomsgs");
    assert_eq!(said, "");
}

/// What is kept of a statement over system views of another database ends with that database, or with its name.
#[test]
fn system_views_of_a_database_that_is_gone_are_gone() {
    let engine = engine();
    let mut one = session(&engine);
    let asked = [
        "select count(*) as n from c.sys.database_files",
        "select count(*) as n from c.sys.sysfiles",
        "select count(*) as n from c.sys.dm_db_log_space_usage",
        "select count(*) as n from c.sys.databases where name in ('c', 'd')",
    ];
    let mut all = |expected: [&str; 4]| {
        for (query, expected) in asked.iter().zip(expected) {
            let said = run(&mut one, query);
            match expected {
                "gone" => assert!(said.starts_with("Msg 911") || said.starts_with("Msg 208"), "{query}: {said}"),
                rows => assert_eq!(said.lines().nth(1), Some(rows), "{query}: {said}"),
            }
        }
    };
    let mut two = session(&engine);
    for _ in 0..2 {
        run(&mut two, "create database c");
        all(["2", "2", "1", "1"]);
        all(["2", "2", "1", "1"]);
        run(&mut two, "drop database c");
        all(["gone"; 4]);
    }
    run(&mut two, "create database c create database e");
    all(["2", "2", "1", "1"]);
    run(&mut two, "alter database c modify name = d");
    all(["gone"; 4]);
    run(&mut two, "alter database e modify name = c");
    all(["2", "2", "1", "2"]);
}
