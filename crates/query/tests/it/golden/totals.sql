-- Aggregates without groups over one table, each over other rows of it, side by side in one statement.
create table t (id int not null primary key, q int, v decimal(9, 2), w int, s varchar(20));
insert t select value, value % 7, case when value % 5 = 0 then null else value / 4.0 end, case when value % 11 = 0 then null else value end,
    concat('s', value % 13) from generate_series(1, 200);
create table u (k int not null, name varchar(10));
insert u values (0, 'zero'), (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five'), (6, 'six');
go
--> (200 rows affected)
--> (7 rows affected)
-- queries in an expression
select case when (select count(*) from t where q between 1 and 2) > 50 then (select avg(v) from t where q = 1) else (select max(v) from t where q = 2) end as a,
    case when (select count(*) from t where q = 3) > 50 then (select avg(w) from t where q = 3) else (select min(w) from t where q = 3 and id > 20) end as b,
    (select count(v) from t) as c, (select sum(v) from t where q is null) as d, (select count(*) from t where q = 1 or v is null) as e;
go
--> [a:decimal(38,6) | b:int | c:int | d:decimal(38,2) | e:int]
--> 24.521739 | 24 | 160 | NULL | 63
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- the NULLs of branches that are not taken are not spoken of
select case when (select count(*) from t where q = 1) > 1000 then (select max(w) from t where q = 1) else (select count(*) from t where q = 2) end as a;
go
--> [a:int]
--> 29
--> (1 rows affected)
select case when (select count(*) from t where q = 1) < 1000 then (select max(w) from t where q = 1) else (select count(*) from t where q = 2) end as a;
go
--> [a:int]
--> 197
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- an error of a branch that is not taken is none
select case when (select count(*) from t where q = 1) > 1000 then (select sum(100000000 * w) from t where q = 1) else (select count(*) from t where q = 2) end as a;
go
--> [a:int]
--> 29
--> (1 rows affected)
select case when (select count(*) from t where q = 1) > 1000 then (select sum(2000000000 / id * 40) from t where q = 1) else (select max(id) from t where 1 / (q + 1) >= 0) end as a;
go
--> [a:int]
--> 200
--> (1 rows affected)
-- derived tables that are joined with each other
select a.n, b.n, b.m, c.n, d.k from (select count(*) as n from t where q = 1) as a, (select count(*) as n, max(v) as m from t where q = 2) as b,
    (select sum(w) as n from t where q = 3 and w > 20) as c, (select k from u where name = 'two') as d;
go
--> [n:int | n:int | m:decimal(9,2) | n:int | k:int]
--> 29 | 29 | 49.50 | 2690 | 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select a.n, b.n, c.n, d.k from (select k from u where name = 'two') as d cross join (select count(*) + 1 as n from t) as a cross join
    (select count(*) as n from t where q = 2) as b cross join (select avg(w) as n from t where q = 99) as c where a.n > b.n;
go
--> [n:int | n:int | n:int | k:int]
--> 201 | 29 | NULL | 2
--> (1 rows affected)
-- over a join
select a.n, b.n, c.n, cast(a.n as decimal(9, 3)) / b.n as ratio from (select count(*) as n from t, u where q = k and name = 'one' and w > 100) as a,
    (select count(*) as n from u join t on q = k where name = 'one') as b, (select count(*) as n from t, u where q = k and name = 'six' and w > 100) as c;
go
--> [n:int | n:int | n:int | ratio:decimal(20,14)]
--> 13 | 29 | 13 | 0.44827586206896
--> (1 rows affected)
select (select count(*) from t, u where q = k and v < 20), (select count(*) from t, u where q = k and v < 40), (select count(*) from t, u where q = k and name = 'two'),
    (select count(*) from t, u where q = k - 1 and v < 20);
go
--> [:int | :int | :int | :int]
--> 64 | 128 | 29 | 55
--> (1 rows affected)
select (select count(*) from t, u where q = k and v < 20), (select count(*) from t, u where q = k and v < 40), (select sum(v) from t, u where q = k and id > 150);
go
--> [:int | :int | :decimal(38,2)]
--> 64 | 128 | 1750.00
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- for each of some rows, and in conditions
select u.k, (select count(*) from t where q = 1) + k as a, (select count(*) from t where q = 2) - k as b from u
where k between (select min(q) from t where id > 10) + 1 and (select max(q) from t where id < 190) - 2 order by k;
go
--> [k:int | a:int | b:int]
--> 1 | 30 | 28
--> 2 | 31 | 27
--> 3 | 32 | 26
--> 4 | 33 | 25
--> (4 rows affected)
-- no rows at all
create table nothing (a int, b decimal(5, 1));
select (select count(*) from nothing where a = 1) as a, (select max(b) from nothing where a = 2) as b, (select avg(b) from nothing) as c;
select x.a, y.b from (select count(*) as a from nothing where a = 1) as x, (select sum(b) as b from nothing where a = 2) as y;
go
--> [a:int | b:decimal(5,1) | c:decimal(38,6)]
--> 0 | NULL | NULL
--> (1 rows affected)
--> [a:int | b:decimal(38,1)]
--> 0 | NULL
--> (1 rows affected)
-- the same query twice, types that differ, DISTINCT, texts
select (select max(s) from t where q = 1) as a, (select min(s) from t where q = 2) as b, (select max(s) from t where q = 1) as c,
    (select count(distinct s) from t where q = 1) as d, (select count(distinct s) from t where q = 2) as e, (select count_big(*) from t where q = 1) as f;
go
--> [a:varchar(20) | b:varchar(20) | c:varchar(20) | d:int | e:int | f:bigint]
--> s9 | s0 | s9 | 13 | 13 | 29
--> (1 rows affected)
-- with variables
declare @a int = 1, @b int = 2;
select (select count(*) from t where q = @a) as a, (select count(*) from t where q = @b) as b;
set @a = 3;
select (select count(*) from t where q = @a) as a, (select count(*) from t where q = @b) as b;
go
--> [a:int | b:int]
--> 29 | 29
--> (1 rows affected)
--> [a:int | b:int]
--> 29 | 29
--> (1 rows affected)
declare @n int = 0, @m int;
while @n < 3
begin
    select @m = (select count(*) from t where q = 1) + (select count(*) from t where q = 2) + (select count(*) from t where q >= 0);
    print @m;
    delete t where id = @n * 7 + 1;
    set @n += 1;
end
go
--> # 258
--> (1 rows affected)
--> # 256
--> (1 rows affected)
--> # 254
--> (1 rows affected)
update u set name = concat((select count(*) from t where q = 1), '/', (select count(*) from t where q = 5)) where k = (select max(q) from t where q < 4);
select * from u order by k;
go
--> (1 rows affected)
--> [k:int | name:varchar(10)]
--> 0 | zero
--> 1 | one
--> 2 | two
--> 3 | 26/28
--> 4 | four
--> 5 | five
--> 6 | six
--> (7 rows affected)
set ansi_warnings off;
set arithabort off;
select (select sum(v) from t where q = 1) as a, (select sum(v) from t where q = 2) as b, (select count(v) from t) as c;
go
--> [a:decimal(38,2) | b:decimal(38,2) | c:int]
--> 561.75 | 600.00 | 158
--> (1 rows affected)
