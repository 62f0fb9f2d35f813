//! What a login of its own may do: each statement without and with the right that it needs, and roads around the rights that
//! are closed.

mod attacks;
mod cases;
mod entrance;

use std::sync::Arc;

use millpond_catalog::run::facts::Login;
use millpond_catalog::security::SecurityContext;
use millpond_engine::engine::Engine;
use millpond_engine::security::server;
use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use cases::{CASES, Case};

/// A session of a login, in the database `shop`.
fn session_of(engine: &Arc<Engine>, name: &str) -> Session {
    let login = server(engine, 0).unwrap().named(name).cloned().expect("the login is there");
    let facts = Login { login: name.into(), ..Login::default() };
    let mut session = Session::open_as(engine, facts, SecurityContext::of_login(&login)).expect("sessions are free");
    assert_eq!(run(&mut session, "use shop"), "");
    session
}

/// An engine with the database `shop` and the login and user `ann`, and what sa says of it.
fn stage(given: &str) -> (Arc<Engine>, Session) {
    let engine = engine();
    let mut sa = session(&engine);
    for text in
        ["create database shop", "create login ann with password = 'Lake-1234567'", "use shop", "create user ann"]
    {
        assert_eq!(run(&mut sa, text), "", "{text}");
    }
    for text in given.split("\nGO\n") {
        let said = run(&mut sa, text);
        assert!(!said.contains("Msg "), "{text}: {said}");
    }
    (engine, sa)
}

/// The number of the first error of what was said.
fn first_error(said: &str) -> Option<i32> {
    let (_, rest) = said.split_once("Msg ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Whether a case is as it should be.
fn wrong(case: &Case) -> Option<String> {
    let (engine, mut sa) = stage(case.given);
    let mut ann = session_of(&engine, "ann");
    let said = run(&mut ann, case.text);
    if first_error(&said) != Some(case.number) {
        return Some(format!("without: expected {}\n{said}", case.number));
    }
    let granted = run(&mut sa, case.grant);
    if first_error(&granted).is_some() {
        return Some(format!("the grant failed\n{granted}"));
    }
    let said = run(&mut ann, case.text);
    first_error(&said).map(|_| format!("with {}:\n{said}", case.grant))
}

#[test]
fn each_statement_needs_its_right_and_no_more() {
    let found = CASES.iter().filter_map(|case| Some(format!("{}\n{}\n{}", case.given, case.text, wrong(case)?)));
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{} cases\n\n{}", found.len(), found.join("\n\n"));
}

/// What a login without any right gets to know.
#[test]
fn nothing_is_seen_that_was_not_granted() {
    let (engine, mut sa) = stage(
        "create table secret (number int, code varchar(9)); insert secret values (1, 'x')\nGO\n\
         create procedure hidden as select 'inside' as text\nGO\ncreate view covered as select code from secret\nGO\n\
         create schema other\nGO\ncreate type other.kind from int\nGO\ncreate role clerks\nGO\n\
         create user eve without login",
    );
    assert_eq!(run(&mut sa, "create table #mine (a int)"), "");
    let mut ann = session_of(&engine, "ann");
    let is_hidden = |ann: &mut Session, query: &str| {
        let said = run(ann, query);
        for word in ["secret", "hidden", "covered", "inside", "code", "mine", "Lake"] {
            assert!(!said.contains(word) || query.contains(word), "{query}: {said}");
        }
    };
    for query in [
        "select name from sys.objects where type in ('U', 'P', 'V')",
        "select name from sys.tables",
        "select name from sys.columns where object_id > 100",
        "select definition from sys.sql_modules",
        "select table_name, column_name from information_schema.columns",
        "select routine_definition from information_schema.routines",
        "select name from sys.all_objects where object_id > 0",
        "select name from sys.indexes where object_id > 1000",
        "select name from sysobjects where xtype = 'U'",
        "select name from tempdb.sys.tables",
        "select password_hash from sys.sql_logins",
        "select text from sys.dm_exec_requests",
        "exec sp_tables @table_type = \"'TABLE'\"",
        "exec sp_stored_procedures",
        "exec sp_help",
    ] {
        is_hidden(&mut ann, query);
    }
    for (query, answer) in [
        ("select object_id('secret')", "NULL"),
        ("select object_id('dbo.hidden')", "NULL"),
        ("select col_length('secret', 'code')", "NULL"),
        ("select has_perms_by_name('secret', 'object', 'select')", "NULL"),
        ("select is_member('db_owner')", "0"),
        ("select user_name()", "ann"),
    ] {
        let said = run(&mut ann, query);
        assert!(said.contains(&format!("\n{answer}\n")), "{query}: {said}");
    }
    // A grant shows what it is on, and no more.
    assert_eq!(run(&mut sa, "grant select on covered to ann"), "");
    let said = run(&mut ann, "select name from sys.objects where type in ('U', 'P', 'V')");
    assert!(said.contains("covered") && !said.contains("secret"), "{said}");
    assert!(run(&mut ann, "select object_definition(object_id('covered'))").contains("NULL"));
}

/// What was granted in a transaction that is open counts for its own session alone, and no other waits for it.
#[test]
fn a_grant_counts_when_it_is_committed_and_one_that_is_rolled_back_is_none() {
    let (engine, mut sa) = stage("create table t (a int)");
    let mut ann = session_of(&engine, "ann");
    assert_eq!(first_error(&run(&mut ann, "set lock_timeout 20; select a from t")), Some(229));
    assert_eq!(run(&mut sa, "begin transaction; grant select on t to ann"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), Some(229));
    assert_eq!(run(&mut sa, "rollback"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), Some(229));
    assert_eq!(run(&mut sa, "begin transaction; grant select on t to ann; commit"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), None);
    assert_eq!(run(&mut sa, "revoke select on t from ann"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), Some(229));
}

/// A table that takes the place of another of its name has none of its grants.
#[test]
fn grants_go_with_what_they_are_on() {
    let (engine, mut sa) = stage("create table t (a int); grant select on t to ann");
    let mut ann = session_of(&engine, "ann");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), None);
    assert_eq!(run(&mut sa, "begin transaction; drop table t; rollback"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), None);
    assert_eq!(run(&mut sa, "drop table t; create table t (a int)"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), Some(229));
    // Nor has a user that takes the place of another of its name.
    assert_eq!(run(&mut sa, "grant select on t to ann; drop user ann; create user ann"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from t")), Some(229));
}

/// A module runs with its owner's rights over what that owns, or with those that it was made to run with.
#[test]
fn chains_of_ownership_end_where_the_owner_is_another() {
    let (engine, mut sa) = stage(
        "create user bob without login\nGO\ncreate schema his authorization bob\nGO\n\
         create table his.t (a int); insert his.t values (4); create table t (a int); insert t values (5)\nGO\n\
         create procedure p as select a from t; select a from his.t\nGO\ngrant execute on p to ann\nGO\n\
         create procedure q with execute as owner as select user_name(); select a from his.t\nGO\n\
         grant execute on q to ann\nGO\n\
         create procedure r with execute as 'bob' as select user_name(); select a from his.t; select a from t\nGO\n\
         grant execute on r to ann",
    );
    let mut ann = session_of(&engine, "ann");
    let said = run(&mut ann, "exec p");
    assert!(said.contains("\n5\n") && first_error(&said) == Some(229), "{said}");
    let said = run(&mut ann, "exec q");
    assert!(said.contains("dbo") && said.contains("\n4\n") && first_error(&said).is_none(), "{said}");
    let said = run(&mut ann, "exec r select user_name()");
    assert!(said.contains("bob") && said.contains("\n4\n"), "{said}");
    assert!(said.contains("\n5\n"), "dbo owns both the procedure and the table: {said}");
    assert!(said.trim_end().contains("ann"), "the context ends with the procedure: {said}");
    let _ = run(&mut sa, "select 1");
}

/// EXECUTE AS ends by REVERT, with the module, and with the session's reset; a way back that was closed stays so.
#[test]
fn an_impersonation_ends_as_it_was_begun() {
    let (_engine, mut sa) = stage("create user bob without login\nGO\ncreate table t (a int)");
    let said = run(&mut sa, "execute as user = 'bob'; select user_name(); select a from t; revert; select user_name()");
    assert!(said.contains("bob") && first_error(&said) == Some(229) && said.contains("dbo"), "{said}");
    let said = run(&mut sa, "execute as user = 'bob'; execute as user = 'ann'");
    assert_eq!(first_error(&said), Some(15_517), "{said}");
    assert_eq!(run(&mut sa, "revert"), "");
    let said = run(&mut sa, "exec ('execute as user = ''bob''') select user_name()");
    assert!(said.contains("dbo"), "{said}");
    let cookie = "declare @c varbinary(100); execute as user = 'bob' with cookie into @c; revert; \
                  revert with cookie = @c; select user_name()";
    let said = run(&mut sa, cookie);
    assert!(first_error(&said) == Some(15_591) && said.contains("dbo"), "{said}");
    let said = run(&mut sa, "execute as user = 'bob' with no revert; revert");
    assert_eq!(first_error(&said), Some(15_196), "{said}");
}
