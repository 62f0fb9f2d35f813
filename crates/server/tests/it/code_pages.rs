//! Texts of code pages on the wire: columns that name their collation, parameters, bulk rows.

use millpond_tds::rpc::{Procedure, RpcOptions, RpcParameter, RpcRequest};
use millpond_tds::{ColumnMeta, Event};
use millpond_types::{CodePage, Collation, SqlType, Value};

use crate::client::{connect, events, lines_of, row, server};

const COLUMNS: &str = "ru varchar(10) collate Cyrillic_General_CI_AS, ja char(5) collate Japanese_XJIS_100_CS_AS, \
                       dos varchar(5) collate SQL_Latin1_General_CP850_CI_AS";

#[test]
fn columns_name_their_collation_and_values_go_in_their_code_page() {
    let server = server();
    let mut client = connect(&server);
    let make = format!("create table #t ({COLUMNS}); insert #t values (N'Привет', N'日本', N'é½')");
    lines_of(&events(&mut client, &make));
    let events = events(&mut client, "select ru, ja, dos, ru + N'日' as n from #t");
    let Event::Columns(columns) = &events[0] else { panic!("{events:?}") };
    let shown: Vec<(SqlType, &str)> = columns.iter().map(|column| (column.sql_type, column.collation.name())).collect();
    assert_eq!(
        shown[..3],
        [
            (SqlType::varchar(10).in_page(CodePage::Cp1251), "Cyrillic_General_CI_AS"),
            (SqlType::char(5).in_page(CodePage::Cp932), "Japanese_XJIS_100_CS_AS"),
            (SqlType::varchar(5).in_page(CodePage::Cp850), "SQL_Latin1_General_CP850_CI_AS"),
        ]
    );
    assert_eq!(lines_of(&events[1..2]), ["row Привет,日本 ,é½,Привет日"]);
}

#[test]
fn parameters_and_bulk_rows_are_read_in_their_code_page() {
    let server = server();
    let mut client = connect(&server);
    lines_of(&events(&mut client, &format!("create table #t ({COLUMNS})")));
    let parameter = |name: &str, sql_type, text: &str| RpcParameter::input(name, sql_type, Value::str(text));
    let calls = [RpcRequest {
        procedure: Procedure::Name("sp_executesql".into()),
        options: RpcOptions::default(),
        parameters: vec![
            parameter("", SqlType::SYSNAME, "insert #t (ru) values (@p)"),
            parameter("", SqlType::SYSNAME, "@p nvarchar(10)"),
            parameter("@p", SqlType::varchar(10).in_page(CodePage::Cp1251), "жук"),
        ],
        no_exec: false,
    }];
    let received: Vec<Event> = client.call(&calls).unwrap().map(|event| event.unwrap()).collect();
    assert!(!lines_of(&received).iter().any(|line| line.starts_with("error")), "{received:?}");
    assert_eq!(
        row(&mut client, "select ru, datalength(ru), convert(char(8), convert(varbinary(3), ru), 1) from #t"),
        "жук,3,0xE6F3EA"
    );

    lines_of(&events(&mut client, "truncate table #t; insert bulk #t (ja char(5) collate Japanese_XJIS_100_CS_AS)"));
    let collation = Collation::by_name("Japanese_XJIS_100_CS_AS").expect("a collation");
    let sql = SqlType::char(5).in_page(CodePage::Cp932);
    let columns = [ColumnMeta { collation, ..ColumnMeta::new("ja", sql) }];
    let rows = [[Value::str("日本")], [Value::str("ｱ")]];
    let received: Vec<Event> =
        client.bulk(&columns, rows.iter().map(|row| &row[..])).unwrap().map(|event| event.unwrap()).collect();
    assert_eq!(lines_of(&received), ["Done 10 2"]);
    assert_eq!(row(&mut client, "select min(ja), max(ja), min(datalength(ja)) from #t"), "ｱ    ,日本 ,5");
}
