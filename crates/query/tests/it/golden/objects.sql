-- Schemas, views, types, synonyms, SELECT INTO, OUTPUT.
create database shop
go
use shop
set nocount on
go
create schema sales
go
create table sales.t (id int primary key, v varchar(10))
insert sales.t values (1, 'a'), (2, 'b'), (3, 'c')
select * from sales.t where id = 2
select * from t
go
--> [id:int | v:varchar(10)]
--> 2 | b
--> Msg 208, Level 16, State 1, Line 4: Invalid object name 't'.
create view sales.big as select id, v from sales.t where id > 1
go
select * from sales.big order by id desc
select v from sales.big where id = 3
go
--> [id:int | v:varchar(10)]
--> 3 | c
--> 2 | b
--> [v:varchar(10)]
--> c
create view dbo.named (x, y) as select id * 10, v from sales.big
go
select x from named where y = 'c'
go
--> [x:int]
--> 30
alter table sales.t add w int
go
select * from sales.big
drop view sales.big
select * from named
go
--> [id:int | v:varchar(10)]
--> 2 | b
--> 3 | c
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'sales.big'.
--> Msg 4413, Level 16, State 1, Line 3: Could not use view or function 'named' because of binding errors.
create type phone from varchar(15) not null
create table p (n phone, m phone null)
insert p values (null, null)
insert p values ('1', null)
select * from p
drop type phone
drop table p
drop type phone
go
--> Msg 515, Level 16, State 2, Line 3: Cannot insert the value NULL into column 'n', table 'shop.dbo.p'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> [n:varchar(15) | m:varchar(15)]
--> 1 | NULL
--> Msg 3732, Level 16, State 1, Line 6: Cannot drop type 'dbo.phone' because it is being referenced by object 'p'. There may be other objects that reference this type.
create synonym s for sales.t
select count(*) from s
drop synonym s
go
--> [:int]
--> 3
select id, v into copy from sales.t where id < 3
select * from copy
select id into copy from sales.t
go
--> [id:int | v:varchar(10)]
--> 1 | a
--> 2 | b
--> Msg 2714, Level 16, State 6, Line 3: There is already an object named 'copy' in the database.
update sales.t set v = upper(v) output inserted.id, deleted.v as old, inserted.v as new where id >= 2
delete sales.t output deleted.id where id = 3
create table #log (id int, what varchar(10))
insert sales.t (id, v) output inserted.id, 'in' into #log values (7, 'x'), (8, 'y')
delete top (1) from sales.t output deleted.id, 'out' into #log (id, what) where id > 6
select * from #log
go
--> [id:int | old:varchar(10) | new:varchar(10)]
--> 2 | b | B
--> 3 | c | C
--> [id:int]
--> 3
--> [id:int | what:varchar(10)]
--> 7 | in
--> 8 | in
--> 7 | out
update a set v = b.what from sales.t a join #log b on b.id = a.id
select id, v from sales.t
delete a from sales.t a join #log b on b.id = a.id
select id from sales.t
go
--> [id:int | v:varchar(10)]
--> 1 | a
--> 2 | B
--> 8 | in
--> [id:int]
--> 1
--> 2
begin transaction
exec ('create schema other')
drop table sales.t
rollback
select count(*) from sales.t
drop schema other
drop schema sales
go
--> [:int]
--> 2
--> Msg 3701, Level 11, State 5, Line 6: Cannot drop the schema 'other', because it does not exist or you do not have permission.
--> Msg 3729, Level 16, State 1, Line 7: Cannot drop schema 'sales' because it is being referenced by object 't'.
