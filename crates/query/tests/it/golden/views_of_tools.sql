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
