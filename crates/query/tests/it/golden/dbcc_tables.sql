-- differs temporary: DBCC CHECKTABLE knows tables of databases
-- DBCC over tables of a database: checks, identity values, pages, the log.
set nocount on
create database db
go
use db
create table t (id int identity(1, 1) primary key, a varchar(20), b int null)
create index ia on t (a) include (b)
create index ib on t (b) where b is not null
insert t (a, b) values ('x', 1), ('y', null), ('z', 3)
delete t where id = 2
go
dbcc checktable ('t')
go
--> # DBCC results for 'dbo.t'.
--> # There are 2 rows in 1 pages for object "dbo.t".
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
dbcc checkdb ('db') with no_infomsgs
go
dbcc checktable ('none')
go
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "none". Check the system catalog.
dbcc checkident ('t')
dbcc checkident ('t', reseed, 10)
insert t (a) values ('after')
select max(id) as id from t
dbcc checkident ('t', noreseed) with no_infomsgs
go
--> # Checking identity information: current identity value '3', current column value '3'.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> # Checking identity information: current identity value '3'.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [id:int]
--> 11
dbcc opentran ('db') with no_infomsgs
go
--> # No active open transactions.
dbcc shrinkfile (1) with no_infomsgs
go
dbcc nonsense
go
--> Msg 2526, Level 16, State 3, Line 1: Incorrect DBCC statement. Check the documentation for the correct DBCC syntax and options.
