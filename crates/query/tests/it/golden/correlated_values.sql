-- VALUES that read the rows around them.
create table #t (id int primary key, a int, b int null, c varchar(10))
insert #t values (1, 10, 100, 'x'), (2, 20, null, 'y'), (3, 30, 300, 'z')
create table #u (id int, k varchar(10), v int)
go
--> (3 rows affected)
select t.id, v.n, v.x from #t t cross apply (values ('a', t.a), ('b', t.b)) v (n, x) order by t.id, v.n
select t.id, v.x from #t t outer apply (select x from (values (t.a), (t.b)) w (x) where x > 50) v order by t.id, v.x
select id, (select max(x) from (values (a), (b), (id * 5)) v (x)) as largest from #t order by id
select id from #t where exists (select 1 from (values (a), (b)) v (x) where x = 300)
select id from #t where 20 in (select x from (values (a), (b)) v (x))
select id from #t where 100 not in (select x from (values (a), (isnull(b, 0))) v (x)) order by id
select id, (select string_agg(k, ',') within group (order by k) from (values (c), ('q')) v (k)) as list from #t order by id
go
--> [id:int | n:varchar(1) | x:int]
--> 1 | a | 10
--> 1 | b | 100
--> 2 | a | 20
--> 2 | b | NULL
--> 3 | a | 30
--> 3 | b | 300
--> (6 rows affected)
--> [id:int | x:int]
--> 1 | 100
--> 2 | NULL
--> 3 | 300
--> (3 rows affected)
--> [id:int | largest:int]
--> 1 | 100
--> 2 | 20
--> 3 | 300
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [id:int]
--> 2
--> 3
--> (2 rows affected)
--> [id:int | list:varchar(8000)]
--> 1 | q,x
--> 2 | q,y
--> 3 | q,z
--> (3 rows affected)
-- In types that the cells meet in, with NULL, with subqueries inside, two and three levels deep.
select t.id, v.x from #t t cross apply (values (t.a), (2.5), (null)) v (x) where t.id = 1
select t.id, v.x from #t t cross apply (values ((select max(u.a) from #t u where u.id < t.id))) v (x) order by t.id
select t.id, w.y from #t t cross apply (values (t.a)) v (x) cross apply (values (v.x + t.id), (v.x - t.id)) w (y)
order by t.id, w.y
select t.id, d.s from #t t cross apply (select sum(z) as s from (select x + 1 as z from (values (t.a), (t.b)) v (x)) i) d
order by t.id
select t.id, (select sum(w.y) from (values (t.a)) v (x) cross apply (values (v.x), (t.id)) w (y)) as s from #t t order by t.id
select t.id, j.v, j.x from #t t cross apply (select u.v, v.x from (values (1), (t.id)) v (x) join (values (t.id, t.a)) u (i, v) on u.i = v.x) j
order by t.id, j.x
select t.id, v.x from #t t left join #u u on u.id = t.id cross apply (values (coalesce(u.v, t.a))) v (x) order by t.id
go
--> [id:int | x:numeric(11,1)]
--> 1 | 10.0
--> 1 | 2.5
--> 1 | NULL
--> (3 rows affected)
--> [id:int | x:int]
--> 1 | NULL
--> 2 | 10
--> 3 | 20
--> (3 rows affected)
--> [id:int | y:int]
--> 1 | 9
--> 1 | 11
--> 2 | 18
--> 2 | 22
--> 3 | 27
--> 3 | 33
--> (6 rows affected)
--> [id:int | s:int]
--> 1 | 112
--> 2 | 21
--> 3 | 332
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [id:int | s:int]
--> 1 | 11
--> 2 | 22
--> 3 | 33
--> (3 rows affected)
--> [id:int | v:int | x:int]
--> 1 | 10 | 1
--> 1 | 10 | 1
--> 2 | 20 | 2
--> 3 | 30 | 3
--> (4 rows affected)
--> [id:int | x:int]
--> 1 | 10
--> 2 | 20
--> 3 | 30
--> (3 rows affected)
-- In INSERT, UPDATE, DELETE and MERGE; the rows are those that the SELECT says.
insert #u select t.id, v.k, v.x from #t t cross apply (values ('a', t.a), ('b', t.b)) v (k, x) where v.x is not null
select id, k, v from #u order by id, k
update u set v = w.x from #u u join #t t on t.id = u.id cross apply (values (t.a + 1, 'a'), (t.b + 2, 'b')) w (x, k)
where w.k = u.k
select id, k, v from #u order by id, k
update #t set a = (select max(x) from (values (a), (b)) v (x))
select id, a from #t order by id
delete u from #u u where exists (select 1 from (values (u.v)) v (x) where x < 100)
select id, k, v from #u order by id, k
merge #u as d using (select t.id, v.k, v.x from #t t cross apply (values ('a', t.a), ('c', t.id)) v (k, x)) as s
on s.id = d.id and s.k = d.k when matched then update set v = s.x
when not matched then insert values (s.id, s.k, (select min(y) from (values (s.x), (15)) m (y)));
select id, k, v from #u order by id, k
go
--> (5 rows affected)
--> [id:int | k:varchar(10) | v:int]
--> 1 | a | 10
--> 1 | b | 100
--> 2 | a | 20
--> 3 | a | 30
--> 3 | b | 300
--> (5 rows affected)
--> (5 rows affected)
--> [id:int | k:varchar(10) | v:int]
--> 1 | a | 11
--> 1 | b | 102
--> 2 | a | 21
--> 3 | a | 31
--> 3 | b | 302
--> (5 rows affected)
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [id:int | a:int]
--> 1 | 100
--> 2 | 20
--> 3 | 300
--> (3 rows affected)
--> (3 rows affected)
--> [id:int | k:varchar(10) | v:int]
--> 1 | b | 102
--> 3 | b | 302
--> (2 rows affected)
--> (6 rows affected)
--> [id:int | k:varchar(10) | v:int]
--> 1 | a | 15
--> 1 | b | 102
--> 1 | c | 1
--> 2 | a | 15
--> 2 | c | 2
--> 3 | a | 15
--> 3 | b | 302
--> 3 | c | 3
--> (8 rows affected)
-- In a common table expression, a recursive one, a function and a procedure.
with n as (select t.id, v.x from #t t cross apply (values (t.id), (t.id + 10)) v (x)) select sum(x) as s from n
; with r as (select 1 as n union all select v.x from r cross apply (values (r.n + 1)) v (x) where r.n < 4)
select n from r order by n
go
--> [s:int]
--> 42
--> (1 rows affected)
--> [n:int]
--> 1
--> 2
--> 3
--> 4
--> (4 rows affected)
create database correlated
go
use correlated
go
create table t (id int primary key, a int, b int)
insert t values (1, 5, 7), (2, 9, 3)
go
--> (2 rows affected)
create function longest(@a int, @b int) returns table as return
    select max(x) as x, @a as a from (values (@a), (@b)) v (x)
go
create view unpivoted as select t.id, v.k, v.x from t cross apply (values ('a', t.a), ('b', t.b)) v (k, x)
go
create procedure show @least int as
    select t.id, v.x from t cross apply (values (t.a, @least), (t.b, 0)) v (x, l) where v.x > v.l order by t.id, v.x
go
select t.id, g.x, g.a from t cross apply longest(t.a, t.b) g order by t.id
select * from unpivoted order by id, k
exec show 5
exec show 6
go
--> [id:int | x:int | a:int]
--> 1 | 7 | 5
--> 2 | 9 | 9
--> (2 rows affected)
--> [id:int | k:varchar(1) | x:int]
--> 1 | a | 5
--> 1 | b | 7
--> 2 | a | 9
--> 2 | b | 3
--> (4 rows affected)
--> [id:int | x:int]
--> 1 | 7
--> 2 | 3
--> 2 | 9
--> (3 rows affected)
--> [id:int | x:int]
--> 1 | 7
--> 2 | 3
--> 2 | 9
--> (3 rows affected)
update t set a = v.x from t cross apply (select max(x) as x from (values (t.a), (t.b)) w (x)) v where v.x > 8
select * from t
select id, (select x from (values (a), (b)) v (x)) as one from t
go
--> (1 rows affected)
--> [id:int | a:int | b:int]
--> 1 | 5 | 7
--> 2 | 9 | 3
--> (2 rows affected)
--> [id:int | one:int]
--> Msg 512, Level 16, State 1, Line 3: Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression.
use master
drop database correlated
go
