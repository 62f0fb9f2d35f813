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
alter table t alter column id drop not for replication
alter table h alter column id add not for replication
alter table h rebuild with (data_compression = none)
alter index v on h rebuild with (data_compression = row)
alter table t rebuild with (data_compression = row)
select object_name(object_id) as t, is_not_for_replication as n from sys.identity_columns order by t
select object_name(object_id) as t, index_id, data_compression_desc, xml_compression_desc from sys.partitions where object_id in (object_id('t'), object_id('h')) order by t, index_id
go
alter table t alter column a add not for replication
go
-- Filegroups
alter database says add filegroup other
create table placed (id int not null, large varchar(max)) on other
create index id on placed (id) on [primary]
select index_id, u.data_space_id from sys.allocation_units u join sys.partitions p on p.hobt_id = u.container_id where p.object_id = object_id('placed') and u.type = 1 order by index_id
select indid, groupid from sys.sysindexes where id = object_id('placed') order by indid
select name, lob_data_space_id from sys.tables order by name
go
-- A sequence of an alias type
create type small from tinyint not null
go
create sequence s as small start with 250
create sequence dbo.q as dbo.small maxvalue 7
select next value for s as n
select name, type_name(system_type_id) as t, minimum_value, maximum_value from sys.sequences order by name
create sequence bad as nothing
go
create type words from varchar(10)
create sequence bad as words
go
create function f (@n int) returns int with returns null on null input as begin return @n end
go
create function g (@n int) returns int as begin return @n end
go
create procedure p with recompile as select 1 as one
go
select object_name(object_id) as name, null_on_null_input as n from sys.sql_modules order by name
select name, is_recompiled from sys.procedures
go
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
-- What statements have written, and by how many threads
insert h (v) select concat('v', value) from generate_series(1, 2000)
select iif(last_logical_writes > 5, 'many', 'few') as writes, last_dop, last_reserved_threads, last_used_threads from sys.dm_exec_query_stats q cross apply sys.dm_exec_sql_text(q.sql_handle) as x
    where substring(x.text, q.statement_start_offset / 2 + 1, 10) = 'insert h (' and q.statement_end_offset > q.statement_start_offset
select dop, parallel_worker_count as w, iif(scheduler_id in (select scheduler_id from sys.dm_os_schedulers), 1, 0) as known from sys.dm_exec_requests where session_id = @@spid
go
use master
drop database says
