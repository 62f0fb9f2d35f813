-- Queries under OR, NOT and CASE, and for values: each beside the same rows by joins, sets and kept tables. No difference is right
create table o (id int not null primary key, k int null, v int null, x int not null, s varchar(10) null)
create table t (id int not null primary key, k int null, v int null, w int not null, s varchar(10) collate Latin1_General_CS_AS null)
insert o select value, nullif(value % 50, 7), nullif(value % 37, 3), value % 11, char(97 + value % 5) from generate_series(1, 1500)
insert t select value, nullif(value % 60, 9), nullif(value % 53, 5), value % 7, char(97 + value % 3) from generate_series(1, 3000)
create table #r (name varchar(20), id int, v bigint)
go
--> (1500 rows affected)
--> (3000 rows affected)
-- EXISTS with more than an equality
insert #r select 'met', id, null from o where exists (select 1 from t where t.k = o.k and t.v > o.v + 40) or o.x = 5
select count(*) as rows from #r where name = 'met'
(select id from #r where name = 'met' except select id from (select distinct o.id from o join t on t.k = o.k and t.v > o.v + 40 union select id from o where x = 5) a)
union all
(select id from (select distinct o.id from o join t on t.k = o.k and t.v > o.v + 40 union select id from o where x = 5) a except select id from #r where name = 'met')
go
--> (527 rows affected)
--> [rows:int]
--> 527
--> (1 rows affected)
--> [id:int]
--> (0 rows affected)
-- NOT EXISTS
insert #r select 'not met', id, null from o where not exists (select 1 from t where t.k = o.k and t.v > o.v + 40) or o.x = 5
select count(*) as rows, (select count(*) from o where x = 5 or id not in (select o.id from o join t on t.k = o.k and t.v > o.v + 40)) as expected from #r where name = 'not met'
go
--> (1109 rows affected)
--> [rows:int | expected:int]
--> 1109 | 1109
--> (1 rows affected)
-- Two of them, and IN with NULLs on both sides
insert #r select 'three', id, null from o where exists (select 1 from t where t.k = o.k and t.v > o.v + 40)
    or exists (select 1 from t where t.w = o.x and t.v < o.v - 30 and t.id > o.id) or o.v in (select v from t where t.k = o.k)
select count(*) as rows, (select count(*) from (
    select o.id from o join t on t.k = o.k and t.v > o.v + 40
    union select o.id from o join t on t.w = o.x and t.v < o.v - 30 and t.id > o.id
    union select o.id from o join t on t.v = o.v and t.k = o.k) a) as expected from #r where name = 'three'
go
--> (1346 rows affected)
--> [rows:int | expected:int]
--> 1346 | 1346
--> (1 rows affected)
-- NOT IN is unknown beside a NULL, which is no false
select count(*) as rows from o where o.v not in (select v from t where t.k = o.k) or o.x = 5
select count(*) as expected from o where x = 5 or not exists (select 1 from t where t.k = o.k)
    or (v is not null and not exists (select 1 from t where t.k = o.k and (t.v = o.v or t.v is null)))
select sum(c) as by_case from (select case when o.v in (select v from t where t.k = o.k) then 1 when not (o.v in (select v from t where t.k = o.k)) then 10 else 100 end as c from o) a
select sum(case when m > 0 then 1 when n = 0 then 10 when o.v is null or z > 0 then 100 else 10 end) as expected
from o cross apply (select count(case when t.v = o.v then 1 end) m, count(*) n, count(case when t.v is null then 1 end) z from t where t.k = o.k) a
go
--> [rows:int]
--> 193
--> (1 rows affected)
--> [expected:int]
--> 193
--> (1 rows affected)
--> [by_case:int]
--> 19221
--> (1 rows affected)
--> [expected:int]
--> 19221
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- Numbered rows: by keys, by more than keys, by no key
with r as (select k, v, row_number() over (partition by k order by v, id) n from t)
select count(*) as first_rows from o where exists (select 1 from r where r.k = o.k and r.n = 1) or o.x = 5;
select count(*) as expected from o where x = 5 or k in (select k from t);
with r as (select k, v, row_number() over (partition by k order by v, id) n from t)
select count(*) as by_number from o where exists (select 1 from r where r.k = o.k and r.n = 45 + o.x) or o.x = 5;
select count(*) as expected from o left join (select k, count(*) n from t group by k) c on c.k = o.k where x = 5 or 45 + x <= c.n;
with r as (select k, v, row_number() over (partition by k order by v, id) n from t)
select count(*) as by_no_key from o where exists (select 1 from r where r.k > o.k + 50 and r.n = 1 + o.x % 2 and r.v < o.v) or o.x = 5;
with r as (select k, v, row_number() over (partition by k order by v, id) n from t)
select count(*) as expected from (select id from o where x = 5 union select o.id from o join r on r.k > o.k + 50 and r.n = 1 + o.x % 2 and r.v < o.v) a
go
--> [first_rows:int]
--> 1446
--> (1 rows affected)
--> [expected:int]
--> 1446
--> (1 rows affected)
--> [by_number:int]
--> 794
--> (1 rows affected)
--> [expected:int]
--> 794
--> (1 rows affected)
--> [by_no_key:int]
--> 220
--> (1 rows affected)
--> [expected:int]
--> 220
--> (1 rows affected)
-- The one row of a group, a number or a set
with r as (select k, sum(v) s, count(*) c from t group by k)
select count(*) as rows, count(s) as values_, sum(s) as sum_ from (select o.id, (select s from r where r.k = o.k) s from o) a;
select count(*) as rows, count(r.s) as values_, sum(r.s) as sum_ from o left join (select k, sum(v) s from t group by k) r on r.k = o.k;
with r as (select k, v, row_number() over (partition by k order by v desc, id) n from t)
select count(s) as values_, sum(s) as sum_ from (select (select v from r where r.n = 1 and r.k = o.k) s from o) a;
select count(r.s) as values_, sum(r.s) as sum_ from o left join (select k, max(v) s from t group by k) r on r.k = o.k;
select count(s) as values_, sum(s) as sum_ from (select (select k * 2 from (select distinct k from t) r where r.k = o.k) s from o) a;
select count(k) as values_, sum(k * 2) as sum_ from o where k in (select k from t);
-- A value that is not NULL where there is no row is none of that row
with r as (select k, sum(v) s from t group by k)
select count(*) as without from o where (select isnull(s, -1) from r where r.k = o.k + 1000) is null;
with r as (select k, sum(v) s from t group by k) select count(*) as ones from o where (select 1 from r where r.k = o.k) = 1;
go
--> [rows:int | values_:int | sum_:int]
--> 1500 | 1440 | 1869780
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [rows:int | values_:int | sum_:int]
--> 1500 | 1440 | 1869780
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [values_:int | sum_:int]
--> 1440 | 74790
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [values_:int | sum_:int]
--> 1440 | 74790
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [values_:int | sum_:int]
--> 1440 | 72540
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [values_:int | sum_:int]
--> 1440 | 72540
--> (1 rows affected)
--> [without:int]
--> 1500
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [ones:int]
--> 1440
--> (1 rows affected)
-- Several rows are an error wherever no key says that there is one
with r as (select k, w, sum(v) s from t group by k, w) select count(*) from o where o.v < (select s from r where r.k = o.k)
go
--> [:int]
--> Msg 512, Level 16, State 1, Line 2: Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression.
with r as (select k, row_number() over (partition by k order by id) n from t) select count(*) from o where 0 < (select n from r where r.k = o.k)
go
--> [:int]
--> Msg 512, Level 16, State 1, Line 1: Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression.
-- Rows that each row of another one reads anew are computed once
with r as (select k, sum(v) s from t group by k)
select sum(q) as running from (select (select sum(s) from r where r.k <= o.k) q from o) a;
select sum(q) as expected from o cross apply (select sum(v) q from t where t.k <= o.k) a;
with r as (select k, sum(v) s, row_number() over (order by sum(v), k) n from t group by k)
select o.id, f.k, f.s from o cross apply (select top 2 k, s from r where r.s > o.v * 20 order by r.s, r.k) f where o.id <= 3 order by o.id, f.s, f.k;
with r as (select k, sum(v) s from t group by k), l as (select 1 as n, cast(0 as bigint) as total union all select n + 1, total + (select count(*) from r where r.s > l.n * 100) from l where n < 10)
select max(n) as n, max(total) as total from l;
select sum(c) as total from generate_series(1, 9) g cross apply (select count(*) c from (select sum(v) s from t group by k) r where r.s > g.value * 100) a
go
--> [running:int]
--> 47606100
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [expected:int]
--> 47606100
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [id:int | k:int | s:int]
--> 1 | 6 | 1238
--> 1 | 59 | 1238
--> 2 | 6 | 1238
--> 2 | 59 | 1238
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (4 rows affected)
--> [n:int | total:bigint]
--> 10 | 540
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [total:int]
--> 540
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- Keys of texts: under the column's collation alone
with r as (select s, count(*) c from t group by s) select sum(c) as cs from (select (select c from r where r.s = o.s collate Latin1_General_CS_AS) c from o) a;
with r as (select s, count(*) c from t group by s) select sum(c) as ci from (select (select c from r where r.s collate Latin1_General_CI_AI = upper(o.s)) c from o) a;
select sum(c) as expected from o join (select s, count(*) c from t group by s) r on r.s = o.s collate Latin1_General_CS_AS
go
--> [cs:int]
--> 900000
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [ci:int]
--> 900000
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [expected:int]
--> 900000
--> (1 rows affected)
-- Changes find the same rows
begin tran
delete o where exists (select 1 from t where t.k = o.k and t.v > o.v + 40) or x = 5
select count(*) as left_rows, (select count(*) from #r where name = 'met') as deleted from o
rollback
begin tran
update o set v = -1 where v > (select s / 40 from (select k, sum(v) s from t group by k) r where r.k = o.k) or x = 5
select count(*) as changed from o where v = -1
rollback
select count(*) as expected from o left join (select k, sum(v) s from t group by k) r on r.k = o.k where o.v > r.s / 40 or x = 5
go
--> (527 rows affected)
--> [left_rows:int | deleted:int]
--> 973 | 527
--> (1 rows affected)
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (274 rows affected)
--> [changed:int]
--> 274
--> (1 rows affected)
--> [expected:int]
--> 274
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- Thousands of conditions are planned at once
declare @text nvarchar(max) = (select string_agg(cast('(id <> ' + cast(value as varchar(9)) + ' or x = 0)' as nvarchar(max)), ' and ') from generate_series(1, 1000))
exec ('create table many (id int not null primary key, x int not null); insert many select value, value % 11 from generate_series(1, 1500);
    select count(*) as rows from many where ' + @text + '; select count(*) as expected from many where x = 0 or id > 1000; drop table many')
go
--> (1500 rows affected)
--> [rows:int]
--> 590
--> (1 rows affected)
--> [expected:int]
--> 590
--> (1 rows affected)
-- Groups of which what is met uses some columns alone
select count(*) as rows, sum(o.id) as ids from o where o.x <= 4 or exists (select 1 from (select k, sum(v) as v, max(id) as id, min(w) as w from t group by k) i where i.w = o.v and i.id >= o.x + 2950)
select count(*) as rows, sum(id) as ids from (select id from o where x <= 4 union
    select o.id from o join (select max(id) as id, min(w) as w from t group by k) i on i.w = o.v and i.id >= o.x + 2950) a
go
--> [rows:int | ids:int]
--> 706 | 530622
--> (1 rows affected)
--> [rows:int | ids:int]
--> 706 | 530622
--> (1 rows affected)
-- Groups that are kept once for two queries, each of which reads other columns
select k, sum(v) as v, max(id) as id, min(w) as w into #g from t group by k
select sum(c) as kept from (select case when o.v not in (select v from (select k, sum(v) as v, max(id) as id, min(w) as w from t group by k) i where i.w <> o.x) then 1
    when exists (select 1 from (select k, sum(v) as v, max(id) as id, min(w) as w from t group by k) i where i.id <> o.x and i.id - 2000 > o.id) then 10 else 100 end as c from o) a
select sum(c) as expected from (select case when o.v not in (select v from #g i where i.w <> o.x) then 1
    when exists (select 1 from #g i where i.id <> o.x and i.id - 2000 > o.id) then 10 else 100 end as c from o) a
go
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (60 rows affected)
--> [kept:int]
--> 3003
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [expected:int]
--> 3003
--> (1 rows affected)
