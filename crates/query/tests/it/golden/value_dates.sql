-- Styles may be constants or parameters.
-- dates at their ends, of other calendars, with zones; buckets of every kind of time
select datepart(tz, '2007-05-10 00:00:01.1234567 +05:10') as tz, datename(tz, '2007-10-30 12:15:32.1234567 +05:10') as name, datepart(hour, '2007-05-10 10:00:01 +05:10') as hour, datename(tzoffset, '2007-05-10') as none
select isdate('04/2008/15') as mdy, isdate('15/2008/04') as dmy, cast('04/2008/15' as date) as d
set dateformat dmy
select isdate('04/2008/15') as mdy, isdate('15/2008/04') as dmy, cast('15/2008/04' as date) as d
set dateformat mdy
go
--> [tz:int | name:nvarchar(30) | hour:int | none:nvarchar(30)]
--> 310 | +05:10 | 10 | +00:00
--> (1 rows affected)
--> [mdy:int | dmy:int | d:date]
--> 1 | 0 | 2008-04-15
--> (1 rows affected)
--> [mdy:int | dmy:int | d:date]
--> 0 | 1 | 2008-04-15
--> (1 rows affected)
select convert(datetime, '22/07/1442', 131) as d, convert(datetime, '22/07/1442 12:30:00:000PM', 131) as t, convert(date, '29/02/1442', 131) as safar
select convert(varchar(40), convert(datetime, '29/02/1442', 131), 131) as back, convert(datetime2(0), '1/1/1', 130) as first
select try_convert(datetime, '30/02/1442', 131) as no_such_day, try_convert(datetime, '22/13/1442', 131) as no_such_month
go
--> [d:datetime | t:datetime | safar:date]
--> 2021-03-05 00:00:00.000 | 2021-03-05 12:30:00.000 | 2020-10-16
--> (1 rows affected)
--> [back:varchar(40) | first:datetime2(0)]
--> 29/02/1442 12:00:00:000AM | 0622-07-18 00:00:00
--> (1 rows affected)
--> [no_such_day:datetime | no_such_month:datetime]
--> NULL | NULL
--> (1 rows affected)
select convert(datetime, '30/02/1442', 131)
go
--> [:datetime]
--> Msg 242, Level 16, State 1, Line 1: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.
select format(cast('2021-03-05 14:07:09 +02:00' as datetimeoffset), 'yyyy-MM-dd HH:mm zzz') as zzz, format(cast('2021-03-05 14:07:09 -03:30' as datetimeoffset), '%z zz zzz K') as all_of_them
select format(cast('2021-03-05 14:07:09.5 +02:00' as datetimeoffset), 'o') as o, format(cast('2021-03-05 14:07:09 +02:00' as datetimeoffset), 'u') as u, format(cast('2021-03-05 14:07:09 +02:00' as datetimeoffset), 'r') as r, format(cast('2021-03-05 14:07:09 +02:00' as datetimeoffset), '') as plain, format(cast('2021-03-05 14:07:09 +02:00' as datetimeoffset), 'd') as d
go
--> [zzz:nvarchar(4000) | all_of_them:nvarchar(4000)]
--> 2021-03-05 14:07 +02:00 | -3 -03 -03:30 -03:30
--> (1 rows affected)
--> [o:nvarchar(4000) | u:nvarchar(4000) | r:nvarchar(4000) | plain:nvarchar(4000) | d:nvarchar(4000)]
--> 2021-03-05T14:07:09.5000000+02:00 | 2021-03-05 12:07:09Z | Fri, 05 Mar 2021 12:07:09 GMT | 3/5/2021 2:07:09 PM +02:00 | 3/5/2021
--> (1 rows affected)
-- before the origin
select date_bucket(minute, 1, cast('1899-12-31 23:59:30' as datetime2(0))) as m1, date_bucket(minute, 7, cast('1899-12-31 23:59:30' as datetime)) as m7, date_bucket(week, 2, cast('1899-12-31' as date)) as w2, date_bucket(month, 5, cast('1850-03-15' as date)) as mo5, date_bucket(year, 7, cast('1850-03-15' as datetime2(0))) as y7, date_bucket(quarter, 3, cast('1850-03-15' as date)) as q3
select date_bucket(minute, 1, cast('09:00' as time(0)), cast('10:00:30' as time(0))) as t, date_bucket(minute, 1, cast('00:00:10' as time(0)), cast('00:00:30' as time(0))) as wraps, date_bucket(hour, 3, cast('02:59:59' as time(0))) as h3
select date_bucket(month, 1, cast('2024-02-29' as date), cast('2024-01-31' as date)) as last_day, date_bucket(month, 1, cast('2024-03-30' as date), cast('2024-01-31' as date)) as before_it, date_bucket(month, 1, cast('2023-12-30' as date), cast('2024-01-31' as date)) as earlier
select date_bucket(millisecond, 2147483647, cast('9999-12-31 23:59:59.999' as datetime2(3))) as ms, date_bucket(year, 2147483647, cast('2024-01-01' as date)) as huge, date_bucket(day, 1, cast('0001-01-01' as date)) as first
select date_bucket(hour, 1, cast('1899-12-31 23:30:00 +05:00' as datetimeoffset(0))) as zone, date_bucket(week, 5, cast('2020-04-15 21:22:11' as datetime2), cast('2019-01-01' as datetime2)) as weeks
go
--> [m1:datetime2(0) | m7:datetime | w2:date | mo5:date | y7:datetime2(0) | q3:date]
--> 1899-12-31 23:59:00 | 1899-12-31 23:53:00.000 | 1899-12-18 | 1850-01-01 | 1844-01-01 00:00:00 | 1849-10-01
--> (1 rows affected)
--> [t:time(0) | wraps:time(0) | h3:time(0)]
--> 08:59:30 | 23:59:30 | 00:00:00
--> (1 rows affected)
--> [last_day:date | before_it:date | earlier:date]
--> 2024-02-29 | 2024-02-29 | 2023-11-30
--> (1 rows affected)
--> [ms:datetime2(3) | huge:date | first:date]
--> 9999-12-24 23:38:55.116 | 1900-01-01 | 0001-01-01
--> (1 rows affected)
--> [zone:datetimeoffset(0) | weeks:datetime2(7)]
--> 1899-12-31 23:00:00 +05:00 | 2020-03-31 00:00:00.0000000
--> (1 rows affected)
select date_bucket(week, 1, cast('0001-01-03' as date), cast('1900-01-04' as date))
go
--> [:date]
--> Msg 517, Level 16, State 1, Line 1: Adding a value to a 'date' column caused an overflow.
select date_bucket(year, 2147483647, cast('1899-01-01' as date))
go
--> [:date]
--> Msg 517, Level 16, State 1, Line 1: Adding a value to a 'date' column caused an overflow.
select date_bucket(minute, 0, cast('1899-01-01' as datetime))
go
--> [:datetime]
--> Msg 9834, Level 16, State 1, Line 1: Invalid bucket width value passed to date_bucket function. Only positive values are allowed.
select date_bucket(minute, -5, cast('1899-01-01' as datetime))
go
--> [:datetime]
--> Msg 9834, Level 16, State 1, Line 1: Invalid bucket width value passed to date_bucket function. Only positive values are allowed.
select dateadd(year, 2147483647, cast('2024-01-01' as date))
go
--> [:date]
--> Msg 517, Level 16, State 1, Line 1: Adding a value to a 'date' column caused an overflow.
select dateadd(nanosecond, -2147483648, cast('00:00:01' as time(7))) as wraps, dateadd(month, -1, cast('2024-03-31' as date)) as last_day
select dateadd(second, -2147483648, cast('0001-01-01' as datetime2))
go
--> [wraps:time(7) | last_day:date]
--> 23:59:58.8525164 | 2024-02-29
--> (1 rows affected)
--> [:datetime2(7)]
--> Msg 517, Level 16, State 1, Line 2: Adding a value to a 'datetime2' column caused an overflow.
select datetrunc(week, cast('0001-01-01' as date))
go
--> [:date]
--> Msg 517, Level 16, State 1, Line 1: Adding a value to a 'date' column caused an overflow.
select datetrunc(year, cast('0001-06-01' as date)) as y, datetrunc(iso_week, cast('9999-12-31' as date)) as w
select value from generate_series(cast(253 as tinyint), cast(255 as tinyint))
select value from generate_series(cast(9223372036854775806 as bigint), cast(9223372036854775807 as bigint))
select value from generate_series(cast(-9223372036854775807 as bigint), cast('-9223372036854775808' as bigint), cast(-1 as bigint))
select value from generate_series(2147483640, 2147483647, 5)
go
--> [y:date | w:date]
--> 0001-01-01 | 9999-12-27
--> (1 rows affected)
--> [value:tinyint]
--> 253
--> 254
--> 255
--> (3 rows affected)
--> [value:bigint]
--> 9223372036854775806
--> 9223372036854775807
--> (2 rows affected)
--> [value:bigint]
--> -9223372036854775807
--> -9223372036854775808
--> (2 rows affected)
--> [value:int]
--> 2147483640
--> 2147483645
--> (2 rows affected)
declare @level int
exec sp_executesql N'select @@nestlevel as level'
exec ('select @@nestlevel as level')
exec sp_executesql N'exec sp_executesql N''select @@nestlevel as level'''
go
--> [level:int]
--> 2
--> (1 rows affected)
--> [level:int]
--> 1
--> (1 rows affected)
--> [level:int]
--> 4
--> (1 rows affected)
