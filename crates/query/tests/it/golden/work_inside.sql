-- Rows of INSERT ... EXEC and of functions are gathered beside the session's work, and hide nothing of it from the views.
create database inside
go
use inside
create table kept (a int)
go
create procedure five as select value from generate_series(1, 5)
go
create function six (@n int) returns @r table (a char(4000)) as
begin
    insert @r select 'row' from generate_series(1, @n)
    return
end
go
create table #t (a int)
begin transaction
insert kept values (1)
insert #t exec five
select count(*) as transactions from sys.dm_tran_session_transactions where session_id = @@spid
select count(*) as databases from sys.dm_tran_database_transactions d
join sys.dm_tran_session_transactions s on s.transaction_id = d.transaction_id
where s.session_id = @@spid and d.database_id = db_id()
select count(*) as n from six(6)
select count(*) as transactions from sys.dm_tran_session_transactions where session_id = @@spid
select case when sum(user_objects_alloc_page_count) >= 3 then 'what a function used counts' end as space
from sys.dm_db_task_space_usage where session_id = @@spid
commit
select count(*) as transactions from sys.dm_tran_session_transactions where session_id = @@spid
go
--> (1 rows affected)
--> (5 rows affected)
--> [transactions:int]
--> 1
--> (1 rows affected)
--> [databases:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 6
--> (1 rows affected)
--> [transactions:int]
--> 1
--> (1 rows affected)
--> [space:varchar(27)]
--> what a function used counts
--> (1 rows affected)
--> [transactions:int]
--> 0
--> (1 rows affected)
use master
drop database inside
go
