//! PARSEONLY, NOEXEC and FMTONLY on the roads that no script has: calls of the wire, requests of a client's transaction
//! manager, and rows of INSERT BULK.

use millpond_query::exec::{BulkError, BulkRows, Rpc, RpcParam, TransactionRequest};
use millpond_query::session::Session;
use millpond_types::{MaxLen, SqlType, Value};

use crate::harness::{Transcript, engine, run, session};

const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };

/// Rows of one int.
struct Numbers(std::ops::Range<i32>);

impl BulkRows for Numbers {
    fn types(&mut self) -> Result<Vec<SqlType>, BulkError> {
        Ok(vec![SqlType::Int])
    }

    fn next_row(&mut self) -> Result<Option<Vec<Value>>, BulkError> {
        Ok(self.0.next().map(|number| vec![Value::Int(number)]))
    }
}

/// Rows in an order of their own.
struct These(Vec<i32>);

impl BulkRows for These {
    fn types(&mut self) -> Result<Vec<SqlType>, BulkError> {
        Ok(vec![SqlType::Int])
    }

    fn next_row(&mut self) -> Result<Option<Vec<Value>>, BulkError> {
        let next = (!self.0.is_empty()).then(|| self.0.remove(0));
        Ok(next.map(|number| vec![Value::Int(number)]))
    }
}

fn param(sql_type: SqlType, value: Value) -> RpcParam {
    RpcParam { name: String::new(), sql_type, value: Some(value), output: false, table: None }
}

fn call(session: &mut Session, procedure: &str, params: Vec<RpcParam>) -> String {
    let mut sink = Transcript::default();
    sink.tells_status = true;
    session.run_rpc(&Rpc { procedure: procedure.to_owned(), params }, &mut sink);
    sink.text
}

fn text(text: &str) -> RpcParam {
    param(TEXT, Value::str(text))
}

fn filled() -> (std::sync::Arc<millpond_engine::engine::Engine>, Session) {
    let engine = engine();
    let mut session = session(&engine);
    run(&mut session, "create table t (a int not null primary key)");
    run(&mut session, "insert t values (1), (2)");
    run(&mut session, "create procedure p as delete t");
    (engine, session)
}

fn count(session: &mut Session) -> String {
    run(session, "set parseonly off");
    run(session, "set noexec off");
    run(session, "select count(*) as n, @@trancount as c from t").lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn calls_of_the_wire_run_nothing() {
    let (_engine, mut session) = filled();
    for option in ["parseonly", "noexec"] {
        let handle = vec![param(SqlType::Int, Value::Null), text(""), text("delete t")];
        let told = call(&mut session, "sp_prepare", handle);
        let number: i32 =
            told.split(" = ").nth(1).and_then(|rest| rest.lines().next()).unwrap().trim().parse().unwrap();
        assert_eq!(run(&mut session, &format!("set {option} on")), "");
        assert_eq!(call(&mut session, "sp_executesql", vec![text("delete t")]), "return 0\n");
        assert_eq!(call(&mut session, "sp_execute", vec![param(SqlType::Int, Value::Int(number))]), "return 0\n");
        let both = vec![param(SqlType::Int, Value::Null), text(""), text("delete t")];
        call(&mut session, "sp_prepexec", both);
        assert_eq!(call(&mut session, "p", Vec::new()), "return 0\n");
        assert_eq!(call(&mut session, "sp_executesql", vec![text("select a from")]).lines().count(), 2);
        assert_eq!(count(&mut session), "2 | 0", "{option}");
    }
    // A setting of a call ends with it.
    call(&mut session, "sp_executesql", vec![text("set noexec on")]);
    assert_eq!(run(&mut session, "delete t where a = 2"), "(1 rows affected)\n");
}

#[test]
fn no_option_makes_a_text_run_that_is_prepared() {
    let (_engine, mut session) = filled();
    for options in
        ["set fmtonly off set noexec off", "set noexec off", "set fmtonly off", "set fmtonly on set fmtonly off"]
    {
        let deletes = format!("{options} delete t exec p");
        call(&mut session, "sp_prepare", vec![param(SqlType::Int, Value::Null), text(""), text(&deletes)]);
        run(&mut session, &format!("declare @handle int exec sp_prepare @handle output, N'', N'{deletes}'"));
        assert_eq!(count(&mut session), "2 | 0", "{options}");
    }
    // What a text that is prepared sets ends with it, and what its session has set goes on.
    run(&mut session, "set fmtonly on");
    call(&mut session, "sp_prepare", vec![param(SqlType::Int, Value::Null), text(""), text("set fmtonly off")]);
    assert_eq!(run(&mut session, "delete t"), "");
    run(&mut session, "set fmtonly off");
    assert_eq!(count(&mut session), "2 | 0");
}

#[test]
fn a_transaction_manager_is_heeded_whatever_is_set() {
    let (_engine, mut session) = filled();
    for option in ["parseonly", "noexec", "implicit_transactions"] {
        run(&mut session, &format!("set {option} on"));
        let mut sink = Transcript::default();
        session.run_transaction_request(&TransactionRequest::Begin { isolation: 0, name: String::new() }, &mut sink);
        assert_eq!(session.facts().tran_count, 1, "{option}");
        let commit = TransactionRequest::Commit { and_begin: None };
        session.run_transaction_request(&commit, &mut sink);
        assert_eq!((session.facts().tran_count, &*sink.text), (0, ""), "{option}");
        run(&mut session, "set parseonly off");
        run(&mut session, "set noexec off");
    }
}

#[test]
fn rows_of_insert_bulk_are_not_stored() {
    let (_engine, mut session) = filled();
    for option in ["parseonly", "noexec"] {
        run(&mut session, &format!("set {option} on"));
        assert_eq!(run(&mut session, "insert bulk t (a int)"), "");
        let mut sink = Transcript::default();
        session.run_bulk(Box::new(Numbers(10..20)), &mut sink);
        assert_eq!(sink.text, "", "{option}");
        assert_eq!(count(&mut session), "2 | 0", "{option}");
    }
}

#[test]
fn rows_that_are_said_to_be_sorted_must_be() {
    let (_engine, mut session) = filled();
    let mut load = |hint: &str, rows: Vec<i32>| {
        run(&mut session, &format!("insert bulk t (a int) with ({hint})"));
        let mut sink = Transcript::default();
        session.run_bulk(Box::new(These(rows)), &mut sink);
        sink.text
    };
    assert_eq!(load("ORDER (a ASC)", vec![5, 6, 7]), "(3 rows affected)\n");
    let told = load("ORDER ([a] ASC), TABLOCK", vec![15, 17, 16]);
    assert!(told.starts_with("Msg 4819, Level 16") && told.contains("(17)") && told.contains("(16)"), "{told}");
    // A hint of another order promises nothing.
    assert_eq!(load("ORDER (a DESC)", vec![25, 27, 26]), "(3 rows affected)\n");
    assert_eq!(load("TABLOCK", vec![35, 37, 36]), "(3 rows affected)\n");
    assert_eq!(count(&mut session), "11 | 0");
    // Nor does one of rows that are converted on their way.
    run(&mut session, "drop table t; create table t (a bigint primary key)");
    run(&mut session, "insert bulk t (a int) with (ORDER (a ASC))");
    let mut sink = Transcript::default();
    session.run_bulk(Box::new(These(vec![5, 7, 6])), &mut sink);
    assert_eq!(sink.text, "(3 rows affected)\n");
}
