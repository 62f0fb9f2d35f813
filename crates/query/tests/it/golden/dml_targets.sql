-- Which rows UPDATE and DELETE change when FROM is given: the target is one occurrence in FROM.
create database targets
go
use targets
set nocount on
go
create schema other
go
create table p (id int primary key, v int)
create table s (id int, w int)
create table other.p (id int primary key, v int)
insert s values (2, 200), (3, 300)
go
-- The only occurrence is the target, with an alias or without.
create procedure fill as begin
    delete dbo.p; delete other.p
    insert dbo.p values (1, 10), (2, 20), (3, 30), (4, 40)
    insert other.p values (1, 1), (2, 2)
end
go
exec fill
delete p from p as x join s on s.id = x.id where s.w = 200
select @@rowcount as n
select id from p
go
--> [n:int]
--> 1
--> [id:int]
--> 1
--> 3
--> 4
exec fill
update p set v = s.w from p x, s where s.id = x.id
select id, v from p
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 200
--> 3 | 300
--> 4 | 40
exec fill
update dbo.p set v += 1 from p as x where x.id = 2
update p set v += 1 from dbo.p as x where x.id = 3
update targets.dbo.p set v += 1 from [P] as x where x.id = 4
update [dbo].[P] set v += 1 from targets..p as x where x.id = 1
select id, v from p
go
--> [id:int | v:int]
--> 1 | 11
--> 2 | 21
--> 3 | 31
--> 4 | 41
exec fill
delete from x from p as x join s on s.id = x.id
delete from p from p x where x.id = 4 and not exists (select 1 from s where s.id = x.id)
select id from p
go
--> [id:int]
--> 1
exec fill
delete x output deleted.id, s.w from s right join dbo.p as x on x.id = s.id where s.id is null
select id from p
go
--> [id:int | w:int]
--> 1 | NULL
--> 4 | NULL
--> [id:int]
--> 2
--> 3
-- Of two occurrences the one without an alias.
exec fill
delete p from p join p as y on y.id = p.id + 1 where y.id = 3
delete dbo.p from p as y join dbo.p on p.id = y.id where y.v = 40
select id from p
go
--> [id:int]
--> 1
--> 3
exec fill
go
delete p from p as x join p as y on y.id = x.id
go
--> Msg 8154, Level 16, State 1, Line 1: The table 'p' is ambiguous.
update dbo.p set v = 0 from p as x cross join p as y
go
--> Msg 8154, Level 16, State 1, Line 1: The table 'dbo.p' is ambiguous.
delete targets.dbo.p from p as x cross join p as y where 1 = 0
go
--> Msg 8154, Level 16, State 1, Line 1: The table 'targets.dbo.p' is ambiguous.
select count(*) as n from p
go
--> [n:int]
--> 4
-- Of two with aliases the alias says which.
exec fill
delete y from p as x join p as y on y.id = x.id + 3
update x set v = y.v from p as x join p as y on y.id = x.id + 1
select id, v from p
go
--> [id:int | v:int]
--> 1 | 20
--> 2 | 30
--> 3 | 30
-- An alias hides the table of that name; a name with a schema is no alias.
exec fill
delete s from p as s where s.id = 1
select count(*) as n from s
select id from p
go
--> [n:int]
--> 2
--> [id:int]
--> 2
--> 3
--> 4
exec fill
update dbo.p set v = p.v + 1000 from s as p2 where p2.id = p.id
select id, v from p
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 1020
--> 3 | 1030
--> 4 | 40
-- A table of the same name in another schema is another table.
exec fill
delete dbo.p from other.p as o where o.id = 2 and dbo.p.id = o.id
select id from p
select id from other.p
delete other.p from dbo.p as o where o.id = 3 and other.p.id = 1
select id from p
select id from other.p
go
--> [id:int]
--> 1
--> 3
--> 4
--> [id:int]
--> 1
--> 2
--> [id:int]
--> 1
--> 3
--> 4
--> [id:int]
--> 2
-- An occurrence inside of a derived table or a subquery is none.
exec fill
update p set v = d.v from (select id, v from p where id < 3) as d where d.id = p.id - 2
select id, v from p
delete p from (select max(id) as id from p) as d where d.id = p.id
select id from p
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 20
--> 3 | 10
--> 4 | 20
--> [id:int]
--> 1
--> 2
--> 3
-- #t and @t
create table #t (id int, v int)
insert #t values (1, 10), (2, 20), (3, 30)
delete #t from #t as x join s on s.id = x.id where s.w = 300
update #t set v = s.w from #t x join s on s.id = x.id
update tempdb..#t set v += 1 from #t as x where x.id = 1
select id, v from #t
go
--> [id:int | v:int]
--> 1 | 11
--> 2 | 200
delete #t from #t a cross join #t b
go
--> Msg 8154, Level 16, State 1, Line 1: The table '#t' is ambiguous.
declare @t table (id int, v int)
insert @t values (1, 10), (2, 20), (3, 30)
delete @t from @t as x join s on s.id = x.id where s.w = 300
update @t set v = s.w from @t x join s on s.id = x.id
select id, v from @t
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 200
declare @t table (id int)
delete @t from @t a join @t b on a.id = b.id
go
--> Msg 8154, Level 16, State 1, Line 2: The table '@t' is ambiguous.
-- Views are objects as tables are; a common table expression is not: it is its name or its alias.
create view big as select id, v from p where v > 15
go
exec fill
update big set v = s.w from big as x join s on s.id = x.id where s.id = 3
delete big from dbo.big as x join s on s.id = x.id where x.v = 20
select id, v from p
go
--> [id:int | v:int]
--> 1 | 10
--> 3 | 300
--> 4 | 40
delete big from big x cross join big y
go
--> Msg 8154, Level 16, State 1, Line 1: The table 'big' is ambiguous.
exec fill
; with c as (select id, v from p)
update x set v = s.w from c as x join s on s.id = x.id
select id, v from p
; with c as (select id, v from p)
update c set v = s.w from c as x join s on s.id = x.id where s.w = 200
select id, v from p
; with c as (select id, v from p)
delete c from c join s on s.id = c.id
select id from p
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 200
--> 3 | 300
--> 4 | 40
--> [id:int | v:int]
--> 1 | 200
--> 2 | 200
--> 3 | 200
--> 4 | 200
--> [id:int]
--> 1
--> 4
-- A derived table can be the target by its alias.
exec fill
delete d from (select id, row_number() over (order by v desc) as place from p) as d where d.place <= 2
update d set v = d.v + s.w from (select id, v from p where id > 1) as d join s on s.id = d.id
select id, v from p
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 220
-- TOP counts rows that change, not rows of the join.
exec fill
insert s values (2, 201), (2, 202), (3, 301)
delete top (2) x from p x join s on s.id = x.id
select @@rowcount as n, count(*) as left_over from p
exec fill
update top (50) percent p set v = 0 from p left join s on s.id = p.id
select @@rowcount as n
update top (1) p set v = -1 from s right join p on s.id = p.id where p.id = 4
select id, v from p where v = -1
delete s where w in (201, 202, 301)
go
--> [n:int | left_over:int]
--> 2 | 2
--> [n:int]
--> 2
--> [id:int | v:int]
--> 4 | -1
-- A target on the right of APPLY, in parentheses, and with hints.
exec fill
delete x from s cross apply p as x where x.id = s.id
update x set v = 7 from (s join p as x with (rowlock) on x.id = s.id + 1)
select id, v from p
go
--> [id:int | v:int]
--> 1 | 10
--> 4 | 7
-- In MERGE, in procedures, triggers and functions.
exec fill
merge p as a using p as b on a.id = b.id + 1 when matched then update set v = b.v;
select id, v from p
; with src as (select id, w from s)
merge into p using src on src.id = p.id when matched then update set v = src.w
when not matched then insert values (src.id, src.w);
select id, v from p
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 10
--> 3 | 20
--> 4 | 30
--> [id:int | v:int]
--> 1 | 10
--> 2 | 200
--> 3 | 300
--> 4 | 30
create trigger p_changed on p after update as
    update p set v = -i.v from inserted i join p as x on x.id = i.id
go
exec fill
update p set v = 5 where id = 2
select id, v from p
drop trigger p_changed
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | -5
--> 3 | 30
--> 4 | 40
create function total(@n int) returns int as begin
    declare @t table (id int, v int)
    insert @t values (1, 1), (2, 2), (3, 3)
    update x set v = x.v * 10 from @t as x where x.id <= @n
    delete x from @t x join @t y on y.id = x.id + 2
    ; with c as (select v from @t where id = 3) update c set v = 500
    return (select sum(v) from @t)
end
go
select dbo.total(1) as a, dbo.total(3) as b
go
--> [a:int | b:int]
--> 502 | 520
create function bad() returns int as begin
    declare @t table (id int)
    update x set v = 0 from p as x
    return 1
end
go
--> Msg 443, Level 16, State 15, Line 3: Invalid use of a side-effecting operator 'UPDATE' within a function.
create function bad() returns int as begin
    declare @t table (id int)
    insert @t output inserted.id into dbo.log_table values (1)
    return 1
end
go
--> Msg 443, Level 16, State 15, Line 3: Invalid use of a side-effecting operator 'INSERT' within a function.
use master
drop database targets
go
