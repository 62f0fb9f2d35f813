-- differs secondary: each table has an index more
-- Procedures about what would be: compression, vardecimal; about the server's health and log; about parameters of texts.
create database pond
go
use pond
create table t (id int not null primary key, price decimal(9, 2) not null, a int null)
create index i on t (a)
insert t values (1, 1.5, 1), (2, 2.5, 2)
go
--> (2 rows affected)
declare @found table (object_name sysname, schema_name sysname, index_id int, partition_number int, now bigint, then_ bigint, sample bigint, sample_then bigint)
insert @found exec sp_estimate_data_compression_savings 'dbo', 't', null, null, 'PAGE'
select object_name, schema_name, index_id, partition_number, iif(now > 0, 'some', 'none') as now, then_ - now as saved, sample - now as sample from @found
exec sp_estimate_data_compression_savings 'dbo', 'none', null, null, 'ROW'
exec sp_estimate_data_compression_savings 'dbo', 't', null, null, 'COLUMNSTORE'
exec sp_estimate_data_compression_savings 'dbo', 't', null, 1, 'ROW'
go
--> (2 rows affected)
--> [object_name:nvarchar(128) | schema_name:nvarchar(128) | index_id:int | partition_number:int | now:varchar(4) | saved:bigint | sample:bigint]
--> t | dbo | 1 | 1 | some | 0 | 0
--> t | dbo | 2 | 1 | some | 0 | 0
--> (2 rows affected)
--> Msg 15009, Level 16, State 1, Line 28: The object '[dbo].[none]' does not exist in database 'pond' or is invalid for this operation.
--> Msg 15600, Level 15, State 1, Line 14: An invalid parameter or option was specified for procedure 'sys.sp_estimate_data_compression_savings'.
--> Msg 15600, Level 15, State 1, Line 19: An invalid parameter or option was specified for procedure 'sys.sp_estimate_data_compression_savings'.
declare @found table (fixed decimal(12, 2), var decimal(12, 2), rows int)
insert @found exec sp_estimated_rowsize_reduction_for_vardecimal 'dbo.t'
select iif(fixed > 0, 'some', 'none') as fixed, fixed - var as saved, rows from @found
exec sp_estimated_rowsize_reduction_for_vardecimal 'dbo.none'
go
--> (1 rows affected)
--> [fixed:varchar(4) | saved:decimal(13,2) | rows:int]
--> some | 0.00 | 2
--> (1 rows affected)
--> Msg 15009, Level 16, State 1, Line 9: The object 'dbo.none' does not exist in database 'pond' or is invalid for this operation.
exec sp_batch_params N'select id from t where a = @a and price > @b'
exec sp_batch_params
go
--> [PARAMETER_NAME:nvarchar(128) | COLUMN_TYPE:smallint | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int]
--> @a | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 1
--> @b | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 2
--> [PARAMETER_NAME:nvarchar(128) | COLUMN_TYPE:smallint | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int]
declare @found table (create_time datetime, component_type sysname, component_name sysname, state int, state_desc sysname, data xml)
insert @found exec sp_server_diagnostics
select component_type, component_name, state_desc, case when cast(data as nvarchar(max)) <> '' then 'told' end as data from @found where component_name in ('system', 'resource', 'events')
select count(distinct create_time) as times, count(*) as rows from @found
select data.value('(/queryProcessing/@maxWorkers)[1]', 'int') - (select max_workers_count from sys.dm_os_sys_info) as differs from @found where component_name = 'query_processing'
exec sp_server_diagnostics 5
go
--> (5 rows affected)
--> [component_type:nvarchar(128) | component_name:nvarchar(128) | state_desc:nvarchar(128) | data:varchar(4)]
--> instance | system | clean | told
--> instance | resource | clean | told
--> instance | events | unknown | told
--> (3 rows affected)
--> [times:int | rows:int]
--> 1 | 5
--> (1 rows affected)
--> [differs:int]
--> 0
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 15: sp_server_diagnostics that repeats itself is not supported in this version of Millpond.
-- The log: a line is added, another log begins.
exec xp_logevent 60001, 'A heron was seen.', 'warning'
exec xp_logevent 60001, 'Too quiet', 'loud'
go
--> Msg 15600, Level 15, State 1, Line 3: An invalid parameter or option was specified for procedure 'xp_logevent'.
exec xp_logevent 10, 'A number of the server'
go
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'xp_logevent'.
declare @log table (at datetime, process nvarchar(50), text nvarchar(max))
insert @log exec sp_readerrorlog 0, 1, 'heron'
select cast(process as nvarchar(4)) as process, text from @log
exec sp_cycle_errorlog
delete @log
insert @log exec sp_readerrorlog 0, 1, 'heron'
select count(*) as now from @log
insert @log exec sp_readerrorlog 1, 1, 'heron'
select count(*) as before from @log
go
--> (1 rows affected)
--> [process:nvarchar(4) | text:nvarchar(max)]
--> spid | A heron was seen.
--> (1 rows affected)
--> (1 rows affected)
--> (0 rows affected)
--> [now:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> [before:int]
--> 1
--> (1 rows affected)
exec sp_MSgetalertinfo
go
--> [AlertFailSafeOperator:nvarchar(255) | AlertNotificationMethod:int | AlertForwardingServer:nvarchar(255) | AlertForwardingSeverity:int | AlertForwardAlways:int | AlertPagerToTemplate:nvarchar(255) | AlertPagerCCTemplate:nvarchar(255) | AlertPagerSubjectTemplate:nvarchar(255) | AlertPagerSendSubjectOnly:int]
--> NULL | 0 | NULL | 1 | 0 | NULL | NULL | NULL | 1
-- What Ola Hallengren's scripts ask of log shipping.
select count(*) as p from msdb.dbo.log_shipping_primary_databases p left join msdb.dbo.log_shipping_primary_secondaries s on s.primary_id = p.primary_id
select count(*) as s from msdb.dbo.log_shipping_secondary_databases where secondary_database = 'pond'
select count(*) as m from msdb.dbo.log_shipping_monitor_primary
go
--> [p:int]
--> 0
--> (1 rows affected)
--> [s:int]
--> 0
--> (1 rows affected)
--> [m:int]
--> 0
--> (1 rows affected)
exec sp_getbindtoken
go
--> Msg 40517, Level 16, State 1, Line 1: The procedure sp_getbindtoken is not supported in this version of Millpond.
exec sp_bindsession 'x'
go
--> Msg 40517, Level 16, State 1, Line 1: The procedure sp_bindsession is not supported in this version of Millpond.
exec sp_get_query_template N'select 1', null, null
go
--> Msg 40517, Level 16, State 1, Line 1: The procedure sp_get_query_template is not supported in this version of Millpond.
exec sp_clean_db_free_space 'pond'
go
--> Msg 40517, Level 16, State 1, Line 1: The procedure sp_clean_db_free_space is not supported in this version of Millpond.
use master
drop database pond
go
