-- Shapes of subqueries that are joined instead of run for each row: their answers with NULLs, empty inner queries, duplicates and outer rows
-- without a partner. What they cost is subquery_costs.rs.
create table o (id int not null, k int null, v int null)
create table t (id int not null, k int null, v int null)
create table none (id int not null, k int null, v int null)
insert o values (1, 1, 5), (2, 1, 9), (3, 2, 3), (4, 3, 4), (5, null, 7), (6, 4, null), (7, 5, 1), (8, 1, 5)
insert t values (1, 1, 5), (2, 1, 7), (3, 1, 7), (4, 2, null), (5, 2, 3), (6, 3, null), (7, null, 7), (8, 4, 2), (9, 9, 9)
go
--> (8 rows affected)
--> (9 rows affected)
-- ALL and ANY over the rows of a key.
select id, case when v >= all (select v from t where t.k = o.k) then 'true' when not v >= all (select v from t where t.k = o.k) then 'false' else 'unknown' end as answer from o order by id
go
--> [id:int | answer:varchar(7)]
--> 1 | false
--> 2 | true
--> 3 | unknown
--> 4 | unknown
--> 5 | true
--> 6 | unknown
--> 7 | true
--> 8 | false
--> (8 rows affected)
select id, case when v > any (select v from t where t.k = o.k) then 'true' when not v > any (select v from t where t.k = o.k) then 'false' else 'unknown' end as answer from o order by id
go
--> [id:int | answer:varchar(7)]
--> 1 | false
--> 2 | true
--> 3 | unknown
--> 4 | unknown
--> 5 | false
--> 6 | unknown
--> 7 | false
--> 8 | false
--> (8 rows affected)
select id, case when v <> some (select v from t where t.k = o.k) then 'true' when not v <> some (select v from t where t.k = o.k) then 'false' else 'unknown' end as answer from o order by id
go
--> [id:int | answer:varchar(7)]
--> 1 | true
--> 2 | true
--> 3 | unknown
--> 4 | unknown
--> 5 | false
--> 6 | unknown
--> 7 | false
--> 8 | true
--> (8 rows affected)
select id, case when v = all (select v from t where t.k = o.k) then 'true' when not v = all (select v from t where t.k = o.k) then 'false' else 'unknown' end as answer from o order by id
go
--> [id:int | answer:varchar(7)]
--> 1 | false
--> 2 | false
--> 3 | unknown
--> 4 | unknown
--> 5 | true
--> 6 | unknown
--> 7 | true
--> 8 | false
--> (8 rows affected)
select id, case when v = any (select v from t where t.k = o.k) then 'true' when not v = any (select v from t where t.k = o.k) then 'false' else 'unknown' end as answer from o order by id
go
--> [id:int | answer:varchar(7)]
--> 1 | true
--> 2 | false
--> 3 | true
--> 4 | unknown
--> 5 | false
--> 6 | unknown
--> 7 | false
--> 8 | true
--> (8 rows affected)
select id, case when v <> all (select v from t where t.k = o.k) then 'true' when not v <> all (select v from t where t.k = o.k) then 'false' else 'unknown' end as answer from o order by id
go
--> [id:int | answer:varchar(7)]
--> 1 | false
--> 2 | true
--> 3 | false
--> 4 | unknown
--> 5 | true
--> 6 | unknown
--> 7 | true
--> 8 | false
--> (8 rows affected)
select id from o where v < all (select v from t where t.k = o.k) or id = 2 order by id
go
--> [id:int]
--> 2
--> 5
--> 7
--> (3 rows affected)
select id from o where not (v < some (select v from t where t.k = o.k) and k is not null) order by id
go
--> [id:int]
--> 2
--> 5
--> 7
--> (3 rows affected)
select id from o where v > all (select v from none where none.k = o.k) order by id
go
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> 6
--> 7
--> 8
--> (8 rows affected)
select id from o where v > any (select v from none where none.k = o.k) order by id
go
--> [id:int]
--> (0 rows affected)
-- Over all rows, over first rows, over numbered ones.
select id from o where v > all (select v from t where v is not null and v < 5) order by id
go
--> [id:int]
--> 1
--> 2
--> 4
--> 5
--> 8
--> (5 rows affected)
select id from o where v > all (select v from t) order by id
go
--> [id:int]
--> (0 rows affected)
select id from o where v <= any (select v from t where v is null) or v is null order by id
go
--> [id:int]
--> 6
--> (1 rows affected)
select id from o where v > all (select v from (select top (2) v from t where v is not null order by v) d) order by id
go
--> [id:int]
--> 1
--> 2
--> 4
--> 5
--> 8
--> (5 rows affected)
select id from o where v not in (select v from (select v, row_number() over (order by id) as n from t) d where n < 3 and d.v <> o.k) order by id
go
--> [id:int]
--> 2
--> 3
--> 4
--> 5
--> 7
--> (5 rows affected)
select a.id, b.id as other from (select top (3) * from o order by id) a left join (select top (2) * from t order by id) b
    on a.v >= all (select v from (select top (3) v from t order by id) d where d.v <> b.k) order by a.id, b.id
go
--> [id:int | other:int]
--> 1 | NULL
--> 2 | 1
--> 2 | 2
--> 3 | NULL
--> (4 rows affected)
-- By texts: of one collation the extremes say it, of another they do not.
create table names (id int not null, name varchar(10) collate Latin1_General_CI_AS null)
insert names values (1, 'ann'), (2, 'Bob'), (3, null), (4, 'CARL')
go
--> (4 rows affected)
select id from names where name >= all (select name from names n where n.name is not null) order by id
go
--> [id:int]
--> 4
--> (1 rows affected)
select id from names where name < any (select name collate Latin1_General_BIN2 from names n) order by id
go
--> [id:int]
--> 2
--> 4
--> (2 rows affected)
select id from names where cast(1 as bit) = all (select cast(n.id % 2 as bit) from names n where n.id = names.id) order by id
go
--> [id:int]
--> 1
--> 3
--> (2 rows affected)
-- A value in the condition of a join.
select o.id, t.id as found from o left join t on t.id = (select min(id) from t q where q.k = o.k) order by o.id, t.id
go
--> [id:int | found:int]
--> 1 | 1
--> 2 | 1
--> 3 | 4
--> 4 | 6
--> 5 | NULL
--> 6 | 8
--> 7 | NULL
--> 8 | 1
--> (8 rows affected)
select o.id, t.id as found from o left join t on t.id = (select max(id) from none q where q.k = o.k) and t.v > 1 order by o.id, t.id
go
--> [id:int | found:int]
--> 1 | NULL
--> 2 | NULL
--> 3 | NULL
--> 4 | NULL
--> 5 | NULL
--> 6 | NULL
--> 7 | NULL
--> 8 | NULL
--> (8 rows affected)
select o.id, t.id as found from o join t on t.id = (select min(id) from t q where q.k = o.k) order by o.id, t.id
go
--> [id:int | found:int]
--> 1 | 1
--> 2 | 1
--> 3 | 4
--> 4 | 6
--> 6 | 8
--> 8 | 1
--> (6 rows affected)
select o.id, t.id as found from o, t where o.id + 1 = (select count(*) from o q where q.k = t.k) + 1 order by o.id, t.id
go
--> [id:int | found:int]
--> 1 | 4
--> 1 | 5
--> 1 | 6
--> 1 | 8
--> 3 | 1
--> 3 | 2
--> 3 | 3
--> (7 rows affected)
select o.id, t.id as found from o right join t on o.id = (select min(id) from o q where q.k = t.k) and o.v > 3 order by o.id, t.id
go
--> [id:int | found:int]
--> NULL | 4
--> NULL | 5
--> NULL | 7
--> NULL | 8
--> NULL | 9
--> 1 | 1
--> 1 | 2
--> 1 | 3
--> 4 | 6
--> (9 rows affected)
select o.id, t.id as found from o full join t on o.id = (select max(id) from o q where q.k = t.k) + 0 order by o.id, t.id
go
--> [id:int | found:int]
--> NULL | 7
--> NULL | 9
--> 1 | NULL
--> 2 | NULL
--> 3 | 4
--> 3 | 5
--> 4 | 6
--> 5 | NULL
--> 6 | 8
--> 7 | NULL
--> 8 | 1
--> 8 | 2
--> 8 | 3
--> (13 rows affected)
select o.id, t.id as found from o left join t on t.id = (select max(10 / (q.v - 3)) from t q where q.k = o.k) and o.k in (1, 4) order by o.id, t.id
go
--> [id:int | found:int]
--> 1 | 5
--> 2 | 5
--> 3 | NULL
--> 4 | NULL
--> 5 | NULL
--> 6 | NULL
--> 7 | NULL
--> 8 | 5
--> (8 rows affected)
-- The first rows of a key.
select id from o where id = (select top (1) id from t where t.k = o.k order by v desc, id) order by id
go
--> [id:int]
--> 2
--> (1 rows affected)
select id, (select top (1) v from t where t.k = o.k order by v, id) as least, (select top 1 id + 100 from t where t.k = o.k order by v desc, id desc) as last from o order by id
go
--> [id:int | least:int | last:int]
--> 1 | 5 | 103
--> 2 | 5 | 103
--> 3 | NULL | 105
--> 4 | NULL | 106
--> 5 | NULL | NULL
--> 6 | 2 | 108
--> 7 | NULL | NULL
--> 8 | 5 | 103
--> (8 rows affected)
select id from o where v in (select top (1) v from t where t.k = o.k order by id desc) order by id
go
--> [id:int]
--> 3
--> (1 rows affected)
select id from o where v not in (select top (1) v from t where t.k = o.k order by id desc) order by id
go
--> [id:int]
--> 1
--> 2
--> 5
--> 7
--> 8
--> (5 rows affected)
select id from o where exists (select top (1) 1 from t where t.k = o.k and t.v > 2 order by id) order by id
go
--> [id:int]
--> 1
--> 2
--> 3
--> 8
--> (4 rows affected)
select id from o where exists (select top (0) 1 from t where t.k = o.k) order by id
go
--> [id:int]
--> (0 rows affected)
select o.id, a.id as found, a.v from o cross apply (select top (2) id, v from t where t.k = o.k order by v desc, id) a order by o.id, a.id
go
--> [id:int | found:int | v:int]
--> 1 | 2 | 7
--> 1 | 3 | 7
--> 2 | 2 | 7
--> 2 | 3 | 7
--> 3 | 4 | NULL
--> 3 | 5 | 3
--> 4 | 6 | NULL
--> 6 | 8 | 2
--> 8 | 2 | 7
--> 8 | 3 | 7
--> (10 rows affected)
select o.id, a.id as found, a.twice from o outer apply (select top (2) id, v * 2 as twice from t where t.k = o.k order by v, id desc) a order by o.id, a.id
go
--> [id:int | found:int | twice:int]
--> 1 | 1 | 10
--> 1 | 3 | 14
--> 2 | 1 | 10
--> 2 | 3 | 14
--> 3 | 4 | NULL
--> 3 | 5 | 6
--> 4 | 6 | NULL
--> 5 | NULL | NULL
--> 6 | 8 | 4
--> 7 | NULL | NULL
--> 8 | 1 | 10
--> 8 | 3 | 14
--> (12 rows affected)
select o.id, a.id as found, a.both from o cross apply (select top (1) id, t.v + o.v as both from t where t.k = o.k order by id) a order by o.id
go
--> [id:int | found:int | both:int]
--> 1 | 1 | 10
--> 2 | 1 | 14
--> 3 | 4 | NULL
--> 4 | 6 | NULL
--> 6 | 8 | NULL
--> 8 | 1 | 10
--> (6 rows affected)
select o.id, a.v, a.c from o cross apply (select v, count(*) as c from t where t.k = o.k group by v having count(*) > 1) a order by o.id
go
--> [id:int | v:int | c:int]
--> 1 | 7 | 2
--> 2 | 7 | 2
--> 8 | 7 | 2
--> (3 rows affected)
select o.id, a.v from o outer apply (select distinct v from t where t.k = o.k and v is not null) a order by o.id, a.v
go
--> [id:int | v:int]
--> 1 | 5
--> 1 | 7
--> 2 | 5
--> 2 | 7
--> 3 | 3
--> 4 | NULL
--> 5 | NULL
--> 6 | 2
--> 7 | NULL
--> 8 | 5
--> 8 | 7
--> (11 rows affected)
select o.id, a.n, a.v from o cross apply (select v, row_number() over (order by v, id) as n from t where t.k = o.k) a where a.n <= 2 order by o.id, a.n
go
--> [id:int | n:bigint | v:int]
--> 1 | 1 | 5
--> 1 | 2 | 7
--> 2 | 1 | 5
--> 2 | 2 | 7
--> 3 | 1 | NULL
--> 3 | 2 | 3
--> 4 | 1 | NULL
--> 6 | 1 | 2
--> 8 | 1 | 5
--> 8 | 2 | 7
--> (10 rows affected)
select o.id, a.x from o outer apply (select t.id as x from t join none n on n.k = t.k where t.k = o.k union select q.id from t q where q.k = o.k and q.v = 7) a order by o.id, a.x
go
--> [id:int | x:int]
--> 1 | 2
--> 1 | 3
--> 2 | 2
--> 2 | 3
--> 3 | NULL
--> 4 | NULL
--> 5 | NULL
--> 6 | NULL
--> 7 | NULL
--> 8 | 2
--> 8 | 3
--> (11 rows affected)
select o.id, a.c, a.s from o outer apply (select count(*) as c, sum(v) as s from t where t.k = o.k) a order by o.id
go
--> [id:int | c:int | s:int]
--> 1 | 3 | 19
--> 2 | 3 | 19
--> 3 | 2 | 3
--> 4 | 1 | NULL
--> 5 | 0 | NULL
--> 6 | 1 | 2
--> 7 | 0 | NULL
--> 8 | 3 | 19
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (8 rows affected)
-- Whether rows are the same, where NULL is the same as NULL.
select id from o where not exists (select o.k, o.v intersect select k, v from t) order by id
go
--> [id:int]
--> 2
--> 4
--> 6
--> 7
--> (4 rows affected)
select id from o where exists (select o.k, o.v intersect select k, v from t) or id = 3 order by id
go
--> [id:int]
--> 1
--> 3
--> 5
--> 8
--> (4 rows affected)
select id from o where exists (select o.k, o.v except select k, v from t) order by id
go
--> [id:int]
--> 2
--> 4
--> 6
--> 7
--> (4 rows affected)
select o.id, t.id as found from o join t on o.id = t.id where exists (select o.k, o.v except select t.k, t.v) order by o.id
go
--> [id:int | found:int]
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> 5 | 5
--> 6 | 6
--> 7 | 7
--> 8 | 8
--> (7 rows affected)
select o.id, t.id as found from o join t on exists (select o.k, o.v intersect select t.k, t.v) order by o.id, t.id
go
--> [id:int | found:int]
--> 1 | 1
--> 3 | 5
--> 5 | 7
--> 8 | 1
--> (4 rows affected)
select o.id, t.id as found from o left join t on not exists (select o.k, o.v except select t.k, t.v) order by o.id, t.id
go
--> [id:int | found:int]
--> 1 | 1
--> 2 | NULL
--> 3 | 5
--> 4 | NULL
--> 5 | 7
--> 6 | NULL
--> 7 | NULL
--> 8 | 1
--> (8 rows affected)
select id, case when exists (select o.v except select o.k) then 1 else 0 end as differs from o order by id
go
--> [id:int | differs:int]
--> 1 | 1
--> 2 | 1
--> 3 | 1
--> 4 | 1
--> 5 | 1
--> 6 | 1
--> 7 | 1
--> 8 | 1
--> (8 rows affected)
select o.id from o where not exists (select o.k, o.v intersect select k, v from none) order by id
go
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> 6
--> 7
--> 8
--> (8 rows affected)
-- Groups below another condition than an equality.
with c as (select k, max(v) as m, count(*) as n from t group by k)
select id, (select max(m) from c where c.k > o.k) as above, (select sum(n) from c where c.k <= o.v) as upto from o order by id
go
--> [id:int | above:int | upto:int]
--> 1 | 9 | 7
--> 2 | 9 | 8
--> 3 | 9 | 6
--> 4 | 9 | 7
--> 5 | NULL | 7
--> 6 | 9 | NULL
--> 7 | 9 | 3
--> 8 | 9 | 7
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (8 rows affected)
with c as (select k, max(v) as m from t group by k) select id from o where v = (select max(m) from c where c.k > o.k) order by id
go
--> [id:int]
--> 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- What fails of rows that no outer row asks for.
create table zero (k int not null, v int not null)
insert zero values (1, 0), (2, 5), (2, 2), (9, 0)
go
--> (4 rows affected)
select id from o where case when o.k = 2 then (select max(10 / zero.v) from zero where zero.k = o.k) end = 5 order by id
go
--> [id:int]
--> 3
--> (1 rows affected)
select id from o where o.k = 2 and (select max(10 / zero.v) from zero where zero.k = o.k) = 5 order by id
go
--> [id:int]
--> 3
--> (1 rows affected)
select id from o where o.k is null or o.k <> 2 or (select max(10 / zero.v) from zero where zero.k = o.k) = 5 order by id
go
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> 6
--> 7
--> 8
--> (8 rows affected)
select id, iif(o.k = 2, (select top (1) 10 / zero.v from zero where zero.k = o.k order by zero.v), 0) as x, coalesce(o.v, (select max(10 / zero.v) from zero where zero.k = o.k), -1) as y from o order by id
go
--> [id:int | x:int | y:int]
--> 1 | 0 | 5
--> 2 | 0 | 9
--> 3 | 5 | 3
--> 4 | 0 | 4
--> 5 | 0 | 7
--> 6 | 0 | -1
--> 7 | 0 | 1
--> 8 | 0 | 5
--> (8 rows affected)
select id, case when o.k = 2 then case when exists (select 1 from zero where zero.k = o.k and 10 / zero.v > 4) then 'yes' else 'no' end end as z from o order by id
go
--> [id:int | z:varchar(3)]
--> 1 | NULL
--> 2 | NULL
--> 3 | yes
--> 4 | NULL
--> 5 | NULL
--> 6 | NULL
--> 7 | NULL
--> 8 | NULL
--> (8 rows affected)
select id, case when o.k = 2 then (select sum(zero.v + 1) from zero where zero.k = o.k) end as s from o order by id
go
--> [id:int | s:int]
--> 1 | NULL
--> 2 | NULL
--> 3 | 9
--> 4 | NULL
--> 5 | NULL
--> 6 | NULL
--> 7 | NULL
--> 8 | NULL
--> (8 rows affected)
select id from o where (select max(10 / zero.v) from zero where zero.k = o.k) = 5 and o.k = 1
go
--> [id:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
drop table o, t, none, names, zero
go
