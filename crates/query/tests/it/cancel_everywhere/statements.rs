//! Statements and operators that run for long, and what waits for others.

use std::fmt::Write;
use std::path::Path;

use super::Row;

/// Rows of table `big`: work for seconds in a build without optimisation.
pub(super) const BIG_ROWS: usize = 200_000;

/// Name and hostile statement.
const ALONE: &[(&str, &str)] = &[
    ("empty loop", "while 1 = 1 begin declare @x int end"),
    ("loop by GOTO", "again: goto again"),
    ("loop of IF", "while 1 = 1 if 1 = 2 print ''"),
    ("loop in TRY", "declare @x int while 1 = 1 begin try set @x = 1 / 0 end try begin catch set @x = 2 end catch"),
    ("cross join", "select count(*) as n from big a cross join big b where a.v + b.v = -1"),
    (
        "nested loops without a match",
        "select count(*) as n from big a join big b on a.v < b.v - 10 and a.c like b.c + 'x'",
    ),
    ("hash join of few keys", "select count_big(*) as n from big a join big b on a.v = b.v where a.k + b.k = -1"),
    ("merge of seeks", "select count_big(*) as n from big a join big b on b.id >= a.id where a.v + b.v = -1"),
    ("outer join", "select count_big(*) as n from big a full join big b on a.v = b.v and a.k + b.k = -1"),
    (
        "apply",
        "select count_big(x.n) as n from big a cross apply (select max(b.v + a.v) as n from big b where b.k <> a.k) x",
    ),
    (
        "subquery per row",
        "select count(*) as n from big a where (select count(*) from big b where b.v = a.v and b.k <> a.k) = -1",
    ),
    ("exists", "select count(*) as n from big a where exists (select * from big b where b.k + a.k = -1)"),
    (
        "sort",
        "select max(n) as n from (select row_number() over (order by a.c desc, b.v, a.id) as n from big a cross join one x join big b on b.k = a.k) y",
    ),
    (
        "groups",
        "select count(*) as n from (select a.id, b.id as other, max(a.c) as c from big a join big b on a.v = b.v group by a.id, b.id) x",
    ),
    ("distinct", "select count(*) as n from (select distinct a.id + b.id as n, a.c from big a cross join big b) x"),
    (
        "union",
        "select count(*) as n from (select a.id, b.c from big a cross join big b union select b.id, a.c from big a cross join big b) x",
    ),
    (
        "except",
        "select count(*) as n from (select a.id, b.c from big a cross join big b except select b.id, a.c from big a cross join big b) x",
    ),
    (
        "window frame",
        "select max(n) as n from (select sum(a.id) over (order by a.id rows between 100000 preceding and 1 preceding) + b.v as n from big a cross join big b) x",
    ),
    (
        "string_agg",
        "select len(string_agg(cast(a.c as varchar(max)), ',') within group (order by a.id)) as n from big a cross join big b",
    ),
    ("generate_series", "select count_big(*) as n from generate_series(1, 2000000000) where value % 7 = 8"),
    (
        "recursion",
        ";with r as (select 1 as n union all select (n + 1) % 1000 from r) select count(*) as n from r option (maxrecursion 0)",
    ),
    (
        "wide recursion",
        ";with r as (select 1 as n union all select n + 1 from r cross join parent where n < 100) select count(*) as n from r option (maxrecursion 0)",
    ),
    (
        "pivot",
        "select * from (select a.v, b.k % 3 as k, a.id from big a cross join big b) x pivot (count(id) for k in ([0], [1], [2])) p",
    ),
    ("top with ties", "select top (1) with ties a.v from big a cross join big b where a.c + b.c = 'none' order by a.v"),
    ("rows to the client", "select a.id from big a cross join big b where a.v + b.v = -1"),
    (
        "catalog",
        "select count(*) as n from sys.all_columns a cross join sys.all_columns b cross join sys.all_columns c where a.column_id + b.column_id + c.column_id = -1",
    ),
    ("variable assignment", "declare @v int select @v = a.v + b.v from big a cross join big b"),
    ("SELECT INTO", "select a.id, b.c into made from big a cross join big b"),
    ("SELECT INTO #t", "select a.id, b.c into #made from big a cross join big b"),
    ("INSERT", "insert big select 1000000 + a.id + 1000000 * b.id, 1, 1, a.c from big a cross join parent b"),
    (
        "INSERT into a variable",
        "declare @t table (id int, c char(60)) insert @t select a.id, b.c from big a cross join big b",
    ),
    ("UPDATE", "update big set v = v + 1"),
    ("UPDATE with joins", "update a set v = a.v + 1 from big a join big b on a.v = b.v and a.c like b.c + 'x'"),
    ("DELETE", "delete big"),
    ("DELETE with a subquery", "delete big where exists (select * from big b where b.k + big.k = -1)"),
    (
        "MERGE",
        "merge big as t using (select id + 100000 as id, v from big) as s on t.id = s.id when matched then update set v = s.v + 1 when not matched then insert values (s.id, s.v, 1, '') when not matched by source then delete;",
    ),
    (
        "MERGE of many pairs",
        "merge parent as t using (select a.id, b.v from big a join big b on a.k = b.k) as s on t.id = s.id + 1000000 when matched then delete;",
    ),
    ("UPDATE in a transaction", "begin tran update big set v = v + 1 commit"),
    ("cursor", "declare c cursor local static for select a.id from big a cross join big b open c"),
    (
        "cursor of keys",
        "declare c cursor local keyset for select a.id from big a where exists (select * from big b where b.id >= a.id and b.k <> 1) open c",
    ),
    (
        "cursor in a loop",
        "declare c cursor local dynamic for select id from big declare @i int open c while 1 = 1 fetch first from c into @i",
    ),
    ("CREATE INDEX", "create index by_c on big (c, k desc, v)"),
    ("CREATE UNIQUE INDEX", "create unique index by_c on big (c, k, id) include (v)"),
    ("ADD of a column with values", "alter table big add extra uniqueidentifier not null default newid()"),
    ("ALTER COLUMN", "alter table big alter column c varchar(70) null"),
    ("ADD PRIMARY KEY", "alter table big add constraint u unique (c, id)"),
    ("CHECK of rows", "alter table big add constraint c check (c like '%[a-z]%e%x%t%' and v < 100)"),
    ("FOREIGN KEY of rows", "alter table big with check add constraint f foreign key (k) references parent (id)"),
    ("REBUILD", "alter index all on big rebuild"),
    ("REORGANIZE", "while 1 = 1 alter index all on big reorganize"),
    (
        "CREATE STATISTICS",
        "while 1 = 1 begin create statistics s on big (c, k) with fullscan drop statistics big.s end",
    ),
    ("UPDATE STATISTICS", "while 1 = 1 update statistics big with fullscan"),
    ("CHECKDB", "while 1 = 1 dbcc checkdb ('d') with no_infomsgs"),
    ("CHECKTABLE", "while 1 = 1 dbcc checktable ('big') with no_infomsgs"),
    ("EXEC of a text", "exec ('while 1 = 1 declare @x int')"),
    (
        "sp_executesql",
        "exec sp_executesql N'select count_big(*) as n from d.dbo.big a, d.dbo.big b where a.v + b.v = @v', N'@v int', -1",
    ),
    ("PRINT in a loop", "while 1 = 1 print ''"),
    ("sp_help", "while 1 = 1 exec sp_help 'big'"),
    ("TRUNCATE in a loop", "create table #w (a int) while 1 = 1 begin insert #w values (1) truncate table #w end"),
    ("CREATE TABLE in a loop", "while 1 = 1 begin create table #l (a int) drop table #l end"),
    ("savepoints in a loop", "begin tran while 1 = 1 save tran s"),
];

/// All rows that work.
pub(super) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = ALONE.iter().map(|(name, hostile)| Row::new(name, hostile)).collect();
    for row in &mut rows {
        match row.name.as_str() {
            // Without it what was open stays open.
            "UPDATE in a transaction" | "savepoints in a loop" => {
                row.hostile = format!("set xact_abort on {}", row.hostile);
                row.end = "set xact_abort off".to_owned();
            }
            "PRINT in a loop" | "sp_help" => row.says = true,
            _ => {}
        }
    }
    let with = |name: &str, set_up: &str, hostile: &str, end: &str| Row {
        set_up: set_up.to_owned(),
        end: end.to_owned(),
        ..Row::new(name, hostile)
    };
    rows.extend([
        with(
            "scalar function with a loop",
            "create function dbo.forever(@a int) returns int as begin while @a = @a set @a = @a return 1 end",
            "select dbo.forever(1) as n",
            "drop function dbo.forever",
        ),
        with(
            "table function",
            "create function dbo.many() returns @t table (a int) as begin while 1 = 1 insert @t values (1) return end",
            "select count(*) as n from dbo.many()",
            "drop function dbo.many",
        ),
        with(
            "scalar function per row",
            "create function dbo.less(@a int) returns int as begin return @a - 1 end",
            "select max(dbo.less(a.id)) as n from big a cross join parent b",
            "drop function dbo.less",
        ),
        with(
            "trigger with a loop",
            "create trigger endless on parent after update as while 1 = 1 declare @a int",
            "update parent set v = v + 1 where id = 5",
            "drop trigger endless",
        ),
        with(
            "procedures in each other",
            "create procedure again @n int as if @n < 20 begin declare @m int = @n + 1 exec again @m exec again @m end",
            "exec again 0",
            "drop procedure again",
        ),
        with(
            "INSERT EXEC",
            "create procedure gives as select a.id from big a cross join big b",
            "create table #g (a int) insert #g exec gives",
            "drop procedure gives",
        ),
        Row {
            before: "begin tran update big set v = v + 1 where id < 10000".to_owned(),
            ..Row::new("ROLLBACK stays whole", "rollback while 1 = 1 declare @x int")
        },
        with(
            "cascading DELETE",
            "create table child (id int primary key, p int references parent (id) on delete cascade)
            insert child select id, k from big
            create index of_parent on child (p) include (id)",
            "delete parent where id in (select k from big)",
            "drop table child",
        ),
        with(
            "computed column",
            "",
            "alter table big add twice as (checksum(c, v, k) + len(replace(c, 'e', 'xyz'))) persisted",
            "",
        ),
    ]);
    rows
}

/// Rows that write files into a folder or read them from it.
pub(super) fn rows_with_files(folder: &Path) -> Vec<Row> {
    let (backup, lines) = (folder.join("d.bak"), folder.join("lines.txt"));
    let mut text = String::new();
    for line in 0..BIG_ROWS {
        let _ = writeln!(text, "{line},{},some text", line % 7);
    }
    std::fs::write(&lines, text).expect("the folder can be written");
    let (backup, lines) = (backup.display(), lines.display());
    let loaded = format!("bulk insert loaded from '{lines}' with (fieldterminator = ',', rowterminator = '\\n'");
    let load = |name: &str, definition: &str, options: &str| Row {
        set_up: format!("create table loaded ({definition})"),
        end: "drop table loaded".to_owned(),
        ..Row::new(name, &format!("while 1 = 1 {loaded}{options})"))
    };
    vec![
        Row {
            says: true,
            ..Row::new("BACKUP", &format!("while 1 = 1 backup database d to disk = '{backup}' with init"))
        },
        load("BULK INSERT", "id int, v int, c varchar(20)", ""),
        load("BULK INSERT into a tree", "id int, v int, c varchar(20), index by_v clustered (v, id)", ""),
        load("BULK INSERT in batches", "id int, v int, c varchar(20)", ", batchsize = 1000, tablock"),
    ]
}

/// All rows that wait; another session holds row 1 of `parent` and the application lock 'lock'.
pub(super) fn waiting_rows() -> Vec<Row> {
    let waits = |name: &str, hostile: &str| Row { waits: true, ..Row::new(name, hostile) };
    vec![
        waits("WAITFOR DELAY", "waitfor delay '23:00:00'"),
        waits("WAITFOR TIME", "waitfor time '00:00:00'"),
        waits("lock of a row", "update parent set v = 1 where id = 1"),
        waits("lock of a table", "select count(*) as n from parent with (tablockx)"),
        waits("lock of a definition", "alter table parent add extra int"),
        waits("lock in a read", "select v from parent with (readcommittedlock) where id = 1"),
        waits("sp_getapplock", "exec sp_getapplock 'lock', 'exclusive', 'session' waitfor delay '23:00:00'"),
        waits("DROP TABLE", "drop table parent"),
        waits("TRUNCATE TABLE", "truncate table parent"),
    ]
}
