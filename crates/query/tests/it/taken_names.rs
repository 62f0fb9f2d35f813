//! Names that are taken, and names whose maker may still take them back.

use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{run, session};

fn shop(engine: &Arc<Engine>) -> Session {
    let mut one = session(engine);
    run(&mut one, "set nocount on use shop set lock_timeout 0");
    one
}

fn two_sessions() -> (Session, Session) {
    let engine = crate::harness::engine();
    run(&mut session(&engine), "create database shop");
    (shop(&engine), shop(&engine))
}

/// Objects in a schema that another transaction makes would be in none after its rollback.
#[test]
fn a_schema_that_is_being_made_is_waited_for() {
    let (mut one, mut two) = two_sessions();
    assert_eq!(run(&mut one, "begin transaction exec ('create schema s')"), "");
    for text in [
        "create table s.t (a int)",
        "exec ('create view s.v as select 1 as a')",
        "create sequence s.q",
        "create synonym s.n for dbo.t",
        "select 1 as a into s.i",
        "exec ('create schema s')",
        "drop schema s",
    ] {
        let said = run(&mut two, text);
        assert!(said.contains("Msg 1222"), "{text}: {said}");
    }
    assert_eq!(run(&mut one, "rollback"), "");
    assert!(run(&mut two, "create table s.t (a int)").contains("Msg 2760"));
    assert_eq!(run(&mut two, "exec ('create schema s')"), "");
}

/// A schema does not go while somebody puts objects into it, or may still bring back those that he dropped.
#[test]
fn a_schema_with_objects_that_are_not_settled_is_not_dropped() {
    let (mut one, mut two) = two_sessions();
    for (make, drop) in [
        ("create table s.o (a int)", "drop table s.o"),
        ("exec ('create procedure s.o as select 1 as a')", "drop procedure s.o"),
        ("create sequence s.o", "drop sequence s.o"),
    ] {
        assert_eq!(run(&mut one, "exec ('create schema s')"), "", "{make}");
        for change in [make, drop] {
            assert_eq!(run(&mut one, &format!("begin transaction {change}")), "", "{change}");
            let said = run(&mut two, "drop schema s");
            assert!(said.contains("Msg 1222"), "{change}: {said}");
            assert_eq!(run(&mut one, "rollback"), "", "{change}");
            if change == make {
                assert_eq!(run(&mut one, make), "", "{make}");
            }
        }
        assert_eq!(run(&mut one, drop), "", "{drop}");
        assert_eq!(run(&mut two, "drop schema s"), "", "{make}");
    }
}

#[test]
fn a_default_of_a_new_column_takes_no_name_that_is_taken() {
    let (mut one, _) = two_sessions();
    assert_eq!(run(&mut one, "create table t (a int constraint k check (a > 0)) create table u (a int)"), "");
    for name in ["k", "t", "u"] {
        let said = run(&mut one, &format!("alter table t add b int constraint {name} default 4"));
        assert!(said.contains("Msg 2714") && said.contains("Msg 1750"), "{name}: {said}");
    }
    let said = run(&mut one, "alter table u add b int constraint d default 4, c int constraint d default 5");
    assert!(said.contains("Msg 2714"), "{said}");
    assert_eq!(run(&mut one, "select count(*) as n from sys.default_constraints"), "[n:int]\n0\n");
    assert_eq!(run(&mut one, "alter table t add b int constraint d default 4"), "");
}
