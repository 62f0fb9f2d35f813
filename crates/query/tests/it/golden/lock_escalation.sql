-- differs snapshot: a transaction that reads by a snapshot changes no definitions (3964)
-- differs secondary: it counts locks, those of index entries too
-- ALTER TABLE … SET (LOCK_ESCALATION = …): kept with the table, shown, heeded, undone by a rollback.
set nocount on
create database depot
go
use depot
create table t (id int primary key, n int not null)
insert t select value, 0 from generate_series(1, 6000)
select lock_escalation, lock_escalation_desc from sys.tables where name = 't'
go
--> [lock_escalation:tinyint | lock_escalation_desc:nvarchar(60)]
--> 0 | TABLE
-- five thousand row locks become one of the table
begin tran
update t set n = 1
select resource_type, request_mode, count(*) as n from sys.dm_tran_locks where request_session_id = @@spid and resource_type <> 'DATABASE' group by resource_type, request_mode order by resource_type
rollback
go
--> [resource_type:nvarchar(60) | request_mode:nvarchar(60) | n:int]
--> OBJECT | X | 1
alter table t set (lock_escalation = disable)
select lock_escalation, lock_escalation_desc from sys.tables where name = 't'
begin tran
update t set n = 1
select resource_type, request_mode, count(*) as n from sys.dm_tran_locks where request_session_id = @@spid and resource_type <> 'DATABASE' group by resource_type, request_mode order by resource_type
rollback
go
--> [lock_escalation:tinyint | lock_escalation_desc:nvarchar(60)]
--> 1 | DISABLE
--> [resource_type:nvarchar(60) | request_mode:nvarchar(60) | n:int]
--> KEY | X | 6000
--> OBJECT | IX | 1
-- it stays with the table through other changes of it
alter table t add m int null
create index ix on t (n)
exec sp_rename 't', 'u'
select name, lock_escalation, lock_escalation_desc from sys.tables
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> [name:nvarchar(128) | lock_escalation:tinyint | lock_escalation_desc:nvarchar(60)]
--> u | 1 | DISABLE
-- a rollback takes it back, and what it means
begin tran
alter table u set (lock_escalation = auto)
select lock_escalation_desc from sys.tables
rollback
select lock_escalation_desc from sys.tables
begin tran
delete u
select resource_type, request_mode, count(*) as n from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'OBJECT' group by resource_type, request_mode
rollback
go
--> [lock_escalation_desc:nvarchar(60)]
--> AUTO
--> [lock_escalation_desc:nvarchar(60)]
--> DISABLE
--> [resource_type:nvarchar(60) | request_mode:nvarchar(60) | n:int]
--> OBJECT | IX | 1
-- AUTO of a table without partitions is TABLE
alter table u set (lock_escalation = auto)
select lock_escalation, lock_escalation_desc from sys.tables
drop index ix on u
begin tran
update u set n = 1
select resource_type, request_mode, count(*) as n from sys.dm_tran_locks where request_session_id = @@spid and resource_type <> 'DATABASE' group by resource_type, request_mode order by resource_type
rollback
alter table u set (lock_escalation = table)
select lock_escalation, lock_escalation_desc from sys.tables
go
--> [lock_escalation:tinyint | lock_escalation_desc:nvarchar(60)]
--> 2 | AUTO
--> [resource_type:nvarchar(60) | request_mode:nvarchar(60) | n:int]
--> OBJECT | X | 1
--> [lock_escalation:tinyint | lock_escalation_desc:nvarchar(60)]
--> 0 | TABLE
-- another word is none
alter table u set (lock_escalation = never)
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near 'never'.
use master
drop database depot
go
