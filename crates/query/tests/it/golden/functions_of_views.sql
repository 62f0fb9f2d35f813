-- What a function must not call itself, a view that it reads may: the well-known way round 443 for random numbers.
create database functions_of_views
go
use functions_of_views
set nocount on
go
create view dbo.VRand as select rand() as r
go
create view dbo.VId as select newid() as id
go
create function dbo.PerRowRand() returns float as begin return (select r from dbo.VRand) end
go
create function dbo.RandBeside (@i int) returns float as begin declare @r float = (select r from dbo.VRand) return @r + 0 * @i end
go
create function dbo.NewIds (@n int) returns @t table (id uniqueidentifier) as
begin
while @n > 0 begin insert @t select id from dbo.VId; set @n -= 1 end
return
end
go
create function dbo.OneId () returns table as return select id from dbo.VId
go
select case when dbo.PerRowRand() between 0 and 1 then 'ok' end as x
select count (distinct r) as n from (select top 5 dbo.RandBeside (i) as r from (values (1), (2), (3), (4), (5)) v (i)) x
select count (distinct id) as n from dbo.NewIds (3)
select count (*) as n from dbo.OneId () where id is not null
go
--> [x:varchar(2)]
--> ok
--> [n:int]
--> 5
--> [n:int]
--> 3
--> [n:int]
--> 1
-- Its own text is refused as before.
create function dbo.OwnRand() returns float as begin return rand() end
go
--> Msg 443, Level 16, State 1, Line 2: Invalid use of a side-effecting operator 'rand' within a function.
create function dbo.OwnId() returns table as return select newid() as id
go
--> Msg 443, Level 16, State 1, Line 1: Invalid use of a side-effecting operator 'newid' within a function.
create function dbo.OwnBeside() returns float as begin return (select r + rand() from dbo.VRand) end
go
--> Msg 443, Level 16, State 1, Line 1: Invalid use of a side-effecting operator 'rand' within a function.
