-- differs secondary: it lists indexes
-- differs parameters: it shows which index is read
create database joins
go
use joins
set nocount on
create table n (i int not null primary key)
declare @i int = 0
while @i < 100 begin insert n values (@i) set @i = @i + 1 end
create table large (id int not null primary key, k int not null, name varchar(40), part int)
create index large_k on large (k, part) include (name)
insert large select x.i * 100 + y.i, (x.i * 100 + y.i) / 3, 'row ' + cast(x.i * 100 + y.i as varchar(10)), y.i % 4 from n x cross join n y
create table few (f int, wanted int, text varchar(40))
insert few values (1, 4711, 'a'), (2, 20000, 'b'), (3, 17, 'c'), (4, null, 'd'), (5, 17, 'e'), (6, 9999, null)
go
-- By the key of the rows
select f.f, l.id, l.name from few f join large l on l.id = f.wanted order by f.f
select f.f, l.id, l.name from large l join few f on f.wanted = l.id order by f.f
select f.f, l.id from few f left join large l on l.id = f.wanted order by f.f
select f.f, l.id from few f left join large l on l.id = f.wanted and l.part = 1 order by f.f
select f.f, l.id from few f left join large l on l.id = f.wanted where l.id is null order by f.f
select f.f, l.id from large l right join few f on l.id = f.wanted order by f.f
select count(*) from few f full join large l on l.id = f.wanted
go
--> [f:int | id:int | name:varchar(40)]
--> 1 | 4711 | row 4711
--> 3 | 17 | row 17
--> 5 | 17 | row 17
--> 6 | 9999 | row 9999
--> [f:int | id:int | name:varchar(40)]
--> 1 | 4711 | row 4711
--> 3 | 17 | row 17
--> 5 | 17 | row 17
--> 6 | 9999 | row 9999
--> [f:int | id:int]
--> 1 | 4711
--> 2 | NULL
--> 3 | 17
--> 4 | NULL
--> 5 | 17
--> 6 | 9999
--> [f:int | id:int]
--> 1 | NULL
--> 2 | NULL
--> 3 | 17
--> 4 | NULL
--> 5 | 17
--> 6 | NULL
--> [f:int | id:int]
--> 2 | NULL
--> 4 | NULL
--> [f:int | id:int]
--> 1 | 4711
--> 2 | NULL
--> 3 | 17
--> 4 | NULL
--> 5 | 17
--> 6 | 9999
--> [:int]
--> 10003
-- By an index beside the rows, several rows each
select f.f, l.id, l.part, l.name from few f join large l on l.k = f.wanted and l.part < 2 order by f.f, l.id
select f.f, count(l.id), max(l.name) from few f left join large l on l.k = f.wanted group by f.f order by f.f
select * from few f join (select id, k from large where part = 3) l on l.k = f.wanted order by f.f, l.id
go
--> [f:int | id:int | part:int | name:varchar(40)]
--> 3 | 52 | 0 | row 52
--> 3 | 53 | 1 | row 53
--> 5 | 52 | 0 | row 52
--> 5 | 53 | 1 | row 53
--> [f:int | :int | :varchar(40)]
--> 1 | 0 | NULL
--> 2 | 0 | NULL
--> 3 | 3 | row 53
--> 4 | 0 | NULL
--> 5 | 3 | row 53
--> 6 | 0 | NULL
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> [f:int | wanted:int | text:varchar(40) | id:int | k:int]
--> 3 | 17 | c | 51 | 17
--> 5 | 17 | e | 51 | 17
-- More than two, expressions, correlated and outer references
select f.f, l.id, m.id from few f join large l on l.id = f.wanted + 1 join large m on m.id = l.k order by f.f
select f.f, (select max(m.name) from few g join large m on m.id = g.wanted where g.f <= f.f) from few f order by f.f
select f.f from few f where exists (select 1 from few g join large l on l.id = g.wanted where l.id = f.wanted and g.f <> f.f) order by f.f
select f.f, l.id from few f join large l on l.id = f.wanted and (f.text is null or l.name like '%17%') order by f.f
select f.f, l.id from few f join large l on l.id = f.wanted and 1 = 0
select top 2 f.f, l.id from few f join large l on l.id = f.wanted order by f.f desc
go
--> [f:int | id:int | id:int]
--> 1 | 4712 | 1570
--> 3 | 18 | 6
--> 5 | 18 | 6
--> [f:int | :varchar(40)]
--> 1 | row 4711
--> 2 | row 4711
--> 3 | row 4711
--> 4 | row 4711
--> 5 | row 4711
--> 6 | row 9999
--> [f:int]
--> 3
--> 5
--> [f:int | id:int]
--> 3 | 17
--> 5 | 17
--> 6 | 9999
--> [f:int | id:int]
--> [f:int | id:int]
--> 6 | 9999
--> 5 | 17
-- Types that are not the key's
declare @t table (x decimal(9, 2), y varchar(10), z bigint)
insert @t values (17.00, '17', 17), (17.50, 'no', 3000000000)
select t.x, l.id from @t t join large l on l.id = t.x order by t.x
select t.z, l.id from @t t join large l on l.id = t.z order by t.z
select t.y, l.id from @t t join large l on l.name = 'row ' + t.y order by t.y
go
--> [x:decimal(9,2) | id:int]
--> 17.00 | 17
--> [z:bigint | id:int]
--> 17 | 17
--> [y:varchar(10) | id:int]
--> 17 | 17
-- The sizes change: the same text, other plans
create table grows (w int)
go
declare @turn int = 0
while @turn < 3
begin
    select count(*), sum(l.id) from grows g join large l on l.id = g.w
    insert grows select i * 50 + @turn from n
    if @turn = 1 insert grows select id from large
    set @turn = @turn + 1
end
go
--> [:int | :int]
--> 0 | NULL
--> [:int | :int]
--> 100 | 247500
--> [:int | :int]
--> 10200 | 50490100
-- Changes by way of the join
update l set name = 'changed' from few f join large l on l.id = f.wanted
select id, name from large where name = 'changed' order by id
delete l from few f join large l on l.k = f.wanted where f.f = 3
select count(*) from large
select sum(rows) from sys.partitions where object_id = object_id('large') group by index_id
begin tran
delete large where id < 5000
select count(*) from large
rollback
select index_id, rows from sys.partitions where object_id = object_id('large') order by index_id
truncate table large
select index_id, rows from sys.partitions where object_id = object_id('large') order by index_id
go
--> [id:int | name:varchar(40)]
--> 17 | changed
--> 4711 | changed
--> 9999 | changed
--> [:int]
--> 9997
--> [:bigint]
--> 9997
--> 9997
--> [:int]
--> 5000
--> [index_id:int | rows:bigint]
--> 1 | 9997
--> 2 | 9997
--> [index_id:int | rows:bigint]
--> 1 | 0
--> 2 | 0
-- Few pages are read
insert large select x.i * 100 + y.i, (x.i * 100 + y.i) / 3, 'row', 0 from n x cross join n y
go
select count(*) from few f join large l on l.id = f.wanted
go
--> [:int]
--> 4
select count(*) from large l join few f on l.k = f.wanted where f.f < 5
go
--> [:int]
--> 3
select case when s.last_logical_reads < 60 then 'seeks' else 'scans' end
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
where t.text like 'select count(%few f%'
go
--> [:varchar(5)]
--> seeks
--> seeks
