//! What errors that people meet end: each alone in a text, within an open transaction, under XACT_ABORT, in a TRY, and in a procedure
//! that another one calls. Which is which is written by hand, from what SQL Server's documents and public records of its answers say.

use std::fmt::Write;

use millpond_message::table::{self, Ends};
use millpond_query::session::Session;

use crate::harness::{engine, run, session};

/// Tables that statements are done with, made anew for each.
const MAKE: &str = "set nocount on
create table t (id int not null constraint pk primary key, v varchar(5) null, n int not null default 0, constraint ck check (n < 100))
create table child (id int not null primary key, t int not null constraint fk references t (id))
create table counted (id int identity, v int)
create unique index ux on t (v) where v is not null
insert t (id, v) values (1, 'a'), (2, 'b')
insert child values (1, 1)
create sequence exhausted as tinyint start with 255 maxvalue 255
declare @last int = next value for exhausted";

const DROP: &str = "if @@trancount > 0 rollback
drop table if exists child, t, counted
drop sequence if exists exhausted
drop procedure if exists inner_one, outer_one, nothing, one_of
set xact_abort off";

/// A statement, the error that it gives, and what that ends.
struct Case(&'static str, i32, Ends);

use Ends::{Batch, Statement, Transaction};

const CASES: &[Case] = &[
    Case("select 1 / 0 as x", 8134, Statement),
    Case("declare @x int = 0 set @x = 1 % @x", 8134, Statement),
    Case("declare @x int = 2147483647 select @x + 1 as x", 8115, Statement),
    Case("declare @x int = 300 declare @t tinyint = @x", 220, Statement),
    Case("declare @d decimal(5, 2) = 123456", 8115, Statement),
    Case("insert t (id) values (1)", 2627, Statement),
    Case("insert t (id, v) values (3, 'a')", 2601, Statement),
    Case("update t set id = 2 where id = 1", 2627, Statement),
    Case("insert child values (2, 99)", 547, Statement),
    Case("delete t where id = 1", 547, Statement),
    Case("insert t (id, n) values (3, 100)", 547, Statement),
    Case("update t set n = 100", 547, Statement),
    Case("insert t (id) values (null)", 515, Statement),
    Case("update t set n = null", 515, Statement),
    Case("insert t (id, v) values (3, 'too long')", 2628, Statement),
    Case("insert counted (id, v) values (1, 1)", 544, Statement),
    Case("select (select id from t) as x", 512, Statement),
    Case("select * from t where id = (select id from t)", 512, Statement),
    Case("select next value for exhausted as x", 11_728, Statement),
    Case("drop table no_such", 3701, Statement),
    Case("drop procedure no_such", 3701, Statement),
    Case("exec no_such", 2812, Statement),
    Case("exec one_of", 201, Statement),
    Case("exec one_of 1, 2", 8144, Statement),
    Case("exec one_of @z = 1", 8145, Statement),
    Case("exec nothing 1", 8146, Statement),
    Case("fetch next from no_such", 16_916, Statement),
    Case("open no_such", 16_916, Statement),
    Case("close no_such", 16_916, Statement),
    Case("deallocate no_such", 16_916, Statement),
    Case("declare c cursor local for select id from t fetch c", 16_917, Statement),
    Case("declare c cursor local for select id from t open c open c", 16_905, Statement),
    Case("declare c cursor local for select id from t declare c cursor local for select id from t", 16_915, Statement),
    Case("declare @c cursor open @c", 16_950, Statement),
    Case("raiserror ('text', 11, 1)", 50_000, Statement),
    Case("raiserror ('text', 16, 1)", 50_000, Statement),
    Case("raiserror (50777, 16, 1)", 18_054, Statement),
    Case("raiserror ('text', 19, 1)", 2754, Statement),
    Case("alter table no_such add x int", 4902, Statement),
    Case("truncate table no_such", 4701, Statement),
    Case("alter role no_such add member [public]", 15_151, Statement),
    Case("declare @s varchar(10) = 'abc' select cast(@s as int) as x", 245, Transaction),
    Case("select * from t where id = 'abc'", 245, Transaction),
    Case("declare @s varchar(10) = 'abc' declare @d datetime = @s", 241, Transaction),
    Case("declare @s varchar(10) = '20010231' declare @d datetime = @s", 242, Transaction),
    Case("declare @s varchar(10) = 'abc' declare @d decimal(5, 2) = @s", 8114, Transaction),
    Case("declare @s varchar(40) = 'abc' declare @g uniqueidentifier = @s", 8169, Transaction),
    Case(";throw 51000, 'text', 1", 51_000, Batch),
];

/// Whether a text went on, what error it gave, and whether the transaction is still open.
fn seen(session: &mut Session, text: &str) -> (bool, Option<i32>, bool) {
    let answer = run(session, text);
    let number = answer.lines().find_map(|line| line.strip_prefix("Msg ")?.split(',').next()?.parse().ok());
    let open = run(session, "select @@trancount as n");
    (answer.contains("went on"), number, open.contains("\n1\n"))
}

fn anew(session: &mut Session) {
    assert_eq!(run(session, DROP), "");
    assert_eq!(run(session, MAKE), "");
    assert_eq!(run(session, "create procedure nothing as return"), "");
    assert_eq!(run(session, "create procedure one_of @a int as return"), "");
}

#[test]
fn an_error_ends_what_it_is_written_to_end() {
    let engine = engine();
    let mut one = session(&engine);
    assert_eq!(run(&mut one, "set nocount on create database ends"), "");
    assert_eq!(run(&mut one, "use ends set nocount on"), "");
    let mut wrong = String::new();
    for Case(statement, number, ends) in CASES {
        let mut expect = |way: &str, seen: (bool, Option<i32>, bool), wanted: (bool, bool)| {
            if seen != (wanted.0, Some(*number), wanted.1) {
                let _ = writeln!(wrong, "{statement}, {way}: {seen:?}, not {wanted:?} with {number}");
            }
        };
        anew(&mut one);
        let alone = seen(&mut one, &format!("{statement}\nprint 'went on'"));
        expect("alone", alone, (*ends == Statement, false));
        anew(&mut one);
        let within = seen(&mut one, &format!("begin transaction\n{statement}\nprint 'went on'"));
        expect("in a transaction", within, (*ends == Statement, *ends != Transaction));
        // RAISERROR heeds no XACT_ABORT.
        let is_raised = statement.starts_with("raiserror (") && *number >= 50_000;
        anew(&mut one);
        let text = format!("set xact_abort on begin transaction\n{statement}\nprint 'went on'");
        let strict = seen(&mut one, &text);
        expect("under XACT_ABORT", strict, (is_raised, is_raised));
        anew(&mut one);
        let catch = "begin catch select error_number() as n, xact_state() as s, error_line() as l end catch";
        let answer = run(&mut one, &format!("begin transaction\nbegin try\n{statement}\nend try {catch}"));
        // What is wrong with a call is wrong with the procedure that is called, before its first line.
        let called = statement.strip_prefix("exec ").filter(|_| matches!(number, 201 | 8144..=8146));
        let called = called.and_then(|call| call.split(' ').next());
        let state = if *ends == Transaction { -1 } else { 1 };
        let line = if called.is_some() { 0 } else { 3 };
        if !answer.contains(&format!("[n:int | s:smallint | l:int]\n{number} | {state} | {line}\n")) {
            let _ = writeln!(wrong, "{statement}, caught: {answer}");
        }
        // The place of the error is the procedure and its line, whatever called it.
        anew(&mut one);
        let made = run(&mut one, &format!("create procedure inner_one as\n\n{statement}"));
        if !made.is_empty() {
            let _ = writeln!(wrong, "{statement}, a procedure: {made}");
        }
        assert_eq!(run(&mut one, "create procedure outer_one as\nexec inner_one"), "");
        let catch = "begin catch select error_number() as n, error_procedure() as p, error_line() as l end catch";
        let answer = run(&mut one, &format!("begin try exec outer_one end try {catch}"));
        if !answer.contains(&format!("\n{number} | {} | {line}\n", called.unwrap_or("inner_one"))) {
            let _ = writeln!(wrong, "{statement}, in a procedure: {answer}");
        }
    }
    assert_eq!(wrong, "");
}

/// The table of messages says the same of each number.
#[test]
fn the_table_of_messages_has_what_the_cases_have() {
    for Case(statement, number, ends) in CASES {
        let Some(row) = table::row(*number) else { continue };
        assert_eq!(row.ends, *ends, "{number}: {statement}");
        assert!(row.severity >= 11, "{number}");
    }
}
