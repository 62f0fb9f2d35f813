-- The account: views, functions, DBCC, procedures. Only what is the same at every run is shown.
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
create table #t (c char(8000) not null)
insert #t values ('a')
insert #t select c from #t
insert #t select c from #t
insert #t select c from #t
insert #t select c from #t
select user_objects_alloc_page_count as alloc from sys.dm_db_task_space_usage where session_id = @@spid
select sum(user_object_reserved_page_count) as reserved from tempdb.sys.dm_db_file_space_usage
select page_type, count(*) as pages from sys.dm_os_buffer_descriptors where allocation_unit_id = object_id('tempdb..#t') group by page_type order by page_type
dbcc extentinfo(tempdb, '#t') with no_infomsgs
drop table #t
select sum(user_object_reserved_page_count) as reserved from tempdb.sys.dm_db_file_space_usage
select isnull(sum(writes), 0) as data_writes from sys.dm_millpond_file_writes where database_id = 2 and file_id = 1 and reason <> 'header'
go
dbcc traceon(1118, -1)
dbcc tracestatus(-1) with no_infomsgs
dbcc traceoff(1118, -1) with no_infomsgs
dbcc tracestatus(-1) with no_infomsgs
dbcc sqlperf('sys.dm_os_wait_stats', clear) with no_infomsgs
dbcc dropcleanbuffers with no_infomsgs
dbcc nonsense
go
exec sp_configure 'tempdb eager', 1
reconfigure
exec sp_configure 'tempdb eager'
exec sp_configure 'tempdb eager', 7
exec sp_configure 'no such option'
checkpoint
go
alter database tempdb add file (name = extra, size = 8MB, filegrowth = 1MB)
alter database tempdb modify file (name = extra, size = 16MB)
alter database tempdb modify file (name = extra, size = 1MB)
alter database tempdb modify file (name = nobody, size = 99MB)
alter database tempdb modify file (name = extra, newname = more)
alter database tempdb remove file more
alter database tempdb remove file tempdev
alter database tempdb add file (name = tempdev)
go
set statistics io on
create table #s (id int)
insert #s values (1), (2)
set statistics io off
drop table #s
go
exec sp_executesql N'select @a + @b as s', N'@a int, @b int', 1, @b = 2
declare @out int
exec sp_executesql N'set @x = 42', N'@x int output', @x = @out output
select @out as o
exec ('select 1' + ' as one')
go
