//! Ways to rights that were never granted, as an attack found them: each was open, and is closed.

use super::{first_error, session_of, stage};
use crate::harness::run;

/// A temporary procedure has no owner: it has the rights of who calls it, whatever object has its number.
#[test]
fn a_temporary_procedure_runs_with_its_callers_rights_alone() {
    let (engine, mut sa) = stage("create table t (a int)");
    let mut ann = session_of(&engine, "ann");
    for context in ["owner", "self", "''dbo''"] {
        let said =
            run(&mut ann, &format!("exec ('create procedure #p with execute as {context} as select user_name()')"));
        assert_eq!(first_error(&said), Some(40_517), "{said}");
    }
    // As many objects of dbo as there may be numbers of temporary procedures since the start.
    for n in 0..40 {
        assert_eq!(run(&mut sa, &format!("exec ('create procedure g{n} as select 1')")), "");
    }
    assert_eq!(run(&mut sa, "grant execute to ann"), "");
    assert_eq!(run(&mut ann, "exec ('create procedure #z as select object_name(@@procid); select a from t')"), "");
    let said = run(&mut ann, "exec #z");
    assert!(first_error(&said) == Some(229) && said.contains("NULL"), "{said}");
    assert_eq!(run(&mut sa, "revoke execute from ann"), "");
    assert_eq!(run(&mut ann, "exec ('create procedure #y as print 1')"), "");
    assert_eq!(run(&mut ann, "exec #y"), "# 1\n");
}

/// EXECUTE AS SELF is who made or altered the module; OWNER needs IMPERSONATE; of functions too.
#[test]
fn modules_run_as_who_made_them_or_as_who_may_be_impersonated() {
    let (engine, mut sa) = stage(
        "create table aa (a int); grant alter, insert on aa to ann\nGO\ncreate user bob without login\nGO\n\
         create schema his authorization bob\nGO\ncreate table his.t (a int); insert his.t values (9)\nGO\n\
         create function his.f () returns sysname with execute as 'bob' as begin return user_name() end\nGO\n\
         create function his.n () returns int with execute as owner as \
         begin declare @a int; select @a = max(a) from his.t; return @a end\nGO\n\
         grant execute on his.f to ann; grant execute on his.n to ann\nGO\n\
         create procedure s with execute as self as select user_name()\nGO\ngrant execute on s to ann",
    );
    let mut ann = session_of(&engine, "ann");
    let trigger = |context: &str| {
        format!(
            "exec ('create trigger tr on aa with execute as {context} after insert as alter role db_owner add member ann')"
        )
    };
    assert_eq!(first_error(&run(&mut ann, &trigger("owner"))), Some(15_517));
    assert_eq!(first_error(&run(&mut ann, &trigger("self"))), None);
    assert_eq!(first_error(&run(&mut ann, "insert aa values (1)")), Some(15_151), "the trigger runs as ann");
    let said = run(&mut ann, "select his.f(), his.n()");
    assert!(said.contains("bob") && said.contains('9'), "{said}");
    let said = run(&mut ann, "exec s");
    assert!(said.contains("dbo"), "{said}");
    let said = run(
        &mut sa,
        "select name from sys.sql_modules m join sys.database_principals p on p.principal_id = m.execute_as_principal_id order by name",
    );
    assert!(said.contains("ann") && said.contains("bob") && said.contains("dbo"), "{said}");
    assert_eq!(first_error(&run(&mut sa, "alter authorization on schema::his to dbo; drop user bob")), Some(15_136));
    assert_eq!(
        first_error(&run(&mut sa, "exec ('create procedure q with execute as ''nobody'' as select 1')")),
        Some(15_517)
    );
}

/// A trigger is its table's owner's: what that does not own is asked for.
#[test]
fn a_trigger_stands_in_the_chain_of_its_tables_owner() {
    let (engine, _) = stage(
        "create table secret (a int); insert secret values (7)\nGO\ncreate table mine (a int)\nGO\n\
         alter authorization on mine to ann",
    );
    let mut ann = session_of(&engine, "ann");
    let said = run(&mut ann, "exec ('create trigger tr on mine after insert as select a from secret')");
    assert_eq!(first_error(&said), None, "{said}");
    assert_eq!(first_error(&run(&mut ann, "insert mine values (1)")), Some(229));
}

/// A permanent table is made by SELECT INTO as by CREATE TABLE, and nothing in the system's schemas.
#[test]
fn select_into_makes_tables_where_its_user_may() {
    let (engine, mut sa) = stage("create database other");
    let mut ann = session_of(&engine, "ann");
    for (into, number) in [("dbo.x", 262), ("other.dbo.x", 916), ("master.dbo.x", 262), ("msdb..x", 262), ("#x", 0)] {
        let said = run(&mut ann, &format!("select 1 as a into {into}"));
        assert_eq!(first_error(&said).unwrap_or(0), number, "{into}: {said}");
    }
    for text in [
        "select 1 as a into sys.x",
        "create table sys.x (a int)",
        "create table information_schema.x (a int)",
        "exec ('create view sys.x as select 1 as a')",
        "create sequence sys.x",
        "create synonym sys.x for t",
    ] {
        assert_eq!(first_error(&run(&mut sa, text)), Some(2760), "{text}");
    }
    assert_eq!(first_error(&run(&mut sa, "create schema db_owner")), Some(2714));
}

/// The hash of a password is for who has CONTROL SERVER; other properties are for who sees the login.
#[test]
fn properties_of_logins_are_for_who_may_see_them() {
    let (engine, mut sa) = stage("create login eve with password = 'Lake-1234567'");
    let mut ann = session_of(&engine, "ann");
    let null = |said: String| said.contains("\nNULL\n");
    assert!(null(run(&mut ann, "select loginproperty('eve', 'PasswordHash')")));
    assert!(null(run(&mut ann, "select loginproperty('ann', 'passwordhash')")));
    assert!(null(run(&mut ann, "select loginproperty('eve', 'IsLocked')")));
    assert!(!null(run(&mut ann, "select loginproperty('ann', 'IsLocked')")));
    assert_eq!(run(&mut sa, "use master; grant alter any login to ann; use shop"), "");
    assert!(!null(run(&mut ann, "select loginproperty('eve', 'IsLocked')")));
    assert!(null(run(&mut ann, "select loginproperty('eve', 'PasswordHash')")));
    assert!(!null(run(&mut sa, "select loginproperty('eve', 'PasswordHash')")));
}

/// What a procedure or command of the system changes is asked for in the database that it names.
#[test]
fn procedures_of_the_system_ask_where_they_work() {
    let (engine, mut sa) = stage(
        "alter role db_owner add member ann\nGO\ncreate database other\nGO\nuse other\nGO\ncreate user ann\nGO\n\
         create table t (a int identity); create table u (a int)",
    );
    let mut ann = session_of(&engine, "ann");
    for (text, number) in [
        ("exec other.dbo.sp_rename 'dbo.t', 'hacked'", 15_247),
        ("exec other.dbo.sp_rename 'dbo.u.a', 'b', 'COLUMN'", 15_247),
        ("exec other..sp_addtype 'evil', 'int'", 15_247),
        ("exec master..sp_addtype 'evil', 'int'", 15_247),
        ("exec other..sp_updatestats", 15_247),
        ("dbcc checkident ('other.dbo.t', reseed, 900)", 2557),
        ("dbcc checktable ('other.dbo.t')", 2557),
        ("dbcc checkdb ('master')", 7983),
        ("dbcc checkdb (other)", 7983),
    ] {
        let said = run(&mut ann, text);
        assert_eq!(first_error(&said), Some(number), "{text}: {said}");
    }
    assert_eq!(run(&mut sa, "use other; drop user ann; use shop"), "");
    assert_eq!(first_error(&run(&mut ann, "dbcc checkdb (other)")), Some(916));
    assert_eq!(first_error(&run(&mut ann, "exec other.dbo.sp_rename 'dbo.t', 'hacked'")), Some(916));
}

/// sp_rename asks for the object that it renames: by name in any order, of a column the table.
#[test]
fn a_rename_needs_alter_on_what_is_renamed() {
    let (engine, mut sa) = stage(
        "create table t (x int)\nGO\ncreate schema own authorization ann\nGO\ncreate table own.mine (a int)\nGO\n\
         create schema t authorization ann\nGO\ncreate table t.x (a int)",
    );
    let mut ann = session_of(&engine, "ann");
    for text in [
        "exec sp_rename @newname = 'own.mine', @objname = 'dbo.t'",
        "exec sp_rename 'dbo.t.x', 'hack', 'COLUMN'",
        "exec sp_rename 't.x', 'hack', 'COLUMN'",
    ] {
        let said = run(&mut ann, text);
        assert_eq!(first_error(&said), Some(15_247), "{text}: {said}");
    }
    assert_eq!(first_error(&run(&mut ann, "exec sp_rename 'own.mine', 'yours'")), None);
    assert_eq!(first_error(&run(&mut sa, "select x from t")), None);
}

/// A login without rights, and what an open transaction has granted, block no session.
#[test]
fn open_changes_of_security_are_not_waited_for() {
    let (engine, mut sa) = stage(
        "create login bob with password = 'Lake-1234567'\nGO\ncreate user bob\nGO\ncreate table t (a int); grant select on t to bob",
    );
    let (mut ann, mut bob) = (session_of(&engine, "ann"), session_of(&engine, "bob"));
    for text in [
        "begin transaction; create login z with password = 'Lake-1234567'",
        "create user z without login",
        "grant select on t to public",
        "alter login ann with default_database = master",
    ] {
        let _ = run(&mut ann, text);
        let said =
            run(&mut bob, "set lock_timeout 20; print 'x'; select a from t; create table #t (a int); drop table #t");
        assert_eq!(first_error(&said), None, "{text}: {said}");
    }
    assert_eq!(run(&mut ann, "rollback; begin transaction"), "");
    assert_eq!(first_error(&run(&mut ann, "create user z without login")), Some(15_247));
    // What was refused holds no lock: others change the security meanwhile.
    assert_eq!(run(&mut sa, "set lock_timeout 20; create user z without login; drop user z"), "");
    assert_eq!(run(&mut ann, "rollback"), "");
    // Of another database too, and what is taken away counts from the commit on.
    assert_eq!(run(&mut sa, "begin transaction; grant select on t to ann; revoke select on t from bob"), "");
    assert_eq!(first_error(&run(&mut ann, "use master; select a from shop.dbo.t")), Some(229));
    assert_eq!(first_error(&run(&mut bob, "select a from t")), None);
    assert_eq!(first_error(&run(&mut sa, "select has_perms_by_name('t', 'object', 'select')")), None);
    assert_eq!(run(&mut sa, "commit"), "");
    assert_eq!(first_error(&run(&mut bob, "select a from t")), Some(229));
    assert_eq!(first_error(&run(&mut ann, "select a from shop.dbo.t")), None);
    assert_eq!(run(&mut sa, "begin transaction; revoke select on t from ann; rollback"), "");
    assert_eq!(first_error(&run(&mut ann, "select a from shop.dbo.t")), None);
}

/// A context is of one user and one login; another that takes its number is not meant.
#[test]
fn a_context_ends_with_its_principal() {
    let (engine, mut sa) = stage("create user eu without login\nGO\ngrant impersonate on user::eu to ann");
    let mut ann = session_of(&engine, "ann");
    assert_eq!(run(&mut ann, "execute as user = 'eu'"), "");
    assert_eq!(run(&mut sa, "drop user eu; create user eu2 without login; alter role db_owner add member eu2"), "");
    let said = run(&mut ann, "select coalesce(is_member('db_owner'), 0) + 40, user_name()");
    assert!(!said.contains("eu2") && said.contains("40"), "{said}");
    assert_eq!(first_error(&run(&mut ann, "create table x (a int)")), Some(916));
    let said = run(
        &mut sa,
        "create login eve with password = 'Lake-1234567'; use master; grant impersonate on login::eve to ann; use shop; create user eve",
    );
    assert_eq!(first_error(&said), None, "{said}");
    let mut again = session_of(&engine, "ann");
    assert_eq!(run(&mut again, "execute as login = 'eve'"), "");
    let said = run(
        &mut sa,
        "drop user eve; drop login eve; create login boss with password = 'Lake-1234567'; alter server role sysadmin add member boss",
    );
    assert_eq!(first_error(&said), None, "{said}");
    assert_ne!(first_error(&run(&mut again, "create table x (a int)")), None);
}

/// OPEN runs the query of a cursor by the rights of who opens.
#[test]
fn a_cursor_is_opened_by_who_may_read() {
    let (engine, mut sa) = stage(
        "create table t (a int); insert t values (5); grant select on t to ann\nGO\n\
         create procedure p as declare gp cursor global for select a from t\nGO\ngrant execute on p to ann",
    );
    let mut ann = session_of(&engine, "ann");
    assert_eq!(first_error(&run(&mut ann, "declare gc cursor global for select a from t; open gc; close gc")), None);
    assert_eq!(run(&mut sa, "revoke select on t from ann"), "");
    assert_eq!(first_error(&run(&mut ann, "open gc")), Some(229));
    assert_eq!(first_error(&run(&mut ann, "exec p")), None);
    assert_eq!(first_error(&run(&mut ann, "open gp")), Some(229));
}

/// CASCADE takes what was handed on for a column; a role's option counts by AS.
#[test]
fn what_was_handed_on_goes_with_its_source() {
    let (engine, mut sa) = stage(
        "create user u2 without login; create user u3 without login\nGO\ncreate table g (a int); create role r\nGO\n\
         alter role r add member ann; grant select on g to r with grant option",
    );
    let mut ann = session_of(&engine, "ann");
    assert_eq!(first_error(&run(&mut ann, "grant select on g to u3 as r")), None);
    assert_eq!(run(&mut sa, "revoke select on g from r cascade"), "");
    let grants = "select count(*) from sys.database_permissions where major_id = object_id('g')";
    assert!(run(&mut sa, grants).contains("\n0\n"));
    assert_eq!(run(&mut sa, "grant select on g to ann with grant option"), "");
    assert_eq!(first_error(&run(&mut ann, "grant select on g (a) to u2")), None);
    assert_eq!(run(&mut sa, "revoke select on g from ann cascade"), "");
    assert!(run(&mut sa, grants).contains("\n0\n"));
}

/// Who makes a database owns it.
#[test]
fn a_database_is_its_makers() {
    let (engine, _) = stage("alter server role dbcreator add member ann");
    let mut ann = session_of(&engine, "ann");
    assert_eq!(first_error(&run(&mut ann, "create database hers")), None);
    let said = run(&mut ann, "use hers create table t (a int) select user_name()");
    assert!(first_error(&said).is_none() && said.contains("dbo"), "{said}");
}

/// An inline function shows the state of the server only to a user that may see it.
#[test]
fn state_inside_of_functions_is_asked_for() {
    let (engine, _) = stage(
        "create function f () returns table as return select wait_type from sys.dm_os_wait_stats\nGO\ngrant select on f to ann",
    );
    let mut ann = session_of(&engine, "ann");
    assert_eq!(first_error(&run(&mut ann, "select count(*) from f()")), Some(300));
}

/// BACKUP and RESTORE of a database that a variable names are of that database.
#[test]
fn a_variable_names_a_database_as_its_name_does() {
    let (engine, _) = stage("create database other");
    let mut ann = session_of(&engine, "ann");
    let of = |words: &str| format!("declare @d sysname = 'other'; {words} @d to disk = 'x.bak'");
    assert_eq!(first_error(&run(&mut ann, &of("backup database"))), Some(262));
    assert_eq!(first_error(&run(&mut ann, &of("backup log"))), Some(262));
    let restore = "declare @d sysname = 'other'; restore database @d from disk = 'x.bak' with replace";
    assert_eq!(first_error(&run(&mut ann, restore)), Some(262));
}
