-- The words of messages that programs and people look at.
create database message_words
go
use message_words
set nocount on
go
waitfor delay 'abc'
go
--> Msg 148, Level 15, State 1, Line 1: Incorrect time syntax in time string 'abc' used with WAITFOR.
waitfor time '99:00'
go
--> Msg 148, Level 15, State 1, Line 1: Incorrect time syntax in time string '99:00' used with WAITFOR.
declare @d varchar(20) = '25:00'
waitfor delay @d
go
--> Msg 148, Level 15, State 1, Line 2: Incorrect time syntax in time string '25:00' used with WAITFOR.
waitfor delay '00:00:00.001'
go
-- Types that RAISERROR does not take.
declare @d decimal(5, 2) = 1
raiserror('x %d', 11, 1, @d)
go
--> Msg 2748, Level 16, State 1, Line 3: Cannot specify decimal data type (parameter 4) as a substitution parameter.
raiserror('x', 11, 1, 1.5)
go
--> Msg 2748, Level 16, State 1, Line 1: Cannot specify numeric data type (parameter 4) as a substitution parameter.
raiserror('x %s', 11, 1, 'a', 1e0)
go
--> Msg 2748, Level 16, State 1, Line 1: Cannot specify float data type (parameter 5) as a substitution parameter.
declare @d datetime = 0
raiserror('x %s', 11, 1, @d)
go
--> Msg 2748, Level 16, State 1, Line 2: Cannot specify datetime data type (parameter 4) as a substitution parameter.
declare @g uniqueidentifier = newid(), @m money = 1
raiserror('x %s %s', 11, 1, 'a', @m)
go
--> Msg 2748, Level 16, State 1, Line 2: Cannot specify money data type (parameter 5) as a substitution parameter.
declare @a tinyint = 1, @b smallint = 2, @c bigint = 3, @s char(3) = 'abc', @n nvarchar(10) = N'n', @v varbinary(2) = 0x41
raiserror('%d %d %I64d %s %s', 11, 1, @a, @b, @c, @s, @n)
go
--> Msg 50000, Level 11, State 1, Line 2: 1 2 3 abc n
-- Names as they were written.
create table cust (id int primary key, name varchar(10))
create table orders (id int primary key, c int references cust)
go
select count(*) from cust order by cust.id
go
--> Msg 8127, Level 16, State 1, Line 1: Column "cust.id" is invalid in the ORDER BY clause because it is not contained in either an aggregate function or the GROUP BY clause.
select count(*) from cust having id > 1
go
--> Msg 8121, Level 16, State 1, Line 1: Column 'cust.id' is invalid in the HAVING clause because it is not contained in either an aggregate function or the GROUP BY clause.
drop table cust
go
--> Msg 3726, Level 16, State 1, Line 1: Could not drop object 'cust' because it is referenced by a FOREIGN KEY constraint.
drop table dbo.cust
go
--> Msg 3726, Level 16, State 1, Line 1: Could not drop object 'dbo.cust' because it is referenced by a FOREIGN KEY constraint.
select * from cust with (index(Nope))
go
--> Msg 308, Level 16, State 1, Line 1: Index 'Nope' on table 'dbo.cust' (specified in the FROM clause) does not exist.
select * from cust with (index = [no such], nolock)
go
--> Msg 308, Level 16, State 1, Line 1: Index 'no such' on table 'dbo.cust' (specified in the FROM clause) does not exist.
set NoLock on
go
--> Msg 195, Level 15, State 7, Line 1: 'NoLock' is not a recognized SET option.
set nocounts, ansi_nulls on
go
--> Msg 195, Level 15, State 7, Line 1: 'nocounts' is not a recognized SET option.
-- What a name is of.
create view v as select 1 as a
go
create procedure p as return
go
create function f() returns int as begin return 1 end
go
create trigger tr on cust after insert as return
go
create sequence s
create synonym y for cust
go
drop view cust
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP VIEW with 'cust' because 'cust' is a table. Use DROP TABLE.
drop procedure dbo.cust
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP PROCEDURE with 'dbo.cust' because 'dbo.cust' is a table. Use DROP TABLE.
drop function if exists p
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP FUNCTION with 'p' because 'p' is a procedure. Use DROP PROCEDURE.
drop procedure f
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP PROCEDURE with 'f' because 'f' is a function. Use DROP FUNCTION.
drop table v
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP TABLE with 'v' because 'v' is a view. Use DROP VIEW.
drop table if exists p
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP TABLE with 'p' because 'p' is a procedure. Use DROP PROCEDURE.
drop trigger orders
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP TRIGGER with 'orders' because 'orders' is a table. Use DROP TABLE.
drop sequence cust
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP SEQUENCE with 'cust' because 'cust' is a table. Use DROP TABLE.
drop synonym s
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP SYNONYM with 's' because 's' is a sequence object. Use DROP SEQUENCE.
drop view tr
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP VIEW with 'tr' because 'tr' is a trigger. Use DROP TRIGGER.
drop table y
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP TABLE with 'y' because 'y' is a synonym. Use DROP SYNONYM.
drop procedure nothing
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the procedure 'nothing', because it does not exist or you do not have permission.
drop view if exists nothing
drop synonym y
drop sequence s
drop table orders
drop table cust
go
