-- differs clustered, threads, parameters: it shows plans
create table #s (region varchar(10), seller varchar(10), day int, amount int, price decimal(9,2), rate float)
insert #s values ('North', 'Ann', 1, 10, 1.50, 0.5), ('north', 'Bob', 2, 20, 2.25, null), ('North', 'Cid', 2, null, null, 2.5),
  ('South', 'Dan', 1, 5, 3.00, 1e300), ('SOUTH', 'Eve', 3, 7, 1.25, -1e300), ('South', 'Fay', 3, 7, 9.99, 4), (null, 'Gus', 4, 1, 0.01, 8)
go
--> (7 rows affected)
-- ranking; NULL is the smallest and a partition of its own, texts go by their collation
select seller, row_number() over (partition by region order by day, seller) as n, rank() over (partition by region order by day) as r,
  dense_rank() over (partition by region order by day) as d, ntile(2) over (partition by region order by day, seller) as t
from #s order by seller
go
--> [seller:varchar(10) | n:bigint | r:bigint | d:bigint | t:bigint]
--> Ann | 1 | 1 | 1 | 1
--> Bob | 2 | 2 | 2 | 1
--> Cid | 3 | 2 | 2 | 2
--> Dan | 1 | 1 | 1 | 1
--> Eve | 2 | 2 | 2 | 1
--> Fay | 3 | 2 | 2 | 2
--> Gus | 1 | 1 | 1 | 1
--> (7 rows affected)
select seller, rank() over (order by amount) as r, dense_rank() over (order by amount desc) as d, row_number() over (order by region desc, seller desc) as n
from #s order by seller
go
--> [seller:varchar(10) | r:bigint | d:bigint | n:bigint]
--> Ann | 6 | 2 | 6
--> Bob | 7 | 1 | 5
--> Cid | 1 | 6 | 4
--> Dan | 3 | 4 | 3
--> Eve | 4 | 3 | 2
--> Fay | 4 | 3 | 1
--> Gus | 2 | 5 | 7
--> (7 rows affected)
select seller, percent_rank() over (order by amount) as p, cume_dist() over (order by amount) as c, ntile(3) over (order by seller) as t,
  ntile(10) over (order by seller) as u from #s order by seller
go
--> [seller:varchar(10) | p:float | c:float | t:bigint | u:bigint]
--> Ann | 0.83333333333333337 | 0.8571428571428571 | 1 | 1
--> Bob | 1.0 | 1.0 | 1 | 2
--> Cid | 0.0 | 0.14285714285714285 | 1 | 3
--> Dan | 0.33333333333333331 | 0.42857142857142855 | 2 | 4
--> Eve | 0.5 | 0.7142857142857143 | 2 | 5
--> Fay | 0.5 | 0.7142857142857143 | 3 | 6
--> Gus | 0.16666666666666666 | 0.2857142857142857 | 3 | 7
--> (7 rows affected)
-- other rows
select seller, lag(amount) over (order by seller) as a, lag(amount, 2, -1) over (order by seller) as b, lead(amount) over (order by seller) as c,
  lead(amount, 2, 99) over (partition by region order by seller) as d, lag(amount, day) over (order by seller) as e, lag(seller, 0) over (order by day) as f
from #s order by seller
go
--> [seller:varchar(10) | a:int | b:int | c:int | d:int | e:int | f:varchar(10)]
--> Ann | NULL | -1 | 20 | NULL | NULL | Ann
--> Bob | 10 | -1 | NULL | 99 | NULL | Bob
--> Cid | 20 | 10 | 5 | 99 | 10 | Cid
--> Dan | NULL | 20 | 7 | 7 | NULL | Dan
--> Eve | 5 | NULL | 7 | 99 | 20 | Eve
--> Fay | 7 | 5 | 1 | 99 | NULL | Fay
--> Gus | 7 | 7 | NULL | 99 | NULL | Gus
--> (7 rows affected)
select seller, amount, lag(amount) ignore nulls over (order by seller) as a, lead(amount) ignore nulls over (order by seller) as b,
  lag(amount) respect nulls over (order by seller) as c, lead(amount, 2) ignore nulls over (order by seller) as d from #s order by seller
go
--> [seller:varchar(10) | amount:int | a:int | b:int | c:int | d:int]
--> Ann | 10 | NULL | 20 | NULL | 5
--> Bob | 20 | 10 | 5 | 10 | 5
--> Cid | NULL | 20 | 5 | 20 | 7
--> Dan | 5 | 20 | 7 | NULL | 7
--> Eve | 7 | 5 | 7 | 5 | 1
--> Fay | 7 | 7 | 1 | 7 | NULL
--> Gus | 1 | 7 | NULL | 7 | NULL
--> (7 rows affected)
select seller, first_value(seller) over (partition by region order by day, seller) as f, last_value(seller) over (partition by region order by day) as l,
  last_value(seller) over (partition by region order by day, seller rows between unbounded preceding and unbounded following) as ll,
  first_value(amount) ignore nulls over (order by seller desc rows between 1 preceding and 1 following) as fi,
  last_value(amount) ignore nulls over (order by seller rows unbounded preceding) as li
from #s order by seller
go
--> [seller:varchar(10) | f:varchar(10) | l:varchar(10) | ll:varchar(10) | fi:int | li:int]
--> Ann | Ann | Ann | Cid | 20 | 10
--> Bob | Ann | Cid | Cid | 20 | 20
--> Cid | Ann | Cid | Cid | 5 | 20
--> Dan | Dan | Dan | Fay | 7 | 5
--> Eve | Dan | Fay | Fay | 7 | 7
--> Fay | Dan | Fay | Fay | 1 | 7
--> Gus | Gus | Gus | Gus | 1 | 1
--> (7 rows affected)
-- aggregates: whole partitions, running ones by peers and by rows, moving ones
select seller, sum(amount) over () as a, sum(amount) over (partition by region) as b, count(*) over (partition by region) as c, count(amount) over (partition by region) as d,
  avg(amount) over (partition by region) as e, min(seller) over (partition by region) as f, max(price) over (partition by region) as g
from #s order by seller
go
--> [seller:varchar(10) | a:int | b:int | c:int | d:int | e:int | f:varchar(10) | g:decimal(9,2)]
--> Ann | 50 | 30 | 3 | 2 | 15 | Ann | 2.25
--> Bob | 50 | 30 | 3 | 2 | 15 | Ann | 2.25
--> Cid | 50 | 30 | 3 | 2 | 15 | Ann | 2.25
--> Dan | 50 | 19 | 3 | 3 | 6 | Dan | 9.99
--> Eve | 50 | 19 | 3 | 3 | 6 | Dan | 9.99
--> Fay | 50 | 19 | 3 | 3 | 6 | Dan | 9.99
--> Gus | 50 | 1 | 1 | 1 | 1 | Gus | 0.01
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (7 rows affected)
select seller, sum(amount) over (order by day) as a, sum(amount) over (order by day rows unbounded preceding) as b,
  sum(amount) over (order by day, seller rows between 1 preceding and 1 following) as c, sum(price) over (order by seller rows 2 preceding) as d,
  count(*) over (order by seller rows between 3 preceding and 2 preceding) as e, max(amount) over (order by seller rows between 2 following and 3 following) as f,
  sum(amount) over (order by day range between current row and unbounded following) as g
from #s order by seller
go
--> [seller:varchar(10) | a:int | b:int | c:int | d:decimal(38,2) | e:int | f:int | g:int]
--> Ann | 15 | 10 | 15 | 1.50 | 0 | 5 | 50
--> Bob | 35 | 35 | 25 | 3.75 | 0 | 7 | 35
--> Cid | 35 | 35 | 27 | 3.75 | 1 | 7 | 35
--> Dan | 15 | 15 | 35 | 5.25 | 2 | 7 | 50
--> Eve | 49 | 42 | 14 | 4.25 | 2 | 1 | 15
--> Fay | 49 | 49 | 15 | 14.24 | 2 | NULL | 15
--> Gus | 50 | 50 | 8 | 11.25 | 2 | NULL | 1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (7 rows affected)
select seller, avg(price) over (order by seller rows 1 preceding) as a, min(amount) over (order by seller rows 1 preceding) as b,
  sum(rate) over (order by seller rows 1 preceding) as c, count_big(*) over (order by seller) as d, cast(stdev(amount) over () as decimal(9,4)) as e,
  cast(varp(amount) over (partition by region) as decimal(9,4)) as f from #s order by seller
go
--> [seller:varchar(10) | a:decimal(38,6) | b:int | c:float | d:bigint | e:decimal(9,4) | f:decimal(9,4)]
--> Ann | 1.500000 | 10 | 0.5 | 1 | 6.4395 | 25.0000
--> Bob | 1.875000 | 10 | 0.5 | 2 | 6.4395 | 25.0000
--> Cid | 2.250000 | 20 | 2.5 | 3 | 6.4395 | 25.0000
--> Dan | 3.000000 | 5 | 1.0000000000000001E+300 | 4 | 6.4395 | 0.8889
--> Eve | 2.125000 | 5 | 0.0 | 5 | 6.4395 | 0.8889
--> Fay | 5.620000 | 7 | -1.0000000000000001E+300 | 6 | 6.4395 | 0.8889
--> Gus | 5.000000 | 1 | 12.0 | 7 | 6.4395 | 0.0000
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (7 rows affected)
-- percentiles leave NULL out
select distinct region, percentile_cont(0.5) within group (order by amount) over (partition by region) as c,
  percentile_disc(0.5) within group (order by amount desc) over (partition by region) as d,
  percentile_disc(1) within group (order by seller) over (partition by region) as s from #s order by region
go
--> [region:varchar(10) | c:float | d:int | s:varchar(10)]
--> NULL | 1.0 | 1 | Gus
--> North | 15.0 | 20 | Cid
--> South | 7.0 | 7 | Fay
--> (3 rows affected)
-- over groups, in CTEs and derived tables, with DISTINCT, TOP, OFFSET
select region, sum(amount) as a, sum(sum(amount)) over (order by region) as running, rank() over (order by sum(amount) desc) as r, count(*) over () as regions
from #s group by region having count(*) > 0 order by region
go
--> [region:varchar(10) | a:int | running:int | r:bigint | regions:int]
--> NULL | 1 | 1 | 3 | 3
--> North | 30 | 31 | 1 | 3
--> South | 19 | 50 | 2 | 3
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
with ranked as (select *, row_number() over (partition by region order by amount desc, seller) as n from #s)
select seller, n from ranked where n = 1 order by seller
go
--> [seller:varchar(10) | n:bigint]
--> Bob | 1
--> Eve | 1
--> Gus | 1
--> (3 rows affected)
select seller from (select seller, row_number() over (order by seller) as n from #s) as p where n between 3 and 4 order by n
go
--> [seller:varchar(10)]
--> Cid
--> Dan
--> (2 rows affected)
select distinct dense_rank() over (order by region) as r, count(*) over (partition by region) as c from #s order by r
go
--> [r:bigint | c:int]
--> 1 | 1
--> 2 | 3
--> 3 | 3
--> (3 rows affected)
select top 2 seller, sum(amount) over (order by seller) as s from #s order by sum(amount) over (order by seller) desc
go
--> [seller:varchar(10) | s:int]
--> Gus | 50
--> Fay | 49
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
select seller, row_number() over (order by (select null)) * 0 as zero from #s order by row_number() over (order by seller desc) offset 2 rows fetch next 2 rows only
go
--> [seller:varchar(10) | zero:bigint]
--> Eve | 0
--> Dan | 0
--> (2 rows affected)
declare @n int = 2, @v bigint
select @v = ntile(@n) over (order by seller) from #s
select @v as v
select seller, lag(amount, @n) over (order by seller) as l from #s where region = 'south' order by seller
go
--> [v:bigint]
--> 2
--> (1 rows affected)
--> [seller:varchar(10) | l:int]
--> Dan | NULL
--> Eve | NULL
--> Fay | 5
--> (3 rows affected)
-- the latest of each, correlated
select s.seller, (select top 1 rank() over (order by i.amount) from #s as i where i.region = s.region order by i.seller) as r from #s as s order by s.seller
go
--> [seller:varchar(10) | r:bigint]
--> Ann | 2
--> Bob | 2
--> Cid | 2
--> Dan | 1
--> Eve | 1
--> Fay | 1
--> Gus | NULL
--> (7 rows affected)
select s.region, x.seller, x.n from (select distinct region from #s) as s cross apply (select i.seller, row_number() over (order by i.day, i.seller) as n from #s as i where i.region = s.region) as x
order by s.region, x.n
go
--> [region:varchar(10) | seller:varchar(10) | n:bigint]
--> North | Ann | 1
--> North | Bob | 2
--> North | Cid | 3
--> South | Dan | 1
--> South | Eve | 2
--> South | Fay | 3
--> (6 rows affected)
-- into tables and back
select seller, row_number() over (order by seller) as n into #n from #s
insert #n select seller, 100 + row_number() over (order by seller) from #s where region = 'north'
select * from #n order by n
go
--> (7 rows affected)
--> (3 rows affected)
--> [seller:varchar(10) | n:bigint]
--> Ann | 1
--> Bob | 2
--> Cid | 3
--> Dan | 4
--> Eve | 5
--> Fay | 6
--> Gus | 7
--> Ann | 101
--> Bob | 102
--> Cid | 103
--> (10 rows affected)
with d as (select seller, n, row_number() over (partition by seller order by n) as copy from #n) delete from d where copy > 1
select * from #n order by n
go
--> (3 rows affected)
--> [seller:varchar(10) | n:bigint]
--> Ann | 1
--> Bob | 2
--> Cid | 3
--> Dan | 4
--> Eve | 5
--> Fay | 6
--> Gus | 7
--> (7 rows affected)
with d as (select n, row_number() over (order by seller desc) as new from #n) update d set n = new
select * from #n order by n
go
--> (7 rows affected)
--> [seller:varchar(10) | n:bigint]
--> Gus | 1
--> Fay | 2
--> Eve | 3
--> Dan | 4
--> Cid | 5
--> Bob | 6
--> Ann | 7
--> (7 rows affected)
with d as (select top 2 * from #n order by n desc) delete from d output deleted.seller
go
--> [seller:varchar(10)]
--> Ann
--> Bob
--> (2 rows affected)
with d as (select n, row_number() over (order by seller) as new from #n) update d set new = 1
go
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'd' failed because it contains a derived or constant field.
create table dbo.dups (id int primary key, name varchar(10), rank int)
insert dbo.dups values (1, 'a', 0), (2, 'A', 0), (3, 'b', 0), (4, 'a', 0)
go
--> (4 rows affected)
with d as (select *, row_number() over (partition by name order by id desc) as n from dbo.dups) delete d where n > 1
select * from dbo.dups order by id
go
--> (2 rows affected)
--> [id:int | name:varchar(10) | rank:int]
--> 3 | b | 0
--> 4 | a | 0
--> (2 rows affected)
with d as (select rank, row_number() over (order by id desc) as n from dbo.dups), e as (select * from d where n > 1) update e set rank = n
select * from dbo.dups order by id
go
--> (1 rows affected)
--> [id:int | name:varchar(10) | rank:int]
--> 3 | b | 2
--> 4 | a | 0
--> (2 rows affected)
drop table dbo.dups
go
-- what it is that comes out
select row_number() over (order by day) as a, ntile(2) over (order by day) as b, percent_rank() over (order by day) as c, lag(price) over (order by day) as d,
  sum(amount) over () as e, avg(price) over () as f, sum(price) over () as g, count(*) over () as h into #types from #s
select name, type_name(system_type_id) as type, precision, scale, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#types') order by column_id
go
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (7 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128) | precision:tinyint | scale:tinyint | is_nullable:bit]
--> a | bigint | 19 | 0 | 1
--> b | bigint | 19 | 0 | 1
--> c | float | 53 | 0 | 1
--> d | decimal | 9 | 2 | 1
--> e | int | 10 | 0 | 1
--> f | decimal | 38 | 6 | 1
--> g | decimal | 38 | 2 | 1
--> h | int | 10 | 0 | 1
--> (8 rows affected)
-- what is refused
select seller from #s where row_number() over (order by seller) = 1
go
--> Msg 4108, Level 15, State 1, Line 2: Windowed functions can only appear in the SELECT or ORDER BY clauses.
select region from #s group by region having row_number() over (order by region) = 1
go
--> Msg 4108, Level 15, State 1, Line 1: Windowed functions can only appear in the SELECT or ORDER BY clauses.
select region from #s group by row_number() over (order by region)
go
--> Msg 4108, Level 15, State 1, Line 1: Windowed functions can only appear in the SELECT or ORDER BY clauses.
select row_number() over (partition by region) from #s
go
--> Msg 4112, Level 15, State 1, Line 1: The function 'row_number' must have an OVER clause with ORDER BY.
select row_number() from #s
go
--> Msg 10753, Level 15, State 1, Line 1: The function 'row_number' must have an OVER clause.
select lag(amount) over () from #s
go
--> Msg 4112, Level 15, State 1, Line 1: The function 'lag' must have an OVER clause with ORDER BY.
select row_number() over (order by 1) from #s
go
--> Msg 5308, Level 15, State 1, Line 1: Windowed functions, aggregates and NEXT VALUE FOR functions do not support integer indices as ORDER BY clause expressions.
select row_number() over (order by 'x') from #s
go
--> Msg 5309, Level 15, State 1, Line 1: Windowed functions, aggregates and NEXT VALUE FOR functions do not support constants as ORDER BY clause expressions.
select rank() over (order by seller rows unbounded preceding) from #s
go
--> Msg 10752, Level 15, State 1, Line 1: The function 'rank' may not have a window frame.
select sum(amount) over (rows unbounded preceding) from #s
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'rows'.
select sum(amount) over (order by day range between 1 preceding and current row) from #s
go
--> Msg 4194, Level 16, State 1, Line 1: RANGE is only supported with UNBOUNDED and CURRENT ROW window frame delimiters.
select sum(amount) over (order by day rows between current row and 1 preceding) from #s
go
--> Msg 4193, Level 16, State 1, Line 1: 'BETWEEN CURRENT ROW AND ... PRECEDING' is not a valid window frame and cannot be used with the OVER clause.
select sum(amount) over (order by day rows between 1 following and unbounded preceding) from #s
go
--> Msg 4193, Level 16, State 1, Line 1: 'BETWEEN ... FOLLOWING AND UNBOUNDED PRECEDING' is not a valid window frame and cannot be used with the OVER clause.
select count(distinct amount) over () from #s
go
--> Msg 10759, Level 15, State 1, Line 1: Use of DISTINCT is not allowed with the OVER clause.
select sum(row_number() over (order by seller)) from #s
go
--> Msg 4109, Level 15, State 1, Line 1: Windowed functions cannot be used in the context of another windowed function or aggregate.
select sum(rank() over (order by seller)) over () from #s
go
--> Msg 4109, Level 15, State 1, Line 1: Windowed functions cannot be used in the context of another windowed function or aggregate.
select upper(seller) over () from #s
go
--> Msg 4113, Level 15, State 1, Line 1: The function 'upper' is not a valid windowing function, and cannot be used with the OVER clause.
select ntile(0) over (order by seller) from #s
go
--> Msg 4116, Level 16, State 1, Line 1: The function 'ntile' takes only a positive int or bigint expression as its input.
select ntile(day) over (order by seller) from #s
go
--> Msg 4195, Level 15, State 1, Line 1: The reference to column "day" is not allowed in an argument to the NTILE function. Only references to columns at an outer scope or standalone expressions and subqueries are allowed here.
declare @n int = -1 select ntile(@n) over (order by seller) from #s
go
--> [:bigint]
--> Msg 4116, Level 16, State 1, Line 1: The function 'ntile' takes only a positive int or bigint expression as its input.
select lag(amount, -1) over (order by seller) from #s
go
--> Msg 8730, Level 16, State 1, Line 1: Offset parameter for Lag and Lead functions cannot be a negative value.
select lag(amount, 1 - day) over (order by seller) from #s
go
--> [:int]
--> Msg 8730, Level 16, State 1, Line 1: Offset parameter for Lag and Lead functions cannot be a negative value.
select lag(amount, 1, 'x') over (order by seller) from #s
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
select percentile_cont(0.5) over () from #s
go
--> Msg 10754, Level 15, State 1, Line 1: The function 'percentile_cont' must have a WITHIN GROUP clause.
select percentile_cont(0.5) within group (order by seller) over () from #s
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 1 of percentile_cont function.
select percentile_disc(1.5) within group (order by amount) over () from #s
go
--> [:int]
--> Msg 8727, Level 16, State 1, Line 1: Input parameter of percentile function is outside of range [0, 1].
select percentile_disc(0.5) within group (order by amount) from #s
go
--> Msg 10753, Level 15, State 1, Line 1: The function 'percentile_disc' must have an OVER clause.
select region, sum(amount) over () from #s group by region
go
--> Msg 8120, Level 16, State 1, Line 1: Column '#s.amount' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select sum(amount * 300000000) over (order by seller) from #s
go
--> [:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select seller from #s union select seller from #s order by row_number() over (order by seller)
go
--> Msg 104, Level 16, State 1, Line 1: ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or EXCEPT operator.
update #s set amount = row_number() over (order by seller)
go
--> Msg 4108, Level 15, State 1, Line 1: Windowed functions can only appear in the SELECT or ORDER BY clauses.
set showplan_text on
go
select seller, row_number() over (partition by region order by day) as n, sum(amount) over (partition by region) as s, rank() over (order by seller desc) as r from #s
go
--> [StmtText:nvarchar(4000)]
--> select seller, row_number() over (partition by region order by day) as n, sum(amount) over (partition by region) as s, rank() over (order by seller desc) as r from #s
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Window Aggregate(DEFINE:([Expr1004]=rank), ORDER BY:([tempdb].[dbo].[#s].[seller] DESC))
-->        |--Sort(ORDER BY:([tempdb].[dbo].[#s].[seller] DESC))
-->             |--Window Aggregate(DEFINE:([Expr1003]=sum([Expr1002])), PARTITION COLUMNS:([tempdb].[dbo].[#s].[region]))
-->                  |--Compute Scalar(DEFINE:([Expr1002]=[tempdb].[dbo].[#s].[amount]))
-->                       |--Window Aggregate(DEFINE:([Expr1001]=row_number), PARTITION COLUMNS:([tempdb].[dbo].[#s].[region]), ORDER BY:([tempdb].[dbo].[#s].[day] ASC))
-->                            |--Sort(ORDER BY:([tempdb].[dbo].[#s].[region] ASC, [tempdb].[dbo].[#s].[day] ASC))
-->                                 |--Table Scan(OBJECT:([tempdb].[dbo].[#s]))
--> (7 rows affected)
set showplan_text off
go
-- windows with names
select seller, sum(amount) over w as s, row_number() over (w order by seller desc) as n, count(*) over (w2 rows 1 preceding) as c
from #s window w as (partition by region), w2 as (w order by seller) order by seller
go
--> [seller:varchar(10) | s:int | n:bigint | c:int]
--> Ann | 30 | 3 | 1
--> Bob | 30 | 2 | 2
--> Cid | 30 | 1 | 2
--> Dan | 19 | 3 | 1
--> Eve | 19 | 2 | 2
--> Fay | 19 | 1 | 2
--> Gus | 1 | 1 | 1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (7 rows affected)
select seller, rank() over w as r from #s as s window w as (order by day desc) order by seller
go
--> [seller:varchar(10) | r:bigint]
--> Ann | 6
--> Bob | 4
--> Cid | 4
--> Dan | 6
--> Eve | 2
--> Fay | 2
--> Gus | 1
--> (7 rows affected)
select window.seller from #s window where seller = 'Ann'
go
--> [seller:varchar(10)]
--> Ann
--> (1 rows affected)
select sum(amount) over x from #s window w as (partition by region)
go
--> Msg 5362, Level 15, State 1, Line 1: Window 'x' is undefined.
select sum(amount) over a from #s window a as (b), b as (a)
go
--> Msg 5365, Level 15, State 1, Line 1: Cyclic window references are not permitted.
select sum(amount) over (w order by seller) from #s window w as (order by day)
go
--> Msg 4123, Level 15, State 3, Line 1: Window element in OVER clause can not also be specified in WINDOW clause.
select sum(amount) over (w order by seller) from #s window w as (partition by region order by day rows unbounded preceding)
go
--> Msg 4123, Level 15, State 2, Line 1: Window element in OVER clause can not also be specified in WINDOW clause.
select rank() over w from #s window w as (w2 order by seller), w2 as (w order by day)
go
--> Msg 5365, Level 15, State 1, Line 1: Cyclic window references are not permitted.
-- A window by its name alone stands without parentheses, but for a definition.
select sum(amount) over (w) from #s window w as (order by day)
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near ')'.
select max(s) as s from (select sum(amount) over w2 as s from #s window w2 as (w), w as (order by seller)) x
go
--> [s:int]
--> 50
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- A frame that the named window brings.
select rank() over w from #s window w as (order by day rows unbounded preceding)
go
--> Msg 4106, Level 15, State 2, Line 2: The function 'rank' may not have a window frame.
select lag(amount) over w from #s window w as (order by day rows unbounded preceding)
go
--> Msg 4106, Level 15, State 1, Line 1: The function 'lag' may not have a window frame.
select percentile_cont(0.5) within group (order by day) over w from #s window w as (partition by region rows unbounded preceding)
go
--> Msg 4106, Level 15, State 1, Line 1: The function 'percentile_cont' may not have a window frame.
select rank() over (w rows unbounded preceding) from #s window w as (order by day)
go
--> Msg 10752, Level 15, State 1, Line 1: The function 'rank' may not have a window frame.
-- How many rows a frame has does not depend on an order; what is in it does.
select max(n) as n, min(b) as b from (select count(*) over (partition by v rows between unbounded preceding and current row) as n,
  count_big(*) over (partition by v rows between 1 following and unbounded following) as b from (values (1), (1), (1), (2)) t (v)) x
go
--> [n:int | b:bigint]
--> 3 | 0
--> (1 rows affected)
select count(amount) over (partition by region rows unbounded preceding) from #s
go
--> Msg 10756, Level 15, State 1, Line 1: Window frame with ROWS or RANGE must have an ORDER BY clause.
-- IGNORE NULLS: the offset leads to a row, from which a NULL leads on; the default is for what the offset itself leads out.
select i, lead(a, 2) ignore nulls over (order by i) as l from (values (1, 1), (2, 2), (3, null), (4, 4)) t (i, a)
select i, lag(a, 1, 99) ignore nulls over (order by i) as l from (values (1, null), (2, null), (3, 6)) t (i, a)
select i, lead(a, 1, 99) ignore nulls over (partition by g order by i) as l
from (values (1, 1, 5), (1, 2, null), (1, 3, null), (2, 4, 7), (2, 5, 8)) t (g, i, a)
go
--> [i:int | l:int]
--> 1 | 4
--> 2 | 4
--> 3 | NULL
--> 4 | NULL
--> (4 rows affected)
--> [i:int | l:int]
--> 1 | 99
--> 2 | NULL
--> 3 | NULL
--> (3 rows affected)
--> [i:int | l:int]
--> 1 | NULL
--> 2 | NULL
--> 3 | 99
--> 4 | 8
--> 5 | 99
--> (5 rows affected)
-- A default that no row takes is not converted.
select i, lag(a, 0, 'x') over (order by i) as l from (values (1, 1), (2, null)) t (i, a)
go
--> [i:int | l:int]
--> 1 | 1
--> 2 | NULL
--> (2 rows affected)
select rank() over w from #s window w as (partition by region)
go
--> Msg 5366, Level 15, State 1, Line 1: The function 'rank' must have an OVER clause or a WINDOW with ORDER BY.
select sum(amount) over (w rows 1 preceding) from #s window w as (partition by region)
go
--> Msg 5364, Level 15, State 1, Line 1: Window frame with ROWS or RANGE must have an ORDER BY clause.
select percentile_disc(0.5) within group (order by day) over w from #s window w as (order by region)
go
--> Msg 5363, Level 15, State 1, Line 1: The function 'percentile_disc' may not have ORDER BY in OVER or WINDOW clause.
select sum(amount) over w from #s window w as (w)
go
--> Msg 5362, Level 15, State 1, Line 1: Window 'w' is undefined.
select sum(amount) over w from #s window w as (order by day), W as (order by seller)
go
--> Msg 16211, Level 15, State 1, Line 1: Cannot repeat window name in the WINDOW clause.
