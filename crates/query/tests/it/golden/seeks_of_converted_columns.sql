-- A conversion that rounds or cuts: an index on the column does not find the converted value.
create table d (k datetime primary key); insert d values ('2024-01-01 10:00'),('2024-01-02 11:00')
create table e (k decimal(10,2) primary key); insert e values (5.3),(6.0),(4.9)
create table f (k datetime2(7) primary key); insert f values ('2024-01-01 10:00:00.1234567')
create table h (k datetimeoffset primary key); insert h values ('2024-01-01 23:30 -05:00')
create table i (k money primary key); insert i values (5.5)
create table j (k time primary key); insert j values ('10:00:00.5')
create table l (k int primary key); insert l values (28), (0), (-3)
go
--> (2 rows affected)
--> (3 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (3 rows affected)
select k from d where cast(k as date) = '20240101'
select k from d where cast(k as date) in ('20240102', '20240103')
select k from d where cast(k as date) > '20240101'
select k from d where convert(smalldatetime, k) = '20240101 10:00'
select k from d where cast(k as time) = '10:00'
select k from d where cast(k as datetime2(3)) = '20240101 10:00'
select k from e where cast(k as int) = 5
select k from e where cast(k as int) >= 5 order by k
select k from e where cast(k as int) in (4, 5) order by k
select k from e where cast(k as decimal(10, 1)) = 4.9
select k from e where cast(k as money) = 4.9
select k from e where cast(k as decimal(20, 4)) = 4.9
select k from f where cast(k as datetime2(0)) = '2024-01-01 10:00:00'
select k from f where cast(k as datetime) = '2024-01-01 10:00:00.123'
select k from f where cast(k as date) between '20240101' and '20240101'
go
--> [k:datetime]
--> 2024-01-01 10:00:00.000
--> (1 rows affected)
--> [k:datetime]
--> 2024-01-02 11:00:00.000
--> (1 rows affected)
--> [k:datetime]
--> 2024-01-02 11:00:00.000
--> (1 rows affected)
--> [k:datetime]
--> 2024-01-01 10:00:00.000
--> (1 rows affected)
--> [k:datetime]
--> 2024-01-01 10:00:00.000
--> (1 rows affected)
--> [k:datetime]
--> 2024-01-01 10:00:00.000
--> (1 rows affected)
--> [k:decimal(10,2)]
--> 5.30
--> (1 rows affected)
--> [k:decimal(10,2)]
--> 5.30
--> 6.00
--> (2 rows affected)
--> [k:decimal(10,2)]
--> 4.90
--> 5.30
--> (2 rows affected)
--> [k:decimal(10,2)]
--> 4.90
--> (1 rows affected)
--> [k:decimal(10,2)]
--> 4.90
--> (1 rows affected)
--> [k:decimal(10,2)]
--> 4.90
--> (1 rows affected)
--> [k:datetime2(7)]
--> 2024-01-01 10:00:00.1234567
--> (1 rows affected)
--> [k:datetime2(7)]
--> 2024-01-01 10:00:00.1234567
--> (1 rows affected)
--> [k:datetime2(7)]
--> 2024-01-01 10:00:00.1234567
--> (1 rows affected)
select k from h where cast(k as date) = '20240101'
select k from h where cast(k as datetime2) = '20240101 23:30'
select k from h where cast(k as datetime) = '20240101 23:30'
select k from i where cast(k as int) = 6
select k from i where cast(k as smallint) > 5
select k from j where cast(k as time(0)) = '10:00:01'
select k from l where cast(k as bit) = 1 order by k
select k from l where cast(k as bit) in (1) order by k
select k from l where cast(k as bit) > 0 order by k
select k from l where cast(k as tinyint) = 28 and k >= 0
select k from l where cast(k as bigint) = 28
go
--> [k:datetimeoffset(7)]
--> 2024-01-01 23:30:00.0000000 -05:00
--> (1 rows affected)
--> [k:datetimeoffset(7)]
--> 2024-01-01 23:30:00.0000000 -05:00
--> (1 rows affected)
--> [k:datetimeoffset(7)]
--> 2024-01-01 23:30:00.0000000 -05:00
--> (1 rows affected)
--> [k:money]
--> 5.5000
--> (1 rows affected)
--> [k:money]
--> 5.5000
--> (1 rows affected)
--> [k:time(7)]
--> 10:00:00.5000000
--> (1 rows affected)
--> [k:int]
--> -3
--> 28
--> (2 rows affected)
--> [k:int]
--> -3
--> 28
--> (2 rows affected)
--> [k:int]
--> -3
--> 28
--> (2 rows affected)
--> [k:int]
--> 28
--> (1 rows affected)
--> [k:int]
--> 28
--> (1 rows affected)
-- Joins look rows up by the same rule; DML finds its rows by it too.
select d.k from d join f on cast(f.k as date) = cast(d.k as date)
select l.k from l join (values (cast(1 as bit))) v(b) on cast(l.k as bit) = v.b order by l.k
update e set k = k + 10 where cast(k as int) = 5
select k from e order by k
delete d where cast(k as date) = '20240102'
select k from d
delete l where cast(k as bit) = 1
select k from l
go
--> [k:datetime]
--> 2024-01-01 10:00:00.000
--> (1 rows affected)
--> [k:int]
--> -3
--> 28
--> (2 rows affected)
--> (1 rows affected)
--> [k:decimal(10,2)]
--> 4.90
--> 6.00
--> 15.30
--> (3 rows affected)
--> (1 rows affected)
--> [k:datetime]
--> 2024-01-01 10:00:00.000
--> (1 rows affected)
--> (2 rows affected)
--> [k:int]
--> 0
--> (1 rows affected)
-- An item of a list that is no constant is asked for each row.
create table t2 (rid int not null, c2 int null); insert t2 values (42, 5)
go
--> (1 rows affected)
select 1 from (select charindex('a', 'a') as k4 from t2 as a1 where a1.rid in (nullif(iif(1 <= a1.c2, a1.rid, 1), 1))) as a4
select 2 from (select charindex('a', 'a') as k4 from t2 as a1 where a1.rid in (nullif(a1.rid, 1))) as a4
select 3 from (select charindex('a', 'a') as k4 from t2 as a1 where a1.rid in (case when c2 = 3 then null else c2 + 37 end, 7)) as a4
select 4 from (select charindex('a', 'a') as k4 from t2 as a1 where a1.rid not in (case when c2 = 3 then 42 else 7 end, 8)) as a4
go
--> [:int]
--> 1
--> (1 rows affected)
--> [:int]
--> 2
--> (1 rows affected)
--> [:int]
--> 3
--> (1 rows affected)
--> [:int]
--> 4
--> (1 rows affected)
-- Membership of values that are no single number.
select case when cast('2000-01-01' as datetimeoffset) <> all (select cast('2020-01-01' as datetimeoffset) from t2) then 1 else 0 end
select case when cast('2000-01-01' as datetimeoffset) in (select cast('2000-01-01 05:30 +05:30' as datetimeoffset(0)) from t2) then 1 else 0 end
select case when cast('2000-01-01' as datetimeoffset) not in (select cast(null as datetimeoffset(0)) from t2) then 1 else 0 end
select case when cast(5 as sql_variant) in (select cast(5 as sql_variant) from t2) then 1 else 0 end
select case when cast(5 as sql_variant) not in (select cast(6 as sql_variant) from t2) then 1 else 0 end
go
--> [:int]
--> 1
--> (1 rows affected)
--> [:int]
--> 1
--> (1 rows affected)
--> [:int]
--> 0
--> (1 rows affected)
--> [:int]
--> 1
--> (1 rows affected)
--> [:int]
--> 1
--> (1 rows affected)
