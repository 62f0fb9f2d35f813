//! A process whose address space is limited (`ulimit -v`): it works within it, or says what it needs and ends.

use std::process::{Command, Output};

/// What `millpond sql` says within so many megabytes of address space.
fn within(megabytes: u64, text: &str) -> Output {
    let run = format!("ulimit -v {} && exec \"$0\" sql -W -h -1 -Q \"$1\"", megabytes << 10);
    let mut shell = Command::new("sh");
    shell.args(["-c", &run, env!("CARGO_BIN_EXE_millpond"), text]).output().expect("a shell is there")
}

#[test]
fn too_little_is_told() {
    for megabytes in [512, 3071] {
        let said = within(megabytes, "select 1");
        let error = String::from_utf8_lossy(&said.stderr);
        assert!(error.contains(&format!("is limited to {megabytes} MB")) && error.contains("ulimit -v"), "{error}");
        assert!(!error.contains("panicked"), "{error}");
        assert_eq!(said.status.code(), Some(1), "{error}");
    }
}

/// A load, an index, a plan of several threads that groups and sorts, and a database in files.
const WORK: &str = "set nocount on
create table t (id int not null primary key, v int, text char(200))
insert t select top 200000 row_number() over (order by (select 1)), 0, 'x'
from sys.all_columns as a cross join sys.all_columns as b
update t set v = id % 1000
create index v on t (v)
exec sp_configure 'show advanced options', 1 reconfigure
exec sp_configure 'cost threshold for parallelism', 0 reconfigure
select max(n) from (select v, count(*) as n from t group by v) as g
select top 1 b.id from t as a join t as b on a.id = b.id + 1 order by b.text, b.id desc";

#[test]
fn what_is_allowed_is_enough_for_work() {
    for megabytes in [3072, 4096] {
        let said = within(megabytes, WORK);
        let (out, error) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        assert!(out.ends_with("200\n199999\n"), "{megabytes} MB: {out}{error}");
        assert_eq!((said.status.code(), &*error), (Some(0), ""), "{megabytes} MB: {out}");
    }
}
