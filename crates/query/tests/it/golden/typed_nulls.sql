-- differs parameters: a style that is not a constant is refused by name
-- CAST of NULL has the type of the cast, the NULL that is only written has none.
select isnull(cast(null as varchar(3)), 'abcdef') a, isnull(cast(null as int), '5') b, isnull(null, null) c, isnull(null, 'abc') d
go
--> [a:varchar(3) | b:int | c:int | d:varchar(3)]
--> abc | 5 | NULL | abc
--> (1 rows affected)
select coalesce(cast(null as int), 1.5) a, coalesce(cast(null as date), '2021-01-02') b, coalesce(null, cast(null as bit)) c
go
--> [a:numeric(11,1) | b:date | c:bit]
--> 1.5 | 2021-01-02 | NULL
--> (1 rows affected)
select case when 1 = 1 then cast(null as int) else 'abc' end a, case when 1 = 1 then null else 'abc' end b,
    iif(1 = 1, cast(null as date), null) c, choose(1, cast(null as bigint), 2) d
go
--> [a:int | b:varchar(3) | c:date | d:bigint]
--> NULL | NULL | NULL | NULL
--> (1 rows affected)
select cast(null as int) a union all select 'abc'
go
--> [a:int]
--> NULL
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'abc' to data type int.
select cast(null as varchar(10)) a union all select 'abc'
go
--> [a:varchar(10)]
--> NULL
--> abc
--> (2 rows affected)
select nullif(cast(null as int), 1) a, nullif(cast(null as varchar(7)), 'x') b, nullif(1, null) c
go
--> [a:int | b:varchar(7) | c:tinyint]
--> NULL | NULL | 1
--> (1 rows affected)
select format(cast(null as int), 'd') a, format(cast(null as date), 'd') b
go
--> [a:nvarchar(4000) | b:nvarchar(4000)]
--> NULL | NULL
--> (1 rows affected)
select try_cast(null as date) a, convert(varchar(5), null) b, try_convert(int, null) c, convert(varchar(5), null, 3) d
go
--> [a:date | b:varchar(5) | c:int | d:varchar(5)]
--> NULL | NULL | NULL | NULL
--> (1 rows affected)
select cast(null as int) + 1 a, null + 1 b, cast(null as varchar(3)) + 'abc' c, cast(null as numeric(5, 2)) * 2 d
go
--> [a:int | b:int | c:varchar(6) | d:numeric(7,2)]
--> NULL | NULL | NULL | NULL
--> (1 rows affected)
select coalesce(null + 1, 'abc')
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'abc' to data type int.
select isnull(cast(null as varchar(2)) + 'b', 'abcdef') a
go
--> [a:varchar(3)]
--> abc
--> (1 rows affected)
select a, b into #n from (select cast(null as date) a, null b) t
select name, type_name(system_type_id) t, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#n') order by column_id
go
--> (1 rows affected)
--> [name:nvarchar(128) | t:nvarchar(128) | is_nullable:bit]
--> a | date | 1
--> b | int | 1
--> (2 rows affected)
select v from (values (cast(null as date)), (null)) t(v)
go
--> [v:date]
--> NULL
--> NULL
--> (2 rows affected)
select sum(v) v from (values (cast(null as int)), ('abc')) t(v)
go
--> [v:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'abc' to data type int.
declare @d date = cast(null as date), @i int = cast(null as int)
select @d d, @i i where cast(null as int) is null
go
--> [d:date | i:int]
--> NULL | NULL
--> (1 rows affected)
create table tn(a int null, d date null default cast(null as date))
insert tn values (cast(null as int), cast(null as date)), (1, default)
insert tn(a) values (cast(null as varchar(5)))
select a, d from tn order by a
select count(*) n from tn where a = cast(null as int) or a in (cast(null as int), 1)
go
--> (2 rows affected)
--> (1 rows affected)
--> [a:int | d:date]
--> NULL | NULL
--> NULL | NULL
--> 1 | NULL
--> (3 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
insert tn(d) values (cast(null as int))
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
select max(cast(null as int)) a, sum(cast(null as int)) b, count(cast(null as int)) c from tn
go
--> [a:int | b:int | c:int]
--> NULL | NULL | 0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select lag(a, 1, cast(null as int)) over (order by a) l from tn
go
--> [l:int]
--> NULL
--> NULL
--> NULL
--> (3 rows affected)
select top (cast(null as int)) a from tn
go
--> [a:int]
--> Msg 1060, Level 15, State 1, Line 1: The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.
-- A binary stays one under STUFF.
select stuff(0x010203, 2, 1, 0xFF) a, stuff(0x010203, 2, 5, 0xAABB) b, stuff(0x0102, 3, 1, 0xFF) c, stuff(0x010203, 1, 1, null) d
go
--> [a:varbinary(4) | b:varbinary(5) | c:varbinary(3) | d:varbinary(3)]
--> 0x01FF03 | 0x01AABB | NULL | 0x0203
--> (1 rows affected)
-- A mean's sum must fit the type of the result.
select avg(a) from (values (2147483647), (1)) t(a)
go
--> [:int]
--> Msg 8115, Level 16, State 1, Line 2: Arithmetic overflow error converting expression to data type int.
select avg(a) over () from (values (2147483647), (1)) t(a)
go
--> [:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select avg(cast(a as bigint)) a from (values (2147483647), (1)) t(a)
go
--> [a:bigint]
--> 1073741824
--> (1 rows affected)
-- Scales of dates that are made of parts.
select timefromparts(14, 23, 44, 500, 3) a, timefromparts(14, 23, 44, 0, 0) b, datetime2fromparts(2011, 8, 15, 14, 23, 44, 5, 1) c,
    datetimeoffsetfromparts(2011, 8, 15, 14, 30, 0, 5, 12, 30, 1) d, datetime2fromparts(2011, 8, null, 14, 23, 44, 5, 2 + 1) e
go
--> [a:time(3) | b:time(0) | c:datetime2(1) | d:datetimeoffset(1) | e:datetime2(3)]
--> 14:23:44.500 | 14:23:44 | 2011-08-15 14:23:44.5 | 2011-08-15 14:30:00.5 +12:30 | NULL
--> (1 rows affected)
select datetime2fromparts(2011, 8, 15, 14, 23, 44, 50, null)
go
--> Msg 10760, Level 16, State 1, Line 1: Scale argument is not valid. Valid expressions for data type datetime2 scale argument are integer constants and integer constant expressions.
declare @s int = 3
select timefromparts(14, 23, 44, 500, @s)
go
--> Msg 10760, Level 16, State 1, Line 2: Scale argument is not valid. Valid expressions for data type time scale argument are integer constants and integer constant expressions.
select timefromparts(14, 23, 44, 500, 8)
go
--> Msg 1002, Level 15, State 1, Line 1: Specified scale 8 is invalid.
select timefromparts(14, 23, 44, 500, 2)
go
--> [:time(2)]
--> Msg 289, Level 16, State 1, Line 1: Cannot construct data type time, some of the arguments have values which are not valid.
select datetimeoffsetfromparts(2011, 8, 15, 14, 30, 0, 5, 12, -30, 1)
go
--> [:datetimeoffset(1)]
--> Msg 289, Level 16, State 1, Line 1: Cannot construct data type datetimeoffset, some of the arguments have values which are not valid.
select datetimeoffsetfromparts(2011, 8, 15, 14, 30, 0, 5, 12, 30, null)
go
--> Msg 10760, Level 16, State 1, Line 1: Scale argument is not valid. Valid expressions for data type datetimeoffset scale argument are integer constants and integer constant expressions.
select todatetimeoffset(cast('2021-01-01 10:00' as datetime2(0)), 60) a, switchoffset(cast('2021-01-01' as datetimeoffset(2)), '+01:00') b,
    todatetimeoffset('2021-01-01 10:00', '-05:00') c
go
--> [a:datetimeoffset(0) | b:datetimeoffset(2) | c:datetimeoffset(7)]
--> 2021-01-01 10:00:00 +01:00 | 2021-01-01 01:00:00.00 +01:00 | 2021-01-01 10:00:00.0000000 -05:00
--> (1 rows affected)
