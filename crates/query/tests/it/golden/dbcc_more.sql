-- DBCC commands that say what others take, check constraints and filegroups, and keep tables in order.
-- differs parameters: INPUTBUFFER shows the text as it came
create database dbccs
go
use dbccs
create table parent (id int primary key)
create table child (id int primary key, parent int constraint fk_child references parent (id),
    n int constraint ck_n check (n > 0), name nvarchar(20), d date null,
    constraint [ck ]]name] check (len(name) > 1 or child.n > 5 or d < '2024'))
insert parent values (1), (2)
insert child values (1, 1, 1, 'ab', '2024-01-02')
alter table child nocheck constraint all
insert child values (2, 9, -1, 'a', null), (3, null, null, N'o''', '2024-02-03'), (4, 8, 0, null, null),
    (5, 2, -5, 'a', '2024-05-06')
go
--> (2 rows affected)
--> (1 rows affected)
--> (4 rows affected)
-- All are disabled: only ALL_CONSTRAINTS looks at them, or their names.
dbcc checkconstraints with no_infomsgs
dbcc checkconstraints (child)
go
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
dbcc checkconstraints ('child') with all_constraints, no_infomsgs
go
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[child] | [fk_child] | [parent] = '9'
--> [dbo].[child] | [fk_child] | [parent] = '8'
--> [dbo].[child] | [ck ]]name] | [n] = '-5' AND [name] = 'a' AND [d] = '2024-05-06'
--> [dbo].[child] | [ck_n] | [n] = '-1'
--> [dbo].[child] | [ck_n] | [n] = '0'
--> [dbo].[child] | [ck_n] | [n] = '-5'
dbcc checkconstraints (fk_child) with no_infomsgs
dbcc checkconstraints ('dbo.ck_n') with all_errormsgs, no_infomsgs
go
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[child] | [fk_child] | [parent] = '9'
--> [dbo].[child] | [fk_child] | [parent] = '8'
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[child] | [ck_n] | [n] = '-1'
--> [dbo].[child] | [ck_n] | [n] = '0'
--> [dbo].[child] | [ck_n] | [n] = '-5'
alter table child check constraint ck_n
dbcc checkconstraints with no_infomsgs
declare @id int = object_id('child')
dbcc checkconstraints (@id) with no_infomsgs
go
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[child] | [ck_n] | [n] = '-1'
--> [dbo].[child] | [ck_n] | [n] = '0'
--> [dbo].[child] | [ck_n] | [n] = '-5'
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[child] | [ck_n] | [n] = '-1'
--> [dbo].[child] | [ck_n] | [n] = '0'
--> [dbo].[child] | [ck_n] | [n] = '-5'
dbcc checkconstraints (nothing_there)
go
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "nothing_there". Check the system catalog.
use master
dbcc checkconstraints ('dbccs.dbo.child') with no_infomsgs
select db_name() as still
use dbccs
go
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[child] | [ck_n] | [n] = '-1'
--> [dbo].[child] | [ck_n] | [n] = '0'
--> [dbo].[child] | [ck_n] | [n] = '-5'
--> [still:nvarchar(128)]
--> master
--> (1 rows affected)
dbcc checkcatalog
dbcc checkcatalog (dbccs) with no_infomsgs
dbcc checkcatalog ('no such') with no_infomsgs
go
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> Msg 2520, Level 16, State 5, Line 3: Could not find database 'no such'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
alter database dbccs add filegroup second
go
create table there (a int) on second
insert there values (1)
dbcc checkfilegroup ('second')
dbcc checkfilegroup (2, noindex) with no_infomsgs
dbcc checkfilegroup with no_infomsgs
dbcc checkfilegroup (0) with no_infomsgs
dbcc checkfilegroup (third)
go
--> (1 rows affected)
--> # DBCC results for 'dbccs'.
--> # DBCC results for 'dbo.there'.
--> # There are 1 rows in 1 pages for object "dbo.there".
--> # CHECKFILEGROUP found 0 allocation errors and 0 consistency errors in database 'dbccs'.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> Msg 1921, Level 16, State 4, Line 7: Invalid filegroup 'third' specified.
dbcc updateusage (0)
dbcc updateusage (dbccs, 'child') with no_infomsgs, count_rows
dbcc updateusage ('dbccs', child, 1) with no_infomsgs
go
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
dbcc updateusage (dbccs, 'child', 'no index')
go
--> Msg 7999, Level 16, State 8, Line 1: Could not find any index named 'no index' for table 'child'.
dbcc updateusage (dbccs, 'no table')
go
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "no table". Check the system catalog.
dbcc updateusage ('no such')
go
--> Msg 2520, Level 16, State 5, Line 1: Could not find database 'no such'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
dbcc updateusage
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
dbcc dbreindex ('child', '', 70) with no_infomsgs
select fill_factor from sys.indexes where object_id = object_id('child') and index_id = 1
dbcc dbreindex (child)
dbcc dbreindex (child, 'no index')
go
--> [fill_factor:tinyint]
--> 70
--> (1 rows affected)
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> Msg 7999, Level 16, State 8, Line 4: Could not find any index named 'no index' for table 'child'.
create table wide (a int, b varchar(8000), c varchar(8000))
insert wide select value, replicate('b', 4000), replicate('c', 3000) from generate_series(1, 20)
alter table wide drop column b
dbcc cleantable (dbccs, 'dbo.wide', 0) with no_infomsgs
select page_count from sys.dm_db_index_physical_stats(db_id(), object_id('wide'), null, null, null) where index_id <= 1
dbcc cleantable (0, wide)
select count(*) as n, min(len(c)) as c from wide
dbcc cleantable (0, 'no table')
go
--> (20 rows affected)
--> [page_count:bigint]
--> 10
--> (1 rows affected)
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [n:int | c:int]
--> 20 | 3000
--> (1 rows affected)
--> Msg 2501, Level 16, State 45, Line 8: Cannot find a table or object with the name "no table". Check the system catalog.
declare @statement sysname = 'checkdb'
dbcc help (@statement)
dbcc help ('PROCCACHE') with no_infomsgs
go
--> # dbcc CHECKDB [ ( 'database_name' | database_id | 0 [ , NOINDEX | REPAIR_ALLOW_DATA_LOSS ] ) ]
-->     [ WITH [ NO_INFOMSGS ] [ , ALL_ERRORMSGS ] [ , TABLOCK ] [ , PHYSICAL_ONLY ] ]
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> # dbcc PROCCACHE [ WITH NO_INFOMSGS ]
dbcc help ('?') with no_infomsgs
go
--> # CHECKALLOC
--> # CHECKCATALOG
--> # CHECKCONSTRAINTS
--> # CHECKDB
--> # CHECKFILEGROUP
--> # CHECKIDENT
--> # CHECKTABLE
--> # CLEANTABLE
--> # CLONEDATABASE
--> # DBREINDEX
--> # DROPCLEANBUFFERS
--> # EXTENTINFO
--> # FLUSHAUTHCACHE
--> # FREEPROCCACHE
--> # FREESESSIONCACHE
--> # FREESYSTEMCACHE
--> # HELP
--> # IND
--> # INDEXDEFRAG
--> # INPUTBUFFER
--> # LOGINFO
--> # MEMORYSTATUS
--> # OPENTRAN
--> # PAGE
--> # PROCCACHE
--> # SHOWCONTIG
--> # SHOW_STATISTICS
--> # SHRINKDATABASE
--> # SHRINKFILE
--> # SQLPERF
--> # TRACEOFF
--> # TRACEON
--> # TRACESTATUS
--> # UPDATEUSAGE
--> # USEROPTIONS
dbcc help ('nonsense')
go
--> Msg 8987, Level 16, State 1, Line 1: No help available for DBCC statement 'nonsense'.
dbcc freesystemcache ('ALL') with mark_in_use_for_removal
dbcc freesystemcache ('ALL', default) with no_infomsgs
dbcc freesessioncache with no_infomsgs
dbcc flushauthcache
go
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
create table #cache (a int, b int, c int, d int, e int, f int)
insert #cache exec ('dbcc proccache with no_infomsgs')
select case when a >= b and d >= e then 'some are kept' end as texts from #cache
go
--> (1 rows affected)
--> [texts:varchar(13)]
--> some are kept
--> (1 rows affected)
dbcc inputbuffer (@@spid)
go
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | dbcc inputbuffer (@@spid)
--> (1 rows affected)
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
declare @me int = @@spid
dbcc inputbuffer (@me) with no_infomsgs
select event_type, parameters, left(event_info, 23) as info from sys.dm_exec_input_buffer(@@spid, null)
select event_type from sys.dm_exec_input_buffer(@@spid, 1)
go
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | declare @me int = @@spid
--> dbcc inputbuffer (@me) with no_infomsgs
--> select event_type, parameters, left(event_info, 23) as info from sys.dm_exec_input_buffer(@@spid, null)
--> select event_type from sys.dm_exec_input_buffer(@@spid, 1)
--> (1 rows affected)
--> [event_type:nvarchar(256) | parameters:smallint | info:nvarchar(23)]
--> Language Event | 0 | declare @me int = @@spi
--> (1 rows affected)
--> [event_type:nvarchar(256)]
--> (0 rows affected)
create login inputter with password = 'A long p4ssword' dbcc inputbuffer (@@spid) with no_infomsgs
drop login inputter
go
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | NULL
--> (1 rows affected)
dbcc inputbuffer (32000)
go
--> Msg 7955, Level 16, State 2, Line 1: Invalid SPID 32000 specified.
dbcc inputbuffer
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
use master
drop database dbccs
go
