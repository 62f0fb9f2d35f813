-- UPDATE, DELETE and MERGE beside the SELECTs that say which rows they mean.
create database twins
go
use twins
set nocount on
go
create table t (id int primary key, g int, v int, s varchar(10) null)
create index t_g on t (g)
create table u (id int, g int, w int)
create table log_t (id int, old int null, new int null, w int null)
go
create procedure fill as begin
    set nocount on
    delete t; delete u; delete log_t
    insert t values (1, 1, 10, 'a'), (2, 1, 20, 'b'), (3, 2, 30, null), (4, 2, 40, 'd'), (5, 3, 50, 'e')
    insert u values (1, 1, 100), (2, 1, 200), (2, 1, 201), (6, 2, 600), (7, null, 700)
end
go
-- A row that several match changes once, with the values of one of them.
exec fill
update t set v = u.w from t join u on u.id = t.id
select @@rowcount as n
select id, case when v in (200, 201) then 200 else v end as v from t order by id
exec fill
delete t from t join u on u.g = t.g
select @@rowcount as n
select id from t
go
--> [n:int]
--> 2
--> [id:int | v:int]
--> 1 | 100
--> 2 | 200
--> 3 | 30
--> 4 | 40
--> 5 | 50
--> [n:int]
--> 4
--> [id:int]
--> 5
-- Outer joins: the target on either side.
exec fill
select t.id, u.w from t left join u on u.id = t.id + 1 order by t.id, u.w
update t set v = u.w from t left join u on u.id = t.id + 1 where t.id <> 1
select id, v from t order by id
exec fill
update x set v = -1 from u left join t as x on x.id = u.id
select @@rowcount as n
select id, v from t order by id
exec fill
delete x from u full join t as x on x.id = u.id where u.id is null
select id from t
go
--> [id:int | w:int]
--> 1 | 200
--> 1 | 201
--> 2 | NULL
--> 3 | NULL
--> 4 | NULL
--> 5 | 600
--> [id:int | v:int]
--> 1 | 10
--> 2 | NULL
--> 3 | NULL
--> 4 | NULL
--> 5 | 600
--> [n:int]
--> 2
--> [id:int | v:int]
--> 1 | -1
--> 2 | -1
--> 3 | 30
--> 4 | 40
--> 5 | 50
--> [id:int]
--> 1
--> 2
-- APPLY, with the target on the left.
exec fill
select t.id, a.w from t outer apply (select max(u.w) as w from u where u.g = t.g) a order by t.id
update t set v = isnull(a.w, 0) from t outer apply (select max(u.w) as w from u where u.g = t.g) a
select id, v from t order by id
exec fill
update x set v = a.w from t as x cross apply (select top (1) u.w from u where u.g = x.g order by u.w desc) a where x.v > 10
select id, v from t order by id
delete x from t as x cross apply (select 1 as one from u where u.id = x.id) a
select id from t
go
--> [id:int | w:int]
--> 1 | 201
--> 2 | 201
--> 3 | 600
--> 4 | 600
--> 5 | NULL
--> [id:int | v:int]
--> 1 | 201
--> 2 | 201
--> 3 | 600
--> 4 | 600
--> 5 | 0
--> [id:int | v:int]
--> 1 | 10
--> 2 | 201
--> 3 | 600
--> 4 | 600
--> 5 | 50
--> [id:int]
--> 3
--> 4
--> 5
-- What a statement reads is as it was before it.
exec fill
update x set v = y.v from t as x join t as y on y.id = x.id - 1
select id, v from t order by id
update t set v = g, g = v
select id, g, v from t order by id
exec fill
update t set id = id + 1
select id, v from t order by id
update x set id = y.id from t as x join t as y on y.id = 8 - x.id
select id, v from t order by id
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 10
--> 3 | 20
--> 4 | 30
--> 5 | 40
--> [id:int | g:int | v:int]
--> 1 | 10 | 1
--> 2 | 10 | 1
--> 3 | 20 | 2
--> 4 | 30 | 2
--> 5 | 40 | 3
--> [id:int | v:int]
--> 2 | 10
--> 3 | 20
--> 4 | 30
--> 5 | 40
--> 6 | 50
--> [id:int | v:int]
--> 2 | 50
--> 3 | 40
--> 4 | 30
--> 5 | 20
--> 6 | 10
-- Subqueries about the target in SET, WHERE and FROM.
exec fill
update t set v = (select sum(y.v) from t as y where y.g = t.g) where v < (select avg(v) from t)
select id, v from t order by id
delete t where v > all (select v from t as y where y.id < t.id) and id > 1
select id from t
exec fill
delete t where id not in (select max(id) from t group by g)
select id from t
go
--> [id:int | v:int]
--> 1 | 30
--> 2 | 30
--> 3 | 30
--> 4 | 40
--> 5 | 50
--> [id:int]
--> 1
--> 2
--> 3
--> [id:int]
--> 2
--> 4
--> 5
-- OUTPUT with columns of FROM, into a table, and to the client.
exec fill
update t set v = t.v + u.w output inserted.id, deleted.v, inserted.v, u.w into log_t from t join u on u.id = t.id where u.w <> 201
select * from log_t order by id
delete x output deleted.id, u.w from t as x join u on u.g = x.g and u.id = 6 where x.id = 4
merge t using u on u.id = t.id and u.w <> 201 when matched then update set v = u.w
when not matched by source and t.g = 3 then delete
output $action, deleted.id, deleted.v, inserted.v, u.w;
select id, v from t order by id
go
--> [id:int | old:int | new:int | w:int]
--> 1 | 10 | 110 | 100
--> 2 | 20 | 220 | 200
--> [id:int | w:int]
--> 4 | 600
--> [$action:nvarchar(10) | id:int | v:int | v:int | w:int]
--> UPDATE | 1 | 110 | 100 | 100
--> UPDATE | 2 | 220 | 200 | 200
--> DELETE | 5 | 50 | NULL | NULL
--> [id:int | v:int]
--> 1 | 100
--> 2 | 200
--> 3 | 30
-- Common table expressions in front, several deep, and views with CHECK OPTION.
exec fill
; with a as (select id, g, v from t where v >= 20), b as (select id, v as w from a where g < 3)
update b set w = w * 10 where id <> 3
select id, v from t order by id
; with a as (select id, row_number() over (partition by g order by v desc) as place from t)
delete a where place > 1
select id from t
exec fill
; with latest as (select u.g, max(u.w) as w from u group by u.g)
update t set v = latest.w from t join latest on latest.g = t.g
select id, v from t order by id
; with x as (select top (2) * from t order by id desc) delete x
select id from t
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 200
--> 3 | 30
--> 4 | 400
--> 5 | 50
--> [id:int]
--> 2
--> 4
--> 5
--> [id:int | v:int]
--> 1 | 201
--> 2 | 201
--> 3 | 600
--> 4 | 600
--> 5 | 50
--> [id:int]
--> 1
--> 2
--> 3
create view low as select id, g, v from t where v < 35 with check option
go
exec fill
update low set v = u.w from low join u on u.id = low.id where u.w = 100
go
--> Msg 550, Level 16, State 1, Line 2: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
update low set v = 34 from low as l join u on u.g = l.g where u.w = 600
select id, v from t order by id
delete low from low as l left join u on u.id = l.id where u.id is null
select id, v from t order by id
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 20
--> 3 | 34
--> 4 | 40
--> 5 | 50
--> [id:int | v:int]
--> 1 | 10
--> 2 | 20
--> 4 | 40
--> 5 | 50
-- A view of several tables is changed in one of them at a time.
create view both_of as select t.id, t.v, u.w from t join u on u.id = t.id
go
update both_of set v = 0, w = 1 where w = 100
go
--> Msg 4405, Level 16, State 1, Line 1: View or function 'both_of' is not updatable because the modification affects multiple base tables.
-- Tables in memory, joined with themselves and with others.
declare @m table (id int primary key, v int, r int)
insert @m select id, v, 0 from t
update m set r = t.v from @m as m join t on t.id = m.id where t.id > 2
update @m set r = -1 from t where t.id = 4 and [@m].id = 5
select * from @m order by id
go
--> [id:int | v:int | r:int]
--> 1 | 10 | 0
--> 2 | 20 | 0
--> 4 | 40 | 40
--> 5 | 50 | -1
declare @m table (id int primary key, v int)
insert @m values (1, 1), (2, 2), (3, 3)
update a set v = b.v from @m as a join @m as b on b.id = a.id % 3 + 1
select * from @m order by id
delete top (1) a from @m a join (values (1), (1), (3)) n (x) on n.x = a.id
select count(*) as n from @m
; merge @m as a using (select id + 1 as id, v from @m) as b on a.id = b.id
when matched then update set v = b.v when not matched then insert values (b.id, b.v);
select count(*) as n from @m
go
--> [id:int | v:int]
--> 1 | 2
--> 2 | 3
--> 3 | 1
--> [n:int]
--> 2
--> [n:int]
--> 3
use master
drop database twins
go
