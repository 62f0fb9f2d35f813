-- What tools ask of features that no database uses: Service Broker, XML schema collections, other replicas, languages of other programs.
select name, message_type_id, principal_id, validation, validation_desc from sys.service_message_types order by message_type_id
select name, service_contract_id from sys.service_contracts order by service_contract_id
select c.name as contract, t.name as message_type, u.is_sent_by_initiator, u.is_sent_by_target
from sys.service_contract_message_usages as u
join sys.service_contracts as c on c.service_contract_id = u.service_contract_id
join sys.service_message_types as t on t.message_type_id = u.message_type_id
where t.name not like '%BrokerConfigurationNotice%' order by t.message_type_id
select count(*) as usages from sys.service_contract_usages
select * from sys.routes
go
--> [name:nvarchar(128) | message_type_id:int | principal_id:int | validation:char(2) | validation_desc:nvarchar(60)]
--> http://schemas.microsoft.com/SQL/ServiceBroker/Error | 1 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog | 2 | 1 | E | EMPTY
--> http://schemas.microsoft.com/SQL/Notifications/QueryNotification | 3 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/Notifications/EventNotification | 4 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/DialogTimer | 5 | 1 | E | EMPTY
--> http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice/MissingRoute | 6 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice/FailedRoute | 7 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice/MissingRemoteServiceBinding | 8 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice/FailedRemoteServiceBinding | 9 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceEcho/Echo | 10 | 1 | N | BINARY
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic/Query | 11 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic/Status | 12 | 1 | X | XML
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic/Description | 13 | 1 | N | BINARY
--> DEFAULT | 14 | 1 | N | BINARY
--> (14 rows affected)
--> [name:nvarchar(128) | service_contract_id:int]
--> http://schemas.microsoft.com/SQL/Notifications/PostQueryNotification | 1
--> http://schemas.microsoft.com/SQL/Notifications/PostEventNotification | 2
--> http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice | 3
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceEcho | 4
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic | 5
--> DEFAULT | 6
--> (6 rows affected)
--> [contract:nvarchar(128) | message_type:nvarchar(128) | is_sent_by_initiator:bit | is_sent_by_target:bit]
--> http://schemas.microsoft.com/SQL/Notifications/PostQueryNotification | http://schemas.microsoft.com/SQL/Notifications/QueryNotification | 1 | 0
--> http://schemas.microsoft.com/SQL/Notifications/PostEventNotification | http://schemas.microsoft.com/SQL/Notifications/EventNotification | 1 | 0
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceEcho | http://schemas.microsoft.com/SQL/ServiceBroker/ServiceEcho/Echo | 1 | 1
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic | http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic/Query | 1 | 0
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic | http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic/Status | 0 | 1
--> http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic | http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic/Description | 0 | 1
--> DEFAULT | DEFAULT | 1 | 1
--> (7 rows affected)
--> [usages:int]
--> 0
--> (1 rows affected)
--> [name:nvarchar(128) | route_id:int | principal_id:int | remote_service_name:nvarchar(256) | broker_instance:nvarchar(128) | lifetime:datetime | address:nvarchar(256) | mirror_address:nvarchar(256)]
--> AutoCreatedLocal | 65536 | 1 | NULL | NULL | NULL | LOCAL | NULL
--> (1 rows affected)
select count(*) as replicas from sys.query_store_replicas
select count(*) as forced from sys.query_store_plan_forcing_locations
select count(*) as languages from sys.dm_db_external_language_stats where is_installed = 1
select count(*) as indexes from sys.dm_db_xtp_index_stats
select count(replica_group_id) as runs from sys.query_store_runtime_stats where replica_group_id <> 1
go
--> [replicas:int]
--> 0
--> (1 rows affected)
--> [forced:int]
--> 0
--> (1 rows affected)
--> [languages:int]
--> 0
--> (1 rows affected)
--> [indexes:int]
--> 0
--> (1 rows affected)
--> [runs:int]
--> 0
--> (1 rows affected)
-- No row, no call: what reads the schemas of all collections of users goes on.
select xml_schema_namespace(schema_name(schema_id), name) as text from sys.xml_schema_collections where name <> N'sys'
select xml_schema_namespace(N'dbo', null) as none, xml_schema_namespace(null, N'orders', N'urn:x') as nothing
go
--> [text:xml]
--> (0 rows affected)
--> [none:xml | nothing:xml]
--> NULL | NULL
--> (1 rows affected)
select xml_schema_namespace(N'dbo', N'orders')
go
--> [:xml]
--> Msg 6314, Level 16, State 1, Line 1: Collection specified does not exist in metadata : 'orders'
select xml_schema_namespace(N'sys', N'sys')
go
--> [:xml]
--> Msg 40517, Level 16, State 1, Line 1: XML_SCHEMA_NAMESPACE is not supported in this version of Millpond.
-- Files and folders.
select full_filesystem_path, parent_directory, level, is_directory, is_hidden from sys.dm_os_enumerate_filesystem('/etc', 'PASS?D') where level = 0
select count(*) as none from sys.dm_os_enumerate_filesystem('/no/such/folder', '*')
select count(*) as none from sys.dm_os_enumerate_filesystem(null, '*')
create login nobody with password = 'Bars-2026!'
grant view server state to nobody
go
--> [full_filesystem_path:nvarchar(4000) | parent_directory:nvarchar(4000) | level:int | is_directory:bit | is_hidden:bit]
--> /etc/passwd | /etc | 0 | 0 | 0
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
execute as login = 'nobody'
select * from sys.dm_os_enumerate_filesystem('/', '*')
go
--> [full_filesystem_path:nvarchar(4000) | parent_directory:nvarchar(4000) | file_or_directory_name:nvarchar(256) | level:int | is_directory:bit | is_read_only:bit | is_system:bit | is_hidden:bit | has_integrity_stream:bit | is_temporary:bit | is_sparse:bit | creation_time:datetime2(7) | last_access_time:datetime2(7) | last_write_time:datetime2(7) | size_in_bytes:bigint]
--> Msg 15247, Level 16, State 1, Line 2: User does not have permission to perform this action.
while suser_sname() = 'nobody' revert
drop login nobody
go
-- What a database and its tables say of themselves.
create database shop
go
use shop
create table dbo.orders (id int not null primary key, city varchar(20), note varchar(max))
insert dbo.orders select value, 'here', replicate(cast('x' as varchar(max)), iif(value = 1, 20000, 1)) from generate_series(1, 2000)
create statistics of_city on dbo.orders (city)
go
--> (2000 rows affected)
select indexproperty(object_id('dbo.orders'), 'of_city', 'IsStatistics') as is_statistics, indexproperty(object_id('dbo.orders'), 'of_city', 'IsAutoStatistics') as is_auto,
    indexproperty(object_id('dbo.orders'), 'of_city', 'IsClustered') as is_clustered, indexproperty(object_id('dbo.orders'), 'none', 'IsStatistics') as none
select a.type_desc, iif(count(*) > 0, 1, 0) as is_in_memory, iif(count(*) <= max(a.total_pages), 1, 0) as are_its_own
from sys.partitions as p join sys.allocation_units as a on a.container_id = p.hobt_id
join sys.dm_os_buffer_descriptors as b on b.allocation_unit_id = a.allocation_unit_id and b.database_id = db_id()
where p.object_id = object_id('dbo.orders') group by a.type_desc order by a.type_desc
select iif(fileproperty('shop_log', 'SpaceUsed') between 1 and (select size from sys.database_files where file_id = 2), 1, 0) as of_log, fileproperty('shop_log', 'IsLogFile') as is_log
select database_id, directory_name, non_transacted_access, non_transacted_access_desc from sys.database_filestream_options where database_id in (1, db_id()) order by database_id
select databasepropertyex('shop', 'LastGoodCheckDbTime') as never
go
--> [is_statistics:int | is_auto:int | is_clustered:int | none:int]
--> 1 | 0 | 0 | NULL
--> (1 rows affected)
--> [type_desc:nvarchar(60) | is_in_memory:int | are_its_own:int]
--> IN_ROW_DATA | 1 | 1
--> LOB_DATA | 1 | 1
--> (2 rows affected)
--> [of_log:int | is_log:int]
--> 1 | 1
--> (1 rows affected)
--> [database_id:int | directory_name:nvarchar(255) | non_transacted_access:tinyint | non_transacted_access_desc:nvarchar(60)]
--> 1 | NULL | 0 | OFF
--> 5 | NULL | 0 | OFF
--> (2 rows affected)
--> [never:sql_variant]
--> 1900-01-01 00:00:00.000
--> (1 rows affected)
dbcc checkdb (shop) with no_infomsgs
go
select iif(cast(databasepropertyex('shop', 'LastGoodCheckDbTime') as datetime) > dateadd(minute, -5, getdate()), 1, 0) as checked
create table #lines (at datetime, process nvarchar(50), line nvarchar(max))
insert #lines exec xp_readerrorlog 0, 1, N'CHECKDB', N'shop'
select left(line, 73) as line from #lines
truncate table #lines
insert #lines exec xp_readerrorlog 0, 1, N'Starting up database', N'shop'
insert #lines exec xp_readerrorlog 0, 1, N'Recovery is complete'
select line from #lines
drop table #lines
go
--> [checked:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> [line:nvarchar(max)]
--> DBCC CHECKDB (shop) executed by sa found 0 errors and repaired 0 errors.
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [line:nvarchar(max)]
--> Starting up database 'shop'.
--> Recovery is complete. This is an informational message only. No user action is required.
--> (2 rows affected)
-- A large value is no key of an index that is missed.
select count(*) as n from dbo.orders where city = 'there' and note like 'y%'
select count(*) as n from dbo.orders where city = 'nowhere' and note like 'y%'
select equality_columns, inequality_columns, included_columns from sys.dm_db_missing_index_details where database_id = db_id()
-- Texts of one shape are one row.
select count(*) - count(distinct q.query_hash) as twice, sum(q.user_seeks) as seeks from sys.dm_db_missing_index_group_stats_query as q join sys.dm_db_missing_index_groups as g on g.index_group_handle = q.group_handle
join sys.dm_db_missing_index_details as d on d.index_handle = g.index_handle where d.database_id = db_id()
go
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [equality_columns:nvarchar(4000) | inequality_columns:nvarchar(4000) | included_columns:nvarchar(4000)]
--> [city] | NULL | [note]
--> (1 rows affected)
--> [twice:int | seeks:bigint]
--> 0 | 2
--> (1 rows affected)
select serverproperty('IsServerSuspendedForSnapshotBackup') as suspended, serverproperty('SuspendedDatabaseCount') as count, serverproperty('IsXTPSupported') as xtp
select pool_id, name, min_iops_per_volume, max_iops_per_volume, active_memgrant_count from sys.dm_resource_governor_resource_pools order by pool_id
select rtrim(object_name) as object, rtrim(counter_name) as counter, rtrim(instance_name) as instance, cntr_type from sys.dm_os_performance_counters
where object_name like '%Buffer Node%' or object_name like '%Plan Cache%' or object_name like '%Resource Pool Stats%' or counter_name like 'Memory Grants%'
    or object_name like '%Wait Statistics%' and counter_name like 'Lock waits%' order by 1, 2, 3
go
--> [suspended:sql_variant | count:sql_variant | xtp:sql_variant]
--> 0 | 0 | 1
--> (1 rows affected)
--> [pool_id:int | name:nvarchar(128) | min_iops_per_volume:int | max_iops_per_volume:int | active_memgrant_count:int]
--> 1 | internal | 0 | 2147483647 | 0
--> 2 | default | 0 | 2147483647 | 0
--> (2 rows affected)
--> [object:nvarchar(128) | counter:nvarchar(128) | instance:nvarchar(128) | cntr_type:int]
--> SQLServer:Buffer Node | Database pages | 000 | 65792
--> SQLServer:Buffer Node | Page life expectancy | 000 | 65792
--> SQLServer:Memory Manager | Memory Grants Outstanding |  | 65792
--> SQLServer:Memory Manager | Memory Grants Pending |  | 65792
--> SQLServer:Plan Cache | Cache Object Counts | _Total | 65792
--> SQLServer:Plan Cache | Cache Object Counts | Bound Trees | 65792
--> SQLServer:Plan Cache | Cache Object Counts | SQL Plans | 65792
--> SQLServer:Plan Cache | Cache Pages | _Total | 65792
--> SQLServer:Plan Cache | Cache Pages | Bound Trees | 65792
--> SQLServer:Plan Cache | Cache Pages | SQL Plans | 65792
--> SQLServer:Resource Pool Stats | Active memory grant amount (KB) | default | 65792
--> SQLServer:Resource Pool Stats | Active memory grant amount (KB) | internal | 65792
--> SQLServer:Resource Pool Stats | Active memory grants count | default | 65792
--> SQLServer:Resource Pool Stats | Active memory grants count | internal | 65792
--> SQLServer:Resource Pool Stats | Max memory (KB) | default | 65792
--> SQLServer:Resource Pool Stats | Max memory (KB) | internal | 65792
--> SQLServer:Resource Pool Stats | Pending memory grants count | default | 65792
--> SQLServer:Resource Pool Stats | Pending memory grants count | internal | 65792
--> SQLServer:Resource Pool Stats | Target memory (KB) | default | 65792
--> SQLServer:Resource Pool Stats | Target memory (KB) | internal | 65792
--> SQLServer:Resource Pool Stats | Used memory (KB) | default | 65792
--> SQLServer:Resource Pool Stats | Used memory (KB) | internal | 65792
--> SQLServer:Wait Statistics | Lock waits | Cumulative wait time (ms) per second | 272696576
--> SQLServer:Wait Statistics | Lock waits | Waits started per second | 272696576
--> (24 rows affected)
use master
drop database shop
go
