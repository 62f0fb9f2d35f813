-- differs clustered, threads: it shows plans
-- differs parameters: GROUPING of an expression with a constant finds none with a variable
create table #s (region varchar(10) not null, product varchar(10), year int not null, amount int)
insert #s values ('North', 'Apple', 2023, 10), ('north', 'Pear', 2023, 5), ('North', 'Apple', 2024, 7), ('South', 'Apple', 2023, 3), ('South', null, 2024, 1),
  ('SOUTH', 'Pear', 2024, null)
go
--> (6 rows affected)
select region, product, sum(amount) as s, count(*) as n, grouping(region) as gr, grouping(product) as gp, grouping_id(region, product) as id
from #s group by rollup (region, product) order by grouping(region), region, grouping(product), product
go
--> [region:varchar(10) | product:varchar(10) | s:int | n:int | gr:tinyint | gp:tinyint | id:int]
--> North | Apple | 17 | 2 | 0 | 0 | 0
--> north | Pear | 5 | 1 | 0 | 0 | 0
--> North | NULL | 22 | 3 | 0 | 1 | 1
--> South | NULL | 1 | 1 | 0 | 0 | 0
--> South | Apple | 3 | 1 | 0 | 0 | 0
--> SOUTH | Pear | NULL | 1 | 0 | 0 | 0
--> South | NULL | 4 | 3 | 0 | 1 | 1
--> NULL | NULL | 26 | 6 | 1 | 1 | 3
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (8 rows affected)
select region, year, sum(amount) as s, grouping_id(region, year) as id from #s group by cube (region, year) order by id, region, year
go
--> [region:varchar(10) | year:int | s:int | id:int]
--> North | 2023 | 15 | 0
--> North | 2024 | 7 | 0
--> South | 2023 | 3 | 0
--> South | 2024 | 1 | 0
--> North | NULL | 22 | 1
--> South | NULL | 4 | 1
--> NULL | 2023 | 18 | 2
--> NULL | 2024 | 8 | 2
--> NULL | NULL | 26 | 3
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (9 rows affected)
select region, year, product, count(*) as n from #s group by grouping sets ((region, year), (product), ()) order by grouping_id(region, year, product), region, year, product
go
--> [region:varchar(10) | year:int | product:varchar(10) | n:int]
--> North | 2023 | NULL | 2
--> North | 2024 | NULL | 1
--> South | 2023 | NULL | 1
--> South | 2024 | NULL | 2
--> NULL | NULL | NULL | 1
--> NULL | NULL | Apple | 3
--> NULL | NULL | Pear | 2
--> NULL | NULL | NULL | 6
--> (8 rows affected)
-- the old words, composite elements, items together, sets within sets, equal sets
select region, year, count(*) as n from #s group by region, year with rollup order by grouping_id(region, year), region, year
go
--> [region:varchar(10) | year:int | n:int]
--> North | 2023 | 2
--> North | 2024 | 1
--> South | 2023 | 1
--> South | 2024 | 2
--> North | NULL | 3
--> South | NULL | 3
--> NULL | NULL | 6
--> (7 rows affected)
select region, year, count(*) as n from #s group by region, year with cube order by grouping_id(region, year), region, year
go
--> [region:varchar(10) | year:int | n:int]
--> North | 2023 | 2
--> North | 2024 | 1
--> South | 2023 | 1
--> South | 2024 | 2
--> North | NULL | 3
--> South | NULL | 3
--> NULL | 2023 | 3
--> NULL | 2024 | 3
--> NULL | NULL | 6
--> (9 rows affected)
select region, year, product, count(*) as n from #s group by rollup ((region, year), product) order by grouping_id(region, year, product), region, year, product
go
--> [region:varchar(10) | year:int | product:varchar(10) | n:int]
--> North | 2023 | Apple | 1
--> north | 2023 | Pear | 1
--> North | 2024 | Apple | 1
--> South | 2023 | Apple | 1
--> South | 2024 | NULL | 1
--> SOUTH | 2024 | Pear | 1
--> North | 2023 | NULL | 2
--> North | 2024 | NULL | 1
--> South | 2023 | NULL | 1
--> South | 2024 | NULL | 2
--> NULL | NULL | NULL | 6
--> (11 rows affected)
select region, year, product, count(*) as n from #s group by region, rollup (year, product) order by grouping_id(year, product), region, year, product
go
--> [region:varchar(10) | year:int | product:varchar(10) | n:int]
--> North | 2023 | Apple | 1
--> north | 2023 | Pear | 1
--> North | 2024 | Apple | 1
--> South | 2023 | Apple | 1
--> South | 2024 | NULL | 1
--> SOUTH | 2024 | Pear | 1
--> North | 2023 | NULL | 2
--> North | 2024 | NULL | 1
--> South | 2023 | NULL | 1
--> South | 2024 | NULL | 2
--> North | NULL | NULL | 3
--> South | NULL | NULL | 3
--> (12 rows affected)
select region, year, count(*) as n from #s group by grouping sets (rollup (region), cube (year)) order by grouping_id(region, year), region, year
go
--> [region:varchar(10) | year:int | n:int]
--> North | NULL | 3
--> South | NULL | 3
--> NULL | 2023 | 3
--> NULL | 2024 | 3
--> NULL | NULL | 6
--> NULL | NULL | 6
--> (6 rows affected)
select region, count(*) as n from #s group by grouping sets (region, region, ()) order by region
go
--> [region:varchar(10) | n:int]
--> NULL | 6
--> North | 3
--> North | 3
--> South | 3
--> South | 3
--> (5 rows affected)
select count(*) as n from #s group by ()
go
--> [n:int]
--> 6
--> (1 rows affected)
-- HAVING, expressions, windows, DISTINCT, TOP, subqueries
select region, sum(amount) as s from #s group by rollup (region) having sum(amount) > 4 order by s
go
--> [region:varchar(10) | s:int]
--> North | 22
--> NULL | 26
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
select region, sum(amount) as s from #s group by rollup (region) having grouping(region) = 1
go
--> [region:varchar(10) | s:int]
--> NULL | 26
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select case when grouping(year / 2) = 1 then 'all' else cast(year / 2 as varchar(10)) end as half, max(product) as p from #s group by rollup (year / 2) order by half
go
--> [half:varchar(10) | p:varchar(10)]
--> 1011 | Pear
--> 1012 | Pear
--> all | Pear
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
select region, year, sum(amount) as s, rank() over (partition by grouping_id(region, year) order by sum(amount) desc) as r from #s
group by cube (region, year) order by grouping_id(region, year), r
go
--> [region:varchar(10) | year:int | s:int | r:bigint]
--> North | 2023 | 15 | 1
--> North | 2024 | 7 | 2
--> South | 2023 | 3 | 3
--> South | 2024 | 1 | 4
--> North | NULL | 22 | 1
--> South | NULL | 4 | 2
--> NULL | 2023 | 18 | 1
--> NULL | 2024 | 8 | 2
--> NULL | NULL | 26 | 1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (9 rows affected)
select distinct grouping(year) as g from #s group by rollup (region, year) order by g
go
--> [g:tinyint]
--> 0
--> 1
--> (2 rows affected)
select top 1 with ties region, count(*) as n from #s group by cube (region) order by n desc
go
--> [region:varchar(10) | n:int]
--> NULL | 6
--> (1 rows affected)
select region from (select region, grouping(region) as total, count(*) as n from #s group by rollup (region)) as x where total = 0 and region = 'NORTH'
go
--> [region:varchar(10)]
--> North
--> (1 rows affected)
select isnull(region, 'total') as region, avg(amount * 1.0) as a, count(distinct product) as d from #s group by region with rollup order by 1
go
--> [region:varchar(10) | a:numeric(38,6) | d:int]
--> North | 7.333333 | 2
--> South | 2.000000 | 2
--> total | 5.200000 | 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
-- nothing
select region, count(*) as n, sum(amount) as s, grouping(region) as g from #s where year = 1 group by rollup (region)
go
--> [region:varchar(10) | n:int | s:int | g:tinyint]
--> NULL | 0 | NULL | 1
--> (1 rows affected)
select region, count(*) as n from #s where year = 1 group by grouping sets ((region), (year))
go
--> [region:varchar(10) | n:int]
--> (0 rows affected)
select count(*) as n from #s where year = 1 group by grouping sets ((), ())
go
--> [n:int]
--> 0
--> 0
--> (2 rows affected)
select region, year, count(*) as n into #g from #s group by cube (region, year)
select name, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#g') order by column_id
select count(*) as n from #g
go
--> (9 rows affected)
--> [name:nvarchar(128) | is_nullable:bit]
--> region | 1
--> year | 1
--> n | 1
--> (3 rows affected)
--> [n:int]
--> 9
--> (1 rows affected)
select year, grouping(year) as g, grouping_id(year) as id from #s group by year order by year
go
--> [year:int | g:tinyint | id:int]
--> 2023 | 0 | 0
--> 2024 | 0 | 0
--> (2 rows affected)
-- what is refused
select region, year from #s group by rollup (region)
go
--> Msg 8120, Level 16, State 1, Line 2: Column '#s.year' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select grouping(product) as g from #s group by rollup (region)
go
--> Msg 8161, Level 16, State 1, Line 1: Argument 1 of the GROUPING function does not match any of the expressions in the GROUP BY clause.
select grouping(region) as g from #s
go
--> Msg 8161, Level 16, State 1, Line 1: Argument 1 of the GROUPING function does not match any of the expressions in the GROUP BY clause.
select region from #s where grouping(region) = 1 group by rollup (region)
go
--> Msg 8161, Level 16, State 1, Line 1: Argument 1 of the GROUPING function does not match any of the expressions in the GROUP BY clause.
select 1 from #s group by cube (region, year, product, amount, region + 'a', year + 1, year + 2, year + 3, year + 4, year + 5, year + 6, year + 7, year + 8)
go
--> Msg 10705, Level 15, State 1, Line 1: Too many grouping sets. The maximum number is 4096.
set showplan_text on
go
select region, year, sum(amount) as s from #s group by rollup (region, year)
go
--> [StmtText:nvarchar(4000)]
--> select region, year, sum(amount) as s from #s group by rollup (region, year)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Concatenation
-->        |--Hash Match(Aggregate, HASH:([Expr1001], [tempdb].[dbo].[#s].[year], [Expr1003]), DEFINE:([Expr1004]=ANY([Expr1001]), [Expr1005]=SUM([Expr1002])))
-->             |--Expand(GROUPING SETS:(([Expr1001], [tempdb].[dbo].[#s].[year]), ([Expr1001]), ()))
-->                  |--Hash Match(Aggregate, HASH:([tempdb].[dbo].[#s].[region], [tempdb].[dbo].[#s].[year]), DEFINE:([Expr1001]=ANY([tempdb].[dbo].[#s].[region]), [Expr1002]=SUM([tempdb].[dbo].[#s].[amount])))
-->                       |--Table Scan(OBJECT:([tempdb].[dbo].[#s]))
--> (5 rows affected)
set showplan_text off
go
-- queries inside a grouped one see its groups
create table #q (id int, g int, v int)
insert #q values (1, 10, 5), (2, 10, 6), (3, 20, null), (4, 20, 7), (5, 30, 1)
go
--> (5 rows affected)
select g, count(*) as n from #q as o group by g having exists (select 1 from #q as i where i.g = o.g and i.v is null)
go
--> [g:int | n:int]
--> 20 | 2
--> (1 rows affected)
select g, (select max(i.v) from #q as i where i.g = o.g) as m from #q as o group by g order by (select min(i.id) from #q as i where i.g = o.g) desc
go
--> [g:int | m:int]
--> 30 | 1
--> 20 | 7
--> 10 | 6
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
select g, sum(v) as s from #q as o group by g having sum(v) > (select avg(v) from #q as i where i.g <> o.g and exists (select 1 from #q as d where d.g = o.g))
go
--> [g:int | s:int]
--> 10 | 11
--> 20 | 7
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
select g from #q as o group by g having g in (select i.g from #q as i where i.id > 3 and i.g = o.g)
go
--> [g:int]
--> 20
--> 30
--> (2 rows affected)
select g from #q as o group by g having exists (select 1 from #q as i where i.id = o.id)
go
--> Msg 8121, Level 16, State 1, Line 1: Column 'o.id' is invalid in the HAVING clause because it is not contained in either an aggregate function or the GROUP BY clause.
-- sets of which one has all groups are made of its groups: each set by itself has the same rows
create table parts(a int null, b varchar(9) null, c tinyint null, v int null, f float null, m money null, d decimal(9, 2) null, t nvarchar(9) null);
insert parts select nullif(value % 5, 0), case value % 7 when 0 then null when 1 then 'x' when 2 then 'X ' when 3 then 'ä' else 'y' end, value % 3,
    nullif(value % 11, 0), nullif(value % 13, 0) / 4e0, nullif(value % 17, 0), nullif(value % 19, 0) / 4.0, nullif(cast(value % 23 as nvarchar(9)), '0')
from generate_series(1, 3000);
go
--> (3000 rows affected)
set ansi_warnings off
go
with sets as (select a, b, c, grouping_id(a, b, c) as g, count(*) as n, count(v) as nv, count_big(t) as nt, sum(v) as sv, sum(f) as sf, avg(f) as af, sum(m) as sm, sum(d) as sd,
        min(v) as least, max(t) as most, sum(v * 2) as twice from parts group by cube (a, b, c)),
    one as (select a, b, c, 0 as g, count(*) as n, count(v) as nv, count_big(t) as nt, sum(v) as sv, sum(f) as sf, avg(f) as af, sum(m) as sm, sum(d) as sd, min(v) as least, max(t) as most, sum(v * 2) as twice from parts group by a, b, c
        union all select a, b, null, 1, count(*), count(v), count_big(t), sum(v), sum(f), avg(f), sum(m), sum(d), min(v), max(t), sum(v * 2) from parts group by a, b
        union all select a, null, c, 2, count(*), count(v), count_big(t), sum(v), sum(f), avg(f), sum(m), sum(d), min(v), max(t), sum(v * 2) from parts group by a, c
        union all select a, null, null, 3, count(*), count(v), count_big(t), sum(v), sum(f), avg(f), sum(m), sum(d), min(v), max(t), sum(v * 2) from parts group by a
        union all select null, b, c, 4, count(*), count(v), count_big(t), sum(v), sum(f), avg(f), sum(m), sum(d), min(v), max(t), sum(v * 2) from parts group by b, c
        union all select null, b, null, 5, count(*), count(v), count_big(t), sum(v), sum(f), avg(f), sum(m), sum(d), min(v), max(t), sum(v * 2) from parts group by b
        union all select null, null, c, 6, count(*), count(v), count_big(t), sum(v), sum(f), avg(f), sum(m), sum(d), min(v), max(t), sum(v * 2) from parts group by c
        union all select null, null, null, 7, count(*), count(v), count_big(t), sum(v), sum(f), avg(f), sum(m), sum(d), min(v), max(t), sum(v * 2) from parts)
select (select count(*) from sets) as rows, (select count(*) from one) as of_each, (select count(*) from (select * from sets except select * from one) x) as only_sets,
    (select count(*) from (select * from one except select * from sets) x) as only_each
go
--> [rows:int | of_each:int | only_sets:int | only_each:int]
--> 120 | 120 | 0 | 0
--> (1 rows affected)
-- what one step makes: values that are seen once, averages that are rounded, a list without the set of all groups, no rows at all
select a, count(distinct b) as n, avg(d) as mean, grouping(a) as g from parts group by rollup (a) order by g, a
go
--> [a:int | n:int | mean:decimal(38,6) | g:tinyint]
--> NULL | 3 | 2.373901 | 0
--> 1 | 3 | 2.371265 | 0
--> 2 | 3 | 2.376098 | 0
--> 3 | 3 | 2.376760 | 0
--> 4 | 3 | 2.373239 | 0
--> NULL | 3 | 2.374252 | 1
--> (6 rows affected)
select a, c, count(*) as n, grouping_id(a, c) as g from parts where a < 3 group by grouping sets ((a), (c), ()) order by g, a, c
go
--> [a:int | c:tinyint | n:int | g:int]
--> 1 | NULL | 600 | 1
--> 2 | NULL | 600 | 1
--> NULL | 0 | 400 | 2
--> NULL | 1 | 400 | 2
--> NULL | 2 | 400 | 2
--> NULL | NULL | 1200 | 3
--> (6 rows affected)
select a, c, count(*) as n, sum(v) as s, avg(f) as mean from parts where a > 99 group by cube (a, c)
go
--> [a:int | c:tinyint | n:int | s:int | mean:float]
--> NULL | NULL | 0 | NULL | NULL
--> (1 rows affected)
-- a sum that is too large is an error in each way, and NULL where errors are
select c, sum(v * 100000000) as s from parts group by rollup (c)
go
--> [c:tinyint | s:int]
--> Msg 8115, Level 16, State 1, Line 2: Arithmetic overflow error converting expression to data type int.
set arithabort off
go
select c, sum(v * 10000000) as s from parts where v < 9 group by rollup (c) order by c
go
--> [c:tinyint | s:int]
--> NULL | NULL
--> 0 | NULL
--> 1 | NULL
--> 2 | NULL
--> # Arithmetic overflow occurred.
--> (4 rows affected)
set arithabort on
set ansi_warnings on
go
drop table parts
go
