-- ALTER TABLE … REBUILD WITH: the options are those of the clustered index. What no index has is 155.
-- differs secondary: sys.indexes lists the indexes that are made beside
create database alter_table_rebuild
go
use alter_table_rebuild
set nocount on
create table t (a int not null constraint pk primary key (a), b int)
create index i on t (b)
create table h (a int)
insert t values (1, 1), (2, 2)
alter table t rebuild with (ignore_dup_key = on, fillfactor = 70)
insert t values (1, 5), (3, 3)
select a, b from t order by a
select name, ignore_dup_key, fill_factor from sys.indexes where object_id = object_id ('t') order by index_id
alter table t rebuild
alter table t rebuild partition = all with (data_compression = page)
alter table h rebuild with (data_compression = row)
select name, ignore_dup_key, fill_factor from sys.indexes where object_id = object_id ('t') order by index_id
alter table t rebuild with (ignore_dup_key = off)
create table #t (a int primary key)
alter table #t rebuild with (ignore_dup_key = on)
insert #t values (1), (1)
select a from #t
go
--> # Duplicate key was ignored.
--> [a:int | b:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> [name:nvarchar(128) | ignore_dup_key:bit | fill_factor:tinyint]
--> pk | 1 | 70
--> i | 0 | 0
--> [name:nvarchar(128) | ignore_dup_key:bit | fill_factor:tinyint]
--> pk | 1 | 70
--> i | 0 | 0
--> # Duplicate key was ignored.
--> [a:int]
--> 1
insert t values (1, 6)
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'pk'. Cannot insert duplicate key in object 'dbo.t'. The duplicate key value is (1).
--> # The statement has been terminated.
alter table t rebuild with (bad = 1)
go
--> Msg 155, Level 15, State 1, Line 1: 'bad' is not a recognized ALTER TABLE REBUILD option.
alter index i on t rebuild with (bad = on)
go
--> Msg 155, Level 15, State 1, Line 1: 'bad' is not a recognized ALTER INDEX REBUILD option.
alter index i on t set (bad = on)
go
--> Msg 155, Level 15, State 1, Line 1: 'bad' is not a recognized ALTER INDEX SET option.
create index j on t (b) with (ignore_dup_keys = on)
go
--> Msg 155, Level 15, State 1, Line 1: 'ignore_dup_keys' is not a recognized CREATE INDEX option.
create index j on t (b) with (online = on, sort_in_tempdb = on, maxdop = 2, data_compression = none)
select name from sys.system_views where name in ('dm_exec_sessions', 'dm_pdw_nodes_exec_sessions', 'tables')
select count (*) as n from sys.all_views where name not in (select name from sys.system_views) and name not in (select name from sys.views)
go
--> [name:nvarchar(128)]
--> dm_exec_sessions
--> tables
--> TABLES
--> [n:int]
--> 0
