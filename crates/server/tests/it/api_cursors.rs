//! API cursors by calls of the wire, as drivers send them. What is expected is what the manual says of these procedures, and of
//! answers what clients of others rely on; those clients are in `tests/clients`.

use std::sync::atomic::Ordering::Relaxed;

use millpond_tds::Event;
use millpond_tds::rpc::{ProcId, RpcParameter, RpcRequest};
use millpond_types::{MaxLen, SqlType, Value};

use crate::client::{Connection, connect, connect_with, events, lines_of, options, row, server};

const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(4000) };

fn text(name: &str, value: &str) -> RpcParameter {
    RpcParameter::input(name, TEXT, Value::Str(value.into()))
}

fn int(name: &str, value: i32) -> RpcParameter {
    RpcParameter::input(name, SqlType::Int, Value::Int(value))
}

fn output(mut parameter: RpcParameter) -> RpcParameter {
    parameter.is_output = true;
    parameter
}

fn call(client: &mut Connection, id: ProcId, parameters: Vec<RpcParameter>) -> Vec<String> {
    let events: Vec<Event> =
        client.call(&[RpcRequest::by_number(id, parameters)]).unwrap().map(|event| event.unwrap()).collect();
    lines_of(&events)
}

/// What an opening has given back: handle, scrollopt, ccopt, rowcount; and all that came.
fn open(client: &mut Connection, statement: &str, scroll: i32, concurrency: i32) -> ([i32; 4], Vec<String>) {
    let parameters = vec![
        output(int("", 0)),
        text("", statement),
        output(int("", scroll)),
        output(int("", concurrency)),
        output(int("", 0)),
    ];
    opened(client, ProcId::CursorOpen, parameters)
}

fn opened(client: &mut Connection, id: ProcId, parameters: Vec<RpcParameter>) -> ([i32; 4], Vec<String>) {
    let request = RpcRequest::by_number(id, parameters);
    let events: Vec<Event> = client.call(&[request]).unwrap().map(|event| event.unwrap()).collect();
    let mut values = [i32::MIN; 4];
    let given = events.iter().filter_map(|event| match event {
        Event::ReturnValue(value) => Some(value.value.as_i64().map_or(i32::MIN, |value| value as i32)),
        _ => None,
    });
    for (place, value) in values.iter_mut().zip(given) {
        *place = value;
    }
    (values, lines_of(&events))
}

fn fetch(client: &mut Connection, handle: i32, fetch_type: i32, row: i32, rows: i32) -> Vec<String> {
    let parameters = vec![int("", handle), int("", fetch_type), int("", row), int("", rows)];
    call(client, ProcId::CursorFetch, parameters).into_iter().filter(|line| !line.starts_with("columns")).collect()
}

/// The rows of a fetch, the status of each behind it, and the status of the call.
fn rows(client: &mut Connection, handle: i32, fetch_type: i32, row: i32, rows: i32) -> String {
    let lines = fetch(client, handle, fetch_type, row, rows);
    let kept = lines.iter().filter_map(|line| {
        line.strip_prefix("row ").or_else(|| line.strip_prefix("status ")).or_else(|| line.strip_prefix("error "))
    });
    kept.collect::<Vec<&str>>().join(" ")
}

fn filled(client: &mut Connection) {
    events(
        client,
        "create table t (id int primary key, v int, s varchar(10)); \
         insert t select value, value * 10, concat('r', value) from generate_series(1, 6)",
    );
}

const KEYSET: i32 = 1;
const DYNAMIC: i32 = 2;
const FORWARD_ONLY: i32 = 4;
const STATIC: i32 = 8;
const FAST_FORWARD: i32 = 0x10;
const READ_ONLY: i32 = 1;
const LOCKS: i32 = 2;
const OPTIMISTIC: i32 = 4;
const DIRECT: i32 = 0x2000;
const IN_PLACE: i32 = 0x4000;
const FIRST: i32 = 1;
const NEXT: i32 = 2;
const PREV: i32 = 4;
const LAST: i32 = 8;
const ABSOLUTE: i32 = 0x10;
const RELATIVE: i32 = 0x20;
const REFRESH: i32 = 0x80;
const INFO: i32 = 0x100;
const PREV_NOADJUST: i32 = 0x200;

#[test]
fn an_opening_says_what_the_cursor_has_become() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let cases = [
        ("select id, v from t", KEYSET, OPTIMISTIC, [KEYSET, OPTIMISTIC, 6]),
        ("select id, v from t", DYNAMIC, OPTIMISTIC | IN_PLACE, [DYNAMIC, OPTIMISTIC | IN_PLACE, -1]),
        ("select id, v from t", FORWARD_ONLY, LOCKS | DIRECT, [FORWARD_ONLY, LOCKS, -1]),
        ("select id, v from t", STATIC, READ_ONLY, [STATIC, READ_ONLY, 6]),
        ("select id, v from t", FAST_FORWARD, READ_ONLY, [FAST_FORWARD, READ_ONLY, -1]),
        ("select id, v from t", 0, 0, [KEYSET, OPTIMISTIC, 6]),
        ("select count(*) from t group by v", KEYSET, OPTIMISTIC, [STATIC, READ_ONLY, 6]),
        ("select distinct v from t", DYNAMIC, LOCKS, [STATIC, READ_ONLY, 6]),
        ("select id from t order by v", DYNAMIC, OPTIMISTIC, [KEYSET, OPTIMISTIC, 6]),
        ("select top 2 id from t order by id", FORWARD_ONLY, OPTIMISTIC, [KEYSET, OPTIMISTIC, 2]),
        ("select count(*) from t", FAST_FORWARD, READ_ONLY, [FAST_FORWARD, READ_ONLY, -1]),
        ("with a as (select id from t) select id from a -- end", STATIC, READ_ONLY, [STATIC, READ_ONLY, 6]),
        ("select id, v from t for update of v", KEYSET, OPTIMISTIC, [KEYSET, OPTIMISTIC, 6]),
    ];
    for (statement, scroll, concurrency, wanted) in cases {
        let ([handle, options @ ..], lines) = open(&mut client, statement, scroll, concurrency);
        assert_eq!(options, wanted, "{statement}: {lines:?}");
        assert!(handle > 0 && handle % 2 == 1, "{handle}");
        assert!(!lines.iter().any(|line| line.starts_with("row")), "{lines:?}");
        assert_eq!(lines.last().unwrap(), "Procedure 00 0");
    }
}

#[test]
fn rows_have_a_status_behind_them() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let (values, lines) = open(&mut client, "select id, v from t order by id", KEYSET, OPTIMISTIC);
    assert_eq!(lines[0], "columns 3");
    let handle = values[0];
    let request =
        RpcRequest::by_number(ProcId::CursorFetch, vec![int("", handle), int("", NEXT), int("", 0), int("", 2)]);
    let events: Vec<Event> = client.call(&[request]).unwrap().map(|event| event.unwrap()).collect();
    let Event::Columns(columns) = &events[0] else { panic!("{events:?}") };
    let status = &columns[2];
    assert_eq!(
        (&*status.name, status.sql_type, status.hidden, status.nullable),
        ("ROWSTAT", SqlType::Int, true, false)
    );
    let lines = lines_of(&events);
    assert_eq!(lines, ["columns 3", "row 1,10,1", "row 2,20,1", "InProcedure 11 2", "status 0", "Procedure 00 0"]);
    crate::client::row(&mut client, "delete t where id in (2, 3); select 1");
    assert_eq!(rows(&mut client, handle, FIRST, 0, 4), "1,10,1 0,NULL,2 0,NULL,2 4,40,1 0");
}

#[test]
fn blocks_of_numbered_rows_go_where_the_manual_says() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    for scroll in [KEYSET, STATIC] {
        let ([handle, ..], _) = open(&mut client, "select id from t order by id", scroll, READ_ONLY);
        let mut block = |fetch_type, row, count| rows(&mut client, handle, fetch_type, row, count);
        assert_eq!(block(ABSOLUTE, 4, 1), "4,1 0");
        assert_eq!(block(PREV, 0, 5), "1,1 2,1 3,1 4,1 5,1 2");
        assert_eq!(block(ABSOLUTE, 4, 1), "4,1 0");
        assert_eq!(block(PREV_NOADJUST, 6, 5), "1,1 2,1 3,1 0");
        assert_eq!(block(ABSOLUTE, -2, 5), "5,1 6,1 0");
        assert_eq!(block(NEXT, 0, 5), "0");
        assert_eq!(block(PREV, 0, 2), "5,1 6,1 0");
        assert_eq!(block(RELATIVE, -1, 2), "4,1 5,1 0");
        assert_eq!(block(RELATIVE, 0, 1), "4,1 0");
        assert_eq!(block(LAST, 0, 2), "5,1 6,1 0");
        assert_eq!(block(FIRST, 0, 0), "0");
        assert_eq!(block(RELATIVE, 3, 2), "3,1 4,1 0");
        assert_eq!(block(REFRESH, 0, 99), "3,1 4,1 0");
        assert_eq!(block(LAST, 0, 0), "0");
        assert_eq!(block(PREV, 0, 1), "6,1 0");
        assert_eq!(block(ABSOLUTE, i32::MIN, 1), "0");
        assert_eq!(block(NEXT, 0, i32::MAX), "1,1 2,1 3,1 4,1 5,1 6,1 0");
    }
}

#[test]
fn blocks_of_a_dynamic_cursor_see_what_comes_and_goes() {
    let server = server();
    let mut client = connect(&server);
    let mut other = connect(&server);
    filled(&mut client);
    for concurrency in [READ_ONLY, OPTIMISTIC] {
        let ([handle, ..], _) = open(&mut client, "select id from t order by id", DYNAMIC, concurrency);
        assert_eq!(rows(&mut client, handle, NEXT, 0, 2), "1,1 2,1 0");
        row(&mut other, "insert t values (0, 0, ''), (20, 0, ''); delete t where id = 3; select 1");
        assert_eq!(rows(&mut client, handle, NEXT, 0, 2), "4,1 5,1 0");
        assert_eq!(rows(&mut client, handle, PREV, 0, 2), "1,1 2,1 0");
        assert_eq!(rows(&mut client, handle, PREV, 0, 2), "0,1 1,1 2");
        assert_eq!(rows(&mut client, handle, PREV, 0, 2), "0");
        assert_eq!(rows(&mut client, handle, LAST, 0, 2), "6,1 20,1 0");
        assert_eq!(rows(&mut client, handle, RELATIVE, -2, 2), "4,1 5,1 0");
        row(&mut other, "delete t where id in (0, 4, 20); insert t values (3, 30, 'r3'); select 1");
        // The row that the block begins with is gone: the next one takes its place.
        assert_eq!(rows(&mut client, handle, REFRESH, 0, 0), "5,1 6,1 0");
        assert_eq!(rows(&mut client, handle, RELATIVE, -9, 2), "0");
        assert_eq!(rows(&mut client, handle, ABSOLUTE, 1, 1), "16925 1");
        row(&mut other, "insert t values (4, 40, 'r4'); select 1");
        call(&mut client, ProcId::CursorClose, vec![int("", handle)]);
    }
}

#[test]
fn a_forward_only_cursor_goes_forward() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    for (scroll, concurrency) in [(FORWARD_ONLY, OPTIMISTIC), (FORWARD_ONLY, READ_ONLY), (FAST_FORWARD, READ_ONLY)] {
        let ([handle, ..], _) = open(&mut client, "select id from t order by id", scroll, concurrency);
        assert_eq!(rows(&mut client, handle, NEXT, 0, 4), "1,1 2,1 3,1 4,1 0");
        for backward in [FIRST, PREV, LAST, ABSOLUTE, RELATIVE, PREV_NOADJUST] {
            assert_eq!(rows(&mut client, handle, backward, 1, 1), "16911 1");
        }
        assert_eq!(rows(&mut client, handle, NEXT, 0, 4), "5,1 6,1 0");
        assert_eq!(rows(&mut client, handle, NEXT, 0, 4), "0");
    }
}

#[test]
fn where_a_cursor_is() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let info = |client: &mut Connection, handle| {
        let parameters = vec![int("", handle), int("", INFO), output(int("", 0)), output(int("", 0))];
        let ([position, count, ..], _) = opened(client, ProcId::CursorFetch, parameters);
        (position, count)
    };
    let ([keyset, ..], _) = open(&mut client, "select id from t order by id", KEYSET, OPTIMISTIC);
    let ([dynamic, ..], _) = open(&mut client, "select id from t order by id", DYNAMIC, OPTIMISTIC);
    assert_eq!((info(&mut client, keyset), info(&mut client, dynamic)), ((0, 6), (0, -1)));
    for handle in [keyset, dynamic] {
        rows(&mut client, handle, NEXT, 0, 2);
        rows(&mut client, handle, NEXT, 0, 2);
    }
    assert_eq!((info(&mut client, keyset), info(&mut client, dynamic)), ((3, 6), (1, -1)));
    rows(&mut client, keyset, LAST, 0, 0);
    assert_eq!(info(&mut client, keyset), (-1, 6));
}

#[test]
fn rows_come_with_the_cursor_and_end_it() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let auto = |client: &mut Connection, rows| {
        let parameters = vec![
            output(int("", 0)),
            text("", "select id from t order by id"),
            output(int("", FAST_FORWARD | 0x2000 | 0x4000)),
            output(int("", READ_ONLY)),
            output(int("", rows)),
        ];
        opened(client, ProcId::CursorOpen, parameters)
    };
    let ([handle, scroll, _, count], lines) = auto(&mut client, 4);
    assert_eq!((scroll, count), (FAST_FORWARD, 4), "{lines:?}");
    assert_eq!(rows(&mut client, handle, NEXT, 0, 4), "5,1 6,1 16");
    assert_eq!(rows(&mut client, handle, NEXT, 0, 4), "16909 1");
    let ([handle, _, _, count], lines) = auto(&mut client, 0);
    assert_eq!((handle, count), (0, 6));
    assert!(lines.contains(&"status 16".to_owned()), "{lines:?}");
}

fn cursor_call(handle: i32, operation: i32, row: i32, table: &str, values: Vec<RpcParameter>) -> Vec<RpcParameter> {
    [vec![int("", handle), int("", operation), int("", row), text("", table)], values].concat()
}

#[test]
fn rows_of_the_buffer_are_changed() {
    let server = server();
    let mut client = connect(&server);
    for scroll in [KEYSET, DYNAMIC, FORWARD_ONLY] {
        for concurrency in [LOCKS, OPTIMISTIC, 8] {
            filled(&mut client);
            let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", scroll, concurrency);
            rows(&mut client, handle, NEXT, 0, 3);
            let mut change = |operation, row, values| {
                call(&mut client, ProcId::Cursor, cursor_call(handle, operation, row, "", values))
            };
            let done = ["InProcedure 11 1", "status 0", "Procedure 00 0"];
            assert_eq!(change(1, 2, vec![int("@v", 1)]), done);
            assert_eq!(change(1, 2, vec![int("@v", 2)]), done, "what stands there is known after a change");
            assert_eq!(change(1 | 0x20, 1, vec![text("", "v = v + 1"), text("", "s = 'x'")]), done);
            assert_eq!(change(1, 1, vec![text("", "SET v = v + 1")]), done);
            assert_eq!(change(1, 1, vec![text("", "update t set v = v + 1")]), done);
            assert_eq!(change(2, 3, vec![]), done);
            assert_eq!(change(4, 0, vec![int("@id", 7), int("@v", 70)]), done);
            assert_eq!(change(4, 0, vec![text("", "8"), text("", "80"), text("", "'r8'")]), done);
            assert_eq!(change(4, 0, vec![text("", "insert t values (9, 90, null)")]), done);
            assert_eq!(change(4, 0, vec![text("", "values (10, 1, '')")]), done);
            assert_eq!(change(1, 1, vec![]), ["error 16935", "status 16935", "Procedure 02 0"]);
            // No text reaches other rows, or another statement.
            assert_eq!(change(1, 1, vec![text("", "v = 13 -- all")]), done);
            for other in
                ["v = 1 where 1 = 1 --", "v = 7; delete t --", "v = 1 delete t", "set v = 1 from t where current of"]
            {
                let lines = change(1, 1, vec![text("", other)]);
                assert!(lines[0].starts_with("error"), "{other}: {lines:?}");
            }
            for other in ["20, 0, '') delete t --", "values (20, 0, ''); delete t", "exec sp_who", "delete t"] {
                let lines = change(4, 1, vec![text("", other)]);
                assert!(lines[0].starts_with("error"), "{other}: {lines:?}");
            }
            assert_eq!(change(1, 4, vec![int("@v", 1)])[0], "error 16930");
            assert_eq!(change(1, -1, vec![int("@v", 1)])[0], "error 16930");
            let found = "select string_agg(concat(id, '=', v), ' ') within group (order by id) from t";
            assert_eq!(row(&mut client, found), "1=13 2=2 4=40 5=50 6=60 7=70 8=80 9=90 10=1");
            call(&mut client, ProcId::CursorClose, vec![int("", handle)]);
            events(&mut client, "drop table t");
        }
    }
}

#[test]
fn all_rows_of_the_buffer_and_rows_by_their_number() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", KEYSET, OPTIMISTIC);
    assert_eq!(call(&mut client, ProcId::Cursor, cursor_call(handle, 1, 1, "t", vec![int("@v", 0)]))[0], "error 16931");
    rows(&mut client, handle, ABSOLUTE, 3, 2);
    let lines = call(&mut client, ProcId::Cursor, cursor_call(handle, 1, 0, "t", vec![int("@v", 0)]));
    assert_eq!(lines, ["InProcedure 11 1", "InProcedure 11 1", "status 0", "Procedure 00 0"]);
    let lines = call(&mut client, ProcId::Cursor, cursor_call(handle, 2 | 0x40, 6, "t", vec![]));
    assert_eq!(lines[0], "InProcedure 11 1");
    let lines = call(&mut client, ProcId::Cursor, cursor_call(handle, 8, 0, "", vec![]));
    assert_eq!(lines[..3], ["columns 3", "row 3,0,1", "row 4,0,1"]);
    assert_eq!(call(&mut client, ProcId::Cursor, cursor_call(handle, 0x10 | 0x40, 1, "", vec![]))[0], "error 16904");
    let found = "select string_agg(concat(id, '=', v), ' ') within group (order by id) from t";
    assert_eq!(row(&mut client, found), "1=10 2=20 3=0 4=0 5=50");
    // The row is missing in the keyset now.
    assert_eq!(rows(&mut client, handle, LAST, 0, 2), "5,50,1 0,NULL,2 0");
}

#[test]
fn a_row_that_another_has_changed_stays_as_it_is() {
    let server = server();
    let mut client = connect(&server);
    let mut other = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", KEYSET, OPTIMISTIC);
    rows(&mut client, handle, NEXT, 0, 3);
    row(&mut other, "update t set v = 5 where id = 2; select 1");
    let change = cursor_call(handle, 1, 2, "t", vec![int("@v", 1)]);
    let lines = call(&mut client, ProcId::Cursor, change.clone());
    assert!(lines.contains(&"error 16934".to_owned()), "{lines:?}");
    assert_eq!(row(&mut client, "select v from t where id = 2"), "5");
    rows(&mut client, handle, REFRESH, 0, 0);
    assert_eq!(call(&mut client, ProcId::Cursor, change)[0], "InProcedure 11 1");
}

#[test]
fn a_lock_stays_to_the_end_of_the_transaction() {
    let server = server();
    let mut client = connect(&server);
    let mut other = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", KEYSET, OPTIMISTIC);
    rows(&mut client, handle, NEXT, 0, 3);
    events(&mut client, "begin tran");
    assert_eq!(call(&mut client, ProcId::Cursor, cursor_call(handle, 0x10, 2, "", vec![]))[0], "status 0");
    let blocked = lines_of(&events(&mut other, "set lock_timeout 0; update t set v = 0 where id = 2"));
    assert!(blocked.contains(&"error 1222".to_owned()), "{blocked:?}");
    events(&mut other, "update t set v = 0 where id = 1");
    events(&mut client, "commit");
    assert_eq!(lines_of(&events(&mut other, "update t set v = 0 where id = 2"))[0], "Done 10 1");
}

#[test]
fn a_name_leads_to_the_row_of_setposition() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", KEYSET, OPTIMISTIC);
    let name = |client: &mut Connection, name: &str| {
        call(client, ProcId::CursorOption, vec![int("", handle), int("", 2), text("", name)])
    };
    assert_eq!(name(&mut client, "named")[0], "status 0");
    rows(&mut client, handle, NEXT, 0, 3);
    events(&mut client, "update t set v = 1 where current of named");
    call(&mut client, ProcId::Cursor, cursor_call(handle, 0x20, 3, "", vec![]));
    events(&mut client, "update t set v = 3 where current of named");
    call(&mut client, ProcId::Cursor, cursor_call(handle, 0x20, 99, "", vec![]));
    events(&mut client, "update t set v = v + 100 where current of named");
    let found = "select string_agg(concat(id, '=', v), ' ') within group (order by id) from t";
    assert_eq!(row(&mut client, found), "1=101 2=20 3=3 4=40 5=50 6=60");
    // Where the next block begins does not depend on that.
    assert_eq!(rows(&mut client, handle, NEXT, 0, 1), "4,40,1 0");
    events(&mut client, "declare other cursor global for select 1");
    for taken in ["other", "API_CURSOR0000000000000000"] {
        assert_eq!(name(&mut client, taken)[0], "error 16915");
    }
    let told = |client: &mut Connection, code| {
        opened(client, ProcId::CursorOption, vec![int("", handle), int("", code), output(int("", 0))]).0[0]
    };
    assert_eq!([4, 5, 6].map(|code| told(&mut client, code)), [KEYSET, OPTIMISTIC, 6]);
    call(&mut client, ProcId::CursorClose, vec![int("", handle)]);
    assert_eq!(lines_of(&events(&mut client, "fetch next from named"))[0], "error 16916");
}

#[test]
fn texts_with_parameters_and_kept_texts() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let of = |client: &mut Connection, from: i32| {
        let parameters = vec![
            output(int("", 0)),
            text("", "select id from t where id >= @p and s like @q order by id"),
            output(int("", KEYSET | 0x1000)),
            output(int("", OPTIMISTIC)),
            output(int("", 0)),
            text("", "@p int, @q nvarchar(10)"),
            int("", from),
            text("", "r%"),
        ];
        opened(client, ProcId::CursorOpen, parameters).0
    };
    assert_eq!(of(&mut client, 3)[1..], [KEYSET, OPTIMISTIC, 4]);
    let prepexec = |client: &mut Connection, old: i32| {
        let parameters = vec![
            output(int("", old)),
            output(int("", 0)),
            text("", "@p int"),
            text("", "select id from t where id = @p"),
            output(int("", DYNAMIC | 0x1000)),
            output(int("", READ_ONLY | DIRECT)),
            output(int("", 0)),
            int("", 5),
        ];
        opened(client, ProcId::CursorPrepExec, parameters).0
    };
    let [prepared, cursor, scroll, _] = prepexec(&mut client, 0);
    assert_eq!(scroll, DYNAMIC);
    assert_eq!(rows(&mut client, cursor, NEXT, 0, 9), "5,1 0");
    let execute = |client: &mut Connection, prepared, value| {
        let options = [output(int("", 0)), output(int("", STATIC)), output(int("", READ_ONLY)), output(int("", 0))];
        let parameters = [vec![int("", prepared)], options.to_vec(), vec![int("", value)]].concat();
        opened(client, ProcId::CursorExecute, parameters)
    };
    let ([cursor, scroll, _, count], _) = execute(&mut client, prepared, 2);
    assert_eq!((scroll, count), (STATIC, 1));
    assert_eq!(rows(&mut client, cursor, NEXT, 0, 9), "2,1 0");
    // A text that is prepared anew takes the place of the old one.
    let [anew, ..] = prepexec(&mut client, prepared);
    assert_ne!(anew, prepared);
    assert_eq!(execute(&mut client, prepared, 2).1[0], "error 8179");
    assert_eq!(call(&mut client, ProcId::CursorUnprepare, vec![int("", anew)])[0], "status 0");
    assert_eq!(call(&mut client, ProcId::CursorUnprepare, vec![int("", anew)])[0], "error 8179");
    let prepare = vec![output(int("", 0)), text("", ""), text("", "select id from t"), int("", 1)];
    let ([prepared, ..], lines) = opened(&mut client, ProcId::CursorPrepare, prepare);
    assert_eq!(lines[0], "columns 1");
    let ([cursor, ..], _) = opened(&mut client, ProcId::CursorExecute, vec![int("", prepared), output(int("", 0))]);
    assert_eq!(rows(&mut client, cursor, LAST, 0, 1), "6,1 0");
}

#[test]
fn what_makes_no_cursor_is_run_or_refused() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    events(&mut client, "create procedure two as select 1 select 2");
    events(&mut client, "create procedure one @from int as begin select id from t where id > @from end");
    for statement in
        ["update t set v = 0", "select 1 select 2", "exec two", "select id into #u from t", "exec sp_who", ""]
    {
        let ([handle, ..], lines) = open(&mut client, statement, KEYSET, OPTIMISTIC | DIRECT);
        assert_eq!((handle, &*lines[0]), (0, "info 16954"), "{statement}: {lines:?}");
        assert!(lines.contains(&"status 0".to_owned()), "{lines:?}");
        let ([handle, scroll, ..], lines) = open(&mut client, statement, KEYSET, OPTIMISTIC);
        assert_eq!((handle, scroll), (0, KEYSET));
        assert_eq!(lines[..3], ["error 16937", "error 16945", "status 16937"], "{statement}");
        assert_eq!(lines.last().unwrap(), "Procedure 02 0");
    }
    assert_eq!(row(&mut client, "select sum(v) from t"), "0");
    let ([handle, scroll, concurrency, count], lines) = open(&mut client, "exec one 4", KEYSET, OPTIMISTIC | DIRECT);
    assert_eq!((scroll, concurrency, count), (STATIC, READ_ONLY, 2), "{lines:?}");
    assert_eq!(rows(&mut client, handle, LAST, 0, 2), "5,1 6,1 0");
    for (statement, number) in [("select * from nowhere", 208), ("select from", 156), ("select nothing from t", 207)] {
        let (values, lines) = open(&mut client, statement, KEYSET, OPTIMISTIC | DIRECT);
        let status = format!("status {number}");
        assert_eq!(values, [0, KEYSET, OPTIMISTIC, 0]);
        assert!(lines.contains(&format!("error {number}")) && lines.contains(&status), "{statement}: {lines:?}");
        assert!(lines.contains(&"error 16945".to_owned()), "{lines:?}");
    }
}

#[test]
fn options_that_do_not_go_together() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let first = |client: &mut Connection, scroll, concurrency| {
        let (values, lines) = open(client, "select id from t", scroll, concurrency);
        (values[0], lines[0].clone())
    };
    assert_eq!(first(&mut client, KEYSET | DYNAMIC, READ_ONLY), (0, "error 16902".into()));
    assert_eq!(first(&mut client, KEYSET | 0x1000, READ_ONLY), (0, "error 16902".into()));
    assert_eq!(first(&mut client, STATIC, LOCKS), (0, "error 16966".into()));
    assert_eq!(first(&mut client, FAST_FORWARD, OPTIMISTIC), (0, "error 16966".into()));
    // A kind that the client does not take.
    let refused = open(&mut client, "select distinct v from t", KEYSET | 0x8000 | KEYSET << 16, READ_ONLY);
    assert_eq!(refused.1[..3], ["error 16955", "error 16945", "status 16955"]);
    let taken = open(&mut client, "select distinct v from t", KEYSET | 0x8000 | STATIC << 16, READ_ONLY);
    assert_eq!(taken.0[1], STATIC);
}

#[test]
fn handles_that_lead_to_nothing() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id from t", KEYSET, OPTIMISTIC);
    let close = |client: &mut Connection, handle| call(client, ProcId::CursorClose, vec![int("", handle)]);
    assert_eq!(close(&mut client, handle), ["status 0", "Procedure 00 0"]);
    for handle in [handle, 0, i32::MIN, i32::MAX] {
        assert_eq!(close(&mut client, handle), ["error 16909", "status 1", "Procedure 02 0"]);
        assert_eq!(fetch(&mut client, handle, NEXT, 0, 1), ["error 16909", "status 1", "Procedure 02 0"]);
        assert_eq!(call(&mut client, ProcId::Cursor, cursor_call(handle, 1, 1, "", vec![]))[0], "error 16909");
        let option = vec![int("", handle), int("", 4), output(int("", 0))];
        assert_eq!(call(&mut client, ProcId::CursorOption, option)[0], "error 16909");
    }
    // Another connection's is none of this one.
    let mut other = connect(&server);
    let ([of_other, ..], _) = open(&mut other, "select id from t", KEYSET, OPTIMISTIC);
    assert_eq!(rows(&mut other, of_other, NEXT, 0, 1), "1,1 0");
    for _ in 0..3 {
        open(&mut client, "select id from t", KEYSET, OPTIMISTIC);
    }
    let count = "select count(*) from sys.dm_exec_cursors(@@spid) where properties like 'API | Keyset | Optimistic%' and name is null";
    assert_eq!(row(&mut client, count), "3");
    assert_eq!(close(&mut client, -1)[0], "status 0");
    assert_eq!(row(&mut client, count), "0");
    assert_eq!(close(&mut client, -1)[0], "status 0");
}

#[test]
fn values_that_are_none() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id from t order by id", KEYSET, OPTIMISTIC);
    for (fetch_type, count) in
        [(0, 1), (3, 1), (0x40, 1), (-1, 1), (NEXT, 0), (NEXT, -1), (ABSOLUTE, 0), (FIRST, -5), (LAST, i32::MIN)]
    {
        assert_eq!(rows(&mut client, handle, fetch_type, 1, count), "16902 1", "{fetch_type} {count}");
    }
    let with = |client: &mut Connection, id, parameters| call(client, id, parameters)[0].clone();
    assert_eq!(with(&mut client, ProcId::CursorFetch, vec![]), "error 16903");
    assert_eq!(with(&mut client, ProcId::CursorFetch, vec![int("", handle); 5]), "error 16914");
    assert_eq!(with(&mut client, ProcId::CursorOpen, vec![output(int("", 0)), int("", 5)]), "error 16902");
    assert_eq!(with(&mut client, ProcId::Cursor, vec![int("", handle), text("", "x"), int("", 1)]), "error 16902");
    assert_eq!(with(&mut client, ProcId::Cursor, cursor_call(handle, 3, 1, "", vec![])), "error 16902");
    assert_eq!(with(&mut client, ProcId::CursorOption, vec![int("", handle), int("", 99), int("", 0)]), "error 16902");
    let by_reference = vec![int("", handle), int("", NEXT), output(int("", 1)), int("", 1)];
    assert_eq!(with(&mut client, ProcId::CursorFetch, by_reference), "error 16902");
    let null = RpcParameter::input("", SqlType::Int, Value::Null);
    assert_eq!(with(&mut client, ProcId::CursorFetch, vec![null.clone()]), "error 16902");
    // NULL is what is not given: the next twenty rows.
    let lines = call(&mut client, ProcId::CursorFetch, vec![int("", handle), null.clone(), null.clone(), null]);
    assert_eq!(lines.iter().filter(|line| line.starts_with("row")).count(), 6);
}

#[test]
fn a_reset_and_an_end_of_a_transaction_close_cursors() {
    let server = server();
    let (mut client, reset) = connect_with(&server, &options()).unwrap();
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id from t order by id", KEYSET, OPTIMISTIC);
    events(&mut client, "begin tran; update t set v = 0; rollback");
    assert_eq!(rows(&mut client, handle, NEXT, 0, 1), "1,1 0");
    events(&mut client, "set cursor_close_on_commit on; begin tran; commit");
    assert_eq!(rows(&mut client, handle, NEXT, 0, 1), "16917 16917");
    assert_eq!(call(&mut client, ProcId::CursorClose, vec![int("", handle)])[0], "status 0");
    events(&mut client, "set cursor_close_on_commit off");
    let ([handle, ..], _) = open(&mut client, "select id from t order by id", KEYSET, OPTIMISTIC);
    reset.store(true, Relaxed);
    assert_eq!(row(&mut client, "select count(*) from sys.dm_exec_cursors(@@spid)"), "0");
    assert_eq!(rows(&mut client, handle, NEXT, 0, 1), "16909 1");
}

#[test]
fn tables_that_go_meanwhile() {
    let server = server();
    let mut client = connect(&server);
    let mut other = connect(&server);
    for (scroll, concurrency) in
        [(KEYSET, OPTIMISTIC), (DYNAMIC, OPTIMISTIC), (FORWARD_ONLY, LOCKS), (FAST_FORWARD, READ_ONLY)]
    {
        filled(&mut client);
        let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", scroll, concurrency);
        assert_eq!(rows(&mut client, handle, NEXT, 0, 1), "1,10,1 0");
        events(&mut other, "drop table t");
        let found = rows(&mut client, handle, NEXT, 0, 1);
        assert!(found.ends_with("16943 16943"), "{scroll}: {found}");
        filled(&mut other);
        let found = rows(&mut client, handle, NEXT, 0, 1);
        assert!(found.ends_with("16943 16943"), "{scroll}: {found}");
        let lines = call(&mut client, ProcId::Cursor, cursor_call(handle, 2, 1, "t", vec![]));
        assert!(lines[0].starts_with("error"), "{scroll}: {lines:?}");
        assert_eq!(row(&mut client, "select count(*) from t"), "6");
        assert_eq!(call(&mut client, ProcId::CursorClose, vec![int("", handle)])[0], "status 0");
        events(&mut other, "drop table t");
    }
}

#[test]
fn an_attention_stops_a_fetch_and_the_cursor_goes_on() {
    let server = server();
    let mut client = connect(&server);
    events(
        &mut client,
        "set nocount on; create table big (id int primary key, b char(4000) not null default 'x'); \
         insert big (id) select value from generate_series(1, 3000)",
    );
    // 36 MB: more than the buffers of a connection take, however late the server reads the attention.
    let wide = "select b, b as again, b as more, id from big order by id";
    for (scroll, concurrency) in [(KEYSET, READ_ONLY), (DYNAMIC, OPTIMISTIC)] {
        let ([handle, ..], _) = open(&mut client, wide, scroll, concurrency);
        let parameters = vec![int("", handle), int("", NEXT), int("", 0), int("", i32::MAX)];
        let mut answer = client.call(&[RpcRequest::by_number(ProcId::CursorFetch, parameters)]).unwrap();
        answer.next().unwrap().unwrap();
        answer.attention().unwrap();
        let rows_read = answer.filter(|event| matches!(event, Ok(Event::Row(_)))).count();
        assert!(rows_read < 3000, "all rows came");
        let lines = fetch(&mut client, handle, FIRST, 0, 1);
        assert!(lines[0].ends_with(",1,1"), "{}", lines[0].trim_start_matches(|c| c != ','));
        assert_eq!(call(&mut client, ProcId::CursorClose, vec![int("", handle)])[0], "status 0");
    }
}

#[test]
fn a_keyset_has_what_was_inserted_through_it() {
    let server = server();
    let mut client = connect(&server);
    events(&mut client, "create table n (id int identity primary key, v int); insert n values (1), (2)");
    let ([handle, ..], _) = open(&mut client, "select id, v as w from n order by id", KEYSET, OPTIMISTIC);
    let insert = cursor_call(handle, 4, 1, "", vec![int("@v", 3)]);
    assert_eq!(call(&mut client, ProcId::Cursor, insert)[0], "InProcedure 11 1");
    assert_eq!(rows(&mut client, handle, LAST, 0, 2), "2,2,1 3,3,1 0");
    let delete = cursor_call(handle, 2, 2, "", vec![]);
    assert_eq!(call(&mut client, ProcId::Cursor, delete)[0], "InProcedure 11 1");
    assert_eq!(row(&mut client, "select string_agg(v, ',') from n"), "1,2");
}

#[test]
fn the_procedures_in_a_batch() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let script = "declare @c int, @s int = 1, @cc int = 4, @n int, @r int; \
                  exec @r = sp_cursoropen @c output, N'select id from t order by id', @s output, @cc output, @n output; \
                  exec sp_cursorfetch @c, 8, 0, 1; exec sp_cursor @c, 2, 1, 't'; exec sp_cursorclose @c; \
                  begin try exec sp_cursorclose @c end try begin catch select error_number(), error_procedure() end catch; \
                  select @r, @s, @cc, @n, (select max(id) from t)";
    let lines: Vec<String> =
        lines_of(&events(&mut client, script)).into_iter().filter(|line| line.starts_with("row")).collect();
    assert_eq!(lines, ["row 6,1", "row 16909,sp_cursorclose", "row 0,1,4,6,5"]);
}

/// Calls of all nine with values that are right, wrong and none, at random: each has an answer that ends, and the session goes on.
#[test]
fn calls_at_random() {
    let server = server();
    let mut client = connect(&server);
    let mut seed = 20_261_129_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    filled(&mut client);
    let statements = [
        "select id, v, s from t order by id",
        "select id from t",
        "select t.id, u.v from t join t u on u.id = t.id",
        "select v, count(*) from t group by v",
        "select 1 / (id - 3) from t order by id",
        "select id, v from t where id > @p",
        "update t set v = v + 1",
        "begin tran",
        "commit",
        "if @@trancount > 0 rollback",
        "drop table t",
        "create table t (id int primary key, v int, s varchar(10))",
        "insert t select value, value, 'n' from generate_series(1, 6)",
        "select * from",
        "declare @a int; select @a = 1",
        "exec sp_who",
        "",
        "v = 5",
        "values (50, 1, 'x')",
        "(51, 2, 'y')",
        "t",
        "nowhere",
        "named",
        "@p int",
    ];
    let mut handles = vec![0, 1, -1];
    for turn in 0..4000 {
        let id = ProcId::from_number(1 + random(9) as u16).unwrap();
        let count = random(9);
        let mut parameters = Vec::new();
        for place in 0..count {
            let number = match random(6) {
                0 => [0, -1, i32::MIN, i32::MAX, 3, 0x1000][random(6)],
                1 => handles[random(handles.len())],
                2 => 1 << random(21),
                3 => (1 << random(5)) | (1 << random(16)),
                _ => random(8) as i32,
            };
            let name = ["", "", "", "@v", "@id", "@nothing"][random(6)];
            let mut parameter = match random(7) {
                0 => RpcParameter::input(name, SqlType::Int, Value::Null),
                1 | 2 => text(name, statements[random(statements.len())]),
                _ if place == 0 && random(2) == 0 => int(name, handles[random(handles.len())]),
                _ if place == 1 && id == ProcId::CursorOpen => text(name, statements[random(6)]),
                _ => int(name, number),
            };
            parameter.is_output = random(3) == 0;
            parameter.is_default = random(40) == 0;
            parameters.push(parameter);
        }
        let shown = format!("{turn}: {id:?} {parameters:?}");
        let request = RpcRequest::by_number(id, parameters);
        let events: Vec<Event> = client
            .call(&[request])
            .unwrap()
            .map(|event| event.unwrap_or_else(|error| panic!("{shown}: {error}")))
            .collect();
        for event in &events {
            match event {
                Event::Error(message) => assert_ne!(message.number, 3624, "{shown}"),
                Event::ReturnValue(value) => {
                    let handle = value.value.as_i64().unwrap_or(0) as i32;
                    if handle > 1000 && handles.len() < 60 {
                        handles.push(handle);
                    }
                }
                _ => {}
            }
        }
        assert!(matches!(events.last(), Some(Event::Done(_))), "{shown}");
    }
    assert_eq!(row(&mut client, "select 7"), "7");
}

#[test]
fn a_change_that_fails_leaves_the_cursor_where_it_was() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    for scroll in [KEYSET, DYNAMIC] {
        let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", scroll, OPTIMISTIC);
        call(&mut client, ProcId::CursorOption, vec![int("", handle), int("", 2), text("", "c")]);
        rows(&mut client, handle, NEXT, 0, 3);
        let lines = call(&mut client, ProcId::Cursor, cursor_call(handle, 1, 3, "t", vec![int("@id", 1)]));
        assert_eq!(lines[0], "error 2627", "{lines:?}");
        assert_eq!(lines[lines.len() - 2..], ["status 2627", "Procedure 02 0"]);
        events(&mut client, "update t set v = v + 1 where current of c");
        assert_eq!(rows(&mut client, handle, NEXT, 0, 1), "4,40,1 0");
        call(&mut client, ProcId::CursorClose, vec![int("", handle)]);
    }
    assert_eq!(row(&mut client, "select v from t where id = 1"), "12");
}

#[test]
fn rows_of_the_buffer_that_are_gone_leave_the_others_to_be_changed() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", KEYSET, OPTIMISTIC);
    rows(&mut client, handle, NEXT, 0, 3);
    events(&mut client, "delete t where id = 2");
    let lines = call(&mut client, ProcId::Cursor, cursor_call(handle, 1, 0, "t", vec![int("@v", 0)]));
    assert_eq!(lines.iter().filter(|line| *line == "InProcedure 11 1").count(), 2, "{lines:?}");
    assert!(lines.contains(&"error 16947".to_owned()) && lines.contains(&"status 16947".to_owned()), "{lines:?}");
    assert_eq!(row(&mut client, "select string_agg(v, ',') within group (order by id) from t"), "0,0,40,50,60");
}

#[test]
fn a_fetch_that_fails_keeps_the_rows_that_came() {
    let server = server();
    let mut client = connect(&server);
    let mut other = connect(&server);
    filled(&mut client);
    for scroll in [DYNAMIC, FORWARD_ONLY] {
        let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", scroll, LOCKS);
        call(&mut client, ProcId::CursorOption, vec![int("", handle), int("", 2), text("", "c")]);
        events(&mut other, "begin tran; update t set v = 0 where id = 3");
        events(&mut client, "set lock_timeout 0");
        assert_eq!(rows(&mut client, handle, NEXT, 0, 6), "1,10,1 2,20,1 1222 1222");
        events(&mut other, "rollback");
        // It stands on the first of them, and goes on after the last.
        events(&mut client, "update t set s = concat(s, '!') where current of c");
        assert_eq!(rows(&mut client, handle, NEXT, 0, 1), "3,30,1 0");
        call(&mut client, ProcId::CursorClose, vec![int("", handle)]);
    }
    assert_eq!(row(&mut client, "select s from t where id = 1"), "r1!!");
}

#[test]
fn a_position_beyond_all_numbers() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let ([handle, ..], _) = open(&mut client, "select id, v from t order by id", KEYSET, OPTIMISTIC);
    rows(&mut client, handle, NEXT, 0, 3);
    for row in [i32::MIN, i32::MAX, 0, -1] {
        assert_eq!(call(&mut client, ProcId::Cursor, cursor_call(handle, 0x20, row, "", vec![]))[0], "status 0");
        if row != 0 {
            let change = cursor_call(handle, 2 | 0x40, row, "t", vec![]);
            assert_eq!(call(&mut client, ProcId::Cursor, change)[0], "error 16930");
        }
    }
    assert_eq!(row(&mut client, "select count(*) from t"), "6");
}

#[test]
fn no_function_opens_one() {
    let server = server();
    let mut client = connect(&server);
    let text = "create function f () returns int as begin declare @c int; exec sp_cursoropen @c output, N'select 1'; return @c end";
    events(&mut client, text);
    let lines = lines_of(&events(&mut client, "select dbo.f()"));
    assert!(lines.contains(&"error 557".to_owned()), "{lines:?}");
}

#[test]
fn ten_thousand_cursors() {
    let server = server();
    let mut client = connect(&server);
    filled(&mut client);
    let mut handles = Vec::new();
    for index in 0..10_000 {
        let (scroll, concurrency) = [(KEYSET, OPTIMISTIC), (DYNAMIC, OPTIMISTIC), (STATIC, READ_ONLY)][index % 3];
        let ([handle, ..], lines) = open(&mut client, "select id, v from t order by id", scroll, concurrency);
        assert!(handle != 0, "{index}: {lines:?}");
        handles.push(handle);
    }
    for handle in handles.iter().step_by(997) {
        assert_eq!(rows(&mut client, *handle, NEXT, 0, 2), "1,10,1 2,20,1 0");
    }
    assert_eq!(call(&mut client, ProcId::CursorClose, vec![int("", -1)])[0], "status 0");
    assert_eq!(row(&mut client, "select count(*) from sys.dm_exec_cursors(0)"), "0");
}
