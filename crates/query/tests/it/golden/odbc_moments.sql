-- ODBC's literals are datetime values, the same whatever DATEFORMAT says; one of a time is of today.
set nocount on
create table m (d datetime, c date constraint dc default {d '2016-05-04'}, s datetime2(3))
go
set dateformat dmy
insert m (d, s) values ({d '2016-05-04'}, {ts '2016-05-04 13:33:41.123'})
select d, c, s from m
select {d '2016-05-04'} + 1 as next, {ts '2016-05-04 01:02:03'} as moment, N'x' as x where {d '2016-05-04'} < '20160505'
select month({d '2016-05-04'}) as m, datediff(day, {d '2016-05-04'}, {ts '2016-05-05 00:00:00'}) as days
go
--> [d:datetime | c:date | s:datetime2(3)]
--> 2016-05-04 00:00:00.000 | 2016-05-04 | 2016-05-04 13:33:41.123
--> [next:datetime | moment:datetime | x:nvarchar(1)]
--> 2016-05-05 00:00:00.000 | 2016-05-04 01:02:03.000 | x
--> [m:int | days:int]
--> 5 | 1
set dateformat ydm
select {ts '2016-05-04 01:02:03.456'} as moment
go
--> [moment:datetime]
--> 2016-05-04 01:02:03.457
set dateformat mdy
select case when {t '13:33:41'} = cast(cast(getdate() as date) as datetime) + cast('13:33:41' as datetime) then 1 else 0 end as today
select sql_variant_property({d '2016-05-04'}, 'basetype') as d, sql_variant_property({t '01:00:00'}, 'basetype') as t
go
--> [today:int]
--> 1
--> [d:sql_variant | t:sql_variant]
--> datetime | datetime
create view of_moment as select {ts '2016-05-04 01:02:03'} as moment, {d N'2016-05-04'} as d
go
select moment, d from of_moment
select definition from sys.default_constraints where name = 'dc'
go
--> [moment:datetime | d:datetime]
--> 2016-05-04 01:02:03.000 | 2016-05-04 00:00:00.000
--> [definition:nvarchar(max)]
--> ({d '2016-05-04'})
select {d '2016-13-04'} as d
go
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
select {ts 'soon'} as d
go
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
select {x '2016-05-04'} as d
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'x'.
