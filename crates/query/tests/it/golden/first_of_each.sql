create table dbo.sales (id int not null primary key, region varchar(10) null, amount int null, note nvarchar(20) null)
insert dbo.sales select value, case value % 5 when 0 then 'north' when 1 then 'South' when 2 then 'south' when 3 then null else 'west ' end,
    case when value % 11 = 0 then null else value * 37 % 101 end, concat(N'n', value % 13) from generate_series(1, 160)
go
--> (160 rows affected)
-- What a condition on numbers of a window leaves is what counting says that comes before a row.
create view dbo.counted as select s.*,
    (select count(*) from dbo.sales o where (o.region = s.region or o.region is null and s.region is null)
        and (o.amount > s.amount or o.amount is not null and s.amount is null)) as before,
    (select count(distinct isnull(o.amount, -1)) from dbo.sales o where (o.region = s.region or o.region is null and s.region is null)
        and (o.amount > s.amount or o.amount is not null and s.amount is null)) as keys_before
from dbo.sales s
go
select count(*) as n, sum(id) as ids from (select *, rank() over (partition by region order by amount desc) as r from dbo.sales) x where r <= 3
select count(*) as n, sum(id) as ids from dbo.counted where before < 3
go
--> [n:int | ids:int]
--> 12 | 656
--> (1 rows affected)
--> [n:int | ids:int]
--> 12 | 656
--> (1 rows affected)
select count(*) as n, sum(id) as ids from (select *, dense_rank() over (partition by region order by amount desc) as r from dbo.sales) x where 4 > r
select count(*) as n, sum(id) as ids from dbo.counted where keys_before < 3
go
--> [n:int | ids:int]
--> 12 | 656
--> (1 rows affected)
--> [n:int | ids:int]
--> 12 | 656
--> (1 rows affected)
select x.region, x.r, x.d, x.id from (select *, row_number() over (partition by region order by amount desc, id) as r,
    dense_rank() over (partition by region order by amount desc, id) as d from dbo.sales) x where r = 2 order by x.region, x.id
select region, id from (select *, (select count(*) from dbo.sales o where (o.region = s.region or o.region is null and s.region is null)
        and (isnull(o.amount, -1) > isnull(s.amount, -1) or isnull(o.amount, -1) = isnull(s.amount, -1) and o.id < s.id)) as before from dbo.sales s) x
    where before = 1 order by region, id
go
--> [region:varchar(10) | r:bigint | d:bigint | id:int]
--> NULL | 2 | 2 | 38
--> north | 2 | 2 | 60
--> south | 2 | 2 | 27
--> west | 2 | 2 | 49
--> (4 rows affected)
--> [region:varchar(10) | id:int]
--> NULL | 38
--> north | 60
--> south | 27
--> west | 49
--> (4 rows affected)
-- Other calls of the window see all of its rows.
select count(*) as n, min(c) as least, max(c) as most from
    (select rank() over (partition by region order by amount) as r, count(*) over (partition by region order by amount rows between unbounded preceding and unbounded following) as c from dbo.sales) x where r <= 2
select count(*) as n, sum(r) as rs from (select rank() over (order by amount) as r, sum(amount) over (order by amount) as s from dbo.sales) x where r between 2 and 20
go
--> [n:int | least:int | most:int]
--> 14 | 32 | 64
--> (1 rows affected)
--> [n:int | rs:bigint]
--> 6 | 104
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- None, and bounds that are no whole rows.
select count(*) as n from (select rank() over (partition by region order by amount) as r from dbo.sales) x where r <= 0
select count(*) as n from (select rank() over (partition by region order by amount) as r from dbo.sales) x where r <= null
select count(*) as n from (select rank() over (partition by region order by amount) as r from dbo.sales) x where r < 1.5
go
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 14
--> (1 rows affected)
-- The number of texts: partitions by their collation, and by binary rules.
select count(*) as n, sum(id) as ids from (select *, row_number() over (partition by note collate Latin1_General_BIN2 order by region, id) as r from dbo.sales) x where r <= 2
select count(*) as n, sum(id) as ids from dbo.sales s where (select count(*) from dbo.sales o where o.note = s.note
    and (isnull(o.region, '') < isnull(s.region, '') or isnull(o.region, '') = isnull(s.region, '') and o.id < s.id)) < 2
go
--> [n:int | ids:int]
--> 26 | 1703
--> (1 rows affected)
--> [n:int | ids:int]
--> 26 | 1703
--> (1 rows affected)
-- Changes by such a number.
with doubles as (select *, row_number() over (partition by region, amount order by id desc) as r from dbo.sales) delete doubles where r > 1
select count(*) as n, count(distinct concat(upper(rtrim(isnull(region, '?'))), '/', isnull(amount, -1))) as different from dbo.sales
go
--> (20 rows affected)
--> [n:int | different:int]
--> 140 | 140
--> (1 rows affected)
with newest as (select *, row_number() over (partition by region order by id desc) as r from dbo.sales) update newest set note = N'newest' where r = 1
select region, id from dbo.sales s where note = N'newest' order by id
select lower(region) as region, max(id) as id from dbo.sales group by lower(region) order by id
go
--> (4 rows affected)
--> [region:varchar(10) | id:int]
--> south | 157
--> NULL | 158
--> west | 159
--> north | 160
--> (4 rows affected)
--> [region:varchar(10) | id:int]
--> south | 157
--> NULL | 158
--> west | 159
--> north | 160
--> (4 rows affected)
