//! `sp_help`, whose answers have the time when something was made, and `sp_spaceused` beside who drops.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::harness::{engine, run, session};

#[test]
fn help_tells_of_a_table_in_all_its_parts() {
    let engine = engine();
    let mut session = session(&engine);
    run(&mut session, "create database h");
    run(&mut session, "use h");
    run(&mut session, "create table t (a int not null primary key, b char(4) check (b > ''))");
    run(&mut session, "create procedure p @x decimal(9, 3) as select 1");
    let told = run(&mut session, "exec sp_help 't'");
    for part in [
        "| user table |",
        "a | int | no | 4 | 10 | 0 | no | (n/a) | (n/a) | NULL",
        "b | char | no | 4 |  |  | yes | no | yes | SQL_Latin1_General_CP1_CI_AS",
        "No identity column defined.",
        "clustered, unique, primary key located on PRIMARY | a",
        "PRIMARY KEY (clustered) |",
        "CHECK on column b |",
        "No foreign keys reference table 't'",
    ] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
    let told = run(&mut session, "exec sp_help 'p'");
    assert!(told.contains("stored procedure") && told.contains("@x | decimal | 5 | 9 | 3 | 1 | NULL"), "{told}");
    let told = run(&mut session, "exec sp_help");
    assert!(told.contains("t | dbo | user table") && told.contains("sp_help | dbo | stored procedure"), "{told}");
}

/// The name of the table is a message, which whoever reads the constraints does not want.
#[test]
fn constraints_are_told_without_the_name_of_the_table() {
    let engine = engine();
    let mut session = session(&engine);
    run(&mut session, "create table a (i int default 1, j int check (j > 0))");
    let whole = run(&mut session, "exec sp_helpconstraint 'a'");
    let told = run(&mut session, "exec sp_helpconstraint @objname = 'a', @nomsg = 'NOMSG'");
    assert!(told.starts_with("[constraint_type:"), "{told}");
    assert_eq!(whole.lines().skip(2).collect::<Vec<_>>(), told.lines().collect::<Vec<_>>());
    assert_eq!(run(&mut session, "exec sp_helpconstraint 'a', 'msg'"), whole);
}

/// A table that another session drops meanwhile is not there; nothing is said of its pages.
#[test]
fn sp_spaceused_of_a_table_that_goes_says_so() {
    let engine = engine();
    let mut one = session(&engine);
    run(&mut one, "create database shop");
    run(&mut one, "use shop");
    let stop = Arc::new(AtomicBool::new(false));
    let dropping = {
        let (engine, stop) = (Arc::clone(&engine), Arc::clone(&stop));
        std::thread::spawn(move || {
            let mut two = session(&engine);
            run(&mut two, "set nocount on use shop");
            while !stop.load(Relaxed) {
                run(
                    &mut two,
                    "create table brief (a int primary key, b varchar(max)) insert brief values (1, 'b') drop table brief",
                );
            }
        })
    };
    for _ in 0..300 {
        let said = run(&mut one, "exec sp_spaceused 'brief'");
        let is_known = said.contains("Msg 15009") || said.contains("Msg 15234") || !said.contains("Msg ");
        assert!(is_known, "{said}");
    }
    stop.store(true, Relaxed);
    dropping.join().expect("it only makes and drops a table");
}
