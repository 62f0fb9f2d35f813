//! msdb: tables that are there before anybody has written them, and what backups and restores leave in them.

use millpond_query::session::Session;

use crate::harness::{engine_in, run, session};

/// The rows of a query, a line each.
fn rows(session: &mut Session, query: &str) -> Vec<String> {
    let said = run(session, query);
    assert!(!said.contains("Msg "), "{query}: {said}");
    let lines = said.lines().filter(|line| !line.starts_with('[') && !line.starts_with('('));
    lines.map(str::to_owned).collect()
}

#[test]
fn tables_of_msdb_have_their_columns_before_anybody_has_written_them() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let mut one = session(&engine);
    assert_eq!(rows(&mut one, "select count(*) from msdb.dbo.sysjobs"), ["0"]);
    assert_eq!(rows(&mut one, "select count(*) from msdb..backupset where type = 'D'"), ["0"]);
    assert!(rows(&mut one, "select top (0) * from msdb.dbo.suspect_pages").is_empty());
    assert!(run(&mut one, "select * from dbo.sysjobs").contains("Msg 208"));
    run(&mut one, "use msdb");
    let query = "select j.name, h.message from sysjobhistory as h join sysjobs as j on j.job_id = h.job_id";
    assert!(rows(&mut one, query).is_empty());
}

#[test]
fn backups_and_restores_leave_their_history() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let engine = engine_in(64 << 20, &data);
    let mut one = session(&engine);
    run(&mut one, "create database kept; alter database kept set recovery full");
    run(&mut one, "create table kept.dbo.t (a int primary key); insert kept.dbo.t values (1), (2)");
    let (full, copy, log) = (path("full.bak"), path("copy.bak"), path("log.trn"));
    let begun = "declare @name nvarchar(20) = N'by a variable'";
    for statement in [
        format!("backup database kept to disk = '{full}' with init, name = N'it''s kept', description = 'twice'"),
        format!("{begun} backup database kept to disk = '{copy}' with copy_only, name = @name"),
        format!("set rowcount 1 backup log kept to disk = '{log}' with name = '' set rowcount 0"),
    ] {
        assert!(run(&mut one, &statement).contains("successfully processed"), "{statement}");
    }
    let query = "select database_name, name, description, type, is_copy_only, user_name, recovery_model,
        iif(backup_size > 0 and last_lsn >= first_lsn and backup_finish_date >= backup_start_date
            and backup_start_date > dateadd(minute, -5, getdate()), 'right', 'wrong'),
        iif(database_backup_lsn = 0, 'none', 'base'), iif(server_name = @@servername, 'here', 'elsewhere')
        from msdb.dbo.backupset order by backup_set_id";
    assert_eq!(
        rows(&mut one, query),
        [
            "kept | it's kept | twice | D | 0 | sa | FULL | right | none | here",
            "kept | by a variable | NULL | D | 1 | sa | FULL | right | base | here",
            "kept |  | NULL | L | 0 | sa | FULL | right | base | here",
        ]
    );
    let query = "select s.type, f.physical_device_name, f.device_type from msdb.dbo.backupset as s
        join msdb.dbo.backupmediafamily as f on f.media_set_id = s.media_set_id order by s.backup_set_id";
    assert_eq!(rows(&mut one, query), [format!("D | {full} | 2"), format!("D | {copy} | 2"), format!("L | {log} | 2")]);
    let query = "select file_number, file_type, logical_name, filegroup_name from msdb.dbo.backupfile
        where backup_set_id = 1 order by file_number";
    assert_eq!(rows(&mut one, query), ["1 | D | kept | PRIMARY", "2 | L | kept_log | NULL"]);

    let query = "select type, iif(last_valid_restore_time between dateadd(minute, -5, getdate()) and getdate(), 1, 0)
        from msdb.dbo.backupset order by backup_set_id";
    assert_eq!(rows(&mut one, query), ["D | 1", "D | 1", "L | 1"]);
    let lines: Vec<String> = engine.error_log().lines().into_iter().map(|line| line.text).collect();
    let said =
        |begin: &str, end: &str| lines.iter().filter(|line| line.starts_with(begin) && line.contains(end)).count();
    assert_eq!(said("Database backed up. Database: kept, ", "TYPE=DISK: {'"), 2, "{lines:?}");
    assert_eq!(said("Log was backed up. Database: kept, ", &format!("{{'{log}'}}")), 1, "{lines:?}");

    // What fails leaves none.
    let notes = path("notes.txt");
    std::fs::write(&notes, "no backup").unwrap();
    assert!(run(&mut one, &format!("backup database kept to disk = '{notes}'")).contains("Msg 3013"));
    assert!(run(&mut one, "begin transaction backup database kept to disk = 'no.bak' rollback").contains("Msg 3021"));
    assert_eq!(rows(&mut one, "select count(*) from msdb.dbo.backupset"), ["3"]);

    for statement in [
        format!("restore database kept from disk = '{full}' with replace"),
        format!(
            "restore database other from disk = '{full}' with move 'kept' to '{}', move 'kept_log' to '{}', norecovery",
            path("other.mdf"),
            path("other.ldf")
        ),
        format!("restore log other from disk = '{log}'"),
    ] {
        let said = run(&mut one, &statement);
        assert!(said.contains("successfully processed"), "{statement}: {said}");
    }
    let lines: Vec<String> = engine.error_log().lines().into_iter().map(|line| line.text).collect();
    for begin in [
        "Database was restored: Database: kept, creation date(time): ",
        "Database was restored: Database: other, creation date(time): ",
        "Log was restored. Database: other, creation date(time): ",
    ] {
        assert!(
            lines.iter().any(|line| line.starts_with(begin) && line.contains("TYPE=DISK: {'")),
            "{begin} in {lines:?}"
        );
    }
    let query = "select h.destination_database_name, h.restore_type, h.replace, h.recovery, h.user_name, s.name
        from msdb.dbo.restorehistory as h join msdb.dbo.backupset as s on s.backup_set_id = h.backup_set_id
        order by h.restore_history_id";
    assert_eq!(
        rows(&mut one, query),
        ["kept | D | 1 | 1 | sa | it's kept", "other | D | 0 | 0 | sa | it's kept", "other | L | 0 | 1 | sa | "]
    );
    let query =
        "select destination_phys_name from msdb.dbo.restorefile where restore_history_id = 2 order by file_number";
    assert_eq!(rows(&mut one, query), [path("other.mdf"), path("other.ldf")]);
    assert_eq!(rows(&mut one, "select count(*) from msdb.dbo.backupset"), ["3"]);

    // They are tables like others, and stay over a restart.
    assert_eq!(rows(&mut one, "select count(*) from msdb.sys.tables"), ["8"]);
    drop(one);
    drop(engine);
    let engine = engine_in(64 << 20, &data);
    let mut one = session(&engine);
    assert_eq!(rows(&mut one, "select count(*) from msdb.dbo.restorehistory"), ["3"]);

    // A backup made elsewhere is noted when it is restored.
    run(&mut one, "delete msdb.dbo.backupset; delete msdb.dbo.restorehistory");
    assert!(
        run(&mut one, &format!("restore database kept from disk = '{full}' with replace")).contains("successfully")
    );
    let query = "select s.database_name, s.type from msdb.dbo.restorehistory as h
        join msdb.dbo.backupset as s on s.backup_set_id = h.backup_set_id";
    assert_eq!(rows(&mut one, query), ["kept | D"]);

    // H1: where msdb cannot take it, the backup has succeeded still.
    run(&mut one, "drop table msdb.dbo.backupmediaset; create table msdb.dbo.backupmediaset (other int)");
    let said = run(&mut one, &format!("backup database kept to disk = '{}' with init", path("last.bak")));
    assert!(said.contains("Msg 3009") && said.contains("successfully processed"), "{said}");
    let said = run(&mut one, &format!("restore verifyonly from disk = '{}'", path("last.bak")));
    assert!(said.contains("valid"), "{said}");
}

#[test]
fn who_may_define_in_msdb_gains_nothing_by_the_backups_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let engine = engine_in(64 << 20, &data);
    let mut one = session(&engine);
    run(&mut one, "create database kept; create login definer with password = 'Sch0n.lang.genug'");
    run(&mut one, &format!("backup database kept to disk = '{}'", path("first.bak")));
    run(&mut one, "use msdb create user definer for login definer alter role db_ddladmin add member definer");
    for trigger in [
        "create trigger dbo.evil on dbo.backupset after insert as exec ('alter server role sysadmin add member definer')",
        "create trigger evil_too on database for create_table as exec ('alter server role sysadmin add member definer')",
    ] {
        let said =
            run(&mut one, &format!("execute as login = 'definer' exec ('{}') revert", trigger.replace('\'', "''")));
        assert!(!said.contains("Msg "), "{said}");
    }
    run(&mut one, "drop table msdb.dbo.restorefile use master");
    let said = run(&mut one, &format!("backup database kept to disk = '{}'", path("second.bak")));
    assert!(said.contains("successfully processed") && said.contains("Msg 3009"), "{said}");
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with("Msg ")).collect();
    let mut distinct = told.clone();
    distinct.dedup();
    assert!(told.len() > 1 && told == distinct, "each cause once: {said}");
    assert_eq!(rows(&mut one, "select is_srvrolemember('sysadmin', 'definer')"), ["0"]);
    // Without them the history goes on.
    run(&mut one, "use msdb drop trigger dbo.evil drop trigger evil_too on database use master");
    let said = run(&mut one, &format!("backup database kept to disk = '{}'", path("third.bak")));
    assert!(!said.contains("Msg "), "{said}");
    assert_eq!(rows(&mut one, "select count(*) from msdb.dbo.backupset"), ["2"]);
}

/// Pages of the log in what a backup or a restore says.
fn log_pages(said: &str, log: &str) -> u64 {
    let about = format!("file '{log}'");
    let line = said.lines().find(|line| line.contains(&about)).unwrap_or_else(|| panic!("{log}: {said}"));
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| *word == "pages").expect("pages");
    words[at - 1].parse().expect("a number")
}

#[test]
fn a_restore_says_the_pages_of_log_that_its_backup_said() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let engine = engine_in(64 << 20, &data);
    let mut one = session(&engine);
    run(&mut one, "create database kept; alter database kept set recovery full");
    let full = run(&mut one, &format!("backup database kept to disk = '{}'", path("full.bak")));
    run(&mut one, "create table kept.dbo.t (a int primary key, v char(4000))");
    run(&mut one, "insert kept.dbo.t select value, 'x' from generate_series(1, 400)");
    let log = run(&mut one, &format!("backup log kept to disk = '{}'", path("log.trn")));
    let (of_full, of_log) = (log_pages(&full, "kept_log"), log_pages(&log, "kept_log"));
    assert!(of_full < 20 && (200..1_000).contains(&of_log), "{full} {log}");
    let again =
        run(&mut one, &format!("restore database kept from disk = '{}' with replace, norecovery", path("full.bak")));
    assert_eq!(log_pages(&again, "kept_log"), of_full);
    let again = run(&mut one, &format!("restore log kept from disk = '{}'", path("log.trn")));
    assert_eq!(log_pages(&again, "kept_log"), of_log);
    assert_eq!(rows(&mut one, "select count(*) from kept.dbo.t"), ["400"]);
}

#[test]
fn a_database_that_was_put_back_to_a_snapshot_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let mut one = session(&engine);
    run(&mut one, "create database kept");
    run(&mut one, "create database kept_then on (name = kept, filename = 'kept_then.ss') as snapshot of kept");
    let said = run(&mut one, "restore database kept from database_snapshot = 'kept_then'");
    assert!(!said.contains("Msg "), "{said}");
    let query = "select destination_database_name, user_name, restore_type, replace, recovery, restart, device_count,
        stop_at, stop_before, backup_set_id, iif(restore_date > dateadd(minute, -5, getdate()), 'now', 'then')
        from msdb.dbo.restorehistory";
    assert_eq!(rows(&mut one, query), ["kept | sa | R | 0 | 1 | 0 | 1 | NULL | NULL | NULL | now"]);
    assert_eq!(rows(&mut one, "select count(*) from msdb.dbo.backupset"), ["0"]);
}

#[test]
fn a_history_waits_for_locks_as_long_as_its_session_wants_to() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let (mut one, mut other) = (session(&engine), session(&engine));
    run(&mut one, "create database kept");
    let path = |name: &str| dir.path().join(name).display().to_string();
    run(&mut one, &format!("backup database kept to disk = '{}'", path("first.bak")));
    run(&mut other, "begin transaction; delete msdb.dbo.backupset with (tablockx)");
    let said = run(&mut one, &format!("set lock_timeout 50; backup database kept to disk = '{}'", path("second.bak")));
    assert!(said.contains("successfully processed") && said.contains("Msg 3009"), "{said}");
    assert_eq!(said.matches("Msg 1222").count(), 1, "{said}");
    run(&mut other, "rollback");
    let said = run(&mut one, &format!("backup database kept to disk = '{}'", path("third.bak")));
    assert!(!said.contains("Msg "), "{said}");
    assert_eq!(rows(&mut one, "select count(*) from msdb.dbo.backupset"), ["2"]);
}

#[test]
fn a_history_has_the_names_of_media_the_expiry_and_the_filegroups() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let engine = engine_in(64 << 20, &data);
    let mut one = session(&engine);
    run(&mut one, "create database kept; alter database kept add filegroup other");
    let file = path("other1.ndf");
    let said = run(
        &mut one,
        &format!("alter database kept add file (name = other1, filename = '{file}', size = 2MB) to filegroup other"),
    );
    assert_eq!(said, "");
    for (name, with) in [
        ("a", "medianame = N'it''s shelf', mediadescription = 'second', expiredate = '20991231'"),
        ("b", "retaindays = 3"),
        ("c", "copy_only"),
    ] {
        let said = run(&mut one, &format!("backup database kept to disk = '{}' with {with}", path(name)));
        assert!(said.contains("successfully processed"), "{said}");
    }
    let query = "select m.name, m.description, convert(varchar(10), s.expiration_date, 120), database_version,
        datediff(day, s.backup_start_date, s.expiration_date) / 10000
        from msdb.dbo.backupset as s join msdb.dbo.backupmediaset as m on m.media_set_id = s.media_set_id where s.backup_set_id = 1";
    assert_eq!(rows(&mut one, query), ["it's shelf | second | 2099-12-31 | 957 | 2"]);
    let query = "select datediff(day, backup_start_date, expiration_date), expiration_date from msdb.dbo.backupset
        where backup_set_id = 2";
    assert!(rows(&mut one, query)[0].starts_with("3 | "), "{:?}", rows(&mut one, query));
    assert_eq!(rows(&mut one, "select expiration_date from msdb.dbo.backupset where backup_set_id = 3"), ["NULL"]);
    let query =
        "select logical_name, filegroup_name from msdb.dbo.backupfile where backup_set_id = 1 order by file_number";
    assert_eq!(rows(&mut one, query), ["kept | PRIMARY", "kept_log | NULL", "other1 | other"]);
    let query = "select name, filegroup_id, is_default from msdb.dbo.backupfilegroup where backup_set_id = 1";
    assert_eq!(rows(&mut one, query), ["PRIMARY | 1 | 1", "other | 2 | 0"]);
}
