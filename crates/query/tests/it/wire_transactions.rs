//! Transactions that a client's driver begins and ends by requests of its own, not by text.

use millpond_query::exec::TransactionRequest as Request;
use millpond_query::exec::{Rpc, RpcParam};
use millpond_query::session::Session;

use millpond_types::{MaxLen, SqlType, Value};

use crate::harness::{Transcript, engine, run, session};

fn ask(session: &mut Session, request: Request) -> String {
    let mut sink = Transcript::default();
    session.run_transaction_request(&request, &mut sink);
    sink.text
}

fn begin(name: &str) -> Request {
    Request::Begin { isolation: 0, name: name.to_owned() }
}

fn rollback(name: &str) -> Request {
    Request::Rollback { name: name.to_owned(), and_begin: None }
}

#[test]
fn a_transaction_rolls_back_by_the_name_that_it_was_begun_with() {
    let engine = engine();
    let mut session = session(&engine);
    run(&mut session, "create table #t (a int)");
    for name in ["outer", "an ] odd name"] {
        assert_eq!(ask(&mut session, begin(name)), "");
        run(&mut session, "insert #t values (1)");
        assert_eq!(ask(&mut session, rollback(name)), "");
        let answer = run(&mut session, "select count(*) as n, @@trancount as open_now from #t");
        assert_eq!(answer, "[n:int | open_now:int]\n0 | 0\n(1 rows affected)\n");
    }
}

#[test]
fn a_name_counts_for_text_too_and_others_are_refused() {
    let engine = engine();
    let mut session = session(&engine);
    ask(&mut session, begin("outer"));
    let answer = ask(&mut session, rollback("other"));
    assert!(answer.starts_with("Msg 6401, "), "{answer}");
    assert_eq!(ask(&mut session, Request::Save { name: "other".to_owned() }), "");
    assert_eq!(ask(&mut session, rollback("other")), "");
    assert_eq!(run(&mut session, "rollback transaction [outer]"), "");
    // One without a name has none.
    ask(&mut session, begin(""));
    let answer = ask(&mut session, rollback("outer"));
    assert!(answer.starts_with("Msg 6401, "), "{answer}");
    assert_eq!(ask(&mut session, rollback("")), "");
}

#[test]
fn the_transaction_that_follows_has_its_own_name() {
    let engine = engine();
    let mut session = session(&engine);
    ask(&mut session, begin("first"));
    let then = || Some("second".to_owned());
    assert_eq!(ask(&mut session, Request::Commit { and_begin: then() }), "");
    assert!(ask(&mut session, rollback("first")).starts_with("Msg 6401, "));
    assert_eq!(ask(&mut session, Request::Rollback { name: "second".to_owned(), and_begin: then() }), "");
    assert_eq!(ask(&mut session, rollback("second")), "");
    // Without an open transaction a rollback is an error, and the next one begins all the same.
    let answer = ask(&mut session, rollback(""));
    assert!(answer.starts_with("Msg 3903, "), "{answer}");
    let answer = ask(&mut session, Request::Rollback { name: "second".to_owned(), and_begin: then() });
    assert!(answer.starts_with("Msg 3903, "), "{answer}");
    assert_eq!(ask(&mut session, rollback("second")), "");
    assert_eq!(run(&mut session, "if @@trancount > 0 print 'open'"), "");
}

/// A procedure of the server that changes definitions belongs to the transaction that a client's driver has begun, also where
/// the driver calls it without a text.
#[test]
fn a_called_change_of_definitions_belongs_to_the_transaction() {
    let engine = engine();
    let mut session = session(&engine);
    run(&mut session, "set nocount on");
    let call = |session: &mut Session, procedure: &str, value: Option<i32>| {
        let text = |text: &str| RpcParam {
            name: String::new(),
            sql_type: SqlType::NVarChar { len: MaxLen::Limited(20) },
            value: Some(Value::str(text)),
            output: false,
            table: None,
        };
        let value = value.map(|value| RpcParam { sql_type: SqlType::Int, value: Some(Value::Int(value)), ..text("") });
        let params = [text("k")].into_iter().chain(value).collect();
        let mut sink = Transcript::default();
        sink.tells_status = true;
        session.run_rpc(&Rpc { procedure: procedure.to_owned(), params }, &mut sink);
        sink.text
    };
    let values = "select cast(value as int) as v from sys.extended_properties where name = 'k'";
    assert_eq!(call(&mut session, "sp_addextendedproperty", Some(1)), "return 0\n");
    let answer = call(&mut session, "sys.sp_addextendedproperty", Some(2));
    assert!(answer.starts_with("Msg 15233, ") && answer.ends_with("return 1\n"), "{answer}");
    ask(&mut session, begin("outer"));
    assert_eq!(call(&mut session, "sp_updateextendedproperty", Some(3)), "return 0\n");
    assert_eq!(run(&mut session, values), "[v:int]\n3\n");
    ask(&mut session, rollback("outer"));
    assert_eq!(run(&mut session, values), "[v:int]\n1\n");
    assert_eq!(call(&mut session, "sp_dropextendedproperty", None), "return 0\n");
    assert_eq!(run(&mut session, values), "[v:int]\n");
}
