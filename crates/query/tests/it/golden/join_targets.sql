-- Changes through queries of several tables: all that is set is of one of them.
create database join_targets
go
use join_targets
set nocount on
go
create table t (id int primary key, v int, note varchar(10) null)
create table s (id int primary key, sv int, tid int)
create table log_t (id int, old int null, new int null)
go
create procedure fill as begin
    set nocount on
    delete t; delete s; delete log_t
    insert t values (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd')
    insert s values (11, 100, 1), (12, 200, 2), (13, 300, 3), (15, 500, 9)
end
go
-- A common table expression with a join; the table that is set on either side.
exec fill
;with c as (select t.id, t.v, s.sv from t join s on s.tid = t.id) select id, sv from c where id > 1 order by id
;with c as (select t.v, s.sv, t.id from t join s on s.tid = t.id) update c set v = sv where id > 1
select @@rowcount as n
select id, v from t
go
--> [id:int | sv:int]
--> 2 | 200
--> 3 | 300
--> [n:int]
--> 2
--> [id:int | v:int]
--> 1 | 10
--> 2 | 200
--> 3 | 300
--> 4 | 40
exec fill
;with c as (select s.sv, t.v, t.id from s, t where s.tid = t.id) update c set v = v + sv output deleted.v as was, inserted.v as is_now where sv <> 200
;with c as (select s.sv, t.v as tv, s.id from s join t on s.tid = t.id) update c set sv += tv
select id, v from t
select id, sv from s
go
--> [was:int | is_now:int]
--> 10 | 110
--> 30 | 330
--> [id:int | v:int]
--> 1 | 110
--> 2 | 20
--> 3 | 330
--> 4 | 40
--> [id:int | sv:int]
--> 11 | 210
--> 12 | 220
--> 13 | 630
--> 15 | 500
-- Renamed columns, columns of columns, what is computed of both tables.
exec fill
;with c (a, b, total) as (select t.v, s.sv, t.v + s.sv from t join s on s.tid = t.id),
  d as (select a as x, total as y, b from c where b < 300)
update d set x = y + b
select id, v from t
go
--> [id:int | v:int]
--> 1 | 210
--> 2 | 420
--> 3 | 30
--> 4 | 40
-- Outer joins.
exec fill
;with c as (select t.v, s.sv from t left join s on s.tid = t.id) update c set v = sv
select id, v from t
;with c as (select t.v, s.id, s.sv from t right join s on s.tid = t.id) update c set sv = isnull(v, -1)
select id, sv from s
;with c as (select t.v, s.sv from t left join s on s.tid = t.id) update c set sv = 0
select @@rowcount as n
select id, sv from s
go
--> [id:int | v:int]
--> 1 | 100
--> 2 | 200
--> 3 | 300
--> 4 | NULL
--> [id:int | sv:int]
--> 11 | 100
--> 12 | 200
--> 13 | 300
--> 15 | -1
--> [n:int]
--> 3
--> [id:int | sv:int]
--> 11 | 0
--> 12 | 0
--> 13 | 0
--> 15 | -1
-- Derived tables, values, APPLY, a table function.
exec fill
update d set v = 8 from (select t.v, u.q from t join (values (1, 3), (3, 4)) u (i, q) on u.i = t.id) d where d.q = 4
update d set v = q from (select t.v, u.q from t join (values (1, 3), (2, 4)) u (i, q) on u.i = t.id) d
select id, v from t
update d set v = n from (select t.v, a.n from t cross apply (select count(*) as n from s where s.tid >= t.id) a) d
select id, v from t
update d set v = d.value from (select t.v, g.value from t join generate_series(3, 9) g on g.value = t.id) d
select id, v from t
update x set v = y.sv from (select t.v, t.id from t cross join (values (1)) one (n)) x join s y on y.tid = x.id
select id, v from t
go
--> [id:int | v:int]
--> 1 | 3
--> 2 | 4
--> 3 | 8
--> 4 | 40
--> [id:int | v:int]
--> 1 | 4
--> 2 | 3
--> 3 | 2
--> 4 | 1
--> [id:int | v:int]
--> 1 | 4
--> 2 | 3
--> 3 | 3
--> 4 | 4
--> [id:int | v:int]
--> 1 | 100
--> 2 | 200
--> 3 | 300
--> 4 | 4
-- Functions over windows beside plain columns, and TOP.
exec fill
;with c as (select t.id, t.v, s.sv, row_number() over (order by s.sv desc) as place from t join s on s.tid = t.id)
update c set v = place where place <= 2
select id, v from t
;with c as (select top (1) t.v, s.sv from t join s on s.tid = t.id order by s.sv desc) update c set v = -sv
select id, v from t
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 2
--> 3 | 1
--> 4 | 40
--> [id:int | v:int]
--> 1 | 10
--> 2 | 2
--> 3 | -300
--> 4 | 40
-- The same table twice: one occurrence is changed.
exec fill
;with c as (select a.v, b.v as other from t a join t b on b.id = a.id + 1) update c set v = other
select id, v from t
go
--> [id:int | v:int]
--> 1 | 20
--> 2 | 30
--> 3 | 40
--> 4 | 40
-- Views, and views of views.
create view both_v as select t.id, t.v, s.id as sid, s.sv, s.tid from t join s on s.tid = t.id
go
create view outer_v as select sv as q, v as p, id from both_v where sv > 100
go
exec fill
update both_v set v = sv where id = 1
update both_v set sv = 7 where id = 1
update outer_v set p = q + 1
update o set q = 9 from outer_v o join t on t.id = o.id where t.id = 3
select id, v from t
select id, sv from s
go
--> [id:int | v:int]
--> 1 | 100
--> 2 | 201
--> 3 | 301
--> 4 | 40
--> [id:int | sv:int]
--> 11 | 7
--> 12 | 200
--> 13 | 9
--> 15 | 500
-- Two tables are set, or rows go: 4405. What is computed: 4406.
update both_v set v = 1, sv = 2
update outer_v set p = 1, q = 2
delete both_v where id = 1
delete c from (select t.id, s.sv from t join s on s.tid = t.id) c
go
--> Msg 4405, Level 16, State 1, Line 2: View or function 'both_v' is not updatable because the modification affects multiple base tables.
--> Msg 4405, Level 16, State 1, Line 3: View or function 'both_v' is not updatable because the modification affects multiple base tables.
--> Msg 4405, Level 16, State 1, Line 4: View or function 'both_v' is not updatable because the modification affects multiple base tables.
--> Msg 4420, Level 16, State 1, Line 5: Derived table 'c' is not updatable because the modification affects multiple base tables.
;with c as (select t.v, s.sv, t.v + s.sv as total from t join s on s.tid = t.id) update c set total = 1
go
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'c' failed because it contains a derived or constant field.
;with c as (select t.v, s.sv, t.v + s.sv as total from t join s on s.tid = t.id) update c set v = 1, total = 1
go
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'c' failed because it contains a derived or constant field.
;with c as (select t.v, s.sv from t join s on s.tid = t.id) update c set nothing = 1
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
;with c as (select sum(t.v) as v from t join s on s.tid = t.id) update c set v = 1
go
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'c' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
;with c as (select t.v, d.n from t join (select tid, count(*) as n from s group by tid) d on d.tid = t.id)
update c set n = 1
go
--> Msg 4418, Level 16, State 1, Line 2: Derived table 'd' is not updatable because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
exec fill
;with c as (select t.v, d.n from t join (select tid, count(*) as n from s group by tid) d on d.tid = t.id)
update c set v = n
select id, v from t
go
--> [id:int | v:int]
--> 1 | 1
--> 2 | 1
--> 3 | 1
--> 4 | 40
-- INSERT through a view of two tables.
exec fill
insert both_v (id, v) values (7, 70)
insert both_v (sid, sv, tid) select 17, 700, 7
select id, v, sid, sv from both_v where id = 7
go
--> [id:int | v:int | sid:int | sv:int]
--> 7 | 70 | 17 | 700
insert both_v (id, sid) values (8, 18)
go
--> Msg 4405, Level 16, State 1, Line 1: View or function 'both_v' is not updatable because the modification affects multiple base tables.
insert both_v values (8, 80, 18, 800, 8)
go
--> Msg 4405, Level 16, State 1, Line 1: View or function 'both_v' is not updatable because the modification affects multiple base tables.
-- DELETE where one table is joined with what is none.
exec fill
delete c from (select t.id, u.q from t join (values (1, 3), (3, 4)) u (i, q) on u.i = t.id) c where c.q = 4
;with c as (select t.id from t cross join (select 2 as two) x where t.id = x.two) delete c
select id from t
go
--> [id:int]
--> 1
--> 4
-- WITH CHECK OPTION: the row that is changed stays in sight.
create view checked as
    select t.id, t.v, s.sv from t join s on s.tid = t.id where t.v < s.sv with check option
go
exec fill
update checked set v = sv - 1 where id = 1
update checked set v = sv where id = 2
go
--> Msg 550, Level 16, State 1, Line 3: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
update checked set sv = 1 where id = 2
go
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
select id, v from t
go
--> [id:int | v:int]
--> 1 | 99
--> 2 | 20
--> 3 | 30
--> 4 | 40
-- OUTPUT INTO, variables, an identity of several rows that match.
exec fill
insert s values (16, 600, 1)
declare @n int = 0
;with c as (select t.id, t.v, s.sv from t join s on s.tid = t.id)
update c set @n += 1, v = 0 output inserted.id, deleted.v, inserted.v into log_t
select @n as n, @@rowcount as one
select id, old, new from log_t order by id
go
--> [n:int | one:int]
--> 3 | 3
--> [id:int | old:int | new:int]
--> 1 | 10 | 0
--> 2 | 20 | 0
--> 3 | 30 | 0
-- Temporary tables, table variables, and a procedure that is run twice.
create table #t (id int, v int)
insert #t values (1, 1), (2, 2)
declare @s table (id int, v int)
insert @s values (1, 5), (2, 6)
;with c as (select a.v, b.v as other from #t a join @s b on b.id = a.id) update c set v = other
select id, v from #t
;with c as (select a.v, b.v as other from @s a join #t b on b.id = a.id where b.id = 2) update c set v = other + 1
select id, v from @s
go
--> [id:int | v:int]
--> 1 | 5
--> 2 | 6
--> [id:int | v:int]
--> 1 | 5
--> 2 | 7
create procedure pull @min int as
    with c as (select t.v, s.sv from t join s on s.tid = t.id where s.sv >= @min) update c set v = sv
go
exec fill
exec pull 300
exec pull 200
select id, v from t
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 200
--> 3 | 300
--> 4 | 40
-- Keys that are set, a trigger, references.
create table w (id int primary key, k int unique, ref int references s(id))
create table w_new (id int, k int, ref int)
go
create trigger w_told on w after update as
    select i.id, d.k as was, i.k as is_now from inserted i join deleted d on d.id = i.id order by i.id
go
insert w values (1, 1, null), (2, 2, null)
insert w_new values (1, 2, 11), (2, 1, 12)
;with c as (select w.k, w.ref, n.k as nk, n.ref as nref from w join w_new n on n.id = w.id) update c set k = nk, ref = nref
;with c as (select w.k, w.ref, n.k as nk, n.ref as nref from w join w_new n on n.id = w.id) update c set ref = nk
go
--> [id:int | was:int | is_now:int]
--> 1 | 1 | 2
--> 2 | 2 | 1
--> Msg 547, Level 16, State 0, Line 4: The UPDATE statement conflicted with the FOREIGN KEY constraint "FK__w__ref__000003F5". The conflict occurred in database "join_targets", table "dbo.s", column 'id'.
--> # The statement has been terminated.
select id, k, ref from w order by id
go
--> [id:int | k:int | ref:int]
--> 1 | 2 | 11
--> 2 | 1 | 12
use master
drop database join_targets
go
