-- differs clustered: the script makes clustered indexes of its own
-- may differ spills, threads: rows of a cross join come in another order, so that a statement that fails has taken fewer identity values
create database loads
go
use loads
create table n (i int not null primary key)
declare @i int = 0
set nocount on
while @i < 100 begin insert n values (@i) set @i = @i + 1 end
go
create table t (id int not null primary key, a int, b varchar(100), c int identity(10, 5), d as a * 2)
create index t_a on t (a)
create unique index t_b on t (b) where b is not null
go
-- Many rows, against the order of the key
insert t (id, a, b) select -(x.i * 100 + y.i), y.i, 'row ' + cast(x.i * 100 + y.i as varchar(10)) from n x cross join n y
go
select count(*), min(id), max(id), sum(a), min(c), max(c), sum(d) from t
select count(*), sum(id) from t where a = 7
select id, a from t where b = 'row 4711'
dbcc checktable ('t')
go
--> [:int | :int | :int | :int | :int | :int | :int]
--> 10000 | -9999 | 0 | 495000 | 10 | 50005 | 990000
--> [:int | :int]
--> 100 | -495700
--> [id:int | a:int]
--> -4711 | 11
--> # DBCC results for 'dbo.t'.
--> # There are 10000 rows in 76 pages for object "dbo.t".
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
-- The statement does not meet what it inserts
insert t (id, a, b) select id - 10000, a, null from t
go
select count(*), min(id), max(id) from t
go
--> [:int | :int | :int]
--> 20000 | -19999 | 0
-- A key that is there, a text that is there, a row that a check refuses: nothing of the statement stays
insert t (id, a, b) select x.i * 100 + y.i - 9000, 1, null from n x cross join n y
insert t (id, a, b) select 1 + x.i * 100 + y.i, 1, case x.i when 50 then 'row 17' end from n x cross join n y where x.i < 51
insert t (id, a, b) select 1 + x.i, 1, 'new' from n x
alter table t add constraint few check (a < 1000)
insert t (id, a, b) select 1 + x.i * 100 + y.i, x.i * 20, null from n x cross join n y
insert t (id, a, b) select 1 + x.i * 100 + y.i, 1 / (98 - x.i), null from n x cross join n y
go
--> Msg 2627, Level 14, State 1, Line 2: Violation of PRIMARY KEY constraint 'PK__t__00000000000003EB'. Cannot insert duplicate key in object 'dbo.t'. The duplicate key value is (-9000).
--> # The statement has been terminated.
--> Msg 2601, Level 14, State 1, Line 3: Cannot insert duplicate key row in object 'dbo.t' with unique index 't_b'. The duplicate key value is (row 17).
--> # The statement has been terminated.
--> Msg 2601, Level 14, State 1, Line 4: Cannot insert duplicate key row in object 'dbo.t' with unique index 't_b'. The duplicate key value is (new).
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 6: The INSERT statement conflicted with the CHECK constraint "few". The conflict occurred in database "loads", table "dbo.t", column 'a'.
--> # The statement has been terminated.
--> Msg 8134, Level 16, State 1, Line 7: Divide by zero error encountered.
--> # The statement has been terminated.
select count(*), min(id), max(id), @@trancount from t
go
--> [:int | :int | :int | :int]
--> 20000 | -19999 | 0 | 0
-- In a transaction, with savepoints
begin tran
insert t (id, a, b) select 1 + x.i * 100 + y.i, 3, null from n x cross join n y
save tran s
insert t (id, a, b) select 20000 + x.i * 100 + y.i, 4, null from n x cross join n y
select count(*) from t
rollback tran s
select count(*), max(id) from t where a = 3
rollback
select count(*), max(id) from t
go
--> [:int]
--> 40000
--> [:int | :int]
--> 10200 | 10000
--> [:int | :int]
--> 20000 | 0
-- Given rows, more than are inserted one by one
insert t (id, a, b) values (1, 1, 'i'), (3, 3, 'iii'), (2, 2, 'ii'), (4, default, 'iv'), (6, 6, 'vi'), (5, 5, 'v'), (8, 8, null), (9, 9, null), (7, 7, 'vii')
select id, a, b, c from t where id > 0
insert t (id, a, b) values (11, 1, 'xi'), (13, 3, 'xiii'), (12, 2, 'xii'), (14, 4, 'xiv'), (16, 6, 'xvi'), (15, 5, 'xv'), (18, 8, null), (19, 9, null), (13, 7, 'xvii')
select count(*) from t where id > 10
go
--> [id:int | a:int | b:varchar(100) | c:int]
--> 1 | 1 | i | 350015
--> 2 | 2 | ii | 350025
--> 3 | 3 | iii | 350020
--> 4 | NULL | iv | 350030
--> 5 | 5 | v | 350040
--> 6 | 6 | vi | 350035
--> 7 | 7 | vii | 350055
--> 8 | 8 | NULL | 350045
--> 9 | 9 | NULL | 350050
--> Msg 2627, Level 14, State 1, Line 4: Violation of PRIMARY KEY constraint 'PK__t__00000000000003EB'. Cannot insert duplicate key in object 'dbo.t'. The duplicate key value is (13).
--> # The statement has been terminated.
--> [:int]
--> 0
-- References to another table and to the own one
create table owner (id int not null primary key)
create table owned (id int not null primary key, owner int references owner, before int references owned)
insert owner select i from n where i < 50
insert owned select i, i / 2, case when i > 0 then i - 1 end from n
insert owned select 100 + i, i / 3, 100 + i + 1 from n
insert owned select 100 + i, i, null from n
select count(*) from owned
go
--> Msg 547, Level 16, State 0, Line 6: The INSERT statement conflicted with the FOREIGN KEY SAME TABLE constraint "FK__owned__befor__000003F2". The conflict occurred in database "loads", table "dbo.owned", column 'id'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 7: The INSERT statement conflicted with the FOREIGN KEY constraint "FK__owned__owner__000003F1". The conflict occurred in database "loads", table "dbo.owner", column 'id'.
--> # The statement has been terminated.
--> [:int]
--> 100
-- A table of a query; a heap; an index over rows that are not unique
select x.i * 100 + y.i as id, y.i % 10 as a, cast('text' as varchar(20)) as b into copy from n x cross join n y
select count(*), min(id), max(id) from copy
create unique index copy_a on copy (a)
go
--> [:int | :int | :int]
--> 10000 | 0 | 9999
--> Msg 1505, Level 16, State 1, Line 4: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.copy' and the index name 'copy_a'. The duplicate key value is (0).
create unique index copy_id on copy (id desc) include (b)
create index copy_b on copy (a) where a > 4
select top 3 id, b from copy order by id desc
select count(*) from copy where a = 5
drop index copy_id on copy
alter table copy alter column id int not null
create unique index copy_id on copy (id desc) include (b)
alter table copy add primary key (id)
select top 3 id, a, b from copy order by id
insert copy select top 20 id + 10000, a, b from copy
set rowcount 7
insert copy select id + 20000, a, b from copy
set rowcount 0
select count(*), max(id) from copy
dbcc checktable ('copy')
go
--> [id:int | b:varchar(20)]
--> 9999 | text
--> 9998 | text
--> 9997 | text
--> [:int]
--> 1000
--> [id:int | a:int | b:varchar(20)]
--> 0 | 0 | text
--> 1 | 1 | text
--> 2 | 2 | text
--> [:int | :int]
--> 10027 | 20006
--> # DBCC results for 'dbo.copy'.
--> # There are 10027 rows in 44 pages for object "dbo.copy".
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
-- A clustered index with equal keys
create table equal_keys (a int, b int)
create clustered index equal_keys_a on equal_keys (a)
insert equal_keys select y.i % 3, x.i * 100 + y.i from n x cross join n y where x.i < 20
insert equal_keys select a, b + 2000 from equal_keys
select a, count(*), count(distinct b) from equal_keys group by a order by a
go
--> [a:int | :int | :int]
--> 0 | 1360 | 1360
--> 1 | 1320 | 1320
--> 2 | 1320 | 1320
select name, max_column_id_used from sys.tables order by name
go
--> [name:nvarchar(128) | max_column_id_used:int]
--> copy | 3
--> equal_keys | 2
--> n | 1
--> owned | 3
--> owner | 1
--> t | 5
