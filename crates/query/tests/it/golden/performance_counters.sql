-- Names are padded to 128 characters; the server's own prefix; one row of batch requests
-- differs restarts: counters begin anew, and files on a disk have tiers
select distinct rtrim(object_name) as o from sys.dm_os_performance_counters order by o
select datalength(object_name) as o, datalength(counter_name) as c, datalength(instance_name) as i, cntr_type
from sys.dm_os_performance_counters where counter_name = 'Batch Requests/sec'
go
--> [o:nvarchar(128)]
--> LogicalDisk
--> SQLServer:Access Methods
--> SQLServer:Batch Resp Statistics
--> SQLServer:Buffer Manager
--> SQLServer:Buffer Node
--> SQLServer:Databases
--> SQLServer:General Statistics
--> SQLServer:Latches
--> SQLServer:Locks
--> SQLServer:Memory Manager
--> SQLServer:Plan Cache
--> SQLServer:Resource Pool Stats
--> SQLServer:SQL Errors
--> SQLServer:SQL Statistics
--> SQLServer:Transactions
--> SQLServer:Wait Statistics
--> (16 rows affected)
--> [o:int | c:int | i:int | cntr_type:int]
--> 256 | 256 | 256 | 272696576
--> (1 rows affected)
-- Each batch is one request, a procedure called in it is none of its own
declare @before bigint = (select cntr_value from sys.dm_os_performance_counters where counter_name = 'Batch Requests/sec')
exec sp_executesql N'select 1 as one'
select cntr_value - @before as requests from sys.dm_os_performance_counters where counter_name = 'Batch Requests/sec'
select * into #before from sys.dm_os_performance_counters where counter_name = 'Batch Requests/sec'
go
--> [one:int]
--> 1
--> (1 rows affected)
--> [requests:bigint]
--> 0
--> (1 rows affected)
--> (1 rows affected)
select 2 as two
go
--> [two:int]
--> 2
--> (1 rows affected)
select n.cntr_value - b.cntr_value as requests
from sys.dm_os_performance_counters n join #before b on b.counter_name = n.counter_name
go
--> [requests:bigint]
--> 2
--> (1 rows affected)
-- Transactions of a database are those that changed it
create database counted
go
use counted
create table t (a int)
go
select counter_name, cntr_value into #commits from sys.dm_os_performance_counters
where instance_name = 'counted' and counter_name in ('Transactions/sec', 'Write Transactions/sec')
insert t values (1)
begin tran insert t values (2) insert t values (3) commit
begin tran insert t values (4) rollback
select rtrim(n.counter_name) as name, n.cntr_value - c.cntr_value as growth
from sys.dm_os_performance_counters n join #commits c on c.counter_name = n.counter_name
where n.instance_name = 'counted' order by name
use master
drop database counted
go
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [name:nvarchar(128) | growth:bigint]
--> Transactions/sec | 3
--> Write Transactions/sec | 2
--> (2 rows affected)
-- Each ratio and each average is followed by its base
select rtrim(counter_name) as name, cntr_type from sys.dm_os_performance_counters
where cntr_type in (537003264, 1073874176, 1073939712) order by name
go
--> [name:nvarchar(128) | cntr_type:int]
--> Average Latch Wait Time (ms) | 1073874176
--> Average Latch Wait Time Base | 1073939712
--> Average Wait Time (ms) | 1073874176
--> Average Wait Time Base | 1073939712
--> Avg. Disk Bytes/Read | 1073874176
--> Avg. Disk Bytes/Read Base | 1073939712
--> Avg. Disk Bytes/Write | 1073874176
--> Avg. Disk Bytes/Write Base | 1073939712
--> Avg. Disk sec/Read | 1073874176
--> Avg. Disk sec/Read Base | 1073939712
--> Avg. Disk sec/Write | 1073874176
--> Avg. Disk sec/Write Base | 1073939712
--> Buffer cache hit ratio | 537003264
--> Buffer cache hit ratio base | 1073939712
--> (14 rows affected)
-- Volumes: one row each, and the names that people know from their disks
select volume_name, model, case when disk_reads >= 0 and avg_disk_queue_length >= 0 then 'counted' end as io
from sys.dm_millpond_volume_io where volume_name = 'memory'
select rtrim(counter_name) as c, rtrim(instance_name) as i, cntr_type from sys.dm_os_performance_counters
where object_name = 'LogicalDisk' and instance_name = 'memory' order by c
select case when v.disk_writes = c.cntr_value then 'the same' end as writes
from sys.dm_millpond_volume_io v join sys.dm_os_performance_counters c on c.instance_name = v.volume_name
where c.counter_name = 'Avg. Disk Bytes/Write Base' and v.volume_name = 'memory'
select count(*) as on_volumes from sys.dm_os_volume_stats(2, 1)
select name, tier, state_desc, failed_io_count from sys.dm_millpond_file_tiers where database_id = 2 and file_id = 1
go
--> [volume_name:nvarchar(260) | model:nvarchar(60) | io:varchar(7)]
--> memory | ram | counted
--> (1 rows affected)
--> [c:nvarchar(128) | i:nvarchar(128) | cntr_type:int]
--> Avg. Disk Bytes/Read | memory | 1073874176
--> Avg. Disk Bytes/Read Base | memory | 1073939712
--> Avg. Disk Bytes/Write | memory | 1073874176
--> Avg. Disk Bytes/Write Base | memory | 1073939712
--> Avg. Disk sec/Read | memory | 1073874176
--> Avg. Disk sec/Read Base | memory | 1073939712
--> Avg. Disk sec/Write | memory | 1073874176
--> Avg. Disk sec/Write Base | memory | 1073939712
--> Current Disk Queue Length | memory | 65792
--> (9 rows affected)
--> [writes:varchar(8)]
--> the same
--> (1 rows affected)
--> [on_volumes:int]
--> 0
--> (1 rows affected)
--> [name:nvarchar(128) | tier:tinyint | state_desc:nvarchar(60) | failed_io_count:bigint]
--> tempdev | 1 | OPEN | 0
--> (1 rows affected)
