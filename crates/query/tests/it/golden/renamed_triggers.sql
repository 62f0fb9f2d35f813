-- A trigger is of its table, whatever the table is called now.
create database renamed_triggers
go
use renamed_triggers
set nocount on
create table t (a int)
go
create trigger g on t after insert as print 'fired'
go
insert t values (1)
go
--> # fired
exec sp_rename 't', 'u'
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
insert u values (2)
select name, object_name(parent_id) as of_table, is_disabled from sys.triggers
-- The text is what was written.
select definition from sys.sql_modules where object_id = object_id('g')
go
--> # fired
--> [name:nvarchar(128) | of_table:nvarchar(128) | is_disabled:bit]
--> g | u | 0
--> [definition:nvarchar(max)]
--> create trigger g on t after insert as print 'fired'
-- Another table of the old name has none.
create table t (a int)
insert t values (3)
go
disable trigger g on u
insert u values (4)
enable trigger g on u
insert u values (5)
go
--> # fired
-- It cannot be moved.
alter trigger g on t after insert as print 'moved'
go
--> Msg 2110, Level 15, State 1, Line 2: Cannot alter trigger 'g' on 't' because this trigger does not belong to this object.
alter trigger g on u after insert as print 'again'
go
insert u values (6)
go
--> # again
create or alter trigger g on t after insert as print 'moved'
go
--> Msg 2110, Level 15, State 1, Line 1: Cannot alter trigger 'g' on 't' because this trigger does not belong to this object.
-- The trigger's own name.
exec sp_rename 'g', 'h'
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
insert u values (7)
drop trigger g
go
--> # again
--> Msg 3701, Level 11, State 5, Line 2: Cannot drop the trigger 'g', because it does not exist or you do not have permission.
drop trigger h
insert u values (8)
go
create trigger g on u after insert, update as if update (a) print 'set'
go
-- A rename that is taken back.
begin transaction
exec sp_rename 'u', 'x'
insert x values (9)
rollback
insert u values (10)
exec sp_rename 'u', 'x'
exec sp_rename 't', 'u'
insert u values (11)
update x set a = 12 where a = 10
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # set
--> # set
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # set
-- It goes with its table.
drop table x
select count(*) as n from sys.triggers
go
--> [n:int]
--> 0
-- A view, a computed column, a default, a check and a foreign key: those over columns follow, texts of modules do not.
create table p (a int primary key)
create table c (a int constraint refers references p (a), b as a + 1, d int default 5, constraint positive check (a > 0))
exec ('create view v as select a from c')
insert p values (1)
go
exec sp_rename 'p', 'parent'
exec sp_rename 'c', 'child'
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
insert child (a) values (1)
select a, b, d from child
insert child (a) values (2)
go
--> [a:int | b:int | d:int]
--> 1 | 2 | 5
--> Msg 547, Level 16, State 0, Line 3: The INSERT statement conflicted with the FOREIGN KEY constraint "refers". The conflict occurred in database "renamed_triggers", table "dbo.parent", column 'a'.
--> # The statement has been terminated.
insert child (a) values (-1)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "positive". The conflict occurred in database "renamed_triggers", table "dbo.child", column 'a'.
--> # The statement has been terminated.
select a from v
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'c'.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'v' because of binding errors.
drop table parent
go
--> Msg 3726, Level 16, State 1, Line 1: Could not drop object 'parent' because it is referenced by a FOREIGN KEY constraint.
use master
drop database renamed_triggers
go
