-- Views of the server and its machine, and views under their names of SQL Server 2000, against what else says the same.
create database seen
go
use seen
create table t (id int primary key, a int, b int)
create index i on t (a, b) include (id)
insert t values (1, 2, 3)
go
--> (1 rows affected)
select case when cpu_count = (select count(*) from sys.dm_os_schedulers) and scheduler_count = cpu_count
    and ms_ticks >= sqlserver_start_time_ms_ticks and cpu_ticks / ms_ticks = 1000000
    and sqlserver_start_time = (select create_date from sys.databases where name = 'tempdb')
    and physical_memory_kb = (select total_physical_memory_kb from sys.dm_os_sys_memory)
    and socket_count >= 1 and max_workers_count >= 512 then 'true' end as info from sys.dm_os_sys_info
select host_platform, case when host_distribution <> '' and host_architecture <> '' then 'named' end as named from sys.dm_os_host_info
select count(*) as windows from sys.dm_os_windows_info
select case when physical_memory_in_use_kb > 0 and page_fault_count > 0 and virtual_address_space_reserved_kb >= physical_memory_in_use_kb
    and memory_utilization_percentage between 1 and 100 then 'true' end as memory from sys.dm_os_process_memory
select sum(current_tasks_count) as tasks, min(status) as status from sys.dm_os_schedulers
go
--> [info:varchar(4)]
--> true
--> (1 rows affected)
--> [host_platform:nvarchar(256) | named:varchar(5)]
--> Linux | named
--> (1 rows affected)
--> [windows:int]
--> 0
--> (1 rows affected)
--> [memory:varchar(4)]
--> true
--> (1 rows affected)
--> [tasks:int | status:nvarchar(60)]
--> 1 | VISIBLE ONLINE
--> (1 rows affected)
select server_id, case name when @@servername then 'own' end as name, is_linked, (select count(*) from sysservers where srvname = @@servername) as old
from sys.servers
select endpoint_id, protocol_desc, type_desc, state_desc, (select port from sys.tcp_endpoints) as port from sys.endpoints
go
--> [server_id:int | name:varchar(3) | is_linked:bit | old:int]
--> 0 | own | 0 | 1
--> (1 rows affected)
--> [endpoint_id:int | protocol_desc:nvarchar(60) | type_desc:nvarchar(60) | state_desc:nvarchar(60) | port:int]
--> 4 | TCP | TSQL | STARTED | 0
--> (1 rows affected)
-- What sessions do, in two views.
select p.spid - @@spid as own, rtrim(p.cmd) as cmd, rtrim(p.status) as status, db_name(p.dbid) as db, p.uid, p.open_tran, p.blocked,
    case rtrim(p.loginame) when suser_sname() then 'own' end as login, datalength(p.hostname) as bytes
from sysprocesses p where p.spid = @@spid
begin transaction
select p.open_tran, r.open_transaction_count from sys.sysprocesses p join sys.dm_exec_requests r on r.session_id = p.spid where p.spid = @@spid
rollback
select substring(t.text, p.stmt_start / 2 + 1, 16) as statement from master..sysprocesses p cross apply sys.dm_exec_sql_text(p.sql_handle) t
where p.spid = @@spid
go
--> [own:smallint | cmd:nvarchar(26) | status:nvarchar(30) | db:nvarchar(128) | uid:smallint | open_tran:smallint | blocked:smallint | login:varchar(3) | bytes:int]
--> 0 | SELECT | runnable | seen | 1 | 0 | 0 | own | 256
--> (1 rows affected)
--> [open_tran:smallint | open_transaction_count:int]
--> 1 | 1
--> (1 rows affected)
--> [statement:nvarchar(max)]
--> select substring
--> (1 rows affected)
-- Options, messages, counters and files under two names.
select count(*) as differ from sys.configurations c full join sysconfigures o on o.config = c.configuration_id
    full join sys.syscurconfigs n on n.config = c.configuration_id
where c.value <> o.value or c.value_in_use <> n.value or c.value is null or o.value is null or n.value is null
select error, severity, dlevel, description, msglangid from sysmessages where error = 208
select count(*) as differ from sys.sysmessages o full join sys.messages m on m.message_id = o.error and m.language_id = o.msglangid
where o.severity <> m.severity or o.error is null or m.message_id is null or left(m.text, 255) <> o.description
select count(*) as differ from sysperfinfo o full join sys.dm_os_performance_counters c
    on c.object_name = o.object_name and c.counter_name = o.counter_name and c.instance_name = o.instance_name
where o.cntr_type <> c.cntr_type or o.cntr_type is null or c.cntr_type is null
select count(*) as differ from sysaltfiles o full join sys.master_files f on f.database_id = o.dbid and f.file_id = o.fileid
where o.name <> f.name or o.growth <> f.growth or o.name is null or f.name is null
select groupid, status, groupname from sysfilegroups
select object_name(k.id) as t, case x.name when 'i' then x.name end as name, k.colid, k.keyno from sysindexkeys k join sysindexes x on x.id = k.id and x.indid = k.indid where k.id = object_id('t') and x.name not like 'way%' order by 2, 4, 3
go
--> [differ:int]
--> 0
--> (1 rows affected)
--> [error:int | severity:tinyint | dlevel:smallint | description:nvarchar(255) | msglangid:smallint]
--> 208 | 16 | 0 | Invalid object name '%.*ls'. | 1033
--> (1 rows affected)
--> [differ:int]
--> 0
--> (1 rows affected)
--> [differ:int]
--> 0
--> (1 rows affected)
--> [differ:int]
--> 0
--> (1 rows affected)
--> [groupid:smallint | status:int | groupname:nvarchar(128)]
--> 1 | 16 | PRIMARY
--> (1 rows affected)
--> [t:nvarchar(128) | name:nvarchar(128) | colid:smallint | keyno:smallint]
--> t | NULL | 1 | 1
--> t | i | 1 | 0
--> t | i | 2 | 1
--> t | i | 3 | 2
--> (4 rows affected)
-- What is not recorded is empty.
select (select count(*) from sys.dm_db_missing_index_details) + (select count(*) from sys.column_store_segments)
    + (select count(*) from sys.server_event_sessions) + (select count(*) from sys.traces) + (select count(*) from sys.backup_devices) as n
go
--> [n:int]
--> 1
--> (1 rows affected)
-- A user sees his own session alone, and no machine.
create user u without login
execute as user = 'u'
select count(*) as seen, min(spid) - @@spid as own from sysprocesses
select count(*) as host from sys.dm_os_host_info
go
--> [seen:int | own:smallint]
--> 1 | 0
--> (1 rows affected)
--> [host:int]
--> 1
--> (1 rows affected)
select * from sys.dm_os_sys_info
go
--> Msg 300, Level 14, State 1, Line 1: VIEW SERVER STATE permission was denied on object 'server', database 'master'.
--> Msg 297, Level 16, State 1, Line 1: The user does not have permission to perform this action.
select * from sys.dm_os_schedulers
go
--> Msg 300, Level 14, State 1, Line 1: VIEW SERVER STATE permission was denied on object 'server', database 'master'.
--> Msg 297, Level 16, State 1, Line 1: The user does not have permission to perform this action.
revert
go
use master
drop database seen
go
