-- INSERT of the rows that another statement changes.
create database nested_changes
go
use nested_changes
set nocount on
go
create table src (id int primary key, v int, note varchar(10) null)
create table arch (id int, v int null, what varchar(10) null, at_all int not null default 7)
create table feed (id int, v int)
go
create procedure fill as begin
    set nocount on
    delete src; delete arch; delete feed
    insert src values (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd')
    insert feed values (2, 200), (4, 40), (9, 900)
end
go
-- DELETE, UPDATE, INSERT.
exec fill
select id, v from src where id < 3
insert arch (id, v) select id, v from (delete from src output deleted.id, deleted.v where id < 3) d where v > 10
select @@rowcount as n
select id, v, what, at_all from arch
select id from src
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 20
--> [n:int]
--> 1
--> [id:int | v:int | what:varchar(10) | at_all:int]
--> 2 | 20 | NULL | 7
--> [id:int]
--> 3
--> 4
exec fill
insert into arch select d.k, d.was + d.now_is, 'up', 1
from (update src set v = v * 2 output inserted.id, deleted.v, inserted.v where id in (1, 3)) as d (k, was, now_is)
where d.was <> 10;
select id, v, what, at_all from arch
select id, v from src
go
--> [id:int | v:int | what:varchar(10) | at_all:int]
--> 3 | 90 | up | 1
--> [id:int | v:int]
--> 1 | 20
--> 2 | 20
--> 3 | 60
--> 4 | 40
exec fill
insert arch (id, what) select x.id, 'new' from (insert src (id, v) output inserted.id, inserted.note select id, v from feed where id = 9) x where x.note is null
select id, v, what from arch
select id from src
go
--> [id:int | v:int | what:varchar(10)]
--> 9 | NULL | new
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> 9
-- MERGE with $action: rows that are superseded become history in the same table.
create table dim (sk int identity primary key, id int, city varchar(10), is_current bit)
create table stage (id int, city varchar(10))
go
insert dim values (1, 'Bern', 1), (2, 'Genf', 1), (3, 'Chur', 1)
insert stage values (1, 'Bern'), (2, 'Basel'), (4, 'Zug')
insert dim (id, city, is_current)
select id, city, 1 from (
    merge dim as d using stage as s on s.id = d.id and d.is_current = 1
    when matched and d.city <> s.city then update set is_current = 0
    when not matched then insert (id, city, is_current) values (s.id, s.city, 1)
    output $action, s.id, s.city
) as m (what, id, city) where what = 'UPDATE';
select @@rowcount as n, scope_identity() as last
select sk, id, city, is_current from dim order by sk
go
--> [n:int | last:numeric(38,0)]
--> 1 | 5
--> [sk:int | id:int | city:varchar(10) | is_current:bit]
--> 1 | 1 | Bern | 1
--> 2 | 2 | Genf | 0
--> 3 | 3 | Chur | 1
--> 4 | 4 | Zug | 1
--> 5 | 2 | Basel | 1
-- OUTPUT of the outer statement, a sum of changes without any row, variables as they were.
exec fill
declare @n int = 5
insert arch (id, v) output inserted.id, inserted.v, inserted.at_all
select id, v + @n from (update src set v = v + 1, @n = 100 output inserted.id, inserted.v where id > 2) u
select @n as n
insert arch (id) select id from (delete src output deleted.id where id > 100) u
select @@rowcount as n, count(*) as all_rows from arch
go
--> [id:int | v:int | at_all:int]
--> 3 | 36 | 7
--> 4 | 46 | 7
--> [n:int]
--> 100
--> [n:int | all_rows:int]
--> 0 | 2
-- All or nothing.
exec fill
insert arch (id, v, at_all) select id, v, null from (delete src output deleted.id, deleted.v) d where id = 2
go
--> Msg 515, Level 16, State 2, Line 3: Cannot insert the value NULL into column 'at_all', table 'nested_changes.dbo.arch'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
select count(*) as n from src
select count(*) as n from arch
go
--> [n:int]
--> 4
--> [n:int]
--> 0
-- The common table expressions of the statement, a derived table, temporary tables, a procedure that runs twice.
exec fill
;with f as (select id, v from feed where id < 5)
insert arch (id, v) select id, v from (update src set v = f.v output inserted.id, f.v from f where f.id = src.id) u
select id, v from arch
create table #t (id int, v int)
insert #t values (1, 1), (2, 2), (3, 3)
declare @gone table (id int, n int identity)
insert @gone select id from (delete #t output deleted.id where v > 1) d
select id, n from @gone
go
--> [id:int | v:int]
--> 2 | 200
--> 4 | 40
--> [id:int | n:int]
--> 2 | 1
--> 3 | 2
create procedure move_one @id int as
    insert arch (id, v) select id, v from (delete src output deleted.id, deleted.v where id = @id) d
go
exec fill
exec move_one 4
exec move_one 1
select id, v from arch
select id from src
go
--> [id:int | v:int]
--> 4 | 40
--> 1 | 10
--> [id:int]
--> 2
--> 3
-- Triggers of the inner table fire, before or after is theirs to see.
create trigger src_gone on src after delete as select count(*) as gone from deleted
go
exec fill
insert arch (id) select id from (delete src output deleted.id where id > 2) d
select id from arch
drop trigger src_gone
go
--> [gone:int]
--> 2
--> [gone:int]
--> 2
--> [id:int]
--> 3
--> 4
-- What the outer table must not be.
create view arch_v as select id, v from arch
go
insert arch_v (id) select id from (delete src output deleted.id) d
go
--> Msg 354, Level 15, State 1, Line 1: The target 'arch_v' of the INSERT statement cannot be a view or common table expression when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
create table with_key (id int primary key)
create table refers (id int references with_key)
go
insert with_key select id from (delete src output deleted.id) d
go
--> Msg 356, Level 15, State 1, Line 1: The target table 'with_key' of the INSERT statement cannot be on either side of a (primary key, foreign key) relationship when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement. Found reference constraint 'FK__refers__id__000003F7'.
insert refers select id from (delete src output deleted.id) d
go
--> Msg 356, Level 15, State 1, Line 1: The target table 'refers' of the INSERT statement cannot be on either side of a (primary key, foreign key) relationship when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement. Found reference constraint 'FK__refers__id__000003F7'.
create trigger arch_told on arch after insert as return
go
insert arch (id) select id from (delete src output deleted.id) d
go
--> Msg 355, Level 15, State 1, Line 1: The target table 'arch' of the INSERT statement cannot have any enabled triggers when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
drop trigger arch_told
select count(*) as n from src
go
--> [n:int]
--> 2
-- What the statements must not have.
insert arch (id) select id from (delete src) d
go
--> Msg 10716, Level 15, State 1, Line 2: A nested INSERT, UPDATE, DELETE, or MERGE statement must have an OUTPUT clause.
insert arch (id) select id from (delete src output deleted.id into feed (id)) d
go
--> Msg 10720, Level 15, State 1, Line 1: An OUTPUT INTO clause is not allowed in a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select distinct id from (delete src output deleted.id) d
go
--> Msg 10722, Level 15, State 1, Line 1: The DISTINCT keyword is not allowed when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select top (1) id from (delete src output deleted.id) d
go
--> Msg 10717, Level 15, State 1, Line 1: The TOP or OFFSET clause is not allowed when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select id from (delete src output deleted.id) d group by id
go
--> Msg 10717, Level 15, State 1, Line 1: The GROUP BY clause is not allowed when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select id from (delete src output deleted.id) d order by id
go
--> Msg 10717, Level 15, State 1, Line 1: The ORDER BY clause is not allowed when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select d.id from (delete src output deleted.id) d join feed f on f.id = d.id
go
--> Msg 10727, Level 15, State 1, Line 1: A nested INSERT, UPDATE, DELETE, or MERGE statement is not allowed on either side of a JOIN or APPLY operator.
insert arch (id) select d.id from (delete src output deleted.id) d union all select 1
go
--> Msg 10732, Level 15, State 1, Line 1: A nested INSERT, UPDATE, DELETE, or MERGE statement is not allowed on either side of a UNION, INTERSECT, or EXCEPT operator.
insert arch (id) select id from (delete src output deleted.id option (maxdop 1)) d
go
--> Msg 10718, Level 15, State 1, Line 1: Query hints are not allowed in nested INSERT, UPDATE, DELETE, or MERGE statements.
insert arch (id) select id from (delete src output deleted.id where current of c) d
go
--> Msg 10721, Level 15, State 1, Line 1: The WHERE CURRENT OF clause is not allowed in a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select id from (insert feed (id) output inserted.id select id from (delete src output deleted.id) e) d
go
--> Msg 10731, Level 15, State 1, Line 1: A nested INSERT, UPDATE, DELETE, or MERGE statement is not allowed inside another nested INSERT, UPDATE, DELETE, or MERGE statement.
select id from (delete src output deleted.id) d
go
--> Msg 10729, Level 15, State 1, Line 1: A nested INSERT, UPDATE, DELETE, or MERGE statement is not allowed in a SELECT statement that is not the immediate source of rows for an INSERT statement.
select * from feed f join (delete src output deleted.id) d on d.id = f.id
go
--> Msg 10729, Level 15, State 1, Line 1: A nested INSERT, UPDATE, DELETE, or MERGE statement is not allowed in a SELECT statement that is not the immediate source of rows for an INSERT statement.
update f set v = 0 from (delete src output deleted.id) d
go
--> Msg 10730, Level 15, State 1, Line 1: A nested INSERT, UPDATE, DELETE, or MERGE statement is not allowed in the FROM clause of an UPDATE or DELETE statement.
merge feed using (delete src output deleted.id) d on 1 = 0 when matched then delete;
go
--> Msg 10733, Level 15, State 1, Line 1: A nested INSERT, UPDATE, DELETE, or MERGE statement is not allowed in the USING clause of a MERGE statement.
insert arch (id) select count(*) from (delete src output deleted.id) d
go
--> Msg 5322, Level 16, State 1, Line 1: An aggregate function is not allowed in the SELECT clause when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select id from (delete src output deleted.id) d where id in (select id from feed)
go
--> Msg 5323, Level 15, State 1, Line 1: Subqueries are not allowed in the WHERE clause when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) output inserted.id into feed (id) select id from (delete src output deleted.id) d
go
--> Msg 10717, Level 15, State 1, Line 1: The OUTPUT INTO clause is not allowed when the FROM clause contains a nested INSERT, UPDATE, DELETE, or MERGE statement.
insert arch (id) select nothing from (delete src output deleted.id) d
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
insert arch (id, v) select id from (delete src output deleted.id) d
go
--> Msg 120, Level 15, State 1, Line 1: The select list for the INSERT statement contains fewer items than the insert list. The number of SELECT values must match the number of INSERT columns.
insert arch (id) select id from (delete src output deleted.id, deleted.id) d
go
--> Msg 8156, Level 16, State 1, Line 1: The column 'id' was specified multiple times for 'd'.
select count(*) as n from src
go
--> [n:int]
--> 2
use master
drop database nested_changes
go
