-- What public suites know of SQL Server's refusals and of a few values: constant keys of an order, types of types, options.
create table t (a int not null primary key, b varchar(10) null)
go
select a from t order by abs(len('abc'))
go
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 1.
select a from t order by a, coalesce(null, 1)
go
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 2.
select a from t order by newid(), (select 1), a
go
--> [a:int]
--> (0 rows affected)
begin transaction with mark
go
--> Msg 3901, Level 16, State 1, Line 1: The transaction name must be specified when it is used with the mark option.
begin transaction named with mark 'here' commit
go
insert t (a) values (1), (2, '3')
go
--> Msg 10709, Level 16, State 1, Line 1: The number of columns for each row in a table value constructor must be the same.
create unique index filtered on t (b) where b is not null with (ignore_dup_key = on)
go
--> Msg 10618, Level 16, State 1, Line 1: Cannot create filtered index 'filtered' on table 't' because the statement sets the IGNORE_DUP_KEY option to ON. Rewrite the statement so that it does not use the IGNORE_DUP_KEY option.
create index plain on t (b)
alter index plain on t set (ignore_dup_key = on)
go
--> Msg 1915, Level 16, State 1, Line 2: Cannot alter a non-unique index with ignore_dup_key index option. Index 'plain' is non-unique.
select convert(varchar(20), $1234.5, 1) as a, convert(varchar(20), $1234.5, 126) as b
select convert(varchar(20), $1234.5, 7) as c
go
--> [a:varchar(20) | b:varchar(20)]
--> 1,234.50 | 1234.5000
--> (1 rows affected)
--> [c:varchar(20)]
--> Msg 281, Level 16, State 1, Line 2: 7 is not a valid style number when converting from money to a character string.
select convert(date, '2024-05-13', 101) as d
go
--> [d:date]
--> Msg 9807, Level 16, State 1, Line 1: The input character string does not follow style 101, either change the input character string or use a different style.
select convert(date, 'no date', 101) as d
go
--> [d:date]
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
drop type absent
go
--> Msg 218, Level 16, State 1, Line 1: Could not find the type 'absent'. Either it does not exist or you do not have the necessary permission.
drop type if exists absent
create type known from varchar(5)
go
create type other from known
go
--> Msg 222, Level 16, State 1, Line 1: The base type "known" is not a valid base type for the alias data type.
create type other from sysname
go
--> Msg 222, Level 16, State 1, Line 1: The base type "sysname" is not a valid base type for the alias data type.
create type other from rowversion
go
--> Msg 222, Level 16, State 1, Line 1: The base type "timestamp" is not a valid base type for the alias data type.
create type other from xml
go
--> Msg 15226, Level 16, State 1, Line 1: Cannot create alias types from an XML datatype.
create function nothing (@x int) returns int as begin if @x = 1 begin return end return 2 end
go
--> Msg 1075, Level 15, State 1, Line 1: RETURN statements in scalar valued functions must include an argument.
create function rows_of () returns @r table (a int) as begin return end
go
drop function rows_of
go
create function one () returns table as return select 1 as a, 2
go
--> Msg 4514, Level 16, State 1, Line 1: CREATE FUNCTION failed because a column name is not specified for column 2.
declare @v int = 1
select @@rowcount as n
go
--> [n:int]
--> 1
--> (1 rows affected)
declare c cursor for select a from t
open c
select @@cursor_rows as n
deallocate c
go
--> [n:int]
--> -1
--> (1 rows affected)
drop type known
drop table t
go
