-- WITH NO_INFOMSGS: "Suppresses all informational messages".
-- differs temporary: DBCC CHECKIDENT knows tables of databases
create database no_infomsgs
go
use no_infomsgs
set nocount on
create table i1 (id int identity (100, 10), v int)
insert i1 values (1), (2)
go
dbcc checkident ('i1') with no_infomsgs
dbcc checkident ('i1', noreseed) with no_infomsgs
dbcc checkident ('i1', reseed, 2000) with no_infomsgs
insert i1 values (3)
select id from i1 order by id
go
--> [id:int]
--> 100
--> 110
--> 2010
dbcc checkident ('i1')
go
--> # Checking identity information: current identity value '2010', current column value '2010'.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
dbcc checkident ('i1', reseed, 5000000000) with no_infomsgs
go
--> Msg 2560, Level 16, State 9, Line 1: Parameter 3 is incorrect for this DBCC statement.
dbcc checkident ('i1', reseed, 5.5) with no_infomsgs
go
--> Msg 2560, Level 16, State 9, Line 1: Parameter 3 is incorrect for this DBCC statement.
