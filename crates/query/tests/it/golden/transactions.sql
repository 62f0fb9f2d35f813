-- Transactions over temporary tables, savepoints, statement atomicity, table variables that survive a rollback.
set nocount on
create table #t (id int not null)
begin tran
insert #t values (1), (2)
select @@trancount as t
rollback
select count(*) as n from #t
go
begin tran
insert #t values (1)
save tran a
insert #t values (2)
rollback tran a
commit
select id from #t
go
begin tran
drop table #t
rollback
select id from #t
go
begin tran
create table #u (id int)
insert #u values (1)
rollback
select * from #u
go
-- a statement that fails half-way leaves nothing
insert #t select id from (values (10), (11), (null)) v(id)
select id from #t
go
declare @t table (id int)
begin tran
insert @t values (1)
rollback
select count(*) as kept from @t
go
commit
go
rollback
go
begin tran
begin tran
commit
select @@trancount as t
commit
select @@trancount as t
go
set xact_abort on
begin tran
insert #t values (5)
select 1/0
select 'not reached'
go
select @@trancount as t, count(*) as n from #t
go
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
