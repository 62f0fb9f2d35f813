-- DROP TYPE of a type that procedures or functions have parameters of; arguments whose types never meet the parameter's.
create database in_use_db
go
use in_use_db
go
create type pairs as table (a int, b int)
create type short from varchar(5)
go
create procedure takes @p pairs readonly as select count(*) as n from @p
go
create procedure other @s dbo.short as select @s as s
go
drop type pairs
go
--> Msg 3732, Level 16, State 1, Line 1: Cannot drop type 'dbo.pairs' because it is being referenced by object 'takes'. There may be other objects that reference this type.
drop type dbo.short
go
--> Msg 3732, Level 16, State 1, Line 1: Cannot drop type 'dbo.short' because it is being referenced by object 'other'. There may be other objects that reference this type.
drop procedure takes
drop type pairs
select type_id('pairs') as gone
go
--> [gone:int]
--> NULL
--> (1 rows affected)
drop procedure other
drop type short
go
create procedure u @f uniqueidentifier = null as select @f as f
go
create procedure fl @f float as select @f as f
go
exec u 5
go
--> Msg 206, Level 16, State 2, Line 0: Operand type clash: int is incompatible with uniqueidentifier
declare @d datetime2 = '20200101'
exec fl @d
go
--> Msg 206, Level 16, State 2, Line 0: Operand type clash: datetime2 is incompatible with float
exec u null
exec u 'x'
exec fl '1.5'
go
--> [f:uniqueidentifier]
--> NULL
--> (1 rows affected)
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to uniqueidentifier.
exec sp_executesql N'select @f', N'@f uniqueidentifier', 5
go
--> Msg 206, Level 16, State 2, Line 1: Operand type clash: int is incompatible with uniqueidentifier
drop procedure u, fl
go
declare @t table (a int not null)
insert @t values (null)
go
--> Msg 515, Level 16, State 2, Line 2: Cannot insert the value NULL into column 'a', table '@t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
create table #t (a int not null)
insert #t values (null)
select iif(object_id('#t') is null, 'not here', 'here') as here, iif(object_id('tempdb..#t') is null, 'not there', 'there') as there
drop table #t
go
--> Msg 515, Level 16, State 2, Line 2: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> [here:varchar(8) | there:varchar(9)]
--> not here | there
--> (1 rows affected)
create database no_collation collate No_Such_Collation
go
--> Msg 448, Level 16, State 1, Line 1: Invalid collation 'No_Such_Collation'.
use master
drop database in_use_db
go
