-- GENERATE_SERIES
select value from generate_series(1, 5)
go
--> [value:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> (5 rows affected)
select * from generate_series(10, 1, -4) as s
go
--> [value:int]
--> 10
--> 6
--> 2
--> (3 rows affected)
select n from generate_series(5, 3) as s(n)
go
--> [n:int]
--> 5
--> 4
--> 3
--> (3 rows affected)
select value from generate_series(1.5, 3.0, 0.5)
go
--> [value:numeric(2,1)]
--> 1.5
--> 2.0
--> 2.5
--> 3.0
--> (4 rows affected)
declare @a bigint = 9223372036854775806, @b bigint = 9223372036854775807
select value from generate_series(@a, @b)
go
--> [value:bigint]
--> 9223372036854775806
--> 9223372036854775807
--> (2 rows affected)
declare @a tinyint = 3, @b tinyint = 1
select value from generate_series(@a, @b)
go
--> [value:tinyint]
--> 3
--> 2
--> 1
--> (3 rows affected)
select count(*) as n, sum(cast(value as bigint)) as s, max(value) as m from generate_series(1, 1000000)
go
--> [n:int | s:bigint | m:int]
--> 1000000 | 500000500000 | 1000000
--> (1 rows affected)
select top 3 value from generate_series(1, 2000000000) where value % 7 = 0
go
--> [value:int]
--> 7
--> 14
--> 21
--> (3 rows affected)
declare @null int
select value from generate_series(1, @null)
select value from generate_series(1, 5, -1)
go
--> [value:int]
--> (0 rows affected)
--> [value:int]
--> (0 rows affected)
select t.n, s.value from (values (1), (3)) as t(n) cross apply generate_series(1, t.n) as s order by t.n, s.value
go
--> [n:int | value:int]
--> 1 | 1
--> 3 | 1
--> 3 | 2
--> 3 | 3
--> (4 rows affected)
select dateadd(day, value, '20240227') as d, row_number() over (order by value desc) as n from generate_series(0, 2) order by value
go
--> [d:datetime | n:bigint]
--> 2024-02-27 00:00:00.000 | 3
--> 2024-02-28 00:00:00.000 | 2
--> 2024-02-29 00:00:00.000 | 1
--> (3 rows affected)
select value, value * 2 as twice into #numbers from generate_series(1, 10000)
select count(*) as n, sum(twice) as s from #numbers
go
--> (10000 rows affected)
--> [n:int | s:int]
--> 10000 | 100010000
--> (1 rows affected)
select value from generate_series(1, 10, 0)
go
--> [value:int]
--> Msg 4199, Level 16, State 1, Line 1: Argument value 0 is invalid for argument 3 of generate_series function.
select value from generate_series(1, 10.0)
go
--> Msg 5373, Level 16, State 1, Line 1: All the input parameters should be of the same type. Supported types are tinyint, smallint, int, bigint, decimal and numeric.
select value from generate_series('1', '3')
go
--> Msg 5373, Level 16, State 1, Line 1: All the input parameters should be of the same type. Supported types are tinyint, smallint, int, bigint, decimal and numeric.
select value from generate_series(1)
go
--> Msg 313, Level 16, State 3, Line 1: An insufficient number of arguments were supplied for the procedure or function generate_series.
declare @a int = 1, @b bigint = 2
select value from generate_series(@a, @b)
go
--> Msg 5373, Level 16, State 1, Line 2: All the input parameters should be of the same type. Supported types are tinyint, smallint, int, bigint, decimal and numeric.
-- comparisons with ALL and ANY
create table #t (id int not null, a int)
insert #t values (1, 10), (2, 20), (3, null)
go
--> (3 rows affected)
select id from #t where a > all (select a from #t where id < 1) order by id
go
--> [id:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
select id from #t where a >= all (select a from #t where a is not null) order by id
go
--> [id:int]
--> 2
--> (1 rows affected)
select id from #t where a >= all (select a from #t) order by id
go
--> [id:int]
--> (0 rows affected)
select id from #t where a > any (select a from #t) order by id
go
--> [id:int]
--> 2
--> (1 rows affected)
select id from #t where id < some (select id from #t where id = 3) order by id
go
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
select id, case when a > any (select a from #t) then 'yes' when not (a > any (select a from #t)) then 'no' else 'unknown' end as any_,
  case when a <= all (select a from #t) then 'yes' when not (a <= all (select a from #t)) then 'no' else 'unknown' end as all_ from #t order by id
go
--> [id:int | any_:varchar(7) | all_:varchar(7)]
--> 1 | unknown | unknown
--> 2 | yes | no
--> 3 | unknown | unknown
--> (3 rows affected)
select id from #t as o where a <> all (select a from #t as i where i.id <> o.id and a is not null) order by id
go
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
select id from #t where a > all (select id, a from #t)
go
--> Msg 116, Level 16, State 1, Line 1: Only one expression can be specified in the select list when the subquery is not introduced with EXISTS.
-- IS DISTINCT FROM
select x.id, y.id as other from #t as x join #t as y on x.a is not distinct from y.a order by x.id
go
--> [id:int | other:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> (3 rows affected)
select id, case when a is distinct from 10 then 1 else 0 end as d, case when a is not distinct from null then 1 else 0 end as n from #t order by id
go
--> [id:int | d:int | n:int]
--> 1 | 0 | 0
--> 2 | 1 | 0
--> 3 | 1 | 1
--> (3 rows affected)
-- DATE_BUCKET
select date_bucket(week, 1, cast('2024-02-29' as date)) as w, date_bucket(month, 3, cast('2024-02-29 13:14:15' as datetime2(0))) as q,
  date_bucket(minute, 15, cast('2024-02-29 13:14:15' as datetime)) as m, date_bucket(hour, 5, cast('2024-02-29 13:14:15' as datetime2(3)), cast('2024-02-29' as datetime2(3))) as h,
  date_bucket(year, 10, cast('1899-06-01' as date)) as y, date_bucket(day, 7, cast('2024-03-01' as date), cast('2024-03-02' as date)) as d, date_bucket(quarter, 1, cast(null as date)) as n
go
--> [w:date | q:datetime2(0) | m:datetime | h:datetime2(3) | y:date | d:date | n:date]
--> 2024-02-26 | 2024-01-01 00:00:00 | 2024-02-29 13:00:00.000 | 2024-02-29 10:00:00.000 | 1890-01-01 | 2024-02-24 | NULL
--> (1 rows affected)
select date_bucket(day, 0, cast('2024-02-29' as date))
go
--> [:date]
--> Msg 9834, Level 16, State 1, Line 1: Invalid bucket width value passed to date_bucket function. Only positive values are allowed.
select date_bucket(hour, 1, cast('2024-02-29' as date))
go
--> [:date]
--> Msg 9810, Level 16, State 1, Line 1: The datepart hour is not supported by date function date_bucket for data type date.
select date_bucket(day, 1, 5)
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 3 of date_bucket function.
select date_bucket(month, 1, cast('2024-03-31 23:30:00 +02:00' as datetimeoffset(0))) as m, datetrunc(month, cast('2024-03-31 23:30:00 +02:00' as datetimeoffset(0))) as t
go
--> [m:datetimeoffset(0) | t:datetimeoffset(0)]
--> 2024-03-01 00:00:00 +02:00 | 2024-03-01 00:00:00 +02:00
--> (1 rows affected)
