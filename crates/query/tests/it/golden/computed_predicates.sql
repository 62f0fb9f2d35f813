-- Predicates that compute, over more rows than a batch has: NULLs, errors, decimals, texts, dates, large values.
create table #n (id int not null, a int null, b int not null, d decimal(12, 3) null, s varchar(20) collate Latin1_General_CS_AS null, u nvarchar(20) null, at datetime null, m money not null)
insert #n select value, case when value % 11 = 3 then null else value % 7 end, value % 5, case when value % 13 = 5 then null else value / 8.0 end, case when value % 6 = 5 then null when value % 2 = 0 then 'Row ' + str(value % 10, 1) else 'ROW' end, case value % 3 when 0 then N'größer' when 1 then N'日本' end, dateadd(day, value, '19960215'), value / 4.0 from generate_series(0, 9999)
select count(*) n, sum(id) s, sum(b) b from #n where id % 3 <> 1
select count(*) n, sum(id) s from #n where a < b
select count(*) n, sum(id) s from #n where not (a < b)
select count(*) n, max(id) s from #n where a + b > 9 and id < 5000
select count(*) n, sum(id) s from #n where id & 12 = 8
select count(*) n from #n where a + 1 is null
go
--> (10000 rows affected)
--> [n:int | s:int | b:int]
--> 6667 | 33333333 | 13333
--> (1 rows affected)
--> [n:int | s:int]
--> 2598 | 12996503
--> (1 rows affected)
--> [n:int | s:int]
--> 6493 | 32456224
--> (1 rows affected)
--> [n:int | s:int]
--> 129 | 4969
--> (1 rows affected)
--> [n:int | s:int]
--> 2500 | 12503750
--> (1 rows affected)
--> [n:int]
--> 909
--> (1 rows affected)
-- Decimals, money, texts under collations, dates.
select count(*) n, sum(d) s from #n where d * 3 > 3000.5 and d % 2 < 1
select count(*) n, sum(m) s from #n where m - 10 > 2400
select count(*) n, sum(id) s from #n where s like 'R%'
select count(*) n, sum(id) s from #n where s like 'R[a-z]%' and upper(s) like '%4'
select count(*) n, sum(id) s from #n where s collate Latin1_General_CI_AS = 'row'
select count(*) n, sum(id) s from #n where left(u, 2) = N'GR' and len(u) = 6
select count(*) n, sum(id) s from #n where u > s collate Latin1_General_CS_AS
select count(*) n, sum(id) s from #n where year(at) = 1997 and month(at) in (2, 3) and datepart(day, at) > 27
select count(*) n, sum(id) s from #n where datediff(month, at, '20000101') = 1
select count(*) n, sum(id) s from #n where dateadd(year, 1, at) < '19970301'
go
--> [n:int | s:decimal(38,3)]
--> 922 | 1036867.750
--> (1 rows affected)
--> [n:int | s:money]
--> 359 | 881345.0000
--> (1 rows affected)
--> [n:int | s:int]
--> 8334 | 41665000
--> (1 rows affected)
--> [n:int | s:int]
--> 1000 | 4999000
--> (1 rows affected)
--> [n:int | s:int]
--> 3334 | 16670000
--> (1 rows affected)
--> [n:int | s:int]
--> 3334 | 16668333
--> (1 rows affected)
--> [n:int | s:int]
--> 3333 | 16661667
--> (1 rows affected)
--> [n:int | s:int]
--> 5 | 2013
--> (1 rows affected)
--> [n:int | s:int]
--> 31 | 43400
--> (1 rows affected)
--> [n:int | s:int]
--> 15 | 105
--> (1 rows affected)
-- An error comes when a row needs it, and not of a row that something else excludes.
select count(*) n from #n where 10 / b > 2
select count(*) n, sum(id) s from #n where b > 0 and 10 / b > 2
select count(*) n, sum(id) s from #n where b <> 0 and id % b = 1
select count(*) n, sum(id) s from #n where b = 0 or 12 / b = 4
select count(*) n, sum(id) s from #n where case when b = 0 then 0 else 12 / b end = 4
select count(*) n from #n where id + 2147480000 > 0
select count(*) n from #n where id < 1000 and id + 2147480000 > 0
select count(*) n from #n where cast(s as int) = 1
go
--> [n:int]
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
--> [n:int | s:int]
--> 6000 | 29997000
--> (1 rows affected)
--> [n:int | s:int]
--> 2166 | 10831833
--> (1 rows affected)
--> [n:int | s:int]
--> 4000 | 19996000
--> (1 rows affected)
--> [n:int | s:int]
--> 2000 | 10001000
--> (1 rows affected)
--> [n:int]
--> Msg 8115, Level 16, State 1, Line 7: Arithmetic overflow error converting expression to data type int.
--> [n:int]
--> 1000
--> (1 rows affected)
--> [n:int]
--> Msg 245, Level 16, State 1, Line 9: Conversion failed when converting the varchar value 'Row 0' to data type int.
select count(*) n from #n where s = 'none' and cast(s as int) = 1
go
--> [n:int]
--> 0
--> (1 rows affected)
-- Variables, functions of the user, the outer row.
create function dbo.half(@n int) returns int as begin return @n / 2 end
go
declare @k int = 4, @none int
select count(*) n, sum(id) s from #n where id % @k = @k - 1
select count(*) n from #n where id % @none = 0
select count(*) n, sum(id) s from #n where id < 300 and dbo.half(id) = id / 2 and id % dbo.half(@k) = 1
select x.id, (select count(*) from #n n where n.id % 10 = x.id and n.b = x.b and n.a + x.id > 4) n from #n x where x.id < 4 order by x.id
go
--> [n:int | s:int]
--> 2500 | 12502500
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int | s:int]
--> 150 | 22500
--> (1 rows affected)
--> [id:int | n:int]
--> 0 | 260
--> 1 | 389
--> 2 | 520
--> 3 | 650
--> (4 rows affected)
-- Values beyond a row: of the predicate, and beside it.
create table #w (id int not null, body varchar(max) null, note varchar(8000) null)
insert #w select value, case when value % 4 = 0 then replicate(cast('x' as varchar(max)), 9000 + value) when value % 4 = 1 then 'short' end, replicate('n', 5000) from generate_series(0, 99)
select count(*) n, sum(id) s from #w where len(body) % 3 = 0
select count(*) n, sum(len(body)) s, sum(len(note)) t from #w where id % 3 = 1
select count(*) n, max(len(body)) s from #w where body like '%x%' and id % 5 > 1
select count(*) n from #w where 100 / (id % 10) > 20
select count(*) n from #w where id % 10 > 0 and 100 / (id % 10) > 20
go
--> (100 rows affected)
--> [n:int | s:int]
--> 9 | 432
--> (1 rows affected)
--> [n:int | s:bigint | t:int]
--> 33 | 72413 | 165000
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [n:int | s:bigint]
--> 15 | 9092
--> (1 rows affected)
--> [n:int]
--> Msg 8134, Level 16, State 1, Line 7: Divide by zero error encountered.
--> [n:int]
--> 40
--> (1 rows affected)
-- The same of tables in trees, by the rows and by an index.
create database computed
go
use computed
create table n (id int not null primary key, g int null, s varchar(30) null, index by_g (g))
insert n select value, nullif(value % 100, 7), 'text ' + cast(value as varchar(10)) from generate_series(0, 9999)
select count(*) n, sum(id) s from n where id % 3 <> 1
select count(*) n, sum(id) s from n where g = 5 and id % 3 <> 1 and s like '%5'
select count(*) n, sum(id) s from n where id between 2000 and 8000 and g % 7 = id % 9
select g, count(*) n from n where right(s, 2) = '42' and g % 2 = 0 group by g
select count(*) n from n where 1 / (id - 9000) > 0
select top 3 id from n where id % 1000 = 999 order by id
go
--> (10000 rows affected)
--> [n:int | s:int]
--> 6667 | 33333333
--> (1 rows affected)
--> [n:int | s:int]
--> 67 | 330335
--> (1 rows affected)
--> [n:int | s:int]
--> 656 | 3271380
--> (1 rows affected)
--> [g:int | n:int]
--> 42 | 100
--> (1 rows affected)
--> [n:int]
--> Msg 8134, Level 16, State 1, Line 8: Divide by zero error encountered.
--> [id:int]
--> 999
--> 1999
--> 2999
--> (3 rows affected)
use master
drop database computed
drop function dbo.half
drop table #n, #w
go
