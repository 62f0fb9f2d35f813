-- CURSOR_DEFAULT of a database: what a cursor is that says neither LOCAL nor GLOBAL.
create database cursor_defaults
go
use cursor_defaults
go
declare k cursor for select 1 as a
open k
go
fetch k
deallocate k
go
--> [a:int]
--> 1
--> (1 rows affected)
alter database cursor_defaults set cursor_default local
go
select is_local_cursor_default from sys.databases where name = 'cursor_defaults'
select databasepropertyex('cursor_defaults', 'IsLocalCursorsDefault') as said
go
--> [is_local_cursor_default:bit]
--> 1
--> (1 rows affected)
--> [said:sql_variant]
--> 1
--> (1 rows affected)
declare k cursor for select 1 as a
open k
fetch k
go
--> [a:int]
--> 1
--> (1 rows affected)
fetch k
go
--> Msg 16916, Level 16, State 1, Line 1: A cursor with the name 'k' does not exist.
declare k cursor global for select 2 as a
open k
go
fetch k
declare k cursor for select 3 as a
open k
fetch k
fetch global k
deallocate k
close global k
deallocate k
go
--> [a:int]
--> 2
--> (1 rows affected)
--> [a:int]
--> 3
--> (1 rows affected)
--> [a:int]
--> (0 rows affected)
create procedure opens as
declare k cursor for select 4 as a
open k
fetch k
go
exec opens
fetch k
go
--> [a:int]
--> 4
--> (1 rows affected)
--> Msg 16916, Level 16, State 1, Line 2: A cursor with the name 'k' does not exist.
use master
go
exec cursor_defaults.dbo.opens
fetch k
go
--> [a:int]
--> 4
--> (1 rows affected)
--> Msg 16916, Level 16, State 1, Line 2: A cursor with the name 'k' does not exist.
alter database cursor_defaults set cursor_default global
go
use cursor_defaults
exec opens
fetch global k
deallocate k
go
--> [a:int]
--> 4
--> (1 rows affected)
--> [a:int]
--> (0 rows affected)
use master
drop database cursor_defaults
go
