-- differs secondary: sys.indexes lists the indexes that are made beside
-- differs snapshot: tempdb does not allow snapshots (3952)
-- Temporary tables and procedures that all sessions see (##), as one session uses them, and tables of tempdb.
set nocount on
create table ##t (id int identity constraint pk_of_t primary key, v varchar(10) not null default 'none')
insert ##t (v) values ('a'), ('b')
insert ##t default values
select * from ##t
select v from tempdb..##t where id = 2
select v from tempdb.dbo.##t where id = 3
go
--> [id:int | v:varchar(10)]
--> 1 | a
--> 2 | b
--> 3 | none
--> [v:varchar(10)]
--> b
--> [v:varchar(10)]
--> none
create table ##t (a int)
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named '##t' in the database.
select 1 as one into ##t
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named '##t' in the database.
-- It is an object of tempdb, by its own name.
select object_id('##t') as here, sign(object_id('tempdb..##t')) as there
select name, type from tempdb.sys.objects where name = '##t'
select c.name, c.column_id from tempdb.sys.columns c where c.object_id = object_id('tempdb..##t') order by c.column_id
select count(*) as n from tempdb.sys.indexes where object_id = object_id('tempdb..##t')
go
--> [here:int | there:int]
--> NULL | 1
--> [name:nvarchar(128) | type:char(2)]
--> ##t | U
--> [name:nvarchar(128) | column_id:int]
--> id | 1
--> v | 2
--> [n:int]
--> 1
-- Changes and their undoing.
begin tran
update ##t set v = 'x' where id = 1
delete ##t where id = 2
insert ##t (v) values ('d')
select id, v from ##t
rollback
select id, v from ##t
insert ##t (v) values ('e')
select max(id) as last from ##t
go
--> [id:int | v:varchar(10)]
--> 1 | x
--> 3 | none
--> 4 | d
--> [id:int | v:varchar(10)]
--> 1 | a
--> 2 | b
--> 3 | none
--> [last:int]
--> 5
insert ##t (v) values (null)
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'v', table 'tempdb.dbo.##t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
set identity_insert ##t on
insert ##t (id, v) values (1, 'again')
go
--> Msg 2627, Level 14, State 1, Line 2: Violation of PRIMARY KEY constraint 'pk_of_t'. Cannot insert duplicate key in object 'dbo.##t'. The duplicate key value is (1).
--> # The statement has been terminated.
set identity_insert ##t off
begin tran
drop table ##t
select object_id('tempdb..##t') as gone
rollback
select count(*) as n from ##t
begin tran
truncate table ##t
select count(*) as n from ##t
rollback
select count(*) as n from ##t
begin tran
create table ##undone (a int)
insert ##undone values (1)
rollback
select object_id('tempdb..##undone') as undone
go
--> [gone:int]
--> NULL
--> [n:int]
--> 4
--> [n:int]
--> 0
--> [n:int]
--> 4
--> [undone:int]
--> NULL
select * from ##undone
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name '##undone'.
-- Definitions change, indexes come and go.
create index i on ##t (v)
alter table ##t add n int null
alter table ##t add constraint positive check (n > 0)
go
update ##t set n = id
select id, n from ##t with (index (i)) where v = 'e'
drop index i on ##t
alter table ##t drop constraint positive
alter table ##t drop column n
alter table ##t alter column v varchar(20)
go
--> [id:int | n:int]
--> 5 | 5
select * from ##t where v = 'e'
go
--> [id:int | v:varchar(20)]
--> 5 | e
update ##t set n = 0
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'n'.
-- Keys to other tables are left out; no other table refers to it; no view and no trigger stands on it.
create table ##key (a int references ##t (id))
go
--> # Skipping FOREIGN KEY constraint '##key' definition for temporary table. FOREIGN KEY constraints are not enforced on local or global temporary tables.
create view over_temporary as select id from ##t
go
--> Msg 4508, Level 16, State 1, Line 1: Views or functions are not allowed on temporary tables. Table names that begin with '#' denote temporary tables.
create trigger on_temporary on ##t for insert as return
go
--> Msg 167, Level 15, State 1, Line 1: Cannot create trigger on a temporary object.
create function of_temporary () returns int as begin return (select max(id) from ##t) end
go
--> Msg 2772, Level 16, State 1, Line 1: Cannot access temporary tables from within a function.
drop table ##key, tempdb..##t
go
drop table ##t
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the table '##t', because it does not exist or you do not have permission.
drop table if exists ##t
-- Rows of a query, heaps, large values.
select value as n, replicate(cast('x' as varchar(max)), 9000) as long into ##rows from generate_series(1, 100)
select count(*) as n, sum(len(long)) as letters from ##rows
delete ##rows where n % 2 = 0
update ##rows set long = 'short' where n > 50
select count(*) as n, sum(len(long)) as letters from ##rows
drop table ##rows
go
--> [n:int | letters:bigint]
--> 100 | 900000
--> [n:int | letters:bigint]
--> 50 | 225125
-- A procedure; its names mean objects of the database where it was made.
create database made_here
go
use made_here
create table own (a int)
insert own values (7)
go
create procedure ##p @n int = 1 as select a * @n as a, db_name() as db from own
go
use master
exec ##p
exec tempdb..##p 3
select sign(object_id('tempdb..##p')) as there, object_id('##p') as here
go
--> [a:int | db:nvarchar(128)]
--> 7 | made_here
--> [a:int | db:nvarchar(128)]
--> 21 | made_here
--> [there:int | here:int]
--> 1 | NULL
create procedure ##p as select 1
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named '##p' in the database.
create or alter procedure ##p as select 2 as two
go
exec ##p
drop procedure ##p
go
--> [two:int]
--> 2
exec ##p
go
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure '##p'.
create view ##v as select 1 as a
go
--> Msg 4103, Level 15, State 1, Line 1: '##v': Temporary views are not allowed.
begin tran
go
create procedure ##undone as select 1 as a
go
rollback
exec ##undone
go
--> Msg 2812, Level 16, State 62, Line 2: Could not find stored procedure '##undone'.
-- Tables of tempdb that are not temporary live until they are dropped, or the server ends.
use tempdb
create table kept (id int primary key, v int)
insert kept values (1, 10), (2, 20)
use master
select * from tempdb.dbo.kept
select object_schema_name(object_id('tempdb.dbo.kept'), db_id('tempdb')) as s
update tempdb..kept set v = v + 1
select sum(v) as v from tempdb..kept
drop table tempdb..kept
drop database made_here
go
--> [id:int | v:int]
--> 1 | 10
--> 2 | 20
--> [s:nvarchar(128)]
--> dbo
--> [v:int]
--> 32
