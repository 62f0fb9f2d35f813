-- CONVERT of a datetimeoffset to a date or time without a zone: style 1 is the clock of UTC, others keep the local one.
create database utc_db
go
use utc_db
go
declare @a datetimeoffset(3) = '2008-08-27 23:44:55.123 -07:00', @style int = 1
select convert(datetime, @a), convert(datetime, @a, 0), convert(datetime, @a, 1)
select convert(datetime2(3), @a), convert(datetime2(3), @a, 1), convert(smalldatetime, @a), convert(smalldatetime, @a, 1)
select convert(date, @a), convert(date, @a, 1), convert(time(0), @a), convert(time(0), @a, 1)
select convert(datetime, @a, 121), convert(datetime2(3), @a, @style), try_convert(datetime2(3), @a, 1), cast(@a as datetime2(3))
select convert(datetimeoffset(0), @a, 1), convert(datetime2(3), cast(@a as sql_variant), 1)
go
--> [:datetime | :datetime | :datetime]
--> 2008-08-27 23:44:55.123 | 2008-08-27 23:44:55.123 | 2008-08-28 06:44:55.123
--> (1 rows affected)
--> [:datetime2(3) | :datetime2(3) | :smalldatetime | :smalldatetime]
--> 2008-08-27 23:44:55.123 | 2008-08-28 06:44:55.123 | 2008-08-27 23:45:00 | 2008-08-28 06:45:00
--> (1 rows affected)
--> [:date | :date | :time(0) | :time(0)]
--> 2008-08-27 | 2008-08-28 | 23:44:55 | 06:44:55
--> (1 rows affected)
--> [:datetime | :datetime2(3) | :datetime2(3) | :datetime2(3)]
--> 2008-08-27 23:44:55.123 | 2008-08-28 06:44:55.123 | 2008-08-28 06:44:55.123 | 2008-08-27 23:44:55.123
--> (1 rows affected)
--> [:datetimeoffset(0) | :datetime2(3)]
--> 2008-08-27 23:44:55 -07:00 | 2008-08-28 06:44:55.123
--> (1 rows affected)
create table t (a datetimeoffset(0), d as convert(datetime2(0), a, 1), e as convert(date, a))
insert t (a) values ('2020-01-01 01:00:00 +02:00'), ('2020-01-01 23:00:00 -02:00'), (null)
select d, e, convert(date, a, 1) from t where convert(date, a, 1) >= '2019-12-31' order by a
select d, count(*) from (select convert(date, a, 1) as d from t) as days group by d order by d
drop table t
go
--> (3 rows affected)
--> [d:datetime2(0) | e:date | :date]
--> 2019-12-31 23:00:00 | 2020-01-01 | 2019-12-31
--> 2020-01-02 01:00:00 | 2020-01-01 | 2020-01-02
--> (2 rows affected)
--> [d:date | :int]
--> NULL | 1
--> 2019-12-31 | 1
--> 2020-01-02 | 1
--> (3 rows affected)
use master
drop database utc_db
go
