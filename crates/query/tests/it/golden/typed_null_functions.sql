-- differs parameters: a constant length of LEFT, RIGHT and SUBSTRING is that of its result
-- A function whose body is NULL has the type that it returns wherever the call stands.
create function f2() returns int as begin return null end
go
create function f1() returns nvarchar(100) as begin return null end
go
create function f3() returns datetime as begin return null end
go
create function sf(@a int) returns int as begin return @a end
go
create function tf(@a int) returns table as return select @a as v, isnull(@a,1.9) as w, coalesce(@a,@a) as z
go
create table one (x int);
insert one values (1),(2)
go
--> (2 rows affected)
select isnull(dbo.f2(),1.9), len(isnull(dbo.f1(),replicate('x',150))), isnull(dbo.sf(null),1.9)
go
--> [:int | :int | :int]
--> 1 | 100 | 1
--> (1 rows affected)
select isnull(v,1.9), w, z from tf(null)
go
--> [:int | w:int | z:int]
--> 1 | 1 | NULL
--> (1 rows affected)
select coalesce(v,v) from tf(null)
go
--> [:int]
--> NULL
--> (1 rows affected)
declare @i int select isnull(@i,1.9), coalesce(@i,@i), isnull(v,1.9), w, z from tf(@i)
go
--> [:int | :int | :int | w:int | z:int]
--> 1 | NULL | 1 | 1 | NULL
--> (1 rows affected)
select isnull(cast(null as int),1.9), coalesce(cast(null as int),cast(null as int)), isnull(convert(int,null),1.9), isnull(try_cast(null as int), 1.9)
go
--> [:int | :int | :int | :int]
--> 1 | NULL | 1 | 1
--> (1 rows affected)
select isnull(v,1.9), coalesce(v,v) from (select null v) d
go
--> [:int | :int]
--> 1 | NULL
--> (1 rows affected)
select isnull(v,1.9), coalesce(v,v) from (select cast(null as tinyint) v) d
go
--> [:tinyint | :tinyint]
--> 1 | NULL
--> (1 rows affected)
with d as (select cast(null as tinyint) v union all select null) select isnull(v,1.9), coalesce(v,v) from d
go
--> [:tinyint | :tinyint]
--> 1 | NULL
--> 1 | NULL
--> (2 rows affected)
select isnull(nullif(1,1),1.9), isnull(iif(1=0,1,null),1.9), isnull(case when 1=0 then 1 end,1.9)
go
--> [:tinyint | :int | :int]
--> 1 | 1 | 1
--> (1 rows affected)
exec sp_executesql N'select isnull(@p,1.9), coalesce(@p,@p), sum(@p)', N'@p int', null
go
--> [:int | :int | :int]
--> 1 | NULL | NULL
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select coalesce(dbo.f1(),dbo.f1())
go
--> [:nvarchar(100)]
--> NULL
--> (1 rows affected)
select count(dbo.f2()) from one
go
--> [:int]
--> 0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select case when x=1 then dbo.f2() end from one
go
--> [:int]
--> NULL
--> NULL
--> (2 rows affected)
select substring(dbo.f1(),1,2)
go
--> [:nvarchar(2)]
--> NULL
--> (1 rows affected)
select format(dbo.f3(),'d')
go
--> [:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select dbo.f3() at time zone 'UTC'
go
--> [:datetimeoffset(3)]
--> NULL
--> (1 rows affected)
select count(dbo.sf(null)) from one
go
--> [:int]
--> 0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select dbo.f2() as q union select 1.9
go
--> [q:numeric(11,1)]
--> NULL
--> 1.9
--> (2 rows affected)
select dbo.f2() v, dbo.f1() w into vt from one select name, type_name(system_type_id), max_length from sys.columns where object_id=object_id('vt')
go
--> (2 rows affected)
--> [name:nvarchar(128) | :nvarchar(128) | max_length:smallint]
--> v | int | 4
--> w | nvarchar | 200
--> (2 rows affected)
select isnull(dbo.sf(dbo.f2()),1.9), nullif(dbo.f2(),1), choose(1,dbo.f2(),dbo.f2()), iif(1=1,dbo.f2(),null), iif(1=1,null,dbo.f2())
go
--> [:int | :int | :int | :int | :int]
--> 1 | NULL | NULL | NULL | NULL
--> (1 rows affected)
select sum(dbo.f2()), max(dbo.f1()), avg(v) from (select dbo.f2() v) d
go
--> [:int | :nvarchar(100) | :int]
--> NULL | NULL | NULL
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select top (dbo.f2()) * from one
go
--> [x:int]
--> Msg 1060, Level 15, State 1, Line 1: The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.
declare @i int;
select isnull(@i, 1.9) as variable, isnull(cast(null as int), 1.9) as constant, isnull(try_cast('x' as int), 1.9) as failed;
select isnull(v, 1.9) as derived, coalesce(v, v) as both from (select dbo.f2() as v) as d;
select isnull(v, 1.9) as of_union from (select dbo.f2() as v union all select dbo.f2()) as d;
go
--> [variable:int | constant:int | failed:int]
--> 1 | 1 | 1
--> (1 rows affected)
--> [derived:int | both:int]
--> 1 | NULL
--> (1 rows affected)
--> [of_union:int]
--> 1
--> 1
--> (2 rows affected)
select nullif(dbo.f2(), 1) as n, choose(1, dbo.f2(), dbo.f2()) as c, greatest(dbo.f2(), dbo.f2()) as g, -dbo.f2() as m, dbo.f2() + dbo.f2() as s;
go
--> [n:int | c:int | g:int | m:int | s:int]
--> NULL | NULL | NULL | NULL | NULL
--> (1 rows affected)
select dbo.f1() + 'x' as t, concat(dbo.f1(), 'x') as c, dbo.f1() collate Latin1_General_BIN as b;
select 1 as never where dbo.f2() in (1, 2) or dbo.f2() = 1 or dbo.f1() like 'a%';
select min(dbo.f2()) as least, sum(dbo.f2()) as total, stdev(dbo.f2()) as spread from one;
create table kept (a int, b as isnull(dbo.f2(), 1.9));
insert kept (a) values (1);
select b from kept;
go
--> [t:nvarchar(101) | c:nvarchar(101) | b:nvarchar(100)]
--> NULL | x | NULL
--> (1 rows affected)
--> [never:int]
--> (0 rows affected)
--> [least:int | total:int | spread:float]
--> NULL | NULL | NULL
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> (1 rows affected)
--> [b:int]
--> 1
--> (1 rows affected)
