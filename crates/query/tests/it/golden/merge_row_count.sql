-- @@ROWCOUNT in triggers: of MERGE it is the whole statement's, in each of the triggers that it fires.
create database merge_row_count
go
use merge_row_count
set nocount on
create table t (id int primary key, a int)
insert t values (1, 1), (2, 2), (3, 3)
go
create trigger ti on t after insert as
declare @n int = @@rowcount
select 'insert' as event, @n as n, (select count(*) from inserted) as inserted
go
create trigger tu on t after update as
declare @n int = @@rowcount
select 'update' as event, @n as n, (select count(*) from inserted) as inserted
go
create trigger td on t after delete as
declare @n int = @@rowcount
select 'delete' as event, @n as n, (select count(*) from deleted) as deleted
go
merge t using (values (1, 10), (2, 20), (4, 40)) s (id, a) on t.id = s.id
when matched and s.id = 1 then delete
when matched then update set a = s.a
when not matched then insert values (s.id, s.a);
select @@rowcount as n
go
--> [event:varchar(6) | n:int | deleted:int]
--> delete | 3 | 1
--> [event:varchar(6) | n:int | inserted:int]
--> update | 3 | 1
--> [event:varchar(6) | n:int | inserted:int]
--> insert | 3 | 1
--> [n:int]
--> 3
merge t using (values (5, 50), (6, 60)) s (id, a) on t.id = s.id
when matched then delete
when not matched then insert values (s.id, s.a);
go
--> [event:varchar(6) | n:int | deleted:int]
--> delete | 2 | 0
--> [event:varchar(6) | n:int | inserted:int]
--> insert | 2 | 2
insert t values (7, 7), (8, 8)
update t set a = 0 where id > 6
delete t where id > 5
go
--> [event:varchar(6) | n:int | inserted:int]
--> insert | 2 | 2
--> [event:varchar(6) | n:int | inserted:int]
--> update | 2 | 2
--> [event:varchar(6) | n:int | deleted:int]
--> delete | 3 | 3
