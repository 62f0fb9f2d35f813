-- Masks go round in recursive queries, stay over numbers of rows of enclosing rows, and leave a row its own values under other names.
-- differs restarts: who EXECUTE AS has made goes with the session
create database around
go
use around
create user w without login
create table m (id int primary key, s int masked with (function = 'default()'), plain int)
insert m values (1, 1111, 1), (2, 2222, 2)
grant select, update on m to w
go
--> (2 rows affected)
create view v as select * from m
go
grant select, update on v to w
execute as user = 'w'
go
with r as (select 0 a, s b, 0 l from m union all select b, b, 1 from r where l < 1) select a, l from r where l = 1
go
--> [a:int | l:int]
--> 0 | 1
--> 0 | 1
--> (2 rows affected)
with r as (select id, 0 a, 0 b, 0 l from m union all select r.id, r.b, (select t.s from m t where t.id = r.id), l + 1 from r where l < 2)
select max(a) as a, max(b) as b, max(l) as l from r
go
--> [a:int | b:int | l:int]
--> 0 | 0 | 2
--> (1 rows affected)
select (select max(v) from (select top (m.s) value v from generate_series(1, 9999) order by value) q) as v,
    (select max(v) from (select value v from generate_series(1, 9999) order by value offset m.s rows) q) as o from m
go
--> [v:int | o:int]
--> NULL | 9999
--> NULL | 9999
--> (2 rows affected)
with c as (select * from m) update c set s = s + 1;
update v set s = s + 1
update v set s += 1
update x set s = s + 1 from (select id, s from m) x
merge v as c using (values (1)) n (i) on c.id = n.i when matched then update set s = c.s + 1;
with c as (select id, s, lag(s) over (order by id) as before from m) update c set s = before where id = 2;
with c as (select m.id, m.s, o.s as other from m join m o on o.id = 1 where m.id = 2) update c set s = other;
revert
select * from m order by id
go
--> (2 rows affected)
--> (2 rows affected)
--> (2 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | s:int | plain:int]
--> 1 | 1116 | 1
--> 2 | 0 | 2
--> (2 rows affected)
execute as user = 'w'
update m set s = s + plain where id = 1
update a set a.s = b.s from m a join m b on b.id = 1 where a.id = 2
revert
select * from m order by id
go
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | s:int | plain:int]
--> 1 | 1117 | 1
--> 2 | 0 | 2
--> (2 rows affected)
use master
drop database around
go
