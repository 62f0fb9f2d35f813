-- CREATE DATABASE … AS SNAPSHOT OF: what the source was at that moment, read by all statements that read, changed by none.
create database pond
go
use pond
go
create table dbo.fish (id int not null primary key, name varchar(20) not null, notes varchar(max))
insert dbo.fish values (1, 'carp', replicate(cast('x' as varchar(max)), 20000)), (2, 'pike', null), (3, 'tench', 'green')
go
--> (3 rows affected)
create index by_name on dbo.fish (name)
go
create procedure dbo.names as select name from dbo.fish order by id
go
create view dbo.quiet as select id, name from dbo.fish where notes is null
go
create sequence dbo.counter start with 5
go
use master
go
create database pond_then on (name = pond, filename = 'gold_pond_then.ss') as snapshot of pond
go
update pond.dbo.fish set name = 'Karpfen', notes = 'short' where id = 1
delete pond.dbo.fish where id = 2
insert pond.dbo.fish values (4, 'perch', null)
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
checkpoint
go
select id, name, len(notes) as l from pond_then.dbo.fish order by id
go
--> [id:int | name:varchar(20) | l:bigint]
--> 1 | carp | 20000
--> 2 | pike | NULL
--> 3 | tench | 5
--> (3 rows affected)
select id, name, len(notes) as l from pond.dbo.fish order by id
go
--> [id:int | name:varchar(20) | l:bigint]
--> 1 | Karpfen | 5
--> 3 | tench | 5
--> 4 | perch | NULL
--> (3 rows affected)
-- A second one is of another moment.
create database [pond's second] on (name = 'POND', filename = 'gold_pond_second.ss') as snapshot of pond
go
drop table pond.dbo.fish
go
select count(*) as n from [pond's second].dbo.fish where name = 'Karpfen'
go
--> [n:int]
--> 1
--> (1 rows affected)
use pond_then
go
exec dbo.names
go
--> [name:varchar(20)]
--> carp
--> pike
--> tench
--> (3 rows affected)
select q.name from dbo.quiet as q join pond_then.dbo.fish as f on f.id = q.id
go
--> [name:varchar(20)]
--> pike
--> (1 rows affected)
select name from dbo.fish with (index (by_name)) where name >= 'p' order by name
go
--> [name:varchar(20)]
--> pike
--> tench
--> (2 rows affected)
select id into #copy from dbo.fish
select count(*) as n from #copy
go
--> (3 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
set transaction isolation level snapshot
begin tran
select max(id) as id from dbo.fish
commit
set transaction isolation level read committed
go
--> [id:int]
--> 3
--> (1 rows affected)
-- Nothing changes it.
insert dbo.fish values (9, 'eel', null)
go
--> Msg 3906, Level 16, State 1, Line 2: Failed to update database "pond_then" because the database is read-only.
--> # The statement has been terminated.
update dbo.fish set name = 'eel' where id = 3
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
--> # The statement has been terminated.
delete dbo.fish
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
--> # The statement has been terminated.
update dbo.fish set name = 'eel' where id = 99
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
--> # The statement has been terminated.
insert dbo.fish select 7, 'eel', null where 1 = 0
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
--> # The statement has been terminated.
truncate table dbo.fish
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
create table dbo.t (a int)
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
drop table dbo.fish
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
create view dbo.v as select 1 as a
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
alter table dbo.fish add more int
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
drop index by_name on dbo.fish
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
select next value for dbo.counter as n
go
--> [n:bigint]
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
create user somebody without login
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
select id into dbo.copied from dbo.fish
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "pond_then" because the database is read-only.
alter database pond_then set read_write
go
--> Msg 5093, Level 16, State 1, Line 1: The operation cannot be performed on a database snapshot.
alter database pond_then modify name = other
go
--> Msg 5093, Level 16, State 1, Line 1: The operation cannot be performed on a database snapshot.
alter database pond_then add file (name = f, filename = 'gold_f.ndf')
go
--> Msg 5093, Level 16, State 1, Line 1: The operation cannot be performed on a database snapshot.
backup database pond_then to disk = 'gold_pond.bak'
go
--> Msg 3002, Level 16, State 1, Line 0: Cannot BACKUP or RESTORE a database snapshot.
--> Msg 3013, Level 16, State 1, Line 1: BACKUP DATABASE is terminating abnormally.
use master
go
exec sp_detach_db pond_then
go
--> Msg 3706, Level 16, State 1, Line 1: Cannot detach a database snapshot.
-- What is shown of it.
select name, db_name(source_database_id) as source, is_read_only, state_desc, user_access_desc from sys.databases
where source_database_id is not null order by name
go
--> [name:nvarchar(128) | source:nvarchar(128) | is_read_only:bit | state_desc:nvarchar(60) | user_access_desc:nvarchar(60)]
--> pond's second | pond | 1 | ONLINE | MULTI_USER
--> pond_then | pond | 1 | ONLINE | MULTI_USER
--> (2 rows affected)
select name, type_desc, is_sparse from pond_then.sys.database_files
select count(*) as n from sys.master_files where database_id = db_id('pond_then') and is_sparse = 1
select databasepropertyex('pond_then', 'Updateability') as u, databasepropertyex('pond', 'Updateability') as v
go
--> [name:nvarchar(128) | type_desc:nvarchar(60) | is_sparse:bit]
--> pond | ROWS | 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [u:sql_variant | v:sql_variant]
--> READ_ONLY | READ_WRITE
--> (1 rows affected)
dbcc checkdb (pond_then) with no_infomsgs
go
-- The source stays while it has snapshots.
drop database pond
go
--> Msg 3709, Level 16, State 1, Line 2: Cannot drop the database while the database snapshot "pond_then" refers to it. Drop that database first.
exec sp_detach_db pond
go
--> Msg 3709, Level 16, State 1, Line 1: Cannot detach the database while the database snapshot "pond_then" refers to it. Drop that database first.
alter database pond set offline
go
--> Msg 5094, Level 16, State 2, Line 1: The operation cannot be performed on a database with database snapshots or active DBCC replicas.
-- Files and names.
create database s on (name = nothing, filename = 'gold_s.ss') as snapshot of pond
go
--> Msg 5014, Level 16, State 3, Line 2: The file 'nothing' does not exist in database 'pond'.
create database s as snapshot of pond
go
--> Msg 5127, Level 16, State 1, Line 1: All files must be specified for database snapshot creation. Missing the file "pond".
create database s on (name = pond) as snapshot of pond
go
--> Msg 1037, Level 16, State 1, Line 1: File option FILENAME is required in this CREATE/ALTER DATABASE statement.
create database s on (name = pond, filename = 'gold_s.ss', size = 8 MB) as snapshot of pond
go
--> Msg 1815, Level 16, State 1, Line 1: The SIZE property cannot be used with database snapshot files.
create database s on (name = pond, filename = 'gold_s.ss') log on (name = pond_log, filename = 'gold_s.l') as snapshot of pond
go
--> Msg 1825, Level 16, State 1, Line 1: Filegroups and collations cannot be specified for database snapshots.
begin try
    create database s on (name = pond, filename = 'gold_pond_then.ss') as snapshot of pond
end try
begin catch
    select error_number() as n
end catch
go
--> [n:int]
--> 5170
--> (1 rows affected)
create database pond_then on (name = pond, filename = 'gold_s.ss') as snapshot of pond
go
--> Msg 1801, Level 16, State 1, Line 1: Database 'pond_then' already exists. Choose a different database name.
create database s on (name = pond, filename = 'gold_s.ss') as snapshot of nowhere
go
--> Msg 911, Level 16, State 1, Line 1: Database 'nowhere' does not exist. Make sure that the name is entered correctly.
create database s on (name = pond, filename = 'gold_s.ss') as snapshot of pond_then
go
--> Msg 1821, Level 16, State 1, Line 1: Cannot create a database snapshot on another database snapshot.
create database s on (name = modeldev, filename = 'gold_s.ss') as snapshot of model
go
--> Msg 1816, Level 16, State 1, Line 1: Database snapshot on the system database model is not allowed.
create database s on (name = tempdev, filename = 'gold_s.ss') as snapshot of tempdb
go
--> Msg 1816, Level 16, State 1, Line 1: Database snapshot on the system database tempdb is not allowed.
begin tran
create database s on (name = pond, filename = 'gold_s.ss') as snapshot of pond
go
--> Msg 226, Level 16, State 6, Line 2: CREATE DATABASE statement not allowed within multi-statement transaction.
rollback
go
-- The way back: the other snapshots go first, and nobody is in either.
restore database pond from database_snapshot = 'pond_then'
go
--> Msg 3137, Level 16, State 1, Line 0: Database cannot be reverted. Either the primary or the snapshot names are improperly specified, all other snapshots have not been dropped, or there are missing files.
--> Msg 3013, Level 16, State 1, Line 2: RESTORE DATABASE is terminating abnormally.
drop database [pond's second]
go
use pond_then
go
restore database pond from database_snapshot = 'pond_then'
go
--> Msg 3101, Level 16, State 1, Line 0: Exclusive access could not be obtained because the database is in use.
--> Msg 3013, Level 16, State 1, Line 1: RESTORE DATABASE is terminating abnormally.
use master
go
restore database pond from database_snapshot = 'pond'
go
--> Msg 3137, Level 16, State 1, Line 0: Database cannot be reverted. Either the primary or the snapshot names are improperly specified, all other snapshots have not been dropped, or there are missing files.
--> Msg 3013, Level 16, State 1, Line 1: RESTORE DATABASE is terminating abnormally.
restore database pond from database_snapshot = 'pond_then'
go
select id, name, len(notes) as l from pond.dbo.fish order by id
go
--> [id:int | name:varchar(20) | l:bigint]
--> 1 | carp | 20000
--> 2 | pike | NULL
--> 3 | tench | 5
--> (3 rows affected)
update pond.dbo.fish set name = 'bream' where id = 3
select next value for pond.dbo.counter as n
go
--> (1 rows affected)
--> [n:bigint]
--> 5
--> (1 rows affected)
select name from pond_then.dbo.fish where id = 3
go
--> [name:varchar(20)]
--> tench
--> (1 rows affected)
dbcc checkdb (pond) with no_infomsgs
go
drop database pond_then
go
select name from pond.dbo.fish where id = 3
go
--> [name:varchar(20)]
--> bream
--> (1 rows affected)
drop database pond
go
