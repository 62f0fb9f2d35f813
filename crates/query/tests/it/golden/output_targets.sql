-- The table that takes the rows of OUTPUT … INTO has no enabled CHECK and stands at no side of a foreign key; a table
-- variable may have CHECKs.
set nocount on
create table t (id int primary key, v int)
create table c (id int, v int, constraint cv check (v > 0))
create table p (id int not null constraint pp primary key)
create table r (id int constraint rf references p)
insert t values (1, 1), (2, 2)
go
insert t output inserted.id, inserted.v into c values (3, 3)
go
--> Msg 333, Level 16, State 1, Line 1: The target table 'c' of the OUTPUT INTO clause cannot have any enabled check constraints or any enabled rules. Found check constraint or rule 'cv'.
update t set v = 9 output deleted.id, deleted.v into c
go
--> Msg 333, Level 16, State 1, Line 1: The target table 'c' of the OUTPUT INTO clause cannot have any enabled check constraints or any enabled rules. Found check constraint or rule 'cv'.
delete t output deleted.id, deleted.v into c
go
--> Msg 333, Level 16, State 1, Line 1: The target table 'c' of the OUTPUT INTO clause cannot have any enabled check constraints or any enabled rules. Found check constraint or rule 'cv'.
merge t using (select 1 as id) s on t.id = s.id when matched then update set v = 8 output deleted.id, deleted.v into c;
go
--> Msg 333, Level 16, State 1, Line 1: The target table 'c' of the OUTPUT INTO clause cannot have any enabled check constraints or any enabled rules. Found check constraint or rule 'cv'.
delete t output deleted.id into p
go
--> Msg 332, Level 16, State 1, Line 1: The target table 'p' of the OUTPUT INTO clause cannot be on either side of a (primary key, foreign key) relationship. Found reference constraint 'rf'.
delete t output deleted.id into r
go
--> Msg 332, Level 16, State 1, Line 1: The target table 'r' of the OUTPUT INTO clause cannot be on either side of a (primary key, foreign key) relationship. Found reference constraint 'rf'.
create procedure over_check as delete t output deleted.id, deleted.v into c
go
exec over_check
go
--> Msg 333, Level 16, State 1, Line 1: The target table 'c' of the OUTPUT INTO clause cannot have any enabled check constraints or any enabled rules. Found check constraint or rule 'cv'.
alter table c nocheck constraint cv
exec over_check
select id, v from c
select id, v from t
go
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> [id:int | v:int]
alter table c check constraint cv
insert t values (1, 1)
go
delete t output deleted.id, deleted.v into c
go
--> Msg 333, Level 16, State 1, Line 1: The target table 'c' of the OUTPUT INTO clause cannot have any enabled check constraints or any enabled rules. Found check constraint or rule 'cv'.
create table #c (id int, constraint ck_of_c check (id > 0))
delete t output deleted.id into #c
go
--> Msg 333, Level 16, State 1, Line 2: The target table '#c' of the OUTPUT INTO clause cannot have any enabled check constraints or any enabled rules. Found check constraint or rule 'ck_of_c'.
declare @c table (id int check (id > 0))
delete t output deleted.id into @c
select id from @c
go
--> [id:int]
--> 1
-- A subquery may not stand in OUTPUT, whatever it stands in.
create table dbo.asked (id int)
go
insert dbo.asked output inserted.id, (select count(*) from dbo.asked) values (1)
go
--> Msg 10706, Level 15, State 1, Line 1: Subqueries are not allowed in the OUTPUT clause.
delete dbo.asked output case when exists (select * from dbo.asked) then 1 end
go
--> Msg 10706, Level 15, State 1, Line 1: Subqueries are not allowed in the OUTPUT clause.
update dbo.asked set id = 2 output deleted.id into dbo.asked(id) output iif(deleted.id in (select id from dbo.asked), 1, 0)
go
--> Msg 10706, Level 15, State 1, Line 1: Subqueries are not allowed in the OUTPUT clause.
select count(*) as n from dbo.asked
go
--> [n:int]
--> 0
