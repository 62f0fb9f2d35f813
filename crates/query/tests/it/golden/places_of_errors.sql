-- Where an error happened: the procedure and the line that messages and ERROR_PROCEDURE name.
create database places_of_errors
go
use places_of_errors
set nocount on
go
create procedure begins as
begin tran
go
exec begins
go
--> Msg 266, Level 16, State 2, Line 0: Transaction count after EXECUTE indicates a mismatching number of BEGIN and COMMIT statements. Previous count = 0, current count = 1.
rollback
go
begin try exec begins end try begin catch select error_number() as number, error_procedure() as place, error_line() as line end catch
select @@trancount as open_transactions
rollback
go
--> [number:int | place:nvarchar(128) | line:int]
--> 266 | begins | 0
--> [open_transactions:int]
--> 1
create procedure zp @a int, @b varchar(10) = 'b' as select @a as a, @b as b
go
exec zp
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'zp' expects parameter '@a', which was not supplied.

exec zp 1, 2, 3
go
--> Msg 8144, Level 16, State 2, Line 0: Procedure or function zp has too many arguments specified.
exec zp @a = 1, @x = 2
go
--> Msg 8145, Level 16, State 2, Line 0: @x is not a parameter for procedure zp.
exec zp 'one'
go
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to int.
exec zp @a = 1, @a = 2
go
--> Msg 8143, Level 16, State 1, Line 0: Parameter '@a' was supplied multiple times.
begin try exec zp end try begin catch select error_number() as number, error_procedure() as place, error_line() as line end catch
begin try exec zp 'x' end try begin catch throw end catch
go
--> [number:int | place:nvarchar(128) | line:int]
--> 201 | zp | 0
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to int.
create procedure outer_p as
exec zp
select 1 as goes_on
go
exec outer_p
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'zp' expects parameter '@a', which was not supplied.
--> [goes_on:int]
--> 1
exec sp_help @x = 1
go
--> Msg 8145, Level 16, State 2, Line 0: @x is not a parameter for procedure sp_help.
exec sp_helptext
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_helptext' expects parameter '@objname', which was not supplied.
-- Syntax errors of a module are of it.
create procedure bad as
select 1
selec 2
go
--> Msg 102, Level 15, State 1, Line 4: Incorrect syntax near '2'.
create procedure bad2 @a int as
begin
  select from t
end
go
--> Msg 156, Level 15, State 1, Line 3: Incorrect syntax near the keyword 'from'.
alter view dbo.bad3 as select 1 as a from where
go
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'where'.
create function bad4() returns int as begin
  declare @i int
end
go
--> Msg 455, Level 16, State 2, Line 3: The last statement included within a function must be a return statement.
create function bad5(@a int) returns int as begin
  begin try
    return 1
  end try
  begin catch
    return 2
  end catch
end
go
--> Msg 443, Level 16, State 15, Line 2: Invalid use of a side-effecting operator 'BEGIN TRY' within a function.
create trigger bad6 on t after insert as
print 'a' 'b'
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near 'b'.
begin try exec ('create procedure bad7 as
select from t') end try begin catch select error_number() as number, error_procedure() as place, error_line() as line end catch
go
--> [number:int | place:nvarchar(128) | line:int]
--> 156 | bad7 | 2
selec 1
go
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure 'selec'.
