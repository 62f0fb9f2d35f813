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
select dept, count(*) as n, count(salary) as paid, sum(salary) as total, avg(salary) as average, min(name) as lo, max(name) as hi from #emp group by dept order by dept
select name, count(*) as n from #emp group by name order by name
select distinct name from #emp order by name
select dept from #emp group by dept having count(*) > 1
select count(distinct name) as names, max(hired) as last, avg(id) as i, avg(1.0 * id) as d from #emp
select sum(id) as s, count(*) as n from #emp where 1 = 0
go
select top 2 id from #emp order by id desc
select top (1) with ties dept from #emp where dept is not null order by dept
select top 50 percent id from #emp order by id
select id from #emp order by id offset 1 rows fetch next 2 rows only
select id from #emp where id in (1, 3) union all select id from #dept order by id
select dept from #emp union select id from #dept
select id from #dept except select dept from #emp
select id from #dept intersect select dept from #emp
go
select id from #emp where name = 'ANN' order by id
select id from #emp where name like 'a%' order by id
select id from #emp where salary between 60 and 250
select id from #emp where not (salary > 100)
select id from #emp where dept is null
select id from #emp where dept not in (1)
select id from #emp where hired > '2020-01-01' order by id
go
select id from #emp where dept in (select id from #dept where name = 'IT')
select d.id from #dept d where exists (select * from #emp e where e.dept = d.id) order by d.id
select d.id from #dept d where not exists (select * from #emp e where e.dept = d.id)
select d.name, (select count(*) from #emp e where e.dept = d.id) as n from #dept d order by d.id
select (select max(id) from #emp) as m, (select id from #emp where id = 99) as nobody
select * from (select dept, sum(salary) as s from #emp group by dept) x where s > 100
with c as (select dept, count(*) as n from #emp group by dept) select d.name, c.n from c join #dept d on d.id = c.dept order by d.name
if exists (select * from #emp where id = 3) print 'found' else print 'lost'
go
select case when salary is null then 'none' when salary > 100 then 'high' else 'low' end as pay, isnull(salary, 0) as s, coalesce(dept, -1) as d, nullif(id, 2) as n, iif(id > 2, 'big', 'small') as i from #emp order by id
select 7 / 2 as i, 7 / 2.0 as d, 7 % 4 as m, 'a' + 'b' as s, 2 & 3 as a, 5 ^ 1 as x, -(-3) as n, ~5 as c, 1e2 as f, $1.5 as mo
select cast(1.005 as decimal(5,2)) as d, cast('2024-02-29' as date) as dt, convert(varchar(10), 12345.678) as v, cast(0x41 as char(1)) as c, try_cast('x' as int) as t, cast(1 as bit) as b
select datepart(year, '2024-03-01') as y, datediff(day, '2024-02-28', '2024-03-01') as dd, dateadd(month, 1, cast('2024-01-31' as date)) as da, year(cast('20240131' as datetime)) as yy
select len('abc  ') as l, datalength(N'abc') as dl, upper('aé') as u, substring('abcdef', 2, 3) as s, charindex('c', 'abc') as c, replace('aXa', 'x', 'b') as r, left('abc', 2) as le, ltrim(rtrim('  a  ')) + '|' as t
go
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
update #emp set salary = isnull(salary, 0) * 2, name = upper(name) where dept = 2
update e set salary = salary + 1 from #emp e join #dept d on d.id = e.dept where d.name = 'Sales'
delete e from #emp e left join #dept d on d.id = e.dept where d.id is null
select id, name, salary from #emp order by id
select id, name into #copy from #emp where id < 3
insert #copy select id + 10, name from #copy
select * from #copy order by id
truncate table #copy
select count(*) as n from #copy
drop table #copy, #emp, #dept
go
declare @tv table (id int identity(1,1), v varchar(10) default 'dflt')
insert @tv default values
insert @tv (v) values ('x'), ('y')
insert @tv select 'z' + v from @tv where id > 1
update @tv set v = 'changed' where id = 2
delete @tv where id = 1
select * from @tv order by id
select scope_identity() as i
go
