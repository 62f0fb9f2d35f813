-- differs secondary: the cursor has no order
-- WHERE CURRENT OF, CURSOR_STATUS, FORMATMESSAGE, sp_rename, application locks.
create database rest
go
use rest
set nocount on
create table t (id int primary key, v int)
insert t values (1, 10), (2, 20), (3, 30), (4, 40)
go
declare c cursor local for select v from t order by id
select cursor_status('local', 'c') as declared, cursor_status('global', 'c') as nowhere
open c
select cursor_status('local', 'c') as opened
update t set v = 0 where current of c
declare @v int
fetch next from c into @v
update t set v = v + 1 where current of c
fetch next from c into @v
delete t where current of c
delete t where current of c
fetch next from c into @v
update x set v = 300 output deleted.v from t x where current of c
select @@rowcount as n, @v as v
close c
select cursor_status('local', 'c') as closed
deallocate c
select cursor_status('local', 'c') as gone
select * from t
go
--> [declared:smallint | nowhere:smallint]
--> -1 | -3
--> [opened:smallint]
--> 1
--> Msg 16931, Level 16, State 1, Line 5: There are no rows in the current fetch buffer.
--> # The statement has been terminated.
--> Msg 16947, Level 16, State 1, Line 11: No rows were updated or deleted.
--> # The statement has been terminated.
--> [v:int]
--> 30
--> [n:int | v:int]
--> 1 | 30
--> [closed:smallint]
--> -1
--> [gone:smallint]
--> -3
--> [id:int | v:int]
--> 1 | 11
--> 3 | 300
--> 4 | 40
declare @d cursor
select cursor_status('variable', '@d') as empty
set @d = cursor static for select v from t
open @d
fetch next from @d
update t set v = 5 where current of @d
close @d
set @d = cursor for select v from t for update of v
open @d
fetch next from @d
update t set id = 9 where current of @d
update t set v = 99 where current of @d
close @d
set @d = cursor for select distinct v from t
open @d
fetch next from @d
delete t where current of @d
select * from t
create table #h (a int)
insert #h values (1), (2)
declare h cursor for select a from #h
open h
fetch next from h
fetch next from h
update #h set a = 22 where current of h
delete t where current of h
close h
deallocate h
select * from #h
go
--> [empty:smallint]
--> -2
--> [v:int]
--> 11
--> Msg 16929, Level 16, State 1, Line 6: The cursor is READ ONLY.
--> # The statement has been terminated.
--> [v:int]
--> 11
--> Msg 16932, Level 16, State 1, Line 11: The cursor has a FOR UPDATE list and the requested column to be updated is not in this list.
--> # The statement has been terminated.
--> [v:int]
--> 99
--> Msg 16929, Level 16, State 1, Line 17: The cursor is READ ONLY.
--> # The statement has been terminated.
--> [id:int | v:int]
--> 1 | 99
--> 3 | 300
--> 4 | 40
--> [a:int]
--> 1
--> [a:int]
--> 2
--> Msg 16933, Level 16, State 1, Line 26: The cursor does not include the table being modified or the table is not updatable through the cursor.
--> # The statement has been terminated.
--> [a:int]
--> 1
--> 22
select formatmessage('%s is %d, %5i|%-4d|%05d %x', 'x', 7, 42, 3, 5, 255) as a, formatmessage('100%% of %s', null) as b, formatmessage(50001) as c
go
--> [a:nvarchar(2048) | b:nvarchar(2048) | c:nvarchar(2048)]
--> x is 7,    42|3   |00005 ff | 100% of (null) | NULL
create table ren (id int constraint pk_ren primary key, old int constraint df_old default 3)
create index ix on ren (old)
go
create view rv as select id from ren
go
exec sp_rename 'ren.old', 'newer', 'COLUMN'
exec sp_rename 'dbo.ren.ix', 'ix2', 'INDEX'
exec sp_rename 'pk_ren', 'pk_new'
exec sp_rename 'ren', 'renamed'
insert renamed (id) values (1)
insert renamed (id) values (1)
select * from renamed
select name from sys.indexes where object_id = object_id('renamed') order by name
select * from ren
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 2627, Level 14, State 1, Line 6: Violation of PRIMARY KEY constraint 'pk_new'. Cannot insert duplicate key in object 'dbo.renamed'. The duplicate key value is (1).
--> # The statement has been terminated.
--> [id:int | newer:int]
--> 1 | 3
--> [name:nvarchar(128)]
--> ix2
--> pk_new
--> Msg 208, Level 16, State 1, Line 9: Invalid object name 'ren'.
exec sp_rename 'nothing', 'x'
exec sp_rename 'renamed', 't'
exec sp_rename 'renamed.nothing', 'x', 'COLUMN'
begin tran
exec sp_rename 'renamed', 'other'
select count(*) as n from other
rollback
select count(*) as n from renamed
go
--> Msg 15225, Level 11, State 1, Line 1: No item by the name of 'nothing' could be found in the current database 'rest', given that @itemtype was input as '(null)'.
--> Msg 15335, Level 11, State 1, Line 2: Error: The new name 't' is already in use as a object name and would cause a duplicate that is not permitted.
--> Msg 15248, Level 11, State 1, Line 3: Either the parameter @objname is ambiguous or the claimed @objtype (COLUMN) is wrong.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> [n:int]
--> 1
--> [n:int]
--> 1
declare @r int
exec @r = sp_getapplock @Resource = 'job', @LockMode = 'Exclusive', @LockOwner = 'Session'
select @r as r, applock_mode('public', 'job', 'Session') as mode, applock_test('public', 'job', 'Shared', 'Session') as free
exec @r = sp_releaseapplock @Resource = 'job', @LockOwner = 'Session'
select @r as r, applock_mode('public', 'job', 'Session') as mode
exec @r = sp_releaseapplock @Resource = 'job', @LockOwner = 'Session'
exec @r = sp_getapplock 'job', 'Shared'
begin tran
exec @r = sp_getapplock 'job', 'Shared'
select @r as r, applock_mode('public', 'job', 'Transaction') as mode
commit
begin tran
select applock_mode('public', 'job', 'Transaction') as mode
rollback
exec @r = sp_getapplock 'job', 'Wrong', 'Session'
go
--> [r:int | mode:nvarchar(32) | free:smallint]
--> 0 | Exclusive | 1
--> [r:int | mode:nvarchar(32)]
--> 0 | NoLock
--> Msg 1223, Level 16, State 1, Line 6: Cannot release the application lock (Database Principal: 'public', Resource: 'job') because it is not currently held.
--> Msg 3918, Level 16, State 1, Line 7: The statement or function must be executed in the context of a user transaction.
--> [r:int | mode:nvarchar(32)]
--> 0 | Shared
--> [mode:nvarchar(32)]
--> NoLock
--> Msg 1224, Level 16, State 1, Line 15: An invalid application lock time-out, mode, owner or resource was passed in @LockMode.
