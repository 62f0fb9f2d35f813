//! Transactions that a client's driver begins and ends by requests of its own, not by text.

use millpond_query::exec::TransactionRequest as Request;
use millpond_query::session::Session;

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
        let told = run(&mut session, "select count(*) as n, @@trancount as open_now from #t");
        assert_eq!(told, "[n:int | open_now:int]\n0 | 0\n(1 rows affected)\n");
    }
}

#[test]
fn a_name_counts_for_text_too_and_others_are_refused() {
    let engine = engine();
    let mut session = session(&engine);
    ask(&mut session, begin("outer"));
    let told = ask(&mut session, rollback("other"));
    assert!(told.starts_with("Msg 6401, "), "{told}");
    assert_eq!(ask(&mut session, Request::Save { name: "other".to_owned() }), "");
    assert_eq!(ask(&mut session, rollback("other")), "");
    assert_eq!(run(&mut session, "rollback transaction [outer]"), "");
    // One without a name has none.
    ask(&mut session, begin(""));
    let told = ask(&mut session, rollback("outer"));
    assert!(told.starts_with("Msg 6401, "), "{told}");
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
    // Without an open transaction a rollback is no error, and the next one begins all the same.
    assert_eq!(ask(&mut session, Request::Rollback { name: "second".to_owned(), and_begin: then() }), "");
    assert_eq!(ask(&mut session, rollback("second")), "");
    assert_eq!(run(&mut session, "if @@trancount > 0 print 'open'"), "");
}
