-- A table variable is of the text that declares it alone: what the text calls does not see it.
create database own_variables
go
use own_variables
set nocount on
go
declare @t table (a int)
insert @t values (1)
exec ('insert @t values (2); select * from @t')
select * from @t
go
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@t".
--> [a:int]
--> 1
declare @t table (a int)
insert @t values (1)
exec sp_executesql N'delete @t'
exec sp_executesql N'exec (''update @t set a = 5'')'
exec ('truncate table #nothing; select * from @t')
select * from @t
go
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@t".
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@t".
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@t".
--> [a:int]
--> 1
-- One of its own by the same name.
declare @t table (a int)
insert @t values (1)
exec ('declare @t table (b varchar(5)); insert @t values (''own''); select * from @t')
exec sp_executesql N'declare @t table (b varchar(5)); insert @t values (''own''); exec (''select * from @t''); select * from @t'
select * from @t
go
--> [b:varchar(5)]
--> own
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@t".
--> [b:varchar(5)]
--> own
--> [a:int]
--> 1
create procedure reads as
    declare @t table (a int)
    insert @t values (1)
    exec ('select * from @t')
    select * from @t
go
exec reads
go
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@t".
--> [a:int]
--> 1
-- Handed over it is seen, at each level that it is handed to.
create type numbers as table (a int)
go
create procedure hands @n numbers readonly as
    exec sp_executesql N'select sum(a) as s from @m; exec (''select * from @m'')', N'@m numbers readonly', @m = @n
    exec sp_executesql N'select * from @n'
    select count(*) as n from @n
go
declare @x numbers
insert @x values (1), (2)
exec hands @x
go
--> [s:int]
--> 3
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@m".
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@n".
--> [n:int]
--> 2
-- A cursor over one, a trigger, a function, a temporary table beside it, TRY around it.
declare @t table (a int)
insert @t values (1), (2)
declare c cursor local static for select a from @t order by a
declare @a int
open c
fetch c into @a
while @@fetch_status = 0
begin
    exec sp_executesql N'select @a as a', N'@a int', @a
    fetch c into @a
end
create table #t (a int)
insert #t values (7)
exec ('insert #t values (8); select * from #t')
begin try
    exec ('select * from @t')
end try
begin catch
    select error_number() as number, error_message() as text
end catch
declare @r table (a int)
insert @r exec ('declare @t table (a int); insert @t values (9); select a from @t')
select * from @r
drop table #t
go
--> [a:int]
--> 1
--> [a:int]
--> 2
--> [a:int]
--> 7
--> 8
--> [number:int | text:nvarchar(4000)]
--> 1087 | Must declare the table variable "@t".
--> [a:int]
--> 9
create function twice (@n int) returns @t table (a int) as begin insert @t values (@n), (@n); return end
go
declare @t table (a int)
insert @t values (3)
select f.a from @t t cross apply twice(t.a) f
go
--> [a:int]
--> 3
--> 3
-- More of them than are looked through by name.
declare @a table (a int) declare @b table (a int) declare @c table (a int) declare @d table (a int) declare @e table (a int)
declare @f table (a int) declare @g table (a int) declare @h table (a int) declare @i table (a int) declare @j table (a int)
insert @j values (1)
exec ('insert @j values (2)')
exec ('declare @j table (a int); insert @j values (3); select * from @j')
select * from @j
go
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@j".
--> [a:int]
--> 3
--> [a:int]
--> 1
