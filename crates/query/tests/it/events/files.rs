//! `event_file`: what is written, where, and read again; what is there after a restart.

use super::{dba, one};
use crate::harness::{close, engine_in, run, session};

const CREATE: &str = "create event session errors on server
    add event sqlserver.error_reported (action (sqlserver.session_id) where severity > 10)
    add target package0.event_file (set filename = N'errors.xel', max_file_size = 1, max_rollover_files = 2)
    with (startup_state = on, max_dispatch_latency = 1 seconds)";

#[test]
fn a_session_that_begins_with_the_server_goes_on_after_a_restart_and_files_are_read_from_where_a_reader_was() {
    let dir = tempfile::tempdir().unwrap();
    let read = "from sys.fn_xe_file_target_read_file('errors*.xel', null, null, null)";
    {
        let engine = engine_in(128 << 20, dir.path());
        let mut dba = dba(&engine);
        assert_eq!(run(&mut dba, CREATE), "");
        assert_eq!(run(&mut dba, "alter event session errors on server state = start"), "");
        let mut user = session(&engine);
        for text in ["select 1/0", "select * from nowhere", "raiserror('<a> & b', 16, 1)"] {
            run(&mut user, text);
        }
        assert_eq!(one(&mut dba, &format!("select count(*) {read}")), "3", "what was raised is there at once");
        let rest = "declare @file nvarchar(260), @at bigint
            select top (1) @file = file_name, @at = file_offset from sys.fn_xe_file_target_read_file('errors*.xel', null, null, null) order by file_offset
            select object_name, cast(event_data as xml).value('(event/data[@name=\"message\"]/value)[1]', 'varchar(40)') as message
            from sys.fn_xe_file_target_read_file('errors*.xel', null, @file, @at)";
        assert_eq!(
            run(&mut dba, &format!("set quoted_identifier on {rest}")),
            "[object_name:nvarchar(60) | message:varchar(40)]\nerror_reported | Invalid object name 'nowhere'.\nerror_reported | <a> & b\n"
        );
        for (args, number) in [
            ("'errors*.xel', null, 'errors', null", "25719"),
            ("'errors*.xel', null, 'errors_0_1.xel', 5", "25718"),
            ("'nothing*.xel', null, null, null", "25718"),
            (r"'C:\Junk\errors*.xel', null, null, null", "25718"),
        ] {
            let said = run(&mut dba, &format!("select count(*) from sys.fn_xe_file_target_read_file({args})"));
            assert!(said.contains(&format!("Msg {number}")), "{args}: {said}");
        }
        let wrong = "declare @file nvarchar(260) = (select top (1) file_name from sys.fn_xe_file_target_read_file('errors*.xel', null, null, null))
            select count(*) from sys.fn_xe_file_target_read_file('errors*.xel', null, @file, 7)";
        assert!(run(&mut dba, wrong).contains("Msg 25722"));
        drop((user, dba));
        close(engine);
    }
    let engine = engine_in(128 << 20, dir.path());
    let mut dba = dba(&engine);
    assert_eq!(one(&mut dba, "select count(*) from sys.dm_xe_sessions where name = 'errors'"), "1");
    run(&mut dba, "select 1/0");
    assert_eq!(
        one(&mut dba, &format!("select concat(count(*), ' in ', count(distinct file_name)) {read}")),
        "9 in 2",
        "the errors of the reader are there too"
    );
    assert_eq!(run(&mut dba, "drop event session errors on server"), "");
    assert_eq!(one(&mut dba, &format!("select count(*) {read}")), "9", "files outlive their session");
    drop(dba);
    close(engine);
    let engine = engine_in(128 << 20, dir.path());
    let mut dba = self::dba(&engine);
    assert_eq!(one(&mut dba, "select count(*) from sys.server_event_sessions where name = 'errors'"), "0");
    drop(dba);
    close(engine);
}

#[test]
fn files_follow_each_other_by_size_and_the_oldest_go() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(128 << 20, dir.path());
    let mut dba = dba(&engine);
    assert_eq!(run(&mut dba, CREATE), "");
    run(&mut dba, "alter event session errors on server state = start");
    let mut user = session(&engine);
    for _ in 0..4 {
        run(
            &mut user,
            "declare @i int = 0, @s varchar(2000) = replicate('x', 2000) while @i < 250 begin raiserror(@s, 16, 1) set @i += 1 end",
        );
        run(&mut dba, "select count(*) from sys.dm_xe_session_targets");
    }
    let files = std::fs::read_dir(dir.path().join("log"))
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "xel"));
    let sizes: Vec<u64> = files.map(|entry| entry.metadata().unwrap().len()).collect();
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    assert!(sizes.iter().all(|bytes| *bytes <= 1 << 20), "{sizes:?}");
    assert_eq!(run(&mut dba, "alter event session errors on server state = stop"), "");
    drop((user, dba));
    close(engine);
}

#[test]
fn a_folder_that_is_not_there_is_an_error_at_start_and_no_statement_fails_later() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine_in(128 << 20, dir.path());
    let mut dba = dba(&engine);
    let missing = dir.path().join("missing/x.xel");
    let said = run(
        &mut dba,
        &format!(
            "create event session s on server add event sqlserver.error_reported add target package0.event_file (set filename = N'{}')",
            missing.display()
        ),
    );
    assert_eq!(said, "");
    let said = run(&mut dba, "alter event session s on server state = start");
    assert!(said.starts_with("Msg 25602, Level 17"), "{said}");
    std::fs::create_dir(dir.path().join("missing")).unwrap();
    assert_eq!(run(&mut dba, "alter event session s on server state = start"), "");
    // The folder goes while the session collects: its file is still open, and the next statement does not fail.
    std::fs::remove_dir_all(dir.path().join("missing")).unwrap();
    let said = run(&mut dba, "select 1/0");
    assert!(said.contains("Msg 8134"), "{said}");
    assert_eq!(run(&mut dba, "drop event session s on server"), "");
    let windows = r"create event session w on server add event sqlserver.error_reported
        add target package0.event_file (set filename = N'C:\Junk\w.xel') alter event session w on server state = start";
    let said = run(&mut dba, windows);
    assert!(cfg!(windows) || said.starts_with("Msg 25602"), "{said}");
    drop(dba);
    close(engine);
}
