//! Who comes into a database that is for one session at a time, or for its administrators: by USE, by a name of three parts, by a
//! statement that was bound before, and by the reset of a pooled connection.

use std::sync::Arc;

use millpond_catalog::run::facts::Login;
use millpond_catalog::security::SecurityContext;
use millpond_engine::engine::Engine;
use millpond_engine::security::server;
use millpond_query::session::Session;

use super::{first_error, session_of, stage};
use crate::harness::{Transcript, run, session};

/// What is done in `shop` from elsewhere, each in a text of its own.
const BY_NAME: [&str; 11] = [
    "select count(*) from shop.dbo.t",
    "select top (1) a from shop.dbo.t where a = 1",
    "insert shop.dbo.t select max(a) + 1 from shop.dbo.t",
    "update shop.dbo.t set a = a where a = 1",
    "begin transaction delete shop.dbo.t where a = 7 rollback",
    "exec shop.dbo.p",
    "exec shop.sys.sp_executesql N'select db_name()'",
    "select count(*) from shop.sys.tables",
    "select shop.dbo.f()",
    "select next value for shop.dbo.n",
    "select count(*) from tempdb.dbo.t",
];

/// A table, a procedure and a function that everybody may use.
const GIVEN: &str = "create table t (a int primary key) insert t values (1) grant select, insert, update, delete on t to public\nGO\n\
    create procedure p as select count(*) from t\nGO\ngrant execute on p to public\nGO\n\
    create function f () returns int as begin return (select max(a) from dbo.t) end\nGO\ngrant execute on f to public\nGO\n\
    create sequence n as bigint grant update on n to public\nGO\n\
    use tempdb create synonym t for shop.dbo.t create synonym p for shop.dbo.p grant select on t to public use shop\nGO\n\
    create login bob with password = 'Lake-1234567' create user bob alter role db_owner add member bob\nGO\n\
    create login eve with password = 'Lake-1234567' create user eve alter server role dbcreator add member eve";

fn all_say(one: &mut Session, wanted: Option<i32>) {
    for text in BY_NAME {
        // The second time by what was kept of the first one.
        for round in 0..3 {
            let said = run(one, text);
            assert_eq!(first_error(&said), wanted, "{text}, round {round}: {said}");
            run(one, "if @@trancount > 0 rollback");
        }
    }
}

/// A session of a login that began in `shop`.
fn began_in_shop(engine: &Arc<Engine>, name: &str) -> Session {
    let login = server(engine, 0).unwrap().named(name).cloned().expect("the login is there");
    let facts = Login { login: name.into(), database: "shop".into(), ..Login::default() };
    let mut one = Session::open_as(engine, facts, SecurityContext::of_login(&login)).expect("sessions are free");
    assert_eq!(first_error(&run(&mut one, "use shop use master")), None);
    one
}

#[test]
fn a_database_for_one_session_lets_nobody_else_in_by_a_name_either() {
    let (engine, mut inside) = stage(GIVEN);
    let mut other = session(&engine);
    all_say(&mut other, None);
    assert_eq!(first_error(&run(&mut inside, "alter database shop set single_user with rollback immediate")), None);
    all_say(&mut other, Some(924));
    for text in [
        "use shop",
        "create table shop.dbo.z (a int)",
        "drop table shop.dbo.t",
        "dbcc checkdb (shop)",
        "exec tempdb.dbo.p",
    ] {
        assert_eq!(first_error(&run(&mut other, text)), Some(924), "{text}");
    }
    let said = run(&mut other, "print 'on' select count(*) from shop.dbo.t print 'off'");
    assert_eq!(first_error(&said), Some(924), "{said}");
    assert_eq!(
        first_error(&run(&mut inside, "select count(*) from shop.dbo.t exec shop.dbo.p select shop.dbo.f()")),
        None
    );
    // It is free, and the first one that comes has it: also with a transaction alone.
    run(&mut inside, "use master");
    all_say(&mut other, None);
    assert_eq!(first_error(&run(&mut other, "begin transaction insert shop.dbo.t values (900)")), None);
    all_say(&mut inside, Some(924));
    assert_eq!(first_error(&run(&mut inside, "use shop")), Some(924));
    run(&mut other, "rollback");
    assert_eq!(first_error(&run(&mut inside, "use shop")), None);
    all_say(&mut other, Some(924));
    assert_eq!(first_error(&run(&mut inside, "alter database shop set multi_user")), None);
    all_say(&mut other, None);
}

#[test]
fn a_database_for_its_administrators_lets_nobody_else_in() {
    let (engine, mut sa) = stage(GIVEN);
    let mut inside = session_of(&engine, "ann");
    let mut ann = began_in_shop(&engine, "ann");
    let (mut bob, mut eve) = (session_of(&engine, "bob"), session_of(&engine, "eve"));
    all_say(&mut ann, None);
    run(&mut sa, "use master set lock_timeout 0");
    assert_eq!(first_error(&run(&mut sa, "alter database shop set restricted_user with no_wait")), Some(5070));
    assert_eq!(first_error(&run(&mut sa, "alter database shop set restricted_user")), Some(5061));
    assert_eq!(first_error(&run(&mut inside, "select a from t")), None);
    run(&mut sa, "set lock_timeout -1");
    let said = run(&mut sa, "alter database shop set restricted_user with rollback immediate");
    assert_eq!(first_error(&said), None, "{said}");
    assert!(inside.shared().is_killed() && !bob.shared().is_killed() && !eve.shared().is_killed());
    all_say(&mut ann, Some(916));
    assert_eq!(first_error(&run(&mut ann, "use shop")), Some(916));
    let said = run(&mut ann, "select has_dbaccess('shop'), db_id('shop')");
    assert!(said.contains("\n0 | 5\n"), "{said}");
    for one in [&mut sa, &mut bob, &mut eve] {
        let said = run(one, "use shop select count(*) from t select has_dbaccess('shop')");
        assert_eq!(first_error(&said), None, "{said}");
        run(one, "use master");
    }
    // Who is in it may be somebody else there.
    let said = run(&mut bob, "use shop execute as user = 'ann' select count(*) from t exec p revert use master");
    assert_eq!(first_error(&said), None, "{said}");
    assert_eq!(first_error(&run(&mut sa, "alter database shop set multi_user")), None);
    all_say(&mut ann, None);
}

#[test]
fn a_pooled_connection_comes_back_only_where_a_login_would_come_in() {
    let (engine, mut sa) = stage(GIVEN);
    let resets = |one: &mut Session| one.reset(&mut Transcript::default()).map_err(|error| error.number);
    for (closed, opened) in [
        ("alter database shop set offline", "alter database shop set online"),
        ("use shop alter database shop set single_user", "alter database shop set multi_user use master"),
        ("alter database shop set restricted_user", "alter database shop set multi_user"),
        ("use shop deny connect to ann use master", "use shop grant connect to ann use master"),
        ("use shop drop user ann use master", "use shop create user ann use master"),
    ] {
        run(&mut sa, "use master");
        let mut ann = began_in_shop(&engine, "ann");
        assert_eq!(resets(&mut ann), Ok(()), "{closed}");
        assert_eq!(ann.facts().database, engine.database_id("shop").unwrap(), "{closed}");
        run(&mut ann, "use master");
        let said = run(&mut sa, closed);
        assert_eq!(first_error(&said), None, "{closed}: {said}");
        assert_eq!(resets(&mut ann), Err(4060), "{closed}");
        assert_eq!(ann.facts().database.0, 1, "{closed}");
        assert!(!ann.shared().status.lock().is_in(engine.database_id("shop").unwrap()), "{closed}");
        let said = run(&mut sa, opened);
        assert_eq!(first_error(&said), None, "{opened}: {said}");
        assert_eq!(resets(&mut ann), Ok(()), "{opened}");
    }
    // What it has become by EXECUTE AS counts for nothing there.
    let mut own = began_in_shop(&engine, "bob");
    assert_eq!(first_error(&run(&mut own, "use shop execute as user = 'ann'")), None);
    run(&mut sa, "use master alter database shop set restricted_user");
    assert_eq!(resets(&mut own), Ok(()));
}

#[test]
fn a_cursor_of_a_database_that_is_gone_says_its_name() {
    let (engine, mut sa) = stage(GIVEN);
    run(&mut sa, "use master");
    let mut other = session(&engine);
    let said = run(
        &mut other,
        "declare c cursor global static for select a from shop.dbo.t declare d cursor global for select a from shop.dbo.t open d",
    );
    assert_eq!(first_error(&said), None, "{said}");
    assert_eq!(first_error(&run(&mut sa, "drop database shop")), None);
    for text in ["fetch next from d", "open c"] {
        let said = run(&mut other, text);
        assert!(first_error(&said) == Some(911) && said.contains("'shop'"), "{text}: {said}");
    }
}
