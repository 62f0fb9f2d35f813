-- differs clustered, secondary: sys.partitions lists the indexes that are made beside
-- Properties that change no answer and are shown all the same: NOT FOR REPLICATION, compression, filegroups, names of transactions.
set nocount on
create database says
go
use says
create table t (id int identity not for replication constraint pk primary key with (data_compression = page, optimize_for_sequential_key = on),
    a int constraint ck check not for replication (a > 0), b int constraint fk references t (id) not for replication, c int constraint plain check (c > 0))
alter table t with nocheck add constraint later check not for replication (b > 0)
create table h (id int identity, v varchar(10)) with (data_compression = row)
create index v on h (v) with (data_compression = page, xml_compression = on)
select name, is_not_for_replication as n from sys.check_constraints order by name
select name, is_not_for_replication as n from sys.foreign_keys
select object_name(object_id) as t, is_not_for_replication as n from sys.identity_columns order by t
select object_name(object_id) as t, index_id, data_compression as c, data_compression_desc, xml_compression as x, xml_compression_desc from sys.partitions where object_id in (object_id('t'), object_id('h')) order by t, index_id
select name, optimize_for_sequential_key as o from sys.indexes where object_id in (object_id('t'), object_id('h')) and name is not null order by name
go
--> [name:nvarchar(128) | n:bit]
--> ck | 1
--> later | 1
--> plain | 0
--> [name:nvarchar(128) | n:bit]
--> fk | 1
--> [t:nvarchar(128) | n:bit]
--> h | 0
--> t | 1
--> [t:nvarchar(128) | index_id:int | c:tinyint | data_compression_desc:nvarchar(60) | x:bit | xml_compression_desc:varchar(3)]
--> h | 0 | 1 | ROW | 0 | OFF
--> h | 2 | 2 | PAGE | 1 | ON
--> t | 1 | 2 | PAGE | 0 | OFF
--> [name:nvarchar(128) | o:bit]
--> pk | 1
--> v | 0
alter table t alter column id drop not for replication
alter table h alter column id add not for replication
alter table h rebuild with (data_compression = none)
alter index v on h rebuild with (data_compression = row)
alter table t rebuild with (data_compression = row)
select object_name(object_id) as t, is_not_for_replication as n from sys.identity_columns order by t
select object_name(object_id) as t, index_id, data_compression_desc, xml_compression_desc from sys.partitions where object_id in (object_id('t'), object_id('h')) order by t, index_id
go
--> [t:nvarchar(128) | n:bit]
--> h | 1
--> t | 0
--> [t:nvarchar(128) | index_id:int | data_compression_desc:nvarchar(60) | xml_compression_desc:varchar(3)]
--> h | 0 | NONE | OFF
--> h | 2 | ROW | ON
--> t | 1 | ROW | OFF
alter table t alter column a add not for replication
go
--> Msg 40517, Level 16, State 1, Line 1: ALTER COLUMN … ADD or DROP of NOT FOR REPLICATION of no IDENTITY column is not supported in this version of Millpond.
-- Filegroups
alter database says add filegroup other
create table placed (id int not null, large varchar(max)) on other
create index id on placed (id) on [primary]
select index_id, u.data_space_id from sys.allocation_units u join sys.partitions p on p.hobt_id = u.container_id where p.object_id = object_id('placed') and u.type = 1 order by index_id
select indid, groupid from sys.sysindexes where id = object_id('placed') order by indid
select name, lob_data_space_id from sys.tables order by name
go
--> [index_id:int | data_space_id:int]
--> 0 | 2
--> 2 | 1
--> [indid:smallint | groupid:smallint]
--> 0 | 2
--> 2 | 1
--> [name:nvarchar(128) | lob_data_space_id:int]
--> h | 0
--> placed | 2
--> t | 0
-- A sequence of an alias type
create type small from tinyint not null
go
create sequence s as small start with 250
create sequence dbo.q as dbo.small maxvalue 7
select next value for s as n
select name, type_name(system_type_id) as t, minimum_value, maximum_value from sys.sequences order by name
create sequence bad as nothing
go
--> [n:tinyint]
--> 250
--> [name:nvarchar(128) | t:nvarchar(128) | minimum_value:bigint | maximum_value:bigint]
--> q | tinyint | 0 | 7
--> s | tinyint | 0 | 255
--> Msg 2715, Level 16, State 3, Line 5: Column, parameter, or variable #1: Cannot find data type nothing.
create type words from varchar(10)
create sequence bad as words
go
--> Msg 11702, Level 16, State 2, Line 2: The sequence object must be of data type int, bigint, smallint, tinyint, or decimal or numeric with a scale of 0, or any user-defined data type that is based on one of the above integer data types.
create function f (@n int) returns int with returns null on null input as begin return @n end
go
create function g (@n int) returns int as begin return @n end
go
create procedure p with recompile as select 1 as one
go
create view opaque with view_metadata as select 1 as one
go
create view plain_view as select 1 as one
go
select object_name(object_id) as name, null_on_null_input as n from sys.sql_modules order by name
select object_name(object_id) as name, is_recompiled from sys.sql_modules where is_recompiled = 1
select name, has_opaque_metadata from sys.views order by name
go
--> [name:nvarchar(128) | n:bit]
--> f | 1
--> g | 0
--> opaque | 0
--> p | 0
--> plain_view | 0
--> [name:nvarchar(128) | is_recompiled:bit]
--> p | 1
--> [name:nvarchar(128) | has_opaque_metadata:bit]
--> opaque | 1
--> plain_view | 0
-- Transactions have their names
begin transaction [it is]
select name from sys.dm_tran_active_transactions a join sys.dm_tran_session_transactions s on s.transaction_id = a.transaction_id where s.session_id = @@spid
rollback
begin transaction
select name from sys.dm_tran_active_transactions a join sys.dm_tran_session_transactions s on s.transaction_id = a.transaction_id where s.session_id = @@spid
rollback
set implicit_transactions on
select count(*) as n from t
select name from sys.dm_tran_active_transactions a join sys.dm_tran_session_transactions s on s.transaction_id = a.transaction_id where s.session_id = @@spid
rollback
set implicit_transactions off
go
--> [name:nvarchar(32)]
--> it is
--> [name:nvarchar(32)]
--> user_transaction
--> [n:int]
--> 0
--> [name:nvarchar(32)]
--> implicit_transaction
-- What statements have written, and by how many threads
insert h (v) select concat('v', value) from generate_series(1, 2000)
select iif(last_logical_writes > 5, 'many', 'few') as writes, last_dop, last_reserved_threads, last_used_threads from sys.dm_exec_query_stats q cross apply sys.dm_exec_sql_text(q.sql_handle) as x
    where substring(x.text, q.statement_start_offset / 2 + 1, 10) = 'insert h (' and q.statement_end_offset > q.statement_start_offset
select dop, parallel_worker_count as w, iif(scheduler_id in (select scheduler_id from sys.dm_os_schedulers), 1, 0) as known from sys.dm_exec_requests where session_id = @@spid
go
--> [writes:varchar(4) | last_dop:bigint | last_reserved_threads:bigint | last_used_threads:bigint]
--> many | 1 | 0 | 0
--> [dop:int | w:int | known:int]
--> 1 | 0 | 1
use master
drop database says
go
