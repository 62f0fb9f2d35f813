-- A query on the left of ALL, ANY and SOME, and queries as arguments of inline table functions.
create table t (id int not null, n int null)
create table u (id int not null, m int null)
insert t values (1, 10), (2, 20), (3, null)
insert u values (1, 5), (2, 20), (3, 30)
GO
--> (3 rows affected)
--> (3 rows affected)
-- The greatest n is 20: not above all m, above one.
select 'all' where (select max(n) from t) > all (select m from u)
select 'any' where (select max(n) from t) > any (select m from u)
select 'some' where (select max(n) from t) = some (select m from u)
select 'below 31' where (select max(n) from t) + 11 > all (select m from u)
GO
--> [:varchar(3)]
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (0 rows affected)
--> [:varchar(3)]
--> any
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [:varchar(4)]
--> some
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [:varchar(8)]
--> below 31
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- Beside rows: of each t the m of the same id, against all m and any m.
select t.id from t where (select u.m from u where u.id = t.id) >= all (select m from u) order by t.id
select t.id from t where (select u.m from u where u.id = t.id) > any (select m from u) order by t.id
GO
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int]
--> 2
--> 3
--> (2 rows affected)
-- Both sides read the row: only 2 has n = m, 1 has 10 > 5, 3 is unknown.
select t.id, case when (select t.n) > all (select u.m from u where u.id = t.id) then 'above'
    when not (select t.n) > all (select u.m from u where u.id = t.id) then 'not above' else 'unknown' end as is_above
from t order by t.id
GO
--> [id:int | is_above:varchar(9)]
--> 1 | above
--> 2 | not above
--> 3 | unknown
--> (3 rows affected)
-- Nothing on the right: ALL holds, even of NULL; ANY does not.
select t.id from t where (select n from t as i where i.id = 3) = all (select m from u where u.id > t.id + 9) order by t.id
select count(*) as n from t where (select n from t as i where i.id = 3) = any (select m from u where u.id > 9)
-- No row on the left is NULL.
select count(*) as n from t where (select n from t as i where i.id = 9) < any (select m from u)
select count(*) as n from t where not (select n from t as i where i.id = 9) < any (select m from u)
GO
--> [id:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
-- Several rows on the left.
select 1 where (select n from t) > all (select m from u)
GO
--> [:int]
--> Msg 512, Level 16, State 1, Line 2: Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression.
-- In two queries inside, in groups, in a change.
select t.id from t where exists (select 1 from u where u.id = t.id and (select max(i.n) from t as i where i.id = u.id) = any (select o.n from t as o where o.id = t.id)) order by t.id
GO
--> [id:int]
--> 1
--> 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
select t.is_null, count(*) as n
from (select id, case when n is null then 1 else 0 end as is_null from t) as t group by t.is_null
having (select max(u.m) from u where u.id <= count(t.id)) >= all (select u.m from u where u.id <= count(t.id))
order by 1
GO
--> [is_null:int | n:int]
--> 0 | 2
--> 1 | 1
--> (2 rows affected)
update t set n = 0 output inserted.id where (select u.m from u where u.id = t.id) <> all (select i.n from t as i where i.n is not null)
GO
--> [id:int]
--> 1
--> 3
--> (2 rows affected)
select id, n from t order by id
GO
--> [id:int | n:int]
--> 1 | 0
--> 2 | 20
--> 3 | 0
--> (3 rows affected)
create function above (@n int) returns table as return (select id, m, @n as n from u where m > @n)
GO
-- The query is the argument: once, beside rows, and inside of a query of the function's own.
select id, m, n from above((select min(m) from u)) order by id
select t.id, a.id as above_id, a.n from t cross apply above((select u.m from u where u.id = t.id)) as a order by t.id, a.id
select t.id, a.id as above_id from t outer apply above((select max(u.m) - t.id * 10 from u)) as a order by t.id, a.id
GO
--> [id:int | m:int | n:int]
--> 2 | 20 | 5
--> 3 | 30 | 5
--> (2 rows affected)
--> [id:int | above_id:int | n:int]
--> 1 | 2 | 5
--> 1 | 3 | 5
--> 2 | 3 | 20
--> (3 rows affected)
--> [id:int | above_id:int]
--> 1 | 3
--> 2 | 2
--> 2 | 3
--> 3 | 1
--> 3 | 2
--> 3 | 3
--> (6 rows affected)
create function counted (@n int) returns table as return (select (select count(*) from u where m > @n and exists (select 1 from t where t.id = u.id and u.m > @n)) as n)
GO
select t.id, c.n from t cross apply counted((select u.m - 1 from u where u.id = t.id)) as c order by t.id
GO
--> [id:int | n:int]
--> 1 | 3
--> 2 | 2
--> 3 | 1
--> (3 rows affected)
