-- A type of the same name is another type to texts and procedures that were run with the one before.
set nocount on
create type tt as table (i int)
create type ty from int
go
create procedure p as declare @x ty = 5; select @x as x, sql_variant_property(@x, 'basetype') as base
go
exec p
go
--> [x:int | base:sql_variant]
--> 5 | int
declare @t tt; insert @t (i) values (1); select * from @t
go
--> [i:int]
--> 1
declare @x ty = 5; select @x as x, sql_variant_property(@x, 'basetype') as base
go
--> [x:int | base:sql_variant]
--> 5 | int
exec sp_executesql N'declare @x ty = 5; select sql_variant_property(@x, ''basetype'') as base'
go
--> [base:sql_variant]
--> int
drop type tt
drop type ty
create type tt as table (i int, j int null)
create type ty from varchar(20)
go
declare @t tt; insert @t (i) values (1); select * from @t
go
--> [i:int | j:int]
--> 1 | NULL
declare @x ty = 5; select @x as x, sql_variant_property(@x, 'basetype') as base
go
--> [x:varchar(20) | base:sql_variant]
--> 5 | varchar
exec sp_executesql N'declare @x ty = 5; select sql_variant_property(@x, ''basetype'') as base'
go
--> [base:sql_variant]
--> varchar
exec p
go
--> [x:varchar(20) | base:sql_variant]
--> 5 | varchar
drop procedure p
drop type tt
drop type ty
go
drop type ty, tt
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ','.
drop synonym s, t
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ','.
