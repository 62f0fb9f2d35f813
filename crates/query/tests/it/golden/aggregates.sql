create table #s (region varchar(10), seller nvarchar(10), day int, amount int)
insert #s values ('North', N'Ann', 3, 10), ('north', N'Bob', 2, 20), ('North', N'Cid', 1, null), ('South', N'Dan', 1, 5), ('South', null, 2, 7), ('East', null, 1, 1)
go
--> (6 rows affected)
-- STRING_AGG
select region, string_agg(seller, N', ') within group (order by seller desc) as s from #s group by region order by region
go
--> [region:varchar(10) | s:nvarchar(4000)]
--> East | NULL
--> North | Cid, Bob, Ann
--> South | Dan
--> (3 rows affected)
select string_agg(amount, ';') within group (order by day, amount desc) as s, string_agg(region, '') within group (order by region, day desc) as r from #s
go
--> [s:nvarchar(4000) | r:varchar(8000)]
--> 5;1;20;7;10 | EastNorthnorthNorthSouthSouth
--> (1 rows affected)
declare @separator varchar(5) = '-'
select string_agg(seller, @separator) within group (order by day desc, seller) as s from #s where region = 'NORTH'
go
--> [s:nvarchar(4000)]
--> Ann-Bob-Cid
--> (1 rows affected)
select len(string_agg(seller, N'/')) as n from #s
go
--> [n:int]
--> 15
--> (1 rows affected)
select string_agg(seller, N',') as s from #s where 1 = 0
select region, string_agg(seller, N',') as s from #s where 1 = 0 group by region
go
--> [s:nvarchar(4000)]
--> NULL
--> (1 rows affected)
--> [region:varchar(10) | s:nvarchar(4000)]
--> (0 rows affected)
select string_agg(cast(value as varchar(10)), ',') within group (order by value desc) as s, count(*) as n from generate_series(1, 5)
go
--> [s:varchar(8000) | n:int]
--> 5,4,3,2,1 | 5
--> (1 rows affected)
select len(string_agg(cast(replicate('x', 100) as varchar(max)), ',')) as n from generate_series(1, 100)
go
--> [n:bigint]
--> 10099
--> (1 rows affected)
select string_agg(replicate('x', 100), ',') as n from generate_series(1, 100)
go
--> [n:varchar(8000)]
--> Msg 9829, Level 16, State 1, Line 1: STRING_AGG aggregation result exceeded the limit of 8000 bytes. Use LOB types to avoid result truncation.
select region, string_agg(seller, N'|') within group (order by seller) as s, grouping(region) as g from #s group by rollup (region) order by g, region
go
--> [region:varchar(10) | s:nvarchar(4000) | g:tinyint]
--> East | NULL | 0
--> North | Ann|Bob|Cid | 0
--> South | Dan | 0
--> NULL | Ann|Bob|Cid|Dan | 1
--> (4 rows affected)
select s.region, (select string_agg(i.seller, N'+') within group (order by i.day) from #s as i where i.region = s.region) as x from (select distinct region from #s) as s order by s.region
go
--> [region:varchar(10) | x:nvarchar(4000)]
--> East | NULL
--> North | Cid+Bob+Ann
--> South | Dan
--> (3 rows affected)
select string_agg(seller, N',') within group (order by seller) as s into #joined from #s
select name, type_name(system_type_id) as type, max_length, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#joined')
go
--> (1 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128) | max_length:smallint | is_nullable:bit]
--> s | nvarchar | 8000 | 1
--> (1 rows affected)
select string_agg(seller, seller) from #s
go
--> Msg 8733, Level 16, State 1, Line 1: Separator parameter for STRING_AGG must be a string literal or variable.
select string_agg(seller) from #s
go
--> Msg 174, Level 15, State 1, Line 1: The string_agg function requires 2 argument(s).
select string_agg(seller, N',') over () from #s
go
--> Msg 4113, Level 15, State 1, Line 1: The function 'string_agg' is not a valid windowing function, and cannot be used with the OVER clause.
select string_agg(seller, N',') within group (order by 1) from #s
go
--> Msg 5308, Level 15, State 1, Line 1: Windowed functions, aggregates and NEXT VALUE FOR functions do not support integer indices as ORDER BY clause expressions.
select sum(amount) within group (order by amount) from #s
go
--> Msg 10757, Level 15, State 1, Line 1: The function 'sum' may not have a WITHIN GROUP clause.
-- APPROX_COUNT_DISTINCT: exact for few values
select approx_count_distinct(region) as r, approx_count_distinct(seller) as s, approx_count_distinct(amount) as a from #s
go
--> [r:bigint | s:bigint | a:bigint]
--> 3 | 4 | 5
--> (1 rows affected)
select approx_count_distinct(region) as r from #s where 1 = 0
go
--> [r:bigint]
--> 0
--> (1 rows affected)
select case when approx_count_distinct(value) between 97500 and 102500 then 'near' else 'far' end as n from generate_series(1, 100000)
go
--> [n:varchar(4)]
--> near
--> (1 rows affected)
-- CHECKSUM_AGG: the order of rows does not matter
select checksum_agg(amount) as c, checksum_agg(distinct day) as d, checksum_agg(checksum(seller)) ^ checksum_agg(checksum(seller)) as z from #s
go
--> [c:int | d:int | z:int]
--> 29 | 0 | 0
--> (1 rows affected)
select seller, checksum_agg(amount) over (order by day, amount rows unbounded preceding) as c from #s where amount is not null order by day, amount
go
--> [seller:nvarchar(10) | c:int]
--> NULL | 1
--> Dan | 4
--> NULL | 3
--> Bob | 23
--> Ann | 29
--> (5 rows affected)
select checksum_agg(region) from #s
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type varchar is invalid for checksum_agg operator.
