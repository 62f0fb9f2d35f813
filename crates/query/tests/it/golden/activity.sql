-- The server's activity in one row says what other views say, and a server in memory has no history of it.
create database seen
go
use seen
create table t (id int primary key)
insert t values (1)
select * into #t from t
go
--> (1 rows affected)
--> (1 rows affected)
select case when a.start_time_utc <= a.sample_time_utc and a.uptime_ms >= 0 and a.sample_time_utc <= sysutcdatetime() then 'true' end as times,
    a.sessions - (select count(*) from sys.dm_exec_sessions where session_id > 50) as sessions, a.requests,
    case when a.batches = a.requests_ended + a.requests then 'true' end as counted,
    a.batches - (select cntr_value from sys.dm_os_performance_counters where counter_name = 'Batch Requests/sec') as batches,
    a.compilations - (select cntr_value from sys.dm_os_performance_counters where counter_name = 'SQL Compilations/sec') as compilations,
    a.deadlocks - (select cntr_value from sys.dm_os_performance_counters where counter_name = 'Number of Deadlocks/sec') as deadlocks
from sys.dm_millpond_activity a
select a.transactions - (select cntr_value from sys.dm_os_performance_counters where counter_name = 'Transactions/sec' and instance_name = '_Total') as transactions,
    a.log_flushes - (select cntr_value from sys.dm_os_performance_counters where counter_name = 'Log Flushes/sec' and instance_name = '_Total') as log_flushes,
    a.page_writes - (select cntr_value from sys.dm_os_performance_counters where counter_name = 'Page writes/sec') as page_writes,
    case when a.logical_reads > 0 then 'some' end as logical_reads
from sys.dm_millpond_activity a
go
--> [times:varchar(4) | sessions:bigint | requests:bigint | counted:varchar(4) | batches:bigint | compilations:bigint | deadlocks:bigint]
--> true | 0 | 1 | true | 0 | 0 | 0
--> (1 rows affected)
--> [transactions:bigint | log_flushes:bigint | page_writes:bigint | logical_reads:varchar(4)]
--> 0 | 0 | 0 | some
--> (1 rows affected)
-- Files: what all have written is what was written for all reasons.
select a.file_writes - (select sum(num_of_writes) from sys.dm_io_virtual_file_stats(null, null)) as file_writes,
    a.file_read_bytes - (select sum(num_of_bytes_read) from sys.dm_io_virtual_file_stats(null, null)) as file_read_bytes,
    a.written_log_bytes - (select isnull(sum(bytes_written), 0) from sys.dm_millpond_file_writes where reason = 'log') as log_bytes,
    a.written_growth_bytes - (select isnull(sum(bytes_written), 0) from sys.dm_millpond_file_writes where reason = 'growth') as growth_bytes
from sys.dm_millpond_activity a
go
--> [file_writes:bigint | file_read_bytes:bigint | log_bytes:bigint | growth_bytes:bigint]
--> 0 | 0 | 0 | 0
--> (1 rows affected)
use tempdb
select a.tempdb_user_pages - sum(f.user_object_reserved_page_count) as user_pages,
    a.tempdb_internal_pages - sum(f.internal_object_reserved_page_count) as internal_pages,
    a.tempdb_version_pages - sum(f.version_store_reserved_page_count) as version_pages,
    a.tempdb_mixed_pages - sum(f.mixed_extent_page_count) as mixed_pages,
    a.tempdb_free_pages - sum(f.unallocated_extent_page_count) as free_pages, case when a.tempdb_user_pages > 0 then 'some' end as used
from sys.dm_millpond_activity a cross join sys.dm_db_file_space_usage f
group by a.tempdb_user_pages, a.tempdb_internal_pages, a.tempdb_version_pages, a.tempdb_mixed_pages, a.tempdb_free_pages
use seen
go
--> [user_pages:bigint | internal_pages:bigint | version_pages:bigint | mixed_pages:bigint | free_pages:bigint | used:varchar(4)]
--> 0 | 0 | 0 | 0 | 0 | some
--> (1 rows affected)
-- Every figure is a column of both, in the same order; a total is whole, the average of a level is not.
select count(*) as apart from sys.all_columns a full join sys.all_columns h on h.object_id = object_id('sys.dm_millpond_history')
    and h.name = a.name and h.column_id = a.column_id + 3
where a.object_id = object_id('sys.dm_millpond_activity') and a.column_id > 3 and h.name is null
select type_name(h.system_type_id) as type, h.is_nullable, case when count(*) > 10 then 'many' end as columns
from sys.all_columns a join sys.all_columns h on h.object_id = object_id('sys.dm_millpond_history') and h.name = a.name
where a.object_id = object_id('sys.dm_millpond_activity') group by h.system_type_id, h.is_nullable order by type
select is_recording, reason, samples_taken, sampling_cpu_us, size_bytes, samples_kept, samples_damaged, oldest_time_utc, newest_time_utc from sys.dm_millpond_history_state
select begin_time_utc, covered_s, down_s, starts, crashes, batches, sessions from sys.dm_millpond_history(null, null, null)
select count(*) as [rows] from sys.dm_millpond_history_statements(sysutcdatetime(), null, 1)
select count(*) as [rows] from sys.dm_millpond_history_waits('2026-01-01', '2025-01-01', 0)
select count(*) as [rows] from sys.dm_millpond_history_files(null, '2026-01-01', -5)
go
--> [apart:int]
--> 0
--> (1 rows affected)
--> [type:nvarchar(128) | is_nullable:bit | columns:varchar(4)]
--> bigint | 1 | many
--> float | 1 | many
--> (2 rows affected)
--> [is_recording:bit | reason:nvarchar(512) | samples_taken:bigint | sampling_cpu_us:bigint | size_bytes:bigint | samples_kept:bigint | samples_damaged:bigint | oldest_time_utc:datetime2(7) | newest_time_utc:datetime2(7)]
--> 0 | NULL | 0 | 0 | 0 | 0 | 0 | NULL | NULL
--> (1 rows affected)
--> [begin_time_utc:datetime2(7) | covered_s:float | down_s:float | starts:int | crashes:int | batches:bigint | sessions:float]
--> (0 rows affected)
--> [rows:int]
--> 0
--> (1 rows affected)
--> [rows:int]
--> 0
--> (1 rows affected)
--> [rows:int]
--> 0
--> (1 rows affected)
-- Who may not see the server's state sees none of it.
create login drop_by with password = 'Secret-of-the-test-1'
create user drop_by for login drop_by
execute as user = 'drop_by'
select batches from sys.dm_millpond_activity
select batches from sys.dm_millpond_history(null, null, null)
revert
go
--> Msg 300, Level 14, State 1, Line 5: VIEW SERVER STATE permission was denied on object 'server', database 'master'.
--> Msg 297, Level 16, State 1, Line 5: The user does not have permission to perform this action.
--> Msg 300, Level 14, State 1, Line 6: VIEW SERVER STATE permission was denied on object 'server', database 'master'.
--> Msg 297, Level 16, State 1, Line 6: The user does not have permission to perform this action.
drop user drop_by
drop login drop_by
use master
drop database seen
go
