-- differs parameters: a literal has less precision than its type
-- Queries through the one executor.
set nocount on
create table #dept (id int, name varchar(20))
create table #emp (id int, name nvarchar(20), dept int, salary money, hired date)
insert #dept values (1, 'Sales'), (2, 'IT'), (3, 'Empty')
insert #emp values (1, N'Ann', 1, 100, '2020-01-31'), (2, N'bob', 1, 200.5, '2021-06-01'), (3, N'Cy', 2, null, '2019-12-24'), (4, N'ann ', null, 50, null)
go
select e.name, d.name as dept from #emp e join #dept d on d.id = e.dept order by e.id
select e.name, d.name as dept from #emp e left join #dept d on d.id = e.dept order by e.id
select d.name, e.name as emp from #emp e right join #dept d on d.id = e.dept order by d.id, e.id
select d.id, e.id as emp from #emp e full join #dept d on d.id = e.dept order by d.id, e.id
select count(*) as n from #emp cross join #dept
select e.id from #emp e, #dept d where e.dept = d.id and d.name = 'sales' order by 1 desc
go
--> [name:nvarchar(20) | dept:varchar(20)]
--> Ann | Sales
--> bob | Sales
--> Cy | IT
--> [name:nvarchar(20) | dept:varchar(20)]
--> Ann | Sales
--> bob | Sales
--> Cy | IT
--> ann | NULL
--> [name:varchar(20) | emp:nvarchar(20)]
--> Sales | Ann
--> Sales | bob
--> IT | Cy
--> Empty | NULL
--> [id:int | emp:int]
--> NULL | 4
--> 1 | 1
--> 1 | 2
--> 2 | 3
--> 3 | NULL
--> [n:int]
--> 12
--> [id:int]
--> 2
--> 1
select dept, count(*) as n, count(salary) as paid, sum(salary) as total, avg(salary) as average, min(name) as lo, max(name) as hi from #emp group by dept order by dept
select name, count(*) as n from #emp group by name order by name
select distinct name from #emp order by name
select dept from #emp group by dept having count(*) > 1
select count(distinct name) as names, max(hired) as last, avg(id) as i, avg(1.0 * id) as d from #emp
select sum(id) as s, count(*) as n from #emp where 1 = 0
go
--> [dept:int | n:int | paid:int | total:money | average:money | lo:nvarchar(20) | hi:nvarchar(20)]
--> NULL | 1 | 1 | 50.0000 | 50.0000 | ann | ann
--> 1 | 2 | 2 | 300.5000 | 150.2500 | Ann | bob
--> 2 | 1 | 0 | NULL | NULL | Cy | Cy
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> [name:nvarchar(20) | n:int]
--> Ann | 2
--> bob | 1
--> Cy | 1
--> [name:nvarchar(20)]
--> Ann
--> bob
--> Cy
--> [dept:int]
--> 1
--> [names:int | last:date | i:int | d:numeric(38,6)]
--> 3 | 2021-06-01 | 2 | 2.500000
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> [s:int | n:int]
--> NULL | 0
select top 2 id from #emp order by id desc
select top (1) with ties dept from #emp where dept is not null order by dept
select top 50 percent id from #emp order by id
select id from #emp order by id offset 1 rows fetch next 2 rows only
select id from #emp where id in (1, 3) union all select id from #dept order by id
select dept from #emp union select id from #dept
select id from #dept except select dept from #emp
select id from #dept intersect select dept from #emp
go
--> [id:int]
--> 4
--> 3
--> [dept:int]
--> 1
--> 1
--> [id:int]
--> 1
--> 2
--> [id:int]
--> 2
--> 3
--> [id:int]
--> 1
--> 1
--> 2
--> 3
--> 3
--> [dept:int]
--> 1
--> 2
--> NULL
--> 3
--> [id:int]
--> 3
--> [id:int]
--> 1
--> 2
select id from #emp where name = 'ANN' order by id
select id from #emp where name like 'a%' order by id
select id from #emp where salary between 60 and 250
select id from #emp where not (salary > 100)
select id from #emp where dept is null
select id from #emp where dept not in (1)
select id from #emp where hired > '2020-01-01' order by id
go
--> [id:int]
--> 1
--> 4
--> [id:int]
--> 1
--> 4
--> [id:int]
--> 1
--> 2
--> [id:int]
--> 1
--> 4
--> [id:int]
--> 4
--> [id:int]
--> 3
--> [id:int]
--> 1
--> 2
select id from #emp where dept in (select id from #dept where name = 'IT')
select d.id from #dept d where exists (select * from #emp e where e.dept = d.id) order by d.id
select d.id from #dept d where not exists (select * from #emp e where e.dept = d.id)
select d.name, (select count(*) from #emp e where e.dept = d.id) as n from #dept d order by d.id
select (select max(id) from #emp) as m, (select id from #emp where id = 99) as nobody
select * from (select dept, sum(salary) as s from #emp group by dept) x where s > 100
;with c as (select dept, count(*) as n from #emp group by dept) select d.name, c.n from c join #dept d on d.id = c.dept order by d.name
if exists (select * from #emp where id = 3) print 'found' else print 'lost'
go
--> [id:int]
--> 3
--> [id:int]
--> 1
--> 2
--> [id:int]
--> 3
--> [name:varchar(20) | n:int]
--> Sales | 2
--> IT | 1
--> Empty | 0
--> [m:int | nobody:int]
--> 4 | NULL
--> [dept:int | s:money]
--> 1 | 300.5000
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> [name:varchar(20) | n:int]
--> IT | 1
--> Sales | 2
--> # found
select case when salary is null then 'none' when salary > 100 then 'high' else 'low' end as pay, isnull(salary, 0) as s, coalesce(dept, -1) as d, nullif(id, 2) as n, iif(id > 2, 'big', 'small') as i from #emp order by id
select 7 / 2 as i, 7 / 2.0 as d, 7 % 4 as m, 'a' + 'b' as s, 2 & 3 as a, 5 ^ 1 as x, -(-3) as n, ~5 as c, 1e2 as f, $1.5 as mo
select cast(1.005 as decimal(5,2)) as d, cast('2024-02-29' as date) as dt, convert(varchar(10), 12345.678) as v, cast(0x41 as char(1)) as c, try_cast('x' as int) as t, cast(1 as bit) as b
select datepart(year, '2024-03-01') as y, datediff(day, '2024-02-28', '2024-03-01') as dd, dateadd(month, 1, cast('2024-01-31' as date)) as da, year(cast('20240131' as datetime)) as yy
select len('abc  ') as l, datalength(N'abc') as dl, upper('aé') as u, substring('abcdef', 2, 3) as s, charindex('c', 'abc') as c, replace('aXa', 'x', 'b') as r, left('abc', 2) as le, ltrim(rtrim('  a  ')) + '|' as t
go
--> [pay:varchar(4) | s:money | d:int | n:int | i:varchar(5)]
--> low | 100.0000 | 1 | 1 | small
--> high | 200.5000 | 1 | NULL | small
--> none | 0.0000 | 2 | 3 | big
--> low | 50.0000 | -1 | 4 | big
--> [i:int | d:numeric(8,6) | m:int | s:varchar(2) | a:int | x:int | n:int | c:int | f:float | mo:money]
--> 3 | 3.500000 | 3 | ab | 2 | 4 | 3 | -6 | 100.0 | 1.5000
--> [d:decimal(5,2) | dt:date | v:varchar(10) | c:char(1) | t:int | b:bit]
--> 1.01 | 2024-02-29 | 12345.678 | A | NULL | 1
--> [y:int | dd:int | da:date | yy:int]
--> 2024 | 2 | 2024-02-29 | 2024
--> [l:int | dl:int | u:varchar(2) | s:varchar(3) | c:int | r:varchar(8000) | le:varchar(2) | t:varchar(6)]
--> 3 | 6 | AÉ | bcd | 3 | aba | ab | a|
declare @n int, @name nvarchar(20)
select @n = count(*) from #emp
select @name = name from #emp where id = 2
select @n as n, @name as name, @@rowcount as rc
set @n += (select max(id) from #emp)
print @n
declare @sum int = 0
select @sum = @sum + id from #emp
print @sum
go
--> [n:int | name:nvarchar(20) | rc:int]
--> 4 | bob | 1
--> # 8
--> # 10
update #emp set salary = isnull(salary, 0) * 2, name = upper(name) where dept = 2
update e set salary = salary + 1 from #emp e join #dept d on d.id = e.dept where d.name = 'Sales'
delete e from #emp e left join #dept d on d.id = e.dept where d.id is null
select id, name, salary from #emp order by id
select id, name into #copy from #emp where id < 3
insert #copy select id + 10, name from #copy
select * from #copy order by id
truncate table #copy
select count(*) as n from #copy
-- INTO of a set operation: the rows of all blocks go there
select id, name into #both from #emp where id = 1 union all (select 7, 'Zoe' except select 1, 'Ann')
select * from #both order by id
go
--> [id:int | name:nvarchar(20) | salary:money]
--> 1 | Ann | 101.0000
--> 2 | bob | 201.5000
--> 3 | CY | 0.0000
--> [id:int | name:nvarchar(20)]
--> 1 | Ann
--> 2 | bob
--> 11 | Ann
--> 12 | bob
--> [n:int]
--> 0
--> [id:int | name:nvarchar(20)]
--> 1 | Ann
--> 7 | Zoe
select id into #no from #emp union select 5 as n into #other
go
--> Msg 196, Level 15, State 1, Line 1: SELECT INTO must be the first query in a statement containing a UNION, INTERSECT or EXCEPT operator.
select * from (select 1 as n into #no union select 2) x
drop table #both
drop table #copy, #emp, #dept
go
--> [n:int]
--> 1
--> 2
declare @tv table (id int identity(1,1), v varchar(10) default 'dflt')
insert @tv default values
insert @tv (v) values ('x'), ('y')
insert @tv select 'z' + v from @tv where id > 1
update @tv set v = 'changed' where id = 2
delete @tv where id = 1
select * from @tv order by id
select scope_identity() as i
go
--> [id:int | v:varchar(10)]
--> 2 | changed
--> 3 | y
--> 4 | zx
--> 5 | zy
--> [i:numeric(38,0)]
--> 5
