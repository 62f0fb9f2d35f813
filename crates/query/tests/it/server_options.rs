//! Options of the server that new sessions begin with.

use crate::harness::{engine, run, session};

/// "Configure the two digit year cutoff Server Configuration Option": with 2020, the span is 1921 to 2020.
#[test]
fn two_digits_of_a_year_mean_what_the_server_says() {
    let engine = engine();
    let mut one = session(&engine);
    run(&mut one, "exec sp_configure 'show advanced options', 1 reconfigure");
    run(&mut one, "exec sp_configure 'two digit year cutoff', 2020 reconfigure");
    let mut new = session(&engine);
    let read = "set nocount on select year(cast('1/1/25' as datetime)) a, year(convert(datetime, '01/01/20', 1)) b, \
                year(try_convert(datetime2, '21-01-01', 11)) c, year(cast('1/1/1925' as date)) d";
    assert_eq!(run(&mut new, read), "[a:int | b:int | c:int | d:int]\n1925 | 2020 | 1921 | 1925\n");
    let mut again = session(&engine);
    run(&mut again, "exec sp_configure 'two digit year cutoff', 2049 reconfigure");
    let mut last = session(&engine);
    assert_eq!(run(&mut last, read), "[a:int | b:int | c:int | d:int]\n2025 | 2020 | 2021 | 1925\n");
}

/// "Configure the user options Server Configuration Option": 512 is NOCOUNT, 16384 is XACT_ABORT.
#[test]
fn user_options_are_on_in_new_sessions() {
    let engine = engine();
    let mut one = session(&engine);
    run(&mut one, "exec sp_configure 'user options', 16896 reconfigure");
    let mut new = session(&engine);
    assert_eq!(run(&mut new, "select @@options & 16896 as o"), "[o:int]\n16896\n");
    // A session that is there keeps what it has.
    assert_eq!(run(&mut one, "set nocount on select @@options & 16384 as o"), "[o:int]\n0\n");
}
