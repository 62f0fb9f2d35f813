//! The error log of `millpond serve`: its files, their cycling, what is written, and how it is read.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::sql_with;
use crate::serve::{PASSWORD, Served};

fn log(data: &Path, end: &str) -> String {
    std::fs::read_to_string(data.join(format!("log/errorlog{end}"))).expect("it is there")
}

fn started(data: &Path) -> Served {
    Served::start(&["--listen", "127.0.0.1:0", "--data", data.to_str().expect("plain")], &[])
}

fn stopped(mut server: Served) {
    assert_eq!(server.sql("127.0.0.1", &["-Q", "shutdown"], "").code, 0);
    server.ended();
}

#[test]
fn what_happens_is_in_the_log() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let server = started(&data);
    let address = format!("127.0.0.1,{}", server.port());
    let refused = sql_with(&["-S", &address, "-U", "sa", "-P", "wrong", "-C", "-Q", "print 1"], &[], "");
    assert_eq!(refused.code, 1);
    let victim = "waitfor delay '01:00:00'";
    let mut waiting = Command::new(env!("CARGO_BIN_EXE_millpond"));
    waiting.args(["sql", "-S", &address, "-U", "sa", "-P", PASSWORD, "-C", "-Q", victim]);
    let mut waiting = waiting.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let script = format!(
        "set nocount on\ncreate database shop\ngo\nalter database shop set recovery simple\nbackup database shop to disk = '{}'\n\
         exec sp_configure 'user options', 4\nraiserror('loud and clear', 18, 3) with log\ngo\n\
         declare @id int, @text nvarchar(20)\n\
         while @id is null select @id = session_id from sys.dm_exec_requests where wait_type = 'WAITFOR'\n\
         set @text = concat('kill ', @id) exec(@text)\n",
        data.join("shop.bak").display()
    );
    server.sql("127.0.0.1", &[], &script);
    waiting.wait().expect("it was killed");
    stopped(server);
    let text = log(&data, "");
    for part in [
        " Server      Millpond ",
        " Server      Server process ID is ",
        " Server      Starting up database 'shop'.",
        " Server      Recovery is complete.",
        " Server      SQL Server is now ready for client connections.",
        " Logon       Error: 18456, Severity: 14, State: 8.",
        " Logon       Login failed for user 'sa'. Reason: Password did not match that for the login provided. [CLIENT: 127.0.0.1]",
        " Backup      Database backed up. Database: shop,",
        "Configuration option 'user options' changed from 0 to 4.",
        "Error: 50000, Severity: 18, State: 3.",
        "loud and clear",
        "Setting database option RECOVERY to SIMPLE for database 'shop'.",
        " was killed by hostname ",
        " Server      SQL Server is terminating because of a system shutdown.",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    for line in text.lines() {
        let (time, rest) = line.split_at(22);
        assert!(time.as_bytes()[10] == b' ' && time.as_bytes()[19] == b'.' && rest.starts_with(' '), "{line}");
    }
}

#[test]
fn logs_are_cycled_at_starts_and_by_the_procedure() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let first = started(&data);
    assert_eq!(first.sql("127.0.0.1", &["-Q", "raiserror('of the first start', 10, 1) with log"], "").code, 0);
    stopped(first);
    let second = started(&data);
    let read = |options: &str| {
        let script = format!("set nocount on\nexec {options}\n");
        second.sql("127.0.0.1", &[], &script).out
    };
    assert_eq!(read("sp_readerrorlog 1, 1, N'of the first start'").lines().count(), 1);
    assert_eq!(read("sp_readerrorlog 0, 1, N'of the first start'"), "");
    assert!(read("xp_readerrorlog 1, 1, N'of the first start'").contains(" spid"));
    read("sp_cycle_errorlog");
    assert_eq!(read("sp_readerrorlog 2, 1, N'of the first start'").lines().count(), 1);
    assert!(read("sp_readerrorlog 0").contains("The error log has been reinitialized."));
    assert_eq!(read("sp_enumerrorlogs").lines().count(), 3);
    // Times and an order.
    assert_eq!(read("xp_readerrorlog 1, 1, null, null, '2099-01-01'"), "");
    let lines =
        |order: &str| read(&format!("xp_readerrorlog 1, 1, null, null, '2001-01-01', '2099-01-01', N'{order}'"));
    let (up, down) = (lines("asc"), lines("desc"));
    assert!(up.lines().rev().eq(down.lines()), "{up}\n{down}");
    assert!(up.lines().count() > 5, "{up}");
    assert!(log(&data, ".2").contains("of the first start"));
    stopped(second);
}

#[test]
fn a_start_that_fails_is_in_the_log() {
    let dir = tempfile::tempdir().expect("a directory");
    let data: PathBuf = dir.path().join("data");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(["serve", "--listen", &address, "--data", data.to_str().expect("plain")])
        .env("MSSQL_SA_PASSWORD", PASSWORD)
        .output()
        .expect("it starts");
    assert!(!output.status.success());
    assert!(log(&data, "").contains(" Server      The server did not start: "), "{}", log(&data, ""));
}

#[test]
fn the_log_of_the_process_is_json_for_programs() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"])
        .env("MSSQL_SA_PASSWORD", PASSWORD)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut out = std::io::BufReader::new(process.stdout.take().expect("it is piped"));
    let mut greeting = String::new();
    while !greeting.contains("connect with") {
        assert_ne!(std::io::BufRead::read_line(&mut out, &mut greeting).expect("text"), 0, "{greeting}");
    }
    assert!(
        greeting.lines().next().is_some_and(|line| line.contains(", ready in ") && line.ends_with(" ms")),
        "{greeting}"
    );
    assert!(greeting.contains(" MB at most"), "{greeting}");
    let status = Command::new("kill").arg(process.id().to_string()).status().expect("kill is there");
    assert!(status.success());
    let mut text = String::new();
    process.stderr.take().expect("it is piped").read_to_string(&mut text).expect("text");
    assert!(process.wait().expect("it ends").success(), "{text}");
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"))).collect();
    let ready = events.iter().find(|event| event["number"] == 17_126).expect("17126");
    assert_eq!((&ready["level"], &ready["severity"]), (&"INFO".into(), &10.into()));
    assert!(events.iter().all(|event| event["time"].is_string() && event["message"].is_string()), "{text}");
}
