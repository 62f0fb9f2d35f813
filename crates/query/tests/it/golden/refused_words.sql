-- differs clustered, secondary: an index on a table whose creation is refused is refused too
-- What a text may not say where it says it: each is refused before anything of the text runs.
set nocount on
create table t (a int, b varchar(10))
insert t values (1, 'a'), (2, 'b'), (3, 'c')
go
delete top 2 from t
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '2'.
update top 1 t set a = 9
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '1'.
insert top 1 into t select 4, 'd'
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '1'.
insert top 1 t select 4, 'd'
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '1'.
merge top 1 into t using (select 1 as a) s on t.a = s.a when matched then delete;
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '1'.
declare @n int = 1
delete top @n from t
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '@n'.
select a from t order by a
select top 1 a from t order by a
go
--> [a:int]
--> 1
--> 2
--> 3
--> [a:int]
--> 1
delete top (1) from t where a = 3
update top (1) t set b = 'x' where a = 1
insert top (1) into t select 4, 'd' union all select 4, 'd'
select a, b from t order by a
go
--> [a:int | b:varchar(10)]
--> 1 | x
--> 2 | b
--> 4 | d
declare @a int
select 1 as x from (select @a = 1) v
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '='.
declare @a int;
with v as (select @a = 1) select 1 as x from v
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '='.
declare @a int
select (select @a = 1) as x
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '='.
declare @a int
if exists (select @a = 1) print 'x'
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '='.
declare @a int
select @a = a from (select a from t where a = 1) v
select @a as a
go
--> [a:int]
--> 1
create table r (a int, r rowversion default 50)
go
--> Msg 1755, Level 16, State 0, Line 1: Defaults cannot be created on columns of data type timestamp. Table 'r', column 'r'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table r (a int, r rowversion)
alter table r add constraint dr default 50 for r
go
--> Msg 1755, Level 16, State 0, Line 2: Defaults cannot be created on columns of data type timestamp. Table 'r', column 'r'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
declare @v text
go
--> Msg 2739, Level 16, State 1, Line 1: The text, ntext, and image data types are invalid for local variables.
declare @i int, @v ntext = N'a'
go
--> Msg 2739, Level 16, State 1, Line 1: The text, ntext, and image data types are invalid for local variables.
print 'not before'
declare @v image
go
--> Msg 2739, Level 16, State 1, Line 2: The text, ntext, and image data types are invalid for local variables.
create procedure of_text @v text as select @v as v
go
exec of_text 'a'
go
--> [v:varchar(max)]
--> a
create procedure has_text as declare @v text
go
--> Msg 2739, Level 16, State 1, Line 1: The text, ntext, and image data types are invalid for local variables.
create function f () returns text as begin return 'a' end
go
--> Msg 2733, Level 16, State 1, Line 1: The text data type is invalid for return values.
create function f () returns ntext as begin return N'a' end
go
--> Msg 2733, Level 16, State 1, Line 1: The ntext data type is invalid for return values.
create function f () returns image as begin return 0x00 end
go
--> Msg 2733, Level 16, State 1, Line 1: The image data type is invalid for return values.
create function f () returns timestamp as begin return 0x00 end
go
--> Msg 2733, Level 16, State 1, Line 1: The timestamp data type is invalid for return values.
create procedure p @a int readonly as select @a as a
go
--> Msg 346, Level 15, State 1, Line 1: The parameter "@a" can not be declared READONLY since it is not a table-valued parameter.
create function f (@a int readonly) returns int as begin return @a end
go
--> Msg 346, Level 15, State 1, Line 1: The parameter "@a" can not be declared READONLY since it is not a table-valued parameter.
exec sp_executesql N'select @a as a', N'@a int readonly', 1
go
--> Msg 346, Level 15, State 1, Line 1: The parameter "@a" can not be declared READONLY since it is not a table-valued parameter.
create procedure p as
begin
  select 1 as a
  use master
end
go
--> Msg 154, Level 15, State 1, Line 4: a USE database statement is not allowed in a procedure, function or trigger.
create trigger tr on t for insert as use master
go
--> Msg 154, Level 15, State 1, Line 1: a USE database statement is not allowed in a procedure, function or trigger.
create procedure p as exec ('use tempdb; select db_name() as name')
go
exec p
go
--> [name:nvarchar(128)]
--> tempdb
create type tt as table (a int)
go
declare @a int
declare @a tt
go
--> Msg 134, Level 15, State 1, Line 2: The variable name '@a' has already been declared. Variable names must be unique within a query batch or stored procedure.
declare @a tt
declare @a int
go
--> Msg 134, Level 15, State 1, Line 2: The variable name '@a' has already been declared. Variable names must be unique within a query batch or stored procedure.
declare @a int
declare @a table (a int)
go
--> Msg 134, Level 15, State 1, Line 2: The variable name '@a' has already been declared. Variable names must be unique within a query batch or stored procedure.
declare @a cursor, @a int
go
--> Msg 134, Level 15, State 1, Line 1: The variable name '@a' has already been declared. Variable names must be unique within a query batch or stored procedure.
create procedure q @a int as declare @a tt
go
--> Msg 134, Level 15, State 1, Line 1: The variable name '@a' has already been declared. Variable names must be unique within a query batch or stored procedure.
raiserror ('%d', 10, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21)
go
--> Msg 2747, Level 16, State 1, Line 1: Too many substitution parameters for RAISERROR. Cannot exceed 20 substitution parameters.
raiserror ('%d', 10, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)
go
--> # 1
