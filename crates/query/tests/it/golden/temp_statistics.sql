-- differs clustered, secondary: an index has statistics of its own, and what it begins with needs no others
set nocount on
create table #t (id int not null, kind int, part int, word varchar(20), filler char(40))
insert #t select value, case when value <= 5700 then 0 else (value - 5601) / 100 end, value * 7919 % 4999 * (value * 7907 % 4993) / 50000,
    case when value % 100 < 2 then null else 'W' + cast(value % 7 as varchar(2)) end, 'f' from generate_series(1, 6000)
select s.name from tempdb.sys.stats s where s.object_id = object_id('tempdb..#t')
go
--> [name:nvarchar(128)]
-- A plan asks of columns: they get statistics of their own
select count(*) as rows_of_kind from #t where kind = 3
select word, count(*) as each from #t group by word order by word
select cast(s.name as nvarchar(17)) as name, s.auto_created, s.user_created, s.no_recompute, p.rows, p.rows_sampled, p.steps, p.modification_counter
from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p where s.object_id = object_id('tempdb..#t') order by s.stats_id
select count(*) as columns from tempdb.sys.stats_columns where object_id = object_id('tempdb..#t')
dbcc show_statistics ('tempdb..#t', kind) with histogram
dbcc show_statistics ('tempdb..#t', word) with histogram, no_infomsgs
dbcc show_statistics ('tempdb..#t', kind) with density_vector, no_infomsgs
go
--> [rows_of_kind:int]
--> 100
--> [word:varchar(20) | each:int]
--> NULL | 120
--> W0 | 840
--> W1 | 840
--> W2 | 840
--> W3 | 840
--> W4 | 840
--> W5 | 840
--> W6 | 840
--> [name:nvarchar(17) | auto_created:bit | user_created:bit | no_recompute:bit | rows:bigint | rows_sampled:bigint | steps:int | modification_counter:bigint]
--> _WA_Sys_00000002_ | 1 | 0 | 0 | 6000 | 6000 | 4 | 0
--> _WA_Sys_00000004_ | 1 | 0 | 0 | 6000 | 6000 | 8 | 0
--> [columns:int]
--> 2
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 0 | 0.0 | 5700.0 | 0 | 1.0
--> 1 | 0.0 | 100.0 | 0 | 1.0
--> 2 | 0.0 | 100.0 | 0 | 1.0
--> 3 | 0.0 | 100.0 | 0 | 1.0
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [RANGE_HI_KEY:varchar(20) | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> NULL | 0.0 | 120.0 | 0 | 1.0
--> W0 | 0.0 | 840.0 | 0 | 1.0
--> W1 | 0.0 | 840.0 | 0 | 1.0
--> W2 | 0.0 | 840.0 | 0 | 1.0
--> W3 | 0.0 | 840.0 | 0 | 1.0
--> W4 | 0.0 | 840.0 | 0 | 1.0
--> W5 | 0.0 | 840.0 | 0 | 1.0
--> W6 | 0.0 | 840.0 | 0 | 1.0
--> [All density:real | Average Length:real | Columns:nvarchar(4000)]
--> 0.25 | 4.0 | kind
-- What the histogram of a skewed column says of each step is what the rows say
select part, count(*) as n into #values from #t where part is not null group by part
declare @stats int = (select c.stats_id from tempdb.sys.stats_columns c where c.object_id = object_id('tempdb..#t') and c.column_id = 3);
with h as (select step_number, cast(range_high_key as int) as high, lag(cast(range_high_key as int)) over (order by step_number) as low,
        range_rows, equal_rows, distinct_range_rows
    from sys.dm_db_stats_histogram(object_id('tempdb..#t'), @stats)),
seen as (select h.step_number, h.range_rows, h.equal_rows, h.distinct_range_rows, sum(case when v.part = h.high then v.n else 0 end) as equal_seen,
        sum(case when v.part < h.high then v.n else 0 end) as range_seen, sum(case when v.part < h.high then 1 else 0 end) as distinct_seen
    from h join #values v on v.part <= h.high and (v.part > h.low or h.low is null)
    group by h.step_number, h.range_rows, h.equal_rows, h.distinct_range_rows)
select case when count(*) between 50 and 200 then 'many' else 'few' end as steps, sum(range_seen + equal_seen) as rows,
    sum(case when range_rows = range_seen and equal_rows = equal_seen and distinct_range_rows = distinct_seen then 0 else 1 end) as wrong
from seen
go
--> [steps:varchar(4) | rows:int | wrong:int]
--> many | 6000 | 0
-- Made by hand: a statement says which columns, which rows and how many of them
create statistics by_hand on #t (word, kind) with fullscan, norecompute
create statistics of_some on #t (part) where kind > 0
select cast(s.name as nvarchar(17)) as name, s.stats_id, s.user_created, s.no_recompute, s.has_filter, s.filter_definition, p.rows, p.unfiltered_rows, stats_date(s.object_id, s.stats_id) - getdate() as age
into #shown
from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p where s.object_id = object_id('tempdb..#t')
select name, stats_id, user_created, no_recompute, has_filter, filter_definition, rows, unfiltered_rows, case when age is null then 'never' else 'made' end as made from #shown order by stats_id
dbcc show_statistics ('tempdb..#t', by_hand) with density_vector
create statistics by_hand on #t (id)
create statistics one on #t (nothing)
create statistics one on #t (id, id)
create statistics one on #none (id)
update statistics #t nothing
update statistics #none
drop statistics #t.nothing
drop statistics if exists #t.nothing
drop statistics #none.one
dbcc show_statistics ('tempdb..#t', nothing)
dbcc show_statistics ('tempdb..#none', nothing)
dbcc show_statistics ('#t', kind)
exec tempdb..sp_helpstats '#t'
go
--> [name:nvarchar(17) | stats_id:int | user_created:bit | no_recompute:bit | has_filter:bit | filter_definition:nvarchar(max) | rows:bigint | unfiltered_rows:bigint | made:varchar(5)]
--> by_hand | 2 | 1 | 1 | 0 | NULL | 6000 | 6000 | made
--> of_some | 3 | 1 | 0 | 1 | ([kind]>(0)) | 300 | 6000 | made
--> _WA_Sys_00000002_ | 32770 | 0 | 0 | 0 | NULL | 6000 | 6000 | made
--> _WA_Sys_00000003_ | 32771 | 0 | 0 | 0 | NULL | 6000 | 6000 | made
--> _WA_Sys_00000004_ | 32772 | 0 | 0 | 0 | NULL | 6000 | 6000 | made
--> [All density:real | Average Length:real | Columns:nvarchar(4000)]
--> 0.125 | 1.96 | word
--> 0.03125 | 5.96 | word, kind
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> Msg 1927, Level 16, State 1, Line 9: There are already statistics on table 'dbo.#t' named 'by_hand'.
--> Msg 1911, Level 16, State 1, Line 10: Column name 'nothing' does not exist in the target table or view.
--> Msg 1909, Level 16, State 1, Line 11: Cannot use duplicate column names in statistics. Column name 'id' listed more than once.
--> Msg 1088, Level 16, State 12, Line 12: Cannot find the object "#none" because it does not exist or you do not have permissions.
--> Msg 2767, Level 16, State 1, Line 13: Could not locate statistics 'nothing' in the system catalogs.
--> Msg 1088, Level 16, State 12, Line 14: Cannot find the object "#none" because it does not exist or you do not have permissions.
--> Msg 3701, Level 11, State 5, Line 15: Cannot drop the statistics '#t.nothing', because it does not exist or you do not have permission.
--> Msg 3701, Level 11, State 5, Line 17: Cannot drop the statistics '#none.one', because it does not exist or you do not have permission.
--> Msg 2767, Level 16, State 1, Line 18: Could not locate statistics 'nothing' in the system catalogs.
--> Msg 2501, Level 16, State 45, Line 19: Cannot find a table or object with the name "tempdb..#none". Check the system catalog.
--> Msg 2501, Level 16, State 45, Line 20: Cannot find a table or object with the name "#t". Check the system catalog.
--> [statistics_name:nvarchar(128) | statistics_keys:nvarchar(2126)]
--> by_hand | word, kind
--> of_some | part
--> _WA_Sys_00000002_80000000 | kind
--> _WA_Sys_00000003_80000000 | part
--> _WA_Sys_00000004_80000000 | word
-- Many changes: updated by a statement, or when they are asked for
update #t set kind = 9 where id <= 2000
delete #t where id > 5900
select cast(s.name as nvarchar(17)) as name, p.rows, p.modification_counter from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
where s.object_id = object_id('tempdb..#t') order by s.stats_id
update statistics #t (by_hand) with sample 50 percent
select count(*) as rows_of_kind from #t where kind = 9
select cast(s.name as nvarchar(17)) as name, p.rows, p.modification_counter from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
where s.object_id = object_id('tempdb..#t') order by s.stats_id
update statistics #t
select cast(s.name as nvarchar(17)) as name, s.no_recompute, p.rows, p.modification_counter from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
where s.object_id = object_id('tempdb..#t') order by s.stats_id
go
--> [name:nvarchar(17) | rows:bigint | modification_counter:bigint]
--> by_hand | 6000 | 100
--> of_some | 300 | 100
--> _WA_Sys_00000002_ | 6000 | 2100
--> _WA_Sys_00000003_ | 6000 | 100
--> _WA_Sys_00000004_ | 6000 | 100
--> [rows_of_kind:int]
--> 2000
--> [name:nvarchar(17) | rows:bigint | modification_counter:bigint]
--> by_hand | 5900 | 0
--> of_some | 300 | 100
--> _WA_Sys_00000002_ | 5900 | 0
--> _WA_Sys_00000003_ | 6000 | 100
--> _WA_Sys_00000004_ | 6000 | 100
--> [name:nvarchar(17) | no_recompute:bit | rows:bigint | modification_counter:bigint]
--> by_hand | 0 | 5900 | 0
--> of_some | 0 | 2200 | 0
--> _WA_Sys_00000002_ | 0 | 5900 | 0
--> _WA_Sys_00000003_ | 0 | 5900 | 0
--> _WA_Sys_00000004_ | 0 | 5900 | 0
-- A rollback takes rows away again, and counts as changes
begin tran
insert #t select id, kind, part, word, filler from #t
rollback
select cast(s.name as nvarchar(17)) as name, p.rows, p.modification_counter from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
where s.object_id = object_id('tempdb..#t') order by s.stats_id
select count(*) as rows from #t where kind = 9
truncate table #t
select cast(s.name as nvarchar(17)) as name, p.rows, p.modification_counter from tempdb.sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
where s.object_id = object_id('tempdb..#t') order by s.stats_id
go
--> [name:nvarchar(17) | rows:bigint | modification_counter:bigint]
--> by_hand | 5900 | 11800
--> of_some | 2200 | 11800
--> _WA_Sys_00000002_ | 5900 | 11800
--> _WA_Sys_00000003_ | 5900 | 11800
--> _WA_Sys_00000004_ | 5900 | 11800
--> [rows:int]
--> 2000
--> [name:nvarchar(17) | rows:bigint | modification_counter:bigint]
--> by_hand | 5900 | 5900
--> of_some | 2200 | 17700
--> _WA_Sys_00000002_ | 5900 | 5900
--> _WA_Sys_00000003_ | 5900 | 17700
--> _WA_Sys_00000004_ | 5900 | 17700
-- Dropped one by one, and with the table; a column that they are of stays
alter table #t drop column word
go
--> Msg 5074, Level 16, State 1, Line 2: The statistics 'by_hand' is dependent on column 'word'.
--> Msg 4922, Level 16, State 9, Line 2: ALTER TABLE DROP COLUMN word failed because one or more objects access this column.
drop statistics #t.by_hand, dbo.#t.of_some
select cast(s.name as nvarchar(17)) as name from tempdb.sys.stats s where s.object_id = object_id('tempdb..#t') order by s.stats_id
alter table #t drop column word
drop table #t
create table #t (id int, kind int)
select count(*) as stats from tempdb.sys.stats s where s.object_id = object_id('tempdb..#t')
drop table #t
go
--> [name:nvarchar(17)]
--> _WA_Sys_00000002_
--> _WA_Sys_00000003_
--> _WA_Sys_00000004_
--> [stats:int]
--> 0
-- A table with indexes: theirs, and those of other columns
create table #k (id int not null primary key, kind int, part int, word varchar(20))
create index k_part on #k (part, kind)
insert #k select value, value % 5, value % 300, 'w' + cast(value % 10 as varchar(2)) from generate_series(1, 3000)
select a.word, count(*) as n from #k a join #k b on b.part = a.part and b.word = a.word group by a.word order by a.word
dbcc show_statistics ('tempdb..#k', k_part) with density_vector
select s.stats_id, s.auto_created, p.rows, case when p.steps <= 200 then 'few' end as steps, p.modification_counter
from tempdb.sys.stats s outer apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p where s.object_id = object_id('tempdb..#k') order by s.stats_id
go
--> [word:varchar(20) | n:int]
--> w0 | 3000
--> w1 | 3000
--> w2 | 3000
--> w3 | 3000
--> w4 | 3000
--> w5 | 3000
--> w6 | 3000
--> w7 | 3000
--> w8 | 3000
--> w9 | 3000
--> [All density:real | Average Length:real | Columns:nvarchar(4000)]
--> 0.0033333334 | 4.0 | part
--> 0.0033333334 | 8.0 | part, kind
--> 0.00033333333 | 12.0 | part, kind, id
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [stats_id:int | auto_created:bit | rows:bigint | steps:varchar(3) | modification_counter:bigint]
--> 1 | 0 | 3000 | few | 0
--> 2 | 0 | 3000 | few | 0
--> 32772 | 1 | 3000 | few | 0
-- An index takes neither the number nor the name of statistics, and these stay when it comes
create statistics s_kind on #k (kind)
go
create index s_kind on #k (kind)
go
--> Msg 1913, Level 16, State 1, Line 1: The operation failed because an index or statistics with name 's_kind' already exists on table 'dbo.#k'.
create index k_kind on #k (kind)
select s.name, s.stats_id, s.user_created from tempdb.sys.stats s where s.object_id = object_id('tempdb..#k') and s.stats_id in (2, 3, 4) order by s.stats_id
dbcc show_statistics ('tempdb..#k', s_kind) with histogram, no_infomsgs
drop statistics #k.k_part
go
--> [name:nvarchar(128) | stats_id:int | user_created:bit]
--> k_part | 2 | 0
--> s_kind | 3 | 1
--> k_kind | 4 | 0
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 0 | 0.0 | 600.0 | 0 | 1.0
--> 1 | 0.0 | 600.0 | 0 | 1.0
--> 2 | 0.0 | 600.0 | 0 | 1.0
--> 3 | 0.0 | 600.0 | 0 | 1.0
--> 4 | 0.0 | 600.0 | 0 | 1.0
--> Msg 3739, Level 11, State 1, Line 4: Cannot DROP the index '#k.k_part' because it is not a statistics collection.
-- Switched off for all, and a column that comes and goes leaves them
create statistics s_part on #k (part) where kind > 1
exec tempdb..sp_autostats '#k', 'off', 's_kind'
select s.name, s.no_recompute, s.filter_definition from tempdb.sys.stats s where s.object_id = object_id('tempdb..#k') and s.user_created = 1 order by s.stats_id
alter table #k add more int
alter table #k drop column more
select s.name, s.no_recompute, s.filter_definition from tempdb.sys.stats s where s.object_id = object_id('tempdb..#k') and s.user_created = 1 order by s.stats_id
exec tempdb..sp_autostats '#k', 'on', 's_kind'
select s.name, s.no_recompute, s.filter_definition from tempdb.sys.stats s where s.object_id = object_id('tempdb..#k') and s.user_created = 1 order by s.stats_id
go
--> # Automatic statistics maintenance turned OFF for 1 indices.
--> [name:nvarchar(128) | no_recompute:bit | filter_definition:nvarchar(max)]
--> s_kind | 1 | NULL
--> s_part | 0 | ([kind]>(1))
--> [name:nvarchar(128) | no_recompute:bit | filter_definition:nvarchar(max)]
--> s_kind | 1 | NULL
--> s_part | 0 | ([kind]>(1))
--> # Automatic statistics maintenance turned ON for 1 indices.
--> [name:nvarchar(128) | no_recompute:bit | filter_definition:nvarchar(max)]
--> s_kind | 0 | NULL
--> s_part | 0 | ([kind]>(1))
-- A small table has none, and is soon looked at again: after 6 changes while it has fewer than 6 rows, after 500 below 500
create table #s (a int, b int)
insert #s values (1, 1), (2, 1), (3, 2)
select b, count(*) as n from #s group by b order by b
select count(*) as stats from tempdb.sys.stats where object_id = object_id('tempdb..#s')
create statistics s_b on #s (b)
insert #s values (4, 2), (5, 2), (6, 3), (7, 3), (8, 3)
dbcc show_statistics ('tempdb..#s', s_b) with histogram, no_infomsgs
insert #s values (9, 9)
dbcc show_statistics ('tempdb..#s', s_b) with histogram, no_infomsgs
insert #s select value, 9 from generate_series(10, 508)
dbcc show_statistics ('tempdb..#s', s_b) with histogram, no_infomsgs
insert #s values (509, 9)
dbcc show_statistics ('tempdb..#s', s_b) with histogram, no_infomsgs
go
--> [b:int | n:int]
--> 1 | 2
--> 2 | 1
--> [stats:int]
--> 0
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 1 | 0.0 | 2.0 | 0 | 1.0
--> 2 | 0.0 | 1.0 | 0 | 1.0
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 1 | 0.0 | 2.0 | 0 | 1.0
--> 2 | 0.0 | 3.0 | 0 | 1.0
--> 3 | 0.0 | 3.0 | 0 | 1.0
--> 9 | 0.0 | 1.0 | 0 | 1.0
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 1 | 0.0 | 2.0 | 0 | 1.0
--> 2 | 0.0 | 3.0 | 0 | 1.0
--> 3 | 0.0 | 3.0 | 0 | 1.0
--> 9 | 0.0 | 1.0 | 0 | 1.0
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 1 | 0.0 | 2.0 | 0 | 1.0
--> 2 | 0.0 | 3.0 | 0 | 1.0
--> 3 | 0.0 | 3.0 | 0 | 1.0
--> 9 | 0.0 | 501.0 | 0 | 1.0
-- A table variable has none
declare @v table (a int, b int)
insert @v select value, value % 3 from generate_series(1, 2000)
select b, count(*) as n from @v where a > 7 group by b order by b
select count(*) as stats from tempdb.sys.stats where name like '[_]WA%' and object_id <> object_id('tempdb..#k')
go
--> [b:int | n:int]
--> 0 | 664
--> 1 | 664
--> 2 | 665
--> [stats:int]
--> 0
