-- LIKE over Unicode: blanks at the end of the text count as soon as one side is Unicode. Moments of different types are
-- compared by all digits that they have.
select case when N'abc ' like N'abc' then 1 else 0 end a, case when 'abc ' like 'abc' then 1 else 0 end b,
    case when 'abc ' like N'abc' then 1 else 0 end c, case when N'abc' like 'abc ' then 1 else 0 end d, case when N'abc ' like N'abc%' then 1 else 0 end e,
    case when N'abc ' like N'abc!' escape '!' then 1 else 0 end f, case when N'abc ' like N'ab!c' escape '!' then 1 else 0 end g
go
--> [a:int | b:int | c:int | d:int | e:int | f:int | g:int]
--> 0 | 1 | 0 | 0 | 1 | 0 | 0
--> (1 rows affected)
create table ul(c char(5), v varchar(5), n nchar(5), w nvarchar(5))
insert ul values ('abc', 'abc ', N'abc', N'abc ')
go
--> (1 rows affected)
select count(case when c like 'abc' then 1 end) c, count(case when v like 'abc' then 1 end) v, count(case when n like N'abc' then 1 end) n,
    count(case when w like N'abc' then 1 end) w, count(case when c like N'abc' then 1 end) cn, count(case when n like N'abc%' then 1 end) np from ul
go
--> [c:int | v:int | n:int | w:int | cn:int | np:int]
--> 1 | 1 | 0 | 0 | 0 | 1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select count(*) a from ul where v like 'abc'
select count(*) a from ul where v like N'abc'
select count(*) a from ul where w like N'abc'
select count(*) a from ul where w like 'abc_'
select count(*) a from ul a join ul b on a.w like b.v
go
--> [a:int]
--> 1
--> (1 rows affected)
--> [a:int]
--> 0
--> (1 rows affected)
--> [a:int]
--> 0
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
declare @p nvarchar(5) = N'abc'
select count(*) a from ul where w like @p
select count(*) a from ul where v like @p
go
--> [a:int]
--> 0
--> (1 rows affected)
--> [a:int]
--> 0
--> (1 rows affected)
create index ix on ul(w)
select count(*) a from ul where w like N'abc'
select count(*) a from ul where w like N'abc%'
go
--> [a:int]
--> 0
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
declare @d datetime = '2021-01-01 00:00:00.003', @d3 datetime2(3) = '2021-01-01 00:00:00.003', @d7 datetime2 = '2021-01-01 00:00:00.0033333'
select case when @d = @d3 then 1 else 0 end a, case when @d > @d3 then 1 else 0 end b, case when @d = @d7 then 1 else 0 end c,
    case when @d in (@d3) then 1 else 0 end d, case when @d in (@d7) then 1 else 0 end e, case when @d between @d3 and @d7 then 1 else 0 end f
go
--> [a:int | b:int | c:int | d:int | e:int | f:int]
--> 0 | 1 | 1 | 0 | 1 | 1
--> (1 rows affected)
create table dd(a datetime, b datetime2(3) not null primary key, c datetimeoffset(3))
insert dd values ('2021-01-01 00:00:00.003', '2021-01-01 00:00:00.003', '2021-01-01 00:00:00.003'), ('2021-01-01 00:00:00.010', '2021-01-01 00:00:00.010', '2021-01-01 00:00:00.010')
go
--> (2 rows affected)
select count(*) n from dd where a = b
select count(*) n from dd where a = c
select count(*) n from dd x join dd y on x.a = y.b
select count(*) n from dd where a in (select b from dd)
go
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
declare @d datetime = '2021-01-01 00:00:00.003'
select count(*) n from dd where b = @d
select count(*) n from dd where b < @d
select count(*) n from dd where b >= @d
select count(*) n from dd where b between '2021-01-01' and @d
go
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
