-- Names of variables and parameters may begin with @@ ("To avoid confusion with these functions, you shouldn't use names that
-- start with @@", Database identifiers); functions keep theirs.
create database double_at_names
go
use double_at_names
set nocount on
go
declare @@x int = 5; set @@x += 1; select @@x as x
select @@x = 7, @@x += 1
select @@X as x, @@rowcount as rows, @@error as error
go
--> [x:int]
--> 6
--> [x:int | rows:int | error:int]
--> 8 | 1 | 0
declare @@t table (id int, b varchar (5)); insert @@t values (1, 'a'), (2, 'b')
select id from @@t order by id
update @@t set b = 'c' where id = 2
select x.b from @@t x where x.id = 2
delete @@t
select count (*) as n from @@t
go
--> [id:int]
--> 1
--> 2
--> [b:varchar(5)]
--> c
--> [n:int]
--> 0
declare @@c cursor, @@i int
set @@c = cursor for select 3 union all select 4
open @@c
fetch @@c into @@i
select @@i as i, @@fetch_status as status
close @@c deallocate @@c
go
--> [i:int | status:int]
--> 3 | 0
create proc pa @@a int, @@b int = 2 output as set @@b = @@a + @@b select @@a + 1 as a
go
declare @@o int = 10
exec pa @@a = 2
exec pa 3, @@o output
select @@o as o
exec pa @@b = @@o output, @@a = 5
select @@o as o
exec sp_executesql N'select @@p + @q as sum', N'@@p int, @q int', @@p = 1, @q = 2
declare @@n sysname = 'pa'
exec @@n 1
exec @@o = pa 1
select @@o as o
go
--> [a:int]
--> 3
--> [a:int]
--> 4
--> [o:int]
--> 13
--> [a:int]
--> 6
--> [o:int]
--> 18
--> [sum:int]
--> 3
--> [a:int]
--> 2
--> [a:int]
--> 2
--> [o:int]
--> 0
create function fa (@@a int) returns int as begin declare @@l int = @@a * 2 return @@l end
go
create function ta (@@a int) returns @@r table (id int) as begin insert @@r values (@@a) return end
go
create function ia (@@a int) returns table as return select @@a as a
go
select dbo.fa (4) as a
select id from ta (5)
select a from ia (6)
go
--> [a:int]
--> 8
--> [id:int]
--> 5
--> [a:int]
--> 6
create table t (id int)
insert t values (1), (2)
declare @@s int = 0
update t set @@s = id = id + @@s
select @@s as s
select top (@@s - 2) id from t order by id
go
--> [s:int]
--> 3
--> [id:int]
--> 1
-- What is declared nowhere, or only further down.
select @@nothing
go
--> Msg 137, Level 15, State 2, Line 2: Must declare the scalar variable "@@nothing".
select @@y
declare @@y int
go
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@@y".
set @@y = 1
go
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@@y".
insert @@y values (1)
go
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@@y".
declare @@z int, @@Z int
go
--> Msg 134, Level 15, State 1, Line 1: The variable name '@@Z' has already been declared. Variable names must be unique within a query batch or stored procedure.
