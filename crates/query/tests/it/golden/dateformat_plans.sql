-- what a session says about texts of dates holds wherever and whenever the statement is run: plans that are kept, rows
-- that are loaded, computed columns, defaults, checks, functions, cursors, parameters
create table texts (id int not null primary key, t varchar(20) not null)
insert texts values (1, '01/02/2024'), (2, '03/04/2024'), (3, '05/06/2024')
go
--> (3 rows affected)
create table made (id int not null primary key, t varchar(20) not null, d as cast(t as date), e date null default '07/08/2024', check (t <> '' and month(cast(t as date)) < 13))
go
create function month_of (@t varchar(20)) returns int as begin return month(cast(@t as datetime)) end
go
create procedure months as
begin
    select id, month(cast(t as date)) as m, month(cast(t as datetime)) as l, isdate(t) as i, dbo.month_of(t) as f, try_convert(date, t) as c from texts order by id
    select m, count(*) as n from (select month(cast(t as smalldatetime)) as m from texts) x group by m order by m
    select [02/03/2024] as pivoted from (select 1 as one, cast('2024-03-02' as date) as d) x pivot (count(one) for d in ([02/03/2024])) p
end
go
exec months
insert made (id, t) values (1, '01/02/2024')
insert made (id, t) select 10 + id, t from texts
select id, d, e from made order by id
go
--> [id:int | m:int | l:int | i:int | f:int | c:date]
--> 1 | 1 | 1 | 1 | 1 | 2024-01-02
--> 2 | 3 | 3 | 1 | 3 | 2024-03-04
--> 3 | 5 | 5 | 1 | 5 | 2024-05-06
--> (3 rows affected)
--> [m:int | n:int]
--> 1 | 1
--> 3 | 1
--> 5 | 1
--> (3 rows affected)
--> [pivoted:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> (3 rows affected)
--> [id:int | d:date | e:date]
--> 1 | 2024-01-02 | 2024-07-08
--> 11 | 2024-01-02 | 2024-07-08
--> 12 | 2024-03-04 | 2024-07-08
--> 13 | 2024-05-06 | 2024-07-08
--> (4 rows affected)
set dateformat dmy
exec months
insert made (id, t) values (2, '01/02/2024')
insert made (id, t) select 20 + id, t from texts
select id, d, e from made order by id
select id from made where e = '07/08/2024' order by id
declare @d date = '09/10/2024'
declare @t table (d date not null)
insert @t values ('09/10/2024')
insert @t exec ('select ''11/12/2024''')
declare k cursor local for select t from texts order by id
open k
fetch k into @d
select @d as fetched, (select min(d) from @t) as first, (select max(d) from @t) as last
exec sp_executesql N'select @p as p', N'@p date', '09/10/2024'
go
--> [id:int | m:int | l:int | i:int | f:int | c:date]
--> 1 | 2 | 2 | 1 | 2 | 2024-02-01
--> 2 | 4 | 4 | 1 | 4 | 2024-04-03
--> 3 | 6 | 6 | 1 | 6 | 2024-06-05
--> (3 rows affected)
--> [m:int | n:int]
--> 2 | 1
--> 4 | 1
--> 6 | 1
--> (3 rows affected)
--> [pivoted:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> (3 rows affected)
--> [id:int | d:date | e:date]
--> 1 | 2024-02-01 | 2024-07-08
--> 2 | 2024-02-01 | 2024-08-07
--> 11 | 2024-02-01 | 2024-07-08
--> 12 | 2024-04-03 | 2024-07-08
--> 13 | 2024-06-05 | 2024-07-08
--> 21 | 2024-02-01 | 2024-08-07
--> 22 | 2024-04-03 | 2024-08-07
--> 23 | 2024-06-05 | 2024-08-07
--> (8 rows affected)
--> [id:int]
--> 2
--> 21
--> 22
--> 23
--> (4 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [fetched:date | first:date | last:date]
--> 2024-02-01 | 2024-10-09 | 2024-12-11
--> (1 rows affected)
--> [p:date]
--> 2024-10-09
--> (1 rows affected)
set dateformat mdy
exec months
go
--> [id:int | m:int | l:int | i:int | f:int | c:date]
--> 1 | 1 | 1 | 1 | 1 | 2024-01-02
--> 2 | 3 | 3 | 1 | 3 | 2024-03-04
--> 3 | 5 | 5 | 1 | 5 | 2024-05-06
--> (3 rows affected)
--> [m:int | n:int]
--> 1 | 1
--> 3 | 1
--> 5 | 1
--> (3 rows affected)
--> [pivoted:int]
--> 0
--> (1 rows affected)
