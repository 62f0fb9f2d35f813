//! Texts of UTF-8 on the wire: columns that name their collation, parameters, bulk rows.

use millpond_tds::rpc::{Procedure, RpcOptions, RpcParameter, RpcRequest};
use millpond_tds::{ColumnMeta, Event};
use millpond_types::{CodePage, Collation, MaxLen, SqlType, Value};

use crate::client::{connect, events, lines_of, row, server};

const TEXT: &str = "Žluťoučký 😀 日本";
const COLUMNS: &str = "v varchar(40) collate Latin1_General_100_CI_AS_SC_UTF8, \
                       b char(9) collate Latin1_General_100_BIN2_UTF8, w varchar(9) collate Latin1_General_CS_AS, \
                       n nvarchar(40) collate Latin1_General_BIN2, d varchar(9)";

fn utf8(sql_type: SqlType) -> SqlType {
    sql_type.in_page(CodePage::Utf8)
}

#[test]
fn columns_name_their_collation_and_values_go_in_their_code_page() {
    let server = server();
    let mut client = connect(&server);
    lines_of(&events(
        &mut client,
        &format!("create table #t ({COLUMNS}); insert #t values (N'{TEXT}', N'日', 'é', N'日', '€')"),
    ));
    let events =
        events(&mut client, "select v, b, w, n, d, v + '!' as j, 'é' collate Latin1_General_CI_AI as x from #t");
    let Event::Columns(columns) = &events[0] else { panic!("{events:?}") };
    let shown: Vec<(SqlType, Collation)> = columns.iter().map(|column| (column.sql_type, column.collation)).collect();
    let nvarchar = SqlType::NVarChar { len: MaxLen::Limited(40) };
    assert_eq!(
        shown,
        [
            (utf8(SqlType::varchar(40)), Collation::UTF8_CI_AS),
            (utf8(SqlType::char(9)), Collation::UTF8_BIN2),
            (SqlType::varchar(9), Collation::WINDOWS_CS_AS),
            (nvarchar, Collation::LATIN1_BIN2),
            (SqlType::varchar(9), Collation::LATIN1_CI_AS),
            (utf8(SqlType::varchar(43)), Collation::UTF8_CI_AS),
            (SqlType::varchar(1), Collation::WINDOWS_CI_AI),
        ]
    );
    assert_eq!(lines_of(&events[1..2]), [format!("row {TEXT},日      ,é,日,€,{TEXT}!,é")]);
}

#[test]
fn parameters_and_bulk_rows_of_utf8_are_read_as_such() {
    let server = server();
    let mut client = connect(&server);
    lines_of(&events(&mut client, &format!("create table #t ({COLUMNS})")));
    let parameter = |name: &str, sql_type, text: &str| RpcParameter::input(name, sql_type, Value::str(text));
    let statement = parameter("", SqlType::SYSNAME, "insert #t (v, d) values (@p, @q)");
    let declared = parameter("", SqlType::SYSNAME, "@p nvarchar(40), @q varchar(9)");
    let calls = [RpcRequest {
        procedure: Procedure::Name("sp_executesql".into()),
        options: RpcOptions::default(),
        parameters: vec![
            statement,
            declared,
            parameter("@p", utf8(SqlType::varchar(40)), TEXT),
            parameter("@q", utf8(SqlType::varchar(40)), "é日"),
        ],
        no_exec: false,
    }];
    let received: Vec<Event> = client.call(&calls).unwrap().map(|event| event.unwrap()).collect();
    assert!(!lines_of(&received).iter().any(|line| line.starts_with("error")), "{received:?}");
    assert_eq!(row(&mut client, "select v, datalength(v), d, datalength(d) from #t"), format!("{TEXT},25,é?,2"));

    lines_of(&events(
        &mut client,
        "truncate table #t; insert bulk #t (v varchar(40) collate Latin1_General_100_CI_AS_SC_UTF8)",
    ));
    let columns = [ColumnMeta::new("v", utf8(SqlType::varchar(40)))];
    let rows = [[Value::str(TEXT)], [Value::str("日")]];
    let received: Vec<Event> =
        client.bulk(&columns, rows.iter().map(|row| &row[..])).unwrap().map(|event| event.unwrap()).collect();
    assert_eq!(lines_of(&received), ["Done 10 2"]);
    assert_eq!(row(&mut client, "select count(*), max(datalength(v)), min(len(v)) from #t"), "2,25,1");
}
