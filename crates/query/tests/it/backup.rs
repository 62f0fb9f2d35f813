//! Databases as a whole, over files: backups and their restores, states and who may use them, detached and attached.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use tempfile::TempDir;

use crate::harness::{engine_in, run, session};

fn path(dir: &Path, name: &str) -> String {
    dir.join(name).display().to_string()
}

/// The numbers of the messages and errors, and the rows; texts with times in them cannot be compared.
fn numbers(said: &str) -> Vec<&str> {
    said.lines().map(|line| line.split([',', ':']).next().unwrap_or(line)).collect()
}

/// A folder, an engine with its data in `data` of it, and a session.
fn in_folder() -> (TempDir, Arc<Engine>, Session) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let engine = engine_in(64 << 20, &data);
    let one = session(&engine);
    (dir, engine, one)
}

#[test]
fn a_backup_that_is_to_be_compressed_says_that_it_is_not() {
    let (dir, _engine, mut one) = in_folder();
    let full = path(dir.path(), "full.bak");
    assert_eq!(run(&mut one, "create database db"), "");
    let said = run(&mut one, &format!("backup database db to disk = '{full}' with init, compression, stats = 10"));
    assert!(said.starts_with("# The backup of database 'db' is not compressed"), "{said}");
    assert!(said.contains("BACKUP DATABASE successfully processed"), "{said}");
    let said = run(&mut one, &format!("restore database db from disk = '{full}' with replace, compression"));
    assert!(said.contains("Msg 40517"), "{said}");
}

#[test]
fn a_request_says_how_far_its_work_has_come() {
    let (dir, engine, mut one) = in_folder();
    let mut asked = || {
        let text = "select concat(@@spid, ' ', percent_complete, iif(estimated_completion_time > 0, ' more', '')) \
                    from sys.dm_exec_requests where session_id = @@spid";
        let said = run(&mut one, text);
        said.lines()
            .nth(1)
            .and_then(|row| row.split_once(' '))
            .map(|(id, rest)| (id.to_owned(), rest.to_owned()))
            .expect("a row")
    };
    let (id, percent) = asked();
    assert_eq!(percent, "0");
    let task = Arc::clone(&engine.session(id.parse().expect("a number")).expect("it is there").task);
    let under_way = task.progress.begin(8, engine.clock_us());
    assert_eq!(asked().1, "0");
    task.progress.add(2);
    assert_eq!(asked().1.split(' ').next(), Some("25"));
    drop(under_way);
    let full = path(dir.path(), "full.bak");
    run(&mut one, "create database db");
    run(&mut one, &format!("backup database db to disk = '{full}'"));
    run(&mut one, &format!("restore database db from disk = '{full}' with replace"));
    run(&mut one, "dbcc checkdb (db)");
    assert_eq!(task.progress.share(), None, "what is over is not under way");
}

#[test]
fn a_database_is_backed_up_and_restored_over_itself_and_under_another_name() {
    let (dir, _engine, mut one) = in_folder();
    let files = dir.path();
    let full = path(files, "full.bak");
    assert_eq!(run(&mut one, "create database db"), "");
    run(
        &mut one,
        "create table db.dbo.t (id int primary key, s varchar(100)) insert db.dbo.t values (1, 'a'), (2, 'b')",
    );
    let said = run(&mut one, &format!("backup database db to disk = '{full}' with init, checksum"));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(
        lines[0].starts_with("# Processed ") && lines[0].ends_with("pages for database 'db', file 'db' on file 1."),
        "{said}"
    );
    assert!(lines[1].ends_with("file 'db_log' on file 1."), "{said}");
    assert!(lines[2].starts_with("# BACKUP DATABASE successfully processed "), "{said}");
    assert_eq!(
        run(&mut one, &format!("restore verifyonly from disk = '{full}'")),
        "# The backup set on file 1 is valid.\n"
    );

    run(&mut one, "delete db.dbo.t where id = 1");
    let said = run(&mut one, &format!("restore database db from disk = '{full}'"));
    assert_eq!(numbers(&said), ["Msg 3159", "Msg 3013"], "{said}");
    assert_eq!(run(&mut one, "select count(*) as n from db.dbo.t"), "[n:int]\n1\n(1 rows affected)\n");
    let said = run(&mut one, &format!("restore database db from disk = '{full}' with replace"));
    assert!(said.contains("# RESTORE DATABASE successfully processed "), "{said}");
    assert_eq!(run(&mut one, "select count(*) as n from db.dbo.t"), "[n:int]\n2\n(1 rows affected)\n");

    let said = run(
        &mut one,
        &format!(
            "restore database copy from disk = '{full}' with move 'db' to '{}', move 'db_log' to '{}'",
            path(files, "copy.mdf"),
            path(files, "copy.ldf")
        ),
    );
    assert!(said.contains("# RESTORE DATABASE successfully processed "), "{said}");
    assert_eq!(
        run(&mut one, "insert copy.dbo.t values (3, 'c') select sum(id) as s from copy.dbo.t"),
        "(1 rows affected)\n[s:int]\n6\n(1 rows affected)\n"
    );
    let said = run(&mut one, &format!("restore filelistonly from disk = '{full}'"));
    assert!(said.contains("\ndb | ") && said.contains("\ndb_log | "), "{said}");
    let said = run(&mut one, &format!("restore headeronly from disk = '{full}'"));
    assert!(said.contains(" | db | "), "{said}");
}

#[test]
fn a_file_has_several_backups() {
    let (dir, _engine, mut one) = in_folder();
    let all = path(dir.path(), "all.bak");
    run(&mut one, "create database db create table db.dbo.t (id int primary key)");
    let said = run(&mut one, &format!("insert db.dbo.t values (1) backup database db to disk = '{all}'"));
    assert!(said.contains("file 'db' on file 1."), "{said}");
    let said = run(&mut one, &format!("insert db.dbo.t values (2) backup log db to disk = '{all}' with noinit"));
    assert!(said.contains("file 'db_log' on file 2."), "{said}");
    let said = run(&mut one, &format!("insert db.dbo.t values (3) backup database db to disk = '{all}'"));
    assert!(said.contains("file 'db' on file 3."), "{said}");
    let listed = run(&mut one, &format!("restore headeronly from disk = '{all}'"));
    let kinds: Vec<Vec<&str>> =
        listed.lines().skip(1).map(|line| line.split(" | ").skip(2).take(3).collect()).collect();
    assert_eq!(kinds[..3], [["1", "0", "1"], ["2", "0", "2"], ["1", "0", "3"]], "{listed}");
    assert!(listed.ends_with("(3 rows affected)\n"), "{listed}");
    let listed = run(&mut one, &format!("restore headeronly from disk = '{all}' with file = 2"));
    assert!(listed.ends_with("(1 rows affected)\n") && listed.contains(" | 2 | 0 | 2 | "), "{listed}");
    assert_eq!(
        run(&mut one, &format!("declare @n int = 3 restore verifyonly from disk = '{all}' with file = @n")),
        "# The backup set on file 3 is valid.\n"
    );
    let count = |one: &mut Session, with: &str, what: &str| {
        let said = run(one, &format!("restore {what} db from disk = '{all}' with {with}"));
        let rows = run(one, "select count(*) as n from db.dbo.t");
        (numbers(&said).last().map(|line| line.to_string()), rows)
    };
    let rows = |count: u32| format!("[n:int]\n{count}\n(1 rows affected)\n");
    assert_eq!(count(&mut one, "replace", "database").1, rows(1));
    assert_eq!(count(&mut one, "replace, file = 3", "database").1, rows(3));
    run(&mut one, &format!("restore database db from disk = '{all}' with replace, norecovery"));
    assert_eq!(count(&mut one, "file = 2", "log").1, rows(2));
    for (file, number) in [("0", "Msg 3250"), ("-1", "Msg 3250"), ("4", "Msg 4038")] {
        let said = run(&mut one, &format!("restore verifyonly from disk = '{all}' with file = {file}"));
        assert_eq!(numbers(&said), [number, "Msg 3013"], "{said}");
    }
    let positions = run(
        &mut one,
        "select position, type from msdb.dbo.backupset where database_name = 'db' order by backup_set_id",
    );
    assert!(positions.contains("\n1 | D\n2 | L\n3 | D\n"), "{positions}");
    let said = run(&mut one, &format!("backup database db to disk = '{all}' with init"));
    assert!(said.contains("file 'db' on file 1."), "{said}");
    let listed = run(&mut one, &format!("restore headeronly from disk = '{all}'"));
    assert!(listed.ends_with("(1 rows affected)\n"), "{listed}");
}

#[test]
fn log_backups_are_restored_in_their_order_only() {
    let (dir, _engine, mut one) = in_folder();
    let files = dir.path();
    run(&mut one, "create database db");
    run(&mut one, "create table db.dbo.t (id int primary key)");
    let said = run(&mut one, &format!("backup log db to disk = '{}'", path(files, "none.trn")));
    assert_eq!(numbers(&said), ["Msg 4214", "Msg 3013"]);
    let device = |name: &str| format!("disk = '{}'", path(files, name));
    run(&mut one, &format!("backup database db to {}", device("full.bak")));
    for (id, name) in [(1, "1.trn"), (2, "2.trn")] {
        run(&mut one, &format!("insert db.dbo.t values ({id})"));
        let said = run(&mut one, &format!("backup log db to {}", device(name)));
        assert!(said.contains("# BACKUP LOG successfully processed "), "{said}");
    }
    run(&mut one, "insert db.dbo.t values (3)");
    let restore = |what: &str, name: &str, with: &str| format!("restore {what} db from {} with {with}", device(name));
    let said = run(&mut one, &restore("log", "1.trn", "norecovery"));
    assert_eq!(numbers(&said), ["Msg 3117", "Msg 3013"], "{said}");
    run(&mut one, &restore("database", "full.bak", "replace, norecovery"));
    assert_eq!(numbers(&run(&mut one, "use db")), ["Msg 927"]);
    let said = run(&mut one, &restore("log", "2.trn", "norecovery"));
    assert_eq!(numbers(&said), ["Msg 4305", "Msg 3013"], "{said}");
    assert!(run(&mut one, &restore("log", "1.trn", "norecovery")).contains("# RESTORE LOG successfully"));
    assert!(run(&mut one, &restore("log", "2.trn", "norecovery")).contains("# RESTORE LOG successfully"));
    let said = run(&mut one, &restore("log", "1.trn", "norecovery"));
    assert_eq!(numbers(&said), ["Msg 4326", "Msg 3013"], "{said}");
    let said = run(&mut one, "restore database db with recovery");
    assert!(said.starts_with("# RESTORE DATABASE successfully processed 0 pages"), "{said}");
    assert_eq!(run(&mut one, "select sum(id) as s from db.dbo.t"), "[s:int]\n3\n(1 rows affected)\n");
    run(&mut one, "alter database db set recovery simple");
    let said = run(&mut one, &format!("backup log db to {}", device("3.trn")));
    assert_eq!(numbers(&said), ["Msg 4208", "Msg 3013"], "{said}");
    // What came in between is in no log backup: the chain begins anew, with a full backup in FULL.
    run(&mut one, &format!("backup database db to {}", device("simple.bak")));
    run(&mut one, "alter database db set recovery full");
    let said = run(&mut one, &format!("backup log db to {}", device("3.trn")));
    assert_eq!(numbers(&said), ["Msg 4214", "Msg 3013"], "{said}");
    run(&mut one, &format!("backup database db to {}", device("again.bak")));
    let said = run(&mut one, &format!("backup log db to {}", device("3.trn")));
    assert!(said.contains("# BACKUP LOG successfully processed "), "{said}");
}

/// Full backups do not end the chain of log backups: it leads over them, and goes on from each.
#[test]
fn log_backups_go_on_across_full_backups() {
    let (dir, _engine, mut one) = in_folder();
    let files = dir.path();
    let device = |name: &str| format!("disk = '{}'", path(files, name));
    let now = |one: &mut Session| {
        let said = run(one, "waitfor delay '00:00:00.03' select sysdatetime() as t waitfor delay '00:00:00.03'");
        said.lines().nth(1).expect("a row").to_owned()
    };
    run(&mut one, "create database db create table db.dbo.t (id int primary key)");
    for (name, id) in [("f", 1), ("l1", 2)] {
        let what = if name.starts_with('l') { "log" } else { "database" };
        run(&mut one, &format!("backup {what} db to {} insert db.dbo.t values ({id})", device(name)));
    }
    let before_g = now(&mut one);
    run(&mut one, &format!("backup database db to {} insert db.dbo.t values (3)", device("g")));
    let after_g = now(&mut one);
    run(&mut one, &format!("insert db.dbo.t values (4) backup log db to {}", device("l2")));
    run(&mut one, &format!("insert db.dbo.t values (5) backup database db to {}", device("h")));
    let more = "use db create table u (id int, pad char(7000)) insert u select value, 'x' from generate_series(1, 900) \
                checkpoint use master";
    run(&mut one, more);
    let said = run(&mut one, "select log_reuse_wait_desc from sys.databases where name = 'db'");
    assert!(said.contains("LOG_BACKUP"), "{said}");
    run(&mut one, &format!("insert db.dbo.t values (6) backup log db to {}", device("l3")));
    let moves = ["db", "db_log"].map(|name| format!("move '{name}' to '{}'", path(files, &format!("c_{name}"))));
    let moves = moves.join(", ");
    let mut restored = |names: &[&str], stop: &str| {
        run(&mut one, "drop database if exists c");
        let mut last = String::new();
        for (nth, name) in names.iter().enumerate() {
            let what = if name.starts_with('l') { "log" } else { "database" };
            let with = if nth + 1 == names.len() { format!("recovery{stop}") } else { "norecovery".to_owned() };
            let moves = if nth == 0 { format!(", {moves}") } else { String::new() };
            last = run(&mut one, &format!("restore {what} c from {} with {with}{moves}", device(name)));
        }
        if last.starts_with("Msg") {
            return numbers(&last)[0].to_owned();
        }
        let said = run(&mut one, "dbcc checkdb (c) with no_infomsgs select max(id) * 10 + count(*) as n from c.dbo.t");
        said.lines().nth(1).unwrap_or(&said).to_owned()
    };
    assert_eq!(restored(&["f", "l1", "l2", "l3"], ""), "66");
    assert_eq!(restored(&["g", "l2", "l3"], ""), "66");
    assert_eq!(restored(&["h", "l3"], ""), "66");
    assert_eq!(restored(&["f", "l1", "l2"], ""), "44");
    assert_eq!(restored(&["g", "l2"], ""), "44");
    assert_eq!(restored(&["f", "l1", "l2"], &format!(", stopat = '{before_g}'")), "22");
    assert_eq!(restored(&["f", "l1", "l2"], &format!(", stopat = '{after_g}'")), "33");
    assert_eq!(restored(&["g", "l2"], &format!(", stopat = '{after_g}'")), "33");
    assert_eq!(restored(&["g", "l2"], &format!(", stopat = '{before_g}'")), "Msg 4335");
    assert_eq!(restored(&["f", "l2"], ""), "Msg 4305");
    assert_eq!(restored(&["g", "l1"], ""), "Msg 4326");
    // Each log backup begins at or before the end of the one before; and each names the full backup before it.
    let sets = "with s as (select *, lag(last_lsn) over (partition by type order by backup_set_id) as before from msdb.dbo.backupset) \
                select type, iif(type = 'L' and first_lsn > before, 'gap', ''), iif(first_lsn < last_lsn, '', 'empty'), \
                (select count(*) from s o where o.type = 'D' and o.checkpoint_lsn <= s.database_backup_lsn) \
                from s order by backup_set_id";
    assert_eq!(
        run(&mut one, sets).lines().skip(1).collect::<Vec<_>>().join("\n"),
        "D |  |  | 0\nL |  |  | 1\nD |  |  | 1\nL |  |  | 2\nD |  |  | 2\nL |  |  | 3\n(6 rows affected)"
    );
}

#[test]
fn what_is_no_backup_is_refused_and_the_database_stays() {
    let (dir, engine, mut one) = in_folder();
    let files = dir.path();
    run(&mut one, "create database db create database other");
    run(&mut one, "create table db.dbo.t (id int primary key) insert db.dbo.t values (7)");
    let full = path(files, "full.bak");
    run(&mut one, &format!("backup database db to disk = '{full}'"));
    let text = path(files, "text.bak");
    std::fs::write(&text, vec![b'x'; 100_000]).unwrap();
    let restore = |from: &str, db: &str| format!("restore database {db} from disk = '{from}' with replace");
    assert_eq!(numbers(&run(&mut one, &restore(&text, "db"))), ["Msg 3241", "Msg 3013"]);
    assert_eq!(numbers(&run(&mut one, &restore(&path(files, "no.bak"), "db"))), ["Msg 3201", "Msg 3013"]);
    let mut bytes = std::fs::read(&full).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xFF;
    let broken = path(files, "broken.bak");
    std::fs::write(&broken, bytes).unwrap();
    assert_eq!(numbers(&run(&mut one, &restore(&broken, "db"))), ["Msg 3189", "Msg 3013"]);
    let said = run(&mut one, &format!("restore database other from disk = '{full}'"));
    assert_eq!(numbers(&said), ["Msg 3154", "Msg 3013"]);
    assert_eq!(run(&mut one, "select id from db.dbo.t"), "[id:int]\n7\n(1 rows affected)\n");
    assert_eq!(
        numbers(&run(&mut one, "begin tran restore database db with recovery rollback")),
        ["Msg 3021", "Msg 3013"]
    );
    let mut two = session(&engine);
    run(&mut two, "use db");
    assert_eq!(numbers(&run(&mut one, &restore(&full, "db"))), ["Msg 3101", "Msg 3013"]);
}

/// INIT and FORMAT overwrite backups alone: the server lives by other files beside them.
#[test]
fn a_backup_overwrites_backups_and_no_other_file() {
    let (dir, engine, mut one) = in_folder();
    let files = dir.path();
    let data = files.join("data");
    run(&mut one, "create database db create database other");
    run(&mut one, "create table db.dbo.t (id int) insert db.dbo.t values (1)");
    let foreign = path(files, "foreign.txt");
    std::fs::write(&foreign, "a letter").unwrap();
    std::fs::write(path(files, "empty.bak"), "").unwrap();
    let is_full = |name: &str| run(&mut session(&engine), &format!("restore verifyonly from disk = '{name}'"));
    let own = |name: &str| path(&data, name);
    for name in [own("db.mdf"), own("db_log.ldf"), own("other.mdf"), own("instance.toml"), foreign.clone()] {
        let before = std::fs::read(&name).unwrap_or_else(|_| panic!("{name} is there"));
        for with in ["init", "format", "init, copy_only"] {
            let said = run(&mut one, &format!("backup database db to disk = '{name}' with {with}"));
            assert_eq!(numbers(&said), ["Msg 3242", "Msg 3013"], "{name} with {with}: {said}");
        }
        let after = std::fs::read(&name).unwrap_or_else(|_| panic!("{name} is still there"));
        // Checkpoints write to the database's own.
        assert_eq!(after[..8], before[..8], "{name}");
    }
    assert_eq!(std::fs::read(&foreign).unwrap(), b"a letter");
    let said = run(&mut one, &format!("backup database db to disk = '{}'", path(files, "")));
    assert_eq!(numbers(&said).last(), Some(&"Msg 3013"), "a folder: {said}");
    for name in ["empty.bak", "new.bak", "new.bak"] {
        let said = run(&mut one, &format!("backup database db to disk = '{}' with init", path(files, name)));
        assert!(said.contains("# BACKUP DATABASE successfully"), "{name}: {said}");
        assert_eq!(is_full(&path(files, name)), "# The backup set on file 1 is valid.\n");
    }
    assert_eq!(
        run(&mut one, "checkpoint dbcc checkdb (db) with no_infomsgs select id from db.dbo.t"),
        "[id:int]\n1\n(1 rows affected)\n"
    );
}

#[test]
fn detached_files_are_attached_again_and_an_offline_database_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let mut one = session(&engine);
    run(&mut one, "create database db");
    run(&mut one, "create table db.dbo.t (id int primary key) insert db.dbo.t values (7)");
    let said =
        run(&mut one, "select physical_name from sys.master_files where database_id = db_id('db') and file_id = 1");
    let primary = said.lines().nth(1).unwrap().to_owned();
    assert_eq!(run(&mut one, "alter database db set offline"), "");
    assert_eq!(numbers(&run(&mut one, "use db")), ["Msg 942"]);
    assert_eq!(
        run(&mut one, "select state_desc from sys.databases where name = 'db'"),
        "[state_desc:nvarchar(60)]\nOFFLINE\n(1 rows affected)\n"
    );
    assert_eq!(run(&mut one, "alter database db set online"), "");
    assert_eq!(run(&mut one, "select id from db.dbo.t"), "[id:int]\n7\n(1 rows affected)\n");
    let (folder, file) = primary.rsplit_once('/').unwrap();
    let by_another_name = format!("create database again on (filename = '{folder}/./{file}') for attach");
    let said = run(&mut one, &by_another_name);
    assert!(said.starts_with("Msg 5120") && said.contains("32(") && said.lines().count() == 1, "{said}");
    assert_eq!(run(&mut one, "exec sp_detach_db 'db'"), "");
    assert_eq!(numbers(&run(&mut one, "use db")), ["Msg 911"]);
    assert_eq!(run(&mut one, &format!("create database again on (filename = '{primary}') for attach")), "");
    assert_eq!(run(&mut one, "select id from again.dbo.t"), "[id:int]\n7\n(1 rows affected)\n");
    // A log of another name, and a second data file, lie beside it; a copy of the log makes it a question which one counts.
    let second = dir.path().join("second.ndf");
    assert_eq!(
        run(&mut one, &format!("alter database again add file (name = more, filename = '{}')", second.display())),
        ""
    );
    assert_eq!(run(&mut one, "exec sp_detach_db 'again'"), "");
    let log = std::fs::read_dir(dir.path()).unwrap().flatten().map(|entry| entry.path());
    let log = log.into_iter().find(|path| path.to_string_lossy().ends_with("db_log.ldf")).expect("the log");
    std::fs::rename(&log, dir.path().join("renamed.log")).unwrap();
    std::fs::copy(dir.path().join("renamed.log"), dir.path().join("copy.log")).unwrap();
    let attach = format!("create database third on (filename = '{primary}') for attach");
    assert_ne!(run(&mut one, &attach), "");
    std::fs::remove_file(dir.path().join("copy.log")).unwrap();
    assert_eq!(run(&mut one, &attach), "");
    let said = run(&mut one, "select id from third.dbo.t select count(*) as files from third.sys.database_files");
    assert_eq!(said, "[id:int]\n7\n(1 rows affected)\n[files:int]\n3\n(1 rows affected)\n");
}

#[test]
fn read_only_single_user_and_in_use() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let (mut one, mut two) = (session(&engine), session(&engine));
    run(&mut one, "create database db");
    run(&mut one, "create table db.dbo.t (id int primary key) insert db.dbo.t values (7)");
    assert_eq!(run(&mut one, "alter database db set read_only"), "");
    let said = run(&mut one, "insert db.dbo.t values (8)");
    assert!(
        said.starts_with(
            "Msg 3906, Level 16, State 1, Line 1: Failed to update database \"db\" because the database is read-only."
        ),
        "{said}"
    );
    assert_eq!(numbers(&run(&mut one, "create table db.dbo.u (id int)")), ["Msg 3906"]);
    assert_eq!(run(&mut one, "select id from db.dbo.t"), "[id:int]\n7\n(1 rows affected)\n");
    assert_eq!(run(&mut one, "alter database db set read_write"), "");
    run(&mut two, "use db");
    assert_eq!(numbers(&run(&mut one, "drop database db")), ["Msg 3702"]);
    assert_eq!(numbers(&run(&mut one, "alter database db set single_user with no_wait")), ["Msg 5070", "Msg 5069"]);
    let said = run(&mut one, "alter database db set single_user with rollback immediate");
    assert!(said.starts_with("# Nonqualified transactions are being rolled back."), "{said}");
    drop(two);
    let mut three = session(&engine);
    assert_eq!(run(&mut three, "use db"), "");
    assert_eq!(numbers(&run(&mut one, "use db")), ["Msg 924"]);
    assert_eq!(numbers(&run(&mut one, "alter database db set multi_user")), ["Msg 5064", "Msg 5069"]);
    assert_eq!(run(&mut three, "alter database db set multi_user"), "");
    assert_eq!(run(&mut one, "use db"), "");
    assert_eq!(numbers(&run(&mut one, "begin tran alter database db set auto_close off rollback")), ["Msg 226"]);
}

#[test]
fn a_transaction_from_another_database_keeps_its_database_open() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let (mut one, mut two) = (session(&engine), session(&engine));
    run(&mut one, "create database db");
    run(&mut one, "create table db.dbo.t (id int primary key)");
    run(&mut two, "begin tran insert db.dbo.t values (1)");
    assert_eq!(numbers(&run(&mut one, "alter database db set offline with no_wait")), ["Msg 5070", "Msg 5069"]);
    assert_eq!(numbers(&run(&mut one, "drop database db")), ["Msg 3702"]);
    run(&mut two, "commit");
    assert_eq!(run(&mut one, "alter database db set offline with no_wait"), "");
}

#[test]
fn delayed_durability_commits_and_is_readable() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let mut one = session(&engine);
    run(&mut one, "create database db");
    run(&mut one, "create table db.dbo.t (id int primary key)");
    assert_eq!(run(&mut one, "alter database db set delayed_durability = forced"), "");
    run(&mut one, "begin tran insert db.dbo.t values (1) commit");
    assert_eq!(run(&mut one, "alter database db set delayed_durability = allowed"), "");
    run(&mut one, "begin tran insert db.dbo.t values (2) commit with (delayed_durability = on)");
    assert_eq!(run(&mut one, "select count(*) as n from db.dbo.t"), "[n:int]\n2\n(1 rows affected)\n");
}

/// What came since the full backup comes back with the log: a file, its filegroup, and a table that lies there.
#[test]
fn log_backups_bring_the_files_that_were_added_since() {
    let (dir, _engine, mut one) = in_folder();
    let files = dir.path();
    let (full, log) = (path(files, "full.bak"), path(files, "1.trn"));
    run(&mut one, "create database db");
    run(&mut one, &format!("backup database db to disk = '{full}'"));
    let added =
        "alter database db add filegroup fg2 alter database db add file (name = more, size = 2 MB) to filegroup fg2";
    assert_eq!(run(&mut one, added), "");
    let made = "use db create table t (id int primary key, pad char(4000)) on fg2 \
                insert t select value, 'x' from generate_series(1, 2000) use master";
    run(&mut one, made);
    run(&mut one, &format!("backup log db to disk = '{log}'"));
    let said = run(&mut one, &format!("restore filelistonly from disk = '{log}'"));
    assert!(said.lines().any(|line| line.starts_with("more | ") && line.contains(" | D | fg2 | ")), "{said}");
    let moves = |names: &[&str]| -> String {
        names.iter().map(|name| format!(", move '{name}' to '{}'", path(files, &format!("copy_{name}")))).collect()
    };
    run(&mut one, &format!("restore database copy from disk = '{full}' with norecovery{}", moves(&["db", "db_log"])));
    let said = run(&mut one, &format!("restore log copy from disk = '{log}'"));
    assert_eq!(numbers(&said), ["Msg 1834", "Msg 3013"], "its place is the other database's: {said}");
    let states = "select state_desc from sys.databases where name = 'copy'";
    assert!(run(&mut one, states).contains("\nRESTORING\n"));
    let said = run(&mut one, &format!("restore log copy from disk = '{log}' with recovery{}", moves(&["more"])));
    assert!(said.contains("# RESTORE LOG successfully processed "), "{said}");
    let asked = "select count(*) as n, sum(id) as s from copy.dbo.t dbcc checkdb (copy) with no_infomsgs \
                 select name from copy.sys.database_files order by file_id";
    assert_eq!(
        run(&mut one, asked),
        "[n:int | s:int]\n2000 | 2001000\n(1 rows affected)\n[name:nvarchar(128)]\ndb\ndb_log\nmore\n(3 rows affected)\n"
    );
    assert_eq!(run(&mut one, "alter database copy set offline alter database copy set online"), "");
    assert!(run(&mut one, asked).contains("2000 | 2001000"));
}

#[test]
fn stopat_before_what_is_restored_is_refused_and_after_the_backup_waits() {
    let (dir, _engine, mut one) = in_folder();
    let files = dir.path();
    let device = |name: &str| format!("disk = '{}'", path(files, name));
    run(&mut one, "create database db create table db.dbo.t (id int)");
    run(&mut one, &format!("backup database db to {}", device("full.bak")));
    run(&mut one, &format!("insert db.dbo.t values (1) backup log db to {}", device("1.trn")));
    let states = "select state_desc from sys.databases where name = 'db'";
    run(&mut one, &format!("restore database db from {} with replace, norecovery", device("full.bak")));
    let said = run(&mut one, &format!("restore log db from {} with recovery, stopat = '20010101'", device("1.trn")));
    assert_eq!(numbers(&said), ["Msg 4335", "Msg 3013"], "{said}");
    assert!(run(&mut one, states).contains("\nRESTORING\n"));
    let said = run(&mut one, &format!("restore log db from {} with recovery, stopat = '20990101'", device("1.trn")));
    assert!(said.ends_with(
        "# This backup set contains records that were logged before the designated point in time. The database is being \
         left in the restoring state so that more roll forward can be performed.\n"
    ), "{said}");
    assert!(run(&mut one, states).contains("\nRESTORING\n"));
    run(&mut one, "restore database db with recovery");
    assert_eq!(run(&mut one, "select id from db.dbo.t"), "[id:int]\n1\n(1 rows affected)\n");
}

/// A session that is cancelled during BACKUP or RESTORE: no incomplete backup is left, and the database stays.
#[test]
fn a_cancelled_backup_or_restore_ends_and_leaves_the_database() {
    let (dir, engine, mut one) = in_folder();
    let files = dir.path();
    run(&mut one, "create database db");
    run(
        &mut one,
        "use db create table t (id int, pad char(7000)) \
                   insert t select value, 'x' from generate_series(1, 3000) use master",
    );
    let (whole, cut) = (path(files, "whole.bak"), path(files, "cut.bak"));
    run(&mut one, &format!("backup database db to disk = '{whole}'"));
    let mut cancelled = 0;
    for text in [
        format!("backup database db to disk = '{cut}' with init"),
        format!("restore database db from disk = '{whole}' with replace"),
    ] {
        for delay_us in [0, 500, 2000, 5000, 10_000, 20_000] {
            let mut two = session(&engine);
            let task = Arc::clone(two.shared());
            let said = std::thread::scope(|scope| {
                let running = scope.spawn(|| run(&mut two, &text));
                std::thread::sleep(std::time::Duration::from_micros(delay_us));
                task.cancel();
                running.join().unwrap()
            });
            let is_done = said.contains("successfully processed");
            cancelled += u32::from(!is_done);
            // One that was whole already, or the one of before.
            let left = run(&mut one, &format!("restore verifyonly from disk = '{cut}'"));
            let is_whole = left == "# The backup set on file 1 is valid.\n";
            assert!(is_whole || !Path::new(&cut).exists(), "{said}{left}");
        }
        let state = run(&mut one, "select state_desc from sys.databases where name = 'db'");
        if state.contains("RESTORING") {
            run(&mut one, &text);
        }
        assert_eq!(run(&mut one, "select count(*) as n from db.dbo.t"), "[n:int]\n3000\n(1 rows affected)\n");
    }
    assert!(cancelled > 0, "all were done before");
}

#[test]
fn checks_beside_tables_that_come_and_go_find_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(64 << 20, dir.path());
    let mut one = session(&engine);
    run(&mut one, "create database db");
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let text = |number: usize| {
        format!(
            "create table db.dbo.z{number} (a int primary key, b varchar(max)) \
             insert db.dbo.z{number} values (1, replicate(cast('x' as varchar(max)), 20000)) drop table db.dbo.z{number}"
        )
    };
    std::thread::scope(|scope| {
        for number in 0..3 {
            let (engine, is_over, text) = (&engine, &is_over, &text);
            scope.spawn(move || {
                let mut own = session(engine);
                while !is_over.load(relaxed) {
                    let said = run(&mut own, &text(number));
                    assert!(!said.contains("Msg "), "{said}");
                }
            });
        }
        let mut wrong = String::new();
        for _ in 0..60 {
            wrong += &run(&mut one, "dbcc checkdb (db) with no_infomsgs dbcc checkalloc (db) with no_infomsgs");
            if !wrong.is_empty() {
                break;
            }
        }
        is_over.store(true, relaxed);
        assert_eq!(wrong, "");
    });
    assert_eq!(run(&mut one, "dbcc checkdb (db) with no_infomsgs"), "");
}

/// ATTACH passes over copies of a file that a database uses; a database that is dropped offline can be attached again.
#[test]
fn files_of_an_offline_database_outlive_it_and_a_copy_in_use_is_passed_over() {
    let (dir, _engine, mut one) = in_folder();
    let files = dir.path();
    let [mdf, ldf, other, full] = ["a.mdf", "a.ldf", "other.mdf", "f.bak"].map(|name| path(files, name));
    run(
        &mut one,
        &format!("create database a on (name = a, filename = '{mdf}') log on (name = al, filename = '{ldf}')"),
    );
    run(
        &mut one,
        &format!("create table a.dbo.t (id int) insert a.dbo.t values (7) backup database a to disk = '{full}'"),
    );
    let copy = ["a", "al"].map(|name| format!("move '{name}' to '{}'", path(files, &format!("c_{name}")))).join(", ");
    run(&mut one, &format!("restore database c from disk = '{full}' with {copy}"));
    assert_eq!(run(&mut one, "alter database a set offline drop database a"), "");
    let said = run(&mut one, "select name from sys.databases where name in ('a', 'c')");
    assert_eq!(said, "[name:nvarchar(128)]\nc\n(1 rows affected)\n");
    let attach = format!("create database q on (filename = '{mdf}') for attach");
    assert_eq!(run(&mut one, &attach), "");
    let said = run(&mut one, "select id from q.dbo.t select id from c.dbo.t");
    assert_eq!(said, "[id:int]\n7\n(1 rows affected)\n".repeat(2));
    assert_eq!(run(&mut one, "drop database q"), "");
    assert!(!Path::new(&mdf).exists() && !Path::new(&ldf).exists(), "it was online");
    run(&mut one, "alter database c set offline drop database c");
    std::fs::rename(path(files, "c_a"), &other).unwrap();
    std::fs::remove_file(path(files, "c_al")).unwrap();
    let said = run(&mut one, &format!("create database q on (filename = '{other}') for attach"));
    assert_eq!(numbers(&said), ["Msg 5173"], "{said}");
    let said = run(&mut one, &format!("create database q on (filename = '{mdf}') for attach"));
    assert!(said.contains("Msg 1802") && !said.contains("ALTER DATABASE"), "{said}");
}

/// Two databases of one backup have one identity, and are two where they decide together; so are a snapshot and its source.
#[test]
fn databases_of_one_backup_commit_together() {
    let (dir, engine, mut one) = in_folder();
    let files = dir.path();
    let full = path(files, "full.bak");
    run(&mut one, "create database db");
    run(&mut one, "create table db.dbo.t (id int primary key, n int)");
    run(&mut one, &format!("backup database db to disk = '{full}'"));
    let restored = |one: &mut Session, name: &str| {
        let (data, log) = (path(files, &format!("{name}.mdf")), path(files, &format!("{name}.ldf")));
        let text = format!(
            "restore database {name} from disk = '{full}' with replace, move 'db' to '{data}', move 'db_log' to '{log}'"
        );
        assert!(run(one, &text).contains("successfully processed"));
    };
    // The first one comes back after the others, under its old name and a number of its own.
    restored(&mut one, "second");
    restored(&mut one, "third");
    run(&mut one, "drop database db");
    restored(&mut one, "db");
    restored(&mut one, "second");
    const ADD: &str = "begin transaction
        insert db.dbo.t values (@@spid * 1000 + @n, 1); insert second.dbo.t values (@n, 2); insert third.dbo.t values (@n, 3)";
    let added = |one: &mut Session, n: i32, end: &str| {
        let said = run(one, &format!("declare @n int = {n}; {ADD}; {end}"));
        assert!(!said.contains("Msg "), "{said}");
    };
    added(&mut one, 1, "commit");
    added(&mut one, 2, "rollback");
    let snapshot = path(files, "third.ss");
    assert_eq!(
        run(&mut one, &format!("create database shown on (name = db, filename = '{snapshot}') as snapshot of third")),
        ""
    );
    added(&mut one, 3, "commit");
    let counts = "select (select count(*) from db.dbo.t), (select count(*) from second.dbo.t), (select count(*) from third.dbo.t),
        (select count(*) from shown.dbo.t)";
    assert!(run(&mut one, counts).contains("\n2 | 2 | 2 | 1\n"), "{}", run(&mut one, counts));
    drop((one, engine));
    let engine = engine_in(64 << 20, &files.join("data"));
    let mut one = session(&engine);
    assert!(run(&mut one, counts).contains("\n2 | 2 | 2 | 1\n"), "{}", run(&mut one, counts));
    added(&mut one, 5, "commit");
    assert!(run(&mut one, counts).contains("\n3 | 3 | 3 | 1\n"), "{}", run(&mut one, counts));
}
