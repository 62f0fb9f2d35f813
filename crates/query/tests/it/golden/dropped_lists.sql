-- DROP of several: what cannot be dropped keeps no other from it.
create database dropped_lists
go
use dropped_lists
set nocount on
go
create table t1 (i int primary key)
create table t2 (i int primary key)
create table t3 (i int primary key, x int references t2)
create table t4 (i int)
go
drop table if exists t1, t2, t3, t4
go
--> Msg 3726, Level 16, State 1, Line 1: Could not drop object 't2' because it is referenced by a FOREIGN KEY constraint.
select name from sys.tables order by name
go
--> [name:nvarchar(128)]
--> t2
create table a (i int)
create table c (i int)
create table #b (i int)
go
drop table a, nope, #b, nothing, c
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the table 'nope', because it does not exist or you do not have permission.
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the table 'nothing', because it does not exist or you do not have permission.
select name from sys.tables order by name
select object_id('tempdb..#b') as b
go
--> [name:nvarchar(128)]
--> t2
--> [b:int]
--> NULL
create view v1 as select 1 as a
go
create view v2 as select 2 as a
go
create procedure p1 as select 1
go
create procedure p2 as select 2
go
create function f1 () returns int as begin return 1 end
go
drop view v1, nope, v2
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the view 'nope', because it does not exist or you do not have permission.
drop procedure nope, p1, nothing, p2
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the procedure 'nope', because it does not exist or you do not have permission.
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the procedure 'nothing', because it does not exist or you do not have permission.
drop function nope, f1
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the function 'nope', because it does not exist or you do not have permission.
create sequence s1 as int
create synonym y1 for t1
go
drop sequence nope, s1
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the sequence 'nope', because it does not exist or you do not have permission.
select name from sys.objects where type in ('V', 'P', 'FN', 'SO', 'SN') order by name
go
--> [name:nvarchar(128)]
--> y1
-- In a transaction what was dropped comes back; XACT_ABORT ends the list.
create table e1 (i int)
create table e2 (i int)
begin transaction
drop table e1, nope, e2
select count(*) as n from sys.tables where name like 'e_'
rollback
select count(*) as n from sys.tables where name like 'e_'
go
--> Msg 3701, Level 11, State 5, Line 5: Cannot drop the table 'nope', because it does not exist or you do not have permission.
--> [n:int]
--> 0
--> [n:int]
--> 2
set xact_abort on
drop table nope, e1
go
--> Msg 3701, Level 11, State 5, Line 2: Cannot drop the table 'nope', because it does not exist or you do not have permission.
set xact_abort off
select count(*) as n from sys.tables where name like 'e_'
begin try
    drop table nope, e1
end try
begin catch
    select error_number() as number, error_message() as text
end catch
select count(*) as n from sys.tables where name like 'e_'
go
--> [n:int]
--> 2
--> [number:int | text:nvarchar(4000)]
--> 3701 | Cannot drop the table 'nope', because it does not exist or you do not have permission.
--> [n:int]
--> 1
