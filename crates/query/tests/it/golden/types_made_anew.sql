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
-- constraints without names, more than one of a kind
create type two as table (a int unique, b int unique, c int default 1, cc int default 2 check (cc > 0), unique (a, b), unique (b, c), check (a > 0))
go
declare @t two
insert @t (a, b) values (1, 1), (2, 3)
select * from @t
insert @t (a, b) values (5, 3)
go
--> [a:int | b:int | c:int | cc:int]
--> 1 | 1 | 1 | 2
--> 2 | 3 | 1 | 2
--> Msg 2627, Level 14, State 1, Line 4: Violation of UNIQUE KEY constraint 'UQ__two__0000000000000003'. Cannot insert duplicate key in object 'dbo.@t'. The duplicate key value is (3).
--> # The statement has been terminated.
create function of_two () returns @t table (a int unique, b int unique) as begin insert @t values (1, 2) return end
go
create procedure p_two as begin declare @t table (a int unique, b int unique, unique (a, b)); insert @t values (1, 2); select * from @t; end
go
exec p_two
select * from of_two ()
go
--> [a:int | b:int]
--> 1 | 2
--> [a:int | b:int]
--> 1 | 2
drop procedure p_two
drop function of_two
drop type two
go
