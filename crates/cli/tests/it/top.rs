//! `millpond top`: its screen in a pseudo-terminal, its figures for scripts, records.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use millpond_server::{Config, Server};
use serde_json::Value;

use crate::screen::Screen;

const PASSWORD: &str = "Secret-of-the-test-1";

fn start_at(port: u16) -> Server {
    let mut config = Config::default();
    config.server.listen.set_port(port);
    config.server.sa_password = PASSWORD.into();
    Server::start(&config).expect("the server starts")
}

fn start() -> (Server, String) {
    let server = start_at(0);
    let address = format!("127.0.0.1,{}", server.address().port());
    (server, address)
}

/// Of a script: nothing is a terminal.
fn top(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.arg("top").args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn open(address: &str, size: (u16, u16)) -> Screen {
    Screen::open(&["top", "-S", address, "-U", "sa", "-P", PASSWORD, "--interval", "0.2"], size)
}

#[test]
fn keys_change_screens_and_the_terminal_may_change_its_size() {
    let (server, address) = start();
    let mut screen = open(&address, (80, 24));
    screen.wait_for_text("[1 Overview]");
    screen.wait_for("a verdict", |lines| lines[2].starts_with("Bound by   nothing"));
    screen.wait_for("keys in the last line", |lines| lines[23].starts_with("q quit"));
    assert!(screen.lines()[0].starts_with("live "), "{:?}", screen.lines());
    for (key, words) in [
        ("2", "[2 Sessions]"),
        ("3", "[3 tempdb]"),
        ("4", "[4 I/O]"),
        ("5", "[5 Waits]"),
        ("6", "[6 Plans]"),
        ("\t", "[7 Log]"),
        ("?", "longer and shorter intervals"),
        ("x", "log MB"),
    ] {
        screen.write(key);
        screen.wait_for_text(words);
    }
    screen.resize(200, 60);
    screen.wait_for("keys in the last line of the larger one", |lines| lines[59].starts_with("q quit"));
    screen
        .wait_for("databases", |lines| lines.iter().any(|line| line.starts_with("master ") && line.contains("SIMPLE")));
    screen.resize(19, 10);
    screen.wait_for("two words", |lines| lines[0] == "too small");
    screen.resize(80, 24);
    screen.write(" ");
    screen.wait_for("a frozen screen", |lines| lines[0].starts_with("frozen "));
    screen.write("q");
    assert_eq!(screen.end().code(), Some(0));
    server.stop().expect("the server stops");
}

#[test]
fn a_session_is_killed_after_a_question() {
    let (server, address) = start();
    let mut victim = Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(["sql", "-S", &address, "-U", "sa", "-P", PASSWORD, "-Q", "waitfor /* victim */ delay '01:00'"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut screen = open(&address, (200, 30));
    screen.wait_for_text("[1 Overview]");
    screen.write("2");
    screen.wait_for_text("/* victim */");
    screen.write("k");
    screen.wait_for("a question", |lines| lines[29].starts_with("KILL ") && lines[29].contains('?'));
    screen.write("n");
    screen.wait_for("keys again", |lines| lines[29].starts_with("q quit"));
    screen.write("ky");
    screen.wait_for("an answer", |lines| lines[29].contains("is being ended"));
    screen.wait_for("no such session", |lines| !lines.iter().any(|line| line.contains("/* victim */")));
    screen.write("q");
    assert_eq!(screen.end().code(), Some(0));
    victim.wait().expect("it ends, as its session has");
    server.stop().expect("the server stops");
}

#[test]
fn a_server_that_comes_back_is_shown_again() {
    let (server, address) = start();
    let port = server.address().port();
    let mut screen = open(&address, (100, 24));
    screen.wait_for("a verdict", |lines| lines[2].starts_with("Bound by   nothing: "));
    server.stop().expect("the server stops");
    screen.wait_for("a loss", |lines| lines[0].starts_with("connection lost: "));
    let server = start_at(port);
    screen.wait_for("a connection", |lines| lines[0].starts_with("live "));
    // Ctrl-C is a key of it.
    screen.write("\x03");
    assert_eq!(screen.end().code(), Some(0));
    server.stop().expect("the server stops");
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let (server, address) = start();
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let mut screen = open(&address, (80, 24));
        screen.wait_for_text("[1 Overview]");
        let sent = Command::new("kill").args([signal, &screen.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
        assert_eq!(screen.end().code(), Some(code));
    }
    server.stop().expect("the server stops");
}

#[test]
fn a_script_gets_figures() {
    let (server, address) = start();
    let with = |more: &[&str]| {
        let mut all = vec!["-S", address.as_str(), "-U", "sa", "-P", PASSWORD, "--once", "--seconds", "0.2"];
        all.extend(more);
        let output = top(&all);
        assert!(output.status.success(), "{more:?} {}", text(&output.stderr));
        text(&output.stdout)
    };
    let json: Value = serde_json::from_str(&with(&["--format", "json"])).expect("JSON");
    assert!(json["overview"]["cpu_percent"].is_number(), "{json}");
    assert_eq!(json["overview"]["bound_by"], "nothing");
    assert!(json["log"].as_array().is_some_and(|all| all.iter().any(|one| one["database"] == "tempdb")), "{json}");
    assert_eq!(json["refused"], Value::Array(Vec::new()), "all of its views are there");
    let csv = with(&["--format", "csv", "--table", "io"]);
    assert!(csv.starts_with("database_id,database,file_id,file,kind,size_bytes,reads_per_s,"), "{csv}");
    assert!(csv.lines().any(|line| line.starts_with("2,tempdb,1,")), "{csv}");
    let table = with(&[]);
    assert!(table.starts_with("overview\n  server ") && table.contains("\nwaits\n"), "{table}");
    server.stop().expect("the server stops");
}

#[test]
fn what_was_recorded_is_shown_again_but_for_damaged_lines() {
    let (server, address) = start();
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("record.jsonl");
    let record = |path: &Path| {
        let path = path.display().to_string();
        let all = ["-S", &address, "-U", "sa", "-P", PASSWORD, "--once", "--seconds", "0.1", "--record", &path];
        assert!(top(&all).status.success());
    };
    record(&path);
    // As a crash leaves it: what is recorded next begins a line of its own.
    let mut text_so_far = std::fs::read_to_string(&path).expect("it is there");
    text_so_far.push_str("{\"taken_ms\": 5, \"ser");
    std::fs::write(&path, text_so_far).expect("written");
    record(&path);
    let path = path.display().to_string();
    assert_eq!(std::fs::read_to_string(&path).expect("it is there").lines().count(), 5);
    let mut screen = Screen::open(&["top", "--replay", &path, "--interval", "0.1"], (100, 24));
    screen.wait_for("its end", |lines| lines[0].starts_with("replay stopped 4 of 4, line 3 is damaged"));
    screen.write("\x1b[D");
    screen.wait_for("a step back", |lines| lines[0].starts_with("replay stopped 3 of 4"));
    screen.write("q");
    screen.wait_for_mark("line 3 of the record is damaged");
    assert_eq!(screen.end().code(), Some(0));
    server.stop().expect("the server stops");
}

#[test]
fn what_cannot_begin_says_why() {
    let (server, address) = start();
    let wrong = top(&["-S", &address, "-U", "sa", "-P", "wrong", "--once"]);
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(1), 0));
    assert!(text(&wrong.stderr).contains("Login failed for user 'sa'."), "{}", text(&wrong.stderr));
    let no_terminal = top(&["-S", &address, "-U", "sa", "-P", PASSWORD]);
    assert_eq!(no_terminal.status.code(), Some(1));
    assert!(text(&no_terminal.stderr).contains("--once"), "{}", text(&no_terminal.stderr));
    let mut screen = Screen::open(&["top", "-S", &address, "-U", "sa", "-P", "wrong"], (80, 24));
    screen.wait_for_text("Login failed for user 'sa'.");
    assert!(!screen.seen.contains("\x1b[?1049h"), "no screen was there");
    assert_eq!(screen.end().code(), Some(1));
    let no_file = top(&["--replay", "/nowhere/at/all", "--once"]);
    assert_eq!(no_file.status.code(), Some(1));
    for options in [&["--interval", "0"][..], &["--format", "json"], &["--once", "--table", "nothing"]] {
        assert_eq!(top(options).status.code(), Some(2), "{options:?}");
    }
    server.stop().expect("the server stops");
}

#[test]
fn without_rights_it_shows_its_own_session_and_what_was_refused() {
    let (server, address) = start();
    let create = "create login viewer with password = 'Secret-of-the-test-2'";
    let made = Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(["sql", "-S", &address, "-U", "sa", "-P", PASSWORD, "-b", "-Q", create])
        .status()
        .expect("the binary runs");
    assert!(made.success());
    let viewer = ["-S", &address, "-U", "viewer", "-P", "Secret-of-the-test-2"];
    let output = top(&[&viewer[..], &["--once", "--seconds", "0.1", "--format", "json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["sessions"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(json["sessions"][0]["login"], "viewer");
    let refused = json["refused"].as_array().expect("a list");
    let number = |part: &str| refused.iter().find(|it| it["part"] == part).map(|it| it["number"].clone());
    assert_eq!(number("waits"), Some(300.into()), "{json}");
    assert_eq!(number("sessions"), None);
    let mut screen = Screen::open(&[&["top"], &viewer[..]].concat(), (120, 30));
    screen.wait_for_text("the login has no VIEW SERVER STATE");
    screen.write("q");
    assert_eq!(screen.end().code(), Some(0));
    server.stop().expect("the server stops");
}
