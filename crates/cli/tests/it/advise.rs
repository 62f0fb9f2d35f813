//! `millpond advise`: by the procedure, by views, for eyes and for programs, and refused.

use std::process::{Command, Output, Stdio};

use millpond_server::{Config, Server};
use serde_json::Value;

const PASSWORD: &str = "Secret-of-the-test-1";

fn start() -> (Server, String) {
    let mut config = Config::default();
    config.server.listen.set_port(0);
    config.server.sa_password = PASSWORD.into();
    let server = Server::start(&config).expect("the server starts");
    let address = format!("127.0.0.1,{}", server.address().port());
    (server, address)
}

fn millpond(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

fn advise(address: &str, more: &[&str]) -> Output {
    let mut arguments = vec!["advise", "-S", address, "-U", "sa", "-P", PASSWORD];
    arguments.extend_from_slice(more);
    millpond(&arguments)
}

fn sql(address: &str, text: &str) {
    let ran = millpond(&["sql", "-S", address, "-U", "sa", "-P", PASSWORD, "-b", "-Q", text]);
    assert!(ran.status.success(), "{text}\n{}{}", text_of(&ran.stdout), text_of(&ran.stderr));
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A table with a name that is hard to say, which wants an index.
const MISSED: &str = "set nocount on use tempdb exec(N'create database [d\u{202e}''x]]]')";
const TABLE: &str = "set nocount on use [d\u{202e}'x]]] create table t (id int not null primary key, v int not null, c char(200) not null)
    insert t select value, value % 2000, 'x' from generate_series(1, 20000)";
const ASK: &str = "use [d\u{202e}'x]]] declare @i int = 0, @n int while @i < 100 begin select @n = count(*) from t where v = 3 set @i += 1 end";
const STATEMENT: &str = "CREATE INDEX [IX_t_v_658a3385] ON [d\u{202e}'x]]].[dbo].[t] ([v]);";

#[test]
fn the_same_is_advised_by_the_procedure_and_by_documented_views() {
    let (server, address) = start();
    [MISSED, TABLE, ASK].iter().for_each(|text| sql(&address, text));
    let json = |more: &[&str]| -> Vec<Value> {
        let said = advise(&address, more);
        assert!(said.status.success(), "{}", text_of(&said.stderr));
        let text = text_of(&said.stdout);
        assert!(!text.contains('\u{202e}'), "nothing turns the terminal's direction");
        let all: Value = serde_json::from_str(&text).expect("JSON");
        all.as_array().expect("an array").clone()
    };
    let own = json(&["--format", "json"]);
    assert_eq!(own[0]["statement"], STATEMENT);
    assert_eq!(own[0]["topic"], "indexes");

    // A device that was measured is known to the client alone, so it asks the views, as it asks those of any other server.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("flash.toml");
    let point = |direction: &str| {
        format!(
            "[[device.m.point]]\ndirection = \"{direction}\"\norder = \"random\"\nsize_kb = 8\ndepth = 1\nlatency_us = 90.0\n"
        )
    };
    std::fs::write(&file, format!("[device.m]\nmodel = \"measured\"\n{}{}", point("read"), point("write"))).unwrap();
    let by_views = json(&["--format", "json", "--probed", &format!("/flash={}", file.display())]);
    let facts = |all: &[Value]| -> Vec<(Value, Value, Value)> {
        all.iter().map(|it| (it["topic"].clone(), it["severity"].clone(), it["statement"].clone())).collect()
    };
    assert_eq!(facts(&by_views), facts(&own), "{by_views:#?}");
    assert!(
        by_views.iter().all(|it| !it["evidence"].as_str().unwrap_or_default().contains("Msg ")),
        "nothing is refused: {by_views:#?}"
    );

    let only = json(&["--format", "json", "--topic", "growth"]);
    assert!(!only.is_empty() && only.iter().all(|it| it["topic"] == "growth"), "{only:?}");
    server.stop().expect("the server stops");
}

#[test]
fn it_is_shown_for_eyes_and_as_csv() {
    let (server, address) = start();
    [MISSED, TABLE, ASK].iter().for_each(|text| sql(&address, text));
    let shown = text_of(&advise(&address, &[]).stdout);
    let line = shown.lines().next().unwrap_or_default();
    assert!(line.contains("indexes: Statements read more of"), "{shown}");
    assert!(
        shown.contains("run      CREATE INDEX [IX_t_v_658a3385] ON") && shown.contains("unknown memory: "),
        "{shown}"
    );
    assert!(!shown.contains('\u{202e}'), "{shown}");
    let csv = text_of(&advise(&address, &["--format", "csv"]).stdout);
    assert!(csv.starts_with("topic,severity,finding,evidence,effect,statement\nindexes,"), "{csv}");
    server.stop().expect("the server stops");
}

#[test]
fn who_may_not_see_the_state_is_refused_with_the_servers_words() {
    let (server, address) = start();
    sql(&address, "create login ann with password = 'Lake-1234567'");
    let said = millpond(&["advise", "-S", &address, "-U", "ann", "-P", "Lake-1234567"]);
    assert_eq!(said.status.code(), Some(1));
    let why = text_of(&said.stderr);
    assert!(why.contains("Msg 300: VIEW SERVER STATE permission was denied"), "{why}");
    let said = advise(&address, &["--topic", "weather"]);
    assert_eq!(said.status.code(), Some(2));
    server.stop().expect("the server stops");
}
