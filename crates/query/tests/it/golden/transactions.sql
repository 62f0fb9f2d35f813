-- differs variables: a rollback leaves table variables as they are
-- Transactions over temporary tables, savepoints, statement atomicity, table variables that survive a rollback.
set nocount on
create table #t (id int not null)
begin tran
insert #t values (1), (2)
select @@trancount as t
rollback
select count(*) as n from #t
go
--> [t:int]
--> 1
--> [n:int]
--> 0
begin tran
insert #t values (1)
save tran a
insert #t values (2)
rollback tran a
commit
select id from #t
go
--> [id:int]
--> 1
begin tran
drop table #t
rollback
select id from #t
go
--> [id:int]
--> 1
begin tran
create table #u (id int)
insert #u values (1)
rollback
select * from #u
go
--> Msg 208, Level 16, State 1, Line 5: Invalid object name '#u'.
-- a statement that fails half-way leaves nothing
insert #t select id from (values (10), (11), (null)) v(id)
select id from #t
go
--> Msg 515, Level 16, State 2, Line 2: Cannot insert the value NULL into column 'id', table 'tempdb.dbo.#t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> [id:int]
--> 1
declare @t table (id int)
begin tran
insert @t values (1)
rollback
select count(*) as kept from @t
go
--> [kept:int]
--> 1
commit
go
--> Msg 3902, Level 16, State 1, Line 1: The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.
rollback
go
--> Msg 3903, Level 16, State 1, Line 1: The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.
begin tran
begin tran
commit
select @@trancount as t
commit
select @@trancount as t
go
--> [t:int]
--> 1
--> [t:int]
--> 0
set xact_abort on
begin tran
insert #t values (5)
select 1/0
select 'not reached'
go
--> [:int]
--> Msg 8134, Level 16, State 1, Line 4: Divide by zero error encountered.
select @@trancount as t, count(*) as n from #t
go
--> [t:int | n:int]
--> 0 | 1
set xact_abort off
begin try
  begin tran
  insert #t values (6)
  insert #t values (null)
end try
begin catch
  select xact_state() as x, error_number() as e
  rollback
end catch
select count(*) as n from #t
drop table #t
go
--> [x:smallint | e:int]
--> 1 | 515
--> [n:int]
--> 1
