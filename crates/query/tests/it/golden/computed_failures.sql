-- differs clustered, secondary: an index on a table whose creation is refused is refused too
-- A computed column that is not persisted fails where it is read, not where its row is written
create table cz (a int, b int, c as a / b, d as a + b)
go
insert cz values (1, 0), (6, 3)
select a, b, d from cz order by a
select count(*) as rows from cz
go
--> (2 rows affected)
--> [a:int | b:int | d:int]
--> 1 | 0 | 1
--> 6 | 3 | 9
--> (2 rows affected)
--> [rows:int]
--> 2
--> (1 rows affected)
select c from cz where b <> 0
go
--> [c:int]
--> 2
--> (1 rows affected)
select a, c from cz order by a
go
--> [a:int | c:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
update cz set a = 7 where b = 3
update cz set b = 2 where b = 0
select a, b, c from cz order by a
update cz set b = 0 where a = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | b:int | c:int]
--> 1 | 2 | 0
--> 7 | 3 | 2
--> (2 rows affected)
--> (1 rows affected)
update cz set a = 2 where c > 1
go
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
--> # The statement has been terminated.
delete cz output deleted.a where b = 0
select * from cz
go
--> [a:int]
--> 1
--> (1 rows affected)
--> [a:int | b:int | c:int | d:int]
--> 7 | 3 | 2 | 10
--> (1 rows affected)
create table cn (v varchar(20), n as cast(v as int))
insert cn (v) values ('12'), ('x')
insert cn output inserted.v values ('y')
select v from cn order by v
go
--> (2 rows affected)
--> [v:varchar(20)]
--> y
--> (1 rows affected)
--> [v:varchar(20)]
--> 12
--> x
--> y
--> (3 rows affected)
insert cn output inserted.n values ('z')
go
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'z' to data type int.
select v, n from cn where v = '12'
delete cn where v in ('x', 'y', 'z')
select v, n from cn
go
--> [v:varchar(20) | n:int]
--> 12 | 12
--> (1 rows affected)
--> (2 rows affected)
--> [v:varchar(20) | n:int]
--> 12 | 12
--> (1 rows affected)
-- The same of temporary tables and table variables, of clustered tables and of a MERGE
create table #z (a int primary key, b int, c as a / b)
declare @z table (a int, b int, c as a / b)
insert #z values (1, 0), (4, 2)
insert @z values (1, 0), (4, 2)
select c from #z where b > 0
select c from @z where b > 0
merge #z as t using (select 9 as a, 0 as b) s on t.a = s.a when not matched then insert (a, b) values (s.a, s.b);
select a, b from #z order by a
go
--> (2 rows affected)
--> (2 rows affected)
--> [c:int]
--> 2
--> (1 rows affected)
--> [c:int]
--> 2
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | b:int]
--> 1 | 0
--> 4 | 2
--> 9 | 0
--> (3 rows affected)
-- An index needs the value in each row: of those that are there and of those that come
create index ic on #z (c)
go
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
delete #z where b = 0
create index ic on #z (c)
insert #z values (2, 0)
go
--> (2 rows affected)
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
--> # The statement has been terminated.
select a, c from #z where c = 2
drop table #z
go
--> [a:int | c:int]
--> 4 | 2
--> (1 rows affected)
insert cz values (5, 0)
create index ic on cz (c)
go
--> (1 rows affected)
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
delete cz where b = 0
create index ic on cz (c)
insert cz values (5, 0)
go
--> (1 rows affected)
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
--> # The statement has been terminated.
insert cz values (8, 4)
select a, c from cz where c = 2 order by a
drop index ic on cz
insert cz values (5, 0)
select a, b from cz order by a
go
--> (1 rows affected)
--> [a:int | c:int]
--> 7 | 2
--> 8 | 2
--> (2 rows affected)
--> (1 rows affected)
--> [a:int | b:int]
--> 5 | 0
--> 7 | 3
--> 8 | 4
--> (3 rows affected)
alter table cz add constraint uc unique (c)
go
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
delete cz where b = 0
create index inc on cz (a) include (c)
insert cz values (5, 0)
go
--> (1 rows affected)
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
--> # The statement has been terminated.
drop index inc on cz
-- A column that is added to rows that cannot have its value
insert cz values (5, 0)
alter table cz add e as b / b
go
--> (1 rows affected)
select a, b from cz order by a
select e from cz where b <> 0
go
--> [a:int | b:int]
--> 5 | 0
--> 7 | 3
--> 8 | 4
--> (3 rows affected)
--> [e:int]
--> 1
--> 1
--> (2 rows affected)
select e from cz
go
--> [e:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
-- A persisted column is of the row
alter table cz add f as a / b persisted
go
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
create table cp (a int, b int, c as a / b persisted)
insert cp values (1, 0)
go
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
--> # The statement has been terminated.
-- Triggers: who reads it in inserted and deleted
create trigger cz_t on cz after insert, update as select a, b from inserted
go
insert cz values (3, 0)
go
--> [a:int | b:int]
--> 3 | 0
--> (1 rows affected)
--> (1 rows affected)
alter trigger cz_t on cz after insert, update as select a, c from inserted
go
insert cz values (3, 1)
go
--> [a:int | c:int]
--> 3 | 3
--> (1 rows affected)
--> (1 rows affected)
insert cz values (4, 0)
go
--> [a:int | c:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
select count(*) as rows from cz where a = 4
drop trigger cz_t
go
--> [rows:int]
--> 0
--> (1 rows affected)
-- Constraints ask for persisted columns
create table c1 (a int, c as a * 2 check (c > 0))
go
--> Msg 8183, Level 16, State 1, Line 2: Only UNIQUE or PRIMARY KEY constraints can be created on computed columns, while CHECK, FOREIGN KEY, and NOT NULL constraints require that computed columns be persisted.
create table c2 (a int, c as a * 2, check (c > 0))
go
--> Msg 1764, Level 16, State 1, Line 1: Computed Column 'c' in table 'c2' is invalid for use in 'CHECK CONSTRAINT' because it is not persisted.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c3 (a int, c as a * 2, constraint k check (a > 0 and c > 0))
go
--> Msg 1764, Level 16, State 1, Line 1: Computed Column 'c' in table 'c3' is invalid for use in 'CHECK CONSTRAINT' because it is not persisted.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c4 (a int, c as a * 2)
alter table c4 add check (c > 0)
go
--> Msg 1764, Level 16, State 1, Line 2: Computed Column 'c' in table 'c4' is invalid for use in 'CHECK CONSTRAINT' because it is not persisted.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
create table c5 (a int, c as a * 2 persisted check (c > 0), d as a persisted references c4 (a))
go
--> Msg 1776, Level 16, State 0, Line 1: There are no primary or candidate keys in the referenced table 'c4' that match the referencing column list in the foreign key 'FK__c5__d__000003F3'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c6 (id int primary key, c as id * 2, foreign key (c) references c6 (id))
go
--> Msg 1764, Level 16, State 1, Line 1: Computed Column 'c' in table 'c6' is invalid for use in 'FOREIGN KEY CONSTRAINT' because it is not persisted.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c7 (id int primary key, c as id * 2 persisted, check (c > 0))
insert c7 values (1)
insert c7 values (-1)
go
--> (1 rows affected)
--> Msg 547, Level 16, State 0, Line 3: The INSERT statement conflicted with the CHECK constraint "CK__c7__000003F9". The conflict occurred in database "master", table "dbo.c7", column 'c'.
--> # The statement has been terminated.
-- Functions of the user that fail
create function dbo.divided (@a int, @b int) returns int as begin return @a / @b end
go
create table cf (a int, b int, c as dbo.divided(a, b))
insert cf values (1, 0), (8, 2)
select a, b from cf order by a
select c from cf where b = 2
go
--> (2 rows affected)
--> [a:int | b:int]
--> 1 | 0
--> 8 | 2
--> (2 rows affected)
--> [c:int]
--> 4
--> (1 rows affected)
select c from cf
go
--> [c:int]
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
-- One that is never NULL fails where it is read as well
create table cq (a int, b int, c as isnull(a / b, 0), d as concat('q', a / b))
go
insert cq (a, b) values (1, 0), (6, 3)
update cq set a = 2 where b = 0
alter table cq add e as isnull(b / (a - 2), 0)
select a, b from cq order by a
select c, d from cq where b <> 0
go
--> (2 rows affected)
--> (1 rows affected)
--> [a:int | b:int]
--> 2 | 0
--> 6 | 3
--> (2 rows affected)
--> [c:int | d:varchar(13)]
--> 2 | q2
--> (1 rows affected)
select a, c from cq order by a
go
--> [a:int | c:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
select a, e from cq order by a
go
--> [a:int | e:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
drop table cq
create table cq (a int, b int, c as isnull(a / b, 0) persisted)
insert cq (a, b) values (1, 0)
go
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
--> # The statement has been terminated.
drop table cq
go
