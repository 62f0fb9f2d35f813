//! The work in the words of each server.
//!
//! What always holds: tables have the same rows, statements the same meaning; the sort's answer is two numbers that must be the
//! same everywhere.

use super::Size;

/// The loop: tables of rows of a page each, one row after another, each table dropped before the next.
pub(super) fn loop_of_millpond(size: Size) -> String {
    format!(
        "set nocount on
declare @r int = 1, @i int
while @r <= {tables}
begin
    create table #t (mycol char(8000) not null)
    set @i = 1
    while @i <= {rows}
    begin
        insert #t values ('abc')
        set @i = @i + 1
    end
    drop table #t
    set @r = @r + 1
end",
        tables = size.loop_tables,
        rows = size.loop_rows,
    )
}

/// The same as one block of plpgsql. The commit is what really drops a table; storage is plain so that rows are as long.
pub(super) fn loop_of_postgres(size: Size) -> String {
    format!(
        "do $$ begin
  for r in 1..{tables} loop
    create temp table t (mycol char(8000) not null);
    alter table t alter mycol set storage plain;
    for i in 1..{rows} loop
      insert into t values ('abc');
    end loop;
    drop table t;
    commit;
  end loop;
end $$",
        tables = size.loop_tables,
        rows = size.loop_rows,
    )
}

/// The table that is copied and sorted.
pub(super) fn load_of_millpond(size: Size) -> [String; 2] {
    [
        "create table rows (id int not null, k int not null, note char(60) not null)".into(),
        format!(
            "insert rows with (tablock) select value, value % 1000, \
             cast(cast(value as bigint) * 104729 % 1000003 as char(60)) from generate_series(0, {})",
            size.rows - 1
        ),
    ]
}

/// The same.
pub(super) fn load_of_postgres(size: Size) -> [String; 2] {
    [
        "create table rows (id integer not null, k integer not null, note char(60) not null)".into(),
        format!(
            "insert into rows select value, value % 1000, cast(value::bigint * 104729 % 1000003 as char(60)) \
             from generate_series(0, {}) as value",
            size.rows - 1
        ),
    ]
}

pub(super) const COPY_OF_MILLPOND: &str = "select id, k, note into #copied from rows drop table #copied";
pub(super) const COPY_OF_POSTGRES: &str = "create temp table copied as select id, k, note from rows; drop table copied";

/// A sort of all rows, of which a hundredth is counted. The same words for all.
pub(super) const SORT: &str = "select count(*), cast(sum(cast(id as bigint)) as bigint) from \
     (select id, row_number() over (order by note, id) as place from rows) as ordered where place % 100 = 0";
