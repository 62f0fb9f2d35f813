-- differs clustered, secondary: its tables have other indexes there
-- Statistics that come because a plan asks about a column
create database columns_asked
go
use columns_asked
set nocount on
-- `kind` has values of very different frequency, `day` has 500, every other `note` is NULL
create table sold (id int not null primary key, kind int, day date, note varchar(20), amount decimal(9, 2), story nvarchar(max), twice as kind * 2)
insert sold (id, kind, day, note, amount, story) select value, case when value % 10 < 7 then 0 else value % 100 / 10 + 1 end, dateadd(day, value % 500, '20240101'), case when value % 2 = 0 then 'n' + cast(value % 40 as varchar(4)) end, value % 97, N's' from generate_series(1, 5000)
create table kinds (kind int not null, name varchar(20) not null)
insert kinds select value, 'k' + cast(value as varchar(4)) from generate_series(0, 1999)
create table few (a int, b int)
insert few select value, value % 3 from generate_series(1, 8)
create table none_yet (a int)
go
create view automatic as
select object_name(s.object_id) as tab, c.name as col,
  case when s.name = '_WA_Sys_' + convert(char(8), convert(varbinary(4), c.column_id), 2) + '_' + convert(char(8), convert(varbinary(4), s.object_id), 2) then 'by its column' else s.name end as named,
  s.user_created, s.no_recompute, p.rows, p.modification_counter as changes
from sys.stats s join sys.stats_columns sc on sc.object_id = s.object_id and sc.stats_id = s.stats_id
join sys.columns c on c.object_id = sc.object_id and c.column_id = sc.column_id
outer apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p
where s.auto_created = 1 and sc.stats_column_id = 1
go
-- Nobody has asked; a statement that is run without a plan does not
select note from sold where id = 17 and kind = 0
select * from automatic order by tab, col
-- Filters, joins and groups ask; large values, what is computed when it is read, and tables without rows have none
select count(*) as n from sold s join kinds k on k.kind = s.kind where s.day >= '20250101' and s.amount <> 5
select note, count(*) as n from sold where story like N's%' and twice = 0 group by note having count(*) > 1000
select a, count(*) as n from few group by a having count(*) > 1
select a, count(*) as n from none_yet group by a having count(*) > 1
select * from automatic order by tab, col
go
--> [note:varchar(20)]
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> [n:int]
--> 1325
--> [note:varchar(20) | n:int]
--> NULL | 1500
--> [a:int | n:int]
--> [a:int | n:int]
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> few | a | by its column | 0 | 0 | 8 | 0
--> kinds | kind | by its column | 0 | 0 | 2000 | 0
--> sold | amount | by its column | 0 | 0 | 5000 | 0
--> sold | day | by its column | 0 | 0 | 5000 | 0
--> sold | kind | by its column | 0 | 0 | 5000 | 0
--> sold | note | by its column | 0 | 0 | 5000 | 0
-- What they say
declare @sold int = object_id('sold'), @kind sysname
select @kind = name from sys.stats where object_id = @sold and auto_created = 1 and stats_id = 32768 + 2
dbcc show_statistics (sold, kind) with histogram
dbcc show_statistics (sold, @kind) with density_vector
dbcc show_statistics (sold, story)
select step_number, range_high_key, equal_rows from sys.dm_db_stats_histogram(@sold, 32768 + 4) where step_number < 3
select case when stats_date(@sold, 32768 + 2) <= getdate() then 'made' end as made
go
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 0 | 0.0 | 3500.0 | 0 | 1.0
--> 1 | 0.0 | 150.0 | 0 | 1.0
--> 2 | 0.0 | 150.0 | 0 | 1.0
--> 3 | 0.0 | 150.0 | 0 | 1.0
--> 4 | 0.0 | 150.0 | 0 | 1.0
--> 5 | 0.0 | 150.0 | 0 | 1.0
--> 6 | 0.0 | 150.0 | 0 | 1.0
--> 7 | 0.0 | 150.0 | 0 | 1.0
--> 8 | 0.0 | 150.0 | 0 | 1.0
--> 9 | 0.0 | 150.0 | 0 | 1.0
--> 10 | 0.0 | 150.0 | 0 | 1.0
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [All density:real | Average Length:real | Columns:nvarchar(4000)]
--> 0.090909094 | 4.0 | kind
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> Msg 2767, Level 16, State 1, Line 6: Could not locate statistics 'story' in the system catalogs.
--> [step_number:int | range_high_key:sql_variant | equal_rows:real]
--> 1 | NULL | 2500.0
--> 2 | n0 | 125.0
--> [made:varchar(4)]
--> made
create table #listed (name sysname, keys nvarchar(2126))
insert #listed exec sp_helpstats sold, 'all'
select keys from #listed order by keys
drop table #listed
go
--> [keys:nvarchar(2126)]
--> amount
--> day
--> id
--> kind
--> note
-- By their names they are as others are; a name that is there is not given again
declare @name sysname, @text nvarchar(400)
select @name = name from sys.stats where object_id = object_id('sold') and auto_created = 1 and stats_id = 32768 + 2
set @text = N'update statistics sold ' + @name + N' with fullscan, norecompute'
exec (@text)
select * from automatic where col = 'kind' and tab = 'sold'
set @text = N'update statistics sold ' + @name
exec (@text)
select * from automatic where col = 'kind' and tab = 'sold'
set @text = N'begin try create statistics ' + @name + N' on sold (kind) end try begin catch select error_number() as number end catch'
exec (@text)
set @text = N'drop statistics sold.' + @name
exec (@text)
select * from automatic order by tab, col
exec (@text)
go
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> sold | kind | by its column | 0 | 1 | 5000 | 0
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> sold | kind | by its column | 0 | 0 | 5000 | 0
--> [number:int]
--> 1927
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> few | a | by its column | 0 | 0 | 8 | 0
--> kinds | kind | by its column | 0 | 0 | 2000 | 0
--> sold | amount | by its column | 0 | 0 | 5000 | 0
--> sold | day | by its column | 0 | 0 | 5000 | 0
--> sold | note | by its column | 0 | 0 | 5000 | 0
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the statistics 'sold._WA_Sys_00000002_000003E8', because it does not exist or you do not have permission.
-- They come again
select count(*) as n from sold s join kinds k on k.kind = s.kind where k.name = 'k3'
select * from automatic order by tab, col
go
--> [n:int]
--> 150
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> few | a | by its column | 0 | 0 | 8 | 0
--> kinds | kind | by its column | 0 | 0 | 2000 | 0
--> kinds | name | by its column | 0 | 0 | 2000 | 0
--> sold | amount | by its column | 0 | 0 | 5000 | 0
--> sold | day | by its column | 0 | 0 | 5000 | 0
--> sold | kind | by its column | 0 | 0 | 5000 | 0
--> sold | note | by its column | 0 | 0 | 5000 | 0
-- Made anew after changes, as those of indexes are, by who asks next
update sold set amount = amount + 1, note = note where id <= 3000
select col, changes from automatic where tab = 'sold' order by col
select amount, count(*) as n from sold group by amount having count(*) > 1000
select changes from automatic where tab = 'sold' and col = 'amount'
update sold set note = 'x' where id <= 100
update statistics sold with columns
select changes from automatic where tab = 'sold' and col = 'note'
go
--> [col:nvarchar(128) | changes:bigint]
--> amount | 3000
--> day | 0
--> kind | 0
--> note | 0
--> [amount:decimal(9,2) | n:int]
--> [changes:bigint]
--> 0
--> [changes:bigint]
--> 0
-- Not where the database has it off, nor renewed where it has that off
alter database columns_asked set auto_create_statistics off
select is_auto_create_stats_on from sys.databases where name = 'columns_asked'
create table later (a int, b int)
insert later select value, value % 7 from generate_series(1, 3000)
go
--> [is_auto_create_stats_on:bit]
--> 0
select b, count(*) as n from later group by b having count(*) > 2000
select * from automatic where tab = 'later'
alter database columns_asked set auto_create_statistics on, auto_update_statistics off
go
--> [b:int | n:int]
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
select b, count(*) as n from later group by b having count(*) > 2001
select * from automatic where tab = 'later'
update later set b = 1
select b, count(*) as n from later group by b having count(*) > 2002
select * from automatic where tab = 'later'
alter database columns_asked set auto_update_statistics on
go
--> [b:int | n:int]
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> later | b | by its column | 0 | 0 | 3000 | 0
--> [b:int | n:int]
--> 1 | 3000
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> later | b | by its column | 0 | 0 | 3000 | 2571
-- A column that goes takes them with it, TRUNCATE takes all
alter table later drop column b
select * from automatic where tab = 'later'
truncate table kinds
select * from automatic order by tab, col
alter table sold rebuild
select * from automatic order by tab, col
go
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> few | a | by its column | 0 | 0 | 8 | 0
--> sold | amount | by its column | 0 | 0 | 5000 | 0
--> sold | day | by its column | 0 | 0 | 5000 | 0
--> sold | kind | by its column | 0 | 0 | 5000 | 0
--> sold | note | by its column | 0 | 0 | 5000 | 0
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> few | a | by its column | 0 | 0 | 8 | 0
--> sold | amount | by its column | 0 | 0 | 5000 | 0
--> sold | day | by its column | 0 | 0 | 5000 | 0
--> sold | kind | by its column | 0 | 0 | 5000 | 0
--> sold | note | by its column | 0 | 0 | 5000 | 0
-- Those of an index or of CREATE STATISTICS are enough
create table known (a int, b int, c int)
insert known select value % 10, value % 20, value % 30 from generate_series(1, 2000)
create statistics by_hand on known (b)
create index known_a on known (a)
select a, b, c, count(*) as n from known group by a, b, c having count(*) > 100
select * from automatic where tab = 'known'
go
--> [a:int | b:int | c:int | n:int]
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128) | user_created:bit | no_recompute:bit | rows:bigint | changes:bigint]
--> known | c | by its column | 0 | 0 | 2000 | 0
-- Whoever may read makes them; who may not alter the table drops none
create user reader without login
grant select on sold to reader
grant showplan to reader
execute as user = 'reader'
select note, count(*) as n from sold group by note having count(*) > 1000
declare @text nvarchar(400) = N'drop statistics sold._WA_Sys_00000004_' + convert(char(8), convert(varbinary(4), object_id('sold')), 2)
begin try exec (@text) end try begin catch select error_number() as number end catch
begin try update statistics sold end try begin catch select error_number() as number end catch
revert
select tab, col, named from automatic order by tab, col
go
--> [note:varchar(20) | n:int]
--> NULL | 2450
--> [number:int]
--> 3701
--> [number:int]
--> 1088
--> [tab:nvarchar(128) | col:nvarchar(128) | named:nvarchar(128)]
--> few | a | by its column
--> known | c | by its column
--> sold | amount | by its column
--> sold | day | by its column
--> sold | kind | by its column
--> sold | note | by its column
use master
drop database columns_asked
go
