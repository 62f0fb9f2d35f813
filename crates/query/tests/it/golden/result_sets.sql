create procedure p as select 1 as a, 'hello' as b
go
-- UNDEFINED changes nothing, sets of columns rename and convert
exec p with result sets undefined
go
--> [a:int | b:varchar(5)]
--> 1 | hello
--> (1 rows affected)
exec p with result sets ((x bigint, y nvarchar(2) not null))
go
--> [x:bigint | y:nvarchar(2)]
--> 1 | he
--> (1 rows affected)
exec p with recompile, result sets ((x varchar(30), y varchar(max) collate Latin1_General_BIN2))
go
--> [x:varchar(30) | y:varchar(max)]
--> 1 | hello
--> (1 rows affected)
exec ('select 300 as a, 1 as b') with result sets ((x varchar(2), y datetime))
go
--> [x:varchar(2) | y:datetime]
--> * | 1900-01-02 00:00:00.000
--> (1 rows affected)
exec sp_executesql N'select @n as a', N'@n int', 5 with result sets ((x bigint))
go
--> [x:bigint]
--> 5
--> (1 rows affected)
create procedure two as begin select 1 as a; print 'between'; select 'z' as b, 2 as c; return 9 end
go
declare @rc int exec @rc = two with result sets ((one bigint), (two char(3), three varchar(9))) select @rc as rc
go
--> [one:bigint]
--> 1
--> (1 rows affected)
--> # between
--> [two:char(3) | three:varchar(9)]
--> z | 2
--> (1 rows affected)
--> [rc:int]
--> 9
--> (1 rows affected)
create table t (i int)
go
create procedure changes as begin insert t values (1); select 7 as a end
go
exec changes with result sets ((x bigint))
go
--> (1 rows affected)
--> [x:bigint]
--> 7
--> (1 rows affected)
create procedure quiet as set nocount on insert t values (1)
go
exec quiet with result sets none
go
-- what does not match is an error of the statement that sends it
exec p with result sets none
go
--> Msg 11535, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified 0 result set(s), and the statement tried to send more result sets than this.
exec two with result sets ((x int))
go
--> [x:int]
--> 1
--> (1 rows affected)
--> # between
--> Msg 11535, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified 1 result set(s), and the statement tried to send more result sets than this.
exec p with result sets ((x int, y varchar(9)), (z int))
go
--> [x:int | y:varchar(9)]
--> 1 | hello
--> (1 rows affected)
--> Msg 11536, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified 2 result set(s), but the statement only sent 1 result set(s) at run time.
exec quiet with result sets ((x int))
go
--> Msg 11536, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified 1 result set(s), but the statement only sent 0 result set(s) at run time.
exec p with result sets ((x int))
go
--> Msg 11537, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified 1 column(s) for result set number 1, but the statement sent 2 column(s) at run time.
exec p with result sets ((x date, y varchar(9)))
go
--> Msg 11538, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified type 'date' for column #1 in result set #1, and the corresponding type sent at run time was 'int'; there is no conversion between the two types.
exec ('select cast(''<a/>'' as xml) as a') with result sets ((x varchar(30)))
go
--> Msg 11538, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified type 'varchar' for column #1 in result set #1, and the corresponding type sent at run time was 'xml'; there is no conversion between the two types.
exec two with result sets ((x int), (y uniqueidentifier, z date))
go
--> [x:int]
--> 1
--> (1 rows affected)
--> # between
--> Msg 11538, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified type 'date' for column #2 in result set #2, and the corresponding type sent at run time was 'int'; there is no conversion between the two types.
exec ('select 1 as a union all select null order by a desc') with result sets ((x int not null))
go
--> [x:int]
--> 1
--> Msg 11553, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified a non-nullable type for column #1 in result set #1, and the corresponding value sent at run time was null.
exec p with result sets ((x int, y int))
go
--> [x:int | y:int]
--> Msg 8114, Level 16, State 2, Line 1: Error converting data type varchar(5) to int.
begin try exec p with result sets ((x date, y int)) end try begin catch select error_number() as n, error_procedure() as p, error_line() as l end catch
go
--> [n:int | p:nvarchar(128) | l:int]
--> 11538 | p | 1
--> (1 rows affected)
create procedure own as
begin try
  select 1 as a
  print 'not here'
end try
begin catch
  print concat('caught ', error_number(), ' at ', error_line())
end catch
print 'after'
go
exec own with result sets none print 'and on'
go
--> # caught 11535 at 3
--> # after
--> # and on
begin tran exec p with result sets none
go
--> Msg 11535, Level 16, State 1, Line 1: EXECUTE statement failed because its WITH RESULT SETS clause specified 0 result set(s), and the statement tried to send more result sets than this.
select @@trancount as n rollback
go
--> [n:int]
--> 1
--> (1 rows affected)
exec p with result sets ((x notatype, y int))
go
--> Msg 2715, Level 16, State 3, Line 1: Column, parameter, or variable #1: Cannot find data type notatype.
insert t exec p with result sets ((x int, y int))
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'sets'.
exec p with result sets ()
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
exec p with result sets (x int)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'x'.
