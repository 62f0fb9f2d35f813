-- A scope makes a temporary table of a name that a scope around it has: SELECT INTO as CREATE TABLE.
create procedure dbo.inner_into as
select 2 as b, 'inner' as v into #a
select * from #a
insert #a values (3, 'more')
go
create procedure dbo.inner_from_outer as
select a * 10 as c into #a from #a
select * from #a
go
select 1 as a into #a
exec dbo.inner_into
exec dbo.inner_from_outer
exec dbo.inner_from_outer
select * from #a
exec('select 4 as d into #a; select * from #a')
select * from #a
go
--> (1 rows affected)
--> (1 rows affected)
--> [b:int | v:varchar(5)]
--> 2 | inner
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [c:int]
--> 10
--> (1 rows affected)
--> (1 rows affected)
--> [c:int]
--> 10
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> [d:int]
--> 4
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
-- in one scope the name is taken
select 5 as a into #a
go
--> Msg 2714, Level 16, State 6, Line 2: There is already an object named '#a' in the database.
select 1 as x into #b select 2 as x into #b
go
--> Msg 2714, Level 16, State 1, Line 1: There is already an object named '#b' in the database.
drop table #a, #b
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the table '#b', because it does not exist or you do not have permission.
drop procedure dbo.inner_into
drop procedure dbo.inner_from_outer
go
