//! `millpond sql` on the engine in the process: output, exit codes, scripts, refusals.

use std::path::{Path, PathBuf};

use crate::command::{script, sql, without_machine};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Runs `<name>.sql` and compares with `<name><variant>.out`, in which blanks at line ends count.
fn compare(name: &str, variant: &str, options: &[&str]) {
    let input = golden(&format!("{name}.sql"));
    let expected =
        std::fs::read_to_string(golden(&format!("{name}{variant}.out"))).expect("the expected text is there");
    let mut all = vec!["-i", input.to_str().expect("a plain path")];
    all.extend(options);
    let said = sql(&all);
    assert_eq!(without_machine(&said.out), expected, "{name}{variant}");
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{name}{variant}");
}

#[test]
fn columns_have_the_width_of_their_types() {
    compare("columns", "", &[]);
}

#[test]
fn results_without_blanks_and_headings() {
    compare("results", "", &[]);
    compare("results", ".trimmed", &["-W", "-s", ";"]);
    compare("results", ".bare", &["-h", "-1"]);
    compare("results", ".repeated", &["-h", "2", "-w", "30", "-m", "25"]);
}

#[test]
fn without_b_all_batches_run_and_the_exit_code_is_0() {
    let said = script(&["-h", "-1", "-W"], "set nocount on\ngo\nselect * from nowhere\ngo\nselect 2\n");
    assert_eq!(
        without_machine(&said.out),
        "Msg 208, Level 16, State 1, Server SERVER, Line 1\nInvalid object name 'nowhere'.\n2\n"
    );
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

#[test]
fn with_b_the_first_error_ends_the_run_with_1() {
    let said = script(&["-b", "-h", "-1", "-W"], "print 'a'\ngo\nselect 1/0\ngo\nprint 'never'\ngo\n");
    assert_eq!(said.code, 1);
    assert!(said.out.starts_with("a\n"), "{said:?}");
    assert!(said.out.contains("Msg 8134, Level 16"), "{said:?}");
    assert!(!said.out.contains("never"), "{said:?}");
    assert_eq!(sql(&["-b", "-Q", "raiserror('only printed', 10, 1)"]).code, 0);
    assert_eq!(script(&[":on"], "").code, 2);
    let on_error = script(&[], ":on error exit\nselect 1/0\ngo\nprint 'never'\ngo\n");
    assert_eq!((on_error.code, on_error.out.contains("never")), (1, false));
}

#[test]
fn severity_can_be_the_exit_code() {
    assert_eq!(sql(&["-V", "16", "-Q", "raiserror('x', 16, 1)"]).code, 16);
    assert_eq!(sql(&["-V", "17", "-Q", "raiserror('x', 16, 1)"]).code, 0);
    assert_eq!(sql(&["-b", "-V", "11", "-Q", "raiserror('x', 14, 1)"]).code, 14);
}

#[test]
fn errors_go_to_stderr_when_asked() {
    let text = "print 'printed'; raiserror('wrong', 16, 1)";
    let errors = sql(&["-r", "-Q", text]);
    assert_eq!(errors.out, "printed\n");
    assert!(errors.err.ends_with("wrong\n"), "{errors:?}");
    let all = sql(&["-r1", "-Q", text]);
    assert_eq!(all.out, "");
    assert!(all.err.starts_with("printed\nMsg 50000, Level 16"), "{all:?}");
    let quiet = sql(&["-m", "17", "-Q", text]);
    assert_eq!(quiet.out, "printed\n");
    let loud = sql(&["-m", "-1", "-Q", text]);
    assert!(loud.out.starts_with("Msg 0, Level 0"), "{loud:?}");
}

#[test]
fn go_counts_and_is_text_inside_text() {
    let said = script(
        &["-h", "-1", "-W"],
        "set nocount on\ncreate table #t (i int)\nGO\ninsert #t values (1)\ngo 5\nselect count(*) from #t\nGo\n",
    );
    assert_eq!(said.out.lines().last(), Some("5"), "{said:?}");
    let text = script(&["-h", "-1", "-W"], "set nocount on; select len('\ngo\n')\n");
    assert_eq!(text.out, "4\n");
    let wrong = script(&[], "print 'a'\ngo twice\nprint 'b'\ngo\n");
    assert_eq!((wrong.code, wrong.out.as_str()), (1, ""));
    assert_eq!(wrong.err, "millpond: Incorrect syntax was encountered while parsing go twice.\n");
}

#[test]
fn variables_come_from_options_scripts_and_the_environment() {
    let said = script(
        &["-v", "a=1", "b=x y", "-v", "c=3"],
        "print '$(A) $(b) $(c)'\ngo\n:setvar a \"4 5\"\nprint '$(a)'\ngo\n",
    );
    assert_eq!(said.out, "1 x y 3\n4 5\n", "{said:?}");
    let environment = crate::command::sql_with(&["-Q", "print '$(MILLPOND_TEST)'"], &[("MILLPOND_TEST", "e")], "");
    assert_eq!(environment.out, "e\n");
    assert_eq!(sql(&["-x", "-Q", "print '$(a)'"]).out, "$(a)\n");
    let missing = sql(&["-Q", "print '$(nobody)'"]);
    assert_eq!((missing.code, missing.err.as_str()), (1, "millpond: 'nobody' scripting variable not defined.\n"));
    assert_eq!(script(&["-v", "n=2"], "print 'x'\ngo $(n)\n").out, "x\nx\n");
}

#[test]
fn files_are_read_and_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("plain").to_owned();
    std::fs::write(path("inner.sql"), "print 'inner'\n").expect("written");
    std::fs::write(path("outer.sql"), format!(":r {}\nprint 'outer'\ngo\nquit\nprint 'never'\n", path("inner.sql")))
        .expect("written");
    let said = sql(&["-i", &path("outer.sql"), "-o", &path("out.txt")]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
    assert_eq!(std::fs::read_to_string(path("out.txt")).expect("written"), "inner\nouter\n");
    std::fs::write(path("loop.sql"), format!(":r {}\n", path("loop.sql"))).expect("written");
    let endless = sql(&["-i", &path("loop.sql")]);
    assert_eq!(endless.code, 1);
    assert!(endless.err.contains("files are open already"), "{endless:?}");
}

#[test]
fn batches_are_echoed() {
    assert_eq!(script(&["-e"], "print\n 'a'\ngo 2\n").out, "print\n 'a'\na\na\n");
}

#[test]
fn a_batch_that_takes_too_long_is_cancelled() {
    let said = sql(&["-b", "-t", "1", "-Q", "declare @i int while 1 = 1 set @i = 1"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("longer than -t allows"), "{said:?}");
    let next = script(&["-t", "1"], "declare @i int while 1 = 1 set @i = 1\ngo\nprint 'goes on'\ngo\n");
    assert!(next.out.ends_with("goes on\n"), "{next:?}");
}

#[test]
fn what_cannot_begin_is_reported_in_one_line() {
    for (options, code, expected) in [
        (&["-i", "/nowhere.sql"][..], 1, "cannot read '/nowhere.sql'"),
        (&["-o", "/nowhere/out", "-Q", "print 1"], 1, "cannot write '/nowhere/out'"),
        (&["-v", "x", "-Q", "print 1"], 1, "-v takes name=value"),
        (&["-d", "nowhere", "-Q", "print 1"], 1, "nowhere"),
        (&["-S", "localhost", "-Q", "print 1"], 1, "no password for 'sa'"),
        (&["-S", "a,b", "-P", "x", "-Q", "print 1"], 1, "'b' is not a port"),
        (&["-S", "127.0.0.1,1", "-P", "x", "-Q", "print 1"], 1, "cannot connect to 127.0.0.1,1"),
    ] {
        let said = sql(options);
        assert_eq!(said.code, code, "{options:?} {said:?}");
        assert!(said.err.starts_with("millpond: ") && said.err.contains(expected), "{options:?} {said:?}");
        assert_eq!((said.err.lines().count(), said.out.as_str()), (1, ""), "{options:?} {said:?}");
    }
    for options in [&["--nothing"][..], &["-U", "sa"], &["-Q", "a", "-i", "b"], &["-h", "x"], &["-V", "26"]] {
        let said = sql(options);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{options:?}");
        assert!(said.err.starts_with("error: "), "{options:?} {said:?}");
    }
}

#[test]
fn a_directory_serves_one_process_and_keeps_its_format() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let data = data.to_str().expect("plain");
    let said = sql(&["--data", data, "-h", "-1", "-W", "-Q", "set nocount on; select db_name()"]);
    assert_eq!((said.out.as_str(), said.err.as_str(), said.code), ("master\n", "", 0));
    let again = sql(&["--data", data, "-d", "tempdb", "-h", "-1", "-W", "-Q", "set nocount on; select db_name()"]);
    assert_eq!((again.out.as_str(), again.err.as_str(), again.code), ("tempdb\n", "", 0));
}

#[test]
fn shutdown_ends_the_script() {
    let said = script(&[], "shutdown\ngo\nprint 'never'\ngo\n");
    assert_eq!(said.code, 0);
    assert!(!said.out.contains("never"), "{said:?}");
}

/// The example, its seconds made milliseconds.
pub fn short_loop() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tempdb_loop.sql");
    let text = std::fs::read_to_string(path).expect("the example is there");
    let short = text.replace("( second, 10,", "( millisecond, 200,").replace("( second, 5,", "( millisecond, 40,");
    assert_eq!(short.matches("( millisecond, ").count(), 2);
    short
}

/// `iterations N`, then two files, then the reasons of writes.
pub fn check_loop(out: &str) {
    let mut lines = out.lines();
    let iterations = lines.next().and_then(|line| line.strip_prefix("iterations ")).map(str::parse::<u64>);
    assert!(matches!(iterations, Some(Ok(count)) if count > 1), "{out}");
    let heading = lines.next().unwrap_or_default();
    assert!(heading.starts_with("DbId|FileId|TimeStamp|"), "{out}");
    let bytes_written = heading.split('|').position(|name| name == "BytesWritten").expect("the column is there");
    let rows: Vec<Vec<&str>> = lines.skip(1).take(2).map(|line| line.split('|').collect()).collect();
    assert_eq!((rows[0][1], rows[1][1]), ("2", "1"), "{out}");
    assert_eq!(rows[1][bytes_written], "0", "the data file is not written: {out}");
    assert!(out.contains("|reason|writes|bytes_written"), "{out}");
}

#[test]
fn the_tempdb_loop_runs() {
    let said = script(&["-b", "-W", "-s", "|"], &short_loop());
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    check_loop(&said.out);
}
