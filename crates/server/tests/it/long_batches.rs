//! Batches as long as they may be, 65,536 packets, and longer ones; texts of 100 MB.

use millpond_server::Server;
use millpond_tds::Event;
use millpond_tds::client::ConnectOptions;

use crate::client::{Connection, config, connect, connect_with, lines_of, options, row};

const MB: usize = 1 << 20;

fn server_of(memory_mb: u64) -> Server {
    let mut config = config();
    config.server.max_server_memory_mb = memory_mb;
    Server::start(&config).unwrap()
}

/// What came until the connection ended, or the answer did.
fn answer_lines(client: &mut Connection, text: &str) -> Vec<String> {
    let Ok(events) = client.batch(text) else { return vec!["not sent".into()] };
    lines_of(&events.map_while(Result::ok).collect::<Vec<Event>>())
}

#[test]
fn a_hundred_megabytes_run() {
    let server = server_of(2048);
    let mut client = connect(&server);
    // On the wire a character has two bytes.
    let long = "x".repeat(50 * MB);
    assert_eq!(row(&mut client, &format!("select 1 -- {long}")), "1");
    assert_eq!(
        row(&mut client, &format!("declare @v nvarchar(max) = N'{long}' select datalength(@v)")),
        (100 * MB).to_string()
    );
    let rows: Vec<String> = (0..1000).map(|id| format!("({id}, '{}')", &long[..50 * MB / 1000])).collect();
    let text = format!("set nocount on create table #t (id int, v varchar(max)) insert #t values {}", rows.join(","));
    assert_eq!(
        row(&mut client, &format!("{text} select sum(datalength(v)) from #t")),
        (50 * MB / 1000 * 1000).to_string()
    );
    drop(client);
    server.stop().unwrap();
}

#[test]
fn a_batch_of_many_inserts_runs() {
    let server = server_of(2048);
    let mut client = connect(&server);
    let text = format!(
        "set nocount on create table #t (v int) {} select count(*) from #t",
        "insert #t values (1)\n".repeat(50_000)
    );
    assert_eq!(row(&mut client, &text), "50000");
    drop(client);
    server.stop().unwrap();
}

#[test]
fn more_than_65536_packets_are_refused_and_the_connection_ends() {
    let server = server_of(2048);
    let small = ConnectOptions { packet_bytes: 512, ..options() };
    let (mut client, _) = connect_with(&server, &small).unwrap();
    let mut other = connect(&server);
    let most = 65_536 * 512;
    let within = format!("select 1 -- {}", "x".repeat(most / 2 - 1000));
    assert_eq!(row(&mut client, &within), "1");
    let beyond = "x".repeat(most / 2 + 1000);
    let said = answer_lines(&mut client, &format!("select 1 -- {beyond}"));
    assert!(said.first().is_some_and(|line| line == "error 4014"), "{said:?}");
    assert_eq!(answer_lines(&mut client, "select 2").iter().find(|line| line.starts_with("row")), None, "it is closed");
    assert_eq!(row(&mut other, "select 3"), "3");
    drop((client, other));
    server.stop().unwrap();
}

#[test]
fn a_batch_without_memory_is_701_and_the_session_goes_on() {
    let server = server_of(256);
    let mut client = connect(&server);
    let said = answer_lines(&mut client, &format!("select 1 -- {}", "x".repeat(130 * MB)));
    assert_eq!(said.first().map(String::as_str), Some("error 701"), "{said:?}");
    assert_eq!(row(&mut client, "select 2"), "2");
    assert!(server.engine().workspace().value_bytes() < MB, "plans are kept");
    drop(client);
    server.stop().unwrap();
}

#[test]
fn a_long_value_goes_while_it_is_made() {
    let server = server_of(256);
    let mut client = connect(&server);
    for (of, unit) in [("varchar", "x"), ("nvarchar", "ä𝄞"), ("varchar", "ä")] {
        let text = format!("select 1, replicate(cast(N'{unit}' as {of}(max)), 1000000), 2, cast(null as varchar(max))");
        let said = row(&mut client, &text);
        assert!(said == format!("1,{},2,NULL", unit.repeat(1_000_000)), "{of} of {unit}: {} bytes", said.len());
    }
    let bytes = client.batch("select cast(replicate(cast('x' as varchar(max)), 1000000) as varbinary(max))").unwrap();
    let bytes: Vec<Event> = bytes.map(Result::unwrap).collect();
    let is_whole = |event: &Event| matches!(event, Event::Row(values) if values[0].as_bytes().is_some_and(|bytes| bytes == vec![b'x'; 1_000_000]));
    assert!(bytes.iter().any(is_whole));
    drop(client);
    server.stop().unwrap();
}
