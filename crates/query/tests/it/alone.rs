//! A database that goes offline, is restored, dropped or detached while sessions of other databases use it by its name: a statement
//! is done as a whole, or says that the database cannot be had; nothing of it is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use millpond_engine::engine::Engine;

use crate::harness::{engine, run, session};

/// What a session may hear of a database that is being closed: it is in transition, offline, restored or gone; the session is killed.
const MAY_SAY: [&str; 7] = ["Msg 942", "Msg 952", "Msg 927", "Msg 911", "Msg 596", "Msg 4060", "Msg 208"];

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

fn shop(engine: &Arc<Engine>) -> millpond_query::session::Session {
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
