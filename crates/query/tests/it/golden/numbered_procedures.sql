-- name;number: number 1 is the procedure itself, others are refused by name.
create database numbered_db
go
use numbered_db
go
create procedure np;1 as select 1 as one
go
create procedure np;2 as select 2 as two
go
--> Msg 40517, Level 16, State 1, Line 1: A numbered procedure (name;number) other than number 1 is not supported in this version of Millpond.
alter procedure np;2 as select 2 as two
go
--> Msg 40517, Level 16, State 1, Line 1: A numbered procedure (name;number) other than number 1 is not supported in this version of Millpond.
create procedure #np;3 as select 3 as three
go
--> Msg 40517, Level 16, State 1, Line 1: A numbered procedure (name;number) other than number 1 is not supported in this version of Millpond.
exec np;1
exec np
declare @name varchar(20) = 'np;1'
exec @name
go
--> [one:int]
--> 1
--> (1 rows affected)
--> [one:int]
--> 1
--> (1 rows affected)
--> [one:int]
--> 1
--> (1 rows affected)
exec np;2
select 'on' as goes
go
--> Msg 40517, Level 16, State 1, Line 1: A numbered procedure (name;number) other than number 1 is not supported in this version of Millpond.
declare @name varchar(20) = 'np;2'
exec @name
go
--> Msg 40517, Level 16, State 1, Line 2: A numbered procedure (name;number) other than number 1 is not supported in this version of Millpond.
declare @t table (a int)
insert @t exec np;2
select a from @t
insert @t exec np;1
select a from @t
go
--> Msg 40517, Level 16, State 1, Line 2: A numbered procedure (name;number) other than number 1 is not supported in this version of Millpond.
drop procedure np;2
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '2'.
select object_id('np', 'P') - object_id('np') as there
drop procedure np
go
--> [there:int]
--> 0
--> (1 rows affected)
use master
drop database numbered_db
go
