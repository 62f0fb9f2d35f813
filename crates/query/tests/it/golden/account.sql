-- differs clustered, secondary: STATISTICS IO counts the reads of the table as it is
-- The account: views, functions, DBCC, procedures. Only what is the same at every run is shown.
-- differs restarts: a server that did not end in order reads its files at the start
set nocount on
select name, database_id, state_desc, recovery_model_desc from sys.databases order by database_id
select count(*) as files from ::fn_virtualfilestats(2, 1) union all select count(*) from ::fn_virtualfilestats(2, 2)
select DbId, FileId from ::fn_virtualfilestats(2, -1) where FileId = 2
select count(*) as n from sys.fn_virtualfilestats(default, null) where DbId = 1
select database_id, file_id, num_of_bytes_written from sys.dm_io_virtual_file_stats(db_id('tempdb'), 1)
select type_desc, state_desc from sys.master_files where database_id = 2 and file_id < 3 order by file_id
select name from tempdb.sys.database_files where type = 1
select count(*) as one from sys.dm_exec_sessions where session_id = @@spid and status = 'running'
select command, status from sys.dm_exec_requests where session_id = @@spid
select wait_type from sys.dm_os_wait_stats where wait_type in ('PAGELATCH_UP', 'WRITELOG') order by wait_type
select name, value_in_use from sys.configurations where name like 'tempdb%' order by name
go
--> [name:nvarchar(128) | database_id:int | state_desc:nvarchar(60) | recovery_model_desc:nvarchar(60)]
--> master | 1 | ONLINE | SIMPLE
--> tempdb | 2 | ONLINE | SIMPLE
--> model | 3 | ONLINE | FULL
--> msdb | 4 | ONLINE | SIMPLE
--> [files:int]
--> 1
--> 1
--> [DbId:smallint | FileId:smallint]
--> 2 | 2
--> [n:int]
--> 2
--> [database_id:smallint | file_id:smallint | num_of_bytes_written:bigint]
--> 2 | 1 | 0
--> [type_desc:nvarchar(60) | state_desc:nvarchar(60)]
--> ROWS | ONLINE
--> LOG | ONLINE
--> [name:nvarchar(128)]
--> templog
--> [one:int]
--> 1
--> [command:nvarchar(32) | status:nvarchar(30)]
--> SELECT | running
--> [wait_type:nvarchar(60)]
--> PAGELATCH_UP
--> WRITELOG
--> [name:nvarchar(35) | value_in_use:int]
--> tempdb eager writes | 0
--> tempdb forward-only extent search | 0
--> tempdb metadata memory-optimized | 0
--> tempdb session limit (MB) | 0
create table #t (c char(8000) not null)
insert #t values ('a')
insert #t select c from #t
insert #t select c from #t
insert #t select c from #t
insert #t select c from #t
select user_objects_alloc_page_count as alloc from sys.dm_db_task_space_usage where session_id = @@spid
select sum(user_object_reserved_page_count) as reserved from tempdb.sys.dm_db_file_space_usage
select b.page_type, count(*) as pages from tempdb.sys.partitions as p join tempdb.sys.allocation_units as a on a.container_id = p.hobt_id
join sys.dm_os_buffer_descriptors as b on b.allocation_unit_id = a.allocation_unit_id where p.object_id = object_id('tempdb..#t') group by b.page_type order by b.page_type
dbcc extentinfo(tempdb, '#t') with no_infomsgs
drop table #t
select sum(user_object_reserved_page_count) as reserved from tempdb.sys.dm_db_file_space_usage
select isnull(sum(writes), 0) as data_writes from sys.dm_millpond_file_writes where database_id = 2 and file_id = 1 and reason <> 'header'
go
--> [alloc:bigint]
--> 24
--> [reserved:bigint]
--> 160
--> [page_type:nvarchar(60) | pages:int]
--> DATA_PAGE | 16
--> IAM_PAGE | 2
--> [file_id:smallint | page_id:int | pg_alloc:int | ext_size:int | object_id:int | index_id:int | partition_number:int | partition_id:bigint | iam_chain_type:varchar(20) | pfs_bytes:varbinary(10)]
--> 1 | 88 | 8 | 8 | -2147483648 | 0 | 1 | -2147483648 | In-row data | 0x4444444444444444
--> 1 | 96 | 8 | 8 | -2147483648 | 0 | 1 | -2147483648 | In-row data | 0x4444444444444444
--> 3 | 88 | 0 | 8 | -2147483648 | 0 | 1 | -2147483648 | In-row data | 0x0000000000000000
--> [reserved:bigint]
--> 136
--> [data_writes:bigint]
--> 0
dbcc traceon(1118, -1)
dbcc tracestatus(-1) with no_infomsgs
dbcc traceoff(1118, -1) with no_infomsgs
dbcc tracestatus(-1) with no_infomsgs
dbcc sqlperf('sys.dm_os_wait_stats', clear) with no_infomsgs
dbcc dropcleanbuffers with no_infomsgs
dbcc nonsense
go
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [TraceFlag:smallint | Status:smallint | Global:smallint | Session:smallint]
--> 1118 | 1 | 1 | 0
--> [TraceFlag:smallint | Status:smallint | Global:smallint | Session:smallint]
--> Msg 2526, Level 16, State 3, Line 7: Incorrect DBCC statement. Check the documentation for the correct DBCC syntax and options.
exec sp_configure 'tempdb eager', 1
reconfigure
exec sp_configure 'tempdb eager'
exec sp_configure 'tempdb eager', 7
exec sp_configure 'no such option'
checkpoint
go
--> # Configuration option 'tempdb eager writes' changed from 0 to 1. Run the RECONFIGURE statement to install.
--> [name:nvarchar(35) | minimum:int | maximum:int | config_value:int | run_value:int]
--> tempdb eager writes | 0 | 1 | 1 | 1
--> Msg 15129, Level 16, State 1, Line 4: '7' is not a valid value for configuration option 'tempdb eager writes'.
--> Msg 15123, Level 16, State 1, Line 5: The configuration option 'no such option' does not exist, or it may be an advanced option.
alter database tempdb add file (name = extra, size = 8MB, filegrowth = 1MB)
alter database tempdb modify file (name = extra, size = 16MB)
alter database tempdb modify file (name = extra, size = 1MB)
alter database tempdb modify file (name = nobody, size = 99MB)
alter database tempdb modify file (name = extra, newname = more)
alter database tempdb remove file more
alter database tempdb remove file tempdev
alter database tempdb add file (name = tempdev)
go
--> Msg 5039, Level 16, State 1, Line 3: MODIFY FILE failed. Specified size is less than or equal to current size.
--> Msg 5041, Level 16, State 1, Line 4: MODIFY FILE failed. File 'nobody' does not exist.
--> # The file name 'more' has been set.
--> # The file 'more' has been removed.
--> Msg 5020, Level 16, State 1, Line 7: The primary data or log file cannot be removed from a database. ('tempdev')
--> Msg 1828, Level 16, State 1, Line 8: The logical file name "tempdev" is already in use. Choose a different name.
set statistics io on
create table #s (id int)
insert #s values (1), (2)
set statistics io off
drop table #s
go
--> # Table '#s__________________________________________________________________________________________________________________000080000001'. Scan count 0, logical reads 5, physical reads 0, page server reads 0, read-ahead reads 0, page server read-ahead reads 0, lob logical reads 0, lob physical reads 0, lob page server reads 0, lob read-ahead reads 0, lob page server read-ahead reads 0.
exec sp_executesql N'select @a + @b as s', N'@a int, @b int', 1, @b = 2
declare @out int
exec sp_executesql N'set @x = 42', N'@x int output', @x = @out output
select @out as o
exec ('select 1' + ' as one')
go
--> [s:int]
--> 3
--> [o:int]
--> 42
--> [one:int]
--> 1
-- one text, two sets of parameter types; one text in two databases
exec sp_executesql N'select @a as a', N'@a int', 1
exec sp_executesql N'select @a as a', N'@a varchar(5)', 'x'
exec ('select count(*) as logs from sys.database_files where file_id = 2 and name = ''templog''')
go
--> [a:int]
--> 1
--> [a:varchar(5)]
--> x
--> [logs:int]
--> 0
use tempdb
go
exec ('select count(*) as logs from sys.database_files where file_id = 2 and name = ''templog''')
use master
go
--> [logs:int]
--> 1
-- S0's move of 2006: there are no drives here, and the file stays where it is
ALTER DATABASE tempdb
      MODIFY FILE ( NAME = tempdev , FILENAME = 'f:\sql2000\tempdev.mdf' )
go
--> Msg 5133, Level 16, State 1, Line 2: Directory lookup for the file "f:\sql2000\tempdev.mdf" failed with the operating system error 2(this system has no drive letters).
create table #space (c char(8000))
insert #space values ('x')
exec tempdb..sp_spaceused '#space'
drop table #space
go
--> [name:nvarchar(128) | rows:char(20) | reserved:varchar(18) | data:varchar(18) | index_size:varchar(18) | unused:varchar(18)]
--> #space______________________________________________________________________________________________________________000080000002 | 1 | 72 KB | 8 KB | 8 KB | 56 KB
