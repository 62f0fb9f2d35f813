//! INSERT BULK: rows of a message of their own, in parts, whole or not at all.

use std::io::Write;

use millpond_tds::ColumnMeta;
use millpond_types::{MaxLen, SqlType, Value};

use crate::client::{Connection, connect, events, lines_of, row, server, socket};

const INSERT: &str = "insert bulk #t (a int, b nvarchar(200)) with (TABLOCK)";

fn columns() -> [ColumnMeta; 2] {
    [ColumnMeta::new("a", SqlType::Int), ColumnMeta::new("b", SqlType::NVarChar { len: MaxLen::Limited(200) })]
}

fn rows(numbers: impl Iterator<Item = i32>) -> Vec<[Value; 2]> {
    numbers.map(|number| [Value::Int(number), Value::Str(format!("row {number} {}", "x".repeat(100)).into())]).collect()
}

fn send(client: &mut Connection, rows: &[[Value; 2]]) -> Vec<String> {
    let events: Vec<_> =
        client.bulk(&columns(), rows.iter().map(|row| &row[..])).unwrap().map(|event| event.unwrap()).collect();
    lines_of(&events)
}

#[test]
fn rows_come_in_parts_and_are_one_statement() {
    rows_come("rows_per_batch = 5");
}

/// The first rows fill the empty table.
#[test]
fn rows_come_into_a_locked_table_too() {
    rows_come("TABLOCK");
}

fn rows_come(option: &str) {
    let server = server();
    let mut client = connect(&server);
    let table = "use loaded; create table t (a int primary key, b nvarchar(200) default 'none', \
                 c int identity, check (a <> -1)); create index i on t (b)";
    lines_of(&events(&mut client, "create database loaded"));
    lines_of(&events(&mut client, table));
    let columns = "[a] int, [b] nvarchar(200) collate SQL_Latin1_General_CP1_CI_AS null";
    let insert = &format!("insert bulk t ({columns}) with ({option})");
    // A key that comes twice: none of them stays, and the table is as empty as it was.
    lines_of(&events(&mut client, insert));
    let received = send(&mut client, &rows((0..3000).chain([17])));
    assert_eq!(received[0], "error 2627", "{received:?}");
    assert_eq!(row(&mut client, "select count(*) from t"), "0");
    lines_of(&events(&mut client, "truncate table t"));
    assert_eq!(lines_of(&events(&mut client, insert)), ["Done 00 0"]);
    assert_eq!(send(&mut client, &rows((0..5000).rev())), ["Done 10 5000"]);
    assert_eq!(row(&mut client, "select count(*), sum(a), max(c), min(len(b)) from t"), "5000,12497500,5000,106");
    // A key that is there, in the last of many rows: none of them comes, and the session goes on.
    lines_of(&events(&mut client, insert));
    let received = send(&mut client, &rows((5000..9000).chain([17])));
    assert_eq!(received[0], "error 2627", "{received:?}");
    assert_eq!(row(&mut client, "select count(*) from t"), "5000");
    // A check is looked after where that is asked for.
    lines_of(&events(&mut client, &format!("insert bulk t ({columns}) with ({option}, CHECK_CONSTRAINTS)")));
    assert_eq!(send(&mut client, &rows([-1].into_iter().chain(10_000..12_000)))[0], "error 547");
    // NULL takes the default unless it is to be kept.
    let null = [[Value::Int(-5), Value::Null]];
    lines_of(&events(&mut client, insert));
    send(&mut client, &null);
    assert_eq!(row(&mut client, "select b from t where a = -5"), "none");
    lines_of(&events(&mut client, "delete t where a = -5; insert bulk t (a int, b nvarchar(200)) with (KEEP_NULLS)"));
    // Both statements are text of the batch; only the last is announced.
    send(&mut client, &null);
    assert_eq!(row(&mut client, "select b from t where a = -5"), "NULL");
}

/// SQL Server fires no triggers for bulk rows unless it is asked to.
#[test]
fn triggers_fire_where_they_are_asked_for() {
    let server = server();
    let mut client = connect(&server);
    lines_of(&events(&mut client, "create database fired"));
    lines_of(&events(
        &mut client,
        "use fired; create table t (a int primary key, b nvarchar(200)); create table seen (n int, s int)",
    ));
    let trigger = "create trigger note on t after insert as begin \
                   if exists (select * from inserted where a = -1) throw 50001, 'not this one', 1; \
                   insert seen select count(*), sum(a) from inserted end";
    lines_of(&events(&mut client, trigger));
    lines_of(&events(&mut client, "insert bulk t (a int, b nvarchar(200))"));
    assert_eq!(send(&mut client, &rows(0..2000)), ["Done 10 2000"]);
    assert_eq!(row(&mut client, "select count(*) from seen"), "0");
    lines_of(&events(&mut client, "insert bulk t (a int, b nvarchar(200)) with (FIRE_TRIGGERS, TABLOCK)"));
    let received = send(&mut client, &rows(2000..5000));
    assert_eq!(received.last().map(String::as_str), Some("Done 10 3000"), "{received:?}");
    assert_eq!(row(&mut client, "select count(*), max(n), max(s) from seen"), "1,3000,10498500");
    // What a trigger refuses takes all rows with it.
    lines_of(&events(&mut client, "insert bulk t (a int, b nvarchar(200)) with (FIRE_TRIGGERS)"));
    let received = send(&mut client, &rows([9000, -1].into_iter()));
    assert_eq!(received[0], "error 50001", "{received:?}");
    assert_eq!(row(&mut client, "select count(*), @@trancount from t"), "5000,0");
}

/// CHECK and FOREIGN KEY are passed over unless a load says CHECK_CONSTRAINTS, and then no more trusted; keys always hold.
#[test]
fn constraints_are_passed_over_and_then_not_trusted() {
    let server = server();
    let mut client = connect(&server);
    lines_of(&events(&mut client, "create database passed"));
    let tables = "use passed; create table owner (a int primary key); insert owner values (1); create table t (a int primary key \
                  constraint of_owner references owner, b nvarchar(200) constraint short check (len(b) < 5), \
                  constraint idle check (a < 0)); alter table t nocheck constraint idle";
    lines_of(&events(&mut client, tables));
    let insert = "insert bulk t (a int, b nvarchar(200))";
    let trust = "select string_agg(concat(name, is_disabled, is_not_trusted), ' ') within group (order by name) from (select name, \
                 is_disabled, is_not_trusted from sys.check_constraints union all select name, is_disabled, is_not_trusted from \
                 sys.foreign_keys) c";
    assert_eq!(row(&mut client, trust), "idle11 of_owner00 short00");
    lines_of(&events(&mut client, &format!("{insert} with (CHECK_CONSTRAINTS)")));
    assert_eq!(send(&mut client, &rows(1..3))[0], "error 547");
    assert_eq!(row(&mut client, trust), "idle11 of_owner00 short00");
    // What a transaction takes back, it gives back.
    lines_of(&events(&mut client, "begin transaction"));
    lines_of(&events(&mut client, insert));
    assert_eq!(send(&mut client, &rows(1..3)), ["Done 10 2"]);
    assert_eq!(row(&mut client, trust), "idle11 of_owner01 short01");
    lines_of(&events(&mut client, "rollback"));
    assert_eq!(row(&mut client, trust), "idle11 of_owner00 short00");
    // Twice: the second finds them as the first left them.
    for number in [10, 20] {
        assert_eq!(lines_of(&events(&mut client, insert)), ["Done 00 0"]);
        assert_eq!(send(&mut client, &rows(number..number + 2)), ["Done 10 2"]);
        assert_eq!(row(&mut client, trust), "idle11 of_owner01 short01");
    }
    lines_of(&events(&mut client, insert));
    assert_eq!(send(&mut client, &rows(11..13))[0], "error 2627");
    // Other statements are still held to them, and rows that are there are found.
    assert_eq!(lines_of(&events(&mut client, "insert t values (2, 'b')"))[0], "error 547");
    assert_eq!(lines_of(&events(&mut client, "alter table t with check check constraint of_owner"))[0], "error 547");
    // Through a view, and into a temporary table.
    lines_of(&events(&mut client, "delete t; alter table t with check check constraint short, of_owner"));
    lines_of(&events(&mut client, "create view v as select a, b from t"));
    assert_eq!(lines_of(&events(&mut client, "insert bulk v (a int, b nvarchar(200))")), ["Done 00 0"]);
    assert_eq!(send(&mut client, &rows(30..32)), ["Done 10 2"]);
    assert_eq!(row(&mut client, trust), "idle11 of_owner01 short01");
    lines_of(&events(&mut client, "create table #t (a int, b nvarchar(200) constraint brief check (len(b) < 5))"));
    assert_eq!(lines_of(&events(&mut client, "insert bulk #t (a int, b nvarchar(200))")), ["Done 00 0"]);
    assert_eq!(send(&mut client, &rows(0..2)), ["Done 10 2"]);
    assert_eq!(lines_of(&events(&mut client, "insert #t values (3, 'longer')"))[0], "error 547");
    // Who may not alter the table may not do without its constraints.
    let user = "create user u without login; grant insert, select on t to u; execute as user = 'u'";
    lines_of(&events(&mut client, user));
    assert_eq!(lines_of(&events(&mut client, insert))[0], "error 1088");
    lines_of(&events(&mut client, &format!("{insert} with (CHECK_CONSTRAINTS)")));
    assert_eq!(send(&mut client, &rows(40..41))[0], "error 547");
}

#[test]
fn temporary_tables_take_rows_too() {
    let server = server();
    let mut client = connect(&server);
    lines_of(&events(&mut client, "create table #t (a int, b nvarchar(200))"));
    lines_of(&events(&mut client, INSERT));
    assert_eq!(send(&mut client, &rows(0..3000)), ["Done 10 3000"]);
    assert_eq!(row(&mut client, "select count(*), sum(a) from #t"), "3000,4498500");
}

#[test]
fn unannounced_rows_and_wrong_columns_are_errors() {
    let server = server();
    let mut client = connect(&server);
    assert_eq!(send(&mut client, &rows(0..3000))[0], "error 4002");
    assert_eq!(lines_of(&events(&mut client, "insert bulk nowhere (a int)"))[0], "error 208");
    lines_of(&events(&mut client, "create table #t (a int, b nvarchar(200))"));
    lines_of(&events(&mut client, "insert bulk #t (a int)"));
    assert_eq!(send(&mut client, &rows(0..3000))[0], "error 4002");
    assert_eq!(row(&mut client, "select count(*) from #t"), "0");
}

/// The client goes in the middle of its rows: none of them stay, and the server goes on.
#[test]
fn a_client_that_goes_leaves_nothing() {
    let server = server();
    let mut other = connect(&server);
    lines_of(&events(&mut other, "create database gone"));
    lines_of(&events(&mut other, "use gone; create table t (a int primary key, b nvarchar(200))"));
    let mut client = connect(&server);
    lines_of(&events(&mut client, "use gone"));
    lines_of(&events(&mut client, "insert bulk t (a int, b nvarchar(200))"));
    // A packet of rows that is not the last one, straight into the socket.
    let mut packet = vec![7, 0, 0x10, 0, 0, 0, 1, 0];
    packet.resize(0x1000, 0xD1);
    let mut raw = client.stream().try_clone();
    for _ in 0..20 {
        raw.write_all(&packet).unwrap();
    }
    drop((client, raw));
    assert_eq!(row(&mut other, "select count(*) from gone.dbo.t"), "0");
    drop(socket(&server));
}
