-- A column of a derived table that is NULL in all rows has no type: it goes into a column of any
create table n (id int identity primary key, d date, t time, dt datetime2, u uniqueidentifier, v varbinary(9), x xml, i int)
insert n (d, t, dt, u, v, x, i) select p, p, p, p, p, p, p from (values (null), (null)) v(p)
insert n (d, u) select p0, p1 from (values (null, null, 0), (null, null, 1)) as imp_sen(p0, p1, sen) order by sen
insert n (d) select p from (select null as p) v
insert n (d) select q from (select p as q from (select null as p) v where 1 = 1) w
;with c as (select null as d union all select null) insert n (d, dt) select d, d from c
insert n (d, u) select v.p, n.u from n cross join (values (null)) v(p) where n.id = 1
insert n (d) select distinct p from (values (null), (null)) v(p)
update n set d = s.p, u = s.q from (select null as p, null as q) s where id = 1
merge n using (values (1, null), (999, null)) s (i, d) on n.id = s.i
    when matched then update set d = s.d, u = s.d when not matched then insert (d, u) values (s.d, s.d);
select count(*) as all_rows, count(d) as d, count(u) as u from n
go
--> (2 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (2 rows affected)
--> [all_rows:int | d:int | u:int]
--> 11 | 0 | 0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- It is shown as int, and one value gives it a type
select p from (values (null), (null)) v(p)
select p from (select null as p) v union all select 'a'
go
--> [p:int]
--> NULL
--> NULL
--> (2 rows affected)
--> [p:int]
--> NULL
--> Msg 245, Level 16, State 1, Line 3: Conversion failed when converting the varchar value 'a' to data type int.
insert n (d) select p from (values (null), (1)) v(p)
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
insert n (d) select isnull(p, 5) from (select null as p) v
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
insert n (d) select p from (select cast(null as int) as p) v
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
update n set d = s.p from (select cast(null as int) as p) s
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
merge n using (values (1, 5)) s (i, d) on n.id = s.i when matched then update set d = s.d;
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
