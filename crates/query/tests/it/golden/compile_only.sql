-- differs parameters: a DECLARE sets nothing under NOEXEC
-- PARSEONLY, NOEXEC and FMTONLY: nothing is run, whatever road a statement comes on
create table t (a int not null, b varchar(10) null)
insert t values (1, 'x'), (2, 'y')
go
--> (2 rows affected)
create procedure p @n int as
begin
    set noexec on
    delete t
    set noexec off
    update t set b = 'p' where a = @n
    set noexec on
end
go
-- the whole text is parsed alone that says so anywhere, and all that follow
delete t
set parseonly on
go
delete t
drop table t
select 1 / 0 as a from nowhere
exec('delete t')
exec sp_executesql N'delete t'
go
select from
go
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'from'.
if 1 = 0
    set parseonly off
select count(*) as n from t
go
--> [n:int]
--> 2
--> (1 rows affected)
exec('set parseonly on delete t')
select count(*) as n from t
go
--> [n:int]
--> 2
--> (1 rows affected)
exec('delete t set parseonly off')
exec sp_executesql N'set parseonly on; delete t'
select count(*) as n from t
go
--> (2 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
insert t values (1, 'x'), (2, 'y')
go
--> (2 rows affected)
-- NOEXEC counts from its place on, and ends with its scope
set noexec on
delete t
update t set b = 'z'
insert t values (3, 'z')
merge t using (select 9 as a) s on t.a = s.a when not matched then insert values (9, 'm');
truncate table t
drop table t
create table u (a int)
declare @v int = 5
set @v = 1 / 0
select @v = count(*) from t
print 'never'
exec p 1
exec('delete t')
exec sp_executesql N'delete t'
begin transaction
raiserror('never', 16, 1);
throw 50001, 'never', 1
use tempdb
go
select nosuch from t
select 'not reached'
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
select * from nowhere
delete nowhere
exec nowhere
go
declare @t table (a int)
insert @t values (1)
select nosuch from @t
go
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'nosuch'.
if 1 = 1 set noexec off
if (select nosuch from t) = 1 print 'never'
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nosuch'.
while 1 = 1
begin
    delete t
    break
end
begin try
    delete t
    select 1 / 0
end try
begin catch
    print 'never'
end catch
go
declare @t table (a int)
set noexec off
insert @t values (7)
select count(*) as n, (select a from @t) as a, @@trancount as trancount, db_name() as db, object_id('u') as u from t
go
--> (1 rows affected)
--> [n:int | a:int | trancount:int | db:nvarchar(128) | u:int]
--> 2 | 7 | 0 | master | NULL
--> (1 rows affected)
exec p 2
select a, b from t order by a
go
--> (1 rows affected)
--> [a:int | b:varchar(10)]
--> 1 | x
--> 2 | p
--> (2 rows affected)
-- a loop ends when nothing runs any more
declare @i int = 0
while @i < 3
begin
    set @i = @i + 1
    if @i = 2 set noexec on
    print 'round'
end
delete t
set noexec off
select @i as i, count(*) as n from t
go
--> # round
--> [i:int | n:int]
--> 2 | 2
--> (1 rows affected)
-- FMTONLY: columns without rows
create procedure q as
begin
    delete t
    if 1 = 0 select a from t else select b from t
    select 1 as one
end
go
set fmtonly on
select a, b from t
delete t
insert t output inserted.a values (5, 'f')
exec q
exec('select a from t delete t')
go
--> [a:int | b:varchar(10)]
--> (0 rows affected)
--> [a:int]
--> (0 rows affected)
--> [a:int]
--> (0 rows affected)
--> [b:varchar(10)]
--> (0 rows affected)
--> [one:int]
--> (0 rows affected)
--> [a:int]
--> (0 rows affected)
select nosuch from t
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
set fmtonly off
select count(*) as n from t
go
--> [n:int]
--> 2
--> (1 rows affected)
