-- differs clustered, secondary, threads, parameters: it shows plans
-- VALUES that read the rows around them, in every clause; targets under other names; variables that UPDATE sets.
create database places
go
use places
go
create table t (id int primary key, a int, b int null)
insert t values (1, 10, 100), (2, 20, null), (3, 10, 5)
create table h (k int, x int)
insert h values (1, 1), (2, 2), (3, 3)
go
--> (3 rows affected)
--> (3 rows affected)
select a, (select max(x) from (values (a), (15)) v (x)) as m from t group by a order by a
go
--> [a:int | m:int]
--> 10 | 15
--> 20 | 20
--> (2 rows affected)
select t.id, q.x from t cross apply (select top (1) x from (values (t.a), (t.b)) v (x) order by x desc) q order by t.id
select t.id, q.x, q.r from t cross apply (select x, row_number() over (order by x) as r from (values (t.a), (t.b)) v (x)) q order by t.id, q.r
select t.id from t join h on exists (select 1 from (values (t.id), (h.k)) v (x) having count(distinct x) = 1) order by t.id
select t.id, v.x from t cross apply (values (t.a)) v (x) where exists (select 1 from (values (v.x)) w (y) where y = t.id * 10) order by 1
select id, case when a > 10 then (select min(x) from (values (a), (b), (0)) v (x)) else -1 end as c from t order by (select max(x) from (values (a), (id)) v (x)) desc, id
go
--> [id:int | x:int]
--> 1 | 100
--> 2 | 20
--> 3 | 10
--> (3 rows affected)
--> [id:int | x:int | r:bigint]
--> 1 | 10 | 1
--> 1 | 100 | 2
--> 2 | NULL | 1
--> 2 | 20 | 2
--> 3 | 5 | 1
--> 3 | 10 | 2
--> (6 rows affected)
--> [id:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
--> [id:int | x:int]
--> 1 | 10
--> 2 | 20
--> (2 rows affected)
--> [id:int | c:int]
--> 2 | 0
--> 1 | -1
--> 3 | -1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
select (select count(*) from (values (t.a), (t.b)) v (x) where x is not null) as n from t order by id
select d.id, d.m from (select id, (select max(x) from (values (a), (b)) v (x)) as m from t) d where d.m > 10 order by d.id
update h set x = (select sum(y) from (values (h.k), (h.x), (10)) v (y)) where k in (select y from (values (h.k - 1), (h.k)) v (y) where y > 1)
select * from h order by k
delete h from h join (values (1), (2)) n (i) on n.i = h.k where exists (select 1 from (values (n.i)) z (q) where q = 2)
select * from h order by k
go
--> [n:int]
--> 2
--> 1
--> 2
--> (3 rows affected)
--> [id:int | m:int]
--> 1 | 100
--> 2 | 20
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
--> (2 rows affected)
--> [k:int | x:int]
--> 1 | 1
--> 2 | 14
--> 3 | 16
--> (3 rows affected)
--> (1 rows affected)
--> [k:int | x:int]
--> 1 | 1
--> 3 | 16
--> (2 rows affected)
set showplan_text on
go
select t.id, v.x from t cross apply (values (t.a), (t.b)) v (x)
go
--> [StmtText:nvarchar(4000)]
--> select t.id, v.x from t cross apply (values (t.a), (t.b)) v (x)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Nested Loops(Inner Join, OUTER REFERENCES:([places].[dbo].[t].[a], [places].[dbo].[t].[b]))
-->        |--Clustered Index Scan(OBJECT:([places].[dbo].[t].[PK__t__00000000000003E9]))
-->        |--Constant Scan(VALUES:(([places].[dbo].[t].[a]),([places].[dbo].[t].[b])))
--> (3 rows affected)
declare @i int = 0
update t set @i = a = @i + 1
go
--> [StmtText:nvarchar(4000)]
--> declare @i int = 0
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> update t set @i = a = @i + 1
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Update(OBJECT:([places].[dbo].[t].[PK__t__00000000000003E9]), SET:([places].[dbo].[t].[a] = [@i]+(1)))
-->        |--Clustered Index Scan(OBJECT:([places].[dbo].[t].[PK__t__00000000000003E9]))
--> (2 rows affected)
update x set a = h.x from t as x join h on h.k = x.id
go
--> [StmtText:nvarchar(4000)]
--> update x set a = h.x from t as x join h on h.k = x.id
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Update(OBJECT:([places].[dbo].[t].[PK__t__00000000000003E9]), SET:([places].[dbo].[t].[a] = [places].[dbo].[h].[x]))
-->        |--Hash Match(Inner Join, HASH:([places].[dbo].[t].[id])=([places].[dbo].[h].[k]))
-->             |--Clustered Index Scan(OBJECT:([places].[dbo].[t].[PK__t__00000000000003E9]))
-->             |--Table Scan(OBJECT:([places].[dbo].[h]))
--> (4 rows affected)
set showplan_text off
go
declare @x int
update t set @x = a, a = @x + 1
select id, a from t order by id
declare @p int, @q int
select @p = a, @q = @p from t order by id
select @p as p, @q as q
update t set a -= 1
go
--> (3 rows affected)
--> [id:int | a:int]
--> 1 | 11
--> 2 | 21
--> 3 | 11
--> (3 rows affected)
--> [p:int | q:int]
--> 11 | 11
--> (1 rows affected)
--> (3 rows affected)
create synonym syn for t
go
delete syn from t as x where x.id = 3
delete t with (tablock) from t as x join h on h.k = x.id where h.k = 1
delete from t from t as t where t.id = 77
select id from t order by id
insert t values (1, 10, 100), (3, 10, 5)
go
--> (1 rows affected)
--> (1 rows affected)
--> (0 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> (2 rows affected)
declare c cursor local for select t.id, v.x from t cross apply (values (t.a), (t.b)) v (x) where t.id = 1 order by v.x
declare @i int, @x int
open c
fetch next from c into @i, @x
select @i as i, @x as x
go
--> [i:int | x:int]
--> 1 | 10
--> (1 rows affected)
merge t with (holdlock) as a using (select * from t) as b on a.id = b.id + 1 when matched then update set b = b.a;
select * from t order by id
go
--> (2 rows affected)
--> [id:int | a:int | b:int]
--> 1 | 10 | 100
--> 2 | 20 | 10
--> 3 | 10 | 20
--> (3 rows affected)
create trigger tt on t after insert, update as
begin
    declare @n int = 0
    update x set @n = b = @n + 1 from t as x join inserted i on i.id = x.id
end
go
update t set a = a + 1
select id, b from t order by id
drop trigger tt
go
--> (3 rows affected)
--> (3 rows affected)
--> [id:int | b:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> (3 rows affected)
update t set a = x.m from t cross apply (select max(q) as m from (values (t.id), (t.b)) v (q)) x
select id, a from t order by id
go
--> (3 rows affected)
--> [id:int | a:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> (3 rows affected)
with r as (select 1 as id, cast(10 as int) as v union all select t.id, q.x from r join t on t.id = r.id + 1 cross apply (values (t.id * 10 + r.v)) q (x))
select * from r order by id
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 30
--> 3 | 60
--> (3 rows affected)
select x.n from (values (1), (2)) x (n) where exists (select 1 from (values (x.n)) y (m) where m = 2)
select x.n, (select y.m from (values (x.n * 2)) y (m)) as d from (values (1), (2)) x (n) order by 1
select * from (values ((select max(id) from t)), (0)) v (x) order by x
go
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int | d:int]
--> 1 | 2
--> 2 | 4
--> (2 rows affected)
--> [x:int]
--> 0
--> 3
--> (2 rows affected)
select 1 as one from t where exists (select t.id, t.a, count(*) from h group by k having count(*) > 5)
select t.id from t where exists (select * from h where h.k = t.id) order by 1
select t.id from t where not exists (select distinct h.x, 1 / 0 from h where h.k = t.id) order by 1
select t.id from t where exists (select max(1 / 0) from h where h.k = t.id) order by 1
select t.id from t where exists (select 1 from h where h.k = t.id union all select 2 from h where h.k = t.id + 1) order by 1
go
--> [one:int]
--> (0 rows affected)
--> [id:int]
--> 1
--> 3
--> (2 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [id:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
--> [id:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
use master
drop database places
go
