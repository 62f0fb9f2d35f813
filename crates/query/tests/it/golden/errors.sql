-- Wrong statements: SQL Server's number, severity and line; the session goes on.
select 1 +
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '+'.
select frm where
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'where'.
print @nobody
go
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@nobody".
declare @a int, @a int
go
--> Msg 134, Level 15, State 1, Line 1: The variable name '@a' has already been declared. Variable names must be unique within a query batch or stored procedure.
create table #e (id int not null, name varchar(3) null)
select nothing from #e
select e.nothing from #e e
select x.id from #e
select id from #e a join #e b on a.id = b.id
select * from missing_table
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nothing'.
insert #e values (1)
go
--> Msg 213, Level 16, State 1, Line 1: Column name or number of supplied values does not match table definition.
insert #e values (null, 'a')
insert #e values (1, 'abcd')
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'id', table 'tempdb.dbo.#e'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> Msg 2628, Level 16, State 1, Line 2: String or binary data would be truncated in table 'tempdb.dbo.#e', column 'name'. Truncated value: 'abc'.
--> # The statement has been terminated.
insert #e (id) values (1, 2)
go
--> Msg 110, Level 15, State 1, Line 1: There are fewer columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.
insert #e values ('x', 'a')
go
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
select * from #e
select 1/0
select cast('abc' as int)
go
--> [id:int | name:varchar(3)]
--> (0 rows affected)
--> [:int]
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
--> [:int]
--> Msg 245, Level 16, State 1, Line 3: Conversion failed when converting the varchar value 'abc' to data type int.
select cast(300 as tinyint)
select 2147483647 + 1
go
--> [:tinyint]
--> Msg 220, Level 16, State 1, Line 1: Arithmetic overflow error for data type tinyint, value = 300.
--> [:int]
--> Msg 8115, Level 16, State 1, Line 2: Arithmetic overflow error converting expression to data type int.
create table #e (id int)
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named '#e' in the database.
drop table #nobody
drop table if exists #nobody
truncate table #nobody
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the table '#nobody', because it does not exist or you do not have permission.
--> Msg 4701, Level 16, State 1, Line 3: Cannot find the object "#nobody" because it does not exist or you do not have permissions.
exec no_such_procedure
go
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure 'no_such_procedure'.
select id, count(*) from #e
go
--> Msg 8120, Level 16, State 1, Line 1: Column '#e.id' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select nofunction(1)
go
--> Msg 195, Level 15, State 10, Line 1: 'nofunction' is not a recognized built-in function name.
select len()
go
--> Msg 174, Level 15, State 1, Line 1: The len function requires 1 argument(s).
select dateadd(fortnight, 1, getdate())
go
--> Msg 155, Level 15, State 1, Line 1: 'fortnight' is not a recognized dateadd option.
raiserror('a %s and %d', 16, 3, 'text', 42)
print 'goes on'
go
--> Msg 50000, Level 16, State 3, Line 1: a text and 42
--> # goes on
throw 50001, 'thrown', 7
go
--> Msg 50001, Level 16, State 7, Line 1: thrown
begin try
  select 1/0
end try
begin catch
  select error_number() as n, error_severity() as s, error_line() as l, error_message() as m
end catch
go
--> [:int]
--> [n:int | s:int | l:int | m:nvarchar(4000)]
--> 8134 | 16 | 2 | Divide by zero error encountered.
--> (1 rows affected)
begin try
  begin try
    select cast('x' as int)
  end try
  begin catch
    throw
  end catch
end try
begin catch
  print error_message()
end catch
go
--> [:int]
--> # Conversion failed when converting the varchar value 'x' to data type int.
use nowhere
go
--> Msg 911, Level 16, State 1, Line 1: Database 'nowhere' does not exist. Make sure that the name is entered correctly.
create table dbo.t (id int)
go
drop table #e
go
