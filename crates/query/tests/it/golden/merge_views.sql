-- MERGE into a common table expression or a view of one table: its rows are the target's.
create database merge_views
go
use merge_views
set nocount on
go
create table t (id int primary key, g int, v int, at_all int not null default 5)
create table src (id int, v int)
go
create procedure fill as begin
    set nocount on
    delete t; delete src
    insert t (id, g, v) values (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, 2, 40)
    insert src values (1, 100), (3, 300), (9, 900)
end
go
-- Rows that the target does not show: no match, and not gone from the source either.
exec fill
;with c as (select id, g, v from t where g = 1)
merge c using src on src.id = c.id
when matched then update set v = src.v
when not matched by source then delete
output $action, inserted.id as new_id, deleted.id as old_id, deleted.v as old_v;
select @@rowcount as n
select id, g, v from t
go
--> [$action:nvarchar(10) | new_id:int | old_id:int | old_v:int]
--> UPDATE | 1 | 1 | 10
--> DELETE | NULL | 2 | 20
--> [n:int]
--> 2
--> [id:int | g:int | v:int]
--> 1 | 1 | 100
--> 3 | 2 | 30
--> 4 | 2 | 40
exec fill
;with c as (select id as number, v * 2 as twice, v as val, g from t where g = 2)
merge into c as x using (select id, v from src where id <> 1) as s on x.number = s.id
when matched and x.twice > 50 then update set val = s.v + x.twice
when not matched by target then insert (number, val, g) values (s.id, s.v, 2)
when not matched by source and x.twice = 80 then update set val = -x.twice
output $action, inserted.number, inserted.val, deleted.val as was;
select id, g, v, at_all from t
go
--> [$action:nvarchar(10) | number:int | val:int | was:int]
--> UPDATE | 3 | 360 | 30
--> UPDATE | 4 | -80 | 40
--> INSERT | 9 | 900 | NULL
--> [id:int | g:int | v:int | at_all:int]
--> 1 | 1 | 10 | 5
--> 2 | 1 | 20 | 5
--> 3 | 2 | 360 | 5
--> 4 | 2 | -80 | 5
--> 9 | 2 | 900 | 5
-- A view, with its own names; and WITH CHECK OPTION.
create view firsts as select id as number, v as val, g from t where g = 1 with check option
go
exec fill
merge firsts as f using src as s on s.id = f.number
when matched then update set val = s.v
when not matched then insert (number, val, g) values (s.id + 10, s.v, 1);
select id, g, v from t
go
--> [id:int | g:int | v:int]
--> 1 | 1 | 100
--> 2 | 1 | 20
--> 3 | 2 | 30
--> 4 | 2 | 40
--> 13 | 1 | 300
--> 19 | 1 | 900
exec fill
merge firsts as f using src as s on s.id = f.number
when matched then update set g = 2;
go
--> Msg 550, Level 16, State 1, Line 2: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
merge firsts as f using src as s on s.id = f.number
when not matched then insert (number, val, g) values (s.id + 10, s.v, 3);
go
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
select count(*) as n from t
go
--> [n:int]
--> 4
-- What is computed cannot be set; what is grouped is no target.
;with c as (select id, v + 1 as more from t) merge c using src on src.id = c.id when matched then update set more = 1;
go
--> Msg 4406, Level 16, State 1, Line 2: Update or insert of view or function 'c' failed because it contains a derived or constant field.
;with c as (select g, sum(v) as v from t group by g) merge c using src on src.id = c.g when matched then update set v = 1;
go
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'c' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
-- Subqueries in clauses, a target with a function over a window.
exec fill
;with c as (select id, v from t where v < 40)
merge c using src on src.id = c.id
when matched and exists (select 1 from t x where x.id = c.id + 1) then update set v = (select max(v) from t x where x.g = c.id)
when not matched by source then delete;
select id, v from t
exec fill
;with c as (select id, v, row_number() over (partition by g order by v desc) as place from t)
merge c using (values (1)) s (place) on c.place = s.place when not matched by source then delete;
select id, v from t
go
--> [id:int | v:int]
--> 1 | 20
--> 3 | NULL
--> 4 | 40
--> [id:int | v:int]
--> 2 | 20
--> 4 | 40
-- Temporary tables and table variables.
create table #t (id int, g int, v int)
insert #t values (1, 1, 10), (2, 1, 20), (3, 2, 30)
;with c as (select * from #t where g = 1)
merge c using src on src.id = c.id
when matched then update set v = src.v
when not matched by source then delete
when not matched then insert (id, g, v) values (src.id, 7, src.v);
select id, g, v from #t order by id, g
declare @t table (id int primary key, g int)
insert @t values (1, 1), (2, 1), (3, 2)
;with c as (select * from @t where g = 1)
merge c using src on src.id = c.id when not matched by source then delete;
select id, g from @t
go
--> [id:int | g:int | v:int]
--> 1 | 1 | 100
--> 3 | 2 | 30
--> 3 | 7 | 300
--> 9 | 7 | 900
--> [id:int | g:int]
--> 1 | 1
--> 3 | 2
use master
drop database merge_views
go
