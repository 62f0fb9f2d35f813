-- Names are padded to 128 characters; the server's own prefix; one row of batch requests
select distinct rtrim(object_name) as o from sys.dm_os_performance_counters order by o
select datalength(object_name) as o, datalength(counter_name) as c, datalength(instance_name) as i, cntr_type
from sys.dm_os_performance_counters where counter_name = 'Batch Requests/sec'
go
--> [o:nvarchar(128)]
--> SQLServer:Access Methods
--> SQLServer:Buffer Manager
--> SQLServer:Databases
--> SQLServer:General Statistics
--> SQLServer:Latches
--> SQLServer:Locks
--> SQLServer:Memory Manager
--> SQLServer:SQL Errors
--> SQLServer:SQL Statistics
--> SQLServer:Transactions
--> (10 rows affected)
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
--> Buffer cache hit ratio | 537003264
--> Buffer cache hit ratio base | 1073939712
--> (6 rows affected)
