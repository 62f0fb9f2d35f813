//! `sp_help`, whose answers have the time when something was made.

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
    assert_eq!(whole.lines().skip(3).collect::<Vec<_>>(), told.lines().collect::<Vec<_>>());
    assert_eq!(run(&mut session, "exec sp_helpconstraint 'a', 'msg'"), whole);
}
