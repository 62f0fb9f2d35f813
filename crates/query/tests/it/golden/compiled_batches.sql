-- A batch is compiled as a whole before anything of it runs; what names objects that are not there waits for its turn.
create table t (id int, v int)
create table s (k int primary key, total as k * 2)
create table o (a int, b varchar(10))
go
-- one error, and nothing of the batch has run
insert t values (2, 2); select nope from t; insert t values (3, 3)
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nope'.
insert t values (1, 1)
select id
from t
where nope = 1
go
--> Msg 207, Level 16, State 1, Line 4: Invalid column name 'nope'.
insert t values (1, 1) select id, count(*) from t
go
--> Msg 8120, Level 16, State 1, Line 1: Column 't.id' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
insert t values (1, 1) select id from t group by id having v > 1
go
--> Msg 8121, Level 16, State 1, Line 1: Column 't.v' is invalid in the HAVING clause because it is not contained in either an aggregate function or the GROUP BY clause.
insert t values (1, 1) select distinct id from t order by v
go
--> Msg 145, Level 15, State 1, Line 1: ORDER BY items must appear in the select list if SELECT DISTINCT is specified.
insert t values (1, 1) select t.id from t x
go
--> Msg 4104, Level 16, State 1, Line 1: The multi-part identifier "t.id" could not be bound.
insert t values (1, 1) select * from t where id = newid() + 1
go
--> Msg 402, Level 16, State 1, Line 1: The data types uniqueidentifier and int are incompatible in the add operator.
insert t values (1, 1) select id from t union select id, v from t
go
--> Msg 205, Level 16, State 1, Line 1: All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions in their target lists.
insert t values (1, 1) insert t values (1, 2, 3)
go
--> Msg 213, Level 16, State 1, Line 1: Column name or number of supplied values does not match table definition.
insert t values (1, 1) insert t (id, v) values (1)
go
--> Msg 109, Level 15, State 1, Line 1: There are more columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.
insert t values (1, 1) insert t (id, id) values (1, 2)
go
--> Msg 264, Level 16, State 1, Line 1: The column name 'id' is specified more than once in the SET clause or column list of an INSERT. A column cannot be assigned more than one value in the same clause. Modify the clause to make sure that a column is updated only once. If this statement updates or inserts columns into a view, column aliasing can conceal the duplication in your code.
insert t values (1, 1) insert s values (1, 2)
go
--> Msg 213, Level 16, State 1, Line 1: Column name or number of supplied values does not match table definition.
insert t values (1, 1) update s set total = 1
go
--> Msg 271, Level 16, State 1, Line 1: The column "total" cannot be modified because it is either a computed column or is the result of a UNION operator.
insert t values (1, 1) update t set v = 1, v = 2
go
--> Msg 264, Level 16, State 1, Line 1: The column name 'v' is specified more than once in the SET clause or column list of an INSERT. A column cannot be assigned more than one value in the same clause. Modify the clause to make sure that a column is updated only once. If this statement updates or inserts columns into a view, column aliasing can conceal the duplication in your code.
insert t values (1, 1) select (select id, v from t)
go
--> Msg 116, Level 16, State 1, Line 1: Only one expression can be specified in the select list when the subquery is not introduced with EXISTS.
insert t values (1, 1) select * from t, t
go
--> Msg 1013, Level 16, State 1, Line 1: The objects "t" and "t" in the FROM clause have the same exposed names. Use correlation names to distinguish them.
insert t values (1, 1) select id from t order by 3
go
--> Msg 108, Level 16, State 1, Line 1: The ORDER BY position number 3 is out of range of the number of items in the select list.
insert t values (1, 1) delete t where cast(v as nosuch) = 1
go
--> Msg 243, Level 16, State 1, Line 1: Type nosuch is not a defined system type.
insert t values (1, 1) if 1 = 0 select nope from t
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
insert t values (1, 1) while 1 = 0 if exists (select * from t where nope = 1) print 'x' else print 'y'
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
insert t values (1, 1) declare @a int = (select max(nope) from t)
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
insert t values (1, 1) declare c cursor for select nope from t
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
insert t values (1, 1) declare @t table (x int) insert @t select y from @t
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'y'.
insert t values (1, 1) declare @t table (x int) declare @u table (y int) insert @u (y) select x from @t update @u set x = 1
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'x'.
-- errors of several statements, in their order, each at its line
insert t values (1, 1)
select nope1 from t
select nope from nosuch
update t set nope2 = 1

delete t where nope3 = 1
go
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'nope1'.
--> Msg 207, Level 16, State 1, Line 5: Invalid column name 'nope2'.
--> Msg 207, Level 16, State 1, Line 7: Invalid column name 'nope3'.
-- no TRY of the batch sees them
begin try
    insert t values (1, 1)
    select nope from t
end try
begin catch
    print 'never'
end catch
go
--> Msg 207, Level 16, State 1, Line 4: Invalid column name 'nope'.
select count(*) as n from t
go
--> [n:int]
--> 0
--> (1 rows affected)
-- what is not there yet is looked for when its statement is reached
print 'a'
select nope from nosuch
print 'b'
go
--> # a
--> Msg 208, Level 16, State 1, Line 3: Invalid object name 'nosuch'.
print 'a'
select nope, (select max(x) from nosuch) from t
print 'b'
go
--> # a
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'nosuch'.
print 'a'
;with nosuch as (select id from t) select nope from nosuch
print 'b'
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nope'.
begin try print 'a' select * from nosuch print 'b' end try begin catch print 'never' end catch
print 'c'
go
--> # a
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nosuch'.
if 1 = 0 select nope from nosuch
create table made (a int)
insert made values (1)
select a from made
select nope from made
print 'never'
go
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
--> Msg 207, Level 16, State 1, Line 5: Invalid column name 'nope'.
begin try
    create table made2 (a int)
    select nope from made2
end try
begin catch
    print 'never'
end catch
print 'never'
go
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'nope'.
create table #a (x int)
insert #a values (1)
select x from #a
select nope from #a
print 'never'
go
--> (1 rows affected)
--> [x:int]
--> 1
--> (1 rows affected)
--> Msg 207, Level 16, State 1, Line 4: Invalid column name 'nope'.
-- #a is there from the beginning now
print 'never'
select nope from #a
go
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'nope'.
-- what the batch itself adds or makes anew is not there yet
alter table t add w int
select w from t
go
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'w'.
alter table t add w int
go
select w from t
alter table t drop column w
go
--> [w:int]
--> (0 rows affected)
print 'never'
drop table #a
create table #a (y int)
select y from #a
go
--> Msg 207, Level 16, State 1, Line 4: Invalid column name 'y'.
print 'x'
drop table #a
create table #a (x int)
insert #a values (7)
select x from #a
go
--> # x
--> (1 rows affected)
--> [x:int]
--> 7
--> (1 rows affected)
-- values are the run's business
print 'a'
select 1 / 0
insert t values ('x', 1)
print 'never'
go
--> # a
--> [:int]
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
--> Msg 245, Level 16, State 1, Line 4: Conversion failed when converting the varchar value 'x' to data type int.
-- the settings that are in force
set noexec on
go
select nope from t
set noexec off
print 'never'
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
set noexec off
go
set fmtonly on
go
select id from t
select nope from t
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nope'.
set fmtonly off
go
-- texts in texts, procedures, triggers: each is compiled when it is called
exec('insert t values (1, 1) select nope from t')
print 'on'
exec sp_executesql N'insert t values (@a, 1) select nope from t', N'@a int', 1
print 'on'
begin try exec('insert t values (1, 1) select nope from t') end try
begin catch select error_number() as n, error_line() as l, error_procedure() as p end catch
select count(*) as n from t
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
--> # on
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
--> # on
--> [n:int | l:int | p:nvarchar(128)]
--> 207 | 1 | NULL
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
alter table o add extra int
go
create procedure p as
begin
    print 'p'
    select extra from o
    insert nosuch values (1)
end
go
exec p
go
--> # p
--> [extra:int]
--> (0 rows affected)
--> Msg 208, Level 16, State 1, Line 5: Invalid object name 'nosuch'.
alter table o drop column extra
go
exec p
print 'on'
go
--> Msg 207, Level 16, State 1, Line 4: Invalid column name 'extra'.
--> # on
begin try exec p end try
begin catch select error_number() as n, error_line() as l, error_procedure() as p end catch
go
--> [n:int | l:int | p:nvarchar(128)]
--> 207 | 4 | p
--> (1 rows affected)
alter table o add extra int
go
exec p
print 'on'
go
--> # p
--> [extra:int]
--> (0 rows affected)
--> Msg 208, Level 16, State 1, Line 5: Invalid object name 'nosuch'.
--> # on
create trigger tr on o for insert as
begin
    print 'tr'
    select extra from inserted
end
go
insert o (a) values (1)
go
--> # tr
--> [extra:int]
--> NULL
--> (1 rows affected)
--> (1 rows affected)
alter table o drop column extra
go
begin tran
insert o (a) values (1)
print 'never'
go
--> Msg 207, Level 16, State 1, Line 4: Invalid column name 'extra'.
select @@trancount as n, (select count(*) from o) as rows
drop trigger tr
go
--> [n:int | rows:int]
--> 0 | 1
--> (1 rows affected)
-- views that cannot be changed, OUTPUT and triggers: told before anything has run
create view joined as select t.id, o.a from t join o on o.a = t.id
go
create view grouped as select id, count(*) as n from t group by id
go
insert t values (1, 1) delete joined
go
--> Msg 4405, Level 16, State 1, Line 1: View or function 'joined' is not updatable because the modification affects multiple base tables.
insert t values (1, 1) update grouped set n = 1
go
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'grouped' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
update joined set id = 1, a = 2
go
--> Msg 4405, Level 16, State 1, Line 1: View or function 'joined' is not updatable because the modification affects multiple base tables.
create trigger tr on o for insert as print 'tr'
go
insert t values (1, 1) insert o output inserted.a values (1, 'x')
insert t output inserted.id into o (a) values (2, 2)
go
--> Msg 334, Level 16, State 1, Line 1: The target table 'o' of the DML statement cannot have any enabled triggers if the statement contains an OUTPUT clause without INTO clause.
--> Msg 331, Level 16, State 1, Line 2: The target table 'o' of the OUTPUT INTO clause cannot have any enabled triggers.
drop trigger tr
select count(*) as n from t
go
--> [n:int]
--> 0
--> (1 rows affected)
-- nothing is left of a transaction that was not begun, and one that is open stays
begin tran insert t values (1, 1) select nope from t
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nope'.
select @@trancount as n
begin tran
insert t values (5, 5)
go
--> [n:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
select nope from t
commit
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
select @@trancount as n, (select count(*) from t) as rows
rollback
go
--> [n:int | rows:int]
--> 1 | 1
--> (1 rows affected)
-- table variables and parameters are known from their declarations
if 1 = 0
begin
    declare @late table (x int)
end
insert @late values (1)
select x from @late
select id from t where nope in (select x from @late)
go
--> Msg 207, Level 16, State 1, Line 8: Invalid column name 'nope'.
if 1 = 0
begin
    declare @late table (x int)
    declare @set int = 5
end
insert @late values (1)
select x, @set as never_set from @late
goto past
declare @later table (y int default 7)
past:
insert @later default values
select y from @later
go
--> (1 rows affected)
--> [x:int | never_set:int]
--> 1 | NULL
--> (1 rows affected)
--> (1 rows affected)
--> [y:int]
--> 7
--> (1 rows affected)
if 1 = 0 declare @late table (x int)
select count(*) as n from @late
go
--> [n:int]
--> 0
--> (1 rows affected)
-- cursors, GOTO and a name that is given to a query
declare c cursor local for select id from t
declare @c cursor
set @c = cursor for select id from t
open @c
fetch c
print 'x'
go
--> Msg 16917, Level 16, State 2, Line 6: Cursor is not open.
--> # x
with t as (select 1 as only_here) select only_here from t
select only_here from t
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'only_here'.
-- a table that the text drops and makes anew is the one that is there now
drop table made
create table made (other int)
select other from made
go
--> Msg 207, Level 16, State 1, Line 4: Invalid column name 'other'.
select a from made
go
--> [a:int]
--> 1
--> (1 rows affected)
exec('drop table made; create table made (a int, b int)')
select a from made
go
--> [a:int]
--> (0 rows affected)
-- a procedure's own #t is not its caller's
create procedure q as
begin
    create table #own (inner_column int)
    insert #own values (1)
    select inner_column from #own
end
go
create table #own (outer_column int)
exec q
select outer_column from #own
go
--> (1 rows affected)
--> [inner_column:int]
--> 1
--> (1 rows affected)
--> [outer_column:int]
--> (0 rows affected)
drop table #own
go
-- USE counts from its place on, and is looked at before
create database elsewhere
go
create table elsewhere.dbo.there (x int)
go
print 'never'
use elsewhere
select y from there
go
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'y'.
select db_name() as d
use elsewhere
select x from there
use master
select x from elsewhere..there
go
--> [d:nvarchar(128)]
--> master
--> (1 rows affected)
--> [x:int]
--> (0 rows affected)
--> [x:int]
--> (0 rows affected)
print 'never'
use nosuch_database
go
--> Msg 911, Level 16, State 1, Line 2: Database 'nosuch_database' does not exist. Make sure that the name is entered correctly.
print 'x'
select x from there
go
--> # x
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'there'.
