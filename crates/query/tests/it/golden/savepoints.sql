-- differs snapshot: a transaction that reads by a snapshot changes no definitions (3964)
-- differs secondary: the rows of the indexes are locked too
-- ROLLBACK to a savepoint releases what was locked since, but for what was converted and what was locked before
create table sp (id int identity primary key, a int)
create table sq (id int primary key, a int)
insert sp values (1), (2), (3)
insert sq values (1, 1)
go
--> (3 rows affected)
--> (1 rows affected)
begin tran
update sp set a = 10 where id = 1
save tran here
update sp set a = 20 where id = 2
update sp set a = 30 where id = 1
update sq set a = 5
select count(*) as rows from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'KEY' and request_mode = 'X'
rollback tran here
select count(*) as rows from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'KEY' and request_mode = 'X'
select count(*) as tables from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'OBJECT'
 and resource_associated_entity_id in (object_id('sp'), object_id('sq'))
select * from sp order by id
commit
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [rows:int]
--> 3
--> (1 rows affected)
--> [rows:int]
--> 1
--> (1 rows affected)
--> [tables:int]
--> 1
--> (1 rows affected)
--> [id:int | a:int]
--> 1 | 10
--> 2 | 2
--> 3 | 3
--> (3 rows affected)
-- A table that is dropped, and comes back, takes rows again
begin tran
save tran a
drop table sp
rollback tran a
insert sp values (4)
select * from sp order by id
commit
go
--> (1 rows affected)
--> [id:int | a:int]
--> 1 | 10
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> (4 rows affected)
begin tran
insert sp values (5)
save tran a
alter table sp add b int
rollback tran a
insert sp values (6)
select * from sp where a > 4 order by id
rollback
select count(*) as rows from sp
go
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | a:int]
--> 1 | 10
--> 5 | 5
--> 6 | 6
--> (3 rows affected)
--> [rows:int]
--> 4
--> (1 rows affected)
-- A table that is made after a savepoint is gone, its name is free
begin tran
save tran a
create table sr (a int)
rollback tran a
create table sr (b int)
insert sr values (1)
commit
select * from sr
go
--> (1 rows affected)
--> [b:int]
--> 1
--> (1 rows affected)
-- A lock of an application outlasts it
begin tran
save tran a
declare @got int
exec @got = sp_getapplock 'pond', 'Exclusive'
rollback tran a
select @got as got, applock_mode('public', 'pond', 'Transaction') as mode
commit
go
--> [got:int | mode:nvarchar(32)]
--> 0 | Exclusive
--> (1 rows affected)
-- Names of transactions and savepoints are case-sensitive
begin tran abc
insert sq values (2, 2)
save tran aBc
insert sq values (3, 3)
rollback tran aBc
select id from sq order by id
save tran s
insert sq values (4, 4)
save tran S
insert sq values (5, 5)
rollback tran s
select id, @@trancount as depth from sq order by id
rollback tran ABC
go
--> (1 rows affected)
--> (1 rows affected)
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | depth:int]
--> 1 | 1
--> 2 | 1
--> (2 rows affected)
--> Msg 6401, Level 16, State 1, Line 14: Cannot roll back ABC. No transaction or savepoint of that name was found.
rollback tran abc
select id, @@trancount as depth from sq order by id
go
--> [id:int | depth:int]
--> 1 | 0
--> (1 rows affected)
-- Rows between keys that are locked by range, under a lock of the whole table
set transaction isolation level serializable
begin tran
select count(*) as rows from sq with (serializable)
alter table sq add c int
insert sq (id, a) values (7, 7)
insert sq (id, a) values (0, 7)
commit
begin tran
select count(*) as rows from sq where id > 3
select count(*) as rows from sq with (tablockx)
insert sq (id, a) values (5, 7)
update sq set id = 4 where id = 7
commit
select id, a from sq order by id
begin tran
update sq set a = 8 where id between 2 and 4
create index ia on sq (a)
insert sq (id, a) values (2, 2)
commit
select id, a from sq order by id
go
--> [rows:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [rows:int]
--> 1
--> (1 rows affected)
--> [rows:int]
--> 3
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | a:int]
--> 0 | 7
--> 1 | 1
--> 4 | 7
--> 5 | 7
--> (4 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | a:int]
--> 0 | 7
--> 1 | 1
--> 2 | 2
--> 4 | 8
--> 5 | 7
--> (5 rows affected)
