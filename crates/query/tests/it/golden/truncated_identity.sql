-- TRUNCATE TABLE of a temporary table with an identity, undone: the values go on where they were.
set nocount on
create table #h (a int identity, b int)
create table #k (a int identity primary key, b int)
insert #h (b) values (0), (1), (2)
insert #k (b) values (0), (1), (2)
begin transaction
truncate table #h
truncate table #k
insert #h (b) values (9)
insert #k (b) values (9)
select a from #h
select a from #k
rollback
insert #h (b) values (5)
insert #k (b) values (5)
select a, b from #h
select a, b from #k
go
--> [a:int]
--> 1
--> [a:int]
--> 1
--> [a:int | b:int]
--> 1 | 0
--> 2 | 1
--> 3 | 2
--> 4 | 5
--> [a:int | b:int]
--> 1 | 0
--> 2 | 1
--> 3 | 2
--> 4 | 5
-- To a savepoint; what was truncated before it stays so.
begin transaction
truncate table #k
insert #k (b) values (10), (11)
save transaction s
truncate table #k
insert #k (b) values (12)
truncate table #k
rollback transaction s
insert #k (b) values (13)
commit
select a, b from #k
insert #k (b) values (14)
select a, b from #k
go
--> [a:int | b:int]
--> 1 | 10
--> 2 | 11
--> 3 | 13
--> [a:int | b:int]
--> 1 | 10
--> 2 | 11
--> 3 | 13
--> 4 | 14
-- A transaction that an error ends.
set xact_abort on
begin transaction
truncate table #h
insert #h (b) values (1)
select 1 / 0
go
--> [:int]
--> Msg 8134, Level 16, State 1, Line 6: Divide by zero error encountered.
set xact_abort off
insert #h (b) values (6)
select a, b from #h
go
--> [a:int | b:int]
--> 1 | 0
--> 2 | 1
--> 3 | 2
--> 4 | 5
--> 5 | 6
-- Made another table in the transaction, and dropped.
begin transaction
alter table #k add c int
truncate table #k
insert #k (b) values (20)
rollback
begin transaction
truncate table #k
insert #k (b) values (21)
drop table #k
rollback
insert #k (b) values (22)
select a, b from #k
go
--> [a:int | b:int]
--> 1 | 10
--> 2 | 11
--> 3 | 13
--> 4 | 14
--> 5 | 22
-- Outside of a transaction, and committed, it begins anew.
truncate table #k
insert #k (b) values (1)
begin transaction
truncate table #h
insert #h (b) values (1)
commit
begin transaction
insert #h (b) values (2)
rollback
insert #h (b) values (3)
select a, b from #k
select a, b from #h
go
--> [a:int | b:int]
--> 1 | 1
--> [a:int | b:int]
--> 1 | 1
--> 3 | 3
create procedure emptied as
begin transaction
truncate table #k
insert #k (b) values (2)
rollback
go
exec emptied
insert #k (b) values (3)
select a, b from #k
go
--> [a:int | b:int]
--> 1 | 1
--> 2 | 3
drop procedure emptied
drop table #h, #k
go
