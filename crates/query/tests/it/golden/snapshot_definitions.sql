-- differs clustered, secondary: the index that is made beside a new table ends the transaction in which the table is made
-- Definitions have no versions: a transaction that reads by a snapshot changes neither tables nor indexes.
set nocount on
create database snap
alter database snap set allow_snapshot_isolation on
go
use snap
create table t (a int, b int)
create index i on t (a)
insert t values (1, 1)
go
set transaction isolation level snapshot
begin transaction
insert t values (2, 2)
alter table t add c int
go
--> Msg 3964, Level 16, State 1, Line 4: Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.
select @@trancount as n
select a from t
go
--> [n:int]
--> 0
--> [a:int]
--> 1
begin transaction
create index j on t (b)
go
--> Msg 3964, Level 16, State 1, Line 2: Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.
begin transaction
drop index i on t
go
--> Msg 3964, Level 16, State 1, Line 2: Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.
begin transaction
drop index t.i
go
--> Msg 3964, Level 16, State 1, Line 2: Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.
begin transaction
alter index i on t rebuild
go
--> Msg 3964, Level 16, State 1, Line 2: Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.
begin transaction
alter index all on t reorganize
go
--> Msg 3964, Level 16, State 1, Line 2: Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.
begin transaction
alter table t disable trigger all
go
--> Msg 3964, Level 16, State 1, Line 2: Transaction failed because this DDL statement is not allowed inside a snapshot isolation transaction. Since metadata is not versioned, a metadata change can lead to inconsistency if mixed within snapshot isolation.
begin transaction
begin try
  alter table t drop column b
end try
begin catch
  select error_number() as number, xact_state() as state
end catch
rollback
go
--> [number:int | state:smallint]
--> 3964 | -1
-- What stays: new tables, what is temporary, and statements that are their own transaction.
begin transaction
create table n (a int)
select a into m from t
create table #t (a int)
alter table #t add b int
create index i on #t (b)
drop table n
commit
alter table t add c int
create index j on t (b)
drop index j on t
select count(*) as n from m
go
--> [n:int]
--> 1
-- Another level, from the transaction's begin or set in it.
begin transaction
set transaction isolation level read committed
alter table t add d int
commit
begin transaction
alter table t add e int
commit
select * from t
go
--> [a:int | b:int | c:int | d:int | e:int]
--> 1 | 1 | NULL | NULL | NULL
use master
drop database snap
go
