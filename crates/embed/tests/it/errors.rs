//! What fails, and what goes on after it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use millpond_embedded::{ConnectOptions, Error, params};

use crate::connected;

#[test]
fn an_error_has_its_number_state_severity_line_and_procedure() {
    let (_instance, mut connection) = connected();
    let error = connection.execute("select 1\nselect 1 / 0", params![]).unwrap_err();
    let error = error.server().unwrap();
    assert_eq!((error.number, error.severity, error.state, error.line), (8134, 16, 1, 2));
    assert_eq!(error.procedure, "");
    assert_eq!(error.to_string(), "Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.");
    connection.execute("create procedure fail as\nthrow 50001, 'no', 9", params![]).unwrap();
    let error = connection.call("fail", params![]).finish().unwrap_err();
    let error = error.server().unwrap();
    assert_eq!((error.number, error.severity, error.state, error.line), (50001, 16, 9, 2));
    assert_eq!((error.procedure.as_str(), error.text.as_str()), ("fail", "no"));
    assert_eq!(connection.execute("selec 1", params![]).unwrap_err().number(), Some(2812));
    assert_eq!(connection.execute("select from", params![]).unwrap_err().number(), Some(156));
}

#[test]
fn all_errors_of_a_text_are_told() {
    let (_instance, mut connection) = connected();
    let text = "select 1 / 0 raiserror('two', 16, 1) print 'on' select 1 / 0";
    let error = connection.execute(text, params![]).unwrap_err();
    let first = error.server().unwrap();
    let after: Vec<i32> = first.also.iter().map(|error| error.number).collect();
    assert_eq!((first.number, after), (8134, vec![50000, 8134]));
}

#[test]
fn a_result_with_an_error_goes_on_after_it() {
    let (_instance, mut connection) = connected();
    let mut results = connection.run("select 1 as a raiserror('two', 16, 1) select 3 as c", params![]);
    assert_eq!(results.next_set().unwrap().unwrap().columns()[0].name, "a");
    assert_eq!(results.next_set().err().and_then(|error| error.number()), Some(50000));
    assert_eq!(results.next_set().unwrap().unwrap().columns()[0].name, "c");
    assert!(results.next_set().unwrap().is_none());
    results.finish().unwrap();
}

#[test]
fn an_error_among_rows_ends_them() {
    let (_instance, mut connection) = connected();
    let text = "select 10 / (3 - value) from generate_series(1, 5)";
    let rows: Vec<_> = connection.query(text, params![]).unwrap().collect();
    let (last, before) = rows.split_last().unwrap();
    assert!(before.iter().all(Result::is_ok));
    assert_eq!(last.as_ref().unwrap_err().number(), Some(8134));
    // The error after the rows is not lost where only rows are read.
    let late = connection.query("select 1 select 1 / 0", params![]).unwrap().last().unwrap();
    assert_eq!(late.unwrap_err().number(), Some(8134));
    assert_eq!(connection.query_row("select 1 select 1 / 0", params![]).unwrap_err().number(), Some(8134));
}

#[test]
fn where_there_is_no_row_that_is_said() {
    let (_instance, mut connection) = connected();
    assert!(matches!(connection.query("print 'x'", params![]), Err(Error::NoRow)));
    assert!(connection.query_row("select 1 where 1 = 0", params![]).unwrap().is_none());
    assert!(matches!(connection.query_value::<i32>("select 1 where 1 = 0", params![]), Err(Error::NoRow)));
}

#[test]
fn a_panic_of_who_reads_leaves_the_connection_as_it_was() {
    let (_instance, mut connection) = connected();
    connection.execute("create table lily (id int)", params![]).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut transaction = connection.begin().unwrap();
        transaction.execute("insert lily values (1)", params![]).unwrap();
        for row in transaction.query("select value from generate_series(1, 10000000)", params![]).unwrap() {
            assert_ne!(row.unwrap().get::<i32>(0).unwrap(), 5000, "on purpose");
        }
    }));
    assert!(panicked.is_err());
    assert_eq!(connection.query_value::<i32>("select count(*) from lily", params![]).unwrap(), 0);
    assert_eq!(connection.query_value::<i32>("select @@trancount", params![]).unwrap(), 0);
}

#[test]
fn a_severe_error_ends_the_connection_and_no_other() {
    let (instance, mut connection) = connected();
    let mut other = instance.connect().unwrap();
    let error = connection.execute("raiserror('the end', 20, 1) with log", params![]).unwrap_err();
    assert_eq!(error.server().map(|error| (error.severity, error.text.as_str())), Some((20, "the end")));
    assert!(matches!(connection.execute("select 1", params![]), Err(Error::Ended)));
    assert!(matches!(connection.begin(), Err(Error::Ended)));
    assert_eq!(other.query_value::<i32>("select 1", params![]).unwrap(), 1);
    let kill = format!("kill {}", other.session_id());
    instance.connect().unwrap().execute(&kill, params![]).unwrap();
    assert_eq!(other.execute("select 1", params![]).unwrap_err().number(), Some(596));
    assert!(matches!(other.execute("select 1", params![]), Err(Error::Ended)));
}

#[test]
fn a_database_that_is_not_there_is_911() {
    let (instance, _connection) = connected();
    let error = instance.connect_with(&ConnectOptions::new().database("pond")).unwrap_err();
    assert_eq!(error.number(), Some(911));
    let options = ConnectOptions::new().database("msdb").program("the pump");
    let mut connection = instance.connect_with(&options).unwrap();
    let name: String = connection.query_value("select db_name() + ' ' + app_name()", params![]).unwrap();
    assert_eq!(name, "msdb the pump");
}

#[test]
fn deep_expressions_have_the_stack_that_they_want() {
    let (_instance, mut connection) = connected();
    // On a thread with a small stack this would end the process.
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
        let text = format!("select {}1{}", "(".repeat(200), ")".repeat(200));
        connection.query_value::<i32>(&text, params![]).unwrap()
    });
    assert_eq!(thread.unwrap().join().unwrap(), 1);
}
