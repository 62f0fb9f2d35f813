-- differs secondary: an index on the table is in the way of ALTER COLUMN
-- differs snapshot: a definition has no versions
-- Identity values after the undoing of transactions that took the rows out, or built them anew: they go on where they were.
set nocount on
create table t (id int identity, a int not null, b int, constraint pk_t primary key nonclustered (a))
insert t (a) select value from generate_series(1, 50)
go
-- Both orders.
begin transaction
truncate table t
create clustered index ci on t (id)
rollback
insert t (a) values (999)
select id from t where a = 999
go
--> [id:int]
--> 51
begin transaction
create clustered index ci on t (id)
truncate table t
insert t (a) values (1), (2)
rollback
insert t (a) values (1000)
select id from t where a = 1000
go
--> [id:int]
--> 52
-- To a savepoint.
begin transaction
save transaction s
truncate table t
alter table t alter column b varchar(20)
rollback transaction s
insert t (a) values (1001)
commit
select id from t where a = 1001
go
--> [id:int]
--> 53
-- What a rebuilt table gave before the rollback is not given again.
begin transaction
create clustered index ci on t (id)
insert t (a) values (2000)
rollback
insert t (a) values (2001)
select id from t where a = 2001
go
--> [id:int]
--> 55
-- A key.
create table k (id int identity primary key, a int)
insert k (a) select value from generate_series(1, 50)
go
begin transaction
truncate table k
alter index all on k rebuild
rollback
insert k (a) values (51)
select max(id) from k
go
--> [:int]
--> 51
-- Another identity column begins anew; undone, the old one goes on.
create table o (a int, id int identity(991, 1))
insert o (a) select value from generate_series(1, 10)
go
begin transaction
alter table o drop column id
alter table o add id int identity(1, 1)
insert o (a) values (11)
select max(id) from o
rollback
insert o (a) values (12)
select max(id) from o
go
--> [:int]
--> 11
--> [:int]
--> 1001
delete o
go
alter table o drop column id
go
alter table o add id int identity(5, 5)
go
insert o (a) values (1)
insert o (a) values (2)
select id from o order by id
go
--> [id:int]
--> 5
--> 10
drop table t, k, o
go
