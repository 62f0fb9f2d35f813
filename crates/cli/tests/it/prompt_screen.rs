//! The prompt of `millpond sql` as a person sees it, in pseudo-terminals of several sizes: boxes, rows one below the other, places of
//! errors, commands, completion, history, and the line of a long statement.
//!
//! Results are distinguished from what the terminal echoes by their frames, which nobody types.

use std::os::unix::fs::PermissionsExt;

use crate::prompt::Terminal;

const USUAL: (u16, u16) = (80, 24);

/// What was seen, without sequences: as text in lines, each as it was when its line ended.
fn lines(seen: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut signs = seen.chars().peekable();
    while let Some(sign) = signs.next() {
        if sign != '\x1b' {
            plain.push(sign);
        } else if signs.next_if_eq(&'[').is_some() {
            while signs.next_if(|sign| !sign.is_ascii_alphabetic()).is_some() {}
            signs.next();
        }
    }
    // What was written over by a line that begins anew is gone.
    plain.split("\r\n").map(|line| line.rsplit('\r').next().unwrap_or_default().to_owned()).collect()
}

/// Runs lines at a prompt and leaves; the lines that were seen.
fn run(typed: &[&str], environment: &[(&str, &str)], size: (u16, u16)) -> (Vec<String>, String) {
    let mut terminal = Terminal::start(&[], environment, size);
    for line in typed {
        terminal.write(&format!("{line}\r"));
    }
    let seen = terminal.leave();
    (lines(&seen), seen)
}

#[track_caller]
fn has(lines: &[String], wanted: &[&str]) {
    let found = lines.windows(wanted.len()).any(|window| window == wanted);
    assert!(found, "no\n{}\nin\n{}", wanted.join("\n"), lines.join("\n"));
}

#[test]
fn results_stand_in_boxes_that_fit() {
    let query = "select 7 as id, N'漢字' as name, null as note union all select 12345, N'heron', 1\\g";
    for size in [USUAL, (200, 60)] {
        let (lines, _) = run(&[query, "select replicate('x', 300) as wide, 1 as n\\g"], &[], size);
        has(
            &lines,
            &[
                "┌───────┬───────┬──────┐",
                "│    id │ name  │ note │",
                "├───────┼───────┼──────┤",
                "│     7 │ 漢字  │ NULL │",
                "│ 12345 │ heron │    1 │",
                "└───────┴───────┴──────┘",
            ],
        );
        let columns = usize::from(size.0);
        let wide = lines.iter().find(|line| line.starts_with("│ xxx")).expect("the wide one");
        assert_eq!(wide.chars().count(), columns, "{wide}");
        assert!(wide.ends_with("x… │ 1 │"), "{wide}");
        assert!(lines.iter().any(|line| line.starts_with("(2 rows, ") && line.ends_with("s)")), "{lines:?}");
    }
}

#[test]
fn a_narrow_terminal_gets_rows_one_below_the_other() {
    let query = "select 1234567 as a, 7654321 as b, 'one two three four five' as c\\g";
    let (lines, _) = run(&[query], &[], (20, 24));
    has(&lines, &["── row 1 ───────────", "a  1234567", "b  7654321", "c  one two three", "   four five"]);
    let frames = lines.iter().filter(|line| line.starts_with(['┌', '│', '─']));
    assert!(frames.clone().all(|line| line.chars().count() <= 20), "{:?}", frames.collect::<Vec<_>>());
}

#[test]
fn a_terminal_of_another_size_counts_from_the_next_result() {
    let mut terminal = Terminal::start(&[], &[("NO_COLOR", "1")], USUAL);
    terminal.write("select replicate('x', 300) as wide\\g\r");
    terminal.wait_for("1> ", 2);
    terminal.resize(40, 24);
    terminal.write("select replicate('y', 300) as wide\\g\r");
    terminal.wait_for("yyy… │", 1);
    let lines = lines(&terminal.leave());
    let width = |begin: &str| lines.iter().find(|line| line.starts_with(begin)).map(|line| line.chars().count());
    assert_eq!((width("│ xxx"), width("│ yyy")), (Some(80), Some(40)), "{lines:?}");
}

#[test]
fn a_row_stands_below_the_other_where_it_is_asked_for() {
    let typed = ["select 1 as id, N'one' + nchar(10) + N'two' as name\\G", ":vertical on", "select 2 as id", "go"];
    let (lines, _) = run(&typed, &[], USUAL);
    has(&lines, &["  id  1", "name  one", "      two"]);
    has(&lines, &["id  2"]);
}

#[test]
fn no_value_and_no_name_moves_the_cursor() {
    let typed = [
        "select N'a' + nchar(27) + N'[2J' + nchar(8238) + nchar(155) + N'b' as [x\"<>|'y]\\g",
        "raiserror(N'told %s', 16, 1, N'\u{202e}gnp')\\g",
        "exec('print nchar(27) + ''[31mred''')\\g",
    ];
    let (lines, seen) = run(&typed, &[("NO_COLOR", "1")], USUAL);
    has(&lines, &["│ x\"<>|'y  │"]);
    has(&lines, &["│ a␛[2J��b │"]);
    has(&lines, &["␛[31mred"]);
    assert!(!seen.contains("\x1b[31m") && !seen.contains("\x1b[2J"), "{seen:?}");
}

#[test]
fn colours_are_there_unless_they_are_refused() {
    let query = ["select null as nothing\\g"];
    let (_, with) = run(&query, &[], USUAL);
    assert!(with.contains("\x1b[2mNULL\x1b[0m") && with.contains("\x1b[34mselect\x1b[0m"), "{with:?}");
    for environment in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let (_, without) = run(&query, &[environment], USUAL);
        assert!(!without.contains("\x1b[2m") && !without.contains("\x1b[34m"), "{without:?}");
    }
}

#[test]
fn an_error_shows_its_place() {
    let typed =
        ["select 1 as one,", "  2 fro t", "go", "select * from no_such_heron\\g", "create table t (a int)", "go"];
    let (lines, _) = run(&typed, &[], USUAL);
    has(
        &lines,
        &["Msg 102, Level 15, State 1, Line 2", "Incorrect syntax near 't'.", "2 │   2 fro t", "  │         ^"],
    );
    let place =
        ["Invalid object name 'no_such_heron'.", "1 │ select * from no_such_heron", "  │               ^^^^^^^^^^^^^"];
    has(&lines, &place);
    assert!(lines.iter().any(|line| line.starts_with("done (")), "{lines:?}");
}

#[test]
fn a_newcomer_is_told_how_to_run_and_how_to_leave() {
    let (lines, _) = run(&[":help"], &[], USUAL);
    let banner = lines.iter().take(4).cloned().collect::<Vec<String>>().join(" ");
    for word in ["Millpond ", "Database master", "in memory", "GO", ":help", "exit"] {
        assert!(banner.contains(word), "{word} in {banner}");
    }
    for command in [":describe", ":plan", ":export", ":edit", ":vertical", ":timing", "\\G", "Ctrl-R"] {
        assert!(lines.iter().any(|line| line.contains(command)), "{command}");
    }
}

#[test]
fn objects_are_described() {
    let typed = [
        "create table pond (id int identity(1,1) primary key, name nvarchar(40) not null, depth decimal(5,2) default 1)",
        "create index by_name on pond (name desc) include (depth)",
        "create table [o'dd] (pond int references pond (id) on delete cascade, n int check (n > 0), twice as n * 2)",
        "create table #t (x varchar(max) null)",
        "go",
        "create procedure feed @grams int, @left int output as return",
        "go",
        ":describe pond",
        ":describe [o'dd]",
        ":describe feed",
        ":describe #t",
        ":describe nothing'); drop table pond --",
    ];
    let (lines, _) = run(&typed, &[], (120, 50));
    has(&lines, &["dbo.pond, user table"]);
    for begin in [
        "│ id     │ int          │ not null │ identity(1,1)",
        "│ name   │ nvarchar(40) │ not null │",
        "│ depth  │ decimal(5,2) │ null     │ default ((1))",
        "│ by_name ",
        "│ @grams    │ int  │",
        "│ @left     │ int  │ output",
        "│ x      │ varchar(max) │ null",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(begin)), "{begin} in\n{}", lines.join("\n"));
    }
    for part in ["name desc", "primary key, clustered", "dbo.pond(id)", "cascade", "([n]>(0))", "as ([n]*(2))"] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part} in\n{}", lines.join("\n"));
    }
    assert!(lines.iter().any(|line| line.contains("there is no object")), "{lines:?}");
}

#[test]
fn a_plan_is_a_tree_and_nothing_runs() {
    let typed = [
        "create table pond (id int primary key, name varchar(20))",
        "go",
        ":plan select name, count(*) from pond where id > 5 group by name",
        ":plan on",
        "insert pond values (1, 'a')",
        "go",
        ":plan off",
        "select count(*) + 40 as counted from pond\\g",
    ];
    let (lines, seen) = run(&typed, &[], (120, 50));
    assert!(lines.iter().any(|line| line.starts_with("est. rows  ") && line.ends_with("operator")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("└─ ") && line.contains("Clustered Index Seek")), "{lines:?}");
    assert!(seen.contains("plan 1> "), "{seen}");
    has(&lines, &["│      40 │"]);
}

#[test]
fn results_are_exported() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = |name: &str| dir.path().join(name);
    let path = |name: &str| file(name).display().to_string();
    let typed = [
        "select 1 as a, N'x,y' as b union all select 2, null\\g".to_owned(),
        format!(":export {}", path("a.csv")),
        format!(":export {}", path("a.md")),
        format!(":export \"{}\" select 3 as c", path("b c.json")),
        format!(":export {} select 1/0", path("no.csv")),
        format!(":export {}", path("a.parquet")),
        format!(":export {}", path("a.xlsx")),
    ];
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let (lines, _) = run(&typed, &[], (200, 50));
    let read =
        |name: &str| std::fs::read_to_string(file(name)).unwrap_or_else(|why| panic!("{name}: {why}: {lines:?}"));
    assert_eq!(read("a.csv"), "a,b\n1,\"x,y\"\n2,\n");
    assert_eq!(read("a.md"), "| a | b |\n|---:|---|\n| 1 | x,y |\n| 2 | NULL |\n");
    assert_eq!(read("b c.json"), "[\n{\"c\": 3}\n]\n");
    let columns = std::fs::read(file("a.parquet")).expect("it is there");
    assert!(columns.starts_with(b"PAR1") && columns.ends_with(b"PAR1"), "{columns:?}");
    assert!(lines.iter().any(|line| line.contains("its end says the format")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("Msg 8134")), "{lines:?}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("it is there").count(), 4, "an error leaves no file");
}

#[test]
fn an_export_is_cancelled() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut terminal = Terminal::start(&[], &[("NO_COLOR", "1")], USUAL);
    let path = dir.path().join("a.csv").display().to_string();
    terminal.write(&format!(":export {path} select a.name from sys.all_columns a, sys.all_columns b\r"));
    let files = || std::fs::read_dir(dir.path()).expect("it is there").flatten();
    while !files().any(|file| file.metadata().is_ok_and(|about| about.len() > 0)) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // As Ctrl-C does; the terminal of a test controls no process.
    let sent = std::process::Command::new("kill").args(["-INT", &terminal.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    terminal.wait_for("the statement was cancelled", 1);
    terminal.write("select 40 + 2 as n\\g\r");
    terminal.wait_for("│ 42 │", 1);
    terminal.leave();
    assert_eq!(files().count(), 0, "nothing is left of it");
}

#[test]
fn the_last_batch_is_edited() {
    let dir = tempfile::tempdir().expect("a directory");
    let editor = dir.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\nsed -i s/40/600/ \"$1\"; echo go >> \"$1\"\n").expect("written");
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let named = editor.display().to_string();
    let (lines, _) = run(&["select 40 + 2 as n", "go", ":edit"], &[("VISUAL", &named)], USUAL);
    has(&lines, &["│ 42 │"]);
    has(&lines, &["│ 602 │"]);
    let (lines, _) = run(&["select 40 + 2 as n", "go", ":edit"], &[("VISUAL", "false")], USUAL);
    assert!(lines.iter().any(|line| line.contains("':edit': false: ")), "{lines:?}");
}

#[test]
fn names_that_move_the_cursor_are_not_completed() {
    let mut terminal = Terminal::start(&[], &[("NO_COLOR", "1")], USUAL);
    terminal.write(
        "declare @n nvarchar(99) = N'create table [qx' + nchar(0x202e) + char(27) + '[2J] (i int)'; exec(@n)\\g\r",
    );
    terminal.wait_for("done (", 1);
    terminal.write("select * from qx\t\x15");
    terminal.write("select 40 + 2 as n\\g\r");
    terminal.wait_for("│ 42 │", 1);
    let seen = terminal.leave();
    assert!(!seen.contains('\u{202e}') && !seen.contains("\x1b[2J"), "{seen:?}");
}

#[test]
fn tab_completes_names() {
    let mut terminal = Terminal::start(&[], &[("NO_COLOR", "1")], USUAL);
    terminal.write("create table heron_of_the_pond (wing_span int, [beak size] int); create database lake\rgo\r");
    terminal.wait_for("done (", 1);
    terminal.write("select count(*) + 70 as n from hero\t h where h.wing\t > 1 and h.bea\t is null\rgo\r");
    terminal.wait_for("│ 70 │", 1);
    terminal.write("use lak\t\rgo\r");
    terminal.wait_for("1> ", 4);
    terminal.write(":descr\tmaster.dbo.heron_of_the_pond\r");
    terminal.wait_for("│ wing_span ", 1);
    let seen = terminal.leave();
    assert!(seen.contains("Changed database context to 'lake'."), "{seen}");
}

#[test]
fn the_history_has_no_passwords_and_is_its_owners() {
    let mut terminal = Terminal::start(&[], &[("NO_COLOR", "1")], USUAL);
    terminal.write(
        "select 40 +\r2 as n\rgo\rcreate login ann\rwith password = 'Secret-of-the-test-1'\rgo\rprint 'after'\\g\r",
    );
    terminal.wait_for("\r\nafter\r\n", 1);
    // Up, up: the whole batch comes back, and runs as it was.
    terminal.write("\x1b[A\x1b[A\r");
    terminal.wait_for("│ 42 │", 2);
    terminal.leaves();
    let path = terminal.home().join(".millpond_history");
    let kept = std::fs::read_to_string(&path).expect("it is kept");
    assert!(kept.contains("select 40 +\\n2 as n\\ngo"), "{kept}");
    assert!(!kept.contains("Secret") && !kept.contains("ann"), "{kept}");
    let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_long_statement_says_how_far_it_is() {
    let server = crate::remote::start();
    let address = format!("127.0.0.1,{}", server.address().port());
    for options in [&[][..], &["-S", &address, "-U", "sa", "-P", crate::remote::PASSWORD]] {
        let mut terminal = Terminal::start(options, &[], USUAL);
        terminal.write("waitfor delay '00:00:30'\rgo\r");
        // Twice: the first may come before the second session is there.
        terminal.wait_for("WAITFOR · Ctrl-C cancels", 1);
        // SIGINT, as a terminal sends it for Ctrl-C.
        let process = terminal.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &process]).status().expect("kill is there").success());
        terminal.wait_for("the batch was cancelled", 1);
        let lines = lines(&terminal.leave());
        assert!(!lines.iter().any(|line| line.contains("Ctrl-C cancels")), "the line is gone: {lines:?}");
    }
    server.stop().expect("the server stops");
}
