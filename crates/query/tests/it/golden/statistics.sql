-- differs clustered, secondary, threads, parameters: it shows which index is read, and counts indexes
create database figures
go
use figures
set nocount on
create table n (i int not null primary key)
declare @i int = 0
while @i < 100 begin insert n values (@i) set @i = @i + 1 end
-- `kind` has 4 values, of which one has nearly all rows; `part` has 2500
create table t (id int not null primary key, kind int, part int, day date, word varchar(20), filler char(40))
create index t_part on t (part)
create index t_kind on t (kind)
insert t select x.i * 100 + y.i, case when x.i < 97 then 0 else x.i - 96 end, (x.i * 100 + y.i) / 4, dateadd(day, x.i, '20250101'), case when y.i < 2 then null else 'W' + cast(y.i % 7 as varchar(2)) end, 'f' from n x cross join n y
go
-- The index that reads less: by rule the last one of two with one column each would be read
select count(filler) from t where kind = 0 and part = 17
go
--> [:int]
--> 4
select count(filler) from t where part = 17 and kind = 3
go
--> [:int]
--> 0
select count(filler) from t where kind = 0
go
--> [:int]
--> 9700
select count(filler) from t where kind = 2
go
--> [:int]
--> 100
select count(filler) from t where part between 100 and 102 and kind = 0
go
--> [:int]
--> 12
declare @k int = 0, @p int = 33
select count(filler) from t where kind = @k and part = @p
go
--> [:int]
--> 4
select q.text, case when s.last_logical_reads < 30 then 'few' when s.last_logical_reads < 150 then 'the table' else 'many' end as pages
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) q
where q.text like '%select count(filler)%' and q.text not like '%dm_exec%' order by q.text
go
--> [text:nvarchar(max) | pages:varchar(9)]
--> -- The index that reads less: by rule the last one of two with one column each would be read
--> select count(filler) from t where kind = 0 and part = 17 | few
--> declare @k int = 0, @p int = 33
--> select count(filler) from t where kind = @k and part = @p | few
--> select count(filler) from t where kind = 0 | the table
--> select count(filler) from t where kind = 2 | many
--> select count(filler) from t where part = 17 and kind = 3 | few
--> select count(filler) from t where part between 100 and 102 and kind = 0 | few
-- Joins: by the index where a value has few rows, by reading the table where it has many
create table f (v int, w int)
insert f values (1, 17), (2, 471), (3, 800), (2, 900)
go
select count(t.filler) from f join t on t.part = f.w
go
--> [:int]
--> 16
select count(t.filler) from f join t on t.kind = f.v
go
--> [:int]
--> 400
select count(b.filler) from t a join t b on b.part = a.part where a.kind = 0
go
--> [:int]
--> 38800
select count(b.filler) from t a join t b on b.part = a.part where a.kind = 3 and a.part = 2480
go
--> [:int]
--> 16
select q.text, case when s.last_logical_reads < 80 then 'few' when s.last_logical_reads < 500 then 'the tables' else 'many' end as pages
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) q
where q.text like '%select count(_.filler)%' and q.text not like '%dm_exec%' order by q.text
go
--> [text:nvarchar(max) | pages:varchar(10)]
--> select count(b.filler) from t a join t b on b.part = a.part where a.kind = 0 | the tables
--> select count(b.filler) from t a join t b on b.part = a.part where a.kind = 3 and a.part = 2480 | few
--> select count(t.filler) from f join t on t.kind = f.v | the tables
--> select count(t.filler) from f join t on t.part = f.w | few
update t set filler = 'g' where kind = 0 and part = 19
delete t where part = 20 and kind = 0
select count(*) from t where filler = 'g'
select count(*) from t
go
--> [:int]
--> 4
--> [:int]
--> 9996
-- What is known
select s.name, s.stats_id, s.auto_created, s.user_created, s.no_recompute, p.rows, p.rows_sampled, p.steps, p.unfiltered_rows, p.modification_counter
from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p where s.object_id = object_id('t') order by s.stats_id
dbcc show_statistics ('t', 't_kind') with density_vector
dbcc show_statistics ('dbo.t', t_kind) with histogram
dbcc show_statistics (t, t_kind) with histogram, no_infomsgs
go
--> [name:nvarchar(128) | stats_id:int | auto_created:bit | user_created:bit | no_recompute:bit | rows:bigint | rows_sampled:bigint | steps:int | unfiltered_rows:bigint | modification_counter:bigint]
--> PK__t__00000000000003EB | 1 | 0 | 0 | 0 | 10000 | 10000 | 135 | 10000 | 4
--> t_part | 2 | 0 | 0 | 0 | 10000 | 10000 | 137 | 10000 | 4
--> t_kind | 3 | 0 | 0 | 0 | 10000 | 10000 | 4 | 10000 | 4
--> _WA_Sys_00000006_000003EA | 32774 | 1 | 0 | 0 | 9996 | 9996 | 2 | 9996 | 0
--> [All density:real | Average Length:real | Columns:nvarchar(4000)]
--> 0.25 | 4.0 | kind
--> 9.9999997E-5 | 8.0 | kind, id
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 0 | 0.0 | 9700.0 | 0 | 1.0
--> 1 | 0.0 | 100.0 | 0 | 1.0
--> 2 | 0.0 | 100.0 | 0 | 1.0
--> 3 | 0.0 | 100.0 | 0 | 1.0
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 0 | 0.0 | 9700.0 | 0 | 1.0
--> 1 | 0.0 | 100.0 | 0 | 1.0
--> 2 | 0.0 | 100.0 | 0 | 1.0
--> 3 | 0.0 | 100.0 | 0 | 1.0
select step_number, range_high_key, range_rows, equal_rows, distinct_range_rows, average_range_rows from sys.dm_db_stats_histogram(object_id('t'), 3)
select min(range_high_key) as low, max(range_high_key) as high, sum(range_rows + equal_rows) as rows, sum(distinct_range_rows + 1) as vals, case when count(*) <= 200 then 'few steps' end as steps from sys.dm_db_stats_histogram(object_id('t'), 2)
select count(*) from sys.dm_db_stats_properties(object_id('t'), 99)
go
--> [step_number:int | range_high_key:sql_variant | range_rows:real | equal_rows:real | distinct_range_rows:bigint | average_range_rows:real]
--> 1 | 0 | 0.0 | 9700.0 | 0 | 1.0
--> 2 | 1 | 0.0 | 100.0 | 0 | 1.0
--> 3 | 2 | 0.0 | 100.0 | 0 | 1.0
--> 4 | 3 | 0.0 | 100.0 | 0 | 1.0
--> [low:sql_variant | high:sql_variant | rows:float | vals:bigint | steps:varchar(9)]
--> 0 | 2499 | 10000.0 | 2500 | few steps
--> [:int]
--> 0
-- Made by hand
create statistics t_word on t (word, kind) with fullscan, norecompute
create statistics t_day on dbo.t (day) with sample 50 percent
select s.name, s.stats_id, s.user_created, s.no_recompute, c.stats_column_id, col_name(c.object_id, c.column_id) as col
from sys.stats s join sys.stats_columns c on c.object_id = s.object_id and c.stats_id = s.stats_id where s.object_id = object_id('t') order by 2, 5
dbcc show_statistics (t, t_word) with histogram
dbcc show_statistics (t, t_word) with density_vector
exec sp_helpstats 'dbo.t'
exec sp_helpstats t, 'all'
exec sp_helpstats n
select case when stats_date(object_id('t'), 4) <= getdate() then 'made' end as made, stats_date(object_id('t'), 77) as none
go
--> [name:nvarchar(128) | stats_id:int | user_created:bit | no_recompute:bit | stats_column_id:int | col:nvarchar(128)]
--> PK__t__00000000000003EB | 1 | 0 | 0 | 1 | id
--> t_part | 2 | 0 | 0 | 1 | part
--> t_kind | 3 | 0 | 0 | 1 | kind
--> t_word | 4 | 1 | 1 | 1 | word
--> t_word | 4 | 1 | 1 | 2 | kind
--> t_day | 5 | 1 | 0 | 1 | day
--> _WA_Sys_00000006_000003EA | 32774 | 0 | 0 | 1 | filler
--> [RANGE_HI_KEY:varchar(20) | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> NULL | 0.0 | 200.0 | 0 | 1.0
--> W0 | 0.0 | 1400.0 | 0 | 1.0
--> W1 | 0.0 | 1400.0 | 0 | 1.0
--> W2 | 0.0 | 1400.0 | 0 | 1.0
--> W3 | 0.0 | 1399.0 | 0 | 1.0
--> W4 | 0.0 | 1399.0 | 0 | 1.0
--> W5 | 0.0 | 1399.0 | 0 | 1.0
--> W6 | 0.0 | 1399.0 | 0 | 1.0
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [All density:real | Average Length:real | Columns:nvarchar(4000)]
--> 0.125 | 1.9599839 | word
--> 0.03125 | 5.9599838 | word, kind
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [statistics_name:nvarchar(128) | statistics_keys:nvarchar(2126)]
--> t_word | word, kind
--> t_day | day
--> _WA_Sys_00000006_000003EA | filler
--> [statistics_name:nvarchar(128) | statistics_keys:nvarchar(2126)]
--> PK__t__00000000000003EB | id
--> t_part | part
--> t_kind | kind
--> t_word | word, kind
--> t_day | day
--> _WA_Sys_00000006_000003EA | filler
--> # This object does not have any statistics.
--> [made:varchar(4) | none:datetime]
--> made | NULL
create statistics t_word on t (id)
create statistics t_kind on t (kind)
create statistics s on t (nothing)
create statistics s on nowhere (nothing)
create statistics s on t (kind, kind)
create index t_word on t (word)
drop statistics t.t_kind
drop statistics t.nothing
drop statistics if exists t.nothing
update statistics nowhere
update statistics t nothing
update statistics t (t_kind, nothing) with fullscan
dbcc show_statistics (t, nothing)
dbcc show_statistics (nowhere, nothing)
alter table t drop column day
go
--> Msg 1927, Level 16, State 1, Line 1: There are already statistics on table 'dbo.t' named 't_word'.
--> Msg 1927, Level 16, State 1, Line 2: There are already statistics on table 'dbo.t' named 't_kind'.
--> Msg 1911, Level 16, State 1, Line 3: Column name 'nothing' does not exist in the target table or view.
--> Msg 1088, Level 16, State 12, Line 4: Cannot find the object "nowhere" because it does not exist or you do not have permissions.
--> Msg 1909, Level 16, State 1, Line 5: Cannot use duplicate column names in statistics. Column name 'kind' listed more than once.
--> Msg 1913, Level 16, State 1, Line 6: The operation failed because an index or statistics with name 't_word' already exists on table 'dbo.t'.
--> Msg 3739, Level 11, State 1, Line 7: Cannot DROP the index 't.t_kind' because it is not a statistics collection.
--> Msg 3701, Level 11, State 5, Line 8: Cannot drop the statistics 't.nothing', because it does not exist or you do not have permission.
--> Msg 1088, Level 16, State 12, Line 10: Cannot find the object "nowhere" because it does not exist or you do not have permissions.
--> Msg 2767, Level 16, State 1, Line 11: Could not locate statistics 'nothing' in the system catalogs.
--> Msg 2767, Level 16, State 1, Line 12: Could not locate statistics 'nothing' in the system catalogs.
--> Msg 2767, Level 16, State 1, Line 13: Could not locate statistics 'nothing' in the system catalogs.
--> Msg 2501, Level 16, State 45, Line 14: Cannot find a table or object with the name "nowhere". Check the system catalog.
--> Msg 5074, Level 16, State 1, Line 15: The statistics 't_day' is dependent on column 'day'.
--> Msg 4922, Level 16, State 9, Line 15: ALTER TABLE DROP COLUMN day failed because one or more objects access this column.
create index t_day_part on t (day, part) include (word)
select name, index_id from sys.indexes where object_id = object_id('t') order by 2
select name, stats_id from sys.stats where object_id = object_id('t') order by 2
drop statistics t.t_day, dbo.t.t_word
begin tran
create statistics t_none on t (filler)
rollback
select name, stats_id from sys.stats where object_id = object_id('t') order by 2
go
--> [name:nvarchar(128) | index_id:int]
--> PK__t__00000000000003EB | 1
--> t_part | 2
--> t_kind | 3
--> t_day_part | 6
--> [name:nvarchar(128) | stats_id:int]
--> PK__t__00000000000003EB | 1
--> t_part | 2
--> t_kind | 3
--> t_word | 4
--> t_day | 5
--> t_day_part | 6
--> _WA_Sys_00000006_000003EA | 32774
--> [name:nvarchar(128) | stats_id:int]
--> PK__t__00000000000003EB | 1
--> t_part | 2
--> t_kind | 3
--> t_day_part | 6
--> _WA_Sys_00000006_000003EA | 32774
-- Behind, and made anew
delete t where id < 1000
insert t select id + 20000, kind, part, day, word, filler from t where id < 2000
select name, modification_counter from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) where s.object_id = object_id('t') order by 1
update statistics t t_kind with fullscan
select name, rows, modification_counter from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) where s.object_id = object_id('t') order by 1
exec sp_updatestats
exec sp_updatestats
update statistics t with sample 1000 rows
update statistics t (t_part) with sample 50 percent, persist_sample_percent = on, norecompute
select s.name, s.no_recompute, s.has_persisted_sample, p.persisted_sample_percent from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p where s.object_id = object_id('t') order by 1
update statistics t with fullscan, all
go
--> [name:nvarchar(128) | modification_counter:bigint]
--> _WA_Sys_00000006_000003EA | 1996
--> PK__t__00000000000003EB | 2000
--> t_day_part | 1996
--> t_kind | 2000
--> t_part | 2000
--> [name:nvarchar(128) | rows:bigint | modification_counter:bigint]
--> _WA_Sys_00000006_000003EA | 9996 | 1996
--> PK__t__00000000000003EB | 10000 | 2000
--> t_day_part | 9996 | 1996
--> t_kind | 10000 | 0
--> t_part | 10000 | 2000
--> # Updating [dbo].[n]
--> #     [PK__n__00000000000003E9] has been updated...
--> #     1 index(es)/statistic(s) have been updated, 0 did not require update.
--> #
--> # Updating [dbo].[t]
--> #     [PK__t__00000000000003EB] has been updated...
--> #     [t_part] has been updated...
--> #     [t_kind], update is not necessary...
--> #     [t_day_part] has been updated...
--> #     [_WA_Sys_00000006_000003EA] has been updated...
--> #     4 index(es)/statistic(s) have been updated, 1 did not require update.
--> #
--> # Updating [dbo].[f]
--> #     [_WA_Sys_00000001_000003EC], update is not necessary...
--> #     [_WA_Sys_00000002_000003EC], update is not necessary...
--> #     0 index(es)/statistic(s) have been updated, 2 did not require update.
--> #
--> # Statistics for all tables have been updated.
--> # Updating [dbo].[n]
--> #     [PK__n__00000000000003E9], update is not necessary...
--> #     0 index(es)/statistic(s) have been updated, 1 did not require update.
--> #
--> # Updating [dbo].[t]
--> #     [PK__t__00000000000003EB], update is not necessary...
--> #     [t_part], update is not necessary...
--> #     [t_kind], update is not necessary...
--> #     [t_day_part], update is not necessary...
--> #     [_WA_Sys_00000006_000003EA], update is not necessary...
--> #     0 index(es)/statistic(s) have been updated, 5 did not require update.
--> #
--> # Updating [dbo].[f]
--> #     [_WA_Sys_00000001_000003EC], update is not necessary...
--> #     [_WA_Sys_00000002_000003EC], update is not necessary...
--> #     0 index(es)/statistic(s) have been updated, 2 did not require update.
--> #
--> # Statistics for all tables have been updated.
--> [name:nvarchar(128) | no_recompute:bit | has_persisted_sample:bit | persisted_sample_percent:float]
--> _WA_Sys_00000006_000003EA | 0 | 0 | 0.0
--> PK__t__00000000000003EB | 0 | 0 | 0.0
--> t_day_part | 0 | 0 | 0.0
--> t_kind | 0 | 0 | 0.0
--> t_part | 1 | 1 | 50.0
-- An empty table has none, a rebuilt index has new ones
create table e (a int, b varchar(10))
create index e_a on e (a)
dbcc show_statistics (e, e_a) with stat_header
dbcc show_statistics (e, e_a) with histogram
insert e select i % 10, 'x' from n
alter index e_a on e rebuild
select rows, steps from sys.dm_db_stats_properties(object_id('e'), 2)
truncate table e
select modification_counter from sys.dm_db_stats_properties(object_id('e'), 2)
go
--> [Name:nvarchar(128) | Updated:nvarchar(128) | Rows:bigint | Rows Sampled:bigint | Steps:smallint | Density:real | Average key length:real | String Index:nchar(3) | Filter Expression:nvarchar(max) | Unfiltered Rows:bigint | Persisted Sample Percent:float]
--> e_a | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [rows:bigint | steps:int]
--> 100 | 10
--> [modification_counter:bigint]
--> NULL
-- A choice is made again when the rows have become others
create table s (id int identity primary key, a int, b int, filler char(60))
create index s_a on s (a)
create index s_b on s (b)
insert s (a, b, filler) select x.i * 100 + y.i, 0, 'x' from n x cross join n y where x.i < 50
go
create procedure look @a int, @b int as select count(filler) as found from s where a = @a and b = @b
go
exec look 5, 0
select case when s.last_logical_reads < 30 then 'few' else 'many' end as pages
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) q where q.text like 'create procedure look%'
update s set b = a
update s set a = 0
exec look 0, 5
select case when s.last_logical_reads < 30 then 'few' else 'many' end as pages
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) q where q.text like 'create procedure look%'
go
--> [found:int]
--> 1
--> [pages:varchar(4)]
--> few
--> [found:int]
--> 1
--> [pages:varchar(4)]
--> few
-- Without automatic updates nothing is made by itself, and where nothing is known the rule stands
alter database figures set auto_update_statistics off
create table o (id int identity primary key, a int, b int, filler char(60))
create index o_a on o (a)
create index o_b on o (b)
insert o (a, b, filler) select x.i * 100 + y.i, 0, 'x' from n x cross join n y where x.i < 50
go
select count(filler) as fixed from o where a = 5
go
--> [fixed:int]
--> 1
select count(filler) as fixed from o where a = 5 and b = 0
go
--> [fixed:int]
--> 1
select rows from sys.dm_db_stats_properties(object_id('o'), 2)
update statistics o
go
--> [rows:bigint]
--> NULL
select count(filler) as fixed from o where b = 0 and a = 5
go
--> [fixed:int]
--> 1
select q.text, case when s.last_logical_reads < 30 then 'few' else 'many' end as pages
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) q
where q.text like 'select count(filler) as fixed%' order by q.text
go
--> [text:nvarchar(max) | pages:varchar(4)]
--> select count(filler) as fixed from o where a = 5 | few
--> select count(filler) as fixed from o where a = 5 and b = 0 | many
--> select count(filler) as fixed from o where b = 0 and a = 5 | few
-- Temporary tables have them as others do (temp_statistics.sql); names are checked
create table #t (a int, b int)
create statistics s on #t (a, b)
create statistics other on #t (c)
go
--> Msg 1911, Level 16, State 1, Line 4: Column name 'c' does not exist in the target table or view.
create statistics s on #none (a)
go
--> Msg 1088, Level 16, State 12, Line 1: Cannot find the object "#none" because it does not exist or you do not have permissions.
